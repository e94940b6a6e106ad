// SPDX-License-Identifier: MIT
// A reader for parts of our own kind (.vtp, .vtu). It trusts nothing: each array must lie wholly
// inside the file and have exactly the bytes its header promises, and corners of cells must be
// points that are there.
#include "io/frame_vtk.h"

#include "io/file.h"
#include "state/set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_SIZE = 128, ATTRIBUTES_MOST = 16 };

// One tag: <name key="value" ...>, </name> or <name .../>. Pieces point into the file.
typedef struct vtk_word {
    const char* text;
    size_t      length;
} vtk_word;
typedef struct vtk_tag {
    vtk_word name;
    bool     is_end;
    int      attribute_count;
    vtk_word keys[ATTRIBUTES_MOST], values[ATTRIBUTES_MOST];
} vtk_tag;

typedef struct vtk_reader {
    const char* name; // of the file, for messages
    const char* at;   // in the head
    const char* head_end;
    const char* data; // first byte after the underscore
    const char* data_end;
} vtk_reader;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool word_is(vtk_word word, const char* text) {
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

static const vtk_word* tag_value(const vtk_tag* tag, const char* key) {
    for (int a = 0; a < tag->attribute_count; a++)
        if (word_is(tag->keys[a], key)) return &tag->values[a];
    return NULL;
}

static bool tag_says(const vtk_tag* tag, const char* key, const char* value) {
    const vtk_word* word = tag_value(tag, key);
    return word && word_is(*word, value);
}

// A whole number in [0, most]; false when it is none.
static bool tag_number(const vtk_tag* tag, const char* key, uint64_t most, uint64_t* out) {
    const vtk_word* word = tag_value(tag, key);
    if (!word || word->length == 0 || word->length > 19) return false;
    uint64_t value = 0;
    for (size_t i = 0; i < word->length; i++) {
        if (word->text[i] < '0' || word->text[i] > '9') return false;
        value = value * 10 + (uint64_t)(word->text[i] - '0');
    }
    *out = value;
    return value <= most;
}

static shoal_status broken(const vtk_reader* r, const char* what) {
    return shoal_fail(SHOAL_ERR_INPUT, "%s: %s; is it a frame that Shoal wrote, and whole?", r->name, what);
}

static vtk_word take_word(vtk_reader* r, const char* ends) {
    vtk_word word = {r->at, 0};
    while (r->at < r->head_end && !is_space(*r->at) && !strchr(ends, *r->at)) r->at++;
    word.length = (size_t)(r->at - word.text);
    return word;
}

// The next tag of the head; *found is false at its end.
static shoal_status next_tag(vtk_reader* r, vtk_tag* tag, bool* found) {
    tag->attribute_count = 0;
    *found               = false;
    for (;;) {
        r->at = memchr(r->at, '<', (size_t)(r->head_end - r->at));
        if (!r->at) {
            r->at = r->head_end;
            return SHOAL_OK;
        }
        r->at++;
        if (r->at < r->head_end && *r->at != '?' && *r->at != '!') break;
    }
    tag->is_end = *r->at == '/';
    if (tag->is_end) r->at++;
    tag->name = take_word(r, "/>");
    for (;;) {
        while (r->at < r->head_end && (is_space(*r->at) || *r->at == '/')) r->at++;
        if (r->at == r->head_end) return broken(r, "a tag does not end");
        if (*r->at == '>') break;
        if (tag->attribute_count == ATTRIBUTES_MOST) return broken(r, "a tag has too many attributes");
        vtk_word key = take_word(r, "=/>");
        if (key.length == 0 || r->head_end - r->at < 2 || *r->at != '=' || (r->at[1] != '"' && r->at[1] != '\''))
            return broken(r, "an attribute has no value");
        const char* begin = r->at + 2;
        const char* end   = memchr(begin, r->at[1], (size_t)(r->head_end - begin));
        if (!end) return broken(r, "an attribute does not end");
        tag->keys[tag->attribute_count]     = key;
        tag->values[tag->attribute_count++] = (vtk_word){begin, (size_t)(end - begin)};
        r->at                               = end + 1;
    }
    r->at++;
    *found = true;
    return SHOAL_OK;
}

// Where the binary part begins, so that no byte of it is taken for text.
static shoal_status find_data(vtk_reader* r, const char* bytes, size_t size) {
    static const char word[] = "<AppendedData";
    const char*       tag    = memmem(bytes, size, word, sizeof word - 1);
    if (!tag) return broken(r, "there is no AppendedData");
    r->at       = tag;
    r->head_end = bytes + size;
    vtk_tag appended;
    bool    found;
    SHOAL_TRY(next_tag(r, &appended, &found));
    if (!found || !tag_says(&appended, "encoding", "raw")) return broken(r, "the data is not raw binary");
    while (r->at < r->head_end && is_space(*r->at)) r->at++;
    if (r->at == r->head_end || *r->at != '_') return broken(r, "the data does not begin");
    r->data     = r->at + 1;
    r->data_end = bytes + size;
    r->at       = bytes;
    r->head_end = tag;
    return SHOAL_OK;
}

// What one item of the array is: a type of ours, or several of a simple one.
static bool array_type(const vtk_tag* tag, shoal_type* type, int* width) {
    static const shoal_type known[] = {SHOAL_F1, SHOAL_I1, SHOAL_U1, SHOAL_D1, SHOAL_L1};
    uint64_t                count   = 1;
    if (tag_value(tag, "NumberOfComponents") &&
        (!tag_number(tag, "NumberOfComponents", SHOAL_FRAME_WIDTH_MOST, &count) || count == 0))
        return false;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (!tag_says(tag, "type", shoal_vtk_type(known[k]))) continue;
        *type  = known[k];
        *width = (int)count;
        if (*type == SHOAL_F1 && count == 4) *type = SHOAL_V4, *width = 1;
        if (*type == SHOAL_F1 && count == 6) *type = SHOAL_S6, *width = 1;
        if (count != 3) return true;
        if (*type == SHOAL_F1) *type = SHOAL_V3, *width = 1;
        if (*type == SHOAL_D1) *type = SHOAL_D3, *width = 1;
        if (*type == SHOAL_I1) *type = SHOAL_I3, *width = 1;
        return true;
    }
    return false;
}

