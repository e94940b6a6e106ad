// SPDX-License-Identifier: MIT
// Each pass as a function of C++17.
#define PASS(name, view, one)                                                                                          \
    void name(view v, int i);                                                                                          \
    void name(view v, int i) { one(&v, i); }
#include "device/passes.h"
