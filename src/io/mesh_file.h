// SPDX-License-Identifier: MIT
// Triangle meshes from files: OBJ, PLY (ascii, binary of both byte orders), STL (ascii, binary).
// Polygons become fans of triangles. Messages are `name:line: what`, or `name:byte N: what` in
// binary files.
#ifndef SHOAL_MESH_FILE_H
#define SHOAL_MESH_FILE_H

#include "geom/mesh.h"

// Ends the message of SHOAL_ERR_INPUT about a mesh that is right but empty.
#define SHOAL_MESH_EMPTY "there is no triangle in it"

// By the ending of the path. SHOAL_ERR_FILE when the file cannot be read, SHOAL_ERR_INPUT when it
// is not what its ending says or is larger than 2 GB.
shoal_status shoal_mesh_load(const char* path, shoal_mesh** out);

// From bytes in memory; `name` stands for the file in messages.
shoal_status shoal_mesh_read_obj(const char* bytes, size_t size, const char* name, shoal_mesh** out);
shoal_status shoal_mesh_read_ply(const char* bytes, size_t size, const char* name, shoal_mesh** out);
// Vertices at exactly the same place become one, since STL repeats them for every triangle.
shoal_status shoal_mesh_read_stl(const char* bytes, size_t size, const char* name, shoal_mesh** out);

#endif
