// SPDX-License-Identifier: MIT
// The hand of the caller: what programs and the viewer do to a run in addition to its scene. Parameters and gravity are
// changed where solvers read them; an obstacle that is moved has two keys of motion in place of the scene's, so that
// its place and speed are found as of any other. Particles come and go between substeps.
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "sim/emit_local.h"
#include "state/reach.h"

// A substep takes an obstacle, and a force that acts from rest, no farther than this; what a force does at once, to
// solvers that have substeps of their own within, much less. In spacings.
static const double way_most = 0.5, blow_most = 1e-4;

shoal_status shoal_sim_touch_begin(shoal_sim* sim) {
    size_t count   = (size_t)sim->description->obstacle_count;
    sim->holds     = shoal_alloc(count + 1, sizeof *sim->holds);
    sim->obstacles = shoal_alloc(count + 1, sizeof *sim->obstacles);
    if (!sim->holds || !sim->obstacles) return SHOAL_ERR_MEMORY;
    if (count > 0) memcpy(sim->obstacles, sim->description->obstacles, count * sizeof *sim->obstacles);
    sim->world->obstacles = sim->obstacles;
    sim->touched          = (shoal_touched){.last = -1.0, .gravity = sim->description->gravity};
    return SHOAL_OK;
}

void shoal_sim_touch_free(shoal_sim* sim) {
    shoal_free(sim->pushes);
    shoal_free(sim->obstacles);
    shoal_free(sim->holds);
}

// Before the first substep parameters are as if the scene had said them.
void shoal_sim_touch_count(shoal_sim* sim, int touch, int64_t count) {
    if (count == 0) return;
    sim->touches[touch] += count;
    sim->centre.is_known = false;
    if (sim->clock.steps > 0 || touch != SHOAL_TOUCH_set_param) sim->touched.last = sim->clock.time;
}

bool shoal_sim_is_touched(const shoal_sim* sim) { return sim->touched.last >= 0.0; }

int shoal_sim_touches(const shoal_sim* sim, const char** names, int64_t* counts, int capacity) {
#define X(name) #name,
    static const char* const all[] = {SHOAL_TOUCHES(X)};
#undef X
    for (int k = 0; k < SHOAL_TOUCH_COUNT && k < capacity; k++) {
        names[k]  = all[k];
        counts[k] = sim->touches[k];
    }
    return SHOAL_TOUCH_COUNT;
}

static bool all_are_finite(const double* values, int count) {
    for (int k = 0; k < count; k++)
        if (!isfinite(values[k])) return false;
    return true;
}

static shoal_d3 d3_of(const double v[3]) { return shoal_d3_make(v[0], v[1], v[2]); }

static void put_d3(shoal_d3 from, double to[3]) { to[0] = from.x, to[1] = from.y, to[2] = from.z; }

// ---------------------------------------------------------------------------------- gravity

static const double gravity_most = 1e6; // m/s^2, as in scenes

// What a change can give to anything in the domain, and along axes without an end.
static void count_gravity(shoal_sim* sim, shoal_d3 change) {
    const shoal_domain* domain = &sim->description->domain;
    shoal_box           extent = shoal_domain_extent(domain);
    for (int axis = 0; axis < 3; axis++) {
        double now = fabs(shoal_d3_axis(sim->touched.gravity, axis)), by = fabs(shoal_d3_axis(change, axis));
        bool   is_endless = !domain->is_given || domain->walls[2 * axis].kind == SHOAL_WALL_PERIODIC;
        if (is_endless)
            sim->touched.endless = fmax(sim->touched.endless, now);
        else
            sim->touched.lifted += by * (shoal_d3_axis(extent.max, axis) - shoal_d3_axis(extent.min, axis));
    }
}

shoal_status shoal_sim_set_gravity(shoal_sim* sim, const double gravity[3]) {
    for (int axis = 0; axis < 3; axis++)
        if (!(fabs(gravity[axis]) <= gravity_most))
            return shoal_fail(SHOAL_ERR_PARAM, "gravity of %g m/s^2 along %c is outside [%g, %g]", gravity[axis],
                              "xyz"[axis], -gravity_most, gravity_most);
    shoal_d3 change      = shoal_d3_sub(d3_of(gravity), sim->touched.gravity);
    sim->touched.gravity = d3_of(gravity);
    count_gravity(sim, change);
    shoal_sim_touch_take(sim);
    sim->type->set_params(sim->self, sim->params); // what it derives from gravity
    shoal_sim_touch_count(sim, SHOAL_TOUCH_set_gravity, 1);
    return SHOAL_OK;
}

