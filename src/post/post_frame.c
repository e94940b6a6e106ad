// SPDX-License-Identifier: MIT
// A frame of a run with all its parts, and the fraction of a material in it: particles wherever
// they are, and meshes.
#include "post/part_mesh.h"
#include "post/post_source.h"
#include "state/part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static shoal_status check_materials(const post_source* s, const post_frame* frame) {
    int count = 0, which = 0;
    for (int k = 0; k < frame->count; k++)
        for (int i = 0; i < frame->parts[k]->points.count && frame->materials[k]; i++)
            if (frame->materials[k][i] >= s->material_count && count++ == 0) which = frame->materials[k][i];
    if (count == 0) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_INPUT,
                      "%s: %d particles are of a material that the scene does not have (number %d "
                      "of %d); is the frame of another run?",
                      frame->file, count, which + 1, s->material_count);
}

shoal_status post_frame_load(const post_source* s, int index, post_frame* out) {
    char path[SHOAL_PATH_SIZE];
    *out = (post_frame){0};
    SHOAL_TRY(post_source_file(s, index, 0, out->file));
    for (int k = 0; k < s->part_count; k++) {
        SHOAL_TRY(post_source_file(s, index, k, path));
        SHOAL_TRY(shoal_frame_load(path, &out->parts[k]));
        out->count++;
        const shoal_frame_array* kind = shoal_frame_find(out->parts[k], "material");
        out->materials[k]             = kind && kind->type == SHOAL_U1 && kind->width == 1 ? kind->data : NULL;
    }
    double time = out->parts[0]->time;
    out->time   = isfinite(time) ? time : s->numbers[index] / s->surface.fps;
    return check_materials(s, out);
}

void post_frame_free(post_frame* frame) {
    for (int k = 0; k < frame->count; k++) shoal_frame_destroy(frame->parts[k]);
    *frame = (post_frame){0};
}

const shoal_frame_array* post_frame_find(const post_source* s, const post_frame* frame, int part, const char* word,
                                         int* count) {
    const char*              ending = s->endings[part];
    const char*              end    = strrchr(ending, '.');
    char                     name[SHOAL_FRAME_NAME_SIZE];
    const shoal_frame_table* tables[] = {&frame->parts[part]->points, &frame->parts[part]->cells};
    snprintf(name, sizeof name, "%.*s", end > ending ? (int)(end - ending - 1) : 0, ending + 1);
    for (int t = 0; t < 2; t++)
        for (int f = 0; f < tables[t]->field_count; f++)
            if (shoal_word_names(word, name, tables[t]->fields[f].name)) {
                *count = tables[t]->count;
                return &tables[t]->fields[f];
            }
    return NULL;
}

// ---------------------------------------------------------------------------------- particles of a
// material

static bool is_carried(const shoal_frame_array* f) {
    return (f->type == SHOAL_F1 || f->type == SHOAL_V3) && f->width == 1 && strcmp(f->name, "position") != 0;
}

static bool is_of(const post_frame* frame, int part, int i, int material) {
    return frame->materials[part] ? frame->materials[part][i] == material : material == 0;
}

// How many particles of the material each part has.
typedef struct item_counts {
    int of[SHOAL_SETS_MOST];
} item_counts;

static item_counts count_items(const post_frame* frame, int material) {
    item_counts s = {0};
    for (int k = 0; k < frame->count; k++)
        for (int i = 0; i < frame->parts[k]->points.count && frame->parts[k]->corners == 0; i++)
            s.of[k] += is_of(frame, k, i, material);
    return s;
}

// Whether all parts that have particles of the material have the field, so that it has a value of
// each of them.
static bool is_common(const post_frame* frame, const item_counts* s, const shoal_frame_array* field) {
    for (int k = 0; k < frame->count; k++) {
        const shoal_frame_array* own = shoal_frame_find(frame->parts[k], field->name);
        if (s->of[k] > 0 && (!own || own->type != field->type || own->width != field->width)) return false;
    }
    return true;
}

// Copies the items of a field, part after part, of the particles of the material or of the others;
// returns what lies behind them. Parts of one material are copied as a whole.
static void* copy_items(const post_frame* frame, const item_counts* s, int material, bool is_complement,
                        const char* name, void* to) {
    char* at = to;
    for (int k = 0; k < frame->count; k++) {
        const shoal_frame*       part   = frame->parts[k];
        const shoal_frame_array* field  = shoal_frame_find(part, name);
        size_t                   size   = field ? shoal_frame_item_size(field) : 0;
        bool                     is_one = s->of[k] == 0 || s->of[k] == part->points.count;
        if (part->corners == 0 && field && is_one && (s->of[k] > 0) != is_complement) {
            memcpy(at, field->data, (size_t)part->points.count * size);
            at += (size_t)part->points.count * size;
        }
        for (int i = 0; !is_one && i < part->points.count && part->corners == 0 && field; i++) {
            if (is_of(frame, k, i, material) == is_complement) continue;
            memcpy(at, (const char*)field->data + (size_t)i * size, size);
            at += size;
        }
    }
    return at;
}

