// SPDX-License-Identifier: MIT
// Values of parameter tables: defaults, checks with a sentence, and how numbers and words are
// written.
#include "param/param.h"

#include "base/words.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 32, WORD_SIZE = 64 };

bool shoal_param_is_vector(const shoal_param_def* def) {
    return def->type == SHOAL_PARAM_V3 || def->type == SHOAL_PARAM_D3;
}

static bool is_auto(const shoal_param_def* def) {
    return def->type == SHOAL_PARAM_AUTO_INT || def->type == SHOAL_PARAM_AUTO_FLOAT;
}

static bool is_whole(const shoal_param_def* def) {
    return def->type == SHOAL_PARAM_INT || def->type == SHOAL_PARAM_AUTO_INT;
}

static bool is_double(const shoal_param_def* def) {
    return def->type == SHOAL_PARAM_DOUBLE || def->type == SHOAL_PARAM_D3;
}

static void store(const shoal_param_def* def, void* params, int component, double value) {
    char* at = (char*)params + def->offset;
    switch (def->type) {
    case SHOAL_PARAM_INT:
    case SHOAL_PARAM_WORD:
    case SHOAL_PARAM_AUTO_INT:
        *(int*)at = isnan(value) ? 0 : (int)value;
        break;
    case SHOAL_PARAM_FLOAT:
    case SHOAL_PARAM_AUTO_FLOAT:
        *(float*)at = (float)value;
        break;
    case SHOAL_PARAM_BOOL:
    case SHOAL_PARAM_OTHER:
        *(bool*)at = value > 0.0;
        break;
    case SHOAL_PARAM_V3:
        shoal_v3_set_axis((shoal_v3*)at, component, (float)value);
        break;
    case SHOAL_PARAM_DOUBLE:
        *(double*)at = value;
        break;
    case SHOAL_PARAM_D3:
        ((double*)at)[component] = value;
        break;
    }
}

void shoal_params_default(const shoal_param_def* table, void* params) {
    for (const shoal_param_def* def = table; def->name; def++) {
        if (shoal_param_is_vector(def)) {
            double side = isfinite(def->value) ? 0.0 : def->value;
            store(def, params, 0, side);
            store(def, params, 1, def->value);
            store(def, params, 2, side);
        } else {
            store(def, params, 0, def->type == SHOAL_PARAM_OTHER ? 0.0 : def->value);
        }
    }
}

const shoal_param_def* shoal_param_find(const shoal_param_def* table, const char* name) {
    for (const shoal_param_def* def = table; def->name; def++)
        if (strcmp(def->name, name) == 0 || (def->alias && strcmp(def->alias, name) == 0)) return def;
    return NULL;
}

void shoal_params_preset(const shoal_param_def* table, const shoal_param_preset* preset, void* params) {
    for (; preset && preset->name; preset++) store(shoal_param_find(table, preset->name), params, 0, preset->value);
}

double shoal_param_get(const shoal_param_def* def, const void* params, int component) {
    const char* at = (const char*)params + def->offset;
    switch (def->type) {
    case SHOAL_PARAM_INT:
    case SHOAL_PARAM_WORD:
    case SHOAL_PARAM_AUTO_INT:
        return *(const int*)at;
    case SHOAL_PARAM_FLOAT:
    case SHOAL_PARAM_AUTO_FLOAT:
        return (double)*(const float*)at;
    case SHOAL_PARAM_BOOL:
    case SHOAL_PARAM_OTHER:
        return *(const bool*)at ? 1.0 : 0.0;
    case SHOAL_PARAM_V3:
        return (double)shoal_v3_axis(*(const shoal_v3*)at, component);
    case SHOAL_PARAM_DOUBLE:
        return *(const double*)at;
    case SHOAL_PARAM_D3:
        return ((const double*)at)[component];
    }
    return 0.0;
}

const char* shoal_number_print(double value, bool single, char buffer[32]) {
    if (!isfinite(value)) {
        snprintf(buffer, 32, "%s", isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf");
        return buffer;
    }
    // whole numbers of everyday size without an exponent, 1 000 000 as people write it
    if (value == floor(value) && fabs(value) < 1e9) {
        snprintf(buffer, 32, "%.0f", value);
        return strcmp(buffer, "-0") == 0 ? strcpy(buffer, "0") : buffer;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, value);
        double back = strtod(buffer, NULL);
        if (single ? (float)back == (float)value : back == value) break;
    }
    char* comma = strchr(buffer, ','); // the decimal sign of some locales
    if (comma) *comma = '.';
    // 2147483647 rather than 2.1474836e+09
    char whole[32];
    if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(whole, sizeof whole, "%.0f", value);
        if (strlen(whole) <= strlen(buffer)) strcpy(buffer, whole);
    }
    return buffer;
}

