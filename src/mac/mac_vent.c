// SPDX-License-Identifier: MIT
// Sinks take particles, but the pressure does not know: a cell that a sink leaves half full is full of liquid to the
// level set, whose floor counts as liquid, and incompressible liquid does not flow into what is full. So a cell with
// a place of a particle in a sink is air: its surroundings press into it, and what comes is taken.
#include "mac/mac_level.h"

// In cells, from the corner: the eight places that particles have at rest.
static const float place_low = 0.25f, place_step = 0.5f;
// How far they are from the centre.
static const double place_far = 0.4331;
// Air is at least this far from the liquid, in cells.
static const float air_least = 0.05f;

static shoal_box box_of(const shoal_mac* m, int block) {
    double   edge = (double)SHOAL_MAC_EDGE * (double)m->def.dx;
    shoal_d3 low  = shoal_d3_from(shoal_mac_place(m, SHOAL_MAC_SAMPLES * block, 0.0f, 0.0f, 0.0f));
    return (shoal_box){low, shoal_d3_add(low, shoal_d3_make(edge, edge, edge))};
}

static bool is_sunk(const shoal_mac* m, int at, const shoal_shape* shape, double centre) {
    double dx = (double)m->def.dx;
    if (centre > place_far * dx) return false;
    for (int n = 0; n < 8; n++) {
        shoal_v3 place =
            shoal_mac_place(m, at, place_low + place_step * (float)(n & 1),
                            place_low + place_step * (float)(n >> 1 & 1), place_low + place_step * (float)(n >> 2));
        if (shoal_shape_distance(shape, shoal_d3_from(place)) < 0.0) return true;
    }
    return false;
}

static void vent_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_description* d = ctx;
    for (int k = 0; k < d->sink_count; k++) {
        const shoal_shape* shape = d->sinks[k].shape;
        if (!shoal_box_meets(box_of(m, block), shoal_shape_bounds(shape))) continue;
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            if (!shoal_mac_has(m->liquid, at)) continue;
            double centre = shoal_shape_distance(shape, shoal_d3_from(shoal_mac_place(m, at, 0.5f, 0.5f, 0.5f)));
            if (!is_sunk(m, at, shape, centre)) continue;
            m->liquid[at >> 6] &= ~((uint64_t)1 << (at & 63));
            m->phi[at] = fmaxf(air_least, (float)(-centre / (double)m->def.dx));
        }
    }
}

void shoal_mac_vent(shoal_mac* mac, const shoal_exec* exec, const shoal_description* description) {
    if (description->sink_count > 0) shoal_mac_each(mac, exec, vent_block, (void*)(uintptr_t)description);
}
