// SPDX-License-Identifier: MIT
// Files and folders. What Shoal writes appears whole or not at all: it is written aside (PATH.tmp),
// forced to disk, and renamed over the old file, which stays valid until then.
#ifndef SHOAL_FILE_H
#define SHOAL_FILE_H

#include "base/memory.h"

enum { SHOAL_PATH_SIZE = 4096 };

// A path from pieces; SHOAL_ERR_INPUT when it is too long for the system.
shoal_status shoal_path_make(char out[SHOAL_PATH_SIZE], const char* format, ...) __attribute__((format(printf, 2, 3)));
bool         shoal_path_exists(const char* path);
bool         shoal_path_is_folder(const char* path);
const char*  shoal_path_name(const char* path);                           // after the last slash
bool         shoal_path_has_suffix(const char* path, const char* suffix); // ".vtp", letter case ignored

// The whole of a regular file, with a zero byte after its end (not counted); free with shoal_free.
// SHOAL_ERR_FILE when it cannot be read.
shoal_status shoal_file_read(const char* path, char** bytes, size_t* size);

// Whether a regular file ends with these bytes, at most SHOAL_TAIL_MOST; a pipe or a device does not.
enum { SHOAL_TAIL_MOST = 64 };
bool shoal_file_ends_with(const char* path, const void* bytes, size_t size);

// A file being written aside. Failures are kept and told by shoal_out_end (SHOAL_ERR_OUTPUT), so
// pieces can be added without asking each time. After shoal_out_begin, call shoal_out_end whatever
// happened.
typedef struct shoal_out {
    char   path[SHOAL_PATH_SIZE], aside[SHOAL_PATH_SIZE];
    int    file;  // -1: not open
    int    error; // errno of the first failure; 0: none
    size_t held;
    char   buffer[1 << 16];
} shoal_out;
void         shoal_out_begin(shoal_out* out, const char* path);
void         shoal_out_add(shoal_out* out, const void* bytes, size_t size);
void         shoal_out_print(shoal_out* out, const char* format, ...) __attribute__((format(printf, 2, 3)));
shoal_status shoal_out_end(shoal_out* out);

// The same for bytes at hand.
shoal_status shoal_file_write(const char* path, const void* bytes, size_t size);

// Forces what was written to a file onto the disk. SHOAL_ERR_OUTPUT.
shoal_status shoal_file_sync(const char* path);

// Makes a folder and those above it; fine when it is there. SHOAL_ERR_OUTPUT.
shoal_status shoal_folder_make(const char* path);
// Removes a file; fine when there is none. SHOAL_ERR_OUTPUT.
shoal_status shoal_file_remove(const char* path);

// What lies behind a link is of others: before files of a folder are removed. Fine when there is none. SHOAL_ERR_INPUT.
shoal_status shoal_folder_is_ours(const char* path);

// The names in a folder, sorted by bytes, without "." and ".."; none when there is no such folder.
typedef struct shoal_names {
    int    count, capacity;
    char** names;
} shoal_names;
shoal_status shoal_folder_names(const char* path, shoal_names* out);
shoal_status shoal_names_add(shoal_names* names, const char* name); // a copy, at the end
void         shoal_names_free(shoal_names* names);

// Whether `name` is STEM_000123SUFFIX; gives the length of STEM and the number.
bool shoal_name_is_numbered(const char* name, const char* suffix, size_t* stem_length, int* number);
// Whether `name` is a file of a frame: STEM_000123.vtp, or STEM_000123.PART.vtp of one of several parts; .vtu likewise.
// *ending (may be NULL) is what follows the number.
bool shoal_name_is_frame(const char* name, size_t* stem_length, int* number, const char** ending);

#endif
