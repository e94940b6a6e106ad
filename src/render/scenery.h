// SPDX-License-Identifier: MIT
// What is in a picture: particles of a frame, obstacles, ground and container become meshes and
// balls of a tracer.
#ifndef SHOAL_RENDER_SCENERY_H
#define SHOAL_RENDER_SCENERY_H

#include "appearance/picture_params.h"
#include "render/tracer.h"
#include "shoal/surface.h"
#include "state/world.h"

// What there is of one material: particles, and a mesh that is its surface as it is.
typedef struct render_part {
    const char*               name;
    bool                      is_sand;
    shoal_surface_particles   particles;  // fields by name: velocity, wetness or saturation, radius
    const shoal_v3*           far;        // their places on the device that draws, and none here; NULL: they are here
    const int32_t*            ids;        // NULL: none
    const shoal_v3*           rest;       // where they were when the run began; NULL: not known
    const shoal_v3*           paint;      // colours; then it is drawn as balls. NULL: none
    const shoal_surface_mesh* mesh;       // NULL: none
    const shoal_v3*           mesh_paint; // [mesh->vertex_count] colours; NULL: none
} render_part;

typedef struct render_solid {
    const char*               name;
    const shoal_surface_mesh* mesh; // with its velocity as field 0
} render_solid;

typedef struct render_contents {
    const shoal_render_settings* settings;
    const shoal_surface_params*  surface;
    const shoal_world*           world; // colliders where they are
    double                       spacing;
    shoal_box                    box;      // the domain; without one, the box of all
    double                       pane_top; // m; panes of the container are no higher
    int                          part_count, solid_count;
    const render_part*           parts;
    const render_solid*          solids;
} render_contents;

typedef struct render_scenery render_scenery;
// `shutter` in seconds: 0 for no blur along velocities. `contents` must outlive it.
shoal_status         render_scenery_create(const render_contents* contents, double shutter, const shoal_exec* exec,
                                           render_scenery** out);
void                 render_scenery_destroy(render_scenery* scenery); // may be NULL
const render_tracer* render_scenery_tracer(const render_scenery* scenery);

// A field of the part; NULL: it has none of that name with so many components.
const float* render_part_field(const render_part* part, const char* name, int components);
// 0 dry to 1 wet, by the field wetness or saturation; NULL: neither is there.
const float* render_part_wetness(const render_part* part);
// Of sand with a saturation, the fraction of a particle that is shown as wet mesh, not as grains: none up to
// half full pores, all where they are full. [Lenaerts & Dutre 2009, section 4]
float render_faded(float saturation);
// Particles as balls: each of its own size where frames hold one, of half a spacing otherwise.
typedef struct render_sizes {
    const float* radius; // NULL: none
    float        otherwise;
} render_sizes;
render_sizes render_part_sizes(const render_part* part);
float        render_size_of(const render_sizes* sizes, size_t particle);
// Length of the edge of a tile that suits the box.
double render_tile(shoal_box box);

#endif
