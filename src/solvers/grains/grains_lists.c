// SPDX-License-Identifier: MIT
// Lists of possible contacts: their memory, and the order in which they are built (grains_lists_pass.h).
#include "solvers/grains/grains_local.h"

#include <string.h>

// ---------------------------------------------------------------------------------- memory

// clang-format off
#define EACH_OF_WORK(X)                                                                                                \
    X(place[0]) X(place[1]) X(fine[0]) X(fine[1]) X(speed[0]) X(speed[1]) X(spin[0]) X(spin[1]) X(home) X(own)         \
    X(own_swap) X(id) X(wet) X(water) X(water_next) X(offer) X(pending) X(outer) X(outer_swap) X(first) X(history)      \
    X(coordination) X(overlap) X(elastic)
// clang-format on

void grains_work_free(grains_work* w, shoal_device* device) {
#define X(array) shoal_far_free(device, w->array);
    EACH_OF_WORK(X)
#undef X
    *w = (grains_work){0};
}

// Grows; the contents stay, since images may ask for room in the middle of a step.
shoal_status grains_work_reserve(grains_work* w, shoal_device* device, int count) {
    if (count <= w->capacity) return SHOAL_OK;
    size_t used = (size_t)w->capacity, capacity = (size_t)count + (size_t)count / (device ? 32 : 4) + 64;
    w->capacity = 0;
#define X(array) SHOAL_TRY(shoal_far_realloc(device, (void**)&w->array, used, capacity, sizeof *w->array));
    EACH_OF_WORK(X)
#undef X
    w->capacity = (int)capacity;
    return SHOAL_OK;
}

void grains_lists_free(grains_lists* l, shoal_device* device) {
    void* const all[] = {l->first, l->count, l->solid, l->solids, l->index,  l->close,  l->member, l->row,  l->slide,
                         l->roll,  l->held,  l->wake,  l->damp,   l->wetted, l->around, l->path,   l->given};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) shoal_far_free(device, all[k]);
    *l = (grains_lists){0};
}

#define MAKE(array, capacity) SHOAL_TRY(shoal_far_realloc(device, (void**)&(array), 0, capacity, sizeof *(array)))

static shoal_status reserve_grains(grains_lists* l, shoal_device* device, int count) {
    if (count < l->capacity) return SHOAL_OK;
    size_t capacity = ((size_t)count + (size_t)count / (device ? 32 : 4)) / SHOAL_LANES * SHOAL_LANES + 64;
    size_t blocks   = capacity / GRAINS_BLOCK + 1;
    l->capacity     = 0;
    MAKE(l->first, capacity);
    MAKE(l->count, capacity);
    MAKE(l->close, capacity);
    MAKE(l->member, capacity);
    MAKE(l->row, capacity / SHOAL_LANES + 1);
    MAKE(l->damp, capacity / SHOAL_LANES);
    MAKE(l->wetted, blocks);
    MAKE(l->around, blocks * (GRAINS_AROUND + 1));
    MAKE(l->path, blocks);
    MAKE(l->solid, capacity);
    MAKE(l->solids, capacity);
    l->capacity = (int)capacity;
    return SHOAL_OK;
}

