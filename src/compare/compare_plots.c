// SPDX-License-Identifier: MIT
// Charts with one line per variant: a panel for each column of stats.csv that all variants have,
// and a chart for each probe.
#include "compare/compare_local.h"
#include "plot/columns.h"
#include "post/post_source.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 960 };

static const shoal_table* table_of(const compare_result* r, bool is_probe) {
    return is_probe ? &r->data.probes : &r->data.stats;
}

static const compare_result* first_with_data(const comparison* c) {
    for (int i = 0; i < c->count; i++)
        if (c->results[i].has_data) return &c->results[i];
    return NULL;
}

static bool is_shared(const comparison* c, bool is_probe, const char* name) {
    for (int i = 0; i < c->count; i++)
        if (c->results[i].has_data && shoal_table_find(table_of(&c->results[i], is_probe), name) < 0) return false;
    return true;
}

static bool is_idle_everywhere(const comparison* c, const char* name) {
    for (int i = 0; i < c->count; i++) {
        const shoal_table* t = &c->results[i].data.stats;
        if (!c->results[i].has_data) continue;
        if (!shoal_column_is_idle(c->results[i].data.type, t, shoal_table_find(t, name))) return false;
    }
    return true;
}

static void add_panel(const comparison* c, shoal_chart* chart, bool is_probe, const char* name, const char* label,
                      const char* unit, bool has_zero) {
    shoal_chart_panel(chart, label, unit, has_zero);
    for (int i = 0; i < c->count; i++) {
        const compare_result* r = &c->results[i];
        const shoal_table*    t = table_of(r, is_probe);
        if (!r->has_data) continue;
        shoal_chart_series(chart, r->variant->name, i, SHOAL_SERIES_LINE, shoal_table_named(t, "time_s"),
                           shoal_table_named(t, name), t->row_count);
    }
    post_points_overlay(&c->points, chart, name, "");
}

static shoal_status write_chart(comparison* c, const shoal_chart* chart, const char* stem) {
    char path[SHOAL_PATH_SIZE];
    SHOAL_TRY(shoal_path_make(path, "%s/plots", c->report));
    SHOAL_TRY(post_chart_write(chart, WIDTH, path, stem, NULL, NULL));
    return shoal_names_add(&c->plots, stem);
}

static shoal_status plot_key(comparison* c, const compare_result* first, shoal_chart_key key, int* columns) {
    const shoal_table* t     = &first->data.stats;
    int                count = shoal_columns_of(first->data.type, t, key, columns), panels = 0;
    shoal_chart*       chart = shoal_chart_create(shoal_chart_title(key), c->title, "time", "s");
    if (!chart) return SHOAL_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        const char*  name = t->names[columns[i]];
        shoal_column column_info;
        if (!is_shared(c, false, name) || is_idle_everywhere(c, name)) continue;
        shoal_column_describe(first->data.type, name, &column_info);
        add_panel(c, chart, false, name, column_info.label, column_info.unit, column_info.kind & SHOAL_COLUMN_ZERO);
        panels++;
    }
    shoal_status status = panels ? write_chart(c, chart, shoal_chart_stem(key)) : SHOAL_OK;
    shoal_chart_destroy(chart);
    return status;
}

static shoal_status plot_probe(comparison* c, const compare_result* first, const char* name) {
    const char *kind, *unit;
    char        title[160], stem[COMPARE_STEM_SIZE];
    if (strcmp(name, "time_s") == 0 || !is_shared(c, true, name)) return SHOAL_OK;
    post_data_probe(&first->data, name, &kind, &unit);
    snprintf(title, sizeof title, "Probe %.140s", name);
    snprintf(stem, sizeof stem, "probe-%.80s", name);
    post_name_for_files(stem);
    shoal_chart* chart = shoal_chart_create(title, c->title, "time", "s");
    if (!chart) return SHOAL_ERR_MEMORY;
    add_panel(c, chart, true, name, kind, unit, false);
    shoal_status status = write_chart(c, chart, stem);
    shoal_chart_destroy(chart);
    return status;
}

shoal_status compare_plot(comparison* c) {
    const compare_result* first = first_with_data(c);
    char                  path[SHOAL_PATH_SIZE];
    if (!first) return SHOAL_OK;
    SHOAL_TRY(post_points_read(c->def->points, &first->data, &c->points));
    SHOAL_TRY(shoal_path_make(path, "%s/plots", c->report));
    SHOAL_TRY(shoal_folder_make(path));
    int* columns = shoal_alloc((size_t)first->data.stats.column_count + 1, sizeof *columns);
    if (!columns) return SHOAL_ERR_MEMORY;
    shoal_status status = SHOAL_OK;
    for (int key = 0; key < SHOAL_CHART_COUNT && status == SHOAL_OK; key++)
        status = plot_key(c, first, (shoal_chart_key)key, columns);
    for (int p = 0; p < first->data.probes.column_count && status == SHOAL_OK; p++)
        status = plot_probe(c, first, first->data.probes.names[p]);
    shoal_free(columns);
    return status;
}
