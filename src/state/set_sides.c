// SPDX-License-Identifier: MIT
// Both sides of a set whose passes run on a device: which of them is fresh, and how the other becomes so.
#include <math.h>
#include <string.h>

#include "exec/device.h"
#include "state/set_local.h"
#include "state/set_pass.h"

enum { POISON = 0xff }; // floats that are no numbers, places that are none

void shoal_set_move_to(shoal_set* set, shoal_device* device) {
    set->device = device;
    for (int f = 0; f < set->field_count; f++)
        for (int b = 0; b < SHOAL_BUFFER_COUNT; b++) set->fields[f].fresh[b] = SHOAL_NEAR;
}

void shoal_set_free_far(shoal_set* set) {
    shoal_free(set->survey);
    for (int f = 0; f < set->field_count && set->device; f++)
        for (int b = 0; b < SHOAL_BUFFER_COUNT; b++) shoal_far_free(set->device, set->fields[f].far[b]);
}

// ---------------------------------------------------------------------------------- here

const void* shoal_field_read(const shoal_set* set, const shoal_field* field) {
    shoal_field* f = (shoal_field*)field; // what is fetched is what it was meant to be
    if (!set->device || (f->fresh[SHOAL_NOW] & SHOAL_NEAR)) return f->data;
    set->device->fetch(set->device, f->data, f->far[SHOAL_NOW], (size_t)(set->count + set->ghosts) * f->size);
    f->fresh[SHOAL_NOW] |= SHOAL_NEAR;
    return f->data;
}

void shoal_field_copy(const shoal_set* set, const shoal_field* field, void* to, shoal_parcels* parcels) {
    size_t bytes  = (size_t)set->count * field->size;
    bool   is_far = set->device && !(field->fresh[SHOAL_NOW] & SHOAL_NEAR);
    if (is_far && parcels && shoal_parcels_post(parcels, set->device, to, field->far[SHOAL_NOW], bytes)) return;
    if (bytes > 0) memcpy(to, shoal_field_read(set, field), bytes);
}

const void* shoal_field_far(const shoal_set* set, const shoal_field* field) {
    return set->device && (field->fresh[SHOAL_NOW] & SHOAL_FAR) ? field->far[SHOAL_NOW] : NULL;
}

void shoal_field_written(const shoal_set* set, shoal_field* field) {
    if (!set->device) return;
    if (field->far[SHOAL_NOW] && set->device->poisons)
        set->device->fill(set->device, field->far[SHOAL_NOW], POISON, (size_t)set->far_capacity * field->size);
    field->fresh[SHOAL_NOW] = SHOAL_NEAR;
    if (set->survey) set->survey->is_good = false;
}

void* shoal_field_write(const shoal_set* set, shoal_field* field) {
    shoal_field_read(set, field);
    if (set->device && (field->fresh[SHOAL_NOW] & SHOAL_FAR)) shoal_field_written(set, field);
    return field->data;
}

void* shoal_set_data(const shoal_set* set, const char* name) {
    shoal_field* field = shoal_set_find(set, name);
    SHOAL_ASSERT(field);
    return shoal_field_write(set, field);
}

const void* shoal_set_read(const shoal_set* set, const char* name) {
    const shoal_field* field = shoal_set_find(set, name);
    SHOAL_ASSERT(field);
    return shoal_field_read(set, field);
}

// ---------------------------------------------------------------------------------- on the device

// Space for all items and "nobody" in the far buffers; a little more, so that new items do not move them each
// time.
static shoal_status grow_far(shoal_set* set) {
    int need = set->count + set->ghosts + 1;
    if (need <= set->far_capacity) return SHOAL_OK;
    int capacity = need + need / 32 + 1024;
    for (int f = 0; f < set->field_count; f++)
        for (int b = 0; b < SHOAL_BUFFER_COUNT; b++) {
            shoal_field* field = &set->fields[f];
            size_t       used  = (field->fresh[b] & SHOAL_FAR) ? (size_t)set->far_capacity : 0;
            if (field->far[b])
                SHOAL_TRY(shoal_far_realloc(set->device, &field->far[b], used, (size_t)capacity, field->size));
        }
    set->far_capacity = capacity;
    return SHOAL_OK;
}

static void* far_buffer(shoal_set* set, shoal_field* field, int buffer) {
    shoal_status status = grow_far(set);
    if (status == SHOAL_OK && !field->far[buffer])
        field->far[buffer] = shoal_far_alloc(set->device, (size_t)set->far_capacity, field->size);
    if (status == SHOAL_OK && field->far[buffer]) return field->far[buffer];
    shoal_device_fail(set->device, SHOAL_ERR_MEMORY, "%s", shoal_last_error());
    return NULL; // the buffer may be too small
}

