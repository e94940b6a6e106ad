// SPDX-License-Identifier: MIT
// Surfaces of shapes: closed, outwards, and where the shape is.
#include "meshes.h"

#include "../check.h"
#include "geom/shape_surface.h"

static const shoal_box clip = {{-2.0, -2.0, -2.0}, {2.0, 2.0, 2.0}};

typedef shoal_shape* (*maker)(void);

#define MAKER(name, call)                                                                                              \
    static shoal_shape* name(void) {                                                                                   \
        shoal_shape* s = NULL;                                                                                         \
        CHECK_OK(call);                                                                                                \
        return s;                                                                                                      \
    }
MAKER(a_box, shoal_shape_box(shoal_d3_make(-0.5, -1, -0.25), shoal_d3_make(0.5, 1, 0.25), &s))
MAKER(a_sphere, shoal_shape_sphere(0.7, &s))
MAKER(a_cylinder, shoal_shape_cylinder(0.5, 1.2, &s))
MAKER(a_cone, shoal_shape_cone(0.5, 1.2, &s))
MAKER(a_capsule, shoal_shape_capsule(0.4, 0.8, &s))
MAKER(a_torus, shoal_shape_torus(0.8, 0.2, &s))
MAKER(a_floor, shoal_shape_plane(shoal_d3_make(0, 1, 0), -1.0, &s))
MAKER(a_mirrored_box, shoal_shape_place(a_box(), shoal_d3_make(-1, 2, 0.5),
                                        shoal_quat_turn(shoal_d3_make(0, 0, 1), 0.4), shoal_d3_make(0.2, 0.1, 0), &s))
MAKER(a_wide_sphere,
      shoal_shape_place(a_sphere(), shoal_d3_make(1.5, 1, 1), shoal_quat_identity(), shoal_d3_make(0, 0, 0), &s))
MAKER(a_bowl, shoal_shape_combined(SHOAL_SUBTRACT, (shoal_shape*[]){a_sphere(), a_cone()}, 2, &s))

// Placed by a move and a turn about an odd axis.
static shoal_shape* moved(shoal_shape* child, double x, double y, double z, double turn) {
    shoal_shape* s    = NULL;
    shoal_d3     axis = shoal_d3_make(2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0);
    CHECK_OK(shoal_shape_place(child, shoal_d3_make(1, 1, 1), shoal_quat_turn(axis, turn), shoal_d3_make(x, y, z), &s));
    return s;
}
static shoal_shape* box_of(double x, double y, double z, double to_x, double to_y, double to_z) {
    shoal_shape* s = NULL;
    CHECK_OK(shoal_shape_box(shoal_d3_make(x, y, z), shoal_d3_make(to_x, to_y, to_z), &s));
    return s;
}
static shoal_shape* rod_of(double radius, double height) {
    shoal_shape* s = NULL;
    CHECK_OK(shoal_shape_cylinder(radius, height, &s));
    return s;
}
static shoal_shape* of_two(shoal_combine how, shoal_shape* a, shoal_shape* b) {
    shoal_shape* s = NULL;
    CHECK_OK(shoal_shape_combined(how, (shoal_shape*[]){a, b}, 2, &s));
    return s;
}
// Faces in one plane: two steps flush with each other on four sides.
static shoal_shape* stairs(void) {
    return of_two(SHOAL_UNION, box_of(-0.8, 0, -0.5, 0.4, 0.3, 0.5), box_of(-0.2, 0, -0.5, 0.4, 0.6, 0.5));
}
static shoal_shape* turned_stairs(void) { return moved(stairs(), 0.1, -0.2, 0.05, 0.7); }
// Two boxes that touch: the wall between them is none of the surface.
static shoal_shape* row(void) {
    return of_two(SHOAL_UNION, box_of(-1, 0, 0, 0, 0.5, 0.5), box_of(0, 0, 0, 1, 0.5, 0.5));
}
// A frame: the hole goes through, flush with both faces.
static shoal_shape* window(void) {
    return of_two(SHOAL_SUBTRACT, box_of(-1, -1, 0, 1, 1, 0.1), box_of(-0.8, -0.8, 0, 0.8, 0.8, 0.1));
}
// A wall of 1/50 of its radius, open above.
static shoal_shape* cup(void) {
    return moved(of_two(SHOAL_SUBTRACT, rod_of(0.5, 1.0), moved(rod_of(0.49, 1.0), 0, 0.02, 0, 0)), 0, 0, 0, 0.4);
}
static shoal_shape* die(void) {
    return moved(of_two(SHOAL_INTERSECT, box_of(-0.5, -0.5, -0.5, 0.5, 0.5, 0.5), a_sphere()), 0, 0, 0, 0.9);
}
// Round sides that lie in each other.
static shoal_shape* long_rod(void) {
    return of_two(SHOAL_UNION, rod_of(0.3, 1.0), moved(rod_of(0.3, 1.0), 0, 0.4, 0, 0));
}
// Combinations of combinations, one of them mirrored: a die with a hole and a foot.
static shoal_shape* trophy(void) {
    shoal_shape* mirrored = NULL;
    CHECK_OK(shoal_shape_place(of_two(SHOAL_SUBTRACT, box_of(-0.5, -0.5, -0.5, 0.5, 0.5, 0.5), rod_of(0.2, 1.0)),
                               shoal_d3_make(-1, 1, 1), shoal_quat_identity(), shoal_d3_make(0, 0, 0), &mirrored));
    return of_two(SHOAL_UNION, mirrored, box_of(-0.7, -0.7, -0.7, 0.7, -0.5, 0.7));
}
static shoal_shape* slope(void) { // a half space with a block taken out of it
    shoal_shape* s = NULL;
    CHECK_OK(shoal_shape_plane(shoal_d3_make(0, 1, 0), 0.0, &s));
    return of_two(SHOAL_SUBTRACT, s, box_of(-1, -0.5, -1, 1, 0.5, 1));
}

