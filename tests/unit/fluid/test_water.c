// SPDX-License-Identifier: MIT
// SPH water pass by pass: the kernel, lists of samples, density, its rate, the push of pressure; wide against plain.
#include "unit/fluid/tub.h"

static void the_cubic_spline_integrates_to_one_and_its_slope_is_its_derivative(void** state) {
    (void)state;
    double sum = 0.0, h = 0.7;
    for (int k = 0; k < 100000; k++) {
        double r = (k + 0.5) / 100000.0 * h;
        sum += 4.0 * SHOAL_PI * r * r * shoal_cubic(r, h) * h / 100000.0;
    }
    CHECK_NEAR(sum, 1.0, 1e-8);
    for (double r = 0.05; r < h; r += 0.05)
        CHECK_NEAR(shoal_cubic_slope(r, h), (shoal_cubic(r + 1e-6, h) - shoal_cubic(r - 1e-6, h)) / 2e-6, 1e-4);
}

static void lists_of_samples_hold_all_samples_near_and_nobody_else(void** state) {
    (void)state;
    tub* t     = tub_make(false);
    int  found = 0;
    for (int i = 0; i < COUNT; i++) {
        int near = 0;
        for (int b = 0; b < BOUNDARY; b++) {
            shoal_v4 at = t->sample_place[b];
            float    x = t->place[i].x - at.x, y = t->place[i].y - at.y, z = t->place[i].z - at.z;
            near += x * x + y * y + z * z < t->view.h2;
        }
        assert_int_equal(t->boundary.count[i], near);
        SHOAL_FOR_NEAR(t->boundary, i, b) assert_true(b >= 0 && b < BOUNDARY);
        found += near;
    }
    assert_true(found > 200);
    tub_free(t);
}

// d/dt of s by moving everybody a little, samples with them.
static void the_rate_of_the_density_is_that_of_moving_particles(void** state) {
    (void)state;
    tub*  t = tub_make(false);
    float rate[COUNT], low[COUNT];
    run(t, SHOAL_ISA_PLAIN, SHOAL_WATER_solids);
    for (int i = 0; i < COUNT; i++) rate[i] = shoal_water_rate(&t->view, i);
    for (int way = -1; way <= 1; way += 2) {
        const float dt = 1e-3f;
        for (int i = 0; i < CAPACITY; i++) {
            shoal_v3 x =
                shoal_v3_add_scaled(shoal_v4_xyz(t->place[i]), shoal_v4_xyz(t->motion[i]), way < 0 ? -dt : 2.0f * dt);
            shoal_v4_set(&t->place[i], x);
        }
        for (int b = 0; b < BOUNDARY; b++)
            shoal_v4_set(&t->sample_place[b],
                         shoal_v3_add_scaled(shoal_v4_xyz(t->sample_place[b]), shoal_v4_xyz(t->sample_motion[b]),
                                             way < 0 ? -dt : 2.0f * dt));
        run(t, SHOAL_ISA_PLAIN, SHOAL_WATER_solids);
        run(t, SHOAL_ISA_PLAIN, SHOAL_WATER_density);
        for (int i = 0; i < COUNT; i++) {
            if (way < 0)
                low[i] = t->ratio[i];
            else
                CHECK_NEAR((double)(t->ratio[i] - low[i]) / (2.0 * (double)dt), (double)rate[i],
                           0.02 * (1.0 + fabs((double)rate[i])));
        }
    }
    tub_free(t);
}

static void momentum_of(const tub* t, double* sum, double* scale) {
    for (int i = 0; i < COUNT; i++)
        for (int a = 0; a < 3; a++) {
            double p = (double)(&t->motion[i].x)[a] / (double)t->liquids[t->material[i]].light;
            sum[a] += p;
            *scale += fabs(p);
        }
}

