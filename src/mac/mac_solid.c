// SPDX-License-Identifier: MIT
// Solids as distances at the corners of cells, and fractions of faces and volumes; what they do to velocities is in
// mac_constrain.c.
#include "mac/mac_solid.h"

#include <math.h>
#include <string.h>

#include "grid/fraction.h"
#include "mac/mac_corner.h"
#include "mac/mac_dead_ends.h"
#include "mac/mac_level.h"
#include "mac/mac_sight.h"

// Corners exactly on a wall count as inside: walls are this much thicker, in cells.
static const float hair = 1e-4f;
// Open fractions below are closed (tiny ones make the system stiff for nothing), those above 1 - `nearly` whole. Where
// a groove crosses the grid, each fraction that is closed is a bump to what slides along it: by 0.02 sand on a smooth
// chute that is turned was held by 0.19 of its weight.
static const float least_fraction = 1e-3f, nearly = 1e-3f;
// Of its speed: what a solid has across its surface beyond this is no rounding, and it moves away from there.
static const double leaving = 1e-3;
// Nothing is near a solid at this many cells or more, nor is anything open near a place so deep inside of one.
static const float far_away = 3.0f, deep = 2.0f;

// ---------------------------------------------------------------------------------- distances at corners

typedef struct solids {
    const shoal_world* world;
    const shoal_v3*    position; // of the particles
} solids;

static shoal_box box_of(const shoal_mac* m, int block, double rim) {
    shoal_v3  low = shoal_mac_place(m, SHOAL_MAC_SAMPLES * block, 0.0f, 0.0f, 0.0f);
    double    dx  = (double)m->def.dx;
    shoal_box box = {shoal_d3_from(low), shoal_d3_add(shoal_d3_from(low), shoal_d3_make(8.0 * dx, 8.0 * dx, 8.0 * dx))};
    return shoal_box_grown(box, rim);
}

// Walls along one axis: whether the plane below each cell is free, and how much of the cell is.
typedef struct wall_row {
    float face[8], cell[8];
    bool  is_near;
} wall_row;

static wall_row wall_row_of(const shoal_world* world, const shoal_mac* m, int block, int axis) {
    double   dx = (double)m->def.dx, first = (double)shoal_v3_axis(m->def.origin, axis) / dx + m->corner[block][axis];
    double   low = (double)-INFINITY, high = (double)INFINITY;
    wall_row row;
    if (world->is_closed[2 * axis]) low = shoal_d3_axis(world->domain.min, axis) / dx - first;
    if (world->is_closed[2 * axis + 1]) high = shoal_d3_axis(world->domain.max, axis) / dx - first;
    for (int k = 0; k < 8; k++) {
        double part = fmin(high, k + 1.0) - fmax(low, k);
        row.face[k] = k > low + (double)hair && k < high - (double)hair ? 1.0f : 0.0f;
        row.cell[k] = part < (double)hair ? 0.0f : part > 1.0 - (double)nearly ? 1.0f : (float)part;
    }
    row.is_near = low > -(double)far_away || high < 8.0 + (double)far_away;
    return row;
}

// Distances at the corners of a block's cells, in cells; the colliders that hold them, and the nearest one, as bits
// (from the 32nd on they share one).
typedef struct block_nodes {
    int      colliders; // near the block
    float    distance[SHOAL_MAC_NODES];
    uint32_t inside[SHOAL_MAC_NODES], nearest[SHOAL_MAC_NODES];
} block_nodes;

static void add_collider(const shoal_mac* m, int block, const shoal_world* world, int c, block_nodes* node) {
    double   dx    = (double)m->def.dx;
    shoal_d3 first = shoal_d3_from(shoal_mac_place(m, SHOAL_MAC_SAMPLES * block, 0.0f, 0.0f, 0.0f));
    uint32_t bit   = (uint32_t)1 << (c < 31 ? c : 31);
    for (int z = 0, s = 0; z < 9; z++)
        for (int y = 0; y < 9; y++)
            for (int x = 0; x < 9; x++, s++) {
                shoal_d3 p        = shoal_d3_add(first, shoal_d3_make(x * dx, y * dx, z * dx));
                float    distance = (float)(shoal_collider_distance(&world->colliders[c], p, NULL) / dx) - hair;
                if (distance < 0.0f) node->inside[s] |= bit;
                if (distance >= node->distance[s]) continue;
                node->distance[s] = distance;
                node->nearest[s]  = bit;
            }
}

