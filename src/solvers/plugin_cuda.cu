// SPDX-License-Identifier: MIT
// What the plugin shows: one function, and behind it all tables of kernels.
#include "exec/tables_cuda.h"

extern const cuda_table cuda_grid, cuda_permute, cuda_particles, cuda_halo, cuda_thick, cuda_water, cuda_boundary, cuda_load, cuda_pbf, cuda_grains,
    cuda_grains_state, cuda_grains_among, cuda_screen, cuda_surface_far;

extern "C" __attribute__((visibility("default"))) shoal_status shoal_cuda_open(int abi, int number, shoal_device** out,
                                                                             char* why, size_t size) {
    static const cuda_table* const tables[] = {&cuda_grid,  &cuda_permute, &cuda_particles, &cuda_halo, &cuda_thick,
                                               &cuda_water, &cuda_boundary,   &cuda_load,  &cuda_pbf,  &cuda_grains,
                                               &cuda_grains_state, &cuda_grains_among, &cuda_screen, &cuda_surface_far, NULL};
    return cuda_device_open(tables, abi, number, out, why, size);
}
