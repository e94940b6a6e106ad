// SPDX-License-Identifier: MIT
// A shoal_sim made by hand, without scene and solver, for tests of single files of sim/.
#ifndef SHOAL_TEST_BY_HAND_H
#define SHOAL_TEST_BY_HAND_H

#include "sim/sim_local.h"

#include <string.h>

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on

typedef struct by_hand {
    shoal_description    description;
    shoal_sim            sim;
    shoal_emitter_state  states[4];
    const shoal_set_def* set; // NULL: by_hand_set
} by_hand;

static const shoal_field_def by_hand_fields[] = {SHOAL_FIELD("density", F1, 1, SHOWN_OUTPUT, "kg/m^3", "of a test"),
                                                 SHOAL_FIELD("pressure", F1, 1, OUTPUT, "Pa", "of a test"),
                                                 {0}};

static const shoal_set_def by_hand_set = {"particles", SHOAL_SORTED, by_hand_fields, 0, NULL};

// A tank of default walls with its lower corner at the origin; y open at the top.
static inline void by_hand_tank(by_hand* h, double spacing, double x, double y, double z) {
    memset(h, 0, sizeof *h);
    h->description.spacing         = spacing;
    h->description.domain.is_given = true;
    h->description.domain.max      = shoal_d3_make(x, y, z);
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) h->description.domain.walls[w].kind = SHOAL_WALL_DEFAULT;
    h->description.domain.walls[SHOAL_TOP].kind = SHOAL_WALL_OPEN;
}

static inline void by_hand_periodic(by_hand* h, int axis) {
    h->description.domain.walls[2 * axis].kind = h->description.domain.walls[2 * axis + 1].kind = SHOAL_WALL_PERIODIC;
}

// After the description is complete.
static inline void by_hand_open(by_hand* h) {
    shoal_sim* sim   = &h->sim;
    sim->description = &h->description;
    sim->emitters    = h->states;
    sim->ctx.exec    = shoal_exec_make(2);
    assert_int_equal(shoal_world_create(&h->description, &sim->world), SHOAL_OK);
    assert_int_equal(shoal_set_create(h->set ? h->set : &by_hand_set, &sim->ctx.particles), SHOAL_OK);
    sim->ctx.sets[0]     = sim->ctx.particles;
    sim->ctx.description = &h->description;
    assert_int_equal(shoal_sim_fill(sim), SHOAL_OK);
}

static inline void by_hand_close(by_hand* h) {
    shoal_sim_emit_free(&h->sim);
    shoal_free(h->sim.marks);
    shoal_set_destroy(h->sim.ctx.particles);
    shoal_world_destroy(h->sim.world);
}

static inline int by_hand_count(const by_hand* h) { return h->sim.ctx.particles->count; }

static inline shoal_v3* by_hand_position(const by_hand* h) { return shoal_set_data(h->sim.ctx.particles, "position"); }

static inline void by_hand_put(by_hand* h, double x, double y, double z) {
    assert_int_equal(shoal_sim_append(&h->sim, 0, shoal_v3_from(shoal_d3_make(x, y, z)), shoal_v3_make(0, 0, 0)),
                     SHOAL_OK);
}

// Lattice of nx * ny * nz particles, the first at spacing / 2 from the corner.
static inline void by_hand_block(by_hand* h, shoal_d3 corner, int nx, int ny, int nz) {
    double d = h->description.spacing;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++)
                by_hand_put(h, corner.x + (i + 0.5) * d, corner.y + (j + 0.5) * d, corner.z + (k + 0.5) * d);
}

#endif
