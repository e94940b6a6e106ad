// SPDX-License-Identifier: MIT
// Materials, bodies, obstacles, emitters, sinks and forces of a scene.
#include "scene/scene_read.h"

#include "base/words.h"
#include "state/outlet.h"
#include "state/packing.h"
#include "state/reach.h"

#include <math.h>
#include <string.h>

enum { MATERIALS_MOST = 255 }; // a particle keeps its material in a byte

#define X(name, ...) #name,
const char* const scene_preset_names[] = {SCENE_PRESETS(X) NULL};
#undef X
// Literals are rounded to float here, once.
#define X(name, kind, density, viscosity, tension, packing, angle, boundary, cohesion, grain, permeability, rise, wet, \
          ideal, mud_friction, mud_viscosity)                                                                          \
    {0,                                                                                                                \
     SHOAL_##kind,                                                                                                     \
     (float)(density),                                                                                                 \
     (float)(viscosity),                                                                                               \
     (float)(tension),                                                                                                 \
     (float)(packing),                                                                                                 \
     (float)(angle),                                                                                                   \
     (float)(boundary),                                                                                                \
     (float)(cohesion),                                                                                                \
     (float)(grain),                                                                                                   \
     0.0f,                                                                                                             \
     0.0f,                                                                                                             \
     (float)(permeability),                                                                                            \
     (float)(rise),                                                                                                    \
     (float)(wet),                                                                                                     \
     (float)(ideal),                                                                                                   \
     (float)(mud_friction),                                                                                            \
     (float)(mud_viscosity),                                                                                           \
     0.0f},
static const scene_material_params presets[] = {SCENE_PRESETS(X)};
#undef X
enum { PRESET_COUNT = sizeof presets / sizeof presets[0] };

static int find_preset(const char* name) {
    for (int k = 0; k < PRESET_COUNT; k++)
        if (strcmp(scene_preset_names[k], name) == 0) return k;
    return -1;
}

unsigned scene_kind_bits(const shoal_node* root, const shoal_node* name) {
    const shoal_node* listed = shoal_node_child(root, "materials");
    bool              is_map = listed && listed->kind == SHOAL_NODE_MAP;
    const char*       given  = name ? name->text : is_map && listed->first ? listed->first->key : scene_preset_names[0];
    if (!given) return 0;
    const shoal_node *map = is_map ? shoal_node_child(listed, given) : NULL, *kind = shoal_node_child(map, "kind"),
                     *from = shoal_node_child(map, "preset");
    if (kind && kind->text) return strcmp(kind->text, "granular") == 0 ? 1u << SHOAL_GRANULAR : 1u << SHOAL_LIQUID;
    int preset = find_preset(from && from->text ? from->text : given);
    if (preset < 0) return map ? 1u << SHOAL_LIQUID : 0;
    return 1u << (presets[preset].kind == 0 ? SHOAL_LIQUID : SHOAL_GRANULAR);
}

// Distance of the particles of a kind over the scene's spacing, by the set in which they live.
static float spacing_fraction(const scene_reader* r, shoal_material_kind kind) {
    if (!r->type || !r->d->solver_params) return 0.0f;
    for (const shoal_set_def* set = r->type->sets; set->name; set++) {
        const shoal_param_def* def = set->spacing ? shoal_param_find(r->type->params, set->spacing) : NULL;
        if (def && (set->kinds & 1u << kind)) return (float)shoal_param_get(def, r->d->solver_params, 0);
    }
    return 1.0f;
}

