// SPDX-License-Identifier: MIT
// Every key of a scene, one list per block. A NaN as default: must be given. An infinite default:
// may be left out.
#ifndef SHOAL_BLOCKS_H
#define SHOAL_BLOCKS_H

#include "param/param.h"
#include "appearance/render_params.h"
#include "appearance/surface_params.h"
#include "state/description.h"

#define SIZE_MIN 1e-6 // m; thinner things are slips of the pen
#define SIZE_MAX_M 1e6
#define FAR 1e6 // m; places

// clang-format off
// Values at 20 degrees C.
//   water: IAPWS R6-95 (density), R12-08 (viscosity), R1-76 (surface tension)
//   oil:   olive oil; Fellows, Food Processing Technology, 2000 (viscosity 84 mPa s); Sahasrabudhe et al., Int. J. Food
//          Properties 20, 2017 (density, surface tension)
//   honey: 17 % water; Krell, FAO Agricultural Services Bulletin 124, 1996 (density, surface tension); viscosity spreads
//          from 2 to 20 Pa s between kinds: Oroian, J. Food Engineering 119, 2013
//   sand:  dry quartz, 2650 kg/m^3 x packing 0.6; friction angle of medium dense sand, Lambe & Whitman, Soil Mechanics, 1969
//   soil:  sandy loam; porosity 0.41, conductivity 106 cm/day, and half saturated at 25 cm above water: Carsel & Parrish, Water
//          Resources Research 24, 1988; friction angle of silty sand, Lambe & Whitman
//   gravel: fine, 2 to 6.3 mm by ISO 14688; friction angle of medium dense gravel, Lambe & Whitman; its water follows from the grains
//   wet:   cohesion by bridges [Rumpf 1962] from the grain size; best at 0.4 of the pores, as the column of Lenaerts & Dutre 2009; soil
//          turns to mud without friction by their law, of the viscosity of mudflows with 0.4 to 0.45 of solids, 1 to 10 Pa s: O'Brien &
//          Julien, J. Hydraulic Engineering 114, 1988
// name, kind, density, viscosity, surface tension, packing, friction angle, boundary friction, cohesion, grain size, permeability,
// capillary height, wet cohesion, ideal saturation, friction and viscosity of mud
#define SCENE_PRESETS(X)                                                                                               \
    X(water,  LIQUID,   998.2,  1.0016e-3, 0.0728, 0.6,  0.0,  0.0, 0.0, 0.0,  0.0,      0.0,  0.0, 0.4, 1.0, 0.0) \
    X(oil,    LIQUID,   911.0,  0.084,     0.032,  0.6,  0.0,  0.0, 0.0, 0.0,  0.0,      0.0,  0.0, 0.4, 1.0, 0.0) \
    X(honey,  LIQUID,   1420.0, 10.0,      0.055,  0.6,  0.0,  0.0, 0.0, 0.0,  0.0,      0.0,  0.0, 0.4, 1.0, 0.0) \
    X(sand,   GRANULAR, 1590.0, 0.0,       0.0,    0.6,  33.0, 0.5, 0.0, 0.0,  0.0,      0.0,  0.0, 0.4, 1.0, 0.0) \
    X(soil,   GRANULAR, 1563.5, 0.0,       0.0,    0.59, 30.0, 0.5, 0.0, 0.0,  1.26e-12, 0.36, 0.0, 0.4, 0.0, 5.0) \
    X(gravel, GRANULAR, 1590.0, 0.0,       0.0,    0.6,  38.0, 0.5, 0.0, 5e-3, 0.0,      0.0,  0.0, 0.4, 1.0, 0.0)
#define SCENE_PRESET_WORD(name, ...) "|" #name
#define SCENE_PRESET_WORDS "none" SCENE_PRESETS(SCENE_PRESET_WORD)

// Water at rest stays so: at 0.02 a tank by sph has 1.1 times the motion of one without jitter after 0.2 s, at 0.05 8 times, at 0.1 60 times,
// since neighbours come so near that pressure throws them apart.
#define JITTER_MOST 0.02

#define SCENE_QUALITY(W, P) W(P, FAST, "fast") W(P, FINE, "fine")
#define SCENE_ARRANGEMENT(W, P) W(P, RANDOM, "random") W(P, LATTICE, "lattice")
SHOAL_WORDS_DECLARE(SCENE_QUALITY)
SHOAL_WORDS_DECLARE(SCENE_ARRANGEMENT)

