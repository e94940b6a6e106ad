// SPDX-License-Identifier: MIT
// Draws random scenes. Bodies stand in slabs of the domain, one each, so that they do not overlap;
// everything else may be anywhere.
#include "long/scene_maker.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

typedef struct vec {
    double x, y, z;
} vec;

typedef struct maker {
    maker_scene* out;
    uint64_t     drawn;
    size_t       length; // of the text
    double       size[3], shortest, spacing, frame;
    bool         has_domain;
    const char*  materials[2];
    int          material_count;
} maker;

// --- drawing

static double fraction(maker* m) { return shoal_random(m->out->seed, 77, m->drawn++); }
static double between(maker* m, double low, double high) { return low + (high - low) * fraction(m); }
static bool   chance(maker* m, double odds) { return fraction(m) < odds; }
static int    one_of(maker* m, int count) { return (int)(fraction(m) * count); }
static int    whole(maker* m, int low, int high) { return low + one_of(m, high - low + 1); }
// Evenly over the orders of magnitude.
static double scaled(maker* m, double low, double high) { return low * pow(high / low, fraction(m)); }

static vec direction(maker* m) {
    double y = between(m, -1.0, 1.0), angle = between(m, 0.0, 6.283185307), r = sqrt(1.0 - y * y);
    return (vec){r * cos(angle), y, r * sin(angle)};
}

static vec times(vec a, double s) { return (vec){a.x * s, a.y * s, a.z * s}; }

static vec anywhere(maker* m) {
    double p[3];
    for (int axis = 0; axis < 3; axis++) p[axis] = m->out->min[axis] + fraction(m) * m->size[axis];
    return (vec){p[0], p[1], p[2]};
}

static void say(maker* m, const char* form, ...) __attribute__((format(printf, 2, 3)));
static void say(maker* m, const char* form, ...) {
    va_list rest;
    va_start(rest, form);
    size_t capacity = sizeof m->out->text - m->length;
    int    said     = vsnprintf(m->out->text + m->length, capacity, form, rest);
    va_end(rest);
    if (said > 0) m->length += (size_t)said < capacity ? (size_t)said : capacity - 1;
}

static bool is_for(const maker* m, const char* solver) { return strcmp(m->out->solver, solver) == 0; }

static void say_vec(maker* m, const char* key, vec a) { say(m, "%s: [%.9g, %.9g, %.9g]", key, a.x, a.y, a.z); }

// --- shapes

// A closed mesh in the place of a file name: its path is kept for maker_load.
static void say_mesh(maker* m, const char* path) {
    snprintf(m->out->meshes[m->out->mesh_count++], sizeof m->out->meshes[0], "%s.mesh", path);
    say(m, "mesh: by-call.obj");
}

static void say_shape(maker* m, const char* path, vec at, double reach, int depth);

static void say_combined(maker* m, const char* path, double reach, int depth) {
    static const char* const words[] = {"union", "intersect", "subtract"};
    int                      how = one_of(m, 3), count = whole(m, 2, 3);
    say(m, "%s: [", words[how]);
    for (int k = 0; k < count; k++) {
        char inner[96];
        // intersections around one middle, so that something is left
        double part   = how == 0 ? 0.5 : how == 1 ? 0.85 : k == 0 ? 1.0 : 0.5;
        vec    middle = times(direction(m), (1.0 - part) * reach * fraction(m));
        snprintf(inner, sizeof inner, "%.64s.%s.%d", path, words[how], k);
        say(m, "%s{", k ? ", " : "");
        say_shape(m, inner, middle, part * reach, depth + 1);
        say(m, "}");
    }
    say(m, "]");
}

