// SPDX-License-Identifier: MIT
// Guests: those of the other set within reach of a set's own particles.
#include "solvers/porous/porous_meet.h"

enum { FILL_BLOCK = 4096 };

shoal_status porous_meet_make(porous_meet* meet, shoal_water* host, const shoal_water* home) {
    static const shoal_field_def fields[] = {POROUS_GUEST_FIELDS(SHOAL_FIELD_ROW){0}};
    static const shoal_set_def   guests   = {.name = "guests", .life = SHOAL_REBUILT, .fields = fields};
    double                       own = (double)host->liquids[0].density, other = (double)home->liquids[0].density;
    *meet = (porous_meet){.host = host, .home = home, .exchange = (float)(other / own)};
    return shoal_set_create(&guests, &meet->set);
}

void porous_meet_free(porous_meet* meet) {
    shoal_near_free(&meet->guests.near);
    shoal_cells_free(&meet->cells);
    shoal_set_destroy(meet->set);
    shoal_free(meet->guests.slopes);
    shoal_free(meet->place);
    shoal_free(meet->from);
    *meet = (porous_meet){0};
}

static shoal_status reserve(porous_meet* meet, int count) {
    if (count <= meet->capacity) return SHOAL_OK;
    size_t capacity = (size_t)count + (size_t)count / 4;
    meet->capacity  = 0;
    SHOAL_TRY(shoal_realloc((void**)&meet->place, 0, capacity, sizeof *meet->place));
    SHOAL_TRY(shoal_realloc((void**)&meet->from, 0, capacity, sizeof *meet->from));
    meet->capacity = (int)capacity;
    return SHOAL_OK;
}

static shoal_status reserve_slopes(porous_meet* meet) {
    size_t groups = meet->guests.near.group_capacity;
    if (groups <= meet->slope_capacity) return SHOAL_OK;
    meet->slope_capacity = 0;
    SHOAL_TRY(shoal_realloc((void**)&meet->guests.slopes, 0, groups, 3 * SHOAL_LANES * sizeof *meet->guests.slopes));
    meet->slope_capacity = groups;
    return SHOAL_OK;
}

// Those in the box of the host's cells, in the order of these.
static shoal_status sort(porous_meet* meet) {
    const shoal_water* home = meet->home;
    int                all = home->view.count + home->halo.count, count = 0;
    SHOAL_TRY(reserve(meet, all));
    for (int k = 0; k < all && meet->host->view.count > 0; k++) {
        if (!shoal_cells_frame_holds(&meet->host->frame, home->view.place[k])) continue;
        meet->place[count]  = home->view.place[k];
        meet->from[count++] = k;
    }
    SHOAL_TRY(shoal_cells_sort(&meet->cells, &meet->host->ctx->exec, &meet->host->frame, meet->place, count));
    return shoal_set_rebuild(meet->set, count);
}

// Where the k-th guest stands at home; of an image, its original.
static int at_home(const porous_meet* meet, int k) {
    int at = meet->from[meet->cells.order[k]], count = meet->home->view.count;
    return at < count ? at : meet->home->halo.images[at - count].source;
}

shoal_status porous_meet_gather(porous_meet* meet) {
    const shoal_water *host = meet->host, *home = meet->home;
    porous_guests*     v = &meet->guests;
    SHOAL_TRY(sort(meet));
    const shoal_set* set = meet->set;
    POROUS_GUEST_FIELDS(SHOAL_FIELD_BIND)
    v->are_there = set->count > 0, v->are_rock = false;
    if (!v->are_there) return SHOAL_OK;
    for (int k = 0; k < set->count; k++) {
        int                   at  = at_home(meet, k);
        const shoal_material* own = &host->ctx->description->materials[home->view.material[at]];
        v->source[k]              = at;
        v->open[k]                = meet->open ? meet->open[home->view.material[at]] : 0.0f;
        v->place[k]               = home->view.place[meet->from[meet->cells.order[k]]];
        v->place[k].w *= 1.0f - v->open[k];
        v->rock[k]     = v->open[k] > 0.0f ? 1.0f : 0.0f;
        v->interior[k] = meet->interior ? meet->interior[at] : 0.0f;
        v->are_rock |= v->open[k] > 0.0f;
        v->drawn[k] = porous_drawn(&home->view, at);
        v->light[k] = (float)((double)host->liquids[0].density / (double)own->density);
    }
    v->place[set->count]  = (shoal_v4){SHOAL_NOWHERE, SHOAL_NOWHERE, SHOAL_NOWHERE, 0.0f}; // "nobody", fills up lists
    v->motion[set->count] = (shoal_v4){0.0f, 0.0f, 0.0f, 0.0f};
    v->kappa[set->count] = v->rock_kappa[set->count] = v->light[set->count] = v->rock[set->count] = 0.0f;
    porous_meet_move(meet);
    SHOAL_TRY(shoal_near_build_between(&v->near, &host->ctx->exec, host->ctx->isa, &host->cells, host->view.place,
                                       &meet->cells, v->place, host->view.h));
    return reserve_slopes(meet);
}

static void pressure_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    porous_meet* meet = ctx;
    for (int k = begin; k < end; k++) {
        const float* kappa    = meet->guests.open[k] > 0.0f ? meet->water_kappa : meet->home->view.kappa;
        int          at       = meet->guests.source[k];
        meet->guests.kappa[k] = meet->exchange * kappa[at];
        if (meet->rim) meet->guests.rock_kappa[k] = porous_rock_kappa(meet->rim[at], meet->guests.kappa[k]);
    }
}

static void move_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    porous_meet* meet = ctx;
    for (int k = begin; k < end; k++)
        meet->guests.motion[k] = meet->home->view.motion[meet->from[meet->cells.order[k]]];
}

void porous_meet_update_pressure(porous_meet* meet) {
    shoal_blocks(&meet->host->ctx->exec, meet->set->count, FILL_BLOCK, pressure_block, meet);
}
void porous_meet_move(porous_meet* meet) {
    shoal_blocks(&meet->host->ctx->exec, meet->set->count, FILL_BLOCK, move_block, meet);
}
