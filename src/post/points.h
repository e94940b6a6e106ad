// SPDX-License-Identifier: MIT
// Measured points that are laid over curves, and charts into a folder. For post/ and compare/ only.
#ifndef SHOAL_POINTS_H
#define SHOAL_POINTS_H

#include "plot/chart.h"
#include "post/post_data.h"

enum { POST_POINTS_MOST = 16 };

typedef struct post_points {
    int                count;
    const char* const* files;
    shoal_table        tables[POST_POINTS_MOST];
} post_points;

// `files` are ended by NULL; NULL: none. Their columns are those of the data, and time_s.
shoal_status post_points_read(const char* const* files, const post_data* data, post_points* out);
void         post_points_free(post_points* points); // also after a failure
bool         post_points_has(const post_points* points, const char* column);
// The points of a column, from every file that has them, under the name of the file and `part`.
void post_points_overlay(const post_points* points, shoal_chart* chart, const char* column, const char* part);

// FOLDER/STEM.svg and FOLDER/STEM.png; `done` gets each (NULL: silent).
shoal_status post_chart_write(const shoal_chart* chart, int width, const char* folder, const char* stem,
                              void (*done)(const char* file, void* user), void* user);

#endif