void shoal_sim_gravity(const shoal_sim* sim, double out[3]) { put_d3(sim->touched.gravity, out); }

// ---------------------------------------------------------------------------------- obstacles

int shoal_sim_obstacle_count(const shoal_sim* sim) { return sim->description->obstacle_count; }

shoal_status shoal_sim_obstacle_at(const shoal_sim* sim, int index, shoal_obstacle_view* out) {
    if (index < 0 || index >= sim->description->obstacle_count)
        return shoal_fail(SHOAL_ERR_PARAM, "there is no obstacle %d; the scene has %d", index,
                          sim->description->obstacle_count);
    const shoal_collider* collider = &sim->world->colliders[index];
    shoal_motion_key      key      = shoal_collider_key(collider, 0.0);
    *out              = (shoal_obstacle_view){.name = sim->obstacles[index].name, .can_move = collider->moves};
    out->pose.degrees = key.degrees;
    put_d3(key.at, out->pose.at);
    put_d3(key.axis, out->pose.axis);
    put_d3(collider->bounds.min, out->min);
    put_d3(collider->bounds.max, out->max);
    for (int k = 0; k < 3; k++) {
        if (out->min[k] < -1e20) out->min[k] = (double)-INFINITY;
        if (out->max[k] > 1e20) out->max[k] = (double)INFINITY;
    }
    return SHOAL_OK;
}

static shoal_status find_obstacle(const shoal_sim* sim, const char* name, int* out) {
    for (*out = 0; *out < sim->description->obstacle_count; ++*out) {
        if (strcmp(sim->obstacles[*out].name, name) != 0) continue;
        if (sim->world->colliders[*out].moves) return SHOAL_OK;
        return shoal_fail(SHOAL_ERR_PARAM, "obstacle '%s' stands still for good; give it `movable: true` in the scene",
                          name);
    }
    return shoal_fail(SHOAL_ERR_PARAM, "there is no obstacle '%s'", name);
}

static void hold(shoal_sim* sim, int c) {
    const shoal_hold* hold = &sim->holds[c];
    sim->obstacles[c]      = sim->description->obstacles[c];
    if (!hold->is_held) return;
    sim->obstacles[c].keys      = sim->holds[c].keys;
    sim->obstacles[c].key_count = 2;
}

static bool hold_is_sane(const shoal_hold* hold, const shoal_obstacle* obstacle, bool can_move) {
    const double fastest = 1e9; // m/s; faster than anything that could be followed
    if (hold->is_held == 0) return true;
    if (hold->is_held != 1 || !can_move || !(hold->keys[1].t > hold->keys[0].t)) return false;
    for (int k = 0; k < 2; k++) {
        const shoal_motion_key* key       = &hold->keys[k];
        double                  numbers[] = {key->t, key->at.x, key->at.y, key->at.z, key->degrees};
        if (!all_are_finite(numbers, 5) || !(fabs(shoal_d3_length(key->axis) - 1.0) < 1e-6)) return false;
    }
    shoal_obstacle held = *obstacle;
    held.keys           = (shoal_motion_key*)hold->keys;
    held.key_count      = 2;
    return shoal_obstacle_speed(&held) <= fastest;
}

shoal_status shoal_sim_move_obstacle(shoal_sim* sim, const char* name, const shoal_pose* to, double seconds) {
    int c;
    SHOAL_TRY(find_obstacle(sim, name, &c));
    if (!(seconds > 0.0) || !isfinite(seconds))
        return shoal_fail(SHOAL_ERR_PARAM, "obstacle '%s' cannot be moved within %g s; it must be more than 0", name,
                          seconds);
    double length = shoal_d3_length(d3_of(to->axis));
    if (!all_are_finite(to->at, 3) || !isfinite(to->degrees) || !isfinite(length) ||
        !(length > 0.0 || to->degrees == 0.0))
        return shoal_fail(SHOAL_ERR_PARAM, "obstacle '%s' cannot be moved to a pose that is none", name);

    shoal_hold made = {.is_held = 1};
    double     now  = sim->clock.time;
    made.keys[0]    = shoal_collider_key(&sim->world->colliders[c], now);
    made.keys[1]    = (shoal_motion_key){.t       = now + seconds,
                                         .at      = d3_of(to->at),
                                         .axis    = length > 0.0 ? shoal_d3_scale(d3_of(to->axis), 1.0 / length)
                                                                 : shoal_d3_make(0.0, 1.0, 0.0),
                                         .degrees = to->degrees};
    // the shorter way round: about the axis of the turn that leads there
    shoal_collider there = sim->world->colliders[c];
    there.rotation       = shoal_quat_turn(made.keys[1].axis, to->degrees * (SHOAL_PI / 180.0));
    made.keys[1]         = shoal_collider_key(&there, now + seconds);
    made.keys[1].at      = d3_of(to->at);
    if (shoal_d3_dot(made.keys[0].axis, made.keys[1].axis) < 0.0) { // the angle between two keys goes by their axes
        made.keys[1].axis    = shoal_d3_scale(made.keys[1].axis, -1.0);
        made.keys[1].degrees = -made.keys[1].degrees;
    }
    double turn = made.keys[1].degrees - made.keys[0].degrees;
    if (fabs(turn) > 180.0) made.keys[1].degrees -= copysign(360.0, turn);
    if (!hold_is_sane(&made, &sim->description->obstacles[c], true))
        return shoal_fail(SHOAL_ERR_PARAM, "obstacle '%s' cannot go there within %g s", name, seconds);
    sim->holds[c] = made;
    hold(sim, c);
    sim->touched.driven = fmax(sim->touched.driven, shoal_obstacle_speed(&sim->obstacles[c]));
    shoal_sim_touch_count(sim, SHOAL_TOUCH_move_obstacle, 1);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- particles

static shoal_status find_material(const shoal_sim* sim, const char* name, int* out) {
    const shoal_description* d = sim->description;
    for (*out = 0; *out < d->material_count; ++*out)
        if (strcmp(d->materials[*out].name, name) == 0) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_PARAM, "the scene has no material '%s'", name);
}

