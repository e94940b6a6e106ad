// SPDX-License-Identifier: MIT
// A checked scene with every default filled in, as JSON that is itself a scene. Shapes are written
// as they were given: the description keeps only what they became.
#include "base/hash.h"
#include "scene/scene_read.h"
#include "shoal/scene.h"

#include <math.h>
#include <string.h>

static void write_number(shoal_text* text, double value, bool single) {
    char buffer[32];
    shoal_text_add(text, "%s", shoal_number_print(value, single, buffer));
}

static void write_tree(shoal_text* text, const shoal_node* node) {
    bool first = true;
    switch (node->kind) {
    case SHOAL_NODE_NULL:
        shoal_text_add(text, "null");
        break;
    case SHOAL_NODE_FLAG:
        shoal_text_add(text, node->number != 0.0 ? "true" : "false");
        break;
    case SHOAL_NODE_NUMBER:
        write_number(text, node->number, false);
        break;
    case SHOAL_NODE_TEXT:
        shoal_json_string(text, node->text);
        break;
    case SHOAL_NODE_LIST:
    case SHOAL_NODE_MAP:
        shoal_text_add(text, node->kind == SHOAL_NODE_LIST ? "[" : "{");
        for (const shoal_node* child = node->first; child; child = child->next, first = false) {
            if (!first) shoal_text_add(text, ", ");
            if (node->kind == SHOAL_NODE_MAP) {
                shoal_json_string(text, child->key);
                shoal_text_add(text, ": ");
            }
            write_tree(text, child);
        }
        shoal_text_add(text, node->kind == SHOAL_NODE_LIST ? "]" : "}");
        break;
    case SHOAL_NODE_MESH: {
        // stands for the triangles, so that two scenes differ where their meshes do
        uint64_t hash =
            shoal_hash(node->mesh->vertices, (size_t)node->mesh->vertex_count * sizeof *node->mesh->vertices, 0);
        hash = shoal_hash(node->mesh->triangles, 3 * (size_t)node->mesh->triangle_count * sizeof *node->mesh->triangles,
                          hash);
        shoal_text_add(text, "\"memory:%016llx\"", (unsigned long long)hash);
        break;
    }
    }
}

// The keys of a shape in the order of their table; `at` and scale with their defaults.
static void write_shape(shoal_text* text, const shoal_node* map, bool moves) {
    for (const shoal_param_def* def = scene_shape_params_table; def->name; def++) {
        const shoal_node* node   = shoal_node_child(map, def->name);
        const char*       filler = strcmp(def->name, "at") == 0 && !moves ? "[0, 0, 0]"
                                   : strcmp(def->name, "scale") == 0      ? "1"
                                                                          : NULL;
        if (!node && !filler) continue;
        shoal_text_add(text, ", \"%s\": ", def->name);
        if (node)
            write_tree(text, node);
        else
            shoal_text_add(text, "%s", filler);
    }
}

static void write_v3(shoal_text* text, const char* key, shoal_v3 v) {
    shoal_text_add(text, ", \"%s\": [", key);
    for (int k = 0; k < 3; k++) {
        if (k) shoal_text_add(text, ", ");
        write_number(text, (double)shoal_v3_axis(v, k), true);
    }
    shoal_text_add(text, "]");
}

static void write_d3(shoal_text* text, const char* key, shoal_d3 v) {
    shoal_text_add(text, ", \"%s\": [", key);
    for (int k = 0; k < 3; k++) {
        if (k) shoal_text_add(text, ", ");
        write_number(text, shoal_d3_axis(v, k), false);
    }
    shoal_text_add(text, "]");
}

static void write_string(shoal_text* text, const char* before, const char* value) {
    shoal_text_add(text, "%s", before);
    shoal_json_string(text, value);
}

static void write_double(shoal_text* text, const char* key, double value) {
    shoal_text_add(text, ", \"%s\": ", key);
    write_number(text, value, false);
}

