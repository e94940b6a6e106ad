// SPDX-License-Identifier: MIT
// What the writers of surfaces write, read back.
#include "../check.h"
#include "scratch.h"

#include "io/file.h"
#include "io/frame_vtk.h"
#include "io/mesh_file.h"
#include "io/mesh_out.h"

static float positions[12] = {0.1f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.25f};
static float normals[12]   = {-1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static float velocity[12]  = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static float wetness[4]    = {0.5f, 0.25f, 0, 1};
static int   triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static shoal_surface_mesh tetra(void) {
    shoal_surface_mesh m = {
        .vertex_count = 4, .triangle_count = 4, .positions = positions, .normals = normals, .triangles = triangles};
    m.field_count = 2;
    strcpy(m.fields[0].name, "velocity");
    m.fields[0].components = 3;
    m.fields[0].data       = velocity;
    strcpy(m.fields[1].name, "wetness");
    m.fields[1].components = 1;
    m.fields[1].data       = wetness;
    return m;
}

static void ply_obj_and_stl_are_read_back(void** state) {
    (void)state;
    const char* const  files[] = {"a.ply", "a.obj", "a.stl"};
    shoal_surface_mesh m       = tetra();
    for (int k = 0; k < 3; k++) {
        shoal_mesh*        back;
        shoal_mesh_quality q;
        CHECK_OK(shoal_surface_mesh_save(&m, 0.5, scratch_path(files[k])));
        CHECK_OK(shoal_mesh_load(scratch_path(files[k]), &back));
        assert_int_equal(back->vertex_count, 4);
        assert_int_equal(back->triangle_count, 4);
        CHECK_OK(shoal_mesh_examine(back, &q));
        assert_int_equal(q.open_edges + q.flipped_edges + q.nonmanifold_edges, 0);
        CHECK_NEAR(shoal_mesh_volume(back), 0.9 * 1.25 / 6, 1e-6);
        for (int i = 0; i < 12 && k < 2; i++) {
            assert_true((&back->vertices->x)[i] == positions[i]);
            assert_int_equal(back->triangles[i], triangles[i]);
        }
        shoal_mesh_destroy(back);
    }
}

static void ply_holds_velocity_and_other_fields(void** state) {
    (void)state;
    shoal_surface_mesh m = tetra();
    char*              bytes;
    size_t             size;
    CHECK_OK(shoal_surface_mesh_save(&m, 0.5, scratch_path("b.ply")));
    CHECK_OK(shoal_file_read(scratch_path("b.ply"), &bytes, &size));
    assert_non_null(strstr(bytes, "property float nz\nproperty float vx\nproperty float "
                                  "vy\nproperty float vz\nproperty float wetness\n"));
    char* data = strstr(bytes, "end_header\n") + strlen("end_header\n");
    assert_int_equal(size, (size_t)(data - bytes) + 4 * 10 * 4 + 4 * 13);
    float row[10];
    memcpy(row, data + 40, sizeof row);
    assert_true(row[0] == 1 && row[3] == 1 && row[6] == 4 && row[8] == 6 && row[9] == 0.25f);
    shoal_free(bytes);
}

// The appended array of a name, from the offset in the head.
static const char* array_of(const char* bytes, const char* name) {
    char word[64];
    snprintf(word, sizeof word, "Name=\"%s\"", name);
    const char* tag = strstr(bytes, word);
    assert_non_null(tag);
    const char* data = strstr(bytes, "encoding=\"raw\">");
    return strchr(data, '_') + 1 + strtoul(strstr(tag, "offset=\"") + 8, NULL, 10);
}

static void vtp_is_read_back_with_fields_time_and_triangles(void** state) {
    (void)state;
    shoal_surface_mesh m = tetra();
    shoal_frame*       frame;
    shoal_field_view   view;
    char*              bytes;
    size_t             size;
    CHECK_OK(shoal_surface_mesh_save(&m, 0.5, scratch_path("c.vtp")));
    CHECK_OK(shoal_frame_load(scratch_path("c.vtp"), &frame));
    assert_true(shoal_frame_time(frame) == 0.5);
    CHECK_OK(shoal_frame_field(frame, "position", &view));
    assert_memory_equal(view.data, positions, sizeof positions);
    CHECK_OK(shoal_frame_field(frame, "Normals", &view));
    assert_memory_equal(view.data, normals, sizeof normals);
    CHECK_OK(shoal_frame_field(frame, "velocity", &view));
    assert_memory_equal(view.data, velocity, sizeof velocity);
    CHECK_OK(shoal_frame_field(frame, "wetness", &view));
    assert_memory_equal(view.data, wetness, sizeof wetness);
    shoal_frame_destroy(frame);

    const int ends[] = {3, 6, 9, 12};
    uint64_t  length;
    CHECK_OK(shoal_file_read(scratch_path("c.vtp"), &bytes, &size));
    memcpy(&length, array_of(bytes, "connectivity"), sizeof length);
    assert_int_equal(length, sizeof triangles);
    assert_memory_equal(array_of(bytes, "connectivity") + 8, triangles, sizeof triangles);
    assert_memory_equal(array_of(bytes, "offsets") + 8, ends, sizeof ends);
    shoal_free(bytes);
}

static void an_empty_mesh_is_a_whole_file(void** state) {
    (void)state;
    shoal_surface_mesh m = {0};
    shoal_frame*       frame;
    CHECK_OK(shoal_surface_mesh_save(&m, 0, scratch_path("d.vtp")));
    CHECK_OK(shoal_frame_load(scratch_path("d.vtp"), &frame));
    assert_int_equal(shoal_frame_count(frame), 0);
    shoal_frame_destroy(frame);
    CHECK_OK(shoal_surface_mesh_save(&m, 0, scratch_path("d.ply")));
    CHECK_OK(shoal_surface_mesh_save(&m, 0, scratch_path("d.obj")));
    CHECK_OK(shoal_surface_mesh_save(&m, 0, scratch_path("d.stl")));
}

static void a_wrong_ending_or_place_is_reported(void** state) {
    (void)state;
    shoal_surface_mesh m = tetra();
    assert_int_equal(shoal_surface_mesh_save(&m, 0, scratch_path("e.xyz")), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_surface_mesh_save(&m, 0, scratch_path("none/e.ply")), SHOAL_ERR_OUTPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ply_obj_and_stl_are_read_back),
        cmocka_unit_test(ply_holds_velocity_and_other_fields),
        cmocka_unit_test(vtp_is_read_back_with_fields_time_and_triangles),
        cmocka_unit_test(an_empty_mesh_is_a_whole_file),
        cmocka_unit_test(a_wrong_ending_or_place_is_reported),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
