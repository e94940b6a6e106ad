// SPDX-License-Identifier: MIT
// Obstacles as meshes: made once in their own frames, then put where they are.
#include "post/obstacles.h"

#include "geom/shape_surface.h"
#include "surface/surface.h"

#include <stdio.h>
#include <string.h>

// "obstacles.0", which is one without a name, becomes "obstacle_0".
static void name_one(post_obstacles* o, const post_source* source, int k) {
    char*       name  = o->names[k];
    const char* given = o->world->obstacles[k].name;
    if (strncmp(given, "obstacles.", 10) == 0)
        snprintf(name, SHOAL_NAME_SIZE, "obstacle_%s", given + 10);
    else
        snprintf(name, SHOAL_NAME_SIZE, "%s", given);
    post_name_for_files(name);
    bool is_taken = false;
    for (int i = 0; i < k; i++) is_taken |= strcmp(o->names[i], name) == 0;
    for (int i = 0; i < source->material_count; i++) is_taken |= strcmp(source->materials[i], name) == 0;
    size_t used = strlen(name);
    if (is_taken) snprintf(name + used, POST_MATERIAL_SIZE - used, "_%d", k);
}

// Half spaces are shown a little beyond the domain.
static shoal_box clip_of(const shoal_description* d) {
    const double around = 10.0; // m; without a domain
    shoal_box    box = {d->domain.min, d->domain.max}, none = {{-around, -around, -around}, {around, around, around}};
    if (!d->domain.is_given) return none;
    return shoal_box_grown(box, 0.05 * shoal_d3_length(shoal_d3_sub(box.max, box.min)));
}

shoal_status post_obstacles_open(post_obstacles* o, const post_source* source, const shoal_exec* exec) {
    *o             = (post_obstacles){0};
    o->description = shoal_alloc(1, sizeof *o->description);
    if (!o->description) return SHOAL_ERR_MEMORY;
    o->description->spacing = source->surface.spacing;
    SHOAL_TRY(shoal_scene_read_view(source->scene, o->description, &o->render));
    SHOAL_TRY(shoal_world_create(o->description, &o->world));
    int count   = o->world->collider_count;
    o->surfaces = shoal_alloc((size_t)count + 1, sizeof *o->surfaces);
    o->names    = shoal_alloc((size_t)count + 1, sizeof *o->names);
    if (!o->surfaces || !o->names) return SHOAL_ERR_MEMORY;
    double cell = (double)source->surface.surface.cell * source->surface.spacing;
    for (; o->count < count; o->count++) {
        name_one(o, source, o->count);
        SHOAL_TRY(shoal_shape_surface(o->world->obstacles[o->count].shape, clip_of(o->description), cell, exec,
                                      &o->surfaces[o->count]));
    }
    return SHOAL_OK;
}

void post_obstacles_close(post_obstacles* o) {
    for (int k = 0; k < o->count; k++) shoal_contour_free(&o->surfaces[k]);
    shoal_free(o->surfaces);
    shoal_free(o->names);
    shoal_world_destroy(o->world);
    if (o->description) shoal_description_free(o->description);
    shoal_free(o->description);
    *o = (post_obstacles){0};
}

shoal_status post_obstacle_mesh(post_obstacles* o, int which, shoal_surface_mesh** out) {
    const shoal_contour* surface = &o->surfaces[which];
    float*               velocities;
    shoal_surface_mesh*  mesh;
    shoal_status         status = shoal_surface_mesh_create(surface->vertex_count, surface->triangle_count, &mesh);
    if (status == SHOAL_OK) status = shoal_surface_mesh_add(mesh, "velocity", 3, &velocities);
    *out = status == SHOAL_OK ? mesh : NULL;
    if (status != SHOAL_OK) shoal_surface_mesh_destroy(mesh);
    SHOAL_TRY(status);
    memcpy(mesh->triangles, surface->triangles, (size_t)surface->triangle_count * 3 * sizeof(int));
    const shoal_collider* c = &o->world->colliders[which];
    for (size_t i = 0; i < (size_t)surface->vertex_count; i++) {
        shoal_d3 p     = shoal_quat_rotate(c->rotation, shoal_d3_from(surface->vertices[i]));
        shoal_d3 n     = shoal_quat_rotate(c->rotation, shoal_d3_from(surface->normals[i]));
        p              = shoal_d3_add(p, c->at);
        shoal_v3 place = shoal_v3_from(p), normal = shoal_v3_from(n),
                 velocity = shoal_v3_from(shoal_collider_velocity(c, p));
        memcpy(mesh->positions + 3 * i, &place, sizeof place);
        memcpy(mesh->normals + 3 * i, &normal, sizeof normal);
        memcpy(velocities + 3 * i, &velocity, sizeof velocity);
    }
    return SHOAL_OK;
}
