// SPDX-License-Identifier: MIT
// A camera from a file of its own, so that one path serves several scenes and runs.
#include "scene/scene_local.h"
#include "shoal/files.h"

#include <limits.h>

// Faults are reported at their places in that file.
static shoal_status set_origins(shoal_scene* scene, shoal_node* node, const char* path) {
    SHOAL_TRY(shoal_scene_add_origin(scene, &node->origin, "%.200s:%d:%d", path, node->line, node->column));
    for (shoal_node* child = node->first; child; child = child->next) SHOAL_TRY(set_origins(scene, child, path));
    return SHOAL_OK;
}

shoal_status shoal_scene_set_camera(shoal_scene* scene, const char* path) {
    shoal_scene* file;
    int          left   = INT_MAX;
    shoal_status status = shoal_scene_load(path, &file);
    if (status != SHOAL_OK) {
        shoal_scene_destroy(file);
        return status;
    }
    const shoal_node* named = shoal_node_child(file->root, "camera");
    shoal_node*       value = shoal_node_copy(named ? named : file->root, &left);
    status                  = value ? set_origins(scene, value, path) : SHOAL_ERR_MEMORY;
    shoal_scene_destroy(file);
    if (status != SHOAL_OK) {
        shoal_node_destroy(value);
        return status;
    }
    shoal_scene_touch(scene);
    return shoal_node_put(scene->root, "render.camera", value);
}
