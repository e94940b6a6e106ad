// SPDX-License-Identifier: MIT
// The passes as loops, plain and wide.
#include "solvers/grains/grains_local.h"

#include <string.h>

#include "exec/device.h"

static void advance_loop(const void* view, int begin, int end) {
    const grains_view* v       = view;
    int                block   = begin / GRAINS_BLOCK;
    float              fastest = 0.0f, odd = 0.0f;
    for (size_t row = v->lists.row[begin / SHOAL_LANES]; row < v->lists.row[(end + SHOAL_LANES - 1) / SHOAL_LANES];
         row++)
        grains_waken(&v->lists, row);
    for (int i = begin; i < end; i++) grains_note(&fastest, &odd, grains_advance(v, i));
    v->block_speed2[block] = (double)(fastest + odd);
}

static void feel_loop(const void* view, int begin, int end) {
    for (int block = begin; block < end; block++) grains_feel(view, block);
}

SHOAL_LOOP(gauge_loop, grains_view, grains_gauge)

#define X(name) name##_loop,
static const shoal_loop plain[GRAINS_PASS_COUNT] = {GRAINS_PASSES(X)};
#undef X

const shoal_passes grains_passes = {.block     = GRAINS_BLOCK,
                                    .loops     = {{[SHOAL_ISA_PLAIN] = plain, SHOAL_WIDE_ROWS(grains_loops)}},
                                    .name      = "grains",
                                    .view_size = sizeof(grains_view)};

// ---------------------------------------------------------------------------------- all else

#define X(name) SHOAL_LOOP(grains_##name##_loop, grains_state, grains_##name)
GRAINS_ITEM_PASSES(X)
#undef X
#define X(name) grains_##name##_loop,
static const shoal_loop state_loops[GRAINS_STATE_PASS_COUNT] = {GRAINS_STATE_PASSES(X)};
#undef X

#define X(name, how) SHOAL_GRAINS_##how##_LOOP(all_##name, grains_state, grains_##name)
#define SHOAL_GRAINS_FIRST_LOOP SHOAL_FIRST_LOOP
#define SHOAL_GRAINS_MOST_LOOP SHOAL_MAX_LOOP
#define SHOAL_GRAINS_SUM_LOOP SHOAL_SUM_LOOP
GRAINS_FOLDS(X)
#undef X
#define FOLD_FIRST first
#define FOLD_MOST most
#define FOLD_SUM sum
#define X(name, how) [GRAINS_##name] = {.FOLD_##how = all_##name},
static const shoal_fold state_folds[GRAINS_FOLD_COUNT] = {GRAINS_FOLDS(X)};
#undef X

// ---------------------------------------------------------------------------------- free water

#define X(name) SHOAL_LOOP(grains_##name##_loop, grains_among, grains_##name)
GRAINS_AMONG_PASSES(X)
#undef X
#define X(name) grains_##name##_loop,
static const shoal_loop among_loops[GRAINS_AMONG_PASS_COUNT] = {GRAINS_AMONG_PASSES(X)};
#undef X
#define X(name, how) SHOAL_GRAINS_##how##_LOOP(all_##name, grains_among, grains_##name)
GRAINS_AMONG_FOLDS(X)
#undef X
#define X(name, how) [GRAINS_##name] = {.FOLD_##how = all_##name},
static const shoal_fold among_folds[GRAINS_AMONG_FOLD_COUNT] = {GRAINS_AMONG_FOLDS(X)};
#undef X

const shoal_passes grains_among_passes = {.block     = 256,
                                          .loops     = {{[SHOAL_ISA_PLAIN] = among_loops}},
                                          .folds     = among_folds,
                                          .name      = "grains_among",
                                          .view_size = sizeof(grains_among)};

// ---------------------------------------------------------------------------------- running them

const shoal_passes grains_state_passes = {.block     = GRAINS_BLOCK,
                                          .loops     = {{[SHOAL_ISA_PLAIN] = state_loops}},
                                          .folds     = state_folds,
                                          .name      = "grains_state",
                                          .view_size = sizeof(grains_state)};

void grains_run_on(grains* s, int pass, int count) {
    shoal_pass_run(&s->ctx->exec, SHOAL_ISA_PLAIN, &grains_state_passes, pass, &s->all, count);
}

double grains_fold(grains* s, int fold, int count) {
    return shoal_pass_fold(&s->ctx->exec, &grains_state_passes, fold, &s->all, count);
}

void grains_ask(grains* s, int fold, int count, double* out) {
    shoal_pass_ask(&s->ctx->exec, &grains_state_passes, fold, &s->all, count, out);
}

void grains_run_among(grains* s, int pass, int count) {
    grains_among among;
    grains_among_view(s, &s->ctx->exec, &among);
    shoal_pass_run(&s->ctx->exec, SHOAL_ISA_PLAIN, &grains_among_passes, pass, &among, count);
}

double grains_fold_among(grains* s, int fold, int count) {
    grains_among among;
    grains_among_view(s, &s->ctx->exec, &among);
    return shoal_pass_fold(&s->ctx->exec, &grains_among_passes, fold, &among, count);
}

void grains_ask_among(grains* s, int fold, int count, double* out) {
    grains_among among;
    grains_among_view(s, &s->ctx->exec, &among);
    shoal_pass_ask(&s->ctx->exec, &grains_among_passes, fold, &among, count, out);
}

int grains_block_count(const grains* s) { return (s->all.view.count + GRAINS_BLOCK - 1) / GRAINS_BLOCK; }

void grains_copy(const shoal_exec* exec, void* to, const void* from, size_t bytes) {
    if (exec->device)
        exec->device->copy(exec->device, to, from, bytes);
    else if (bytes > 0)
        memcpy(to, from, bytes);
}

void grains_clear(const shoal_exec* exec, void* far, size_t bytes) {
    if (exec->device)
        exec->device->fill(exec->device, far, 0, bytes);
    else if (bytes > 0)
        memset(far, 0, bytes);
}
