// SPDX-License-Identifier: MIT
// The volume that each part of the liquid should have. What tracking loses of a part is given back to it, and to what
// has broken off it: a splash does not raise a pool behind a wall. A balance is of one part that is not small and of
// the fragments that came of it. When parts meet, what is due adds up; when they divide, it does as their volumes do. A
// fragment that vanishes is made up for by the rest of its balance. Parts before and after a step are kin if the flow
// carries a point of the surface of one to the other.
#include "tet/liquid_local.h"

#include <math.h>

// Smaller parts are fragments, in cells: a ball of so many is eight across.
#define PART_LEAST 256.0
// Points of the surface of a part that are followed, at most, and how far from a surface they may end, in cells.
enum { FOLLOWED = 48 };
#define FOLLOWED_REACH 1.5
// The fraction of the deficit that is given back in a step. What thickening has added in the last steps it adds in the
// next, up to 3 % in a step, and that is taken off beforehand. (Without thickening the gains of tracking are noise, and
// to foresee them made a wave of 16 cells 4 % slower.)
#define GROW_MOST 0.2 // cells
#define GROW_FRACTION 0.75
// Where so much of the surface of a balance has much liquid behind it (liquid_thickness), all is given back there, as
// far as it may move in a step; where less has, the more evenly. What is too much is taken evenly: sheets are what
// grows as a body spreads.
#define FRACTION_SURE 0.1
#define DRIFT_FRACTION 0.5 // weight of the last step in the mean
// A surface moved by x m^3 changes the volume of thin sheets and drops by up to three times that, since they come and
// go at the size of a cell; as if by x alone, volume swung by 16 %. The gain is measured: normalised least mean squares
// over the steps, blind to less than this fraction of the volume.
#define GAIN_RATE 0.5
#define GAIN_BLIND 0.01
#define GAIN_MOST 4.0
#define GAIN_FORGOTTEN 0.1 // of the excess over one, in a step
// A deficit beyond this fraction of the volume is lost: a puddle does not grow by all that a lake has lost.
#define OWED_MOST 0.25

static bool is_big(const shoal_tet_part* part, double cell) { return part->volume >= PART_LEAST * cell * cell * cell; }
static double weight_of(const shoal_tet_part* part) { return fmax(part->volume, 1e-30); }

shoal_status liquid_begin_balances(shoal_tet_liquid* l, double cell) {
    int count = 1;
    for (int k = 0; k < l->parts.count; k++) l->parts.part[k].balance = is_big(&l->parts.part[k], cell) ? count++ : 0;
    SHOAL_TRY(shoal_reserve((void**)&l->balances, &l->balance_capacity, count, sizeof *l->balances));
    l->balance_count = count;
    for (int b = 0; b < count; b++) l->balances[b] = (shoal_tet_balance){.gain = 1.0};
    for (int k = 0; k < l->parts.count; k++) l->balances[l->parts.part[k].balance].due += l->parts.part[k].volume;
    return SHOAL_OK;
}

// --- before a step

// Without what is due.
static void add_balance(shoal_tet_balance* to, const shoal_tet_balance* from, double fraction) {
    to->drift += fraction * from->drift;
    to->correction += fraction * from->correction;
    to->change += fraction * from->change;
}

static double target_of(const shoal_tet_balance* balance, const shoal_tet_sum* sum) {
    return fmin(balance->due, (1.0 + OWED_MOST) * sum->volume);
}

// Of a surface that could not be kept there are totals alone: one balance of all.
static shoal_status join_balances(shoal_tet_liquid* l, const shoal_tet_state* s) {
    SHOAL_TRY(shoal_reserve((void**)&l->parts.part, &l->parts.part_capacity, 1, sizeof *l->parts.part));
    l->parts.count = 1;
    l->parts.part[0] =
        (shoal_tet_part){.volume = s->surface_volume, .area = s->area, .hanging = s->hanging, .thick = s->thick};
    for (int b = 1; b < l->balance_count; b++) {
        l->balances[0].due += l->balances[b].due;
        l->balances[0].gain = fmax(l->balances[0].gain, l->balances[b].gain);
        add_balance(&l->balances[0], &l->balances[b], 1.0);
    }
    l->balance_count = 1;
    return SHOAL_OK;
}

