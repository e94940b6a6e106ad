// SPDX-License-Identifier: MIT
// What other folders see of a scene beyond shoal/scene.h: its tree, its description, and what surfaces and pictures
// read of it. The struct itself is scene_local.h's.
#ifndef SHOAL_SCENE_ACCESS_H
#define SHOAL_SCENE_ACCESS_H

#include "appearance/picture_params.h"
#include "scene/tree.h"
#include "shoal/scene.h"
#include "state/description.h"

const shoal_node* shoal_scene_root(const shoal_scene* scene);
const char*       shoal_scene_folder(const shoal_scene* scene); // where mesh files are looked for; NULL: here
shoal_status      shoal_scene_set_folder(shoal_scene* scene, const char* folder);
// The scene becomes a copy of one map of its tree (of run.json: the key "scene").
shoal_status shoal_scene_narrow(shoal_scene* scene, const shoal_node* part);

// Checks if needed. The description stays the scene's, until it changes or is taken.
shoal_status shoal_scene_describe(shoal_scene* scene, shoal_description** out);
// Checks if needed, then hands the description over to the caller, which frees it (shoal_description_free, shoal_free).
shoal_status shoal_scene_take_description(shoal_scene* scene, shoal_description** out);

// The path of a mesh file. Named in the file: beside the scene file, in models/ there, in models/ here, or here. Named
// by shoal_scene_set_value: here, beside the scene file, in models/ there, or in models/ here. False: nowhere.
bool shoal_scene_find_mesh(const shoal_scene* scene, const char* name, char* path, size_t capacity);

// What a surface needs to know of a scene, read without looking at shapes: their mesh files may be gone.
typedef struct shoal_scene_surface {
    shoal_surface_params surface;
    double               spacing, fps;
    const shoal_node*    materials; // a map, in the order of their numbers; NULL: none
} shoal_scene_surface;
shoal_status shoal_scene_read_surface(shoal_scene* scene, shoal_scene_surface* out);
// What a picture needs to know: domain, materials and obstacles, and the block `render`. out->spacing must be set; free
// it with shoal_description_free, also after a failure.
shoal_status shoal_scene_read_view(shoal_scene* scene, shoal_description* out, shoal_render_settings* render);

#endif
