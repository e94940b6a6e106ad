// SPDX-License-Identifier: MIT
// Streams: a settled sample of the material is pushed through the opening at the emission velocity
// (see state/outlet.h).
//
// What is in the opening is held until it has left it: it moves on as a whole with the velocity of
// the stream, so that what leaves has a liquid behind it that neither gives way nor pushes. Where
// the solver keeps it back, more than by what the scene's pressure does, the way is blocked: then
// it stays where the solver has it, and no place is free for more. In a liquid the opening is the
// end of a pipe: what was there before is pushed out ahead of the stream, and nobody comes in from
// outside. Where the stream ahead is drawn out, as in free fall, what is let go closes in across
// the flow, so that it keeps its volume (see state/outlet_taper.c).
#include <string.h>

#include "base/hash.h"
#include "sim/emit_local.h"
#include "state/forces.h"

enum { HOLD_BLOCK = 4096 };
static const double entries_most = 1e7; // in a substep
static const double way_most     = 1e4; // spacings that a stream runs in a substep
static const double blocked      = 0.9; // share of its way that a solver keeps something back, where it cannot go on
// What is left of the usual room at solids for who is there already, since grids have particles
// nearer to them, and for who is put out of an opening.
static const double beside = 0.2;
// Grains that have been pushed out of their place by more, in spacings, stay there: put back, they would lie within
// others, whose springs would throw them. In a free stream they push each other by up to 0.03; those that stayed for
// that would push the next ones aside, and so on until a twentieth of the stream found no place.
static const double pushed = 0.06;

shoal_status sim_streams_make(shoal_sim* sim) {
    const shoal_description* d    = sim->description;
    struct shoal_emit_room*  room = sim->emit_room;
    room->held                    = 2.0 * d->spacing; // what leaves has a full support behind it
    if (sim->type && sim->type->support) room->held = fmax(room->held, sim->type->support(sim->params, d->spacing));
    for (int e = 0; e < d->emitter_count; e++) {
        const shoal_emitter* emitter = &d->emitters[e];
        if (!shoal_is_stream(emitter)) continue;
        if (e >= UINT8_MAX)
            return shoal_fail(SHOAL_ERR_INPUT,
                              "emitters.%d: discs and shapes with a velocity must be among the first %d emitters", e,
                              UINT8_MAX);
        SHOAL_TRY(shoal_outlet_make(d, sim->world, emitter, room->held, shoal_mix64(d->seed) + (uint64_t)e,
                                    &room->outlets[e]));
    }
    return SHOAL_OK;
}

// Where a point is that came in `way` ago, and how it moves: straight on while it is held; then as
// gravity has it, and as solvers do that, who give velocities their gain ahead of the whole step,
// so that it fits to those who came a step earlier.
typedef struct arrival {
    shoal_v3 at, velocity;
} arrival;

static arrival arrive(const shoal_sim* sim, const shoal_emitter* emitter, const shoal_outlet* outlet,
                      const shoal_entry* entry, double way) {
    double   speed = (double)shoal_v3_length(emitter->velocity), age = fmax(way - entry->held, 0.0) / speed;
    shoal_d3 g    = sim->description->gravity;
    shoal_d3 at   = shoal_d3_add(entry->at, shoal_d3_scale(outlet->along, way));
    shoal_d3 fall = shoal_d3_scale(g, age * way / speed);
    shoal_d3 gain = shoal_d3_scale(g, age);
    return (arrival){shoal_v3_from(shoal_d3_add(at, fall)), shoal_v3_add(emitter->velocity, shoal_v3_from(gain))};
}

// One that finds its place taken by a little is put a little before or behind it.
static shoal_status let_in(shoal_sim* sim, int index, const shoal_entry* entry, double way) {
    static const double  shifts[] = {0.0, -0.1, 0.1, -0.2, 0.2}; // spacings
    const shoal_emitter* emitter  = &sim->description->emitters[index];
    double               d        = shoal_spacing_of(sim->description, emitter->material);
    bool                 placed   = false;
    for (int k = 0; k < (int)(sizeof shifts / sizeof *shifts) && !placed; k++) {
        arrival a = arrive(sim, emitter, &sim->emit_room->outlets[index], entry, fmax(way + shifts[k] * d, 0.0));
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
    const shoal_outlet*  outlet  = &sim->emit_room->outlets[index];
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
                                                  now - come_at(outlet, n))
                                               .at));
    SHOAL_TRY(sim_crowd_gather(&sim->emit_room->near, sim, shoal_box_grown(way, 0.2 * d), SIM_FREE_SHARE * d));
    bool is_full = shoal_sim_is_full(sim); // then no pump is strong enough
    for (; come_at(outlet, state->drawn) < gone; state->drawn++)
        if (!is_full)
            SHOAL_TRY(let_in(sim, index, &outlet->entries[state->drawn % (uint64_t)outlet->count],
                             now - come_at(outlet, state->drawn)));
    return SHOAL_OK;
}

