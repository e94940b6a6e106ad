// SPDX-License-Identifier: MIT
// How materials and obstacles look: as the block `materials` says, else by name, and such that no
// two are alike.
#ifndef SHOAL_RENDER_APPEARANCE_H
#define SHOAL_RENDER_APPEARANCE_H

#include "render/scenery.h"

render_appearance render_part_appearance(const render_contents* contents, int part, bool* is_sand);
render_appearance render_solid_appearance(const render_contents* contents, int solid);
render_appearance render_ground_appearance(const render_contents* contents);
// Where it is drawn without light passing through: of the balls of a part, of the surface of a solid.
shoal_v3 render_part_color(const render_contents* contents, int part);
shoal_v3 render_solid_color(const render_contents* contents, int solid, bool* is_clear);

#endif
