// SPDX-License-Identifier: MIT
// SPH water without a step: parameters, fields, a view of raw arrays, passes, and the loops of the implicit solves. A
// solver puts the lists into its own, fills the view, and calls the passes in the order of its method.
//
// Units. Every particle has the volume V (sum over the lattice of V W = 1), s = sum_j V W is its density as a ratio of
// the rest density whatever its mass (number density [Solenthaler & Pajarola 2008]), solids included. Pressure acts as
// K = dt p / (s^2 rho_0) in m^2/s, rho_0 that of the first liquid:
//     v_i -= light_i (sum_j V (K_i + K_j) grad W + K_i G_i)          light = rho_0 / rho_i, G = sum over solids of V_b
//     grad W
// so that the forces of a pair are opposite to rounding. The kernel is the cubic spline.
#ifndef SHOAL_WATER_H
#define SHOAL_WATER_H

#include "fluid/boundary.h"
#include "fluid/halo.h"
#include "fluid/lattice.h"
#include "fluid/pairs.h"
#include "fluid/samples.h"
#include "fluid/thick.h"
#include "param/param.h"
#include "state/solver.h"

// clang-format off
#define SHOAL_WATER_PRESSURE_FORM(W, P) W(P, SYMMETRIC, "symmetric") W(P, MUELLER, "mueller")
#define SHOAL_WATER_TENSION(W, P) W(P, NONE, "none") W(P, BECKER, "becker") W(P, AKINCI, "akinci")
SHOAL_WORDS_DECLARE(SHOAL_WATER_PRESSURE_FORM)
SHOAL_WORDS_DECLARE(SHOAL_WATER_TENSION)

// name                     type        default min   max    unit   help, needs, alias
#define SHOAL_WATER_PARAMS(X, S)                                                                                                       \
    X(S, support,              FLOAT,      2.0,    1.5,  4.0,   "d",   "kernel radius h in spacings", "a liquid") \
    X(S, cfl,                  FLOAT,      0.4,    0.05, 1.0,   "d",   "substeps: auto lets the fastest particle go no farther than this in one", "a liquid and substeps: auto") \
    X(S, iterations,           AUTO_INT,   0,      1,    500,   "",    "pcisph, dfsph: sweeps of the density solve; auto: until the tolerance is met, 1 to 100 (pcisph 3 to 100)", "a liquid and pressure: pcisph|dfsph") \
    X(S, tolerance,            FLOAT,      0.1,    0.001, 10,   "%",   "pcisph, dfsph: average compression that auto leaves", "a liquid and pressure: pcisph|dfsph and iterations: auto") \
    X(S, divergence_tolerance, FLOAT,      0.1,    0.001, 10,   "%",   "dfsph: average compression that the divergence-free solve leaves to come in a substep, or in a stride (see xsph) if that is longer; 10 and more switch it off", "a liquid and pressure: dfsph") \
    X(S, warm_start,           FLOAT,      0.5,    0.0,  1.0,   "",    "dfsph: fraction of the last substep's pressure to begin with", "a liquid and pressure: dfsph") \
    X(S, sound_speed,          AUTO_FLOAT, 0,      0.1,  2000,  "m/s", "wcsph: speed of sound; auto: ten times the largest speed that the scene's height, velocities, obstacles and surface tension allow, which compresses by 1 % at most in flow; a flat front that hits a wall at v is compressed by v/c, 10 % at ten times its speed: give more where blows count", "a liquid and pressure: wcsph") \
    X(S, negative_pressure,    FLOAT,      0.0,    0.0,  1.0,   "",    "wcsph: fraction of the tension below rest density that pulls: 0 clamps", "a liquid and pressure: wcsph") \
    X(S, pressure_form,        WORD,       0,      0,    0,     SHOAL_WORDS(SHOAL_WATER_PRESSURE_FORM), "wcsph: p_i/rho_i^2 + p_j/rho_j^2, or for comparison (p_i + p_j)/2 of Mueller et al. 2003, which halves the gradient", "a liquid and pressure: wcsph") \
    X(S, artificial_viscosity, FLOAT,      0.1,    0.0,  1.0,   "",    "wcsph: alpha of Monaghan 1992, acts on approaching pairs, less ten times the material's own viscosity (alpha h c is 10 nu in 3D)", "a liquid and pressure: wcsph") \
    X(S, xsph,                 FLOAT,      0.01,   0.0,  0.5,   "",    "velocity smoothing: fraction c of the difference to its neighbours that a particle loses in a stride, the time that the fastest of the scene takes for 0.4 d, however many substeps that is", "a liquid") \
    X(S, boundary_layer,       BOOL,       1,      0,    1,     "",    "walls that the scene does not call slip, and obstacles without friction, drag as smooth ones do, by a boundary layer thinner than a spacing", "a liquid and a plain solid", "skin") \
    X(S, tension,              WORD,       0,      0,    0,     SHOAL_WORDS(SHOAL_WATER_TENSION), "surface tension from the material's N/m: pull of Becker & Teschner 2007, or cohesion of Akinci et al. 2013", "surface tension of a liquid")

