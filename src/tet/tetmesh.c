// SPDX-License-Identifier: MIT
#include "tet/tetmesh.h"

#include <math.h>

// --- memory

void shoal_tetmesh_free(shoal_tetmesh* mesh) {
    shoal_free(mesh->position);
    shoal_free(mesh->is_on_surface);
    shoal_free(mesh->tets);
    if (!mesh->arena) shoal_free(mesh->neighbours);
    shoal_free(mesh->shape);
    shoal_free(mesh->incident_first);
    shoal_free(mesh->incident);
    *mesh = (shoal_tetmesh){.arena = mesh->arena};
}

shoal_status shoal_tetmesh_reserve(shoal_tetmesh* mesh, int vertices, int tets) {
    mesh->vertex_count = mesh->tet_count = 0;
    mesh->has_neighbours = mesh->has_incident = false;
    SHOAL_TRY(shoal_reserve((void**)&mesh->position, &mesh->vertex_capacity, vertices, sizeof *mesh->position));
    SHOAL_TRY(
        shoal_reserve((void**)&mesh->is_on_surface, &mesh->surface_capacity, vertices, sizeof *mesh->is_on_surface));
    SHOAL_TRY(shoal_reserve((void**)&mesh->tets, &mesh->tet_capacity, tets, sizeof *mesh->tets));
    SHOAL_TRY(shoal_reserve((void**)&mesh->shape, &mesh->shape_capacity, tets, sizeof *mesh->shape));
    mesh->vertex_count = vertices;
    mesh->tet_count    = tets;
    return SHOAL_OK;
}

// --- the tetrahedra around each vertex, in their order: chunks of tetrahedra count theirs, and have places of their
// own then

enum { FAN_CHUNKS = 8 };

typedef struct fan_job {
    shoal_tetmesh* mesh;
    int            chunk; // corners of a chunk
    int*           next;  // [chunks][vertices] how many a chunk has; then where its next goes
} fan_job;

static void count_fans(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const fan_job*       job  = ctx;
    const shoal_tetmesh* mesh = job->mesh;
    for (int c = begin; c < end; c++) {
        int *next = job->next + (size_t)c * (size_t)mesh->vertex_count, last = 4 * mesh->tet_count;
        for (int v = 0; v < mesh->vertex_count; v++) next[v] = 0;
        for (int i = c * job->chunk; i < (c + 1) * job->chunk && i < last; i++) next[mesh->tets[i / 4][i % 4]]++;
    }
}
static void fill_fans(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const fan_job* job  = ctx;
    shoal_tetmesh* mesh = job->mesh;
    for (int c = begin; c < end; c++) {
        int *next = job->next + (size_t)c * (size_t)mesh->vertex_count, last = 4 * mesh->tet_count;
        for (int i = c * job->chunk; i < (c + 1) * job->chunk && i < last; i++)
            mesh->incident[next[mesh->tets[i / 4][i % 4]]++] = i;
    }
}

shoal_status shoal_tetmesh_find_incident(shoal_tetmesh* mesh, const shoal_exec* exec) {
    if (mesh->has_incident) return SHOAL_OK;
    shoal_arena own = {0}, *arena = mesh->arena ? mesh->arena : &own;
    size_t      vertices = (size_t)mesh->vertex_count, mark = arena->used;
    fan_job     job = {.mesh = mesh, .chunk = 4 * (mesh->tet_count / FAN_CHUNKS + 1)};
    SHOAL_TRY(shoal_reserve_safely((void**)&mesh->incident_first, &mesh->incident_first_capacity,
                                   mesh->vertex_count + 1, sizeof *mesh->incident_first));
    SHOAL_TRY(shoal_reserve_safely((void**)&mesh->incident, &mesh->incident_capacity, 4 * mesh->tet_count,
                                   sizeof *mesh->incident));
    SHOAL_TRY(shoal_arena_make(arena, (void**)&job.next, FAN_CHUNKS * vertices, sizeof *job.next));
    shoal_blocks(exec, FAN_CHUNKS, 1, count_fans, &job);
    int sum = 0;
    for (size_t v = 0; v < vertices; v++) {
        mesh->incident_first[v] = sum;
        for (size_t c = 0; c < FAN_CHUNKS; c++) {
            int count                  = job.next[c * vertices + v];
            job.next[c * vertices + v] = sum;
            sum += count;
        }
    }
    mesh->incident_first[vertices] = sum;
    shoal_blocks(exec, FAN_CHUNKS, 1, fill_fans, &job);
    shoal_arena_back(arena, mark);
    shoal_arena_free(&own);
    mesh->has_incident = true;
    return SHOAL_OK;
}

// --- neighbours
//
// A face belongs to its smallest vertex, and is matched among those of the tetrahedra around that, about 20: neither a
// hash nor a sort.

enum { VERTICES = 1024 }; // of a block

typedef struct face {
    uint64_t rest; // its two larger vertices
    int      tet, corner;
} face;

// A pair that is found is not looked at again.
static void match(shoal_tetmesh* mesh, face* faces, int count) {
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (faces[i].rest == faces[j].rest) {
                mesh->neighbours[faces[i].tet][faces[i].corner] = faces[j].tet;
                mesh->neighbours[faces[j].tet][faces[j].corner] = faces[i].tet;
                faces[j]                                        = faces[--count];
                break;
            }
}

typedef struct join_job {
    shoal_tetmesh* mesh;
    face*          faces; // [threads][most]
    int            most;  // of a vertex
} join_job;

