// SPDX-License-Identifier: MIT
// The frames of a run into surfaces, one per material, and obstacles where they were:
//
//     DIR/surface/MATERIAL_000123.vtp  DIR/surface/MATERIAL.pvd  DIR/surface.csv
//
// A frame that cannot be used is reported, the others are made. DIR/surface/settings.json says what the
// meshes there were made with: while it stays the same, rows of surface.csv are kept, and `resume`
// makes only what is missing or older than its frame. With other settings all that goes before the
// new settings.json comes: whatever moment a kill picks, no list names a mesh of other settings.
#include "base/clock.h"
#include "io/frame_vtk.h"
#include "io/mesh_out.h"
#include "post/obstacles.h"
#include "post/part_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEF_MADE = 0x53555231, FORMATS_MOST = 15 };

// s; a kill loses no more rows than those of this time, and their meshes are made again
static const double list_every = 1.0;
static const char   csv_head[] = "frame,time_s,material,triangles,mesh_m3,particles_m3,ms\n";

shoal_surface_def shoal_surface_def_default(void) {
    return (shoal_surface_def){.format = "vtp", .first = -1, .last = -1, .made_by_default = DEF_MADE};
}

const char* const* shoal_surface_formats(void) {
    static _Thread_local const char* names[FORMATS_MOST + 1];
    int                              count = 0;
    for (const shoal_mesh_format* f = shoal_mesh_formats(); f->name && count < FORMATS_MOST; f++)
        names[count++] = f->name;
    names[count] = NULL;
    return names;
}

typedef struct surface_job {
    const shoal_surface_def* def;
    const shoal_mesh_format* format;
    shoal_exec               exec;
    post_source              source;
    post_obstacles           obstacles; // none when they are not wanted
    char**                   rows;      // [frame * material_count + material]; NULL: no mesh
    double                   listed;    // when the lists were last written
    bool                     is_unused; // settings without effect are reported
} surface_job;

// --- existing meshes

static shoal_status file_of(const surface_job* s, const char* stem, int number, char out[SHOAL_PATH_SIZE]) {
    return shoal_path_make(out, "%s/surface/%s_%06d%s", s->source.folder, stem, number, s->format->suffix);
}

static char** row_of(const surface_job* s, int index, int material) {
    return &s->rows[index * s->source.material_count + material];
}

// Whether the meshes of a frame are there, newer than it. Without a row they were never finished.
static bool is_made(const surface_job* s, int index) {
    char path[SHOAL_PATH_SIZE];
    int  number = s->source.numbers[index];
    for (int m = 0; m < s->source.material_count; m++)
        if (!*row_of(s, index, m) || file_of(s, s->source.materials[m], number, path) != SHOAL_OK ||
            !post_source_is_older(&s->source, index, path))
            return false;
    for (int k = 0; k < s->obstacles.count; k++)
        if (file_of(s, s->obstacles.names[k], number, path) != SHOAL_OK ||
            !post_source_is_older(&s->source, index, path))
            return false;
    return true;
}

// A row of an earlier call, "12,0.2,water,...". Numbers rise in both, so `index` goes along.
static shoal_status take_row(surface_job* s, const char* line, int* index) {
    const char* comma  = strchr(line, ',');
    const char* name   = comma ? strchr(comma + 1, ',') : NULL;
    const char* end    = name ? strchr(name + 1, ',') : NULL;
    int         commas = 0, number = atoi(line);
    for (const char* c = line; *c; c++) commas += *c == ',';
    while (*index < s->source.count && s->source.numbers[*index] < number) ++*index;
    if (!end || commas != 6 || *index == s->source.count || s->source.numbers[*index] != number) return SHOAL_OK;
    for (int m = 0; m < s->source.material_count; m++) {
        const char* known = s->source.materials[m];
        char**      row   = row_of(s, *index, m);
        if (*row || strlen(known) != (size_t)(end - name - 1) || memcmp(known, name + 1, strlen(known)) != 0) continue;
        *row = shoal_strdup(line);
        if (!*row) return SHOAL_ERR_MEMORY;
    }
    return SHOAL_OK;
}

