// SPDX-License-Identifier: MIT
// Liquid as a tracked surface with a mesh in it, all parts of a step together: still water, falling water, solids.
#include "base/hash.h"
#include "tank.h"
#include "tet/liquid_local.h"

static const shoal_box around = {{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}};

static void drop(void* ctx, const shoal_d3* at, int count, double* value) {
    (void)ctx;
    for (int i = 0; i < count; i++) value[i] = shoal_d3_length(at[i]) - 0.3;
}
static tank tilted(void) {
    double degree = SHOAL_PI / 180.0;
    return (tank){.turn = shoal_quat_mul(shoal_quat_turn(shoal_d3_make(0.0, 0.0, 1.0), 17.0 * degree),
                                         shoal_quat_turn(shoal_d3_make(1.0, 0.0, 0.0), 11.0 * degree)),
                  .half = {0.7, 0.6, 0.5}};
}

// A slope of pressure by the middles of tetrahedra is not that of water at rest: it moves. What was made in one step is
// used again in the next.
static void still_water_moves_as_the_paper_has_it(void** state) {
    (void)state;
    tank             t      = tilted();
    water            w      = {.height = 0.0613, .end = 9.0};
    shoal_tet_solids solids = {&t, off_tank};
    shoal_tet_liquid l      = {0};
    fall             g      = {1.0 / 60.0};
    double           before, after;
    int64_t          calls = 0;
    begin(&l, around, 0.12, wet, &w, &solids);
    before = shoal_tet_surface_volume(shoal_tet_current(&l), &two);
    for (int k = 0; k < 10; k++) {
        if (k == 8) calls = shoal_memory_calls();
        step_on(&l, &solids, &g);
    }
    print_message("%d calls for memory in two steps\n", (int)(shoal_memory_calls() - calls));
    CHECK_OK(shoal_tet_liquid_surface(&l, &solids, &two));
    after = shoal_tet_surface_volume(shoal_tet_current(&l), &two);
    print_message("still water after ten steps: %.2f m/s, volume %+.2f %%\n", shoal_tet_fastest(&l, &two),
                  100.0 * (after / before - 1.0));
    assert_true(l.faces.end.is_solved && shoal_tet_fastest(&l, &two) > 0.02 && shoal_tet_fastest(&l, &two) < 3.0);
    CHECK_NEAR(after / before, 1.0, 0.03);
    shoal_tet_liquid_free(&l);
}

// A layer on the floor of a tank, of so many cells: it is there.
static void a_thin_layer_lies_on_the_floor(void** state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double           deep   = 0.05 * (1.8 + 0.4 * k), volume;
        tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .half = {0.503, 0.311, 0.397}};
        water            w      = {.height = deep - 0.311, .end = 9.0};
        shoal_tet_solids solids = {&t, off_tank};
        shoal_tet_liquid l      = {0};
        begin(&l, around, 0.1, wet, &w, &solids);
        centre_of(&l, &volume);
        print_message("a layer of %.1f cells: %.3f of its volume\n", deep / 0.05,
                      volume / (4.0 * 0.503 * 0.397 * deep));
        CHECK_NEAR(volume / (4.0 * 0.503 * 0.397 * deep), 1.0, 0.15);
        shoal_tet_liquid_free(&l);
    }
}

static void the_surface_that_is_seen_ends_at_the_walls(void** state) {
    (void)state;
    tank             t      = tilted();
    water            w      = {.height = 0.0613, .end = 9.0};
    shoal_tet_solids solids = {&t, off_tank};
    shoal_tet_liquid l      = {0};
    double           off    = 0.0, volume;
    begin(&l, around, 0.12, wet, &w, &solids);
    const shoal_tet_state* s = shoal_tet_current(&l);
    for (int v = 0; v < s->surface.vertex_count; v++) {
        shoal_d3 at = shoal_d3_from(s->surface.vertices[v]);
        off         = fmax(off, fmin(fabs(off_tank(&t, at, NULL)), fabs(at.y - w.height)) / 0.06);
    }
    centre_of(&l, &volume);
    double seen = shoal_tet_surface_volume(s, &two);
    print_message("surface: off the walls and the level by %.2f cells at most, volume %.4f of the mesh\n", off,
                  seen / volume);
    CHECK_BELOW(off, 0.5); // edges are cut off
    CHECK_NEAR(seen / volume, 1.0, 0.02);
    shoal_tet_liquid_free(&l);
}

