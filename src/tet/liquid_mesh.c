// SPDX-License-Identifier: MIT
// The mesh of a liquid: what is within its surface and outside of the solids, which of its vertices are at the air and
// which at a wall, and the neighbours.
#include "tet/liquid_local.h"

#include <math.h>

enum { BLOCK = 256, ROOTS = 8, PIECES = 6 };

// A vertex so near to the surface of the liquid, or of a solid, is on it, in steps.
#define ON_SURFACE 1e-4

typedef struct mesh_job {
    const shoal_tet_solids*  solids;
    shoal_tet_state*         state;
    const shoal_tet_medials* thin;
    double                   step;
    shoal_tet_wall*          walls;      // [vertices] where walls.of is 0
    shoal_d3*                before;     // [vertices] where is_snapped
    uint8_t*                 is_snapped; // [vertices] to the contact line
} mesh_job;

// Positive in the liquid, or a ball of its thin parts, and outside of the solids.
static void within(void* ctx, const shoal_d3* at, int count, double* value) {
    const mesh_job* job = ctx;
    bool            is_film;
    shoal_clear     last = {.off = (double)-INFINITY};
    for (int i = 0; i < count; i++) {
        double depth = liquid_depth(job->thin, &job->state->band, at[i], &is_film);
        value[i] =
            depth <= shoal_clear_off(&last, at[i]) ? depth : fmin(depth, liquid_off(job->solids, at[i], NULL, &last));
    }
}

// The finest octants that the surface of the mesh may enter: those of the tracked one, those around thin parts, and
// those at solids where there is liquid.
static shoal_status list_octants(shoal_tet_liquid* l, shoal_tet_state* s, uint64_t** keys, int* count) {
    const shoal_contour* surface = &s->band.surface;
    const shoal_sparse*  grid    = &s->band.grid;
    const shoal_octree*  tree    = &s->work.tree;
    int                  n = 0, limit = 1 << tree->levels, rim = SHOAL_SPARSE_EDGE;
    int                  thin = l->thin.count > 0 ? l->thin.around.count : 0;
    uint64_t*            list = shoal_arena_take(
                   &l->arena, (size_t)surface->triangle_count + (size_t)l->solid_octants.count + (size_t)thin, sizeof *list);
    if (!list) return SHOAL_ERR_MEMORY;
    for (int t = 0, block = -1, first[3] = {0}; t < surface->triangle_count; t++) {
        if (t > 0 && surface->cubes[t] == surface->cubes[t - 1]) continue;
        int node = surface->cubes[t] % SHOAL_SPARSE_SAMPLES, at[3];
        if (surface->cubes[t] / SHOAL_SPARSE_SAMPLES != block) {
            block        = surface->cubes[t] / SHOAL_SPARSE_SAMPLES;
            uint64_t key = grid->keys[block], nx = (uint64_t)grid->nx;
            first[0] = 8 * (int)(key % nx) - rim, first[1] = 8 * (int)(key / nx % nx) - rim;
            first[2] = 8 * (int)(key / nx / nx) - rim;
        }
        at[0] = (first[0] + node % 8) / 2, at[1] = (first[1] + node / 8 % 8) / 2, at[2] = (first[2] + node / 64) / 2;
        if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= limit || at[1] >= limit || at[2] >= limit) continue;
        uint64_t octant = shoal_morton(at[0], at[1], at[2]);
        if (n == 0 || list[n - 1] != octant) list[n++] = octant;
    }
    for (int k = 0; k < thin; k++) list[n++] = l->thin.around.keys[k];
    for (int k = 0; k < l->solid_octants.count; k++) list[n++] = l->solid_octants.keys[k];
    *keys  = list;
    *count = n;
    return SHOAL_OK;
}

