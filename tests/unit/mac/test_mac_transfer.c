// SPDX-License-Identifier: MIT
// Blocks around particles, and what particles and grid tell each other.
#include "unit/mac/tank.h"

static shoal_d3 nowhere(double sign) {
    return shoal_d3_make(sign * (double)INFINITY, sign * (double)INFINITY, sign * (double)INFINITY);
}

// A cloud of particles around the origin, without walls.
static tank* cloud(int count, float size, int threads) {
    tank* t  = tank_make(nowhere(-1.0), nowhere(1.0), 0.1, threads);
    t->count = count;
    for (int i = 0; i < count; i++) {
        t->position[i] = shoal_v3_make(size * (tank_random(1, i) - 0.5f), size * (tank_random(2, i) - 0.5f),
                                       size * (tank_random(3, i) - 0.3f));
        t->velocity[i] = shoal_v3_make(tank_random(4, i) - 0.5f, tank_random(5, i), 2.0f * tank_random(6, i));
    }
    return t;
}

static void every_particle_lies_in_the_block_that_says_so(void** state) {
    (void)state;
    tank* t = cloud(3000, 4.0f, 2);
    tank_grid(t, 3);
    int seen = 0;
    for (int f = 0; f < t->mac.full_count; f++) {
        int b = t->mac.full[f];
        for (int i = t->mac.run[b][0]; i < t->mac.run[b][1]; i++, seen++)
            for (int axis = 0; axis < 3; axis++) {
                int cell = (int)floorf((shoal_v3_axis(t->position[i], axis) - shoal_v3_axis(t->def.origin, axis)) *
                                       t->mac.inverse);
                assert_in_range(cell - t->mac.corner[b][axis], 0, 7);
            }
    }
    assert_int_equal(seen, t->count);
    tank_free(t);
}

static void blocks_know_their_neighbours_and_reach_far_enough(void** state) {
    (void)state;
    tank* t = cloud(200, 6.0f, 2);
    tank_grid(t, 5);
    for (int b = 0; b < t->mac.block_count; b++)
        for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
            int other = t->mac.near[b][n];
            if (other >= 0) assert_int_equal(t->mac.near[other][SHOAL_MAC_NEAR - 1 - n], b);
        }
    // from each particle's cell, five cells along each axis exist
    for (int f = 0; f < t->mac.full_count; f++) {
        int b = t->mac.full[f];
        for (int i = t->mac.run[b][0]; i < t->mac.run[b][1]; i++) {
            int cell[3];
            for (int axis = 0; axis < 3; axis++)
                cell[axis] = (int)floorf((shoal_v3_axis(t->position[i], axis) - shoal_v3_axis(t->def.origin, axis)) *
                                         t->mac.inverse) &
                             7;
            int at = SHOAL_MAC_SAMPLES * b + shoal_mac_sample(cell[0], cell[1], cell[2]);
            for (int n = 0; n < 6; n++)
                for (int k = 0, there = at; k < 5; k++) {
                    there = shoal_mac_beside(&t->mac, there, n / 2, n % 2 == 0 ? -1 : 1);
                    assert_true(there >= 0);
                }
        }
    }
    tank_free(t);
}

static void particles_too_far_apart_are_refused(void** state) {
    (void)state;
    tank* t        = cloud(2, 1.0f, 1);
    t->position[1] = shoal_v3_make(1e9f, 0.0f, 0.0f);
    assert_int_equal(shoal_mac_sort(&t->mac, &t->exec, &t->def, t->position, t->count), SHOAL_ERR_DIVERGE);
    t->position[1] = shoal_v3_make(3.0e5f, 0.0f, 0.0f);
    assert_int_equal(shoal_mac_sort(&t->mac, &t->exec, &t->def, t->position, t->count), SHOAL_ERR_DIVERGE);
    tank_free(t);
}

static float hat(float r) { return fmaxf(0.0f, 1.0f - fabsf(r)); }

static void faces_average_the_same_particles_as_brute_force(void** state) {
    (void)state;
    tank* t = cloud(2000, 1.5f, 3);
    tank_grid(t, 2);
    shoal_mac_gather(&t->mac, &t->exec, &t->view);
    double worst = 0.0;
    int    known = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int at = 0; at < tank_samples(t); at += 7) {
            shoal_v3 face = shoal_mac_face(&t->mac, at, axis);
            double   sum = 0.0, weight = 0.0;
            for (int i = 0; i < t->count; i++) {
                shoal_v3 r = shoal_v3_scale(shoal_v3_sub(t->position[i], face), t->mac.inverse);
                double   w = (double)(hat(r.x) * hat(r.y) * hat(r.z));
                weight += w;
                sum += w * (double)shoal_v3_axis(t->velocity[i], axis);
            }
            assert_true(shoal_mac_has(t->mac.known[axis], at) == (weight > 1e-6) || fabs(weight - 1e-6) < 1e-5);
            if (weight < 1e-3) continue;
            worst = fmax(worst, fabs((double)t->mac.u[axis][at] - sum / weight));
            known++;
        }
    assert_true(known > 1000);
    CHECK_BELOW(worst, 2e-4);
    tank_free(t);
}

