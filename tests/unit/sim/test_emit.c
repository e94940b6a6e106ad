// SPDX-License-Identifier: MIT
// Bodies, streams, rain, refilled regions, sinks.
#include "by_hand.h"
#include <stdio.h>

#include "state/motion.h"

static shoal_shape* box(double x0, double y0, double z0, double x1, double y1, double z1) {
    shoal_shape* shape = NULL;
    assert_int_equal(shoal_shape_box(shoal_d3_make(x0, y0, z0), shoal_d3_make(x1, y1, z1), &shape), SHOAL_OK);
    return shape;
}

// Free flight as solvers integrate it: velocity first, then position.
static void fly(by_hand* h, double dt) {
    shoal_set* set      = h->sim.ctx.particles;
    shoal_v3 * position = shoal_set_data(set, "position"), *velocity = shoal_set_data(set, "velocity");
    shoal_v3   g = shoal_v3_from(h->description.gravity);
    for (int i = 0; i < set->count; i++) {
        velocity[i] = shoal_v3_add_scaled(velocity[i], g, (float)dt);
        position[i] = shoal_v3_add_scaled(position[i], velocity[i], (float)dt);
    }
}

static void step(by_hand* h, double* t, double dt) {
    assert_int_equal(shoal_sim_emit_streams(&h->sim, *t), SHOAL_OK);
    assert_int_equal(shoal_sim_emit_due(&h->sim, *t, dt), SHOAL_OK);
    assert_int_equal(shoal_sim_carry(&h->sim, dt), SHOAL_OK);
    fly(h, dt);
    shoal_sim_hold(&h->sim, dt);
    *t += dt;
    h->sim.clock.time = *t;
}

static double nearest_pair(const by_hand* h) {
    const shoal_v3* p       = by_hand_position(h);
    double          nearest = 1e30;
    for (int i = 0; i < by_hand_count(h); i++)
        for (int j = 0; j < i; j++) nearest = fmin(nearest, (double)shoal_v3_length(shoal_v3_sub(p[i], p[j])));
    return nearest;
}

// --- bodies

static void bodies_fill_in_order_with_their_velocity_and_spin(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.1, 2, 1, 1);
    shoal_body bodies[]      = {{.shape = box(0, 0, 0, 1, 1, 1), .velocity = {1, 2, 3}, .spin = {0, 0, 2}},
                                {.shape = box(1, 0, 0, 2, 1, 1), .material = 1}};
    h.description.bodies     = bodies;
    h.description.body_count = 2;
    by_hand_open(&h);

    const shoal_set* set      = h.sim.ctx.particles;
    const int32_t*   id       = shoal_set_data(set, "id");
    const uint8_t*   material = shoal_set_data(set, "material");
    const shoal_v3*  velocity = shoal_set_data(set, "velocity");
    const shoal_v3*  position = shoal_set_data(set, "position");
    assert_int_equal(set->count, 2000);
    assert_int_equal(h.sim.clock.next_id, 2000);
    assert_int_equal(h.sim.clock.emitted, 0);
    for (int i = 0; i < 2000; i++) {
        assert_int_equal(id[i], i);
        assert_int_equal(material[i], i / 1000);
        if (i >= 1000) continue;
        // spin x (x - centre) with the centre at (0.5, 0.5, 0.5)
        assert_true(fabsf(velocity[i].x - (1.0f - 2.0f * (position[i].y - 0.5f))) < 1e-5f);
        assert_true(fabsf(velocity[i].y - (2.0f + 2.0f * (position[i].x - 0.5f))) < 1e-5f);
        assert_true(velocity[i].z == 3.0f);
    }
    by_hand_close(&h);
    for (int b = 0; b < 2; b++) shoal_shape_destroy(bodies[b].shape);
}

static void a_site_in_two_bodies_gets_one_particle_of_the_first(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.1, 2, 1, 1);
    shoal_body bodies[]      = {{.shape = box(0, 0, 0, 1, 1, 1)}, {.shape = box(0.5, 0, 0, 1.5, 1, 1), .material = 1}};
    h.description.bodies     = bodies;
    h.description.body_count = 2;
    by_hand_open(&h);
    const uint8_t* material = shoal_set_data(h.sim.ctx.particles, "material");
    assert_int_equal(by_hand_count(&h), 1500);
    assert_int_equal(material[999], 0);
    assert_int_equal(material[1000], 1);
    by_hand_close(&h);
    for (int b = 0; b < 2; b++) shoal_shape_destroy(bodies[b].shape);
}

static shoal_emitter tap_of(int material, shoal_shape* shape, double from) {
    return (shoal_emitter){.kind     = SHOAL_EMIT_SHAPE,
                           .material = material,
                           .shape    = shape,
                           .velocity = {0, 0.5f, 0},
                           .from     = from,
                           .until    = (double)INFINITY};
}

