// SPDX-License-Identifier: MIT
// Frames: round trips, the exact head that ParaView finds, and damaged files.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "io/file.h"
#include "io/frame_vtk.h"
#include "scratch.h"

#include <string.h>
#include <sys/stat.h>

static shoal_status add(shoal_frame* frame, const char* name, shoal_type type, const void* data) {
    return shoal_frame_add(&frame->points,
                           &(shoal_frame_source){name, strcmp(name, "density") == 0 ? "kg/m^3" : "", type, 1, data});
}

// Ids fall, so that sorting has work to do.
static shoal_frame* frame_of(int count) {
    shoal_frame* frame;
    shoal_v3*    v3   = shoal_alloc((size_t)count, sizeof *v3);
    float*       f1   = shoal_alloc((size_t)count, sizeof *f1);
    int32_t*     id   = shoal_alloc((size_t)count, sizeof *id);
    uint8_t*     kind = shoal_alloc((size_t)count, 1);
    for (int i = 0; i < count; i++) {
        v3[i]   = shoal_v3_make((float)i, (float)shoal_random(1, 2, (uint64_t)i), -0.5f);
        f1[i]   = 1000.0f + (float)i;
        id[i]   = 3 * (count - i);
        kind[i] = (uint8_t)(i % 3);
    }
    assert_int_equal(shoal_frame_create(count, 0.125, &frame), SHOAL_OK);
    assert_int_equal(add(frame, "position", SHOAL_V3, v3), SHOAL_OK);
    assert_int_equal(add(frame, "id", SHOAL_I1, id), SHOAL_OK);
    assert_int_equal(add(frame, "material", SHOAL_U1, kind), SHOAL_OK);
    assert_int_equal(add(frame, "velocity", SHOAL_V3, v3), SHOAL_OK);
    assert_int_equal(add(frame, "density", SHOAL_F1, f1), SHOAL_OK);
    assert_int_equal(add(frame, "pressure", SHOAL_F1, f1), SHOAL_OK);
    shoal_free(kind);
    shoal_free(id);
    shoal_free(f1);
    shoal_free(v3);
    return frame;
}

static void assert_same_frame(const shoal_frame* a, const shoal_frame* b) {
    assert_int_equal(a->points.count, b->points.count);
    assert_int_equal(a->points.field_count, b->points.field_count);
    assert_true(a->time == b->time);
    for (int f = 0; f < a->points.field_count; f++) {
        const shoal_frame_array* other = shoal_frame_find(b, a->points.fields[f].name);
        assert_non_null(other);
        assert_int_equal(other->type, a->points.fields[f].type);
        assert_memory_equal(other->data, a->points.fields[f].data,
                            (size_t)a->points.count * shoal_frame_item_size(other));
    }
}

static void a_frame_comes_back_as_it_went(void** state) {
    (void)state;
    const int counts[] = {0, 1, 2, 1000};
    for (int k = 0; k < 4; k++) {
        shoal_frame *frame = frame_of(counts[k]), *back;
        assert_int_equal(shoal_frame_save(frame, scratch_path("x.vtp")), SHOAL_OK);
        assert_int_equal(shoal_frame_load(scratch_path("x.vtp"), &back), SHOAL_OK);
        assert_string_equal(back->points.fields[0].name, "position");
        assert_same_frame(frame, back);
        shoal_field_view view;
        assert_int_equal(shoal_frame_field(back, "density", &view), SHOAL_OK);
        assert_int_equal(view.count, counts[k]);
        assert_string_equal(view.unit, "kg/m^3");
        assert_int_equal(shoal_frame_cell_corners(back), 0);
        assert_int_equal(shoal_frame_field(back, "nothing", &view), SHOAL_ERR_PARAM);
        assert_int_equal(shoal_frame_field_at(back, 99, &view), SHOAL_ERR_PARAM);
        shoal_frame_destroy(back);
        shoal_frame_destroy(frame);
    }
}

static void sorting_puts_ids_in_order_and_keeps_particles_whole(void** state) {
    (void)state;
    shoal_frame* frame = frame_of(500);
    assert_int_equal(shoal_frame_sort(frame), SHOAL_OK);
    const int32_t*  id = shoal_frame_find(frame, "id")->data;
    const shoal_v3* x  = shoal_frame_find(frame, "position")->data;
    const float*    d  = shoal_frame_find(frame, "density")->data;
    const uint8_t*  m  = shoal_frame_find(frame, "material")->data;
    for (int i = 0; i < 500; i++) {
        int was = 499 - i;
        assert_int_equal(id[i], 3 * (500 - was));
        assert_true(x[i].x == (float)was && d[i] == 1000.0f + (float)was && m[i] == was % 3);
    }
    shoal_frame_destroy(frame);
}

