// SPDX-License-Identifier: MIT
// What of a run is lost: frames that its .pvd lists and that are gone or cut short, and rows that
// stats.csv lacks.
#include "run/run_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Numbers as people write them: "3, 7..9".
typedef struct numbers {
    shoal_text* told; // NULL: nobody asks
    int         first, from, to;
} numbers;

static void end_range(numbers* n) {
    if (!n->told || n->from < 0) return;
    const char* comma = n->told->length > 0 ? ", " : "";
    if (n->from == n->to)
        shoal_text_add(n->told, "%s%d", comma, n->from);
    else
        shoal_text_add(n->told, "%s%d..%d", comma, n->from, n->to);
}

static void add_number(numbers* n, int number) {
    if (n->from >= 0 && number == n->to) return; // another part of the same frame
    if (n->first < 0) n->first = number;
    if (number == n->to + 1 && n->from >= 0) {
        n->to = number;
        return;
    }
    end_range(n);
    n->from = n->to = number;
}

// A file of a frame ends with the tag that closes it.
static bool is_whole(const char* path) {
    static const char end[] = "</VTKFile>\n";
    char              last[sizeof end - 1];
    FILE*             file = fopen(path, "rb");
    if (!file) return false;
    bool is = fseek(file, -(long)sizeof last, SEEK_END) == 0 && fread(last, sizeof last, 1, file) == 1 &&
              memcmp(last, end, sizeof last) == 0;
    fclose(file);
    return is;
}

bool run_frame_is_whole(const run* r, int frame) {
    char path[SHOAL_PATH_ROOM];
    for (int k = 0; k < r->parts.count; k++)
        if (run_frame_path(r, frame, r->parts.endings[k], path) != SHOAL_OK || !is_whole(path)) return false;
    return true;
}

static int lost_frames(const run* r, int end, shoal_text* told) {
    char    path[SHOAL_PATH_ROOM], mark[RUN_STEM_ROOM + 16];
    char*   bytes = NULL;
    size_t  size;
    numbers lost = {told, -1, -1, -1};
    snprintf(mark, sizeof mark, "frames/%s_", r->stem);
    if (shoal_path_make(path, "%s/%s.pvd", r->folder, r->stem) != SHOAL_OK || !shoal_path_exists(path) ||
        shoal_file_read(path, &bytes, &size) != SHOAL_OK)
        return -1;
    for (const char* at = strstr(bytes, mark); at; at = strstr(at, mark)) {
        at += strlen(mark);
        int number = (int)strtol(at, NULL, 10);
        if (number < end && !run_frame_is_whole(r, number)) add_number(&lost, number);
    }
    end_range(&lost);
    shoal_free(bytes);
    return lost.first;
}

// Rows are numbered one after the other from the first frame that was asked for.
static int lost_row(const run* r, int end) {
    char   path[SHOAL_PATH_ROOM];
    char*  bytes = NULL;
    size_t size;
    if (shoal_path_make(path, "%s/stats.csv", r->folder) != SHOAL_OK || !shoal_path_exists(path) ||
        shoal_file_read(path, &bytes, &size) != SHOAL_OK)
        return r->first < end ? r->first : -1;
    int         next = -1;
    const char* line = strchr(bytes, '\n');
    while (line && line[1]) {
        char* stop;
        long  number = strtol(line + 1, &stop, 10);
        line         = strchr(line + 1, '\n');
        if (*stop != ',' || !line || (next >= 0 && number != next)) break;
        next = (int)number + 1;
    }
    shoal_free(bytes);
    if (next < 0) next = r->first;
    return next < end ? next : -1;
}

int run_first_lost(const run* r, int frame_end, int row_end, shoal_text* told) {
    shoal_text frames = {0};
    int        frame = lost_frames(r, frame_end, told ? &frames : NULL), row = lost_row(r, row_end);
    if (told && frame >= 0) shoal_text_add(told, "frames %s", frames.bytes ? frames.bytes : "");
    if (told && row >= 0) shoal_text_add(told, "%srows of stats.csv from frame %d on", frame >= 0 ? "; " : "", row);
    shoal_text_free(&frames);
    return frame < 0 ? row : row < 0 ? frame : frame < row ? frame : row;
}
