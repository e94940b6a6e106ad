// SPDX-License-Identifier: MIT
// shoal info, solvers, params and export: a call of the library and its answer.
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static int text_print(shoal_status status, char* text) {
    size_t length = text ? strlen(text) : 0;
    if (text) {
        fwrite(text, 1, length, stdout);
        if (length == 0 || text[length - 1] != '\n') fputc('\n', stdout);
        fflush(stdout);
        shoal_bytes_free(text, length + 1);
    }
    return status == SHOAL_OK ? CLI_DONE : cli_fail(status);
}

int cli_info(const cli_args* args) {
    char*        text    = NULL;
    const char*  path    = args->words[0];
    bool         is_json = args->options[CLI_OPTION_JSON] != NULL;
    shoal_status status  = is_json ? shoal_describe_json(path, &text) : shoal_describe(path, &text);
    if (!is_json) return text_print(status, text);
    if (text) {
        cli_utf8_print(stdout, text);
        shoal_bytes_free(text, strlen(text) + 1);
    }
    cli_json_end(status, NULL, -1, NULL);
    return cli_exit_code(status);
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
    char* text = NULL;
    if (args->options[CLI_OPTION_LISTS]) {
        shoal_status status = shoal_solvers_json(&text);
        return text_print(status, text);
    }
    if (args->options[CLI_OPTION_COLUMNS]) {
        shoal_status status = shoal_columns_markdown(&text);
        return text_print(status, text);
    }
    for (const shoal_solver_info* solver = shoal_solvers(); solver->name; solver++)
        printf("%-8s  %-20s  %s\n", solver->name, solver->materials, solver->summary);
    return CLI_DONE;
}

typedef struct export_job {
    bool is_quiet, is_json;
    int  files;
} export_job;

static void file_done(const char* file, void* user) {
    export_job* e = user;
    e->files++;
    if (e->is_json) {
        printf("{\"event\":\"file\",\"file\":");
        cli_json_text(stdout, file);
        printf("}\n");
        fflush(stdout);
    } else if (!e->is_quiet) {
        printf("%s\n", file);
    }
}

static void file_fault(const char* message, void* user) {
    if (((export_job*)user)->is_json)
        cli_json_error(message);
    else
        fprintf(stderr, "%s\n", message);
}

int cli_export(const cli_args* args) {
    const char*        format = args->options[CLI_OPTION_TO];
    const char* const* known  = shoal_export_formats();
    if (!format) return cli_usage("export", "--to FORMAT is missing (ply, obj, csv, vdb or usda)");
    bool is_known = false;
    for (int i = 0; known[i]; i++) is_known = is_known || strcmp(known[i], format) == 0;
    if (!is_known) {
        const char* near = shoal_nearest_word(format, known);
        return cli_usage("export", "unknown format %.40s (ply, obj, csv, vdb or usda)%s%s%s", format,
                         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    shoal_export_def def = shoal_export_def_default();
    char             method[CLI_METHOD_SIZE];
    export_job       e       = {.is_quiet = args->options[CLI_OPTION_QUIET] != NULL,
                                .is_json  = args->options[CLI_OPTION_JSON] != NULL};
    const char*      threads = args->options[CLI_OPTION_THREADS];
    if (threads && !cli_whole(threads, 1, CLI_THREADS_MOST, &def.threads)) return cli_threads_wrong("export", threads);
    int code = cli_choice("export", args, &def.frames);
    if (code != CLI_DONE) return code;
    const char** settings = cli_surface_settings(args, method);
    if (!settings) return CLI_INTERNAL;
    def.format   = format;
    def.settings = settings;
    def.done     = file_done;
    def.fault    = file_fault;
    def.stop     = cli_should_stop;
    def.user     = &e;
    cli_catch_signals();
    shoal_status status = shoal_export(&def, args->words[0]);
    free(settings);
    if (e.is_json) {
        cli_json_end(status, args->words[0], e.files, NULL);
        return cli_exit_code(status);
    }
    if (e.files > 0 && !e.is_quiet) printf("%d file%s\n", e.files, e.files == 1 ? "" : "s");
    return status == SHOAL_OK ? CLI_DONE : cli_fail(status);
}
