// SPDX-License-Identifier: MIT
// Velocities on tetrahedral meshes: points are found, uniform flow is kept everywhere, values are exact at the middles
// of tetrahedra, and a path through a flow that turns comes back.
#include "unit/check.h"

#include "base/hash.h"
#include "tet/flow.h"

static const shoal_exec one = {.threads = 1}, three = {.threads = 3};

typedef struct ball {
    shoal_d3 middle;
    double   radius, flat; // flat: y counts more, so that it is none
} ball;

static void inside_ball(void* ctx, const shoal_d3* at, int count, double* value) {
    const ball* b = ctx;
    for (int i = 0; i < count; i++) {
        shoal_d3 p = shoal_d3_sub(at[i], b->middle);
        value[i]   = b->radius - sqrt(p.x * p.x + b->flat * p.y * p.y + p.z * p.z);
    }
}

typedef struct liquid {
    shoal_stuffing work;
    shoal_tetmesh  mesh;
    shoal_tet_flow flow;
    shoal_v3 *     velocity, *vertex_velocity;
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
    shoal_free(l->velocity);
    shoal_free(l->vertex_velocity);
    shoal_free(l->keys);
    *l = (liquid){0};
}

static shoal_d3 random_point(uint64_t k, double size) {
    return shoal_d3_make(size * (2.0 * shoal_random(3, 1, k) - 1.0), size * (2.0 * shoal_random(3, 2, k) - 1.0),
                         size * (2.0 * shoal_random(3, 3, k) - 1.0));
}

// Lets it flow by `velocity` at the middles of its tetrahedra.
static void let_flow(liquid* l, shoal_d3 (*velocity)(shoal_d3 at), const shoal_exec* exec) {
    l->velocity        = shoal_alloc((size_t)l->mesh.tet_count, sizeof *l->velocity);
    l->vertex_velocity = shoal_alloc((size_t)l->mesh.vertex_count, sizeof *l->vertex_velocity);
    for (int t = 0; t < l->mesh.tet_count; t++)
        l->velocity[t] = shoal_v3_from(velocity(shoal_tet_centroid(&l->mesh, t)));
    shoal_tet_vertex_velocities(&l->mesh, l->velocity, NULL, exec, l->vertex_velocity);
    l->flow = (shoal_tet_flow){.mesh            = &l->mesh,
                               .tree            = &l->work.tree,
                               .first_tet       = l->work.first_tet,
                               .velocity        = l->velocity,
                               .vertex_velocity = l->vertex_velocity};
}
static shoal_d3 evenly(shoal_d3 at) {
    (void)at;
    return shoal_d3_make(0.3, -0.5, 0.7);
}
static shoal_d3 turning(shoal_d3 at) { return shoal_d3_cross(shoal_d3_make(0.36, 0.48, 0.8), at); }

static void points_are_found(void** state) {
    (void)state;
    liquid l  = {0};
    ball   b  = {{0.1, 0.2, -0.3}, 1.0, 1.4};
    int    in = 0, out = 0, beyond = 0;
    stuff(&l, &b, 0.1, &three);
    let_flow(&l, evenly, &three);
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
    done(&l);
}

// Values are those of a tetrahedron at its middle, where means have lost some; a path through a ball that turns once,
// of 2.8 m, all but closes.
static void values_are_sharp_and_paths_closed(void** state) {
    (void)state;
    liquid l    = {0};
    ball   b    = {{0.0, 0.0, 0.0}, 1.0, 1.0};
    double lost = 0.0;
    stuff(&l, &b, 0.15, &three);
    let_flow(&l, turning, &three);
    for (int t = 0; t < l.mesh.tet_count; t++) {
        shoal_d3 at = shoal_tet_centroid(&l.mesh, t), u = shoal_d3_from(l.velocity[t]);
        assert_true(shoal_d3_length(shoal_d3_sub(shoal_tet_sharp_velocity(&l.flow, at), u)) < 1e-6);
        lost = fmax(lost, shoal_d3_length(shoal_d3_sub(shoal_tet_mean_velocity(&l.flow, at), u)));
    }
    assert_true(lost > 1e-3);
    shoal_d3 begin = {0.4, 0.0, 0.2}, at = begin;
    for (int k = 0; k < 100; k++) at = shoal_tet_trace_back(&l.flow, at, 2.0 * SHOAL_PI / 100);
    print_message("means are off by %.3f, a circle by %.4f\n", lost, shoal_d3_length(shoal_d3_sub(at, begin)));
    assert_true(shoal_d3_length(shoal_d3_sub(at, begin)) < 0.14);
    done(&l);
}

// At a wall nothing passes it, and it takes of the slip what Coulomb's law says; a sticky one takes all.
static void walls_hold_what_comes_towards_them(void** state) {
    (void)state;
    liquid l = {0};
    ball   b = {{0.0, 0.0, 0.0}, 1.0, 1.0};
    stuff(&l, &b, 0.2, &three);
    let_flow(&l, evenly, &three);
    shoal_tet_wall* wall = shoal_alloc((size_t)l.mesh.vertex_count, sizeof *wall);
    for (int v = 0; v < l.mesh.vertex_count; v++)
        if (l.mesh.is_on_surface[v]) wall[v] = (shoal_tet_wall){.normal = {0.0f, 1.0f, 0.0f}, .is_sticky = v % 2 == 0};
    shoal_tet_vertex_velocities(&l.mesh, l.velocity, wall, &three, l.vertex_velocity);
    for (int v = 0; v < l.mesh.vertex_count; v++) {
        bool is_on = l.mesh.is_on_surface[v], is_stopped = is_on && v % 2 == 0;
        CHECK_NEAR((double)l.vertex_velocity[v].y, is_on ? 0.0 : -0.5, 1e-6);
        CHECK_NEAR((double)l.vertex_velocity[v].x, is_stopped ? 0.0 : 0.3, 1e-6);
    }
    shoal_free(wall);
    done(&l);
}

static void values_are_the_same_on_any_number_of_threads(void** state) {
    (void)state;
    liquid l = {0};
    ball   b = {{0.0, 0.0, 0.0}, 1.0, 1.2};
    stuff(&l, &b, 0.15, &three);
    let_flow(&l, turning, &one);
    size_t    bytes = (size_t)l.mesh.vertex_count * sizeof(shoal_v3);
    shoal_v3* again = shoal_alloc(bytes, 1);
    shoal_tet_vertex_velocities(&l.mesh, l.velocity, NULL, &three, again);
    assert_memory_equal(l.vertex_velocity, again, bytes);
    shoal_free(again);
    done(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_found),
        cmocka_unit_test(values_are_sharp_and_paths_closed),
        cmocka_unit_test(walls_hold_what_comes_towards_them),
        cmocka_unit_test(values_are_the_same_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
