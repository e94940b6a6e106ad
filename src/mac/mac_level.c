// SPDX-License-Identifier: MIT
// The level set from particles. Around each centre the hat weights count particles; a flat surface at height s cells
// above the centre leaves f(s) = 1/2 + s - s|s|/2 of them, so s is known from f. That costs one more gather, is smooth,
// and has the right volume, which unions of balls have not.
#include "mac/mac_level.h"

#include "mac/mac_sight.h"

// Liquid cells with particles are at least this deep, in cells: a lone particle is liquid.
static const float depth_least = 0.05f;

// With this fraction of its hat outside of solids a cell counts by itself: four particles at rest.
static const float hat_enough = 0.5f;

// ---------------------------------------------------------------------------------- what solids leave of a hat

// The open part of a cell, and its fraction of the hats along each axis around the centre below, its own, and that
// above.
typedef struct opening {
    float fraction, along[3][3];
} opening;

static const float hat[3] = {0.125f, 0.75f, 0.125f}; // those of a whole cell

// What of these hats lies below t, 0 to 1 along the cell.
static void hats_below(float t, float weight, float out[3]) {
    float low = fminf(t, 0.5f), high = fmaxf(t - 0.5f, 0.0f), first = 0.5f * low * (1.0f - low),
          last = 0.5f * high * high;
    out[0] += weight * first;
    out[1] += weight * (t - first - last);
    out[2] += weight * last;
}

// Along an axis the open part of a cell grows from its fraction of the low face to that of the high one. A plane does
// so over a width that its slopes across the axis tell, around the place that gives the cell its volume.
static void spread_along(float low, float high, float fraction, float width, float out[3]) {
    const float even = 1e-3f;
    float       rise = high - low, below[3] = {0.0f, 0.0f, 0.0f};
    if (fabsf(rise) < even) {
        memcpy(out, hat, sizeof hat);
        return;
    }
    float at = fmaxf(fminf((high - fraction) / rise, 1.0f), 0.0f), half = fminf(0.5f * width, fminf(at, 1.0f - at));
    hats_below(at - half, 1.0f / 6.0f, below);
    hats_below(at, 4.0f / 6.0f, below);
    hats_below(at + half, 1.0f / 6.0f, below);
    float all = high - rise * at;
    for (int k = 0; k < 3; k++) out[k] = all > even ? (high * hat[k] - rise * below[k]) / all : hat[k];
}

static opening opening_of(const shoal_mac* m, int at) {
    opening o = {.fraction = at < 0 ? 0.0f : m->fraction[at]};
    float   low[3], high[3], rises = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        memcpy(o.along[axis], hat, sizeof hat);
        int next   = at < 0 ? -1 : shoal_mac_beside(m, at, axis, 1);
        low[axis]  = at < 0 ? 0.0f : m->open[axis][at];
        high[axis] = next < 0 ? low[axis] : m->open[axis][next];
        rises += fabsf(high[axis] - low[axis]);
    }
    for (int axis = 0; axis < 3 && o.fraction > 0.0f && o.fraction < 1.0f; axis++) {
        float rise = fabsf(high[axis] - low[axis]);
        spread_along(low[axis], high[axis], o.fraction, rise > 0.0f ? (rises - rise) / rise : 0.0f, o.along[axis]);
    }
    return o;
}

// What an opening leaves of the hat around the centre of a cell, `way` (-1, 0, 1 along each axis) from which it is.
static float left_of(const opening* o, const int way[3]) {
    return o->fraction * o->along[0][1 - way[0]] * o->along[1][1 - way[1]] * o->along[2][1 - way[2]];
}

// A block's cells and those around it.
static void openings_of(const shoal_mac* m, int block, opening out[SHOAL_MAC_RIMMED_CELLS]) {
    for (int k = 0; k < SHOAL_MAC_RIMMED_CELLS; k++) {
        int place[3] = {k % 10 - 1, k / 10 % 10 - 1, k / 100 - 1}, near = SHOAL_MAC_HERE;
        for (int axis = 0, step = 1; axis < 3; axis++, step *= 3) {
            near += place[axis] < 0 ? -step : place[axis] > 7 ? step : 0;
            place[axis] &= 7;
        }
        int other = m->near[block][near];
        out[k] =
            opening_of(m, other < 0 ? -1 : SHOAL_MAC_SAMPLES * other + shoal_mac_sample(place[0], place[1], place[2]));
    }
}

// How much of the hat around each centre is outside of solids.
static void open_hat(const shoal_mac* m, int block, float out[SHOAL_MAC_SAMPLES]) {
    opening all[SHOAL_MAC_RIMMED_CELLS];
    openings_of(m, block, all);
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        const opening* here = all + ((s >> 6) + 1) * 100 + ((s >> 3 & 7) + 1) * 10 + (s & 7) + 1;
        float          sum  = 0.0f;
        for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
            const int way[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
            sum += left_of(here + way[0] + 10 * way[1] + 100 * way[2], way);
        }
        out[s] = sum;
    }
}

