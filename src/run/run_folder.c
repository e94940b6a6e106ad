// SPDX-License-Identifier: MIT
// The folder of a run: its owner, its writer now, what may be removed. Files are recognised
// by the names that Shoal gives; all others are left alone.
#include "run/run_local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Where numbered files lie, and how they end.
typedef struct numbered_kind {
    const char* folder;
    const char* suffix;    // NULL: names of frames
    bool        is_of_run; // else made from a run, by surface or render
} numbered_kind;
static const numbered_kind kinds[] = {
    {"frames", NULL, true},      {"checkpoints", ".shoal", true}, {"surface", ".vtp", false},
    {"surface", ".ply", false},  {"surface", ".obj", false},      {"surface", ".stl", false},
    {"pictures", ".png", false}, {"pictures", ".exr", false},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds, CHECKPOINTS_MOST = 2 };

// run.json is the mark of a run: written before the others and removed after them.
static const char* const single_files[] = {"stats.csv", "probes.csv", "run.json"};
enum { SINGLE_COUNT = sizeof single_files / sizeof *single_files, MARK = SINGLE_COUNT - 1 };

static bool is_of_kind(const numbered_kind* kind, const char* name, size_t* length, int* number) {
    if (kind->suffix) return shoal_name_is_numbered(name, kind->suffix, length, number);
    return shoal_name_is_frame(name, length, number, NULL);
}

// Being written when a run was ended: the name with .tmp behind it.
static bool is_half_written(const numbered_kind* kind, const char* name, size_t* length, int* number) {
    char   whole[SHOAL_PATH_SIZE];
    size_t all = strlen(name);
    if (!shoal_path_has_suffix(name, ".tmp") || all >= sizeof whole) return false;
    snprintf(whole, sizeof whole, "%.*s", (int)(all - 4), name);
    return is_of_kind(kind, whole, length, number);
}

void run_stem(const char* scene_path, char out[RUN_STEM_SIZE]) {
    const char* name = shoal_path_name(scene_path);
    const char* dot  = strrchr(name, '.');
    size_t      size = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    snprintf(out, RUN_STEM_SIZE, "%.*s", (int)(size < RUN_STEM_SIZE ? size : RUN_STEM_SIZE - 1), name);
    if (out[0] == 0) snprintf(out, RUN_STEM_SIZE, "scene");
}

static bool stem_is(const char* name, size_t stem_length, const char* stem) {
    return strlen(stem) == stem_length && memcmp(name, stem, stem_length) == 0;
}

shoal_status run_folder_survey(const char* folder, const char* stem, run_survey* out) {
    char path[SHOAL_PATH_SIZE];
    *out = (run_survey){0};
    SHOAL_TRY(shoal_path_make(path, "%s/%s", folder, single_files[MARK]));
    out->holds_run = shoal_path_exists(path);
    for (int k = 0; k < KIND_COUNT; k++) {
        shoal_names names;
        if (!kinds[k].is_of_run) continue;
        SHOAL_TRY(shoal_path_make(path, "%s/%s", folder, kinds[k].folder));
        SHOAL_TRY(shoal_folder_names(path, &names));
        for (int i = 0; i < names.count; i++) {
            size_t length;
            int    number;
            if (!is_of_kind(&kinds[k], names.names[i], &length, &number)) continue;
            out->holds_run = true;
            if (!stem_is(names.names[i], length, stem) && length < RUN_STEM_SIZE)
                snprintf(out->other_stem, sizeof out->other_stem, "%.*s", (int)length, names.names[i]);
        }
        shoal_names_free(&names);
    }
    for (int i = 0; i < MARK && !out->holds_run && !out->stranger; i++) {
        SHOAL_TRY(shoal_path_make(path, "%s/%s", folder, single_files[i]));
        if (shoal_path_exists(path)) out->stranger = single_files[i];
    }
    return SHOAL_OK;
}

// A lock on a file that another run has removed meanwhile locks nothing: try again.
static bool lock_is_current(int file, const char* path) {
    struct stat ours, theirs;
    return fstat(file, &ours) == 0 && stat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
           ours.st_dev == theirs.st_dev;
}

