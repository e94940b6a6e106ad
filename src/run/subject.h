// SPDX-License-Identifier: MIT
// What of a scene there will be to look at, told before anything has moved: so that pictures of all
// variants of a scene, and of all frames, are taken from one place.
#ifndef SHOAL_SUBJECT_H
#define SHOAL_SUBJECT_H

#include "state/description.h"

// Where bodies and emitters begin and what comes from them can get to, and the obstacles in the
// domain.
shoal_box shoal_subject_box(const shoal_description* description);

#endif
