// SPDX-License-Identifier: MIT
// Metaballs are seen where their field first has its level, which is the surface that the mesher makes of it.
#include "unit/check.h"

#include "screen/screen.h"
#include "surface/surface.h"

#include <math.h>
#include <stdlib.h>

enum { W = 120, H = 90 };

static float random_unit(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f;
}

// Looks at `middle` along a way that follows no axis.
static screen_camera camera_at(shoal_v3 middle, float far, float across) {
    shoal_v3 forward = screen_unit(shoal_v3_make(0.3f, -0.5f, 0.8f)), up = shoal_v3_make(0.0f, 1.0f, 0.0f);
    shoal_v3 right = screen_unit(shoal_v3_cross(forward, up));
    return (screen_camera){shoal_v3_add_scaled(middle, forward, -far),
                           right,
                           shoal_v3_cross(right, forward),
                           forward,
                           across,
                           across * H / W};
}

static screen_scene scene_of(const screen_camera* c, float spacing, const screen_splat* balls, int count) {
    return (screen_scene){
        .camera = *c,
        .lights =
            {{0.2f, 0.4f, 0.7f}, {0.7f, 0.9f, 1.1f}, {0.3f, 0.3f, 0.3f}, 1.0f, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 0.0f}},
        .spacing      = spacing,
        .ior          = 1.333f,
        .liquid       = balls,
        .liquid_count = count,
        .level        = 0.5f,
        .body_count   = 1};
}

// The sum at a depth behind a pixel, in doubles.
static double field_at(const screen_camera* c, const screen_splat* balls, int count, int body, int x, int y,
                       double depth) {
    double px = (double)screen_ray_x(c, W, x), py = (double)screen_ray_y(c, H, y), sum = 0.0;
    double right[3] = {(double)c->right.x, (double)c->right.y, (double)c->right.z},
           up[3]    = {(double)c->up.x, (double)c->up.y, (double)c->up.z},
           ahead[3] = {(double)c->forward.x, (double)c->forward.y, (double)c->forward.z},
           eye[3]   = {(double)c->eye.x, (double)c->eye.y, (double)c->eye.z};
    for (int i = 0; i < count; i++) {
        double at[3] = {(double)balls[i].center.x, (double)balls[i].center.y, (double)balls[i].center.z}, t = 1.0;
        if (balls[i].body != body) continue;
        for (int k = 0; k < 3; k++) {
            double d = eye[k] + depth * (px * right[k] + py * up[k] + ahead[k]) - at[k];
            t -= d * d * (double)balls[i].shape.xx;
        }
        sum += t > 0.0 ? t * t * t : 0.0;
    }
    return sum;
}

static void the_field_has_its_level_where_it_is_seen_first(void** state) {
    (void)state;
    enum { N = 40 };
    const float  scales[] = {0.01f, 1.0f, 300.0f}; // a cup, a tank, a harbour
    const double level    = 0.5;
    shoal_exec   exec     = shoal_exec_make(2);
    shoal_v3*    light    = calloc(W * H, sizeof *light);
    screen*      s;
    unsigned     seed = 3;
    int          seen = 0, missed = 0;
    CHECK_OK(screen_create(&exec, W, H, &s));
    for (int trial = 0; trial < 6; trial++) {
        float         scale = scales[trial % 3];
        screen_camera c     = camera_at(shoal_v3_make(3.0f * scale, scale, -scale), 4.0f * scale, 0.3f);
        screen_splat  balls[N];
        for (int i = 0; i < N; i++) {
            shoal_v3 at =
                shoal_v3_make(random_unit(&seed) - 0.5f, random_unit(&seed) - 0.5f, random_unit(&seed) - 0.5f);
            balls[i] = screen_ball(shoal_v3_scale(shoal_v3_add(shoal_v3_make(3.0f, 1.0f, -1.0f), at), scale),
                                   scale * (0.1f + 0.2f * random_unit(&seed)), shoal_v3_make(0.0f, 0.0f, 0.0f));
        }
        screen_scene scene = scene_of(&c, 0.1f * scale, balls, N);
        CHECK_OK(screen_draw(s, &scene, light));
        for (int y = 1; y < H; y += 4)
            for (int x = 2; x < W; x += 4) {
                uint64_t key   = screen_seen(s).liquid[y * W + x];
                double   depth = key == SCREEN_NOBODY ? 6.0 * (double)scale : (double)screen_key_depth(key), most = 0.0;
                for (int k = 0; k < 300; k++) // nothing lies before it
                    most = fmax(most, field_at(&c, balls, N, 0, x, y, depth * (0.5 + 0.5 * k / 300.0)));
                assert_true(most < level * 1.002);
                missed += key == SCREEN_NOBODY;
                if (key == SCREEN_NOBODY) continue;
                seen++;
                CHECK_NEAR(field_at(&c, balls, N, 0, x, y, depth), level, 2e-3 * level);
                // it is the strongest ball that is named
                const screen_splat* own = &balls[screen_key_number(key)];
                for (int i = 0; i < N; i++)
                    assert_true(field_at(&c, own, 1, 0, x, y, depth) >
                                field_at(&c, &balls[i], 1, 0, x, y, depth) - 1e-3);
            }
    }
    assert_true(seen > 500 && missed > 500);
    screen_destroy(s);
    free(light);
}

