// SPDX-License-Identifier: MIT
// Smoothing of the field [Zhu & Bridson 2005, section 5], of calm water, and of the mesh [Taubin
// 1995].
#include "surface/surface_local.h"

#include <math.h>
#include <string.h>

enum { RIMMED = SHOAL_SPARSE_RIMMED, VERTEX_BLOCK = 4096 };

// --- the field

typedef struct field_pass {
    const shoal_sparse* field;
    const float*        from;
    float*              to;
    float               rise; // the most a sample may rise
    const uint8_t*      is_spray;
} field_pass;

// Half the sample and half the mean of its six neighbours.
static void field_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const field_pass* p = ctx;
    for (int b = begin; b < end; b++) {
        float  rimmed[RIMMED * RIMMED * RIMMED];
        float* out = p->to + (size_t)SURFACE_SAMPLES * (size_t)b;
        if (p->is_spray[b]) {
            memcpy(out, p->from + (size_t)SURFACE_SAMPLES * (size_t)b, SURFACE_SAMPLES * sizeof *out);
            continue;
        }
        shoal_sparse_rimmed(p->field, p->from, b, rimmed);
        for (int z = 0; z < SURFACE_EDGE; z++)
            for (int y = 0; y < SURFACE_EDGE; y++) {
                const float* v = rimmed + ((z + 1) * RIMMED + y + 1) * RIMMED + 1;
                for (int x = 0; x < SURFACE_EDGE; x++, v++) {
                    float sum  = (v[-1] + v[1]) + (v[-RIMMED] + v[RIMMED]) + (v[-RIMMED * RIMMED] + v[RIMMED * RIMMED]);
                    float mean = 0.5f * v[0] + sum * (1.0f / 12.0f);
                    float most = v[0] + p->rise;
                    *out++     = mean < most ? mean : most;
                }
            }
    }
}

shoal_status surface_field_smooth(surface_work* w) {
    int  smoothing = w->params->method == SHOAL_SURFACE_BLOBBY ? 0 : w->params->smoothing;
    bool is_filled = w->params->method == SHOAL_SURFACE_ZHU_BRIDSON;
    int  passes    = smoothing + (is_filled ? w->params->filling : 0);
    if (passes == 0) return SHOAL_OK;
    float* other = shoal_alloc((size_t)w->field.block_count, SURFACE_SAMPLES * sizeof *other);
    if (!other) return SHOAL_ERR_MEMORY;
    // in values of the field, which goes from zero to its outside over the rest of the support
    float most = w->params->rise * w->spacing / (w->support - w->radius) * w->field.outside;
    for (int k = 0; k < passes; k++) {
        float      rise = k < smoothing ? most : 0.0f;
        field_pass pass = {&w->field, w->field.values, other, rise, w->is_spray};
        shoal_blocks(w->exec, w->field.block_count, 8, field_block, &pass);
        other           = w->field.values;
        w->field.values = pass.to;
    }
    shoal_free(other);
    return SHOAL_OK;
}

// --- the mesh

// A pass band of 0.1: lambda = 0.5 and 1/lambda + 1/mu = 0.1.
#define TAUBIN_LAMBDA 0.5f
#define TAUBIN_MU (-0.5263158f)
// On a ball of N even vertices the shape itself, l = 1, has the frequency 7.25 / N and l = 2 three
// times that: bodies of fewer triangles than this, N = 256, have theirs above the pass band. They
// stay.
enum { TAUBIN_LEAST = 512 };

typedef struct mesh_pass {
    const int*      first; // [vertex_count + 1] of beside
    const int*      beside;
    const shoal_v3* from;
    shoal_v3*       to;
    float           fraction;

    const surface_bodies* bodies; // those of few triangles stay; NULL: none does
} mesh_pass;

static void mesh_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const mesh_pass* p = ctx;
    for (int i = begin; i < end; i++) {
        shoal_v3 sum = shoal_v3_make(0.0f, 0.0f, 0.0f), here = p->from[i];
        int      count = p->first[i + 1] - p->first[i];
        if (p->bodies && p->bodies->all[p->bodies->of[i]].triangles < TAUBIN_LEAST) count = 0;
        for (int k = p->first[i]; k < p->first[i + 1]; k++)
            sum = shoal_v3_add(sum, shoal_v3_sub(p->from[p->beside[k]], here));
        p->to[i] = count > 0 ? shoal_v3_add_scaled(here, sum, p->fraction / (float)count) : here;
    }
}

