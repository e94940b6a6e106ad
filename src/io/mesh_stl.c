// SPDX-License-Identifier: MIT
// STL, ascii and binary. Binary files may begin with "solid" too, so the length decides first: a
// binary file of n triangles has 84 + 50 n bytes. Normals are passed over; the order of the corners
// says what is outside.
#include <string.h>

#include "base/memory.h"
#include "io/mesh_file.h"
#include "io/mesh_scan.h"

enum { HEAD = 84, RECORD = 50 };

static uint32_t little32(const char* bytes) {
    const unsigned char* b = (const unsigned char*)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float little_float(const char* bytes) {
    uint32_t bits = little32(bytes);
    float    value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_binary(const char* bytes, size_t size) {
    if (size >= HEAD && HEAD + RECORD * (uint64_t)little32(bytes + 80) == size) return true;
    mesh_scan s = {"", bytes, bytes + size, 1};
    if (!mesh_word_is(mesh_scan_any_word(&s), "solid")) return true;
    // the name may be anything, but the next line of a text starts with a known word
    mesh_scan_next_line(&s);
    mesh_word w = mesh_scan_any_word(&s);
    return !mesh_word_is(w, "facet") && !mesh_word_is(w, "endsolid");
}

static shoal_status read_binary(const char* bytes, size_t size, const char* name, mesh_build* b) {
    if (size < HEAD)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s: neither an ascii STL (no 'solid' and 'facet') nor a binary one (%zu bytes)", name, size);
    uint32_t count = little32(bytes + 80);
    if (HEAD + RECORD * (uint64_t)count > size)
        return shoal_fail(SHOAL_ERR_INPUT, "%s:byte 80: %u triangles are promised, but there is room for %zu", name,
                          count, (size - HEAD) / RECORD);
    for (size_t t = 0; t < count; t++) {
        for (size_t v = 0; v < 3; v++) {
            size_t at = HEAD + RECORD * t + 12 * (v + 1);
            double x = (double)little_float(bytes + at), y = (double)little_float(bytes + at + 4),
                   z = (double)little_float(bytes + at + 8);
            if (!mesh_build_takes(x) || !mesh_build_takes(y) || !mesh_build_takes(z))
                return shoal_fail(SHOAL_ERR_INPUT, "%s:byte %zu: vertex [%g, %g, %g] is not within 1e9", name, at, x, y,
                                  z);
            SHOAL_TRY(mesh_build_vertex(b, x, y, z));
        }
        SHOAL_TRY(mesh_build_triangle(b, b->vertex_count - 3, b->vertex_count - 2, b->vertex_count - 1));
    }
    return SHOAL_OK;
}

static shoal_status expect(mesh_scan* s, const char* word, const char* what) {
    mesh_word w = mesh_scan_any_word(s);
    return mesh_word_is(w, word) ? SHOAL_OK : mesh_scan_fail(s, what, w);
}

static shoal_status read_facet(mesh_scan* s, mesh_build* b) {
    mesh_scan_next_line(s); // the normal
    SHOAL_TRY(expect(s, "outer", "'outer loop' was expected"));
    SHOAL_TRY(expect(s, "loop", "'outer loop' was expected"));
    for (int v = 0; v < 3; v++) {
        double x[3];
        SHOAL_TRY(expect(s, "vertex", "a facet has three lines 'vertex x y z'"));
        for (int k = 0; k < 3; k++) {
            mesh_word w = mesh_scan_word(s);
            if (!mesh_word_number(w, &x[k]) || !mesh_build_takes(x[k]))
                return mesh_scan_fail(s, "a vertex needs three numbers within 1e9", w);
        }
        SHOAL_TRY(mesh_build_vertex(b, x[0], x[1], x[2]));
    }
    SHOAL_TRY(expect(s, "endloop", "'endloop' was expected"));
    SHOAL_TRY(expect(s, "endfacet", "'endfacet' was expected"));
    return mesh_build_triangle(b, b->vertex_count - 3, b->vertex_count - 2, b->vertex_count - 1);
}

// Several solids in one file are one mesh.
static shoal_status read_ascii(const char* bytes, size_t size, const char* name, mesh_build* b) {
    mesh_scan s = {name, bytes, bytes + size, 1};
    for (mesh_word w = mesh_scan_any_word(&s); w.length > 0; w = mesh_scan_any_word(&s)) {
        if (mesh_word_is(w, "solid") || mesh_word_is(w, "endsolid")) {
            mesh_scan_next_line(&s); // its name
        } else if (mesh_word_is(w, "facet")) {
            SHOAL_TRY(read_facet(&s, b));
        } else {
            return mesh_scan_fail(&s, "'facet' or 'endsolid' was expected", w);
        }
    }
    return SHOAL_OK;
}

static shoal_status weld(mesh_build* b) {
    if (b->vertex_count == 0) return SHOAL_OK;
    int* map      = shoal_alloc((size_t)b->vertex_count, sizeof *map);
    int  distinct = 0;
    if (!map) return SHOAL_ERR_MEMORY;
    shoal_status status = shoal_mesh_weld(b->vertices, b->vertex_count, map, &distinct);
    if (status == SHOAL_OK) {
        // new numbers never run ahead of the old ones, so moving in place is safe
        for (int i = 0; i < b->vertex_count; i++) b->vertices[map[i]] = b->vertices[i];
        for (int i = 0; i < 3 * b->triangle_count; i++) b->triangles[i] = map[b->triangles[i]];
        b->vertex_count = distinct;
    }
    shoal_free(map);
    return status;
}

shoal_status shoal_mesh_read_stl(const char* bytes, size_t size, const char* name, shoal_mesh** out) {
    mesh_build   b = {0};
    shoal_status status =
        is_binary(bytes, size) ? read_binary(bytes, size, name, &b) : read_ascii(bytes, size, name, &b);
    if (status == SHOAL_OK) status = weld(&b);
    if (status == SHOAL_OK) status = mesh_build_end(&b, name, out);
    mesh_build_free(&b);
    return status;
}
