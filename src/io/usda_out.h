// SPDX-License-Identifier: MIT
// Universal Scene Description as text (.usda). A frame is a layer with one time sample of
// everything; the USD stage of a run puts the layers together by value clips, so no file grows with the
// length of the film and a frame can be opened by itself.
#ifndef SHOAL_USDA_OUT_H
#define SHOAL_USDA_OUT_H

#include "base/status.h"
#include "shoal/surface.h"

typedef struct shoal_usda_prim {
    const char*                    name;                    // any; what USD does not take becomes an underscore
    const shoal_surface_mesh*      mesh;                    // a Mesh NAME; NULL in a USD stage: only declared
    const shoal_surface_particles* points;                  // Points NAME_particles; NULL: none
    bool                           has_points, has_wetness; // of these, a field wetness
} shoal_usda_prim;

// Time codes are frame numbers.
shoal_status shoal_usda_save_frame(const shoal_usda_prim* prims, int count, int frame, double fps, const char* path);
// FOLDER/STEM.usda over FOLDER/STEM_000123.usda of these frames, and STEM.manifest.usda that names
// what varies.
shoal_status shoal_usda_save_stage(const shoal_usda_prim* prims, int count, const int* frames, int frame_count,
                                   double fps, const char* folder, const char* stem);

#endif
