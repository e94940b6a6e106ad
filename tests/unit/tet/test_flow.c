// SPDX-License-Identifier: MIT
// Velocities on tetrahedral meshes: points are found, uniform flow is kept everywhere, and a turning ball of liquid
// keeps more of its energy by sharp values than by means.
#include "unit/check.h"

#include "base/hash.h"
#include "tet/flow.h"
#include "tet/projection.h"

static const shoal_exec one = {.threads = 1}, three = {.threads = 3};

typedef struct ball {
    shoal_d3 middle;
    double   radius, flat; // flat: y counts more, so that it is none
    double   half;         // 0, or only what is so near to the plane of its middle
} ball;

static void inside_ball(void* ctx, const shoal_d3* at, int count, double* value) {
    const ball* b = ctx;
    for (int i = 0; i < count; i++) {
        shoal_d3 p = shoal_d3_sub(at[i], b->middle);
        value[i]   = b->radius - sqrt(p.x * p.x + b->flat * p.y * p.y + p.z * p.z);
        if (b->half > 0.0) value[i] = fmin(value[i], b->half - fabs(p.y));
    }
}

typedef struct liquid {
    shoal_stuffing work;
    shoal_tetmesh  mesh;
    shoal_tet_flow flow;
    uint64_t*      keys;
    int            capacity;
} liquid;

static void stuff(liquid* l, const ball* b, double step, const shoal_exec* exec) {
    void*     ctx = (void*)(uintptr_t)b;
    int       count;
    shoal_box box = {shoal_d3_sub(b->middle, shoal_d3_make(b->radius, b->radius, b->radius)),
                     shoal_d3_add(b->middle, shoal_d3_make(b->radius, b->radius, b->radius))};
    CHECK_OK(shoal_octree_frame(&l->work.tree, box, step, 3));
    CHECK_OK(shoal_octree_near(&l->work.tree, inside_ball, ctx, 2.0, exec, &l->keys, &l->capacity, &count));
    CHECK_OK(shoal_stuffing_make(&l->work, inside_ball, ctx, l->keys, count, 8, exec, &l->mesh));
    CHECK_OK(shoal_tetmesh_find_neighbours(&l->mesh, exec));
}

static void done(liquid* l) {
    shoal_stuffing_free(&l->work);
    shoal_tetmesh_free(&l->mesh);
    shoal_tet_flow_free(&l->flow);
    shoal_free(l->keys);
    *l = (liquid){0};
}

static shoal_d3 random_point(uint64_t k, double size) {
    return shoal_d3_make(size * (2.0 * shoal_random(3, 1, k) - 1.0), size * (2.0 * shoal_random(3, 2, k) - 1.0),
                         size * (2.0 * shoal_random(3, 3, k) - 1.0));
}

static void points_are_found(void** state) {
    (void)state;
    liquid l  = {0};
    ball   b  = {{0.1, 0.2, -0.3}, 1.0, 1.4, 0.0};
    int    in = 0, out = 0, beyond = 0;
    stuff(&l, &b, 0.1, &three);
    shoal_v3* u = shoal_alloc((size_t)l.mesh.tet_count, sizeof *u);
    for (int t = 0; t < l.mesh.tet_count; t++) u[t] = shoal_v3_make(0.3f, -0.5f, 0.7f);
    CHECK_OK(shoal_tet_flow_make(&l.flow, &l.work, &l.mesh, u, NULL, NULL, 0.5, &three));
    for (uint64_t k = 0; k < 4000; k++) {
        shoal_d3 at = shoal_d3_add(b.middle, random_point(k, 1.4)), back = {0.0, 0.0, 0.0}, value;
        double   barycentric[4], f;
        int      t = shoal_tet_locate(&l.flow, at, barycentric);
        inside_ball(&b, &at, 1, &f);
        value = shoal_tet_sharp_velocity(&l.flow, at);
        if (t < 0) { // six octants away and more nothing flows
            assert_true(f < -0.5 && shoal_d3_length(value) == 0.0);
            beyond++;
            continue;
        }
        assert_true(t < l.mesh.tet_count);
        assert_true(f > -0.5 || shoal_tet_is_near(&l.flow, at));
        for (int v = 0; v < 4; v++)
            back = shoal_d3_add(back, shoal_d3_scale(l.mesh.position[l.mesh.tets[t][v]], barycentric[v]));
        double off = shoal_d3_length(shoal_d3_sub(back, at));
        if (f > 0.01) assert_true(off < 1e-12), in++; // deeper than a chord is
        if (f < 0.0) assert_true(off < 3.0 * (0.1 - f)), out++;
        // uniform flow, in the mesh and beyond
        assert_true(shoal_d3_length(shoal_d3_sub(value, shoal_d3_make(0.3, -0.5, 0.7))) < 1e-6);
    }
    print_message("%d points in the ball, %d beside it, %d far away\n", in, out, beyond);
    assert_true(in > 500 && out > 1000 && beyond > 20);
    shoal_free(u);
    done(&l);
}

