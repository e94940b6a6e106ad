// SPDX-License-Identifier: MIT
// The frames of a run into surfaces, one per material:
//
//     DIR/surface/MATERIAL_000123.vtp  DIR/surface/MATERIAL.pvd  DIR/surface.csv
//
// What the run was made with is read from its run.json. A frame that cannot be used is told, the
// others are made.
#include "base/clock.h"
#include "base/words.h"
#include "io/file.h"
#include "io/frame_vtk.h"
#include "io/mesh_out.h"
#include "run/run_local.h"
#include "scene/scene_local.h"
#include "surface/surface.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    DEF_MADE       = 0x53555231,
    FORMATS_MOST   = 15,
    MATERIALS_MOST = 256,
    STEM_ROOM      = SHOAL_NAME_ROOM + 8
};

shoal_surface_def shoal_surface_def_default(void) {
    return (shoal_surface_def){
        .format = "vtp", .first = -1, .last = -1, .made_by_default = DEF_MADE};
}

const char* const* shoal_surface_formats(void) {
    static _Thread_local const char* names[FORMATS_MOST + 1];
    int                              count = 0;
    for (const shoal_mesh_format* f = shoal_mesh_formats(); f->name && count < FORMATS_MOST; f++)
        names[count++] = f->name;
    names[count] = NULL;
    return names;
}

typedef struct skinning {
    const shoal_surface_def* def;
    const char*              folder;
    const shoal_mesh_format* format;
    shoal_exec               exec;
    shoal_scene*             scene;
    shoal_scene_skin         skin;
    int                      material_count;
    char                     materials[MATERIALS_MOST][STEM_ROOM]; // as in file names
    int*                     numbers;                              // frames there are, rising
    char**                   files;                                // their names, of `names`
    shoal_names              names;
    int                      count;
    int*                     made; // [count] frames of which a mesh was written
    int                      made_count;
    shoal_text               rows;
    shoal_status             first_fault;
} skinning;

// --- what the run was made with

static shoal_status set_one(shoal_scene* scene, const char* setting) {
    static const char prefix[] = "surface.";
    char              path[128];
    const char*       equals = strchr(setting, '=');
    if (!equals || (size_t)(equals - setting) >= sizeof path)
        return shoal_fail(SHOAL_ERR_PARAM, "--set %.80s: it must be KEY=VALUE", setting);
    if (strncmp(setting, prefix, sizeof prefix - 1) != 0)
        return shoal_fail(
            SHOAL_ERR_PARAM,
            "--set %.80s: the frames are made; only surface.* can be set, as surface.cell=0.4",
            setting);
    snprintf(path, sizeof path, "%.*s", (int)(equals - setting), setting);
    return shoal_scene_set_value(scene, path, equals + 1);
}

// run.json holds the scene with all defaults; its root becomes that part.
static shoal_status open_scene(skinning* s) {
    char   path[SHOAL_PATH_ROOM];
    char*  bytes;
    size_t size;
    if (!shoal_path_is_folder(s->folder))
        return shoal_fail(SHOAL_ERR_FILE, "%s: no such folder", s->folder);
    SHOAL_TRY(shoal_path_make(path, "%s/run.json", s->folder));
    if (!shoal_path_exists(path))
        return shoal_fail(SHOAL_ERR_INPUT, "%s: holds no run (there is no run.json)", s->folder);
    SHOAL_TRY(shoal_file_read(path, &bytes, &size));
    shoal_status status = shoal_scene_parse(bytes, size, path, &s->scene);
    shoal_free(bytes);
    SHOAL_TRY(status);
    const shoal_node* part = shoal_node_child(s->scene->root, "scene");
    int               left = INT_MAX;
    shoal_node* root = part && part->kind == SHOAL_NODE_MAP ? shoal_node_copy(part, &left) : NULL;
    if (!root) return shoal_fail(SHOAL_ERR_INPUT, "%s: has no scene; is it of a run?", path);
    shoal_node_destroy(s->scene->root);
    s->scene->root = root;
    for (int i = 0; s->def->settings && s->def->settings[i]; i++)
        SHOAL_TRY(set_one(s->scene, s->def->settings[i]));
    return shoal_scene_read_skin(s->scene, &s->skin);
}

