// SPDX-License-Identifier: MIT
// Mesh -> signed distance field, in three passes over rows of samples: distances from the tree of
// triangles, signs from winding numbers, and for open meshes the distance to the surface that
// closes their holes. Work is done in units of cells, where the samples are whole numbers.
#include "geom/sdf.h"

#include "base/memory.h"
#include "exec/exec.h"
#include "geom/bvh.h"
#include "geom/sdf_local.h"
#include "geom/tape.h"
#include "geom/winding.h"

enum {
    PAD          = 3,       // cells beyond the bounds
    SAMPLES_MOST = 1 << 24, // 256^3
    AXIS_MOST    = 8192,    // single precision still resolves a thousandth of a cell there
    ROWS         = 16,      // per block
    STEP_MOST    = 4,
};
// From this many steps on a guess from the samples one step away is taken. It misses the nearest
// point by a step sideways, a few hundredths of a step in distance; where surfaces all around are
// equally far (the middle of a ball) up to half a step, as much as interpolation loses there. A
// guess can be wrong by twice the way to the sample it comes from, 2 sqrt(3) steps, so distances
// below 5 - 2 sqrt(3) cells, even below 10 - 5 sqrt(3) after two guesses, are always exact: the
// signs rely on that below 1.
static const float far_steps = 5.0f;

typedef struct job {
    shoal_sdf*    sdf;
    shoal_bvh*    bvh;
    shoal_winding winding;
    shoal_v3      low, high; // the mesh's bounds, in cells
    bool          is_closed;
    int           step;    // of the level being measured
    int*          nearest; // triangle of each sample
    float*        wrap;    // open meshes: size of the winding number at each sample; else NULL
} job;

static double samples_along(double extent, double cell) { return ceil(extent / cell) + 1.0 + 2.0 * PAD; }

static void lay_out(shoal_sdf* sdf, shoal_box box, double cell) {
    shoal_d3 extent = shoal_d3_sub(box.max, box.min);
    for (;;) {
        double x = samples_along(extent.x, cell), y = samples_along(extent.y, cell), z = samples_along(extent.z, cell);
        double longest = fmax(x, fmax(y, z)), count = x * y * z;
        if (count <= SAMPLES_MOST && longest <= AXIS_MOST) {
            sdf->nx = (int)x, sdf->ny = (int)y, sdf->nz = (int)z;
            break;
        }
        cell *= 1.01; // a few thousand times at the very worst
    }
    sdf->cell   = cell;
    sdf->origin = shoal_d3_sub(box.min, shoal_d3_make(PAD * cell, PAD * cell, PAD * cell));
}

static size_t row_start(const shoal_sdf* sdf, int row) { return (size_t)row * (size_t)sdf->nx; }

static shoal_v3 sample_place(const shoal_sdf* sdf, int row, int i) {
    return shoal_v3_make((float)i, (float)(row % sdf->ny), (float)(row / sdf->ny));
}

// The best of the triangles that are nearest to the samples of the level above around this one.
static float guess(const job* j, const int at[3], int* nearest) {
    const shoal_sdf* sdf  = j->sdf;
    const int        n[3] = {sdf->nx, sdf->ny, sdf->nz};
    int              low[3], high[3];
    for (int a = 0; a < 3; a++) {
        int off = at[a] % (2 * j->step);
        low[a]  = at[a] - off;
        high[a] = at[a] + off < n[a] ? at[a] + off : low[a];
    }
    shoal_v3 p    = shoal_v3_make((float)at[0], (float)at[1], (float)at[2]);
    float    best = INFINITY;
    int      last = -1;
    for (int z = low[2];; z = high[2]) {
        for (int y = low[1];; y = high[1]) {
            for (int x = low[0];; x = high[0]) {
                int t = j->nearest[(size_t)x + row_start(sdf, y + z * sdf->ny)];
                if (t != last) {
                    float d = shoal_bvh_triangle_distance2(&j->bvh->triangles[t], p);
                    if (d < best) best = d, *nearest = t;
                    last = t;
                }
                if (x == high[0]) break;
            }
            if (y == high[1]) break;
        }
        if (z == high[2]) break;
    }
    return best;
}

