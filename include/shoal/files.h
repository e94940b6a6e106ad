// SPDX-License-Identifier: MIT
// libshoal_files: scenes from text, runs on disk, frames and meshes in files.
#ifndef SHOAL_FILES_H
#define SHOAL_FILES_H

#include "shoal/scene.h"
#include "shoal/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// A scene from a YAML or JSON file, or from text in memory (`name` stands for the file in messages; mesh
// files are looked for beside the scene file). A syntax error returns SHOAL_ERR_INPUT with *out still made,
// so that its faults can be shown; destroy it as usual.
SHOAL_API shoal_status shoal_scene_load(const char* path, shoal_scene** out);
SHOAL_API shoal_status shoal_scene_parse(const char* text, size_t size, const char* name, shoal_scene** out);
// One value as it would stand in a scene file: --set "bodies.0.velocity=[1,0,0]".
SHOAL_API shoal_status shoal_scene_set_value(shoal_scene* scene, const char* path, const char* yaml);
// render.camera from a file of its own: the keys of the block, or the block under the key `camera`.
SHOAL_API shoal_status shoal_scene_set_camera(shoal_scene* scene, const char* path);

// A file appears whole or not at all: it is written beside its place and renamed. SHOAL_ERR_OUTPUT: why not.
SHOAL_API shoal_status shoal_file_write(const char* path, const void* bytes, size_t size);

// A run in a folder: frames, stats, probes, checkpoints, run.json.
typedef struct shoal_progress {
    int     frame, frame_first, frame_last;
    double  time_s;
    int     substeps; // in this frame
    int64_t particles;
    int64_t tetrahedra;                  // of a solver with a mesh of them, which has no particles
    bool    has_mesh;                    // it is one, though there may be no tetrahedra now
    double  step_ms;                     // wall time per substep, mean of this frame, as in stats.csv
    bool    is_written;                  // else only simulated on the way, or left out by output.every
    double  seconds_spent, seconds_left; // wall clock; left is an estimate
    char    device[128];                 // as shoal_sim_device tells it
} shoal_progress;

typedef struct shoal_run_def {
    const char* folder;      // NULL: out/NAME
    int         first, last; // frames to write; first < 0: 0, last < 0: as the scene says
    bool        resume, force;
    const char* way_on; // the command that goes on after an end too soon, for run.json; NULL: none
    void (*progress)(const shoal_progress* now, void* user); // after each frame; NULL: silent
    void (*note)(const char* text, void* user);              // "resumed at frame 35"; NULL: silent
    bool (*stop)(void* user);                                // asked between substeps; NULL: never
    // Called ahead of each frame that begins, to move obstacles, pour, change parameters: see "The hand of the caller"
    // in sim.h. What it does is in the checkpoints and in run.json. NULL: the run is not touched. A hand does not do
    // the same in the same frame again: where it touches, it is not called for frames that were lost and are made
    // again, and those of a touched run are not made.
    void (*touch)(shoal_sim* sim, int frame, void* user);
    bool          touch_is_a_hand;
    void*         user;
    shoal_sim_def sim;
    unsigned      made_by_default;
} shoal_run_def;
SHOAL_API shoal_run_def shoal_run_def_default(void);

// Runs the scene into the folder. `scene_path` names frames and the default folder by its stem.
// SHOAL_ERR_INPUT: folder holds a run, or another scene's. SHOAL_ERR_INTERRUPTED: stopped, checkpoint saved.
SHOAL_API shoal_status shoal_run(const shoal_run_def* def, shoal_scene* scene, const char* scene_path);
// The folder a run goes to: def->folder or out/STEM. Writes at most `capacity` bytes.
SHOAL_API void shoal_run_folder(const shoal_run_def* def, const char* scene_path, char* out, size_t capacity);

// What a run of the scene will take: guesses, mostly within a factor of two where particles move as they do in a
// collapse or a splash; tools that press into sand took up to three times as long. Small models of the scene are
// simulated for a tenth of a second on one thread of this machine; the threads of `def` divide that.
typedef struct shoal_forecast {
    int    threads;
    double particles;         // in the mean over the run, where emitters add some
    double substeps;          // of a frame
    double seconds_per_frame; // wall clock, of a machine that does nothing else
    double seconds;           // of all frames
    double bytes_per_frame;   // on disk
    double bytes;             // of all frames and of the checkpoints that stay
    char   device[128];       // where passes run, if not on the CPU; else empty
    double device_bytes;      // that all particles will take there, and that are free
    double device_free;
} shoal_forecast;
SHOAL_API shoal_status shoal_run_forecast(const shoal_run_def* def, shoal_scene* scene, shoal_forecast* out);

