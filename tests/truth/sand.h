// SPDX-License-Identifier: MIT
// Columns of dry sand in a plane slice: the experiment of Bui et al. 2008, Int. J. Numer. Anal.
// Meth. Geomech. 32:1537-1570 (aluminium bars, 0.200 x 0.100 m against a wall, friction angle 19.8
// degrees), and the run-out laws of Lube et al. 2005 and Lajeunesse et al. 2005. Geometry, material
// and spacing are given, nothing of the solver.
#ifndef SHOAL_TRUTH_SAND_H
#define SHOAL_TRUTH_SAND_H

#include "lab.h"
#include "truth/figure.h"

typedef struct profile {
    int    bins;
    double width, depth[1200]; // m; depth of sand in each bin along x
    double creep;              // way of the front that holds 98 % of the sand in the last half second, spacings/s
} profile;

static inline int by_value(const void* a, const void* b) {
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static inline double front_of_98(const shoal_sim* sim) {
    int64_t      count = shoal_sim_count(sim);
    const float* from  = lab_field(sim, "position");
    float*       x     = malloc((size_t)count * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < count; i++) x[i] = from[3 * i];
    qsort(x, (size_t)count, sizeof *x, by_value);
    double front = (double)x[count * 98 / 100];
    free(x);
    return front;
}

// How deep the sand lies, from its volume above each bin, smoothed over a cell and a half.
static inline profile profile_of(const shoal_sim* sim, double length, double spacing, double thick) {
    profile      p = {.width = 2 * spacing};
    const float* x = lab_field(sim, "position");
    p.bins         = (int)(length / p.width + 0.5);
    assert_true(p.bins < 1200);
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        double at  = (double)x[3 * i] / p.width - 0.5;
        int    bin = (int)floor(at);
        double up  = at - bin;
        if (bin >= 0 && bin < p.bins) p.depth[bin] += (1 - up) * spacing * spacing * spacing / (p.width * thick);
        if (bin + 1 >= 0 && bin + 1 < p.bins) p.depth[bin + 1] += up * spacing * spacing * spacing / (p.width * thick);
        if (bin < 0) p.depth[0] += (1 - up) * spacing * spacing * spacing / (p.width * thick); // mirrored at the wall
    }
    return p;
}

static inline double depth_at(const profile* p, double x) {
    double at  = x / p->width - 0.5;
    int    bin = (int)floor(at);
    if (bin < 0) return p->depth[0];
    if (bin + 1 >= p->bins) return 0;
    return p->depth[bin] + (at - bin) * (p->depth[bin + 1] - p->depth[bin]);
}

// Farthest place where the sand is at least so deep.
static inline double front_of(const profile* p, double depth) {
    for (int k = p->bins - 2; k >= 0; k--)
        if (p->depth[k] >= depth)
            return p->width * (k + 0.5 + (p->depth[k] - depth) / fmax(p->depth[k] - p->depth[k + 1], 1e-12));
    return 0;
}

// Degrees from the horizontal, between two places.
static inline double slope_between(const profile* p, double from, double to) {
    return atan((depth_at(p, from) - depth_at(p, to)) / (to - from)) * 57.29577951308232;
}

static inline double steepest(const profile* p, double from, double to, double over) {
    double most = 0;
    for (double x = from; x + over <= to; x += 0.25 * over) most = fmax(most, slope_between(p, x, x + over));
    return most;
}

