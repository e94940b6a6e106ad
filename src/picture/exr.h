// SPDX-License-Identifier: MIT
// OpenEXR files: linear light in 32-bit floats, for compositing.
#ifndef SHOAL_EXR_H
#define SHOAL_EXR_H

#include "picture/image.h"

// Channels R, G, B, compressed without loss. Appears whole or not at all.
shoal_status shoal_exr_write(const char* path, const shoal_image* image);

#endif
