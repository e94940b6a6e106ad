// SPDX-License-Identifier: MIT
// Three-vectors, rotations and boxes; inline, in the common ground of C17, C++ and CUDA.
#ifndef SHOAL_VEC_H
#define SHOAL_VEC_H

#include <math.h>

#if defined(__CUDACC__)
#define SHOAL_FN static __host__ __device__ __forceinline__
// What few items need, and must not cost the others their registers.
#define SHOAL_FN_RARE static __host__ __device__ __noinline__
#else
#define SHOAL_FN static inline
#define SHOAL_FN_RARE static inline
#endif
// For the host alone: calls more of the library than a pass may.
#define SHOAL_HOST_FN static inline

#define SHOAL_PI 3.14159265358979323846

// Particle state: single precision.
typedef struct shoal_v3 {
    float x, y, z;
} shoal_v3;

// Four floats in one 16-byte load: a vector and a companion. A card needs the alignment in the type.
#if defined(__CUDACC__)
typedef struct alignas(16) shoal_v4 {
#else
typedef struct shoal_v4 {
#endif
    float x, y, z, w;
} shoal_v4;

// A symmetric tensor, in the order of VTK.
typedef struct shoal_s6 {
    float xx, yy, zz, xy, yz, xz;
} shoal_s6;

SHOAL_FN shoal_v3 shoal_v3_make(float x, float y, float z) {
    shoal_v3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}
SHOAL_FN shoal_v4 shoal_v4_make(float x, float y, float z, float w) {
    shoal_v4 v;
    v.x = x;
    v.y = y;
    v.z = z;
    v.w = w;
    return v;
}
SHOAL_FN shoal_v3 shoal_v3_add(shoal_v3 a, shoal_v3 b) { return shoal_v3_make(a.x + b.x, a.y + b.y, a.z + b.z); }
SHOAL_FN shoal_v3 shoal_v3_sub(shoal_v3 a, shoal_v3 b) { return shoal_v3_make(a.x - b.x, a.y - b.y, a.z - b.z); }
SHOAL_FN shoal_v3 shoal_v3_scale(shoal_v3 a, float s) { return shoal_v3_make(a.x * s, a.y * s, a.z * s); }
SHOAL_FN shoal_v3 shoal_v3_add_scaled(shoal_v3 a, shoal_v3 b, float s) {
    return shoal_v3_make(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}
SHOAL_FN float    shoal_v3_dot(shoal_v3 a, shoal_v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
SHOAL_FN shoal_v3 shoal_v3_cross(shoal_v3 a, shoal_v3 b) {
    return shoal_v3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
SHOAL_FN float    shoal_v3_length(shoal_v3 a) { return sqrtf(shoal_v3_dot(a, a)); }
SHOAL_FN shoal_v3 shoal_v4_xyz(shoal_v4 a) { return shoal_v3_make(a.x, a.y, a.z); }
SHOAL_FN void     shoal_v4_set(shoal_v4* a, shoal_v3 b) { a->x = b.x, a->y = b.y, a->z = b.z; }
SHOAL_FN float    shoal_v3_axis(shoal_v3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }
SHOAL_FN void     shoal_v3_set_axis(shoal_v3* a, int axis, float value) {
        if (axis == 0)
        a->x = value;
    else if (axis == 1)
        a->y = value;
    else
        a->z = value;
}

// Geometry: double precision.
typedef struct shoal_d3 {
    double x, y, z;
} shoal_d3;

SHOAL_FN shoal_d3 shoal_d3_make(double x, double y, double z) {
    shoal_d3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}
SHOAL_FN shoal_d3 shoal_d3_add(shoal_d3 a, shoal_d3 b) { return shoal_d3_make(a.x + b.x, a.y + b.y, a.z + b.z); }
SHOAL_FN shoal_d3 shoal_d3_sub(shoal_d3 a, shoal_d3 b) { return shoal_d3_make(a.x - b.x, a.y - b.y, a.z - b.z); }
SHOAL_FN shoal_d3 shoal_d3_scale(shoal_d3 a, double s) { return shoal_d3_make(a.x * s, a.y * s, a.z * s); }
SHOAL_FN double   shoal_d3_dot(shoal_d3 a, shoal_d3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
SHOAL_FN shoal_d3 shoal_d3_cross(shoal_d3 a, shoal_d3 b) {
    return shoal_d3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
SHOAL_FN double   shoal_d3_length(shoal_d3 a) { return sqrt(shoal_d3_dot(a, a)); }
SHOAL_FN double   shoal_d3_axis(shoal_d3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }
SHOAL_FN shoal_d3 shoal_d3_from(shoal_v3 a) { return shoal_d3_make((double)a.x, (double)a.y, (double)a.z); }
SHOAL_FN shoal_v3 shoal_v3_from(shoal_d3 a) { return shoal_v3_make((float)a.x, (float)a.y, (float)a.z); }

// Unit quaternion w + xi + yj + zk: a rotation.
typedef struct shoal_quat {
    double w, x, y, z;
} shoal_quat;

SHOAL_FN shoal_quat shoal_quat_make(double w, double x, double y, double z) {
    shoal_quat q;
    q.w = w;
    q.x = x;
    q.y = y;
    q.z = z;
    return q;
}
SHOAL_FN shoal_quat shoal_quat_identity(void) { return shoal_quat_make(1.0, 0.0, 0.0, 0.0); }
SHOAL_FN shoal_quat shoal_quat_conjugate(shoal_quat q) { return shoal_quat_make(q.w, -q.x, -q.y, -q.z); }
// First b, then a.
SHOAL_FN shoal_quat shoal_quat_mul(shoal_quat a, shoal_quat b) {
    return shoal_quat_make(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                           a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                           a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}
// Right-handed turn by `radians` about a unit axis.
SHOAL_HOST_FN shoal_quat shoal_quat_turn(shoal_d3 axis, double radians) {
    double s = sin(0.5 * radians);
    return shoal_quat_make(cos(0.5 * radians), s * axis.x, s * axis.y, s * axis.z);
}
SHOAL_FN shoal_d3 shoal_quat_rotate(shoal_quat q, shoal_d3 v) {
    shoal_d3 u = shoal_d3_make(q.x, q.y, q.z), t = shoal_d3_scale(shoal_d3_cross(u, v), 2.0);
    return shoal_d3_add(shoal_d3_add(v, shoal_d3_scale(t, q.w)), shoal_d3_cross(u, t));
}

// An axis-aligned box; empty when min > max.
typedef struct shoal_box {
    shoal_d3 min, max;
} shoal_box;

SHOAL_FN shoal_box shoal_box_empty(void) {
    shoal_box b;
    b.min = shoal_d3_make(1e300, 1e300, 1e300);
    b.max = shoal_d3_make(-1e300, -1e300, -1e300);
    return b;
}
SHOAL_FN shoal_box shoal_box_with(shoal_box b, shoal_d3 p) {
    b.min = shoal_d3_make(fmin(b.min.x, p.x), fmin(b.min.y, p.y), fmin(b.min.z, p.z));
    b.max = shoal_d3_make(fmax(b.max.x, p.x), fmax(b.max.y, p.y), fmax(b.max.z, p.z));
    return b;
}
SHOAL_FN int shoal_box_is_empty(shoal_box b) { return b.min.x > b.max.x || b.min.y > b.max.y || b.min.z > b.max.z; }
SHOAL_FN shoal_box shoal_box_grown(shoal_box b, double by) {
    b.min = shoal_d3_sub(b.min, shoal_d3_make(by, by, by));
    b.max = shoal_d3_add(b.max, shoal_d3_make(by, by, by));
    return b;
}
SHOAL_FN int shoal_box_meets(shoal_box a, shoal_box b) {
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y && a.min.z <= b.max.z &&
           b.min.z <= a.max.z;
}
SHOAL_FN int shoal_box_holds(shoal_box b, shoal_d3 p) {
    return p.x >= b.min.x && p.x <= b.max.x && p.y >= b.min.y && p.y <= b.max.y && p.z >= b.min.z && p.z <= b.max.z;
}

#endif
