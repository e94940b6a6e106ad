// SPDX-License-Identifier: MIT
// A fast 64-bit hash for checksums and comparing states (not for secrets), and counter-based random
// numbers: the n-th number of a stream is a function of (seed, stream, n), so nothing has to be stored.
#ifndef SHOAL_HASH_H
#define SHOAL_HASH_H

#include <stddef.h>
#include <stdint.h>

// Hash of bytes, continuing from `seed` (0 to begin; chain calls to hash several pieces).
uint64_t shoal_hash(const void* bytes, size_t size, uint64_t seed);

// Inline, and for passes on a device as well.
#if defined(__CUDACC__)
#define SHOAL_HASH_FN static __host__ __device__ __forceinline__
#else
#define SHOAL_HASH_FN static inline
#endif

// Finaliser of splitmix64: every input bit reaches every output bit.
SHOAL_HASH_FN uint64_t shoal_mix64(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// Of a cell of a lattice, for tables of buckets [Teschner et al. 2003].
SHOAL_HASH_FN uint64_t shoal_hash_cell(int64_t i, int64_t j, int64_t k) {
    return shoal_mix64((uint64_t)i * 73856093u ^ (uint64_t)j * 19349663u ^ (uint64_t)k * 83492791u);
}

// The n-th random number of a stream, uniform in [0, 1).
SHOAL_HASH_FN double shoal_random(uint64_t seed, uint64_t stream, uint64_t n) {
    uint64_t bits = shoal_mix64(shoal_mix64(shoal_mix64(seed) ^ stream) ^ n);
    return (double)(bits >> 11) * 0x1p-53;
}

#endif