// The bytes of an array, `need` of them; NULL: they are not wholly in the file.
static const char* array_bytes(const vtk_reader* r, const vtk_tag* tag, uint64_t need) {
    uint64_t capacity = (uint64_t)(r->data_end - r->data), offset, bytes = 0;
    bool     fits = tag_says(tag, "format", "appended") && tag_number(tag, "offset", capacity, &offset) &&
                capacity - offset >= sizeof bytes;
    if (!fits) return NULL;
    memcpy(&bytes, r->data + offset, sizeof bytes);
    if (bytes != need || capacity - offset - sizeof bytes < need) return NULL;
    return r->data + offset + sizeof bytes;
}

// What was written with a checksum has it; frames of earlier builds, and of others, have none. What is not wholly there
// is missed by who reads it, or at the end.
static shoal_status check_sum(const vtk_reader* r, const vtk_tag* tag) {
    const vtk_word *wanted = tag_value(tag, "checksum"), *name = tag_value(tag, "Name");
    uint64_t        capacity = (uint64_t)(r->data_end - r->data), offset, bytes = 0;
    char            sum[17], what[WORD_SIZE + 128];
    if (!wanted) return SHOAL_OK;
    if (!tag_number(tag, "offset", capacity, &offset) || capacity - offset < sizeof bytes) return SHOAL_OK;
    memcpy(&bytes, r->data + offset, sizeof bytes);
    const char* from = r->data + offset + sizeof bytes;
    if (bytes > (uint64_t)(r->data_end - from)) return SHOAL_OK;
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)shoal_vtk_checksum(from, (size_t)bytes));
    if (word_is(*wanted, sum)) return SHOAL_OK;
    snprintf(what, sizeof what, "array \"%.*s\" is not as it was written: its checksum differs",
             name && name->length < WORD_SIZE ? (int)name->length : 0, name ? name->text : "");
    return broken(r, what);
}

