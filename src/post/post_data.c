// SPDX-License-Identifier: MIT
// stats.csv, probes.csv and run.json of a folder. The tables are needed, run.json only explains.
#include "post/post_data.h"

#include "base/memory.h"
#include "io/file.h"
#include "plot/columns.h"
#include "shoal/files.h"
#include "solvers/registry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static shoal_status read_table(const char* folder, const char* name, shoal_table* out) {
    char path[SHOAL_PATH_SIZE];
    SHOAL_TRY(shoal_path_make(path, "%s/%s", folder, name));
    if (!shoal_path_exists(path)) return SHOAL_OK;
    SHOAL_TRY(shoal_table_read(path, NULL, out));
    if (shoal_table_find(out, "time_s") < 0) return shoal_fail(SHOAL_ERR_INPUT, "%s: has no column time_s", path);
    return SHOAL_OK;
}

static void read_json(const char* folder, post_data* out) {
    char   path[SHOAL_PATH_SIZE];
    char*  bytes;
    size_t size;
    if (shoal_path_make(path, "%s/run.json", folder) != SHOAL_OK) return;
    if (shoal_file_read(path, &bytes, &size) != SHOAL_OK) return;
    if (shoal_scene_parse(bytes, size, path, &out->json) != SHOAL_OK) {
        shoal_scene_destroy(out->json);
        out->json = NULL;
    }
    shoal_free(bytes);
}

// The solver of the run; where nothing tells, the one most of whose columns are there, if all of them are.
static const shoal_solver_type* find_type(const post_data* data) {
    const shoal_solver_type *type = shoal_solver_find(post_data_text(data, "solver")), *best = NULL;
    for (int k = 0; !type && shoal_solver_types[k]; k++) {
        const shoal_solver_type* t       = shoal_solver_types[k];
        int                      count   = shoal_column_count(t->columns);
        bool                     has_all = count > (best ? shoal_column_count(best->columns) : 0);
        for (int c = 0; c < count && has_all; c++) has_all = shoal_table_find(&data->stats, t->columns[c].name) >= 0;
        if (has_all) best = t;
    }
    return type ? type : best;
}

// A column of sums over others of the table, each of which `weigh` weighs; NAN: it does not belong there.
static shoal_status derive(post_data* data, const char* name, double (*weigh)(const post_data*, const char*)) {
    shoal_table* t = &data->stats;
    if (shoal_table_find(t, name) >= 0) return SHOAL_OK;
    double* values = shoal_alloc((size_t)t->row_count + 1, sizeof *values);
    if (!values) return SHOAL_ERR_MEMORY;
    for (int c = 0; c < t->column_count; c++) {
        double        each   = weigh(data, t->names[c]);
        const double* column = shoal_table_column(t, c);
        for (int i = 0; i < t->row_count && isfinite(each); i++) values[i] += each * column[i];
    }
    shoal_status status = shoal_table_add(t, name, values);
    shoal_free(values);
    return status;
}

static double energy_weight(const post_data* data, const char* name) {
    shoal_column column_info;
    bool is_one = shoal_column_describe(data->type, name, &column_info) && column_info.chart == SHOAL_CHART_ENERGY;
    return is_one ? 1.0 : (double)NAN;
}

// What a particle takes up at rest, m^3. Those of liquids may be finer than the spacing, by the set in which they live;
// a grain and its pores, 0.4 of the bulk, are less than its cube. All are counted as liquid first, and what is sand
// anew.
static double volume_weight(const post_data* data, const char* name) {
    double       cube = pow(data->spacing, 3.0), fine = cube;
    char         path[128];
    shoal_column column_info;
    for (const shoal_set_def* set = data->type ? data->type->sets : NULL; set && set->name; set++) {
        if (!set->spacing) continue;
        snprintf(path, sizeof path, "scene.%s.%s", data->type->name, set->spacing);
        double relative = post_data_number(data, path);
        if (isfinite(relative)) fine = pow(relative, 3.0) * cube;
    }
    if (strcmp(name, "particles") == 0) return fine;
    bool is_sand = shoal_column_describe(data->type, name, &column_info) && column_info.kind == SHOAL_COLUMN_SAND;
    return is_sand ? SHOAL_PI / 6.0 / 0.6 * cube - fine : (double)NAN;
}

static shoal_status derive_all(post_data* data) {
    const shoal_table* t = &data->stats;
    if (shoal_table_find(t, "kinetic_j") >= 0 && shoal_table_find(t, "potential_j") >= 0)
        SHOAL_TRY(derive(data, "total_j", energy_weight));
    if (!isfinite(data->spacing) || shoal_table_find(t, "particles") < 0) return SHOAL_OK;
    return derive(data, "volume_m3", volume_weight);
}

// Frame 0 has no step: values of steps there are no measurement.
static void blank_start(const shoal_solver_type* type, shoal_table* t) {
    const double* substeps = shoal_table_named(t, "substeps");
    for (int c = 0; c < t->column_count && substeps; c++) {
        shoal_column column_info;
        if (!shoal_column_describe(type, t->names[c], &column_info)) continue;
        if (column_info.chart != SHOAL_CHART_TIME && column_info.chart != SHOAL_CHART_SOLVER) continue;
        if (t->values + (size_t)c * (size_t)t->row_count == substeps) continue;
        for (int i = 0; i < t->row_count; i++)
            if (substeps[i] == 0.0) t->values[(size_t)c * (size_t)t->row_count + (size_t)i] = (double)NAN;
    }
}

shoal_status post_data_read(const char* folder, post_data* out) {
    *out = (post_data){.spacing = (double)NAN};
    if (!shoal_path_is_folder(folder)) return shoal_fail(SHOAL_ERR_FILE, "%s: no such folder", folder);
    SHOAL_TRY(read_table(folder, "stats.csv", &out->stats));
    SHOAL_TRY(read_table(folder, "probes.csv", &out->probes));
    if (out->stats.column_count + out->probes.column_count == 0)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: holds neither stats.csv nor probes.csv; is it the folder of a run?",
                          folder);
    read_json(folder, out);
    out->spacing = post_data_number(out, "scene.spacing");
    out->type    = find_type(out);
    SHOAL_TRY(derive_all(out));
    blank_start(out->type, &out->stats);
    return SHOAL_OK;
}

void post_data_free(post_data* data) {
    shoal_table_free(&data->stats);
    shoal_table_free(&data->probes);
    shoal_scene_destroy(data->json);
    *data = (post_data){0};
}

static const shoal_node* node_at(const post_data* data, const char* path) {
    return data->json ? shoal_node_find(shoal_scene_root(data->json), path, strlen(path)) : NULL;
}

const char* post_data_text(const post_data* data, const char* path) {
    const shoal_node* node = node_at(data, path);
    return node && node->text ? node->text : "";
}

double post_data_number(const post_data* data, const char* path) {
    const shoal_node* node = node_at(data, path);
    return node && node->kind == SHOAL_NODE_NUMBER ? node->number : (double)NAN;
}

void post_data_probe(const post_data* data, const char* name, const char** kind, const char** unit) {
    const shoal_node* list = node_at(data, "scene.probes");
    *kind                  = name;
    *unit                  = "";
    for (const shoal_node* p = list && list->kind == SHOAL_NODE_LIST ? list->first : NULL; p; p = p->next) {
        const shoal_node *known = shoal_node_child(p, "name"), *what = shoal_node_child(p, "kind");
        if (!known || !known->text || strcmp(known->text, name) != 0 || !what || !what->text) continue;
        *kind = what->text;
        *unit = strcmp(what->text, "pressure") == 0 ? "Pa" : "m";
        return;
    }
}
