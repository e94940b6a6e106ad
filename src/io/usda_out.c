// SPDX-License-Identifier: MIT
// Layers of USD: UsdGeomMesh and UsdGeomPoints with velocities, y up, metres, seconds by fps.
#include "io/usda_out.h"

#include "base/memory.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 80, FRAME = -1 }; // FRAME: no list of frames, prims are declared only

static void clean_name(const char* name, char out[NAME_SIZE]) {
    snprintf(out, NAME_SIZE, "%s%s", name[0] >= '0' && name[0] <= '9' ? "_" : "", name);
    for (char* c = out; *c; c++) {
        bool is_good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
        if (!is_good) *c = '_';
    }
}

// --- one frame

static void put_vectors(shoal_out* out, const char* type, const char* name, int frame, const float* v, int64_t count,
                        const char* digits) {
    shoal_out_print(out, "        %s[] %s.timeSamples = {%d: [", type, name, frame);
    for (int64_t i = 0; i < count; i++)
        shoal_out_print(out, digits, i ? ", " : "", (double)v[3 * i], (double)v[3 * i + 1], (double)v[3 * i + 2]);
    shoal_out_print(out, "]}");
}

static void put_extent(shoal_out* out, int frame, const float* v, int64_t count) {
    double low[3] = {0}, high[3] = {0};
    for (int k = 0; k < 3 && count > 0; k++) low[k] = high[k] = (double)v[k];
    for (int64_t i = 0; i < 3 * count; i++) {
        low[i % 3]  = fmin(low[i % 3], (double)v[i]);
        high[i % 3] = fmax(high[i % 3], (double)v[i]);
    }
    shoal_out_print(out,
                    "        float3[] extent.timeSamples = {%d: [(%.7g, %.7g, %.7g), "
                    "(%.7g, %.7g, %.7g)]}\n",
                    frame, low[0], low[1], low[2], high[0], high[1], high[2]);
}

#define PLACES "%s(%.7g, %.7g, %.7g)"
#define COARSE "%s(%.5g, %.5g, %.5g)"

static void put_mesh(shoal_out* out, const shoal_surface_mesh* m, int frame) {
    shoal_out_print(out, "        int[] faceVertexCounts.timeSamples = {%d: [", frame);
    for (int t = 0; t < m->triangle_count; t++) shoal_out_print(out, t ? ", 3" : "3");
    shoal_out_print(out, "]}\n        int[] faceVertexIndices.timeSamples = {%d: [", frame);
    for (int i = 0; i < 3 * m->triangle_count; i++) shoal_out_print(out, i ? ", %d" : "%d", m->triangles[i]);
    shoal_out_print(out, "]}\n");
    put_vectors(out, "point3f", "points", frame, m->positions, m->vertex_count, PLACES);
    shoal_out_print(out, "\n");
    put_vectors(out, "normal3f", "normals", frame, m->normals, m->vertex_count, COARSE);
    shoal_out_print(out, "\n");
    for (int f = 0; f < m->field_count; f++)
        if (strcmp(m->fields[f].name, "velocity") == 0 && m->fields[f].components == 3) {
            put_vectors(out, "vector3f", "velocities", frame, m->fields[f].data, m->vertex_count, COARSE);
            shoal_out_print(out, "\n");
        }
    put_extent(out, frame, m->positions, m->vertex_count);
}

static const float* number_of(const shoal_surface_particles* p, const char* name) {
    for (int f = 0; f < p->field_count; f++)
        if (strcmp(p->fields[f].name, name) == 0 && p->fields[f].components == 1) return p->fields[f].data;
    return NULL;
}

// `scale` times each number; without numbers, scale.
static void put_numbers(shoal_out* out, const char* name, int frame, const float* v, int64_t count, double scale) {
    shoal_out_print(out, "        float[] %s.timeSamples = {%d: [", name, frame);
    for (int64_t i = 0; i < count; i++) shoal_out_print(out, "%s%.6g", i ? ", " : "", v ? scale * (double)v[i] : scale);
    shoal_out_print(out, "]}\n");
}

static void put_points(shoal_out* out, const shoal_surface_particles* p, int frame) {
    const float *radius = number_of(p, "radius"), *wetness = number_of(p, "wetness");
    put_vectors(out, "point3f", "points", frame, p->positions, p->count, PLACES);
    shoal_out_print(out, "\n");
    put_numbers(out, "widths", frame, radius, p->count, radius ? 2.0 : p->spacing);
    if (wetness) put_numbers(out, "primvars:wetness", frame, wetness, p->count, 1.0);
    for (int f = 0; f < p->field_count; f++)
        if (strcmp(p->fields[f].name, "velocity") == 0 && p->fields[f].components == 3) {
            put_vectors(out, "vector3f", "velocities", frame, p->fields[f].data, p->count, COARSE);
            shoal_out_print(out, "\n");
        }
    put_extent(out, frame, p->positions, p->count);
}

// --- what frames, USD stage and manifest have in common