static float clipped(float open) { return open < least_fraction ? 0.0f : open > 1.0f - nearly ? 1.0f : open; }

// Walls in closed form, so that edges and corners of the domain are exact.
static void wall_fractions(shoal_mac* m, int block, const wall_row row[3]) {
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int at = SHOAL_MAC_SAMPLES * block + s, x = s & 7, y = s >> 3 & 7, z = s >> 6;
        m->open[0][at]  = clipped(row[0].face[x] * row[1].cell[y] * row[2].cell[z]);
        m->open[1][at]  = clipped(row[0].cell[x] * row[1].face[y] * row[2].cell[z]);
        m->open[2][at]  = clipped(row[0].cell[x] * row[1].cell[y] * row[2].face[z]);
        m->fraction[at] = row[0].cell[x] * row[1].cell[y] * row[2].cell[z];
    }
}

// What the colliders leave of a block's cells, in its tile: fractions of low faces; of high ones and their nodes where
// a cell is cut by more than a plane. Then particles: all of a cell, and those in its two largest parts. Then
// velocities of low faces that several solids close together; NAN elsewhere.
enum {
    LOW_FACES  = 0,
    HIGH_FACES = 3 * SHOAL_MAC_SAMPLES,
    FACE_NODES = 6 * SHOAL_MAC_SAMPLES,
    FRACTIONS  = 8 * SHOAL_MAC_SAMPLES,
    COUNT      = 9 * SHOAL_MAC_SAMPLES,
    COUNT_PART = 10 * SHOAL_MAC_SAMPLES,
    MEETING_U  = 12 * SHOAL_MAC_SAMPLES,
    USED       = 15 * SHOAL_MAC_SAMPLES
};
_Static_assert((int)USED <= (int)SHOAL_MAC_TILE, "a tile holds it all");

// High face of a cell that one plane cuts: the cell above knows it by the same corners.
static const float untold = 2.0f;

static void     set_nodes(float* tile, int s, uint64_t open) { memcpy(tile + FACE_NODES + 2 * s, &open, sizeof open); }
static uint64_t nodes_of(const float* tile, int s) {
    uint64_t open;
    memcpy(&open, tile + FACE_NODES + 2 * s, sizeof open);
    return open;
}

static void nodes_of_cell(const shoal_mac* m, const shoal_world* world, int at, mac_thin_nodes* out) {
    double   dx    = (double)m->def.dx;
    shoal_d3 first = shoal_d3_from(shoal_mac_place(m, at, 0.0f, 0.0f, 0.0f));
    for (int k = 0; k < MAC_THIN_NODES; k++) {
        shoal_d3 p = shoal_d3_add(first, shoal_d3_make(0.5 * (k % 3) * dx, 0.5 * (k / 3 % 3) * dx, 0.5 * (k / 9) * dx)),
                 normal = {0.0, 0.0, 0.0};
        double least    = (double)far_away * dx;
        for (int c = 0; c < world->collider_count; c++) {
            shoal_d3 towards;
            if (!shoal_box_holds(shoal_box_grown(world->colliders[c].bounds, 2.0 * dx), p)) continue;
            double distance = shoal_collider_distance(&world->colliders[c], p, &towards);
            if (distance >= least) continue;
            least  = distance;
            normal = towards;
        }
        out->distance[k] = (float)(least / dx) - hair;
        for (int axis = 0; axis < 3; axis++) out->normal[k][axis] = (float)shoal_d3_axis(normal, axis);
    }
}

static void set_fractions(float* tile, int s, const mac_thin* thin) {
    for (int axis = 0; axis < 3; axis++) {
        tile[LOW_FACES + SHOAL_MAC_SAMPLES * axis + s]  = thin->low[axis];
        tile[HIGH_FACES + SHOAL_MAC_SAMPLES * axis + s] = thin->high[axis];
    }
    tile[FRACTIONS + s] = thin->fraction;
    set_nodes(tile, s, thin->open);
}

// A part of a cell that ends at inner edges: by the planes that meet there. False where it does not.
static bool cut_corner(const mac_thin_nodes* nodes, uint32_t part, mac_thin* out) {
    mac_corner corner = mac_corner_of_part(nodes, part);
    if (corner.count == 0) return false;
    out->fraction = mac_corner_volume(&corner);
    for (int axis = 0; axis < 3; axis++) {
        float closed[MAC_CORNER_SOLIDS];
        out->low[axis]  = mac_corner_face(&corner, axis, 0, closed);
        out->high[axis] = mac_corner_face(&corner, axis, 1, closed);
    }
    return true;
}

