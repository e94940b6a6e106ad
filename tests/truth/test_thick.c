// SPDX-License-Identifier: MIT
// Thick liquids under the particle methods: Poiseuille's channel as it starts, at any viscosity, spacing and length of
// substep; a film on a slope runs as Nusselt's; honey in a tank takes no more substeps than water, keeps momentum, and
// goes on bit for bit.
#include "lab.h"
#include "truth/figure.h"

static const double      pi        = 3.14159265358979;
static const char* const solvers[] = {"solver=pbf", "solver=sph"};
static const char* const names[]   = {"pbf", "sph"};

// The mean velocity of a channel of half width a after t, over f a^2 / (3 nu), f the force that began at 0.
static double started(double nu, double a, double t) {
    double sum = 1.0;
    for (int n = 1; n < 200; n += 2) sum -= 96.0 / pow(pi * n, 4.0) * exp(-n * n * pi * pi * nu * t / (4.0 * a * a));
    return sum;
}

// Mean velocity over the exact one after 0.4 s.
static double channel(const char* stat, lab_setup setup, double mu) {
    char viscosity[64];
    snprintf(viscosity, sizeof viscosity, "materials.syrup.viscosity=%g", mu);
    int k = 0;
    while (setup.set[k]) k++;
    setup.set[k]   = viscosity;
    shoal_sim* sim = lab_scene("small/poiseuille.yaml", setup);
    lab_run(sim, 0.4, 0.01);
    const double a = 0.05, nu = 1e-3 * mu, mass = 0.04 * 0.1 * 0.04 * 1000.0;
    double       mean = lab_stat(sim, stat) / mass, exact = a * a / (3.0 * nu) * started(nu, a, 0.4);
    shoal_sim_destroy(sim);
    return mean / exact;
}

static void a_channel_starts_as_poiseuille_at_any_viscosity(void** state) {
    (void)state;
    static const double      viscosities[] = {100.0, 10.0, 1.0, 0.1, 0.02};
    static const char* const spacings[]    = {"spacing=0.005", "spacing=0.01"};
    for (int s = 0; s < 2; s++)
        for (int m = 0; m < 5; m++)
            for (int d = 0; d < 2; d++)
                truth_near(
                    truth_case("channel, %g Pa s, %s: mean velocity over the exact", viscosities[m], spacings[d]),
                    names[s],
                    channel("momentum_x_kgmps", (lab_setup){.set = {solvers[s], spacings[d]}}, viscosities[m]), "", 1.0,
                    0.05);
}

// Between walls on the sides, driven upward.
static void a_turned_channel_flows_as_the_other(void** state) {
    (void)state;
    for (int s = 0; s < 2; s++) {
        lab_setup upright = {.set = {solvers[s], "gravity=[0, 1, 0]",
                                     "domain={min: [0, 0, 0], max: [0.1, 0.04, 0.04], walls: {left: stick, right: "
                                     "stick, back: periodic, front: "
                                     "periodic, bottom: periodic, top: periodic}}",
                                     "bodies=[{material: syrup, box: {min: [0, 0, 0], max: [0.1, 0.04, 0.04]}}]"}};
        truth_near("channel turned, 10 Pa s: mean velocity over the exact", names[s],
                   channel("momentum_y_kgmps", upright, 10.0), "", 1.0, 0.05);
    }
}

static void the_length_of_substeps_does_not_change_a_thick_liquid(void** state) {
    (void)state;
    static const char* const few[]  = {"pbf.substeps=1", "sph.substeps=2"};
    static const char* const many[] = {"pbf.substeps=16", "sph.substeps=16"};
    for (int s = 0; s < 2; s++) {
        double one = channel("momentum_x_kgmps", (lab_setup){.set = {solvers[s], few[s], "spacing=0.01"}}, 10.0);
        double all = channel("momentum_x_kgmps", (lab_setup){.set = {solvers[s], many[s], "spacing=0.01"}}, 10.0);
        truth_near("channel, 10 Pa s, few substeps over many: mean velocity", names[s], one / all, "", 1.0, 0.02);
    }
}

// A film of 100 Pa s, eight spacings thick, on a slope of 30 degrees without an end.
static const char film[] =
    "spacing: 0.01\nfps: 60\ngravity: [4.905, -8.4957, 0]\n"
    "domain: {min: [0, 0, 0], max: [0.08, 0.16, 0.06], walls: {bottom: stick, top: open, left: periodic, right: "
    "periodic, back: periodic, front: periodic}}\n"
    "materials: {pitch: {density: 1000, viscosity: 100}}\n"
    "bodies: [{material: pitch, box: {min: [0, 0, 0], max: [0.08, 0.08, 0.06]}}]\n";

enum { FILM = 8 * 8 * 6 };

static void places_by_id(shoal_sim* sim, double* x) {
    shoal_field_view at = lab_view(sim, "position");
    const float*     p  = at.data;
    const int32_t*   id = lab_view(sim, "id").data;
    assert_int_equal(at.count, FILM);
    for (int i = 0; i < FILM; i++) x[id[i]] = (double)p[3 * i];
}

// Mean way of all along x since they were at `from`, the short way around, m.
static double way_since(shoal_sim* sim, const double* from) {
    double now[FILM], sum = 0.0;
    places_by_id(sim, now);
    for (int i = 0; i < FILM; i++) sum += remainder(now[i] - from[i], 0.08);
    return sum / FILM;
}

