// SPDX-License-Identifier: MIT
// Good and bad OBJ, PLY and STL files.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/mesh_file.h"

typedef shoal_status (*reader)(const char* bytes, size_t size, const char* name, shoal_mesh** out);

static shoal_mesh* read_good(reader read, const char* bytes, size_t size) {
    shoal_mesh* mesh = NULL;
    if (read(bytes, size, "good", &mesh) != SHOAL_OK) fail_msg("%s", shoal_last_error());
    return mesh;
}

// The bytes are copied to the very end of a block, so that a sanitizer sees a read beyond them.
static void expect_bad_bytes(reader read, const char* bytes, size_t size, const char* message) {
    char*       copy = malloc(size);
    shoal_mesh* mesh = NULL;
    size_t      held = shoal_memory_in_use();
    if (size > 0) memcpy(copy, bytes, size);
    shoal_status status = read(copy, size, "bad", &mesh);
    free(copy);
    assert_int_equal(status, SHOAL_ERR_INPUT);
    assert_null(mesh);
    assert_int_equal(shoal_memory_in_use(), held);
    if (!strstr(shoal_last_error(), message)) fail_msg("'%s' is not in '%s'", message, shoal_last_error());
}

static void expect_bad(reader read, const char* text, const char* message) {
    expect_bad_bytes(read, text, strlen(text), message);
}

static void expect_square(reader read, const char* bytes, size_t size) {
    shoal_mesh* mesh         = read_good(read, bytes, size);
    const int   triangles[6] = {0, 1, 2, 0, 2, 3};
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 2);
    assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
    const shoal_v3 vertices[4] = {{0, 0, 0}, {1.5f, 0, 0}, {1.5f, -2, 0}, {0, -2, 0.25f}};
    assert_memory_equal(mesh->vertices, vertices, sizeof vertices);
    shoal_mesh_destroy(mesh);
}

static void obj_faces_come_in_all_their_forms(void** state) {
    (void)state;
    static const char* const texts[] = {
        "v 0 0 0\nv 1.5 0 0\nv 1.5 -2 0\nv 0 -2 0.25\nf 1 2 3 4\n",
        "# a square\r\nmtllib x.mtl\r\no thing\r\nv 0 0 0 1.0\r\nv +1.5 0. 0\r\nv 15e-1 -2 .0\r\nv "
        "0 -.2E1 "
        "25e-2\r\nvn 0 0 1\r\nvt 0 0\r\ns off\r\nf 1/1/1 2/1/1 3/1/1\r\nf 1//1 3//1 4//1 # "
        "half\r\n",
        "v 0 0 0\nv 1.5 0 0\nv 1.5 -2 0\nv 0 -2 \\\n 0.25\ng group\nf -4/7 -3/8 \\\r\n -2/9 -1/2",
        "  v\t0 0 0\n\tv 1.500000000000000000000000 0 0\n\nv 1.5 -2 0 0.1 0.2 0.3\nv 0 -2 0.25\nl "
        "1 2\np 1\nf 1 2 3\nf 1 "
        "3 4",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_square(shoal_mesh_read_obj, texts[i], strlen(texts[i]));
}

// A ring of 1000 corners: no triangle of it reaches across more than those above it do, so that
// trees of boxes can part them. A fan has 998 that all reach across.
static void a_face_of_many_corners_becomes_halves_of_halves(void** state) {
    (void)state;
    enum { CORNERS = 1000 };
    char*       text = malloc(CORNERS * 64);
    size_t      used = 0;
    shoal_mesh* mesh = NULL;
    for (int k = 0; k < CORNERS; k++) {
        double angle = 2.0 * SHOAL_PI * k / CORNERS;
        used += (size_t)sprintf(text + used, "v %.6f %.6f 0\n", cos(angle), sin(angle));
    }
    used += (size_t)sprintf(text + used, "f");
    for (int k = 0; k < CORNERS; k++) used += (size_t)sprintf(text + used, " %d", k + 1);
    assert_int_equal(shoal_mesh_read_obj(text, used, "ring.obj", &mesh), SHOAL_OK);
    assert_int_equal(mesh->triangle_count, CORNERS - 2);
    int    wide = 0;
    double area = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        shoal_v3 p[3];
        for (int k = 0; k < 3; k++) p[k] = mesh->vertices[mesh->triangles[3 * t + k]];
        shoal_v3 ab = shoal_v3_sub(p[1], p[0]), ac = shoal_v3_sub(p[2], p[0]);
        area += 0.5 * (double)shoal_v3_cross(ab, ac).z;
        wide += shoal_v3_length(ac) > 0.5f || shoal_v3_length(ab) > 0.5f;
    }
    assert_true(fabs(area - SHOAL_PI) < 1e-4);
    assert_true(wide < 40);
    shoal_mesh_destroy(mesh);
    free(text);
}

