// SPDX-License-Identifier: MIT
// The scene of `run` and `check`: the file, then what the command line changes in it.
#include "cli.h"

#include <stdlib.h>
#include <string.h>

// KEY=VALUE into the scene. The key is everything before the first '='.
static shoal_status set_one(shoal_scene* scene, const char* text) {
    const char* equals = strchr(text, '=');
    char*       path   = strndup(text, (size_t)(equals - text));
    if (!path) return SHOAL_ERR_MEMORY;
    shoal_status status = shoal_scene_set_value(scene, path, equals + 1);
    free(path);
    return status;
}

shoal_status cli_scene_set(const cli_args* args, shoal_scene* scene) {
    shoal_status status = SHOAL_OK;
    for (int i = 0; i < args->set_count && status == SHOAL_OK; i++) status = set_one(scene, args->sets[i]);
    return status;
}

shoal_status cli_scene_open(const cli_args* args, shoal_scene** out) {
    shoal_status status = shoal_scene_load(args->words[0], out);
    const char*  camera = args->options[CLI_OPTION_CAMERA];
    if (camera && status == SHOAL_OK) status = shoal_scene_set_camera(*out, camera);
    if (status == SHOAL_OK) status = cli_scene_set(args, *out);
    const char* solver = args->options[CLI_OPTION_SOLVER];
    if (solver && status == SHOAL_OK) status = shoal_scene_set_text(*out, "solver", solver);
    return status;
}

const char** cli_surface_settings(const cli_args* args, char method[CLI_METHOD_ROOM]) {
    const char** settings = calloc((size_t)args->set_count + 2, sizeof *settings);
    const char*  name     = args->options[CLI_OPTION_METHOD];
    if (!settings) return NULL;
    for (int i = 0; i < args->set_count; i++) settings[i] = args->sets[i];
    snprintf(method, CLI_METHOD_ROOM, "surface.method=%.60s", name ? name : "");
    if (name) settings[args->set_count] = method;
    return settings;
}
