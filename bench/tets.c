// SPDX-License-Identifier: MIT
// The pressure of still water in a tilted box of tetrahedra, by the operators and solvers of the house: set-up, solve
// and iterations to 1e-6. Prints one JSON object per row; times are those of the processor, all threads, and of the
// clock.
//
//     tets                    0.1 million tetrahedra, one thread
//     tets 1e6 5e6 -t 2       1 and 5 million, two threads
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "tet/faces.h"
#include "tet/projection.h"
#include "tet/stuffing.h"

#include "ic.h"

static const double tolerance = 1e-6, none = 1.0; // to be solved to; not to be solved

// --- a tilted box with water in it up to a level

typedef struct vessel {
    shoal_quat turn;
    shoal_d3   half;
    double     level;
} vessel;

static double inside(const vessel* v, shoal_d3 at) {
    shoal_d3 p = shoal_quat_rotate(shoal_quat_conjugate(v->turn), at);
    return fmin(v->half.x - fabs(p.x), fmin(v->half.y - fabs(p.y), v->half.z - fabs(p.z)));
}
static void water_in(void* ctx, const shoal_d3* at, int count, double* value) {
    const vessel* v = ctx;
    for (int i = 0; i < count; i++) value[i] = fmin(v->level - at[i].y, inside(v, at[i]));
}

typedef struct pool {
    shoal_stuffing work;
    shoal_tetmesh  mesh;
    uint8_t*       is_air;
    shoal_v3*      velocity;
    double*        pressure; // [vertices]
} pool;

static shoal_status pour(pool* p, const vessel* v, double step, const shoal_exec* exec) {
    void*     ctx      = (void*)(uintptr_t)v;
    uint64_t* keys     = NULL;
    int       capacity = 0, count = 0;
    SHOAL_TRY(shoal_octree_frame(&p->work.tree, (shoal_box){{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}}, step, 3));
    SHOAL_TRY(shoal_octree_near(&p->work.tree, water_in, ctx, 1.0, exec, &keys, &capacity, &count));
    SHOAL_TRY(shoal_stuffing_make(&p->work, water_in, ctx, keys, count, 8, exec, &p->mesh));
    SHOAL_TRY(shoal_tetmesh_find_neighbours(&p->mesh, exec));
    shoal_free(keys);
    size_t n    = (size_t)p->mesh.vertex_count;
    p->is_air   = shoal_alloc(n, 1);
    p->pressure = shoal_alloc(n, sizeof *p->pressure);
    p->velocity = shoal_alloc((size_t)p->mesh.tet_count, sizeof *p->velocity);
    if (!p->is_air || !p->pressure || !p->velocity) return SHOAL_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        double below = fabs(v->level - p->mesh.position[i].y), wall = fabs(inside(v, p->mesh.position[i]));
        p->is_air[i] = p->mesh.is_on_surface[i] && (below < wall || below < 1e-9 * step);
    }
    return SHOAL_OK;
}
static void empty(pool* p) {
    shoal_stuffing_free(&p->work);
    shoal_tetmesh_free(&p->mesh);
    shoal_free(p->is_air);
    shoal_free(p->velocity);
    shoal_free(p->pressure);
    *p = (pool){0};
}

// --- solvers

typedef enum solver { AGGREGATION, GREEDY, FACTORS, JACOBI, SOLVERS } solver;
static const char* const solver_names[SOLVERS] = {"aggregation", "greedy multigrid", "incomplete factors", "Jacobi"};

typedef struct spent {
    double clock, processor;
} spent;
static spent now(void) { return (spent){shoal_seconds(), (double)clock() / CLOCKS_PER_SEC}; }
static spent since(spent from) { return (spent){now().clock - from.clock, now().processor - from.processor}; }

static void print_row(const char* name, solver s, int tets, int unknowns, int threads, spent assembly, spent set,
                      spent solve, int iterations, bool is_solved) {
    printf("{\"operator\":\"%s\",\"solver\":\"%s\",\"tets\":%d,\"unknowns\":%d,\"threads\":%d,\"assembly_s\":%.3f,"
           "\"set_s\":%.3f,\"solve_s\":%.3f,\"set_processor_s\":%.3f,\"solve_processor_s\":%.3f,\"iterations\":%d,"
           "\"is_solved\":%s}\n",
           name, solver_names[s], tets, unknowns, threads, assembly.clock, set.clock, solve.clock, set.processor,
           solve.processor, iterations, is_solved ? "true" : "false");
    fflush(stdout);
}

// One system by one solver, from zero.
static shoal_status measure(const char* name, solver s, int tets, const shoal_csr* m, const double* right,
                            const uint8_t* held, spent assembly, const shoal_exec* exec) {
    shoal_cg      cg  = {0};
    shoal_ic      ic  = {0};
    shoal_amg*    amg = NULL;
    shoal_cg_end  end = {0};
    shoal_amg_end cycles;
    double*       x = shoal_alloc((size_t)m->rows, sizeof *x);
    if (!x) return SHOAL_ERR_MEMORY;
    spent        began  = now();
    shoal_status status = SHOAL_OK;
    if (s == AGGREGATION) status = shoal_amg_setup(&amg, exec, m, held);
    if (s == GREEDY) status = shoal_amg_setup_greedy(&amg, exec, m, held);
    if (s == FACTORS) status = shoal_ic_setup(&ic, m, held);
    spent        set = since(began);
    shoal_cg_def def = {.tolerance      = tolerance,
                        .most           = 20000,
                        .held           = held,
                        .precondition   = s == AGGREGATION ? shoal_amg_apply
                                          : s == FACTORS   ? shoal_ic_apply
                                                           : NULL,
                        .preconditioner = s == AGGREGATION ? (void*)amg : &ic};
    began            = now();
    if (status == SHOAL_OK && s == GREEDY) {
        status         = shoal_amg_full_cycles(amg, exec, m, right, x, tolerance, 1000, &cycles);
        end.iterations = cycles.cycles;
        end.is_solved  = cycles.is_solved;
    } else if (status == SHOAL_OK) {
        status = shoal_cg_solve(&cg, exec, m, right, x, &def, &end);
    }
    if (status == SHOAL_OK)
        print_row(name, s, tets, m->rows, exec->threads, assembly, set, since(began), end.iterations, end.is_solved);
    shoal_amg_free(amg);
    shoal_ic_free(&ic);
    shoal_cg_free(&cg);
    shoal_free(x);
    return status;
}