// The mesh is closed, so the heads of the directed edges that leave a vertex are all its
// neighbours.
static void list_beside(const shoal_contour* mesh, int* first, int* beside) {
    for (int k = 0; k < 3 * mesh->triangle_count; k++) first[mesh->triangles[k] + 1]++;
    for (int i = 0; i < mesh->vertex_count; i++) first[i + 1] += first[i];
    for (int k = 0; k < 3 * mesh->triangle_count; k++) {
        int next                            = k % 3 == 2 ? k - 2 : k + 1;
        beside[first[mesh->triangles[k]]++] = mesh->triangles[next];
    }
    memmove(first + 1, first,
            (size_t)mesh->vertex_count * sizeof *first); // each stands at the end of its list now
    first[0] = 0;
}

static void normals_anew(shoal_contour* mesh) {
    memset(mesh->normals, 0, (size_t)mesh->vertex_count * sizeof *mesh->normals);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* c = mesh->triangles + 3 * (size_t)t;
        shoal_v3   a = mesh->vertices[c[0]];
        shoal_v3   n = shoal_v3_cross(shoal_v3_sub(mesh->vertices[c[1]], a), shoal_v3_sub(mesh->vertices[c[2]], a));
        for (int k = 0; k < 3; k++) mesh->normals[c[k]] = shoal_v3_add(mesh->normals[c[k]], n);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        float length = shoal_v3_length(mesh->normals[i]);
        mesh->normals[i] =
            length > 0.0f ? shoal_v3_scale(mesh->normals[i], 1.0f / length) : shoal_v3_make(0.0f, 1.0f, 0.0f);
    }
}

// Each body about its centre to the volume it had. The pass band is that of large meshes: on one of
// a few triangles its whole shape is a high frequency, and would be smoothed away.
static void keep_volumes(surface_bodies* bodies, const double* volume, shoal_contour* mesh) {
    surface_bodies_measure(bodies, mesh);
    for (int i = 0; i < mesh->vertex_count; i++) {
        const surface_body* b     = &bodies->all[bodies->of[i]];
        double              ratio = volume[bodies->of[i]] / b->volume;
        if (b->triangles < TAUBIN_LEAST || !(ratio > 0.5 && ratio < 2.0)) continue;
        shoal_d3 centre   = shoal_d3_add(shoal_d3_from(b->low), shoal_d3_scale(b->moment, 1.0 / b->volume));
        shoal_d3 e        = shoal_d3_sub(shoal_d3_from(mesh->vertices[i]), centre);
        mesh->vertices[i] = shoal_v3_from(shoal_d3_add(centre, shoal_d3_scale(e, cbrt(ratio))));
    }
}

