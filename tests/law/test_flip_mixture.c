// SPDX-License-Identifier: MIT
// Water and sand in one FLIP scene: a flooded bed rests, sand sinks as a body of its weight
// does, water seeps by Darcy's law, and all that in the same bits for any number of threads.
#include "lab.h"

// Depths in m; pores are full at the start.
static const char bed[] = "solver: flip\n"
                          "spacing: 0.01\n"
                          "domain: {min: [0, 0, 0], max: [0.16, 0.4, 0.08]}\n"
                          "materials: {sand: {preset: sand, wetness: 1, grain_size: 0.001}}\n"
                          "bodies:\n"
                          "  - {material: sand, box: {min: [0, 0, 0], max: [0.16, 0.1, 0.08]}}\n"
                          "  - {material: water, box: {min: [0, 0.1, 0], max: [0.16, 0.2, 0.08]}}\n"
                          "probes: [{name: floor, kind: pressure, at: [0.08, 0, 0.04]}]\n";

// Mean over particles of a material below a height.
static double mean_below(shoal_sim* sim, int material, const char* field, float height) {
    shoal_field_view materials;
    CHECK_OK(shoal_sim_field(sim, "material", &materials));
    const float *x = lab_field(sim, "position"), *value = lab_field(sim, field);
    double       sum = 0.0, n = 0.0;
    for (int64_t i = 0; i < materials.count; i++) {
        if (((const uint8_t*)materials.data)[i] != material || x[3 * i + 1] > height) continue;
        sum += (double)value[i];
        n += 1.0;
    }
    return sum / n;
}

// Which number the scene gave to sand: bodies are filled in order, and ids count from the first.
static int material_of_first(shoal_sim* sim) {
    shoal_field_view ids, materials;
    CHECK_OK(shoal_sim_field(sim, "id", &ids));
    CHECK_OK(shoal_sim_field(sim, "material", &materials));
    for (int64_t i = 0; i < ids.count; i++)
        if (((const int32_t*)ids.data)[i] == 0) return ((const uint8_t*)materials.data)[i];
    fail_msg("the first particle is gone");
    return 0;
}

static void a_flooded_bed_rests_under_its_own_weight(void** state) {
    (void)state;
    shoal_sim* sim  = lab_sim(bed, (lab_setup){0});
    int        sand = material_of_first(sim), water = 1 - sand;
    double     level = lab_stat(sim, "com_y_m"), volume = lab_stat(sim, "volume_m3");
    lab_run(sim, 1.0, 1.0 / 30.0);
    // the lowest layer, half a spacing to a cell above the floor: water carries itself, grains the rest
    double depth = 0.2 - 0.01, of_water = mean_below(sim, water, "pressure", 0.02f),
           of_sand     = mean_below(sim, sand, "pressure", 0.02f);
    double hydrostatic = 998.2 * 9.81 * depth, submerged = 0.6 * (2650.0 - 998.2) * 9.81 * (0.1 - 0.01);
    printf("flooded bed after 1 s: water %.3f of hydrostatic, sand %.3f of its weight under water, centre %+.2f mm, "
           "speed %.4f m/s, volume "
           "%.4f\n",
           of_water / hydrostatic, of_sand / submerged, 1e3 * (lab_stat(sim, "com_y_m") - level),
           lab_stat(sim, "speed_max_mps"), lab_stat(sim, "volume_m3") / volume);
    CHECK_NEAR(of_water / hydrostatic, 1.0, 0.05);
    CHECK_NEAR(lab_probe(sim, "floor") / (998.2 * 9.81 * 0.2), 1.0, 0.02); // of the water, not of the grains
    CHECK_NEAR(of_sand / submerged, 1.0, 0.08);
    CHECK_NEAR(lab_stat(sim, "com_y_m"), level, 0.002);
    CHECK_NEAR(lab_stat(sim, "volume_m3") / volume, 1.0, 0.02);
    CHECK_BELOW(lab_stat(sim, "speed_max_mps"), 0.05 * sqrt(9.81 * 0.02));
    shoal_sim_destroy(sim);
}

// What a run has in the fields of its particles; masses by 998.2 kg/m^3 of water and 2650 of grains.
typedef struct balance {
    double energy, momentum[3], sand_height, sand_fall; // J, kg m/s, m, m/s: means of sand
} balance;

