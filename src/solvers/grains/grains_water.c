// SPDX-License-Identifier: MIT
// Free water among the grains (Rungjiratananon et al. 2008, section 4.3): SPH water of fluid/ in which every grain stands as a
// solid of its volume, moving as it moves, and what the water does to the grains in return.
//
// The water has particles, spacing and walls of its own: a set that is filled from the run of water particles behind the
// grains, and written back. Grains are asked where they stand when the step begins; the force on them is constant over the
// substeps of the contacts.
#include "solvers/grains/grains_local.h"

#include <string.h>

#include "base/clock.h"
#include "fluid/water_pass.h"

enum { WATER_BLOCK = 256, OTHERS_BLOCK = 1024 };

static const shoal_field_def fields[] = {
    SHOAL_WATER_FIELDS(SHOAL_FIELD_ROW){"from", SHOAL_I1, SHOAL_STATE, "", "its place in the run of water particles"},
    {0}};

// ---------------------------------------------------------------------------------- making

// What the water sees: its own spacing, liquids in the place of sand, so that the numbers of materials stay, and walls that
// slip where nothing is said of them.
static shoal_status make_scene(grains_water* w, const shoal_sim_context* ctx) {
    const shoal_description* d      = ctx->description;
    int                      liquid = -1;
    for (int m = d->material_count - 1; m >= 0; m--)
        if (d->materials[m].kind == SHOAL_LIQUID) liquid = m;
    SHOAL_ASSERT(liquid >= 0);
    w->materials = shoal_alloc((size_t)d->material_count, sizeof *w->materials);
    if (!w->materials) return SHOAL_ERR_MEMORY;
    for (int m = 0; m < d->material_count; m++) w->materials[m] = d->materials[d->materials[m].kind == SHOAL_LIQUID ? m : liquid];
    w->liquid                = liquid;
    w->description           = *d;
    w->description.spacing   = shoal_spacing_of(d, liquid);
    w->description.materials = w->materials;
    w->world                 = *ctx->world; // the colliders are the same ones
    for (int k = 0; k < SHOAL_WALL_COUNT; k++)
        if (d->domain.walls[k].kind == SHOAL_WALL_DEFAULT && w->world.is_closed[k]) w->world.domain.walls[k] = (shoal_wall){SHOAL_WALL_SLIP, 0.0f};
    w->ctx             = *ctx;
    w->ctx.description = &w->description;
    w->ctx.world       = &w->world;
    w->ctx.particles   = NULL;
    return shoal_set_create(fields, &w->ctx.particles);
}

bool grains_has_water(const shoal_description* d) {
    for (int m = 0; m < d->material_count; m++)
        if (d->materials[m].kind == SHOAL_LIQUID) return true;
    return false;
}

shoal_status grains_water_make(grains* s) {
    if (!grains_has_water(s->ctx->description)) return SHOAL_OK;
    s->water = shoal_alloc(1, sizeof *s->water);
    if (!s->water) return SHOAL_ERR_MEMORY;
    SHOAL_TRY(make_scene(s->water, s->ctx));
    return shoal_water_make(&s->water->sph, &s->water->ctx);
}

void grains_water_free(grains* s) {
    grains_water* w = s->water;
    if (!w) return;
    shoal_water_free(&w->sph);
    shoal_set_destroy(w->ctx.particles);
    shoal_free(w->materials);
    shoal_free(w->volume);
    shoal_free(w->pair_first);
    shoal_free(w->pair_water);
    shoal_free(w->pair_shore);
    shoal_free(w->drag);
    shoal_free(w->choice);
    shoal_free(w->taken);
    shoal_free(w->drop);
    shoal_free(w->seen);
    shoal_free(w->gone);
    shoal_free(w->load);
    shoal_free(w);
    s->water = NULL;
}

void grains_water_set_params(grains* s) {
    if (!s->water) return;
#define COPY(name, type, value, min, max, unit, help) .name = s->params.name,
    shoal_water_params params = {SHOAL_WATER_PARAMS(COPY)};
#undef COPY
    shoal_water_set_params(&s->water->sph, &params);
}