// A name for files: what could mislead a file system is an underscore, and no two are the same.
static void name_materials(skinning* s) {
    const shoal_node* map = s->skin.materials;
    for (const shoal_node* m = map ? map->first : NULL; m && s->material_count < MATERIALS_MOST;
         m                   = m->next) {
        char* name = s->materials[s->material_count];
        snprintf(name, SHOAL_NAME_ROOM, "%s", m->key && m->key[0] ? m->key : "material");
        for (char* c = name; *c; c++)
            if (strchr("/\\:*?\"<>|,", *c) || (unsigned char)*c <= ' ' || (*c == '.' && c == name))
                *c = '_';
        for (int k = 0; k < s->material_count; k++)
            if (strcmp(s->materials[k], name) == 0) {
                size_t used = strlen(name);
                snprintf(name + used, STEM_ROOM - used, "_%d", s->material_count);
            }
        s->material_count++;
    }
    if (s->material_count == 0) snprintf(s->materials[s->material_count++], STEM_ROOM, "particles");
}

static shoal_status list_frames(skinning* s) {
    char path[SHOAL_PATH_ROOM];
    SHOAL_TRY(shoal_path_make(path, "%s/frames", s->folder));
    SHOAL_TRY(shoal_folder_names(path, &s->names));
    s->numbers = shoal_alloc((size_t)s->names.count + 1, 2 * sizeof *s->numbers);
    s->files   = shoal_alloc((size_t)s->names.count + 1, sizeof *s->files);
    if (!s->numbers || !s->files) return SHOAL_ERR_MEMORY;
    s->made = s->numbers + s->names.count + 1;
    for (int i = 0; i < s->names.count; i++) {
        size_t stem;
        int    number;
        if (!shoal_name_is_numbered(s->names.names[i], ".vtp", &stem, &number)) continue;
        if (s->count > 0 && number <= s->numbers[s->count - 1])
            return shoal_fail(SHOAL_ERR_INPUT, "%s: holds the frames of more than one run (%s)",
                              path, s->names.names[i]);
        s->numbers[s->count] = number;
        s->files[s->count++] = s->names.names[i];
    }
    if (s->count == 0)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: holds no frames (frames/NAME_000000.vtp)",
                          s->folder);
    return SHOAL_OK;
}

// --- one frame

static void tell_fault(skinning* s, shoal_status status, const char* message) {
    if (s->first_fault == SHOAL_OK) s->first_fault = status;
    if (s->def->fault) s->def->fault(message, s->def->user);
}

// The particles of one material, copied together; positions and fields in one piece of memory.
typedef struct part {
    shoal_surface_particles particles;
    shoal_surface_field     fields[SHOAL_SURFACE_FIELDS_MOST];
    float*                  memory;
} part;

static bool is_carried(const shoal_frame_array* f) {
    return (f->type == SHOAL_F1 || f->type == SHOAL_V3) && strcmp(f->name, "position") != 0;
}

static shoal_status take_part(const skinning* s, const shoal_frame* frame, int material,
                              part* out) {
    const shoal_frame_array* kind  = shoal_frame_find(frame, "material");
    const uint8_t*           of    = kind && kind->type == SHOAL_U1 ? kind->data : NULL;
    size_t                   count = 0, floats = 3, all = (size_t)frame->count;
    for (size_t i = 0; i < all; i++)
        count += of ? of[i] == material : material == 0;
    for (int f = 0; f < frame->field_count; f++)
        if (is_carried(&frame->fields[f]))
            floats += (size_t)shoal_frame_components(frame->fields[f].type);
    *out = (part){
        .particles = {.count = (int64_t)count, .spacing = s->skin.spacing, .fields = out->fields}
    };
    out->memory = shoal_alloc(count + 1, floats * sizeof(float));
    if (!out->memory) return SHOAL_ERR_MEMORY;
    float* to = out->memory;
    for (int f = 0; f < frame->field_count; f++) {
        const shoal_frame_array* field       = &frame->fields[f];
        bool                     is_position = strcmp(field->name, "position") == 0;
        int n = shoal_frame_components(field->type), at = out->particles.field_count;
        if (!is_position && (!is_carried(field) || at == SHOAL_SURFACE_FIELDS_MOST)) continue;
        if (is_position)
            out->particles.positions = to;
        else
            out->fields[out->particles.field_count++] = (shoal_surface_field){field->name, n, to};
        const float* from = field->data;
        for (size_t i = 0; i < all; i++) {
            if (of ? of[i] != material : material != 0) continue;
            memcpy(to, from + (size_t)n * i, (size_t)n * sizeof *to);
            to += n;
        }
    }
    return SHOAL_OK;
}

