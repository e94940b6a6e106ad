// SPDX-License-Identifier: MIT
// What a scene says, as plain structs: made once from the tree of keys, then only read. The constants and
// the state of a simulation are derived from it (see sim/).
#ifndef SHOAL_DESCRIPTION_H
#define SHOAL_DESCRIPTION_H

#include "geom/shape.h"
#include "param/param.h"

enum { SHOAL_NAME_SIZE = 64 };

typedef enum shoal_wall_kind {
    SHOAL_WALL_OPEN,     // no wall
    SHOAL_WALL_SLIP,     // closed, no friction
    SHOAL_WALL_STICK,    // closed, moves with nothing
    SHOAL_WALL_FRICTION, // closed, Coulomb friction
    SHOAL_WALL_PERIODIC, // what leaves here comes in at the opposite side
    SHOAL_WALL_DEFAULT   // slip for liquids, the material's boundary_friction for sand
} shoal_wall_kind;

typedef struct shoal_wall {
    shoal_wall_kind kind;
    float           friction;
} shoal_wall;

// Order of walls: 2 * axis + (0 at min, 1 at max).
enum { SHOAL_LEFT, SHOAL_RIGHT, SHOAL_BOTTOM, SHOAL_TOP, SHOAL_BACK, SHOAL_FRONT, SHOAL_WALL_COUNT };

typedef struct shoal_domain {
    bool       is_given; // without a domain there are no walls and the lattice is anchored at the origin
    shoal_d3   min, max;
    shoal_wall walls[SHOAL_WALL_COUNT];
} shoal_domain;

#define SHOAL_MATERIAL_KINDS(W, P) W(SHOAL, LIQUID, "liquid") W(SHOAL, GRANULAR, "granular")
typedef enum shoal_material_kind { SHOAL_MATERIAL_KINDS(SHOAL_WORD_NUMBER, ) } shoal_material_kind;
enum { SHOAL_KIND_COUNT = 2 };

// One meaning everywhere; a solver takes what it knows.
typedef struct shoal_material {
    char                name[SHOAL_NAME_SIZE];
    shoal_material_kind kind;
    float               density;           // kg/m^3; sand: bulk, as poured
    float               viscosity;         // Pa s
    float               surface_tension;   // N/m
    float               packing;           // sand: solid fraction; grain density = density / packing
    float               friction_angle;    // degrees
    float               boundary_friction; // sand against walls
    float               cohesion;          // Pa
    float               grain_size;        // m; 0: not given
    float               wetness;           // sand: water in it at the start; 1 fills its pores
    float               porosity;          // sand: fraction of pores at rest; 0: by packing
    float               permeability;      // m^2; 0: by grain size
    float               capillary_height;  // m; 0: by grain size
    float               cohesion_wet;      // sand of the ideal saturation, Pa; 0: by grain size
    float               ideal_saturation;  // at which wet sand holds together best
    float               mud_friction;      // fraction of its friction that full pores leave
    float               mud_viscosity;     // where pores are full, Pa s
    float               stickiness;        // how it holds to solids, over its cohesion
    float               spacing_fraction;  // distance of its particles over the scene's spacing; 0: the same
    bool                is_at_walls;       // its particles may start right at a solid; others keep half a spacing off
    float               spread;            // of packed bodies: radii lie evenly within this fraction about the mean
    bool                is_continuum;      // packed bodies are points of a continuum: one to a cube of their distance
    float               number;            // of its particles in a cube of their distance, at rest; 0: one
    bool                is_used; // there is some, or will be: of a body, an emitter or a caller. Others decide nothing
} shoal_material;

// How the particles of a body lie at the start.
typedef enum shoal_arrangement { SHOAL_LATTICE, SHOAL_RANDOM } shoal_arrangement;

typedef struct shoal_body {
    int               material;
    shoal_shape*      shape; // placed in the world
    shoal_v3          velocity;
    shoal_v3          spin;        // rad/s about the centre of its box
    shoal_arrangement arrangement; // random: a settled packing of spheres, by solvers that know it
    bool              is_fixed;    // stays where it is, by solvers that know it
} shoal_body;

// Where a moving thing is at a time; between keys position is linear and rotation turns at constant rate
// (rotate: {axis, degrees}, so that more than half a turn is possible).
typedef struct shoal_motion_key {
    double   t; // s
    shoal_d3 at;
    shoal_d3 axis;    // unit
    double   degrees; // about axis, from the shape as given
} shoal_motion_key;

typedef struct shoal_obstacle {
    char              name[SHOAL_NAME_SIZE]; // "obstacles.0" or the given name
    shoal_shape*      shape;    // placed by scale/rotate/at when still; in its own frame when it has motion
    float             friction; // Coulomb
    bool              is_sticky;
    bool              is_movable; // by callers; it has a key then
    int               key_count;  // 0: does not move
    shoal_motion_key* keys;       // t increasing
} shoal_obstacle;