// What ParaView must find, to the letter.
static void the_head_of_a_frame_is_as_agreed(void** state) {
    (void)state;
    shoal_frame* frame = frame_of(2);
    char*        bytes;
    size_t       size;
    assert_int_equal(shoal_frame_save(frame, scratch_path("h.vtp")), SHOAL_OK);
    assert_int_equal(shoal_file_read(scratch_path("h.vtp"), &bytes, &size), SHOAL_OK);
    static const char* const parts[] = {
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">",
        "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">0.125<",
        "<Piece NumberOfPoints=\"2\" NumberOfVerts=\"2\" NumberOfLines=\"0\"",
        "<DataArray type=\"Int32\" Name=\"id\" format=\"appended\" offset=\"0\" checksum=\"",
        "\"/>",
        "<DataArray type=\"UInt8\" Name=\"material\" format=\"appended\" offset=\"16\" checksum=\"",
        "\"/>",
        "<DataArray type=\"Float32\" Name=\"velocity\" NumberOfComponents=\"3\" "
        "format=\"appended\" offset=\"26\" checksum=\"",
        "\"/>",
        "<DataArray type=\"Float32\" Name=\"density\" format=\"appended\" offset=\"58\" checksum=\"",
        "\">\n"
        "          <InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">kg/m^3</InformationKey>\n"
        "        </DataArray>",
        "<DataArray type=\"Float32\" Name=\"pressure\" format=\"appended\" offset=\"74\" checksum=\"",
        "\"/>",
        "<DataArray type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\" format=\"appended\" "
        "offset=\"90\" checksum=\"",
        "\"/>",
        "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" offset=\"122\" checksum=\"",
        "\"/>",
        "<DataArray type=\"Int32\" Name=\"offsets\" format=\"appended\" offset=\"138\" checksum=\"",
        "\"/>",
        "<AppendedData encoding=\"raw\">\n   _"};
    const char* at = bytes;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        at = strstr(at, parts[p]);
        if (!at) fail_msg("missing or out of order: %s", parts[p]);
        at += strlen(parts[p]);
    }
    // connectivity 0, 1 and offsets 1, 2
    uint64_t length;
    int32_t  numbers[2];
    memcpy(&length, at + 122, 8), memcpy(numbers, at + 130, 8);
    assert_true(length == 8 && numbers[0] == 0 && numbers[1] == 1);
    memcpy(&length, at + 138, 8), memcpy(numbers, at + 146, 8);
    assert_true(length == 8 && numbers[0] == 1 && numbers[1] == 2);
    assert_string_equal(at + 154, "\n  </AppendedData>\n</VTKFile>\n");
    shoal_free(bytes);
    shoal_frame_destroy(frame);
}

static void a_frame_cut_short_anywhere_is_refused_with_a_message(void** state) {
    (void)state;
    shoal_frame *frame = frame_of(7), *back;
    char*        bytes;
    size_t       size;
    assert_int_equal(shoal_frame_save(frame, scratch_path("c.vtp")), SHOAL_OK);
    assert_int_equal(shoal_file_read(scratch_path("c.vtp"), &bytes, &size), SHOAL_OK);
    size_t needed = size - 1; // all but the last line end
    for (size_t cut = 0; cut < needed; cut++) {
        char* piece = shoal_alloc(cut, 1); // its own memory, so that a sanitizer sees a read past its end
        memcpy(piece, bytes, cut);
        assert_int_equal(shoal_frame_parse(piece, cut, "cut.vtp", &back), SHOAL_ERR_INPUT);
        assert_memory_equal(shoal_last_error(), "cut.vtp: ", 9);
        assert_null(back);
        shoal_free(piece);
    }
    assert_int_equal(shoal_frame_parse(bytes, needed, "cut.vtp", &back), SHOAL_OK);
    shoal_frame_destroy(back);
    shoal_free(bytes);
    shoal_frame_destroy(frame);
}

