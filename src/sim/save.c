// SPDX-License-Identifier: MIT
// The state as bytes: clock, parameters, emitters, and every field that frames show, by name, so that a checkpoint made by a
// build with another list of fields is refused and not misread.
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "param/param.h"
#include "shoal/sim.h"
#include "sim/sim_local.h"
#include "state/outlet.h"

static const char magic[8] = "SHOALst5";

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

typedef struct field_head {
    char    name[32];
    int32_t type;
    int32_t spare;
} field_head;

static bool is_kept(const shoal_field* field) { return field->def.role != SHOAL_SCRATCH; }

static int kept_count(const shoal_set* set) {
    int count = 0;
    for (int f = 0; f < set->field_count; f++) count += is_kept(&set->fields[f]);
    return count;
}

static field_head head_of(const shoal_field* field) {
    field_head head = {.type = (int32_t)field->def.type};
    strncpy(head.name, field->def.name, sizeof head.name - 1);
    return head;
}

shoal_status shoal_sim_save(shoal_sim* sim, void** bytes, size_t* size) {
    const shoal_set* set   = sim->ctx.particles;
    size_t           total = sizeof magic + sizeof sim->clock + 4 * sizeof(int32_t) + sim->type->params_size +
                   (size_t)sim->description->emitter_count * sizeof *sim->emitters;
    for (int f = 0; f < set->field_count; f++)
        if (is_kept(&set->fields[f]))
            total += sizeof(field_head) + (size_t)set->count * shoal_type_size(set->fields[f].def.type);
    uint64_t kept = sim->type->keep ? sim->type->kept_size(sim->self) : 0; // what the solver has besides
    total += sizeof kept + (size_t)kept;
    unsigned char* out = shoal_alloc(1, total);
    if (!out) return SHOAL_ERR_MEMORY;

    unsigned char* at = out;
#define PUT(from, length)                                                                          \
    do {                                                                                           \
        size_t length_ = (length);                                                                 \
        if (length_ > 0) memcpy(at, from, length_);                                                \
        at += length_;                                                                             \
    } while (0)
    int32_t counts[4] = {set->count, kept_count(set), sim->description->emitter_count, (int32_t)sim->type->params_size};
    PUT(magic, sizeof magic);
    PUT(&sim->clock, sizeof sim->clock);
    PUT(counts, sizeof counts);
    PUT(sim->params, sim->type->params_size);
    PUT(sim->emitters, (size_t)sim->description->emitter_count * sizeof *sim->emitters);
    for (int f = 0; f < set->field_count; f++) {
        const shoal_field* field = &set->fields[f];
        if (!is_kept(field)) continue;
        field_head head = head_of(field);
        PUT(&head, sizeof head);
        PUT(field->data, (size_t)set->count * shoal_type_size(field->def.type));
    }
    PUT(&kept, sizeof kept);
#undef PUT
    if (kept > 0) sim->type->keep(sim->self, at);
    at += kept;
    SHOAL_ASSERT((size_t)(at - out) == total);
    *bytes = out;
    *size  = total;
    return SHOAL_OK;
}

static bool clock_is_sane(const shoal_clock* c) {
    bool is_finite = isfinite(c->time) && isfinite(c->interval) && isfinite(c->left) &&
                     isfinite(c->start) && isfinite(c->strained) && isfinite(c->lowest) &&
                     isfinite(c->highest) && isfinite(c->spanned) && isfinite(c->tallied);
    return is_finite && c->left >= 0.0 && c->left <= c->interval && isfinite(c->crushed) && c->steps >= 0 && c->interval_steps >= 0 && c->next_id >= 0;
}

// Parameters and emitters, which stand before the fields: they decide loops and sizes, so none is taken on trust.
static shoal_status check_settings(const shoal_sim* sim, const unsigned char* at) {
    size_t size   = sim->type->params_size;
    void*  params = shoal_alloc(1, size); // aligned, as the bytes need not be
    if (!params) return SHOAL_ERR_MEMORY;
    memcpy(params, at, size);
    shoal_status status = shoal_params_check(sim->type->params, params);
    shoal_free(params);
    if (status != SHOAL_OK) return shoal_fail(SHOAL_ERR_INPUT, "the saved state has a parameter out of order: %s", shoal_last_error());
    for (int e = 0; e < sim->description->emitter_count; e++) {
        shoal_emitter_state state;
        memcpy(&state, at + size + (size_t)e * sizeof state, sizeof state);
        if (!isfinite(state.due)) return shoal_fail(SHOAL_ERR_INPUT, "the saved state has an emitter without a time");
    }
    return SHOAL_OK;
}

