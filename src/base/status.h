// SPDX-License-Identifier: MIT
// Failing with a sentence. The text is kept per thread; SHOAL_TRY passes a failure up.
#ifndef SHOAL_STATUS_H
#define SHOAL_STATUS_H

#include "shoal/base.h"

// Keeps the text as this thread's last error and returns `status`:
//     return shoal_fail(SHOAL_ERR_FILE, "%s: %s", path, strerror(errno));
shoal_status shoal_fail(shoal_status status, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Appends a line to the text in `buffer`, after a line break unless it is empty; truncates.
void shoal_add_line(char* buffer, size_t size, const char* format, ...) __attribute__((format(printf, 3, 4)));

#define SHOAL_TRY(call)                                                                                                \
    do {                                                                                                               \
        shoal_status try_status_ = (call);                                                                             \
        if (try_status_ != SHOAL_OK) return try_status_;                                                               \
    } while (0)

// Our own mistakes, never a user's: prints where and aborts, in every build.
#define SHOAL_ASSERT(truth) ((truth) ? (void)0 : shoal_assert_failed(#truth, __FILE__, __LINE__))
void shoal_assert_failed(const char* truth, const char* file, int line) __attribute__((noreturn));

// Mutes the log of this thread, or not; returns the previous setting. For models of a scene, whose warnings are not the
// scene's.
bool shoal_log_mute(bool is_mute);
void shoal_log(shoal_log_level level, const char* format, ...) __attribute__((format(printf, 2, 3)));

#endif