static void write_domain(shoal_text* text, const shoal_description* d) {
    static const char* const names[]  = {"left", "right", "bottom", "top", "back", "front"};
    static const char* const kinds[]  = {"open", "slip", "stick", "", "periodic"};
    bool                     has_sand = false, first = true;
    if (!d->domain.is_given) return;
    for (int m = 0; m < d->material_count; m++) has_sand |= d->materials[m].kind == SHOAL_GRANULAR;
    shoal_text_add(text, ",\n  \"domain\": {\"min\": [");
    for (int k = 0; k < 3; k++)
        shoal_text_add(text, k ? ", " : ""), write_number(text, shoal_d3_axis(d->domain.min, k), false);
    shoal_text_add(text, "]");
    write_d3(text, "max", d->domain.max);
    shoal_text_add(text, ", \"walls\": {");
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) {
        shoal_wall wall = d->domain.walls[w];
        if (wall.kind == SHOAL_WALL_DEFAULT && has_sand) continue; // its default has no word
        shoal_text_add(text, "%s\"%s\": ", first ? "" : ", ", names[w]);
        first = false;
        if (wall.kind == SHOAL_WALL_FRICTION) {
            shoal_text_add(text, "{\"friction\": ");
            write_number(text, (double)wall.friction, true);
            shoal_text_add(text, "}");
        } else {
            shoal_text_add(text, "\"%s\"", wall.kind == SHOAL_WALL_DEFAULT ? "slip" : kinds[wall.kind]);
        }
    }
    shoal_text_add(text, "}}");
}

static void write_materials(shoal_text* text, const shoal_description* d) {
    shoal_text_add(text, ",\n  \"materials\": {");
    for (int k = 0; k < d->material_count; k++) {
        const shoal_material* m = &d->materials[k];
        scene_material_params p = {0,
                                   m->kind == SHOAL_LIQUID ? 0 : 1,
                                   m->density,
                                   m->viscosity,
                                   m->surface_tension,
                                   m->packing,
                                   m->friction_angle,
                                   m->boundary_friction,
                                   m->cohesion,
                                   m->grain_size,
                                   m->wetness,
                                   m->porosity,
                                   m->permeability,
                                   m->capillary_height,
                                   m->cohesion_wet,
                                   m->ideal_saturation,
                                   m->mud_friction,
                                   m->mud_viscosity,
                                   m->stickiness};
        shoal_text_add(text, "%s\n    ", k ? "," : "");
        shoal_json_string(text, m->name);
        shoal_text_add(text, ": {");
        shoal_param_json(text, scene_material_params_table, &p, true);
        shoal_text_add(text, "}");
    }
    shoal_text_add(text, "\n  }");
}

static void write_bodies(shoal_text* text, const shoal_description* d, const shoal_node* list) {
    const shoal_node* node = list ? list->first : NULL;
    for (int k = 0; k < d->body_count; k++, node = node->next) {
        write_string(text, k ? ",\n    {\"material\": " : ",\n  \"bodies\": [\n    {\"material\": ",
                     d->materials[d->bodies[k].material].name);
        write_shape(text, node, false);
        write_v3(text, "velocity", d->bodies[k].velocity);
        write_v3(text, "spin", d->bodies[k].spin);
        if (d->materials[d->bodies[k].material].kind == SHOAL_GRANULAR &&
            (shoal_solver_find(d->solver)->bodies & SHOAL_BODIES_SPHERES))
            shoal_text_add(text, ", \"arrangement\": \"%s\"",
                           d->bodies[k].arrangement == SHOAL_RANDOM ? "random" : "lattice");
        if (d->bodies[k].is_fixed) shoal_text_add(text, ", \"fixed\": true");
        shoal_text_add(text, "}");
    }
    if (d->body_count > 0) shoal_text_add(text, "\n  ]");
}

static void write_motion(shoal_text* text, const shoal_motion_key* keys, int count) {
    for (int k = 0; k < count; k++) {
        const shoal_motion_key* key = &keys[k];
        shoal_text_add(text, k ? ", {\"t\": " : ", \"motion\": [{\"t\": ");
        write_number(text, key->t, false);
        write_d3(text, "at", key->at);
        shoal_text_add(text, ", \"rotate\": {\"degrees\": ");
        write_number(text, key->degrees, false);
        write_d3(text, "axis", key->axis);
        shoal_text_add(text, "}}");
    }
    if (count > 0) shoal_text_add(text, "]");
}

