// SPDX-License-Identifier: MIT
// Particles and a view on them, made by hand, for tests of single passes of pbf.
#ifndef SHOAL_TEST_CLOUD_H
#define SHOAL_TEST_CLOUD_H

#include "unit/check.h"

#include "base/hash.h"
#include "fluid/lattice.h"
#include "solvers/pbf/pbf_local.h"

enum { CLOUD_MOST = 4096 };

typedef struct cloud {
    pbf_view    view;
    shoal_world world;
    shoal_cells cells;
    shoal_near  near;
    pbf_liquid  liquids[2];
    double      d, h;
    // arrays of the view
    int32_t      id[CLOUD_MOST];
    uint8_t      material[CLOUD_MOST], limited[CLOUD_MOST];
    shoal_v3     position[CLOUD_MOST], velocity[CLOUD_MOST], vector[CLOUD_MOST], moved[CLOUD_MOST], omega[CLOUD_MOST];
    shoal_v4     guess[CLOUD_MOST], stride[CLOUD_MOST], drift[CLOUD_MOST], lean[CLOUD_MOST];
    float        scalar[CLOUD_MOST], uncorrected[CLOUD_MOST], lean_yz[CLOUD_MOST];
    shoal_layers layers;
    float        density[CLOUD_MOST], pressure[CLOUD_MOST];
} cloud;

// Constants as pbf.c derives them, without cfm, anti-clumping, viscosity and walls; d = 0.1.
static inline cloud* cloud_make(double support, bool is_poly6) {
    cloud* c = calloc(1, sizeof *c);
    assert_non_null(c);
    double        d = 0.1, h = support * d;
    shoal_lattice lattice = shoal_lattice_make(d, h, is_poly6);
    pbf_view*     v       = &c->view;
    c->d = d, c->h = h;
    v->solids.world             = &c->world;
    v->params.density_kernel    = is_poly6 ? PBF_DENSITY_KERNEL_POLY6 : PBF_DENSITY_KERNEL_SPIKY;
    v->params.anti_clumping     = PBF_ANTI_CLUMPING_SHORT_RANGE;
    v->params.negative_pressure = 1.0f;
    v->dt = 0.004f, v->d = (float)d, v->h = (float)h, v->h2 = (float)(h * h);
    v->weight             = (float)(lattice.volume * (is_poly6 ? shoal_poly6_scale(h) : shoal_spiky_scale(h)));
    v->self               = (float)(lattice.volume * (is_poly6 ? shoal_poly6(0.0, h) : shoal_spiky(0.0, h)));
    v->spiky              = (float)(lattice.volume * 3.0 * shoal_spiky_scale(h));
    v->swirl              = (float)((double)v->spiky / lattice.pressure_factor);
    v->gradient_sum       = (float)lattice.gradient_sum;
    v->wall_factor        = (float)lattice.wall_factor;
    v->inverse_relaxation = 1.0f;
    v->correction         = 1.0f;
    v->momentum           = 1.0f;
    v->clump_r2           = (float)(1.0 / (0.81 * d * d));
    v->limit              = (float)h;
    c->liquids[0] = c->liquids[1] = (pbf_liquid){1000.0f, 1.0f, 0.0f};
    v->liquids                    = c->liquids;
    v->pressure_scale             = -1.0f;
    v->id = c->id, v->material = c->material, v->position = c->position, v->velocity = c->velocity;
    v->density = c->density, v->pressure = c->pressure, v->guess = c->guess, v->vector = c->vector, v->moved = c->moved;
    v->scalar = c->scalar, v->uncorrected = c->uncorrected, v->lean = c->lean, v->lean_yz = c->lean_yz;
    c->layers = lattice.layers, v->layers = &c->layers;
    v->surface_slant = (float)lattice.surface_slant;
    v->stride = c->stride, v->limited = c->limited, v->drift = c->drift, v->omega = c->omega;
    return c;
}

static inline void cloud_free(cloud* c) {
    shoal_near_free(&c->near);
    shoal_cells_free(&c->cells);
    free(c);
}

static inline void cloud_add(cloud* c, double x, double y, double z) {
    assert_true(c->view.count < CLOUD_MOST - 1);
    c->guess[c->view.count++] = (shoal_v4){(float)x, (float)y, (float)z, 0.0f};
}

// nx by ny by nz sites, the first half a spacing from the origin.
static inline void cloud_lattice(cloud* c, int nx, int ny, int nz) {
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) cloud_add(c, (x + 0.5) * c->d, (y + 0.5) * c->d, (z + 0.5) * c->d);
}

// As dense as water, out of order.
static inline void cloud_random(cloud* c, int count, uint64_t seed) {
    double size = c->d * cbrt(count);
    for (int i = 0; i < count; i++)
        cloud_add(c, size * shoal_random(seed, 0, (uint64_t)i), size * shoal_random(seed, 1, (uint64_t)i),
                  size * shoal_random(seed, 2, (uint64_t)i));
}

// Sorts by cells and finds neighbours. Places move; companions of the places do not.
static inline void cloud_ready(cloud* c) {
    static shoal_v4   from[CLOUD_MOST];
    shoal_exec        exec = shoal_exec_make(1);
    shoal_cells_frame frame;
    CHECK_OK(shoal_cells_frame_make(&exec, c->guess, c->view.count, (float)c->h, &frame));
    CHECK_OK(shoal_cells_sort(&c->cells, &exec, &frame, c->guess, c->view.count));
    memcpy(from, c->guess, sizeof from);
    for (int k = 0; k < c->view.count; k++) c->guess[k] = from[c->cells.order[k]];
    c->guess[c->view.count] = (shoal_v4){SHOAL_NOWHERE, SHOAL_NOWHERE, SHOAL_NOWHERE, 0.0f};
    CHECK_OK(shoal_near_build(&c->near, &exec, SHOAL_ISA_PLAIN, &c->cells, NULL, c->guess, c->view.count, (float)c->h));
    c->view.near = c->near;
    for (int i = 0; i < c->view.count; i++)
        c->drift[i].w = c->liquids[c->material[i]].lightness; // as `predict` leaves it
}

// A velocity as after `measure`.
static inline void cloud_move(cloud* c, int i, shoal_v3 u) { c->drift[i] = (shoal_v4){u.x, u.y, u.z, c->drift[i].w}; }

// As in the step: what `lambda` and `curl` found is published before the next pass.
static inline void cloud_run(cloud* c, shoal_isa_kind isa, pbf_pass pass) {
    shoal_pass_loop(&pbf_passes, isa, (int)pass)(&c->view, 0, c->view.count);
    if (pass == PBF_lambda || pass == PBF_curl) shoal_pass_loop(&pbf_passes, isa, PBF_tell)(&c->view, 0, c->view.count);
}

// The particle nearest to a place.
static inline int cloud_at(const cloud* c, double x, double y, double z) {
    int    best  = 0;
    double least = (double)INFINITY;
    for (int i = 0; i < c->view.count; i++) {
        double dx = (double)c->guess[i].x - x, dy = (double)c->guess[i].y - y, dz = (double)c->guess[i].z - z;
        double r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < least) least = r2, best = i;
    }
    return best;
}

#endif
