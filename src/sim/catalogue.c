// SPDX-License-Identifier: MIT
// What solvers there are, and what their lists say: sets, fields, columns, parameters.
#include "param/param.h"
#include "sim/sim_local.h"
#include "state/part.h"

#include <math.h>

enum { SOLVERS_MOST = 16 };

static const char* materials_of(const shoal_solver_type* type) {
    bool liquid = type->material_kinds & (1u << SHOAL_LIQUID), sand = type->material_kinds & (1u << SHOAL_GRANULAR);
    return liquid && sand ? "liquids, sand" : sand ? "sand" : "liquids";
}

const shoal_solver_info* shoal_solvers(void) {
    static shoal_solver_info infos[SOLVERS_MOST];
    for (int k = 0; k < SOLVERS_MOST - 1 && shoal_solver_types[k]; k++) {
        const shoal_solver_type* type = shoal_solver_types[k];
        infos[k]                      = (shoal_solver_info){type->name, type->summary, materials_of(type)};
    }
    return infos;
}

// ---------------------------------------------------------------------------------- as JSON

static void member(shoal_text* text, const char* key, const char* value) {
    shoal_text_add(text, ", \"%s\": ", key);
    shoal_json_string(text, value);
}

static void add_field(shoal_text* text, const shoal_field_def* field, bool is_in_frames) {
    static const char* const types[] = {
        [SHOAL_F1] = "float",    [SHOAL_V3] = "float[3]", [SHOAL_V4] = "float[4]",  [SHOAL_I1] = "int32",
        [SHOAL_U1] = "uint8",    [SHOAL_D1] = "double",   [SHOAL_D3] = "double[3]", [SHOAL_L1] = "int64",
        [SHOAL_I3] = "int32[3]", [SHOAL_R3] = "place[3]", [SHOAL_R4] = "place[4]",  [SHOAL_R1] = "place",
        [SHOAL_S6] = "float[6]"};
    static const char* const shown[] = {
        [SHOAL_IF_NAMED] = "named", [SHOAL_ALWAYS] = "always", [SHOAL_WITH_SAND] = "with sand"};
    int         places = shoal_type_places(field->type);
    const char* when   = !is_in_frames || places == 1 ? "never" : places > 1 ? "as cells" : shown[field->shown];
    shoal_text_add(text,
                   "{\"name\": \"%s\", \"type\": \"%s\", \"width\": %d, \"role\": \"%s\", "
                   "\"in_frames\": \"%s\"",
                   field->name, types[field->type], field->width > 0 ? field->width : 1,
                   field->role == SHOAL_STATE ? "state" : "output", when);
    member(text, places > 0 ? "set" : "unit", field->unit);
    member(text, "help", field->help);
    shoal_text_add(text, "}");
}

static void add_set(shoal_text* text, const shoal_solver_type* type, int set, const shoal_part* parts, int part_count) {
    static const char* const cells[] = {"points", "", "", "triangles", "tetrahedra"};
    const shoal_set_def*     def     = &type->sets[set];
    const shoal_field_def*   field;
    shoal_text_add(text, "{\"name\": \"%s\", \"part\": ", def->name);
    int at = 0;
    while (at < part_count && parts[at].set != set) at++;
    if (at < part_count)
        shoal_json_string(text, cells[parts[at].corners]);
    else
        shoal_text_add(text, "null");
    shoal_text_add(text, ", \"fields\": [");
    const char* comma        = "\n      ";
    bool        is_in_frames = at < part_count;
    for (int k = 0; k < part_count; k++) is_in_frames |= parts[k].points == set;
    for (int k = 0; (field = shoal_set_field_at(def, k)); k++) {
        if (field->role == SHOAL_SCRATCH) continue;
        shoal_text_add(text, "%s", comma);
        add_field(text, field, is_in_frames);
        comma = ",\n      ";
    }
    shoal_text_add(text, "]}");
}

static void add_number(shoal_text* text, const char* key, double value) {
    char buffer[32];
    shoal_text_add(text, ", \"%s\": %s", key, isfinite(value) ? shoal_number_print(value, true, buffer) : "null");
}