// Lets a column collapse along a plane: `cells` along its height.
static inline profile collapse(double length, double height, double run, int cells, const char* material,
                               double seconds, lab_setup setup) {
    double dx = height / cells, d = 0.5 * dx, far = 2 * dx * ceil(run / (2 * dx)), thick = 2 * dx;
    char   text[1024];
    snprintf(text, sizeof text,
             "solver: flip\nspacing: %.9g\n"
             "domain: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g], walls: {top: open, left: slip, "
             "back: slip, front: slip}}\n"
             "materials: {sand: {preset: sand, %s}}\n"
             "bodies: [{material: sand, box: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g]}}]\n",
             d, far, 1.5 * height, thick, material, length, height, thick);
    shoal_sim* sim = lab_sim(text, setup);
    lab_run(sim, seconds, 1.0 / 60);
    double before = front_of_98(sim);
    lab_run(sim, 0.5, 1.0 / 60);
    profile p = profile_of(sim, far, d, thick);
    p.creep   = (front_of_98(sim) - before) / 0.5 / d;
    shoal_sim_destroy(sim);
    return p;
}

// A layer of sand, so many cells deep, on a floor under gravity tilted by atan(slope), periodic along
// it: how fast it slides after a while, over the time and gravity across the floor.
static inline double slid(double slope, double cells, double seconds, const char* walls, const char* material,
                          lab_setup setup) {
    char   text[1024];
    double g = 9.81, down = g / sqrt(1 + slope * slope);
    snprintf(text, sizeof text,
             "solver: flip\nspacing: 0.01\ngravity: [%.9g, %.9g, 0]\n"
             "domain: {min: [0, 0, 0], max: [0.16, 0.3, 0.04], walls: {left: periodic, right: "
             "periodic, top: open, back: slip, front: slip%s}}\n"
             "materials: {sand: {preset: sand, cohesion: 0, %s}}\n"
             "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.16, %.9g, 0.04]}}]\n",
             slope * down, -down, walls, material, 0.02 * cells);
    shoal_sim* sim = lab_sim(text, setup);
    lab_run(sim, seconds, 1.0 / 60);
    const float* v   = lab_field(sim, "velocity");
    double       sum = 0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) sum += (double)v[3 * i] / (double)shoal_sim_count(sim);
    shoal_sim_destroy(sim);
    printf("slope %.3f, %.1f cells: %.4f m/s after %.1f s, %.4f of gravity across the floor\n", slope, cells, sum,
           seconds, sum / (down * seconds));
    return sum / (down * seconds);
}

// Where a block of sand ends up that hangs at the ceiling: m that it has fallen in `seconds`, and
// the spread of its speeds.
static inline double fallen_from_ceiling(double seconds, double* spread, lab_setup setup) {
    shoal_sim* sim =
        lab_sim("solver: flip\nspacing: 0.01\ndomain: {min: [0, 0, 0], max: [0.16, 0.64, 0.16], walls: {top: "
                "{friction: 0.5}, left: slip, right: slip, back: slip, front: slip}}\n"
                "materials: {sand: {preset: sand, cohesion: 0}}\n"
                "bodies: [{material: sand, box: {min: [0, 0.48, 0], max: [0.16, 0.64, 0.16]}}]\n",
                setup);
    double  mean[2] = {0}, low = 0, high = 0;
    int64_t count = shoal_sim_count(sim);
    for (int k = 0; k < 2; k++) {
        const float *x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
        low = high = (double)v[1];
        for (int64_t i = 0; i < count; i++) {
            mean[k] += (double)x[3 * i + 1] / (double)count;
            low  = fmin(low, (double)v[3 * i + 1]);
            high = fmax(high, (double)v[3 * i + 1]);
        }
        if (k == 0) lab_run(sim, seconds, seconds / 6);
    }
    shoal_sim_destroy(sim);
    *spread = high - low;
    printf("from the ceiling: fell %.4f m in %.2f s (%.4f), speeds within %.4f m/s\n", mean[0] - mean[1], seconds,
           0.5 * 9.81 * seconds * seconds, *spread);
    return mean[0] - mean[1];
}

typedef struct poured {
    double volume; // over that of its particles
    double creep,
        way;       // in the last second: of the front that holds 98 %, and of the grain that went farthest, spacings
    double lowest; // below which 2 % of the grains lie, spacings
} poured;

