// SPDX-License-Identifier: MIT
// The passes of pbf one by one: constraint and gradient, corrections, vorticity, wide against
// plain.
#include "cloud.h"

static double c_of(const cloud* c, int i) { return (double)c->density[i] / 1000.0 - 1.0; }

static void the_lattice_is_at_rest(void** state) {
    (void)state;
    static const double supports[] = {1.8, 2.0, 2.5, 3.0};
    for (int k = 0; k < 8; k++) {
        cloud* c = cloud_make(supports[k / 2], k % 2 == 1);
        cloud_lattice(c, 9, 9, 9);
        cloud_ready(c);
        cloud_run(c, SHOAL_ISA_PLAIN, PBF_lambda);
        int middle = cloud_at(c, 0.45, 0.45, 0.45);
        CHECK_NEAR(c_of(c, middle), 0.0, 1e-5);
        CHECK_BELOW(fabs((double)c->guess[middle].w) * (double)c->view.gradient_sum, 1e-5);
        cloud_free(c);
    }
}

static void the_layer_at_a_wall_is_at_rest(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        cloud* c                         = cloud_make(2.0, k == 1);
        c->world.is_closed[SHOAL_BOTTOM] = true;
        cloud_lattice(c, 9, 7, 9);
        cloud_ready(c);
        cloud_run(c, SHOAL_ISA_PLAIN, PBF_lambda);
        double first = c_of(c, cloud_at(c, 0.45, 0.05, 0.45)), second = c_of(c, cloud_at(c, 0.45, 0.15, 0.45));
        printf("%s: C of the first layer at a wall %.2g, of the second %.2g\n", k ? "poly6" : "spiky", first, second);
        CHECK_NEAR(first, 0.0, 1e-5);
        CHECK_NEAR(second, 0.0, 3e-3);
        cloud_free(c);
    }
}

static void water_in_edge_and_corner_is_nearly_at_rest(void** state) {
    (void)state;
    cloud* c                         = cloud_make(2.0, false);
    c->world.is_closed[SHOAL_BOTTOM] = c->world.is_closed[SHOAL_LEFT] = c->world.is_closed[SHOAL_BACK] = true;
    cloud_lattice(c, 7, 7, 7);
    cloud_ready(c);
    cloud_run(c, SHOAL_ISA_PLAIN, PBF_lambda);
    double edge = c_of(c, cloud_at(c, 0.05, 0.05, 0.35)), corner = c_of(c, cloud_at(c, 0.05, 0.05, 0.05));
    printf("C at rest in an edge %.4f, in a corner %.4f\n", edge, corner);
    CHECK_NEAR(edge, 0.0, 0.01);
    CHECK_NEAR(corner, 0.0, 0.02);
    cloud_free(c);
}

// With lambda 1 at i and 0 elsewhere, `correct` returns the gradient of C_i: at i grad_i C_i, at k
// grad_k C_i.
static void gradients_are_those_of_the_density(void** state) {
    (void)state;
    cloud* c                         = cloud_make(2.0, false);
    c->world.is_closed[SHOAL_BOTTOM] = c->world.is_closed[SHOAL_LEFT] = true;
    cloud_random(c, 600, 3);
    cloud_ready(c);
    double worst = 0.0, scale = 1.0 / c->d;
    for (int k = 0; k < 40; k++) {
        int i = k < 20 ? cloud_at(c, 0.05 + 0.01 * k, 0.06, 0.4) : 10 * k;
        cloud_run(c, SHOAL_ISA_PLAIN, PBF_lambda); // fills the vector with the gradient of the walls
        for (int j = 0; j < c->view.count; j++) c->guess[j].w = j == i ? 1.0f : 0.0f;
        int other = c->near.count[i] > 0 ? c->near.index[(size_t)SHOAL_LANES * c->near.start[i]] : i;
        for (int who = 0; who < 2; who++) {
            int m = who == 0 ? i : other;
            pbf_lambda_from(&c->view, m, 0.0f, shoal_v3_make(0.0f, 0.0f, 0.0f), 1.0f);
            for (int j = 0; j < c->view.count; j++) c->guess[j].w = j == i ? 1.0f : 0.0f;
            pbf_correct(&c->view, m);
            shoal_v3 gradient = c->vector[m];
            for (int axis = 0; axis < 3; axis++) {
                float *at    = axis == 0   ? &c->guess[m].x
                               : axis == 1 ? &c->guess[m].y
                                           : &c->guess[m].z,
                      before = *at, step = 2e-4f;
                double side[2];
                for (int s = 0; s < 2; s++) {
                    *at = before + (s == 0 ? -step : step);
                    pbf_lambda(&c->view, i);
                    side[s] = c_of(c, i);
                }
                *at          = before;
                double slope = (side[1] - side[0]) / (2.0 * (double)step);
                worst        = fmax(worst, fabs(slope - (double)shoal_v3_axis(gradient, axis)) / scale);
            }
        }
    }
    printf("gradient of C against differences: off by at most %.2g of 1/d\n", worst);
    CHECK_BELOW(worst, 1e-3);
    cloud_free(c);
}

