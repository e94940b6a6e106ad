// SPDX-License-Identifier: MIT
// One thread that writes while the next step is computed. Jobs are done in the order of their
// arrival; after the first failure the rest is thrown away, so nothing newer than the failed file
// can appear.
#include "run/run_local.h"

#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LARGE_MOST = 2 }; // frames and checkpoints held at once: one being written, one waiting

struct run_writer {
    pthread_t       thread;
    pthread_mutex_t mutex;
    pthread_cond_t  changed;
    run_job*        first;
    run_job*        last;
    int             waiting, large; // jobs not yet done; large ones among them
    bool            is_ending;
    shoal_status    status; // the first failure
    char            message[1024];
    double          write_seconds, wait_seconds;
    run_csv*        csvs;
    char            list[SHOAL_PATH_SIZE]; // that was appended to since the last checkpoint; "": none
};

run_job* run_job_create(run_job_kind kind) {
    run_job* job = shoal_alloc(1, sizeof *job);
    if (job) job->kind = kind;
    return job;
}

void run_job_destroy(run_job* job) {
    if (!job) return;
    shoal_parcels_drop(&job->parcels);
    for (int k = 0; k < SHOAL_SETS_MOST; k++) shoal_frame_destroy(job->parts[k]);
    shoal_text_free(&job->text);
    shoal_checkpoint_free(&job->checkpoint);
    shoal_free(job);
}

static bool is_large(const run_job* job) { return job->kind == RUN_JOB_FRAME || job->kind == RUN_JOB_CHECKPOINT; }

static shoal_status append_row(run_csv* csv, const char* bytes, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t put = write(csv->file, bytes + done, size - done);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) {
            int why = errno;
            // a row is there whole or not at all
            if (ftruncate(csv->file, csv->length) != 0) why = errno;
            return shoal_fail(SHOAL_ERR_OUTPUT, "%s: cannot be written: %s", csv->path, strerror(why));
        }
        done += (size_t)put;
    }
    csv->length += (int64_t)size;
    return SHOAL_OK;
}

static shoal_status save_checkpoint(run_writer* writer, run_job* job) {
    for (int i = 0; i < RUN_CSV_COUNT; i++)
        if (writer->csvs[i].file >= 0 && fdatasync(writer->csvs[i].file) != 0)
            return shoal_fail(SHOAL_ERR_OUTPUT, "%s: cannot be written: %s", writer->csvs[i].path, strerror(errno));
    if (writer->list[0]) SHOAL_TRY(shoal_file_sync(writer->list));
    writer->list[0] = 0;
    SHOAL_TRY(shoal_parcels_receive(&job->parcels));
    SHOAL_TRY(shoal_checkpoint_save(&job->checkpoint, job->path));
    return run_checkpoints_trim(job->path);
}

static shoal_status save_parts(run_job* job) {
    char path[SHOAL_PATH_SIZE];
    SHOAL_TRY(shoal_parcels_receive(&job->parcels));
    for (int k = 0; k < job->names->count; k++) {
        SHOAL_TRY(shoal_path_make(path, "%s%s", job->path, job->names->endings[k]));
        SHOAL_TRY(shoal_frame_sort(job->parts[k]));
        SHOAL_TRY(shoal_frame_save(job->parts[k], path));
    }
    return SHOAL_OK;
}

static shoal_status do_job(run_writer* writer, run_job* job) {
    switch (job->kind) {
    case RUN_JOB_FRAME:
        return save_parts(job);
    case RUN_JOB_FILE:
        return shoal_file_write(job->path, job->text.bytes, job->text.length);
    case RUN_JOB_LIST:
        snprintf(writer->list, sizeof writer->list, "%s", job->path);
        return shoal_pvd_append(job->path, job->text.bytes, job->text.length);
    case RUN_JOB_ROW:
        return append_row(job->csv, job->text.bytes, job->text.length);
    case RUN_JOB_CHECKPOINT:
        return save_checkpoint(writer, job);
    }
    return SHOAL_OK;
}

