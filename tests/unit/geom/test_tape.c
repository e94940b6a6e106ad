// SPDX-License-Identifier: MIT
// A tape tells the distances and normals of its tree, to the bit.
#include "unit/check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "geom/shape.h"

typedef struct dice {
    uint64_t thrown;
} dice;

static double throw(dice * d, double low, double high) { return low + (high - low) * shoal_random(17, 3, d->thrown++); }
static int      pick(dice* d, int count) { return (int) throw(d, 0.0, count - 1e-9); }
static shoal_d3 throw3(dice* d, double low, double high) {
    double x = throw(d, low, high), y = throw(d, low, high);
    return shoal_d3_make(x, y, throw(d, low, high));
}

static shoal_shape* wedge(void) {
    static const float vertices[]  = {0, 0, 0, 0.6f, 0, 0, 0, 0.5f, 0, 0.1f, 0.1f, 0.7f};
    static const int   triangles[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    shoal_mesh*        mesh        = NULL;
    shoal_shape*       s           = NULL;
    CHECK_OK(shoal_mesh_create(vertices, 4, triangles, 4, &mesh));
    CHECK_OK(shoal_shape_mesh(mesh, 0.08, 1, &s));
    shoal_mesh_destroy(mesh);
    return s;
}

static shoal_shape* leaf(dice* d, int kind) {
    shoal_shape* s = NULL;
    double       a = throw(d, 0.1, 0.6), b = throw(d, 0.1, 0.6);
    shoal_d3     low = throw3(d, -0.6, 0.0), size = throw3(d, 0.1, 0.9);
    switch (kind) {
    case SHOAL_SHAPE_BOX:
        CHECK_OK(shoal_shape_box(low, shoal_d3_add(low, size), &s));
        break;
    case SHOAL_SHAPE_SPHERE:
        CHECK_OK(shoal_shape_sphere(a, &s));
        break;
    case SHOAL_SHAPE_CYLINDER:
        CHECK_OK(shoal_shape_cylinder(a, b, &s));
        break;
    case SHOAL_SHAPE_CONE:
        CHECK_OK(shoal_shape_cone(a, b, &s));
        break;
    case SHOAL_SHAPE_CAPSULE:
        CHECK_OK(shoal_shape_capsule(a, b, &s));
        break;
    case SHOAL_SHAPE_TORUS:
        CHECK_OK(shoal_shape_torus(a, 0.5 * b, &s));
        break;
    case SHOAL_SHAPE_PLANE:
        CHECK_OK(shoal_shape_plane(throw3(d, -1.0, 1.0), a, &s));
        break;
    default:
        s = wedge();
        break;
    }
    return s;
}

// Boxes side by side: they have joins.
static shoal_shape* brickwork(dice* d) {
    shoal_shape *bricks[5], *s = NULL;
    int          count = 2 + pick(d, 4);
    for (int k = 0; k < count; k++)
        CHECK_OK(shoal_shape_box(shoal_d3_make(0.2 * k, 0.0, 0.0), shoal_d3_make(0.2 * (k + 1), 0.3, 0.4), &bricks[k]));
    CHECK_OK(shoal_shape_combined(SHOAL_UNION, bricks, count, &s));
    return s;
}

static shoal_shape* tree(dice* d, int depth) {
    int what = pick(d, 10);
    if (depth == 0 || what < 2) return leaf(d, pick(d, 8));
    if (what == 2) return brickwork(d);
    shoal_shape *s = NULL, *children[4];
    if (what < 6) {
        double   one   = throw(d, 0.5, 2.0);
        shoal_d3 scale = pick(d, 2) ? shoal_d3_make(one, one, -one) : throw3(d, 0.5, 2.0);
        shoal_d3 at    = throw3(d, -0.5, 0.5);
        double   w = throw(d, -1, 1), x = throw(d, -1, 1), y = throw(d, -1, 1), z = throw(d, 0.1, 1);
        CHECK_OK(shoal_shape_place(tree(d, depth - 1), scale, shoal_quat_make(w, x, y, z), at, &s));
        return s;
    }
    int count = 1 + pick(d, 4);
    for (int k = 0; k < count; k++) children[k] = tree(d, depth - 1);
    CHECK_OK(shoal_shape_combined((shoal_combine)pick(d, 4), children, count, &s));
    return s;
}

static shoal_tape* taped(const shoal_shape* shape) {
    size_t      bytes = shoal_shape_tape_bytes(shape);
    shoal_tape* tape  = shoal_alloc(bytes, 1);
    shoal_shape_tape(shape, tape);
    assert_int_equal(tape->bytes, bytes);
    return tape;
}

// Near, on faces, far away and beyond all bounds.
static shoal_d3 place(dice* d, int k) {
    if (k % 7 == 0) return shoal_d3_make(0.2 * pick(d, 6), 0.1 * pick(d, 4), 0.1 * pick(d, 5));
    if (k % 41 == 0) return throw3(d, -1e4, 1e4);
    if (k % 97 == 0) return shoal_d3_make(1e200, -1e305, 0.0);
    return throw3(d, -1.5, 1.5);
}

static void a_tape_has_the_bits_of_its_tree(void** state) {
    (void)state;
    dice d        = {0};
    int  asked[3] = {0};
    for (int trial = 0; trial < 300; trial++) {
        shoal_shape* shape = trial < 8 ? leaf(&d, trial) : tree(&d, 1 + trial % 6);
        shoal_tape*  tape  = taped(shape);
        for (int k = 0; k < 200; k++) {
            shoal_d3 p = place(&d, k), n = {0}, m = {0};
            double   of_tree = shoal_shape_distance_normal(shape, p, &n), of_tape = shoal_tape_distance(tape, p, &m);
            assert_memory_equal(&of_tree, &of_tape, sizeof of_tree);
            assert_memory_equal(&n, &m, sizeof n);
            of_tree = shoal_shape_distance(shape, p), of_tape = shoal_tape_distance(tape, p, NULL);
            assert_memory_equal(&of_tree, &of_tape, sizeof of_tree);
            asked[of_tree < 0.0 ? 0 : of_tree < 1.0 ? 1 : 2]++;
        }
        shoal_free(tape);
        shoal_shape_destroy(shape);
    }
    for (int k = 0; k < 3; k++) assert_true(asked[k] > 1000); // inside, near and far were all met
}

static void a_tape_lives_without_its_shape_wherever_it_is_copied(void** state) {
    (void)state;
    dice         d        = {1000};
    shoal_shape *parts[2] = {wedge(), brickwork(&d)}, *shape = NULL;
    CHECK_OK(shoal_shape_combined(SHOAL_UNION, parts, 2, &shape));
    double wanted[50];
    dice   at = {5000};
    for (int k = 0; k < 50; k++) wanted[k] = shoal_shape_distance(shape, place(&at, k));
    shoal_tape *first = taped(shape), *moved = shoal_alloc(first->bytes, 1);
    shoal_shape_destroy(shape);
    memcpy(moved, first, first->bytes);
    memset(first, 0xff, first->bytes);
    shoal_free(first);
    at = (dice){5000};
    for (int k = 0; k < 50; k++) {
        double got = shoal_tape_distance(moved, place(&at, k), NULL);
        assert_memory_equal(&got, &wanted[k], sizeof got);
    }
    shoal_free(moved);
}

static shoal_shape* nested(int depth) {
    shoal_shape* shape = NULL;
    CHECK_OK(shoal_shape_sphere(0.3, &shape));
    for (int k = 1; k < depth; k++) {
        shoal_shape* child = shape;
        CHECK_OK(shoal_shape_combined(SHOAL_UNION, &child, 1, &shape));
    }
    return shape;
}

static void the_deepest_tree_fits(void** state) {
    (void)state;
    shoal_shape *shape = nested(SHOAL_SHAPE_DEPTH), *more = nested(SHOAL_SHAPE_DEPTH), *none = NULL;
    assert_int_equal(shoal_shape_combined(SHOAL_UNION, &more, 1, &none), SHOAL_ERR_INPUT); // and is gone
    shoal_tape* tape = taped(shape);
    CHECK_NEAR(shoal_tape_distance(tape, shoal_d3_make(1.3, 0.0, 0.0), NULL), 1.0, 1e-15);
    shoal_free(tape);
    shoal_shape_destroy(shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tape_has_the_bits_of_its_tree),
        cmocka_unit_test(a_tape_lives_without_its_shape_wherever_it_is_copied),
        cmocka_unit_test(the_deepest_tree_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