shoal_status liquid_open_balances(shoal_tet_liquid* l, const shoal_tet_state* s, bool keeps_volume) {
    double most = GROW_MOST * s->band.grid.cell;
    SHOAL_TRY(shoal_reserve((void**)&l->sums, &l->sum_capacity, l->balance_count, sizeof *l->sums));
    if (l->surface_state != s) SHOAL_TRY(join_balances(l, s));
    SHOAL_TRY(shoal_reserve((void**)&l->part_before, &l->part_before_capacity, l->parts.count, sizeof *l->part_before));
    for (int b = 0; b < l->balance_count; b++) l->sums[b] = (shoal_tet_sum){.heir = -1};
    for (int k = 0; k < l->parts.count; k++) {
        shoal_tet_sum* sum = &l->sums[l->parts.part[k].balance];
        l->part_before[k]  = l->parts.part[k];
        sum->volume += l->parts.part[k].volume;
        sum->area += l->parts.part[k].area;
        sum->hanging += l->parts.part[k].hanging;
        sum->thick += l->parts.part[k].thick;
        sum->parts++;
    }
    l->part_before_count = l->parts.count;
    l->corrected         = 0.0;
    for (int b = 0; b < l->balance_count; b++) {
        shoal_tet_sum*           sum     = &l->sums[b];
        const shoal_tet_balance* balance = &l->balances[b];
        double                   deficit = GROW_FRACTION * (target_of(balance, sum) - sum->volume) - balance->drift;
        if (deficit > 0.0) sum->area -= sum->hanging; // that grows, or shrinks
        double fraction = sum->area > 0.0 && deficit > 0.0 ? sum->thick / sum->area : 0.0;
        double even = 1.0 - fmin(1.0, fraction / FRACTION_SURE), thin = sum->area - sum->thick;
        if (deficit > 0.0 && thin > 0.0)
            even = fmax(even, fmin(1.0, (deficit / (balance->gain * most) - sum->thick) / thin));
        sum->area = sum->thick + even * thin;
        if (keeps_volume && sum->area > 0.0) sum->grow = fmax(-most, fmin(most, deficit / (balance->gain * sum->area)));
        sum->grow_thin = even * sum->grow;
        l->corrected += sum->grow * sum->area;
    }
    return SHOAL_OK;
}

int liquid_balances_in_use(const shoal_tet_liquid* l) {
    int count = 0;
    for (int b = 0; b < l->balance_count; b++) count += l->sums[b].parts > 0;
    return count;
}

// --- kin

// Follows points of the surface of each part, by dt, to parts that are there.
static shoal_status follow(shoal_tet_liquid* l, const liquid_places* of, int first, const liquid_places* to,
                           int to_first, const shoal_tet_flow* flow, double dt) {
    int *count, *seen;
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&count, (size_t)of->count, sizeof *count));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&seen, (size_t)of->count, sizeof *seen));
    for (int k = 0; k < of->count; k++) count[k] = seen[k] = 0;
    for (int v = 0; v < of->vertex_count; v++) count[of->of[v]]++;
    for (int v = 0; v < of->vertex_count; v++) {
        int part = of->of[v], stride = count[part] / FOLLOWED + 1;
        if (seen[part]++ % stride != 0) continue;
        shoal_d3 at  = shoal_tet_trace_back(flow, shoal_d3_from(of->vertices[v]), -dt);
        int      kin = liquid_part_near(to, at, FOLLOWED_REACH);
        if (kin >= 0) liquid_unite(l->kin, first + part, to_first + kin);
    }
    return SHOAL_OK;
}

// Whether each part has kin on the other side of a step: 1 has before, 2 has after, by root.
static shoal_status find_sides(shoal_tet_liquid* l, uint8_t** out) {
    int all = l->part_before_count + l->parts.count;
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)out, (size_t)all, 1));
    for (int k = 0; k < all; k++) (*out)[k] = 0;
    for (int k = 0; k < all; k++) (*out)[liquid_root(l->kin, k)] |= k < l->part_before_count ? 1 : 2;
    return SHOAL_OK;
}

