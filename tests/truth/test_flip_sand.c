// SPDX-License-Identifier: MIT
// Sand as a fluid against experiments, at few cells: what the long ones ask for at many.
#include "truth/figure.h"
#include "truth/sand.h"

static void the_column_of_bui_comes_to_rest_where_it_did(void** state) {
    (void)state;
    bui_result r = bui(20, (lab_setup){0});
    check_bui(&r, 20, 0.1);
}

static void run_out_follows_its_law(void** state) {
    (void)state;
    truth_near("run-out, aspect 1, 20 cells: over 1.2 a", "flip", run_out(1.0, 20, (lab_setup){0}), "", 1, 0.2);
}

// Without its second projection it would run 42 % too far.
static void run_out_follows_its_law_by_the_rule_of_the_paper(void** state) {
    (void)state;
    lab_setup paper = {.set = {"flip.friction=paper"}};
    truth_near("run-out, aspect 1, 20 cells, friction of the paper: over 1.2 a", "flip", run_out(1.0, 20, paper), "", 1,
               0.2);
}

static void layer_slides(double slope, double cells, double wanted, double tolerance) {
    double speed = slid(slope, cells, 0.5, "", "friction_angle: 40, boundary_friction: 0.5", (lab_setup){0});
    truth_near(truth_case("layer of %g cells on a floor of friction 0.5, slope %.2f: gain of speed "
                          "over gravity across",
                          cells, slope),
               "flip", speed, "", wanted, tolerance);
}

// Friction 0.5 on the floor, so tan = 0.5 divides; above it the layer gains (slope - 0.5) of gravity across the floor.
static void a_layer_on_an_incline_sticks_or_slides_at_the_right_angle(void** state) {
    (void)state;
    layer_slides(0.40, 8, 0, 0.002);
    layer_slides(0.48, 8, 0, 0.002);
    layer_slides(0.53, 8, 0.03, 0.003);
    layer_slides(0.70, 8, 0.2, 0.01);
}

// The surface lies amid cells; as whole cells, half of which is air, such layers would slide at 0.48, and by 0.24 at
// 0.70.
static void a_layer_of_any_thickness_slides_alike(void** state) {
    (void)state;
    for (double cells = 1.5; cells < 3; cells++) {
        layer_slides(0.48, cells, 0, 0.002);
        layer_slides(0.70, cells, 0.2, 0.015);
    }
}

// On a floor that sticks the sand itself decides: what M means to a slope of 30 degree sand, wherever in a cell its
// surface lies.
static void each_yield_has_its_angle_of_repose(void** state) {
    (void)state;
    static const struct {
        const char* word;
        double      angle;
    } yields[]          = {{"flip.yield=paper", 16.1}, {"flip.yield=plane-strain", 26.6}, {"flip.yield=repose", 30.0}};
    const double degree = 0.017453292519943295;
    for (int k = 0; k < 3; k++) {
        lab_setup   setup = {.set = {yields[k].word}};
        double      below = slid(tan((yields[k].angle - 1.5) * degree), k == 0 ? 8 : 7.5, 0.6, ", bottom: stick",
                                 "friction_angle: 30", setup);
        double      above = slid(tan((yields[k].angle + 1.5) * degree), k == 0 ? 8 : 7.5, 0.6, ", bottom: stick",
                                 "friction_angle: 30", setup);
        const char* word  = strchr(yields[k].word, '=') + 1;
        truth_near(truth_case("layer on a floor that sticks, yield %s, 1.5 degrees below its "
                              "angle: gain of speed over gravity across",
                              word),
                   "flip", below, "", 0, 0.002);
        truth_above(truth_case("layer on a floor that sticks, yield %s, 1.5 degrees above its "
                               "angle: gain of speed over gravity across",
                               word),
                    "flip", above, "", 0.01);
    }
}

static void sand_falls_from_a_ceiling(void** state) {
    (void)state;
    static const char* const rules[] = {"flip.friction=global", "flip.friction=paper"};
    for (int k = 0; k < 2; k++) {
        double      spread, fell = fallen_from_ceiling(0.2, &spread, (lab_setup){.set = {rules[k]}});
        const char* rule = strchr(rules[k], '=') + 1;
        truth_near(truth_case("sand at a ceiling, friction %s: fallen in 0.2 s", rule), "flip", fell, "m",
                   0.5 * 9.81 * 0.2 * 0.2, 0.01);
        truth_below(truth_case("sand at a ceiling, friction %s: spread of speeds", rule), "flip", spread, "m/s", 0.05);
    }
}

