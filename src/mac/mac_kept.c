// SPDX-License-Identifier: MIT
#include "mac/mac_kept.h"

#include <math.h>
#include <string.h>

static size_t floats_of(const shoal_mac_kept* k) { return (size_t)k->arrays * SHOAL_MAC_SAMPLES; }

void shoal_mac_kept_free(shoal_mac_kept* k) {
    shoal_free(k->corner);
    shoal_free(k->values);
    *k = (shoal_mac_kept){.arrays = k->arrays};
}

static shoal_status reserve(shoal_mac_kept* k, int blocks) {
    if (blocks <= k->capacity) return SHOAL_OK;
    size_t n         = (size_t)blocks + (size_t)blocks / 4 + 8;
    int (*corner)[3] = shoal_alloc(n, sizeof *corner);
    float* values    = shoal_alloc(n * floats_of(k), sizeof *values);
    if (!corner || !values) {
        shoal_free(corner);
        shoal_free(values);
        return SHOAL_ERR_MEMORY;
    }
    shoal_mac_kept_free(k);
    k->corner   = corner;
    k->values   = values;
    k->capacity = (int)n;
    return SHOAL_OK;
}

shoal_status shoal_mac_kept_renew(shoal_mac_kept* k, const shoal_mac* m, const uint8_t* takes) {
    int count = 0;
    for (int b = 0; b < m->block_count; b++) count += !takes || takes[b];
    SHOAL_TRY(reserve(k, count));
    k->count = 0;
    for (int b = 0; b < m->block_count; b++)
        if (!takes || takes[b]) memcpy(k->corner[k->count++], m->corner[b], sizeof m->corner[b]);
    return SHOAL_OK;
}

float* shoal_mac_kept_at(const shoal_mac_kept* k, const int corner[3], int array) {
    int low = 0, high = k->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (shoal_mac_order(k->corner[middle], corner) < 0) low = middle + 1;
        else high = middle;
    }
    bool is_there = low < k->count && shoal_mac_order(k->corner[low], corner) == 0;
    return is_there ? k->values + (size_t)low * floats_of(k) + (size_t)array * SHOAL_MAC_SAMPLES : NULL;
}

size_t shoal_mac_kept_size(const shoal_mac_kept* k) { return (size_t)k->count * (sizeof *k->corner + floats_of(k) * sizeof *k->values); }

void shoal_mac_kept_save(const shoal_mac_kept* k, void* to) {
    size_t corners = (size_t)k->count * sizeof *k->corner;
    if (k->count == 0) return;
    memcpy(to, k->corner, corners);
    memcpy((char*)to + corners, k->values, (size_t)k->count * floats_of(k) * sizeof *k->values);
}

shoal_status shoal_mac_kept_load(shoal_mac_kept* k, const void* from, size_t size) {
    size_t each = sizeof *k->corner + floats_of(k) * sizeof *k->values, count = size / each;
    if (size % each != 0 || count > INT32_MAX / SHOAL_MAC_SAMPLES) return shoal_fail(SHOAL_ERR_INPUT, "what sand has kept is cut short or too long");
    const char* values = (const char*)from + count * sizeof *k->corner;
    for (size_t b = 1; b < count; b++) {
        int pair[2][3];
        memcpy(pair, (const char*)from + (b - 1) * sizeof pair[0], sizeof pair);
        if (shoal_mac_order(pair[0], pair[1]) >= 0) return shoal_fail(SHOAL_ERR_INPUT, "what sand has kept is out of order");
    }
    for (size_t n = 0; n < count * floats_of(k); n++) {
        float value;
        memcpy(&value, values + n * sizeof value, sizeof value);
        if (!isfinite(value)) return shoal_fail(SHOAL_ERR_INPUT, "what sand has kept holds values that are not finite");
    }
    SHOAL_TRY(reserve(k, (int)count));
    k->count = (int)count;
    if (count == 0) return SHOAL_OK;
    memcpy(k->corner, from, count * sizeof *k->corner);
    memcpy(k->values, values, count * floats_of(k) * sizeof *k->values);
    return SHOAL_OK;
}
