// SPDX-License-Identifier: MIT
// The surface as a volume: distances to it in a narrow band, and velocities there and inside. For
// programs that take level sets and not meshes.
//
// Samples beside the surface get the distance to the plane through the crossings of their edges,
// the others solve |grad phi| = 1 by upwind differences, all at once and a few times, so that
// neither the order nor the number of threads matters.
#include "surface/surface_local.h"

#include <math.h>
#include <string.h>

enum { RIMMED = SHOAL_SPARSE_RIMMED, SWEEPS = 8 }; // a band of three cells needs about six

typedef struct march_job {
    const surface_work* w;
    const float*        from; // sizes of the distances, m
    float*              to;
    bool*               is_fixed; // [512 blocks]
    float               band;
} march_job;

static const float* sample_at(const float* rimmed, int s) {
    int x = s % SURFACE_EDGE, y = s / SURFACE_EDGE % SURFACE_EDGE, z = s / SURFACE_EDGE / SURFACE_EDGE;
    return rimmed + ((z + 1) * RIMMED + y + 1) * RIMMED + x + 1;
}

static void begin_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    static const int strides[3] = {1, RIMMED, RIMMED * RIMMED};
    march_job*       m          = ctx;
    const float      cell       = m->w->cell;
    for (int b = begin; b < end; b++) {
        float rimmed[RIMMED * RIMMED * RIMMED];
        shoal_sparse_rimmed(&m->w->field, m->w->field.values, b, rimmed);
        for (int s = 0; s < SURFACE_SAMPLES; s++) {
            const float* v     = sample_at(rimmed, s);
            float        sum   = 0.0f;
            bool         is_on = false;
            for (int k = 0; k < 3; k++) {
                float nearest = 2.0f; // in cells; beyond 1: no crossing on this axis
                for (int side = -1; side <= 1; side += 2) {
                    float other = v[side * strides[k]];
                    if ((other < 0.0f) == (v[0] < 0.0f)) continue;
                    float t = v[0] / (v[0] - other);
                    nearest = t < nearest ? t : nearest;
                }
                if (nearest > 1.0f) continue;
                is_on = is_on || nearest < 1e-6f;
                sum += 1.0f / (nearest * nearest);
            }
            size_t at       = (size_t)SURFACE_SAMPLES * (size_t)b + (size_t)s;
            m->is_fixed[at] = sum > 0.0f || is_on;
            m->to[at]       = is_on ? 0.0f : sum > 0.0f ? cell / sqrtf(sum) : m->band;
        }
    }
}

// The upwind solution from the smaller neighbour along each axis, a <= b <= c, in cells.
static float upwind(float a, float b, float c) {
    float swap;
    if (a > b) swap = a, a = b, b = swap;
    if (b > c) swap = b, b = c, c = swap;
    if (a > b) swap = a, a = b, b = swap;
    float d = a + 1.0f;
    if (d <= b) return d;
    d = 0.5f * (a + b + sqrtf(fmaxf(2.0f - (a - b) * (a - b), 0.0f)));
    if (d <= c) return d;
    float sum = a + b + c, squares = a * a + b * b + c * c;
    return (sum + sqrtf(fmaxf(sum * sum - 3.0f * (squares - 1.0f), 0.0f))) * (1.0f / 3.0f);
}

static void sweep_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const march_job* m    = ctx;
    const float      cell = m->w->cell;
    for (int b = begin; b < end; b++) {
        float rimmed[RIMMED * RIMMED * RIMMED];
        shoal_sparse_rimmed(&m->w->field, m->from, b, rimmed);
        for (int s = 0; s < SURFACE_SAMPLES; s++) {
            const float* v  = sample_at(rimmed, s);
            size_t       at = (size_t)SURFACE_SAMPLES * (size_t)b + (size_t)s;
            float        x = fminf(v[-1], v[1]), y = fminf(v[-RIMMED], v[RIMMED]),
                  z   = fminf(v[-RIMMED * RIMMED], v[RIMMED * RIMMED]);
            float d   = cell * upwind(x / cell, y / cell, z / cell);
            m->to[at] = m->is_fixed[at] ? v[0] : fminf(fminf(d, m->band), v[0]);
        }
    }
}

