// SPDX-License-Identifier: MIT
// Particles come and go: emitters before each substep, sinks and the far outside after it.
//
// Streams keep their spacing for any dt: a layer of a disc is due every d/|v| seconds and enters at
// the next substep, as far along its ballistic path as it has come since. Rain falls on random
// places that are free, regions refill their free lattice sites. "Free" is asked of a hash of the
// particles near the emitter.
#include "sim/sim_local.h"

#include "base/hash.h"
#include "state/outlet.h"

#include <string.h>

// Closer than this share of the spacing to another particle nothing is put (rain, regions). A
// stream pushes what lies in its way, so it only stays off places that are all but taken.
static const double free_share = 0.9, stream_share = 0.5;
enum { RAIN_TRIES = 8, LAYERS_MOST = 1000, DRAIN_BLOCK = 4096 };

// --- who is near an emitter

// Points in a box, hashed by cells of the size of the largest clearance asked for. The points of
// bucket b are heads[b] - 1, then next[..] - 1, until 0.
typedef struct crowd {
    double    cell;
    int       count, room;
    shoal_v3* points;
    int*      next;
    int       head_count, head_room; // powers of two
    int*      heads;
} crowd;

// What became of an emitter's places since this process made or loaded the simulation.
typedef struct ledger {
    int64_t tried, buried, placed; // buried: in a solid; what was tried besides is taken
    double  since;                 // time of the first try, s
    bool    is_told;
} ledger;

struct shoal_emit_room {
    crowd      near;
    ledger*    ledgers; // [emitter_count]
    shoal_v3** sites; // [emitter_count] lattice sites of regions
    int*       site_counts;
};

static shoal_status crowd_reserve(crowd* near, int count) {
    if (count <= near->room) return SHOAL_OK;
    int   room   = count < 1024 ? 1024 : count + count / 2;
    void *points = near->points, *next = near->next;
    SHOAL_TRY(shoal_realloc(&points, (size_t)near->count, (size_t)room, sizeof *near->points));
    near->points = points;
    SHOAL_TRY(shoal_realloc(&next, (size_t)near->count, (size_t)room, sizeof *near->next));
    near->next = next;
    near->room = room;
    return SHOAL_OK;
}

static int64_t crowd_cell(const crowd* near, float x) {
    return (int64_t)fmax(-1e15, fmin(1e15, floor((double)x / near->cell)));
}

static int crowd_bucket(const crowd* near, int64_t i, int64_t j, int64_t k) {
    uint64_t key = (uint64_t)i * 73856093u ^ (uint64_t)j * 19349663u ^ (uint64_t)k * 83492791u;
    return (int)(shoal_mix64(key) & (uint64_t)(near->head_count - 1));
}

static void crowd_link(crowd* near, int point) {
    shoal_v3 p = near->points[point];
    int b = crowd_bucket(near, crowd_cell(near, p.x), crowd_cell(near, p.y), crowd_cell(near, p.z));
    near->next[point] = near->heads[b];
    near->heads[b]    = point + 1;
}

static shoal_status crowd_add(crowd* near, shoal_v3 p) {
    SHOAL_TRY(crowd_reserve(near, near->count + 1));
    near->points[near->count] = p;
    crowd_link(near, near->count++);
    return SHOAL_OK;
}

static shoal_status collect(crowd* near, const shoal_set* set, shoal_v3 shift, shoal_v3 min,
                            shoal_v3 max) {
    const shoal_v3* position = shoal_set_data(set, "position");
    for (int i = 0; i < set->count; i++) {
        shoal_v3 p = shoal_v3_add(position[i], shift);
        if (p.x < min.x || p.y < min.y || p.z < min.z || p.x > max.x || p.y > max.y || p.z > max.z)
            continue;
        SHOAL_TRY(crowd_reserve(near, near->count + 1));
        near->points[near->count++] = p;
    }
    return SHOAL_OK;
}

