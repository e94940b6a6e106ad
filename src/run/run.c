// SPDX-License-Identifier: MIT
// A run from its first frame to its last: simulate, hand frames, rows and checkpoints to the
// writer, and leave a folder that resume can go on with, however it ends.
#include "run/run_local.h"

#include "run/frames.h"
#include "run/subject.h"

#include "base/clock.h"
#include "base/hash.h"
#include "scene/scene_access.h"
#include "sim/shown.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEF_MADE = 0x52554e31 };
enum { UNSOLVED_ROWS = 3 };
#define UNSOLVED_FRACTION 0.05
enum { STEM_MOST = 200 }; // file systems take 255, and _000123.shoal.tmp is added

shoal_run_def shoal_run_def_default(void) {
    return (shoal_run_def){.first = -1, .last = -1, .sim = shoal_sim_def_default(), .made_by_default = DEF_MADE};
}

void shoal_run_folder(const shoal_run_def* def, const char* scene_path, char* out, size_t capacity) {
    char stem[RUN_STEM_SIZE];
    run_stem(scene_path, stem);
    if (def->folder)
        snprintf(out, capacity, "%s", def->folder);
    else
        snprintf(out, capacity, "out/%s", stem);
}

void run_note(const run* r, const char* format, ...) {
    if (!r->def->note) return;
    char    text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->def->note(text, r->def->user);
}

// --- one frame

static shoal_status remember_frame(run* r, int frame) {
    if (r->frame_count == r->frame_capacity) {
        int capacity = r->frame_capacity * 2 + 256;
        SHOAL_TRY(shoal_realloc((void**)&r->frames, (size_t)r->frame_count, (size_t)capacity, sizeof *r->frames));
        r->frame_capacity = capacity;
    }
    int at = r->frame_count++;
    for (; at > 0 && r->frames[at - 1] > frame; at--) r->frames[at] = r->frames[at - 1];
    r->frames[at] = frame;
    return SHOAL_OK;
}

static shoal_status push_or_drop(run* r, run_job* job, shoal_status made) {
    if (made == SHOAL_OK) return run_writer_push(r->writer, job);
    run_job_destroy(job);
    return made;
}

// The list of frames: all of it, or the last frame at its end.
static shoal_status push_pvd(run* r) {
    run_job* job = run_job_create(RUN_JOB_FILE);
    if (!job) return SHOAL_ERR_MEMORY;
    shoal_status made = shoal_path_make(job->path, "%s/%s.pvd", r->folder, r->stem);
    if (made == SHOAL_OK)
        made = shoal_pvd_text("frames", r->stem, r->parts.endings, r->frames, r->frame_count, r->fps, &job->text);
    r->is_listed      = made == SHOAL_OK;
    r->told[RUN_LIST] = (run_told){0};
    if (made == SHOAL_OK) run_told_add(&r->told[RUN_LIST], job->text.bytes, job->text.length - SHOAL_PVD_END);
    return push_or_drop(r, job, made);
}

static shoal_status push_pvd_entry(run* r) {
    run_job* job = run_job_create(RUN_JOB_LIST);
    if (!job) return SHOAL_ERR_MEMORY;
    shoal_status made = shoal_path_make(job->path, "%s/%s.pvd", r->folder, r->stem);
    if (made == SHOAL_OK)
        made = shoal_pvd_entry("frames", r->stem, r->parts.endings, r->frames[r->frame_count - 1], r->fps, &job->text);
    if (made == SHOAL_OK) run_told_add(&r->told[RUN_LIST], job->text.bytes, job->text.length);
    return push_or_drop(r, job, made);
}

static shoal_status push_parts(run* r) {
    run_job* job = run_job_create(RUN_JOB_FRAME);
    if (!job) return SHOAL_ERR_MEMORY;
    job->names        = &r->parts;
    shoal_status made = run_frame_path(r, r->frame, "", job->path);
    for (int k = 0; k < r->parts.count && made == SHOAL_OK; k++)
        made = run_copy_part(r->sim, &r->parts.parts[k], r->frame / r->fps, &job->parcels, &job->parts[k]);
    return push_or_drop(r, job, made);
}

static shoal_status push_frame(run* r) {
    SHOAL_TRY(push_parts(r));
    SHOAL_TRY(remember_frame(r, r->frame));
    return r->is_listed && r->frames[r->frame_count - 1] == r->frame ? push_pvd_entry(r) : push_pvd(r);
}

