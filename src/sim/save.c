// SPDX-License-Identifier: MIT
// The state as bytes: clock, parameters, emitters, what callers have done, and of each set every field but scratch, by
// name, so that a checkpoint made by a build with another list of sets or fields is refused and not misread.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "exec/device.h"
#include "param/param.h"
#include "shoal/sim.h"
#include "sim/shown.h"
#include "sim/sim_local.h"
#include "state/outlet.h"

static const char magic[8] = "SHOALst8";

// Reading with bounds: what does not fit fails, nothing is read beyond the end.
typedef struct reader {
    const unsigned char* at;
    size_t               left;
    bool                 is_bad;
} reader;

static void get(reader* r, void* to, size_t size) {
    if (r->is_bad || size > r->left) {
        r->is_bad = true;
        memset(to, 0, size);
        return;
    }
    if (size > 0) memcpy(to, r->at, size);
    r->at += size;
    r->left -= size;
}

// What stands ahead of a set, and of each of its fields.
typedef struct set_head {
    char    name[32];
    int64_t count;
} set_head;

typedef struct field_head {
    char    name[32];
    int32_t type;
    int32_t width;
} field_head;

static bool is_stored(const shoal_field* field) { return field->def.role != SHOAL_SCRATCH; }

static int set_count(const shoal_sim* sim) {
    int count = 0;
    while (sim->ctx.sets[count]) count++;
    return count;
}

static set_head head_of_set(const shoal_set* set) {
    set_head head = {.count = set->count};
    strncpy(head.name, set->name, sizeof head.name - 1);
    return head;
}

static field_head head_of(const shoal_field* field) {
    field_head head = {.type = (int32_t)field->def.type, .width = field->def.width > 0 ? field->def.width : 1};
    strncpy(head.name, field->def.name, sizeof head.name - 1);
    return head;
}

static size_t holds_size(const shoal_sim* sim) { return (size_t)sim->description->obstacle_count * sizeof *sim->holds; }
static size_t touch_size(const shoal_sim* sim) { return sizeof sim->touches + sizeof sim->touched + holds_size(sim); }

// Bytes of a set of `count` items.
static size_t set_size(const shoal_set* set, size_t count) {
    size_t size = sizeof(set_head);
    for (int f = 0; f < set->field_count; f++)
        if (is_stored(&set->fields[f])) size += sizeof(field_head) + count * set->fields[f].size;
    return size;
}

shoal_status shoal_sim_post(shoal_sim* sim, shoal_parcels* parcels, void** bytes, size_t* size) {
    size_t total = sizeof magic + sizeof sim->clock + 3 * sizeof(int32_t) + sim->type->params_size +
                   (size_t)sim->description->emitter_count * sizeof *sim->emitters + touch_size(sim);
    for (int k = 0; sim->ctx.sets[k]; k++) total += set_size(sim->ctx.sets[k], (size_t)sim->ctx.sets[k]->count);
    unsigned char* out = shoal_alloc_unset(1, total);
    if (!out) return SHOAL_ERR_MEMORY;

    unsigned char* at = out;
#define PUT(from, length)                                                                                              \
    do {                                                                                                               \
        size_t length_ = (length);                                                                                     \
        if (length_ > 0) memcpy(at, from, length_);                                                                    \
        at += length_;                                                                                                 \
    } while (0)
    int32_t counts[3] = {set_count(sim), sim->description->emitter_count, (int32_t)sim->type->params_size};
    PUT(magic, sizeof magic);
    PUT(&sim->clock, sizeof sim->clock);
    PUT(counts, sizeof counts);
    PUT(sim->params, sim->type->params_size);
    PUT(sim->emitters, (size_t)sim->description->emitter_count * sizeof *sim->emitters);
    PUT(sim->touches, sizeof sim->touches);
    PUT(&sim->touched, sizeof sim->touched);
    PUT(sim->holds, holds_size(sim));
    for (int k = 0; sim->ctx.sets[k]; k++) {
        const shoal_set* set  = sim->ctx.sets[k];
        set_head         head = head_of_set(set);
        PUT(&head, sizeof head);
        for (int f = 0; f < set->field_count; f++) {
            const shoal_field* field = &set->fields[f];
            if (!is_stored(field)) continue;
            field_head own = head_of(field);
            PUT(&own, sizeof own);
            shoal_field_copy(set, field, at, parcels);
            at += (size_t)set->count * field->size;
        }
    }
#undef PUT
    SHOAL_ASSERT((size_t)(at - out) == total);
    shoal_status status = shoal_device_check(sim->ctx.exec.device); // what it could not fetch
    if (status != SHOAL_OK) {
        if (parcels) shoal_parcels_drop(parcels);
        shoal_free(out);
        return status;
    }
    *bytes = out;
    *size  = total;
    return SHOAL_OK;
}

