// SPDX-License-Identifier: MIT
// Wavefront OBJ: v and f lines; normals, texture places, groups, materials and curves are passed
// over.
#include "io/mesh_file.h"
#include "io/mesh_scan.h"

static shoal_status read_vertex(mesh_scan* s, mesh_build* b) {
    double x[3];
    for (int k = 0; k < 3; k++) {
        mesh_word w = mesh_scan_word(s);
        if (!mesh_word_number(w, &x[k]) || !mesh_build_takes(x[k]))
            return mesh_scan_fail(s, "a vertex needs three numbers within 1e9", w);
    }
    return mesh_build_vertex(b, x[0], x[1], x[2]);
}

// "7", "7/1", "7//3", "7/1/3" or, counted back from the last vertex so far, "-1".
static shoal_status read_corner(mesh_scan* s, mesh_word w, int vertex_count, int* corner) {
    mesh_word rest   = w;
    int64_t   number = 0;
    if (!mesh_word_whole(&rest, &number) || (rest.length > 0 && *rest.text != '/'))
        return mesh_scan_fail(s, "a corner of a face must be like 7, 7/1, 7//3 or 7/1/3", w);
    int64_t index = number < 0 ? vertex_count + number : number - 1;
    if (number == 0 || index < 0 || index >= vertex_count)
        return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: a face names vertex %lld, but %d are known here", s->name, s->line,
                          (long long)number, vertex_count);
    *corner = (int)index;
    return SHOAL_OK;
}

static shoal_status read_face(mesh_scan* s, mesh_build* b) {
    for (mesh_word w = mesh_scan_word(s); w.length > 0 && *w.text != '#'; w = mesh_scan_word(s)) {
        int corner = 0;
        SHOAL_TRY(read_corner(s, w, b->vertex_count, &corner));
        SHOAL_TRY(mesh_build_corner(b, corner));
    }
    if (b->corner_count < 3)
        return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: a face needs at least 3 corners, this one has %d", s->name, s->line,
                          b->corner_count);
    return mesh_build_face(b);
}

shoal_status shoal_mesh_read_obj(const char* bytes, size_t size, const char* name, shoal_mesh** out) {
    mesh_scan    s      = {name, bytes, bytes + size, 1};
    mesh_build   b      = {0};
    shoal_status status = SHOAL_OK;
    for (; !mesh_scan_is_done(&s) && status == SHOAL_OK; mesh_scan_next_line(&s)) {
        mesh_word w = mesh_scan_word(&s);
        if (w.length != 1) continue;
        if (*w.text == 'v') status = read_vertex(&s, &b);
        if (*w.text == 'f') status = read_face(&s, &b);
    }
    if (status == SHOAL_OK) status = mesh_build_end(&b, name, out);
    mesh_build_free(&b);
    return status;
}
