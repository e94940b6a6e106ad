// SPDX-License-Identifier: MIT
// The .vtp writer and a reader for files of its kind. The reader trusts nothing: each array must
// lie wholly inside the file and have exactly the bytes its header promises.
#include "io/frame_vtk.h"

#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "frames are little endian, copied as they lie");

static const char* vtk_type(shoal_type type) {
    return type == SHOAL_I1 ? "Int32" : type == SHOAL_U1 ? "UInt8" : "Float32";
}

// --- writing

// Names the next appended array and counts its bytes.
static void head_array(shoal_text* head, const char* indent, const char* name, const char* type,
                       int components, size_t bytes, uint64_t* offset) {
    shoal_text_add(head, "%s<DataArray type=\"%s\" Name=\"%s\"", indent, type, name);
    if (components > 1) shoal_text_add(head, " NumberOfComponents=\"%d\"", components);
    shoal_text_add(head, " format=\"appended\" offset=\"%llu\"/>\n", (unsigned long long)*offset);
    *offset += sizeof(uint64_t) + bytes;
}

static void head_field(shoal_text* head, const char* name, const shoal_frame_array* field,
                       int count, uint64_t* offset) {
    head_array(head, "        ", name, vtk_type(field->type), shoal_frame_components(field->type),
               (size_t)count * shoal_frame_type_size(field->type), offset);
}

static void head_make(const shoal_frame* frame, const shoal_frame_array* position,
                      shoal_text* head) {
    uint64_t offset = 0;
    int      count  = frame->count;
    shoal_text_add(head,
                   "<?xml version=\"1.0\"?>\n"
                   "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                   "header_type=\"UInt64\">\n"
                   "  <PolyData>\n"
                   "    <FieldData>\n"
                   "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                   "format=\"ascii\">%.17g</DataArray>\n"
                   "    </FieldData>\n"
                   "    <Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" "
                   "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n"
                   "      <PointData%s Vectors=\"velocity\">\n",
                   frame->time, count, count, shoal_frame_find(frame, "density") ? " Scalars=\"density\"" : "");
    for (int f = 0; f < frame->field_count; f++)
        if (&frame->fields[f] != position)
            head_field(head, frame->fields[f].name, &frame->fields[f], count, &offset);
    shoal_text_add(head, "      </PointData>\n      <Points>\n");
    head_field(head, "Points", position, count, &offset);
    shoal_text_add(head, "      </Points>\n      <Verts>\n");
    size_t bytes = (size_t)count * sizeof(int32_t);
    head_array(head, "        ", "connectivity", "Int32", 1, bytes, &offset);
    head_array(head, "        ", "offsets", "Int32", 1, bytes, &offset);
    shoal_text_add(head, "      </Verts>\n    </Piece>\n  </PolyData>\n"
                         "  <AppendedData encoding=\"raw\">\n   _");
}

static void put_field(shoal_out* out, const shoal_frame_array* field, int count) {
    uint64_t bytes = (uint64_t)count * shoal_frame_type_size(field->type);
    shoal_out_add(out, &bytes, sizeof bytes);
    shoal_out_add(out, field->data, bytes);
}

// first, first + 1, ...: each particle is a vertex of its own, so that filters can take some and
// leave others.
static void put_numbers(shoal_out* out, int first, int count) {
    uint64_t bytes = (uint64_t)count * sizeof(int32_t);
    shoal_out_add(out, &bytes, sizeof bytes);
    for (int i = 0; i < count; i++) {
        int32_t number = first + i;
        shoal_out_add(out, &number, sizeof number);
    }
}

shoal_status shoal_frame_save(const shoal_frame* frame, const char* path) {
    const shoal_frame_array* position = shoal_frame_find(frame, "position");
    if (!position || position->type != SHOAL_V3)
        return shoal_fail(SHOAL_ERR_INTERNAL, "%s: a frame without positions", path);
    shoal_text head = {0};
    shoal_out* out  = shoal_alloc(1, sizeof *out);
    head_make(frame, position, &head);
    if (!out || head.failed) {
        shoal_free(out);
        shoal_text_free(&head);
        return SHOAL_ERR_MEMORY;
    }

    shoal_out_begin(out, path);
    shoal_out_add(out, head.bytes, head.length);
    for (int f = 0; f < frame->field_count; f++)
        if (&frame->fields[f] != position) put_field(out, &frame->fields[f], frame->count);
    put_field(out, position, frame->count);
    put_numbers(out, 0, frame->count);
    put_numbers(out, 1, frame->count);
    shoal_out_print(out, "\n  </AppendedData>\n</VTKFile>\n");
    shoal_status status = shoal_out_end(out);
    shoal_free(out);
    shoal_text_free(&head);
    return status;
}

