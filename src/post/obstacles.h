// SPDX-License-Identifier: MIT
// The obstacles of a run on disk as meshes, where they were at a time. For post/ only.
#ifndef SHOAL_RUN_OBSTACLES_H
#define SHOAL_RUN_OBSTACLES_H

#include "geom/contour.h"
#include "post/run_source.h"
#include "state/world.h"

typedef struct run_obstacles {
    int count;
    char (*names)[RUN_MATERIAL_SIZE]; // as in file names; none is a material's
    shoal_description* description;   // domain, materials, obstacles, render
    shoal_world*       world;
    shoal_contour*     surfaces; // [count] each in its own frame
} run_obstacles;

// Reads what pictures need of the run's scene, the mesh files of obstacles too. Close it also on
// failure.
shoal_status run_obstacles_open(run_obstacles* obstacles, const run_source* source, const shoal_exec* exec);
void         run_obstacles_close(run_obstacles* obstacles);
// One of them where the world has it (shoal_world_move), with its velocity there; shoal_surface_mesh_destroy frees it.
shoal_status run_obstacle_mesh(run_obstacles* obstacles, int which, shoal_surface_mesh** out);

#endif
