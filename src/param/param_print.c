// SPDX-License-Identifier: MIT
// The manual of parameter tables: plain text, Markdown, and JSON schema (draft 2020-12).
#include "base/words.h"
#include "param/param.h"

#include <math.h>
#include <string.h>

enum { BLOCKS_MOST = 128 };

static const char* type_text(const shoal_param_def* def) {
    switch (def->type) {
    case SHOAL_PARAM_INT:
        return "whole number";
    case SHOAL_PARAM_FLOAT:
    case SHOAL_PARAM_DOUBLE:
        return "number";
    case SHOAL_PARAM_BOOL:
        return "true or false";
    case SHOAL_PARAM_V3:
    case SHOAL_PARAM_D3:
        return "[x, y, z]";
    case SHOAL_PARAM_WORD:
        return "word";
    case SHOAL_PARAM_AUTO_INT:
        return "whole number or auto";
    case SHOAL_PARAM_AUTO_FLOAT:
        return "number or auto";
    case SHOAL_PARAM_OTHER:
        return "";
    }
    return "";
}

// Takes the next form off a text like "rotate|[rotate]"; false at its end.
static bool next_form(const char** forms, const char** form, size_t* length) {
    if (**forms == 0) return false;
    *form   = *forms;
    *length = strcspn(*forms, "|");
    *forms += *length;
    if (**forms == '|') (*forms)++;
    return true;
}

static void form_words(shoal_text* out, const char* form, size_t length) {
    if (form[0] == '[') {
        shoal_text_add(out, "list of ");
        form_words(out, form + 1, length - 2);
    } else if (form[0] == '{') {
        shoal_text_add(out, "map by name of ");
        form_words(out, form + 1, length - 2);
    } else if (form[0] == '=') {
        shoal_text_add_bytes(out, form + 1, length - 1);
    } else {
        shoal_text_add_bytes(out, form, length);
    }
}

static void type_words(shoal_text* out, const shoal_param_def* def) {
    if (def->type == SHOAL_PARAM_OTHER) {
        const char *forms = def->unit, *form;
        size_t      length;
        for (bool first = true; next_form(&forms, &form, &length); first = false) {
            shoal_text_add(out, "%s", first ? "" : " or ");
            form_words(out, form, length);
        }
    } else if (def->type == SHOAL_PARAM_WORD) {
        for (const char* c = def->unit; *c; c++) shoal_text_add(out, *c == '|' ? " or " : "%c", *c);
    } else {
        shoal_text_add(out, "%s", type_text(def));
    }
}

static bool is_auto(const shoal_param_def* def) {
    return def->type == SHOAL_PARAM_AUTO_INT || def->type == SHOAL_PARAM_AUTO_FLOAT;
}

static void default_words(shoal_text* out, const shoal_param_def* def) {
    char buffer[64];
    if (def->type == SHOAL_PARAM_OTHER || isinf(def->value)) return;
    if (isnan(def->value))
        shoal_text_add(out, "required");
    else if (def->type == SHOAL_PARAM_WORD)
        shoal_text_add(out, "%s", shoal_param_word(def, (int)def->value, buffer, sizeof buffer));
    else if (def->type == SHOAL_PARAM_BOOL)
        shoal_text_add(out, def->value != 0.0 ? "true" : "false");
    else if (is_auto(def) && def->value == 0.0)
        shoal_text_add(out, "auto");
    else if (shoal_param_is_vector(def))
        shoal_text_add(out, "[0, %s, 0]", shoal_number_print(def->value, true, buffer));
    else
        shoal_text_add(out, "%s", shoal_number_print(def->value, true, buffer));
}

static bool has_range(const shoal_param_def* def) {
    return def->type != SHOAL_PARAM_OTHER && def->type != SHOAL_PARAM_WORD && def->type != SHOAL_PARAM_BOOL;
}

