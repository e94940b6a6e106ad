// SPDX-License-Identifier: MIT
// The order of the cells, images across periodic walls, and how long lists live: at the start of a step the set is
// sorted, within it only the working arrays.
#include "solvers/grains/grains_local.h"

#include <string.h>

#include "base/clock.h"

// Lists live about so many substeps when the fastest grain decides; skins in diameters. Making them costs as much as
// some 15 substeps, and each twentieth of a diameter of skin one more partner to look at, a tenth of a substep.
static const float list_life = 40.0f, skin_least = 0.06f, skin_most = GRAINS_SKIN_MOST;

void grains_stage(grains* s, int which) {
    double now = shoal_seconds();
    s->ctx->stage_seconds[which] += now - s->stage_began;
    s->stage_began = now;
}
static void point_at_work(grains* s) {
    grains_work* w = &s->work;
    grains_view* v = &s->view;
    v->place = w->place[0], v->place_next = w->place[1];
    v->fine = w->fine[0], v->fine_next = w->fine[1];
    v->speed = w->speed[0], v->speed_next = w->speed[1];
    v->spin = w->spin[0], v->spin_next = w->spin[1];
    v->wet          = w->wet;
    v->outer        = s->water ? w->outer : NULL;
    v->coordination = w->coordination;
    v->overlap      = w->overlap;
    v->elastic      = w->elastic;
    v->block_speed2 = s->block_speed2;
    v->block_push   = s->block_push;
}

#define SWAP(a)                                                                                                        \
    do {                                                                                                               \
        void* swap_ = (a)[0];                                                                                          \
        (a)[0]      = (a)[1];                                                                                          \
        (a)[1]      = swap_;                                                                                           \
    } while (0)

void grains_swap(grains* s) {
    SWAP(s->work.place);
    SWAP(s->work.fine);
    SWAP(s->work.speed);
    SWAP(s->work.spin);
    point_at_work(s);
}
static shoal_status reserve_blocks(grains* s) {
    int blocks = s->view.count / GRAINS_BLOCK + 1;
    if (blocks > s->block_room) {
        size_t room = (size_t)blocks + (size_t)blocks / 4, colliders = (size_t)s->ctx->world->collider_count;
        s->block_room = 0;
        SHOAL_TRY(shoal_realloc((void**)&s->block_speed2, 0, room, sizeof(double)));
        SHOAL_TRY(shoal_realloc((void**)&s->block_push, 0, room * 3 * colliders + 1, sizeof(double)));
        s->block_room = (int)room;
    }
    memset(s->block_push, 0, (size_t)blocks * 3 * (size_t)s->ctx->world->collider_count * sizeof(double));
    return SHOAL_OK;
}

// A place that is moved by a part of the period, in both of its floats: rounded to one, two partners across a periodic
// wall would differ on how deep they overlap.
static void move_place(shoal_v4* place, shoal_v4* fine, shoal_v3 by) {
    float *x = &place->x, *lo = &fine->x;
    for (int axis = 0; axis < 3; axis++) {
        double to = (double)x[axis] + (double)shoal_v3_axis(by, axis);
        x[axis]   = (float)to;
        lo[axis] += (float)(to - (double)x[axis]);
    }
}

void grains_share(grains* s) {
    int count = s->view.count;
    SHOAL_SHARE(&s->halo, count, SHOAL_SHOW(s->work.place[0], VECTOR), SHOAL_SHOW(s->work.fine[0], VECTOR),
                SHOAL_SHOW(s->work.speed[0], VECTOR), SHOAL_SHOW(s->work.spin[0], VECTOR));
    for (int k = 0; k < s->halo.count; k++)
        move_place(&s->work.place[0][count + k], &s->work.fine[0][count + k], s->halo.images[k].offset);
    if (s->view.is_wet) SHOAL_SHARE(&s->halo, count, SHOAL_SHOW(s->work.wet, VECTOR));
}

