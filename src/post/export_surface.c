// SPDX-License-Identifier: MIT
// Surfaces of all frames of a run for programs that take volumes or scenes:
//
//     vdb   DIR/export/NAME_000123.vdb   a level set and a grid of velocities per material
//     usda  DIR/export/NAME_000123.usda  meshes, particles and obstacles; NAME.usda is all of them
#include "post/export_surface.h"

#include "io/usda_out.h"
#include "io/vdb_out.h"
#include "post/obstacles.h"
#include "post/part_mesh.h"
#include "surface/surface.h"

#include <stdio.h>
#include <string.h>

enum { GRID_NAME_SIZE = POST_MATERIAL_SIZE + 16 };

typedef struct export_job {
    post_source             source;
    post_obstacles          obstacles;
    shoal_exec              exec;
    char                    folder[SHOAL_PATH_SIZE];
    int*                    made; // [source.count] numbers of the frames that were written
    int                     made_count;
    bool                    has_wetness; // in frames so far
    const shoal_export_def* def;
} export_job;

typedef shoal_status (*frame_writer)(export_job* e, const post_frame* frame, int number, const char* path);

// --- vdb

static shoal_status frame_to_vdb(export_job* e, const post_frame* frame, int number, const char* path) {
    (void)number;
    int                   materials = e->source.material_count, count = 0;
    shoal_vdb_grid*       grids   = shoal_alloc(2 * (size_t)materials, sizeof *grids);
    shoal_surface_volume* volumes = shoal_alloc((size_t)materials, sizeof *volumes);
    char(*names)[GRID_NAME_SIZE]  = shoal_alloc(2 * (size_t)materials, sizeof *names);
    shoal_status status           = grids && volumes && names ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (int m = 0; m < materials && status == SHOAL_OK; m++) {
        // other programs look for these names; several materials need more than two
        const char*   material = e->source.materials[m];
        bool          is_only  = materials == 1;
        post_material part     = {0};
        status                 = post_material_take(frame, m, e->source.surface.spacing, &part);
        if (status == SHOAL_OK && part.mesh)
            status = shoal_fail(SHOAL_ERR_INPUT,
                                "%s is a mesh, and vdb holds level sets of particles; usda takes meshes", material);
        if (status == SHOAL_OK)
            status = shoal_surface_build_volume(&e->source.surface.surface, &part.particles, &e->exec, shoal_isa_best(),
                                                &volumes[m]);
        double spacing = part.particles.spacing;
        post_material_free(&part);
        if (status != SHOAL_OK) break;
        shoal_sparse* f = &volumes[m].distance;
        if (f->block_count == 0) { // nothing there: a grid without leaves
            f->cell    = (double)e->source.surface.surface.cell * spacing;
            f->outside = SHOAL_SURFACE_BAND * (float)f->cell;
        }
        snprintf(names[count], GRID_NAME_SIZE, "surface%s%s", is_only ? "" : "_", is_only ? "" : material);
        grids[count] = (shoal_vdb_grid){names[count], f, NULL};
        count++;
        if (!volumes[m].velocity) continue;
        snprintf(names[count], GRID_NAME_SIZE, "velocity%s%s", is_only ? "" : "_", is_only ? "" : material);
        grids[count] = (shoal_vdb_grid){names[count], f, volumes[m].velocity};
        count++;
    }
    if (status == SHOAL_OK) status = shoal_vdb_save(grids, count, path);
    for (int m = 0; volumes && m < materials; m++) shoal_surface_volume_free(&volumes[m]);
    shoal_free(names);
    shoal_free(volumes);
    shoal_free(grids);
    return status;
}

// --- usda

// Fills names alone, or with meshes and particles of a frame.
static shoal_status gather_prims(export_job* e, const post_frame* frame, shoal_usda_prim* prims,
                                 shoal_surface_mesh** meshes, post_material* parts) {
    int materials = e->source.material_count;
    for (int m = 0; m < materials; m++) {
        for (int k = 0; frame && k < frame->count; k++) {
            const shoal_frame_array* wetness = shoal_frame_find(frame->parts[k], "wetness");
            e->has_wetness                   = e->has_wetness || (wetness && wetness->type == SHOAL_F1);
        }
        prims[m] = (shoal_usda_prim){.name = e->source.materials[m], .has_points = true, .has_wetness = e->has_wetness};
        if (!frame) continue;
        SHOAL_TRY(post_material_take(frame, m, e->source.surface.spacing, &parts[m]));
        SHOAL_TRY(post_material_surface(&e->source.surface.surface, &parts[m], &e->exec, &meshes[m]));
        prims[m].mesh   = meshes[m];
        prims[m].points = &parts[m].particles;
    }
    for (int k = 0; k < e->obstacles.count; k++) {
        prims[materials + k] = (shoal_usda_prim){.name = e->obstacles.names[k]};
        if (!frame) continue;
        shoal_world_move(e->obstacles.world, frame->time, 0.0);
        SHOAL_TRY(post_obstacle_mesh(&e->obstacles, k, &meshes[materials + k]));
        prims[materials + k].mesh = meshes[materials + k];
    }
    return SHOAL_OK;
}

