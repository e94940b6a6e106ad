// SPDX-License-Identifier: MIT
// Things into Embree, and the samples of a picture over threads. Embree builds on one thread, so
// that its trees are the same everywhere; rays are traced on ours.
#include "render/tracer.h"

#include "base/clock.h"
#include "render/optics.h"
#include "render/tracer_local.h"

#include <string.h>

enum { TILE = 16 }; // pixels along each side, one block of work

static shoal_status embree_failed(RTCDevice device) {
    enum RTCError error = rtcGetDeviceError(device);
    return shoal_fail(error == RTC_ERROR_OUT_OF_MEMORY ? SHOAL_ERR_MEMORY : SHOAL_ERR_INTERNAL,
                      "Embree, the ray tracer, failed with error %d", (int)error);
}

shoal_status render_tracer_create(double shutter, double size, render_tracer** out) {
    *out             = NULL;
    render_tracer* t = shoal_alloc(1, sizeof *t);
    if (!t) return SHOAL_ERR_MEMORY;
    t->clear   = shoal_box_empty();
    t->ground  = -1;
    t->shutter = (float)shutter;
    t->nudge   = (float)(1e-6 * size);
    t->device  = rtcNewDevice("threads=1,set_affinity=0");
    t->scene   = t->device ? rtcNewScene(t->device) : NULL;
    if (!t->scene) {
        shoal_status status = embree_failed(t->device);
        render_tracer_destroy(t);
        return status;
    }
    rtcSetSceneFlags(t->scene, RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
    *out = t;
    return SHOAL_OK;
}

void render_tracer_destroy(render_tracer* t) {
    if (!t) return;
    if (t->scene) rtcReleaseScene(t->scene);
    if (t->device) rtcReleaseDevice(t->device);
    shoal_free(t);
}

shoal_status render_tracer_appearance(render_tracer* t, const render_appearance* appearance, int* index) {
    if (t->appearance_count == RENDER_APPEARANCES_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "more than %d looks in one picture", RENDER_APPEARANCES_MOST);
    *index                                = t->appearance_count;
    t->appearances[t->appearance_count++] = *appearance;
    return SHOAL_OK;
}

// Places of `floats` numbers each, at the opening and the closing of the shutter.
static bool set_places(render_tracer* t, RTCGeometry geometry, const float* places, int floats,
                       const shoal_v3* velocities, int count) {
    enum RTCFormat format = floats == 4 ? RTC_FORMAT_FLOAT4 : RTC_FORMAT_FLOAT3;
    int            steps  = velocities && t->shutter > 0.0f ? 2 : 1;
    rtcSetGeometryTimeStepCount(geometry, (unsigned)steps);
    for (int step = 0; step < steps; step++) {
        size_t stride = (size_t)floats * sizeof(float);
        float* to =
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, (unsigned)step, format, stride, (size_t)count);
        if (!to) return false;
        memcpy(to, places, stride * (size_t)count);
        for (int i = 0; step == 1 && i < count; i++)
            for (int k = 0; k < 3; k++) to[i * floats + k] += t->shutter * shoal_v3_axis(velocities[i], k);
    }
    return true;
}

static shoal_status attach(render_tracer* t, RTCGeometry geometry, render_geometry own) {
    rtcCommitGeometry(geometry);
    unsigned id = rtcAttachGeometry(t->scene, geometry);
    rtcReleaseGeometry(geometry);
    if (id >= RENDER_GEOMETRIES_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "more than %d things in one picture", RENDER_GEOMETRIES_MOST);
    t->geometries[id] = own;
    return rtcGetDeviceError(t->device) == RTC_ERROR_NONE ? SHOAL_OK
                                                          : shoal_fail(SHOAL_ERR_MEMORY, "no memory to trace rays in");
}

static void widen_clear(render_tracer* t, const render_mesh* mesh) {
    for (int i = 0; i < mesh->vertex_count; i++) {
        shoal_v3 at = mesh->vertices[i];
        t->clear    = shoal_box_with(t->clear, shoal_d3_from(at));
        if (!mesh->velocities) continue;
        at       = shoal_v3_add_scaled(at, mesh->velocities[i], t->shutter);
        t->clear = shoal_box_with(t->clear, shoal_d3_from(at));
    }
}