shoal_status shoal_sim_save(shoal_sim* sim, void** bytes, size_t* size) {
    return shoal_sim_post(sim, NULL, bytes, size);
}

static bool clock_is_sane(const shoal_clock* c) {
    bool is_finite = isfinite(c->time) && isfinite(c->interval) && isfinite(c->left) && isfinite(c->start) &&
                     isfinite(c->unsolved) && isfinite(c->lowest) && isfinite(c->highest) && isfinite(c->spanned) &&
                     isfinite(c->tallied) && isfinite(c->unexplained[0] + c->unexplained[1] + c->unexplained[2]);
    return is_finite && c->left >= 0.0 && c->left <= c->interval && isfinite(c->crushed) && c->steps >= 0 &&
           c->interval_steps >= 0 && c->next_id >= 0;
}

// Parameters and emitters, which stand before the fields: they decide loops and sizes, so none is taken on trust.
static shoal_status check_settings(const shoal_sim* sim, const unsigned char* at) {
    size_t size   = sim->type->params_size;
    void*  params = shoal_alloc(1, size); // aligned, as the bytes need not be
    if (!params) return SHOAL_ERR_MEMORY;
    memcpy(params, at, size);
    shoal_status status = shoal_params_check(sim->type->params, params);
    shoal_free(params);
    if (status != SHOAL_OK)
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has a parameter out of order: %s", shoal_last_error());
    for (int e = 0; e < sim->description->emitter_count; e++) {
        shoal_emitter_state state;
        memcpy(&state, at + size + (size_t)e * sizeof state, sizeof state);
        if (!isfinite(state.due)) return shoal_fail(SHOAL_ERR_INPUT, "the saved state has an emitter without a time");
    }
    return SHOAL_OK;
}

// What callers have done: counts, and motions that are some.
static shoal_status check_touch(const shoal_sim* sim, reader* r) {
    int64_t       touches[SHOAL_TOUCH_COUNT];
    shoal_touched touched;
    shoal_hold*   holds = shoal_alloc((size_t)sim->description->obstacle_count + 1, sizeof *holds);
    if (!holds) return SHOAL_ERR_MEMORY;
    get(r, touches, sizeof touches);
    get(r, &touched, sizeof touched);
    get(r, holds, holds_size(sim));
    bool is_sane = !r->is_bad && shoal_sim_touched_is_sane(sim, &touched, holds);
    for (int k = 0; k < SHOAL_TOUCH_COUNT; k++) is_sane = is_sane && touches[k] >= 0;
    shoal_free(holds);
    return is_sane ? SHOAL_OK : shoal_fail(SHOAL_ERR_INPUT, "the saved state has touches of a caller that cannot be");
}

static bool is_finite(shoal_type type, const unsigned char* at, size_t size) {
    bool is_double = type == SHOAL_D1 || type == SHOAL_D3,
         is_float  = type == SHOAL_F1 || type == SHOAL_V3 || type == SHOAL_V4 || type == SHOAL_S6;
    for (size_t k = 0; is_float && k < size; k += sizeof(float)) {
        float value;
        memcpy(&value, at + k, sizeof value);
        if (!isfinite(value)) return false;
    }
    for (size_t k = 0; is_double && k < size; k += sizeof(double)) {
        double value;
        memcpy(&value, at + k, sizeof value);
        if (!isfinite(value)) return false;
    }
    return true;
}

// Materials and emitters that exist.
static shoal_status check_words(const shoal_sim* sim, const char* name, const unsigned char* at, size_t size) {
    const shoal_description* d = sim->description;
    for (size_t k = 0; strcmp(name, "material") == 0 && k < size; k++)
        if (at[k] >= d->material_count)
            return shoal_fail(SHOAL_ERR_INPUT, "the saved state has a material that the scene has not");
    for (size_t k = 0; strcmp(name, "holder") == 0 && k < size; k++)
        if (at[k] > 0 && (at[k] > d->emitter_count || !shoal_is_stream(&d->emitters[at[k] - 1])))
            return shoal_fail(SHOAL_ERR_INPUT,
                              "the saved state has a particle held by an emitter that the scene has not");
    return SHOAL_OK;
}

