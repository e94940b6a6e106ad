// SPDX-License-Identifier: MIT
// Streams: a settled sample of the material is pushed through the opening at the emission velocity
// (see state/outlet.h).
//
// What is in the opening is held until it has left it: it moves on as a whole with the velocity of
// the stream, so that what leaves has a liquid behind it that neither gives way nor pushes. Where
// the solver keeps it back, more than by what the scene's pressure does, the way is blocked: then
// it stays where the solver has it, and no place is free for more. In a liquid the opening is the
// end of a pipe: what was there before is pushed out ahead of the stream, and no particle comes in from
// outside. Where the stream ahead is drawn out, as in free fall, what is let go closes in across
// the flow, so that it keeps its volume (see state/outlet_taper.c).
#include <string.h>

#include "base/hash.h"
#include "sim/stream_local.h"
#include "state/forces.h"

enum { HOLD_BLOCK = 4096 };
static const double entries_most = 1e7; // in a substep
static const double way_most     = 1e4; // spacings that a stream runs in a substep
static const double blocked      = 0.9; // fraction of its way that a solver keeps something back, where it cannot go on
// Grains that have been pushed out of their place by more, in spacings, stay there: put back, they would lie within
// others, whose springs would throw them. In a free stream they push each other by up to 0.03; those that stayed for
// that would push the next ones aside, and so on until a twentieth of the stream found no place.
static const double pushed = 0.06;

shoal_status sim_streams_make(shoal_sim* sim) {
    const shoal_description* d       = sim->description;
    struct shoal_emission*   scratch = sim->emission;
    scratch->held =
        shoal_outlet_held(d, sim->type && sim->type->support ? sim->type->support(sim->params, d->spacing) : 0.0);
    for (int e = 0; e < d->emitter_count; e++) {
        const shoal_emitter* emitter = &d->emitters[e];
        if (!shoal_is_stream(emitter)) continue;
        if (e >= UINT8_MAX)
            return shoal_fail(SHOAL_ERR_INPUT,
                              "emitters.%d: discs and shapes with a velocity must be among the first %d emitters", e,
                              UINT8_MAX);
        SHOAL_TRY(shoal_outlet_make(d, sim->world, emitter, scratch->held, shoal_mix64(d->seed) + (uint64_t)e,
                                    &scratch->outlets[e]));
    }
    return SHOAL_OK;
}

// --- streams that move: an opening is as it was made in a frame of its own

static shoal_motion_pose pose_of(const shoal_emitter* emitter, double t) {
    return shoal_motion_at(emitter->keys, emitter->key_count, t);
}

// A place of the stream in the world, and the velocity that it has there, the tap's own included.
typedef struct release {
    shoal_d3 at, velocity;
} release;

static release release_at(const shoal_emitter* emitter, const shoal_motion_pose* pose, shoal_d3 own) {
    shoal_d3 at = shoal_motion_place(pose, own);
    return (release){at, shoal_d3_add(shoal_quat_rotate(pose->rotation, shoal_d3_from(emitter->velocity)),
                                      shoal_motion_velocity(pose, at))};
}

static void find_poses(const shoal_sim* sim, double t, double dt) {
    for (int e = 0; e < sim->description->emitter_count; e++) {
        if (sim->description->emitters[e].key_count == 0) continue;
        sim->emission->begin[e] = pose_of(&sim->description->emitters[e], t);
        sim->emission->end[e]   = pose_of(&sim->description->emitters[e], t + dt);
    }
}

// ---------------------------------------------------------------------------------- coming in

// Where a point is that came in `way` ago, and how it moves: straight on while it is held; then as
// gravity has it, and as solvers do that, which give velocities their gain ahead of the whole step,
// so that it fits to those that came a step earlier.
typedef struct arrival {
    shoal_v3 at, velocity;
} arrival;

