// SPDX-License-Identifier: MIT
// The bodies of a scene become particles, at the start: on their lattices, or as packings that have settled together.
// The places of a body are walked once, and kept until its particles are there.
#include "base/hash.h"
#include "sim/emit_local.h"
#include "state/even_bodies.h"

// Places of bodies, in the order of the bodies.
typedef struct places {
    shoal_packed* of;
    size_t        count, capacity, next;
} places;

typedef struct fill_job {
    shoal_sim*   sim;
    int64_t      counts[SHOAL_SETS_MOST]; // by set
    places       packed, liquid, other;   // packings; liquids on the lattice; anything else on it
    bool         is_overfull;             // liquids are, somewhere: their places are parted
    shoal_d3     centre;                  // of the body's box
    shoal_status status;
} fill_job;

static places* places_of(fill_job* f, int body) {
    const shoal_description* d = f->sim->description;
    if (shoal_body_is_packed(d, body)) return &f->packed;
    int material = d->bodies[body].material; // a description by hand may have none
    return material < d->material_count && d->materials[material].kind == SHOAL_LIQUID ? &f->liquid : &f->other;
}

// Nothing is put into the openings of streams of other materials. Overlapping bodies are refused by the scene check; a
// scene that got by still gets one particle per site.
static bool is_taken(const shoal_sim* sim, int body, shoal_d3 site) {
    const shoal_description* description = sim->description;
    if (shoal_opening_at(description, description->bodies[body].material, sim->emission->held, site) >= 0) return true;
    for (int b = 0; b < body; b++) {
        const shoal_shape* shape  = description->bodies[b].shape;
        shoal_box          bounds = shoal_box_grown(shoal_shape_bounds(shape), description->spacing);
        if (shoal_box_holds(bounds, site) && shoal_lattice_site_is_in(description, shape, site)) return true;
    }
    return false;
}

// Grows by a half, so that at most two and a half times the places are held for a moment, before the solver has memory.
static bool add_place(void* user, int body, shoal_sphere place) {
    fill_job* f = user;
    places*   p = places_of(f, body);
    if (is_taken(f->sim, body, place.at)) return true;
    if (p->count == p->capacity) {
        size_t capacity = p->capacity + p->capacity / 2 + 1024;
        f->status       = shoal_realloc((void**)&p->of, p->count, capacity, sizeof *p->of);
        if (f->status != SHOAL_OK) return false;
        p->capacity = capacity;
    }
    p->of[p->count++]     = (shoal_packed){place, body};
    const shoal_set* home = shoal_home_of(&f->sim->ctx, f->sim->description->bodies[body].material);
    for (int k = 0; f->sim->ctx.sets[k]; k++) f->counts[k] += f->sim->ctx.sets[k] == home;
    return true;
}

// Off the lattice by the scene's jitter, each axis evenly.
static shoal_d3 jittered(const shoal_sim* sim, int material, shoal_d3 at) {
    enum { STREAM = 0x6a697474 };
    const shoal_description* d    = sim->description;
    double                   most = d->jitter * shoal_spacing_of(d, material), off[3];
    if (d->materials[material].kind != SHOAL_LIQUID || (sim->type->bodies & SHOAL_BODIES_SCATTERED)) return at;
    for (uint64_t axis = 0; axis < 3; axis++)
        off[axis] = most * (2.0 * shoal_random(d->seed, STREAM + axis, (uint64_t)sim->clock.next_id) - 1.0);
    return shoal_d3_add(at, shoal_d3_make(off[0], off[1], off[2]));
}

static bool fill_place(void* user, int body, shoal_sphere place) {
    fill_job*                f           = user;
    const shoal_description* description = f->sim->description;
    const shoal_body*        b           = &description->bodies[body];
    shoal_v3                 turning     = shoal_v3_cross(b->spin, shoal_v3_from(shoal_d3_sub(place.at, f->centre)));
    shoal_v3 at = shoal_v3_from(place.rank == 0.0 && description->jitter > 0.0 ? jittered(f->sim, b->material, place.at)
                                                                               : place.at);
    if (place.rank != 0.0 || f->is_overfull)
        at = shoal_world_wrap(f->sim->world, at); // settling may push across a periodic wall
    f->status = shoal_sim_append(f->sim, b->material, at, shoal_v3_add(b->velocity, turning));
    return f->status == SHOAL_OK;
}

static shoal_status find_places(fill_job* f) {
    for (int b = 0; b < f->sim->description->body_count; b++) {
        shoal_taken taken;
        SHOAL_TRY(shoal_body_sites(f->sim->description, b, add_place, f, &taken));
        SHOAL_TRY(f->status);
        f->is_overfull = f->is_overfull || taken.overfull > 0;
    }
    return SHOAL_OK;
}

// The particles of a body, which are the last from `first` on, are there.
static shoal_status announce(fill_job* f, const shoal_body* body, int first, const shoal_packed* packed) {
    const shoal_solver_type* type  = f->sim->type;
    shoal_set*               set   = shoal_home_of(&f->sim->ctx, body->material);
    shoal_arrival            comes = {set, first, set->count - first, body, packed};
    return comes.count > 0 && type && type->arrive ? type->arrive(f->sim->self, &comes) : SHOAL_OK;
}

static shoal_status fill(fill_job* f) {
    const shoal_description* description = f->sim->description;
    for (int b = 0; b < description->body_count; b++) {
        shoal_box           bounds = shoal_shape_bounds(description->bodies[b].shape);
        int                 first  = shoal_home_of(&f->sim->ctx, description->bodies[b].material)->count;
        places*             p      = places_of(f, b);
        const shoal_packed* packed = p == &f->packed ? p->of + p->next : NULL;
        f->centre                  = shoal_d3_scale(shoal_d3_add(bounds.min, bounds.max), 0.5);
        while (p->next < p->count && p->of[p->next].body == b && fill_place(f, b, p->of[p->next].sphere)) p->next++;
        SHOAL_TRY(f->status);
        SHOAL_TRY(announce(f, &description->bodies[b], first, packed));
    }
    return SHOAL_OK;
}

static shoal_status fill_all(fill_job* f) {
    shoal_sim* sim = f->sim;
    SHOAL_TRY(find_places(f));
    size_t count = f->packed.count + f->liquid.count + f->other.count;
    if (count > INT32_MAX - 1)
        return shoal_fail(SHOAL_ERR_INPUT, "bodies: %zu particles are more than can be numbered, allowed are %d", count,
                          INT32_MAX - 1);
    // so many at once, so that a large scene takes no more memory than it needs
    for (int k = 0; sim->ctx.sets[k]; k++)
        if (f->counts[k] > 0)
            SHOAL_TRY(shoal_set_reserve(sim->ctx.sets[k], sim->ctx.sets[k]->count + (int)f->counts[k]));
    SHOAL_TRY(shoal_packed_settle(sim->description, f->packed.of, (int)f->packed.count));
    int liquid = (int)f->liquid.count;
    if (f->is_overfull) SHOAL_TRY(shoal_bodies_even(sim->description, f->liquid.of, &liquid));
    f->liquid.count = (size_t)liquid;
    return fill(f);
}

shoal_status shoal_sim_fill_bodies(shoal_sim* sim) {
    fill_job f = {.sim = sim};
    if (shoal_sim_is_mesh(sim)) return SHOAL_OK;
    shoal_status status = fill_all(&f);
    shoal_free(f.packed.of);
    shoal_free(f.liquid.of);
    shoal_free(f.other.of);
    return status;
}
