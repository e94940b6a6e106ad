// SPDX-License-Identifier: MIT
// Tables of numbers with named columns, read from CSV: a head of names (RFC 4180 quotes), then one
// row per line. Empty cells and `nan` are missing values; lines that begin with # are passed over.
#ifndef SHOAL_TABLE_H
#define SHOAL_TABLE_H

#include "shoal/base.h"

typedef struct shoal_table {
    int     column_count, row_count;
    char**  names;  // [column_count]
    double* values; // [column_count * row_count], column by column; NAN: missing
    char**  words;  // [row_count] of the one column that may hold words; NULL: there is none
} shoal_table;

// `word_column` names a column of words (its values are NAN); NULL: none. SHOAL_ERR_INPUT with file
// and line of the mistake.
shoal_status shoal_table_read(const char* path, const char* word_column, shoal_table* out);
// The same from memory; `name` stands for the file in messages. bytes[size] is readable and zero.
shoal_status shoal_table_parse(const char* bytes, size_t size, const char* name, const char* word_column,
                               shoal_table* out);
// Adds a column; `values` [row_count] are copied. SHOAL_ERR_MEMORY.
shoal_status  shoal_table_add(shoal_table* table, const char* name, const double* values);
void          shoal_table_free(shoal_table* table);
int           shoal_table_find(const shoal_table* table, const char* name); // -1: no such column
const double* shoal_table_column(const shoal_table* table, int index);
const double* shoal_table_named(const shoal_table* table, const char* name); // NULL: none

#endif
