// SPDX-License-Identifier: MIT
// Parts that are meshes: triangles and tetrahedra with fields of their own, there and back; damaged
// ones; the skin of tetrahedra.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file.h"
#include "io/frame_vtk.h"
#include "scratch.h"

#include <string.h>

// A cube of six tetrahedra around its diagonal from 0 to 7; point k is at the bits of k.
static const int32_t six[24] = {0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7, 0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7};
// Its side z = 0, and one of the side x = 0.
static const int32_t some[9] = {0, 3, 1, 0, 2, 3, 0, 4, 6};

static void add(shoal_frame_table* table, const char* name, const char* unit, shoal_type type, int width,
                const void* data) {
    assert_int_equal(shoal_frame_add(table, &(shoal_frame_source){name, unit, type, width, data}), SHOAL_OK);
}

static shoal_frame* cube_of(int corners) {
    shoal_frame* frame;
    shoal_v3     x[8];
    double       heat[8], tensor[6][6];
    int64_t      numbers[6];
    for (int k = 0; k < 8; k++)
        x[k] = shoal_v3_make((float)(k & 1), (float)(k >> 1 & 1), (float)(k >> 2)), heat[k] = 0.1 * k;
    for (int t = 0; t < 6; t++) {
        numbers[t] = (int64_t)1 << (40 + t);
        for (int k = 0; k < 6; k++) tensor[t][k] = 10.0 * t + k;
    }
    assert_int_equal(shoal_frame_create(8, 0.5, &frame), SHOAL_OK);
    add(&frame->points, "position", "m", SHOAL_V3, 1, x);
    add(&frame->points, "heat", "K", SHOAL_D1, 1, heat);
    assert_int_equal(shoal_frame_add_cells(frame, corners, corners == 4 ? 6 : 3, corners == 4 ? six : some), SHOAL_OK);
    add(&frame->cells, "stress", "Pa", SHOAL_D1, 6, tensor);
    add(&frame->cells, "balance", "", SHOAL_L1, 1, numbers);
    return frame;
}

static char* saved(const shoal_frame* frame, size_t* size) {
    char* bytes;
    assert_int_equal(shoal_frame_save(frame, scratch_path("x")), SHOAL_OK);
    assert_int_equal(shoal_file_read(scratch_path("x"), &bytes, size), SHOAL_OK);
    return bytes;
}

static void a_mesh_comes_back_as_it_went(void** state) {
    (void)state;
    for (int corners = 3; corners <= 4; corners++) {
        shoal_frame *    frame = cube_of(corners), *back;
        shoal_field_view view;
        int              cells = corners == 4 ? 6 : 3;
        assert_int_equal(shoal_frame_save(frame, scratch_path("x.vtu")), SHOAL_OK);
        assert_int_equal(shoal_frame_load(scratch_path("x.vtu"), &back), SHOAL_OK);
        assert_int_equal(shoal_frame_cell_corners(back), corners);
        assert_int_equal(shoal_frame_cell_count(back), cells);
        assert_memory_equal(shoal_frame_cells(back), corners == 4 ? six : some,
                            (size_t)(corners * cells) * sizeof(int32_t));
        assert_int_equal(shoal_frame_cell_field(back, "stress", &view), SHOAL_OK);
        assert_true(view.type == SHOAL_D1 && view.width == 6 && view.count == cells &&
                    ((const double*)view.data)[6 * 2 + 5] == 25.0);
        assert_string_equal(view.unit, "Pa");
        assert_int_equal(shoal_frame_cell_field(back, "balance", &view), SHOAL_OK);
        assert_true(view.type == SHOAL_L1 && ((const int64_t*)view.data)[2] == (int64_t)1 << 42);
        assert_int_equal(shoal_frame_field(back, "heat", &view), SHOAL_OK);
        assert_true(view.type == SHOAL_D1 && ((const double*)view.data)[7] == 0.1 * 7);
        assert_int_equal(shoal_frame_field(back, "stress", &view), SHOAL_ERR_PARAM);
        shoal_frame_destroy(back);
        shoal_frame_destroy(frame);
    }
}