static shoal_status out_of_range(const shoal_param_def* def, const double* values, int component) {
    char value[32], min[32], max[32];
    shoal_number_print(values[component], !is_double(def), value);
    shoal_number_print(def->min, !is_double(def), min);
    shoal_number_print(def->max, !is_double(def), max);
    const char* unit = def->unit[0] ? " " : "";
    return shoal_fail(SHOAL_ERR_PARAM, "%s%s = %s is outside [%s, %s]%s%s", def->name,
                      !shoal_param_is_vector(def) ? ""
                      : component == 0            ? ".x"
                      : component == 1            ? ".y"
                                                  : ".z",
                      value, min, max, unit, def->unit);
}

// Whether the value passes; the limits of a float are compared as floats, so that the printed limit
// itself is inside.
static bool is_inside(const shoal_param_def* def, double value) {
    if (is_double(def) || is_whole(def)) return value >= def->min && value <= def->max;
    return fabs(value) <= (double)FLT_MAX && (float)value >= (float)def->min && (float)value <= (float)def->max;
}

static shoal_status check_numbers(const shoal_param_def* def, const double* values, int count) {
    for (int k = 0; k < count; k++) {
        char shown[32];
        if (!isfinite(values[k]))
            return shoal_fail(SHOAL_ERR_PARAM, "%s = %s is not a finite number", def->name,
                              shoal_number_print(values[k], false, shown));
        if (def->type == SHOAL_PARAM_BOOL) {
            if (values[k] != 0.0 && values[k] != 1.0)
                return shoal_fail(SHOAL_ERR_PARAM, "%s takes true or false, not %s", def->name,
                                  shoal_number_print(values[k], false, shown));
        } else if (is_whole(def) && values[k] != floor(values[k])) {
            return shoal_fail(SHOAL_ERR_PARAM, "%s = %s is not a whole number", def->name,
                              shoal_number_print(values[k], false, shown));
        } else if (!is_inside(def, values[k])) {
            return out_of_range(def, values, k);
        }
    }
    return SHOAL_OK;
}

shoal_status shoal_param_set_numbers(const shoal_param_def* def, void* params, const double* values, int count) {
    int wanted = shoal_param_is_vector(def) ? 3 : 1;
    if (def->type == SHOAL_PARAM_OTHER || def->type == SHOAL_PARAM_WORD) {
        if (def->type == SHOAL_PARAM_WORD)
            return shoal_fail(SHOAL_ERR_PARAM, "%s takes a word (%s), not a number", def->name, def->unit);
        return shoal_fail(SHOAL_ERR_PARAM, "%s takes no number", def->name);
    }
    if (count != wanted)
        return shoal_fail(SHOAL_ERR_PARAM, "%s takes %s, %d %s given", def->name,
                          wanted == 3 ? "three numbers [x, y, z]" : "one number", count, count == 1 ? "is" : "are");
    SHOAL_TRY(check_numbers(def, values, count));
    for (int k = 0; k < count; k++) store(def, params, k, values[k]);
    return SHOAL_OK;
}

// A switch that is neither 0 nor 1 must not be read as a bool at all.
static bool holds_a_bool(const shoal_param_def* def, const void* params) {
    unsigned char byte;
    memcpy(&byte, (const char*)params + def->offset, 1);
    return byte <= 1;
}

shoal_status shoal_params_check(const shoal_param_def* table, const void* params) {
    for (const shoal_param_def* def = table; def->name; def++) {
        char buffer[WORD_SIZE];
        if (def->type == SHOAL_PARAM_BOOL || def->type == SHOAL_PARAM_OTHER) {
            if (!holds_a_bool(def, params))
                return shoal_fail(SHOAL_ERR_PARAM, "%s is neither true nor false", def->name);
            continue;
        }
        double values[3];
        int    count = shoal_param_is_vector(def) ? 3 : 1;
        for (int k = 0; k < count; k++) values[k] = shoal_param_get(def, params, k);
        if (def->type == SHOAL_PARAM_WORD) {
            if (!shoal_param_word(def, (int)values[0], buffer, sizeof buffer))
                return shoal_fail(SHOAL_ERR_PARAM, "%s has no word number %g", def->name, values[0]);
            continue;
        }
        bool is_unset = !isfinite(def->value) && !isfinite(values[0]);
        if (is_unset || (is_auto(def) && values[0] == 0.0)) continue;
        SHOAL_TRY(check_numbers(def, values, count));
    }
    return SHOAL_OK;
}

