// SPDX-License-Identifier: MIT
// Surfaces of clouds whose right surface is known.
#include "clouds.h"

#include "exec/exec.h"
#include "surface/surface.h"

static const char* const methods[] = {"method=zhu-bridson", "method=blobby", "method=color-field",
                                      "method=anisotropic"};
enum { METHODS = 4 };

static void closed(const shoal_surface_mesh* m, double cell) {
    check_closed(m->positions, m->vertex_count, m->triangles, m->triangle_count, cell);
}

static double distance(const shoal_surface_mesh* m, int i) {
    const float* p = m->positions + 3 * i;
    return sqrt((double)p[0] * (double)p[0] + (double)p[1] * (double)p[1] + (double)p[2] * (double)p[2]);
}

static void a_single_particle_gives_an_exact_sphere(void** state) {
    (void)state;
    // clang-format off
    const char* const settings[][5] = {
        {"smoothing=0",   "filling=0",  "cell=0.1",   "radius=0.7", NULL},
        {"method=blobby", "radius=0.7", "cell=0.1", NULL},
    };
    // clang-format on
    cloud c = {0};
    cloud_add(&c, 0, 0, 0);
    for (int k = 0; k < 2; k++) {
        shoal_surface_mesh* m = surface_of(&c, 0.02, settings[k], 1);
        assert_true(m->triangle_count > 500);
        closed(m, 0.002);
        for (int i = 0; i < m->vertex_count; i++) { // between samples a sphere is no straight line: (cell/2)^2 / 2r
            const float *p = m->positions + 3 * i, *n = m->normals + 3 * i;
            CHECK_NEAR(distance(m, i), 0.7 * 0.02, 0.002 * 0.03);
            double dot = ((double)p[0] * (double)n[0] + (double)p[1] * (double)n[1] + (double)p[2] * (double)n[2]) /
                         distance(m, i);
            assert_true(dot > 0.999);
        }
        shoal_surface_mesh_destroy(m);
    }
    cloud_free(&c);
}

static void a_lone_particle_is_seen_by_every_method(void** state) {
    (void)state;
    cloud c = {0};
    cloud_add(&c, 1.003, -2.1, 0.4);
    for (int k = 0; k < METHODS; k++) {
        shoal_surface_mesh* m = surface_of(&c, 0.1, (const char* const[]){methods[k], NULL}, 1);
        closed(m, 0.05);
        double volume = shoal_surface_mesh_volume(m) / 1e-3;
        if (!(volume > 0.1 && volume < 2.0)) fail_msg("%s: %g d^3", methods[k], volume);
        shoal_surface_mesh_destroy(m);
    }
    cloud_free(&c);
}

static void a_half_space_is_flat(void** state) {
    (void)state;
    const double d = 0.013;
    cloud        c = cloud_box(d, 14, 10);
    for (int k = 0; k < METHODS; k++) {
        if (k == 1) continue; // blobs are fitted to lone particles
        shoal_surface_mesh* m = surface_of(&c, d, (const char* const[]){methods[k], NULL}, 2);
        closed(m, 0.5 * d);
        int seen = 0;
        for (int i = 0; i < m->vertex_count; i++) {
            const float* p = m->positions + 3 * i;
            if (fabs((double)p[0]) > 5 * d || fabs((double)p[2]) > 5 * d || (double)p[1] < -3 * d) continue;
            if (!(fabs((double)p[1]) < 0.05 * d)) fail_msg("%s: y = %g d", methods[k], (double)p[1] / d);
            assert_true((double)m->normals[3 * i + 1] > 0.99);
            seen++;
        }
        assert_true(seen > 300);
        shoal_surface_mesh_destroy(m);
    }
    cloud_free(&c);
}