// name, type, default, min, max, unit, help
#define SCENE_PARAMS(X, S)                                                                                            \
    X(S, name,      OTHER,  0,     0,    0,    "text",       "title; the name of the file when not given")            \
    X(S, solver,    OTHER,  0,     0,    0,    "solver",     "method that simulates it; not given: pbf for liquids, flip for sand and for both") \
    X(S, frames,    INT,    240,   0,    999999, "",         "frames to make after frame 0, the start")               \
    X(S, fps,       DOUBLE, 60,    1e-3, 1e6,  "1/s",        "frames per second")                                     \
    X(S, spacing,   DOUBLE, NAN,   SIZE_MIN, 1000, "m",      "distance of particles at rest; solvers derive their sizes from it") \
    X(S, gravity,   D3,     -9.81, -1e4, 1e4,  "m/s^2",      "acceleration of everything")                            \
    X(S, seed,      INT,    1,     0,    2147483647, "",     "start of all random numbers")                           \
    X(S, jitter,    DOUBLE, 0,     0,    JITTER_MOST, "spacings", "pbf, sph, water of grains: moves each particle of a body off the lattice by up to this much per axis, by `seed`; several seeds show how certain a result is") \
    X(S, far,       DOUBLE, 0,     0,    FAR,  "m",          "without a domain: removes particles farther than this from the box around the scene; 0: with obstacles other than planes 4 times its longest side below it, 20 times elsewhere; else never") \
    X(S, quality,   WORD,   0,     0,    0,    SHOAL_WORDS(SCENE_QUALITY),  "pbf, sph: fine sets `support: 2.5`, `melt: 1` and `mirror: true` unless the scene does; waves then travel, for up to 1.5 times the work") \
    X(S, domain,    OTHER,  0,     0,    0,    "domain",     "the box it happens in; without one there are no walls") \
    X(S, materials, OTHER,  0,     0,    0,    "{material}", "materials by name; presets need not be listed")         \
    X(S, bodies,    OTHER,  0,     0,    0,    "[body]",     "material at the start")                                 \
    X(S, obstacles, OTHER,  0,     0,    0,    "[obstacle]", "solid things, still or moving")                         \
    X(S, emitters,  OTHER,  0,     0,    0,    "[emitter]",  "where material comes in")                               \
    X(S, sinks,     OTHER,  0,     0,    0,    "[sink]",     "where material is taken out")                           \
    X(S, forces,    OTHER,  0,     0,    0,    "[force]",    "accelerations added to gravity, in places and times of their own") \
    X(S, probes,    OTHER,  0,     0,    0,    "[probe]",    "what is measured in every frame")                       \
    X(S, output,    OTHER,  0,     0,    0,    "output",     "what is written and how often")                        \
    X(S, surface,   OTHER,  0,     0,    0,    "surface",    "how `shoal surface` lays a surface around the particles") \
    X(S, render,    OTHER,  0,     0,    0,    "render",     "how `shoal render` makes pictures")

#define SCENE_DOMAIN_PARAMS(X, S)                                                               \
    X(S, min,   D3,    0.0, -FAR, FAR, "m",     "lower corner; the lattice of particles is anchored here") \
    X(S, max,   D3,    NAN, -FAR, FAR, "m",     "upper corner")                                 \
    X(S, walls, OTHER, 0,   0,    0,   "walls", "the six sides")

#define SCENE_WALL_FORM "=open|=slip|=stick|=periodic|wall"
#define SCENE_WALLS_PARAMS(X, S)                                              \
    X(S, left,   OTHER, 0, 0, 0, SCENE_WALL_FORM, "at the smallest x")        \
    X(S, right,  OTHER, 0, 0, 0, SCENE_WALL_FORM, "at the largest x")         \
    X(S, bottom, OTHER, 0, 0, 0, SCENE_WALL_FORM, "at the smallest y")        \
    X(S, top,    OTHER, 0, 0, 0, SCENE_WALL_FORM, "at the largest y")         \
    X(S, back,   OTHER, 0, 0, 0, SCENE_WALL_FORM, "at the smallest z")        \
    X(S, front,  OTHER, 0, 0, 0, SCENE_WALL_FORM, "at the largest z")
