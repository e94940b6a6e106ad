// SPDX-License-Identifier: MIT
// Which sets are parts of frames, and which fields are in them, from lists alone.
#include "unit/check.h"

#include "state/part.h"

static const shoal_field_def grain_fields[]  = {SHOAL_FIELD("radius", F1, 1, SHOWN_OUTPUT, "m", ""),
                                                SHOAL_FIELD("wetness", F1, 1, SAND_OUTPUT, "", ""),
                                                SHOAL_FIELD("mass", F1, 1, OUTPUT, "kg", ""),
                                                SHOAL_FIELD("push", V3, 1, SCRATCH, "m", ""),
                                                {0}};
static const shoal_field_def vertex_fields[] = {SHOAL_FIELD("position", V3, 1, SHOWN_STATE, "m", ""), {0}};
static const shoal_field_def tet_fields[]    = {SHOAL_FIELD("corners", R4, 1, STATE, "vertices", ""), {0}};
static const shoal_field_def face_fields[]   = {SHOAL_FIELD("corners", R3, 1, STATE, "vertices", ""), {0}};
static const shoal_field_def lost_fields[]   = {SHOAL_FIELD("corners", R3, 1, STATE, "nobody", ""), {0}};
static const shoal_field_def once_fields[]   = {SHOAL_FIELD("dt", D1, 1, STATE, "s", ""), {0}};

static const shoal_set_def particles[] = {{"grains", SHOAL_SORTED, grain_fields, 1u << SHOAL_GRANULAR, NULL},
                                          {"water", SHOAL_SORTED, grain_fields, 1u << SHOAL_LIQUID, NULL},
                                          {"once", SHOAL_FIXED, once_fields, 0, NULL},
                                          {0}};
static const shoal_set_def meshes[]    = {{"vertices", SHOAL_REBUILT, vertex_fields, 0, NULL},
                                          {"tets", SHOAL_REBUILT, tet_fields, 0, NULL},
                                          {"faces", SHOAL_REBUILT, face_fields, 0, NULL},
                                          {"lost", SHOAL_REBUILT, lost_fields, 0, NULL},
                                          {0}};

static void a_set_of_particles_is_a_part_where_the_scene_has_its_kind(void** state) {
    (void)state;
    shoal_material    materials[] = {{.kind = SHOAL_GRANULAR}, {.kind = SHOAL_LIQUID}};
    shoal_description d           = {.material_count = 2, .materials = materials};
    shoal_part        parts[SHOAL_SETS_MOST];
    assert_int_equal(shoal_parts_of(particles, &d, parts), 2);
    assert_true(parts[0].set == 0 && parts[0].points == 0 && parts[0].corners == 0 && parts[1].set == 1);
    d.material_count = 1;
    assert_int_equal(shoal_parts_of(particles, &d, parts), 1);
    assert_int_equal(parts[0].set, 0);
    materials[0].kind = SHOAL_LIQUID;
    assert_int_equal(shoal_parts_of(particles, &d, parts), 1);
    assert_int_equal(parts[0].set, 1);
    assert_int_equal(shoal_parts_of(particles, NULL, parts), 2);
}

static void cells_are_parts_with_the_points_that_they_point_to(void** state) {
    (void)state;
    shoal_part parts[SHOAL_SETS_MOST];
    assert_int_equal(shoal_parts_of(meshes, NULL, parts), 2);
    assert_true(parts[0].set == 1 && parts[0].points == 0 && parts[0].corners == 4);
    assert_true(parts[1].set == 2 && parts[1].points == 0 && parts[1].corners == 3);
}

static bool is_in(const shoal_description* d, const char* set, const char* name) {
    const shoal_field_def* field;
    for (int k = 0; (field = shoal_set_field_at(&particles[0], k)); k++)
        if (strcmp(field->name, name) == 0) return shoal_field_is_in_frames(d, set, field);
    fail_msg("no field %s", name);
    return false;
}

static void frames_hold_what_is_shown_and_what_is_named(void** state) {
    (void)state;
    shoal_material    materials[] = {{.kind = SHOAL_LIQUID}};
    shoal_description d           = {.material_count = 1, .materials = materials};
    assert_true(is_in(&d, "grains", "position") && is_in(&d, "grains", "id") && is_in(&d, "grains", "radius"));
    assert_false(is_in(&d, "grains", "holder") || is_in(&d, "grains", "wetness") || is_in(&d, "grains", "mass"));
    materials[0].kind = SHOAL_GRANULAR;
    assert_true(is_in(&d, "grains", "wetness"));
    d.output.field_count = 2;
    strcpy(d.output.fields[0], "water.mass");
    strcpy(d.output.fields[1], "push");
    assert_true(is_in(&d, "water", "mass"));
    assert_false(is_in(&d, "grains", "mass") || is_in(&d, "grains", "push")); // scratch is never there
    strcpy(d.output.fields[0], "mass");
    assert_true(is_in(&d, "grains", "mass"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_of_particles_is_a_part_where_the_scene_has_its_kind),
        cmocka_unit_test(cells_are_parts_with_the_points_that_they_point_to),
        cmocka_unit_test(frames_hold_what_is_shown_and_what_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