// A balance of which nothing is left goes to the part nearest to where its largest was.
static shoal_status leave_to_nearest(shoal_tet_liquid* l, const liquid_places* before, const liquid_places* after) {
    uint8_t* sides;
    SHOAL_TRY(find_sides(l, &sides));
    for (int k = 0; k < l->part_before_count; k++)
        if (sides[liquid_root(l->kin, k)] == 3) l->sums[l->part_before[k].balance].left += 1.0;
    for (int b = 0; b < l->balance_count; b++) {
        int largest = -1, vertex = 0;
        if (l->sums[b].parts == 0 || l->sums[b].left > 0.0) continue;
        for (int k = 0; k < l->part_before_count; k++)
            if (l->part_before[k].balance == b &&
                (largest < 0 || l->part_before[k].volume > l->part_before[largest].volume))
                largest = k;
        while (vertex < before->vertex_count && before->of[vertex] != largest) vertex++;
        if (vertex == before->vertex_count) continue;
        int to = liquid_part_nearest(after, shoal_d3_from(before->vertices[vertex]), NULL);
        if (to >= 0) liquid_unite(l->kin, largest, l->part_before_count + to);
    }
    return SHOAL_OK;
}

shoal_status liquid_find_kin(shoal_tet_liquid* l, const liquid_places* before, const liquid_places* after,
                             const shoal_tet_flow* flow, double dt) {
    int          first = l->part_before_count, all = first + l->parts.count;
    size_t       mark = l->arena.used;
    shoal_status status;
    SHOAL_TRY(shoal_reserve((void**)&l->kin, &l->kin_capacity, all, sizeof *l->kin));
    for (int k = 0; k < all; k++) l->kin[k] = before ? k : 0;
    if (!before || first == 0 || l->parts.count == 0) return SHOAL_OK;
    status = follow(l, before, 0, after, first, flow, dt);
    if (status == SHOAL_OK) status = follow(l, after, first, before, 0, flow, -dt);
    if (status == SHOAL_OK) status = leave_to_nearest(l, before, after);
    shoal_arena_back(&l->arena, mark);
    return status;
}

// --- what taps bring

// To the parts that it has begun, by their volumes; else to the one that is at it.
static void credit_tap(const shoal_tet_liquid* l, const liquid_places* after, const shoal_tet_drive* drive,
                       const shoal_tet_solids* solids, int tap, double volume, int* counts, double* credit) {
    const shoal_band* band  = &shoal_tet_current(l)->band;
    shoal_box         box   = shoal_box_grown(drive->boxes[tap], band->grid.cell);
    double            begun = 0.0;
    int               most  = -1;
    for (int k = 0; k < after->count; k++) counts[k] = 0;
    for (int b = 0; b < after->field.block_count; b++) {
        shoal_box own = liquid_block_box(after, b);
        if (own.max.x < box.min.x || own.max.y < box.min.y || own.max.z < box.min.z || own.min.x > box.max.x ||
            own.min.y > box.max.y || own.min.z > box.max.z)
            continue;
        for (int v = after->first[b]; v < after->first[b + 1]; v++)
            counts[after->of[v]] += shoal_box_holds(box, shoal_d3_from(after->vertices[v]));
    }
    for (int k = 0; k < after->count; k++) {
        bool is_new = l->kin[l->part_before_count + k] >= l->part_before_count;
        if (counts[k] > 0 && is_new) begun += weight_of(&l->parts.part[k]);
        if (counts[k] > 0 && (most < 0 || counts[k] > counts[most])) most = k;
    }
    for (int k = 0; k < after->count && begun > 0.0; k++)
        if (counts[k] > 0 && l->kin[l->part_before_count + k] >= l->part_before_count)
            credit[k] += volume * weight_of(&l->parts.part[k]) / begun;
    if (begun > 0.0) return;
    if (drive->taps[tap].has_place) most = liquid_part_around(after, band, solids, drive->taps[tap].place);
    if (most < 0) most = liquid_part_nearest(after, shoal_d3_scale(shoal_d3_add(box.min, box.max), 0.5), NULL);
    if (most >= 0) credit[most] += volume;
}