static arrival arrive(const shoal_sim* sim, const shoal_emitter* emitter, const shoal_outlet* outlet,
                      const shoal_entry* entry, double way, double t) {
    double   speed = (double)shoal_v3_length(emitter->velocity), age = fmax(way - entry->held, 0.0) / speed;
    shoal_d3 g    = sim->description->gravity;
    shoal_d3 at   = shoal_d3_add(entry->at, shoal_d3_scale(outlet->along, way));
    shoal_d3 fall = shoal_d3_scale(g, age * way / speed);
    shoal_d3 gain = shoal_d3_scale(g, age);
    shoal_v3 u    = emitter->velocity;
    if (emitter->key_count > 0) {
        shoal_motion_pose then = pose_of(emitter, t - age);
        release           out =
            release_at(emitter, &then, shoal_d3_add(entry->at, shoal_d3_scale(outlet->along, way - speed * age)));
        at = shoal_d3_add(out.at, shoal_d3_scale(out.velocity, age));
        u  = shoal_v3_from(out.velocity);
    }
    return (arrival){shoal_v3_from(shoal_d3_add(at, fall)), shoal_v3_add(u, shoal_v3_from(gain))};
}

// One that finds its place taken by a little is put a little before or behind it.
static shoal_status let_in(shoal_sim* sim, int index, const shoal_entry* entry, double way, double t) {
    static const double  shifts[] = {0.0, -0.1, 0.1, -0.2, 0.2}; // spacings
    const shoal_emitter* emitter  = &sim->description->emitters[index];
    double               d        = shoal_spacing_of(sim->description, emitter->material);
    bool                 placed   = false;
    for (int k = 0; k < (int)(sizeof shifts / sizeof *shifts) && !placed; k++) {
        arrival a = arrive(sim, emitter, &sim->emission->outlets[index], entry, fmax(way + shifts[k] * d, 0.0), t);
        SHOAL_TRY(sim_place(sim, emitter, a.at, a.velocity, k == 0, &placed));
    }
    const shoal_set* set = shoal_home_of(&sim->ctx, emitter->material);
    if (placed) ((uint8_t*)shoal_set_data(set, "holder"))[set->count - 1] = (uint8_t)(index + 1);
    return SHOAL_OK;
}

static double come_at(const shoal_outlet* outlet, uint64_t n) {
    uint64_t count = (uint64_t)outlet->count;
    return (double)(n / count) * outlet->period + outlet->entries[n % count].when;
}

static shoal_status emit_stream(shoal_sim* sim, int index, double t) {
    const shoal_emitter* emitter = &sim->description->emitters[index];
    const shoal_outlet*  outlet  = &sim->emission->outlets[index];
    shoal_emitter_state* state   = &sim->emitters[index];
    double               d       = shoal_spacing_of(sim->description, emitter->material);
    double               speed   = (double)shoal_v3_length(emitter->velocity);
    double               gone    = speed * (fmin(t, emitter->until) - emitter->from); // by the sample
    double               now     = speed * (t - emitter->from);
    if (outlet->count == 0 || !(gone > come_at(outlet, state->drawn))) return SHOAL_OK;
    double first = come_at(outlet, state->drawn), due = (gone - first) / outlet->period * outlet->count;
    if (due > entries_most || gone - first > way_most * d)
        return shoal_fail(SHOAL_ERR_PARAM,
                          "t = %g s: an emitter would have to give %.3g particles at once; take shorter steps", t, due);

    shoal_box way = shoal_box_empty();
    for (uint64_t n = state->drawn; come_at(outlet, n) < gone; n++)
        way = shoal_box_with(way,
                             shoal_d3_from(arrive(sim, emitter, outlet, &outlet->entries[n % (uint64_t)outlet->count],
                                                  now - come_at(outlet, n), t)
                                               .at));
    SHOAL_TRY(sim_occupancy_gather(&sim->emission->near, sim, shoal_box_grown(way, 0.2 * d), SHOAL_FREE_FRACTION * d));
    bool is_full = shoal_sim_is_full(sim); // then no pump is strong enough
    for (; come_at(outlet, state->drawn) < gone; state->drawn++)
        if (is_full)
            sim->emission->emitter_totals[index].tried++;
        else
            SHOAL_TRY(let_in(sim, index, &outlet->entries[state->drawn % (uint64_t)outlet->count],
                             now - come_at(outlet, state->drawn), t));
    return SHOAL_OK;
}

