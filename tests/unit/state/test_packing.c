// SPDX-License-Identifier: MIT
// The stored packing and what is made of it: fractions, contacts, seams, walls, obstacles, bodies that
// touch.
#include "base/memory.h"
#include "state/sites.h"

#include "../check.h"

enum { CAPACITY = 40000 };

typedef struct heap {
    int           count;
    shoal_packed* places;
    double        diameter, spread;
} heap;

static heap heap_make(double diameter, double spread) {
    heap h = {0, shoal_alloc(CAPACITY, sizeof *h.places), diameter, spread};
    assert_non_null(h.places);
    return h;
}

static bool keep_sphere(void* user, shoal_sphere sphere) {
    heap* h = user;
    assert_true(h->count < CAPACITY);
    h->places[h->count++] = (shoal_packed){sphere, 0};
    return true;
}

static bool keep_place(void* user, int body, shoal_sphere sphere) {
    keep_sphere(user, sphere);
    ((heap*)user)->places[((heap*)user)->count - 1].body = body;
    return true;
}

static double radius_of(const heap* h, int i) {
    return 0.5 * h->diameter * (1.0 + h->spread * h->places[i].sphere.rank);
}

// Distance of the surfaces of two, by the nearest image; negative where they overlap. In diameters.
static double gap_of(const heap* h, int i, int j, const double period[3]) {
    shoal_d3 d    = shoal_d3_sub(h->places[i].sphere.at, h->places[j].sphere.at);
    double   x[3] = {d.x, d.y, d.z}, square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        if (period && period[axis] > 0.0) x[axis] -= period[axis] * floor(x[axis] / period[axis] + 0.5);
        square += x[axis] * x[axis];
    }
    return (sqrt(square) - radius_of(h, i) - radius_of(h, j)) / h->diameter;
}

typedef struct closeness {
    double deepest,
        touching;    // overlap in diameters; mean number of others within half a percent of it
    double overlaps; // fraction of spheres that overlap another by more than a percent
} closeness;

// Of those within the box; others count as partners.
static closeness closeness_of(const heap* h, shoal_box box, const double period[3]) {
    closeness c     = {0.0, 0.0, 0.0};
    double    count = 0.0;
    for (int i = 0; i < h->count; i++) {
        if (!shoal_box_holds(box, h->places[i].sphere.at)) continue;
        double least = 1.0;
        for (int j = 0; j < h->count; j++) {
            double gap = j == i ? 1.0 : gap_of(h, i, j, period);
            least      = fmin(least, gap);
            c.touching += gap < 0.005;
        }
        c.deepest = fmax(c.deepest, -least);
        c.overlaps += least < -0.01;
        count += 1.0;
    }
    c.touching /= count;
    c.overlaps /= count;
    return c;
}

static double solid_fraction(const heap* h, double volume) {
    double solid = 0.0;
    for (int i = 0; i < h->count; i++) solid += 4.0 / 3.0 * SHOAL_PI * pow(radius_of(h, i), 3.0);
    return solid / volume;
}

static shoal_box cube(double low, double high) { return (shoal_box){{low, low, low}, {high, high, high}}; }

// --- the packing

// Fifteen diameters hold the seams of several boxes of the packing, which are 9.6 wide and turned.
static void a_packing_fills_space_without_seams(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        shoal_packing* p;
        heap           h = heap_make(0.01, 0.1);
        CHECK_OK(shoal_packing_make(0.01, 0.1, 0.6, seed, &p));
        shoal_packing_walk(p, cube(0.3, 0.45), keep_sphere, &h);
        closeness c = closeness_of(&h, cube(0.315, 0.435), NULL);
        printf("fraction %.4f, %.2f contacts, deepest overlap %.5f d\n", solid_fraction(&h, pow(0.15, 3.0)), c.touching,
               c.deepest);
        CHECK_NEAR(solid_fraction(&h, pow(0.15, 3.0)), 0.6, 0.006);
        CHECK_NEAR(shoal_packing_number(p) * pow(0.15, 3.0) / h.count, 1.0, 0.01);
        CHECK_BELOW(c.deepest, 0.002);
        CHECK_BELOW(5.0, c.touching);
        shoal_packing_free(p);
        shoal_free(h.places);
    }
}

static void seeds_turn_the_packing_and_the_same_seed_gives_the_same_bits(void** state) {
    (void)state;
    heap h[3];
    for (int k = 0; k < 3; k++) {
        shoal_packing* p;
        h[k] = heap_make(0.01, 0.1);
        CHECK_OK(shoal_packing_make(0.01, 0.1, 0.6, k == 2 ? 8 : 7, &p));
        shoal_packing_walk(p, cube(0.0, 0.05), keep_sphere, &h[k]);
        shoal_packing_free(p);
    }
    assert_int_equal(h[0].count, h[1].count);
    assert_memory_equal(h[0].places, h[1].places, (size_t)h[0].count * sizeof *h[0].places);
    int same = 0;
    for (int i = 0; i < h[0].count; i++)
        for (int j = 0; j < h[2].count; j++) same += h[0].places[i].sphere.at.x == h[2].places[j].sphere.at.x;
    assert_int_equal(same, 0);
    for (int k = 0; k < 3; k++) shoal_free(h[k].places);
}

