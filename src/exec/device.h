// SPDX-License-Identifier: MIT
// A device computes with memory of its own: a graphics card, or `mirror`, one in plain C. Calls are queued and done in
// order; only those that bring something back wait. NULL in place of a device is the CPU: far memory is then the heap,
// and passes run on threads.
//
// Calls do not fail one by one: after the first fault a device does nothing more, and shoal_device_check reports the
// fault, once per substep. Do not use what was fetched since.
#ifndef SHOAL_DEVICE_H
#define SHOAL_DEVICE_H

#include "exec/pass.h"

enum { SHOAL_DEVICE_ABI = 5 }; // of what stands below; a plugin of another one is refused

typedef struct shoal_device shoal_device;
typedef struct shoal_parcel shoal_parcel; // a copy that is on its way from a device

// Parcels, and where they are to go.
typedef struct shoal_parcels {
    struct shoal_posted {
        shoal_device* device;
        shoal_parcel* parcel;
        void*         to;
    } * items;
    int count, capacity;
} shoal_parcels;

// A copy of something small where passes of a device see it, sent where it has changed; on the CPU the thing itself.
typedef struct shoal_far {
    shoal_device* device;
    void*         far;
    void*         sent;     // the bytes as sent, on the heap
    size_t        capacity; // bytes of both
} shoal_far;

struct shoal_device {
    char         name[128]; // "cuda:0 (NVIDIA H200)", "mirror"
    bool         poisons;   // stale copies are overwritten, so that a wrong read is found out
    bool         is_woven;  // its neighbour lists lie as shoal_near_woven says
    shoal_status status;    // SHOAL_OK, or the first fault
    char         why[256];
    shoal_far    scratch;                               // see shoal_device_scratch
    void* (*alloc)(shoal_device* device, size_t bytes); // zeroed; NULL: there is no room
    void (*free)(shoal_device* device, void* far);
    void (*send)(shoal_device* device, void* far, const void* near, size_t bytes);
    void (*fetch)(shoal_device* device, void* near, const void* far, size_t bytes); // waits
    // Starts an asynchronous copy of `far`. Returns NULL if no staging buffer is free; fetch instead.
    shoal_parcel* (*post)(shoal_device* device, const void* far, size_t bytes);
    // Waits for the copy, on any thread, and frees the parcel; `near` NULL: drops it. False: it was lost.
    bool (*receive)(shoal_device* device, shoal_parcel* parcel, void* near);
    void (*copy)(shoal_device* device, void* to, const void* from, size_t bytes);
    void (*fill)(shoal_device* device, void* far, int byte, size_t bytes);
    // As shoal_sort_keys; `keys` are lost.
    void (*sort)(shoal_device* device, uint64_t* keys, int count, int bits, int* order, uint64_t* sorted);
    void (*scan)(shoal_device* device, int* values, int count); // each becomes the sum up to itself
    bool (*has)(const shoal_device* device, const shoal_passes* passes);
    void (*run)(shoal_device* device, const shoal_passes* passes, shoal_isa_kind isa, int pass, const void* view,
                int count);
    // The folds whose bits are in `wanted`, to out[fold]; waits, once for all of them.
    void (*fold)(shoal_device* device, const shoal_passes* passes, unsigned wanted, const void* view, int count,
                 double* out);
    // As fetch and fold, but without waiting: the answer arrives with the next call that waits, or with settle. Each
    // wait lets a card run empty.
    void (*ask)(shoal_device* device, void* near, const void* far, size_t bytes);
    void (*ask_fold)(shoal_device* device, const shoal_passes* passes, unsigned wanted, const void* view, int count,
                     double* out);
    void (*settle)(shoal_device* device);
    // Adds the time that the queue took from the last mark to this one to *seconds, later; NULL: it is not
    // counted. Neither waits for the queue nor fails. `tally` waits, and has added all of them.
    void (*mark)(shoal_device* device, double* seconds);
    void (*tally)(shoal_device* device);
    void (*memory)(const shoal_device* device, size_t* free, size_t* all, size_t* used); // bytes; used by this one
    void (*close)(shoal_device* device);
};

// "cpu" gives NULL; "mirror", and "mirror:N", which fails at its N-th call; "cuda", "cuda:N"; "auto": a card if there
// is one, else NULL. A sentence when it is not available.
shoal_status shoal_device_open(const char* name, shoal_device** out);
void         shoal_device_close(shoal_device* device); // may be NULL
shoal_status shoal_device_check(const shoal_device* device);
void         shoal_device_fail(shoal_device* device, shoal_status status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// How a card is opened: by the plugin that lies beside the library, or by what a program is linked with and names here.
typedef shoal_status (*shoal_cuda_open_fn)(int abi, int number, shoal_device** out, char* why, size_t size);
void shoal_device_plug(shoal_cuda_open_fn open);
// device_plugin.c: looks for libshoal_cuda.so beside the library and in SHOAL_PLUGINS; NULL: why says what is missing.
shoal_cuda_open_fn shoal_cuda_plugin(char* why, size_t size);

// Memory on a device, or on the heap where that is NULL.
void* shoal_far_alloc(shoal_device* device, size_t count, size_t size); // NULL: the last error is set
void  shoal_far_free(shoal_device* device, void* far);
// As shoal_realloc.
shoal_status shoal_far_realloc(shoal_device* device, void** far, size_t used, size_t count, size_t size);
const void*  shoal_far_copy(shoal_far* copy, shoal_device* device, const void* near, size_t bytes);
void         shoal_far_release(shoal_far* copy);
// A copy of `far` will be at `to` once all parcels are received. False: it could not be started; fetch instead.
bool         shoal_parcels_post(shoal_parcels* parcels, shoal_device* device, void* to, const void* far, size_t bytes);
shoal_status shoal_parcels_receive(shoal_parcels* parcels);     // waits for all of them, on any thread
void         shoal_parcels_drop(shoal_parcels* parcels);        // those that have not been received; frees the list
void* shoal_device_scratch(shoal_device* device, size_t bytes); // good until the next is asked for; NULL: no memory

#endif
