// SPDX-License-Identifier: MIT
// Sand as grains or as a texture. Both come from counters and the numbers of the particles, so
// nothing flickers from frame to frame.
#include "render/grains.h"

#include "base/hash.h"
#include "render/optics.h"

#include <string.h>

enum { BLOCK = 1024 };
#define CELL                                                                                       \
    2.0f // spacings; cells overlap, so that slopes made of steps are not seen as such either
#define SHARE 0.6    // of that volume is grains
#define UNEVEN 0.35f // of the brightness, from grain to grain

static uint64_t number_of(const render_part* part, size_t i) {
    return part->ids ? (uint64_t)(uint32_t)part->ids[i] : i;
}

static shoal_v3 shade(shoal_v3 color, double chance, double tint) {
    float light = 1.0f + UNEVEN * (float)(2.0 * chance - 1.0),
          warm  = 0.06f * (float)(2.0 * tint - 1.0);
    shoal_v3 c  = shoal_v3_scale(color, light);
    return shoal_v3_make(fminf(1.0f, c.x * (1.0f + warm)), fminf(1.0f, c.y),
                         fminf(1.0f, c.z * (1.0f - warm)));
}

// --- grains

typedef struct graining {
    const render_part*     part;
    const render_contents* contents;
    const float *          velocity, *wetness;
    shoal_v3               color;
    int                    each;
    float                  radius;
    shoal_v4*              places;
    shoal_v3 *             velocities, *colors;
    float*                 wet;
} graining;

// Even in the particle's cell: cells of a lattice then fill space evenly, and no rows are seen.
static shoal_v3 in_cell(uint64_t seed, uint64_t n) {
    return shoal_v3_make((float)(shoal_random(seed, n, 0) - 0.5),
                         (float)(shoal_random(seed, n, 1) - 0.5),
                         (float)(shoal_random(seed, n, 2) - 0.5));
}

static void keep_in(const shoal_world* world, shoal_v4* ball) {
    float* at = &ball->x;
    for (int side = 0; side < SHOAL_WALL_COUNT; side++) {
        if (!world->is_closed[side]) continue;
        shoal_d3 corner = side % 2 ? world->domain.max : world->domain.min;
        float    wall   = (float)shoal_d3_axis(corner, side / 2);
        float*   x      = at + side / 2;
        *x              = side % 2 ? fminf(*x, wall - ball->w) : fmaxf(*x, wall + ball->w);
    }
}

static void grain_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const graining* g = ctx;
    float           d = (float)g->contents->spacing;
    for (size_t i = (size_t)begin; i < (size_t)end; i++)
        for (int k = 0; k < g->each; k++) {
            size_t       to   = i * (size_t)g->each + (size_t)k;
            uint64_t     seed = number_of(g->part, i), n = (uint64_t)k;
            const float* p     = g->part->particles.positions + 3 * i;
            shoal_v3     aside = shoal_v3_scale(in_cell(seed, n), CELL * d);
            float        size  = g->radius * (0.7f + 0.6f * (float)shoal_random(seed, n, 3));
            g->places[to]      = (shoal_v4){p[0] + aside.x, p[1] + aside.y, p[2] + aside.z, size};
            keep_in(g->contents->world, &g->places[to]);
            g->colors[to] = shade(g->color, shoal_random(seed, n, 4), shoal_random(seed, n, 5));
            if (g->wetness) g->wet[to] = g->wetness[i];
            if (g->velocity)
                memcpy(&g->velocities[to], g->velocity + 3 * i, sizeof g->velocities[to]);
        }
}

