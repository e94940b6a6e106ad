// SPDX-License-Identifier: MIT
// Particles come and go: emitters before each substep, sinks and the far outside after it.
//
// Rain falls on random places that are free, regions refill their free lattice sites; streams are in stream.c.
#include "sim/emit_local.h"

#include "base/hash.h"
#include "sim/shown.h"
#include "state/reach.h"

#include <string.h>

enum { RAIN_TRIES = 8, DRAIN_BLOCK = 4096 };

// --- adding

shoal_status shoal_sim_append(shoal_sim* sim, int material, shoal_v3 position, shoal_v3 velocity) {
    int32_t* next_id = &sim->clock.next_id; // one for all sets
    if (*next_id == INT32_MAX)
        return shoal_fail(SHOAL_ERR_INPUT, "emitters: all %d particle numbers are used up", INT32_MAX);
    SHOAL_TRY(shoal_set_append(shoal_home_of(&sim->ctx, material), *next_id, material, position, velocity));
    ++*next_id;
    return SHOAL_OK;
}

shoal_status sim_place(shoal_sim* sim, const shoal_emitter* emitter, shoal_v3 at, shoal_v3 velocity, bool is_first,
                       bool* placed) {
    sim_occupancy*      near = &sim->emission->near;
    double              d    = shoal_spacing_of(sim->description, emitter->material);
    sim_emitter_totals* own  = &sim->emission->emitter_totals[emitter - sim->description->emitters];
    own->tried += is_first;
    *placed = sim_occupancy_is_free(near, at, SHOAL_FREE_FRACTION * d);
    if (!*placed) return SHOAL_OK;
    shoal_v3 home = at;
    *placed       = shoal_place_exists(sim->world, d, false, &home);
    if (!*placed) {
        own->buried += is_first;
        return SHOAL_OK;
    }
    SHOAL_TRY(sim_occupancy_add(near, at));
    SHOAL_TRY(shoal_sim_append(sim, emitter->material, home, velocity));
    sim->clock.emitted++;
    own->placed++;
    return SHOAL_OK;
}

// --- regions

typedef struct region {
    shoal_v3* sites; // NULL: only count
    int64_t   count;
} region;

static bool region_site(void* user, int body, shoal_d3 site) {
    (void)body;
    region* r = user;
    if (r->sites) r->sites[r->count] = shoal_v3_from(site);
    return ++r->count < INT32_MAX;
}

static shoal_status reserve(shoal_sim* sim) {
    const shoal_description* description = sim->description;
    shoal_sim_emit_free(sim);
    struct shoal_emission* scratch = shoal_alloc(1, sizeof *scratch);
    if (!scratch) return SHOAL_ERR_MEMORY;
    sim->emission = scratch;
    if (description->emitter_count == 0) return SHOAL_OK;
    scratch->sites          = shoal_alloc((size_t)description->emitter_count, sizeof *scratch->sites);
    scratch->site_counts    = shoal_alloc((size_t)description->emitter_count, sizeof *scratch->site_counts);
    scratch->emitter_totals = shoal_alloc((size_t)description->emitter_count, sizeof *scratch->emitter_totals);
    scratch->outlets        = shoal_alloc((size_t)description->emitter_count, sizeof *scratch->outlets);
    scratch->drawn_out      = shoal_alloc((size_t)description->emitter_count, sizeof *scratch->drawn_out);
    scratch->begin          = shoal_alloc((size_t)description->emitter_count, sizeof *scratch->begin);
    scratch->end            = shoal_alloc((size_t)description->emitter_count, sizeof *scratch->end);
    if (!scratch->sites || !scratch->site_counts || !scratch->emitter_totals || !scratch->outlets ||
        !scratch->drawn_out || !scratch->begin || !scratch->end)
        return SHOAL_ERR_MEMORY;
    if (shoal_sim_is_mesh(sim)) return SHOAL_OK;
    for (int e = 0; e < description->emitter_count; e++) {
        const shoal_emitter* emitter = &description->emitters[e];
        double               d       = shoal_spacing_of(description, emitter->material);
        if (emitter->kind == SHOAL_EMIT_DISC) SHOAL_TRY(shoal_disc_check(emitter, d));
        if (emitter->kind != SHOAL_EMIT_SHAPE || shoal_is_stream(emitter)) continue;
        region      r = {NULL, 0};
        shoal_taken taken;
        SHOAL_TRY(shoal_lattice_sites(description, emitter->shape, d, region_site, &r, &taken));
        r.sites = shoal_alloc((size_t)r.count + 1, sizeof *r.sites);
        if (!r.sites) return SHOAL_ERR_MEMORY;
        scratch->sites[e] = r.sites;
        r.count           = 0;
        SHOAL_TRY(shoal_lattice_sites(description, emitter->shape, d, region_site, &r, &taken));
        scratch->site_counts[e] = (int)r.count;
    }
    return sim_streams_make(sim);
}