// --- operators

static shoal_status at_vertices(pool* p, const shoal_exec* exec) {
    shoal_tet_projection projection = {0};
    shoal_tet_boundary   boundary   = {.is_air = p->is_air};
    for (int t = 0; t < p->mesh.tet_count; t++) p->velocity[t] = shoal_v3_make(0.0f, -1.0f, 0.0f);
    spent        began  = now();
    shoal_status status = shoal_tet_projection_assemble(&projection, &p->mesh, p->is_air, exec);
    spent        laid   = since(began);
    // for the right side
    if (status == SHOAL_OK)
        status = shoal_tet_project(&projection, &p->mesh, &boundary, none, exec, p->velocity, p->pressure);
    static const solver solvers[] = {AGGREGATION, FACTORS, JACOBI};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers && status == SHOAL_OK; k++)
        status =
            measure("vertex", solvers[k], p->mesh.tet_count, &projection.matrix, projection.rhs, p->is_air, laid, exec);
    shoal_tet_projection_free(&projection);
    return status;
}

static shoal_status in_tetrahedra(pool* p, const shoal_exec* exec) {
    shoal_tet_faces faces  = {0};
    uint8_t*        at_air = shoal_alloc((size_t)p->mesh.tet_count, sizeof *at_air);
    shoal_tet_wall* walls  = shoal_alloc((size_t)p->mesh.vertex_count, sizeof *walls); // that stand still
    shoal_status    status = at_air && walls ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (int t = 0; t < p->mesh.tet_count && status == SHOAL_OK; t++)
        for (int k = 0; k < 4; k++) {
            bool is_air = p->mesh.neighbours[t][k] < 0;
            for (int l = 0; l < 4; l++) is_air &= l == k || p->is_air[p->mesh.tets[t][l]];
            at_air[t] |= (uint8_t)((unsigned)is_air << k);
        }
    spent began = now();
    if (status == SHOAL_OK) status = shoal_tet_faces_assemble(&faces, &p->mesh, p->work.tree.step, at_air, exec);
    spent laid = since(began);
    for (int t = 0; t < p->mesh.tet_count && status == SHOAL_OK; t++)
        for (int k = 0; k < 4; k++) {
            shoal_d3 area[4];
            if (p->mesh.neighbours[t][k] >= 0 && p->mesh.neighbours[t][k] < t) continue;
            shoal_tet_areas(&p->mesh, t, area);
            faces.normal_velocity[faces.of[t][k]] = -area[k].y / shoal_d3_length(area[k]);
        }
    if (status == SHOAL_OK)
        status = shoal_tet_faces_project(&faces, &p->mesh, at_air, walls, none, exec, p->velocity, p->pressure);
    static const solver solvers[] = {GREEDY, AGGREGATION, FACTORS, JACOBI};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers && status == SHOAL_OK; k++)
        status = measure("two-point", solvers[k], p->mesh.tet_count, &faces.matrix, faces.rhs, NULL, laid, exec);
    shoal_tet_faces_free(&faces);
    shoal_free(at_air);
    shoal_free(walls);
    return status;
}

static shoal_status bench(double tets, const shoal_exec* exec) {
    double degree = SHOAL_PI / 180.0;
    vessel v      = {.turn  = shoal_quat_mul(shoal_quat_turn(shoal_d3_make(0.0, 0.0, 1.0), 17.0 * degree),
                                             shoal_quat_turn(shoal_d3_make(1.0, 0.0, 0.0), 11.0 * degree)),
                     .half  = {0.7, 0.6, 0.5},
                     .level = 0.05};
    pool   p      = {0};
    // a graded mesh has most of its tetrahedra near the surface: their number goes with step^-2.4 or so
    double       step   = 0.05 * pow(69736.0 / tets, 1.0 / 2.4);
    shoal_status status = pour(&p, &v, step, exec);
    if (status == SHOAL_OK) status = at_vertices(&p, exec);
    if (status == SHOAL_OK) status = in_tetrahedra(&p, exec);
    empty(&p);
    return status;
}

int main(int count, char** words) {
    shoal_exec   exec   = shoal_exec_make(1);
    shoal_status status = SHOAL_OK;
    int          rows   = 0;
    for (int w = 1; w + 1 < count; w++)
        if (strcmp(words[w], "-t") == 0) exec = shoal_exec_make(atoi(words[w + 1]));
    for (int w = 1; w < count && status == SHOAL_OK; w++) {
        if (strcmp(words[w], "-t") == 0) {
            w++;
            continue;
        }
        status = bench(atof(words[w]), &exec);
        rows++;
    }
    if (rows == 0) status = bench(1e5, &exec);
    if (status != SHOAL_OK) fprintf(stderr, "%s\n", shoal_last_error());
    return status != SHOAL_OK;
}
