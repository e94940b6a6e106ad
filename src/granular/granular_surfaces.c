// SPDX-License-Identifier: MIT
// What cells have of solid surface that the first does not account for is another's, and points away from it: it is
// asked for from where the known ones are a cell away, a quarter of a cell towards it, which is not beyond the middle
// of a thin solid.
#include "granular/granular_surfaces.h"

#include <math.h>

// What a cell has of other surfaces than those known, in its sides, and how far such a one is turned from all of them
// at least (the sine): less is a curve, or rounding.
static const double area_least = 0.05, turn_least = 0.5;

// What is left of a vector across one of length 1.
static shoal_d3 without(shoal_d3 v, shoal_d3 along) {
    return shoal_d3_sub(v, shoal_d3_scale(along, shoal_d3_dot(along, v)));
}

granular_surfaces granular_surfaces_at(const shoal_world* world, const shoal_mac* m, shoal_v3 at, shoal_v3 side) {
    double            dx    = (double)m->def.dx;
    granular_surfaces s     = {0};
    shoal_d3          place = shoal_d3_from(at), rest = shoal_d3_from(side), own[GRANULAR_SURFACES];
    if (!shoal_touch_roughest(world, m->kind, place, 2.0 * dx, 0.25 * dx, &s.touch[0])) return s;
    s.place[0] = place;
    for (s.count = 1; s.count < GRANULAR_SURFACES; s.count++) {
        const shoal_touch* known = &s.touch[s.count - 1];
        shoal_d3*          base  = &own[s.count - 1];
        *base                    = known->normal; // what is new in it, of length 1
        for (int k = 0; k < s.count - 1; k++) *base = without(*base, own[k]);
        *base        = shoal_d3_scale(*base, 1.0 / shoal_d3_length(*base));
        rest         = without(rest, *base);
        double size  = shoal_d3_length(rest);
        double above = granular_surface_height(&s, s.count - 1, place);
        if (size < area_least) break;
        shoal_touch next;
        shoal_d3    way = shoal_d3_scale(rest, 1.0 / size);
        place           = shoal_d3_add(place, shoal_d3_scale(known->normal, fmax(dx - above, 0.0)));
        shoal_d3 there  = shoal_d3_sub(place, shoal_d3_scale(way, 0.25 * dx));
        if (!shoal_touch_at(world, m->kind, there, dx, &next) || shoal_d3_dot(next.normal, way) < turn_least) break;
        s.touch[s.count] = next;
        s.place[s.count] = there;
    }
    return s;
}
