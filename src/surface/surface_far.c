// SPDX-License-Identifier: MIT
// Particles to splats on a device.
#include "surface/surface_far.h"

#include "exec/device.h"
#include "surface/surface_far_pass.h"
#include "surface/surface_local.h"

enum { BLOCK = 1024 };

#define X(name) SHOAL_LOOP(run_##name, surface_far_view, surface_far_##name)
SURFACE_FAR_PASSES(X)
#undef X
#define X(name) run_##name,
static const shoal_loop loops[] = {SURFACE_FAR_PASSES(X)};
#undef X
#define X(name) PASS_##name,
enum { SURFACE_FAR_PASSES(X) };
#undef X

static const shoal_passes passes = {.block     = BLOCK,
                                    .loops     = {{[SHOAL_ISA_PLAIN] = loops}},
                                    .name      = "surface_far",
                                    .view_size = sizeof(surface_far_view)};

struct surface_far {
    const shoal_exec* exec;
    shoal_cells       cells;
    shoal_v3 *        from, *paint;
    float*            radius;
    shoal_v4 *        place, *sorted;
    surface_corners*  corners;
    surface_moments*  moments;
    shoal_v3*         deeper;
    surface_splat*    splats;
    int               from_capacity, paint_capacity, radius_capacity, capacity;
};

shoal_status surface_far_create(const shoal_exec* exec, surface_far** out) {
    *out = NULL;
    if (!exec->device->has(exec->device, &passes))
        return shoal_fail(SHOAL_ERR_PARAM, "device %s: its plugin does not have the passes 'surface_far' of this build",
                          exec->device->name);
    *out = shoal_alloc(1, sizeof **out);
    if (!*out) return SHOAL_ERR_MEMORY;
    (*out)->exec = exec;
    return SHOAL_OK;
}

void surface_far_destroy(surface_far* f) {
    if (!f) return;
    void* all[] = {f->from, f->paint, f->radius, f->place, f->sorted, f->corners, f->moments, f->deeper, f->splats};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) shoal_far_free(f->exec->device, all[k]);
    shoal_cells_free(&f->cells);
    shoal_free(f);
}

static void run(const surface_far* f, int pass, const surface_far_view* v) {
    shoal_pass_run(f->exec, SHOAL_ISA_PLAIN, &passes, pass, v, v->count);
}

static shoal_status sent(surface_far* f, void** far, int* capacity, const void* near, int count, size_t size) {
    shoal_device* device = f->exec->device;
    if (count > *capacity) {
        *capacity = 0;
        SHOAL_TRY(shoal_far_realloc(device, far, 0, (size_t)count + (size_t)count / 4, size));
        *capacity = count + count / 4;
    }
    device->send(device, *far, near, (size_t)count * size);
    return SHOAL_OK;
}

static shoal_status take(surface_far* f, const surface_far_particles* p, surface_far_view* v) {
    int n = (int)p->count;
    *v = (surface_far_view){.count = n, .color = p->color, .size = p->size, .fraction = p->fraction, .body = p->body};
    if (!p->far) SHOAL_TRY(sent(f, (void**)&f->from, &f->from_capacity, p->positions, n, sizeof *f->from));
    v->from = p->far ? p->far : f->from;
    if (p->radius) SHOAL_TRY(sent(f, (void**)&f->radius, &f->radius_capacity, p->radius, n, sizeof *f->radius));
    if (p->paint) SHOAL_TRY(sent(f, (void**)&f->paint, &f->paint_capacity, p->paint, n, sizeof *f->paint));
    v->radius = p->radius ? f->radius : NULL;
    v->paint  = p->paint ? f->paint : NULL;
    return SHOAL_OK;
}

shoal_status surface_far_balls(surface_far* f, const surface_far_particles* p, screen_splat* out) {
    surface_far_view v;
    if (p->count == 0) return SHOAL_OK;
    SHOAL_TRY(take(f, p, &v));
    v.out = out;
    run(f, PASS_ball, &v);
    return shoal_device_check(f->exec->device);
}

static shoal_status make_arrays(surface_far* f, int count) {
    shoal_device* device = f->exec->device;
    if (count <= f->capacity) return SHOAL_OK;
    size_t n    = (size_t)count + (size_t)count / 4;
    f->capacity = 0;
    SHOAL_TRY(shoal_far_realloc(device, (void**)&f->place, 0, n, sizeof *f->place));
    SHOAL_TRY(shoal_far_realloc(device, (void**)&f->sorted, 0, n, sizeof *f->sorted));
    SHOAL_TRY(shoal_far_realloc(device, (void**)&f->corners, 0, n, sizeof *f->corners));
    SHOAL_TRY(shoal_far_realloc(device, (void**)&f->moments, 0, n, sizeof *f->moments));
    SHOAL_TRY(shoal_far_realloc(device, (void**)&f->deeper, 0, n, sizeof *f->deeper));
    SHOAL_TRY(shoal_far_realloc(device, (void**)&f->splats, 0, n, sizeof *f->splats));
    f->capacity = (int)n;
    return SHOAL_OK;
}

shoal_status surface_far_ellipsoids(surface_far* f, const shoal_surface_params* params, double spacing,
                                    const surface_far_particles* p, screen_splat* out) {
    shoal_device*        device    = f->exec->device;
    shoal_surface_params stretched = shoal_surface_stretched(params);
    surface_work         w         = {.params = &stretched, .spacing = (float)spacing};
    surface_far_view     v;
    if (p->count == 0) return SHOAL_OK;
    w.support   = shoal_surface_support(&stretched) * w.spacing;
    float scale = surface_scale_of(&w);
    SHOAL_TRY(take(f, p, &v));
    SHOAL_TRY(make_arrays(f, v.count));
    v.shaping   = (surface_shape_job){w.spacing, w.support, stretched.stretch, stretched.neighbours};
    v.centering = stretched.centering;
    v.sharpness = 1.0f / (scale * scale);
    v.place     = f->place;
    v.sorted    = f->sorted;
    v.corners   = f->corners;
    v.moments   = f->moments;
    v.deeper    = f->deeper;
    v.splats    = f->splats;
    v.out       = out;
    run(f, PASS_place, &v);
    SHOAL_TRY(shoal_cells_frame_make(f->exec, f->place, v.count, w.support, &v.frame));
    SHOAL_TRY(shoal_cells_sort(&f->cells, f->exec, &v.frame, f->place, v.count));
    v.cells = f->cells;
    device->fetch(device, &v.cell_count, f->cells.cell_of + v.count - 1, sizeof v.cell_count);
    SHOAL_TRY(shoal_device_check(device));
    run(f, PASS_sort, &v);
    run(f, PASS_bound, &v);
    run(f, PASS_gauge, &v);
    run(f, PASS_shape, &v);
    if (v.centering > 0.0f) run(f, PASS_center, &v);
    run(f, PASS_splat, &v);
    return shoal_device_check(device);
}
