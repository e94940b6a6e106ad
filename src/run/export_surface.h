// SPDX-License-Identifier: MIT
// Exports that hold surfaces: OpenVDB volumes and USD layers. For run/ only.
#ifndef SHOAL_EXPORT_SURFACE_H
#define SHOAL_EXPORT_SURFACE_H

#include "base/status.h"

// Names of the formats, ended by NULL.
const char* const* run_surface_exports(void);
// All frames of a run into FOLDER/export; `format` is one of them.
shoal_status run_export_surfaces(const char* folder, const char* format,
                                 void (*done)(const char* file, void* user), void* user);

#endif
