// SPDX-License-Identifier: MIT
// Shapes and flows for surfaces that are tracked, in a cube of edge 1.
#ifndef SHOAL_TEST_TRACKED_H
#define SHOAL_TEST_TRACKED_H

#include "unit/check.h"

#include "tet/band.h"
#include "tet/tetmesh.h"
#include "tet/thicken.h"

// --- shapes, negative inside

typedef struct shape {
    double (*distance)(const struct shape* s, shoal_d3 at);
    shoal_d3 middle;
    double   radius;
} shape;

static double ball(const shape* s, shoal_d3 at) { return shoal_d3_length(shoal_d3_sub(at, s->middle)) - s->radius; }
// Zalesak's disk as a ball: a slot a third of the radius wide, five sixths of the diameter deep.
static inline double slotted(const shape* s, shoal_d3 at) {
    shoal_d3 p    = shoal_d3_sub(at, s->middle);
    double   slot = fmax(fabs(p.x) - s->radius / 6.0, p.y - 2.0 / 3.0 * s->radius);
    return fmax(ball(s, at), -slot);
}
static void ask(void* ctx, const shoal_d3* at, int count, double* value) {
    const shape* s = ctx;
    for (int i = 0; i < count; i++) value[i] = s->distance(s, at[i]);
}

// In a cube of edge 1 with `cells` along it, from a seed on the surface.
static shoal_octree frame(shoal_band* band, int cells) {
    shoal_octree tree = {.origin = {0.0, 0.0, 0.0}, .step = 2.0 / cells, .levels = 1};
    while (2 << tree.levels < cells) tree.levels++;
    shoal_band_frame(band, &tree);
    return tree;
}
static void begin_with(shoal_band* band, const shape* s, shoal_d3 seed, const shoal_exec* exec) {
    CHECK_OK(shoal_band_make(band, ask, (void*)(uintptr_t)s, &seed, 1, exec));
}

// --- measures of its triangles

static inline double volume_of(const shoal_band* band) {
    const shoal_contour* s   = &band->surface;
    double               sum = 0.0;
    for (int k = 0; k < s->triangle_count; k++)
        sum += shoal_tet_volume(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_from(s->vertices[s->triangles[3 * k]]),
                                shoal_d3_from(s->vertices[s->triangles[3 * k + 1]]),
                                shoal_d3_from(s->vertices[s->triangles[3 * k + 2]]));
    return sum;
}
static inline double area_of(const shoal_band* band) {
    const shoal_contour* s   = &band->surface;
    double               sum = 0.0;
    for (int k = 0; k < s->triangle_count; k++) {
        shoal_d3 a = shoal_d3_from(s->vertices[s->triangles[3 * k]]);
        sum +=
            0.5 * shoal_d3_length(shoal_d3_cross(shoal_d3_sub(shoal_d3_from(s->vertices[s->triangles[3 * k + 1]]), a),
                                                 shoal_d3_sub(shoal_d3_from(s->vertices[s->triangles[3 * k + 2]]), a)));
    }
    return sum;
}

// --- flows

// About the axis through the middle of the cube along z, once in 2 pi.
static void turn(void* ctx, const shoal_d3* at, int count, double dt, shoal_d3* to) {
    (void)ctx;
    for (int i = 0; i < count; i++) {
        double x = at[i].x - 0.5, y = at[i].y - 0.5;
        to[i] = shoal_d3_make(0.5 + x * cos(dt) - y * sin(dt), 0.5 + x * sin(dt) + y * cos(dt), at[i].z);
    }
}
// [Enright et al. 2002]: a ball is drawn out to a sheet, and after three seconds back to a ball.
static shoal_d3 deforming(shoal_d3 p, double t) {
    double   x = SHOAL_PI * p.x, y = SHOAL_PI * p.y, z = SHOAL_PI * p.z, c = cos(SHOAL_PI * t / 3.0);
    shoal_d3 u = {2.0 * sin(x) * sin(x) * sin(2.0 * y) * sin(2.0 * z), -sin(2.0 * x) * sin(y) * sin(y) * sin(2.0 * z),
                  -sin(2.0 * x) * sin(2.0 * y) * sin(z) * sin(z)};
    return shoal_d3_scale(u, c);
}
static void deform(void* ctx, const shoal_d3* at, int count, double dt, shoal_d3* to) {
    double now = *(const double*)ctx, from = dt > 0.0 ? now : now - dt; // the step goes from now to now + |dt|
    for (int i = 0; i < count; i++) {
        shoal_d3 k1  = deforming(at[i], from),
                 k2  = deforming(shoal_d3_add(at[i], shoal_d3_scale(k1, 0.5 * dt)), from + 0.5 * dt),
                 k3  = deforming(shoal_d3_add(at[i], shoal_d3_scale(k2, 0.5 * dt)), from + 0.5 * dt),
                 k4  = deforming(shoal_d3_add(at[i], shoal_d3_scale(k3, dt)), from + dt);
        shoal_d3 sum = shoal_d3_add(shoal_d3_add(k1, k4), shoal_d3_scale(shoal_d3_add(k2, k3), 2.0));
        to[i]        = shoal_d3_add(at[i], shoal_d3_scale(sum, dt / 6.0));
    }
}

