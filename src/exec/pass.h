// SPDX-License-Identifier: MIT
// Passes: what happens to one item, as loops over blocks of items, one table of loops per instruction set. Only
// this file chooses between them and runs them, on threads or on a device (exec/device.h), which knows a table by its
// name.
#ifndef SHOAL_PASS_H
#define SHOAL_PASS_H

#include <math.h>

#include "exec/exec.h"

// One thing for each instruction set, plain ones among them: tables of functions, mostly.
typedef struct shoal_by_isa {
    const void* of[SHOAL_ISA_COUNT]; // NULL: there is none
} shoal_by_isa;

// Members of a shoal_by_isa: the wide ones, STEM_sse2 and so on, as shoal_wide in CMake makes them.
#define SHOAL_WIDE_ROW(kind, name) [SHOAL_ISA_##kind] = &(name),
#define SHOAL_WIDE_ROWS(stem) SHOAL_ISA_SETS(SHOAL_WIDE_ROW, stem)

// That of an instruction set; the plain one where it has none, that of the best set where there is no plain one.
const void* shoal_isa_choose(const shoal_by_isa* rows, shoal_isa_kind isa);

// A pass over items [begin, end) of a view. It cannot fail, and writes only what belongs to its items.
typedef void (*shoal_loop)(const void* view, int begin, int end);

// The loop of what happens to one item, one(view, i).
#define SHOAL_LOOP(loop, type, one)                                                                                    \
    static void loop(const void* view, int begin, int end) {                                                           \
        const type* v = view;                                                                                          \
        for (int i = begin; i < end; i++) one(v, i);                                                                   \
    }

// What all items give together: one of a sum, a maximum, or the first of which something holds.
typedef struct shoal_fold {
    shoal_sum_fn   sum, most;
    shoal_first_fn first;
} shoal_fold;

// All passes of a solver.
typedef struct shoal_passes {
    int               block;     // items that a thread takes at a time
    shoal_by_isa      loops;     // const shoal_loop[passes] each; in the wide ones NULL where the plain one serves
    const shoal_fold* folds;     // NULL: there are none
    const char*       name;      // by which a device knows them; NULL: they run on threads alone
    size_t            view_size; // bytes; both sides must agree
} shoal_passes;

// Declares the wide loops of a table: const shoal_loop STEM_sse2[] and so on.
#define SHOAL_WIDE_LOOP_ROW(kind, name) extern const shoal_loop name[];
#define SHOAL_WIDE_LOOPS(stem) SHOAL_ISA_SETS(SHOAL_WIDE_LOOP_ROW, stem)

// What items give to a sum, in double: one(view, i) for each; for shoal_sum. And to a maximum, for shoal_max.
#define SHOAL_SUM_LOOP(loop, type, one)                                                                                \
    static double loop(void* view, int begin, int end) {                                                               \
        const type* v   = view;                                                                                        \
        double      sum = 0.0;                                                                                         \
        for (int i = begin; i < end; i++) sum += one(v, i);                                                            \
        return sum;                                                                                                    \
    }
#define SHOAL_MAX_LOOP(loop, type, one)                                                                                \
    static double loop(void* view, int begin, int end) {                                                               \
        const type* v    = view;                                                                                       \
        double      most = (double)-INFINITY;                                                                          \
        for (int i = begin; i < end; i++) most = fmax(most, one(v, i));                                                \
        return most;                                                                                                   \
    }
// The first item of which one(view, i) holds; for shoal_first.
#define SHOAL_FIRST_LOOP(loop, type, one)                                                                              \
    static int loop(void* view, int begin, int end) {                                                                  \
        const type* v = view;                                                                                          \
        for (int i = begin; i < end; i++)                                                                              \
            if (one(v, i)) return i;                                                                                   \
        return -1;                                                                                                     \
    }

shoal_loop shoal_pass_loop(const shoal_passes* passes, shoal_isa_kind isa, int pass);
void shoal_pass_run(const shoal_exec* exec, shoal_isa_kind isa, const shoal_passes* passes, int pass, const void* view,
                    int count);
// Each value becomes the sum up to itself; returns the last, 0 where there is none. Values lie where passes run.
// To count by a pass what each item wants, scan, and write by another pass puts all of it one after the other in the
// order of the items, whatever the number of threads.
// Sums beyond an int are reported, but lost in the values.
size_t shoal_pass_scan(const shoal_exec* exec, int* values, int count);
// A sum in double over fixed blocks in their order, the maximum, or the first, -1: none; the same bits everywhere.
double shoal_pass_fold(const shoal_exec* exec, const shoal_passes* passes, int fold, const void* view, int count);

// The same to out[fold]; on a device after the next answer that is waited for (exec/device.h).
void shoal_pass_ask(const shoal_exec* exec, const shoal_passes* passes, int fold, const void* view, int count,
                    double* out);

#endif