// A dam that breaks, and a drop into a pool: each vertex on the surface of a mesh is at the air or a wall, those at the
// air are on the zero of the liquid's distance, or were snapped, and those at a wall on a solid; angles keep their
// bounds.
static void pool_and_drop(void* ctx, const shoal_d3* at, int count, double* value) {
    (void)ctx;
    for (int i = 0; i < count; i++)
        value[i] = fmin(at[i].y - 0.3, shoal_d3_length(shoal_d3_sub(at[i], shoal_d3_make(0.52, 0.6, 0.47))) - 0.15);
}
static void vertices_of_a_splash_are_at_the_air_or_a_wall(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .middle = {0.5, 0.5, 0.5}, .half = {0.5, 0.5, 0.5}};
        water            w      = {.height = 0.6, .end = 0.35};
        shoal_tet_solids solids = {&t, off_tank};
        shoal_tet_liquid l      = {0};
        double           step = 0.06, least = 90.0, largest = 90.0;
        int              on = 0, missed = 0;
        begin(&l, (shoal_box){{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}, step, k ? pool_and_drop : wet, &w, &solids);
        for (double now = 0.0; now < 0.7;) {
            fall g = {fmin(1.0 / 60.0, 2.0 * step / (shoal_tet_fastest(&l, &two) + 1e-9))};
            step_on(&l, &solids, &g);
            now += g.dt;
            const shoal_tet_state* s = shoal_tet_current(&l);
            for (int v = 0; v < s->mesh.vertex_count; v++) {
                shoal_d3 at = s->mesh.position[v];
                assert_int_equal(s->sides[v] != 0, s->mesh.is_on_surface[v]);
                if (!s->sides[v]) continue;
                double off = off_tank(&t, at, NULL), depth = fabs(shoal_band_distance(&s->band, at));
                on++;
                missed += fmin(off, depth) > 1e-3 * step;
            }
            shoal_tet_quality q = shoal_tetmesh_quality(&s->mesh, &two);
            least = fmin(least, q.least_angle), largest = fmax(largest, q.largest_angle);
        }
        print_message("%d vertices on surfaces, %d roots missed; angles %.1f to %.1f degrees\n", on, missed, least,
                      largest);
        assert_true(on > 10000 && missed == 0);
        assert_true(least > 10.7 && largest < 164.8);
        shoal_tet_liquid_free(&l);
    }
}

// Vertices at the air just beside a wall are snapped to it. Tanks turned at random.
static void vertices_beside_a_wall_are_snapped_to_it(void** state) {
    (void)state;
    int both = 0, beside = 0;
    for (uint64_t k = 0; k < 12; k++) {
        shoal_d3 axis = shoal_d3_make(shoal_random(1, 0, k), 1.0, shoal_random(1, 1, k));
        axis          = shoal_d3_scale(axis, 1.0 / shoal_d3_length(axis));
        tank  t       = {.turn = shoal_quat_turn(axis, 3.0 * shoal_random(1, 2, k)), .half = {0.703, 0.611, 0.497}};
        water w       = {.height = 0.2 * shoal_random(1, 3, k), .end = 9.0};
        shoal_tet_solids solids = {&t, off_tank};
        shoal_tet_liquid l      = {0};
        begin(&l, around, 0.1, wet, &w, &solids);
        const shoal_tet_state* s = shoal_tet_current(&l);
        for (int v = 0; v < s->mesh.vertex_count; v++) {
            if (!(s->sides[v] & SHOAL_TET_AIR)) continue;
            double off = off_tank(&t, s->mesh.position[v], NULL);
            if (s->sides[v] & SHOAL_TET_WALL) CHECK_BELOW(fabs(off), 1e-3 * 0.1);
            both += (s->sides[v] & SHOAL_TET_WALL) != 0;
            beside += !(s->sides[v] & SHOAL_TET_WALL) && off < 0.0124;
        }
        shoal_tet_liquid_free(&l);
    }
    print_message("%d vertices at both, %d beside a wall stay, so as not to spoil a tetrahedron\n", both, beside);
    assert_true(both > 30 && beside <= both / 10);
}