// Into one set, or, where it is NULL, all.
static shoal_status emit_into(shoal_sim* sim, const shoal_set* set, double t) {
    for (int e = 0; e < sim->description->emitter_count; e++) {
        const shoal_emitter* emitter = &sim->description->emitters[e];
        if (!shoal_is_stream(emitter) || sim->emission->outlets[e].count == 0) continue;
        if (set && shoal_home_of(&sim->ctx, emitter->material) != set) continue;
        if (sim->emission->emitter_totals[e].tried == 0) sim->emission->emitter_totals[e].since = t;
        SHOAL_TRY(emit_stream(sim, e, t));
        sim_tell_idle(sim, e, t);
    }
    return SHOAL_OK;
}

shoal_status shoal_sim_emit_streams(shoal_sim* sim, double t) { return emit_into(sim, NULL, t); }

// While there are no particles a solver would take any step, and a long piece of the stream would come in
// at once.
double shoal_sim_streams_dt(const shoal_sim* sim) {
    double dt = (double)INFINITY, t = sim->clock.time;
    for (int e = 0; e < sim->description->emitter_count && shoal_sim_count(sim) == 0; e++) {
        const shoal_emitter* emitter = &sim->description->emitters[e];
        if (sim->emission->outlets[e].count == 0 || t >= emitter->until) continue;
        dt = fmin(dt, fmax(emitter->from - t, 0.0) + sim->emission->held / (double)shoal_v3_length(emitter->velocity));
    }
    return dt;
}

// ---------------------------------------------------------------------------------- holding

static sim_held* slot_of(const sim_slots* slots, int32_t id) {
    uint64_t mask = (uint64_t)slots->count - 1, k = shoal_mix64((uint64_t)id) & mask;
    while (slots->at[k].is_there && slots->at[k].id != id) k = (k + 1) & mask;
    return &slots->at[k];
}

// With the poses of one of the ends of the substep.
static bool is_in_opening(const sim_hold_job* h, const shoal_motion_pose* poses, int i) {
    int                  e       = h->holder[i] - 1;
    const shoal_emitter* emitter = &h->sim->description->emitters[e];
    return shoal_outlet_holds(emitter, h->sim->emission->outlets[e].along, h->sim->emission->held,
                              shoal_spacing_of(h->sim->description, emitter->material),
                              sim_own_place(emitter, &poses[e], h->position[i]));
}

// The way of what the emitter holds at `from` as the substep begins: where that leads without weight, and how it moves
// as it is let go or, in the opening still, at the end.
typedef struct passage {
    double   within; // fraction of the substep that it spends in the opening
    shoal_d3 to, velocity;
} passage;

static passage passage_of(const sim_hold_job* h, int e, shoal_v3 from) {
    const shoal_emitter*     emitter = &h->sim->description->emitters[e];
    const shoal_motion_pose* begin   = &h->sim->emission->begin[e];
    shoal_d3                 own = sim_own_place(emitter, begin, from), u = shoal_d3_from(emitter->velocity),
             along = h->sim->emission->outlets[e].along;
    double way     = (double)shoal_v3_length(emitter->velocity) * h->dt,
           left    = shoal_outlet_way_left(emitter, along, h->sim->emission->held, own, way);
    passage p      = {left / way, shoal_d3_add(own, shoal_d3_scale(u, h->dt)), u};
    if (emitter->key_count == 0) return p;
    double            age  = (1.0 - p.within) * h->dt;
    shoal_motion_pose then = pose_of(emitter, h->now - age);
    release           out  = release_at(emitter, &then, shoal_d3_add(own, shoal_d3_scale(along, left)));
    p.to                   = shoal_d3_add(out.at, shoal_d3_scale(out.velocity, age));
    p.velocity             = out.velocity;
    return p;
}

