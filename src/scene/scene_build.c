// SPDX-License-Identifier: MIT
// The tree of a scene becomes a description: every key checked against its table, all faults
// collected.
#include "scene/scene_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_key_then_place(const void* a, const void* b) {
    const shoal_node *x = *(const shoal_node*const*)a, *y = *(const shoal_node*const*)b;
    int               order = strcmp(x->key, y->key);
    if (order != 0) return order;
    if (x->key_line != y->key_line) return x->key_line < y->key_line ? -1 : 1;
    return (x->key_column > y->key_column) - (x->key_column < y->key_column);
}

// Sorted, so that a map of many thousand keys is no trap.
static void find_duplicates(scene_reader* r, const shoal_node* node) {
    int count = shoal_node_count(node), place = 0;
    if (node->kind == SHOAL_NODE_MAP && count > 1) {
        const shoal_node** keys = shoal_alloc((size_t)count, sizeof *keys);
        if (!keys) {
            r->is_out_of_memory = true;
            return;
        }
        for (const shoal_node* child = node->first; child; child = child->next) keys[place++] = child;
        qsort(keys, (size_t)count, sizeof *keys, by_key_then_place);
        for (int k = 1; k < count; k++)
            if (strcmp(keys[k]->key, keys[k - 1]->key) == 0) {
                r->errors++;
                size_t mark = scene_enter(r, keys[k]->key);
                shoal_scene_add_key_fault(r->scene, true, keys[k], r->path,
                                          "duplicate key \"%.60s\"; it was given before at line %d, column %d",
                                          keys[k]->key, keys[k - 1]->key_line, keys[k - 1]->key_column);
                scene_leave(r, mark);
            }
        shoal_free(keys);
    }
    place = 0;
    for (const shoal_node* child = node->first; child; child = child->next, place++) {
        if (!child->first) continue;
        size_t mark = child->key ? scene_enter(r, child->key) : scene_enter_place(r, place);
        find_duplicates(r, child);
        scene_leave(r, mark);
    }
}

static void default_name(const shoal_scene* scene, char* out, size_t capacity) {
    const char* file   = scene->file ? scene->file : "scene";
    const char* stem   = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    const char* dot    = strrchr(stem, '.');
    size_t      length = dot ? (size_t)(dot - stem) : strlen(stem);
    if (length == 0) stem = "scene", length = 5;
    snprintf(out, capacity, "%.*s", (int)length, stem);
}

static bool read_top(scene_reader* r) {
    shoal_description* d    = r->d;
    shoal_node*        root = r->scene->root;
    scene_params       p;
    scene_read_map(r, root, (scene_table[]){{scene_top_table(), &p}, {0}});
    if (root->kind != SHOAL_NODE_MAP) return false;
    scene_read_solver(r);
    d->frames  = p.frames;
    d->fps     = p.fps;
    d->spacing = p.spacing;
    d->gravity = p.gravity;
    d->seed    = (uint64_t)p.seed;
    d->far     = p.far;
    d->jitter  = p.jitter;
    d->is_fine = p.quality == SCENE_QUALITY_FINE;
    if (r->type) snprintf(d->solver, sizeof d->solver, "%s", r->type->name);
    d->is_ideal            = r->type && !scene_is_heeded(r->type, "viscosity", SHOAL_LIQUID);
    const shoal_node* name = shoal_node_child(root, "name");
    default_name(r->scene, d->name, sizeof d->name);
    if (name) {
        size_t mark = scene_enter(r, "name");
        scene_read_name(r, name, d->name, sizeof d->name);
        scene_leave(r, mark);
    }
    return true;
}

// Things are seen across a periodic seam, so it must be far enough from itself; and the lattice
// should fit.
static void check_periodic_lengths(scene_reader* r) {
    static const char* const names[] = {"right", "top", "front"};
    const shoal_domain*      domain  = &r->d->domain;
    const shoal_node*        walls   = shoal_node_child(shoal_node_child(r->scene->root, "domain"), "walls");
    double d = r->d->spacing, support = r->type->support ? r->type->support(r->d->solver_params, d) : d;
    r->scene->facts.support = support;
    for (int axis = 0; axis < 3 && domain->is_given; axis++) {
        if (domain->walls[2 * axis].kind != SHOAL_WALL_PERIODIC) continue;
        double length = shoal_d3_axis(domain->max, axis) - shoal_d3_axis(domain->min, axis);
        size_t mark   = scene_enter(r, "domain");
        scene_enter(r, "walls");
        scene_enter(r, names[axis]);
        const shoal_node* node = shoal_node_child(walls, names[axis]);
        if (length < 2.0 * support * (1.0 - 1e-9))
            scene_error(r, node,
                        "the domain is %g m along %c; periodic, it must be at least %g m, twice "
                        "the support of %s",
                        length, 'x' + axis, 2.0 * support, r->type->name);
        else if (fabs(length / d - round(length / d)) > 1e-6 * length / d + 1e-6)
            scene_warning(r, node,
                          "the domain is %g m along %c, not a whole number of spacings of %g m: "
                          "particles meet badly at the seam",
                          length, 'x' + axis, d);
        scene_leave(r, mark);
    }
}