// A sheet of 0.7 edges of a tetrahedron: as it is few have room in it; thickened the mesh encloses it, 1.2 edges thick.
static void sheet(void* ctx, const shoal_d3* at, int count, double* value) {
    (void)ctx;
    for (int i = 0; i < count; i++)
        value[i] = fmax(fabs(at[i].y - 0.013) - 0.035, fmax(fabs(at[i].x), fabs(at[i].z)) - 0.7);
}
static void a_mesh_encloses_a_thin_sheet(void** state) {
    (void)state;
    double volume[2], exact = 0.07 * 1.4 * 1.4;
    for (int k = 0; k < 2; k++) {
        tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .is_not_finite = true};
        shoal_tet_solids solids = {&t, off_tank};
        shoal_tet_liquid l      = {.meshes_thin = k == 1};
        begin(&l, around, 0.1, sheet, NULL, &solids);
        centre_of(&l, &volume[k]);
        shoal_tet_liquid_free(&l);
    }
    print_message("a sheet of 0.7 edges: tetrahedra have %.2f of its volume, thickened %.2f\n", volume[0] / exact,
                  volume[1] / exact);
    assert_true(volume[0] / exact < 0.9 && volume[1] / exact > 1.3 && volume[1] / exact < 1.9);
}

// But for its velocity, which acts from the next step on, and for what contouring wears off it: it has six cells to its
// radius.
static void a_drop_falls_freely(void** state) {
    (void)state;
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .is_not_finite = true};
    shoal_tet_solids solids = {&t, off_tank};
    shoal_tet_liquid l      = {0};
    fall             g      = {0.01};
    double           before, after;
    begin(&l, (shoal_box){{-0.5, -1.5, -0.5}, {0.5, 0.5, 0.5}}, 0.1, drop, NULL, &solids);
    shoal_d3 from = centre_of(&l, &before);
    for (int k = 0; k < 20; k++) step_on(&l, &solids, &g);
    shoal_d3 to = centre_of(&l, &after);
    print_message("fell %.4f m, exact 0.1962; volume %+.1f %%\n", from.y - to.y, 100.0 * (after / before - 1.0));
    CHECK_NEAR(from.y - to.y, 0.5 * 9.81 * 0.2 * 0.19, 0.002);
    CHECK_NEAR(to.x, from.x, 1e-3);
    assert_true(after / before > 0.8 && after / before < 1.0);
    CHECK_NEAR(shoal_tet_fastest(&l, &two), 9.81 * 0.2, 1e-3);
    shoal_tet_liquid_free(&l);
}

// The left side of a tank, where it has come to.
typedef struct piston {
    tank   tank;
    double at, speed;
} piston;
static double off_piston(void* ctx, shoal_d3 at, shoal_tet_wall* wall) {
    piston* p   = ctx;
    double  off = off_tank(&p->tank, at, wall);
    if (at.x - p->at >= off) return off;
    if (wall) *wall = (shoal_tet_wall){.normal = {1.0f, 0.0f, 0.0f}, .velocity = {(float)p->speed, 0.0f, 0.0f}};
    return at.x - p->at;
}
static void a_piston_pushes_water_ahead(void** state) {
    (void)state;
    piston           p = {.tank  = {.turn = {1.0, 0.0, 0.0, 0.0}, .middle = {0.5, 0.5, 0.15}, .half = {0.5, 0.5, 0.15}},
                          .speed = 0.4};
    water            w = {.height = 0.3, .end = 9.0};
    shoal_tet_solids solids = {&p, off_piston};
    shoal_tet_liquid l      = {0};
    fall             g      = {1.0 / 60.0};
    double           before, after;
    begin(&l, (shoal_box){{0.0, 0.0, 0.0}, {1.0, 1.0, 0.3}}, 1.0 / 12.0, wet, &w, &solids);
    centre_of(&l, &before);
    for (int k = 0; k < 20; k++) {
        p.at += p.speed * g.dt;
        step_on(&l, &solids, &g);
    }
    shoal_d3 centre = centre_of(&l, &after);
    print_message("piston: volume %+.2f %%, centre %.3f m\n", 100.0 * (after / before - 1.0), centre.x);
    for (int v = 0; v < shoal_tet_current(&l)->mesh.vertex_count; v++)
        assert_true(shoal_tet_current(&l)->mesh.position[v].x > p.at - 1e-6);
    CHECK_NEAR(after / before, 1.0, 0.1);
    assert_true(centre.x > 0.535 && centre.x < 0.58);
    shoal_tet_liquid_free(&l);
}

