// SPDX-License-Identifier: MIT
// Sand as grains. A step of the house is many substeps of the contacts, with one sort and one set of lists as long as
// nobody has moved far; the physics of one grain is in grains_pass.h.
#include "solvers/grains/grains.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "solvers/grains/grains_local.h"

#define SHOAL_PARAM_STRUCT grains_params
SHOAL_PARAMS_DEFINE(grains_params, GRAINS_PARAMS)

// Substeps in a step of the house: enough that sorting hardly counts.
enum { SUBSTEPS_MOST = 256 };

// Lists live about so many substeps when the fastest grain decides; skins in diameters.
static const float list_life = 24.0f, skin_least = 0.04f, skin_most = 0.4f;

// ---------------------------------------------------------------------------------- constants

static float friction_of(const grains* s, int material) {
    const shoal_material* m = &s->ctx->description->materials[material];
    return s->params.friction > 0.0f ? s->params.friction : tanf(m->friction_angle * (float)(SHOAL_PI / 180.0));
}

// Stuck to a wall means friction that no load overcomes.
static void design_solids(grains* s) {
    const float        stuck = 1e3f;
    const shoal_world* world = s->ctx->world;
    for (int wall = 0; wall < GRAINS_WALLS; wall++) {
        const shoal_wall* w = &world->domain.walls[wall];
        s->solids[wall].friction = w->kind == SHOAL_WALL_STICK ? stuck : w->kind == SHOAL_WALL_FRICTION ? w->friction : 0.0f;
    }
    for (int c = 0; c < world->collider_count; c++)
        s->solids[GRAINS_WALLS + c].friction = world->colliders[c].is_sticky ? stuck : world->colliders[c].friction;
    for (int k = 0; k < GRAINS_WALLS + world->collider_count; k++)
        s->solids[k].rolling = s->params.rotation ? fminf(s->params.rolling, s->solids[k].friction) : 0.0f;
}

static void set_view(grains* s, double dt) {
    const grains_design* d = &s->design;
    grains_view*         v = &s->view;
    v->count      = s->ctx->particles->count;
    v->world      = s->ctx->world;
    v->solids     = s->solids;
    v->dt         = (float)dt;
    v->gravity    = shoal_v3_from(s->ctx->description->gravity);
    v->k          = (float)d->stiffness;
    v->damping    = (float)(2.0 * d->zeta * sqrt(d->stiffness));
    v->kt         = (float)(d->stiffness * (double)s->params.tangential_stiffness);
    v->kt_inverse = 1.0f / v->kt;
    v->damping_t  = 0.5f * v->damping;
    v->rolling    = s->params.rotation ? s->params.rolling : 0.0f;
    v->rotates    = s->params.rotation;

    double weight  = 0.5 * (d->lightest + d->heaviest) * shoal_d3_length(s->ctx->description->gravity);
    v->is_wet      = d->is_wet;
    v->mud         = s->params.mud_friction;
    v->fluid       = s->params.wet_fluid;
    v->bridge      = s->params.bridge;
    v->pull        = (float)((double)s->params.cohesion * weight / (double)s->params.wet_fluid);
    v->gap         = s->params.bridge_reach * (float)d->radius;
    v->gap_inverse = v->gap > 0.0f ? 1.0f / v->gap : 1e12f; // no gap: any is too wide
}

// ---------------------------------------------------------------------------------- between set and work

static void point_at_work(grains* s) {
    grains_work* w    = &s->work;
    grains_view* v    = &s->view;
    v->place          = w->place[0], v->place_next = w->place[1];
    v->fine           = w->fine[0], v->fine_next = w->fine[1];
    v->speed          = w->speed[0], v->speed_next = w->speed[1];
    v->spin           = w->spin[0], v->spin_next = w->spin[1];
    v->wet            = w->wet;
    v->coordination   = w->coordination;
    v->overlap        = w->overlap;
    v->elastic        = w->elastic;
    v->block_speed2   = s->block_speed2;
    v->block_push     = s->block_push;
}

#define SWAP(a) do { void* swap_ = (a)[0]; (a)[0] = (a)[1]; (a)[1] = swap_; } while (0)

static void swap_work(grains* s) {
    SWAP(s->work.place);
    SWAP(s->work.fine);
    SWAP(s->work.speed);
    SWAP(s->work.spin);
    point_at_work(s);
}

