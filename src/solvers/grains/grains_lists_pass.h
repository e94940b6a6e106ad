// SPDX-License-Identifier: MIT
// Possible contacts, with the springs of each contact: built from the kept contacts, and written back to them. What
// happens to one grain, team or block; the loops are in grains_lists.c and grains_cuda.cu.
#ifndef SHOAL_GRAINS_LISTS_PASS_H
#define SHOAL_GRAINS_LISTS_PASS_H

#include "solvers/grains/grains_state_pass.h"

enum { GRAINS_NEAR_MOST = 4096, GRAINS_NEAR_SORTED = 64 }; // beyond these the order of partners does not count
enum { GRAINS_FAR = 16 }; // classes of distance: 0 touches or is bridged, the others by the square of the distance

// ---------------------------------------------------------------------------------- building

// Keeps of the neighbours those that may touch, or become wet and be bridged, before the margin is used up: those that
// touch or are bridged now come first, then the others, about the nearest first. Counts the solids.
SHOAL_FN void grains_thin(const grains_state* s, int i) {
    const grains_view* v   = &s->view;
    shoal_v4           x   = v->place[i];
    float              gap = v->is_wet ? v->gap : 0.0f, wide_gap = gap + s->margin;
    float              classes = (GRAINS_FAR - 1) / (wide_gap * (4.0f * x.w + wide_gap));
    int*               list    = s->near.index + (size_t)SHOAL_LANES * s->near.start[i];
    bool               is_damp = v->is_wet && v->wet[i].y > 0.0f;
    int                found = 0, near[SHOAL_LANES], partner[GRAINS_NEAR_SORTED], before[GRAINS_FAR + 1] = {0};
    uint8_t            far_class[GRAINS_NEAR_SORTED];
    for (int k = 0; k < s->near.count[i] && found < GRAINS_NEAR_MOST; k++) {
        int      j     = list[SHOAL_NEAR_PLACE(k)];
        shoal_v4 y     = v->place[j];
        float    touch = x.w + y.w, reach = touch + gap + s->margin, dx = x.x - y.x, dy = x.y - y.y, dz = x.z - y.z;
        float    r2 = dx * dx + dy * dy + dz * dz;
        if (r2 >= reach * reach) continue;
        if (is_damp && v->wet[j].y > 0.0f) touch += gap;
        float far                  = r2 - touch * touch;
        int   at                   = found++;
        list[SHOAL_NEAR_PLACE(at)] = j;
        if (at >= GRAINS_NEAR_SORTED) continue;
        partner[at]   = j;
        far_class[at] = (uint8_t)(far < 0.0f ? 0 : 1 + (int)fminf(far * classes, GRAINS_FAR - 2));
        before[far_class[at] + 1]++;
    }
    v->lists.count[i] = (uint16_t)found;
    v->lists.close[i] = (uint8_t)before[1];
    int sorted        = found < GRAINS_NEAR_SORTED ? found : GRAINS_NEAR_SORTED;
    for (int c = 0; c < GRAINS_FAR; c++) before[c + 1] += before[c];
    for (int k = 0; k < sorted; k++) list[SHOAL_NEAR_PLACE(before[far_class[k]]++)] = partner[k];
    v->lists.solids[i] = (uint8_t)grains_solids_near(v, i, s->margin, near);
}

// Grains with about as many contacts and slots stand side by side: in the order of these keys within a block.
enum { GRAINS_FEW = 16 };
SHOAL_FN int grains_key_of(const grains_lists* l, int i) {
    int close = l->close[i] < GRAINS_FEW ? l->close[i] : GRAINS_FEW - 1, more = l->count[i] - l->close[i];
    return close * GRAINS_FEW + (more < GRAINS_FEW ? more : GRAINS_FEW - 1);
}

SHOAL_FN bool grains_is_crushed(const grains_state* s, int i) { return s->view.lists.count[i] == GRAINS_NEAR_MOST; }

SHOAL_FN double grains_partners_of(const grains_state* s, int i) { return s->view.lists.count[i]; }

