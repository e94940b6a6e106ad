// SPDX-License-Identifier: MIT
// Whole pictures of small worlds: blur, threads, water at walls, sand.
#include "unit/check.h"

#include "render/grains.h"
#include "render/attach.h"
#include "render/preview.h"
#include "render/shot.h"
#include "surface/surface.h"

enum { WIDTH = 80, HEIGHT = 40, PARTICLES_MOST = 400 };

typedef struct rig {
    shoal_render_settings settings;
    shoal_surface_params  surface;
    shoal_description     description;
    shoal_world*          world;
    float                 positions[3 * PARTICLES_MOST], velocities[3 * PARTICLES_MOST];
    int32_t               ids[PARTICLES_MOST];
    shoal_surface_field   field;
    render_part           part;
    render_contents       contents;
    shoal_v3              flight; // m, while the shutter is open
    shoal_v3              start;
    shoal_exec            exec;
} rig;

static void rig_open(rig* s, int count, const char* material) {
    memset(s, 0, sizeof *s);
    shoal_params_default(shoal_render_params_table, &s->settings.params);
    shoal_params_default(shoal_camera_params_table, &s->settings.camera);
    shoal_params_default(shoal_lights_params_table, &s->settings.lights);
    shoal_params_default(shoal_background_params_table, &s->settings.background);
    shoal_params_default(shoal_surface_params_table, &s->surface);
    s->settings.width          = WIDTH;
    s->settings.height         = HEIGHT;
    s->settings.params.samples = 16;
    s->settings.params.denoise = false;
    s->description.domain      = (shoal_domain){.is_given = true, .min = {0, 0, 0}, .max = {2, 1, 1}};
    for (int w = 0; w < SHOAL_WALL_COUNT; w++)
        s->description.domain.walls[w].kind = w == SHOAL_TOP ? SHOAL_WALL_OPEN : SHOAL_WALL_SLIP;
    CHECK_OK(shoal_world_create(&s->description, &s->world));
    s->exec     = shoal_exec_make(1);
    s->field    = (shoal_surface_field){"velocity", 3, s->velocities};
    s->part     = (render_part){.name      = material,
                                .particles = {.count       = count,
                                              .positions   = s->positions,
                                              .spacing     = 0.05,
                                              .field_count = 1,
                                              .fields      = &s->field},
                                .ids       = s->ids};
    s->contents = (render_contents){.settings   = &s->settings,
                                    .surface    = &s->surface,
                                    .world      = s->world,
                                    .spacing    = 0.05,
                                    .box        = {{0, 0, 0}, {2, 1, 1}},
                                    .pane_top   = 1,
                                    .part_count = 1,
                                    .parts      = &s->part};
    for (int i = 0; i < count; i++) {
        s->ids[i]               = 7 * i;
        s->positions[3 * i]     = 0.325f + 0.05f * (float)(i % 10);
        s->positions[3 * i + 1] = 0.025f + 0.05f * (float)(i / 40);
        s->positions[3 * i + 2] = 0.325f + 0.05f * (float)(i / 10 % 4);
    }
}

static void rig_close(rig* s) { shoal_world_destroy(s->world); }

static shoal_status contents_at(double part, void* user, const render_contents** out) {
    rig* s = user;
    for (int k = 0; k < 3; k++)
        s->positions[k] = shoal_v3_axis(s->start, k) + (float)part * shoal_v3_axis(s->flight, k);
    *out = &s->contents;
    return SHOAL_OK;
}

static shoal_status contents_still(double part, void* user, const render_contents** out) {
    (void)part;
    *out = &((rig*)user)->contents;
    return SHOAL_OK;
}

static void take(rig* s, bool is_flying, shoal_image* out) {
    render_shot shot = {.settings = &s->settings,
                        .camera = render_camera_make(&s->settings, 0.0, s->contents.box, (double)WIDTH / HEIGHT, false),
                        .lights = render_lights_make(&s->settings),
                        .shutter     = 0.01,
                        .seed        = 1,
                        .exec        = &s->exec,
                        .contents_at = is_flying ? contents_at : contents_still,
                        .user        = s};
    CHECK_OK(render_shot_take(&shot, out));
}

