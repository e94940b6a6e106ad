// SPDX-License-Identifier: MIT
// Points from CSV files onto charts.
#include "post/points.h"

#include "base/memory.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

static shoal_status column_unknown(const post_data* data, const char* file, const char* name) {
    const shoal_table *s = &data->stats, *q = &data->probes;
    const char**       words = shoal_alloc((size_t)(s->column_count + q->column_count) + 1, sizeof *words);
    if (!words) return SHOAL_ERR_MEMORY;
    for (int i = 0; i < s->column_count; i++) words[i] = s->names[i];
    for (int i = 0; i < q->column_count; i++) words[s->column_count + i] = q->names[i];
    const char* near = shoal_nearest_word(name, words);
    shoal_free(words);
    return shoal_fail(SHOAL_ERR_INPUT,
                      "%s: column %.60s is neither a probe of the run nor a column of its "
                      "stats.csv%s%s%s",
                      file, name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

shoal_status post_points_read(const char* const* files, const post_data* data, post_points* out) {
    *out = (post_points){.files = files};
    for (int f = 0; files && files[f]; f++) {
        if (f == POST_POINTS_MOST) return shoal_fail(SHOAL_ERR_INPUT, "more than %d files of points", POST_POINTS_MOST);
        shoal_table* t = &out->tables[f];
        SHOAL_TRY(shoal_table_read(files[f], NULL, t));
        out->count++;
        if (shoal_table_find(t, "time_s") < 0)
            return shoal_fail(SHOAL_ERR_INPUT, "%s: has no column time_s (s since the start)", files[f]);
        for (int c = 0; c < t->column_count; c++)
            if (shoal_table_find(&data->stats, t->names[c]) < 0 && shoal_table_find(&data->probes, t->names[c]) < 0)
                return column_unknown(data, files[f], t->names[c]);
    }
    return SHOAL_OK;
}

void post_points_free(post_points* points) {
    for (int f = 0; f < POST_POINTS_MOST; f++) shoal_table_free(&points->tables[f]);
    *points = (post_points){0};
}

bool post_points_has(const post_points* points, const char* column) {
    for (int f = 0; f < points->count; f++)
        if (shoal_table_find(&points->tables[f], column) >= 0) return true;
    return false;
}

void post_points_overlay(const post_points* points, shoal_chart* chart, const char* column, const char* part) {
    for (int f = 0; f < points->count; f++) {
        const shoal_table* t = &points->tables[f];
        const double*      y = shoal_table_named(t, column);
        if (!y) continue;
        char        name[160];
        const char* file = shoal_path_name(points->files[f]);
        const char* dot  = strrchr(file, '.');
        int         stem = (int)(dot && dot > file ? (size_t)(dot - file) : strlen(file));
        snprintf(name, sizeof name, "%.*s%s%s", stem < 80 ? stem : 80, file, *part ? ", " : "", part);
        shoal_chart_series(chart, name, f, SHOAL_SERIES_POINTS, shoal_table_named(t, "time_s"), y, t->row_count);
    }
}

shoal_status post_chart_write(const shoal_chart* chart, int width, const char* folder, const char* stem,
                              void (*done)(const char* file, void* user), void* user) {
    char path[SHOAL_PATH_SIZE];
    SHOAL_TRY(shoal_path_make(path, "%s/%s.svg", folder, stem));
    SHOAL_TRY(shoal_chart_write_svg(chart, width, path));
    if (done) done(path, user);
    SHOAL_TRY(shoal_path_make(path, "%s/%s.png", folder, stem));
    SHOAL_TRY(shoal_chart_write_png(chart, width, path));
    if (done) done(path, user);
    return SHOAL_OK;
}
