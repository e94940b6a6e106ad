// SPDX-License-Identifier: MIT
// Shapes that are stuffed with tetrahedra, and what their meshes must be.
#ifndef SHOAL_TEST_STUFFED_H
#define SHOAL_TEST_STUFFED_H

#include "unit/check.h"

#include "base/hash.h"
#include "tet/stuffing.h"

#include <stdlib.h>

// --- shapes: positive inside, true distances or nowhere steeper, turned at random

enum { BALL, BOX, TORUS, BUMPS, TWO_BALLS, SHELL, SHAPES };

typedef struct shape {
    int        kind;
    shoal_quat turn;
    shoal_d3   middle;
    double     size, bend; // bend: a value is bent by its place, as that of a tracked surface is
} shape;

static double value_of(const shape* s, shoal_d3 at) {
    shoal_d3 p = shoal_quat_rotate(shoal_quat_conjugate(s->turn), shoal_d3_sub(at, s->middle));
    double   r = s->size, f;
    if (s->kind == BOX) {
        double x = fabs(p.x) - r, y = fabs(p.y) - 0.6 * r, z = fabs(p.z) - 0.8 * r;
        f = -(shoal_d3_length(shoal_d3_make(fmax(x, 0.0), fmax(y, 0.0), fmax(z, 0.0))) +
              fmin(fmax(x, fmax(y, z)), 0.0));
    } else if (s->kind == TORUS) {
        double q = sqrt(p.x * p.x + p.z * p.z) - 0.7 * r;
        f        = 0.3 * r - sqrt(q * q + p.y * p.y);
    } else if (s->kind == BUMPS) {
        f = (r - shoal_d3_length(p) + 0.08 * r * sin(9.0 * p.x / r) * sin(8.0 * p.y / r) * sin(7.0 * p.z / r)) / 1.8;
    } else if (s->kind == TWO_BALLS) {
        f = fmax(0.6 * r - shoal_d3_length(shoal_d3_sub(p, shoal_d3_make(0.4 * r, 0.0, 0.0))),
                 0.5 * r - shoal_d3_length(shoal_d3_sub(p, shoal_d3_make(-0.45 * r, 0.1 * r, 0.0))));
    } else if (s->kind == SHELL) {
        f = 0.2 * r - fabs(shoal_d3_length(p) - 0.75 * r);
    } else {
        f = r - shoal_d3_length(p);
    }
    return f * (1.0 + s->bend * sin(20.0 * p.x / r) * cos(17.0 * p.y / r));
}

static void field_of(void* ctx, const shoal_d3* at, int count, double* value) {
    for (int i = 0; i < count; i++) value[i] = value_of(ctx, at[i]);
}

static double random_in(uint64_t k, uint64_t n, double low, double high) {
    return low + (high - low) * shoal_random(11, k, n);
}

static shape shape_of(int kind, uint64_t k) {
    shoal_d3 axis = shoal_d3_make(random_in(1, k, -1.0, 1.0), random_in(2, k, -1.0, 1.0), random_in(3, k, -1.0, 1.0));
    axis          = shoal_d3_scale(axis, 1.0 / shoal_d3_length(axis));
    return (shape){kind, shoal_quat_turn(axis, random_in(4, k, 0.0, 3.0)),
                   shoal_d3_make(random_in(5, k, -0.5, 0.5), random_in(6, k, -0.5, 0.5), random_in(7, k, -0.5, 0.5)),
                   1.0, 0.0};
}

typedef struct stuffed {
    shoal_stuffing work;
    shoal_tetmesh  mesh;
    uint64_t*      keys;
    int            capacity;
} stuffed;

static void stuff(stuffed* m, const shape* s, double step, const shoal_exec* exec) {
    void*     ctx = (void*)(uintptr_t)s;
    shoal_box box = {shoal_d3_sub(s->middle, shoal_d3_make(1.4, 1.4, 1.4)),
                     shoal_d3_add(s->middle, shoal_d3_make(1.4, 1.4, 1.4))};
    int       count;
    CHECK_OK(shoal_octree_frame(&m->work.tree, box, step, 3));
    CHECK_OK(
        shoal_octree_near(&m->work.tree, field_of, ctx, 1.0 + 40.0 * s->bend, exec, &m->keys, &m->capacity, &count));
    CHECK_OK(shoal_stuffing_make(&m->work, field_of, ctx, m->keys, count, 6, exec, &m->mesh));
    CHECK_OK(shoal_tetmesh_find_neighbours(&m->mesh, exec));
}

