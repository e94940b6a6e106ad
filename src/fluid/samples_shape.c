// SPDX-License-Identifier: MIT
// Samples of one collider, from its signed distance alone: lattice points in the band around the
// depth of the samples are projected to that depth, and thinned to a least distance in the order of
// the lattice. Any shape will do whose sign is right and whose distance is never too long; blocks
// of the lattice that the surface cannot reach are not looked at.
#include "fluid/samples_local.h"

// Lattice points per spacing, points along a block's edge, blocks of one parallel batch, blocks at
// most.
enum { FINE = 4, BLOCK = 8, BATCH = 128, BLOCK_POINTS = BLOCK * BLOCK * BLOCK, BLOCKS_MOST = 1 << 22 };

// Least distance of two samples, in spacings: a flat face along the axes gets a lattice of one
// spacing, and a sphere 1.0 samples per spacing^2.
static const double least_distance = 0.91;

typedef struct block {
    int64_t x, y, z; // in blocks from the origin
} block;

typedef struct shape_task {
    const shoal_world*    world;
    const shoal_collider* collider;
    int                   index; // of the collider
    double                spacing, cell, depth;
    shoal_d3              origin; // of the lattice, in the collider's frame
    shoal_box             region;

    int    block_count, block_capacity;
    block* blocks;

    // of one batch: what each lattice point became
    int       batch_first;
    shoal_d3* candidates;       // [BATCH * BLOCK_POINTS]
    int*      candidate_counts; // [BATCH]

    // samples taken so far, by cells of the least distance
    int  slot_count; // a power of two
    int* slots;      // [slot_count] newest sample in it, -1: none
    int* next;       // [next_capacity] the one before
    int  next_capacity;
} shape_task;

static const shoal_obstacle* obstacle_of(const shape_task* t) { return &t->world->obstacles[t->index]; }

// --- projection

static shoal_d3 world_of(const shoal_collider* collider, shoal_d3 own) {
    return shoal_d3_add(shoal_quat_rotate(collider->rotation, own), collider->at);
}

static shoal_d3 along(shoal_d3 p, shoal_d3 n, double t) { return shoal_d3_add(p, shoal_d3_scale(n, t)); }

// Distance made true to first order where the shape gives only a bound (unequal scales): divided by
// its own slope.
static double true_distance(const shape_task* t, shoal_d3 p, shoal_d3* normal) {
    const shoal_tape* tape = t->collider->tape;
    double            f = shoal_tape_distance(tape, p, normal), step = 0.05 * t->spacing;
    // outwards: the ridges in which faces meet lie further in
    double slope = (shoal_tape_distance(tape, along(p, *normal, step), NULL) - f) / step;
    return slope > 0.02 && slope < 0.98 ? f / slope : f;
}

// Moves p to the distance -depth. False where the shape is too thin, or the way is not straight.
static bool to_depth(const shape_task* t, shoal_d3* p, shoal_d3* normal) {
    for (int k = 0; k < 5; k++) {
        double off = true_distance(t, *p, normal) + t->depth;
        if (fabs(off) < 0.01 * t->spacing) return true;
        *p = along(*p, *normal, -off);
    }
    return false;
}

// For a p near the surface of a part that is nowhere deep enough: the middle of it, on the normal through p. Those are
// parts thinner than a spacing, and of meshes up to half as thick again, whose sampled distances are cut off where both
// sides are equally far.
static bool to_middle(const shape_task* t, shoal_d3* p) {
    const shoal_tape* tape = t->collider->tape;
    shoal_d3          normal, s = *p;
    for (int k = 0; k < 3; k++) {
        double off = true_distance(t, s, &normal);
        s          = along(s, normal, -off);
    }
    shoal_tape_distance(tape, along(s, normal, 0.01 * t->spacing), &normal);
    double in = 0.01 * t->spacing, out = t->spacing;
    // a face inside a union has no outside
    if (shoal_tape_distance(tape, along(s, normal, 10.0 * in), NULL) <= 0.0) return false;
    if (shoal_tape_distance(tape, along(s, normal, -in), NULL) >= 0.0) return false;
    if (shoal_tape_distance(tape, along(s, normal, -out), NULL) < 0.0) out *= 1.5;
    if (shoal_tape_distance(tape, along(s, normal, -out), NULL) < 0.0) return false;
    for (int k = 0; k < 12; k++) {
        double middle = 0.5 * (in + out);
        if (shoal_tape_distance(tape, along(s, normal, -middle), NULL) < 0.0)
            in = middle;
        else
            out = middle;
    }
    *p         = along(s, normal, -0.5 * in);
    double off = shoal_tape_distance(tape, *p, NULL);
    // deeper, to_depth finds samples; less deep, the line has cut off a corner
    return off > 0.01 * t->spacing - t->depth && off < -0.2 * in;
}