static void obj_faults_are_reported_with_their_line(void** state) {
    (void)state;
    expect_bad(shoal_mesh_read_obj, "", "no triangle");
    expect_bad(shoal_mesh_read_obj, "v 0 0 0\n", "no triangle");
    expect_bad(shoal_mesh_read_obj, "v 0 0 0\nv 1 x 0\n", "bad:2: a vertex needs three numbers within 1e9, not 'x'");
    expect_bad(shoal_mesh_read_obj, "v 0 0\nv 1 2 3", "bad:1: a vertex needs three numbers");
    expect_bad(shoal_mesh_read_obj, "v 0 0 nan\n", "not 'nan'");
    expect_bad(shoal_mesh_read_obj, "v 0 0 1e999\n", "not '1e999'");
    expect_bad(shoal_mesh_read_obj, "v 0 0 1e\n", "not '1e'");
    expect_bad(shoal_mesh_read_obj, "v 0 0 1..2\n", "not '1..2'");
    expect_bad(shoal_mesh_read_obj, "v 0 0 .\n", "not '.'");
    expect_bad(shoal_mesh_read_obj, "v 0 0 0\n#\n\nf 1 1 2\n", "bad:4: a face names vertex 2, but 1 are known here");
    expect_bad(shoal_mesh_read_obj, "v 0 0 0\nf 1 1 -2\n", "names vertex -2");
    expect_bad(shoal_mesh_read_obj, "v 0 0 0\nf 1 1 0\n", "names vertex 0");
    expect_bad(shoal_mesh_read_obj, "v 0 0 0\nf 1 1 99999999999999999999\n", "names vertex");
    expect_bad(shoal_mesh_read_obj, "v 0 0 0\nf 1 1\n", "at least 3 corners, this one has 2");
    expect_bad(shoal_mesh_read_obj, "v 0 0 0\nf 1 1 a\n", "not 'a'");
    expect_bad(shoal_mesh_read_obj, "v 0 0 0\nf 1 1 \\", "not '\\'");
}

static const char ascii_body[] = "0 0 0\n1.5 0 0\n1.5 -2 0\n0 -2 0.25\n4 0 1 2 3\n";

static void ascii_ply_is_read(void** state) {
    (void)state;
    char text[1000];
    snprintf(text, sizeof text,
             "ply\nformat ascii 1.0\ncomment ends in a \\\nelement vertex 4\nproperty float x\nproperty "
             "float y\n"
             "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n%s",
             ascii_body);
    expect_square(shoal_mesh_read_ply, text, strlen(text));

    const char* mixed = "ply\r\nformat ascii 1.0\r\nobj_info x\r\nelement material 1\r\nproperty list int float "
                        "rgb\r\n"
                        "element vertex 4\r\nproperty double z\r\nproperty uchar red\r\nproperty short "
                        "x\r\nproperty "
                        "float nx\r\nproperty int y\r\nelement face 2\r\nproperty float quality\r\nproperty list "
                        "uint "
                        "short vertex_index\r\nelement empty 4000000000\r\nend_header\r\n"
                        "3 0.5 0.5 0.5\r\n0 255 0 nan 0\r\n0 255 1.5 -nan 0\r\n0 0 1.5 0 -2\r\n0.25 0 0 0 -2\r\n"
                        "0.1 3 0 1 2\r\n0.1 3 0 2 3";
    expect_square(shoal_mesh_read_ply, mixed, strlen(mixed));
}

// Appends the bytes of a value in the byte order asked for.
typedef struct bytes {
    char   data[2000];
    size_t size;
    bool   is_big;
} bytes;

static void add(bytes* b, const void* value, size_t size) {
    const char* from = value;
    for (size_t i = 0; i < size; i++) b->data[b->size++] = from[b->is_big ? size - 1 - i : i];
}
static void add_f32(bytes* b, float x) { add(b, &x, 4); }
static void add_f64(bytes* b, double x) { add(b, &x, 8); }
static void add_i32(bytes* b, int x) { add(b, &x, 4); }
static void add_u16(bytes* b, int x) { add(b, &(uint16_t){(uint16_t)x}, 2); }
static void add_u8(bytes* b, int x) { b->data[b->size++] = (char)x; }

