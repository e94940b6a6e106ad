// SPDX-License-Identifier: MIT
// Who may touch whom, with the springs of each contact: built from the kept contacts, and written back to them.
#include "solvers/grains/grains_local.h"

#include <string.h>

enum { NEAR_MOST = 4096, NEAR_SORTED = 64 }; // beyond these the order of partners does not count
enum { FAR = 16 }; // classes of distance: 0 touches or is bridged, the others by the square of the distance

// ---------------------------------------------------------------------------------- memory

void grains_work_free(grains_work* w) {
    for (int k = 0; k < 2; k++) {
        shoal_free(w->place[k]);
        shoal_free(w->fine[k]);
        shoal_free(w->speed[k]);
        shoal_free(w->spin[k]);
    }
    shoal_free(w->home);
    shoal_free(w->own);
    shoal_free(w->own_spare);
    shoal_free(w->id);
    shoal_free(w->wet);
    shoal_free(w->water);
    shoal_free(w->water_next);
    shoal_free(w->offer);
    shoal_free(w->pending);
    shoal_free(w->outer);
    shoal_free(w->outer_spare);
    shoal_free(w->first);
    shoal_free(w->kept);
    shoal_free(w->coordination);
    shoal_free(w->overlap);
    shoal_free(w->elastic);
    *w = (grains_work){0};
}

// Grows; what is there stays, since images may ask for room in the middle of a step.
shoal_status grains_work_reserve(grains_work* w, int count) {
    if (count <= w->capacity) return SHOAL_OK;
    size_t kept = (size_t)w->capacity, room = (size_t)count + (size_t)count / 4 + 64;
    w->capacity = 0;
#define GROW(array) SHOAL_TRY(shoal_realloc((void**)&(array), kept, room, sizeof *(array)))
    for (int k = 0; k < 2; k++) {
        GROW(w->place[k]);
        GROW(w->fine[k]);
        GROW(w->speed[k]);
        GROW(w->spin[k]);
    }
    GROW(w->home);
    GROW(w->own);
    GROW(w->own_spare);
    GROW(w->id);
    GROW(w->wet);
    GROW(w->water);
    GROW(w->water_next);
    GROW(w->offer);
    GROW(w->pending);
    GROW(w->outer);
    GROW(w->outer_spare);
    GROW(w->first);
    GROW(w->kept);
    GROW(w->coordination);
    GROW(w->overlap);
    GROW(w->elastic);
#undef GROW
    w->capacity = (int)room;
    return SHOAL_OK;
}

void grains_lists_free(grains_lists* l) {
    shoal_free(l->first);
    shoal_free(l->count);
    shoal_free(l->solid);
    shoal_free(l->solids);
    shoal_free(l->index);
    shoal_free(l->close);
    shoal_free(l->member);
    shoal_free(l->row);
    shoal_free(l->slide);
    shoal_free(l->roll);
    shoal_free(l->held);
    shoal_free(l->wake);
    shoal_free(l->damp);
    shoal_free(l->wetted);
    shoal_free(l->around);
    shoal_free(l->path);
    *l = (grains_lists){0};
}