static void done(stuffed* m) {
    shoal_stuffing_free(&m->work);
    shoal_tetmesh_free(&m->mesh);
    shoal_free(m->keys);
    *m = (stuffed){0};
}

// --- what a mesh must be

static int by_three(const void* a, const void* b) { return memcmp(a, b, sizeof(int[3])); }

// Faces by brute force: each is of one or two tetrahedra, as `beside` says, and those of one have all vertices on the
// surface. Gives what is left of vertices - edges + faces - tetrahedra.
static int check_whole(const shoal_tetmesh* m) {
    int(*faces)[3] = shoal_alloc((size_t)m->tet_count * 4, sizeof *faces),
    (*edges)[3]    = shoal_alloc((size_t)m->tet_count * 6, sizeof *edges);
    int face_count = 0, edge_count = 0, alone = 0, lonely = 0, distinct = 0, lines = 0;
    for (int t = 0; t < m->tet_count; t++) {
        for (int k = 0; k < 4; k++) {
            int v[3], n = 0, beside = m->neighbours[t][k];
            for (int l = 0; l < 4; l++)
                if (l != k) v[n++] = m->tets[t][l];
            for (int i = 0; i < 3; i++)
                for (int j = i + 1; j < 3; j++)
                    if (v[i] > v[j]) n = v[i], v[i] = v[j], v[j] = n;
            memcpy(faces[face_count++], v, sizeof v);
            if (beside < 0) {
                alone++;
                assert_true(m->is_on_surface[v[0]] && m->is_on_surface[v[1]] && m->is_on_surface[v[2]]);
            } else {
                int back = 0;
                for (int l = 0; l < 4; l++) back += m->neighbours[beside][l] == t;
                assert_int_equal(back, 1);
            }
            for (int l = k + 1; l < 4; l++) {
                int a = m->tets[t][k], b = m->tets[t][l], e[3] = {a < b ? a : b, a < b ? b : a, 0};
                memcpy(edges[edge_count++], e, sizeof e);
            }
        }
    }
    qsort(faces, (size_t)face_count, sizeof *faces, by_three);
    qsort(edges, (size_t)edge_count, sizeof *edges, by_three);
    for (int i = 0, n; i < face_count; i += n) {
        for (n = 1; i + n < face_count && by_three(faces[i], faces[i + n]) == 0;) n++;
        assert_true(n <= 2);
        lonely += n == 1;
        distinct++;
    }
    for (int i = 0; i < edge_count; i++) lines += i == 0 || by_three(edges[i - 1], edges[i]) != 0;
    assert_int_equal(lonely, alone);
    shoal_free(faces);
    shoal_free(edges);
    return m->vertex_count - lines + distinct - m->tet_count;
}

// The least and the largest angle of so many shapes, half of them bent; all meshes are whole.
static inline void angles_of(int count, const shoal_exec* exec, double* least, double* largest) {
    stuffed m    = {0};
    int64_t tets = 0;
    *least = 180.0, *largest = 0.0;
    for (int k = 0; k < count; k++) {
        shape s = shape_of(k % SHAPES, (uint64_t)k + 1);
        s.bend  = k % 2 ? 0.5 : 0.0;
        stuff(&m, &s, random_in(8, (uint64_t)k, 0.1, 0.15), exec);
        shoal_tet_quality q = shoal_tetmesh_quality(&m.mesh, exec);
        *least              = fmin(*least, q.least_angle);
        *largest            = fmax(*largest, q.largest_angle);
        tets += m.mesh.tet_count;
        assert_true(q.least_volume > 0.0);
        int euler = check_whole(&m.mesh);
        if (s.kind == BALL || s.kind == BOX) assert_int_equal(euler, 1);
        if (s.kind == TORUS) assert_int_equal(euler, 0);
        if (s.kind == SHELL) assert_int_equal(euler, 2);
    }
    print_message("%d shapes, %lld tets, angles %.2f .. %.2f\n", count, (long long)tets, *least, *largest);
    done(&m);
}

#endif