static shoal_status need_particles(const shoal_sim* sim, const char* what) {
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) {
        (void)set;
        return SHOAL_OK;
    }
    return shoal_fail(SHOAL_ERR_PARAM, "solver %s has no particles that %s", sim->type->name, what);
}

static bool vectors_are_finite(const float* values, int64_t count) {
    for (int64_t k = 0; values && k < 3 * count; k++)
        if (!isfinite(values[k])) return false;
    return true;
}

// The energy of a place and a velocity above the floor of the domain, J/kg.
static double energy_of(const shoal_sim* sim, shoal_v3 at, shoal_v3 velocity) {
    double   height = -shoal_d3_dot(sim->touched.gravity, shoal_d3_from(at)) - sim->watch.floor;
    shoal_d3 speed  = shoal_d3_from(velocity);
    return fmax(height, 0.0) + 0.5 * shoal_d3_dot(speed, speed);
}

shoal_status shoal_sim_emit(shoal_sim* sim, const char* material, int64_t count, const float* positions,
                            const float* velocities, int64_t* placed) {
    int     m;
    int64_t own;
    if (!placed) placed = &own;
    *placed = 0;
    SHOAL_TRY(need_particles(sim, "could be emitted"));
    SHOAL_TRY(find_material(sim, material, &m));
    if (count < 0 || count > INT32_MAX / 4 || (count > 0 && !positions) || !vectors_are_finite(positions, count) ||
        !vectors_are_finite(velocities, count))
        return shoal_fail(SHOAL_ERR_PARAM, "cannot emit %lld particles of '%s': a place or velocity is not a number",
                          (long long)count, material);
    shoal_set*      home = shoal_home_of(&sim->ctx, m);
    const shoal_v3 *at = (const shoal_v3*)positions, *velocity = (const shoal_v3*)velocities;
    sim_occupancy*  near = &sim->emission->near;
    double          d = shoal_spacing_of(sim->description, m), volume = shoal_volume_of(sim->description, m);
    shoal_box       box   = shoal_box_empty();
    int             first = home->count;
    for (int64_t k = 0; k < count; k++) box = shoal_box_with(box, shoal_d3_from(shoal_world_wrap(sim->world, at[k])));
    if (count > 0) SHOAL_TRY(sim_occupancy_gather(near, sim, box, SHOAL_FREE_FRACTION * d));
    shoal_status status   = SHOAL_OK;
    bool         is_ample = shoal_sim_fits(sim, volume * (double)count);
    for (int64_t k = 0; k < count && status == SHOAL_OK; k++) {
        shoal_v3 place = shoal_world_wrap(sim->world, at[k]),
                 speed = velocity ? velocity[k] : shoal_v3_make(0.0f, 0.0f, 0.0f);
        if (!sim_occupancy_is_free(near, place, SHOAL_FREE_FRACTION * d) ||
            !shoal_place_exists(sim->world, d, false, &place) || (!is_ample && !shoal_sim_fits(sim, volume)))
            continue;
        status = sim_occupancy_add(near, place);
        if (status == SHOAL_OK) status = shoal_sim_append(sim, m, place, speed);
        if (status != SHOAL_OK) break;
        sim->touched.sent = fmax(sim->touched.sent, energy_of(sim, place, speed));
        ++*placed;
    }
    if (*placed > 0 && !sim->description->materials[m].is_used) {
        sim->touched.poured[m >> 6] |= (uint64_t)1 << (m & 63);
        sim->description->materials[m].is_used = true;
        sim->type->set_params(sim->self, sim->params); // what it derives from the materials
    }
    // those that are there have come, whatever became of the rest
    shoal_arrival comes = {.set = home, .first = first, .count = home->count - first};
    if (comes.count > 0 && sim->type->arrive) {
        shoal_status status_arrive = sim->type->arrive(sim->self, &comes);
        if (status == SHOAL_OK) status = status_arrive;
    }
    shoal_sim_touch_count(sim, SHOAL_TOUCH_emit, *placed);
    return status;
}