static void cut_part(const mac_thin_nodes* nodes, uint32_t part, mac_thin* out) {
    mac_thin_of(nodes, part, out);
    cut_corner(nodes, part, out);
}

// What a cell is cut by more than a plane; `open_nodes` receives its nodes outside, `part_nodes` those of its largest
// part.
static void cut_cell(const shoal_mac* m, const shoal_world* world, int at, const float corner[8], mac_thin* out,
                     uint32_t* open_nodes, uint32_t* part_nodes) {
    bool           is_thin = m->has_thin[at >> 9];
    mac_thin_nodes nodes;
    uint32_t       part[MAC_THIN_PARTS] = {0};
    if (!mac_is_bent(corner)) {
        if (is_thin) *open_nodes = *part_nodes = mac_thin_open_nodes_of_corners(corner);
        return;
    }
    nodes_of_cell(m, world, at, &nodes);
    *open_nodes = mac_thin_open_nodes(nodes.distance);
    int count   = mac_thin_parts(*open_nodes, part);
    *part_nodes = part[0];
    // what inner edges bound is one part, though few nodes may be in it
    if (!is_thin && cut_corner(&nodes, *open_nodes, out)) return;
    out->fraction = mac_thin_open(nodes.distance);
    if (is_thin || count > 1) cut_part(&nodes, *part_nodes, out);
}

// Whether one of several solids reaches into a cell that is not far inside.
static bool is_meeting(const block_nodes* node, int first) {
    uint32_t inside = 0, near = 0;
    float    most = -far_away;
    for (int k = 0; k < 8; k++) {
        int n = first + (k & 1) + 9 * (k >> 1 & 1) + 81 * (k >> 2);
        inside |= node->inside[n];
        near |= node->nearest[n];
        most = fmaxf(most, node->distance[n]);
    }
    near |= inside;
    return inside != 0 && (near & (near - 1)) != 0 && most > -deep;
}

// There each solid cuts by itself, and closed faces have the mean velocity of what closes them.
static bool meet(shoal_mac* m, const shoal_world* world, int at, mac_thin* out) {
    mac_corner corner = mac_corner_of(m, world, at, hair);
    float*     u      = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)(at >> 9) + MEETING_U + (at & 511);
    if (corner.count == 0) return false;
    out->fraction = mac_corner_volume(&corner);
    for (int axis = 0; axis < 3; axis++) {
        float    closed[MAC_CORNER_SOLIDS], sum = 0.0f, walls = m->open[axis][at];
        shoal_d3 place = shoal_d3_from(shoal_mac_face(m, at, axis));
        out->low[axis] = mac_corner_face(&corner, axis, 0, closed);
        for (int n = 0; m->moves[at >> 9] && n < corner.count; n++)
            sum += closed[n] * (float)shoal_d3_axis(shoal_collider_velocity(corner.solid[n], place), axis);
        u[SHOAL_MAC_SAMPLES * axis] = walls * sum / fmaxf(1.0f - clipped(walls * out->low[axis]), hair);
    }
    return true;
}

static void collider_fractions(shoal_mac* m, const shoal_world* world, int block, const block_nodes* node) {
    float* tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int          at        = SHOAL_MAC_SAMPLES * block + s;
        int          first     = ((s >> 6) * 9 + (s >> 3 & 7)) * 9 + (s & 7);
        const float* n         = node->distance + first;
        const float  corner[8] = {n[0], n[1], n[9], n[10], n[81], n[82], n[90], n[91]};
        mac_thin thin = {.low  = {shoal_face_open(n[0], n[9], n[90], n[81]), shoal_face_open(n[0], n[1], n[82], n[81]),
                                  shoal_face_open(n[0], n[1], n[10], n[9])},
                         .high = {untold, untold, untold},
                         .open = UINT64_MAX};
        float middle  = 0.125f * (((n[0] + n[1]) + (n[9] + n[10])) + ((n[81] + n[82]) + (n[90] + n[91]))) + 0.5f + hair;
        uint32_t open_nodes = MAC_THIN_ALL, part_nodes = MAC_THIN_ALL;
        thin.fraction = middle < 0.0f ? 0.0f : middle > 1.0f ? 1.0f : middle;
        // moving ones must know which of them closes what
        bool has_met = m->moves[block] && node->colliders > 1 && is_meeting(node, first) && meet(m, world, at, &thin);
        if (!has_met || m->has_thin[block]) cut_cell(m, world, at, corner, &thin, &open_nodes, &part_nodes);
        set_fractions(tile, s, &thin);
        if (!m->has_thin[block]) continue;
        m->open_nodes[at] = open_nodes;
        m->part_nodes[at] = part_nodes;
    }
}

