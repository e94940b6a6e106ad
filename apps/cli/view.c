// SPDX-License-Identifier: MIT
// shoal view: a scene that runs, from its start or from a checkpoint, or the frames of a run, in a window, a browser or
// files.
#include "view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GRAB_MOST = 999999, WIDTH = 1280, HEIGHT = 720 };

static bool is_folder(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// The last part of a path, without what follows its last point.
static void name_of(const char* path, char* out, size_t room) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    size_t begin = length;
    while (begin > 0 && path[begin - 1] != '/') begin--;
    snprintf(out, room, "%.*s", (int)(length - begin), path + begin);
    char* dot = strrchr(out, '.');
    if (dot && dot != out && !is_folder(path)) *dot = 0;
}

static bool is_checkpoint(const char* path) {
    size_t length = strlen(path);
    return length > strlen(".shoal") && strcmp(path + length - strlen(".shoal"), ".shoal") == 0;
}

// A checkpoint lies in FOLDER/checkpoints, and its scene in FOLDER/run.json.
static shoal_status open_scene(const cli_args* args, view_def* def) {
    char        folder[4096];
    const char* slash = strrchr(args->words[0], '/');
    if (!def->checkpoint) return cli_scene_open(args, &def->scene);
    snprintf(folder, sizeof folder, "%.*s..", slash ? (int)(slash - args->words[0] + 1) : 0, args->words[0]);
    shoal_status status = shoal_run_scene(folder, &def->scene);
    return status == SHOAL_OK ? cli_scene_change(args, def->scene) : status;
}

int view_grab(view* v, int count, int width, int height, const char* folder, const char* name, bool is_quiet) {
    uint8_t* pixels = malloc((size_t)width * (size_t)height * 3);
    double*  ms     = malloc((size_t)count * sizeof *ms);
    char     path[4096];
    int      done = 0, drawn = 0, worst = CLI_DONE, code = pixels && ms ? CLI_DONE : CLI_INTERNAL;
    view_key(v, "o"); // pictures alone
    snprintf(path, sizeof path, "%s/pictures", folder);
    view_make_folder(path);
    for (bool is_there = true; done < count && code == CLI_DONE && !cli_should_stop(NULL); done++) {
        shoal_status status = view_seek(v, done, &is_there);
        if (status == SHOAL_OK && !is_there) break;
        double began = cli_seconds();
        if (status == SHOAL_OK && !*view_error(v)) status = view_draw(v, width, height, pixels);
        ms[drawn] = 1e3 * (cli_seconds() - began);
        if (*view_error(v)) { // a frame that is damaged, or a simulation that went wrong
            fprintf(stderr, "frame %d: %s\n", done, view_error(v));
            if (status != SHOAL_OK) code = cli_exit_code(status);
            worst = CLI_WRONG;
            continue;
        }
        void*  bytes = NULL;
        size_t size  = 0;
        snprintf(path, sizeof path, "%s/pictures/%s_%06d.png", folder, name, done);
        if (status == SHOAL_OK) status = shoal_screen_png(pixels, width, height, &bytes, &size);
        if (status == SHOAL_OK) status = shoal_file_write(path, bytes, size);
        if (bytes) shoal_bytes_free(bytes, size);
        if (status == SHOAL_ERR_INTERRUPTED) break;
        if (status != SHOAL_OK) code = cli_fail(status);
        drawn++;
    }
    if (code == CLI_DONE && !is_quiet && drawn > 0)
        printf("%d picture%s in %s/pictures, drawn in %.1f ms each (median)\n", drawn, drawn == 1 ? "" : "s", folder,
               cli_median(ms, drawn));
    if (code == CLI_DONE && !is_quiet && view_hash(v) != 0) printf("state %016llx\n", (unsigned long long)view_hash(v));
    free(ms);
    free(pixels);
    if (code == CLI_DONE && cli_should_stop(NULL)) return CLI_INTERRUPTED;
    return code == CLI_DONE ? worst : code;
}