// Obstacles have no images across a seam.
static void check_seams(scene_reader* r) {
    const shoal_node* list = shoal_node_child(r->scene->root, "obstacles");
    const shoal_node* node = list ? list->first : NULL;
    size_t            mark = scene_enter(r, "obstacles");
    for (int k = 0; k < r->d->obstacle_count && node; k++, node = node->next) {
        size_t place = scene_enter_place(r, k);
        for (int axis = 0; axis < 3; axis++)
            if (shoal_obstacle_crosses(r->d, &r->d->obstacles[k], axis))
                scene_error(r, node,
                            "is not the same at both ends of the domain along %c, which is periodic; move it inside, "
                            "or let it reach through both",
                            'x' + axis);
        scene_leave(r, place);
    }
    scene_leave(r, mark);
}

// Whether a key is there with something in it; what is no list at all has its own error.
static bool has_entries(const scene_reader* r, const char* key) {
    const shoal_node* node = shoal_node_child(r->scene->root, key);
    return shoal_node_count(node) > 0 || (node && node->kind != SHOAL_NODE_LIST);
}

static void check_whole(scene_reader* r) {
    bool has_spacing = isfinite(r->d->spacing) && r->d->spacing > 0.0;
    if (!has_entries(r, "bodies") && !has_entries(r, "emitters"))
        scene_error(r, r->scene->root, "has no body and no emitter, so nothing would happen; add bodies: or emitters:");
    if (!has_spacing || r->domain_is_wrong || !r->type || !r->d->solver_params || r->is_out_of_memory) return;
    check_periodic_lengths(r);
    if (r->errors == 0) check_seams(r);
    scene_count(r);
    if (r->errors == 0) scene_ask_solver(r);
    if (r->errors == 0) scene_warn_words(r);
    if (r->errors == 0) scene_warn_places(r);
    if (r->errors == 0) scene_warn_scale(r);
}

static void keep_facts(const scene_reader* r) {
    shoal_scene*       scene = r->scene;
    shoal_scene_facts* facts = &scene->facts;
    memcpy(scene->name, r->d->name, sizeof scene->name);
    facts->name    = scene->name;
    facts->solver  = r->type->name;
    facts->frames  = r->d->frames;
    facts->fps     = r->d->fps;
    facts->spacing = r->d->spacing;
}

shoal_status shoal_scene_build(shoal_scene* scene, shoal_description** out) {
    *out           = NULL;
    scene_reader r = {.scene = scene, .d = shoal_alloc(1, sizeof *r.d)};
    if (!r.d) return SHOAL_ERR_MEMORY;
    find_duplicates(&r, scene->root);
    if (read_top(&r)) {
        if (!isfinite(r.d->spacing)) r.d->spacing = 0.0;
        scene_read_solver_blocks(&r);
        scene_read_domain(&r);
        scene_read_materials(&r);
        scene_read_bodies(&r);
        scene_read_obstacles(&r);
        scene_read_emitters(&r);
        scene_read_sinks(&r);
        scene_read_forces(&r);
        scene_read_probes(&r);
        scene_read_output(&r);
        scene_read_surface(&r, &scene->picture.surface);
        scene_read_render(&r, &scene->picture.render);
        check_whole(&r);
    }
    if (r.errors == 0 && !r.is_out_of_memory) {
        keep_facts(&r);
        *out = r.d;
        return SHOAL_OK;
    }
    scene->facts = (shoal_scene_facts){0};
    shoal_description_free(r.d);
    shoal_free(r.d);
    return r.is_out_of_memory ? shoal_fail(SHOAL_ERR_MEMORY, "out of memory while the scene was read") : SHOAL_OK;
}
