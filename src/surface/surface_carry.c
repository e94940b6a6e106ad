// SPDX-License-Identifier: MIT
// Fields of the particles at the vertices: means weighted by (1 - s^2)^3 within the support.
#include "surface/surface_local.h"

#include <stdio.h>

typedef struct carry_job {
    const surface_work*  w;
    const shoal_contour* mesh;
    shoal_surface_mesh*  out;
    surface_near*        near; // of each worker
} carry_job;

// Of a vertex without a particle in its support: the one nearest to it counts alone.
static int nearest_alone(surface_near* near, float x, float y, float z) {
    float best  = 1e30f;
    int   found = 0;
    for (int i = 0; i < near->count; i++) {
        float dx = near->x[i] - x, dy = near->y[i] - y, dz = near->z[i] - z, q = dx * dx + dy * dy + dz * dz;
        if (!(q < best)) continue;
        best            = q;
        near->hit[0]    = near->item[i];
        near->weight[0] = 1.0f;
        found           = 1;
    }
    return found;
}

static void carry_vertex(const carry_job* c, const surface_near* near, int hits, int vertex) {
    const surface_work* w     = c->w;
    float               total = 0.0f;
    for (int k = 0; k < hits; k++) total += near->weight[k];
    float fraction = total > 0.0f ? 1.0f / total : 0.0f;
    for (int f = 0; f < c->out->field_count; f++) {
        int          n      = c->out->fields[f].components;
        const float* from   = w->particles->fields[f].data;
        float*       to     = c->out->fields[f].data + (size_t)n * (size_t)vertex;
        float        sum[3] = {0.0f, 0.0f, 0.0f};
        for (int k = 0; k < hits; k++) {
            const float* v = from + (size_t)n * (size_t)w->index.cells.order[near->hit[k]];
            for (int i = 0; i < n; i++) sum[i] += near->weight[k] * v[i];
        }
        for (int i = 0; i < n; i++) to[i] = fraction * sum[i];
    }
}

static void carry_block(void* ctx, int begin, int end, int worker) {
    carry_job*          c    = ctx;
    const surface_work* w    = c->w;
    surface_near*       near = &c->near[worker];
    float               edge = SURFACE_EDGE * w->cell, reach = w->support;
    for (int b = begin; b < end; b++) {
        if (c->mesh->first[b] == c->mesh->first[b + 1]) continue;
        shoal_v3 corner = shoal_v3_from(shoal_sparse_corner(&w->field, b));
        shoal_v3 low    = shoal_v3_make(corner.x - reach, corner.y - reach, corner.z - reach);
        shoal_v3 high   = shoal_v3_make(corner.x + edge + reach, corner.y + edge + reach, corner.z + edge + reach);
        surface_near_find(near, w->loops, &w->index, low, high, corner, 1.0f / w->support);
        for (int v = c->mesh->first[b]; v < c->mesh->first[b + 1]; v++) {
            shoal_v3 p    = shoal_v3_scale(shoal_v3_sub(c->mesh->vertices[v], corner), 1.0f / w->support);
            int      hits = w->loops->weigh(near, p.x, p.y, p.z);
            if (hits == 0) hits = nearest_alone(near, p.x, p.y, p.z);
            carry_vertex(c, near, hits, v);
        }
    }
}

shoal_status surface_carry(const surface_work* w, const shoal_contour* mesh, shoal_surface_mesh* out) {
    for (int f = 0; f < w->particles->field_count; f++) {
        const shoal_surface_field* from = &w->particles->fields[f];
        snprintf(out->fields[f].name, sizeof out->fields[f].name, "%s", from->name);
        out->fields[f].components = from->components;
        out->fields[f].data       = shoal_alloc((size_t)mesh->vertex_count, (size_t)from->components * sizeof(float));
        if (!out->fields[f].data) return SHOAL_ERR_MEMORY;
        out->field_count++;
    }
    if (out->field_count == 0 || mesh->vertex_count == 0) return SHOAL_OK;
    carry_job c = {w, mesh, out, NULL};
    SHOAL_TRY(surface_near_create(&w->index, w->exec, SURFACE_EDGE * w->cell + 2.0f * w->support, &c.near));
    shoal_blocks(w->exec, w->field.block_count, 4, carry_block, &c);
    surface_near_destroy(c.near, w->exec);
    return SHOAL_OK;
}
