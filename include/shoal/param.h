// SPDX-License-Identifier: MIT
// Parameters as data: every block of settings (a solver, the domain, the output) is one table, and
// scene parser, range checks, manual, JSON schema, sliders and bindings are made from it.
#ifndef SHOAL_PARAM_H
#define SHOAL_PARAM_H

#include "shoal/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// AUTO_INT and AUTO_FLOAT also take the word `auto`, stored as 0. WORD is one of `words`, stored as
// its index. The value lives in a plain struct at `offset`: int, float, bool, float[3], int (word).
typedef enum shoal_param_type {
    SHOAL_PARAM_INT,
    SHOAL_PARAM_FLOAT,
    SHOAL_PARAM_BOOL,
    SHOAL_PARAM_V3,
    SHOAL_PARAM_WORD,
    SHOAL_PARAM_AUTO_INT,
    SHOAL_PARAM_AUTO_FLOAT
} shoal_param_type;

typedef struct shoal_param_def {
    const char*      name; // the word in scene files; NULL ends a table
    shoal_param_type type;
    size_t           offset;
    double           value, min, max; // default and allowed range; WORD: default is an index
    const char*      unit;            // SI; for WORD the allowed words, "cfm|precomputed"
    const char*      help;
} shoal_param_def;

// One block of parameters as users see it, e.g. name "pbf", summary "Position Based Fluids ...".
typedef struct shoal_param_block {
    const char*            name;
    const char*            summary;
    const shoal_param_def* params;
} shoal_param_block;

// All blocks, ended by one whose name is NULL.
SHOAL_API const shoal_param_block* shoal_param_blocks(void);

#ifdef __cplusplus
}
#endif
#endif
