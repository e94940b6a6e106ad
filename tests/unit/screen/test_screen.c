// SPDX-License-Identifier: MIT
// Splats cover what a ray through each pixel meets, the nearest is seen, filters keep planes and steps, light follows
// Fresnel and Beer, and nothing depends on threads or order.
#include "unit/check.h"

#include "screen/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { W = 160, H = 90 };

static const screen_lights lights = {{0.2f, 0.4f, 0.7f}, {0.7f, 0.9f, 1.1f}, {0.3f, 0.3f, 0.3f}, 1.0f,
                                     {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};

// Looks along a way that follows no axis.
static screen_camera camera_at(float scale) {
    shoal_v3 forward = screen_unit(shoal_v3_make(0.3f, -0.4f, 0.86f)), up = shoal_v3_make(0.0f, 1.0f, 0.0f);
    shoal_v3 right = screen_unit(shoal_v3_cross(forward, up));
    return (screen_camera){shoal_v3_scale(shoal_v3_make(1.0f, 2.0f, -3.0f), scale),
                           right,
                           shoal_v3_cross(right, forward),
                           forward,
                           0.6f,
                           0.6f * H / W};
}

static float random_unit(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f;
}

// Somewhere in sight, of any shape up to 4 to 1.
static screen_splat random_splat(const screen_camera* c, float scale, unsigned* seed) {
    float        z  = scale * (2.0f + 4.0f * random_unit(seed));
    shoal_v3     at = shoal_v3_make(z * c->across * (2.2f * random_unit(seed) - 1.1f),
                                    z * c->along * (2.2f * random_unit(seed) - 1.1f), z);
    screen_splat s  = screen_ball(shoal_v3_add(c->eye, screen_to_world(c, at)), scale, shoal_v3_make(1.0f, 1.0f, 1.0f));
    double       axis[3][3], half[3], m[3][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        half[i] = (double)scale * (0.05 + 0.15 * (double)random_unit(seed));
        for (int k = 0; k < 3; k++) axis[i][k] = (double)random_unit(seed) - 0.5;
        for (int j = 0; j < i; j++) {
            double dot = 0;
            for (int k = 0; k < 3; k++) dot += axis[i][k] * axis[j][k];
            for (int k = 0; k < 3; k++) axis[i][k] -= dot * axis[j][k];
        }
        double length = sqrt(axis[i][0] * axis[i][0] + axis[i][1] * axis[i][1] + axis[i][2] * axis[i][2]);
        for (int k = 0; k < 3; k++) axis[i][k] /= length;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) m[a][b] += axis[i][a] * axis[i][b] / (half[i] * half[i]);
    }
    s.shape =
        (shoal_s6){(float)m[0][0], (float)m[1][1], (float)m[2][2], (float)m[0][1], (float)m[1][2], (float)m[0][2]};
    return s;
}

// Depth of a splat behind a pixel, in doubles and by the plain formula; 0: none.
static double depth_by_ray(const screen_camera* c, const screen_splat* s, int x, int y) {
    double px = ((x + 0.5) * 2.0 / W - 1.0) * (double)c->across, py = (1.0 - (y + 0.5) * 2.0 / H) * (double)c->along;
    double w[3], e[3], mw[3], me[3], a = 0, b = 0, q = -1.0;
    double m[3][3]  = {{(double)s->shape.xx, (double)s->shape.xy, (double)s->shape.xz},
                       {(double)s->shape.xy, (double)s->shape.yy, (double)s->shape.yz},
                       {(double)s->shape.xz, (double)s->shape.yz, (double)s->shape.zz}};
    double eye[3]   = {(double)c->eye.x, (double)c->eye.y, (double)c->eye.z},
           at[3]    = {(double)s->center.x, (double)s->center.y, (double)s->center.z};
    double right[3] = {(double)c->right.x, (double)c->right.y, (double)c->right.z},
           up[3]    = {(double)c->up.x, (double)c->up.y, (double)c->up.z},
           ahead[3] = {(double)c->forward.x, (double)c->forward.y, (double)c->forward.z};
    for (int k = 0; k < 3; k++) w[k] = px * right[k] + py * up[k] + ahead[k], e[k] = eye[k] - at[k];
    for (int i = 0; i < 3; i++) {
        mw[i] = me[i] = 0;
        for (int k = 0; k < 3; k++) mw[i] += m[i][k] * w[k], me[i] += m[i][k] * e[k];
    }
    for (int k = 0; k < 3; k++) a += w[k] * mw[k], b += w[k] * me[k], q += e[k] * me[k];
    return b * b > a * q ? (-b - sqrt(b * b - a * q)) / a : 0.0;
}

