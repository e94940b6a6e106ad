// SPDX-License-Identifier: MIT
#include "tet/tetmesh.h"

#include <math.h>

// --- memory

void shoal_tetmesh_free(shoal_tetmesh* mesh) {
    shoal_free(mesh->position);
    shoal_free(mesh->is_on_surface);
    shoal_free(mesh->tets);
    shoal_free(mesh->neighbours);
    shoal_free(mesh->shape);
    shoal_free(mesh->incident_first);
    shoal_free(mesh->incident);
    *mesh = (shoal_tetmesh){.arena = mesh->arena};
}

shoal_status shoal_tetmesh_reserve(shoal_tetmesh* mesh, int vertices, int tets) {
    mesh->vertex_count = mesh->tet_count = 0;
    mesh->has_neighbours                 = false;
    SHOAL_TRY(shoal_reserve((void**)&mesh->position, &mesh->vertex_capacity, vertices, sizeof *mesh->position));
    SHOAL_TRY(
        shoal_reserve((void**)&mesh->is_on_surface, &mesh->surface_capacity, vertices, sizeof *mesh->is_on_surface));
    SHOAL_TRY(shoal_reserve((void**)&mesh->tets, &mesh->tet_capacity, tets, sizeof *mesh->tets));
    SHOAL_TRY(shoal_reserve((void**)&mesh->shape, &mesh->shape_capacity, tets, sizeof *mesh->shape));
    mesh->vertex_count = vertices;
    mesh->tet_count    = tets;
    return SHOAL_OK;
}

// --- neighbours
//
// Faces are put into buckets by their smallest vertex and matched there, about 20 in a bucket: neither a hash nor a
// sort. A range of vertices is one piece of work. Which tetrahedra have faces in it is found before by counting: chunks
// of tetrahedra count, and have places of their own then.

enum { CHUNKS = 16, RANGES_MOST = 1024, SHIFT_LEAST = 10 }; // a range has 2^10 vertices at least

typedef struct face {
    uint64_t rest; // its two larger vertices
    int      tet, corner;
} face;

// The smallest vertex of a tetrahedron is that of three of its faces, the second smallest that of the fourth.
static void two_smallest(const int tet[4], int* first, int* second) {
    int a = tet[0] < tet[1] ? tet[0] : tet[1], b = tet[0] < tet[1] ? tet[1] : tet[0];
    int c = tet[2] < tet[3] ? tet[2] : tet[3], d = tet[2] < tet[3] ? tet[3] : tet[2];
    *first  = a < c ? a : c;
    *second = a < c ? (b < c ? b : c) : (d < a ? d : a);
}

static face face_of(const int tet[4], int t, int corner) {
    int v[3], n = 0;
    for (int k = 0; k < 4; k++)
        if (k != corner) v[n++] = tet[k];
    int low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
    if (v[2] > high)
        low = high, high = v[2]; // the smallest falls out
    else if (v[2] > low)
        low = v[2];
    return (face){(uint64_t)high << 32 | (uint32_t)low, t, corner};
}

typedef struct join_job {
    shoal_tetmesh* mesh;
    int            range, ranges; // vertices of a range, 2^shift
    int            shift;
    int            chunk;  // tetrahedra of a chunk
    int            most;   // faces of a range
    int*           items;  // [2 tets] by ranges of vertices: 2 tet, and 1 more for the second smallest
    int*           first;  // [chunks][ranges], and one more: where in items
    face*          faces;  // [threads][most]
    int*           bucket; // [threads][range + 2] where each vertex begins in faces
} join_job;

// With items: puts them down; without: counts.
static void sort_chunk(const join_job* job, int c, int* place, int* items) {
    int end = (c + 1) * job->chunk < job->mesh->tet_count ? (c + 1) * job->chunk : job->mesh->tet_count;
    for (int t = c * job->chunk; t < end; t++) {
        int v[2];
        two_smallest(job->mesh->tets[t], &v[0], &v[1]);
        for (int k = 0; k < 2; k++) {
            int* to = &place[v[k] >> job->shift];
            if (items) items[*to] = 2 * t + k;
            ++*to;
        }
    }
}
static void count_chunks(void* ctx, int begin, int end, int worker) {
    (void)worker;
    join_job* job = ctx;
    for (int c = begin; c < end; c++) {
        int* counts = job->first + (size_t)c * (size_t)job->ranges;
        for (int r = 0; r < job->ranges; r++) counts[r] = 0;
        sort_chunk(job, c, counts, NULL);
    }
}
static void place_chunks(void* ctx, int begin, int end, int worker) {
    (void)worker;
    join_job* job = ctx;
    int       place[RANGES_MOST];
    for (int c = begin; c < end; c++) {
        for (int r = 0; r < job->ranges; r++) place[r] = job->first[(size_t)c * (size_t)job->ranges + (size_t)r];
        sort_chunk(job, c, place, job->items);
    }
}

static void match(shoal_tetmesh* mesh, face* faces, int count) {
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (faces[i].rest == faces[j].rest) {
                mesh->neighbours[faces[i].tet][faces[i].corner] = faces[j].tet;
                mesh->neighbours[faces[j].tet][faces[j].corner] = faces[i].tet;
                break;
            }
}