#define SCENE_WALL_PARAMS(X, S) X(S, friction, FLOAT, NAN, 0, 10, "", "Coulomb friction against the wall")

#define SCENE_MATERIAL_PARAMS(X, S)                                                                      \
    X(S, preset,            WORD,  0,     0,    0,   SCENE_PRESET_WORDS, "values to start from; a material named like a preset starts from it") \
    X(S, kind,              WORD,  0,     0,    0,   SHOAL_WORDS(SHOAL_MATERIAL_KINDS),  "what it behaves like")         \
    X(S, density,           FLOAT, 1000,  1e-3, 1e5, "kg/m^3", "mass per volume; granular: bulk, as poured") \
    X(S, viscosity,         FLOAT, 0.001, 0,    1e9, "Pa s",   "dynamic viscosity")                      \
    X(S, surface_tension,   FLOAT, 0,     0,    10,  "N/m",    "against air")                            \
    X(S, packing,           FLOAT, 0.6,   0.1,  1,   "",       "granular: solid fraction; grain density = density / packing") \
    X(S, friction_angle,    FLOAT, 0,     0,    80,  "degrees", "granular: contact friction is its tangent") \
    X(S, boundary_friction, FLOAT, 0,     0,    10,  "",       "granular: Coulomb friction against walls") \
    X(S, cohesion,          FLOAT, 0,     0,    1e9, "Pa",     "granular: what holds it together without load") \
    X(S, grain_size,        FLOAT, 0,     0,    1,   "m",      "granular: diameter of real grains; 0: not given") \
    X(S, wetness,           FLOAT, 0,     0,    20,  "",       "granular: water in it at the start; 1 fills the pores") \
    X(S, porosity,          AUTO_FLOAT, 0, 0.05, 0.95, "",     "porous: fraction of pores at rest; auto: what `packing` leaves") \
    X(S, permeability,      AUTO_FLOAT, 0, 1e-18, 1e-5, "m^2", "porous: how easily water passes; auto: by Kozeny and Carman from grain_size, 0.3 mm where that is not given") \
    X(S, capillary_height,  AUTO_FLOAT, 0, 1e-4, 100, "m",     "porous: how high water rises into dry sand; auto: 30 mm^2 over void ratio and grain_size (Terzaghi), 0.3 mm where that is not given") \
    X(S, cohesion_wet,      AUTO_FLOAT, 0, 1e-3, 1e9, "Pa",    "porous: cohesion at the ideal saturation; auto: bridges of water between grains of grain_size (Rumpf), 0.3 mm by default") \
    X(S, ideal_saturation,  FLOAT, 0.4,   0.01, 0.99, "",      "porous: where wet sand holds together best; beyond, it turns to mud") \
    X(S, mud_friction,      FLOAT, 1,     0,    1,   "",       "porous: fraction of the friction left in full sand; 0: none, as in the paper; 1: only pore pressure reduces it") \
    X(S, mud_viscosity,     FLOAT, 0,     0,    1e6, "Pa s",   "porous: viscosity where pores are full; none up to the ideal saturation") \
    X(S, stickiness,        FLOAT, 0,     0,    100, "",       "porous: pull of walls and obstacles on what lies at them, over its cohesion")

#define SCENE_BODY_PARAMS(X, S)                                                                  \
    X(S, material, OTHER, 0, 0,    0,   "text",  "one of materials, or a preset; the first, or water, when not given") \
    X(S, velocity, V3,    0, -1e5, 1e5, "m/s",   "at the start")                                 \
    X(S, spin,     V3,    0, -1e5, 1e5, "rad/s", "turning at the start, about the middle of its box") \
    X(S, arrangement, WORD, 0, 0, 0, SHOAL_WORDS(SCENE_ARRANGEMENT), "sand of `grains` and `porous`: as a settled random packing, or on the lattice, for single grains and trials") \
    X(S, fixed, BOOL, 0, 0, 1, "", "sand of `porous`: it stays where it is, like rock that water passes through")

#define SCENE_OBSTACLE_PARAMS(X, S)                                                              \
    X(S, name,     OTHER, 0, 0, 0,  "text",     "for messages, appearances, and its forces in stats.csv (sph, grains)")  \
    X(S, friction, FLOAT, 0, 0, 10, "",         "Coulomb friction")                              \
    X(S, stick,    BOOL,  0, 0, 1,  "",         "material at its surface moves with it")         \
    X(S, motion,   OTHER, 0, 0, 0,  "[motion]", "where it is when; linear between, still before and after")        \
    X(S, movable,  BOOL,  0, 0, 1,  "",         "the viewer and programs may move it while it runs; those with motion they may anyway")