// From coarse to fine: every 4th sample is measured by the tree; then the samples between them,
// halving the step, start from the triangles of those around. Far away that is the answer, since it
// changes little over a step; near the surface the tree is asked, and answers fast because it need
// not look further than the guess.
static void measure_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    job*       j    = ctx;
    shoal_sdf* sdf  = j->sdf;
    int        step = j->step, rows_y = (sdf->ny - 1) / step + 1, t = -1;
    float      far = far_steps * (float)step;
    for (int row = begin; row < end; row++) {
        int    y = row % rows_y * step, z = row / rows_y * step;
        size_t start    = row_start(sdf, y + z * sdf->ny);
        bool   is_first = step == STEP_MOST, is_new_row = (y | z) % (2 * step) != 0 || is_first;
        for (int x = is_new_row ? 0 : step; x < sdf->nx; x += is_new_row ? step : 2 * step) {
            const int at[3] = {x, y, z};
            float     d2    = is_first ? 0.0f : guess(j, at, &t);
            if (d2 <= far * far) d2 = shoal_bvh_nearest(j->bvh, shoal_v3_make((float)x, (float)y, (float)z), &t);
            sdf->values[start + (size_t)x] = sqrtf(d2);
            j->nearest[start + (size_t)x]  = t;
        }
    }
}

// Size of the winding number; its sign only says whether the mesh is inside out. Beyond the bounds
// there is no inside, however odd the mesh.
static float wrap_at(const job* j, shoal_v3 p) {
    if (p.x < j->low.x || p.y < j->low.y || p.z < j->low.z || p.x > j->high.x || p.y > j->high.y || p.z > j->high.z)
        return 0.0f;
    return (float)fabs(shoal_winding_at(&j->winding, p));
}

// Closed: the sign can change between two samples only where the surface passes between them.
static void sign_rows_closed(void* ctx, int begin, int end, int worker) {
    (void)worker;
    job* j = ctx;
    for (int row = begin; row < end; row++) {
        float* value    = j->sdf->values + row_start(j->sdf, row);
        float  before   = 0.0f;
        bool   is_solid = false;
        for (int i = 0; i < j->sdf->nx; i++) {
            float here = value[i];
            if (before + here < 1.001f) is_solid = wrap_at(j, sample_place(j->sdf, row, i)) > 0.5f;
            before = here;
            if (is_solid) value[i] = -here;
        }
    }
}

// Open: the winding number w is harmonic in the ball about a sample that reaches to the nearest
// triangle, and for a piece of a solid's surface it is within [0, 1]. With v the smaller of w and
// 1 - w, Harnack's inequality keeps v below v (1 + s) / (1 - s)^2 within s times that radius; while
// that is less than one half, the next samples need no winding number of their own. The fractions s below are for v
// with 0.05 added, the error of the dipoles. Where surfaces overlap, w > 1, only the bound w (1 -
// s) / (1 + s)^2 holds.
static float safe_fraction(float wrap) {
    if (wrap > 1.1f) return 0.19f;
    float v = 0.05f + fmaxf(0.0f, fminf(wrap, 1.0f - wrap));
    return v < 0.06f ? 0.5f : v < 0.1f ? 0.4f : v < 0.2f ? 0.25f : v < 0.3f ? 0.13f : 0.0f;
}

static void sign_rows_open(void* ctx, int begin, int end, int worker) {
    (void)worker;
    job* j = ctx;
    for (int row = begin; row < end; row++) {
        size_t start = row_start(j->sdf, row);
        float* value = j->sdf->values + start;
        float* wrap  = j->wrap + start;
        for (int i = 0; i < j->sdf->nx;) {
            wrap[i]  = wrap_at(j, sample_place(j->sdf, row, i));
            int last = i + (int)(safe_fraction(wrap[i]) * value[i]);
            for (int k = i + 1; k <= last && k < j->sdf->nx; k++) wrap[k] = wrap[i];
            i = last + 1;
        }
        for (int i = 0; i < j->sdf->nx; i++)
            if (wrap[i] > 0.5f) value[i] = -value[i];
    }
}

