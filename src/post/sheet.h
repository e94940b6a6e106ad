// SPDX-License-Identifier: MIT
// The description of a path, a line for each thing, for people or as one JSON object. For post/ only.
#ifndef SHOAL_SHEET_H
#define SHOAL_SHEET_H

#include "base/memory.h"
#include "math/vec.h"

typedef struct post_sheet {
    shoal_text* out;
    bool        is_json;
    int         label_width; // characters
} post_sheet;

void sheet_begin(post_sheet* sheet, const char* path, const char* kind, int label_width);
void sheet_end(post_sheet* sheet);
// A line "label text"; a number is formatted for people and given as it is to programs. Labels are keys: a blank in
// them is an underscore there.
void sheet_text(post_sheet* sheet, const char* label, const char* text);
void sheet_number(post_sheet* sheet, const char* label, double value, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
void sheet_bytes(post_sheet* sheet, const char* label, double bytes);
void sheet_box(post_sheet* sheet, const char* label, shoal_d3 min, shoal_d3 max);
void sheet_place(post_sheet* sheet, const char* label, int count, shoal_d3 at); // of `count` places; nothing when 0
void sheet_words(post_sheet* sheet, const char* format, ...) __attribute__((format(printf, 2, 3))); // for people alone
// A key for programs alone; what follows is written to `out`.
void   sheet_key(post_sheet* sheet, const char* label);
void   sheet_value(post_sheet* sheet, double value); // a number, null where it is none
double sheet_plain(double value);                    // without the sign of a negative zero

#endif
