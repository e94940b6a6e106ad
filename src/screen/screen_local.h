// SPDX-License-Identifier: MIT
// Inside of screen/: a screen's memory, and items sorted by the tiles they touch.
#ifndef SHOAL_SCREEN_LOCAL_H
#define SHOAL_SCREEN_LOCAL_H

#include "exec/device.h"
#include "screen/screen.h"
#include "screen/screen_blob_pass.h"

enum { SCREEN_TILE = 64, SCREEN_LANES = 16 };           // pixels along the edge of a tile; pixels done at a time
enum { SCREEN_TILE_CELLS = SCREEN_TILE / SCREEN_CELL }; // as many as lanes
enum { SCREEN_BLOCK_ROWS = 8 };                         // a tile is looked at in blocks of so many rows of lanes

typedef struct screen_lanes { // colours side by side
    float x[SCREEN_LANES], y[SCREEN_LANES], z[SCREEN_LANES];
} screen_lanes;

typedef struct screen_range { // of rows or lanes, both ends included
    int first, last;
} screen_range;

// The loops of screen_wide.c; most do SCREEN_LANES pixels, or cells.
typedef struct screen_loops {
    // Rows and lanes of a block of a tile: the splat is seen where it is nearer than `depth`, or as near and of a
    // lower number; true where it is in one. `down` has py of the rows.
    bool (*nearest_block)(const screen_cover* c, const float* across, const float* down, screen_range rows,
                          screen_range lanes, float* depth, uint32_t* number);
    float (*farthest)(const float* depth); // of a block
    // Adds its chords, where it is before what is solid.
    void (*thicken_row)(const screen_cover* c, screen_range lanes, const float* across, float py, const float* slant,
                        const float* solid, float unit, int32_t* thickness);
    // screen_narrow of row y, along it (way 0) or across (1); `row` has width + 2 SCREEN_REACH_MOST entries.
    void (*narrow_row)(const screen_depths* v, int y, int way, float* row, float* to);
    // screen_far, from x on.
    void (*far_row)(const screen_scene* scene, const screen_overhead* over, int width, int height, int x, int y,
                    screen_lanes* light);
    // screen_solid_light times `open`, from x on, of pixels in which something is; of no use in the others.
    void (*solid_row)(const screen_matter* m, const screen_scene* scene, const screen_overhead* over, int width,
                      int height, int x, int y, const uint64_t* keys, const float* open, screen_lanes* light);
    // screen_openness, from x on.
    void (*open_row)(const screen_solids* s, int x, int y, const float* depth, float* open);
    // screen_liquid_light, from x on, of pixels within the picture; of no use where there is no liquid.
    void (*liquid_row)(const screen_liquid* s, int x, int y, const screen_lanes* absorption, screen_lanes* light);
} screen_loops;

// The tiles that an item touches, none where right < left.
typedef struct screen_touch {
    int16_t left, right, top, bottom;
} screen_touch;

// Items of tile t: item[first[t] .. first[t + 1]), covers from the front to the back, then facets.
typedef struct screen_tiles {
    int  across, count; // tiles in a row, and in all
    int* first;         // [count + 1]
    int* tally;         // [blocks * count]
    int* item;
    int  item_capacity, tally_capacity;
} screen_tiles;

// Metaballs on a device, as screen_view has them.
typedef struct screen_far_blobs {
    int *        pair_end, *pair_splat, *pair_order, *listed, *list_end;
    uint64_t *   pair_key, *pair_sorted;
    uint8_t*     is_full;
    screen_span* spans;
    int splat_capacity, pair_capacity, key_capacity, sorted_capacity, order_capacity, listed_capacity, list_capacity,
        full_capacity, span_capacity;
} screen_far_blobs;

// Pictures, covers, facets and all that is for a device lie where passes run.
struct screen {
    const shoal_exec*   exec;
    int                 width, height;
    uint64_t *          solid, *liquid; // keys
    float*              solid_depth;    // SCREEN_EMPTY: nothing solid
    int32_t*            thickness;      // of cells
    float*              depth[2];       // of the liquid: smoothed from one to the other
    shoal_v3*           behind;         // light of the solids
    int32_t*            tops;           // [SCREEN_MAPS maps], of a device one, of what casts shadows; NULL: none yet
    screen_overhead     over;
    int                 cover_count, ball_count, facet_count;
    screen_cover*       covers; // balls first, then the liquid's splats
    screen_facet*       facets;
    screen_touch*       touches; // [cover_count + facet_count]
    int                 cover_capacity, facet_capacity, touch_capacity;
    int*                order; // [cover_count] covers from the front to the back
    uint64_t*           keys;  // [2 cover_count] to sort them by
    void*               sort_memory;
    int                 order_capacity, key_capacity, sort_capacity;
    screen_tiles        tiles;  // items: covers, then facets by number + cover_count
    int*                listed; // [threads * 2 blob_most] metaballs that a block of pixels sees, and a row of blocks
    screen_span*        spans;  // likewise; of one pixel
    int                 blob_most, listed_capacity, span_capacity;
    const screen_loops* loops;
    const screen_scene* scene; // while it is drawn
    screen_far_blobs    blobs;
    shoal_far           film; // of a device
    uint8_t*            rgb;  // likewise
    int                 rgb_capacity;
};

enum { SCREEN_MAPS = 4 };                      // threads that look for shadows; each has a map of its own
shoal_status screen_overhead_begin(screen* s); // the map is there, empty
// screen_overhead.c
void screen_cast_shadows(screen* s);

enum { SCREEN_NARROW_ROUNDS = 2 };               // the second time finer, against streaks along rows and columns
screen_depths screen_depths_of(const screen* s); // how the scene wants them smoothed; whose is left open

// screen_device.c
shoal_status screen_device_check(const shoal_device* device); // whether it can draw
shoal_status screen_draw_far(screen* s, const screen_scene* scene, shoal_v3* light);
void         screen_far_free(screen* s);

// screen_tiles.c: what items cover, and which tile sees which.
shoal_status screen_cover_all(screen* s);
// screen_raster.c: the nearest of each pixel, and how thick the liquid is before it.
void screen_raster(screen* s);

// screen_blobs.c: metaballs. Memory for the tiles as they are; then the nearest of each pixel of a tile, `items` of
// which are those of the tile.
shoal_status screen_blobs_reserve(screen* s);
void         screen_draw_blobs(screen* s, screen_box tile, const int* items, int count, int worker);

#endif