// Grains are born as small as the lattice needs and grow into their own size where there is room for it, slowly against any
// impact; who is pressed harder than this share of the diameter waits.
static const float room_to_grow = 0.002f;

typedef struct loading {
    grains* s;
    float   growth; // m in this step
    shoal_v3 *position, *fine, *velocity, *spin;
    float *  radius, *mass, *overlap, *wetness;
    int32_t *id, *first, *kept, *water;
    uint8_t *material, *state;
} loading;

static loading loading_of(grains* s, double dt) {
    const shoal_set* set = s->ctx->particles;
    double rate = (double)s->params.spread * s->design.radius / (200.0 * s->design.contact_time);
    return (loading){s, (float)(rate * dt), shoal_set_data(set, "position"), shoal_set_data(set, "fine"),
                     shoal_set_data(set, "velocity"), shoal_set_data(set, "spin"), shoal_set_data(set, "radius"),
                     shoal_set_data(set, "mass"), shoal_set_data(set, "overlap"), shoal_set_data(set, "wetness"), shoal_set_data(set, "id"),
                     shoal_set_data(set, "contact_first"), shoal_set_data(set, "contact_count"), shoal_set_data(set, "water"),
                     shoal_set_data(set, "material"), shoal_set_data(set, "state")};
}

static void show_wetness(const loading* l, int i) {
    const grains* s = l->s;
    float         w = grains_wetness(l->water[i]), solid;
    solid           = (float)grains_mass(&s->ctx->description->materials[l->material[i]],
                                         (double)grains_radius(s->ctx->description, &s->params, l->id[i]));
    l->wetness[i]   = w;
    l->state[i]     = (uint8_t)(l->water[i] == 0 ? 0 : w <= s->params.wet_threshold ? 1 : 2);
    l->mass[i]      = solid + w * (float)grains_water_mass(s->ctx->description);
}

// Those who have come since the last step get their size and water; the water of those who have gone is written off.
static void welcome(const loading* l) {
    grains* s     = l->s;
    int     count = s->ctx->particles->count;
    for (int i = 0; i < count; i++) {
        if (l->radius[i] > 0.0f) continue;
        l->radius[i] = fminf(grains_radius(s->ctx->description, &s->params, l->id[i]), (float)s->design.radius);
        l->water[i]  = (int32_t)((double)s->ctx->description->materials[l->material[i]].wetness * GRAINS_QUANTA);
        s->books.emitted += l->water[i];
        s->books.present += l->water[i];
    }
    int64_t now = grains_water_total(s, l->water, count);
    s->books.removed += s->books.present - now;
    s->books.present = now;
}

static void load_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const loading*     l     = ctx;
    const shoal_world*   world = l->s->ctx->world;
    const grains_params* p     = &l->s->params;
    grains_work*         to    = &l->s->work;
    for (int i = begin; i < end; i++) {
        float target = grains_radius(l->s->ctx->description, &l->s->params, l->id[i]), w = grains_wetness(l->water[i]);
        if (l->radius[i] < target && l->overlap[i] <= room_to_grow * (float)l->s->ctx->description->spacing)
            l->radius[i] = fminf(l->radius[i] + l->growth, target);
        show_wetness(l, i);
        shoal_v3 x = shoal_world_wrap(world, l->position[i]), f = l->fine[i], u = l->velocity[i], q = l->spin[i];
        float mu        = grains_wet_friction(p, friction_of(l->s, l->material[i]), w);
        to->place[0][i] = (shoal_v4){x.x, x.y, x.z, grains_wet_radius(p, l->radius[i], w)};
        to->fine[0][i]  = (shoal_v4){f.x, f.y, f.z, mu};
        to->speed[0][i] = (shoal_v4){u.x, u.y, u.z, sqrtf(l->mass[i])};
        to->spin[0][i]  = (shoal_v4){q.x, q.y, q.z, 0.0f};
        to->wet[i]      = grains_wet_lanes(p, w);
        to->own[i]      = i;
        to->id[i]       = l->id[i];
        to->water[i]    = l->water[i];
        to->first[i]    = l->first[i];
        to->kept[i]     = l->kept[i];
    }
}

