// SPDX-License-Identifier: MIT
// Water and sand that share cells: momentum, pores, the law of drag.
#include "unit/mac/tank.h"

#include "granular/granular_mixture.h"

static const shoal_granular_mixture_job how = {.density       = 1000.0f,
                                               .viscosity     = 1e-3f,
                                               .grain_density = 2650.0f,
                                               .packing       = 0.6f,
                                               .grain_size    = 1e-3f,
                                               .dt            = 5e-3f};

// A block of particles, all moving alike but for some noise.
static tank* some(shoal_d3 min, shoal_d3 max, shoal_v3 velocity, float fraction) {
    tank* t      = tank_make(shoal_d3_make(0, 0, 0), shoal_d3_make(0.4, 0.4, 0.4), 0.02, 2);
    int   stored = 0;
    tank_fill(t, min, max);
    for (int i = 0; i < t->count; i++) {
        if (tank_random(9, i) > fraction) continue;
        t->position[stored] = t->position[i];
        t->velocity[stored] = velocity;
        for (int axis = 0; axis < 3; axis++) {
            float* v = &t->velocity[stored].x;
            v[axis] += 0.2f * (tank_random((uint64_t)axis, i) - 0.5f);
        }
        stored++;
    }
    t->count = stored;
    return t;
}

typedef struct pair {
    tank *                 water, *sand;
    shoal_granular_mixture mixture;
} pair;

static pair pair_make(void) {
    pair  p       = {some(shoal_d3_make(0, 0, 0), shoal_d3_make(0.4, 0.3, 0.4), shoal_v3_make(0.5f, -0.2f, 0.1f), 0.4f),
                     some(shoal_d3_make(0, 0, 0), shoal_d3_make(0.4, 0.16, 0.4), shoal_v3_make(-0.1f, 0.3f, 0.0f), 1.0f),
                     {0}};
    tank* both[2] = {p.water, p.sand};
    for (int k = 0; k < 2; k++) tank_grid(both[k], 4);
    CHECK_OK(shoal_set_create(&(shoal_set_def){"contact", SHOAL_REBUILT, shoal_granular_contact_fields, 0, NULL},
                              &p.mixture.contact));
    CHECK_OK(shoal_granular_mixture_pair(&p.mixture, &p.water->mac, &p.sand->mac));
    for (int axis = 0; axis < 3; axis++) {
        p.water->view.weight[axis] = p.mixture.water[axis];
        p.sand->view.weight[axis]  = p.mixture.weight[axis];
    }
    for (int k = 0; k < 2; k++) {
        tank* t = both[k];
        shoal_mac_gather(&t->mac, &t->exec, &t->view);
        shoal_mac_solids(&t->mac, &t->exec, t->world, NULL);
        shoal_mac_count_solids(&t->mac, &t->exec, false);
        for (int axis = 0; axis < 3; axis++)
            memcpy(t->mac.old[axis], t->mac.u[axis], (size_t)tank_samples(t) * sizeof(float));
    }
    const shoal_exec* exec = &p.water->exec;
    shoal_granular_mixture_count(&p.mixture, &p.water->mac, &p.sand->mac, exec, &how);
    for (int k = 0; k < 2; k++) shoal_mac_level(&both[k]->mac, exec, SHOAL_MAC_GHOST);
    shoal_granular_mixture_begin(&p.mixture, &p.water->mac, &p.sand->mac, exec, &how);
    return p;
}

static void pair_free(pair* p) {
    shoal_set_destroy(p->mixture.contact);
    shoal_granular_mixture_free(&p->mixture);
    tank_free(p->water);
    tank_free(p->sand);
}

// Momentum and kinetic energy of both, of the particles that are there.
static void weigh(const pair* p, double momentum[3], double* energy) {
    const shoal_mac *water = &p->water->mac, *sand = &p->sand->mac;
    for (int axis = 0; axis < 3; axis++)
        for (int at = 0; at < tank_samples(p->water); at++) {
            int    other = p->mixture.to_sand[at >> 9];
            double n = (double)p->mixture.pores[axis][at], full = (double)p->mixture.water[axis][at],
                   w = (double)water->u[axis][at];
            double v = other < 0 ? 0.0 : (double)sand->u[axis][(other << 9) + (at & 511)];
            momentum[axis] += full * 1000.0 * w + (1.0 - n) * 2650.0 * v;
            *energy += 0.5 * (full * 1000.0 * w * w + (1.0 - n) * 2650.0 * v * v);
        }
}