// lambda = -C / (sum_k |grad_k C|^2 + epsilon), in double, by brute force. [eq. 11]
static void lambda_is_that_of_equation_11(void** state) {
    (void)state;
    cloud* c        = cloud_make(2.0, false);
    c->view.epsilon = 5.0f;
    cloud_random(c, 500, 4);
    cloud_ready(c);
    cloud_run(c, SHOAL_ISA_PLAIN, PBF_lambda);
    double volume = shoal_lattice_make(c->d, c->h, false).volume;
    for (int i = 0; i < c->view.count; i += 7) {
        double density = volume * shoal_spiky(0.0, c->h), own[3] = {0.0}, below = 5.0;
        for (int j = 0; j < c->view.count; j++) {
            double x[3] = {(double)c->guess[i].x - (double)c->guess[j].x, (double)c->guess[i].y - (double)c->guess[j].y,
                           (double)c->guess[i].z - (double)c->guess[j].z};
            double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), slope = volume * shoal_spiky_slope(r, c->h);
            if (j == i || r >= c->h) continue;
            density += volume * shoal_spiky(r, c->h);
            for (int a = 0; a < 3; a++) own[a] += slope * x[a] / r;
            below += slope * slope;
        }
        below += own[0] * own[0] + own[1] * own[1] + own[2] * own[2];
        double wanted = -(density - 1.0) / below;
        CHECK_NEAR((double)c->guess[i].w, wanted, 1e-5 * fabs(wanted) + 1e-8);
    }
    cloud_free(c);
}

static void corrections_add_up_to_nothing(void** state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        cloud* c        = cloud_make(k == 2 ? 2.5 : 2.0, k == 1);
        c->view.clump_k = 0.1f / c->view.gradient_sum;
        if (k == 1) {
            c->view.params.anti_clumping = PBF_ANTI_CLUMPING_PAPER;
            c->view.params.clump_power   = 4;
            c->view.clump_w              = (float)(1.0 / pow(c->h * c->h * 0.96, 3.0));
        }
        cloud_random(c, 1500, 5 + (uint64_t)k);
        cloud_ready(c);
        cloud_run(c, SHOAL_ISA_PLAIN, PBF_lambda);
        cloud_run(c, SHOAL_ISA_PLAIN, PBF_correct);
        double sum[3] = {0.0}, length = 0.0;
        for (int i = 0; i < c->view.count; i++) {
            for (int a = 0; a < 3; a++) sum[a] += (double)shoal_v3_axis(c->vector[i], a);
            length += (double)shoal_v3_length(c->vector[i]);
        }
        for (int a = 0; a < 3; a++) CHECK_BELOW(fabs(sum[a]) / length, 1e-6);
        cloud_free(c);
    }
}

static void a_rigid_turn_has_twice_its_rate_as_vorticity(void** state) {
    (void)state;
    static const double supports[] = {1.8, 2.0, 2.5};
    for (int k = 0; k < 3; k++) {
        cloud* c = cloud_make(supports[k], false);
        cloud_lattice(c, 9, 9, 9);
        cloud_ready(c);
        shoal_v3 turn = shoal_v3_make(1.0f, -2.0f, 3.0f);
        for (int i = 0; i < c->view.count; i++) {
            cloud_move(c, i, shoal_v3_cross(turn, pbf_place(&c->view, i)));
        }
        cloud_run(c, SHOAL_ISA_PLAIN, PBF_curl);
        shoal_v3 omega = c->omega[cloud_at(c, 0.45, 0.45, 0.45)];
        printf("support %.1f d: vorticity of a rigid turn %.3f of 2 Omega\n", supports[k],
               (double)(omega.z / (2.0f * turn.z)));
        for (int a = 0; a < 3; a++)
            CHECK_NEAR((double)(shoal_v3_axis(omega, a) / (2.0f * shoal_v3_axis(turn, a))), 1.0, 0.15);
        cloud_free(c);
    }
}