static int show_it(const cli_args* args, const view_def* def, int width, int height, int grab, int port) {
    view*        v      = NULL;
    shoal_status status = view_open(def, &v);
    int          code   = CLI_DONE;
    if (status != SHOAL_OK)
        code = cli_fail(status);
    else if (grab > 0)
        code = view_grab(v, grab, width, height, def->output, def->name, args->options[CLI_OPTION_QUIET] != NULL);
    else if (port >= 0)
        code = view_serve(v, &(view_serving){port, args->options[CLI_OPTION_HOST], width, height});
    else
        code = view_window(v, width, height, def->name);
    view_close(v);
    return code == CLI_DONE && cli_should_stop(NULL) ? CLI_INTERRUPTED : code;
}

int cli_view(const cli_args* args) {
    const char *grab = args->options[CLI_OPTION_GRAB], *serve = args->options[CLI_OPTION_SERVE],
               *size = args->options[CLI_OPTION_SIZE], *threads = args->options[CLI_OPTION_THREADS];
    char     name[256];
    int      width = WIDTH, height = HEIGHT, count = 0, port = -1, code;
    view_def def = {.screen = shoal_screen_def_default(), .sim = shoal_sim_def_default()};
    if (threads && !cli_whole(threads, 1, CLI_THREADS_MOST, &def.sim.threads))
        return cli_threads_wrong("view", threads);
    if (size && !cli_size(size, &width, &height))
        return cli_usage("view", "--size %.40s: give WIDTHxHEIGHT, each from 1 to 16384", size);
    if (grab && !cli_whole(grab, 1, GRAB_MOST, &count))
        return cli_usage("view", "--grab %.40s: give a whole number from 1 to %d", grab, GRAB_MOST);
    if (grab && !args->options[CLI_OPTION_OUTPUT]) return cli_usage("view", "--grab needs -o DIR for its pictures");
    if (serve && !cli_whole(serve, 0, 65535, &port))
        return cli_usage("view", "--serve %.40s: give a port from 0 to 65535", serve);
    if (args->options[CLI_OPTION_OUTPUT] && strlen(args->options[CLI_OPTION_OUTPUT]) > VIEW_FOLDER_MOST)
        return cli_usage("view", "-o %.40s...: give a path of at most %d bytes", args->options[CLI_OPTION_OUTPUT],
                         VIEW_FOLDER_MOST);
    if (grab && serve) return cli_usage("view", "--grab and --serve exclude each other");
    if (args->options[CLI_OPTION_HOST] && !serve) return cli_usage("view", "--host needs --serve PORT");
    const char** settings = calloc((size_t)args->set_count + 1, sizeof *settings);
    if (!settings) return CLI_INTERNAL;
    name_of(args->words[0], name, sizeof name);
    def.name           = name;
    def.output         = args->options[CLI_OPTION_OUTPUT];
    def.screen.threads = def.sim.threads;
    def.screen.device = def.sim.device = args->options[CLI_OPTION_DEVICE];
    def.screen.color                   = args->options[CLI_OPTION_COLOR];
    cli_catch_signals();
    if (is_folder(args->words[0])) {
        memcpy(settings, args->sets, (size_t)args->set_count * sizeof *settings);
        def.screen.settings = settings;
        def.screen.camera   = args->options[CLI_OPTION_CAMERA];
        def.folder          = args->words[0];
        code                = args->options[CLI_OPTION_SOLVER]
                                  ? cli_usage("view", "--solver is for scenes, and %.60s is a folder", args->words[0])
                                  : show_it(args, &def, width, height, count, port);
    } else {
        def.checkpoint      = is_checkpoint(args->words[0]) ? args->words[0] : NULL;
        shoal_status status = open_scene(args, &def);
        if (status == SHOAL_OK) status = shoal_scene_check(def.scene);
        // run.json spells all defaults out, and what has no effect of them is nobody's word
        if (def.scene) cli_faults_show(def.scene, def.checkpoint || args->options[CLI_OPTION_QUIET]);
        bool is_shown = def.scene && shoal_scene_fault_count(def.scene) > 0 && status == SHOAL_ERR_INPUT;
        code          = status == SHOAL_OK ? show_it(args, &def, width, height, count, port)
                        : is_shown         ? cli_exit_code(status)
                                           : cli_fail(status);
        shoal_scene_destroy(def.scene);
    }
    free(settings);
    return code;
}