// name                 type role     unit      meaning      (position, velocity, id, material come with every set)
#define SHOAL_WATER_FIELDS(X)                                                                                          \
    X(density,          F1, SHOWN_OUTPUT, "kg/m^3", "density at the start of the last substep, solids included")            \
    X(pressure,         F1, STATE,   "Pa",     "pressure of the last substep, that of the divergence-free solve included") \
    X(settling,         F1, STATE,   "Pa",     "part of it from the divergence-free solve, to begin the next one with") \
    X(acceleration,     F1, OUTPUT,  "m/s^2",  "how hard it was pushed in the last substep; limits the next one")      \
    X(place,            V4, SCRATCH, "m",      "where it is; its companion is K where forces and pressure act at once") \
    X(guess,            V4, SCRATCH, "m",      "pcisph: where it will be")                                             \
    X(motion,           V4, SCRATCH, "m/s",    "velocity under way; its companion is 1/s")                             \
    X(wall,             V4, SCRATCH, "1/m",    "gradient G of the fraction of the density that solids have; its companion is that fraction")          \
    X(stream,           V4, SCRATCH, "m/s",    "mean velocity of the solids near; its companion is their inflow, sum V_b v_b . grad W, 1/s") \
    X(friction,         F1, SCRATCH, "",       "mean Coulomb friction of the solids near")                             \
    X(layer,            F1, SCRATCH, "",       "fraction of those that drag by their boundary layer among the solids near") \
    X(hold,             F1, SCRATCH, "m",      "how strongly solids that stick drag by viscosity, as a sum of h - r")  \
    X(touch,            V3, SCRATCH, "m/s",    "change of velocity by contact")                                        \
    X(course,           V3, SCRATCH, "m/s",    "velocity at the end of the substep; what `motion` has beyond it shifts places alone") \
    X(course_touch,     V3, SCRATCH, "m/s",    "change of that velocity by contact")                                   \
    X(slant,            F1, SCRATCH, "1/d",    "length of the gradient of s: about 0.6 at a free surface")             \
    X(spread,           F1, SCRATCH, "m^2/s",  "K of the shift")                                                       \
    X(drag,             V3, SCRATCH, "m/s",    "change of velocity by solids that stick; only where `hold` is above zero") \
    X(lean,             V4, SCRATCH, "m^2/s",  "what the arrangement bears of a shear, as K: xx, yy, xy, xz")          \
    X(lean_yz,          F1, SCRATCH, "m^2/s",  "yz of it; zz is -xx - yy")                                             \
    X(level,            V3, SCRATCH, "m/s",    "change of velocity that takes it away")                                \
    X(push,             V3, SCRATCH, "m/s",    "change of velocity by forces other than pressure")                     \
    X(ratio,            F1, SCRATCH, "",       "s, or s* at the guess")                                                \
    X(factor,           F1, SCRATCH, "m^2",    "omega / sum of squared gradients: the change of K per error")          \
    X(kappa,            F1, SCRATCH, "m^2/s",  "K, or the change of K, that the next pass presses with")               \
    X(error,            F1, SCRATCH, "",       "compression that the last sweep has found")

// Boundary samples of walls and obstacles in reach, and what else the liquid sees as solids: a set of their own, made
// anew in each substep.
#define SHOAL_SAMPLE_FIELDS(X)                                                                                         \
    X(place,            V4, SCRATCH, "m",      "where it is at the start of the substep; its companion is its volume over V") \
    X(guess,            V4, SCRATCH, "m",      "where it will be at the end")                                          \
    X(motion,           V4, SCRATCH, "m/s",    "velocity of the solid there; its companion is its friction, -1: it sticks") \
    X(layer,            F1, SCRATCH, "",       "1: it drags by its boundary layer")                                    \
    X(body,             I1, SCRATCH, "",       "collider, -1 - wall, or SHOAL_WATER_OTHER - k for the k-th of the others")

