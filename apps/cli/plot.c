// SPDX-License-Identifier: MIT
// shoal plot: the tables of a run into charts.
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

int cli_plot(const cli_args* args) {
    shoal_plot_def def  = shoal_plot_def_default();
    talk           t    = {args->options[CLI_OPTION_QUIET] != NULL, 0};
    def.points          = args->points;
    def.done            = tell_file;
    def.user            = &t;
    shoal_status status = shoal_plot_run(&def, args->words[0]);
    if (status != SHOAL_OK) return cli_fail(status);
    if (!t.is_quiet) printf("%d files\n", t.files);
    return CLI_DONE;
}