// What is in an opening is a part of its stream: nothing of another material is put there, nor where it would be put
// out at once, 0.9 of a spacing beside and behind; unless the stream begins later.
static void bodies_are_not_filled_into_openings_of_other_streams(void** state) {
    (void)state;
    shoal_shape* shape  = box(0.2, 0.3, 0.2, 0.5, 0.5, 0.4);
    const int    left[] = {1000, 1000 - 74, 1000, 1000 - 74, 1000 - 36};
    for (int k = 0; k < 5; k++) {
        by_hand h;
        by_hand_tank(&h, 0.1, 1, 1, 1);
        shoal_body       body = {.shape = box(0, 0, 0, 1, 1, 1), .material = 1};
        shoal_motion_key key  = {.t = 0.0, .at = {0.3, 0.3, 0.3}, .axis = {0, 1, 0}};
        shoal_emitter    tap  = tap_of(k == 0, shape, k == 2 ? 0.5 : 0.0);
        if (k == 3) tap.key_count = 1, tap.keys = &key;
        if (k == 4) // two spacings of its way
            tap = (shoal_emitter){
                .kind = SHOAL_EMIT_DISC, .radius = 0.11, .at = {0.5, 0.5, 0.5}, .velocity = {0, 1, 0}, .until = 1.0};
        h.description.bodies        = &body;
        h.description.body_count    = 1;
        h.description.emitters      = &tap;
        h.description.emitter_count = 1;
        by_hand_open(&h);
        assert_int_equal(by_hand_count(&h), left[k]);
        by_hand_close(&h);
        shoal_shape_destroy(body.shape);
    }
    shoal_shape_destroy(shape);
}

static void a_new_particle_does_not_inherit_the_fields_of_a_removed_one(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.1, 2, 1, 1);
    by_hand_open(&h);
    by_hand_put(&h, 0.5, 0.5, 0.5);
    float* density = shoal_set_data(h.sim.ctx.particles, "density");
    density[0]     = 7.0f;
    shoal_set_remove(h.sim.ctx.particles, &h.sim.ctx.exec, (const uint8_t[]){1});
    by_hand_put(&h, 0.5, 0.5, 0.5);
    assert_true(density[0] == 0.0f);
    assert_int_equal(((int32_t*)shoal_set_data(h.sim.ctx.particles, "id"))[0], 1);
    by_hand_close(&h);
}

// --- disc

static shoal_emitter disc(double radius, shoal_v3 velocity) {
    return (shoal_emitter){
        .kind = SHOAL_EMIT_DISC, .radius = radius, .at = {0.5, 2, 0.5}, .velocity = velocity, .until = 1e30};
}

// Particles that a stream has given until t, of radius r and speed v.
static double given(double r, double v, double t, double d) { return SHOAL_PI * r * r * v * t / (d * d * d); }

static void streams_give_their_volume_and_stay_apart_for_awkward_steps(void** state) {
    (void)state;
    const double   steps[]    = {1.0 / 60, 0.0037, 0.0123456, 1.0 / 240, 0.016};
    const shoal_v3 velocity[] = {{1, 0, 0}, {0, -2, 0}, {0.7f, -0.3f, 0.5f}, {2, 0.5f, 0}};
    const double   d = 0.02, radii[] = {0.025, 0.047, 0.012, 0.09};
    for (int s = 0; s < 5; s++)
        for (int v = 0; v < 4; v++) {
            by_hand h;
            by_hand_tank(&h, d, 4, 4, 4);
            h.description.domain.is_given = false;
            shoal_emitter emitter         = disc(radii[v], velocity[v]);
            emitter.until                 = 0.25;
            h.description.emitters        = &emitter;
            h.description.emitter_count   = 1;
            by_hand_open(&h);
            double t = 0.0;
            while (t < 0.3) step(&h, &t, steps[s] * (1.0 + 0.3 * sin(100 * t)));
            double wanted = given(radii[v], (double)shoal_v3_length(velocity[v]), 0.25, d);
            assert_true(fabs(by_hand_count(&h) - wanted) <= 1.5 + 0.01 * wanted);
            assert_int_equal(h.sim.clock.emitted, by_hand_count(&h));
            assert_true(nearest_pair(&h) >= 0.98 * d);
            by_hand_close(&h);
        }
}