static shoal_status read_array(const vtk_reader* r, const vtk_tag* tag, bool is_points, shoal_frame_table* table) {
    char            name[WORD_SIZE] = "position";
    const vtk_word* word            = tag_value(tag, "Name");
    if (!is_points) {
        if (!word || word->length == 0 || word->length >= SHOAL_FRAME_NAME_SIZE || memchr(word->text, 0, word->length))
            return broken(r, "an array has no name of 1 to 63 letters");
        snprintf(name, sizeof name, "%.*s", (int)word->length, word->text);
        if (strcmp(name, "position") == 0) return broken(r, "an array takes the name of the Points");
    }

    shoal_frame_source source = {.name = name};
    char               what[WORD_SIZE + 128];
    if (!array_type(tag, &source.type, &source.width) ||
        (is_points && (source.type != SHOAL_V3 || source.width != 1))) {
        snprintf(what, sizeof what,
                 "array \"%s\" is not of 1 to %d components of Float32, Float64, Int32, Int64 or UInt8", name,
                 SHOAL_FRAME_WIDTH_MOST);
        if (is_points) snprintf(what, sizeof what, "the Points are not Float32 of 3 components");
        return broken(r, what);
    }
    source.data = array_bytes(r, tag, (uint64_t)table->count * shoal_type_size(source.type) * (uint64_t)source.width);
    if (!source.data) {
        snprintf(what, sizeof what, "array \"%s\" of %d items is not wholly in the file", name, table->count);
        return broken(r, what);
    }
    shoal_status status = shoal_frame_add(table, &source);
    if (status == SHOAL_ERR_INPUT) {
        snprintf(what, sizeof what, "%.200s", shoal_last_error());
        return broken(r, what);
    }
    return status;
}

// --- cells

// Connectivity, ends and types of the cells, where they lie in the file; taken when all are found.
typedef struct vtk_cells {
    int         corners, count; // as the file and its piece promise; 0 corners: nothing but particles
    const char *points, *ends, *types;
} vtk_cells;

static shoal_status find_cells(const vtk_reader* r, const vtk_tag* tag, vtk_cells* cells) {
    uint64_t count = (uint64_t)cells->count;
    if (tag_says(tag, "Name", "connectivity") && tag_says(tag, "type", "Int32")) {
        cells->points = array_bytes(r, tag, count * (uint64_t)cells->corners * sizeof(int32_t));
        return cells->points ? SHOAL_OK
                             : broken(r, "the corners of its cells are not wholly in the file, or "
                                         "it has other cells than triangles and tetrahedra");
    }
    if (tag_says(tag, "Name", "offsets") && tag_says(tag, "type", "Int32")) {
        cells->ends = array_bytes(r, tag, count * sizeof(int32_t));
        return cells->ends ? SHOAL_OK : broken(r, "the ends of its cells are not wholly in the file");
    }
    if (tag_says(tag, "Name", "types") && tag_says(tag, "type", "UInt8")) {
        cells->types = array_bytes(r, tag, count);
        return cells->types ? SHOAL_OK : broken(r, "the types of its cells are not wholly in the file");
    }
    return broken(r, "an array of its cells is none of connectivity, offsets (Int32) and types (UInt8)");
}

static shoal_status take_cells(const vtk_reader* r, const vtk_cells* cells, shoal_frame* frame) {
    if (cells->corners == 0 || (cells->corners == 3 && cells->count == 0 && !cells->points)) return SHOAL_OK;
    if (!cells->points || !cells->ends || (cells->corners == 4 && !cells->types))
        return broken(r, "its cells are not there");
    size_t   all    = (size_t)cells->count * (size_t)cells->corners;
    int32_t* points = shoal_alloc(all + 1, sizeof *points); // aligned, as the bytes need not be
    if (!points) return SHOAL_ERR_MEMORY;
    memcpy(points, cells->points, all * sizeof *points);
    bool are_whole = true;
    for (int k = 0; k < cells->count && are_whole; k++) {
        int32_t end;
        memcpy(&end, cells->ends + (size_t)k * sizeof end, sizeof end);
        are_whole =
            end == (int64_t)cells->corners * (k + 1) && (cells->corners == 3 || cells->types[k] == SHOAL_VTK_TETRA);
    }
    shoal_status status = are_whole ? shoal_frame_add_cells(frame, cells->corners, cells->count, points)
                                    : broken(r, "it has other cells than triangles and tetrahedra");
    shoal_free(points);
    if (status == SHOAL_ERR_INPUT && are_whole) {
        char what[256];
        snprintf(what, sizeof what, "%.200s", shoal_last_error());
        return broken(r, what);
    }
    return status;
}