static balance balance_of(shoal_sim* sim, double spacing, double packing, double gravity) {
    shoal_field_view materials;
    CHECK_OK(shoal_sim_field(sim, "material", &materials));
    const float *x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
    int          sand  = material_of_first(sim);
    balance      b     = {0};
    double       count = 0.0;
    for (int64_t i = 0; i < materials.count; i++) {
        bool   is_sand = ((const uint8_t*)materials.data)[i] == sand;
        double mass    = (is_sand ? 2650.0 * packing : 998.2) * spacing * spacing * spacing;
        for (int axis = 0; axis < 3; axis++) {
            double u = (double)v[3 * i + axis];
            b.energy += 0.5 * mass * u * u;
            b.momentum[axis] += mass * u;
        }
        b.energy += mass * gravity * (double)x[3 * i + 1];
        if (!is_sand) continue;
        b.sand_height += (double)x[3 * i + 1];
        b.sand_fall -= (double)v[3 * i + 1];
        count += 1.0;
    }
    b.sand_height /= count;
    b.sand_fall /= count;
    return b;
}

// Positions are not evened out here: that lifts the surface by a fraction of a millimetre, which is not the coupling's.
static void sand_sinks_in_water_and_energy_only_falls(void** state) {
    (void)state;
    static const char* const grains[] = {"materials.sand.grain_size=0.001", "materials.sand.grain_size=0.0003"};
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim  = lab_sim("solver: flip\n"
                                   "spacing: 0.02\n"
                                   "flip: {volume_control: 0}\n"
                                   "domain: {min: [0, 0, 0], max: [0.4, 0.8, 0.4]}\n"
                                   "materials: {sand: {preset: sand, wetness: 1}}\n"
                                   "bodies:\n"
                                   "  - {material: sand, sphere: {radius: 0.1}, at: [0.2, 0.5, 0.2]}\n"
                                   "  - material: water\n"
                                   "    subtract: [{box: {min: [0, 0, 0], max: [0.4, 0.7, 0.4]}}, {sphere: {radius: "
                                   "0.1}, at: [0.2, 0.5, 0.2]}]\n",
                                  (lab_setup){.set = {grains[k]}});
        balance    from = balance_of(sim, 0.02, 0.6, 9.81), last = from;
        for (int f = 0; f < 4; f++) {
            lab_run(sim, 0.05, 0.05);
            balance now = balance_of(sim, 0.02, 0.6, 9.81);
            CHECK_BELOW(now.energy, last.energy);
            last = now;
        }
        // a ball of 1989 kg/m^3 with the inertia of half its volume of water, before drag slows it
        double mix = 1590.0 + 0.4 * 998.2, wanted = 0.5 * 9.81 * (mix - 998.2) / (mix + 0.5 * 998.2) * 0.2 * 0.2;
        printf("a ball of sand sinks %.1f mm in 0.2 s, %.1f as a solid ball would; energy %+.2f J\n",
               1e3 * (from.sand_height - last.sand_height), 1e3 * wanted, last.energy - from.energy);
        CHECK_NEAR((from.sand_height - last.sand_height) / wanted, 1.0, 0.35);
        shoal_sim_destroy(sim);
    }
}

static void water_and_sand_keep_their_momentum(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: flip\n"
                "spacing: 0.02\n"
                "gravity: [0, 0, 0]\n"
                "domain: {min: [0, 0, 0], max: [0.32, 0.32, 0.32], walls: {left: periodic, right: periodic, bottom: "
                "periodic, top: "
                "periodic, back: periodic, front: periodic}}\n"
                "materials: {sand: {preset: sand, wetness: 1, grain_size: 0.001}}\n"
                "bodies:\n"
                "  - {material: sand, sphere: {radius: 0.1}, at: [0.16, 0.16, 0.16], velocity: [1, 0, 0]}\n"
                "  - material: water\n"
                "    subtract: [{box: {min: [0, 0, 0], max: [0.32, 0.32, 0.32]}}, {sphere: {radius: 0.1}, at: [0.16, "
                "0.16, 0.16]}]\n",
                (lab_setup){0});
    balance from = balance_of(sim, 0.02, 0.6, 0.0);
    lab_run(sim, 0.2, 0.05);
    balance to = balance_of(sim, 0.02, 0.6, 0.0);
    printf("a ball of sand in a periodic box of water, 0.2 s: momentum %.4f, %.4f, %.4f, energy %.3f of before\n",
           to.momentum[0] / from.momentum[0], to.momentum[1] / from.momentum[0], to.momentum[2] / from.momentum[0],
           to.energy / from.energy);
    for (int axis = 0; axis < 3; axis++) CHECK_NEAR(to.momentum[axis] / from.momentum[0], axis == 0 ? 1.0 : 0.0, 0.015);
    CHECK_BELOW(to.energy, 0.9 * from.energy);
    shoal_sim_destroy(sim);
}