// Whatever the steps, without weight the same stream: the sample as it was made.
static void a_weightless_stream_does_not_depend_on_the_steps(void** state) {
    (void)state;
    shoal_v3 places[2][2000];
    int      counts[2];
    for (int k = 0; k < 2; k++) {
        by_hand h;
        by_hand_tank(&h, 0.02, 4, 4, 4);
        shoal_emitter emitter       = disc(0.05, shoal_v3_make(0.5f, -1.7f, 0.3f));
        emitter.from                = 0.013;
        emitter.until               = 0.17;
        h.description.emitters      = &emitter;
        h.description.emitter_count = 1;
        by_hand_open(&h);
        double t = 0.0;
        while (t < 0.3 - 1e-9) step(&h, &t, fmin(k == 0 ? 0.0071 * (1.0 + 0.5 * sin(31 * t)) : 0.05, 0.3 - t));
        counts[k] = by_hand_count(&h);
        memcpy(places[k], by_hand_position(&h), (size_t)counts[k] * sizeof(shoal_v3));
        by_hand_close(&h);
    }
    assert_int_equal(counts[0], counts[1]);
    assert_true(counts[0] > 250);
    for (int i = 0; i < counts[0]; i++) assert_true(shoal_v3_length(shoal_v3_sub(places[0][i], places[1][i])) < 1e-5f);
}

// No layers: along the flow the places are as even as chance has it, and no gap is left.
static void a_stream_has_no_layers_and_no_gaps(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.02, 4, 4, 4);
    shoal_emitter emitter       = disc(0.08, shoal_v3_make(0, 0, 1));
    h.description.emitters      = &emitter;
    h.description.emitter_count = 1;
    by_hand_open(&h);
    double t = 0.0;
    while (t < 1.0) step(&h, &t, 0.01);
    // the fraction of each tenth of a spacing, if there were layers; and each tenth of a spacing itself
    enum { BINS = 10, SLICES = 480 };
    int phase[BINS] = {0}, slice[SLICES] = {0};
    for (int i = 0; i < by_hand_count(&h); i++) {
        double z = ((double)by_hand_position(&h)[i].z - 0.5) / 0.02;
        phase[(int)(z * BINS) % BINS]++;
        if (z < 0.1 * SLICES) slice[(int)(z / 0.1)]++;
    }
    for (int b = 0; b < BINS; b++) assert_true(fabs(phase[b] * BINS / (double)by_hand_count(&h) - 1.0) < 0.5);
    for (int k = 2; k + 5 < SLICES; k++)
        assert_true(slice[k] + slice[k + 1] + slice[k + 2] + slice[k + 3] + slice[k + 4] > 0);
    by_hand_close(&h);
}

static void a_stream_is_held_until_it_is_out(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.02, 4, 4, 4);
    h.description.gravity       = shoal_d3_make(0, -9.81, 0);
    shoal_emitter emitter       = disc(0.05, shoal_v3_make(1, 0, 0));
    h.description.emitters      = &emitter;
    h.description.emitter_count = 1;
    by_hand_open(&h);
    double t = 0.0;
    while (t < 0.3) step(&h, &t, 0.0041);
    const shoal_set* set      = h.sim.ctx.particles;
    const uint8_t*   holder   = shoal_set_data(set, "holder");
    const shoal_v3*  velocity = shoal_set_data(set, "velocity");
    int              held     = 0;
    for (int i = 0; i < set->count; i++) {
        double way = (double)by_hand_position(&h)[i].x - 0.5;
        assert_int_equal(holder[i], way < 0.04);
        if (holder[i]) assert_true(velocity[i].x == 1.0f && velocity[i].y == 0.0f);
        held += holder[i];
        // beyond, free fall from where it was let go
        double age = way - 0.04;
        if (!holder[i]) assert_true(fabs((double)velocity[i].y + 9.81 * age) < 9.81 * 0.0061);
    }
    assert_true(fabs(held - given(0.05, 1, 0.04, 0.02)) < 10);
    by_hand_close(&h);
}

// Of what is within as a stream begins, its own material becomes a part of it. The rest is put out: by the shortest
// way, or ahead of the stream, where that leads into a wall.
static void a_stream_takes_over_its_own_material_alone(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.1, 1, 2, 1);
    h.description.gravity       = shoal_d3_make(0, 0, 0);
    shoal_shape*  shape         = box(0, 0, 0, 1, 0.4, 1);
    shoal_emitter tap           = tap_of(0, shape, 0.0);
    h.description.emitters      = &tap;
    h.description.emitter_count = 1;
    by_hand_open(&h);
    by_hand_put(&h, 0.5, 0.15, 0.5);
    for (int k = 0; k < 2; k++)
        assert_int_equal(shoal_sim_append(&h.sim, 1, shoal_v3_make(k == 0 ? 0.05f : 0.5f, 0.15f, 0.25f), (shoal_v3){0}),
                         SHOAL_OK);
    double t = 0.0;
    for (int k = 0; k < 10; k++) step(&h, &t, 0.02);
    const uint8_t* holder = shoal_set_data(h.sim.ctx.particles, "holder");
    assert_int_equal(holder[0], 1);
    for (int k = 0; k < 3; k++) {
        if (k > 0) assert_int_equal(holder[k], 0);
        // held from the end of the first substep on
        assert_true(fabsf(by_hand_position(&h)[k].y - 0.15f - 0.5f * (float)(k == 0 ? t - 0.02 : t)) < 1e-5f);
    }
    by_hand_close(&h);
    shoal_shape_destroy(shape);
}

