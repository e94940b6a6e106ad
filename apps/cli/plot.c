// SPDX-License-Identifier: MIT
// shoal plot: the tables of runs into charts.
#include "shoal/plot.h"
#include "cli.h"

typedef struct progress_job {
    bool is_quiet, is_json;
    int  files;
} progress_job;

static void tell_file(const char* file, void* user) {
    progress_job* t = user;
    t->files++;
    if (t->is_json) {
        printf("{\"event\":\"file\",\"file\":");
        cli_json_text(stdout, file);
        printf("}\n");
    } else if (!t->is_quiet) {
        printf("%s\n", file);
    }
}

static void tell_failure(const progress_job* t, shoal_status status) {
    const char* text = shoal_last_error();
    if (t->is_json)
        cli_json_error(*text ? text : shoal_status_text(status));
    else
        cli_fail(status);
}

// A folder that cannot be drawn is reported, the others are; the exit code is that of the first one.
int cli_plot(const cli_args* args) {
    shoal_plot_def def   = shoal_plot_def_default();
    progress_job   t     = {.is_quiet = args->options[CLI_OPTION_QUIET] != NULL,
                            .is_json  = args->options[CLI_OPTION_JSON] != NULL};
    shoal_status   first = SHOAL_OK;
    def.points           = args->points;
    def.done             = tell_file;
    def.user             = &t;
    for (int i = 0; i < args->word_count; i++) {
        shoal_status status = shoal_plot_run(&def, args->words[i]);
        if (status != SHOAL_OK) tell_failure(&t, status);
        if (first == SHOAL_OK) first = status;
    }
    if (t.is_json)
        cli_json_last(first, args->words[0], t.files, NULL);
    else if (!t.is_quiet && t.files > 0)
        printf("%d files\n", t.files);
    return cli_exit_code(first);
}
