// SPDX-License-Identifier: MIT
// SPH water pass by pass: the kernel, lists of samples, density, its rate, the push of pressure; wide against plain.
#include "unit/check.h"

#include "base/hash.h"
#include "fluid/water_pass.h"

enum { COUNT = 600, BOUNDARY = 200, CAPACITY = COUNT + 1 };

typedef struct tub {
    shoal_water_view   view;
    shoal_world        world;
    shoal_cells        cells, boundary_cells;
    shoal_near         near, boundary;
    shoal_water_liquid liquids[2];
    uint8_t            material[CAPACITY];
    shoal_v3           touch[CAPACITY], push[CAPACITY], velocity[CAPACITY];
    shoal_v4           place[CAPACITY], guess[CAPACITY], motion[CAPACITY], wall[CAPACITY], stream[CAPACITY];
    float density[CAPACITY], pressure[CAPACITY], settling[CAPACITY], acceleration[CAPACITY], friction[CAPACITY],
        hold[CAPACITY], ratio[CAPACITY], factor[CAPACITY], kappa[CAPACITY], error[CAPACITY], layer[CAPACITY],
        slant[CAPACITY];
    shoal_v4 sample_place[BOUNDARY + 1], sample_guess[BOUNDARY + 1], sample_motion[BOUNDARY + 1];
    float    sample_layer[BOUNDARY + 1];
} tub;

static double shuffled(uint64_t stream, int i) { return shoal_random(7, stream, (uint64_t)i); }

// Particles above y = 0 and samples below, as dense as water, out of order; two liquids, moving at random.
static tub* tub_make(bool is_mixed) {
    tub* t = calloc(1, sizeof *t);
    assert_non_null(t);
    const double      d = 0.1, h = 0.2, size = d * cbrt(COUNT);
    shoal_water_view* v       = &t->view;
    shoal_lattice     lattice = shoal_lattice_make(d, h, SHOAL_KERNEL_CUBIC);
    v->count = COUNT, v->solids.world = &t->world, v->d = (float)d, v->h = (float)h, v->h2 = (float)(h * h),
    v->dt     = 1e-3f;
    v->weight = (float)(lattice.volume * shoal_cubic_scale(h)), v->self = (float)(lattice.volume * shoal_cubic(0.0, h));
    v->slope = 3.0f * v->weight, v->pressure_scale = 1e-6f, v->omega = 0.5f, v->momentum = 1.0f,
    v->smooth       = 0.01f * v->weight;
    v->gradient_sum = (float)lattice.gradient_sum, v->artificial = 0.01f * v->slope, v->contact = 0.0f,
    v->is_viscous    = true;
    v->has_wall_drag = true, v->correction = v->relax = 1.0f;
    v->is_mixed   = is_mixed;
    t->liquids[0] = (shoal_water_liquid){1000.0f, 1.0f, 0.01f, 0.0f, 0.0f};
    t->liquids[1] = is_mixed ? (shoal_water_liquid){500.0f, 2.0f, 0.03f, 0.0f, 0.0f} : t->liquids[0];
    v->liquids = t->liquids, v->material = t->material, v->touch = t->touch, v->push = t->push,
    v->velocity = t->velocity;
    v->place = t->place, v->guess = t->guess, v->motion = t->motion, v->wall = t->wall, v->stream = t->stream,
    v->density  = t->density;
    v->pressure = t->pressure, v->settling = t->settling, v->acceleration = t->acceleration, v->friction = t->friction;
    v->hold = t->hold, v->ratio = t->ratio, v->factor = t->factor, v->kappa = t->kappa, v->error = t->error,
    v->layer = t->layer, v->slant = t->slant, v->total = t->pressure;

    static shoal_v4   from[COUNT], banks[BOUNDARY];
    shoal_exec        exec = shoal_exec_make(1);
    shoal_cells_frame frame;
    for (int i = 0; i < COUNT; i++)
        from[i] = (shoal_v4){(float)(size * shuffled(0, i)), (float)(size * shuffled(1, i)),
                             (float)(size * shuffled(2, i)), 0.0f};
    for (int b = 0; b < BOUNDARY; b++)
        banks[b] = (shoal_v4){(float)(size * shuffled(3, b)), (float)(-0.05 * shuffled(4, b)),
                              (float)(size * shuffled(5, b)), 0.8f};
    CHECK_OK(shoal_cells_frame_make(&exec, from, COUNT, (float)h, &frame));
    CHECK_OK(shoal_cells_sort(&t->cells, &exec, &frame, from, COUNT));
    CHECK_OK(shoal_cells_sort(&t->boundary_cells, &exec, &frame, banks, BOUNDARY));
    for (int i = 0; i < COUNT; i++) t->place[i] = from[t->cells.order[i]];
    t->place[COUNT] = (shoal_v4){SHOAL_NOWHERE, SHOAL_NOWHERE, SHOAL_NOWHERE, 0.0f};
    for (int b = 0; b < BOUNDARY; b++) t->sample_place[b] = banks[t->boundary_cells.order[b]];
    t->sample_place[BOUNDARY] = t->place[COUNT];
    for (int i = 0; i < CAPACITY; i++) {
        t->motion[i] =
            (shoal_v4){(float)shuffled(6, i) - 0.5f, (float)shuffled(7, i) - 0.5f, (float)shuffled(8, i) - 0.5f, 0.0f};
        t->material[i] = is_mixed && i % 3 == 0;
    }
    for (int b = 0; b < BOUNDARY; b++) {
        t->sample_motion[b] =
            (shoal_v4){(float)shuffled(6, b) - 0.5f, (float)shuffled(7, b) - 0.5f, (float)shuffled(8, b) - 0.5f, 0.3f};
        t->sample_layer[b] = b % 2 ? 1.0f : 0.0f;
    }
    v->sample        = (shoal_sample_view){t->sample_place, t->sample_guess, t->sample_motion, t->sample_layer, NULL};
    t->motion[COUNT] = (shoal_v4){0.0f, 0.0f, 0.0f, 0.0f};
    CHECK_OK(shoal_near_build(&t->near, &exec, SHOAL_ISA_PLAIN, &t->cells, NULL, t->place, COUNT, (float)h));
    CHECK_OK(shoal_near_build_between(&t->boundary, &exec, SHOAL_ISA_PLAIN, &t->cells, t->place, &t->boundary_cells,
                                      t->sample_place, (float)h));
    v->near = t->near, v->boundary = t->boundary, v->grain = v->h2 / (3.0f * INT16_MAX), v->is_split = true,
    v->is_begun = !is_mixed;
    v->pairs    = calloc(t->near.group_capacity * 3 * SHOAL_LANES, sizeof *v->pairs);
    assert_non_null(v->pairs);
    return t;
}

static void tub_free(tub* t) {
    shoal_near_free(&t->near), shoal_near_free(&t->boundary);
    shoal_cells_free(&t->cells), shoal_cells_free(&t->boundary_cells);
    free(t->view.pairs);
    free(t);
}

static void run(tub* t, shoal_isa_kind isa, shoal_water_pass pass) {
    shoal_pass_loop(&shoal_water_passes, isa, (int)pass)(&t->view, 0, COUNT);
}

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
