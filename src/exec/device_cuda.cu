// SPDX-License-Identifier: MIT
// A card of NVIDIA: memory from its pool, one queue, sorting and scanning by CUB, which CUDA brings along.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/tables_cuda.h"

// Its memory here is that of the card's reach, slow to take, so it is kept for the next.
struct shoal_parcel {
    void*         here;
    size_t        bytes, capacity;
    cudaEvent_t   is_copied, is_here; // on the device; on this side
    shoal_parcel* next;
};

bool cuda_overlaps = true;

namespace {

// An answer on its way to memory that the card writes to, here; or the parts of folds.
struct cuda_asked {
    void *            near;
    const void*       here;
    size_t            bytes;
    const cuda_table* table; // NULL: it is no fold
    unsigned          wanted;
    int               parts; // of each fold
};
enum { ASKED_MOST = 16 };

// Marks in the queue. A time between two is asked for when it is long past, so that nobody waits for it.
struct cuda_mark {
    cudaEvent_t event;
    double*     seconds; // since the mark before; NULL: nobody's
};
enum { MARKS = 64 };

// What is asked for again and again with the same arguments, recorded the second time and played from then on: to
// play it takes the host a fifth of what its launches took.
struct cuda_record {
    const void *    from, *to, *other, *sort_scratch;
    int             count, bits;
    bool            is_refused; // it cannot be recorded
    cudaGraphExec_t played;     // NULL: not yet
};
enum { RECORDS = 16 };

struct cuda_device {
    shoal_device             device; // first
    const cuda_table* const* tables; // ended by NULL
    cudaStream_t             queue;
    cudaMemPool_t            pool;
    int                      number;
    void*                    sort_scratch; // of CUB, and for what it turns over
    size_t                   sort_bytes;
    double *                 parts, *parts_here; // of folds; here: memory that the card writes to
    int                      part_capacity, part_used;
    char*                    answer; // [ANSWER] memory of the host that the card writes to, for what is small
    size_t                   answer_used;
    cuda_asked               asked[ASKED_MOST];
    int                      asked_count;
    struct {
        int    count, bits;
        size_t bytes;
    } sorted, scanned; // what CUB wanted the last time: to ask it takes as long as to launch it
    cuda_record              records[RECORDS];
    int                      record_next; // to be given up
    cuda_mark                marks[MARKS]; // in turn
    int64_t                  mark_count, read_count;
    cudaStream_t             post;   // parcels come on a queue of their own
    pthread_mutex_t          desk;   // over `idle`, which other threads give back to
    shoal_parcel*            idle;   // with memory of the host, to be used again
};

enum { ANSWER = 65536 }; // bytes

cuda_device* own(const shoal_device* device) { return (cuda_device*)device; }

bool is_well(shoal_device* device, cudaError_t error, const char* what) {
    if (device->status != SHOAL_OK) return false;
    if (error == cudaSuccess) return true;
    (void)cudaGetLastError(); // it is told here, and not to the next who asks
    device->status = error == cudaErrorMemoryAllocation ? SHOAL_ERR_MEMORY : SHOAL_ERR_INTERNAL;
    snprintf(device->why, sizeof device->why, "%s failed: %s", what, cudaGetErrorString(error));
    return false;
}

// Whether it works. The card that a thread talks to is the thread's own choice, so it is made each time.
bool is_up(shoal_device* device) {
    return device->status == SHOAL_OK && is_well(device, cudaSetDevice(own(device)->number), "choosing the card");
}

void* far_alloc(shoal_device* device, size_t bytes) {
    void* far = NULL;
    if (!is_up(device)) return NULL;
    cudaError_t error = cudaMallocAsync(&far, bytes, own(device)->queue);
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError(); // told by the caller, who knows what for
        return NULL;
    }
    if (!is_well(device, error, "taking memory")) return NULL;
    is_well(device, cudaMemsetAsync(far, 0, bytes, own(device)->queue), "clearing memory");
    return far;
}