static void put_head(shoal_out* out, double fps, int first, int last) {
    shoal_out_print(out,
                    "#usda 1.0\n(\n    defaultPrim = \"shoal\"\n    metersPerUnit = 1\n"
                    "    upAxis = \"Y\"\n    timeCodesPerSecond = %.9g\n    framesPerSecond = %.9g\n"
                    "    startTimeCode = %d\n    endTimeCode = %d\n)\n\n",
                    fps, fps, first, last);
}

// The prims with what does not change, and of a frame with its samples.
static void put_prims(shoal_out* out, const shoal_usda_prim* prims, int count, int frame) {
    static const char* const varying = "        point3f[] points\n"
                                       "        vector3f[] velocities\n"
                                       "        float3[] extent\n";
    for (int i = 0; i < count; i++) {
        const shoal_usda_prim* t = &prims[i];
        char                   name[NAME_SIZE];
        clean_name(t->name, name);
        shoal_out_print(out,
                        "    def Mesh \"%s\"\n    {\n"
                        "        uniform token subdivisionScheme = \"none\"\n"
                        "        normal3f[] normals (\n            interpolation = \"vertex\"\n"
                        "        )\n",
                        name);
        if (frame == FRAME)
            shoal_out_print(out,
                            "        int[] faceVertexCounts\n"
                            "        int[] faceVertexIndices\n%s",
                            varying);
        else
            put_mesh(out, t->mesh, frame);
        shoal_out_print(out, "    }\n\n");
        if (!t->has_points) continue;
        shoal_out_print(out,
                        "    def Points \"%s_particles\"\n    {\n"
                        "        uniform token purpose = \"guide\"\n"
                        "        float[] widths (\n            interpolation = \"vertex\"\n        )\n",
                        name);
        if (t->has_wetness)
            shoal_out_print(out, "        float[] primvars:wetness (\n"
                                 "            interpolation = \"vertex\"\n        )\n");
        if (frame == FRAME)
            shoal_out_print(out, "%s", varying);
        else
            put_points(out, t->points, frame);
        shoal_out_print(out, "    }\n\n");
    }
    shoal_out_print(out, "}\n");
}

static shoal_status out_open(const char* path, shoal_out** out) {
    *out = shoal_alloc(1, sizeof **out);
    if (!*out) return SHOAL_ERR_MEMORY;
    shoal_out_begin(*out, path);
    return SHOAL_OK;
}

static shoal_status out_close(shoal_out* out) {
    shoal_status status = shoal_out_end(out);
    shoal_free(out);
    return status;
}

shoal_status shoal_usda_save_frame(const shoal_usda_prim* prims, int count, int frame, double fps, const char* path) {
    shoal_out* out;
    SHOAL_TRY(out_open(path, &out));
    put_head(out, fps, frame, frame);
    shoal_out_print(out, "def Xform \"shoal\"\n{\n");
    put_prims(out, prims, count, frame);
    return out_close(out);
}

static void put_clips(shoal_out* out, const int* frames, int count, const char* stem) {
    shoal_out_print(out, "def Xform \"shoal\" (\n    clips = {\n        dictionary default = {\n"
                         "            double2[] active = [");
    for (int i = 0; i < count; i++) shoal_out_print(out, "%s(%d, %d)", i ? ", " : "", frames[i], i);
    shoal_out_print(out, "]\n            double2[] times = [");
    for (int i = 0; i < count; i++) shoal_out_print(out, "%s(%d, %d)", i ? ", " : "", frames[i], frames[i]);
    shoal_out_print(out, "]\n            asset[] assetPaths = [");
    for (int i = 0; i < count; i++) shoal_out_print(out, "%s@./%s_%06d.usda@", i ? ", " : "", stem, frames[i]);
    shoal_out_print(out,
                    "]\n            asset manifestAssetPath = @./%s.manifest.usda@\n"
                    "            string primPath = \"/shoal\"\n        }\n    }\n)\n{\n",
                    stem);
}

shoal_status shoal_usda_save_stage(const shoal_usda_prim* prims, int count, const int* frames, int frame_count,
                                   double fps, const char* folder, const char* stem) {
    char       path[SHOAL_PATH_SIZE];
    shoal_out* out;
    int        last = frame_count > 0 ? frames[frame_count - 1] : 0;
    SHOAL_TRY(shoal_path_make(path, "%s/%s.manifest.usda", folder, stem));
    SHOAL_TRY(out_open(path, &out));
    put_head(out, fps, frame_count > 0 ? frames[0] : 0, last);
    shoal_out_print(out, "def Xform \"shoal\"\n{\n");
    put_prims(out, prims, count, FRAME);
    SHOAL_TRY(out_close(out));
    SHOAL_TRY(shoal_path_make(path, "%s/%s.usda", folder, stem));
    SHOAL_TRY(out_open(path, &out));
    put_head(out, fps, frame_count > 0 ? frames[0] : 0, last);
    put_clips(out, frames, frame_count, stem);
    put_prims(out, prims, count, FRAME);
    return out_close(out);
}
