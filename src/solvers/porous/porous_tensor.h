// SPDX-License-Identifier: MIT
// Three by three matrices of one particle, symmetric and not, as far as stresses and gradients need
// them.
#ifndef SHOAL_POROUS_TENSOR_H
#define SHOAL_POROUS_TENSOR_H

#include "math/vec.h"

typedef struct porous_sym {
    float xx, yy, zz, yz, xz, xy;
} porous_sym;

typedef struct porous_mat {
    shoal_v3 x, y, z; // rows
} porous_mat;

SHOAL_FN porous_sym porous_sym_make(float xx, float yy, float zz, float yz, float xz, float xy) {
    porous_sym s;
    s.xx = xx, s.yy = yy, s.zz = zz, s.yz = yz, s.xz = xz, s.xy = xy;
    return s;
}

// As two fields: the diagonal, and yz, xz, xy.
SHOAL_FN porous_sym porous_sym_load(shoal_v3 on, shoal_v3 off) {
    return porous_sym_make(on.x, on.y, on.z, off.x, off.y, off.z);
}
SHOAL_FN void porous_sym_store(porous_sym s, shoal_v3* on, shoal_v3* off) {
    *on  = shoal_v3_make(s.xx, s.yy, s.zz);
    *off = shoal_v3_make(s.yz, s.xz, s.xy);
}

SHOAL_FN porous_sym porous_sym_scale(porous_sym s, float by) {
    return porous_sym_make(s.xx * by, s.yy * by, s.zz * by, s.yz * by, s.xz * by, s.xy * by);
}
SHOAL_FN porous_sym porous_sym_add_scaled(porous_sym a, porous_sym b, float by) {
    return porous_sym_make(a.xx + b.xx * by, a.yy + b.yy * by, a.zz + b.zz * by, a.yz + b.yz * by, a.xz + b.xz * by,
                           a.xy + b.xy * by);
}
SHOAL_FN void porous_sym_add_square(porous_sym* s, shoal_v3 d, float by) {
    s->xx += by * d.x * d.x, s->yy += by * d.y * d.y, s->zz += by * d.z * d.z;
    s->yz += by * d.y * d.z, s->xz += by * d.x * d.z, s->xy += by * d.x * d.y;
}
SHOAL_FN shoal_v3 porous_sym_times(porous_sym s, shoal_v3 d) {
    return shoal_v3_make(s.xx * d.x + s.xy * d.y + s.xz * d.z, s.xy * d.x + s.yy * d.y + s.yz * d.z,
                         s.xz * d.x + s.yz * d.y + s.zz * d.z);
}
SHOAL_FN float porous_sym_norm2(porous_sym s) {
    return s.xx * s.xx + s.yy * s.yy + s.zz * s.zz + 2.0f * (s.yz * s.yz + s.xz * s.xz + s.xy * s.xy);
}
SHOAL_FN float porous_sym_det(porous_sym s) {
    return s.xx * (s.yy * s.zz - s.yz * s.yz) - s.xy * (s.xy * s.zz - s.yz * s.xz) + s.xz * (s.xy * s.yz - s.yy * s.xz);
}
SHOAL_FN porous_sym porous_sym_inverse(porous_sym s, float det) {
    float by = 1.0f / det;
    return porous_sym_make(by * (s.yy * s.zz - s.yz * s.yz), by * (s.xx * s.zz - s.xz * s.xz),
                           by * (s.xx * s.yy - s.xy * s.xy), by * (s.xy * s.xz - s.xx * s.yz),
                           by * (s.xy * s.yz - s.yy * s.xz), by * (s.xz * s.yz - s.zz * s.xy));
}

SHOAL_FN porous_mat porous_mat_zero(void) {
    porous_mat m;
    m.x = m.y = m.z = shoal_v3_make(0.0f, 0.0f, 0.0f);
    return m;
}
SHOAL_FN void porous_mat_add_outer(porous_mat* m, shoal_v3 a, shoal_v3 b) {
    m->x = shoal_v3_add_scaled(m->x, b, a.x);
    m->y = shoal_v3_add_scaled(m->y, b, a.y);
    m->z = shoal_v3_add_scaled(m->z, b, a.z);
}
SHOAL_FN float porous_mat_trace(porous_mat m) { return m.x.x + m.y.y + m.z.z; }
SHOAL_FN float porous_mat_norm2(porous_mat m) {
    return shoal_v3_dot(m.x, m.x) + shoal_v3_dot(m.y, m.y) + shoal_v3_dot(m.z, m.z);
}
SHOAL_FN porous_mat porous_mat_times_sym(porous_mat m, porous_sym s) {
    porous_mat p;
    p.x = porous_sym_times(s, m.x); // s is symmetric: a row times it is it times the row
    p.y = porous_sym_times(s, m.y);
    p.z = porous_sym_times(s, m.z);
    return p;
}
SHOAL_FN porous_mat porous_sym_mul(porous_sym a, porous_sym b) {
    porous_mat m;
    m.x = shoal_v3_make(a.xx, a.xy, a.xz);
    m.y = shoal_v3_make(a.xy, a.yy, a.yz);
    m.z = shoal_v3_make(a.xz, a.yz, a.zz);
    return porous_mat_times_sym(m, b);
}
// The symmetric part without its trace.
SHOAL_FN porous_sym porous_sym_dev(porous_mat m) {
    float mean = porous_mat_trace(m) / 3.0f;
    return porous_sym_make(m.x.x - mean, m.y.y - mean, m.z.z - mean, 0.5f * (m.y.z + m.z.y), 0.5f * (m.x.z + m.z.x),
                           0.5f * (m.x.y + m.y.x));
}

#endif
