// SPDX-License-Identifier: MIT
// The thread of a simulation: it goes on by one frame when it is asked to, and is read and touched between frames
// alone. One that is kept is that of a run in a folder, which writes frames, stats and checkpoints as `shoal run` does.
#include "view_local.h"

#include <string.h>

static bool must_end(void* user) {
    view_stepper* s = user;
    pthread_mutex_lock(&s->mutex);
    bool is_ending = s->is_ending;
    pthread_mutex_unlock(&s->mutex);
    return is_ending || cli_should_stop(NULL);
}

// With the mutex held: the frame that was asked for is there, or has failed.
static void answer(view_stepper* s, shoal_status status) {
    s->took   = cli_seconds() - s->began;
    s->status = status;
    if (status != SHOAL_OK) snprintf(s->error, sizeof s->error, "%s", shoal_last_error());
    s->is_asked = false;
    pthread_cond_broadcast(&s->changed);
}

// With the mutex held: until there is something to do.
static void await(view_stepper* s) {
    while (!s->is_asked && !s->is_ending) pthread_cond_wait(&s->changed, &s->mutex);
    s->began = cli_seconds();
}

static void* step_life(void* user) {
    view_stepper* s = user;
    pthread_mutex_lock(&s->mutex);
    for (await(s); !s->is_ending; await(s)) {
        pthread_mutex_unlock(&s->mutex);
        shoal_status status = shoal_sim_advance(s->sim, s->seconds);
        pthread_mutex_lock(&s->mutex);
        answer(s, status);
    }
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

// Ahead of each frame of a run: the last one is there, and the simulation is the viewer's until it asks for the next.
static void touch(shoal_sim* sim, int frame, void* user) {
    view_stepper* s = user;
    (void)frame;
    pthread_mutex_lock(&s->mutex);
    s->sim = sim;
    answer(s, SHOAL_OK);
    await(s);
    pthread_mutex_unlock(&s->mutex);
}

static void tell(const char* text, void* user) {
    (void)user;
    fprintf(stderr, "%s\n", text);
}

static void* run_life(void* user) {
    view_stepper* s     = user;
    shoal_run_def def   = *s->run;
    def.touch           = touch;
    def.touch_is_a_hand = true;
    def.stop            = must_end;
    def.note            = tell;
    def.user            = s;
    shoal_status status = shoal_run(&def, s->scene, s->path);
    pthread_mutex_lock(&s->mutex);
    s->sim       = NULL;
    s->has_ended = true;
    answer(s, status);
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

static shoal_status start(view_stepper* s, void* (*life)(void*)) {
    int error = pthread_create(&s->thread, NULL, life, s);
    if (error == 0) {
        s->is_started = true;
        return SHOAL_OK;
    }
    snprintf(s->error, sizeof s->error, "no thread for the simulation: %s", strerror(error));
    return SHOAL_ERR_INTERNAL;
}

shoal_status view_step_begin(view_stepper* s, const view_def* def) {
    if (def->run) { // it makes the simulation, and then waits
        s->run              = def->run;
        s->scene            = def->scene;
        s->path             = def->path;
        s->is_asked         = true;
        shoal_status status = start(s, run_life);
        if (status != SHOAL_OK) return status;
        view_step_wait(s);
        return s->status;
    }
    shoal_status status = shoal_sim_create(&def->sim, def->scene, &s->sim);
    if (status == SHOAL_OK && def->checkpoint) status = shoal_run_checkpoint(def->checkpoint, s->sim);
    if (status != SHOAL_OK) return status;
    shoal_sim_set_stop(s->sim, must_end, s);
    return start(s, step_life);
}

bool view_step_is_busy(view_stepper* s) {
    pthread_mutex_lock(&s->mutex);
    bool is_busy = s->is_asked;
    pthread_mutex_unlock(&s->mutex);
    return is_busy;
}

void view_step_ask(view_stepper* s) {
    pthread_mutex_lock(&s->mutex);
    s->is_asked = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
}

void view_step_wait(view_stepper* s) {
    pthread_mutex_lock(&s->mutex);
    while (s->is_asked) pthread_cond_wait(&s->changed, &s->mutex);
    pthread_mutex_unlock(&s->mutex);
}

shoal_status view_step_end(view_stepper* s) {
    if (!s->is_started) return SHOAL_OK;
    pthread_mutex_lock(&s->mutex);
    s->is_ending = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    pthread_join(s->thread, NULL);
    s->is_started = false;
    if (!s->run) return SHOAL_OK;
    if (s->error[0]) fprintf(stderr, "%s\n", s->error);
    return s->status == SHOAL_ERR_INTERRUPTED ? SHOAL_OK : s->status;
}
