// SPDX-License-Identifier: MIT
// Which of a solver's sets are parts of a frame, and which of their fields are in it: from the
// lists, and from output.fields, whose words are FIELD or SET.FIELD.
#ifndef SHOAL_PART_H
#define SHOAL_PART_H

#include "state/description.h"
#include "state/set.h"

// A set with a `position`, or one whose `corners` (R3: triangles, R4: tetrahedra) point into such a
// set, whose points are then shown with it and not by themselves. Nothing else says so.
typedef struct shoal_part {
    int set;     // its place in the solver's list
    int points;  // place of the set that has its points: itself, but for cells
    int corners; // of a cell; 0: points alone
} shoal_part;

// The parts of all frames of a scene, in the order of the solver's list: without sets of particles
// for kinds of material that the scene has not. NULL: of any scene. Returns how many.
int shoal_parts_of(const shoal_set_def* sets, const shoal_description* description, shoal_part out[SHOAL_SETS_MOST]);
// Whether a set for these kinds (bits; 0: for all) is for a material of the scene.
bool shoal_set_is_used(unsigned kinds, const shoal_description* description);

// Whether a word of output.fields means this field of this set.
bool shoal_word_names(const char* word, const char* set, const char* field);
// Whether the frames of a scene hold the field, without a word in output.fields, or also by that. Places in sets
// are in none, but for corners as cells: frames have an order of their own.
bool shoal_field_is_shown(const shoal_description* description, const shoal_field_def* field);
bool shoal_field_is_in_frames(const shoal_description* description, const char* set, const shoal_field_def* field);

#endif
