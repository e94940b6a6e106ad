// SPDX-License-Identifier: MIT
// How streams close in across their flow, by the shape of the opening and what bounds it.
#include "state/outlet.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on

static const double rate    = 3.0;
static double       spacing = 0.02;

typedef struct opening {
    shoal_description description;
    shoal_material    material;
    shoal_emitter     emitter;
    shoal_world*      world;
    shoal_outlet      outlet;
} opening;

// An emitter of a liquid in a domain that is open but for the walls given.
static void make(opening* o, shoal_emitter emitter, unsigned closed) {
    o->material                   = (shoal_material){.kind = SHOAL_LIQUID, .density = 1000.0f};
    o->description.spacing        = spacing;
    o->description.material_count = 1;
    o->description.materials      = &o->material;
    for (int w = 0; w < SHOAL_WALL_COUNT; w++)
        o->description.domain.walls[w].kind = closed >> w & 1u ? SHOAL_WALL_DEFAULT : SHOAL_WALL_OPEN;
    o->description.domain.is_given = true;
    o->description.domain.min      = shoal_d3_make(-0.1, -1.0, -0.1);
    o->description.domain.max      = shoal_d3_make(0.1, 1.0, 0.1);
    o->emitter                     = emitter;
    assert_int_equal(shoal_world_create(&o->description, &o->world), SHOAL_OK);
    assert_int_equal(shoal_outlet_make(&o->description, o->world, &o->emitter, 2.0 * spacing, 1, &o->outlet), SHOAL_OK);
}

static void leave(opening* o) {
    shoal_outlet_free(&o->outlet);
    shoal_world_destroy(o->world);
    if (o->emitter.shape) shoal_shape_destroy(o->emitter.shape);
}

static shoal_emitter disc(double radius) {
    return (shoal_emitter){
        .kind = SHOAL_EMIT_DISC, .radius = radius, .velocity = shoal_v3_make(0.0f, -1.0f, 0.0f), .until = 1.0};
}

static shoal_emitter box(double x, double z) {
    shoal_emitter e = {.kind = SHOAL_EMIT_SHAPE, .velocity = shoal_v3_make(0.0f, -1.0f, 0.0f), .until = 1.0};
    assert_int_equal(shoal_shape_box(shoal_d3_make(-x, -0.02, -z), shoal_d3_make(x, 0.02, z), &e.shape), SHOAL_OK);
    return e;
}

// A pyramid of 0.1 m, its base at y = 0, tip up, turned about y and the whole mirrored in x if asked; as wide as long.
static shoal_emitter pyramid(double degrees, bool is_mirrored, bool is_open) {
    static const float corners[] = {-0.05f, 0, -0.05f, 0.05f, 0, -0.05f, 0.05f, 0, 0.05f, -0.05f, 0, 0.05f, 0, 0.1f, 0};
    static const int   faces[]   = {0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0, 0, 1, 2, 0, 2, 3};
    shoal_emitter      e    = {.kind = SHOAL_EMIT_SHAPE, .velocity = shoal_v3_make(0.0f, -1.0f, 0.0f), .until = 1.0};
    shoal_mesh*        mesh = NULL;
    assert_int_equal(shoal_mesh_create(corners, 5, faces, is_open ? 4 : 6, &mesh), SHOAL_OK);
    assert_int_equal(shoal_shape_mesh(mesh, 0.5 * spacing, 1, &e.shape), SHOAL_OK);
    shoal_mesh_destroy(mesh);
    double half = 0.5 * degrees * SHOAL_PI / 180.0;
    assert_int_equal(shoal_shape_place(e.shape, shoal_d3_make(is_mirrored ? -0.8 : 0.8, 0.5, 0.8),
                                       (shoal_quat){cos(half), 0.0, sin(half), 0.0}, shoal_d3_make(0.01, 0.1, -0.02),
                                       &e.shape),
                     SHOAL_OK);
    return e;
}

static shoal_v3 inward(const opening* o, double x, double z) {
    return shoal_outlet_taper(&o->outlet, rate, shoal_d3_make(x, -0.05, z));
}

static void check_near(double value, double wanted, double off) {
    if (!(fabs(value - wanted) <= off)) fail_msg("%g, not %g +- %g", value, wanted, off);
}

