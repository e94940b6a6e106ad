// SPDX-License-Identifier: MIT
// One map of a scene against its tables: every key known, every value of its type and in its range.
#include "scene/scene_read.h"

#include "base/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 96, FAULTS_LOOKED_UP = 200 };

static void add_step(scene_reader* r, const char* step) {
    size_t capacity = sizeof r->path - r->path_length;
    int    more     = snprintf(r->path + r->path_length, capacity, "%s%s", r->path_length ? "." : "", step);
    r->path_length += (size_t)more < capacity ? (size_t)more : capacity - 1;
}

size_t scene_enter(scene_reader* r, const char* key) {
    size_t mark = r->path_length;
    add_step(r, key);
    return mark;
}

size_t scene_enter_place(scene_reader* r, int index) {
    char step[16];
    snprintf(step, sizeof step, "%d", index);
    return scene_enter(r, step);
}

void scene_leave(scene_reader* r, size_t mark) {
    r->path_length = mark;
    r->path[mark]  = 0;
}

static const char* shown_path(const scene_reader* r) { return r->path_length ? r->path : "scene"; }

void scene_error(scene_reader* r, const shoal_node* at, const char* format, ...) {
    char    text[768];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->errors++;
    shoal_scene_add_fault(r->scene, true, at, r->path, "%s: %s", shown_path(r), text);
}

void scene_warning(scene_reader* r, const shoal_node* at, const char* format, ...) {
    char    text[768];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    shoal_scene_add_fault(r->scene, false, at, r->path, "%s: %s", shown_path(r), text);
}

void scene_meant(const char* typed, const char* const* words, char* buffer, size_t size) {
    const char* meant = shoal_nearest_word(typed, words);
    buffer[0]         = 0;
    if (meant) snprintf(buffer, size, "; did you mean \"%s\"?", meant);
}

// "text "abc"", "a list", "nothing": what stands there instead.
static const char* what_is(const shoal_node* node, char* buffer, size_t size) {
    if (node->kind == SHOAL_NODE_TEXT)
        snprintf(buffer, size, "the text \"%.40s\"", node->text);
    else if (node->kind == SHOAL_NODE_FLAG)
        snprintf(buffer, size, "%s", node->number != 0.0 ? "true" : "false");
    else if (node->kind == SHOAL_NODE_NUMBER) {
        char number[32];
        snprintf(buffer, size, "the number %s", shoal_number_print(node->number, false, number));
    } else
        snprintf(buffer, size, "%s", shoal_node_kind_text(node->kind));
    return buffer;
}

bool scene_has_fault(const scene_reader* r, int first, const char* path) {
    for (int k = first; k < shoal_scene_fault_count(r->scene); k++)
        if (strcmp(shoal_scene_fault(r->scene, k)->path, path) == 0) return true;
    return false;
}

shoal_status scene_first_error(shoal_scene* scene) {
    for (int k = 0; k < shoal_scene_fault_count(scene); k++) {
        const shoal_fault* fault = shoal_scene_fault(scene, k);
        if (fault->is_error) return shoal_fail(SHOAL_ERR_INPUT, "%s: %s", fault->file, fault->message);
    }
    return SHOAL_OK;
}

const char* scene_read_text(scene_reader* r, const shoal_node* node) {
    char what[96];
    if (node->kind == SHOAL_NODE_TEXT) return node->text;
    if ((node->kind == SHOAL_NODE_NUMBER || node->kind == SHOAL_NODE_FLAG) && node->text)
        return node->text; // `name: 42`
    scene_error(r, node, "takes text, not %s", what_is(node, what, sizeof what));
    return NULL;
}

bool scene_read_name(scene_reader* r, const shoal_node* node, char* out, size_t capacity) {
    const char* text = scene_read_text(r, node);
    if (!text) return false;
    size_t length = strlen(text);
    if (length == 0 || length >= capacity) {
        scene_error(r, node, "takes 1 to %d letters, %zu are given", (int)capacity - 1, length);
        return false;
    }
    // names are printed, and stand in tables and file names
    for (const char* c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            scene_error(r, node, "takes no control characters, such as line breaks");
            return false;
        }
    memcpy(out, text, length + 1);
    return true;
}

bool scene_is_list(scene_reader* r, const shoal_node* node) {
    char what[96];
    if (node->kind == SHOAL_NODE_LIST) return true;
    scene_error(r, node, "takes a list, not %s", what_is(node, what, sizeof what));
    return false;
}

