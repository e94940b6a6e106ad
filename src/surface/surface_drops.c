// SPDX-License-Identifier: MIT
// Small drops. A drop of one particle is two cells wide at the usual cell: marching cubes makes a
// cut gem of it, half of its volume lost, and smoothing of the field takes most of the rest. Bodies
// of few triangles are therefore split and laid onto the field itself, unsmoothed; blobs in which
// no particle is, and bubbles smaller than one, go.
#include "surface/surface_local.h"
#include "base/disjoint.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Area, in spacings squared: up to AREA_ALL, about 5 particles, a drop is laid wholly onto the
// field, up to AREA_MOST, about 40, ever less of the way, so that nothing jumps as it grows.
#define AREA_ALL 14.0
#define AREA_MOST 56.0
// Triangles are split while their edges are longer than this, spacings, or they are fewer than
// that.
#define EDGE_MOST 0.5
enum { SMALL_LEAST = 64 };
// How far outside its bounds a particle may lie to be of a drop, spacings: less than one sample may
// be all of it that marching cubes found.
#define OWN_WITHIN 0.3f
// Vertices are drawn to the mean of those around them by this fraction, so that triangles become even,
// and then laid onto the field, in rounds.
#define EVEN_FRACTION 0.5f
enum { EVEN_ROUNDS = 3, LAY_STEPS = 8, LAY_SECANTS = 6 };
// A vertex is laid no further than this, spacings, in steps of at most LAY_STEP, and to this
// exactness.
#define LAY_MOST 0.5f
#define LAY_STEP 0.15f
#define LAY_EXACT 0.0005f
// A body of which laying leaves no more than this fraction was none that the field has.
#define CRUMPLED 0.25
// Then drops of several are swollen to the volume of their particles, by at most this, spacings,
// and in rounds. Particles further apart than PAIR_FAR, spacings, count as lone ones, those within
// PAIR_NEAR in full.
#define SWELL_MOST 0.2
#define PAIR_NEAR 1.1
#define PAIR_FAR 1.9
enum { SWELL_ROUNDS = 3 };

// --- the bodies of a mesh

// up[] of each vertex becomes the number of its body, in the order of their first vertices.
static void number_bodies(surface_bodies* b, const shoal_contour* mesh) {
    int* up = b->of;
    for (int i = 0; i < mesh->vertex_count; i++) up[i] = i;
    for (int k = 0; k < 3 * mesh->triangle_count; k++)
        if (k % 3 != 2) shoal_disjoint_join(up, mesh->triangles[k], mesh->triangles[k + 1]);
    for (int i = 0; i < mesh->vertex_count; i++) // what is above a vertex is less, and has its number already
        up[i] = up[i] == i ? -1 - b->count++ : up[up[i]];
    for (int i = 0; i < mesh->vertex_count; i++) up[i] = -1 - up[i];
}

