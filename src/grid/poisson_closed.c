// SPDX-License-Identifier: MIT
// Connected components of the cells, and those among them that nothing anchors. Stretches linked
// along x are the items of a union-find; links in y and z join them.
#include "grid/poisson_local.h"
#include "base/disjoint.h"

#include <string.h>

static void number_runs(shoal_poisson* p) {
    const poisson_level* l   = &p->levels[0];
    int                  run = -1;
    for (int i = 0; i < l->count; i++) {
        run += !(l->plus_x[i - 1] > 0.0f);
        p->run[i] = run;
    }
    p->run_count = run + 1;
}

static void join_along(shoal_poisson* p, const poisson_piece* s, const float* weight, int way) {
    if (s->begin + way < 0) return;
    int last_here = -1, last_there = -1;
    for (int i = s->begin; i < s->begin + s->count; i++) {
        int here = p->run[i], there = p->run[i + way];
        if (!(weight[i] > 0.0f) || (here == last_here && there == last_there)) continue;
        shoal_disjoint_join(p->parent, here, there);
        last_here  = here;
        last_there = there;
    }
}

// parent becomes, for each run, the number of its closed component or -1.
static void number_closed(shoal_poisson* p) {
    const poisson_level* l = &p->levels[0];
    enum { OPEN = -1 };
    for (int r = 0; r < p->run_count; r++) p->parent[r] = shoal_disjoint_root(p->parent, r);
    // every run now points at its root; size serves as the mark of a root, then as the number of
    // its component
    memset(p->size, 0, (size_t)p->run_count * sizeof *p->size);
    for (int i = 0; i < l->count; i++)
        if (l->anchor[i] > 0.0f) p->size[p->parent[p->run[i]]] = OPEN;
    int closed = 0;
    for (int r = 0; r < p->run_count; r++) {
        if (p->parent[r] == r) p->size[r] = p->size[r] == OPEN ? OPEN : closed++;
        p->parent[r] = p->size[p->parent[r]]; // roots come first
    }
    p->closed_count = closed;
}

shoal_status poisson_closed_find(shoal_poisson* p) {
    const poisson_level* l = &p->levels[0];
    number_runs(p);
    p->closed_count = p->closed_cells = 0;
    if (p->run_count == 0) return SHOAL_OK;
    if (p->run_count > p->run_capacity) {
        int capacity    = 0;
        p->run_capacity = 0;
        SHOAL_TRY(poisson_grow((void**)&p->parent, &capacity, p->run_count, sizeof *p->parent));
        SHOAL_TRY(shoal_realloc((void**)&p->size, 0, (size_t)capacity, sizeof *p->size));
        p->run_capacity = capacity;
    }
    for (int r = 0; r < p->run_count; r++) p->parent[r] = r;
    for (int k = 0; k < l->piece_count; k++) {
        join_along(p, &l->pieces[k], l->plus_y, l->pieces[k].plus_y);
        join_along(p, &l->pieces[k], l->plus_z, l->pieces[k].plus_z);
    }
    for (int r = 0; r < l->row_count; r++)
        if (l->rows[r].wrap > 0.0f)
            shoal_disjoint_join(p->parent, p->run[l->rows[r].begin], p->run[l->rows[r + 1].begin - 1]);
    number_closed(p);
    SHOAL_TRY(poisson_grow((void**)&p->mean, &p->closed_capacity, p->closed_count, sizeof *p->mean));
    if (p->closed_count == 0) return SHOAL_OK;
    memset(p->size, 0, (size_t)p->closed_count * sizeof *p->size);
    for (int i = 0; i < l->count; i++) {
        int c = p->parent[p->run[i]];
        if (c < 0) continue;
        p->size[c]++;
        p->closed_cells++;
    }
    return SHOAL_OK;
}

double poisson_closed_mean(const shoal_poisson* p, double* values) {
    if (p->closed_count == 0) return 0;
    int n = p->levels[0].count;
    memset(p->mean, 0, (size_t)p->closed_count * sizeof *p->mean);
    for (int i = 0; i < n; i++) {
        int c = p->parent[p->run[i]];
        if (c >= 0) p->mean[c] += values[i];
    }
    double most = 0;
    for (int c = 0; c < p->closed_count; c++) {
        p->mean[c] /= p->size[c];
        double size = p->mean[c] < 0 ? -p->mean[c] : p->mean[c];
        if (size > most) most = size;
    }
    for (int i = 0; i < n; i++) {
        int c = p->parent[p->run[i]];
        if (c >= 0) values[i] -= p->mean[c];
    }
    return most;
}
