// SPDX-License-Identifier: MIT
// The parts of a frame, one file each, and how a simulation has them now.
#ifndef SHOAL_RUN_PARTS_H
#define SHOAL_RUN_PARTS_H

#include "exec/device.h"
#include "io/frame_vtk.h"
#include "shoal/files.h"
#include "state/part.h"

// The files of a frame: NAME_000123 and one of these. A single part needs no name: ".vtp".
typedef struct run_parts {
    int         count;
    shoal_part  parts[SHOAL_SETS_MOST];
    char        rooms[SHOAL_SETS_MOST][SHOAL_FRAME_NAME_ROOM];
    const char* endings[SHOAL_SETS_MOST + 1]; // ".water.vtp" ..., in `rooms`, ended by NULL
} run_parts;

// Which parts the frames of a scene have, and one of them as a simulation has it now.
void run_parts_name(const shoal_description* description, run_parts* out);
// `parcels`: what lies on a device is only posted; NULL: fetched.
shoal_status run_copy_part(const shoal_sim* sim, const shoal_part* part, double time, shoal_parcels* parcels,
                           shoal_frame** out);
// A part of points whose fields stay on a device of the caller, of the same card as that of the simulation; what frames
// have of them here is filled when it is asked for.
typedef struct run_kept {
    struct shoal_device* device;
    struct run_kept_field {
        const char* name;
        void *      far, *here;
        size_t      bytes;
    } fields[SHOAL_FRAME_FIELDS_MOST];
    int  count;
    bool is_here; // fetched
} run_kept;
shoal_status run_keep_part(const shoal_sim* sim, const shoal_part* part, double time, run_kept* kept,
                           shoal_frame** out);
shoal_status run_kept_fetch(run_kept* kept);
const void*  run_kept_find(const run_kept* kept, const char* name); // on the device; NULL: it is not there
void         run_kept_free(run_kept* kept);

#endif
