// SPDX-License-Identifier: MIT
// shoal surface: the frames of a run into closed meshes.
#include "shoal/surface.h"
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct progress {
    bool is_quiet, is_json;
    int  files;
} progress;

static void row_json(const shoal_surface_row* row) {
    printf("{\"event\":\"mesh\",\"frame\":%d,\"time_s\":", row->frame);
    cli_json_number(stdout, row->time_s);
    printf(",\"%s\":", row->is_obstacle ? "obstacle" : "material");
    cli_json_text(stdout, row->material);
    printf(",\"triangles\":%d,\"mesh_m3\":", row->triangles);
    cli_json_number(stdout, row->mesh_m3);
    printf(",\"particles_m3\":");
    cli_json_number(stdout, row->is_obstacle ? (double)NAN : row->particles_m3);
    printf(",\"ms\":");
    cli_json_number(stdout, row->ms);
    printf(",\"file\":");
    cli_json_text(stdout, row->file);
    printf("}\n");
    fflush(stdout);
}

static void tell_row(const shoal_surface_row* row, void* user) {
    progress* p = user;
    p->files++;
    if (p->is_json) row_json(row);
    if (p->is_quiet || p->is_json) return;
    printf("%s  %d triangles, %.4g m^3", row->file, row->triangles, row->mesh_m3);
    if (!row->is_obstacle) printf(" (particles %.4g m^3)", row->particles_m3);
    printf(", %.0f ms\n", row->ms);
    fflush(stdout);
}

static void tell_fault(const char* message, void* user) {
    if (((progress*)user)->is_json)
        cli_json_error(message);
    else
        fprintf(stderr, "%s\n", message);
}

static int format_wrong(const char* format) {
    const char* near = shoal_nearest_word(format, shoal_surface_formats());
    return cli_usage("surface", "unknown format %.40s (vtp, ply, obj or stl)%s%s%s", format,
                     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

int cli_surface(const cli_args* args) {
    shoal_surface_def def     = shoal_surface_def_default();
    const char*       threads = args->options[CLI_OPTION_THREADS];
    progress          now     = {.is_quiet = args->options[CLI_OPTION_QUIET] != NULL,
                                 .is_json  = args->options[CLI_OPTION_JSON] != NULL};
    char              method[CLI_METHOD_SIZE];
    if (args->options[CLI_OPTION_TO]) def.format = args->options[CLI_OPTION_TO];
    bool is_known = false;
    for (const char* const* f = shoal_surface_formats(); *f; f++) is_known |= strcmp(*f, def.format) == 0;
    if (!is_known) return format_wrong(def.format);
    if (threads && !cli_whole(threads, 1, CLI_THREADS_MOST, &def.threads)) return cli_threads_wrong("surface", threads);
    int code = cli_choice("surface", args, &def.frames);
    if (code != CLI_DONE) return code;
    const char** settings = cli_surface_settings(args, method);
    if (!settings) return CLI_INTERNAL;
    def.settings  = settings;
    def.obstacles = args->options[CLI_OPTION_OBSTACLES] != NULL;
    def.resume    = args->options[CLI_OPTION_RESUME] != NULL;
    def.done      = tell_row;
    def.fault     = tell_fault;
    def.stop      = cli_should_stop;
    def.user      = &now;
    cli_catch_signals();
    shoal_status status = shoal_surface_run(&def, args->words[0]);
    free(settings);
    char* again = status == SHOAL_ERR_INTERRUPTED ? cli_way_on(args, "--resume") : NULL;
    if (now.is_json) {
        cli_json_end(status, args->words[0], now.files, again);
        free(again);
        return cli_exit_code(status);
    }
    if (!now.is_quiet && (status == SHOAL_OK || now.files > 0))
        printf("%d file%s\n", now.files, now.files == 1 ? "" : "s");
    if (again) fprintf(stderr, "%s; to go on: %s\n", shoal_last_error(), again);
    free(again);
    if (status == SHOAL_ERR_INTERRUPTED) return CLI_INTERRUPTED;
    return status == SHOAL_OK ? CLI_DONE : cli_fail(status);
}