shoal_status render_tracer_mesh(render_tracer* t, const render_mesh* mesh) {
    if (mesh->triangle_count == 0) return SHOAL_OK;
    if (t->appearances[mesh->appearance].kind == RENDER_DIELECTRIC) widen_clear(t, mesh);
    RTCGeometry geometry = rtcNewGeometry(t->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!geometry) return embree_failed(t->device);
    bool   is_right = set_places(t, geometry, &mesh->vertices->x, 3, mesh->velocities, mesh->vertex_count);
    size_t corner   = 3 * sizeof(unsigned);
    void*  to       = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, corner,
                                              (size_t)mesh->triangle_count);
    if (!is_right || !to) {
        rtcReleaseGeometry(geometry);
        return embree_failed(t->device);
    }
    memcpy(to, mesh->triangles, corner * (size_t)mesh->triangle_count);
    return attach(t, geometry, (render_geometry){.appearance = mesh->appearance, .mesh = *mesh});
}

shoal_status render_tracer_balls(render_tracer* t, const render_balls* balls) {
    if (balls->count == 0) return SHOAL_OK;
    RTCGeometry geometry = rtcNewGeometry(t->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    if (!geometry) return embree_failed(t->device);
    if (!set_places(t, geometry, &balls->places->x, 4, balls->velocities, balls->count)) {
        rtcReleaseGeometry(geometry);
        return embree_failed(t->device);
    }
    return attach(t, geometry, (render_geometry){.is_balls = true, .appearance = balls->appearance, .balls = *balls});
}

void render_tracer_ground(render_tracer* t, int appearance, double y, double half) {
    t->ground      = appearance;
    t->ground_y    = (float)y;
    t->ground_half = (float)half;
}

shoal_status render_tracer_pane(render_tracer* t, int appearance, const shoal_v3 corners[4]) {
    shoal_v3 along = shoal_v3_sub(corners[1], corners[0]), up = shoal_v3_sub(corners[3], corners[0]);
    if (t->pane_count == RENDER_PANES_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "more than %d panes in one picture", RENDER_PANES_MOST);
    t->panes[t->pane_count++] = (render_pane){.corner     = corners[0],
                                              .along      = render_unit_of(along),
                                              .up         = render_unit_of(up),
                                              .normal     = render_unit_of(shoal_v3_cross(along, up)),
                                              .length     = shoal_v3_length(along),
                                              .height     = shoal_v3_length(up),
                                              .appearance = appearance};
    return SHOAL_OK;
}

// A little wider than they are, against rounding. Those of nothing become no numbers, which every
// ray may meet.
static void find_bounds(render_tracer* t) {
    struct RTCBounds b;
    rtcGetSceneBounds(t->scene, &b);
    float edge = fmaxf(b.upper_x - b.lower_x, fmaxf(b.upper_y - b.lower_y, b.upper_z - b.lower_z));
    float most = fmaxf(fmaxf(fabsf(b.lower_x), fabsf(b.upper_x)),
                       fmaxf(fmaxf(fabsf(b.lower_y), fabsf(b.upper_y)), fmaxf(fabsf(b.lower_z), fabsf(b.upper_z))));
    float more = 1e-5f * (edge + most);
    t->low     = shoal_v3_make(b.lower_x - more, b.lower_y - more, b.lower_z - more);
    t->high    = shoal_v3_make(b.upper_x + more, b.upper_y + more, b.upper_z + more);
}

shoal_status render_tracer_commit(render_tracer* t) {
    rtcCommitScene(t->scene);
    find_bounds(t);
    return rtcGetDeviceError(t->device) == RTC_ERROR_NONE ? SHOAL_OK
                                                          : shoal_fail(SHOAL_ERR_MEMORY, "no memory to trace rays in");
}

// --- samples

typedef struct tiles {
    const render_tracer* tracer;
    const render_job*    job;
    int                  across; // tiles in a row
    int                  first;  // of this call
} tiles;

// A tent of two pixels' width: edges are smooth, and nothing rings.
static float tent(float u) { return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u); }

