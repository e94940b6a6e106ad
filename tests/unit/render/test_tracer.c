// SPDX-License-Identifier: MIT
// Light whose amount is known.
#include "unit/check.h"

#include "render/optics.h"
#include "render/sampler.h"
#include "render/tracer.h"

enum { TURNS = 48, RINGS = 24, SPHERE_VERTICES = TURNS * (RINGS + 1), SPHERE_TRIANGLES = 2 * TURNS * RINGS };

typedef struct sphere {
    shoal_v3 vertices[SPHERE_VERTICES], normals[SPHERE_VERTICES];
    int      triangles[3 * SPHERE_TRIANGLES];
} sphere;

// Of radius 1 about the origin; poles are rings of no size, which do no harm.
static void sphere_make(sphere* s) {
    for (int r = 0; r <= RINGS; r++)
        for (int t = 0; t < TURNS; t++) {
            double a = SHOAL_PI * r / RINGS, b = 2.0 * SHOAL_PI * t / TURNS;
            s->vertices[r * TURNS + t] = shoal_v3_from(shoal_d3_make(sin(a) * cos(b), cos(a), -sin(a) * sin(b)));
        }
    memcpy(s->normals, s->vertices, sizeof s->normals);
    int n = 0;
    for (int r = 0; r < RINGS; r++)
        for (int t = 0; t < TURNS; t++) {
            int a = r * TURNS + t, b = r * TURNS + (t + 1) % TURNS, c = a + TURNS, d = b + TURNS;
            int corners[] = {a, c, b, b, c, d};
            memcpy(s->triangles + n, corners, sizeof corners);
            n += 6;
        }
}