static shoal_status take_rows(surface_job* s) {
    char   path[SHOAL_PATH_SIZE];
    char*  bytes;
    size_t size;
    int    index = 0;
    SHOAL_TRY(shoal_path_make(path, "%s/surface.csv", s->source.folder));
    if (!shoal_path_exists(path) || shoal_file_read(path, &bytes, &size) != SHOAL_OK) return SHOAL_OK;
    shoal_status status = SHOAL_OK;
    if (strncmp(bytes, csv_head, sizeof csv_head - 1) == 0) {
        char* rest = NULL;
        for (char* line = strtok_r(bytes + sizeof csv_head - 1, "\n", &rest); line && status == SHOAL_OK;
             line       = strtok_r(NULL, "\n", &rest))
            status = take_row(s, line, &index);
    }
    shoal_free(bytes);
    return status;
}

// Whether a name is that of a mesh of a material in the format that is made now, or of a list of
// such.
static bool is_of_earlier(const surface_job* s, const char* name) {
    size_t stem;
    int    number;
    if (shoal_path_has_suffix(name, ".pvd")) return strcmp(s->format->name, "vtp") == 0;
    if (!shoal_name_is_numbered(name, s->format->suffix, &stem, &number)) return false;
    for (int m = 0; m < s->source.material_count; m++)
        if (strlen(s->source.materials[m]) == stem && memcmp(s->source.materials[m], name, stem) == 0) return true;
    return false;
}

// What was made with other settings than those that are wanted now; meshes of other formats stay.
static shoal_status forget_earlier(const surface_job* s) {
    char        path[SHOAL_PATH_SIZE];
    shoal_names names = {0};
    SHOAL_TRY(shoal_path_make(path, "%s/surface", s->source.folder));
    SHOAL_TRY(shoal_folder_is_ours(path));
    SHOAL_TRY(shoal_path_make(path, "%s/surface.csv", s->source.folder));
    SHOAL_TRY(shoal_file_remove(path));
    SHOAL_TRY(shoal_path_make(path, "%s/surface", s->source.folder));
    shoal_status status = shoal_folder_names(path, &names);
    for (int i = 0; i < names.count && status == SHOAL_OK; i++) {
        if (!is_of_earlier(s, names.names[i])) continue;
        status = shoal_path_make(path, "%s/surface/%s", s->source.folder, names.names[i]);
        if (status == SHOAL_OK) status = shoal_file_remove(path);
    }
    shoal_names_free(&names);
    return status;
}

// Takes over what was made with the same settings, else begins anew.
static shoal_status take_earlier(surface_job* s) {
    char       path[SHOAL_PATH_SIZE];
    char*      bytes = NULL;
    size_t     size  = 0;
    shoal_text now   = {0};
    SHOAL_TRY(shoal_path_make(path, "%s/surface", s->source.folder));
    SHOAL_TRY(shoal_folder_make(path));
    SHOAL_TRY(shoal_path_make(path, "%s/surface/settings.json", s->source.folder));
    shoal_text_add(&now, "{\"format\": \"%s\", \"spacing\": %.17g, \"surface\": {", s->format->name,
                   s->source.surface.spacing);
    shoal_param_json(&now, shoal_surface_params_table, &s->source.surface.surface, true);
    shoal_text_add(&now, "}}\n");
    shoal_status status = now.failed ? SHOAL_ERR_MEMORY : SHOAL_OK;
    if (status == SHOAL_OK) {
        bool is_same = shoal_path_exists(path) && shoal_file_read(path, &bytes, &size) == SHOAL_OK &&
                       size == now.length && memcmp(bytes, now.bytes, size) == 0;
        shoal_free(bytes);
        status = is_same ? take_rows(s) : forget_earlier(s);
        if (status == SHOAL_OK && !is_same) status = shoal_file_write(path, now.bytes, now.length);
    }
    shoal_text_free(&now);
    return status;
}

// --- one frame

// A solver that tracks its surface has it in its frames, and no setting changes that.
static void report_unused(surface_job* s) {
    static const char  block[]  = "surface.";
    const char* const* settings = s->def->settings;
    for (int i = 0; settings && settings[i] && !s->is_unused; i++) {
        if (strncmp(settings[i], block, sizeof block - 1) != 0) continue;
        s->is_unused = true;
        shoal_log(SHOAL_LOG_WARNING, "%s: %.*s has no effect: its frames have a surface of their own", s->source.folder,
                  (int)strcspn(settings[i], "="), settings[i]);
    }
}