// Into one set, or, where it is NULL, all.
static shoal_status emit_into(shoal_sim* sim, const shoal_set* set, double t) {
    for (int e = 0; e < sim->description->emitter_count; e++) {
        const shoal_emitter* emitter = &sim->description->emitters[e];
        if (!shoal_is_stream(emitter) || sim->emit_room->outlets[e].count == 0) continue;
        if (set && shoal_home_of(&sim->ctx, emitter->material) != set) continue;
        if (sim->emit_room->ledgers[e].tried == 0) sim->emit_room->ledgers[e].since = t;
        SHOAL_TRY(emit_stream(sim, e, t));
        sim_tell_idle(sim, e, t);
    }
    return SHOAL_OK;
}

shoal_status shoal_sim_emit_streams(shoal_sim* sim, double t) { return emit_into(sim, NULL, t); }

// While there is nobody a solver would take any step, and a long piece of the stream would come in
// at once.
double shoal_sim_streams_dt(const shoal_sim* sim) {
    double dt = (double)INFINITY, t = sim->clock.time;
    for (int e = 0; e < sim->description->emitter_count && shoal_sim_count(sim) == 0; e++) {
        const shoal_emitter* emitter = &sim->description->emitters[e];
        if (sim->emit_room->outlets[e].count == 0 || t >= emitter->until) continue;
        dt = fmin(dt, fmax(emitter->from - t, 0.0) + sim->emit_room->held / (double)shoal_v3_length(emitter->velocity));
    }
    return dt;
}

// ---------------------------------------------------------------------------------- holding

typedef struct holding {
    const shoal_sim* sim;
    const sim_slots* slots;
    double           dt, now; // length and end of the substep
    const int32_t*   id;
    shoal_v3 *       position, *velocity;
    uint8_t*         holder;
} holding;

static sim_held* slot_of(const sim_slots* slots, int32_t id) {
    uint64_t mask = (uint64_t)slots->count - 1, k = shoal_mix64((uint64_t)id) & mask;
    while (slots->at[k].is_there && slots->at[k].id != id) k = (k + 1) & mask;
    return &slots->at[k];
}

static bool is_in_opening(const holding* h, int i) {
    int                  e       = h->holder[i] - 1;
    const shoal_emitter* emitter = &h->sim->description->emitters[e];
    return shoal_outlet_holds(emitter, h->sim->emit_room->outlets[e].along, h->sim->emit_room->held,
                              shoal_spacing_of(h->sim->description, emitter->material), shoal_d3_from(h->position[i]));
}

// Share of the substep that a held particle spends in the opening.
static double share_within(const shoal_sim* sim, const shoal_emitter* emitter, const shoal_outlet* outlet,
                           shoal_v3 place, double dt) {
    double way = (double)shoal_v3_length(emitter->velocity) * dt;
    return shoal_outlet_way_left(emitter, outlet->along, sim->emit_room->held, shoal_d3_from(place), way) / way;
}

static sim_slots* slots_of(const shoal_sim* sim, const shoal_set* set) {
    int k = 0;
    while (sim->ctx.sets[k] != set) k++;
    return &sim->emit_room->slots[k];
}

// From t on.
static holding holding_of(const shoal_sim* sim, const shoal_set* set, double t, double dt) {
    return (holding){sim,
                     slots_of(sim, set),
                     dt,
                     t + dt,
                     shoal_set_read(set, "id"),
                     shoal_set_data(set, "position"),
                     shoal_set_data(set, "velocity"),
                     shoal_set_data(set, "holder")};
}

static bool has_streams(const shoal_sim* sim) {
    bool has = false;
    for (int e = 0; e < sim->description->emitter_count; e++) has |= sim->emit_room->outlets[e].count > 0;
    return has;
}

SHOAL_FN double is_held(const uint8_t* holder, int i) { return holder[i] > 0; }
SHOAL_SUM_LOOP(all_held, uint8_t, is_held)