// What leads there in the substep.
static shoal_v3 mean_velocity(const sim_hold_job* h, int e, const passage* p, shoal_v3 from) {
    const shoal_emitter* emitter = &h->sim->description->emitters[e];
    if (emitter->key_count == 0) return emitter->velocity;
    return shoal_v3_from(shoal_d3_scale(shoal_d3_sub(p->to, shoal_d3_from(from)), 1.0 / h->dt));
}

static sim_slots* slots_of(const shoal_sim* sim, const shoal_set* set) {
    int k = 0;
    while (sim->ctx.sets[k] != set) k++;
    return &sim->emission->slots[k];
}

// From t on.
static sim_hold_job holding_of(const shoal_sim* sim, const shoal_set* set, double t, double dt) {
    return (sim_hold_job){sim,
                          slots_of(sim, set),
                          dt,
                          t + dt,
                          shoal_set_read(set, "id"),
                          shoal_set_read(set, "material"),
                          shoal_set_data(set, "position"),
                          shoal_set_data(set, "velocity"),
                          shoal_set_data(set, "holder")};
}

static bool has_streams(const shoal_sim* sim) {
    bool has = false;
    for (int e = 0; e < sim->description->emitter_count; e++) has |= sim->emission->outlets[e].count > 0;
    return has;
}

SHOAL_FN double is_held(const uint8_t* holder, int i) { return holder[i] > 0; }
SHOAL_SUM_LOOP(all_held, uint8_t, is_held)

// Makes room for where all that is held of a set is ahead of the substep.
static shoal_status reserve_slots(sim_slots* slots, const shoal_exec* exec, const shoal_set* set) {
    double held  = shoal_sum(exec, set->count, all_held, (void*)shoal_set_read(set, "holder"));
    int    count = 1024;
    while (count < 2.0 * held) count *= 2;
    SHOAL_TRY(shoal_reserve((void**)&slots->at, &slots->capacity, count, sizeof *slots->at));
    slots->count = count;
    memset(slots->at, 0, (size_t)count * sizeof *slots->at);
    return SHOAL_OK;
}

static void carry_all(const sim_hold_job* h, int count, double kick) {
    const shoal_sim*             sim     = h->sim;
    const struct shoal_emission* scratch = sim->emission;
    for (int i = 0; i < count; i++) {
        if (h->holder[i] == 0) continue;
        if (!is_in_opening(h, scratch->begin, i)) continue; // it came in during the last substep, and out
        int     e                    = h->holder[i] - 1;
        passage p                    = passage_of(h, e, h->position[i]);
        *slot_of(h->slots, h->id[i]) = (sim_held){h->id[i], true, h->position[i]};
        h->velocity[i]               = shoal_v3_sub(mean_velocity(h, e, &p, h->position[i]),
                                                    shoal_v3_from(shoal_d3_scale(sim->description->gravity, p.within * kick)));
    }
}

static shoal_status carry_set(shoal_sim* sim, shoal_set* set, double t, double dt) {
    if (!has_streams(sim)) return SHOAL_OK;
    // a solver that adds forces bit by bit within the step gives half of it on average
    double kick = sim->ctx.kick == SHOAL_KICK_WITHIN ? 0.5 * dt : dt;
    SHOAL_TRY(reserve_slots(slots_of(sim, set), &sim->ctx.exec, set));
    sim_hold_job h = holding_of(sim, set, t, dt);
    find_poses(sim, t, dt);
    carry_all(&h, set->count, kick);
    return SHOAL_OK;
}

bool shoal_sim_steps_within(const shoal_sim* sim, const shoal_set* set) {
    return sim->type && (sim->type->streams_within & set->kinds) != 0;
}

