// SPDX-License-Identifier: MIT
// Domain, walls, probes and output of a scene.
#include "scene/scene_read.h"

#include "state/part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIELDS_MOST = sizeof((shoal_output*)0)->fields / sizeof((shoal_output*)0)->fields[0] };

#define X(S, name, ...) #name,
static const char* const wall_names[] = {SCENE_WALLS_PARAMS(X, )};
#undef X

static void read_wall(scene_reader* r, const shoal_node* node, shoal_wall* out) {
    static const char* const     words[] = {"open", "slip", "stick", "periodic", NULL};
    static const shoal_wall_kind kinds[] = {SHOAL_WALL_OPEN, SHOAL_WALL_SLIP, SHOAL_WALL_STICK, SHOAL_WALL_PERIODIC};
    if (node->kind == SHOAL_NODE_MAP) {
        scene_wall_params p;
        if (scene_read_map(r, node, (scene_table[]){{scene_wall_params_table, &p}, {0}}))
            *out = (shoal_wall){SHOAL_WALL_FRICTION, p.friction};
        return;
    }
    const char* typed = node->kind == SHOAL_NODE_TEXT ? node->text : "";
    for (int k = 0; words[k]; k++)
        if (strcmp(typed, words[k]) == 0) {
            out->kind = kinds[k];
            return;
        }
    char meant[96];
    out->kind = SHOAL_WALL_OPEN; // nothing is reported as beyond a wall that may not be there
    scene_meant(typed, words, meant, sizeof meant);
    scene_error(r, node, "takes open, slip, stick, periodic or {friction: f}, not %s%.40s%s%s", typed[0] ? "\"" : "",
                typed[0] ? typed : shoal_node_kind_text(node->kind), typed[0] ? "\"" : "", meant);
}

// A wall with a fault is taken for open from here on, as in read_wall.
static void check_periodic(scene_reader* r, const shoal_node* walls, int axis) {
    shoal_domain* domain = &r->d->domain;
    bool          low    = domain->walls[2 * axis].kind == SHOAL_WALL_PERIODIC,
         high            = domain->walls[2 * axis + 1].kind == SHOAL_WALL_PERIODIC;
    if (low == high) return;
    int    one = 2 * axis + (high ? 1 : 0), other = 2 * axis + (high ? 0 : 1);
    size_t mark = scene_enter(r, wall_names[one]);
    scene_error(r, shoal_node_child(walls, wall_names[one]), "is periodic but %s is not; periodic walls come in pairs",
                wall_names[other]);
    scene_leave(r, mark);
    domain->walls[one].kind = domain->walls[other].kind = SHOAL_WALL_OPEN;
}

// Walls that the scene does not give, where a word that is not known may have been meant for one of them.
static void open_walls_not_given(scene_reader* r, const shoal_node* walls) {
    for (int w = 0; w < SHOAL_WALL_COUNT; w++)
        if (!shoal_node_child(walls, wall_names[w])) r->d->domain.walls[w].kind = SHOAL_WALL_OPEN;
}

static void read_walls(scene_reader* r, const shoal_node* node) {
    scene_walls_params p;
    size_t             mark = scene_enter(r, "walls");
    if (!scene_read_map(r, node, (scene_table[]){{scene_walls_params_table, &p}, {0}})) open_walls_not_given(r, node);
    int errors = r->errors;
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) {
        const shoal_node* wall = shoal_node_child(node, wall_names[w]);
        if (!wall) continue;
        size_t inner = scene_enter(r, wall_names[w]);
        read_wall(r, wall, &r->d->domain.walls[w]);
        scene_leave(r, inner);
    }
    for (int axis = 0; axis < 3 && r->errors == errors; axis++) check_periodic(r, node, axis);
    scene_leave(r, mark);
}