static void say_kind(maker* m, const char* path, double reach, int depth) {
    double a    = between(m, 0.3, 0.9);
    int    kind = one_of(m, depth < 2 ? 9 : 7);
    if (kind == 6 && m->out->mesh_count == MAKER_MESHES_MOST) kind = 1;
    switch (kind) {
    case 0:
        say(m, "box: {size: [%.9g, %.9g, %.9g]}", 1.15 * reach * between(m, 0.2, 1.0),
            1.15 * reach * between(m, 0.2, 1.0), 1.15 * reach * between(m, 0.2, 1.0));
        break;
    case 1:
        say(m, "sphere: {radius: %.9g}", reach);
        break;
    case 2:
        say(m, "cylinder: {radius: %.9g, height: %.9g}", a * reach, 2.0 * reach * sqrt(1.0 - a * a));
        break;
    case 3:
        say(m, "cone: {radius: %.9g, height: %.9g}", a * reach, reach);
        break;
    case 4:
        say(m, "capsule: {radius: %.9g, height: %.9g}", a * reach, 2.0 * (1.0 - a) * reach);
        break;
    case 5:
        say(m, "torus: {ring: %.9g, tube: %.9g}", a * reach, (1.0 - a) * reach);
        break;
    case 6:
        say_mesh(m, path);
        break;
    default:
        say_combined(m, path, reach, depth);
        break;
    }
    double scale = kind == 6 ? reach : 1.0; // meshes are made about 1 m in radius
    if (chance(m, 0.2))
        say(m, ", scale: [%.9g, %.9g, %.9g]", scale * between(m, 0.4, 1.0), scale * between(m, 0.4, 1.0),
            scale * between(m, 0.4, 1.0));
    else if (kind == 6)
        say(m, ", scale: %.9g", scale);
}

static void say_turn(maker* m) {
    say(m, "{");
    say_vec(m, "axis", direction(m));
    say(m, ", degrees: %.9g}", between(m, -360.0, 360.0));
}

// The keys of a shape within `reach` of a place.
static void say_shape(maker* m, const char* path, vec at, double reach, int depth) {
    say_kind(m, path, reach, depth);
    say(m, ", ");
    say_vec(m, "at", at);
    if (!chance(m, 0.6)) return;
    bool twice = chance(m, 0.2);
    say(m, ", rotate: %s", twice ? "[" : "");
    say_turn(m);
    if (!twice) return;
    say(m, ", ");
    say_turn(m);
    say(m, "]");
}

// --- the world

static void say_walls(maker* m) {
    static const char* const names[] = {"left", "right", "bottom", "top", "back", "front"};
    static const char* const kinds[] = {"open", "slip", "stick"};
    const char*              comma   = "";
    say(m, ", walls: {");
    for (int axis = 0; axis < 3; axis++) {
        bool* closed = &m->out->is_closed[2 * axis];
        closed[0] = closed[1] = true;
        if (chance(m, 0.2)) {
            say(m, "%s%s: periodic, %s: periodic", comma, names[2 * axis], names[2 * axis + 1]);
            comma = ", ";
            // a whole number of spacings, of blocks for flip, and wide enough for the widest support
            double block      = is_for(m, "flip") ? 16.0 : 1.0;
            double count      = fmax(ceil(m->size[axis] / m->spacing / block) * block, 9.0);
            m->out->max[axis] = m->out->min[axis] + count * m->spacing;
            m->size[axis]     = count * m->spacing;
            continue;
        }
        for (int side = 0; side < 2; side++) {
            int kind = one_of(m, 6);
            if (kind > 3) continue; // as the solver likes
            if (kind == 3)
                say(m, "%s%s: {friction: %.3g}", comma, names[2 * axis + side],
                    chance(m, 0.1) ? 10.0 : between(m, 0.0, 2.0));
            else
                say(m, "%s%s: %s", comma, names[2 * axis + side], kinds[kind]);
            closed[side] = kind != 0;
            comma        = ", ";
        }
    }
    say(m, "}");
}

