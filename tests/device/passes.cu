// SPDX-License-Identifier: MIT
// Each pass as a kernel: compiled for a device, run by nobody yet.
#include "device/kernel.h"
#include "device/passes.h"