static void wrong_bytes_never_crash_the_reader(void** state) {
    (void)state;
    shoal_frame *frame = frame_of(5), *back;
    char*        bytes;
    size_t       size;
    int          refused = 0;
    assert_int_equal(shoal_frame_save(frame, scratch_path("w.vtp")), SHOAL_OK);
    assert_int_equal(shoal_file_read(scratch_path("w.vtp"), &bytes, &size), SHOAL_OK);
    for (uint64_t round = 0; round < 20000; round++) {
        size_t place  = (size_t)(shoal_random(5, 1, round) * (double)size);
        char   before = bytes[place];
        bytes[place]  = (char)(int)(shoal_random(5, 2, round) * 256.0);
        if (shoal_frame_parse(bytes, size, "w.vtp", &back) != SHOAL_OK) refused++;
        shoal_frame_destroy(back);
        bytes[place] = before;
    }
    assert_true(refused > 2000);
    shoal_free(bytes);
    shoal_frame_destroy(frame);
}

static void foreign_kinds_are_refused_by_name(void** state) {
    (void)state;
    static const char* const texts[][2] = {
        {"", "AppendedData"},
        {"<VTKFile type=\"ImageData\"><AppendedData encoding=\"raw\">_", "PolyData"},
        {"<VTKFile type=\"PolyData\" byte_order=\"BigEndian\"><AppendedData encoding=\"raw\">_", "little endian"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
         "compressor=\"z\">"
         "<AppendedData encoding=\"raw\">_",
         "compressed"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
         "<Piece NumberOfPoints=\"9999999999\"/><AppendedData encoding=\"raw\">_",
         "NumberOfPoints"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
         "<Piece NumberOfPoints=\"0\"/><AppendedData encoding=\"base64\">_",
         "raw"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
         "<Piece NumberOfPoints=\"0\"/><AppendedData encoding=\"raw\">_",
         "Points"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
         "<Piece NumberOfPoints=\"2000000000\"><Points><DataArray type=\"Float32\" "
         "NumberOfComponents=\"3\" "
         "format=\"appended\" offset=\"0\"/></Points><AppendedData encoding=\"raw\">_12345678",
         "wholly"},
        {"<a b c><AppendedData encoding=\"raw\">_", "value"},
        {"<svg><AppendedData encoding=\"raw\">_", "VTK"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        shoal_frame* frame;
        assert_int_equal(shoal_frame_parse(texts[i][0], strlen(texts[i][0]), "f", &frame), SHOAL_ERR_INPUT);
        if (!strstr(shoal_last_error(), texts[i][1])) fail_msg("%s: %s", texts[i][1], shoal_last_error());
    }
    shoal_frame* frame;
    assert_int_equal(shoal_frame_load(scratch_path("none.vtp"), &frame), SHOAL_ERR_FILE);
}

static void fields_of_one_name_or_none_are_refused(void** state) {
    (void)state;
    shoal_frame* frame;
    float        zero[3] = {0};
    char         name[100];
    memset(name, 'a', 99);
    name[99] = 0;
    assert_int_equal(shoal_frame_create(1, 0.0, &frame), SHOAL_OK);
    assert_int_equal(add(frame, "density", SHOAL_F1, zero), SHOAL_OK);
    assert_int_equal(add(frame, "density", SHOAL_V3, zero), SHOAL_ERR_INPUT);
    assert_int_equal(add(frame, "", SHOAL_F1, zero), SHOAL_ERR_INPUT);
    assert_int_equal(add(frame, name, SHOAL_F1, zero), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_frame_save(frame, scratch_path("p.vtp")), SHOAL_ERR_INTERNAL);
    shoal_frame_destroy(frame);
}

static void the_pvd_lists_frames_with_their_times(void** state) {
    (void)state;
    shoal_text        text     = {0};
    const int         frames[] = {0, 6, 123};
    const char *const one[] = {".vtp", NULL}, *const two[] = {".tets.vtu", ".skin.vtp", NULL};
    assert_int_equal(shoal_pvd_text("frames", "a&b", one, frames, 3, 24.0, &text), SHOAL_OK);
    assert_string_equal(text.bytes,
                        "<?xml version=\"1.0\"?>\n"
                        "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                        "  <Collection>\n"
                        "    <DataSet timestep=\"0\" group=\"\" part=\"0\" file=\"frames/a&amp;b_000000.vtp\"/>\n"
                        "    <DataSet timestep=\"0.25\" group=\"\" part=\"0\" "
                        "file=\"frames/a&amp;b_000006.vtp\"/>\n"
                        "    <DataSet timestep=\"5.125\" group=\"\" part=\"0\" "
                        "file=\"frames/a&amp;b_000123.vtp\"/>\n"
                        "  </Collection>\n"
                        "</VTKFile>\n");
    shoal_text_free(&text);
    assert_int_equal(shoal_pvd_text("frames", "a", two, frames + 1, 1, 24.0, &text), SHOAL_OK);
    assert_non_null(strstr(
        text.bytes, "<DataSet timestep=\"0.25\" group=\"\" part=\"0\" file=\"frames/a_000006.tets.vtu\"/>\n"
                    "    <DataSet timestep=\"0.25\" group=\"\" part=\"1\" file=\"frames/a_000006.skin.vtp\"/>\n"));
    shoal_text_free(&text);
}

static char* content(const char* path) {
    char*  bytes;
    size_t size;
    assert_int_equal(shoal_file_read(path, &bytes, &size), SHOAL_OK);
    assert_int_equal(strlen(bytes), size);
    return bytes;
}

// Byte for byte the list that is written at once; the file is another one where its end would lie in two pages alone.
static void a_pvd_that_is_appended_to_is_that_of_all_frames(void** state) {
    (void)state;
    enum { FRAMES = 300 };
    const char* const endings[] = {".water.vtp", ".sand.vtp", NULL};
    const char*       path      = scratch_path("list.pvd");
    int               frames[FRAMES], files = 0;
    shoal_text        text = {0};
    ino_t             file = 0;
    assert_int_equal(shoal_pvd_text("frames", "a", endings, frames, 0, 30.0, &text), SHOAL_OK);
    assert_int_equal(shoal_file_write(path, text.bytes, text.length), SHOAL_OK);
    shoal_text_free(&text);
    for (int k = 0; k < FRAMES; k++) {
        struct stat info;
        frames[k] = 2 * k;
        assert_int_equal(shoal_pvd_entry("frames", "a", endings, frames[k], 30.0, &text), SHOAL_OK);
        assert_int_equal(shoal_pvd_append(path, text.bytes, text.length), SHOAL_OK);
        shoal_text_free(&text);
        assert_int_equal(shoal_pvd_text("frames", "a", endings, frames, k + 1, 30.0, &text), SHOAL_OK);
        char* bytes = content(path);
        assert_string_equal(bytes, text.bytes);
        shoal_free(bytes);
        assert_int_equal(stat(path, &info), 0);
        files += info.st_ino != file;
        file = info.st_ino;
        if (k == FRAMES - 1) assert_true(files <= 2 + 2 * ((int)text.length / 4096));
        shoal_text_free(&text);
    }
}

static void what_is_no_pvd_is_not_appended_to(void** state) {
    (void)state;
    static const char entry[] = "    <DataSet/>\n", other[] = "a file of the same name, of which none is known to us";
    const char*       path = scratch_path("other.pvd");
    assert_int_equal(shoal_pvd_append(path, entry, sizeof entry - 1), SHOAL_ERR_OUTPUT);
    assert_false(shoal_path_exists(path));
    assert_int_equal(shoal_file_write(path, other, sizeof other - 1), SHOAL_OK);
    assert_int_equal(shoal_pvd_append(path, entry, sizeof entry - 1), SHOAL_ERR_OUTPUT);
    char* bytes = content(path);
    assert_string_equal(bytes, other);
    shoal_free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_comes_back_as_it_went),
        cmocka_unit_test(sorting_puts_ids_in_order_and_keeps_particles_whole),
        cmocka_unit_test(the_head_of_a_frame_is_as_agreed),
        cmocka_unit_test(a_frame_cut_short_anywhere_is_refused_with_a_message),
        cmocka_unit_test(wrong_bytes_never_crash_the_reader),
        cmocka_unit_test(foreign_kinds_are_refused_by_name),
        cmocka_unit_test(fields_of_one_name_or_none_are_refused),
        cmocka_unit_test(the_pvd_lists_frames_with_their_times),
        cmocka_unit_test(a_pvd_that_is_appended_to_is_that_of_all_frames),
        cmocka_unit_test(what_is_no_pvd_is_not_appended_to),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