// Two walks of two halves of a box find what one walk of the box finds: who lies on the face
// between is in one.
static void a_walk_finds_each_sphere_once(void** state) {
    (void)state;
    shoal_packing* p;
    heap           whole = heap_make(0.01, 0.1), halves = heap_make(0.01, 0.1);
    CHECK_OK(shoal_packing_make(0.01, 0.1, 0.6, 1, &p));
    shoal_packing_walk(p, (shoal_box){{-0.1, -0.03, 0.0}, {0.1, 0.05, 0.1}}, keep_sphere, &whole);
    shoal_packing_walk(p, (shoal_box){{-0.1, -0.03, 0.0}, {0.017, 0.05, 0.1}}, keep_sphere, &halves);
    shoal_packing_walk(p, (shoal_box){{0.017, -0.03, 0.0}, {0.1, 0.05, 0.1}}, keep_sphere, &halves);
    assert_int_equal(whole.count, halves.count);
    shoal_packing_free(p);
    shoal_free(whole.places);
    shoal_free(halves.places);
}

static void other_shares_and_spreads_are_packed_too(void** state) {
    (void)state;
    static const double spreads[] = {0.0, 0.1, 0.25, 0.5, 0.1, 0.1}, fractions[] = {0.6, 0.62, 0.6, 0.6, 0.63, 0.57};
    for (int k = 0; k < 6; k++) {
        shoal_packing* p;
        heap           h = heap_make(0.01, spreads[k]);
        CHECK_OK(shoal_packing_make(0.01, spreads[k], fractions[k], 1, &p));
        shoal_packing_walk(p, cube(0.0, 0.15), keep_sphere, &h);
        closeness c = closeness_of(&h, cube(0.02, 0.13), NULL);
        printf("fraction %.2f, spread %.2f: %.4f, %.2f contacts, deepest overlap %.4f d, %.4f beyond "
               "1 %%\n",
               fractions[k], spreads[k], solid_fraction(&h, pow(0.15, 3.0)), c.touching, c.deepest, c.overlaps);
        CHECK_NEAR(solid_fraction(&h, pow(0.15, 3.0)), fractions[k], 0.012 * fractions[k]);
        CHECK_BELOW(c.deepest, 0.02);
        shoal_packing_free(p);
        shoal_free(h.places);
    }
}

// --- bodies

typedef struct rig {
    shoal_material    material[2];
    shoal_body        bodies[2];
    shoal_obstacle    obstacle;
    shoal_description d;
} rig;

// Sand of 1 cm in a box of 0.2 m.
static void rig_make(rig* s) {
    *s                       = (rig){.material = {{.kind = SHOAL_GRANULAR, .packing = 0.6f, .spread = 0.1f},
                                                  {.kind = SHOAL_LIQUID, .spacing_fraction = 0.5f}}};
    s->bodies[0].arrangement = s->bodies[1].arrangement = SHOAL_RANDOM;
    s->d                                                = (shoal_description){.spacing        = 0.01,
                                                                              .seed           = 1,
                                                                              .material_count = 2,
                                                                              .materials      = s->material,
                                                                              .body_count     = 1,
                                                                              .bodies         = s->bodies,
                                                                              .obstacles      = &s->obstacle};
    s->d.domain.is_given                                = true;
    s->d.domain.max                                     = shoal_d3_make(0.2, 0.2, 0.2);
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) s->d.domain.walls[w].kind = SHOAL_WALL_SLIP;
}

static void rig_free(rig* s) {
    for (int b = 0; b < 2; b++) shoal_shape_destroy(s->bodies[b].shape);
    shoal_shape_destroy(s->obstacle.shape);
}

static shoal_shape* box(double x0, double y0, double z0, double x1, double y1, double z1) {
    shoal_shape* shape = NULL;
    CHECK_OK(shoal_shape_box(shoal_d3_make(x0, y0, z0), shoal_d3_make(x1, y1, z1), &shape));
    return shape;
}

static heap rig_fill(const rig* s, int64_t* taken) {
    heap    h   = heap_make(0.01, (double)s->material[0].spread);
    int64_t all = 0;
    for (int b = 0; b < s->d.body_count; b++) {
        shoal_taken one = {0};
        if (shoal_body_is_packed(&s->d, b)) CHECK_OK(shoal_body_sites(&s->d, b, keep_place, &h, &one));
        all += one.within;
    }
    CHECK_OK(shoal_packed_settle(&s->d, h.places, h.count));
    if (taken) *taken = all;
    return h;
}

