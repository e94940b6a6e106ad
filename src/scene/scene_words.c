// SPDX-License-Identifier: MIT
// Words of a scene that do nothing: keys of materials that the solver does not heed, parameters
// without what they need, and blocks of solvers where none is named. Only what the scene itself says
// is looked at, no preset (but thick liquids) and no default.
#include "scene/scene_read.h"

#include <stdio.h>
#include <string.h>

static const shoal_material_use* use_of(const shoal_solver_type* type, const char* key, shoal_material_kind kind) {
    for (const shoal_material_use* use = type->material_uses; use && use->key; use++)
        if (use->kind == kind && strcmp(use->key, key) == 0) return use;
    return NULL;
}

bool scene_is_heeded(const shoal_solver_type* type, const char* key, shoal_material_kind kind) {
    return use_of(type, key, kind) != NULL;
}

// "; pbf and sph heed it", or "".
static void solvers_that_heed(const char* key, shoal_material_kind kind, char* buffer, size_t size) {
    int    count = 0;
    size_t used  = 0;
    buffer[0]    = 0;
    for (int k = 0; shoal_solver_types[k]; k++) {
        if (!use_of(shoal_solver_types[k], key, kind)) continue;
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", count++ ? ", " : "; of the solvers ",
                                 shoal_solver_types[k]->name);
    }
    if (count > 0 && used < size) snprintf(buffer + used, size - used, count > 1 ? " heed it" : " heeds it");
}

// A zero asks for nothing where that is what is left without the key.
static bool asks_for_nothing(const shoal_node* value, const char* key) {
    const shoal_param_def* def = shoal_param_find(scene_material_params_table, key);
    return def && def->value == 0.0 && value->kind == SHOAL_NODE_NUMBER && value->number == 0.0;
}

static void warn_key(scene_reader* r, const shoal_node* value, int material) {
    const char*               key  = value->key;
    shoal_material_kind       kind = r->d->materials[material].kind;
    const shoal_material_use* use  = use_of(r->type, key, kind);
    const char*               idle = use && use->idle ? use->idle(r->d, material) : NULL;
    if (strcmp(key, "preset") == 0 || strcmp(key, "kind") == 0 || (use && !idle) || asks_for_nothing(value, key))
        return;
    char   solvers[128] = "";
    size_t mark         = scene_enter(r, key);
    if (!use) solvers_that_heed(key, kind, solvers, sizeof solvers);
    if (use)
        scene_warning(r, value, "has no effect: %s", idle);
    else if (solvers[0])
        scene_warning(r, value, "has no effect: %s does without it%s", r->type->name, solvers);
    else
        scene_warning(r, value, "has no effect: it is not for %s", kind == SHOAL_LIQUID ? "liquids" : "sand");
    scene_leave(r, mark);
}

static void warn_materials(scene_reader* r) {
    size_t            mark     = scene_enter(r, "materials");
    int               material = 0; // listed ones come first, in the order of the file
    const shoal_node* list     = shoal_node_child(r->scene->root, "materials");
    for (const shoal_node* map = list ? list->first : NULL; map; map = map->next, material++) {
        size_t inner = scene_enter(r, map->key);
        for (const shoal_node* value = map->first; value; value = value->next) warn_key(r, value, material);
        scene_leave(r, inner);
    }
    scene_leave(r, mark);
}

// A preset is not a word of the scene, but honey is expected to be thick.
#define THICK 0.05 // Pa s; oil is thicker
static void warn_thick(scene_reader* r) {
    const shoal_node* list = shoal_node_child(r->scene->root, "materials");
    if (use_of(r->type, "viscosity", SHOAL_LIQUID)) return;
    for (int k = 0; k < r->d->material_count; k++) {
        const shoal_material* m   = &r->d->materials[k];
        const shoal_node*     map = list ? shoal_node_child(list, m->name) : NULL;
        if (m->kind != SHOAL_LIQUID || !((double)m->viscosity >= THICK) || (map && shoal_node_child(map, "viscosity")))
            continue;
        char solvers[128];
        solvers_that_heed("viscosity", SHOAL_LIQUID, solvers, sizeof solvers);
        scene_warning(r, map ? map : r->scene->root,
                      "%s is thick, %.3g Pa s, and flows like water: %s does without viscosity%s", m->name,
                      (double)m->viscosity, r->type->name, solvers);
    }
}

