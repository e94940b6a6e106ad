// SPDX-License-Identifier: MIT
// Exports that hold surfaces: OpenVDB volumes and USD layers. For post/ only.
#ifndef SHOAL_EXPORT_SURFACE_H
#define SHOAL_EXPORT_SURFACE_H

#include "shoal/files.h"

// Names of the formats, ended by NULL.
const char* const* post_surface_exports(void);
// The frames of a run into FOLDER/export; def->format is one of them.
shoal_status post_export_surfaces(const shoal_export_def* def, const char* folder);

#endif
