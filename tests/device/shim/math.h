// SPDX-License-Identifier: MIT
// In the place of the C library's: what a pass may call, and nothing else. So a pass that calls anything more does not
// compile.
#ifndef SHOAL_SHIM_MATH_H
#define SHOAL_SHIM_MATH_H

#define BOTH static __attribute__((host)) __attribute__((device)) inline
BOTH float  sqrtf(float x) { return __builtin_sqrtf(x); }
BOTH double sqrt(double x) { return __builtin_sqrt(x); }
BOTH float  fabsf(float x) { return __builtin_fabsf(x); }
BOTH double fabs(double x) { return __builtin_fabs(x); }
BOTH float  floorf(float x) { return __builtin_floorf(x); }
BOTH double floor(double x) { return __builtin_floor(x); }
BOTH float  fminf(float x, float y) { return __builtin_fminf(x, y); }
BOTH double fmin(double x, double y) { return __builtin_fmin(x, y); }
BOTH float  fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
BOTH double fmax(double x, double y) { return __builtin_fmax(x, y); }
#undef BOTH

// Of a device: whole numbers alone, whose minimum, maximum and sum know no order.
static __attribute__((device)) inline unsigned long long atomicMin(unsigned long long* place,
                                                                   unsigned long long  value) {
    return __nvvm_atom_min_gen_ull(place, value);
}
static __attribute__((device)) inline int atomicMax(int* place, int value) {
    return __nvvm_atom_max_gen_i(place, value);
}
static __attribute__((device)) inline int atomicAdd(int* place, int value) {
    return __nvvm_atom_add_gen_i(place, value);
}

// Known to the host's part of the headers alone.
double sin(double);
double tan(double);
double cos(double);
double pow(double, double);

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

#endif
