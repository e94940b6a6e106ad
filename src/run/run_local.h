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

#include "io/checkpoint.h"
#include "io/file.h"
#include "run/lost.h"
#include "run/run_folder.h"
#include "run/run_parts.h"
#include "shoal/files.h"

// --- writer.c: the background thread

// A growing table. Its rows are appended by single writes; what a full disk cut off is taken back.
typedef struct run_csv {
    char    path[SHOAL_PATH_SIZE];
    int     file; // -1: not open
    int64_t length;
} run_csv;
enum { RUN_STATS, RUN_PROBES, RUN_CSV_COUNT, RUN_LIST = RUN_CSV_COUNT, RUN_TOLD_COUNT };

// Lines that were given to a table, or to the .pvd without its end.
typedef struct run_told {
    int64_t  bytes;
    uint64_t checksum; // shoal_hash of each line, from that of the one before
} run_told;

typedef enum run_job_kind {
    RUN_JOB_FRAME,     // parts -> path and the names of parts
    RUN_JOB_FILE,      // text -> path, in place of what was there
    RUN_JOB_LIST,      // text -> end of the .pvd at path
    RUN_JOB_ROW,       // text -> end of csv
    RUN_JOB_CHECKPOINT // checkpoint -> path
} run_job_kind;

typedef struct run_job {
    run_job_kind     kind;
    char             path[SHOAL_PATH_SIZE];
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
// Waits for all jobs, then ends the thread; may be NULL.
void     run_writer_destroy(run_writer* writer);
run_job* run_job_create(run_job_kind kind); // NULL: out of memory
void     run_job_destroy(run_job* job);
// Hands a job over (taken, also on failure); waits while two large ones are still unwritten. Fails
// with the first failure of the thread, told again on each call.
shoal_status run_writer_push(run_writer* writer, run_job* job);
shoal_status run_writer_drain(run_writer* writer); // waits until all is on disk
double       run_writer_seconds(run_writer* writer,
                                double*     waited); // spent writing; spent waiting for it

// --- the run

typedef struct run {
    const shoal_run_def* def;
    shoal_scene*         scene;
    shoal_sim*           sim;
    run_writer*          writer;
    int                  lock; // -1: not held
    char                 folder[SHOAL_PATH_SIZE];
    char                 stem[RUN_STEM_SIZE];

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
    void*    start;       // that state; NULL: it was not needed
    size_t   start_size;
    run_csv  csvs[RUN_CSV_COUNT];
    run_told told[RUN_TOLD_COUNT];
    int*     frames;    // numbers of the frames on disk, rising
    bool     is_listed; // the .pvd of this call has all of them
    int      frame_count, frame_capacity;
    double   started;   // shoal_seconds
    double   recent[8]; // wall seconds of the last frames, a ring
    int      recent_count;
    double   frame_started;
    double   step_ms;                  // of the last finished frame
    int      row_count, unsolved_rows; // frames of this call, and those with a solve that gave up
    double   compression_most;         // mean over particles, in the worst of the latter, %
} run;

// FOLDER/frames/STEM_000123 with an ending, "" for none.
shoal_status run_frame_path(const run* r, int frame, const char* ending, char out[SHOAL_PATH_SIZE]);

void run_note(const run* r, const char* format, ...) __attribute__((format(printf, 2, 3)));

// --- run_folder.c: lock, cleaning

shoal_status run_folder_open(run* r); // makes the folders and takes the lock
void         run_folder_close(run* r);
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
int64_t      run_tetrahedra(const shoal_sim* sim); // items that have four corners; -1: the solver knows none
// Of a run that is done: blocks that decide no result (render, surface) as the scene has them now.
shoal_status run_report_scene(const run* r);

// --- run_tables.c

void run_told_add(run_told* told, const char* text, size_t length);
void run_told_write(const run* r, shoal_text* out); // into run.json

// --- lost.c

bool run_frame_is_whole(const run* r, int frame); // its files are there, to their ends
// What is lost of the frames before `frame_end` that were written, by r->broken, and of the rows before `row_end`.
shoal_status run_lost_find(const run* r, int frame_end, int row_end, run_lost* out);

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
