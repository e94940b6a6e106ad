// SPDX-License-Identifier: MIT
// Status texts, the last error of each thread, and the log hook.
#include "base/status.h"

#include "base/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char last_error[1024];

static void log_to_stderr(shoal_log_level level, const char* text, void* user) {
    (void)user;
    if (level == SHOAL_LOG_WARNING) fprintf(stderr, "warning: %s\n", text);
}

static shoal_log_fn log_fn = log_to_stderr;
static void*        log_user;

static _Thread_local bool is_mute_here;

const char* shoal_status_text(shoal_status status) {
#define X(code, text) text,
    static const char* const texts[] = {SHOAL_STATUS_LIST(X)};
#undef X
    return (unsigned)status < SHOAL_STATUS_COUNT ? texts[status] : "unknown status";
}

const char* shoal_last_error(void) { return last_error; }

const char* shoal_version(void) { return SHOAL_VERSION; }

shoal_status shoal_fail(shoal_status status, const char* format, ...) {
    char    text[sizeof last_error]; // the arguments may point into last_error itself
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    shoal_make_plain(text, false);
    memcpy(last_error, text, sizeof text);
    return status;
}

void shoal_add_line(char* buffer, size_t size, const char* format, ...) {
    size_t  used = strlen(buffer);
    va_list args;
    if (used > 0 && used + 1 < size) buffer[used++] = '\n', buffer[used] = '\0';
    va_start(args, format);
    vsnprintf(buffer + used, size - used, format, args);
    va_end(args);
}

void shoal_assert_failed(const char* truth, const char* file, int line) {
    fprintf(stderr, "%s:%d: this should hold: %s\n", file, line, truth);
    abort();
}

void shoal_set_log(shoal_log_fn log, void* user) {
    log_fn   = log ? log : log_to_stderr;
    log_user = log ? user : NULL;
}

bool shoal_log_mute(bool is_mute) {
    bool before  = is_mute_here;
    is_mute_here = is_mute;
    return before;
}

void shoal_log(shoal_log_level level, const char* format, ...) {
    char    text[1024];
    va_list args;
    if (is_mute_here) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    shoal_make_plain(text, false);
    log_fn(level, text, log_user);
}
