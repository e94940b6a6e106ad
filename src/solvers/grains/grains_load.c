// SPDX-License-Identifier: MIT
// Between the set of particles, which knows nothing of contacts, and the working arrays: sizes and water of those who
// come, growth, and what wetness makes of a grain.
#include "solvers/grains/grains_local.h"

#include "base/hash.h"

static float friction_of(const grains* s, int material) {
    const shoal_material* m = &s->ctx->description->materials[material];
    return s->params.friction > 0.0f ? s->params.friction : tanf(m->friction_angle * (float)(SHOAL_PI / 180.0));
}

// Grains are born as small as the lattice needs and grow into their own size where there is room for it, slowly against
// any impact; who is pressed harder than this share of the diameter waits, and who is held by an opening, whose stream
// is as dense as grains of the mean size can be: growing there they pushed each other out of it, and a tenth of the
// next ones found no place.
static const float room_to_grow = 0.002f;

typedef struct loading {
    grains*   s;
    float     growth; // m in this step
    shoal_v3 *position, *fine, *velocity, *spin;
    float *   size, *rank, *radius, *mass, *overlap, *wetness, *density;
    int32_t * id, *first, *kept, *water, *pending;
    uint8_t * material, *state, *holder;
} loading;

static loading loading_of(grains* s, double dt) {
    const shoal_set* set = s->ctx->particles;
    double           rate =
        fmin((double)s->params.spread * s->design.radius / (200.0 * s->design.contact_time), 1e-3 * s->design.impact);
    return (loading){s,
                     (float)(rate * dt),
                     shoal_set_data(set, "position"),
                     shoal_set_data(set, "fine"),
                     shoal_set_data(set, "velocity"),
                     shoal_set_data(set, "spin"),
                     shoal_set_data(set, "size"),
                     shoal_set_data(set, "rank"),
                     shoal_set_data(set, "radius"),
                     shoal_set_data(set, "mass"),
                     shoal_set_data(set, "overlap"),
                     shoal_set_data(set, "wetness"),
                     shoal_set_data(set, "density"),
                     shoal_set_data(set, "id"),
                     shoal_set_data(set, "contact_first"),
                     shoal_set_data(set, "contact_count"),
                     shoal_set_data(set, "water"),
                     shoal_set_data(set, "pending"),
                     shoal_set_data(set, "material"),
                     shoal_set_data(set, "state"),
                     shoal_set_data(set, "holder")};
}

// What an opening holds goes on as one piece, whoever is in its way, so it is heavier than by itself. Four times: where
// the way is blocked it then presses twice as deep as a grain of its speed does. (As light as others it is pushed
// aside, and a tenth of the stream finds no place; a hundred times as heavy it crushes what blocks it.)
static const float held_masses = 4.0f;

static float mass_of(const loading* l, int i) { return l->holder[i] > 0 ? held_masses * l->mass[i] : l->mass[i]; }

static void show_wetness(const loading* l, int i) {
    const grains* s = l->s;
    float         w = grains_wetness(l->water[i]), solid;
    solid           = (float)grains_mass(&s->ctx->description->materials[l->material[i]],
                                         (double)grains_radius(s->ctx->description, &s->params, l->rank[i]));
    l->density[i]   = s->ctx->description->materials[l->material[i]].density;
    l->wetness[i]   = w;
    l->radius[i]    = grains_wet_radius(&s->params, l->size[i], w);
    l->state[i]     = (uint8_t)(l->water[i] == 0 ? 0 : w <= s->params.wet_threshold ? 1 : 2);
    l->mass[i] =
        solid + grains_wetness((int64_t)l->water[i] + l->pending[i]) * (float)grains_water_mass(s->ctx->description);
}

void grains_show_water(grains* s, int first) {
    const shoal_set* set      = s->water->set;
    const int32_t*   quanta   = shoal_set_data(set, "quanta");
    const uint8_t*   material = shoal_set_data(set, "material");
    float *          radius = shoal_set_data(set, "radius"), *mass = shoal_set_data(set, "mass");
    float            half = (float)(0.5 * s->water->sph.spacing), pore = (float)grains_pore_volume(s->ctx->description);
    for (int i = first; i < set->count; i++) {
        radius[i] = half;
        mass[i]   = grains_wetness(quanta[i]) * pore * s->ctx->description->materials[material[i]].density;
    }
}

