// SPDX-License-Identifier: MIT
// Disjoint sets of numbers [Tarjan 1975]: parent[k] is a number of the same set, and that of a root is its own. Begin
// with parent[k] = k. The root of a set is its least number, whatever the order of joining.
#ifndef SHOAL_DISJOINT_H
#define SHOAL_DISJOINT_H

// Halves the path on its way.
static inline int shoal_disjoint_root(int* parent, int at) {
    while (parent[at] != at) at = parent[at] = parent[parent[at]];
    return at;
}

// Joins the sets of two numbers; returns the root.
static inline int shoal_disjoint_join(int* parent, int a, int b) {
    int first = shoal_disjoint_root(parent, a), second = shoal_disjoint_root(parent, b);
    int low                                 = first < second ? first : second;
    parent[first > second ? first : second] = low;
    return low;
}

#endif