static void say_domain(maker* m) {
    size_t before = m->length;
    m->has_domain = !chance(m, 0.05);
    if (!m->has_domain) return;
    // walls first: periodic ones move the upper corner
    say_walls(m);
    char walls[512];
    snprintf(walls, sizeof walls, "%s", m->out->text + before);
    m->length             = before;
    const maker_scene* to = m->out;
    say(m, "domain: {");
    say_vec(m, "min", (vec){to->min[0], to->min[1], to->min[2]});
    say(m, ", ");
    say_vec(m, "max", (vec){to->max[0], to->max[1], to->max[2]});
    say(m, "%s}\n", walls);
}

static void add_material(maker* m, const char* name) { m->materials[m->material_count++] = name; }

static const char* any_material(maker* m) {
    return m->materials[m->material_count > 1 ? one_of(m, m->material_count) : 0];
}

static void say_liquid(maker* m) {
    static const char* const presets[] = {"water", "oil", "honey"};
    if (chance(m, 0.6)) {
        add_material(m, presets[one_of(m, 3)]);
        return;
    }
    say(m, "materials:\n  stuff: {preset: %s", presets[one_of(m, 3)]);
    if (chance(m, 0.5)) say(m, ", density: %.6g", scaled(m, 1.0, 2e4));
    if (chance(m, 0.5)) say(m, ", viscosity: %.6g", chance(m, 0.1) ? 0.0 : scaled(m, 1e-5, 1e3));
    if (chance(m, 0.5)) say(m, ", surface_tension: %.6g", scaled(m, 1e-4, 1.0));
    say(m, "}\n");
    add_material(m, "stuff");
}

static void say_sand(maker* m) {
    if (m->material_count == 0 || strcmp(m->materials[0], "stuff") != 0) say(m, "materials:\n");
    say(m, "  grit: {preset: sand");
    if (chance(m, 0.4)) say(m, ", density: %.6g", scaled(m, 300.0, 8000.0));
    if (chance(m, 0.4)) say(m, ", friction_angle: %.4g", between(m, 0.0, 60.0));
    if (chance(m, 0.3)) say(m, ", boundary_friction: %.3g", between(m, 0.0, 2.0));
    if (chance(m, 0.3)) say(m, ", grain_size: %.3g", scaled(m, 1e-4, 1.0) * m->spacing);
    if (is_for(m, "flip") && chance(m, 0.3)) say(m, ", cohesion: %.4g", scaled(m, 1.0, 1e4));
    if (is_for(m, "grains") && chance(m, 0.4)) say(m, ", wetness: %.4g", between(m, 0.0, 3.0));
    say(m, "}\n");
    add_material(m, "grit");
}

// A liquid, sand, or both, as far as the solver has them.
static void say_materials(maker* m) {
    bool has_sand = is_for(m, "flip") || is_for(m, "grains");
    int  kind     = has_sand ? one_of(m, 3) : 0;
    if (kind != 1) say_liquid(m);
    if (kind != 0) say_sand(m);
}

static void say_speed(maker* m, const char* key, double most) {
    if (chance(m, 0.5)) return;
    say(m, ", ");
    say_vec(m, key, times(direction(m), most * fraction(m)));
}

// Bodies side by side along one axis.
static void say_bodies(maker* m) {
    int    count = whole(m, 1, 3), axis = one_of(m, 3);
    double slab = m->size[axis] / count;
    say(m, "bodies:\n");
    for (int k = 0; k < count; k++) {
        double low[3], high[3], middle[3], capacity = (double)INFINITY;
        for (int a = 0; a < 3; a++) {
            low[a]    = m->out->min[a] + (a == axis ? k * slab : 0.0);
            high[a]   = low[a] + (a == axis ? slab : m->size[a]);
            capacity  = fmin(capacity, 0.5 * (high[a] - low[a]));
            middle[a] = 0.5 * (low[a] + high[a]);
        }
        char path[32];
        snprintf(path, sizeof path, "bodies.%d", k);
        say(m, "  - {material: %s, ", any_material(m));
        if (chance(m, 0.35)) { // against the walls
            int side = one_of(m, 3);
            high[side] -= between(m, 0.1, 0.8) * (high[side] - low[side]);
            say(m, "box: {min: [%.9g, %.9g, %.9g], max: [%.9g, %.9g, %.9g]}", low[0], low[1], low[2], high[0], high[1],
                high[2]);
        } else {
            double reach = capacity * between(m, 0.5, 0.97);
            for (int a = 0; a < 3; a++) middle[a] += between(m, -1.0, 1.0) * (0.5 * (high[a] - low[a]) - reach);
            say_shape(m, path, (vec){middle[0], middle[1], middle[2]}, reach, 0);
        }
        say_speed(m, "velocity", 0.5 * m->shortest / m->frame * (chance(m, 0.1) ? 4.0 : 0.2));
        if (chance(m, 0.2)) say_speed(m, "spin", 0.5 / m->frame);
        say(m, "}\n");
    }
}

