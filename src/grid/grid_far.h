// SPDX-License-Identifier: MIT
// What cells.c and near.c ask for where exec has a device; inside of grid/ only.
#ifndef SHOAL_GRID_FAR_H
#define SHOAL_GRID_FAR_H

#include "grid/near.h"

shoal_status shoal_grid_bounds(const shoal_exec* exec, const shoal_v4* place, int count, float low[3], float high[3]);
// `cells` has its arrays, item_count, row and layer.
void shoal_grid_sort(shoal_cells* cells, const shoal_exec* exec, const shoal_cells_frame* frame, const shoal_v4* place,
                     int bits);
// is_ahead: as shoal_near_build_ahead. `second`: places of the ghosts where they alone are looked for, by numbers of
// their own; NULL: they follow the items themselves.
shoal_status shoal_grid_near(shoal_near* near, const shoal_exec* exec, const shoal_cells* own,
                             const shoal_cells* ghosts, const shoal_v4* place, const shoal_v4* second, int nobody,
                             float h, bool is_ahead);

#endif
