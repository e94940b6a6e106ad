// SPDX-License-Identifier: MIT
// The tables of all blocks of a scene, and the list of blocks behind manual, schema and completion.
#include "scene/blocks.h"

#include "solvers/registry.h"

#include <stdio.h>
#include <string.h>
#include <threads.h>

SHOAL_PARAMS_DEFINE(scene_params, SCENE_PARAMS)
SHOAL_PARAMS_DEFINE(scene_domain_params, SCENE_DOMAIN_PARAMS)
SHOAL_PARAMS_DEFINE(scene_walls_params, SCENE_WALLS_PARAMS)
SHOAL_PARAMS_DEFINE(scene_wall_params, SCENE_WALL_PARAMS)
SHOAL_PARAMS_DEFINE(scene_material_params, SCENE_MATERIAL_PARAMS)
SHOAL_PARAMS_DEFINE(scene_body_params, SCENE_BODY_PARAMS)
SHOAL_PARAMS_DEFINE(scene_obstacle_params, SCENE_OBSTACLE_PARAMS)
SHOAL_PARAMS_DEFINE(scene_motion_params, SCENE_MOTION_PARAMS)
SHOAL_PARAMS_DEFINE(scene_emitter_params, SCENE_EMITTER_PARAMS)
SHOAL_PARAMS_DEFINE(scene_disc_params, SCENE_DISC_PARAMS)
SHOAL_PARAMS_DEFINE(scene_rain_params, SCENE_RAIN_PARAMS)
SHOAL_PARAMS_DEFINE(scene_force_params, SCENE_FORCE_PARAMS)
SHOAL_PARAMS_DEFINE(scene_probe_params, SCENE_PROBE_PARAMS)
SHOAL_PARAMS_DEFINE(scene_output_params, SCENE_OUTPUT_PARAMS)
SHOAL_PARAMS_DEFINE(scene_box_params, SCENE_BOX_PARAMS)
SHOAL_PARAMS_DEFINE(scene_sphere_params, SCENE_SPHERE_PARAMS)
SHOAL_PARAMS_DEFINE(scene_rod_params, SCENE_ROD_PARAMS)
SHOAL_PARAMS_DEFINE(scene_torus_params, SCENE_TORUS_PARAMS)
SHOAL_PARAMS_DEFINE(scene_plane_params, SCENE_PLANE_PARAMS)
SHOAL_PARAMS_DEFINE(scene_rotate_params, SCENE_ROTATE_PARAMS)

// clang-format off
// By hand: `union` is no name for a member.
#define OTHER_ROW(name, forms, help) {name, SHOAL_PARAM_OTHER, offsetof(scene_shape_params, is_given), 0, 0, 0, forms, help, NULL, NULL}
const shoal_param_def scene_shape_params_table[] = {
    OTHER_ROW("box",       "box",      "a box"),
    OTHER_ROW("sphere",    "sphere",   "a ball"),
    OTHER_ROW("cylinder",  "cylinder", "a round rod"),
    OTHER_ROW("cone",      "cone",     "a cone, tip up"),
    OTHER_ROW("capsule",   "capsule",  "a rod with round ends"),
    OTHER_ROW("torus",     "torus",    "a ring"),
    OTHER_ROW("plane",     "plane",    "everything on one side of a plane"),
    OTHER_ROW("mesh",      "text",     "a mesh file (OBJ, PLY, STL): beside the scene file, in models/ there or here, or here"),
    OTHER_ROW("union",     "[shape]",  "all of these together"),
    OTHER_ROW("intersect", "[shape]",  "what is inside all of these"),
    OTHER_ROW("subtract",  "[shape]",  "the first without the others"),
    {"at", SHOAL_PARAM_D3, offsetof(scene_shape_params, at), 0, -FAR, FAR, "m", "where its origin goes, after scale and rotate", NULL, NULL},
    OTHER_ROW("rotate",    "rotate|[rotate]",   "turned about its origin, one after the other"),
    OTHER_ROW("scale",     "number|[number]",   "made larger, alike or along x, y, z, before everything else"),
    {0}};
// clang-format on

static const shoal_param_def no_params[] = {{0}};

#define SHAPE_WORDS "box|sphere|cylinder|cone|capsule|torus|plane|mesh|union|intersect|subtract"