static void a_ball_keeps_its_radius_and_volume(void** state) {
    (void)state;
    const double d = 0.05, radius = 10 * d;
    cloud        c = cloud_shells(d, radius);
    for (int k = 0; k < METHODS; k++) {
        if (k == 1) continue;
        shoal_surface_mesh* m = surface_of(&c, d, (const char* const[]){methods[k], NULL}, 2);
        closed(m, 0.5 * d);
        double mean = 0, worst = 0;
        for (int i = 0; i < m->vertex_count; i++) {
            mean += distance(m, i);
            worst = fmax(worst, fabs(distance(m, i) - radius));
        }
        mean /= m->vertex_count;
        print_message("%s: mean %+.3f d, worst %.3f d\n", methods[k], (mean - radius) / d, worst / d);
        CHECK_NEAR(mean / d, radius / d, 0.1);
        CHECK_BELOW(worst, 0.3 * d);
        CHECK_NEAR(shoal_surface_mesh_volume(m) / (c.count * d * d * d), 1.0, 0.12);
        shoal_surface_mesh_destroy(m);
    }
    cloud_free(&c);
}

static void threads_and_instruction_sets_give_the_same_bits(void** state) {
    (void)state;
    cloud c = cloud_ball(0.05, 0.4, 0.8);
    for (int k = 0; k < METHODS; k++) {
        uint64_t hash = 0;
        for (int variant = 0; variant < 4; variant++) {
            shoal_surface_params p;
            shoal_params_default(shoal_surface_params_table, &p);
            p.method                     = k;
            p.taubin                     = 2;
            p.snap                       = 0.2f;
            shoal_exec              exec = {.threads = variant == 0 ? 1 : 3};
            shoal_isa_kind          isa  = shoal_isa_best();
            shoal_surface_particles in   = {.count = c.count, .positions = c.positions, .spacing = 0.05};
            shoal_surface_field     same = {"place", 3, c.positions};
            in.field_count               = 1;
            in.fields                    = &same;
            if (variant == 2) isa = isa > SHOAL_ISA_SSE2 ? SHOAL_ISA_SSE2 : isa;
            if (variant == 3) isa = isa > SHOAL_ISA_AVX2 ? SHOAL_ISA_AVX2 : isa;
            shoal_surface_mesh* m = NULL;
            CHECK_OK(shoal_surface_build(&p, &in, &exec, isa, &m));
            size_t   v = (size_t)m->vertex_count * 12;
            uint64_t h = shoal_hash(m->positions, v, 0);
            h          = shoal_hash(m->normals, v, h);
            h          = shoal_hash(m->fields[0].data, v, h);
            h          = shoal_hash(m->triangles, (size_t)m->triangle_count * 12, h);
            if (variant == 0) hash = h;
            assert_true(h == hash);
            shoal_surface_mesh_destroy(m);
        }
    }
    cloud_free(&c);
}

// phi at a point, from the paper's formula alone.
static double brute_phi(const cloud* c, double support, double radius, const float* at) {
    double sum[4] = {0};
    for (int i = 0; i < c->count; i++) {
        const float* p = c->positions + 3 * i;
        double       x = (double)p[0], y = (double)p[1], z = (double)p[2];
        double       dx = x - (double)at[0], dy = y - (double)at[1], dz = z - (double)at[2];
        double       t = 1.0 - (dx * dx + dy * dy + dz * dz) / (support * support);
        if (t <= 0) continue;
        t = t * t * t;
        sum[0] += t, sum[1] += t * x, sum[2] += t * y, sum[3] += t * z;
    }
    double dx = (double)at[0] - sum[1] / sum[0], dy = (double)at[1] - sum[2] / sum[0],
           dz = (double)at[2] - sum[3] / sum[0];
    return sqrt(dx * dx + dy * dy + dz * dz) - radius;
}

static void vertices_lie_where_the_formula_of_the_paper_is_zero(void** state) {
    (void)state;
    const double        d = 0.1;
    cloud               c = cloud_ball(d, 0.45, 0.6);
    shoal_surface_mesh* m = surface_of(
        &c, d, (const char* const[]){"smoothing=0", "filling=0", "cell=0.2", "radius=0.6", "concavity=100", NULL}, 2);
    assert_true(m->vertex_count > 1000);
    double mean = 0;
    for (int i = 0; i < m->vertex_count; i++) mean += fabs(brute_phi(&c, 2 * d, 0.6 * d, m->positions + 3 * i));
    CHECK_BELOW(mean / m->vertex_count, 0.01 * d);
    shoal_surface_mesh_destroy(m);
    cloud_free(&c);
}