static void any_number_of_threads_gathers_the_same_bits(void** state) {
    (void)state;
    tank* one = cloud(5000, 1.5f, 1);
    tank* two = cloud(5000, 1.5f, 4);
    tank_affine(one);
    tank_affine(two);
    tank_grid(one, 2);
    tank_grid(two, 2);
    shoal_mac_gather(&one->mac, &one->exec, &one->view);
    shoal_mac_gather(&two->mac, &two->exec, &two->view);
    for (int axis = 0; axis < 3; axis++)
        assert_memory_equal(one->mac.u[axis], two->mac.u[axis], (size_t)tank_samples(one) * sizeof(float));
    tank_free(one);
    tank_free(two);
}

static void still(tank* t) {
    for (int axis = 0; axis < 3; axis++) memset(t->mac.change[axis], 0, (size_t)tank_samples(t) * sizeof(float));
    memset(t->mac.pressure, 0, (size_t)tank_samples(t) * sizeof(float));
}

static void affine_motion_comes_back_as_it_was(void** state) {
    (void)state;
    tank*    t    = cloud(4000, 1.0f, 2);
    shoal_v3 A[3] = {{1.0f, -2.0f, 0.5f}, {0.25f, -0.5f, 3.0f}, {-1.5f, 0.75f, -0.5f}};
    tank_affine(t);
    for (int i = 0; i < t->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            shoal_v3_set_axis(&t->velocity[i], axis, 0.5f + shoal_v3_dot(A[axis], t->position[i]));
            t->affine[axis][i] = A[axis];
        }
    tank_grid(t, 2);
    shoal_mac_gather(&t->mac, &t->exec, &t->view);
    still(t);
    shoal_mac_motion motion = {.flip = 0.0f, .order = 2};
    shoal_mac_return(&t->mac, &t->exec, &t->view, &motion);
    double worst = 0.0, slope = 0.0;
    for (int i = 0; i < t->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            float wanted = 0.5f + shoal_v3_dot(A[axis], t->position[i]);
            worst        = fmax(worst, fabs((double)(shoal_v3_axis(t->velocity[i], axis) - wanted)));
            for (int b = 0; b < 3; b++)
                slope = fmax(slope, fabs((double)(shoal_v3_axis(t->affine[axis][i], b) - shoal_v3_axis(A[axis], b))));
        }
    printf("affine field: velocity off by %.2g m/s, gradient by %.2g 1/s\n", worst, slope);
    CHECK_BELOW(worst, 2e-5);
    CHECK_BELOW(slope, 5e-4);
    tank_free(t);
}

// What a particle turns, with the part its gradient carries (reference: sum over axes of (D_a c_a) x e_a).
static void turn_of(const tank* t, double out[3], double* scale) {
    double dx = (double)t->def.dx;
    out[0] = out[1] = out[2] = *scale = 0.0;
    for (int i = 0; i < t->count; i++) {
        shoal_d3 x = shoal_d3_from(t->position[i]), v = shoal_d3_from(t->velocity[i]), turn = shoal_d3_cross(x, v);
        *scale += shoal_d3_length(turn);
        for (int a = 0; a < 3; a++) {
            double d[3], e[3] = {0.0, 0.0, 0.0};
            e[a] = 1.0;
            for (int b = 0; b < 3; b++) {
                double g = (shoal_d3_axis(x, b) - (double)shoal_v3_axis(t->def.origin, b)) / dx - (a == b ? 0.0 : 0.5),
                       s = g - floor(g);
                d[b]     = dx * dx * s * (1.0 - s) * (double)shoal_v3_axis(t->affine[a][i], b);
            }
            turn = shoal_d3_add(turn, shoal_d3_cross(shoal_d3_make(d[0], d[1], d[2]), shoal_d3_make(e[0], e[1], e[2])));
        }
        for (int a = 0; a < 3; a++) out[a] += shoal_d3_axis(turn, a);
    }
}

static void momentum_of(const tank* t, double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    for (int i = 0; i < t->count; i++)
        for (int a = 0; a < 3; a++) out[a] += (double)shoal_v3_axis(t->velocity[i], a);
}

