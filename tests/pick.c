// SPDX-License-Identifier: MIT
// Every test program runs all of its tests, or only those whose name matches the pattern in the
// environment's SHOAL_TEST (* and ? as in a shell): what takes long is looked into one test at a
// time, by people and by script/mutants.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

__attribute__((constructor)) static void pick(void) {
    const char* pattern = getenv("SHOAL_TEST");
    if (pattern) cmocka_set_test_filter(pattern);
}