// In free air, without weight: what one gives the other takes.
static void a_ball_of_water_and_one_of_sand_collide_and_keep_their_momentum(void** state) {
    (void)state;
    shoal_sim* sim  = lab_sim("solver: flip\n"
                               "spacing: 0.025\n"
                               "gravity: [0, 0, 0]\n"
                               "materials: {sand: {preset: sand}}\n"
                               "bodies:\n"
                               "  - {material: sand, sphere: {radius: 0.15}, at: [0.35, 0, 0], velocity: [-1, 0, 0]}\n"
                               "  - {material: water, sphere: {radius: 0.15}, velocity: [1, 0, 0]}\n",
                              (lab_setup){0});
    balance    from = balance_of(sim, 0.025, 0.6, 0.0);
    double     most = 2.0 * from.energy; // all moves with 1 m/s: the sum of |p|
    lab_run(sim, 0.5, 1.0 / 60.0);
    balance to = balance_of(sim, 0.025, 0.6, 0.0);
    printf("a ball of water and one of sand collide: momentum off by %.5f, %.5f, %.5f of the sum of both, energy %.3f "
           "of before\n",
           (to.momentum[0] - from.momentum[0]) / most, to.momentum[1] / most, to.momentum[2] / most,
           to.energy / from.energy);
    for (int axis = 0; axis < 3; axis++) CHECK_NEAR((to.momentum[axis] - from.momentum[axis]) / most, 0.0, 1e-5);
    CHECK_BELOW(to.energy, 0.5 * from.energy);
    shoal_sim_destroy(sim);
}

// Sand that takes no notice of the water does work on it where it moves; where it rests it can only take energy.
static void water_driven_by_sand_at_rest_only_loses_energy(void** state) {
    (void)state;
    shoal_sim* sim  = lab_sim("solver: flip\n"
                               "spacing: 0.02\n"
                               "flip: {coupling: one-way}\n"
                               "domain: {min: [0, 0, 0], max: [0.64, 0.6, 0.16]}\n"
                               "materials: {sand: {preset: sand, grain_size: 0.005}}\n"
                               "bodies:\n"
                               "  - {material: sand, box: {min: [0, 0, 0], max: [0.64, 0.1, 0.16]}}\n"
                               "  - {material: water, box: {min: [0, 0.1, 0], max: [0.16, 0.4, 0.16]}}\n",
                              (lab_setup){0});
    double     from = lab_stat(sim, "kinetic_j") + lab_stat(sim, "potential_j"), last = from;
    for (int f = 0; f < 30; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        double now = lab_stat(sim, "kinetic_j") + lab_stat(sim, "potential_j");
        CHECK_BELOW(now, last);
        last = now;
    }
    printf("one way: water over and through sand at rest, 0.5 s: energy %.2f of before\n", last / from);
    CHECK_BELOW(last, 0.8 * from);
    shoal_sim_destroy(sim);
}