void surface_bodies_measure(surface_bodies* b, const shoal_contour* mesh) {
    for (int k = 0; k < b->count; k++)
        b->all[k] = (surface_body){.low = {FLT_MAX, FLT_MAX, FLT_MAX}, .high = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (int i = 0; i < mesh->vertex_count; i++) {
        surface_body* body = &b->all[b->of[i]];
        shoal_v3      p    = mesh->vertices[i];
        body->low          = shoal_v3_make(fminf(body->low.x, p.x), fminf(body->low.y, p.y), fminf(body->low.z, p.z));
        body->high = shoal_v3_make(fmaxf(body->high.x, p.x), fmaxf(body->high.y, p.y), fmaxf(body->high.z, p.z));
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int*    c    = mesh->triangles + 3 * (size_t)t;
        surface_body* body = &b->all[b->of[c[0]]];
        shoal_d3      o    = shoal_d3_from(body->low), p[3];
        for (int k = 0; k < 3; k++) p[k] = shoal_d3_sub(shoal_d3_from(mesh->vertices[c[k]]), o);
        shoal_d3 n = shoal_d3_cross(shoal_d3_sub(p[1], p[0]), shoal_d3_sub(p[2], p[0]));
        double   v = shoal_d3_dot(p[0], shoal_d3_cross(p[1], p[2])) / 6.0;
        body->triangles++;
        body->volume += v;
        body->area += 0.5 * shoal_d3_length(n);
        for (int k = 0; k < 3; k++) body->moment = shoal_d3_add(body->moment, shoal_d3_scale(p[k], 0.25 * v));
    }
}

shoal_status surface_bodies_make(surface_bodies* b, const shoal_contour* mesh) {
    *b    = (surface_bodies){0};
    b->of = shoal_alloc((size_t)mesh->vertex_count, sizeof *b->of);
    if (!b->of) return SHOAL_ERR_MEMORY;
    number_bodies(b, mesh);
    b->all = shoal_alloc((size_t)b->count, sizeof *b->all);
    if (!b->all) return SHOAL_ERR_MEMORY;
    surface_bodies_measure(b, mesh);
    return SHOAL_OK;
}

void surface_bodies_free(surface_bodies* b) {
    shoal_free(b->of);
    shoal_free(b->all);
    *b = (surface_bodies){0};
}

// --- what goes

typedef struct drops {
    const surface_work* w;
    shoal_contour*      mesh;
    shoal_surface_mesh* fields;
    surface_bodies      bodies;
    bool*               is_small; // [bodies.count]
    float*              fraction; // [bodies.count] of the way a vertex goes
    double*             wanted;   // [bodies.count] m^3; 0: as it comes
    int                 small_count;
    int*                vertices; // those of small bodies, body by body
    int*                first;    // [bodies.count + 1] of them
    surface_near*       near;     // of each worker
    surface_near*       more;     // the same, of the other materials; NULL: none
} drops;

// Where what the field is made of lies.
static const surface_index* index_of(const surface_work* w) { return w->splats ? &w->splat_index : &w->index; }

// Those of the index within `rim` of a body.
static shoal_v3 find_near(const drops* d, const surface_index* index, int body, float rim, surface_near* near) {
    shoal_v3 low = d->bodies.all[body].low, high = d->bodies.all[body].high, by = shoal_v3_make(rim, rim, rim);
    surface_near_find(near, d->w->loops, index, shoal_v3_sub(low, by), shoal_v3_add(high, by), low,
                      d->w->splats ? 1.0f : 1.0f / d->w->support);
    return low;
}

// Its area in spacings squared.
static double area_of(const drops* d, int body) {
    return d->bodies.all[body].area / ((double)d->w->spacing * (double)d->w->spacing);
}

static bool is_wanted(const drops* d, int body) {
    const surface_body* b   = &d->bodies.all[body];
    double              one = (double)d->w->spacing * (double)d->w->spacing * (double)d->w->spacing;
    if (b->volume < 0.0) return -b->volume > one; // a bubble
    find_near(d, &d->w->index, body, OWN_WITHIN * d->w->spacing, &d->near[0]);
    return d->near[0].count > 0;
}

// The volume of the particles found last, or, where the surface does not keep theirs, of a drop as
// the radius has it: a lone one is a ball of the radius at which flat water is flat, smaller than
// what a particle stands for, and each that joins it brings the whole of that, the nearer it comes.
static double wanted_volume(const drops* d, const surface_near* near) {
    const surface_work* w       = d->w;
    double              spacing = (double)w->spacing, sum = 0.0;
    double              scale = (w->splats ? 1.0 : 1.0 / (double)w->support) * spacing;
    double              one   = spacing * spacing * spacing;
    double              ball  = fmin(one, 4.0 / 3.0 * SHOAL_PI * pow((double)w->radius, 3.0));
    if (w->shift && !w->is_own) return near->count * one;
    for (int k = 0; k < near->count && w->shift; k++) sum += (double)w->places[w->index.cells.order[near->item[k]]].w;
    if (w->shift) return sum;
    if (near->count < 2) return 0.0;
    for (int i = 0; i < near->count; i++) {
        double least = DBL_MAX;
        for (int k = 0; k < near->count; k++) {
            double x = (double)(near->x[k] - near->x[i]), y = (double)(near->y[k] - near->y[i]),
                   z = (double)(near->z[k] - near->z[i]);
            if (k != i) least = fmin(least, x * x + y * y + z * z);
        }
        double fraction = (PAIR_FAR - sqrt(least) / scale) / (PAIR_FAR - PAIR_NEAR);
        sum += ball + (one - ball) * fmax(0.0, fmin(1.0, fraction)) * (near->count - 1) / near->count;
    }
    return sum;
}

static void keep_values(const int* number, int count, int components, float* values) {
    for (int i = 0; i < count; i++)
        if (number[i] >= 0)
            memmove(values + (size_t)components * (size_t)number[i], values + (size_t)components * (size_t)i,
                    (size_t)components * sizeof *values);
}

// Takes away the bodies that are not wanted. `number` is room for a number per vertex.
static void remove_bodies(drops* d, const bool* is_gone, int* number) {
    shoal_contour* m        = d->mesh;
    int            vertices = 0, triangles = 0;
    for (int i = 0; i < m->vertex_count; i++) number[i] = is_gone[d->bodies.of[i]] ? -1 : vertices++;
    for (int t = 0; t < m->triangle_count; t++) {
        if (number[m->triangles[3 * t]] < 0) continue;
        for (int k = 0; k < 3; k++) m->triangles[3 * triangles + k] = number[m->triangles[3 * t + k]];
        triangles++;
    }
    keep_values(number, m->vertex_count, 3, &m->vertices->x);
    keep_values(number, m->vertex_count, 3, &m->normals->x);
    for (int f = 0; f < d->fields->field_count; f++)
        keep_values(number, m->vertex_count, d->fields->fields[f].components, d->fields->fields[f].data);
    for (int i = 0; i < m->vertex_count; i++)
        if (number[i] >= 0) d->bodies.of[number[i]] = d->bodies.of[i];
    m->vertex_count   = vertices;
    m->triangle_count = triangles;
}

static shoal_status sift(drops* d) {
    bool* is_gone = shoal_alloc((size_t)d->bodies.count, sizeof *is_gone);
    int*  number  = shoal_alloc((size_t)d->mesh->vertex_count, sizeof *number);
    if (is_gone && number) {
        bool any = false;
        for (int k = 0; k < d->bodies.count; k++) {
            if (area_of(d, k) > AREA_MOST) continue;
            is_gone[k]     = !is_wanted(d, k);
            d->is_small[k] = !is_gone[k] && d->bodies.all[k].volume > 0.0;
            d->small_count += d->is_small[k];
            if (d->is_small[k]) d->wanted[k] = wanted_volume(d, &d->near[0]);
            d->fraction[k] = (float)fmin(1.0, (AREA_MOST - area_of(d, k)) / (AREA_MOST - AREA_ALL));
            any |= is_gone[k];
        }
        if (any) remove_bodies(d, is_gone, number);
    }
    bool is_done = is_gone && number;
    shoal_free(is_gone);
    shoal_free(number);
    return is_done ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

// --- splitting

static int compare_keys(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static uint64_t edge_key(int a, int b) {
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static void mean_of(float* values, int components, int a, int b, int to) {
    size_t n = (size_t)components;
    for (size_t k = 0; k < n; k++)
        values[n * (size_t)to + k] = 0.5f * (values[n * (size_t)a + k] + values[n * (size_t)b + k]);
}

// Room for more vertices and triangles, and the vertices in the middle of the edges of `keys`.
static shoal_status add_vertices(drops* d, const uint64_t* keys, int edges, int triangles) {
    shoal_contour* m = d->mesh;
    size_t         v = (size_t)m->vertex_count, more = v + (size_t)edges;
    size_t         held = 3 * (size_t)m->triangle_count;
    SHOAL_TRY(shoal_realloc((void**)&m->vertices, v, more, sizeof *m->vertices));
    SHOAL_TRY(shoal_realloc((void**)&m->normals, v, more, sizeof *m->normals));
    SHOAL_TRY(shoal_realloc((void**)&d->bodies.of, v, more, sizeof *d->bodies.of));
    SHOAL_TRY(shoal_realloc((void**)&m->triangles, held, held + 9 * (size_t)triangles, sizeof *m->triangles));
    for (int f = 0; f < d->fields->field_count; f++) {
        struct shoal_surface_array* a = &d->fields->fields[f];
        SHOAL_TRY(shoal_realloc((void**)&a->data, v, more, (size_t)a->components * sizeof *a->data));
    }
    for (int e = 0; e < edges; e++) {
        int a = (int)(keys[e] >> 32), b = (int)(keys[e] & 0xffffffffu), to = m->vertex_count + e;
        mean_of(&m->vertices->x, 3, a, b, to);
        mean_of(&m->normals->x, 3, a, b, to);
        for (int f = 0; f < d->fields->field_count; f++)
            mean_of(d->fields->fields[f].data, d->fields->fields[f].components, a, b, to);
        d->bodies.of[to] = d->bodies.of[a];
    }
    return SHOAL_OK;
}

static bool is_coarse(const drops* d, int body) {
    const surface_body* b    = &d->bodies.all[body];
    double              edge = EDGE_MOST * (double)d->w->spacing, even = 0.4330127 * edge * edge;
    return d->is_small[body] && (b->triangles < SMALL_LEAST || b->area > even * b->triangles);
}

// Each triangle of the coarse ones into four; *any: whether there was one.
static shoal_status split(drops* d, bool* any) {
    shoal_contour* m     = d->mesh;
    int            count = 0, edges = 0, held = m->triangle_count;
    for (int t = 0; t < held; t++) count += is_coarse(d, d->bodies.of[m->triangles[3 * t]]);
    *any = count > 0;
    if (count == 0) return SHOAL_OK;
    if ((int64_t)held + 3 * (int64_t)count > INT32_MAX / 3) return SHOAL_OK; // fine enough
    uint64_t* keys = shoal_alloc((size_t)count, 3 * sizeof *keys);
    if (!keys) return SHOAL_ERR_MEMORY;
    for (int k = 0; k < 3 * held; k++) { // of the two directions of an edge one rises
        int a = m->triangles[k], b = m->triangles[k % 3 == 2 ? k - 2 : k + 1];
        if (a < b && is_coarse(d, d->bodies.of[a])) keys[edges++] = edge_key(a, b);
    }
    qsort(keys, (size_t)edges, sizeof *keys, compare_keys);
    shoal_status status = add_vertices(d, keys, edges, count);
    if (status == SHOAL_OK) {
        int* to = m->triangles + 3 * (size_t)held;
        for (int t = 0; t < held; t++) {
            int *c = m->triangles + 3 * (size_t)t, mid[3];
            if (!is_coarse(d, d->bodies.of[c[0]])) continue;
            for (int k = 0; k < 3; k++) {
                uint64_t        key = edge_key(c[k], c[(k + 1) % 3]);
                const uint64_t* at  = bsearch(&key, keys, (size_t)edges, sizeof *keys, compare_keys);
                mid[k]              = m->vertex_count + (int)(at - keys);
            }
            for (int k = 0; k < 3; k++, to += 3) to[0] = c[k], to[1] = mid[k], to[2] = mid[(k + 2) % 3];
            memcpy(c, mid, sizeof mid);
        }
        m->vertex_count += edges;
        m->triangle_count += 3 * count;
        surface_bodies_measure(&d->bodies, m);
    }
    shoal_free(keys);
    return status;
}

// --- laying onto the field

static shoal_status list_vertices(drops* d) {
    const shoal_contour* m = d->mesh;
    int                  n = d->bodies.count;
    d->first               = shoal_alloc((size_t)n + 2, sizeof *d->first);
    d->vertices            = shoal_alloc((size_t)m->vertex_count, sizeof *d->vertices);
    if (!d->first || !d->vertices) return SHOAL_ERR_MEMORY;
    for (int i = 0; i < m->vertex_count; i++) d->first[d->bodies.of[i] + 2] += d->is_small[d->bodies.of[i]];
    for (int k = 0; k < n; k++) d->first[k + 2] += d->first[k + 1];
    for (int i = 0; i < m->vertex_count; i++)
        if (d->is_small[d->bodies.of[i]]) d->vertices[d->first[d->bodies.of[i] + 1]++] = i;
    return SHOAL_OK;
}

// Vertices go towards the mean of those around them. `sum` is room for one per vertex.
static void smooth_positions(drops* d, shoal_v4* sum) {
    shoal_contour* m = d->mesh;
    memset(sum, 0, (size_t)m->vertex_count * sizeof *sum);
    for (int k = 0; k < 3 * m->triangle_count; k++) {
        int a = m->triangles[k], b = m->triangles[k % 3 == 2 ? k - 2 : k + 1];
        if (!d->is_small[d->bodies.of[a]]) continue;
        shoal_v3 e = shoal_v3_sub(m->vertices[b], m->vertices[a]);
        sum[a].x += e.x, sum[a].y += e.y, sum[a].z += e.z, sum[a].w += 1.0f;
    }
    for (int k = 0; k < d->first[d->bodies.count]; k++) {
        int i = d->vertices[k];
        m->vertices[i] =
            shoal_v3_add_scaled(m->vertices[i], shoal_v3_make(sum[i].x, sum[i].y, sum[i].z), EVEN_FRACTION / sum[i].w);
    }
}

// Normals of the triangles around, by their areas.
static void turn_normals(drops* d) {
    shoal_contour* m = d->mesh;
    for (int k = 0; k < d->first[d->bodies.count]; k++) m->normals[d->vertices[k]] = shoal_v3_make(0.0f, 0.0f, 0.0f);
    for (int t = 0; t < m->triangle_count; t++) {
        const int* c = m->triangles + 3 * (size_t)t;
        if (!d->is_small[d->bodies.of[c[0]]]) continue;
        shoal_v3 a = m->vertices[c[0]],
                 n = shoal_v3_cross(shoal_v3_sub(m->vertices[c[1]], a), shoal_v3_sub(m->vertices[c[2]], a));
        for (int k = 0; k < 3; k++) m->normals[c[k]] = shoal_v3_add(m->normals[c[k]], n);
    }
    for (int k = 0; k < d->first[d->bodies.count]; k++) {
        shoal_v3* n      = &m->normals[d->vertices[k]];
        float     length = shoal_v3_length(*n);
        *n               = length > 0.0f ? shoal_v3_scale(*n, 1.0f / length) : shoal_v3_make(0.0f, 1.0f, 0.0f);
    }
}

// Along the normal to where the field is zero: steps until its sign changes, then between the last
// two (regula falsi, halving the end that stays). `shift` lowers the field. A vertex that finds no
// zero goes as far as it may.
static shoal_v3 lay(const surface_work* w, const surface_near* near, const surface_near* more, float shift,
                    shoal_v3 corner, shoal_v3 at, shoal_v3 normal) {
    // m per value of the field, about right at the surface of a drop
    float scale = (w->support - w->radius) / w->field.outside, most = LAY_MOST * w->spacing;
    float exact = LAY_EXACT * w->spacing, step = LAY_STEP * w->spacing;
    float a = 0.0f, fa = scale * (surface_field_at(w, near, more, corner, at) - shift), b = a, fb = fa;
    for (int k = 0; k < LAY_STEPS && (fa < 0.0f) == (fb < 0.0f); k++) {
        if (fabsf(fb) < exact) return shoal_v3_add_scaled(at, normal, b);
        a = b, fa = fb;
        b -= fmaxf(-step, fminf(step, 1.05f * fb));
        b  = fmaxf(-most, fminf(most, b));
        fb = scale * (surface_field_at(w, near, more, corner, shoal_v3_add_scaled(at, normal, b)) - shift);
    }
    if ((fa < 0.0f) == (fb < 0.0f)) return shoal_v3_add_scaled(at, normal, b);
    float middle = b;
    for (int k = 0; k < LAY_SECANTS; k++) {
        middle   = (a * fb - b * fa) / (fb - fa);
        float fm = scale * (surface_field_at(w, near, more, corner, shoal_v3_add_scaled(at, normal, middle)) - shift);
        if (fabsf(fm) < exact) break;
        if ((fm < 0.0f) == (fb < 0.0f))
            fa *= 0.5f;
        else
            a = b, fa = fb;
        b = middle, fb = fm;
    }
    return shoal_v3_add_scaled(at, normal, middle);
}

static shoal_v3 middle_of(const surface_body* b) { return shoal_v3_scale(shoal_v3_add(b->low, b->high), 0.5f); }

static void lay_block(void* ctx, int begin, int end, int worker) {
    const drops*         d     = ctx;
    const surface_work*  w     = d->w;
    const surface_index* index = index_of(w);
    surface_near *       near = &d->near[worker], *more = d->more ? &d->more[worker] : NULL;
    float                rim = w->reach_most + LAY_MOST * w->spacing;
    for (int b = begin; b < end; b++) {
        if (d->first[b] == d->first[b + 1]) continue;
        shoal_v3 corner = find_near(d, index, b, rim, near);
        if (more) find_near(d, index_of(w->other), b, rim, more);
        float shift = surface_shift_at(w, middle_of(&d->bodies.all[b]));
        for (int k = d->first[b]; k < d->first[b + 1]; k++) {
            int i                = d->vertices[k];
            d->mesh->vertices[i] = lay(w, near, more, shift, corner, d->mesh->vertices[i], d->mesh->normals[i]);
        }
    }
}

// Scratch for what of an index lies around any of the small bodies.
static shoal_status make_near(const drops* d, const surface_index* index, surface_near** out) {
    const surface_work* w    = d->w;
    float               most = 0.0f;
    surface_near_destroy(*out, w->exec);
    *out = NULL;
    for (int k = 0; k < d->bodies.count; k++) {
        shoal_v3 e = shoal_v3_sub(d->bodies.all[k].high, d->bodies.all[k].low);
        if (area_of(d, k) <= AREA_MOST || d->is_small[k]) most = fmaxf(most, fmaxf(e.x, fmaxf(e.y, e.z)));
    }
    return surface_near_create(index, w->exec, most + 2.002f * (w->reach_most + LAY_MOST * w->spacing), out);
}

static void lay_round(drops* d) {
    turn_normals(d);
    shoal_blocks(d->w->exec, d->bodies.count, 16, lay_block, d);
}

// Volume and area of the small bodies alone.
static void measure_small(drops* d) {
    const shoal_contour* m = d->mesh;
    for (int k = 0; k < d->bodies.count; k++)
        if (d->is_small[k]) d->bodies.all[k].volume = d->bodies.all[k].area = 0.0;
    for (int t = 0; t < m->triangle_count; t++) {
        const int*    c    = m->triangles + 3 * (size_t)t;
        surface_body* body = &d->bodies.all[d->bodies.of[c[0]]];
        shoal_d3      p[3];
        if (!d->is_small[d->bodies.of[c[0]]]) continue;
        for (int k = 0; k < 3; k++) p[k] = shoal_d3_from(shoal_v3_sub(m->vertices[c[k]], body->low));
        shoal_d3 n = shoal_d3_cross(shoal_d3_sub(p[1], p[0]), shoal_d3_sub(p[2], p[0]));
        body->volume += shoal_d3_dot(p[0], n) / 6.0;
        body->area += 0.5 * shoal_d3_length(n);
    }
}

// A sliver between drops of another material has no zero of the field all around it, and laying
// would crumple it or turn it inside out: it stays as it came.
static void uncrumple(drops* d, const double* volume, const shoal_v3* start) {
    measure_small(d);
    for (int k = 0; k < d->bodies.count; k++) {
        if (!d->is_small[k] || d->bodies.all[k].volume > CRUMPLED * volume[k]) continue;
        for (int i = d->first[k]; i < d->first[k + 1]; i++) d->mesh->vertices[d->vertices[i]] = start[d->vertices[i]];
    }
}

// In rounds, and back by what of the way is not wanted.
static shoal_status lay_rounds(drops* d) {
    shoal_contour* m       = d->mesh;
    size_t         count   = (size_t)m->vertex_count;
    shoal_v3*      start   = shoal_alloc(count, sizeof *start);
    shoal_v4*      sum     = shoal_alloc(count, sizeof *sum);
    double*        volume  = shoal_alloc((size_t)d->bodies.count, sizeof *volume);
    bool           is_done = start && sum && volume;
    if (is_done) {
        memcpy(start, m->vertices, count * sizeof *start);
        for (int k = 0; k < d->bodies.count; k++) volume[k] = d->bodies.all[k].volume;
        for (int round = 0; round < EVEN_ROUNDS; round++) {
            smooth_positions(d, sum);
            lay_round(d);
        }
        for (int k = 0; k < d->first[d->bodies.count]; k++) {
            int   i        = d->vertices[k];
            float fraction = d->fraction[d->bodies.of[i]];
            if (fraction < 1.0f)
                m->vertices[i] = shoal_v3_add_scaled(start[i], shoal_v3_sub(m->vertices[i], start[i]), fraction);
        }
        uncrumple(d, volume, start);
        turn_normals(d);
    }
    shoal_free(volume);
    shoal_free(sum);
    shoal_free(start);
    return is_done ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

// Outwards along the normals, evenly, where a drop is too small for its particles, and inwards
// where it is too large: the balance of the field is that of the cut gems that marching cubes
// makes.
static void swell(drops* d) {
    shoal_contour* m    = d->mesh;
    double         most = SWELL_MOST / SWELL_ROUNDS * (double)d->w->spacing;
    for (int round = 0; round < SWELL_ROUNDS; round++) {
        measure_small(d);
        for (int k = 0; k < d->bodies.count; k++) {
            const surface_body* b       = &d->bodies.all[k];
            bool                is_more = b->volume < d->wanted[k];
            if (!d->is_small[k] || !(is_more || d->w->shift) || !(b->area > 0.0)) continue;
            double by = (double)d->fraction[k] * (d->wanted[k] - b->volume) / b->area;
            by        = fmax(-most, fmin(most, by));
            for (int i = d->first[k]; i < d->first[k + 1]; i++) {
                int v          = d->vertices[i];
                m->vertices[v] = shoal_v3_add_scaled(m->vertices[v], m->normals[v], (float)by);
            }
        }
        turn_normals(d);
    }
}

static shoal_status lay_all(drops* d) {
    SHOAL_TRY(make_near(d, &d->w->index, &d->near));
    SHOAL_TRY(sift(d));
    if (d->small_count == 0) return SHOAL_OK;
    bool any = true;
    for (int k = 0; k < d->w->params->drops && any; k++) SHOAL_TRY(split(d, &any));
    SHOAL_TRY(list_vertices(d));
    SHOAL_TRY(make_near(d, index_of(d->w), &d->near));
    if (d->w->other && d->w->other->count > 0) SHOAL_TRY(make_near(d, index_of(d->w->other), &d->more));
    SHOAL_TRY(lay_rounds(d));
    swell(d);
    return SHOAL_OK;
}

shoal_status surface_mesh_drops(const surface_work* w, shoal_contour* mesh, shoal_surface_mesh* fields) {
    if (w->params->drops == 0 || mesh->vertex_count == 0) return SHOAL_OK;
    drops        d      = {.w = w, .mesh = mesh, .fields = fields};
    shoal_status status = surface_bodies_make(&d.bodies, mesh);
    if (status == SHOAL_OK) {
        d.is_small = shoal_alloc((size_t)d.bodies.count, sizeof *d.is_small);
        d.fraction = shoal_alloc((size_t)d.bodies.count, sizeof *d.fraction);
        d.wanted   = shoal_alloc((size_t)d.bodies.count, sizeof *d.wanted);
        status     = d.is_small && d.fraction && d.wanted ? lay_all(&d) : SHOAL_ERR_MEMORY;
    }
    surface_near_destroy(d.more, w->exec);
    surface_near_destroy(d.near, w->exec);
    shoal_free(d.first);
    shoal_free(d.vertices);
    shoal_free(d.wanted);
    shoal_free(d.fraction);
    shoal_free(d.is_small);
    surface_bodies_free(&d.bodies);
    return status;
}
