// SPDX-License-Identifier: MIT
// Sand of flip on tilted obstacles of many angles and frictions, as planes, boxes and meshes, twice
// as fine, and with all of it turned.
#include "truth/figure.h"
#include "truth/incline.h"

static const double pass = 0.10, pass_turned = 0.02, stuck = 1;

static double free_way(double degrees) { return 0.5 * 9.81 * sin(degrees * 0.017453292519943295) * 0.5 * 0.5; }

static double beyond(incline c) {
    incline_result r = incline_run(c);
    return (r.way - r.wanted) / free_way(c.degrees);
}

static void sand_on_inclines_of_all_angles_and_frictions_goes_by_coulomb(void** state) {
    (void)state;
    static const double angles[] = {10, 20, 30, 35, 45}, frictions[] = {0, 0.1, 0.3, 0.5, 0.8};
    for (int a = 0; a < 5; a++)
        for (int f = 0; f < 5; f++) {
            double         slope = tan(angles[a] * 0.017453292519943295);
            incline_result r     = incline_run((incline){.degrees = angles[a], .friction = frictions[f]});
            if (frictions[f] > 1.1 * slope)
                truth_below(truth_case("sand on a plane of %.0f degrees, friction %.1f: way of the lowest amid",
                                       angles[a], frictions[f]),
                            "flip", fabs(r.sole) * 1e3, "mm", stuck);
            else
                truth_near(truth_case("sand on a plane of %.0f degrees, friction %.1f: way beyond Coulomb's", angles[a],
                                      frictions[f]),
                           "flip", (r.way - r.wanted) / free_way(angles[a]), "of free way", 0, pass);
        }
}

static void planes_boxes_and_meshes_are_alike(void** state) {
    (void)state;
    static const char* const kinds[] = {"plane", "box", "mesh"};
    for (int kind = 0; kind < 3; kind++)
        for (int f = 0; f < 2; f++)
            truth_near(
                truth_case("sand on a %s of 30 degrees, friction %.1f: way beyond Coulomb's", kinds[kind], 0.3 * f),
                "flip", beyond((incline){.degrees = 30, .friction = 0.3 * f, .kind = (incline_kind)kind}),
                "of free way", 0, pass);
}

static void a_finer_grid_is_no_worse(void** state) {
    (void)state;
    for (int f = 0; f < 2; f++)
        truth_near(truth_case("sand on a plane of 35 degrees, friction %.1f, 40 cells: way beyond Coulomb's", 0.3 * f),
                   "flip", beyond((incline){.degrees = 35, .friction = 0.3 * f, .dx = 0.02, .cells = {40, 10, 8}}),
                   "of free way", 0, pass);
}

// A slab that is turned sinks by up to 5 mm more, which takes load off its friction while it does: so both are held
// against Coulomb's law with what presses on them, not against each other.
static void turning_all_of_it_changes_nothing(void** state) {
    (void)state;
    static const double turns[][2] = {{17, 0}, {0, 31}, {17, 31}};
    for (int f = 0; f < 2; f++) {
        incline c    = {.degrees = 35, .friction = 0.3 * f, .has_planes = true, .cells = {20, 5, 12}};
        double  here = beyond(c);
        for (int k = 0; k < 3; k++) {
            c.turn[0] = turns[k][0];
            c.turn[1] = turns[k][1];
            truth_near(truth_case("sand on a plane of 35 degrees, friction %.1f, turned by %.0f "
                                  "and %.0f: way beyond Coulomb's, beyond that of the unturned",
                                  c.friction, c.turn[0], c.turn[1]),
                       "flip", beyond(c) - here, "of free way", 0, pass_turned);
        }
    }
}

// Three cells deep and six wide: there the edges between floor and sides are a large part of it.
static void a_turned_shallow_slab_goes_by_coulomb(void** state) {
    (void)state;
    static const double turns[][2] = {{17, 31}, {23, 41}, {50, 20}};
    for (int f = 0; f < 2; f++)
        for (int k = 0; k < 3; k++) {
            incline c = {.degrees    = 33,
                         .friction   = 0.25 * f,
                         .has_planes = true,
                         .cells      = {20, 3, 6},
                         .turn       = {turns[k][0], turns[k][1]}};
            truth_near(truth_case("sand 3 cells deep, 33 degrees, friction %.2f, turned by %.0f and %.0f: way beyond "
                                  "Coulomb's",
                                  c.friction, c.turn[0], c.turn[1]),
                       "flip", beyond(c), "of free way", 0, pass_turned);
        }
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sand_on_inclines_of_all_angles_and_frictions_goes_by_coulomb),
        cmocka_unit_test(planes_boxes_and_meshes_are_alike),
        cmocka_unit_test(a_finer_grid_is_no_worse),
        cmocka_unit_test(turning_all_of_it_changes_nothing),
        cmocka_unit_test(a_turned_shallow_slab_goes_by_coulomb),
    };
    return TRUTH_RUN("flip", tests, argc, argv);
}
