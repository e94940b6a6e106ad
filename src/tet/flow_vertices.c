// SPDX-License-Identifier: MIT
// Velocities at the vertices of a mesh: the means of its tetrahedra, which paths are traced by, those at the air by
// what passes there, and sharper ones for values.
#include "tet/flow.h"

#include <math.h>

enum { BLOCK = 256 };

// --- means

typedef struct vertex_job {
    shoal_tet_flow*        flow;
    const shoal_tet_walls* walls;
    const uint8_t*         is_air;             // [vertices]
    uint8_t *              is_deep, *is_wider; // [vertices]
    double                 sharpness;
    shoal_v3*              at_air; // [vertices] what mean_velocity is to be
} vertex_job;

static shoal_d3 at_wall(const shoal_tet_walls* walls, int v, shoal_d3 u) {
    if (!walls || walls->of[v] < 0) return u;
    const shoal_tet_wall* w      = &walls->wall[walls->of[v]];
    shoal_d3              normal = shoal_d3_from(w->normal), wall = shoal_d3_from(w->velocity);
    if (shoal_d3_dot(normal, normal) == 0.0) return u;
    if (w->is_sticky) return wall;
    // what comes towards the wall is stopped, and takes of the slip along it what Coulomb's law says
    shoal_d3 relative = shoal_d3_sub(u, wall);
    double   towards  = -shoal_d3_dot(relative, normal);
    shoal_d3 slip     = shoal_d3_add(relative, shoal_d3_scale(normal, towards));
    double   most = (double)w->friction * fmax(towards, 0.0), length = shoal_d3_length(slip);
    return shoal_d3_add(wall, shoal_d3_scale(slip, most < length ? 1.0 - most / length : length > 0.0 ? 0.0 : 1.0));
}

// The mean over the tetrahedra around, by volume; with `than`, that of what they have beyond the mean of their
// vertices.
static shoal_d3 around(const shoal_tet_flow* flow, int v, const shoal_v3* than) {
    const shoal_tetmesh* mesh = flow->mesh;
    shoal_d3             sum  = {0.0, 0.0, 0.0};
    double               all  = 0.0;
    for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
        int      t = mesh->incident[i] / 4;
        shoal_d3 area[4], u = shoal_d3_from(flow->velocity[t]);
        double   volume = shoal_tet_areas(mesh, t, area);
        if (than) u = shoal_d3_sub(u, shoal_tet_vertex_mean(mesh, t, than));
        sum = shoal_d3_add(sum, shoal_d3_scale(u, volume));
        all += volume;
    }
    return all > 0.0 ? shoal_d3_scale(sum, 1.0 / all) : sum;
}

static void trace_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    vertex_job* job = ctx;
    for (int v = begin; v < end; v++)
        job->flow->mean_velocity[v] = shoal_v3_from(at_wall(job->walls, v, around(job->flow, v, NULL)));
}
static void sharpen_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    vertex_job* job = ctx;
    for (int v = begin; v < end; v++) {
        shoal_d3 lost = around(job->flow, v, job->flow->mean_velocity);
        shoal_d3 u    = shoal_d3_add(shoal_d3_from(job->flow->mean_velocity[v]), shoal_d3_scale(lost, job->sharpness));
        job->flow->sharp_velocity[v] = shoal_v3_from(at_wall(job->walls, v, u));
    }
}

// --- at the air
//
// The mean at a vertex of the surface is that of a place within the liquid. Where a film spreads, its surface would
// sink by half of what it should, and the film would grow with its area. What passes through the faces at a vertex is
// known better: by the weak form that pressure has solved it is the integral over the tetrahedra of the gradient of the
// vertex's hat function times the velocity. Of all vertices at the air together that is what walls push, so that a
// surface that moves by it keeps its volume.

// Of the area at a vertex: what is added to its square, or vertices at the rim of a sheet, with faces on both sides,
// would fly off.
#define RIM_WEIGHT 0.01
// The most that a velocity is changed by, over the largest difference between the mean and those it is the mean of.
#define MOST_CHANGE 1.0

// Where a stream meets a pool, the surface is bent inwards, and the pressure at the bend is that of the air, however
// fast both come together there: more flows in than out, and no velocity of the vertex brings that out, since its faces
// all but face each other. By the means, which are of the stream and of the pool, the pool sank beside the stream, and
// what fell into that pit was lost. So what passes there moves the surface outwards, on both sides of the bend: all of
// it at a right angle and sharper ones, where the sum of the faces is less than that of their areas by 0.29, and next
// to none where the surface is smooth, as in waves.
#define BEND_SURE 0.25

static bool is_on_wall(const vertex_job* job, int v) { return job->walls && job->walls->of[v] >= 0; }