static void a_stream_does_not_enter_walls_colliders_or_taken_places(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.1, 4, 4, 4);
    shoal_emitter  emitter       = disc(0.5, shoal_v3_make(1, 0, 0));
    shoal_obstacle rock          = {.shape = box(0, 2, 0, 1, 3, 1)};
    emitter.at                   = shoal_d3_make(0.5, 2, 0);
    h.description.emitters       = &emitter;
    h.description.emitter_count  = 1;
    h.description.obstacles      = &rock;
    h.description.obstacle_count = 1;
    by_hand_open(&h);
    assert_int_equal(shoal_sim_emit_streams(&h.sim, 0.2), SHOAL_OK);
    assert_true(by_hand_count(&h) > 20 && by_hand_count(&h) < given(0.5, 1, 0.2, 0.1) / 4);
    for (int i = 0; i < by_hand_count(&h); i++)
        assert_true(by_hand_position(&h)[i].y < 1.951f && by_hand_position(&h)[i].z > 0.049f);
    by_hand_close(&h);
    shoal_shape_destroy(rock.shape);

    by_hand_tank(&h, 0.1, 4, 4, 4);
    emitter                     = disc(0.5, shoal_v3_make(1, 0, 0));
    h.description.emitters      = &emitter;
    h.description.emitter_count = 1;
    by_hand_open(&h);
    by_hand_block(&h, shoal_d3_make(0.2, 1.2, 0.0), 6, 16, 10);
    int before = by_hand_count(&h);
    assert_int_equal(shoal_sim_emit_streams(&h.sim, 0.2), SHOAL_OK);
    assert_int_equal(by_hand_count(&h), before);
    by_hand_close(&h);
}

// An opening flush with a wall lets in where the wall has left room for particles.
static void an_opening_in_a_wall_gives_its_whole_volume(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.02, 1, 1, 1);
    shoal_emitter emitter       = disc(0.1, shoal_v3_make(2, 0, 0));
    emitter.at                  = shoal_d3_make(0, 0.5, 0.5);
    emitter.until               = 0.2;
    h.description.emitters      = &emitter;
    h.description.emitter_count = 1;
    by_hand_open(&h);
    double t = 0.0;
    while (t < 0.25) step(&h, &t, 0.003);
    assert_true(fabs(by_hand_count(&h) / given(0.1, 2, 0.2, 0.02) - 1.0) < 0.01);
    by_hand_close(&h);
}

// A shape with a velocity is an opening too: its section across the velocity counts.
static void shapes_with_a_velocity_give_their_volume(void** state) {
    (void)state;
    const shoal_v3 velocity[] = {{1.5f, 0, 0}, {1, -1, 0.5f}};
    for (int k = 0; k < 4; k++) {
        by_hand h;
        by_hand_tank(&h, 0.02, 4, 4, 4);
        shoal_shape* shape = NULL;
        if (k < 2)
            shape = box(1, 2, 1, 1.1, 2.13, 1.17);
        else
            assert_int_equal(shoal_shape_sphere(0.1, &shape), SHOAL_OK);
        if (k >= 2)
            assert_int_equal(shoal_shape_place(shape, shoal_d3_make(1, 1, 1), (shoal_quat){0, 0, 0, 1},
                                               shoal_d3_make(1, 2, 1), &shape),
                             SHOAL_OK);
        shoal_emitter emitter  = {.kind = SHOAL_EMIT_SHAPE, .shape = shape, .velocity = velocity[k % 2], .until = 0.3};
        h.description.emitters = &emitter;
        h.description.emitter_count = 1;
        by_hand_open(&h);
        double t = 0.0, v = (double)shoal_v3_length(velocity[k % 2]);
        while (t < 0.5) step(&h, &t, 0.005);
        // of a box, the sum of its faces times the velocity through them
        double box_flow = 0.13 * 0.17 * fabs((double)velocity[k % 2].x) + 0.1 * 0.17 * fabs((double)velocity[k % 2].y) +
                          0.1 * 0.13 * fabs((double)velocity[k % 2].z);
        double wanted = (k < 2 ? box_flow : SHOAL_PI * 0.01 * v) * 0.3 / 8e-6;
        assert_true(fabs(by_hand_count(&h) / wanted - 1.0) < 0.01);
        assert_true(nearest_pair(&h) > 0.9 * 0.02);
        by_hand_close(&h);
        shoal_shape_destroy(shape);
    }
}

