// SPDX-License-Identifier: MIT
// Particles of SPH water, samples of a solid and a view on them, made by hand, for tests of single passes.
#ifndef SHOAL_TEST_TUB_H
#define SHOAL_TEST_TUB_H

#include "unit/check.h"

#include "base/hash.h"
#include "fluid/water_pass.h"

enum { COUNT = 600, BOUNDARY = 200, CAPACITY = COUNT + 1 };

typedef struct tub {
    shoal_water_view   view;
    shoal_world        world;
    shoal_cells        cells, boundary_cells;
    shoal_near         near, boundary;
    shoal_water_liquid liquids[2];
    uint8_t            material[CAPACITY];
    shoal_v3           touch[CAPACITY], push[CAPACITY], velocity[CAPACITY];
    shoal_v4           place[CAPACITY], guess[CAPACITY], motion[CAPACITY], wall[CAPACITY], stream[CAPACITY];
    float density[CAPACITY], pressure[CAPACITY], settling[CAPACITY], acceleration[CAPACITY], friction[CAPACITY],
        hold[CAPACITY], ratio[CAPACITY], factor[CAPACITY], kappa[CAPACITY], error[CAPACITY], layer[CAPACITY],
        slant[CAPACITY], lean_yz[CAPACITY], total[CAPACITY];
    shoal_v4     lean[CAPACITY];
    shoal_v3     level[CAPACITY];
    shoal_layers layers;
    shoal_v4     sample_place[BOUNDARY + 1], sample_guess[BOUNDARY + 1], sample_motion[BOUNDARY + 1];
    float        sample_layer[BOUNDARY + 1];
} tub;

static inline double shuffled(uint64_t stream, int i) { return shoal_random(7, stream, (uint64_t)i); }

