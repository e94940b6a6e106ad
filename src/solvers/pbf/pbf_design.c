// SPDX-License-Identifier: MIT
// What follows from a scene before it runs: constants of the sweeps, what the solver refuses, and
// what it warns of.
#include <stdio.h>

#include "fluid/stride.h"
#include "solvers/pbf/pbf_local.h"
#include "state/reach.h"

// Largest eigenvalue of the Jacobi matrix on the lattice by h/d, over all wave vectors; above 2
// sweeps overshoot and the water boils. Measured for spiky gradients.
static double jacobi_radius(double support) {
    static const double at[]     = {1.5, 1.8, 2.0, 2.2, 2.4, 2.5, 3.0, 4.0};
    static const double radius[] = {2.05, 2.43, 2.82, 3.26, 3.82, 4.19, 6.72, 14.0};
    int                 k        = 0;
    while (k < 6 && support > at[k + 1]) k++;
    return radius[k] + (radius[k + 1] - radius[k]) * (support - at[k]) / (at[k + 1] - at[k]);
}

shoal_lattice pbf_lattice(const pbf_params* p, double d) {
    return shoal_lattice_make(d, (double)p->support * d, p->density_kernel == PBF_DENSITY_KERNEL_POLY6);
}

double pbf_under_relaxation(const pbf_params* p) {
    if (p->under_relaxation > 0.0f) return (double)p->under_relaxation;
    if (p->sweep == PBF_SWEEP_GAUSS_SEIDEL) return 1.0;
    return 1.5 * (1.0 + (double)p->cfm) / jacobi_radius((double)p->support);
}

int pbf_sweeps_wanted(const pbf_params* p) { return p->iterations > 0 ? p->iterations : 4; }

// Fraction of the pressure that one sweep of a method makes good, against jacobi (measured,
// docs/reference/pbf.md).
double pbf_sweep_gain(const pbf_params* p) { return p->sweep == PBF_SWEEP_GAUSS_SEIDEL ? 1.4 : 1.0; }

// A frame of a film at most, where nothing falls or moves that sets a time; of large spacings a fraction of the
// time in which one is fallen through, since their scenes are slow.
double pbf_stride(const pbf_params* p, const shoal_description* description) {
    double speed = shoal_liquid_speed(description, p->surface_tension), g = shoal_d3_length(description->gravity);
    double most = g > 0.0 ? fmax(1.0 / 60.0, 0.1 * sqrt(description->spacing / g)) : 1.0 / 60.0;
    return fmin(shoal_stride(description->spacing, speed), most);
}

// XSPH takes a fraction of the differences to the neighbours in a stride: half of the second moment of
// its kernel along an axis, h^2/14 (spiky) or h^2/11 (poly6).
double pbf_smoothing(const pbf_params* p, const shoal_description* description) {
    double h = pbf_support(p, description->spacing);
    return (double)p->xsph * h * h / (p->density_kernel == PBF_DENSITY_KERNEL_POLY6 ? 22.0 : 28.0) /
           pbf_stride(p, description);
}

double pbf_support(const void* params, double spacing) {
    return (double)((const pbf_params*)params)->support * spacing;
}

// The average compression that fixed substeps will leave, %; of bodies that begin at rest, or of all.
static double compression_to_expect(const shoal_description* description, const pbf_params* p, bool at_rest) {
    double gravity = shoal_d3_length(description->gravity), height = 0.0;
    for (int b = 0; b < description->body_count; b++) {
        shoal_box box = shoal_shape_bounds(description->bodies[b].shape);
        if (at_rest && shoal_v3_length(description->bodies[b].velocity) > 0.0f) continue;
        height = fmax(height, box.max.y - box.min.y);
    }
    double        d = description->spacing, dt = 1.0 / (description->fps * p->substeps);
    shoal_lattice lattice = pbf_lattice(p, d);
    double        work = pbf_under_relaxation(p) * pbf_sweeps_wanted(p) * pbf_sweep_gain(p) * lattice.pressure_factor;
    return 50.0 * gravity * height * dt * dt * lattice.gradient_sum * (1.0 + (double)p->cfm) / work;
}

// The largest velocity that the scene itself gives to bodies, streams and obstacles, m/s.
static double speed_given(const shoal_description* description) {
    double speed = shoal_obstacles_speed(description);
    for (int b = 0; b < description->body_count; b++)
        speed = fmax(speed, (double)shoal_v3_length(description->bodies[b].velocity));
    for (int e = 0; e < description->emitter_count; e++)
        speed = fmax(speed, shoal_emitter_speed(&description->emitters[e]));
    return speed;
}