static shoal_status frame_to_usda(export_job* e, const post_frame* frame, int number, const char* path) {
    int                  materials = e->source.material_count, count = materials + e->obstacles.count;
    shoal_usda_prim*     prims  = shoal_alloc((size_t)count, sizeof *prims);
    shoal_surface_mesh** meshes = shoal_alloc((size_t)count, sizeof *meshes);
    post_material*       parts  = shoal_alloc((size_t)materials, sizeof *parts);
    shoal_status         status = prims && meshes && parts ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) status = gather_prims(e, frame, prims, meshes, parts);
    if (status == SHOAL_OK) status = shoal_usda_save_frame(prims, count, number, e->source.surface.fps, path);
    for (int i = 0; meshes && i < count; i++) shoal_surface_mesh_destroy(meshes[i]);
    for (int m = 0; parts && m < materials; m++) post_material_free(&parts[m]);
    shoal_free(parts);
    shoal_free(meshes);
    shoal_free(prims);
    return status;
}

// The USD stage of the frames that were written.
static shoal_status finish_usda(export_job* e) {
    char             path[SHOAL_PATH_SIZE];
    int              count = e->source.material_count + e->obstacles.count;
    shoal_usda_prim* prims = shoal_alloc((size_t)count, sizeof *prims);
    if (!prims) return SHOAL_ERR_MEMORY;
    shoal_status status = gather_prims(e, NULL, prims, NULL, NULL);
    if (status == SHOAL_OK)
        status = shoal_usda_save_stage(prims, count, e->made, e->made_count, e->source.surface.fps, e->folder,
                                       e->source.stem);
    shoal_free(prims);
    SHOAL_TRY(status);
    SHOAL_TRY(shoal_path_make(path, "%s/%s.usda", e->folder, e->source.stem));
    if (e->def->done) e->def->done(path, e->def->user);
    return SHOAL_OK;
}

// --- all of them

static const struct {
    const char*  name;
    frame_writer write;
    shoal_status (*finish)(export_job* e);
} formats[] = {
    {"vdb", frame_to_vdb, NULL},
    {"usda", frame_to_usda, finish_usda},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const char* const* post_surface_exports(void) {
    static const char* const names[] = {"vdb", "usda", NULL};
    return names;
}

static shoal_status write_frame(export_job* e, int index, int format, char to[SHOAL_PATH_SIZE]) {
    int        number = e->source.numbers[index];
    post_frame frame;
    SHOAL_TRY(shoal_path_make(to, "%s/%s_%06d.%s", e->folder, e->source.stem, number, formats[format].name));
    shoal_status status = post_frame_load(&e->source, index, &frame);
    if (status == SHOAL_OK) {
        status = formats[format].write(e, &frame, number, to);
        if (status == SHOAL_ERR_INPUT) status = shoal_fail(status, "%s: %s", frame.file, shoal_last_error());
    }
    post_frame_free(&frame);
    return status;
}

// Tells a frame that cannot be used; other failures end the export.
static shoal_status export_frame(export_job* e, int index, int format) {
    char to[SHOAL_PATH_SIZE];
    if (e->def->stop && e->def->stop(e->def->user))
        return shoal_fail(SHOAL_ERR_INTERRUPTED, "interrupted before frame %d", e->source.numbers[index]);
    shoal_status status = write_frame(e, index, format, to);
    if (status == SHOAL_ERR_INPUT || status == SHOAL_ERR_FILE) {
        post_source_fault(&e->source, status, shoal_last_error());
        return shoal_file_remove(to); // of an earlier export
    }
    if (status == SHOAL_OK) e->made[e->made_count++] = e->source.numbers[index];
    if (status == SHOAL_OK && e->def->done) e->def->done(to, e->def->user);
    return status;
}

static shoal_status export_all(export_job* e, int format) {
    SHOAL_TRY(post_source_open(&e->source));
    if (formats[format].finish) SHOAL_TRY(post_obstacles_open(&e->obstacles, &e->source, &e->exec));
    SHOAL_TRY(shoal_path_make(e->folder, "%s/export", e->source.folder));
    SHOAL_TRY(shoal_folder_make(e->folder));
    e->made = shoal_alloc((size_t)e->source.count + 1, sizeof *e->made);
    if (!e->made) return SHOAL_ERR_MEMORY;
    for (int i = 0; i < e->source.count; i++) {
        if (i > 0) post_source_report_missing(&e->source, i);
        if (!post_source_wants(&e->source, e->source.numbers[i])) continue;
        SHOAL_TRY(export_frame(e, i, format));
    }
    if (formats[format].finish && e->made_count > 0) SHOAL_TRY(formats[format].finish(e));
    return post_source_end(&e->source);
}

shoal_status post_export_surfaces(const shoal_export_def* def, const char* folder) {
    static const char* const blocks[] = {"surface", NULL};
    int                      index    = 0;
    while (index < FORMAT_COUNT - 1 && strcmp(formats[index].name, def->format) != 0) index++;
    export_job* e = shoal_alloc(1, sizeof *e);
    if (!e) return SHOAL_ERR_MEMORY;
    e->source           = POST_SOURCE_OF(def, folder, blocks);
    e->exec             = shoal_exec_make(def->threads);
    e->def              = def;
    shoal_status status = export_all(e, index);
    post_obstacles_close(&e->obstacles);
    post_source_close(&e->source);
    shoal_free(e->made);
    shoal_free(e);
    return status;
}
