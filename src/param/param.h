// SPDX-License-Identifier: MIT
// One list of parameters becomes a struct, its table, its defaults, its checks and its manual page.
//
//     // S: the struct; name, type, default, min, max, unit, help; where there are such, what it needs to act (else
//     // NULL), and its alias, the name that it had before
//     #define PBF_PARAMS(X, S) X(S, iterations, INT, 3, 1, 64, "", "constraint sweeps per substep")
//     SHOAL_PARAMS_DECLARE(pbf_params, PBF_PARAMS)       // in the header: the struct
//     SHOAL_PARAMS_DEFINE(pbf_params, PBF_PARAMS)        // in one .c file: pbf_params_table
//
// A parameter that is a word has its words in one list, of which the enum is made too:
//     #define PBF_SWEEP(W, P) W(P, JACOBI, "jacobi") W(P, GAUSS_SEIDEL, "gauss_seidel")
//     SHOAL_WORDS_DECLARE(PBF_SWEEP)                     // PBF_SWEEP_JACOBI, PBF_SWEEP_GAUSS_SEIDEL
//     X(S, sweep, WORD, 0, 0, 0, SHOAL_WORDS(PBF_SWEEP), "...")
#ifndef SHOAL_PARAM_TABLE_H
#define SHOAL_PARAM_TABLE_H

#include "base/memory.h"
#include "math/vec.h"
#include "shoal/param.h"

#define SHOAL_PARAM_C_INT int
#define SHOAL_PARAM_C_FLOAT float
#define SHOAL_PARAM_C_BOOL bool
#define SHOAL_PARAM_C_V3 shoal_v3
#define SHOAL_PARAM_C_WORD int
#define SHOAL_PARAM_C_AUTO_INT int
#define SHOAL_PARAM_C_AUTO_FLOAT float
#define SHOAL_PARAM_C_DOUBLE double
#define SHOAL_PARAM_C_D3 shoal_d3
#define SHOAL_PARAM_C_OTHER bool

#define SHOAL_WORD_NUMBER(list, name, word) list##_##name,
#define SHOAL_WORD_TEXT(list, name, word) "|" word
#define SHOAL_WORDS_DECLARE(LIST) enum { LIST(SHOAL_WORD_NUMBER, LIST) };
#define SHOAL_WORDS(LIST) &(LIST(SHOAL_WORD_TEXT, LIST))[1] // "jacobi|gauss_seidel"

#define SHOAL_PARAM_MEMBER(struct_name, name, type, ...) SHOAL_PARAM_C_##type name;
#define SHOAL_PARAMS_DECLARE(struct_name, LIST)                                                                        \
    typedef struct struct_name {                                                                                       \
        LIST(SHOAL_PARAM_MEMBER, struct_name)                                                                          \
    } struct_name;                                                                                                     \
    extern const shoal_param_def struct_name##_table[];

// What follows the unit is the help, where the parameter does not always act, what it needs, and where it has one, its
// alias.
#define SHOAL_PARAM_HELP(help, ...) help
#define SHOAL_PARAM_NEEDS(help, needs, ...) needs
#define SHOAL_PARAM_ALIAS(help, needs, alias, ...) alias
#define SHOAL_PARAM_ROW(struct_name, name, type, value, min, max, unit, ...)                                           \
    {#name,                                                                                                            \
     SHOAL_PARAM_##type,                                                                                               \
     offsetof(struct_name, name),                                                                                      \
     (double)(value),                                                                                                  \
     min,                                                                                                              \
     max,                                                                                                              \
     unit,                                                                                                             \
     SHOAL_PARAM_HELP(__VA_ARGS__, NULL),                                                                              \
     SHOAL_PARAM_NEEDS(__VA_ARGS__, NULL, NULL),                                                                       \
     SHOAL_PARAM_ALIAS(__VA_ARGS__, NULL, NULL, NULL)},
#define SHOAL_PARAMS_DEFINE(struct_name, LIST)                                                                         \
    const shoal_param_def struct_name##_table[] = {LIST(SHOAL_PARAM_ROW, struct_name){0}};

void shoal_params_default(const shoal_param_def* table, void* params);

// Values in place of the defaults, ended by a NULL name.
typedef struct shoal_param_preset {
    const char* name;
    double      value;
} shoal_param_preset;
void shoal_params_preset(const shoal_param_def* table, const shoal_param_preset* preset, void* params);

// By name or alias; NULL: unknown.
const shoal_param_def* shoal_param_find(const shoal_param_def* table, const char* name);

// Stores one value; a value out of range, not whole, or a wrong word fails with SHOAL_ERR_PARAM and a
// sentence without place ("iterations = 0 is outside [1, 64]"). V3 takes three numbers, others one.
shoal_status shoal_param_set_numbers(const shoal_param_def* def, void* params, const double* values, int count);
shoal_status shoal_param_set_word(const shoal_param_def* def, void* params,
                                  const char* word); // also "auto", "true", "false"
shoal_status shoal_params_check(const shoal_param_def* table,
                                const void*            params); // bytes from outside: values that could have been set
double       shoal_param_get(const shoal_param_def* def, const void* params, int component);
// Whether what a parameter needs holds for these values. `holds` answers for phrases about the scene (see
// shoal_param_def.needs).
typedef bool (*shoal_param_phrase)(const void* scene, const char* phrase);
bool shoal_param_acts(const shoal_param_def* table, const shoal_param_def* def, const void* params,
                      shoal_param_phrase holds, const void* scene);
// What it needs in words, "pressure: pcisph or dfsph"; "" for nothing.
const char* shoal_param_needs(const shoal_param_def* def, char* buffer, size_t size);
const char* shoal_param_word(const shoal_param_def* def, int index, char* buffer,
                             size_t size); // index-th of its words; NULL: no such
bool        shoal_param_is_vector(const shoal_param_def* def);

// A number in the fewest digits that read back as the same float (`single`) or double; always with a point.
const char* shoal_number_print(double value, bool single, char buffer[32]);

// The values of a block as JSON members ("iterations": 3, "gravity": [0, -9.81, 0]), OTHER and those without a
// default and value left out; returns how many were written. `first`: no comma before the first.
int  shoal_param_json(shoal_text* text, const shoal_param_def* table, const void* params, bool first);
void shoal_json_string(shoal_text* text, const char* string);

// The manual of blocks[0..] (ended by a NULL name): those called `name`, NULL for all. `solvers` are the words that the
// form "solver" takes, ended by NULL.
shoal_status shoal_param_blocks_print(const shoal_param_block* blocks, const char* const* solvers, const char* name,
                                      shoal_param_form form, shoal_text* out);

#endif
