// SPDX-License-Identifier: MIT
// The frames of a run into surfaces, one per material:
//
//     DIR/surface/MATERIAL_000123.vtp  DIR/surface/MATERIAL.pvd  DIR/surface.csv
//
// What the run was made with is read from its run.json. A frame that cannot be used is told, the
// others are made.
#include "base/clock.h"
#include "base/words.h"
#include "io/frame_vtk.h"
#include "io/mesh_out.h"
#include "run/stage.h"
#include "surface/surface.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEF_MADE = 0x53555231, FORMATS_MOST = 15 };

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
    const shoal_mesh_format* format;
    shoal_exec               exec;
    run_stage                stage;
    int*                     made; // [stage.count] frames of which a mesh was written
    int                      made_count;
    shoal_text               rows;
} skinning;

// --- one frame

static shoal_status make_part(skinning* s, const shoal_frame* frame, int number, int material,
                              double begun) {
    char                path[SHOAL_PATH_ROOM];
    run_part            p    = {0};
    shoal_surface_mesh* mesh = NULL;
    const char*         name = s->stage.materials[material];
    double              time = run_stage_time(&s->stage, frame, number);
    shoal_status status      = shoal_path_make(path, "%s/surface/%s_%06d%s", s->stage.folder, name,
                                               number, s->format->suffix);
    if (status == SHOAL_OK) status = run_part_take(frame, material, s->stage.skin.spacing, &p);
    if (status == SHOAL_OK)
        status = shoal_surface_build(&s->stage.skin.surface, &p.particles, &s->exec,
                                     shoal_isa_best(), &mesh);
    if (status == SHOAL_OK) status = s->format->save(mesh, time, path);
    if (status == SHOAL_OK) {
        double            d   = s->stage.skin.spacing;
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
    SHOAL_TRY(shoal_path_make(path, "%s/frames/%s", s->stage.folder, s->stage.files[index]));
    shoal_status status  = shoal_frame_load(path, &frame);
    bool         is_told = status == SHOAL_OK; // readers name the file themselves
    for (int m = 0; m < s->stage.material_count && status == SHOAL_OK; m++, begun = shoal_seconds())
        status = make_part(s, frame, s->stage.numbers[index], m, begun);
    shoal_frame_destroy(frame);
    if (status == SHOAL_OK) s->made[s->made_count++] = s->stage.numbers[index];
    if (status != SHOAL_ERR_INPUT && status != SHOAL_ERR_FILE) return status;
    snprintf(message, sizeof message, "%s%s%s", is_told ? path : "", is_told ? ": " : "",
             shoal_last_error());
    run_stage_fault(&s->stage, status, message);
    return SHOAL_OK;
}

// --- all frames

static shoal_status write_lists(skinning* s) {
    static const char head[] = "frame,time_s,material,triangles,mesh_m3,particles_m3,ms\n";
    char              path[SHOAL_PATH_ROOM];
    shoal_text        text = {0};
    shoal_text_add(&text, "%s%s", head, s->rows.length ? s->rows.bytes : "");
    shoal_status status = text.failed || s->rows.failed
                              ? SHOAL_ERR_MEMORY
                              : shoal_path_make(path, "%s/surface.csv", s->stage.folder);
    if (status == SHOAL_OK) status = shoal_file_write(path, text.bytes, text.length);
    shoal_text_free(&text);
    for (int m = 0;
         m < s->stage.material_count && status == SHOAL_OK && strcmp(s->format->name, "vtp") == 0;
         m++) {
        status = shoal_pvd_text(".", s->stage.materials[m], s->made, s->made_count,
                                s->stage.skin.fps, &text);
        if (status == SHOAL_OK)
            status =
                shoal_path_make(path, "%s/surface/%s.pvd", s->stage.folder, s->stage.materials[m]);
        if (status == SHOAL_OK) status = shoal_file_write(path, text.bytes, text.length);
        shoal_text_free(&text);
    }
    return status;
}

static shoal_status make_all(skinning* s) {
    char path[SHOAL_PATH_ROOM];
    SHOAL_TRY(run_stage_open(&s->stage));
    s->made = shoal_alloc((size_t)s->stage.count, sizeof *s->made);
    if (!s->made) return SHOAL_ERR_MEMORY;
    SHOAL_TRY(shoal_path_make(path, "%s/surface", s->stage.folder));
    SHOAL_TRY(shoal_folder_make(path));
    int          wanted = 0;
    shoal_status status = SHOAL_OK;
    for (int i = 0; i < s->stage.count && status == SHOAL_OK; i++) {
        if (i > 0) run_stage_tell_missing(&s->stage, i);
        if (!run_stage_wants(&s->stage, s->stage.numbers[i])) continue;
        wanted++;
        if (s->def->stop && s->def->stop(s->def->user))
            status = shoal_fail(SHOAL_ERR_INTERRUPTED, "interrupted before frame %d",
                                s->stage.numbers[i]);
        else
            status = make_frame(s, i);
    }
    if (wanted == 0 && status == SHOAL_OK && s->stage.first_fault == SHOAL_OK)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: none of its frames, %d to %d, is asked for",
                          s->stage.folder, s->stage.numbers[0],
                          s->stage.numbers[s->stage.count - 1]);
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
    static const char* const blocks[] = {"surface", NULL};
    if (def->made_by_default != DEF_MADE)
        return shoal_fail(SHOAL_ERR_PARAM,
                          "the settings of the surface were not made by shoal_surface_def_default");
    skinning* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->def              = def;
    s->stage            = (run_stage){.folder   = folder,
                                      .settings = def->settings,
                                      .blocks   = blocks,
                                      .first    = def->first,
                                      .last     = def->last,
                                      .fault    = def->fault,
                                      .user     = def->user};
    s->exec             = shoal_exec_make(def->threads);
    shoal_status status = find_format(def->format, &s->format);
    if (status == SHOAL_OK) status = make_all(s);
    if (status == SHOAL_OK && s->stage.first_fault != SHOAL_OK)
        status =
            shoal_fail(s->stage.first_fault, "%s: not all of its frames could be used", folder);
    shoal_text_free(&s->rows);
    shoal_free(s->made);
    run_stage_close(&s->stage);
    shoal_free(s);
    return status;
}