static void scale_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    job*   j     = ctx;
    float* value = j->sdf->values;
    for (size_t i = row_start(j->sdf, begin); i < row_start(j->sdf, end); i++)
        value[i] = (float)((double)value[i] * j->sdf->cell);
}

static shoal_status fill(job* j, const shoal_exec* exec) {
    int rows = j->sdf->ny * j->sdf->nz;
    for (j->step = STEP_MOST; j->step > 0; j->step /= 2) {
        int level_rows = ((j->sdf->ny - 1) / j->step + 1) * ((j->sdf->nz - 1) / j->step + 1);
        shoal_blocks(exec, level_rows, ROWS, measure_rows, j);
    }
    if (j->is_closed) {
        shoal_blocks(exec, rows, ROWS, sign_rows_closed, j);
    } else {
        shoal_blocks(exec, rows, ROWS, sign_rows_open, j);
        SHOAL_TRY(sdf_close_holes(j->sdf, j->wrap));
    }
    shoal_blocks(exec, rows, ROWS, scale_rows, j);
    return SHOAL_OK;
}

shoal_status shoal_sdf_create(const shoal_mesh* mesh, double cell, int threads, shoal_sdf** out) {
    if (!(cell > 1e-9) || !(cell < 1e9))
        return shoal_fail(SHOAL_ERR_INPUT, "the cell of a distance field is %g m; it must be in (1e-9, 1e9)", cell);
    job          j        = {0};
    shoal_v3*    vertices = NULL;
    shoal_exec   exec     = shoal_exec_make(threads);
    shoal_status status   = SHOAL_ERR_MEMORY;
    j.sdf                 = shoal_alloc(1, sizeof *j.sdf);
    if (!j.sdf) goto done;
    shoal_box box = shoal_mesh_bounds(mesh);
    lay_out(j.sdf, box, cell);
    j.low  = shoal_v3_make(PAD, PAD, PAD);
    j.high = shoal_v3_from(shoal_d3_scale(shoal_d3_sub(box.max, j.sdf->origin), 1.0 / j.sdf->cell));

    status = shoal_mesh_framed(mesh, j.sdf->origin, 1.0 / j.sdf->cell, &vertices);
    if (status == SHOAL_OK) status = shoal_bvh_create(vertices, mesh->triangles, mesh->triangle_count, &j.bvh);
    if (status == SHOAL_OK) status = shoal_winding_create(j.bvh, &j.winding);
    if (status == SHOAL_OK) status = shoal_mesh_is_closed(mesh, &j.is_closed);
    if (status != SHOAL_OK) goto done;

    size_t count  = (size_t)j.sdf->nx * (size_t)j.sdf->ny * (size_t)j.sdf->nz;
    j.sdf->values = shoal_alloc(count, sizeof(float));
    j.nearest     = shoal_alloc(count, sizeof(int));
    if (!j.is_closed) j.wrap = shoal_alloc(count, sizeof(float));
    status = j.sdf->values && j.nearest && (j.is_closed || j.wrap) ? fill(&j, &exec) : SHOAL_ERR_MEMORY;
done:
    shoal_free(j.wrap);
    shoal_free(j.nearest);
    shoal_winding_free(&j.winding);
    shoal_bvh_destroy(j.bvh);
    shoal_free(vertices);
    if (status != SHOAL_OK) {
        shoal_sdf_destroy(j.sdf);
        return status;
    }
    *out = j.sdf;
    return SHOAL_OK;
}

void shoal_sdf_destroy(shoal_sdf* sdf) {
    if (!sdf) return;
    shoal_free(sdf->values);
    shoal_free(sdf);
}

double shoal_sdf_sample(const shoal_sdf* sdf, shoal_d3 p, shoal_d3* gradient) {
    shoal_distances grid = {sdf->nx, sdf->ny, sdf->nz, sdf->origin, sdf->cell};
    return shoal_distances_at(&grid, sdf->values, p, gradient);
}