// Looks at the head of a set and at every field before any is taken: names, sizes, finite numbers, words that exist.
static shoal_status check_set(const shoal_sim* sim, const shoal_set* set, reader* r) {
    set_head head, want = head_of_set(set);
    get(r, &head, sizeof head);
    if (r->is_bad || memcmp(head.name, want.name, sizeof head.name) != 0)
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has set '%.31s' where '%s' is expected", head.name,
                          want.name);
    if (head.count < 0 || head.count > INT32_MAX / 2 || (set->life == SHOAL_FIXED && head.count != want.count))
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has %lld items of %s", (long long)head.count, set->name);
    for (int f = 0; f < set->field_count; f++) {
        const shoal_field* field = &set->fields[f];
        if (!is_stored(field)) continue;
        field_head own, wanted = head_of(field);
        size_t     size = (size_t)head.count * field->size;
        get(r, &own, sizeof own);
        if (!r->is_bad && memcmp(&own, &wanted, sizeof own) != 0)
            return shoal_fail(SHOAL_ERR_INPUT, "the saved state has field '%.31s' where '%s' of %s is expected",
                              own.name, wanted.name, set->name);
        if (r->is_bad || size > r->left) return shoal_fail(SHOAL_ERR_INPUT, "the saved state is cut short");
        if (!is_finite(field->def.type, r->at, size))
            return shoal_fail(SHOAL_ERR_INPUT, "the saved state has a %s of %s that is not a number", wanted.name,
                              set->name);
        SHOAL_TRY(check_words(sim, wanted.name, r->at, size));
        r->at += size, r->left -= size;
    }
    return SHOAL_OK;
}

static shoal_status take_set(shoal_set* set, reader* r) {
    set_head head;
    get(r, &head, sizeof head);
    SHOAL_TRY(shoal_set_reserve(set, (int)head.count));
    set->count  = (int)head.count;
    set->ghosts = 0;
    for (int f = 0; f < set->field_count; f++) {
        field_head own;
        if (!is_stored(&set->fields[f])) continue;
        get(r, &own, sizeof own);
        get(r, set->fields[f].data, (size_t)set->count * set->fields[f].size);
        shoal_field_written(set, &set->fields[f]);
    }
    shoal_set_mark(set); // nothing of the state before comes back
    return SHOAL_OK;
}

// Places in another set are there, or -1.
static shoal_status check_places(const shoal_sim* sim, const shoal_set* set, const shoal_field* field) {
    size_t count = (size_t)set->count * field->size / sizeof(int32_t);
    for (int k = 0; sim->ctx.sets[k]; k++) {
        const shoal_set* other = sim->ctx.sets[k];
        if (strcmp(other->name, field->def.unit) != 0) continue;
        for (size_t i = 0; i < count; i++) {
            int32_t place = ((const int32_t*)shoal_field_read(set, field))[i];
            if (place < -1 || place >= other->count)
                return shoal_fail(SHOAL_ERR_INPUT, "the saved state has %s of %s that are not among its %d %s",
                                  field->def.name, set->name, other->count, other->name);
        }
    }
    return SHOAL_OK;
}

static shoal_status check_references(const shoal_sim* sim) {
    for (int k = 0; sim->ctx.sets[k]; k++)
        for (int f = 0; f < sim->ctx.sets[k]->field_count; f++) {
            const shoal_field* field = &sim->ctx.sets[k]->fields[f];
            if (shoal_type_places(field->def.type) > 0 && is_stored(field))
                SHOAL_TRY(check_places(sim, sim->ctx.sets[k], field));
        }
    return SHOAL_OK;
}

