// SPDX-License-Identifier: MIT
// PLY [Turk 1994], ascii and binary of both byte orders: x, y, z of `vertex` and the list
// vertex_indices (or vertex_index) of `face`, in any order and of any type, among any other
// elements and properties.
#include <string.h>

#include "base/memory.h"
#include "io/mesh_file.h"
#include "io/mesh_scan.h"

enum { ELEMENTS_MOST = 32, PROPERTIES_MOST = 128 };

typedef enum number_type { NONE, I8, U8, I16, U16, I32, U32, F32, F64 } number_type;
static const size_t type_sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};

typedef enum role { IGNORED, X, Y, Z, CORNERS } role;

typedef struct property {
    number_type type, count_type; // count_type: of a list; NONE: a single number
    role        role;
} property;

typedef struct element {
    int64_t  count;
    bool     is_vertex, is_face;
    int      property_count;
    property properties[PROPERTIES_MOST];
} element;

typedef struct ply {
    mesh_scan   scan; // binary: `at` is the place, the line stays that of the last header line
    const char* begin;
    bool        is_ascii, is_big;
    int         element_count;
    element     elements[ELEMENTS_MOST];
    int64_t     vertex_count; // promised
    mesh_build  build;
} ply;

static number_type type_named(mesh_word w) {
    static const struct {
        const char* name;
        number_type type;
    } names[] = {{"char", I8},    {"int8", I8},     {"uchar", U8},   {"uint8", U8},   {"short", I16}, {"int16", I16},
                 {"ushort", U16}, {"uint16", U16},  {"int", I32},    {"int32", I32},  {"uint", U32},  {"uint32", U32},
                 {"float", F32},  {"float32", F32}, {"double", F64}, {"float64", F64}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mesh_word_is(w, names[i].name)) return names[i].type;
    return NONE;
}

static shoal_status read_format(ply* p) {
    mesh_word w = mesh_scan_word(&p->scan);
    p->is_ascii = mesh_word_is(w, "ascii");
    p->is_big   = mesh_word_is(w, "binary_big_endian");
    if (!p->is_ascii && !p->is_big && !mesh_word_is(w, "binary_little_endian"))
        return mesh_scan_fail(&p->scan, "the format must be ascii, binary_little_endian or binary_big_endian", w);
    return SHOAL_OK;
}