// Sand that takes no notice of the water goes its way whatever the water weighs.
static void sand_that_takes_no_notice_of_water_moves_alike_in_any(void** state) {
    (void)state;
    enum { COUNT = 12 * 8 * 8 };
    static const char* const weights[] = {"materials.water.density=500", "materials.water.density=4000"};
    float                    seen[2][3 * COUNT];
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim  = lab_sim("solver: flip\nspacing: 0.02\nflip: {coupling: one-way, substeps: 4}\n"
                                   "domain: {max: [0.48, 0.4, 0.16]}\n"
                                   "materials: {sand: {preset: sand, grain_size: 0.002}, water: {preset: water}}\n"
                                   "bodies:\n"
                                   "  - {material: sand, box: {min: [0, 0, 0], max: [0.24, 0.16, 0.16]}}\n"
                                   "  - {material: water, box: {min: [0, 0.16, 0], max: [0.24, 0.36, 0.16]}}\n",
                                  (lab_setup){.set = {weights[k]}});
        int        sand = 0;
        lab_run(sim, 0.2, 0.05);
        const float*   place = lab_field(sim, "position");
        const int32_t* id    = (const int32_t*)(const void*)lab_field(sim, "id");
        for (int64_t i = 0; i < shoal_sim_count(sim); i++)
            if (id[i] >= 0 && id[i] < COUNT) {
                memcpy(seen[k] + 3 * id[i], place + 3 * i, 3 * sizeof(float));
                sand++;
            }
        assert_int_equal(sand, COUNT);
        shoal_sim_destroy(sim);
    }
    double worst = 0.0;
    for (int i = 0; i < 3 * COUNT; i++) worst = fmax(worst, fabs((double)seen[0][i] - (double)seen[1][i]));
    printf("one way: sand in water of 500 and 4000 kg/m^3 is %.2g m apart after 0.2 s\n", worst);
    CHECK_BELOW(worst, 1e-5);
}

// A tenth of grains, and one in five: v = n^4.65 of a single grain's speed [Richardson & Zaki 1954], by its drag at
// that speed.
static void a_cloud_of_sand_settles_as_richardson_and_zaki_say(void** state) {
    (void)state;
    static const struct {
        double      packing, grain_size;
        const char* set[3];
    } clouds[] = {
        {0.1, 3e-4, {"materials.sand.packing=0.1", "materials.sand.density=265", "materials.sand.grain_size=0.0003"}},
        {0.2, 5e-4, {"materials.sand.packing=0.2", "materials.sand.density=530", "materials.sand.grain_size=0.0005"}}};
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim = lab_sim("solver: flip\n"
                                 "spacing: 0.01\n"
                                 "domain: {min: [0, 0, 0], max: [0.16, 0.5, 0.16], walls: {left: periodic, right: "
                                 "periodic, back: periodic, front: "
                                 "periodic}}\n"
                                 "materials: {sand: {preset: sand, wetness: 1}}\n"
                                 "bodies:\n"
                                 "  - {material: sand, box: {min: [0, 0.14, 0], max: [0.16, 0.26, 0.16]}}\n"
                                 "  - {material: water, box: {min: [0, 0, 0], max: [0.16, 0.14, 0.16]}}\n"
                                 "  - {material: water, box: {min: [0, 0.26, 0], max: [0.16, 0.4, 0.16]}}\n",
                                 (lab_setup){.set = {clouds[k].set[0], clouds[k].set[1], clouds[k].set[2]}});
        lab_run(sim, 0.2, 0.05);
        double n = 1.0 - clouds[k].packing, d = clouds[k].grain_size, mu = 1.0016e-3, slip = 0.0;
        for (int turn = 0; turn < 50; turn++)
            slip = pow(n, 3.65) * (2650.0 - 998.2) * 9.81 * d * d /
                   (18.0 * mu * (1.0 + 0.15 * pow(n * 998.2 * slip * d / mu, 0.687)));
        double fall = balance_of(sim, 0.01, clouds[k].packing, 9.81).sand_fall;
        printf("a cloud of %.0f %% grains settles with %.1f mm/s, %.1f wanted\n", 100.0 * clouds[k].packing, 1e3 * fall,
               1e3 * n * slip);
        CHECK_NEAR(fall / (n * slip), 1.0, 0.1);
        shoal_sim_destroy(sim);
    }
}

