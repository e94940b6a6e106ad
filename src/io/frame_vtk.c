// SPDX-License-Identifier: MIT
// The writer of parts: .vtp of points and of triangles, .vtu of tetrahedra; and the .pvd that lists
// them.
#include "io/frame_vtk.h"

#include "base/hash.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are little endian, copied as they lie");

enum { CHUNK = SHOAL_VTK_PIECE / sizeof(int32_t) };

const char* shoal_vtk_type(shoal_type type) {
    switch (type) {
    case SHOAL_I1:
    case SHOAL_I3:
    case SHOAL_R1:
    case SHOAL_R3:
    case SHOAL_R4:
        return "Int32";
    case SHOAL_U1:
        return "UInt8";
    case SHOAL_L1:
        return "Int64";
    case SHOAL_D1:
    case SHOAL_D3:
        return "Float64";
    default:
        return "Float32";
    }
}

const char* shoal_frame_suffix(int corners) { return corners == 4 ? ".vtu" : ".vtp"; }

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

// --- the head

uint64_t shoal_vtk_checksum(const void* bytes, size_t size) {
    uint64_t sum = 0;
    for (size_t at = 0; at < size; at += SHOAL_VTK_PIECE)
        sum = shoal_hash((const char*)bytes + at, size - at < SHOAL_VTK_PIECE ? size - at : SHOAL_VTK_PIECE, sum);
    return sum;
}

// Arrays of cells that follow from their number: of particles each corner, where each cell ends, what kind it is.
typedef struct implied {
    int  first, step, count; // first, first + step, ...
    bool is_types;           // else numbers
} implied;

// The next piece of one, at most SHOAL_VTK_PIECE bytes; 0: there is no more.
static size_t implied_piece(const implied* a, int* at, int32_t piece[CHUNK]) {
    int most = a->is_types ? (int)sizeof(int32_t) * CHUNK : CHUNK, some = a->count - *at < most ? a->count - *at : most;
    if (a->is_types) memset(piece, SHOAL_VTK_TETRA, (size_t)some);
    for (int k = 0; k < some && !a->is_types; k++) piece[k] = a->first + a->step * (*at + k);
    *at += some;
    return (size_t)some * (a->is_types ? 1 : sizeof *piece);
}

static size_t implied_size(const implied* a) { return (size_t)a->count * (a->is_types ? 1 : sizeof(int32_t)); }

static uint64_t implied_checksum(const implied* a) {
    uint64_t sum = 0;
    int32_t  piece[CHUNK];
    int      at = 0;
    for (size_t size; (size = implied_piece(a, &at, piece)) > 0;) sum = shoal_hash(piece, size, sum);
    return sum;
}