static shoal_d3 push_to_nowhere(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    (void)ctx;
    return at.x > 0.0 && at.y > 0.2 ? shoal_d3_make((double)NAN, 0.0, 0.0) : velocity;
}
// It leaves the state as it was: the next step is as if there had been none.
static void a_velocity_that_is_none_fails_the_step(void** state) {
    (void)state;
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .is_not_finite = true};
    shoal_tet_solids solids = {&t, off_tank};
    shoal_tet_drive  drive  = {.accelerate = push_to_nowhere};
    fall             g      = {0.01};
    shoal_tet_liquid l[2]   = {0};
    for (int k = 0; k < 2; k++) {
        begin(&l[k], (shoal_box){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}}, 0.1, drop, NULL, &solids);
        if (k == 1) {
            assert_int_equal(shoal_tet_liquid_step(&l[k], 0.01, &solids, &drive, &usual, &two), SHOAL_ERR_DIVERGE);
            assert_non_null(strstr(shoal_last_error(), "stopped being finite"));
        }
        step_on(&l[k], &solids, &g);
    }
    const shoal_tet_state *a = shoal_tet_current(&l[0]), *b = shoal_tet_current(&l[1]);
    assert_int_equal(a->mesh.tet_count, b->mesh.tet_count);
    assert_memory_equal(a->velocity, b->velocity, (size_t)a->mesh.tet_count * sizeof *a->velocity);
    for (int k = 0; k < 2; k++) shoal_tet_liquid_free(&l[k]);
}

// A ball of liquid of 40 steps around a small solid, through which a floor goes.
static void far_ball(void* ctx, const shoal_d3* at, int count, double* value) {
    (void)ctx;
    for (int i = 0; i < count; i++) value[i] = shoal_d3_length(at[i]) - 40.0;
}
static double off_floor_and_ball(void* ctx, shoal_d3 at, shoal_tet_wall* wall) {
    (void)ctx, (void)wall;
    return fmin(at.y + 25.3, shoal_d3_length(shoal_d3_sub(at, shoal_d3_make(1.0, 2.0, 3.0))) - 4.2);
}
static void octants_at_solids_are_those_that_brute_force_finds(void** state) {
    (void)state;
    shoal_tet_liquid l      = {0};
    shoal_tet_solids solids = {NULL, off_floor_and_ball};
    shoal_tet_state* s      = &l.states[0];
    shoal_d3         seed   = {0.0, 40.0, 0.0};
    int              n      = 0, at[3];
    CHECK_OK(shoal_tet_liquid_frame(&l, (shoal_box){{-45.0, -45.0, -45.0}, {45.0, 45.0, 45.0}}, 1.0));
    CHECK_OK(shoal_band_make(&s->band, far_ball, NULL, &seed, 1, &two));
    CHECK_OK(liquid_find_solid_octants(&l, s, &solids, &two));
    uint64_t all = (uint64_t)1 << 3 * s->work.tree.levels;
    for (uint64_t key = 0; key < all; key++) {
        shoal_morton_split(key, at);
        shoal_d3 middle = shoal_octree_middle(&s->work.tree, 0, at);
        if (fabs(off_floor_and_ball(NULL, middle, NULL)) > 0.5 * sqrt(3.0) ||
            shoal_band_distance(&s->band, middle) >= 1.0)
            continue;
        assert_true(n < l.solid_count && l.solid_octants[n] == key);
        n++;
    }
    assert_true(n == l.solid_count && n > 3000);
    shoal_tet_liquid_free(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_water_moves_as_the_paper_has_it),
        cmocka_unit_test(a_thin_layer_lies_on_the_floor),
        cmocka_unit_test(the_surface_that_is_seen_ends_at_the_walls),
        cmocka_unit_test(vertices_of_a_splash_are_at_the_air_or_a_wall),
        cmocka_unit_test(vertices_beside_a_wall_are_snapped_to_it),
        cmocka_unit_test(a_mesh_encloses_a_thin_sheet),
        cmocka_unit_test(a_drop_falls_freely),
        cmocka_unit_test(a_piston_pushes_water_ahead),
        cmocka_unit_test(a_velocity_that_is_none_fails_the_step),
        cmocka_unit_test(octants_at_solids_are_those_that_brute_force_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