static bytes binary_ply(bool is_big) {
    bytes b = {.is_big = is_big};
    b.size =
        (size_t)sprintf(b.data,
                        "ply\nformat binary_%s_endian 1.0\nelement face 1\nproperty uchar flags\nproperty list "
                        "uchar ushort vertex_indices\nproperty list ushort double more\nelement vertex 4\nproperty "
                        "float x\nproperty int colour\nproperty double y\nproperty float z\nend_header\n",
                        is_big ? "big" : "little");
    const double v[4][3] = {{0, 0, 0}, {1.5, 0, 0}, {1.5, -2, 0}, {0, -2, 0.25}};
    add_u8(&b, 7), add_u8(&b, 4);
    for (int i = 0; i < 4; i++) add_u16(&b, i);
    add_u16(&b, 2), add_f64(&b, 1e300), add_f64(&b, 2.0);
    for (int i = 0; i < 4; i++)
        add_f32(&b, (float)v[i][0]), add_i32(&b, -1), add_f64(&b, v[i][1]), add_f32(&b, (float)v[i][2]);
    return b;
}

static void binary_ply_is_read_in_both_byte_orders(void** state) {
    (void)state;
    for (int is_big = 0; is_big < 2; is_big++) {
        bytes b = binary_ply(is_big);
        expect_square(shoal_mesh_read_ply, b.data, b.size);
    }
}

static void every_cut_of_a_binary_ply_is_refused(void** state) {
    (void)state;
    bytes b = binary_ply(false);
    for (size_t size = 0; size < b.size; size++) expect_bad_bytes(shoal_mesh_read_ply, b.data, size, "bad");
}

#define HEAD "ply\nformat ascii 1.0\n"
#define VERTEX(count) "element vertex " count "\nproperty float x\nproperty float y\nproperty float z\n"
#define FACE(count) "element face " count "\nproperty list uchar int vertex_indices\n"
#define END "end_header\n"

static void ply_faults_are_reported(void** state) {
    (void)state;
    reader ply = shoal_mesh_read_ply;
    expect_bad(ply, "plx\n", "starts with 'ply'");
    expect_bad(ply, "ply\nformat utf8 1.0\n", "bad:2: the format must be ascii");
    expect_bad(ply, "ply\n" VERTEX("1") FACE("1") END, "no format");
    expect_bad(ply, HEAD VERTEX("3"), "the header has no end");
    expect_bad(ply, HEAD "property float x\n" END, "bad:3: a property before any element");
    expect_bad(ply, HEAD "element vertex -3\n", "how many");
    expect_bad(ply, HEAD "element vertex\n", "how many");
    expect_bad(ply, HEAD "element vertex 3\nproperty real x\n", "bad:4: the type of a property");
    expect_bad(ply, HEAD "element vertex 3\nproperty float x\nproperty float x\n", "may be given once");
    expect_bad(ply, HEAD "element vertex 3\nelement vertex 3\n", "may be given once");
    expect_bad(ply, HEAD "element face 3\nproperty list float int vertex_indices\n", "count of a list");
    expect_bad(ply, HEAD "hello\n", "not 'hello'");
    expect_bad(ply, HEAD "element vertex 1\nproperty float x\n" FACE("1") END "0 1 0", "with x, y and z");
    expect_bad(ply, HEAD VERTEX("1") END "0 0 0", "vertex_indices was expected");
    expect_bad(ply, HEAD VERTEX("4000000000") FACE("1") END "0 0 0\n", "promises 4000000000 items");
    expect_bad(ply, HEAD VERTEX("3") FACE("9999999999999999999") END "0 0 0 0 0 0 0 0 0\n3 0 0 0", "promises");
    expect_bad(ply, HEAD VERTEX("1") FACE("1") END "0 0 0\n3 0 0 1\n",
               "bad:11: a face names a vertex that is not there");
    expect_bad(ply, HEAD VERTEX("1") FACE("1") END "0 0 0\n3 0 0 0.5\n", "not there");
    expect_bad(ply, HEAD VERTEX("1") FACE("1") END "0 0 0\n2 0 0 \n", "at least 3 corners");
    expect_bad(ply, HEAD VERTEX("1") FACE("1") END "0 0 0\n-3 0 0 0\n", "length of a list");
    expect_bad(ply, HEAD VERTEX("1") FACE("1") END "0 0 0\n300000 0 0 0\n", "length of a list");
    expect_bad(ply, HEAD VERTEX("1") FACE("1") END "0 0 1e10\n3 0 0 0\n", "bad:10: a coordinate");
    expect_bad(ply, HEAD VERTEX("1") FACE("1") END "0 0 x\n3 0 0 0\n", "bad:10: a number was expected, not 'x'");
    expect_bad(ply, HEAD VERTEX("1") FACE("0") END "0 0 0\n", "no triangle");
}