static shoal_status reserve_grains(grains_lists* l, int count) {
    if (count < l->capacity) return SHOAL_OK;
    size_t room = ((size_t)count + (size_t)count / 4) / SHOAL_LANES * SHOAL_LANES + 64;
    l->capacity = 0;
    SHOAL_TRY(shoal_realloc((void**)&l->first, 0, room, sizeof *l->first));
    SHOAL_TRY(shoal_realloc((void**)&l->count, 0, room, sizeof *l->count));
    SHOAL_TRY(shoal_realloc((void**)&l->close, 0, room, sizeof *l->close));
    SHOAL_TRY(shoal_realloc((void**)&l->member, 0, room, sizeof *l->member));
    SHOAL_TRY(shoal_realloc((void**)&l->row, 0, room / SHOAL_LANES + 1, sizeof *l->row));
    SHOAL_TRY(shoal_realloc((void**)&l->damp, 0, room / SHOAL_LANES, sizeof *l->damp));
    SHOAL_TRY(shoal_realloc((void**)&l->wetted, 0, room / GRAINS_BLOCK + 1, sizeof *l->wetted));
    SHOAL_TRY(shoal_realloc((void**)&l->around, 0, (room / GRAINS_BLOCK + 1) * (GRAINS_AROUND + 1), sizeof *l->around));
    SHOAL_TRY(shoal_realloc((void**)&l->path, 0, room / GRAINS_BLOCK + 1, sizeof *l->path));
    SHOAL_TRY(shoal_realloc((void**)&l->solid, 0, room, sizeof *l->solid));
    SHOAL_TRY(shoal_realloc((void**)&l->solids, 0, room, sizeof *l->solids));
    l->capacity = (int)room;
    return SHOAL_OK;
}

static shoal_status reserve_slots(grains_lists* l, size_t slots) {
    slots += 2 * SHOAL_LANES; // two rows beyond the last, whose springs are asked for ahead
    if (slots <= l->room) return SHOAL_OK;
    size_t room = (slots + slots / 8 + 1024) / SHOAL_LANES * SHOAL_LANES;
    l->room     = 0;
    SHOAL_TRY(shoal_realloc((void**)&l->index, 0, room, sizeof *l->index));
    SHOAL_TRY(shoal_realloc((void**)&l->slide, 0, room * 3, sizeof *l->slide));
    SHOAL_TRY(shoal_realloc((void**)&l->roll, 0, room * 3, sizeof *l->roll));
    SHOAL_TRY(shoal_realloc((void**)&l->held, 0, room, sizeof *l->held));
    SHOAL_TRY(shoal_realloc((void**)&l->wake, 0, room / SHOAL_LANES, sizeof *l->wake));
    l->room = room;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- building

// Keeps of the neighbours those that may touch, or become wet and be bridged, before the skin is used up: those that
// touch or are bridged now come first, then the others, about the nearest first. Counts the solids.
static void thin_grain(grains* s, int i) {
    const grains_view* v = &s->view;
    shoal_v4           x = v->place[i];
    float gap = v->is_wet ? v->gap : 0.0f, wide = gap + s->skin, classes = (FAR - 1) / (wide * (4.0f * x.w + wide));
    int*  list    = s->near.index + (size_t)SHOAL_LANES * s->near.start[i];
    bool  is_damp = v->is_wet && v->wet[i].y > 0.0f;
    int   found = 0, near[SHOAL_LANES], partner[NEAR_SORTED], before[FAR + 1] = {0};
    uint8_t class[NEAR_SORTED];
    for (int k = 0; k < s->near.count[i] && found < NEAR_MOST; k++) {
        int      j     = list[k];
        shoal_v4 y     = v->place[j];
        float    touch = x.w + y.w, reach = touch + gap + s->skin, dx = x.x - y.x, dy = x.y - y.y, dz = x.z - y.z;
        float    r2 = dx * dx + dy * dy + dz * dz;
        if (r2 >= reach * reach) continue;
        if (is_damp && v->wet[j].y > 0.0f) touch += gap;
        float far = r2 - touch * touch;
        int   at  = found++;
        list[at]  = j;
        if (at >= NEAR_SORTED) continue;
        partner[at] = j;
        class[at]   = (uint8_t)(far < 0.0f ? 0 : 1 + (int)fminf(far * classes, FAR - 2));
        before[class[at] + 1]++;
    }
    s->lists.count[i] = (uint16_t)found;
    s->lists.close[i] = (uint8_t)before[1];
    int sorted        = found < NEAR_SORTED ? found : NEAR_SORTED;
    for (int c = 0; c < FAR; c++) before[c + 1] += before[c];
    for (int k = 0; k < sorted; k++) list[before[class[k]]++] = partner[k];
    s->lists.solids[i] = (uint8_t)grains_solids_near(v, i, s->skin, near);
}

// Who has about as many contacts and slots as another is put beside it.
static void thin_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    enum { FEW = 16 };
    grains*       s                 = ctx;
    grains_lists* l                 = &s->lists;
    int           before[FEW * FEW] = {0}, *member = l->member + begin;
    uint8_t       key[GRAINS_BLOCK];
    for (int i = begin; i < end; i++) {
        thin_grain(s, i);
        int close = l->close[i] < FEW ? l->close[i] : FEW - 1, more = l->count[i] - l->close[i];
        key[i - begin] = (uint8_t)(close * FEW + (more < FEW ? more : FEW - 1));
        before[key[i - begin]]++;
    }
    for (int k = 0, sum = 0; k < FEW * FEW; k++) {
        int own   = before[k];
        before[k] = sum;
        sum += own;
    }
    for (int i = begin; i < end; i++) member[before[key[i - begin]]++] = i;
    for (int i = end; i % SHOAL_LANES != 0; i++) l->member[i] = s->view.nobody;
}

