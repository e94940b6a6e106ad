// SPDX-License-Identifier: MIT
// Walls as a shell of lattice sites around the domain, volumes, images across periodic walls,
// motion.
#include "fluid/samples.h"

#include "fluid/samples_local.h"
#include "grid/cells.h"

void shoal_samples_free(shoal_samples* samples) {
    shoal_free(samples->place);
    shoal_free(samples->velocity);
    shoal_free(samples->volume);
    shoal_free(samples->body);
    shoal_free(samples->own_place);
    shoal_free(samples->own_volume);
    shoal_free(samples->own_body);
    *samples = (shoal_samples){0};
}

double shoal_samples_factor(double spacing, double h, shoal_kernel_fn kernel) {
    int    reach = (int)(h / spacing) + 1;
    double all = 0.0, below = 0.0, plane = 0.0, next = 0.0;
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double w = kernel(spacing * sqrt((double)(x * x + y * y + z * z)), h);
                all += w;
                if (y < 0) below += w;
                if (y == 0) plane += w;
                if (y == -1) next += w;
            }
    return below / all * plane / next;
}

shoal_status samples_add(samples_list* list, shoal_d3 place, int body) {
    if (list->count == list->capacity) {
        int    capacity = list->capacity * 2 + 1024;
        size_t used = (size_t)list->count, items = (size_t)capacity;
        SHOAL_TRY(shoal_realloc((void**)&list->place, used, items, sizeof *list->place));
        SHOAL_TRY(shoal_realloc((void**)&list->body, used, items, sizeof *list->body));
        list->capacity = capacity;
    }
    list->place[list->count]  = place;
    list->body[list->count++] = body;
    return SHOAL_OK;
}

static void list_free(samples_list* list) {
    shoal_free(list->place);
    shoal_free(list->body);
}

void samples_range(const shoal_world* world, int axis, double spacing, double* low, double* high) {
    *low = -1e30, *high = 1e30;
    if (!world->domain.is_given) return;
    double min = shoal_d3_axis(world->domain.min, axis), max = shoal_d3_axis(world->domain.max, axis);
    // beyond open sides particles are kept for one domain length
    double below = world->is_closed[2 * axis] ? spacing : max - min,
           above = world->is_closed[2 * axis + 1] ? spacing : max - min;
    *low         = world->is_periodic[axis] ? min : min - below;
    *high        = world->is_periodic[axis] ? max : max + above;
}

// --- walls

// Lattice sites along one axis: place(i) for i in [first, last]; those outside [0, count) are
// behind the walls, or where an open side lets the other walls go on.
typedef struct wall_axis {
    double  min, max, spacing, depth;
    int64_t first, last, count;
} wall_axis;

static wall_axis axis_of(const shoal_world* world, int axis, double spacing, double h) {
    wall_axis a;
    a.min           = shoal_d3_axis(world->domain.min, axis);
    a.max           = shoal_d3_axis(world->domain.max, axis);
    double  sites   = fmin(fmax(rint((a.max - a.min) / spacing), 1.0), 0x1p50);
    int64_t overrun = (int64_t)ceil(h / spacing);
    a.count         = (int64_t)sites;
    a.spacing       = (a.max - a.min) / sites;
    a.depth         = 0.5 * spacing;
    a.first = a.last = 0;
    bool wraps       = world->is_periodic[axis];
    a.first          = wraps ? 0 : world->is_closed[2 * axis] ? -1 : -overrun;
    a.last           = a.count - 1 + (wraps ? 0 : world->is_closed[2 * axis + 1] ? 1 : overrun);
    return a;
}

static double site_along(const wall_axis* a, bool is_closed_low, bool is_closed_high, int64_t i) {
    if (i == -1 && is_closed_low) return a->min - a->depth;
    if (i == a->count && is_closed_high) return a->max + a->depth;
    return a->min + ((double)i + 0.5) * a->spacing;
}

static const char* const wall_names[SHOAL_WALL_COUNT] = {"left", "right", "bottom", "top", "back", "front"};