// With a jump of the pressure on some faces: water gets its push, and grains that of their fraction below the surface.
static void drag_and_pressure_move_the_momentum_that_they_should_and_take_energy(void** state) {
    (void)state;
    pair              p     = pair_make();
    const shoal_exec* exec  = &p.water->exec;
    shoal_mac*        water = &p.water->mac;
    double before[3] = {0}, after[3] = {0}, pushed[3] = {0}, loaded[3] = {0}, wanted[3] = {0}, energy[3] = {0};
    weigh(&p, before, &energy[0]);
    for (int axis = 0; axis < 3; axis++)
        memset(water->known[axis], 0xff, 8 * (size_t)water->block_count * sizeof(uint64_t));
    shoal_granular_mixture_join(&p.mixture, water, exec, &how);
    shoal_granular_mixture_part(&p.mixture, water, &p.sand->mac, exec, &how);
    weigh(&p, after, &energy[1]);
    for (int axis = 0; axis < 3; axis++) CHECK_NEAR((after[axis] - before[axis]) / before[0], 0.0, 1e-6);
    printf("drag: momentum off by %.1g, kinetic energy %.2f of before\n", (after[0] - before[0]) / before[0],
           energy[1] / energy[0]);
    CHECK_BELOW(energy[1], 0.95 * energy[0]);

    shoal_granular_mixture_join(&p.mixture, water, exec, &how);
    for (int axis = 0; axis < 3; axis++)
        for (int at = 0; at < tank_samples(p.water); at++) {
            float jump = 0.1f * (tank_random((uint64_t)axis + 5, at) - 0.3f);
            water->u[axis][at] -= p.mixture.mobility[axis][at] * jump;
            double grains = 1.0 - (double)p.mixture.pores[axis][at];
            wanted[axis] -=
                1000.0 * ((double)p.mixture.water[axis][at] + grains * (double)p.mixture.wet[axis][at]) * (double)jump;
        }
    shoal_granular_mixture_part(&p.mixture, water, &p.sand->mac, exec, &how);
    weigh(&p, loaded, &energy[2]);
    for (int axis = 0; axis < 3; axis++) {
        pushed[axis] = loaded[axis] - after[axis];
        CHECK_NEAR(pushed[axis] / wanted[axis], 1.0, 1e-5);
    }
    pair_free(&p);
}

// The grains' contact as it was, and nothing new: water and sand at rest stay so.
static void what_is_carried_stays_at_rest(void** state) {
    (void)state;
    pair              p     = pair_make();
    const shoal_exec* exec  = &p.water->exec;
    shoal_mac *       water = &p.water->mac, *sand = &p.sand->mac;
    const float       fall    = -9.81f * how.dt;
    tank*             both[2] = {p.water, p.sand};
    for (int k = 0; k < 2; k++)
        for (int axis = 0; axis < 3; axis++)
            for (int at = 0; at < tank_samples(both[k]); at++) both[k]->mac.u[axis][at] = axis == 1 ? fall : 0.0f;
    for (int turn = 0; turn < 2; turn++) {
        shoal_granular_mixture_begin(&p.mixture, water, sand, exec, &how);
        for (int axis = 0; axis < 3; axis++)
            memset(water->known[axis], 0xff, 8 * (size_t)water->block_count * sizeof(uint64_t));
        if (turn == 1) break;
        // the weight under water
        for (int at = 0; at < tank_samples(p.sand); at++) sand->u[1][at] = p.mixture.free[1][at];
        shoal_granular_mixture_release(&p.mixture, sand, exec, &how);
        for (int at = 0; at < tank_samples(p.sand); at++) {
            sand->u[1][at] -= p.mixture.sand_mobility[1][at] * (1.0f - 1000.0f / 2650.0f) * fall;
            sand->known[1][at >> 6] = ~(uint64_t)0;
        }
        CHECK_OK(shoal_granular_mixture_touch(&p.mixture, sand, exec, &how));
        for (int at = 0; at < tank_samples(p.sand); at++) sand->u[1][at] = fall;
    }
    shoal_granular_mixture_join(&p.mixture, water, exec, &how);
    for (int at = 0; at < tank_samples(p.water); at++)
        water->u[1][at] -= p.mixture.mobility[1][at] * fall; // hydrostatic
    shoal_granular_mixture_part(&p.mixture, water, sand, exec, &how);
    for (int at = 0; at < tank_samples(p.water); at++) {
        if (p.mixture.pores[1][at] < 1.0f && p.mixture.wet[1][at] < 1.0f) continue;
        CHECK_NEAR((double)water->u[1][at], 0.0, 1e-6);
        if (p.mixture.pores[1][at] < 1.0f)
            CHECK_NEAR((double)sand->u[1][(p.mixture.to_sand[at >> 9] << 9) + (at & 511)], 0.0, 1e-6);
    }
    pair_free(&p);
}

static void grains_leave_the_pores_to_water(void** state) {
    (void)state;
    pair p = pair_make();
    for (int at = 0; at < tank_samples(p.water); at++) {
        shoal_v3 x = shoal_mac_place(&p.water->mac, at, 0.5f, 0.5f, 0.5f);
        if (x.x < 0.0f || x.x > 0.4f || x.z < 0.0f || x.z > 0.4f || x.y < 0.0f) continue;
        if (x.y < 0.13f) CHECK_NEAR((double)p.mixture.grains[at], 0.6, 1e-5);
        if (x.y > 0.19f) CHECK_NEAR((double)p.mixture.grains[at], 0.0, 1e-5);
        // 0.4 of the particles fill the pores of sand
        if (x.y < 0.11f) assert_true(shoal_mac_has(p.water->mac.liquid, at));
    }
    pair_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drag_and_pressure_move_the_momentum_that_they_should_and_take_energy),
        cmocka_unit_test(what_is_carried_stays_at_rest),
        cmocka_unit_test(grains_leave_the_pores_to_water),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
