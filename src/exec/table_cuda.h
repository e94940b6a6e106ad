// SPDX-License-Identifier: MIT
// A table of passes with one thread for each item, as its header lists them; no guard, included once for each table.
// Said before:
//   TABLE            its name, as the host knows it
//   TABLE_VIEW       type of the view
//   TABLE_ONE(name)  what happens to one item
//   TABLE_PASSES     the list
//   TABLE_ALL        the list with those that have kernels of their own, TABLE_name; left out: there are none
//   TABLE_SUMS       a list of sums; may be left out
//   TABLE_FOLDS      in its place a list of (name, how): FIRST, MOST, or SUM of whole numbers
// It becomes cuda_TABLE.
#ifndef TABLE_ALL
#define TABLE_ALL TABLE_PASSES
#endif
#define X(name) CUDA_PASS(CUDA_NAME(TABLE, name), TABLE_VIEW, TABLE_ONE(name))
TABLE_PASSES(X)
#undef X
#define X(name) CUDA_NAME(TABLE, name),
static const cuda_launch CUDA_NAME(TABLE, passes)[] = {TABLE_ALL(X)};
#undef X

#if defined(TABLE_SUMS)
#define X(name) CUDA_SUM(CUDA_NAME(TABLE, name), TABLE_VIEW, TABLE_ONE(name))
TABLE_SUMS(X)
#undef X
#define X(name) {CUDA_NAME(TABLE, name), CUDA_SUM},
static const cuda_fold CUDA_NAME(TABLE, folds)[] = {TABLE_SUMS(X){NULL, CUDA_SUM}};
#undef X
#elif defined(TABLE_FOLDS)
#define X(name, how) CUDA_FOLD_##how(CUDA_NAME(TABLE, name), TABLE_VIEW, TABLE_ONE(name))
TABLE_FOLDS(X)
#undef X
#define X(name, how) {CUDA_NAME(TABLE, name), CUDA_##how},
static const cuda_fold CUDA_NAME(TABLE, folds)[] = {TABLE_FOLDS(X){NULL, CUDA_SUM}};
#undef X
#else
static const cuda_fold CUDA_NAME(TABLE, folds)[] = {{NULL, CUDA_SUM}};
#endif
extern const cuda_table CUDA_NAME(cuda, TABLE) = {CUDA_TEXT(TABLE),
                                                  sizeof(TABLE_VIEW),
                                                  CUDA_NAME(TABLE, passes),
                                                  CUDA_NAME(TABLE, folds),
                                                  CUDA_COUNT(CUDA_NAME(TABLE, folds)) - 1,
                                                  NULL};
#undef TABLE
#undef TABLE_VIEW
#undef TABLE_ONE
#undef TABLE_PASSES
#undef TABLE_ALL
#undef TABLE_SUMS
#undef TABLE_FOLDS
