// SPDX-License-Identifier: MIT
// Pressure on tetrahedral meshes: still water stays still in any vessel, free liquid falls freely, walls that move
// push.
#include "unit/check.h"

#include "tet/projection.h"
#include "tet/stuffing.h"

static const shoal_exec one = {.threads = 1}, three = {.threads = 3};

// --- a vessel, and water in it up to a level

typedef struct vessel {
    shoal_quat turn;
    shoal_d3   half;  // of a box; or
    double     bowl;  // the radius of a ball, where it is not 0
    double     level; // of the water, m
} vessel;

static double inside_vessel(const vessel* v, shoal_d3 at) {
    if (v->bowl > 0.0) return v->bowl - shoal_d3_length(at);
    shoal_d3 p = shoal_quat_rotate(shoal_quat_conjugate(v->turn), at);
    return fmin(v->half.x - fabs(p.x), fmin(v->half.y - fabs(p.y), v->half.z - fabs(p.z)));
}
static void water_in(void* ctx, const shoal_d3* at, int count, double* value) {
    const vessel* v = ctx;
    for (int i = 0; i < count; i++) value[i] = fmin(v->level - at[i].y, inside_vessel(v, at[i]));
}

typedef struct water {
    shoal_stuffing       work;
    shoal_tetmesh        mesh;
    shoal_tet_projection projection;
    uint64_t*            keys;
    int                  capacity;
    uint8_t*             is_air;
    shoal_v3 *           velocity, *wall;
    double*              pressure;
} water;

static void pour(water* w, const vessel* v, double step, const shoal_exec* exec) {
    void*     ctx = (void*)(uintptr_t)v;
    shoal_box box = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    int       count;
    CHECK_OK(shoal_octree_frame(&w->work.tree, box, step, 3));
    CHECK_OK(shoal_octree_near(&w->work.tree, water_in, ctx, 1.0, exec, &w->keys, &w->capacity, &count));
    CHECK_OK(shoal_stuffing_make(&w->work, water_in, ctx, w->keys, count, 8, exec, &w->mesh));
    CHECK_OK(shoal_tetmesh_find_neighbours(&w->mesh, exec));
    int n       = w->mesh.vertex_count;
    w->is_air   = shoal_alloc((size_t)n, 1);
    w->pressure = shoal_alloc((size_t)n, sizeof *w->pressure);
    w->wall     = shoal_alloc((size_t)n, sizeof *w->wall);
    w->velocity = shoal_alloc((size_t)w->mesh.tet_count, sizeof *w->velocity);
    for (int i = 0; i < n; i++) {
        double below = fabs(v->level - w->mesh.position[i].y), wall = fabs(inside_vessel(v, w->mesh.position[i]));
        w->is_air[i] = w->mesh.is_on_surface[i] && (below < wall || below < 1e-9 * step);
    }
}

static void done(water* w) {
    shoal_stuffing_free(&w->work);
    shoal_tetmesh_free(&w->mesh);
    shoal_tet_projection_free(&w->projection);
    shoal_free(w->keys);
    shoal_free(w->is_air);
    shoal_free(w->velocity);
    shoal_free(w->wall);
    shoal_free(w->pressure);
    *w = (water){0};
}

static void project(water* w, shoal_v3 velocity, double tolerance, const shoal_exec* exec) {
    shoal_tet_boundary boundary = {.is_air = w->is_air, .wall = w->wall};
    for (int t = 0; t < w->mesh.tet_count; t++) w->velocity[t] = velocity;
    CHECK_OK(shoal_tet_projection_assemble(&w->projection, &w->mesh, w->is_air, exec));
    CHECK_OK(shoal_tet_project(&w->projection, &w->mesh, &boundary, tolerance, exec, w->velocity, w->pressure));
    assert_true(w->projection.end.is_solved);
}

static double fastest(const water* w, shoal_v3 than) {
    double most = 0.0;
    for (int t = 0; t < w->mesh.tet_count; t++)
        most = fmax(most, (double)shoal_v3_length(shoal_v3_sub(w->velocity[t], than)));
    return most;
}

static const shoal_v3 fall = {0.0f, -1.0f, 0.0f}, none = {0.0f, 0.0f, 0.0f}; // g dt = 1 m/s

static vessel tilted(void) {
    double degree = SHOAL_PI / 180.0;
    return (vessel){.turn  = shoal_quat_mul(shoal_quat_turn(shoal_d3_make(0.0, 0.0, 1.0), 17.0 * degree),
                                            shoal_quat_turn(shoal_d3_make(1.0, 0.0, 0.0), 11.0 * degree)),
                    .half  = {0.7, 0.6, 0.5},
                    .level = 0.05};
}

static void water_stays_still_in_any_vessel(void** state) {
    (void)state;
    const vessel vessels[] = {tilted(),
                              {.turn = {1.0, 0.0, 0.0, 0.0}, .half = {0.703, 0.611, 0.497}, .level = 0.113},
                              {.bowl = 0.8, .level = 0.2}};
    for (int k = 0; k < 3; k++)
        for (double step = 0.1; step > 0.03; step *= 0.5) {
            water w = {0};
            pour(&w, &vessels[k], step, &three);
            project(&w, fall, 1e-10, &three);
            print_message("vessel %d, step %g: %d tets, fastest %.1e of g dt, %d iterations\n", k, step,
                          w.mesh.tet_count, fastest(&w, none), w.projection.end.iterations);
            assert_true(fastest(&w, none) < 1e-6);        // velocities are floats
            for (int v = 0; v < w.mesh.vertex_count; v++) // dt / density times pressure is depth times g dt
                assert_true(fabs(w.pressure[v] - (vessels[k].level - w.mesh.position[v].y)) < 1e-3 * step);
            done(&w);
        }
}

