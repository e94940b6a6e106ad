// SPDX-License-Identifier: MIT
// Words that all folders know among the names of fields, in addition to those that every particle has
// (SHOAL_PARTICLE_FIELDS): a field of this name, in any set of any solver, is this. Stats, probes, frames, surfaces and
// pictures go by them; other names are of their solver alone, and a test sees to it that no other folder uses them.
#ifndef SHOAL_FIELD_WORDS_H
#define SHOAL_FIELD_WORDS_H

// clang-format off
// name, type, unit, meaning
#define SHOAL_FIELD_WORDS(X)                                                                            \
    X(density,    F1, "kg/m^3", "how dense it is; over that of its material at rest: compression")          \
    X(pressure,   F1, "Pa",     "what a probe of pressure reads")                                          \
    X(mass,       F1, "kg",     "of an item; without it its density at rest times its volume")              \
    X(volume,     F1, "m^3",    "of an item; without it by the spacing")                                    \
    X(radius,     F1, "m",      "with which pictures draw it")                                              \
    X(wetness,    F1, "",       "sand is darker by it")                                                     \
    X(saturation, F1, "",       "the same of sand whose pores are full at 1")
// clang-format on
// Cells also have `corners`, of type R3 or R4, with the name of another set in the place of the unit (state/part.h).

#endif
