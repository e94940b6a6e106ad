// SPDX-License-Identifier: MIT
// What the scenes of sand and of water on sand are there to show, on reduced copies.
#include "lab.h"
#include "truth/figure.h"

// How high sand stands in a box of the plane: the mean of its eight highest particles.
static double height_in(const shoal_sim* sim, float x0, float x1, float z0, float z1) {
    const float* x      = lab_field(sim, "position");
    double       top[8] = {0.0}, sum = 0.0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        if (x[3 * i] < x0 || x[3 * i] > x1 || x[3 * i + 2] < z0 || x[3 * i + 2] > z1) continue;
        double y = (double)x[3 * i + 1];
        for (int k = 0; k < 8; k++)
            if (y > top[k]) {
                double less = top[k];
                top[k]      = y;
                y           = less;
            }
    }
    for (int k = 0; k < 8; k++) sum += 0.125 * top[k];
    return sum;
}

static void a_plough_leaves_a_track_and_pushes_a_heap(void** state) {
    (void)state;
    shoal_sim* sim = lab_scene("sandbox.yaml", (lab_setup){.set = {"spacing=0.015"}});
    lab_run(sim, 1.5, 0.1);
    // the plough is at x = 0.42
    double bed = height_in(sim, 0.6f, 0.7f, 0.0f, 0.08f), track = height_in(sim, 0.22f, 0.3f, 0.15f, 0.21f),
           heap = height_in(sim, 0.44f, 0.54f, 0.12f, 0.24f);
    truth_near("sandbox: height of the bed", "flip", 1e3 * bed, "mm", 85, 10);
    truth_below("sandbox: track of the plough over the bed", "flip", track / bed, "", 0.9);
    truth_above("sandbox: heap before the plough over the bed", "flip", heap / bed, "", 1.15);
    shoal_sim_destroy(sim);
}

static int64_t below(const shoal_sim* sim, float y) {
    const float* x = lab_field(sim, "position");
    int64_t      n = 0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) n += x[3 * i + 1] < y;
    return n;
}

// Beverloo's law for a hole of diameter D: 0.58 rho sqrt(g) D^2.5, whatever is above it.
static void sand_runs_through_an_hourglass(void** state) {
    (void)state;
    shoal_sim* sim = lab_scene("hourglass.yaml", (lab_setup){.set = {"spacing=0.008"}});
    lab_run(sim, 0.3, 0.05);
    int64_t before = below(sim, 0.25f);
    lab_run(sim, 0.3, 0.05);
    double kg = 1590.0 * pow(0.008, 3.0), rate = (double)(below(sim, 0.25f) - before) * kg / 0.3,
           law = 0.58 * 1590.0 * sqrt(9.81) * pow(0.064, 2.5);
    printf("hourglass: %.2f kg/s from 0.3 to 0.6 s, %.2f by Beverloo\n", rate, law);
    truth_near("hourglass: flow over Beverloo's without k", "flip", rate / law, "", 1.0, 0.5);
    shoal_sim_destroy(sim);
}

static void water_runs_over_sand_and_soaks_in(void** state) {
    (void)state;
    shoal_sim*       sim = lab_scene("dam-on-sand.yaml", (lab_setup){.set = {"spacing=0.016"}});
    shoal_field_view materials, ids;
    lab_run(sim, 0.6, 0.1);
    CHECK_OK(shoal_sim_field(sim, "material", &materials));
    CHECK_OK(shoal_sim_field(sim, "id", &ids));
    const uint8_t* material = materials.data;
    const float*   x        = lab_field(sim, "position");
    int            sand     = -1;
    double         front = 0.0, soaked = 0.0, water = 0.0;
    for (int64_t i = 0; i < ids.count; i++)
        if (((const int32_t*)ids.data)[i] == 0) sand = material[i];
    for (int64_t i = 0; i < materials.count; i++) {
        if (material[i] == sand) continue;
        front = fmax(front, (double)x[3 * i]);
        soaked += x[3 * i + 1] < 0.07f;
        water += 1.0;
    }
    truth_above("dam on sand at 0.6 s: front", "flip", front, "m", 0.6);
    truth_figure("dam on sand at 0.6 s: fraction of the water a cell or more below where the bed began", "flip",
                 soaked / water, "", 0.02, 0.3);
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plough_leaves_a_track_and_pushes_a_heap),
        TRUTH_LONG(sand_runs_through_an_hourglass),
        cmocka_unit_test(water_runs_over_sand_and_soaks_in),
    };
    return TRUTH_RUN("flip", tests, argc, argv);
}
