// SPDX-License-Identifier: MIT
// libshoal_files: closed surfaces around particles, from memory or from the frames of a run.
#ifndef SHOAL_SURFACE_H
#define SHOAL_SURFACE_H

#include "shoal/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// A field of particles to be carried over to the vertices.
typedef struct shoal_surface_field {
    const char*  name;
    int          components; // 1 or 3
    const float* data;       // [components * count]
} shoal_surface_field;

typedef struct shoal_surface_particles {
    int64_t                    count;
    const float*               positions; // [3 * count] m
    double                     spacing;   // m; distance of the particles at rest
    int                        field_count;
    const shoal_surface_field* fields; // `volume`, of 1 component: what each of them takes up, m^3; else spacing^3
    // Particles of other materials: where these touch them the surfaces meet and overlap by a tenth of a
    // spacing, nothing gapes between. 0 and NULL: none.
    int64_t      other_count;
    const float* other_positions; // [3 * other_count] m
} shoal_surface_particles;

enum { SHOAL_SURFACE_FIELDS_MOST = 32, SHOAL_SURFACE_NAME_SIZE = 64 };

// A closed mesh: each directed edge of a triangle has its twin. Empty where there is no particle.
typedef struct shoal_surface_mesh {
    int    vertex_count, triangle_count;
    float* positions; // [3 * vertex_count] m
    float* normals;   // [3 * vertex_count] unit, outwards
    int*   triangles; // [3 * triangle_count] counter-clockwise seen from outside
    int    field_count;
    struct shoal_surface_array {
        char   name[SHOAL_SURFACE_NAME_SIZE];
        int    components;
        float* data; // [components * vertex_count]
    } fields[SHOAL_SURFACE_FIELDS_MOST];
} shoal_surface_mesh;

// The surface of particles in memory. `settings` are those of the block `surface` (shoal params
// surface) as "cell=0.4", "method=anisotropic", ended by NULL; NULL: all defaults. threads 0: all
// cores; results do not depend on it. No particles give an empty mesh; positions that are not
// finite are refused with SHOAL_ERR_INPUT.
SHOAL_API shoal_status shoal_surface_make(const shoal_surface_particles* particles, const char* const* settings,
                                          int threads, shoal_surface_mesh** out);
SHOAL_API void         shoal_surface_mesh_destroy(shoal_surface_mesh* mesh);      // may be NULL
SHOAL_API double       shoal_surface_mesh_volume(const shoal_surface_mesh* mesh); // m^3
// By the ending of the path: .vtp, .ply, .obj or .stl.
SHOAL_API shoal_status shoal_surface_mesh_save(const shoal_surface_mesh* mesh, double time_s, const char* path);

// The frames of a run: FOLDER/surface/MATERIAL_000123.EXT, MATERIAL.pvd beside them for vtp, and
// FOLDER/surface.csv.
typedef struct shoal_surface_row {
    int         frame;
    double      time_s;
    const char* material;    // or the name of an obstacle
    bool        is_obstacle; // it has no row in surface.csv
    int         triangles;
    double      mesh_m3, particles_m3;
    double      ms; // read to written
    const char* file;
} shoal_surface_row;

typedef struct shoal_surface_def {
    const char*        format;      // "vtp", "ply", "obj", "stl"
    const char* const* settings;    // "surface.cell=0.4", as --set has it, ended by NULL; NULL: as the scene says
    int                first, last; // frames; first < 0: the first there is, last < 0: the last
    const char*        frames;      // which of these, as shoal_frames_read takes them; NULL: all
    int                threads;     // 0: all cores
    bool               obstacles;   // also FOLDER/surface/OBSTACLE_000123.EXT, each where it is in that frame
    bool               resume;      // meshes that are there, of the same frame and settings, are left alone
    void (*done)(const shoal_surface_row* row, void* user); // after each file; NULL: silent
    void (*fault)(const char* message, void* user);         // a frame that could not be used; NULL: silent
    bool (*stop)(void* user);                               // asked between frames; NULL: never
    void*    user;
    unsigned made_by_default;
} shoal_surface_def;
SHOAL_API shoal_surface_def shoal_surface_def_default(void);

// A frame that is damaged or missing is reported to `fault` and the others are still made; the status
// is then that of the first one.
SHOAL_API shoal_status shoal_surface_run(const shoal_surface_def* def, const char* folder);
// The formats there are, ended by NULL.
SHOAL_API const char* const* shoal_surface_formats(void);

#ifdef __cplusplus
}
#endif
#endif
