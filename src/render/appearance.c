// SPDX-License-Identifier: MIT
// Looks by name, and colours for those that have none.
#include "render/appearance.h"

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
static const tint other_tints[] = {{"", {0.45f, 0.80f, 0.88f}, {0.05f, 0.25f, 0.60f}, 1.333f},
                                   {"", {0.95f, 0.62f, 0.28f}, {0.78f, 0.30f, 0.04f}, 1.333f},
                                   {"", {0.45f, 0.86f, 0.46f}, {0.08f, 0.42f, 0.12f}, 1.333f},
                                   {"", {0.92f, 0.46f, 0.60f}, {0.60f, 0.07f, 0.22f}, 1.333f},
                                   {"", {0.66f, 0.54f, 0.92f}, {0.26f, 0.12f, 0.58f}, 1.333f}};
static const tint glass         = {"glass", {0.90f, 0.95f, 0.92f}, {0.70f, 0.82f, 0.84f}, 1.5f};
// Sands are one: they are told apart by how wet they are.
static const shoal_v3 sand = {0.64f, 0.45f, 0.24f}, clay = {0.72f, 0.33f, 0.20f}, earth = {0.20f, 0.175f, 0.145f};

static const shoal_appearance_params* appearance_named(const render_contents* c, const char* name) {
    for (int k = 0; k < c->settings->appearance_count; k++)
        if (strcmp(c->settings->appearances[k].name, name) == 0) return &c->settings->appearances[k].appearance;
    return NULL;
}

static bool has_color(const shoal_appearance_params* p) { return p && isfinite(p->color.x); }

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
    return other_tints[rank % TINTS(other_tints)];
}

static int kind_of(const shoal_appearance_params* p, bool is_sand) {
    int kind = p ? p->kind : SHOAL_APPEARANCE_AUTO;
    return kind == SHOAL_APPEARANCE_AUTO && is_sand ? SHOAL_APPEARANCE_SAND : kind;
}

// 1/m at which `depth` metres leave `color` of white light.
static shoal_v3 absorption_of(shoal_v3 color, float depth) {
    const float least = 1e-4f; // black still has a logarithm
    return shoal_v3_make(-logf(fmaxf(color.x, least)) / depth, -logf(fmaxf(color.y, least)) / depth,
                         -logf(fmaxf(color.z, least)) / depth);
}

static render_appearance clear_appearance(const render_contents* c, const shoal_appearance_params* p, tint t) {
    shoal_d3 edges = shoal_d3_sub(c->box.max, c->box.min);
    double   least = fmin(edges.x, fmin(edges.y, edges.z));
    shoal_v3 color = has_color(p) ? p->color : t.color;
    float    depth = p && p->depth > 0.0f ? p->depth : (float)(0.5 * least);
    return (render_appearance){.kind       = RENDER_DIELECTRIC,
                               .ior        = p && p->ior > 0.0f ? p->ior : t.ior,
                               .absorption = absorption_of(color, fmaxf(depth, 1e-6f))};
}

static render_appearance matte_appearance(const shoal_appearance_params* p, shoal_v3 otherwise) {
    return (render_appearance){.kind = RENDER_MATTE, .color = has_color(p) ? p->color : otherwise};
}

render_appearance render_part_appearance(const render_contents* c, int part, bool* is_sand) {
    const shoal_appearance_params* p    = appearance_named(c, c->parts[part].name);
    int                            kind = kind_of(p, c->parts[part].is_sand);
    *is_sand                            = kind == SHOAL_APPEARANCE_SAND;
    if (*is_sand || kind == SHOAL_APPEARANCE_MATTE) return matte_appearance(p, render_part_color(c, part));
    render_appearance appearance = clear_appearance(c, p, kind == SHOAL_APPEARANCE_GLASS ? glass : tint_of(c, part));
    appearance.rank              = -part; // where liquids overlap, the first one is there
    return appearance;
}

shoal_v3 render_part_color(const render_contents* c, int part) {
    const shoal_appearance_params* p    = appearance_named(c, c->parts[part].name);
    int                            kind = kind_of(p, c->parts[part].is_sand);
    if (has_color(p)) return p->color;
    if (kind == SHOAL_APPEARANCE_SAND) return sand;
    return kind == SHOAL_APPEARANCE_GLASS ? glass.ball : tint_of(c, part).ball;
}

// --- what stands around

static const shoal_appearance_params* appearance_of_solid(const render_contents* c, int solid) {
    const shoal_appearance_params* p = appearance_named(c, c->solids[solid].name);
    return p ? p : appearance_named(c, "obstacles");
}

static bool is_clear_kind(const shoal_appearance_params* p) {
    return p && (p->kind == SHOAL_APPEARANCE_GLASS || p->kind == SHOAL_APPEARANCE_WATER);
}

render_appearance render_solid_appearance(const render_contents* c, int solid) {
    const shoal_appearance_params* p = appearance_of_solid(c, solid);
    if (!is_clear_kind(p)) return matte_appearance(p, clay);
    render_appearance appearance = clear_appearance(c, p, glass);
    appearance.rank              = 1; // liquids are pressed into it
    return appearance;
}

shoal_v3 render_solid_color(const render_contents* c, int solid, bool* is_clear) {
    const shoal_appearance_params* p = appearance_of_solid(c, solid);
    *is_clear                        = is_clear_kind(p);
    return has_color(p) ? p->color : *is_clear ? glass.ball : clay;
}

render_appearance render_ground_appearance(const render_contents* c) {
    render_appearance appearance = matte_appearance(appearance_named(c, "ground"), earth);
    appearance.kind              = RENDER_GROUND;
    appearance.joint             = shoal_v3_scale(appearance.color, 0.62f);
    return appearance;
}