// The faces of a range lie in the order of their smallest vertices.
static void join_ranges(void* ctx, int begin, int end, int worker) {
    const join_job* j     = ctx;
    shoal_tetmesh*  mesh  = j->mesh;
    face*           faces = j->faces + (size_t)worker * (size_t)j->most;
    int*            first = j->bucket + (size_t)worker * ((size_t)j->range + 2);
    for (int r = begin; r < end; r++) {
        int low = r * j->range;
        for (int v = 0; v < j->range + 2; v++) first[v] = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (int i = j->first[r]; i < j->first[r + 1]; i++) {
                int t = j->items[i] / 2, a, b;
                two_smallest(mesh->tets[t], &a, &b);
                if (pass == 0) {
                    first[(j->items[i] % 2 ? b : a) - low + 2] += j->items[i] % 2 ? 1 : 3;
                    continue;
                }
                for (int k = 0; k < 4; k++) {
                    bool is_second = mesh->tets[t][k] == a; // the smallest of the face opposite to k
                    if (is_second != j->items[i] % 2) continue;
                    faces[first[(is_second ? b : a) - low + 1]++] = face_of(mesh->tets[t], t, k);
                    mesh->neighbours[t][k]                        = -1;
                }
            }
            for (int v = 0; pass == 0 && v < j->range; v++) first[v + 2] += first[v + 1];
        }
        for (int v = 0; v < j->range; v++) match(mesh, faces + first[v], first[v + 1] - first[v]);
    }
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

static shoal_status list_fans(shoal_tetmesh* mesh, shoal_arena* arena, const shoal_exec* exec) {
    size_t  vertices = (size_t)mesh->vertex_count;
    fan_job job      = {.mesh = mesh, .chunk = 4 * (mesh->tet_count / FAN_CHUNKS + 1)};
    SHOAL_TRY(shoal_reserve((void**)&mesh->incident_first, &mesh->incident_first_capacity, mesh->vertex_count + 1,
                            sizeof *mesh->incident_first));
    SHOAL_TRY(
        shoal_reserve((void**)&mesh->incident, &mesh->incident_capacity, 4 * mesh->tet_count, sizeof *mesh->incident));
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
    return SHOAL_OK;
}

// --- both

// Counts into where the items of each chunk of a range begin.
static void lay_out(join_job* job) {
    for (int r = 0, next = 0; r < job->ranges; r++)
        for (int c = 0; c < CHUNKS; c++) {
            int *place = &job->first[c * job->ranges + r], count = *place;
            *place = next;
            next += count;
        }
}

static shoal_status join(join_job* job, shoal_arena* arena, const shoal_exec* exec) {
    const shoal_tetmesh* mesh = job->mesh;
    size_t               all  = (size_t)exec->threads;
    job->items                = shoal_arena_take(arena, 2 * (size_t)mesh->tet_count, sizeof *job->items);
    job->first                = shoal_arena_take(arena, CHUNKS * (size_t)job->ranges + 1, sizeof *job->first);
    if (!job->items || !job->first) return SHOAL_ERR_MEMORY;
    shoal_blocks(exec, CHUNKS, 1, count_chunks, job);
    lay_out(job);
    shoal_blocks(exec, CHUNKS, 1, place_chunks, job);
    if (job->ranges > 0) job->first[job->ranges] = 2 * mesh->tet_count; // the first chunk's are where ranges begin
    for (int r = 0; r < job->ranges; r++) {
        int faces = 3 * (job->first[r + 1] - job->first[r]);
        if (job->most < faces) job->most = faces;
    }
    job->faces  = shoal_arena_take(arena, all * (size_t)job->most, sizeof *job->faces);
    job->bucket = shoal_arena_take(arena, all * (size_t)(job->range + 2), sizeof *job->bucket);
    if (!job->faces || !job->bucket) return SHOAL_ERR_MEMORY;
    shoal_blocks(exec, job->ranges, 1, join_ranges, job);
    return SHOAL_OK;
}

shoal_status shoal_tetmesh_find_neighbours(shoal_tetmesh* mesh, const shoal_exec* exec) {
    shoal_arena own = {0}, *arena = mesh->arena ? mesh->arena : &own;
    size_t      mark = arena->used;
    SHOAL_TRY(
        shoal_reserve((void**)&mesh->neighbours, &mesh->neighbour_capacity, mesh->tet_count, sizeof *mesh->neighbours));
    join_job job = {.mesh = mesh, .shift = SHIFT_LEAST};
    while (mesh->vertex_count >> job.shift >= RANGES_MOST) job.shift++;
    job.range           = 1 << job.shift;
    job.ranges          = (mesh->vertex_count + job.range - 1) / job.range;
    job.chunk           = (mesh->tet_count + CHUNKS - 1) / CHUNKS;
    shoal_status status = join(&job, arena, exec);
    shoal_arena_back(arena, mark);
    if (status == SHOAL_OK) status = list_fans(mesh, arena, exec);
    shoal_arena_back(arena, mark);
    shoal_arena_free(&own);
    SHOAL_TRY(status);
    mesh->has_neighbours = true;
    return SHOAL_OK;
}

void shoal_tetmesh_hand_over(shoal_tetmesh* from, shoal_tetmesh* to) {
    shoal_tetmesh own = *to;
    to->neighbours = from->neighbours, to->neighbour_capacity = from->neighbour_capacity;
    to->incident_first = from->incident_first, to->incident_first_capacity = from->incident_first_capacity;
    to->incident = from->incident, to->incident_capacity = from->incident_capacity;
    from->neighbours = own.neighbours, from->neighbour_capacity = own.neighbour_capacity;
    from->incident_first = own.incident_first, from->incident_first_capacity = own.incident_first_capacity;
    from->incident = own.incident, from->incident_capacity = own.incident_capacity;
    from->has_neighbours = to->has_neighbours = false;
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
