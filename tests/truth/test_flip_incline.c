// SPDX-License-Identifier: MIT
// Sand and water of flip on tilted obstacles: sliding and sticking follow the surface, not the
// steps of the grid. Ways are over that without friction: close to the angle at which it sticks
// they are small differences.
#include "truth/figure.h"
#include "truth/incline.h"

static const double pass = 0.10;

static double free_way(double degrees) { return 0.5 * 9.81 * sin(degrees * 0.017453292519943295) * 0.5 * 0.5; }

static const char* const kinds[] = {"plane", "box", "mesh"};

static void slides(incline c) {
    incline_result r = incline_run(c);
    truth_near(truth_case("%s on a %s of %.0f degrees, friction %.1f, turned by %.0f and %.0f: way "
                          "beyond Coulomb's",
                          c.material ? "water" : "sand", kinds[c.kind], c.degrees, c.friction, c.turn[0], c.turn[1]),
               "flip", (r.way - r.wanted) / free_way(c.degrees), "of free way", 0, pass);
}

static void sticks(incline c) {
    incline_result r = incline_run(c);
    truth_below(truth_case("sand on a %s of %.0f degrees, friction %.1f, turned by %.0f and %.0f: "
                           "way of the lowest amid",
                           kinds[c.kind], c.degrees, c.friction, c.turn[0], c.turn[1]),
                "flip", fabs(r.sole) * 1e3, "mm", 1);
}

static void sand_slides_down_a_tilted_obstacle_by_coulomb(void** state) {
    (void)state;
    slides((incline){.degrees = 35});
    slides((incline){.degrees = 35, .friction = 0.3});
    slides((incline){.degrees = 45, .friction = 0.6});
}

static void sand_sticks_to_a_tilted_obstacle_that_is_rough_enough(void** state) {
    (void)state;
    sticks((incline){.degrees = 20, .friction = 0.5});
}

// A floor that is tilted by a few degrees only, so that faces across it lie nearly in it.
static void so_it_does_where_gravity_leans_over_a_nearly_level_one(void** state) {
    (void)state;
    static const double turns[] = {17, 15, 12};
    for (int k = 0; k < 3; k++) {
        incline_result r = incline_run((incline){
            .degrees = 20, .friction = 0.5, .has_planes = true, .cells = {20, 3, 4}, .turn = {0, 0, turns[k]}});
        truth_below(truth_case("sand on a plane of 20 degrees, friction 0.5, of which %.0f are gravity's: way of the "
                               "lowest amid",
                               turns[k]),
                    "flip", fabs(r.sole) * 1e3, "mm", 1);
    }
}

// With a normal that has a part along all three axes. (18 to 35 mm while tractions were put into the surface one by
// one.)
static void so_it_does_however_a_bed_is_turned(void** state) {
    (void)state;
    sticks((incline){.degrees = 20, .friction = 0.5, .has_planes = true, .cells = {16, 3, 6}, .turn = {50, 20}});
}

static void so_it_does_by_the_rule_of_the_paper(void** state) {
    (void)state;
    incline_result r = incline_run((incline){.degrees = 35, .setup = {.set = {"flip.friction=paper"}}});
    truth_near("sand on a smooth plane of 35 degrees, friction of the paper: way beyond Coulomb's", "flip",
               (r.way - r.wanted) / free_way(35), "of free way", 0, pass);
}

static void sand_slides_alike_however_all_of_it_is_turned(void** state) {
    (void)state;
    incline c = {.degrees = 35, .friction = 0.3, .has_planes = true, .cells = {20, 5, 8}, .turn = {17, 31}};
    slides(c);
}

// Three cells deep in a smooth chute: there the edges between floor and sides are a large part of it. (-0.028 with dead
// ends.)
static void so_does_a_shallow_slab(void** state) {
    (void)state;
    incline_result r = incline_run((incline){.degrees = 33, .has_planes = true, .cells = {12, 3, 6}, .turn = {60, 10}});
    truth_near("sand 3 cells deep in a smooth chute of 33 degrees, turned by 60 and 10: way beyond Coulomb's", "flip",
               (r.way - r.wanted) / free_way(33), "of free way", 0, 0.02);
}