// Everything behind the magic, which is checked.
static shoal_status take(shoal_sim* sim, reader r) {
    int32_t counts[3];
    get(&r, &sim->clock, sizeof sim->clock);
    get(&r, counts, sizeof counts);
    get(&r, sim->params, sim->type->params_size);
    get(&r, sim->emitters, (size_t)counts[1] * sizeof *sim->emitters);
    get(&r, sim->touches, sizeof sim->touches);
    get(&r, &sim->touched, sizeof sim->touched);
    get(&r, sim->holds, holds_size(sim));
    shoal_sim_touch_take(sim);
    sim->centre.is_known = false;
    memcpy(sim->description->solver_params, sim->params, sim->type->params_size);
    char why[256];
    if (sim->ctx.exec.device && shoal_sim_stays_here(sim, why, sizeof why))
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state cannot go on on %s: %s", sim->ctx.exec.device->name, why);
    sim->type->set_params(sim->self, sim->params);
    for (int k = 0; sim->ctx.sets[k]; k++) SHOAL_TRY(take_set(sim->ctx.sets[k], &r));
    SHOAL_TRY(check_references(sim));
    shoal_world_move(sim->world, sim->clock.time, 0.0);
    return sim->type->check ? sim->type->check(sim->self) : SHOAL_OK;
}

static shoal_status check(const shoal_sim* sim, reader r) {
    shoal_clock clock;
    int32_t     counts[3];
    get(&r, &clock, sizeof clock);
    get(&r, counts, sizeof counts);
    size_t settings = sim->type->params_size + (size_t)sim->description->emitter_count * sizeof *sim->emitters;
    if (r.is_bad || counts[0] != set_count(sim) || counts[1] != sim->description->emitter_count ||
        counts[2] != (int32_t)sim->type->params_size)
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state belongs to another scene or solver");
    if (settings > r.left) return shoal_fail(SHOAL_ERR_INPUT, "the saved state is cut short");
    SHOAL_TRY(check_settings(sim, r.at));
    if (!clock_is_sane(&clock)) return shoal_fail(SHOAL_ERR_INPUT, "the clock of the saved state is out of order");
    r.at += settings, r.left -= settings;
    SHOAL_TRY(check_touch(sim, &r));
    for (int k = 0; sim->ctx.sets[k]; k++) SHOAL_TRY(check_set(sim, sim->ctx.sets[k], &r));
    return r.left == 0 ? SHOAL_OK : shoal_fail(SHOAL_ERR_INPUT, "the saved state is too long");
}

shoal_status shoal_sim_load(shoal_sim* sim, const void* bytes, size_t size) {
    reader r = {bytes, size, false};
    char   mark[sizeof magic];
    get(&r, mark, sizeof mark);
    if (!r.is_bad && memcmp(mark, magic, sizeof magic - 1) == 0 && mark[sizeof magic - 1] != magic[sizeof magic - 1])
        return shoal_fail(SHOAL_ERR_INPUT,
                          "the saved state is of another build of Shoal, whose states differ; start the run anew");
    if (r.is_bad || memcmp(mark, magic, sizeof magic) != 0)
        return shoal_fail(SHOAL_ERR_INPUT, "this is not a saved state of Shoal %s", SHOAL_VERSION);
    SHOAL_TRY(check(sim, r));

    // what only the solver can tell is seen when it has all of it, so what was there comes back if it says no
    void*  own = NULL;
    size_t own_size;
    SHOAL_TRY(shoal_sim_save(sim, &own, &own_size));
    shoal_status status = take(sim, r);
    if (status != SHOAL_OK) {
        char why[512];
        snprintf(why, sizeof why, "%s", shoal_last_error());
        reader back = {(const unsigned char*)own + sizeof magic, own_size - sizeof magic, false};
        if (take(sim, back) == SHOAL_OK) (void)shoal_fail(status, "%s", why);
    }
    shoal_free(own);
    return status;
}

uint64_t shoal_sim_hash(const shoal_sim* sim) {
    uint64_t hash = shoal_hash(&sim->clock, sizeof sim->clock, 0);
    hash          = shoal_hash(sim->params, sim->type->params_size, hash);
    hash          = shoal_hash(sim->emitters, (size_t)sim->description->emitter_count * sizeof *sim->emitters, hash);
    if (shoal_sim_is_touched(sim)) {
        hash = shoal_hash(&sim->touched, sizeof sim->touched, hash);
        hash = shoal_hash(sim->holds, holds_size(sim), hash);
    }
    for (int k = 0; sim->ctx.sets[k]; k++) {
        const shoal_set* set = sim->ctx.sets[k];
        for (int f = 0; f < set->field_count; f++)
            if (set->fields[f].def.role == SHOAL_STATE)
                hash =
                    shoal_hash(shoal_field_read(set, &set->fields[f]), (size_t)set->count * set->fields[f].size, hash);
    }
    return hash;
}