// By one pour alone its volume scatters by 0.014 with the speed of the stream.
static void poured_sand_keeps_its_volume_and_freezes(void** state) {
    (void)state;
    double volume = 0, creep = 0, way = 0;
    for (int k = 4; k < 8; k++) {
        char source[256];
        snprintf(source, sizeof source,
                 "emitters: [{material: sand, box: {min: [-0.08, 0.32, 0], max: [0.08, 0.4, 0.32]}, velocity: [0, "
                 "%.9g, 0], until: %.9g}]",
                 -0.1 * k, 1.5 / k);
        poured r = pour(source, 0.02, 5.0, (lab_setup){0});
        volume += r.volume / 4;
        creep = fmax(creep, fabs(r.creep));
        way   = fmax(way, r.way);
    }
    truth_near("sand poured at 0.4 to 0.7 m/s, at rest: mean volume over that of its particles", "flip", volume, "", 1,
               0.05);
    truth_below("sand poured at 0.4 to 0.7 m/s, at rest: creep of its front", "flip", creep, "d/s", 0.01);
    truth_below("sand poured at 0.4 to 0.7 m/s, at rest: way of any grain in a second", "flip", way, "d", 0.1);
}

// How far the foremost two of a hundred have come in 0.4 s, over what they would ballistically; there is nothing but
// air.
static double head_of_a_jet(double speed, double spacing, double radius, const double along[3]) {
    const double seconds = 0.4;
    char         text[512];
    snprintf(
        text, sizeof text,
        "solver: flip\nspacing: %.9g\nmaterials: {sand: {preset: sand}}\nemitters: [{material: sand, disc: {radius: "
        "%.9g}, velocity: [%.9g, %.9g, %.9g]}]\n",
        spacing, radius, speed * along[0], speed * along[1], speed * along[2]);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, seconds, 1.0 / 60);
    int64_t      count = shoal_sim_count(sim);
    const float* x     = lab_field(sim, "position");
    float*       way   = malloc((size_t)count * sizeof *way);
    assert_true(way && count > 100);
    for (int64_t i = 0; i < count; i++)
        way[i] = x[3 * i] * (float)along[0] + x[3 * i + 1] * (float)along[1] + x[3 * i + 2] * (float)along[2];
    qsort(way, (size_t)count, sizeof *way, by_value);
    double head = (double)way[count * 49 / 50] / (0.98 * speed * seconds);
    free(way);
    shoal_sim_destroy(sim);
    return head;
}

static void sand_flies_as_it_was_thrown(void** state) {
    (void)state;
    static const struct {
        double speed, spacing, radius, along[3];
    } jets[] = {{1, 0.01, 0.035, {1, 0, 0}}, {1, 0.01, 0.05, {1, 0, 0}},  {1, 0.01, 0.035, {0.8, 0, 0.6}},
                {1, 0.02, 0.07, {1, 0, 0}},  {2, 0.01, 0.035, {1, 0, 0}}, {2, 0.006, 0.02, {0.8, 0, 0.6}}};
    for (int k = 0; k < 6; k++)
        truth_figure(
            truth_case("jet of sand of %.0f m/s, %.0f d across, d = %.0f mm, along (%.1f, 0, %.1f), 0.4 s: way of "
                       "its head over the ballistic one",
                       jets[k].speed, 2 * jets[k].radius / jets[k].spacing, 1e3 * jets[k].spacing, jets[k].along[0],
                       jets[k].along[2]),
            "flip", head_of_a_jet(jets[k].speed, jets[k].spacing, jets[k].radius, jets[k].along), "", 0.96, 1.02);
}

// Avalanches end a little below the angle that stands. 2,400 grains, 15 high.
static void a_poured_heap_of_30_degree_sand_lies_at_27_to_31_degrees(void** state) {
    (void)state;
    double flank = poured_flank(0.005, (const double[]){0.02, 0.2, 0.5}, 0.015, 3.5, (lab_setup){0});
    truth_figure("poured heap of 30 degree sand: flank", "flip", flank, "degrees", 27, 31);
}

