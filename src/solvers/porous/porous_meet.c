// SPDX-License-Identifier: MIT
// Guests: those of the other set within reach of a set's own particles.
#include "solvers/porous/porous_meet.h"

enum { FILL_BLOCK = 4096 };

shoal_status porous_meet_make(porous_meet* meet, shoal_water* host, const shoal_water* home) {
    const shoal_description* description = host->ctx->description;
    double                   own = (double)host->liquids[0].density, other = (double)home->liquids[0].density;
    *meet       = (porous_meet){.host = host, .home = home, .exchange = (float)(other / own)};
    meet->light = shoal_alloc((size_t)description->material_count, sizeof *meet->light);
    if (!meet->light) return SHOAL_ERR_MEMORY;
    for (int m = 0; m < description->material_count; m++)
        meet->light[m] = (float)(own / (double)description->materials[m].density);
    return SHOAL_OK;
}

void porous_meet_free(porous_meet* meet) {
    shoal_near_free(&meet->guests.near);
    shoal_cells_free(&meet->cells);
    shoal_free(meet->place);
    shoal_free(meet->from);
    shoal_free(meet->light);
    *meet = (porous_meet){0};
}

static shoal_status reserve(porous_meet* meet, int count) {
    if (count <= meet->room) return SHOAL_OK;
    size_t room = (size_t)count + (size_t)count / 4;
    meet->room  = 0;
    SHOAL_TRY(shoal_realloc((void**)&meet->place, 0, room, sizeof *meet->place));
    SHOAL_TRY(shoal_realloc((void**)&meet->from, 0, room, sizeof *meet->from));
    meet->room = (int)room;
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
    meet->count = count;
    return shoal_cells_sort(&meet->cells, &meet->host->ctx->exec, &meet->host->frame, meet->place, count);
}

shoal_status porous_meet_gather(porous_meet* meet, double dt) {
    shoal_water*      host   = meet->host;
    const shoal_exec* exec   = &host->ctx->exec;
    int               nobody = host->view.count + host->halo.count;
    SHOAL_TRY(sort(meet));
    meet->first            = nobody + 1 + host->shore_cells.item_count;
    meet->guests.are_there = meet->count > 0;
    meet->guests.light     = meet->light;
    if (meet->count == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_set_reserve(host->set, meet->first + meet->count));
    shoal_water_bind(host, dt, SHOAL_WATER_PCISPH); // the arrays may have moved
    for (int k = 0; k < meet->count; k++) {
        int at = meet->from[meet->cells.order[k]], source = at;
        if (at >= meet->home->view.count) source = meet->home->halo.images[at - meet->home->view.count].source;
        host->view.place[meet->first + k]    = meet->home->view.place[at];
        host->view.material[meet->first + k] = meet->home->view.material[source];
    }
    porous_meet_move(meet);
    return shoal_near_build_others(&meet->guests.near, exec, host->ctx->isa, &host->cells, &meet->cells, meet->first,
                                   host->view.place, nobody, host->view.h);
}

static void tell_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    porous_meet*            meet = ctx;
    const shoal_water_view* home = &meet->home->view;
    for (int k = begin; k < end; k++) {
        int at = meet->from[meet->cells.order[k]];
        if (at >= home->count) at = meet->home->halo.images[at - home->count].source;
        meet->host->view.told[meet->first + k] = meet->exchange * home->told[at];
    }
}

static void move_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    porous_meet* meet = ctx;
    for (int k = begin; k < end; k++)
        meet->host->view.motion[meet->first + k] = meet->home->view.motion[meet->from[meet->cells.order[k]]];
}

void porous_meet_tell(porous_meet* meet) {
    shoal_blocks(&meet->host->ctx->exec, meet->count, FILL_BLOCK, tell_block, meet);
}
void porous_meet_move(porous_meet* meet) {
    shoal_blocks(&meet->host->ctx->exec, meet->count, FILL_BLOCK, move_block, meet);
}