static screen_scene scene_of(const screen_camera* c, float spacing) {
    return (screen_scene){
        .camera = *c, .lights = lights, .spacing = spacing, .ior = 1.333f, .smooth_radius = 4.0f, .smooth_steps = 30};
}

static void a_splat_is_where_rays_meet_it(void** state) {
    (void)state;
    const float scales[] = {0.01f, 1.0f, 300.0f}; // a cup, a tank, a harbour
    shoal_exec  exec     = shoal_exec_make(1);
    screen*     s;
    shoal_v3*   light = calloc(W * H, sizeof *light);
    unsigned    seed  = 7;
    int         rim = 0, inside = 0;
    CHECK_OK(screen_create(&exec, W, H, &s));
    for (int trial = 0; trial < 120; trial++) {
        float         scale = scales[trial % 3];
        screen_camera c     = camera_at(scale);
        screen_splat  splat = random_splat(&c, scale, &seed);
        screen_scene  scene = scene_of(&c, 0.05f * scale);
        scene.ball_count    = 1;
        scene.balls         = &splat;
        CHECK_OK(screen_draw(s, &scene, light));
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                uint64_t key   = screen_seen(s).solid[y * W + x];
                double   exact = depth_by_ray(&c, &splat, x, y);
                if ((key == SCREEN_NOBODY) != !(exact > 0.0)) {
                    rim++; // at the very edge rounding may say otherwise
                    continue;
                }
                if (key == SCREEN_NOBODY) continue;
                inside++;
                assert_true(fabs((double)screen_key_depth(key) - exact) < 2e-3 * (double)scale);
            }
    }
    assert_true(inside > 4000);
    assert_true(rim < inside / 500);
    screen_destroy(s);
    free(light);
}

static void the_nearest_is_seen_whatever_the_order(void** state) {
    (void)state;
    enum { N = 300 };
    shoal_exec    exec = shoal_exec_make(1);
    screen_camera c    = camera_at(1.0f);
    screen_splat  splats[N];
    screen*       s;
    unsigned      seed  = 3;
    shoal_v3*     light = calloc(W * H, sizeof *light);
    float*        depth = calloc(W * H, sizeof *depth);
    screen_scene  scene = scene_of(&c, 0.05f);
    for (int i = 0; i < N; i++) splats[i] = random_splat(&c, 1.0f, &seed);
    scene.ball_count = N;
    scene.balls      = splats;
    CHECK_OK(screen_create(&exec, W, H, &s));
    CHECK_OK(screen_draw(s, &scene, light));
    for (int i = 0; i < W * H; i++) depth[i] = screen_key_depth(screen_seen(s).solid[i]);
    for (int i = 0; i < N / 2; i++) {
        screen_splat other = splats[i];
        splats[i]          = splats[N - 1 - i];
        splats[N - 1 - i]  = other;
    }
    CHECK_OK(screen_draw(s, &scene, light));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            uint64_t key  = screen_seen(s).solid[y * W + x];
            double   best = 0.0;
            assert_true(depth[y * W + x] == screen_key_depth(key));
            if (key == SCREEN_NOBODY) continue;
            for (int i = 0; i < N; i++) {
                double z = depth_by_ray(&c, &splats[i], x, y);
                if (z > 0.0 && (best == 0.0 || z < best)) best = z;
            }
            assert_true(fabs((double)depth[y * W + x] - best) < 5e-3);
        }
    screen_destroy(s);
    free(depth);
    free(light);
}