// A layer of wet sand on a slight slope, round a periodic axis: sand stays, water seeps down it.
static void water_seeps_through_sand_by_darcys_law(void** state) {
    (void)state;
    const double push = 0.5, n = 0.4, d = 0.002, mu = 1.0016e-3, rho = 998.2;
    shoal_sim*   sim = lab_sim("solver: flip\n"
                                 "spacing: 0.01\n"
                                 "gravity: [0.5, -9.81, 0]\n"
                                 "domain: {min: [0, 0, 0], max: [0.16, 0.3, 0.16], walls: {left: periodic, right: "
                                 "periodic, back: periodic, front: "
                                 "periodic}}\n"
                                 "materials: {sand: {preset: sand, wetness: 1, grain_size: 0.002}}\n"
                                 "bodies:\n"
                                 "  - {material: sand, box: {min: [0, 0, 0], max: [0.16, 0.12, 0.16]}}\n"
                                 "  - {material: water, box: {min: [0, 0.12, 0], max: [0.16, 0.13, 0.16]}}\n",
                               (lab_setup){0});
    // n rho push = K w with K of Ergun; sand swings a little while it takes hold, so a mean over some times
    double linear = 150.0 * 0.6 * 0.6 * mu / (n * d * d), square = 1.75 * 0.6 * rho / d;
    double wanted = (sqrt(linear * linear + 4.0 * square * n * rho * push) - linear) / (2.0 * square), water = 0.0,
           grains = 0.0;
    enum { TIMES = 4 };
    lab_run(sim, 0.1, 0.05);
    for (int f = 0; f < TIMES; f++) {
        lab_run(sim, 0.05, 0.05);
        shoal_field_view materials;
        CHECK_OK(shoal_sim_field(sim, "material", &materials));
        const float *x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
        double       mean[2] = {0.0, 0.0}, count[2] = {0.0, 0.0};
        int          sand = material_of_first(sim);
        for (int64_t i = 0; i < materials.count; i++) {
            int which = ((const uint8_t*)materials.data)[i] == sand;
            if (x[3 * i + 1] < 0.02f || x[3 * i + 1] > 0.08f) continue;
            mean[which] += (double)v[3 * i];
            count[which] += 1.0;
        }
        water += mean[0] / count[0] / TIMES;
        grains += mean[1] / count[1] / TIMES;
    }
    printf("water seeps with %.2f mm/s, %.2f by Ergun; sand creeps with %.3f mm/s\n", 1e3 * (water - grains),
           1e3 * wanted, 1e3 * grains);
    CHECK_NEAR((water - grains) / wanted, 1.0, 0.05);
    CHECK_BELOW(fabs(grains), 0.2 * wanted); // a quarter of the speed below which sand stays where it is
    shoal_sim_destroy(sim);
}

typedef struct heap {
    double height,
        slope;      // m: mean over the grains; degrees between a quarter and three quarters of its top
    double way;     // mm/s, mean over the grains in the last half second
    double densest; // density that 5 % of the grains exceed, over that of rest
} heap;