shoal_status shoal_sim_carry(shoal_sim* sim, double dt) {
    if (!has_streams(sim)) return SHOAL_OK;
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) {
        if (shoal_sim_steps_within(sim, set)) continue;
        SHOAL_TRY(shoal_set_keep(set, "velocity"));
        SHOAL_TRY(carry_set(sim, set, sim->clock.time, dt));
    }
    return SHOAL_OK;
}

static bool are_grains(const shoal_sim* sim, int material) {
    bool are_spheres = sim->type && (sim->type->bodies & SHOAL_BODIES_SPHERES);
    return are_spheres && sim->description->materials[material].kind == SHOAL_GRANULAR;
}

// The place to which the stream carries what was at `from`, unless the solver had it stay behind:
// then something is in the way. Whether it is let go on the mouth: what comes out slower than it would fall in the rest
// of the substep does not fall back in, since more follows. (In again it was held for ever, and all that came after
// it: a tap slower than g dt filled its opening to twice the density and gave nothing.)
static bool carry_on(const sim_hold_job* h, int i, int e, const passage* p, shoal_v3 from) {
    const shoal_description* d       = h->sim->description;
    const shoal_emitter*     emitter = &d->emitters[e];
    double   spacing = shoal_spacing_of(d, emitter->material), speed = (double)shoal_v3_length(emitter->velocity);
    double   age = (1.0 - p->within) * h->dt, way = speed * h->dt;
    shoal_d3 to    = shoal_d3_add(p->to, shoal_d3_scale(d->gravity, age * h->dt)),
             along = sim_turned(emitter, &h->sim->emission->end[e], h->sim->emission->outlets[e].along);
    double back    = -age * (speed + shoal_d3_dot(d->gravity, along) * h->dt);
    if (back > 0.0) to = shoal_d3_add(to, shoal_d3_scale(along, back));
    shoal_v3 home = shoal_v3_from(to);
    shoal_d3 miss = shoal_d3_sub(to, shoal_d3_from(h->position[i]));
    if (emitter->key_count > 0) way = fmax(way, shoal_d3_length(shoal_d3_sub(p->to, shoal_d3_from(from))));
    if (shoal_d3_dot(miss, along) > blocked * way + sim_borne_by(h, spacing) ||
        shoal_d3_length(miss) > (are_grains(h->sim, emitter->material) ? pushed * spacing : fmax(spacing, way)))
        return false;
    double clearance = shoal_place_exists(h->sim->world, spacing, false, &from) ? spacing : SIM_BESIDE * spacing;
    if (!shoal_place_exists(h->sim->world, clearance, false, &home)) return false;
    h->position[i] = home;
    return back > 0.0;
}

static shoal_v3 velocity_within(const shoal_emitter* emitter, const shoal_motion_pose* pose, shoal_v3 place) {
    if (emitter->key_count == 0) return emitter->velocity;
    return shoal_v3_from(release_at(emitter, pose, sim_own_place(emitter, pose, place)).velocity);
}