// How deep spheres are in the walls of the box of 0.2 m, in diameters.
static double deepest_in_walls(const heap* h) {
    double most = 0.0;
    for (int i = 0; i < h->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            double at = shoal_d3_axis(h->places[i].sphere.at, axis);
            most      = fmax(most, (radius_of(h, i) - fmin(at, 0.2 - at)) / h->diameter);
        }
    return most;
}

static void a_packing_lies_close_to_walls_and_overlaps_nothing(void** state) {
    (void)state;
    rig s;
    rig_make(&s);
    s.bodies[0].shape = box(0, 0, 0, 0.2, 0.12, 0.2);
    heap      h       = rig_fill(&s, NULL);
    closeness c       = closeness_of(&h, (shoal_box){{0, 0, 0}, {0.2, 0.1, 0.2}}, NULL);
    double    wanted  = 0.6 * 0.2 * 0.12 * 0.2 / (SHOAL_PI / 6.0 * 1e-6 * 1.01);
    printf("%d spheres, %.0f wanted; %.2f contacts, deepest overlap %.4f d, %.4f beyond 1 %%\n", h.count, wanted,
           c.touching, c.deepest, c.overlaps);
    CHECK_NEAR(h.count / wanted, 0.985, 0.015); // a twentieth of a diameter at each of five walls
    CHECK_BELOW(deepest_in_walls(&h), 1e-9);
    CHECK_BELOW(c.overlaps, 0.01);
    CHECK_BELOW(c.deepest, 0.02);
    CHECK_BELOW(5.0, c.touching);
    // who overlaps says so: as small as it then begins, it touches nobody
    for (int i = 0; i < h.count; i++)
        for (int j = 0; j < i; j++)
            assert_true(gap_of(&h, i, j, NULL) * h.diameter +
                            0.5 * (h.places[i].sphere.overlap + h.places[j].sphere.overlap) >
                        -2e-3 * h.diameter);
    shoal_free(h.places);
    rig_free(&s);
}

static void bodies_of_one_packing_continue_each_other(void** state) {
    (void)state;
    rig s;
    rig_make(&s);
    s.d.domain.is_given = false;
    s.bodies[0].shape   = box(0, 0, 0, 0.1, 0.1, 0.1);
    heap one            = rig_fill(&s, NULL);
    rig_free(&s);
    s.d.body_count    = 2;
    s.bodies[0].shape = box(0, 0, 0, 0.043, 0.1, 0.1);
    s.bodies[1].shape = box(0.043, 0, 0, 0.1, 0.1, 0.1);
    heap two          = rig_fill(&s, NULL);
    assert_int_equal(one.count, two.count);
    CHECK_BELOW(closeness_of(&two, cube(0.0, 0.1), NULL).deepest, 0.002);
    shoal_free(one.places);
    shoal_free(two.places);
    rig_free(&s);
}

// Any shape, anywhere, turned and large: as many spheres as its volume holds.
static void a_turned_body_holds_as_many_as_one_that_is_not(void** state) {
    (void)state;
    rig s;
    rig_make(&s);
    s.d.domain.is_given = false;
    for (int k = 0; k < 4; k++) {
        shoal_quat turn = shoal_quat_turn(shoal_d3_make(0.6, 0.0, 0.8), 0.31 * k);
        CHECK_OK(shoal_shape_place(box(-0.08, -0.05, -0.07, 0.08, 0.05, 0.07), shoal_d3_make(1, 1, 1), turn,
                                   shoal_d3_make(0.3 * k, -1.0 * k, 0.1), &s.bodies[0].shape));
        heap   h      = rig_fill(&s, NULL);
        double wanted = 0.6 * 0.16 * 0.1 * 0.14 / (SHOAL_PI / 6.0 * 1e-6 * 1.01);
        CHECK_NEAR(h.count / wanted, 1.0, 0.02);
        shoal_free(h.places);
        rig_free(&s);
        s.bodies[0].shape = NULL;
    }
}