static shoal_water_method method_of(const grains* s) {
    return s->params.pressure == GRAINS_DFSPH ? SHOAL_WATER_DFSPH : SHOAL_WATER_WCSPH;
}

int32_t grains_water_quanta(const shoal_description* d) {
    for (int m = 0; m < d->material_count; m++)
        if (d->materials[m].kind == SHOAL_LIQUID)
            return (int32_t)(pow(shoal_spacing_of(d, m), 3.0) / grains_pore_volume(d) * GRAINS_QUANTA);
    return 0;
}

// ---------------------------------------------------------------------------------- there and back

static shoal_status take(grains* s) {
    shoal_set *set = s->ctx->particles, *own = s->water->ctx.particles;
    int        first = s->grain_count, count = set->count - first;
    own->ghosts = 0;
    SHOAL_TRY(shoal_set_reserve(own, count + 1));
    own->count = count;
#define TAKE(name, type) \
    if (count > 0) memcpy(shoal_set_data(own, #name), (const type*)shoal_set_data(set, #name) + first, (size_t)count * sizeof(type))
    TAKE(id, int32_t);
    TAKE(material, uint8_t);
    TAKE(position, shoal_v3);
    TAKE(velocity, shoal_v3);
    TAKE(pressure, float);
    TAKE(settling, float);
    TAKE(acceleration, float);
#undef TAKE
    int32_t* from = shoal_set_data(own, "from");
    for (int i = 0; i < count; i++) from[i] = i;
    return SHOAL_OK;
}

static void give_back(grains* s) {
    const shoal_set *set = s->ctx->particles, *own = s->water->ctx.particles;
    const int32_t*   from = shoal_set_data(own, "from");
#define GIVE(name, type)                                                                   \
    do {                                                                                   \
        const type* a = shoal_set_data(own, #name);                                        \
        type*       b = (type*)shoal_set_data(set, #name) + s->grain_count;                \
        for (int i = 0; i < own->count; i++) b[from[i]] = a[i];                            \
    } while (0)
    GIVE(position, shoal_v3);
    GIVE(velocity, shoal_v3);
    GIVE(density, float);
    GIVE(pressure, float);
    GIVE(settling, float);
    GIVE(acceleration, float);
#undef GIVE
}

shoal_status grains_water_begin(grains* s) {
    s->water->drop_count = 0;
    return take(s);
}

void grains_water_end(grains* s) { give_back(s); }

double grains_water_part(const grains* s, double left) {
    if (!s->water || s->water->ctx.particles->count == 0) return left;
    const double most = 1000.0; // a step has an end
    return left / fmin(fmax(ceil(left / shoal_water_dt(&s->water->sph, method_of(s)) - 1e-6), 1.0), most);
}

int grains_water_corners(const grains* s, shoal_v4* to) {
    if (!s->water || s->water->ctx.particles->count == 0) return 0;
    const shoal_set* own = s->water->ctx.particles;
    const shoal_v3*  x   = shoal_set_data(own, "position");
    to[0] = to[1] = (shoal_v4){x[0].x, x[0].y, x[0].z, 0.0f};
    for (int i = 1; i < own->count; i++) {
        to[0] = (shoal_v4){fminf(to[0].x, x[i].x), fminf(to[0].y, x[i].y), fminf(to[0].z, x[i].z), 0.0f};
        to[1] = (shoal_v4){fmaxf(to[1].x, x[i].x), fmaxf(to[1].y, x[i].y), fmaxf(to[1].z, x[i].z), 0.0f};
    }
    return 2;
}

double grains_water_dt(grains* s) {
    if (!s->water || s->ctx->particles->count == s->grain_count || take(s) != SHOAL_OK) return (double)INFINITY;
    return shoal_water_dt(&s->water->sph, method_of(s));
}

// ---------------------------------------------------------------------------------- who meets whom

static shoal_status reserve(grains* s) {
    grains_water* w      = s->water;
    size_t        sand = (size_t)s->view.nobody + 1, water = (size_t)w->ctx.particles->count + 1;
    if (sand > w->grain_room) {
        size_t room   = sand + sand / 4;
        w->grain_room = 0;
        SHOAL_TRY(shoal_realloc((void**)&w->volume, 0, room, sizeof *w->volume));
        SHOAL_TRY(shoal_realloc((void**)&w->pair_first, 0, room + 1, sizeof *w->pair_first));
        SHOAL_TRY(shoal_realloc((void**)&w->drag, 0, room, sizeof *w->drag));
        SHOAL_TRY(shoal_realloc((void**)&w->choice, 0, room, sizeof *w->choice));
        SHOAL_TRY(shoal_realloc((void**)&w->seen, 0, room, sizeof *w->seen));
        w->grain_room = room;
    }
    if (water > w->water_room) {
        size_t room   = water + water / 4;
        w->water_room = 0;
        SHOAL_TRY(shoal_realloc((void**)&w->taken, 0, room, sizeof *w->taken));
        SHOAL_TRY(shoal_realloc((void**)&w->drop, 0, room, sizeof *w->drop));
        w->water_room = room;
    }
    return SHOAL_OK;
}

int grains_of_shore(const grains* s, int b) {
    const grains_water* w = s->water;
    int body = w->sph.shore_body[b - w->shore_first];
    if (body > SHOAL_WATER_OTHER) return -1;
    int other = SHOAL_WATER_OTHER - body;
    return other < s->view.count ? other : s->halo.images[other - s->view.count].source;
}

// The water near each grain, from the grains near each water particle; in the order of the water.
static shoal_status turn_lists(grains* s) {
    grains_water*           w     = s->water;
    const shoal_water_view* v     = &w->sph.view;
    int                     count = s->view.count;
    memset(w->pair_first, 0, (size_t)(count + 1) * sizeof *w->pair_first);
    for (int i = 0; i < v->count; i++)
        SHOAL_FOR_NEAR(v->shore, i, b) {
            int g = grains_of_shore(s, b);
            if (g >= 0) w->pair_first[g + 1]++;
        }
    for (int g = 0; g < count; g++) w->pair_first[g + 1] += w->pair_first[g];
    size_t pairs = (size_t)w->pair_first[count];
    if (pairs > w->pair_room) {
        size_t room  = pairs + pairs / 2;
        w->pair_room = 0;
        SHOAL_TRY(shoal_realloc((void**)&w->pair_water, 0, room, sizeof *w->pair_water));
        SHOAL_TRY(shoal_realloc((void**)&w->pair_shore, 0, room, sizeof *w->pair_shore));
        w->pair_room = room;
    }
    for (int i = 0; i < v->count; i++)
        SHOAL_FOR_NEAR(v->shore, i, b) {
            int g = grains_of_shore(s, b);
            if (g < 0) continue;
            w->pair_water[w->pair_first[g]]   = i;
            w->pair_shore[w->pair_first[g]++] = b;
        }
    for (int g = count; g > 0; g--) w->pair_first[g] = w->pair_first[g - 1];
    w->pair_first[0] = 0;
    return SHOAL_OK;
}

// A grain takes up its own volume and that of the water in it: sand with full pores leaves no room for free water.
static void volume_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*      s    = ctx;
    const float* size = shoal_set_data(s->ctx->particles, "radius");
    float        pore = (float)grains_pore_volume(s->ctx->description);
    for (int k = begin; k < end; k++) {
        int   i = k < s->view.count ? k : s->halo.images[k - s->view.count].source;
        float r = size[s->work.own[i]];
        s->water->volume[k] = (float)(4.0 / 3.0 * SHOAL_PI) * r * r * r + pore * grains_wetness(s->work.water[i] + s->work.pending[i]);
    }
}

static shoal_status gather(grains* s, double dt) {
    grains_water* w     = s->water;
    int           count = s->view.count + s->halo.count;
    shoal_blocks(&s->ctx->exec, count, OTHERS_BLOCK, volume_block, s);
    w->sph.others = (shoal_water_others){count, s->work.place[0], s->work.speed[0], w->volume};
    SHOAL_TRY(shoal_water_gather(&w->sph, dt, method_of(s)));
    w->shore_first = w->sph.view.count + w->sph.halo.count + 1;
    for (int k = 0; k < s->view.count; k++) w->seen[s->work.own[k]] = k;
    return turn_lists(s);
}

// ---------------------------------------------------------------------------------- equation 10

// F = sum c (v_i - v_g), c = b (h - r) in the shape of the Laplacian that equation 10 has. As printed b is mu V_i V_g / 2 times
// its scale. Water is so thin that such grains would meet no resistance but that of the pressure, so by default b is what
// gives the sphere its drag [Abraham 1970], raised among other grains [Wen & Yu 1966].
static float drag_of(const grains* s, int g, float weights, shoal_v3 stream, float voids) {
    const grains_water*   w        = s->water;
    const shoal_water_view* v      = &w->sph.view;
    const shoal_material* liquid   = &w->materials[w->liquid];
    float                 diameter = 2.0f * s->work.place[0][g].w;
    if (s->params.drag == GRAINS_DRAG_PAPER) {
        float h3 = v->h * v->h2, cube = v->d * v->d * v->d;
        return 0.5f * liquid->viscosity * cube * w->volume[g] * 45.0f / ((float)SHOAL_PI * h3 * h3);
    }
    float speed    = shoal_v3_length(shoal_v3_sub(stream, grains_xyz(s->work.speed[0][g])));
    float reynolds = voids * liquid->density * speed * diameter / fmaxf(liquid->viscosity, 1e-9f);
    float bent     = 1.0f + 0.11f * sqrtf(reynolds);
    float sphere   = 3.0f * (float)SHOAL_PI * liquid->viscosity * diameter * bent * bent * powf(voids, -1.65f);
    return sphere / weights;
}

static void drag_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s = ctx;
    grains_water*           w = s->water;
    const shoal_water_view* v = &w->sph.view;
    for (int g = begin; g < end; g++) {
        shoal_v3 stream = {0.0f, 0.0f, 0.0f};
        float    weights = 0.0f, others = 0.0f;
        for (int k = w->pair_first[g]; k < w->pair_first[g + 1]; k++) {
            int   i = w->pair_water[k], b = w->pair_shore[k];
            float r;
            shoal_apart(v->place, i, b, v->h, &r);
            float t = fmaxf(v->h - r, 0.0f);
            weights += t;
            others += t * fmaxf(v->wall[i].w - v->weight * v->place[b].w * shoal_water_bump(v->h, r), 0.0f);
            stream = shoal_v3_add_scaled(stream, shoal_v4_xyz(v->motion[i]), t);
        }
        w->drag[g] = 0.0f;
        if (!(weights > 1e-3f * v->h)) continue;
        float voids = fminf(fmaxf(1.0f - others / weights, 0.3f), 1.0f);
        float mass  = s->work.speed[0][g].w * s->work.speed[0][g].w;
        // explicit: no more than half of a difference may go in a step
        w->drag[g] = fminf(drag_of(s, g, weights, shoal_v3_scale(stream, 1.0f / weights), voids), 0.5f * mass / (v->dt * weights));
    }
}

// Of one pair, kg/s; the water may be near ten grains.
static float drag_between(const grains_water* w, int g, float r, float mass) {
    const shoal_water_view* v = &w->sph.view;
    return fminf(w->drag[g] * fmaxf(v->h - r, 0.0f), 0.05f * mass / v->dt);
}

static float water_mass(const grains_water* w, int i) {
    const shoal_water_view* v = &w->sph.view;
    return w->sph.liquids[v->material[i]].density * v->d * v->d * v->d;
}

// What the grains take from the water's velocity; from everyone's velocity before, which stays in `velocity`.
static void slow_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s = ctx;
    grains_water*           w = s->water;
    const shoal_water_view* v = &w->sph.view;
    for (int i = begin; i < end; i++) {
        shoal_v3 sum = {0.0f, 0.0f, 0.0f};
        float    mass = water_mass(w, i), r;
        SHOAL_FOR_NEAR(v->shore, i, b) {
            int g = grains_of_shore(s, b);
            if (g < 0) continue;
            shoal_apart(v->place, i, b, v->h, &r);
            sum = shoal_v3_add_scaled(sum, shoal_v3_sub(grains_xyz(s->work.speed[0][g]), v->velocity[i]), drag_between(w, g, r, mass));
        }
        shoal_v4_set(&v->motion[i], shoal_v3_add_scaled(v->velocity[i], sum, v->dt / mass));
    }
}

// ---------------------------------------------------------------------------------- equation 9

// As printed, a quarter of p_i + p_g: three quarters of the grains' slope are taken out of what the pressure acts on, and p_g
// pushes by itself.
static void print_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s = ctx;
    grains_water*           w = s->water;
    const shoal_water_view* v = &w->sph.view;
    for (int i = begin; i < end; i++) {
        shoal_v3 slope = {0.0f, 0.0f, 0.0f};
        float    r;
        SHOAL_FOR_NEAR(v->shore, i, b) {
            if (grains_of_shore(s, b) < 0) continue;
            shoal_v3 d = shoal_apart(v->place, i, b, v->h, &r);
            slope      = shoal_v3_add_scaled(slope, d, -v->slope * v->place[b].w * shoal_water_steep(v->h, r) / r);
        }
        float push = 0.25f * s->params.grain_pressure * v->press * v->liquids[v->material[i]].light;
        shoal_v4_set(&v->wall[i], shoal_v3_add_scaled(shoal_v4_xyz(v->wall[i]), slope, -0.75f));
        shoal_v4_set(&v->motion[i], shoal_v3_add_scaled(shoal_v4_xyz(v->motion[i]), slope, -push));
    }
}

