// SPDX-License-Identifier: MIT
// The rows of a comparison in words, with units, and as aligned lines for a terminal.
#include "compare/compare_local.h"

#include "picture/glyphs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VARIANT, SOLVER, STATUS, LOST, STEPS, DENSITY, LARGEST, ENERGY, CHANGE, FRAME, STEP, TOTAL };

static const char* const heads[COMPARE_COLUMNS] = {"variant", "solver",        "status",   "lost",
                                                   "steps",   "density error", "largest",  "energy",
                                                   "change",  "per frame",     "per step", "total"};

const char* compare_status_word(const compare_result* r) {
    if (!r->was_run) return "not run";
    switch (r->row.status) {
    case SHOAL_OK:
        return "done";
    case SHOAL_ERR_DIVERGE:
        return "diverged";
    case SHOAL_ERR_INTERRUPTED:
        return "interrupted";
    default:
        return "failed";
    }
}

void compare_settings_text(const shoal_variant* v, shoal_text* out) {
    bool is_first = true;
    if (v->solver) {
        shoal_text_add(out, "solver=%s", v->solver);
        is_first = false;
    }
    for (int i = 0; v->settings && v->settings[i]; i++, is_first = false)
        shoal_text_add(out, "%s%s", is_first ? "" : " ", v->settings[i]);
    if (is_first) shoal_text_add(out, "as the scene says");
}

// Three digits that matter; "-" when there is no number.
static void number(char* cell, double value, const char* unit) {
    if (!isfinite(value))
        snprintf(cell, COMPARE_CELL_SIZE, "-");
    else if (fabs(value) >= 1e5 || (value != 0.0 && fabs(value) < 1e-3))
        snprintf(cell, COMPARE_CELL_SIZE, "%.2e%s", value, unit);
    else
        snprintf(cell, COMPARE_CELL_SIZE, "%.*f%s",
                 fabs(value) >= 100  ? 0
                 : fabs(value) >= 10 ? 1
                 : fabs(value) >= 1  ? 2
                                     : 3,
                 value, unit);
}

static void whole(char* cell, double value) {
    if (isfinite(value))
        snprintf(cell, COMPARE_CELL_SIZE, "%.0f", value);
    else
        snprintf(cell, COMPARE_CELL_SIZE, "-");
}

static void energy(char* cell, double value) {
    static const char* const units[] = {" J", " kJ", " MJ", " GJ"};
    int                      k       = 0;
    for (; k < 3 && fabs(value) >= 1000.0; k++) value /= 1000.0;
    number(cell, value, units[k]);
}

static void fill_row(const compare_result* r, char cells[][COMPARE_CELL_SIZE]) {
    const shoal_compare_row* row = &r->row;
    snprintf(cells[VARIANT], COMPARE_CELL_SIZE, "%s", row->variant);
    snprintf(cells[SOLVER], COMPARE_CELL_SIZE, "%s", row->solver[0] ? row->solver : "-");
    if (row->status != SHOAL_OK && r->has_data)
        snprintf(cells[STATUS], COMPARE_CELL_SIZE, "%s at frame %d", compare_status_word(r), row->frames);
    else
        snprintf(cells[STATUS], COMPARE_CELL_SIZE, "%s", compare_status_word(r));
    whole(cells[LOST], row->lost);
    whole(cells[STEPS], row->steps);
    number(cells[DENSITY], row->compression_avg_pct, " %");
    number(cells[LARGEST], row->compression_max_pct, " %");
    energy(cells[ENERGY], row->energy_end_j);
    number(cells[CHANGE], row->energy_change_pct, " %");
    number(cells[FRAME], row->frame_ms, " ms");
    number(cells[STEP], row->step_ms, " ms");
    number(cells[TOTAL], row->total_s, " s");
}

// The least of those that came to their end.
static int least_of(const comparison* c, size_t offset) {
    int    best = -1, count = 0;
    double least = (double)INFINITY;
    for (int i = 0; i < c->count; i++) {
        double value;
        memcpy(&value, (const char*)&c->results[i].row + offset, sizeof value);
        if (c->results[i].row.status != SHOAL_OK || !isfinite(value)) continue;
        count++;
        if (value < least) {
            least = value;
            best  = i;
        }
    }
    return count > 1 ? best : -1;
}

shoal_status compare_cells_make(const comparison* c, compare_cells** out) {
    compare_cells* t = *out = shoal_alloc(1, sizeof *t);
    if (!t) return SHOAL_ERR_MEMORY;
    memcpy(t->heads, heads, sizeof heads);
    for (int i = 0; i < c->count; i++) fill_row(&c->results[i], t->cells[i]);
    for (int k = 0; k < COMPARE_COLUMNS; k++) t->best[k] = -1;
    t->best[DENSITY] = least_of(c, offsetof(shoal_compare_row, compression_avg_pct));
    t->best[LARGEST] = least_of(c, offsetof(shoal_compare_row, compression_max_pct));
    t->best[FRAME]   = least_of(c, offsetof(shoal_compare_row, frame_ms));
    t->best[TOTAL]   = least_of(c, offsetof(shoal_compare_row, total_s));
    return SHOAL_OK;
}

// Letters, not bytes.
static int width_of(const char* text) {
    int width = 0;
    while (*text) {
        shoal_utf8_next(&text);
        width++;
    }
    return width;
}

static void add_cell(shoal_text* out, const char* text, int width, bool is_left) {
    int blanks = width - width_of(text);
    if (is_left)
        shoal_text_add(out, "%s%*s", text, blanks, "");
    else
        shoal_text_add(out, "%*s%s", blanks, "", text);
}

shoal_status compare_table_text(const comparison* c, shoal_text* out) {
    compare_cells* t;
    SHOAL_TRY(compare_cells_make(c, &t));
    int widths[COMPARE_COLUMNS];
    for (int k = 0; k < COMPARE_COLUMNS; k++) {
        widths[k] = width_of(heads[k]);
        for (int i = 0; i < c->count; i++)
            if (width_of(t->cells[i][k]) > widths[k]) widths[k] = width_of(t->cells[i][k]);
    }
    for (int i = -1; i < c->count; i++)
        for (int k = 0; k < COMPARE_COLUMNS; k++) {
            add_cell(out, i < 0 ? heads[k] : t->cells[i][k], widths[k], k <= STATUS);
            shoal_text_add(out, k + 1 < COMPARE_COLUMNS ? "  " : "\n");
        }
    shoal_free(t);
    return out->failed ? SHOAL_ERR_MEMORY : SHOAL_OK;
}