const char* shoal_param_word(const shoal_param_def* def, int index, char* buffer, size_t size) {
    const char* word = def->unit;
    for (; index > 0 && word; index--) {
        word = strchr(word, '|');
        if (word) word++;
    }
    if (!word || index < 0) return NULL;
    snprintf(buffer, size, "%.*s", (int)strcspn(word, "|"), word);
    return buffer;
}

static shoal_status set_one_of_words(const shoal_param_def* def, void* params, const char* word) {
    char        texts[WORDS_MOST][WORD_SIZE], list[256] = "";
    const char* words[WORDS_MOST + 1] = {NULL};
    for (int k = 0; k < WORDS_MOST; k++) {
        words[k] = shoal_param_word(def, k, texts[k], sizeof texts[k]);
        if (!words[k]) break;
        if (strcmp(words[k], word) == 0) {
            store(def, params, 0, k);
            return SHOAL_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%.63s", k ? ", " : "", words[k]);
    }
    const char* meant = shoal_nearest_word(word, words);
    return shoal_fail(SHOAL_ERR_PARAM, "%s = \"%.48s\" is not one of %s%s%s%s", def->name, word, list,
                      meant ? "; did you mean \"" : "", meant ? meant : "", meant ? "\"?" : "");
}

shoal_status shoal_param_set_word(const shoal_param_def* def, void* params, const char* word) {
    if (def->type == SHOAL_PARAM_WORD) return set_one_of_words(def, params, word);
    if (def->type == SHOAL_PARAM_BOOL && (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)) {
        store(def, params, 0, word[0] == 't');
        return SHOAL_OK;
    }
    if (is_auto(def) && strcmp(word, "auto") == 0) {
        store(def, params, 0, 0.0);
        return SHOAL_OK;
    }
    const char* wanted = def->type == SHOAL_PARAM_BOOL ? "true or false"
                         : is_auto(def)                ? "a number or the word auto"
                         : is_whole(def)               ? "a whole number"
                         : shoal_param_is_vector(def)  ? "three numbers [x, y, z]"
                                                       : "a number";
    return shoal_fail(SHOAL_ERR_PARAM, "%s takes %s, not \"%.48s\"", def->name, wanted, word);
}

void shoal_json_string(shoal_text* text, const char* string) {
    shoal_text_add_bytes(text, "\"", 1);
    for (const unsigned char* c = (const unsigned char*)string; *c; c++) {
        if (*c == '"' || *c == '\\')
            shoal_text_add(text, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            shoal_text_add(text, "\\u%04x", *c);
        else
            shoal_text_add_bytes(text, c, 1);
    }
    shoal_text_add_bytes(text, "\"", 1);
}

static void json_value(shoal_text* text, const shoal_param_def* def, const void* params) {
    char   buffer[WORD_SIZE];
    bool   single = !is_double(def);
    double value  = shoal_param_get(def, params, 0);
    if (shoal_param_is_vector(def)) {
        for (int k = 0; k < 3; k++)
            shoal_text_add(text, "%s%s", k ? ", " : "[",
                           shoal_number_print(shoal_param_get(def, params, k), single, buffer));
        shoal_text_add(text, "]");
    } else if (def->type == SHOAL_PARAM_BOOL) {
        shoal_text_add(text, value != 0.0 ? "true" : "false");
    } else if (def->type == SHOAL_PARAM_WORD) {
        shoal_json_string(text, shoal_param_word(def, (int)value, buffer, sizeof buffer));
    } else if (is_auto(def) && value == 0.0) {
        shoal_text_add(text, "\"auto\"");
    } else {
        shoal_text_add(text, "%s", shoal_number_print(value, single, buffer));
    }
}

int shoal_param_json(shoal_text* text, const shoal_param_def* table, const void* params, bool first) {
    int written = 0;
    for (const shoal_param_def* def = table; def->name; def++) {
        if (def->type == SHOAL_PARAM_OTHER) continue;
        if (!isfinite(shoal_param_get(def, params, 0))) continue;
        shoal_text_add(text, first && written == 0 ? "" : ", ");
        shoal_json_string(text, def->name);
        shoal_text_add(text, ": ");
        json_value(text, def, params);
        written++;
    }
    return written;
}
