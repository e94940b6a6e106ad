// SPDX-License-Identifier: MIT
// How a stream thins. What falls out of an opening is drawn out along its way, and keeps its volume
// only if it closes in across it. In nature that takes a moment of suction, within a radius or so
// of the opening: from there on all fall freely, each with the inward velocity it has got, and what
// pressure is left pushes. Solvers of particles push but do not pull: without that moment their
// streams would stay as wide as the opening and become ever sparser. So the outlet gives it: of all
// velocities across the flow whose divergence makes good the drawing out, that which suction makes
// is the gradient of a potential, zero where the stream meets air and level at walls:
//     laplace(potential) = -rate,    inward = grad(potential),
// -rate r/2 for a disc. Solved once on a grid over the section.
#include "state/outlet_local.h"

enum { CELLS_MOST = 64, RIM = 2, SWEEPS_MOST = 4000 };
static const double finest = 0.25; // size of a cell, spacings

typedef enum cell_kind { IN_AIR, IN_WALL, IN_STREAM } cell_kind;

typedef struct section {
    shoal_taper taper;
    bool        is_periodic[2];
    double      weight[2]; // 1 / size^2
    cell_kind*  kind;      // [cells]
    double*     potential; // [cells] m^2
} section;

// The cell beside (x, y), or -1 beyond the grid.
static int beside(const section* s, int x, int y, int axis, int step) {
    int at[2] = {x, y}, count = s->taper.count[axis];
    at[axis] += step;
    if (s->is_periodic[axis]) at[axis] = (at[axis] + 2 * count) % count;
    if (at[axis] < 0 || at[axis] >= count) return -1;
    return at[1] * s->taper.count[0] + at[0];
}

static cell_kind kind_of(const section* s, int cell) { return cell < 0 ? IN_AIR : s->kind[cell]; }

static void lay_grid(section* s, const outlet_mouth* m) {
    const outlet_frame* f = &m->frame;
    double wide = fmax(f->max[0] - f->min[0], f->max[1] - f->min[1]), fine = fmax(finest * m->d, wide / CELLS_MOST);
    s->taper.u = f->u, s->taper.w = f->w, s->taper.origin = f->origin;
    for (int axis = 0; axis < 2; axis++) {
        double length        = f->max[axis] - f->min[axis];
        int    count         = (int)fmax(ceil(length / fine - 1e-9), 1.0);
        s->is_periodic[axis] = outlet_period(m, axis) > 0.0;
        int rim              = s->is_periodic[axis] ? 0 : RIM;
        s->taper.size[axis]  = length / count;
        s->taper.count[axis] = count + 2 * rim;
        s->taper.min[axis]   = f->min[axis] - rim * s->taper.size[axis];
        s->weight[axis]      = 1.0 / (s->taper.size[axis] * s->taper.size[axis]);
    }
}

// Walls are those that go on a spacing beyond the opening.
static void find_kinds(section* s, const outlet_mouth* m) {
    outlet_span spans[OUTLET_SPANS];
    for (int y = 0; y < s->taper.count[1]; y++)
        for (int x = 0; x < s->taper.count[0]; x++) {
            int    cell              = y * s->taper.count[0] + x;
            double u                 = s->taper.min[0] + (x + 0.5) * s->taper.size[0],
                   w                 = s->taper.min[1] + (y + 0.5) * s->taper.size[1];
            int      count           = outlet_spans(m->emitter, &m->frame, u, w, 0.1 * m->d, spans);
            double   end             = count > 0 ? spans[count - 1].end : m->frame.max[2];
            shoal_v3 p               = shoal_v3_from(outlet_point(&m->frame, u, w, end + m->d));
            s->taper.cells[cell].end = (float)end;
            s->kind[cell] = !shoal_place_exists(m->world, m->d, true, &p) ? IN_WALL : count > 0 ? IN_STREAM : IN_AIR;
        }
}