// Sand that comes to rest after a fall: `source` says where from.
static inline poured pour(const char* source, double spacing, double seconds, lab_setup setup) {
    char text[1024];
    snprintf(text, sizeof text,
             "solver: flip\nspacing: %.9g\ndomain: {min: [-0.32, 0, 0], max: [0.32, 0.8, 0.32], walls: {top: open, "
             "front: slip, back: slip}}\nmaterials: {sand: {preset: sand, friction_angle: 30, boundary_friction: "
             "0.577}}\n%s\n",
             spacing, source);
    shoal_sim* sim = lab_sim(text, setup);
    lab_run(sim, seconds, 1.0 / 60);
    int64_t count     = shoal_sim_count(sim);
    float(*before)[3] = malloc((size_t)count * sizeof *before);
    float(*after)[3]  = malloc((size_t)count * sizeof *after);
    float* height     = malloc((size_t)count * sizeof *height);
    assert_true(before && after && height);
    double front = front_of_98(sim);
    lab_by_id(sim, "position", before);
    lab_run(sim, 1.0, 1.0 / 60);
    lab_by_id(sim, "position", after);
    poured r = {.volume = lab_stat(sim, "volume_m3") / ((double)count * pow(spacing, 3)),
                .creep  = (front_of_98(sim) - front) / spacing};
    for (int64_t i = 0; i < count; i++) {
        double way2 = 0;
        for (int a = 0; a < 3; a++) way2 += pow((double)(after[i][a] - before[i][a]) / spacing, 2);
        r.way     = fmax(r.way, sqrt(way2));
        height[i] = after[i][1];
    }
    qsort(height, (size_t)count, sizeof *height, by_value);
    r.lowest = (double)height[count / 50] / spacing;
    free(before);
    free(after);
    free(height);
    shoal_sim_destroy(sim);
    printf("%lld grains after %.1f s: volume %.3f, front of 98 %% creeps %.4f d/s, no grain more than %.3f d, lowest "
           "at %.2f d\n",
           (long long)count, seconds + 1.0, r.volume, r.creep, r.way, r.lowest);
    return r;
}

// Degrees of one flank of a heap, by least squares between a quarter and three quarters of its height.
static inline double flank_of(const profile* p, int top, int way) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, high = p->depth[top];
    for (int k = top; k >= 0 && k < p->bins; k += way) {
        if (p->depth[k] < 0.25 * high || p->depth[k] > 0.75 * high) continue;
        n += 1;
        x += p->width * k;
        y += p->depth[k];
        xx += p->width * k * p->width * k;
        xy += p->width * k * p->depth[k];
    }
    return n > 2 ? fabs(atan((n * xy - x * y) / (n * xx - x * x))) * 57.29577951308232 : 0;
}

// Sand of 30 degrees poured on a rough floor in a plane slice: `source` is half the stream's width, the height it comes
// from and its speed. The mean of the flanks when it has come to rest.
static inline double poured_flank(double spacing, const double source[3], double volume, double seconds,
                                  lab_setup setup) {
    char   text[1024];
    double thick = 4 * spacing, until = volume / (2 * source[0] * source[2]);
    snprintf(text, sizeof text,
             "solver: flip\nspacing: %.9g\ndomain: {min: [0, 0, 0], max: [0.64, 0.48, %.9g], walls: {top: open, front: "
             "slip, back: slip}}\n"
             "materials: {sand: {preset: sand, friction_angle: 30, boundary_friction: 0.577, cohesion: 0}}\n"
             "emitters: [{material: sand, box: {min: [%.9g, %.9g, 0], max: [%.9g, %.9g, %.9g]}, velocity: [0, %.9g, "
             "0], until: %.9g}]\n",
             spacing, thick, 0.32 - source[0], source[1], 0.32 + source[0], source[1] + spacing, thick, -source[2],
             until);
    shoal_sim* sim = lab_sim(text, setup);
    lab_run(sim, until + seconds, 1.0 / 60);
    profile p   = profile_of(sim, 0.64, spacing, thick);
    int     top = p.bins / 2;
    for (int k = 1; k + 1 < p.bins; k++)
        if (p.depth[k - 1] + p.depth[k] + p.depth[k + 1] > p.depth[top - 1] + p.depth[top] + p.depth[top + 1]) top = k;
    double left = flank_of(&p, top, -1), right = flank_of(&p, top, 1);
    printf("%lld grains poured from %.2f m: %.4f m high, flanks %.1f and %.1f degrees\n",
           (long long)shoal_sim_count(sim), source[1], p.depth[top], left, right);
    shoal_sim_destroy(sim);
    return 0.5 * (left + right);
}