// The faces of a tetrahedron at its vertex `own` of which that is the smallest.
static int faces_at(const int tet[4], int t, int own, face* to) {
    int count = 0;
    for (int k = 0; k < 4; k++) {
        if (k == own) continue;
        int a = (k + 1) % 4 == own ? (k + 2) % 4 : (k + 1) % 4, b = 6 - k - own - a;
        if (tet[a] < tet[own] || tet[b] < tet[own]) continue;
        int low = tet[a] < tet[b] ? tet[a] : tet[b], high = tet[a] < tet[b] ? tet[b] : tet[a];
        to[count++] = (face){(uint64_t)high << 32 | (uint32_t)low, t, k};
    }
    return count;
}

static void join_block(void* ctx, int begin, int end, int worker) {
    const join_job* job   = ctx;
    shoal_tetmesh*  mesh  = job->mesh;
    face*           faces = job->faces + (size_t)worker * (size_t)job->most;
    for (int v = begin; v < end; v++) {
        int count = 0;
        for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
            int        t = mesh->incident[i] / 4, own = mesh->incident[i] % 4;
            const int* tet = mesh->tets[t];
            if ((tet[0] < v) + (tet[1] < v) + (tet[2] < v) + (tet[3] < v) < 2)
                count += faces_at(tet, t, own, faces + count);
        }
        for (int i = 0; i < count; i++) mesh->neighbours[faces[i].tet][faces[i].corner] = -1;
        match(mesh, faces, count);
    }
}

static int most_faces(const shoal_tetmesh* mesh) {
    int most = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int faces = 3 * (mesh->incident_first[v + 1] - mesh->incident_first[v]);
        if (most < faces) most = faces;
    }
    return most;
}

static shoal_status join(shoal_tetmesh* mesh, shoal_arena* scratch, const shoal_exec* exec) {
    join_job job = {.mesh = mesh, .most = most_faces(mesh)};
    SHOAL_TRY(
        shoal_arena_make(scratch, (void**)&job.faces, (size_t)exec->threads * (size_t)job.most, sizeof *job.faces));
    shoal_blocks(exec, mesh->vertex_count, VERTICES, join_block, &job);
    return SHOAL_OK;
}

shoal_status shoal_tetmesh_find_neighbours(shoal_tetmesh* mesh, const shoal_exec* exec) {
    shoal_arena own = {0}, *arena = mesh->arena ? mesh->arena : &own;
    if (mesh->arena)
        SHOAL_TRY(
            shoal_arena_make(arena, (void**)&mesh->neighbours, (size_t)mesh->tet_count, sizeof *mesh->neighbours));
    else
        SHOAL_TRY(shoal_reserve((void**)&mesh->neighbours, &mesh->neighbour_capacity, mesh->tet_count,
                                sizeof *mesh->neighbours));
    size_t       mark   = arena->used;
    shoal_status status = shoal_tetmesh_find_incident(mesh, exec);
    if (status == SHOAL_OK) status = join(mesh, arena, exec);
    shoal_arena_back(arena, mark);
    shoal_arena_free(&own);
    mesh->has_neighbours = status == SHOAL_OK;
    return status;
}

// --- quality

double shoal_tet_cosines(const shoal_tetmesh* mesh, int t, double* least, double* most) {
    shoal_d3 area[4];
    double   volume = shoal_tet_areas(mesh, t, area);
    *least = 1.0, *most = -1.0;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            double c = -shoal_d3_dot(area[i], area[j]) / (shoal_d3_length(area[i]) * shoal_d3_length(area[j]));
            *least   = fmin(*least, c);
            *most    = fmax(*most, c);
        }
    return volume;
}
static double degrees(double cosine) { return acos(fmax(-1.0, fmin(1.0, cosine))) * (180.0 / SHOAL_PI); }

static double volume_block(void* ctx, int begin, int end) {
    const shoal_tetmesh* mesh = ctx;
    double               sum  = 0.0;
    for (int t = begin; t < end; t++) {
        shoal_d3 area[4];
        sum += shoal_tet_areas(mesh, t, area);
    }
    return sum;
}
double shoal_tetmesh_volume(const shoal_tetmesh* mesh, const shoal_exec* exec) {
    return shoal_sum(exec, mesh->tet_count, volume_block, (void*)(uintptr_t)mesh);
}
static double thin_block(void* ctx, int begin, int end) { // negative: a largest value is asked for
    const shoal_tetmesh* mesh = ctx;
    double               most = -HUGE_VAL;
    for (int t = begin; t < end; t++) {
        shoal_d3 area[4];
        most = fmax(most, -shoal_tet_areas(mesh, t, area));
    }
    return most;
}
static double sharp_block(void* ctx, int begin, int end) {
    double least, most, all = -1.0;
    for (int t = begin; t < end; t++) shoal_tet_cosines(ctx, t, &least, &most), all = fmax(all, most);
    return -degrees(all);
}
static double flat_block(void* ctx, int begin, int end) {
    double least, most, all = 1.0;
    for (int t = begin; t < end; t++) shoal_tet_cosines(ctx, t, &least, &most), all = fmin(all, least);
    return degrees(all);
}

shoal_tet_quality shoal_tetmesh_quality(const shoal_tetmesh* mesh, const shoal_exec* exec) {
    shoal_tet_quality q   = {0};
    void*             ctx = (void*)(uintptr_t)mesh;
    if (mesh->tet_count == 0) return q;
    q.volume        = shoal_tetmesh_volume(mesh, exec);
    q.least_volume  = -shoal_max(exec, mesh->tet_count, thin_block, ctx);
    q.least_angle   = -shoal_max(exec, mesh->tet_count, sharp_block, ctx);
    q.largest_angle = shoal_max(exec, mesh->tet_count, flat_block, ctx);
    for (int t = 0; t < mesh->tet_count; t++) {
        q.by_shape[mesh->shape[t]]++;
        for (int k = 0; k < 4; k++) q.boundary_faces += mesh->neighbours[t][k] < 0;
    }
    return q;
}
