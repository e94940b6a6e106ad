// SPDX-License-Identifier: MIT
// Viscosity that is not solved for, since it takes little in a substep: two layers that slide over
// each other in a periodic box lose their energy as the equation of diffusion says. And what thick liquids do.
#include "stream.h"

// Half waves n = 1, 3, 5 ... of a square wave of length L fade by exp(-nu (2 pi n/L)^2 t).
static double left_by_diffusion(double nu, double length, double t) {
    const double pi  = 3.14159265358979;
    double       sum = 0.0;
    for (int n = 1; n < 200; n += 2)
        sum += 8.0 / (pi * pi * n * n) * exp(-2.0 * nu * pow(2.0 * pi * n / length, 2.0) * t);
    return sum;
}

static double left_of(const char* solver, const char* xsph, const char* substeps, const char* viscosity,
                      double seconds) {
    shoal_sim* sim    = lab_sim("spacing: 0.025\ngravity: [0, 0, 0]\nmaterials: {stuff: {density: 1000}}\n"
                                   "domain: {max: [0.1, 0.4, 0.1], walls: {left: periodic, right: periodic, back: "
                                   "periodic, front: periodic, bottom: periodic, top: periodic}}\n"
                                   "bodies:\n"
                                   "  - {material: stuff, velocity: [0.02, 0, 0], box: {min: [0, 0, 0], max: [0.1, "
                                   "0.2, 0.1]}}\n"
                                   "  - {material: stuff, velocity: [-0.02, 0, 0], box: {min: [0, 0.2, 0], max: [0.1, "
                                   "0.4, 0.1]}}\n",
                                (lab_setup){.threads = 1, .set = {solver, xsph, substeps, viscosity}});
    double     before = lab_stat(sim, "kinetic_j");
    lab_run(sim, seconds, 1.0 / 60.0);
    double left = lab_stat(sim, "kinetic_j") / before;
    shoal_sim_destroy(sim);
    return left;
}

static void layers_slow_each_other_by_their_viscosity(void** state) {
    (void)state;
    static const char* const ways[][3] = {{"solver=pbf", "pbf.xsph=0", "pbf.substeps=8"},
                                          {"solver=sph", "sph.xsph=0", "sph.substeps=8"}};
    double                   wanted    = 1.0 - left_by_diffusion(2e-3, 0.4, 0.3);
    for (int k = 0; k < 2; k++) {
        double idle = 1.0 - left_of(ways[k][0], ways[k][1], ways[k][2], "materials.stuff.viscosity=0", 0.3),
               lost = 1.0 - left_of(ways[k][0], ways[k][1], ways[k][2], "materials.stuff.viscosity=2", 0.3);
        printf("%s: %.3f of the energy is lost, by diffusion %.3f; without viscosity %.4f\n", ways[k][0], lost, wanted,
               idle);
        CHECK_NEAR(lost / wanted, 1.0, 0.08);
        CHECK_BELOW(fabs(idle), 0.1 * wanted);
    }
}

// A liquid as thick as honey turns with its cup, whose surface is what drags it: not what lies half a spacing behind it
// or before it, a twelfth faster or slower here.
static void honey_turns_with_its_cup(void** state) {
    (void)state;
    static const char* const solvers[] = {"solver=pbf", "solver=sph"};
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim =
            lab_sim("spacing: 0.01\nbodies: [{material: honey, cylinder: {radius: 0.06, height: 0.06}, at: "
                    "[0, 0.03, 0]}]\n"
                    "obstacles: [{stick: true, subtract: [{cylinder: {radius: 0.08, height: 0.12}, at: [0, "
                    "0.04, 0]}, {cylinder: {radius: 0.06, height: 0.12}, at: [0, 0.06, 0]}],\n"
                    "  motion: [{t: 0, at: [0, 0, 0]}, {t: 100, at: [0, 0, 0], rotate: {axis: [0, 1, 0], "
                    "degrees: 34377.4677}}]}]\n",
                    (lab_setup){.set = {solvers[k]}});
        double turn = 0.0, inertia = 0.0;
        lab_run(sim, 0.3, 1.0 / 20.0);
        const float *x = lab_field(sim, "position"), *u = lab_field(sim, "velocity");
        for (int64_t i = 0; i < 3 * shoal_sim_count(sim); i += 3) {
            turn += (double)(x[i + 2] * u[i] - x[i] * u[i + 2]);
            inertia += (double)(x[i] * x[i] + x[i + 2] * x[i + 2]);
        }
        printf("%s: honey turns at %.3f rad/s in a cup at 6\n", solvers[k], turn / inertia);
        CHECK_NEAR(turn / inertia, 6.0, 0.12);
        shoal_sim_destroy(sim);
    }
}