static void a_disc_closes_in_evenly_on_all_sides(void** state) {
    (void)state;
    opening      o = {0};
    const double R = 0.09;
    make(&o, disc(R), 0);
    for (int k = 0; k < 16; k++) {
        double   r = R * (0.2 + 0.05 * k), angle = 0.7 * k, c = cos(angle), s = sin(angle);
        shoal_v3 v   = inward(&o, r * c, r * s);
        double   out = (double)v.x * c + (double)v.z * s, turn = (double)v.z * c - (double)v.x * s;
        check_near(out, -0.5 * rate * r, 0.04 * rate * R);
        check_near(turn, 0.0, 0.04 * rate * R);
        check_near((double)v.y, 0.0, 1e-9);
    }
    check_near(o.outlet.taper.reach, R, 0.03 * R);
    leave(&o);
}

// A slot five times as wide as thick.
static void a_sheet_closes_in_across_its_thin_side(void** state) {
    (void)state;
    opening o = {0};
    make(&o, box(0.1, 0.02), 0);
    shoal_v3 v = inward(&o, 0.02, 0.015);
    check_near((double)v.z, -rate * 0.015, 0.1 * rate * 0.02);
    check_near((double)v.x, 0.0, 0.02 * rate * 0.02);
    leave(&o);
}

// Between walls it can close in along the other axis only; from one wall on, all comes from the
// other side; all across a periodic domain there is no rim.
static void walls_let_it_close_in_from_the_free_sides_only(void** state) {
    (void)state;
    const unsigned left = 1u << 0, right = 1u << 1, back = 1u << 4, front = 1u << 5;
    opening        o = {0};
    make(&o, box(0.1, 0.05), left | right);
    shoal_v3 v = inward(&o, 0.07, 0.03);
    check_near((double)v.x, 0.0, 0.01 * rate * 0.05);
    check_near((double)v.z, -rate * 0.03, 0.1 * rate * 0.05);
    leave(&o);

    make(&o, box(0.1, 0.1), left | right | back);
    v = inward(&o, 0.03, 0.05);
    check_near((double)v.z, -rate * (0.1 - 0.5 * spacing + 0.05), 0.05 * rate * 0.2);
    leave(&o);

    o.description.domain.walls[0].kind = o.description.domain.walls[1].kind = SHOAL_WALL_PERIODIC;
    make(&o, box(0.1, 0.1), left | right | back | front);
    assert_null(o.outlet.taper.cells); // a pipe
    leave(&o);
}

static void sand_does_not_close_in(void** state) {
    (void)state;
    opening o = {0};
    make(&o, disc(0.05), 0);
    o.material.kind = SHOAL_GRANULAR;
    shoal_outlet sand;
    assert_int_equal(shoal_outlet_make(&o.description, o.world, &o.emitter, 2.0 * spacing, 1, &sand), SHOAL_OK);
    assert_non_null(o.outlet.taper.cells);
    assert_null(sand.taper.cells);
    shoal_outlet_free(&sand);
    leave(&o);
}

static void what_is_ahead_of_an_opening_is_within_its_section_and_a_radius(void** state) {
    (void)state;
    opening      o = {0};
    const double R = 0.09;
    double       way;
    make(&o, disc(R), 0);
    assert_true(shoal_outlet_is_ahead(&o.outlet, shoal_d3_make(0.03, -0.07, 0.02), &way));
    check_near(way, 0.07 - 2.0 * spacing, 1e-6);
    assert_false(shoal_outlet_is_ahead(&o.outlet, shoal_d3_make(0.03, -0.03, 0.02), &way));
    assert_false(shoal_outlet_is_ahead(&o.outlet, shoal_d3_make(0.03, -0.14, 0.02), &way));
    assert_false(shoal_outlet_is_ahead(&o.outlet, shoal_d3_make(0.11, -0.07, 0.02), &way));
    leave(&o);
}

// Its section is 0.08 m by 0.08 m however it is turned; its rim is thinner than the samples of its distance.
static void a_mesh_gives_the_stream_of_its_whole_section(void** state) {
    (void)state;
    static const double angles[] = {0.0, 31.0, 45.0};
    opening             o        = {0};
    for (int k = 0; k < 6; k++) {
        make(&o, pyramid(angles[k / 2], k % 2, false), 0);
        check_near(shoal_opening_area(&o.description.domain, &o.emitter), 0.0064, 1e-5);
        // as many as the volume that one period sends, without squeezing what the section has room for
        double sent = o.outlet.period * 0.0064 / (spacing * spacing * spacing), widest = 0.0;
        check_near(o.outlet.count / sent, 1.0, 0.005);
        for (int i = 0; i < o.outlet.count; i++)
            widest = fmax(widest, hypot(o.outlet.entries[i].at.x - 0.01, o.outlet.entries[i].at.z + 0.02));
        check_near(widest, 0.053, 0.005); // of 0.0566
        leave(&o);
    }
    // without its base it is no closed mesh: distances close it
    make(&o, pyramid(31.0, false, true), 0);
    assert_true(shoal_opening_area(&o.description.domain, &o.emitter) > 0.004);
    leave(&o);
}

