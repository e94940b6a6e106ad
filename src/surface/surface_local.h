// SPDX-License-Identifier: MIT
// Inside of surface/: particles sorted for gathering, the loops compiled per instruction set, the
// stages.
#ifndef SHOAL_SURFACE_LOCAL_H
#define SHOAL_SURFACE_LOCAL_H

#include "geom/contour.h"
#include "grid/cells.h"
#include "math/lanes.h"
#include "surface/surface.h"
#include "surface/surface_shape_pass.h"

enum { SURFACE_SAMPLES = SHOAL_SPARSE_SAMPLES, SURFACE_EDGE = SHOAL_SPARSE_EDGE };

// Places in the order of their cells.
typedef struct surface_index {
    shoal_cells       cells;
    shoal_cells_frame frame;
    int               count;
    float *           x, *y, *z; // [count + 16]
    int*              number;    // [count + 16] 0, 1, 2, ...: what the wide loops write down
} surface_index;

// Some of them, as seen from a corner: (place - corner) * scale; the last group is filled up with
// nowhere.
typedef struct surface_near {
    int    count, capacity;
    float *x, *y, *z;
    int*   item;   // place in the index
    float* weight; // of a vertex
    int*   hit;
} surface_near;

// What the average position does around a sample, lengths in supports [Solenthaler et al. 2007].
typedef struct surface_stretch {
    float w;
    float wx, wy, wz;             // sum of w d
    float gx, gy, gz;             // sum of the gradient of w, over 6
    float xx, xy, xz, yy, yz, zz; // sum of d times the gradient, over 6
} surface_stretch;

typedef struct surface_loops {
    // Adds the places [begin, end) of the index that lie in the box.
    void (*thin)(const surface_index* index, int begin, int end, shoal_v3 low, shoal_v3 high, shoal_v3 corner,
                 float scale, surface_near* near);
    // sums[0..3][512] += w, w x, w y, w z with w = (1 - r^2)^3; lengths in supports, samples `step`
    // apart.
    void (*average)(const surface_near* near, float step, float* sums);
    // sum[512] += weight (1 - e^T M e)^3; samples `step` m apart from the corner.
    void (*sum)(const surface_splat* splats, const surface_near* near, shoal_v3 corner, float step, float* sum);
    surface_stretch (*stretch)(const surface_near* near, float x, float y, float z);
    // Weights 1 - r^3 around a place, it counts itself.
    surface_moments (*moments)(const surface_near* near, float x, float y, float z);
    float (*density)(const surface_near* near, float x, float y, float z); // sum of (1 - r^2)^3
    // near->weight and near->hit: those with weight (1 - r^2)^3 > 0; returns how many.
    int (*weigh)(surface_near* near, float x, float y, float z);
} surface_loops;
const surface_loops* surface_loops_for(shoal_isa_kind isa);

// --- surface_index.c
// `low` is a corner of the cells; places must not lie below it.
shoal_status surface_index_make(surface_index* index, const shoal_exec* exec, const shoal_v4* places, int count,
                                shoal_d3 low, shoal_d3 high, float size);
void         surface_index_free(surface_index* index);
// One per worker; `box` is the longest edge of a box that will be asked for.
shoal_status surface_near_create(const surface_index* index, const shoal_exec* exec, float box, surface_near** out);
void         surface_near_destroy(surface_near* near, const shoal_exec* exec);
void         surface_near_find(surface_near* near, const surface_loops* loops, const surface_index* index, shoal_v3 low,
                               shoal_v3 high, shoal_v3 corner, float scale);

// --- the whole
typedef struct surface_work {
    const shoal_surface_params*    params;
    const shoal_surface_particles* particles;
    const shoal_exec*              exec;
    const surface_loops*           loops;
    float                          spacing, support, cell; // m
    float                          radius;                 // m; of a lone particle
    float                          level;                  // of the methods that sum
    int                            count;
    shoal_v4*                      places; // [count] as given, and the volume of each, m^3
    bool                           is_own; // these differ: particles brought them
    shoal_d3                       low, high;
    surface_index                  index;  // of the particles
    surface_splat*                 splats; // [count] of the methods that sum, in the order of their index
    surface_index                  splat_index;
    float                          reach_most; // of any particle
    shoal_sparse                   field;
    float*   shift;    // [512 field.block_count] by what the field was lowered for its volume; NULL: not
    float*   meeting;  // the same: the field of what must not gape towards other materials; NULL: there are none
    uint8_t* is_spray; // [field.block_count] so few particles in sight that nothing is smoothed

    struct surface_work* other; // the particles of other materials, as far as splats; NULL: none near
} surface_work;

// surface_splats.c: splats and level of the methods that sum.
shoal_status surface_splats_make(surface_work* w);
// The splats themselves, in the order of the particles; `scale`: of the ellipsoids, such that those of flat water reach
// it.
shoal_status surface_splats_shape(surface_work* w, surface_splat* splats, float* scale);
float        surface_scale_of(const surface_work* w); // that alone, from spacing, support and params
// surface_field.c: blocks and their values.
shoal_status surface_field_make(surface_work* w);
// The field at a place, not smoothed, from those found around it: lengths of `near` in supports, of
// splats in m, from `corner`. `more` are those of other materials, or NULL.
float surface_field_at(const surface_work* w, const surface_near* near, const surface_near* more, shoal_v3 corner,
                       shoal_v3 place);
// surface_balance.c: the field is lowered or raised where its inside is not the volume of the particles.
enum { SURFACE_BALANCE_ROUNDS = 3 };
shoal_status surface_field_balance(surface_work* w);
float        surface_shift_at(const surface_work* w, shoal_v3 place); // 0: not at all
// surface_smooth.c
shoal_status surface_field_smooth(surface_work* w);
shoal_status surface_mesh_calm(const surface_work* w, shoal_contour* mesh);
shoal_status surface_mesh_taubin(const surface_work* w, shoal_contour* mesh);
// surface_snap.c: also the fields that were carried.
shoal_status surface_mesh_snap(const surface_work* w, shoal_contour* mesh, shoal_surface_mesh* fields);
// surface_drops.c: small bodies are split and laid onto the field, what is none goes.
shoal_status surface_mesh_drops(const surface_work* w, shoal_contour* mesh, shoal_surface_mesh* fields);
// The bodies of a closed mesh: what hangs together.
typedef struct surface_body {
    int      triangles;
    double   volume, area; // negative volume: a bubble
    shoal_d3 moment;       // volume times the centre, from `low`
    shoal_v3 low, high;
} surface_body;
typedef struct surface_bodies {
    int           count;
    int*          of; // [vertex_count]
    surface_body* all;
} surface_bodies;
shoal_status surface_bodies_make(surface_bodies* bodies, const shoal_contour* mesh);
void         surface_bodies_measure(surface_bodies* bodies, const shoal_contour* mesh); // anew
void         surface_bodies_free(surface_bodies* bodies);                               // also after a failure
// surface_carry.c: the fields of the particles at the vertices.
shoal_status surface_carry(const surface_work* w, const shoal_contour* mesh, shoal_surface_mesh* out);
// surface_volume.c: the field becomes distances; taken from the work.
shoal_status surface_volume_take(surface_work* w, shoal_surface_volume* out);
// Of no particles: no blocks, but velocities where there would be some.
shoal_status surface_volume_empty(const shoal_surface_particles* particles, shoal_surface_volume* out);

#endif