static const int box_triangles[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static void box_make(shoal_v3 low, shoal_v3 high, shoal_v3 out[8]) {
    for (int k = 0; k < 8; k++)
        out[k] = shoal_v3_make(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z);
}

typedef struct lab {
    render_tracer* tracer;
    render_camera  camera;
    render_lights  lights;
    render_job     job;
} lab;

static const shoal_v3 white = {1.0f, 1.0f, 1.0f}, black = {0.0f, 0.0f, 0.0f};

static void lab_open(lab* l, shoal_v3 sky) {
    *l        = (lab){0};
    l->lights = (render_lights){.zenith       = sky,
                                .horizon      = sky,
                                .nadir        = sky,
                                .sky_strength = 1.0f,
                                .sun          = {0.0f, 1.0f, 0.0f},
                                .sun_cosine   = 0.9999f};
    l->job    = (render_job){.camera = &l->camera, .lights = &l->lights, .bounces = 64, .seed = 3};
    CHECK_OK(render_tracer_create(0.0, 4.0, &l->tracer));
}

static void lab_close(lab* l) { render_tracer_destroy(l->tracer); }

static void add_mesh(lab* l, render_appearance appearance, const shoal_v3* vertices, int vertex_count,
                     const shoal_v3* normals, const int* triangles, int triangle_count) {
    render_mesh mesh = {.vertices       = vertices,
                        .vertex_count   = vertex_count,
                        .normals        = normals,
                        .triangles      = triangles,
                        .triangle_count = triangle_count};
    CHECK_OK(render_tracer_appearance(l->tracer, &appearance, &mesh.appearance));
    CHECK_OK(render_tracer_mesh(l->tracer, &mesh));
}

static void add_pane(lab* l, render_appearance appearance, const shoal_v3 corners[4]) {
    int index;
    CHECK_OK(render_tracer_appearance(l->tracer, &appearance, &index));
    CHECK_OK(render_tracer_pane(l->tracer, index, corners));
}

static void add_floor(lab* l, shoal_v3 albedo) {
    static const shoal_v3 corners[] = {{-50, 0, -50}, {-50, 0, 50}, {50, 0, 50}, {50, 0, -50}};
    static const int      square[]  = {0, 1, 2, 0, 2, 3};
    add_mesh(l, (render_appearance){.kind = RENDER_MATTE, .color = albedo}, corners, 4, NULL, square, 2);
}

static shoal_v3 mean(const lab* l, shoal_v3 from, shoal_v3 way, int samples) {
    shoal_v3 sum = black;
    for (int s = 0; s < samples; s++)
        sum = shoal_v3_add(sum, render_tracer_radiance(l->tracer, &l->job, from, render_unit_of(way), 0, s));
    return shoal_v3_scale(sum, 1.0f / (float)samples);
}

static void fresnel_is_that_of_water_and_glass(void** state) {
    (void)state;
    float beyond;
    CHECK_NEAR((double)render_fresnel(1.0f, 1.0f / 1.333f, &beyond), 0.0204, 1e-4);
    CHECK_NEAR((double)render_fresnel(1.0f, 1.0f / 1.5f, &beyond), 0.04, 1e-4);
    CHECK_NEAR((double)render_fresnel(0.0f, 1.0f / 1.333f, &beyond), 1.0, 1e-5);
    // beyond 48.6 degrees nothing leaves water
    CHECK_NEAR((double)render_fresnel(0.65f, 1.333f, &beyond), 1.0, 1e-6);
    CHECK_NEAR((double)beyond, 0.0, 1e-6);
    // 30 degrees in air are 22.03 in water
    render_fresnel(cosf(0.5235988f), 1.0f / 1.333f, &beyond);
    CHECK_NEAR((double)beyond, cos(22.03 * SHOAL_PI / 180.0), 1e-4);
}

static void a_white_ball_in_a_white_sky_cannot_be_seen(void** state) {
    (void)state;
    lab l;
    lab_open(&l, white);
    shoal_v4          place      = {0.0f, 0.0f, 0.0f, 1.0f};
    render_balls      balls      = {.count = 1, .places = &place};
    render_appearance appearance = {.kind = RENDER_MATTE, .color = white};
    CHECK_OK(render_tracer_appearance(l.tracer, &appearance, &balls.appearance));
    CHECK_OK(render_tracer_balls(l.tracer, &balls));
    CHECK_OK(render_tracer_commit(l.tracer));
    for (int k = 0; k < 9; k++) {
        shoal_v3 from = shoal_v3_make(0.11f * (float)k, 0.05f, 5.0f);
        shoal_v3 seen = mean(&l, from, shoal_v3_make(0.0f, 0.0f, -1.0f), 64);
        CHECK_NEAR((double)seen.x, 1.0, 1e-4);
        CHECK_NEAR((double)seen.z, 1.0, 1e-4);
    }
    lab_close(&l);
}

static void a_white_ball_in_a_sky_of_any_strength_cannot_be_seen(void** state) {
    (void)state;
    for (float sky = 1e-3f; sky < 2e3f; sky *= 100.0f) {
        lab                   l;
        shoal_render_settings settings = {0};
        lab_open(&l, white);
        settings.lights.sun          = shoal_d3_make(0.0, 1.0, 0.0);
        settings.lights.sun_size     = 3.0f;
        settings.lights.sky_strength = 1.0f;
        settings.background.zenith = settings.background.horizon = settings.background.nadir =
            shoal_v3_make(sky, sky, sky);
        l.lights                     = render_lights_make(&settings);
        shoal_v4          place      = {0.0f, 0.0f, 0.0f, 1.0f};
        render_balls      balls      = {.count = 1, .places = &place};
        render_appearance appearance = {.kind = RENDER_MATTE, .color = white};
        CHECK_OK(render_tracer_appearance(l.tracer, &appearance, &balls.appearance));
        CHECK_OK(render_tracer_balls(l.tracer, &balls));
        CHECK_OK(render_tracer_commit(l.tracer));
        shoal_v3 seen = mean(&l, shoal_v3_make(0.3f, 0.05f, 5.0f), shoal_v3_make(0.0f, 0.0f, -1.0f), 64);
        CHECK_NEAR((double)(seen.x / sky), 1.0, 1e-4);
        lab_close(&l);
    }
}

static void a_clear_sphere_in_a_white_sky_cannot_be_seen(void** state) {
    (void)state;
    lab     l;
    sphere* s = test_malloc(sizeof *s);
    sphere_make(s);
    lab_open(&l, white);
    add_mesh(&l, (render_appearance){.kind = RENDER_DIELECTRIC, .ior = 1.333f}, s->vertices, SPHERE_VERTICES,
             s->normals, s->triangles, SPHERE_TRIANGLES);
    CHECK_OK(render_tracer_commit(l.tracer));
    for (int k = 0; k < 9; k++) {
        shoal_v3 from = shoal_v3_make(0.11f * (float)k, 0.05f, 5.0f);
        CHECK_NEAR((double)mean(&l, from, shoal_v3_make(0.0f, 0.0f, -1.0f), 256).y, 1.0, 0.01);
    }
    lab_close(&l);
    test_free(s);
}

static void a_sphere_with_the_index_of_air_is_not_there(void** state) {
    (void)state;
    lab     l;
    sphere* s = test_malloc(sizeof *s);
    sphere_make(s);
    lab_open(&l, white);
    l.lights.zenith = shoal_v3_make(0.1f, 0.4f, 2.0f);
    l.lights.nadir  = shoal_v3_make(0.7f, 0.0f, 0.0f);
    add_mesh(&l, (render_appearance){.kind = RENDER_DIELECTRIC, .ior = 1.0f}, s->vertices, SPHERE_VERTICES, s->normals,
             s->triangles, SPHERE_TRIANGLES);
    CHECK_OK(render_tracer_commit(l.tracer));
    for (int k = 0; k < 40; k++) {
        shoal_v3 from = shoal_v3_make(0.0f, 0.3f, 5.0f);
        shoal_v3 way  = render_unit_of(shoal_v3_make(0.006f * (float)(k - 20), 0.005f * (float)(k % 7) - 0.07f, -1.0f));
        shoal_v3 sky = render_sky(&l.lights, way), seen = mean(&l, from, way, 4);
        CHECK_NEAR((double)seen.x, (double)sky.x, 1e-4);
        CHECK_NEAR((double)seen.z, (double)sky.z, 1e-4);
    }
    lab_close(&l);
    test_free(s);
}

static void a_matte_floor_in_the_sun_is_as_bright_as_lambert_says(void** state) {
    (void)state;
    lab l;
    lab_open(&l, black);
    l.lights.sun       = render_unit_of(shoal_v3_make(0.5f, 1.0f, -0.3f));
    l.lights.sun_light = shoal_v3_make(3.0f, 2.0f, 1.0f);
    add_floor(&l, shoal_v3_make(0.5f, 0.4f, 0.3f));
    CHECK_OK(render_tracer_commit(l.tracer));
    shoal_v3 seen   = mean(&l, shoal_v3_make(0.0f, 2.0f, 2.0f), shoal_v3_make(0.1f, -1.0f, -1.0f), 64);
    double   cosine = (double)l.lights.sun.y;
    CHECK_NEAR((double)seen.x, 0.5 / SHOAL_PI * 3.0 * cosine, 1e-3);
    CHECK_NEAR((double)seen.y, 0.4 / SHOAL_PI * 2.0 * cosine, 1e-3);
    CHECK_NEAR((double)seen.z, 0.3 / SHOAL_PI * 1.0 * cosine, 1e-3);
    lab_close(&l);
}

static void a_floor_under_an_even_sky_reflects_its_albedo(void** state) {
    (void)state;
    lab l;
    lab_open(&l, shoal_v3_make(0.8f, 0.8f, 0.8f));
    add_floor(&l, shoal_v3_make(0.5f, 0.5f, 0.5f));
    CHECK_OK(render_tracer_commit(l.tracer));
    shoal_v3 seen = mean(&l, shoal_v3_make(0.0f, 2.0f, 2.0f), shoal_v3_make(0.1f, -1.0f, -1.0f), 64);
    CHECK_NEAR((double)seen.x, 0.4, 1e-4);
    lab_close(&l);
}

static void a_small_lamp_falls_off_with_the_square_of_distance(void** state) {
    (void)state;
    for (int far = 1; far <= 2; far++) {
        lab l;
        lab_open(&l, black);
        l.lights.lamp_count = 1;
        l.lights.lamps[0]   = (render_lamp){.at      = {0.0f, (float)far, 0.0f},
                                            .right   = {1.0f, 0.0f, 0.0f},
                                            .up      = {0.0f, 0.0f, 1.0f},
                                            .forward = {0.0f, -1.0f, 0.0f},
                                            .half    = 0.02f,
                                            .light   = {100.0f, 100.0f, 100.0f}};
        add_floor(&l, shoal_v3_make(0.5f, 0.5f, 0.5f));
        CHECK_OK(render_tracer_commit(l.tracer));
        shoal_v3 seen = mean(&l, shoal_v3_make(0.0f, 1.0f, 1.0f), shoal_v3_make(0.0f, -1.0f, -1.0f), 64);
        CHECK_NEAR((double)seen.x, 0.5 / SHOAL_PI * 100.0 * 0.0016 / (far * far), 2e-4);
        lab_close(&l);
    }
}

static void still_water_mirrors_two_percent_of_the_zenith(void** state) {
    (void)state;
    lab      l;
    shoal_v3 corners[8];
    box_make(shoal_v3_make(-9, -1, -9), shoal_v3_make(9, 1, 9), corners);
    lab_open(&l, white);
    add_mesh(&l, (render_appearance){.kind = RENDER_DIELECTRIC, .ior = 1.333f, .absorption = {99, 99, 99}}, corners, 8,
             NULL, box_triangles, 12);
    CHECK_OK(render_tracer_commit(l.tracer));
    CHECK_NEAR((double)mean(&l, shoal_v3_make(0.1f, 5.0f, 0.2f), shoal_v3_make(0, -1, 0), 16).y, 0.0204, 1e-3);
    lab_close(&l);
}

// A sample that meets the sun in a wave by chance is one of a few: it must not make its pixel white,
// and those beside it see some of it, too.
static void the_sun_in_water_is_a_soft_spot_that_one_sample_does_not_burn_in(void** state) {
    (void)state;
    lab      l;
    shoal_v3 corners[8];
    lab_open(&l, black);
    l.lights.sun_light = shoal_v3_make(3.0f, 3.0f, 3.0f);
    l.lights.most      = 12.0f;
    box_make(shoal_v3_make(-5, -2, -5), shoal_v3_make(5, 0, 5), corners);
    add_mesh(&l, (render_appearance){.kind = RENDER_DIELECTRIC, .ior = 1.333f, .absorption = {99, 99, 99}}, corners, 8,
             NULL, box_triangles, 12);
    CHECK_OK(render_tracer_commit(l.tracer));
    shoal_v3 from   = shoal_v3_make(0.1f, 3.0f, 0.2f);
    double   spot   = (double)mean(&l, from, shoal_v3_make(0.0f, -1.0f, 0.0f), 16).x;
    double   beside = (double)mean(&l, from, shoal_v3_make(0.035f, -1.0f, 0.0f), 16).x; // 2 degrees
    double   away   = (double)mean(&l, from, shoal_v3_make(0.1f, -1.0f, 0.0f), 16).x;
    CHECK_NEAR(spot, 3.0, 1e-3); // a quarter of what other light by chance may be
    if (!(beside > 0.5 && away == 0.0)) fail_msg("beside %g, away %g", beside, away);
    lab_close(&l);
}

static void light_is_absorbed_by_depth(void** state) {
    (void)state;
    lab      l;
    shoal_v3 corners[8];
    box_make(shoal_v3_make(-9, 0, -9), shoal_v3_make(9, 0.5f, 9), corners);
    lab_open(&l, white);
    add_mesh(&l, (render_appearance){.kind = RENDER_DIELECTRIC, .ior = 1.0f, .absorption = {2.0f, 1.0f, 0.0f}}, corners,
             8, NULL, box_triangles, 12);
    CHECK_OK(render_tracer_commit(l.tracer));
    shoal_v3 seen = mean(&l, shoal_v3_make(0.1f, 5.0f, 0.2f), shoal_v3_make(0, -1, 0), 4);
    CHECK_NEAR((double)seen.x, exp(-1.0), 1e-3);
    CHECK_NEAR((double)seen.y, exp(-0.5), 1e-3);
    CHECK_NEAR((double)seen.z, 1.0, 1e-4);
    lab_close(&l);
}

static void the_sun_reaches_a_floor_through_water_dimmed_by_depth_and_fresnel(void** state) {
    (void)state;
    lab      l;
    shoal_v3 corners[8];
    float    beyond;
    box_make(shoal_v3_make(-9, -0.01f, -9), shoal_v3_make(9, 0.5f, 9), corners);
    lab_open(&l, black);
    l.lights.sun       = render_unit_of(shoal_v3_make(0.3f, 1.0f, 0.0f)); // not where it is mirrored
    l.lights.sun_light = white;
    add_floor(&l, shoal_v3_make(0.5f, 0.5f, 0.5f));
    add_mesh(&l, (render_appearance){.kind = RENDER_DIELECTRIC, .ior = 1.333f, .absorption = {1.0f, 1.0f, 1.0f}},
             corners, 8, NULL, box_triangles, 12);
    CHECK_OK(render_tracer_commit(l.tracer));
    double cosine = (double)l.lights.sun.y;
    double up     = (1.0 - (double)render_fresnel(1.0f, 1.0f / 1.333f, &beyond)) * exp(-0.5);
    double down   = (1.0 - (double)render_fresnel((float)cosine, 1.0f / 1.333f, &beyond)) * exp(-0.5 / cosine);
    double wanted = 0.5 / SHOAL_PI * cosine * up * down;
    CHECK_NEAR((double)mean(&l, shoal_v3_make(0.1f, 5.0f, 0.2f), shoal_v3_make(0, -1, 0), 256).x, wanted,
               0.02 * wanted);
    lab_close(&l);
}

// A box of glass in water that reaches a little into it, as meshes that are pressed on obstacles
// do.
static void water_pressed_into_glass_ends_at_the_glass(void** state) {
    (void)state;
    static const float into[] = {0.0f, 0.02f};
    double             seen[2];
    for (int k = 0; k < 2; k++) {
        lab      l;
        shoal_v3 outer[8], inner[8], lower[8];
        lab_open(&l, white);
        l.lights.zenith = shoal_v3_make(0.1f, 0.4f, 2.0f);
        l.lights.nadir  = shoal_v3_make(0.7f, 0.0f, 0.0f);
        // glass from 0 to 1 below water from 1 to 2, with another below
        box_make(shoal_v3_make(-9, 0, -9), shoal_v3_make(9, 1, 9), inner);
        box_make(shoal_v3_make(-9, 1.0f - into[k], -9), shoal_v3_make(9, 2, 9), outer);
        box_make(shoal_v3_make(-9, -1, -9), shoal_v3_make(9, into[k], 9), lower);
        add_mesh(&l, (render_appearance){.kind = RENDER_DIELECTRIC, .ior = 1.5f, .rank = 1}, inner, 8, NULL,
                 box_triangles, 12);
        render_appearance water = {.kind = RENDER_DIELECTRIC, .ior = 1.0f};
        if (k == 1) { // of no index: only the glass can be seen
            add_mesh(&l, water, outer, 8, NULL, box_triangles, 12);
            add_mesh(&l, water, lower, 8, NULL, box_triangles, 12);
        }
        CHECK_OK(render_tracer_commit(l.tracer));
        seen[k] = (double)mean(&l, shoal_v3_make(0.1f, 5.0f, 0.2f), shoal_v3_make(0.7f, -1.0f, 0.3f), 4000).x;
        lab_close(&l);
    }
    CHECK_NEAR(seen[1], seen[0], 0.004);
}

static void two_liquids_that_overlap_have_one_surface_between_them(void** state) {
    (void)state;
    static const float overlaps[] = {1e-3f, 0.05f};
    for (int k = 0; k < 2; k++) {
        lab      l;
        shoal_v3 upper[8], lower[8];
        lab_open(&l, white);
        box_make(shoal_v3_make(-9, -1, -9), shoal_v3_make(9, overlaps[k], 9), lower);
        box_make(shoal_v3_make(-9, 0, -9), shoal_v3_make(9, 1, 9), upper);
        add_mesh(
            &l,
            (render_appearance){.kind = RENDER_DIELECTRIC, .ior = 1.0f, .absorption = {1.0f, 0.0f, 0.0f}, .rank = 0},
            upper, 8, NULL, box_triangles, 12);
        add_mesh(
            &l,
            (render_appearance){.kind = RENDER_DIELECTRIC, .ior = 1.0f, .absorption = {0.0f, 1.0f, 0.0f}, .rank = -1},
            lower, 8, NULL, box_triangles, 12);
        CHECK_OK(render_tracer_commit(l.tracer));
        shoal_v3 seen = mean(&l, shoal_v3_make(0.1f, 5.0f, 0.2f), shoal_v3_make(0, -1, 0), 4);
        CHECK_NEAR((double)seen.x, exp(-1.0), 1e-4); // the upper one is there where both are
        CHECK_NEAR((double)seen.y, exp(-1.0), 1e-4);
        lab_close(&l);
    }
}

// Looking down from within water, at a floor without light but that of the sun above.
static void a_drop_that_is_inside_out_is_no_darker_than_its_size(void** state) {
    (void)state;
    sphere s;
    sphere_make(&s);
    for (int turn = 0; turn < 2; turn++) {
        lab l;
        lab_open(&l, white);
        add_mesh(&l, (render_appearance){.kind = RENDER_DIELECTRIC, .ior = 1.333f, .absorption = {0.1f, 0.1f, 0.1f}},
                 s.vertices, SPHERE_VERTICES, NULL, s.triangles, SPHERE_TRIANGLES);
        CHECK_OK(render_tracer_commit(l.tracer));
        // of 100 m of it nothing would be left
        shoal_v3 seen = mean(&l, shoal_v3_make(0.2f, 0.3f, 100.0f), shoal_v3_make(0, 0, -1), 200);
        CHECK_BELOW(0.75, (double)seen.x);
        lab_close(&l);
        for (int k = 0; k < 3 * SPHERE_TRIANGLES; k += 3) {
            int swap           = s.triangles[k];
            s.triangles[k]     = s.triangles[k + 1];
            s.triangles[k + 1] = swap;
        }
    }
}

static void an_eye_in_water_sees_through_the_water_before_it(void** state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        lab      l;
        shoal_v3 corners[8];
        float    beyond, heights[] = {0.1f, 0.3f, 0.6f};
        box_make(shoal_v3_make(-9, -0.01f, -9), shoal_v3_make(9, 0.7f, 9), corners);
        lab_open(&l, black);
        l.lights.sun       = shoal_v3_make(0.0f, 1.0f, 0.0f);
        l.lights.sun_light = white;
        add_floor(&l, shoal_v3_make(0.5f, 0.5f, 0.5f));
        render_appearance water = {.kind = RENDER_DIELECTRIC, .ior = 1.333f, .absorption = {2.0f, 2.0f, 2.0f}};
        add_mesh(&l, water, corners, 8, NULL, box_triangles, 12);
        CHECK_OK(render_tracer_commit(l.tracer));
        double   sun    = (1.0 - (double)render_fresnel(1.0f, 1.0f / 1.333f, &beyond)) * exp(-2.0 * 0.7);
        double   wanted = 0.5 / SHOAL_PI * sun * exp(-2.0 * (double)heights[k]);
        shoal_v3 seen   = mean(&l, shoal_v3_make(0.1f, heights[k], 0.2f), shoal_v3_make(0, -1, 0), 16);
        CHECK_NEAR((double)seen.x, wanted, 0.01 * wanted);
        lab_close(&l);
    }
}

