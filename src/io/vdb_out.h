// SPDX-License-Identifier: MIT
// OpenVDB files (.vdb): grids of floats or vectors in leaves of 8 x 8 x 8 voxels, uncompressed but
// for leaving out what is not active. Read by OpenVDB since 5, Blender and Houdini.
#ifndef SHOAL_VDB_OUT_H
#define SHOAL_VDB_OUT_H

#include "grid/sparse.h"

typedef struct shoal_vdb_grid {
    const char*         name;
    const shoal_sparse* distance; // its blocks are the leaves; samples are at whole multiples of cell
    const float*        vectors;  // [3 * 512 * block_count] a grid of these, where distance < outside;
                                  // NULL: a level set of the distances, active within +-outside
} shoal_vdb_grid;

shoal_status shoal_vdb_save(const shoal_vdb_grid* grids, int count, const char* path);

#endif