// What no air is beside, by whatever way through the section, fills a pipe and cannot close in.
static void leave_out_pipes(section* s) {
    shoal_taper* t = &s->taper;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int cell = 0; cell < t->count[0] * t->count[1]; cell++) {
            if (s->kind[cell] != IN_STREAM || t->cells[cell].is_known) continue;
            for (int side = 0; side < 4; side++) {
                int other = beside(s, cell % t->count[0], cell / t->count[0], side / 2, side % 2 ? 1 : -1);
                if (kind_of(s, other) == IN_WALL || (kind_of(s, other) == IN_STREAM && !t->cells[other].is_known))
                    continue;
                t->cells[cell].is_known = is_changed = true;
            }
        }
    }
    for (int cell = 0; cell < t->count[0] * t->count[1]; cell++)
        if (!t->cells[cell].is_known && s->kind[cell] == IN_STREAM) s->kind[cell] = IN_WALL;
}

// The potential of a cell that fits to those beside it; air is met at the face, half a cell away.
static double fitting(const section* s, int x, int y) {
    double sum = 1.0, weights = 0.0;
    for (int side = 0; side < 4; side++) {
        int    other  = beside(s, x, y, side / 2, side % 2 ? 1 : -1);
        double weight = s->weight[side / 2];
        if (kind_of(s, other) == IN_STREAM) sum += weight * s->potential[other];
        if (kind_of(s, other) != IN_WALL) weights += kind_of(s, other) == IN_AIR ? 2.0 * weight : weight;
    }
    return sum / weights;
}

// Gauss-Seidel, over-relaxed as is best for a square of that many cells; the largest potential,
// m^2.
static double find_potential(section* s) {
    int    wide = s->taper.count[0], high = s->taper.count[1];
    double omega = 2.0 / (1.0 + sin(SHOAL_PI / (wide > high ? wide : high))), most = 0.0, change = 1.0;
    for (int k = 0; k < SWEEPS_MOST && change > 1e-6 * most; k++) {
        change = most = 0.0;
        for (int y = 0; y < high; y++)
            for (int x = 0; x < wide; x++) {
                double* own = &s->potential[y * wide + x];
                if (s->kind[y * wide + x] != IN_STREAM) continue;
                double step = omega * (fitting(s, x, y) - *own);
                *own += step;
                change = fmax(change, fabs(step));
                most   = fmax(most, *own);
            }
    }
    return most;
}

static double beyond(const section* s, int other, double own) {
    cell_kind kind = kind_of(s, other);
    return kind == IN_STREAM ? s->potential[other] : kind == IN_WALL ? own : -own;
}

static void find_velocities(section* s) {
    shoal_taper* t = &s->taper;
    for (int y = 0; y < t->count[1]; y++)
        for (int x = 0; x < t->count[0]; x++) {
            int    cell = y * t->count[0] + x;
            double own  = s->potential[cell];
            if (s->kind[cell] != IN_STREAM) continue;
            for (int axis = 0; axis < 2; axis++)
                t->cells[cell].inward[axis] =
                    (float)((beyond(s, beside(s, x, y, axis, 1), own) - beyond(s, beside(s, x, y, axis, -1), own)) /
                            (2.0 * t->size[axis]));
        }
}

// Cells at the rim, whose middle is outside, go on as those beside them do.
static void widen(section* s) {
    shoal_taper* t = &s->taper;
    for (int round = 0; round < RIM; round++) {
        for (int cell = 0; cell < t->count[0] * t->count[1]; cell++) {
            double sum[2] = {0.0, 0.0};
            int    known  = 0;
            if (t->cells[cell].is_known) continue;
            for (int side = 0; side < 4; side++) {
                int way = side % 2 ? 1 : -1, x = cell % t->count[0], y = cell / t->count[0],
                    next = beside(s, x, y, side / 2, way), far = beside(s, x, y, side / 2, 2 * way);
                if (next < 0 || !t->cells[next].is_known) continue;
                if (far < 0 || !t->cells[far].is_known) far = next;
                for (int axis = 0; axis < 2; axis++)
                    sum[axis] += 2.0 * (double)t->cells[next].inward[axis] - (double)t->cells[far].inward[axis];
                known++;
            }
            s->potential[cell] = known;
            for (int axis = 0; axis < 2 && known > 0; axis++) t->cells[cell].inward[axis] = (float)(sum[axis] / known);
        }
        for (int cell = 0; cell < t->count[0] * t->count[1]; cell++)
            if (!t->cells[cell].is_known) t->cells[cell].is_known = s->potential[cell] > 0.0;
    }
}