static void store_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const loading*     l = ctx;
    const grains_work* w = &l->s->work;
    const shoal_set*   set          = l->s->ctx->particles;
    float *            coordination = shoal_set_data(set, "coordination"), *elastic = shoal_set_data(set, "elastic");
    for (int k = begin; k < end; k++) {
        int i           = w->own[k];
        l->position[i]  = grains_xyz(w->place[0][k]);
        l->fine[i]      = grains_xyz(w->fine[0][k]);
        l->velocity[i]  = grains_xyz(w->speed[0][k]);
        l->spin[i]      = grains_xyz(w->spin[0][k]);
        l->first[i]     = w->first[k];
        l->kept[i]      = w->kept[k];
        l->water[i]     = w->water[k];
        show_wetness(l, i);
        coordination[i] = w->coordination[k];
        l->overlap[i]   = w->overlap[k];
        elastic[i]      = w->elastic[k];
    }
}

// ---------------------------------------------------------------------------------- pieces of the step

static void stage(grains* s, int which) {
    double now = shoal_seconds();
    s->ctx->stage_seconds[which] += now - s->stage_began;
    s->stage_began = now;
}

static shoal_status reserve_blocks(grains* s) {
    int blocks = s->view.count / GRAINS_BLOCK + 1;
    if (blocks > s->block_room) {
        size_t room   = (size_t)blocks + (size_t)blocks / 4, colliders = (size_t)s->ctx->world->collider_count;
        s->block_room = 0;
        SHOAL_TRY(shoal_realloc((void**)&s->block_speed2, 0, room, sizeof(double)));
        SHOAL_TRY(shoal_realloc((void**)&s->block_push, 0, room * 3 * colliders + 1, sizeof(double)));
        s->block_room = (int)room;
    }
    memset(s->block_push, 0, (size_t)blocks * 3 * (size_t)s->ctx->world->collider_count * sizeof(double));
    return SHOAL_OK;
}

static void share(grains* s) {
    shoal_halo_fill(&s->halo, s->work.place[0], s->view.count, true);
    shoal_halo_fill(&s->halo, s->work.fine[0], s->view.count, false);
    shoal_halo_fill(&s->halo, s->work.speed[0], s->view.count, false);
    shoal_halo_fill(&s->halo, s->work.spin[0], s->view.count, false);
    if (s->view.is_wet) shoal_halo_fill(&s->halo, s->work.wet, s->view.count, false);
}

// Images across periodic walls, and nobody, who fills up the lists and touches no one.
static shoal_status find_images(grains* s, const shoal_cells_frame* frame) {
    int count     = s->view.count;
    s->halo.count = 0;
    if (shoal_halo_is_needed(s->ctx->world))
        SHOAL_TRY(shoal_halo_build(&s->halo, &s->ctx->exec, s->ctx->world, frame, s->work.place[0], count, frame->size));
    SHOAL_TRY(grains_work_reserve(&s->work, count + s->halo.count + 1));
    point_at_work(s);
    share(s);
    for (int k = 0; k < s->halo.count; k++) s->work.id[count + k] = s->work.id[s->halo.images[k].source];
    int nobody = s->view.nobody = count + s->halo.count;
    for (int k = 0; k < 2; k++) {
        s->work.place[k][nobody] = (shoal_v4){SHOAL_NOWHERE, SHOAL_NOWHERE, SHOAL_NOWHERE, 0.0f};
        s->work.fine[k][nobody] = s->work.speed[k][nobody] = s->work.spin[k][nobody] = (shoal_v4){0.0f, 0.0f, 0.0f, 0.0f};
    }
    s->work.wet[nobody] = (shoal_v4){0.0f, 0.0f, 0.0f, 0.0f};
    return SHOAL_OK;
}

static void choose_skin(grains* s, double fastest) {
    float d = (float)s->ctx->description->spacing;
    s->skin = fminf(fmaxf(2.0f * (float)fastest * s->view.dt * list_life, skin_least * d), skin_most * d);
}

static float cell_size(const grains* s) {
    float gap = s->design.is_wet ? s->params.bridge_reach * (float)s->design.radius : 0.0f;
    return (float)(2.0 * s->design.radius * (1.0 + (double)s->params.spread)) + s->skin + gap;
}