// N points to where |omega| grows, v += dt eps h N x omega: a turn that is fastest at the centre is
// driven on.
static void confinement_drives_a_vortex_on(void** state) {
    (void)state;
    cloud* c                 = cloud_make(2.0, false);
    c->view.params.vorticity = 1.0f;
    cloud_lattice(c, 11, 11, 5);
    cloud_ready(c);
    for (int i = 0; i < c->view.count; i++) {
        shoal_v3 from = shoal_v3_sub(pbf_place(&c->view, i), shoal_v3_make(0.55f, 0.55f, 0.25f));
        float    rate = 4.0f * expf(-10.0f * (from.x * from.x + from.y * from.y));
        cloud_move(c, i, shoal_v3_make(-rate * from.y, rate * from.x, 0.0f));
    }
    cloud_run(c, SHOAL_ISA_PLAIN, PBF_curl);
    cloud_run(c, SHOAL_ISA_PLAIN, PBF_confine);
    int    i    = cloud_at(c, 0.75, 0.55, 0.25);
    double gain = (double)(c->velocity[i].y - c->drift[i].y);
    CHECK_BELOW(0.0, gain);
    CHECK_NEAR(gain, (double)(c->view.dt * c->view.h * c->guess[i].w), 0.05 * gain);
    cloud_free(c);
}

static void xsph_and_viscosity_draw_velocities_together_and_keep_momentum(void** state) {
    (void)state;
    cloud* c       = cloud_make(2.0, false);
    c->view.smooth = 0.1f * c->view.weight;
    cloud_random(c, 1000, 9);
    cloud_ready(c);
    // and two liquids of their own density and viscosity
    c->view.is_mixed      = true;
    c->liquids[0].viscous = 1e-3f;
    c->liquids[1]         = (pbf_liquid){700.0f, 1000.0f / 700.0f, 5e-3f};
    for (int i = 0; i < c->view.count; i++) c->material[i] = (uint8_t)(i % 2);
    double before = 0.0, after = 0.0, sum = 0.0;
    for (int i = 0; i < c->view.count; i++) {
        float u = (float)(shoal_random(10, 0, (uint64_t)i) - 0.5);
        cloud_move(c, i, shoal_v3_make(u, 0.0f, 0.0f));
        before += (double)(u * u * c->liquids[c->material[i]].density);
    }
    cloud_run(c, SHOAL_ISA_PLAIN, PBF_curl);
    cloud_run(c, SHOAL_ISA_PLAIN, PBF_confine);
    for (int i = 0; i < c->view.count; i++) {
        double mass = (double)c->liquids[c->material[i]].density;
        after += mass * (double)(c->velocity[i].x * c->velocity[i].x);
        sum += mass * (double)(c->velocity[i].x - c->drift[i].x);
    }
    CHECK_BELOW(after, 0.95 * before);
    CHECK_BELOW(fabs(sum), 1e-3); // of 850 kg m/s moved about
    cloud_free(c);
}

static void particles_in_one_spot_are_driven_apart(void** state) {
    (void)state;
    cloud* c        = cloud_make(2.0, false);
    c->view.clump_k = 0.1f / c->view.gradient_sum;
    cloud_add(c, 0.3, 0.3, 0.3);
    cloud_add(c, 0.3, 0.3, 0.3);
    cloud_ready(c);
    for (int k = 0; k < 2; k++) {
        shoal_isa_kind isa               = k == 0 ? SHOAL_ISA_PLAIN : shoal_isa_best();
        c->view.params.negative_pressure = 0.0f;
        cloud_run(c, isa, PBF_lambda);
        cloud_run(c, isa, PBF_correct);
        shoal_v3 sum = shoal_v3_add(c->vector[0], c->vector[1]);
        CHECK_BELOW(1e-4 * c->d, (double)shoal_v3_length(c->vector[0]));
        CHECK_BELOW((double)shoal_v3_length(sum), 1e-9);
    }
    cloud_free(c);
}

