// SPDX-License-Identifier: MIT
// A depth buffer of balls and of the triangles of obstacles. Four points are looked at in each
// pixel, against jagged edges; obstacles of glass take every other one. Rows are cut into bands,
// each item goes to the bands it touches, and bands are drawn on their own; of items at the same
// depth the first one counts, so threads do not matter.
#include "render/preview.h"

#include "render/looks.h"
#include "render/optics.h"

enum { SIDE = 2, BAND = 16, ROUNDS = 8 }; // SIDE: points along a pixel
#define EMPTY 1e30f

typedef struct disc {
    float    x, y, radius; // points, from the top left
    float    depth, size;  // m; of its middle, and its radius
    shoal_v3 color;
} disc;

// A triangle in the picture; corners hold x and y in points, and 1 / depth.
typedef struct facet {
    shoal_v3 corner[3], normal[3];
    shoal_v3 color;
    bool     is_clear;
} facet;

typedef struct sheet {
    const render_contents* contents;
    const render_camera*   camera;
    const render_lights*   lights;
    int                    width, height; // points
    int                    count, facet_count, band_count;
    disc*                  discs;
    facet*                 facets;
    int*                   start; // [band_count + 1] items of a band are list[start[b]..start[b + 1])
    int*                   list;  // discs first, facets by their number + count
    float*                 depth; // [width * height]
    int*                   who;   // the item that is seen; -1: none
    shoal_image*           out;
} sheet;

// --- balls to discs

static void project_part(sheet* s, int which) {
    const render_part* part  = &s->contents->parts[which];
    shoal_v3           color = render_part_color(s->contents, which);
    render_sizes       sizes = render_part_sizes(part);
    float              half  = 0.5f * (float)s->width;
    bool               is_sand;
    render_part_look(s->contents, which, &is_sand);
    const float* wetness = is_sand ? render_part_wetness(part) : NULL;
    for (size_t i = 0; i < (size_t)part->particles.count; i++) {
        const float* p = part->particles.positions + 3 * i;
        float        at[3];
        if (!render_camera_project(s->camera, shoal_v3_make(p[0], p[1], p[2]), at)) continue;
        float radius = render_size_of(&sizes, i), size = radius / (at[2] * s->camera->across) * half;
        if (!(fabsf(at[0]) < 2.0f && fabsf(at[1]) < 2.0f && size < (float)s->width)) continue;
        s->discs[s->count++] = (disc){(at[0] + 1.0f) * half,
                                      (1.0f - at[1]) * 0.5f * (float)s->height,
                                      fmaxf(size, 0.7f),
                                      at[2],
                                      radius,
                                      part->paint ? part->paint[i]
                                      : wetness   ? render_wetted(color, wetness[i])
                                                  : color};
    }
}

// --- solids to facets

// Of what is before the eye: a triangle that reaches behind it loses that corner, or two.
static int clip_near(const shoal_v3 in[3], float near, shoal_v3 out[4]) {
    int count = 0;
    for (int k = 0; k < 3; k++) {
        shoal_v3 a = in[k], b = in[(k + 1) % 3];
        if (a.z > near) out[count++] = a;
        if ((a.z > near) != (b.z > near)) out[count++] = render_mix(a, b, (near - a.z) / (b.z - a.z));
    }
    return count;
}

static shoal_v3 to_points(const sheet* s, shoal_v3 p) {
    const render_camera* c = s->camera;
    return shoal_v3_make((p.x / (p.z * c->across) + 1.0f) * 0.5f * (float)s->width,
                         (1.0f - p.y / (p.z * c->along)) * 0.5f * (float)s->height, 1.0f / p.z);
}

static void project_triangle(sheet* s, const shoal_surface_mesh* mesh, const int* corner, facet like) {
    const render_camera* c = s->camera;
    shoal_v3             at[3], clipped[4];
    for (int k = 0; k < 3; k++) {
        const float* p = mesh->positions + 3 * (size_t)corner[k];
        shoal_v3     d = shoal_v3_sub(shoal_v3_make(p[0], p[1], p[2]), c->eye);
        at[k]          = shoal_v3_make(shoal_v3_dot(d, c->right), shoal_v3_dot(d, c->up), shoal_v3_dot(d, c->forward));
    }
    int count = clip_near(at, 0.01f * (float)s->contents->spacing, clipped);
    for (int k = 0; k + 2 < count; k++) {
        facet* f     = &s->facets[s->facet_count];
        *f           = like;
        f->corner[0] = to_points(s, clipped[0]);
        f->corner[1] = to_points(s, clipped[k + 1]);
        f->corner[2] = to_points(s, clipped[k + 2]);
        for (int j = 0; j < 3; j++) {
            const float* n = mesh->normals + 3 * (size_t)corner[j];
            f->normal[j]   = shoal_v3_make(n[0], n[1], n[2]);
        }
        s->facet_count++;
    }
}