// Water of those from the first on who are marked (NULL: all), in quanta.
static int64_t held_by(const grains* s, const shoal_set* set, int first, const uint8_t* marks) {
    bool           is_water = set == s->ctx->sets[GRAINS_WATER];
    const int32_t *water    = shoal_set_data(set, is_water ? "quanta" : "water"),
                  *pending  = is_water ? NULL : shoal_set_data(set, "pending");
    int64_t sum             = 0;
    for (int i = first; i < set->count; i++)
        if (!marks || marks[i]) sum += (int64_t)water[i] + (pending ? pending[i] : 0);
    return sum;
}

int64_t grains_present(const grains* s) {
    const shoal_set *set = s->ctx->particles, *free = s->ctx->sets[GRAINS_WATER];
    return grains_water_total(s, shoal_set_data(set, "water"), set->count) +
           grains_water_total(s, shoal_set_data(set, "pending"), set->count) +
           grains_water_total(s, shoal_set_data(free, "quanta"), free->count);
}

// On the lattice, dry grains just touch. Wet ones are smaller than its cells, and mud, which no bridge holds, would
// come down as perfect stacks, grain on grain, and stand: each begins somewhere in the room it has, which nobody else
// reaches.
static void scatter(const loading* l, int i) {
    enum { STREAM = 0x73636174 };
    uint64_t seed = l->s->ctx->description->seed, id = (uint64_t)l->id[i];
    float    room = l->size[i] - grains_wet_radius(&l->s->params, l->size[i], grains_wetness(l->water[i])), off[3];
    for (uint64_t axis = 0; axis < 3; axis++)
        off[axis] = room * (float)(2.0 * shoal_random(seed, STREAM + axis, id) - 1.0);
    shoal_v3 to    = shoal_v3_add(l->position[i], shoal_v3_make(off[0], off[1], off[2]));
    l->position[i] = shoal_world_wrap(l->s->ctx->world, to);
}

// On the lattice and from emitters grains begin no larger than the mean.
static void lay(const loading* l, int i) {
    const grains* s = l->s;
    l->rank[i]      = grains_rank(s->ctx->description, l->id[i]);
    l->size[i]      = fminf(grains_radius(s->ctx->description, &s->params, l->rank[i]), (float)s->design.radius);
    scatter(l, i);
}

// In a packing they begin with their own size, less what they overlap by.
static void fit(const loading* l, int i, shoal_sphere place) {
    l->rank[i]   = (float)place.rank;
    float target = grains_radius(l->s->ctx->description, &l->s->params, l->rank[i]);
    l->size[i]   = fmaxf(target - 0.5f * (float)place.overlap, 0.1f * target);
}

static void arrive_as_water(grains* s, const shoal_arrival* arrival) {
    int32_t* quanta = shoal_set_data(arrival->set, "quanta");
    for (int k = 0; k < arrival->count; k++) quanta[arrival->first + k] = grains_water_quanta(s->ctx->description);
    grains_show_water(s, arrival->first);
}

// Grains turn with their body.
static void arrive_as_grains(grains* s, const shoal_arrival* arrival) {
    loading l = loading_of(s, 0.0);
    for (int k = 0; k < arrival->count; k++) {
        int i      = arrival->first + k;
        l.water[i] = (int32_t)((double)s->ctx->description->materials[l.material[i]].wetness * GRAINS_QUANTA);
        if (arrival->body) l.spin[i] = arrival->body->spin;
        if (arrival->packed)
            fit(&l, i, arrival->packed[k].sphere);
        else
            lay(&l, i);
    }
}

// Size and water of those who come.
shoal_status grains_arrive(void* self, const shoal_arrival* arrival) {
    grains* s = self;
    if (arrival->set == s->ctx->sets[GRAINS_WATER])
        arrive_as_water(s, arrival);
    else
        arrive_as_grains(s, arrival);
    int64_t come = held_by(s, arrival->set, arrival->first, NULL);
    s->books->emitted += come;
    s->books->present += come;
    return SHOAL_OK;
}

void grains_leave(void* self, const shoal_set* set, const uint8_t* marks) {
    grains* s    = self;
    int64_t gone = held_by(s, set, 0, marks);
    s->books->removed += gone;
    s->books->present -= gone;
}

