// SPDX-License-Identifier: MIT
// From the tree of a shape to its tape.
#include "geom/shape_local.h"

#include <string.h>

static size_t samples_of(const shoal_shape* s) { return (size_t)s->sdf->nx * (size_t)s->sdf->ny * (size_t)s->sdf->nz; }

// Nodes and samples of a shape and all below it.
static void size_of(const shoal_shape* s, size_t* nodes, size_t* samples) {
    (*nodes)++;
    if (s->kind == SHOAL_SHAPE_MESH) *samples += samples_of(s);
    if (s->kind == SHOAL_SHAPE_PLACED) size_of(s->placed.child, nodes, samples);
    if (s->kind != SHOAL_SHAPE_COMBINED) return;
    *nodes += (size_t)s->combined.join_count;
    for (int i = 0; i < s->combined.count; i++) size_of(s->combined.children[i], nodes, samples);
}

size_t shoal_shape_tape_bytes(const shoal_shape* shape) {
    size_t nodes = 0, samples = 0;
    size_of(shape, &nodes, &samples);
    return sizeof(shoal_tape) + nodes * sizeof(shoal_tape_node) + (samples + samples % 2) * sizeof(float);
}

typedef struct layout_job {
    shoal_tape*      tape;
    shoal_tape_node* node;   // the next one
    float*           sample; // the next one
} layout_job;

static void lay_leaf(layout_job* w, const shoal_shape* s, shoal_tape_node* n) {
    if (s->kind != SHOAL_SHAPE_MESH) {
        n->primitive = s->primitive;
        return;
    }
    const shoal_sdf* f = s->sdf;
    n->mesh.grid       = (shoal_distances){f->nx, f->ny, f->nz, f->origin, f->cell};
    n->mesh.samples    = (size_t)((char*)w->sample - (char*)w->tape);
    memcpy(w->sample, f->values, samples_of(s) * sizeof *w->sample);
    w->sample += samples_of(s);
}

static void lay(layout_job* w, const shoal_shape* s) {
    shoal_tape_node* n = w->node++;
    n->kind            = s->kind;
    if (s->kind == SHOAL_SHAPE_PLACED) {
        const placement* p = &s->placed;
        n->placed.scale    = p->scale;
        n->placed.least    = p->least;
        n->placed.rotation = p->rotation;
        n->placed.at       = p->at;
        lay(w, p->child);
    } else if (s->kind == SHOAL_SHAPE_COMBINED) {
        const combination* c = &s->combined;
        n->combined.how      = c->how;
        n->combined.count    = c->count;
        n->combined.joins    = c->join_count;
        n->combined.near     = c->near;
        for (int i = 0; i < c->count; i++) lay(w, c->children[i]);
        for (int k = 0; k < c->join_count; k++, w->node++) {
            w->node->kind          = SHOAL_SHAPE_BOX;
            w->node->primitive.box = c->joins[k];
        }
    } else {
        lay_leaf(w, s, n);
    }
}

void shoal_shape_tape(const shoal_shape* shape, shoal_tape* to) {
    size_t nodes = 0, samples = 0;
    size_of(shape, &nodes, &samples);
    to->bytes              = shoal_shape_tape_bytes(shape);
    to->bounds             = shape->bounds;
    shoal_tape_node* first = (shoal_tape_node*)(void*)(to + 1);
    layout_job       w     = {to, first, (float*)(void*)(first + nodes)};
    lay(&w, shape);
}