static const float stl_square[6][3] = {{0, 0, 0}, {1.5f, 0, 0},  {1.5f, -2, 0},
                                       {0, 0, 0}, {1.5f, -2, 0}, {0, -2, 0.25f}};

static bytes binary_stl(void) {
    bytes b = {.size = 80};
    memcpy(b.data, "solid but binary", 16);
    add_i32(&b, 2);
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < 3; k++) add_f32(&b, NAN); // normals are passed over
        for (int k = 0; k < 9; k++) add_f32(&b, stl_square[3 * t + k / 3][k % 3]);
        add_u16(&b, 0xffff);
    }
    return b;
}

static void binary_stl_is_read_and_welded_even_when_it_begins_with_solid(void** state) {
    (void)state;
    bytes b = binary_stl();
    expect_square(shoal_mesh_read_stl, b.data, b.size);
    b.size += 3; // some writers leave bytes behind
    expect_square(shoal_mesh_read_stl, b.data, b.size);
}

static void ascii_stl_is_read_and_welded(void** state) {
    (void)state;
    const char* text = "solid two words\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   "
                       "vertex 1.5e0 0 0\n   vertex "
                       "1.5 -2 0\n  endloop\n endfacet\nendsolid two words\nsolid\r\nFACET NORMAL "
                       "nan 0 0\r\nOUTER "
                       "LOOP\r\nVERTEX 0 0 0\r\nVERTEX 1.5 -2 0\r\nVERTEX 0 -2 "
                       "0.25\r\nENDLOOP\r\nENDFACET\r\nENDSOLID";
    expect_square(shoal_mesh_read_stl, text, strlen(text));
}

static void stl_faults_are_reported(void** state) {
    (void)state;
    reader stl = shoal_mesh_read_stl;
    bytes  b   = binary_stl();
    expect_bad(stl, "", "neither an ascii STL");
    expect_bad(stl, "solid\nendsolid\n", "no triangle");
    expect_bad(stl, "solid x\nfacet normal 0 0 1\nouter hoop\n", "bad:3: 'outer loop' was expected, not 'hoop'");
    expect_bad(stl, "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "bad:4: a vertex needs three numbers");
    expect_bad(stl, "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop", "bad:5: a facet has three lines");
    expect_bad(stl, "solid x\nfacet", "'outer loop' was expected, but the line or file ends");
    expect_bad(stl, "solid x\nendsolid\nhello", "not 'hello'");
    for (size_t size = 84; size < b.size; size++)
        expect_bad_bytes(stl, b.data, size, "bad:byte 80: 2 triangles are promised");
    memset(b.data + 80, 0xff, 4);
    expect_bad_bytes(stl, b.data, b.size, "4294967295 triangles are promised");
    b        = binary_stl();
    float no = NAN;
    memcpy(b.data + 84 + 50 + 24, &no, 4);
    expect_bad_bytes(stl, b.data, b.size, "bad:byte 158: vertex [nan");
}

static void files_are_read_by_their_ending(void** state) {
    (void)state;
    char folder[] = "/tmp/shoal-mesh-XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/square.OBJ", folder);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", file);
    fclose(file);
    shoal_mesh* mesh = NULL;
    assert_int_equal(shoal_mesh_load(path, &mesh), SHOAL_OK);
    assert_int_equal(mesh->triangle_count, 1);
    shoal_mesh_destroy(mesh);
    mesh = NULL;

    assert_int_equal(truncate(path, (off_t)1 << 31), 0); // sparse
    assert_int_equal(shoal_mesh_load(path, &mesh), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "at most 2 GB"));
    unlink(path);
    assert_int_equal(shoal_mesh_load(path, &mesh), SHOAL_ERR_FILE);
    assert_non_null(strstr(shoal_last_error(), "No such file"));
    snprintf(path, sizeof path, "%s/x.ply", folder);
    assert_int_equal(shoal_mesh_load("/tmp", &mesh), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), ".obj, .ply and .stl"));
    rmdir(folder);
    assert_null(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_faces_come_in_all_their_forms),
        cmocka_unit_test(a_face_of_many_corners_becomes_halves_of_halves),
        cmocka_unit_test(obj_faults_are_reported_with_their_line),
        cmocka_unit_test(ascii_ply_is_read),
        cmocka_unit_test(binary_ply_is_read_in_both_byte_orders),
        cmocka_unit_test(every_cut_of_a_binary_ply_is_refused),
        cmocka_unit_test(ply_faults_are_reported),
        cmocka_unit_test(binary_stl_is_read_and_welded_even_when_it_begins_with_solid),
        cmocka_unit_test(ascii_stl_is_read_and_welded),
        cmocka_unit_test(stl_faults_are_reported),
        cmocka_unit_test(files_are_read_by_their_ending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
