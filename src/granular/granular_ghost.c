// SPDX-License-Identifier: MIT
// Sand slides along the surface of a solid, not along the steps that its closed faces make. What a
// strain sees of a closed face is therefore no velocity of the solid but that of the sand around,
// without what would go into the solid: a body that slides as a whole has no strain, however the
// solid is tilted. It is linear in the faces around, and what stress would do to such a face it
// does to these, by the same weights: so no work is made there, and a smooth solid takes no
// momentum along itself.
#include "granular/granular_friction_local.h"
#include "mac/mac_solid.h"

#include <stdlib.h>
#include <string.h>

// Weights below do nothing: of a face that lies in the solid's surface.
static const float weight_least = 1e-3f;

// An edge counts as tilted when the normal has this much of both axes across it: their product.
static const double tilt_least = 0.03;

// Walls lie along the grid.
static bool has_tilt(const shoal_granular_friction* f, const shoal_mac* m, int block) {
    return f->is_active[block] && m->has_solid[block] == SHOAL_MAC_HAS_COLLIDER;
}

static bool is_sand(const shoal_mac* m, int at) { return at >= 0 && shoal_mac_has(m->liquid, at); }

static bool is_solid(const shoal_mac* m, int at) { return !is_sand(m, at) && m->fraction[at] < 0.5f; }

// The sample so many cells further along each axis; -1: there is none.
static int further(const shoal_mac* m, int at, const int by[3]) {
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; at >= 0 && k < abs(by[axis]); k++) at = shoal_mac_beside(m, at, axis, by[axis] > 0 ? 1 : -1);
    return at;
}

// An edge in the surface of a solid: sand on one side and nothing but the solid on the other.
static bool is_in_surface(const shoal_mac* m, int at, int a, int b) {
    int cells[4] = {at, shoal_mac_beside(m, at, a, -1), shoal_mac_beside(m, at, b, -1), -1}, sand = 0, solid = 0;
    if (cells[1] >= 0) cells[3] = shoal_mac_beside(m, cells[1], b, -1);
    for (int n = 0; n < 4; n++) {
        if (cells[n] < 0) return false;
        sand += is_sand(m, cells[n]);
        solid += is_solid(m, cells[n]);
    }
    return sand > 0 && sand < 3 && sand + solid == 4;
}

// Whether all sand around an edge is on one side of a thin solid: any two of its cells are, since
// in a channel a face at one wall may have the normal of one behind the other.
static bool has_one_side(const shoal_granular_friction* f, const shoal_mac* m, int at) {
    int sand[125], count = 0, by[3];
    for (int n = 0; n < 125; n++) {
        by[0] = n % 5 - 2, by[1] = n / 5 % 5 - 2, by[2] = n / 25 - 2;
        int cell = further(m, at, by);
        if (!is_sand(m, cell)) continue;
        for (int k = 0; k < count; k++)
            if (!granular_same_side(f, m, sand[k], cell)) return false;
        sand[count++] = cell;
    }
    return true;
}

// There the difference of the stresses along and across the surface is shear on the grid, which
// must go on to the surface itself: by a solid along the grid there is none.
static void lean_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r = ctx;
    shoal_granular_friction*     f = r->f;
    for (int e = 0; e < 3; e++) {
        int a = (e + 1) % 3, b = (e + 2) % 3;
        for (int z = 0; z < 8; z++) f->tilted_edges[e][8 * block + z] = 0;
        for (int s = 0; has_tilt(f, m, block) && s < SHOAL_MAC_SAMPLES; s++) {
            int         at = SHOAL_MAC_SAMPLES * block + s;
            shoal_touch touch;
            if (!is_in_surface(m, at, a, b)) continue;
            if (m->has_thin[block] && !has_one_side(f, m, at)) continue;
            shoal_d3 place =
                shoal_d3_from(shoal_mac_place(m, at, e == 0 ? 0.5f : 0.0f, e == 1 ? 0.5f : 0.0f, e == 2 ? 0.5f : 0.0f));
            if (!shoal_touch_at(r->world, m->kind, place, (double)m->def.dx, &touch)) continue;
            if (fabs(shoal_d3_axis(touch.normal, a) * shoal_d3_axis(touch.normal, b)) > tilt_least)
                f->tilted_edges[e][8 * block + (s >> 6)] |= (uint64_t)1 << (s & 63);
        }
    }
}

static bool is_lean(const shoal_granular_friction* f, const shoal_mac* m, int at, int axis) {
    for (int k = 1; k < 3; k++) {
        int along = (axis + k) % 3, next = shoal_mac_beside(m, at, along, 1);
        if (shoal_mac_has(f->tilted_edges[3 - axis - along], at) ||
            (next >= 0 && shoal_mac_has(f->tilted_edges[3 - axis - along], next)))
            return true;
    }
    return false;
}