static void two_bodies_near_each_other_stay_two(void** state) {
    (void)state;
    const double d = 0.1;
    cloud        c = cloud_box(d, 6, 4), two = {0};
    for (int i = 0; i < c.count; i++) {
        float* p = c.positions + 3 * i;
        cloud_add(&two, (double)p[0], (double)p[1], (double)p[2]);
        cloud_add(&two, (double)p[0], (double)p[1] + 6.2 * d, (double)p[2]);
    }
    shoal_surface_mesh* m = surface_of(&two, d, NULL, 2);
    closed(m, 0.5 * d);
    for (int i = 0; i < m->vertex_count; i++) { // the gap is from 0 to 2.2 d
        double y = (double)m->positions[3 * i + 1] / d;
        if (y > 0.5 && y < 1.7) fail_msg("something hangs in the gap at y = %g d", y);
    }
    shoal_surface_mesh_destroy(m);
    cloud_free(&two);
    cloud_free(&c);
}

static void fields_are_carried_to_the_vertices(void** state) {
    (void)state;
    cloud               c         = cloud_ball(0.05, 0.4, 0.3);
    float*              salt      = malloc((size_t)c.count * sizeof *salt);
    shoal_surface_field fields[2] = {{"velocity", 3, c.positions}, {"salt", 1, salt}};
    for (int i = 0; i < c.count; i++) salt[i] = 0.25f;
    shoal_surface_particles p = {
        .count = c.count, .positions = c.positions, .spacing = 0.05, .field_count = 2, .fields = fields};
    shoal_surface_mesh* m = NULL;
    CHECK_OK(shoal_surface_make(&p, NULL, 2, &m));
    assert_int_equal(m->field_count, 2);
    assert_string_equal(m->fields[0].name, "velocity");
    for (int i = 0; i < m->vertex_count; i++) {
        CHECK_NEAR((double)m->fields[1].data[i], 0.25, 1e-6);
        for (int k = 0; k < 3; k++) // the place itself was given as velocity: its mean lies near
            CHECK_NEAR((double)m->fields[0].data[3 * i + k], (double)m->positions[3 * i + k], 0.06);
    }
    shoal_surface_mesh_destroy(m);
    free(salt);
    cloud_free(&c);
}

static double area(const shoal_surface_mesh* m) {
    double sum = 0;
    for (int t = 0; t < m->triangle_count; t++) {
        const int* c = m->triangles + 3 * t;
        double     u[3], v[3];
        for (int k = 0; k < 3; k++) {
            double p = (double)m->positions[3 * c[0] + k];
            u[k]     = (double)m->positions[3 * c[1] + k] - p;
            v[k]     = (double)m->positions[3 * c[2] + k] - p;
        }
        double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
        sum += 0.5 * sqrt(x * x + y * y + z * z);
    }
    return sum;
}

static void taubin_smooths_and_does_not_shrink(void** state) {
    (void)state;
    const double        d     = 0.05;
    cloud               c     = cloud_ball(d, 0.5, 0.9);
    shoal_surface_mesh* rough = surface_of(&c, d, (const char* const[]){"smoothing=0", "filling=0", NULL}, 2);
    shoal_surface_mesh* fair =
        surface_of(&c, d, (const char* const[]){"smoothing=0", "filling=0", "taubin=10", NULL}, 2);
    CHECK_BELOW(area(fair), 0.992 * area(rough));
    CHECK_NEAR(shoal_surface_mesh_volume(fair) / shoal_surface_mesh_volume(rough), 1.0, 0.01);
    shoal_surface_mesh_destroy(fair);
    shoal_surface_mesh_destroy(rough);
    cloud_free(&c);
}