static void* bind(const shoal_set* const_set, shoal_field* field, bool is_written) {
    shoal_set*    set    = (shoal_set*)const_set;
    shoal_device* device = set->device;
    void*         far    = far_buffer(set, field, SHOAL_NOW);
    if (!far) return NULL;
    if (!(field->fresh[SHOAL_NOW] & SHOAL_FAR))
        device->send(device, far, field->data, (size_t)set->count * field->size);
    if (is_written && (field->fresh[SHOAL_NOW] & SHOAL_NEAR) && device->poisons)
        memset(field->data, POISON, (size_t)set->capacity * field->size);
    field->fresh[SHOAL_NOW] = is_written ? SHOAL_FAR : field->fresh[SHOAL_NOW] | SHOAL_FAR;
    if (is_written && set->survey) set->survey->is_good = false;
    return far;
}

void* shoal_set_bind(shoal_set* set, const shoal_exec* exec, const char* name) {
    shoal_field* field = shoal_set_find(set, name);
    SHOAL_ASSERT(field && (!exec->device || exec->device == set->device));
    return exec->device ? bind(set, field, true) : shoal_field_write(set, field);
}

const void* shoal_set_seen(const shoal_set* set, const shoal_exec* exec, const char* name) {
    shoal_field* field = shoal_set_find(set, name);
    if (!field) return NULL;
    return exec->device && set->device ? bind(set, field, false) : shoal_field_read(set, field);
}

// ---------------------------------------------------------------------------------- passes

SHOAL_LOOP(permute_loop, shoal_permute_view, shoal_permute_item)
static const shoal_loop permute_loops[]      = {permute_loop};
const shoal_passes      shoal_permute_passes = {.block     = 4096,
                                                .loops     = {{[SHOAL_ISA_PLAIN] = permute_loops}},
                                                .name      = "permute",
                                                .view_size = sizeof(shoal_permute_view)};

shoal_status shoal_set_permute_again(shoal_set* set, const shoal_exec* exec, const int* order) {
    shoal_permute_view v = {.order = order};
    SHOAL_ASSERT(set->device && set->has_before);
    for (int f = 0; f < set->field_count; f++) {
        shoal_field* field = &set->fields[f];
        if (field->def.role != SHOAL_STATE) continue;
        v.fields[v.field_count].from   = field->far[set->turned];
        v.fields[v.field_count].to     = bind(set, field, true);
        v.fields[v.field_count++].size = (int)field->size;
    }
    SHOAL_TRY(shoal_device_check(set->device));
    shoal_pass_run(exec, SHOAL_ISA_PLAIN, &shoal_permute_passes, 0, &v, set->count);
    return SHOAL_OK;
}

shoal_status shoal_set_permute_far(shoal_set* set, const shoal_exec* exec, const int* order) {
    int                other = set->has_before ? SHOAL_SWAP : SHOAL_BEFORE;
    shoal_permute_view v     = {.order = order};
    SHOAL_ASSERT(!set->moved); // places in it do not follow on a device
    for (int f = 0; f < set->field_count; f++) {
        shoal_field* field = &set->fields[f];
        if (field->def.role != SHOAL_STATE) continue;
        v.fields[v.field_count].from   = bind(set, field, true);
        v.fields[v.field_count].to     = far_buffer(set, field, other);
        v.fields[v.field_count++].size = (int)field->size;
        field->fresh[other]            = SHOAL_FAR;
    }
    SHOAL_TRY(shoal_device_check(set->device));
    shoal_pass_run(exec, SHOAL_ISA_PLAIN, &shoal_permute_passes, 0, &v, set->count);
    return SHOAL_OK;
}

SHOAL_FIRST_LOOP(fault, shoal_particles_view, shoal_particles_fault)
SHOAL_MAX_LOOP(speed2, shoal_particles_view, shoal_particles_speed2)
SHOAL_SUM_LOOP(height, shoal_particles_view, shoal_particles_height)
SHOAL_MAX_LOOP(depth, shoal_particles_view, shoal_particles_depth)
SHOAL_SUM_LOOP(excess, shoal_particles_view, shoal_particles_excess)
SHOAL_SUM_LOOP(kinetic, shoal_particles_view, shoal_particles_kinetic)
SHOAL_SUM_LOOP(energy, shoal_particles_view, shoal_particles_energy)
#define X(name, how) SHOAL_SUM_LOOP(name, shoal_particles_view, shoal_particles_##name)
SHOAL_PARTICLES_MOTION(X)
#undef X
#define SHOAL_FOLD_SUM sum
#define SHOAL_FOLD_MOST most
#define SHOAL_FOLD_FIRST first
#define X(name, how) [SHOAL_PARTICLES_##name] = {.SHOAL_FOLD_##how = (name)},
static const shoal_fold particles_folds[SHOAL_PARTICLES_FOLD_COUNT] = {SHOAL_PARTICLES_FOLDS(X)};
#undef X
const shoal_passes shoal_particles_passes = {
    .block = 4096, .folds = particles_folds, .name = "particles", .view_size = sizeof(shoal_particles_view)};