void shoal_sim_emit_free(shoal_sim* sim) {
    struct shoal_emission* scratch = sim->emission;
    if (!scratch) return;
    for (int e = 0; e < sim->description->emitter_count; e++) {
        if (scratch->sites) shoal_free(scratch->sites[e]);
        if (scratch->outlets) shoal_outlet_free(&scratch->outlets[e]);
    }
    shoal_free(scratch->sites);
    shoal_free(scratch->site_counts);
    shoal_free(scratch->emitter_totals);
    shoal_free(scratch->outlets);
    shoal_free(scratch->drawn_out);
    shoal_free(scratch->begin);
    shoal_free(scratch->end);
    for (int k = 0; k < SHOAL_SETS_MOST; k++) shoal_free(scratch->slots[k].at);
    sim_occupancy_free(&scratch->near);
    shoal_free(scratch);
    sim->emission = NULL;
}

shoal_status shoal_sim_fill(shoal_sim* sim) {
    SHOAL_TRY(reserve(sim));
    return shoal_sim_fill_bodies(sim);
}

// --- emitters

static shoal_status emit_region(shoal_sim* sim, int index, double t) {
    const shoal_emitter* emitter = &sim->description->emitters[index];
    const shoal_v3*      sites   = sim->emission->sites[index];
    int                  count   = sim->emission->site_counts[index];
    if (t < emitter->from || t >= emitter->until || count == 0) return SHOAL_OK;
    shoal_box box = shoal_box_empty();
    for (int s = 0; s < count; s++) box = shoal_box_with(box, shoal_d3_from(sites[s]));
    SHOAL_TRY(sim_occupancy_gather(&sim->emission->near, sim, box,
                                   SHOAL_FREE_FRACTION * shoal_spacing_of(sim->description, emitter->material)));
    for (int s = 0; s < count; s++) {
        bool placed;
        SHOAL_TRY(sim_place(sim, emitter, sites[s], emitter->velocity, true, &placed));
    }
    return SHOAL_OK;
}

static shoal_status emit_drop(shoal_sim* sim, int index, shoal_box box, bool* placed) {
    const shoal_emitter* emitter = &sim->description->emitters[index];
    shoal_emitter_state* state   = &sim->emitters[index];
    *placed                      = false;
    for (int attempt = 0; attempt < RAIN_TRIES && !*placed; attempt++) {
        double fraction[3];
        for (int axis = 0; axis < 3; axis++)
            fraction[axis] = shoal_random(sim->description->seed, (uint64_t)index, state->drawn++);
        shoal_v3 at = shoal_v3_from(shoal_d3_make(box.min.x + fraction[0] * (box.max.x - box.min.x),
                                                  box.min.y + fraction[1] * (box.max.y - box.min.y),
                                                  box.min.z + fraction[2] * (box.max.z - box.min.z)));
        SHOAL_TRY(sim_place(sim, emitter, at, emitter->velocity, true, placed));
    }
    return SHOAL_OK;
}

static shoal_status emit_rain(shoal_sim* sim, int index, double t, double dt) {
    const shoal_emitter* emitter = &sim->description->emitters[index];
    shoal_emitter_state* state   = &sim->emitters[index];
    double               wet     = fmin(t + dt, emitter->until) - fmax(t, emitter->from);
    shoal_box            box     = shoal_rain_box(&sim->world->domain, emitter);
    if (!(wet > 0.0) || shoal_box_is_empty(box)) return SHOAL_OK;
    state->due += emitter->rate * wet;

    const double whole = 1.0 - 1e-9; // sums of rate * dt fall short of whole drops by rounding
    if (state->due < whole) return SHOAL_OK;
    SHOAL_TRY(sim_occupancy_gather(&sim->emission->near, sim, box,
                                   SHOAL_FREE_FRACTION * shoal_spacing_of(sim->description, emitter->material)));
    // where no place was found for one drop the rest of the shower waits for the next step
    for (bool placed = true; placed && state->due >= whole;) {
        SHOAL_TRY(emit_drop(sim, index, box, &placed));
        if (placed) state->due -= 1.0;
    }
    return SHOAL_OK;
}

