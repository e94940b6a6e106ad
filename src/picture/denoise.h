// SPDX-License-Identifier: MIT
// Noise of a path tracer, smoothed by a joint bilateral filter: neighbours count as far as they
// look alike in albedo, normal and depth, and in light as far as the noise explains.
#ifndef SHOAL_DENOISE_H
#define SHOAL_DENOISE_H

#include "picture/image.h"

// What is known about each pixel, [width * height] each.
typedef struct shoal_hints {
    const shoal_v3 *albedo, *normal;
    const float*    depth;    // m; 0: nothing is there
    const float*    variance; // of the mean luminance
    // of the means above, for what moves or is out of focus; NULL: they are exact
    const float *albedo_variance, *normal_variance, *depth_variance;
} shoal_hints;

// In place. The same bits for any number of threads.
shoal_status shoal_denoise(shoal_image* image, const shoal_hints* hints, const shoal_exec* exec);

#endif