static shoal_status make_material(surface_job* s, const post_frame* frame, int index, int material, double begun) {
    char                path[SHOAL_PATH_SIZE];
    post_material       of     = {0};
    shoal_surface_mesh* mesh   = NULL;
    const char*         name   = s->source.materials[material];
    int                 number = s->source.numbers[index];
    shoal_status        status = file_of(s, name, number, path);
    if (status == SHOAL_OK) status = post_material_take(frame, material, s->source.surface.spacing, &of);
    if (status == SHOAL_OK && of.mesh && of.particles.count == 0) report_unused(s);
    if (status == SHOAL_OK) status = post_material_surface(&s->source.surface.surface, &of, &s->exec, &mesh);
    if (status == SHOAL_OK) status = s->format->save(mesh, frame->time, path);
    if (status == SHOAL_OK) {
        double            d = of.particles.spacing, own = of.mesh ? shoal_surface_mesh_volume(of.mesh) : 0.0;
        shoal_text        text = {0};
        shoal_surface_row row  = {.frame        = number,
                                  .time_s       = frame->time,
                                  .material     = name,
                                  .triangles    = mesh->triangle_count,
                                  .mesh_m3      = shoal_surface_mesh_volume(mesh),
                                  .particles_m3 = (double)of.particles.count * d * d * d + own,
                                  .ms           = 1e3 * (shoal_seconds() - begun),
                                  .file         = path};
        shoal_text_add(&text, "%d,%.9g,%s,%d,%.9g,%.9g,%.4g", row.frame, row.time_s, row.material, row.triangles,
                       row.mesh_m3, row.particles_m3, row.ms);
        *row_of(s, index, material) = text.bytes;
        if (text.failed) status = SHOAL_ERR_MEMORY;
        if (s->def->done) s->def->done(&row, s->def->user);
    }
    shoal_surface_mesh_destroy(mesh);
    post_material_free(&of);
    return status;
}

static shoal_status make_obstacle(surface_job* s, int number, double time, int which) {
    char                path[SHOAL_PATH_SIZE];
    double              begun = shoal_seconds();
    shoal_surface_mesh* mesh  = NULL;
    SHOAL_TRY(file_of(s, s->obstacles.names[which], number, path));
    shoal_world_move(s->obstacles.world, time, 0.0);
    SHOAL_TRY(post_obstacle_mesh(&s->obstacles, which, &mesh));
    shoal_status status = s->format->save(mesh, time, path);
    if (status == SHOAL_OK && s->def->done) {
        shoal_surface_row row = {.frame       = number,
                                 .time_s      = time,
                                 .material    = s->obstacles.names[which],
                                 .is_obstacle = true,
                                 .triangles   = mesh->triangle_count,
                                 .mesh_m3     = shoal_surface_mesh_volume(mesh),
                                 .ms          = 1e3 * (shoal_seconds() - begun),
                                 .file        = path};
        s->def->done(&row, s->def->user);
    }
    shoal_surface_mesh_destroy(mesh);
    return status;
}

static void forget_rows(surface_job* s, int index) {
    for (int m = 0; m < s->source.material_count; m++) {
        shoal_free(*row_of(s, index, m));
        *row_of(s, index, m) = NULL;
    }
}

// SHOAL_OK also when the frame could not be used: that is reported. Other states end the sequence.
static shoal_status make_frame(surface_job* s, int index) {
    char       message[SHOAL_PATH_SIZE + 2048];
    post_frame frame;
    double     begun  = shoal_seconds();
    int        number = s->source.numbers[index];
    forget_rows(s, index);
    shoal_status status      = post_frame_load(&s->source, index, &frame);
    bool         is_reported = status == SHOAL_OK; // readers name the file themselves
    for (int m = 0; m < s->source.material_count && status == SHOAL_OK; m++, begun = shoal_seconds())
        status = make_material(s, &frame, index, m, begun);
    for (int k = 0; k < s->obstacles.count && status == SHOAL_OK; k++) status = make_obstacle(s, number, frame.time, k);
    snprintf(message, sizeof message, "%s%s%s", is_reported ? frame.file : "", is_reported ? ": " : "",
             shoal_last_error());
    post_frame_free(&frame);
    if (status == SHOAL_OK) return SHOAL_OK;
    forget_rows(s, index);
    if (status != SHOAL_ERR_INPUT && status != SHOAL_ERR_FILE) return status;
    post_source_fault(&s->source, status, message);
    return SHOAL_OK;
}

// --- all frames

static shoal_status write_pvd(const surface_job* s, const char* stem, const int* made, int count) {
    char         path[SHOAL_PATH_SIZE];
    shoal_text   text = {0};
    shoal_status status =
        shoal_pvd_text(".", stem, (const char* const[]){".vtp", NULL}, made, count, s->source.surface.fps, &text);
    if (status == SHOAL_OK) status = shoal_path_make(path, "%s/surface/%s.pvd", s->source.folder, stem);
    if (status == SHOAL_OK) status = shoal_file_write(path, text.bytes, text.length);
    shoal_text_free(&text);
    return status;
}

