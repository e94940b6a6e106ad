// SPDX-License-Identifier: MIT
// Runs of a scene, of any solver, in which something goes wrong: a step that fails, memory that is refused, a state
// that is no good. Afterwards all is as before, and the run goes on as one in which nothing ever went wrong, bit for
// bit.
#ifndef SHOAL_FAILING_H
#define SHOAL_FAILING_H

#include "lab.h"

#include "base/hash.h"
#include "sim/sim_local.h"

static const double failing_frame = 1.0 / 60.0;

// ---------------------------------------------------------------------------------- steps

static const shoal_solver_type* failing_whole;

static shoal_status failing_work_in_vain(void* self, double dt) {
    shoal_status status = failing_whole->step(self, dt);
    return status == SHOAL_OK ? shoal_fail(SHOAL_ERR_DIVERGE, "as the test wants it") : status;
}

// Of all fields of all sets, those that are only shown among them.
static uint64_t failing_shown(const shoal_sim* sim) {
    uint64_t hash = 0;
    for (int k = 0; sim->ctx.sets[k]; k++)
        for (int f = 0; f < sim->ctx.sets[k]->field_count; f++) {
            const shoal_field* field = &sim->ctx.sets[k]->fields[f];
            if (field->def.role != SHOAL_SCRATCH)
                hash = shoal_hash(shoal_field_read(sim->ctx.sets[k], field),
                                  (size_t)sim->ctx.sets[k]->count * field->size, hash);
        }
    return hash;
}

// All that is saved, so what is only shown, too.
static bool failing_are_same(shoal_sim* a, shoal_sim* b) {
    void*  bytes[2] = {NULL, NULL};
    size_t sizes[2];
    CHECK_OK(shoal_sim_save(a, &bytes[0], &sizes[0]));
    CHECK_OK(shoal_sim_save(b, &bytes[1], &sizes[1]));
    bool are_same = sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0;
    for (int k = 0; k < 2; k++) shoal_bytes_free(bytes[k], sizes[k]);
    return are_same;
}

// Each frame is begun by a step that does all its work in vain, and once more from within the interval; on a device,
// and, NULL, on the CPU, where the one lies that nothing went wrong in.
static void failing_steps_leave_nothing(const char* text, const char* device) {
    shoal_sim *       unbroken = lab_sim(text, (lab_setup){0}), *broken = lab_sim(text, (lab_setup){.device = device});
    shoal_solver_type failing = *broken->type;
    failing_whole             = broken->type;
    failing.step              = failing_work_in_vain;
    lab_run(unbroken, 3.0 * failing_frame, failing_frame);
    for (int f = 0; f < 3; f++) {
        int64_t  count = shoal_sim_count(broken);
        uint64_t shown = failing_shown(broken);
        broken->type   = &failing;
        assert_int_equal(shoal_sim_advance(broken, failing_frame), SHOAL_ERR_DIVERGE);
        uint64_t hash = shoal_sim_hash(broken);
        assert_int_equal(shoal_sim_advance(broken, failing_frame), SHOAL_ERR_DIVERGE);
        if (shoal_sim_count(broken) != count || shoal_sim_hash(broken) != hash || failing_shown(broken) != shown)
            fail_msg("a failed step leaves something:\n%s", text);
        broken->type = failing_whole;
        CHECK_OK(shoal_sim_advance(broken, failing_frame)); // the interval that was begun
    }
    if (!failing_are_same(broken, unbroken)) fail_msg("after failed steps it goes on otherwise:\n%s", text);
    shoal_sim_destroy(unbroken);
    shoal_sim_destroy(broken);
}

// ---------------------------------------------------------------------------------- memory

// Memory that is refused once, or from then on.
typedef struct failing_miser {
    int  calls, refuse; // refuse: which of them; 0: none
    bool for_good;
} failing_miser;