static void project_solid(sheet* s, int which) {
    const shoal_surface_mesh* mesh = s->contents->solids[which].mesh;
    facet                     like = {0};
    like.color                     = render_solid_color(s->contents, which, &like.is_clear);
    for (size_t t = 0; t < (size_t)mesh->triangle_count; t++) project_triangle(s, mesh, mesh->triangles + 3 * t, like);
}

// The mesh of a part: of the colour of its material, or each triangle of the mean of its corners'
// paints.
static void project_mesh(sheet* s, int which) {
    const render_part*        part = &s->contents->parts[which];
    const shoal_surface_mesh* mesh = part->mesh;
    facet                     like = {.color = render_part_color(s->contents, which)};
    for (size_t t = 0; mesh && t < (size_t)mesh->triangle_count; t++) {
        const int*      corner = mesh->triangles + 3 * t;
        const shoal_v3* paint  = part->mesh_paint;
        if (paint)
            like.color = shoal_v3_scale(
                shoal_v3_add(paint[corner[0]], shoal_v3_add(paint[corner[1]], paint[corner[2]])), 1.0f / 3.0f);
        project_triangle(s, mesh, corner, like);
    }
}

// --- bands

static int band_of(const sheet* s, float y) {
    return (int)fminf((float)(s->band_count - 1), fmaxf(0.0f, floorf(y / BAND)));
}

static void item_rows(const sheet* s, int item, float* top, float* bottom) {
    if (item < s->count) {
        *top    = s->discs[item].y - s->discs[item].radius;
        *bottom = s->discs[item].y + s->discs[item].radius;
        return;
    }
    const shoal_v3* c = s->facets[item - s->count].corner;
    *top              = fminf(c[0].y, fminf(c[1].y, c[2].y));
    *bottom           = fmaxf(c[0].y, fmaxf(c[1].y, c[2].y));
}

// Counted, summed, filled: items stay in their order within a band.
static shoal_status sort_bands(sheet* s) {
    s->start = shoal_alloc((size_t)s->band_count + 2, sizeof *s->start);
    if (!s->start) return SHOAL_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < s->count + s->facet_count; i++) {
            float top, bottom;
            item_rows(s, i, &top, &bottom);
            if (!(bottom >= 0.0f && top <= (float)s->height)) continue;
            for (int b = band_of(s, top), last = band_of(s, bottom); b <= last; b++) {
                if (pass == 0)
                    s->start[b + 2]++;
                else
                    s->list[s->start[b + 1]++] = i;
            }
        }
        if (pass == 1) break;
        for (int b = 0; b < s->band_count; b++) s->start[b + 2] += s->start[b + 1];
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
            float a = ((float)x + 0.5f - d->x) / d->radius, b = ((float)y + 0.5f - d->y) / d->radius;
            float rest = 1.0f - a * a - b * b;
            if (rest <= 0.0f) continue;
            float  depth = d->depth - d->size * sqrtf(rest);
            size_t at    = (size_t)y * (size_t)s->width + (size_t)x;
            if (depth >= s->depth[at]) continue;
            s->depth[at] = depth;
            s->who[at]   = index;
        }
}

