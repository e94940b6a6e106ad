// SPDX-License-Identifier: MIT
// The physics of one grain: springs, dampers and friction of its contacts [Cundall & Strack 1979], rolling resistance
// [Luding 2008], and its motion. Plain; the loop over pairs has a wide twin in grains_wide.c.
//
// Both partners of a contact compute it, each for itself, and each keeps its springs: no grain writes at another's
// place, so any number of threads gives the same bits, and the two forces are opposite to the last one.
//
// A place is the sum of two floats: at rest an overlap is so small that the digits of one would make sand shiver.
#ifndef SHOAL_GRAINS_PASS_H
#define SHOAL_GRAINS_PASS_H

#include "grid/near.h"
#include "solvers/grains/grains_params.h"
#include "state/set.h"
#include "state/world.h"

// clang-format off
// name, type, role, unit, meaning
#define GRAINS_FIELDS(X)                                                                             \
    X(fine,          V3, STATE,  "m",     "what is to be added to the position: digits beyond a float") \
    X(spin,          V3, STATE,  "rad/s", "rotation")                                                \
    X(size,          F1, STATE,  "m",     "radius when dry")                                         \
    X(rank,          F1, STATE,  "",      "where the radius it grows into lies within the spread, -1 to 1") \
    X(radius,        F1, SHOWN_OUTPUT, "m",     "radius, smaller where wet")                               \
    X(contact_first, I1, STATE,  "",      "number of its first kept contact")                        \
    X(contact_count, I1, STATE,  "",      "how many contacts it keeps")                              \
    X(water,         I1, STATE,  "",      "water in it, in quanta; 2^24 of them are wetness 1")      \
    X(wetness,       F1, SAND_OUTPUT, "",      "wetness")                                                 \
    X(state,         U1, OUTPUT, "",      "0 dry, 1 wet, 2 overwet")                                 \
    X(mass,          F1, OUTPUT, "kg",    "mass")                                                    \
    X(coordination,  F1, OUTPUT, "",      "grains and solids it touches")                            \
    X(overlap,       F1, STATE,  "m",     "its deepest contact")                                     \
    X(elastic,       F1, OUTPUT, "J",     "energy of its springs along the normals, and of the pull of its bridges, below 0") \
    X(pending,       I1, STATE,  "",      "water that leaves it, in quanta, until it makes a particle") \
    X(density,       F1, SHOWN_OUTPUT, "kg/m^3", "as poured")

// Of the water among them, in addition to those of SPH (fluid/water.h).
#define GRAINS_AMONG_FIELDS(X)                                                                       \
    X(quanta,        I1, STATE,  "",      "water that it is, in quanta")                             \
    X(fresh,         F1, STATE,  "s",     "how long grains leave it alone")                          \
    X(mass,          F1, OUTPUT, "kg",    "mass")                                                    \
    X(radius,        F1, SHOWN_OUTPUT, "m",     "half the spacing of the water")
// clang-format on

// clang-format off
// What a contact keeps: nothing but this, so a step begins with whatever the one before, or a checkpoint, left. Those of a grain
// lie side by side, in the order of the grains.
#define GRAINS_CONTACT_FIELDS(X)                                                                     \
    X(owner,   I1, STATE, "",  "id of the grain that keeps it")                                      \
    X(partner, I1, STATE, "",  "id of the other; -1 - k: solid k, the six walls first, then the obstacles") \
    X(slide,   V3, STATE, "m", "tangential spring")                                                  \
    X(roll,    V3, STATE, "m", "rolling spring")                                                     \
    X(held,    F1, STATE, "m", "overlap that it was held at")
// clang-format on

typedef struct grains_contacts {
    int count;
    GRAINS_CONTACT_FIELDS(SHOAL_FIELD_MEMBER)
} grains_contacts;

