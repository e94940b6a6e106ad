// SPDX-License-Identifier: MIT
// Coloured Gauss-Seidel, the paper's wish of section 9. Constraint i moves the particles within h of i, so two
// constraints more than 2h apart share none: cells of edge 2h in 8 colours (even or odd along each axis) are done one
// colour after the other, the cells of a colour side by side, the particles of a cell in order.
#include "solvers/pbf/pbf_local.h"

void pbf_colours_free(pbf_colours* colours) {
    shoal_cells_free(&colours->cells);
    for (int c = 0; c < 8; c++) shoal_free(colours->cell[c]);
    *colours = (pbf_colours){0};
}

shoal_status pbf_colours_build(pbf_colours* colours, const shoal_exec* exec, const pbf_view* view) {
    // the lists are fixed, so are the constraints: 2h (and a hair for rounding) keeps the colours apart
    shoal_cells_frame frame;
    SHOAL_TRY(shoal_cells_frame_make(exec, view->guess, view->count, 2.0001f * view->h, &frame));
    SHOAL_TRY(shoal_cells_sort(&colours->cells, exec, &frame, view->guess, view->count));
    int count = colours->cells.cell_count;
    if (count > colours->capacity) {
        colours->capacity = 0;
        for (int c = 0; c < 8; c++)
            SHOAL_TRY(shoal_realloc((void**)&colours->cell[c], 0, (size_t)count + (size_t)count / 4, sizeof(int)));
        colours->capacity = count + count / 4;
    }
    for (int c = 0; c < 8; c++) colours->cell_count[c] = 0;
    for (int c = 0; c < count; c++) {
        uint64_t key = colours->cells.cell_key[c];
        uint64_t x = key % colours->cells.row, y = key / colours->cells.row % (uint64_t)frame.ny,
                 z                                           = key / colours->cells.layer;
        int colour                                           = (int)((x & 1) | (y & 1) << 1 | (z & 1) << 2);
        colours->cell[colour][colours->cell_count[colour]++] = c;
    }
    return SHOAL_OK;
}

static void move_by(const pbf_view* v, int i, shoal_v3 by) {
    by = shoal_v3_scale(by, v->liquids[v->material[i]].lightness);
    v->guess[i].x += by.x, v->guess[i].y += by.y, v->guess[i].z += by.z;
    v->moved[i] = shoal_v3_add(v->moved[i], by);
}

static shoal_v3 push_of(const pbf_view* v, int i, int j, float lambda) {
    float    r;
    shoal_v3 d = pbf_displacement(v, i, j, &r);
    if (r >= v->h) return shoal_v3_make(0.0f, 0.0f, 0.0f);
    float push = lambda + 0.5f * pbf_repulsion(v, r * r) * pbf_meet(v, i, j); // the other half comes with constraint j
    return shoal_v3_scale(d, -v->spiky * push * (v->h - r) * (v->h - r) / r);
}

// Solves constraint i and moves all its particles at once: dp_k = lambda_i grad_k C_i, and half of each pair's
// repulsion. The limit shortens all of it alike, so that momentum is kept.
static void solve_one(const pbf_view* v, int i) {
    pbf_lambda(v, i);
    float    lambda                   = v->next_lambda[i];
    shoal_v3 own                      = shoal_v3_scale(v->wall_gradient[i], lambda);
    SHOAL_FOR_NEAR(v->near, i, j) own = shoal_v3_add(own, push_of(v, i, j, lambda));
    float length = shoal_v3_length(own) * v->liquids[v->material[i]].lightness, fraction = 1.0f;
    if (length > v->limit) {
        fraction      = v->limit / length;
        v->limited[i] = 1;
    }
    SHOAL_FOR_NEAR(v->near, i, j) move_by(v, j, shoal_v3_scale(push_of(v, i, j, lambda), -fraction));
    move_by(v, i, shoal_v3_scale(own, fraction));
    v->pressure[i] += fraction * lambda;
    v->shift[i]     = shoal_v3_make(0.0f, 0.0f, 0.0f); // all is done: `apply` only adds contacts
    v->wall_push[i] = 0.0f;
    v->guess[i].w   = 0.0f;
}

typedef struct sweep {
    const pbf_colours* colours;
    const pbf_view*    view;
    int                colour;
} sweep;

static void sweep_cells(void* ctx, int begin, int end, int worker) {
    (void)worker;
    sweep*             s     = ctx;
    const shoal_cells* cells = &s->colours->cells;
    for (int k = begin; k < end; k++) {
        int c = s->colours->cell[s->colour][k];
        for (int at = cells->cell_start[c]; at < cells->cell_start[c + 1]; at++) solve_one(s->view, cells->order[at]);
    }
}

void pbf_sweep(const pbf_colours* colours, const shoal_exec* exec, const pbf_view* view) {
    for (int colour = 0; colour < 8; colour++) {
        sweep s = {colours, view, colour};
        shoal_blocks(exec, colours->cell_count[colour], 4, sweep_cells, &s);
    }
}