static void add_material(scene_reader* r, const char* name, const scene_material_params* p) {
    shoal_material* m = &r->d->materials[r->d->material_count++];
    memcpy(m->name, name, strlen(name) + 1);
    m->kind              = p->kind == 0 ? SHOAL_LIQUID : SHOAL_GRANULAR;
    m->density           = p->density;
    m->viscosity         = p->viscosity;
    m->surface_tension   = p->surface_tension;
    m->packing           = p->packing;
    m->friction_angle    = p->friction_angle;
    m->boundary_friction = p->boundary_friction;
    m->cohesion          = p->cohesion;
    m->grain_size        = p->grain_size;
    m->wetness           = p->wetness;
    m->porosity          = p->porosity;
    m->permeability      = p->permeability;
    m->capillary_height  = p->capillary_height;
    m->cohesion_wet      = p->cohesion_wet;
    m->ideal_saturation  = p->ideal_saturation;
    m->mud_friction      = p->mud_friction;
    m->mud_viscosity     = p->mud_viscosity;
    m->stickiness        = p->stickiness;
    m->spacing_fraction  = spacing_fraction(r, m->kind);
    m->is_continuum      = r->type && (r->type->bodies & SHOAL_BODIES_CONTINUUM);
    m->is_at_walls       = r->type && (r->type->bodies & SHOAL_BODIES_SCATTERED);
    if (!r->type || !(r->type->bodies & SHOAL_BODIES_SPHERES) || !r->d->solver_params) return;
    const shoal_param_def* spread = shoal_param_find(r->type->params, "spread"); // of the radii of its spheres
    m->spread                     = spread ? (float)shoal_param_get(spread, r->d->solver_params, 0) : 0.0f;
    double fraction               = fmin(fmax((double)m->packing, SHOAL_PACKING_LOOSEST), SHOAL_PACKING_CLOSEST),
           s                      = (double)m->spread;
    if (m->kind == SHOAL_GRANULAR)
        m->number = (float)(fraction * 6.0 / SHOAL_PI / (1.0 + s * s)); // (1 + s^2): mean volume of its spheres
}

static void read_material(scene_reader* r, const shoal_node* node) {
    scene_material_params p;
    if (strlen(node->key) >= SHOAL_NAME_SIZE || node->key[0] == 0) {
        r->errors++;
        shoal_scene_add_key_fault(r->scene, true, node, r->path, "materials: a name has 1 to %d letters",
                                  SHOAL_NAME_SIZE - 1);
        return;
    }
    for (const char* c = node->key; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            r->errors++;
            shoal_scene_add_key_fault(r->scene, true, node, r->path,
                                      "materials: a name has no control characters, such as line breaks");
            return;
        }
    scene_read_map(r, node, (scene_table[]){{scene_material_params_table, &p}, {0}});
    int preset = shoal_node_child(node, "preset") ? p.preset - 1 : find_preset(node->key);
    if (preset >= 0) {
        // what the map says stays, the rest comes from the preset
        for (const shoal_param_def* def = scene_material_params_table; def->name; def++) {
            if (strcmp(def->name, "preset") == 0 || shoal_node_child(node, def->name)) continue;
            memcpy((char*)&p + def->offset, (const char*)&presets[preset] + def->offset,
                   4); // int or float
        }
    }
    add_material(r, node->key, &p);
}

// An array for the entries of a list and `more`; NULL with *count 0 when there is nothing to read.
static void* list_for(scene_reader* r, const shoal_node* node, int more, size_t size) {
    int count = shoal_node_count(node) + more;
    if (count == 0) return NULL;
    void* scratch = shoal_alloc((size_t)count, size);
    if (!scratch) r->is_out_of_memory = true;
    return scratch;
}

void scene_read_materials(scene_reader* r) {
    const shoal_node* node = shoal_node_child(r->scene->root, "materials");
    size_t            mark = scene_enter(r, "materials");
    if (node && node->kind != SHOAL_NODE_MAP) {
        scene_error(r, node, "takes a map {name: {preset: water}, ...}, not %s", shoal_node_kind_text(node->kind));
        node = NULL;
    }
    if (node && shoal_node_count(node) > MATERIALS_MOST - PRESET_COUNT) {
        scene_error(r, node, "takes at most %d materials", MATERIALS_MOST - PRESET_COUNT);
        node = NULL;
    }
    r->d->materials = list_for(r, node, PRESET_COUNT, sizeof *r->d->materials);
    for (const shoal_node* child = node ? node->first : NULL; child && r->d->materials; child = child->next) {
        size_t inner = scene_enter(r, child->key);
        read_material(r, child);
        scene_leave(r, inner);
    }
    scene_leave(r, mark);
}

static int find_material(const shoal_description* d, const char* name) {
    for (int k = 0; k < d->material_count; k++)
        if (strcmp(d->materials[k].name, name) == 0) return k;
    return -1;
}

// The place of a material that is listed, or of a preset, which is listed then; -1: there is none of this name.
static int listed_material(scene_reader* r, const char* name) {
    int index = find_material(r->d, name), preset = find_preset(name);
    if (index >= 0 || preset < 0) return index;
    add_material(r, name, &presets[preset]);
    return r->d->material_count - 1;
}

