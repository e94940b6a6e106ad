// SPDX-License-Identifier: MIT
// Parts of frames that are meshes, as surfaces that need no mesher. For post/ only.
#ifndef SHOAL_PART_MESH_H
#define SHOAL_PART_MESH_H

#include "exec/exec.h"
#include "post/post_source.h"
#include "appearance/surface_params.h"

// The mesh of a material: its parts of triangles together, or, where it has none, the outsides of its tetrahedra.
// Fields of points, and those of cells as means at their points. A mesh is of the material of its first point. NULL: no
// part is a mesh of it.
shoal_status post_part_meshes(const post_frame* frame, int material, shoal_surface_mesh** out);
// The same of those parts alone that have a field, by FIELD or PART.FIELD, to be coloured by it.
shoal_status post_part_meshes_with(const post_source* source, const post_frame* frame, int material, const char* field,
                                   shoal_surface_mesh** out);
// The tetrahedra of a material but those whose middle is beyond `at` along an axis, as a mesh of the faces that are
// seen, each with corners of its own: fields of cells are those of the tetrahedron, `size` the edge of the cube that it
// is a twelfth of, as those of a plain lattice are, m, `number` its own. NULL: it has none.
shoal_status post_part_cutaway(const post_frame* frame, int material, int axis, double at, shoal_surface_mesh** out);
// The surface of a material: around its particles, where there are any, and its meshes as they are.
shoal_status post_material_surface(const shoal_surface_params* params, const post_material* material,
                                   const shoal_exec* exec, shoal_surface_mesh** out);

#endif