static void range_words(shoal_text* out, const shoal_param_def* def) {
    char min[32], max[32];
    if (!has_range(def)) return;
    shoal_text_add(out, "%s to %s%s%s", shoal_number_print(def->min, true, min),
                   shoal_number_print(def->max, true, max), def->unit[0] ? " " : "", def->unit);
}

typedef void (*cell_fn)(shoal_text* out, const shoal_param_def* def);
static void name_words(shoal_text* out, const shoal_param_def* def) { shoal_text_add(out, "%s", def->name); }
static void help_words(shoal_text* out, const shoal_param_def* def) {
    char needs[256];
    shoal_text_add(out, "%s%s%s", def->help, def->needs ? "; acts only with " : "",
                   shoal_param_needs(def, needs, sizeof needs));
    if (def->alias) shoal_text_add(out, "; formerly %s", def->alias);
}

enum { COLUMN_COUNT = 5 };
static const char* const column_names[COLUMN_COUNT] = {"key", "value", "default", "range", "meaning"};
static const cell_fn     column_cells[COLUMN_COUNT] = {name_words, type_words, default_words, range_words, help_words};

static size_t cell_width(cell_fn cell, const shoal_param_def* def) {
    shoal_text text = {0};
    cell(&text, def);
    size_t width = text.length;
    shoal_text_free(&text);
    return width;
}

static void plain(shoal_text* out, const shoal_param_block* block) {
    size_t width[COLUMN_COUNT];
    for (int c = 0; c < COLUMN_COUNT; c++) {
        width[c] = strlen(column_names[c]);
        for (const shoal_param_def* def = block->params; def->name; def++) {
            size_t w = cell_width(column_cells[c], def);
            if (w > width[c]) width[c] = w;
        }
    }
    shoal_text_add(out, "%s: %s\n", block->name, block->summary);
    for (int c = 0; c < COLUMN_COUNT; c++)
        shoal_text_add(out, "  %-*s", c + 1 < COLUMN_COUNT ? (int)width[c] : 0, column_names[c]);
    shoal_text_add(out, "\n");
    for (const shoal_param_def* def = block->params; def->name; def++) {
        for (int c = 0; c < COLUMN_COUNT; c++) {
            size_t before = out->length;
            shoal_text_add(out, "  ");
            column_cells[c](out, def);
            if (c + 1 < COLUMN_COUNT) shoal_text_add(out, "%*s", (int)(width[c] + 2 - (out->length - before)), "");
        }
        shoal_text_add(out, "\n");
    }
}

static void markdown(shoal_text* out, const shoal_param_block* block) {
    shoal_text_add(out, "### `%s`\n\n%s\n\n", block->name, block->summary);
    for (int c = 0; c < COLUMN_COUNT; c++) shoal_text_add(out, "| %s ", column_names[c]);
    shoal_text_add(out, "|\n|---|---|---|---|---|\n");
    for (const shoal_param_def* def = block->params; def->name; def++) {
        for (int c = 0; c < COLUMN_COUNT; c++) {
            shoal_text_add(out, c == 0 ? "| `" : "| ");
            column_cells[c](out, def);
            shoal_text_add(out, c == 0 ? "` " : " ");
        }
        shoal_text_add(out, "|\n");
    }
}

static void schema_form(shoal_text* out, const char* form, size_t length, const char* const* solvers) {
    if (form[0] == '[') {
        shoal_text_add(out, "{\"type\": \"array\", \"items\": ");
        schema_form(out, form + 1, length - 2, solvers);
        shoal_text_add(out, "}");
    } else if (form[0] == '{') {
        shoal_text_add(out, "{\"type\": \"object\", \"additionalProperties\": ");
        schema_form(out, form + 1, length - 2, solvers);
        shoal_text_add(out, "}");
    } else if (form[0] == '=') {
        shoal_text_add(out, "{\"const\": \"%.*s\"}", (int)length - 1, form + 1);
    } else if (shoal_word_is(form, length, "text")) {
        shoal_text_add(out, "{\"type\": \"string\"}");
    } else if (shoal_word_is(form, length, "number")) {
        shoal_text_add(out, "{\"type\": \"number\"}");
    } else if (shoal_word_is(form, length, "solver")) {
        shoal_text_add(out, "{\"enum\": [");
        for (int k = 0; solvers[k]; k++) shoal_text_add(out, "%s\"%s\"", k ? ", " : "", solvers[k]);
        shoal_text_add(out, "]}");
    } else {
        shoal_text_add(out, "{\"$ref\": \"#/$defs/%.*s\"}", (int)length, form);
    }
}

