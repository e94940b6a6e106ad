// SPDX-License-Identifier: MIT
// Random scenes: the same seed and fineness give the same scene on every machine. Sizes go from
// centimetres to tens of metres; walls, bodies, obstacles, emitters, sinks, forces, probes, materials,
// gravity and the solver's parameters are drawn over what a scene may say.
#ifndef SHOAL_SCENE_MAKER_H
#define SHOAL_SCENE_MAKER_H

#include <stdint.h>

#include "shoal/files.h"
#include "shoal/shoal.h"

// How far the solver's own parameters are from what it is made for.
typedef enum maker_mood {
    MAKER_PLAIN,    // no block for the solver
    MAKER_MODERATE, // values a user would try
    MAKER_WILD,     // anything that is allowed, and harsh accelerations
    MAKER_MOODS
} maker_mood;

enum { MAKER_MESHES_MOST = 8, MAKER_TEXT_SIZE = 1 << 15 };

typedef struct maker_scene {
    uint64_t   seed;
    char       solver[16];
    maker_mood mood;
    double     fps;
    int        frames, threads;
    double     min[3], max[3]; // of the domain
    bool       is_closed[6];   // left, right, bottom, top, back, front
    // meshes are given by calls, everything else is in the text
    char text[MAKER_TEXT_SIZE];
    char meshes[MAKER_MESHES_MOST][96]; // where in the scene
    int  mesh_count;
} maker_scene;

// Draws the scene `seed` for a solver; a larger `fineness` makes the spacing smaller.
void maker_draw(uint64_t seed, const char* solver, double fineness, maker_scene* out);

// The scene as the library has it: the text, then the meshes.
shoal_status maker_load(const maker_scene* made, shoal_scene** out);

#endif
