// SPDX-License-Identifier: MIT
// Which device, its faults, and memory there or on the heap.
#include "exec/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/device_local.h"

static shoal_cuda_open_fn plugged;

void shoal_device_plug(shoal_cuda_open_fn open) { plugged = open; }

// The number after "NAME:", or `none` without one; -1: it is none.
static long number_after(const char* name, size_t length, long none) {
    char* end;
    if (name[length] == '\0') return none;
    long number = strtol(name + length + 1, &end, 10);
    return name[length] == ':' && name[length + 1] != '\0' && *end == '\0' && number >= 0 ? number : -1;
}

static shoal_status open_cuda(long number, shoal_device** out) {
    char               why[256] = "";
    shoal_cuda_open_fn open     = plugged ? plugged : shoal_cuda_plugin(why, sizeof why);
    if (open && open(SHOAL_DEVICE_ABI, (int)number, out, why, sizeof why) == SHOAL_OK) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_PARAM, "device cuda:%ld is not available: %s; --device cpu does without", number, why);
}

shoal_status shoal_device_open(const char* name, shoal_device** out) {
    *out = NULL;
    if (strcmp(name, "cpu") == 0) return SHOAL_OK;
    if (strcmp(name, "auto") == 0) {
        if (open_cuda(0, out) != SHOAL_OK) *out = NULL;
        return SHOAL_OK;
    }
    bool is_mirror = strncmp(name, "mirror", 6) == 0;
    long number    = is_mirror || strncmp(name, "cuda", 4) == 0 ? number_after(name, is_mirror ? 6 : 4, 0) : -1;
    if (number < 0 || number > 1000000000)
        return shoal_fail(SHOAL_ERR_PARAM, "unknown device '%.40s'; there are cpu, cuda, cuda:N, mirror, auto", name);
    return is_mirror ? shoal_mirror_open(number, out) : open_cuda(number, out);
}

bool shoal_device_tell(const char* name, char* out, size_t size) {
    shoal_device* device;
    size_t        free = 0, all = 0, used = 0;
    bool          is_there = shoal_device_open(name, &device) == SHOAL_OK;
    if (!is_there) {
        snprintf(out, size, "%s", shoal_last_error());
    } else if (!device) {
        snprintf(out, size, "device cpu");
    } else {
        device->memory(device, &free, &all, &used);
        snprintf(out, size, "device %s, %.1f of %.1f GB free", device->name, 1e-9 * (double)free, 1e-9 * (double)all);
    }
    shoal_device_close(is_there ? device : NULL);
    return is_there;
}

void shoal_device_close(shoal_device* device) {
    if (!device) return;
    shoal_far_release(&device->scratch);
    device->close(device);
}

void shoal_device_fail(shoal_device* device, shoal_status status, const char* format, ...) {
    if (device->status != SHOAL_OK) return; // what follows from the first
    va_list args;
    va_start(args, format);
    vsnprintf(device->why, sizeof device->why, format, args);
    va_end(args);
    device->status = status;
}

shoal_status shoal_device_check(const shoal_device* device) {
    if (!device || device->status == SHOAL_OK) return SHOAL_OK;
    return shoal_fail(device->status, "device %s: %s", device->name, device->why);
}

// ---------------------------------------------------------------------------------- memory

void* shoal_far_alloc(shoal_device* device, size_t count, size_t size) {
    if (!device) return shoal_alloc(count, size);
    size_t bytes, free = 0, all = 0, used = 0;
    void*  far = !__builtin_mul_overflow(count, size, &bytes) ? device->alloc(device, bytes + 64) : NULL;
    if (far || shoal_device_check(device) != SHOAL_OK) return far; // it was not for want of room
    device->memory(device, &free, &all, &used);
    shoal_fail(SHOAL_ERR_MEMORY, "device %s: %.3f GB are wanted, and %.3f of %.3f GB are free", device->name,
               1e-9 * (double)count * (double)size, 1e-9 * (double)free, 1e-9 * (double)all);
    return NULL;
}

void shoal_far_free(shoal_device* device, void* far) {
    if (!device)
        shoal_free(far);
    else if (far)
        device->free(device, far);
}

shoal_status shoal_far_realloc(shoal_device* device, void** far, size_t used, size_t count, size_t size) {
    if (!device) return shoal_realloc(far, used, count, size);
    if (used == 0) shoal_far_free(device, *far), *far = NULL; // first: both may not fit
    void* larger = shoal_far_alloc(device, count, size);
    if (!larger) return SHOAL_ERR_MEMORY;
    if (used > 0) device->copy(device, larger, *far, used * size);
    shoal_far_free(device, *far);
    *far = larger;
    return SHOAL_OK;
}

static void* reserve(shoal_far* copy, shoal_device* device, size_t bytes) {
    if (copy->device == device && copy->capacity >= bytes) return copy->far;
    shoal_far_release(copy);
    copy->device = device;
    copy->far    = shoal_far_alloc(device, 1, bytes);
    copy->sent   = shoal_alloc(1, bytes);
    if (!copy->far || !copy->sent) {
        shoal_device_fail(device, SHOAL_ERR_MEMORY, "%s", shoal_last_error());
        return NULL;
    }
    copy->capacity = bytes;
    return copy->far;
}

const void* shoal_far_copy(shoal_far* copy, shoal_device* device, const void* near, size_t bytes) {
    if (!device) return near;
    bool  is_new = copy->device != device || copy->capacity < bytes;
    void* far    = reserve(copy, device, bytes);
    if (!far || (!is_new && memcmp(copy->sent, near, bytes) == 0)) return far;
    memcpy(copy->sent, near, bytes);
    device->send(device, far, near, bytes);
    return far;
}

void* shoal_device_scratch(shoal_device* device, size_t bytes) { return reserve(&device->scratch, device, bytes); }

void shoal_far_release(shoal_far* copy) {
    if (copy->device) shoal_far_free(copy->device, copy->far);
    shoal_free(copy->sent);
    *copy = (shoal_far){0};
}

// ---------------------------------------------------------------------------------- on their way

bool shoal_parcels_post(shoal_parcels* parcels, shoal_device* device, void* to, const void* far, size_t bytes) {
    if (shoal_reserve((void**)&parcels->items, &parcels->capacity, parcels->count + 1, sizeof *parcels->items))
        return false;
    shoal_parcel* parcel = device->post(device, far, bytes);
    if (parcel) parcels->items[parcels->count++] = (struct shoal_posted){device, parcel, to};
    return parcel != NULL;
}

shoal_status shoal_parcels_receive(shoal_parcels* parcels) {
    bool is_whole = true;
    for (int k = 0; k < parcels->count; k++) {
        const struct shoal_posted* p = &parcels->items[k];
        is_whole &= p->device->receive(p->device, p->parcel, p->to);
    }
    parcels->count = 0;
    return is_whole ? SHOAL_OK : shoal_fail(SHOAL_ERR_INTERNAL, "the device lost what was on its way here");
}

void shoal_parcels_drop(shoal_parcels* parcels) {
    for (int k = 0; k < parcels->count; k++) {
        const struct shoal_posted* p = &parcels->items[k];
        p->device->receive(p->device, p->parcel, NULL);
    }
    shoal_free(parcels->items);
    *parcels = (shoal_parcels){0};
}
