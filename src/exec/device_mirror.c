// SPDX-License-Identifier: MIT
// A device in plain C, for tests without a card: memory of its own, blocks in shuffled order, stale sides poisoned, and
// able to fail at its n-th call as a card does that falls off the bus: from then on nothing more is done.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/device_local.h"

// An answer that no call has waited for yet; until then poison is in its place.
typedef struct shoal_asked {
    struct shoal_asked* next;
    void*               near;
    size_t              bytes;
    char                data[];
} shoal_asked;

typedef struct mirror {
    shoal_device device;
    shoal_exec   exec;
    long         calls, fails_at; // 0: never
    unsigned     shuffle;
    size_t       used; // bytes
    shoal_asked* asked;
    double       marked; // the clock at the last mark
    struct {
        double *to, seconds;
    } times[16]; // told by tally
    int time_count;
} mirror;

enum { HEAD = 64 }; // bytes ahead of what was taken, which say how many that is

// Whether the next call is done.
static bool is_up(shoal_device* device) {
    mirror* m = (mirror*)device;
    if (++m->calls == m->fails_at)
        shoal_device_fail(device, SHOAL_ERR_INTERNAL, "call %ld failed, as it was asked to", m->calls);
    return device->status == SHOAL_OK;
}

static void* mirror_alloc(shoal_device* device, size_t bytes) {
    char* taken = is_up(device) ? shoal_alloc(1, bytes + HEAD) : NULL;
    if (!taken) return NULL;
    memcpy(taken, &bytes, sizeof bytes);
    ((mirror*)device)->used += bytes;
    return taken + HEAD;
}

static void mirror_free(shoal_device* device, void* far) {
    size_t bytes;
    memcpy(&bytes, (char*)far - HEAD, sizeof bytes);
    ((mirror*)device)->used -= bytes;
    shoal_free((char*)far - HEAD);
}

static void mirror_settle(shoal_device* device) {
    mirror* m = (mirror*)device;
    for (shoal_asked* now = m->asked; now; now = m->asked) {
        if (device->status == SHOAL_OK) memcpy(now->near, now->data, now->bytes);
        m->asked = now->next;
        shoal_free(now);
    }
}

static void mirror_ask(shoal_device* device, void* near, const void* far, size_t bytes) {
    mirror*      m   = (mirror*)device;
    shoal_asked* now = is_up(device) ? shoal_alloc(1, sizeof *now + bytes) : NULL;
    if (!now) return;
    *now = (shoal_asked){m->asked, near, bytes};
    memcpy(now->data, far, bytes);
    memset(near, 0xff, bytes);
    m->asked = now;
}

static void mirror_fetch(shoal_device* device, void* near, const void* far, size_t bytes) {
    mirror_settle(device);
    if (is_up(device) && bytes > 0) memcpy(near, far, bytes);
}

static void mirror_copy(shoal_device* device, void* to, const void* from, size_t bytes) {
    if (is_up(device) && bytes > 0) memcpy(to, from, bytes);
}

struct shoal_parcel {
    size_t bytes;
    char   data[];
};

static shoal_parcel* mirror_post(shoal_device* device, const void* far, size_t bytes) {
    shoal_parcel* parcel = is_up(device) ? shoal_alloc(1, sizeof *parcel + bytes) : NULL;
    if (!parcel) return NULL;
    parcel->bytes = bytes;
    if (bytes > 0) memcpy(parcel->data, far, bytes);
    return parcel;
}

static bool mirror_receive(shoal_device* device, shoal_parcel* parcel, void* near) {
    (void)device; // it may have failed since: what had set out is whole
    if (near && parcel->bytes > 0) memcpy(near, parcel->data, parcel->bytes);
    shoal_free(parcel);
    return true;
}

static void mirror_fill(shoal_device* device, void* far, int byte, size_t bytes) {
    if (is_up(device) && bytes > 0) memset(far, byte, bytes);
}

static void mirror_sort(shoal_device* device, uint64_t* keys, int count, int bits, int* order, uint64_t* sorted) {
    void* scratch = is_up(device) ? shoal_alloc(1, shoal_sort_scratch(count)) : NULL;
    if (!scratch) {
        shoal_device_fail(device, SHOAL_ERR_MEMORY, "no memory to sort %d keys", count);
        return;
    }
    shoal_sort_keys(&((mirror*)device)->exec, keys, count, bits, order, sorted, scratch);
    memset(keys, 0xff, (size_t)count * sizeof *keys);
    shoal_free(scratch);
}