// A closed ball that is full of liquid, which turns about a tilted axis: Euler's equations leave it alone. Two meshes
// in turn, of places that differ, as in a run. Gives what is left of the energy after half a turn.
static double energy_after_half_a_turn(double sharpness, bool is_sharp) {
    const double         step      = 0.18;
    liquid               l[2]      = {0};
    ball                 b[2]      = {{{0.0, 0.0, 0.0}, 1.0, 1.0, 0.0}, {{0.0, 0.0, 0.0}, 1.0, 1.0, 0.0}};
    const shoal_d3       spin      = {0.36, 0.48, 0.8};
    const int            steps     = 24;
    shoal_tet_projection p         = {0};
    double               energy[2] = {0.0, 0.0};
    shoal_v3*            u[2];
    uint8_t*             is_air[2];
    double*              q[2];
    shoal_tet_walls      walls[2];
    for (int k = 0; k < 2; k++) {
        b[k].middle = shoal_d3_make(0.0, 0.0, 0.0);
        stuff(&l[k], &b[k], k == 0 ? step : 1.07 * step, &three);
        u[k]      = shoal_alloc((size_t)l[k].mesh.tet_count, sizeof *u[k]);
        is_air[k] = shoal_alloc((size_t)l[k].mesh.vertex_count, 1);
        q[k]      = shoal_alloc((size_t)l[k].mesh.vertex_count, sizeof *q[k]);
        walls[k]  = (shoal_tet_walls){shoal_alloc((size_t)l[k].mesh.vertex_count, sizeof(int)),
                                      shoal_alloc((size_t)l[k].mesh.vertex_count, sizeof(shoal_tet_wall))};
        for (int v = 0, next = 0; v < l[k].mesh.vertex_count; v++) {
            walls[k].of[v] = l[k].mesh.is_on_surface[v] ? next++ : -1;
            if (walls[k].of[v] >= 0)
                walls[k].wall[walls[k].of[v]].normal =
                    shoal_v3_from(shoal_d3_scale(l[k].mesh.position[v], -1.0 / shoal_d3_length(l[k].mesh.position[v])));
        }
    }
    for (int t = 0; t < l[0].mesh.tet_count; t++) {
        shoal_d3 at = {0.0, 0.0, 0.0};
        for (int k = 0; k < 4; k++)
            at = shoal_d3_add(at, shoal_d3_scale(l[0].mesh.position[l[0].mesh.tets[t][k]], 0.25));
        u[0][t] = shoal_v3_from(shoal_d3_cross(spin, at));
    }
    for (int step_now = 0; step_now <= steps; step_now++) {
        int                from = step_now % 2, to = 1 - from;
        double             sum      = 0.0;
        shoal_tet_boundary boundary = {.is_air = is_air[to]};
        for (int t = 0; t < l[from].mesh.tet_count; t++) {
            shoal_d3 area[4];
            double   v = shoal_tet_areas(&l[from].mesh, t, area);
            sum += 0.5 * v * (double)shoal_v3_dot(u[from][t], u[from][t]);
        }
        if (step_now == 0) energy[0] = sum;
        energy[1] = sum;
        CHECK_OK(shoal_tet_flow_make(&l[from].flow, &l[from].work, &l[from].mesh, u[from], &walls[from], NULL,
                                     sharpness, &three));
        shoal_tet_advect(&l[from].flow, &l[to].mesh, SHOAL_PI / steps, is_sharp, &three, u[to]);
        CHECK_OK(shoal_tet_projection_assemble(&p, &l[to].mesh, is_air[to], &three));
        CHECK_OK(shoal_tet_project(&p, &l[to].mesh, &boundary, 1e-6, &three, u[to], q[to]));
    }
    for (int k = 0; k < 2; k++) {
        done(&l[k]);
        shoal_free(u[k]);
        shoal_free(is_air[k]);
        shoal_free(q[k]);
        shoal_free(walls[k].of);
        shoal_free(walls[k].wall);
    }
    shoal_tet_projection_free(&p);
    return energy[1] / energy[0];
}

