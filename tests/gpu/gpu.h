// SPDX-License-Identifier: MIT
// Parts of the program gpu (gpu.c).
#ifndef SHOAL_TESTS_GPU_H
#define SHOAL_TESTS_GPU_H

#include "shoal/files.h"
#include "shoal/shoal.h"

extern const char* gpu_device; // "cuda", or what SHOAL_DEVICE names
double             gpu_seconds(void);
int                gpu_fails(const char* what); // tells the last error; 1
double             gpu_median(double* values, int count);
// SCENES/NAME.yaml with settings "spacing=0.1", and "solver=pbf"; NULL: the last error is set. Changes the words.
shoal_scene* gpu_scene(const char* folder, char* words);

// gpu_bench.c: "[KIND:]SIDE"
int gpu_bench(const char* what);
// gpu_calls.c: counts what is asked of a device (may be NULL) from now on; prints each as "kind":[times, ms, MB],
// all divided by `per`.
struct shoal_device;
void gpu_calls_count(struct shoal_device* device);
void gpu_calls_print(double per);
// gpu_screen.c
int gpu_pictures(const char* list, const char* folder);
int gpu_watch(const char* folder);

#endif
