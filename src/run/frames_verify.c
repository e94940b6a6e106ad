// SPDX-License-Identifier: MIT
// Whether the frames that a .pvd lists are what their run wrote: there, whole, of their time, with numbers that are
// numbers, ids that rise, and as many particles as their row of stats.csv tells.
#include "plot/table.h"
#include "run/run_local.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_finite(const shoal_frame_table* table) {
    for (int f = 0; f < table->field_count; f++) {
        const shoal_frame_array* field = &table->fields[f];
        int                      width = shoal_frame_components(field);
        for (int i = 0; i < table->count; i++)
            for (int c = 0; c < width; c++)
                if (!isfinite(shoal_frame_value(field, i, c))) return false;
    }
    return true;
}

// Files have particles in the order of their ids.
static bool ids_rise(const shoal_frame* frame) {
    const shoal_frame_array* id = shoal_frame_find(frame, "id");
    if (!id || frame->corners > 0) return true;
    double last = -1.0;
    for (int i = 0; i < frame->points.count; i++) {
        double next = shoal_frame_value(id, i, 0);
        if (!(next > last)) return false;
        last = next;
    }
    return true;
}

// What is wrong with a file of a frame, "": nothing. *particles grows by those that it has.
static void verify_frame(const char* path, double time, double* particles, char* why, size_t capacity) {
    shoal_frame* frame;
    *why = 0;
    if (shoal_frame_load(path, &frame) != SHOAL_OK) {
        snprintf(why, capacity, "%s", shoal_path_exists(path) ? shoal_last_error() : "it is missing");
        return;
    }
    if (frame->corners == 0) *particles += frame->points.count;
    if (!(fabs(frame->time - time) <= 1e-6 * fmax(fabs(time), 1e-3)))
        snprintf(why, capacity, "it is of %.9g s, not of %.9g s", frame->time, time);
    else if (!is_finite(&frame->points) || !is_finite(&frame->cells))
        snprintf(why, capacity, "it holds what is not a number");
    else if (!ids_rise(frame))
        snprintf(why, capacity, "its ids are not those of its particles");
    shoal_frame_destroy(frame);
}

static shoal_status add_frame(run_lost* lost, int number, const char* path, const char* why) {
    if (lost->count > 0 && number <= lost->frames[lost->count - 1]) return SHOAL_OK; // another part of the same frame
    if (lost->count == 0) snprintf(lost->why, sizeof lost->why, "%s: %s", shoal_path_name(path), why);
    if (lost->count == lost->capacity) {
        int capacity = 2 * lost->capacity + 64;
        SHOAL_TRY(shoal_realloc((void**)&lost->frames, (size_t)lost->count, (size_t)capacity, sizeof *lost->frames));
        lost->capacity = capacity;
    }
    lost->frames[lost->count++] = number;
    return SHOAL_OK;
}

// The particles of a frame by its row; NAN: there is no such row.
static double particles_of_row(const shoal_table* stats, int number) {
    const double *frames = shoal_table_named(stats, "frame"), *particles = shoal_table_named(stats, "particles");
    for (int i = 0; i < stats->row_count && frames && particles; i++)
        if (frames[i] == number) return particles[i];
    return (double)NAN;
}

// An entry of a .pvd: timestep="0.5" ... file="frames/NAME_000012.PART.vtp".
typedef struct entry {
    int    number;
    double time;
    char   path[SHOAL_PATH_SIZE];
} entry;

// The entry at *at or behind it, which moves past it; number = -1: there is none.
static shoal_status next_entry(const char* folder, const char* stem, const char** at, entry* out) {
    static const char file[] = " file=\"", time[] = "timestep=\"";
    size_t            length = strlen(stem);
    out->number              = -1;
    while ((*at = strstr(*at, time)) != NULL) {
        out->time        = strtod(*at + strlen(time), NULL);
        const char* name = strstr(*at, file);
        if (!name) return SHOAL_OK;
        name += strlen(file);
        *at              = name;
        const char* mark = strncmp(name, "frames/", 7) == 0 ? name + 7 : name;
        if (mark == name || strncmp(mark, stem, length) != 0 || mark[length] != '_') continue;
        out->number = (int)strtol(mark + length + 1, NULL, 10);
        return shoal_path_make(out->path, "%s/%.*s", folder, (int)strcspn(name, "\""), name);
    }
    return SHOAL_OK;
}

