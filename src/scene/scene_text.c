// SPDX-License-Identifier: MIT
// Scene text (YAML 1.2, JSON) to a tree of keys and values, through the events of libfyaml, so that
// every key and value keeps its line and column. Aliases and merge keys are resolved here by
// copying, within a budget of nodes.
#include "io/file.h"
#include "io/mesh_file.h"
#include "scene/blocks.h"
#include "scene/scene_local.h"
#include "shoal/files.h"

#include <libfyaml.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODES_MOST   = 1000000,
    DEPTH_MOST   = 64,
    MERGED_MOST  = 10000, // keys of a map with << in it
    ANCHORS_MOST = 10000,
    TEXT_MOST    = 64 << 20 // bytes
};

typedef shoal_place place;

// A map or list that is not closed yet.
typedef struct level {
    shoal_node* node;
    char*       key; // of the value to come; NULL: a key is to come
    place       key_at;
    bool        merges; // has a key <<
} level;

typedef struct anchor {
    char*             name;
    const shoal_node* node;
} anchor;

typedef struct read_job {
    struct fy_parser* parser;
    struct fy_diag*   diag;
    level             levels[DEPTH_MOST];
    int               depth;
    shoal_node*       root;
    shoal_node*       merged; // the values of all <<, kept since anchors may stand in them
    anchor*           anchors;
    int               anchor_count, anchor_capacity;
    int               nodes_left;
    int               documents;
    // the first fault, if any
    bool  is_wrong;
    place at;
    char  message[512];
} read_job;

static bool wrong(read_job* g, place at, const char* message, const char* detail) {
    if (!g->is_wrong) {
        g->is_wrong = true;
        g->at       = at;
        snprintf(g->message, sizeof g->message, "%s%.200s", message, detail);
    }
    return false;
}

static place place_of(const struct fy_mark* mark) {
    return mark ? (place){mark->line + 1, mark->column + 1} : (place){0, 0};
}

// Decimal numbers as in the core schema of YAML 1.2: [-+]? (\. [0-9]+ | [0-9]+ (\. [0-9]*)?) ([eE]
// [-+]? [0-9]+)?
static bool is_like_number(const char* s) {
    if (*s == '-' || *s == '+') s++;
    size_t whole = strspn(s, "0123456789");
    s += whole;
    if (*s == '.') {
        size_t part = strspn(s + 1, "0123456789");
        if (whole + part == 0) return false;
        s += 1 + part;
    } else if (whole == 0) {
        return false;
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        if (*s == '-' || *s == '+') s++;
        size_t digits = strspn(s, "0123456789");
        if (digits == 0) return false;
        s += digits;
    }
    return *s == 0;
}

static bool is_one_of(const char* text, const char* const* words) {
    for (; *words; words++)
        if (strcmp(text, *words) == 0) return true;
    return false;
}

// What a plain scalar is; node->text holds it.
static void classify(shoal_node* node) {
    static const char* const nulls[]       = {"", "~", "null", "Null", "NULL", NULL};
    static const char* const trues[]       = {"true", "True", "TRUE", NULL};
    static const char* const falses[]      = {"false", "False", "FALSE", NULL};
    static const char* const nans[]        = {".nan", ".NaN", ".NAN", NULL};
    static const char* const infs[]        = {".inf", ".Inf", ".INF", NULL};
    const char*              text          = node->text;
    const char*              unsigned_text = text + (*text == '-' || *text == '+');
    if (is_one_of(text, nulls)) {
        node->kind = SHOAL_NODE_NULL;
    } else if (is_one_of(text, trues) || is_one_of(text, falses)) {
        node->kind   = SHOAL_NODE_FLAG;
        node->number = is_one_of(text, trues) ? 1.0 : 0.0;
    } else if (is_like_number(text)) {
        node->kind   = SHOAL_NODE_NUMBER;
        node->number = strtod(text, NULL);
    } else if (is_one_of(text, nans)) {
        node->kind   = SHOAL_NODE_NUMBER;
        node->number = (double)NAN;
    } else if (is_one_of(unsigned_text, infs)) {
        node->kind   = SHOAL_NODE_NUMBER;
        node->number = *text == '-' ? -HUGE_VAL : HUGE_VAL;
    }
}

static shoal_node* new_node(read_job* g, shoal_node_kind kind, place at) {
    if (--g->nodes_left < 0) {
        wrong(g, at, "the scene has too many entries", "");
        return NULL;
    }
    shoal_node* node = shoal_node_create(kind);
    if (!node) {
        wrong(g, at, "out of memory", "");
        return NULL;
    }
    node->line   = at.line;
    node->column = at.column;
    return node;
}

