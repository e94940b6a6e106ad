// SPDX-License-Identifier: MIT
// Reading maps of a scene against their tables, and the parts of scene_build.c. Inside scene/ only.
#ifndef SHOAL_SCENE_READ_H
#define SHOAL_SCENE_READ_H

#include "scene/blocks.h"
#include "scene/scene_local.h"
#include "solvers/registry.h"

typedef struct scene_reader {
    shoal_scene*              scene;
    shoal_description*        d;
    const shoal_solver_type*  type; // the chosen solver; NULL when the scene names none that exists
    int                       errors;
    bool                      domain_is_wrong; // what depends on it is not looked at
    bool                      is_out_of_memory;
    double                    mesh_bytes; // distance fields of meshes
    char                      path[256];  // of the node being read, cut when longer
    size_t                    path_length;
    const shoal_param_preset* preset; // of the map that is read, in place of defaults; NULL: none
} scene_reader;

// The path grows by a key or a place while a child is read; leave with what enter returned.
size_t scene_enter(scene_reader* r, const char* key);
size_t scene_enter_place(scene_reader* r, int index);
void   scene_leave(scene_reader* r, size_t mark);

// A fault at the path; the message is "PATH: text".
void scene_error(scene_reader* r, const shoal_node* at, const char* format, ...) __attribute__((format(printf, 3, 4)));
void scene_warning(scene_reader* r, const shoal_node* at, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Whether there is a fault at a path, from the `first` fault on.
bool scene_has_fault(const scene_reader* r, int first, const char* path);
// SHOAL_ERR_INPUT with the text of the first error among the faults.
shoal_status scene_first_error(shoal_scene* scene);

// "; did you mean "x"?" or ""; words ended by NULL.
void scene_meant(const char* typed, const char* const* words, char* buffer, size_t size);

// Fills params[k] from the keys that tables[k] knows (NULL tables end the list), defaults first.
// Faults: not a map, unknown keys, wrong types, values out of range, required keys that are
// missing. Returns whether all was right.
typedef struct scene_table {
    const shoal_param_def* table;
    void*                  params;
} scene_table;
bool scene_read_map(scene_reader* r, const shoal_node* map, const scene_table* tables);

// The node as text, list or map of this many numbers; a fault and false or NULL where it is
// something else.
const char* scene_read_text(scene_reader* r, const shoal_node* node);
bool        scene_read_name(scene_reader* r, const shoal_node* node, char* out,
                            size_t capacity); // text, short, not empty
bool        scene_read_numbers(scene_reader* r, const shoal_node* node, double* out, int count);
bool        scene_is_list(scene_reader* r, const shoal_node* node);
enum { SCENE_ENTRIES_MOST = 10000 }; // in one of the lists of a scene

// A shape of the keys of `map` (the caller has read its map with scene_shape_params_table).
typedef enum scene_use { SCENE_USE_BODY, SCENE_USE_OBSTACLE, SCENE_USE_OTHER } scene_use;
// `moves`: it stays in its own frame, without `at`. NULL: a fault was found.
shoal_shape* scene_read_shape(scene_reader* r, const shoal_node* map, scene_use use, bool moves);
bool         scene_has_shape(const shoal_node* map); // one of its keys is the word of a shape
bool         scene_read_rotate(scene_reader* r, const shoal_node* node,
                               scene_rotate_params* out); // axis made unit

// scene_solver.c
void scene_read_solver(scene_reader* r);        // r->type, by its name or by the materials
void scene_read_solver_blocks(scene_reader* r); // the blocks of all solvers; that of the chosen one is kept
void scene_ask_solver(scene_reader* r);         // what it refuses, warns of and remarks. For scenes without an error.

// scene_domain.c
void scene_read_domain(scene_reader* r);
void scene_read_output(scene_reader* r);
void scene_read_probes(scene_reader* r);

// scene_lists.c: each fills its part of the description.
extern const char* const scene_preset_names[]; // of materials, ended by NULL
// The bit 1 << kind of the material that a node names (NULL: none), before materials are read; 0: unknown.
unsigned scene_kind_bits(const shoal_node* root, const shoal_node* name);
void     scene_read_materials(scene_reader* r);
void     scene_read_bodies(scene_reader* r);
void     scene_read_obstacles(scene_reader* r);
void     scene_read_emitters(scene_reader* r);
void     scene_read_sinks(scene_reader* r);
void     scene_read_forces(scene_reader* r);

// scene_surface.c
void scene_read_surface(scene_reader* r, shoal_surface_params* out);

// scene_render.c
void scene_read_render(scene_reader* r, shoal_render_settings* out);

// scene_facts.c: counts, overlaps, places outside, memory.
void scene_count(scene_reader* r);

// scene_words.c: words that the solver does not heed. For scenes without an error.
void scene_warn_words(scene_reader* r);
// Whether a solver takes a key of materials of a kind.
bool scene_is_heeded(const shoal_solver_type* type, const char* key, shoal_material_kind kind);

// scene_warnings.c: a box that lies outside the domain, where nothing ... And what else has no effect, for scenes
// without an error.
void scene_warn_box(scene_reader* r, const shoal_node* node, shoal_box box, const char* effect);
void scene_warn_places(scene_reader* r);
// Goes to the entry `place` of a list of the scene.
const shoal_node* scene_enter_entry(scene_reader* r, const char* key, int place, size_t* mark);

// scene_scale.c: what is likely a slip of sign or unit. For scenes without an error.
void scene_warn_scale(scene_reader* r);

#endif