// A lone drop of one particle flies twenty times its width while the shutter is open. Halfway, the
// level sets of both ends are positive everywhere; the drop made of its particle is whole.
static void a_fast_thin_drop_survives_blur_by_particles(void** state) {
    (void)state;
    rig* s = test_malloc(sizeof *s);
    rig_open(s, 1, "drop");
    s->settings.params.ground       = SHOAL_GROUND_NONE;
    s->settings.params.container    = SHOAL_CONTAINER_NONE; // its edges would be in the way
    s->settings.params.samples      = 60;
    s->settings.camera.from         = shoal_d3_make(1.0, 0.5, 6.0);
    s->settings.camera.at           = shoal_d3_make(1.0, 0.5, 0.5);
    s->settings.camera.fov          = 10.0f;
    s->settings.appearance_count    = 1;
    s->settings.lights.sun_strength = 0.0f;
    s->settings.background.zenith = s->settings.background.horizon = s->settings.background.nadir =
        shoal_v3_make(1.0f, 1.0f, 1.0f);
    snprintf(s->settings.appearances[0].name, sizeof s->settings.appearances[0].name, "drop");
    s->settings.appearances[0].appearance =
        (shoal_appearance_params){.kind = SHOAL_APPEARANCE_MATTE, .color = {0.0f, 0.0f, 0.0f}};
    s->start = shoal_v3_make(0.4f, 0.5f, 0.5f);
    double dark[3], halfway[3];
    for (int k = 0; k < 3; k++) {
        shoal_image image;
        s->flight                     = shoal_v3_make(k == 0 ? 0.0f : 1.2f, 0.0f, 0.0f);
        s->settings.params.blur       = SHOAL_BLUR_PARTICLES;
        s->settings.params.blur_steps = k == 2 ? 30 : 3;
        take(s, true, &image);
        dark[k] = halfway[k] = 0.0;
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            double d = 1.0 - (double)image.light[i].y;
            dark[k] += d;
            if (abs(i % WIDTH - WIDTH / 2) < 5) halfway[k] += d;
        }
        shoal_free(image.light);
    }
    assert_true(dark[0] > 1.0);
    assert_true(halfway[0] == 0.0);
    // as much of it is seen in flight as at rest, all along the way
    CHECK_NEAR(dark[1], dark[0], 0.15 * dark[0]);
    CHECK_NEAR(dark[2], dark[0], 0.15 * dark[0]);
    assert_true(halfway[1] > 0.2 * dark[0]);
    assert_true(halfway[2] > 0.1 * dark[0]);
    rig_close(s);
    test_free(s);
}

static void pictures_are_the_same_for_any_number_of_threads(void** state) {
    (void)state;
    static const int blurs[] = {SHOAL_BLUR_NONE, SHOAL_BLUR_VELOCITY, SHOAL_BLUR_PARTICLES};
    rig*             s       = test_malloc(sizeof *s);
    rig_open(s, PARTICLES_MOST, "water");
    for (int i = 0; i < 3 * PARTICLES_MOST; i++) s->velocities[i] = 3.0f * (float)(i % 5 - 2);
    for (int kind = 0; kind < 4; kind++) {
        shoal_image one, two;
        s->settings.params.blur    = blurs[kind % 3];
        s->settings.params.denoise = kind == 0;
        s->part.is_sand            = kind >= 2;
        s->settings.params.sand    = kind == 3 ? SHOAL_SAND_MESH : SHOAL_SAND_GRAINS;
        s->exec                    = shoal_exec_make(1);
        take(s, false, &one);
        s->exec = shoal_exec_make(3);
        take(s, false, &two);
        assert_memory_equal(one.light, two.light, WIDTH * HEIGHT * sizeof *one.light);
        shoal_free(one.light);
        shoal_free(two.light);
    }
    rig_close(s);
    test_free(s);
}

static void previews_are_the_same_for_any_number_of_threads_and_show_the_particles(void** state) {
    (void)state;
    rig* s = test_malloc(sizeof *s);
    rig_open(s, PARTICLES_MOST, "water");
    render_camera camera = render_camera_make(&s->settings, 0.0, s->contents.box, (double)WIDTH / HEIGHT, false);
    render_lights lights = render_lights_make(&s->settings);
    shoal_image   one, two, none;
    CHECK_OK(render_preview_take(&s->contents, &camera, &lights, &s->exec, &one));
    s->exec = shoal_exec_make(3);
    CHECK_OK(render_preview_take(&s->contents, &camera, &lights, &s->exec, &two));
    assert_memory_equal(one.light, two.light, WIDTH * HEIGHT * sizeof *one.light);
    s->part.particles.count = 0;
    CHECK_OK(render_preview_take(&s->contents, &camera, &lights, &s->exec, &none));
    int different = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        different += memcmp(&one.light[i], &none.light[i], sizeof none.light[i]) != 0;
    assert_true(different > WIDTH * HEIGHT / 60 && different < WIDTH * HEIGHT / 2);
    shoal_free(one.light);
    shoal_free(two.light);
    shoal_free(none.light);
    rig_close(s);
    test_free(s);
}

