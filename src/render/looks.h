// SPDX-License-Identifier: MIT
// How materials and obstacles look: as the block `materials` says, else by name, and such that no
// two are alike.
#ifndef SHOAL_RENDER_LOOKS_H
#define SHOAL_RENDER_LOOKS_H

#include "render/scenery.h"

render_look render_part_look(const render_contents* contents, int part, bool* is_sand);
render_look render_solid_look(const render_contents* contents, int solid);
render_look render_ground_look(const render_contents* contents);
// Where it is drawn without light passing through: of the balls of a part, of the skin of a solid.
shoal_v3 render_part_color(const render_contents* contents, int part);
shoal_v3 render_solid_color(const render_contents* contents, int solid, bool* is_clear);

#endif
