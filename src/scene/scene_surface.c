// SPDX-License-Identifier: MIT
// The block `surface` of a scene, as part of the whole or for a run that lies on disk.
#include "scene/scene_read.h"

#include <math.h>

void scene_read_surface(scene_reader* r, shoal_surface_params* out) {
    static const shoal_node empty = {.kind = SHOAL_NODE_MAP};
    const shoal_node*       node  = shoal_node_child(r->scene->root, "surface");
    size_t                  mark  = scene_enter(r, "surface");
    r->preset                     = r->type ? r->type->surface : NULL;
    bool right = scene_read_map(r, node ? node : &empty, (scene_table[]){{shoal_surface_params_table, out}, {0}});
    r->preset  = NULL;
    if (right && out->radius >= shoal_surface_support(out))
        scene_error(r, shoal_node_child(node, "radius"), "radius = %g is not below support = %g", (double)out->radius,
                    (double)shoal_surface_support(out));
    scene_leave(r, mark);
}

static double number_of(const shoal_scene* scene, const char* key, double otherwise) {
    const shoal_node* node = shoal_node_child(scene->root, key);
    return node && node->kind == SHOAL_NODE_NUMBER ? node->number : otherwise;
}

shoal_status shoal_scene_read_surface(shoal_scene* scene, shoal_scene_surface* out) {
    scene_reader r = {.scene = scene};
    *out           = (shoal_scene_surface){.spacing   = number_of(scene, "spacing", 0.0),
                                           .fps       = number_of(scene, "fps", 0.0),
                                           .materials = shoal_node_child(scene->root, "materials")};
    shoal_scene_touch(scene);
    scene_read_surface(&r, &out->surface);
    SHOAL_TRY(scene_first_error(scene));
    if (!(out->spacing > 0.0) || !(out->fps > 0.0) || !isfinite(out->spacing) || !isfinite(out->fps))
        return shoal_fail(SHOAL_ERR_INPUT, "%s: the scene has no spacing and fps above 0",
                          scene->file ? scene->file : "scene");
    return SHOAL_OK;
}