static void a_symmetric_tensor_comes_back_as_one(void** state) {
    (void)state;
    const shoal_v3   x[2]      = {{0, 0, 0}, {1, 0, 0}};
    const shoal_s6   strain[2] = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}};
    shoal_frame *    frame, *back;
    shoal_field_view view;
    char             name[8];
    assert_int_equal(shoal_frame_create(2, 0.0, &frame), SHOAL_OK);
    add(&frame->points, "position", "m", SHOAL_V3, 1, x);
    add(&frame->points, "strain", "", SHOAL_S6, 1, strain);
    assert_int_equal(shoal_frame_save(frame, scratch_path("x.vtp")), SHOAL_OK);
    assert_int_equal(shoal_frame_load(scratch_path("x.vtp"), &back), SHOAL_OK);
    assert_int_equal(shoal_frame_field(back, "strain", &view), SHOAL_OK);
    assert_true(view.type == SHOAL_S6 && view.width == 1 && view.count == 2);
    assert_memory_equal(view.data, strain, sizeof strain);
    shoal_frame_component_name(shoal_frame_find(back, "strain"), 4, name);
    assert_string_equal(name, "yz");
    shoal_frame_destroy(back);
    shoal_frame_destroy(frame);
}

// What ParaView must find, to the letter.
static void the_head_of_tetrahedra_is_as_agreed(void** state) {
    (void)state;
    shoal_frame*             frame = cube_of(4);
    size_t                   size;
    char*                    bytes   = saved(frame, &size);
    const char*              at      = bytes;
    static const char* const parts[] = {
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n  <UnstructuredGrid>\n",
        "<Piece NumberOfPoints=\"8\" NumberOfCells=\"6\">\n      <PointData>\n",
        "<DataArray type=\"Float64\" Name=\"heat\" format=\"appended\" offset=\"0\" checksum=\"",
        "\">",
        "UNITS_LABEL\" location=\"vtkDataArray\">K<",
        "</PointData>\n      <CellData>\n        <DataArray type=\"Float64\" Name=\"stress\" "
        "NumberOfComponents=\"6\" format=\"appended\" offset=\"72\" checksum=\"",
        "\">",
        "<DataArray type=\"Int64\" Name=\"balance\" format=\"appended\" offset=\"368\" checksum=\"",
        "\"/>\n      "
        "</CellData>\n      <Points>\n",
        "</Points>\n      <Cells>\n",
        "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" offset=\"528\" checksum=\"",
        "\"/>",
        "<DataArray type=\"Int32\" Name=\"offsets\" format=\"appended\" offset=\"632\" checksum=\"",
        "\"/>",
        "<DataArray type=\"UInt8\" Name=\"types\" format=\"appended\" offset=\"664\" checksum=\"",
        "\"/>\n      "
        "</Cells>\n    </Piece>\n  </UnstructuredGrid>\n",
        "<AppendedData encoding=\"raw\">\n   _"};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        at = strstr(at, parts[p]);
        if (!at) fail_msg("missing or out of order: %s", parts[p]);
        at += strlen(parts[p]);
    }
    static const char types[6] = {10, 10, 10, 10, 10, 10};
    assert_memory_equal(at + 672, types, sizeof types);
    int32_t last;
    memcpy(&last, at + 640 + 5 * 4, sizeof last);
    assert_int_equal(last, 24);
    shoal_free(bytes);
    shoal_frame_destroy(frame);
}

static void a_mesh_cut_short_anywhere_is_refused_with_a_message(void** state) {
    (void)state;
    for (int corners = 3; corners <= 4; corners++) {
        shoal_frame *frame = cube_of(corners), *back;
        size_t       size;
        char*        bytes = saved(frame, &size);
        for (size_t cut = 0; cut + 1 < size; cut++) {
            assert_int_equal(shoal_frame_parse(bytes, cut, "cut", &back), SHOAL_ERR_INPUT);
            assert_memory_equal(shoal_last_error(), "cut: ", 5);
        }
        shoal_free(bytes);
        shoal_frame_destroy(frame);
    }
}

static void any_bit_that_flips_in_the_data_is_seen(void** state) {
    (void)state;
    for (int corners = 3; corners <= 4; corners++) {
        shoal_frame *frame = cube_of(corners), *back;
        size_t       size;
        char*        bytes = saved(frame, &size);
        size_t       from  = (size_t)((char*)memmem(bytes, size, "\n   _", 5) + 5 - bytes);
        for (size_t at = from; at < size - strlen("\n  </AppendedData>\n</VTKFile>\n"); at++) {
            bytes[at] ^= (char)(1 << at % 8);
            assert_int_equal(shoal_frame_parse(bytes, size, "f", &back), SHOAL_ERR_INPUT);
            bytes[at] ^= (char)(1 << at % 8);
        }
        shoal_free(bytes);
        shoal_frame_destroy(frame);
    }
}

