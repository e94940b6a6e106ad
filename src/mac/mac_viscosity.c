// SPDX-License-Identifier: MIT
// (1 - spread Laplacian) u = u before, on the open faces of liquid cells, each component by itself: what the full
// stress says inside a liquid of one viscosity. The free surface is taken as one without tangential stress along each
// axis, which holds for motion along it but not for coiling threads [Batty & Bridson 2008].
#include "mac/mac_viscosity.h"

#include <math.h>

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

typedef struct diffuse_job {
    shoal_mac_viscosity* viscosity;
    shoal_mac*           mac;
    const shoal_world*   world;
    int                  axis;
    double               spread;
} diffuse_job;

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

// What a face has of the solids around: how far its middle is from the nearest, in cells, that one's velocity along the
// face's axis, and whether it lies inside of one that sticks.
typedef struct stand_job {
    double distance, velocity;
    bool   is_near, is_stuck;
} stand_job;

static stand_job stand(const diffuse_job* d, int at) {
    const double     reach = 1.001, hair = 1e-3; // cells
    const shoal_mac* m  = d->mac;
    double           dx = (double)m->def.dx;
    shoal_touch      touch;
    if (at < 0 || !shoal_touch_at(d->world, m->kind, shoal_d3_from(shoal_mac_face(m, at, d->axis)), reach * dx, &touch))
        return (stand_job){0};
    return (stand_job){touch.distance / dx, shoal_d3_axis(touch.velocity, d->axis), true,
                       touch.is_sticky && touch.distance <= hair * dx};
}

// How a face beside that is none of the liquid's, or lies in a solid, holds the face `at` outside, in units of
// `spread`, and at which velocity: a solid that sticks by where its surface cuts the way between the two (half of it
// between cells, so twice), with the velocity it has there; others along the axis of the face, where closed, a cell
// away.
static double hold_of(const diffuse_job* d, const stand_job* own, const stand_job* other, int at, int beside, int along,
                      int way, double* velocity) {
    const double     least = 0.05;
    const shoal_mac* m     = d->mac;
    *velocity              = other->velocity;
    if (!other->is_stuck) return other->is_near && along == d->axis && m->open[d->axis][beside] == 0.0f ? 1.0 : 0.0;
    double      part = fmax(own->distance / (own->distance - other->distance), least), ahead[3] = {0.0, 0.0, 0.0};
    shoal_touch touch;
    ahead[along] = way * part * (double)m->def.dx;
    shoal_d3 place =
        shoal_d3_add(shoal_d3_from(shoal_mac_face(m, at, d->axis)), shoal_d3_make(ahead[0], ahead[1], ahead[2]));
    if (shoal_touch_at(d->world, m->kind, place, (double)m->def.dx, &touch))
        *velocity = shoal_d3_axis(touch.velocity, d->axis);
    return 1.0 / part;
}

static void make_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const double         firm = 20.0; // hold of a solid on what of the liquid is in it
    const diffuse_job*   d    = ctx;
    const shoal_mac*     m    = d->mac;
    shoal_mac_viscosity* v    = d->viscosity;
    for (int row = begin; row < end; row++) {
        int       at = v->place[row], s = at & 511;
        double    anchor = 1.0, rhs = (double)m->u[d->axis][at];
        stand_job own = m->has_solid[at >> 9] ? stand(d, at) : (stand_job){0};
        if (own.is_stuck) {
            anchor += d->spread * firm;
            rhs += d->spread * firm * own.velocity;
        }
        for (int k = 0; k < 3; k++) v->cell[row][k] = m->corner[at >> 9][k] + (s >> (3 * k) & 7);
        for (int along = 0; along < 3; along++)
            for (int way = -1; way <= 1; way += 2) {
                int       beside = shoal_mac_beside(m, at, along, way);
                stand_job other  = own.is_near ? stand(d, beside) : (stand_job){0};
                bool      is_row = beside >= 0 && m->index[beside] >= 0 && own.is_stuck == other.is_stuck;
                double    speed  = 0.0,
                       hold = is_row || own.is_stuck ? 0.0 : hold_of(d, &own, &other, at, beside, along, way, &speed);
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
    const diffuse_job* d = ctx;
    for (int row = begin; row < end; row++)
        d->mac->u[d->axis][d->viscosity->place[row]] = (float)d->viscosity->velocity[row];
}

shoal_status shoal_mac_diffuse(shoal_mac_viscosity* v, shoal_mac* m, const shoal_exec* exec, const shoal_world* world,
                               const shoal_poisson_def* def, double spread) {
    for (int axis = 0; axis < 3; axis++) {
        diffuse_job d = {v, m, world, axis, spread};
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
