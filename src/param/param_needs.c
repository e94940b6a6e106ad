// SPDX-License-Identifier: MIT
// What a parameter needs to act: a few words in its row, read here and nowhere else.
#include "base/words.h"
#include "param/param.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHRASE_SIZE = 96 };

// Cuts the next part off a text at a separator; false at its end.
static bool next_part(const char** text, const char* separator, const char** part, size_t* length) {
    if (!*text) return false;
    const char* end = strstr(*text, separator);
    *part           = *text;
    *length         = end ? (size_t)(end - *text) : strlen(*text);
    *text           = end ? end + strlen(separator) : NULL;
    return true;
}

// One value of a condition: a word, auto, true, false, or >NUMBER.
static bool is_value(const shoal_param_def* def, double value, const char* text, size_t length) {
    char word[64];
    if (text[0] == '>') return value > strtod(text + 1, NULL);
    if (shoal_word_is(text, length, "auto")) return value == 0.0;
    if (def->type == SHOAL_PARAM_BOOL) return (value != 0.0) == shoal_word_is(text, length, "true");
    const char* chosen = shoal_param_word(def, (int)value, word, sizeof word);
    return chosen && shoal_word_is(text, length, chosen);
}

// "key: a|b" of the table, or a phrase about the scene. A key that has no effect itself counts as its default.
static bool is_met(const shoal_param_def* table, const void* params, const char* text, size_t length,
                   shoal_param_phrase holds, const void* scene) {
    char phrase[PHRASE_SIZE];
    snprintf(phrase, sizeof phrase, "%.*s", (int)length, text);
    char* values = strstr(phrase, ": ");
    if (!values) return holds(scene, phrase);
    *values                       = '\0';
    const shoal_param_def* def    = shoal_param_find(table, phrase);
    const char *           rest   = values + 2, *value;
    bool                   is_one = !def;
    double                 given  = !def                                                 ? 0.0
                                    : shoal_param_acts(table, def, params, holds, scene) ? shoal_param_get(def, params, 0)
                                                                                         : def->value;
    while (!is_one && next_part(&rest, "|", &value, &length)) is_one = is_value(def, given, value, length);
    return is_one;
}

bool shoal_param_acts(const shoal_param_def* table, const shoal_param_def* def, const void* params,
                      shoal_param_phrase holds, const void* scene) {
    const char *ways = def->needs, *way;
    size_t      way_length;
    bool        acts = !def->needs;
    while (!acts && next_part(&ways, " or ", &way, &way_length)) {
        char all[256];
        snprintf(all, sizeof all, "%.*s", (int)way_length, way);
        const char *rest = all, *condition;
        size_t      length;
        acts = true;
        while (acts && next_part(&rest, " and ", &condition, &length))
            acts = is_met(table, params, condition, length, holds, scene);
    }
    return acts;
}

const char* shoal_param_needs(const shoal_param_def* def, char* buffer, size_t size) {
    size_t used = 0;
    buffer[0]   = '\0';
    for (const char* c = def->needs; c && *c && used < size; c++)
        used += (size_t)snprintf(buffer + used, size - used, *c == '|' ? " or " : "%c", *c);
    return buffer;
}