// Wide: by the slopes that `weigh` has kept, and two in one spot.
static void pressure_of_pairs_keeps_momentum(void** state) {
    (void)state;
    const shoal_isa_kind sets[] = {SHOAL_ISA_PLAIN, shoal_isa_best()};
    for (int k = 0; k < 2; k++) {
        tub*   t         = tub_make(true);
        double before[3] = {0.0, 0.0, 0.0}, after[3] = {0.0, 0.0, 0.0}, scale = 0.0;
        int    j    = t->near.index[(size_t)SHOAL_LANES * t->near.start[9]];
        t->place[j] = t->place[9];
        for (int i = 0; i < COUNT; i++) t->boundary.count[i] = 0, t->kappa[i] = (float)shuffled(9, i) * 1e-3f;
        momentum_of(t, before, &scale);
        run(t, sets[k], SHOAL_WATER_weigh);
        run(t, sets[k], SHOAL_WATER_apply_pressure);
        momentum_of(t, after, &scale);
        for (int a = 0; a < 3; a++) CHECK_NEAR((after[a] - before[a]) / scale, 0.0, 1e-6);
        tub_free(t);
    }
}

static void the_first_walk_finds_the_divergence_that_a_sweep_would_find(void** state) {
    (void)state;
    const shoal_isa_kind sets[] = {SHOAL_ISA_PLAIN, shoal_isa_best()};
    for (int k = 0; k < 2; k++) {
        tub*  t = tub_make(false);
        float foreseen[COUNT], most = 0.0f;
        run(t, sets[k], SHOAL_WATER_solids);
        run(t, sets[k], SHOAL_WATER_weigh);
        memcpy(foreseen, t->error, sizeof foreseen);
        run(t, sets[k], SHOAL_WATER_diverge);
        for (int i = 0; i < COUNT; i++) most = fmaxf(most, foreseen[i]);
        assert_true(most > 1e-3f);
        for (int i = 0; i < COUNT; i++) CHECK_NEAR((double)(t->error[i] - foreseen[i]), 0.0, 1e-4 * (double)most);
        tub_free(t);
    }
}

static void wide_passes_give_what_plain_ones_give(void** state) {
    (void)state;
    static const shoal_water_pass passes[] = {SHOAL_WATER_solids, SHOAL_WATER_density,       SHOAL_WATER_weigh,
                                              SHOAL_WATER_forces, SHOAL_WATER_diverge,       SHOAL_WATER_compress,
                                              SHOAL_WATER_tell,   SHOAL_WATER_apply_pressure};
    for (int mixed = 0; mixed < 2; mixed++) {
        tub *a = tub_make(mixed), *b = tub_make(mixed);
        for (size_t k = 0; k < sizeof passes / sizeof *passes; k++)
            run(a, SHOAL_ISA_PLAIN, passes[k]), run(b, shoal_isa_best(), passes[k]);
        for (int i = 0; i < COUNT; i++) {
            CHECK_NEAR((double)(b->ratio[i] / a->ratio[i]), 1.0, 1e-5);
            CHECK_NEAR((double)(b->factor[i] / a->factor[i]), 1.0, 1e-4);
            CHECK_NEAR((double)(b->push[i].x - a->push[i].x), 0.0, 1e-5);
            CHECK_NEAR((double)(b->layer[i] - a->layer[i]), 0.0, 1e-5);
            // slopes are kept in 16 bits
            CHECK_NEAR((double)(b->motion[i].y - a->motion[i].y), 0.0, 5e-4 * (1.0 + fabs((double)a->motion[i].y)));
        }
        tub_free(a), tub_free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cubic_spline_integrates_to_one_and_its_slope_is_its_derivative),
        cmocka_unit_test(lists_of_samples_hold_all_samples_near_and_nobody_else),
        cmocka_unit_test(the_rate_of_the_density_is_that_of_moving_particles),
        cmocka_unit_test(pressure_of_pairs_keeps_momentum),
        cmocka_unit_test(the_first_walk_finds_the_divergence_that_a_sweep_would_find),
        cmocka_unit_test(wide_passes_give_what_plain_ones_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
