// SPDX-License-Identifier: MIT
// shoal view: a scene that runs, from its start or from a checkpoint, or the frames of a run, in a window, a browser or
// files.
#include "view.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GRAB_MOST = 999999, WIDTH = 1280, HEIGHT = 720 };

static bool is_folder(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_checkpoint(const char* path) {
    size_t length = strlen(path);
    return length > strlen(".shoal") && strcmp(path + length - strlen(".shoal"), ".shoal") == 0;
}

// The last part of a path, without what follows its last point, or the number of a checkpoint: the name of its run.
static void name_of(const char* path, char* out, size_t capacity) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    size_t begin = length;
    while (begin > 0 && path[begin - 1] != '/') begin--;
    snprintf(out, capacity, "%.*s", (int)(length - begin), path + begin);
    char* dot = strrchr(out, '.');
    if (dot && dot != out && !is_folder(path)) *dot = 0;
    char* number = is_checkpoint(path) ? strrchr(out, '_') : NULL;
    if (number && number != out && strspn(number + 1, "0123456789") == strlen(number + 1)) *number = 0;
}

// A checkpoint lies in FOLDER/checkpoints, and its scene in FOLDER/run.json.
static void run_of(const char* checkpoint, char* folder, size_t capacity) {
    const char* slash = strrchr(checkpoint, '/');
    snprintf(folder, capacity, "%.*s..", slash ? (int)(slash - checkpoint + 1) : 0, checkpoint);
}

static bool has_run(const char* checkpoint) {
    char        folder[4096], path[4112];
    const char* slash = strrchr(checkpoint, '/');
    run_of(checkpoint, folder, sizeof folder);
    snprintf(path, sizeof path, "%s/run.json", folder);
    if (access(checkpoint, F_OK) != 0 || access(path, F_OK) == 0) return true;
    fprintf(
        stderr,
        "%s: a checkpoint is viewed where it was written, RUN/checkpoints/%s: its scene is in RUN/run.json, and there "
        "is no %s\n",
        checkpoint, slash ? slash + 1 : checkpoint, path);
    return false;
}

static shoal_status open_scene(const cli_args* args, view_def* def) {
    char folder[4096];
    if (!def->checkpoint) return cli_scene_open(args, &def->scene);
    run_of(def->checkpoint, folder, sizeof folder);
    shoal_status status = shoal_run_scene(folder, &def->scene);
    return status == SHOAL_OK ? cli_scene_change(args, def->scene) : status;
}

// Frames of a run are evenly numbered; a wider gap than the smallest is one that is missing. Tells those before a
// frame.
static bool tell_missing(const view* v, int index) {
    if (index == 0) return false;
    int step = INT_MAX, number = view_number(v, index), before = view_number(v, index - 1);
    for (int k = 1; view_number(v, k) >= 0 && k <= index + 1; k++) {
        int gap = view_number(v, k) - view_number(v, k - 1);
        step    = gap < step ? gap : step;
    }
    for (int n = before + step; n < number; n += step) fprintf(stderr, "frame %d: the frame is missing\n", n);
    return number - before > step;
}

static bool is_numbered(const char* file, const char* name) { // NAME_000012.png
    size_t length = strlen(name);
    return strncmp(file, name, length) == 0 && file[length] == '_' && strspn(file + length + 1, "0123456789") == 6 &&
           strcmp(file + length + 7, ".png") == 0;
}

