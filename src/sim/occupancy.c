// SPDX-License-Identifier: MIT
// Particles near a place.
#include "sim/emit_local.h"

#include <string.h>

#include "base/hash.h"

static shoal_status occupancy_reserve(sim_occupancy* near, int count) {
    if (count <= near->capacity) return SHOAL_OK;
    int   capacity = count < 1024 ? 1024 : count + count / 2;
    void *points = near->points, *next = near->next;
    SHOAL_TRY(shoal_realloc(&points, (size_t)near->count, (size_t)capacity, sizeof *near->points));
    near->points = points;
    SHOAL_TRY(shoal_realloc(&next, (size_t)near->count, (size_t)capacity, sizeof *near->next));
    near->next     = next;
    near->capacity = capacity;
    return SHOAL_OK;
}

static int64_t occupancy_cell(const sim_occupancy* near, float x) {
    return (int64_t)fmax(-1e15, fmin(1e15, floor((double)x / near->cell)));
}

static int occupancy_bucket(const sim_occupancy* near, int64_t i, int64_t j, int64_t k) {
    return (int)(shoal_hash_cell(i, j, k) & (uint64_t)(near->head_count - 1));
}

static void occupancy_link(sim_occupancy* near, int point) {
    shoal_v3 p = near->points[point];
    int b = occupancy_bucket(near, occupancy_cell(near, p.x), occupancy_cell(near, p.y), occupancy_cell(near, p.z));
    near->next[point] = near->heads[b];
    near->heads[b]    = point + 1;
}

static bool is_beside(const sim_occupancy* near, shoal_v3 p) {
    shoal_v3 min = near->min, max = near->max;
    return !(p.x < min.x || p.y < min.y || p.z < min.z || p.x > max.x || p.y > max.y || p.z > max.z);
}

shoal_status sim_occupancy_add(sim_occupancy* near, shoal_v3 p) {
    const shoal_world* world = near->world;
    shoal_v3           size  = shoal_v3_sub(world->max, world->min);
    int                x = world->is_periodic[0], y = world->is_periodic[1], z = world->is_periodic[2];
    for (int k = -z; k <= z; k++)
        for (int j = -y; j <= y; j++)
            for (int i = -x; i <= x; i++) {
                shoal_v3 image =
                    shoal_v3_make(p.x + (i ? (float)i * size.x : 0.0f), p.y + (j ? (float)j * size.y : 0.0f),
                                  p.z + (k ? (float)k * size.z : 0.0f));
                if (!is_beside(near, image)) continue;
                SHOAL_TRY(occupancy_reserve(near, near->count + 1));
                near->points[near->count] = image;
                occupancy_link(near, near->count++);
            }
    return SHOAL_OK;
}

// Those of a set beside the place, moved by a period, one after the other in the order of the set.
typedef struct collect_job {
    sim_occupancy*  near;
    const shoal_v3* position;
    shoal_v3        shift;
    shoal_status    status;
} collect_job;

static size_t beside_total(void* ctx, int begin, int end) {
    const collect_job* c     = ctx;
    size_t             count = 0;
    for (int i = begin; i < end; i++) count += is_beside(c->near, shoal_v3_add(c->position[i], c->shift));
    return count;
}

static void beside_put(void* ctx, int begin, int end, size_t at) {
    const collect_job* c = ctx;
    for (int i = begin; i < end; i++) {
        shoal_v3 p = shoal_v3_add(c->position[i], c->shift);
        if (is_beside(c->near, p)) c->near->points[at++] = p;
    }
}

static bool beside_capacity(void* ctx, size_t end) {
    collect_job* c = ctx;
    c->status      = occupancy_reserve(c->near, (int)end);
    c->near->count = c->status == SHOAL_OK ? (int)end : c->near->count;
    return c->status == SHOAL_OK;
}

static shoal_status collect(sim_occupancy* near, const shoal_exec* exec, const shoal_set* set, shoal_v3 shift) {
    collect_job c = {near, shoal_set_read(set, "position"), shift, SHOAL_OK};
    shoal_lay_out(exec, set->count, (shoal_layout){beside_total, beside_put, beside_capacity}, &c, (size_t)near->count);
    return c.status;
}

shoal_status sim_occupancy_gather(sim_occupancy* near, const shoal_sim* sim, shoal_box box, double clearance) {
    const shoal_exec   here  = {.threads = sim->ctx.exec.threads};
    const shoal_world* world = sim->world;
    near->world              = world;
    near->cell               = clearance;
    near->count              = 0;
    box                      = shoal_box_grown(box, near->cell);
    near->min                = shoal_v3_from(box.min);
    near->max                = shoal_v3_from(box.max);

    int   low[3] = {0}, high[3] = {0};
    float length[3] = {0};
    for (int axis = 0; axis < 3; axis++) {
        if (!world->is_periodic[axis]) continue;
        float wall_min = shoal_v3_axis(world->min, axis), wall_max = shoal_v3_axis(world->max, axis);
        length[axis] = wall_max - wall_min;
        low[axis]    = shoal_v3_axis(near->min, axis) < wall_min ? -1 : 0;
        high[axis]   = shoal_v3_axis(near->max, axis) > wall_max ? 1 : 0;
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++) {
                shoal_v3 shift = shoal_v3_make((float)i * length[0], (float)j * length[1], (float)k * length[2]);
                SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) SHOAL_TRY(collect(near, &here, set, shift));
            }

    int heads = 1024;
    while (heads < near->count) heads *= 2;
    if (heads > near->head_capacity) {
        shoal_free(near->heads);
        near->head_capacity = near->head_count = 0;
        near->heads                            = shoal_alloc((size_t)heads, sizeof *near->heads);
        if (!near->heads) return SHOAL_ERR_MEMORY;
        near->head_capacity = heads;
    }
    near->head_count = heads;
    memset(near->heads, 0, (size_t)heads * sizeof *near->heads);
    for (int p = 0; p < near->count; p++) occupancy_link(near, p);
    return SHOAL_OK;
}

bool sim_occupancy_is_free(const sim_occupancy* near, shoal_v3 p, double clearance) {
    float   r2 = (float)(clearance * clearance);
    int64_t ci = occupancy_cell(near, p.x), cj = occupancy_cell(near, p.y), ck = occupancy_cell(near, p.z);
    for (int64_t k = ck - 1; k <= ck + 1; k++)
        for (int64_t j = cj - 1; j <= cj + 1; j++)
            for (int64_t i = ci - 1; i <= ci + 1; i++)
                for (int n = near->heads[occupancy_bucket(near, i, j, k)]; n; n = near->next[n - 1]) {
                    shoal_v3 away = shoal_v3_sub(near->points[n - 1], p);
                    if (shoal_v3_dot(away, away) < r2) return false;
                }
    return true;
}

void sim_occupancy_free(sim_occupancy* near) {
    shoal_free(near->points);
    shoal_free(near->next);
    shoal_free(near->heads);
    *near = (sim_occupancy){0};
}
