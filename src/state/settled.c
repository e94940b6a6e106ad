// SPDX-License-Identifier: MIT
// Points thrown at random and brought to rest: first pushed apart, pair by pair, until none is
// nearer to another than touching balls, which fill half of the room or, as sand, 0.6 of it, below
// the 0.64 at which they jam; then those of a liquid are moved by the constraint of Position Based
// Fluids [Macklin & Mueller 2013] until none has more neighbours than in the cubic lattice, by
// which the solvers measure what rest is. Only sums, products and roots in a fixed order: the same
// bits everywhere.
#include "state/settled.h"

#include <math.h>

#include "base/hash.h"

static const double apart_liquid  = 1.02,
                    apart_spheres = 1.004; // distance that is pushed for, over that which is wanted
static const double first_apart = 0.85; // of it: the distance grows, so that what was thrown together finds its way out
static const double reach       = 2.0;  // of the density's kernel, (1 - r/reach)^3
static const double margin      = 0.3;  // how much further neighbours are listed, for the rounds until the next listing
static const double at_rest     = 5e-3; // excess of density that is left: a sixth of what the pushing leaves on average
enum {
    ROUNDS_OF_GROWTH = 20,
    PUSHES_MOST      = 200,
    SWEEPS_MOST      = 200,
    ROUNDS_OF_LIST   = 5,
    BLOCK_SIDE       = 8,
    TUBE_LEAST       = 256
};
static const double tube_length = 8.0; // at least

typedef struct settle_job {
    shoal_settled*       s;
    double               touch;           // distance that all are to keep
    bool                 is_liquid;       // rests as one, else as spheres
    double               radius;          // that centres keep within, in a tube
    const shoal_section* section;         // in which points rest again; NULL: a tube or a block
    double               low[2], size[2]; // box of x and y
    int                  cells[3]; // of at least reach + margin; z and, in a block, x and y close upon themselves
    int*                 first;    // [product of cells + 1] into order
    int*                 order;    // [count] points cell by cell
    int*                 place;    // [count] cell of a point
    int*                 begins;   // [count + 1] into near
    int*                 near;     // [near_capacity] neighbours of a point that come after it
    int                  near_capacity;
    double *             density, *slope2, *lambda; // [count]
    shoal_d3*            shift;                     // [count] slopes, then what is to be moved
} settle_job;

static double wrapped(double x, double period) { return x - period * floor(x / period); }

// The way from b to a, the shortest across the seams.
static shoal_d3 way(const shoal_settled* s, shoal_d3 a, shoal_d3 b) {
    shoal_d3 w = shoal_d3_sub(a, b);
    w.z -= s->length * floor(w.z / s->length + 0.5);
    if (s->wide[0] > 0.0) w.x -= s->wide[0] * floor(w.x / s->wide[0] + 0.5);
    if (s->wide[1] > 0.0) w.y -= s->wide[1] * floor(w.y / s->wide[1] + 0.5);
    return w;
}

// Moves a point, but no farther than to the wall of a tube or of a section, and back across the
// seams.
static void move(const settle_job* t, int i, shoal_d3 shift) {
    const shoal_settled* s = t->s;
    shoal_d3             p = shoal_d3_add(s->points[i], shift);
    if (t->section) {
        if (!t->section->moves[i]) return;
        p = t->section->keep(t->section->user, i, s->points[i], p);
    } else if (!(s->wide[0] > 0.0)) {
        double off = sqrt(p.x * p.x + p.y * p.y);
        if (off > t->radius) p.x *= t->radius / off, p.y *= t->radius / off;
    }
    if (s->wide[0] > 0.0) p.x = t->low[0] + wrapped(p.x - t->low[0], s->wide[0]);
    if (s->wide[1] > 0.0) p.y = t->low[1] + wrapped(p.y - t->low[1], s->wide[1]);
    p.z          = wrapped(p.z, s->length);
    s->points[i] = p;
}

// ---------------------------------------------------------------------------------- neighbours

static int cell_of(double x, double low, double size, int count) {
    int c = (int)floor((x - low) / size * count);
    return c < 0 ? 0 : c >= count ? count - 1 : c;
}

static void sort(settle_job* t) {
    const shoal_settled* s   = t->s;
    int                  all = t->cells[0] * t->cells[1] * t->cells[2];
    for (int k = 0; k <= all; k++) t->first[k] = 0;
    for (int i = 0; i < s->count; i++) {
        shoal_d3 p  = s->points[i];
        t->place[i] = (cell_of(p.z, 0.0, s->length, t->cells[2]) * t->cells[1] +
                       cell_of(p.y, t->low[1], t->size[1], t->cells[1])) *
                          t->cells[0] +
                      cell_of(p.x, t->low[0], t->size[0], t->cells[0]);
        t->first[t->place[i]]++;
    }
    for (int k = 0, sum = 0; k <= all; k++) {
        sum += t->first[k];
        t->first[k] = sum;
    }
    for (int i = s->count - 1; i >= 0; i--) t->order[--t->first[t->place[i]]] = i;
}

