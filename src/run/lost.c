// SPDX-License-Identifier: MIT
// What of a run is lost: frames that its .pvd lists and that are gone or damaged, and rows that
// stats.csv or probes.csv lack.
#include "run/run_local.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rising numbers as people write them: "3, 7..9".
static void tell_numbers(const int* numbers, int count, shoal_text* out) {
    for (int i = 0, end; i < count; i = end + 1) {
        end = i;
        while (end + 1 < count && numbers[end + 1] == numbers[end] + 1) end++;
        shoal_text_add(out, "%s%d", i ? ", " : "", numbers[i]);
        if (end > i) shoal_text_add(out, "..%d", numbers[end]);
    }
}

// A file of a frame ends with the tag that closes it.
static bool is_whole(const char* path) {
    static const char end[] = "</VTKFile>\n";
    return shoal_file_ends_with(path, end, sizeof end - 1);
}

bool run_frame_is_whole(const run* r, int frame) {
    char path[SHOAL_PATH_SIZE];
    for (int k = 0; k < r->parts.count; k++)
        if (run_frame_path(r, frame, r->parts.endings[k], path) != SHOAL_OK || !is_whole(path)) return false;
    return true;
}

// The frame of the first row that a table lacks; -1: none before `end`. Rows follow each other frame by frame, from the
// first that was asked for or an earlier one; `per_frame` is how much their first column grows.
static int lost_row(const run* r, const char* name, double per_frame, int end) {
    char   path[SHOAL_PATH_SIZE];
    char*  bytes = NULL;
    size_t size;
    int    next = -1;
    if (shoal_path_make(path, "%s/%s", r->folder, name) == SHOAL_OK && shoal_path_exists(path) &&
        shoal_file_read(path, &bytes, &size) == SHOAL_OK) {
        const char* line = strchr(bytes, '\n');
        while (line && line[1]) {
            char*  stop;
            double number = rint(strtod(line + 1, &stop) / per_frame);
            line          = strchr(line + 1, '\n');
            bool is_next  = next >= 0 ? number == next : number >= 0.0 && number <= r->first;
            if ((*stop != ',' && *stop != '\n') || !line || !is_next) break;
            next = (int)number + 1;
        }
        shoal_free(bytes);
    }
    if (next < 0) next = r->first;
    return next < end ? next : -1;
}

// The lesser of two frames; -1: none.
static int lesser(int a, int b) { return a < 0 || (b >= 0 && b < a) ? b : a; }

shoal_status run_lost_find(const run* r, int frame_end, int row_end, run_lost* out) {
    *out = (run_lost){.row = -1};
    for (; out->count < r->broken.count && r->broken.frames[out->count] < frame_end;) out->count++;
    out->capacity = out->count;
    out->frames   = shoal_alloc((size_t)out->count + 1, sizeof *out->frames);
    if (!out->frames) return SHOAL_ERR_MEMORY;
    if (out->count > 0) memcpy(out->frames, r->broken.frames, (size_t)out->count * sizeof *out->frames);
    memcpy(out->why, r->broken.why, sizeof out->why); // of the first
    memcpy(out->table, r->broken.table, sizeof out->table);
    if (r->broken.row < row_end) out->row = r->broken.row;
    out->row = lesser(out->row, lost_row(r, "stats.csv", 1.0, row_end));
    out->row = lesser(out->row, lost_row(r, "probes.csv", 1.0 / r->fps, row_end));
    return SHOAL_OK;
}

bool run_lost_is_any(const run_lost* lost) { return lost->count > 0 || lost->row >= 0; }

bool run_lost_has_frame(const run_lost* lost, int frame) {
    for (int i = 0; i < lost->count; i++)
        if (lost->frames[i] == frame) return true;
    return false;
}

void run_lost_tell(const run_lost* lost, shoal_text* out) {
    if (lost->count > 0) shoal_text_add(out, "frames ");
    tell_numbers(lost->frames, lost->count, out);
    if (lost->count > 0) shoal_text_add(out, " (%s)", lost->why);
    if (lost->row >= 0)
        shoal_text_add(out, "%srows of stats.csv or probes.csv from frame %d on", lost->count > 0 ? "; " : "",
                       lost->row);
    if (lost->table[0])
        shoal_text_add(out, "%s%s is not as it was written", lost->count > 0 || lost->row >= 0 ? "; " : "",
                       lost->table);
}

void run_lost_free(run_lost* lost) {
    shoal_free(lost->frames);
    *lost = (run_lost){.row = -1};
}