// Balls, ellipsoids and a surface cover about the same pixels; only the last lets what is behind shine through.
static void previews_draw_liquids_in_three_ways(void** state) {
    (void)state;
    rig* s = test_malloc(sizeof *s);
    rig_open(s, PARTICLES_MOST, "water");
    render_camera camera = render_camera_make(&s->settings, 0.0, s->contents.box, (double)WIDTH / HEIGHT, false);
    shoal_image   images[3], none;
    int           covered[3] = {0};
    double        change[3]  = {0};
    for (int draw = SHOAL_DRAW_SPHERES; draw <= SHOAL_DRAW_SURFACE; draw++) {
        s->settings.params.draw = draw;
        render_lights lights    = render_lights_make(&s->settings);
        s->part.particles.count = 0;
        CHECK_OK(render_preview_take(&s->contents, &camera, &lights, &s->exec, &none));
        s->part.particles.count = PARTICLES_MOST;
        CHECK_OK(render_preview_take(&s->contents, &camera, &lights, &s->exec, &images[draw]));
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            shoal_v3 d = shoal_v3_sub(images[draw].light[i], none.light[i]);
            covered[draw] += shoal_v3_dot(d, d) > 0.0f;
            change[draw] += (double)shoal_v3_length(d);
        }
        shoal_free(none.light);
    }
    for (int draw = 1; draw < 3; draw++) CHECK_NEAR((double)covered[draw] / covered[0], 1.0, 0.3);
    assert_memory_not_equal(images[0].light, images[1].light, WIDTH * HEIGHT * sizeof *images[0].light);
    CHECK_BELOW(change[2], 0.7 * change[1]);
    for (int draw = 0; draw < 3; draw++) shoal_free(images[draw].light);
    rig_close(s);
    test_free(s);
}

// A square that stands before the water, of either look.
static void previews_show_obstacles_and_tell_liquids_apart(void** state) {
    (void)state;
    rig* s = test_malloc(sizeof *s);
    rig_open(s, PARTICLES_MOST, "first");
    float              corners[] = {0.2f, 0, 0.9f, 0.9f, 0, 0.9f, 0.9f, 0.6f, 0.9f, 0.2f, 0.6f, 0.9f};
    float              normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    int                both[]    = {0, 1, 2, 0, 2, 3};
    shoal_surface_mesh mesh      = {
             .vertex_count = 4, .triangle_count = 2, .positions = corners, .normals = normals, .triangles = both};
    render_solid solid = {"screen", &mesh};
    render_part  parts[2];
    parts[0] = parts[1]      = s->part;
    parts[0].particles.count = parts[1].particles.count = PARTICLES_MOST / 2;
    parts[1].particles.positions += 3 * (PARTICLES_MOST / 2);
    parts[1].name          = "second";
    s->contents.part_count = 2;
    s->contents.parts      = parts;
    s->contents.solids     = &solid;
    render_camera camera   = render_camera_make(&s->settings, 0.0, s->contents.box, (double)WIDTH / HEIGHT, false);
    render_lights lights   = render_lights_make(&s->settings);
    double        red[3], blue[3];
    for (int k = 0; k < 3; k++) {
        shoal_image image;
        s->contents.solid_count = k > 0;
        if (k == 2) {
            s->settings.appearance_count = 1;
            snprintf(s->settings.appearances[0].name, sizeof s->settings.appearances[0].name, "screen");
            s->settings.appearances[0].appearance =
                (shoal_appearance_params){.kind = SHOAL_APPEARANCE_GLASS, .color = {(float)INFINITY, 0.0f, 0.0f}};
        }
        CHECK_OK(render_preview_take(&s->contents, &camera, &lights, &s->exec, &image));
        red[k] = blue[k] = 0.0;
        for (int i = 0; i < WIDTH * HEIGHT; i++) { // more red than blue, and the other way
            red[k] += image.light[i].x > 1.5f * image.light[i].z;
            blue[k] += image.light[i].z > 3.0f * image.light[i].x;
        }
        shoal_free(image.light);
    }
    assert_true(red[0] > 30.0 && blue[0] > 30.0);            // the two liquids
    assert_true(blue[1] < 0.5 * blue[0] && red[1] > red[0]); // are behind a screen of clay
    assert_true(red[2] < 0.5 * red[1]);                      // or of glass
    rig_close(s);
    test_free(s);
}