// What a stream or rain has given of what it should have, at its end. Regions have their places taken as a rule.
static void report_fraction(const shoal_sim* sim, int e, double t, sim_emitter_totals* own) {
    static const double  least   = 0.95;
    const shoal_emitter* emitter = &sim->description->emitters[e];
    bool                 rains   = emitter->kind == SHOAL_EMIT_RAIN;
    double due = rains ? (double)own->placed + sim->emitters[e].due : (double)own->tried, given = (double)own->placed;
    if (!(rains || shoal_is_stream(emitter)) || given >= least * due || due - given < 1.0) return;
    own->is_reported = true;
    shoal_log(
        SHOAL_LOG_WARNING,
        "emitters.%d has given %.0f %% of what was due from t = %.4g s to %.4g s: what finds its place taken, or in "
        "a wall or obstacle, is not pressed in",
        e, 100.0 * given / due, own->since, t);
}

void sim_tell_idle(shoal_sim* sim, int e, double t) {
    const shoal_description* d       = sim->description;
    const shoal_emitter*     emitter = &d->emitters[e];
    sim_emitter_totals*      own     = &sim->emission->emitter_totals[e];
    double                   end     = fmin(emitter->until, d->frames / d->fps);
    bool                     is_over = t >= end - 1e-9;
    if (own->is_reported || own->tried == 0) return;
    if (own->placed > 0 && is_over) report_fraction(sim, e, t, own);
    if (own->placed > 0 || (t - own->since < 1.0 && !is_over)) return;
    own->is_reported = true;
    shoal_log(SHOAL_LOG_WARNING,
              "emitters.%d has put no particle anywhere from t = %.4g s to %.4g s: %.0f %% of its places are in walls "
              "or obstacles, the others are taken",
              e, own->since, t, 100.0 * (double)own->buried / (double)own->tried);
}

void shoal_sim_tell_end(const shoal_sim* sim) {
    for (int e = 0; e < sim->description->emitter_count; e++) {
        sim_emitter_totals* own = &sim->emission->emitter_totals[e];
        if (!own->is_reported && own->placed > 0) report_fraction(sim, e, sim->clock.time, own);
    }
}

shoal_status shoal_sim_emit_due(shoal_sim* sim, double t, double dt) {
    if (shoal_sim_is_mesh(sim)) return SHOAL_OK;
    for (int e = 0; e < sim->description->emitter_count; e++) {
        const shoal_emitter* emitter = &sim->description->emitters[e];
        if (sim->emission->emitter_totals[e].tried == 0) sim->emission->emitter_totals[e].since = t;
        if (shoal_is_stream(emitter)) continue;
        if (emitter->kind == SHOAL_EMIT_RAIN)
            SHOAL_TRY(emit_rain(sim, e, t, dt));
        else
            SHOAL_TRY(emit_region(sim, e, t));
        sim_tell_idle(sim, e, t + dt);
    }
    return SHOAL_OK;
}

// Until a step measures it, the density of a new particle is that of its material: frames show it, and to pbf it is no
// error to make good.
shoal_status sim_admit(shoal_sim* sim, const shoal_arrival* comes) {
    if (comes->count == 0) return SHOAL_OK;
    if (shoal_set_find(comes->set, "density")) {
        const uint8_t* material = shoal_set_read(comes->set, "material");
        float*         density  = shoal_set_data(comes->set, "density");
        for (int i = comes->first; i < comes->first + comes->count; i++)
            if (material[i] < sim->description->material_count)
                density[i] = sim->description->materials[material[i]].density;
    }
    return sim->type->arrive ? sim->type->arrive(sim->self, comes) : SHOAL_OK;
}

shoal_status shoal_sim_announce(shoal_sim* sim) {
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) {
        shoal_arrival comes = {.set = set, .first = set->before_count, .count = set->count - set->before_count};
        SHOAL_TRY(sim_admit(sim, &comes));
    }
    return SHOAL_OK;
}

// --- removal