// The rest of the scene is read with the one that was meant, or with any: solvers find a material in every body.
static int unknown_material(scene_reader* r, const shoal_node* node, const char* name) {
    const char* words[MATERIALS_MOST + 1];
    int         count = 0;
    char        meant[96];
    for (; count < r->d->material_count; count++) words[count] = r->d->materials[count].name;
    for (int k = 0; k < PRESET_COUNT; k++) words[count++] = scene_preset_names[k];
    words[count] = NULL;
    scene_meant(name, words, meant, sizeof meant);
    scene_error(r, node, "there is no material \"%.60s\"%s%s", name, meant,
                meant[0] ? "" : "; list it under materials, or use water, oil, honey, sand, soil or gravel");
    const char* near = shoal_nearest_word(name, words);
    return listed_material(r, near ? near : words[0]);
}

// The material a map names: listed, a preset, or without a name the first listed or water. -1: out of memory.
static int read_material_of(scene_reader* r, const shoal_node* map) {
    shoal_description* d    = r->d;
    const shoal_node*  node = shoal_node_child(map, "material");
    const char*        name = d->material_count > 0 ? d->materials[0].name : scene_preset_names[0];
    if (!d->materials) return -1;
    size_t      mark  = scene_enter(r, "material");
    const char* given = node ? scene_read_text(r, node) : NULL; // none: that is a fault already
    int         index = listed_material(r, given ? given : name);
    if (index < 0)
        index = unknown_material(r, node, given);
    else if ((given || !node) && r->type && !(r->type->material_kinds & (1u << d->materials[index].kind)))
        scene_error(r, node ? node : map, "the solver %s does not simulate %s materials like %s", r->type->name,
                    d->materials[index].kind == SHOAL_LIQUID ? "liquid" : "granular", d->materials[index].name);
    scene_leave(r, mark);
    return index;
}

// Of a body or an emitter: there is some of it.
static int use_material_of(scene_reader* r, const shoal_node* map) {
    int index = read_material_of(r, map);
    if (index >= 0) r->d->materials[index].is_used = true;
    return index;
}

// Calls read for each map of the list under `key`, with the path set; `*items` becomes the array of
// its results.
typedef void (*entry_fn)(scene_reader* r, const shoal_node* map, int place);
static void read_list(scene_reader* r, const char* key, void** items, size_t size, entry_fn read) {
    const shoal_node* node = shoal_node_child(r->scene->root, key);
    if (!node) return;
    size_t mark  = scene_enter(r, key);
    int    place = 0;
    if (shoal_node_count(node) > SCENE_ENTRIES_MOST)
        scene_error(r, node, "takes at most %d entries", SCENE_ENTRIES_MOST);
    else if (scene_is_list(r, node))
        *items = list_for(r, node, 0, size);
    for (const shoal_node* child = *items ? node->first : NULL; child; child = child->next, place++) {
        size_t inner = scene_enter_place(r, place);
        read(r, child, place);
        scene_leave(r, inner);
    }
    scene_leave(r, mark);
}

// Only solvers that say so pack their sand.
static void read_arrangement(scene_reader* r, const shoal_node* map, bool is_random, shoal_body* body) {
    const shoal_node* node    = shoal_node_child(map, "arrangement");
    bool              is_sand = body->material >= 0 && r->d->materials[body->material].kind == SHOAL_GRANULAR,
         packs                = r->type && (r->type->bodies & (SHOAL_BODIES_SPHERES | SHOAL_BODIES_CONTINUUM));
    if (is_random && is_sand && packs) body->arrangement = SHOAL_RANDOM;
    if (!node || body->material < 0 || !r->type || (is_sand && packs)) return;
    size_t mark = scene_enter(r, "arrangement");
    scene_warning(r, node,
                  packs             ? "has no effect: only sand is packed, liquids lie on a lattice"
                  : r->type->matter ? "has no effect: the solver %s fills bodies with a mesh, and has no particles"
                                    : "has no effect: the solver %s lays its particles on a lattice of its own",
                  r->type->name);
    scene_leave(r, mark);
}