// In the order of the steps that use them.
#define SHOAL_WATER_PASSES(X)                                                                                       \
    X(stand) X(solids) X(lean) X(level) X(density) X(weigh) X(state) X(forces) X(act) X(cohere) X(accelerate) X(keep) X(thicken) X(begin) X(diverge) X(compress) X(foresee) \
    X(predict) X(retract) X(tell) X(recall) X(apply_pressure) X(finish) X(settle) X(advance)
// What all of them give together, and how: the average error, compression and fraction at the surface, in %; particles that are crowded
// and how hard the most is pushed.
#define SHOAL_WATER_FOLDS(X) X(errors, SUM) X(excess, SUM) X(surface, SUM) X(overfull, SUM) X(pushed, MOST)
// clang-format on

SHOAL_PARAMS_DECLARE(shoal_water_params, SHOAL_WATER_PARAMS)

// What differs between the liquids of a scene.
typedef struct shoal_water_liquid {
    float density; // kg/m^3
    float light;   // inverse mass, 1 for the first liquid
    float viscous; // dt nu times the laplacian's scale: fraction of a velocity difference that goes per (h - r)
    float tension; // scale of the pull on its like, times dt
    float thin;    // kinematic viscosity, m^2/s
} shoal_water_liquid;

typedef struct shoal_sample_view {
    SHOAL_SAMPLE_FIELDS(SHOAL_FIELD_MEMBER)
} shoal_sample_view;

typedef struct shoal_water_view {
    int                 count;
    shoal_solids        solids;
    shoal_near          near;     // among particles and their images
    shoal_near          boundary; // samples near each particle, by their numbers in `sample`
    shoal_sample_view   sample;
    float               dt, d, h, h2;
    shoal_v3            gravity;
    float               weight, self, slope; // V c; V W(0); 3 V c: V grad W = -slope (t^2 - 4 u^2) x_ij / r
    float               pressure_scale;      // dt / rho_0: K = press p / s^2
    float               epsilon;             // added to sums of squared gradients, 1/m^2
    float               omega;               // under-relaxation of the sweeps
    float               momentum;            // Chebyshev's weight of this sweep; 1: plain Jacobi
    float               relax;               // below 1 where sweeps have overshot
    float               gradient_sum;        // of the full lattice, 1/m^2
    float               stiffness;           // B of Tait's equation, Pa
    float               negative_pressure;
    float               warm;                    // fraction of the last pressure to begin a solve with
    float               contact;                 // distance that contact keeps, m
    bool                has_wall_drag;           // solids have friction, stick, drag or move
    bool                reflects;                // smooth walls do (halo.h), and are no solids with samples
    bool                skims[SHOAL_WALL_COUNT]; // those of them that drag by their boundary layer
    float               wall_factor;             // on the closed form of what a flat wall has of s
    float               first_fraction;          // what a flat wall has of s in the layer next to it
    float               smooth;                  // fraction of XSPH in this substep, times V c
    float               correction; // fraction of an excess that was there before that this solve makes good
    float               even;       // excess that a shift adds where others are all around: an even pressure
    float               melt;       // fraction of what the arrangement bears that is taken away; 0: `level` is not made
    const shoal_layers* layers;     // of the lattice behind walls
    float               surface_slant; // length of the gradient of s at a free surface, 1/d
    float               artificial;    // dt nu slope of the artificial viscosity
    float*              total;         // K so far of the solve under way: `pressure` or `settling`
    int                 tension;
    bool                is_explicit, is_mueller, is_viscous;
    bool                is_split; // pressure is the sum of two solves
    bool                is_begun; // `weigh` does the work of `act` too: pressure is known to begin with
    int16_t*            pairs; // slope/r x_ij of all in the lists of `near`, x, y and z of 16 at a time; NULL: not kept
    float               grain; // what 1 in `pairs` stands for, m^2
    bool                is_mixed;   // liquids of several densities, viscosities or tensions
    bool                is_uneven;  // of several densities
    bool                is_sized;   // set by the solver: while forces are found, volumes over V stand beside the places
    const float*        compliance; // by how much others give way to K, 1/m^2 as squared gradients; NULL: not at all
    const float*        uncorrected;   // s beyond 1 that nothing can correct; NULL: none
    const shoal_water_liquid* liquids; // by material
    const shoal_thickness*    thick;   // by material, where viscosity is solved for; NULL: it is explicit
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_MEMBER)
    SHOAL_WATER_FIELDS(SHOAL_FIELD_MEMBER)
} shoal_water_view;