// Whether the place just outside the surface above a sample is inside the collider's image across a
// periodic wall: the end of a beam that goes on at the other side is no surface.
static bool is_seam(const shape_task* t, shoal_d3 outside) {
    const shoal_world* w = t->world;
    shoal_d3           p = world_of(t->collider, outside);
    for (int a = 0; a < 3; a++) {
        if (!w->is_periodic[a]) continue;
        double length = shoal_d3_axis(w->domain.max, a) - shoal_d3_axis(w->domain.min, a);
        for (int way = -1; way <= 1; way += 2) {
            shoal_d3 by =
                shoal_d3_make(a == 0 ? way * length : 0.0, a == 1 ? way * length : 0.0, a == 2 ? way * length : 0.0);
            if (shoal_collider_distance(t->collider, shoal_d3_add(p, by), NULL) < 0.0) return true;
        }
    }
    return false;
}

static bool is_in_range(const shape_task* t, shoal_d3 own) {
    if (t->collider->moves) return true;
    shoal_d3 p = world_of(t->collider, own);
    for (int a = 0; a < 3; a++) {
        double low, high, x = shoal_d3_axis(p, a);
        samples_range(t->world, a, t->spacing, &low, &high);
        if (x < low || x >= high) return false;
    }
    return true;
}

static bool project(const shape_task* t, shoal_d3* p) {
    shoal_d3 normal;
    double   band = 0.9 * t->cell, f = shoal_tape_distance(t->collider->tape, *p, NULL);
    if (f > band || f < -t->depth - band) return false;
    shoal_d3 q        = *p;
    double   distance = true_distance(t, q, &normal);
    if (fabs(distance + t->depth) < band && to_depth(t, &q, &normal)) {
        // faces inside a union have no outside above them
        shoal_d3 outside = along(q, normal, 1.1 * t->depth);
        if (shoal_tape_distance(t->collider->tape, outside, NULL) > 0.0 && is_in_range(t, q) && !is_seam(t, outside)) {
            *p = q;
            return true;
        }
    }
    return fabs(distance) < band && to_middle(t, p) && is_in_range(t, *p);
}

static void project_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shape_task* t = ctx;
    for (int b = begin; b < end; b++) {
        block     at    = t->blocks[t->batch_first + b];
        shoal_d3* found = t->candidates + (size_t)b * BLOCK_POINTS;
        int       count = 0;
        for (int k = 0; k < BLOCK_POINTS; k++) {
            shoal_d3 p = shoal_d3_make((double)(at.x * BLOCK + k % BLOCK), (double)(at.y * BLOCK + k / BLOCK % BLOCK),
                                       (double)(at.z * BLOCK + k / (BLOCK * BLOCK)));
            p          = along(t->origin, p, t->cell);
            if (project(t, &p)) found[count++] = p;
        }
        t->candidate_counts[b] = count;
    }
}

// --- thinning

static uint64_t slot_of(const shape_task* t, int64_t x, int64_t y, int64_t z) {
    uint64_t hash =
        (uint64_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)y * 0xC2B2AE3D27D4EB4Fu ^ (uint64_t)z * 0x165667B19E3779F9u;
    return (hash ^ hash >> 29) & (uint64_t)(t->slot_count - 1);
}

static int64_t cell_of(const shape_task* t, double x) { return (int64_t)floor(x / (least_distance * t->spacing)); }

static void enter(shape_task* t, shoal_d3 p, int item) {
    uint64_t slot  = slot_of(t, cell_of(t, p.x), cell_of(t, p.y), cell_of(t, p.z));
    t->next[item]  = t->slots[slot];
    t->slots[slot] = item;
}

static shoal_status more_slots(shape_task* t, const shoal_d3* place, int count) {
    int capacity = count * 2 < 4096 ? 4096 : count * 2, slots = 4096;
    while (slots < capacity) slots *= 2;
    SHOAL_TRY(shoal_realloc((void**)&t->next, 0, (size_t)capacity, sizeof *t->next));
    SHOAL_TRY(shoal_realloc((void**)&t->slots, 0, (size_t)slots, sizeof *t->slots));
    t->next_capacity = capacity;
    t->slot_count    = slots;
    for (int s = 0; s < slots; s++) t->slots[s] = -1;
    for (int k = 0; k < count; k++) enter(t, place[k], k);
    return SHOAL_OK;
}

