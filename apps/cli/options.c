// SPDX-License-Identifier: MIT
// Words of the command line -> cli_args. Options may stand before or after the other words, as
// `--key value` or `--key=value`; `--` ends them.
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SOLVERS_MOST = 32 };
_Static_assert(CLI_OPTION_COUNT <= 64, "cli_command.options has a bit for each");

static const struct {
    const char *word, *value, *help;
} options[] = {
#define X(key, word, value, help) {word, value, help},
    CLI_OPTIONS(X)
#undef X
};

void cli_options_help(FILE* to, uint64_t wanted) {
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        if (!(wanted & CLI_BIT(i))) continue;
        char        left[40];
        const char* value = options[i].value;
        snprintf(left, sizeof left, "%s%s%s", options[i].word, value ? " " : "", value ? value : "");
        fprintf(to, "  %-20s  %s\n", left, options[i].help);
    }
}

static bool wants_json; // the call holds --json, and its command knows it

static void find_json(const cli_command* command, int argc, char** argv) {
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        wants_json |= (command->options & CLI_BIT(CLI_OPTION_JSON)) && strcmp(argv[i], "--json") == 0;
}

static void usage_json(const char* command, const char* format, va_list list) {
    char message[1024];
    int  used = snprintf(message, sizeof message, "shoal%s%s: ", *command ? " " : "", command);
    vsnprintf(message + used, sizeof message - (size_t)used, format, list);
    printf("{\"event\":\"error\",\"message\":");
    cli_json_text(stdout, message);
    printf("}\n{\"event\":\"end\",\"exit\":%d,\"status\":", CLI_WRONG);
    cli_json_text(stdout, shoal_status_text(SHOAL_ERR_INPUT));
    printf("}\n");
}

int cli_usage(const char* command, const char* format, ...) {
    va_list list;
    va_start(list, format);
    if (wants_json) {
        usage_json(command, format, list);
        va_end(list);
        return CLI_WRONG;
    }
    fprintf(stderr, "shoal%s%s: ", *command ? " " : "", command);
    vfprintf(stderr, format, list);
    fprintf(stderr, "\ntry: shoal %s%s--help\n", command, *command ? " " : "");
    va_end(list);
    return CLI_WRONG;
}

bool cli_whole(const char* text, long min, long max, int* out) {
    char* end = NULL;
    errno     = 0;
    if (*text == ' ' || *text == '\0') return false;
    long value = strtol(text, &end, 10);
    if (errno || *end || value < min || value > max) return false;
    *out = (int)value;
    return true;
}

int cli_threads_wrong(const char* command, const char* given) {
    return cli_usage(command, "--threads %.40s: give a whole number from 1 to %d", given, CLI_THREADS_MOST);
}

int cli_choice(const char* command, const cli_args* args, const char** out) {
    *out = args->options[CLI_OPTION_CHOICE];
    if (!*out || shoal_frames_read(*out, NULL, NULL)) return CLI_DONE;
    return cli_usage(command,
                     "--frames %.40s: give N, A..B or A..B:STEP with A <= B, at most %d, or several "
                     "with commas between",
                     *out, CLI_FRAME_MOST);
}

int cli_frames_wrong(const char* command, const char* given) {
    return cli_usage(command, "--frames %.40s: give N (frames 0 to N) or A..B with A <= B, at most %d", given,
                     CLI_FRAME_MOST);
}

static int option_find(uint64_t wanted, const char* word, size_t length) {
    if (length == 2 && memcmp(word, "-h", 2) == 0) return CLI_OPTION_HELP;
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        bool same = strlen(options[i].word) == length && memcmp(options[i].word, word, length) == 0;
        if (same && (wanted & CLI_BIT(i))) return i;
    }
    return -1;
}

static void unknown_option(const cli_command* command, const char* word, size_t length) {
    const char* known[CLI_OPTION_COUNT + 1];
    int         count = 0;
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (command->options & CLI_BIT(i)) known[count++] = options[i].word;
    known[count] = NULL;

    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)(length < 60 ? length : 60), word);
    const char* near = shoal_nearest_word(typed, known);
    if (near) {
        cli_usage(command->name, "unknown option %s; did you mean %s?", typed, near);
    } else {
        cli_usage(command->name, "unknown option %s", typed);
    }
}