// At five and a half steps to the radius walls cost most: a vertex there has the mean of one side alone.
static void sharp_values_keep_more_of_the_energy_of_a_turn(void** state) {
    (void)state;
    double plain = energy_after_half_a_turn(0.0, false), split = energy_after_half_a_turn(0.0, true),
           sharp = energy_after_half_a_turn(0.5, true);
    print_message("energy left after half a turn: %.3f by means, %.3f split at the middle, %.3f sharpened by half\n",
                  plain, split, sharp);
    assert_true(1.15 * plain < split && 1.15 * split < sharp && sharp < 1.0);
}

static void values_are_the_same_on_any_number_of_threads(void** state) {
    (void)state;
    liquid l = {0};
    ball   b = {{0.0, 0.0, 0.0}, 1.0, 1.2, 0.0};
    stuff(&l, &b, 0.15, &three);
    size_t    bytes = (size_t)l.mesh.tet_count * sizeof(shoal_v3);
    shoal_v3 *u = shoal_alloc(bytes, 1), *v = shoal_alloc(bytes, 1), *w = shoal_alloc(bytes, 1);
    for (int t = 0; t < l.mesh.tet_count; t++) u[t] = shoal_v3_from(random_point((uint64_t)t, 1.0));
    CHECK_OK(shoal_tet_flow_make(&l.flow, &l.work, &l.mesh, u, NULL, NULL, 0.5, &one));
    shoal_tet_advect(&l.flow, &l.mesh, 0.05, true, &one, v);
    CHECK_OK(shoal_tet_flow_make(&l.flow, &l.work, &l.mesh, u, NULL, NULL, 0.5, &three));
    shoal_tet_advect(&l.flow, &l.mesh, 0.05, true, &three, w);
    assert_memory_equal(v, w, bytes);
    shoal_free(u);
    shoal_free(v);
    shoal_free(w);
    done(&l);
}

// A disc of liquid with air around it spreads, u = (x, -2 y, z), and its sides come nearer by -2 y. The means at them
// are those of the middles of tetrahedra within. Through thick parts they are left alone.
static double sinking(double half, const shoal_exec* exec, bool is_known) {
    liquid    l   = {0};
    ball      b   = {{0.03, 0.01, -0.02}, 1.0, 1.0, half};
    double    sum = 0.0, all = 0.0;
    const int flat = 3; // sides are level within a third of its radius
    stuff(&l, &b, 0.1, exec);
    shoal_v3* u = shoal_alloc((size_t)l.mesh.tet_count, sizeof *u);
    for (int t = 0; t < l.mesh.tet_count; t++) {
        shoal_d3 at = shoal_d3_sub(shoal_tet_centroid(&l.mesh, t), b.middle);
        u[t]        = shoal_v3_from(shoal_d3_make(at.x, -2.0 * at.y, at.z));
    }
    CHECK_OK(
        shoal_tet_flow_make(&l.flow, &l.work, &l.mesh, u, NULL, is_known ? l.mesh.is_on_surface : NULL, 0.5, exec));
    for (int v = 0; v < l.mesh.vertex_count; v++) {
        shoal_d3 at = shoal_d3_sub(l.mesh.position[v], b.middle);
        if (!l.mesh.is_on_surface[v] || at.x * at.x + at.z * at.z > 1.0 / (flat * flat)) continue;
        sum += (double)l.flow.mean_velocity[v].y * at.y;
        all += -2.0 * at.y * at.y;
    }
    shoal_free(u);
    done(&l);
    return sum / all;
}
static void sides_of_a_sheet_that_spreads_come_nearer(void** state) {
    (void)state;
    double plain = sinking(0.09, &three, false), thin = sinking(0.09, &three, true), thick = sinking(0.5, &three, true),
           thick_plain = sinking(0.5, &three, false);
    print_message(
        "sheet of 1.8 edges that spreads: sides come nearer by %.3f of what they should, by means %.3f; one of "
        "10 edges by %.3f and %.3f\n",
        thin, plain, thick, thick_plain);
    CHECK_NEAR(thin, 1.0, 0.05);
    CHECK_BELOW(plain, 0.85);
    assert_true(thick == thick_plain);
    assert_true(sinking(0.09, &one, true) == thin);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_found),
        cmocka_unit_test(sharp_values_keep_more_of_the_energy_of_a_turn),
        cmocka_unit_test(sides_of_a_sheet_that_spreads_come_nearer),
        cmocka_unit_test(values_are_the_same_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
