// SPDX-License-Identifier: MIT
// The tree of keys and values behind a scene, and its dotted paths.
#include "scene/tree.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_DEPTH_MOST = 64 };

shoal_node* shoal_node_create(shoal_node_kind kind) {
    shoal_node* node = shoal_alloc(1, sizeof *node);
    if (node) node->kind = kind;
    return node;
}

static void free_contents(shoal_node* node) {
    shoal_node* child = node->first;
    while (child) {
        shoal_node* next = child->next;
        shoal_node_destroy(child);
        child = next;
    }
    shoal_free(node->text);
    shoal_mesh_destroy(node->mesh);
    node->text  = NULL;
    node->mesh  = NULL;
    node->first = node->last = NULL;
}

// Recursive; depth is bounded by the builder of the tree.
void shoal_node_destroy(shoal_node* node) {
    if (!node) return;
    free_contents(node);
    shoal_free(node->key);
    shoal_free(node);
}

void shoal_node_append(shoal_node* parent, shoal_node* child) {
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

shoal_node* shoal_node_child(const shoal_node* map, const char* key) {
    if (!map || map->kind != SHOAL_NODE_MAP) return NULL;
    for (shoal_node* child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

shoal_node* shoal_node_at(const shoal_node* list, int index) {
    if (!list || list->kind != SHOAL_NODE_LIST || index < 0) return NULL;
    shoal_node* child = list->first;
    for (; child && index > 0; index--) child = child->next;
    return child;
}

int shoal_node_count(const shoal_node* node) {
    int count = 0;
    for (const shoal_node* child = node ? node->first : NULL; child; child = child->next) count++;
    return count;
}

const char* shoal_node_kind_text(shoal_node_kind kind) {
    switch (kind) {
    case SHOAL_NODE_NULL:
        return "nothing";
    case SHOAL_NODE_FLAG:
        return "true or false";
    case SHOAL_NODE_NUMBER:
        return "a number";
    case SHOAL_NODE_TEXT:
        return "text";
    case SHOAL_NODE_LIST:
        return "a list";
    case SHOAL_NODE_MAP:
        return "a map";
    case SHOAL_NODE_MESH:
        return "a mesh";
    }
    return "nothing";
}

shoal_node* shoal_node_copy(const shoal_node* node, int* left) {
    if (--*left < 0) return NULL;
    shoal_node* copy = shoal_node_create(node->kind);
    if (!copy) return NULL;
    copy->number     = node->number;
    copy->line       = node->line;
    copy->column     = node->column;
    copy->key_line   = node->key_line;
    copy->key_column = node->key_column;
    copy->origin     = node->origin;
    bool ok          = true;
    if (node->key) ok = (copy->key = shoal_strdup(node->key)) != NULL;
    if (ok && node->text) ok = (copy->text = shoal_strdup(node->text)) != NULL;
    for (const shoal_node* child = node->first; ok && child; child = child->next) {
        shoal_node* below = shoal_node_copy(child, left);
        if (below) shoal_node_append(copy, below);
        ok = below != NULL;
    }
    if (ok) return copy;
    shoal_node_destroy(copy);
    return NULL;
}

// One step of a path: the text up to the next dot.
typedef struct step {
    const char* text;
    size_t      length;
    bool        is_last;
} step;

static bool is_index(step s) {
    if (s.length == 0 || s.length > 9) return false;
    for (size_t k = 0; k < s.length; k++)
        if (!isdigit((unsigned char)s.text[k])) return false;
    return true;
}

static shoal_status next_step(const char* whole, const char** path, step* out) {
    out->text    = *path;
    out->length  = strcspn(*path, ".");
    out->is_last = (*path)[out->length] == 0;
    *path += out->length + (out->is_last ? 0 : 1);
    if (out->length > 0) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_INPUT,
                      "path \"%.200s\" has an empty step; write keys joined by dots, like bodies.0.velocity", whole);
}

// The child of `parent` at a step, NULL when there is none yet. A list takes its places and the
// next one only.
static shoal_status find(const char* whole, const shoal_node* parent, step s, shoal_node** out) {
    *out = NULL;
    if (parent->kind == SHOAL_NODE_MAP) {
        for (shoal_node* child = parent->first; child; child = child->next)
            if (strlen(child->key) == s.length && memcmp(child->key, s.text, s.length) == 0) {
                *out = child;
                return SHOAL_OK;
            }
        return SHOAL_OK;
    }
    int count = shoal_node_count(parent), index = is_index(s) ? atoi(s.text) : -1;
    if (index < 0 || index > count)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "path \"%.200s\": \"%.*s\" is no place of a list with %d %s; the next free one is %d", whole,
                          (int)(s.length < 60 ? s.length : 60), s.text, count, count == 1 ? "entry" : "entries", count);
    *out = shoal_node_at(parent, index);
    return SHOAL_OK;
}

static shoal_node* add_child(shoal_node* parent, step s, shoal_node* child) {
    if (parent->kind == SHOAL_NODE_MAP) shoal_free(child->key); // a copy has that of its place before
    if (parent->kind == SHOAL_NODE_MAP && !(child->key = shoal_strndup(s.text, s.length))) return NULL;
    shoal_node_append(parent, child);
    return child;
}

// Makes `node` a fresh map or list, as the next step of the path asks for, where it was something
// single.
static void become_parent(shoal_node* node, const char* rest) {
    if (node->kind == SHOAL_NODE_MAP || node->kind == SHOAL_NODE_LIST) return;
    free_contents(node);
    step next  = {rest, strcspn(rest, "."), false};
    node->kind = is_index(next) ? SHOAL_NODE_LIST : SHOAL_NODE_MAP;
}

// Puts the contents of `value` into `node`, which keeps its key and place among its siblings.
static void replace(shoal_node* node, shoal_node* value) {
    free_contents(node);
    shoal_node old   = *node;
    *node            = *value;
    node->key        = old.key;
    node->next       = old.next;
    node->key_line   = old.key_line;
    node->key_column = old.key_column;
    value->first = value->last = NULL;
    value->text                = NULL;
    value->mesh                = NULL;
    shoal_node_destroy(value);
}

shoal_node* shoal_node_find(const shoal_node* root, const char* path, size_t length) {
    const char* end  = path + length;
    shoal_node* node = (shoal_node*)root;
    while (node && path < end) {
        step s = {path, strcspn(path, "."), false};
        if (path + s.length > end) s.length = (size_t)(end - path);
        shoal_node* child = NULL;
        for (child = node->kind == SHOAL_NODE_MAP ? node->first : NULL; child; child = child->next)
            if (strlen(child->key) == s.length && memcmp(child->key, s.text, s.length) == 0) break;
        if (node->kind == SHOAL_NODE_LIST && is_index(s)) child = shoal_node_at(node, atoi(s.text));
        node = child;
        path += s.length + 1;
    }
    return node;
}

shoal_status shoal_node_put(shoal_node* root, const char* path, shoal_node* value) {
    const char*  rest = path;
    shoal_node*  node = root;
    shoal_status status;
    for (int depth = 0; depth < PATH_DEPTH_MOST; depth++) {
        step        s;
        shoal_node* child;
        if ((status = next_step(path, &rest, &s)) != SHOAL_OK) goto fail;
        if ((status = find(path, node, s, &child)) != SHOAL_OK) goto fail;
        if (s.is_last) {
            if (child) {
                replace(child, value);
            } else if (!add_child(node, s, value)) {
                status = SHOAL_ERR_MEMORY;
                goto fail;
            }
            return SHOAL_OK;
        }
        if (!child) {
            child = shoal_node_create(SHOAL_NODE_NULL);
            if (child) child->origin = value->origin;
            if (child && !add_child(node, s, child)) {
                shoal_node_destroy(child);
                child = NULL;
            }
            if (!child) {
                status = SHOAL_ERR_MEMORY;
                goto fail;
            }
        }
        become_parent(child, rest);
        node = child;
    }
    status = shoal_fail(SHOAL_ERR_INPUT, "path \"%.200s\" has more than %d steps", path, PATH_DEPTH_MOST);
fail:
    shoal_node_destroy(value);
    return status;
}

shoal_status shoal_node_remove(shoal_node* root, const char* path) {
    const char* rest = path;
    shoal_node *node = root, *child = NULL;
    for (;;) {
        step s;
        SHOAL_TRY(next_step(path, &rest, &s));
        if (node->kind != SHOAL_NODE_MAP && node->kind != SHOAL_NODE_LIST)
            child = NULL;
        else
            SHOAL_TRY(find(path, node, s, &child));
        if (!child)
            return shoal_fail(SHOAL_ERR_INPUT, "path \"%.200s\": there is nothing at \"%.*s\"", path,
                              (int)(s.length < 60 ? s.length : 60), s.text);
        if (s.is_last) break;
        node = child;
    }
    shoal_node* before = NULL;
    for (shoal_node* k = node->first; k != child; k = k->next) before = k;
    if (before)
        before->next = child->next;
    else
        node->first = child->next;
    if (node->last == child) node->last = before;
    shoal_node_destroy(child);
    return SHOAL_OK;
}
