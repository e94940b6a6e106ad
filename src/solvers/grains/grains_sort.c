// SPDX-License-Identifier: MIT
// The order of the cells, images across periodic walls, and how long lists live: at the start of a step the set is
// sorted, within it only the working arrays.
#include "solvers/grains/grains_local.h"

// Lists live about so many substeps when the fastest grain decides; margins in diameters. Making them costs as much as
// some 15 substeps, and each twentieth of a diameter of margin one more partner to look at, a tenth of a substep.
static const float list_life = 40.0f, margin_least = 0.06f, margin_most = GRAINS_MARGIN_MOST;

static void point_at_work(grains* s) {
    grains_work* w = &s->all.work;
    grains_view* v = &s->all.view;
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
    SWAP(s->all.work.place);
    SWAP(s->all.work.fine);
    SWAP(s->all.work.speed);
    SWAP(s->all.work.spin);
    point_at_work(s);
}
static shoal_status reserve_blocks(grains* s) {
    shoal_device* device = s->ctx->exec.device;
    int           blocks = s->all.view.count / GRAINS_BLOCK + 1;
    size_t        each   = 3 * (size_t)s->ctx->world->collider_count;
    if (blocks > s->block_capacity) {
        size_t capacity   = (size_t)blocks + (size_t)blocks / 4;
        s->block_capacity = 0;
        SHOAL_TRY(shoal_far_realloc(device, (void**)&s->block_speed2, 0, capacity, sizeof(double)));
        SHOAL_TRY(shoal_far_realloc(device, (void**)&s->block_push, 0, capacity * each + 1, sizeof(double)));
        if (device) SHOAL_TRY(shoal_realloc((void**)&s->pushed, 0, capacity * each + 1, sizeof(double)));
        s->block_capacity = (int)capacity;
    }
    grains_clear(&s->ctx->exec, s->block_push, (size_t)blocks * each * sizeof(double));
    return SHOAL_OK;
}

void grains_fill_halo(grains* s) {
    int count = s->all.view.count;
    SHOAL_FILL_HALO(&s->halo, count, SHOAL_SHOW_FINE(s->all.work.place[0], s->all.work.fine[0]),
                    SHOAL_SHOW(s->all.work.speed[0], VECTOR), SHOAL_SHOW(s->all.work.spin[0], VECTOR));
    if (s->all.view.is_wet) SHOAL_FILL_HALO(&s->halo, count, SHOAL_SHOW(s->all.work.wet, VECTOR));
}

// Images across periodic walls, and "nobody".
static shoal_status find_images(grains* s, const shoal_cells_frame* frame) {
    const shoal_solids solids = {.world = s->ctx->world, .kind = SHOAL_GRANULAR};
    const shoal_exec*  exec   = &s->ctx->exec;
    int                count  = s->all.view.count;
    s->halo.count             = 0;
    if (shoal_halo_is_needed(&solids))
        SHOAL_TRY(shoal_halo_build(&s->halo, exec, &solids, frame, s->all.work.place[0], count, frame->size));
    SHOAL_TRY(grains_work_reserve(&s->all.work, exec->device, count + s->halo.count + 1));
    s->all.images      = s->halo.images;
    s->all.view.nobody = count + s->halo.count;
    point_at_work(s);
    const grains_work* w = &s->all.work;
    for (int k = 0; k < 2; k++) // those that the next substep is written to have only "nobody" yet that counts
        SHOAL_LAY(&s->halo, exec, count, SHOAL_SHOW_FINE(w->place[k], w->fine[k]), SHOAL_SHOW(w->speed[k], VECTOR),
                  SHOAL_SHOW(w->spin[k], VECTOR));
    SHOAL_LAY(&s->halo, exec, count, SHOAL_SHOW(w->id, SAME), SHOAL_SHOW(w->wet, VECTOR));
    return SHOAL_OK;
}

static void choose_margin(grains* s, double fastest) {
    float d       = (float)s->ctx->description->spacing;
    s->all.margin = fminf(fmaxf(2.0f * (float)fastest * s->all.view.dt * list_life, margin_least * d), margin_most * d);
}

