// SPDX-License-Identifier: MIT
// Whole files in, whole files out. fsync comes before the rename and again on the folder after it,
// so that a power cut leaves either the old file or the new one.
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

shoal_status shoal_path_make(char out[SHOAL_PATH_SIZE], const char* format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(out, SHOAL_PATH_SIZE, format, args);
    va_end(args);
    if (length < 0 || length >= SHOAL_PATH_SIZE)
        return shoal_fail(SHOAL_ERR_INPUT, "%.60s...: the path is longer than %d bytes", out, SHOAL_PATH_SIZE - 1);
    return SHOAL_OK;
}

bool shoal_path_exists(const char* path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

bool shoal_path_is_folder(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

const char* shoal_path_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool shoal_path_has_suffix(const char* path, const char* suffix) {
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcasecmp(path + length - tail, suffix) == 0;
}

// Fills `bytes` from the file; a file that shrinks meanwhile is an error, one that grows is cut.
static shoal_status read_all(int file, const char* path, char* bytes, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(file, bytes + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return shoal_fail(SHOAL_ERR_FILE, "%s: %s", path, strerror(errno));
        if (got == 0) return shoal_fail(SHOAL_ERR_FILE, "%s: the file became shorter while it was read", path);
        done += (size_t)got;
    }
    return SHOAL_OK;
}

shoal_status shoal_file_read(const char* path, char** bytes, size_t* size) {
    *bytes = NULL;
    *size  = 0;

    // O_NONBLOCK: a named pipe without a writer must not hang us before we see what it is
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return shoal_fail(SHOAL_ERR_FILE, "%s: %s", path, strerror(errno));
    struct stat  info;
    shoal_status status = SHOAL_OK;
    if (fstat(file, &info) != 0) {
        status = shoal_fail(SHOAL_ERR_FILE, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode)) {
        status = shoal_fail(SHOAL_ERR_FILE, "%s: %s, a file was expected", path,
                            S_ISDIR(info.st_mode) ? "is a folder" : "is not a regular file");
    } else {
        *size  = (size_t)info.st_size;
        *bytes = shoal_alloc(*size + 1, 1);
        status = *bytes ? read_all(file, path, *bytes, *size) : SHOAL_ERR_MEMORY;
    }
    close(file);
    if (status != SHOAL_OK) {
        shoal_free(*bytes);
        *bytes = NULL;
        *size  = 0;
    }
    return status;
}

bool shoal_file_ends_with(const char* path, const void* bytes, size_t size) {
    char        last[SHOAL_TAIL_MOST];
    struct stat info;
    SHOAL_ASSERT(size <= sizeof last);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // as above
    if (file < 0) return false;
    bool does = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= (off_t)size &&
                pread(file, last, size, info.st_size - (off_t)size) == (ssize_t)size && memcmp(last, bytes, size) == 0;
    close(file);
    return does;
}

static void out_flush(shoal_out* out, const char* bytes, size_t size) {
    while (size > 0 && out->error == 0) {
        ssize_t put = write(out->file, bytes, size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) {
            out->error = errno;
            return;
        }
        bytes += put;
        size -= (size_t)put;
    }
}

// The file beside its place, empty and ours alone: another process that writes the same one has it locked. Between
// opening and locking the other one may have finished and renamed it; what was opened is then its work. File systems
// that know no locks do without.
static int open_aside(const char* aside, int* error) {
    for (int tries = 0; tries < 100; tries++) {
        struct stat own, there;
        int         file = open(aside, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        *error           = file < 0 ? errno : 0;
        if (file < 0) return -1;
        if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            close(file);
            *error = EBUSY;
            return -1;
        }
        if (fstat(file, &own) == 0 && lstat(aside, &there) == 0 && own.st_ino == there.st_ino &&
            own.st_dev == there.st_dev) {
            if (ftruncate(file, 0) == 0 || errno == EINVAL) return file; // EINVAL: no regular file, nothing to empty
            *error = errno;
            close(file);
            return -1;
        }
        close(file);
    }
    *error = EBUSY;
    return -1;
}

void shoal_out_begin(shoal_out* out, const char* path) {
    out->file  = -1;
    out->error = 0;
    out->held  = 0;
    int length = snprintf(out->path, sizeof out->path, "%s", path);
    int aside  = snprintf(out->aside, sizeof out->aside, "%s.tmp", path);
    if (length < 0 || aside < 0 || aside >= SHOAL_PATH_SIZE) {
        out->error = ENAMETOOLONG;
        return;
    }
    out->file = open_aside(out->aside, &out->error);
}

void shoal_out_add(shoal_out* out, const void* bytes, size_t size) {
    if (out->error != 0 || size == 0) return;
    if (out->held + size > sizeof out->buffer) {
        out_flush(out, out->buffer, out->held);
        out->held = 0;
    }
    if (size > sizeof out->buffer) {
        out_flush(out, bytes, size);
    } else if (out->error == 0) {
        memcpy(out->buffer + out->held, bytes, size);
        out->held += size;
    }
}

void shoal_out_print(shoal_out* out, const char* format, ...) {
    char    text[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    SHOAL_ASSERT(length >= 0 && length < (int)sizeof text);
    shoal_out_add(out, text, (size_t)length);
}

// Makes a rename last through a power cut. Some network file systems cannot sync a folder: not an
// error.
static void sync_folder_of(const char* path) {
    char        folder[SHOAL_PATH_SIZE];
    const char* name = shoal_path_name(path);
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    int file = open(name == path ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    fsync(file);
    close(file);
}

shoal_status shoal_out_end(shoal_out* out) {
    if (out->error == 0) out_flush(out, out->buffer, out->held);
    if (out->error == 0 && fsync(out->file) != 0) out->error = errno;
    if (out->error == 0 && rename(out->aside, out->path) != 0) out->error = errno;
    if (out->error != 0 && out->file >= 0) unlink(out->aside);
    if (out->file >= 0) close(out->file); // and with it the lock; what fsync has not told it does not tell either
    if (out->error == 0) {
        sync_folder_of(out->path);
        return SHOAL_OK;
    }
    return shoal_fail(SHOAL_ERR_OUTPUT, "%s: cannot be written: %s", out->path,
                      out->error == EBUSY ? "another process is writing it" : strerror(out->error));
}

shoal_status shoal_file_write(const char* path, const void* bytes, size_t size) {
    shoal_out* out = shoal_alloc(1, sizeof *out);
    if (!out) return SHOAL_ERR_MEMORY;
    shoal_out_begin(out, path);
    shoal_out_add(out, bytes, size);
    shoal_status status = shoal_out_end(out);
    shoal_free(out);
    return status;
}

shoal_status shoal_file_sync(const char* path) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int why  = file < 0 || fdatasync(file) != 0 ? errno : 0;
    if (file >= 0) close(file);
    return why == 0 ? SHOAL_OK : shoal_fail(SHOAL_ERR_OUTPUT, "%s: cannot be written: %s", path, strerror(why));
}

shoal_status shoal_folder_make(const char* path) {
    char piece[SHOAL_PATH_SIZE];
    SHOAL_TRY(shoal_path_make(piece, "%s", path));
    for (char* end = piece + 1; piece[0] != 0; end++) {
        if (*end != '/' && *end != 0) continue;
        char letter = *end;
        *end        = 0;
        if (mkdir(piece, 0777) != 0 && (errno != EEXIST || !shoal_path_is_folder(piece)))
            return shoal_fail(SHOAL_ERR_OUTPUT, "%s: the folder cannot be made: %s", piece, strerror(errno));
        *end = letter;
        if (letter == 0) break;
    }
    return SHOAL_OK;
}

shoal_status shoal_file_remove(const char* path) {
    if (unlink(path) == 0 || errno == ENOENT) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_OUTPUT, "%s: cannot be removed: %s", path, strerror(errno));
}

shoal_status shoal_folder_is_ours(const char* path) {
    struct stat info;
    if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode)) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_INPUT, "%s: is a link, and nothing is removed behind it; remove the link first", path);
}