// A scene that is compared has blocks of several solvers; but a scene with a block of another one alone means that,
// unless the solver was chosen for this run.
static void warn_blocks(scene_reader* r) {
    const shoal_node* solver = shoal_node_child(r->scene->root, "solver");
    if (shoal_node_child(r->scene->root, r->type->name) || (solver && solver->line == 0)) return;
    for (int k = 0; shoal_solver_types[k]; k++) {
        const char*       name = shoal_solver_types[k]->name;
        const shoal_node* node = shoal_node_child(r->scene->root, name);
        if (!node) continue;
        size_t mark = scene_enter(r, name);
        if (r->scene->facts.solver_is_chosen)
            scene_warning(r, node,
                          "has no effect: the scene names no solver, and %s is chosen by its "
                          "materials; name it with solver: %s",
                          r->type->name, name);
        else
            scene_warning(r, node, "has no effect: the solver is %s", r->type->name);
        scene_leave(r, mark);
    }
}

static void warn_quality(scene_reader* r) {
    const shoal_node* node = shoal_node_child(r->scene->root, "quality");
    if (!node || r->type->fine) return;
    size_t mark = scene_enter(r, "quality");
    scene_warning(r, node, "has no effect: %s has one quality; pbf and sph have two", r->type->name);
    scene_leave(r, mark);
}

static bool has_liquid_body(const shoal_description* d) {
    for (int b = 0; b < d->body_count; b++)
        if (d->materials[d->bodies[b].material].kind == SHOAL_LIQUID) return true;
    return false;
}

static void warn_jitter(scene_reader* r) {
    const shoal_node* node = shoal_node_child(r->scene->root, "jitter");
    if (!node || !(r->d->jitter > 0.0)) return;
    size_t mark = scene_enter(r, "jitter");
    if (shoal_param_find(r->type->params, "seeding"))
        scene_warning(r, node, "has no effect: %s moves its particles off the lattice itself, by %s.seeding",
                      r->type->name, r->type->name);
    else if (r->type->bodies & SHOAL_BODIES_SCATTERED)
        scene_warning(r, node, "has no effect: %s lays its particles where they are at rest", r->type->name);
    else if (!has_liquid_body(r->d))
        scene_warning(r, node, "has no effect: no body is a liquid");
    else if (r->type->matter)
        scene_warning(r, node, "has no effect: bodies of %s are no particles on a lattice", r->type->name);
    scene_leave(r, mark);
}

static void warn_far(scene_reader* r) {
    const shoal_node* node = shoal_node_child(r->scene->root, "far");
    if (!node || !(r->d->far > 0.0)) return;
    size_t mark = scene_enter(r, "far");
    if (r->d->domain.is_given)
        scene_warning(r, node, "has no effect: particles are kept one length of the domain beyond its open walls");
    else if (r->type->matter)
        scene_warning(r, node, "has no effect: %s keeps its liquid as far as it may fly", r->type->name);
    scene_leave(r, mark);
}

// Emitters draw their places, packings and flip's bodies too, and sph which particles of two
// liquids change places.
static void warn_seed(scene_reader* r) {
    const shoal_node* node   = shoal_node_child(r->scene->root, "seed");
    unsigned          random = SHOAL_BODIES_SPHERES | SHOAL_BODIES_CONTINUUM | SHOAL_BODIES_SCATTERED;
    bool              is_used =
        (r->type->bodies & random) || r->d->jitter > 0.0 || r->d->emitter_count > 0 || r->d->material_count > 1;
    if (!node || is_used) return;
    size_t mark = scene_enter(r, "seed");
    scene_warning(r, node,
                  "has no effect: nothing is random in this scene; `jitter: 0.01` moves the "
                  "particles of bodies off their lattice by it");
    scene_leave(r, mark);
}

static bool has_kind(const shoal_description* d, shoal_material_kind kind) {
    for (int m = 0; m < d->material_count; m++)
        if (d->materials[m].kind == kind) return true;
    return false;
}

static bool has_liquid(const shoal_description* d) { return has_kind(d, SHOAL_LIQUID); }
static bool has_sand(const shoal_description* d) { return has_kind(d, SHOAL_GRANULAR); }