// Average compression of liquids at rest, %, from which on they may never be still: what falls back in one substep
// meets neighbours that it did not see, and is thrown up again. Measured on tanks 5 to 20 particles deep, at the size
// of a cup and of a pool, with 1 to 10 sweeps and all methods: all rest below 5.3, deep ones boil from 5.8 on, all from
// 13 on.
// Sweeps of gauss_seidel simmer from half of it on, at 0.8 m/s in a tank of half a metre.
static double compression_calm(const pbf_params* p) { return p->sweep == PBF_SWEEP_GAUSS_SEIDEL ? 2.5 : 5.0; }
// The same, while what is thrown or falls comes together: beyond this it is crushed.
static const double compression_most = 10.0;

// Of fixed substeps: what goes too far in one of them, and what they leave compressed.
static void warn_substeps(const shoal_description* description, const pbf_params* p, char* buffer, size_t size) {
    double way  = speed_given(description) / (description->fps * p->substeps),
           half = 0.5 * pbf_support(p, description->spacing);
    if (way > half)
        shoal_add_line(buffer, size,
                       "with %d substeps what moves goes %.2g m in one, more than half a kernel radius "
                       "(%.2g m), and may pass through what it meets; take %.0f or more, or auto",
                       p->substeps, way, half, ceil(p->substeps * way / half));
    double compression = compression_to_expect(description, p, false),
           at_rest     = compression_to_expect(description, p, true);
    if (compression >= compression_most || at_rest >= compression_calm(p))
        shoal_add_line(buffer, size,
                       "%d substeps with %d iterations will compress the liquid by about %.0f %% on average%s; "
                       "`substeps: auto` keeps it near %.2g %%",
                       p->substeps, pbf_sweeps_wanted(p), compression,
                       at_rest < compression_calm(p) ? "" : ", and it may never come to rest", (double)p->tolerance);
}

bool pbf_warns(const shoal_description* description, char* buffer, size_t size) {
    const pbf_params* p = description->solver_params;
    if (p->anti_clumping == PBF_ANTI_CLUMPING_PAPER && p->negative_pressure == 0.0f)
        shoal_add_line(buffer, size,
                       "anti_clumping: paper pushes without anything that pulls and adds energy; set "
                       "negative_pressure: 1");
    // sweeps overshoot where omega mu / (1 + cfm) is above 2 for the largest eigenvalue mu
    double stable = 2.0 * (1.0 + (double)p->cfm) / jacobi_radius((double)p->support);
    if (p->sweep == PBF_SWEEP_JACOBI && (double)p->under_relaxation > stable)
        shoal_add_line(buffer, size,
                       "under_relaxation: sweeps of jacobi may overshoot above %.2g at this support, and "
                       "the liquid boils; `auto` is %.2g",
                       stable, 0.75 * stable);
    shoal_density_warning(description, buffer, size);
    if (p->substeps > 0) warn_substeps(description, p, buffer, size);
    shoal_viscosity_warning(description, pbf_smoothing(p, description), buffer, size);
    return buffer[0] != '\0';
}

// Corrections are read off positions that are floats: what rounding does to C, some 1e-6, becomes a
// velocity of 1e-6 d/dt in every substep. It must stay small against sqrt(g d); measured: a tank at
// rest gains a thousandth of its energy at 3e-5 sqrt(d/g), 2 % at 3e-6.
static double shortest_substep(const shoal_description* description) {
    double g = shoal_d3_length(description->gravity);
    return g > 0.0 ? 5e-5 * sqrt(description->spacing / g) : 0.0;
}

// What cannot be done: substeps that are too short, and across periodic walls or mirrors.
// Gauss-Seidel moves neighbours at once, and an image cannot hand its move on to the particle it
// shows.
bool pbf_refuses(const shoal_description* description, char* buffer, size_t size) {
    const pbf_params* p  = description->solver_params;
    double            dt = 1.0 / (description->fps * fmax(p->substeps, 1.0)), least = shortest_substep(description);
    bool              crosses = false;
    if (dt < least)
        shoal_add_line(buffer, size,
                       "substeps of %.3g s are so short that rounding moves the liquid; %.3g s and more are not", dt,
                       least);
    shoal_density_refuses(description, buffer, size);
    if (p->sweep == PBF_SWEEP_GAUSS_SEIDEL && p->mirror && description->domain.is_given)
        shoal_add_line(buffer, size,
                       "sweep: gauss_seidel moves no images in walls that reflect; use jacobi, or mirror: false");
    for (int axis = 0; axis < 3; axis++) {
        if (description->domain.walls[2 * axis].kind != SHOAL_WALL_PERIODIC) continue;
        double length = shoal_d3_axis(description->domain.max, axis) - shoal_d3_axis(description->domain.min, axis);
        crosses |= p->sweep == PBF_SWEEP_GAUSS_SEIDEL;
        if (length < 2.0 * pbf_support(p, description->spacing) * (1.0 - 1e-6))
            shoal_add_line(buffer, size, "support: %g spacings is more than half of the periodic length of %g m",
                           (double)p->support, length);
    }
    if (crosses) shoal_add_line(buffer, size, "sweep: gauss_seidel cannot cross periodic walls; use jacobi");
    return buffer[0] != '\0';
}
