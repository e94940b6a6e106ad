// SPDX-License-Identifier: MIT
// Inside of shoal_scene, for scene/ and sim/ only.
#ifndef SHOAL_SCENE_LOCAL_H
#define SHOAL_SCENE_LOCAL_H

#include "scene/tree.h"
#include "shoal/scene.h"
#include "state/description.h"

// Reads a mesh file; given by libshoal_files, since the core opens no files.
typedef shoal_status (*shoal_mesh_loader)(const char* path, shoal_mesh** out);

struct shoal_scene {
    shoal_node*        root;
    char*              file;   // for messages; NULL: made by calls
    char*              text;   // source, for the line shown under a message; NULL: none
    char*              folder; // where mesh files are looked for
    shoal_mesh_loader  load_mesh;
    int                fault_count, fault_room;
    shoal_fault*       faults; // strings owned
    bool               is_checked;      // since the last change
    bool               syntax_is_wrong; // the text could not be parsed at all
    shoal_description* description;     // of the last successful check
    shoal_scene_facts  facts;
};

// Forgets the results of a check: called by everything that changes the tree.
void shoal_scene_touch(shoal_scene* scene);
// Adds a fault at a node (NULL: the scene as a whole).
void shoal_scene_add_fault(shoal_scene* scene, bool is_error, const shoal_node* at, const char* path, const char* format, ...)
    __attribute__((format(printf, 5, 6)));
// Checks if needed, then hands the description over to the caller, who frees it (shoal_description_free, shoal_free).
shoal_status shoal_scene_take_description(shoal_scene* scene, shoal_description** out);

#endif
