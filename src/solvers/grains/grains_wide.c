// SPDX-License-Identifier: MIT
// The loop over teams of sixteen grains, whose contacts are in grains_wide_pass.h.
#include "math/wide.h"

#include "solvers/grains/grains_local.h"
#include "solvers/grains/grains_wide_pass.h"

enum { ROWS = 6 };

static inline void spread(const loads* all, float sum[ROWS][SHOAL_LANES]) {
    wide_store(sum[0], all->force.x), wide_store(sum[1], all->force.y), wide_store(sum[2], all->force.z);
    wide_store(sum[3], all->torque.x), wide_store(sum[4], all->torque.y), wide_store(sum[5], all->torque.z);
}

static inline grains_load load_of(float sum[ROWS][SHOAL_LANES], int lane) {
    return (grains_load){{sum[0][lane], sum[1][lane], sum[2][lane]}, {sum[3][lane], sum[4][lane], sum[5][lane]}};
}

static inline bool has_solids(const grains_view* v, const int* member) {
    int solids = 0;
    for (int lane = 0; lane < SHOAL_LANES; lane++) solids += v->lists.solids[member[lane]];
    return solids > 0;
}

// Those that touch walls or obstacles, one by one.
static inline void add_solids(const grains_view* v, const int* member, loads* all) {
    float sum[ROWS][SHOAL_LANES];
    spread(all, sum);
    for (int lane = 0; lane < SHOAL_LANES; lane++) {
        grains_load load = load_of(sum, lane);
        if (v->lists.solids[member[lane]] == 0) continue;
        grains_touch_solids(v, member[lane], &load);
        sum[0][lane] = load.force.x, sum[1][lane] = load.force.y, sum[2][lane] = load.force.z;
        sum[3][lane] = load.torque.x, sum[4][lane] = load.torque.y, sum[5][lane] = load.torque.z;
    }
    all->force  = (wide3){wide_load(sum[0]), wide_load(sum[1]), wide_load(sum[2])};
    all->torque = (wide3){wide_load(sum[3]), wide_load(sum[4]), wide_load(sum[5])};
}

static void advance_loop(const void* view, int begin, int end) {
    const grains_view* v       = view;
    int                block   = begin / GRAINS_BLOCK;
    float              fastest = 0.0f, odd = 0.0f, sum[ROWS][SHOAL_LANES];
    wide               most = none_(), strange = none_(); // grains_note, by lanes
    for (int team = begin / SHOAL_LANES; team * SHOAL_LANES < end; team++) {
        const int* member = v->lists.member + team * SHOAL_LANES;
        many       g;
        find_places(v, member, &g);
        find_speeds(v, member, &g);
        foresee(v, v->lists.row[team + 1]);
        foresee(v, v->lists.row[team + 1] + 1);
        loads all = loads_of(v, team, &g);
        if ((team + 1) * SHOAL_LANES <= end) {
            bool solids = has_solids(v, member);
            if (solids) add_solids(v, member, &all);
            if (v->outer) {
                wide3 water;
                wide  none;
                wide_gather4(v->outer, member, &water.x, &water.y, &water.z, &none);
                all.force = add3(all.force, water);
            }
            wide speed2 = move(v, member, &g, &all);
            for (int lane = 0; solids && lane < SHOAL_LANES; lane++)
                if (v->lists.solids[member[lane]]) grains_stay_inside(v, member[lane]);
            most    = wide_max(most, speed2);
            strange = wide_add(strange, wide_sub(speed2, speed2));
            continue;
        }
        spread(&all, sum);
        for (int lane = 0; team * SHOAL_LANES + lane < end; lane++)
            grains_note(&fastest, &odd, grains_move(v, member[lane], load_of(sum, lane)));
    }
    wide_store(sum[0], most);
    for (int lane = 0; lane < SHOAL_LANES; lane++) fastest = sum[0][lane] > fastest ? sum[0][lane] : fastest;
    odd += wide_sum(strange);
    v->block_speed2[block] = (double)(fastest + odd);
}

const shoal_loop SHOAL_WIDE_NAME(grains_loops)[GRAINS_PASS_COUNT] = {[GRAINS_advance] = advance_loop};
