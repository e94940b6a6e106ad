// SPDX-License-Identifier: MIT
// A scene from calls, its faults, and the check that makes a description of it.
#include "scene/scene_local.h"

#include "base/memory.h"
#include "base/words.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    FAULTS_MOST   = 200, // further ones are counted as one
    SOURCE_SHOWN  = 120, // characters of a source line around the caret
    SOURCE_BEFORE = 80   // at most these of them before it
};

// More lattice sites than this in one bounding box take minutes to look at.
static const double sites_most = 2e9;
// Seconds go by for more, and away from the wall a coarse distance is as good.
static const double samples_most = 3e5;

shoal_status shoal_scene_create(shoal_scene** out) {
    *out               = NULL;
    shoal_scene* scene = shoal_alloc(1, sizeof *scene);
    if (!scene) return SHOAL_ERR_MEMORY;
    scene->root = shoal_node_create(SHOAL_NODE_MAP);
    if (!scene->root) {
        shoal_free(scene);
        return SHOAL_ERR_MEMORY;
    }
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    scene->bytes_most   = pages > 0 && page > 0 ? (double)pages * (double)page : 0.0;
    scene->sites_most   = sites_most;
    scene->samples_most = samples_most;
    *out                = scene;
    return SHOAL_OK;
}

static void clear_faults(shoal_scene* scene) {
    for (int k = 0; k < scene->fault_count; k++) {
        shoal_free((char*)scene->faults[k].path);
        shoal_free((char*)scene->faults[k].message);
        shoal_free((char*)scene->faults[k].source_line);
    }
    shoal_free(scene->faults);
    scene->faults      = NULL;
    scene->fault_count = scene->fault_capacity = 0;
}

static void clear_description(shoal_scene* scene) {
    shoal_description_free(scene->description);
    shoal_free(scene->description);
    scene->description = NULL;
}

void shoal_scene_destroy(shoal_scene* scene) {
    if (!scene) return;
    clear_faults(scene);
    clear_description(scene);
    shoal_node_destroy(scene->root);
    for (int k = 0; k < scene->origin_count; k++) shoal_free(scene->origins[k]);
    shoal_free(scene->origins);
    shoal_free(scene->file);
    shoal_free(scene->text);
    shoal_free(scene->folder);
    shoal_free(scene);
}

void shoal_scene_touch(shoal_scene* scene) {
    scene->is_checked = false;
    scene->facts      = (shoal_scene_facts){0};
    clear_description(scene);
    if (!scene->syntax_is_wrong) clear_faults(scene);
}

// Takes the value, also on failure.
static shoal_status put(shoal_scene* scene, const char* path, shoal_node* value) {
    if (!value) return SHOAL_ERR_MEMORY;
    shoal_scene_touch(scene);
    return shoal_node_put(scene->root, path, value);
}

static shoal_node* number_node(double value) {
    shoal_node* node = shoal_node_create(SHOAL_NODE_NUMBER);
    if (node) node->number = value;
    return node;
}

shoal_status shoal_scene_set_number(shoal_scene* scene, const char* path, double value) {
    return put(scene, path, number_node(value));
}

shoal_status shoal_scene_set_flag(shoal_scene* scene, const char* path, bool value) {
    shoal_node* node = shoal_node_create(SHOAL_NODE_FLAG);
    if (node) node->number = value ? 1.0 : 0.0;
    return put(scene, path, node);
}

shoal_status shoal_scene_set_text(shoal_scene* scene, const char* path, const char* text) {
    shoal_node* node = shoal_node_create(SHOAL_NODE_TEXT);
    if (node && !(node->text = shoal_strdup(text))) {
        shoal_node_destroy(node);
        node = NULL;
    }
    return put(scene, path, node);
}

shoal_status shoal_scene_set_numbers(shoal_scene* scene, const char* path, const double* values, int count) {
    shoal_node* list = shoal_node_create(SHOAL_NODE_LIST);
    for (int k = 0; list && k < count; k++) {
        shoal_node* node = number_node(values[k]);
        if (node) {
            shoal_node_append(list, node);
        } else {
            shoal_node_destroy(list);
            list = NULL;
        }
    }
    return put(scene, path, list);
}

shoal_status shoal_scene_set_vec3(shoal_scene* scene, const char* path, double x, double y, double z) {
    return shoal_scene_set_numbers(scene, path, (const double[]){x, y, z}, 3);
}

