// SPDX-License-Identifier: MIT
// Between the set of particles, which knows nothing of contacts, and the working arrays: sizes and water of those that
// come, growth, and what wetness makes of a grain.
#include "solvers/grains/grains_local.h"

#include "base/hash.h"

static float friction_of(const grains* s, int material) { // Coulomb's, of dry grains
    const shoal_material* m = &s->ctx->description->materials[material];
    return s->all.params.friction > 0.0f ? s->all.params.friction : tanf(m->friction_angle * (float)(SHOAL_PI / 180.0));
}

// Grains are born as small as the lattice needs and grow into their own size where there is room for it, slowly against
// any impact; one pressed harder than this fraction of the diameter waits, and one held by an opening, whose stream
// is as dense as grains of the mean size can be: growing there they pushed each other out of it, and a tenth of the
// next ones found no place.
static const float growth_least = 0.002f;

// m in a time: slowly against any impact.
static float growth_in(const grains* s, double dt) {
    double rate = fmin((double)s->all.params.spread * s->design.radius / (200.0 * s->design.contact_time),
                       1e-3 * s->design.impact);
    return (float)(rate * dt);
}

static void survey_materials(grains* s) {
    const shoal_description* d = s->ctx->description;
    for (int m = 0; m < d->material_count; m++)
        s->stuff[m] =
            (grains_stuff){friction_of(s, m), d->materials[m].density, grains_solid_density(&d->materials[m])};
}

void grains_bind(grains* s, const shoal_exec* exec) {
    const shoal_description* d   = s->ctx->description;
    shoal_set*               set = s->ctx->particles;
    grains_state*            v   = &s->all;
    survey_materials(s);
    v->stuff      = shoal_far_copy(&s->far_stuff, exec->device, s->stuff, (size_t)d->material_count * sizeof *s->stuff);
    v->spacing    = d->spacing;
    v->half       = s->design.radius;
    v->water_mass = grains_water_mass(d);
    v->growth_least = growth_least * (float)d->spacing;
    v->has_water    = s->water != NULL;
    v->seed         = d->seed;
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_BIND_TO)
    GRAINS_FIELDS(SHOAL_FIELD_BIND_TO)
}

// The same on the CPU, for what is done one by one.
static grains_state* bound_here(grains* s) {
    const shoal_exec here = {.threads = s->ctx->exec.threads};
    grains_bind(s, &here);
    return &s->all;
}

void grains_show_water(grains* s) { grains_run_among(s, GRAINS_show_drop, s->water->set->count); }

// Water of those from the first on that are marked (NULL: all), in quanta.
static int64_t held_by(const grains* s, const shoal_set* set, int first, const uint8_t* marks) {
    bool           is_water = set == s->ctx->sets[GRAINS_WATER];
    const int32_t *water    = shoal_set_read(set, is_water ? "quanta" : "water"),
                  *pending  = is_water ? NULL : shoal_set_read(set, "pending");
    int64_t sum             = 0;
    for (int i = first; i < set->count; i++)
        if (!marks || marks[i]) sum += (int64_t)water[i] + (pending ? pending[i] : 0);
    return sum;
}

int64_t grains_present(grains* s) {
    int     drops = s->ctx->sets[GRAINS_WATER]->count;
    int64_t sum   = drops > 0 ? (int64_t)grains_fold_among(s, GRAINS_quanta_of, drops) : 0;
    grains_bind(s, &s->ctx->exec);
    return sum + (int64_t)grains_fold(s, GRAINS_present_of, s->ctx->particles->count);
}

// On the lattice, dry grains just touch. Wet ones are smaller than its cells, and mud, which no bridge holds, would
// come down as perfect stacks, grain on grain, and stand: each begins somewhere in the room it has, which no other
// reaches.
static void scatter(const grains* s, const grains_state* l, int i) {
    enum { STREAM = 0x73636174 };
    uint64_t seed = l->seed, id = (uint64_t)l->id[i];
    float    gap = l->size[i] - grains_wet_radius(&l->params, l->size[i], grains_wetness(l->water[i])), off[3];
    for (uint64_t axis = 0; axis < 3; axis++)
        off[axis] = gap * (float)(2.0 * shoal_random(seed, STREAM + axis, id) - 1.0);
    shoal_v3 to    = shoal_v3_add(l->position[i], shoal_v3_make(off[0], off[1], off[2]));
    l->position[i] = shoal_world_wrap(s->ctx->world, to);
}