// All particles that matter for places in the box, with their images across periodic walls.
static shoal_status crowd_gather(shoal_sim* sim, shoal_box box) {
    crowd*             near  = &sim->emit_room->near;
    const shoal_world* world = sim->world;
    near->cell               = free_share * sim->description->spacing;
    near->count              = 0;
    box                      = shoal_box_grown(box, near->cell);
    shoal_v3 min = shoal_v3_from(box.min), max = shoal_v3_from(box.max);

    int   low[3] = {0}, high[3] = {0};
    float length[3] = {0};
    for (int axis = 0; axis < 3; axis++) {
        if (!world->is_periodic[axis]) continue;
        float wall_min = shoal_v3_axis(world->min, axis),
              wall_max = shoal_v3_axis(world->max, axis);
        length[axis]   = wall_max - wall_min;
        low[axis]      = shoal_v3_axis(min, axis) < wall_min ? -1 : 0;
        high[axis]     = shoal_v3_axis(max, axis) > wall_max ? 1 : 0;
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++) {
                shoal_v3 shift =
                    shoal_v3_make((float)i * length[0], (float)j * length[1], (float)k * length[2]);
                SHOAL_TRY(collect(near, sim->ctx.particles, shift, min, max));
            }

    int heads = 1024;
    while (heads < near->count)
        heads *= 2;
    if (heads > near->head_room) {
        shoal_free(near->heads);
        near->head_room = near->head_count = 0;
        near->heads                        = shoal_alloc((size_t)heads, sizeof *near->heads);
        if (!near->heads) return SHOAL_ERR_MEMORY;
        near->head_room = heads;
    }
    near->head_count = heads;
    memset(near->heads, 0, (size_t)heads * sizeof *near->heads);
    for (int p = 0; p < near->count; p++)
        crowd_link(near, p);
    return SHOAL_OK;
}

static bool crowd_is_free(const crowd* near, shoal_v3 p, double clearance) {
    float   r2 = (float)(clearance * clearance);
    int64_t ci = crowd_cell(near, p.x), cj = crowd_cell(near, p.y), ck = crowd_cell(near, p.z);
    for (int64_t k = ck - 1; k <= ck + 1; k++)
        for (int64_t j = cj - 1; j <= cj + 1; j++)
            for (int64_t i = ci - 1; i <= ci + 1; i++)
                for (int n = near->heads[crowd_bucket(near, i, j, k)]; n; n = near->next[n - 1]) {
                    shoal_v3 away = shoal_v3_sub(near->points[n - 1], p);
                    if (shoal_v3_dot(away, away) < r2) return false;
                }
    return true;
}

// --- adding

shoal_status shoal_sim_append(shoal_sim* sim, int material, shoal_v3 position, shoal_v3 velocity) {
    int32_t* next_id = &sim->clock.next_id;
    if (*next_id == INT32_MAX)
        return shoal_fail(SHOAL_ERR_INPUT, "emitters: all %d particle numbers are used up",
                          INT32_MAX);
    SHOAL_TRY(shoal_set_append(sim->ctx.particles, *next_id, material, position, velocity));
    ++*next_id;
    return SHOAL_OK;
}