// Behind a hedge of balls and a pane of glass: every stage at work.
static void a_picture_has_the_same_bits_on_any_number_of_threads(void** state) {
    (void)state;
    enum { N = 9000 };
    screen_camera   c      = camera_at(1.0f);
    screen_splat*   splats = calloc(N, sizeof *splats);
    shoal_v3 *      first = calloc(W * H, sizeof *first), *light = calloc(W * H, sizeof *light);
    shoal_v3        mid = shoal_v3_add_scaled(c.eye, c.forward, 4.0f), n = shoal_v3_scale(c.forward, -1.0f);
    screen_triangle pane = {{shoal_v3_add_scaled(mid, c.right, -1.0f), shoal_v3_add_scaled(mid, c.right, 1.0f),
                             shoal_v3_add_scaled(mid, c.up, 1.0f)},
                            {n, n, n},
                            {0.5f, 0.5f, 0.5f},
                            1};
    unsigned        seed = 11;
    for (int i = 0; i < N; i++) splats[i] = random_splat(&c, 1.0f, &seed);
    for (int smoothing = SCREEN_SMOOTH_NONE; smoothing <= SCREEN_SMOOTH_CURVATURE; smoothing++)
        for (int threads = 1; threads <= 3; threads++) {
            shoal_exec   exec  = shoal_exec_make(threads);
            screen_scene scene = scene_of(&c, 0.1f);
            screen*      s;
            scene.ball_count     = 200;
            scene.balls          = splats;
            scene.liquid_count   = N - 200;
            scene.liquid         = splats + 200;
            scene.triangle_count = 1;
            scene.triangles      = &pane;
            scene.has_occlusion  = 1;
            scene.smoothing      = (screen_smoothing)smoothing;
            CHECK_OK(screen_create(&exec, W, H, &s));
            CHECK_OK(screen_draw(s, &scene, threads == 1 ? first : light));
            if (threads > 1) assert_memory_equal(first, light, W * H * sizeof *light);
            screen_destroy(s);
        }
    free(first);
    free(light);
    free(splats);
}

// Cells of two fifths of a radius, and then of ten radii, which widen it: chords add up to the ball.
static void thickness_adds_up_to_the_volume(void** state) {
    (void)state;
    const float fars[] = {100.0f, 1000.0f, 2500.0f};
    for (int k = 0; k < 3; k++) {
        shoal_exec    exec = shoal_exec_make(1);
        screen_camera c = {{0.0f, 0.0f, -fars[k]}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, 0.016f,
                           0.016f * H / W};
        screen_splat  ball  = screen_ball(shoal_v3_make(0.2f, 0.1f, 0.0f), 0.5f, shoal_v3_make(0.0f, 0.0f, 0.0f));
        shoal_v3*     light = calloc(W * H, sizeof *light);
        screen*       s;
        screen_scene  scene = scene_of(&c, 0.5f);
        double        sum = 0.0, cell = SCREEN_CELL * 2.0 * 0.016 * (double)fars[k] / W;
        scene.liquid_count = 1;
        scene.liquid       = &ball;
        CHECK_OK(screen_create(&exec, W, H, &s));
        CHECK_OK(screen_draw(s, &scene, light));
        for (int i = 0; i < screen_cells(W) * screen_cells(H); i++)
            sum += screen_seen(s).thickness[i] * (double)SCREEN_THICKNESS_UNIT * 0.5 * cell * cell;
        // where a cell is larger than the ball, its one or two samples stand for all of it
        CHECK_NEAR(sum / (4.0 / 3.0 * SHOAL_PI * 0.125), 1.0, k == 0 ? 0.03 : 0.45);
        screen_destroy(s);
        free(light);
    }
}

// Sorted, in lanes and without what is hidden: the same keys as every splat at every pixel, one by one.
static void the_liquid_is_that_of_brute_force(void** state) {
    (void)state;
    enum { N = 2500 };
    shoal_exec    exec   = shoal_exec_make(2);
    screen_camera c      = camera_at(1.0f);
    screen_splat* splats = calloc(N, sizeof *splats);
    screen_cover* covers = calloc(N, sizeof *covers);
    shoal_v3*     light  = calloc(W * H, sizeof *light);
    screen_scene  scene  = scene_of(&c, 0.05f);
    unsigned      seed   = 23;
    screen*       s;
    for (int i = 0; i < N; i++) {
        splats[i] = random_splat(&c, 1.0f, &seed);
        if (i % 7 == 0 && i > 0) splats[i] = splats[i - 1]; // the same depth: the lower number is seen
        covers[i] = screen_splat_cover(&c, W, H, &splats[i], (uint32_t)(i < 20 ? i : i - 20));
    }
    scene.ball_count   = 20;
    scene.balls        = splats;
    scene.liquid_count = N - 20;
    scene.liquid       = splats + 20;
    CHECK_OK(screen_create(&exec, W, H, &s));
    CHECK_OK(screen_draw(s, &scene, light));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            uint64_t nearest[2] = {SCREEN_NOBODY, SCREEN_NOBODY};
            for (int i = 0; i < N; i++) {
                float depth, chord;
                int   is_hit =
                    screen_splat_hit(&covers[i], 1.0f, screen_ray_x(&c, W, x), screen_ray_y(&c, H, y), &depth, &chord);
                uint64_t key = screen_key(depth, covers[i].number);
                if (is_hit && key < nearest[i >= 20]) nearest[i >= 20] = key;
            }
            assert_true(screen_seen(s).solid[y * W + x] == nearest[0]);
            bool is_hidden = screen_key_depth(nearest[1]) >= screen_key_depth(nearest[0]);
            assert_true(screen_seen(s).liquid[y * W + x] == (is_hidden ? SCREEN_NOBODY : nearest[1]));
        }
    screen_destroy(s);
    free(light);
    free(covers);
    free(splats);
}

