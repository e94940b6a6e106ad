// SPDX-License-Identifier: MIT
// One frame as what a picture shows: the particles of each material with paint, texture and the
// places they go to, and obstacles where they are.
#include "base/hash.h"
#include "base/words.h"
#include "render/paint.h"
#include "post/part_mesh.h"
#include "post/render_run_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGE_FRAMES = 6 }; // frames that the range of a field is taken from

// --- places by number

void render_run_places_free(render_run_places* places) {
    shoal_free(places->at);
    shoal_free(places->ids);
    *places = (render_run_places){0};
}

// Frames are written in the order of ids; one that is not serves as if it had none.
static shoal_status places_take(const post_material* part, render_run_places* out) {
    size_t count = (size_t)part->particles.count;
    *out         = (render_run_places){0};
    if (!part->ids) return SHOAL_OK;
    for (size_t i = 1; i < count; i++)
        if (part->ids[i] <= part->ids[i - 1]) return SHOAL_OK;
    out->ids = shoal_alloc(count + 1, sizeof *out->ids);
    out->at  = shoal_alloc(count + 1, sizeof *out->at);
    if (!out->ids || !out->at) return SHOAL_ERR_MEMORY;
    memcpy(out->ids, part->ids, count * sizeof *out->ids);
    memcpy(out->at, part->particles.positions, count * sizeof *out->at);
    out->count = (int)count;
    return SHOAL_OK;
}

static int compare_ids(const void* a, const void* b) {
    int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
    return (x > y) - (x < y);
}

static const shoal_v3* place_of(const render_run_places* places, int32_t id) {
    const int32_t* found =
        places->count > 0 ? bsearch(&id, places->ids, (size_t)places->count, sizeof id, compare_ids) : NULL;
    return found ? &places->at[found - places->ids] : NULL;
}

// --- before the first picture

// Of the particles of the first frame; empty when there are none.
static shoal_status first_bounds(const render_run_job* r, shoal_box* out) {
    post_frame   frame;
    shoal_status status = post_frame_load(&r->source, 0, &frame);
    *out                = shoal_box_empty();
    for (int k = 0; k < frame.count && status == SHOAL_OK; k++) {
        const shoal_v3* x = shoal_frame_find(frame.parts[k], "position")->data;
        for (int i = 0; i < frame.parts[k]->points.count; i++)
            if (isfinite(x[i].x) && isfinite(x[i].y) && isfinite(x[i].z))
                *out = shoal_box_with(*out, shoal_d3_from(x[i]));
    }
    post_frame_free(&frame);
    return status;
}