// Where a stream of one line would be: each of its parts flies on as it was let go, two spacings out of the opening.
static double off_the_path(const shoal_emitter* e, double held, double t, shoal_d3 at) {
    double best = 1e30;
    for (int k = 0; k <= 2000; k++) {
        double            then  = t * k / 2000.0;
        shoal_motion_pose pose  = shoal_motion_at(e->keys, e->key_count, then);
        shoal_d3          along = shoal_quat_rotate(pose.rotation, shoal_d3_from(e->velocity)),
                 out            = shoal_motion_place(
                                &pose, shoal_d3_scale(shoal_d3_from(e->velocity), held / (double)shoal_v3_length(e->velocity))),
                 u = shoal_d3_add(along, shoal_motion_velocity(&pose, out));
        best       = fmin(best, shoal_d3_length(shoal_d3_sub(at, shoal_d3_add(out, shoal_d3_scale(u, t - then)))));
    }
    return best;
}

// A hose that is swung and turned, in steps that are not those of its keys: no particle is missing, and
// all lie where they were thrown.
static void a_tap_that_moves_throws_its_volume_along_its_own_way(void** state) {
    (void)state;
    const double     d = 0.02, r = 0.05, speed = 2.0, steps[] = {1.0 / 240, 0.0123456, 1.0 / 60, 0.05};
    shoal_motion_key keys[] = {{.t = 0.0, .at = {0.2, 0.1, 0.3}, .axis = {0.6, 0, 0.8}, .degrees = 20},
                               {.t = 0.2, .at = {0.5, 0.2, 0.2}, .axis = {0.6, 0, 0.8}, .degrees = 70},
                               {.t = 0.4, .at = {0.6, 0.0, 0.2}, .axis = {0.6, 0, 0.8}, .degrees = 40}};
    for (int s = 0; s < 4; s++) {
        by_hand h;
        by_hand_tank(&h, d, 1, 1, 1);
        h.description.domain.is_given = false;
        shoal_emitter e               = disc(r, shoal_v3_make(0, (float)-speed, 0));
        e.at                          = shoal_d3_make(0.0, 0.0, 0.0);
        e.keys                        = keys;
        e.key_count                   = 3;
        h.description.emitters        = &e;
        h.description.emitter_count   = 1;
        by_hand_open(&h);
        double t = 0.0, most = 0.0;
        while (t < 0.35) step(&h, &t, steps[s]);
        assert_int_equal(shoal_sim_emit_streams(&h.sim, t), SHOAL_OK);
        assert_true(fabs(by_hand_count(&h) / given(r, speed, t, d) - 1.0) < 0.01);
        for (int i = 0; i < by_hand_count(&h); i++)
            most = fmax(most, off_the_path(&e, 2.0 * d, t, shoal_d3_from(by_hand_position(&h)[i])));
        printf("steps of %.4f s: %d particles, the farthest %.3f radii off the path\n", steps[s], by_hand_count(&h),
               most / r);
        assert_true(most < 1.25 * r); // its sides part, since they move with the tap, too

        by_hand_close(&h);
    }
}

static void discs_without_speed_or_of_absurd_size_are_refused(void** state) {
    (void)state;
    const shoal_emitter bad[] = {disc(0.1, shoal_v3_make(0, 0, 0)), disc(1e9, shoal_v3_make(1, 0, 0)),
                                 disc(0.1, shoal_v3_make(1e20f, 0, 0))};
    for (int b = 0; b < 3; b++) {
        by_hand h;
        by_hand_tank(&h, 0.1, 4, 4, 4);
        by_hand_open(&h);
        shoal_emitter emitter       = bad[b];
        h.description.emitters      = &emitter;
        h.description.emitter_count = 1;
        assert_int_equal(shoal_sim_fill(&h.sim), SHOAL_ERR_INPUT);
        by_hand_close(&h);
    }
}

// --- rain

static shoal_emitter rain(double rate) {
    return (shoal_emitter){.kind     = SHOAL_EMIT_RAIN,
                           .min      = {0, 1.9, 0},
                           .max      = {3, 2, 0.8},
                           .rate     = rate,
                           .velocity = {0, -3, 0},
                           .until    = 1e30};
}