static int by_value(const void* a, const void* b) {
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

// A quarter of a cone of sand in the corner of two smooth walls, under water or dry, after so many
// seconds; `from` is how it was made.
static heap heap_of(double radius, double high, bool is_wet, double seconds, heap* from, lab_setup setup) {
    enum { BINS = 20, MOST = 12000 };
    static float before[MOST][3], dense[MOST];
    const double width = 0.012, d       = 0.012;
    char         text[1024], water[400] = "";
    snprintf(water, sizeof water,
             "  - {material: water, subtract: [{box: {min: [0, 0, 0], max: [0.24, 0.2, 0.24]}}, "
             "{cone: {radius: %g, height: %g}}]}\n",
             radius, high);
    snprintf(text, sizeof text,
             "solver: flip\nspacing: 0.012\ndomain: {min: [0, 0, 0], max: [0.24, 0.3, 0.24], "
             "walls: {left: slip, back: slip, top: open}}\n"
             "materials: {sand: {preset: sand, grain_size: 0.001, wetness: 1}}\nbodies:\n"
             "  - {material: sand, intersect: [{cone: {radius: %g, height: %g}}, {box: {min: [0, "
             "0, 0], max: [0.24, 0.2, 0.24]}}]}\n%s",
             radius, high, is_wet ? water : "");
    shoal_sim* sim  = lab_sim(text, setup);
    int        sand = material_of_first(sim);
    heap       h    = {0};
    for (int k = 0; k < 3; k++) {
        if (k > 0) lab_run(sim, k == 1 ? seconds - 0.5 : 0.5, 1.0 / 60.0);
        shoal_field_view materials;
        CHECK_OK(shoal_sim_field(sim, "material", &materials));
        assert_true(materials.count <= MOST);
        if (k < 2) lab_by_id(sim, "position", before);
        const int32_t* id = (const int32_t*)(const void*)lab_field(sim, "id");
        const float *  x = lab_field(sim, "position"), *density = lab_field(sim, "density");
        double         depth[BINS] = {0};
        int            count       = 0;
        h                          = (heap){0};
        for (int64_t i = 0; i < materials.count; i++) {
            if (((const uint8_t*)materials.data)[i] != sand) continue;
            double step = 0.0, r = hypot((double)x[3 * i], (double)x[3 * i + 2]);
            int    bin = (int)(r / width);
            for (int a = 0; a < 3; a++) step += pow((double)(x[3 * i + a] - before[id[i]][a]), 2);
            h.way += 1e3 * sqrt(step) / 0.5;
            h.height += (double)x[3 * i + 1];
            if (bin < BINS) depth[bin] += d * d * d / (0.25 * 3.14159265 * width * width * (2 * bin + 1));
            dense[count++] = density[i] / 1590.0f;
        }
        double top = 0.25 * (depth[0] + 3.0 * depth[1]), n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
        for (int b = 1; b < BINS; b++) {
            if (depth[b] < 0.25 * top || depth[b] > 0.75 * top) continue;
            double at = width * (b + 0.5);
            n += 1.0, sx += at, sy += depth[b], sxx += at * at, sxy += at * depth[b];
        }
        qsort(dense, (size_t)count, sizeof *dense, by_value);
        h.slope   = -57.29577951308232 * atan((n * sxy - sx * sy) / (n * sxx - sx * sx));
        h.densest = (double)dense[count * 95 / 100];
        h.way /= count;
        h.height /= count;
        if (k == 0) *from = h;
    }
    shoal_sim_destroy(sim);
    printf("cone of %.0f degrees %s after %.1f s: mean height %.2f of its first, slope %.1f "
           "degrees, way %.3f mm/s, density %.2f\n",
           57.29577951308232 * atan(high / radius), is_wet ? "under water" : "in air", seconds, h.height / from->height,
           h.slope, h.way, h.densest);
    return h;
}

// Buoyancy takes as much of what drives as of what holds: the angle is that of dry sand.
static void sand_rests_under_water_as_in_air(void** state) {
    (void)state;
    heap from, flat = heap_of(0.2, 0.09, true, 2.0, &from, (lab_setup){.threads = 1});
    CHECK_NEAR(flat.height / from.height, 1.0, 0.04); // 24 degrees stand
    CHECK_NEAR(flat.slope, from.slope, 2.0);
    CHECK_BELOW(flat.way, 0.1);
    heap wet = heap_of(0.16, 0.16, true, 3.0, &from, (lab_setup){.threads = 1}),
         dry = heap_of(0.16, 0.16, false, 2.0, &from, (lab_setup){.threads = 1});
    CHECK_BELOW(wet.height / from.height, 0.75); // 45 degrees flow
    CHECK_NEAR(wet.slope, dry.slope, 3.0);
    CHECK_BELOW(wet.way, 0.3);
    CHECK_BELOW(wet.densest, 1.2);
}

// Of two sands side by side the left one is wet: mean wetness of each.
static void wetness_of_halves(double wet, const char* water, double mean[2]) {
    char text[1024];
    snprintf(text, sizeof text,
             "solver: flip\nspacing: 0.02\ndomain: {min: [0, 0, 0], max: [0.64, 0.6, 0.16]}\n"
             "materials: {wet: {preset: sand, wetness: %g}, dry: {preset: sand}}\nbodies:\n"
             "  - {material: wet, box: {min: [0, 0, 0], max: [0.32, 0.12, 0.16]}}\n"
             "  - {material: dry, box: {min: [0.32, 0, 0], max: [0.64, 0.12, 0.16]}}\n%s",
             wet, water);
    shoal_sim*       sim = lab_sim(text, (lab_setup){.threads = 1});
    shoal_field_view materials;
    CHECK_OK(shoal_sim_field(sim, "material", &materials));
    const float *x = lab_field(sim, "position"), *wetness = lab_field(sim, "wetness");
    double       count[2] = {0.0, 0.0};
    mean[0] = mean[1] = 0.0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        int side = x[3 * i] > 0.32f;
        if (fabs((double)x[3 * i] - 0.32) < 0.06 || ((const uint8_t*)materials.data)[i] > 1)
            continue; // sands come first
        mean[side] += (double)wetness[i];
        count[side] += 1.0;
    }
    for (int side = 0; side < 2; side++) mean[side] /= count[side];
    printf("sand of wetness %g and dry sand%s: %.3f, %.3f\n", wet, water[0] ? ", and water above" : "", mean[0],
           mean[1]);
    shoal_sim_destroy(sim);
}