static shoal_status push_checkpoint(run* r, bool is_diverged) {
    run_job* job = run_job_create(RUN_JOB_CHECKPOINT);
    if (!job) return SHOAL_ERR_MEMORY;
    shoal_checkpoint* c = &job->checkpoint;
    c->scene_hash       = r->scene_hash;
    c->frame            = r->frame;
    c->is_mid           = shoal_sim_steps(r->sim) != r->frame_steps;
    c->frame_steps      = r->frame_steps;
    c->time             = shoal_sim_time(r->sim);
    c->particles        = run_tetrahedra(r->sim);
    if (c->particles < 0) c->particles = shoal_sim_count(r->sim);
    c->scene = shoal_strdup(r->physics.bytes);

    shoal_status made = c->scene ? shoal_sim_post(r->sim, &job->parcels, &c->state, &c->state_size) : SHOAL_ERR_MEMORY;
    if (made == SHOAL_OK && is_diverged)
        made = shoal_path_make(job->path, "%s/checkpoints/%s_diverged.shoal", r->folder, r->stem);
    else if (made == SHOAL_OK)
        made = shoal_path_make(job->path, "%s/checkpoints/%s_%06d.shoal", r->folder, r->stem, r->frame);
    return push_or_drop(r, job, made);
}

static double seconds_left(const run* r) {
    int    count = r->recent_count < 8 ? r->recent_count : 8;
    double sum   = 0;
    for (int i = 0; i < count; i++) sum += r->recent[i];
    return count > 0 ? sum / count * (r->last - r->frame) : 0;
}

static bool frame_is_wanted(const run* r, int frame) {
    return frame >= r->first && frame <= r->last && frame % r->output.every == 0;
}

static void tell_progress(run* r, int substeps, bool is_written) {
    double now       = shoal_seconds();
    double seconds   = now - r->frame_started;
    r->frame_started = now;
    if (substeps > 0) r->recent[r->recent_count++ % 8] = seconds;
    if (!r->def->progress) return;
    int64_t        tetrahedra = run_tetrahedra(r->sim);
    shoal_progress progress   = {.frame         = r->frame,
                                 .frame_first   = r->first,
                                 .frame_last    = r->last,
                                 .time_s        = r->frame / r->fps,
                                 .substeps      = substeps,
                                 .particles     = shoal_sim_count(r->sim),
                                 .tetrahedra    = tetrahedra < 0 ? 0 : tetrahedra,
                                 .has_mesh      = tetrahedra >= 0,
                                 .step_ms       = r->step_ms,
                                 .is_written    = is_written,
                                 .seconds_spent = now - r->started,
                                 .seconds_left  = seconds_left(r)};
    snprintf(progress.device, sizeof progress.device, "%s", shoal_sim_device(r->sim));
    r->def->progress(&progress, r->def->user);
}

// Frame r->frame is simulated: what belongs to it goes to the writer, the checkpoint last.
static shoal_status finish_frame(run* r) {
    int substeps   = (int)(shoal_sim_steps(r->sim) - r->frame_steps);
    r->frame_steps = shoal_sim_steps(r->sim);
    if (frame_is_wanted(r, r->frame)) SHOAL_TRY(push_frame(r));
    SHOAL_TRY(run_report_rows(r, substeps, r->frame >= r->first));
    bool is_due = r->output.checkpoint > 0 && r->frame > 0 && r->frame % r->output.checkpoint == 0;
    if (is_due || r->frame == r->last) {
        SHOAL_TRY(push_checkpoint(r, false));
        if (r->frame < r->last) SHOAL_TRY(run_report_json(r, "running"));
    }
    tell_progress(r, substeps, frame_is_wanted(r, r->frame));
    return SHOAL_OK;
}

// --- the ways a run ends

// What is gone and was not asked for by a sink.
static void tell_lost(const run* r) {
    const char* reasons[16];
    int64_t     counts[16];
    int         count = shoal_sim_removed(r->sim, reasons, counts, 16);
    for (int k = 0; k < count && k < 16; k++)
        if (strcmp(reasons[k], "left") == 0 && counts[k] > 0)
            run_note(r,
                     r->has_domain ? "%lld particles left the domain by its open sides, %lld are there"
                                   : "%lld particles went far away and were taken out, %lld are there; `far` in the "
                                     "scene, in m, says how far they are followed",
                     (long long)counts[k], (long long)shoal_sim_count(r->sim));
}

// A few are no harm: an impact, the first frame. It is of the frames of this call.
static void tell_unsolved(const run* r) {
    if (r->unsolved_rows <= UNSOLVED_ROWS || r->unsolved_rows <= UNSOLVED_FRACTION * r->row_count) return;
    shoal_log(SHOAL_LOG_WARNING,
              "the sweeps gave up above the tolerance in %d of %d frames (column unsolved of stats.csv); there the "
              "particles are compressed by up to %.2g %% on average",
              r->unsolved_rows, r->row_count, r->compression_most);
}