static void apic_keeps_momentum_and_angular_momentum(void** state) {
    (void)state;
    tank* t = cloud(4000, 1.0f, 2);
    tank_affine(t);
    for (int i = 0; i < t->count; i++)
        for (int axis = 0; axis < 3; axis++)
            t->affine[axis][i] = shoal_v3_make(tank_random(10, 3 * i + axis) - 0.5f, tank_random(11, 3 * i + axis),
                                               tank_random(12, 3 * i + axis));
    tank_grid(t, 2);
    double before[3], after[3], turn[3], turned[3], scale;
    turn_of(t, turn, &scale);
    momentum_of(t, before);
    shoal_mac_gather(&t->mac, &t->exec, &t->view);
    still(t);
    shoal_mac_motion motion = {.flip = 0.0f, .order = 2};
    shoal_mac_return(&t->mac, &t->exec, &t->view, &motion);
    turn_of(t, turned, &scale);
    momentum_of(t, after);
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(after[a] / t->count, before[a] / t->count, 1e-6);
        CHECK_NEAR(turned[a] / scale, turn[a] / scale, 1e-6);
    }
    tank_free(t);
}

static double energy_after(float flip, bool is_affine, int rounds) {
    tank* t = cloud(4000, 1.0f, 2);
    // a vortex about z
    for (int i = 0; i < t->count; i++)
        t->velocity[i] = shoal_v3_make(-5.0f * t->position[i].y, 5.0f * t->position[i].x, 0.0f);
    if (is_affine) {
        tank_affine(t);
        for (int i = 0; i < t->count; i++) {
            t->affine[0][i] = shoal_v3_make(0.0f, -5.0f, 0.0f);
            t->affine[1][i] = shoal_v3_make(5.0f, 0.0f, 0.0f);
        }
    }
    double energy[2] = {0.0, 0.0};
    tank_grid(t, 2);
    for (int k = 0; k <= rounds; k++) {
        energy[k > 0] = 0.0;
        for (int i = 0; i < t->count; i++) energy[k > 0] += (double)shoal_v3_dot(t->velocity[i], t->velocity[i]);
        shoal_mac_gather(&t->mac, &t->exec, &t->view);
        still(t);
        shoal_mac_motion motion = {.flip = flip, .order = 2};
        shoal_mac_return(&t->mac, &t->exec, &t->view, &motion);
    }
    tank_free(t);
    return energy[1] / energy[0];
}

static void flip_and_apic_keep_the_vortex_that_pic_kills(void** state) {
    (void)state;
    double pic = energy_after(0.0f, false, 20), flip = energy_after(1.0f, false, 20),
           apic = energy_after(0.0f, true, 20);
    printf("energy of a vortex 10 cells wide after 20 transfers: PIC %.3f, FLIP %.6f, APIC %.6f\n", pic, flip, apic);
    CHECK_BELOW(pic, 0.9);
    CHECK_NEAR(flip, 1.0, 1e-6);
    CHECK_NEAR(apic, 1.0, 1e-4);
}

// One turn in 20 steps of up to 5 cells: the orders of the schemes show.
static double drift_after_a_turn(int order) {
    tank* t        = tank_make(nowhere(-1.0), nowhere(1.0), 0.1, 2);
    t->count       = 1;
    double worst   = 0.0;
    t->position[0] = shoal_v3_make(1.5f, 0.0f, 0.0f);
    for (int k = 0; k < 20; k++) {
        tank_grid(t, 8);
        for (int axis = 0; axis < 3; axis++) {
            for (int at = 0; at < tank_samples(t); at++) {
                shoal_v3 x         = shoal_mac_face(&t->mac, at, axis);
                t->mac.u[axis][at] = axis == 0 ? -x.y : axis == 1 ? x.x : 0.0f;
            }
        }
        still(t);
        shoal_mac_motion motion = {.dt = (float)(2.0 * SHOAL_PI / 20.0), .order = order, .move_most = 7.0f};
        shoal_mac_move(&t->mac, &t->exec, &t->view, &motion);
        worst = fmax(worst, fabs(hypot((double)t->position[0].x, (double)t->position[0].y) - 1.5));
    }
    tank_free(t);
    return worst;
}

static void particles_follow_a_vortex_in_a_circle(void** state) {
    (void)state;
    double second = drift_after_a_turn(2), third = drift_after_a_turn(3);
    printf("a turn of radius 15 cells in 20 steps of 4.7 cells: off the circle by %.2g cells (rk2), %.2g (rk3)\n",
           second / 0.1, third / 0.1);
    CHECK_BELOW(second / 0.1, 0.02);
    CHECK_BELOW(third / 0.1, 0.005);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_particle_lies_in_the_block_that_says_so),
        cmocka_unit_test(blocks_know_their_neighbours_and_reach_far_enough),
        cmocka_unit_test(particles_too_far_apart_are_refused),
        cmocka_unit_test(faces_average_the_same_particles_as_brute_force),
        cmocka_unit_test(any_number_of_threads_gathers_the_same_bits),
        cmocka_unit_test(affine_motion_comes_back_as_it_was),
        cmocka_unit_test(apic_keeps_momentum_and_angular_momentum),
        cmocka_unit_test(flip_and_apic_keep_the_vortex_that_pic_kills),
        cmocka_unit_test(particles_follow_a_vortex_in_a_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