static void read_fixed(scene_reader* r, const shoal_node* map, bool is_fixed, shoal_body* body) {
    const shoal_node* node           = shoal_node_child(map, "fixed");
    bool              is_sand        = body->material >= 0 && r->d->materials[body->material].kind == SHOAL_GRANULAR,
         fixes                       = r->type && (r->type->bodies & SHOAL_BODIES_FIXED);
    body->is_fixed                   = is_fixed && is_sand && fixes;
    static const char* const moves[] = {"velocity", "spin"};
    for (int k = 0; k < 2 && body->is_fixed; k++) {
        const shoal_node* move = shoal_node_child(map, moves[k]);
        size_t            in   = scene_enter(r, moves[k]);
        if (move) scene_warning(r, move, "has no effect: the body is fixed");
        scene_leave(r, in);
    }
    if (!is_fixed || body->is_fixed || body->material < 0 || !r->type) return;
    size_t mark = scene_enter(r, "fixed");
    scene_warning(r, node,
                  fixes ? "has no effect: only sand can be fixed"
                        : "has no effect: the solver %s has no bodies that stay where they are; take an obstacle",
                  r->type->name);
    scene_leave(r, mark);
}

// Whether the faults of a body, from the `first` on, leave its shape as it was meant: they are at keys that do not
// place it, or at words that are nearest to such a key.
static bool shape_is_meant(const scene_reader* r, int first) {
    const char* words[64];
    int         count = 0;
    for (const shoal_param_def* def = scene_body_params_table; def->name; def++) words[count++] = def->name;
    for (const shoal_param_def* def = scene_shape_params_table; def->name && count < 63; def++)
        words[count++] = def->name;
    words[count] = NULL;
    for (int k = first; k < shoal_scene_fault_count(r->scene); k++) {
        const shoal_fault* fault = shoal_scene_fault(r->scene, k);
        const char *       dot = strrchr(fault->path, '.'), *near = dot ? shoal_nearest_word(dot + 1, words) : NULL;
        if (fault->is_error && (!near || !shoal_param_find(scene_body_params_table, near))) return false;
    }
    return true;
}

static void read_body(scene_reader* r, const shoal_node* map, int place) {
    scene_body_params  p;
    scene_shape_params placing;
    shoal_body*        body  = &r->d->bodies[place];
    int                first = shoal_scene_fault_count(r->scene);
    r->d->body_count         = place + 1;
    bool ok                  = scene_read_map(r, map,
                                              (scene_table[]){{scene_body_params_table, &p}, {scene_shape_params_table, &placing}, {0}});
    if (map->kind != SHOAL_NODE_MAP) return;
    body->material = use_material_of(r, map);
    body->velocity = p.velocity;
    body->spin     = p.spin;
    read_arrangement(r, map, p.arrangement == SCENE_ARRANGEMENT_RANDOM, body);
    read_fixed(r, map, p.fixed, body);
    body->shape = scene_read_shape(r, map, SCENE_USE_BODY, false);
    if (!ok && !shape_is_meant(r, first)) {
        shoal_shape_destroy(body->shape);
        body->shape = NULL;
    }
}

void scene_read_bodies(scene_reader* r) {
    read_list(r, "bodies", (void**)&r->d->bodies, sizeof *r->d->bodies, read_body);
}

static void read_motion(scene_reader* r, const shoal_node* list, shoal_motion_key** keys, int* count) {
    size_t mark = scene_enter(r, "motion");
    if (scene_is_list(r, list)) {
        *keys = list_for(r, list, 0, sizeof **keys);
        if (!list->first) scene_error(r, list, "takes at least one {t, at}");
    }
    int place = 0;
    for (const shoal_node* child = *keys ? list->first : NULL; child; child = child->next, place++) {
        scene_motion_params p;
        size_t              inner = scene_enter_place(r, place);
        shoal_motion_key*   key   = &(*keys)[place];
        key->axis                 = shoal_d3_make(0.0, 1.0, 0.0);
        bool              ok      = scene_read_map(r, child, (scene_table[]){{scene_motion_params_table, &p}, {0}});
        const shoal_node* rotate  = shoal_node_child(child, "rotate");
        if (rotate) {
            scene_rotate_params turn;
            size_t              innermost = scene_enter(r, "rotate");
            if (scene_read_rotate(r, rotate, &turn)) {
                key->axis    = turn.axis;
                key->degrees = turn.degrees;
            }
            scene_leave(r, innermost);
        }
        key->t  = p.t;
        key->at = p.at;
        if (ok && place > 0 && !(key->t > key[-1].t))
            scene_error(r, shoal_node_child(child, "t"), "t = %g is not after the time before it, %g", key->t,
                        key[-1].t);
        *count = place + 1;
        scene_leave(r, inner);
    }
    scene_leave(r, mark);
}

