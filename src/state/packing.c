// SPDX-License-Identifier: MIT
#include "state/packing.h"

#include "base/hash.h"
#include "base/memory.h"
#include "state/packing_table.h"
#include "state/spheres.h"

enum { COUNT = SHOAL_PACKING_COUNT };

struct shoal_packing {
    double     edge;
    shoal_quat turn, turn_back; // from its own frame to the world's
    shoal_d3   origin;
    shoal_d3   at[COUNT]; // in its own frame, 0 <= x < edge
    double     rank[COUNT], radius[COUNT], overlap[COUNT];
};

static double wrapped(double x, double edge) {
    double at = x - edge * floor(x / edge);
    return at < edge ? at : 0.0; // by rounding
}

// Each seed has a turn and a shift of its own; no sines, whose last bits differ between machines.
static void place(shoal_packing* p, uint64_t seed) {
    enum { STREAM = 0x7061636b };
    double part[7];
    for (uint64_t k = 0; k < 7; k++) part[k] = shoal_random(seed, STREAM, k);
    shoal_quat q      = shoal_quat_make(1.0 + part[0], 2.0 * part[1] - 1.0, 2.0 * part[2] - 1.0, 2.0 * part[3] - 1.0);
    double     length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    p->turn           = shoal_quat_make(q.w / length, q.x / length, q.y / length, q.z / length);
    p->turn_back      = shoal_quat_conjugate(p->turn);
    p->origin         = shoal_d3_make(p->edge * part[4], p->edge * part[5], p->edge * part[6]);
}

static shoal_status fit(shoal_packing* p, double diameter) {
    shoal_spheres s = {COUNT, diameter, p->at, p->radius, NULL, p->overlap, {p->edge, p->edge, p->edge}, NULL, NULL};
    SHOAL_TRY(shoal_spheres_part(&s));
    for (int i = 0; i < COUNT; i++)
        p->at[i] =
            shoal_d3_make(wrapped(p->at[i].x, p->edge), wrapped(p->at[i].y, p->edge), wrapped(p->at[i].z, p->edge));
    return SHOAL_OK;
}

shoal_status shoal_packing_make(double diameter, double spread, double fraction, uint64_t seed, shoal_packing** out) {
    *out             = NULL;
    shoal_packing* p = shoal_alloc(1, sizeof *p);
    if (!p) return SHOAL_ERR_MEMORY;
    double solid = 0.0;
    fraction     = fmin(fmax(fraction, SHOAL_PACKING_LOOSEST), SHOAL_PACKING_CLOSEST);
    for (int i = 0; i < COUNT; i++) {
        p->rank[i]   = (2.0 * shoal_packing_table[i].rank + 1.0) / 256.0;
        p->radius[i] = 0.5 * diameter * (1.0 + spread * p->rank[i]);
        solid += 4.0 / 3.0 * SHOAL_PI * p->radius[i] * p->radius[i] * p->radius[i];
    }
    p->edge = cbrt(solid / fraction);
    for (int i = 0; i < COUNT; i++) {
        const uint16_t* at = shoal_packing_table[i].at;
        p->at[i]           = shoal_d3_scale(shoal_d3_make(at[0], at[1], at[2]), p->edge / 65536.0);
    }
    place(p, seed);
    // half a percent closer than they settled is an overlap of a sixth of that
    bool         as_settled = fabs(spread - SHOAL_PACKING_SPREAD) < 1e-6 && fraction < 1.005 * SHOAL_PACKING_FRACTION;
    shoal_status status     = as_settled ? SHOAL_OK : fit(p, diameter);
    if (status == SHOAL_OK)
        *out = p;
    else
        shoal_packing_free(p);
    return status;
}

void shoal_packing_free(shoal_packing* packing) { shoal_free(packing); }

double shoal_packing_number(const shoal_packing* p) { return COUNT / (p->edge * p->edge * p->edge); }

static shoal_d3 inward(const shoal_packing* p, shoal_d3 x) {
    return shoal_quat_rotate(p->turn_back, shoal_d3_sub(x, p->origin));
}

static bool holds(shoal_box box, shoal_d3 p) {
    return p.x >= box.min.x && p.y >= box.min.y && p.z >= box.min.z && p.x < box.max.x && p.y < box.max.y &&
           p.z < box.max.z;
}

// Whether a ball may hold a point of the box.
static bool meets(shoal_box box, shoal_d3 centre, double radius) {
    double x = fmax(fmax(box.min.x - centre.x, centre.x - box.max.x), 0.0),
           y = fmax(fmax(box.min.y - centre.y, centre.y - box.max.y), 0.0),
           z = fmax(fmax(box.min.z - centre.z, centre.z - box.max.z), 0.0);
    return x * x + y * y + z * z <= radius * radius;
}

void shoal_packing_walk(const shoal_packing* p, shoal_box box, shoal_sphere_fn fn, void* user) {
    if (shoal_box_is_empty(box)) return;
    shoal_box own = shoal_box_empty();
    for (int corner = 0; corner < 8; corner++)
        own = shoal_box_with(
            own, inward(p, shoal_d3_make(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                                         corner & 4 ? box.max.z : box.min.z)));
    const double half = 0.5 * p->edge, ball = 1.0001 * sqrt(3.0) * half;
    for (double k = floor(own.min.z / p->edge); k * p->edge <= own.max.z; k += 1.0)
        for (double j = floor(own.min.y / p->edge); j * p->edge <= own.max.y; j += 1.0)
            for (double i = floor(own.min.x / p->edge); i * p->edge <= own.max.x; i += 1.0) {
                shoal_d3 corner = shoal_d3_make(i * p->edge, j * p->edge, k * p->edge);
                shoal_d3 centre = shoal_d3_add(corner, shoal_d3_make(half, half, half));
                if (!meets(box, shoal_d3_add(shoal_quat_rotate(p->turn, centre), p->origin), ball)) continue;
                for (int m = 0; m < COUNT; m++) {
                    shoal_sphere sphere = {
                        shoal_d3_add(shoal_quat_rotate(p->turn, shoal_d3_add(corner, p->at[m])), p->origin), p->rank[m],
                        p->overlap[m]};
                    if (holds(box, sphere.at) && !fn(user, sphere)) return;
                }
            }
}
