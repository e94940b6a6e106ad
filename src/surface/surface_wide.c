// SPDX-License-Identifier: MIT
// The loops over particles and samples, sixteen at a time: samples are two rows of 8 in a block,
// particles a group.
#include "math/wide.h"
#include "surface/surface_local.h"

#include <math.h>

static void thin(const surface_index* index, int begin, int end, shoal_v3 low, shoal_v3 high, shoal_v3 corner,
                 float scale, surface_near* near) {
    const wide lx = wide_set(low.x), ly = wide_set(low.y), lz = wide_set(low.z);
    const wide hx = wide_set(high.x), hy = wide_set(high.y), hz = wide_set(high.z);
    const wide cx = wide_set(corner.x), cy = wide_set(corner.y), cz = wide_set(corner.z), s = wide_set(scale);
    for (int j = begin; j < end; j += SHOAL_LANES) {
        wide     x = wide_load(index->x + j), y = wide_load(index->y + j), z = wide_load(index->z + j);
        unsigned mask = end - j < SHOAL_LANES ? (1u << (end - j)) - 1u : 0xffffu;
        mask &= wide_less(lx, x) & wide_less(x, hx) & wide_less(ly, y);
        mask &= wide_less(y, hy) & wide_less(lz, z) & wide_less(z, hz);
        wide_compress(near->x + near->count, wide_mul(wide_sub(x, cx), s), mask);
        wide_compress(near->y + near->count, wide_mul(wide_sub(y, cy), s), mask);
        wide_compress(near->z + near->count, wide_mul(wide_sub(z, cz), s), mask);
        wide_compress_int(near->item + near->count, index->number + j, mask);
        near->count += __builtin_popcount(mask);
    }
}

// The samples of a block: lane k is sample k % 8 of row k / 8.
typedef struct lanes {
    wide x, y[SURFACE_EDGE / 2];
} lanes;

static lanes lanes_make(float step) {
    float x[SHOAL_LANES], y[SHOAL_LANES];
    lanes out;
    for (int k = 0; k < SHOAL_LANES; k++) x[k] = step * (float)(k % SURFACE_EDGE);
    out.x = wide_load(x);
    for (int p = 0; p < SURFACE_EDGE / 2; p++) {
        for (int k = 0; k < SHOAL_LANES; k++) y[k] = step * (float)(2 * p + k / SURFACE_EDGE);
        out.y[p] = wide_load(y);
    }
    return out;
}

// Samples of one axis within `reach` of `at`: [*from, *to].
static void reached(float at, float reach, float per_step, int* from, int* to) {
    int a = (int)ceilf((at - reach) * per_step), b = (int)floorf((at + reach) * per_step);
    *from = a < 0 ? 0 : a;
    *to   = b >= SURFACE_EDGE ? SURFACE_EDGE - 1 : b;
}

static void average(const surface_near* near, float step, float* sums) {
    const lanes at   = lanes_make(step);
    const wide  zero = wide_set(0.0f), one = wide_set(1.0f);
    for (int i = 0; i < near->count; i++) {
        const wide px = wide_set(near->x[i]), py = wide_set(near->y[i]), pz = wide_set(near->z[i]);
        const wide dx = wide_sub(at.x, px), left = wide_sub(one, wide_mul(dx, dx));
        int        y0, y1, z0, z1;
        reached(near->y[i], 1.0f, 1.0f / step, &y0, &y1);
        reached(near->z[i], 1.0f, 1.0f / step, &z0, &z1);
        for (int p = y0 / 2; p <= y1 / 2 && y0 <= y1; p++) {
            const wide dy = wide_sub(at.y[p], py), c = wide_sub(left, wide_mul(dy, dy));
            for (int z = z0; z <= z1; z++) {
                float  dz = step * (float)z - near->z[i];
                float* to = sums + (z * (SURFACE_EDGE / 2) + p) * SHOAL_LANES;
                wide   t  = wide_max(wide_sub(c, wide_set(dz * dz)), zero);
                wide   w  = wide_mul(wide_mul(t, t), t);
                wide_store(to, wide_add(wide_load(to), w));
                to += SURFACE_SAMPLES;
                wide_store(to, wide_add(wide_load(to), wide_mul(w, px)));
                to += SURFACE_SAMPLES;
                wide_store(to, wide_add(wide_load(to), wide_mul(w, py)));
                to += SURFACE_SAMPLES;
                wide_store(to, wide_add(wide_load(to), wide_mul(w, pz)));
            }
        }
    }
}