void scene_read_domain(scene_reader* r) {
    shoal_domain*     domain = &r->d->domain;
    const shoal_node* node   = shoal_node_child(r->scene->root, "domain");
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) domain->walls[w].kind = SHOAL_WALL_DEFAULT;
    if (!node) return;
    scene_domain_params p;
    size_t              mark  = scene_enter(r, "domain");
    int                 first = shoal_scene_fault_count(r->scene);
    bool                ok    = scene_read_map(r, node, (scene_table[]){{scene_domain_params_table, &p}, {0}});
    if (!ok) open_walls_not_given(r, shoal_node_child(node, "walls"));
    r->domain_is_wrong = !isfinite(p.max.x) || scene_has_fault(r, first, "domain") ||
                         scene_has_fault(r, first, "domain.min") || scene_has_fault(r, first, "domain.max");
    domain->is_given = true;
    domain->min      = p.min;
    domain->max      = p.max;
    for (int axis = 0; axis < 3 && !r->domain_is_wrong; axis++)
        if (!(shoal_d3_axis(p.max, axis) - shoal_d3_axis(p.min, axis) >= SIZE_MIN)) {
            scene_error(r, shoal_node_child(node, "max"), "min = %g is not below max = %g along %c",
                        shoal_d3_axis(p.min, axis), shoal_d3_axis(p.max, axis), 'x' + axis);
            r->domain_is_wrong = true;
        }
    const shoal_node* walls = shoal_node_child(node, "walls");
    if (walls) read_walls(r, walls);
    scene_leave(r, mark);
}

static void check_probe_name(scene_reader* r, const shoal_node* map, const shoal_node* name, int place) {
    shoal_probe* probes = r->d->probes;
    size_t       mark   = scene_enter(r, "name");
    if (!name) {
        scene_error(r, map, "is missing: it names the column of probes.csv");
    } else if (scene_read_name(r, name, probes[place].name, sizeof probes[place].name)) {
        if (strpbrk(probes[place].name, ",\"\r\n"))
            scene_error(r, name, "takes no comma, quote or line end: it becomes a column of probes.csv");
        if (strcmp(probes[place].name, "time_s") == 0)
            scene_error(r, name, "time_s is the first column of probes.csv; take another name");
        for (int k = 0; k < place; k++)
            if (strcmp(probes[k].name, probes[place].name) == 0) {
                scene_error(r, name, "\"%s\" is also the name of probes.%d; names are columns, each must be its own",
                            probes[place].name, k);
                break;
            }
    }
    scene_leave(r, mark);
}

static void read_probe(scene_reader* r, const shoal_node* map, int place) {
    scene_probe_params p;
    shoal_probe*       probe = &r->d->probes[place];
    r->d->probe_count        = place + 1;
    bool ok                  = scene_read_map(r, map, (scene_table[]){{scene_probe_params_table, &p}, {0}});
    if (map->kind != SHOAL_NODE_MAP) return;
    check_probe_name(r, map, shoal_node_child(map, "name"), place);
    if (!ok) return;
    probe->kind          = (shoal_probe_kind)p.kind;
    probe->axis          = p.axis;
    const shoal_node *at = shoal_node_child(map, "at"), *axis = shoal_node_child(map, "axis");
    double            v[3] = {0.0, 0.0, 0.0};
    size_t            mark = scene_enter(r, probe->kind == SHOAL_PROBE_FRONT ? "axis" : "at");
    if (probe->kind == SHOAL_PROBE_FRONT) {
        if (at) scene_error(r, at, "a front probe takes axis, not at");
    } else {
        if (axis) scene_error(r, axis, "axis belongs to front probes");
        int count = probe->kind == SHOAL_PROBE_HEIGHT ? 2 : 3;
        if (!at)
            scene_error(r, map, "is missing: %s",
                        count == 2 ? "[x, z] of the gauge" : "[x, y, z] of a point at a wall");
        else if (scene_read_numbers(r, at, v, count))
            probe->at = count == 2 ? shoal_d3_make(v[0], 0.0, v[1]) : shoal_d3_make(v[0], v[1], v[2]);
    }
    scene_leave(r, mark);
}

void scene_read_probes(scene_reader* r) {
    const shoal_node* node = shoal_node_child(r->scene->root, "probes");
    if (!node) return;
    size_t mark  = scene_enter(r, "probes");
    int    count = shoal_node_count(node), place = 0;
    if (count > SCENE_ENTRIES_MOST) {
        scene_error(r, node, "takes at most %d entries", SCENE_ENTRIES_MOST);
    } else if (scene_is_list(r, node) && count > 0) {
        r->d->probes = shoal_alloc((size_t)count, sizeof *r->d->probes);
        if (!r->d->probes) r->is_out_of_memory = true;
    }
    for (const shoal_node* child = r->d->probes ? node->first : NULL; child; child = child->next, place++) {
        size_t inner = scene_enter_place(r, place);
        read_probe(r, child, place);
        scene_leave(r, inner);
    }
    scene_leave(r, mark);
}