// Where everything lies, by sums that run: rows of each team,
SHOAL_FN void grains_deepen(const grains_state* s, int team) {
    const grains_lists* l       = &s->view.lists;
    uint32_t            deepest = 0;
    for (int lane = 0; lane < SHOAL_LANES; lane++) {
        int i = l->member[team * SHOAL_LANES + lane];
        if (i < s->view.count && l->count[i] > deepest) deepest = l->count[i];
    }
    if (team == 0) l->row[0] = 0;
    l->row[team + 1] = deepest;
}
// the first slot of each grain, and how many solids it has,
SHOAL_FN void grains_lay(const grains_state* s, int p) {
    const grains_lists* l  = &s->view.lists;
    l->first[l->member[p]] = l->row[p / SHOAL_LANES] * SHOAL_LANES + (uint32_t)(p % SHOAL_LANES);
    l->solid[p]            = l->solids[p];
}
// and the first of these, behind all rows.
SHOAL_FN void grains_lay_solids(const grains_state* s, int i) {
    const grains_lists* l = &s->view.lists;
    l->solid[i] += (uint32_t)l->first_solid - l->solids[i];
}

// A run of contacts.
typedef struct grains_run {
    int first, count;
} grains_run;

// The contacts grain i keeps; none when they are another's.
SHOAL_FN grains_run grains_history_of(const grains_state* s, int i) {
    const grains_contacts* c   = &s->contacts;
    grains_run             run = {s->work.first[i], s->work.history[i]};
    if (run.first < 0 || run.count <= 0 || run.first > c->count || run.count > c->count - run.first ||
        c->owner[run.first] != s->work.id[i])
        run.count = 0;
    return run;
}

// The contact with a partner; -1: none.
SHOAL_FN int grains_history_with(const grains_state* s, grains_run run, int32_t partner) {
    int found = -1;
    for (int k = run.first; k < run.first + run.count; k++)
        if (s->contacts.partner[k] == partner) found = k;
    return found;
}

// How many of them are with grains.
SHOAL_FN int grains_history_grains(const grains_state* s, grains_run run) {
    int count = 0;
    for (int k = run.first; k < run.first + run.count; k++) count += s->contacts.partner[k] >= 0;
    return count;
}

// Takes the springs of a slot from a kept contact; without one (-1) they are 0.
SHOAL_FN void grains_recall(const grains_state* s, size_t slot, int k) {
    const grains_lists*    l    = &s->view.lists;
    const grains_contacts* c    = &s->contacts;
    size_t                 at   = grains_spring(slot);
    shoal_v3               none = shoal_v3_make(0.0f, 0.0f, 0.0f), slide = k < 0 ? none : c->slide[k],
             roll = k < 0 ? none : c->roll[k];
    l->held[slot] = k < 0 ? 0.0f : c->held[k];
    for (int axis = 0; axis < 3; axis++) {
        l->slide[at + (size_t)axis * SHOAL_LANES] = shoal_v3_axis(slide, axis);
        l->roll[at + (size_t)axis * SHOAL_LANES]  = shoal_v3_axis(roll, axis);
    }
}

SHOAL_FN void grains_fill_solids(const grains_state* s, int i) {
    const grains_lists* l                 = &s->view.lists;
    int                 near[SHOAL_LANES] = {0};
    if (l->solids[i] == 0) return;
    grains_run history = grains_history_of(s, i);
    grains_solids_near(&s->view, i, s->margin, near);
    for (size_t k = 0; k < l->solids[i]; k++) {
        l->index[l->solid[i] + k] = near[k];
        grains_recall(s, l->solid[i] + k, grains_history_with(s, history, -1 - near[k]));
    }
}

// The block of a grain or an image.
SHOAL_FN int grains_block_of(const grains_state* s, int j) {
    return (j < s->view.count ? j : s->images[j - s->view.count].source) / GRAINS_BLOCK;
}

// ---------------------------------------------------------------------------------- keeping

SHOAL_FN bool grains_is_loaded(const float* spring) {
    return spring[0] != 0.0f || spring[SHOAL_LANES] != 0.0f || spring[2 * SHOAL_LANES] != 0.0f;
}