// Contacts that are or may soon be, one slot each. Sixteen grains of a block with about as many contacts are a team:
// their first slots lie side by side, then their second ones, as many rows as the busiest of them needs; gaps hold
// "nobody", so that wide loops need no masks. The slots of grain i are first[i], first[i] + 16, ...: those that touched
// when the list was made come first, then the others by distance, so that whole rows are far. Behind all of them come
// the slots of contacts with solids, those of a grain side by side.
typedef struct grains_lists {
    int       capacity;       // grains
    size_t    slot_capacity;  // slots, whole rows
    uint32_t* first;          // [count]
    uint16_t* count;          // [count] grains that may touch
    uint8_t*  close;          // [count] how many of these touched when the list was made
    int*      member;         // [teams][16] the grains of each team, or "nobody"
    uint32_t* row;            // [teams + 1] first slot of each team over 16
    uint32_t* solid;          // [count] first slot of its solids
    uint8_t*  solids;         // [count] how many of these
    size_t    first_solid;    // the first slot of solids
    size_t    solid_capacity; // slots of solids
    shoal_v3* given;          // [solid_capacity] momentum given to an obstacle in the last substep, kg m/s
    int*      index;          // [slot_capacity] grain or image; solid
    float *   slide, *roll;   // [3 slot_capacity] springs: x of 16 slots, y of 16, z of 16
    float*    held;           // [slot_capacity] m: the deepest overlap that lasted; 0 where nothing presses
    float* wake; // [rows] m: none of it touches before those around have gone so far, its springs are not there; below
                 // 0: it may
    uint8_t* damp;   // [teams] GRAINS_ALL_DRY ...
    uint8_t* wetted; // [blocks] whether a grain of it is damp
    int* around; // [blocks][GRAINS_AROUND + 1] in how many blocks its partners are, and in which; more than fit: in all
    float* path; // [blocks] m: the way of the fastest of these since the lists were made
} grains_lists;

enum { GRAINS_QUANTA = 1 << 24 }; // of water in wetness 1
enum { GRAINS_BLOCK = 128, GRAINS_WALLS = SHOAL_WALL_COUNT, GRAINS_AROUND = 63 };
// A team and all it may touch; the team; or neither.
enum { GRAINS_ALL_DRY, GRAINS_TEAM_DRY, GRAINS_DAMP };