static bool is_taken(const shape_task* t, const shoal_d3* place, shoal_d3 p) {
    double  least2 = least_distance * least_distance * t->spacing * t->spacing;
    int64_t x = cell_of(t, p.x), y = cell_of(t, p.y), z = cell_of(t, p.z);
    for (int k = 0; k < 27; k++)
        for (int s = t->slots[slot_of(t, x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1)]; s >= 0; s = t->next[s]) {
            shoal_d3 d = shoal_d3_sub(place[s], p);
            if (shoal_d3_dot(d, d) < least2) return true;
        }
    return false;
}

// The same seen through the periodic walls, for a collider that stands still.
static bool is_taken_beyond(const shape_task* t, const shoal_d3* place, shoal_d3 p) {
    const shoal_world* w = t->world;
    for (int k = 0; k < 27; k++) {
        int      way[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        shoal_d3 by     = shoal_d3_sub(w->domain.max, w->domain.min);
        bool     is_one = k != 13;
        for (int a = 0; a < 3; a++) is_one = is_one && (way[a] == 0 || w->is_periodic[a]);
        by = shoal_d3_make(way[0] * by.x, way[1] * by.y, way[2] * by.z);
        if (is_one && is_taken(t, place, shoal_d3_add(p, by))) return true;
    }
    return false;
}

// Samples of a collider that stands still are kept in the world, of one that moves in its own
// frame.
static shoal_status thin(shape_task* t, samples_list* list, int first, int blocks) {
    const shoal_collider* collider = t->collider;
    for (int b = 0; b < blocks; b++)
        for (int k = 0; k < t->candidate_counts[b]; k++) {
            shoal_d3 p = t->candidates[(size_t)b * BLOCK_POINTS + (size_t)k];
            if (!collider->moves) p = world_of(collider, p);
            if (is_taken(t, list->place + first, p)) continue;
            if (!collider->moves && is_taken_beyond(t, list->place + first, p)) continue;
            if (list->count >= SAMPLES_MOST)
                return shoal_fail(SHOAL_ERR_INPUT,
                                  "%s: more than %d boundary samples at spacing %g; use a coarser spacing",
                                  obstacle_of(t)->name, SAMPLES_MOST, t->spacing);
            SHOAL_TRY(samples_add(list, p, t->index));
            int item = list->count - 1 - first;
            if (item >= t->next_capacity)
                SHOAL_TRY(more_slots(t, list->place + first, item + 1));
            else
                enter(t, p, item);
        }
    return SHOAL_OK;
}

// --- blocks

// Adds the blocks of the cube of 2^level blocks at (x, y, z) that samples can come from, in the
// order of an octree.
static shoal_status add_blocks(shape_task* t, block at, int level) {
    double    edge = ldexp(t->cell * BLOCK, level), half = 0.5 * edge;
    shoal_d3  low    = along(t->origin, shoal_d3_make((double)at.x, (double)at.y, (double)at.z), t->cell * BLOCK);
    shoal_d3  centre = shoal_d3_add(low, shoal_d3_make(half, half, half));
    shoal_box cube   = {low, shoal_d3_add(low, shoal_d3_make(edge, edge, edge))};
    if (!shoal_box_meets(cube, t->region)) return SHOAL_OK;
    // distances are never too long but for meshes, some per cent far from their surface
    double f = shoal_tape_distance(t->collider->tape, centre, NULL), reach = 1.25 * (sqrt(3.0) * half + t->cell);
    if (f > reach || f < -reach - t->depth) return SHOAL_OK;

    if (level > 0) {
        int64_t step = (int64_t)1 << (level - 1);
        for (int k = 0; k < 8; k++) {
            block child = {at.x + (k & 1) * step, at.y + (k >> 1 & 1) * step, at.z + (k >> 2) * step};
            SHOAL_TRY(add_blocks(t, child, level - 1));
        }
        return SHOAL_OK;
    }
    if (t->block_count == BLOCKS_MOST)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s: its surface needs more than %d boundary samples at spacing %g; use "
                          "a coarser spacing",
                          obstacle_of(t)->name, SAMPLES_MOST, t->spacing);
    if (t->block_count == t->block_capacity) {
        int capacity = t->block_capacity * 2 + 256;
        SHOAL_TRY(shoal_realloc((void**)&t->blocks, (size_t)t->block_count, (size_t)capacity, sizeof *t->blocks));
        t->block_capacity = capacity;
    }
    t->blocks[t->block_count++] = at;
    return SHOAL_OK;
}