static void hold_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const sim_hold_job*      h = ctx;
    const shoal_description* d = h->sim->description;
    for (int i = begin; i < end; i++) {
        if (h->holder[i] == 0) sim_meet_stranger(h, i);
        if (h->holder[i] == 0) continue;
        int                      e         = h->holder[i] - 1;
        const shoal_emitter*     emitter   = &d->emitters[e];
        const shoal_outlet*      outlet    = &h->sim->emission->outlets[e];
        const sim_held*          held      = slot_of(h->slots, h->id[i]);
        const shoal_motion_pose* pose      = &h->sim->emission->end[e];
        passage                  p         = held->is_there ? passage_of(h, e, held->place) : (passage){0};
        bool                     is_let_go = held->is_there && carry_on(h, i, e, &p, held->place);
        if (!is_let_go && is_in_opening(h, h->sim->emission->end, i))
            h->velocity[i] = velocity_within(emitter, pose, h->position[i]);
        else {
            double   rate   = h->sim->emission->drawn_out[e];
            shoal_v3 inward = shoal_outlet_taper(outlet, rate, sim_own_place(emitter, pose, h->position[i]));
            h->holder[i]    = 0;
            if (emitter->key_count > 0) inward = shoal_v3_from(sim_turned(emitter, pose, shoal_d3_from(inward)));
            h->velocity[i] = shoal_v3_add(h->velocity[i], inward);
            // a tap that turns or speeds up has let it go with another velocity than the mean of its way
            if (emitter->key_count > 0 && held->is_there)
                h->velocity[i] = shoal_v3_add(
                    h->velocity[i], shoal_v3_sub(shoal_v3_from(p.velocity), mean_velocity(h, e, &p, held->place)));
        }
    }
}

// ---------------------------------------------------------------------------------- drawing out

typedef struct draw_job {
    const shoal_emitter*     emitter;
    const shoal_outlet*      outlet;
    const shoal_motion_pose* pose;
    double                   speed;
    const shoal_v3 *         position, *velocity;
    bool                     counts_speed;
} draw_job;

// How fast it goes along the stream, as the tap sees it.
static double speed_along(const draw_job* a, int i) {
    shoal_d3 u = shoal_d3_from(a->velocity[i]);
    if (a->emitter->key_count > 0) u = shoal_d3_sub(u, shoal_motion_velocity(a->pose, shoal_d3_from(a->position[i])));
    return shoal_d3_dot(u, sim_turned(a->emitter, a->pose, a->outlet->along));
}

// Sums over those ahead of the opening: their way squared, or times what they are faster.
SHOAL_FN double drawing_of(const draw_job* a, int i) {
    double way;
    if (!shoal_outlet_is_ahead(a->outlet, sim_own_place(a->emitter, a->pose, a->position[i]), &way)) return 0.0;
    return way * (a->counts_speed ? speed_along(a, i) - a->speed : way);
}
SHOAL_SUM_LOOP(drawings, draw_job, drawing_of)

// At which rate a stream is drawn out ahead of its opening: the slope of its speed along it. Of
// what has not come yet, by what a stream would have there that falls freely, it is that of the
// fall. No more than that: a stream that is squeezed shoots ahead, and would be squeezed the more.
// Below zero it is pushed together, and widens by pressure.
static double rate_of(const shoal_sim* sim, int index, double t, double dt) {
    const shoal_description* d       = sim->description;
    const shoal_emitter*     emitter = &d->emitters[index];
    const shoal_outlet*      outlet  = &sim->emission->outlets[index];
    const shoal_motion_pose* pose    = &sim->emission->end[index];
    double                   reach = outlet->taper.reach, speed = (double)shoal_v3_length(emitter->velocity);
    shoal_d3                 along = sim_turned(emitter, pose, outlet->along), origin = outlet->taper.origin;
    if (emitter->key_count > 0) origin = shoal_motion_place(pose, origin);
    shoal_v3 forced = shoal_forces_gain(d, emitter->material, shoal_v3_from(origin), t, t + dt);
    double   pull   = shoal_d3_dot(d->gravity, along) + shoal_d3_dot(shoal_d3_from(forced), along) / dt;
    double   falls  = (sqrt(fmax(speed * speed + 2.0 * pull * reach, 0.0)) - speed) / reach;
    // thinner by the speed at 3/4 of the reach, the middle of ways squared
    double full = outlet->taper.filled * speed / (speed + 0.75 * fmax(falls, 0.0) * reach);
    double ways = 0.0, gains = 0.0;
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) {
        draw_job a = {emitter, outlet, pose, speed, shoal_set_read(set, "position"), shoal_set_read(set, "velocity"),
                      false};
        ways += shoal_sum(&sim->ctx.exec, set->count, drawings, &a);
        a.counts_speed = true;
        gains += shoal_sum(&sim->ctx.exec, set->count, drawings, &a);
    }
    double missing = fmax(full - ways, 0.0);
    return fmax(fmin((gains + missing * falls) / (ways + missing), falls), 0.0);
}