shoal_status shoal_scene_set_mesh(shoal_scene* scene, const char* path, const float* vertices, int vertex_count,
                                  const int* triangles, int triangle_count) {
    shoal_mesh* mesh = NULL;
    SHOAL_TRY(shoal_mesh_create(vertices, vertex_count, triangles, triangle_count, &mesh));
    shoal_node* node = shoal_node_create(SHOAL_NODE_MESH);
    if (node)
        node->mesh = mesh;
    else
        shoal_mesh_destroy(mesh);
    return put(scene, path, node);
}

shoal_status shoal_scene_remove(shoal_scene* scene, const char* path) {
    shoal_scene_touch(scene);
    return shoal_node_remove(scene->root, path);
}

// The text of line `line` (from 1), without its end; NULL when there is none.
static char* source_line(const char* text, int line) {
    if (!text || line < 1) return NULL;
    for (; line > 1; line--) {
        text = strchr(text, '\n');
        if (!text) return NULL;
        text++;
    }
    return shoal_strndup(text, strcspn(text, "\r\n"));
}

// The place of a fault; `origin` NULL: the scene file.
typedef struct place {
    const char* origin;
    int         line, column;
} place;

static void add_fault(shoal_scene* scene, bool is_error, place at, const char* path, const char* format, va_list args) {
    if (scene->fault_count > FAULTS_MOST) return;
    shoal_text message = {0};
    if (scene->fault_count == FAULTS_MOST) {
        shoal_text_add(&message, "more faults are not shown");
        at       = (place){0};
        is_error = true;
    } else {
        char buffer[1024];
        vsnprintf(buffer, sizeof buffer, format, args);
        shoal_make_plain(buffer, false);
        shoal_text_add(&message, "%s", buffer);
    }
    if (scene->fault_count == scene->fault_capacity) {
        int capacity = scene->fault_capacity ? 2 * scene->fault_capacity : 8;
        if (shoal_realloc((void**)&scene->faults, (size_t)scene->fault_count, (size_t)capacity,
                          sizeof *scene->faults) != SHOAL_OK) {
            shoal_text_free(&message);
            return;
        }
        scene->fault_capacity = capacity;
    }
    shoal_fault* fault = &scene->faults[scene->fault_count];
    fault->is_error    = is_error;
    fault->file        = at.origin ? at.origin : scene->file ? scene->file : "scene";
    fault->line        = at.origin ? 0 : at.line;
    fault->column      = at.origin ? 0 : at.column;
    fault->path        = shoal_strdup(path ? path : "");
    fault->message     = message.bytes;
    fault->source_line = source_line(scene->text, fault->line);
    if (fault->path && fault->message) {
        scene->fault_count++;
    } else {
        shoal_free((char*)fault->path);
        shoal_free((char*)fault->message);
        shoal_free((char*)fault->source_line);
    }
}

void shoal_scene_add_fault(shoal_scene* scene, bool is_error, const shoal_node* at, const char* path,
                           const char* format, ...) {
    va_list args;
    va_start(args, format);
    add_fault(scene, is_error, at ? (place){at->origin, at->line, at->column} : (place){0}, path, format, args);
    va_end(args);
}

void shoal_scene_add_key_fault(shoal_scene* scene, bool is_error, const shoal_node* at, const char* path,
                               const char* format, ...) {
    bool    has_key = at->key_line > 0;
    va_list args;
    va_start(args, format);
    add_fault(scene, is_error,
              (place){at->origin, has_key ? at->key_line : at->line, has_key ? at->key_column : at->column}, path,
              format, args);
    va_end(args);
}

// In the order of the file, those without a place last; stable, and short enough for the simplest
// sort.
static void sort_faults(shoal_scene* scene) {
    for (int k = 1; k < scene->fault_count; k++) {
        shoal_fault fault = scene->faults[k];
        int         line = fault.line ? fault.line : INT_MAX, j = k;
        for (; j > 0; j--) {
            const shoal_fault* before = &scene->faults[j - 1];
            int                other  = before->line ? before->line : INT_MAX;
            if (other < line || (other == line && before->column <= fault.column)) break;
            scene->faults[j] = *before;
        }
        scene->faults[j] = fault;
    }
}

static shoal_status first_error(const shoal_scene* scene) {
    for (int k = 0; k < scene->fault_count; k++) {
        const shoal_fault* fault = &scene->faults[k];
        if (!fault->is_error) continue;
        if (fault->line == 0) return shoal_fail(SHOAL_ERR_INPUT, "%s: %s", fault->file, fault->message);
        return shoal_fail(SHOAL_ERR_INPUT, "%s:%d:%d: %s", fault->file, fault->line, fault->column, fault->message);
    }
    return SHOAL_OK;
}