static shoal_status inspect(const char* folder, const char* stem, const char* list, const shoal_table* stats,
                            run_lost* out) {
    entry e, next;
    SHOAL_TRY(next_entry(folder, stem, &list, &e));
    bool is_broken = false; // some part of the frame
    for (double particles = 0.0; e.number >= 0; e = next) {
        char why[sizeof out->why / 2];
        verify_frame(e.path, e.time, &particles, why, sizeof why);
        if (*why) SHOAL_TRY(add_frame(out, e.number, e.path, why));
        is_broken = is_broken || *why;
        SHOAL_TRY(next_entry(folder, stem, &list, &next));
        if (next.number == e.number) continue;
        double expected = particles_of_row(stats, e.number);
        if (!is_broken && isfinite(expected) && expected != particles) {
            snprintf(why, sizeof why, "it has %.0f particles, and stats.csv tells of %.0f", particles, expected);
            SHOAL_TRY(add_frame(out, e.number, e.path, why));
            if (out->row < 0) out->row = e.number; // either of them may be wrong
        }
        particles = 0.0;
        is_broken = false;
    }
    return SHOAL_OK;
}

// As a .pvd would list the frames that are there.
static shoal_status list_folder(const char* folder, const char* stem, double fps, shoal_text* out) {
    char        path[SHOAL_PATH_SIZE];
    shoal_names names;
    size_t      length;
    int         number;
    SHOAL_TRY(shoal_path_make(path, "%s/frames", folder));
    SHOAL_TRY(shoal_folder_names(path, &names));
    for (int i = 0; i < names.count && fps > 0.0; i++)
        if (shoal_name_is_frame(names.names[i], &length, &number, NULL) && length == strlen(stem) &&
            memcmp(names.names[i], stem, length) == 0)
            shoal_text_add(out, "timestep=\"%.17g\" file=\"frames/%s\"\n", number / fps, names.names[i]);
    shoal_names_free(&names);
    return out->failed ? SHOAL_ERR_MEMORY : SHOAL_OK;
}

static shoal_status read_list(const char* folder, const char* stem, double fps, const run_lost* lost, shoal_text* out) {
    char   path[SHOAL_PATH_SIZE];
    char*  bytes = NULL;
    size_t size;
    if (lost->is_list_damaged) return list_folder(folder, stem, fps, out);
    SHOAL_TRY(shoal_path_make(path, "%s/%s.pvd", folder, stem));
    if (!shoal_path_exists(path)) return SHOAL_OK;
    SHOAL_TRY(shoal_file_read(path, &bytes, &size));
    shoal_text_add_bytes(out, bytes, size);
    shoal_free(bytes);
    return out->failed ? SHOAL_ERR_MEMORY : SHOAL_OK;
}

shoal_status run_frames_verify(const char* folder, const char* stem, run_lost* out) {
    char       path[SHOAL_PATH_SIZE];
    shoal_text list = {0};
    double     fps;
    *out = (run_lost){.row = -1};
    SHOAL_TRY(run_tables_verify(folder, stem, &fps, out));
    shoal_table  stats  = {0}; // one that cannot be read tells nothing, and its rows are missed elsewhere
    shoal_status status = read_list(folder, stem, fps, out, &list);
    if (status == SHOAL_OK) status = shoal_path_make(path, "%s/stats.csv", folder);
    if (status == SHOAL_OK) (void)shoal_table_read(path, NULL, &stats);
    if (status == SHOAL_OK && list.bytes) status = inspect(folder, stem, list.bytes, &stats, out);
    shoal_table_free(&stats);
    shoal_text_free(&list);
    if (status != SHOAL_OK) run_lost_free(out);
    return status;
}