typedef struct drain_job {
    const shoal_sim* sim;
    const shoal_v3*  position;
    shoal_v3         min, max; // beyond these a particle has left for good
} drain_job;

static void mark_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const drain_job*         job         = ctx;
    const shoal_description* description = job->sim->description;
    shoal_v3                 min = job->min, max = job->max;
    for (int i = begin; i < end; i++) {
        shoal_v3 p    = job->position[i];
        uint8_t  mark = 0;
        if (p.x < min.x || p.y < min.y || p.z < min.z || p.x > max.x || p.y > max.y || p.z > max.z)
            mark = 1 + SHOAL_REASON_left;
        for (int s = 0; s < description->sink_count && !mark; s++)
            if (shoal_shape_distance(description->sinks[s].shape, shoal_d3_from(p)) < 0.0) mark = 1 + SHOAL_REASON_sink;
        job->sim->marks[i] = mark;
    }
}

shoal_status sim_reserve_marks(shoal_sim* sim, const shoal_set* set) {
    if (sim->marks_capacity >= set->count) return SHOAL_OK;
    shoal_free(sim->marks);
    sim->marks_capacity = 0;
    sim->marks          = shoal_alloc((size_t)set->capacity, sizeof *sim->marks);
    if (!sim->marks) return SHOAL_ERR_MEMORY;
    sim->marks_capacity = set->capacity;
    return SHOAL_OK;
}

typedef struct marked {
    const uint8_t* marks;
    uint8_t        as;
} marked;

static double marked_so(void* ctx, int begin, int end) {
    const marked* of    = ctx;
    int           count = 0;
    for (int i = begin; i < end; i++) count += of->marks[i] == of->as;
    return count;
}

static void drain_set(shoal_sim* sim, shoal_set* set, drain_job* job) {
    int64_t removed = 0;
    job->position   = shoal_set_read(set, "position");
    shoal_blocks(&sim->ctx.exec, set->count, DRAIN_BLOCK, mark_block, job);
    for (int reason = 0; reason < SHOAL_REASON_COUNT; reason++) {
        marked  of = {sim->marks, (uint8_t)(1 + reason)};
        int64_t n  = (int64_t)shoal_sum(&sim->ctx.exec, set->count, marked_so, &of);
        sim->clock.removed[reason] += n;
        removed += n;
    }
    if (removed > 0 && sim->type && sim->type->leave) sim->type->leave(sim->self, set, sim->marks);
    if (removed > 0) shoal_set_remove(set, &sim->ctx.exec, sim->marks);
}

static const double endless = 1e29; // m

// Strays are looked for once an interval, at its end: on a device all places are fetched for that. What callers pour or
// move may be anywhere.
static shoal_box far_of(const shoal_sim* sim, double dt) {
    bool         is_touched = sim->touches[SHOAL_TOUCH_emit] > 0 || sim->touches[SHOAL_TOUCH_move_obstacle] > 0;
    const double all        = (double)INFINITY;
    if (sim->clock.left > dt || is_touched) return (shoal_box){{-all, -all, -all}, {all, all, all}};
    return shoal_far_box(sim->description);
}

shoal_status shoal_sim_drain(shoal_sim* sim, double dt) {
    if (shoal_sim_is_mesh(sim)) return SHOAL_OK;
    const shoal_world* world    = sim->world;
    drain_job          job      = {.sim = sim};
    bool               has_work = sim->description->sink_count > 0;
    shoal_box          far      = far_of(sim, dt);
    for (int axis = 0; axis < 3; axis++) {
        float min = shoal_v3_axis(world->min, axis), max = shoal_v3_axis(world->max, axis);
        bool  is_bounded = world->domain.is_given && !world->is_periodic[axis];
        shoal_v3_set_axis(&job.min, axis, is_bounded ? min - (max - min) : (float)shoal_d3_axis(far.min, axis));
        shoal_v3_set_axis(&job.max, axis, is_bounded ? max + (max - min) : (float)shoal_d3_axis(far.max, axis));
        has_work = has_work || (is_bounded && !(world->is_closed[2 * axis] && world->is_closed[2 * axis + 1])) ||
                   shoal_d3_axis(far.min, axis) > -endless;
    }
    if (!has_work) return SHOAL_OK;
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set)
    SHOAL_TRY(sim_reserve_marks(sim, set)); // all before any: what fails is undone as a whole
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) drain_set(sim, set, &job);
    return SHOAL_OK;
}