#define X(name) SHOAL_WATER_##name,
typedef enum shoal_water_pass { SHOAL_WATER_PASSES(X) SHOAL_WATER_PASS_COUNT } shoal_water_pass;
#undef X
#define X(name, how) SHOAL_WATER_all_##name,
enum { SHOAL_WATER_FOLDS(X) SHOAL_WATER_FOLD_COUNT };
#undef X

// What a solid feels.
typedef struct shoal_water_force {
    shoal_d3 pressure; // and contact
    shoal_d3 friction; // Coulomb's, and viscous drag of solids that stick
} shoal_water_force;

// Bodies of the solver's own that water sees as solids, each a sample of its whole volume: grains. Pressure is mirrored
// in them, so that a pair pushes them with V_i V_g p_i grad W.
typedef struct shoal_immersed_bodies {
    int             count;            // images across periodic walls included
    const shoal_v4 *place, *velocity; // m, m/s; companions do not count
    const float*    volume;           // m^3
    void (*answer)(void* self); // moves them by the pressure found so far, after each sweep; NULL: they do not give way
    void* self;
} shoal_immersed_bodies;

// The body of the sample that is the k-th of the others is SHOAL_WATER_OTHER - k; walls and colliders have theirs
// above.
enum { SHOAL_WATER_OTHER = -16 };

// What the samples of a substep are made with (water_boundary.c), where passes run.
typedef struct shoal_boundary {
    shoal_device*               device;
    int                         capacity;         // samples and others
    bool                        is_sent;          // those that stand still
    shoal_v4 *                  place, *velocity; // a copy of all samples on a device
    float*                      volume;
    int*                        body;
    int*                        upto; // see boundary_pass.h
    shoal_v4*                   found;
    int*                        from;
    struct shoal_boundary_body* bodies; // [walls and colliders]
    shoal_far                   far_bodies;
} shoal_boundary;

// Room for what solids feel (water_load.c).
typedef struct shoal_loads {
    shoal_water_force* sums; // [sum_capacity] impulses by block of particles and collider
    size_t             sum_capacity;
    // where particles lie on a device: rows up to each of them, and the rows, there and here
    shoal_device*          device;
    int*                   upto;
    struct shoal_load_row *rows, *rows_here;
    int                    upto_capacity, row_capacity;
} shoal_loads;

// A set of particles of one kind of material, with a spacing of its own, and all that the passes need around it. The
// solver owns it, and may have several: the set has the fields of SHOAL_WATER_FIELDS, and its other fields are not
// seen here.
typedef struct shoal_water {
    shoal_sim_context*  ctx;
    shoal_set*          set;
    shoal_material_kind kind;
    int                 first;   // material of that kind
    double              spacing; // of its particles, m
    shoal_solids        solids;  // as that kind meets them
    shoal_water_params  params;
    shoal_lattice       lattice;
    shoal_water_view    view;
    shoal_water_liquid*
        liquids; // [materials] those of other kinds as the first of this one, which changes no sum or bound
    shoal_thickness*      thickness; // [materials]
    shoal_thick           thick;
    bool                  is_thick; // viscosity is solved for in this substep
    double                omega, sound_speed;
    double                laplacian; // scale of (h - r) in the viscosity, 1/m^3
    double                along;     // shoal_lattice_along
    double                stride; // s in which the fastest that the scene allows goes 0.4 d: about the longest substep
    shoal_cells_frame     frame;  // of the cells
    bool                  is_beside; // another set looks for its particles, and for their images
    shoal_cells           cells, boundary_cells;
    shoal_halo            halo;
    shoal_near            near, boundary_near;
    shoal_near            near_here; // a copy of lists that lie on a device
    shoal_world_far       far_world; // copies of what passes ask, where they run
    shoal_far             far_liquids, far_thickness, far_layers;
    int16_t*              pairs;           // [pair_capacity][3][SHOAL_LANES]
    size_t                pair_capacity;   // in groups, as near.group_capacity
    shoal_samples         samples;         // all there are
    shoal_set*            boundary_set;    // those in reach, and the others, in the order of their cells
    shoal_immersed_bodies immersed;        // set by the solver before each gather
    float                 samples_h;       // the kernel radius they were made for, m; 0: not yet
    bool                  is_sampled;      // smooth walls, too
    double                boundary_factor; // on their volumes
    shoal_boundary        boundary;
    const float *volumes, *masses; // set by the solver: [count] of each, m^3 and kg; NULL: those of the material
    shoal_loads  loads;
    int          sweeps;    // of the last substep's density solve
    double       melt;      // set by the solver; 0: it does not call shoal_water_melt
    bool         mirrors;   // set by the solver: smooth walls of the domain reflect the liquid
    bool         shifts;    // the solver calls shoal_water_shift
    double       open;      // 0: no room to expand into, 1: a free surface
    double       pace;      // fraction of an excess that was there before that a substep makes good
    bool         is_solved; // whether that met its tolerance, as far as it could tell
} shoal_water;