// The time stands as text between two tags.
static double read_time(const vtk_reader* r) {
    char   text[64];
    size_t length = 0;
    while (length < sizeof text - 1 && r->at + length < r->head_end && r->at[length] != '<') {
        text[length] = r->at[length];
        length++;
    }
    text[length] = 0;
    char*  end;
    double time = strtod(text, &end);
    return end == text ? (double)NAN : time;
}

typedef enum vtk_section { IN_NONE, IN_TIME, IN_POINT_DATA, IN_CELL_DATA, IN_POINTS, IN_CELLS, IN_OTHER } vtk_section;

static vtk_section section_of(const vtk_tag* tag) {
    if (word_is(tag->name, "FieldData")) return IN_TIME;
    if (word_is(tag->name, "PointData")) return IN_POINT_DATA;
    if (word_is(tag->name, "CellData")) return IN_CELL_DATA;
    if (word_is(tag->name, "Points")) return IN_POINTS;
    if (word_is(tag->name, "Polys") || word_is(tag->name, "Cells")) return IN_CELLS;
    return IN_OTHER; // Verts, Lines, ...: they say nothing new
}

static shoal_status check_head(const vtk_reader* r, const vtk_tag* file) {
    if (!tag_says(file, "type", "PolyData") && !tag_says(file, "type", "UnstructuredGrid"))
        return broken(r, "it is neither VTK PolyData nor an UnstructuredGrid");
    if (!tag_says(file, "byte_order", "LittleEndian")) return broken(r, "it is not little endian");
    if (!tag_says(file, "header_type", "UInt64")) return broken(r, "its array sizes are not UInt64");
    if (tag_value(file, "compressor")) return broken(r, "it is compressed, which is not supported");
    return SHOAL_OK;
}

// What is known while the tags are walked.
typedef struct vtk_walk {
    bool               is_vtk, is_grid;
    vtk_section        section;
    double             time;
    vtk_cells          cells;
    shoal_frame_array* last; // the array that was read last: a unit may follow
    shoal_frame*       frame;
} vtk_walk;

// The piece says how many points and cells there are.
static shoal_status read_piece(const vtk_reader* r, const vtk_tag* tag, vtk_walk* w) {
    uint64_t points, cells = 0;
    if (w->frame) return broken(r, "it has more than one piece");
    if (!tag_number(tag, "NumberOfPoints", INT32_MAX, &points))
        return broken(r, "NumberOfPoints is not a whole number below 2^31");
    const char* key = w->is_grid ? "NumberOfCells" : "NumberOfPolys";
    if (tag_value(tag, key) && !tag_number(tag, key, INT32_MAX / 4, &cells))
        return broken(r, "the number of its cells is not a whole number below 2^29");
    w->cells = (vtk_cells){.corners = w->is_grid ? 4 : 3, .count = (int)cells};
    if (!w->is_grid && cells == 0) { // particles, or a mesh without a triangle
        uint64_t verts = 0;
        if (!tag_number(tag, "NumberOfVerts", INT32_MAX, &verts) || verts > 0 || points == 0) w->cells.corners = 0;
    }
    SHOAL_TRY(shoal_frame_create((int)points, w->time, &w->frame));
    w->frame->cells.count = (int)cells; // arrays of cells may come before the cells
    return SHOAL_OK;
}

static shoal_status read_data(const vtk_reader* r, const vtk_tag* tag, vtk_walk* w) {
    if (w->section == IN_TIME) {
        if (tag_says(tag, "Name", "TimeValue")) w->time = read_time(r);
        if (w->frame) w->frame->time = w->time;
        return SHOAL_OK;
    }
    SHOAL_TRY(check_sum(r, tag));
    if (w->section == IN_NONE || w->section == IN_OTHER) return SHOAL_OK;
    if (!w->frame) return broken(r, "an array comes before the piece");
    if (w->section == IN_CELLS) return w->cells.corners ? find_cells(r, tag, &w->cells) : SHOAL_OK;
    shoal_frame_table* table = w->section == IN_CELL_DATA ? &w->frame->cells : &w->frame->points;
    if (w->section == IN_CELL_DATA && w->cells.corners == 0) return SHOAL_OK;
    SHOAL_TRY(read_array(r, tag, w->section == IN_POINTS, table));
    w->last = &table->fields[table->field_count - 1];
    return SHOAL_OK;
}