static void a_lamp_in_water_shines_through_as_much_of_it_as_is_before_it(void** state) {
    (void)state;
    for (int is_dry = 0; is_dry < 2; is_dry++) {
        lab      l;
        shoal_v3 corners[8];
        // water all around the lamp; the floor is in it, or 0.3 m below it
        box_make(shoal_v3_make(-9, is_dry ? 0.3f : -0.01f, -9), shoal_v3_make(9, 3.0f, 9), corners);
        lab_open(&l, black);
        l.lights.lamp_count = 1;
        l.lights.lamps[0]   = (render_lamp){.at      = {0.0f, 1.0f, 0.0f},
                                            .right   = {1.0f, 0.0f, 0.0f},
                                            .up      = {0.0f, 0.0f, 1.0f},
                                            .forward = {0.0f, -1.0f, 0.0f},
                                            .half    = 0.02f,
                                            .light   = {100.0f, 100.0f, 100.0f}};
        add_floor(&l, shoal_v3_make(0.5f, 0.5f, 0.5f));
        render_appearance water = {.kind = RENDER_DIELECTRIC, .ior = 1.0f, .absorption = {1.0f, 1.0f, 1.0f}};
        add_mesh(&l, water, corners, 8, NULL, box_triangles, 12);
        CHECK_OK(render_tracer_commit(l.tracer));
        shoal_v3 from  = shoal_v3_make(0.2f, 0.2f, 0.0f); // to the floor below the lamp
        double   sight = is_dry ? 0.0 : sqrt(0.08), lit = is_dry ? 0.7 : 1.0;
        double   wanted = 0.5 / SHOAL_PI * 100.0 * 0.0016 * exp(-sight - lit);
        CHECK_NEAR((double)mean(&l, from, shoal_v3_make(-1, -1, 0), 64).x, wanted, 0.01 * wanted);
        lab_close(&l);
    }
}