#define GRAINS_EACH_SLOT(lists, i, slot)                                                                               \
    for (size_t slot = (lists).first[i], slot##_end = slot + (size_t)(lists).count[i] * SHOAL_LANES;                   \
         slot < slot##_end; slot += SHOAL_LANES)

// Where the x of a slot's spring is; y and z follow 16 floats behind each other.
SHOAL_FN size_t grains_spring(size_t slot) { return slot / SHOAL_LANES * (3 * SHOAL_LANES) + slot % SHOAL_LANES; }

// A row that may touch has its springs, from nothing.
SHOAL_FN void grains_waken(const grains_lists* l, size_t row) {
    if (l->wake[row] < 0.0f) return;
    l->wake[row] = -1.0f;
    for (size_t k = 3 * SHOAL_LANES * row; k < 3 * SHOAL_LANES * (row + 1); k++) l->slide[k] = l->roll[k] = 0.0f;
    for (size_t k = SHOAL_LANES * row; k < SHOAL_LANES * (row + 1); k++) l->held[k] = 0.0f;
}

// What a slot is held at, m; a row that sleeps has nothing that is held, whatever lies there.
SHOAL_FN float grains_held(const grains_lists* l, size_t slot) {
    return l->wake[slot / SHOAL_LANES] < 0.0f ? l->held[slot] : 0.0f;
}

// What a solid is to grains.
typedef struct grains_solid {
    float friction, rolling;
    bool  is_cut; // one shape by another, so that its distance is too short beside their edge
} grains_solid;

typedef struct grains_view {
    int                 count, nobody;
    const shoal_world*  world;
    const grains_solid* solids;   // [GRAINS_WALLS + colliders]
    float               dt, rate; // s; 1 over it
    float               sleep;    // m: the least distance for which a row is left alone
    double              ahead;    // s: of the step that is left
    shoal_v3            gravity;
    float               k, damping;                // N/m; damping = 2 zeta sqrt(k), to be multiplied by sqrt(m*)
    float               kt, kt_inverse, damping_t; // of the tangential and the rolling spring
    float               rolling;
    bool                rotates, is_wet; // is_wet: some grain is, or may be
    bool                dents; // something may press harder than weight does: contacts keep what they were held at
    float           sinks, yield, full, hard, dent; // fraction per substep; m; m; k of unloading over k; 1 - 1 / hard
    float           mud;                            // friction of mud on solids
    float           damping_most;                   // the most damping of a wet contact over that of a dry one
    float           bridge, pull, gap, gap_inverse, fluid; // over the damping; N over w_f; m; 1/m; w_f
    const shoal_v4 *place, *fine, *speed, *spin; // fourth lane: radius, half a pair's friction, sqrt(mass), 1/mass
    const shoal_v4* outer;                       // force of the water, N; NULL: none
    const shoal_v4* wet; // wetness; 0 where no bridge can be, 1 where a whole one; 1 for sand, 0 for mud
    shoal_v4 *      place_next, *fine_next, *speed_next, *spin_next;
    grains_lists    lists;
    double*         block_speed2;                     // [blocks] of the fastest grain, m^2/s^2
    double*         block_push;                       // [blocks][colliders][3] momentum given to colliders, kg m/s
    float *         coordination, *overlap, *elastic; // [count] filled by grains_gauge
} grains_view;

// One contact as the law sees it; the normal points towards the grain whose force is asked for.
typedef struct grains_touch {
    shoal_v3 normal, slip, roll; // slip: velocity of the grain's surface against the other's, m/s
    float    overlap, root;      // m; sqrt of the effective mass
    float*   held;               // m
    float    friction, rolling;
    float    thick; // eq. 11: times the damping of a dry contact
} grains_touch;

typedef struct grains_answer {
    shoal_v3 force;  // N
    shoal_v3 twist;  // n x tangential force: the torque is -r twist
    shoal_v3 resist; // n x rolling force: the torque is reach resist
} grains_answer;

SHOAL_FN shoal_v3 grains_xyz(shoal_v4 a) { return shoal_v3_make(a.x, a.y, a.z); }

// Spring and damper across the normal, capped by Coulomb's law: F = -(k s + c u), |F| <= cap; the spring gives way, so
// that it never holds more than friction can. What it stores it gives back `stiff` times as stiffly. The springs of 16
// slots lie side by side.
SHOAL_FN shoal_v3 grains_tangential(const grains_view* v, shoal_v3 n, shoal_v3 u, float root, float cap, float stiff,
                                    float* spring) {
    shoal_v3 s      = shoal_v3_make(spring[0], spring[SHOAL_LANES], spring[2 * SHOAL_LANES]);
    s               = shoal_v3_add_scaled(s, u, shoal_v3_dot(s, u) < 0.0f ? stiff * v->dt : v->dt);
    s               = shoal_v3_add_scaled(s, n, -shoal_v3_dot(s, n));
    shoal_v3 f      = shoal_v3_sub(shoal_v3_scale(s, -v->kt), shoal_v3_scale(u, v->damping_t * root));
    float    length = shoal_v3_length(f), q = length > 0.0f ? cap / length : 1.0f, rest = q < 1.0f ? 1.0f - q : 0.0f;
    s                       = shoal_v3_add_scaled(s, f, rest * v->kt_inverse);
    spring[0]               = s.x;
    spring[SHOAL_LANES]     = s.y;
    spring[2 * SHOAL_LANES] = s.z;
    return shoal_v3_scale(f, 1.0f - rest);
}

SHOAL_FN void grains_forget(float* spring) { spring[0] = spring[SHOAL_LANES] = spring[2 * SHOAL_LANES] = 0.0f; }

// How fast a contact closes as its damper sees it. One that has begun within this substep was open for a part of it:
// places are known at the middle of the time for which forces act, so the damper counts from the first touch, overlap /
// speed ago. Otherwise the restitution would depend on where in a substep two grains meet, by 6 % at 0.3.
SHOAL_FN float grains_closing(const grains_view* v, float overlap, float closing) {
    return overlap < closing * v->dt ? overlap * v->rate + 0.5f * closing : closing;
}

// How a contact gives way where something may press harder than weight does [after Walton & Braun 1986, Luding 2008].
// What is held deeper than `yield` is given back `hard` times as stiffly as it was taken, so that a dent stays:
// otherwise sand that a tool has pressed together would rise again behind it. From `full` on grains are as hard when
// they are pressed, and dents grow no more.
//
//   force        /:           from 0 along k; beyond `full` along hard k;
//    over k     / :           held at H, back along k as far as H - yield,
//              /./            then along hard k to the dent, (1 - 1/hard) (H - yield)
//            /  /
//          /___/____ overlap
//
// The springs of sliding and rolling of a dented contact give back as stiffly, since more is stored in them than in its
// own; were they stiffer while they are loaded too, the bed below a sole would be twice as strong. Beyond `full` they
// give way in time: there the load that friction is capped by grows `hard` times as fast as they do, so that they would
// stretch by half a diameter before anything slides, and bring it back. `held` follows the overlap, and these springs
// what they hold on to, in twenty times the time of a collision: collisions leave no dent.
SHOAL_FN float grains_hold(const grains_view* v, float overlap, float held) {
    return overlap > held ? held + (overlap - held) * v->sinks : held;
}

// Of what is held, the part that is given back stiffly, m.
SHOAL_FN float grains_hardening(const grains_view* v, float held) {
    float over = held - v->yield;
    over       = over > 0.0f ? over : 0.0f;
    return over < v->full ? over : v->full;
}

SHOAL_FN void grains_relax_spring(const grains_view* v, float* spring) {
    float history = 1.0f - v->sinks;
    spring[0] *= history;
    spring[SHOAL_LANES] *= history;
    spring[2 * SHOAL_LANES] *= history;
}

// The overlap that a spring of stiffness k would need for the same force, m.
SHOAL_FN float grains_spring_overlap(const grains_view* v, float overlap, float hardening) {
    float beyond = overlap - v->full, taken = overlap + (v->hard - 1.0f) * (beyond > 0.0f ? beyond : 0.0f);
    float given = v->hard * (overlap - v->dent * hardening);
    float least = taken < given ? taken : given;
    return least > 0.0f ? least : 0.0f;
}

// What it gives back, J.
SHOAL_FN float grains_spring_energy(const grains_view* v, float overlap, float held) {
    if (!v->dents) return 0.5f * v->k * overlap * overlap;
    float stiff = grains_hardening(v, held), x = grains_spring_overlap(v, overlap, stiff),
          soft = fminf(fmaxf(x, stiff), v->full);
    return 0.5f * v->k * (soft * soft - stiff * stiff + (x * x - soft * soft + stiff * stiff) / v->hard);
}

// The law of contact; a dry contact never pulls.
SHOAL_FN grains_answer grains_contact(const grains_view* v, const grains_touch* t, float* slide, float* roll) {
    grains_answer a = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    if (!(t->overlap > 0.0f)) {
        grains_forget(slide);
        grains_forget(roll);
        *t->held = 0.0f;
        return a;
    }
    float un   = shoal_v3_dot(t->slip, t->normal);
    float deep = t->overlap, stiff = 1.0f;
    if (v->dents) {
        *t->held        = grains_hold(v, t->overlap, *t->held);
        float hardening = grains_hardening(v, *t->held);
        deep            = grains_spring_overlap(v, t->overlap, hardening);
        stiff           = hardening > 0.0f ? v->hard : 1.0f;
        if (t->overlap > v->full) {
            grains_relax_spring(v, slide);
            grains_relax_spring(v, roll);
        }
    }
    float    normal_force = v->k * deep + v->damping * t->thick * t->root * grains_closing(v, t->overlap, -un);
    shoal_v3 ut           = shoal_v3_add_scaled(t->slip, t->normal, -un);
    if (normal_force < 0.0f) normal_force = 0.0f;
    shoal_v3 tangential = grains_tangential(v, t->normal, ut, t->root, t->friction * normal_force, stiff, slide);
    a.force             = shoal_v3_add_scaled(tangential, t->normal, normal_force);
    a.twist             = shoal_v3_cross(t->normal, tangential);
    if (t->rolling > 0.0f)
        a.resist = shoal_v3_cross(
            t->normal, grains_tangential(v, t->normal, t->roll, t->root, t->rolling * normal_force, stiff, roll));
    return a;
}

// Force and torque on one grain.
typedef struct grains_load {
    shoal_v3 force, torque;
} grains_load;

SHOAL_FN void grains_add(grains_load* load, const grains_answer* a, float radius, float reach) {
    load->force  = shoal_v3_add(load->force, a->force);
    load->torque = shoal_v3_add_scaled(load->torque, a->twist, -radius);
    load->torque = shoal_v3_add_scaled(load->torque, a->resist, reach);
}

// Vector from j to i, and how deep they overlap.
SHOAL_FN shoal_v3 grains_normal(const grains_view* v, int i, int j, float* overlap) {
    shoal_v4 a = v->place[i], b = v->place[j], c = v->fine[i], d = v->fine[j];
    shoal_v3 x = shoal_v3_make((a.x - b.x) + (c.x - d.x), (a.y - b.y) + (c.y - d.y), (a.z - b.z) + (c.z - d.z));
    float    r = shoal_v3_length(x);
    *overlap   = a.w + b.w - r;
    return r > 0.0f ? shoal_v3_scale(x, 1.0f / r) : shoal_v3_make(0.0f, 0.0f, 0.0f);
}

// Bridge of two wet grains, eq. 13 and a constant pull: both weaken with wetness, the pull with the gap as well.
typedef struct grains_bridge {
    float pull, drag; // N; over the damping of a dry contact
} grains_bridge;

// `apart` is the gap, negative where they touch.
SHOAL_FN grains_bridge grains_bridge_of(const grains_view* v, int i, int j, float apart, bool is_parting) {
    grains_bridge none = {0.0f, 0.0f}, b;
    float         both = v->wet[i].y * v->wet[j].y, weak = v->fluid - 0.5f * (v->wet[i].x + v->wet[j].x);
    float         hold = 1.0f - (apart > 0.0f ? apart : 0.0f) * v->gap_inverse;
    if (hold <= 0.0f || both <= 0.0f || weak <= 0.0f) return none;
    b.pull = v->pull * weak * both * hold;
    b.drag = is_parting ? v->bridge * weak * both : 0.0f;
    return b;
}

// What water adds to the dampers of a contact counts as far as a dense pack bears it in this substep: beyond, they
// would throw grains apart that they stop within a few substeps anyway. A bridge resists sideways too and counts twice
// (16 against 8 in the fastest mode of fcc).
SHOAL_FN float grains_damping_limit(const grains_view* v, float thick, float drag) {
    float all = thick + 2.0f * drag;
    return all > v->damping_most ? v->damping_most / all : 1.0f;
}

// Of its pull, which is all that it stores, against a broken bridge, J.
SHOAL_FN float grains_bridge_energy(const grains_view* v, int i, int j, float apart) {
    float way = apart > 0.0f ? 0.5f * (v->gap - apart) : 0.5f * v->gap - apart; // the pull fades evenly over the gap
    return -grains_bridge_of(v, i, j, apart, false).pull * way;
}

SHOAL_FN void grains_pair(const grains_view* v, int i, int j, size_t slot, grains_load* load) {
    size_t       at = grains_spring(slot);
    grains_touch t;
    t.held      = v->lists.held + slot;
    t.normal    = grains_normal(v, i, j, &t.overlap);
    float    ri = v->place[i].w, rj = v->place[j].w, reach = 0.25f * (ri + rj);
    shoal_v3 wi = grains_xyz(v->spin[i]), wj = grains_xyz(v->spin[j]);
    shoal_v3 turning   = shoal_v3_add(shoal_v3_scale(wi, ri), shoal_v3_scale(wj, rj));
    t.slip             = shoal_v3_sub(grains_xyz(v->speed[i]), grains_xyz(v->speed[j]));
    t.slip             = shoal_v3_sub(t.slip, shoal_v3_cross(turning, t.normal));
    t.roll             = shoal_v3_scale(shoal_v3_cross(shoal_v3_sub(wi, wj), t.normal), reach);
    t.root             = 1.0f / sqrtf(v->spin[i].w + v->spin[j].w);
    t.friction         = v->fine[i].w + v->fine[j].w;
    t.rolling          = v->is_wet ? v->rolling * v->wet[i].z * v->wet[j].z : v->rolling;
    t.thick            = 1.0f;
    grains_bridge b    = {0.0f, 0.0f};
    shoal_v3      away = shoal_v3_sub(grains_xyz(v->speed[i]), grains_xyz(v->speed[j]));
    if (v->is_wet) {
        float thick         = 1.0f + (v->wet[i].x + v->wet[j].x);
        b                   = grains_bridge_of(v, i, j, -t.overlap, shoal_v3_dot(away, t.normal) > 0.0f);
        float damping_limit = grains_damping_limit(v, thick, b.drag);
        t.thick             = thick * damping_limit;
        b.drag *= damping_limit;
    }
    grains_answer a = grains_contact(v, &t, v->lists.slide + at, v->lists.roll + at);
    a.force         = shoal_v3_add_scaled(a.force, t.normal, -b.pull);
    a.force         = shoal_v3_add_scaled(a.force, away, -b.drag * v->damping * t.root);
    grains_add(load, &a, ri, reach);
}

// ---------------------------------------------------------------------------------- walls, shapes and meshes

SHOAL_FN shoal_d3 grains_place_of(const grains_view* v, int i) {
    shoal_d3 hi = shoal_d3_from(grains_xyz(v->place[i])), lo = shoal_d3_from(grains_xyz(v->fine[i]));
    return shoal_d3_add(hi, lo);
}

SHOAL_FN float grains_wall_distance(const grains_view* v, int i, int wall, shoal_v3* normal) {
    int   axis = wall / 2;
    float at = shoal_v3_axis(grains_xyz(v->place[i]), axis), lo = shoal_v3_axis(grains_xyz(v->fine[i]), axis);
    *normal = shoal_v3_make(0.0f, 0.0f, 0.0f);
    shoal_v3_set_axis(normal, axis, wall % 2 == 0 ? 1.0f : -1.0f);
    if (wall % 2 == 0) return (at - shoal_v3_axis(v->world->min, axis)) + lo;
    return (shoal_v3_axis(v->world->max, axis) - at) - lo;
}

// Where one shape is cut by another the distance to what is left is the greater of theirs, which beside the edge is
// that to a face that ends before: grains would rest on the air in front of a hole, by up to a radius. Then the foot of
// the normal is outside of the other face, `past` it, and the edge of the two is as far on along the first one as their
// angle says; exact for planes.
SHOAL_FN double grains_edge_distance(const shoal_collider* collider, shoal_d3 p, double distance, shoal_d3* normal) {
    const double smooth = 0.9; // cosine of faces that are one
    shoal_d3     foot   = shoal_d3_sub(p, shoal_d3_scale(*normal, distance)), other;
    double       past = shoal_collider_distance(collider, foot, &other), along = shoal_d3_dot(*normal, other);
    if (!(past > 1e-4 * distance) || along > smooth) return distance;
    shoal_d3 across = shoal_d3_sub(other, shoal_d3_scale(*normal, along));
    shoal_d3 edge   = shoal_d3_sub(foot, shoal_d3_scale(across, past / fmax(1.0 - along * along, 1e-3)));
    shoal_d3 out    = shoal_d3_sub(p, edge);
    double   length = shoal_d3_length(out);
    *normal         = shoal_d3_scale(out, 1.0 / length);
    return length;
}

// Distance of the grain's centre to a solid, and its outward normal.
SHOAL_FN float grains_solid_distance(const grains_view* v, int i, int solid, shoal_v3* normal) {
    if (solid < GRAINS_WALLS) return grains_wall_distance(v, i, solid, normal);
    const shoal_collider* collider = &v->world->colliders[solid - GRAINS_WALLS];
    shoal_d3              p        = grains_place_of(v, i), out;
    double                distance = shoal_collider_distance(collider, p, &out);
    if (v->solids[solid].is_cut && distance > 0.0 && distance < (double)v->place[i].w)
        distance = grains_edge_distance(collider, p, distance, &out);
    *normal = shoal_v3_from(out);
    return (float)distance;
}

// The solids that may touch grain i while the lists live, at most 16.
SHOAL_FN int grains_solids_near(const grains_view* v, int i, float margin, int* out) {
    int      count = 0;
    shoal_v3 normal;
    float    reach = v->place[i].w + margin;
    for (int wall = 0; wall < GRAINS_WALLS; wall++)
        if (v->world->is_closed[wall] && grains_wall_distance(v, i, wall, &normal) < reach) out[count++] = wall;
    for (int c = 0; c < v->world->collider_count && count < SHOAL_LANES; c++) {
        const shoal_collider* collider = &v->world->colliders[c];
        shoal_d3              p        = grains_place_of(v, i);
        double                far      = (double)reach;
        if (collider->moves) far += 2.0 * v->ahead * shoal_d3_length(shoal_collider_velocity(collider, p));
        if (shoal_box_holds(shoal_box_grown(collider->bounds, far), p) &&
            (double)grains_solid_distance(v, i, GRAINS_WALLS + c, &normal) < far)
            out[count++] = GRAINS_WALLS + c;
    }
    return count;
}

// The k-th solid of grain i's list.
SHOAL_FN int grains_solid_of(const grains_view* v, int i, int k) {
    return v->lists.index[v->lists.solid[i] + (size_t)k];
}

// Walls win: what an obstacle has pressed through one is put back with its centre on it.
SHOAL_FN void grains_stay_inside(const grains_view* v, int i) {
    for (int k = 0; k < v->lists.solids[i] && grains_solid_of(v, i, k) < GRAINS_WALLS; k++) {
        int       wall = grains_solid_of(v, i, k), axis = wall / 2;
        shoal_v4 *x = &v->place_next[i], *lo = &v->fine_next[i], *u = &v->speed_next[i];
        shoal_v3  at = grains_xyz(*x), fine = grains_xyz(*lo), speed = grains_xyz(*u);
        float     out = wall % 2 == 0 ? -1.0f : 1.0f,
              rim     = shoal_v3_axis(wall % 2 == 0 ? v->world->min : v->world->max, axis);
        if (!(out * ((shoal_v3_axis(at, axis) - rim) + shoal_v3_axis(fine, axis)) > 0.0f)) continue;
        shoal_v3_set_axis(&at, axis, rim);
        shoal_v3_set_axis(&fine, axis, 0.0f);
        if (out * shoal_v3_axis(speed, axis) > 0.0f) shoal_v3_set_axis(&speed, axis, 0.0f);
        x->x = at.x, x->y = at.y, x->z = at.z;
        lo->x = fine.x, lo->y = fine.y, lo->z = fine.z;
        u->x = speed.x, u->y = speed.y, u->z = speed.z;
    }
}

// Contacts with walls and obstacles; what obstacles are given is noted beside, and added up by grains_feel.
SHOAL_FN void grains_touch_solids(const grains_view* v, int i, grains_load* load) {
    float    radius = v->place[i].w;
    shoal_v3 spin   = grains_xyz(v->spin[i]);
    for (int k = 0; k < v->lists.solids[i]; k++) {
        int          solid = grains_solid_of(v, i, k);
        grains_touch t;
        t.overlap    = radius - grains_solid_distance(v, i, solid, &t.normal);
        t.slip       = grains_xyz(v->speed[i]);
        int collider = solid - GRAINS_WALLS;
        if (collider >= 0 && v->world->colliders[collider].moves)
            t.slip = shoal_v3_sub(
                t.slip, shoal_v3_from(shoal_collider_velocity(&v->world->colliders[collider], grains_place_of(v, i))));
        shoal_v3 turning = shoal_v3_cross(spin, t.normal);
        t.slip           = shoal_v3_add_scaled(t.slip, turning, -radius);
        t.roll           = shoal_v3_scale(turning, radius);
        t.root           = v->speed[i].w;
        t.thick          = v->is_wet ? fminf(1.0f + v->wet[i].x, v->damping_most) : 1.0f;
        t.friction       = v->solids[solid].friction;
        t.rolling        = v->solids[solid].rolling;
        if (v->is_wet) { // mud slips
            float firm = v->wet[i].z, mud = fminf(v->mud, t.friction);
            t.friction = firm * t.friction + (1.0f - firm) * mud;
            t.rolling *= firm;
        }
        size_t slot = (size_t)v->lists.solid[i] + (size_t)k, at = grains_spring(slot);
        t.held          = v->lists.held + slot;
        grains_answer a = grains_contact(v, &t, v->lists.slide + at, v->lists.roll + at);
        grains_add(load, &a, radius, radius);
        if (collider >= 0) v->lists.given[slot - v->lists.first_solid] = shoal_v3_scale(a.force, v->dt);
    }
}

// Momentum that the grains of a block have given to an obstacle in this substep is added to what they gave before, in
// their order.
SHOAL_FN void grains_feel(const grains_view* v, int block) {
    int     colliders = v->world->collider_count, begin = block * GRAINS_BLOCK, left = v->count - begin;
    double* push = v->block_push + (size_t)block * 3 * (size_t)colliders;
    for (int p = begin; p < begin + (left < GRAINS_BLOCK ? left : GRAINS_BLOCK); p++) {
        int i = v->lists.member[p];
        for (int k = 0; k < v->lists.solids[i]; k++) {
            int collider = grains_solid_of(v, i, k) - GRAINS_WALLS;
            if (collider < 0) continue;
            shoal_v3 given = v->lists.given[v->lists.solid[i] + (size_t)k - v->lists.first_solid];
            double*  sum   = push + 3 * (size_t)collider;
            sum[0] -= (double)given.x;
            sum[1] -= (double)given.y;
            sum[2] -= (double)given.z;
        }
    }
}

// ---------------------------------------------------------------------------------- motion

// Symplectic: first the velocity, then the place. Returns the square of the speed.
SHOAL_FN float grains_move(const grains_view* v, int i, grains_load load) {
    if (v->lists.solids[i]) grains_touch_solids(v, i, &load);
    if (v->outer) load.force = shoal_v3_add(load.force, grains_xyz(v->outer[i]));
    shoal_v4 x = v->place[i], lo = v->fine[i], u = v->speed[i], w = v->spin[i];
    float    per_mass = v->dt * w.w, per_inertia = v->rotates ? 2.5f * per_mass / (x.w * x.w) : 0.0f;
    u.x += load.force.x * per_mass + v->gravity.x * v->dt;
    u.y += load.force.y * per_mass + v->gravity.y * v->dt;
    u.z += load.force.z * per_mass + v->gravity.z * v->dt;
    w.x += load.torque.x * per_inertia;
    w.y += load.torque.y * per_inertia;
    w.z += load.torque.z * per_inertia;

    // what the float of the place cannot take stays in the fine one
    shoal_v4 to = x;
    lo.x += u.x * v->dt, to.x += lo.x, lo.x -= to.x - x.x;
    lo.y += u.y * v->dt, to.y += lo.y, lo.y -= to.y - x.y;
    lo.z += u.z * v->dt, to.z += lo.z, lo.z -= to.z - x.z;
    v->place_next[i] = to;
    v->fine_next[i]  = lo;
    v->speed_next[i] = u;
    v->spin_next[i]  = w;
    if (v->lists.solids[i]) grains_stay_inside(v, i);
    return u.x * u.x + u.y * u.y + u.z * u.z;
}

// Forces on grain i from everyone's state, its state at the end of the substep.
SHOAL_FN float grains_advance(const grains_view* v, int i) {
    grains_load load = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    GRAINS_EACH_SLOT(v->lists, i, slot) grains_pair(v, i, v->lists.index[slot], slot, &load);
    return grains_move(v, i, load);
}

// Touching grains, deepest overlap and energy of the springs, for the fields; once per step.
SHOAL_FN void grains_gauge(const grains_view* v, int i) {
    float touching = 0.0f, deepest = 0.0f, energy = 0.0f;
    GRAINS_EACH_SLOT(v->lists, i, slot) {
        float overlap;
        int   j = v->lists.index[slot];
        grains_normal(v, i, j, &overlap);
        if (v->is_wet) energy += 0.5f * grains_bridge_energy(v, i, j, -overlap); // the other half is the partner's
        if (overlap <= 0.0f) continue;
        touching += 1.0f;
        deepest = fmaxf(deepest, overlap);
        energy += 0.5f * grains_spring_energy(v, overlap, grains_held(&v->lists, slot));
    }
    for (int k = 0; k < v->lists.solids[i]; k++) {
        shoal_v3 normal;
        float    overlap = v->place[i].w - grains_solid_distance(v, i, grains_solid_of(v, i, k), &normal);
        if (overlap <= 0.0f) continue;
        touching += 1.0f;
        deepest = fmaxf(deepest, overlap);
        energy += grains_spring_energy(v, overlap, v->lists.held[v->lists.solid[i] + (size_t)k]);
    }
    v->coordination[i] = touching;
    v->overlap[i]      = deepest;
    v->elastic[i]      = energy;
}

#endif
