// SPDX-License-Identifier: MIT
// What the parts of the step share; inside of tetra/ only.
#ifndef SHOAL_TETRA_LOCAL_H
#define SHOAL_TETRA_LOCAL_H

#include "grid/sparse.h"
#include "mac/mac_solid.h"
#include "mac/mac_transfer.h"
#include "solvers/tetra/tetra.h"
#include "solvers/tetra/tetra_params.h"
#include "tet/clear.h"
#include "tet/flow.h"
#include "tet/projection.h"

// clang-format off
// name, type, role, unit, meaning
#define TETRA_FIELDS(X)                                                                        \
    X(density,  F1, SHOWN_OUTPUT, "kg/m^3", "density from the particles around")                \
    X(pressure, F1, SHOWN_OUTPUT, "Pa", "of the liquid there, above that of the air")           \
    X(affine_x, V3, STATE,  "1/s",    "gradient of the velocity along x")                       \
    X(affine_y, V3, STATE,  "1/s",    "gradient of the velocity along y")                       \
    X(affine_z, V3, STATE,  "1/s",    "gradient of the velocity along z")
#define TETRA_VERTEX_FIELDS(X)                                                                 \
    X(position, V3, SHOWN_OUTPUT, "m",   "where it is")                                         \
    X(velocity, V3, SHOWN_OUTPUT, "m/s", "of the liquid there")                                 \
    X(pressure, F1, SHOWN_OUTPUT, "Pa",  "of the liquid, above that of the air")
#define TETRA_TET_FIELDS(X)                                                                    \
    X(corners,  R4, OUTPUT,       "vertices", "its vertices")                                   \
    X(volume,   F1, SHOWN_OUTPUT, "m^3", "of the tetrahedron")
// clang-format on

enum { TETRA_PARTICLES, TETRA_VERTICES, TETRA_TETS, TETRA_ONCE, TETRA_SETS }; // of the state, in its order

// The lattice. An edge of the finest octants is two nodes long. Particles are sorted by blocks of 4 x 4 x 4 such
// octants, their cells; the same blocks hold the nodes at the low sides of these, 8 x 8 x 8.
enum {
    TETRA_CELLS   = 4,  // along an edge of a block
    TETRA_IN      = 64, // cells of a block
    TETRA_NODES   = 8,
    TETRA_SAMPLES = SHOAL_SPARSE_SAMPLES,
    TETRA_TILE    = SHOAL_SPARSE_RIMMED * SHOAL_SPARSE_RIMMED * SHOAL_SPARSE_RIMMED,
    TETRA_REACH   = 2 // cells around particles whose nodes exist: two nodes of a kernel, and balls beyond them
};

// A distance that is not known is as large, in nodes; solids farther away than TETRA_NEAR do not matter to a node.
#define TETRA_UNKNOWN 10.0f
#define TETRA_NEAR 2.5f
// The level where there is no liquid around, in nodes.
#define TETRA_DRY (-2.0f / 3.0f)

// The solid that a vertex is on; all zero: none.
typedef struct tetra_wall {
    shoal_v3 normal, velocity;
    float    friction; // Coulomb
    bool     is_sticky, drags;
} tetra_wall;

typedef struct tetra {
    shoal_sim_context* ctx;
    tetra_params       params;
    double             edge, node;     // m; of the finest octants, and half of it
    double*            dt_before;      // of the last substep, s; 0: there was none
    double             speed;          // of the fastest particle at the start of the substep, m/s
    shoal_collider *   before, *after; // [colliders] at the start of the substep, and at its end
    shoal_world        begin, end;     // with these
    bool*              is_thin;        // [colliders] thinner than two edges somewhere: particles may come through

    shoal_arena arena; // all that follows, but what meshes own, is of it, and lasts for a substep

    // the lattice
    shoal_sparse nodes;     // values: what particles around have, over what they would have at rest
    int*         first;     // [64 blocks + 1] particles of cell c are [first[c], first[c + 1])
    float*       off;       // [512 blocks] distance to the nearest solid, nodes
    float*       level;     // [512 blocks] depth below the surface of the liquid, nodes; clipped
    float*       even;      // [512 blocks] density as widely as pressure can even it out
    float*       deep;      // [512 blocks] 1: no air is beside the node; 0: there is
    uint8_t*     has_solid; // [blocks] some node is near a solid

    // the mesh
    shoal_stuffing       work;
    shoal_tetmesh        mesh;
    shoal_tet_flow       flow; // to find tetrahedra by
    shoal_tet_projection projection;
    uint8_t *            is_air, *is_wall;   // [vertices]; on the surface at least one of them
    tetra_wall*          wall;               // [vertices]
    double*              pressure;           // [vertices] p dt / density, m^2/s
    float*               outflow;            // [vertices] of shoal_tet_boundary
    shoal_v3 *           mean, *gradient[3]; // [vertices] velocity, and the rows of its gradient
    shoal_v3*            change;             // [vertices] of the velocity by all but gravity
    shoal_v3*            shift;              // [vertices] rate of displacement by density
    double*              volume;             // [tets] m^3
    shoal_v3 *           start, *velocity;   // [tets] gathered from particles; after forces and pressure
    shoal_v3 *           correction, *lost;  // [tets] m/s, moves places alone; scratch of the means
    float*               source;             // [tets] 1/s
    shoal_v3*            came;               // [particles] where they were

    int free_count; // particles that no tetrahedron held in the last substep
} tetra;