static shoal_status make_part(skinning* s, const shoal_frame* frame, int number, int material,
                              double begun) {
    char                path[SHOAL_PATH_ROOM];
    part                p    = {0};
    shoal_surface_mesh* mesh = NULL;
    const char*         name = s->materials[material];
    double              time = isfinite(frame->time) ? frame->time : number / s->skin.fps;
    shoal_status        status =
        shoal_path_make(path, "%s/surface/%s_%06d%s", s->folder, name, number, s->format->suffix);
    if (status == SHOAL_OK) status = take_part(s, frame, material, &p);
    if (status == SHOAL_OK)
        status =
            shoal_surface_build(&s->skin.surface, &p.particles, &s->exec, shoal_isa_best(), &mesh);
    if (status == SHOAL_OK) status = s->format->save(mesh, time, path);
    if (status == SHOAL_OK) {
        double            d   = s->skin.spacing;
        shoal_surface_row row = {number,
                                 time,
                                 name,
                                 mesh->triangle_count,
                                 shoal_surface_mesh_volume(mesh),
                                 (double)p.particles.count * d * d * d,
                                 1e3 * (shoal_seconds() - begun),
                                 path};
        shoal_text_add(&s->rows, "%d,%.9g,%s,%d,%.9g,%.9g,%.4g\n", row.frame, row.time_s,
                       row.material, row.triangles, row.mesh_m3, row.particles_m3, row.ms);
        if (s->def->done) s->def->done(&row, s->def->user);
    }
    shoal_surface_mesh_destroy(mesh);
    shoal_free(p.memory);
    return status;
}

// SHOAL_OK also when the frame could not be used: that is told. Other states end the sequence.
static shoal_status make_frame(skinning* s, int index) {
    char         path[SHOAL_PATH_ROOM], message[SHOAL_PATH_ROOM + 2048];
    shoal_frame* frame = NULL;
    double       begun = shoal_seconds();
    SHOAL_TRY(shoal_path_make(path, "%s/frames/%s", s->folder, s->files[index]));
    shoal_status status  = shoal_frame_load(path, &frame);
    bool         is_told = status == SHOAL_OK; // readers name the file themselves
    for (int m = 0; m < s->material_count && status == SHOAL_OK; m++, begun = shoal_seconds())
        status = make_part(s, frame, s->numbers[index], m, begun);
    shoal_frame_destroy(frame);
    if (status == SHOAL_OK) s->made[s->made_count++] = s->numbers[index];
    if (status != SHOAL_ERR_INPUT && status != SHOAL_ERR_FILE) return status;
    snprintf(message, sizeof message, "%s%s%s", is_told ? path : "", is_told ? ": " : "",
             shoal_last_error());
    tell_fault(s, status, message);
    return SHOAL_OK;
}

// --- all frames

// Frames are evenly numbered; a wider gap than the smallest is one that is missing.
static int usual_step(const skinning* s) {
    int step = INT_MAX;
    for (int i = 1; i < s->count; i++)
        if (s->numbers[i] - s->numbers[i - 1] < step) step = s->numbers[i] - s->numbers[i - 1];
    return step;
}

static bool is_wanted(const skinning* s, int number) {
    return number >= s->def->first && (s->def->last < 0 || number <= s->def->last);
}

static void tell_missing(skinning* s, int index, int step) {
    char message[SHOAL_PATH_ROOM + 64];
    for (int n = s->numbers[index - 1] + step; n < s->numbers[index]; n += step) {
        if (!is_wanted(s, n)) continue;
        const char* file = s->files[index];
        snprintf(message, sizeof message, "%s/frames/%.*s%06d.vtp: the frame is missing", s->folder,
                 (int)(strrchr(file, '_') + 1 - file), file, n);
        tell_fault(s, SHOAL_ERR_INPUT, message);
    }
}