// The volume that passes by the means through face k of a tetrahedron, by time, as far as it is a vertex's: its part of
// the integral, and its fraction of that of vertices that are not at the air. A face on a wall goes with that. *own:
// what of the face's area is the vertex's, if the face is at the air.
static double through_face(const vertex_job* job, int t, int k, int v, shoal_d3 area, shoal_d3* own) {
    const int* tet = job->flow->mesh->tets[t];
    shoal_d3   all = {0.0, 0.0, 0.0}, part = all;
    int        on_wall = 0, at_air = 0;
    for (int l = 0; l < 4; l++)
        if (l != k) on_wall += is_on_wall(job, tet[l]), at_air += job->is_air[tet[l]];
    for (int l = 0; l < 4; l++) {
        if (l == k) continue;
        shoal_v3 u =
            on_wall == 3 ? job->walls->wall[job->walls->of[tet[l]]].velocity : job->flow->mean_velocity[tet[l]];
        all = shoal_d3_add(all, shoal_d3_from(u));
    }
    *own = shoal_d3_scale(area, on_wall == 3 ? 0.0 : 1.0 / 3.0);
    if (on_wall == 3) return shoal_d3_dot(all, area) / 9.0;
    for (int l = 0; l < 4; l++) {
        if (l == k || (tet[l] != v && job->is_air[tet[l]])) continue;
        shoal_d3 u = shoal_d3_add(all, shoal_d3_from(job->flow->mean_velocity[tet[l]]));
        part       = shoal_d3_add(part, shoal_d3_scale(u, tet[l] == v ? 1.0 : 1.0 / at_air));
    }
    return shoal_d3_dot(part, area) / 12.0;
}

// Thick parts that do not fly need none of this to keep their volume, and waves would lose a tenth of their energy in a
// period by it. A vertex is deep if neither it nor a neighbour is on the surface, of the air or a wall, and so is what
// is so many edges from one that is: as far as the edge between the air and a wall.
#define DEEP_REACH 2
static bool has_neighbour(const shoal_tetmesh* mesh, int v, const uint8_t* is_so) {
    for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
        const int* tet = mesh->tets[mesh->incident[i] / 4];
        if (is_so[tet[0]] | is_so[tet[1]] | is_so[tet[2]] | is_so[tet[3]]) return true;
    }
    return false;
}
static void deep_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    vertex_job* job = ctx;
    for (int v = begin; v < end; v++)
        job->is_deep[v] = !has_neighbour(job->flow->mesh, v, job->flow->mesh->is_on_surface);
}
static void widen_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    vertex_job* job = ctx;
    for (int v = begin; v < end; v++) job->is_wider[v] = has_neighbour(job->flow->mesh, v, job->is_deep);
}
// Of the tetrahedra around a vertex those from which it is far to what is deep.
static double thin_fraction(const vertex_job* job, int v) {
    const shoal_tetmesh* mesh = job->flow->mesh;
    int                  thin = 0, count = mesh->incident_first[v + 1] - mesh->incident_first[v];
    for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
        const int*     tet = mesh->tets[mesh->incident[i] / 4];
        const uint8_t* is  = job->is_deep;
        thin += !(is[tet[0]] | is[tet[1]] | is[tet[2]] | is[tet[3]]);
    }
    return (double)thin / count;
}

static shoal_d3 face_middle(const shoal_tetmesh* mesh, int t, int k) {
    shoal_d3 sum = {0.0, 0.0, 0.0};
    for (int l = 0; l < 4; l++)
        if (l != k) sum = shoal_d3_add(sum, mesh->position[mesh->tets[t][l]]);
    return shoal_d3_scale(sum, 1.0 / 3.0);
}