// The part of the collider's frame in which it is sampled: its bounds, as far as the world goes
// that it can meet.
static shoal_status set_region(shape_task* t) {
    const shoal_world*    w      = t->world;
    const shoal_collider* c      = t->collider;
    shoal_box             bounds = shoal_box_grown(c->tape->bounds, t->cell), reach = bounds;
    bool                  is_endless = shoal_d3_length(shoal_d3_sub(bounds.max, bounds.min)) > 1e12;
    if (is_endless && !w->domain.is_given)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s: an endless obstacle can only be sampled in a scene with a domain; "
                          "give one, or use a box",
                          obstacle_of(t)->name);
    if (w->domain.is_given && !c->moves) {
        shoal_d3 low, high;
        samples_range(w, 0, t->spacing, &low.x, &high.x);
        samples_range(w, 1, t->spacing, &low.y, &high.y);
        samples_range(w, 2, t->spacing, &low.z, &high.z);
        reach = shoal_box_empty();
        for (int k = 0; k < 8; k++) {
            shoal_d3 corner = shoal_d3_make(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z);
            reach           = shoal_box_with(reach, shoal_quat_rotate(c->rotation_back, shoal_d3_sub(corner, c->at)));
        }
    } else if (is_endless) {
        // wherever the collider goes, the domain lies within a ball around its origin
        shoal_d3 centre = shoal_d3_scale(shoal_d3_add(w->domain.min, w->domain.max), 0.5);
        double   far    = 0.0;
        for (int k = 0; k < obstacle_of(t)->key_count; k++)
            far = fmax(far, shoal_d3_length(shoal_d3_sub(centre, obstacle_of(t)->keys[k].at)));
        far += shoal_d3_length(shoal_d3_sub(w->domain.max, centre)) + t->spacing;
        reach = (shoal_box){shoal_d3_make(-far, -far, -far), shoal_d3_make(far, far, far)};
    }
    t->region.min = shoal_d3_make(fmax(bounds.min.x, reach.min.x), fmax(bounds.min.y, reach.min.y),
                                  fmax(bounds.min.z, reach.min.z));
    t->region.max = shoal_d3_make(fmin(bounds.max.x, reach.max.x), fmin(bounds.max.y, reach.max.y),
                                  fmin(bounds.max.z, reach.max.z));
    return SHOAL_OK;
}

static shoal_status sample_blocks(shape_task* t, samples_list* list, const shoal_exec* exec) {
    if (shoal_box_is_empty(t->region)) return SHOAL_OK;
    // anchored where the shape begins, so that its flat faces along the axes get whole rows
    t->origin      = t->region.min;
    double longest = 0.0;
    for (int a = 0; a < 3; a++)
        longest = fmax(longest, shoal_d3_axis(t->region.max, a) - shoal_d3_axis(t->region.min, a) + t->cell);
    int level = 0;
    while (ldexp(t->cell * BLOCK, level) < longest) level++;
    if (level > 40)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: too large for boundary samples at spacing %g; use a coarser spacing",
                          obstacle_of(t)->name, t->spacing);
    block root = {0, 0, 0};
    SHOAL_TRY(add_blocks(t, root, level));

    t->candidates       = shoal_alloc((size_t)BATCH * BLOCK_POINTS, sizeof *t->candidates);
    t->candidate_counts = shoal_alloc(BATCH, sizeof *t->candidate_counts);
    if (!t->candidates || !t->candidate_counts) return SHOAL_ERR_MEMORY;
    int first = list->count;
    SHOAL_TRY(more_slots(t, NULL, 0));
    for (t->batch_first = 0; t->batch_first < t->block_count; t->batch_first += BATCH) {
        int here = t->block_count - t->batch_first < BATCH ? t->block_count - t->batch_first : BATCH;
        shoal_blocks(exec, here, 1, project_block, t);
        SHOAL_TRY(thin(t, list, first, here));
    }
    return SHOAL_OK;
}

shoal_status samples_of_collider(samples_list* list, const shoal_exec* exec, const shoal_world* world, int c,
                                 double spacing) {
    shape_task task     = {.world = world, .collider = &world->colliders[c], .index = c, .spacing = spacing};
    task.cell           = spacing / FINE;
    task.depth          = 0.5 * spacing;
    shoal_status status = set_region(&task);
    if (status == SHOAL_OK) status = sample_blocks(&task, list, exec);
    shoal_free(task.blocks);
    shoal_free(task.candidates);
    shoal_free(task.candidate_counts);
    shoal_free(task.slots);
    shoal_free(task.next);
    return status;
}