static void take_sample(const tiles* w, int x, int y, int sample, render_sum* to) {
    const render_job*    job     = w->job;
    const render_camera* c       = job->camera;
    render_sampler       sampler = render_sampler_make(job->seed, y * job->width + x, sample);
    float                u, v, a = 0.0f, b = 0.0f, time = 0.0f;
    render_sample2(&sampler, &u, &v);
    float px = ((float)x + 0.5f + tent(u)) / (float)job->width * 2.0f - 1.0f;
    float py = 1.0f - ((float)y + 0.5f + tent(v)) / (float)job->height * 2.0f;
    if (job->has_motion) time = render_sample1(&sampler);
    shoal_v3 way = shoal_v3_add_scaled(shoal_v3_add_scaled(c->forward, c->right, px * c->across), c->up, py * c->along);
    shoal_v3 from = c->eye;
    if (c->lens > 0.0f) {
        render_sample2(&sampler, &u, &v);
        render_disc(u, v, &a, &b);
        shoal_v3 aside = shoal_v3_add_scaled(shoal_v3_scale(c->right, a * c->lens), c->up, b * c->lens);
        from           = shoal_v3_add(from, aside);
        way            = shoal_v3_sub(shoal_v3_scale(way, c->focus), aside);
    }
    render_sum met   = {0};
    shoal_v3   light = render_path(w->tracer, job, from, render_unit_of(way), time, &sampler, &met);
    to->count += 1.0f;
    if (!isfinite(render_luminance(light))) return;
    to->albedo = shoal_v3_add(to->albedo, met.albedo);
    to->normal = shoal_v3_add(to->normal, met.normal);
    to->depth += met.depth;
    to->light = shoal_v3_add(to->light, light);
}

static int half_of(const render_job* job, int sample) {
    int count = job->last - job->first;
    return count > 1 ? 2 * (sample - job->first) >= count : sample & 1;
}

static void tile_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const tiles*      w   = ctx;
    const render_job* job = w->job;
    for (int k = w->first + begin; k < w->first + end; k++) {
        int left = k % w->across * TILE, top = k / w->across * TILE;
        for (int y = top; y < top + TILE && y < job->height; y++)
            for (int x = left; x < left + TILE && x < job->width; x++) {
                render_pixel* to = &job->pixels[(size_t)y * (size_t)job->width + (size_t)x];
                for (int s = job->first; s < job->last; s++) take_sample(w, x, y, s, &to->half[half_of(job, s)]);
            }
    }
}

shoal_status render_tracer_run(const render_tracer* t, const render_job* job) {
    tiles  w     = {t, job, (job->width + TILE - 1) / TILE, 0};
    int    count = w.across * ((job->height + TILE - 1) / TILE), step = 4;
    double begun = shoal_seconds();
    // the caller is asked between handfuls of tiles; how many there are in one changes no pixel
    for (int done = 0; done < count;) {
        w.first   = done;
        int these = step < count - done ? step : count - done;
        shoal_blocks(job->exec, these, 1, tile_block, &w);
        done += these;
        double spent = shoal_seconds() - begun, each = spent / done;
        step = (int)fmin(4096.0, fmax(4.0, 0.4 / fmax(each, 1e-6)));
        if (job->go_on && !job->go_on((double)done / count, job->user))
            return shoal_fail(SHOAL_ERR_INTERRUPTED, "interrupted");
    }
    return SHOAL_OK;
}

shoal_v3 render_tracer_radiance(const render_tracer* t, const render_job* job, shoal_v3 from, shoal_v3 way, int pixel,
                                int sample) {
    render_sum     met     = {0};
    render_sampler sampler = render_sampler_make(job->seed, pixel, sample);
    return render_path(t, job, from, way, 0.0f, &sampler, &met);
}
