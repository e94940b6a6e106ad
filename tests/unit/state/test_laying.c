// SPDX-License-Identifier: MIT
// Bodies on the lattice in vessels that it does not fit.
#include "state/laying.h"

#include "state/even_bodies.h"
#include "unit/check.h"

// A box of water, 0.16 by 0.12 by 0.16 m, in a box open above with walls of 0.03 m, both turned.
typedef struct vessel {
    shoal_description d;
    shoal_material    material;
    shoal_body        body;
    shoal_obstacle    obstacle;
} vessel;

static shoal_shape* turned_box(shoal_d3 min, shoal_d3 max, shoal_quat turn) {
    shoal_shape *own = NULL, *out = NULL;
    CHECK_OK(shoal_shape_box(min, max, &own));
    CHECK_OK(shoal_shape_place(own, shoal_d3_make(1, 1, 1), turn, shoal_d3_make(0, 0, 0), &out));
    return out;
}

static void vessel_make(vessel* v, double spacing, shoal_d3 axis, double degrees, bool is_at_walls) {
    shoal_quat   turn = shoal_quat_turn(shoal_d3_scale(axis, 1.0 / shoal_d3_length(axis)), degrees * SHOAL_PI / 180.0);
    shoal_shape *outer, *inner;
    *v                = (vessel){0};
    v->material       = (shoal_material){.kind = SHOAL_LIQUID, .density = 1000.0f, .is_at_walls = is_at_walls};
    v->body.shape     = turned_box(shoal_d3_make(-0.08, -0.08, -0.08), shoal_d3_make(0.08, 0.04, 0.08), turn);
    outer             = turned_box(shoal_d3_make(-0.11, -0.11, -0.11), shoal_d3_make(0.11, 0.08, 0.11), turn);
    inner             = turned_box(shoal_d3_make(-0.08, -0.08, -0.08), shoal_d3_make(0.08, 0.2, 0.08), turn);
    shoal_shape* of[] = {outer, inner};
    CHECK_OK(shoal_shape_combined(SHOAL_SUBTRACT, of, 2, &v->obstacle.shape));
    v->d = (shoal_description){.spacing        = spacing,
                               .material_count = 1,
                               .materials      = &v->material,
                               .body_count     = 1,
                               .bodies         = &v->body,
                               .obstacle_count = 1,
                               .obstacles      = &v->obstacle};
}

static void vessel_free(vessel* v) {
    shoal_shape_destroy(v->body.shape);
    shoal_shape_destroy(v->obstacle.shape);
}

enum { MOST = 8000 };
typedef struct heap {
    shoal_packed places[MOST];
    int          count;
    int64_t      overfull;
} heap;

static bool keep(void* user, int body, shoal_d3 site) {
    heap* h = user;
    assert_true(h->count < MOST);
    h->places[h->count++] = (shoal_packed){{site, 0.0, 0.0}, body};
    return true;
}

static void lay(const vessel* v, heap* h) {
    shoal_taken taken;
    h->count = 0;
    CHECK_OK(shoal_lattice_body_sites(&v->d, 0, keep, h, &taken));
    h->overfull = taken.overfull;
}

typedef struct turn {
    double x, y, z, degrees;
} turn;
static const turn turns[] = {{0, 0, 1, 45}, {0, 1, 0, 22.5}, {1, 2, 3, 31}, {-2, 1, 0.3, 77}, {0.3, 0.1, 1, 8}};
enum { TURNS = sizeof turns / sizeof *turns };

static void a_body_has_its_volume_however_its_vessel_is_turned(void** state) {
    (void)state;
    static heap h;
    for (int k = 0; k < TURNS; k++)
        for (int fine = 0; fine < 2; fine++)
            for (int at_walls = 0; at_walls < 2; at_walls++) {
                double d = fine ? 0.01 : 0.02;
                vessel v;
                vessel_make(&v, d, shoal_d3_make(turns[k].x, turns[k].y, turns[k].z), turns[k].degrees, at_walls);
                lay(&v, &h);
                double volume = h.count * d * d * d / (0.16 * 0.12 * 0.16);
                if (fabs(volume - 1.0) > 0.02) fail_msg("turn %d, spacing %g: %.4f of its volume", k, d, volume);
                assert_true((h.overfull > 0) == !at_walls);
                vessel_free(&v);
            }
}

static void a_vessel_that_the_lattice_fits_is_left_to_it(void** state) {
    (void)state;
    static heap h;
    vessel      v;
    vessel_make(&v, 0.02, shoal_d3_make(0, 1, 0), 0.0, false);
    lay(&v, &h);
    assert_int_equal(h.count, 8 * 6 * 8);
    assert_int_equal(h.overfull, 0);
    for (int i = 0; i < h.count; i++) {
        double off = h.places[i].sphere.at.x / 0.02 - 0.5;
        assert_true(fabs(off - floor(off + 0.5)) < 1e-9);
    }
    vessel_free(&v);
}

// What a kernel of two spacings and a half sees around each that is so far from all surfaces; spacings.
static double unevenness(const heap* h, const vessel* v, double d) {
    double mean = 0.0, square = 0.0, count = 0.0;
    for (int i = 0; i < h->count; i++) {
        double sum = 0.0;
        if (shoal_shape_distance(v->body.shape, h->places[i].sphere.at) > -2.5 * d) continue;
        for (int j = 0; j < h->count; j++) {
            double q = shoal_d3_length(shoal_d3_sub(h->places[i].sphere.at, h->places[j].sphere.at)) / (2.5 * d);
            sum += q < 1.0 ? (1.0 - q) * (1.0 - q) * (1.0 + 2.0 * q) : 0.0;
        }
        mean += sum;
        square += sum * sum;
        count += 1.0;
    }
    mean /= count;
    return sqrt(fmax(square / count - mean * mean, 0.0)) / mean;
}

static void crowded_places_are_parted_and_made_even(void** state) {
    (void)state;
    static heap h;
    for (int k = 1; k < TURNS; k++) {
        const double d = 0.01;
        vessel       v;
        vessel_make(&v, d, shoal_d3_make(turns[k].x, turns[k].y, turns[k].z), turns[k].degrees, false);
        lay(&v, &h);
        CHECK_OK(shoal_bodies_even(&v.d, h.places, &h.count));
        double nearest = 1.0, off = 1.0;
        for (int i = 0; i < h.count; i++) {
            off = fmin(off, shoal_shape_distance(v.obstacle.shape, h.places[i].sphere.at));
            for (int j = 0; j < i; j++)
                nearest = fmin(nearest, shoal_d3_length(shoal_d3_sub(h.places[i].sphere.at, h.places[j].sphere.at)));
        }
        double uneven = unevenness(&h, &v, d);
        printf("turn %d: nearest %.3f, off the vessel %.3f spacings, uneven by %.4f\n", k, nearest / d, off / d,
               uneven);
        assert_true(nearest > 0.75 * d && off > 0.48 * d && uneven < 0.015);
        vessel_free(&v);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_has_its_volume_however_its_vessel_is_turned),
        cmocka_unit_test(a_vessel_that_the_lattice_fits_is_left_to_it),
        cmocka_unit_test(crowded_places_are_parted_and_made_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
