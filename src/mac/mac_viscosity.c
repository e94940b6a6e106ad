// SPDX-License-Identifier: MIT
// (1 - spread Laplacian) u = u before, on the open faces of liquid cells, each component by itself: what the full
// stress says inside a liquid of one viscosity. The free surface is taken as one without tangential stress along each
// axis, which holds for motion along it but not for coiling threads [Batty & Bridson 2008].
#include "mac/mac_viscosity.h"

#include "mac/mac_level.h"
#include "mac/mac_solid.h"

static void free_rows(shoal_mac_viscosity* v) {
    shoal_free(v->cell);
    for (int axis = 0; axis < 3; axis++) shoal_free(v->plus[axis]);
    shoal_free(v->anchor);
    shoal_free(v->rhs);
    shoal_free(v->velocity);
    shoal_free(v->place);
    shoal_poisson* poisson = v->poisson;
    *v                     = (shoal_mac_viscosity){.poisson = poisson};
}

void shoal_mac_viscosity_free(shoal_mac_viscosity* v) {
    free_rows(v);
    shoal_poisson_destroy(v->poisson);
    *v = (shoal_mac_viscosity){0};
}

static shoal_status reserve(shoal_mac_viscosity* v, int count) {
    if (!v->poisson) SHOAL_TRY(shoal_poisson_create(&v->poisson));
    if (count <= v->capacity) return SHOAL_OK;
    free_rows(v);
    size_t n     = (size_t)count + (size_t)count / 4 + 64;
    v->cell      = shoal_alloc(n, sizeof *v->cell);
    v->anchor    = shoal_alloc(n, sizeof *v->anchor);
    v->rhs       = shoal_alloc(n, sizeof *v->rhs);
    v->velocity  = shoal_alloc(n, sizeof *v->velocity);
    v->place     = shoal_alloc(n, sizeof *v->place);
    bool has_all = v->cell && v->anchor && v->rhs && v->velocity && v->place;
    for (int axis = 0; axis < 3; axis++) {
        v->plus[axis] = shoal_alloc(n, sizeof *v->plus[axis]);
        has_all       = has_all && v->plus[axis];
    }
    if (!has_all) {
        free_rows(v);
        return SHOAL_ERR_MEMORY;
    }
    v->capacity = (int)n;
    return SHOAL_OK;
}

typedef struct diffusing {
    shoal_mac_viscosity* viscosity;
    shoal_mac*           mac;
    const shoal_world*   world;
    int                  axis;
    double               spread;
} diffusing;

static shoal_status number_faces(shoal_mac_viscosity* v, shoal_mac* m, int axis) {
    int count = 0;
    for (int b = 0; b < m->block_count; b++) {
        uint64_t faces[8];
        shoal_mac_liquid_faces(m, b, axis, faces);
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            bool is_row                         = faces[s >> 6] >> (s & 63) & 1u;
            m->index[SHOAL_MAC_SAMPLES * b + s] = is_row ? count : -1;
            count += is_row;
        }
    }
    SHOAL_TRY(reserve(v, count));
    v->count = count;
    for (int at = 0; at < SHOAL_MAC_SAMPLES * m->block_count; at++)
        if (m->index[at] >= 0) v->place[m->index[at]] = at;
    return SHOAL_OK;
}

// How a closed face beside holds a face, in units of `spread`, and at which velocity: along its own axis any solid
// does, a cell away; sideways a sticky one, half a cell away.
static double hold_of(const diffusing* d, int beside, int along, double* velocity) {
    const shoal_mac* m = d->mac;
    shoal_touch      touch;
    if (beside < 0 || m->open[d->axis][beside] > 0.0f) return 0.0;
    if (!shoal_touch_at(d->world, m->kind, shoal_d3_from(shoal_mac_face(m, beside, d->axis)), (double)m->def.dx,
                        &touch))
        return 0.0;
    *velocity = shoal_d3_axis(touch.velocity, d->axis);
    return along == d->axis ? 1.0 : touch.is_sticky ? 2.0 : 0.0;
}

static void make_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const diffusing*     d = ctx;
    const shoal_mac*     m = d->mac;
    shoal_mac_viscosity* v = d->viscosity;
    for (int row = begin; row < end; row++) {
        int    at = v->place[row], s = at & 511;
        double anchor = 1.0, rhs = (double)m->u[d->axis][at];
        for (int k = 0; k < 3; k++) v->cell[row][k] = m->corner[at >> 9][k] + (s >> (3 * k) & 7);
        for (int along = 0; along < 3; along++)
            for (int way = -1; way <= 1; way += 2) {
                int    beside = shoal_mac_beside(m, at, along, way);
                bool   is_row = beside >= 0 && m->index[beside] >= 0;
                double speed = 0.0, hold = is_row ? 0.0 : hold_of(d, beside, along, &speed);
                anchor += d->spread * hold;
                rhs += d->spread * hold * speed;
                if (way > 0) v->plus[along][row] = is_row ? (float)d->spread : 0.0f;
            }
        v->anchor[row]   = (float)anchor;
        v->rhs[row]      = rhs;
        v->velocity[row] = (double)m->u[d->axis][at];
    }
}

static void take_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const diffusing* d = ctx;
    for (int row = begin; row < end; row++)
        d->mac->u[d->axis][d->viscosity->place[row]] = (float)d->viscosity->velocity[row];
}

shoal_status shoal_mac_diffuse(shoal_mac_viscosity* v, shoal_mac* m, const shoal_exec* exec, const shoal_world* world,
                               const shoal_poisson_def* def, double spread) {
    for (int axis = 0; axis < 3; axis++) {
        diffusing d = {v, m, world, axis, spread};
        SHOAL_TRY(number_faces(v, m, axis));
        shoal_blocks(exec, v->count, 1024, make_rows, &d);
        shoal_poisson_system system = {.count  = v->count,
                                       .cell   = (const int(*)[3])v->cell,
                                       .plus_x = v->plus[0],
                                       .plus_y = v->plus[1],
                                       .plus_z = v->plus[2],
                                       .anchor = v->anchor,
                                       .period = {m->def.period[0], m->def.period[1], m->def.period[2]}};
        SHOAL_TRY(shoal_poisson_set(v->poisson, exec, def, &system));
        SHOAL_TRY(shoal_poisson_solve(v->poisson, exec, def, v->rhs, v->velocity, true, NULL));
        shoal_blocks(exec, v->count, 4096, take_rows, &d);
    }
    return SHOAL_OK;
}