// Steady, and over h^2/3nu of the force along the slope; the way that it goes is that of its velocity.
static void a_thick_film_runs_down_a_slope_and_goes_as_fast_as_it_moves(void** state) {
    (void)state;
    for (int s = 0; s < 2; s++) {
        shoal_sim* sim = lab_sim(film, (lab_setup){.set = {solvers[s]}});
        lab_run(sim, 0.2, 1.0 / 60.0);
        double from[FILM];
        places_by_id(sim, from);
        lab_run(sim, 0.1, 1.0 / 60.0);
        double speed = lab_stat(sim, "momentum_x_kgmps") / (FILM * 1e-3), way = way_since(sim, from);
        shoal_sim_destroy(sim);
        truth_near("film of 100 Pa s on a slope: mean velocity over Nusselt's", names[s],
                   speed / (4.905 * 0.08 * 0.08 / (3.0 * 0.1)), "", 1.0, 0.04);
        truth_near("film of 100 Pa s on a slope: its way over that of its velocity", names[s], way / (0.1 * speed), "",
                   1.0, 0.02);
    }
}

// A dam of honey, at first as fast as one of water.
static int64_t dam_steps(const char* solver, double mu) {
    char text[400], pick[64];
    snprintf(text, sizeof text,
             "spacing: 0.02\ndomain: {max: [0.6, 0.4, 0.12], walls: {bottom: stick}}\nmaterials: {liquid: {density: "
             "1400, viscosity: %g}}\n"
             "bodies: [{material: liquid, box: {min: [0, 0, 0], max: [0.2, 0.3, 0.12]}}]\n",
             mu);
    snprintf(pick, sizeof pick, "%s", solver);
    shoal_sim* sim = lab_sim(text, (lab_setup){.set = {pick}});
    lab_run(sim, 0.5, 1.0 / 60.0);
    int64_t steps = shoal_sim_steps(sim);
    shoal_sim_destroy(sim);
    return steps;
}

static void honey_takes_at_most_twice_the_substeps_of_water(void** state) {
    (void)state;
    for (int s = 0; s < 2; s++)
        truth_below("dam of honey, 10 Pa s: substeps over those of water", names[s],
                    (double)dam_steps(solvers[s], 10.0) / (double)dam_steps(solvers[s], 1e-3), "", 2.0);
}

// Two thick liquids meet, weightless, and go on together.
static const char meeting[] =
    "spacing: 0.02\ngravity: [0, 0, 0]\nmaterials: {honey: {density: 1400, viscosity: 10}, oil: {density: 900, "
    "viscosity: 1}}\n"
    "bodies:\n  - {material: honey, box: {min: [0, 0, 0], max: [0.12, 0.12, 0.12]}, velocity: [0.5, 0, 0]}\n"
    "  - {material: oil, box: {min: [0.14, 0, 0.02], max: [0.26, 0.12, 0.14]}, velocity: [-0.5, 0.1, 0]}\n";

static void thick_liquids_keep_their_momentum_and_lose_energy(void** state) {
    (void)state;
    static const char* const steps[] = {
        "pbf.substeps=8", "sph.substeps=auto"}; // so short that no correction is cut, which would cost momentum
    for (int s = 0; s < 2; s++) {
        shoal_sim* sim = lab_sim(meeting, (lab_setup){.set = {solvers[s], steps[s]}});
        double     x = lab_stat(sim, "momentum_x_kgmps"), y = lab_stat(sim, "momentum_y_kgmps"),
               energy = lab_stat(sim, "kinetic_j");
        lab_run(sim, 0.2, 1.0 / 60.0);
        double off = hypot(lab_stat(sim, "momentum_x_kgmps") - x, lab_stat(sim, "momentum_y_kgmps") - y) / hypot(x, y);
        printf("%s: momentum off by %.2g, %.3f of the energy left\n", names[s], off,
               lab_stat(sim, "kinetic_j") / energy);
        CHECK_BELOW(off, 1e-4);
        CHECK_BELOW(lab_stat(sim, "kinetic_j"), 0.6 * energy);
        shoal_sim_destroy(sim);
    }
}

static void a_thick_run_goes_on_bit_for_bit_on_any_number_of_threads(void** state) {
    (void)state;
    for (int s = 0; s < 2; s++)
        assert_true(lab_goes_on(meeting, (lab_setup){.threads = 1, .set = {solvers[s]}}, 0.1, 1.0 / 60.0));
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_channel_starts_as_poiseuille_at_any_viscosity),
        cmocka_unit_test(a_turned_channel_flows_as_the_other),
        cmocka_unit_test(the_length_of_substeps_does_not_change_a_thick_liquid),
        cmocka_unit_test(a_thick_film_runs_down_a_slope_and_goes_as_fast_as_it_moves),
        cmocka_unit_test(honey_takes_at_most_twice_the_substeps_of_water),
        cmocka_unit_test(thick_liquids_keep_their_momentum_and_lose_energy),
        cmocka_unit_test(a_thick_run_goes_on_bit_for_bit_on_any_number_of_threads),
    };
    return TRUTH_RUN("pbf sph", tests, argc, argv);
}
