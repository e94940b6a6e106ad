// SPDX-License-Identifier: MIT
// Looks by name, and colours for those that have none.
#include "render/looks.h"

#include <string.h>

typedef struct tint {
    const char* name;
    shoal_v3    color, ball; // of light that passed; of a ball that lets none through
    float       ior;
} tint;
#define TINTS(list) ((int)(sizeof(list) / sizeof((list)[0])))

// Indices at 589 nm: IAPWS R9-97; Fellows 2000 for olive oil; honey of 17 % water by ISO 5534.
static const tint liquids[] = {{"water", {0.45f, 0.80f, 0.88f}, {0.05f, 0.25f, 0.60f}, 1.333f},
                               {"oil", {0.92f, 0.74f, 0.22f}, {0.72f, 0.46f, 0.05f}, 1.47f},
                               {"honey", {0.86f, 0.42f, 0.06f}, {0.62f, 0.22f, 0.02f}, 1.494f}};
// Of liquids with other names, one after the other.
static const tint others[] = {{"", {0.45f, 0.80f, 0.88f}, {0.05f, 0.25f, 0.60f}, 1.333f},
                              {"", {0.95f, 0.62f, 0.28f}, {0.78f, 0.30f, 0.04f}, 1.333f},
                              {"", {0.45f, 0.86f, 0.46f}, {0.08f, 0.42f, 0.12f}, 1.333f},
                              {"", {0.92f, 0.46f, 0.60f}, {0.60f, 0.07f, 0.22f}, 1.333f},
                              {"", {0.66f, 0.54f, 0.92f}, {0.26f, 0.12f, 0.58f}, 1.333f}};
static const tint glass    = {"glass", {0.90f, 0.95f, 0.92f}, {0.70f, 0.82f, 0.84f}, 1.5f};
// Sands are one: they are told apart by how wet they are.
static const shoal_v3 sand = {0.64f, 0.45f, 0.24f}, clay = {0.72f, 0.33f, 0.20f}, earth = {0.20f, 0.175f, 0.145f};

static const shoal_look_params* look_named(const render_contents* c, const char* name) {
    for (int k = 0; k < c->settings->look_count; k++)
        if (strcmp(c->settings->looks[k].name, name) == 0) return &c->settings->looks[k].look;
    return NULL;
}

static bool has_color(const shoal_look_params* p) { return p && isfinite(p->color.x); }

// --- materials

static const tint* liquid_named(const char* name) {
    for (int k = 0; k < TINTS(liquids); k++)
        if (strcmp(liquids[k].name, name) == 0) return &liquids[k];
    return NULL;
}

static tint tint_of(const render_contents* c, int part) {
    const tint* named = liquid_named(c->parts[part].name);
    int         rank  = 0;
    if (named) return *named;
    for (int k = 0; k < c->part_count; k++) {
        const char* name     = c->parts[k].name;
        bool        is_water = strcmp(name, "water") == 0;
        rank += is_water || (k < part && !c->parts[k].is_sand && !liquid_named(name));
    }
    return others[rank % TINTS(others)];
}

static int kind_of(const shoal_look_params* p, bool is_sand) {
    int kind = p ? p->kind : SHOAL_LOOK_AUTO;
    return kind == SHOAL_LOOK_AUTO && is_sand ? SHOAL_LOOK_SAND : kind;
}

// 1/m at which `depth` metres leave `color` of white light.
static shoal_v3 absorption_of(shoal_v3 color, float depth) {
    const float least = 1e-4f; // black still has a logarithm
    return shoal_v3_make(-logf(fmaxf(color.x, least)) / depth, -logf(fmaxf(color.y, least)) / depth,
                         -logf(fmaxf(color.z, least)) / depth);
}

static render_look clear_look(const render_contents* c, const shoal_look_params* p, tint t) {
    shoal_d3 edges = shoal_d3_sub(c->box.max, c->box.min);
    double   least = fmin(edges.x, fmin(edges.y, edges.z));
    shoal_v3 color = has_color(p) ? p->color : t.color;
    float    depth = p && p->depth > 0.0f ? p->depth : (float)(0.5 * least);
    return (render_look){.kind       = RENDER_DIELECTRIC,
                         .ior        = p && p->ior > 0.0f ? p->ior : t.ior,
                         .absorption = absorption_of(color, fmaxf(depth, 1e-6f))};
}

static render_look matte_look(const shoal_look_params* p, shoal_v3 otherwise) {
    return (render_look){.kind = RENDER_MATTE, .color = has_color(p) ? p->color : otherwise};
}

render_look render_part_look(const render_contents* c, int part, bool* is_sand) {
    const shoal_look_params* p    = look_named(c, c->parts[part].name);
    int                      kind = kind_of(p, c->parts[part].is_sand);
    *is_sand                      = kind == SHOAL_LOOK_SAND;
    if (*is_sand || kind == SHOAL_LOOK_MATTE) return matte_look(p, render_part_color(c, part));
    render_look look = clear_look(c, p, kind == SHOAL_LOOK_GLASS ? glass : tint_of(c, part));
    look.rank        = -part; // where liquids overlap, the first one is there
    return look;
}

shoal_v3 render_part_color(const render_contents* c, int part) {
    const shoal_look_params* p    = look_named(c, c->parts[part].name);
    int                      kind = kind_of(p, c->parts[part].is_sand);
    if (has_color(p)) return p->color;
    if (kind == SHOAL_LOOK_SAND) return sand;
    return kind == SHOAL_LOOK_GLASS ? glass.ball : tint_of(c, part).ball;
}

// --- what stands around

static const shoal_look_params* look_of_solid(const render_contents* c, int solid) {
    const shoal_look_params* p = look_named(c, c->solids[solid].name);
    return p ? p : look_named(c, "obstacles");
}

static bool is_clear_kind(const shoal_look_params* p) {
    return p && (p->kind == SHOAL_LOOK_GLASS || p->kind == SHOAL_LOOK_WATER);
}

render_look render_solid_look(const render_contents* c, int solid) {
    const shoal_look_params* p = look_of_solid(c, solid);
    if (!is_clear_kind(p)) return matte_look(p, clay);
    render_look look = clear_look(c, p, glass);
    look.rank        = 1; // liquids are pressed into it
    return look;
}

shoal_v3 render_solid_color(const render_contents* c, int solid, bool* is_clear) {
    const shoal_look_params* p = look_of_solid(c, solid);
    *is_clear                  = is_clear_kind(p);
    return has_color(p) ? p->color : *is_clear ? glass.ball : clay;
}

render_look render_ground_look(const render_contents* c) {
    render_look look = matte_look(look_named(c, "ground"), earth);
    look.kind        = RENDER_GROUND;
    look.joint       = shoal_v3_scale(look.color, 0.62f);
    return look;
}