// A ball of water cut from a lattice: the depths of the mesh of method blobby, drawn as triangles.
static void the_surface_is_that_of_the_mesher(void** state) {
    (void)state;
    const float          spacings[] = {0.002f, 0.5f};
    shoal_surface_params params;
    shoal_exec           exec = shoal_exec_make(2);
    shoal_params_default(shoal_surface_params_table, &params);
    params.method = SHOAL_SURFACE_BLOBBY;
    params.cell   = 0.2f;
    for (int trial = 0; trial < 2; trial++) {
        enum { SIDE = 9, CAPACITY = SIDE * SIDE * SIDE };
        float              d = spacings[trial], positions[3 * CAPACITY];
        screen_splat       balls[CAPACITY];
        shoal_v3           middle = shoal_v3_make(20.0f * d, -7.0f * d, 3.0f * d);
        screen_camera      c      = camera_at(middle, 25.0f * d, 0.3f);
        shoal_surface_blob blob   = shoal_surface_blob_of(&params);
        unsigned           seed   = 5;
        int                count  = 0;
        for (int k = 0; k < CAPACITY; k++) {
            shoal_v3 at = shoal_v3_make((float)(k % SIDE - SIDE / 2) + 0.3f * random_unit(&seed),
                                        (float)(k / SIDE % SIDE - SIDE / 2) + 0.3f * random_unit(&seed),
                                        (float)(k / SIDE / SIDE - SIDE / 2) + 0.3f * random_unit(&seed));
            if (shoal_v3_length(at) > 0.5f * SIDE && k % 5) continue; // drops beside the ball
            at                       = shoal_v3_add_scaled(middle, at, d);
            balls[count]             = screen_ball(at, blob.reach * d, shoal_v3_make(0.0f, 0.0f, 0.0f));
            positions[3 * count]     = at.x;
            positions[3 * count + 1] = at.y;
            positions[3 * count + 2] = at.z;
            count++;
        }
        shoal_surface_particles particles = {.count = count, .positions = positions, .spacing = (double)d};
        shoal_surface_mesh*     mesh;
        CHECK_OK(shoal_surface_build(&params, &particles, &exec, shoal_isa_best(), &mesh));
        screen_triangle* triangles = calloc((size_t)mesh->triangle_count, sizeof *triangles);
        for (int t = 0; t < mesh->triangle_count; t++)
            for (int k = 0; k < 3; k++) {
                const float* p         = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + k];
                triangles[t].corner[k] = shoal_v3_make(p[0], p[1], p[2]);
            }
        shoal_v3*    light = calloc(W * H, sizeof *light);
        float*       depth = calloc(W * H, sizeof *depth);
        screen_scene scene = scene_of(&c, d, balls, count);
        screen*      s;
        scene.level = blob.level;
        CHECK_OK(screen_create(&exec, W, H, &s));
        CHECK_OK(screen_draw(s, &scene, light));
        for (int i = 0; i < W * H; i++) depth[i] = screen_key_depth(screen_seen(s).liquid[i]);
        scene.liquid_count   = 0;
        scene.triangles      = triangles;
        scene.triangle_count = mesh->triangle_count;
        CHECK_OK(screen_draw(s, &scene, light));
        int   both = 0, one = 0, off = 0;
        float half_pixel = 0.5f * 2.0f * c.across / W * 25.0f * d;
        for (int y = 1; y < H - 1; y++)
            for (int x = 1; x < W - 1; x++) {
                float other = screen_key_depth(screen_seen(s).solid[y * W + x]), z = depth[y * W + x];
                if (!(z < SCREEN_EMPTY) && !(other < SCREEN_EMPTY)) continue;
                if (!(z < SCREEN_EMPTY) || !(other < SCREEN_EMPTY)) {
                    one++;
                    continue;
                }
                // across the surface: depth by the slope of the mesh beside the pixel
                float right = screen_key_depth(screen_seen(s).solid[y * W + x + 1]) - other,
                      down = screen_key_depth(screen_seen(s).solid[(y + 1) * W + x]) - other, pixel = 2.0f * half_pixel,
                      slope2 = (right * right + down * down) / (pixel * pixel);
                both++;
                off += fabsf(z - other) / sqrtf(1.0f + slope2) > half_pixel;
            }
        print_message("spacing %g: %d pixels, %d of one only, %d farther apart than half a pixel\n", (double)d, both,
                      one, off);
        assert_true(both > 1500);
        assert_true(one < both / 100);
        assert_true(off < both / 200);
        screen_destroy(s);
        free(depth);
        free(light);
        free(triangles);
        shoal_surface_mesh_destroy(mesh);
    }
}

