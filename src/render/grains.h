// SPDX-License-Identifier: MIT
// Sand: each particle as the grain it is, where it has a radius of its own, or as many small grains
// around it, as Lenaerts & Dutre 2009 draw it, or one surface with the
// texture that the particles carry along, as Zhu & Bridson 2005 do.
#ifndef SHOAL_RENDER_GRAINS_H
#define SHOAL_RENDER_GRAINS_H

#include "render/scenery.h"

// Balls in one piece of memory (free with shoal_free); the same grains for the same particle in
// every frame. Those around a particle stay within the closed walls.
shoal_status render_grains_make(const render_part* part, const render_contents* contents, shoal_v3 color,
                                const shoal_exec* exec, render_balls* out, void** memory);

// A volume of grains, cut up and carried by the particles: at a point each particle near
// shows the piece that lay there, as it lay when the run began, and the pieces are blended.
typedef struct render_texture render_texture;
shoal_status render_texture_create(const render_part* part, const render_contents* contents, shoal_v3 color,
                                   render_texture** out);
void         render_texture_destroy(render_texture* texture); // may be NULL
// Albedo, and the normal turned by the grain it is on.
void render_texture_sample(const void* texture, shoal_v3 at, shoal_v3* color, shoal_v3* normal);

#endif