#define SHOAL_WATER(W, P) W(P, WCSPH, "wcsph") W(P, PCISPH, "pcisph") W(P, DFSPH, "dfsph")
typedef enum shoal_water_method { SHOAL_WATER(SHOAL_WORD_NUMBER, SHOAL_WATER) } shoal_water_method;

// Of the particles of a set, which are of materials of one kind; then set its parameters.
shoal_status shoal_water_make(shoal_water* water, shoal_sim_context* ctx, shoal_set* set, shoal_material_kind kind);
void         shoal_water_set_params(shoal_water* water, const shoal_water_params* params);
void         shoal_water_free(shoal_water* water);

// Material m, or the first of its kind in the place of one that is of another kind or not used.
static inline const shoal_material* shoal_water_material(const shoal_water* water, int m) {
    const shoal_material* materials = water->ctx->description->materials;
    return &materials[materials[m].kind == water->kind && materials[m].is_used ? m : water->first];
}

// Constants of a substep; before anything else in it.
void shoal_water_bind(shoal_water* water, double dt, shoal_water_method method);
// Sorts, finds images, samples and neighbours where the particles are. Binds.
shoal_status shoal_water_gather(shoal_water* water, double dt, shoal_water_method method);
void         shoal_water_do(shoal_water* water, shoal_water_pass pass); // one pass over all
void         shoal_water_fill_places(shoal_water* water);               // to the images, with their companions
void         shoal_water_fill_motion(shoal_water* water);

// Finds by the pressure of the last substep what takes away the shear that the arrangement bears (lean.h). After
// gather.
void shoal_water_melt(shoal_water* water);

// Pressures, each with the forces (gravity, viscosity, XSPH, tension); all leave pressure in Pa, and the velocity in
// `motion`.
void shoal_water_explicit(shoal_water* water);   // Tait
void shoal_water_predictive(shoal_water* water); // PCISPH
void shoal_water_solenoidal(shoal_water* water); // DFSPH: density, and the divergence-free solve, without the forces
void shoal_water_incompressible(shoal_water* water); // DFSPH: the constant-density solve, after it
// Gravity, viscosity, XSPH and tension alone, into `motion`; for a pressure of the solver's own. After `weigh`.
void shoal_water_drive(shoal_water* water);
// Velocities are final from here on; compression moves places alone where there is no room to expand.
void shoal_water_shift(shoal_water* water);

// The largest substep that speeds, forces, viscosity, tension and, for wcsph, sound allow, s.
double shoal_water_dt(const shoal_water* water, shoal_water_method method);
// By how much to shorten it where pcisph or dfsph left more than their tolerance last: what solves do not foresee,
// mostly neighbours that come into reach, grows with the square of the step. From the field `density`.
double shoal_water_care(shoal_water* water, shoal_water_method method);
// Adds the impulses of this substep to those of each collider, N s. After `advance`.
shoal_status shoal_water_load(shoal_water* water, shoal_water_force* by_collider);

// Tables that a device must have, in addition to those of images and thick liquids.
extern const shoal_passes shoal_water_passes, shoal_boundary_passes, shoal_load_passes;
void shoal_water_run(const shoal_water_view* view, const shoal_exec* exec, shoal_isa_kind isa, shoal_water_pass pass);

#endif
