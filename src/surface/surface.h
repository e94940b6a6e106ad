// SPDX-License-Identifier: MIT
// Particles to a closed mesh, with the checked parameters of the block `surface`.
#ifndef SHOAL_SURFACE_BUILD_H
#define SHOAL_SURFACE_BUILD_H

#include "exec/exec.h"
#include "grid/sparse.h"
#include "math/vec.h"
#include "shoal/surface.h"
#include "appearance/surface_params.h"

// A mesh with memory for its vertices, normals and triangles, without fields. Without memory *out may be made and
// incomplete: destroy it as usual.
shoal_status shoal_surface_mesh_create(int vertices, int triangles, shoal_surface_mesh** out);
// One more field of its vertices, all zero: *data, [components * vertex_count].
shoal_status shoal_surface_mesh_add(shoal_surface_mesh* mesh, const char* name, int components, float** data);

// As shoal_surface_make; `isa` never changes a bit of the result.
shoal_status shoal_surface_build(const shoal_surface_params* params, const shoal_surface_particles* particles,
                                 const shoal_exec* exec, shoal_isa_kind isa, shoal_surface_mesh** out);

// What single particles look like: ellipsoids (x - center)^T shape (x - center) <= 1 stretched along their neighbours,
// by the method anisotropic, whatever the one of `params`; those at the surface of flat water just reach it.
typedef struct shoal_surface_ellipsoid {
    shoal_v3 center; // m
    shoal_s6 shape;  // 1/m^2
    float    volume; // m^3; of the ellipsoid, more than its particle's since they overlap
} shoal_surface_ellipsoid;
shoal_surface_params shoal_surface_stretched(const shoal_surface_params* params); // as they are taken for them
// out has particles->count entries, in their order.
shoal_status shoal_surface_ellipsoids(const shoal_surface_params* params, const shoal_surface_particles* particles,
                                      const shoal_exec* exec, shoal_isa_kind isa, shoal_surface_ellipsoid* out);

// Balls of the method blobby, whatever the one of `params`: the surface is where the sum of (1 - (r/reach)^2)^3 is
// `level`.
typedef struct shoal_surface_blob {
    float reach; // spacings
    float level;
} shoal_surface_blob;
shoal_surface_blob shoal_surface_blob_of(const shoal_surface_params* params);

// The same surface as signed distances, m, right to about a quarter of a cell within the band and
// +-outside beyond; no block is where all is outside.
#define SHOAL_SURFACE_BAND 3.0f // cells
typedef struct shoal_surface_volume {
    shoal_sparse distance;
    float*       velocity; // [3 * 512 * block_count] where distance < outside; NULL: none given
} shoal_surface_volume;
// No particles give no blocks. Free it with shoal_surface_volume_free.
shoal_status shoal_surface_build_volume(const shoal_surface_params* params, const shoal_surface_particles* particles,
                                        const shoal_exec* exec, shoal_isa_kind isa, shoal_surface_volume* out);
void         shoal_surface_volume_free(shoal_surface_volume* volume);

#endif