// Each site of the shell belongs to one wall: edges and corners to that of the lower axis.
static shoal_status sample_wall(samples_list* list, const shoal_world* world, int wall, double spacing, double h) {
    int       axis = wall / 2, u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    wall_axis along[3];
    int64_t   first[3], last[3];
    double    sites = 1.0;
    for (int a = 0; a < 3; a++) {
        along[a] = axis_of(world, a, spacing, h);
        first[a] = a < axis && world->is_closed[2 * a] ? 0 : along[a].first;
        last[a]  = a < axis && world->is_closed[2 * a + 1] ? along[a].count - 1 : along[a].last;
        if (a != axis) sites *= (double)(last[a] - first[a] + 1);
    }
    if (sites + (double)list->count > SAMPLES_MOST)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "domain: the %s wall needs %.3g boundary samples at spacing %g, at most "
                          "%d are possible; use a coarser spacing, a "
                          "smaller domain, or open the wall",
                          wall_names[wall], sites, spacing, SAMPLES_MOST);
    int64_t at[3];
    at[axis] = wall % 2 == 0 ? -1 : along[axis].count;
    for (at[v] = first[v]; at[v] <= last[v]; at[v]++)
        for (at[u] = first[u]; at[u] <= last[u]; at[u]++) {
            double p[3];
            for (int a = 0; a < 3; a++)
                p[a] = site_along(&along[a], world->is_closed[2 * a], world->is_closed[2 * a + 1], at[a]);
            SHOAL_TRY(samples_add(list, shoal_d3_make(p[0], p[1], p[2]), -1 - wall));
        }
    return SHOAL_OK;
}

// No fluid comes near a sample that lies deeper than a spacing in a solid that does not move.
static bool is_buried(const shoal_world* world, shoal_d3 p, int body, double spacing) {
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_collider* other = &world->colliders[c];
        if (c == body || other->moves || !shoal_box_holds(other->bounds, p)) continue;
        if (shoal_collider_distance(other, p, NULL) < -1.5 * spacing) return true;
    }
    return false;
}

static void drop_buried(samples_list* list, const shoal_world* world, double spacing) {
    int used = 0;
    for (int k = 0; k < list->count; k++) {
        if (is_buried(world, list->place[k], list->body[k], spacing)) continue;
        list->place[used]  = list->place[k];
        list->body[used++] = list->body[k];
    }
    list->count = used;
}

// --- images

// Calls for each place at which p is seen through periodic walls from within reach of the domain, p
// itself left out.
typedef struct image_shifts {
    int      count;
    shoal_d3 by[26];
} image_shifts;

static image_shifts images_of(const shoal_world* world, shoal_d3 p, double reach) {
    image_shifts shifts = {.count = 0};
    double       by[3][3];
    int          ways[3];
    for (int a = 0; a < 3; a++) {
        double x = shoal_d3_axis(p, a), min = shoal_d3_axis(world->domain.min, a),
               max = shoal_d3_axis(world->domain.max, a);
        ways[a]    = 1;
        by[a][0]   = 0.0;
        if (!world->is_periodic[a]) continue;
        if (x < min + reach) by[a][ways[a]++] = max - min;
        if (x >= max - reach) by[a][ways[a]++] = min - max;
    }
    for (int z = 0; z < ways[2]; z++)
        for (int y = 0; y < ways[1]; y++)
            for (int x = 0; x < ways[0]; x++)
                if (x + y + z > 0) shifts.by[shifts.count++] = shoal_d3_make(by[0][x], by[1][y], by[2][z]);
    return shifts;
}

static bool is_in_period(const shoal_world* world, shoal_d3 p) {
    for (int a = 0; a < 3; a++) {
        double x = shoal_d3_axis(p, a);
        if (world->is_periodic[a] &&
            (x < shoal_d3_axis(world->domain.min, a) || x >= shoal_d3_axis(world->domain.max, a)))
            return false;
    }
    return true;
}

// Most places one sample is seen at: two along a periodic axis, three along one shorter than two
// reaches.
static int places_most(const shoal_world* world, double reach) {
    int most = 1;
    for (int a = 0; a < 3; a++)
        if (world->is_periodic[a])
            most *= shoal_d3_axis(world->domain.max, a) - shoal_d3_axis(world->domain.min, a) >= 2.0 * reach ? 2 : 3;
    return most;
}

// --- volumes

typedef struct volume_task {
    const shoal_cells* cells;
    const shoal_v4*    place;
    const int*         group; // only samples of one group count for each other
    double             h;
    shoal_kernel_fn    kernel;
    float*             volume;
} volume_task;

static void cell_volumes(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const volume_task* t     = ctx;
    const shoal_cells* cells = t->cells;
    for (int c = begin; c < end; c++) {
        int from[9], to[9];
        for (int row = 0; row < 9; row++) {
            // unsigned wrap-around is exact: the rim keeps all keys of neighbours at or above zero
            uint64_t key = cells->cell_key[c] + (uint64_t)(int64_t)(row % 3 - 1) * cells->row +
                           (uint64_t)(int64_t)(row / 3 - 1) * cells->layer;
            from[row] = cells->cell_start[shoal_cells_find(cells, key - 1)];
            to[row]   = cells->cell_start[shoal_cells_find(cells, key + 2)];
        }
        for (int k = cells->cell_start[c]; k < cells->cell_start[c + 1]; k++) {
            int    i   = cells->order[k];
            double sum = 0.0;
            for (int row = 0; row < 9; row++)
                for (int l = from[row]; l < to[row]; l++) {
                    int j = cells->order[l];
                    if (t->group[j] != t->group[i]) continue;
                    double dx = (double)t->place[i].x - (double)t->place[j].x,
                           dy = (double)t->place[i].y - (double)t->place[j].y,
                           dz = (double)t->place[i].z - (double)t->place[j].z;
                    double r  = sqrt(dx * dx + dy * dy + dz * dz);
                    if (r < t->h) sum += t->kernel(r, t->h);
                }
            t->volume[i] = (float)(1.0 / sum);
        }
    }
}

