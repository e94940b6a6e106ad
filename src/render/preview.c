// SPDX-License-Identifier: MIT
// A depth buffer of balls. Four points are looked at in each pixel, against jagged edges. Rows are
// cut into bands, each ball goes to the bands it touches, and bands are drawn on their own; of
// balls at the same depth the first one counts, so threads do not matter.
#include "render/preview.h"

#include "render/optics.h"

#include <string.h>

enum { SIDE = 2, BAND = 16, ROUNDS = 8 }; // SIDE: points along a pixel
#define EMPTY 1e30f

typedef struct disc {
    float    x, y, radius; // points, from the top left
    float    depth, size;  // m; of its middle, and its radius
    shoal_v3 color;
} disc;

typedef struct sheet {
    const render_contents* contents;
    const render_camera*   camera;
    const render_lights*   lights;
    int                    width, height; // points
    int                    count, band_count;
    disc*                  discs;
    int*         start; // [band_count + 1] discs of a band are list[start[b]..start[b + 1])
    int*         list;
    float*       depth; // [width * height]
    int*         who;   // the disc that is seen; -1: none
    shoal_image* out;
} sheet;

// --- balls to discs

static shoal_v3 part_color(const render_contents* c, const render_part* part) {
    static const shoal_v3 water = {0.05f, 0.25f, 0.60f}, sand = {0.64f, 0.45f, 0.24f};
    for (int k = 0; k < c->settings->look_count; k++)
        if (strcmp(c->settings->looks[k].name, part->name) == 0 &&
            isfinite(c->settings->looks[k].look.color.x))
            return c->settings->looks[k].look.color;
    return part->is_sand ? sand : water;
}

static void project_part(sheet* s, const render_part* part) {
    shoal_v3 color  = part_color(s->contents, part);
    float    radius = 0.5f * (float)part->particles.spacing, half = 0.5f * (float)s->width;
    for (size_t i = 0; i < (size_t)part->particles.count; i++) {
        const float* p = part->particles.positions + 3 * i;
        float        at[3];
        if (!render_camera_project(s->camera, shoal_v3_make(p[0], p[1], p[2]), at)) continue;
        float size = radius / (at[2] * s->camera->across) * half;
        if (!(fabsf(at[0]) < 2.0f && fabsf(at[1]) < 2.0f && size < (float)s->width)) continue;
        s->discs[s->count++] = (disc){(at[0] + 1.0f) * half,
                                      (1.0f - at[1]) * 0.5f * (float)s->height,
                                      fmaxf(size, 0.7f),
                                      at[2],
                                      radius,
                                      part->paint ? part->paint[i] : color};
    }
}

static int band_of(const sheet* s, float y) {
    return (int)fminf((float)(s->band_count - 1), fmaxf(0.0f, floorf(y / BAND)));
}

// Counted, summed, filled: discs stay in their order within a band.
static shoal_status sort_bands(sheet* s) {
    s->start = shoal_alloc((size_t)s->band_count + 2, sizeof *s->start);
    if (!s->start) return SHOAL_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < s->count; i++) {
            const disc* d   = &s->discs[i];
            int         top = band_of(s, d->y - d->radius), bottom = band_of(s, d->y + d->radius);
            for (int b = top; b <= bottom; b++) {
                if (pass == 0)
                    s->start[b + 2]++;
                else
                    s->list[s->start[b + 1]++] = i;
            }
        }
        if (pass == 1) break;
        for (int b = 0; b < s->band_count; b++)
            s->start[b + 2] += s->start[b + 1];
        s->list = shoal_alloc((size_t)s->start[s->band_count + 1] + 1, sizeof *s->list);
        if (!s->list) return SHOAL_ERR_MEMORY;
    }
    return SHOAL_OK;
}

// --- drawing