static int compare_names(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

shoal_status shoal_names_add(shoal_names* names, const char* name) {
    if (names->count == names->capacity) {
        int capacity = names->capacity * 2 + 64;
        SHOAL_TRY(shoal_realloc((void**)&names->names, (size_t)names->count, (size_t)capacity, sizeof(char*)));
        names->capacity = capacity;
    }
    char* copy = shoal_strdup(name);
    if (!copy) return SHOAL_ERR_MEMORY;
    names->names[names->count++] = copy;
    return SHOAL_OK;
}

shoal_status shoal_folder_names(const char* path, shoal_names* out) {
    *out        = (shoal_names){0};
    DIR* folder = opendir(path);
    if (!folder) {
        if (errno == ENOENT || errno == ENOTDIR) return SHOAL_OK;
        return shoal_fail(SHOAL_ERR_FILE, "%s: %s", path, strerror(errno));
    }
    shoal_status status = SHOAL_OK;
    for (struct dirent* e = readdir(folder); e && status == SHOAL_OK; e = readdir(folder))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) status = shoal_names_add(out, e->d_name);
    closedir(folder);
    if (status != SHOAL_OK) shoal_names_free(out);
    if (out->count > 0) qsort(out->names, (size_t)out->count, sizeof(char*), compare_names);
    return status;
}

void shoal_names_free(shoal_names* names) {
    for (int i = 0; i < names->count; i++) shoal_free(names->names[i]);
    shoal_free(names->names);
    *names = (shoal_names){0};
}

bool shoal_name_is_numbered(const char* name, const char* suffix, size_t* stem_length, int* number) {
    size_t length = strlen(name), tail = strlen(suffix);
    if (length <= tail || strcmp(name + length - tail, suffix) != 0) return false;
    size_t end = length - tail, begin = end;
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') begin--;
    // six digits, as all names of frames have
    if (end - begin != 6 || begin < 2 || name[begin - 1] != '_') return false;
    *stem_length = begin - 1;
    *number      = (int)strtol(name + begin, NULL, 10);
    return true;
}

static bool is_part_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool shoal_name_is_frame(const char* name, size_t* stem_length, int* number, const char** ending) {
    const char* suffix = strrchr(name, '.');
    if (!suffix || (strcmp(suffix, ".vtp") != 0 && strcmp(suffix, ".vtu") != 0)) return false;
    if (ending) *ending = suffix;
    // no set is called so, but the name of a scene may have dots
    if (shoal_name_is_numbered(name, suffix, stem_length, number)) return true;
    const char* part = suffix;
    while (part > name && is_part_letter(part[-1])) part--;
    bool has_part = part < suffix && part > name && part[-1] == '.';
    if (has_part) suffix = part - 1;
    if (ending) *ending = suffix;
    return shoal_name_is_numbered(name, suffix, stem_length, number);
}
