// SPDX-License-Identifier: MIT
// Where lines along the flow are within a mesh, by its triangles: distances to a mesh are sampled, half a spacing
// apart, and lose what is thinner than that at sharp rims, a tenth of the section of a pyramid ten spacings wide.
#include "state/outlet_local.h"

#include <stdlib.h>

// Triangles are kept by the squares of a grid over the section that their shadows touch.
enum { GRID_MOST = 256, CROSSINGS = 2 * OUTLET_SPANS + 32 };

typedef struct corner {
    double u, w, s;
} corner;

struct outlet_lines {
    int    triangle_count, across[2];
    double min[2], per_metre[2]; // of the grid
    corner (*triangles)[3];
    int* first; // [squares + 1]
    int* items; // triangles, square by square
};

void outlet_lines_free(outlet_lines* lines) {
    if (!lines) return;
    shoal_free(lines->triangles);
    shoal_free(lines->first);
    shoal_free(lines->items);
    shoal_free(lines);
}

static int square_of(const outlet_lines* l, int axis, double x) {
    return (int)fmin(fmax(floor((x - l->min[axis]) * l->per_metre[axis]), 0.0), l->across[axis] - 1.0);
}

// The squares that the shadow of a triangle touches, from low to high.
static void squares_of(const outlet_lines* l, int t, int low[2], int high[2]) {
    const corner* c = l->triangles[t];
    low[0]          = square_of(l, 0, fmin(c[0].u, fmin(c[1].u, c[2].u)));
    low[1]          = square_of(l, 1, fmin(c[0].w, fmin(c[1].w, c[2].w)));
    high[0]         = square_of(l, 0, fmax(c[0].u, fmax(c[1].u, c[2].u)));
    high[1]         = square_of(l, 1, fmax(c[0].w, fmax(c[1].w, c[2].w)));
}

// As fine as keeps lists short: large triangles are in many squares.
static void choose_grid(outlet_lines* l, const outlet_frame* f) {
    int    fine  = (int)fmin(fmax(sqrt((double)l->triangle_count), 1.0), GRID_MOST);
    double items = (double)INFINITY;
    for (; items > 16.0 * l->triangle_count && fine > 0; fine /= 2) {
        for (int axis = 0; axis < 2; axis++) {
            l->across[axis]    = fine;
            l->min[axis]       = f->min[axis];
            l->per_metre[axis] = fine / fmax(f->max[axis] - f->min[axis], 1e-30);
        }
        items = 0.0;
        for (int t = 0; t < l->triangle_count; t++) {
            int low[2], high[2];
            squares_of(l, t, low, high);
            items += (high[0] - low[0] + 1.0) * (high[1] - low[1] + 1.0);
        }
    }
}

// Without items: counts those of each square; else puts them there.
static void fill_squares(outlet_lines* l) {
    for (int t = 0; t < l->triangle_count; t++) {
        int low[2], high[2];
        squares_of(l, t, low, high);
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++) {
                int* next = &l->first[j * l->across[0] + i + 1];
                if (l->items) l->items[*next] = t;
                ++*next;
            }
    }
}

static shoal_status lay_grid(outlet_lines* l, const outlet_frame* f) {
    choose_grid(l, f);
    int squares = l->across[0] * l->across[1];
    l->first    = shoal_alloc((size_t)squares + 1, sizeof *l->first);
    if (!l->first) return SHOAL_ERR_MEMORY;
    fill_squares(l);
    for (int k = 0; k < squares; k++) l->first[k + 1] += l->first[k];
    l->items = shoal_alloc((size_t)l->first[squares], sizeof *l->items);
    if (!l->items) return SHOAL_ERR_MEMORY;
    for (int k = squares; k > 0; k--) l->first[k] = l->first[k - 1]; // where the next of square k - 1 goes
    fill_squares(l);
    return SHOAL_OK;
}

shoal_status outlet_lines_make(const shoal_shape* shape, const outlet_frame* f, outlet_lines** out) {
    int count = shoal_shape_triangle_count(shape);
    *out      = NULL;
    if (count == 0) return SHOAL_OK;
    outlet_lines* l = shoal_alloc(1, sizeof *l);
    if (!l) return SHOAL_ERR_MEMORY;
    l->triangle_count = count;
    l->triangles      = shoal_alloc((size_t)count, sizeof *l->triangles);
    for (int t = 0; l->triangles && t < count; t++) {
        shoal_d3 at[3];
        shoal_shape_triangle(shape, t, at);
        for (int k = 0; k < 3; k++) {
            shoal_d3 p         = shoal_d3_sub(at[k], f->origin);
            l->triangles[t][k] = (corner){shoal_d3_dot(p, f->u), shoal_d3_dot(p, f->w), shoal_d3_dot(p, f->along)};
        }
    }
    shoal_status status = l->triangles ? lay_grid(l, f) : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK)
        *out = l;
    else
        outlet_lines_free(l);
    return status;
}

// On which side of an edge a line is, 1 or -1, the same seen from both triangles that share it: a line that meets it
// passes through one of them.
static int side(const corner* a, const corner* b, double u, double w) {
    bool          is_turned = b->u < a->u || (b->u == a->u && b->w < a->w);
    const corner *p = is_turned ? b : a, *q = is_turned ? a : b;
    double        e = (q->u - p->u) * (w - p->w) - (q->w - p->w) * (u - p->u);
    return (e >= 0.0) != is_turned ? 1 : -1;
}

typedef struct crossing {
    double s;
    int    turn; // 1: into the mesh, -1: out of it, if it is not inside out
} crossing;

static int by_place(const void* a, const void* b) {
    const crossing *x = a, *y = b;
    return x->s < y->s ? -1 : x->s > y->s;
}

static bool crosses(const corner c[3], double u, double w, crossing* at) {
    int turn = side(&c[0], &c[1], u, w);
    if (side(&c[1], &c[2], u, w) != turn || side(&c[2], &c[0], u, w) != turn) return false;
    double bu = c[1].u - c[0].u, bw = c[1].w - c[0].w, cu = c[2].u - c[0].u, cw = c[2].w - c[0].w,
           area = bu * cw - bw * cu, x = u - c[0].u, y = w - c[0].w;
    if (area == 0.0) return false;
    double b = (x * cw - y * cu) / area, k = (bu * y - bw * x) / area;
    *at = (crossing){c[0].s + b * (c[1].s - c[0].s) + k * (c[2].s - c[0].s), -turn};
    return true;
}

int outlet_lines_spans(const outlet_lines* l, const outlet_frame* f, double u, double w,
                       outlet_span spans[OUTLET_SPANS]) {
    crossing met[CROSSINGS];
    int      count = 0, wound = 0, found = 0, square = square_of(l, 1, w) * l->across[0] + square_of(l, 0, u);
    for (int i = l->first[square]; i < l->first[square + 1]; i++)
        if (crosses(l->triangles[l->items[i]], u, w, &met[count]) && ++count == CROSSINGS) return -1;
    qsort(met, (size_t)count, sizeof *met, by_place);
    for (int i = 0; i < count; i++) {
        int before = wound;
        wound += met[i].turn;
        double s = fmin(fmax(met[i].s, f->min[2]), f->max[2]);
        if (before == 0 && found == OUTLET_SPANS) break;
        if (before == 0) spans[found].begin = s;
        if (before != 0 && wound == 0) {
            spans[found].end = s;
            found += spans[found].end > spans[found].begin;
        }
    }
    return wound == 0 ? found : -1;
}