// The filter in lanes: the bits of the pass, pixel by pixel.
static void smoothing_in_lanes_is_that_of_the_pass(void** state) {
    (void)state;
    enum { N = 1500 };
    shoal_exec    exec   = shoal_exec_make(1);
    screen_camera c      = camera_at(1.0f);
    screen_splat* splats = calloc(N, sizeof *splats);
    shoal_v3*     light  = calloc(W * H, sizeof *light);
    float *       from = calloc(W * H, sizeof *from), *to = calloc(W * H, sizeof *to);
    screen_scene  scene = scene_of(&c, 0.05f);
    unsigned      seed  = 29;
    screen*       s;
    for (int i = 0; i < N; i++) splats[i] = random_splat(&c, 0.7f, &seed);
    scene.liquid_count = N;
    scene.liquid       = splats;
    CHECK_OK(screen_create(&exec, W, H, &s));
    CHECK_OK(screen_draw(s, &scene, light));
    memcpy(from, screen_seen(s).depth, W * H * sizeof *from);
    scene.smoothing = SCREEN_SMOOTH_NARROW;
    CHECK_OK(screen_draw(s, &scene, light));
    screen_depths v = {W,
                       H,
                       2.0f * c.across / (float)W,
                       2.0f * c.along / (float)H,
                       2.5f * scene.spacing,
                       0.5f * scene.spacing,
                       scene.smooth_radius * scene.spacing,
                       from};
    for (int round = 0; round < 4; round++) {
        if (round == 2) v.radius *= 0.5f;
        for (int i = 0; i < W * H; i++) to[i] = screen_narrow(&v, i % W, i / W, round % 2 == 0, round % 2 == 1);
        memcpy(from, to, W * H * sizeof *from);
    }
    assert_memory_equal(screen_seen(s).depth, from, W * H * sizeof *from);
    screen_destroy(s);
    free(to);
    free(from);
    free(light);
    free(splats);
}

