// SPDX-License-Identifier: MIT
#include "tet/projection.h"

#include "exec/pass.h"

#include <math.h>

enum { BLOCK = 256, RING_MOST = 128 }; // vertices around one: BCC 14, warped ones up to 30 or so

void shoal_tet_projection_free(shoal_tet_projection* p) {
    void* const own[] = {p->rhs, p->closed, p->closed_end, p->is_open};
    shoal_csr_free(&p->matrix);
    shoal_cg_free(&p->cg);
    shoal_amg_free(p->amg);
    for (size_t k = 0; k < sizeof own / sizeof *own && !p->arena; k++) shoal_free(own[k]);
    *p = (shoal_tet_projection){.arena = p->arena};
}

// What was of the arena was given back.
static void forget(shoal_tet_projection* p) {
    *p = (shoal_tet_projection){
        .amg = p->amg, .arena = p->arena, .matrix = {.arena = p->arena}, .cg = {.arena = p->arena}, .end = p->end};
}

typedef struct project_job {
    shoal_tet_projection*     p;
    const shoal_tetmesh*      mesh;
    const uint8_t*            is_air;
    const shoal_tet_boundary* boundary;
    shoal_v3*                 velocity;
    const double*             pressure;
} project_job;

// --- the matrix

// The vertices around one, itself first, less those at the air, whose pressure is zero; with entries, what each adds to
// its row. None for one at the air. *is_held: one of them is at the air.
static int ring_of(const project_job* job, int vertex, int* ring, double* entries, bool* is_held) {
    const shoal_tetmesh* mesh  = job->mesh;
    int                  count = 1;
    *is_held                   = job->is_air[vertex];
    if (*is_held) return 0;
    ring[0] = vertex;
    if (entries) entries[0] = 0.0;
    for (int i = mesh->incident_first[vertex]; i < mesh->incident_first[vertex + 1]; i++) {
        int      t = mesh->incident[i] / 4, own = mesh->incident[i] % 4;
        shoal_d3 area[4];
        double   volume = entries ? shoal_tet_areas(mesh, t, area) : 0.0;
        for (int k = 0; k < 4; k++) {
            int v = mesh->tets[t][k], at = 0;
            if (job->is_air[v]) {
                *is_held = true;
                continue;
            }
            while (at < count && ring[at] != v) at++;
            if (at == count) {
                SHOAL_ASSERT(count < RING_MOST);
                ring[count] = v;
                if (entries) entries[count] = 0.0;
                count++;
            }
            if (entries) entries[at] += shoal_d3_dot(area[own], area[k]) / (9.0 * volume);
        }
    }
    return count;
}

static void count_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    project_job* job = ctx;
    int          ring[RING_MOST];
    for (int v = begin; v < end; v++) {
        bool is_held;
        job->p->closed[v]  = ring_of(job, v, ring, NULL, &is_held);
        job->p->is_open[v] = is_held;
    }
}

static void fill_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    project_job* job = ctx;
    shoal_csr*   m   = &job->p->matrix;
    for (int v = begin; v < end; v++) {
        bool is_held;
        ring_of(job, v, m->column + m->start[v], m->value + m->start[v], &is_held);
    }
}

// --- parts that no air holds

// Lists those that are connected with the ones listed from `begin` to `end`, behind them; returns the new end.
static int list_part(shoal_tet_projection* p, int begin, int end) {
    for (int i = begin; i < end; i++)
        for (int64_t k = p->matrix.start[p->closed[i]]; k < p->matrix.start[p->closed[i] + 1]; k++) {
            int v = p->matrix.column[k];
            if (p->is_open[v]) continue;
            p->is_open[v]    = 1;
            p->closed[end++] = v;
        }
    return end;
}

// is_open: of those at the air and beside it, to begin with.
static void list_closed(shoal_tet_projection* p) {
    int rows = p->matrix.rows, count = 0;
    for (int v = 0; v < rows; v++)
        if (p->is_open[v]) p->closed[count++] = v;
    int open        = list_part(p, 0, count);
    p->closed_count = p->part_count = 0;
    for (int v = 0; v < rows && open + p->closed_count < rows; v++) {
        if (p->is_open[v]) continue;
        int begin                      = p->closed_count;
        p->is_open[v]                  = 1;
        p->closed[begin]               = v;
        p->closed_count                = list_part(p, begin, begin + 1);
        p->closed_end[p->part_count++] = p->closed_count;
    }
    for (int i = 0; i < p->closed_count; i++) p->is_open[p->closed[i]] = 0;
}

static double volume_around(const shoal_tetmesh* mesh, int v) {
    double sum = 0.0;
    for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
        shoal_d3 area[4];
        sum += shoal_tet_areas(mesh, mesh->incident[i] / 4, area);
    }
    return sum;
}