void far_free(shoal_device* device, void* far) { cudaFreeAsync(far, own(device)->queue); }

void far_send(shoal_device* device, void* far, const void* near, size_t bytes) {
    if (is_up(device))
        is_well(device, cudaMemcpyAsync(far, near, bytes, cudaMemcpyHostToDevice, own(device)->queue), "sending");
}

__global__ void write_answer(unsigned char* to, const unsigned char* from, int bytes) {
    cuda_begin(false);
    bool is_even = ((size_t)from & 3) == 0;
    int  words   = is_even ? bytes / 4 : 0;
    for (int k = threadIdx.x; k < words; k += blockDim.x) ((uint32_t*)to)[k] = ((const uint32_t*)from)[k];
    for (int k = 4 * words + threadIdx.x; k < bytes; k += blockDim.x) to[k] = from[k];
}

double joined(cuda_join join, const double* parts, int count) {
    double most = -INFINITY, sum = 0.0, first = 1e300;
    for (int p = 0; p < count; p++) {
        sum += parts[p];
        most  = fmax(most, parts[p]);
        first = fmin(first, parts[p]);
    }
    return join == CUDA_SUM ? sum : join == CUDA_MOST ? most : first < 1e300 ? first : -1.0;
}

// Waits for all that was asked for, and hands it out.
void settle(shoal_device* device) {
    cuda_device* d    = own(device);
    bool         here = is_up(device) && is_well(device, cudaStreamSynchronize(d->queue), "what was queued");
    for (int k = 0; k < d->asked_count && here; k++) {
        const cuda_asked* a = &d->asked[k];
        if (!a->table) memcpy(a->near, a->here, a->bytes);
        for (int f = 0; a->table && f < a->table->fold_count; f++)
            if (a->wanted >> f & 1u)
                ((double*)a->near)[f] = joined(a->table->folds[f].join, (const double*)a->here + (size_t)f * a->parts, a->parts);
    }
    d->asked_count = d->part_used = 0;
    d->answer_used                = 0;
}

// By a kernel where it is small: a copy would wait behind the frame that is on its way. `here` is memory that the card writes to.
bool bring(cuda_device* d, void* here, const void* far, size_t bytes) {
    bool is_small = bytes <= ANSWER;
    if (is_small) cuda_start(write_answer, 1, 256, d->queue, (unsigned char*)here, (const unsigned char*)far, (int)bytes);
    return is_well(&d->device, is_small ? cudaGetLastError() : cudaMemcpyAsync(here, far, bytes, cudaMemcpyDeviceToHost, d->queue),
                   "fetching");
}

void ask(shoal_device* device, void* near, const void* far, size_t bytes) {
    cuda_device* d = own(device);
    if (!is_up(device)) return;
    if (d->asked_count == ASKED_MOST || d->answer_used + bytes > ANSWER) settle(device);
    if (bytes > ANSWER) {
        bring(d, near, far, bytes); // it waits by itself where that is no memory of the card's reach
        return;
    }
    if (!bring(d, d->answer + d->answer_used, far, bytes)) return;
    d->asked[d->asked_count++] = {near, d->answer + d->answer_used, bytes, NULL, 0, 0};
    d->answer_used += (bytes + 15) / 16 * 16;
}

void far_fetch(shoal_device* device, void* near, const void* far, size_t bytes) {
    ask(device, near, far, bytes);
    settle(device);
}

void destroy(shoal_parcel* parcel) {
    if (parcel->here) cudaFreeHost(parcel->here);
    if (parcel->is_copied) cudaEventDestroy(parcel->is_copied);
    if (parcel->is_here) cudaEventDestroy(parcel->is_here);
    free(parcel);
}