// Where a point is in the picture: x and y from -1 (left, bottom) to 1; false behind the eye.
static bool is_seen_at(const render_camera* c, shoal_v3 point, float out[2]) {
    shoal_v3 d   = shoal_v3_sub(point, c->eye);
    float    far = shoal_v3_dot(d, c->forward);
    out[0]       = shoal_v3_dot(d, c->right) / (far * c->across);
    out[1]       = shoal_v3_dot(d, c->up) / (far * c->along);
    return far > 0.0f;
}

static void the_default_camera_sees_every_corner(void** state) {
    (void)state;
    static const shoal_box boxes[]  = {{{0, 0, 0}, {3, 1, 0.8}}, {{-1, 0, -20}, {1, 1, 20}}, {{0, 0, 0}, {1, 9, 1}}};
    shoal_render_settings  settings = {0};
    shoal_params_default(shoal_camera_params_table, &settings.camera);
    for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; b++)
        for (int shape = 1; shape <= 3; shape++) {
            bool          is_open = shape == 2; // no domain: seen more from above
            render_camera camera  = render_camera_make(&settings, 0.0, boxes[b], (double)shape, is_open);
            float         most    = 0.0f;
            CHECK_NEAR((double)camera.forward.y, is_open ? -0.5 : -0.225, 0.001);
            for (int k = 0; k < 8; k++) {
                float    at[2];
                shoal_d3 p =
                    shoal_d3_make(k & 1 ? boxes[b].max.x : boxes[b].min.x, k & 2 ? boxes[b].max.y : boxes[b].min.y,
                                  k & 4 ? boxes[b].max.z : boxes[b].min.z);
                assert_true(is_seen_at(&camera, shoal_v3_from(p), at));
                most = fmaxf(most, fmaxf(fabsf(at[0]), fabsf(at[1])));
            }
            assert_true(most <= 0.99f && most > 0.8f); // all of it, and as large as can be
        }
}

static void a_camera_goes_from_view_to_view_and_stands_still_outside_of_them(void** state) {
    (void)state;
    shoal_box             seen     = {{0, 0, 0}, {2, 2, 2}};
    shoal_render_settings settings = {.view_count = 2};
    shoal_params_default(shoal_camera_params_table, &settings.camera);
    settings.views[0] = (shoal_view_params){1.0, {0, 1, 5}, {0, 1, 0}, 30.0f};
    settings.views[1] = (shoal_view_params){3.0, {4, 1, 5}, {4, 1, 0}, 60.0f};
    // clang-format off
    static const struct { double time; float x, along; } right[] = {
        {0.0, 0.0f, 0.26795f}, {1.0, 0.0f, 0.26795f}, {2.0, 2.0f, 0.41421f}, {3.0, 4.0f, 0.57735f}, {9.0, 4.0f, 0.57735f}};
    // clang-format on
    for (int k = 0; k < 5; k++) {
        render_camera camera = render_camera_make(&settings, right[k].time, seen, 1.5, false);
        CHECK_NEAR((double)camera.eye.x, (double)right[k].x, 1e-5);
        CHECK_NEAR((double)camera.along, (double)right[k].along, 1e-4);
        CHECK_NEAR((double)camera.forward.z, -1.0, 1e-6);
    }
    // one that looks at nothing in particular looks at the middle of what there is to see
    settings.views[0].at.x = settings.views[1].at.x = (double)INFINITY;
    render_camera camera                            = render_camera_make(&settings, 2.0, seen, 1.5, false);
    CHECK_NEAR((double)camera.forward.x, -1.0 / sqrt(17.0), 1e-5);
}

// Drops that fly while the shutter is open, seen by few rays: what is next to each other differs
// less after denoising, and the picture is as bright as it was.
static void denoising_smooths_what_moves(void** state) {
    (void)state;
    rig* s = test_malloc(sizeof *s);
    rig_open(s, 40, "sand");
    s->part.is_sand            = true;
    s->settings.params.samples = 8;
    s->settings.params.blur    = SHOAL_BLUR_VELOCITY;
    for (int i = 0; i < 40; i++) {
        s->positions[3 * i + 1] += 0.4f;
        s->velocities[3 * i] = 60.0f; // 0.6 m while it is open
    }
    double rough[2], light[2];
    for (int k = 0; k < 2; k++) {
        shoal_image image;
        s->settings.params.denoise = k;
        take(s, false, &image);
        rough[k] = light[k] = 0.0;
        for (int y = 8; y < 20; y++)
            for (int x = 20; x < 60; x++) {
                const shoal_v3* p = &image.light[y * WIDTH + x];
                rough[k] += fabs((double)(2.0f * p[0].y - p[-1].y - p[1].y));
                light[k] += (double)p[0].y;
            }
        shoal_free(image.light);
    }
    assert_true(rough[1] < 0.75 * rough[0]);
    CHECK_NEAR(light[1], light[0], 0.03 * light[0]);
    rig_close(s);
    test_free(s);
}