shoal_status render_run_find_box(render_run_job* r) {
    const shoal_domain* domain = &r->obstacles.description->domain;
    shoal_box           first;
    shoal_status        status = first_bounds(r, &first);
    if (status == SHOAL_ERR_MEMORY) return status; // a damaged frame is reported when its turn comes
    if (status != SHOAL_OK || shoal_box_is_empty(first)) first = (shoal_box){{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    r->box  = domain->is_given ? (shoal_box){domain->min, domain->max}
                               : shoal_box_grown(first, 2.0 * r->source.surface.spacing);
    r->seen = shoal_box_is_empty(r->source.subject) ? r->box : r->source.subject;
    return SHOAL_OK;
}

static bool is_by_wetness(const render_run_job* r) {
    return strcmp(r->def->color, "wetness") == 0 || strcmp(r->def->color, "saturation") == 0;
}

// Painted by how wet sand is, a liquid is wet, whatever stands in a field that is not for it.
static bool is_wet(const render_run_job* r, const post_frame* frame, int part, int i) {
    const shoal_description* d = r->obstacles.description;
    if (!is_by_wetness(r)) return false;
    int material = frame->materials[part] ? frame->materials[part][i] : 0;
    return frame->parts[part]->corners == 0 && material < d->material_count &&
           d->materials[material].kind == SHOAL_LIQUID;
}

static double size_of(const float* values, int count) {
    double sum = 0.0;
    for (int c = 0; c < count && c < 3; c++) sum += (double)values[c] * (double)values[c];
    return count == 1 ? (double)values[0] : sqrt(sum);
}

// The number that an item is painted by; NAN: none.
static double painted_value(const render_run_job* r, const post_frame* frame, int part, const shoal_frame_array* field,
                            int i) {
    double sum = 0.0;
    if (is_wet(r, frame, part, i)) return 1.0;
    if (!field) return (double)NAN;
    int n = shoal_frame_components(field);
    if (n == 1) return shoal_frame_value(field, i, 0);
    for (int c = 0; c < n && c < 3; c++) sum += shoal_frame_value(field, i, c) * shoal_frame_value(field, i, c);
    return sqrt(sum);
}

// Fails where no part has the field.
static shoal_status find_field(const render_run_job* r, const post_frame* frame, const shoal_frame_array** out) {
    const char* known[2 * SHOAL_SETS_MOST * SHOAL_FRAME_FIELDS_MOST + 1];
    char        list[512] = "";
    int         count     = 0, items;
    for (int k = 0; k < frame->count; k++) {
        const shoal_frame_table* tables[] = {&frame->parts[k]->points, &frame->parts[k]->cells};
        *out                              = post_frame_find(&r->source, frame, k, r->def->color, &items);
        if (*out) return SHOAL_OK;
        for (int t = 0; t < 2; t++)
            for (int f = 0; f < tables[t]->field_count; f++) {
                const char* name = tables[t]->fields[f].name;
                size_t      used = strlen(list);
                int         at   = 0;
                while (at < count && strcmp(known[at], name) != 0) at++;
                if (at < count) continue; // another part has it, too
                known[count] = name;
                snprintf(list + used, sizeof list - used, "%s%s", count++ ? ", " : "", name);
            }
    }
    known[count]    = NULL;
    const char *dot = strchr(r->def->color, '.'), *near = shoal_nearest_word(dot ? dot + 1 : r->def->color, known);
    return shoal_fail(SHOAL_ERR_INPUT, "the frames have no field \"%.40s\"; they have %s%s%s%s", r->def->color, list,
                      near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int compare_numbers(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// All numbers that a frame is painted by; returns how many, and allocates them.
static shoal_status gather_values(const render_run_job* r, const post_frame* frame, double** out, size_t* out_count) {
    size_t capacity = 1, count = 0;
    int    items;
    for (int k = 0; k < frame->count; k++)
        if (post_frame_find(&r->source, frame, k, r->def->color, &items)) capacity += (size_t)items;
    double* values = shoal_alloc(capacity, sizeof *values);
    if (!values) return SHOAL_ERR_MEMORY;
    for (int k = 0; k < frame->count; k++) {
        const shoal_frame_array* field = post_frame_find(&r->source, frame, k, r->def->color, &items);
        for (int i = 0; field && i < items; i++) {
            double value = painted_value(r, frame, k, field, i);
            if (isfinite(value)) values[count++] = value;
        }
    }
    *out       = values;
    *out_count = count;
    return SHOAL_OK;
}

// Without the wildest hundredth at each end, which would leave all the others one colour.
static shoal_status widen_by(render_run_job* r, const post_frame* frame, double* low, double* high) {
    const shoal_frame_array* field;
    double*                  values = NULL;
    size_t                   count  = 0;
    shoal_status             status = find_field(r, frame, &field);
    if (status == SHOAL_OK) snprintf(r->field_unit, sizeof r->field_unit, "%s", field->unit);
    if (status == SHOAL_OK) status = gather_values(r, frame, &values, &count);
    if (count > 0) {
        qsort(values, count, sizeof *values, compare_numbers);
        *low  = fmin(*low, values[count / 100]);
        *high = fmax(*high, values[count - 1 - count / 100]);
    }
    shoal_free(values);
    return status;
}

static shoal_status widen(render_run_job* r, int index, double* low, double* high, int* used) {
    post_frame   frame;
    shoal_status status = post_frame_load(&r->source, index, &frame);
    if (status != SHOAL_OK) post_frame_free(&frame);
    if (status == SHOAL_ERR_MEMORY) return status;
    if (status != SHOAL_OK) return SHOAL_OK; // a damaged frame is reported when its turn comes
    ++*used;
    status = widen_by(r, &frame, low, high);
    post_frame_free(&frame);
    return status;
}

static void set_range(render_run_job* r, double low, double high) {
    if (!(low <= high)) low = 0.0, high = 1.0;
    if (is_by_wetness(r)) low = 0.0; // dry: where all sand is wet, none may look dry
    render_paint_round(&low, &high);
    r->low  = isfinite(r->def->color_low) ? r->def->color_low : low;
    r->high = isfinite(r->def->color_high) ? r->def->color_high : high;
}

shoal_status render_run_range_of(render_run_job* r, const post_frame* frame) {
    double low = (double)INFINITY, high = -(double)INFINITY;
    SHOAL_TRY(widen_by(r, frame, &low, &high));
    set_range(r, low, high);
    return SHOAL_OK;
}

shoal_status render_run_find_range(render_run_job* r) {
    double low = (double)INFINITY, high = -(double)INFINITY;
    int    used = 0, count = r->source.count;
    // where both ends are given, one frame says that the field is there, and its unit
    int most = isfinite(r->def->color_low) && isfinite(r->def->color_high) ? 1 : RANGE_FRAMES;
    for (int k = 0, last = -1; k < RANGE_FRAMES && used < most; k++) {
        int index = (int)((int64_t)k * (count - 1) / (RANGE_FRAMES - 1));
        if (index != last) SHOAL_TRY(widen(r, index, &low, &high, &used)); // a short run has fewer
        last = index;
    }
    for (int i = 0; i < count && used == 0; i++) SHOAL_TRY(widen(r, i, &low, &high, &used));
    set_range(r, low, high);
    return SHOAL_OK;
}

// --- the frame at hand

static shoal_v3 color_of(const render_run_job* r, int material, double value) {
    bool is_name = strcmp(r->def->color, "material") == 0;
    return is_name ? render_paint_name(material) : render_paint_value(value, r->low, r->high);
}

static shoal_status paint_particles(render_run_job* r, const post_frame* frame, int material) {
    shoal_v3* colors = shoal_alloc((size_t)r->taken[material].particles.count + 1, sizeof *colors);
    if (!colors) return SHOAL_ERR_MEMORY;
    r->paints[material] = colors;
    for (int p = 0; p < frame->count; p++) { // in the order of post_material_take
        const shoal_frame*       part = frame->parts[p];
        int                      items;
        const shoal_frame_array* field = post_frame_find(&r->source, frame, p, r->def->color, &items);
        for (int i = 0; i < part->points.count && part->corners == 0; i++) {
            if (frame->materials[p] ? frame->materials[p][i] != material : material != 0) continue;
            double value = painted_value(r, frame, p, field, i);
            *colors++    = color_of(r, material, value);
            r->has_blank |= isnan(value);
        }
    }
    return SHOAL_OK;
}

// Tetrahedra cut open, in place of the surface of the liquid.
static shoal_status cut_open(render_run_job* r, const post_frame* frame, int material, shoal_surface_mesh** out) {
    int    axis   = r->settings.params.cut - SHOAL_CUT_X;
    double middle = 0.5 * (shoal_d3_axis(r->box.min, axis) + shoal_d3_axis(r->box.max, axis));
    double at     = r->settings.params.cut_at;
    return post_part_cutaway(frame, material, axis, isfinite(at) ? at : middle, out);
}

// Of a mesh, the parts that have the colour are drawn where there are any.
static shoal_status choose_mesh(render_run_job* r, const post_frame* frame, int material) {
    shoal_surface_mesh* mesh = NULL;
    if (r->settings.params.cut != SHOAL_CUT_NONE)
        SHOAL_TRY(cut_open(r, frame, material, &mesh));
    else if (r->def->color)
        SHOAL_TRY(post_part_meshes_with(&r->source, frame, material, r->def->color, &mesh));
    if (!mesh) return SHOAL_OK;
    shoal_surface_mesh_destroy(r->taken[material].mesh);
    r->taken[material].mesh = mesh;
    return SHOAL_OK;
}

// Vertices carry the fields of points, and of cells, by their names alone.
static shoal_status paint_mesh(render_run_job* r, int material) {
    const shoal_surface_mesh* mesh = r->taken[material].mesh;
    const char*               dot  = strrchr(r->def->color, '.');
    const char*               name = dot ? dot + 1 : r->def->color;
    if (!mesh) return SHOAL_OK;
    r->mesh_paints[material] = shoal_alloc((size_t)mesh->vertex_count + 1, sizeof(shoal_v3));
    if (!r->mesh_paints[material]) return SHOAL_ERR_MEMORY;
    const struct shoal_surface_array* field = NULL;
    for (int f = 0; f < mesh->field_count; f++)
        if (strcmp(mesh->fields[f].name, name) == 0) field = &mesh->fields[f];
    for (int i = 0; i < mesh->vertex_count; i++) {
        double value =
            field ? size_of(field->data + (size_t)i * (size_t)field->components, field->components) : (double)NAN;
        r->mesh_paints[material][i] = color_of(r, material, value);
        r->has_blank |= isnan(value);
    }
    return SHOAL_OK;
}

static shoal_status paint(render_run_job* r, const post_frame* frame, int material) {
    const shoal_frame_array* field;
    SHOAL_TRY(find_field(r, frame, &field));
    SHOAL_TRY(paint_particles(r, frame, material));
    SHOAL_TRY(choose_mesh(r, frame, material));
    return paint_mesh(r, material);
}

// A cutaway without a field: by the size of the tetrahedra, from the smallest to the largest by factors, and each a
// little lighter or darker than its neighbours, so that they are told apart.
static shoal_status paint_cutaway(render_run_job* r, const post_frame* frame, int material) {
    SHOAL_TRY(choose_mesh(r, frame, material));
    const shoal_surface_mesh* mesh = r->taken[material].mesh;
    if (!mesh || mesh->field_count < 2 || strcmp(mesh->fields[0].name, "cell_size") != 0)
        return SHOAL_OK; // no tetrahedra
    const float *size = mesh->fields[0].data, *number = mesh->fields[1].data;
    double       least = (double)INFINITY, most = 0.0;
    shoal_v3*    colors = shoal_alloc((size_t)mesh->vertex_count + 1, sizeof *colors);
    if (!colors) return SHOAL_ERR_MEMORY;
    r->mesh_paints[material] = colors;
    for (int i = 0; i < mesh->vertex_count; i++) {
        least = fmin(least, (double)size[i]);
        most  = fmax(most, (double)size[i]);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        double shade = 0.8 + 0.4 * shoal_random(1, 1, (uint64_t)number[i]);
        colors[i]    = shoal_v3_scale(render_paint_value(log((double)size[i]), log(least), log(most)), (float)shade);
    }
    return SHOAL_OK;
}

// Where the texture of each particle lay when the run began; what came later brings a piece of its
// own.
static shoal_status find_rest(render_run_job* r, int material) {
    const post_material* part  = &r->taken[material];
    size_t               count = (size_t)part->particles.count;
    if (!part->ids) return SHOAL_OK;
    shoal_v3* rest = shoal_alloc(count + 1, sizeof *rest);
    if (!rest) return SHOAL_ERR_MEMORY;
    r->rests[material] = rest;
    for (size_t i = 0; i < count; i++) {
        const shoal_v3* found = place_of(&r->rest, part->ids[i]);
        float           piece = 0.37f * (float)(part->ids[i] % 9973);
        rest[i]               = found ? *found : shoal_v3_make(piece, 2.0f * piece, 3.0f * piece);
    }
    return SHOAL_OK;
}

static bool wants_rest(const render_run_job* r) {
    return r->settings.params.sand == SHOAL_SAND_MESH && !r->def->color && !r->def->is_preview;
}

bool render_run_wants_next(const render_run_job* r) {
    return r->settings.params.blur == SHOAL_BLUR_PARTICLES && !r->def->is_preview;
}

// All materials together: a number belongs to one particle only.
static shoal_status load_first(render_run_job* r) {
    post_frame    frame;
    post_material all = {0};
    if (r->rest.count > 0) return SHOAL_OK;
    shoal_status status = post_frame_load(&r->source, 0, &frame);
    for (int k = 0; k < frame.count; k++) frame.materials[k] = NULL;
    if (status == SHOAL_OK) status = post_material_take(&frame, 0, r->source.surface.spacing, &all);
    if (status == SHOAL_OK) status = places_take(&all, &r->rest);
    post_material_free(&all);
    post_frame_free(&frame);
    return status;
}

static shoal_status check_places(const post_material* part) {
    for (int64_t i = 0; i < 3 * part->particles.count; i++)
        if (!isfinite(part->particles.positions[i]))
            return shoal_fail(SHOAL_ERR_INPUT, "particle %lld has a position that is not a number", (long long)(i / 3));
    return SHOAL_OK;
}

static shoal_status take_next(render_run_job* r, int index) {
    post_frame   frame;
    shoal_status status = post_frame_load(&r->source, index + 1, &frame);
    for (int m = 0; m < r->part_count && status == SHOAL_OK; m++) {
        post_material part = {0};
        status             = post_material_take(&frame, m, r->source.surface.spacing, &part);
        if (status == SHOAL_OK) status = check_places(&part);
        if (status == SHOAL_OK) status = places_take(&part, &r->next[m]);
        post_material_free(&part);
    }
    post_frame_free(&frame);
    return status;
}

// Where there is no next frame, or none that can be used, velocities lead on.
static shoal_status load_next(render_run_job* r, int index) {
    r->step_s = 1.0 / r->source.surface.fps;
    if (index + 1 >= r->source.count) return SHOAL_OK;
    r->step_s           = (r->source.numbers[index + 1] - r->source.numbers[index]) / r->source.surface.fps;
    shoal_status status = take_next(r, index);
    if (status == SHOAL_OK || status == SHOAL_ERR_MEMORY) return status;
    for (int m = 0; m < r->part_count; m++) render_run_places_free(&r->next[m]);
    return SHOAL_OK;
}

shoal_status render_run_open_parts(render_run_job* r, const post_frame* frame) {
    const shoal_description* d     = r->obstacles.description;
    size_t                   count = (size_t)r->source.material_count;
    r->taken                       = shoal_alloc(count, sizeof *r->taken);
    r->parts                       = shoal_alloc(count, sizeof *r->parts);
    r->paints                      = shoal_alloc(count, sizeof *r->paints);
    r->rests                       = shoal_alloc(count, sizeof *r->rests);
    r->next                        = shoal_alloc(count, sizeof *r->next);
    r->between                     = shoal_alloc(count, sizeof *r->between);
    r->mesh_paints                 = shoal_alloc(count, sizeof *r->mesh_paints);
    r->mesh_places                 = shoal_alloc(count, sizeof *r->mesh_places);
    if (!r->taken || !r->parts || !r->paints || !r->rests || !r->next || !r->between || !r->mesh_paints ||
        !r->mesh_places)
        return SHOAL_ERR_MEMORY;
    r->part_count = (int)count;
    for (int m = 0; m < r->part_count; m++) {
        SHOAL_TRY(post_material_take(frame, m, r->source.surface.spacing, &r->taken[m]));
        if (r->def->color)
            SHOAL_TRY(paint(r, frame, m));
        else if (r->settings.params.cut != SHOAL_CUT_NONE)
            SHOAL_TRY(paint_cutaway(r, frame, m));
        if (wants_rest(r)) SHOAL_TRY(find_rest(r, m));
        bool is_known = m < d->material_count;
        r->parts[m]   = (render_part){.name       = is_known ? d->materials[m].name : r->source.materials[m],
                                      .is_sand    = is_known && d->materials[m].kind == SHOAL_GRANULAR,
                                      .particles  = r->taken[m].particles,
                                      .ids        = r->taken[m].ids,
                                      .rest       = r->rests[m],
                                      .paint      = r->paints[m],
                                      .mesh       = r->taken[m].mesh,
                                      .mesh_paint = r->mesh_paints[m]};
    }
    for (int m = 0; m < r->part_count; m++) SHOAL_TRY(check_places(&r->taken[m]));
    return SHOAL_OK;
}

shoal_status render_run_open_solids(render_run_job* r) {
    size_t count = (size_t)r->obstacles.count;
    r->solids    = shoal_alloc(count + 1, sizeof *r->solids);
    r->meshes    = shoal_alloc(count + 1, sizeof *r->meshes);
    if (!r->solids || !r->meshes) return SHOAL_ERR_MEMORY;
    for (int k = 0; k < r->obstacles.count; k++) {
        SHOAL_TRY(post_obstacle_mesh(&r->obstacles, k, &r->meshes[k]));
        r->solids[k] = (render_solid){r->obstacles.world->obstacles[k].name, r->meshes[k]};
    }
    r->contents = (render_contents){.settings    = &r->settings,
                                    .surface     = &r->source.surface.surface,
                                    .world       = r->obstacles.world,
                                    .spacing     = r->source.surface.spacing,
                                    .box         = r->box,
                                    .pane_top    = r->seen.max.y,
                                    .part_count  = r->part_count,
                                    .solid_count = r->obstacles.count,
                                    .parts       = r->parts,
                                    .solids      = r->solids};
    return SHOAL_OK;
}

shoal_status render_run_open_frame(render_run_job* r, int index) {
    post_frame   frame;
    shoal_status status = post_frame_load(&r->source, index, &frame);
    r->time             = frame.time;
    r->has_blank        = false;
    if (status == SHOAL_OK && wants_rest(r)) status = load_first(r);
    if (status == SHOAL_OK) status = render_run_open_parts(r, &frame);
    post_frame_free(&frame);
    SHOAL_TRY(status);
    if (render_run_wants_next(r)) SHOAL_TRY(load_next(r, index));
    shoal_world_move(r->obstacles.world, r->time, 0.0);
    return render_run_open_solids(r);
}

void render_run_close_frame(render_run_job* r) {
    for (int k = 0; k < r->obstacles.count && r->meshes; k++) shoal_surface_mesh_destroy(r->meshes[k]);
    for (int m = 0; m < r->part_count; m++) {
        post_material_free(&r->taken[m]);
        shoal_free(r->mesh_paints[m]);
        shoal_free(r->mesh_places[m]);
        shoal_free(r->paints[m]);
        shoal_free(r->rests[m]);
        shoal_free(r->between[m]);
        render_run_places_free(&r->next[m]);
    }
    shoal_free(r->meshes);
    shoal_free(r->solids);
    shoal_free(r->mesh_places);
    shoal_free(r->mesh_paints);
    shoal_free(r->between);
    shoal_free(r->next);
    shoal_free(r->rests);
    shoal_free(r->paints);
    shoal_free(r->parts);
    shoal_free(r->taken);
    r->meshes      = NULL;
    r->solids      = NULL;
    r->between     = NULL;
    r->mesh_paints = NULL;
    r->mesh_places = NULL;
    r->next        = NULL;
    r->rests = r->paints = NULL;
    r->parts             = NULL;
    r->taken             = NULL;
    r->part_count        = 0;
}

// --- between frames

static shoal_status move_part(render_run_job* r, int material, double seconds) {
    const post_material* part     = &r->taken[material];
    const render_part*   shown    = &r->parts[material];
    const shoal_v3*      velocity = (const shoal_v3*)render_part_field(shown, "velocity", 3);
    const shoal_v3*      from     = (const shoal_v3*)part->particles.positions;
    size_t               count    = (size_t)part->particles.count;
    if (!r->between[material]) r->between[material] = shoal_alloc(count + 1, sizeof(shoal_v3));
    shoal_v3* to = r->between[material];
    if (!to) return SHOAL_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const shoal_v3* next = part->ids ? place_of(&r->next[material], part->ids[i]) : NULL;
        if (next)
            to[i] = shoal_v3_add_scaled(from[i], shoal_v3_sub(*next, from[i]), (float)(seconds / r->step_s));
        else
            to[i] = velocity ? shoal_v3_add_scaled(from[i], velocity[i], (float)seconds) : from[i];
    }
    r->parts[material].particles.positions = &to->x;
    return SHOAL_OK;
}

// Vertices of meshes have no numbers that last, so their velocities lead on.
static shoal_status move_mesh(render_run_job* r, int material, double seconds) {
    shoal_surface_mesh* mesh = r->taken[material].mesh;
    if (!mesh) return SHOAL_OK;
    size_t floats = 3 * (size_t)mesh->vertex_count;
    if (!r->mesh_places[material]) {
        r->mesh_places[material] = shoal_alloc(floats + 1, sizeof(float));
        if (!r->mesh_places[material]) return SHOAL_ERR_MEMORY;
        memcpy(r->mesh_places[material], mesh->positions, floats * sizeof(float));
    }
    for (int f = 0; f < mesh->field_count; f++)
        if (strcmp(mesh->fields[f].name, "velocity") == 0 && mesh->fields[f].components == 3)
            for (size_t k = 0; k < floats; k++)
                mesh->positions[k] = r->mesh_places[material][k] + (float)seconds * mesh->fields[f].data[k];
    return SHOAL_OK;
}

shoal_status render_run_contents_at(double part, void* user, const render_contents** out) {
    render_run_job* r = user;
    *out              = &r->contents;
    if (!render_run_wants_next(r)) return SHOAL_OK;
    double seconds = part * (double)r->settings.params.shutter / r->source.surface.fps;
    for (int m = 0; m < r->part_count; m++) {
        SHOAL_TRY(move_part(r, m, seconds));
        SHOAL_TRY(move_mesh(r, m, seconds));
    }
    shoal_world_move(r->obstacles.world, r->time + seconds, 0.0);
    for (int k = 0; k < r->obstacles.count; k++) {
        shoal_surface_mesh_destroy(r->meshes[k]);
        r->meshes[k] = NULL;
        SHOAL_TRY(post_obstacle_mesh(&r->obstacles, k, &r->meshes[k]));
        r->solids[k].mesh = r->meshes[k];
    }
    return SHOAL_OK;
}