// Shares of the corners at a point; false outside.
static bool corner_shares(const facet* f, int x, int y, float share[3]) {
    const shoal_v3* c  = f->corner;
    float           px = (float)x + 0.5f, py = (float)y + 0.5f;
    float           area = (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (c[1].y - c[0].y);
    share[1]             = ((px - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (py - c[0].y)) / area;
    share[2]             = ((c[1].x - c[0].x) * (py - c[0].y) - (px - c[0].x) * (c[1].y - c[0].y)) / area;
    share[0]             = 1.0f - share[1] - share[2];
    return share[0] >= 0.0f && share[1] >= 0.0f && share[2] >= 0.0f; // no area: not a number, false
}

static void draw_facet(sheet* s, int index, int top, int bottom) {
    const facet*    f = &s->facets[index];
    const shoal_v3* c = f->corner;
    float low_x = fminf(c[0].x, fminf(c[1].x, c[2].x)), high_x = fmaxf(c[0].x, fmaxf(c[1].x, c[2].x)), low_y, high_y;
    item_rows(s, s->count + index, &low_y, &high_y);
    int left  = (int)fminf((float)s->width, fmaxf(0.0f, floorf(low_x))),
        right = (int)fmaxf(-1.0f, fminf((float)s->width - 1.0f, ceilf(high_x)));
    int first = (int)fmaxf((float)top, floorf(low_y)), last = (int)fminf((float)bottom - 1.0f, ceilf(high_y));
    for (int y = first; y <= last; y++)
        for (int x = left; x <= right; x++) {
            float  share[3];
            size_t at = (size_t)y * (size_t)s->width + (size_t)x;
            if ((f->is_clear && (x + y) % 2) || !corner_shares(f, x, y, share)) continue;
            float depth = 1.0f / (share[0] * c[0].z + share[1] * c[1].z + share[2] * c[2].z);
            if (!(depth < s->depth[at])) continue;
            s->depth[at] = depth;
            s->who[at]   = s->count + index;
        }
}

static void draw_bands(void* ctx, int begin, int end, int worker) {
    (void)worker;
    sheet* s = ctx;
    for (int b = begin; b < end; b++) {
        int top = b * BAND, bottom = top + BAND < s->height ? top + BAND : s->height;
        for (size_t i = (size_t)top * (size_t)s->width; i < (size_t)bottom * (size_t)s->width; i++) {
            s->depth[i] = EMPTY;
            s->who[i]   = -1;
        }
        for (int k = s->start[b]; k < s->start[b + 1]; k++) {
            if (s->list[k] < s->count)
                draw_disc(s, s->list[k], top, bottom);
            else
                draw_facet(s, s->list[k] - s->count, top, bottom);
        }
    }
}

// --- shading

// How much of the sky is hidden by what stands nearer around the point: looked for at some `step`
// points, for things of that size in metres.
static float openness(const sheet* s, int x, int y, float step, float size) {
    static const int way[ROUNDS][2] = {{3, 0}, {2, 2}, {0, 3}, {-2, 2}, {-3, 0}, {-2, -2}, {0, -3}, {2, -2}};
    float            depth = s->depth[(size_t)y * (size_t)s->width + (size_t)x], hidden = 0.0f;
    for (int k = 0; k < ROUNDS; k++) {
        int i = x + (int)((float)way[k][0] * step), j = y + (int)((float)way[k][1] * step);
        if (i < 0 || j < 0 || i >= s->width || j >= s->height) continue;
        float nearer = depth - s->depth[(size_t)j * (size_t)s->width + (size_t)i];
        hidden += fminf(1.0f, fmaxf(0.0f, nearer / (4.0f * size))) * (nearer < 30.0f * size ? 1.0f : 0.0f);
    }
    return 1.0f - 0.7f * hidden / ROUNDS;
}

static shoal_v3 light_on(const sheet* s, shoal_v3 n) {
    shoal_v3 sky =
        render_mix(s->lights->nadir, render_mix(s->lights->horizon, s->lights->zenith, 0.5f), 0.5f + 0.5f * n.y);
    shoal_v3 light = shoal_v3_scale(sky, s->lights->sky_strength);
    float    sun   = fmaxf(0.0f, shoal_v3_dot(n, s->lights->sun)) / (float)SHOAL_PI;
    return shoal_v3_add_scaled(light, s->lights->sun_light, sun);
}

static shoal_v3 shade_disc(const sheet* s, const disc* d, int x, int y) {
    float    a = ((float)x + 0.5f - d->x) / d->radius, b = -((float)y + 0.5f - d->y) / d->radius;
    float    c    = sqrtf(fmaxf(0.0f, 1.0f - a * a - b * b));
    shoal_v3 n    = shoal_v3_add_scaled(shoal_v3_add_scaled(shoal_v3_scale(s->camera->right, a), s->camera->up, b),
                                        s->camera->forward, -c);
    float    open = openness(s, x, y, fmaxf(1.0f, 0.5f * d->radius), d->size);
    return shoal_v3_scale(render_mul(d->color, light_on(s, n)), open);
}

static shoal_v3 shade_facet(const sheet* s, const facet* f, int x, int y) {
    float share[3];
    corner_shares(f, x, y, share);
    shoal_v3 n = shoal_v3_scale(f->normal[0], share[0]);
    n = render_unit_of(shoal_v3_add_scaled(shoal_v3_add_scaled(n, f->normal[1], share[1]), f->normal[2], share[2]));
    float open = openness(s, x, y, 0.004f * (float)s->width, (float)s->contents->spacing);
    return shoal_v3_scale(render_mul(f->color, light_on(s, n)), open);
}

// Sky, or the ground with its tiles.
static shoal_v3 shade_far(const sheet* s, int x, int y) {
    const render_camera* c   = s->camera;
    float                px  = ((float)x + 0.5f) / (float)s->width * 2.0f - 1.0f;
    float                py  = 1.0f - ((float)y + 0.5f) / (float)s->height * 2.0f;
    shoal_v3             way = render_unit_of(
                    shoal_v3_add_scaled(shoal_v3_add_scaled(c->forward, c->right, px * c->across), c->up, py * c->along));
    const shoal_world* world   = s->contents->world;
    shoal_v3           sky     = render_sky(s->lights, way);
    float              floor_y = (float)world->domain.min.y;
    if (!world->is_closed[SHOAL_BOTTOM] || s->contents->settings->params.ground == SHOAL_GROUND_NONE || way.y >= 0.0f ||
        c->eye.y <= floor_y)
        return sky;
    float    t = (floor_y - c->eye.y) / way.y, tile = (float)render_tile(s->contents->box);
    shoal_v3 at   = shoal_v3_add_scaled(c->eye, way, t);
    shoal_d3 mid  = shoal_d3_scale(shoal_d3_add(s->contents->box.min, s->contents->box.max), 0.5);
    float    size = (float)shoal_d3_length(shoal_d3_sub(s->contents->box.max, s->contents->box.min));
    float    far  = hypotf(at.x - (float)mid.x, at.z - (float)mid.z) / size;
    float    u = fabsf(at.x / tile - rintf(at.x / tile)), v = fabsf(at.z / tile - rintf(at.z / tile));
    float    grey    = u < 0.012f || v < 0.012f ? 0.20f : 0.30f;
    shoal_v3 horizon = render_sky(s->lights, shoal_v3_make(1.0f, 0.0f, 0.0f));
    return render_mix(shoal_v3_make(grey, grey, grey), horizon, fminf(1.0f, fmaxf(0.0f, (far - 2.0f) / 10.0f)));
}

static shoal_v3 shade(const sheet* s, int x, int y) {
    int who = s->who[(size_t)y * (size_t)s->width + (size_t)x];
    if (who < 0) return shade_far(s, x, y);
    return who < s->count ? shade_disc(s, &s->discs[who], x, y) : shade_facet(s, &s->facets[who - s->count], x, y);
}

static void shade_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const sheet* s = ctx;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < s->out->width; x++) {
            shoal_v3 sum = {0.0f, 0.0f, 0.0f};
            for (int k = 0; k < SIDE * SIDE; k++)
                sum = shoal_v3_add(sum, shade(s, x * SIDE + k % SIDE, y * SIDE + k / SIDE));
            s->out->light[(size_t)y * (size_t)s->out->width + (size_t)x] = shoal_v3_scale(sum, 1.0f / (SIDE * SIDE));
        }
}