static void load_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const loading*       l     = ctx;
    const shoal_world*   world = l->s->ctx->world;
    const grains_params* p     = &l->s->params;
    grains_work*         to    = &l->s->work;
    for (int i = begin; i < end; i++) {
        float target = grains_radius(l->s->ctx->description, &l->s->params, l->rank[i]),
              w      = grains_wetness(l->water[i]);
        if (l->size[i] < target && l->holder[i] == 0 &&
            l->overlap[i] <= room_to_grow * (float)l->s->ctx->description->spacing)
            l->size[i] = fminf(l->size[i] + l->growth, target);
        show_wetness(l, i);
        shoal_v3 x = shoal_world_wrap(world, l->position[i]), f = l->fine[i], u = l->velocity[i];
        shoal_v3 q      = p->rotation ? l->spin[i] : shoal_v3_make(0.0f, 0.0f, 0.0f);
        float    mu     = grains_wet_friction(p, friction_of(l->s, l->material[i]), w);
        to->place[0][i] = (shoal_v4){x.x, x.y, x.z, l->radius[i]};
        to->fine[0][i]  = (shoal_v4){f.x, f.y, f.z, mu};
        to->speed[0][i] = (shoal_v4){u.x, u.y, u.z, sqrtf(l->mass[i])};
        to->spin[0][i]  = (shoal_v4){q.x, q.y, q.z, 1.0f / mass_of(l, i)};
        to->wet[i]      = grains_wet_lanes(p, w);
        to->own[i]      = i;
        to->id[i]       = l->id[i];
        to->water[i]    = l->water[i];
        to->pending[i]  = l->pending[i];
        to->first[i]    = l->first[i];
        to->kept[i]     = l->kept[i];
    }
}

static void store_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const loading*     l            = ctx;
    const grains_work* w            = &l->s->work;
    const shoal_set*   set          = l->s->ctx->particles;
    float *            coordination = shoal_set_data(set, "coordination"), *elastic = shoal_set_data(set, "elastic");
    for (int k = begin; k < end; k++) {
        int i          = w->own[k];
        l->position[i] = shoal_world_wrap(l->s->ctx->world, grains_xyz(w->place[0][k]));
        l->fine[i]     = grains_xyz(w->fine[0][k]);
        l->velocity[i] = grains_xyz(w->speed[0][k]);
        l->spin[i]     = grains_xyz(w->spin[0][k]);
        l->first[i]    = w->first[k];
        l->kept[i]     = w->kept[k];
        l->water[i]    = w->water[k];
        l->pending[i]  = w->pending[k];
        show_wetness(l, i);
        coordination[i] = w->coordination[k];
        l->overlap[i]   = w->overlap[k];
        elastic[i]      = w->elastic[k];
    }
}

// More water in one of them than wetness 64, or less than none, is from a damaged file: sums of it would not fit.
static shoal_status check_quanta(const shoal_set* set, const char* name) {
    const int32_t  most  = 64 * GRAINS_QUANTA;
    const int32_t *water = shoal_set_data(set, name), *id = shoal_set_data(set, "id");
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
    int64_t astray = grains_present(s) - s->books->present;
    if (astray != 0)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%lld quanta of water more than the books have: the state is from another run",
                          (long long)astray);
    return SHOAL_OK;
}

void grains_show(grains* s) {
    loading l = loading_of(s, 0.0);
    for (int i = 0; i < s->ctx->particles->count; i++) show_wetness(&l, i);
    if (!s->water) return;
    const shoal_set* set      = s->water->set;
    const uint8_t*   material = shoal_set_data(set, "material");
    float*           density  = shoal_set_data(set, "density");
    for (int i = 0; i < set->count; i++) density[i] = s->ctx->description->materials[material[i]].density;
}

void grains_load_set(grains* s, double dt) {
    loading l = loading_of(s, dt);
    shoal_blocks(&s->ctx->exec, s->view.count, GRAINS_BLOCK, load_block, &l);
}

void grains_store_set(grains* s) {
    loading l = loading_of(s, 0.0);
    shoal_blocks(&s->ctx->exec, s->view.count, GRAINS_BLOCK, store_block, &l);
    if (s->water) grains_show_water(s, 0);
}