// Slot's contact, where it is loaded, becomes number `to` of those kept; with -1 none is written. Returns 1 if it is,
// else 0.
SHOAL_FN int grains_keep_slot(const grains_state* s, int i, size_t slot, int32_t partner, int to) {
    const float *slide = s->view.lists.slide + grains_spring(slot), *roll = s->view.lists.roll + grains_spring(slot);
    float        held = s->view.lists.held[slot];
    if (!grains_is_loaded(slide) && !grains_is_loaded(roll) && held == 0.0f) return 0;
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
SHOAL_FN int grains_keep_of(const grains_state* s, int i, int to) {
    const grains_lists* l     = &s->view.lists;
    int                 count = 0;
    GRAINS_EACH_SLOT(*l, i, slot)
    if (l->wake[slot / SHOAL_LANES] < 0.0f)
        count += grains_keep_slot(s, i, slot, s->work.id[l->index[slot]], to < 0 ? to : to + count);
    for (size_t k = 0; k < l->solids[i]; k++)
        count += grains_keep_slot(s, i, l->solid[i] + k, -1 - l->index[l->solid[i] + k], to < 0 ? to : to + count);
    return count;
}

// Counted first; summed up in the order of the grains, `first` is where those of a grain end, and becomes where they
// begin. Grains of a team side by side.
SHOAL_FN void grains_tally(const grains_state* s, int p) {
    int i              = s->view.lists.member[p];
    s->work.history[i] = s->work.first[i] = grains_keep_of(s, i, -1);
}
SHOAL_FN void grains_keep(const grains_state* s, int p) {
    int i = s->view.lists.member[p];
    s->work.first[i] -= s->work.history[i];
    grains_keep_of(s, i, s->work.first[i]);
}

// ---------------------------------------------------------------------------------- between substeps

SHOAL_FN bool grains_is_damp(const grains_view* v, const int* of, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (v->wet[of[k]].x > 0.0f) return true;
    return false;
}

// Whether a grain of a block is damp.
SHOAL_FN void grains_wetted(const grains_state* s, int block) {
    bool any = false;
    for (int i = block * GRAINS_BLOCK; i < (block + 1) * GRAINS_BLOCK && i < s->view.count && !any; i++)
        any = s->view.wet[i].x > 0.0f;
    s->view.lists.wetted[block] = any;
}

SHOAL_FN bool grains_is_damp_around(const grains_lists* l, int block) {
    const int* around = l->around + (size_t)block * (GRAINS_AROUND + 1);
    bool       any    = around[0] > GRAINS_AROUND;
    for (int k = 1; k <= around[0] && !any; k++) any = l->wetted[around[k]];
    return any;
}

// Which teams are damp; one that has become so may have bridges where it had none.
SHOAL_FN void grains_dampen(const grains_state* s, int team) {
    const grains_lists* l     = &s->view.lists;
    size_t              first = l->row[team], last = l->row[team + 1];
    uint8_t             before = l->damp[team], now = GRAINS_ALL_DRY;
    if (grains_is_damp_around(l, team * SHOAL_LANES / GRAINS_BLOCK)) {
        if (grains_is_damp(&s->view, l->member + team * SHOAL_LANES, SHOAL_LANES))
            now = GRAINS_DAMP;
        else if (grains_is_damp(&s->view, l->index + first * SHOAL_LANES, (last - first) * SHOAL_LANES))
            now = GRAINS_TEAM_DRY;
    }
    l->damp[team] = now;
    if (before == GRAINS_DAMP || now != GRAINS_DAMP) return;
    for (size_t row = first; row < last; row++) l->wake[row] = fminf(l->wake[row], 0.0f);
}

// A substep is over: how far those around a block may have gone.
SHOAL_FN void grains_go(const grains_state* s, int block) {
    const grains_lists* l      = &s->view.lists;
    const int*          around = l->around + (size_t)block * (GRAINS_AROUND + 1);
    double              speed2 = 0.0;
    for (int k = 1; k <= around[0] && around[0] <= GRAINS_AROUND; k++)
        speed2 = fmax(speed2, s->view.block_speed2[around[k]]);
    l->path[block] += (float)(around[0] <= GRAINS_AROUND ? sqrt(speed2) : s->fastest) * s->view.dt;
}

// Of a block; beyond all bounds where it is no number.
SHOAL_FN double grains_speed2_of(const grains_state* s, int block) {
    double speed2 = s->view.block_speed2[block];
    return speed2 <= 1e300 ? speed2 : (double)INFINITY;
}

#endif