// Makes room for where all that is held of a set is ahead of the substep.
static shoal_status reserve_slots(sim_slots* slots, const shoal_exec* exec, const shoal_set* set) {
    double held  = shoal_sum(exec, set->count, all_held, (void*)shoal_set_read(set, "holder"));
    int    count = 1024;
    while (count < 2.0 * held) count *= 2;
    SHOAL_TRY(shoal_make_room((void**)&slots->at, &slots->room, count, sizeof *slots->at));
    slots->count = count;
    memset(slots->at, 0, (size_t)count * sizeof *slots->at);
    return SHOAL_OK;
}

static void carry_all(const holding* h, int count, double kick) {
    const shoal_sim*              sim  = h->sim;
    const struct shoal_emit_room* room = sim->emit_room;
    for (int i = 0; i < count; i++) {
        if (h->holder[i] == 0) continue;
        int                  e       = h->holder[i] - 1;
        const shoal_emitter* emitter = &sim->description->emitters[e];
        if (!is_in_opening(h, i)) continue; // it came in during the last substep, and out
        double within                = share_within(sim, emitter, &room->outlets[e], h->position[i], h->dt);
        *slot_of(h->slots, h->id[i]) = (sim_held){h->id[i], true, h->position[i]};
        h->velocity[i] =
            shoal_v3_sub(emitter->velocity, shoal_v3_from(shoal_d3_scale(sim->description->gravity, within * kick)));
    }
}

static shoal_status carry_set(shoal_sim* sim, shoal_set* set, double t, double dt) {
    if (!has_streams(sim)) return SHOAL_OK;
    // a solver that adds forces bit by bit within the step gives half of it on average
    double kick = sim->ctx.kick == SHOAL_KICK_WITHIN ? 0.5 * dt : dt;
    SHOAL_TRY(reserve_slots(slots_of(sim, set), &sim->ctx.exec, set));
    holding h = holding_of(sim, set, t, dt);
    carry_all(&h, set->count, kick);
    return SHOAL_OK;
}

// The solver does it, for streams of this set.
static bool is_within(const shoal_sim* sim, const shoal_set* set) {
    return sim->type && (sim->type->streams_within & set->kinds) != 0;
}

shoal_status shoal_sim_carry(shoal_sim* sim, double dt) {
    if (!has_streams(sim)) return SHOAL_OK;
    SHOAL_EACH_CROWD(&sim->ctx, set) {
        if (is_within(sim, set)) continue;
        SHOAL_TRY(shoal_set_keep(set, "velocity"));
        SHOAL_TRY(carry_set(sim, set, sim->clock.time, dt));
    }
    return SHOAL_OK;
}

// How far the pressure of all that falls and moves in the scene pushes what is in an opening, two
// spacings long, in a substep: that is borne as by a pump, and does not block the way. No pressure
// over density is more than the energy per kilogram that anything can have got (Bernoulli), which
// the watch knows.
static double borne_by(const holding* h, double spacing) {
    return h->sim->watch.given * h->dt * h->dt / (2.0 * spacing);
}

static bool are_grains(const shoal_sim* sim, int material) {
    bool are_spheres = sim->type && (sim->type->bodies & SHOAL_BODIES_SPHERES);
    return are_spheres && sim->description->materials[material].kind == SHOAL_GRANULAR;
}

// The place to which the stream carries what was at `from`, unless the solver had it stay behind:
// then something is in the way.
static void carry_on(const holding* h, int i, const shoal_emitter* emitter, const shoal_outlet* outlet, shoal_v3 from) {
    const shoal_description* d       = h->sim->description;
    double                   spacing = shoal_spacing_of(d, emitter->material);
    double                   age     = (1.0 - share_within(h->sim, emitter, outlet, from, h->dt)) * h->dt;
    shoal_d3 to   = shoal_d3_add(shoal_d3_from(from), shoal_d3_scale(shoal_d3_from(emitter->velocity), h->dt));
    to            = shoal_d3_add(to, shoal_d3_scale(d->gravity, age * h->dt));
    shoal_v3 home = shoal_v3_from(to);
    shoal_d3 miss = shoal_d3_sub(to, shoal_d3_from(h->position[i]));
    double   way  = (double)shoal_v3_length(emitter->velocity) * h->dt;
    if (shoal_d3_dot(miss, outlet->along) > blocked * way + borne_by(h, spacing) ||
        shoal_d3_length(miss) > (are_grains(h->sim, emitter->material) ? pushed * spacing : fmax(spacing, way)))
        return;
    double room = shoal_place_exists(h->sim->world, spacing, false, &from) ? spacing : beside * spacing;
    if (shoal_place_exists(h->sim->world, room, false, &home)) h->position[i] = home;
}