static shoal_status read_element(ply* p) {
    if (p->element_count == ELEMENTS_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: more than %d elements", p->scan.name, p->scan.line, ELEMENTS_MOST);
    element*  e    = &p->elements[p->element_count++];
    mesh_word name = mesh_scan_word(&p->scan), count = mesh_scan_word(&p->scan), left = count;
    e->is_vertex = mesh_word_is(name, "vertex");
    e->is_face   = mesh_word_is(name, "face");
    if (!mesh_word_whole(&left, &e->count) || left.length > 0 || e->count < 0)
        return mesh_scan_fail(&p->scan, "an element needs a name and how many there are", count);
    for (int i = 0; i < p->element_count - 1; i++)
        if ((e->is_vertex && p->elements[i].is_vertex) || (e->is_face && p->elements[i].is_face))
            return mesh_scan_fail(&p->scan, "each element may be given once", name);
    if (e->is_vertex) p->vertex_count = e->count;
    return SHOAL_OK;
}

static role role_named(const element* e, bool is_list, mesh_word name) {
    if (e->is_face && is_list && (mesh_word_is(name, "vertex_indices") || mesh_word_is(name, "vertex_index")))
        return CORNERS;
    if (!e->is_vertex || is_list) return IGNORED;
    return mesh_word_is(name, "x") ? X : mesh_word_is(name, "y") ? Y : mesh_word_is(name, "z") ? Z : IGNORED;
}

static shoal_status read_property(ply* p) {
    element* e = p->element_count > 0 ? &p->elements[p->element_count - 1] : NULL;
    if (!e || e->property_count == PROPERTIES_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: %s", p->scan.name, p->scan.line,
                          e ? "an element may have at most 128 properties" : "a property before any element");
    property new   = {0};
    mesh_word w    = mesh_scan_word(&p->scan);
    bool      list = mesh_word_is(w, "list");
    if (list) {
        w              = mesh_scan_word(&p->scan);
        new.count_type = type_named(w);
        if (new.count_type == NONE || new.count_type >= F32)
            return mesh_scan_fail(&p->scan, "the count of a list must be of a whole type such as uchar or int", w);
        w = mesh_scan_word(&p->scan);
    }
    new.type = type_named(w);
    if (new.type == NONE)
        return mesh_scan_fail(
            &p->scan, "the type of a property must be char, uchar, short, ushort, int, uint, float or double", w);
    mesh_word name = mesh_scan_word(&p->scan);
    if (name.length == 0) return mesh_scan_fail(&p->scan, "a property needs a name", name);
    new.role = role_named(e, list, name);
    for (int i = 0; i < e->property_count; i++)
        if (new.role != IGNORED && e->properties[i].role == new.role)
            return mesh_scan_fail(&p->scan, "each property may be given once", name);
    e->properties[e->property_count++] = new;
    return SHOAL_OK;
}

static shoal_status read_header(ply* p) {
    mesh_scan* s = &p->scan;
    mesh_word  w = mesh_scan_word(s);
    if (!mesh_word_is(w, "ply")) return mesh_scan_fail(s, "a PLY file starts with 'ply'", w);
    bool has_format = false;
    for (mesh_scan_next_line(s); !mesh_scan_is_done(s); mesh_scan_next_line(s)) {
        w = mesh_scan_word(s);
        if (mesh_word_is(w, "format")) {
            SHOAL_TRY(read_format(p));
            has_format = true;
        } else if (mesh_word_is(w, "element")) {
            SHOAL_TRY(read_element(p));
        } else if (mesh_word_is(w, "property")) {
            SHOAL_TRY(read_property(p));
        } else if (mesh_word_is(w, "end_header")) {
            if (!has_format) return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: the header has no format", s->name, s->line);
            mesh_scan_next_line(s);
            return SHOAL_OK;
        } else if (w.length > 0 && !mesh_word_is(w, "comment") && !mesh_word_is(w, "obj_info")) {
            return mesh_scan_fail(s, "format, comment, element, property or end_header was expected", w);
        }
    }
    return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: the header has no end", s->name, s->line);
}

static size_t bytes_left(const ply* p) { return (size_t)(p->scan.end - p->scan.at); }

// The fewest bytes an item can take; ascii: a digit and a blank for each number.
static size_t least_size(const ply* p, const element* e) {
    size_t size = 0;
    for (int i = 0; i < e->property_count; i++) {
        const property* q = &e->properties[i];
        size += p->is_ascii ? 2 : type_sizes[q->count_type != NONE ? q->count_type : q->type];
    }
    return size;
}

// Before anything is allocated: what the header promises must fit into the file.
static shoal_status check_header(const ply* p) {
    size_t left         = bytes_left(p) + (p->is_ascii ? 1 : 0); // the last number needs no blank
    int    vertex_parts = 0, face_parts = 0;
    for (int n = 0; n < p->element_count; n++) {
        const element* e    = &p->elements[n];
        size_t         size = least_size(p, e);
        if (size > 0 && (uint64_t)e->count > left / size)
            return shoal_fail(SHOAL_ERR_INPUT, "%s: the header promises %lld items, but the file has room for %zu",
                              p->scan.name, (long long)e->count, left / size);
        left -= size * (size_t)(size > 0 ? e->count : 0);
        for (int i = 0; i < e->property_count; i++) {
            vertex_parts += e->properties[i].role >= X && e->properties[i].role <= Z;
            face_parts += e->properties[i].role == CORNERS;
        }
    }
    if (vertex_parts != 3)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: one element 'vertex' with x, y and z was expected", p->scan.name);
    if (face_parts != 1)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s: one element 'face' with a list vertex_indices was expected; point "
                          "clouds and strips are no meshes",
                          p->scan.name);
    return SHOAL_OK;
}

static shoal_status body_fail(const ply* p, const char* what) {
    if (p->is_ascii) return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: %s", p->scan.name, p->scan.line, what);
    return shoal_fail(SHOAL_ERR_INPUT, "%s:byte %zu: %s", p->scan.name, (size_t)(p->scan.at - p->begin), what);
}