// Ground, balls in corners and a liquid before them, on a picture that lanes do not divide: the bits of the passes,
// pixel by pixel.
static void light_in_lanes_is_that_of_the_pass(void** state) {
    (void)state;
    enum { N = 300, BALLS = 150, ODD = 150 };
    shoal_exec    exec   = shoal_exec_make(1);
    screen_camera c      = camera_at(1.0f);
    screen_splat* splats = calloc(N, sizeof *splats);
    shoal_v3 *    behind = calloc(ODD * H, sizeof *behind), *light = calloc(ODD * H, sizeof *light);
    float*        solid = calloc(ODD * H, sizeof *solid);
    screen_scene  scene = scene_of(&c, 0.05f);
    // behind most of the balls, with a normal that turns
    screen_triangle leaning = {{shoal_v3_add(c.eye, screen_to_world(&c, shoal_v3_make(-0.5f, -1.0f, 2.5f))),
                                shoal_v3_add(c.eye, screen_to_world(&c, shoal_v3_make(2.0f, -0.5f, 3.5f))),
                                shoal_v3_add(c.eye, screen_to_world(&c, shoal_v3_make(1.5f, 1.2f, 5.0f)))},
                               {{0.0f, 1.0f, 0.0f}, {0.6f, 0.8f, 0.0f}, {0.0f, 0.6f, -0.8f}},
                               {0.7f, 0.5f, 0.4f},
                               0};
    unsigned        seed    = 31;
    int             fars = 0, balls = 0, flats = 0, liquids = 0, dark = 0, shaded = 0;
    screen*         s;
    for (int i = 0; i < N; i++) {
        splats[i] = random_splat(&c, i < BALLS ? 0.6f : 1.0f, &seed);
        if (i >= BALLS) splats[i].color = shoal_v3_make(3.0f * random_unit(&seed), 1.0f, 0.3f);
    }
    scene.ground     = (screen_ground){1, 0.0f, 0.4f, {0.0f, 0.0f, 0.0f}, 3.0f, {0.3f, 0.4f, 0.5f}, {0.1f, 0.1f, 0.2f}};
    scene.lights.sun = screen_unit(shoal_v3_make(0.4f, 0.8f, -0.3f));
    scene.lights.sun_light = shoal_v3_make(2.0f, 1.5f, 1.0f);
    scene.has_occlusion    = 1;
    scene.ball_count       = BALLS;
    scene.balls            = splats;
    scene.triangle_count   = 1;
    scene.triangles        = &leaning;
    scene.has_shadows      = 1;
    scene.ground.middle    = shoal_v3_add_scaled(c.eye, c.forward, 3.0f);
    scene.ground.size      = 6.0f;
    int32_t*        tops   = calloc(SCREEN_MAP_CELLS * SCREEN_MAP_CELLS, sizeof *tops);
    screen_overhead over   = screen_overhead_of(scene.ground.middle, scene.ground.size, scene.spacing, tops);
    for (int i = 0; i <= BALLS; i++) {
        screen_disc  disc  = screen_disc_of(&over, &splats[i < BALLS ? i : 0]);
        screen_blade blade = screen_blade_of(&over, leaning.corner, 0);
        screen_box   box   = i < BALLS ? disc.cells : blade.cells;
        for (int y = box.top; y <= box.bottom; y++)
            for (int x = box.left; x <= box.right; x++) {
                int32_t  top = i < BALLS ? screen_disc_top(&disc, x, y) : screen_blade_top(&blade, x, y);
                int32_t* at  = &tops[y * SCREEN_MAP_CELLS + x];
                *at          = top > *at ? top : *at;
            }
    }
    CHECK_OK(screen_create(&exec, ODD, H, &s));
    CHECK_OK(screen_draw(s, &scene, behind));
    for (int i = 0; i < ODD * H; i++) solid[i] = screen_key_depth(screen_seen(s).solid[i]);
    screen_solids solids = {&c, ODD, H, solid, scene.spacing};
    for (int i = 0; i < ODD * H; i++) {
        int      x = i % ODD, y = i / ODD;
        shoal_v3 w = screen_ray(&c, ODD, H, x, y), expected;
        if (screen_seen(s).solid[i] == SCREEN_NOBODY) {
            screen_outlook outlook = screen_outlook_of(&c, &scene.lights, &scene.ground, ODD);
            shoal_v3       way     = screen_unit(screen_to_world(&c, w));
            float          open    = screen_open_above(&over, screen_ground_at(&c, &scene.ground, outlook, way));
            expected               = screen_far(&c, &scene.lights, &scene.ground, outlook, way, open);
            shaded += way.y < outlook.rim && open < 0.5f;
            fars++;
        } else {
            uint32_t      number  = screen_key_number(screen_seen(s).solid[i]);
            bool          is_ball = number < BALLS;
            screen_cover  cover   = screen_splat_cover(&c, ODD, H, &splats[is_ball ? number : 0], number);
            screen_matter alone   = {is_ball ? 1 : BALLS, &cover, &splats[is_ball ? number : 0], &leaning};
            float         open    = screen_openness(&solids, x, y, solid[i]);
            uint64_t      key     = screen_key(solid[i], is_ball ? 0 : number);
            expected              = shoal_v3_scale(screen_solid_light(&alone, &c, &scene.lights, &over, key, w), open);
            balls += is_ball;
            flats += !is_ball;
            dark += open < 0.9f;
            shaded += screen_solid_open(&c, &over, screen_seen(s).solid[i], w) < 0.5f;
        }
        assert_memory_equal(&behind[i], &expected, sizeof expected);
    }
    scene.liquid_count = N - BALLS;
    scene.liquid       = splats + BALLS;
    scene.smoothing    = SCREEN_SMOOTH_NARROW;
    CHECK_OK(screen_draw(s, &scene, light));
    screen_layers seen   = screen_seen(s);
    screen_liquid liquid = {&c,         &scene.lights,  ODD,   H,     scene.ior, scene.spacing,
                            seen.depth, seen.thickness, solid, behind};
    for (int i = 0; i < ODD * H; i++) {
        shoal_v3 expected = behind[i];
        if (seen.liquid[i] != SCREEN_NOBODY) {
            expected =
                screen_liquid_light(&liquid, i % ODD, i / ODD, scene.liquid[screen_key_number(seen.liquid[i])].color);
            liquids++;
        }
        assert_memory_equal(&light[i], &expected, sizeof expected);
    }
    assert_true(fars > 500 && balls > 500 && flats > 500 && liquids > 500 && dark > 100 &&
                shaded > 100); // all of it was there
    screen_destroy(s);
    free(tops);
    free(solid);
    free(light);
    free(behind);
    free(splats);
}