// A part that has come of none, and of no tap, is kin of the nearest that is.
static shoal_status adopt(shoal_tet_liquid* l, const liquid_places* after, const double* credit) {
    int      first = l->part_before_count, orphans = 0, *own;
    uint8_t* is_kin;
    for (int k = 0; k < after->count; k++) orphans += l->kin[first + k] >= first && !(credit[k] > 0.0);
    if (first == 0 || orphans == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&own, (size_t)after->count, sizeof *own));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&is_kin, (size_t)after->count, 1));
    for (int k = 0; k < after->count; k++) own[k] = -1, is_kin[k] = l->kin[first + k] < first;
    for (int v = after->vertex_count - 1; v >= 0; v--) own[after->of[v]] = v;
    for (int k = 0; k < after->count; k++) {
        if (is_kin[k] || credit[k] > 0.0 || own[k] < 0) continue;
        int nearest = liquid_part_nearest(after, shoal_d3_from(after->vertices[own[k]]), is_kin);
        if (nearest < 0) continue;
        l->kin[first + k] = l->kin[first + nearest];
        is_kin[k]         = 1;
    }
    return SHOAL_OK;
}

shoal_status liquid_credit(shoal_tet_liquid* l, const shoal_tet_drive* drive, const shoal_tet_solids* solids,
                           double** credit) {
    liquid_places after;
    int *         counts, all = l->part_before_count + l->parts.count;
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)credit, (size_t)l->parts.count, sizeof **credit));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&counts, (size_t)l->parts.count, sizeof *counts));
    SHOAL_TRY(liquid_keep_places(l, &shoal_tet_current(l)->band, false, &after));
    for (int k = 0; k < all; k++) l->kin[k] = liquid_root(l->kin, k); // roots alone from here on
    for (int k = 0; k < l->parts.count; k++) (*credit)[k] = 0.0;
    for (int k = 0; k < drive->tap_count; k++) {
        if (!(drive->taps[k].brought > 0.0) || l->parts.count == 0) continue;
        if (l->parts.count == 1)
            (*credit)[0] += drive->taps[k].brought;
        else
            credit_tap(l, &after, drive, solids, k, drive->taps[k].brought, counts, *credit);
    }
    return adopt(l, &after, *credit);
}

// --- after a step

// What thickening adds in a step, and the gain of volume, from `correction` that the surface was moved by and `change`.
static void find_drift(shoal_tet_balance* balance, bool is_thick, double correction, double change) {
    double blind = GAIN_BLIND * balance->due, more = correction - balance->correction,
           answer       = change - balance->change;
    balance->correction = correction, balance->change = change;
    if (is_thick) {
        balance->gain -= GAIN_FORGOTTEN * (balance->gain - 1.0);
        double off = answer - balance->gain * more;
        balance->gain =
            fmax(1.0, fmin(GAIN_MOST, balance->gain + GAIN_RATE * more * off / (more * more + blind * blind)));
        balance->drift += DRIFT_FRACTION * (change - balance->gain * correction - balance->drift);
    } else {
        balance->gain = 1.0, balance->drift = 0.0;
    }
}

// Of kin: what comes of those before, and which after are the largest.
typedef struct kin_sum {
    shoal_tet_balance balance; // due, drift and the last step of the balances before
    double            volume;  // that was there, m^3
    double            moved;   // by the growth in the step, m^3
    double            before, after;
    int               big;     // the largest part after that is not small; -1: none
    int               largest; // before; -1: none
} kin_sum;

static void sum_kin(shoal_tet_liquid* l, kin_sum* sums, double cell) {
    int first = l->part_before_count;
    for (int k = 0; k < first + l->parts.count; k++) sums[k] = (kin_sum){.big = -1, .largest = -1};
    for (int q = 0; q < l->parts.count; q++) {
        kin_sum* sum = &sums[l->kin[first + q]];
        sum->after += weight_of(&l->parts.part[q]);
        if (is_big(&l->parts.part[q], cell) &&
            (sum->big < 0 || l->parts.part[q].volume > l->parts.part[sum->big].volume))
            sum->big = q;
    }
    for (int b = 0; b < l->balance_count; b++) l->sums[b].left = 0.0;
    for (int k = 0; k < first; k++)
        if (sums[l->kin[k]].after > 0.0) l->sums[l->part_before[k].balance].left += weight_of(&l->part_before[k]);
    for (int k = 0; k < first; k++) {
        kin_sum*                 sum     = &sums[l->kin[k]];
        const shoal_tet_sum*     own     = &l->sums[l->part_before[k].balance];
        const shoal_tet_balance* balance = &l->balances[l->part_before[k].balance];
        if (!(sum->after > 0.0)) continue;
        double weight = weight_of(&l->part_before[k]), fraction = weight / own->left;
        sum->before += weight;
        sum->volume += fraction * (own->volume - own->drained);
        sum->moved += fraction * own->grow * own->area;
        sum->balance.due += fraction * (target_of(balance, own) - own->drained);
        sum->balance.gain += weight * balance->gain;
        add_balance(&sum->balance, balance, fraction);
        if (sum->largest < 0 || l->part_before[k].volume > l->part_before[sum->largest].volume) sum->largest = k;
    }
}

