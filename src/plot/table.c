// SPDX-License-Identifier: MIT
// CSV to columns. Foreign bytes: every cell is checked, and memory follows the size of the file.
#include "plot/table.h"

#include "base/memory.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 4096, SHOWN_MOST = 40 };

typedef struct read_job {
    const char*  name;
    const char*  at; // the next byte
    const char*  end;
    int          line;
    shoal_table* table;
    int          word_column; // -1: none
    double*      rows;        // [column_count * row_capacity], row by row
    size_t       row_capacity;
} read_job;

static shoal_status wrong(const read_job* r, const char* what) {
    return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: %s", r->name, r->line, what);
}

static bool is_line_end(const read_job* r) { return r->at == r->end || *r->at == '\n' || *r->at == '\r'; }

static void skip_line_end(read_job* r) {
    if (r->at < r->end && *r->at == '\r') r->at++;
    if (r->at < r->end && *r->at == '\n') r->at++;
    r->line++;
}

// Passes over blank lines and those that begin with #.
static void skip_remarks(read_job* r) {
    while (r->at < r->end && (is_line_end(r) || *r->at == '#')) {
        while (!is_line_end(r)) r->at++;
        skip_line_end(r);
    }
}

static void skip_blanks(read_job* r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
}

// --- the head

// A name in quotes, "" standing for one of them, or all up to the comma without blanks around it.
static shoal_status take_name(read_job* r, shoal_text* out) {
    skip_blanks(r);
    if (r->at < r->end && *r->at == '"') {
        for (r->at++;; r->at++) {
            if (r->at == r->end || *r->at == '\n') return wrong(r, "a quote is not closed");
            if (*r->at == '"' && (r->at + 1 == r->end || r->at[1] != '"')) break;
            if (*r->at == '"') r->at++;
            shoal_text_add_bytes(out, r->at, 1);
        }
        r->at++;
        skip_blanks(r);
        return is_line_end(r) || *r->at == ',' ? SHOAL_OK : wrong(r, "a comma is missing after a quote");
    }
    const char* begin = r->at;
    while (!is_line_end(r) && *r->at != ',') r->at++;
    size_t length = (size_t)(r->at - begin);
    while (length > 0 && (begin[length - 1] == ' ' || begin[length - 1] == '\t')) length--;
    shoal_text_add_bytes(out, begin, length);
    return SHOAL_OK;
}

static shoal_status append_name(shoal_table* t, const char* name) {
    if (t->column_count % 16 == 0)
        SHOAL_TRY(
            shoal_realloc((void**)&t->names, (size_t)t->column_count, (size_t)t->column_count + 16, sizeof *t->names));
    char* copy = shoal_strdup(name);
    if (!copy) return SHOAL_ERR_MEMORY;
    t->names[t->column_count++] = copy;
    return SHOAL_OK;
}

static shoal_status add_column(read_job* r, const shoal_text* name) {
    shoal_table* t = r->table;
    if (name->failed) return SHOAL_ERR_MEMORY;
    if (name->length == 0 || memchr(name->bytes, 0, name->length))
        return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: column %d has no name", r->name, r->line, t->column_count + 1);
    if (shoal_table_find(t, name->bytes) >= 0)
        return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: there are two columns of the name %.*s", r->name, r->line,
                          SHOWN_MOST, name->bytes);
    if (t->column_count == COLUMNS_MOST) return wrong(r, "more than 4096 columns");
    return append_name(t, name->bytes);
}

static shoal_status read_head(read_job* r) {
    if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3; // byte order mark
    skip_remarks(r);
    if (r->at == r->end) return wrong(r, "no head; the first line names the columns: time_s,...");
    for (;;) {
        shoal_text   name   = {0};
        shoal_status status = take_name(r, &name);
        if (status == SHOAL_OK) status = add_column(r, &name);
        shoal_text_free(&name);
        SHOAL_TRY(status);
        if (is_line_end(r)) break;
        r->at++;
    }
    skip_line_end(r);
    return SHOAL_OK;
}

// --- the rows

static shoal_status not_a_number(const read_job* r, int column, const char* begin) {
    int length = 0;
    while (begin + length < r->end && length < SHOWN_MOST && begin[length] >= ' ' && begin[length] != ',') length++;
    return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: \"%.*s\" in column %s is not a number", r->name, r->line, length, begin,
                      r->table->names[column]);
}

static shoal_status take_number(read_job* r, int column, double* out) {
    skip_blanks(r);
    const char* begin = r->at;
    if (is_line_end(r) || *r->at == ',') {
        *out = (double)NAN;
        return SHOAL_OK;
    }
    char* end;
    *out  = strtod(begin, &end); // ends at the zero byte behind the text at the latest
    r->at = end;
    skip_blanks(r);
    bool is_whole = end > begin && end <= r->end && (is_line_end(r) || *r->at == ',');
    if (!is_whole || memchr(begin, '\n', (size_t)(end - begin))) return not_a_number(r, column, begin);
    return SHOAL_OK;
}

