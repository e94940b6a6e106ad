// SPDX-License-Identifier: MIT
// Inside of exec/ only.
#ifndef SHOAL_DEVICE_LOCAL_H
#define SHOAL_DEVICE_LOCAL_H

#include "exec/device.h"

// A device in plain C; `fails_at`: the call that fails, 0: none.
shoal_status shoal_mirror_open(long fails_at, shoal_device** out);

#endif