// Nothing turns a ball that flies freely, but what is in it, about an axis askew to all others.
static void balls_of_honey_keep_their_spin(void** state) {
    (void)state;
    static const char* const solvers[] = {"solver=pbf", "solver=sph", "solver=flip"};
    for (int k = 0; k < 3; k++) {
        shoal_sim* sim     = lab_sim("spacing: 0.01\ngravity: [0, 0, 0]\n"
                                         "bodies: [{material: honey, sphere: {radius: 0.075}, spin: [2, 6, 1]}]\n",
                                     (lab_setup){.set = {solvers[k]}});
        double     spin[2] = {0.0, 0.0};
        for (int n = 0; n < 2; n++) {
            const float *x = lab_field(sim, "position"), *u = lab_field(sim, "velocity");
            for (int64_t i = 0; i < 3 * shoal_sim_count(sim); i += 3)
                spin[n] +=
                    (double)(2.0f * (x[i + 1] * u[i + 2] - x[i + 2] * u[i + 1]) +
                             6.0f * (x[i + 2] * u[i] - x[i] * u[i + 2]) + 1.0f * (x[i] * u[i + 1] - x[i + 1] * u[i]));
            if (n == 0) lab_run(sim, 0.05, 1.0 / 60.0);
        }
        printf("%s: a ball of honey has %.4f of its spin\n", solvers[k], spin[1] / spin[0]);
        CHECK_NEAR(spin[1] / spin[0], 1.0, 0.02);
        shoal_sim_destroy(sim);
    }
}

static uint64_t poured(const char* liquid, const char* wall) {
    char text[500];
    snprintf(text, sizeof text,
             "solver: tetra-paper\nspacing: 0.01\nmaterials: {syrup: {preset: water, density: 1000, %s}}\n"
             "domain: {max: [0.3, 0.2, 0.1], walls: {top: open%s}}\n"
             "bodies: [{material: syrup, box: {min: [0, 0, 0], max: [0.1, 0.12, 0.1]}}]\n"
             "obstacles: [{sphere: {radius: 0.05}, at: [0.2, 0, 0.05]}]\n",
             liquid, wall);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, 0.1, 1.0 / 60.0);
    uint64_t hash = shoal_sim_hash(sim);
    shoal_sim_destroy(sim);
    return hash;
}

// Where a solver knows no viscosity, what is thick flows as water does: past plain solids, too. What a scene says of
// its solids acts all the same.
static void honey_flows_like_water_where_there_is_no_viscosity(void** state) {
    (void)state;
    uint64_t water = poured("viscosity: 0", "");
    assert_true(poured("viscosity: 10", "") == water);
    assert_true(poured("viscosity: 0", ", bottom: stick") != water);
    assert_true(poured("viscosity: 10", ", bottom: stick") == poured("viscosity: 0", ", bottom: stick"));
}

