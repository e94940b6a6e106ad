// SPDX-License-Identifier: MIT
// Inside of rendering a run: render_run.c walks over the frames, render_frame.c makes one into what
// a picture shows. For these two only.
#ifndef SHOAL_RENDER_RUN_JOB_H
#define SHOAL_RENDER_RUN_JOB_H

#include "exec/exec.h"
#include "render/shot.h"
#include "post/obstacles.h"
#include "post/picture_list.h"
#include "shoal/render.h"

// Places by number, for textures that lie where particles began and for blur between frames.
typedef struct render_run_places {
    int       count;
    int32_t*  ids; // rising
    shoal_v3* at;
} render_run_places;

typedef struct render_run_job {
    const shoal_render_def* def;
    shoal_exec              exec;
    post_source             source;
    post_obstacles          obstacles;
    shoal_render_settings   settings; // with what `def` changes
    shoal_box               box;      // the domain; without one, the box of all
    shoal_box               seen;     // what a camera without a place frames
    render_camera           camera;
    render_lights           lights;
    char                    name[2 * SHOAL_NAME_SIZE + 256];   // of the files
    char                    field_unit[SHOAL_FRAME_NAME_SIZE]; // of the field that colours show, as frames have it
    char                    title[128];                        // of the colour bar
    double                  low, high;                         // its ends
    picture_list            pictures;
    render_run_places       rest; // where particles were in the first frame

    // the frame at hand
    int                  part_count;
    post_material*       taken; // [material_count]
    render_part*         parts;
    shoal_v3 **          paints, **rests, **mesh_paints;
    float**              mesh_places; // [material_count] of the vertices of meshes when the shutter opens
    render_run_places*   next;        // [material_count] where they are in the next frame
    shoal_v3**           between;     // [material_count] places between frames
    double               step_s;      // until the next frame
    render_solid*        solids;
    shoal_surface_mesh** meshes; // of the solids
    render_contents      contents;
    double               time;      // s
    bool                 has_blank; // a particle has no number to be painted by

    // where it stands
    int    number;                                // of the frame being made
    int    index, count;                          // among those asked for
    double begun, picture_begun, picture_seconds; // the latter: of those that are done
    int    made;
} render_run_job;

// render_run.c
render_run_job* render_run_create(const shoal_render_def* def, const char* folder); // NULL: no memory
void            render_run_destroy(render_run_job* r);
shoal_status    render_run_open_all(render_run_job* r); // the scene, frames and obstacles of the folder
void            render_run_choose_settings(render_run_job* r);
void            render_run_choose_title(render_run_job* r); // of the colour bar
shoal_status    render_run_draw_bar(const render_run_job* r, uint8_t* pixels, int width, int height);

// The box that is looked at, and the colours of a field, from frames on disk.
shoal_status render_run_find_box(render_run_job* r);
shoal_status render_run_find_range(render_run_job* r);
// Whether a picture shows what happens until the next frame.
bool render_run_wants_next(const render_run_job* r);
// Frame `index` of the run into r->contents. Close it also on failure.
shoal_status render_run_open_frame(render_run_job* r, int index);
// A frame in memory into r->contents, with solids as the world of obstacles has them. Close it also on failure.
shoal_status render_run_open_parts(render_run_job* r, const post_frame* frame);
shoal_status render_run_open_solids(render_run_job* r);
// The ends of the colour bar by one frame.
shoal_status render_run_range_of(render_run_job* r, const post_frame* frame);
void         render_run_close_frame(render_run_job* r);
// render_shot's contents_at.
shoal_status render_run_contents_at(double part, void* user, const render_contents** out);
void         render_run_places_free(render_run_places* places);

#endif
