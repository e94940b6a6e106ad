// SPDX-License-Identifier: MIT
// Vertices at the air that lie just off a solid are snapped to it [Chentanez et al. 2007, 3.3]: not straight, as in the
// paper, but along the surface of the liquid, to the contact line, so that pressure is still zero where it is said to
// be and still water stays still.
#include "tet/liquid_local.h"

#include <math.h>

enum { STEPS = 4 };

// Sine squared of the least angle between liquid and solid: flatter, the contact line is too far away to be sought.
static const double least_across = 0.1;
// Cosines of 10.7 and 164.8 degrees, between which stuffing keeps all angles (tet/stuffing.h): what goes beyond is put
// back. The paper has no such guard.
static const double sharpest = 0.9826, flattest = -0.9650;

bool liquid_snap(const shoal_band* band, const shoal_tet_solids* solids, double step, double near, shoal_d3* place,
                 shoal_tet_wall* wall) {
    shoal_d3 at = *place;
    for (int k = 0; k < STEPS; k++) {
        shoal_d3 slope;
        double   off = solids->distance(solids->ctx, at, wall), depth = shoal_band_distance(band, at);
        shoal_d3 gone = shoal_d3_sub(at, *place);
        if (shoal_d3_dot(gone, gone) > LIQUID_SNAP_MOST * LIQUID_SNAP_MOST * step * step) return false;
        if (fabs(off) < near && fabs(depth) < near) {
            *place = at;
            return true;
        }
        // the shortest way on which both become zero
        if (!shoal_band_gradient(band, at, &slope)) return false;
        shoal_d3 normal = shoal_d3_from(wall->normal);
        double   nn = shoal_d3_dot(normal, normal), nm = shoal_d3_dot(normal, slope), mm = shoal_d3_dot(slope, slope);
        double   whole = nn * mm - nm * nm;
        if (!(whole > least_across * nn * mm)) return false;
        at = shoal_d3_add(at, shoal_d3_scale(normal, (nm * depth - mm * off) / whole));
        at = shoal_d3_add(at, shoal_d3_scale(slope, (nm * off - nn * depth) / whole));
    }
    return false;
}

static bool has_bad_angle(const shoal_tetmesh* mesh, int t) {
    double least, most, volume = shoal_tet_cosines(mesh, t, &least, &most);
    return !(volume > 0.0 && most <= sharpest && least >= flattest);
}
static bool has_snapped(const shoal_tetmesh* mesh, int t, const uint8_t* is_snapped) {
    const int* v = mesh->tets[t];
    return is_snapped[v[0]] || is_snapped[v[1]] || is_snapped[v[2]] || is_snapped[v[3]];
}

shoal_status liquid_unsnap(shoal_tetmesh* mesh, uint8_t* is_snapped, const shoal_d3* before, shoal_arena* arena) {
    size_t   mark  = arena->used;
    int      count = 0, *moved;
    uint8_t* is_bad;
    for (int t = 0; t < mesh->tet_count; t++) count += has_snapped(mesh, t, is_snapped);
    if (count == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_arena_make(arena, (void**)&moved, (size_t)count, sizeof *moved));
    SHOAL_TRY(shoal_arena_make(arena, (void**)&is_bad, (size_t)count, 1));
    for (int t = 0, at = 0; t < mesh->tet_count; t++)
        if (has_snapped(mesh, t, is_snapped)) moved[at++] = t;
    // what is put back may spoil a neighbour that had come along
    for (bool is_any = true; is_any;) {
        is_any = false;
        for (int i = 0; i < count; i++)
            is_bad[i] = has_snapped(mesh, moved[i], is_snapped) && has_bad_angle(mesh, moved[i]);
        for (int i = 0; i < count; i++)
            for (int k = 0; is_bad[i] && k < 4; k++) {
                int v = mesh->tets[moved[i]][k];
                if (!is_snapped[v]) continue;
                is_snapped[v]     = 0;
                mesh->position[v] = before[v];
                is_any            = true;
            }
    }
    shoal_arena_back(arena, mark);
    return SHOAL_OK;
}