// A part of a frame read back from disk: particles or a mesh of triangles (.vtp), or tetrahedra (.vtu), with named
// fields.
typedef struct shoal_frame shoal_frame;
SHOAL_API shoal_status     shoal_frame_load(const char* path, shoal_frame** out);
SHOAL_API void             shoal_frame_destroy(shoal_frame* frame);
SHOAL_API int64_t          shoal_frame_count(const shoal_frame* frame);
SHOAL_API double           shoal_frame_time(const shoal_frame* frame); // s; NAN when the file does not say
SHOAL_API int              shoal_frame_field_count(const shoal_frame* frame);
SHOAL_API shoal_status     shoal_frame_field_at(const shoal_frame* frame, int index, shoal_field_view* out);
SHOAL_API shoal_status     shoal_frame_field(const shoal_frame* frame, const char* name, shoal_field_view* out);
// Its cells: 3 corners of triangles, 4 of tetrahedra, 0 where all are particles. A corner is a point of the frame.
SHOAL_API int            shoal_frame_cell_corners(const shoal_frame* frame);
SHOAL_API int64_t        shoal_frame_cell_count(const shoal_frame* frame);
SHOAL_API const int32_t* shoal_frame_cells(const shoal_frame* frame); // [corners * cell_count]; NULL: none
SHOAL_API shoal_status   shoal_frame_cell_field(const shoal_frame* frame, const char* name, shoal_field_view* out);

// Frames as text, the grammar of --frames: N, A..B (or A-B), A..B:STEP, and several of these with commas between, as
// "0..100:10,120". False: it is none; else *first and *last (may be NULL) are the least and the greatest of them.
SHOAL_API bool shoal_frames_read(const char* text, int* first, int* last);

// The frames of a run folder into another format, one file per frame under FOLDER/export: "ply", "obj", "csv" of the
// particles, "vdb" and "usda" with surfaces. A single .vtp goes there too when it is a frame of a run, else beside
// itself. A frame that cannot be used is reported to `fault`, the others are made, and the first fault is returned at
// the end.
typedef struct shoal_export_def {
    const char*        format;
    int                first, last;                 // frames wanted; last < 0: to the end
    const char*        frames;                      // which of these, as shoal_frames_read takes them; NULL: all
    int                threads;                     // for surfaces; 0: all cores
    const char* const* settings;                    // "surface.cell=0.4" ..., for surfaces; ended by NULL; NULL: none
    void (*done)(const char* file, void* user);     // NULL: silent
    void (*fault)(const char* message, void* user); // likewise
    bool (*stop)(void* user);                       // NULL, or asked before each frame
    void*    user;
    unsigned made_by_default;
} shoal_export_def;
SHOAL_API shoal_export_def shoal_export_def_default(void);
SHOAL_API shoal_status     shoal_export(const shoal_export_def* def, const char* folder);
// The formats shoal_export knows, ended by NULL.
SHOAL_API const char* const* shoal_export_formats(void);

// The scene of a run, as its run.json has it, with all defaults; meshes are looked for where they were then.
SHOAL_API shoal_status shoal_run_scene(const char* folder, shoal_scene** out);
// Puts a simulation of the scene of a run where one of the run's checkpoints (folder/checkpoints/NAME_000120.shoal)
// has it. SHOAL_ERR_INPUT: damaged, of another version, or of another scene; the simulation is as before.
SHOAL_API shoal_status shoal_run_checkpoint(const char* path, shoal_sim* sim);

// A description for people of a scene, mesh, frame, checkpoint or run folder, as text lines; free with
// shoal_bytes_free(text, strlen(text) + 1). Of something damaged, such as a frame with positions that are not numbers,
// both a text and a failure may be returned.
SHOAL_API shoal_status shoal_describe(const char* path, char** text);
SHOAL_API shoal_status shoal_describe_json(const char* path, char** text); // the same as one JSON object

#ifdef __cplusplus
}
#endif
#endif