static double from_bits(uint64_t bits, number_type type) {
    float    single;
    double   value;
    uint32_t half = (uint32_t)bits;
    switch (type) {
    case I8:
        return (double)(int8_t)bits;
    case I16:
        return (double)(int16_t)bits;
    case I32:
        return (double)(int32_t)bits;
    case F32:
        memcpy(&single, &half, sizeof single);
        return (double)single;
    case F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return (double)bits;
    }
}

static shoal_status read_number(ply* p, number_type type, double* out) {
    if (p->is_ascii) {
        mesh_word w = mesh_scan_any_word(&p->scan);
        return mesh_word_number(w, out) ? SHOAL_OK : mesh_scan_fail(&p->scan, "a number was expected", w);
    }
    size_t size = type_sizes[type];
    if (bytes_left(p) < size) return body_fail(p, "the file ends too early");
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)(unsigned char)p->scan.at[i] << 8 * (p->is_big ? size - 1 - i : i);
    p->scan.at += size;
    *out = from_bits(bits, type);
    return SHOAL_OK;
}

// What is not wanted may be any word in ascii: some write nan for what they do not know.
static shoal_status pass_number(ply* p, number_type type) {
    double ignored;
    if (!p->is_ascii) return read_number(p, type, &ignored);
    mesh_word w = mesh_scan_any_word(&p->scan);
    return w.length > 0 ? SHOAL_OK : mesh_scan_fail(&p->scan, "a number was expected", w);
}

static shoal_status read_corner(ply* p, number_type type, int* corner) {
    double index = 0.0;
    SHOAL_TRY(read_number(p, type, &index));
    if (!(index >= 0.0 && index < (double)p->vertex_count) || index != floor(index))
        return body_fail(p, "a face names a vertex that is not there");
    *corner = (int)index;
    return SHOAL_OK;
}

static shoal_status read_list(ply* p, const property* q) {
    double length = 0.0;
    SHOAL_TRY(read_number(p, q->count_type, &length));
    size_t least = p->is_ascii ? 1 : type_sizes[q->type];
    if (!(length >= 0.0) || length != floor(length) || length > (double)(bytes_left(p) / least))
        return body_fail(p, "the length of a list is wrong or beyond the end of the file");
    size_t count = (size_t)length;
    if (q->role != CORNERS) {
        for (size_t i = 0; i < count; i++) SHOAL_TRY(pass_number(p, q->type));
        return SHOAL_OK;
    }
    if (count < 3) return body_fail(p, "a face needs at least 3 corners");
    for (size_t i = 0; i < count; i++) {
        int corner = 0;
        SHOAL_TRY(read_corner(p, q->type, &corner));
        SHOAL_TRY(mesh_build_corner(&p->build, corner));
    }
    return mesh_build_face(&p->build);
}

static shoal_status read_item(ply* p, const element* e) {
    double x[3] = {0.0, 0.0, 0.0}, value = 0.0;
    for (int i = 0; i < e->property_count; i++) {
        const property* q = &e->properties[i];
        if (q->count_type != NONE || q->role == IGNORED) {
            SHOAL_TRY(q->count_type != NONE ? read_list(p, q) : pass_number(p, q->type));
            continue;
        }
        SHOAL_TRY(read_number(p, q->type, &value));
        if (!mesh_build_takes(value)) return body_fail(p, "a coordinate is not a number within 1e9");
        x[q->role - X] = value;
    }
    return e->is_vertex ? mesh_build_vertex(&p->build, x[0], x[1], x[2]) : SHOAL_OK;
}

static shoal_status read_body(ply* p) {
    SHOAL_TRY(check_header(p));
    for (int n = 0; n < p->element_count; n++) {
        const element* e = &p->elements[n];
        for (int64_t i = 0; e->property_count > 0 && i < e->count; i++) SHOAL_TRY(read_item(p, e));
    }
    return SHOAL_OK;
}

shoal_status shoal_mesh_read_ply(const char* bytes, size_t size, const char* name, shoal_mesh** out) {
    ply* p = shoal_alloc(1, sizeof *p);
    if (!p) return SHOAL_ERR_MEMORY;
    p->scan             = (mesh_scan){name, bytes, bytes + size, 1};
    p->begin            = bytes;
    shoal_status status = read_header(p);
    if (status == SHOAL_OK) status = read_body(p);
    if (status == SHOAL_OK) status = mesh_build_end(&p->build, name, out);
    mesh_build_free(&p->build);
    shoal_free(p);
    return status;
}