// --- tetra_cells.c: particles in the order of their cells, and the blocks around them
shoal_status tetra_sort(tetra* s);
// The values of a block with a rim; `outside` where there is no block.
void tetra_rimmed(const tetra* s, const float* values, float outside, int block, float out[TETRA_TILE]);
// The block that a cell is in; -1: none.
int tetra_block_of(const tetra* s, const int cell[3]);
// The cell that a place is in.
void tetra_cell_of(const tetra* s, shoal_d3 at, int cell[3]);
// Where nodes are.
shoal_d3 tetra_node_place(const tetra* s, int block, int sample);
// Places in the lattice, between nodes: consecutive ones are mostly in the same block.
typedef struct tetra_finder {
    int64_t at[3];
    int     block;
} tetra_finder;
double tetra_sample(const tetra* s, const float* field, shoal_d3 at, double outside, tetra_finder* finder);

// --- tetra_level.c: the surface of the liquid
shoal_status tetra_find_level(tetra* s);
// Signed distance of the nearest solid; NULL: not wanted.
double tetra_off_walls(const shoal_world* world, shoal_d3 at, shoal_d3* normal);
// The nearest collider, where one is nearer than `best`; which is returned where none is.
double tetra_off_colliders(const shoal_world* world, shoal_d3 at, double best, shoal_d3* normal, shoal_d3* velocity);
double tetra_off_solids(const tetra* s, shoal_d3 at, shoal_d3* normal, shoal_d3* velocity);
// tetra_thin.c: what the lattice cannot see
shoal_status tetra_fill_pockets(tetra* s);
shoal_status tetra_add_balls(tetra* s);

// --- tetra_mesh.c: tetrahedra within the surface and outside of solids
shoal_status tetra_make_mesh(tetra* s);

// --- tetra_velocity.c: particles to tetrahedra, and back to vertices
enum { TETRA_GATHERED = 15 };
typedef struct tetra_gather {
    tetra*   s;
    float*   of[TETRA_GATHERED]; // [particles and SHOAL_LANES more] places, velocities, rows of their gradients
    uint8_t* known;              // [tets] there are particles around
} tetra_gather;
#define TETRA_WIDE_LOOP_ROW(kind, name) extern const shoal_block_fn name; // tetra_wide.c
shoal_status tetra_gather_velocities(tetra* s);
shoal_status tetra_find_means(tetra* s, double kick);
// What viscosity does along walls, and inside thick liquids (tetra_thick.c).
void         tetra_drag(tetra* s, double kick);
bool         tetra_is_thick(const shoal_description* description, const tetra_params* params, double speed);
shoal_status tetra_diffuse(tetra* s, double kick);

// --- tetra_solve.c: pressure, and density
shoal_status tetra_project(tetra* s, double dt, double kick);

// --- tetra_move.c: on the particles go
shoal_status tetra_part_pairs(tetra* s);
shoal_status tetra_move(tetra* s, double dt, double kick);
void         tetra_push_out(tetra* s, const shoal_world* world, const shoal_v3* from);

// --- tetra_uses.c: what of a scene it takes
extern const shoal_material_use tetra_material_uses[];
const shoal_material*           tetra_liquid(const shoal_description* description); // that of the first body or emitter
bool                            tetra_holds(const shoal_description* description, const char* phrase);
bool                            tetra_refuses(const shoal_description* description, char* buffer, size_t size);
bool                            tetra_warns(const shoal_description* description, char* buffer, size_t size);
double                          tetra_extra_bytes(const shoal_description* description, double particles);

// --- tetra_pace.c: how long a substep is
shoal_status tetra_plan(void* self, shoal_plan* plan);
double       tetra_kept(const tetra* s, double dt); // fraction of its own velocity that a particle keeps in a substep

#endif