bool scene_read_numbers(scene_reader* r, const shoal_node* node, double* out, int count) {
    char what[96], number[32];
    int  given = shoal_node_count(node);
    if (node->kind != SHOAL_NODE_LIST) {
        scene_error(r, node, "takes a list of %d numbers, not %s", count, what_is(node, what, sizeof what));
        return false;
    }
    if (given != count) {
        scene_error(r, node, "takes %d numbers, %d %s given", count, given, given == 1 ? "is" : "are");
        return false;
    }
    int k = 0;
    for (const shoal_node* child = node->first; child; child = child->next, k++) {
        if (child->kind != SHOAL_NODE_NUMBER) {
            scene_error(r, child, "takes numbers, not %s", what_is(child, what, sizeof what));
            return false;
        }
        if (!isfinite(child->number)) {
            scene_error(r, child, "%s is not a finite number", shoal_number_print(child->number, false, number));
            return false;
        }
        out[k] = child->number;
    }
    return true;
}

// What "4 mm" would be as a number of the unit that is wanted: "; values are in m, without a unit: 0.004". "": it is no
// number with a unit.
static void unit_hint(const char* text, const char* wanted, char* buffer, size_t size) {
    static const struct {
        const char *typed, *unit;
        double      factor;
    } units[] = {
        {"um", "m", 1e-6},          {"mm", "m", 1e-3},
        {"cm", "m", 1e-2},          {"dm", "m", 0.1},
        {"km", "m", 1e3},           {"in", "m", 0.0254},
        {"ft", "m", 0.3048},        {"ms", "s", 1e-3},
        {"min", "s", 60.0},         {"h", "s", 3600.0},
        {"mm/s", "m/s", 1e-3},      {"cm/s", "m/s", 1e-2},
        {"km/h", "m/s", 1.0 / 3.6}, {"g", "m/s^2", 9.81},
        {"g/cm^3", "kg/m^3", 1e3},  {"kPa", "Pa", 1e3},
        {"mPa s", "Pa s", 1e-3},    {"cP", "Pa s", 1e-3},
        {"mN/m", "N/m", 1e-3},      {"deg", "degrees", 1.0},
        {"\u00b0", "degrees", 1.0}, {"rad", "degrees", 180.0 / SHOAL_PI},
    };
    char*  end   = NULL;
    double value = strtod(text, &end), factor = 0.0;
    buffer[0] = 0;
    while (end && *end == ' ') end++;
    if (!end || end == text || !*end || !isfinite(value)) return;
    if (strcmp(end, wanted) == 0) factor = 1.0;
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++)
        if (strcmp(end, units[k].typed) == 0 && strcmp(wanted, units[k].unit) == 0) factor = units[k].factor;
    if (factor > 0.0)
        snprintf(buffer, size, "; values are in %s, without a unit: %.9g", wanted, factor * value);
    else if (strspn(end, "0123456789.,") == 0 && wanted[0])
        snprintf(buffer, size, "; values are in %s, without a unit", wanted);
}

// Where the component that `message` (of shoal_param_set_numbers) complains about stands.
static const shoal_node* component_of(const shoal_node* list, const shoal_param_def* def) {
    int k = 0;
    for (const shoal_node* child = list->first; child; child = child->next, k++)
        if (!isfinite(child->number) || child->number < def->min || child->number > def->max) return child;
    return list;
}

static bool read_vector(scene_reader* r, const shoal_param_def* def, const shoal_node* node, void* params,
                        char* message, size_t capacity) {
    double values[3] = {0.0, 0.0, 0.0};
    int    count     = 0;
    char   what[96];
    (void)r;
    for (const shoal_node* child = node->first; child; child = child->next, count++) {
        if (child->kind != SHOAL_NODE_NUMBER) {
            char hint[96] = "";
            if (child->kind == SHOAL_NODE_TEXT) unit_hint(child->text, def->unit, hint, sizeof hint);
            snprintf(message, capacity, "%s takes three numbers [x, y, z]; one of them is %s%s", def->name,
                     what_is(child, what, sizeof what), hint);
            return false;
        }
        if (count < 3) values[count] = child->number;
    }
    if (shoal_param_set_numbers(def, params, values, count) == SHOAL_OK) return true;
    snprintf(message, capacity, "%s", shoal_last_error());
    return false;
}