// Of what friction holds there the rim of the free surface is a large part. (+0.022 when its cells counted as whole
// ones to the stress along the axes.)
static void a_shallow_slab_weighs_what_it_has(void** state) {
    (void)state;
    incline_result r = incline_run((incline){.degrees = 33, .friction = 0.25, .has_planes = true, .cells = {20, 3, 6}});
    truth_near("sand 3 cells deep in a chute of 33 degrees, friction 0.25: way beyond Coulomb's", "flip",
               (r.way - r.wanted) / free_way(33), "of free way", 0, 0.015);
}

// Of 3 and 1.5 spacings.
static void so_it_does_on_thin_plates(void** state) {
    (void)state;
    incline c             = {.degrees = 35, .friction = 0.3, .has_planes = true, .cells = {12, 5, 6}, .turn = {17, 31}};
    c.kind                = INCLINE_BOX;
    const double thicks[] = {0.06, 0.03}, frictions[] = {0, 0.3};
    for (int k = 0; k < 2; k++) {
        c.thick          = thicks[k];
        c.friction       = frictions[k];
        incline_result r = incline_run(c);
        truth_near(truth_case("sand on a plate of %.0f mm, 35 degrees, friction %.1f, turned by 17 "
                              "and 31: way beyond Coulomb's",
                              1e3 * c.thick, c.friction),
                   "flip", (r.way - r.wanted) / free_way(35), "of free way", 0, pass);
    }
}

static void a_tilted_belt_carries_sand_along(void** state) {
    (void)state;
    incline_result r = incline_run((incline){.degrees = 20, .friction = 0.8, .kind = INCLINE_BOX, .belt = 0.5});
    truth_near("sand on a belt of 20 degrees, 0.5 m/s: way of the lowest in 0.5 s", "flip", r.sole * 1e3, "mm", 250, 5);
}

// Level, faster than the sand becomes, between smooth walls that stand: what meets in corners of
// cells must not pump.
static void drags(incline c) {
    c.kind           = INCLINE_BOX;
    c.belt           = 3;
    c.is_late        = true;
    c.has_planes     = true;
    c.cells[0]       = 12;
    c.cells[1]       = 5;
    c.cells[2]       = 6;
    incline_result r = incline_run(c);
    char           turns[64];
    snprintf(turns, sizeof turns, "turned by %.0f, %.0f and %.0f", c.turn[0], c.turn[1], c.turn[2]);
    if (c.friction > 0)
        truth_near(
            truth_case("sand on a level belt, friction %.1f, %s: way in 0.5 s over Coulomb's", c.friction, turns),
            "flip", r.way / r.wanted, "", 1, pass);
    else
        truth_near(truth_case("sand on a smooth level belt of 3 m/s, %s: way in 0.5 s", turns), "flip", r.way * 1e3,
                   "mm", 0, 50);
}

static void a_belt_drags_sand_and_a_smooth_one_does_not(void** state) {
    (void)state;
    drags((incline){.friction = 0.5});
    drags((incline){.turn = {17, 31, 0}});
}

static void so_it_does_however_all_of_it_is_turned(void** state) {
    (void)state;
    drags((incline){.friction = 0.5, .turn = {17, 31, 0}});
    drags((incline){.friction = 0.5, .turn = {0, 0, 20}});
}

static void water_runs_down_a_tilted_obstacle(void** state) {
    (void)state;
    slides((incline){.degrees = 35, .material = "preset: water"});
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sand_slides_down_a_tilted_obstacle_by_coulomb),
        cmocka_unit_test(so_it_does_by_the_rule_of_the_paper),
        cmocka_unit_test(sand_sticks_to_a_tilted_obstacle_that_is_rough_enough),
        cmocka_unit_test(so_it_does_where_gravity_leans_over_a_nearly_level_one),
        cmocka_unit_test(so_it_does_however_a_bed_is_turned),
        cmocka_unit_test(sand_slides_alike_however_all_of_it_is_turned),
        cmocka_unit_test(so_does_a_shallow_slab),
        cmocka_unit_test(a_shallow_slab_weighs_what_it_has),
        TRUTH_LONG(so_it_does_on_thin_plates),
        cmocka_unit_test(a_tilted_belt_carries_sand_along),
        cmocka_unit_test(a_belt_drags_sand_and_a_smooth_one_does_not),
        TRUTH_LONG(so_it_does_however_all_of_it_is_turned),
        cmocka_unit_test(water_runs_down_a_tilted_obstacle),
    };
    return TRUTH_RUN("flip", tests, argc, argv);
}