static shoal_status end_done(run* r) {
    tell_lost(r);
    tell_unsolved(r);
    shoal_sim_tell_end(r->sim);
    SHOAL_TRY(run_report_json(r, "done"));
    return run_writer_drain(r->writer);
}

static shoal_status end_interrupted(run* r) {
    SHOAL_TRY(push_checkpoint(r, false));
    SHOAL_TRY(run_report_json(r, "interrupted"));
    SHOAL_TRY(run_writer_drain(r->writer));
    return shoal_fail(SHOAL_ERR_INTERRUPTED,
                      "interrupted after frame %d (t = %.6g s); a checkpoint is saved in %s, "
                      "go on with --resume",
                      r->frame, shoal_sim_time(r->sim), r->folder);
}

// The simulation stands at its last good substep. Its message is what the user must see.
static shoal_status end_failed(run* r, shoal_status why) {
    char message[1024];
    snprintf(message, sizeof message, "%s", shoal_last_error());
    shoal_status saved = why == SHOAL_ERR_DIVERGE ? push_checkpoint(r, true) : SHOAL_OK;
    if (saved == SHOAL_OK) saved = run_report_json(r, why == SHOAL_ERR_DIVERGE ? "diverged" : "failed");
    if (saved == SHOAL_OK) saved = run_writer_drain(r->writer);
    if (saved != SHOAL_OK) shoal_log(SHOAL_LOG_WARNING, "the last good state was not saved: %s", shoal_last_error());
    return shoal_fail(why, "%s", message);
}

static bool is_asked_to_stop(const run* r) { return r->def->stop && r->def->stop(r->def->user); }

// One frame further.
static shoal_status advance(run* r) {
    bool begins   = shoal_sim_steps(r->sim) == r->frame_steps; // else it goes on with one that was cut short
    bool is_again = r->frame < r->resumed_at && r->def->touch_is_a_hand;
    if (begins && r->def->touch && !is_again) {
        r->def->touch(r->sim, r->frame + 1, r->def->user);
        if (is_asked_to_stop(r)) return SHOAL_ERR_INTERRUPTED; // a hand takes its time
    }
    SHOAL_TRY(shoal_sim_advance(r->sim, 1.0 / r->fps));
    r->frame++;
    return SHOAL_OK;
}

// --- what was lost

// From the start to the last frame or row that is lost. Only what is lost is written; the .pvd lists it all the while,
// so that a run that is killed in here does this again.
static shoal_status make_lost(run* r) {
    const run_lost* lost = &r->lost;
    int             last = lost->row >= 0 ? r->resumed_at : lost->frames[lost->count - 1];
    SHOAL_TRY(shoal_sim_load(r->sim, r->start, r->start_size));
    for (r->frame = 0, r->frame_steps = 0;;) {
        int substeps   = (int)(shoal_sim_steps(r->sim) - r->frame_steps);
        r->frame_steps = shoal_sim_steps(r->sim);
        if (run_lost_has_frame(lost, r->frame)) SHOAL_TRY(push_parts(r));
        SHOAL_TRY(run_report_rows(r, substeps, lost->row >= 0 && r->frame >= lost->row));
        tell_progress(r, substeps, run_lost_has_frame(lost, r->frame));
        if (r->frame == last) return run_writer_drain(r->writer);
        if (is_asked_to_stop(r)) return SHOAL_ERR_INTERRUPTED;
        SHOAL_TRY(advance(r));
    }
}

// Ends where it began: at the checkpoint.
static shoal_status make_again(run* r) {
    void*        state;
    size_t       size;
    int          frame = r->frame;
    int64_t      steps = r->frame_steps;
    char         message[1024];
    shoal_status made = SHOAL_OK;
    SHOAL_TRY(shoal_sim_save(r->sim, &state, &size));
    made = make_lost(r);
    if (made != SHOAL_OK) snprintf(message, sizeof message, "%s", shoal_last_error());
    int          reached = r->frame;
    shoal_status loaded  = shoal_sim_load(r->sim, state, size);
    shoal_bytes_free(state, size);
    SHOAL_TRY(loaded);
    r->frame       = frame;
    r->frame_steps = steps;
    if (made == SHOAL_OK) return SHOAL_OK;
    SHOAL_TRY(run_report_json(r, made == SHOAL_ERR_INTERRUPTED ? "interrupted" : "failed"));
    SHOAL_TRY(run_writer_drain(r->writer));
    if (made == SHOAL_ERR_INTERRUPTED)
        return shoal_fail(
            made, "interrupted at frame %d, while frames that were lost are made again; go on with --resume", reached);
    return shoal_fail(made, "%s", message);
}

