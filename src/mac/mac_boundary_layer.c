// SPDX-License-Identifier: MIT
// Real liquids stick to walls; at the sizes of scenes their boundary layer is a fraction of a cell. So the wall is one
// along which the liquid slides, and its shear follows from the law of the wall for a smooth one.
#include "mac/mac_boundary_layer.h"

#include "mac/mac_level.h"
#include "mac/mac_solid.h"

// Smaller fractions of solid at a cell's side are left out.
static const float least_side = 0.02f;
// A sheet counts as at least this much of a cell: there is not less in one with a layer of particles.
static const float least_full = 0.25f;
// The wall is never nearer to a face than this, in cells.
static const float least_way = 0.1f;

typedef struct layer_job {
    const shoal_world* world;
    float              viscosity, dt;
} layer_job;

// Fraction of a cell's side that is solid; way -1 or 1.
static float closed_side(const shoal_mac* m, int cell, int axis, int way) {
    int face = way < 0 ? cell : shoal_mac_beside(m, cell, axis, 1);
    return face < 0 ? 0.0f : 1.0f - m->open[axis][face];
}

static float fullness(const shoal_mac* m, int cell) {
    float full = 0.5f - m->phi[cell];
    return full < least_full ? least_full : full > 1.0f ? 1.0f : full;
}

// What the solid at one side of a face does to the velocity along the face's axis. It is the velocity before forces
// that slides: what weight adds, pressure takes away.
static float lost(const layer_job* k, const shoal_mac* m, int at, int axis, int side_axis, int way, float fraction,
                  float full) {
    shoal_touch touch;
    double      dx    = (double)m->def.dx;
    shoal_d3    place = shoal_d3_from(shoal_mac_face(m, at, axis)), side = place;
    double*     along = side_axis == 0 ? &side.x : side_axis == 1 ? &side.y : &side.z;
    *along += 0.5 * way * dx;
    if (!shoal_touch_at(k->world, m->kind, side, 0.5 * dx, &touch) || !touch.drags) return 0.0f;
    double v[3];
    for (int a = 0; a < 3; a++) v[a] = a == axis ? (double)m->old[axis][at] : shoal_mac_across(m, m->old, at, axis, a);
    shoal_d3 relative = shoal_d3_sub(shoal_d3_make(v[0], v[1], v[2]), touch.velocity);
    shoal_d3 slide    = shoal_d3_sub(relative, shoal_d3_scale(touch.normal, shoal_d3_dot(relative, touch.normal)));
    float    speed    = (float)shoal_d3_length(slide);
    if (!(speed > 0.0f)) return 0.0f;
    float y    = fmaxf(least_way, 0.5f + (float)(touch.distance / dx)) * m->def.dx;
    float part = k->dt * fraction * shoal_boundary_layer_shear(speed, y, k->viscosity) / (speed * full * m->def.dx);
    return (m->old[axis][at] - (float)shoal_d3_axis(touch.velocity, axis)) * part / (1.0f + part);
}

static void layer_face(const layer_job* k, shoal_mac* m, int at, int axis) {
    int   cells[2] = {at, shoal_mac_beside(m, at, axis, -1)};
    float full = 0.0f, count = 0.0f;
    for (int c = 0; c < 2; c++) {
        if (cells[c] < 0 || !shoal_mac_has(m->liquid, cells[c])) continue;
        full += fullness(m, cells[c]);
        count += 1.0f;
    }
    if (count == 0.0f) return;
    for (int n = 1; n < 3; n++)
        for (int way = -1; way <= 1; way += 2) {
            int   side     = (axis + n) % 3;
            float fraction = 0.0f;
            for (int c = 0; c < 2; c++)
                if (cells[c] >= 0 && shoal_mac_has(m->liquid, cells[c]))
                    fraction += closed_side(m, cells[c], side, way) / count;
            if (fraction > least_side) m->u[axis][at] -= lost(k, m, at, axis, side, way, fraction, full / count);
        }
}

static void layer_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    if (!m->has_solid[block]) return;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t faces[8];
        shoal_mac_liquid_faces(m, block, axis, faces);
        for (int z = 0; z < 8; z++)
            for (uint64_t left = faces[z] & m->saved[axis][8 * block + z]; left; left &= left - 1)
                layer_face(ctx, m, SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left), axis);
    }
}

void shoal_mac_boundary_layer(shoal_mac* m, const shoal_exec* exec, const shoal_world* world, float viscosity,
                              float dt) {
    layer_job k = {world, viscosity, dt};
    shoal_mac_each(m, exec, layer_block, &k);
}