static void write_obstacles(shoal_text* text, const shoal_description* d, const shoal_node* list) {
    const shoal_node* node = list ? list->first : NULL;
    for (int k = 0; k < d->obstacle_count; k++, node = node->next) {
        const shoal_obstacle* o = &d->obstacles[k];
        write_string(text, k ? ",\n    {\"name\": " : ",\n  \"obstacles\": [\n    {\"name\": ", o->name);
        bool has_motion = shoal_node_child(node, "motion") != NULL; // else its one key, if any, is where it is put
        write_shape(text, node, has_motion);
        shoal_text_add(text, ", \"friction\": ");
        write_number(text, (double)o->friction, true);
        shoal_text_add(text, ", \"stick\": %s", o->is_sticky ? "true" : "false");
        if (o->is_movable) shoal_text_add(text, ", \"movable\": true");
        if (has_motion) write_motion(text, o->keys, o->key_count);
        shoal_text_add(text, "}");
    }
    if (d->obstacle_count > 0) shoal_text_add(text, "\n  ]");
}

static void write_rain(shoal_text* text, const shoal_emitter* e) {
    shoal_text box = {0};
    write_d3(&box, "min", e->min);
    write_d3(&box, "max", e->max);
    if (isfinite(e->rainfall))
        write_double(&box, "rainfall", e->rainfall);
    else if (!isfinite(e->flow))
        write_double(&box, "rate", e->rate);
    shoal_text_add(text, ", \"rain\": {%s}", box.bytes ? box.bytes + 2 : ""); // without its first comma
    text->failed |= box.failed;
    shoal_text_free(&box);
}

// The velocity of a stream is that of its `flow` by now.
static void write_emitters(shoal_text* text, const shoal_description* d, const shoal_node* list) {
    const shoal_node* node = list ? list->first : NULL;
    for (int k = 0; k < d->emitter_count; k++, node = node->next) {
        const shoal_emitter* e = &d->emitters[k];
        write_string(text, k ? ",\n    {\"material\": " : ",\n  \"emitters\": [\n    {\"material\": ",
                     d->materials[e->material].name);
        if (e->kind == SHOAL_EMIT_DISC) {
            shoal_text_add(text, ", \"disc\": {\"radius\": ");
            write_number(text, e->radius, false);
            shoal_text_add(text, "}");
            if (e->key_count == 0) write_d3(text, "at", e->at);
        } else if (e->kind == SHOAL_EMIT_RAIN) {
            if (isfinite(e->flow)) write_double(text, "flow", e->flow);
            write_rain(text, e);
        } else {
            write_shape(text, node, e->key_count > 0);
        }
        write_motion(text, e->keys, e->key_count);
        write_v3(text, "velocity", e->velocity);
        write_double(text, "from", e->from);
        if (isfinite(e->until)) write_double(text, "until", e->until);
        shoal_text_add(text, "}");
    }
    if (d->emitter_count > 0) shoal_text_add(text, "\n  ]");
}

static void write_sinks(shoal_text* text, const shoal_node* list) {
    if (!list || !list->first) return;
    shoal_text_add(text, ",\n  \"sinks\": [");
    for (const shoal_node* node = list->first; node; node = node->next) {
        shoal_text one = {0};
        write_shape(&one, node, false);
        shoal_text_add(text, "%s\n    {%s}", node == list->first ? "" : ",",
                       one.bytes ? one.bytes + 2 : ""); // without its first comma
        text->failed |= one.failed;
        shoal_text_free(&one);
    }
    shoal_text_add(text, "\n  ]");
}

static void write_forces(shoal_text* text, const shoal_description* d, const shoal_node* list) {
    const shoal_node* node = list ? list->first : NULL;
    for (int k = 0; k < d->force_count; k++, node = node->next) {
        const shoal_force* f = &d->forces[k];
        shoal_text_add(text, "%s\n    {\"from\": ", k ? "," : ",\n  \"forces\": [");
        write_number(text, f->from, false);
        if (isfinite(f->until)) write_double(text, "until", f->until);
        write_d3(text, "acceleration", f->acceleration);
        if (f->material >= 0) write_string(text, ", \"material\": ", d->materials[f->material].name);
        if (f->shape) write_shape(text, node, false);
        shoal_text_add(text, "}");
    }
    if (d->force_count > 0) shoal_text_add(text, "\n  ]");
}

