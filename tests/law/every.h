// SPDX-License-Identifier: MIT
// What the laws that hold for every solver ask for: the list of solvers with one row of bounds for each kind of
// material, and scenes of a few hundred particles. SHOAL_SOLVER in the environment asks for one solver.
#ifndef SHOAL_EVERY_H
#define SHOAL_EVERY_H

#include "lab.h"

#include "sim/sim_local.h"

typedef struct bounds {
    const char *solver, *material;
    double fall;     // of free bodies: off the parabola, over g t dt; a step that takes the velocity of its end has 0.5
    double late;     // and their velocity, over g dt; one that is known half a step before the place has 0.5
    double momentum; // of two bodies that meet: change over that of one of them
    double rest;     // fastest of a block that has lain for `settled` seconds, over sqrt(g H)
    double settled;
    double mass; // by how much of it tracking may be off; particles have theirs for ever
    // Way of the centre of mass that momentum does not explain, m: of bodies in flight, of a stream, and where bodies
    // meet walls. Liquid on a mesh has no stream.
    double flown, streamed, thrown;
} bounds;

// Rows of a solver stand together.
static const bounds rows[] = {
    {"pbf", "water", 0.55, 0.0, 1e-6, 0.1, 1.0, 0.0, 1e-6, 1e-6, 1e-6},
    {"sph", "water", 0.55, 0.0, 1e-6, 0.1, 1.0, 0.0, 1e-6, 1e-6, 5e-6},
    {"flip", "water", 0.01, 0.51, 1e-6, 0.05, 1.0, 0.0, 1e-3, 0.04, 0.03},
    {"flip", "sand", 0.01, 0.51, 1e-6, 1e-4, 1.0, 0.0, 3e-4, 0.02, 0.004},
    {"grains", "sand", 0.01, 0.01, 1e-6, 1e-3, 1.0, 0.0, 5e-4, 5e-4, 6e-4},
    {"grains", "water", 0.55, 0.0, 1e-6, 0.1, 1.0, 0.0, 1e-6, 3e-3, 2e-6},
    {"porous", "sand", 0.55, 0.0, 1e-6, 0.03, 1.0, 0.0, 1e-6, 1e-6, 5e-6},
    {"porous", "water", 0.55, 0.0, 1e-6, 0.1, 1.0, 0.0, 1e-6, 1e-6, 5e-6},
    {"minimal", "water", 0.01, 0.0, 1e-6, 1e-6, 1.5, 0.0, 1e-6, 2e-6, 0.015},
    {"minimal", "sand", 0.01, 0.0, 1e-6, 1e-6, 1.5, 0.0, 1e-6, 2e-6, 0.015},
    {"tetra", "water", 0.01, 0.51, 1e-2, 1e-3, 1.0, 0.0, 1e-3, 0.04, 0.03},
    // bodies of eight cells are worn down
    {"tetra-paper", "water", 0.55, 0.01, 0.14, 0.3, 0.25, 0.45, 0.06, 0.0, 0.08},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const double frame = 1.0 / 60.0;

// Those of the solver that was asked for.
static int first_row, end_row = ROWS;

static inline bool is_asked(const char* solver) {
    for (int r = first_row; r < end_row; r++)
        if (strcmp(rows[r].solver, solver) == 0) return true;
    return false;
}

static inline void ask_for(const char* solver) {
    if (!solver) return;
    while (first_row < ROWS && strcmp(rows[first_row].solver, solver) != 0) first_row++;
    for (end_row = first_row; end_row < ROWS && strcmp(rows[end_row].solver, solver) == 0;) end_row++;
    if (first_row == ROWS) {
        fprintf(stderr, "%s has no row\n", solver);
        exit(2);
    }
}

#define HEAD "solver: %s\nspacing: 0.05\nmaterials: {stuff: {preset: %s}}\n"

static const char lying[] =
    HEAD "domain: {max: [0.4, 0.6, 0.4]}\nbodies: [{material: stuff, box: {min: [0, 0, 0], max: [0.4, 0.3, 0.4]}}]\n";

// All that comes and goes and moves: a stream, a sink, a door, a wind.
#define BUSY(walls, sinks)                                                                                             \
    HEAD "domain: {max: [0.8, 0.8, 0.6], walls: {" walls "front: open}}\n"                                             \
         "bodies: [{material: stuff, box: {min: [0, 0, 0], max: [0.4, 0.3, 0.6]}, velocity: [0, -1, -1]}]\n"           \
         "obstacles: [{name: door, box: {min: [0.45, 0, 0], max: [0.55, 0.3, 0.3]}, friction: 0.4, "                   \
         "motion: [{t: 0, at: [0, 0, 0]}, {t: 1, at: [-0.3, 0, 0]}]}]\n"                                               \
         "emitters: [{material: stuff, disc: {radius: 0.12}, at: [0.65, 0.6, 0.3], velocity: [0, -2, 0]}]\n" sinks     \
         "forces: [{acceleration: [1, 0, 2]}]\n"
#define SINK "sinks: [{box: {min: [0, 0, 0.45], max: [0.3, 0.2, 0.6]}}]\n"
static const char busy[] = BUSY("left: periodic, right: periodic, ", SINK);
// For solvers that do without periodic walls and sinks.
static const char busy_between_walls[] = BUSY("", "");

// For solvers that take both kinds: two wet sands and water that meet, round a post that moves between them, on a floor
// that sticks.
static const char muddy[] =
    "solver: %s\nspacing: 0.02\ndomain: {max: [0.32, 0.3, 0.1], walls: {left: periodic, right: periodic, bottom: "
    "stick}}\nmaterials: {stuff: {preset: %s, wetness: 0.8}, clay: {preset: sand, wetness: 1}, water: "
    "{preset: water}}\n"
    "bodies:\n  - {material: stuff, box: {min: [0, 0, 0], max: [0.12, 0.06, 0.1]}}\n"
    "  - {material: clay, box: {min: [0, 0.06, 0], max: [0.12, 0.1, 0.1]}}\n"
    "  - {material: water, box: {min: [0.14, 0, 0], max: [0.2, 0.1, 0.1]}}\n"
    "obstacles: [{name: post, box: {min: [0.12, 0, 0.04], max: [0.14, 0.1, 0.06]}, motion: [{t: 0, at: [0, 0, 0]}, "
    "{t: 1, at: [0.1, 0, 0]}]}]\n"
    "emitters: [{material: water, rain: {min: [0, 0.2, 0], max: [0.3, 0.28, 0.1], rainfall: 3e5}}]\n"
    "sinks: [{box: {min: [0.2, 0, 0], max: [0.3, 0.02, 0.1]}}]\n";

static inline bool takes_mud(const bounds* row) {
    return strcmp(row->material, "sand") == 0 &&
           shoal_solver_find(row->solver)->material_kinds == (1u << SHOAL_LIQUID | 1u << SHOAL_GRANULAR);
}

static inline char* scene_of(const char* form, const bounds* row) {
    static char text[2048];
    if (form == busy && strcmp(row->solver, "tetra-paper") == 0) form = busy_between_walls;
    snprintf(text, sizeof text, form, row->solver, row->material);
    return text;
}

static inline shoal_sim* start(const char* form, const bounds* row, int threads) {
    return lab_sim(scene_of(form, row), (lab_setup){.threads = threads});
}

#endif