// Someone else in an opening, or so near that no place beside is free: part of the stream where
// that begins, or where it goes along within it, else put out, no faster than the stream moves and
// pressure pushes in.
static void meet_stranger(const holding* h, int i) {
    const shoal_description* d    = h->sim->description;
    double                   held = h->sim->emit_room->held;
    shoal_d3                 at   = shoal_d3_from(h->position[i]), normal;
    for (int e = 0; e < d->emitter_count && h->holder[i] == 0; e++) {
        const shoal_emitter* emitter = &d->emitters[e];
        const shoal_outlet*  outlet  = &h->sim->emit_room->outlets[e];
        bool                 is_on   = outlet->count > 0 && h->now > emitter->from && h->now < emitter->until;
        double               spacing = shoal_spacing_of(d, emitter->material), room = SIM_FREE_SHARE * spacing, depth;
        if (!is_on || !shoal_box_holds(shoal_box_grown(outlet->box, room), at)) continue;
        bool is_within = shoal_outlet_way_out(emitter, outlet->along, held, 0.0, at, &normal, &depth);
        if (is_within && h->now - h->dt <= emitter->from) {
            h->holder[i] = (uint8_t)(e + 1);
            continue;
        }
        if (!shoal_outlet_way_out(emitter, outlet->along, held, room, at, &normal, &depth)) continue;
        double along  = shoal_d3_dot(shoal_d3_from(h->velocity[i]), outlet->along),
               speed  = (double)shoal_v3_length(emitter->velocity);
        bool is_ahead = shoal_d3_dot(normal, outlet->along) > 1e-6;   // where the stream comes out
        if ((is_within || is_ahead) && along > 0.5 * speed) continue; // it goes along
        double   way  = fmin(depth, speed * h->dt + borne_by(h, spacing));
        shoal_v3 home = shoal_v3_from(shoal_d3_add(at, shoal_d3_scale(normal, way))), n = shoal_v3_from(normal);
        float    in = shoal_v3_dot(h->velocity[i], n);
        if (!shoal_place_exists(h->sim->world, beside * spacing, false, &home)) continue;
        h->position[i] = home;
        if (in < 0.0f) h->velocity[i] = shoal_v3_add_scaled(h->velocity[i], n, -in);
    }
}

static void hold_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const holding*           h = ctx;
    const shoal_description* d = h->sim->description;
    for (int i = begin; i < end; i++) {
        if (h->holder[i] == 0) meet_stranger(h, i);
        if (h->holder[i] == 0) continue;
        int                  e       = h->holder[i] - 1;
        const shoal_emitter* emitter = &d->emitters[e];
        const shoal_outlet*  outlet  = &h->sim->emit_room->outlets[e];
        const sim_held*      held    = slot_of(h->slots, h->id[i]);
        if (held->is_there) carry_on(h, i, emitter, outlet, held->place);
        if (is_in_opening(h, i))
            h->velocity[i] = emitter->velocity;
        else {
            double rate  = h->sim->emit_room->drawn_out[e];
            h->holder[i] = 0;
            h->velocity[i] =
                shoal_v3_add(h->velocity[i], shoal_outlet_taper(outlet, rate, shoal_d3_from(h->position[i])));
        }
    }
}

// ---------------------------------------------------------------------------------- drawing out

typedef struct drawing {
    const shoal_outlet* outlet;
    double              speed;
    const shoal_v3 *    position, *velocity;
    bool                counts_speed;
} drawing;

// Sums over those ahead of the opening: their way squared, or times what they are faster.
SHOAL_FN double drawing_of(const drawing* a, int i) {
    double way;
    if (!shoal_outlet_is_ahead(a->outlet, shoal_d3_from(a->position[i]), &way)) return 0.0;
    return way * (a->counts_speed ? shoal_d3_dot(shoal_d3_from(a->velocity[i]), a->outlet->along) - a->speed : way);
}
SHOAL_SUM_LOOP(drawings, drawing, drawing_of)

