// SPDX-License-Identifier: MIT
// A slab of sand, or whatever a solver takes, on a tilted obstacle: it starts at tan(angle) =
// friction and goes 0.5 g (sin - mu cos) t^2. Everything, gravity included, may be turned about an
// axis: nothing but the axes of the grid may tell the difference.
#ifndef SHOAL_TRUTH_RAMP_H
#define SHOAL_TRUTH_RAMP_H

#include "lab.h"

typedef enum ramp_kind { RAMP_PLANE, RAMP_BOX, RAMP_MESH } ramp_kind;

// The slope comes step by step, up to nine tenths of what friction holds, then all of it: contacts
// are springs, and a load that is there all at once would throw the slab.
enum { RAMP_TILTS = 5 };
#define RAMP_TILT 0.02 // s

typedef struct ramp {
    const char* head;              // solver, materials, parameters: lines of a scene; the material is "sand"
    double      degrees, friction; // of the obstacle
    double      length, height, width, spacing; // of the slab, m
    ramp_kind   kind;
    double      turn, axis[3]; // degrees
    double      settle;        // s before it is let go: at first it is only pressed onto the obstacle, by the
                               // part of gravity across it
} ramp;

typedef struct ramp_way {
    double way, wanted; // m, downhill: the median of all particles; by Coulomb's law
} ramp_way;

static inline void ramp_turned(const ramp* c, const double v[3], double out[3]) {
    const double *k = c->axis, a = c->turn * 0.017453292519943295, s = sin(a),
                 dot = k[0] * v[0] + k[1] * v[1] + k[2] * v[2], n = k[0] * k[0] + k[1] * k[1] + k[2] * k[2],
                 r = n > 0.0 ? 1.0 / sqrt(n) : 0.0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = v[i] * cos(a) + r * (k[j] * v[l] - k[l] * v[j]) * s + r * r * k[i] * dot * (1.0 - cos(a));
    }
}

// A block whose upper face is y = 0.
static inline void ramp_mesh(const char* path, double far, double deep) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    for (int k = 0; k < 8; k++)
        fprintf(file, "v %.9g %.9g %.9g\n", k & 1 ? far : -far, k & 2 ? 0.0 : -deep, k & 4 ? 0.5 * far : -0.5 * far);
    fputs("f 1 5 6 2\nf 3 4 8 7\nf 1 2 4 3\nf 5 7 8 6\nf 1 3 7 5\nf 2 6 8 4\n", file);
    assert_int_equal(fclose(file), 0);
}