// A cloud of one liquid or two, with walls, everything switched on; solved, then moved.
static cloud* busy_cloud(bool is_poly6, bool is_mixed, shoal_isa_kind isa) {
    cloud* c                         = cloud_make(2.0, is_poly6);
    c->view.params.vorticity         = 0.5f;
    c->view.smooth                   = 0.05f * c->view.weight;
    c->view.clump_k                  = 0.1f / c->view.gradient_sum;
    c->world.is_closed[SHOAL_BOTTOM] = true;
    c->view.is_mixed                 = is_mixed;
    c->liquids[0].viscous            = 1e-3f;
    c->liquids[1]                    = is_mixed ? (pbf_liquid){700.0f, 1000.0f / 700.0f, 2e-3f} : c->liquids[0];
    for (int i = 0; i < CLOUD_MOST; i++) c->material[i] = (uint8_t)(i % 3 == 0);
    cloud_random(c, 2000, 11);
    cloud_ready(c);
    cloud_run(c, isa, PBF_lambda);
    cloud_run(c, isa, PBF_correct);
    return c;
}

// lambda of 1 for all, as `predict` leaves it
static void level(cloud* c, shoal_isa_kind isa) {
    for (int i = 0; i < c->view.count; i++) c->lean_yz[i] = 1.0f;
    cloud_run(c, isa, PBF_lean);
    cloud_run(c, isa, PBF_level);
}

static void an_even_arrangement_bears_no_shear_and_a_strained_one_does(void** state) {
    (void)state;
    static const double supports[] = {1.8, 2.0, 2.5, 3.0};
    for (int k = 0; k < 8; k++) {
        cloud* c                         = cloud_make(supports[k / 2], false);
        c->world.is_closed[SHOAL_BOTTOM] = true;
        cloud_lattice(c, 11, 11, 11);
        for (int i = 0; i < c->view.count && k % 2; i++) c->guess[i].x *= 1.05f;
        cloud_ready(c);
        level(c, SHOAL_ISA_PLAIN);
        for (int y = 0; y < 7; y++) {
            shoal_v4 lean = c->lean[cloud_at(c, k % 2 ? 0.5775 : 0.55, 0.05 + 0.1 * y, 0.55)];
            if (k % 2 == 0)
                CHECK_BELOW(fabs((double)lean.x) + fabs((double)lean.y), 1e-4);
            else if (y > 2)
                CHECK_BELOW((double)lean.x, -0.001); // fewer along x
            else if (y == 0)
                CHECK_BELOW(fabs((double)lean.x), 1e-6); // beside a wall
        }
        cloud_free(c);
    }
}

static void what_takes_a_shear_away_keeps_momentum(void** state) {
    (void)state;
    cloud* c = cloud_make(2.5, false);
    cloud_random(c, 1500, 12);
    cloud_ready(c);
    level(c, SHOAL_ISA_PLAIN);
    double sum[3] = {0.0}, length = 0.0;
    for (int i = 0; i < c->view.count; i++) {
        for (int a = 0; a < 3; a++) sum[a] += (double)shoal_v3_axis(c->vector[i], a);
        length += (double)shoal_v3_length(c->vector[i]);
    }
    assert_true(length > 0.0);
    for (int a = 0; a < 3; a++) CHECK_BELOW(fabs(sum[a]) / length, 1e-6);
    cloud_free(c);
}