// The cell beside another, or -1 beyond a wall. A period of one or two cells meets each once only.
static int cell_beside(const settle_job* t, const int at[3], const int step[3]) {
    int place = 0;
    for (int axis = 2; axis >= 0; axis--) {
        int  count = t->cells[axis], k = at[axis] + step[axis];
        bool repeats = axis == 2 || t->s->wide[axis] > 0.0;
        if (!repeats && (k < 0 || k >= count)) return -1;
        if (repeats && count < 3 && step[axis] != 0 && (count == 1 || step[axis] < 0)) return -1;
        place = place * count + (k + count) % count;
    }
    return place;
}

static shoal_status list_near(settle_job* t) {
    const shoal_settled* s     = t->s;
    double               far2  = (reach + margin) * (reach + margin);
    int                  count = 0;
    sort(t);
    for (int i = 0; i < s->count; i++) {
        int own = t->place[i], x = t->cells[0], y = t->cells[1], at[3] = {own % x, own / x % y, own / (x * y)};
        t->begins[i] = count;
        for (int n = 0; n < 27; n++) {
            int cell = cell_beside(t, at, (int[3]){n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1});
            for (int m = cell < 0 ? 0 : t->first[cell]; cell >= 0 && m < t->first[cell + 1]; m++) {
                int j = t->order[m];
                if (j <= i) continue;
                shoal_d3 w = way(s, s->points[i], s->points[j]);
                if (!(shoal_d3_dot(w, w) < far2)) continue;
                if (count == t->near_capacity) {
                    void* near = t->near;
                    SHOAL_TRY(shoal_realloc(&near, (size_t)count, 2 * (size_t)count + 1024, sizeof *t->near));
                    t->near          = near;
                    t->near_capacity = 2 * count + 1024;
                }
                t->near[count++] = j;
            }
        }
    }
    t->begins[s->count] = count;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- apart

// All pairs once, each at once; the nearest that was seen.
static double part_pairs(settle_job* t, double wanted) {
    shoal_settled* s       = t->s;
    double         nearest = wanted;
    for (int i = 0; i < s->count; i++)
        for (int k = t->begins[i]; k < t->begins[i + 1]; k++) {
            int      j  = t->near[k];
            shoal_d3 w  = way(s, s->points[i], s->points[j]);
            double   r2 = shoal_d3_dot(w, w);
            if (r2 >= wanted * wanted) continue;
            double   r = sqrt(r2);
            shoal_d3 shift =
                r > 1e-9 ? shoal_d3_scale(w, 0.5 * (wanted - r) / r) : shoal_d3_make(0.0, 0.0, 0.5 * wanted);
            move(t, i, shift);
            move(t, j, shoal_d3_scale(shift, -1.0));
            nearest = fmin(nearest, r);
        }
    return nearest;
}

static shoal_status push_apart(settle_job* t, bool* is_done) {
    double apart = t->touch * (t->is_liquid ? apart_liquid : apart_spheres);
    *is_done     = false;
    for (int round = 0; round < PUSHES_MOST && !*is_done; round++) {
        double grown = fmin(1.0, (double)round / ROUNDS_OF_GROWTH);
        // what was thrown together moves far at first
        if (round < ROUNDS_OF_GROWTH || round % ROUNDS_OF_LIST == 0) SHOAL_TRY(list_near(t));
        *is_done = part_pairs(t, apart * (first_apart + grown * (1.0 - first_apart))) >= t->touch && grown == 1.0;
    }
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- at rest

typedef struct lattice {
    double density, slope2;
} lattice;

static lattice lattice_at_rest(void) {
    lattice l = {0.0, 0.0};
    int     n = (int)reach;
    for (int k = -n; k <= n; k++)
        for (int j = -n; j <= n; j++)
            for (int i = -n; i <= n; i++) {
                double r = sqrt((double)(i * i + j * j + k * k)), q = fmax(1.0 - r / reach, 0.0);
                l.density += q * q * q;
                if (r > 0.0) l.slope2 += 9.0 * q * q * q * q / (reach * reach);
            }
    return l;
}

// The way between two neighbours times the slope of the kernel over it, and its value; false where
// they are too far.
static bool kernel_between(const settle_job* t, int i, int j, shoal_d3* slope, double* value) {
    shoal_d3 w  = way(t->s, t->s->points[i], t->s->points[j]);
    double   r2 = shoal_d3_dot(w, w);
    if (r2 >= reach * reach || r2 < 1e-18) return false;
    double r = sqrt(r2), q = 1.0 - r / reach;
    *slope = shoal_d3_scale(w, -3.0 * q * q / (reach * r));
    *value = q * q * q;
    return true;
}

// One sweep of the density constraint; the largest excess that it met.
static double sweep(settle_job* t, const lattice* rest) {
    const double   fraction = 0.5; // of lambda: a full one overshoots, since all points move at once
    shoal_settled* s        = t->s;
    double         most     = 0.0, value;
    shoal_d3       slope;
    for (int i = 0; i < s->count; i++)
        t->density[i] = 1.0, t->slope2[i] = 0.0, t->shift[i] = shoal_d3_make(0.0, 0.0, 0.0);
    for (int i = 0; i < s->count; i++)
        for (int k = t->begins[i]; k < t->begins[i + 1]; k++) {
            int j = t->near[k];
            if (!kernel_between(t, i, j, &slope, &value)) continue;
            t->density[i] += value, t->density[j] += value;
            t->slope2[i] += shoal_d3_dot(slope, slope), t->slope2[j] += shoal_d3_dot(slope, slope);
            t->shift[i] = shoal_d3_add(t->shift[i], slope), t->shift[j] = shoal_d3_sub(t->shift[j], slope);
        }
    for (int i = 0; i < s->count; i++) {
        double excess = fmax(t->density[i] / rest->density - 1.0, 0.0),
               sum    = t->slope2[i] + shoal_d3_dot(t->shift[i], t->shift[i]);
        t->lambda[i]  = -fraction * excess * rest->density / fmax(sum, rest->slope2);
        t->shift[i]   = shoal_d3_make(0.0, 0.0, 0.0);
        most          = fmax(most, excess);
    }
    for (int i = 0; i < s->count; i++)
        for (int k = t->begins[i]; k < t->begins[i + 1]; k++) {
            int    j   = t->near[k];
            double sum = t->lambda[i] + t->lambda[j];
            if (sum == 0.0 || !kernel_between(t, i, j, &slope, &value)) continue;
            t->shift[i] = shoal_d3_add(t->shift[i], shoal_d3_scale(slope, sum));
            t->shift[j] = shoal_d3_sub(t->shift[j], shoal_d3_scale(slope, sum));
        }
    for (int i = 0; i < s->count; i++) move(t, i, t->shift[i]);
    return most;
}

static shoal_status come_to_rest(settle_job* t) {
    const lattice rest = lattice_at_rest();
    double        most = t->is_liquid ? 1.0 : 0.0;
    for (int k = 0; k < SWEEPS_MOST && most > at_rest; k++) {
        if (k % ROUNDS_OF_LIST == 0) SHOAL_TRY(list_near(t));
        most = sweep(t, &rest);
        part_pairs(t, t->touch);
    }
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- making

static shoal_status reserve(settle_job* t) {
    const double cell  = reach + margin;
    size_t       count = (size_t)t->s->count;
    for (int axis = 0; axis < 3; axis++)
        t->cells[axis] = (int)fmax((axis < 2 ? t->size[axis] : t->s->length) / cell, 1.0);
    t->first   = shoal_alloc((size_t)t->cells[0] * (size_t)t->cells[1] * (size_t)t->cells[2] + 1, sizeof *t->first);
    t->order   = shoal_alloc(count, sizeof *t->order);
    t->place   = shoal_alloc(count, sizeof *t->place);
    t->begins  = shoal_alloc(count + 1, sizeof *t->begins);
    t->density = shoal_alloc(3 * count, sizeof *t->density);
    t->shift   = shoal_alloc(count, sizeof *t->shift);
    if (!t->first || !t->order || !t->place || !t->begins || !t->density || !t->shift) return SHOAL_ERR_MEMORY;
    t->slope2 = t->density + count;
    t->lambda = t->slope2 + count;
    return SHOAL_OK;
}

static void free_scratch(settle_job* t) {
    shoal_free(t->first);
    shoal_free(t->order);
    shoal_free(t->place);
    shoal_free(t->begins);
    shoal_free(t->near);
    shoal_free(t->density);
    shoal_free(t->shift);
}

static shoal_status begin(settle_job* t) {
    t->s->points = shoal_alloc((size_t)t->s->count, sizeof *t->s->points);
    return t->s->points ? reserve(t) : SHOAL_ERR_MEMORY;
}

static shoal_status finish(settle_job* t, shoal_status status, shoal_settled* out) {
    free_scratch(t);
    if (status != SHOAL_OK) shoal_settled_free(t->s);
    *out = *t->s;
    return status;
}

// At random, but as many in each slice of a tube, in each unit cube of a block, as there should be;
// no nearer to the wall of a tube than wanted. Points of a square that miss its circle are thrown
// again.
static void throw_points(const settle_job* t, uint64_t seed) {
    shoal_settled* s = t->s;
    uint64_t       n = 0;
    for (int i = 0; i < s->count; i++) {
        double x, y, z;
        do x = shoal_random(seed, 0, n++), y = shoal_random(seed, 0, n++), z = shoal_random(seed, 0, n++);
        while (!(s->wide[0] > 0.0) && (2.0 * x - 1.0) * (2.0 * x - 1.0) + (2.0 * y - 1.0) * (2.0 * y - 1.0) > 1.0);
        s->points[i] = s->wide[0] > 0.0 ? shoal_d3_make(i % BLOCK_SIDE + x, i / BLOCK_SIDE % BLOCK_SIDE + y,
                                                        i / (BLOCK_SIDE * BLOCK_SIDE) + z)
                                        : shoal_d3_make((2.0 * x - 1.0) * t->radius, (2.0 * y - 1.0) * t->radius,
                                                        (i + z) / s->count * s->length);
    }
}

// Points of a tube are sorted by how far they may go.
static void narrow(settle_job* t, double radius) {
    t->radius = radius;
    for (int axis = 0; axis < 2; axis++) t->low[axis] = -radius, t->size[axis] = fmax(2.0 * radius, 1e-9);
}

static shoal_status settle_tube(settle_job* t, double radius, uint64_t seed) {
    // so far off the wall that the density is the same within as in a block; narrow tubes are too
    // crooked for that
    bool is_apart = false;
    for (double off = 0.35; !is_apart && off > -0.01; off -= 0.1) {
        narrow(t, fmax(radius - off, 0.0));
        throw_points(t, seed);
        SHOAL_TRY(push_apart(t, &is_apart));
    }
    narrow(t, radius);
    return come_to_rest(t);
}

shoal_status shoal_settled_tube(double radius, double touch, uint64_t seed, shoal_settled* out) {
    double        area      = SHOAL_PI * radius * radius;
    bool          is_thread = radius <= 0.5; // no two fit side by side
    double        size      = is_thread ? 1.0 : 2.0 * radius;
    shoal_settled s         = {.length = fmax(tube_length, TUBE_LEAST / area)};
    settle_job    t         = {
                   .s = &s, .touch = touch, .is_liquid = touch <= 1.0, .low = {-radius, -radius}, .size = {size, size}};
    s.count             = is_thread ? 1 : (int)floor(area * s.length + 0.5);
    s.length            = s.count / area;
    shoal_status status = begin(&t);
    if (status == SHOAL_OK && !is_thread) status = settle_tube(&t, radius, seed);
    return finish(&t, status, out);
}

shoal_status shoal_settled_block(double touch, uint64_t seed, shoal_settled* out) {
    shoal_settled s = {
        .length = BLOCK_SIDE, .wide = {BLOCK_SIDE, BLOCK_SIDE}, .count = BLOCK_SIDE * BLOCK_SIDE * BLOCK_SIDE};
    settle_job   t = {.s = &s, .touch = touch, .is_liquid = touch <= 1.0, .size = {BLOCK_SIDE, BLOCK_SIDE}};
    bool         is_apart;
    shoal_status status = begin(&t);
    if (status == SHOAL_OK) {
        throw_points(&t, seed);
        status = push_apart(&t, &is_apart);
    }
    if (status == SHOAL_OK) status = come_to_rest(&t);
    return finish(&t, status, out);
}

shoal_status shoal_settled_again(shoal_settled* s, double touch, double least, const shoal_section* section) {
    settle_job t = {
        .s         = s,
        .touch     = touch,
        .is_liquid = touch <= 1.0,
        .section   = section,
        .low       = {section->min[0], section->min[1]},
        .size      = {fmax(section->max[0] - section->min[0], 1.0), fmax(section->max[1] - section->min[1], 1.0)}};
    shoal_status status   = reserve(&t);
    bool         is_apart = false;
    for (int i = 0; i < s->count; i++) move(&t, i, shoal_d3_make(0.0, 0.0, 0.0));
    // walls keep spheres from lying as close as among others: as far apart as they find room for
    while (status == SHOAL_OK && !is_apart && t.touch >= least) {
        status = push_apart(&t, &is_apart);
        if (!is_apart) t.touch *= 0.98;
    }
    if (status == SHOAL_OK) status = come_to_rest(&t);
    free_scratch(&t);
    return status;
}

void shoal_settled_free(shoal_settled* sample) {
    shoal_free(sample->points);
    *sample = (shoal_settled){0};
}