static void sum(const surface_splat* splats, const surface_near* near, shoal_v3 corner, float step, float* out) {
    const lanes at   = lanes_make(step);
    const wide  zero = wide_set(0.0f), one = wide_set(1.0f);
    for (int i = 0; i < near->count; i++) {
        const surface_splat* s = &splats[near->item[i]];
        float                x = s->x - corner.x, y = s->y - corner.y, z = s->z - corner.z;
        int                  y0, y1, z0, z1;
        reached(y, s->reach, 1.0f / step, &y0, &y1);
        reached(z, s->reach, 1.0f / step, &z0, &z1);
        const wide dx = wide_sub(at.x, wide_set(x)), weight = wide_set(s->weight);
        const wide left = wide_sub(one, wide_mul(wide_set(s->xx), wide_mul(dx, dx)));
        const wide bx = wide_mul(wide_set(2.0f * s->xz), dx), cx = wide_mul(wide_set(2.0f * s->xy), dx);
        for (int p = y0 / 2; p <= y1 / 2 && y0 <= y1; p++) {
            // 1 - e^T M e = a - dz (b + zz dz)
            const wide dy = wide_sub(at.y[p], wide_set(y));
            const wide a  = wide_sub(left, wide_mul(dy, wide_add(cx, wide_mul(wide_set(s->yy), dy))));
            const wide b  = wide_add(bx, wide_mul(wide_set(2.0f * s->yz), dy));
            for (int k = z0; k <= z1; k++) {
                float  dz = step * (float)k - z;
                float* to = out + (k * (SURFACE_EDGE / 2) + p) * SHOAL_LANES;
                wide   t  = wide_sub(wide_sub(a, wide_set(s->zz * dz * dz)), wide_mul(wide_set(dz), b));
                t         = wide_max(t, zero);
                wide_store(to, wide_add(wide_load(to), wide_mul(wide_mul(weight, t), wide_mul(t, t))));
            }
        }
    }
}

static surface_stretch stretch(const surface_near* near, float x, float y, float z) {
    const wide zero = wide_set(0.0f), one = wide_set(1.0f), sx = wide_set(x), sy = wide_set(y), sz = wide_set(z);
    wide       w = zero, wx = zero, wy = zero, wz = zero, gx = zero, gy = zero, gz = zero;
    wide       xx = zero, xy = zero, xz = zero, yy = zero, yz = zero, zz = zero;
    for (int i = 0; i < near->count; i += SHOAL_LANES) {
        wide dx = wide_sub(wide_load(near->x + i), sx), dy = wide_sub(wide_load(near->y + i), sy);
        wide dz = wide_sub(wide_load(near->z + i), sz);
        wide q  = wide_add(wide_add(wide_mul(dx, dx), wide_mul(dy, dy)), wide_mul(dz, dz));
        wide t = wide_max(wide_sub(one, q), zero), t2 = wide_mul(t, t), k = wide_mul(t2, t);
        w  = wide_add(w, k);
        wx = wide_add(wx, wide_mul(k, dx)), wy = wide_add(wy, wide_mul(k, dy)), wz = wide_add(wz, wide_mul(k, dz));
        wide ux = wide_mul(t2, dx), uy = wide_mul(t2, dy), uz = wide_mul(t2, dz);
        gx = wide_add(gx, ux), gy = wide_add(gy, uy), gz = wide_add(gz, uz);
        xx = wide_add(xx, wide_mul(ux, dx)), xy = wide_add(xy, wide_mul(ux, dy)), xz = wide_add(xz, wide_mul(ux, dz));
        yy = wide_add(yy, wide_mul(uy, dy)), yz = wide_add(yz, wide_mul(uy, dz)), zz = wide_add(zz, wide_mul(uz, dz));
    }
    shoal_v4 a = wide_sum4(w, wx, wy, wz), b = wide_sum4(gx, gy, gz, xx), c = wide_sum4(xy, xz, yy, yz);
    return (surface_stretch){a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w, wide_sum(zz)};
}

