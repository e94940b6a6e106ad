// SPDX-License-Identifier: MIT
// A wave of liquid on a mesh, and the face of a column that falls.
#include "swing.h"

// Through three crossings of the middle.
static void a_wave_swings_at_its_period(void** state) {
    (void)state;
    swing s = swing_for(16, 0.02, 1.5, &usual);
    CHECK_NEAR(s.period, 1.0, 0.03);
    CHECK_NEAR(s.amplitude, 1.0, 0.05);
    CHECK_NEAR(s.volume, 1.0, 0.002);
}

// Large waves are damped by each way between two middles of tetrahedra; with a core that is linear by less.
static void a_large_wave_keeps_more_with_a_core(void** state) {
    (void)state;
    shoal_tet_options cored = usual;
    cored.core              = 1.6;
    swing plain = swing_for(12, 0.08, 1.8, &usual), target_volume = swing_for(12, 0.08, 1.8, &cored);
    assert_true(target_volume.energy > 1.2 * plain.energy && target_volume.energy < 1.0);
    CHECK_NEAR(target_volume.volume, 1.0, 0.005);
}

// --- how smooth a face is

enum { ROWS = 64, ABOUT = 4 }; // rows of the tracked lattice; on either side of one

// Where the face is, by rows of the lattice from the ground, in cells: the mean of the vertices on edges along x. Rows
// that the top is in have none (0).
static void rows_of(const shoal_band* band, double top, double row[ROWS]) {
    const shoal_sparse* grid        = &band->grid;
    int                 count[ROWS] = {0}, ground = (int)ceil(-grid->origin.y / grid->cell);
    for (int k = 0; k < ROWS; k++) row[k] = 0.0;
    for (int i = 0; i < band->surface.vertex_count; i++) {
        shoal_d3 at = shoal_d3_from(band->surface.vertices[i]);
        double   y = (at.y - grid->origin.y) / grid->cell, z = (at.z - grid->origin.z) / grid->cell;
        int      k          = (int)floor(y + 0.5) - ground;
        bool     is_along_x = fabs(y - floor(y + 0.5)) < 1e-3 && fabs(z - floor(z + 0.5)) < 1e-3;
        if (!is_along_x || k < 0 || k >= ROWS || at.y > top || at.z < 0.02 || at.z > 0.08 || at.x < 0.15) continue;
        row[k] += at.x / grid->cell;
        count[k]++;
    }
    for (int k = 0; k < ROWS; k++) row[k] = count[k] ? row[k] / count[k] : 0.0;
}

// What a row is off the cubic through those about it, by least squares: the fifth differences of Savitzky and Golay.
static double off_cubic(const double* row) {
    static const double fit[ABOUT + 1] = {59.0, 54.0, 39.0, 14.0, -21.0}; // of 231
    double              sum            = fit[0] * row[0];
    for (int k = 1; k <= ABOUT; k++) sum += fit[k] * (row[k] + row[-k]);
    return row[0] - sum / 231.0;
}

// A column of 0.2 x 0.4 m for a tenth of a second, until its front has gone 0.07 m: rows of its face are off a smooth
// one by little, and no part of it is faster than a fall from its top.
static void a_falling_face_stays_smooth(void** state) {
    (void)state;
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .middle = {0.4, 0.3, 0.05}, .half = {0.4, 0.3, 0.05}};
    water            w      = {.height = 0.4, .end = 0.2};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    shoal_box        box    = {{0.0, 0.0, 0.0}, {0.8, 0.6, 0.1}};
    fall             g      = {1.0 / 120.0};
    double           row[ROWS], sum = 0.0, fastest = 0.0;
    int              count = 0;
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 1.0 / 48.0, wet, &w, &solids, &two));
    for (int k = 0; k < 14; k++) {
        step_on(&l, &solids, &g);
        fastest = fmax(fastest, shoal_tet_fastest(&l, &two));
    }
    rows_of(&shoal_tet_current(&l)->band, 0.3, row);
    for (int k = 8 + ABOUT; k < ROWS - ABOUT; k++) { // above where it turns to the ground
        if (row[k + ABOUT] == 0.0) continue;
        double off = off_cubic(row + k);
        sum += off * off;
        count++;
    }
    print_message("%d rows of a falling face: %.4f cells off a smooth one, fastest %.2f m/s\n", count,
                  sqrt(sum / count), fastest);
    assert_true(count >= 10);
    CHECK_BELOW(sqrt(sum / count), 0.006);
    CHECK_BELOW(fastest, sqrt(2.0 * 9.81 * 0.4));
    shoal_tet_liquid_free(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave_swings_at_its_period),
        cmocka_unit_test(a_large_wave_keeps_more_with_a_core),
        cmocka_unit_test(a_falling_face_stays_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