static bool has_two_liquids(const shoal_description* d) {
    int liquids = 0;
    for (int m = 0; m < d->material_count; m++) liquids += d->materials[m].kind == SHOAL_LIQUID;
    return liquids > 1;
}

static bool has_wet_sand(const shoal_description* d) {
    for (int m = 0; m < d->material_count; m++)
        if (d->materials[m].kind == SHOAL_GRANULAR && d->materials[m].wetness > 0.0f) return true;
    return false;
}

static bool has_tension(const shoal_description* d) {
    for (int m = 0; m < d->material_count; m++)
        if (d->materials[m].kind == SHOAL_LIQUID && d->materials[m].surface_tension > 0.0f) return true;
    return false;
}

static bool has_wall(const shoal_description* d, unsigned kinds) {
    for (int w = 0; w < SHOAL_WALL_COUNT && d->domain.is_given; w++)
        if (kinds >> d->domain.walls[w].kind & 1u) return true;
    return false;
}

static bool has_smooth_wall(const shoal_description* d) {
    return has_wall(d, 1u << SHOAL_WALL_SLIP | 1u << SHOAL_WALL_DEFAULT);
}

// One of whose friction the scene says nothing.
static bool has_plain_solid(const shoal_description* d) {
    for (int o = 0; o < d->obstacle_count; o++)
        if (!d->obstacles[o].is_sticky && d->obstacles[o].friction == 0.0f) return true;
    return has_wall(d, 1u << SHOAL_WALL_DEFAULT);
}

// The phrases about scenes in what parameters need; others are their solver's.
static const struct {
    const char* phrase;
    bool (*holds)(const shoal_description* d);
} phrases[] = {
    {"a liquid", has_liquid},
    {"sand", has_sand},
    {"two liquids", has_two_liquids},
    {"wet sand", has_wet_sand},
    {"a smooth wall", has_smooth_wall},
    {"a plain solid", has_plain_solid},
    {"surface tension of a liquid", has_tension},
};

static bool phrase_holds(const void* reader, const char* phrase) {
    const scene_reader* r = reader;
    for (size_t k = 0; k < sizeof phrases / sizeof *phrases; k++)
        if (strcmp(phrases[k].phrase, phrase) == 0) return phrases[k].holds(r->d);
    SHOAL_ASSERT(r->type->holds);
    return r->type->holds(r->d, phrase);
}

// The keys that a block of the scene gives, against what each of them needs.
static void warn_needs(scene_reader* r, const char* const* path, const shoal_param_def* table, const void* params) {
    size_t            mark = r->path_length;
    const shoal_node* map  = r->scene->root;
    for (; *path && map; path++) {
        scene_enter(r, *path);
        map = shoal_node_child(map, *path);
    }
    for (const shoal_node* value = map ? map->first : NULL; value; value = value->next) {
        const shoal_param_def* def = shoal_param_find(table, value->key);
        char                   needs[256];
        // zero, false, auto and the like where that is the default: nothing is asked for
        if (def->value == 0.0 && shoal_param_get(def, params, 0) == 0.0) continue;
        if (shoal_param_acts(table, def, params, phrase_holds, r)) continue;
        size_t inner = scene_enter(r, value->key);
        scene_warning(r, value, "has no effect: it acts only with %s", shoal_param_needs(def, needs, sizeof needs));
        scene_leave(r, inner);
    }
    scene_leave(r, mark);
}

static void warn_params(scene_reader* r) {
    const shoal_surface_params*  surface = &r->scene->picture.surface;
    const shoal_render_settings* render  = &r->scene->picture.render;
    warn_needs(r, (const char*[]){r->type->name, NULL}, r->type->params, r->d->solver_params);
    warn_needs(r, (const char*[]){"surface", NULL}, shoal_surface_params_table, surface);
    warn_needs(r, (const char*[]){"render", NULL}, shoal_render_params_table, &render->params);
    warn_needs(r, (const char*[]){"render", "camera", NULL}, shoal_camera_params_table, &render->camera);
    warn_needs(r, (const char*[]){"render", "lights", NULL}, shoal_lights_params_table, &render->lights);
}

void scene_warn_words(scene_reader* r) {
    warn_far(r);
    warn_jitter(r);
    warn_seed(r);
    warn_quality(r);
    warn_materials(r);
    warn_thick(r);
    warn_params(r);
    warn_blocks(r);
}