static void refuse_at(scene_reader* r, const shoal_node* at) {
    r->errors++;
    shoal_scene_add_key_fault(r->scene, true, at, r->path,
                              "%s: `at` is given together with motion; its place is that of the motion", r->path);
}

// Columns of stats.csv are named after obstacles, and those of all together after none.
static void check_obstacle_name(scene_reader* r, const shoal_node* node, const char* name) {
    if (strpbrk(name, ",\"")) scene_error(r, node, "takes no comma and no quote: it names columns of stats.csv");
    if (strcmp(name, "obstacle") == 0)
        scene_error(r, node,
                    "\"obstacle\" stands for all of them together in stats.csv; give it another name, or none");
    for (int k = 0; k < r->d->obstacle_count; k++)
        if (strcmp(name, r->d->obstacles[k].name) == 0)
            scene_error(r, node, "another obstacle has the name \"%s\"; each has columns of its own in stats.csv",
                        name);
}

// One that callers may move begins where it is put: a motion of one key.
static void hold_still(scene_reader* r, const shoal_node* map, shoal_d3 at, shoal_obstacle* o) {
    o->keys = shoal_alloc(1, sizeof *o->keys);
    if (!o->keys) {
        scene_error(r, map, "%s", shoal_last_error());
        return;
    }
    o->keys[0]   = (shoal_motion_key){.at = at, .axis = shoal_d3_make(0.0, 1.0, 0.0)};
    o->key_count = 1;
}

static void read_obstacle(scene_reader* r, const shoal_node* map, int place) {
    (void)place;
    scene_obstacle_params p;
    scene_shape_params    placing;
    shoal_obstacle        o  = {0};
    bool                  ok = scene_read_map(
                         r, map, (scene_table[]){{scene_obstacle_params_table, &p}, {scene_shape_params_table, &placing}, {0}});
    if (map->kind != SHOAL_NODE_MAP) return;
    const shoal_node *name = shoal_node_child(map, "name"), *motion = shoal_node_child(map, "motion"),
                     *at = shoal_node_child(map, "at");
    memcpy(o.name, r->path, strnlen(r->path, SHOAL_NAME_SIZE - 1));
    if (name) {
        size_t mark = scene_enter(r, "name");
        if (scene_read_name(r, name, o.name, sizeof o.name)) check_obstacle_name(r, name, o.name);
        scene_leave(r, mark);
    }
    if (motion) read_motion(r, motion, &o.keys, &o.key_count);
    if (motion && at) refuse_at(r, at);
    bool moves = motion || p.movable; // its shape stays in its own frame
    if (p.movable && !motion) hold_still(r, map, placing.at, &o);
    o.is_movable               = p.movable;
    o.friction                 = p.friction;
    o.is_sticky                = p.stick;
    const shoal_node* friction = shoal_node_child(map, "friction");
    if (p.stick && friction) {
        size_t mark = scene_enter(r, "friction");
        scene_warning(r, friction, "has no effect: stick holds whatever touches the obstacle");
        scene_leave(r, mark);
    }
    o.shape = scene_read_shape(r, map, SCENE_USE_OBSTACLE, moves);
    if (o.shape && ok) {
        scene_warn_box(r, map, shoal_obstacle_box(&o), "nothing will touch it");
        r->d->obstacles[r->d->obstacle_count++] = o;
    } else {
        shoal_shape_destroy(o.shape);
        shoal_free(o.keys);
    }
}

void scene_read_obstacles(scene_reader* r) {
    read_list(r, "obstacles", (void**)&r->d->obstacles, sizeof *r->d->obstacles, read_obstacle);
}

// The speed of a stream that is given its volume.
static void set_speed(scene_reader* r, const shoal_node* map, shoal_emitter* e) {
    double speed = (double)shoal_v3_length(e->velocity), area = shoal_opening_area(&r->d->domain, e);
    if (isinf(e->flow) || (e->kind == SHOAL_EMIT_DISC && !(speed > 0.0))) return; // discs are told apart
    if (!(speed > 0.0))
        scene_error(r, map, "needs a velocity for its direction; with `flow` its length does not matter");
    else if (!(area > 0.0) || isinf(area))
        scene_error(r, map, "has no section that `flow` could come through");
    else
        e->velocity = shoal_v3_scale(e->velocity, (float)(e->flow / area / speed));
}

