// SPDX-License-Identifier: MIT
// Sand as grains or as a texture. Both come from counters and the numbers of the particles, so
// nothing flickers from frame to frame.
#include "render/grains.h"

#include "base/hash.h"
#include "render/optics.h"

#include <string.h>

enum { BLOCK = 1024, MANY = 10 }; // MANY: grains of a particle that stands for a lump of sand
#define CELL 2.0f                 // spacings; cells overlap, so that slopes made of steps are not seen as such either
#define SOLID_FRACTION 0.6        // of that volume is grains
#define UNEVEN 0.35f              // of the brightness, from grain to grain
// Of the texture: grains wander by up to this fraction of their distance, are darker between each
// other by GAP times the squared distance from the middle, whose mean is GAP_MEAN, and turn the
// normal.
#define WANDER 0.4f
#define GAP 1.8f
#define GAP_MEAN 0.27f
#define BUMP 4.0f
// Light that finds its way out of a heap of grains has met more than one: of each meeting this
// fraction goes to another grain.
#define AMONG 0.4f
// What gaps swallow. Measured on a pile beside its grains: 0.9 of their light in the shade, 1.4 in
// a low sun from behind, whose shadows between grains a surface does not have.
#define NOT_IN_GAPS 0.8f

static uint64_t number_of(const render_part* part, size_t i) {
    return part->ids ? (uint64_t)(uint32_t)part->ids[i] : i;
}

static shoal_v3 shade(shoal_v3 color, double chance, double tint) {
    float    light = 1.0f + UNEVEN * (float)(2.0 * chance - 1.0), warm = 0.06f * (float)(2.0 * tint - 1.0);
    shoal_v3 c = shoal_v3_scale(color, light);
    return shoal_v3_make(fminf(1.0f, c.x * (1.0f + warm)), fminf(1.0f, c.y), fminf(1.0f, c.z * (1.0f - warm)));
}

// --- grains

typedef struct grain_job {
    const render_part*     part;
    const render_contents* contents;
    const float *          velocity, *wetness;
    render_sizes           sizes;
    bool                   is_itself;
    shoal_v3               color;
    int                    each;
    const int*             first; // [particles + 1] of the grains of each; NULL: all have as many
    float                  radius;
    shoal_v4*              places;
    shoal_v3 *             velocities, *colors;
    float*                 wet;
} grain_job;

