// SPDX-License-Identifier: MIT
// shoal plot: the tables of runs into charts.
#include "shoal/plot.h"
#include "cli.h"

typedef struct talk {
    bool is_quiet;
    int  files;
} talk;

static void tell_file(const char* file, void* user) {
    talk* t = user;
    t->files++;
    if (!t->is_quiet) printf("%s\n", file);
}

// A folder that cannot be drawn is told, the others are; the exit code is that of the first one.
int cli_plot(const cli_args* args) {
    shoal_plot_def def  = shoal_plot_def_default();
    talk           t    = {args->options[CLI_OPTION_QUIET] != NULL, 0};
    int            code = CLI_DONE;
    def.points          = args->points;
    def.done            = tell_file;
    def.user            = &t;
    for (int i = 0; i < args->word_count; i++) {
        shoal_status status = shoal_plot_run(&def, args->words[i]);
        int          now    = status == SHOAL_OK ? CLI_DONE : cli_fail(status);
        if (code == CLI_DONE) code = now;
    }
    if (!t.is_quiet && t.files > 0) printf("%d files\n", t.files);
    return code;
}