// The members that say what a value may be, without the braces around them.
static void schema_value(shoal_text* out, const shoal_param_def* def, const char* const* solvers) {
    char min[32], max[32], buffer[64];
    shoal_number_print(def->min, true, min);
    shoal_number_print(def->max, true, max);
    bool        whole = def->type == SHOAL_PARAM_INT || def->type == SHOAL_PARAM_AUTO_INT;
    const char* type  = whole ? "integer" : "number";
    if (def->type == SHOAL_PARAM_OTHER) {
        const char *forms = def->unit, *form;
        size_t      length;
        shoal_text_add(out, "\"anyOf\": [");
        for (bool first = true; next_form(&forms, &form, &length); first = false) {
            shoal_text_add(out, "%s", first ? "" : ", ");
            schema_form(out, form, length, solvers);
        }
        shoal_text_add(out, "]");
    } else if (def->type == SHOAL_PARAM_BOOL) {
        shoal_text_add(out, "\"type\": \"boolean\"");
    } else if (def->type == SHOAL_PARAM_WORD) {
        shoal_text_add(out, "\"enum\": [");
        for (int k = 0; shoal_param_word(def, k, buffer, sizeof buffer); k++)
            shoal_text_add(out, "%s\"%s\"", k ? ", " : "", buffer);
        shoal_text_add(out, "]");
    } else if (shoal_param_is_vector(def)) {
        shoal_text_add(out,
                       "\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, "
                       "\"items\": {\"type\": \"number\", \"minimum\": %s, \"maximum\": %s}",
                       min, max);
    } else if (is_auto(def)) {
        shoal_text_add(out,
                       "\"anyOf\": [{\"type\": \"%s\", \"minimum\": %s, \"maximum\": %s}, "
                       "{\"const\": \"auto\"}]",
                       type, min, max);
    } else {
        shoal_text_add(out, "\"type\": \"%s\", \"minimum\": %s, \"maximum\": %s", type, min, max);
    }
}

static void schema_default(shoal_text* out, const shoal_param_def* def) {
    if (def->type == SHOAL_PARAM_OTHER || !isfinite(def->value)) return;
    bool quoted = def->type == SHOAL_PARAM_WORD || (is_auto(def) && def->value == 0.0);
    shoal_text_add(out, ", \"default\": %s", quoted ? "\"" : "");
    default_words(out, def);
    shoal_text_add(out, "%s", quoted ? "\"" : "");
}

static void schema_property(shoal_text* out, const shoal_param_def* def, const char* name, const char* const* solvers) {
    shoal_text_add(out, "\n        \"%s\": {", name);
    schema_value(out, def, solvers);
    schema_default(out, def);
    shoal_text_add(out, "%s, \"description\": ", name == def->name ? "" : ", \"deprecated\": true");
    shoal_text whole = {0};
    help_words(&whole, def);
    if (has_range(def) && def->unit[0]) shoal_text_add(&whole, ", %s", def->unit);
    shoal_json_string(out, whole.bytes ? whole.bytes : "");
    shoal_text_free(&whole);
    shoal_text_add(out, "}");
}

static int schema_properties(shoal_text* out, const shoal_param_block* block, const char* const* solvers, int written) {
    for (const shoal_param_def* def = block->params; def->name; def++) {
        shoal_text_add(out, written++ ? "," : "");
        schema_property(out, def, def->name, solvers);
        if (!def->alias) continue;
        shoal_text_add(out, ",");
        schema_property(out, def, def->alias, solvers);
    }
    return written;
}