// Water between a grain and a solid, too narrow for particles, has the pressure of the water around: without it the grain would
// be pressed to the floor by all that is above. `push` is what a pressure of 1 all around does, m^2: taken back is its part
// towards the solid, as far as the solid is the cause.
static shoal_v3 cushion(const grains* s, int g, shoal_v3 push) {
    const shoal_water_view* v    = &s->water->sph.view;
    const shoal_v3          none = {0.0f, 0.0f, 0.0f};
    shoal_v3                x    = grains_xyz(s->work.place[0][g]);
    if (!shoal_solids_are_near(v->world, x, v->h)) return none;
    shoal_v3 slope  = shoal_solid_share_at(v->world, x, v->h, SHOAL_KERNEL_CUBIC).gradient;
    float    length = shoal_v3_length(slope);
    if (!(length > 0.0f)) return none;
    float towards = shoal_v3_dot(push, slope) / length, most = s->water->volume[g] * length;
    return shoal_v3_scale(slope, -fminf(fmaxf(towards, 0.0f), most) / length);
}

// The force of the water on each grain, opposite to what each pair has given the water: pressure, mirrored in the grain, and
// drag.
static void force_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s = ctx;
    grains_water*           w = s->water;
    const shoal_water_view* v = &w->sph.view;
    bool                    is_printed = s->params.coupling == GRAINS_PRINTED;
    float                   cube = v->d * v->d * v->d, scale = w->sph.liquids[0].density * cube * v->slope / v->dt * v->press;
    for (int g = begin; g < end; g++) {
        shoal_v3 force = {0.0f, 0.0f, 0.0f}, push = force, own = grains_xyz(s->work.speed[0][g]);
        float    weights = 0.0f, mean = 0.0f;
        for (int k = w->pair_first[g]; k < w->pair_first[g + 1]; k++) {
            int      i = w->pair_water[k], b = w->pair_shore[k];
            float    r, p = v->pressure[i];
            shoal_v3 d    = shoal_apart(v->place, i, b, v->h, &r);
            float    unit = -scale * v->motion[i].w * v->motion[i].w * v->place[b].w * shoal_water_steep(v->h, r) / r;
            if (is_printed) p = 0.25f * (p + s->params.grain_pressure / (v->motion[i].w * v->motion[i].w));
            force = shoal_v3_add_scaled(force, d, unit * p);
            push  = shoal_v3_add_scaled(push, d, unit);
            force = shoal_v3_add_scaled(force, shoal_v3_sub(v->velocity[i], own), drag_between(w, g, r, water_mass(w, i)));
            weights += shoal_water_bump(v->h, r);
            mean += shoal_water_bump(v->h, r) * v->pressure[i];
        }
        if (weights > 0.0f && !is_printed) force = shoal_v3_add_scaled(force, cushion(s, g, push), mean / weights);
        s->work.outer[g] = (shoal_v4){force.x, force.y, force.z, 0.0f};
    }
}