static void free_liquid_falls_freely(void** state) {
    (void)state;
    water  w = {0};
    vessel v = {.bowl = 0.8, .level = 2.0};
    pour(&w, &v, 0.1, &one);
    for (int i = 0; i < w.mesh.vertex_count; i++) w.is_air[i] = w.mesh.is_on_surface[i];
    project(&w, fall, 1e-10, &one);
    assert_true(fastest(&w, fall) < 1e-6);
    done(&w);
}

// A vessel that is full and moves takes its water with it, from rest, through the push of its walls alone; water that
// moves along with a vessel and has a surface is left alone.
static void walls_push(void** state) {
    (void)state;
    const shoal_v3 way = shoal_v3_make(0.3f, 0.5f, -0.2f);
    for (int full = 0; full < 2; full++) {
        water  w = {0};
        vessel v = tilted();
        v.level  = full ? 2.0 : 0.05;
        pour(&w, &v, 0.08, &three);
        shoal_tet_boundary boundary = {.is_air = w.is_air, .wall = w.wall};
        for (int i = 0; i < w.mesh.vertex_count; i++) w.wall[i] = way;
        double before = shoal_tet_divergence(&w.mesh, &boundary, &three, w.velocity); // at rest
        project(&w, full ? none : way, 1e-11, &three);
        double after = shoal_tet_divergence(&w.mesh, &boundary, &three, w.velocity);
        print_message("%s: off by %.1e m/s, divergence %.1e, was %.1e m/s\n", full ? "full" : "with a surface",
                      fastest(&w, way), after, before);
        assert_true(fastest(&w, way) < 1e-6);
        assert_true(after < 1e-6 && before > 0.1);
        done(&w);
    }
}

// One side of a full vessel presses where nothing can give way: the solve ends, with as little pressed together
// everywhere, and no pressure in the mean.
static void a_full_vessel_that_is_pressed_is_solved(void** state) {
    (void)state;
    water  w = {0};
    vessel v = tilted();
    v.level  = 2.0;
    pour(&w, &v, 0.08, &three);
    shoal_d3 side = shoal_quat_rotate(v.turn, shoal_d3_make(1.0, 0.0, 0.0));
    for (int i = 0; i < w.mesh.vertex_count; i++)
        if (w.mesh.is_on_surface[i] && shoal_d3_dot(w.mesh.position[i], side) > 0.69)
            w.wall[i] = shoal_v3_from(shoal_d3_scale(side, -0.5));
    project(&w, fall, 1e-8, &three);
    double sum = 0.0, most = 0.0, all = 0.0;
    for (int t = 0; t < w.mesh.tet_count; t++) {
        shoal_d3 area[4];
        double   volume = shoal_tet_areas(&w.mesh, t, area);
        for (int k = 0; k < 4; k++) sum += 0.25 * volume * w.pressure[w.mesh.tets[t][k]];
        all += volume;
    }
    for (int i = 0; i < w.mesh.vertex_count; i++) most = fmax(most, fabs(w.pressure[i]));
    print_message("full and pressed: %d iterations, mean of the pressure %.1e of %.2g\n", w.projection.end.iterations,
                  sum / all, most);
    assert_int_equal(w.projection.part_count, 1);
    assert_int_equal(w.projection.closed_count, w.mesh.vertex_count);
    assert_true(w.projection.end.iterations < 40);
    assert_true(fabs(sum / all) < 1e-10 * most);
    done(&w);
}

static void velocities_are_the_same_on_any_number_of_threads(void** state) {
    (void)state;
    water  a = {0}, b = {0};
    vessel v = tilted();
    pour(&a, &v, 0.1, &one);
    pour(&b, &v, 0.1, &three);
    project(&a, shoal_v3_make(1.0f, 0.3f, 0.2f), 1e-6, &one);
    project(&b, shoal_v3_make(1.0f, 0.3f, 0.2f), 1e-6, &three);
    assert_memory_equal(a.velocity, b.velocity, (size_t)a.mesh.tet_count * sizeof *a.velocity);
    done(&a);
    done(&b);
}

// Of walls that move at no number a solve makes no pressure: that fails, and is no solve that comes to no end.
static void a_flow_that_is_no_number_is_refused(void** state) {
    (void)state;
    vessel             v = {.turn = {1.0, 0.0, 0.0, 0.0}, .half = {0.6, 0.6, 0.6}, .level = 0.1};
    water              w = {0};
    shoal_tet_boundary boundary;
    pour(&w, &v, 0.2, &one);
    project(&w, shoal_v3_make(0.0f, -1.0f, 0.0f), 1e-8, &one);
    boundary = (shoal_tet_boundary){.is_air = w.is_air, .wall = w.wall};
    for (int i = 0; i < w.mesh.vertex_count; i++)
        if (!w.is_air[i] && w.mesh.is_on_surface[i]) w.wall[i].y = NAN;
    assert_int_equal(shoal_tet_project(&w.projection, &w.mesh, &boundary, 1e-8, &one, w.velocity, w.pressure),
                     SHOAL_ERR_DIVERGE);
    assert_non_null(strstr(shoal_last_error(), "stopped being finite"));
    done(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_stays_still_in_any_vessel),
        cmocka_unit_test(free_liquid_falls_freely),
        cmocka_unit_test(walls_push),
        cmocka_unit_test(a_full_vessel_that_is_pressed_is_solved),
        cmocka_unit_test(a_flow_that_is_no_number_is_refused),
        cmocka_unit_test(velocities_are_the_same_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