static void find_rates(shoal_sim* sim, double t, double dt) {
    find_poses(sim, t, dt);
    for (int e = 0; e < sim->description->emitter_count; e++)
        if (sim->emission->outlets[e].taper.cells) sim->emission->drawn_out[e] = rate_of(sim, e, t, dt);
}

static void hold_all(shoal_sim* sim, const shoal_set* set, double t, double dt) {
    sim_hold_job h = holding_of(sim, set, t, dt);
    shoal_blocks(&sim->ctx.exec, set->count, HOLD_BLOCK, hold_block, &h);
}

void shoal_sim_hold(shoal_sim* sim, double dt) {
    if (!has_streams(sim)) return;
    find_rates(sim, sim->clock.time, dt);
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set)
    if (!shoal_sim_steps_within(sim, set)) hold_all(sim, set, sim->clock.time, dt);
}

// ---------------------------------------------------------------------------------- within a step of the solver

static shoal_status come_within(shoal_sim* sim, shoal_set* set, double t) {
    shoal_arrival comes = {.set = set, .first = set->count};
    SHOAL_TRY(emit_into(sim, set, t));
    comes.count = set->count - comes.first;
    SHOAL_TRY(sim_admit(sim, &comes));
    shoal_sim_centre_came(sim, &comes);
    return SHOAL_OK;
}

static void hold_within(shoal_sim* sim, shoal_set* set, double t, double dt) {
    shoal_sim_centre_carried(sim, set, dt);
    if (!has_streams(sim)) return;
    find_rates(sim, t, dt);
    hold_all(sim, set, t, dt);
}

typedef struct bar_job {
    sim_hold_job hold;
    double       beyond;
    shoal_v4*    bar;
} bar_job;

static void bar_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const bar_job* job = ctx;
    for (int i = begin; i < end; i++) job->bar[i] = sim_bar_of(&job->hold, i, job->beyond);
}

static bool bars(const shoal_sim* sim, const shoal_set* set, double dt, double beyond, shoal_v4* bar) {
    if (!has_streams(sim) || shoal_sim_is_full(sim)) return false; // what is pressed in there has no other room
    bar_job job = {holding_of(sim, set, sim->clock.time, dt), beyond, bar};
    shoal_blocks(&sim->ctx.exec, set->count, HOLD_BLOCK, bar_block, &job);
    return true;
}

typedef struct near_job {
    const shoal_v3* position;
    shoal_box       box;
} near_job;

SHOAL_FN bool is_near(const near_job* n, int i) { return shoal_box_holds(n->box, shoal_d3_from(n->position[i])); }
SHOAL_FIRST_LOOP(first_near, near_job, is_near)

// An opening, and as far ahead of it as the stream is looked at.
static bool are_clear(const shoal_sim* sim, const shoal_set* set, double margin) {
    for (int e = 0; e < sim->description->emitter_count; e++) {
        const shoal_outlet* outlet = &sim->emission->outlets[e];
        if (outlet->count == 0 || shoal_home_of(&sim->ctx, sim->description->emitters[e].material) == set) continue;
        const shoal_emitter* emitter = &sim->description->emitters[e];
        shoal_box            box     = shoal_motion_box(emitter->keys, emitter->key_count, outlet->box);
        near_job             n = {shoal_set_read(set, "position"), shoal_box_grown(box, margin + outlet->taper.reach)};
        if (shoal_first(&sim->ctx.exec, set->count, first_near, &n) >= 0) return false;
    }
    return true;
}

shoal_streams shoal_sim_streams(shoal_sim* sim) {
    return (shoal_streams){sim, come_within, carry_set, hold_within, are_clear, bars};
}
