// SPDX-License-Identifier: MIT
// The bodies of a scene become particles, at the start: on their lattices, or as packings that have
// settled together.
#include "base/hash.h"
#include "sim/sim_local.h"

#include "state/sites.h"

typedef struct filling {
    shoal_sim*    sim;
    int64_t       count, packed_count;
    int64_t       counts[SHOAL_SETS_MOST]; // by set
    shoal_packed* packed;                  // [packed_count] of all bodies, in their order
    shoal_d3      centre;                  // of the body's box
    shoal_status  status;
} filling;

// Overlapping bodies are refused by the scene check; a scene that got by still gets one particle
// per site.
static bool is_taken(const shoal_description* description, int body, shoal_d3 site) {
    for (int b = 0; b < body; b++) {
        const shoal_shape* shape  = description->bodies[b].shape;
        shoal_box          bounds = shoal_box_grown(shoal_shape_bounds(shape), description->spacing);
        if (shoal_box_holds(bounds, site) && shoal_world_site_is_in(description, shape, site)) return true;
    }
    return false;
}

static bool count_place(void* user, int body, shoal_sphere place) {
    filling* f = user;
    if (is_taken(f->sim->description, body, place.at)) return true;
    const shoal_set* home = shoal_home_of(&f->sim->ctx, f->sim->description->bodies[body].material);
    for (int k = 0; f->sim->ctx.sets[k]; k++) f->counts[k] += f->sim->ctx.sets[k] == home;
    f->count++;
    f->packed_count += shoal_body_is_packed(f->sim->description, body);
    return true;
}

static bool pack_place(void* user, int body, shoal_sphere place) {
    filling* f = user;
    if (!is_taken(f->sim->description, body, place.at)) f->packed[f->packed_count++] = (shoal_packed){place, body};
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
    filling*                 f           = user;
    const shoal_description* description = f->sim->description;
    const shoal_body*        b           = &description->bodies[body];
    shoal_v3                 turning     = shoal_v3_cross(b->spin, shoal_v3_from(shoal_d3_sub(place.at, f->centre)));
    bool                     is_laid     = place.rank == 0.0;
    shoal_v3                 at =
        shoal_v3_from(is_laid && description->jitter > 0.0 ? jittered(f->sim, b->material, place.at) : place.at);
    if (!is_laid) at = shoal_world_wrap(f->sim->world, at); // settling may push across a periodic wall
    f->status = shoal_sim_append(f->sim, b->material, at, shoal_v3_add(b->velocity, turning));
    return f->status == SHOAL_OK;
}

static bool fill_site(void* user, int body, shoal_sphere place) {
    filling* f = user;
    return is_taken(f->sim->description, body, place.at) || fill_place(user, body, place);
}

static shoal_status walk(filling* f, shoal_body_fn fn, bool packed, bool laid) {
    const shoal_description* description = f->sim->description;
    for (int b = 0; b < description->body_count; b++) {
        shoal_taken taken;
        if (shoal_body_is_packed(description, b) ? packed : laid)
            SHOAL_TRY(shoal_body_sites(description, b, fn, f, &taken));
    }
    return SHOAL_OK;
}

// The particles of a body, which are the last from `first` on, are there.
static shoal_status announce(filling* f, const shoal_body* body, int first, const shoal_packed* packed) {
    const shoal_solver_type* type  = f->sim->type;
    shoal_set*               set   = shoal_home_of(&f->sim->ctx, body->material);
    shoal_arrival            comes = {set, first, set->count - first, body, packed};
    return comes.count > 0 && type && type->arrive ? type->arrive(f->sim->self, &comes) : SHOAL_OK;
}

static shoal_status fill(filling* f) {
    const shoal_description* description = f->sim->description;
    int64_t                  next        = 0;
    for (int b = 0; b < description->body_count; b++) {
        shoal_box           bounds = shoal_shape_bounds(description->bodies[b].shape);
        shoal_taken         taken;
        int                 first     = shoal_home_of(&f->sim->ctx, description->bodies[b].material)->count;
        bool                is_packed = shoal_body_is_packed(description, b);
        const shoal_packed* packed    = is_packed ? f->packed + next : NULL;
        f->centre                     = shoal_d3_scale(shoal_d3_add(bounds.min, bounds.max), 0.5);
        if (!is_packed) SHOAL_TRY(shoal_body_sites(description, b, fill_site, f, &taken));
        while (next < f->packed_count && f->packed[next].body == b && fill_place(f, b, f->packed[next].sphere)) next++;
        SHOAL_TRY(f->status);
        SHOAL_TRY(announce(f, &description->bodies[b], first, packed));
    }
    return SHOAL_OK;
}

shoal_status shoal_sim_fill_bodies(shoal_sim* sim) {
    filling f = {.sim = sim};
    if (sim->type && sim->type->fill) {
        for (int b = 0; b < sim->description->body_count; b++)
            SHOAL_TRY(sim->type->fill(sim->self, &sim->description->bodies[b]));
        return SHOAL_OK;
    }
    // counted first, so that a large scene takes no more memory than it needs
    SHOAL_TRY(walk(&f, count_place, true, true));
    if (f.count > INT32_MAX - 1)
        return shoal_fail(SHOAL_ERR_INPUT, "bodies: %lld particles are more than can be numbered, allowed are %d",
                          (long long)f.count, INT32_MAX - 1);
    for (int k = 0; sim->ctx.sets[k]; k++)
        if (f.counts[k] > 0) SHOAL_TRY(shoal_set_reserve(sim->ctx.sets[k], sim->ctx.sets[k]->count + (int)f.counts[k]));
    f.packed = shoal_alloc((size_t)f.packed_count + 1, sizeof *f.packed);
    if (!f.packed) return SHOAL_ERR_MEMORY;
    f.packed_count      = 0;
    shoal_status status = walk(&f, pack_place, true, false);
    if (status == SHOAL_OK) status = shoal_packed_settle(sim->description, f.packed, (int)f.packed_count);
    if (status == SHOAL_OK) status = fill(&f);
    shoal_free(f.packed);
    return status;
}