static void rain_gives_rate_times_time_drops_whatever_the_step(void** state) {
    (void)state;
    const double steps[] = {1.0 / 60, 1.0 / 240, 0.01, 1.0 / 7};
    for (int s = 0; s < 4; s++) {
        by_hand h;
        by_hand_tank(&h, 0.02, 3, 2, 0.8);
        shoal_emitter emitter       = rain(500);
        emitter.from                = 0.5;
        emitter.until               = 1.75;
        h.description.emitters      = &emitter;
        h.description.emitter_count = 1;
        by_hand_open(&h);
        double t = 0.0;
        for (int k = 0; k < (int)lrint(2.0 / steps[s]); k++) step(&h, &t, steps[s]);
        assert_int_equal(by_hand_count(&h), 625);
        assert_int_equal(h.sim.clock.emitted, 625);
        by_hand_close(&h);
    }
}

static void drops_fall_in_their_box_and_keep_their_distance(void** state) {
    (void)state;
    static const float widths[] = {3.0f, 0.3f}; // in the narrow one most are beside a wall
    for (int k = 0; k < 2; k++) {
        by_hand h;
        by_hand_tank(&h, 0.1, (double)widths[k], 2, 0.8);
        by_hand_periodic(&h, 0);
        shoal_emitter emitter       = rain(200);
        h.description.emitters      = &emitter;
        h.description.emitter_count = 1;
        by_hand_open(&h);
        assert_int_equal(shoal_sim_emit_due(&h.sim, 0.0, 0.5), SHOAL_OK);
        const shoal_v3* p = by_hand_position(&h);
        assert_true(by_hand_count(&h) > (k ? 7 : 60));
        for (int i = 0; i < by_hand_count(&h); i++) {
            assert_true(p[i].x >= 0 && p[i].x <= widths[k] && p[i].y >= 1.9f && p[i].y <= 2 && p[i].z >= 0 &&
                        p[i].z <= 0.8f);
            for (int j = 0; j < i; j++) {
                shoal_v3 away = shoal_v3_sub(p[i], p[j]);
                away.x -= widths[k] * nearbyintf(away.x / widths[k]); // the box is periodic along x
                assert_true(shoal_v3_length(away) >= 0.09f - 1e-5f);
            }
        }
        by_hand_close(&h);
    }
}

static void drops_without_a_place_stay_owed(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.1, 3, 2, 0.8);
    shoal_emitter emitter       = rain(100);
    emitter.min                 = shoal_d3_make(0.5, 1.95, 0.4); // room for one
    emitter.max                 = shoal_d3_make(0.52, 1.95, 0.4);
    h.description.emitters      = &emitter;
    h.description.emitter_count = 1;
    by_hand_open(&h);
    assert_int_equal(shoal_sim_emit_due(&h.sim, 0.0, 0.1), SHOAL_OK);
    assert_int_equal(by_hand_count(&h), 1);
    assert_true(fabs(h.states[0].due - 9.0) < 1e-9);
    by_hand_position(&h)[0].y = 0.5f;
    assert_int_equal(shoal_sim_emit_due(&h.sim, 0.1, 1e-6), SHOAL_OK);
    assert_int_equal(by_hand_count(&h), 2);
    by_hand_close(&h);
}

// --- refilled regions

static void a_region_fills_its_free_sites_and_no_others(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.1, 2, 2, 1);
    shoal_emitter emitter       = {.kind = SHOAL_EMIT_SHAPE, .shape = box(0, 0, 0, 0.5, 1, 1), .until = 1e30};
    h.description.emitters      = &emitter;
    h.description.emitter_count = 1;
    by_hand_open(&h);
    assert_int_equal(by_hand_count(&h), 0);
    assert_int_equal(shoal_sim_emit_due(&h.sim, 0.0, 0.01), SHOAL_OK);
    assert_int_equal(by_hand_count(&h), 500);
    assert_int_equal(shoal_sim_emit_due(&h.sim, 0.0, 0.01), SHOAL_OK);
    assert_int_equal(by_hand_count(&h), 500);
    for (int i = 0; i < 500; i++) by_hand_position(&h)[i].x += 0.08f;
    assert_int_equal(shoal_sim_emit_due(&h.sim, 0.08, 0.01), SHOAL_OK);
    assert_int_equal(by_hand_count(&h), 500); // 0.08 is too near
    for (int i = 0; i < 500; i++) by_hand_position(&h)[i].x += 0.02f;
    assert_int_equal(shoal_sim_emit_due(&h.sim, 0.1, 0.01), SHOAL_OK);
    assert_int_equal(by_hand_count(&h), 600); // the row at the wall has moved on
    assert_true(nearest_pair(&h) > 0.0999);
    by_hand_close(&h);
    shoal_shape_destroy(emitter.shape);
}

// --- saving