// ---------------------------------------------------------------------------------- which part a divided cell is

// As many particles make a part wet: half of what a cell holds at rest.
static const float wet_enough = 4.0f;

// How many particles there are in each cell, and in each part of those that are divided.
static void count_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const solids* c    = ctx;
    float*        tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    if (!m->has_thin[block]) return;
    for (int i = m->run[block][0]; i < m->run[block][1]; i++) {
        mac_f4   g = mac_local(m, m->corner[block], c->position[i]);
        int      s = shoal_mac_sample((int)g[0], (int)g[1], (int)g[2]), at = SHOAL_MAC_SAMPLES * block + s;
        uint32_t part[MAC_THIN_PARTS];
        tile[COUNT + s] += 1.0f;
        if (m->part_nodes[at] == m->open_nodes[at]) continue;
        int which = mac_sight_part(c->world, (double)m->def.dx, g, c->position[i], part,
                                   mac_thin_parts(m->open_nodes[at], part));
        if (which == 0 || which == 1) tile[COUNT_PART + SHOAL_MAC_SAMPLES * which + s] += 1.0f;
    }
}

// Particles in a part of a cell, and in the cells beside that hang together with it.
static float particles_of(const shoal_mac* m, int at, uint32_t part, int which) {
    const float* tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)(at >> 9);
    float        sum  = tile[COUNT_PART + SHOAL_MAC_SAMPLES * which + (at & 511)];
    for (int n = 0; n < 6; n++) {
        int way[3] = {0, 0, 0}, beside = shoal_mac_beside(m, at, n / 2, way[n / 2] = n % 2 == 0 ? -1 : 1);
        if (beside < 0 || !m->has_thin[beside >> 9] || m->part_nodes[beside] != m->open_nodes[beside]) continue;
        if (mac_thin_joined(part, m->part_nodes[beside], way))
            sum += m->tile[(size_t)SHOAL_MAC_TILE * (size_t)(beside >> 9) + COUNT + (size_t)(beside & 511)];
    }
    return sum;
}

// A cell is its largest part, but for one that is dry where the next is wet. Both sets of nodes stay as they are until
// all have looked.
static void choose_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const solids* c    = ctx;
    float*        tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    if (!m->has_thin[block]) return;
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int            at = SHOAL_MAC_SAMPLES * block + s;
        uint32_t       part[MAC_THIN_PARTS];
        mac_thin_nodes nodes;
        mac_thin       thin;
        tile[COUNT_PART + s] = m->part_nodes[at] != m->open_nodes[at] && mac_thin_parts(m->open_nodes[at], part) > 1 &&
                               particles_of(m, at, part[0], 0) < wet_enough &&
                               particles_of(m, at, part[1], 1) >= wet_enough;
        if (tile[COUNT_PART + s] == 0.0f) continue;
        nodes_of_cell(m, c->world, at, &nodes);
        cut_part(&nodes, part[1], &thin);
        set_fractions(tile, s, &thin);
    }
}

// A face is open as far as both of its cells say, and where it is the same part of each. What one plane leaves of a
// cell is not asked where the cell below is cut by several, which it knows better: in a groove across the grid the
// wrong half of them closed up to 0.09 of a face too much, and pressure stood before such bumps, ten to a hundred times
// what is around.
static void face_fractions(shoal_mac* m, int block) {
    const float* tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    for (int axis = 0; axis < 3; axis++)
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            int      at = SHOAL_MAC_SAMPLES * block + s, below = shoal_mac_beside(m, at, axis, -1);
            float    fraction = tile[LOW_FACES + SHOAL_MAC_SAMPLES * axis + s];
            uint64_t nodes    = mac_thin_face(nodes_of(tile, s), axis, 0);
            if (below >= 0 && m->has_solid[below >> 9] == SHOAL_MAC_HAS_COLLIDER) {
                const float* other = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)(below >> 9);
                float        said  = other[HIGH_FACES + SHOAL_MAC_SAMPLES * axis + (below & 511)];
                bool         knows = tile[HIGH_FACES + SHOAL_MAC_SAMPLES * axis + s] < untold;
                fraction           = knows ? fminf(fraction, said) : said < untold ? said : fraction;
                nodes &= mac_thin_face(nodes_of(other, below & 511), axis, 1);
            }
            m->open[axis][at] = nodes ? clipped(m->open[axis][at] * fraction) : 0.0f;
        }
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) m->fraction[SHOAL_MAC_SAMPLES * block + s] *= tile[FRACTIONS + s];
}

