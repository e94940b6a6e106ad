// SPDX-License-Identifier: MIT
// Which instruction set the hot loops use. The wide sets give the same bits; PLAIN is the oracle.
#include "exec/exec.h"

#include <string.h>

static const char* const names[SHOAL_ISA_COUNT] = {"plain", "generic", "sse2", "avx2", "avx512"};

static bool is_here(shoal_isa_kind kind) {
    switch (kind) {
    case SHOAL_ISA_PLAIN:
        return true;
#if defined(__x86_64__)
    case SHOAL_ISA_SSE2:
        return true;
    case SHOAL_ISA_AVX2:
        return __builtin_cpu_supports("avx2");
    case SHOAL_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#else
    case SHOAL_ISA_GENERIC:
        return true;
#endif
    default:
        return false;
    }
}

shoal_isa_kind shoal_isa_best(void) {
    for (int k = SHOAL_ISA_AVX512; k > SHOAL_ISA_GENERIC; k--)
        if (is_here((shoal_isa_kind)k)) return (shoal_isa_kind)k;
    return SHOAL_ISA_GENERIC;
}

const char* shoal_isa_name(shoal_isa_kind kind) { return names[kind]; }

const char* shoal_isa(void) { return shoal_isa_name(shoal_isa_best()); }

shoal_status shoal_isa_by_name(const char* name, shoal_isa_kind* out) {
    for (int k = 0; k < SHOAL_ISA_COUNT; k++) {
        if (strcmp(name, names[k]) != 0) continue;
        if (!is_here((shoal_isa_kind)k))
            return shoal_fail(SHOAL_ERR_PARAM, "instruction set %s is not available here; the best is %s", name,
                              shoal_isa());
        *out = (shoal_isa_kind)k;
        return SHOAL_OK;
    }
    return shoal_fail(SHOAL_ERR_PARAM, "unknown instruction set '%s'; there are plain, sse2, avx2, avx512", name);
}