// --- carried by a flow

typedef struct ride {
    const shoal_band* from;
    void (*path)(void* ctx, const shoal_d3* at, int count, double dt, shoal_d3* to);
    void*                    ctx;
    double                   dt, grow;
    const shoal_tet_thicken* thicken; // NULL: not
} ride;

static void carried(void* ctx, const shoal_d3* at, int count, double* value) {
    const ride* r = ctx;
    for (int i = 0; i < count; i++) {
        shoal_d3 came;
        r->path(r->ctx, at + i, 1, -r->dt, &came);
        value[i] = shoal_band_distance(r->from, came) - r->grow;
        if (r->thicken) value[i] = shoal_tet_thickened(r->thicken, at[i], value[i]);
    }
}
static bool     everywhere(void* ctx, shoal_d3 at) { return ctx && at.x == at.x; }
static shoal_d3 gone_one(void* ctx, shoal_d3 at) {
    const ride* r = ctx;
    shoal_d3    to;
    r->path(r->ctx, &at, 1, r->dt, &to);
    return to;
}
static void gone(void* ctx, const shoal_d3* at, int count, shoal_d3* to) {
    const ride* r = ctx;
    r->path(r->ctx, at, count, r->dt, to);
}
static void go_on(ride* r, shoal_band* band, const shoal_exec* exec) {
    r->from                  = band;
    const shoal_sparse* g    = &band->grid;
    shoal_band          next = {
                 .grid = {.origin = g->origin, .cell = g->cell, .nx = g->nx, .ny = g->ny, .nz = g->nz, .outside = g->outside},
                 .far   = band->far,
                 .arena = band->arena};
    CHECK_OK(shoal_band_follow(band, carried, gone, r, NULL, 0, exec, &next));
    shoal_band_free(band);
    *band = next;
}

static void step(shoal_band* band, void (*path)(void*, const shoal_d3*, int, double, shoal_d3*), void* ctx, double dt,
                 double grow, const shoal_exec* exec) {
    ride r = {.path = path, .ctx = ctx, .dt = dt, .grow = grow};
    go_on(&r, band, exec);
}

// Mean distance of the vertices to a shape, in cells.
static double off(const shoal_band* band, const shape* s) {
    double sum = 0.0;
    for (int v = 0; v < band->surface.vertex_count; v++)
        sum += fabs(s->distance(s, shoal_d3_from(band->surface.vertices[v])));
    return sum / band->surface.vertex_count / band->grid.cell;
}

static inline double turned(shape s, int cells, double* distance, const shoal_exec* exec) {
    shoal_band band  = {0};
    int        steps = (int)(SHOAL_PI * cells); // a cell at the cube's side in a step
    frame(&band, cells);
    begin_with(&band, &s, shoal_d3_make(0.65, 0.75, 0.5), exec);
    double before = volume_of(&band);
    for (int k = 0; k < steps; k++) step(&band, turn, NULL, 2.0 * SHOAL_PI / steps, 0.0, exec);
    double after = volume_of(&band);
    *distance    = off(&band, &s);
    shoal_band_free(&band);
    return after / before - 1.0;
}

// The volume's fraction that Enright's flow has added when it has gone there and back, and the mean distance. `grow`:
// the lost volume is given back. `thin`: parts no thicker, in cells, are thickened, 0: none.
static inline double deformed(int cells, int steps, bool grow, double thin, double* distance, const shoal_exec* exec) {
    shape                 s     = {ball, {0.35, 0.35, 0.35}, 0.15};
    shoal_band            band  = {0};
    shoal_tet_thicken     parts = {0};
    shoal_tet_thicken_def def   = {thin, 1.0, 0.25, 0.15}; // as the defaults of the solver
    shoal_octree          tree  = frame(&band, cells);
    double                now   = 0.0;
    ride                  r = {.path = deform, .ctx = &now, .dt = 3.0 / steps, .thicken = thin > 0.0 ? &parts : NULL};
    begin_with(&band, &s, shoal_d3_make(0.5, 0.35, 0.35), exec);
    double before = volume_of(&band), most = grow ? 0.1 * band.grid.cell : 0.0;
    for (int k = 0; k < steps; k++) {
        double volume = volume_of(&band);
        r.grow        = fmax(-most, fmin(most, 0.5 * (before - volume) / area_of(&band)));
        now           = k * r.dt;
        if (thin > 0.0) CHECK_OK(shoal_tet_thicken_make(&parts, &band, &tree, &def, everywhere, gone_one, &r, exec));
        go_on(&r, &band, exec);
    }
    double after = volume_of(&band);
    *distance    = off(&band, &s);
    shoal_band_free(&band);
    shoal_tet_thicken_free(&parts);
    return after / before - 1.0;
}

#endif