static bool region_holds(const shoal_region* region, shoal_v3 x) {
    shoal_d3 from = shoal_d3_sub(shoal_d3_from(x), d3_of(region->centre));
    if (region->radius > 0.0) return shoal_d3_length(from) < region->radius;
    return fabs(from.x) < 0.5 * region->size[0] && fabs(from.y) < 0.5 * region->size[1] &&
           fabs(from.z) < 0.5 * region->size[2];
}

shoal_status shoal_sim_remove(shoal_sim* sim, const shoal_region* region, const char* material, int64_t* removed) {
    int     m = -1;
    int64_t own;
    if (!removed) removed = &own;
    *removed = 0;
    SHOAL_TRY(need_particles(sim, "could be taken out"));
    if (material) SHOAL_TRY(find_material(sim, material, &m));
    if (!all_are_finite(region->centre, 3) || !all_are_finite(region->size, 3) || !isfinite(region->radius) ||
        region->radius < 0.0)
        return shoal_fail(SHOAL_ERR_PARAM, "cannot take particles out of a region that is none");
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) SHOAL_TRY(sim_reserve_marks(sim, set));
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) {
        const shoal_v3* position = shoal_set_data(set, "position");
        const uint8_t*  kind     = shoal_set_data(set, "material");
        int64_t         count    = 0;
        for (int i = 0; i < set->count; i++) {
            sim->marks[i] = (m < 0 || kind[i] == m) && region_holds(region, position[i]);
            count += sim->marks[i];
        }
        if (count > 0 && sim->type->leave) sim->type->leave(sim->self, set, sim->marks);
        if (count > 0) shoal_set_remove(set, &sim->ctx.exec, sim->marks);
        *removed += count;
    }
    shoal_sim_touch_count(sim, SHOAL_TOUCH_remove, *removed);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the force

shoal_status shoal_sim_set_force(shoal_sim* sim, shoal_force_fn force, void* user) {
    SHOAL_TRY(need_particles(sim, "a force could push"));
    sim->force      = force;
    sim->force_user = user;
    if (!force) sim->description->pushed = sim->touched.acceleration = 0.0;
    return SHOAL_OK;
}

// The time of which velocities are given forces ahead of a substep, s; all of it at once where the solver adds those
// of the scene within.
static double push_seconds(const shoal_sim* sim, double dt, bool* is_blow) {
    double span[2];
    shoal_sim_kick(sim, dt, span);
    *is_blow = !(span[1] > span[0]);
    return *is_blow ? dt : span[1] - span[0];
}

static shoal_status ask_force(shoal_sim* sim, const shoal_set* set) {
    if (sim->pushes_capacity < set->count) {
        shoal_free(sim->pushes);
        sim->pushes_capacity = 0;
        sim->pushes          = shoal_alloc((size_t)set->capacity, sizeof *sim->pushes);
        if (!sim->pushes) return SHOAL_ERR_MEMORY;
        sim->pushes_capacity = set->capacity;
    }
    memset(sim->pushes, 0, (size_t)set->count * sizeof *sim->pushes);
    shoal_push push = {.time         = sim->clock.time,
                       .set          = set->name,
                       .count        = set->count,
                       .position     = shoal_set_data(set, "position"),
                       .velocity     = shoal_set_data(set, "velocity"),
                       .id           = shoal_set_data(set, "id"),
                       .material     = shoal_set_data(set, "material"),
                       .acceleration = &sim->pushes->x};
    sim->force(&push, sim->force_user);
    return SHOAL_OK;
}

typedef struct gain_job {
    shoal_v3*       velocity;
    const shoal_v3* pushes;
    double          seconds;
} gain_job;

static void gain_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const gain_job* job = ctx;
    for (int i = begin; i < end; i++)
        job->velocity[i] =
            shoal_v3_add(job->velocity[i], shoal_v3_from(shoal_d3_scale(shoal_d3_from(job->pushes[i]), job->seconds)));
}