// At some spacings d^3 has a cube root below d.
static void a_stream_is_the_same_sample_at_every_spacing(void** state) {
    (void)state;
    static const double spacings[] = {0.001, 0.0026, 0.03, 0.5};
    opening             o = {0}, other = {0};
    make(&o, disc(2.5 * spacing), 0);
    for (int k = 0; k < 4; k++) {
        double before = spacing;
        spacing       = spacings[k];
        make(&other, disc(2.5 * spacing), 0);
        assert_int_equal(other.outlet.count, o.outlet.count);
        for (int i = 0; i < o.outlet.count; i++)
            check_near(other.outlet.entries[i].at.x / spacing, o.outlet.entries[i].at.x / before, 1e-6);
        leave(&other);
        spacing = before;
    }
    leave(&o);
}

static void check_way_back(const opening* o, shoal_d3 place, double most, double wanted) {
    double way = -1.0;
    bool   is  = shoal_outlet_way_back(&o->emitter, o->outlet.along, 2.0 * spacing, place, most, &way);
    assert_int_equal(is, wanted >= 0.0);
    if (is) check_near(way, wanted, 1e-4 * spacing);
}

// The mouth is where the stream comes out: neither beside nor behind the opening, and not in it.
static void a_mouth_is_seen_from_ahead_alone(void** state) {
    (void)state;
    opening o[3] = {0};
    make(&o[0], box(0.05, 0.05), 0);
    check_way_back(&o[0], shoal_d3_make(0.03, -0.025, 0.0), spacing, 0.005);
    check_way_back(&o[0], shoal_d3_make(0.0499, -0.0395, -0.0499), spacing, 0.0195);
    check_way_back(&o[0], shoal_d3_make(0.03, -0.041, 0.0), spacing, -1.0);  // farther off
    check_way_back(&o[0], shoal_d3_make(0.051, -0.025, 0.0), spacing, -1.0); // beside
    check_way_back(&o[0], shoal_d3_make(0.03, 0.025, 0.0), spacing, -1.0);   // behind
    check_way_back(&o[0], shoal_d3_make(0.03, 0.0, 0.0), spacing, -1.0);     // within
    make(&o[1], disc(0.04), 0);
    check_way_back(&o[1], shoal_d3_make(0.03, -0.045, 0.0), spacing, 0.005);
    check_way_back(&o[1], shoal_d3_make(0.041, -0.045, 0.0), spacing, -1.0);
    check_way_back(&o[1], shoal_d3_make(0.03, -0.039, 0.0), spacing, -1.0);
    check_way_back(&o[1], shoal_d3_make(0.03, -0.061, 0.0), spacing, -1.0);
    shoal_emitter ball = {.kind = SHOAL_EMIT_SHAPE, .velocity = shoal_v3_make(0.0f, -1.0f, 0.0f), .until = 1.0};
    assert_int_equal(shoal_shape_sphere(0.05, &ball.shape), SHOAL_OK);
    make(&o[2], ball, 0);
    check_way_back(&o[2], shoal_d3_make(0.04, -0.045, 0.0), spacing, 0.015); // along the flow, not to the nearest place
    check_way_back(&o[2], shoal_d3_make(0.0499, -0.005, 0.0), spacing, 0.005 - sqrt(0.05 * 0.05 - 0.0499 * 0.0499));
    for (int k = 0; k < 3; k++) leave(&o[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disc_closes_in_evenly_on_all_sides),
        cmocka_unit_test(a_sheet_closes_in_across_its_thin_side),
        cmocka_unit_test(walls_let_it_close_in_from_the_free_sides_only),
        cmocka_unit_test(sand_does_not_close_in),
        cmocka_unit_test(a_mesh_gives_the_stream_of_its_whole_section),
        cmocka_unit_test(a_stream_is_the_same_sample_at_every_spacing),
        cmocka_unit_test(what_is_ahead_of_an_opening_is_within_its_section_and_a_radius),
        cmocka_unit_test(a_mouth_is_seen_from_ahead_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