static const struct {
    const char* name;
    maker       make;
    double      volume, fraction; // m^3; how near to it
    double      off;              // m; how far vertices may be from the surface
} cases[] = {
    {"box", a_box, 1.0, 1e-6, 1e-6},
    {"sphere", a_sphere, 4.0 / 3.0 * SHOAL_PI * 0.343, 6e-3, 1e-6},
    {"cylinder", a_cylinder, SHOAL_PI * 0.25 * 1.2, 6e-3, 1e-6},
    {"cone", a_cone, SHOAL_PI * 0.25 * 0.4, 6e-3, 1e-6},
    {"capsule", a_capsule, SHOAL_PI * 0.16 * (0.8 + 1.6 / 3.0), 6e-3, 1e-6},
    {"torus", a_torus, 2.0 * SHOAL_PI* SHOAL_PI * 0.8 * 0.04, 6e-3, 1e-6},
    {"mirrored box", a_mirrored_box, 1.0, 1e-6, 1e-6},
    {"wide sphere", a_wide_sphere, 2.0 * SHOAL_PI * 0.343, 6e-3, 1e-6},
    {"floor", a_floor, 16.0, 1e-6, 1e-6},
    {"bowl", a_bowl, 4.0 / 3.0 * SHOAL_PI * 0.343 - 0.28896, 2e-3, 2e-3},
    {"stairs", stairs, 0.36 + 0.18, 1e-6, 1e-6},
    {"turned stairs", turned_stairs, 0.36 + 0.18, 1e-6, 1e-6},
    {"row", row, 0.5, 1e-6, 1e-6},
    {"window", window, 0.4 - 0.256, 1e-6, 1e-6},
    {"cup", cup, SHOAL_PI*(0.25 - 0.2401 * 0.98), 2e-3, 2e-3},
    {"die", die, 0.95924, 2e-3, 2e-3},
    {"long rod", long_rod, SHOAL_PI * 0.09 * 1.4, 2e-3, 2e-3},
    {"trophy", trophy, 1.0 - SHOAL_PI * 0.04 + 0.392, 2e-3, 2e-3},
    {"slope", slope, 32.0 - 2.0, 1e-6, 1e-6},
};
enum { CASE_COUNT = sizeof cases / sizeof *cases };