static shoal_status make_volumes(const shoal_exec* exec, const shoal_v4* place, const int* group, int count, double h,
                                 shoal_kernel_fn kernel, float* volume) {
    if (count == 0) return SHOAL_OK;
    shoal_cells       cells = {0};
    shoal_cells_frame frame;
    shoal_status      status = shoal_cells_frame_make(exec, place, count, (float)h, &frame);
    if (status == SHOAL_OK) status = shoal_cells_sort(&cells, exec, &frame, place, count);
    if (status == SHOAL_OK) {
        volume_task task = {&cells, place, group, h, kernel, volume};
        shoal_blocks(exec, cells.cell_count, 64, cell_volumes, &task);
    }
    shoal_cells_free(&cells);
    return status;
}

// --- making

static shoal_v4 v4_of(shoal_d3 p, float w) {
    shoal_v4 v = {(float)p.x, (float)p.y, (float)p.z, w};
    return v;
}

static shoal_d3 d3_of(shoal_v4 p) { return shoal_d3_make((double)p.x, (double)p.y, (double)p.z); }

static shoal_status collect(samples_list* still, samples_list* moving, const shoal_exec* exec,
                            const shoal_solids* solids, double spacing, double h) {
    const shoal_world* world = solids->world;
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++)
        if (world->is_closed[wall] && !solids->is_mirror[wall]) SHOAL_TRY(sample_wall(still, world, wall, spacing, h));
    for (int c = 0; c < world->collider_count; c++)
        SHOAL_TRY(samples_of_collider(world->colliders[c].moves ? moving : still, exec, world, c, spacing));
    drop_buried(still, world, spacing);
    // images of what stands still follow it
    for (int k = 0, count = still->count; k < count; k++) {
        image_shifts shifts = images_of(world, still->place[k], h);
        for (int s = 0; s < shifts.count; s++)
            SHOAL_TRY(samples_add(still, shoal_d3_add(still->place[k], shifts.by[s]), still->body[k]));
    }
    int64_t most = (int64_t)still->count + (int64_t)moving->count * places_most(world, h);
    if (most > INT32_MAX / 4)
        return shoal_fail(SHOAL_ERR_INPUT, "obstacles: %lld boundary samples are too many; use a coarser spacing",
                          (long long)most);
    return SHOAL_OK;
}