// A run of contacts.
typedef struct contact_run {
    const grains_contacts* of;
    int                    first, count;
} contact_run;

// The contacts grain i keeps; none when they are another's.
static contact_run kept_of(const grains* s, int i) {
    const grains_contacts* c   = &s->contacts;
    contact_run            run = {c, s->work.first[i], s->work.kept[i]};
    if (run.first < 0 || run.count <= 0 || run.first > c->count || run.count > c->count - run.first ||
        c->owner[run.first] != s->work.id[i])
        run.count = 0;
    return run;
}

// The contact with a partner; -1: none.
static int kept_with(contact_run run, int32_t partner) {
    int found = -1;
    for (int k = run.first; k < run.first + run.count; k++)
        if (run.of->partner[k] == partner) found = k;
    return found;
}

// Takes the springs of a slot from a kept contact; without one (-1) they are 0.
static void recall(const grains_lists* l, size_t slot, const grains_contacts* c, int k) {
    size_t         at   = grains_spring(slot);
    const shoal_v3 none = {0.0f, 0.0f, 0.0f}, slide = k < 0 ? none : c->slide[k], roll = k < 0 ? none : c->roll[k];
    l->held[slot] = k < 0 ? 0.0f : c->held[k];
    for (int axis = 0; axis < 3; axis++) {
        l->slide[at + (size_t)axis * SHOAL_LANES] = shoal_v3_axis(slide, axis);
        l->roll[at + (size_t)axis * SHOAL_LANES]  = shoal_v3_axis(roll, axis);
    }
}

static void fill_solids(const grains* s, int i, contact_run kept) {
    const grains_lists* l                 = &s->lists;
    int                 near[SHOAL_LANES] = {0};
    if (l->solids[i] == 0) return;
    grains_solids_near(&s->view, i, s->skin, near);
    for (size_t k = 0; k < l->solids[i]; k++) {
        l->index[l->solid[i] + k] = near[k];
        recall(l, l->solid[i] + k, kept.of, kept_with(kept, -1 - near[k]));
    }
}

// The slots of a team: each grain's own, then nobody down to the last row. Kept contacts are among the first of a
// grain; rows without any are asleep, and have no springs yet.
static void fill_team(const grains* s, int team) {
    const grains_lists* l     = &s->lists;
    size_t              first = (size_t)l->row[team] * SHOAL_LANES, last = (size_t)l->row[team + 1] * SHOAL_LANES;
    for (size_t row = l->row[team]; row < l->row[team + 1]; row++) l->wake[row] = 0.0f;
    for (size_t slot = first; slot < last; slot++) l->index[slot] = s->view.nobody;
    for (int lane = 0; lane < SHOAL_LANES; lane++) {
        int i = l->member[team * SHOAL_LANES + lane], left = 0;
        if (i >= s->view.count) continue;
        const int*  near = s->near.index + (size_t)SHOAL_LANES * s->near.start[i];
        contact_run kept = kept_of(s, i);
        for (int k = 0; k < kept.count; k++) left += kept.of->partner[kept.first + k] >= 0;
        for (size_t k = 0, slot = first + (size_t)lane; k < l->count[i]; k++, slot += SHOAL_LANES) {
            l->index[slot] = near[k];
            int found      = left > 0 ? kept_with(kept, s->work.id[near[k]]) : -1;
            if (found < 0) continue;
            grains_waken(l, slot / SHOAL_LANES);
            recall(l, slot, kept.of, found);
            left--;
        }
        fill_solids(s, i, kept);
    }
}

