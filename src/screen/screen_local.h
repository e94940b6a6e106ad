// SPDX-License-Identifier: MIT
// Inside of screen/: a screen's memory, and items sorted by the tiles they touch.
#ifndef SHOAL_SCREEN_LOCAL_H
#define SHOAL_SCREEN_LOCAL_H

#include "screen/screen.h"

enum { SCREEN_TILE = 64 }; // pixels along its edge

// A triangle in the picture; corners hold x and y in pixels, and 1/depth.
typedef struct screen_facet {
    shoal_v3 corner[3];
    int32_t  left, right, top, bottom; // pixels; none where right < left
    uint32_t source;                   // its triangle
    int32_t  is_clear;
} screen_facet;

// Items of tile t: item[first[t] .. first[t + 1]), in the order they were given.
typedef struct screen_tiles {
    int  across, count; // tiles in a row, and in all
    int* first;         // [count + 1]
    int* tally;         // [blocks * count]
    int* item;
    int  item_room, tally_room;
} screen_tiles;

struct screen {
    const shoal_exec*   exec;
    int                 width, height;
    uint64_t *          solid, *liquid; // keys
    int32_t*            thickness;
    float*              depth[2]; // of the liquid: smoothed from one to the other
    shoal_v3*           behind;   // light of what is solid
    int                 cover_count, ball_count, facet_count;
    screen_cover*       covers; // balls first, then the liquid's splats
    screen_facet*       facets;
    int                 cover_room, facet_room;
    screen_tiles        tiles; // items: covers, then facets by number + cover_count
    const screen_scene* scene; // while it is drawn
};

// screen_tiles.c: what items cover, and which tile sees which.
shoal_status screen_cover_all(screen* s);
// screen_raster.c: the nearest of each pixel, and how thick the liquid is before it.
void screen_raster(screen* s);

#endif
