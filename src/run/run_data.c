// SPDX-License-Identifier: MIT
// stats.csv, probes.csv and run.json of a folder. The tables are needed, run.json only explains.
#include "run/run_data.h"

#include "base/memory.h"
#include "io/file.h"
#include "plot/columns.h"
#include "shoal/files.h"

#include <math.h>
#include <string.h>

static shoal_status read_table(const char* folder, const char* name, shoal_table* out) {
    char path[SHOAL_PATH_ROOM];
    SHOAL_TRY(shoal_path_make(path, "%s/%s", folder, name));
    if (!shoal_path_exists(path)) return SHOAL_OK;
    SHOAL_TRY(shoal_table_read(path, NULL, out));
    if (shoal_table_find(out, "time_s") < 0) return shoal_fail(SHOAL_ERR_INPUT, "%s: has no column time_s", path);
    return SHOAL_OK;
}

static void read_json(const char* folder, run_data* out) {
    char   path[SHOAL_PATH_ROOM];
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

typedef struct part {
    const char* column;
    double      share;
} part;

// A sum over columns, those that are there; none without the first.
static shoal_status derive(shoal_table* t, const char* name, const part* parts, int count) {
    if (shoal_table_find(t, parts[0].column) < 0 || shoal_table_find(t, name) >= 0) return SHOAL_OK;
    double* values = shoal_alloc((size_t)t->row_count + 1, sizeof *values);
    if (!values) return SHOAL_ERR_MEMORY;
    for (int p = 0; p < count; p++) {
        const double* column = shoal_table_named(t, parts[p].column);
        for (int i = 0; i < t->row_count && column; i++) values[i] += parts[p].share * column[i];
    }
    shoal_status status = shoal_table_add(t, name, values);
    shoal_free(values);
    return status;
}

static shoal_status derive_all(run_data* data) {
    const part energies[] = {{"potential_j", 1.0}, {"kinetic_j", 1.0}, {"elastic_j", 1.0}, {"rotation_j", 1.0}};
    if (shoal_table_find(&data->stats, "kinetic_j") >= 0) SHOAL_TRY(derive(&data->stats, "total_j", energies, 4));
    if (!isfinite(data->spacing)) return SHOAL_OK;
    // water among grains is finer than these; a grain and its pores, 0.4 of the bulk, are less than its cube
    double     cube = pow(data->spacing, 3.0), pitch = run_data_number(data, "scene.grains.water_spacing");
    bool       is_mixed  = strcmp(run_data_text(data, "solver"), "grains") == 0 && isfinite(pitch);
    double     fine      = is_mixed ? pow(pitch, 3.0) * cube : cube;
    double     sand      = SHOAL_PI / 6.0 / 0.6 * cube;
    const part volumes[] = {{"particles", fine}, {"dry", sand - fine}, {"wet", sand - fine}, {"overwet", sand - fine}};
    return derive(&data->stats, "volume_m3", volumes, 4);
}

// Frame 0 has no step: what is told of steps there is no measurement.
static void blank_start(shoal_table* t) {
    const double* substeps = shoal_table_named(t, "substeps");
    for (int c = 0; c < t->column_count && substeps; c++) {
        shoal_column told;
        if (!shoal_column_describe(t->names[c], &told)) continue;
        if (told.chart != SHOAL_CHART_TIME && told.chart != SHOAL_CHART_SOLVER) continue;
        if (t->values + (size_t)c * (size_t)t->row_count == substeps) continue;
        for (int i = 0; i < t->row_count; i++)
            if (substeps[i] == 0.0) t->values[(size_t)c * (size_t)t->row_count + (size_t)i] = (double)NAN;
    }
}

shoal_status run_data_read(const char* folder, run_data* out) {
    *out = (run_data){.spacing = (double)NAN};
    if (!shoal_path_is_folder(folder)) return shoal_fail(SHOAL_ERR_FILE, "%s: no such folder", folder);
    SHOAL_TRY(read_table(folder, "stats.csv", &out->stats));
    SHOAL_TRY(read_table(folder, "probes.csv", &out->probes));
    if (out->stats.column_count + out->probes.column_count == 0)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: holds neither stats.csv nor probes.csv; is it the folder of a run?",
                          folder);
    read_json(folder, out);
    out->spacing = run_data_number(out, "scene.spacing");
    SHOAL_TRY(derive_all(out));
    blank_start(&out->stats);
    return SHOAL_OK;
}

void run_data_free(run_data* data) {
    shoal_table_free(&data->stats);
    shoal_table_free(&data->probes);
    shoal_scene_destroy(data->json);
    *data = (run_data){0};
}

static const shoal_node* node_at(const run_data* data, const char* path) {
    return data->json ? shoal_node_find(data->json->root, path, strlen(path)) : NULL;
}

const char* run_data_text(const run_data* data, const char* path) {
    const shoal_node* node = node_at(data, path);
    return node && node->text ? node->text : "";
}

double run_data_number(const run_data* data, const char* path) {
    const shoal_node* node = node_at(data, path);
    return node && node->kind == SHOAL_NODE_NUMBER ? node->number : (double)NAN;
}

void run_data_probe(const run_data* data, const char* name, const char** kind, const char** unit) {
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