// Adds a particle of an emitter unless the place is taken; *placed tells.
static shoal_status place(shoal_sim* sim, const shoal_emitter* emitter, shoal_v3 at,
                          shoal_v3 velocity, double share, bool* placed) {
    crowd* near = &sim->emit_room->near;
    double d    = shoal_spacing_of(sim->description, emitter->material);
    ledger* own = &sim->emit_room->ledgers[emitter - sim->description->emitters];
    own->tried++;
    *placed = crowd_is_free(near, at, share * d);
    if (!*placed) return SHOAL_OK;
    shoal_v3 home = at;
    *placed       = shoal_place_exists(sim->world, d, false, &home);
    if (!*placed) {
        own->buried++;
        return SHOAL_OK;
    }
    SHOAL_TRY(crowd_add(near, at));
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

static shoal_status make_room(shoal_sim* sim) {
    const shoal_description* description = sim->description;
    shoal_sim_emit_free(sim);
    struct shoal_emit_room* room = shoal_alloc(1, sizeof *room);
    if (!room) return SHOAL_ERR_MEMORY;
    sim->emit_room = room;
    if (description->emitter_count == 0) return SHOAL_OK;
    room->sites       = shoal_alloc((size_t)description->emitter_count, sizeof *room->sites);
    room->site_counts = shoal_alloc((size_t)description->emitter_count, sizeof *room->site_counts);
    room->ledgers     = shoal_alloc((size_t)description->emitter_count, sizeof *room->ledgers);
    if (!room->sites || !room->site_counts || !room->ledgers) return SHOAL_ERR_MEMORY;
    for (int e = 0; e < description->emitter_count; e++) {
        const shoal_emitter* emitter = &description->emitters[e];
        double               d       = shoal_spacing_of(description, emitter->material);
        if (emitter->kind == SHOAL_EMIT_DISC) SHOAL_TRY(shoal_disc_check(emitter, d));
        if (emitter->kind != SHOAL_EMIT_SHAPE) continue;
        region r = {NULL, 0};
        SHOAL_TRY(shoal_world_sites(description, emitter->shape, d, -1, region_site, &r));
        r.sites = shoal_alloc((size_t)r.count + 1, sizeof *r.sites);
        if (!r.sites) return SHOAL_ERR_MEMORY;
        room->sites[e] = r.sites;
        r.count        = 0;
        SHOAL_TRY(shoal_world_sites(description, emitter->shape, d, -1, region_site, &r));
        room->site_counts[e] = (int)r.count;
    }
    return SHOAL_OK;
}

void shoal_sim_emit_free(shoal_sim* sim) {
    struct shoal_emit_room* room = sim->emit_room;
    if (!room) return;
    if (room->sites)
        for (int e = 0; e < sim->description->emitter_count; e++)
            shoal_free(room->sites[e]);
    shoal_free(room->sites);
    shoal_free(room->site_counts);
    shoal_free(room->ledgers);
    shoal_free(room->near.points);
    shoal_free(room->near.next);
    shoal_free(room->near.heads);
    shoal_free(room);
    sim->emit_room = NULL;
}

shoal_status shoal_sim_fill(shoal_sim* sim) {
    SHOAL_TRY(make_room(sim));
    return shoal_sim_fill_bodies(sim);
}

// --- emitters

// Where a layer is `age` seconds after it left the disc, if nothing but gravity acts.
static shoal_d3 flown(const shoal_sim* sim, const shoal_emitter* emitter, double age) {
    shoal_d3 fall = shoal_d3_scale(sim->description->gravity, 0.5 * age * age);
    return shoal_d3_add(
        shoal_d3_add(emitter->at, shoal_d3_scale(shoal_d3_from(emitter->velocity), age)), fall);
}

typedef struct layer {
    shoal_sim*           sim;
    const shoal_emitter* emitter;
    shoal_v3             velocity;
    shoal_status         status;
} layer;

static bool place_of_layer(void* user, shoal_d3 at) {
    layer* l = user;
    bool   placed;
    l->status = place(l->sim, l->emitter, shoal_v3_from(at), l->velocity, stream_share, &placed);
    return l->status == SHOAL_OK;
}

static shoal_status emit_layer(shoal_sim* sim, const shoal_emitter* emitter, double age) {
    shoal_d3 fall = shoal_d3_scale(sim->description->gravity, age);
    layer    l    = {sim, emitter, shoal_v3_from(shoal_d3_add(shoal_d3_from(emitter->velocity), fall)), SHOAL_OK};
    shoal_disc_places(emitter, shoal_spacing_of(sim->description, emitter->material), flown(sim, emitter, age), place_of_layer, &l);
    return l.status;
}

static shoal_status emit_disc(shoal_sim* sim, const shoal_emitter* emitter,
                              shoal_emitter_state* state, double t) {
    double speed  = (double)shoal_v3_length(emitter->velocity);
    double period = shoal_spacing_of(sim->description, emitter->material) / speed;
    double first  = fmax(emitter->from, 0.0);
    double latest = t + 1e-9 * period; // a layer due now is due now, whatever the rounding of t
    state->due    = first + (double)state->drawn * period;
    if (state->due > latest || state->due >= emitter->until) return SHOAL_OK;
    double layers = (fmin(latest, emitter->until) - state->due) / period;
    if (layers > LAYERS_MOST)
        return shoal_fail(SHOAL_ERR_PARAM, "t = %g s: an emitter would have to give %.3g layers at once; take shorter steps", t, layers);

    shoal_box way = shoal_box_with(shoal_box_empty(), emitter->at);
    way           = shoal_box_with(way, flown(sim, emitter, fmax(t - state->due, 0.0)));
    SHOAL_TRY(crowd_gather(sim, shoal_box_grown(way, emitter->radius + sim->description->spacing)));
    while (state->due <= latest && state->due < emitter->until) {
        SHOAL_TRY(emit_layer(sim, emitter, fmax(t - state->due, 0.0)));
        state->drawn++;
        state->due = first + (double)state->drawn * period;
    }
    return SHOAL_OK;
}

static shoal_status emit_region(shoal_sim* sim, int index, double t) {
    const shoal_emitter* emitter = &sim->description->emitters[index];
    const shoal_v3*      sites   = sim->emit_room->sites[index];
    int                  count   = sim->emit_room->site_counts[index];
    if (t < emitter->from || t >= emitter->until || count == 0) return SHOAL_OK;
    shoal_box box = shoal_box_empty();
    for (int s = 0; s < count; s++)
        box = shoal_box_with(box, shoal_d3_from(sites[s]));
    SHOAL_TRY(crowd_gather(sim, box));
    for (int s = 0; s < count; s++) {
        bool placed;
        SHOAL_TRY(place(sim, emitter, sites[s], emitter->velocity, free_share, &placed));
    }
    return SHOAL_OK;
}

// The part of the rain's box within closed and periodic walls.
static shoal_box rain_box(const shoal_sim* sim, const shoal_emitter* emitter) {
    const shoal_domain* domain = &sim->world->domain;
    double              min[3], max[3];
    for (int axis = 0; axis < 3; axis++) {
        min[axis] = shoal_d3_axis(emitter->min, axis);
        max[axis] = shoal_d3_axis(emitter->max, axis);
        if (domain->walls[2 * axis].kind != SHOAL_WALL_OPEN)
            min[axis] = fmax(min[axis], shoal_d3_axis(domain->min, axis));
        if (domain->walls[2 * axis + 1].kind != SHOAL_WALL_OPEN)
            max[axis] = fmin(max[axis], shoal_d3_axis(domain->max, axis));
    }
    return (shoal_box){
        {min[0], min[1], min[2]},
        {max[0], max[1], max[2]}
    };
}

static shoal_status emit_drop(shoal_sim* sim, int index, shoal_box box, bool* placed) {
    const shoal_emitter* emitter = &sim->description->emitters[index];
    shoal_emitter_state* state   = &sim->emitters[index];
    *placed                      = false;
    for (int attempt = 0; attempt < RAIN_TRIES && !*placed; attempt++) {
        double share[3];
        for (int axis = 0; axis < 3; axis++)
            share[axis] = shoal_random(sim->description->seed, (uint64_t)index, state->drawn++);
        shoal_v3 at = shoal_v3_from(shoal_d3_make(box.min.x + share[0] * (box.max.x - box.min.x),
                                                  box.min.y + share[1] * (box.max.y - box.min.y),
                                                  box.min.z + share[2] * (box.max.z - box.min.z)));
        SHOAL_TRY(place(sim, emitter, at, emitter->velocity, free_share, placed));
    }
    return SHOAL_OK;
}

static shoal_status emit_rain(shoal_sim* sim, int index, double t, double dt) {
    const shoal_emitter* emitter = &sim->description->emitters[index];
    shoal_emitter_state* state   = &sim->emitters[index];
    double               wet     = fmin(t + dt, emitter->until) - fmax(t, emitter->from);
    shoal_box            box     = rain_box(sim, emitter);
    if (!(wet > 0.0) || shoal_box_is_empty(box)) return SHOAL_OK;
    state->due += emitter->rate * wet;

    const double whole = 1.0 - 1e-9; // sums of rate * dt fall short of whole drops by rounding
    if (state->due < whole) return SHOAL_OK;
    SHOAL_TRY(crowd_gather(sim, box));
    // where no place was found for one drop the rest of the shower waits for the next step
    for (bool placed = true; placed && state->due >= whole;) {
        SHOAL_TRY(emit_drop(sim, index, box, &placed));
        if (placed) state->due -= 1.0;
    }
    return SHOAL_OK;
}

// An emitter that has put nothing anywhere for a second, or until its end, is told once.
static void tell_idle(shoal_sim* sim, int e, double t) {
    const shoal_description* d       = sim->description;
    const shoal_emitter*     emitter = &d->emitters[e];
    ledger*                  own     = &sim->emit_room->ledgers[e];
    double                   end     = fmin(emitter->until, d->frames / d->fps);
    if (own->is_told || own->tried == 0 || own->placed > 0 || (t - own->since < 1.0 && t < end - 1e-9)) return;
    own->is_told = true;
    shoal_log(SHOAL_LOG_WARNING, "emitters.%d has put no particle anywhere from t = %.4g s to %.4g s: %.0f %% of its places are in walls or obstacles, the others are taken",
              e, own->since, t, 100.0 * (double)own->buried / (double)own->tried);
}

shoal_status shoal_sim_emit(shoal_sim* sim, double t, double dt) {
    for (int e = 0; e < sim->description->emitter_count; e++) {
        const shoal_emitter* emitter = &sim->description->emitters[e];
        if (sim->emit_room->ledgers[e].tried == 0) sim->emit_room->ledgers[e].since = t;
        switch (emitter->kind) {
        case SHOAL_EMIT_DISC:
            SHOAL_TRY(emit_disc(sim, emitter, &sim->emitters[e], t));
            break;
        case SHOAL_EMIT_SHAPE:
            SHOAL_TRY(emit_region(sim, e, t));
            break;
        case SHOAL_EMIT_RAIN:
            SHOAL_TRY(emit_rain(sim, e, t, dt));
            break;
        }
        tell_idle(sim, e, t + dt);
    }
    return SHOAL_OK;
}

// --- removal

typedef struct draining {
    const shoal_sim* sim;
    const shoal_v3*  position;
    shoal_v3         min, max; // beyond these a particle has left for good
} draining;

static void mark_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const draining*          job         = ctx;
    const shoal_description* description = job->sim->description;
    shoal_v3                 min = job->min, max = job->max;
    for (int i = begin; i < end; i++) {
        shoal_v3 p    = job->position[i];
        uint8_t  mark = 0;
        if (p.x < min.x || p.y < min.y || p.z < min.z || p.x > max.x || p.y > max.y || p.z > max.z)
            mark = 1 + SHOAL_REASON_left;
        for (int s = 0; s < description->sink_count && !mark; s++)
            if (shoal_shape_distance(description->sinks[s].shape, shoal_d3_from(p)) < 0.0)
                mark = 1 + SHOAL_REASON_sink;
        job->sim->marks[i] = mark;
    }
}

