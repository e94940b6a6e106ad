// SPDX-License-Identifier: MIT
// What is cut out of a solid by several shapes together. The distance to the solid is that to the surface of the shape
// which one is deepest in; where two of them meet that surface is covered by the other, and nothing is there: without
// more, a funnel cut by a cone and a cylinder has a floor at their seam, in free air. The closed form is never more
// than the true distance, so the larger of it and of samples of the true one, lowered by what samples may be wrong by,
// is right where the closed form is, and off by half a cell and a twentieth elsewhere. On which side of the surface a
// place is the closed form says alone.
#include "geom/shape_local.h"
#include "geom/shape_surface.h"

#include "base/memory.h"

static const double lowered_by = 0.5, fraction_lost = 0.05; // cells; of the distance

static int pieces_of(const shoal_shape* s) {
    if (s->kind == SHOAL_SHAPE_PLACED) return pieces_of(s->placed.child);
    return s->kind == SHOAL_SHAPE_COMBINED && s->combined.how == SHOAL_UNION ? s->combined.count : 1;
}

static bool has_seams(const combination* c) {
    for (int i = 1; i < c->count; i++) {
        if (pieces_of(c->children[i]) > 1) return true;
        for (int j = 1; j < i; j++)
            if (shoal_box_meets(c->children[i]->bounds, c->children[j]->bounds)) return true;
    }
    return false;
}

static shoal_status sampled(const shoal_shape* shape, double cell, double most, int threads, shoal_shape** out) {
    shoal_contour surface;
    shoal_mesh*   mesh  = NULL;
    shoal_exec    exec  = shoal_exec_make(threads);
    shoal_d3      size  = shoal_d3_sub(shape->bounds.max, shape->bounds.min);
    cell                = fmax(cell, cbrt(size.x * size.y * size.z / most));
    shoal_status status = shoal_shape_surface(shape, shape->bounds, cell, &exec, &surface);
    *out                = NULL;
    if (status == SHOAL_OK && surface.triangle_count > 0)
        status = shoal_mesh_create(&surface.vertices->x, surface.vertex_count, surface.triangles,
                                   surface.triangle_count, &mesh);
    if (status == SHOAL_OK && mesh) status = shoal_shape_mesh(mesh, cell, threads, out);
    shoal_contour_free(&surface);
    shoal_mesh_destroy(mesh);
    if (status != SHOAL_OK || !*out) return status;
    shoal_sdf* f = (*out)->sdf;
    for (size_t k = 0; k < (size_t)f->nx * (size_t)f->ny * (size_t)f->nz; k++)
        f->values[k] = (float)(((double)f->values[k] > 0.0 ? 1.0 - fraction_lost : 1.0) * (double)f->values[k] -
                               lowered_by * f->cell);
    return SHOAL_OK;
}

shoal_status shoal_shape_cleared(shoal_shape* shape, double cell, double most, int threads, shoal_shape** out) {
    const double far     = 1e29;
    shoal_shape* both[2] = {shape, NULL};
    *out                 = shape;
    if (!(most > 0.0) || shape->kind != SHOAL_SHAPE_COMBINED || shape->combined.how != SHOAL_SUBTRACT ||
        !has_seams(&shape->combined) || shape->bounds.min.x < -far || shape->bounds.min.y < -far ||
        shape->bounds.min.z < -far || shape->bounds.max.x > far || shape->bounds.max.y > far ||
        shape->bounds.max.z > far)
        return SHOAL_OK;
    shoal_status status = sampled(shape, cell, most, threads, &both[1]);
    if (status == SHOAL_OK && both[1]) return shoal_shape_combined(SHOAL_CLEARED, both, 2, out);
    if (status != SHOAL_OK) shoal_shape_destroy(shape);
    return status;
}