static void add_escaped(shoal_text* out, const char* text) {
    for (; *text; text++) {
        switch (*text) {
        case '&':
            shoal_text_add(out, "&amp;");
            break;
        case '<':
            shoal_text_add(out, "&lt;");
            break;
        case '>':
            shoal_text_add(out, "&gt;");
            break;
        case '"':
            shoal_text_add(out, "&quot;");
            break;
        default:
            shoal_text_add_bytes(out, text, 1);
        }
    }
}

shoal_status shoal_pvd_text(const char* folder, const char* stem, const int* frames, int count, double fps,
                            shoal_text* out) {
    shoal_text_add(out,
                   "<?xml version=\"1.0\"?>\n"
                   "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                   "  <Collection>\n");
    for (int i = 0; i < count; i++) {
        shoal_text_add(out, "    <DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"%s/",
                       frames[i] / fps, folder);
        add_escaped(out, stem);
        shoal_text_add(out, "_%06d.vtp\"/>\n", frames[i]);
    }
    shoal_text_add(out, "  </Collection>\n</VTKFile>\n");
    return out->failed ? SHOAL_ERR_MEMORY : SHOAL_OK;
}

// --- reading

enum { WORD_ROOM = 128, ATTRIBUTES_MOST = 16 };

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
    return shoal_fail(SHOAL_ERR_INPUT, "%s: %s; is it a frame that Shoal wrote, and whole?",
                      r->name, what);
}

static vtk_word take_word(vtk_reader* r, const char* ends) {
    vtk_word word = {r->at, 0};
    while (r->at < r->head_end && !is_space(*r->at) && !strchr(ends, *r->at))
        r->at++;
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
        while (r->at < r->head_end && (is_space(*r->at) || *r->at == '/'))
            r->at++;
        if (r->at == r->head_end) return broken(r, "a tag does not end");
        if (*r->at == '>') break;
        if (tag->attribute_count == ATTRIBUTES_MOST)
            return broken(r, "a tag has too many attributes");
        vtk_word key = take_word(r, "=/>");
        if (key.length == 0 || r->head_end - r->at < 2 || *r->at != '=' ||
            (r->at[1] != '"' && r->at[1] != '\''))
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
    if (!found || !tag_says(&appended, "encoding", "raw"))
        return broken(r, "the data is not raw binary");
    while (r->at < r->head_end && is_space(*r->at))
        r->at++;
    if (r->at == r->head_end || *r->at != '_') return broken(r, "the data does not begin");
    r->data     = r->at + 1;
    r->data_end = bytes + size;
    r->at       = bytes;
    r->head_end = tag;
    return SHOAL_OK;
}

static bool array_type(const vtk_tag* tag, shoal_type* out) {
    uint64_t components = 1;
    if (tag_value(tag, "NumberOfComponents") &&
        !tag_number(tag, "NumberOfComponents", 4, &components))
        return false;
    for (shoal_type type = SHOAL_F1; type <= SHOAL_U1; type++)
        if (tag_says(tag, "type", vtk_type(type)) &&
            (int)components == shoal_frame_components(type)) {
            *out = type;
            return true;
        }
    return false;
}