// Whether what was asked last has the answer: by what the question depends on.
static bool has_answer(const shoal_survey* s, int count, int fold, const shoal_particles_view* v) {
    if (!s->is_good || s->count != count) return false;
    if (fold == SHOAL_PARTICLES_speed2) return true;
    if (fold == SHOAL_PARTICLES_height || fold == SHOAL_PARTICLES_depth)
        return memcmp(&s->asked.up, &v->up, sizeof v->up) == 0;
    return memcmp(&s->asked, v, sizeof *v) == 0;
}

static void ask(const shoal_exec* exec, shoal_survey* s, int count, const shoal_particles_view* v,
                void (*fold)(shoal_device*, const shoal_passes*, unsigned, const void*, int, double*)) {
    unsigned all = (1u << SHOAL_PARTICLES_FOLD_COUNT) - 1u, density = 1u << SHOAL_PARTICLES_excess;
    fold(exec->device, &shoal_particles_passes, v->density ? all : all & ~density, v, count, s->answers);
    s->asked   = *v;
    s->count   = count;
    s->is_good = true;
}

// Of one that lies on a device all is asked at once, since an answer takes as long as a small pass.
static double survey(const shoal_set* const_set, const shoal_exec* exec, int fold, const shoal_particles_view* v) {
    shoal_set* set = (shoal_set*)const_set; // what is known of it is no part of it
    if (!set->survey) set->survey = shoal_alloc(1, sizeof *set->survey);
    shoal_survey* s = set->survey;
    if (!s) return shoal_pass_fold(exec, &shoal_particles_passes, fold, v, set->count);
    if (!has_answer(s, set->count, fold, v)) ask(exec, s, set->count, v, exec->device->fold);
    return s->answers[fold];
}

static void inspect(const shoal_set* set, const shoal_exec* exec, shoal_particles_view* v) {
    v->position   = shoal_set_seen(set, exec, "position");
    v->velocity   = shoal_set_seen(set, exec, "velocity");
    v->material   = shoal_set_seen(set, exec, "material");
    v->density    = shoal_set_seen(set, exec, "density");
    v->own_mass   = shoal_set_seen(set, exec, "mass");
    v->own_volume = shoal_set_seen(set, exec, "volume");
}

void shoal_set_foresee(const shoal_set* set, const shoal_exec* exec) {
    shoal_survey* s = set->survey;
    if (!exec->device || !set->device || !s || s->count == 0) return; // nothing was asked yet
    shoal_particles_view v = s->asked;
    inspect(set, exec, &v);
    ask(exec, s, set->count, &v, exec->device->ask_fold);
}

double shoal_set_fold(const shoal_set* set, const shoal_exec* exec, int fold, const shoal_particles_view* asked) {
    shoal_particles_view v    = *asked;
    shoal_exec           here = {.threads = exec->threads, .device = set->device ? exec->device : NULL};
    inspect(set, &here, &v);
    return here.device ? survey(set, &here, fold, &v)
                       : shoal_pass_fold(&here, &shoal_particles_passes, fold, &v, set->count);
}

#define X(name, how) +1
enum { MOTION_COUNT = 0 SHOAL_PARTICLES_MOTION(X) };
#undef X

static void add_motion(void* view, int begin, int end, double* sums) {
    const shoal_particles_view* v = view;
    for (int i = begin; i < end; i++) {
        int k = 0;
#define X(name, how) sums[k++] += shoal_particles_##name(v, i);
        SHOAL_PARTICLES_MOTION(X)
#undef X
    }
}

shoal_motion_sums shoal_set_motion(const shoal_set* set, const shoal_exec* exec, const shoal_particles_view* asked) {
    double sums[MOTION_COUNT];
    if (set->device) {
        for (int k = 0; k < MOTION_COUNT; k++) sums[k] = shoal_set_fold(set, exec, SHOAL_PARTICLES_mass + k, asked);
    } else {
        shoal_particles_view v    = *asked;
        shoal_exec           here = {.threads = exec->threads};
        inspect(set, &here, &v);
        shoal_sums(&here, set->count, MOTION_COUNT, add_motion, &v, sums);
    }
    return (shoal_motion_sums){sums[0], {sums[1], sums[2], sums[3]}, {sums[4], sums[5], sums[6]}};
}

double shoal_set_fastest(const shoal_set* set, const shoal_exec* exec) {
    shoal_particles_view asked = {0};
    const shoal_survey*  s     = set->survey; // it asks for nothing but the velocities
    if (s && s->is_good && s->count == set->count) return sqrt(fmax(s->answers[SHOAL_PARTICLES_speed2], 0.0));
    return sqrt(fmax(shoal_set_fold(set, exec, SHOAL_PARTICLES_speed2, &asked), 0.0));
}