static void draw_disc(sheet* s, int index, int top, int bottom) {
    const disc* d     = &s->discs[index];
    int         left  = (int)fmaxf(0.0f, ceilf(d->x - d->radius - 0.5f));
    int         right = (int)fminf((float)s->width - 1.0f, floorf(d->x + d->radius - 0.5f));
    int         first = (int)fmaxf((float)top, ceilf(d->y - d->radius - 0.5f));
    int         last  = (int)fminf((float)bottom - 1.0f, floorf(d->y + d->radius - 0.5f));
    for (int y = first; y <= last; y++)
        for (int x = left; x <= right; x++) {
            float a    = ((float)x + 0.5f - d->x) / d->radius,
                  b    = ((float)y + 0.5f - d->y) / d->radius;
            float rest = 1.0f - a * a - b * b;
            if (rest <= 0.0f) continue;
            float  depth = d->depth - d->size * sqrtf(rest);
            size_t at    = (size_t)y * (size_t)s->width + (size_t)x;
            if (depth >= s->depth[at]) continue;
            s->depth[at] = depth;
            s->who[at]   = index;
        }
}

static void draw_bands(void* ctx, int begin, int end, int worker) {
    (void)worker;
    sheet* s = ctx;
    for (int b = begin; b < end; b++) {
        int top = b * BAND, bottom = top + BAND < s->height ? top + BAND : s->height;
        for (size_t i = (size_t)top * (size_t)s->width; i < (size_t)bottom * (size_t)s->width;
             i++) {
            s->depth[i] = EMPTY;
            s->who[i]   = -1;
        }
        for (int k = s->start[b]; k < s->start[b + 1]; k++)
            draw_disc(s, s->list[k], top, bottom);
    }
}

// --- shading

// How much of the sky is hidden by what stands nearer around the point.
static float openness(const sheet* s, int x, int y, float depth, float size) {
    static const int way[ROUNDS][2] = {
        {3,  0 },
        {2,  2 },
        {0,  3 },
        {-2, 2 },
        {-3, 0 },
        {-2, -2},
        {0,  -3},
        {2,  -2}
    };
    const disc* own    = &s->discs[s->who[(size_t)y * (size_t)s->width + (size_t)x]];
    float       hidden = 0.0f, step = fmaxf(1.0f, 0.5f * own->radius);
    for (int k = 0; k < ROUNDS; k++) {
        int i = x + (int)((float)way[k][0] * step), j = y + (int)((float)way[k][1] * step);
        if (i < 0 || j < 0 || i >= s->width || j >= s->height) continue;
        float nearer = depth - s->depth[(size_t)j * (size_t)s->width + (size_t)i];
        hidden += fminf(1.0f, fmaxf(0.0f, nearer / (4.0f * size))) *
                  (nearer < 30.0f * size ? 1.0f : 0.0f);
    }
    return 1.0f - 0.7f * hidden / ROUNDS;
}

static shoal_v3 shade_disc(const sheet* s, int x, int y) {
    size_t      at = (size_t)y * (size_t)s->width + (size_t)x;
    const disc* d  = &s->discs[s->who[at]];
    float       a = ((float)x + 0.5f - d->x) / d->radius, b = -((float)y + 0.5f - d->y) / d->radius;
    float       c = sqrtf(fmaxf(0.0f, 1.0f - a * a - b * b));
    shoal_v3    n = shoal_v3_add_scaled(
           shoal_v3_add_scaled(shoal_v3_scale(s->camera->right, a), s->camera->up, b),
           s->camera->forward, -c);
    shoal_v3 sky =
        render_mix(s->lights->nadir, render_mix(s->lights->horizon, s->lights->zenith, 0.5f),
                   0.5f + 0.5f * n.y);
    shoal_v3 light = shoal_v3_scale(sky, s->lights->sky_strength);
    float    sun   = fmaxf(0.0f, shoal_v3_dot(n, s->lights->sun)) / (float)SHOAL_PI;
    light          = shoal_v3_add_scaled(light, s->lights->sun_light, sun);
    return shoal_v3_scale(render_mul(d->color, light), openness(s, x, y, s->depth[at], d->size));
}