// Cells of grains fill space evenly, so a lattice of particles is not seen as rows.
static void grains_of_a_lattice_lie_evenly(void** state) {
    (void)state;
    enum { BINS = 10 };
    rig* s = test_malloc(sizeof *s);
    rig_open(s, PARTICLES_MOST, "sand");
    render_balls balls;
    void*        memory;
    int          bins[BINS] = {0}, count = 0;
    CHECK_OK(render_grains_make(&s->part, &s->contents, shoal_v3_make(0.6f, 0.5f, 0.3f), &s->exec, &balls, &memory));
    for (int i = 0; i < balls.count; i++) {
        double x = ((double)balls.places[i].x - 0.3) / 0.05; // cells begin at whole numbers
        if (x < 1.0 || x > 9.0) continue;
        bins[(int)(BINS * (x - floor(x)))]++;
        count++;
    }
    for (int b = 0; b < BINS; b++) // five standard deviations of chance
        CHECK_NEAR((double)bins[b], count / (double)BINS, 5.0 * sqrt(count / (double)BINS));
    shoal_free(memory);
    rig_close(s);
    test_free(s);
}

// A block of water in a corner: its sides are flat on the walls and below the ground.
static void water_is_pressed_on_the_walls_it_touches(void** state) {
    (void)state;
    rig* s = test_malloc(sizeof *s);
    rig_open(s, PARTICLES_MOST, "water");
    for (int i = 0; i < PARTICLES_MOST; i++) {
        s->positions[3 * i] -= 0.3f; // to the wall at x = 0
        s->positions[3 * i + 2] += 2.0f;
    }
    s->description.domain.max.z = 4.0;
    shoal_world_destroy(s->world);
    CHECK_OK(shoal_world_create(&s->description, &s->world));
    shoal_surface_mesh* mesh;
    uint8_t*            is_flat;
    CHECK_OK(shoal_surface_build(&s->surface, &s->part.particles, &s->exec, shoal_isa_best(), &mesh));
    CHECK_OK(render_attach(mesh, s->world, 0.05, 0, &s->exec, &is_flat));
    int on_wall = 0, in_ground = 0, flat = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const float *p = mesh->positions + 3 * i, *n = mesh->normals + 3 * i;
        CHECK_NEAR((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), 1.0, 1e-4);
        on_wall += p[0] == 0.0f;
        in_ground += p[1] < 0.0f;
        assert_true(p[0] == 0.0f || p[0] > 0.02f || n[0] > 0.2f);
    }
    for (int t = 0; t < mesh->triangle_count; t++) flat += is_flat[t];
    assert_true(on_wall > 100 && in_ground > 100 && flat > 200 && flat < mesh->triangle_count / 2);
    shoal_free(is_flat);
    shoal_surface_mesh_destroy(mesh);
    rig_close(s);
    test_free(s);
}

// A few particles that are missing at the floor leave no bubble there.
static void a_hole_at_a_wall_is_closed(void** state) {
    (void)state;
    rig* s = test_malloc(sizeof *s);
    rig_open(s, PARTICLES_MOST, "water");
    static const int missing[] = {14, 15, 16, 24, 25, 26};
    for (int k = 0; k < 6; k++) memcpy(s->positions + 3 * missing[k], s->positions, 3 * sizeof *s->positions);
    shoal_surface_mesh* mesh;
    uint8_t*            is_flat;
    CHECK_OK(shoal_surface_build(&s->surface, &s->part.particles, &s->exec, shoal_isa_best(), &mesh));
    double deepest = 0.0;
    int    below   = 0;
    for (int attached = 0; attached < 2; attached++) {
        if (attached) CHECK_OK(render_attach(mesh, s->world, 0.05, 0, &s->exec, &is_flat));
        for (int i = 0; i < mesh->vertex_count; i++) {
            const float* p = mesh->positions + 3 * i;
            if (hypot((double)p[0] - 0.575, (double)p[2] - 0.4) > 0.06 || p[1] > 0.12f) continue;
            if (!attached)
                deepest = fmax(deepest, (double)p[1]);
            else
                assert_true(p[1] < 0.0f), below++;
        }
    }
    printf("the hole was %.2f spacings deep\n", deepest / 0.05);
    assert_true(deepest > 0.8 * 0.05 && below > 10);
    shoal_free(is_flat);
    shoal_surface_mesh_destroy(mesh);
    rig_close(s);
    test_free(s);
}

