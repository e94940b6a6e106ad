// SPDX-License-Identifier: MIT
// Distances to the surface that closes the holes of an open mesh: set beside it from the winding
// numbers, then spread by fast sweeping [Zhao 2005] to the samples that are nearer to it than to
// any triangle.
#include "base/memory.h"
#include "geom/sdf_local.h"

typedef struct field {
    int            n[3];
    size_t         step[3];
    float*         value; // signed, cells
    const float*   wrap;
    unsigned char* is_hole; // the distance is that to a closed hole
} field;

// Distance to the closing surface along one axis from sample s to its neighbour t; INFINITY when it
// does not pass between them. A triangle between them would make the two distances add up to 1 or
// less.
static float crossing(const field* f, size_t s, size_t t, const float* far) {
    float here = f->wrap[s], there = f->wrap[t];
    if ((here > 0.5f) == (there > 0.5f) || far[s] + far[t] <= 1.001f) return INFINITY;
    float way = (0.5f - here) / (there - here);
    return way < 0.01f ? 0.01f : way;
}

// Distance from a sample to a plane that cuts the axes at these lengths.
static float to_plane(const float cut[3]) {
    float sum = 0.0f;
    for (int a = 0; a < 3; a++)
        if (cut[a] < INFINITY) sum += 1.0f / (cut[a] * cut[a]);
    return 1.0f / sqrtf(sum);
}

static bool seed(field* f, const float* far) {
    bool any = false;
    for (int k = 0; k < f->n[2]; k++)
        for (int j = 0; j < f->n[1]; j++)
            for (int i = 0; i < f->n[0]; i++) {
                const int at[3]  = {i, j, k};
                size_t    s      = (size_t)i + f->step[1] * (size_t)j + f->step[2] * (size_t)k;
                float     cut[3] = {INFINITY, INFINITY, INFINITY};
                for (int a = 0; a < 3; a++) {
                    if (at[a] > 0) cut[a] = crossing(f, s, s - f->step[a], far);
                    if (at[a] < f->n[a] - 1) cut[a] = fminf(cut[a], crossing(f, s, s + f->step[a], far));
                }
                float near = to_plane(cut); // INFINITY when nothing crosses
                if (near >= far[s]) continue;
                f->value[s]   = copysignf(near, f->value[s]);
                f->is_hole[s] = 1;
                any           = true;
            }
    return any;
}

// |grad d| = 1 upwind, from the smaller neighbour of each axis: the least d with sum (d - a_i)^2
// = 1.
static float eikonal(float a, float b, float c) {
    float swap;
    if (b < a) swap = a, a = b, b = swap;
    if (c < b) swap = b, b = c, c = swap;
    if (b < a) swap = a, a = b, b = swap;
    float d = a + 1.0f;
    if (d <= b) return d;
    d = 0.5f * (a + b + sqrtf(2.0f - (a - b) * (a - b)));
    if (d <= c) return d;
    float sum = a + b + c;
    return (sum + sqrtf(fmaxf(0.0f, sum * sum - 3.0f * (a * a + b * b + c * c - 1.0f)))) / 3.0f;
}

// Only where the value comes from a closed hole: the distances to triangles are better than a
// sweep's.
static void spread_to(field* f, const int at[3]) {
    size_t s    = (size_t)at[0] + f->step[1] * (size_t)at[1] + f->step[2] * (size_t)at[2];
    size_t from = s; // the least neighbour
    float  low[3];
    for (int a = 0; a < 3; a++) {
        size_t before = at[a] > 0 ? s - f->step[a] : s, after = at[a] < f->n[a] - 1 ? s + f->step[a] : s;
        size_t t = fabsf(f->value[before]) < fabsf(f->value[after]) ? before : after;
        low[a]   = fabsf(f->value[t]);
        if (low[a] < fabsf(f->value[from])) from = t;
    }
    if (!f->is_hole[from]) return;
    float d = eikonal(low[0], low[1], low[2]);
    if (d < fabsf(f->value[s]) - 0.01f) {
        f->value[s]   = copysignf(d, f->value[s]);
        f->is_hole[s] = 1;
    }
}

static void sweep(field* f, int direction) {
    int at[3];
    for (int k = 0; k < f->n[2]; k++)
        for (int j = 0; j < f->n[1]; j++)
            for (int i = 0; i < f->n[0]; i++) {
                at[0] = direction & 1 ? f->n[0] - 1 - i : i;
                at[1] = direction & 2 ? f->n[1] - 1 - j : j;
                at[2] = direction & 4 ? f->n[2] - 1 - k : k;
                spread_to(f, at);
            }
}

shoal_status sdf_close_holes(shoal_sdf* sdf, const float* wrap) {
    size_t row = (size_t)sdf->nx, sheet = row * (size_t)sdf->ny, count = sheet * (size_t)sdf->nz;
    field  f   = {{sdf->nx, sdf->ny, sdf->nz}, {1, row, sheet}, sdf->values, wrap, NULL};
    float* far = shoal_alloc(count, sizeof *far); // distances to the triangles
    f.is_hole  = shoal_alloc(count, 1);
    if (far && f.is_hole) {
        for (size_t i = 0; i < count; i++) far[i] = fabsf(sdf->values[i]);
        if (seed(&f, far))
            for (int direction = 0; direction < 8; direction++) sweep(&f, direction);
    }
    shoal_status status = far && f.is_hole ? SHOAL_OK : SHOAL_ERR_MEMORY;
    shoal_free(f.is_hole);
    shoal_free(far);
    return status;
}