// On the lattice and from emitters grains begin no larger than the mean.
static void lay(const grains* s, const grains_state* l, int i) {
    l->rank[i] = grains_rank(s->ctx->description, l->id[i]);
    l->size[i] = fminf(grains_radius_of(l->spacing, &l->params, l->rank[i]), (float)s->design.radius);
    scatter(s, l, i);
}

// In a packing they begin with their own size, less what they overlap by.
static void fit(const grains_state* l, int i, shoal_sphere place) {
    l->rank[i]   = (float)place.rank;
    float target = grains_radius_of(l->spacing, &l->params, l->rank[i]);
    l->size[i]   = fmaxf(target - 0.5f * (float)place.overlap, 0.1f * target);
}

static void arrive_as_water(grains* s, const shoal_arrival* arrival) {
    int32_t* quanta = shoal_set_data(arrival->set, "quanta");
    for (int k = 0; k < arrival->count; k++) quanta[arrival->first + k] = grains_water_quanta(s->ctx->description);
    grains_show_water(s);
}

// Grains turn with their body.
static void arrive_as_grains(grains* s, const shoal_arrival* arrival) {
    const grains_state* l = bound_here(s);
    for (int k = 0; k < arrival->count; k++) {
        int i       = arrival->first + k;
        l->water[i] = (int32_t)((double)s->ctx->description->materials[l->material[i]].wetness * GRAINS_QUANTA);
        if (arrival->body) l->spin[i] = arrival->body->spin;
        if (arrival->packed)
            fit(l, i, arrival->packed[k].sphere);
        else
            lay(s, l, i);
        grains_show_one(l, i);
    }
}

// Size and water of new grains.
shoal_status grains_arrive(void* self, const shoal_arrival* arrival) {
    grains* s = self;
    if (arrival->set == s->ctx->sets[GRAINS_WATER])
        arrive_as_water(s, arrival);
    else
        arrive_as_grains(s, arrival);
    int64_t come = held_by(s, arrival->set, arrival->first, NULL);
    s->balance->emitted += come;
    s->balance->present += come;
    return SHOAL_OK;
}

void grains_leave(void* self, const shoal_set* set, const uint8_t* marks) {
    grains* s    = self;
    int64_t gone = held_by(s, set, 0, marks);
    s->balance->removed += gone;
    s->balance->present -= gone;
}

// More water in one of them than wetness 64, or less than none, is from a damaged file: sums of it would not fit.
static shoal_status check_quanta(const shoal_set* set, const char* name) {
    const int32_t  most  = 64 * GRAINS_QUANTA;
    const int32_t *water = shoal_set_read(set, name), *id = shoal_set_read(set, "id");
    for (int i = 0; i < set->count; i++)
        if (water[i] < 0 || water[i] > most)
            return shoal_fail(SHOAL_ERR_INPUT, "particle %d: %d quanta of water are outside [0, %d]", (int)id[i],
                              (int)water[i], (int)most);
    return SHOAL_OK;
}

shoal_status grains_check_water(grains* s) {
    SHOAL_TRY(check_quanta(s->ctx->particles, "water"));
    SHOAL_TRY(check_quanta(s->ctx->particles, "pending"));
    SHOAL_TRY(check_quanta(s->ctx->sets[GRAINS_WATER], "quanta"));
    int64_t astray = grains_present(s) - s->balance->present;
    if (astray != 0)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%lld quanta of water more than the balance has: the state is from another run",
                          (long long)astray);
    return SHOAL_OK;
}

void grains_show(grains* s) {
    const grains_state* l = bound_here(s);
    for (int i = 0; i < s->ctx->particles->count; i++) grains_show_one(l, i);
    if (!s->water) return;
    const shoal_set* set      = s->water->set;
    const uint8_t*   material = shoal_set_read(set, "material");
    float*           density  = shoal_set_data(set, "density");
    for (int i = 0; i < set->count; i++) density[i] = s->ctx->description->materials[material[i]].density;
}

void grains_load_set(grains* s, double dt) {
    grains_bind(s, &s->ctx->exec);
    s->all.growth = growth_in(s, dt);
    grains_run_on(s, GRAINS_take, s->all.view.count);
}

void grains_store_set(grains* s) {
    grains_bind(s, &s->ctx->exec);
    grains_run_on(s, GRAINS_put, s->all.view.count);
}