// Names the next appended array and counts its bytes. The checksum is an attribute, since readers pass over those that
// they do not know.
static void head_array(shoal_text* head, const char* name, const char* type, int components, const char* unit,
                       size_t bytes, uint64_t checksum, uint64_t* offset) {
    shoal_text_add(head, "        <DataArray type=\"%s\" Name=\"%s\"", type, name);
    if (components > 1) shoal_text_add(head, " NumberOfComponents=\"%d\"", components);
    shoal_text_add(head, " format=\"appended\" offset=\"%llu\" checksum=\"%016llx\"", (unsigned long long)*offset,
                   (unsigned long long)checksum);
    if (*unit) {
        shoal_text_add(head, ">\n          <InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">");
        add_escaped(head, unit);
        shoal_text_add(head, "</InformationKey>\n        </DataArray>\n");
    } else {
        shoal_text_add(head, "/>\n");
    }
    *offset += sizeof(uint64_t) + bytes;
}

static void head_field(shoal_text* head, const char* name, const shoal_frame_array* field, int count,
                       uint64_t* offset) {
    size_t bytes = (size_t)count * shoal_frame_item_size(field);
    head_array(head, name, shoal_vtk_type(field->type), shoal_frame_components(field), field->unit, bytes,
               shoal_vtk_checksum(field->data, bytes), offset);
}

static void head_table(shoal_text* head, const shoal_frame_table* table, const shoal_frame_array* but,
                       uint64_t* offset) {
    for (int f = 0; f < table->field_count; f++)
        if (&table->fields[f] != but) head_field(head, table->fields[f].name, &table->fields[f], table->count, offset);
}

static void head_implied(shoal_text* head, const char* name, implied a, uint64_t* offset) {
    head_array(head, name, a.is_types ? "UInt8" : "Int32", 1, "", implied_size(&a), implied_checksum(&a), offset);
}

static int cell_count(const shoal_frame* frame) { return frame->corners ? frame->cells.count : frame->points.count; }

// Particles are vertices, each by itself, so that filters can take some and leave others.
static implied particles_of(const shoal_frame* frame) { return (implied){0, 1, cell_count(frame), false}; }
static implied ends_of(const shoal_frame* frame) {
    int each = frame->corners ? frame->corners : 1;
    return (implied){each, each, cell_count(frame), false};
}
static implied types_of(const shoal_frame* frame) { return (implied){0, 0, cell_count(frame), true}; }

static void head_cells(shoal_text* head, const shoal_frame* frame, uint64_t* offset) {
    static const char* const names[] = {"Verts", "Verts", "Verts", "Polys", "Cells"};
    const char*              name    = names[frame->corners];
    size_t                   bytes   = (size_t)frame->corners * (size_t)frame->cells.count * sizeof(int32_t);
    shoal_text_add(head, "      <%s>\n", name);
    if (frame->corners == 0)
        head_implied(head, "connectivity", particles_of(frame), offset);
    else
        head_array(head, "connectivity", "Int32", 1, "", bytes, shoal_vtk_checksum(frame->cell_points, bytes), offset);
    head_implied(head, "offsets", ends_of(frame), offset);
    if (frame->corners == 4) head_implied(head, "types", types_of(frame), offset);
    shoal_text_add(head, "      </%s>\n", name);
}

static void head_piece(shoal_text* head, const shoal_frame* frame) {
    int points = frame->points.count;
    if (frame->corners == 4)
        shoal_text_add(head, "    <Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", points, frame->cells.count);
    else
        shoal_text_add(head,
                       "    <Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" "
                       "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
                       points, frame->corners ? 0 : points, frame->cells.count);
}

static void head_make(const shoal_frame* frame, const shoal_frame_array* position, shoal_text* head) {
    const char* kind   = frame->corners == 4 ? "UnstructuredGrid" : "PolyData";
    uint64_t    offset = 0;
    shoal_text_add(head,
                   "<?xml version=\"1.0\"?>\n"
                   "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" "
                   "header_type=\"UInt64\">\n"
                   "  <%s>\n"
                   "    <FieldData>\n"
                   "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                   "format=\"ascii\">%.17g</DataArray>\n"
                   "    </FieldData>\n",
                   kind, kind, frame->time);
    head_piece(head, frame);
    shoal_text_add(head, "      <PointData%s%s>\n", shoal_frame_find(frame, "density") ? " Scalars=\"density\"" : "",
                   shoal_frame_find(frame, "velocity") ? " Vectors=\"velocity\"" : "");
    head_table(head, &frame->points, position, &offset);
    shoal_text_add(head, "      </PointData>\n");
    if (frame->cells.field_count > 0) {
        shoal_text_add(head, "      <CellData>\n");
        head_table(head, &frame->cells, NULL, &offset);
        shoal_text_add(head, "      </CellData>\n");
    }
    shoal_text_add(head, "      <Points>\n");
    head_field(head, "Points", position, frame->points.count, &offset);
    shoal_text_add(head, "      </Points>\n");
    head_cells(head, frame, &offset);
    shoal_text_add(head, "    </Piece>\n  </%s>\n  <AppendedData encoding=\"raw\">\n   _", kind);
}

// --- the data, in the order of the head

static void put_bytes(shoal_out* out, const void* data, size_t size) {
    uint64_t bytes = size;
    shoal_out_add(out, &bytes, sizeof bytes);
    shoal_out_add(out, data, size);
}

static void put_table(shoal_out* out, const shoal_frame_table* table, const shoal_frame_array* but) {
    for (int f = 0; f < table->field_count; f++)
        if (&table->fields[f] != but)
            put_bytes(out, table->fields[f].data, (size_t)table->count * shoal_frame_item_size(&table->fields[f]));
}

static void put_implied(shoal_out* out, implied a) {
    uint64_t bytes = implied_size(&a);
    int32_t  piece[CHUNK];
    int      at = 0;
    shoal_out_add(out, &bytes, sizeof bytes);
    for (size_t size; (size = implied_piece(&a, &at, piece)) > 0;) shoal_out_add(out, piece, size);
}

static void put_cells(shoal_out* out, const shoal_frame* frame) {
    if (frame->corners == 0)
        put_implied(out, particles_of(frame));
    else
        put_bytes(out, frame->cell_points, (size_t)frame->corners * (size_t)frame->cells.count * sizeof(int32_t));
    put_implied(out, ends_of(frame));
    if (frame->corners == 4) put_implied(out, types_of(frame));
}

shoal_status shoal_frame_save(const shoal_frame* frame, const char* path) {
    const shoal_frame_array* position = shoal_frame_find(frame, "position");
    if (!position || position->type != SHOAL_V3 || position->width != 1)
        return shoal_fail(SHOAL_ERR_INTERNAL, "%s: a frame without positions", path);
    if ((int64_t)frame->corners * frame->cells.count > INT32_MAX)
        return shoal_fail(SHOAL_ERR_OUTPUT, "%s: more corners of cells than the format can number", path);
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
    put_table(out, &frame->points, position);
    put_table(out, &frame->cells, NULL);
    put_bytes(out, position->data, (size_t)frame->points.count * sizeof(shoal_v3));
    put_cells(out, frame);
    shoal_out_print(out, "\n  </AppendedData>\n</VTKFile>\n");
    shoal_status status = shoal_out_end(out);
    shoal_free(out);
    shoal_text_free(&head);
    return status;
}

// --- the list

static const char pvd_end[] = "  </Collection>\n</VTKFile>\n";
enum { PAGE = 4096 };
_Static_assert(SHOAL_PVD_END == sizeof pvd_end - 1, "the end of a .pvd");

shoal_status shoal_pvd_entry(const char* folder, const char* stem, const char* const* endings, int frame, double fps,
                             shoal_text* out) {
    for (int part = 0; endings[part]; part++) {
        shoal_text_add(out, "    <DataSet timestep=\"%.17g\" group=\"\" part=\"%d\" file=\"%s/", frame / fps, part,
                       folder);
        add_escaped(out, stem);
        shoal_text_add(out, "_%06d%s\"/>\n", frame, endings[part]);
    }
    return out->failed ? SHOAL_ERR_MEMORY : SHOAL_OK;
}

shoal_status shoal_pvd_text(const char* folder, const char* stem, const char* const* endings, const int* frames,
                            int count, double fps, shoal_text* out) {
    shoal_text_add(out, "<?xml version=\"1.0\"?>\n"
                        "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                        "  <Collection>\n");
    for (int i = 0; i < count; i++) SHOAL_TRY(shoal_pvd_entry(folder, stem, endings, frames[i], fps, out));
    shoal_text_add(out, "%s", pvd_end);
    return out->failed ? SHOAL_ERR_MEMORY : SHOAL_OK;
}

// The whole list anew, with the entry.
static shoal_status pvd_rewrite(const char* path, const char* entry, size_t length) {
    char*  bytes;
    size_t size;
    SHOAL_TRY(shoal_file_read(path, &bytes, &size));
    shoal_out* out = shoal_alloc(1, sizeof *out);
    if (!out) {
        shoal_free(bytes);
        return SHOAL_ERR_MEMORY;
    }
    shoal_out_begin(out, path);
    shoal_out_add(out, bytes, size - SHOAL_PVD_END);
    shoal_out_add(out, entry, length);
    shoal_out_add(out, pvd_end, SHOAL_PVD_END);
    shoal_status status = shoal_out_end(out);
    shoal_free(out);
    shoal_free(bytes);
    return status;
}

shoal_status shoal_pvd_append(const char* path, const char* entry, size_t length) {
    char         end[SHOAL_PVD_END], tail[PAGE];
    struct stat  info;
    shoal_status status = SHOAL_OK;
    int          file   = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return shoal_fail(SHOAL_ERR_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
    bool is_list = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= SHOAL_PVD_END &&
                   pread(file, end, SHOAL_PVD_END, info.st_size - SHOAL_PVD_END) == SHOAL_PVD_END &&
                   memcmp(end, pvd_end, SHOAL_PVD_END) == 0;
    off_t at = is_list ? info.st_size - SHOAL_PVD_END : 0;
    // a kill may come between two pages of one write
    bool is_within_a_page =
        length + SHOAL_PVD_END <= PAGE && at / PAGE == (at + (off_t)length + SHOAL_PVD_END - 1) / PAGE;
    if (is_list && is_within_a_page) {
        memcpy(tail, entry, length);
        memcpy(tail + length, pvd_end, SHOAL_PVD_END);
        ssize_t size = (ssize_t)length + SHOAL_PVD_END, put = pwrite(file, tail, (size_t)size, at);
        if (put != size) {
            int why = put < 0 ? errno : ENOSPC;
            if (pwrite(file, pvd_end, SHOAL_PVD_END, at) != SHOAL_PVD_END || ftruncate(file, info.st_size) != 0)
                why = errno;
            status = shoal_fail(SHOAL_ERR_OUTPUT, "%s: cannot be written: %s", path, strerror(why));
        }
    }
    close(file);
    if (!is_list) return shoal_fail(SHOAL_ERR_OUTPUT, "%s: is not the list of frames that was written", path);
    return is_within_a_page ? status : pvd_rewrite(path, entry, length);
}
