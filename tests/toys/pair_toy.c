// SPDX-License-Identifier: MIT
// A solver of two coupled sets of different spacing: stones, and drops of half their spacing and of unequal volumes,
// each on a spring to a stone. Both are put in another order in every step, as a sort would, so places must follow. It
// shows that a pair of sets goes from scene to frames, resuming, pictures, stats and failed steps by its lists alone.
#include "toys.h"

#include "param/param.h"
#include "state/measure.h"

#include <math.h>

// clang-format off
#define PAIR_PARAMS(X, S)                                                                  \
    X(S, stiffness, FLOAT, 2, 0, 100, "N/m", "of a spring between a drop and its stone")    \
    X(S, fails_at,  FLOAT, 0, 0, 100, "s",   "the step that passes this time works in vain; 0: none does") \
    X(S, drop_spacing, FLOAT, 0.5, 0.1, 1, "", "distance of drops over the scene's spacing")

// name      type role          unit      meaning
#define STONE_FIELDS(X)                                                              \
    X(drops,   I1, SHOWN_OUTPUT, "",       "how many hang on it")
#define DROP_FIELDS(X)                                                               \
    X(stone,   R1, STATE,        "stones", "the one that it hangs on")                \
    X(length,  F1, STATE,        "m",      "of its spring at rest")                   \
    X(volume,  F1, SHOWN_STATE,  "m^3",    "what it takes up")                        \
    X(pull,    S6, OUTPUT,       "N m",    "force of the spring times its way")
// clang-format on

SHOAL_PARAMS_DECLARE(pair_params, PAIR_PARAMS)
SHOAL_PARAMS_DEFINE(pair_params, PAIR_PARAMS)

enum { STONES, DROPS, SETS };

typedef struct pair_toy {
    shoal_sim_context* ctx;
    pair_params        params;
} pair_toy;

typedef struct stone_view {
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_MEMBER)
    STONE_FIELDS(SHOAL_FIELD_MEMBER)
} stone_view;

typedef struct drop_view {
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_MEMBER)
    DROP_FIELDS(SHOAL_FIELD_MEMBER)
} drop_view;

static stone_view stones_of(const pair_toy* s) {
    const shoal_set* set = s->ctx->sets[STONES];
    stone_view       view, *v = &view;
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_BIND)
    STONE_FIELDS(SHOAL_FIELD_BIND)
    return view;
}

static drop_view drops_of(const pair_toy* s) {
    const shoal_set* set = s->ctx->sets[DROPS];
    drop_view        view, *v = &view;
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_BIND)
    DROP_FIELDS(SHOAL_FIELD_BIND)
    return view;
}

// ---------------------------------------------------------------------------------- who comes

// A drop hangs on the nearest stone within three spacings, and takes up 0.75 to 1.25 of its fraction of the lattice.
static void hang(const pair_toy* s, int drop, const shoal_measure* lattice) {
    stone_view stones  = stones_of(s);
    drop_view  drops   = drops_of(s);
    float      nearest = 3.0f * (float)s->ctx->description->spacing;
    drops.volume[drop] = (float)shoal_measure_volume(lattice, drop) * (0.75f + 0.125f * (float)(drops.id[drop] % 5));
    for (int k = 0; k < s->ctx->sets[STONES]->count; k++) {
        float away = shoal_v3_length(shoal_v3_sub(drops.position[drop], stones.position[k]));
        if (away >= nearest) continue;
        nearest            = away;
        drops.stone[drop]  = k;
        drops.length[drop] = away;
    }
}