static double speed2_of(void* ctx, int begin, int end) {
    const shoal_v3* velocity = ctx;
    double          most     = 0.0;
    for (int i = begin; i < end; i++) most = fmax(most, (double)shoal_v3_dot(velocity[i], velocity[i]));
    return most;
}

// The set in the order of cells, then the work arrays from it.
static shoal_status begin_step(grains* s, double dt) {
    shoal_set*        set = s->ctx->particles;
    shoal_cells_frame frame;
    loading arrivals = loading_of(s, dt);
    welcome(&arrivals);
    SHOAL_TRY(grains_work_reserve(&s->work, set->count + 1));
    SHOAL_TRY(reserve_blocks(s));
    point_at_work(s);
    const shoal_v3* position = shoal_set_data(set, "position");
    for (int i = 0; i < set->count; i++) {
        shoal_v3 x           = shoal_world_wrap(s->ctx->world, position[i]);
        s->work.place[0][i] = (shoal_v4){x.x, x.y, x.z, 0.0f};
    }
    choose_skin(s, sqrt(fmax(shoal_max(&s->ctx->exec, set->count, speed2_of, shoal_set_data(set, "velocity")), 0.0)));
    SHOAL_TRY(shoal_cells_frame_make(&s->ctx->exec, s->work.place[0], set->count, cell_size(s), &frame));
    SHOAL_TRY(shoal_cells_sort(&s->cells, &s->ctx->exec, &frame, s->work.place[0], set->count));
    shoal_set_permute(set, &s->ctx->exec, s->cells.order);
    loading l = loading_of(s, dt);
    shoal_blocks(&s->ctx->exec, set->count, GRAINS_BLOCK, load_block, &l);
    stage(s, SHOAL_STAGE_GRID);
    SHOAL_TRY(find_images(s, &frame));
    SHOAL_TRY(grains_lists_build(s, &frame));
    stage(s, SHOAL_STAGE_NEIGHBOURS);
    return SHOAL_OK;
}

static double moved_of(void* ctx, int begin, int end) {
    const grains_work* w    = ctx;
    float              most = 0.0f;
    for (int i = begin; i < end; i++) {
        shoal_v4 a = w->place[0][i], b = w->home[i];
        float    dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
        most = fmaxf(most, dx * dx + dy * dy + dz * dz);
    }
    return (double)most;
}

// Whether someone may have used up the skin. The way of the fastest is a bound that costs nothing; what shivers in its place
// has not gone far, so beyond the bound all are asked.
static bool is_worn(grains* s) {
    if (2.0f * s->moved <= s->skin) return false;
    s->moved = (float)sqrt(fmax(shoal_max(&s->ctx->exec, s->view.count, moved_of, &s->work), 0.0));
    return 2.2f * s->moved > s->skin;
}

static void resort_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*      s = ctx;
    grains_work* w = &s->work;
    for (int k = begin; k < end; k++) {
        int i          = s->cells.order[k];
        w->place[1][k] = w->place[0][i];
        w->fine[1][k]  = w->fine[0][i];
        w->speed[1][k] = w->speed[0][i];
        w->spin[1][k]  = w->spin[0][i];
        w->home[k]     = w->wet[i];
    }
}

// The same within a step: only the work arrays are sorted, since the set's own sort must stay to be undone.
static shoal_status resort(grains* s, double fastest) {
    grains_work*      w = &s->work;
    shoal_cells_frame frame;
    int               count = s->view.count;
    SHOAL_TRY(grains_lists_keep(s));
    choose_skin(s, fastest);
    SHOAL_TRY(shoal_cells_frame_make(&s->ctx->exec, w->place[0], count, cell_size(s), &frame));
    SHOAL_TRY(shoal_cells_sort(&s->cells, &s->ctx->exec, &frame, w->place[0], count));
    shoal_blocks(&s->ctx->exec, count, GRAINS_BLOCK, resort_block, s);
    int32_t*  arrays[] = {w->own, w->id, w->first, w->kept, w->water};
    shoal_v4* wet      = w->wet; // its sorted copy lies where the places at home will be
    w->wet             = w->home;
    w->home            = wet;
    for (int a = 0; a < 5; a++) {
        for (int k = 0; k < count; k++) w->own_spare[k] = arrays[a][s->cells.order[k]];
        memcpy(arrays[a], w->own_spare, (size_t)count * sizeof(int32_t));
    }
    swap_work(s);
    stage(s, SHOAL_STAGE_GRID);
    SHOAL_TRY(find_images(s, &frame));
    SHOAL_TRY(grains_lists_build(s, &frame));
    stage(s, SHOAL_STAGE_NEIGHBOURS);
    return SHOAL_OK;
}