// Even in the particle's cell: cells of a lattice then fill space evenly, and no rows are seen.
static shoal_v3 in_cell(uint64_t seed, uint64_t n) {
    return shoal_v3_make((float)(shoal_random(seed, n, 0) - 0.5), (float)(shoal_random(seed, n, 1) - 0.5),
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

// A particle that is a grain is drawn as it is; one that stands for many has them around it.
static shoal_v4 ball_of(const grain_job* g, size_t i, uint64_t seed, uint64_t n) {
    const float* p = g->part->particles.positions + 3 * i;
    if (g->is_itself) return (shoal_v4){p[0], p[1], p[2], render_size_of(&g->sizes, i)};
    shoal_v3 aside = shoal_v3_scale(in_cell(seed, n), CELL * (float)g->contents->spacing);
    float    size  = g->radius * (0.7f + 0.6f * (float)shoal_random(seed, n, 3));
    shoal_v4 ball  = {p[0] + aside.x, p[1] + aside.y, p[2] + aside.z, size};
    keep_in(g->contents->world, &ball);
    return ball;
}

static void grain_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const grain_job* g = ctx;
    for (size_t i = (size_t)begin; i < (size_t)end; i++)
        for (int k = 0; k < (g->first ? g->first[i + 1] - g->first[i] : g->each); k++) {
            size_t   to   = (g->first ? (size_t)g->first[i] : i * (size_t)g->each) + (size_t)k;
            uint64_t seed = number_of(g->part, i), n = (uint64_t)k;
            g->places[to] = ball_of(g, i, seed, n);
            g->colors[to] = shade(g->color, shoal_random(seed, n, 4), shoal_random(seed, n, 5));
            if (g->wetness) g->wet[to] = g->wetness[i];
            if (g->velocity) memcpy(&g->velocities[to], g->velocity + 3 * i, sizeof g->velocities[to]);
        }
}

static int grains_each(const render_part* part, const render_contents* contents) {
    int each = contents->settings->params.grains;
    return each > 0 ? each : render_part_field(part, "radius", 1) ? 1 : MANY;
}

// Where sand fades into a wet mesh, the last grains of each particle go first: those that are left stay where they are.
static shoal_status count_grains(const render_part* part, int each, int** first) {
    const float* saturation = render_part_field(part, "saturation", 1);
    if (!saturation) return SHOAL_OK;
    *first = shoal_alloc((size_t)part->particles.count + 1, sizeof **first);
    if (!*first) return SHOAL_ERR_MEMORY;
    for (int64_t i = 0; i < part->particles.count; i++)
        (*first)[i + 1] = (*first)[i] + (int)(0.5f + (float)each * (1.0f - render_faded(saturation[i])));
    return SHOAL_OK;
}

shoal_status render_grains_make(const render_part* part, const render_contents* contents, shoal_v3 color,
                                const shoal_exec* exec, render_balls* out, void** memory) {
    int       each  = grains_each(part, contents);
    size_t    count = (size_t)part->particles.count * (size_t)each;
    grain_job g     = {.part     = part,
                       .contents = contents,
                       .velocity = render_part_field(part, "velocity", 3),
                       .wetness  = render_part_wetness(part),
                       .sizes    = render_part_sizes(part),
                       .color    = color,
                       .each     = each};
    g.is_itself     = each == 1 && g.sizes.radius;
    // each * 4/3 pi r^3 = SHARE d^3
    g.radius = (float)(contents->spacing * cbrt(SOLID_FRACTION * 3.0 / (4.0 * SHOAL_PI * each)));
    if (count > INT32_MAX / 4)
        return shoal_fail(SHOAL_ERR_INPUT, "render.grains = %d for %lld particles are too many grains", each,
                          (long long)part->particles.count);
    int* first = NULL;
    SHOAL_TRY(count_grains(part, each, &first));
    if (first) count = (size_t)first[part->particles.count];
    g.first = first;
    *memory = shoal_alloc(count + 1, sizeof(shoal_v4) + 2 * sizeof(shoal_v3) + sizeof(float));
    if (!*memory) {
        shoal_free(first);
        return SHOAL_ERR_MEMORY;
    }
    g.places     = *memory;
    g.velocities = (shoal_v3*)(g.places + count);
    g.colors     = g.velocities + count;
    g.wet        = (float*)(g.colors + count);
    shoal_blocks(exec, (int)part->particles.count, BLOCK, grain_block, &g);
    shoal_free(first);
    *out = (render_balls){.count      = (int)count,
                          .places     = g.places,
                          .velocities = g.velocity ? g.velocities : NULL,
                          .colors     = g.colors,
                          .wetness    = g.wetness ? g.wet : NULL};
    return SHOAL_OK;
}

// --- the texture

struct render_texture {
    shoal_v3  color;
    float     size, grain; // m; of a cell of particles, and of a grain
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
    return (along((double)p.z, t->low.z, t->size, t->nz) * t->ny + along((double)p.y, t->low.y, t->size, t->ny)) *
               t->nx +
           along((double)p.x, t->low.x, t->size, t->nx);
}

// What a point of a volume of grains shows.
typedef struct speck {
    float    light;  // more or less than the mean
    shoal_v3 offset; // from the middle of its grain, grains
} speck;

// Grains stand on a lattice, each up to WANDER aside along each axis: the nearest is one of eight.
static speck speck_at(shoal_v3 at) {
    int64_t  low[3];
    float    best = 1e9f;
    uint64_t kind = 0;
    speck    s    = {0};
    shoal_v3 d;
    // the lattice is turned, so that its rows are not those of the scene
    shoal_v3 p = {0.36f * at.x + 0.48f * at.y - 0.8f * at.z, -0.8f * at.x + 0.6f * at.y,
                  0.48f * at.x + 0.64f * at.y + 0.6f * at.z};
    for (int k = 0; k < 3; k++) low[k] = (int64_t)floorf(shoal_v3_axis(p, k) - 0.5f);
    for (int k = 0; k < 8; k++) {
        int64_t  c[3] = {low[0] + (k & 1), low[1] + (k >> 1 & 1), low[2] + (k >> 2)};
        uint64_t key  = shoal_mix64((uint64_t)c[0] * 0x9e3779b97f4a7c15u ^
                                    shoal_mix64((uint64_t)c[1] ^ shoal_mix64((uint64_t)c[2])));
        for (int e = 0; e < 3; e++) {
            float aside = (float)(key >> 16 * e & 0xffff) * (2.0f / 65536.0f) - 1.0f;
            shoal_v3_set_axis(&d, e, shoal_v3_axis(p, e) - (float)c[e] - 0.5f - WANDER * aside);
        }
        float far = shoal_v3_dot(d, d);
        if (far < best) best = far, s.offset = d, kind = key;
    }
    d        = s.offset; // back again
    s.offset = shoal_v3_make(0.36f * d.x - 0.8f * d.y + 0.48f * d.z, 0.48f * d.x + 0.6f * d.y + 0.64f * d.z,
                             -0.8f * d.x + 0.6f * d.z);
    // dark between grains; the mean of both is that of the volume
    s.light = UNEVEN * ((float)(kind >> 48) * (2.0f / 65536.0f) - 1.0f) + GAP * (GAP_MEAN - best);
    return s;
}

// Blended pieces lose contrast as they spread; divided by the root of the squared weights they keep
// it, while one piece alone, or many that still fit, show the volume as it is.
void render_texture_sample(const void* texture, shoal_v3 at, shoal_v3* color, shoal_v3* normal) {
    const render_texture* t   = texture;
    float                 sum = 0.0f, weights = 0.0f, squares = 0.0f, spread = 0.0f;
    shoal_v3              first = {0.0f, 0.0f, 0.0f}, offset = {0.0f, 0.0f, 0.0f};
    int64_t x = along((double)at.x, t->low.x, t->size, t->nx), y = along((double)at.y, t->low.y, t->size, t->ny),
            z = along((double)at.z, t->low.z, t->size, t->nz);
    *color    = t->color;
    for (int64_t k = z > 0 ? z - 1 : 0; k <= z + 1 && k < t->nz; k++)
        for (int64_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < t->ny; j++) {
            int64_t row = (k * t->ny + j) * t->nx, from = x > 0 ? x - 1 : 0, to = x + 1 < t->nx ? x + 1 : x;
            for (int i = t->start[row + from]; i < t->start[row + to + 1]; i++) {
                shoal_v3 d = shoal_v3_sub(at, t->places[i]);
                float    q = 1.0f - shoal_v3_dot(d, d) / (t->size * t->size);
                if (q <= 0.0f) continue;
                float    w     = q * q * q;
                shoal_v3 carry = shoal_v3_sub(t->rests[i], t->places[i]);
                if (weights == 0.0f) first = carry;
                shoal_v3 apart = shoal_v3_sub(carry, first);
                speck    s     = speck_at(shoal_v3_scale(shoal_v3_add(t->rests[i], d), 1.0f / t->grain));
                sum += w * s.light;
                offset = shoal_v3_add_scaled(offset, s.offset, w);
                weights += w;
                squares += w * w;
                spread += w * fminf(1.0f, shoal_v3_dot(apart, apart) / (t->grain * t->grain));
            }
        }
    if (weights == 0.0f) return;
    float apart = spread / weights;
    float sharp = (1.0f + apart * (weights / sqrtf(squares) - 1.0f)) / weights;
    float light = fmaxf(0.1f, 1.0f + sharp * sum);
    *color      = shoal_v3_make(fminf(1.0f, t->color.x * light), fminf(1.0f, t->color.y * light),
                                fminf(1.0f, t->color.z * light));
    *normal     = render_unit_of(shoal_v3_add_scaled(*normal, offset, BUMP * sharp));
}

static shoal_status sort_texture(render_texture* t, const render_part* part) {
    size_t cells = (size_t)(t->nx * t->ny * t->nz), count = (size_t)t->count;
    t->start  = shoal_alloc(cells + 1, sizeof *t->start);
    t->places = shoal_alloc(count, sizeof *t->places);
    t->rests  = shoal_alloc(count, sizeof *t->rests);
    if (!t->start || !t->places || !t->rests) return SHOAL_ERR_MEMORY;
    const shoal_v3* from = (const shoal_v3*)part->particles.positions;
    for (size_t i = 0; i < count; i++) t->start[cell_of(t, from[i])]++;
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

// Of a heap of grains of albedo a: a (1 - q) (1 + q a + q^2 a^2 ...), seen from far.
static shoal_v3 heap_color(shoal_v3 a) {
    const float out = NOT_IN_GAPS * (1.0f - AMONG);
    return shoal_v3_make(a.x * out / (1.0f - AMONG * a.x), a.y * out / (1.0f - AMONG * a.y),
                         a.z * out / (1.0f - AMONG * a.z));
}

shoal_status render_texture_create(const render_part* part, const render_contents* contents, shoal_v3 color,
                                   render_texture** out) {
    shoal_box box = shoal_box_empty();
    *out          = NULL;
    for (int64_t i = 0; i < part->particles.count; i++) {
        const float* p = part->particles.positions + 3 * i;
        box            = shoal_box_with(box, shoal_d3_make((double)p[0], (double)p[1], (double)p[2]));
    }
    render_texture* t = shoal_alloc(1, sizeof *t);
    if (!t) return SHOAL_ERR_MEMORY;
    double size = 2.0 * contents->spacing;
    // far flung grains share cells at the rim rather than asking for more of them
    enum { CELLS_ALONG = 400 };
    size                = fmax(size, shoal_d3_length(shoal_d3_sub(box.max, box.min)) / CELLS_ALONG);
    t->color            = heap_color(color);
    t->size             = (float)size;
    t->grain            = (float)(contents->spacing / cbrt((double)grains_each(part, contents)));
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