static void the_exponential_of_the_light_is_one(void** state) {
    (void)state;
    for (float x = 0.0f; x > -79.0f; x -= 0.0137f)
        assert_true(fabs((double)screen_exp(x) / exp((double)x) - 1.0) < 2e-6);
    assert_true(screen_exp(-1e9f) == 0.0f && screen_exp(0.0f) == 1.0f);
}

// --- filters, on pictures of depths

static screen_depths depths_of(const float* from) {
    return (screen_depths){W, H, 2.0f * 0.6f / W, 2.0f * 0.6f / W, 0.05f, 0.01f, 0.12f, from};
}

// A plane a x + b y + z = k in coordinates of the camera.
static float plane_depth(int x, int y, float a, float b, float k) {
    float px = ((float)x + 0.5f) * 1.2f / W - 0.6f, py = 0.6f * H / W - ((float)y + 0.5f) * 1.2f / W;
    return k / (1.0f + a * px + b * py);
}

static float filtered(const float* from, int which, int x, int y) {
    screen_depths v = depths_of(from);
    return which == 2 ? screen_curvature(&v, x, y) : screen_narrow(&v, x, y, which == 0, which == 1);
}

static void planes_stay_and_ripples_go(void** state) {
    (void)state;
    float *flat = calloc(W * H, sizeof *flat), *rough = calloc(W * H, sizeof *rough),
          *next = calloc(W * H, sizeof *next);
    for (int which = 0; which < 3; which++) {
        double before = 0.0, after = 0.0;
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                flat[y * W + x]  = plane_depth(x, y, 0.4f, -0.7f, 3.0f);
                rough[y * W + x] = flat[y * W + x] + 0.004f * (float)(((x ^ y) & 1) * 2 - 1);
            }
        for (int y = 30; y < 60; y++)
            for (int x = 30; x < 130; x++) {
                float z = flat[y * W + x];
                assert_true(fabsf(filtered(flat, which, x, y) - z) <
                            4e-4f); // a pixel is 0.02 m wide there, and on a plane 1/z is linear, not z
                before += fabs((double)(rough[y * W + x] - z));
                after += fabs((double)(filtered(rough, which, x, y) - z));
            }
        assert_true(after < (which == 2 ? 0.9 : 0.35) * before);
    }
    for (int step = 0; step < 30; step++) { // the flow takes away what it is asked to often enough
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) next[y * W + x] = filtered(rough, 2, x, y);
        float* other = rough;
        rough = next, next = other;
    }
    for (int y = 40; y < 50; y++)
        for (int x = 40; x < 120; x++) assert_true(fabsf(rough[y * W + x] - flat[y * W + x]) < 0.002f);
    free(flat);
    free(rough);
    free(next);
}

static void a_step_stays_where_it_is(void** state) {
    (void)state;
    float* depth = calloc(W * H, sizeof *depth);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) depth[y * W + x] = x < W / 2 ? 2.0f : 2.5f;
    for (int which = 0; which < 3; which++)
        for (int x = 40; x < 120; x++) {
            float z = filtered(depth, which, x, 45);
            // the near side bends back by no more than what is said of things behind, the far one not at all
            assert_true(x < W / 2 ? z > 1.99999f && z < 2.01001f : fabsf(z - 2.5f) < 1e-5f);
        }
    depth[45 * W + 40] = SCREEN_EMPTY;
    assert_true(filtered(depth, 0, 40, 45) == SCREEN_EMPTY && filtered(depth, 2, 40, 45) == SCREEN_EMPTY);
    free(depth);
}