// Triangles with an angle below 15 degrees, as a fraction of all.
static double slivers(const shoal_surface_mesh* m) {
    int count = 0;
    for (int t = 0; t < m->triangle_count; t++) {
        double least = 4.0;
        for (int k = 0; k < 3; k++) {
            const float* p[3];
            double       dot = 0, uu = 0, vv = 0;
            for (int e = 0; e < 3; e++) p[e] = m->positions + 3 * m->triangles[3 * t + (k + e) % 3];
            for (int e = 0; e < 3; e++) {
                double u = (double)(p[1][e] - p[0][e]), v = (double)(p[2][e] - p[0][e]);
                dot += u * v, uu += u * u, vv += v * v;
            }
            least = fmin(least, acos(fmax(-1.0, fmin(1.0, dot / sqrt(uu * vv)))));
        }
        count += least < 15.0 / 180.0 * SHOAL_PI;
    }
    return (double)count / m->triangle_count;
}

static void snapping_takes_slivers_away_and_keeps_the_mesh_closed(void** state) {
    (void)state;
    const double        d = 0.05, radius = 10 * d;
    cloud               c       = cloud_shells(d, radius);
    shoal_surface_mesh* plain   = surface_of(&c, d, (const char* const[]){"calm=0", NULL}, 2);
    shoal_surface_mesh* snapped = surface_of(&c, d, (const char* const[]){"snap=0.3", "calm=0", NULL}, 2);
    closed(snapped, 0.5 * d);
    print_message("slivers %.4f, snapped %.4f; triangles %d, %d\n", slivers(plain), slivers(snapped),
                  plain->triangle_count, snapped->triangle_count);
    CHECK_BELOW(0.1, slivers(plain));
    CHECK_BELOW(slivers(snapped), 0.35 * slivers(plain));
    CHECK_NEAR(shoal_surface_mesh_volume(snapped) / shoal_surface_mesh_volume(plain), 1.0, 0.01);
    for (int i = 0; i < snapped->vertex_count; i++) CHECK_NEAR(distance(snapped, i), radius, 0.3 * d);
    shoal_surface_mesh_destroy(snapped);
    shoal_surface_mesh_destroy(plain);
    cloud_free(&c);
}

static void the_volume_holds_distances_and_velocities(void** state) {
    (void)state;
    const double         d = 0.05, radius = 10 * d;
    cloud                c    = cloud_shells(d, radius);
    shoal_exec           exec = {.threads = 2};
    shoal_surface_params p;
    shoal_params_default(shoal_surface_params_table, &p);
    shoal_surface_field     place = {"velocity", 3, c.positions};
    shoal_surface_particles in    = {
           .count = c.count, .positions = c.positions, .spacing = d, .field_count = 1, .fields = &place};
    shoal_surface_volume v;
    CHECK_OK(shoal_surface_build_volume(&p, &in, &exec, shoal_isa_best(), &v));
    const double cell = v.distance.cell, band = 3 * cell;
    double       worst = 0, worst_velocity = 0;
    int          seen = 0, inside = 0;
    for (int b = 0; b < v.distance.block_count; b++) {
        shoal_d3 corner = shoal_sparse_corner(&v.distance, b);
        for (int s = 0; s < SHOAL_SPARSE_SAMPLES; s++) {
            double at[3] = {corner.x + cell * (s % 8), corner.y + cell * (s / 8 % 8), corner.z + cell * (s / 64)};
            double r = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]), off = r - radius;
            double phi = (double)v.distance.values[512 * b + s];
            assert_true(fabs(phi) <= band * 1.000001);
            if (fabs(off) > band + 0.5 * cell) assert_true((phi < 0) == (off < 0));
            if (phi < 0)
                for (int k = 0; k < 3; k++, inside++)
                    worst_velocity = fmax(worst_velocity, fabs((double)v.velocity[3 * (512 * b + s) + k] - at[k]));
            if (fabs(phi) > 2.5 * cell) continue;
            worst = fmax(worst, fabs(phi - off));
            seen++;
        }
    }
    print_message("distance off by %.3f cells at most, velocity by %.2f d\n", worst / cell, worst_velocity / d);
    assert_true(seen > 10000 && inside > 80000);
    CHECK_BELOW(worst, 0.55 * cell); // the ball itself is off by 0.1 d
    CHECK_BELOW(worst_velocity, d);
    shoal_surface_volume_free(&v);
    cloud_free(&c);
}

