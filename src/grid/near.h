// SPDX-License-Identifier: MIT
// Neighbour lists: the items nearer than h to each, itself left out, in the order of the sorted items.
//
// Each list is padded to a multiple of 16 with the index of "nobody", an item far away whose contributions
// vanish, so that wide loops need no masks. Lists lie wherever a thread found room: the place has no
// influence on results.
#ifndef SHOAL_NEAR_H
#define SHOAL_NEAR_H

#include "grid/cells.h"
#include "math/lanes.h"

typedef struct shoal_near {
    struct shoal_device* device; // where all of it lies; NULL: here
    uint32_t*            start;  // [count] the list of i begins at index[SHOAL_LANES * start[i]]
    int*                 count;  // [count] how many neighbours i has
    int*                 index;
    int                  capacity;       // items
    size_t               group_capacity; // of index, in groups of SHOAL_LANES
    // scratch of each worker: candidates of one cell
    int    workers, candidate_capacity;
    float* candidates; // [workers][4][candidate_capacity]
    int    apart_capacity;
    float* apart; // [3][apart_capacity] coordinates of all that may be candidates, one by one
    // scratch of a device: groups and cells that are taken, and the rows around each cell
    uint64_t* next;
    uint64_t  used[2]; // what was taken of both in the last search, once that is known
    void *    runs, *ghost_runs;
    int       run_capacity; // cells
} shoal_near;

// Where the k-th of a list lies in it. On a card each sixteen are woven, four by four, so that the four lanes of a
// thread (grid/team_cuda.h) are side by side; its own inverse.
SHOAL_FN int shoal_near_woven(int k) { return (k & ~15) | (k & 3) << 2 | (k >> 2 & 3); }
#if defined(__CUDA_ARCH__)
#define SHOAL_NEAR_PLACE(k) shoal_near_woven(k)
#else
#define SHOAL_NEAR_PLACE(k) (k)
#endif

// Where "nobody" stands: so far that r^2 - h^2 is huge, so near that its square is finite.
#define SHOAL_NOWHERE 1.0e9f

void shoal_near_free(shoal_near* near); // what it points to; zero-initialise before the first use

// Lists for the items [0, own->item_count) of `place`, which are in the order of `own`; `ghosts` (or NULL) are the
// items that follow, in the order of their cells, in the same frame. `place[nobody]` must be nowhere.
shoal_status shoal_near_build(shoal_near* near, const shoal_exec* exec, shoal_isa_kind isa, const shoal_cells* own,
                              const shoal_cells* ghosts, const shoal_v4* place, int nobody, float h);
// On a device, without waiting for what the search has found: with the next answers it is known whether there was room
// for all (shoal_near_fits). If not, whatever went by the lists is worth nothing, and they are built once more.
shoal_status shoal_near_build_ahead(shoal_near* near, const shoal_exec* exec, shoal_isa_kind isa,
                                    const shoal_cells* own, const shoal_cells* ghosts, const shoal_v4* place,
                                    int nobody, float h);
bool         shoal_near_fits(const shoal_near* near);
// How many on average; 0 without any.
double shoal_near_mean(const shoal_near* near, const shoal_exec* exec, int count);
// A copy here of the lists of `count` items that lie on a device.
shoal_status shoal_near_fetch(shoal_near* here, const shoal_near* near, int count);
// The same with the others alone, which have an array of their own, in the order of their cells, in the same frame,
// and their own numbers in the lists; other_place[others->item_count] must be nowhere.
shoal_status shoal_near_build_between(shoal_near* near, const shoal_exec* exec, shoal_isa_kind isa,
                                      const shoal_cells* own, const shoal_v4* place, const shoal_cells* second,
                                      const shoal_v4* other_place, float h);

#endif