// How many pictures by these names an earlier call has left in FOLDER/pictures; with `removes` they go, where they can,
// but not behind a link.
static int older_pictures(const char* folder, const char* name, bool removes) {
    char        path[4096];
    int         count = 0;
    struct stat info;
    snprintf(path, sizeof path, "%s/pictures", folder);
    removes   = removes && lstat(path, &info) == 0 && !S_ISLNK(info.st_mode);
    DIR* list = opendir(path);
    for (struct dirent* at; list && (at = readdir(list));) {
        if (!is_numbered(at->d_name, name)) continue;
        snprintf(path, sizeof path, "%s/pictures/%.300s", folder, at->d_name);
        count += !removes || unlink(path) != 0;
    }
    if (list) closedir(list);
    return count;
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
        if (tell_missing(v, done)) worst = CLI_WRONG;
        double began = cli_seconds();
        if (status == SHOAL_OK && !*view_error(v)) status = view_draw(v, width, height, pixels);
        ms[drawn] = 1e3 * (cli_seconds() - began);
        if (*view_error(v)) { // a frame that is damaged, or a simulation that went wrong
            fprintf(stderr, "frame %d: %s\n", view_number(v, done), view_error(v));
            if (status != SHOAL_OK) code = cli_exit_code(status);
            worst = CLI_WRONG;
            continue;
        }
        void*  bytes = NULL;
        size_t size  = 0;
        snprintf(path, sizeof path, "%s/pictures/%s_%06d.png", folder, name, view_number(v, done));
        if (status == SHOAL_OK) status = shoal_screen_png(pixels, width, height, &bytes, &size);
        if (status == SHOAL_OK) status = shoal_file_write(path, bytes, size);
        if (bytes) shoal_bytes_free(bytes, size);
        if (status == SHOAL_ERR_INTERRUPTED) break;
        if (status != SHOAL_OK) code = view_fail(v, status);
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

typedef struct options {
    int width, height, grab, port; // grab: 0: none; port: -1: none
} options;

// Pictures of several calls in one folder would be one film. With `removes` older ones go, where --force says so; else
// they are left alone, until there is something to put in their place.
static bool is_free(const cli_args* args, const view_def* def, bool removes) {
    if (args->options[CLI_OPTION_RESUME]) return true; // they go on
    bool is_forced = args->options[CLI_OPTION_FORCE] != NULL;
    if ((is_forced && !removes) || older_pictures(def->output, def->name, is_forced) == 0) return true;
    fprintf(stderr,
            "%s/pictures: holds %s_NNNNNN.png of an earlier call; add --force to remove them, or choose another folder "
            "with -o\n",
            def->output, def->name);
    return false;
}

static int show_it(const cli_args* args, const view_def* def, const options* o) {
    view* v = NULL;
    if (o->grab > 0 && def->run && !is_free(args, def, false)) return CLI_WRONG; // before it has begun
    shoal_status status = view_open(def, &v);
    int          code   = CLI_DONE;
    if (status != SHOAL_OK)
        code = view_fail(v, status);
    else if (o->grab > 0)
        code = is_free(args, def, true) ? view_grab(v, o->grab, o->width, o->height, def->output, def->name,
                                                    args->options[CLI_OPTION_QUIET] != NULL)
                                        : CLI_WRONG;
    else if (o->port >= 0)
        code = view_serve(v, &(view_serve_job){o->port, args->options[CLI_OPTION_HOST], o->width, o->height});
    else
        code = view_window(v, o->width, o->height, def->name);
    shoal_status closed = view_close(v);
    if (code == CLI_DONE) code = cli_exit_code(closed);
    return code == CLI_DONE && cli_should_stop(NULL) ? CLI_INTERRUPTED : code;
}

// A simulation that is kept: frames without end, as long as it is played.
static int keep_it(const cli_args* args, view_def* def, const options* o) {
    shoal_run_def run   = shoal_run_def_default();
    char*         again = cli_way_on(args, "--resume");
    run.folder          = def->output;
    run.last            = CLI_FRAME_MOST;
    run.resume          = args->options[CLI_OPTION_RESUME] != NULL;
    run.force           = args->options[CLI_OPTION_FORCE] != NULL;
    run.way_on          = again;
    run.sim             = def->sim;
    def->run            = &run;
    int code            = show_it(args, def, o);
    def->run            = NULL;
    free(again);
    return code;
}

// What is given beside SCENE, DIR or CHECKPOINT; CLI_DONE: it fits together.
static int read_options(const cli_args* args, options* out, view_def* def) {
    const char *grab = args->options[CLI_OPTION_GRAB], *serve = args->options[CLI_OPTION_SERVE],
               *size = args->options[CLI_OPTION_SIZE], *threads = args->options[CLI_OPTION_THREADS],
               *output = args->options[CLI_OPTION_PLACE];
    bool keeps_run = args->options[CLI_OPTION_KEEP] != NULL, is_scene = !is_folder(args->words[0]);
    if (threads && !cli_whole(threads, 1, CLI_THREADS_MOST, &def->sim.threads))
        return cli_threads_wrong("view", threads);
    if (size && !cli_size(size, &out->width, &out->height))
        return cli_usage("view", "--size %.40s: give WIDTHxHEIGHT, each from 1 to 16384", size);
    if (grab && !cli_whole(grab, 1, GRAB_MOST, &out->grab))
        return cli_usage("view", "--grab %.40s: give a whole number from 1 to %d", grab, GRAB_MOST);
    if ((grab || keeps_run) && !output)
        return cli_usage("view", "--%s needs -o DIR for its %s", grab ? "grab" : "keep", grab ? "pictures" : "run");
    if (serve && !cli_whole(serve, 0, 65535, &out->port))
        return cli_usage("view", "--serve %.40s: give a port from 0 to 65535", serve);
    if (output && strlen(output) > VIEW_FOLDER_MOST)
        return cli_usage("view", "-o %.40s...: give a path of at most %d bytes", output, VIEW_FOLDER_MOST);
    if (grab && serve) return cli_usage("view", "--grab and --serve exclude each other");
    if (args->options[CLI_OPTION_HOST] && !serve) return cli_usage("view", "--host needs --serve PORT");
    if (keeps_run && (!is_scene || is_checkpoint(args->words[0])))
        return cli_usage("view", "--keep is for scenes; with --resume it goes on with a run that is in -o DIR");
    if (!keeps_run && (args->options[CLI_OPTION_RESUME] || (args->options[CLI_OPTION_FORCE] && !grab)))
        return cli_usage("view", "--resume is for a run that is kept (--keep -o DIR), --force for that and for --grab");
    if (is_scene && is_checkpoint(args->words[0]) && !has_run(args->words[0])) return CLI_WRONG;
    if (!is_scene && args->options[CLI_OPTION_SOLVER])
        return cli_usage("view", "--solver is for scenes, and %.60s is a folder", args->words[0]);
    return CLI_DONE;
}

int cli_view(const cli_args* args) {
    char     name[256];
    options  o    = {WIDTH, HEIGHT, 0, -1};
    view_def def  = {.screen = shoal_screen_def_default(), .sim = shoal_sim_def_default()};
    int      code = read_options(args, &o, &def);
    if (code != CLI_DONE) return code;
    const char** settings = calloc((size_t)args->set_count + 1, sizeof *settings);
    if (!settings) return CLI_INTERNAL;
    name_of(args->words[0], name, sizeof name);
    def.name           = name;
    def.output         = args->options[CLI_OPTION_PLACE];
    def.screen.threads = def.sim.threads;
    def.screen.device = def.sim.device = args->options[CLI_OPTION_DEVICE];
    def.screen.color                   = args->options[CLI_OPTION_COLOR];
    def.path                           = args->words[0];
    cli_catch_signals();
    if (is_folder(args->words[0])) {
        memcpy(settings, args->sets, (size_t)args->set_count * sizeof *settings);
        def.screen.settings = settings;
        def.screen.camera   = args->options[CLI_OPTION_CAMERA];
        def.folder          = args->words[0];
        code                = show_it(args, &def, &o);
    } else {
        def.checkpoint      = is_checkpoint(args->words[0]) ? args->words[0] : NULL;
        shoal_status status = open_scene(args, &def);
        if (status == SHOAL_OK) status = shoal_scene_check(def.scene);
        // run.json spells all defaults out, and those without effect are not worth a warning
        if (def.scene) cli_faults_show(def.scene, def.checkpoint || args->options[CLI_OPTION_QUIET]);
        bool is_shown = def.scene && shoal_scene_fault_count(def.scene) > 0 && status == SHOAL_ERR_INPUT;
        code          = status != SHOAL_OK               ? is_shown ? cli_exit_code(status) : cli_fail(status)
                                      : args->options[CLI_OPTION_KEEP] ? keep_it(args, &def, &o)
                                                         : show_it(args, &def, &o);
        shoal_scene_destroy(def.scene);
    }
    free(settings);
    return code;
}