// Hangs a value where it belongs; takes it, also on failure.
static bool attach(read_job* g, shoal_node* node) {
    if (g->depth == 0) {
        g->root = node;
        return true;
    }
    level* top = &g->levels[g->depth - 1];
    if (top->node->kind == SHOAL_NODE_MAP) {
        if (!top->key) {
            bool ok = wrong(g, (place){node->line, node->column}, "a key must be a single word, not ",
                            shoal_node_kind_text(node->kind));
            shoal_node_destroy(node);
            return ok;
        }
        if (node->line == 0) { // nothing stands there: point at the key
            node->line   = top->key_at.line;
            node->column = top->key_at.column;
        }
        node->key        = top->key;
        node->key_line   = top->key_at.line;
        node->key_column = top->key_at.column;
        top->key         = NULL;
    }
    shoal_node_append(top->node, node);
    return true;
}

static bool remember_anchor(read_job* g, struct fy_token* token, const shoal_node* node) {
    size_t      length = 0;
    const char* text   = token ? fy_token_get_text(token, &length) : NULL;
    if (!text) return true;
    place at = {node->line, node->column};
    if (g->anchor_count == ANCHORS_MOST) return wrong(g, at, "the scene has too many anchors", "");
    if (g->anchor_count == g->anchor_capacity) {
        int capacity = g->anchor_capacity ? 2 * g->anchor_capacity : 16;
        if (shoal_realloc((void**)&g->anchors, (size_t)g->anchor_count, (size_t)capacity, sizeof *g->anchors) !=
            SHOAL_OK)
            return wrong(g, at, "out of memory", "");
        g->anchor_capacity = capacity;
    }
    char* name = shoal_strndup(text, length);
    if (!name) return wrong(g, at, "out of memory", "");
    g->anchors[g->anchor_count++] = (anchor){name, node};
    return true;
}

static bool on_scalar(read_job* g, struct fy_event* event) {
    struct fy_token* token  = event->scalar.value;
    size_t           length = 0;
    const char*      text   = token ? fy_token_get_text(token, &length) : NULL;
    place            at     = token ? place_of(fy_event_start_mark(event)) : (place){0, 0};
    int              style  = token ? (int)fy_token_scalar_style(token) : (int)FYSS_PLAIN;
    bool             plain  = style == FYSS_PLAIN;
    if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) at.column--; // the quote, not what follows it
    level* top = g->depth > 0 ? &g->levels[g->depth - 1] : NULL;
    if (length > 0 && memchr(text, 0, length)) return wrong(g, at, "text may not hold a zero byte", "");
    char* copy = shoal_strndup(text ? text : "", length);
    if (!copy) return wrong(g, at, "out of memory", "");
    if (top && top->node->kind == SHOAL_NODE_MAP && !top->key) {
        top->key    = copy;
        top->key_at = at;
        top->merges |= plain && strcmp(copy, "<<") == 0;
        return true;
    }
    shoal_node* node = new_node(g, SHOAL_NODE_TEXT, at);
    if (!node) {
        shoal_free(copy);
        return false;
    }
    node->text = copy;
    if (plain) classify(node);
    return attach(g, node) && remember_anchor(g, event->scalar.anchor, node);
}

static bool on_start(read_job* g, struct fy_event* event, shoal_node_kind kind, struct fy_token* anchor_token) {
    place at = place_of(fy_event_start_mark(event));
    if (g->depth == DEPTH_MOST) return wrong(g, at, "the scene is nested too deep", "");
    shoal_node* node = new_node(g, kind, at);
    if (!node || !attach(g, node)) return false;
    if (!remember_anchor(g, anchor_token, node)) return false;
    g->levels[g->depth++] = (level){.node = node};
    return true;
}

static int depth_of(const shoal_node* node) {
    int most = 0;
    for (const shoal_node* child = node->first; child; child = child->next) {
        int d = depth_of(child);
        if (d > most) most = d;
    }
    return most + 1;
}