static void no_particles_give_an_empty_mesh(void** state) {
    (void)state;
    cloud               c = {0};
    shoal_surface_mesh* m = surface_of(&c, 0.1, NULL, 2);
    assert_int_equal(m->vertex_count, 0);
    assert_int_equal(m->triangle_count, 0);
    assert_true(shoal_surface_mesh_volume(m) == 0.0);
    shoal_surface_mesh_destroy(m);
}

static void no_particles_still_have_their_fields(void** state) {
    (void)state;
    shoal_exec           exec = {.threads = 1};
    shoal_surface_params params;
    shoal_params_default(shoal_surface_params_table, &params);
    shoal_surface_field     velocity = {"velocity", 3, NULL};
    shoal_surface_particles p        = {.spacing = 0.1, .field_count = 1, .fields = &velocity};
    shoal_surface_mesh*     m        = NULL;
    shoal_surface_volume    v;
    CHECK_OK(shoal_surface_build(&params, &p, &exec, shoal_isa_best(), &m));
    assert_int_equal(m->field_count, 1);
    assert_string_equal(m->fields[0].name, "velocity");
    assert_int_equal(m->fields[0].components, 3);
    CHECK_OK(shoal_surface_build_volume(&params, &p, &exec, shoal_isa_best(), &v));
    assert_int_equal(v.distance.block_count, 0);
    assert_non_null(v.velocity);
    shoal_surface_volume_free(&v);
    shoal_surface_mesh_destroy(m);
}

static void what_is_wrong_is_reported(void** state) {
    (void)state;
    float                   bad[6] = {0, 0, 0, 1, NAN, 0}, far[6] = {0, 0, 0, 1e9f, 0, 0};
    shoal_surface_particles p = {.count = 2, .positions = bad, .spacing = 0.1};
    shoal_surface_mesh*     m;
    assert_int_equal(shoal_surface_make(&p, NULL, 1, &m), SHOAL_ERR_INPUT);
    assert_string_equal(shoal_last_error(), "particle 1 has a position that is not a number");
    assert_null(m);
    p.positions = far;
    assert_int_equal(shoal_surface_make(&p, NULL, 1, &m), SHOAL_ERR_INPUT);
    p.count = 1;
    assert_int_equal(shoal_surface_make(&p, (const char* const[]){"cell=0", NULL}, 1, &m), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_surface_make(&p, (const char* const[]){"cel=1", NULL}, 1, &m), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_surface_make(&p, (const char* const[]){"radius=2.5", NULL}, 1, &m), SHOAL_ERR_PARAM);
    p.spacing = 0;
    assert_int_equal(shoal_surface_make(&p, NULL, 1, &m), SHOAL_ERR_INPUT);
}

static void clumps_far_drops_and_odd_settings_stay_closed(void** state) {
    (void)state;
    // clang-format off
    const char* const odd[][5] = {
        {"cell=0.1",           "support=1",    NULL},
        {"cell=4",             "support=6",    NULL},
        {"method=anisotropic", "stretch=20",   "neighbours=0", NULL},
        {"method=color-field", "level=0.9",    NULL},
        {"smoothing=8",        "filling=8",    "taubin=3",     NULL},
        {"cell=0.8",           "smoothing=0",  "snap=0.45",    NULL},
        {"method=anisotropic", "cell=0.3",     "snap=0.3",     "taubin=2", NULL},
        {"method=blobby",      "support=6",    "cell=0.7",     NULL},
    };
    // clang-format on
    cloud c = {0};
    for (uint64_t i = 0; i < 300; i++)
        cloud_add(&c, 0.3 * shoal_random(3, 1, i), 0.3 * shoal_random(3, 2, i), 0.3 * shoal_random(3, 3, i));
    for (int i = 0; i < 50; i++) cloud_add(&c, 0.1, 0.1, 0.1); // all at one place
    cloud_add(&c, 90.0, -40.0, 7.0);
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        shoal_surface_mesh* m = surface_of(&c, 0.05, odd[k], 2);
        check_closed(m->positions, m->vertex_count, m->triangles, m->triangle_count, 0);
        for (int i = 0; i < 3 * m->vertex_count; i++) assert_true(isfinite(m->positions[i]) && isfinite(m->normals[i]));
        shoal_surface_mesh_destroy(m);
    }
    cloud_free(&c);
}

