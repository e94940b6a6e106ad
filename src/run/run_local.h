// SPDX-License-Identifier: MIT
// Inside of a run: one scene, one simulation, one folder. For run/ only.
//
//     DIR/STEM.pvd  DIR/frames/STEM_000123.vtp  DIR/checkpoints/STEM_000120.shoal
//                   DIR/frames/STEM_000123.PART.vtp (or .vtu) where a frame has several parts
//     DIR/stats.csv DIR/probes.csv  DIR/run.json  DIR/.lock (while a run writes)
//
// Everything on disk is written by one background thread in the order it was handed over, so a
// checkpoint that exists proves that all frames and rows up to it exist too. Resume rests on that.
#ifndef SHOAL_RUN_LOCAL_H
#define SHOAL_RUN_LOCAL_H

#include "exec/device.h"
#include "io/checkpoint.h"
#include "io/file.h"
#include "io/frame_vtk.h"
#include "shoal/files.h"
#include "state/part.h"

enum { RUN_STEM_ROOM = 256 };

// --- writer.c: the background thread

// A growing table. Its rows are appended by single writes; what a full disk cut off is taken back.
typedef struct run_csv {
    char    path[SHOAL_PATH_ROOM];
    int     file; // -1: not open
    int64_t length;
} run_csv;
enum { RUN_STATS, RUN_PROBES, RUN_CSV_COUNT };

// The files of a frame: NAME_000123 and one of these. A single part needs no name: ".vtp".
typedef struct run_parts {
    int         count;
    shoal_part  parts[SHOAL_SETS_MOST];
    char        rooms[SHOAL_SETS_MOST][SHOAL_FRAME_NAME_ROOM];
    const char* endings[SHOAL_SETS_MOST + 1]; // ".water.vtp" ..., in `rooms`, ended by NULL
} run_parts;

typedef enum run_job_kind {
    RUN_JOB_FRAME,     // parts -> path and the names of parts
    RUN_JOB_FILE,      // text -> path, in place of what was there
    RUN_JOB_ROW,       // text -> end of csv
    RUN_JOB_CHECKPOINT // checkpoint -> path
} run_job_kind;

typedef struct run_job {
    run_job_kind     kind;
    char             path[SHOAL_PATH_ROOM];
    shoal_frame*     parts[SHOAL_SETS_MOST]; // of a frame
    const run_parts* names;                  // theirs; path is that of the frame without them
    shoal_parcels    parcels;                // of them, or of the checkpoint: what is still on its way from a device
    shoal_text       text;
    run_csv*         csv;
    shoal_checkpoint checkpoint;
    struct run_job*  next;
} run_job;

typedef struct run_writer run_writer;
// `csvs` are synced before each checkpoint.
shoal_status run_writer_create(run_csv csvs[RUN_CSV_COUNT], run_writer** out);
// Waits for all jobs, then ends the thread; NULL is welcome.
void     run_writer_destroy(run_writer* writer);
run_job* run_job_create(run_job_kind kind); // NULL: out of memory
void     run_job_destroy(run_job* job);
// Hands a job over (taken, also on failure); waits while two large ones are still unwritten. Fails
// with the first failure of the thread, told again on each call.
shoal_status run_writer_push(run_writer* writer, run_job* job);
shoal_status run_writer_drain(run_writer* writer); // waits until all is on disk
double       run_writer_seconds(run_writer* writer,
                                double*     waited); // spent writing; spent waiting for it

// What a folder lacks that was written before, or has otherwise than it was.
typedef struct run_lost {
    int* frames; // [count] their numbers, rising
    int  count, room;
    int  row;       // the frame of the first one that a table lacks; -1: none
    char why[1024]; // the first frame is one of them
} run_lost;

// --- the run

typedef struct run {
    const shoal_run_def* def;
    shoal_scene*         scene;
    shoal_sim*           sim;
    run_writer*          writer;
    int                  lock; // -1: not held
    char                 folder[SHOAL_PATH_ROOM];
    char                 stem[RUN_STEM_ROOM];

    // what is to be done
    int          first, last; // frames to write
    double       fps;
    shoal_output output;
    run_parts    parts; // of each frame
    bool         has_domain;
    shoal_box    subject;  // what there will be to look at
    char*        resolved; // the scene as JSON
    shoal_text   physics;  // the part of it that may not change on resume
    uint64_t     scene_hash;

    // where it stands
    int      frame;       // the last finished frame
    int64_t  frame_steps; // substeps when it was finished
    int      resumed_at;  // -1: began at the start
    run_lost broken;      // frames there that are not as they were written, found when it is resumed
    run_lost lost;        // ahead of all checkpoints: made again from the state at the start
    void*    start;       // that state; NULL: nothing is lost
    size_t   start_size;
    run_csv  csvs[RUN_CSV_COUNT];
    int*     frames; // numbers of the frames on disk, rising
    int      frame_count, frame_room;
    double   started;   // shoal_seconds
    double   recent[8]; // wall seconds of the last frames, a ring
    int      recent_count;
    double   frame_started;
    double   step_ms; // of the last finished frame
} run;