bool shoal_obstacle_is_named(const shoal_obstacle* obstacle); // by the scene, not by its place in the list

typedef enum shoal_emitter_kind { SHOAL_EMIT_DISC, SHOAL_EMIT_SHAPE, SHOAL_EMIT_RAIN } shoal_emitter_kind;

typedef struct shoal_emitter {
    int                material;
    shoal_emitter_kind kind;
    double             radius; // disc: radius, its axis along the velocity, centre `at`
    shoal_d3           at;
    shoal_shape*       shape;          // SHAPE: refills the lattice sites of this region that are free
    shoal_d3           min, max;       // rain: box in which drops appear at random
    double             rate;           // rain: particles per second
    double             flow, rainfall; // as given, m^3/s and mm/h; INFINITY: not
    shoal_v3           velocity;
    double             from, until; // s; until may be INFINITY
    int                key_count;   // 0: does not move; else place, shape and velocity are those of its own frame
    shoal_motion_key*  keys;        // t increasing
} shoal_emitter;

typedef struct shoal_sink {
    shoal_shape* shape;
} shoal_sink;

// An acceleration in addition to gravity.
typedef struct shoal_force {
    int          material; // -1: all
    shoal_shape* shape;    // NULL: everywhere
    shoal_d3     acceleration;
    double       from, until; // s; until may be INFINITY
} shoal_force;

#define SHOAL_PROBE(W, P) W(P, FRONT, "front") W(P, HEIGHT, "height") W(P, PRESSURE, "pressure")
typedef enum shoal_probe_kind { SHOAL_PROBE(SHOAL_WORD_NUMBER, SHOAL_PROBE) } shoal_probe_kind;

typedef struct shoal_probe {
    char             name[SHOAL_NAME_SIZE];
    shoal_probe_kind kind;
    int              axis; // front: 0 x, 1 y, 2 z
    shoal_d3         at;   // height: x and z count; pressure: the wall point
} shoal_probe;

typedef struct shoal_output {
    int  every;      // write each n-th frame
    int  checkpoint; // frames between checkpoints
    int  field_count;
    char fields[16][SHOAL_NAME_SIZE]; // in addition to id, material, velocity, density
} shoal_output;

typedef struct shoal_description {
    char         name[SHOAL_NAME_SIZE * 4];
    char         solver[SHOAL_NAME_SIZE];
    int          frames;
    double       fps;
    double       spacing; // m
    shoal_d3     gravity; // m/s^2
    double       pushed;  // by a caller's force, while it runs: the most of the last substep, m/s^2
    uint64_t     seed;
    double       far;      // without a domain: how far around the scene particles are kept, m; 0: as it seems fit
    double       jitter;   // of liquids laid on the lattice, spacings
    bool         is_fine;  // quality: fine
    bool         is_ideal; // the solver knows no viscosity
    shoal_domain domain;

    int             material_count, body_count, obstacle_count, emitter_count, sink_count, force_count, probe_count;
    shoal_material* materials;
    shoal_body*     bodies;
    shoal_obstacle* obstacles;
    shoal_emitter*  emitters;
    shoal_sink*     sinks;
    shoal_force*    forces;
    shoal_probe*    probes;
    shoal_output    output;

    void* solver_params; // the struct of the chosen solver's parameter table, filled and checked
} shoal_description;

// Distance of a material's particles at rest, m; that of the scene where the material is unknown, -1.
double shoal_spacing_of(const shoal_description* description, int material);
// Whether a body or an emitter is of a material.
bool shoal_material_comes(const shoal_description* description, int material);
// The first of a kind that is used, or else the first that is listed; 0: there is none.
int shoal_material_first(const shoal_description* description, shoal_material_kind kind);
// Material m, or the first of the kind in the place of one that is of another kind or not used.
const shoal_material* shoal_material_of(const shoal_description* description, int m, shoal_material_kind kind);
// Volume of a material at rest that one of its particles stands for, m^3.
double shoal_volume_of(const shoal_description* description, int material);

// Refuses discs without a direction, and those that would outrun any machine.
shoal_status shoal_disc_check(const shoal_emitter* emitter, double spacing);

// Whether a still obstacle is not the same at both ends of a periodic axis: it has no image there.
bool shoal_obstacle_crosses(const shoal_description* description, const shoal_obstacle* obstacle, int axis);

// Why the boundary_friction of a material acts at no wall: for the list of a solver (shoal_material_use). NULL: it
// does.
const char* shoal_walls_idle(const shoal_description* description, int material);

void shoal_description_free(shoal_description* description); // frees what it points to, not itself

#endif