static void panes_let_through_what_they_do_not_mirror(void** state) {
    (void)state;
    static const shoal_v3 corners[] = {{-9, 0, -9}, {-9, 0, 9}, {9, 0, 9}, {9, 0, -9}};
    lab                   l;
    lab_open(&l, black);
    l.lights.zenith = white; // straight up it is white, straight down black
    add_pane(&l, (render_appearance){.kind = RENDER_PANE, .ior = 1.5f}, corners);
    CHECK_OK(render_tracer_commit(l.tracer));
    double mirrored = 2.0 * 0.04 / 1.04;
    CHECK_NEAR((double)mean(&l, shoal_v3_make(0.1f, 5.0f, 0.2f), shoal_v3_make(0, -1, 0), 1024).x, mirrored, 0.003);
    CHECK_NEAR((double)mean(&l, shoal_v3_make(0.1f, -5.0f, 0.2f), shoal_v3_make(0, 1, 0), 1024).x, 1.0 - mirrored,
               0.003);
    lab_close(&l);
    // all its edges are seen from within, from outside its foot alone
    lab_open(&l, black);
    l.lights.horizon = white;
    add_pane(&l, (render_appearance){.kind = RENDER_PANE, .ior = 1.0f, .tile = 0.1f}, corners);
    CHECK_OK(render_tracer_commit(l.tracer));
    CHECK_NEAR((double)mean(&l, shoal_v3_make(8.5f, 5.0f, 0.2f), shoal_v3_make(0, -1, 0), 4).x, 0.0, 1e-3);
    CHECK_NEAR((double)mean(&l, shoal_v3_make(8.95f, 5.0f, 0.2f), shoal_v3_make(0, -1, 0), 4).x, 0.0, 1e-3);
    assert_true(mean(&l, shoal_v3_make(-8.95f, 5.0f, 0.2f), shoal_v3_make(0, -1, 0), 4).x > 0.2f);
    assert_true(mean(&l, shoal_v3_make(8.95f, -5.0f, 0.2f), shoal_v3_make(0, 1, 0), 4).x > 0.2f);
    assert_true(mean(&l, shoal_v3_make(0.2f, -5.0f, -8.95f), shoal_v3_make(0, 1, 0), 4).x > 0.2f);
    lab_close(&l);
}