static shoal_status take_word(read_job* r, double* out) {
    shoal_table* t      = r->table;
    shoal_text   word   = {0};
    *out                = (double)NAN;
    shoal_status status = take_name(r, &word);
    if (status == SHOAL_OK && word.failed) status = SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) t->words[t->row_count] = shoal_strdup(word.length ? word.bytes : "");
    if (status == SHOAL_OK && !t->words[t->row_count]) status = SHOAL_ERR_MEMORY;
    shoal_text_free(&word);
    return status;
}

static shoal_status more_rows(read_job* r) {
    shoal_table* t     = r->table;
    size_t       width = (size_t)t->column_count, row = (size_t)t->row_count;
    size_t       capacity = r->row_capacity * 2 + 256;
    SHOAL_TRY(shoal_realloc((void**)&r->rows, row * width, capacity * width, sizeof *r->rows));
    if (r->word_column >= 0) SHOAL_TRY(shoal_realloc((void**)&t->words, row, capacity, sizeof *t->words));
    r->row_capacity = capacity;
    return SHOAL_OK;
}

static shoal_status read_row(read_job* r) {
    shoal_table* t     = r->table;
    size_t       width = (size_t)t->column_count, row = (size_t)t->row_count;
    if (row == r->row_capacity) SHOAL_TRY(more_rows(r));
    for (int c = 0; c < t->column_count; c++) {
        double* to = &r->rows[row * width + (size_t)c];
        SHOAL_TRY(c == r->word_column ? take_word(r, to) : take_number(r, c, to));
        bool is_last = c + 1 == t->column_count;
        if (is_last && !is_line_end(r))
            return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: more cells than the head's %d", r->name, r->line,
                              t->column_count);
        if (!is_last && is_line_end(r))
            return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: %d cell%s, the head has %d", r->name, r->line, c + 1,
                              c ? "s" : "", t->column_count);
        if (!is_last) r->at++;
    }
    skip_line_end(r);
    t->row_count++;
    return SHOAL_OK;
}

static shoal_status turn(read_job* r) {
    shoal_table* t    = r->table;
    size_t       rows = (size_t)t->row_count, columns = (size_t)t->column_count;
    t->values = shoal_alloc(rows * columns + 1, sizeof *t->values);
    if (!t->values) return SHOAL_ERR_MEMORY;
    for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i < rows; i++) t->values[c * rows + i] = r->rows[i * columns + c];
    return SHOAL_OK;
}

shoal_status shoal_table_parse(const char* bytes, size_t size, const char* name, const char* word_column,
                               shoal_table* out) {
    *out                = (shoal_table){0};
    read_job     r      = {.name = name, .at = bytes, .end = bytes + size, .line = 1, .table = out};
    shoal_status status = read_head(&r);
    r.word_column       = word_column ? shoal_table_find(out, word_column) : -1;
    skip_remarks(&r);
    while (status == SHOAL_OK && r.at < r.end) {
        status = read_row(&r);
        skip_remarks(&r);
    }
    if (status == SHOAL_OK) status = turn(&r);
    shoal_free(r.rows);
    // words of a row that was not finished
    if (status != SHOAL_OK && out->words && r.row_capacity > (size_t)out->row_count)
        shoal_free(out->words[out->row_count]);
    if (status != SHOAL_OK) shoal_table_free(out);
    return status;
}

shoal_status shoal_table_read(const char* path, const char* word_column, shoal_table* out) {
    char*  bytes;
    size_t size;
    *out = (shoal_table){0};
    SHOAL_TRY(shoal_file_read(path, &bytes, &size));
    shoal_status status = shoal_table_parse(bytes, size, path, word_column, out);
    shoal_free(bytes);
    return status;
}

void shoal_table_free(shoal_table* table) {
    for (int i = 0; i < table->column_count; i++) shoal_free(table->names[i]);
    for (int i = 0; table->words && i < table->row_count; i++) shoal_free(table->words[i]);
    shoal_free(table->names);
    shoal_free(table->values);
    shoal_free(table->words);
    *table = (shoal_table){0};
}

int shoal_table_find(const shoal_table* table, const char* name) {
    for (int i = 0; i < table->column_count; i++)
        if (strcmp(table->names[i], name) == 0) return i;
    return -1;
}

const double* shoal_table_column(const shoal_table* table, int index) {
    SHOAL_ASSERT(index >= 0 && index < table->column_count);
    return table->values + (size_t)index * (size_t)table->row_count;
}

const double* shoal_table_named(const shoal_table* table, const char* name) {
    int index = shoal_table_find(table, name);
    return index < 0 ? NULL : shoal_table_column(table, index);
}

shoal_status shoal_table_add(shoal_table* table, const char* name, const double* values) {
    size_t rows = (size_t)table->row_count, used = rows * (size_t)table->column_count;
    SHOAL_TRY(shoal_realloc((void**)&table->values, used, used + rows + 1, sizeof *table->values));
    SHOAL_TRY(append_name(table, name));
    memcpy(table->values + used, values, rows * sizeof *values);
    return SHOAL_OK;
}