// Closed faces that some strain sees. One with sand on both sides of a thin solid cannot follow
// both.
static bool is_ghost(const shoal_granular_friction* f, const shoal_mac* m, int at, int axis) {
    if (f->inverse_mass[axis][at] != 0.0f) return false;
    int below = shoal_mac_beside(m, at, axis, -1);
    if (is_sand(m, at) && is_sand(m, below)) return granular_same_side(f, m, at, below);
    return granular_sand_beside(m, at, axis) >= 0 || is_lean(f, m, at, axis);
}

// The faces that stress moves, along an axis, nearest to a face, by the sum of steps, all on one
// side of a thin solid; at most so many, so far.
enum { AROUND = 32, FARTHEST = 3 };
static int faces_around(const shoal_granular_friction* f, const shoal_mac* m, int at, int axis, int other,
                        int out[AROUND]) {
    int found = 0;
    int side  = granular_sand_beside(m, at, axis);
    for (int far = 0; found == 0 && far <= FARTHEST; far++)
        for (int z = -far; z <= far; z++)
            for (int y = abs(z) - far; y <= far - abs(z); y++)
                for (int way = 0, x = far - abs(z) - abs(y); way < (x > 0 ? 2 : 1); way++)
                    for (int n = 0; n < (axis == other ? 1 : 4); n++) {
                        int by[3] = {way ? -x : x, y, z};
                        by[axis] -= n & 1;
                        by[other] += n >> 1;
                        int face = further(m, at, by);
                        if (face < 0 || found == AROUND || f->inverse_mass[other][face] == 0.0f) continue;
                        int own = granular_sand_beside(m, face, other);
                        if (side < 0) side = own;
                        if (granular_same_side(f, m, side, own)) out[found++] = face;
                    }
    return found;
}

// What a closed face has of those around: how many links; 0: it has nothing, be it that one axis
// alone has none.
enum { LINKS = 3 * AROUND };
static int links_of(const granular_friction_job* r, const shoal_mac* m, int at, int axis, int ghost,
                    shoal_granular_ghost* self, shoal_granular_link to[LINKS]) {
    const shoal_granular_friction* f = r->f;
    double                         slide[3], rest;
    int                            count = 0;
    if (!shoal_touch_slide(r->world, shoal_d3_from(shoal_mac_face(m, at, axis)), (double)m->def.dx, axis, slide, &rest))
        return 0;
    for (int other = 0; other < 3; other++) {
        int   faces[AROUND], around;
        float sum = 0.0f;
        if (fabs(slide[other]) < (double)weight_least) continue;
        around = faces_around(f, m, at, axis, other, faces);
        if (around == 0) return 0;
        for (int n = 0; n < around; n++) sum += m->open[other][faces[n]];
        for (int n = 0; n < around; n++)
            to[count++] =
                (shoal_granular_link){ghost, faces[n], other, (float)slide[other] * m->open[other][faces[n]] / sum};
    }
    *self = (shoal_granular_ghost){.at = at, .axis = axis, .solid = (float)rest};
    for (int other = 0; other < 3; other++) self->held[other] = (float)((other == axis ? 1.0 : 0.0) - slide[other]);
    return count;
}

static int next_ghost(const shoal_granular_friction* f, int block) {
    return f->ghost_start[block + 1] - f->ghost_start[block];
}

static void count_ghosts(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r      = ctx;
    shoal_granular_friction*     f      = r->f;
    int                          ghosts = 0, links = 0;
    for (int axis = 0; has_tilt(f, m, block) && axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            shoal_granular_link  own[LINKS];
            shoal_granular_ghost self;
            int                  count = is_ghost(f, m, at, axis) ? links_of(r, m, at, axis, 0, &self, own) : 0;
            ghosts += count > 0;
            links += count;
        }
    f->ghost_start[block + 1] = ghosts;
    f->link_start[block + 1]  = links;
}

static void make_ghosts(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r     = ctx;
    shoal_granular_friction*     f     = r->f;
    int                          ghost = f->ghost_start[block], link = f->link_start[block];
    for (int axis = 0; next_ghost(f, block) > 0 && axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            shoal_granular_link  own[LINKS];
            shoal_granular_ghost self;
            int                  count = is_ghost(f, m, at, axis) ? links_of(r, m, at, axis, ghost, &self, own) : 0;
            if (count == 0) continue;
            f->ghosts[ghost++] = self;
            memcpy(f->links + link, own, (size_t)count * sizeof *own);
            link += count;
        }
}