static bool on_alias(read_job* g, struct fy_event* event) {
    place       at     = place_of(fy_event_start_mark(event));
    size_t      length = 0;
    const char* text   = fy_token_get_text(event->alias.anchor, &length);
    at.column--; // the star
    if (!text) return wrong(g, at, "an alias without a name", "");
    for (int k = g->anchor_count - 1; k >= 0; k--) {
        if (strlen(g->anchors[k].name) != length || memcmp(g->anchors[k].name, text, length) != 0) continue;
        const shoal_node* target = g->anchors[k].node;
        for (int open = 0; open < g->depth; open++)
            if (g->levels[open].node == target)
                return wrong(g, at, "this alias stands inside of what it names: ", g->anchors[k].name);
        if (g->depth + depth_of(target) > DEPTH_MOST) return wrong(g, at, "the scene is nested too deep", "");
        shoal_node* copy = shoal_node_copy(target, &g->nodes_left);
        if (!copy)
            return wrong(g, at,
                         g->nodes_left < 0 ? "the scene has too many entries; aliases are copied out" : "out of memory",
                         "");
        shoal_free(copy->key);
        copy->key    = NULL;
        copy->line   = at.line;
        copy->column = at.column;
        return attach(g, copy);
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
    return wrong(g, at, "there is no anchor before this alias of the name ", name);
}

// Copies the entries of `from` that `map` has not into it.
static bool merge_one(read_job* g, shoal_node* map, const shoal_node* from, int* count) {
    place at = {from->line, from->column};
    if (from->kind != SHOAL_NODE_MAP)
        return wrong(g, at, "<< takes a map or a list of maps, not ", shoal_node_kind_text(from->kind));
    for (const shoal_node* child = from->first; child; child = child->next) {
        if (shoal_node_child(map, child->key)) continue;
        shoal_node* copy = shoal_node_copy(child, &g->nodes_left);
        if (!copy)
            return wrong(g, at, g->nodes_left < 0 ? "the scene has too many entries; << copies them" : "out of memory",
                         "");
        shoal_node_append(map, copy);
        if (++*count > MERGED_MOST) return wrong(g, at, "a map with << has too many entries", "");
    }
    return true;
}

static bool merge(read_job* g, shoal_node* map) {
    // take the << out first: what the map says itself goes before what is merged
    shoal_node *child = map->first, *last_before = g->merged->last;
    int         count = 0;
    map->first = map->last = NULL;
    for (shoal_node* next; child; child = next) {
        next = child->next;
        shoal_node_append(strcmp(child->key, "<<") == 0 ? g->merged : map, child);
        count++;
    }
    if (count > MERGED_MOST) return wrong(g, (place){map->line, map->column}, "a map with << has too many entries", "");
    bool ok = true;
    for (const shoal_node* source = last_before ? last_before->next : g->merged->first; ok && source;
         source                   = source->next) {
        if (source->kind != SHOAL_NODE_LIST) {
            ok = merge_one(g, map, source, &count);
            continue;
        }
        for (const shoal_node* part = source->first; ok && part; part = part->next)
            ok = merge_one(g, map, part, &count);
    }
    return ok;
}

static bool on_end(read_job* g) {
    level top = g->levels[--g->depth];
    shoal_free(top.key);
    return !top.merges || merge(g, top.node);
}

static bool on_event(read_job* g, struct fy_event* event) {
    struct fy_token* tag = fy_event_get_tag_token(event);
    if (tag)
        return wrong(g, place_of(fy_token_start_mark(tag)), "tags like !name are not used in scenes; leave it out", "");
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (++g->documents > 1)
            return wrong(g, place_of(fy_event_start_mark(event)), "a scene is one document; take out what follows ---",
                         "");
        return true;
    case FYET_ALIAS:
        return on_alias(g, event);
    case FYET_SCALAR:
        return on_scalar(g, event);
    case FYET_SEQUENCE_START:
        return on_start(g, event, SHOAL_NODE_LIST, event->sequence_start.anchor);
    case FYET_MAPPING_START:
        return on_start(g, event, SHOAL_NODE_MAP, event->mapping_start.anchor);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        return on_end(g);
    default:
        return true;
    }
}

// The first message libfyaml collected.
static void take_syntax_error(read_job* g, const char* text) {
    void*                 before = NULL;
    struct fy_diag_error* error  = fy_diag_errors_iterate(g->diag, &before);
    if (error)
        wrong(g, (place){error->line > 0 ? error->line : 1, error->column > 0 ? error->column : 1},
              error->msg ? error->msg : "not YAML", "");
    else
        wrong(g, (place){1, 1}, "not YAML", "");
    shoal_syntax_explain(text, &g->at, g->message, sizeof g->message);
}