static void say_motion(maker* m) {
    double run = m->frame * m->out->frames, t = 0.0;
    int    count = whole(m, 1, 4);
    bool   turns = chance(m, 0.5), is_fast = chance(m, 0.3);
    say(m, "motion: [");
    for (int k = 0; k < count; k++) {
        say(m, "%s{t: %.9g, ", k ? ", " : "", t);
        say_vec(m, "at", anywhere(m));
        if (turns) {
            say(m, ", rotate: ");
            say_turn(m);
        }
        say(m, "}");
        t += is_fast ? m->frame * between(m, 0.2, 3.0) : run * between(m, 0.2, 0.8);
    }
    say(m, "], ");
}

static void say_obstacles(maker* m) {
    int count = whole(m, 0, 3);
    if (count == 0) return;
    say(m, "obstacles:\n");
    for (int k = 0; k < count; k++) {
        char path[32];
        snprintf(path, sizeof path, "obstacles.%d", k);
        say(m, "  - {");
        if (chance(m, 0.5)) say(m, "friction: %.3g, ", chance(m, 0.1) ? 10.0 : between(m, 0.0, 2.0));
        if (chance(m, 0.3)) say(m, "stick: true, ");
        double reach = m->shortest * scaled(m, 0.08, 0.6);
        if (chance(m, 0.12)) { // a slope
            vec up = direction(m), at = anywhere(m);
            say(m, "plane: {");
            say_vec(m, "normal", up);
            say(m, ", offset: %.9g}", up.x * at.x + up.y * at.y + up.z * at.z - between(m, 0.3, 1.0) * m->shortest);
        } else if (chance(m, 0.45)) {
            say_motion(m);
            say_kind(m, path, reach, 0);
        } else {
            say_shape(m, path, anywhere(m), reach, 0);
        }
        say(m, "}\n");
    }
}

static void say_emitter(maker* m, int place) {
    double run = m->frame * m->out->frames, d = m->spacing;
    // about so many particles in the run
    double wanted = between(m, 20.0, 600.0);
    say(m, "  - {material: %s, ", any_material(m));
    switch (one_of(m, 3)) {
    case 0: {
        double radius = d * between(m, 0.3, 4.0), layer = 3.2 * radius * radius / (d * d) + 1.0;
        say(m, "disc: {radius: %.9g}, ", radius);
        say_vec(m, "at", anywhere(m));
        say(m, ", ");
        say_vec(m, "velocity", times(direction(m), wanted / layer * d / run));
        break;
    }
    case 1: {
        vec a = anywhere(m), b = anywhere(m);
        say(m, "rain: {");
        say_vec(m, "min", (vec){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)});
        say(m, ", ");
        say_vec(m, "max", (vec){fmax(a.x, b.x) + d, fmax(a.y, b.y) + d, fmax(a.z, b.z) + d});
        say(m, ", rate: %.6g}", wanted / run);
        say_speed(m, "velocity", m->shortest / run);
        break;
    }
    default: {
        char path[32];
        snprintf(path, sizeof path, "emitters.%d", place);
        say_shape(m, path, anywhere(m), d * between(m, 1.0, 3.0), 0);
        say_speed(m, "velocity", m->shortest / run);
        break;
    }
    }
    if (chance(m, 0.3)) say(m, ", from: %.6g", run * between(m, 0.0, 0.4));
    if (chance(m, 0.3)) say(m, ", until: %.6g", run * between(m, 0.5, 1.0));
    say(m, "}\n");
}

