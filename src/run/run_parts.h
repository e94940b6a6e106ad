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
    char        texts[SHOAL_SETS_MOST][SHOAL_FRAME_NAME_SIZE];
    const char* endings[SHOAL_SETS_MOST + 1]; // ".water.vtp" ..., in `texts`, ended by NULL
} run_parts;

// Which parts the frames of a scene have, and one of them as a simulation has it now.
void run_parts_name(const shoal_description* description, run_parts* out);
// `parcels`: what lies on a device is only posted; NULL: fetched.
shoal_status run_copy_part(const shoal_sim* sim, const shoal_part* part, double time, shoal_parcels* parcels,
                           shoal_frame** out);
// A part of points whose fields stay on a device of the caller, of the same card as that of the simulation; what frames
// have of them here is filled when it is asked for.
typedef struct run_far_part {
    struct shoal_device* device;
    struct run_far_part_field {
        const char* name;
        void *      far, *here;
        size_t      bytes;
    } fields[SHOAL_FRAME_FIELDS_MOST];
    int  count;
    bool is_here; // fetched
} run_far_part;
shoal_status run_far_part_make(const shoal_sim* sim, const shoal_part* part, double time, run_far_part* far_part,
                               shoal_frame** out);
shoal_status run_far_part_fetch(run_far_part* far_part);
const void*  run_far_part_find(const run_far_part* far_part, const char* name); // on the device; NULL: it is not there
void         run_far_part_free(run_far_part* far_part);

#endif
