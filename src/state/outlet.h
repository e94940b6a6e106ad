// SPDX-License-Identifier: MIT
// Where emitters put particles. A stream is a settled sample (settled.h) that is pushed through an
// opening: each of its points goes along a line, comes in where the opening begins on it, and is
// held until it has left the opening.
#ifndef SHOAL_OUTLET_H
#define SHOAL_OUTLET_H

#include "state/world.h"

// Brings a place across periodic walls back into the domain; false where nothing can be: too near
// to a closed wall or a collider. `is_still`: those that move do not count.
bool shoal_place_exists(const shoal_world* world, double spacing, bool is_still, shoal_v3* p);

// The way of one point of the sample.
typedef struct shoal_entry {
    double   when; // how far the sample has gone when the point comes in, m
    shoal_d3 at;   // where
    double   held; // how far the emitter holds it, m
} shoal_entry;

// How the stream of an outlet thins where it is drawn out (outlet_taper.c): a grid over its
// section.
typedef struct shoal_taper_cell {
    bool  is_known;  // in the section, or at its rim
    float end;       // where the opening ends, m along the flow from the origin
    float inward[2]; // velocity along u and w where the stream is drawn out at a rate of 1/s, m/s
} shoal_taper_cell;

typedef struct shoal_taper {
    shoal_d3          u, w, origin;
    double            min[2], size[2]; // where cells begin, and their size, m
    int               count[2];
    double            reach;  // along the flow, on which its pressure evens out: of a disc the radius, m
    double            filled; // sum over the particles of a full stream, that far, of their ways squared, m^2
    shoal_taper_cell* cells;  // [count[0] * count[1]]; NULL: it does not thin
} shoal_taper;

typedef struct shoal_outlet {
    shoal_d3     along;  // unit vector of the flow
    shoal_box    box;    // that holds the opening
    double       period; // after which the entries repeat, m
    int          count;
    shoal_entry* entries; // [count] in the order of `when`
    shoal_taper  taper;
} shoal_outlet;

// Whether an emitter is a stream: discs, and shapes with a velocity.
bool shoal_is_stream(const shoal_emitter* emitter);

// What an opening keeps free beside and behind itself, in spacings of what it sends: closer than that to another
// particle nothing is put.
#define SHOAL_FREE_FRACTION 0.9

// How far discs hold what they send, m: what leaves them has a full support of the solver behind it.
double shoal_outlet_held(const shoal_description* description, double support);

// The emitter in whose opening a place is as the run begins, or in what that keeps free, and which sends another
// material than this; -1: none. There are no bodies of it there: what is in an opening is a part of its stream.
int shoal_opening_at(const shoal_description* description, int material, double held, shoal_d3 place);

// `held`: how far a disc holds what it sends, m; shapes hold what is in them. `seed`: of the
// sample.
shoal_status shoal_outlet_make(const shoal_description* description, const shoal_world* world,
                               const shoal_emitter* emitter, double held, uint64_t seed, shoal_outlet* out);
void         shoal_outlet_free(shoal_outlet* outlet);

// Whether a place is still within the opening of a stream, or pushed back behind it.
bool shoal_outlet_holds(const shoal_emitter* emitter, shoal_d3 along, double held, double spacing, shoal_d3 place);
// How much of the way ahead of a place, at most `most`, is within the opening, m.
double shoal_outlet_way_left(const shoal_emitter* emitter, shoal_d3 along, double held, shoal_d3 place, double most);

// Whether a place is in the opening, or nearer than `clearance` to it but not ahead of its exit; the
// direction of the shortest way out of that, and its length, m.
bool shoal_outlet_way_out(const shoal_emitter* emitter, shoal_d3 along, double held, double clearance, shoal_d3 place,
                          shoal_d3* normal, double* depth);

// Whether a place is before the mouth of an opening, out of which the stream comes: the opening lies behind it against
// the flow, nearer than `most`; how far, m.
bool shoal_outlet_way_back(const shoal_emitter* emitter, shoal_d3 along, double held, shoal_d3 place, double most,
                           double* way);

// Whether a place is ahead of the opening, no farther than the stream's pressure evens out; how
// far, m.
bool shoal_outlet_is_ahead(const shoal_outlet* outlet, shoal_d3 place, double* way);
// The velocity across the flow by which a stream that is drawn out at a rate, 1/s, keeps its
// volume, m/s.
shoal_v3 shoal_outlet_taper(const shoal_outlet* outlet, double rate, shoal_d3 place);

// Two directions across a unit vector, along the axes when it lies along one itself.
void shoal_across(shoal_d3 along, shoal_d3* u, shoal_d3* w);

// Section of a stream across its velocity as far as walls leave it, m^2; 0 where it has none,
// infinite where it has no end.
double shoal_opening_area(const shoal_domain* domain, const shoal_emitter* emitter);

#endif