// ---------------------------------------------------------------------------------- the step

static shoal_status count_load(grains* s) {
    grains_water* w      = s->water;
    size_t        bodies = (size_t)s->ctx->world->collider_count;
    if (bodies == 0) return SHOAL_OK;
    if (!w->load) w->load = shoal_alloc(bodies, sizeof *w->load);
    if (!w->load) return SHOAL_ERR_MEMORY;
    memset(w->load, 0, bodies * sizeof *w->load);
    SHOAL_TRY(shoal_water_load(&w->sph, w->load));
    for (size_t c = 0; c < bodies; c++) {
        shoal_d3 push = shoal_d3_add(w->load[c].pressure, w->load[c].friction);
        s->ctx->ledger[0] += push.x;
        s->ctx->ledger[1] += push.y;
        s->ctx->ledger[2] += push.z;
    }
    return SHOAL_OK;
}

shoal_status grains_water_step(grains* s, double dt) {
    grains_water*     w     = s->water;
    shoal_water*      sph   = &w->sph;
    const shoal_exec* exec  = &s->ctx->exec;
    if (w->drop_count > 0) shoal_set_remove(w->ctx.particles, w->drop);
    w->drop_count = 0;
    int count     = w->ctx.particles->count;
    SHOAL_TRY(reserve(s));
    memset(w->drop, 0, (size_t)count + 1);
    if (count == 0) {
        memset(s->work.outer, 0, (size_t)s->view.count * sizeof *s->work.outer);
        return SHOAL_OK;
    }
    sph->stage_began = shoal_seconds();
    memset(w->ctx.stage_seconds, 0, sizeof w->ctx.stage_seconds);
    SHOAL_TRY(gather(s, dt));

    // equation 10, then the pressure, which counts the grains among the solids, then equations 9 and 10 on the grains
    if (s->params.drag != GRAINS_DRAG_NONE) {
        shoal_blocks(exec, s->view.count, WATER_BLOCK, drag_block, s);
        shoal_blocks(exec, count, WATER_BLOCK, slow_block, s);
    } else {
        memset(w->drag, 0, (size_t)s->view.count * sizeof *w->drag);
    }
    if (s->params.coupling == GRAINS_PRINTED) shoal_blocks(exec, count, WATER_BLOCK, print_block, s);
    shoal_water_share_motion(sph);
    if (s->params.pressure == GRAINS_DFSPH) {
        shoal_water_solenoidal(sph);
        shoal_water_incompressible(sph);
    } else {
        shoal_water_do(sph, SHOAL_WATER_density);
        shoal_water_explicit(sph);
    }
    shoal_blocks(exec, s->view.count, WATER_BLOCK, force_block, s);
    shoal_water_stage(sph, SHOAL_STAGE_SOLVE);
    shoal_water_do(sph, SHOAL_WATER_advance);
    SHOAL_TRY(count_load(s));
    shoal_water_stage(sph, SHOAL_STAGE_INTEGRATE);
    for (int k = 0; k < SHOAL_STAGE_COUNT; k++) s->ctx->stage_seconds[k] += w->ctx.stage_seconds[k];
    s->stage_began = shoal_seconds();
    return SHOAL_OK;
}