static shoal_status simulate(run* r) {
    if (run_lost_is_any(&r->lost)) SHOAL_TRY(make_again(r));
    if (r->resumed_at < 0) {
        SHOAL_TRY(finish_frame(r));
    } else {
        // a wanted frame that its checkpoint outran
        bool is_there = r->frame_count > 0 && r->frames[r->frame_count - 1] == r->frame;
        bool is_mid   = shoal_sim_steps(r->sim) != r->frame_steps;
        if (!is_there && !is_mid && frame_is_wanted(r, r->frame)) SHOAL_TRY(push_frame(r));
        SHOAL_TRY(push_pvd(r));
    }
    while (r->frame < r->last) {
        shoal_status status = advance(r);
        if (status == SHOAL_ERR_INTERRUPTED) return end_interrupted(r);
        if (status != SHOAL_OK) return end_failed(r, status);
        SHOAL_TRY(finish_frame(r));
        // the simulation asks between the substeps of a frame, we between frames
        if (r->frame < r->last && is_asked_to_stop(r)) return end_interrupted(r);
    }
    return end_done(r);
}

// --- before the first step

static shoal_status read_scene(run* r) {
    if (r->def->sim.solver) SHOAL_TRY(shoal_scene_set_text(r->scene, "solver", r->def->sim.solver));
    shoal_description* description;
    SHOAL_TRY(shoal_scene_describe(r->scene, &description));
    shoal_scene_facts facts = shoal_scene_get_facts(r->scene);
    r->output               = description->output;
    r->has_domain           = description->domain.is_given;
    run_parts_name(description, &r->parts);
    r->subject = shoal_subject_box(description);
    r->fps     = facts.fps;
    r->first   = r->def->first < 0 ? 0 : r->def->first;
    r->last    = r->def->last < 0 ? facts.frames : r->def->last;
    if (r->first > r->last)
        return shoal_fail(SHOAL_ERR_INPUT, "frames %d..%d: the first comes after the last", r->first, r->last);
    if (r->last > RUN_FRAME_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "frames = %d is outside [0, %d]", r->last, RUN_FRAME_MOST);
    // the scene that ran is the one with the frames that were asked for
    description->frames = r->last;
    shoal_status status = shoal_scene_resolved(r->scene, &r->resolved);
    description->frames = facts.frames;
    SHOAL_TRY(status);
    SHOAL_TRY(run_physics(r->scene, r->resolved, &r->physics));
    r->scene_hash = shoal_hash(r->physics.bytes, r->physics.length, 0);
    return SHOAL_OK;
}

static shoal_status refuse_taken(const run* r) {
    run_survey survey;
    SHOAL_TRY(run_folder_survey(r->folder, r->stem, &survey));
    if (survey.stranger)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s/%s: is not of a run (there is no run.json) and would be written over; "
                          "move it away, or choose another folder with -o DIR",
                          r->folder, survey.stranger);
    if (!survey.holds_run || r->def->force) return SHOAL_OK;
    if (!r->def->resume)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s: the folder holds a run; add --resume to go on with it, --force to "
                          "remove it and start anew, or -o DIR to write to another folder",
                          r->folder);
    if (survey.other_stem[0])
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s: the folder holds a run of scene \"%s\", not of \"%s\"; choose another "
                          "with -o",
                          r->folder, survey.other_stem, r->stem);
    return SHOAL_OK;
}

// The frames that a resumed run finds on disk, and those that it makes again, for the .pvd.
static shoal_status find_frames(run* r) {
    char        path[SHOAL_PATH_SIZE];
    shoal_names names;
    SHOAL_TRY(shoal_path_make(path, "%s/frames", r->folder));
    SHOAL_TRY(shoal_folder_names(path, &names));
    shoal_status status = SHOAL_OK;
    for (int i = 0; i < names.count && status == SHOAL_OK; i++) {
        size_t length;
        int    number;
        if (shoal_name_is_frame(names.names[i], &length, &number, NULL) && length == strlen(r->stem) &&
            memcmp(names.names[i], r->stem, length) == 0 &&
            (r->frame_count == 0 ||
             r->frames[r->frame_count - 1] != number) && // sorted: parts of a frame follow each other
            run_frame_is_whole(r, number) &&
            !run_lost_has_frame(&r->broken, number))
            status = remember_frame(r, number);
    }
    shoal_names_free(&names);
    for (int i = 0; i < r->lost.count && status == SHOAL_OK; i++) status = remember_frame(r, r->lost.frames[i]);
    return status;
}

