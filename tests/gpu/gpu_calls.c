// SPDX-License-Identifier: MIT
// What the host asks of a device: how often, and how long it takes; launches do not wait, answers do.
#include "gpu.h"

#include <stdio.h>
#include <string.h>

#include "exec/device.h"

typedef enum call_kind {
    CALL_RUN,
    CALL_SORT,
    CALL_SCAN,
    CALL_SEND,
    CALL_FETCH,
    CALL_FOLD,
    CALL_SETTLE,
    CALL_COUNT
} call_kind;
static const char* const names[] = {"run", "sort", "scan", "send", "fetch", "fold", "settle"};
static struct {
    shoal_device plain; // its own functions
    double       seconds[CALL_COUNT], bytes[CALL_COUNT];
    int          count[CALL_COUNT];
} calls;

#define COUNTED(kind, call, size)                                                                                      \
    double began = gpu_seconds();                                                                                      \
    calls.plain.call;                                                                                                  \
    calls.seconds[kind] += gpu_seconds() - began;                                                                      \
    calls.bytes[kind] += (double)(size);                                                                               \
    calls.count[kind]++
static void count_run(shoal_device* d, const shoal_passes* passes, shoal_isa_kind isa, int pass, const void* view,
                      int count) {
    COUNTED(CALL_RUN, run(d, passes, isa, pass, view, count), 0);
}
static void count_sort(shoal_device* d, uint64_t* keys, int count, int bits, int* order, uint64_t* sorted) {
    COUNTED(CALL_SORT, sort(d, keys, count, bits, order, sorted), 0);
}
static void count_scan(shoal_device* d, int* values, int count) { COUNTED(CALL_SCAN, scan(d, values, count), 0); }
static void count_send(shoal_device* d, void* far, const void* near, size_t bytes) {
    COUNTED(CALL_SEND, send(d, far, near, bytes), bytes);
}
static void count_fetch(shoal_device* d, void* near, const void* far, size_t bytes) {
    COUNTED(CALL_FETCH, fetch(d, near, far, bytes), bytes);
}
static void count_fold(shoal_device* d, const shoal_passes* passes, unsigned wanted, const void* view, int count,
                       double* out) {
    COUNTED(CALL_FOLD, fold(d, passes, wanted, view, count, out), 0);
}
static void count_settle(shoal_device* d) { COUNTED(CALL_SETTLE, settle(d), 0); }

void gpu_calls_count(shoal_device* d) {
    memset(&calls, 0, sizeof calls);
    if (!d) return;
    calls.plain = *d;
    d->run = count_run, d->sort = count_sort, d->scan = count_scan, d->settle = count_settle;
    d->send = count_send, d->fetch = count_fetch, d->fold = count_fold;
}

void gpu_calls_print(double per) {
    for (int k = 0; k < CALL_COUNT; k++)
        printf("%s\"%s\":[%.4g,%.4g,%.4g]", k ? "," : "", names[k], calls.count[k] / per, 1e3 * calls.seconds[k] / per,
               1e-6 * calls.bytes[k] / per);
}
