// SPDX-License-Identifier: MIT
// A column of sand on the lattice by itself, whose pore water has ends that a test holds: no solver, no weight of the
// sand, no neighbours but those of the column.
#ifndef SHOAL_TRUTH_PORES_H
#define SHOAL_TRUTH_PORES_H

#include "solvers/porous/porous_pore.h"
#include "unit/check.h"

// A column WIDE x WIDE x length along x, turned about z by an angle. `low` and `high` are its ends.
enum { COLUMN_WIDE = 2, COLUMN_MOST = 4096, COLUMN_NEAR = 96 };

typedef struct column {
    int              length, count;
    double           d;
    shoal_d3         axis;
    porous_pores     pores;
    porous_pore      pore;
    porous_pore_view view;
    shoal_near       near;
    shoal_v4         place[COLUMN_MOST];
    float            ratio[COLUMN_MOST], pressure[COLUMN_MOST], saturation[COLUMN_MOST], porosity[COLUMN_MOST];
    uint8_t          material[COLUMN_MOST];
    double           water[COLUMN_MOST], pending[COLUMN_MOST];
    shoal_v3         velocity[COLUMN_MOST];
    uint32_t         start[COLUMN_MOST];
    int              counts[COLUMN_MOST], index[COLUMN_MOST * COLUMN_NEAR];
} column;

static inline int column_layer(int i) { return i / (COLUMN_WIDE * COLUMN_WIDE); }

static inline void column_neighbours(column* c, double h) {
    for (int i = 0; i < c->count; i++) {
        c->start[i]  = (uint32_t)(i * (COLUMN_NEAR / SHOAL_LANES));
        c->counts[i] = 0;
        for (int j = 0; j < c->count; j++) {
            shoal_v4 a = c->place[i], b = c->place[j];
            double   x = (double)(a.x - b.x), y = (double)(a.y - b.y), z = (double)(a.z - b.z);
            if (i == j || x * x + y * y + z * z >= h * h) continue;
            assert_true(c->counts[i] < COLUMN_NEAR);
            c->index[i * COLUMN_NEAR + c->counts[i]++] = j;
        }
    }
    c->near = (shoal_near){.start = c->start, .count = c->counts, .index = c->index};
}

// Filled to a saturation; gravity along the axis, m/s^2.
static inline column* column_make(int length, double d, double turned, shoal_material sand, double saturation,
                                  double gravity) {
    column* c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->length = length, c->count = length * COLUMN_WIDE * COLUMN_WIDE, c->d = d;
    assert_true(c->count <= COLUMN_MOST);
    c->axis  = shoal_d3_make(cos(turned), sin(turned), 0.0);
    c->pores = porous_pores_of(&sand, (porous_liquid){998.2, 1.0016e-3});
    for (int i = 0; i < c->count; i++) {
        double x = (column_layer(i) + 0.5) * d, y = (i % COLUMN_WIDE + 0.5) * d,
               z = (i / COLUMN_WIDE % COLUMN_WIDE + 0.5) * d;
        c->place[i] =
            (shoal_v4){(float)(x * c->axis.x - y * c->axis.y), (float)(x * c->axis.y + y * c->axis.x), (float)z, 0.0f};
        c->ratio[i] = 1.0f;
        c->water[i] = saturation * c->pores.porosity * d * d * d;
    }
    column_neighbours(c, 2.0 * d);
    c->view = (porous_pore_view){.count         = c->count,
                                 .near          = &c->near,
                                 .place         = c->place,
                                 .ratio         = c->ratio,
                                 .material      = c->material,
                                 .pores         = &c->pores,
                                 .d             = d,
                                 .h             = 2.0 * d,
                                 .density       = 998.2,
                                 .gravity       = shoal_d3_scale(c->axis, gravity),
                                 .water         = c->water,
                                 .pending       = c->pending,
                                 .pore_pressure = c->pressure,
                                 .saturation    = c->saturation,
                                 .porosity      = c->porosity,
                                 .pore_velocity = c->velocity,
                                 .is_closed     = true};
    return c;
}

static inline void column_free(column* c) {
    porous_pore_free(&c->pore);
    free(c);
}

// Holds the pressure at the face of the first layer or of the last, Pa.
static inline void column_hold(column* c, bool is_last, double pressure) {
    int    first = is_last ? c->count - COLUMN_WIDE * COLUMN_WIDE : 0;
    double k     = c->pores.permeability / 1.0016e-3;
    for (int i = first; i < first + COLUMN_WIDE * COLUMN_WIDE; i++)
        CHECK_OK(porous_pore_link(&c->pore,
                                  (porous_link){.particle = i,
                                                .mobility = 2.0 * k * c->d,
                                                .pressure = pressure,
                                                .apart = shoal_d3_scale(c->axis, is_last ? -0.5 * c->d : 0.5 * c->d)}));
}

// A step; what has come in by the links of the first layer, over the face, m.
static inline double column_step(column* c, double dt) {
    shoal_exec exec = shoal_exec_make(1);
    double     in   = 0.0;
    c->view.dt      = dt;
    CHECK_OK(porous_pore_step(&c->pore, &c->view, &exec));
    for (int k = 0; k < c->pore.link_count; k++)
        if (column_layer(c->pore.links[k].particle) == 0) in -= c->pore.links[k].given;
    porous_pore_clear(&c->pore);
    return in / (COLUMN_WIDE * COLUMN_WIDE * c->d * c->d);
}

static inline double column_water(const column* c) {
    double sum = 0.0;
    for (int i = 0; i < c->count; i++) sum += c->water[i];
    return sum;
}

#endif