// The unit of an array stands as text behind its key.
static void read_unit(const vtk_reader* r, const vtk_tag* tag, vtk_walk* w) {
    const char* from = r->at;
    const char* to   = memchr(from, '<', (size_t)(r->head_end - from));
    if (!w->last || !to || !tag_says(tag, "name", "UNITS_LABEL")) return;
    while (from < to && is_space(*from)) from++;
    while (to > from && is_space(to[-1])) to--;
    if (!memchr(from, 0, (size_t)(to - from)))
        snprintf(w->last->unit, sizeof w->last->unit, "%.*s", (int)(to - from < 63 ? to - from : 63), from);
}

static shoal_status read_tag(const vtk_reader* r, const vtk_tag* tag, vtk_walk* w) {
    if (!w->is_vtk) {
        if (!word_is(tag->name, "VTKFile")) return broken(r, "it is not a VTK file");
        w->is_vtk  = true;
        w->is_grid = tag_says(tag, "type", "UnstructuredGrid");
        return check_head(r, tag);
    }
    if (word_is(tag->name, "Piece")) return tag->is_end ? SHOAL_OK : read_piece(r, tag, w);
    if (word_is(tag->name, "InformationKey")) {
        if (!tag->is_end) read_unit(r, tag, w);
        return SHOAL_OK;
    }
    if (word_is(tag->name, "DataArray")) {
        w->last = NULL;
        return tag->is_end ? SHOAL_OK : read_data(r, tag, w);
    }
    w->section = tag->is_end ? IN_NONE : section_of(tag);
    return SHOAL_OK;
}

// Walks the tags; `frame` is made at the Piece.
static shoal_status read_tags(vtk_reader* r, shoal_frame** frame) {
    vtk_walk     w = {.time = (double)NAN};
    vtk_tag      tag;
    bool         found;
    shoal_status status;
    do {
        status = next_tag(r, &tag, &found);
        if (status == SHOAL_OK && found) status = read_tag(r, &tag, &w);
    } while (status == SHOAL_OK && found);
    *frame = w.frame;
    if (status == SHOAL_OK && !w.frame) return broken(r, "it has no piece");
    return status == SHOAL_OK ? take_cells(r, &w.cells, w.frame) : status;
}

// Files name positions last; readers find them first.
static void position_first(shoal_frame* frame) {
    const shoal_frame_array* found = shoal_frame_find(frame, "position");
    shoal_frame_array*       all   = frame->points.fields;
    shoal_frame_array        moved = *found;
    memmove(all + 1, all, (size_t)(found - all) * sizeof moved);
    all[0] = moved;
}

// The last arrays are for other readers; that they are there shows at the end.
static shoal_status check_end(const vtk_reader* r, const char* bytes, size_t size) {
    static const char end[] = "</VTKFile>";
    size_t            tail  = sizeof end - 1;
    while (size > 0 && is_space(bytes[size - 1])) size--;
    if (size >= tail && memcmp(bytes + size - tail, end, tail) == 0) return SHOAL_OK;
    return broken(r, "it is cut short: its last line, </VTKFile>, is not wholly in the file");
}

shoal_status shoal_frame_parse(const char* bytes, size_t size, const char* name, shoal_frame** out) {
    vtk_reader   reader = {.name = name};
    shoal_frame* frame  = NULL;
    *out                = NULL;
    shoal_status status = find_data(&reader, bytes, size);
    if (status == SHOAL_OK) status = read_tags(&reader, &frame);
    if (status == SHOAL_OK && !shoal_frame_find(frame, "position")) status = broken(&reader, "it has no Points");
    if (status == SHOAL_OK) status = check_end(&reader, bytes, size);
    if (status != SHOAL_OK) {
        shoal_frame_destroy(frame);
        return status;
    }
    position_first(frame);
    *out = frame;
    return SHOAL_OK;
}

shoal_status shoal_frame_load(const char* path, shoal_frame** out) {
    char*  bytes;
    size_t size;
    *out = NULL;
    SHOAL_TRY(shoal_file_read(path, &bytes, &size));
    shoal_status status = shoal_frame_parse(bytes, size, path, out);
    shoal_free(bytes);
    return status;
}