SHOAL_FN double strength2_of(const shoal_v3* pushes, int i) { return (double)shoal_v3_dot(pushes[i], pushes[i]); }
SHOAL_MAX_LOOP(most_strength2, shoal_v3, strength2_of)
SHOAL_FN bool is_odd(const shoal_v3* pushes, int i) { return !isfinite(shoal_v3_dot(pushes[i], pushes[i])); }
SHOAL_FIRST_LOOP(first_odd, shoal_v3, is_odd)

shoal_status shoal_sim_touch_push(shoal_sim* sim, double dt) {
    enum { GAIN_BLOCK = 1024 };
    if (!sim->force) {
        sim->description->pushed = sim->touched.acceleration = 0.0; // of a force that was not set again after a load
        return SHOAL_OK;
    }
    bool   is_blow;
    double seconds = push_seconds(sim, dt, &is_blow), most = 0.0;
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) {
        if (set->count == 0) continue;
        SHOAL_TRY(ask_force(sim, set));
        int odd = shoal_first(&sim->ctx.exec, set->count, first_odd, sim->pushes);
        if (odd >= 0)
            return shoal_fail(SHOAL_ERR_PARAM, "t = %.6g s: the force of the caller on particle %d is not a number",
                              sim->clock.time, (int)((const int32_t*)shoal_set_data(set, "id"))[odd]);
        double own = shoal_max(&sim->ctx.exec, set->count, most_strength2, sim->pushes);
        if (!(own > 0.0)) continue;
        most = fmax(most, sqrt(own));
        SHOAL_TRY(shoal_set_keep(set, "velocity"));
        gain_job job = {shoal_set_data(set, "velocity"), sim->pushes, seconds};
        shoal_blocks(&sim->ctx.exec, set->count, GAIN_BLOCK, gain_block, &job);
    }
    sim->description->pushed = sim->touched.acceleration = most;
    sim->touched.forced += most * seconds;
    shoal_sim_touch_count(sim, SHOAL_TOUCH_set_force, most > 0.0);
    return SHOAL_OK;
}

double shoal_sim_touch_dt(const shoal_sim* sim) {
    double d = sim->description->spacing, dt = (double)INFINITY;
    for (int c = 0; c < sim->description->obstacle_count; c++) {
        const shoal_hold* hold = &sim->holds[c];
        if (!hold->is_held || hold->keys[1].t <= sim->clock.time) continue;
        double speed = shoal_obstacle_speed(&sim->obstacles[c]);
        if (speed > 0.0) dt = fmin(dt, way_most * d / speed);
    }
    if (sim->force && sim->touched.acceleration > 0.0) {
        bool is_blow;
        push_seconds(sim, 1.0, &is_blow);
        dt = fmin(dt, sqrt(2.0 * (is_blow ? blow_most : way_most) * d / sim->touched.acceleration));
    }
    return dt;
}

// ---------------------------------------------------------------------------------- saved and loaded

static bool is_poured(const shoal_touched* touched, int material) {
    return touched->poured[material >> 6] >> (material & 63) & 1u;
}

bool shoal_sim_touched_is_sane(const shoal_sim* sim, const shoal_touched* touched, const shoal_hold* holds) {
    const double numbers[] = {touched->last,   touched->gravity.x,   touched->gravity.y, touched->gravity.z,
                              touched->lifted, touched->endless,     touched->driven,    touched->sent,
                              touched->forced, touched->acceleration};
    if (!all_are_finite(numbers, (int)(sizeof numbers / sizeof numbers[0]))) return false;
    for (int k = 1; k < 4; k++)
        if (!(fabs(numbers[k]) <= gravity_most)) return false;
    for (int k = 4; k < 10; k++)
        if (numbers[k] < 0.0) return false;
    for (int m = sim->description->material_count; m < 256; m++)
        if (is_poured(touched, m)) return false;
    for (int c = 0; c < sim->description->obstacle_count; c++)
        if (!hold_is_sane(&holds[c], &sim->description->obstacles[c], sim->world->colliders[c].moves)) return false;
    return true;
}

void shoal_sim_touch_take(shoal_sim* sim) {
    for (int m = 0; m < sim->description->material_count; m++)
        sim->description->materials[m].is_used =
            is_poured(&sim->touched, m) || shoal_material_comes(sim->description, m);
    sim->description->gravity = sim->touched.gravity;
    sim->description->pushed  = sim->touched.acceleration;
    for (int c = 0; c < sim->description->obstacle_count; c++) hold(sim, c);
    shoal_sim_watch_floor(sim);
}