// Particles above y = 0 and samples below, as dense as water, out of order; two liquids, moving at random.
// `twins`: two particles are in one spot.
static inline tub* tub_make_of(bool is_mixed, bool twins) {
    tub* t = calloc(1, sizeof *t);
    assert_non_null(t);
    const double      d = 0.1, h = 0.2, size = d * cbrt(COUNT);
    shoal_water_view* v       = &t->view;
    shoal_lattice     lattice = shoal_lattice_make(d, h, SHOAL_KERNEL_CUBIC);
    v->count = COUNT, v->solids.world = &t->world, v->d = (float)d, v->h = (float)h, v->h2 = (float)(h * h),
    v->dt     = 1e-3f;
    v->weight = (float)(lattice.volume * shoal_cubic_scale(h)), v->self = (float)(lattice.volume * shoal_cubic(0.0, h));
    v->slope = 3.0f * v->weight, v->pressure_scale = 1e-6f, v->omega = 0.5f, v->momentum = 1.0f,
    v->smooth       = 0.01f * v->weight;
    v->gradient_sum = (float)lattice.gradient_sum, v->artificial = 0.01f * v->slope, v->contact = 0.0f,
    v->is_viscous    = true;
    v->has_wall_drag = true, v->correction = v->relax = 1.0f;
    v->is_mixed   = is_mixed;
    t->liquids[0] = (shoal_water_liquid){1000.0f, 1.0f, 0.01f, 0.0f, 0.0f};
    t->liquids[1] = is_mixed ? (shoal_water_liquid){500.0f, 2.0f, 0.03f, 0.0f, 0.0f} : t->liquids[0];
    v->liquids = t->liquids, v->material = t->material, v->touch = t->touch, v->push = t->push,
    v->velocity = t->velocity;
    v->place = t->place, v->guess = t->guess, v->motion = t->motion, v->wall = t->wall, v->stream = t->stream,
    v->density  = t->density;
    v->pressure = t->pressure, v->settling = t->settling, v->acceleration = t->acceleration, v->friction = t->friction;
    v->hold = t->hold, v->ratio = t->ratio, v->factor = t->factor, v->kappa = t->kappa, v->error = t->error,
    v->layer = t->layer, v->slant = t->slant, v->total = t->pressure;

    static shoal_v4   from[COUNT], banks[BOUNDARY];
    shoal_exec        exec = shoal_exec_make(1);
    shoal_cells_frame frame;
    for (int i = 0; i < COUNT; i++)
        from[i] = (shoal_v4){(float)(size * shuffled(0, i)), (float)(size * shuffled(1, i)),
                             (float)(size * shuffled(2, i)), 0.0f};
    if (twins) from[COUNT / 2] = from[7];
    for (int b = 0; b < BOUNDARY; b++)
        banks[b] = (shoal_v4){(float)(size * shuffled(3, b)), (float)(-0.05 * shuffled(4, b)),
                              (float)(size * shuffled(5, b)), 0.8f};
    CHECK_OK(shoal_cells_frame_make(&exec, from, COUNT, (float)h, &frame));
    CHECK_OK(shoal_cells_sort(&t->cells, &exec, &frame, from, COUNT));
    CHECK_OK(shoal_cells_sort(&t->boundary_cells, &exec, &frame, banks, BOUNDARY));
    for (int i = 0; i < COUNT; i++) t->place[i] = from[t->cells.order[i]];
    t->place[COUNT] = (shoal_v4){SHOAL_NOWHERE, SHOAL_NOWHERE, SHOAL_NOWHERE, 0.0f};
    for (int b = 0; b < BOUNDARY; b++) t->sample_place[b] = banks[t->boundary_cells.order[b]];
    t->sample_place[BOUNDARY] = t->place[COUNT];
    for (int i = 0; i < CAPACITY; i++) {
        t->motion[i] =
            (shoal_v4){(float)shuffled(6, i) - 0.5f, (float)shuffled(7, i) - 0.5f, (float)shuffled(8, i) - 0.5f, 0.0f};
        t->material[i] = is_mixed && i % 3 == 0;
    }
    for (int b = 0; b < BOUNDARY; b++) {
        t->sample_motion[b] =
            (shoal_v4){(float)shuffled(6, b) - 0.5f, (float)shuffled(7, b) - 0.5f, (float)shuffled(8, b) - 0.5f, 0.3f};
        t->sample_layer[b] = b % 2 ? 1.0f : 0.0f;
    }
    v->sample        = (shoal_sample_view){t->sample_place, t->sample_guess, t->sample_motion, t->sample_layer, NULL};
    t->motion[COUNT] = (shoal_v4){0.0f, 0.0f, 0.0f, 0.0f};
    CHECK_OK(shoal_near_build(&t->near, &exec, SHOAL_ISA_PLAIN, &t->cells, NULL, t->place, COUNT, (float)h));
    CHECK_OK(shoal_near_build_between(&t->boundary, &exec, SHOAL_ISA_PLAIN, &t->cells, t->place, &t->boundary_cells,
                                      t->sample_place, (float)h));
    v->near = t->near, v->boundary = t->boundary, v->grain = v->h2 / (3.0f * INT16_MAX), v->is_split = true,
    v->is_begun = !is_mixed;
    v->pairs    = calloc(t->near.group_capacity * 3 * SHOAL_LANES, sizeof *v->pairs);
    assert_non_null(v->pairs);
    return t;
}

static inline tub* tub_make(bool is_mixed) { return tub_make_of(is_mixed, false); }

static inline void tub_free(tub* t) {
    shoal_near_free(&t->near), shoal_near_free(&t->boundary);
    shoal_cells_free(&t->cells), shoal_cells_free(&t->boundary_cells);
    free(t->view.pairs);
    free(t);
}

static inline void run(tub* t, shoal_isa_kind isa, shoal_water_pass pass) {
    shoal_pass_loop(&shoal_water_passes, isa, (int)pass)(&t->view, 0, COUNT);
}

#endif