shoal_status render_grains_make(const render_part* part, const render_contents* contents,
                                shoal_v3 color, const shoal_exec* exec, render_balls* out,
                                void** memory) {
    int      each  = contents->settings->params.grains;
    size_t   count = (size_t)part->particles.count * (size_t)each;
    graining g     = {.part     = part,
                      .contents = contents,
                      .velocity = render_part_field(part, "velocity", 3),
                      .wetness  = render_part_wetness(part),
                      .color    = color,
                      .each     = each};
    // each * 4/3 pi r^3 = SHARE d^3
    g.radius = (float)(contents->spacing * cbrt(SHARE * 3.0 / (4.0 * SHOAL_PI * each)));
    if (count > INT32_MAX / 4)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "render.grains = %d for %lld particles are too many grains", each,
                          (long long)part->particles.count);
    *memory = shoal_alloc(count + 1, sizeof(shoal_v4) + 2 * sizeof(shoal_v3) + sizeof(float));
    if (!*memory) return SHOAL_ERR_MEMORY;
    g.places     = *memory;
    g.velocities = (shoal_v3*)(g.places + count);
    g.colors     = g.velocities + count;
    g.wet        = (float*)(g.colors + count);
    shoal_blocks(exec, (int)part->particles.count, BLOCK, grain_block, &g);
    *out = (render_balls){.count      = (int)count,
                          .places     = g.places,
                          .velocities = g.velocity ? g.velocities : NULL,
                          .colors     = g.colors,
                          .wetness    = g.wetness ? g.wet : NULL};
    return SHOAL_OK;
}

// --- the texture

enum { OCTAVES = 3 };

struct render_texture {
    shoal_v3  color;
    float     size, grain; // m; of a cell, and of the finest mottle
    shoal_d3  low;
    int64_t   nx, ny, nz;
    int       count;
    int*      start;  // [cells + 1] the particles of a cell are [start[c], start[c + 1])
    shoal_v3* places; // in the order of cells
    shoal_v3* rests;
};

static int64_t along(double x, double low, float size, int64_t most) {
    double c = floor((x - low) / (double)size);
    return c < 0.0 ? 0 : c >= (double)most ? most - 1 : (int64_t)c;
}

static int64_t cell_of(const render_texture* t, shoal_v3 p) {
    return (along((double)p.z, t->low.z, t->size, t->nz) * t->ny +
            along((double)p.y, t->low.y, t->size, t->ny)) *
               t->nx +
           along((double)p.x, t->low.x, t->size, t->nx);
}

// Value noise between -1 and 1, smooth between the points of a lattice.
static float mottle(shoal_v3 p, uint64_t seed) {
    int64_t c[3];
    float   f[3], sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        float x = shoal_v3_axis(p, k), low = floorf(x);
        c[k] = (int64_t)low;
        f[k] = x - low;
        f[k] = f[k] * f[k] * (3.0f - 2.0f * f[k]);
    }
    for (int k = 0; k < 8; k++) {
        int64_t  x = c[0] + (k & 1), y = c[1] + (k >> 1 & 1), z = c[2] + (k >> 2);
        uint64_t key = shoal_mix64((uint64_t)x * 0x9e3779b97f4a7c15u ^
                                   shoal_mix64((uint64_t)y ^ shoal_mix64((uint64_t)z ^ seed)));
        float    w   = (k & 1 ? f[0] : 1.0f - f[0]) * (k & 2 ? f[1] : 1.0f - f[1]) *
                  (k & 4 ? f[2] : 1.0f - f[2]);
        sum += w * ((float)(key >> 40) * 0x1p-23f - 1.0f);
    }
    return sum;
}

static float volume(const render_texture* t, shoal_v3 p) {
    float sum = 0.0f, size = t->grain, weight = 0.5f;
    for (int k = 0; k < OCTAVES; k++, size *= 3.0f, weight *= 0.8f)
        sum += weight * mottle(shoal_v3_scale(p, 1.0f / size), (uint64_t)k);
    return sum;
}