// Looks at every field before any is taken: names, materials that exist, finite numbers.
static shoal_status check_fields(const shoal_sim* sim, reader r, int32_t count, size_t skip) {
    r.at += skip, r.left -= skip;
    const shoal_set* set = sim->ctx.particles;
    for (int f = 0; f < set->field_count; f++) {
        if (!is_kept(&set->fields[f])) continue;
        field_head head, want = head_of(&set->fields[f]);
        size_t     size = (size_t)count * shoal_type_size(set->fields[f].def.type);
        get(&r, &head, sizeof head);
        if (memcmp(&head, &want, sizeof head) != 0)
            return shoal_fail(SHOAL_ERR_INPUT, "the saved state has field '%.31s' where '%s' is expected", head.name, want.name);
        for (size_t k = 0; k < size; k += 4) {
            float value = 0.0f;
            memcpy(&value, r.at + k, size - k < 4 ? size - k : 4);
            bool is_float = want.type != SHOAL_I1 && want.type != SHOAL_U1;
            if (is_float && !isfinite(value))
                return shoal_fail(SHOAL_ERR_INPUT, "the saved state has a %s that is not a number", want.name);
        }
        for (size_t k = 0; strcmp(want.name, "material") == 0 && k < size; k++)
            if (r.at[k] >= sim->description->material_count)
                return shoal_fail(SHOAL_ERR_INPUT, "the saved state has a material that the scene has not");
        for (size_t k = 0; strcmp(want.name, "holder") == 0 && k < size; k++)
            if (r.at[k] > 0 && (r.at[k] > sim->description->emitter_count || !shoal_is_stream(&sim->description->emitters[r.at[k] - 1])))
                return shoal_fail(SHOAL_ERR_INPUT, "the saved state has a particle held by an emitter that the scene has not");
        r.at += size, r.left -= size;
    }
    return SHOAL_OK;
}

shoal_status shoal_sim_load(shoal_sim* sim, const void* bytes, size_t size) {
    shoal_set*  set = sim->ctx.particles;
    reader      r   = {bytes, size, false};
    char        mark[sizeof magic];
    shoal_clock clock;
    int32_t     counts[4];
    get(&r, mark, sizeof mark);
    get(&r, &clock, sizeof clock);
    get(&r, counts, sizeof counts);
    if (!r.is_bad && memcmp(mark, magic, sizeof magic - 1) == 0 && mark[sizeof magic - 1] != magic[sizeof magic - 1])
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state is of another build of Shoal, whose states differ; start the run anew");
    if (r.is_bad || memcmp(mark, magic, sizeof magic) != 0)
        return shoal_fail(SHOAL_ERR_INPUT, "this is not a saved state of Shoal %s", SHOAL_VERSION);
    if (counts[1] != kept_count(set) || counts[2] != sim->description->emitter_count || counts[0] < 0 ||
        counts[3] != (int32_t)sim->type->params_size)
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state belongs to another scene or solver");

    // the length tells whether all of it is there, before anything is touched
    size_t need = sim->type->params_size + (size_t)counts[2] * sizeof *sim->emitters;
    for (int f = 0; f < set->field_count; f++)
        if (is_kept(&set->fields[f]))
            need += sizeof(field_head) + (size_t)counts[0] * shoal_type_size(set->fields[f].def.type);
    uint64_t kept = 0;
    if (need <= r.left && r.left - need >= sizeof kept) memcpy(&kept, r.at + need, sizeof kept);
    if (need > r.left || r.left - need < sizeof kept || kept != r.left - need - sizeof kept || (kept > 0 && !sim->type->recall))
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state is cut short or too long");
    SHOAL_TRY(check_fields(sim, r, counts[0], sim->type->params_size + (size_t)counts[2] * sizeof *sim->emitters));
    SHOAL_TRY(check_settings(sim, r.at));
    if (!clock_is_sane(&clock)) return shoal_fail(SHOAL_ERR_INPUT, "the clock of the saved state is out of order");
    SHOAL_TRY(shoal_set_reserve(set, counts[0]));
    if (sim->type->recall) SHOAL_TRY(sim->type->recall(sim->self, r.at + need + sizeof kept, (size_t)kept));

    get(&r, sim->params, sim->type->params_size);
    sim->type->set_params(sim->self, sim->params);
    shoal_emitter_state* emitters = sim->emitters;
    get(&r, emitters, (size_t)counts[2] * sizeof *emitters);
    set->count = counts[0];
    set->ghosts = set->before_count = 0;
    for (int f = 0; f < set->field_count; f++) {
        shoal_field* field = &set->fields[f];
        if (!is_kept(field)) continue;
        field_head head;
        get(&r, &head, sizeof head);
        get(&r, field->data, (size_t)set->count * shoal_type_size(field->def.type));
    }
    sim->clock = clock;
    shoal_world_move(sim->world, clock.time, 0.0);
    return SHOAL_OK;
}

// What the solver keeps beyond its fields; a hash that cannot have the memory is that of the fields alone.
static uint64_t hash_of_kept(const shoal_sim* sim, uint64_t hash) {
    size_t size  = sim->type->keep ? sim->type->kept_size(sim->self) : 0;
    void*  bytes = size > 0 ? shoal_alloc(1, size) : NULL;
    if (!bytes) return hash;
    sim->type->keep(sim->self, bytes);
    hash = shoal_hash(bytes, size, hash);
    shoal_free(bytes);
    return hash;
}

uint64_t shoal_sim_hash(const shoal_sim* sim) {
    const shoal_set* set = sim->ctx.particles;
    uint64_t hash = shoal_hash(&sim->clock, sizeof sim->clock, 0);
    hash = shoal_hash(sim->params, sim->type->params_size, hash);
    hash = shoal_hash(sim->emitters, (size_t)sim->description->emitter_count * sizeof *sim->emitters, hash);
    for (int f = 0; f < set->field_count; f++)
        if (is_kept(&set->fields[f]))
            hash = shoal_hash(set->fields[f].data, (size_t)set->count * shoal_type_size(set->fields[f].def.type), hash);
    return hash_of_kept(sim, hash);
}