#define SCENE_MOTION_PARAMS(X, S)                                                                \
    X(S, t,      DOUBLE, NAN, -1e9, 1e9, "s",      "time of this place")                         \
    X(S, at,     D3,     NAN, -FAR, FAR, "m",      "place of its origin")                        \
    X(S, rotate, OTHER,  0,   0,    0,   "rotate", "turn from the shape as given")

#define SCENE_EMITTER_PARAMS(X, S)                                                               \
    X(S, material, OTHER,  0,        0,    0,   "text", "one of materials, or a preset")         \
    X(S, disc,     OTHER,  0,        0,    0,   "disc", "a jet: a round opening at `at`, along the velocity") \
    X(S, rain,     OTHER,  0,        0,    0,   "rain", "single particles at random places of a box") \
    X(S, velocity, V3,     0,        -1e5, 1e5, "m/s",  "of what comes in; with `flow`, of jets and shapes its direction only") \
    X(S, motion,   OTHER,  0,        0,    0,   "[motion]", "of a jet or a shape with a velocity: where it is when, as of an obstacle; turns its velocity, and adds its own") \
    X(S, flow,     DOUBLE, INFINITY, 1e-15, 1e9, "m^3/s", "volume that comes in; when not given, that of the velocity through the opening") \
    X(S, from,     DOUBLE, 0,        0,    1e9, "s",    "when it starts")                        \
    X(S, until,    DOUBLE, INFINITY, 0,    1e9, "s",    "when it ends; never when not given")
#define SCENE_DISC_PARAMS(X, S) X(S, radius, DOUBLE, NAN, SIZE_MIN, SIZE_MAX_M, "m", "of the jet")
#define SCENE_RAIN_PARAMS(X, S)                                                                  \
    X(S, min,  D3,     NAN, -FAR, FAR, "m",   "lower corner of the box")                         \
    X(S, max,  D3,     NAN, -FAR, FAR, "m",   "upper corner of the box")                         \
    X(S, rainfall, DOUBLE, INFINITY, 0, 1e9, "mm/h", "height of water that falls on the ground below the box") \
    X(S, rate, DOUBLE, INFINITY, 0, 1e9, "1/s", "particles per second, whose volume depends on spacing and solver")

#define SCENE_FORCE_PARAMS(X, S)                                                                 \
    X(S, acceleration, D3,     NAN,      -1e4, 1e4, "m/s^2", "of the material within the shape, or of all without one") \
    X(S, material,     OTHER,  0,        0,    0,   "text",  "acts on this one only; on all when not given") \
    X(S, from,         DOUBLE, 0,        0,    1e9, "s",     "when it starts")                    \
    X(S, until,        DOUBLE, INFINITY, 0,    1e9, "s",     "when it ends; never when not given")

#define SCENE_PROBE_PARAMS(X, S)                                                                 \
    X(S, name, OTHER, 0,   0, 0, "text",                  "its column in probes.csv")            \
    X(S, kind, WORD,  NAN, 0, 0, SHOAL_WORDS(SHOAL_PROBE), "how far, how high, or how hard")      \
    X(S, axis, WORD,  0,   0, 0, "x|y|z",                 "front: the way it runs")              \
    X(S, at,   OTHER, 0,   0, 0, "[number]",              "height: [x, z]; pressure: [x, y, z] at a wall")

#define SCENE_OUTPUT_PARAMS(X, S)                                                                \
    X(S, every,      INT,   1,  1, 1000000, "",       "write each n-th frame")                   \
    X(S, checkpoint, INT,   10, 1, 1000000, "",       "frames between checkpoints")              \
    X(S, fields,     OTHER, 0,  0, 0,       "[text]", "fields in addition to those that frames always have: NAME or SET.NAME")

#define SCENE_BOX_PARAMS(X, S)                                                                   \
    X(S, min,  D3, INFINITY, -FAR, FAR, "m", "lower corner")                                     \
    X(S, max,  D3, INFINITY, -FAR, FAR, "m", "upper corner")                                     \
    X(S, size, D3, INFINITY, SIZE_MIN, SIZE_MAX_M, "m", "edges of a box about the origin, instead of min and max")