// A ball of five pixels before a pool, where the filter looks eight far: it is left nearly as round as it was, and
// falls off farther from its middle, aslant, by more than nearer, along a row.
static void a_drop_before_a_pool_stays_round(void** state) {
    (void)state;
    float *depth = calloc(W * H, sizeof *depth), *half = calloc(W * H, sizeof *half), R = 0.08f;
    int    cx = 80, cy = 45;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float r2         = 0.015f * 0.015f * (float)((x - cx) * (x - cx) + (y - cy) * (y - cy));
            depth[y * W + x] = r2 < R * R ? 2.0f - sqrtf(R * R - r2) : 3.0f;
        }
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) half[y * W + x] = filtered(depth, 0, x, y);
    float most = 0.0f, top = filtered(half, 1, cx, cy);
    for (int y = cy - 3; y <= cy + 3; y++)
        for (int x = cx - 3; x <= cx + 3; x++)
            if ((x - cx) * (x - cx) + (y - cy) * (y - cy) <= 9)
                most = fmaxf(most, fabsf(filtered(half, 1, x, y) - depth[y * W + x]));
    float along = filtered(half, 1, cx + 4, cy) - top, aslant = filtered(half, 1, cx + 3, cy + 3) - top;
    assert_true(most < 0.1f * R); // 0.27 where it looks as far as elsewhere
    assert_true(aslant > 1.1f * along);
    free(half);
    free(depth);
}

// Half of a pixel's size at that depth times the curvature, 1/R where it faces the eye; equation 3 counts lengths in
// pixels there, hence the second factor.
static void the_flow_is_as_strong_as_a_ball_is_round(void** state) {
    (void)state;
    float* depth = calloc(W * H, sizeof *depth);
    float  R = 0.5f, far = 10.0f, pixel = 1.2f / W;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            double px = (x + 0.5) * 1.2 / W - 0.6, py = 0.6 * H / W - (y + 0.5) * 1.2 / W, w2 = px * px + py * py + 1.0;
            double root      = (double)(far * far) - w2 * (double)(far * far - R * R);
            depth[y * W + x] = root > 0.0 ? (float)(((double)far - sqrt(root)) / w2) : SCREEN_EMPTY;
        }
    // a sphere of six pixels across: at its middle, where second differences are still good
    float z = depth[H / 2 * W + W / 2], moved = filtered(depth, 2, W / 2, H / 2) - z;
    float expected = 0.5f * (pixel * z) * (pixel * z) / R;
    assert_true(moved > 0.0f && fabsf(moved / expected - 1.0f) < 0.15f);
    free(depth);
}

// --- light

static void still_water_is_a_mirror_by_fresnel_and_dims_by_beer(void** state) {
    (void)state;
    shoal_exec      exec = shoal_exec_make(1);
    screen_camera   c    = {{0.0f, 3.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, -1.0f, 0.0f}, 0.05f,
                            0.05f * H / W};
    screen_splat    pool = screen_ball(shoal_v3_make(0.0f, -1000.0f, 0.0f), 1000.0f, shoal_v3_make(0.0f, 1.0f, 20.0f));
    shoal_v3        up   = {0.0f, 1.0f, 0.0f};
    screen_triangle floor_below = {
        {{-9.0f, -0.5f, -9.0f}, {9.0f, -0.5f, -9.0f}, {0.0f, -0.5f, 18.0f}}, {up, up, up}, {0.5f, 0.5f, 0.5f}, 0};
    shoal_v3*    light = calloc(W * H, sizeof *light);
    screen*      s;
    screen_scene scene   = scene_of(&c, 0.1f);
    scene.liquid_count   = 1;
    scene.liquid         = &pool;
    scene.triangle_count = 1;
    scene.triangles      = &floor_below;
    pool.fraction        = 0.25e-3f; // of 2000 m: half a metre of water over the floor
    CHECK_OK(screen_create(&exec, W, H, &s));
    CHECK_OK(screen_draw(s, &scene, light));
    shoal_v3 got = light[H / 2 * W + W / 2], ground = shoal_v3_scale(screen_light_on(&lights, up, 1.0f), 0.5f);
    double   mirror = (0.333 / 2.333) * (0.333 / 2.333);
    CHECK_NEAR((double)got.x, (1.0 - mirror) * (double)ground.x + mirror * (double)lights.zenith.x, 1e-3);
    CHECK_NEAR((double)got.y, (1.0 - mirror) * (double)ground.y * exp(-0.5) + mirror * (double)lights.zenith.y, 2e-3);
    CHECK_NEAR((double)got.z, (1.0 - mirror) * (double)ground.z * exp(-10.0) + mirror * (double)lights.zenith.z, 1e-3);
    screen_destroy(s);
    free(light);
}

