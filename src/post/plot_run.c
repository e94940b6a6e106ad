// SPDX-License-Identifier: MIT
// The tables of a run into charts:
//
//     DIR/plots/energy.svg  DIR/plots/energy.png  ...  DIR/plots/probe-NAME.svg
//
// plot/columns.h assigns columns to charts and panels; what it does not know goes to "solver".
#include "shoal/plot.h"

#include "base/memory.h"
#include "io/file.h"
#include "plot/chart.h"
#include "plot/columns.h"
#include "post/points.h"
#include "post/post_data.h"
#include "post/post_source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEF_MADE = 0x504c5431, WIDTH = 960, WIDTH_LEAST = 320, WIDTH_MOST = 8000 };

shoal_plot_def shoal_plot_def_default(void) { return (shoal_plot_def){.width = WIDTH, .made_by_default = DEF_MADE}; }

typedef struct plot_job {
    const shoal_plot_def* def;
    const char*           folder;
    post_data             data;
    post_points           points;
    shoal_table           surface; // surface.csv; no columns: there is none
    char                  note[256];
} plot_job;

// --- charts

static shoal_status write_chart(const plot_job* p, const shoal_chart* chart, const char* stem) {
    char folder[SHOAL_PATH_SIZE];
    SHOAL_TRY(shoal_path_make(folder, "%s/plots", p->folder));
    return post_chart_write(chart, p->def->width, folder, stem, p->def->done, p->def->user);
}

// What is worth a line: numbers of particles are only where they change.
static int lines_of(const shoal_solver_type* type, const shoal_table* t, shoal_chart_key key, int* out) {
    int count = shoal_columns_of(type, t, key, out), left = 0;
    for (int i = 0; i < count; i++)
        if (!shoal_column_is_idle(type, t, out[i])) out[left++] = out[i];
    return left;
}

// The mesh volumes of one material, out of rows of several, as a line.
static void add_mesh(const shoal_table* t, shoal_chart* chart, int first, int style, double* scratch) {
    const double *time = shoal_table_named(t, "time_s"), *mesh = shoal_table_named(t, "mesh_m3");
    int           count = 0;
    char          name[80];
    for (int i = first; i < t->row_count; i++) {
        if (strcmp(t->words[i], t->words[first]) != 0) continue;
        scratch[count]                  = time[i];
        scratch[t->row_count + count++] = mesh[i];
    }
    snprintf(name, sizeof name, "mesh of %.60s", t->words[first]);
    shoal_chart_series(chart, name, style, SHOAL_SERIES_LINE, scratch, scratch + t->row_count, count);
}

// What `shoal surface` measured, one line per material.
static void add_meshes(const shoal_table* t, shoal_chart* chart) {
    bool is_whole =
        t->words && shoal_table_find(t, "time_s") >= 0 && shoal_table_find(t, "mesh_m3") >= 0 && t->row_count > 0;
    double* scratch = is_whole ? shoal_alloc(2 * (size_t)t->row_count, sizeof *scratch) : NULL;
    if (!scratch) return;
    for (int first = 0, style = 1; first < t->row_count; first++) {
        bool is_new = true;
        for (int i = 0; i < first && is_new; i++) is_new = strcmp(t->words[i], t->words[first]) != 0;
        if (is_new) add_mesh(t, chart, first, style++, scratch);
    }
    shoal_free(scratch);
}

static void fill_chart(const plot_job* p, shoal_chart* chart, const int* columns, int count) {
    const shoal_table* t     = &p->data.stats;
    const double*      time  = shoal_table_named(t, "time_s");
    int                style = 0, begin = 0;
    char               panel[64] = "";
    for (int i = 0; i <= count; i++) {
        shoal_column c;
        if (i < count) shoal_column_describe(p->data.type, t->names[columns[i]], &c);
        bool is_next = i == count || strcmp(c.panel, panel) != 0;
        if (is_next) // points come after all lines of their panel
            for (int k = begin; k < i; k++) {
                shoal_column column_info;
                shoal_column_describe(p->data.type, t->names[columns[k]], &column_info);
                post_points_overlay(&p->points, chart, t->names[columns[k]], column_info.name);
            }
        if (i == count) break;
        if (is_next) {
            snprintf(panel, sizeof panel, "%s", c.panel);
            shoal_chart_panel(chart, c.panel, c.unit, c.kind & SHOAL_COLUMN_ZERO);
            style = 0;
            begin = i;
        }
        shoal_chart_series(chart, c.name, style++, SHOAL_SERIES_LINE, time, shoal_table_column(t, columns[i]),
                           t->row_count);
        if (strcmp(t->names[columns[i]], "volume_m3") == 0) add_meshes(&p->surface, chart);
    }
}