// A film, 8 spacings deep, down a floor and an obstacle of which the scene says nothing: Nusselt's mean velocity,
// rho g h^2 / (3 mu), of which 0.97 are reached by then.
static void honey_sticks_to_plain_solids(void** state) {
    (void)state;
    static const char* const solvers[] = {"pbf", "sph", "flip"};
    for (int k = 0; k < 6; k++) {
        char   text[640];
        double low = k % 2 ? 0.04 : 0.0;
        snprintf(text, sizeof text,
                 "solver: %s\nspacing: 0.005\ngravity: [3.355, -9.218, 0]\n"
                 "domain: {max: [0.08, 0.2, 0.08], walls: {left: periodic, right: periodic, back: periodic, front: "
                 "periodic, top: open}}\n"
                 "bodies: [{material: honey, box: {min: [0, %g, 0], max: [0.08, %g, 0.08]}}]\n%s",
                 solvers[k / 2], low, low + 0.04,
                 k % 2 ? "obstacles: [{box: {min: [-1, 0, -1], max: [1, 0.04, 1]}}]\n" : "");
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 1.0 / 3.0, 1.0 / 30.0);
        double mass = 1420.0 * 1.25e-7 * (double)shoal_sim_count(sim);
        double flow = lab_stat(sim, "momentum_x_kgmps") / mass / (1420.0 * 3.355 * 0.04 * 0.04 / 30.0);
        printf("honey on %s, %s: %.3f of Nusselt's velocity\n", k % 2 ? "an obstacle" : "the floor", solvers[k / 2],
               flow);
        CHECK_NEAR(flow, 0.97, 0.05);
        shoal_sim_destroy(sim);
    }
}

// What viscosity takes of the velocity that closes a stream in, the liquid's resistance to expansion gives again; on a
// grid the pressure does, if substeps are short. The stream falls askew to all axes. Without that it stays as wide as
// its opening, and becomes sparse.
static void streams_of_honey_close_in_as_they_fall(void** state) {
    (void)state;
    static const char* const solvers[] = {"pbf", "sph", "flip"};
    for (int k = 0; k < 3; k++) {
        stream_measures appearances = stream_measure(
            &(stream){solvers[k], "honey", 0.003, 0.009, 0.25, 0.09, {0.36, -0.8, 0.48}}, (lab_setup){0});
        printf("%s: at most %.3f of the radius of Q/v, holes of %.2f d\n", solvers[k], appearances.width,
               appearances.gap);
        CHECK_BELOW(appearances.width, 1.2);
        CHECK_BELOW(appearances.gap, 2.0);
    }
}

// What expands is held, what closes up is not: honey that lands on honey becomes one with it. Held both ways, it stays
// sparse there (0.945 and 0.958 of its density).
static void poured_honey_closes_up_where_it_lands(void** state) {
    (void)state;
    static const char* const solvers[] = {"solver=pbf", "solver=sph"};
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim = lab_sim("spacing: 0.003\n"
                                 "domain: {min: [-0.03, 0, -0.03], max: [0.03, 0.1, 0.03], walls: {top: open}}\n"
                                 "emitters: [{material: honey, disc: {radius: 0.009}, at: [0, 0.045, 0], velocity: "
                                 "[0, -0.4, 0]}]\n",
                                 (lab_setup){.set = {solvers[k]}});
        double     sum = 0.0, count = 0.0;
        lab_run(sim, 0.25, 1.0 / 60.0);
        const float *x = lab_field(sim, "position"), *density = lab_field(sim, "density");
        for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
            if (!(x[3 * i + 1] < 0.012f)) continue; // the heap
            sum += (double)density[i] / 1420.0;
            count += 1.0;
        }
        printf("%s: a heap of %g has %.3f of its density\n", solvers[k], count, sum / count);
        assert_true(count > 300.0);
        CHECK_BELOW(0.97, sum / count);
        shoal_sim_destroy(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_slow_each_other_by_their_viscosity),
        cmocka_unit_test(honey_turns_with_its_cup),
        cmocka_unit_test(balls_of_honey_keep_their_spin),
        cmocka_unit_test(honey_sticks_to_plain_solids),
        cmocka_unit_test(honey_flows_like_water_where_there_is_no_viscosity),
        cmocka_unit_test(streams_of_honey_close_in_as_they_fall),
        cmocka_unit_test(poured_honey_closes_up_where_it_lands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
