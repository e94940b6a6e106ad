// SPDX-License-Identifier: MIT
// Smoothing of the field [Zhu & Bridson 2005, section 5] and of the mesh [Taubin 1995].
#include "surface/surface_local.h"

#include <string.h>

enum { RIMMED = SHOAL_SPARSE_RIMMED, VERTEX_BLOCK = 4096 };

// --- the field

typedef struct field_pass {
    const shoal_sparse* field;
    const float*        from;
    float*              to;
    float               rise; // the most a sample may rise
} field_pass;

// Of the distance from the surface to the outside value: what a sample may rise in a pass. Blobs
// that should not be are shallower than this; a drop of one particle is deeper, and lives.
#define RISE_SHARE 0.07f

// Half the sample and half the mean of its six neighbours.
static void field_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const field_pass* p = ctx;
    for (int b = begin; b < end; b++) {
        float  rimmed[RIMMED * RIMMED * RIMMED];
        float* out = p->to + (size_t)SURFACE_SAMPLES * (size_t)b;
        shoal_sparse_rimmed(p->field, p->from, b, rimmed);
        for (int z = 0; z < SURFACE_EDGE; z++)
            for (int y = 0; y < SURFACE_EDGE; y++) {
                const float* v = rimmed + ((z + 1) * RIMMED + y + 1) * RIMMED + 1;
                for (int x = 0; x < SURFACE_EDGE; x++, v++) {
                    float sum = (v[-1] + v[1]) + (v[-RIMMED] + v[RIMMED]) +
                                (v[-RIMMED * RIMMED] + v[RIMMED * RIMMED]);
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
    for (int k = 0; k < passes; k++) {
        float      rise = k < smoothing ? RISE_SHARE * w->field.outside : 0.0f;
        field_pass pass = {&w->field, w->field.values, other, rise};
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

typedef struct mesh_pass {
    const int*      first; // [vertex_count + 1] of beside
    const int*      beside;
    const shoal_v3* from;
    shoal_v3*       to;
    float           share;
} mesh_pass;

static void mesh_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const mesh_pass* p = ctx;
    for (int i = begin; i < end; i++) {
        shoal_v3 sum = shoal_v3_make(0.0f, 0.0f, 0.0f), here = p->from[i];
        int      count = p->first[i + 1] - p->first[i];
        for (int k = p->first[i]; k < p->first[i + 1]; k++)
            sum = shoal_v3_add(sum, shoal_v3_sub(p->from[p->beside[k]], here));
        p->to[i] = count > 0 ? shoal_v3_add_scaled(here, sum, p->share / (float)count) : here;
    }
}

// The mesh is closed, so the heads of the directed edges that leave a vertex are all its
// neighbours.
static void list_beside(const shoal_contour* mesh, int* first, int* beside) {
    for (int k = 0; k < 3 * mesh->triangle_count; k++)
        first[mesh->triangles[k] + 1]++;
    for (int i = 0; i < mesh->vertex_count; i++)
        first[i + 1] += first[i];
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
        shoal_v3   n = shoal_v3_cross(shoal_v3_sub(mesh->vertices[c[1]], a),
                                      shoal_v3_sub(mesh->vertices[c[2]], a));
        for (int k = 0; k < 3; k++)
            mesh->normals[c[k]] = shoal_v3_add(mesh->normals[c[k]], n);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        float length     = shoal_v3_length(mesh->normals[i]);
        mesh->normals[i] = length > 0.0f ? shoal_v3_scale(mesh->normals[i], 1.0f / length)
                                         : shoal_v3_make(0.0f, 1.0f, 0.0f);
    }
}

shoal_status surface_mesh_taubin(const surface_work* w, shoal_contour* mesh) {
    if (w->params->taubin == 0 || mesh->vertex_count == 0) return SHOAL_OK;
    int*      first  = shoal_alloc((size_t)mesh->vertex_count + 2, sizeof *first);
    int*      beside = shoal_alloc((size_t)mesh->triangle_count, 3 * sizeof *beside);
    shoal_v3* other  = shoal_alloc((size_t)mesh->vertex_count, sizeof *other);
    if (first && beside && other) {
        list_beside(mesh, first, beside);
        for (int k = 0; k < 2 * w->params->taubin; k++) {
            mesh_pass pass = {first, beside, mesh->vertices, other,
                              k % 2 == 0 ? TAUBIN_LAMBDA : TAUBIN_MU};
            shoal_blocks(w->exec, mesh->vertex_count, VERTEX_BLOCK, mesh_block, &pass);
            other          = mesh->vertices;
            mesh->vertices = pass.to;
        }
        normals_anew(mesh);
    }
    bool is_done = first && beside && other;
    shoal_free(other);
    shoal_free(beside);
    shoal_free(first);
    return is_done ? SHOAL_OK : SHOAL_ERR_MEMORY;
}