static void say_sources_and_sinks(maker* m) {
    bool has_bodies = !chance(m, 0.08);
    int  emitters = has_bodies ? whole(m, -2, 2) : whole(m, 1, 2), sinks = whole(m, -3, 2);
    if (has_bodies) say_bodies(m);
    if (emitters > 0) say(m, "emitters:\n");
    for (int k = 0; k < emitters; k++) say_emitter(m, k);
    if (sinks > 0) say(m, "sinks:\n");
    for (int k = 0; k < sinks; k++) {
        char path[32];
        snprintf(path, sizeof path, "sinks.%d", k);
        say(m, "  - {");
        say_shape(m, path, anywhere(m), m->shortest * between(m, 0.05, 0.3), 0);
        say(m, "}\n");
    }
}

static void say_probes(maker* m) {
    if (!m->has_domain || chance(m, 0.5)) return;
    vec a = anywhere(m), b = anywhere(m);
    say(m, "probes:\n  - {name: front, kind: front, axis: %c}\n", 'x' + one_of(m, 3));
    say(m, "  - {name: gauge, kind: height, at: [%.9g, %.9g]}\n", a.x, a.z);
    say(m, "  - {name: press, kind: pressure, at: [%.9g, %.9g, %.9g]}\n", b.x, m->out->min[1], b.z);
}

// --- the solver

static void say_moderate_pbf(maker* m) {
    say(m, "pbf: {iterations: %d", whole(m, 1, 12));
    if (chance(m, 0.5)) say(m, ", substeps: %d", whole(m, 1, 10));
    if (chance(m, 0.3)) say(m, ", vorticity: %.3g", between(m, 0.0, 2.0));
    if (chance(m, 0.3)) say(m, ", xsph: %.3g", between(m, 0.0, 0.1));
    if (chance(m, 0.3)) say(m, ", surface_tension: true");
    if (chance(m, 0.2)) say(m, ", warm_start: %.3g", between(m, 0.0, 0.4));
    if (chance(m, 0.2)) say(m, ", relaxation: precomputed");
    say(m, "}\n");
}

static void say_moderate_sph(maker* m) {
    static const char* const methods[] = {"wcsph", "pcisph", "dfsph"};
    say(m, "sph: {pressure: %s", methods[one_of(m, 3)]);
    if (m->out->mood == MAKER_MODERATE) {
        if (chance(m, 0.3)) say(m, ", support: %.3g", between(m, 1.8, 2.5));
        if (chance(m, 0.3)) say(m, ", cfl: %.3g", between(m, 0.2, 0.6));
        if (chance(m, 0.3)) say(m, ", xsph: %.3g", between(m, 0.0, 0.1));
        if (chance(m, 0.3)) say(m, ", tension: %s", chance(m, 0.5) ? "becker" : "akinci");
        if (chance(m, 0.3)) say(m, ", artificial_viscosity: %.3g", between(m, 0.0, 0.4));
        if (chance(m, 0.3)) say(m, ", tolerance: %.3g", scaled(m, 0.02, 1.0));
        if (chance(m, 0.2)) say(m, ", warm_start: %.3g", fraction(m));
        if (chance(m, 0.2)) say(m, ", skin: false");
    }
    say(m, "}\n");
}

static void say_moderate_flip(maker* m) {
    static const char *const transfers[] = {"flip", "pic", "apic"}, *const frictions[] = {"global", "paper", "none"};
    say(m, "flip: {transfer: %s", transfers[one_of(m, 3)]);
    if (chance(m, 0.3)) say(m, ", cfl: %.3g", between(m, 0.3, 5.0));
    if (chance(m, 0.3)) say(m, ", blend: %.3g", between(m, 0.8, 1.0));
    if (chance(m, 0.3)) say(m, ", surface: marked");
    if (chance(m, 0.3)) say(m, ", advection: rk3");
    if (chance(m, 0.2)) say(m, ", pressure: mic");
    if (chance(m, 0.3)) say(m, ", viscosity: true");
    if (chance(m, 0.3)) say(m, ", volume_control: %.3g", fraction(m));
    if (chance(m, 0.4)) say(m, ", friction: %s", frictions[one_of(m, 3)]);
    if (chance(m, 0.2)) say(m, ", coupling: one-way");
    say(m, "}\n");
}