static void add_param(shoal_text* text, const shoal_param_def* param) {
    static const char* const types[] = {[SHOAL_PARAM_INT]        = "int",
                                        [SHOAL_PARAM_FLOAT]      = "float",
                                        [SHOAL_PARAM_BOOL]       = "bool",
                                        [SHOAL_PARAM_V3]         = "float[3]",
                                        [SHOAL_PARAM_WORD]       = "word",
                                        [SHOAL_PARAM_AUTO_INT]   = "int or auto",
                                        [SHOAL_PARAM_AUTO_FLOAT] = "float or auto",
                                        [SHOAL_PARAM_DOUBLE]     = "double",
                                        [SHOAL_PARAM_D3]         = "double[3]",
                                        [SHOAL_PARAM_OTHER]      = "other"};
    bool                     is_word = param->type == SHOAL_PARAM_WORD;
    char                     buffer[64];
    shoal_text_add(text, "{\"name\": \"%s\", \"type\": \"%s\"", param->name, types[param->type]);
    if (is_word) {
        const char* word;
        member(text, "default", shoal_param_word(param, (int)param->value, buffer, sizeof buffer));
        shoal_text_add(text, ", \"words\": [");
        for (int k = 0; (word = shoal_param_word(param, k, buffer, sizeof buffer)); k++) {
            shoal_text_add(text, k ? ", " : "");
            shoal_json_string(text, word);
        }
        shoal_text_add(text, "]");
    } else {
        bool is_auto =
            (param->type == SHOAL_PARAM_AUTO_INT || param->type == SHOAL_PARAM_AUTO_FLOAT) && param->value == 0.0;
        if (is_auto)
            member(text, "default", "auto");
        else if (param->type == SHOAL_PARAM_BOOL)
            shoal_text_add(text, ", \"default\": %s", param->value != 0.0 ? "true" : "false");
        else
            add_number(text, "default", param->value);
        add_number(text, "min", param->min);
        add_number(text, "max", param->max);
        member(text, "unit", param->unit);
    }
    member(text, "help", param->help);
    shoal_text_add(text, "}");
}

static void add_columns(shoal_text* text, const shoal_column_def* column, const char* comma) {
#define X(key, stem, title) stem,
    static const char* const charts[] = {SHOAL_CHARTS(X) ""};
#undef X
    for (; column && column->name; column++) {
        shoal_text_add(text, "%s\n     {\"name\": \"%s\"", comma, column->name);
        member(text, "unit", column->unit);
        member(text, "help", column->meaning);
        member(text, "chart", charts[column->chart]);
        shoal_text_add(text, "}");
        comma = ",";
    }
}

static void add_solver(shoal_text* text, const shoal_solver_type* type) {
    shoal_part parts[SHOAL_SETS_MOST];
    int        part_count = shoal_parts_of(type->sets, NULL, parts);
    shoal_text_add(text, "  {\"name\": \"%s\"", type->name);
    member(text, "summary", type->summary);
    member(text, "materials", materials_of(type));
    shoal_text_add(text, ",\n   \"sets\": [");
    for (int k = 0; type->sets[k].name; k++) {
        shoal_text_add(text, k ? ",\n     " : "\n     ");
        add_set(text, type, k, parts, part_count);
    }
    shoal_text_add(text, "],\n   \"columns\": [");
    add_columns(text, shoal_sim_columns, "");
    add_columns(text, type->columns, ",");
    shoal_text_add(text, "],\n   \"obstacle_columns\": [");
    add_columns(text, type->obstacle_columns, "");
    shoal_text_add(text, "],\n   \"parameters\": [");
    for (const shoal_param_def* param = type->params; param->name; param++) {
        shoal_text_add(text, param == type->params ? "\n     " : ",\n     ");
        add_param(text, param);
    }
    shoal_text_add(text, "]}");
}

static shoal_status hand_over(shoal_text* text, char** out) {
    *out = text->failed ? NULL : text->bytes;
    if (!text->failed) return SHOAL_OK;
    shoal_text_free(text);
    return SHOAL_ERR_MEMORY;
}

shoal_status shoal_solvers_json(char** out) {
    shoal_text text = {0};
    shoal_text_add(&text, "{\"solvers\": [\n");
    for (int k = 0; shoal_solver_types[k]; k++) {
        shoal_text_add(&text, k ? ",\n" : "");
        add_solver(&text, shoal_solver_types[k]);
    }
    shoal_text_add(&text, "\n]}\n");
    return hand_over(&text, out);
}

// ---------------------------------------------------------------------------------- as Markdown

static void table_head(shoal_text* text) { shoal_text_add(text, "| column | unit | meaning |\n|---|---|---|\n"); }

static void table_rows(shoal_text* text, const shoal_column_def* column, const char* before) {
    for (; column && column->name; column++)
        shoal_text_add(text, "| `%s%s` | %s | %s |\n", before, column->name, column->unit, column->meaning);
}

shoal_status shoal_columns_markdown(char** out) {
    shoal_text text = {0};
    table_head(&text);
    table_rows(&text, shoal_frame_columns, "");
    table_rows(&text, shoal_sim_columns, "");
    shoal_text_add(&text, "\nThen the solver's own.");
    for (int k = 0; shoal_solver_types[k]; k++) {
        const shoal_solver_type* type = shoal_solver_types[k];
        if (!type->columns) continue;
        shoal_text_add(&text, "%s `%s`:\n\n", k ? "\nOf" : " Of", type->name);
        table_head(&text);
        table_rows(&text, type->columns, "");
        table_rows(&text, type->obstacle_columns, "NAME_");
    }
    shoal_text_add(
        &text, "\n`NAME_` is the name of an obstacle that has one in the scene; such columns come last, obstacle by "
               "obstacle. Charts (`shoal plot`) also know, and points may be given for:\n\n");
    table_head(&text);
    table_rows(&text, shoal_chart_columns, "");
    return hand_over(&text, out);
}