// At which rate a stream is drawn out ahead of its opening: the slope of its speed along it. Of
// what has not come yet, by what a stream would have there that falls freely, it is that of the
// fall. No more than that: a stream that is squeezed shoots ahead, and would be squeezed the more.
// Below zero it is pushed together, and widens by pressure.
static double rate_of(const shoal_sim* sim, int index, double t, double dt) {
    const shoal_description* d       = sim->description;
    const shoal_emitter*     emitter = &d->emitters[index];
    const shoal_outlet*      outlet  = &sim->emit_room->outlets[index];
    double                   reach = outlet->taper.reach, speed = (double)shoal_v3_length(emitter->velocity);
    shoal_v3 forced = shoal_forces_gain(d, emitter->material, shoal_v3_from(outlet->taper.origin), t, t + dt);
    double   pull   = shoal_d3_dot(d->gravity, outlet->along) + shoal_d3_dot(shoal_d3_from(forced), outlet->along) / dt;
    double   falls  = (sqrt(fmax(speed * speed + 2.0 * pull * reach, 0.0)) - speed) / reach;
    // thinner by the speed at 3/4 of the reach, the middle of ways squared
    double full = outlet->taper.filled * speed / (speed + 0.75 * fmax(falls, 0.0) * reach);
    double ways = 0.0, gains = 0.0;
    SHOAL_EACH_CROWD(&sim->ctx, set) {
        drawing a = {outlet, speed, shoal_set_read(set, "position"), shoal_set_read(set, "velocity"), false};
        ways += shoal_sum(&sim->ctx.exec, set->count, drawings, &a);
        a.counts_speed = true;
        gains += shoal_sum(&sim->ctx.exec, set->count, drawings, &a);
    }
    double missing = fmax(full - ways, 0.0);
    return fmax(fmin((gains + missing * falls) / (ways + missing), falls), 0.0);
}

static void find_rates(shoal_sim* sim, double t, double dt) {
    for (int e = 0; e < sim->description->emitter_count; e++)
        if (sim->emit_room->outlets[e].taper.cells) sim->emit_room->drawn_out[e] = rate_of(sim, e, t, dt);
}

static void hold_all(shoal_sim* sim, const shoal_set* set, double t, double dt) {
    holding h = holding_of(sim, set, t, dt);
    shoal_blocks(&sim->ctx.exec, set->count, HOLD_BLOCK, hold_block, &h);
}

void shoal_sim_hold(shoal_sim* sim, double dt) {
    if (!has_streams(sim)) return;
    find_rates(sim, sim->clock.time, dt);
    SHOAL_EACH_CROWD(&sim->ctx, set)
    if (!is_within(sim, set)) hold_all(sim, set, sim->clock.time, dt);
}

// ---------------------------------------------------------------------------------- within a step of the solver

static shoal_status come_within(shoal_sim* sim, shoal_set* set, double t) {
    shoal_arrival comes = {.set = set, .first = set->count};
    SHOAL_TRY(emit_into(sim, set, t));
    comes.count = set->count - comes.first;
    return comes.count > 0 && sim->type->arrive ? sim->type->arrive(sim->self, &comes) : SHOAL_OK;
}

static void hold_within(shoal_sim* sim, shoal_set* set, double t, double dt) {
    if (!has_streams(sim)) return;
    find_rates(sim, t, dt);
    hold_all(sim, set, t, dt);
}

typedef struct nearing {
    const shoal_v3* position;
    shoal_box       box;
} nearing;

SHOAL_FN bool is_near(const nearing* n, int i) { return shoal_box_holds(n->box, shoal_d3_from(n->position[i])); }
SHOAL_FIRST_LOOP(first_near, nearing, is_near)

// An opening, and as far ahead of it as the stream is looked at.
static bool are_clear(const shoal_sim* sim, const shoal_set* set, double margin) {
    for (int e = 0; e < sim->description->emitter_count; e++) {
        const shoal_outlet* outlet = &sim->emit_room->outlets[e];
        if (outlet->count == 0 || shoal_home_of(&sim->ctx, sim->description->emitters[e].material) == set) continue;
        nearing n = {shoal_set_read(set, "position"), shoal_box_grown(outlet->box, margin + outlet->taper.reach)};
        if (shoal_first(&sim->ctx.exec, set->count, first_near, &n) >= 0) return false;
    }
    return true;
}

shoal_streams shoal_sim_streams(shoal_sim* sim) {
    return (shoal_streams){sim, come_within, carry_set, hold_within, are_clear};
}