static shoal_status write_lists(surface_job* s) {
    char       path[SHOAL_PATH_SIZE];
    shoal_text text  = {0};
    int        count = 0;
    int*       made  = shoal_alloc((size_t)s->source.count, sizeof *made);
    if (!made) return SHOAL_ERR_MEMORY;
    shoal_text_add(&text, "%s", csv_head);
    for (int i = 0; i < s->source.count; i++) {
        bool is_whole = true;
        for (int m = 0; m < s->source.material_count; m++) {
            const char* row = *row_of(s, i, m);
            if (row) shoal_text_add(&text, "%s\n", row);
            is_whole &= row != NULL;
        }
        if (is_whole) made[count++] = s->source.numbers[i];
    }
    shoal_status status = text.failed ? SHOAL_ERR_MEMORY : shoal_path_make(path, "%s/surface.csv", s->source.folder);
    if (status == SHOAL_OK) status = shoal_file_write(path, text.bytes, text.length);
    shoal_text_free(&text);
    bool has_pvd = strcmp(s->format->name, "vtp") == 0;
    for (int m = 0; m < s->source.material_count && status == SHOAL_OK && has_pvd; m++)
        status = write_pvd(s, s->source.materials[m], made, count);
    for (int k = 0; k < s->obstacles.count && status == SHOAL_OK && has_pvd; k++)
        status = write_pvd(s, s->obstacles.names[k], made, count);
    s->listed = shoal_seconds();
    shoal_free(made);
    return status;
}

static shoal_status make_frames(surface_job* s) {
    for (int i = 0; i < s->source.count; i++) {
        int number = s->source.numbers[i];
        if (i > 0) post_source_report_missing(&s->source, i);
        if (!post_source_wants(&s->source, number)) continue;
        if (s->def->resume && is_made(s, i)) continue;
        if (s->def->stop && s->def->stop(s->def->user))
            return shoal_fail(SHOAL_ERR_INTERRUPTED, "interrupted before frame %d", number);
        SHOAL_TRY(make_frame(s, i));
        if (shoal_seconds() - s->listed > list_every) SHOAL_TRY(write_lists(s));
    }
    return SHOAL_OK;
}

static shoal_status make_all(surface_job* s) {
    SHOAL_TRY(post_source_open(&s->source));
    if (s->def->obstacles) SHOAL_TRY(post_obstacles_open(&s->obstacles, &s->source, &s->exec));
    s->rows = shoal_alloc((size_t)s->source.count * (size_t)s->source.material_count, sizeof *s->rows);
    if (!s->rows) return SHOAL_ERR_MEMORY;
    SHOAL_TRY(take_earlier(s));
    s->listed           = shoal_seconds();
    shoal_status status = make_frames(s);
    // what is done stays done, whatever ended the sequence
    char message[SHOAL_PATH_SIZE + 256];
    snprintf(message, sizeof message, "%s", shoal_last_error());
    shoal_status listed = write_lists(s);
    return status == SHOAL_OK ? listed : shoal_fail(status, "%s", message);
}

static shoal_status find_format(const char* name, const shoal_mesh_format** out) {
    for (*out = shoal_mesh_formats(); (*out)->name; ++*out)
        if (strcmp((*out)->name, name) == 0) return SHOAL_OK;
    const char* near = shoal_nearest_word(name, shoal_surface_formats());
    return shoal_fail(SHOAL_ERR_INPUT, "format \"%.40s\" is not known, there are vtp, ply, obj, stl%s%s%s", name,
                      near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

shoal_status shoal_surface_run(const shoal_surface_def* def, const char* folder) {
    static const char* const blocks[] = {"surface", NULL};
    if (def->made_by_default != DEF_MADE)
        return shoal_fail(SHOAL_ERR_PARAM, "the settings of the surface were not made by shoal_surface_def_default");
    surface_job* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->def              = def;
    s->source           = POST_SOURCE_OF(def, folder, blocks);
    s->exec             = shoal_exec_make(def->threads);
    shoal_status status = find_format(def->format, &s->format);
    if (status == SHOAL_OK) status = make_all(s);
    if (status == SHOAL_OK) status = post_source_end(&s->source);
    for (int i = 0; s->rows && i < s->source.count; i++) forget_rows(s, i);
    shoal_free(s->rows);
    post_obstacles_close(&s->obstacles);
    post_source_close(&s->source);
    shoal_free(s);
    return status;
}