// Images across periodic walls, and nobody, who fills up the lists and touches no one.
static shoal_status find_images(grains* s, const shoal_cells_frame* frame) {
    const shoal_solids solids = {.world = s->ctx->world, .kind = SHOAL_GRANULAR};
    int                count  = s->view.count;
    s->halo.count             = 0;
    if (shoal_halo_is_needed(&solids))
        SHOAL_TRY(shoal_halo_build(&s->halo, &s->ctx->exec, &solids, frame, s->work.place[0], count, frame->size));
    SHOAL_TRY(grains_work_reserve(&s->work, count + s->halo.count + 1));
    point_at_work(s);
    grains_share(s);
    SHOAL_SHARE(&s->halo, count, SHOAL_SHOW(s->work.id, SAME));
    int nobody = s->view.nobody = count + s->halo.count;
    for (int k = 0; k < 2; k++) {
        s->work.place[k][nobody] = (shoal_v4){SHOAL_NOWHERE, SHOAL_NOWHERE, SHOAL_NOWHERE, 0.0f};
        s->work.fine[k][nobody] = s->work.speed[k][nobody] = s->work.spin[k][nobody] =
            (shoal_v4){0.0f, 0.0f, 0.0f, 0.0f};
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

static void wrap_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const grains*   s        = ctx;
    const shoal_v3* position = shoal_set_data(s->ctx->particles, "position");
    for (int i = begin; i < end; i++) {
        shoal_v3 x          = shoal_world_wrap(s->ctx->world, position[i]);
        s->work.place[0][i] = shoal_v4_make(x.x, x.y, x.z, 0.0f);
    }
}

// The set in the order of cells, then the work arrays from it.
shoal_status grains_sort_set(grains* s, double dt) {
    shoal_set*        set = s->ctx->particles;
    shoal_cells_frame frame;
    SHOAL_TRY(grains_work_reserve(&s->work, set->count + 2));
    SHOAL_TRY(reserve_blocks(s));
    point_at_work(s);
    shoal_blocks(&s->ctx->exec, set->count, GRAINS_BLOCK, wrap_block, s);
    double fastest = shoal_set_fastest(set, &s->ctx->exec);
    if (s->water) fastest = fmax(fastest, shoal_set_fastest(s->water->set, &s->ctx->exec));
    choose_skin(s, fastest);
    int corners = grains_water_corners(s, s->work.place[0] + set->count); // images are wanted where water is, too
    SHOAL_TRY(shoal_cells_frame_make(&s->ctx->exec, s->work.place[0], set->count + corners, cell_size(s), &frame));
    SHOAL_TRY(shoal_cells_sort(&s->cells, &s->ctx->exec, &frame, s->work.place[0], set->count));
    SHOAL_TRY(shoal_set_permute(set, &s->ctx->exec, s->cells.order));
    grains_load_set(s, dt);
    grains_stage(s, SHOAL_STAGE_GRID);
    SHOAL_TRY(find_images(s, &frame));
    SHOAL_TRY(grains_lists_build(s, &frame));
    grains_stage(s, SHOAL_STAGE_NEIGHBOURS);
    return SHOAL_OK;
}

SHOAL_FN double moved_of(const grains_work* w, int i) {
    shoal_v4 a = w->place[0][i], b = w->home[i];
    float    dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return (double)(dx * dx + dy * dy + dz * dz);
}
SHOAL_MAX_LOOP(most_moved, grains_work, moved_of)

// Whether someone may have used up the skin. The way of the fastest is a bound that costs nothing; what shivers in its
// place has not gone far, so beyond the bound all are asked.
bool grains_is_worn(grains* s) {
    if (2.0f * s->moved <= s->skin) return false;
    s->moved = (float)sqrt(fmax(shoal_max(&s->ctx->exec, s->view.count, most_moved, &s->work), 0.0));
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
        if (s->water) w->outer_spare[k] = w->outer[i];
    }
}

// Who has left across a periodic wall comes back on the other side: images are those of the domain, and one beyond it
// would lack partners who do not lack it.
static void come_back(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains* s = ctx;
    for (int i = begin; i < end; i++) {
        shoal_v3 x = grains_xyz(s->work.place[0][i]), home = shoal_world_wrap(s->ctx->world, x),
                 by = {0.0f, 0.0f, 0.0f};
        for (int axis = 0; axis < 3; axis++) {
            float way    = shoal_v3_axis(home, axis) - shoal_v3_axis(x, axis),
                  period = shoal_v3_axis(s->ctx->world->max, axis) - shoal_v3_axis(s->ctx->world->min, axis);
            if (way != 0.0f) shoal_v3_set_axis(&by, axis, period * roundf(way / period));
        }
        move_place(&s->work.place[0][i], &s->work.fine[0][i], by);
    }
}

// The same within a step: only the work arrays are sorted, since the set's own sort must stay to be undone.
shoal_status grains_resort(grains* s, double fastest) {
    grains_work*      w = &s->work;
    shoal_cells_frame frame;
    int               count = s->view.count;
    SHOAL_TRY(grains_lists_keep(s));
    choose_skin(s, fastest);
    if (shoal_world_is_periodic(s->ctx->world)) shoal_blocks(&s->ctx->exec, count, GRAINS_BLOCK, come_back, s);
    int corners = grains_water_corners(s, w->place[0] + count); // images are wanted where water is, too
    SHOAL_TRY(shoal_cells_frame_make(&s->ctx->exec, w->place[0], count + corners, cell_size(s), &frame));
    SHOAL_TRY(shoal_cells_sort(&s->cells, &s->ctx->exec, &frame, w->place[0], count));
    shoal_blocks(&s->ctx->exec, count, GRAINS_BLOCK, resort_block, s);
    int32_t*  arrays[] = {w->own, w->id, w->first, w->kept, w->water, w->pending};
    shoal_v4* outer    = w->outer;
    w->outer           = w->outer_spare;
    w->outer_spare     = outer;
    shoal_v4* wet      = w->wet; // its sorted copy lies where the places at home will be
    w->wet             = w->home;
    w->home            = wet;
    for (int a = 0; a < 6; a++) {
        for (int k = 0; k < count; k++) w->own_spare[k] = arrays[a][s->cells.order[k]];
        memcpy(arrays[a], w->own_spare, (size_t)count * sizeof(int32_t));
    }
    grains_swap(s);
    grains_stage(s, SHOAL_STAGE_GRID);
    SHOAL_TRY(find_images(s, &frame));
    SHOAL_TRY(grains_lists_build(s, &frame));
    grains_stage(s, SHOAL_STAGE_NEIGHBOURS);
    return SHOAL_OK;
}