// field.values become signed distances within the band, +-band beyond.
static shoal_status find_distances(surface_work* w, float band) {
    size_t    count     = (size_t)w->field.block_count * SURFACE_SAMPLES;
    march_job m         = {.w = w, .band = band};
    m.is_fixed          = shoal_alloc(count, sizeof *m.is_fixed);
    float* here         = shoal_alloc(count, sizeof *here);
    float* there        = shoal_alloc(count, sizeof *there);
    bool   has_capacity = m.is_fixed && here && there;
    if (has_capacity) {
        m.to = here;
        shoal_blocks(w->exec, w->field.block_count, 8, begin_block, &m);
        w->field.outside = band;
        for (int k = 0; k < SWEEPS; k++) {
            m.from = here;
            m.to   = there;
            shoal_blocks(w->exec, w->field.block_count, 8, sweep_block, &m);
            there = here;
            here  = m.to;
        }
        for (size_t i = 0; i < count; i++) w->field.values[i] = w->field.values[i] < 0.0f ? -here[i] : here[i];
    }
    shoal_free(there);
    shoal_free(here);
    shoal_free(m.is_fixed);
    return has_capacity ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

typedef struct carry_job {
    const surface_work* w;
    const float*        from; // velocities of the particles
    float*              to;
    surface_near*       near; // of each worker
} carry_job;

static void carry_block(void* ctx, int begin, int end, int worker) {
    carry_job*          c    = ctx;
    const surface_work* w    = c->w;
    surface_near*       near = &c->near[worker];
    float               edge = SURFACE_EDGE * w->cell, reach = w->support, scale = 1.0f / reach;
    for (int b = begin; b < end; b++) {
        shoal_v3 corner = shoal_v3_from(shoal_sparse_corner(&w->field, b));
        shoal_v3 low    = shoal_v3_make(corner.x - reach, corner.y - reach, corner.z - reach);
        shoal_v3 high   = shoal_v3_make(corner.x + edge + reach, corner.y + edge + reach, corner.z + edge + reach);
        surface_near_find(near, w->loops, &w->index, low, high, corner, scale);
        for (int s = 0; s < SURFACE_SAMPLES; s++) {
            size_t at = (size_t)SURFACE_SAMPLES * (size_t)b + (size_t)s;
            if (!(w->field.values[at] < w->field.outside)) continue;
            float step = w->cell * scale, total = 0.0f, sum[3] = {0.0f, 0.0f, 0.0f};
            int   hits =
                w->loops->weigh(near, step * (float)(s % SURFACE_EDGE), step * (float)(s / SURFACE_EDGE % SURFACE_EDGE),
                                step * (float)(s / SURFACE_EDGE / SURFACE_EDGE));
            for (int k = 0; k < hits; k++) {
                const float* v = c->from + 3 * (size_t)w->index.cells.order[near->hit[k]];
                total += near->weight[k];
                for (int i = 0; i < 3; i++) sum[i] += near->weight[k] * v[i];
            }
            for (int i = 0; i < 3 && total > 0.0f; i++) c->to[3 * at + (size_t)i] = sum[i] / total;
        }
    }
}

static const shoal_surface_field* velocity_of(const shoal_surface_particles* p) {
    for (int f = 0; f < p->field_count; f++)
        if (strcmp(p->fields[f].name, "velocity") == 0 && p->fields[f].components == 3) return &p->fields[f];
    return NULL;
}

static shoal_status carry_velocities(surface_work* w, shoal_surface_volume* out) {
    const shoal_surface_field* velocity = velocity_of(w->particles);
    if (!velocity) return SHOAL_OK;
    carry_job c = {.w = w, .from = velocity->data};
    c.to = out->velocity = shoal_alloc((size_t)w->field.block_count * SURFACE_SAMPLES, 3 * sizeof(float));
    if (!c.to) return SHOAL_ERR_MEMORY;
    SHOAL_TRY(surface_near_create(&w->index, w->exec, SURFACE_EDGE * w->cell + 2.0f * w->support, &c.near));
    shoal_blocks(w->exec, w->field.block_count, 4, carry_block, &c);
    surface_near_destroy(c.near, w->exec);
    return SHOAL_OK;
}

shoal_status surface_volume_take(surface_work* w, shoal_surface_volume* out) {
    SHOAL_TRY(find_distances(w, SHOAL_SURFACE_BAND * w->cell));
    SHOAL_TRY(carry_velocities(w, out));
    out->distance = w->field;
    w->field      = (shoal_sparse){0};
    return SHOAL_OK;
}

shoal_status surface_volume_empty(const shoal_surface_particles* particles, shoal_surface_volume* out) {
    if (!velocity_of(particles)) return SHOAL_OK;
    out->velocity = shoal_alloc(1, 3 * sizeof(float));
    return out->velocity ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

void shoal_surface_volume_free(shoal_surface_volume* volume) {
    shoal_sparse_free(&volume->distance);
    shoal_free(volume->velocity);
    *volume = (shoal_surface_volume){0};
}
