// SPDX-License-Identifier: MIT
// Shoal's ground floor: status codes, error text, memory and log hooks, version.
#ifndef SHOAL_BASE_H
#define SHOAL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(SHOAL_STATIC)
#define SHOAL_API
#else
#define SHOAL_API __attribute__((visibility("default")))
#endif

#define SHOAL_VERSION_MAJOR 0
#define SHOAL_VERSION_MINOR 2
#define SHOAL_VERSION_PATCH 0
#define SHOAL_VERSION "0.2.0"

// clang-format off
// code, text
#define SHOAL_STATUS_LIST(X)                                              \
    X(OK,              "ok")                                              \
    X(ERR_MEMORY,      "out of memory")                                   \
    X(ERR_FILE,        "a file could not be read")                        \
    X(ERR_OUTPUT,      "output could not be written")                     \
    X(ERR_INPUT,       "a file or value given by the user is wrong")      \
    X(ERR_PARAM,       "parameter unknown or out of range")               \
    X(ERR_DIVERGE,     "the simulation diverged")                         \
    X(ERR_INTERRUPTED, "interrupted")                                     \
    X(ERR_INTERNAL,    "internal fault")
// clang-format on

#define X(code, text) SHOAL_##code,
typedef enum shoal_status { SHOAL_STATUS_LIST(X) SHOAL_STATUS_COUNT } shoal_status;
#undef X

// The text of a status code ("out of memory").
SHOAL_API const char* shoal_status_text(shoal_status status);

// What went wrong in the last failed call of this thread, as a full sentence; "" when nothing did.
// Valid until the next failing call of this thread.
SHOAL_API const char* shoal_last_error(void);

// "0.2.0".
SHOAL_API const char* shoal_version(void);

// The instruction set the hot loops run on here: "avx512", "avx2", "sse2" or "generic".
SHOAL_API const char* shoal_isa(void);
// What a device of that name is, "device cuda:0 (NVIDIA H200), 149.1 of 150.1 GB free", or why it is not available.
// Returns whether it is.
SHOAL_API bool shoal_device_tell(const char* name, char* out, size_t size);

// The word of the list (ended by NULL) nearest to `typed`, or NULL when none is near enough to be meant
// (edit distance with transpositions at most a third of its length, at least 1).
SHOAL_API const char* shoal_nearest_word(const char* typed, const char* const* words);

// All heap memory of the library goes through these two functions. alloc returns memory aligned to
// 64 bytes or NULL. Replace them before the first other call, or never.
typedef struct shoal_allocator {
    void* (*alloc)(size_t bytes, void* user);
    void (*free)(void* memory, size_t bytes, void* user);
    void* user;
} shoal_allocator;
SHOAL_API void shoal_set_allocator(const shoal_allocator* allocator); // NULL: back to the default

// Bytes held now, and number of allocations made so far (a steady step makes none).
SHOAL_API size_t  shoal_memory_in_use(void);
SHOAL_API int64_t shoal_memory_calls(void);

// Frees bytes or text that the library handed over as the caller's own.
SHOAL_API void shoal_bytes_free(void* bytes, size_t size);

// Messages for people (warnings, notes). The default writes warnings to stderr.
typedef enum shoal_log_level { SHOAL_LOG_INFO, SHOAL_LOG_WARNING } shoal_log_level;
typedef void (*shoal_log_fn)(shoal_log_level level, const char* text, void* user);
SHOAL_API void shoal_set_log(shoal_log_fn log, void* user); // NULL: back to the default

#ifdef __cplusplus
}
#endif
#endif
