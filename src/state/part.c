// SPDX-License-Identifier: MIT
#include "state/part.h"

#include <string.h>

static const shoal_field_def* find(const shoal_set_def* set, const char* name) {
    const shoal_field_def* field;
    for (int k = 0; (field = shoal_set_field_at(set, k)); k++)
        if (strcmp(field->name, name) == 0) return field;
    return NULL;
}

// Corners of a set of cells, and the place of the set that they point into; 0: it is none.
static int corners_of(const shoal_set_def* sets, int k, int* points) {
    const shoal_field_def* corners = find(&sets[k], "corners");
    int                    places = corners ? shoal_type_places(corners->type) : 0, count = places > 1 ? places : 0;
    for (int p = 0; sets[p].name && count > 0; p++)
        if (strcmp(sets[p].name, corners->unit) == 0 && find(&sets[p], "position")) {
            *points = p;
            return count;
        }
    return 0;
}

static bool has_cells(const shoal_set_def* sets, int points) {
    for (int k = 0, at; sets[k].name; k++)
        if (corners_of(sets, k, &at) > 0 && at == points) return true;
    return false;
}

bool shoal_set_is_used(unsigned kinds, const shoal_description* description) {
    for (int m = 0; m < description->material_count && kinds != 0; m++)
        if (kinds & 1u << description->materials[m].kind) return true;
    return kinds == 0;
}

int shoal_parts_of(const shoal_set_def* sets, const shoal_description* description, shoal_part out[SHOAL_SETS_MOST]) {
    int count = 0;
    for (int k = 0; sets[k].name; k++) {
        if (description && !shoal_set_is_used(sets[k].kinds, description)) continue;
        int  points = k, corners = corners_of(sets, k, &points);
        bool is_part = corners > 0 || (find(&sets[k], "position") && !has_cells(sets, k));
        if (is_part) out[count++] = (shoal_part){k, points, corners};
    }
    return count;
}

bool shoal_word_names(const char* word, const char* set, const char* field) {
    size_t length = strlen(set);
    if (strcmp(word, field) == 0) return true;
    return strncmp(word, set, length) == 0 && word[length] == '.' && strcmp(word + length + 1, field) == 0;
}

static bool has_sand(const shoal_description* description) {
    for (int m = 0; m < description->material_count; m++)
        if (description->materials[m].kind == SHOAL_GRANULAR) return true;
    return false;
}

bool shoal_field_is_shown(const shoal_description* description, const shoal_field_def* field) {
    if (field->role == SHOAL_SCRATCH || shoal_type_places(field->type) > 0) return false;
    return field->shown == SHOAL_ALWAYS || (field->shown == SHOAL_WITH_SAND && has_sand(description));
}

bool shoal_field_is_in_frames(const shoal_description* description, const char* set, const shoal_field_def* field) {
    if (shoal_type_places(field->type) > 0) return false;
    if (shoal_field_is_shown(description, field)) return true;
    for (int k = 0; k < description->output.field_count && field->role != SHOAL_SCRATCH; k++)
        if (shoal_word_names(description->output.fields[k], set, field->name)) return true;
    return false;
}