// The outlines of ellipsoids and of the mesh of method anisotropic, drawn as triangles, of a slab with a bump and
// drops.
static void ellipsoids_have_the_outline_of_the_mesh(void** state) {
    (void)state;
    enum { ACROSS = 24, CAPACITY = ACROSS * ACROSS * 8 };
    const float          d = 0.02f;
    shoal_surface_params params;
    shoal_exec           exec      = shoal_exec_make(2);
    float*               positions = calloc(3 * CAPACITY, sizeof *positions);
    unsigned             seed      = 9;
    int                  count     = 0;
    shoal_params_default(shoal_surface_params_table, &params);
    params.method = SHOAL_SURFACE_ANISOTROPIC;
    params.cell   = 0.25f;
    for (int k = 0; k < CAPACITY; k++) {
        float x = (float)(k % ACROSS - ACROSS / 2), z = (float)(k / ACROSS % ACROSS - ACROSS / 2);
        float y = (float)(k / ACROSS / ACROSS), top = 3.0f + 4.0f * expf(-(x * x + z * z) / 30.0f);
        if (y > top) continue;
        positions[3 * count]     = d * (x + 0.2f * random_unit(&seed));
        positions[3 * count + 1] = d * (y + 0.2f * random_unit(&seed));
        positions[3 * count + 2] = d * (z + 0.2f * random_unit(&seed));
        count++;
    }
    shoal_surface_particles  particles  = {.count = count, .positions = positions, .spacing = (double)d};
    shoal_surface_ellipsoid* ellipsoids = calloc((size_t)count, sizeof *ellipsoids);
    screen_splat*            splats     = calloc((size_t)count, sizeof *splats);
    shoal_surface_mesh*      mesh;
    CHECK_OK(shoal_surface_build(&params, &particles, &exec, shoal_isa_best(), &mesh));
    CHECK_OK(shoal_surface_ellipsoids(&params, &particles, &exec, shoal_isa_best(), ellipsoids));
    for (int i = 0; i < count; i++) {
        splats[i]       = screen_ball(ellipsoids[i].center, d, shoal_v3_make(1.0f, 1.0f, 1.0f));
        splats[i].shape = ellipsoids[i].shape;
    }
    screen_triangle* triangles = calloc((size_t)mesh->triangle_count, sizeof *triangles);
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const float* p         = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + k];
            triangles[t].corner[k] = shoal_v3_make(p[0], p[1], p[2]);
        }
    enum { WIDE = 480, HIGH = 360 };
    screen_camera c     = camera_at(shoal_v3_make(0.0f, 0.05f, 0.0f), 1.6f, 0.3f);
    shoal_v3*     light = calloc(WIDE * HIGH, sizeof *light);
    bool*         is_in = calloc(WIDE * HIGH, sizeof *is_in);
    screen_scene  scene = scene_of(&c, d, NULL, 0);
    screen*       s;
    scene.balls      = splats;
    scene.ball_count = count;
    CHECK_OK(screen_create(&exec, WIDE, HIGH, &s));
    CHECK_OK(screen_draw(s, &scene, light));
    for (int i = 0; i < WIDE * HIGH; i++) is_in[i] = screen_seen(s).solid[i] != SCREEN_NOBODY;
    scene.ball_count     = 0;
    scene.triangles      = triangles;
    scene.triangle_count = mesh->triangle_count;
    CHECK_OK(screen_draw(s, &scene, light));
    int both = 0, either = 0;
    for (int i = 0; i < WIDE * HIGH; i++) {
        bool is_mesh = screen_seen(s).solid[i] != SCREEN_NOBODY;
        both += is_mesh && is_in[i];
        either += is_mesh || is_in[i];
    }
    print_message("%d of %d pixels are in both outlines: %.4f\n", both, either, (double)both / either);
    assert_true(either > 20000);
    assert_true(both > 0.98 * either);
    screen_destroy(s);
    free(is_in);
    free(light);
    free(triangles);
    free(splats);
    free(ellipsoids);
    free(positions);
    shoal_surface_mesh_destroy(mesh);
}