static void say_moderate_grains(maker* m) {
    say(m, "grains: {restitution: %.3g", between(m, 0.05, 0.95));
    if (chance(m, 0.3)) say(m, ", friction: %.3g", between(m, 0.1, 1.0));
    if (chance(m, 0.3)) say(m, ", rolling: %.3g", between(m, 0.0, 0.5));
    if (chance(m, 0.2)) say(m, ", rotation: false");
    if (chance(m, 0.2)) say(m, ", spread: %.3g", between(m, 0.0, 0.3));
    if (chance(m, 0.3)) say(m, ", softness: %.3g", between(m, 0.5, 10.0));
    if (chance(m, 0.3)) say(m, ", bridge: %.3g", between(m, 0.0, 3.0));
    if (chance(m, 0.3)) say(m, ", cohesion: %.3g", between(m, 0.0, 15.0));
    if (chance(m, 0.3)) say(m, ", water_spacing: %.3g", between(m, 0.5, 1.0));
    if (chance(m, 0.3)) say(m, ", pressure: wcsph");
    if (chance(m, 0.3)) say(m, ", regeneration: %.3g", between(m, 0.0, 10.0));
    if (chance(m, 0.3)) say(m, ", drying: %.3g", between(m, 0.0, 2.0));
    if (chance(m, 0.3)) say(m, ", drainage: %.3g, diffusion: %.3g", between(m, 0.0, 3.0), between(m, 0.0, 5.0));
    if (chance(m, 0.2)) say(m, ", wet_friction: paper");
    if (chance(m, 0.2)) say(m, ", absorption: false");
    say(m, "}\n");
}

static void say_moderate(maker* m) {
    if (is_for(m, "pbf")) say_moderate_pbf(m);
    if (is_for(m, "sph")) say_moderate_sph(m);
    if (is_for(m, "flip")) say_moderate_flip(m);
    if (is_for(m, "grains")) say_moderate_grains(m);
}

// Each key of the solver's table, with any value it takes.
static void say_wild(maker* m) {
    const shoal_param_block* block = shoal_param_blocks();
    while (block->name && !is_for(m, block->name)) block++;
    const char* comma         = "";
    bool        crosses_seams = strstr(m->out->text, "periodic") != NULL;
    say(m, "%s: {", m->out->solver);
    for (const shoal_param_def* def = block->params; def && def->name; def++) {
        if (chance(m, 0.45)) continue;
        double end = fraction(m), value = between(m, def->min, def->max);
        if (end < 0.15) value = def->min;
        if (end > 0.85) value = def->max;
        if (def->min > 0.0 && end > 0.15 && end < 0.6) value = scaled(m, def->min, def->max);
        bool is_auto = chance(m, 0.2);
        // dear ones stay payable: the time goes with their product
        if (strcmp(def->name, "substeps") == 0) value = fmin(value, scaled(m, 1.0, 200.0));
        if (strcmp(def->name, "iterations") == 0) value = fmin(value, scaled(m, 1.0, 200.0));
        switch (def->type) {
        case SHOAL_PARAM_WORD: {
            char words[128], *rest = words;
            int  count = 1;
            snprintf(words, sizeof words, "%s", def->unit);
            for (const char* c = words; *c; c++) count += *c == '|';
            for (int k = one_of(m, count); k > 0; k--) rest = strchr(rest, '|') + 1;
            rest[strcspn(rest, "|")] = 0;
            // refused by the solver, with a message, where there are periodic walls
            if (strcmp(rest, "gauss_seidel") == 0 && crosses_seams && !chance(m, 0.1)) continue;
            say(m, "%s%s: %s", comma, def->name, rest);
            break;
        }
        case SHOAL_PARAM_BOOL:
            say(m, "%s%s: %s", comma, def->name, chance(m, 0.5) ? "true" : "false");
            break;
        case SHOAL_PARAM_INT:
            say(m, "%s%s: %.0f", comma, def->name, floor(value));
            break;
        case SHOAL_PARAM_AUTO_INT:
        case SHOAL_PARAM_AUTO_FLOAT:
            if (is_auto)
                say(m, "%s%s: auto", comma, def->name);
            else if (def->type == SHOAL_PARAM_AUTO_INT)
                say(m, "%s%s: %.0f", comma, def->name, floor(value));
            else
                say(m, "%s%s: %.6g", comma, def->name, value);
            break;
        default:
            say(m, "%s%s: %.6g", comma, def->name, value);
            break;
        }
        comma = ", ";
    }
    say(m, "}\n");
}