// Bytes that are no text would only confuse: one plain message instead of what follows from them.
static bool is_text(read_job* g, const char* text, size_t size) {
    const unsigned char* s  = (const unsigned char*)text;
    place                at = {1, 1};
    if (size >= 2 && ((s[0] == 0xff && s[1] == 0xfe) || (s[0] == 0xfe && s[1] == 0xff)))
        return wrong(g, at, "this is UTF-16; save it as UTF-8", "");
    for (size_t k = 0; k < size;) {
        unsigned c      = s[k];
        size_t   length = c < 0x80                ? 1
                          : c >= 0xc2 && c < 0xe0 ? 2
                          : c >= 0xe0 && c < 0xf0 ? 3
                          : c >= 0xf0 && c < 0xf5 ? 4
                                                  : 0;
        bool     ok     = length > 0 && k + length <= size;
        for (size_t j = 1; ok && j < length; j++) ok = (s[k + j] & 0xc0) == 0x80;
        if (ok && length == 3) ok = !(c == 0xe0 && s[k + 1] < 0xa0) && !(c == 0xed && s[k + 1] >= 0xa0);
        if (ok && length == 4) ok = !(c == 0xf0 && s[k + 1] < 0x90) && !(c == 0xf4 && s[k + 1] >= 0x90);
        if (ok && length == 1) ok = c == '\n' || c == '\r' || c == '\t' || (c >= 0x20 && c != 0x7f);
        if (!ok) {
            char byte[32];
            snprintf(byte, sizeof byte, "0x%02x", c);
            return wrong(g, at, "not a text file (it must be UTF-8): byte ", byte);
        }
        k += length;
        at = c == '\n' ? (place){at.line + 1, 1} : (place){at.line, at.column + 1};
    }
    return true;
}

static void read_events(read_job* g, const char* text, size_t size, bool is_json) {
    struct fy_diag_cfg  diag_cfg;
    struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | (is_json ? FYPCF_JSON_FORCE : FYPCF_JSON_NONE)};
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    g->diag     = fy_diag_create(&diag_cfg);
    if (!g->diag) {
        wrong(g, (place){1, 1}, "out of memory", "");
        return;
    }
    fy_diag_set_collect_errors(g->diag, true);
    cfg.diag  = g->diag;
    g->parser = fy_parser_create(&cfg);
    if (!g->parser || fy_parser_set_string(g->parser, text, size) != 0) {
        wrong(g, (place){1, 1}, "out of memory", "");
        return;
    }
    for (struct fy_event* event; !g->is_wrong && (event = fy_parser_parse(g->parser)) != NULL;) {
        on_event(g, event);
        fy_parser_event_free(g->parser, event);
    }
    if (!g->is_wrong && fy_parser_get_stream_error(g->parser)) take_syntax_error(g, text);
}

// Text to tree; NULL with g->message set when it is wrong. `text` ends with a zero byte.
static shoal_node* read_tree(read_job* g, const char* text, size_t size, bool is_json) {
    *g        = (read_job){.nodes_left = NODES_MOST};
    g->merged = shoal_node_create(SHOAL_NODE_LIST);
    if (!g->merged)
        wrong(g, (place){1, 1}, "out of memory", "");
    else if (is_text(g, text, size)) {
        size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; // byte order mark
        read_events(g, text + mark, size - mark, is_json);
    }
    if (!g->is_wrong && !g->root)
        wrong(g, (place){1, 1}, "there is nothing in it; a scene needs spacing: and bodies: or emitters:", "");
    if (g->parser) fy_parser_destroy(g->parser);
    if (g->diag) fy_diag_destroy(g->diag);
    while (g->depth > 0) shoal_free(g->levels[--g->depth].key);
    for (int k = 0; k < g->anchor_count; k++) shoal_free(g->anchors[k].name);
    shoal_free(g->anchors);
    shoal_node_destroy(g->merged);
    if (g->is_wrong) {
        shoal_node_destroy(g->root);
        g->root = NULL;
    }
    return g->root;
}