shoal_status shoal_sim_drain(shoal_sim* sim) {
    const shoal_world* world    = sim->world;
    shoal_set*         set      = sim->ctx.particles;
    draining           job      = {.sim = sim, .position = shoal_set_data(set, "position")};
    bool               has_work = sim->description->sink_count > 0;
    for (int axis = 0; axis < 3; axis++) {
        float min = shoal_v3_axis(world->min, axis), max = shoal_v3_axis(world->max, axis);
        bool  is_bounded = world->domain.is_given && !world->is_periodic[axis];
        shoal_v3_set_axis(&job.min, axis, is_bounded ? min - (max - min) : -INFINITY);
        shoal_v3_set_axis(&job.max, axis, is_bounded ? max + (max - min) : INFINITY);
        has_work = has_work ||
                   (is_bounded && !(world->is_closed[2 * axis] && world->is_closed[2 * axis + 1]));
    }
    if (!has_work || set->count == 0) return SHOAL_OK;

    if (sim->marks_room < set->count) {
        shoal_free(sim->marks);
        sim->marks_room = 0;
        sim->marks      = shoal_alloc((size_t)set->capacity, sizeof *sim->marks);
        if (!sim->marks) return SHOAL_ERR_MEMORY;
        sim->marks_room = set->capacity;
    }
    shoal_blocks(&sim->ctx.exec, set->count, DRAIN_BLOCK, mark_block, &job);
    int removed = 0;
    for (int i = 0; i < set->count; i++) {
        if (!sim->marks[i]) continue;
        sim->clock.removed[sim->marks[i] - 1]++;
        removed++;
    }
    if (removed > 0 && sim->type && sim->type->leave) sim->type->leave(sim->self, sim->marks);
    if (removed > 0) shoal_set_remove(set, sim->marks);
    return SHOAL_OK;
}