// The blocks in which a block's partners are, itself included.
static void look_around(const grains* s, int block, int first_team, int teams) {
    enum { RECENT = 64 };
    const grains_lists* l      = &s->lists;
    int *               around = l->around + (size_t)block * (GRAINS_AROUND + 1), count = 1, recent[RECENT];
    for (int k = 0; k < RECENT; k++) recent[k] = block;
    around[1] = block;
    for (size_t slot = (size_t)l->row[first_team] * SHOAL_LANES;
         slot < (size_t)l->row[first_team + teams] * SHOAL_LANES; slot++) {
        int j = l->index[slot], known = 1;
        if (j == s->view.nobody) continue;
        int other = (j < s->view.count ? j : s->halo.images[j - s->view.count].source) / GRAINS_BLOCK;
        if (recent[other % RECENT] == other || count > GRAINS_AROUND) continue;
        recent[other % RECENT] = other;
        while (known <= count && around[known] != other) known++;
        if (known > count && ++count <= GRAINS_AROUND) around[count] = other;
    }
    around[0]      = count;
    l->path[block] = 0.0f;
}

static void fill_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    int first = begin / SHOAL_LANES, last = (end + SHOAL_LANES - 1) / SHOAL_LANES;
    for (int team = first; team < last; team++) fill_team(ctx, team);
    look_around(ctx, begin / GRAINS_BLOCK, first, last - first);
}

static bool is_damp(const grains_view* v, const int* of, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (v->wet[of[k]].x > 0.0f) return true;
    return false;
}

static void wetted_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const grains* s   = ctx;
    bool          any = false;
    for (int i = begin; i < end && !any; i++) any = s->view.wet[i].x > 0.0f;
    s->lists.wetted[begin / GRAINS_BLOCK] = any;
}

static bool is_damp_around(const grains_lists* l, int block) {
    const int* around = l->around + (size_t)block * (GRAINS_AROUND + 1);
    bool       any    = around[0] > GRAINS_AROUND;
    for (int k = 1; k <= around[0] && !any; k++) any = l->wetted[around[k]];
    return any;
}

static uint8_t damp_of(const grains* s, int team) {
    const grains_lists* l     = &s->lists;
    size_t              first = l->row[team], last = l->row[team + 1];
    if (is_damp(&s->view, l->member + team * SHOAL_LANES, SHOAL_LANES)) return GRAINS_DAMP;
    return is_damp(&s->view, l->index + first * SHOAL_LANES, (last - first) * SHOAL_LANES) ? GRAINS_TEAM_DRY
                                                                                           : GRAINS_ALL_DRY;
}

// A team that has become damp may have bridges where it had none.
static void damp_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const grains*       s      = ctx;
    const grains_lists* l      = &s->lists;
    bool                is_dry = !is_damp_around(l, begin / GRAINS_BLOCK);
    for (int team = begin / SHOAL_LANES; team * SHOAL_LANES < end; team++) {
        uint8_t before = l->damp[team];
        l->damp[team]  = is_dry ? GRAINS_ALL_DRY : damp_of(s, team);
        if (before == GRAINS_DAMP || l->damp[team] != GRAINS_DAMP) continue;
        for (size_t row = l->row[team]; row < l->row[team + 1]; row++) l->wake[row] = fminf(l->wake[row], 0.0f);
    }
}