// How far the upper edge of a cliff of cohesive sand has come down: the fraction of its height by
// which the highest sand at its face has sunk.
static inline double cliff_sunk(double height, const char* held_by, double seconds, lab_setup setup) {
    char text[1024];
    snprintf(text, sizeof text,
             "solver: flip\nspacing: 0.01\ndomain: {min: [0, 0, 0], max: [0.96, 0.6, 0.04], walls: "
             "{top: open, left: slip, back: slip, front: slip, bottom: {friction: 0.7}}}\n"
             "materials: {sand: {preset: sand, density: 1600, friction_angle: 30, %s}}\n"
             "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.48, %.9g, 0.04]}}]\n",
             held_by, height);
    shoal_sim* sim = lab_sim(text, setup);
    lab_run(sim, seconds, 1.0 / 60);
    const float* x   = lab_field(sim, "position");
    double       out = 0, top = 0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        if ((double)x[3 * i] > 0.40 && (double)x[3 * i] < 0.48) top = fmax(top, (double)x[3 * i + 1]);
        if ((double)x[3 * i] > 0.50) out += 1 / (double)shoal_sim_count(sim);
    }
    shoal_sim_destroy(sim);
    printf("cliff of %.2f m, %s: edge at %.3f of its height, %.3f of the sand beyond "
           "it\n",
           height, held_by, top / height, out);
    return 1 - top / height;
}

typedef struct bui_result {
    double front, rms, steepest, middle, creep; // m, m, degrees, degrees, spacings/s
} bui_result;

// Where the surface came to rest: x and its height, m.
static const double bui_measured[][2] = {{0.00, 0.0992}, {0.04, 0.0959}, {0.08, 0.0844}, {0.12, 0.0722},
                                         {0.16, 0.0616}, {0.20, 0.0474}, {0.24, 0.0348}, {0.28, 0.0265},
                                         {0.32, 0.0189}, {0.36, 0.0109}, {0.40, 0.0037}, {0.44, 0.0015}};
enum { BUI_POINTS = sizeof bui_measured / sizeof *bui_measured };

static inline bui_result bui(int cells, lab_setup setup) {
    profile    p = collapse(0.2, 0.1, 0.7, cells,
                            "density: 2650, friction_angle: 19.8, boundary_friction: 0.36, "
                               "grain_size: 0.00125, cohesion: 0",
                            2.0, setup);
    bui_result r = {.creep    = p.creep,
                    .front    = front_of(&p, 0.0015),
                    .steepest = steepest(&p, 0.05, 0.40, 0.04),
                    .middle   = slope_between(&p, 0.12, 0.32)};
    for (int k = 0; k < BUI_POINTS; k++)
        r.rms += pow(depth_at(&p, bui_measured[k][0]) - bui_measured[k][1], 2) / BUI_POINTS;
    r.rms = sqrt(r.rms);
    printf("Bui, %d cells high: front %.3f m (0.442), surface off by %.1f mm RMS, steepest part "
           "%.1f degrees, middle %.1f (15.5), creep %.2g d/s\n",
           cells, r.front, 1e3 * r.rms, r.steepest, r.middle, r.creep);
    return r;
}