shoal_status shoal_scene_check(shoal_scene* scene) {
    if (!scene->is_checked && !scene->syntax_is_wrong) {
        shoal_scene_touch(scene);
        SHOAL_TRY(shoal_scene_build(scene, &scene->description));
        sort_faults(scene);
        scene->is_checked = true;
    }
    return first_error(scene);
}

int shoal_scene_fault_count(const shoal_scene* scene) { return scene->fault_count; }

const shoal_fault* shoal_scene_fault(const shoal_scene* scene, int index) {
    return index >= 0 && index < scene->fault_count ? &scene->faults[index] : NULL;
}

shoal_scene_facts shoal_scene_get_facts(const shoal_scene* scene) { return scene->facts; }

const shoal_node* shoal_scene_root(const shoal_scene* scene) { return scene->root; }
const char*       shoal_scene_folder(const shoal_scene* scene) { return scene->folder; }

shoal_status shoal_scene_set_folder(shoal_scene* scene, const char* folder) {
    char* copy = folder ? shoal_strdup(folder) : NULL;
    if (folder && !copy) return SHOAL_ERR_MEMORY;
    shoal_scene_touch(scene);
    shoal_free(scene->folder);
    scene->folder = copy;
    return SHOAL_OK;
}

shoal_status shoal_scene_narrow(shoal_scene* scene, const shoal_node* part) {
    int         left = INT_MAX;
    shoal_node* root = shoal_node_copy(part, &left);
    if (!root) return SHOAL_ERR_MEMORY;
    shoal_scene_touch(scene);
    shoal_node_destroy(scene->root);
    scene->root = root;
    return SHOAL_OK;
}

shoal_status shoal_scene_describe(shoal_scene* scene, shoal_description** out) {
    *out = NULL;
    SHOAL_TRY(shoal_scene_check(scene));
    if (!scene->description) { // taken before
        scene->is_checked = false;
        SHOAL_TRY(shoal_scene_check(scene));
    }
    *out = scene->description;
    return SHOAL_OK;
}

shoal_status shoal_scene_take_description(shoal_scene* scene, shoal_description** out) {
    SHOAL_TRY(shoal_scene_describe(scene, out));
    scene->description = NULL;
    return SHOAL_OK;
}

// The source line around the caret, and the caret; tabs stay tabs in both, so that they line up.
static void print_source(shoal_text* text, const shoal_fault* fault) {
    const char *line = fault->source_line, *caret = line;
    for (int k = 1; k < fault->column && *caret; k++) do
            caret++;
        while (((unsigned char)*caret & 0xc0) == 0x80); // columns are characters, not bytes
    const char* from = caret - line > SOURCE_BEFORE ? caret - SOURCE_BEFORE : line;
    while (from > line && ((unsigned char)*from & 0xc0) == 0x80) from--;
    size_t length = strlen(from), shown = length > SOURCE_SHOWN ? SOURCE_SHOWN : length;
    while (shown < length && ((unsigned char)from[shown] & 0xc0) == 0x80) shown++;
    shoal_text_add(text, "    %s", from > line ? "..." : "");
    for (size_t k = 0; k < shown; k++) {
        unsigned char c = (unsigned char)from[k];
        shoal_text_add(text, "%c",
                       c == '\t' || (c >= 0x20 && c != 0x7f) ? c : '?'); // nothing that moves the cursor
    }
    shoal_text_add(text, "%s\n    %s", shown < length ? "..." : "", from > line ? "   " : "");
    for (const char* c = from; c < caret; c++)
        if (((unsigned char)*c & 0xc0) != 0x80) shoal_text_add(text, *c == '\t' ? "\t" : " ");
    shoal_text_add(text, "^\n");
}

size_t shoal_fault_print(const shoal_fault* fault, char* out, size_t capacity) {
    shoal_text text = {0};
    shoal_text_add(&text, "%s:", fault->file);
    if (fault->line > 0) shoal_text_add(&text, "%d:%d:", fault->line, fault->column);
    shoal_text_add(&text, " %s%s\n", fault->is_error ? "" : "warning: ", fault->message);
    if (fault->line > 0 && fault->source_line) print_source(&text, fault);
    size_t length = text.length;
    if (capacity > 0) snprintf(out, capacity, "%s", text.bytes ? text.bytes : "");
    shoal_text_free(&text);
    return length;
}
