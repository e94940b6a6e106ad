// SPDX-License-Identifier: MIT
// What a folder of a run has lost.
#ifndef SHOAL_LOST_H
#define SHOAL_LOST_H

#include "base/memory.h"
#include "shoal/files.h"

// What a folder lacks that was written before, or what was changed.
typedef struct run_lost {
    int* frames; // [count] their numbers, rising
    int  count, capacity;
    int  row;             // frame of the first missing table row; -1: none
    char why[1024];       // the reason for the first lost frame
    char table[128];      // the first of the tables and the .pvd that is not as run.json tells; "": none
    bool is_list_damaged; // the .pvd is not
} run_lost;

// frames_verify.c: the frames that FOLDER/STEM.pvd lists, or those that are there where it is damaged, and that are not
// as they were written, and the first whose row of stats.csv tells of another number of particles; tables that are not
// as run.json tells. Reads them all.
shoal_status run_frames_verify(const char* folder, const char* stem, run_lost* out);

// run_tables.c: the tables alone; *fps as run.json has it, 0: it has none.
shoal_status run_tables_verify(const char* folder, const char* stem, double* fps, run_lost* out);

bool run_lost_is_any(const run_lost* lost);
bool run_lost_has_frame(const run_lost* lost, int frame);
void run_lost_tell(const run_lost* lost, shoal_text* out); // in words
void run_lost_free(run_lost* lost);

#endif