// "" would be the root of the file system; longer stems leave no room for what is added to them.
static shoal_status check_names(const run* r, const char* scene_path) {
    if (r->folder[0] == 0) return shoal_fail(SHOAL_ERR_INPUT, "the folder of the run has no name; give one with -o");
    if (strlen(shoal_path_name(scene_path)) > STEM_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "%.60s...: the name of the scene file is longer than %d bytes", r->stem,
                          STEM_MOST);
    return SHOAL_OK;
}

// run.json is on disk before the tables are, so that they are known as ours however soon we end.
static shoal_status begin_files(run* r) {
    r->started = r->frame_started = shoal_seconds();
    shoal_status status           = run_report_json(r, "running");
    if (status == SHOAL_OK) status = run_writer_drain(r->writer);
    if (status == SHOAL_OK) status = run_report_open(r);
    if (status == SHOAL_OK) status = simulate(r);
    if (status != SHOAL_ERR_OUTPUT) return status;
    char message[1024];
    snprintf(message, sizeof message, "%s", shoal_last_error());
    return shoal_fail(status, "%s; what was written before is whole: mend this, then go on with --resume", message);
}

static shoal_status begin(run* r, const char* scene_path) {
    if (r->def->resume && r->def->force) return shoal_fail(SHOAL_ERR_INPUT, "resume and force exclude each other");
    run_stem(scene_path, r->stem);
    shoal_run_folder(r->def, scene_path, r->folder, sizeof r->folder);
    SHOAL_TRY(check_names(r, scene_path));
    SHOAL_TRY(read_scene(r));
    SHOAL_TRY(refuse_taken(r));
    if (r->def->resume) SHOAL_TRY(run_frames_verify(r->folder, r->stem, &r->broken));
    if (r->broken.table[0])
        run_note(r, "%s: %s is not as it was written; it is made again", r->folder, r->broken.table);
    if (r->def->resume && run_is_finished(r) && !run_folder_is_busy(r->folder)) {
        run_note(r, "%s: the run is finished (frame %d)", r->folder, r->last);
        if (run_folder_was_left(r->folder)) SHOAL_TRY(run_folder_open(r)); // so that closing takes the lock away
        return run_report_scene(r);
    }

    // the simulation first: what fails here leaves the disk as it was
    SHOAL_TRY(shoal_sim_create(&r->def->sim, r->scene, &r->sim));
    if (r->def->stop) shoal_sim_set_stop(r->sim, r->def->stop, r->def->user);
    SHOAL_TRY(run_folder_open(r));
    SHOAL_TRY(refuse_taken(r)); // again: another run may have come and gone before the lock was ours
    if (r->def->force) SHOAL_TRY(run_folder_clear(r->folder, r->stem));
    if (r->def->resume) SHOAL_TRY(run_resume(r));
    SHOAL_TRY(run_folder_cut(r, r->resumed_at));
    SHOAL_TRY(find_frames(r));
    SHOAL_TRY(run_writer_create(r->csvs, &r->writer));
    if (shoal_scene_get_facts(r->scene).solver_is_chosen)
        run_note(r, "the scene names no solver; %s is chosen by its materials", shoal_sim_solver(r->sim));
    return begin_files(r);
}

shoal_status shoal_run(const shoal_run_def* def, shoal_scene* scene, const char* scene_path) {
    if (def->made_by_default != DEF_MADE)
        return shoal_fail(SHOAL_ERR_PARAM, "the run's settings were not made by shoal_run_def_default");
    run* r = shoal_alloc(1, sizeof *r);
    if (!r) return SHOAL_ERR_MEMORY;
    r->def        = def;
    r->scene      = scene;
    r->lock       = -1;
    r->resumed_at = -1;
    r->lost.row   = -1;
    r->broken.row = -1;
    for (int i = 0; i < RUN_CSV_COUNT; i++) r->csvs[i].file = -1;

    shoal_status status = begin(r, scene_path);

    run_writer_destroy(r->writer);
    run_report_close(r);
    run_folder_close(r);
    shoal_sim_destroy(r->sim);
    shoal_free(r->frames);
    run_lost_free(&r->lost);
    run_lost_free(&r->broken);
    if (r->start) shoal_bytes_free(r->start, r->start_size);
    shoal_text_free(&r->physics);
    if (r->resolved) shoal_bytes_free(r->resolved, strlen(r->resolved) + 1);
    shoal_free(r);
    return status;
}