// Particles of other programs may lie anywhere: those beyond a wall stay there.
static void what_lies_far_beyond_a_wall_is_not_pressed_on_it(void** state) {
    (void)state;
    rig* s = test_malloc(sizeof *s);
    rig_open(s, 40, "water");
    for (int i = 0; i < 40; i++) s->positions[3 * i] += 3.0f;
    shoal_surface_mesh* mesh;
    uint8_t*            is_flat;
    CHECK_OK(shoal_surface_build(&s->surface, &s->part.particles, &s->exec, shoal_isa_best(), &mesh));
    CHECK_OK(render_attach(mesh, s->world, 0.05, 0, &s->exec, &is_flat));
    assert_true(mesh->vertex_count > 100);
    for (int i = 0; i < mesh->vertex_count; i++) assert_true(mesh->positions[3 * i] > 3.0f);
    shoal_free(is_flat);
    shoal_surface_mesh_destroy(mesh);
    rig_close(s);
    test_free(s);
}

// Pixels that are not as without any particle.
static int pixels_of(rig* s) {
    shoal_image with, without;
    int64_t     count = s->part.particles.count;
    int         all   = 0;
    take(s, false, &with);
    s->part.particles.count = 0;
    take(s, false, &without);
    s->part.particles.count = count;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        all += fabs((double)(with.light[i].y - without.light[i].y)) > 0.1 * (double)without.light[i].y;
    shoal_free(with.light);
    shoal_free(without.light);
    return all;
}

// Half full pores are seen as grains, full ones as a mesh; between them grains go one by one, and those left stay.
static void sand_that_fills_up_fades_from_grains_into_a_mesh(void** state) {
    (void)state;
    rig* s = test_malloc(sizeof *s);
    rig_open(s, PARTICLES_MOST, "sand");
    float        saturation[PARTICLES_MOST] = {0};
    render_balls dry, half, full;
    void *       memory_dry, *memory_half, *memory_full;
    shoal_v3     color = {0.6f, 0.5f, 0.3f};
    s->part.is_sand    = true;
    s->field           = (shoal_surface_field){"saturation", 1, saturation};
    for (int i = 0; i < PARTICLES_MOST; i++) saturation[i] = 0.5f;
    CHECK_OK(render_grains_make(&s->part, &s->contents, color, &s->exec, &dry, &memory_dry));
    int seen_dry = pixels_of(s);
    for (int i = 0; i < PARTICLES_MOST; i++) saturation[i] = 0.75f;
    CHECK_OK(render_grains_make(&s->part, &s->contents, color, &s->exec, &half, &memory_half));
    int seen_half = pixels_of(s);
    for (int i = 0; i < PARTICLES_MOST; i++) saturation[i] = 1.5f;
    CHECK_OK(render_grains_make(&s->part, &s->contents, color, &s->exec, &full, &memory_full));
    int seen_full = pixels_of(s);
    printf("grains %d, %d, %d; pixels %d, %d, %d\n", dry.count, half.count, full.count, seen_dry, seen_half, seen_full);
    assert_int_equal(dry.count, 10 * PARTICLES_MOST);
    assert_int_equal(half.count, 5 * PARTICLES_MOST);
    assert_int_equal(full.count, 0);
    for (int i = 0; i < PARTICLES_MOST; i++)
        assert_memory_equal(half.places + 5 * i, dry.places + 10 * i, 5 * sizeof *dry.places);
    assert_true(seen_dry > 100);
    CHECK_NEAR((double)seen_half, (double)seen_dry, 0.3 * seen_dry);
    CHECK_NEAR((double)seen_full, (double)seen_dry, 0.3 * seen_dry);
    shoal_free(memory_dry);
    shoal_free(memory_half);
    shoal_free(memory_full);
    rig_close(s);
    test_free(s);
}