static void* write_jobs(void* user) {
    run_writer* writer = user;
    pthread_mutex_lock(&writer->mutex);
    for (;;) {
        while (!writer->first && !writer->is_ending) pthread_cond_wait(&writer->changed, &writer->mutex);
        run_job* job = writer->first;
        if (!job) break;
        writer->first = job->next;
        if (!writer->first) writer->last = NULL;
        bool skip = writer->status != SHOAL_OK, large = is_large(job);
        pthread_mutex_unlock(&writer->mutex);

        double       begin  = shoal_seconds();
        shoal_status status = skip ? SHOAL_OK : do_job(writer, job);
        run_job_destroy(job);
        double spent = shoal_seconds() - begin;

        pthread_mutex_lock(&writer->mutex);
        if (status != SHOAL_OK) {
            writer->status = status;
            snprintf(writer->message, sizeof writer->message, "%s", shoal_last_error());
        }
        writer->write_seconds += spent;
        writer->waiting--;
        writer->large -= large;
        pthread_cond_broadcast(&writer->changed);
    }
    pthread_mutex_unlock(&writer->mutex);
    return NULL;
}

shoal_status run_writer_create(run_csv csvs[RUN_CSV_COUNT], run_writer** out) {
    run_writer* writer = shoal_alloc(1, sizeof *writer);
    *out               = NULL;
    if (!writer) return SHOAL_ERR_MEMORY;
    writer->csvs = csvs;
    pthread_mutex_init(&writer->mutex, NULL);
    pthread_cond_init(&writer->changed, NULL);

    // signals belong to the thread that simulates
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int why = pthread_create(&writer->thread, NULL, write_jobs, writer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (why != 0) {
        pthread_cond_destroy(&writer->changed);
        pthread_mutex_destroy(&writer->mutex);
        shoal_free(writer);
        return shoal_fail(SHOAL_ERR_MEMORY, "the writing thread cannot be started: %s", strerror(why));
    }
    *out = writer;
    return SHOAL_OK;
}

void run_writer_destroy(run_writer* writer) {
    if (!writer) return;
    pthread_mutex_lock(&writer->mutex);
    writer->is_ending = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->mutex);
    pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->mutex);
    shoal_free(writer);
}

// With the mutex held.
static void wait_for(run_writer* writer, const int* number, int most) {
    double begin = shoal_seconds();
    while (*number > most) pthread_cond_wait(&writer->changed, &writer->mutex);
    writer->wait_seconds += shoal_seconds() - begin;
}

static shoal_status first_failure(run_writer* writer) {
    return writer->status == SHOAL_OK ? SHOAL_OK : shoal_fail(writer->status, "%s", writer->message);
}

// A file that is still waiting to be written is not worth writing when its next version is here, unless it is appended
// to before.
static void drop_older(run_writer* writer, const run_job* job) {
    run_job* before = NULL;
    for (const run_job* old = writer->first; old; old = old->next)
        if (old->kind == RUN_JOB_LIST && strcmp(old->path, job->path) == 0) return;
    for (run_job* old = writer->first; old; before = old, old = old->next) {
        if (old->kind != RUN_JOB_FILE || strcmp(old->path, job->path) != 0) continue;
        if (before)
            before->next = old->next;
        else
            writer->first = old->next;
        if (writer->last == old) writer->last = before;
        writer->waiting--;
        run_job_destroy(old);
        return;
    }
}

shoal_status run_writer_push(run_writer* writer, run_job* job) {
    pthread_mutex_lock(&writer->mutex);
    if (is_large(job)) wait_for(writer, &writer->large, LARGE_MOST - 1);
    shoal_status status = first_failure(writer);
    if (status == SHOAL_OK) {
        if (job->kind == RUN_JOB_FILE) drop_older(writer, job);
        if (writer->last)
            writer->last->next = job;
        else
            writer->first = job;
        writer->last = job;
        writer->waiting++;
        writer->large += is_large(job);
        pthread_cond_broadcast(&writer->changed);
    }
    pthread_mutex_unlock(&writer->mutex);
    if (status != SHOAL_OK) run_job_destroy(job);
    return status;
}

shoal_status run_writer_drain(run_writer* writer) {
    pthread_mutex_lock(&writer->mutex);
    wait_for(writer, &writer->waiting, 0);
    shoal_status status = first_failure(writer);
    pthread_mutex_unlock(&writer->mutex);
    return status;
}

double run_writer_seconds(run_writer* writer, double* waited) {
    pthread_mutex_lock(&writer->mutex);
    double spent = writer->write_seconds;
    *waited      = writer->wait_seconds;
    pthread_mutex_unlock(&writer->mutex);
    return spent;
}