// "min+max|size": both of the first two, or the third.
static void schema_one_of(shoal_text* out, const char* forms) {
    const char* form;
    size_t      length;
    shoal_text_add(out, ",\n      \"oneOf\": [");
    for (bool first = true; next_form(&forms, &form, &length); first = false) {
        shoal_text_add(out, "%s{\"required\": [\"", first ? "" : ", ");
        for (size_t k = 0; k < length; k++) shoal_text_add(out, form[k] == '+' ? "\", \"" : "%c", form[k]);
        shoal_text_add(out, "\"]}");
    }
    shoal_text_add(out, "]");
}

static void schema_object(shoal_text* out, const shoal_param_block* block, const shoal_param_block* shape,
                          const char* const* solvers) {
    shoal_text_add(out, "\"type\": \"object\", \"description\": ");
    shoal_json_string(out, block->summary);
    shoal_text_add(out, ",\n      \"additionalProperties\": false, \"properties\": {");
    int written = schema_properties(out, block, solvers, 0);
    if (block->takes_shape && shape) schema_properties(out, shape, solvers, written);
    shoal_text_add(out, "}");
    // numbers without a default must be given
    bool first = true;
    for (const shoal_param_def* def = block->params; def->name; def++) {
        if (def->type == SHOAL_PARAM_OTHER || !isnan(def->value)) continue;
        shoal_text_add(out, "%s\"%s\"", first ? ",\n      \"required\": [" : ", ", def->name);
        first = false;
    }
    if (!first) shoal_text_add(out, "]");
    if (block->one_of) schema_one_of(out, block->one_of);
}

static const shoal_param_block* find_block(const shoal_param_block* blocks, const char* name) {
    for (; blocks->name; blocks++)
        if (strcmp(blocks->name, name) == 0) return blocks;
    return NULL;
}

static void schema(shoal_text* out, const shoal_param_block* blocks, const char* const* solvers, const char* name) {
    const shoal_param_block* shape = find_block(blocks, "shape");
    shoal_text_add(out,
                   "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                   "  \"title\": \"Shoal %s\",\n  \"$ref\": \"#/$defs/%s\",\n  \"$defs\": {",
                   name, name);
    for (const shoal_param_block* block = blocks; block->name; block++) {
        shoal_text_add(out, "%s\n    \"%s\": {", block == blocks ? "" : ",", block->name);
        schema_object(out, block, shape, solvers);
        shoal_text_add(out, "}");
    }
    shoal_text_add(out, "\n  }\n}\n");
}

shoal_status shoal_param_blocks_print(const shoal_param_block* blocks, const char* const* solvers, const char* name,
                                      shoal_param_form form, shoal_text* out) {
    if (name && !find_block(blocks, name)) {
        const char* names[BLOCKS_MOST + 1] = {NULL};
        for (int k = 0; k < BLOCKS_MOST && blocks[k].name; k++) names[k] = blocks[k].name;
        const char* meant = shoal_nearest_word(name, names);
        return shoal_fail(SHOAL_ERR_PARAM, "there is no block \"%.48s\"%s%s%s; `shoal params` lists all", name,
                          meant ? "; did you mean \"" : "", meant ? meant : "", meant ? "\"?" : "");
    }
    if (form == SHOAL_PARAM_SCHEMA) {
        schema(out, blocks, solvers, name ? name : blocks[0].name);
    } else {
        bool first = true;
        for (; blocks->name; blocks++) {
            if (name && strcmp(blocks->name, name) != 0) continue;
            if (!first) shoal_text_add(out, "\n");
            first = false;
            if (form == SHOAL_PARAM_MARKDOWN)
                markdown(out, blocks);
            else
                plain(out, blocks);
        }
    }
    if (!out->failed) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_MEMORY, "out of memory while writing the parameter tables");
}