static void cells_that_cannot_be_are_refused(void** state) {
    (void)state;
    shoal_frame *frame = cube_of(4), *back;
    size_t       size;
    char*        bytes = saved(frame, &size);
    // as other programs write them, or the checksum would tell
    for (char* at; (at = memmem(bytes, size, " checksum=", 10));) memcpy(at, " otherwis=", 10);
    char* data = (char*)memmem(bytes, size, "\n   _", 5) + 5;
    struct {
        size_t      at;
        int32_t     value;
        const char* says;
    } faults[] = {
        {536, 8, "not there"}, {536, -1, "not there"}, {640, 3, "other cells"}, {672, 0x0a0a0a0c, "other cells"}};
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        int32_t before;
        memcpy(&before, data + faults[k].at, sizeof before);
        memcpy(data + faults[k].at, &faults[k].value, sizeof before);
        assert_int_equal(shoal_frame_parse(bytes, size, "f", &back), SHOAL_ERR_INPUT);
        if (!strstr(shoal_last_error(), faults[k].says)) fail_msg("%s", shoal_last_error());
        memcpy(data + faults[k].at, &before, sizeof before);
    }
    shoal_free(bytes);
    shoal_frame_destroy(frame);
}

// Six times the volume that triangles enclose.
static double volume_of(const shoal_v3* x, const int32_t* t, int count) {
    double sum = 0.0;
    for (int k = 0; k < count; k++, t += 3)
        sum += shoal_d3_dot(shoal_d3_from(x[t[0]]), shoal_d3_cross(shoal_d3_from(x[t[1]]), shoal_d3_from(x[t[2]])));
    return sum;
}

static void the_skin_of_tetrahedra_is_closed_and_looks_outwards(void** state) {
    (void)state;
    shoal_frame*    frame = cube_of(4);
    const shoal_v3* x     = shoal_frame_find(frame, "position")->data;
    for (int turned = 0; turned < 2; turned++) {
        int32_t* boundary;
        int      count;
        assert_int_equal(shoal_frame_boundary(frame, &boundary, &count), SHOAL_OK);
        assert_int_equal(count, 12);
        assert_true(volume_of(x, boundary, count) == 6.0);
        shoal_free(boundary);
        for (int t = 0; t < 6; t += 2) { // tetrahedra may turn either way
            int32_t before                = frame->cell_points[4 * t];
            frame->cell_points[4 * t]     = frame->cell_points[4 * t + 1];
            frame->cell_points[4 * t + 1] = before;
        }
    }
    shoal_frame_destroy(frame);
}

static void tetrahedra_that_are_left_out_show_the_faces_of_those_behind(void** state) {
    (void)state;
    shoal_frame*    frame = cube_of(4);
    const shoal_v3* x     = shoal_frame_find(frame, "position")->data;
    for (int out = 0; out < 1 << 6; out++) {
        uint8_t  is_out[6];
        int      left = 0, count;
        int32_t *boundary, *owners;
        for (int t = 0; t < 6; t++) is_out[t] = (uint8_t)(out >> t & 1), left += !is_out[t];
        assert_int_equal(shoal_frame_cut(frame, is_out, &boundary, &owners, &count), SHOAL_OK);
        assert_true(fabs(volume_of(x, boundary, count) - left) < 1e-6); // closed, and a sixth of the cube each
        for (int k = 0; k < count; k++) {
            int met = 0;
            assert_true(owners[k] >= 0 && owners[k] < 6 && !is_out[owners[k]]);
            for (int c = 0; c < 12; c++) met += frame->cell_points[4 * owners[k] + c / 3] == boundary[3 * k + c % 3];
            assert_int_equal(met, 3);
        }
        shoal_free(boundary);
        shoal_free(owners);
    }
    shoal_frame_destroy(frame);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_comes_back_as_it_went),
        cmocka_unit_test(a_symmetric_tensor_comes_back_as_one),
        cmocka_unit_test(the_head_of_tetrahedra_is_as_agreed),
        cmocka_unit_test(a_mesh_cut_short_anywhere_is_refused_with_a_message),
        cmocka_unit_test(any_bit_that_flips_in_the_data_is_seen),
        cmocka_unit_test(cells_that_cannot_be_are_refused),
        cmocka_unit_test(the_skin_of_tetrahedra_is_closed_and_looks_outwards),
        cmocka_unit_test(tetrahedra_that_are_left_out_show_the_faces_of_those_behind),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