static void check_case(int k, const shoal_shape* shape, const shoal_contour* surface) {
    shoal_mesh*        mesh = NULL;
    shoal_mesh_quality q;
    CHECK_OK(shoal_mesh_create(&surface->vertices->x, surface->vertex_count, surface->triangles,
                               surface->triangle_count, &mesh));
    CHECK_OK(shoal_mesh_examine(mesh, &q));
    if (q.open_edges || q.nonmanifold_edges || q.flipped_edges || q.degenerate_triangles)
        fail_msg("%s: %d open, %d shared, %d flipped edges, %d flat triangles", cases[k].name, q.open_edges,
                 q.nonmanifold_edges, q.flipped_edges, q.degenerate_triangles);
    double volume = shoal_mesh_volume(mesh);
    if (!(fabs(volume / cases[k].volume - 1.0) < cases[k].fraction))
        fail_msg("%s: volume %g, not %g", cases[k].name, volume, cases[k].volume);
    for (int i = 0; i < surface->vertex_count; i++) {
        shoal_d3 p      = shoal_d3_from(surface->vertices[i]);
        bool     is_cut = fabs(fabs(p.x) - 2.0) < 0.1 || fabs(fabs(p.z) - 2.0) < 0.1 || p.y < -1.9;
        if (!is_cut && !(fabs(shoal_shape_distance(shape, p)) < cases[k].off))
            fail_msg("%s: vertex %d is %g m off", cases[k].name, i, shoal_shape_distance(shape, p));
        assert_near((double)shoal_v3_length(surface->normals[i]), 1.0, 1e-5);
    }
    for (int t = 0; t < surface->triangle_count; t++) {
        const int* c = surface->triangles + 3 * t;
        shoal_v3   a = surface->vertices[c[0]],
                 n = shoal_v3_cross(shoal_v3_sub(surface->vertices[c[1]], a), shoal_v3_sub(surface->vertices[c[2]], a));
        float longest = 0.0f; // slivers along a seam may look anywhere
        for (int e = 0; e < 3; e++)
            longest = fmaxf(longest,
                            shoal_v3_length(shoal_v3_sub(surface->vertices[c[(e + 1) % 3]], surface->vertices[c[e]])));
        bool is_sliver = (double)shoal_v3_length(n) < cases[k].off * (double)longest;
        for (int e = 0; e < 3 && !is_sliver; e++)
            if (!(shoal_v3_dot(n, surface->normals[c[e]]) > 0.0f))
                fail_msg("%s: a normal points inwards", cases[k].name);
    }
    shoal_mesh_destroy(mesh);
}

static void surfaces_of_shapes_are_closed_and_where_the_shape_is(void** state) {
    (void)state;
    shoal_exec exec = {.threads = 2};
    for (int k = 0; k < CASE_COUNT; k++) {
        shoal_shape*  shape = cases[k].make();
        shoal_contour surface;
        CHECK_OK(shoal_shape_surface(shape, clip, 0.05, &exec, &surface));
        check_case(k, shape, &surface);
        shoal_contour_free(&surface);
        shoal_shape_destroy(shape);
    }
}

static void a_mesh_is_shown_as_it_was_given(void** state) {
    (void)state;
    shoal_exec    exec  = {.threads = 1};
    double        sizes = 0.5;
    shoal_mesh*   mesh  = mesh_sheet(sphere_place, &sizes, 12, 16);
    shoal_shape*  shape = NULL;
    shoal_contour surface;
    CHECK_OK(shoal_shape_mesh(mesh, 0.1, 1, &shape));
    CHECK_OK(shoal_shape_surface(shape, clip, 0.1, &exec, &surface));
    assert_int_equal(surface.triangle_count, mesh->triangle_count);
    assert_memory_equal(surface.vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    shoal_contour_free(&surface);
    shoal_shape_destroy(shape);
    shoal_mesh_destroy(mesh);
}

static void what_lies_beyond_the_clip_is_not_there(void** state) {
    (void)state;
    shoal_exec    exec  = {.threads = 1};
    shoal_shape*  shape = NULL;
    shoal_contour surface;
    CHECK_OK(shoal_shape_plane(shoal_d3_make(0, 1, 0), -3.0, &shape));
    CHECK_OK(shoal_shape_surface(shape, clip, 0.05, &exec, &surface));
    assert_int_equal(surface.triangle_count, 0);
    shoal_contour_free(&surface);
    shoal_shape_destroy(shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_of_shapes_are_closed_and_where_the_shape_is),
        cmocka_unit_test(a_mesh_is_shown_as_it_was_given),
        cmocka_unit_test(what_lies_beyond_the_clip_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