static shoal_status take(sheet* s, const shoal_exec* exec) {
    const render_contents* c     = s->contents;
    size_t                 count = 0, triangles = 0, points = (size_t)s->width * (size_t)s->height;
    for (int k = 0; k < c->part_count; k++) {
        count += (size_t)c->parts[k].particles.count;
        triangles += c->parts[k].mesh ? (size_t)c->parts[k].mesh->triangle_count : 0;
    }
    for (int k = 0; k < c->solid_count; k++) triangles += (size_t)c->solids[k].mesh->triangle_count;
    s->discs      = shoal_alloc(count + 1, sizeof *s->discs);
    s->facets     = shoal_alloc(2 * triangles + 1, sizeof *s->facets); // a clipped one becomes two
    s->depth      = shoal_alloc(points, sizeof *s->depth);
    s->who        = shoal_alloc(points, sizeof *s->who);
    s->out->light = shoal_alloc((size_t)s->out->width * (size_t)s->out->height, sizeof *s->out->light);
    if (!s->discs || !s->facets || !s->depth || !s->who || !s->out->light) return SHOAL_ERR_MEMORY;
    for (int k = 0; k < c->part_count; k++) project_part(s, k), project_mesh(s, k);
    for (int k = 0; k < c->solid_count; k++) project_solid(s, k);
    SHOAL_TRY(sort_bands(s));
    shoal_blocks(exec, s->band_count, 1, draw_bands, s);
    shoal_blocks(exec, s->out->height, BAND, shade_rows, s);
    return SHOAL_OK;
}

shoal_status render_preview_take(const render_contents* contents, const render_camera* camera,
                                 const render_lights* lights, const shoal_exec* exec, shoal_image* out) {
    *out                = (shoal_image){.width = contents->settings->width, .height = contents->settings->height};
    sheet s             = {.contents = contents, .camera = camera, .lights = lights, .out = out};
    s.width             = SIDE * out->width;
    s.height            = SIDE * out->height;
    s.band_count        = (s.height + BAND - 1) / BAND;
    shoal_status status = take(&s, exec);
    shoal_free(s.list);
    shoal_free(s.start);
    shoal_free(s.who);
    shoal_free(s.depth);
    shoal_free(s.facets);
    shoal_free(s.discs);
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_free(out->light);
    out->light = NULL;
    return status;
}