static shoal_d3 at_air(const vertex_job* job, int v) {
    const shoal_tetmesh* mesh = job->flow->mesh;
    shoal_d3             u = shoal_d3_from(job->flow->mean_velocity[v]), out = {0.0, 0.0, 0.0}, rise = out;
    double               lack = 0.0, around = 0.0, most = 0.0, part = thin_fraction(job, v);
    if (job->flow->flying) part = fmax(part, job->flow->flying[v] / 255.0);
    if (part == 0.0 && is_on_wall(job, v)) return u;
    for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
        int      t = mesh->incident[i] / 4, corner = mesh->incident[i] % 4;
        shoal_d3 area[4], own, velocity = shoal_d3_from(job->flow->velocity[t]), off = shoal_d3_sub(velocity, u);
        shoal_tet_areas(mesh, t, area);
        most = fmax(most, shoal_d3_dot(off, off));
        lack -= shoal_d3_dot(velocity, area[corner]) / 3.0;
        for (int k = 0; k < 4; k++) {
            if (k == corner || mesh->neighbours[t][k] >= 0) continue;
            lack -= through_face(job, t, k, v, area[k], &own);
            out = shoal_d3_add(out, own);
            around += shoal_d3_length(area[k]) / 3.0;
            rise = shoal_d3_add(rise, shoal_d3_sub(face_middle(mesh, t, k), mesh->position[v]));
        }
    }
    if (is_on_wall(job, v)) { // along it
        shoal_d3 normal = shoal_d3_from(job->walls->wall[job->walls->of[v]].normal);
        out             = shoal_d3_sub(out, shoal_d3_scale(normal, shoal_d3_dot(out, normal)));
    }
    double weight = shoal_d3_dot(out, out) + RIM_WEIGHT * around * around;
    if (!(weight > 0.0)) return u;
    double change = shoal_d3_length(out) * part * fabs(lack) / weight, bend = 1.0 - shoal_d3_length(out) / around;
    most        = MOST_CHANGE * sqrt(most);
    shoal_d3 by = shoal_d3_scale(out, part * lack / weight * (change > most ? most / change : 1.0));
    if (!is_on_wall(job, v) && shoal_d3_dot(rise, out) > 0.0) { // bent inwards
        double rest           = (lack - shoal_d3_dot(by, out)) / around * fmin(1.0, bend / BEND_SURE);
        job->flow->outward[v] = (float)fmax(-most, fmin(most, rest));
    }
    return shoal_d3_add(u, by);
}
static void air_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    vertex_job* job = ctx;
    for (int v = begin; v < end; v++)
        job->at_air[v] = job->is_air[v] ? shoal_v3_from(at_air(job, v)) : job->flow->mean_velocity[v];
}
static void take_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    vertex_job* job = ctx;
    for (int v = begin; v < end; v++) job->flow->mean_velocity[v] = job->at_air[v];
}

size_t shoal_tet_flow_scratch(const shoal_tetmesh* mesh) { return (size_t)mesh->vertex_count * (sizeof(shoal_v3) + 2); }

static shoal_status let_through(vertex_job* job, const shoal_exec* exec) {
    int          n    = job->flow->mesh->vertex_count;
    shoal_arena  none = {0}, *arena = job->flow->mesh->arena ? job->flow->mesh->arena : &none;
    size_t       mark   = arena->used;
    shoal_status status = shoal_arena_make(arena, (void**)&job->at_air, (size_t)n, sizeof *job->at_air);
    if (status == SHOAL_OK) status = shoal_arena_make(arena, (void**)&job->is_deep, (size_t)n, 1);
    if (status == SHOAL_OK) status = shoal_arena_make(arena, (void**)&job->is_wider, (size_t)n, 1);
    if (status == SHOAL_OK) {
        shoal_blocks(exec, n, BLOCK, deep_block, job);
        for (int k = 0; k < DEEP_REACH; k++) {
            shoal_blocks(exec, n, BLOCK, widen_block, job);
            uint8_t* swap = job->is_deep;
            job->is_deep = job->is_wider, job->is_wider = swap;
        }
        shoal_blocks(exec, n, BLOCK, air_block, job);
        shoal_blocks(exec, n, BLOCK, take_block, job);
    }
    shoal_arena_back(arena, mark);
    shoal_arena_free(&none);
    return status;
}

shoal_status shoal_tet_flow_make(shoal_tet_flow* flow, const shoal_stuffing* work, const shoal_tetmesh* mesh,
                                 const shoal_v3* velocity, const shoal_tet_walls* walls, const uint8_t* is_air,
                                 double sharpness, const shoal_exec* exec) {
    flow->mesh      = NULL; // of none, where there is no memory for it
    flow->tree      = &work->tree;
    flow->first_tet = work->first_tet;
    flow->velocity  = velocity;
    SHOAL_TRY(shoal_reserve_safely((void**)&flow->mean_velocity, &flow->mean_capacity, mesh->vertex_count,
                                   sizeof *flow->mean_velocity));
    SHOAL_TRY(shoal_reserve_safely((void**)&flow->sharp_velocity, &flow->sharp_capacity, mesh->vertex_count,
                                   sizeof *flow->sharp_velocity));
    SHOAL_TRY(shoal_reserve_safely((void**)&flow->outward, &flow->outward_capacity, mesh->vertex_count,
                                   sizeof *flow->outward));
    for (int v = 0; v < mesh->vertex_count; v++) flow->outward[v] = 0.0f;
    flow->core     = 1.0;
    vertex_job job = {.flow = flow, .walls = walls, .is_air = is_air, .sharpness = sharpness};
    flow->mesh     = mesh;
    shoal_blocks(exec, mesh->vertex_count, BLOCK, trace_block, &job);
    shoal_blocks(exec, mesh->vertex_count, BLOCK, sharpen_block, &job);
    shoal_status status = is_air ? let_through(&job, exec) : SHOAL_OK;
    if (status != SHOAL_OK) flow->mesh = NULL;
    return status;
}