static shoal_status taubin(const surface_work* w, shoal_contour* mesh, surface_bodies* bodies) {
    int*      first   = shoal_alloc((size_t)mesh->vertex_count + 2, sizeof *first);
    int*      beside  = shoal_alloc((size_t)mesh->triangle_count, 3 * sizeof *beside);
    shoal_v3* other   = shoal_alloc((size_t)mesh->vertex_count, sizeof *other);
    double*   volume  = shoal_alloc((size_t)bodies->count, sizeof *volume);
    bool      is_done = first && beside && other && volume;
    if (is_done) {
        for (int k = 0; k < bodies->count; k++) volume[k] = bodies->all[k].volume;
        list_beside(mesh, first, beside);
        for (int k = 0; k < 2 * w->params->taubin; k++) {
            mesh_pass pass = {first, beside, mesh->vertices, other, k % 2 == 0 ? TAUBIN_LAMBDA : TAUBIN_MU, bodies};
            shoal_blocks(w->exec, mesh->vertex_count, VERTEX_BLOCK, mesh_block, &pass);
            other          = mesh->vertices;
            mesh->vertices = pass.to;
            if (k % 2 == 1) keep_volumes(bodies, volume, mesh);
        }
        normals_anew(mesh);
    }
    shoal_free(volume);
    shoal_free(other);
    shoal_free(beside);
    shoal_free(first);
    return is_done ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

shoal_status surface_mesh_taubin(const surface_work* w, shoal_contour* mesh) {
    if (w->params->taubin == 0 || mesh->vertex_count == 0) return SHOAL_OK;
    surface_bodies bodies;
    shoal_status   status = surface_bodies_make(&bodies, mesh);
    if (status == SHOAL_OK) status = taubin(w, mesh, &bodies);
    surface_bodies_free(&bodies);
    return status;
}

// --- calm water
//
// Water at rest shows a dimple between any two particles, which the passes over the field, half a
// spacing wide, do not reach, and wider ones would eat sheets and drops. Vertices are drawn to the
// mean of those around them until all within `calm` spacings count, beyond one spacing less where the surface turns,
// and moved along their normals by what that is less its own mean, so that what is round stays as large as it is. What
// moves far is no dimple but a rim, a sheet or a drop, and stays.

#define CALM_FRACTION 0.85f
#define CALM_PASSES 4.0 // for calm = cell, edges being about 0.7 cells long
enum { CALM_PASSES_MOST = 100 };
// Spacings for calm = 1 and less, more for wider dimples: they are at most so deep, and what is twice that is none.
#define CALM_DEEP 0.15f

typedef struct calm_job {
    const int*      first; // as in mesh_pass
    const int*      beside;
    float*          like; // [as beside] how much a vertex beside counts, over the sum of all
    float           wide; // 0: dimples of a spacing and less, all vertices count alike; 1: of two and more
    const shoal_v3* start;
    shoal_v3*       even;   // vertices after the passes
    float*          way[2]; // along the normals, and room
    shoal_contour*  mesh;
    float           deep;
    int             from; // which of `way`
} calm_job;

// cos^8 of the angle between normals: 0.9 in a dimple, 0.3 and less on a rim.
static float likeness(shoal_v3 a, shoal_v3 b) {
    float c = fmaxf(shoal_v3_dot(a, b), 0.0f), c2 = c * c, c4 = c2 * c2;
    return c4 * c4;
}

static void like_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const calm_job* c      = ctx;
    const shoal_v3* normal = c->mesh->normals;
    for (int i = begin; i < end; i++) {
        float sum = 0.0f;
        for (int k = c->first[i]; k < c->first[i + 1]; k++) {
            c->like[k] = 1.0f - c->wide * (1.0f - likeness(normal[i], normal[c->beside[k]]));
            sum += c->like[k];
        }
        for (int k = c->first[i]; k < c->first[i + 1]; k++) c->like[k] /= fmaxf(sum, 1.0f); // without one it stays
    }
}

typedef struct calm_pass {
    const calm_job* calm_job;
    const shoal_v3* from;
    shoal_v3*       to;
} calm_pass;

static void even_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const calm_pass* p = ctx;
    const calm_job*  c = p->calm_job;
    for (int i = begin; i < end; i++) {
        shoal_v3 sum = shoal_v3_make(0.0f, 0.0f, 0.0f);
        for (int k = c->first[i]; k < c->first[i + 1]; k++)
            sum = shoal_v3_add_scaled(sum, shoal_v3_sub(p->from[c->beside[k]], p->from[i]), c->like[k]);
        p->to[i] = shoal_v3_add_scaled(p->from[i], sum, CALM_FRACTION);
    }
}

static void way_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const calm_job* c = ctx;
    for (int i = begin; i < end; i++) {
        float way    = shoal_v3_dot(shoal_v3_sub(c->even[i], c->start[i]), c->mesh->normals[i]);
        float most   = 2.0f * c->deep;
        c->way[0][i] = way > most ? most : way < -most ? -most : way;
    }
}

static void mean_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const calm_job* c    = ctx;
    const float*    from = c->way[c->from];
    for (int i = begin; i < end; i++) {
        float sum = 0.0f;
        for (int k = c->first[i]; k < c->first[i + 1]; k++) sum += c->like[k] * (from[c->beside[k]] - from[i]);
        c->way[1 - c->from][i] = from[i] + CALM_FRACTION * sum;
    }
}

// How much of a vertex's way is gone; none where those around it all go the same way, as at a rim.
static float calm_fraction(const calm_job* c, int i) {
    float way  = fabsf(shoal_v3_dot(shoal_v3_sub(c->even[i], c->start[i]), c->mesh->normals[i]));
    float mean = 2.0f * fabsf(c->way[c->from][i]);
    float t    = 2.0f - (way > mean ? way : mean) / c->deep;
    return t > 1.0f ? 1.0f : t < 0.0f ? 0.0f : t;
}