// The fields that a word of output.fields means, in sets that are parts of frames; `words` are all that it might have
// been, of the set that it names or of all.
typedef struct meant_fields {
    int         count;     // that the word means
    bool        are_shown; // each of them is in frames as it is
    char        sets[128]; // theirs
    bool        has_set;   // the one that the word names is in frames
    int         set_count, word_count;
    const char* set_words[SHOAL_SETS_MOST + 1]; // sets that are in frames
    const char* words[SHOAL_SETS_MOST * SHOAL_FIELDS_MOST + 1];
} meant_fields;

// Several sets may have a field of one name.
static void add_word(meant_fields* out, const char* word) {
    for (int k = 0; k < out->word_count; k++)
        if (strcmp(out->words[k], word) == 0) return;
    out->words[out->word_count++] = word;
}

// Whether a word is SET.FIELD, with this set.
static bool is_of_set(const char* word, const char* set) {
    size_t length = strlen(set);
    return strncmp(word, set, length) == 0 && word[length] == '.';
}

static void find_in(const shoal_set_def* set, const char* word, meant_fields* out) {
    const shoal_field_def* field;
    bool                   is_asked = is_of_set(word, set->name) || !strchr(word, '.');
    out->has_set |= is_asked;
    for (int k = 0; (field = shoal_set_field_at(set, k)); k++) {
        if (field->role == SHOAL_SCRATCH || shoal_type_places(field->type) > 0) continue;
        if (is_asked) add_word(out, field->name);
        if (!shoal_word_names(word, set->name, field->name)) continue;
        size_t used = strlen(out->sets);
        snprintf(out->sets + used, sizeof out->sets - used, "%s%s.%s", out->count ? ", " : "", set->name, field->name);
        out->are_shown &= field->shown == SHOAL_ALWAYS;
        out->count++;
    }
}

static void find_meant(const scene_reader* r, const char* word, meant_fields* out) {
    shoal_part parts[SHOAL_SETS_MOST];
    unsigned   sets = 0; // bits; cells may share their points
    for (int p = 0, count = shoal_parts_of(r->type->sets, r->d, parts); p < count; p++)
        sets |= 1u << parts[p].set | 1u << parts[p].points;
    *out = (meant_fields){.are_shown = true};
    for (int s = 0; r->type->sets[s].name; s++) {
        if (!(sets & 1u << s)) continue;
        out->set_words[out->set_count++] = r->type->sets[s].name;
        find_in(&r->type->sets[s], word, out);
    }
}

// Whether another solver has a field of that name: a scene may be run by several.
static bool is_of_another(const char* word) {
    meant_fields meant = {.count = 0};
    for (int k = 0; shoal_solver_types[k] && meant.count == 0; k++) {
        meant.word_count = 0;
        for (const shoal_set_def* set = shoal_solver_types[k]->sets; set->name; set++) find_in(set, word, &meant);
    }
    return meant.count > 0;
}

// The name that a field has now, of a word that was one before, with its set where it has one; false: it was none.
static bool is_renamed(const char* word, char* now, size_t size) {
    const char*              dot          = strchr(word, '.');
    const char*              field        = dot ? dot + 1 : word;
    static const char* const renamed[][2] = {{"grip", "wall_friction"}, {"calm", "smoothed_pressure"}};
    for (size_t k = 0; k < sizeof renamed / sizeof *renamed; k++)
        if (strcmp(field, renamed[k][0]) == 0) {
            snprintf(now, size, "%.*s%s", (int)(field - word), word, renamed[k][1]);
            return true;
        }
    return false;
}

static void list_words(const char* const* words, char* buffer, size_t size) {
    buffer[0] = 0;
    for (size_t used = 0; *words && used + 56 < size; words++, used = strlen(buffer))
        snprintf(buffer + used, size - used, "%s%.50s", used ? ", " : "", *words);
}