static uint64_t hash_of(const cloud* c, const char* const* settings) {
    shoal_surface_mesh* m    = surface_of(c, 0.02, settings, 1);
    uint64_t            hash = shoal_hash(m->positions, 3 * (size_t)m->vertex_count * sizeof(float), 0);
    shoal_surface_mesh_destroy(m);
    return hash;
}

static bool no_scene(const void* scene, const char* phrase) { return scene && phrase; }

// A parameter changes the surface of rough water and a drop with what it needs, and else nothing.
static void parameters_act_with_what_they_need_and_only_then(void** state) {
    (void)state;
    static const struct {
        const char* name;
        double      value;
    } values[] = {{"cell", 0.4},    {"support", 2.2}, {"radius", 0.8},     {"level", 0.4}, {"concavity", 1.0},
                  {"smoothing", 3}, {"rise", 0.01},   {"filling", 4},      {"calm", 2},    {"volume", 0},
                  {"centering", 0}, {"stretch", 1.5}, {"neighbours", 100}, {"drops", 0},   {"snap", 0.3},
                  {"taubin", 2},    {"method", 0}};
    cloud c    = cloud_box(0.02, 10, 5);
    for (int k = 0; k < 3 * c.count; k++) c.positions[k] += 0.004f * (float)(shoal_random(7, 1, (uint64_t)k) - 0.5);
    cloud_add(&c, 0.0, 0.1, 0.0); // a drop
    for (int m = 0; m < METHODS; m++) {
        uint64_t             plain = hash_of(&c, (const char*[]){methods[m], NULL});
        shoal_surface_params p;
        shoal_params_default(shoal_surface_params_table, &p);
        p.method = m;
        for (const shoal_param_def* def = shoal_surface_params_table; def->name; def++) {
            size_t k = 0;
            char   setting[64];
            while (strcmp(values[k].name, def->name) != 0) k++;
            if (strcmp(def->name, "method") == 0) continue;
            snprintf(setting, sizeof setting, "%s=%g", def->name, values[k].value);
            bool acts = hash_of(&c, (const char*[]){methods[m], setting, NULL}) != plain;
            if (acts != shoal_param_acts(shoal_surface_params_table, def, &p, no_scene, NULL))
                fail_msg("%s with %s %s", setting, methods[m],
                         acts ? "acts, but says that it does not" : "does nothing");
        }
    }
    cloud_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_particle_gives_an_exact_sphere),
        cmocka_unit_test(parameters_act_with_what_they_need_and_only_then),
        cmocka_unit_test(a_lone_particle_is_seen_by_every_method),
        cmocka_unit_test(a_half_space_is_flat),
        cmocka_unit_test(a_ball_keeps_its_radius_and_volume),
        cmocka_unit_test(threads_and_instruction_sets_give_the_same_bits),
        cmocka_unit_test(vertices_lie_where_the_formula_of_the_paper_is_zero),
        cmocka_unit_test(two_bodies_near_each_other_stay_two),
        cmocka_unit_test(fields_are_carried_to_the_vertices),
        cmocka_unit_test(taubin_smooths_and_does_not_shrink),
        cmocka_unit_test(snapping_takes_slivers_away_and_keeps_the_mesh_closed),
        cmocka_unit_test(the_volume_holds_distances_and_velocities),
        cmocka_unit_test(no_particles_give_an_empty_mesh),
        cmocka_unit_test(no_particles_still_have_their_fields),
        cmocka_unit_test(what_is_wrong_is_reported),
        cmocka_unit_test(clumps_far_drops_and_odd_settings_stay_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
