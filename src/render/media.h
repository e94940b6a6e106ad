// SPDX-License-Identifier: MIT
// What a point is inside of: a set of looks, of which the one of highest rank fills the space, so
// that meshes may overlap [Schmidt & Budge, Simple Nested Dielectrics in Ray Traced Images, JGT
// 2002]. Water that is pressed a little into a glass ball ends at the ball, and the ray is bent
// once, from water to glass.
#ifndef SHOAL_RENDER_MEDIA_H
#define SHOAL_RENDER_MEDIA_H

#include "render/tracer.h"

enum { RENDER_MEDIA_MOST = 8 }; // deeper ones are not noticed

typedef struct render_media {
    int count;
    int appearances[RENDER_MEDIA_MOST];
} render_media;

static inline bool render_media_holds(const render_media* m, int appearance) {
    for (int k = 0; k < m->count; k++)
        if (m->appearances[k] == appearance) return true;
    return false;
}

static inline void render_media_enter(render_media* m, int appearance) {
    if (render_media_holds(m, appearance)) return;
    if (m->count < RENDER_MEDIA_MOST) m->appearances[m->count++] = appearance;
}

static inline void render_media_leave(render_media* m, int appearance) {
    for (int k = 0; k < m->count; k++)
        if (m->appearances[k] == appearance) m->appearances[k--] = m->appearances[--m->count];
}

// The look that fills the space; -1: air.
static inline int render_media_filling(const render_media* m, const render_appearance* appearances) {
    int best = -1;
    for (int k = 0; k < m->count; k++) {
        int appearance = m->appearances[k];
        if (best < 0 || appearances[appearance].rank > appearances[best].rank ||
            (appearances[appearance].rank == appearances[best].rank && appearance < best))
            best = appearance;
    }
    return best;
}

static inline float render_media_ior(int filling, const render_appearance* appearances) {
    return filling >= 0 ? appearances[filling].ior : 1.0f;
}

#endif
