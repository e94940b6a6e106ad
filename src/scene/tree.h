// SPDX-License-Identifier: MIT
// A scene as a tree of keys and values, with the place of each in its file. Made by the calls of scene.h
// or from text by scene_text.c; read by scene_build.c.
#ifndef SHOAL_TREE_H
#define SHOAL_TREE_H

#include "geom/mesh.h"

typedef enum shoal_node_kind {
    SHOAL_NODE_NULL,
    SHOAL_NODE_FLAG,
    SHOAL_NODE_NUMBER,
    SHOAL_NODE_TEXT,
    SHOAL_NODE_LIST,
    SHOAL_NODE_MAP,
    SHOAL_NODE_MESH
} shoal_node_kind;

typedef struct shoal_node {
    shoal_node_kind    kind;
    char*              key;                  // in a map; NULL elsewhere
    double             number;               // NUMBER, FLAG (0 or 1)
    char*              text;                 // TEXT; NUMBER and FLAG from a file: as written
    shoal_mesh*        mesh;                 // MESH
    int                line, column;         // of the value; 0: made by calls
    int                key_line, key_column; // of the key
    const char*        origin; // "--set frames=x" when it came that way (the scene owns it); NULL: the file or calls
    struct shoal_node* first;  // children in order
    struct shoal_node* last;
    struct shoal_node* next;
} shoal_node;

shoal_node* shoal_node_create(shoal_node_kind kind);                  // NULL: out of memory
void        shoal_node_destroy(shoal_node* node);                     // with all below; may be NULL
void        shoal_node_append(shoal_node* parent, shoal_node* child); // takes the child
shoal_node* shoal_node_child(const shoal_node* map, const char* key); // NULL: none
shoal_node* shoal_node_at(const shoal_node* list, int index);         // NULL: none
int         shoal_node_count(const shoal_node* node);
const char* shoal_node_kind_text(shoal_node_kind kind); // "a number"
// A copy with all below, keys and places too; *left is lowered by the nodes made. NULL: out of memory or none left.
shoal_node* shoal_node_copy(const shoal_node* node, int* left);
// What stands at the first `length` bytes of a dotted path; NULL: nothing.
shoal_node* shoal_node_find(const shoal_node* root, const char* path, size_t length);
// Puts `value` (taken, also on failure) at a dotted path, making maps and lists on the way.
shoal_status shoal_node_put(shoal_node* root, const char* path, shoal_node* value);
shoal_status shoal_node_remove(shoal_node* root, const char* path);

#endif