static void compare_with_plain(bool is_poly6, bool is_mixed) {
    static const shoal_isa_kind kinds[] = {SHOAL_ISA_GENERIC, SHOAL_ISA_SSE2, SHOAL_ISA_AVX2, SHOAL_ISA_AVX512};
    cloud *                     plain = busy_cloud(is_poly6, is_mixed, SHOAL_ISA_PLAIN), *first = NULL;
    static float                lambda[CLOUD_MOST];
    for (int i = 0; i < plain->view.count; i++) lambda[i] = plain->guess[i].w;
    for (int i = 0; i < plain->view.count; i++)
        cloud_move(plain, i, shoal_v3_make(plain->guess[i].y, -plain->guess[i].x, 0.3f));
    cloud_run(plain, SHOAL_ISA_PLAIN, PBF_curl);
    cloud_run(plain, SHOAL_ISA_PLAIN, PBF_confine);
    for (size_t s = 0; s < sizeof kinds / sizeof *kinds; s++) {
        shoal_isa_kind found;
        if (shoal_isa_by_name(shoal_isa_name(kinds[s]), &found) != SHOAL_OK) continue;
        cloud* here = busy_cloud(is_poly6, is_mixed, kinds[s]);
        for (int i = 0; i < here->view.count; i++)
            CHECK_NEAR(
                (double)here->guess[i].w, (double)lambda[i],
                1e-5 * (fabs((double)lambda[i]) + 1.0 / (double)here->view.gradient_sum)); // of a density error of 1
        for (int i = 0; i < here->view.count; i++)
            cloud_move(here, i, shoal_v3_make(here->guess[i].y, -here->guess[i].x, 0.3f));
        cloud_run(here, kinds[s], PBF_curl);
        cloud_run(here, kinds[s], PBF_confine);
        for (int i = 0; i < here->view.count; i++) {
            CHECK_NEAR((double)here->density[i], (double)plain->density[i], 5e-3);
            CHECK_NEAR((double)here->velocity[i].x, (double)plain->velocity[i].x, 1e-4);
        }
        if (first) {
            assert_memory_equal(here->density, first->density, sizeof first->density);
            assert_memory_equal(here->vector, first->vector, sizeof first->vector);
            assert_memory_equal(here->velocity, first->velocity, sizeof first->velocity);
            cloud_free(here);
        } else
            first = here;
    }
    assert_non_null(first);
    cloud_free(first);
    cloud_free(plain);
}

static void wide_passes_agree_with_the_plain_ones_and_bit_for_bit_with_each_other(void** state) {
    (void)state;
    for (int k = 0; k < 4; k++) compare_with_plain(k % 2 == 1, k / 2 == 1);
}

static void corrections_of_two_liquids_add_up_to_nothing_by_mass(void** state) {
    (void)state;
    cloud* c         = cloud_make(2.0, false);
    c->view.clump_k  = 0.1f / c->view.gradient_sum;
    c->view.is_mixed = true;
    c->liquids[1]    = (pbf_liquid){700.0f, 1000.0f / 700.0f, 0.0f};
    for (int i = 0; i < CLOUD_MOST; i++) c->material[i] = (uint8_t)(i % 2);
    cloud_random(c, 1500, 12);
    cloud_ready(c);
    cloud_run(c, SHOAL_ISA_PLAIN, PBF_lambda);
    cloud_run(c, SHOAL_ISA_PLAIN, PBF_correct);
    double sum[3] = {0.0}, length = 0.0;
    for (int i = 0; i < c->view.count; i++) {
        double mass = (double)c->liquids[c->material[i]].density;
        for (int a = 0; a < 3; a++) sum[a] += mass * (double)shoal_v3_axis(c->vector[i], a);
        length += mass * (double)shoal_v3_length(c->vector[i]);
    }
    for (int a = 0; a < 3; a++) CHECK_BELOW(fabs(sum[a]) / length, 1e-6);
    cloud_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lattice_is_at_rest),
        cmocka_unit_test(the_layer_at_a_wall_is_at_rest),
        cmocka_unit_test(water_in_edge_and_corner_is_nearly_at_rest),
        cmocka_unit_test(gradients_are_those_of_the_density),
        cmocka_unit_test(lambda_is_that_of_equation_11),
        cmocka_unit_test(corrections_add_up_to_nothing),
        cmocka_unit_test(corrections_of_two_liquids_add_up_to_nothing_by_mass),
        cmocka_unit_test(a_rigid_turn_has_twice_its_rate_as_vorticity),
        cmocka_unit_test(confinement_drives_a_vortex_on),
        cmocka_unit_test(xsph_and_viscosity_draw_velocities_together_and_keep_momentum),
        cmocka_unit_test(particles_in_one_spot_are_driven_apart),
        cmocka_unit_test(an_even_arrangement_bears_no_shear_and_a_strained_one_does),
        cmocka_unit_test(what_takes_a_shear_away_keeps_momentum),
        cmocka_unit_test(wide_passes_agree_with_the_plain_ones_and_bit_for_bit_with_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
