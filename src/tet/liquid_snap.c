// SPDX-License-Identifier: MIT
// Vertices at the air that lie just off a solid are snapped to it [Chentanez et al. 2007, 3.3]: not straight, as in the
// paper, but along the surface of the liquid, to the contact line, so that pressure is still zero where it is said to
// be and still water stays still.
#include "tet/liquid_local.h"

#include <math.h>

enum { BLOCK = 256, STEPS = 4 };

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
        if (!shoal_band_slope(band, at, &slope)) return false;
        shoal_d3 normal = shoal_d3_from(wall->normal);
        double   nn = shoal_d3_dot(normal, normal), nm = shoal_d3_dot(normal, slope), mm = shoal_d3_dot(slope, slope);
        double   whole = nn * mm - nm * nm;
        if (!(whole > least_across * nn * mm)) return false;
        at = shoal_d3_add(at, shoal_d3_scale(normal, (nm * depth - mm * off) / whole));
        at = shoal_d3_add(at, shoal_d3_scale(slope, (nm * off - nn * depth) / whole));
    }
    return false;
}

typedef struct guard_job {
    const shoal_tetmesh* mesh;
    const uint8_t*       is_snapped; // [vertices]
    uint8_t*             is_bad;     // [tets]
} guard_job;

static bool has_bad_angle(const shoal_tetmesh* mesh, int t) {
    shoal_d3 area[4];
    if (!(shoal_tet_areas(mesh, t, area) > 0.0)) return true;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            double c    = -shoal_d3_dot(area[i], area[j]);
            double size = shoal_d3_length(area[i]) * shoal_d3_length(area[j]);
            if (!(c <= sharpest * size && c >= flattest * size)) return true;
        }
    return false;
}

static void guard_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    guard_job* job = ctx;
    for (int t = begin; t < end; t++) {
        const int* v = job->mesh->tets[t];
        job->is_bad[t] =
            (job->is_snapped[v[0]] || job->is_snapped[v[1]] || job->is_snapped[v[2]] || job->is_snapped[v[3]]) &&
            has_bad_angle(job->mesh, t);
    }
}

shoal_status liquid_unsnap(shoal_tetmesh* mesh, uint8_t* is_snapped, const shoal_d3* before, shoal_arena* arena,
                           const shoal_exec* exec) {
    size_t    mark = arena->used;
    guard_job job  = {mesh, is_snapped, NULL};
    SHOAL_TRY(shoal_arena_make(arena, (void**)&job.is_bad, (size_t)mesh->tet_count, 1));
    // what is put back may spoil a neighbour that had come along
    for (bool is_any = true; is_any;) {
        shoal_blocks(exec, mesh->tet_count, BLOCK, guard_block, &job);
        is_any = false;
        for (int t = 0; t < mesh->tet_count; t++)
            for (int k = 0; job.is_bad[t] && k < 4; k++) {
                int v = mesh->tets[t][k];
                if (!is_snapped[v]) continue;
                is_snapped[v]  = 0;
                mesh->place[v] = before[v];
                is_any         = true;
            }
    }
    shoal_arena_back(arena, mark);
    return SHOAL_OK;
}
