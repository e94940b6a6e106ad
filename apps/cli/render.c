// SPDX-License-Identifier: MIT
// shoal render: the frames of a run into pictures.
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct progress {
    bool is_quiet, is_json, is_terminal;
    bool has_line; // a progress line stands unfinished on the terminal
    int  made, reused;
} progress;

static void end_line(progress* p) {
    if (p->has_line) printf("\r\033[K");
    p->has_line = false;
}

void cli_picture_json(const shoal_render_row* row) {
    printf("{\"event\":\"picture\",\"frame\":%d,\"time_s\":", row->frame);
    cli_json_number(stdout, row->time_s);
    printf(",\"kept\":%s,\"seconds\":", row->was_there ? "true" : "false");
    cli_json_number(stdout, row->seconds);
    printf(",\"file\":");
    cli_json_text(stdout, row->file);
    printf("}\n");
    fflush(stdout);
}

static void tell_row(const shoal_render_row* row, void* user) {
    progress* p = user;
    p->made += !row->was_there;
    p->reused += row->was_there;
    if (p->is_json) {
        cli_picture_json(row);
        return;
    }
    if (p->is_quiet || row->was_there) return;
    end_line(p);
    printf("%s  %.1f s\n", row->file, row->seconds);
    fflush(stdout);
}

static void tell_progress(const shoal_render_progress* now, void* user) {
    progress* p = user;
    char      picture[32], all[32];
    if (p->is_quiet || p->is_json || !p->is_terminal) return;
    cli_clock_text(now->seconds_left_picture, picture, sizeof picture);
    cli_clock_text(now->seconds_left, all, sizeof all);
    printf("\r\033[Kframe %d, picture %d of %d: %.0f %%, %s left, %s in all", now->frame, now->index + 1, now->count,
           100.0 * now->part, picture, all);
    p->has_line = true;
    fflush(stdout);
}

static void tell_fault(const char* message, void* user) {
    progress* p = user;
    if (p->is_json) {
        cli_json_error(message);
        return;
    }
    end_line(p);
    fflush(stdout);
    fprintf(stderr, "%s\n", message);
}

// "1280x720"
bool cli_size(const char* text, int* width, int* height) {
    enum { EDGE_MOST = 16384 };
    char        left[16];
    const char* cross = strchr(text, 'x');
    if (!cross || (size_t)(cross - text) >= sizeof left) return false;
    snprintf(left, sizeof left, "%.*s", (int)(cross - text), text);
    return cli_whole(left, 1, EDGE_MOST, width) && cli_whole(cross + 1, 1, EDGE_MOST, height);
}

int cli_picture_options(const char* command, const cli_args* args, shoal_render_def* def) {
    const char *threads = args->options[CLI_OPTION_THREADS], *size = args->options[CLI_OPTION_SIZE],
               *samples = args->options[CLI_OPTION_SAMPLES];
    if (threads && !cli_whole(threads, 1, CLI_THREADS_MOST, &def->threads)) return cli_threads_wrong(command, threads);
    if (size && !cli_size(size, &def->width, &def->height))
        return cli_usage(command, "--size %.40s: give WIDTHxHEIGHT, each from 1 to 16384", size);
    if (samples && !cli_whole(samples, 1, 65536, &def->samples))
        return cli_usage(command, "--samples %.40s: give a whole number from 1 to 65536", samples);
    def->is_preview = args->options[CLI_OPTION_PREVIEW] != NULL;
    def->color      = args->options[CLI_OPTION_COLOR];
    return CLI_DONE;
}

// CLI_DONE, or after telling what is wrong CLI_WRONG.
static int options_of(const cli_args* args, shoal_render_def* def) {
    if (args->options[CLI_OPTION_TO]) def->format = args->options[CLI_OPTION_TO];
    bool is_known = false;
    for (const char* const* f = shoal_render_formats(); *f; f++) is_known |= strcmp(*f, def->format) == 0;
    if (!is_known) return cli_usage("render", "unknown format %.40s (png or exr)", def->format);
    int code = cli_choice("render", args, &def->frames);
    if (code != CLI_DONE) return code;
    def->is_forced = args->options[CLI_OPTION_FORCE] != NULL;
    def->camera    = args->options[CLI_OPTION_CAMERA];
    return cli_picture_options("render", args, def);
}

int cli_render(const cli_args* args) {
    shoal_render_def def  = shoal_render_def_default();
    progress         now  = {.is_quiet    = args->options[CLI_OPTION_QUIET] != NULL,
                             .is_json     = args->options[CLI_OPTION_JSON] != NULL,
                             .is_terminal = isatty(STDOUT_FILENO)};
    int              code = options_of(args, &def);
    if (code != CLI_DONE) return code;
    const char** settings = calloc((size_t)args->set_count + 1, sizeof *settings);
    if (!settings) return CLI_INTERNAL;
    memcpy(settings, args->sets, (size_t)args->set_count * sizeof *settings);
    def.settings = settings;
    def.done     = tell_row;
    def.progress = tell_progress;
    def.fault    = tell_fault;
    def.stop     = cli_should_stop;
    def.user     = &now;
    cli_catch_signals();
    shoal_status status = shoal_render_run(&def, args->words[0]);
    free(settings);
    end_line(&now);
    if (now.is_json) {
        char* again = status == SHOAL_ERR_INTERRUPTED ? cli_way_on(args, "") : NULL;
        cli_json_end(status, args->words[0], now.made + now.reused, again);
        free(again);
        return cli_exit_code(status);
    }
    if (!now.is_quiet && (now.made > 0 || now.reused > 0)) {
        printf("%d picture%s made", now.made, now.made == 1 ? "" : "s");
        if (now.reused > 0) printf(", %d were there (--force makes them anew)", now.reused);
        printf("\n");
    }
    if (status == SHOAL_ERR_INTERRUPTED) {
        char* again = cli_way_on(args, "");
        fprintf(stderr, "%s%s%s\n", shoal_last_error(), again ? "; to go on: " : "", again ? again : "");
        free(again);
        return CLI_INTERRUPTED;
    }
    return status == SHOAL_OK ? CLI_DONE : cli_fail(status);
}
