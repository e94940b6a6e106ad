// SPDX-License-Identifier: MIT
// Parameters as data: every block of settings (a solver, the domain, the output) is one table, and
// scene parser, range checks, manual, JSON schema, sliders and bindings are made from it.
#ifndef SHOAL_PARAM_H
#define SHOAL_PARAM_H

#include "shoal/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// AUTO_INT and AUTO_FLOAT also take the word `auto`, stored as 0. WORD is one of its words, stored as
// its index. The value lives in a plain struct at `offset`: int, float, bool, float[3], int (word),
// double, double[3]. OTHER is text, a list or a block of its own; at `offset` is a bool: was it given?
typedef enum shoal_param_type {
    SHOAL_PARAM_INT,
    SHOAL_PARAM_FLOAT,
    SHOAL_PARAM_BOOL,
    SHOAL_PARAM_V3,
    SHOAL_PARAM_WORD,
    SHOAL_PARAM_AUTO_INT,
    SHOAL_PARAM_AUTO_FLOAT,
    SHOAL_PARAM_DOUBLE,
    SHOAL_PARAM_D3,
    SHOAL_PARAM_OTHER
} shoal_param_type;

typedef struct shoal_param_def {
    const char*      name; // the word in scene files; NULL ends a table
    shoal_param_type type;
    size_t           offset;
    // Default and allowed range. NaN: must be given; infinite: may be left out. WORD: an index. Vectors: (0, value, 0),
    // y is up.
    double value, min, max;
    // SI; for WORD the allowed words, "cfm|precomputed"; for OTHER its forms, one or more of text, number,
    // =WORD, solver, BLOCK, [FORM] (a list) and {FORM} (a map by name), "rotate|[rotate]".
    const char* unit;
    const char* help;
    // NULL: it always acts. Else what must hold for it to, alternatives by " or ", each of conditions by " and ": of
    // other keys of its block ("pressure: wcsph|pcisph", "iterations: auto|>3"), and phrases about the scene ("sand",
    // "a smooth wall"). A key that the block does not have counts as met, since blocks share lists.
    const char* needs;
    // NULL, or the word that it had before: scenes that use it are read, with a warning. Never of OTHER, nor of what
    // must be given.
    const char* alias;
} shoal_param_def;

// One block of parameters as users see it, e.g. name "pbf", summary "Position Based Fluids ...".
typedef struct shoal_param_block {
    const char*            name;
    const char*            summary;
    const shoal_param_def* params;
    bool                   takes_shape; // its map also takes the keys of the block "shape"
    const char*            one_of;      // exactly one of these must be given, "min+max|size"; NULL: nothing of the kind
} shoal_param_block;

// All blocks, ended by one whose name is NULL.
SHOAL_API const shoal_param_block* shoal_param_blocks(void);

// The block `name` (NULL: all) as text; free with shoal_bytes_free(text, strlen(text) + 1). The JSON schema
// (draft 2020-12) of all blocks is that of a scene file, so that editors complete it.
// "presets" is a table of the materials that come with Shoal, not in the schema. SHOAL_ERR_PARAM: there is no such
// block.
typedef enum shoal_param_form { SHOAL_PARAM_PLAIN, SHOAL_PARAM_MARKDOWN, SHOAL_PARAM_SCHEMA } shoal_param_form;
SHOAL_API shoal_status shoal_params_print(const char* name, shoal_param_form form, char** text);

#ifdef __cplusplus
}
#endif
#endif