// Takes from `values` of each part what they have in all, spread by volume; or their mean. Returns the sum of it.
static double balance(const shoal_tet_projection* p, const shoal_tetmesh* mesh, bool is_mean, double* values) {
    double all = 0.0;
    for (int k = 0, begin = 0; k < p->part_count; begin = p->closed_end[k++]) {
        double volume = 0.0, sum = 0.0;
        for (int i = begin; i < p->closed_end[k]; i++) {
            double own = volume_around(mesh, p->closed[i]);
            volume += own;
            sum += values[p->closed[i]] * (is_mean ? own : 1.0);
        }
        for (int i = begin; i < p->closed_end[k] && volume > 0.0; i++)
            values[p->closed[i]] -= sum / volume * (is_mean ? 1.0 : volume_around(mesh, p->closed[i]));
        all += sum;
    }
    return all;
}

// --- the right side

// b_i = - sum over tetrahedra of u . S_i / 3, with what comes into being in them, less what walls push through the
// faces on them.
static double flow_of(const project_job* job, int vertex) {
    const shoal_tetmesh* mesh = job->mesh;
    const shoal_v3*      wall = job->boundary->wall;
    double               sum  = 0.0;
    if (job->boundary->outflow) {
        wall = NULL;
        sum  = -(double)job->boundary->outflow[vertex];
    }
    for (int i = mesh->incident_first[vertex]; i < mesh->incident_first[vertex + 1]; i++) {
        int      t = mesh->incident[i] / 4, own = mesh->incident[i] % 4;
        shoal_d3 area[4], u                     = shoal_d3_from(job->velocity[t]);
        double   volume = shoal_tet_areas(mesh, t, area);
        sum -= shoal_d3_dot(u, area[own]) / 3.0;
        if (job->boundary->source) sum += 0.25 * volume * (double)job->boundary->source[t];
        for (int k = 0; wall && k < 4; k++) {
            if (k == own || mesh->neighbours[t][k] >= 0) continue;
            shoal_d3 wall_velocity = {0.0, 0.0, 0.0};
            for (int l = 0; l < 4; l++)
                if (l != k) wall_velocity = shoal_d3_add(wall_velocity, shoal_d3_from(wall[mesh->tets[t][l]]));
            sum -= shoal_d3_dot(wall_velocity, area[k]) / 9.0;
        }
    }
    return sum;
}

static void rhs_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    project_job* job = ctx;
    for (int v = begin; v < end; v++) job->p->rhs[v] = flow_of(job, v);
}

// u = u* + sum over its vertices of q S / (3 V)
static void subtract_gradient_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    project_job* job = ctx;
    for (int t = begin; t < end; t++) {
        shoal_d3 area[4], u = shoal_d3_from(job->velocity[t]);
        double   volume = shoal_tet_areas(job->mesh, t, area);
        for (int k = 0; k < 4; k++)
            u = shoal_d3_add(u, shoal_d3_scale(area[k], job->pressure[job->mesh->tets[t][k]] / (3.0 * volume)));
        job->velocity[t] = shoal_v3_from(u);
    }
}

// The matrix of a mesh, and which of its vertices the air holds.
static shoal_status make_matrix(project_job* job, const shoal_exec* exec) {
    shoal_tet_projection* p = job->p;
    int                   n = job->mesh->vertex_count;
    if (p->arena) forget(p);
    SHOAL_TRY(shoal_arena_reserve(p->arena, (void**)&p->closed, &p->closed_capacity, n, sizeof *p->closed));
    SHOAL_TRY(
        shoal_arena_reserve(p->arena, (void**)&p->closed_end, &p->end_capacity, n / 4 + 1, sizeof *p->closed_end));
    SHOAL_TRY(shoal_arena_reserve(p->arena, (void**)&p->is_open, &p->open_capacity, n, sizeof *p->is_open));
    shoal_blocks(exec, n, BLOCK, count_block, job);
    SHOAL_TRY(shoal_csr_shape(&p->matrix, n, p->closed));
    shoal_blocks(exec, n, BLOCK, fill_block, job);
    return SHOAL_OK;
}

shoal_status shoal_tet_projection_assemble(shoal_tet_projection* p, const shoal_tetmesh* mesh, const uint8_t* is_air,
                                           const shoal_exec* exec) {
    project_job job = {.p = p, .mesh = mesh, .is_air = is_air};
    SHOAL_TRY(make_matrix(&job, exec));
    list_closed(p);
    p->surplus = 0.0;
    return shoal_amg_setup(&p->amg, exec, &p->matrix, NULL);
}

SHOAL_FN bool is_not_finite(const double* value, int v) { return !isfinite(value[v]); }
SHOAL_FIRST_LOOP(first_not_finite, double, is_not_finite)

