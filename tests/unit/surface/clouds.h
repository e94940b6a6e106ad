// SPDX-License-Identifier: MIT
// Clouds of particles to lay a surface around, and what to ask of the mesh.
#ifndef CLOUDS_H
#define CLOUDS_H

#include "../check.h"
#include "base/hash.h"
#include "geom/mesh.h"
#include "shoal/surface.h"

typedef struct cloud {
    int    count, capacity;
    float* positions;
} cloud;

static inline void cloud_add(cloud* c, double x, double y, double z) {
    if (c->count == c->capacity) {
        c->capacity  = 2 * c->capacity + 1024;
        c->positions = realloc(c->positions, 3 * (size_t)c->capacity * sizeof(float));
        assert_non_null(c->positions);
    }
    float* p = c->positions + 3 * (size_t)c->count++;
    p[0] = (float)x, p[1] = (float)y, p[2] = (float)z;
}

static inline void cloud_free(cloud* c) {
    free(c->positions);
    *c = (cloud){0};
}

// A lattice of spacing d in [-half, half] x [-depth, 0] x [-half, half], particles half a spacing
// from the sides.
static inline cloud cloud_box(double d, int half, int depth) {
    cloud c = {0};
    for (int y = 0; y < depth; y++)
        for (int z = -half; z < half; z++)
            for (int x = -half; x < half; x++) cloud_add(&c, (x + 0.5) * d, -(y + 0.5) * d, (z + 0.5) * d);
    return c;
}

// Those of a shaken lattice that lie inside a ball about the origin.
static inline cloud cloud_ball(double d, double radius, double shake) {
    cloud    c    = {0};
    int      most = (int)(radius / d) + 1;
    uint64_t n    = 0;
    for (int z = -most; z <= most; z++)
        for (int y = -most; y <= most; y++)
            for (int x = -most; x <= most; x++) {
                double p[3] = {x * d, y * d, z * d};
                for (int k = 0; k < 3; k++) p[k] += shake * d * (shoal_random(7, 1, n++) - 0.5);
                if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < radius * radius) cloud_add(&c, p[0], p[1], p[2]);
            }
    return c;
}

// Shells of evenly spread points, half a spacing inside a ball and whole spacings below, as the
// circle of the paper.
static inline cloud cloud_shells(double d, double radius) {
    cloud c = {0};
    for (double r = radius - 0.5 * d; r > 0; r -= d) {
        int count = (int)(4 * SHOAL_PI * r * r / (d * d)) + 1;
        for (int i = 0; i < count; i++) { // golden spiral
            double y = 1.0 - 2.0 * (i + 0.5) / count, a = 2.399963229728653 * i, s = sqrt(1.0 - y * y);
            cloud_add(&c, r * s * cos(a), r * y, r * s * sin(a));
        }
    }
    return c;
}

static inline shoal_surface_mesh* surface_of(const cloud* c, double d, const char* const* settings, int threads) {
    shoal_surface_particles p    = {.count = c->count, .positions = c->positions, .spacing = d};
    shoal_surface_mesh*     mesh = NULL;
    CHECK_OK(shoal_surface_make(&p, settings, threads, &mesh));
    return mesh;
}

static inline int compare_edges(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

// Every directed edge is there once, and so is its twin; every vertex is used; no triangle is
// without area.
static inline void check_closed(const float* positions, int vertex_count, const int* triangles, int triangle_count,
                                double cell) {
    size_t    count = 3 * (size_t)triangle_count;
    uint64_t* edges = malloc((count + 1) * sizeof *edges);
    bool*     used  = calloc((size_t)vertex_count + 1, sizeof *used);
    assert_true(edges && used);
    for (size_t k = 0; k < count; k++) {
        uint64_t a = (uint64_t)triangles[k], b = (uint64_t)triangles[k % 3 == 2 ? k - 2 : k + 1];
        assert_true(a < (uint64_t)vertex_count && a != b);
        edges[k] = a << 32 | b;
        used[a]  = true;
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t k = 0; k < count; k++) {
        uint64_t twin = edges[k] << 32 | edges[k] >> 32;
        if (k > 0) assert_true(edges[k] != edges[k - 1]);
        assert_non_null(bsearch(&twin, edges, count, sizeof *edges, compare_edges));
    }
    for (int i = 0; i < vertex_count; i++) assert_true(used[i]);
    for (int t = 0; t < triangle_count; t++) {
        double p[3][3];
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) p[k][i] = (double)positions[3 * triangles[3 * t + k] + i];
        double u[3], v[3];
        for (int i = 0; i < 3; i++) u[i] = p[1][i] - p[0][i], v[i] = p[2][i] - p[0][i];
        double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        assert_true(sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) > 1e-7 * cell * cell);
    }
    free(used);
    free(edges);
}

#endif