// --- the whole

static void draw_sizes(maker* m, double fineness) {
    maker_scene* to    = m->out;
    double       scale = scaled(m, 0.02, 30.0); // m
    m->shortest        = (double)INFINITY;
    bool is_far        = chance(m, 0.3);
    for (int axis = 0; axis < 3; axis++) {
        m->size[axis] = scale * between(m, 0.3, 1.0);
        to->min[axis] = is_far ? scale * between(m, -10.0, 10.0) : 0.0;
        to->max[axis] = to->min[axis] + m->size[axis];
        m->shortest   = fmin(m->shortest, m->size[axis]);
    }
    // about a quarter of the box is filled
    double wanted = scaled(m, 50.0, 2000.0);
    m->spacing    = cbrt(0.25 * m->size[0] * m->size[1] * m->size[2] / wanted) / fineness;
}

static void draw_gravity(maker* m) {
    double pull  = chance(m, 0.15)  ? 0.0
                   : chance(m, 0.6) ? 9.81
                                    : scaled(m, 0.05, m->out->mood == MAKER_WILD ? 1e4 : 200.0);
    vec    along = chance(m, 0.7) ? (vec){0.0, -1.0, 0.0} : direction(m);
    double most  = fmax(m->shortest, m->spacing);
    // a frame as long as it takes to fall a part of the box, or what films and games use
    m->frame = between(m, 0.02, 0.2) * sqrt(2.0 * most / fmax(pull, 1.0));
    if (chance(m, 0.3)) m->frame = 1.0 / whole(m, 24, 120);
    m->out->fps = 1.0 / m->frame;
    say_vec(m, "gravity", times(along, pull));
    say(m, "\nfps: %.12g\nframes: %d\n", m->out->fps, m->out->frames);
}

// As strong as it takes to cross the box in a part of the run; drawn last, so that scenes without one stay what they
// were.
static void say_forces(maker* m) {
    double run = m->frame * m->out->frames;
    if (!chance(m, 0.25)) return;
    double strength = fmin(scaled(m, 0.5, m->out->mood == MAKER_WILD ? 100.0 : 10.0) * m->shortest / (run * run), 1e4);
    say(m, "forces:\n  - {");
    if (chance(m, 0.6)) {
        say_shape(m, "forces.0", anywhere(m), m->shortest * between(m, 0.1, 0.5), 0);
        say(m, ", ");
    }
    say_vec(m, "acceleration", times(direction(m), strength));
    if (chance(m, 0.5)) say(m, ", from: %.6g, until: %.6g", run * between(m, 0.0, 0.4), run * between(m, 0.5, 1.0));
    say(m, "}\n");
}

