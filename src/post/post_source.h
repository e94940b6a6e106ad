// SPDX-License-Identifier: MIT
// What the commands on a finished run share (surface, render, export): the scene of its run.json, its frames with their
// parts, the particles of a material, and the report of frames that are missing. For post/ only.
#ifndef SHOAL_POST_SOURCE_H
#define SHOAL_POST_SOURCE_H

#include "io/file.h"
#include "io/frame.h"
#include "run/frames.h"
#include "scene/scene_access.h"
#include "shoal/surface.h"
#include "state/set.h"

enum { POST_MATERIALS_MOST = 256, POST_MATERIAL_SIZE = SHOAL_NAME_SIZE + 8 };

typedef struct post_source {
    // set before post_source_open
    const char*        folder;
    const char* const* settings;    // as --set has them, ended by NULL; NULL: none
    const char*        camera;      // a file in place of the scene's camera; NULL: none
    const char* const* blocks;      // that may be set, ended by NULL
    int                first, last; // frames asked for; last < 0: to the end
    const char*        frames;      // which of these (see frames.h); NULL: all
    void (*fault)(const char* message, void* user);
    void* user;

    shoal_scene*        scene; // of run.json, with the settings
    shoal_scene_surface surface;
    shoal_box           subject; // what a camera without a place frames; empty: the run does not tell
    int                 material_count;
    char                materials[POST_MATERIALS_MOST][POST_MATERIAL_SIZE]; // as in file names
    int                 count;
    int*                numbers;                                         // frames there are, rising
    char                stem[SHOAL_PATH_SIZE];                           // of their files
    int                 part_count;                                      // of each frame
    char                endings[SHOAL_SETS_MOST][SHOAL_FRAME_NAME_SIZE]; // of the file of each part, behind the number
    int                 step;                                            // between frames
    int                 wanted;                                          // how many of them are asked for
    run_frames          asked;                                           // `frames`, read
    shoal_status        first_fault;
} post_source;

// What the settings of a command on a run (shoal_surface_def, shoal_export_def, shoal_render_def) say of its source.
#define POST_SOURCE_OF(def, run, may_be_set)                                                                           \
    (post_source) {                                                                                                    \
        .folder = (run), .settings = (def)->settings, .blocks = (may_be_set), .first = (def)->first,                   \
        .last = (def)->last, .frames = (def)->frames, .fault = (def)->fault, .user = (def)->user                       \
    }

// Fails when none of its frames is asked for, and warns of those beyond its end.
shoal_status post_source_open(post_source* source);
shoal_status post_source_list(post_source* source); // in its place, for the frames alone
// The frames that are there now; after a failure those that were.
shoal_status post_source_renew(post_source* source);
// In its place, for a scene that may never have run, of which it takes a copy; it has no frames then.
shoal_status post_source_take(post_source* source, shoal_scene* scene);
// Fails when a frame could not be used.
shoal_status post_source_end(const post_source* source);
void         post_source_close(post_source* source); // also after a failure
bool         post_source_wants(const post_source* source, int number);
// Tells a frame that cannot be used; the first one's status is kept.
void post_source_fault(post_source* source, shoal_status status, const char* message);
// Tells those that are missing just before numbers[index].
void post_source_report_missing(post_source* source, int index);
// FOLDER/frames/STEM_000123.vtp of a frame, or .PART.vtp of one of its parts.
shoal_status post_source_file(const post_source* source, int index, int part, char out[SHOAL_PATH_SIZE]);
// Whether a file is there that was written no earlier than all files of the frame.
bool post_source_is_older(const post_source* source, int index, const char* file);

// Whether both are there, and the first was written no earlier.
bool post_is_newer(const char* path, const char* than);

// What could mislead a file system becomes an underscore; room for two bytes at least.
void post_name_for_files(char* name);

// A frame in memory, with all its parts.
typedef struct post_frame {
    int            count;
    shoal_frame*   parts[SHOAL_SETS_MOST];
    const uint8_t* materials[SHOAL_SETS_MOST]; // of the points of each part; NULL: all of the first
    double         time;                       // s
    char           file[SHOAL_PATH_SIZE];      // of its first part, for messages
} post_frame;
// Fails, with the file in the message, where a part is missing or damaged. Refuses particles of a material that the
// scene does not have: they would never be shown.
shoal_status post_frame_load(const post_source* source, int index, post_frame* out);
void         post_frame_free(post_frame* frame); // also after a failure
// A field of a part by NAME or PART.NAME, with the number of its items: of points, or else of
// cells; NULL: none.
const shoal_frame_array* post_frame_find(const post_source* source, const post_frame* frame, int part, const char* word,
                                         int* count);

// What there is of one material: its particles, copied together, positions and fields in one piece of memory, and its
// meshes. It points into itself, so it stays where it is, but outlives its frame.
typedef struct post_material {
    shoal_surface_particles particles;
    shoal_surface_field     fields[SHOAL_SURFACE_FIELDS_MOST];
    char                    names[SHOAL_SURFACE_FIELDS_MOST][SHOAL_FRAME_NAME_SIZE];
    int32_t*                ids; // [count] NULL: the frame has none
    shoal_surface_mesh* mesh; // of the parts that are triangles, or else of the outsides of tetrahedra; NULL: none is
    float*              memory;
} post_material;
shoal_status post_material_take(const post_frame* frame, int material, double spacing, post_material* out);
void         post_material_free(post_material* material); // what it points to, also after a failure

#endif
