// SPDX-License-Identifier: MIT
// Any bytes as a CSV table: numbers or a message, nothing else.
#include "base/memory.h"
#include "plot/table.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    shoal_table table;
    char*       copy = shoal_alloc(size + 1, 1); // ended by a zero, as shoal_file_read does
    if (!copy) return 0;
    if (size > 0) memcpy(copy, data, size);
    shoal_status status = shoal_table_parse(copy, size, "fuzz.csv", "material", &table);
    SHOAL_ASSERT((status == SHOAL_OK) == (table.column_count > 0));
    shoal_table_free(&table);
    shoal_free(copy);
    return 0;
}
