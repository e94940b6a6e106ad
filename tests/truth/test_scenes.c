// SPDX-License-Identifier: MIT
// The bath and the splash (scenes/bunny-bath.yaml, scenes/splash.yaml), twice as coarse: what they are there to show,
// as numbers.
#include "lab.h"
#include "truth/figure.h"

#include "sim/sim_local.h"

static const double spacing = 0.1, frame = 0.016;

// How near the water comes to the solids of the scene, over the contact distance d/2.
static double nearest_to_solids(const shoal_sim* sim) {
    const float* x       = lab_field(sim, "position");
    double       nearest = (double)INFINITY;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++)
        for (int k = 0; k < sim->world->collider_count; k++) {
            shoal_d3 p = {(double)x[3 * i], (double)x[3 * i + 1], (double)x[3 * i + 2]}, normal;
            nearest    = fmin(nearest, shoal_collider_distance(&sim->world->colliders[k], p, &normal));
        }
    return nearest / (0.5 * spacing);
}

static double highest(const shoal_sim* sim) {
    const float* x    = lab_field(sim, "position");
    double       most = 0.0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) most = fmax(most, (double)x[3 * i + 1]);
    return most;
}

static void water_falls_around_the_rabbit_in_its_bath(void** state) {
    (void)state;
    shoal_sim* sim   = lab_scene("bunny-bath.yaml", (lab_setup){.set = {"spacing=0.1"}});
    int64_t    count = shoal_sim_count(sim);
    double     start = lab_energy(sim), nearest = (double)INFINITY, energy = 0.0, before = lab_probe(sim, "gauge"),
           wave = 0.0;
    for (int f = 0; f < 120; f++) {
        lab_run(sim, frame, frame);
        nearest = fmin(nearest, nearest_to_solids(sim));
        energy  = fmax(energy, lab_energy(sim) / start);
        wave    = fmax(wave, lab_probe(sim, "gauge"));
    }
    printf("bath, %d particles: nearest to the rabbit %.3f of d/2, energy at most %.4f, gauge %.2f m to %.2f m\n",
           (int)count, nearest, energy, before, wave);
    assert_int_equal(shoal_sim_count(sim), count); // none lost
    // none in the rabbit, though between its feet and the floor it is narrow
    truth_above("rabbit in its bath: nearest to it", "pbf", nearest, "d/2", 0.0);
    truth_below("rabbit in its bath: largest energy over the first", "pbf", energy, "", 1.005);
    truth_above("rabbit in its bath: wave that the ball drives, over the level", "pbf", wave / before, "", 1.4);
    shoal_sim_destroy(sim);
}

static void the_figure_splashes_up_from_the_pool(void** state) {
    (void)state;
    shoal_sim* sim   = lab_scene("splash.yaml", (lab_setup){.set = {"spacing=0.1"}});
    int64_t    count = shoal_sim_count(sim);
    double     start = lab_energy(sim), energy = 0.0, crown = 0.0;
    for (int f = 0; f < 120; f++) {
        lab_run(sim, frame, frame);
        energy = fmax(energy, lab_energy(sim) / start);
        if (f * frame > 0.9) crown = fmax(crown, highest(sim)); // the figure itself is below the surface by then
    }
    lab_run(sim, 2.0, frame);
    double rest = lab_stat(sim, "com_y_m") * 2.0;
    printf("splash, %d particles: energy at most %.4f, crown %.2f m over water of %.2f m\n", (int)count, energy, crown,
           rest);
    assert_int_equal(shoal_sim_count(sim), count);
    truth_below("figure falls into a pool: largest energy over the first", "pbf", energy, "", 1.005);
    truth_above("figure falls into a pool: crown over the level", "pbf", crown / rest, "", 1.5);
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_falls_around_the_rabbit_in_its_bath),
        cmocka_unit_test(the_figure_splashes_up_from_the_pool),
    };
    return TRUTH_RUN("pbf", tests, argc, argv);
}
