// SPDX-License-Identifier: MIT
// A scene is a tree of keys and values: the same words whether it comes from a file (see files.h)
// or from the calls below. It is checked as a whole, all faults in one go.
#ifndef SHOAL_SCENE_H
#define SHOAL_SCENE_H

#include "shoal/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_scene shoal_scene;

SHOAL_API shoal_status shoal_scene_create(shoal_scene** out);
SHOAL_API void         shoal_scene_destroy(shoal_scene* scene); // may be NULL

// Sets one value. A path is the keys from the root, joined by dots, list places by number:
// "spacing", "domain.max", "bodies.0.box.min", "domain.walls.top". Maps and lists on the way are made
// as needed; a list grows only by its next place. Only the shape of the path is checked here.
SHOAL_API shoal_status shoal_scene_set_number(shoal_scene* scene, const char* path, double value);
SHOAL_API shoal_status shoal_scene_set_flag(shoal_scene* scene, const char* path, bool value);
SHOAL_API shoal_status shoal_scene_set_text(shoal_scene* scene, const char* path, const char* text);
SHOAL_API shoal_status shoal_scene_set_vec3(shoal_scene* scene, const char* path, double x, double y, double z);
SHOAL_API shoal_status shoal_scene_set_numbers(shoal_scene* scene, const char* path, const double* values, int count);
// A triangle mesh from memory in the place of a file name ("obstacles.0.mesh"). The arrays are copied.
SHOAL_API shoal_status shoal_scene_set_mesh(shoal_scene* scene, const char* path, const float* vertices,
                                            int vertex_count, const int* triangles, int triangle_count);
SHOAL_API shoal_status shoal_scene_remove(shoal_scene* scene, const char* path);

// What is wrong or doubtful in a scene.
typedef struct shoal_fault {
    bool        is_error;     // else a warning
    const char* file;         // scene file, or "scene" when built by calls
    int         line, column; // from 1; 0 when built by calls
    const char* path;         // "pbf.iterations"
    const char* message;      // "pbf.iterations = 0 is outside [1, 64]"
    const char* source_line;  // the text of the line, or NULL
} shoal_fault;

// Checks everything: keys, types, ranges, shapes, meshes, overlaps, memory. Returns SHOAL_OK when no
// fault is an error (warnings may remain), else SHOAL_ERR_INPUT with the first error as last error.
SHOAL_API shoal_status       shoal_scene_check(shoal_scene* scene);
SHOAL_API int                shoal_scene_fault_count(const shoal_scene* scene);
SHOAL_API const shoal_fault* shoal_scene_fault(const shoal_scene* scene, int index);
// A fault as people read it: "file:line:col: message", the source line and a caret below, each line ended by a newline.
// Writes at most `capacity` bytes with the ending zero and returns the length it needs, like snprintf.
SHOAL_API size_t shoal_fault_print(const shoal_fault* fault, char* out, size_t capacity);

// What a checked scene will be; zero before shoal_scene_check.
typedef struct shoal_scene_facts {
    const char* name;
    const char* solver;
    bool        solver_is_chosen; // by the materials, since the scene names none
    int         frames;
    double      fps;
    double      spacing;            // m
    double      support;            // m; kernel radius or cell size of the solver
    int64_t     particles;          // at the start
    int64_t     particles_most;     // with everything the emitters may add
    int64_t     bytes_per_particle; // state, neighbours, scratch, and copies being written
    int64_t     bytes;              // estimate of the whole run
    const char* remarks;            // what the solver has derived from the scene, a sentence; may be empty
    bool        is_mesh; // the solver has a mesh and no particles: those counted above are cubes of one spacing
} shoal_scene_facts;
SHOAL_API shoal_scene_facts shoal_scene_get_facts(const shoal_scene* scene);

// The scene with every default filled in, as JSON; free with shoal_bytes_free(text, strlen(text) + 1).
SHOAL_API shoal_status shoal_scene_resolved(shoal_scene* scene, char** json);

#ifdef __cplusplus
}
#endif
#endif