static void grains_belong_to_the_number_of_their_particle(void** state) {
    (void)state;
    rig* s = test_malloc(sizeof *s);
    rig_open(s, 40, "sand");
    render_balls one, two;
    void *       memory_one, *memory_two;
    CHECK_OK(render_grains_make(&s->part, &s->contents, shoal_v3_make(0.6f, 0.5f, 0.3f), &s->exec, &one, &memory_one));
    assert_int_equal(one.count, 400);
    // the first particle is gone, the others moved up
    s->part.ids++;
    s->part.particles.positions += 3;
    s->part.particles.count--;
    CHECK_OK(render_grains_make(&s->part, &s->contents, shoal_v3_make(0.6f, 0.5f, 0.3f), &s->exec, &two, &memory_two));
    assert_memory_equal(one.places + 10, two.places, 390 * sizeof *two.places);
    assert_memory_equal(one.colors + 10, two.colors, 390 * sizeof *two.colors);
    for (int i = 0; i < one.count; i++)
        assert_true(one.places[i].y >= one.places[i].w * 0.999f); // none is in the ground
    shoal_free(memory_one);
    shoal_free(memory_two);
    rig_close(s);
    test_free(s);
}

// Solver `grains`: each particle is a grain, of a size of its own.
static void a_particle_with_a_radius_is_drawn_as_the_grain_it_is(void** state) {
    (void)state;
    enum { COUNT = 40 };
    rig*                s = test_malloc(sizeof *s);
    float               radius[COUNT], wetness[COUNT];
    shoal_surface_field fields[] = {{"radius", 1, radius}, {"wetness", 1, wetness}};
    rig_open(s, COUNT, "sand");
    for (int i = 0; i < COUNT; i++) {
        radius[i]  = 0.02f + 0.0001f * (float)i;
        wetness[i] = 0.1f * (float)i;
    }
    radius[1]                     = NAN;
    s->part.particles.fields      = fields;
    s->part.particles.field_count = 2;
    const int as_asked[][2]       = {{0, COUNT}, {1, COUNT}, {3, 3 * COUNT}};
    for (int k = 0; k < 3; k++) {
        render_balls balls;
        void*        memory;
        s->settings.params.grains = as_asked[k][0];
        CHECK_OK(
            render_grains_make(&s->part, &s->contents, shoal_v3_make(0.6f, 0.5f, 0.3f), &s->exec, &balls, &memory));
        assert_int_equal(balls.count, as_asked[k][1]);
        for (int i = 0; i < COUNT && k < 2; i++) {
            assert_memory_equal(&balls.places[i], s->positions + 3 * i, 3 * sizeof(float));
            CHECK_NEAR((double)balls.places[i].w, i == 1 ? 0.025 : (double)radius[i], 1e-6);
        }
        shoal_free(memory);
    }
    rig_close(s);
    test_free(s);
}

// Two heaps of two materials: one colour, but for the water in the second.
static void previews_darken_wet_sand_and_have_one_colour_for_all_sands(void** state) {
    (void)state;
    enum { COUNT = PARTICLES_MOST };
    rig*                s = test_malloc(sizeof *s);
    render_part         parts[2];
    float               wetness[COUNT], there[3 * COUNT];
    shoal_surface_field field = {"wetness", 1, wetness};
    rig_open(s, COUNT, "dry");
    s->part.is_sand                = true;
    parts[0]                       = s->part;
    parts[1]                       = s->part;
    parts[1].name                  = "wet";
    parts[1].particles.positions   = there;
    parts[1].particles.fields      = &field;
    parts[1].particles.field_count = 1;
    s->contents.parts              = parts;
    s->contents.part_count         = 2;
    for (int i = 0; i < 3 * COUNT; i++) there[i] = s->positions[i] + (i % 3 == 0 ? 0.85f : 0.0f);
    s->settings.camera.from         = shoal_d3_make(0.975, 0.25, 6.0); // both alike
    s->settings.camera.at           = shoal_d3_make(0.975, 0.25, 0.4);
    s->settings.camera.fov          = 20.0f;
    s->settings.params.ground       = SHOAL_GROUND_NONE;
    s->settings.lights.sun_strength = 0.0f;
    render_camera camera = render_camera_make(&s->settings, 0.0, s->contents.box, (double)WIDTH / HEIGHT, false);
    render_lights lights = render_lights_make(&s->settings);
    for (int k = 0; k < 2; k++) {
        shoal_image image;
        double      light[2] = {0.0, 0.0};
        for (int i = 0; i < COUNT; i++) wetness[i] = k == 0 ? 0.0f : 1.8f;
        CHECK_OK(render_preview_take(&s->contents, &camera, &lights, &s->exec, &image));
        for (int i = 0; i < 16; i++) // in the middle of either front
            for (int side = 0; side < 2; side++)
                light[side] +=
                    (double)image.light[(HEIGHT / 2 - 2 + i / 4) * WIDTH + WIDTH / 2 + (side ? 6 + i % 4 : -7 - i % 4)]
                        .x;
        CHECK_NEAR(light[1] / light[0], k == 0 ? 1.0 : 0.49, 0.03);
        shoal_free(image.light);
    }
    rig_close(s);
    test_free(s);
}