// The links of the faces of a block, to ghosts in it and around: counted, and written where there
// is room.
static int links_back(const shoal_granular_friction* f, const shoal_mac* m, int block, shoal_granular_link* to) {
    int count = 0;
    for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
        int from = m->near[block][n];
        for (int k = from < 0 ? 0 : f->link_start[from]; from >= 0 && k < f->link_start[from + 1]; k++) {
            if (f->links[k].at >> 9 != block) continue;
            if (to) to[count] = f->links[k];
            count++;
        }
    }
    return count;
}

static void count_back(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    f->back_start[block + 1]   = links_back(f, m, block, NULL);
}

static void make_back(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    if (f->back_start[block + 1] > f->back_start[block]) links_back(f, m, block, f->back + f->back_start[block]);
}

static int sum_up(int* start, int blocks) {
    start[0] = 0;
    for (int b = 0; b < blocks; b++) start[b + 1] += start[b];
    return start[blocks];
}

shoal_status granular_find_ghosts(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec) {
    shoal_granular_friction* f = r->f;
    shoal_mac_each(m, exec, lean_block, r);
    shoal_mac_each(m, exec, count_ghosts, r);
    SHOAL_TRY(shoal_reserve((void**)&f->ghosts, &f->ghost_capacity, sum_up(f->ghost_start, m->block_count),
                            sizeof *f->ghosts));
    SHOAL_TRY(
        shoal_reserve((void**)&f->links, &f->link_capacity, sum_up(f->link_start, m->block_count), sizeof *f->links));
    f->back_start[m->block_count] = 0;
    if (f->ghost_start[m->block_count] == 0) return SHOAL_OK;
    shoal_mac_each(m, exec, make_ghosts, r);
    shoal_mac_each(m, exec, count_back, r);
    SHOAL_TRY(
        shoal_reserve((void**)&f->back, &f->back_capacity, sum_up(f->back_start, m->block_count), sizeof *f->back));
    shoal_mac_each(m, exec, make_back, r);
    return SHOAL_OK;
}

// Those of a block stand by axis and sample.
const shoal_granular_ghost* granular_ghost_at(const shoal_granular_friction* f, int at, int axis) {
    int low = f->ghost_start[at >> 9], high = f->ghost_start[(at >> 9) + 1];
    while (low < high) {
        int                         mid   = (low + high) / 2;
        const shoal_granular_ghost* ghost = &f->ghosts[mid];
        if (ghost->axis == axis && ghost->at == at) return ghost;
        if (ghost->axis < axis || (ghost->axis == axis && ghost->at < at))
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

// ---------------------------------------------------------------------------------- velocities and
// forces

static bool has_ghosts(const shoal_granular_friction* f, const shoal_mac* m) {
    return f->ghost_start[m->block_count] > 0;
}

static void move_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    for (int n = f->ghost_start[block]; n < f->ghost_start[block + 1]; n++)
        m->u[f->ghosts[n].axis][f->ghosts[n].at] = f->ghosts[n].solid;
    for (int k = f->link_start[block]; k < f->link_start[block + 1]; k++) {
        const shoal_granular_link*  link  = &f->links[k];
        const shoal_granular_ghost* ghost = &f->ghosts[link->ghost];
        m->u[ghost->axis][ghost->at] += link->weight * m->u[link->axis][link->at];
    }
}

static float acting_at(const shoal_granular_friction* f, int component, int at) {
    return at >= 0 ? granular_acting(f, component, at >> 9)[at] : 0.0f;
}

float granular_push_at(const shoal_granular_friction* f, const shoal_mac* m, int at, int axis) {
    float push = acting_at(f, axis, at) - acting_at(f, axis, shoal_mac_beside(m, at, axis, -1));
    for (int k = 1; k < 3; k++) {
        int along = (axis + k) % 3, shear = 6 - axis - along;
        push += acting_at(f, shear, shoal_mac_beside(m, at, along, 1)) - acting_at(f, shear, at);
    }
    return push;
}

static void push_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    for (int n = f->ghost_start[block]; n < f->ghost_start[block + 1]; n++)
        f->ghosts[n].push = granular_push_at(f, m, f->ghosts[n].at, f->ghosts[n].axis);
}

void granular_move_ghosts(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec) {
    if (has_ghosts(r->f, m)) shoal_mac_each(m, exec, move_block, r);
}
void granular_push_ghosts(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec) {
    if (has_ghosts(r->f, m)) shoal_mac_each(m, exec, push_block, r);
}

void granular_ghost_push(const shoal_granular_friction* f, const shoal_mac* m, int block, float* const u[3],
                         float sign) {
    if (!has_ghosts(f, m)) return;
    for (int k = f->back_start[block]; k < f->back_start[block + 1]; k++) {
        const shoal_granular_link* link = &f->back[k];
        u[link->axis][link->at] +=
            sign * f->inverse_mass[link->axis][link->at] * link->weight * f->ghosts[link->ghost].push;
    }
}
