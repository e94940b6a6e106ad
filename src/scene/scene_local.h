// SPDX-License-Identifier: MIT
// Inside of shoal_scene, for scene/ only; other folders see scene_access.h.
#ifndef SHOAL_SCENE_LOCAL_H
#define SHOAL_SCENE_LOCAL_H

#include "scene/scene_access.h"

// Reads a mesh file; given by libshoal_files, since the core opens no files.
typedef shoal_status (*shoal_mesh_loader)(const char* path, shoal_mesh** out);

struct shoal_scene {
    shoal_node*          root;
    char*                file;   // for messages; NULL: made by calls
    char*                text;   // source, for the line shown under a message; NULL: none
    char*                folder; // where mesh files are looked for
    shoal_mesh_loader    load_mesh;
    int                  fault_count, fault_capacity;
    shoal_fault*         faults;          // strings owned
    bool                 is_checked;      // since the last change
    bool                 syntax_is_wrong; // the text could not be parsed at all
    shoal_description*   description;     // of the last successful check
    shoal_picture_params picture;         // and what it says of surfaces and pictures
    shoal_scene_facts    facts;
    char                 name[SHOAL_NAME_SIZE * 4]; // what facts.name points to
    char                 remarks[512];              // and facts.remarks
    int                  origin_count;
    char**               origins;      // what nodes set by shoal_scene_set_value point to
    double               sites_most;   // lattice sites a bounding box may hold before counting is refused
    double               samples_most; // of the distance to a shape that others have cut; 0: none
    double               bytes_most;   // memory of this machine; 0: unknown
};

// Forgets the results of a check: called by everything that changes the tree.
void shoal_scene_touch(shoal_scene* scene);
// Adds a fault at a node (NULL: the scene as a whole).
void shoal_scene_add_fault(shoal_scene* scene, bool is_error, const shoal_node* at, const char* path,
                           const char* format, ...) __attribute__((format(printf, 5, 6)));
// The same, pointing at the node's key.
void shoal_scene_add_key_fault(shoal_scene* scene, bool is_error, const shoal_node* at, const char* path,
                               const char* format, ...) __attribute__((format(printf, 5, 6)));
// Text that nodes of the scene may point to as where they came from, kept as long as the scene.
shoal_status shoal_scene_add_origin(shoal_scene* scene, const char** out, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// Tree to description, all faults collected. *out is NULL when one of them is an error (SHOAL_OK all the same); other
// states: out of memory.
shoal_status shoal_scene_build(shoal_scene* scene, shoal_description** out);
// Makes an error of the YAML parser plainer, and moves it to where its cause is.
typedef struct shoal_place {
    int line, column; // from 1
} shoal_place;
void shoal_syntax_explain(const char* text, shoal_place* at, char* message, size_t capacity);

#endif