// What moves as a whole takes its texture along.
static void the_texture_of_sand_goes_with_its_particles(void** state) {
    (void)state;
    rig*     s = test_malloc(sizeof *s);
    shoal_v3 rest[PARTICLES_MOST], color = {0.6f, 0.5f, 0.3f};
    rig_open(s, PARTICLES_MOST, "sand");
    memcpy(rest, s->positions, sizeof rest);
    s->part.rest = rest;
    render_texture *still, *moved;
    CHECK_OK(render_texture_create(&s->part, &s->contents, color, &still));
    for (int i = 0; i < PARTICLES_MOST; i++) s->positions[3 * i] += 0.5f;
    CHECK_OK(render_texture_create(&s->part, &s->contents, color, &moved));
    double spread = 0.0;
    float  before = 0.0f;
    for (int k = 0; k < 100; k++) {
        shoal_v3 at = shoal_v3_make(0.35f + 0.004f * (float)k, 0.2f, 0.4f), there = at;
        there.x += 0.5f;
        shoal_v3 a, b, n[2] = {{0, 1, 0}, {0, 1, 0}};
        render_texture_sample(still, at, &a, &n[0]);
        render_texture_sample(moved, there, &b, &n[1]);
        CHECK_NEAR((double)a.x, (double)b.x, 2e-3);
        CHECK_NEAR((double)n[0].y, (double)n[1].y, 2e-3);
        spread += fabs((double)(a.x - before));
        before = a.x;
    }
    assert_true(spread / 100.0 > 0.02); // it is no plain colour
    render_texture_destroy(still);
    render_texture_destroy(moved);
    rig_close(s);
    test_free(s);
}

static void sand_as_a_mesh_is_of_the_colour_of_its_grains(void** state) {
    (void)state;
    rig*     s = test_malloc(sizeof *s);
    shoal_v3 mean[2];
    rig_open(s, PARTICLES_MOST, "sand");
    s->part.is_sand         = true;
    s->settings.camera.from = shoal_d3_make(0.6, 0.6, 3.0); // its front fills the picture
    s->settings.camera.at   = shoal_d3_make(0.55, 0.25, 0.4);
    s->settings.camera.fov  = 4.0f;
    for (int k = 0; k < 2; k++) {
        shoal_image image;
        s->settings.params.sand = k == 0 ? SHOAL_SAND_GRAINS : SHOAL_SAND_MESH;
        take(s, false, &image);
        mean[k] = shoal_v3_make(0.0f, 0.0f, 0.0f);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            mean[k] = shoal_v3_add_scaled(mean[k], image.light[i], 1.0f / (WIDTH * HEIGHT));
        shoal_free(image.light);
    }
    for (int e = 0; e < 3; e++) CHECK_NEAR((double)(shoal_v3_axis(mean[1], e) / shoal_v3_axis(mean[0], e)), 1.0, 0.3);
    // and as warm
    CHECK_NEAR((double)(mean[1].x / mean[1].z / (mean[0].x / mean[0].z)), 1.0, 0.15);
    rig_close(s);
    test_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sand_as_a_mesh_is_of_the_colour_of_its_grains),
        cmocka_unit_test(a_fast_thin_drop_survives_blur_by_particles),
        cmocka_unit_test(pictures_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(previews_are_the_same_for_any_number_of_threads_and_show_the_particles),
        cmocka_unit_test(previews_draw_liquids_in_three_ways),
        cmocka_unit_test(previews_show_obstacles_and_tell_liquids_apart),
        cmocka_unit_test(the_default_camera_sees_every_corner),
        cmocka_unit_test(a_camera_goes_from_view_to_view_and_stands_still_outside_of_them),
        cmocka_unit_test(denoising_smooths_what_moves),
        cmocka_unit_test(grains_of_a_lattice_lie_evenly),
        cmocka_unit_test(water_is_pressed_on_the_walls_it_touches),
        cmocka_unit_test(a_hole_at_a_wall_is_closed),
        cmocka_unit_test(what_lies_far_beyond_a_wall_is_not_pressed_on_it),
        cmocka_unit_test(sand_that_fills_up_fades_from_grains_into_a_mesh),
        cmocka_unit_test(grains_belong_to_the_number_of_their_particle),
        cmocka_unit_test(a_particle_with_a_radius_is_drawn_as_the_grain_it_is),
        cmocka_unit_test(previews_darken_wet_sand_and_have_one_colour_for_all_sands),
        cmocka_unit_test(the_texture_of_sand_goes_with_its_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