static const shoal_param_block own_blocks[] = {
    // clang-format off
    {"scene", "the keys of a scene file", scene_params_table, false, NULL},
    {"domain", "the box it happens in", scene_domain_params_table, false, NULL},
    {"walls", "the sides of the domain; by default slip for liquids, the material's boundary_friction for sand", scene_walls_params_table, false, NULL},
    {"wall", "a closed wall with friction", scene_wall_params_table, false, NULL},
    {"material", "what things are made of", scene_material_params_table, false, NULL},
    {"body", "material at the start, and the keys of a shape", scene_body_params_table, true, SHAPE_WORDS},
    {"obstacle", "a solid thing, and the keys of a shape", scene_obstacle_params_table, true, SHAPE_WORDS},
    {"motion", "one place of a moving obstacle or tap", scene_motion_params_table, false, NULL},
    {"emitter", "a source of material: disc, rain, or a shape that is kept full", scene_emitter_params_table, true, "disc|rain|" SHAPE_WORDS},
    {"disc", "a jet", scene_disc_params_table, false, NULL},
    {"rain", "drops", scene_rain_params_table, false, NULL},
    {"sink", "takes out what comes inside; only the keys of a shape", no_params, true, SHAPE_WORDS},
    {"force", "an acceleration, everywhere or within a shape, always or for a while", scene_force_params_table, true, NULL},
    {"probe", "a number measured in every frame", scene_probe_params_table, false, NULL},
    {"output", "what is written and how often", scene_output_params_table, false, NULL},
    {"surface", "the surface around particles; lengths in spacings", shoal_surface_params_table, false, NULL},
    {"render", "pictures; a colour is red, green and blue in linear light", shoal_render_params_table, false, NULL},
    {"camera", "the eye", shoal_camera_params_table, false, NULL},
    {"view", "one place of a moving camera", shoal_view_params_table, false, NULL},
    {"lights", "where light comes from", shoal_lights_params_table, false, NULL},
    {"lamp", "a square that shines to one side", shoal_lamp_params_table, false, NULL},
    {"background", "the sky, from straight up to straight down", shoal_background_params_table, false, NULL},
    {"appearance", "what a material or an obstacle looks like", shoal_appearance_params_table, false, NULL},
    {"shape", "one of the shapes, and how it is placed", scene_shape_params_table, false, SHAPE_WORDS},
    {"box", "from min to max, or of a size about the origin", scene_box_params_table, false, "min+max|size"},
    {"sphere", "a ball", scene_sphere_params_table, false, NULL},
    {"cylinder", "a round rod", scene_rod_params_table, false, NULL},
    {"cone", "a cone, tip up", scene_rod_params_table, false, NULL},
    {"capsule", "a rod with round ends", scene_rod_params_table, false, NULL},
    {"torus", "a ring", scene_torus_params_table, false, NULL},
    {"plane", "everything below a plane", scene_plane_params_table, false, NULL},
    {"rotate", "a turn", scene_rotate_params_table, false, NULL},
    // clang-format on
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
        solver_names[k]           = type->name;
        all_blocks[OWN_COUNT + k] = (shoal_param_block){type->name, type->summary, type->params, false, NULL};
        // the flag of `output` is never read, so its place serves all solvers
        top_table[SCENE_COUNT + k] = (shoal_param_def){
            type->name, SHOAL_PARAM_OTHER, offsetof(scene_params, output), 0, 0, 0, type->name, type->summary, NULL,
            NULL};
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

// --- paths

static const shoal_param_block* find_block(const char* name, size_t length) {
    for (const shoal_param_block* block = shoal_param_blocks(); block->name; block++)
        if (strlen(block->name) == length && memcmp(block->name, name, length) == 0) return block;
    return NULL;
}

static const shoal_param_def* find_def(const shoal_param_def* table, const char* name, size_t length) {
    for (; table->name; table++)
        if (strlen(table->name) == length && memcmp(table->name, name, length) == 0) return table;
    return NULL;
}

const shoal_param_def* shoal_scene_def_at(const char* path, size_t length) {
    const char*              end   = path + length;
    const shoal_param_block* block = find_block("scene", 5);
    for (;;) {
        size_t                 step = strcspn(path, ".");
        const shoal_param_def* def  = find_def(block->params, path, step);
        if (!def && block->takes_shape) def = find_def(scene_shape_params_table, path, step);
        if (!def || path + step > end) return NULL;
        path += step;
        if (path == end) return def;
        if (def->type != SHOAL_PARAM_OTHER) return NULL;
        // the last form is the one with most below it: "slip|wall", "rotate|[rotate]"
        const char* bar     = strrchr(def->unit, '|');
        const char* form    = bar ? bar + 1 : def->unit;
        bool        is_many = *form == '[' || *form == '{';
        block               = find_block(form + is_many, strcspn(form + is_many, "]}"));
        path++;
        if (is_many) { // a place or a name
            path += strcspn(path, ".");
            if (path >= end) return NULL;
            path++;
        }
        if (!block) return NULL;
    }
}

// --- presets

enum { PRESET_COLUMNS = 16, PRESET_CELL = 24 };

#define X(name, kind, ...) {#name, #kind, {__VA_ARGS__}},
static const struct preset_row {
    const char *name, *kind;
    double      values[PRESET_COLUMNS - 2];
} preset_rows[] = {SCENE_PRESETS(X)};
#undef X
enum {
    PRESET_ROWS     = sizeof preset_rows / sizeof preset_rows[0],
    PRESET_LIQUID   = 5,
    PRESET_AUTO     = 10,
    PRESET_AUTO_END = 13
};

static const char* const preset_columns[PRESET_COLUMNS] = {
    "preset",          "kind",
    "density",         "viscosity",
    "surface_tension", "packing",
    "friction_angle",  "boundary_friction",
    "cohesion",        "grain_size",
    "permeability",    "capillary_height",
    "cohesion_wet",    "ideal_saturation",
    "mud_friction",    "mud_viscosity",
};

static void preset_cell(const struct preset_row* row, int column, char buffer[PRESET_CELL]) {
    char number[32];
    bool is_liquid = strcmp(row->kind, "LIQUID") == 0;
    if (column == 0)
        snprintf(buffer, PRESET_CELL, "%s", row->name);
    else if (column == 1)
        snprintf(buffer, PRESET_CELL, "%s", is_liquid ? "liquid" : "granular");
    else if (is_liquid && column >= PRESET_LIQUID)
        snprintf(buffer, PRESET_CELL, "-"); // only sand has it
    else if (column >= PRESET_AUTO && column < PRESET_AUTO_END && row->values[column - 2] == 0.0)
        snprintf(buffer, PRESET_CELL, "auto");
    else
        snprintf(buffer, PRESET_CELL, "%s", shoal_number_print(row->values[column - 2], true, number));
}

static int preset_width(int column) {
    size_t width = strlen(preset_columns[column]);
    return width < sizeof "granular" ? (int)sizeof "granular" : (int)width;
}

static void print_presets(shoal_text* out, bool is_markdown) {
    static const char summary[] = "materials with values at 20 degrees C; units as in `material`";
    shoal_text_add(out, is_markdown ? "### `presets`\n\n%s\n\n" : "presets: %s\n", summary);
    for (int row = -1; row < PRESET_ROWS; row++) {
        for (int c = 0; c < PRESET_COLUMNS; c++) {
            char cell[PRESET_CELL];
            if (row < 0)
                snprintf(cell, sizeof cell, "%s", preset_columns[c]);
            else
                preset_cell(&preset_rows[row], c, cell);
            if (is_markdown)
                shoal_text_add(out, row >= 0 && c == 0 ? "| `%s` " : "| %s ", cell);
            else
                shoal_text_add(out, "  %-*s", c + 1 < PRESET_COLUMNS ? preset_width(c) : 0, cell);
        }
        shoal_text_add(out, is_markdown ? "|\n" : "\n");
        if (is_markdown && row < 0) {
            for (int c = 0; c < PRESET_COLUMNS; c++) shoal_text_add(out, "|---");
            shoal_text_add(out, "|\n");
        }
    }
}

static bool is_preset(const char* name) {
    for (int k = 0; k < PRESET_ROWS; k++)
        if (strcmp(preset_rows[k].name, name) == 0) return true;
    return false;
}

shoal_status shoal_params_print(const char* name, shoal_param_form form, char** text) {
    shoal_text out = {0};
    *text          = NULL;
    if (name && is_preset(name))
        return shoal_fail(SHOAL_ERR_PARAM,
                          "%s is a preset, not a block; `shoal params presets` shows its values and "
                          "`shoal params material` what they mean",
                          name);
    shoal_status status     = SHOAL_OK;
    bool         is_presets = name && strcmp(name, "presets") == 0;
    if (is_presets && form == SHOAL_PARAM_SCHEMA)
        return shoal_fail(SHOAL_ERR_PARAM, "presets have no schema; that of materials is `material`");
    if (!is_presets) status = shoal_param_blocks_print(shoal_param_blocks(), solver_names, name, form, &out);
    if (status == SHOAL_OK && form != SHOAL_PARAM_SCHEMA && (!name || is_presets)) {
        if (!is_presets) shoal_text_add(&out, "\n");
        print_presets(&out, form == SHOAL_PARAM_MARKDOWN);
    }
    if (status == SHOAL_OK && out.failed)
        status = shoal_fail(SHOAL_ERR_MEMORY, "out of memory while writing the presets");
    if (status == SHOAL_OK)
        *text = out.bytes;
    else
        shoal_text_free(&out);
    return status;
}
