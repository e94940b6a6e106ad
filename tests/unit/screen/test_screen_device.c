// SPDX-License-Identifier: MIT
// A device draws the picture of the CPU, bit by bit: the mirror stands for a card.
#include "unit/check.h"

#include "exec/device.h"
#include "screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { W = 213, H = 117, BALLS = 300, DROPS = 4000, PANES = 40, KINDS = 6 }; // no edge is a whole number of tiles

static float random_unit(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f;
}

static shoal_v3 random_place(unsigned* seed, float size) {
    float x = random_unit(seed) - 0.5f, y = random_unit(seed) - 0.5f, z = random_unit(seed) - 0.5f;
    return shoal_v3_make(size * x, size * y, size * z);
}

typedef struct things {
    screen_splat    balls[BALLS], drops[DROPS];
    screen_triangle panes[PANES];
} things;

static void strew(things* t, float reach) {
    unsigned seed = 5;
    for (int i = 0; i < BALLS; i++)
        t->balls[i] =
            screen_ball(random_place(&seed, 2.0f), 0.01f + 0.1f * random_unit(&seed), shoal_v3_make(0.6f, 0.5f, 0.3f));
    for (int i = 0; i < DROPS; i++) {
        screen_splat* s = &t->drops[i];
        *s              = screen_ball(random_place(&seed, 1.5f), reach, shoal_v3_make(3.0f, 1.0f, 0.4f));
        s->shape.yy *= 1.0f + 3.0f * random_unit(&seed);
        s->shape.xy = 0.3f * s->shape.xx * (random_unit(&seed) - 0.5f);
        s->fraction = 0.3f;
        s->body     = i % 2;
    }
    for (int i = 0; i < PANES; i++) { // some reach behind the eye
        screen_triangle* p  = &t->panes[i];
        shoal_v3         at = random_place(&seed, 4.0f);
        for (int k = 0; k < 3; k++) {
            p->corner[k] = shoal_v3_add(at, random_place(&seed, i < 4 ? 6.0f : 0.5f));
            p->normal[k] = shoal_v3_make(0.0f, 1.0f, 0.0f);
        }
        p->color    = shoal_v3_make(0.4f, 0.4f, 0.6f);
        p->is_clear = i % 3 == 0;
    }
}

static screen_scene scene_of(int kind) {
    screen_scene s = {
        .camera = {{0.1f, 0.3f, -2.2f},
                   {0.8f, 0.0f, 0.6f},
                   {-0.12f, 0.979796f, 0.16f},
                   {-0.587878f, -0.2f, 0.783837f},
                   0.6f,
                   0.6f * H / W},
        .lights =
            {{0.2f, 0.4f, 0.7f}, {0.7f, 0.9f, 1.1f}, {0.3f, 0.3f, 0.3f}, 1.0f, {0.0f, 0.8f, 0.6f}, {2.0f, 2.0f, 1.8f}},
        .ground         = {1, -1.0f, 0.3f, {0.0f, 0.0f, 0.0f}, 2.0f, {0.3f, 0.3f, 0.3f}, {0.2f, 0.2f, 0.2f}},
        .spacing        = 0.08f,
        .ior            = 1.333f,
        .smooth_radius  = 4.0f,
        .smooth_steps   = 7,
        .body_count     = 2,
        .has_occlusion  = kind != 1,
        .has_shadows    = kind != 4,
        .ball_count     = kind == 2 ? 0 : BALLS,
        .triangle_count = kind == 3 ? 0 : PANES,
        .liquid_count   = kind == 0 ? 0 : DROPS,
        .level          = kind >= 4 ? 0.4f : 0.0f,
        .smoothing      = kind == 1 ? SCREEN_SMOOTH_CURVATURE : SCREEN_SMOOTH_NARROW};
    return s;
}

static void* sent(shoal_device* device, const void* near, size_t bytes) {
    void* far = shoal_far_alloc(device, 1, bytes);
    assert_non_null(far);
    device->send(device, far, near, bytes);
    return far;
}

// Solids alone; curvature flow; no balls; no triangles; metaballs; metaballs of which a ray is within hundreds.
static void a_device_draws_the_picture_of_the_cpu(void** state) {
    (void)state;
    shoal_exec here = shoal_exec_make(2), there = here;
    shoal_v3 * light = calloc(W * H, sizeof *light), *other = calloc(W * H, sizeof *other);
    things*    t = calloc(1, sizeof *t);
    CHECK_OK(shoal_device_open("mirror", &there.device));
    for (int kind = 0; kind < KINDS; kind++) {
        screen_scene scene = scene_of(kind);
        screen *     s, *far;
        strew(t, kind == 4 ? 0.1f : kind == 5 ? 0.7f : 0.06f);
        scene.balls     = t->balls;
        scene.liquid    = t->drops;
        scene.triangles = t->panes;
        CHECK_OK(screen_create(&here, W, H, &s));
        CHECK_OK(screen_draw(s, &scene, light));

        things*   t_far     = sent(there.device, t, sizeof *t);
        shoal_v3* light_far = shoal_far_alloc(there.device, W * H, sizeof *light_far);
        scene.balls         = t_far->balls;
        scene.liquid        = t_far->drops;
        scene.triangles     = t_far->panes;
        CHECK_OK(screen_create(&there, W, H, &far));
        for (int round = 0; round < 2; round++) { // memory is kept, and what was there is gone
            CHECK_OK(screen_draw(far, &scene, light_far));
            memset(other, 0xff, W * H * sizeof *other);
            there.device->fetch(there.device, other, light_far, W * H * sizeof *other);
            assert_memory_equal(light, other, W * H * sizeof *light);
        }
        assert_memory_equal(screen_seen(s).solid, screen_seen(far).solid, W * H * sizeof(uint64_t));
        if (scene.liquid_count > 0)
            assert_memory_equal(screen_seen(s).liquid, screen_seen(far).liquid, W * H * sizeof(uint64_t));
        uint64_t solid, liquid;
        screen_keys_at(far, W / 2, H / 2, &solid, &liquid);
        assert_true(solid == screen_seen(s).solid[H / 2 * W + W / 2]);

        shoal_far_free(there.device, light_far);
        shoal_far_free(there.device, t_far);
        screen_destroy(far);
        screen_destroy(s);
    }
    shoal_device_close(there.device);
    free(t);
    free(other);
    free(light);
}

// Wherever it fails, a sentence says so, and nothing is written out of bounds.
static void a_device_that_fails_says_so(void** state) {
    (void)state;
    things* t        = calloc(1, sizeof *t);
    int     failures = 0;
    strew(t, 0.1f);
    for (int call = 1; call < 120; call++) {
        shoal_exec   there = shoal_exec_make(1);
        screen_scene scene = scene_of(4);
        char         name[32];
        screen*      far = NULL;
        scene.balls      = t->balls; // of a mirror, which reads what is here
        scene.liquid     = t->drops;
        scene.triangles  = t->panes;
        snprintf(name, sizeof name, "mirror:%d", call);
        CHECK_OK(shoal_device_open(name, &there.device));
        shoal_v3*    light  = shoal_far_alloc(there.device, W * H, sizeof *light);
        shoal_status status = light ? screen_create(&there, W, H, &far) : SHOAL_ERR_INTERNAL;
        if (status == SHOAL_OK) status = screen_draw(far, &scene, light);
        failures += status != SHOAL_OK;
        screen_destroy(far);
        shoal_far_free(there.device, light);
        shoal_device_close(there.device);
    }
    assert_true(failures > 20 && failures < 119);
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_device_draws_the_picture_of_the_cpu),
                                       cmocka_unit_test(a_device_that_fails_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