// Particles that know their size say how far apart they are, by their radius or their volume: water
// among grains is finer than these.
static double spacing_by_size(const post_material* m, double otherwise) {
    for (int f = 0; f < m->particles.field_count && m->particles.count > 0; f++) {
        const shoal_surface_field* field     = &m->particles.fields[f];
        bool                       is_volume = strcmp(field->name, "volume") == 0;
        if ((!is_volume && strcmp(field->name, "radius") != 0) || field->components != 1) continue;
        double sum = 0.0;
        for (int64_t i = 0; i < m->particles.count; i++) sum += (double)field->data[i];
        double mean = sum / (double)m->particles.count, size = is_volume ? cbrt(mean) : 2.0 * mean;
        return isfinite(size) && size > 0.0 ? size : otherwise;
    }
    return otherwise;
}

// The part whose fields are looked at: the first with particles of the material, or the first with
// any.
static const shoal_frame* main_part(const post_frame* frame, const item_counts* s) {
    const shoal_frame* first = NULL;
    for (int k = 0; k < frame->count; k++) {
        if (s->of[k] > 0) return frame->parts[k];
        if (!first && frame->parts[k]->corners == 0) first = frame->parts[k];
    }
    return first;
}

static shoal_status take_ids(const post_frame* frame, const item_counts* s, const shoal_frame* like, int material,
                             post_material* out) {
    const shoal_frame_array* id = shoal_frame_find(like, "id");
    if (!id || id->type != SHOAL_I1 || id->width != 1 || !is_common(frame, s, id)) return SHOAL_OK;
    out->ids = shoal_alloc((size_t)out->particles.count + 1, sizeof *out->ids);
    if (!out->ids) return SHOAL_ERR_MEMORY;
    copy_items(frame, s, material, false, "id", out->ids);
    return SHOAL_OK;
}

static shoal_status take_particles(const post_frame* frame, const item_counts* s, const shoal_frame* like, int material,
                                   post_material* out) {
    size_t count = 0, all = 0, floats = 3;
    for (int k = 0; k < frame->count; k++) {
        count += (size_t)s->of[k];
        all += frame->parts[k]->corners == 0 ? (size_t)frame->parts[k]->points.count : 0;
    }
    for (int f = 0; f < like->points.field_count; f++)
        if (is_carried(&like->points.fields[f])) floats += (size_t)shoal_frame_components(&like->points.fields[f]);
    out->particles.count = (int64_t)count;
    out->memory          = shoal_alloc((count + 1) * floats + 3 * (all - count), sizeof(float));
    if (!out->memory) return SHOAL_ERR_MEMORY;
    SHOAL_TRY(take_ids(frame, s, like, material, out));
    float* to                = out->memory;
    out->particles.positions = to;
    to                       = copy_items(frame, s, material, false, "position", to);
    for (int f = 0; f < like->points.field_count; f++) {
        const shoal_frame_array* field = &like->points.fields[f];
        int                      at    = out->particles.field_count;
        if (!is_carried(field) || at == SHOAL_SURFACE_FIELDS_MOST || !is_common(frame, s, field)) continue;
        snprintf(out->names[at], sizeof out->names[at], "%s", field->name);
        out->fields[at] = (shoal_surface_field){out->names[at], shoal_frame_components(field), to};
        out->particles.field_count++;
        to = copy_items(frame, s, material, false, field->name, to);
    }
    out->particles.other_positions = to;
    out->particles.other_count     = (int64_t)(all - count);
    copy_items(frame, s, material, true, "position", to);
    return SHOAL_OK;
}

shoal_status post_material_take(const post_frame* frame, int material, double spacing, post_material* out) {
    item_counts        s    = count_items(frame, material);
    const shoal_frame* like = main_part(frame, &s);
    *out                    = (post_material){.particles = {.spacing = spacing, .fields = out->fields}};
    if (like) SHOAL_TRY(take_particles(frame, &s, like, material, out));
    out->particles.spacing = spacing_by_size(out, spacing);
    return post_part_meshes(frame, material, &out->mesh);
}

void post_material_free(post_material* m) {
    shoal_free(m->ids);
    shoal_free(m->memory);
    shoal_surface_mesh_destroy(m->mesh);
    m->ids    = NULL;
    m->memory = NULL;
    m->mesh   = NULL;
}