// Which vertices are at the air, and which at a wall; those just beside one are snapped to it. Around thin parts the
// surface of the mesh is not that of the liquid.
static void boundary_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    mesh_job*        job  = ctx;
    shoal_tet_state* s    = job->state;
    shoal_clear      last = {.off = (double)-INFINITY};
    for (int v = begin; v < end; v++) {
        s->walls.of[v]     = -1;
        s->is_air[v]       = 0;
        job->is_snapped[v] = 0;
        double near        = ON_SURFACE * job->step;
        bool   is_film = false, is_thin = shoal_tet_medials_are_near(job->thin, s->mesh.position[v]);
        bool   is_beyond = is_thin && shoal_band_distance(&s->band, s->mesh.position[v]) > near;
        s->beyond[v]     = is_beyond ? SHOAL_TET_BEYOND_SHEET : SHOAL_TET_BEYOND_NONE;
        if (!s->mesh.is_on_surface[v]) continue;
        job->before[v] = s->mesh.position[v];
        double depth   = liquid_depth(job->thin, &s->band, s->mesh.position[v], &is_film);
        s->is_air[v]   = depth < near;
        if (is_beyond && is_film) s->beyond[v] = SHOAL_TET_BEYOND_FILM;
        if (shoal_clear_off(&last, s->mesh.position[v]) >= LIQUID_SNAP_MOST * job->step) {
            s->is_air[v] = 1; // on the zero set and far from solids: whatever its root has missed
            continue;
        }
        double off = liquid_off(job->solids, s->mesh.position[v], &job->walls[v], &last);
        if (!s->is_air[v] && off >= near) { // its root was missed: it is at the nearer of the two, never at neither
            if (depth > off) {
                s->walls.of[v] = 0;
                continue;
            }
            s->is_air[v] = 1;
        }
        if (off >= near && off < LIQUID_SNAP_MOST * job->step && s->is_air[v] && !is_beyond)
            job->is_snapped[v] =
                liquid_snap(&s->band, job->solids, job->step, near, &s->mesh.position[v], &job->walls[v]);
        if (off < near) s->walls.of[v] = 0;
    }
}

static shoal_status find_boundary(shoal_tet_liquid* l, mesh_job* job, const shoal_exec* exec) {
    shoal_tet_state* s    = job->state;
    size_t           mark = l->arena.used;
    int              n = s->mesh.vertex_count, count = 0;
    SHOAL_TRY(shoal_reserve((void**)&s->walls.of, &s->wall_of_capacity, n, sizeof *s->walls.of));
    SHOAL_TRY(shoal_reserve((void**)&s->is_air, &s->air_capacity, n, 1));
    SHOAL_TRY(shoal_reserve((void**)&s->beyond, &s->beyond_capacity, n, 1));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&job->walls, (size_t)n, sizeof *job->walls));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&job->before, (size_t)n, sizeof *job->before));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&job->is_snapped, (size_t)n, 1));
    shoal_blocks(exec, n, BLOCK, boundary_block, job);
    s->has_film = false;
    for (int v = 0; v < n; v++) s->has_film |= s->beyond[v] == SHOAL_TET_BEYOND_FILM;
    SHOAL_TRY(liquid_unsnap(&s->mesh, job->is_snapped, job->before, &l->arena));
    for (int v = 0; v < n; v++)
        if (s->walls.of[v] == 0 || job->is_snapped[v]) s->walls.of[v] = count++;
    SHOAL_TRY(shoal_reserve((void**)&s->walls.wall, &s->wall_capacity, count, sizeof *s->walls.wall));
    for (int v = 0; v < n; v++)
        if (s->walls.of[v] >= 0) s->walls.wall[s->walls.of[v]] = job->walls[v];
    shoal_arena_back(&l->arena, mark);
    return SHOAL_OK;
}

shoal_status liquid_make_mesh(shoal_tet_liquid* l, shoal_tet_state* s, const shoal_tet_solids* solids,
                              const shoal_exec* exec) {
    mesh_job  job  = {.solids = solids, .state = s, .thin = &l->thin, .step = s->work.tree.step};
    size_t    mark = l->arena.used;
    uint64_t* keys;
    int       count;
    if (l->flow.mesh == &s->mesh) l->flow.mesh = NULL; // it is of the mesh that was there
    if (l->source_state == s) l->source_state = NULL;
    SHOAL_TRY(liquid_list_solid_octants(l, s, solids, exec));
    shoal_tet_state* other = s == &l->states[0] ? &l->states[1] : &l->states[0];
    shoal_stuffing_lend(&other->work, &s->work);
    SHOAL_TRY(liquid_find_thin(l, s, solids, exec));
    SHOAL_TRY(list_octants(l, s, &keys, &count));
    SHOAL_TRY(shoal_stuffing_make(&s->work, within, &job, keys, count, ROOTS, exec, &s->mesh));
    SHOAL_TRY(shoal_reserve((void**)&s->velocity, &s->velocity_capacity, s->mesh.tet_count, sizeof *s->velocity));
    SHOAL_TRY(find_boundary(l, &job, exec));
    SHOAL_TRY(liquid_reserve_loose(s));
    SHOAL_TRY(liquid_reserve_flying(s));
    shoal_arena_back(&l->arena, mark);
    shoal_tet_medials_forget(&l->thin);
    return SHOAL_OK;
}

