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

shoal_status cli_scene_change(const cli_args* args, shoal_scene* scene) {
    const char * camera = args->options[CLI_OPTION_CAMERA], *solver = args->options[CLI_OPTION_SOLVER];
    shoal_status status = camera ? shoal_scene_set_camera(scene, camera) : SHOAL_OK;
    if (status == SHOAL_OK) status = cli_scene_set(args, scene);
    if (solver && status == SHOAL_OK) status = shoal_scene_set_text(scene, "solver", solver);
    return status;
}

shoal_status cli_scene_open(const cli_args* args, shoal_scene** out) {
    shoal_status status = shoal_scene_load(args->words[0], out);
    return status == SHOAL_OK ? cli_scene_change(args, *out) : status;
}

const char** cli_surface_settings(const cli_args* args, char method[CLI_METHOD_SIZE]) {
    const char** settings = calloc((size_t)args->set_count + 2, sizeof *settings);
    const char*  name     = args->options[CLI_OPTION_METHOD];
    if (!settings) return NULL;
    for (int i = 0; i < args->set_count; i++) settings[i] = args->sets[i];
    snprintf(method, CLI_METHOD_SIZE, "surface.method=%.60s", name ? name : "");
    if (name) settings[args->set_count] = method;
    return settings;
}
