// SPDX-License-Identifier: MIT
// What this program does without, so that it needs no library: the path tracer, which stands on Embree, and OpenEXR.
// Pictures in real time ask for neither; who does is told.
#include "picture/exr.h"
#include "render/tracer.h"

static shoal_status without(void) { return shoal_fail(SHOAL_ERR_PARAM, "this program has no path tracer"); }

shoal_status render_tracer_create(double shutter, double size, render_tracer** out) {
    (void)shutter, (void)size;
    *out = NULL;
    return without();
}
void         render_tracer_destroy(render_tracer* tracer) { (void)tracer; }
shoal_status render_tracer_appearance(render_tracer* tracer, const render_appearance* appearance, int* index) {
    (void)tracer, (void)appearance, (void)index;
    return without();
}
shoal_status render_tracer_mesh(render_tracer* tracer, const render_mesh* mesh) {
    (void)tracer, (void)mesh;
    return without();
}
shoal_status render_tracer_balls(render_tracer* tracer, const render_balls* balls) {
    (void)tracer, (void)balls;
    return without();
}
void render_tracer_ground(render_tracer* tracer, int appearance, double y, double half) {
    (void)tracer, (void)appearance, (void)y, (void)half;
}
shoal_status render_tracer_pane(render_tracer* tracer, int appearance, const shoal_v3 corners[4]) {
    (void)tracer, (void)appearance, (void)corners;
    return without();
}
shoal_status render_tracer_commit(render_tracer* tracer) {
    (void)tracer;
    return without();
}
shoal_status render_tracer_run(const render_tracer* tracer, const render_job* job) {
    (void)tracer, (void)job;
    return without();
}
shoal_status shoal_exr_write(const char* path, const shoal_image* image) {
    (void)path, (void)image;
    return without();
}
