// SPDX-License-Identifier: MIT
// A tank by hand for the tests of the staggered grid: a world, particles, and the grid around them.
#ifndef SHOAL_TEST_TANK_H
#define SHOAL_TEST_TANK_H

#include "unit/check.h"

#include "base/hash.h"
#include "mac/mac_extend.h"
#include "mac/mac_level.h"
#include "mac/mac_project.h"
#include "mac/mac_solid.h"

enum { TANK_ITEMS = 60000 };

typedef struct tank {
    shoal_description   description;
    shoal_world*        world;
    shoal_exec          exec;
    shoal_mac_def       def;
    shoal_mac           mac;
    int                 count;
    shoal_v3            position[TANK_ITEMS], velocity[TANK_ITEMS], affine[3][TANK_ITEMS];
    uint8_t             material[TANK_ITEMS];
    float               pressure[TANK_ITEMS], density[TANK_ITEMS];
    shoal_mac_particles view;
} tank;

static inline float tank_random(uint64_t stream, int n) { return (float)shoal_random(7, stream, (uint64_t)n); }

// Walls at min and max; infinite ones are open.
static inline tank* tank_make(shoal_d3 min, shoal_d3 max, double dx, int threads) {
    tank* t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->description.spacing         = 0.5 * dx;
    t->description.domain.is_given = true;
    double low[3] = {min.x, min.y, min.z}, high[3] = {max.x, max.y, max.z};
    for (int w = 0; w < SHOAL_WALL_COUNT; w++)
        t->description.domain.walls[w].kind =
            isfinite(w % 2 == 0 ? low[w / 2] : high[w / 2]) ? SHOAL_WALL_SLIP : SHOAL_WALL_OPEN;
    for (int axis = 0; axis < 3; axis++) {
        if (!isfinite(low[axis])) low[axis] = -1.0;
        if (!isfinite(high[axis])) high[axis] = 1.0;
    }
    t->description.domain.min = shoal_d3_make(low[0], low[1], low[2]);
    t->description.domain.max = shoal_d3_make(high[0], high[1], high[2]);
    CHECK_OK(shoal_world_create(&t->description, &t->world));
    t->exec = shoal_exec_make(threads);
    t->def  = shoal_mac_def_for(t->world, dx);
    t->view = (shoal_mac_particles){.position       = t->position,
                                    .velocity       = t->velocity,
                                    .material       = t->material,
                                    .pressure       = t->pressure,
                                    .density        = t->density,
                                    .pressure_scale = 1.0f,
                                    .density_scale  = 1.0f,
                                    .rest           = 8.0f};
    return t;
}

static inline void tank_free(tank* t) {
    shoal_mac_free(&t->mac);
    shoal_world_destroy(t->world);
    shoal_free(t->description.obstacles);
    free(t);
}

static inline void tank_affine(tank* t) {
    for (int axis = 0; axis < 3; axis++) t->view.affine[axis] = t->affine[axis];
}

// Fills a box with particles on the lattice of spacing dx / 2.
static inline void tank_fill(tank* t, shoal_d3 min, shoal_d3 max) {
    double d = t->description.spacing;
    for (double z = min.z + 0.5 * d; z < max.z; z += d)
        for (double y = min.y + 0.5 * d; y < max.y; y += d)
            for (double x = min.x + 0.5 * d; x < max.x; x += d) {
                assert_true(t->count < TANK_ITEMS);
                t->position[t->count++] = shoal_v3_make((float)x, (float)y, (float)z);
            }
}

static inline void tank_reorder(shoal_v3* field, const int* order, int count) {
    shoal_v3* copy = malloc((size_t)(count > 0 ? count : 1) * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, field, (size_t)count * sizeof *copy);
    for (int i = 0; i < count; i++) field[i] = copy[order[i]];
    free(copy);
}

// The grid around the particles, which are brought into its order.
static inline void tank_grid(tank* t, int reach) {
    CHECK_OK(shoal_mac_sort(&t->mac, &t->exec, &t->def, t->position, t->count));
    tank_reorder(t->position, t->mac.order, t->count);
    tank_reorder(t->velocity, t->mac.order, t->count);
    for (int axis = 0; axis < 3; axis++) tank_reorder(t->affine[axis], t->mac.order, t->count);
    CHECK_OK(shoal_mac_build(&t->mac, &t->exec, reach));
}

// The same, with velocities on faces, solids and the level set.
static inline void tank_liquid(tank* t, int reach) {
    tank_grid(t, reach);
    shoal_mac_gather(&t->mac, &t->exec, &t->view);
    shoal_mac_solids(&t->mac, &t->exec, t->world, NULL);
    shoal_mac_count_solids(&t->mac, &t->exec, true);
    shoal_mac_level(&t->mac, &t->exec, SHOAL_MAC_GHOST);
}

static inline int tank_samples(const tank* t) { return SHOAL_MAC_SAMPLES * t->mac.block_count; }

#endif