void shoal_tet_liquid_rest(shoal_tet_liquid* l) { shoal_arena_back(&l->arena, l->held); }

void liquid_drop_neighbours(shoal_tet_liquid* l) {
    for (int k = 0; k < 2; k++) l->states[k].mesh.has_neighbours = false;
    l->flow.mesh           = NULL; // it walks by them
    l->flow.sharp_velocity = NULL;
    l->flow.outward        = NULL;
    l->flow.sharp_capacity = l->flow.outward_capacity = 0;
    l->held                                           = 0;
    shoal_tet_liquid_rest(l);
}

// Of the two meshes one has `incident`, unless both must: the other hands over the memory.
static shoal_status find_incident(shoal_tet_liquid* l, shoal_tet_state* s, bool are_both, const shoal_exec* exec) {
    shoal_tetmesh* other = s == &l->states[0] ? &l->states[1].mesh : &l->states[0].mesh;
    if (!s->mesh.has_incident && !are_both && other->incident) shoal_tetmesh_hand_over(other, &s->mesh);
    return shoal_tetmesh_find_incident(&s->mesh, exec);
}

// Room for the neighbours, for all that finding them and making a flow takes meanwhile, and for what the owner keeps
// there: what has been made once is made again without memory, as when a step is undone.
static shoal_status reserve_scratch(shoal_tet_liquid* l, const shoal_tet_state* s, const shoal_exec* exec) {
    size_t tets = (size_t)s->mesh.tet_count, vertices = (size_t)s->mesh.vertex_count,
           flow = vertices * (sizeof *l->flow.sharp_velocity + sizeof *l->flow.outward),
           own = tets * sizeof *s->mesh.neighbours, shown = tets * l->shown_by_tet + vertices * l->shown_by_vertex,
           faces = shoal_tetmesh_neighbour_scratch(&s->mesh, exec), through = shoal_tet_flow_scratch(&s->mesh);
    if (shown < faces) shown = faces;
    if (shown < through) shown = through;
    return shoal_arena_hold(&l->arena, flow + own + shown + PIECES * SHOAL_ARENA_ALIGN);
}

shoal_status liquid_find_neighbours(shoal_tet_liquid* l, shoal_tet_state* s, bool are_both, const shoal_exec* exec) {
    if (s->mesh.has_neighbours) return SHOAL_OK;
    if (!are_both) {
        liquid_drop_neighbours(l);
        SHOAL_TRY(shoal_arena_hold(&l->arena, shoal_tetmesh_incident_scratch(&s->mesh) + SHOAL_ARENA_ALIGN));
    }
    SHOAL_TRY(find_incident(l, s, are_both, exec));
    if (!are_both) {
        SHOAL_TRY(reserve_scratch(l, s, exec));
        SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&l->flow.sharp_velocity, (size_t)s->mesh.vertex_count,
                                   sizeof *l->flow.sharp_velocity));
        SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&l->flow.outward, (size_t)s->mesh.vertex_count,
                                   sizeof *l->flow.outward));
        l->flow.sharp_capacity = l->flow.outward_capacity = s->mesh.vertex_count;
    }
    SHOAL_TRY(shoal_tetmesh_find_neighbours(&s->mesh, exec));
    l->held = l->arena.used;
    return SHOAL_OK;
}

static bool has_moving_walls(const shoal_tet_state* s) {
    for (int v = 0; v < s->mesh.vertex_count; v++) {
        shoal_v3 u = liquid_velocity_of_wall(&s->walls, v);
        if (shoal_v3_dot(u, u) > 0.0f) return true;
    }
    return false;
}
shoal_status liquid_ready_for_pressure(shoal_tet_liquid* l, shoal_tet_state* s, const shoal_tet_drive* drive,
                                       const shoal_exec* exec) {
    bool are_needed = has_moving_walls(s);
    for (int k = 0; k < drive->tap_count; k++) are_needed |= drive->taps[k].rate > 0.0;
    if (are_needed) return liquid_find_neighbours(l, s, false, exec);
    liquid_drop_neighbours(l);
    return find_incident(l, s, false, exec);
}
