// SPDX-License-Identifier: MIT
// A slab on an inclined obstacle, between two smooth sides: how far it slides, against Coulomb's
// law. Gravity points down and the obstacle is tilted; all of it may be turned, so that nothing
// lies along the grid, and by the slope about z the obstacle is level and gravity leans.
#ifndef SHOAL_TRUTH_INCLINE_H
#define SHOAL_TRUTH_INCLINE_H

#include "lab.h"

typedef enum incline_kind { INCLINE_PLANE, INCLINE_BOX, INCLINE_MESH } incline_kind;

static const double incline_rest = 0.15; // s until it slides

typedef struct incline {
    double       degrees, friction;
    incline_kind kind;
    double       turn[3];    // degrees about (1, 2, 3), (3, -1, 1) and z: all of the scene
    int          cells[3];   // of the slab, two spacings each, along the slope, across and aside; 0: 20, 5, 4
    double       dx;         // m; 0: 0.04
    double       thick;      // m, of a box or mesh; 0: 0.24
    double       belt;       // m/s along the slope: speed of the obstacle (box alone)
    bool         is_late;    // the belt starts when sand has come to rest
    bool         has_planes; // smooth planes on both sides in place of walls, which cannot turn
    double       shift;      // cells by which all of it is moved along (3, 1, 2)
    const char*  solver;     // NULL: flip
    const char*  material;   // NULL: sand of 45 degrees
    lab_setup    setup;
} incline;

typedef struct incline_result {
    double way;    // of the centre of mass along the slope, m
    double wanted; // by Coulomb's law, sliding all the time: friction times what presses, also what
                   // the sand comes to sink less than at first; a belt is the faster
    double sole;   // way of the grains that were on the obstacle amid the slab, m
    double rise;   // of the centre of mass across the slope, m
} incline_result;

typedef struct incline_vector {
    double x, y, z;
} incline_vector;

static inline incline_vector incline_rotated(incline_vector v, incline_vector axis, double degrees) {
    double         angle = degrees * 0.017453292519943295, c = cos(angle), s = sin(angle);
    double         length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    incline_vector k      = {axis.x / length, axis.y / length, axis.z / length};
    double         along  = (k.x * v.x + k.y * v.y + k.z * v.z) * (1 - c);
    return (incline_vector){c * v.x + s * (k.y * v.z - k.z * v.y) + along * k.x,
                            c * v.y + s * (k.z * v.x - k.x * v.z) + along * k.y,
                            c * v.z + s * (k.x * v.y - k.y * v.x) + along * k.z};
}
static inline incline_vector incline_turned(const incline* c, double x, double y, double z) {
    incline_vector v = incline_rotated((incline_vector){x, y, z}, (incline_vector){1, 2, 3}, c->turn[0]);
    v                = incline_rotated(v, (incline_vector){3, -1, 1}, c->turn[1]);
    return incline_rotated(v, (incline_vector){0, 0, 1}, c->turn[2]);
}

static inline void incline_write_mesh(const char* name, const double size[3]) {
    FILE* file = fopen(name, "w");
    assert_non_null(file);
    for (int k = 0; k < 8; k++)
        fprintf(file, "v %.9g %.9g %.9g\n", size[0] * ((k & 1) - 0.5), size[1] * ((k >> 1 & 1) - 0.5),
                size[2] * ((k >> 2) - 0.5));
    fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n", file);
    assert_int_equal(fclose(file), 0);
}

static inline incline incline_filled(incline c) {
    static const int cells[3] = {20, 5, 4};
    for (int k = 0; k < 3; k++)
        if (c.cells[k] == 0) c.cells[k] = cells[k];
    if (c.dx == 0) c.dx = 0.04;
    if (c.setup.threads == 0) c.setup.threads = 1; // it is small
    if (!c.solver) c.solver = "flip";
    if (!c.material) c.material = "preset: sand, friction_angle: 45, cohesion: 0";
    return c;
}

