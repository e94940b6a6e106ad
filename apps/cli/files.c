// SPDX-License-Identifier: MIT
// shoal info, solvers, params and export: a call of the library and its answer.
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static int text_print(shoal_status status, char* text) {
    if (status != SHOAL_OK) return cli_fail(status);
    size_t length = strlen(text);
    fwrite(text, 1, length, stdout);
    if (length == 0 || text[length - 1] != '\n') fputc('\n', stdout);
    shoal_bytes_free(text, length + 1);
    return CLI_DONE;
}

int cli_info(const cli_args* args) {
    char*        text   = NULL;
    shoal_status status = shoal_describe(args->words[0], &text);
    return text_print(status, text);
}

int cli_params(const cli_args* args) {
    shoal_param_form form   = args->options[CLI_OPTION_MARKDOWN] ? SHOAL_PARAM_MARKDOWN
                              : args->options[CLI_OPTION_SCHEMA] ? SHOAL_PARAM_SCHEMA
                                                                 : SHOAL_PARAM_PLAIN;
    char*            text   = NULL;
    shoal_status     status = shoal_params_print(args->words[0], form, &text);
    return text_print(status, text);
}

int cli_solvers(const cli_args* args) {
    (void)args;
    for (const shoal_solver_info* solver = shoal_solvers(); solver->name; solver++)
        printf("%-8s  %-20s  %s\n", solver->name, solver->materials, solver->summary);
    return CLI_DONE;
}

static void file_done(const char* file, void* user) {
    int* count = user;
    printf("%s\n", file);
    ++*count;
}

static void file_fault(const char* message, void* user) {
    (void)user;
    fprintf(stderr, "%s\n", message);
}

int cli_export(const cli_args* args) {
    const char*        format = args->options[CLI_OPTION_TO];
    const char* const* known  = shoal_export_formats();
    if (!format) return cli_usage("export", "--to FORMAT is missing (ply, obj, csv, vdb or usda)");
    bool is_known = false;
    for (int i = 0; known[i]; i++)
        is_known = is_known || strcmp(known[i], format) == 0;
    if (!is_known) {
        const char* near = shoal_nearest_word(format, known);
        return cli_usage("export", "unknown format %.40s (ply, obj, csv, vdb or usda)%s%s%s", format,
                         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    shoal_export_def def    = shoal_export_def_default();
    const char*      frames = args->options[CLI_OPTION_FRAMES];
    char             method[CLI_METHOD_ROOM];
    int              count = 0;
    if (frames && !cli_frames(frames, &def.first, &def.last)) return cli_frames_wrong("export", frames);
    const char** settings = cli_surface_settings(args, method);
    if (!settings) return CLI_INTERNAL;
    def.format   = format;
    def.settings = settings;
    def.done     = file_done;
    def.fault    = file_fault;
    def.stop     = cli_should_stop;
    def.user     = &count;
    cli_catch_signals();
    shoal_status status = shoal_export(&def, args->words[0]);
    free(settings);
    if (count > 0) printf("%d file%s\n", count, count == 1 ? "" : "s");
    return status == SHOAL_OK ? CLI_DONE : cli_fail(status);
}