static shoal_status read_array(const vtk_reader* r, const vtk_tag* tag, bool is_points,
                               shoal_frame* frame) {
    char            name[WORD_ROOM] = "position";
    const vtk_word* word            = tag_value(tag, "Name");
    if (!is_points) {
        if (!word || word->length == 0 || word->length >= SHOAL_FRAME_NAME_ROOM ||
            memchr(word->text, 0, word->length))
            return broken(r, "an array has no name of 1 to 63 letters");
        snprintf(name, sizeof name, "%.*s", (int)word->length, word->text);
        if (strcmp(name, "position") == 0)
            return broken(r, "an array takes the name of the Points");
    }

    shoal_type type;
    char       what[WORD_ROOM + 128];
    if (!array_type(tag, &type) || (is_points && type != SHOAL_V3)) {
        snprintf(what, sizeof what,
                 "array \"%s\" is not Float32 (1, 3 or 4 components), Int32 or UInt8", name);
        return broken(r, what);
    }
    uint64_t room = (uint64_t)(r->data_end - r->data), offset, bytes = 0;
    uint64_t need = (uint64_t)frame->count * shoal_frame_type_size(type);
    bool fits = tag_says(tag, "format", "appended") && tag_number(tag, "offset", room, &offset) &&
                room - offset >= sizeof bytes;
    if (fits) memcpy(&bytes, r->data + offset, sizeof bytes);
    if (!fits || bytes != need || room - offset - sizeof bytes < need) {
        snprintf(what, sizeof what, "array \"%s\" of %d particles is not wholly in the file", name,
                 frame->count);
        return broken(r, what);
    }
    shoal_status status = shoal_frame_add(frame, name, type, r->data + offset + sizeof bytes);
    if (status == SHOAL_ERR_INPUT) {
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

typedef enum vtk_part { PART_NONE, PART_TIME, PART_FIELDS, PART_POINTS, PART_CELLS } vtk_part;

static vtk_part part_of(const vtk_tag* tag) {
    if (word_is(tag->name, "FieldData")) return PART_TIME;
    if (word_is(tag->name, "PointData")) return PART_FIELDS;
    if (word_is(tag->name, "Points")) return PART_POINTS;
    return PART_CELLS; // Verts, Lines, CellData, ...: they say nothing new
}

static shoal_status check_head(const vtk_reader* r, const vtk_tag* file) {
    if (!tag_says(file, "type", "PolyData")) return broken(r, "it is not VTK PolyData");
    if (!tag_says(file, "byte_order", "LittleEndian")) return broken(r, "it is not little endian");
    if (!tag_says(file, "header_type", "UInt64"))
        return broken(r, "its array sizes are not UInt64");
    if (tag_value(file, "compressor")) return broken(r, "it is compressed, which is not supported");
    return SHOAL_OK;
}

// Walks the tags; `frame` is made at the Piece, which says how many particles there are.
static shoal_status read_tags(vtk_reader* r, shoal_frame** frame) {
    vtk_tag  tag;
    bool     found, is_vtk = false;
    vtk_part part = PART_NONE;
    double   time = (double)NAN;
    for (;;) {
        SHOAL_TRY(next_tag(r, &tag, &found));
        if (!found) break;
        if (!is_vtk) {
            if (!word_is(tag.name, "VTKFile")) return broken(r, "it is not a VTK file");
            SHOAL_TRY(check_head(r, &tag));
            is_vtk = true;
        } else if (word_is(tag.name, "Piece")) {
            uint64_t points;
            if (tag.is_end) continue;
            if (*frame) return broken(r, "it has more than one piece");
            if (!tag_number(&tag, "NumberOfPoints", INT32_MAX, &points))
                return broken(r, "NumberOfPoints is not a whole number below 2^31");
            SHOAL_TRY(shoal_frame_create((int)points, time, frame));
        } else if (!word_is(tag.name, "DataArray")) {
            part = tag.is_end ? PART_NONE : part_of(&tag);
        } else if (!tag.is_end && part == PART_TIME && tag_says(&tag, "Name", "TimeValue")) {
            time = read_time(r);
            if (*frame) (*frame)->time = time;
        } else if (!tag.is_end && (part == PART_FIELDS || part == PART_POINTS)) {
            if (!*frame) return broken(r, "an array comes before the piece");
            SHOAL_TRY(read_array(r, &tag, part == PART_POINTS, *frame));
        }
    }
    if (!*frame) return broken(r, "it has no piece");
    return SHOAL_OK;
}

// Files name positions last; readers find them first.
static void position_first(shoal_frame* frame) {
    const shoal_frame_array* found = shoal_frame_find(frame, "position");
    shoal_frame_array        kept  = *found;
    size_t                   place = (size_t)(found - frame->fields);
    memmove(frame->fields + 1, frame->fields, place * sizeof kept);
    frame->fields[0] = kept;
}

// The last arrays are for other readers; that they are there shows at the end.
static shoal_status check_end(const vtk_reader* r, const char* bytes, size_t size) {
    static const char end[] = "</VTKFile>";
    size_t            tail  = sizeof end - 1;
    while (size > 0 && is_space(bytes[size - 1]))
        size--;
    if (size >= tail && memcmp(bytes + size - tail, end, tail) == 0) return SHOAL_OK;
    return broken(r, "it is cut short: its last line, </VTKFile>, is not wholly in the file");
}

shoal_status shoal_frame_parse(const char* bytes, size_t size, const char* name,
                               shoal_frame** out) {
    vtk_reader   reader = {.name = name};
    shoal_frame* frame  = NULL;
    *out                = NULL;
    shoal_status status = find_data(&reader, bytes, size);
    if (status == SHOAL_OK) status = read_tags(&reader, &frame);
    if (status == SHOAL_OK && !shoal_frame_find(frame, "position"))
        status = broken(&reader, "it has no Points");
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
