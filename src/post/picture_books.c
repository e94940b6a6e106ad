// SPDX-License-Identifier: MIT
#include "post/picture_books.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

static const char list_begins[] = "\"made\": {";

static shoal_status put(picture_books* books, const char* file, uint64_t settings) {
    if (books->count == books->room) {
        int room = books->room > 0 ? 2 * books->room : 64;
        SHOAL_TRY(shoal_realloc((void**)&books->rows, (size_t)books->count, (size_t)room, sizeof *books->rows));
        books->room = room;
    }
    picture_row* row = &books->rows[books->count++];
    snprintf(row->file, sizeof row->file, "%s", file);
    row->settings = settings;
    return SHOAL_OK;
}

static picture_row* find(const picture_books* books, const char* file) {
    for (int k = 0; k < books->count; k++)
        if (strcmp(books->rows[k].file, file) == 0) return &books->rows[k];
    return NULL;
}

static shoal_status read_rows(picture_books* books, const char* bytes) {
    const char* at = strstr(bytes, list_begins);
    for (at = at ? strchr(at, '\n') : NULL; at; at = strchr(at + 1, '\n')) {
        char               file[24];
        unsigned long long settings;
        if (sscanf(at + 1, " \"%23[^\"]\": \"%16llx\"", file, &settings) != 2) break;
        if (!find(books, file)) SHOAL_TRY(put(books, file, settings));
    }
    return SHOAL_OK;
}

shoal_status picture_books_open(picture_books* books, const char* folder, const char* name,
                                const shoal_text* settings) {
    char*  bytes = NULL;
    size_t size  = 0;
    *books       = (picture_books){.hash = shoal_hash(settings->bytes, settings->length, 0)};
    SHOAL_TRY(shoal_path_make(books->path, "%s/pictures/%s.json", folder, name));
    shoal_text_add_bytes(&books->settings, settings->bytes, settings->length);
    if (books->settings.failed) return SHOAL_ERR_MEMORY;
    if (!shoal_path_exists(books->path)) return SHOAL_OK;
    SHOAL_TRY(shoal_file_read(books->path, &bytes, &size));
    shoal_status status = read_rows(books, bytes);
    shoal_free(bytes);
    return status;
}

void picture_books_close(picture_books* books) {
    shoal_free(books->rows);
    shoal_text_free(&books->settings);
    *books = (picture_books){0};
}

bool picture_books_has(const picture_books* books, const char* file) {
    const picture_row* row = find(books, file);
    return row && row->settings == books->hash;
}

static shoal_status save(const picture_books* books) {
    shoal_text text = {0};
    shoal_text_add_bytes(&text, books->settings.bytes, books->settings.length);
    shoal_text_add(&text, ",\n  %s", list_begins);
    for (int k = 0; k < books->count; k++)
        shoal_text_add(&text, "%s\n    \"%s\": \"%016llx\"", k ? "," : "", books->rows[k].file,
                       (unsigned long long)books->rows[k].settings);
    shoal_text_add(&text, "\n  }\n}\n");
    shoal_status status = text.failed ? SHOAL_ERR_MEMORY : shoal_file_write(books->path, text.bytes, text.length);
    shoal_text_free(&text);
    return status;
}

shoal_status picture_books_forget(picture_books* books, const char* file) {
    picture_row* row = find(books, file);
    if (!row) return SHOAL_OK;
    *row = books->rows[--books->count];
    return save(books);
}

shoal_status picture_books_note(picture_books* books, const char* file) {
    picture_row* row = find(books, file);
    if (row)
        row->settings = books->hash;
    else
        SHOAL_TRY(put(books, file, books->hash));
    return save(books);
}