static shoal_status take_lock(const char* folder, int* out) {
    char path[SHOAL_PATH_SIZE];
    *out = -1;
    SHOAL_TRY(shoal_path_make(path, "%s/.lock", folder));
    for (;;) {
        int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (file < 0) return shoal_fail(SHOAL_ERR_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
        if (flock(file, LOCK_EX | LOCK_NB) != 0) {
            int why = errno;
            close(file);
            if (why == EINTR) continue;
            if (why != EWOULDBLOCK)
                return shoal_fail(SHOAL_ERR_OUTPUT, "%s: cannot be locked: %s", path, strerror(why));
            return shoal_fail(SHOAL_ERR_INPUT,
                              "%s: another run is writing there now; wait for it, or choose "
                              "another folder with -o",
                              folder);
        }
        if (lock_is_current(file, path)) {
            *out = file;
            return SHOAL_OK;
        }
        close(file);
    }
}

shoal_status run_folder_open(run* r) {
    char path[SHOAL_PATH_SIZE];
    SHOAL_TRY(shoal_folder_make(r->folder));
    SHOAL_TRY(take_lock(r->folder, &r->lock));
    SHOAL_TRY(shoal_path_make(path, "%s/frames", r->folder));
    SHOAL_TRY(shoal_folder_make(path));
    SHOAL_TRY(shoal_path_make(path, "%s/checkpoints", r->folder));
    return shoal_folder_make(path);
}

void run_folder_close(run* r) {
    if (r->lock < 0) return;
    char path[SHOAL_PATH_SIZE];
    if (shoal_path_make(path, "%s/.lock", r->folder) == SHOAL_OK) unlink(path);
    close(r->lock);
    r->lock = -1;
}

bool run_folder_is_busy(const char* folder) {
    char path[SHOAL_PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/.lock", folder) >= SHOAL_PATH_SIZE) return false;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return false;
    bool is_busy = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(file);
    return is_busy;
}

bool run_folder_was_left(const char* folder) {
    char path[SHOAL_PATH_SIZE];
    return shoal_path_make(path, "%s/.lock", folder) == SHOAL_OK && shoal_path_exists(path);
}

static bool ends_with(const char* name, const char* end) {
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

// Removes numbered files above `above` of one kind, half-written ones always. `stem` NULL: of any
// scene, and the .pvd of each.
static shoal_status remove_numbered(const char* folder, const numbered_kind* kind, const char* stem, int above) {
    char        path[SHOAL_PATH_SIZE];
    shoal_names names;
    SHOAL_TRY(shoal_path_make(path, "%s/%s", folder, kind->folder));
    SHOAL_TRY(shoal_folder_names(path, &names));
    shoal_status status = SHOAL_OK;
    for (int i = 0; i < names.count && status == SHOAL_OK; i++) {
        const char* name = names.names[i];
        size_t      length;
        int         number;
        bool        is_whole = is_of_kind(kind, name, &length, &number);
        if (!is_whole && !is_half_written(kind, name, &length, &number)) continue;
        if ((is_whole && number <= above) || (stem && !stem_is(name, length, stem))) continue;
        status = shoal_path_make(path, "%s/%s/%s", folder, kind->folder, name);
        if (status == SHOAL_OK) status = shoal_file_remove(path);
        if (status == SHOAL_OK && !stem) status = shoal_path_make(path, "%s/%.*s.pvd", folder, (int)length, name);
        if (status == SHOAL_OK && !stem) status = shoal_file_remove(path);
        if (status == SHOAL_OK && !stem)
            status = shoal_path_make(path, "%s/%s/%.*s.pvd", folder, kind->folder, (int)length, name);
        if (status == SHOAL_OK && !stem) status = shoal_file_remove(path);
    }
    shoal_names_free(&names);
    return status;
}

// STEM_diverged.shoal has no number.
static shoal_status remove_diverged(const char* folder, const char* stem) {
    char        path[SHOAL_PATH_SIZE];
    shoal_names names;
    SHOAL_TRY(shoal_path_make(path, "%s/checkpoints", folder));
    SHOAL_TRY(shoal_folder_names(path, &names));
    shoal_status status = SHOAL_OK;
    for (int i = 0; i < names.count && status == SHOAL_OK; i++) {
        const char* name = names.names[i];
        if (!ends_with(name, "_diverged.shoal") && !ends_with(name, "_diverged.shoal.tmp")) continue;
        size_t length = (size_t)(strstr(name, "_diverged.shoal") - name);
        if (stem && !stem_is(name, length, stem)) continue;
        status = shoal_path_make(path, "%s/checkpoints/%s", folder, name);
        if (status == SHOAL_OK) status = shoal_file_remove(path);
    }
    shoal_names_free(&names);
    return status;
}

static shoal_status remove_single(const char* folder, const char* name, bool whole) {
    char path[SHOAL_PATH_SIZE];
    SHOAL_TRY(shoal_path_make(path, "%s/%s.tmp", folder, name));
    SHOAL_TRY(shoal_file_remove(path));
    path[strlen(path) - 4] = 0;
    return whole ? shoal_file_remove(path) : SHOAL_OK;
}

shoal_status run_folder_clear(const char* folder, const char* stem) {
    char pvd[RUN_STEM_SIZE + 8], path[SHOAL_PATH_SIZE];
    for (int k = 0; k < KIND_COUNT; k++) { // all, before anything is removed
        SHOAL_TRY(shoal_path_make(path, "%s/%s", folder, kinds[k].folder));
        SHOAL_TRY(shoal_folder_is_ours(path));
    }
    for (int k = 0; k < KIND_COUNT; k++) SHOAL_TRY(remove_numbered(folder, &kinds[k], NULL, -1));
    SHOAL_TRY(remove_diverged(folder, NULL));
    for (int i = 0; i < SINGLE_COUNT; i++) SHOAL_TRY(remove_single(folder, single_files[i], true));
    SHOAL_TRY(remove_single(folder, "surface.csv", true));
    SHOAL_TRY(remove_single(folder, "surface/settings.json", true));
    snprintf(pvd, sizeof pvd, "%s.pvd", stem);
    return remove_single(folder, pvd, true);
}

shoal_status run_folder_cut(const run* r, int frame) {
    char pvd[RUN_STEM_SIZE + 8];
    for (int k = 0; k < KIND_COUNT; k++)
        if (kinds[k].is_of_run) SHOAL_TRY(remove_numbered(r->folder, &kinds[k], r->stem, frame));
    SHOAL_TRY(remove_diverged(r->folder, r->stem));
    for (int i = 0; i < SINGLE_COUNT; i++) SHOAL_TRY(remove_single(r->folder, single_files[i], false));
    snprintf(pvd, sizeof pvd, "%s.pvd", r->stem);
    SHOAL_TRY(remove_single(r->folder, pvd, false));
    if (frame < 0) return SHOAL_OK;
    // killed between a checkpoint and the removal of older ones
    char newest[SHOAL_PATH_SIZE];
    SHOAL_TRY(shoal_path_make(newest, "%s/checkpoints/%s_%06d.shoal", r->folder, r->stem, frame));
    return run_checkpoints_trim(newest);
}

shoal_status run_checkpoints_trim(const char* path) {
    char        folder[SHOAL_PATH_SIZE], old[SHOAL_PATH_SIZE];
    const char* own = shoal_path_name(path);
    size_t      stem_length, length;
    int         number;
    shoal_names names;
    if (!shoal_name_is_numbered(own, ".shoal", &stem_length, &number)) return SHOAL_OK;
    SHOAL_TRY(shoal_path_make(folder, "%.*s", (int)(own - path - 1), path));
    SHOAL_TRY(shoal_folder_names(folder, &names));

    // names are sorted, and so are their numbers while they have six digits
    shoal_status status = SHOAL_OK;
    int          newer  = 0;
    for (int i = names.count - 1; i >= 0 && status == SHOAL_OK; i--) {
        if (!shoal_name_is_numbered(names.names[i], ".shoal", &length, &number)) continue;
        if (length != stem_length || memcmp(names.names[i], own, length) != 0 || newer++ < CHECKPOINTS_MOST) continue;
        status = shoal_path_make(old, "%s/%s", folder, names.names[i]);
        if (status == SHOAL_OK) status = shoal_file_remove(old);
    }
    shoal_names_free(&names);
    return status;
}