void maker_draw(uint64_t seed, const char* solver, double fineness, maker_scene* out) {
    memset(out, 0, sizeof *out);
    out->seed    = seed;
    maker  m     = {.out = out};
    double mood  = fraction(&m);
    out->mood    = mood < 0.4 ? MAKER_PLAIN : mood < 0.65 ? MAKER_MODERATE : MAKER_WILD;
    out->frames  = whole(&m, 10, 30);
    out->threads = whole(&m, 1, 8);
    draw_sizes(&m, fineness);
    snprintf(out->solver, sizeof out->solver, "%s", solver);
    say(&m, "solver: %s\nspacing: %.9g\nseed: %d\n", solver, m.spacing, one_of(&m, 1000));
    draw_gravity(&m);
    say_domain(&m);
    say_materials(&m);
    say_sources_and_sinks(&m);
    say_obstacles(&m);
    say_probes(&m);
    if (out->mood == MAKER_MODERATE) say_moderate(&m);
    if (out->mood == MAKER_PLAIN && is_for(&m, "sph")) say_moderate_sph(&m); // which of its methods
    if (out->mood == MAKER_WILD) say_wild(&m);
    say_forces(&m);
}

// --- meshes

enum { RINGS = 8, SECTORS = 12, MESH_VERTICES = RINGS * SECTORS + 2, MESH_TRIANGLES = 2 * RINGS * SECTORS };

// A ball with dents within 1 m of the origin; some have a hole, some are inside out.
static int dented_ball(uint64_t seed, uint64_t which, float* vertices, int* triangles) {
    int    count = 0, south = RINGS * SECTORS, north = south + 1;
    double dents    = 0.4 * shoal_random(seed, 900 + which, 0);
    bool   has_hole = shoal_random(seed, 900 + which, 1) < 0.15, is_turned = shoal_random(seed, 900 + which, 2) < 0.1;
    for (int i = 0; i < RINGS; i++)
        for (int j = 0; j < SECTORS; j++) {
            double theta = 3.14159265 * (i + 1) / (RINGS + 1), phi = 6.28318531 * j / SECTORS;
            double r = 1.0 - dents * shoal_random(seed, 950 + which, (uint64_t)(i * SECTORS + j));
            float* v = vertices + 3 * (i * SECTORS + j);
            v[0]     = (float)(r * sin(theta) * cos(phi));
            v[1]     = (float)(-r * cos(theta));
            v[2]     = (float)(-r * sin(theta) * sin(phi));
        }
    memcpy(vertices + (size_t)3 * (size_t)south, (float[]){0, -1, 0, 0, 1, 0}, 6 * sizeof(float));
    for (int j = 0; j < SECTORS; j++) {
        int next = (j + 1) % SECTORS, top = (RINGS - 1) * SECTORS;
        memcpy(triangles + 3 * count++, (int[]){south, next, j}, 3 * sizeof(int));
        memcpy(triangles + 3 * count++, (int[]){north, top + j, top + next}, 3 * sizeof(int));
        for (int i = 0; i + 1 < RINGS; i++) {
            int a = i * SECTORS + j, b = i * SECTORS + next;
            memcpy(triangles + 3 * count++, (int[]){a, b, b + SECTORS}, 3 * sizeof(int));
            memcpy(triangles + 3 * count++, (int[]){a, b + SECTORS, a + SECTORS}, 3 * sizeof(int));
        }
    }
    for (int k = 0; is_turned && k < count; k++) {
        int before           = triangles[3 * k];
        triangles[3 * k]     = triangles[3 * k + 1];
        triangles[3 * k + 1] = before;
    }
    return has_hole ? count - 3 : count;
}

shoal_status maker_load(const maker_scene* made, shoal_scene** out) {
    float        vertices[3 * MESH_VERTICES];
    int          triangles[3 * MESH_TRIANGLES];
    shoal_status status = shoal_scene_parse(made->text, strlen(made->text), "random.yaml", out);
    for (int k = 0; k < made->mesh_count && status == SHOAL_OK; k++) {
        int count = dented_ball(made->seed, (uint64_t)k, vertices, triangles);
        status    = shoal_scene_set_mesh(*out, made->meshes[k], vertices, MESH_VERTICES, triangles, count);
    }
    return status;
}