static shoal_status write_lists(skinning* s) {
    static const char head[] = "frame,time_s,material,triangles,mesh_m3,particles_m3,ms\n";
    char              path[SHOAL_PATH_ROOM];
    shoal_text        text = {0};
    shoal_text_add(&text, "%s%s", head, s->rows.length ? s->rows.bytes : "");
    shoal_status status = text.failed || s->rows.failed
                              ? SHOAL_ERR_MEMORY
                              : shoal_path_make(path, "%s/surface.csv", s->folder);
    if (status == SHOAL_OK) status = shoal_file_write(path, text.bytes, text.length);
    shoal_text_free(&text);
    for (int m = 0;
         m < s->material_count && status == SHOAL_OK && strcmp(s->format->name, "vtp") == 0; m++) {
        status = shoal_pvd_text(".", s->materials[m], s->made, s->made_count, s->skin.fps, &text);
        if (status == SHOAL_OK)
            status = shoal_path_make(path, "%s/surface/%s.pvd", s->folder, s->materials[m]);
        if (status == SHOAL_OK) status = shoal_file_write(path, text.bytes, text.length);
        shoal_text_free(&text);
    }
    return status;
}

static shoal_status make_all(skinning* s) {
    char path[SHOAL_PATH_ROOM];
    SHOAL_TRY(open_scene(s));
    name_materials(s);
    SHOAL_TRY(list_frames(s));
    SHOAL_TRY(shoal_path_make(path, "%s/surface", s->folder));
    SHOAL_TRY(shoal_folder_make(path));
    int          step = usual_step(s), wanted = 0;
    shoal_status status = SHOAL_OK;
    for (int i = 0; i < s->count && status == SHOAL_OK; i++) {
        if (i > 0) tell_missing(s, i, step);
        if (!is_wanted(s, s->numbers[i])) continue;
        wanted++;
        if (s->def->stop && s->def->stop(s->def->user))
            status =
                shoal_fail(SHOAL_ERR_INTERRUPTED, "interrupted before frame %d", s->numbers[i]);
        else
            status = make_frame(s, i);
    }
    if (wanted == 0 && status == SHOAL_OK && s->first_fault == SHOAL_OK)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: none of its frames, %d to %d, is asked for",
                          s->folder, s->numbers[0], s->numbers[s->count - 1]);
    if (status != SHOAL_OK && status != SHOAL_ERR_INTERRUPTED) return status;
    char message[256];
    snprintf(message, sizeof message, "%s", shoal_last_error());
    SHOAL_TRY(write_lists(s));
    return status == SHOAL_OK ? SHOAL_OK : shoal_fail(status, "%s", message);
}

static shoal_status find_format(const char* name, const shoal_mesh_format** out) {
    for (*out = shoal_mesh_formats(); (*out)->name; ++*out)
        if (strcmp((*out)->name, name) == 0) return SHOAL_OK;
    const char* near = shoal_nearest_word(name, shoal_surface_formats());
    return shoal_fail(SHOAL_ERR_INPUT,
                      "format \"%.40s\" is not known, there are vtp, ply, obj, stl%s%s%s", name,
                      near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

shoal_status shoal_surface_run(const shoal_surface_def* def, const char* folder) {
    if (def->made_by_default != DEF_MADE)
        return shoal_fail(SHOAL_ERR_PARAM,
                          "the settings of the surface were not made by shoal_surface_def_default");
    skinning* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->def              = def;
    s->folder           = folder;
    s->exec             = shoal_exec_make(def->threads);
    shoal_status status = find_format(def->format, &s->format);
    if (status == SHOAL_OK) status = make_all(s);
    if (status == SHOAL_OK && s->first_fault != SHOAL_OK)
        status = shoal_fail(s->first_fault, "%s: not all of its frames could be used", folder);
    shoal_text_free(&s->rows);
    shoal_names_free(&s->names);
    shoal_free(s->files);
    shoal_free(s->numbers);
    shoal_scene_destroy(s->scene);
    shoal_free(s);
    return status;
}