static bool read_value(scene_reader* r, const shoal_param_def* def, const shoal_node* node, void* params) {
    char              message[512] = "", what[96];
    bool              ok           = false;
    const shoal_node* at           = node;
    if (node->kind == SHOAL_NODE_LIST && shoal_param_is_vector(def)) {
        ok = read_vector(r, def, node, params, message, sizeof message);
        if (!ok && shoal_node_count(node) == 3) at = component_of(node, def);
    } else if (node->kind == SHOAL_NODE_NUMBER && def->type != SHOAL_PARAM_BOOL && !shoal_param_is_vector(def)) {
        ok = shoal_param_set_numbers(def, params, &node->number, 1) == SHOAL_OK;
    } else if (node->kind == SHOAL_NODE_FLAG && def->type == SHOAL_PARAM_BOOL) {
        ok = shoal_param_set_numbers(def, params, &node->number, 1) == SHOAL_OK;
    } else if (node->kind == SHOAL_NODE_TEXT && def->type != SHOAL_PARAM_BOOL) {
        char hint[96] = "";
        ok            = shoal_param_set_word(def, params, node->text) == SHOAL_OK;
        if (!ok && def->type != SHOAL_PARAM_WORD) unit_hint(node->text, def->unit, hint, sizeof hint);
        if (!ok) snprintf(message, sizeof message, "%s%s", shoal_last_error(), hint);
    } else {
        const char* wanted = def->type == SHOAL_PARAM_BOOL       ? "true or false"
                             : def->type == SHOAL_PARAM_WORD     ? def->unit
                             : shoal_param_is_vector(def)        ? "three numbers [x, y, z]"
                             : def->type == SHOAL_PARAM_INT      ? "a whole number"
                             : def->type == SHOAL_PARAM_AUTO_INT ? "a whole number or the word auto"
                                                                 : "a number";
        snprintf(message, sizeof message, "%s takes %s, not %s", def->name, wanted, what_is(node, what, sizeof what));
    }
    if (ok) return true;
    r->errors++;
    size_t mark = scene_enter(r, def->name);
    char   path[sizeof r->path];
    memcpy(path, r->path, sizeof path);
    scene_leave(r, mark);
    shoal_scene_add_fault(r->scene, true, at, path, "%s%s%s", r->path, r->path_length ? "." : "",
                          message[0] ? message : shoal_last_error());
    return false;
}

// Keys that place and move things stand in bodies and obstacles, not in the scene itself.
static void meant_below(const char* typed, char* buffer, size_t size) {
    static const char* const words[] = {"rotate", "velocity", "motion", "material", NULL};
    const char*              meant   = shoal_nearest_word(typed, words);
    if (meant) snprintf(buffer, size, "; did you mean \"%s\", in a body or obstacle?", meant);
}

static bool knows(const shoal_param_def* table, const char* key) {
    for (; table->name; table++)
        if (strcmp(table->name, key) == 0) return true;
    return false;
}

// A key that stands one level up, beside the map that it is in, or one down, in a map that may stand beside it.
static void meant_level(const scene_reader* r, const char* typed, const scene_table* tables, char* buffer,
                        size_t size) {
    const char *             dot = strrchr(r->path, '.'), *own = dot ? dot + 1 : r->path;
    const shoal_node*        chosen = shoal_node_child(r->scene->root, "solver"); // r->type is not known yet
    const shoal_solver_type* solver = chosen && chosen->text ? shoal_solver_find(chosen->text) : NULL;
    if (r->path_length == 0 && solver && knows(solver->params, typed)) {
        snprintf(buffer, size, "; it stands one level down, in \"%s\"", solver->name);
        return;
    }
    for (const shoal_param_block* block = shoal_param_blocks(); block->name; block++) {
        if (r->path_length > 0 && knows(block->params, own) && knows(block->params, typed)) {
            snprintf(buffer, size, "; it stands one level up, beside \"%.40s\"", own);
            return;
        }
        bool is_solver = r->path_length == 0 && shoal_solver_find(block->name);
        for (const scene_table* t = tables; t->table && !is_solver; t++)
            if (knows(t->table, block->name) && knows(block->params, typed)) {
                snprintf(buffer, size, "; it stands one level down, in \"%s\"", block->name);
                return;
            }
    }
}