static void solid_velocity(shoal_mac* m, const shoal_world* world, int block) {
    for (int axis = 0; axis < 3; axis++)
        for (int s = SHOAL_MAC_SAMPLES * block; s < SHOAL_MAC_SAMPLES * (block + 1); s++) {
            shoal_touch touch;
            bool        is_near =
                m->open[axis][s] < 1.0f && shoal_touch_at(world, m->kind, shoal_d3_from(shoal_mac_face(m, s, axis)),
                                                          2.0 * (double)m->def.dx, &touch);
            float meeting       = m->tile[(size_t)SHOAL_MAC_TILE * (size_t)block + MEETING_U +
                                    (size_t)(SHOAL_MAC_SAMPLES * axis + (s & 511))];
            m->solid_u[axis][s] = !isnan(meeting) ? meeting
                                  : is_near       ? (float)shoal_d3_axis(touch.velocity, axis)
                                                  : 0.0f;
            if (is_near && shoal_d3_dot(touch.velocity, touch.normal) < -leaving * shoal_d3_length(touch.velocity))
                m->retracts[block] = 1;
        }
}

static void solid_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_world* world = ((solids*)ctx)->world;
    shoal_box          box   = box_of(m, block, 2.0 * (double)m->def.dx);
    wall_row           row[3];
    for (int axis = 0; axis < 3; axis++) row[axis] = wall_row_of(world, m, block, axis);
    wall_fractions(m, block, row);
    m->has_solid[block] = row[0].is_near || row[1].is_near || row[2].is_near ? SHOAL_MAC_HAS_WALL : 0;
    m->moves[block]     = 0;
    m->retracts[block]  = 0;
    m->has_thin[block]  = 0;

    block_nodes node = {.colliders = 0};
    for (int c = 0; c < world->collider_count; c++) {
        if (!shoal_box_meets(box, world->colliders[c].bounds)) continue;
        for (int k = 0; node.colliders == 0 && k < SHOAL_MAC_NODES; k++) node.distance[k] = far_away;
        node.colliders++;
        add_collider(m, block, world, c, &node);
        if (world->colliders[c].moves) m->moves[block] = 1;
        if (world->colliders[c].is_thin) m->has_thin[block] = 1;
    }
    if (node.colliders == 0) return;
    m->has_solid[block] = SHOAL_MAC_HAS_COLLIDER;
    if (m->has_thin[block])
        memset(m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block + COUNT, 0, (MEETING_U - COUNT) * sizeof(float));
    float* meeting = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block + MEETING_U;
    for (int k = 0; m->moves[block] && k < 3 * SHOAL_MAC_SAMPLES; k++) meeting[k] = NAN;
    collider_fractions(m, world, block, &node);
}

static void face_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    for (int s = 0; m->has_thin[block] && s < SHOAL_MAC_SAMPLES; s++) {
        int      at = SHOAL_MAC_SAMPLES * block + s;
        uint32_t part[MAC_THIN_PARTS];
        if (m->tile[(size_t)SHOAL_MAC_TILE * (size_t)block + COUNT_PART + (size_t)s] == 0.0f) continue;
        mac_thin_parts(m->open_nodes[at], part);
        m->part_nodes[at] = part[1];
    }
    if (m->has_solid[block] == SHOAL_MAC_HAS_COLLIDER) face_fractions(m, block);
    if (m->moves[block]) solid_velocity(m, ((solids*)ctx)->world, block);
}

static bool has_thin(const shoal_world* world) {
    for (int c = 0; c < world->collider_count; c++)
        if (world->colliders[c].is_thin) return true;
    return false;
}

void shoal_mac_solids(shoal_mac* m, const shoal_exec* exec, const shoal_world* world, const shoal_v3* position) {
    solids s = {.world = world, .position = position};
    shoal_mac_each(m, exec, solid_block, &s);
    if (position && has_thin(world)) {
        shoal_mac_each_full(m, exec, count_block, &s);
        shoal_mac_each(m, exec, choose_block, &s);
    }
    if (world->collider_count == 0) return;
    shoal_mac_each(m, exec, face_block, &s);
    mac_close_dead_ends(m, exec);
}