static void saved_emitters_go_on_with_the_same_particles(void** state) {
    (void)state;
    by_hand a, b;
    by_hand_tank(&a, 0.02, 3, 3, 0.8);
    a.description.seed          = 7;
    shoal_motion_key keys[]     = {{.t = 0.1, .at = {1.5, 1.5, 0.4}, .axis = {0, 0, 1}},
                                   {.t = 0.3, .at = {1.8, 1.6, 0.4}, .axis = {0, 0, 1}, .degrees = 80}};
    shoal_emitter    emitters[] = {disc(0.05, shoal_v3_make(1, 0, 0)), rain(333), disc(0.04, shoal_v3_make(0, -1, 0))};
    emitters[2].at              = shoal_d3_make(0.0, 0.0, 0.0);
    emitters[2].keys            = keys;
    emitters[2].key_count       = 2;
    a.description.emitters      = emitters;
    a.description.emitter_count = 3;
    b                           = a;
    by_hand_open(&a);
    by_hand_open(&b);
    double t = 0.0;
    for (int k = 0; k < 20; k++) step(&a, &t, 0.0113);

    // all that a checkpoint keeps
    shoal_set *from = a.sim.ctx.particles, *to = b.sim.ctx.particles;
    assert_int_equal(shoal_set_reserve(to, from->count), SHOAL_OK);
    for (int f = 0; f < from->field_count; f++)
        memcpy(to->fields[f].data, from->fields[f].data,
               (size_t)from->count * shoal_type_size(from->fields[f].def.type));
    to->count   = from->count;
    b.sim.clock = a.sim.clock;
    memcpy(b.states, a.states, sizeof a.states);

    double u = t;
    for (int k = 0; k < 20; k++) step(&a, &t, 0.0113), step(&b, &u, 0.0113);
    assert_true(by_hand_count(&a) > 200);
    assert_int_equal(by_hand_count(&a), by_hand_count(&b));
    assert_memory_equal(by_hand_position(&a), by_hand_position(&b), (size_t)by_hand_count(&a) * sizeof(shoal_v3));
    assert_memory_equal(&a.sim.clock, &b.sim.clock, sizeof a.sim.clock);
    by_hand_close(&a);
    by_hand_close(&b);
}

// --- removal

static void sinks_and_the_far_outside_take_particles_and_count_them(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.1, 1, 2, 1);
    by_hand_periodic(&h, 2);
    shoal_sink sink          = {box(0, 0, 0, 0.5, 0.1, 1)};
    h.description.sinks      = &sink;
    h.description.sink_count = 1;
    by_hand_open(&h);
    by_hand_put(&h, 0.2, 0.05, 0.5); // sink
    by_hand_put(&h, 0.2, 0.15, 0.5); // above it
    by_hand_put(&h, 0.2, 3.9, 0.5);  // outside, may fall back
    by_hand_put(&h, 0.2, 4.1, 0.5);  // left through the open top
    by_hand_put(&h, 2.1, 1, 0.5);    // left
    by_hand_put(&h, 0.7, 0.05, 2.5); // periodic axes are wrapped elsewhere
    by_hand_put(&h, 0.4, 0.01, 0.9); // sink
    assert_int_equal(shoal_sim_drain(&h.sim, 0.0), SHOAL_OK);
    assert_int_equal(h.sim.clock.removed[SHOAL_REASON_sink], 2);
    assert_int_equal(h.sim.clock.removed[SHOAL_REASON_left], 2);
    const int32_t* id     = shoal_set_data(h.sim.ctx.particles, "id");
    const int32_t  left[] = {1, 2, 5};
    assert_int_equal(by_hand_count(&h), 3);
    assert_memory_equal(id, left, sizeof left);
    by_hand_close(&h);
    shoal_shape_destroy(sink.shape);
}

static void without_a_domain_nothing_ever_leaves(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.1, 1, 1, 1);
    h.description.domain.is_given = false;
    by_hand_open(&h);
    by_hand_put(&h, 1e9, -1e9, 0);
    assert_int_equal(shoal_sim_drain(&h.sim, 0.0), SHOAL_OK);
    assert_int_equal(by_hand_count(&h), 1);
    by_hand_close(&h);
}

static void steady_emission_allocates_nothing(void** state) {
    (void)state;
    by_hand h;
    by_hand_tank(&h, 0.02, 3, 2, 0.8);
    shoal_emitter emitters[]    = {disc(0.05, shoal_v3_make(0, -4, 0)), rain(500)};
    shoal_sink    sink          = {box(0, 0, 0, 3, 1.5, 0.8)};
    h.description.emitters      = emitters;
    h.description.emitter_count = 2;
    h.description.sinks         = &sink;
    h.description.sink_count    = 1;
    by_hand_open(&h);
    double  t      = 0.0;
    int64_t before = 0;
    for (int k = 0; k < 400; k++) {
        if (k == 200) before = shoal_memory_calls();
        step(&h, &t, 0.004);
        assert_int_equal(shoal_sim_drain(&h.sim, 0.0), SHOAL_OK);
    }
    assert_true(h.sim.clock.emitted > 3000 && h.sim.clock.removed[SHOAL_REASON_sink] > 2000);
    assert_int_equal(shoal_memory_calls(), before);
    by_hand_close(&h);
    shoal_shape_destroy(sink.shape);
}