// Cells with no fields of their own are shown by those of their points: the name of these, NULL for others.
static const char* points_of(const scene_reader* r, const char* word) {
    shoal_part parts[SHOAL_SETS_MOST];
    for (int p = 0, count = shoal_parts_of(r->type->sets, r->d, parts); p < count; p++)
        if (is_of_set(word, r->type->sets[parts[p].set].name) && parts[p].points != parts[p].set)
            return r->type->sets[parts[p].points].name;
    return NULL;
}

// What a word that means no field of a frame has wrong: its set, or its field.
static void tell_unknown(scene_reader* r, const shoal_node* node, const char* name, const meant_fields* meant) {
    const char* dot = strchr(name, '.');
    char        near[96], known[640]; // all fields of porous
    for (const shoal_set_def* set = r->type->sets; set->name && !meant->has_set; set++)
        if (is_of_set(name, set->name)) {
            list_words(meant->set_words, known, sizeof known);
            scene_warning(r, node, "\"%s\" is left out: frames of this scene have no part %s; they have %s", name,
                          set->name, known);
            return;
        }
    if (is_of_another(name)) {
        scene_warning(r, node, "%s has no field \"%s\"; it is left out", r->type->name, name);
        return;
    }
    const char* points = meant->has_set && meant->word_count == 0 ? points_of(r, name) : NULL;
    if (points) {
        scene_error(r, node, "%s has no field \"%.40s\"; fields are at its points: %s.%.40s", r->type->name, name,
                    points, dot ? dot + 1 : "");
        return;
    }
    char               set[SHOAL_NAME_SIZE] = "";
    const char* const* words                = meant->has_set ? meant->words : meant->set_words;
    if (dot) snprintf(set, sizeof set, "%.*s", (int)(dot - name), name);
    scene_meant(!dot ? name : meant->has_set ? dot + 1 : set, words, near, sizeof near);
    list_words(words, known, sizeof known);
    scene_error(r, node, "%s has no %s \"%.40s\"%s%s%s", r->type->name, meant->has_set ? "field" : "set",
                meant->has_set ? name : set, near, near[0] ? "" : "; it has ", near[0] ? "" : known);
}

static void read_field(scene_reader* r, const shoal_node* node) {
    const char*   name = scene_read_text(r, node);
    shoal_output* out  = &r->d->output;
    char          now[SHOAL_NAME_SIZE];
    meant_fields  meant;
    if (!name || !r->type) return;
    if (is_renamed(name, now, sizeof now)) {
        scene_warning(r, node, "\"%s\" is called \"%s\" now", name, now);
        name = now;
    }
    find_meant(r, name, &meant);
    if (meant.count > 0 && meant.are_shown) return; // asked for though it is always there
    for (int k = 0; k < out->field_count; k++)
        if (strcmp(name, out->fields[k]) == 0) {
            scene_error(r, node, "\"%s\" is listed twice", name);
            return;
        }
    if (meant.count > 1) {
        scene_error(r, node, "\"%s\" is a field of several sets; say which: %s", name, meant.sets);
        return;
    }
    if (meant.count == 1) {
        if (out->field_count == FIELDS_MOST)
            scene_error(r, node, "takes at most %d fields", FIELDS_MOST);
        else
            snprintf(out->fields[out->field_count++], SHOAL_NAME_SIZE, "%s", name);
        return;
    }
    tell_unknown(r, node, name, &meant);
}

void scene_read_output(scene_reader* r) {
    static const shoal_node empty = {.kind = SHOAL_NODE_MAP};
    const shoal_node*       node  = shoal_node_child(r->scene->root, "output");
    scene_output_params     p;
    size_t                  mark = scene_enter(r, "output");
    scene_read_map(r, node ? node : &empty, (scene_table[]){{scene_output_params_table, &p}, {0}});
    r->d->output.every       = p.every;
    r->d->output.checkpoint  = p.checkpoint;
    const shoal_node* fields = shoal_node_child(node, "fields");
    if (fields) {
        size_t inner = scene_enter(r, "fields");
        if (scene_is_list(r, fields))
            for (const shoal_node* child = fields->first; child; child = child->next) read_field(r, child);
        scene_leave(r, inner);
    }
    scene_leave(r, mark);
}