static void wet_sand_is_darker_than_dry(void** state) {
    (void)state;
    double light[2];
    for (int k = 0; k < 2; k++) {
        lab               l;
        shoal_v4          place      = {0.0f, 0.0f, 0.0f, 1.0f};
        float             wetness    = (float)k;
        render_balls      balls      = {.count = 1, .places = &place, .wetness = &wetness};
        render_appearance appearance = {.kind = RENDER_MATTE, .color = {0.6f, 0.6f, 0.6f}};
        lab_open(&l, white);
        CHECK_OK(render_tracer_appearance(l.tracer, &appearance, &balls.appearance));
        CHECK_OK(render_tracer_balls(l.tracer, &balls));
        CHECK_OK(render_tracer_commit(l.tracer));
        light[k] = (double)mean(&l, shoal_v3_make(0.1f, 0.2f, 5.0f), shoal_v3_make(0, 0, -1), 256).x;
        lab_close(&l);
    }
    CHECK_NEAR(light[0], 0.6, 1e-3);
    assert_true(light[1] > 0.25 && light[1] < 0.4);
}

// Any 64 samples in a row have one in each 64th of every dimension, and one in each cell of 8 x 8.
static void samples_are_well_spread(void** state) {
    (void)state;
    for (int pixel = 0; pixel < 50; pixel++)
        for (int pair = 0; pair < 3; pair++) {
            int along[64] = {0}, across[64] = {0}, cells[64] = {0};
            for (int s = 0; s < 64; s++) {
                render_sampler sampler = render_sampler_make(7, pixel, s);
                float          u, v;
                for (int k = 0; k <= pair; k++) render_sample2(&sampler, &u, &v);
                assert_true(u >= 0.0f && u < 1.0f && v >= 0.0f && v < 1.0f);
                along[(int)(64.0f * u)]++;
                across[(int)(64.0f * v)]++;
                cells[8 * (int)(8.0f * v) + (int)(8.0f * u)]++;
            }
            for (int k = 0; k < 64; k++) assert_true(along[k] == 1 && across[k] == 1 && cells[k] == 1);
        }
}