static float cell_size(const grains* s) {
    float gap = s->design.is_wet ? s->all.params.bridge_reach * (float)s->design.radius : 0.0f;
    return (float)(2.0 * s->design.radius * (1.0 + (double)s->all.params.spread)) + s->all.margin + gap;
}

static shoal_status sort_cells(grains* s, shoal_cells_frame* frame) {
    const shoal_exec* exec    = &s->ctx->exec;
    shoal_v4*         place   = s->all.work.place[0];
    int               count   = s->all.view.count;
    int               corners = grains_water_corners(s, place + count); // images are wanted where water is, too
    SHOAL_TRY(shoal_cells_frame_make(exec, place, count + corners, cell_size(s), frame));
    SHOAL_TRY(shoal_cells_sort(&s->cells, exec, frame, place, count));
    s->all.order = s->cells.order;
    return SHOAL_OK;
}

// The set in the order of cells, then the work arrays from it.
shoal_status grains_sort_set(grains* s, double dt) {
    shoal_set*        set  = s->ctx->particles;
    const shoal_exec* exec = &s->ctx->exec;
    shoal_cells_frame frame;
    SHOAL_TRY(grains_work_reserve(&s->all.work, exec->device, set->count + 2));
    SHOAL_TRY(reserve_blocks(s));
    point_at_work(s);
    double fastest = shoal_set_fastest(set, exec);
    if (s->water) fastest = fmax(fastest, shoal_set_fastest(s->water->set, exec));
    choose_margin(s, fastest);
    s->all.position = shoal_set_bind(set, exec, "position");
    grains_run_on(s, GRAINS_wrap, set->count);
    SHOAL_TRY(sort_cells(s, &frame));
    SHOAL_TRY(shoal_set_permute(set, exec, s->cells.order));
    grains_load_set(s, dt);
    shoal_stage(s->ctx, SHOAL_STAGE_GRID);
    SHOAL_TRY(find_images(s, &frame));
    SHOAL_TRY(grains_lists_build(s, &frame));
    shoal_stage(s->ctx, SHOAL_STAGE_NEIGHBOURS);
    return SHOAL_OK;
}

// Whether a grain may have used up the margin. The way of the fastest is a bound that costs nothing; what shivers in
// its place has not gone far, so beyond the bound all are asked.
bool grains_is_worn(grains* s) {
    if (2.0f * s->moved <= s->all.margin) return false;
    s->moved = (float)sqrt(fmax(grains_fold(s, GRAINS_moved_of, s->all.view.count), 0.0));
    return 2.2f * s->moved > s->all.margin;
}

// The same within a step: only the work arrays are sorted, since the set's own sort must stay to be undone.
shoal_status grains_sort_anew(grains* s, double fastest) {
    grains_work*      w = &s->all.work;
    shoal_cells_frame frame;
    int               count = s->all.view.count;
    shoal_stage(s->ctx, SHOAL_STAGE_SOLVE); // contacts until now
    SHOAL_TRY(grains_lists_keep(s));
    choose_margin(s, fastest);
    if (shoal_world_is_periodic(s->ctx->world)) grains_run_on(s, GRAINS_come_back, count);
    SHOAL_TRY(sort_cells(s, &frame));
    grains_run_on(s, GRAINS_resort, count);
    shoal_v4* outer          = w->outer;
    w->outer                 = w->outer_swap;
    w->outer_swap            = outer;
    shoal_v4* wet            = w->wet; // its sorted copy lies where the places at home will be
    w->wet                   = w->home;
    w->home                  = wet;
    int32_t** const arrays[] = {&w->own, &w->id, &w->first, &w->history, &w->water, &w->pending};
    for (int a = 0; a < 6; a++) {
        s->all.from = *arrays[a];
        s->all.to   = w->own_swap;
        grains_run_on(s, GRAINS_bring, count);
        w->own_swap = *arrays[a];
        *arrays[a]  = s->all.to;
    }
    grains_swap(s);
    shoal_stage(s->ctx, SHOAL_STAGE_GRID);
    SHOAL_TRY(find_images(s, &frame));
    SHOAL_TRY(grains_lists_build(s, &frame));
    shoal_stage(s->ctx, SHOAL_STAGE_NEIGHBOURS);
    return SHOAL_OK;
}
