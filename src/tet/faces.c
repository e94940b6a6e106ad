// SPDX-License-Identifier: MIT
#include "tet/faces.h"

#include <math.h>

enum { BLOCK = 256, CYCLES_MOST = 200 };

// Middles are no nearer to each other than this, in roots of the area between.
#define LEAST_ACROSS 1e-3

void shoal_tet_faces_free(shoal_tet_faces* f) {
    void* const all[] = {f->of, f->normal_velocity, f->rhs, f->pressure, f->lengths, f->list, f->is_visited};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) shoal_free(all[k]);
    shoal_tet_forms_free(&f->forms);
    shoal_csr_free(&f->matrix);
    shoal_amg_free(f->amg);
    *f = (shoal_tet_faces){0};
}

typedef struct faces_job {
    shoal_tet_faces*        f;
    const shoal_tetmesh*    mesh;
    const uint8_t*          at_air;
    const shoal_tet_wall*   wall;
    const shoal_tet_flow*   flow;
    double                  dt;
    shoal_tet_accelerate_fn accelerate;
    void*                   ctx;
    shoal_v3*               velocity;
    double*                 at_vertex;
} faces_job;

// --- faces

// A face belongs to the first of its tetrahedra.
static bool is_own(const shoal_tetmesh* mesh, int t, int k) {
    return mesh->neighbours[t][k] < 0 || mesh->neighbours[t][k] > t;
}

static bool is_at_air(const faces_job* job, int t, int k) { return job->at_air[t] >> k & 1; }

static const shoal_tet_form* form_of(const faces_job* job, int t) { return &job->f->forms.form[job->f->forms.of[t]]; }

// How far the middles on the two sides of a face are apart across it; at the air, the middle and the face.
static double distance_across(const faces_job* job, int t, int k) {
    const shoal_tetmesh*  mesh   = job->mesh;
    const shoal_tet_form* form   = form_of(job, t);
    int                   beside = mesh->neighbours[t][k];
    shoal_d3              to     = beside >= 0 ? shoal_tet_centroid(mesh, beside) : shoal_tet_face_middle(mesh, t, k);
    double across = shoal_d3_dot(shoal_d3_sub(to, shoal_tet_centroid(mesh, t)), form->area[k]) / form->size[k];
    return fmax(fabs(across), LEAST_ACROSS * sqrt(form->size[k]));
}

static shoal_status number_faces(shoal_tet_faces* f, const shoal_tetmesh* mesh) {
    SHOAL_TRY(shoal_reserve((void**)&f->of, &f->of_capacity, mesh->tet_count, sizeof *f->of));
    f->face_count = 0;
    for (int t = 0; t < mesh->tet_count; t++)
        for (int k = 0; k < 4; k++) {
            if (is_own(mesh, t, k)) {
                f->of[t][k] = f->face_count++;
                continue;
            }
            int beside = mesh->neighbours[t][k], l = 0;
            while (mesh->neighbours[beside][l] != t) l++;
            f->of[t][k] = f->of[beside][l];
        }
    return shoal_reserve((void**)&f->normal_velocity, &f->normal_velocity_capacity, f->face_count,
                         sizeof *f->normal_velocity);
}

// --- the matrix

static void count_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    faces_job* job = ctx;
    for (int t = begin; t < end; t++) {
        job->f->lengths[t] = 1;
        for (int k = 0; k < 4; k++) job->f->lengths[t] += job->mesh->neighbours[t][k] >= 0;
    }
}

static void fill_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    faces_job*           job  = ctx;
    const shoal_tetmesh* mesh = job->mesh;
    shoal_csr*           m    = &job->f->matrix;
    for (int t = begin; t < end; t++) {
        int64_t               at = m->start[t], next = at + 1;
        const shoal_tet_form* form = form_of(job, t);
        m->column[at]              = t;
        m->value[at]               = 0.0;
        for (int k = 0; k < 4; k++) {
            int beside = mesh->neighbours[t][k];
            if (beside < 0 && !is_at_air(job, t, k)) continue; // a wall
            double weight = form->size[k] / distance_across(job, t, k);
            m->value[at] += weight;
            if (beside < 0) continue;
            m->column[next]  = beside;
            m->value[next++] = -weight;
        }
    }
}

