// SPDX-License-Identifier: MIT
// For the mesh readers: words and numbers out of text that need not end in a zero, and a mesh that
// grows.
#ifndef SHOAL_MESH_SCAN_H
#define SHOAL_MESH_SCAN_H

#include "geom/mesh.h"

// A place in a text. Words end at blanks and line ends; a backslash before a line end joins two
// lines.
typedef struct mesh_scan {
    const char* name; // of the file, for messages
    const char* at;
    const char* end;
    int         line; // from 1
} mesh_scan;

typedef struct mesh_word {
    const char* text;
    size_t      length; // 0: none
} mesh_word;

bool      mesh_scan_is_done(const mesh_scan* s);
void      mesh_scan_next_line(mesh_scan* s);
mesh_word mesh_scan_word(mesh_scan* s);     // the next on this line
mesh_word mesh_scan_any_word(mesh_scan* s); // the next on this or a later line

bool mesh_word_is(mesh_word w, const char* text); // letter case ignored
// A number in any C notation, whatever the locale; false when it is none. Infinite when too large.
bool mesh_word_number(mesh_word w, double* out);
// A whole number at the beginning of the word; gives what is left of it. False when there is none.
bool mesh_word_whole(mesh_word* w, int64_t* out);

// "name:line: what 'word'", and how the word is shown: printable and not too long. SHOAL_ERR_INPUT.
shoal_status mesh_scan_fail(const mesh_scan* s, const char* what, mesh_word w);

// A mesh being read. Zero-initialise; free whatever happens.
typedef struct mesh_build {
    int       vertex_count, vertex_capacity, triangle_count, triangle_capacity;
    shoal_v3* vertices;
    int*      triangles;
    int       corner_count, corner_capacity; // of the face at hand
    int*      corners;
} mesh_build;

// Whether a coordinate can be part of a mesh: a number, and not too far away.
bool         mesh_build_takes(double coordinate);
shoal_status mesh_build_vertex(mesh_build* b, double x, double y, double z);
shoal_status mesh_build_triangle(mesh_build* b, int i, int j, int k);
// A face, corner by corner, then its triangles: a fan, or of many corners halves of halves, since a fan of thousands is
// slivers that all lie in each other's boxes.
shoal_status mesh_build_corner(mesh_build* b, int i);
shoal_status mesh_build_face(mesh_build* b);
shoal_status mesh_build_end(mesh_build* b, const char* name, shoal_mesh** out);
void         mesh_build_free(mesh_build* b);

#endif
