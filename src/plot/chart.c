// SPDX-License-Identifier: MIT
// What a chart holds.
#include "plot/chart.h"

#include "base/memory.h"
#include "plot/chart_local.h"

#include <string.h>

shoal_chart* shoal_chart_create(const char* title, const char* note, const char* x_label, const char* x_unit) {
    shoal_chart* c = shoal_alloc(1, sizeof *c);
    if (!c) return NULL;
    c->title      = shoal_strdup(title);
    c->note       = shoal_strdup(note);
    c->x_label    = shoal_strdup(x_label);
    c->x_unit     = shoal_strdup(x_unit);
    c->has_failed = !c->title || !c->note || !c->x_label || !c->x_unit;
    return c;
}

void shoal_chart_destroy(shoal_chart* c) {
    if (!c) return;
    for (int p = 0; p < c->count; p++) {
        chart_panel* panel = &c->panels[p];
        for (int s = 0; s < panel->count; s++) {
            shoal_free(panel->series[s].name);
            shoal_free(panel->series[s].x);
        }
        shoal_free(panel->series);
        shoal_free(panel->label);
        shoal_free(panel->unit);
    }
    shoal_free(c->panels);
    shoal_free(c->title);
    shoal_free(c->note);
    shoal_free(c->x_label);
    shoal_free(c->x_unit);
    shoal_free(c);
}

void shoal_chart_panel(shoal_chart* c, const char* label, const char* unit, bool has_zero) {
    if (c->count == c->capacity) {
        int capacity = c->capacity + 8;
        c->has_failed |=
            shoal_realloc((void**)&c->panels, (size_t)c->count, (size_t)capacity, sizeof *c->panels) != SHOAL_OK;
        if (!c->has_failed) c->capacity = capacity;
    }
    if (c->has_failed) return;
    chart_panel* p = &c->panels[c->count++];
    *p             = (chart_panel){.label = shoal_strdup(label), .unit = shoal_strdup(unit), .has_zero = has_zero};
    c->has_failed  = !p->label || !p->unit;
}

void shoal_chart_series(shoal_chart* c, const char* name, int style, shoal_series_kind kind, const double* x,
                        const double* y, int count) {
    if (c->has_failed) return;
    SHOAL_ASSERT(c->count > 0 && count >= 0);
    chart_panel* p = &c->panels[c->count - 1];
    if (p->count == p->capacity) {
        int capacity = p->capacity + 8;
        c->has_failed =
            shoal_realloc((void**)&p->series, (size_t)p->count, (size_t)capacity, sizeof *p->series) != SHOAL_OK;
        if (c->has_failed) return;
        p->capacity = capacity;
    }
    size_t        size = (size_t)count;
    chart_series* s    = &p->series[p->count++];
    *s                 = (chart_series){.name  = shoal_strdup(name),
                                        .style = style,
                                        .kind  = kind,
                                        .count = count,
                                        .x     = shoal_alloc(2 * size + 1, sizeof *s->x)};
    c->has_failed      = !s->name || !s->x;
    if (c->has_failed) return;
    s->y = s->x + size;
    memcpy(s->x, x, size * sizeof *x);
    memcpy(s->y, y, size * sizeof *y);
}
