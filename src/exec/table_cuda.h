// SPDX-License-Identifier: MIT
// A table of passes with one thread for each item, as its header lists them; no guard, included once for each table.
// Said before:
//   TABLE            its name, as the host knows it
//   TABLE_VIEW       type of the view
//   TABLE_ONE(name)  what happens to one item
//   TABLE_PASSES     the list
//   TABLE_SUMS       a list of sums; may be left out
// It becomes cuda_TABLE.
#define X(name) CUDA_PASS(CUDA_NAME(TABLE, name), TABLE_VIEW, TABLE_ONE(name))
TABLE_PASSES(X)
#undef X
#define X(name) CUDA_NAME(TABLE, name),
static const cuda_launch CUDA_NAME(TABLE, passes)[] = {TABLE_PASSES(X)};
#undef X

#if defined(TABLE_SUMS)
#define X(name) CUDA_SUM(CUDA_NAME(TABLE, name), TABLE_VIEW, TABLE_ONE(name))
TABLE_SUMS(X)
#undef X
#define X(name) {CUDA_NAME(TABLE, name), CUDA_SUM},
static const cuda_fold CUDA_NAME(TABLE, folds)[] = {TABLE_SUMS(X)};
#undef X
extern const cuda_table CUDA_NAME(cuda, TABLE) = {CUDA_TEXT(TABLE),
                                                  sizeof(TABLE_VIEW),
                                                  CUDA_NAME(TABLE, passes),
                                                  CUDA_NAME(TABLE, folds),
                                                  CUDA_COUNT(CUDA_NAME(TABLE, folds)),
                                                  NULL};
#undef TABLE_SUMS
#else
extern const cuda_table CUDA_NAME(cuda, TABLE) = {
    CUDA_TEXT(TABLE), sizeof(TABLE_VIEW), CUDA_NAME(TABLE, passes), NULL, 0, NULL};
#endif
#undef TABLE
#undef TABLE_VIEW
#undef TABLE_ONE
#undef TABLE_PASSES