// Sky, or the ground with its tiles.
static shoal_v3 shade_far(const sheet* s, int x, int y) {
    const render_camera* c       = s->camera;
    float                px      = ((float)x + 0.5f) / (float)s->width * 2.0f - 1.0f;
    float                py      = 1.0f - ((float)y + 0.5f) / (float)s->height * 2.0f;
    shoal_v3             way     = render_unit_of(shoal_v3_add_scaled(
                        shoal_v3_add_scaled(c->forward, c->right, px * c->across), c->up, py * c->along));
    const shoal_world*   world   = s->contents->world;
    shoal_v3             sky     = render_sky(s->lights, way);
    float                floor_y = (float)world->domain.min.y;
    if (!world->is_closed[SHOAL_BOTTOM] ||
        s->contents->settings->params.ground == SHOAL_GROUND_NONE || way.y >= 0.0f ||
        c->eye.y <= floor_y)
        return sky;
    float    t = (floor_y - c->eye.y) / way.y, tile = (float)render_tile(s->contents->box);
    shoal_v3 at  = shoal_v3_add_scaled(c->eye, way, t);
    shoal_d3 mid = shoal_d3_scale(shoal_d3_add(s->contents->box.min, s->contents->box.max), 0.5);
    float size   = (float)shoal_d3_length(shoal_d3_sub(s->contents->box.max, s->contents->box.min));
    float far    = hypotf(at.x - (float)mid.x, at.z - (float)mid.z) / size;
    float u = fabsf(at.x / tile - rintf(at.x / tile)), v = fabsf(at.z / tile - rintf(at.z / tile));
    float grey       = u < 0.012f || v < 0.012f ? 0.20f : 0.30f;
    shoal_v3 horizon = render_sky(s->lights, shoal_v3_make(1.0f, 0.0f, 0.0f));
    return render_mix(shoal_v3_make(grey, grey, grey), horizon,
                      fminf(1.0f, fmaxf(0.0f, (far - 2.0f) / 10.0f)));
}

static void shade_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const sheet* s = ctx;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < s->out->width; x++) {
            shoal_v3 sum = {0.0f, 0.0f, 0.0f};
            for (int k = 0; k < SIDE * SIDE; k++) {
                int    i = x * SIDE + k % SIDE, j = y * SIDE + k / SIDE;
                size_t at = (size_t)j * (size_t)s->width + (size_t)i;
                sum = shoal_v3_add(sum, s->who[at] >= 0 ? shade_disc(s, i, j) : shade_far(s, i, j));
            }
            s->out->light[(size_t)y * (size_t)s->out->width + (size_t)x] =
                shoal_v3_scale(sum, 1.0f / (SIDE * SIDE));
        }
}

static shoal_status take(sheet* s, const shoal_exec* exec) {
    const render_contents* c     = s->contents;
    size_t                 count = 0, points = (size_t)s->width * (size_t)s->height;
    for (int k = 0; k < c->part_count; k++)
        count += (size_t)c->parts[k].particles.count;
    s->discs = shoal_alloc(count + 1, sizeof *s->discs);
    s->depth = shoal_alloc(points, sizeof *s->depth);
    s->who   = shoal_alloc(points, sizeof *s->who);
    s->out->light =
        shoal_alloc((size_t)s->out->width * (size_t)s->out->height, sizeof *s->out->light);
    if (!s->discs || !s->depth || !s->who || !s->out->light) return SHOAL_ERR_MEMORY;
    for (int k = 0; k < c->part_count; k++)
        project_part(s, &c->parts[k]);
    SHOAL_TRY(sort_bands(s));
    shoal_blocks(exec, s->band_count, 1, draw_bands, s);
    shoal_blocks(exec, s->out->height, BAND, shade_rows, s);
    return SHOAL_OK;
}

shoal_status render_preview_take(const render_contents* contents, const render_camera* camera,
                                 const render_lights* lights, const shoal_exec* exec,
                                 shoal_image* out) {
    *out = (shoal_image){.width = contents->settings->width, .height = contents->settings->height};
    sheet s             = {.contents = contents, .camera = camera, .lights = lights, .out = out};
    s.width             = SIDE * out->width;
    s.height            = SIDE * out->height;
    s.band_count        = (s.height + BAND - 1) / BAND;
    shoal_status status = take(&s, exec);
    shoal_free(s.list);
    shoal_free(s.start);
    shoal_free(s.who);
    shoal_free(s.depth);
    shoal_free(s.discs);
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_free(out->light);
    out->light = NULL;
    return status;
}
