// SPDX-License-Identifier: MIT
// Ctrl-C: the first asks for a stop at a good place, the second ends at once. And the words to go on.
#include "cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t asked_to_stop;

static void on_signal(int number) {
    (void)number;
    if (asked_to_stop) _exit(CLI_INTERRUPTED);
    asked_to_stop = 1;
}

void cli_catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    // the terminal was closed; but nohup asks to go on without it
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
}

bool cli_should_stop(void* user) {
    (void)user;
    return asked_to_stop != 0;
}

// A word as a shell takes it.
static void quoted(FILE* to, const char* word) {
    const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, to);
        return;
    }
    fputc('\'', to);
    for (; *word; word++) {
        if (*word == '\'') {
            fputs("'\\''", to);
        } else {
            fputc(*word, to);
        }
    }
    fputc('\'', to);
}

char* cli_way_on(const cli_args* args, const char* option) {
    char*  text = NULL;
    size_t size = 0;
    FILE*  to   = open_memstream(&text, &size);
    if (!to) return NULL;
    for (int i = 0; i < args->argc; i++) {
        const char* word = args->argv[i];
        if (strcmp(word, "--resume") == 0 || strcmp(word, "--force") == 0) continue;
        if (i > 0) fputc(' ', to);
        quoted(to, word);
    }
    if (*option) fprintf(to, " %s", option);
    fclose(to);
    return text;
}