static void write_probes(shoal_text* text, const shoal_description* d) {
    static const char* const kinds[] = {"front", "height", "pressure"};
    for (int k = 0; k < d->probe_count; k++) {
        const shoal_probe* p = &d->probes[k];
        write_string(text, k ? ",\n    {\"name\": " : ",\n  \"probes\": [\n    {\"name\": ", p->name);
        shoal_text_add(text, ", \"kind\": \"%s\"", kinds[p->kind]);
        if (p->kind == SHOAL_PROBE_FRONT) {
            shoal_text_add(text, ", \"axis\": \"%c\"", 'x' + p->axis);
        } else if (p->kind == SHOAL_PROBE_HEIGHT) {
            shoal_text_add(text, ", \"at\": [");
            write_number(text, p->at.x, false);
            shoal_text_add(text, ", ");
            write_number(text, p->at.z, false);
            shoal_text_add(text, "]");
        } else {
            write_d3(text, "at", p->at);
        }
        shoal_text_add(text, "}");
    }
    if (d->probe_count > 0) shoal_text_add(text, "\n  ]");
}

static void write_output(shoal_text* text, const shoal_output* o) {
    shoal_text_add(text, ",\n  \"output\": {\"every\": %d, \"checkpoint\": %d, \"fields\": [", o->every, o->checkpoint);
    for (int k = 0; k < o->field_count; k++) write_string(text, k ? ", " : "", o->fields[k]);
    shoal_text_add(text, "]}");
}

static void write_scene(shoal_text* text, const shoal_scene* scene, const shoal_description* d) {
    const shoal_node*        root = scene->root;
    const shoal_solver_type* type = shoal_solver_find(d->solver);
    scene_params             p    = {.frames  = d->frames,
                                     .fps     = d->fps,
                                     .spacing = d->spacing,
                                     .gravity = d->gravity,
                                     .seed    = (int)d->seed,
                                     .far     = d->far,
                                     .jitter  = d->jitter,
                                     .quality = d->is_fine ? SCENE_QUALITY_FINE : SCENE_QUALITY_FAST};
    write_string(text, "{\n  \"name\": ", d->name);
    write_string(text, ",\n  \"solver\": ", d->solver);
    shoal_text_add(text, ",\n  ");
    shoal_param_json(text, scene_params_table, &p, true);
    write_domain(text, d);
    write_materials(text, d);
    write_bodies(text, d, shoal_node_child(root, "bodies"));
    write_obstacles(text, d, shoal_node_child(root, "obstacles"));
    write_emitters(text, d, shoal_node_child(root, "emitters"));
    write_sinks(text, shoal_node_child(root, "sinks"));
    write_forces(text, d, shoal_node_child(root, "forces"));
    write_probes(text, d);
    write_string(text, ",\n  ", d->solver);
    shoal_text_add(text, ": {");
    shoal_param_json(text, type->params, d->solver_params, true);
    shoal_text_add(text, "}");
    write_output(text, &d->output);
    shoal_text_add(text, ",\n  \"surface\": {");
    shoal_param_json(text, shoal_surface_params_table, &scene->picture.surface, true);
    shoal_text_add(text, "}");
    const shoal_node* render = shoal_node_child(root, "render");
    if (render) {
        shoal_text_add(text, ",\n  \"render\": ");
        write_tree(text, render);
    }
    shoal_text_add(text, "\n}\n");
}

shoal_status shoal_scene_resolved(shoal_scene* scene, char** json) {
    shoal_description* d    = NULL;
    shoal_text         text = {0};
    *json                   = NULL;
    SHOAL_TRY(shoal_scene_describe(scene, &d));
    write_scene(&text, scene, d);
    if (text.failed) {
        shoal_text_free(&text);
        return shoal_fail(SHOAL_ERR_MEMORY, "out of memory while the scene was written");
    }
    *json = text.bytes;
    return SHOAL_OK;
}