static void read_disc(scene_reader* r, const shoal_node* map, const shoal_node* node, shoal_emitter* e) {
    scene_disc_params p;
    size_t            mark = scene_enter(r, "disc");
    bool              ok   = scene_read_map(r, node, (scene_table[]){{scene_disc_params_table, &p}, {0}});
    if (ok) e->radius = p.radius;
    scene_leave(r, mark);
    if (ok) set_speed(r, map, e);
    double spacing = shoal_spacing_of(r->d, e->material);
    if (!(spacing > 0.0)) spacing = (double)INFINITY; // a wrong one is told apart
    if (shoal_disc_check(e, spacing) != SHOAL_OK) scene_error(r, map, "%s", shoal_last_error());
}

// Area of a box as rain sees it from above, m^2: across gravity, or the y axis where there is none.
static double ground_below(const shoal_description* d, const shoal_emitter* e) {
    shoal_box box  = shoal_rain_box(&d->domain, e);
    shoal_d3  size = shoal_d3_sub(box.max, box.min), down = d->gravity;
    double    g = shoal_d3_length(down);
    if (!(g > 0.0)) down = shoal_d3_make(0.0, -1.0, 0.0), g = 1.0;
    if (shoal_box_is_empty(box)) return 0.0;
    return (fabs(down.x) * size.y * size.z + fabs(down.y) * size.x * size.z + fabs(down.z) * size.x * size.y) / g;
}

// Drops per second from whichever key was given.
static void set_rate(scene_reader* r, const shoal_node* map, const shoal_node* node, shoal_emitter* e) {
    double drop = shoal_volume_of(r->d, e->material), area = ground_below(r->d, e);
    double volume = isfinite(e->flow) ? e->flow : e->rainfall / 3.6e6 * area;
    int    given  = isfinite(e->flow) + isfinite(e->rainfall) + isfinite(e->rate);
    if (given != 1) {
        scene_error(r, given == 0 ? node : map,
                    given == 0 ? "needs one of rainfall (mm/h), rate (particles/s), and flow (m^3/s) in it"
                               : "takes one of rainfall, rate and flow");
        e->rate = 0.0;
    } else if (isfinite(e->rate)) {
        if (drop > 0.0 && area > 0.0)
            scene_warning(r, shoal_node_child(node, "rate"),
                          "counts particles, whose volume depends on spacing and solver: here it is %.3g m^3/s; "
                          "`rainfall: %.4g` (mm/h) says that for any",
                          e->rate * drop, e->rate * drop / area * 3.6e6);
    } else
        e->rate = drop > 0.0 ? volume / drop : 0.0;
}

static void read_rain(scene_reader* r, const shoal_node* map, const shoal_node* node, shoal_emitter* e) {
    scene_rain_params p;
    size_t            mark = scene_enter(r, "rain");
    if (scene_read_map(r, node, (scene_table[]){{scene_rain_params_table, &p}, {0}})) {
        e->min      = p.min;
        e->max      = p.max;
        e->rate     = p.rate;
        e->rainfall = p.rainfall;
        if (!(p.min.x < p.max.x && p.min.y < p.max.y && p.min.z < p.max.z))
            scene_error(r, node, "min is not below max along every axis");
        set_rate(r, map, node, e);
    }
    scene_leave(r, mark);
}

static void check_times(scene_reader* r, const shoal_node* map, double from, double until) {
    if (!(from < until))
        scene_error(r, shoal_node_child(map, "until"), "until = %g is not after from = %g", until, from);
}

// Keys that place a shape, where there is none.
static void refuse_placing(scene_reader* r, const shoal_node* map, bool also_at, const char* where) {
    const char* const placings[] = {"at", "rotate", "scale"};
    for (int k = also_at ? 0 : 1; k < 3; k++) {
        const shoal_node* node = shoal_node_child(map, placings[k]);
        if (!node) continue;
        r->errors++;
        shoal_scene_add_key_fault(r->scene, true, node, r->path, "%s: `%s` has no meaning %s", r->path, placings[k],
                                  where);
    }
}

// Whether a disc or rain has its place, as far as it was read.
static bool is_placed(const shoal_emitter* e) {
    return e->kind == SHOAL_EMIT_DISC ? e->radius > 0.0 : e->kind == SHOAL_EMIT_RAIN && e->min.y < e->max.y;
}

