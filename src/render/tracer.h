// SPDX-License-Identifier: MIT
// A path tracer on Embree. What is in the picture is added as meshes and balls with looks, then
// committed, then any number of samples is taken.
//
// Camera paths are bent and reflected by water and glass as they are. Light that falls on matte
// surfaces passes them straight, dimmed by absorption and, for sun and lamps, by Fresnel: under
// flat water the irradiance is then right (the cone of light is narrower by n^2, and as much
// brighter), there is no noise of caustics, and no caustics.
#ifndef SHOAL_RENDER_TRACER_H
#define SHOAL_RENDER_TRACER_H

#include "exec/exec.h"
#include "render/view.h"

typedef enum render_appearance_kind {
    RENDER_MATTE,
    RENDER_DIELECTRIC, // water, glass: a closed mesh
    RENDER_PANE,       // thin glass: mirrors some of the sky, else lets through
    RENDER_GROUND,     // matte, tiled, and far away one with the horizon
    RENDER_LAMP
} render_appearance_kind;

typedef struct render_appearance {
    render_appearance_kind kind;
    shoal_v3               color;      // MATTE, GROUND: albedo; LAMP: radiance
    float                  ior;        // DIELECTRIC, PANE
    shoal_v3               absorption; // DIELECTRIC; 1/m
    int                    rank;       // DIELECTRIC: where several overlap, the highest is there
    shoal_v3               joint;      // GROUND: albedo of the lines between tiles
    float                  tile;       // GROUND: m; 0: no lines. PANE: width of its edges
    shoal_v3               middle;     // GROUND: it fades into the horizon between these distances from here
    float                  fade_from, fade_to;
} render_appearance;

// Arrays are the caller's and must outlive the tracer, but for positions and velocities, which are
// copied. NULL: none.
typedef struct render_mesh {
    int             vertex_count, triangle_count;
    const shoal_v3 *vertices, *normals, *velocities;
    const int*      triangles;
    const uint8_t*  is_flat; // [triangle_count] 1: shaded by its own normal
    const shoal_v3* colors;  // [vertex_count] albedo, in place of the look's
    const float*    wetness; // [vertex_count] 0 dry to 1 wet: darker, and glossy
    // albedo, in place of all others, and the normal; NULL: none
    void (*texture_fn)(const void* texture, shoal_v3 at, shoal_v3* color, shoal_v3* normal);
    const void* texture;
    int         appearance;
} render_mesh;

typedef struct render_balls {
    int             count;
    const shoal_v4* places; // x, y, z, radius
    const shoal_v3 *velocities, *colors;
    const float*    wetness;
    int             appearance;
} render_balls;

typedef struct render_tracer render_tracer;
// `shutter` in seconds: things with velocities move by that much while it is open. `size` in metres
// of the scene, for rounding.
shoal_status render_tracer_create(double shutter, double size, render_tracer** out);
void         render_tracer_destroy(render_tracer* tracer); // may be NULL
shoal_status render_tracer_appearance(render_tracer* tracer, const render_appearance* appearance, int* index);
shoal_status render_tracer_mesh(render_tracer* tracer, const render_mesh* mesh);
shoal_status render_tracer_balls(render_tracer* tracer, const render_balls* balls);
// A level square about the middle of its look, `half` metres to each side.
void render_tracer_ground(render_tracer* tracer, int appearance, double y, double half);
// A rectangle by its corners, one after the other.
shoal_status render_tracer_pane(render_tracer* tracer, int appearance, const shoal_v3 corners[4]);
shoal_status render_tracer_commit(render_tracer* tracer);

// What samples add up to.
typedef struct render_sum {
    float    count;
    shoal_v3 light;
    shoal_v3 albedo, normal; // of the first surface met, behind water and glass for the albedo
    float    depth;          // m
} render_sum;

// Pixels from the top left. Samples are well spread, so their scatter says little about the noise
// of their mean; that of one half of them from the other does.
typedef struct render_pixel {
    render_sum half[2];
} render_pixel;

typedef struct render_job {
    const render_camera* camera;
    const render_lights* lights;
    int                  width, height;
    int                  bounces;
    uint64_t             seed;
    int                  first, last; // samples [first, last) are taken
    bool                 has_motion;  // the time of each ray is random, else 0
    render_pixel*        pixels;      // [width * height] added to
    const shoal_exec*    exec;
    // asked a few times a second with the part that is done, 0 to 1; false: stop. NULL: never
    bool (*go_on)(double part, void* user);
    void* user;
} render_job;
// SHOAL_ERR_INTERRUPTED when go_on said so. The same bits for any number of threads.
shoal_status render_tracer_run(const render_tracer* tracer, const render_job* job);

// Radiance that comes from `way` to `from`; for tests.
shoal_v3 render_tracer_radiance(const render_tracer* tracer, const render_job* job, shoal_v3 from, shoal_v3 way,
                                int pixel, int sample);

#endif