static inline int ramp_by_value(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// The scene: the surface goes through the origin, the slab lies uphill and downhill of it between
// smooth sides: without them sand that slides no longer holds itself together across, and spreads.
static inline void ramp_text(const ramp* c, char* text, size_t size) {
    const double g = 9.81, a = c->degrees * 0.017453292519943295, up[3] = {sin(a), cos(a), 0.0};
    const double across[3] = {-g * cos(a) * up[0], -g * cos(a) * up[1], 0.0},
                 along[3]  = {g * sin(a) * up[1], -g * sin(a) * up[0], 0.0};
    double pull[3], load[3], normal[3], far = 0.5 * c->length + 0.8;
    char   rotate[256], shape[512];
    ramp_turned(c, across, load);
    ramp_turned(c, along, pull);
    ramp_turned(c, up, normal);
    snprintf(rotate, sizeof rotate,
             "rotate: [{axis: [0, 0, 1], degrees: %.12g}, {axis: [%.9g, %.9g, %.9g], degrees: %.9g}]", -c->degrees,
             c->axis[0], c->axis[1], c->turn == 0.0 ? 1.0 : c->axis[2], c->turn);
    if (c->kind == RAMP_PLANE)
        snprintf(shape, sizeof shape, "plane: {normal: [%.12g, %.12g, %.12g], offset: 0}", normal[0], normal[1],
                 normal[2]);
    else if (c->kind == RAMP_BOX)
        snprintf(shape, sizeof shape, "box: {min: [%.9g, -0.1, %.9g], max: [%.9g, 0, %.9g]}, %s", -far, -0.5 * far, far,
                 0.5 * far, rotate);
    else {
        ramp_mesh("ramp.obj", far, 0.1);
        snprintf(shape, sizeof shape, "mesh: ramp.obj, %s", rotate);
    }
    int    at   = snprintf(text, size, "%sspacing: %.9g\nfps: 50\ngravity: [%.12g, %.12g, %.12g]\nforces:\n", c->head,
                           c->spacing, load[0], load[1], load[2]);
    double held = fmin(1.0, 0.9 * c->friction / tan(a)), begun = c->settle - RAMP_TILTS * RAMP_TILT;
    for (int k = 0; k <= RAMP_TILTS; k++) {
        double part = k < RAMP_TILTS ? held / RAMP_TILTS : 1.0 - held;
        at += snprintf(text + at, size - (size_t)at, "  - {acceleration: [%.12g, %.12g, %.12g], from: %.9g}\n",
                       part * pull[0], part * pull[1], part * pull[2], begun + k * RAMP_TILT);
    }
    snprintf(text + at, size - (size_t)at,
             "bodies: [{material: sand, box: {min: [%.9g, 0, %.9g], max: [%.9g, %.9g, %.9g]}, %s}]\n"
             "obstacles:\n  - {name: ramp, friction: %.9g, %s}\n"
             "  - {name: sides, friction: 0, %s, union: [{box: {min: [%.9g, 0, %.9g], max: [%.9g, 0.2, "
             "%.9g]}}, {box: {min: [%.9g, 0, %.9g], max: [%.9g, 0.2, %.9g]}}]}\n",
             -0.5 * c->length, -0.5 * c->width, 0.5 * c->length, c->height, 0.5 * c->width, rotate, c->friction, shape,
             rotate, -far, -0.5 * c->width - 0.1, far, -0.5 * c->width, -far, 0.5 * c->width, far,
             0.5 * c->width + 0.1);
}

// The median way of all particles along `downhill`.
static inline double ramp_median(const shoal_sim* sim, float (*from)[3], const double downhill[3]) {
    int64_t count = shoal_sim_count(sim);
    float(*to)[3] = malloc((size_t)count * sizeof *to);
    double* way   = calloc((size_t)count, sizeof *way);
    assert_true(to && way);
    lab_by_id(sim, "position", to);
    for (int64_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) way[i] += downhill[k] * ((double)to[i][k] - (double)from[i][k]);
    qsort(way, (size_t)count, sizeof *way, ramp_by_value);
    double median = way[count / 2];
    free(to);
    free(way);
    return median;
}

// Sets the slab down and lets it go for `seconds`.
static inline ramp_way ramp_slide(const ramp* c, double seconds, lab_setup setup) {
    char   text[4096];
    double a = c->degrees * 0.017453292519943295, along[3] = {cos(a), -sin(a), 0.0}, downhill[3];
    ramp_turned(c, along, downhill);
    ramp_text(c, text, sizeof text);
    shoal_sim* sim = lab_sim(text, setup);
    if (c->kind == RAMP_MESH) assert_int_equal(remove("ramp.obj"), 0);
    int64_t count   = shoal_sim_count(sim);
    float(*from)[3] = malloc((size_t)count * sizeof *from);
    assert_non_null(from);
    lab_run(sim, c->settle, 0.02);
    lab_by_id(sim, "position", from);
    lab_run(sim, seconds, 0.02);
    assert_int_equal(shoal_sim_count(sim), count);
    ramp_way out = {.way    = ramp_median(sim, from, downhill),
                    .wanted = fmax(0.5 * 9.81 * (sin(a) - c->friction * cos(a)) * seconds * seconds, 0.0)};
    free(from);
    shoal_sim_destroy(sim);
    return out;
}

#endif