static shoal_status reserve_samples(shoal_samples* samples, size_t items, size_t moving) {
    samples->place    = shoal_alloc(items, sizeof *samples->place);
    samples->velocity = shoal_alloc(items, sizeof *samples->velocity);
    samples->volume   = shoal_alloc(items, sizeof *samples->volume);
    samples->body     = shoal_alloc(items, sizeof *samples->body);
    if (!samples->place || !samples->velocity || !samples->volume || !samples->body) return SHOAL_ERR_MEMORY;
    if (moving == 0) return SHOAL_OK;
    samples->own_place  = shoal_alloc(moving, sizeof *samples->own_place);
    samples->own_volume = shoal_alloc(moving, sizeof *samples->own_volume);
    samples->own_body   = shoal_alloc(moving, sizeof *samples->own_body);
    return samples->own_place && samples->own_volume && samples->own_body ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

// Volumes of moving samples: from all of their own collider, in its frame; then anew for those
// inside a periodic domain as they start, with their images.
static shoal_status moving_volumes(shoal_samples* samples, const shoal_exec* exec, const shoal_world* world,
                                   shoal_kernel_fn kernel) {
    int       first = samples->still_count, count = samples->moving_count;
    shoal_v4* place = samples->place + first;
    for (int k = 0; k < count; k++) place[k] = v4_of(shoal_d3_from(samples->own_place[k]), 0.0f);
    SHOAL_TRY(make_volumes(exec, place, samples->own_body, count, samples->reach, kernel, samples->own_volume));
    if (!shoal_world_is_periodic(world)) return SHOAL_OK;

    shoal_samples_move(samples, exec, world, 0.0);
    SHOAL_TRY(make_volumes(exec, place, samples->body + first, samples->count - first, samples->reach, kernel,
                           samples->volume + first));
    for (int k = 0, shown = first; k < count; k++) {
        const shoal_collider* collider = &world->colliders[samples->own_body[k]];
        shoal_d3              at =
            shoal_d3_add(shoal_quat_rotate(collider->rotation, shoal_d3_from(samples->own_place[k])), collider->at);
        if (is_in_period(world, d3_of(v4_of(at, 0.0f)))) samples->own_volume[k] = samples->volume[shown++];
    }
    return SHOAL_OK;
}

static shoal_status fill(shoal_samples* samples, const shoal_exec* exec, const shoal_world* world,
                         const samples_list* still, const samples_list* moving, shoal_kernel_fn kernel) {
    samples->still_count  = still->count;
    samples->moving_count = moving->count;
    SHOAL_TRY(reserve_samples(
        samples, (size_t)still->count + (size_t)moving->count * (size_t)places_most(world, samples->reach) + 1,
        (size_t)moving->count));
    for (int k = 0; k < still->count; k++) samples->place[k] = v4_of(still->place[k], 0.0f);
    // one group: all of them stand still together
    SHOAL_TRY(make_volumes(exec, samples->place, samples->body, still->count, samples->reach, kernel, samples->volume));
    for (int k = 0; k < still->count; k++) {
        samples->place[k].w = samples->volume[k];
        samples->body[k]    = still->body[k];
    }
    for (int k = 0; k < moving->count; k++) {
        samples->own_place[k] = shoal_v3_from(moving->place[k]);
        samples->own_body[k]  = moving->body[k];
    }
    SHOAL_TRY(moving_volumes(samples, exec, world, kernel));
    shoal_samples_move(samples, exec, world, 0.0);
    return SHOAL_OK;
}

shoal_status shoal_samples_make(shoal_samples* samples, const shoal_exec* exec, const shoal_solids* solids,
                                double spacing, double h, shoal_kernel_fn kernel) {
    samples_list still = {0}, moving = {0};
    samples->reach      = h;
    shoal_status status = collect(&still, &moving, exec, solids, spacing, h);
    if (status == SHOAL_OK) status = fill(samples, exec, solids->world, &still, &moving, kernel);
    list_free(&still);
    list_free(&moving);
    if (status != SHOAL_OK) shoal_samples_free(samples);
    return status;
}

// --- motion

typedef struct move_task {
    shoal_samples*     samples;
    const shoal_world* world;
    double             ago;
} move_task;

static shoal_d3 place_on(const shoal_collider* collider, shoal_d3 own) {
    return shoal_d3_add(shoal_quat_rotate(collider->rotation, own), collider->at);
}

static void move_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    move_task*     t    = ctx;
    shoal_samples* s    = t->samples;
    shoal_collider then = {0};
    for (int k = begin; k < end; k++) {
        const shoal_collider* collider = &t->world->colliders[s->own_body[k]];
        if (k == begin || s->own_body[k] != s->own_body[k - 1]) then = shoal_collider_ago(collider, t->ago);
        shoal_d3 own = shoal_d3_from(s->own_place[k]), at = place_on(&then, own);
        shoal_d3 velocity = t->ago > 0.0 ? shoal_d3_scale(shoal_d3_sub(place_on(collider, own), at), 1.0 / t->ago)
                                         : shoal_collider_velocity(collider, at);
        int      to       = s->still_count + k;
        s->place[to]      = v4_of(at, s->own_volume[k]);
        s->velocity[to]   = v4_of(velocity, 0.0f);
        s->volume[to]     = s->own_volume[k];
        s->body[to]       = s->own_body[k];
    }
}

static void copy_sample(shoal_samples* s, int to, int from) {
    s->place[to]    = s->place[from];
    s->velocity[to] = s->velocity[from];
    s->volume[to]   = s->volume[from];
    s->body[to]     = s->body[from];
}

void shoal_samples_move(shoal_samples* samples, const shoal_exec* exec, const shoal_world* world, double ago) {
    move_task task = {samples, world, ago};
    shoal_blocks(exec, samples->moving_count, 1024, move_block, &task);
    int first = samples->still_count, shown = first + samples->moving_count;
    if (shoal_world_is_periodic(world)) {
        int end = shown;
        shown   = first;
        for (int k = first; k < end; k++)
            if (is_in_period(world, d3_of(samples->place[k]))) copy_sample(samples, shown++, k);
        for (int k = first, own = shown; k < own; k++) {
            image_shifts shifts = images_of(world, d3_of(samples->place[k]), samples->reach);
            for (int s = 0; s < shifts.count; s++, shown++) {
                copy_sample(samples, shown, k);
                samples->place[shown] = v4_of(shoal_d3_add(d3_of(samples->place[k]), shifts.by[s]), samples->volume[k]);
            }
        }
    }
    samples->count = shown;
}
