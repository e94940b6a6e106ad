// SPDX-License-Identifier: MIT
// Which pictures of DIR/pictures were made with which settings: DIR/pictures/NAME.json holds the settings of the last
// call and a line per picture. A picture without its line is made anew, so a kill at any moment costs one picture. For
// post/ only.
#ifndef SHOAL_PICTURE_LIST_H
#define SHOAL_PICTURE_LIST_H

#include "io/file.h"

typedef struct picture_row {
    char     file[24]; // "000123.png"
    uint64_t settings; // hash of what it was made with
} picture_row;

typedef struct picture_list {
    char         path[SHOAL_PATH_SIZE];
    shoal_text   settings; // a JSON object still open
    uint64_t     hash;
    picture_row* rows;
    int          count, capacity;
} picture_list;

// `settings` is a JSON object without its last brace; what cannot be read of an older file counts as not made.
shoal_status picture_list_open(picture_list* list, const char* folder, const char* name, const shoal_text* settings);
void         picture_list_close(picture_list* list);
bool         picture_list_has(const picture_list* list, const char* file); // made with these settings
// Takes the line out, or puts it in, and saves.
shoal_status picture_list_forget(picture_list* list, const char* file);
shoal_status picture_list_note(picture_list* list, const char* file);

#endif