// Blended pieces lose contrast as they spread; divided by the root of the squared weights they keep
// it, while one piece alone, or many that still fit, show the volume as it is.
shoal_v3 render_texture_color(const void* texture, shoal_v3 at) {
    const render_texture* t   = texture;
    float                 sum = 0.0f, weights = 0.0f, squares = 0.0f, spread = 0.0f;
    shoal_v3              first = {0.0f, 0.0f, 0.0f};
    int64_t               x     = along((double)at.x, t->low.x, t->size, t->nx),
            y                   = along((double)at.y, t->low.y, t->size, t->ny),
            z                   = along((double)at.z, t->low.z, t->size, t->nz);
    for (int64_t k = z > 0 ? z - 1 : 0; k <= z + 1 && k < t->nz; k++)
        for (int64_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < t->ny; j++) {
            int64_t row = (k * t->ny + j) * t->nx, from = x > 0 ? x - 1 : 0,
                    to = x + 1 < t->nx ? x + 1 : x;
            for (int i = t->start[row + from]; i < t->start[row + to + 1]; i++) {
                shoal_v3 d = shoal_v3_sub(at, t->places[i]);
                float    q = 1.0f - shoal_v3_dot(d, d) / (t->size * t->size);
                if (q <= 0.0f) continue;
                float    w     = q * q * q;
                shoal_v3 carry = shoal_v3_sub(t->rests[i], t->places[i]);
                if (weights == 0.0f) first = carry;
                shoal_v3 apart = shoal_v3_sub(carry, first);
                sum += w * volume(t, shoal_v3_add(t->rests[i], d));
                weights += w;
                squares += w * w;
                spread += w * fminf(1.0f, shoal_v3_dot(apart, apart) / (t->grain * t->grain));
            }
        }
    if (weights == 0.0f) return t->color;
    float mean = sum / weights, apart = spread / weights;
    float kept  = mean * (1.0f + apart * (weights / sqrtf(squares) - 1.0f));
    float light = fmaxf(0.15f, 1.0f + 0.8f * kept);
    return shoal_v3_make(fminf(1.0f, t->color.x * light), fminf(1.0f, t->color.y * light),
                         fminf(1.0f, t->color.z * light));
}

static shoal_status sort_texture(render_texture* t, const render_part* part) {
    size_t cells = (size_t)(t->nx * t->ny * t->nz), count = (size_t)t->count;
    t->start  = shoal_alloc(cells + 1, sizeof *t->start);
    t->places = shoal_alloc(count, sizeof *t->places);
    t->rests  = shoal_alloc(count, sizeof *t->rests);
    if (!t->start || !t->places || !t->rests) return SHOAL_ERR_MEMORY;
    const shoal_v3* from = (const shoal_v3*)part->particles.positions;
    for (size_t i = 0; i < count; i++)
        t->start[cell_of(t, from[i])]++;
    int sum = 0;
    for (size_t c = 0; c < cells; c++) {
        sum += t->start[c];
        t->start[c] = sum;
    }
    t->start[cells] = sum;
    for (size_t i = count; i-- > 0;) {
        int to        = --t->start[cell_of(t, from[i])];
        t->places[to] = from[i];
        t->rests[to]  = part->rest ? part->rest[i] : from[i];
    }
    return SHOAL_OK;
}

shoal_status render_texture_create(const render_part* part, const render_contents* contents,
                                   shoal_v3 color, render_texture** out) {
    shoal_box box = shoal_box_empty();
    *out          = NULL;
    for (int64_t i = 0; i < part->particles.count; i++) {
        const float* p = part->particles.positions + 3 * i;
        box = shoal_box_with(box, shoal_d3_make((double)p[0], (double)p[1], (double)p[2]));
    }
    render_texture* t = shoal_alloc(1, sizeof *t);
    if (!t) return SHOAL_ERR_MEMORY;
    double size = 2.0 * contents->spacing;
    // far flung grains share cells at the rim rather than asking for more of them
    enum { CELLS_ALONG = 400 };
    size                = fmax(size, shoal_d3_length(shoal_d3_sub(box.max, box.min)) / CELLS_ALONG);
    t->color            = color;
    t->size             = (float)size;
    t->grain            = 0.25f * (float)contents->spacing;
    t->low              = box.min;
    t->count            = (int)part->particles.count;
    t->nx               = 1 + (int64_t)((box.max.x - box.min.x) / size);
    t->ny               = 1 + (int64_t)((box.max.y - box.min.y) / size);
    t->nz               = 1 + (int64_t)((box.max.z - box.min.z) / size);
    shoal_status status = sort_texture(t, part);
    if (status != SHOAL_OK) {
        render_texture_destroy(t);
        return status;
    }
    *out = t;
    return SHOAL_OK;
}

void render_texture_destroy(render_texture* t) {
    if (!t) return;
    shoal_free(t->rests);
    shoal_free(t->places);
    shoal_free(t->start);
    shoal_free(t);
}