// What a cell leaves of the hat around one that is the node set `own`, `way` from which it is: by what it is where that
// hangs together with the set, or else by its other parts.
static float left_beside(const shoal_mac* m, uint32_t own, int other, const int way[3]) {
    if (mac_thin_joined(own, mac_part_nodes(m, other), way)) {
        opening o = opening_of(m, other);
        return left_of(&o, way);
    }
    float rest = m->has_thin[other >> 9] ? mac_thin_volume(m->open_nodes[other] & ~m->part_nodes[other]) : 0.0f;
    return hat[way[0] + 1] * hat[way[1] + 1] * hat[way[2] + 1] * rest;
}

// The same beside thin solids: nothing of the liquid on their other side.
static float open_hat_of(const shoal_mac* m, int at) {
    float    sum = 0.0f;
    uint32_t own = mac_part_nodes(m, at);
    for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
        int way[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}, other = at;
        for (int axis = 0; axis < 3 && other >= 0; axis++)
            if (way[axis] != 0) other = shoal_mac_beside(m, other, axis, way[axis]);
        if (other >= 0) sum += left_beside(m, own, other, way);
    }
    return sum;
}

static bool is_near_cut(const shoal_mac* m, int at) {
    if (mac_is_cut(m, at)) return true;
    for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
        int way[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}, other = at;
        for (int axis = 0; axis < 3 && other >= 0; axis++)
            if (way[axis] != 0) other = shoal_mac_beside(m, other, axis, way[axis]);
        if (other >= 0 && mac_is_cut(m, other)) return true;
    }
    return false;
}

static float depth_of(float f) {
    if (f < 0.5f) return f > 0.0f ? sqrtf(2.0f * f) - 1.0f : -1.0f;
    return f < 1.0f ? 1.0f - sqrtf(2.0f * (1.0f - f)) : 1.0f;
}

static bool is_open(const shoal_mac* m, int at) {
    for (int axis = 0; axis < 3; axis++) {
        int next = shoal_mac_beside(m, at, axis, 1);
        if (m->open[axis][at] > 0.0f || (next >= 0 && m->open[axis][next] > 0.0f)) return true;
    }
    return false;
}

// Scratch in a block's tile: how much of each hat is outside of solids, and what was counted there.
enum { HATS = 0, COUNTS = SHOAL_MAC_SAMPLES };

static void hat_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    if (!m->has_solid[block]) return;
    float* tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    open_hat(m, block, tile + HATS);
    for (int s = 0; m->has_thin[block] && s < SHOAL_MAC_SAMPLES; s++)
        if (is_near_cut(m, SHOAL_MAC_SAMPLES * block + s))
            tile[HATS + s] = open_hat_of(m, SHOAL_MAC_SAMPLES * block + s);
    memcpy(tile + COUNTS, m->density + SHOAL_MAC_SAMPLES * (size_t)block, SHOAL_MAC_SAMPLES * sizeof(float));
}

// Whether the cell beside hangs together with a cell, as far as thin solids go.
static bool is_joined(const shoal_mac* m, int at, int beside, int n) {
    int way[3] = {0, 0, 0};
    way[n / 2] = n % 2 == 0 ? -1 : 1;
    return !m->has_thin[at >> 9] || mac_thin_joined(mac_part_nodes(m, at), mac_part_nodes(m, beside), way);
}

// Solids count as if they were liquid. Where they leave little of a hat, it holds a particle or none by chance: there a
// liquid counts what is around as well, or cells inside it would be air, from which it spouts.
static void density_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    bool         is_liquid = *(const bool*)ctx;
    const float* tile      = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    if (!m->has_solid[block]) return;
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int   at   = SHOAL_MAC_SAMPLES * block + s;
        float part = tile[HATS + s], count = tile[COUNTS + s], around = 1.0f - part / hat_enough;
        for (int n = 0; (is_liquid || m->fraction[at] > 0.0f) && around > 0.0f && n < 6; n++) {
            int beside = shoal_mac_beside(m, at, n / 2, n % 2 == 0 ? -1 : 1);
            if (beside < 0 || !is_joined(m, at, beside, n)) continue;
            bool         is_clear = !m->has_solid[beside >> 9];
            const float* other    = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)(beside >> 9) + (beside & 511);
            part += around * (is_clear ? 1.0f : other[HATS]);
            count += around * (is_clear ? m->density[beside] : other[COUNTS]);
        }
        m->density[at] = count / fmaxf(part, 0.05f);
    }
}

// Whether a cell with particles, less than half full, lies on liquid: then the surface is below its centre, as its
// density says. Otherwise it is spray: a liquid is one by itself, grains are not.
static bool is_on_liquid(const shoal_mac* m, int at) {
    for (int n = 0; n < 6; n++) {
        int beside = shoal_mac_beside(m, at, n / 2, n % 2 == 0 ? -1 : 1);
        if (beside >= 0 && m->density[beside] > 0.5f && m->fraction[beside] > 0.5f && is_joined(m, at, beside, n))
            return true;
    }
    return false;
}