#define SCENE_SPHERE_PARAMS(X, S) X(S, radius, DOUBLE, NAN, SIZE_MIN, SIZE_MAX_M, "m", "about the origin")
// cylinder, cone and capsule alike
#define SCENE_ROD_PARAMS(X, S)                                                                   \
    X(S, radius, DOUBLE, NAN, SIZE_MIN, SIZE_MAX_M, "m", "about the y axis")                     \
    X(S, height, DOUBLE, NAN, SIZE_MIN, SIZE_MAX_M, "m", "along the y axis; cylinder and capsule are centred, a cone stands on the origin; a capsule's ends come on top")
#define SCENE_TORUS_PARAMS(X, S)                                                                 \
    X(S, ring, DOUBLE, NAN, SIZE_MIN, SIZE_MAX_M, "m", "radius of the ring about the y axis")    \
    X(S, tube, DOUBLE, NAN, SIZE_MIN, SIZE_MAX_M, "m", "radius of the tube")
#define SCENE_PLANE_PARAMS(X, S)                                                                 \
    X(S, normal, D3,     1, -1e6, 1e6, "",  "points out of the solid; any length")               \
    X(S, offset, DOUBLE, 0, -FAR, FAR, "m", "distance of the surface from the origin along the normal")
#define SCENE_ROTATE_PARAMS(X, S)                                                                \
    X(S, axis,    D3,     1,   -1e6, 1e6, "",        "any length; right-handed")                 \
    X(S, degrees, DOUBLE, NAN, -1e6, 1e6, "degrees", "how far")
// clang-format on

SHOAL_PARAMS_DECLARE(scene_params, SCENE_PARAMS)
SHOAL_PARAMS_DECLARE(scene_domain_params, SCENE_DOMAIN_PARAMS)
SHOAL_PARAMS_DECLARE(scene_walls_params, SCENE_WALLS_PARAMS)
SHOAL_PARAMS_DECLARE(scene_wall_params, SCENE_WALL_PARAMS)
SHOAL_PARAMS_DECLARE(scene_material_params, SCENE_MATERIAL_PARAMS)
SHOAL_PARAMS_DECLARE(scene_body_params, SCENE_BODY_PARAMS)
SHOAL_PARAMS_DECLARE(scene_obstacle_params, SCENE_OBSTACLE_PARAMS)
SHOAL_PARAMS_DECLARE(scene_motion_params, SCENE_MOTION_PARAMS)
SHOAL_PARAMS_DECLARE(scene_emitter_params, SCENE_EMITTER_PARAMS)
SHOAL_PARAMS_DECLARE(scene_disc_params, SCENE_DISC_PARAMS)
SHOAL_PARAMS_DECLARE(scene_rain_params, SCENE_RAIN_PARAMS)
SHOAL_PARAMS_DECLARE(scene_force_params, SCENE_FORCE_PARAMS)
SHOAL_PARAMS_DECLARE(scene_probe_params, SCENE_PROBE_PARAMS)
SHOAL_PARAMS_DECLARE(scene_output_params, SCENE_OUTPUT_PARAMS)
SHOAL_PARAMS_DECLARE(scene_box_params, SCENE_BOX_PARAMS)
SHOAL_PARAMS_DECLARE(scene_sphere_params, SCENE_SPHERE_PARAMS)
SHOAL_PARAMS_DECLARE(scene_rod_params, SCENE_ROD_PARAMS)
SHOAL_PARAMS_DECLARE(scene_torus_params, SCENE_TORUS_PARAMS)
SHOAL_PARAMS_DECLARE(scene_plane_params, SCENE_PLANE_PARAMS)
SHOAL_PARAMS_DECLARE(scene_rotate_params, SCENE_ROTATE_PARAMS)

// The keys that place a shape share this struct; the words of shapes themselves are only listed.
typedef struct scene_shape_params {
    shoal_d3 at;
    bool     is_given; // any of the others
} scene_shape_params;
extern const shoal_param_def scene_shape_params_table[];

// scene_params_table with one key more for each solver.
const shoal_param_def* scene_top_table(void);
// The key at a path of `length` bytes, like bodies.0.velocity; NULL: there is none, or it is a place of a list.
const shoal_param_def* shoal_scene_def_at(const char* path, size_t length);

#endif
