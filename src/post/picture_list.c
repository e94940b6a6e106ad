// SPDX-License-Identifier: MIT
#include "post/picture_list.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

static const char list_begins[] = "\"made\": {";

static shoal_status put(picture_list* list, const char* file, uint64_t settings) {
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        SHOAL_TRY(shoal_realloc((void**)&list->rows, (size_t)list->count, (size_t)capacity, sizeof *list->rows));
        list->capacity = capacity;
    }
    picture_row* row = &list->rows[list->count++];
    snprintf(row->file, sizeof row->file, "%s", file);
    row->settings = settings;
    return SHOAL_OK;
}

static picture_row* find(const picture_list* list, const char* file) {
    for (int k = 0; k < list->count; k++)
        if (strcmp(list->rows[k].file, file) == 0) return &list->rows[k];
    return NULL;
}

static shoal_status read_rows(picture_list* list, const char* bytes) {
    const char* at = strstr(bytes, list_begins);
    for (at = at ? strchr(at, '\n') : NULL; at; at = strchr(at + 1, '\n')) {
        char               file[24];
        unsigned long long settings;
        if (sscanf(at + 1, " \"%23[^\"]\": \"%16llx\"", file, &settings) != 2) break;
        if (!find(list, file)) SHOAL_TRY(put(list, file, settings));
    }
    return SHOAL_OK;
}

shoal_status picture_list_open(picture_list* list, const char* folder, const char* name, const shoal_text* settings) {
    char*  bytes = NULL;
    size_t size  = 0;
    *list        = (picture_list){.hash = shoal_hash(settings->bytes, settings->length, 0)};
    SHOAL_TRY(shoal_path_make(list->path, "%s/pictures/%s.json", folder, name));
    shoal_text_add_bytes(&list->settings, settings->bytes, settings->length);
    if (list->settings.failed) return SHOAL_ERR_MEMORY;
    if (!shoal_path_exists(list->path)) return SHOAL_OK;
    SHOAL_TRY(shoal_file_read(list->path, &bytes, &size));
    shoal_status status = read_rows(list, bytes);
    shoal_free(bytes);
    return status;
}

void picture_list_close(picture_list* list) {
    shoal_free(list->rows);
    shoal_text_free(&list->settings);
    *list = (picture_list){0};
}

bool picture_list_has(const picture_list* list, const char* file) {
    const picture_row* row = find(list, file);
    return row && row->settings == list->hash;
}

static shoal_status save(const picture_list* list) {
    shoal_text text = {0};
    shoal_text_add_bytes(&text, list->settings.bytes, list->settings.length);
    shoal_text_add(&text, ",\n  %s", list_begins);
    for (int k = 0; k < list->count; k++)
        shoal_text_add(&text, "%s\n    \"%s\": \"%016llx\"", k ? "," : "", list->rows[k].file,
                       (unsigned long long)list->rows[k].settings);
    shoal_text_add(&text, "\n  }\n}\n");
    shoal_status status = text.failed ? SHOAL_ERR_MEMORY : shoal_file_write(list->path, text.bytes, text.length);
    shoal_text_free(&text);
    return status;
}

shoal_status picture_list_forget(picture_list* list, const char* file) {
    picture_row* row = find(list, file);
    if (!row) return SHOAL_OK;
    *row = list->rows[--list->count];
    return save(list);
}

shoal_status picture_list_note(picture_list* list, const char* file) {
    picture_row* row = find(list, file);
    if (row)
        row->settings = list->hash;
    else
        SHOAL_TRY(put(list, file, list->hash));
    return save(list);
}