static surface_moments moments(const surface_near* near, float x, float y, float z) {
    const wide zero = wide_set(0.0f), one = wide_set(1.0f), sx = wide_set(x), sy = wide_set(y), sz = wide_set(z);
    wide       w = zero, wx = zero, wy = zero, wz = zero;
    wide       xx = zero, xy = zero, xz = zero, yy = zero, yz = zero, zz = zero;
    int        count = 0;
    for (int i = 0; i < near->count; i += SHOAL_LANES) {
        wide     dx = wide_sub(wide_load(near->x + i), sx), dy = wide_sub(wide_load(near->y + i), sy);
        wide     dz     = wide_sub(wide_load(near->z + i), sz);
        wide     q      = wide_add(wide_add(wide_mul(dx, dx), wide_mul(dy, dy)), wide_mul(dz, dz));
        unsigned inside = wide_less(q, one);
        if (inside == 0) continue;
        count += __builtin_popcount(inside);
        // held at 1, and a little less than 1 as start, so that what is outside adds nothing at all
        q       = wide_sub(one, wide_max(wide_sub(one, q), zero));
        wide r3 = wide_mul(wide_mul(q, q), wide_rsqrt(q));
        wide k  = wide_max(wide_sub(wide_set(0.999996f), r3), zero);
        wide ux = wide_mul(k, dx), uy = wide_mul(k, dy), uz = wide_mul(k, dz);
        w  = wide_add(w, k);
        wx = wide_add(wx, ux), wy = wide_add(wy, uy), wz = wide_add(wz, uz);
        xx = wide_add(xx, wide_mul(ux, dx)), xy = wide_add(xy, wide_mul(ux, dy)), xz = wide_add(xz, wide_mul(ux, dz));
        yy = wide_add(yy, wide_mul(uy, dy)), yz = wide_add(yz, wide_mul(uy, dz)), zz = wide_add(zz, wide_mul(uz, dz));
    }
    shoal_v4 a = wide_sum4(w, wx, wy, wz), b = wide_sum4(xx, xy, xz, yy);
    return (surface_moments){a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, wide_sum(yz), wide_sum(zz), count};
}

static float density(const surface_near* near, float x, float y, float z) {
    const wide zero = wide_set(0.0f), one = wide_set(1.0f), sx = wide_set(x), sy = wide_set(y), sz = wide_set(z);
    wide       total = zero;
    for (int i = 0; i < near->count; i += SHOAL_LANES) {
        wide dx = wide_sub(wide_load(near->x + i), sx), dy = wide_sub(wide_load(near->y + i), sy);
        wide dz = wide_sub(wide_load(near->z + i), sz);
        wide q  = wide_add(wide_add(wide_mul(dx, dx), wide_mul(dy, dy)), wide_mul(dz, dz));
        wide t  = wide_max(wide_sub(one, q), zero);
        total   = wide_add(total, wide_mul(wide_mul(t, t), t));
    }
    return wide_sum(total);
}

static int weigh(surface_near* near, float x, float y, float z) {
    const wide zero = wide_set(0.0f), one = wide_set(1.0f), sx = wide_set(x), sy = wide_set(y), sz = wide_set(z);
    int        count = 0;
    for (int i = 0; i < near->count; i += SHOAL_LANES) {
        wide     dx = wide_sub(wide_load(near->x + i), sx), dy = wide_sub(wide_load(near->y + i), sy);
        wide     dz   = wide_sub(wide_load(near->z + i), sz);
        wide     q    = wide_add(wide_add(wide_mul(dx, dx), wide_mul(dy, dy)), wide_mul(dz, dz));
        wide     t    = wide_max(wide_sub(one, q), zero);
        unsigned mask = wide_less(zero, t);
        wide_compress(near->weight + count, wide_mul(wide_mul(t, t), t), mask);
        wide_compress_int(near->hit + count, near->item + i, mask);
        count += __builtin_popcount(mask);
    }
    return count;
}

extern const surface_loops SHOAL_WIDE_NAME(surface_loops);
const surface_loops        SHOAL_WIDE_NAME(surface_loops) = {thin, average, sum, stretch, moments, density, weigh};
