// SPDX-License-Identifier: MIT
// shoal info, solvers, params and export: a call of the library and its answer.
#include "cli.h"

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
    int          count  = 0;
    shoal_status status = shoal_export(args->words[0], format, file_done, &count);
    if (status != SHOAL_OK) return cli_fail(status);
    printf("%d file%s\n", count, count == 1 ? "" : "s");
    return CLI_DONE;
}