// A right side that is not a number has no solution, and to go on without a pressure would let the liquid fall through
// its walls.
static shoal_status check_rhs(const shoal_tet_projection* p, const shoal_tetmesh* mesh, const shoal_exec* exec) {
    int v = shoal_first(exec, mesh->vertex_count, first_not_finite, p->rhs);
    if (v < 0) return SHOAL_OK;
    shoal_d3 at = mesh->position[v];
    return shoal_fail(SHOAL_ERR_DIVERGE,
                      "the flow of the liquid at (%.4g, %.4g, %.4g) m stopped being finite before its pressure was "
                      "solved for",
                      at.x, at.y, at.z);
}

shoal_status shoal_tet_project(shoal_tet_projection* p, const shoal_tetmesh* mesh, const shoal_tet_boundary* boundary,
                               double tolerance, const shoal_exec* exec, shoal_v3* velocity, double* pressure) {
    project_job job = {p, mesh, boundary->is_air, boundary, velocity, pressure};
    SHOAL_TRY(shoal_arena_reserve(p->arena, (void**)&p->rhs, &p->rhs_capacity, mesh->vertex_count, sizeof *p->rhs));
    shoal_blocks(exec, mesh->vertex_count, BLOCK, rhs_block, &job);
    SHOAL_TRY(check_rhs(p, mesh, exec));
    p->surplus = balance(p, mesh, false, p->rhs);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (boundary->is_air[v]) pressure[v] = 0.0;
    shoal_cg_def def = {
        .tolerance = tolerance, .most = 1000, .precondition = shoal_amg_apply, .preconditioner = p->amg};
    SHOAL_TRY(shoal_cg_solve(&p->cg, exec, &p->matrix, p->rhs, pressure, &def, &p->end));
    balance(p, mesh, true, pressure);
    shoal_blocks(exec, mesh->tet_count, BLOCK, subtract_gradient_block, &job);
    return SHOAL_OK;
}

// --- viscosity

// (M + spread K) w = M u, with a quarter of each tetrahedron's volume at its vertices.
shoal_status shoal_tet_diffuse(shoal_tet_projection* p, const shoal_tetmesh* mesh, const uint8_t* held, double spread,
                               double tolerance, const shoal_exec* exec, shoal_v3* velocity) {
    int         n = mesh->vertex_count;
    uint8_t*    none;
    double *    mass, *rhs, *x;
    project_job job = {.p = p, .mesh = mesh};
    SHOAL_TRY(shoal_arena_make(p->arena, (void**)&none, (size_t)n, sizeof *none));
    SHOAL_TRY(shoal_arena_make(p->arena, (void**)&mass, (size_t)n, sizeof *mass));
    SHOAL_TRY(shoal_arena_make(p->arena, (void**)&rhs, (size_t)n, sizeof *rhs));
    SHOAL_TRY(shoal_arena_make(p->arena, (void**)&x, (size_t)n, sizeof *x));
    for (int v = 0; v < n; v++) none[v] = 0;
    job.is_air = none;
    SHOAL_TRY(make_matrix(&job, exec));
    for (int v = 0; v < n; v++) {
        mass[v] = 0.25 * volume_around(mesh, v);
        for (int64_t k = p->matrix.start[v]; k < p->matrix.start[v + 1]; k++)
            p->matrix.value[k] = spread * p->matrix.value[k] + (p->matrix.column[k] == v ? mass[v] : 0.0);
    }
    shoal_cg_def def = {.tolerance = tolerance, .most = 1000, .held = held};
    for (int axis = 0; axis < 3; axis++) {
        for (int v = 0; v < n; v++) {
            x[v]   = (double)shoal_v3_axis(velocity[v], axis);
            rhs[v] = mass[v] * x[v];
        }
        SHOAL_TRY(shoal_cg_solve(&p->cg, exec, &p->matrix, rhs, x, &def, &p->end));
        for (int v = 0; v < n; v++) shoal_v3_set_axis(&velocity[v], axis, (float)x[v]);
    }
    return SHOAL_OK;
}

// --- what is left

static double divergence_block(void* ctx, int begin, int end) {
    project_job* job  = ctx;
    double       most = 0.0;
    for (int v = begin; v < end; v++) {
        if (job->boundary->is_air[v]) continue;
        double through = 0.0;
        for (int i = job->mesh->incident_first[v]; i < job->mesh->incident_first[v + 1]; i++) {
            shoal_d3 area[4];
            shoal_tet_areas(job->mesh, job->mesh->incident[i] / 4, area);
            through += shoal_d3_length(area[job->mesh->incident[i] % 4]);
        }
        most = fmax(most, 3.0 * fabs(flow_of(job, v)) / through);
    }
    return most;
}

double shoal_tet_divergence(const shoal_tetmesh* mesh, const shoal_tet_boundary* boundary, const shoal_exec* exec,
                            const shoal_v3* velocity) {
    project_job job = {.mesh = mesh, .boundary = boundary, .velocity = (shoal_v3*)(uintptr_t)velocity};
    return shoal_max(exec, mesh->vertex_count, divergence_block, &job);
}