// The smallest that has room for it, or a new one; NULL: there is no memory. A larger one would be missed by a larger field, and to
// take memory in the card's reach is slow: a tenth of a second for the frame of ten million particles.
shoal_parcel* find_parcel(cuda_device* d, size_t bytes) {
    pthread_mutex_lock(&d->desk);
    shoal_parcel** best = NULL;
    for (shoal_parcel** at = &d->idle; *at; at = &(*at)->next)
        if ((*at)->capacity >= bytes && (!best || (*at)->capacity < (*best)->capacity)) best = at;
    shoal_parcel* found = best ? *best : NULL;
    if (found) *best = found->next;
    pthread_mutex_unlock(&d->desk);
    if (found) return found;
    found = (shoal_parcel*)calloc(1, sizeof *found);
    if (!found) return NULL;
    found->capacity = bytes + bytes / 8 + 4096; // there will be more particles
    if (cudaMallocHost(&found->here, found->capacity) == cudaSuccess &&
        cudaEventCreateWithFlags(&found->is_copied, cudaEventDisableTiming) == cudaSuccess &&
        cudaEventCreateWithFlags(&found->is_here, cudaEventDisableTiming) == cudaSuccess)
        return found;
    (void)cudaGetLastError();
    destroy(found);
    return NULL;
}

void put_back(cuda_device* d, shoal_parcel* parcel) {
    pthread_mutex_lock(&d->desk);
    parcel->next = d->idle;
    d->idle      = parcel;
    pthread_mutex_unlock(&d->desk);
}

// By a kernel of its own: an engine that copies may be busy with the frame on its way.
__global__ void __launch_bounds__(256) copy_words(uint4* to, const uint4* from, size_t words, int rest) {
    size_t stride = (size_t)gridDim.x * blockDim.x, at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < (size_t)rest) ((unsigned char*)(to + words))[at] = ((const unsigned char*)(from + words))[at];
    for (; at < words; at += stride) to[at] = from[at];
}

bool copy_far(cuda_device* d, void* to, const void* from, size_t bytes, const char* what) {
    if (bytes == 0) return true;
    size_t words = bytes / sizeof(uint4), blocks = (words + 255) / 256;
    if (((size_t)to | (size_t)from) % sizeof(uint4) != 0)
        return is_well(&d->device, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d->queue), what);
    copy_words<<<blocks < 1 ? 1 : blocks > 4096 ? 4096 : (int)blocks, 256, 0, d->queue>>>(
        (uint4*)to, (const uint4*)from, words, (int)(bytes % sizeof(uint4)));
    return is_well(&d->device, cudaGetLastError(), what);
}

// First aside on the card, which takes microseconds; from there to here while the next passes run.
shoal_parcel* far_post(shoal_device* device, const void* far, size_t bytes) {
    cuda_device* d = own(device);
    void*        aside;
    if (bytes == 0 || !is_up(device)) return NULL;
    shoal_parcel* parcel = find_parcel(d, bytes);
    if (!parcel) return NULL;
    if (cudaMallocAsync(&aside, bytes, d->queue) != cudaSuccess) {
        (void)cudaGetLastError();
        put_back(d, parcel);
        return NULL;
    }
    parcel->bytes = bytes;
    if (copy_far(d, aside, far, bytes, "putting aside") &&
        is_well(device, cudaEventRecord(parcel->is_copied, d->queue), "putting aside") &&
        is_well(device, cudaStreamWaitEvent(d->post, parcel->is_copied, 0), "posting") &&
        is_well(device, cudaMemcpyAsync(parcel->here, aside, bytes, cudaMemcpyDeviceToHost, d->post), "posting") &&
        is_well(device, cudaFreeAsync(aside, d->post), "posting") &&
        is_well(device, cudaEventRecord(parcel->is_here, d->post), "posting"))
        return parcel;
    put_back(d, parcel);
    return NULL;
}

bool far_receive(shoal_device* device, shoal_parcel* parcel, void* near) {
    cuda_device* d = own(device);
    bool is_here   = cudaSetDevice(d->number) == cudaSuccess && cudaEventSynchronize(parcel->is_here) == cudaSuccess;
    if (is_here && near) memcpy(near, parcel->here, parcel->bytes);
    put_back(d, parcel);
    return is_here;
}