// Against the experiment: how far the front may be off, the rest as ever.
static inline void check_bui(const bui_result* r, int cells, double front) {
    truth_near(truth_case("Bui's column, %d cells: front over the measured one", cells), "flip", r->front / 0.442, "",
               1, front);
    truth_below(truth_case("Bui's column, %d cells: surface off, rms", cells), "flip", 1e3 * r->rms, "mm", 4);
    truth_below(truth_case("Bui's column, %d cells: steepest part", cells), "flip", r->steepest, "degrees", 21);
    truth_near(truth_case("Bui's column, %d cells: creep at rest", cells), "flip", r->creep, "d/s", 0, 0.01);
}

typedef struct heap_result {
    double along, across, depth; // m; how far 98 % of the sand reach along the normals of the
                                 // column's sides and along its diagonals; how deep it is amid
} heap_result;

// A square column, 16 cells wide and high, that stands at an angle to the grid, collapsed in the
// open.
static inline heap_result heap(double degrees, lab_setup setup) {
    char text[1024];
    snprintf(text, sizeof text,
             "solver: flip\nspacing: 0.005\ndomain: {min: [-0.4, 0, -0.4], max: [0.4, 0.3, 0.4], "
             "walls: {top: open}}\n"
             "materials: {sand: {preset: sand, friction_angle: 30, boundary_friction: 0.577, "
             "grain_size: 0.001, cohesion: 0}}\n"
             "bodies: [{material: sand, box: {size: [0.16, 0.16, 0.16]}, rotate: {axis: [0, 1, 0], "
             "degrees: %.9g}, at: [0, 0.08, 0]}]\n",
             degrees);
    shoal_sim* sim = lab_sim(text, setup);
    lab_run(sim, 1.0, 1.0 / 60);
    int64_t      count = shoal_sim_count(sim);
    const float* x     = lab_field(sim, "position");
    float*       reach = malloc((size_t)count * sizeof *reach);
    double       turn = degrees * 0.017453292519943295, out[3] = {0, 0, 0};
    assert_non_null(reach);
    for (int side = 0; side < 8; side++) { // each sector of 45 degrees, those of the sides first
        int64_t n     = 0;
        double  angle = turn + 0.78539816339744831 * (side < 4 ? 2 * side : 2 * side + 1), c = cos(angle),
               s = sin(angle);
        for (int64_t i = 0; i < count; i++) {
            double a = c * (double)x[3 * i] - s * (double)x[3 * i + 2],
                   b = s * (double)x[3 * i] + c * (double)x[3 * i + 2];
            if (fabs(b) < 0.41421356 * a) reach[n++] = (float)a;
            if (side == 0 && a * a + b * b < 0.04 * 0.04) out[2] += 0.005 * 0.005 * 0.005 / (3.14159265 * 0.04 * 0.04);
        }
        qsort(reach, (size_t)n, sizeof *reach, by_value);
        out[side / 4] += 0.25 * (double)reach[n * 98 / 100];
    }
    free(reach);
    shoal_sim_destroy(sim);
    printf("column at %.0f degrees: reaches %.4f m along its sides, %.4f across, %.4f deep\n", degrees, out[0], out[1],
           out[2]);
    return (heap_result){out[0], out[1], out[2]};
}

// Run-out over length of a column of aspect a, over the law 1.2 a.
static inline double run_out(double a, int cells_long, lab_setup setup) {
    const double length = 0.1;
    profile      p =
        collapse(length, a * length, length * (1 + 2.4 * a) + 0.1, (int)(cells_long * a + 0.5),
                 "friction_angle: 30, boundary_friction: 0.577, grain_size: 0.001, cohesion: 0", 1.2 + 0.4 * a, setup);
    double out = (front_of(&p, 0.001) - length) / length;
    printf("aspect %.1f, %d cells long: run-out %.2f (law %.2f, %+.0f %%)\n", a, cells_long, out, 1.2 * a,
           100 * (out / (1.2 * a) - 1));
    return out / (1.2 * a);
}

#endif