static void read_emitter(scene_reader* r, const shoal_node* map, int place) {
    scene_emitter_params p;
    scene_shape_params   placing;
    shoal_emitter*       e = &r->d->emitters[place];
    r->d->emitter_count    = place + 1;
    bool ok                = scene_read_map(
                       r, map, (scene_table[]){{scene_emitter_params_table, &p}, {scene_shape_params_table, &placing}, {0}});
    if (map->kind != SHOAL_NODE_MAP) return;
    e->material            = use_material_of(r, map);
    e->velocity            = p.velocity;
    e->from                = p.from;
    e->until               = p.until;
    e->flow                = p.flow;
    e->rainfall            = (double)INFINITY;
    e->at                  = placing.at;
    const shoal_node *disc = shoal_node_child(map, "disc"), *rain = shoal_node_child(map, "rain"),
                     *motion = shoal_node_child(map, "motion"), *at = shoal_node_child(map, "at");
    bool has_shape = scene_has_shape(map);
    if (ok) check_times(r, map, p.from, p.until);
    if ((disc != NULL) + (rain != NULL) + has_shape > 1) {
        scene_error(r, map, "takes one of disc, rain and a shape");
        return;
    }
    if (motion) read_motion(r, motion, &e->keys, &e->key_count);
    if (motion && at && !rain) refuse_at(r, at);
    if (disc) refuse_placing(r, map, false, "for a disc");
    if (rain) refuse_placing(r, map, true, "for rain");
    e->kind = disc ? SHOAL_EMIT_DISC : rain ? SHOAL_EMIT_RAIN : SHOAL_EMIT_SHAPE;
    if (disc)
        read_disc(r, map, disc, e);
    else if (rain)
        read_rain(r, map, rain, e);
    else if (has_shape) {
        e->shape = scene_read_shape(r, map, SCENE_USE_OTHER, motion != NULL);
        if (e->shape && ok) set_speed(r, map, e);
    } else
        scene_error(r, map, "needs one of disc, rain or a shape");
    if (motion && ok && (rain || (has_shape && !shoal_is_stream(e))))
        scene_error(r, motion, "only a stream can move: a disc, or a shape with a velocity");
    if (has_shape ? e->shape != NULL : ok && is_placed(e))
        scene_warn_box(r, map, shoal_emitter_box(e), "nothing will come in");
}

void scene_read_emitters(scene_reader* r) {
    read_list(r, "emitters", (void**)&r->d->emitters, sizeof *r->d->emitters, read_emitter);
}

static void read_sink(scene_reader* r, const shoal_node* map, int place) {
    scene_shape_params placing;
    r->d->sink_count = place + 1;
    scene_read_map(r, map, (scene_table[]){{scene_shape_params_table, &placing}, {0}});
    if (map->kind != SHOAL_NODE_MAP) return;
    shoal_shape* shape = r->d->sinks[place].shape = scene_read_shape(r, map, SCENE_USE_OTHER, false);
    if (shape) scene_warn_box(r, map, shoal_shape_bounds(shape), "nothing will reach it");
}

void scene_read_sinks(scene_reader* r) { read_list(r, "sinks", (void**)&r->d->sinks, sizeof *r->d->sinks, read_sink); }

static void read_force(scene_reader* r, const shoal_node* map, int place) {
    scene_force_params p;
    scene_shape_params placing;
    shoal_force*       f = &r->d->forces[place];
    r->d->force_count    = place + 1;
    bool ok              = scene_read_map(
                     r, map, (scene_table[]){{scene_force_params_table, &p}, {scene_shape_params_table, &placing}, {0}});
    f->material = -1;
    if (map->kind != SHOAL_NODE_MAP) return;
    if (shoal_node_child(map, "material")) f->material = read_material_of(r, map);
    f->acceleration = p.acceleration;
    f->from         = p.from;
    f->until        = p.until;
    if (ok) check_times(r, map, p.from, p.until);
    if (scene_has_shape(map))
        f->shape = scene_read_shape(r, map, SCENE_USE_OTHER, false);
    else
        refuse_placing(r, map, true, "without a shape");
    if (f->shape) scene_warn_box(r, map, shoal_shape_bounds(f->shape), "nothing will feel it");
}

void scene_read_forces(scene_reader* r) {
    read_list(r, "forces", (void**)&r->d->forces, sizeof *r->d->forces, read_force);
}