// One option at argv[i]; gives the index of the last word it used, or -1 after telling what is
// wrong.
static int option_take(const cli_command* command, int argc, char** argv, int i, cli_args* out) {
    const char* word   = argv[i];
    const char* equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    size_t      length = equals ? (size_t)(equals - word) : strlen(word);
    int         option = option_find(command->options, word, length);

    // -oDIR
    const char* joined = equals ? equals + 1 : NULL;
    if (option < 0 && word[1] != '-' && length > 2) {
        option = option_find(command->options, word, 2);
        joined = word + 2;
    }
    if (option < 0) {
        unknown_option(command, word, length);
        return -1;
    }
    if (!options[option].value) {
        if (joined) {
            cli_usage(command->name, "%s takes no value", options[option].word);
            return -1;
        }
        out->options[option] = "";
        return i;
    }
    if (!joined) {
        if (i + 1 >= argc || strncmp(argv[i + 1], "--", 2) == 0) {
            cli_usage(command->name, "%s needs a value: %s %s", options[option].word, options[option].word,
                      options[option].value);
            return -1;
        }
        joined = argv[++i];
    }
    if (option == CLI_OPTION_SET && (!strchr(joined, '=') || *joined == '=')) {
        cli_usage(command->name, "--set %.60s: give it as path.to.key=value", joined);
        return -1;
    }
    out->options[option] = joined;
    if (option == CLI_OPTION_SET) out->sets[out->set_count++] = joined;
    if (option == CLI_OPTION_POINTS) out->points[out->point_count++] = joined;
    if (option == CLI_OPTION_VARIANT) out->variants[out->variant_count++] = joined;
    return i;
}

static bool pair_is_free(const cli_command* command, const cli_args* args, cli_option a, cli_option b) {
    if (!args->options[a] || !args->options[b]) return true;
    cli_usage(command->name, "%s and %s exclude each other", options[a].word, options[b].word);
    return false;
}

static bool words_fit(const cli_command* command, const cli_args* args) {
    if (args->word_count > command->words_max) {
        cli_usage(command->name, "one word too many: %s", args->words[command->words_max]);
        return false;
    }
    if (args->word_count < command->words_min) {
        cli_usage(command->name, "%s is missing", command->arguments);
        return false;
    }
    return true;
}

// The fault of a wrong name is in the call, not in the scene file.
static bool solver_is_known(const cli_command* command, const cli_args* args) {
    const char* name = args->options[CLI_OPTION_SOLVER];
    const char* known[SOLVERS_MOST + 1];
    char        list[256] = "";
    int         count     = 0;
    if (!name) return true;
    for (const shoal_solver_info* s = shoal_solvers(); s->name && count < SOLVERS_MOST; s++) {
        if (strcmp(s->name, name) == 0) return true;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "", s->name);
        known[count++] = s->name;
    }
    known[count]     = NULL;
    const char* near = shoal_nearest_word(name, known);
    cli_usage(command->name, "--solver %.40s: there is no such solver; there is %s%s%s%s", name, list,
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return false;
}

bool cli_args_parse(const cli_command* command, int argc, char** argv, int first, cli_args* out) {
    *out          = (cli_args){.argv = argv, .argc = argc};
    out->sets     = calloc((size_t)argc + 1, sizeof *out->sets);
    out->points   = calloc((size_t)argc + 1, sizeof *out->points);
    out->variants = calloc((size_t)argc + 1, sizeof *out->variants);
    out->words    = calloc((size_t)argc + 1, sizeof *out->words);
    if (!out->sets || !out->points || !out->variants || !out->words) {
        fprintf(stderr, "shoal: out of memory\n");
        return false;
    }
    find_json(command, argc, argv);
    bool is_plain = false;
    for (int i = first; i < argc; i++) {
        if (!is_plain && strcmp(argv[i], "--") == 0) {
            is_plain = true;
        } else if (!is_plain && argv[i][0] == '-' && argv[i][1]) {
            i = option_take(command, argc, argv, i, out);
            if (i < 0) return false;
        } else {
            out->words[out->word_count++] = argv[i];
        }
    }
    if (out->options[CLI_OPTION_HELP]) return true;
    return words_fit(command, out) && solver_is_known(command, out) &&
           pair_is_free(command, out, CLI_OPTION_RESUME, CLI_OPTION_FORCE) &&
           pair_is_free(command, out, CLI_OPTION_QUIET, CLI_OPTION_JSON) &&
           pair_is_free(command, out, CLI_OPTION_MARKDOWN, CLI_OPTION_SCHEMA) &&
           pair_is_free(command, out, CLI_OPTION_LISTS, CLI_OPTION_COLUMNS);
}

void cli_args_free(cli_args* args) {
    free(args->words);
    free(args->sets);
    free(args->points);
    free(args->variants);
}