// run_parts.c: which parts the frames of a scene have, and one of them as a simulation has it now.
void run_parts_name(const shoal_description* description, run_parts* out);
// `parcels`: what lies on a device is only posted; NULL: fetched.
shoal_status run_copy_part(const shoal_sim* sim, const shoal_part* part, double time, shoal_parcels* parcels,
                           shoal_frame** out);
// A part of points whose fields stay on a device of the caller, of the same card as that of the simulation; what frames
// have of them here is filled when it is asked for.
typedef struct run_kept {
    struct shoal_device* device;
    struct run_kept_field {
        const char* name;
        void *      far, *here;
        size_t      bytes;
    } fields[SHOAL_FRAME_FIELDS_MOST];
    int  count;
    bool is_here; // fetched
} run_kept;
shoal_status run_keep_part(const shoal_sim* sim, const shoal_part* part, double time, run_kept* kept,
                           shoal_frame** out);
shoal_status run_kept_fetch(run_kept* kept);
const void*  run_kept_find(const run_kept* kept, const char* name); // on the device; NULL: it is not there
void         run_kept_free(run_kept* kept);
// FOLDER/frames/STEM_000123 with an ending, "" for none.
shoal_status run_frame_path(const run* r, int frame, const char* ending, char out[SHOAL_PATH_ROOM]);

void run_note(const run* r, const char* format, ...) __attribute__((format(printf, 2, 3)));

// --- run_folder.c: names, lock, cleaning

typedef struct run_look {
    bool        holds_run;
    const char* stranger;                  // a table there by a name of ours though no run is; NULL: none
    char        other_stem[RUN_STEM_ROOM]; // of files there that belong to another scene; "" none
} run_look;
void         run_stem(const char* scene_path, char out[RUN_STEM_ROOM]);
shoal_status run_folder_look(const char* folder, const char* stem, run_look* out);
shoal_status run_folder_open(run* r); // makes the folders and takes the lock
void         run_folder_close(run* r);
bool         run_folder_is_busy(const char* folder);  // a run writes there now
bool         run_folder_was_left(const char* folder); // by a run that could not close it, or it is busy
// Removes what `run` and `surface` wrote there, and nothing else: exports are the user's.
shoal_status run_folder_clear(const char* folder, const char* stem);
// Removes half-written files, frames and checkpoints of later frames than `frame`.
shoal_status run_folder_cut(const run* r, int frame);
// Keeps the newest two numbered checkpoints of the folder of `path`, which is one of them.
shoal_status run_checkpoints_trim(const char* path);

// --- report.c: rows, run.json

// Opens stats.csv and probes.csv: new, or with the rows up to the finished frame when resumed.
shoal_status run_report_open(run* r);
void         run_report_close(run* r);
// Takes r->step_ms from the statistics; the rows are written when `are_wanted`.
shoal_status run_report_rows(run* r, int substeps, bool are_wanted);
shoal_status run_report_json(run* r, const char* status);
// Of a run that is done: blocks that decide no result (render, surface) as the scene has them now.
shoal_status run_report_scene(const run* r);

// --- sound.c

// The frames that FOLDER/STEM.pvd lists and that are not as they were written, and the first whose row of stats.csv
// tells of another number of particles. Reads them all.
shoal_status run_frames_judge(const char* folder, const char* stem, run_lost* out);

// --- lost.c

bool run_frame_is_whole(const run* r, int frame); // its files are there, to their ends
// What is lost of the frames before `frame_end` that were written, by r->broken, and of the rows before `row_end`.
shoal_status run_lost_find(const run* r, int frame_end, int row_end, run_lost* out);
bool         run_lost_is_any(const run_lost* lost);
bool         run_lost_has_frame(const run_lost* lost, int frame);
void         run_lost_tell(const run_lost* lost, shoal_text* out); // in words
void         run_lost_free(run_lost* lost);

// --- resume.c

// The lines "path = value" of the resolved scene without frames, threads and output; mesh files by
// content.
shoal_status run_physics(shoal_scene* scene, const char* resolved, shoal_text* out);
// Finds the best checkpoint and loads it; r->resumed_at stays -1 when there is none yet. r->lost and r->start tell
// what is to be made again ahead of it.
shoal_status run_resume(run* r);
// Whether the folder's run.json says that the frames up to `last` are done.
bool run_is_finished(const run* r);

#endif