shoal_status shoal_tet_faces_assemble(shoal_tet_faces* f, const shoal_tetmesh* mesh, double step, const uint8_t* at_air,
                                      const shoal_exec* exec) {
    faces_job job = {.f = f, .mesh = mesh, .at_air = at_air};
    int       n   = mesh->tet_count;
    SHOAL_TRY(shoal_tet_forms_make(&f->forms, mesh, step));
    SHOAL_TRY(number_faces(f, mesh));
    SHOAL_TRY(shoal_reserve((void**)&f->lengths, &f->length_capacity, n, sizeof *f->lengths));
    SHOAL_TRY(shoal_reserve((void**)&f->rhs, &f->rhs_capacity, n, sizeof *f->rhs));
    SHOAL_TRY(shoal_reserve((void**)&f->pressure, &f->pressure_capacity, n, sizeof *f->pressure));
    SHOAL_TRY(shoal_reserve((void**)&f->list, &f->list_capacity, n, sizeof *f->list));
    SHOAL_TRY(shoal_reserve((void**)&f->is_visited, &f->visited_capacity, n, 1));
    shoal_blocks(exec, n, BLOCK, count_block, &job);
    SHOAL_TRY(shoal_csr_shape(&f->matrix, n, f->lengths));
    shoal_blocks(exec, n, BLOCK, fill_block, &job);
    return SHOAL_OK;
}

// --- what comes through

static void advect_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    faces_job*           job  = ctx;
    const shoal_tetmesh* mesh = job->mesh;
    for (int t = begin; t < end; t++) {
        const shoal_tet_form* form = form_of(job, t);
        for (int k = 0; k < 4; k++) {
            if (!is_own(mesh, t, k)) continue;
            shoal_d3 at = shoal_tet_face_middle(mesh, t, k), u = {0.0, 0.0, 0.0};
            if (job->flow) u = shoal_tet_sharp_velocity(job->flow, shoal_tet_trace_back(job->flow, at, job->dt));
            u                                         = job->accelerate(job->ctx, at, u);
            job->f->normal_velocity[job->f->of[t][k]] = shoal_d3_dot(u, form->area[k]) / form->size[k];
        }
    }
}

void shoal_tet_faces_advect(shoal_tet_faces* f, const shoal_tetmesh* mesh, const shoal_tet_flow* flow, double dt,
                            shoal_tet_accelerate_fn accelerate, void* ctx, const shoal_exec* exec) {
    faces_job job = {.f = f, .mesh = mesh, .flow = flow, .dt = dt, .accelerate = accelerate, .ctx = ctx};
    shoal_blocks(exec, mesh->tet_count, BLOCK, advect_block, &job);
}

// Through walls comes what they push.
static void wall_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    faces_job*           job  = ctx;
    const shoal_tetmesh* mesh = job->mesh;
    for (int t = begin; t < end; t++)
        for (int k = 0; k < 4; k++) {
            if (mesh->neighbours[t][k] >= 0 || is_at_air(job, t, k)) continue;
            const shoal_tet_form* form          = form_of(job, t);
            shoal_d3              wall_velocity = {0.0, 0.0, 0.0};
            for (int l = 0; l < 4; l++)
                if (l != k)
                    wall_velocity = shoal_d3_add(
                        wall_velocity, shoal_d3_scale(shoal_d3_from(job->wall[mesh->tets[t][l]].velocity), 1.0 / 3.0));
            job->f->normal_velocity[job->f->of[t][k]] = shoal_d3_dot(wall_velocity, form->area[k]) / form->size[k];
        }
}

// --- the solve

// What flows out of a tetrahedron through a face, m^3/s.
static double flow_out(const faces_job* job, int t, int k) {
    double through = job->f->normal_velocity[job->f->of[t][k]] * form_of(job, t)->size[k];
    return is_own(job->mesh, t, k) ? through : -through;
}

// b = -what flows out
static double gain_of(const faces_job* job, int t) {
    double sum = 0.0;
    for (int k = 0; k < 4; k++) sum -= flow_out(job, t, k);
    return sum;
}
static void rhs_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    faces_job* job = ctx;
    for (int t = begin; t < end; t++) job->f->rhs[t] = gain_of(job, t), job->f->pressure[t] = 0.0;
}