static void corners_between_balls_are_darker(void** state) {
    (void)state;
    shoal_exec    exec = shoal_exec_make(1);
    screen_camera c    = {{0.0f, 0.0f, -5.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, 0.3f,
                          0.3f * H / W};
    screen_splat  heap[26];
    shoal_v3*     light = calloc(W * H, sizeof *light);
    screen*       s;
    double        sum[2];
    heap[0] = screen_ball(shoal_v3_make(0.0f, 0.0f, 0.3f), 0.12f, shoal_v3_make(1.0f, 1.0f, 1.0f));
    for (int i = 1; i < 26; i++) // a ring around it, nearer
        heap[i] = screen_ball(shoal_v3_make(0.28f * cosf(0.25f * (float)i), 0.28f * sinf(0.25f * (float)i), 0.0f), 0.1f,
                              shoal_v3_make(1.0f, 1.0f, 1.0f));
    CHECK_OK(screen_create(&exec, W, H, &s));
    for (int is_dense = 0; is_dense < 2; is_dense++) {
        screen_scene scene  = scene_of(&c, 0.2f);
        scene.balls         = heap;
        scene.ball_count    = is_dense ? 26 : 1;
        scene.has_occlusion = 1;
        CHECK_OK(screen_draw(s, &scene, light));
        sum[is_dense] = (double)light[H / 2 * W + W / 2].y;
    }
    assert_true(sum[1] < 0.9 * sum[0]);
    screen_destroy(s);
    free(light);
}

static void a_screen_draws_again_without_new_memory(void** state) {
    (void)state;
    shoal_exec    exec = shoal_exec_make(2);
    screen_camera c    = camera_at(1.0f);
    screen_splat  splats[500];
    unsigned      seed  = 5;
    shoal_v3*     light = calloc(W * H, sizeof *light);
    screen*       s;
    screen_scene  scene = scene_of(&c, 0.1f);
    for (int i = 0; i < 500; i++) splats[i] = random_splat(&c, 1.0f, &seed);
    scene.liquid_count = 500;
    scene.liquid       = splats;
    scene.smoothing    = SCREEN_SMOOTH_NARROW;
    CHECK_OK(screen_create(&exec, W, H, &s));
    CHECK_OK(screen_draw(s, &scene, light));
    int64_t before = shoal_memory_calls();
    for (int k = 0; k < 20; k++) CHECK_OK(screen_draw(s, &scene, light));
    assert_true(shoal_memory_calls() == before);
    screen_destroy(s);
    free(light);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_splat_is_where_rays_meet_it),
        cmocka_unit_test(the_nearest_is_seen_whatever_the_order),
        cmocka_unit_test(a_picture_has_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(thickness_adds_up_to_the_volume),
        cmocka_unit_test(the_liquid_is_that_of_brute_force),
        cmocka_unit_test(smoothing_in_lanes_is_that_of_the_pass),
        cmocka_unit_test(light_in_lanes_is_that_of_the_pass),
        cmocka_unit_test(the_exponential_of_the_light_is_one),
        cmocka_unit_test(planes_stay_and_ripples_go),
        cmocka_unit_test(a_step_stays_where_it_is),
        cmocka_unit_test(a_drop_before_a_pool_stays_round),
        cmocka_unit_test(the_flow_is_as_strong_as_a_ball_is_round),
        cmocka_unit_test(still_water_is_a_mirror_by_fresnel_and_dims_by_beer),
        cmocka_unit_test(corners_between_balls_are_darker),
        cmocka_unit_test(a_screen_draws_again_without_new_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