// --- arriving

typedef struct seen {
    int   arrivals, items, of_bodies, by_emitters;
    int   first; // of the last
    float rest;  // sum of what their own field held when they were told of
} seen;

static shoal_status note_arrival(void* self, const shoal_arrival* arrival) {
    seen*        s       = self;
    const float* density = shoal_set_data(arrival->set, "density");
    s->arrivals++;
    s->items += arrival->count;
    s->first = arrival->first;
    *(arrival->body ? &s->of_bodies : &s->by_emitters) += arrival->count;
    assert_int_equal(arrival->first + arrival->count, arrival->set->count);
    for (int i = arrival->first; i < arrival->set->count; i++) s->rest += density[i];
    return SHOAL_OK;
}

static void each_who_comes_is_reported_of_once(void** state) {
    (void)state;
    const shoal_solver_type type = {.name = "seer", .arrive = note_arrival};
    seen                    s    = {0};
    by_hand                 h;
    by_hand_tank(&h, 0.1, 1, 2, 1);
    shoal_body    bodies[]      = {{.shape = box(0, 0, 0, 0.5, 0.2, 0.5)}, {.shape = box(0.5, 0, 0.5, 1, 0.2, 1)}};
    shoal_emitter emitters[]    = {rain(40)};
    h.description.bodies        = bodies;
    h.description.body_count    = 2;
    h.description.emitters      = emitters;
    h.description.emitter_count = 1;
    h.sim.type                  = &type;
    h.sim.self                  = &s;
    by_hand_open(&h);
    assert_int_equal(s.arrivals, 2);
    assert_int_equal(s.of_bodies, 2 * 50);
    assert_int_equal(by_hand_count(&h), 2 * 50);
    for (int k = 0; k < 4; k++) {
        int before = by_hand_count(&h);
        shoal_set_mark(h.sim.ctx.particles);
        assert_int_equal(shoal_sim_emit_due(&h.sim, 0.1 * k, 0.1), SHOAL_OK);
        assert_int_equal(shoal_sim_announce(&h.sim), SHOAL_OK);
        assert_int_equal(s.first, before);
        for (int i = before; i < by_hand_count(&h); i++)
            ((float*)shoal_set_data(h.sim.ctx.particles, "density"))[i] = 1.0f;
    }
    assert_int_equal(s.by_emitters, h.sim.clock.emitted);
    assert_int_equal(s.items, by_hand_count(&h));
    assert_true(s.rest == 0.0f);
    by_hand_close(&h);
    for (int b = 0; b < 2; b++) shoal_shape_destroy(bodies[b].shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_fill_in_order_with_their_velocity_and_spin),
        cmocka_unit_test(a_site_in_two_bodies_gets_one_particle_of_the_first),
        cmocka_unit_test(bodies_are_not_filled_into_openings_of_other_streams),
        cmocka_unit_test(a_stream_takes_over_its_own_material_alone),
        cmocka_unit_test(a_new_particle_does_not_inherit_the_fields_of_a_removed_one),
        cmocka_unit_test(streams_give_their_volume_and_stay_apart_for_awkward_steps),
        cmocka_unit_test(a_weightless_stream_does_not_depend_on_the_steps),
        cmocka_unit_test(a_stream_has_no_layers_and_no_gaps),
        cmocka_unit_test(a_stream_is_held_until_it_is_out),
        cmocka_unit_test(a_stream_does_not_enter_walls_colliders_or_taken_places),
        cmocka_unit_test(an_opening_in_a_wall_gives_its_whole_volume),
        cmocka_unit_test(shapes_with_a_velocity_give_their_volume),
        cmocka_unit_test(a_tap_that_moves_throws_its_volume_along_its_own_way),
        cmocka_unit_test(discs_without_speed_or_of_absurd_size_are_refused),
        cmocka_unit_test(rain_gives_rate_times_time_drops_whatever_the_step),
        cmocka_unit_test(drops_fall_in_their_box_and_keep_their_distance),
        cmocka_unit_test(drops_without_a_place_stay_owed),
        cmocka_unit_test(a_region_fills_its_free_sites_and_no_others),
        cmocka_unit_test(saved_emitters_go_on_with_the_same_particles),
        cmocka_unit_test(sinks_and_the_far_outside_take_particles_and_count_them),
        cmocka_unit_test(without_a_domain_nothing_ever_leaves),
        cmocka_unit_test(steady_emission_allocates_nothing),
        cmocka_unit_test(each_who_comes_is_reported_of_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
