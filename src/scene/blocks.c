// SPDX-License-Identifier: MIT
// The tables of all blocks of a scene, and the list of blocks behind manual, schema and completion.
#include "scene/blocks.h"

#include "solvers/registry.h"

#include <string.h>
#include <threads.h>

#define SHOAL_PARAM_STRUCT scene_params
SHOAL_PARAMS_DEFINE(scene_params, SCENE_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_domain_params
SHOAL_PARAMS_DEFINE(scene_domain_params, SCENE_DOMAIN_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_walls_params
SHOAL_PARAMS_DEFINE(scene_walls_params, SCENE_WALLS_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_wall_params
SHOAL_PARAMS_DEFINE(scene_wall_params, SCENE_WALL_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_material_params
SHOAL_PARAMS_DEFINE(scene_material_params, SCENE_MATERIAL_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_body_params
SHOAL_PARAMS_DEFINE(scene_body_params, SCENE_BODY_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_obstacle_params
SHOAL_PARAMS_DEFINE(scene_obstacle_params, SCENE_OBSTACLE_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_motion_params
SHOAL_PARAMS_DEFINE(scene_motion_params, SCENE_MOTION_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_emitter_params
SHOAL_PARAMS_DEFINE(scene_emitter_params, SCENE_EMITTER_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_disc_params
SHOAL_PARAMS_DEFINE(scene_disc_params, SCENE_DISC_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_rain_params
SHOAL_PARAMS_DEFINE(scene_rain_params, SCENE_RAIN_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_probe_params
SHOAL_PARAMS_DEFINE(scene_probe_params, SCENE_PROBE_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_output_params
SHOAL_PARAMS_DEFINE(scene_output_params, SCENE_OUTPUT_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_box_params
SHOAL_PARAMS_DEFINE(scene_box_params, SCENE_BOX_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_sphere_params
SHOAL_PARAMS_DEFINE(scene_sphere_params, SCENE_SPHERE_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_rod_params
SHOAL_PARAMS_DEFINE(scene_rod_params, SCENE_ROD_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_torus_params
SHOAL_PARAMS_DEFINE(scene_torus_params, SCENE_TORUS_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_plane_params
SHOAL_PARAMS_DEFINE(scene_plane_params, SCENE_PLANE_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT scene_rotate_params
SHOAL_PARAMS_DEFINE(scene_rotate_params, SCENE_ROTATE_PARAMS)
#undef SHOAL_PARAM_STRUCT

// clang-format off
// By hand: `union` is no name for a member.
#define OTHER_ROW(name, forms, help) {name, SHOAL_PARAM_OTHER, offsetof(scene_shape_params, is_given), 0, 0, 0, forms, help}
const shoal_param_def scene_shape_params_table[] = {
    OTHER_ROW("box",       "box",      "a box"),
    OTHER_ROW("sphere",    "sphere",   "a ball"),
    OTHER_ROW("cylinder",  "cylinder", "a round rod"),
    OTHER_ROW("cone",      "cone",     "a cone, tip up"),
    OTHER_ROW("capsule",   "capsule",  "a rod with round ends"),
    OTHER_ROW("torus",     "torus",    "a ring"),
    OTHER_ROW("plane",     "plane",    "everything on one side of a plane"),
    OTHER_ROW("mesh",      "text",     "a mesh file (OBJ, PLY, STL), beside the scene file or in models/"),
    OTHER_ROW("union",     "[shape]",  "all of these together"),
    OTHER_ROW("intersect", "[shape]",  "what is inside all of these"),
    OTHER_ROW("subtract",  "[shape]",  "the first without the others"),
    {"at", SHOAL_PARAM_D3, offsetof(scene_shape_params, at), 0, -FAR, FAR, "m", "where its origin goes, after scale and rotate"},
    OTHER_ROW("rotate",    "rotate|[rotate]",   "turned about its origin, one after the other"),
    OTHER_ROW("scale",     "number|[number]",   "made larger, alike or along x, y, z, before everything else"),
    {0}};
// clang-format on

static const shoal_param_def no_params[] = {{0}};

static const shoal_param_block own_blocks[] = {
    {"scene",    "the keys of a scene file",                                       scene_params_table,          false},
    {"domain",   "the box it happens in",                                          scene_domain_params_table,   false},
    {"walls",
     "the sides of the domain: slip for liquids, the material's boundary_friction for sand, unless "
     "told",                                                                       scene_walls_params_table,    false},
    {"wall",     "a closed wall with friction",                                    scene_wall_params_table,     false},
    {"material", "what things are made of",                                        scene_material_params_table, false},
    {"body",     "material at the start, and the keys of a shape",                 scene_body_params_table,     true },
    {"obstacle", "a solid thing, and the keys of a shape",                         scene_obstacle_params_table, true },
    {"motion",   "one place of a moving obstacle",                                 scene_motion_params_table,   false},
    {"emitter",  "a source of material: disc, rain, or a shape that is kept full",
     scene_emitter_params_table,                                                                                true },
    {"disc",     "a jet",                                                          scene_disc_params_table,     false},
    {"rain",     "drops",                                                          scene_rain_params_table,     false},
    {"sink",     "takes out what comes inside; only the keys of a shape",          no_params,                   true },
    {"probe",    "a number measured in every frame",                               scene_probe_params_table,    false},
    {"output",   "what is written and how often",                                  scene_output_params_table,   false},
    {"surface",  "the surface around particles; lengths in spacings",              shoal_surface_params_table,  false},
    {"shape",    "one of the shapes, and how it is placed",                        scene_shape_params_table,    false},
    {"box",      "from min to max, or of a size about the origin",                 scene_box_params_table,      false},
    {"sphere",   "a ball",                                                         scene_sphere_params_table,   false},
    {"cylinder", "a round rod",                                                    scene_rod_params_table,      false},
    {"cone",     "a cone, tip up",                                                 scene_rod_params_table,      false},
    {"capsule",  "a rod with round ends",                                          scene_rod_params_table,      false},
    {"torus",    "a ring",                                                         scene_torus_params_table,    false},
    {"plane",    "everything below a plane",                                       scene_plane_params_table,    false},
    {"rotate",   "a turn",                                                         scene_rotate_params_table,   false},
};

enum {
    OWN_COUNT    = sizeof own_blocks / sizeof own_blocks[0],
    SCENE_COUNT  = sizeof scene_params_table / sizeof scene_params_table[0] - 1,
    SOLVERS_MOST = 16
};

static shoal_param_block all_blocks[OWN_COUNT + SOLVERS_MOST + 1];
static shoal_param_def   top_table[SCENE_COUNT + SOLVERS_MOST + 1];
static const char*       solver_names[SOLVERS_MOST + 1];
static once_flag         lists_once = ONCE_FLAG_INIT;

static void make_lists(void) {
    memcpy(all_blocks, own_blocks, sizeof own_blocks);
    memcpy(top_table, scene_params_table, SCENE_COUNT * sizeof top_table[0]);
    for (int k = 0; shoal_solver_types[k]; k++) {
        const shoal_solver_type* type = shoal_solver_types[k];
        SHOAL_ASSERT(k < SOLVERS_MOST);
        solver_names[k] = type->name;
        all_blocks[OWN_COUNT + k] =
            (shoal_param_block){type->name, type->summary, type->params, false};
        // the flag of `output` is never read, so its place serves all solvers
        top_table[SCENE_COUNT + k] = (shoal_param_def){
            type->name, SHOAL_PARAM_OTHER, offsetof(scene_params, output), 0, 0, 0,
            type->name, type->summary};
    }
    all_blocks[0].params = top_table;
}

const shoal_param_def* scene_top_table(void) {
    call_once(&lists_once, make_lists);
    return top_table;
}

const shoal_param_block* shoal_param_blocks(void) {
    call_once(&lists_once, make_lists);
    return all_blocks;
}

shoal_status shoal_params_print(const char* name, shoal_param_form form, char** text) {
    shoal_text out = {0};
    *text          = NULL;
    shoal_status status =
        shoal_param_blocks_print(shoal_param_blocks(), solver_names, name, form, &out);
    if (status == SHOAL_OK)
        *text = out.bytes;
    else
        shoal_text_free(&out);
    return status;
}