static shoal_status plot_stats(const plot_job* p, shoal_chart_key key, int* columns) {
    int count = lines_of(p->data.type, &p->data.stats, key, columns);
    if (count == 0) return SHOAL_OK;
    shoal_chart* chart = shoal_chart_create(shoal_chart_title(key), p->note, "time", "s");
    if (!chart) return SHOAL_ERR_MEMORY;
    fill_chart(p, chart, columns, count);
    shoal_status status = write_chart(p, chart, shoal_chart_stem(key));
    shoal_chart_destroy(chart);
    return status;
}

static shoal_status plot_probe(const plot_job* p, int column) {
    const shoal_table* t    = &p->data.probes;
    const char*        name = t->names[column];
    const char *       kind, *unit;
    char               title[160], stem[96];
    if (strcmp(name, "time_s") == 0) return SHOAL_OK;
    post_data_probe(&p->data, name, &kind, &unit);
    snprintf(title, sizeof title, "Probe %.140s", name);
    snprintf(stem, sizeof stem, "probe-%.80s", name);
    post_name_for_files(stem);
    shoal_chart* chart = shoal_chart_create(title, p->note, "time", "s");
    if (!chart) return SHOAL_ERR_MEMORY;
    shoal_chart_panel(chart, kind, unit, false);
    shoal_chart_series(chart, post_points_has(&p->points, name) ? "simulation" : "", 0, SHOAL_SERIES_LINE,
                       shoal_table_named(t, "time_s"), shoal_table_column(t, column), t->row_count);
    post_points_overlay(&p->points, chart, name, "");
    shoal_status status = write_chart(p, chart, stem);
    shoal_chart_destroy(chart);
    return status;
}

static void make_note(plot_job* p) {
    const char *name = post_data_text(&p->data, "name"), *solver = post_data_text(&p->data, "solver");
    double      particles = post_data_number(&p->data, "particles");
    int         used      = snprintf(p->note, sizeof p->note, "%.80s%s%.40s", name, *solver ? " · " : "", solver);
    if (isfinite(particles) && isfinite(p->data.spacing))
        snprintf(p->note + used, sizeof p->note - (size_t)used, " · %.0f particles · spacing %.4g m", particles,
                 p->data.spacing);
}

static shoal_status plot_all(plot_job* p) {
    char path[SHOAL_PATH_SIZE];
    SHOAL_TRY(post_data_read(p->folder, &p->data));
    SHOAL_TRY(post_points_read(p->def->points, &p->data, &p->points));
    SHOAL_TRY(shoal_path_make(path, "%s/surface.csv", p->folder));
    if (shoal_path_exists(path)) SHOAL_TRY(shoal_table_read(path, "material", &p->surface));
    make_note(p);
    SHOAL_TRY(shoal_path_make(path, "%s/plots", p->folder));
    SHOAL_TRY(shoal_folder_make(path));
    int* columns = shoal_alloc((size_t)p->data.stats.column_count + 1, sizeof *columns);
    if (!columns) return SHOAL_ERR_MEMORY;
    shoal_status status = SHOAL_OK;
    for (int key = 0; key < SHOAL_CHART_COUNT && status == SHOAL_OK; key++)
        status = plot_stats(p, (shoal_chart_key)key, columns);
    for (int c = 0; c < p->data.probes.column_count && status == SHOAL_OK; c++) status = plot_probe(p, c);
    shoal_free(columns);
    return status;
}

shoal_status shoal_plot_run(const shoal_plot_def* def, const char* folder) {
    if (def->made_by_default != DEF_MADE)
        return shoal_fail(SHOAL_ERR_PARAM, "the settings of the plots were not made by shoal_plot_def_default");
    if (def->width < WIDTH_LEAST || def->width > WIDTH_MOST)
        return shoal_fail(SHOAL_ERR_PARAM, "width = %d of the plots is outside [%d, %d]", def->width, WIDTH_LEAST,
                          WIDTH_MOST);
    plot_job* p = shoal_alloc(1, sizeof *p);
    if (!p) return SHOAL_ERR_MEMORY;
    p->def              = def;
    p->folder           = folder;
    shoal_status status = plot_all(p);
    post_points_free(&p->points);
    shoal_table_free(&p->surface);
    post_data_free(&p->data);
    shoal_free(p);
    return status;
}