static void calm_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const calm_job* c = ctx;
    for (int i = begin; i < end; i++) {
        shoal_v3 way         = shoal_v3_sub(c->even[i], c->start[i]);
        way                  = shoal_v3_add_scaled(way, c->mesh->normals[i], -c->way[c->from][i]);
        c->mesh->vertices[i] = shoal_v3_add_scaled(c->start[i], way, calm_fraction(c, i));
    }
}

// Those of the mesh where it was evened out, of the field elsewhere.
static void turn_calm(const calm_job* c, shoal_v3* fields) {
    shoal_contour* m        = c->mesh;
    float*         fraction = c->way[1 - c->from];
    for (int i = 0; i < m->vertex_count; i++) fraction[i] = calm_fraction(c, i);
    memcpy(fields, m->normals, (size_t)m->vertex_count * sizeof *fields);
    normals_anew(m);
    for (int i = 0; i < m->vertex_count; i++) {
        shoal_v3 turn   = shoal_v3_sub(m->normals[i], fields[i]);
        shoal_v3 n      = shoal_v3_add_scaled(fields[i], turn, fraction[i]);
        float    length = shoal_v3_length(n);
        m->normals[i]   = length > 0.0f ? shoal_v3_scale(n, 1.0f / length) : fields[i];
    }
}

static void smooth_positions(const surface_work* w, calm_job* c, int* first, int* beside, shoal_v3* scratch) {
    shoal_contour* m      = c->mesh;
    double         ratio  = (double)w->params->calm / (double)w->params->cell;
    int            passes = (int)fmin(CALM_PASSES_MOST, ceil(CALM_PASSES * ratio * ratio));
    list_beside(m, first, beside);
    shoal_blocks(w->exec, m->vertex_count, VERTEX_BLOCK, like_block, c);
    memcpy(scratch, m->vertices, (size_t)m->vertex_count * sizeof *scratch);
    c->start           = scratch;
    shoal_v3* vertices = m->vertices;
    for (int k = 0; k < passes; k++) {
        const shoal_v3* from = k == 0 ? scratch : k % 2 ? c->even : vertices;
        calm_pass       pass = {c, from, k % 2 ? vertices : c->even};
        shoal_blocks(w->exec, m->vertex_count, VERTEX_BLOCK, even_block, &pass);
    }
    if (passes % 2 == 0) memcpy(c->even, vertices, (size_t)m->vertex_count * sizeof *c->even);
    shoal_blocks(w->exec, m->vertex_count, VERTEX_BLOCK, way_block, c);
    for (int k = 0; k < passes; k++, c->from = 1 - c->from)
        shoal_blocks(w->exec, m->vertex_count, VERTEX_BLOCK, mean_block, c);
    shoal_blocks(w->exec, m->vertex_count, VERTEX_BLOCK, calm_block, c);
}

shoal_status surface_mesh_calm(const surface_work* w, shoal_contour* mesh) {
    size_t count = (size_t)mesh->vertex_count;
    if (w->params->method != SHOAL_SURFACE_ZHU_BRIDSON || !(w->params->calm > 0.0f) || count == 0) return SHOAL_OK;
    int*      first   = shoal_alloc(count + 2, sizeof *first);
    int*      beside  = shoal_alloc((size_t)mesh->triangle_count, 3 * sizeof *beside);
    shoal_v3* scratch = shoal_alloc(2 * count, sizeof *scratch);
    calm_job  c       = {.first  = first,
                         .beside = beside,
                         .like   = shoal_alloc((size_t)mesh->triangle_count, 3 * sizeof *c.like),
                         .wide   = fminf(fmaxf(w->params->calm - 1.0f, 0.0f), 1.0f),
                         .mesh   = mesh,
                         .deep   = CALM_DEEP * fmaxf(1.0f, w->params->calm) * w->spacing,
                         .way    = {shoal_alloc(count, sizeof(float)), shoal_alloc(count, sizeof(float))}};
    bool      is_done = first && beside && scratch && c.like && c.way[0] && c.way[1];
    if (is_done) {
        c.even = scratch + count;
        smooth_positions(w, &c, first, beside, scratch);
        turn_calm(&c, c.even);
    }
    shoal_free(c.way[1]);
    shoal_free(c.way[0]);
    shoal_free(c.like);
    shoal_free(scratch);
    shoal_free(beside);
    shoal_free(first);
    return is_done ? SHOAL_OK : SHOAL_ERR_MEMORY;
}
