// SPDX-License-Identifier: MIT
// Surfaces into files of other programs: one function per format, chosen by its word. Nothing but
// the mesh and its time decide the bytes.
#ifndef SHOAL_MESH_OUT_H
#define SHOAL_MESH_OUT_H

#include "shoal/surface.h"

typedef struct shoal_mesh_format {
    const char* name;   // "ply"; NULL ends the list
    const char* suffix; // ".ply"
    shoal_status (*save)(const shoal_surface_mesh* mesh, double time_s, const char* path);
} shoal_mesh_format;

const shoal_mesh_format* shoal_mesh_formats(void);

#endif