void far_copy(shoal_device* device, void* to, const void* from, size_t bytes) {
    if (is_up(device)) copy_far(own(device), to, from, bytes, "copying");
}

void far_fill(shoal_device* device, void* far, int byte, size_t bytes) {
    if (is_up(device)) is_well(device, cudaMemsetAsync(far, byte, bytes, own(device)->queue), "filling");
}

// Scratch of sorting and scanning, kept from step to step.
void* reserve(shoal_device* device, size_t bytes) {
    cuda_device* d = own(device);
    if (d->sort_bytes >= bytes) return d->sort_scratch;
    if (d->sort_scratch) far_free(device, d->sort_scratch);
    d->sort_scratch       = NULL;
    d->sort_bytes = 0;
    if (!is_well(device, cudaMallocAsync(&d->sort_scratch, bytes, d->queue), "taking memory to sort")) return NULL;
    d->sort_bytes = bytes;
    return d->sort_scratch;
}

__global__ void count_up(int* items, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) items[i] = i;
}

// The same as `put`, which queues it; by a record where there is one.
template <class PUT> cudaError_t play(cuda_device* d, const cuda_record& of, PUT put) {
    cuda_record* r = NULL;
    for (int k = 0; k < RECORDS && !r; k++) {
        cuda_record* c = &d->records[k];
        if (c->from == of.from && c->to == of.to && c->other == of.other && c->sort_scratch == of.sort_scratch && c->count == of.count && c->bits == of.bits) r = c;
    }
    if (r && r->played) return cudaGraphLaunch(r->played, d->queue);
    if (!r) {
        cuda_record* old = &d->records[d->record_next++ % RECORDS];
        if (old->played) cudaGraphExecDestroy(old->played);
        *old = of;
        return put();
    }
    cudaGraph_t graph = NULL;
    if (r->is_refused || cudaStreamBeginCapture(d->queue, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return put();
    cudaError_t error = put(), end = cudaStreamEndCapture(d->queue, &graph);
    bool        is_here = error == cudaSuccess && end == cudaSuccess && cudaGraphInstantiateWithFlags(&r->played, graph, 0) == cudaSuccess;
    if (graph) cudaGraphDestroy(graph);
    if (is_here) return cudaGraphLaunch(r->played, d->queue);
    (void)cudaGetLastError();
    r->played     = NULL;
    r->is_refused = true;
    return put();
}

// Keys go to and fro between `keys` and `sorted`, items between the room and `order`: what ends in the wrong one is copied.
void far_sort(shoal_device* device, uint64_t* keys, int count, int bits, int* order, uint64_t* sorted) {
    if (!is_up(device)) return;
    cuda_device* d     = own(device);
    size_t       items = ((size_t)count * sizeof(int) + 255) / 256 * 256, bytes = 0;
    cub::DoubleBuffer<uint64_t> key(keys, sorted);
    cub::DoubleBuffer<int>      item(order, order);
    if (d->sorted.count != count || d->sorted.bits != bits) {
        cub::DeviceRadixSort::SortPairs(NULL, bytes, key, item, count, 0, bits, d->queue);
        d->sorted = {count, bits, bytes};
    }
    bytes      = d->sorted.bytes;
    char* scratch = (char*)reserve(device, items + bytes);
    if (!scratch) return;
    auto put = [&]() {
        key  = cub::DoubleBuffer<uint64_t>(keys, sorted);
        item = cub::DoubleBuffer<int>((int*)scratch, order);
        count_up<<<(count + 255) / 256, 256, 0, d->queue>>>((int*)scratch, count);
        cudaError_t error = cub::DeviceRadixSort::SortPairs(scratch + items, bytes, key, item, count, 0, bits, d->queue);
        if (error != cudaSuccess) return error;
        if (key.Current() != sorted) far_copy(device, sorted, key.Current(), (size_t)count * sizeof *sorted);
        if (item.Current() != order) far_copy(device, order, item.Current(), (size_t)count * sizeof *order);
        return error;
    };
    is_well(device, play(d, {keys, order, sorted, scratch, count, bits, false, NULL}, put), "sorting");
}

void far_scan(shoal_device* device, int* values, int count) {
    if (!is_up(device)) return;
    cuda_device* d     = own(device);
    size_t       bytes = 0;
    if (d->scanned.count != count) {
        cub::DeviceScan::InclusiveSum(NULL, bytes, values, values, count, d->queue);
        d->scanned = {count, 0, bytes};
    }
    bytes      = d->scanned.bytes;
    void* scratch = reserve(device, bytes);
    auto  put  = [&]() { return cub::DeviceScan::InclusiveSum(scratch, bytes, values, values, count, d->queue); };
    if (scratch) is_well(device, play(d, {values, NULL, NULL, scratch, count, 0, false, NULL}, put), "scanning");
}

const cuda_table* find(const shoal_device* device, const shoal_passes* passes) {
    for (const cuda_table* const* t = own(device)->tables; *t; t++)
        if (passes->name && strcmp((*t)->name, passes->name) == 0) return (*t)->view_size == passes->view_size ? *t : NULL;
    return NULL;
}

bool has(const shoal_device* device, const shoal_passes* passes) { return find(device, passes) != NULL; }

void run(shoal_device* device, const shoal_passes* passes, shoal_isa_kind isa, int pass, const void* view, int count) {
    (void)isa;
    if (count <= 0 || !is_up(device)) return;
    find(device, passes)->passes[pass](view, count, own(device)->queue);
    is_well(device, cudaGetLastError(), passes->name);
}

// Room for more parts, here and there.
bool reserve_parts(shoal_device* device, int more) {
    cuda_device* d = own(device);
    if (d->part_used + more <= d->part_capacity) return true;
    settle(device); // those that are asked for lie there
    if (more <= d->part_capacity) return true;
    int capacity = more + more / 4 + 64;
    if (d->parts) cudaFreeAsync(d->parts, d->queue), cudaFreeHost(d->parts_here);
    d->parts      = NULL;
    d->parts_here = NULL;
    d->part_capacity  = 0;
    if (!is_well(device, cudaMallocAsync(&d->parts, capacity * sizeof(double), d->queue), "taking memory") ||
        !is_well(device, cudaMallocHost(&d->parts_here, capacity * sizeof(double)), "taking memory"))
        return false;
    d->part_capacity = capacity;
    return true;
}

void ask_fold(shoal_device* device, const shoal_passes* passes, unsigned wanted, const void* view, int count, double* out) {
    cuda_device*      d     = own(device);
    const cuda_table* table = find(device, passes);
    int               parts = (count + CUDA_SUM_BLOCK - 1) / CUDA_SUM_BLOCK, last = 0;
    for (int f = 0; f < table->fold_count; f++)
        if (wanted >> f & 1u) last = f, out[f] = joined(table->folds[f].join, NULL, 0);
    if (count <= 0 || !is_up(device) || !reserve_parts(device, table->fold_count * parts)) return;
    if (d->asked_count == ASKED_MOST) settle(device);
    double *there = d->parts + d->part_used, *here = d->parts_here + d->part_used;
    if (table->survey) table->survey(view, count, wanted, there, parts, d->queue);
    for (int f = 0; f <= last && !table->survey; f++)
        if (wanted >> f & 1u) table->folds[f].parts(view, count, there + (size_t)f * parts, d->queue);
    if (!is_well(device, cudaGetLastError(), passes->name)) return;
    if (!bring(d, here, there, (size_t)(last + 1) * parts * sizeof(double))) return;
    d->asked[d->asked_count++] = {out, here, 0, table, wanted, parts};
    d->part_used += table->fold_count * parts;
}

void fold(shoal_device* device, const shoal_passes* passes, unsigned wanted, const void* view, int count, double* out) {
    ask_fold(device, passes, wanted, view, count, out);
    settle(device);
}

void tell_mark(cuda_device* d) {
    const cuda_mark *before = &d->marks[(d->read_count + MARKS - 1) % MARKS], *now = &d->marks[d->read_count % MARKS];
    float            ms     = 0.0f;
    if (now->seconds && d->read_count > 0 && is_well(&d->device, cudaEventSynchronize(now->event), "what was queued") &&
        is_well(&d->device, cudaEventElapsedTime(&ms, before->event, now->event), "taking the time"))
        *now->seconds += 1e-3 * (double)ms;
    d->read_count++;
}

void mark(shoal_device* device, double* seconds) {
    cuda_device* d = own(device);
    if (!is_up(device)) return;
    if (d->mark_count - d->read_count == MARKS - 1) tell_mark(d);
    cuda_mark* now = &d->marks[d->mark_count++ % MARKS];
    now->seconds   = seconds;
    is_well(device, cudaEventRecord(now->event, d->queue), "taking the time");
}

void tally(shoal_device* device) {
    cuda_device* d = own(device);
    while (d->read_count < d->mark_count && is_up(device)) tell_mark(d);
}

void memory(const shoal_device* device, size_t* free, size_t* all, size_t* used) {
    uint64_t now = 0;
    cudaSetDevice(own(device)->number);
    cudaMemGetInfo(free, all);
    cudaMemPoolGetAttribute(own(device)->pool, cudaMemPoolAttrUsedMemCurrent, &now);
    *used = (size_t)now;
}

void release(cuda_device* d) {
    for (int k = 0; k < RECORDS; k++)
        if (d->records[k].played) cudaGraphExecDestroy(d->records[k].played);
    for (int k = 0; k < MARKS; k++)
        if (d->marks[k].event) cudaEventDestroy(d->marks[k].event);
    if (d->post) cudaStreamDestroy(d->post);
    if (d->answer) cudaFreeHost(d->answer);
    if (d->queue) cudaStreamDestroy(d->queue);
    ::free(d);
}

void close(shoal_device* device) {
    cuda_device* d = own(device);
    cudaSetDevice(d->number);
    cudaStreamSynchronize(d->queue);
    if (d->sort_scratch) cudaFreeAsync(d->sort_scratch, d->queue);
    if (d->parts) cudaFreeAsync(d->parts, d->queue), cudaFreeHost(d->parts_here);
    cudaStreamSynchronize(d->queue);
    cudaStreamSynchronize(d->post);
    for (shoal_parcel* parcel = d->idle; parcel;) {
        shoal_parcel* next = parcel->next;
        destroy(parcel);
        parcel = next;
    }
    pthread_mutex_destroy(&d->desk);
    cudaMemPoolTrimTo(d->pool, 0);
    release(d);
}

// A kernel with the largest stack that one of ours has (tests/device holds them to it).
enum { STACK_MOST = 9728 }; // bytes
__global__ void stretch(int at, char* out) {
    volatile char stack[STACK_MOST];
    stack[at] = (char)at;
    if (out) *out = stack[at / 2];
}

// Stacks of all threads that a card runs at a time lie in its memory from the first kernel on that has one: 2.6 GB of an H200. They
// are taken at once, so that what is free is free.
bool take_stacks(cuda_device* d, const cudaDeviceProp* card, char* why, size_t size) {
    size_t free = 0, all = 0;
    double stacks = (double)STACK_MOST * card->maxThreadsPerMultiProcessor * card->multiProcessorCount;
    cudaMemGetInfo(&free, &all);
    stretch<<<1, 1, 0, d->queue>>>(0, NULL);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaStreamSynchronize(d->queue);
    if (error == cudaSuccess) return true;
    (void)cudaGetLastError();
    if (error == cudaErrorMemoryAllocation)
        snprintf(why, size, "its kernels want about %.3g GB for themselves, and %.3g of %.3g GB are free", 1e-9 * stacks, 1e-9 * (double)free,
                 1e-9 * (double)all);
    else
        snprintf(why, size, "%s", cudaGetErrorString(error));
    return false;
}

// Without a driver its version is 0.
void tell_driver(char* why, size_t size) {
    int has = 0, wants = 0;
    (void)cudaGetLastError();
    cudaDriverGetVersion(&has);
    cudaRuntimeGetVersion(&wants);
    if (has == 0)
        snprintf(why, size, "there is no driver of NVIDIA");
    else
        snprintf(why, size, "the driver is of CUDA %d.%d, and that of %d.0 or later is wanted", has / 1000, has % 1000 / 10, wants / 1000);
}

} // namespace

shoal_status cuda_device_open(const cuda_table* const* tables, int abi, int number, shoal_device** out, char* why, size_t size) {
    int            count = 0;
    cudaDeviceProp card;
    if (abi != SHOAL_DEVICE_ABI) {
        snprintf(why, size, "libshoal_cuda.so is of another build (%d, wanted is %d)", SHOAL_DEVICE_ABI, abi);
        return SHOAL_ERR_PARAM;
    }
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorInsufficientDriver) {
        tell_driver(why, size);
        return SHOAL_ERR_PARAM;
    }
    if (error == cudaErrorNoDevice || (error == cudaSuccess && number >= count)) {
        (void)cudaGetLastError();
        snprintf(why, size, count == 0 ? "there is no card of NVIDIA" : count == 1 ? "there is one card, cuda:0" : "there are %d cards, numbered from 0", count);
        return SHOAL_ERR_PARAM;
    }
    if (error == cudaSuccess) error = cudaSetDevice(number);
    if (error == cudaSuccess) error = cudaGetDeviceProperties(&card, number);
    cuda_device* d = error == cudaSuccess ? (cuda_device*)calloc(1, sizeof(cuda_device)) : NULL;
    if (error == cudaSuccess && !d) error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess) error = cudaStreamCreate(&d->queue);
    if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&d->post, cudaStreamNonBlocking);
    if (error == cudaSuccess) error = cudaDeviceGetDefaultMemPool(&d->pool, number);
    if (error == cudaSuccess) error = cudaMallocHost((void**)&d->answer, ANSWER);
    for (int k = 0; k < MARKS && error == cudaSuccess; k++) error = cudaEventCreate(&d->marks[k].event);
    uint64_t keeps = UINT64_MAX; // what is freed stays with the process until it closes the device
    int      waits = 0; // nor may memory be taken that is free once a frame has left: the queue would wait for that
    if (error == cudaSuccess) error = cudaMemPoolSetAttribute(d->pool, cudaMemPoolAttrReleaseThreshold, &keeps);
    if (error == cudaSuccess) error = cudaMemPoolSetAttribute(d->pool, cudaMemPoolReuseAllowInternalDependencies, &waits);
    cudaFuncAttributes known;
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&known, count_up); // kernels for this card and driver?
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        snprintf(why, size, "%s", cudaGetErrorString(error));
    }
    if (error != cudaSuccess || !take_stacks(d, &card, why, size)) {
        if (d) release(d);
        return SHOAL_ERR_PARAM;
    }
    cuda_overlaps = cuda_overlaps && known.ptxVersion >= 90;
    pthread_mutex_init(&d->desk, NULL);
    d->tables = tables;
    d->number = number;
    snprintf(d->device.name, sizeof d->device.name, "cuda:%d (%s)", number, card.name);
    d->device.is_woven = true;
    d->device.alloc = far_alloc;
    d->device.free  = far_free;
    d->device.send  = far_send;
    d->device.fetch = far_fetch;
    d->device.post  = far_post;
    d->device.receive = far_receive;
    d->device.copy  = far_copy;
    d->device.fill  = far_fill;
    d->device.sort  = far_sort;
    d->device.scan  = far_scan;
    d->device.has   = has;
    d->device.run   = run;
    d->device.fold  = fold;
    d->device.ask   = ask;
    d->device.ask_fold = ask_fold;
    d->device.settle = settle;
    d->device.mark  = mark;
    d->device.tally = tally;
    d->device.memory  = memory;
    d->device.close = close;
    *out            = &d->device;
    return SHOAL_OK;
}