// In a part that has no face at the air, what is too much is spread by volume.
static void balance(const faces_job* job) {
    shoal_tet_faces*     f    = job->f;
    const shoal_tetmesh* mesh = job->mesh;
    for (int t = 0; t < mesh->tet_count; t++) f->is_visited[t] = 0;
    for (int first = 0; first < mesh->tet_count; first++) {
        if (f->is_visited[first]) continue;
        int    count   = 0;
        bool   is_open = false;
        double sum = 0.0, volume = 0.0;
        f->is_visited[first] = 1;
        f->list[count++]     = first;
        for (int i = 0; i < count; i++) {
            int t = f->list[i];
            sum += f->rhs[t];
            volume += form_of(job, t)->volume;
            for (int k = 0; k < 4; k++) {
                int beside = mesh->neighbours[t][k];
                is_open |= is_at_air(job, t, k);
                if (beside >= 0 && !f->is_visited[beside]) f->is_visited[beside] = 1, f->list[count++] = beside;
            }
        }
        for (int i = 0; i < count && !is_open; i++)
            f->rhs[f->list[i]] -= sum / volume * form_of(job, f->list[i])->volume;
    }
}

// z -= (p_2 - p_1) / d
static void subtract_gradient_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    faces_job*           job  = ctx;
    const shoal_tetmesh* mesh = job->mesh;
    for (int t = begin; t < end; t++) {
        for (int k = 0; k < 4; k++) {
            int beside = mesh->neighbours[t][k];
            if (!is_own(mesh, t, k) || (beside < 0 && !is_at_air(job, t, k))) continue;
            double there = beside >= 0 ? job->f->pressure[beside] : 0.0;
            job->f->normal_velocity[job->f->of[t][k]] -= (there - job->f->pressure[t]) / distance_across(job, t, k);
        }
    }
}

// u = sum over the faces of what flows out times the way from the vertex across, by 3 V: exact for one that is the same
// everywhere
static void velocity_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    faces_job*           job  = ctx;
    const shoal_tetmesh* mesh = job->mesh;
    for (int t = begin; t < end; t++) {
        shoal_d3 u = {0.0, 0.0, 0.0}, middle = shoal_tet_centroid(mesh, t);
        for (int k = 0; k < 4; k++)
            u = shoal_d3_add(u, shoal_d3_scale(shoal_d3_sub(middle, mesh->position[mesh->tets[t][k]]),
                                               flow_out(job, t, k) / (3.0 * form_of(job, t)->volume)));
        job->velocity[t] = shoal_v3_from(u);
    }
}

static void vertex_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    faces_job*           job  = ctx;
    const shoal_tetmesh* mesh = job->mesh;
    for (int v = begin; v < end; v++) {
        double sum = 0.0, all = 0.0;
        for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
            double volume = form_of(job, mesh->incident[i] / 4)->volume;
            sum += volume * job->f->pressure[mesh->incident[i] / 4];
            all += volume;
        }
        job->at_vertex[v] = !(all > 0.0) ? 0.0 : sum / all;
    }
}

shoal_status shoal_tet_faces_project(shoal_tet_faces* f, const shoal_tetmesh* mesh, const uint8_t* at_air,
                                     const shoal_tet_wall* wall, double tolerance, const shoal_exec* exec,
                                     shoal_v3* velocity, double* pressure) {
    faces_job job = {.f = f, .mesh = mesh, .at_air = at_air, .wall = wall, .velocity = velocity, .at_vertex = pressure};
    int       n   = mesh->tet_count;
    shoal_blocks(exec, n, BLOCK, wall_block, &job);
    shoal_blocks(exec, n, BLOCK, rhs_block, &job);
    balance(&job);
    SHOAL_TRY(shoal_amg_setup_greedy(&f->amg, exec, &f->matrix, NULL));
    SHOAL_TRY(shoal_amg_full_cycles(f->amg, exec, &f->matrix, f->rhs, f->pressure, tolerance, CYCLES_MOST, &f->end));
    shoal_blocks(exec, n, BLOCK, subtract_gradient_block, &job);
    shoal_blocks(exec, n, BLOCK, velocity_block, &job);
    shoal_blocks(exec, mesh->vertex_count, BLOCK, vertex_block, &job);
    return SHOAL_OK;
}

static double divergence_block(void* ctx, int begin, int end) {
    const faces_job* job  = ctx;
    double           most = 0.0;
    for (int t = begin; t < end; t++) {
        const double* size = form_of(job, t)->size;
        most               = fmax(most, fabs(gain_of(job, t)) / (size[0] + size[1] + size[2] + size[3]));
    }
    return most;
}
double shoal_tet_faces_divergence(const shoal_tet_faces* f, const shoal_tetmesh* mesh, const shoal_exec* exec) {
    faces_job job = {.f = (shoal_tet_faces*)(uintptr_t)f, .mesh = mesh};
    return fmax(0.0, shoal_max(exec, mesh->tet_count, divergence_block, &job));
}
