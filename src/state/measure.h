// SPDX-License-Identifier: MIT
// What one particle stands for: the mass and volume of its own where its set has such fields, else those of its
// material at rest.
#ifndef SHOAL_MEASURE_H
#define SHOAL_MEASURE_H

#include <math.h>

#include "state/description.h"
#include "state/set.h"

typedef struct shoal_measure {
    const shoal_description* description;
    const uint8_t*           material;
    const float *            mass, *volume; // NULL: not of their own
} shoal_measure;

static inline shoal_measure shoal_measure_of(const shoal_description* description, const shoal_set* set) {
    const shoal_field *mass = shoal_set_find(set, "mass"), *volume = shoal_set_find(set, "volume");
    return (shoal_measure){description, shoal_set_read(set, "material"), mass ? shoal_field_read(set, mass) : NULL,
                           volume ? shoal_field_read(set, volume) : NULL};
}

// m^3
static inline double shoal_measure_volume(const shoal_measure* m, int i) {
    return m->volume ? (double)m->volume[i] : shoal_volume_of(m->description, m->material[i]);
}

// kg
static inline double shoal_measure_mass(const shoal_measure* m, int i) {
    return m->mass ? (double)m->mass[i]
                   : (double)m->description->materials[m->material[i]].density * shoal_measure_volume(m, i);
}

// Distance to its neighbours at rest, m.
static inline double shoal_measure_spacing(const shoal_measure* m, int i) {
    return m->volume ? cbrt((double)m->volume[i]) : shoal_spacing_of(m->description, m->material[i]);
}

#endif
