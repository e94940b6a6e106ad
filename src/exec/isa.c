// SPDX-License-Identifier: MIT
// Which instruction set the hot loops use. The wide sets give the same bits; PLAIN is the oracle.
#include "exec/exec.h"

#include <string.h>

#if defined(__x86_64__)
#define HAS_X86 1
#else
#define HAS_X86 0
#endif

static const char* const names[] = {"plain", "generic", "sse2", "avx2", "avx512"};

shoal_isa_kind shoal_isa_best(void) {
#if HAS_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return SHOAL_ISA_AVX512;
    return __builtin_cpu_supports("avx2") ? SHOAL_ISA_AVX2 : SHOAL_ISA_SSE2;
#else
    return SHOAL_ISA_GENERIC;
#endif
}

const char* shoal_isa_name(shoal_isa_kind kind) { return names[kind]; }

const char* shoal_isa(void) { return shoal_isa_name(shoal_isa_best()); }

shoal_status shoal_isa_by_name(const char* name, shoal_isa_kind* out) {
    shoal_isa_kind best = shoal_isa_best();
    for (int k = SHOAL_ISA_PLAIN; k <= SHOAL_ISA_AVX512; k++) {
        if (strcmp(name, names[k]) != 0) continue;
        bool is_built = k == SHOAL_ISA_PLAIN || (HAS_X86 ? k != SHOAL_ISA_GENERIC : k == SHOAL_ISA_GENERIC);
        if (!is_built || k > (int)best)
            return shoal_fail(SHOAL_ERR_PARAM, "instruction set %s is not to be had here; the best is %s",
                              name, names[best]);
        *out = (shoal_isa_kind)k;
        return SHOAL_OK;
    }
    return shoal_fail(SHOAL_ERR_PARAM, "unknown instruction set '%s'; there are plain, sse2, avx2, avx512",
                      name);
}
