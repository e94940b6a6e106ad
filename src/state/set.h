// SPDX-License-Identifier: MIT
// Sets of items (particles, contacts, blocks of a grid, or one item that is there once): one array per field, named in
// a list. Growing, sorting, removing, saving, restoring and showing are done here from the list, so no field can be
// forgotten in one of them.
//
// All fields but scratch have two buffers. The first sort or rebuild of a step writes the second one and swaps, so the
// arrays of the mark stay whole: shoal_set_restore brings them back when a step has failed. A second one in the same
// step goes to `swap`. An item that comes after the mark stands behind all others and is gone with it. What is
// changed where it lies, ahead of the sort, is announced first (shoal_set_keep). Fixed sets are small, and copied at
// the mark.
//
// Places in another set, or in the same one (R1, R3, R4), follow their items: a sort there rewrites them, and a removal
// makes those of removed items -1. A rebuild does not: code that writes a set anew writes the places in it anew.
//
// Where passes run on a device (exec/device.h), each buffer has a far side there, and it is known which is fresh: a
// call for a field here fetches it if it is stale, one that binds it to a pass sends it. No solver has to think of
// it, but pointers are good only until the other side is asked for.
#ifndef SHOAL_SET_H
#define SHOAL_SET_H

#include "exec/exec.h"
#include "math/vec.h"
#include "shoal/sim.h"

struct shoal_device;
struct shoal_parcels;

typedef enum shoal_role {
    SHOAL_STATE,  // kept from step to step, saved, hashed, may be in frames
    SHOAL_OUTPUT, // made anew, saved so that a resumed run shows it, may be in frames
    SHOAL_SCRATCH // one step only
} shoal_role;

// When a STATE or OUTPUT field is in frames without being named in output.fields.
typedef enum shoal_shown { SHOAL_IF_NAMED, SHOAL_ALWAYS, SHOAL_WITH_SAND } shoal_shown;

typedef struct shoal_field_def {
    const char* name; // NULL ends a list
    shoal_type  type;
    shoal_role  role;
    const char* unit;
    const char* help;
    int         width; // values of `type` per item; 0: one
    shoal_shown shown;
} shoal_field_def;

typedef enum shoal_life {
    SHOAL_SORTED,  // points with what every particle has: permuted by cell
    SHOAL_REBUILT, // written anew into the other buffers: contacts, blocks
    SHOAL_FIXED    // its size is set once: one item, or one per collider
} shoal_life;

typedef struct shoal_set_def {
    const char*            name; // NULL ends a list
    shoal_life             life;
    const shoal_field_def* fields; // of a sorted set: in addition to the common ones
    unsigned kinds; // of a sorted set: whose particles live in it, bits 1 << shoal_material_kind; 0: of all
    // The parameter that is the distance of its particles at rest over the scene's spacing, at most 1; NULL: 1.
    const char* spacing;
} shoal_set_def;

// clang-format off
// What every particle has. name, type, role, unit, help
#define SHOAL_PARTICLE_FIELDS(X)                                                 \
    X(id,       I1, SHOWN_STATE, "",    "number given at birth, never reused")   \
    X(material, U1, SHOWN_STATE, "",    "index into the scene's materials")      \
    X(position, V3, SHOWN_STATE, "m",   "where it is")                           \
    X(velocity, V3, SHOWN_STATE, "m/s", "how it moves")                          \
    X(holder,   U1, STATE,       "",    "number of the emitter that still holds it, from 1; 0: none")
// clang-format on