static void make(section* s, const outlet_mouth* m) {
    double area = 0.0;
    find_kinds(s, m);
    leave_out_pipes(s);
    for (int cell = 0; cell < s->taper.count[0] * s->taper.count[1]; cell++)
        area += s->kind[cell] == IN_STREAM ? s->taper.size[0] * s->taper.size[1] : 0.0;
    s->taper.reach  = 2.0 * sqrt(find_potential(s)); // that of a disc is R^2/4
    s->taper.filled = area * pow(s->taper.reach, 3.0) / (3.0 * pow(m->unit, 3.0));
    find_velocities(s);
    widen(s);
}

shoal_status outlet_taper_make(const outlet_mouth* mouth, shoal_taper* out) {
    section s = {0};
    lay_grid(&s, mouth);
    size_t cells  = (size_t)s.taper.count[0] * (size_t)s.taper.count[1];
    s.kind        = shoal_alloc(cells, sizeof *s.kind);
    s.potential   = shoal_alloc(cells, sizeof *s.potential);
    s.taper.cells = shoal_alloc(cells, sizeof *s.taper.cells);
    bool is_there = s.kind && s.potential && s.taper.cells;
    if (is_there) make(&s, mouth);
    shoal_free(s.kind);
    shoal_free(s.potential);
    if (!is_there || !(s.taper.filled > 0.0)) {
        shoal_free(s.taper.cells);
        s.taper = (shoal_taper){0};
    }
    *out = s.taper;
    return is_there ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

// The cell in a column and a row, or NULL.
static const shoal_taper_cell* cell_in(const shoal_taper* t, double column, double row) {
    if (!(column >= 0.0 && row >= 0.0 && column < t->count[0] && row < t->count[1])) return NULL;
    const shoal_taper_cell* cell = &t->cells[(int)row * t->count[0] + (int)column];
    return cell->is_known ? cell : NULL;
}

bool shoal_outlet_is_ahead(const shoal_outlet* outlet, shoal_d3 place, double* way) {
    const shoal_taper* t = &outlet->taper;
    if (!t->cells || !shoal_box_holds(shoal_box_grown(outlet->box, t->reach), place)) return false;
    shoal_d3                from = shoal_d3_sub(place, t->origin);
    const shoal_taper_cell* cell = cell_in(t, floor((shoal_d3_dot(from, t->u) - t->min[0]) / t->size[0]),
                                           floor((shoal_d3_dot(from, t->w) - t->min[1]) / t->size[1]));
    if (!cell) return false;
    *way = shoal_d3_dot(from, outlet->along) - (double)cell->end;
    return *way > 0.0 && *way < t->reach;
}

// Between the middles of the four cells around a place, of those that are known.
shoal_v3 shoal_outlet_taper(const shoal_outlet* outlet, double rate, shoal_d3 place) {
    const shoal_taper* t = &outlet->taper;
    if (!t->cells) return shoal_v3_make(0.0f, 0.0f, 0.0f);
    shoal_d3 from = shoal_d3_sub(place, t->origin);
    double   x    = (shoal_d3_dot(from, t->u) - t->min[0]) / t->size[0] - 0.5,
           y = (shoal_d3_dot(from, t->w) - t->min[1]) / t->size[1] - 0.5, along_u = 0.0, along_w = 0.0, weights = 0.0;
    for (int k = 0; k < 4; k++) {
        double column = floor(x) + k % 2, row = floor(y) + k / 2,
               weight                = (1.0 - fabs(x - column)) * (1.0 - fabs(y - row));
        const shoal_taper_cell* cell = cell_in(t, column, row);
        if (!cell) continue;
        along_u += weight * (double)cell->inward[0];
        along_w += weight * (double)cell->inward[1];
        weights += weight;
    }
    if (!(weights > 0.0)) return shoal_v3_make(0.0f, 0.0f, 0.0f);
    return shoal_v3_from(
        shoal_d3_scale(shoal_d3_add(shoal_d3_scale(t->u, along_u), shoal_d3_scale(t->w, along_w)), rate / weights));
}