// The balances of the parts after: one for each that is not small; its fragments are with it.
static int name_balances(shoal_tet_liquid* l, const kin_sum* sums, double cell) {
    int first = l->part_before_count, count = 1;
    for (int q = 0; q < l->parts.count; q++) l->parts.part[q].balance = is_big(&l->parts.part[q], cell) ? count++ : -1;
    for (int b = 0; b < l->balance_count; b++) l->sums[b].left = 0.0;
    l->sums[0].heir = 0;
    for (int k = 0; k < first; k++) { // of a balance the largest part decides where it goes on
        const kin_sum* sum = &sums[l->kin[k]];
        shoal_tet_sum* own = &l->sums[l->part_before[k].balance];
        if (l->part_before[k].balance == 0 || sum->big < 0 || l->part_before[k].volume <= own->left) continue;
        own->left = l->part_before[k].volume;
        own->heir = l->parts.part[sum->big].balance;
    }
    for (int q = 0; q < l->parts.count; q++) {
        const kin_sum* sum = &sums[l->kin[first + q]];
        if (l->parts.part[q].balance >= 0) continue;
        if (sum->big >= 0) {
            l->parts.part[q].balance = l->parts.part[sum->big].balance;
        } else if (sum->largest >= 0) {
            shoal_tet_sum* source = &l->sums[l->part_before[sum->largest].balance];
            if (source->heir < 0) source->heir = count++;
            l->parts.part[q].balance = source->heir;
        } else {
            l->parts.part[q].balance = 0;
        }
    }
    return count;
}

shoal_status liquid_close_balances(shoal_tet_liquid* l, const double* credit, bool is_thick) {
    double   cell  = shoal_tet_current(l)->band.grid.cell;
    int      first = l->part_before_count, most = 1 + l->parts.count + l->balance_count;
    kin_sum *sums, *balances;
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&sums, (size_t)(first + l->parts.count), sizeof *sums));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&balances, (size_t)most, sizeof *balances));
    SHOAL_TRY(shoal_reserve((void**)&l->next_balances, &l->next_balance_capacity, most, sizeof *l->next_balances));
    sum_kin(l, sums, cell);
    int count = name_balances(l, sums, cell);
    for (int b = 0; b < count; b++) balances[b] = (kin_sum){0};
    for (int q = 0; q < l->parts.count; q++) {
        const shoal_tet_part* part     = &l->parts.part[q];
        const kin_sum*        sum      = &sums[l->kin[first + q]];
        kin_sum*              balance  = &balances[part->balance];
        double                fraction = weight_of(part) / sum->after;
        balance->after += part->volume;
        balance->before += fraction * sum->before;
        balance->volume += fraction * sum->volume + credit[q];
        balance->moved += fraction * sum->moved;
        balance->balance.due += fraction * sum->balance.due + credit[q];
        balance->balance.gain += fraction * sum->balance.gain;
        add_balance(&balance->balance, &sum->balance, fraction);
    }
    for (int b = 0; b < count; b++) {
        shoal_tet_balance balance = balances[b].balance;
        balance.gain              = balances[b].before > 0.0 ? balance.gain / balances[b].before : 1.0;
        find_drift(&balance, is_thick, balances[b].moved, balances[b].after - balances[b].volume);
        l->next_balances[b] = balance;
    }
    shoal_tet_balance* last          = l->balances;
    int                last_capacity = l->balance_capacity;
    l->balances = l->next_balances, l->balance_capacity = l->next_balance_capacity, l->balance_count = count;
    l->next_balances = last, l->next_balance_capacity = last_capacity;
    return SHOAL_OK;
}