void grains_lists_dampen(grains* s) {
    if (!s->view.is_wet) return;
    shoal_blocks(&s->ctx->exec, s->view.count, GRAINS_BLOCK, wetted_block, s);
    shoal_blocks(&s->ctx->exec, s->view.count, GRAINS_BLOCK, damp_block, s);
}

void grains_lists_go(grains* s, double fastest) {
    float dt = s->view.dt;
    for (int b = 0; b * GRAINS_BLOCK < s->view.count; b++) {
        const int* around = s->lists.around + (size_t)b * (GRAINS_AROUND + 1);
        double     speed2 = 0.0;
        for (int k = 1; k <= around[0] && around[0] <= GRAINS_AROUND; k++)
            speed2 = fmax(speed2, s->block_speed2[around[k]]);
        s->lists.path[b] += (float)(around[0] <= GRAINS_AROUND ? sqrt(speed2) : fastest) * dt;
    }
    s->moved += (float)fastest * dt;
}

static size_t total_solids(void* ctx, int begin, int end) {
    const grains_lists* l     = ctx;
    size_t              total = 0;
    for (int i = begin; i < end; i++) total += l->solids[i];
    return total;
}

static void put_solids(void* ctx, int begin, int end, size_t at) {
    const grains_lists* l = ctx;
    for (int i = begin; i < end; at += l->solids[i++]) l->solid[i] = (uint32_t)at;
}

// Where everything lies; returns the number of slots.
static size_t lay_out(grains_lists* l, const shoal_exec* exec, int count) {
    int    teams = (count + SHOAL_LANES - 1) / SHOAL_LANES;
    size_t rows  = 0;
    for (int team = 0; team < teams; team++) {
        size_t deepest = 0;
        l->row[team]   = (uint32_t)rows;
        for (int lane = 0; lane < SHOAL_LANES; lane++) {
            int i = l->member[team * SHOAL_LANES + lane];
            if (i >= count) continue;
            l->first[i] = (uint32_t)(rows * SHOAL_LANES + (size_t)lane);
            if (l->count[i] > deepest) deepest = l->count[i];
        }
        rows += deepest;
    }
    l->row[teams] = (uint32_t)rows;
    return shoal_lay_out(exec, count, (shoal_layout){total_solids, put_solids}, l, rows * SHOAL_LANES);
}

SHOAL_FN bool is_crushed(const uint16_t* count, int i) { return count[i] == NEAR_MOST; }
SHOAL_FIRST_LOOP(first_crushed, uint16_t, is_crushed)

