// SPDX-License-Identifier: MIT
// How far things of a scene reach, in space and in speed, and how far they are followed.
#ifndef SHOAL_REACH_H
#define SHOAL_REACH_H

#include "state/description.h"

// Where particles can be: within closed and periodic walls, and one domain length beyond open ones; +-1e30 m without a
// domain.
shoal_box shoal_domain_extent(const shoal_domain* domain);
double    shoal_domain_area(const shoal_domain* domain);     // of its closed walls, m^2
shoal_box shoal_emitter_box(const shoal_emitter* emitter);   // where it puts particles, all its way
double    shoal_emitter_speed(const shoal_emitter* emitter); // the most of what it gives, by its own motion too, m/s
shoal_box shoal_rain_box(const shoal_domain*  domain,
                         const shoal_emitter* emitter);       // the part of rain within closed and periodic walls
shoal_box shoal_obstacle_box(const shoal_obstacle* obstacle); // all places that it comes to
// The most that any part of it has by its keys, m/s: ever, and from one time until another.
double shoal_obstacle_speed(const shoal_obstacle* obstacle);
double shoal_obstacle_speed_within(const shoal_obstacle* obstacle, double from, double until);
// Without a domain: beyond this what has left the scene is taken out, `far` around what the scene has; without an end
// where nothing says that it is lost: no obstacle to miss, or forces that may bring it back.
shoal_box shoal_far_box(const shoal_description* description);
shoal_box shoal_box_common(shoal_box a, shoal_box b); // empty where they do not meet

#endif