static char* folder_of(const char* path) {
    const char* slash = strrchr(path, '/');
    if (!slash) return shoal_strdup(".");
    return shoal_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

shoal_status shoal_scene_parse(const char* text, size_t size, const char* name, shoal_scene** out) {
    *out = NULL;
    if (size > TEXT_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: larger than %d MB, so hardly a scene", name, TEXT_MOST >> 20);
    SHOAL_TRY(shoal_scene_create(out));
    shoal_scene* scene = *out;
    read_job*    g     = shoal_alloc(1, sizeof *g);
    scene->file        = shoal_strdup(name);
    scene->folder      = folder_of(name);
    scene->text        = shoal_strndup(text, size);
    scene->load_mesh   = shoal_mesh_load;
    if (!g || !scene->file || !scene->folder || !scene->text) {
        shoal_free(g);
        shoal_scene_destroy(scene);
        *out = NULL;
        return SHOAL_ERR_MEMORY;
    }
    shoal_status status = SHOAL_OK;
    shoal_node*  root   = read_tree(g, scene->text, size, shoal_path_has_suffix(name, ".json"));
    if (root) {
        shoal_node_destroy(scene->root);
        scene->root = root;
    } else {
        shoal_node at = {.line = g->at.line, .column = g->at.column};
        shoal_scene_add_fault(scene, true, &at, "", "%s", g->message);
        scene->syntax_is_wrong = true;
        status                 = shoal_fail(SHOAL_ERR_INPUT, "%s:%d:%d: %s", name, at.line, at.column, g->message);
    }
    shoal_free(g);
    return status;
}

shoal_status shoal_scene_load(const char* path, shoal_scene** out) {
    char*  text = NULL;
    size_t size = 0;
    *out        = NULL;
    SHOAL_TRY(shoal_file_read(path, &text, &size));
    shoal_status status = shoal_scene_parse(text, size, path, out);
    shoal_free(text);
    return status;
}

static void set_origin(shoal_node* node, const char* origin) {
    node->origin = origin;
    for (shoal_node* child = node->first; child; child = child->next) set_origin(child, origin);
}

shoal_status shoal_scene_add_origin(shoal_scene* scene, const char** out, const char* format, ...) {
    char    line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    shoal_text text = {0};
    shoal_text_add(&text, "%s", line);
    if (text.failed || shoal_realloc((void**)&scene->origins, (size_t)scene->origin_count,
                                     (size_t)scene->origin_count + 1, sizeof *scene->origins) != SHOAL_OK) {
        shoal_text_free(&text);
        return SHOAL_ERR_MEMORY;
    }
    scene->origins[scene->origin_count++] = text.bytes;
    *out                                  = text.bytes;
    return SHOAL_OK;
}

// bodies.0.velocity.1 of a vector that the scene leaves to its default: the default is written out
// first, so that one component of it can be set.
static shoal_status write_out_vector(shoal_scene* scene, const char* path, const char* origin) {
    const char* dot = strrchr(path, '.');
    if (!dot || strspn(dot + 1, "012") != 1 || dot[2] != 0) return SHOAL_OK;
    size_t                 length = (size_t)(dot - path);
    const shoal_param_def* def    = shoal_scene_def_at(path, length);
    if (!def || !shoal_param_is_vector(def) || shoal_node_find(scene->root, path, length)) return SHOAL_OK;
    if (!isfinite(def->value))
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s: %.*s is not in the scene and has no default; give all of it, like "
                          "--set %.*s=[0, 0, 0]",
                          origin, (int)length, path, (int)length, path);
    char*       parent = shoal_strndup(path, length);
    shoal_node* list   = shoal_node_create(SHOAL_NODE_LIST);
    bool        ok     = parent && list;
    for (int k = 0; ok && k < 3; k++) {
        shoal_node* number = shoal_node_create(SHOAL_NODE_NUMBER);
        ok                 = number != NULL;
        if (!ok) break;
        number->number = k == 1 ? def->value : 0.0;
        shoal_node_append(list, number);
    }
    shoal_status status = SHOAL_ERR_MEMORY;
    if (ok) {
        set_origin(list, origin);
        status = shoal_node_put(scene->root, parent, list);
    } else {
        shoal_node_destroy(list);
    }
    shoal_free(parent);
    return status;
}

shoal_status shoal_scene_set_value(shoal_scene* scene, const char* path, const char* yaml) {
    const char* origin = NULL;
    SHOAL_TRY(shoal_scene_add_origin(scene, &origin, "--set %.200s=%.200s", path, yaml));
    read_job* g = shoal_alloc(1, sizeof *g);
    if (!g) return SHOAL_ERR_MEMORY;
    shoal_node*  value = read_tree(g, yaml, strlen(yaml), false);
    shoal_status status =
        value ? SHOAL_OK
              : shoal_fail(SHOAL_ERR_INPUT, "%s: %s", origin, g->root || yaml[0] ? g->message : "no value is given");
    shoal_free(g);
    if (status != SHOAL_OK) return status;
    set_origin(value, origin);
    shoal_scene_touch(scene);
    status = write_out_vector(scene, path, origin);
    if (status != SHOAL_OK) {
        shoal_node_destroy(value);
        return status;
    }
    status = shoal_node_put(scene->root, path, value);
    if (status != SHOAL_ERR_INPUT) return status;
    char why[512];
    snprintf(why, sizeof why, "%s", shoal_last_error());
    return shoal_fail(SHOAL_ERR_INPUT, "%s: %s", origin, why);
}