// The roles of the lists: those that are SHOWN are in every frame, those of SAND in the frames of scenes with sand, and
// the others where output.fields names them.
#define SHOAL_ROLE_STATE SHOAL_STATE
#define SHOAL_ROLE_OUTPUT SHOAL_OUTPUT
#define SHOAL_ROLE_SCRATCH SHOAL_SCRATCH
#define SHOAL_ROLE_SHOWN_STATE SHOAL_STATE
#define SHOAL_ROLE_SHOWN_OUTPUT SHOAL_OUTPUT
#define SHOAL_ROLE_SAND_OUTPUT SHOAL_OUTPUT
#define SHOAL_WHEN_STATE SHOAL_IF_NAMED
#define SHOAL_WHEN_OUTPUT SHOAL_IF_NAMED
#define SHOAL_WHEN_SCRATCH SHOAL_IF_NAMED
#define SHOAL_WHEN_SHOWN_STATE SHOAL_ALWAYS
#define SHOAL_WHEN_SHOWN_OUTPUT SHOAL_ALWAYS
#define SHOAL_WHEN_SAND_OUTPUT SHOAL_WITH_SAND
// One row of a list by hand; rows of X lists become it.
#define SHOAL_FIELD(name, type, width, role, unit, help)                                                               \
    { name, SHOAL_##type, SHOAL_ROLE_##role, unit, help, width, SHOAL_WHEN_##role }

#define SHOAL_C_F1 float
#define SHOAL_C_V3 shoal_v3
#define SHOAL_C_V4 shoal_v4
#define SHOAL_C_I1 int32_t
#define SHOAL_C_U1 uint8_t
#define SHOAL_C_D1 double
#define SHOAL_C_D3 shoal_d3
#define SHOAL_C_L1 int64_t
#define SHOAL_C_I3 int32_t
#define SHOAL_C_R3 int32_t
#define SHOAL_C_R4 int32_t
#define SHOAL_C_R1 int32_t
#define SHOAL_C_S6 shoal_s6
#define SHOAL_FIELD_MEMBER(name, type, role, unit, help) SHOAL_C_##type* name;
#define SHOAL_FIELD_ROW(name, type, role, unit, help) SHOAL_FIELD(#name, type, 1, role, unit, help),
#define SHOAL_FIELD_BIND(name, type, role, unit, help) (v)->name = shoal_set_data(set, #name);
// The same for passes that `exec` runs.
#define SHOAL_FIELD_BIND_TO(name, type, role, unit, help) (v)->name = shoal_set_bind(set, exec, #name);

enum { SHOAL_FIELDS_MOST = 80, SHOAL_SETS_MOST = 11 }; // one of the sets is NULL, the end

// The buffers of a field, and its sides.
enum { SHOAL_NOW, SHOAL_BEFORE, SHOAL_SWAP, SHOAL_BUFFER_COUNT };
enum { SHOAL_NEAR = 1, SHOAL_FAR = 2 };

typedef struct shoal_field {
    shoal_field_def def;
    size_t          size;      // of an item, bytes
    void*           data;      // [capacity]
    void*           before;    // not of scratch: the arrays of the mark, or room for the next sort
    void*           swap;      // not of scratch: room for another sort in the same step; NULL until there is one
    void*           marked;    // as it was at the mark, where it is changed ahead of the sort; NULL until it is
    bool            is_marked; // in this step
    void*           far[SHOAL_BUFFER_COUNT];   // of data, before, swap: [far_capacity] on the device; NULL: not yet
    uint8_t         fresh[SHOAL_BUFFER_COUNT]; // bits SHOAL_NEAR, SHOAL_FAR
} shoal_field;

typedef struct shoal_set {
    const char*              name;
    shoal_life               life;
    unsigned                 kinds;    // as in its definition
    int                      count;    // own items [0, count)
    int                      ghosts;   // images across periodic walls follow: [count, count + ghosts)
    int                      capacity; // > count + ghosts always: one spare slot stands for "nobody" (see grid/near.h)
    int                      before_count; // items at the mark
    int                      turned;       // the buffer that holds what the last sort has read
    bool                     has_before;   // the arrays of the mark are in `before`
    struct shoal_set* const* family;       // all sets of the state, ended by NULL; NULL: it stands alone
    int32_t*                 moved;        // [capacity] where its items go, for places in it; NULL: no field has any
    struct shoal_device*     device;       // where passes run on it; NULL: here
    int                      far_capacity; // of the far buffers
    struct shoal_survey*     survey;       // what was asked of it last on the device (set_pass.h); NULL: nothing yet
    int                      field_count;
    shoal_field              fields[SHOAL_FIELDS_MOST];
} shoal_set;

size_t shoal_type_size(shoal_type type);
int    shoal_type_places(shoal_type type); // how many places in a set an item is; 0: it is none
// The k-th field of a set, the common ones of particles first; NULL beyond the last.
const shoal_field_def* shoal_set_field_at(const shoal_set_def* def, int k);
shoal_status           shoal_set_create(const shoal_set_def* def, shoal_set** out);
// Joins the sets of one state, ended by NULL: from now on places in one follow its items.
shoal_status shoal_sets_join(shoal_set* const* sets);
void         shoal_set_destroy(shoal_set* set);
void*        shoal_set_data(const shoal_set* set, const char* name); // for writing; asserts that the field exists
const void*  shoal_set_read(const shoal_set* set, const char* name); // for reading
shoal_field* shoal_set_find(const shoal_set* set, const char* name); // NULL: none
shoal_status shoal_set_reserve(shoal_set* set,
                               int        count); // room for count + 1; grows by half, rebuilt ones by a sixteenth
size_t       shoal_set_bytes_per_particle(const shoal_field_def* own);
size_t       shoal_set_bytes_per_item(const shoal_field_def* list); // of a set that is not sorted
// Marks the state that shoal_set_restore brings back. Called at the start of a step, before emission.
void shoal_set_mark(shoal_set* set);
// Announces that a field will be changed in place before the step's first sort or rebuild. Not for fixed sets.
shoal_status shoal_set_keep(shoal_set* set, const char* name);
// Repeats the sort from the arrays before it: for a step that is repeated from its sort on, on a device.
shoal_status shoal_set_permute_again(shoal_set* set, const shoal_exec* exec, const int* order);
// Swaps the arrays of two scratch fields.
void shoal_set_exchange(shoal_set* set, const char* one, const char* other);
// Undoes all since the mark: sorts, rebuilds, changes of announced fields, new items.
void shoal_set_restore(shoal_set* set);
// Reorders: item k becomes the one that was at order[k]. STATE fields only; the caller recomputes the others.
shoal_status shoal_set_permute(shoal_set* set, const shoal_exec* exec, const int* order);
// Gives a rebuilt set `count` items; the caller writes their STATE. Gives a fixed set its size, all zero, before the
// first step.
shoal_status shoal_set_rebuild(shoal_set* set, int count);
// Appends an item; all other fields are zero, places -1.
shoal_status shoal_set_append(shoal_set* set, int32_t id, int material, shoal_v3 position, shoal_v3 velocity);
// Removes the items with marks[i] != 0 and keeps the order. Places of removed items become -1.
void shoal_set_remove(shoal_set* set, const shoal_exec* exec, const uint8_t* marks);
// From now on passes on the set run on that device. Call it before the first particle.
void shoal_set_move_to(shoal_set* set, struct shoal_device* device);
// For passes that `exec` runs, for writing.
void*       shoal_set_bind(shoal_set* set, const shoal_exec* exec, const char* name);
const void* shoal_field_read(const shoal_set* set, const shoal_field* field); // here, for reading
const void* shoal_field_far(const shoal_set* set, const shoal_field* field);  // on its device; NULL: it is stale there
void*       shoal_field_write(const shoal_set* set, shoal_field* field);      // here, for writing
// Copies a field to `to`. Data on a device is posted (exec/device.h), or fetched if `parcels` is NULL.
void   shoal_field_copy(const shoal_set* set, const shoal_field* field, void* to, struct shoal_parcels* parcels);
void   shoal_field_written(const shoal_set* set, shoal_field* field);   // marks all of it as written here
double shoal_set_fastest(const shoal_set* set, const shoal_exec* exec); // largest speed of all, m/s; 0 of none

#endif