static void unknown_key(scene_reader* r, const shoal_node* child, const scene_table* tables) {
    const char* words[WORDS_MOST + 1];
    int         count = 0;
    char        meant[96], known[400] = "";
    r->errors++;
    if (shoal_scene_fault_count(r->scene) > FAULTS_LOOKED_UP) return; // a file of nothing but wrong keys
    for (const scene_table* t = tables; t->table; t++)
        for (const shoal_param_def* def = t->table; def->name && count < WORDS_MOST; def++) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", count ? ", " : "", def->name);
            words[count++] = def->name;
        }
    words[count] = NULL;
    meant[0]     = '\0';
    meant_level(r, child->key, tables, meant, sizeof meant);
    if (!meant[0]) scene_meant(child->key, words, meant, sizeof meant);
    if (!meant[0] && r->path_length == 0) meant_below(child->key, meant, sizeof meant);
    size_t mark = scene_enter(r, child->key);
    char   path[sizeof r->path];
    memcpy(path, r->path, sizeof path);
    scene_leave(r, mark);
    shoal_scene_add_key_fault(r->scene, true, child, path, "unknown key \"%.48s\" in %s%s%s%s", child->key,
                              shown_path(r), meant, meant[0] ? "" : "; known: ", meant[0] ? "" : known);
}

// A key that scenes of earlier versions may have, and that nothing reads any more.
static bool gone_key(scene_reader* r, const shoal_node* child) {
    static const struct {
        const char *path, *why;
    } gone[]      = {{"arithmetic", "a scene has the same bits on every machine"}};
    size_t mark   = scene_enter(r, child->key);
    bool   is_one = false;
    for (size_t k = 0; k < sizeof gone / sizeof *gone && !is_one; k++) {
        is_one = strcmp(r->path, gone[k].path) == 0;
        if (is_one)
            shoal_scene_add_key_fault(r->scene, false, child, r->path, "%s: has no effect any more: %s; leave it out",
                                      r->path, gone[k].why);
    }
    scene_leave(r, mark);
    return is_one;
}

// A key by its alias. With both names in one map neither of the values is the one that is meant.
static void former_key(scene_reader* r, const shoal_node* map, const shoal_node* child, const shoal_param_def* def) {
    const shoal_node* twin = shoal_node_child(map, def->name);
    size_t            mark = scene_enter(r, child->key);
    char              path[sizeof r->path];
    memcpy(path, r->path, sizeof path);
    scene_leave(r, mark);
    if (twin) r->errors++;
    shoal_scene_add_key_fault(r->scene, twin != NULL, child, path, "%s: is now called \"%s\"%s", path, def->name,
                              twin ? ", and both are given" : "");
}

static void missing_keys(scene_reader* r, const shoal_node* map, const scene_table* tables) {
    char min[32], max[32];
    for (const scene_table* t = tables; t->table; t++)
        for (const shoal_param_def* def = t->table; def->name; def++) {
            if (def->type == SHOAL_PARAM_OTHER || !isnan(def->value) || shoal_node_child(map, def->name)) continue;
            r->errors++;
            if (def->type == SHOAL_PARAM_WORD)
                shoal_scene_add_fault(r->scene, true, map, r->path, "%s%s%s is missing: one of %s", r->path,
                                      r->path_length ? "." : "", def->name, def->unit);
            else
                shoal_scene_add_fault(r->scene, true, map, r->path, "%s%s%s is missing: %s, %s to %s%s%s", r->path,
                                      r->path_length ? "." : "", def->name, def->help,
                                      shoal_number_print(def->min, false, min),
                                      shoal_number_print(def->max, false, max), def->unit[0] ? " " : "", def->unit);
        }
}

bool scene_read_map(scene_reader* r, const shoal_node* map, const scene_table* tables) {
    int  before = r->errors;
    char what[96];
    for (const scene_table* t = tables; t->table; t++) {
        shoal_params_default(t->table, t->params);
        shoal_params_preset(t->table, r->preset, t->params);
    }
    if (map->kind != SHOAL_NODE_MAP) {
        scene_error(r, map, "takes a map {key: value, ...}, not %s", what_is(map, what, sizeof what));
        return false;
    }
    for (const shoal_node* child = map->first; child; child = child->next) {
        const shoal_param_def* def = NULL;
        const scene_table*     t   = tables;
        for (; t->table; t++)
            if ((def = shoal_param_find(t->table, child->key)) != NULL) break;
        if (def && strcmp(def->name, child->key) != 0) former_key(r, map, child, def);
        if (!def && gone_key(r, child)) continue;
        if (!def)
            unknown_key(r, child, tables);
        else if (def->type == SHOAL_PARAM_OTHER)
            *((bool*)t->params + def->offset) = true;
        else
            read_value(r, def, child, t->params);
    }
    missing_keys(r, map, tables);
    return r->errors == before;
}