// A room that is closed on all sides has a place for each, and no body of any shape, cut by walls and obstacles, has
// more.
static void a_continuum_has_no_more_points_than_room(void** state) {
    (void)state;
    int least = 1000;
    for (int k = 0; k < 16; k++) {
        rig s;
        rig_make(&s);
        s.material[0].is_continuum = true;
        s.d.seed                   = (uint64_t)k + 1;
        double places              = 576.0;
        if (k < 8) { // up to three walls and an obstacle, 12 by 6 by 8
            s.bodies[0].shape  = box(-0.03, 0, 0, 0.12, 0.08, 0.08);
            s.obstacle.shape   = box(-0.1, 0.06, -0.1, 0.3, 0.3, 0.3);
            s.d.obstacle_count = 1;
        } else { // free, turned
            CHECK_OK(shoal_shape_place(box(-0.06, -0.03, -0.04, 0.06, 0.03, 0.04), shoal_d3_make(1, 1, 1),
                                       shoal_quat_turn(shoal_d3_make(0.6, 0.0, 0.8), 0.31 * k),
                                       shoal_d3_make(0.1, 0.11, 0.09), &s.bodies[0].shape));
        }
        heap h = rig_fill(&s, NULL);
        CHECK_BELOW(h.count, places * (k < 8 ? 1.0 : 1.003) + 0.5); // by samples of its cells
        CHECK_BELOW(places * 0.95, h.count);
        least = h.count < least ? h.count : least;
        shoal_free(h.places);
        rig_free(&s);
    }
    printf("%d points at least, of 576 places\n", least);
}

static void a_periodic_axis_of_any_length_has_no_seam(void** state) {
    (void)state;
    static const double lengths[] = {0.2, 0.0637, 0.031};
    for (int k = 0; k < 3; k++) {
        rig s;
        rig_make(&s);
        s.d.domain.max.x                  = lengths[k];
        s.d.domain.walls[SHOAL_LEFT].kind = s.d.domain.walls[SHOAL_RIGHT].kind = SHOAL_WALL_PERIODIC;
        s.bodies[0].shape = box(0, 0.05, 0.05, lengths[k], 0.15, 0.15);
        heap      h       = rig_fill(&s, NULL);
        closeness c       = closeness_of(&h, (shoal_box){{-1, -1, -1}, {1, 1, 1}}, (double[3]){lengths[k], 0.0, 0.0});
        double    wanted  = 0.6 * lengths[k] * 0.01 / (SHOAL_PI / 6.0 * 1e-6 * 1.01);
        printf("period %g: %d spheres, %.0f wanted, deepest overlap %.4f d, %.4f beyond 1 %%\n", lengths[k], h.count,
               wanted, c.deepest, c.overlaps);
        CHECK_NEAR(h.count / wanted, 1.0, 0.04);
        CHECK_BELOW(c.overlaps, 0.01);
        CHECK_BELOW(c.deepest, 0.02);
        shoal_free(h.places);
        rig_free(&s);
    }
}

static void obstacles_and_other_bodies_keep_their_space(void** state) {
    (void)state;
    rig s;
    rig_make(&s);
    s.d.obstacle_count = 1;
    CHECK_OK(shoal_shape_sphere(0.04, &s.obstacle.shape));
    CHECK_OK(shoal_shape_place(s.obstacle.shape, shoal_d3_make(1, 1, 1), shoal_quat_identity(),
                               shoal_d3_make(0.1, 0.06, 0.1), &s.obstacle.shape));
    s.d.body_count          = 2;
    s.bodies[0].shape       = box(0, 0, 0, 0.2, 0.12, 0.2);
    s.bodies[1].shape       = box(0, 0.12, 0, 0.2, 0.2, 0.2);
    s.bodies[1].material    = 1; // water
    s.bodies[1].arrangement = SHOAL_LATTICE;
    int64_t taken;
    heap    h = rig_fill(&s, &taken);
    CHECK_NEAR((double)taken, 0.6 * 8.0 * 64.0 / 1.01, 30.0); // of a sphere eight diameters wide
    double in_obstacle = 0.0, in_water = 0.0;
    for (int i = 0; i < h.count; i++) {
        in_obstacle =
            fmax(in_obstacle, radius_of(&h, i) - shoal_shape_distance(s.obstacle.shape, h.places[i].sphere.at));
        in_water = fmax(in_water, h.places[i].sphere.at.y + radius_of(&h, i) - 0.12);
    }
    CHECK_BELOW(in_obstacle, 1e-6);
    CHECK_BELOW(in_water, 1e-6);
    shoal_free(h.places);
    rig_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packing_fills_space_without_seams),
        cmocka_unit_test(seeds_turn_the_packing_and_the_same_seed_gives_the_same_bits),
        cmocka_unit_test(a_walk_finds_each_sphere_once),
        cmocka_unit_test(other_shares_and_spreads_are_packed_too),
        cmocka_unit_test(a_packing_lies_close_to_walls_and_overlaps_nothing),
        cmocka_unit_test(bodies_of_one_packing_continue_each_other),
        cmocka_unit_test(a_turned_body_holds_as_many_as_one_that_is_not),
        cmocka_unit_test(a_continuum_has_no_more_points_than_room),
        cmocka_unit_test(a_periodic_axis_of_any_length_has_no_seam),
        cmocka_unit_test(obstacles_and_other_bodies_keep_their_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