static void a_moving_ball_is_smeared_while_the_shutter_is_open(void** state) {
    (void)state;
    lab l;
    enum { WIDTH = 64, HEIGHT = 16 };
    static render_pixel pixels[WIDTH * HEIGHT];
    shoal_exec          exec = shoal_exec_make(1);
    memset(pixels, 0, sizeof pixels);
    lab_open(&l, white);
    render_tracer_destroy(l.tracer);
    CHECK_OK(render_tracer_create(1.0, 4.0, &l.tracer));
    shoal_v4          place      = {-1.0f, 0.0f, 0.0f, 0.2f};
    shoal_v3          velocity   = {2.0f, 0.0f, 0.0f};
    render_balls      balls      = {.count = 1, .places = &place, .velocities = &velocity};
    render_appearance appearance = {.kind = RENDER_MATTE, .color = black};
    CHECK_OK(render_tracer_appearance(l.tracer, &appearance, &balls.appearance));
    CHECK_OK(render_tracer_balls(l.tracer, &balls));
    CHECK_OK(render_tracer_commit(l.tracer));
    l.camera     = (render_camera){.eye     = {0.0f, 0.0f, 20.0f},
                                   .right   = {1.0f, 0.0f, 0.0f},
                                   .up      = {0.0f, 1.0f, 0.0f},
                                   .forward = {0.0f, 0.0f, -1.0f},
                                   .across  = 0.1f,
                                   .along   = 0.025f};
    l.job.width  = WIDTH;
    l.job.height = HEIGHT;
    l.job.last   = 64;
    l.job.pixels = pixels;
    l.job.exec   = &exec;
    for (int is_moving = 0; is_moving < 2; is_moving++) {
        l.job.has_motion = is_moving;
        memset(pixels, 0, sizeof pixels);
        CHECK_OK(render_tracer_run(l.tracer, &l.job));
        double dark = 0.0, middle = 0.0;
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            const render_sum* half = pixels[i].half;
            double            off  = 1.0 - (double)(half[0].light.y + half[1].light.y) / 64.0;
            CHECK_NEAR((double)half[0].count, (double)half[1].count, 0.0);
            dark += off;
            if (i == (HEIGHT / 2) * WIDTH + WIDTH / 2) middle = off;
        }
        // a disc of radius 0.2 in pictures of 4 m / 64 pixels
        CHECK_NEAR(dark, SHOAL_PI * 0.04 * 16.0 * 16.0, 0.05 * SHOAL_PI * 0.04 * 256.0);
        // in the middle for a fifth of the time
        CHECK_NEAR(middle, is_moving ? 0.2 : 0.0, 0.04);
    }
    lab_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresnel_is_that_of_water_and_glass),
        cmocka_unit_test(a_white_ball_in_a_white_sky_cannot_be_seen),
        cmocka_unit_test(a_white_ball_in_a_sky_of_any_strength_cannot_be_seen),
        cmocka_unit_test(a_clear_sphere_in_a_white_sky_cannot_be_seen),
        cmocka_unit_test(a_sphere_with_the_index_of_air_is_not_there),
        cmocka_unit_test(a_matte_floor_in_the_sun_is_as_bright_as_lambert_says),
        cmocka_unit_test(a_floor_under_an_even_sky_reflects_its_albedo),
        cmocka_unit_test(a_small_lamp_falls_off_with_the_square_of_distance),
        cmocka_unit_test(still_water_mirrors_two_percent_of_the_zenith),
        cmocka_unit_test(the_sun_in_water_is_a_soft_spot_that_one_sample_does_not_burn_in),
        cmocka_unit_test(light_is_absorbed_by_depth),
        cmocka_unit_test(the_sun_reaches_a_floor_through_water_dimmed_by_depth_and_fresnel),
        cmocka_unit_test(water_pressed_into_glass_ends_at_the_glass),
        cmocka_unit_test(two_liquids_that_overlap_have_one_surface_between_them),
        cmocka_unit_test(a_drop_that_is_inside_out_is_no_darker_than_its_size),
        cmocka_unit_test(an_eye_in_water_sees_through_the_water_before_it),
        cmocka_unit_test(a_lamp_in_water_shines_through_as_much_of_it_as_is_before_it),
        cmocka_unit_test(panes_let_through_what_they_do_not_mirror),
        cmocka_unit_test(wet_sand_is_darker_than_dry),
        cmocka_unit_test(samples_are_well_spread),
        cmocka_unit_test(a_moving_ball_is_smeared_while_the_shutter_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