static void dropped_sand_lies_on_the_floor(void** state) {
    (void)state;
    poured r = pour("bodies: [{material: sand, box: {min: [-0.32, 0.3, 0], max: [0.32, 0.5, 0.32]}}]", 0.02, 0.5,
                    (lab_setup){0});
    truth_near("dropped sand: volume over that of its particles", "flip", r.volume, "", 1, 0.02);
    // half a spacing at the start of a bed; a gap of half a cell would be one spacing more
    truth_below("dropped sand: height of the lowest grains", "flip", r.lowest, "d", 0.75);
    truth_below("dropped sand: way of any grain in a second", "flip", r.way, "d", 0.1);
}

// H_c = 4 c / (rho g) tan(45 + phi/2) (slip line through the toe of a cliff).
static void cohesion_holds_a_cliff_of_the_right_height(void** state) {
    (void)state;
    const double height = 0.24, critical = height * 1600 * 9.81 / (4 * tan(60 * 0.017453292519943295));
    char         strong[40], weak[40];
    snprintf(strong, sizeof strong, "cohesion: %.9g", critical / 0.75);
    snprintf(weak, sizeof weak, "cohesion: %.9g", critical / 1.5);
    double held = cliff_sunk(height, strong, 0.8, (lab_setup){0}), fell = cliff_sunk(height, weak, 0.8, (lab_setup){0});
    truth_below("cliff of 3/4 of the height that its cohesion holds: edge sunk, of its height", "flip", held, "", 0.03);
    truth_above("cliff of 3/2 of the height that its cohesion holds: edge sunk, of its height", "flip", fell, "", 0.15);
}

// Bridges of water between grains: c = 6 packing tension / d tan(phi) at a wetness of 0.4, none
// when soaked.
static void damp_sand_stands_as_a_cliff_of_the_right_height(void** state) {
    (void)state;
    const double height = 0.24, slope = tan(30 * 0.017453292519943295),
                 critical = height * 1600 * 9.81 / (4 * tan(60 * 0.017453292519943295)),
                 size     = 6 * 0.6 * 0.0728 * slope / critical;
    char damp[60], coarse[60], soaked[60];
    snprintf(damp, sizeof damp, "wetness: 0.4, grain_size: %.9g", 0.8 * size);
    snprintf(coarse, sizeof coarse, "wetness: 0.4, grain_size: %.9g", 1.25 * size);
    snprintf(soaked, sizeof soaked, "wetness: 1, grain_size: %.9g", 0.8 * size);
    truth_below("damp cliff of 4/5 of the height that its bridges hold: edge sunk, of its height", "flip",
                cliff_sunk(height, damp, 0.5, (lab_setup){0}), "", 0.03);
    truth_above("damp cliff of 5/4 of the height that its bridges hold: edge sunk, of its height", "flip",
                cliff_sunk(height, coarse, 0.5, (lab_setup){0}), "", 0.15);
    truth_above("soaked cliff: edge sunk, of its height", "flip", cliff_sunk(height, soaked, 0.4, (lab_setup){0}), "",
                0.25);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_column_of_bui_comes_to_rest_where_it_did),
        cmocka_unit_test(run_out_follows_its_law),
        cmocka_unit_test(run_out_follows_its_law_by_the_rule_of_the_paper),
        cmocka_unit_test(a_layer_on_an_incline_sticks_or_slides_at_the_right_angle),
        cmocka_unit_test(a_layer_of_any_thickness_slides_alike),
        cmocka_unit_test(each_yield_has_its_angle_of_repose),
        cmocka_unit_test(sand_falls_from_a_ceiling),
        cmocka_unit_test(poured_sand_keeps_its_volume_and_freezes),
        cmocka_unit_test(sand_flies_as_it_was_thrown),
        TRUTH_LONG(a_poured_heap_of_30_degree_sand_lies_at_27_to_31_degrees),
        cmocka_unit_test(dropped_sand_lies_on_the_floor),
        cmocka_unit_test(cohesion_holds_a_cliff_of_the_right_height),
        cmocka_unit_test(damp_sand_stands_as_a_cliff_of_the_right_height),
    };
    return TRUTH_RUN("flip", tests, argc, argv);
}