// The ramp is 4 m long, of which the slab stands on the upper part.
static inline void incline_text(const incline* c, const char* mesh, char* text, size_t capacity) {
    double angle = c->degrees * 0.017453292519943295, sn = sin(angle), cs = cos(angle), g = 9.81;
    double size[3] = {c->cells[0] * c->dx, c->cells[1] * c->dx, c->cells[2] * c->dx},
           thick = c->thick > 0.0 ? c->thick : 0.24, half = 0.5 * size[2];
    const double   ramp[3] = {4.0, thick, 2 * size[2]};
    incline_vector n = incline_turned(c, sn, cs, 0), t = incline_turned(c, cs, -sn, 0),
                   aside = incline_turned(c, 0, 0, 1);
    incline_vector down  = incline_turned(c, 0, -g, 0),
                   o     = {3 * c->shift * c->dx, c->shift * c->dx, 2 * c->shift * c->dx};
    char turns[256], obstacle[1024], place[512];
    snprintf(turns, sizeof turns,
             "[{axis: [0, 0, 1], degrees: %.9g}, {axis: [1, 2, 3], degrees: %.9g}, {axis: [3, -1, "
             "1], degrees: %.9g}, {axis: [0, 0, 1], degrees: %.9g}]",
             -c->degrees, c->turn[0], c->turn[1], c->turn[2]);
    double x = o.x + t.x - 0.5 * thick * n.x, y = o.y + t.y - 0.5 * thick * n.y, z = o.z + t.z - 0.5 * thick * n.z;
    double run   = 0.5 * c->belt,
           start = c->is_late ? incline_rest : 0; // halfway after half a second
    if (c->belt != 0)
        snprintf(place, sizeof place, "motion: [{t: %.9g, at: [%.9g, %.9g, %.9g]}, {t: %.9g, at: [%.9g, %.9g, %.9g]}]",
                 start, x - run * t.x, y - run * t.y, z - run * t.z, start + 1, x + run * t.x, y + run * t.y,
                 z + run * t.z);
    else
        snprintf(place, sizeof place, "at: [%.9g, %.9g, %.9g]", x, y, z);
    if (c->kind == INCLINE_PLANE)
        snprintf(obstacle, sizeof obstacle, "plane: {normal: [%.9g, %.9g, %.9g], offset: %.9g}", n.x, n.y, n.z,
                 n.x * o.x + n.y * o.y + n.z * o.z);
    else if (c->kind == INCLINE_BOX)
        snprintf(obstacle, sizeof obstacle, "union: [{box: {size: [%.9g, %.9g, %.9g]}, rotate: %s}], %s", ramp[0],
                 ramp[1], ramp[2], turns, place);
    else {
        incline_write_mesh(mesh, ramp);
        snprintf(obstacle, sizeof obstacle, "mesh: %s, rotate: %s, %s", mesh, turns, place);
    }
    char   sides[512]  = "";
    double middle      = aside.x * o.x + aside.y * o.y + aside.z * o.z;
    char   domain[256] = "";
    if (!c->has_planes)
        snprintf(domain, sizeof domain,
                 "domain: {min: [-1, -4, %.9g], max: [4, 1, %.9g], walls: {left: open, right: "
                 "open, bottom: open, top: open, back: slip, front: slip}}\n",
                 o.z - half, o.z + half);
    if (c->has_planes)
        snprintf(sides, sizeof sides,
                 "  - {friction: 0, plane: {normal: [%.9g, %.9g, %.9g], offset: %.9g}}\n"
                 "  - {friction: 0, plane: {normal: [%.9g, %.9g, %.9g], offset: %.9g}}\n",
                 aside.x, aside.y, aside.z, middle - half, -aside.x, -aside.y, -aside.z, -middle - half);
    int length =
        snprintf(text, capacity,
                 "solver: %s\n%sspacing: %.9g\ngravity: [%.9g, %.9g, %.9g]\nmaterials: {slab: {%s}}\n"
                 "bodies: [{material: slab, box: {size: [%.9g, %.9g, %.9g]}, rotate: %s, at: [%.9g, %.9g, "
                 "%.9g]}]\n"
                 "forces: [{acceleration: [%.9g, %.9g, %.9g], until: %.9g}]\n"
                 "obstacles:\n  - {friction: %.9g, %s}\n%s",
                 c->solver, domain, 0.5 * c->dx, down.x, down.y, down.z, c->material, size[0], size[1], size[2], turns,
                 o.x + 0.5 * size[1] * n.x, o.y + 0.5 * size[1] * n.y, o.z + 0.5 * size[1] * n.z, -g * sn * t.x,
                 -g * sn * t.y, -g * sn * t.z, incline_rest, c->friction, obstacle, sides);
    assert_true(length > 0 && (size_t)length < capacity);
}

// Comes to rest on the slope, where a force holds it, and then slides for half a second.
static inline incline_result incline_run(incline c) {
    const double seconds = 0.5, g = 9.81, angle = c.degrees * 0.017453292519943295;
    const char*  mesh = "incline.obj";
    char         text[4096];
    c = incline_filled(c);
    incline_text(&c, mesh, text, sizeof text);
    shoal_sim* sim = lab_sim(text, c.setup);
    if (c.kind == INCLINE_MESH) assert_int_equal(remove(mesh), 0);
    int64_t count     = shoal_sim_count(sim);
    float(*before)[3] = malloc((size_t)count * sizeof *before), (*after)[3] = malloc((size_t)count * sizeof *after);
    assert_true(before && after);
    lab_run(sim, incline_rest, 1.0 / 60);
    lab_by_id(sim, "position", before);
    lab_by_id(sim, "velocity", after);
    double first[3] = {0}; // of the centre of mass, m/s
    for (int64_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) first[k] += (double)after[i][k] / (double)count;
    lab_run(sim, seconds, 1.0 / 60);
    lab_by_id(sim, "position", after);
    incline_vector n     = incline_turned(&c, sin(angle), cos(angle), 0),
                   t     = incline_turned(&c, cos(angle), -sin(angle), 0);
    incline_result r     = {0};
    double         soles = 0, high = c.shift * c.dx * (3 * n.x + n.y + 2 * n.z),
           ahead = c.shift * c.dx * (3 * t.x + t.y + 2 * t.z);
    for (int64_t i = 0; i < count; i++) {
        double x[3], along = -ahead, up = -high;
        for (int k = 0; k < 3; k++) {
            double tk = k == 0 ? t.x : k == 1 ? t.y : t.z, nk = k == 0 ? n.x : k == 1 ? n.y : n.z;
            x[k] = (double)after[i][k] - (double)before[i][k];
            along += tk * (double)before[i][k];
            up += nk * (double)before[i][k];
        }
        double way = t.x * x[0] + t.y * x[1] + t.z * x[2];
        r.way += way / (double)count;
        r.rise += (n.x * x[0] + n.y * x[1] + n.z * x[2]) / (double)count;
        if (up > c.dx || fabs(along) > 0.25 * c.cells[0] * c.dx) continue;
        r.sole += way;
        soles++;
    }
    r.sole /= fmax(soles, 1);
    double sunk = r.rise - seconds * (n.x * first[0] + n.y * first[1] + n.z * first[2]);
    r.wanted = seconds * (t.x * first[0] + t.y * first[1] + t.z * first[2]) + 0.5 * g * sin(angle) * seconds * seconds -
               (c.belt > 0 ? -1 : 1) * c.friction * (0.5 * g * cos(angle) * seconds * seconds + sunk);
    free(before);
    free(after);
    shoal_sim_destroy(sim);
    return r;
}

#endif