shoal_status grains_lists_build(grains* s, const shoal_cells_frame* frame) {
    grains_contacts_bind(s);
    int                count  = s->view.count;
    const shoal_cells* images = s->halo.count > 0 ? &s->halo.cells : NULL;
    SHOAL_TRY(shoal_near_build(&s->near, &s->ctx->exec, s->ctx->isa, &s->cells, images, s->view.place, s->view.nobody,
                               frame->size));
    SHOAL_TRY(reserve_grains(&s->lists, count));
    shoal_blocks(&s->ctx->exec, count, GRAINS_BLOCK, thin_block, s);
    size_t slots = lay_out(&s->lists, &s->ctx->exec, count);
    if (slots > UINT32_MAX / 2 || shoal_first(&s->ctx->exec, count, first_crushed, s->lists.count) >= 0)
        return shoal_fail(SHOAL_ERR_DIVERGE, "a grain has more neighbours than can touch it: the sand has collapsed");
    SHOAL_TRY(reserve_slots(&s->lists, slots));
    shoal_blocks(&s->ctx->exec, count, GRAINS_BLOCK, fill_block, s);
    memcpy(s->work.home, s->work.place[0], (size_t)count * sizeof *s->work.home);
    s->view.lists = s->lists;
    s->view.doze  = 0.0625f * s->skin;
    s->moved      = 0.0f;
    if (s->view.is_wet)
        grains_lists_dampen(s);
    else
        memset(s->lists.damp, GRAINS_ALL_DRY, (size_t)(count + SHOAL_LANES - 1) / SHOAL_LANES);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- keeping

static bool is_loaded(const float* spring) {
    return spring[0] != 0.0f || spring[SHOAL_LANES] != 0.0f || spring[2 * SHOAL_LANES] != 0.0f;
}

// Slot's contact, where it is loaded, becomes number `to` of those kept; with -1 none is written. Returns 1 if it is,
// else 0.
static int keep_slot(const grains* s, int i, size_t slot, int32_t partner, int to) {
    const float *slide = s->lists.slide + grains_spring(slot), *roll = s->lists.roll + grains_spring(slot);
    float        held = s->lists.held[slot];
    if (!is_loaded(slide) && !is_loaded(roll) && held == 0.0f) return 0;
    if (to < 0) return 1;
    const grains_contacts* c = &s->contacts;
    c->owner[to]             = s->work.id[i];
    c->partner[to]           = partner;
    c->slide[to]             = shoal_v3_make(slide[0], slide[SHOAL_LANES], slide[2 * SHOAL_LANES]);
    c->roll[to]              = shoal_v3_make(roll[0], roll[SHOAL_LANES], roll[2 * SHOAL_LANES]);
    c->held[to]              = held;
    return 1;
}

// Those of grain i, the first of them number `to`; -1: they are only counted.
static int keep_grain(const grains* s, int i, int to) {
    const grains_lists* l     = &s->lists;
    int                 count = 0;
    GRAINS_EACH_SLOT(*l, i, slot)
    if (l->wake[slot / SHOAL_LANES] < 0.0f)
        count += keep_slot(s, i, slot, s->work.id[l->index[slot]], to < 0 ? to : to + count);
    for (size_t k = 0; k < l->solids[i]; k++)
        count += keep_slot(s, i, l->solid[i] + k, -1 - l->index[l->solid[i] + k], to < 0 ? to : to + count);
    return count;
}

static void count_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains* s = ctx;
    for (int i = begin; i < end; i++) s->work.kept[i] = keep_grain(s, i, -1);
}

static void keep_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains* s = ctx;
    for (int i = begin; i < end; i++) keep_grain(s, i, s->work.first[i]);
}

static size_t total_kept(void* ctx, int begin, int end) {
    const grains* s     = ctx;
    size_t        total = 0;
    for (int i = begin; i < end; i++) total += (size_t)s->work.kept[i];
    return total;
}

static void put_kept(void* ctx, int begin, int end, size_t at) {
    const grains* s = ctx;
    for (int i = begin; i < end; at += (size_t)s->work.kept[i++]) s->work.first[i] = (int32_t)at;
}

shoal_status grains_lists_keep(grains* s) {
    int count = s->view.count;
    shoal_blocks(&s->ctx->exec, count, GRAINS_BLOCK, count_block, s);
    size_t total = shoal_lay_out(&s->ctx->exec, count, (shoal_layout){total_kept, put_kept}, s, 0);
    if (total > INT32_MAX / 2)
        return shoal_fail(SHOAL_ERR_MEMORY, "more than %d contacts cannot be numbered", INT32_MAX / 2);
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[GRAINS_CONTACTS], (int)total));
    grains_contacts_bind(s);
    shoal_blocks(&s->ctx->exec, count, GRAINS_BLOCK, keep_block, s);
    return SHOAL_OK;
}

void grains_contacts_bind(grains* s) {
    const shoal_set* set = s->ctx->sets[GRAINS_CONTACTS];
    grains_contacts* v   = &s->contacts;
    v->count             = set->count;
    GRAINS_CONTACT_FIELDS(SHOAL_FIELD_BIND)
}