static shoal_status pair_arrive(void* self, const shoal_arrival* arrival) {
    const pair_toy* s = self;
    if (arrival->set != s->ctx->sets[DROPS]) return SHOAL_OK;
    shoal_measure lattice = shoal_measure_of(s->ctx->description, arrival->set);
    lattice.volume        = NULL;
    for (int k = 0; k < arrival->count; k++) hang(s, arrival->first + k, &lattice);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the step

static shoal_status turn_round(const pair_toy* s, shoal_set* set) {
    int* order = shoal_alloc((size_t)set->count + 1, sizeof *order);
    if (!order) return SHOAL_ERR_MEMORY;
    for (int i = 0; i < set->count; i++) order[i] = set->count - 1 - i;
    shoal_status status = shoal_set_permute(set, &s->ctx->exec, order);
    shoal_free(order);
    return status;
}

// What frames show besides the state; with a time also the push of the springs on both ends.
static void swing(const pair_toy* s, float dt) {
    const shoal_description* d      = s->ctx->description;
    stone_view               stones = stones_of(s);
    drop_view                drops  = drops_of(s);
    shoal_measure            heavy  = shoal_measure_of(d, s->ctx->sets[STONES]);
    shoal_measure            light  = shoal_measure_of(d, s->ctx->sets[DROPS]);
    for (int k = 0; k < s->ctx->sets[STONES]->count; k++) stones.drops[k] = 0;
    for (int i = 0; i < s->ctx->sets[DROPS]->count; i++) {
        int k         = drops.stone[i];
        drops.pull[i] = (shoal_s6){0};
        if (k < 0) continue;
        shoal_v3 way  = shoal_v3_sub(drops.position[i], stones.position[k]);
        float    away = fmaxf(shoal_v3_length(way), 1e-6f);
        shoal_v3 push = shoal_v3_scale(way, s->params.stiffness * (drops.length[i] - away) / away);
        stones.drops[k]++;
        drops.pull[i] =
            (shoal_s6){push.x * way.x, push.y * way.y, push.z * way.z, push.x * way.y, push.y * way.z, push.x * way.z};
        drops.velocity[i]  = shoal_v3_add_scaled(drops.velocity[i], push, dt / (float)shoal_measure_mass(&light, i));
        stones.velocity[k] = shoal_v3_add_scaled(stones.velocity[k], push, -dt / (float)shoal_measure_mass(&heavy, k));
    }
}

static void fly(const pair_toy* s, const shoal_set* set, float dt) {
    const shoal_world* world = s->ctx->world;
    shoal_v3 *         x = shoal_set_data(set, "position"), *v = shoal_set_data(set, "velocity");
    for (int i = 0; i < set->count; i++) {
        v[i] = shoal_v3_add_scaled(v[i], shoal_v3_from(s->ctx->description->gravity), dt);
        x[i] = shoal_world_wrap(world, shoal_v3_add_scaled(x[i], v[i], dt));
        for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
            float at = shoal_v3_axis(wall % 2 ? world->max : world->min, wall / 2), own = shoal_v3_axis(x[i], wall / 2);
            if (!world->is_closed[wall] || (wall % 2 ? own <= at : own >= at)) continue;
            shoal_v3_set_axis(&x[i], wall / 2, at);
            shoal_v3_set_axis(&v[i], wall / 2, -0.5f * shoal_v3_axis(v[i], wall / 2));
        }
    }
}

static shoal_status pair_step(void* self, double dt) {
    const pair_toy* s = self;
    double          t = s->ctx->time, fault = (double)s->params.fails_at;
    for (int k = 0; k < SETS; k++) SHOAL_TRY(turn_round(s, s->ctx->sets[k]));
    swing(s, (float)dt);
    for (int k = 0; k < SETS; k++) fly(s, s->ctx->sets[k], (float)dt);
    if (t < fault && t + dt >= fault) return shoal_fail(SHOAL_ERR_DIVERGE, "the pair fails, as it was told");
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the type

static shoal_status pair_begin(void* self) { return swing(self, 0.0f), SHOAL_OK; }

static shoal_status pair_create(shoal_sim_context* ctx, const void* params, void** self) {
    pair_toy* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    *s    = (pair_toy){ctx, *(const pair_params*)params};
    *self = s;
    return SHOAL_OK;
}

static void pair_set_params(void* self, const void* params) { ((pair_toy*)self)->params = *(const pair_params*)params; }
static shoal_status pair_plan(void* self, shoal_plan* plan) {
    (void)self;
    plan->dt = plan->interval / 4.0;
    return SHOAL_OK;
}

// How many hang, and how long the longest spring is over its length at rest.
static void pair_report(const void* self, double* stats) {
    const pair_toy* s      = self;
    stone_view      stones = stones_of(s);
    drop_view       drops  = drops_of(s);
    stats[0] = stats[1] = 0.0;
    for (int i = 0; i < s->ctx->sets[DROPS]->count; i++) {
        if (drops.stone[i] < 0) continue;
        shoal_v3 way = shoal_v3_sub(drops.position[i], stones.position[drops.stone[i]]);
        stats[0]++;
        stats[1] = fmax(stats[1], (double)(shoal_v3_length(way) / drops.length[i]));
    }
}

static const shoal_field_def stone_fields[] = {STONE_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def drop_fields[]  = {DROP_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_set_def   sets[] = {[STONES] = {"stones", SHOAL_SORTED, stone_fields, 1u << SHOAL_GRANULAR, NULL},
                                       [DROPS] = {"drops", SHOAL_SORTED, drop_fields, 1u << SHOAL_LIQUID, "drop_spacing"},
                                       [SETS] = {0}};
// clang-format off
#define PAIR_COLUMNS(X) \
    X(hanging,     "", SOLVER, FREE, "", "", "", "drops on a spring") \
    X(stretch_max, "", SOLVER, FREE, "", "", "", "longest spring over its length at rest")
// clang-format on
static const shoal_column_def   columns[] = {PAIR_COLUMNS(SHOAL_COLUMN_ROW){0}};
static const shoal_material_use uses[]    = {{"density", SHOAL_LIQUID, NULL}, {"density", SHOAL_GRANULAR, NULL}, {0}};

const shoal_solver_type pair_toy_type = {
    .name           = "pair",
    .summary        = "stones, and finer drops on springs to them: a toy",
    .material_kinds = 1u << SHOAL_LIQUID | 1u << SHOAL_GRANULAR,
    .material_uses  = uses,
    .params         = pair_params_table,
    .params_size    = sizeof(pair_params),
    .sets           = sets,
    .columns        = columns,
    .create         = pair_create,
    .destroy        = shoal_free,
    .arrive         = pair_arrive,
    .begin          = pair_begin,
    .set_params     = pair_set_params,
    .plan           = pair_plan,
    .step           = pair_step,
    .report         = pair_report,
};