// Whether a cell on a solid is part of a body of sand that has not met it yet, so that the solid does not press: it is
// not full, a fuller one lies behind it, and few grains are near the solid. The density inside the solid tells these:
// (1 - 2 h)^2 for a gap of h. Sand lands within half a cell of where it is met, so that this decides how it lies in the
// mean: on floors along the grid, from nine heights, with 0.981 to 1.017 of its volume (by the numbers of cut cells,
// whose counts scatter more, 0.994 to 1.024).
static bool is_above_gap(const shoal_mac* m, int at) {
    float full = m->fraction[at] < 1.0f ? 0.85f : 0.88f;
    for (int n = 0; m->density[at] < full && n < 6; n++) {
        int axis = n / 2, way = n % 2 == 0 ? -1 : 1, solid = shoal_mac_beside(m, at, axis, way),
            behind = shoal_mac_beside(m, at, axis, -way);
        int face   = way > 0 ? solid : at;
        if (!((float)way * shoal_v3_axis(m->gravity_direction, axis) > 0.5f) || solid < 0 || behind < 0 ||
            m->open[axis][face] > 0.0f)
            continue;
        if (m->density[behind] > m->density[at] && !shoal_mac_is_met(m, at, solid, axis)) return true;
    }
    return false;
}

// Beside a thin solid there is no cell inside of it that would tell; there particles that lie on it are known.
bool shoal_mac_is_met(const shoal_mac* m, int at, int solid, int axis) {
    if (!m->has_thin[at >> 9] || !(mac_is_cut(m, at) || mac_is_cut(m, solid)))
        return m->density[solid] >= (m->fraction[at] < 1.0f ? 0.5f : 0.56f);
    if (shoal_mac_has(m->touched, at) || shoal_mac_has(m->touched, solid)) return true;
    for (int n = 0; n < 4; n++) {
        int beside = shoal_mac_beside(m, at, (axis + 1 + n / 2) % 3, n % 2 == 0 ? -1 : 1);
        if (beside >= 0 && shoal_mac_has(m->touched, beside)) return true;
    }
    return false;
}

static void level_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_surface surface  = *(const shoal_mac_surface*)ctx;
    bool              is_plain = surface == SHOAL_MAC_MARKED;
    for (int z = 0; z < 8; z++) {
        uint64_t liquid = 0;
        for (int s = 64 * z; s < 64 * (z + 1); s++) {
            int   at        = SHOAL_MAC_SAMPLES * block + s;
            bool  is_marked = shoal_mac_has(m->marked, at);
            float depth     = is_plain ? (is_marked ? 0.5f : -0.5f) : depth_of(m->density[at]);
            if (is_marked && depth < depth_least &&
                (depth > 0.0f || (surface == SHOAL_MAC_GHOST && !is_on_liquid(m, at))))
                depth = depth_least;
            if (surface == SHOAL_MAC_LOOSE && m->has_solid[block] && depth > 0.0f && is_above_gap(m, at))
                depth = -depth_least;
            m->phi[at]     = -depth;
            bool is_liquid = depth > 0.0f && (!m->has_solid[block] || is_open(m, at));
            liquid |= (uint64_t)is_liquid << (s & 63);
        }
        m->liquid[8 * block + z] = liquid;
    }
}

void shoal_mac_count_solids(shoal_mac* m, const shoal_exec* exec, bool is_liquid) {
    shoal_mac_each(m, exec, hat_block, NULL);
    shoal_mac_each(m, exec, density_block, &is_liquid);
}
void shoal_mac_level(shoal_mac* m, const shoal_exec* exec, shoal_mac_surface surface) {
    shoal_mac_each(m, exec, level_block, &surface);
}

void shoal_mac_liquid_faces(const shoal_mac* m, int block, int axis, uint64_t out[8]) {
    shoal_mac_shift(m, m->liquid, block, axis, -1, out);
    for (int z = 0; z < 8; z++) {
        out[z] |= m->liquid[8 * block + z];
        for (uint64_t left = m->has_solid[block] ? out[z] : 0; left; left &= left - 1) {
            int s = 64 * z + __builtin_ctzll(left);
            if (m->open[axis][SHOAL_MAC_SAMPLES * block + s] == 0.0f) out[z] &= ~((uint64_t)1 << (s & 63));
        }
    }
}

static double volume_of(void* ctx, int begin, int end) {
    const shoal_mac* m   = ctx;
    double           sum = 0.0;
    for (int at = begin; at < end; at++) {
        float full = 0.5f - m->phi[at];
        sum += (double)((full < 0.0f ? 0.0f : full > 1.0f ? 1.0f : full) * m->fraction[at]);
    }
    return sum;
}

double shoal_mac_volume(shoal_mac* m, const shoal_exec* exec) {
    double dx = (double)m->def.dx;
    return dx * dx * dx * shoal_sum(exec, SHOAL_MAC_SAMPLES * m->block_count, volume_of, m);
}
