// SPDX-License-Identifier: MIT
// Checkpoints on disk: the whole state of a run, with the scene it belongs to and a checksum over
// everything. Numbers are little endian:
//
//     0  "SHOALCKP"            8  u32 version, u32 flags (1: in the middle of a frame)
//    16  u64 hash of the scene 24 i64 frame   32 i64 substeps at the start of the frame under way
//    40  f64 time             48  i64 particles
//    56  u64 scene bytes      64  u64 state bytes    72 scene, state, u64 checksum of all before it
#ifndef SHOAL_CHECKPOINT_H
#define SHOAL_CHECKPOINT_H

#include "base/memory.h"

enum { SHOAL_CHECKPOINT_VERSION = 1 };

typedef struct shoal_checkpoint {
    uint64_t scene_hash;  // of `scene`
    int      frame;       // the last frame that was finished
    bool     is_mid;      // the state lies between `frame` and the next
    int64_t  frame_steps; // substeps since the start when the frame under way began
    double   time;        // s
    int64_t  particles;   // of a mesh its tetrahedra
    char*    scene;       // what may not change on resume, one "key = value" per line
    void*    state;       // from shoal_sim_save
    size_t   state_size;
} shoal_checkpoint;

shoal_status shoal_checkpoint_save(const shoal_checkpoint* checkpoint, const char* path);
// SHOAL_ERR_INPUT: damaged, cut short, or of another version; the text says which. `name` for
// messages.
shoal_status shoal_checkpoint_parse(const char* bytes, size_t size, const char* name, shoal_checkpoint* out);
shoal_status shoal_checkpoint_load(const char* path, shoal_checkpoint* out);
void         shoal_checkpoint_free(shoal_checkpoint* checkpoint); // what it holds, not itself

#endif