typedef struct looping {
    const grains_view* view;
    grains_loop        loop;
} looping;

static void loop_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    looping* l = ctx;
    l->loop(l->view, begin, end);
}

static double fastest_of(const grains* s) {
    double most = 0.0;
    for (int b = 0; b * GRAINS_BLOCK < s->view.count; b++)
        if (!(s->block_speed2[b] <= most)) most = s->block_speed2[b];
    return sqrt(most);
}

static void count_pushes(grains* s, double dt) {
    for (int b = 0; b * GRAINS_BLOCK < s->view.count; b++)
        for (int c = 0; c < 3 * s->view.world->collider_count; c++)
            s->ctx->ledger[c % 3] += s->block_push[b * 3 * s->view.world->collider_count + c];
    s->ctx->ledger[3] += dt;
}

// ---------------------------------------------------------------------------------- the step

static shoal_status grains_step(void* self, double dt) {
    grains* s      = self;
    double  steps  = fmax(ceil(dt / s->design.dt - 1e-6), 1.0);
    s->stage_began = shoal_seconds();
    set_view(s, dt / steps);
    s->view.ahead = dt;
    SHOAL_TRY(begin_step(s, dt));

    looping l       = {&s->view, grains_loop_for(s->ctx->isa)};
    double  fastest = 0.0;
    for (int k = 0; k < (int)steps; k++) {
        if (is_worn(s)) SHOAL_TRY(resort(s, fastest));
        s->view.ahead = dt * (1.0 - k / steps);
        shoal_blocks(&s->ctx->exec, s->view.count, GRAINS_BLOCK, loop_block, &l);
        swap_work(s);
        share(s);
        fastest = fastest_of(s);
        if (!isfinite(fastest)) return shoal_fail(SHOAL_ERR_DIVERGE, "a grain's speed stopped being finite");
        s->moved += (float)fastest * s->view.dt;
    }
    s->view.ahead = 0.0;
    stage(s, SHOAL_STAGE_SOLVE);

    looping gauge = {&s->view, grains_gauge};
    shoal_blocks(&s->ctx->exec, s->view.count, GRAINS_BLOCK, loop_block, &gauge);
    SHOAL_TRY(grains_lists_keep(s));
    if (s->design.is_wet) SHOAL_TRY(grains_wet_step(s, dt));
    s->books.present = grains_water_total(s, s->work.water, s->view.count);
    loading back = loading_of(s, dt);
    shoal_blocks(&s->ctx->exec, s->view.count, GRAINS_BLOCK, store_block, &back);
    count_pushes(s, dt);
    s->dem_steps += (int64_t)steps;
    stage(s, SHOAL_STAGE_VELOCITY);
    return SHOAL_OK;
}

// Sizes and masses, for frame 0.
static shoal_status grains_begin(void* self) {
    grains* s = self;
    loading l = loading_of(s, 0.0);
    welcome(&l);
    for (int i = 0; i < s->ctx->particles->count; i++) show_wetness(&l, i);
    return SHOAL_OK;
}

static double grains_next_dt(void* self, double interval, double left) {
    const grains* s = self;
    (void)left;
    return fmin(interval, SUBSTEPS_MOST * s->design.dt);
}

// ---------------------------------------------------------------------------------- state beyond the fields

typedef struct kept_head {
    int64_t      dem_steps, contacts;
    grains_books books;
} kept_head;

static size_t grains_kept_size(const void* self) {
    const grains* s = self;
    return sizeof(kept_head) + s->kept_count * sizeof *s->kept;
}

static void grains_keep(const void* self, void* to) {
    const grains* s    = self;
    kept_head     head = {s->dem_steps, (int64_t)s->kept_count, s->books};
    memcpy(to, &head, sizeof head);
    if (s->kept_count > 0) memcpy((char*)to + sizeof head, s->kept, s->kept_count * sizeof *s->kept);
}

