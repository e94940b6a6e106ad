// SPDX-License-Identifier: MIT
// What other programs are given, to the byte.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file.h"
#include "io/points_out.h"
#include "scratch.h"

#include <string.h>

static shoal_frame* two_particles(void) {
    shoal_frame*   frame;
    const shoal_v3 x[2] = {{0.5f, 0.25f, -1.0f}, {1.0f, 2.0f, 3.0f}}, v[2] = {{0, -9.5f, 0}, {0, 0, 1}};
    const int32_t  id[2] = {4, 2147483647};
    const uint8_t  m[2]  = {0, 1};
    const float    d[2]  = {1000.0f, 0.1f};
    assert_int_equal(shoal_frame_create(2, 0.0, &frame), SHOAL_OK);
    assert_int_equal(shoal_frame_add(&frame->points, &(shoal_frame_source){"position", "", SHOAL_V3, 1, x}), SHOAL_OK);
    assert_int_equal(shoal_frame_add(&frame->points, &(shoal_frame_source){"id", "", SHOAL_I1, 1, id}), SHOAL_OK);
    assert_int_equal(shoal_frame_add(&frame->points, &(shoal_frame_source){"material", "", SHOAL_U1, 1, m}), SHOAL_OK);
    assert_int_equal(shoal_frame_add(&frame->points, &(shoal_frame_source){"velocity", "", SHOAL_V3, 1, v}), SHOAL_OK);
    assert_int_equal(shoal_frame_add(&frame->points, &(shoal_frame_source){"density", "", SHOAL_F1, 1, d}), SHOAL_OK);
    return frame;
}

static char* saved(const char* format, size_t* size) {
    shoal_frame* frame = two_particles();
    char*        bytes = NULL;
    for (const shoal_points_format* f = shoal_points_formats(); f->name; f++) {
        if (strcmp(f->name, format) != 0) continue;
        assert_int_equal(f->save(frame, scratch_path("out")), SHOAL_OK);
        assert_int_equal(shoal_file_read(scratch_path("out"), &bytes, size), SHOAL_OK);
        assert_int_equal(f->save(frame, scratch_path("no/where")), SHOAL_ERR_OUTPUT);
    }
    shoal_frame_destroy(frame);
    assert_non_null(bytes);
    return bytes;
}

static void csv_has_all_fields(void** state) {
    (void)state;
    size_t size;
    char*  bytes = saved("csv", &size);
    assert_string_equal(bytes, "x,y,z,id,material,velocity_x,velocity_y,velocity_z,density\n"
                               "0.5,0.25,-1,4,0,0,-9.5,0,1000\n"
                               "1,2,3,2147483647,1,0,0,1,0.100000001\n");
    shoal_free(bytes);
}

static void obj_has_one_v_line_per_particle(void** state) {
    (void)state;
    size_t size;
    char*  bytes = saved("obj", &size);
    assert_string_equal(bytes, "v 0.5 0.25 -1\nv 1 2 3\n");
    shoal_free(bytes);
}

static void ply_is_binary_with_velocity_and_fields(void** state) {
    (void)state;
    static const char head[] = "ply\nformat binary_little_endian 1.0\nelement vertex 2\n"
                               "property float x\nproperty float y\nproperty float z\nproperty int id\n"
                               "property uchar material\nproperty float velocity_x\nproperty float velocity_y\n"
                               "property float velocity_z\nproperty float density\nend_header\n";
    size_t            size;
    char*             bytes = saved("ply", &size);
    assert_int_equal(size, sizeof head - 1 + 2 * (12 + 4 + 1 + 12 + 4));
    assert_memory_equal(bytes, head, sizeof head - 1);
    float y, density;
    memcpy(&y, bytes + sizeof head - 1 + 4, 4);
    memcpy(&density, bytes + sizeof head - 1 + 29, 4);
    assert_true(y == 0.25f && density == 1000.0f);
    shoal_free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_has_all_fields),
        cmocka_unit_test(obj_has_one_v_line_per_particle),
        cmocka_unit_test(ply_is_binary_with_velocity_and_fields),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