// Two balls near each other are one drop, of two bodies two.
static void bodies_do_not_flow_together(void** state) {
    (void)state;
    shoal_exec    exec     = shoal_exec_make(1);
    screen_camera c        = camera_at(shoal_v3_make(0.0f, 0.0f, 0.0f), 10.0f, 0.3f);
    screen_splat  balls[2] = {screen_ball(shoal_v3_scale(c.right, -1.2f), 2.0f, shoal_v3_make(0.0f, 0.0f, 0.0f)),
                              screen_ball(shoal_v3_scale(c.right, 1.2f), 2.0f, shoal_v3_make(0.0f, 0.0f, 0.0f))};
    shoal_v3*     light    = calloc(W * H, sizeof *light);
    screen_scene  scene    = scene_of(&c, 1.0f, balls, 2);
    screen*       s;
    scene.body_count = 2;
    CHECK_OK(screen_create(&exec, W, H, &s));
    for (int bodies = 1; bodies <= 2; bodies++) {
        balls[1].body = bodies - 1;
        CHECK_OK(screen_draw(s, &scene, light));
        assert_int_equal(screen_seen(s).liquid[H / 2 * W + W / 2] == SCREEN_NOBODY, bodies == 2);
        assert_true(screen_seen(s).liquid[H / 2 * W + W / 2 - 16] != SCREEN_NOBODY);
        assert_true(screen_seen(s).liquid[H / 2 * W + W / 2 + 16] != SCREEN_NOBODY);
    }
    screen_destroy(s);
    free(light);
}

static void a_picture_has_the_same_bits_on_any_number_of_threads(void** state) {
    (void)state;
    enum { N = 4000 };
    screen_camera c     = camera_at(shoal_v3_make(0.0f, 0.0f, 0.0f), 3.0f, 0.3f);
    screen_splat* balls = calloc(N, sizeof *balls);
    shoal_v3 *    first = calloc(W * H, sizeof *first), *light = calloc(W * H, sizeof *light);
    unsigned      seed = 11;
    for (int i = 0; i < N; i++) {
        balls[i] =
            screen_ball(shoal_v3_make(random_unit(&seed) - 0.5f, random_unit(&seed) - 0.5f, random_unit(&seed) - 0.5f),
                        0.1f, shoal_v3_make(1.0f, 2.0f, 3.0f));
        balls[i].body = i % 2;
    }
    for (int threads = 1; threads <= 3; threads++) {
        shoal_exec   exec  = shoal_exec_make(threads);
        screen_scene scene = scene_of(&c, 0.05f, balls, N);
        screen*      s;
        scene.body_count = 2;
        CHECK_OK(screen_create(&exec, W, H, &s));
        CHECK_OK(screen_draw(s, &scene, threads == 1 ? first : light));
        int64_t calls = shoal_memory_calls();
        CHECK_OK(screen_draw(s, &scene, threads == 1 ? first : light));
        assert_true(shoal_memory_calls() == calls); // memory is kept
        if (threads > 1) assert_memory_equal(first, light, W * H * sizeof *light);
        screen_destroy(s);
    }
    free(first);
    free(light);
    free(balls);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_field_has_its_level_where_it_is_seen_first),
        cmocka_unit_test(the_surface_is_that_of_the_mesher),
        cmocka_unit_test(ellipsoids_have_the_outline_of_the_mesh),
        cmocka_unit_test(bodies_do_not_flow_together),
        cmocka_unit_test(a_picture_has_the_same_bits_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