static shoal_status grains_recall(void* self, const void* from, size_t size) {
    grains*   s = self;
    kept_head head;
    if (size < sizeof head) return shoal_fail(SHOAL_ERR_INPUT, "the saved contacts are cut short");
    memcpy(&head, from, sizeof head);
    size_t room = (size - sizeof head) / sizeof *s->kept;
    if (head.contacts < 0 || head.dem_steps < 0 || (size_t)head.contacts != room || size != sizeof head + room * sizeof *s->kept)
        return shoal_fail(SHOAL_ERR_INPUT, "the saved contacts are cut short or too long");
    const char* bytes = (const char*)from + sizeof head;
    for (size_t k = 0; k < room; k++) {
        grains_kept kept;
        memcpy(&kept, bytes + k * sizeof kept, sizeof kept);
        for (int axis = 0; axis < 3; axis++)
            if (!isfinite(kept.slide[axis]) || !isfinite(kept.roll[axis]))
                return shoal_fail(SHOAL_ERR_INPUT, "a saved contact has a spring that is not a number");
    }
    if (room > s->kept_room) {
        s->kept_room = 0;
        SHOAL_TRY(shoal_realloc((void**)&s->kept, 0, room, sizeof *s->kept));
        s->kept_room = room;
    }
    if (room > 0) memcpy(s->kept, bytes, room * sizeof *s->kept);
    s->kept_count = room;
    s->dem_steps  = head.dem_steps;
    s->books      = head.books;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the type

static double grains_support(const void* params, double spacing) {
    const grains_params* p = params;
    return spacing * (1.0 + (double)p->spread + (double)skin_most + 0.5 * (double)p->bridge_reach);
}

// Work arrays twice, cells, lists of one and a half groups, kept contacts.
static size_t grains_extra_bytes(const void* params) {
    (void)params;
    return 8 * 16 + 8 * 4 + 36 + 64 + 3 * SHOAL_LANES / 2 * 28 + 7 * sizeof(grains_kept);
}

static bool grains_doubts(const shoal_description* description, char* room, size_t size) {
    grains_design d = grains_design_make(description, description->solver_params);
    if (d.overlap_rest <= 0.05 && d.overlap_impact <= 0.2) return false;
    snprintf(room, size, "grains will overlap by about %.2g %% of their diameter at rest and %.2g %% at impacts of %.3g m/s; a "
             "smaller softness or max_overlap makes them stiffer",
             100.0 * d.overlap_rest, 100.0 * d.overlap_impact, d.impact);
    return true;
}

static void grains_notes(const shoal_description* description, char* room, size_t size) {
    grains_design d = grains_design_make(description, description->solver_params);
    snprintf(room, size,
             "stiffness %.3g N/m, contacts of %.3g s, %.0f substeps of %.3g s per frame; overlap %.2g %% of the diameter at rest, "
             "%.2g %% at impacts of %.3g m/s",
             d.stiffness, d.contact_time, ceil(1.0 / description->fps / d.dt), d.dt, 100.0 * d.overlap_rest,
             100.0 * d.overlap_impact, d.impact);
}

static void grains_set_params(void* self, const void* params) {
    grains* s = self;
    s->params = *(const grains_params*)params;
    s->design = grains_design_make(s->ctx->description, &s->params);
    design_solids(s);
}

static void grains_destroy(void* self) {
    grains* s = self;
    if (!s) return;
    grains_work_free(&s->work);
    grains_lists_free(&s->lists);
    shoal_near_free(&s->near);
    shoal_halo_free(&s->halo);
    shoal_cells_free(&s->cells);
    shoal_free(s->kept);
    shoal_free(s->block_speed2);
    shoal_free(s->block_push);
    shoal_free(s->solids);
    shoal_free(s);
}

static shoal_status grains_create(shoal_sim_context* ctx, const void* params, void** self) {
    grains* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->ctx    = ctx;
    s->solids = shoal_alloc((size_t)(GRAINS_WALLS + ctx->world->collider_count), sizeof *s->solids);
    if (!s->solids) {
        shoal_free(s);
        return SHOAL_ERR_MEMORY;
    }
    grains_set_params(s, params);
    *self = s;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- columns

typedef struct reading {
    const float *   value, *mass, *radius;
    const shoal_v3* spin;
} reading;

static double value_sum(void* ctx, int begin, int end) {
    const reading* r   = ctx;
    double         sum = 0.0;
    for (int i = begin; i < end; i++) sum += (double)r->value[i];
    return sum;
}

static double value_max(void* ctx, int begin, int end) {
    const reading* r    = ctx;
    double         most = 0.0;
    for (int i = begin; i < end; i++) most = fmax(most, (double)r->value[i]);
    return most;
}

static double turning_sum(void* ctx, int begin, int end) {
    const reading* r   = ctx;
    double         sum = 0.0;
    for (int i = begin; i < end; i++)
        sum += 0.2 * (double)(r->mass[i] * r->radius[i] * r->radius[i]) * (double)shoal_v3_dot(r->spin[i], r->spin[i]);
    return sum;
}

static void grains_report(const void* self, double* stats) {
    const grains*     s    = self;
    const shoal_set*  set  = s->ctx->particles;
    const shoal_exec* exec = &s->ctx->exec;
    reading r = {shoal_set_data(set, "coordination"), shoal_set_data(set, "mass"), shoal_set_data(set, "radius"),
                 shoal_set_data(set, "spin")};
    stats[0]  = (double)s->dem_steps;
    stats[1]  = set->count > 0 ? shoal_sum(exec, set->count, value_sum, &r) / set->count : 0.0;
    r.value   = shoal_set_data(set, "overlap");
    stats[2]  = 100.0 * fmax(shoal_max(exec, set->count, value_max, &r), 0.0) / s->ctx->description->spacing;
    r.value   = shoal_set_data(set, "elastic");
    stats[3]  = shoal_sum(exec, set->count, value_sum, &r);
    stats[4]  = shoal_sum(exec, set->count, turning_sum, &r);
    const uint8_t* state = shoal_set_data(set, "state");
    double         counts[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < set->count; i++) counts[state[i] < 3 ? state[i] : 2] += 1.0;
    int64_t present = grains_water_total(s, shoal_set_data(set, "water"), set->count);
    // what left since the last step is written off by the next one
    int64_t gone    = s->books.removed + (s->books.present - present);
    for (int k = 0; k < 3; k++) stats[8 + k] = counts[k];
    stats[11] = (double)(present + s->books.evaporated + gone - s->books.emitted);
    stats[12] = (double)present;
    stats[13] = (double)s->books.evaporated;
    stats[14] = (double)gone;
    stats[15] = (double)s->books.emitted;
    for (int axis = 0; axis < 3; axis++)
        stats[5 + axis] = s->ctx->ledger[3] > 0.0 ? s->ctx->ledger[axis] / s->ctx->ledger[3] : 0.0;
}

static double grains_neighbours(const void* self) {
    const grains* s = self;
    int           n = s->cells.item_count;
    double        sum = 0.0;
    for (int i = 0; i < n && s->lists.count; i++) sum += s->lists.count[i];
    return n > 0 ? sum / n : 0.0;
}

static const shoal_field_def fields[]     = {GRAINS_FIELDS(SHOAL_FIELD_ROW){0}};
static const char* const     stat_names[] = {"dem_steps",   "contacts",        "overlap_max_pct",
                                             "elastic_j",   "rotation_j",      "obstacle_force_x_n",
                                             "obstacle_force_y_n", "obstacle_force_z_n", "dry", "wet", "overwet",
                                             "water_balance", "water_in_grains", "water_evaporated", "water_removed",
                                             "water_emitted", NULL};

const shoal_solver_type grains_type = {
    .name           = "grains",
    .summary        = "Grains of sand with static friction, rolling resistance and wetness (Rungjiratananon et al. 2008)",
    .material_kinds = 1u << SHOAL_GRANULAR,
    .params         = grains_params_table,
    .params_size    = sizeof(grains_params),
    .fields         = fields,
    .stats          = stat_names,
    .support        = grains_support,
    .extra_bytes    = grains_extra_bytes,
    .doubts         = grains_doubts,
    .notes          = grains_notes,
    .create         = grains_create,
    .destroy        = grains_destroy,
    .begin          = grains_begin,
    .set_params     = grains_set_params,
    .next_dt        = grains_next_dt,
    .step           = grains_step,
    .report         = grains_report,
    .neighbours     = grains_neighbours,
    .kept_size      = grains_kept_size,
    .keep           = grains_keep,
    .recall         = grains_recall,
};
