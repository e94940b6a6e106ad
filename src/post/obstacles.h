// SPDX-License-Identifier: MIT
// The obstacles of a run on disk as meshes, where they were at a time. For post/ only.
#ifndef SHOAL_POST_OBSTACLES_H
#define SHOAL_POST_OBSTACLES_H

#include "geom/contour.h"
#include "post/post_source.h"
#include "state/world.h"

typedef struct post_obstacles {
    int count;
    char (*names)[POST_MATERIAL_SIZE]; // as in file names; none is a material's
    shoal_description*    description; // domain, materials, obstacles
    shoal_render_settings render;
    shoal_world*          world;
    shoal_contour*        surfaces; // [count] each in its own frame
} post_obstacles;

// Reads what pictures need of the run's scene, the mesh files of obstacles too. Close it also on
// failure.
shoal_status post_obstacles_open(post_obstacles* obstacles, const post_source* source, const shoal_exec* exec);
void         post_obstacles_close(post_obstacles* obstacles);
// One of them where the world has it (shoal_world_move), with its velocity there; shoal_surface_mesh_destroy frees it.
shoal_status post_obstacle_mesh(post_obstacles* obstacles, int which, shoal_surface_mesh** out);

#endif