static void* failing_refuse(size_t bytes, void* user) {
    failing_miser* m          = user;
    bool           is_refused = ++m->calls == m->refuse || (m->for_good && m->refuse > 0 && m->calls > m->refuse);
    return is_refused ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void failing_take_back(void* memory, size_t bytes, void* user) {
    (void)bytes, (void)user;
    free(memory);
}

// Up to four of the allocations of the first frames are refused, each in a run of its own.
static void failing_memory_is_borne(const char* text, const char* name) {
    static failing_miser  m; // not gone where the test ends by a failure
    const shoal_allocator allocator = {failing_refuse, failing_take_back, &m};
    const int             tries = 4, frames = 2;
    shoal_set_allocator(&allocator);
    shoal_sim* unbroken = lab_sim(text, (lab_setup){.threads = 1});
    int        before   = m.calls;
    lab_run(unbroken, frames * failing_frame, failing_frame);
    int      calls = m.calls - before, refused = 0;
    uint64_t hash = shoal_sim_hash(unbroken);
    shoal_sim_destroy(unbroken);
    for (int k = 1; k <= calls; k += calls / tries + 1) {
        shoal_sim* broken = lab_sim(text, (lab_setup){.threads = 1});
        m.refuse          = m.calls + k;
        for (int f = 0; f < frames; f++) {
            shoal_status status = shoal_sim_advance(broken, failing_frame);
            if (status == SHOAL_OK) continue;
            assert_int_equal(status, SHOAL_ERR_MEMORY);
            refused++;
            CHECK_OK(shoal_sim_advance(broken, failing_frame));
        }
        m.refuse = 0;
        if (shoal_sim_hash(broken) != hash)
            fail_msg("%s: after the refused call %d of %d it goes on otherwise", name, k, calls);
        shoal_sim_destroy(broken);
    }
    shoal_set_allocator(NULL);
    printf("%s: %d allocations in %d frames, %d refused\n", name, calls, frames, refused);
    assert_true(refused > 0);
}

// From one of the allocations of the first frames on all are refused, while that frame is tried twice; then there is
// memory again.
static inline void failing_memory_is_missed(const char* text, const char* name) {
    static failing_miser  m;
    const shoal_allocator allocator = {failing_refuse, failing_take_back, &m};
    const int             tries = 12, frames = 2;
    m.for_good = true;
    m.refuse   = 0;
    shoal_set_allocator(&allocator);
    shoal_sim* unbroken = lab_sim(text, (lab_setup){.threads = 1});
    int        before   = m.calls;
    lab_run(unbroken, frames * failing_frame, failing_frame);
    int      calls = m.calls - before, refused = 0;
    uint64_t hash = shoal_sim_hash(unbroken);
    shoal_sim_destroy(unbroken);
    for (int k = 1; k <= calls; k += calls / tries + 1) {
        shoal_sim* broken  = lab_sim(text, (lab_setup){.threads = 1});
        bool       is_over = false; // the interval, but for the streams at its end: another call would begin the next
        m.refuse           = m.calls + k;
        for (int f = 0; f < frames; f++) {
            shoal_status status = shoal_sim_advance(broken, failing_frame);
            if (status == SHOAL_OK) continue;
            assert_int_equal(status, SHOAL_ERR_MEMORY);
            is_over = !(broken->clock.left > 0.0);
            if (is_over) break;
            uint64_t was  = shoal_sim_hash(broken);
            double   time = broken->clock.time; // what grew in the first try may do for a substep in the second
            assert_int_equal(shoal_sim_advance(broken, failing_frame), SHOAL_ERR_MEMORY);
            if (!(broken->clock.time > time)) assert_true(shoal_sim_hash(broken) == was);
            m.refuse = 0;
            refused++;
            CHECK_OK(shoal_sim_advance(broken, failing_frame));
        }
        m.refuse = 0;
        if (!is_over && shoal_sim_hash(broken) != hash)
            fail_msg("%s: without memory from call %d of %d on it goes on otherwise", name, k, calls);
        shoal_sim_destroy(broken);
    }
    shoal_set_allocator(NULL);
    assert_true(refused > 0);
}

// ---------------------------------------------------------------------------------- states

// Where a field begins in a saved state: behind its name, in 32 bytes, type and width. Sets follow each other; their
// heads are as long, and the first field stands behind: a field may have the name of a set.
static char* failing_field(const shoal_sim* sim, char* bytes, size_t size, const char* set, const char* name) {
    char   heads[3][32] = {{0}};
    size_t at           = 0;
    int    k            = 0;
    while (sim->ctx.sets[k] && strcmp(sim->ctx.sets[k]->name, set) != 0) k++;
    assert_non_null(sim->ctx.sets[k]);
    snprintf(heads[0], sizeof heads[0], "%s", set);
    snprintf(heads[1], sizeof heads[1], "%s", sim->ctx.sets[k]->fields[0].def.name);
    snprintf(heads[2], sizeof heads[2], "%s", name);
    while (at + 80 < size && (memcmp(bytes + at, heads[0], 32) != 0 || memcmp(bytes + at + 40, heads[1], 32) != 0))
        at++;
    for (at += 40; at + 40 < size && memcmp(bytes + at, heads[2], 32) != 0;) at++;
    if (at + 40 >= size) fail_msg("the saved state has no field %s of %s", name, set);
    return bytes + at + 40;
}

// The saved state `bytes` with the first value of a field replaced is refused by a sentence with `why`, and nothing has
// changed.
static void failing_state(shoal_sim* sim, char* bytes, size_t size, const char* set, const char* field,
                          const void* value, size_t length, const char* why) {
    uint64_t hash = shoal_sim_hash(sim);
    char*    at   = failing_field(sim, bytes, size, set, field);
    char     before[64];
    memcpy(before, at, length);
    memcpy(at, value, length);
    if (shoal_sim_load(sim, bytes, size) != SHOAL_ERR_INPUT) fail_msg("an odd %s of %s is taken", field, set);
    if (!strstr(shoal_last_error(), why)) fail_msg("\"%s\" does not say \"%s\"", shoal_last_error(), why);
    assert_true(shoal_sim_hash(sim) == hash);
    memcpy(at, before, length);
}

// Numbers that are none, in every field of every set, and places that are not there.
static void failing_states_are_refused(const char* text) {
    shoal_sim*    sim   = lab_sim(text, (lab_setup){0});
    void*         bytes = NULL;
    size_t        size  = 0;
    const float   nan   = NAN;
    const double  far   = (double)INFINITY;
    const int32_t lost  = INT32_MAX;
    lab_run(sim, 2.0 * failing_frame, failing_frame);
    CHECK_OK(shoal_sim_save(sim, &bytes, &size));
    lab_run(sim, failing_frame, failing_frame);
    for (int k = 0; sim->ctx.sets[k]; k++) {
        const shoal_set* set = sim->ctx.sets[k];
        for (int f = 0; f < set->field_count && set->count > 0; f++) {
            const shoal_field_def* def = &set->fields[f].def;
            bool                   is_f =
                def->type == SHOAL_F1 || def->type == SHOAL_V3 || def->type == SHOAL_V4 || def->type == SHOAL_S6;
            bool is_d = def->type == SHOAL_D1 || def->type == SHOAL_D3;
            if (def->role == SHOAL_SCRATCH) continue;
            if (is_f) failing_state(sim, bytes, size, set->name, def->name, &nan, sizeof nan, "is not a number");
            if (is_d) failing_state(sim, bytes, size, set->name, def->name, &far, sizeof far, "is not a number");
            if (shoal_type_places(def->type) > 0)
                failing_state(sim, bytes, size, set->name, def->name, &lost, sizeof lost, "are not among");
        }
    }
    lab_run(sim, failing_frame, failing_frame);
    shoal_bytes_free(bytes, size);
    shoal_sim_destroy(sim);
}

#endif