static void sand_is_as_wet_as_it_is_given_and_as_its_pores_are_full(void** state) {
    (void)state;
    double mean[2];
    wetness_of_halves(0.5, "", mean);
    CHECK_NEAR(mean[0], 0.5, 1e-3);
    CHECK_NEAR(mean[1], 0.0, 1e-3);
    // what is held stays, what fills the pores comes as particles
    for (int k = 0; k < 2; k++) {
        wetness_of_halves(k == 0 ? 0.5 : 1.0,
                          "  - {material: water, box: {min: [0, 0.3, 0], max: [0.16, 0.4, 0.16]}}\n", mean);
        CHECK_NEAR(mean[0], k == 0 ? 0.5 : 1.0, k == 0 ? 1e-3 : 0.1);
        CHECK_NEAR(mean[1], 0.0, 0.005);
    }
}

// A dam of water over dry sand, with more of both coming in.
static const char dam[] = "solver: flip\n"
                          "spacing: 0.02\n"
                          "domain: {min: [0, 0, 0], max: [0.64, 0.6, 0.16]}\n"
                          "materials: {sand: {preset: sand, grain_size: 0.001}}\n"
                          "bodies:\n"
                          "  - {material: sand, box: {min: [0, 0, 0], max: [0.64, 0.1, 0.16]}}\n"
                          "  - {material: water, box: {min: [0, 0.1, 0], max: [0.16, 0.4, 0.16]}}\n"
                          "emitters:\n"
                          "  - {material: sand, disc: {radius: 0.04}, at: [0.5, 0.5, 0.08], velocity: [0, -1, 0]}\n";

static void water_and_sand_give_the_same_bits_for_any_number_of_threads(void** state) {
    (void)state;
    static const char* const options[] = {NULL, "flip.coupling=one-way", "flip.coupling=none", "flip.friction=paper"};
    for (int k = 0; k < 4; k++) {
        uint64_t hash[2];
        for (int t = 0; t < 2; t++) {
            shoal_sim* sim = lab_sim(dam, (lab_setup){.threads = t == 0 ? 1 : 3, .set = {options[k]}});
            lab_run(sim, 0.1, 0.05);
            hash[t] = shoal_sim_hash(sim);
            shoal_sim_destroy(sim);
        }
        if (hash[0] != hash[1]) fail_msg("%s: three threads differ from one", options[k] ? options[k] : "as is");
    }
}

static void a_saved_mixture_goes_on_bit_for_bit(void** state) {
    (void)state;
    assert_true(lab_goes_on(dam, (lab_setup){0}, 0.05, 0.05));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flooded_bed_rests_under_its_own_weight),
        cmocka_unit_test(sand_sinks_in_water_and_energy_only_falls),
        cmocka_unit_test(water_and_sand_keep_their_momentum),
        cmocka_unit_test(a_ball_of_water_and_one_of_sand_collide_and_keep_their_momentum),
        cmocka_unit_test(water_driven_by_sand_at_rest_only_loses_energy),
        cmocka_unit_test(sand_that_takes_no_notice_of_water_moves_alike_in_any),
        cmocka_unit_test(a_cloud_of_sand_settles_as_richardson_and_zaki_say),
        cmocka_unit_test(water_seeps_through_sand_by_darcys_law),
        cmocka_unit_test(sand_rests_under_water_as_in_air),
        cmocka_unit_test(sand_is_as_wet_as_it_is_given_and_as_its_pores_are_full),
        cmocka_unit_test(water_and_sand_give_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_saved_mixture_goes_on_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
