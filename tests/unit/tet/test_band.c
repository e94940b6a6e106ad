// SPDX-License-Identifier: MIT
// Surfaces that are tracked: distances around them, one that stands still, turns and comes back, is drawn out.
#include "tracked.h"

#include "base/hash.h"

static const shoal_exec one = {.threads = 1}, three = {.threads = 3};

static double tilted_box(const shape* s, shoal_d3 at) {
    shoal_d3 p = shoal_d3_sub(at, s->middle);
    shoal_d3 q = {0.8 * p.x + 0.6 * p.y, -0.6 * 0.96 * p.x + 0.8 * 0.96 * p.y + 0.28 * p.z,
                  0.6 * 0.28 * p.x - 0.8 * 0.28 * p.y + 0.96 * p.z};
    return fmax(fabs(q.x), fmax(fabs(q.y), fabs(q.z))) - s->radius;
}

static void stand(void* ctx, const shoal_d3* at, int count, double dt, shoal_d3* to) {
    (void)ctx, (void)dt;
    for (int i = 0; i < count; i++) to[i] = at[i];
}
static void distances_are_those_to_the_surface_in_the_band_and_signs_beyond(void** state) {
    (void)state;
    shape      s    = {ball, {0.43, 0.51, 0.47}, 0.3};
    shoal_band band = {0};
    frame(&band, 64);
    begin_with(&band, &s, shoal_d3_make(0.43, 0.81, 0.47), &three);
    double volume = 4.0 / 3.0 * SHOAL_PI * 0.027, h = band.grid.cell;
    CHECK_NEAR(shoal_band_volume(&band, &three) / volume, 1.0, 2e-3);
    CHECK_NEAR(shoal_band_area(&band, &three) / (4.0 * SHOAL_PI * 0.09), 1.0, 3e-3);
    for (int k = 0; k < 20000; k++) {
        double   d;
        shoal_d3 at = {shoal_random(1, 1, (uint64_t)k), shoal_random(1, 2, (uint64_t)k),
                       shoal_random(1, 3, (uint64_t)k)};
        ask(&s, &at, 1, &d);
        double found = shoal_band_distance(&band, at);
        if (fabs(d) < 1.5 * h)
            assert_true(fabs(found - d) < 0.05 * h);
        else
            assert_true(found * d > 0.0);
    }
    shoal_d3 away = {40.0, -3.0, 1e30};
    assert_true(shoal_band_distance(&band, away) > 0.0);
    shoal_band_free(&band);
}

static void a_surface_that_stands_still_stays(void** state) {
    (void)state;
    shape      s    = {tilted_box, {0.5, 0.52, 0.48}, 0.21};
    shoal_band band = {0};
    frame(&band, 48);
    begin_with(&band, &s, shoal_d3_make(0.5 + 0.21 * 0.8, 0.52 + 0.21 * 0.6, 0.48), &three);
    double before = shoal_band_volume(&band, &three), off_before = off(&band, &s);
    for (int k = 0; k < 10; k++) step(&band, stand, NULL, 0.01, 0.0, &three);
    CHECK_NEAR(shoal_band_volume(&band, &three) / before, 1.0, 1e-6);
    CHECK_NEAR(off(&band, &s), off_before, 1e-4);
    shoal_band_free(&band);
}

// Measured from its triangles in every step it loses at its edges, and a ball everywhere.
static void a_plain_surface_wears_down(void** state) {
    (void)state;
    shape      s    = {ball, {0.5, 0.52, 0.48}, 0.21};
    shoal_band band = {.is_plain = true};
    frame(&band, 32);
    begin_with(&band, &s, shoal_d3_make(0.71, 0.52, 0.48), &three);
    double before = shoal_band_volume(&band, &three);
    for (int k = 0; k < 10; k++) step(&band, stand, NULL, 0.01, 0.0, &three);
    double lost = 1.0 - shoal_band_volume(&band, &three) / before;
    print_message("a ball of 6.7 cells, measured anew ten times: volume %+.2f %%\n", -100.0 * lost);
    assert_true(lost > 0.01 && lost < 0.2);
    shoal_band_free(&band);
}

// All parts are found: one that is smaller than a cell's neighbourhood too, and two that meet become one.
static void drops_are_kept_and_joined(void** state) {
    (void)state;
    shape      s     = {ball, {0.3, 0.5, 0.5}, 0.05};
    shoal_band band  = {0};
    double     angle = 0.1;
    frame(&band, 32); // a drop of 1.6 cells
    begin_with(&band, &s, shoal_d3_make(0.3, 0.55, 0.5), &three);
    double volume = 4.0 / 3.0 * SHOAL_PI * 1.25e-4;
    for (int k = 0; k < 20; k++) {
        double missing = (volume - shoal_band_volume(&band, &three)) / shoal_band_area(&band, &three);
        step(&band, turn, NULL, angle, fmax(-0.1 * band.grid.cell, fmin(0.1 * band.grid.cell, 0.5 * missing)), &three);
    }
    CHECK_NEAR(shoal_band_volume(&band, &three) / volume, 1.0, 0.15);
    shape there = {ball, {0.5 - 0.2 * cos(2.0), 0.5 - 0.2 * sin(2.0), 0.5}, 0.05};
    assert_true(off(&band, &there) < 0.25);
    shoal_band_free(&band);
}

// Contoured anew from distances to the last triangles it would lose a sixth.
static void a_ball_turns_once_and_is_the_same(void** state) {
    (void)state;
    shape  s = {ball, {0.5, 0.75, 0.5}, 0.15};
    double distance, gained = turned(s, 48, &distance, &three);
    print_message("a ball's turn, 48 cells: volume %+.2f %%, mean distance %.3f cells\n", 100.0 * gained, distance);
    assert_true(fabs(gained) < 0.025 && distance < 0.08);
}
static void a_ball_drawn_to_a_sheet_comes_back(void** state) {
    (void)state;
    double distance, gained = deformed(40, 50, true, &distance, &three);
    print_message("Enright's flow, 40 cells: volume %+.2f %%, mean distance %.2f cells\n", 100.0 * gained, distance);
    assert_true(fabs(gained) < 0.02 && distance < 2.0);
}

static void bands_are_the_same_on_any_number_of_threads(void** state) {
    (void)state;
    shape      s       = {slotted, {0.5, 0.75, 0.5}, 0.15};
    shoal_band band[2] = {0};
    for (int k = 0; k < 2; k++) {
        const shoal_exec* exec = k ? &three : &one;
        frame(&band[k], 64);
        begin_with(&band[k], &s, shoal_d3_make(0.65, 0.75, 0.5), exec);
        for (int i = 0; i < 5; i++) step(&band[k], turn, NULL, 0.1, 0.0, exec);
    }
    assert_int_equal(band[0].grid.block_count, band[1].grid.block_count);
    assert_memory_equal(band[0].grid.values, band[1].grid.values,
                        sizeof(float) * SHOAL_SPARSE_SAMPLES * (size_t)band[0].grid.block_count);
    assert_int_equal(band[0].surface.triangle_count, band[1].surface.triangle_count);
    for (int k = 0; k < 2; k++) shoal_band_free(&band[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_to_the_surface_in_the_band_and_signs_beyond),
        cmocka_unit_test(a_surface_that_stands_still_stays),
        cmocka_unit_test(a_plain_surface_wears_down),
        cmocka_unit_test(drops_are_kept_and_joined),
        cmocka_unit_test(a_ball_turns_once_and_is_the_same),
        cmocka_unit_test(a_ball_drawn_to_a_sheet_comes_back),
        cmocka_unit_test(bands_are_the_same_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