static shoal_status reserve_slots(grains_lists* l, shoal_device* device, size_t slots) {
    size_t solids = slots - l->first_solid;
    if (solids > l->solid_capacity) {
        size_t capacity   = solids + solids / 8 + 64;
        l->solid_capacity = 0;
        MAKE(l->given, capacity);
        l->solid_capacity = capacity;
    }
    slots += 2 * SHOAL_LANES; // two rows beyond the last, whose springs are asked for ahead
    if (slots <= l->slot_capacity) return SHOAL_OK;
    size_t capacity  = (slots + slots / (device ? 32 : 8) + 1024) / SHOAL_LANES * SHOAL_LANES;
    l->slot_capacity = 0;
    MAKE(l->index, capacity);
    MAKE(l->slide, capacity * 3);
    MAKE(l->roll, capacity * 3);
    MAKE(l->held, capacity);
    MAKE(l->wake, capacity / SHOAL_LANES);
    l->slot_capacity = capacity;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- passes by blocks

void grains_thin_loop(const void* view, int begin, int end) {
    const grains_state* s                               = view;
    const grains_lists* l                               = &s->view.lists;
    int                 before[GRAINS_FEW * GRAINS_FEW] = {0}, *member = l->member + begin;
    uint8_t             key[GRAINS_BLOCK];
    for (int i = begin; i < end; i++) {
        grains_thin(s, i);
        key[i - begin] = (uint8_t)grains_key_of(l, i);
        before[key[i - begin]]++;
    }
    for (int k = 0, sum = 0; k < GRAINS_FEW * GRAINS_FEW; k++) {
        int own   = before[k];
        before[k] = sum;
        sum += own;
    }
    for (int i = begin; i < end; i++) member[before[key[i - begin]]++] = i;
    for (int i = end; i % SHOAL_LANES != 0; i++) l->member[i] = s->view.nobody;
}

// The slots of a team: each grain's own, then "nobody" down to the last row. Kept contacts are among the first of a
// grain; rows without any are asleep, and have no springs yet.
static void fill_team(const grains_state* s, int team) {
    const grains_lists* l     = &s->view.lists;
    size_t              first = (size_t)l->row[team] * SHOAL_LANES, last = (size_t)l->row[team + 1] * SHOAL_LANES;
    for (size_t row = l->row[team]; row < l->row[team + 1]; row++) l->wake[row] = 0.0f;
    for (size_t slot = first; slot < last; slot++) l->index[slot] = s->view.nobody;
    for (int lane = 0; lane < SHOAL_LANES; lane++) {
        int i = l->member[team * SHOAL_LANES + lane];
        if (i >= s->view.count) continue;
        const int* near    = s->near.index + (size_t)SHOAL_LANES * s->near.start[i];
        grains_run history = grains_history_of(s, i);
        int        left    = grains_history_grains(s, history);
        for (size_t k = 0, slot = first + (size_t)lane; k < l->count[i]; k++, slot += SHOAL_LANES) {
            l->index[slot] = near[k];
            int found      = left > 0 ? grains_history_with(s, history, s->work.id[near[k]]) : -1;
            if (found < 0) continue;
            grains_waken(l, slot / SHOAL_LANES);
            grains_recall(s, slot, found);
            left--;
        }
        grains_fill_solids(s, i);
    }
}

// The blocks in which a block's partners are, itself included.
static void search_around(const grains_state* s, int block, int first_team, int teams) {
    enum { RECENT = 64 };
    const grains_lists* l      = &s->view.lists;
    int *               around = l->around + (size_t)block * (GRAINS_AROUND + 1), count = 1, recent[RECENT];
    for (int k = 0; k < RECENT; k++) recent[k] = block;
    around[1] = block;
    for (size_t slot = (size_t)l->row[first_team] * SHOAL_LANES;
         slot < (size_t)l->row[first_team + teams] * SHOAL_LANES; slot++) {
        int j = l->index[slot], known = 1;
        if (j == s->view.nobody) continue;
        int other = grains_block_of(s, j);
        if (recent[other % RECENT] == other || count > GRAINS_AROUND) continue;
        recent[other % RECENT] = other;
        while (known <= count && around[known] != other) known++;
        if (known > count && ++count <= GRAINS_AROUND) around[count] = other;
    }
    around[0]      = count;
    l->path[block] = 0.0f;
}

void grains_fill_loop(const void* view, int begin, int end) {
    int first = begin / SHOAL_LANES, last = (end + SHOAL_LANES - 1) / SHOAL_LANES;
    for (int team = first; team < last; team++) fill_team(view, team);
    search_around(view, begin / GRAINS_BLOCK, first, last - first);
}

// ---------------------------------------------------------------------------------- building

static int teams_of(const grains* s) { return (s->all.view.count + SHOAL_LANES - 1) / SHOAL_LANES; }

// Where everything lies; the number of slots.
static shoal_status lay_out(grains* s, size_t* slots) {
    const shoal_exec* exec  = &s->ctx->exec;
    grains_lists*     l     = &s->all.view.lists;
    int               count = s->all.view.count, teams = teams_of(s);
    *slots = l->first_solid = 0;
    if (count == 0) return SHOAL_OK;
    grains_run_on(s, GRAINS_deepen, teams);
    l->first_solid = SHOAL_LANES * shoal_pass_scan(exec, (int32_t*)l->row + 1, teams);
    grains_run_on(s, GRAINS_lay, count);
    *slots = l->first_solid + shoal_pass_scan(exec, (int32_t*)l->solid, count);
    grains_run_on(s, GRAINS_lay_solids, count);
    SHOAL_TRY(shoal_device_check(exec->device));
    if (*slots > UINT32_MAX / 2 || grains_fold(s, GRAINS_is_crushed, count) >= 0.0)
        return shoal_fail(SHOAL_ERR_DIVERGE, "a grain has more neighbours than can touch it: the sand has collapsed");
    return shoal_device_check(exec->device);
}

shoal_status grains_lists_build(grains* s, const shoal_cells_frame* frame) {
    const shoal_exec*  exec   = &s->ctx->exec;
    grains_state*      all    = &s->all;
    grains_lists*      l      = &all->view.lists;
    const shoal_cells* images = s->halo.count > 0 ? &s->halo.cells : NULL;
    int                count  = all->view.count;
    size_t             slots;
    grains_contacts_bind(s);
    SHOAL_TRY(shoal_near_build(&all->near, exec, s->ctx->isa, &s->cells, images, all->view.place, all->view.nobody,
                               frame->size));
    SHOAL_TRY(reserve_grains(l, exec->device, count));
    grains_run_on(s, GRAINS_thin, count);
    SHOAL_TRY(lay_out(s, &slots));
    SHOAL_TRY(reserve_slots(l, exec->device, slots));
    grains_run_on(s, GRAINS_fill, count);
    grains_copy(exec, all->work.home, all->work.place[0], (size_t)count * sizeof *all->work.home);
    all->view.sleep = 0.0625f * all->margin;
    s->moved        = 0.0f;
    if (all->view.is_wet)
        grains_lists_dampen(s);
    else
        grains_clear(exec, l->damp, (size_t)teams_of(s)); // GRAINS_ALL_DRY
    return shoal_device_check(exec->device);
}

void grains_lists_dampen(grains* s) {
    if (!s->all.view.is_wet) return;
    grains_run_on(s, GRAINS_wetted, grains_block_count(s));
    grains_run_on(s, GRAINS_dampen, teams_of(s));
}

void grains_lists_go(grains* s, double fastest) {
    s->all.fastest = fastest;
    grains_run_on(s, GRAINS_go, grains_block_count(s));
    s->moved += (float)fastest * s->all.view.dt;
}

// ---------------------------------------------------------------------------------- keeping

shoal_status grains_lists_keep(grains* s) {
    const shoal_exec* exec  = &s->ctx->exec;
    int               count = s->all.view.count;
    grains_run_on(s, GRAINS_tally, count);
    size_t total = shoal_pass_scan(exec, s->all.work.first, count);
    SHOAL_TRY(shoal_device_check(exec->device));
    if (total > INT32_MAX / 2)
        return shoal_fail(SHOAL_ERR_MEMORY, "more than %d contacts cannot be numbered", INT32_MAX / 2);
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[GRAINS_CONTACTS], (int)total));
    grains_contacts_bind(s);
    SHOAL_TRY(shoal_device_check(exec->device));
    grains_run_on(s, GRAINS_keep, count);
    return SHOAL_OK;
}

void grains_contacts_bind(grains* s) {
    const shoal_exec* exec = &s->ctx->exec;
    shoal_set*        set  = s->ctx->sets[GRAINS_CONTACTS];
    grains_contacts*  v    = &s->all.contacts;
    v->count               = set->count;
    GRAINS_CONTACT_FIELDS(SHOAL_FIELD_BIND_TO)
}