static void mirror_scan(shoal_device* device, int* values, int count) {
    if (!is_up(device)) return;
    for (int i = 1; i < count; i++) values[i] += values[i - 1];
}

static bool mirror_has(const shoal_device* device, const shoal_passes* passes) {
    (void)device;
    return passes->name != NULL;
}

// All blocks, each once, from anywhere on with a stride that is no divisor of their number.
static void mirror_run(shoal_device* device, const shoal_passes* passes, shoal_isa_kind isa, int pass, const void* view,
                       int count) {
    enum { STRIDE = 7919 }; // a prime
    mirror* m = (mirror*)device;
    if (!is_up(device)) return;
    shoal_loop loop   = shoal_pass_loop(passes, isa, pass);
    int        blocks = count / passes->block + (count % passes->block != 0);
    m->shuffle        = m->shuffle * 1664525u + 1013904223u;
    int stride        = blocks % STRIDE == 0 ? 1 : STRIDE;
    for (int k = 0; k < blocks; k++) {
        int b = (int)(((int64_t)k * stride + (int64_t)(m->shuffle >> 8)) % blocks);
        loop(view, b * passes->block, b + 1 < blocks ? (b + 1) * passes->block : count);
    }
}

static void mirror_fold(shoal_device* device, const shoal_passes* passes, unsigned wanted, const void* view, int count,
                        double* out) {
    mirror_settle(device);
    for (int k = 0; is_up(device) && wanted >> k; k++)
        if (wanted >> k & 1u) out[k] = shoal_pass_fold(&((mirror*)device)->exec, passes, k, view, count);
}

static void mirror_ask_fold(shoal_device* device, const shoal_passes* passes, unsigned wanted, const void* view,
                            int count, double* out) {
    for (int k = 0; wanted >> k; k++) {
        if (!(wanted >> k & 1u)) continue;
        double value = shoal_pass_fold(&((mirror*)device)->exec, passes, k, view, count);
        mirror_ask(device, &out[k], &value, sizeof value);
    }
}

static void mirror_tally(shoal_device* device) {
    mirror* m = (mirror*)device;
    for (int k = 0; k < m->time_count; k++) *m->times[k].to += m->times[k].seconds;
    m->time_count = 0;
}

static void mirror_mark(shoal_device* device, double* seconds) {
    mirror* m   = (mirror*)device;
    double  now = shoal_seconds();
    if (m->time_count == (int)(sizeof m->times / sizeof *m->times)) mirror_tally(device);
    if (seconds) {
        m->times[m->time_count].to        = seconds;
        m->times[m->time_count++].seconds = now - m->marked;
    }
    m->marked = now;
}

static void mirror_memory(const shoal_device* device, size_t* free, size_t* all, size_t* used) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE); // it is memory of the process
    *free       = (size_t)sysconf(_SC_AVPHYS_PAGES) * page;
    *all        = (size_t)sysconf(_SC_PHYS_PAGES) * page;
    *used       = ((const mirror*)device)->used;
}

static void mirror_close(shoal_device* device) {
    device->status = SHOAL_ERR_INTERNAL; // what is asked for is not wanted any more
    mirror_settle(device);
    shoal_free(device);
}

shoal_status shoal_mirror_open(long fails_at, shoal_device** out) {
    mirror* m = shoal_alloc(1, sizeof *m);
    if (!m) return SHOAL_ERR_MEMORY;
    m->device = (shoal_device){.poisons  = true,
                               .alloc    = mirror_alloc,
                               .free     = mirror_free,
                               .send     = mirror_copy,
                               .fetch    = mirror_fetch,
                               .post     = mirror_post,
                               .receive  = mirror_receive,
                               .copy     = mirror_copy,
                               .fill     = mirror_fill,
                               .sort     = mirror_sort,
                               .scan     = mirror_scan,
                               .has      = mirror_has,
                               .run      = mirror_run,
                               .fold     = mirror_fold,
                               .ask      = mirror_ask,
                               .ask_fold = mirror_ask_fold,
                               .settle   = mirror_settle,
                               .mark     = mirror_mark,
                               .tally    = mirror_tally,
                               .memory   = mirror_memory,
                               .close    = mirror_close};
    snprintf(m->device.name, sizeof m->device.name, "mirror");
    m->exec     = shoal_exec_make(1);
    m->fails_at = fails_at;
    *out        = &m->device;
    return SHOAL_OK;
}
