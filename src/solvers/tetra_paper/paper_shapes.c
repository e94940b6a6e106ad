// SPDX-License-Identifier: MIT
// Shapes with a velocity: streams through the section that a shape has across it. A shape is kept full of liquid at the
// stream's velocity. What is behind it decides how more comes in: out of air, by its rear, which moves on and is laid
// anew; where a wall or liquid is behind it nothing can leave that, and the volume due comes into being within the
// first edge of a tetrahedron, as before a disc at a wall (paper_taps.c). Which of the two it is may differ from place
// to place, so rays along the stream look, and each has its fraction of the volume due.
#include "solvers/tetra_paper/paper_local.h"

#include "state/outlet.h"

#include <math.h>

// Rays along the stream, spread over the rectangle around the section: its parts are known to a hundredth.
enum { RAYS = 1024 };
#define RAY_FINE 0.002   // of its length, a ray's least step
#define BACK_LEAST 0.25  // the same of a path back to what is behind, in cells
#define NEAR_BEHIND 1.0  // a wall or liquid so near behind the shape is at it, in cells
#define SHAPE_LENGTH 1.5 // edges of tetrahedra that a shape is kept full of at least, as a nozzle is

// --- what follows from the scene, once

// Where a line from a place along the stream comes into the shape, and leaves it first; false: it misses it.
static bool find_ray(const shoal_shape* shape, shoal_d3 from, shoal_d3 way, double most, paper_ray* ray) {
    double gone = 0.0, rear = 0.0, fine = RAY_FINE * most;
    bool   is_in = false;
    while (gone < most) {
        shoal_d3 at  = shoal_d3_add(from, shoal_d3_scale(way, gone));
        double   off = shoal_shape_distance(shape, at);
        if (off >= 0.0 && is_in) break;
        if (off < 0.0 && !is_in) {
            rear  = fmax(0.0, gone + off);
            is_in = true;
        }
        gone = fmin(most, gone + fmax(fabs(off), fine));
    }
    *ray = (paper_ray){shoal_d3_add(from, shoal_d3_scale(way, rear)), gone - rear};
    return is_in;
}

// Rays over the rectangle around the section, by the golden section, as shoal_opening_area has them.
static void lay_rays(paper_opening* opening, const shoal_shape* shape, shoal_box box) {
    shoal_d3 axes[3];
    double   min[3], size[3];
    shoal_across(opening->way, &axes[0], &axes[1]);
    axes[2] = opening->way;
    for (int a = 0; a < 3; a++) {
        double max = (double)-INFINITY;
        min[a]     = (double)INFINITY;
        for (int corner = 0; corner < 8; corner++) {
            shoal_d3 p = shoal_d3_make(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                                       corner & 4 ? box.max.z : box.min.z);
            min[a] = fmin(min[a], shoal_d3_dot(p, axes[a]));
            max    = fmax(max, shoal_d3_dot(p, axes[a]));
        }
        size[a] = max - min[a];
    }
    for (int k = 0; k < RAYS; k++) {
        paper_ray* ray  = &opening->rays[opening->ray_count];
        double     turn = (k + 0.5) * 0.6180339887498949, u = min[0] + (turn - floor(turn)) * size[0],
               w      = min[1] + (k + 0.5) / RAYS * size[1];
        shoal_d3 from = shoal_d3_add(shoal_d3_scale(axes[0], u), shoal_d3_scale(axes[1], w));
        from          = shoal_d3_add(from, shoal_d3_scale(axes[2], min[2]));
        if (!find_ray(shape, from, opening->way, size[2], ray)) continue;
        opening->ray_count++;
        opening->longest = fmax(opening->longest, ray->length);
        opening->mean += (ray->length - opening->mean) / opening->ray_count;
    }
}

shoal_status paper_lay_stream(paper* s, int emitter) {
    const shoal_emitter* e       = &s->ctx->description->emitters[emitter];
    paper_opening*       opening = &s->openings[emitter];
    if (!shoal_is_stream(e)) return SHOAL_OK;
    opening->section = shoal_opening_area(&s->ctx->description->domain, e);
    if (e->kind != SHOAL_EMIT_SHAPE) return SHOAL_OK;
    shoal_box box = shoal_box_common(shoal_shape_bounds(e->shape), s->extent);
    opening->way  = shoal_d3_scale(shoal_d3_from(e->velocity), 1.0 / (double)shoal_v3_length(e->velocity));
    if (isinf(opening->section)) opening->section = 0.0;
    if (shoal_box_is_empty(box) || !(opening->section > 0.0)) return SHOAL_OK;
    opening->rays = shoal_alloc(RAYS, sizeof *opening->rays);
    if (!opening->rays) return SHOAL_ERR_MEMORY;
    lay_rays(opening, e->shape, box);
    return SHOAL_OK;
}

// --- in a step

// The distance to the shape, moved on along the stream where that makes it longer.
static double off_swept(const paper* s, int emitter, shoal_d3 at) {
    const shoal_shape*  shape = s->ctx->description->emitters[emitter].shape;
    const paper_nozzle* n     = &s->nozzles[emitter];
    double              off   = shoal_shape_distance(shape, at);
    for (int k = 1; k <= n->copies; k++)
        off =
            fmin(off, shoal_shape_distance(shape, shoal_d3_sub(at, shoal_d3_scale(n->way, n->longer * k / n->copies))));
    return off;
}

static bool is_solid(const paper* s, shoal_d3 at) { return s->solids.distance(s->solids.ctx, at, NULL) <= 0.0; }

// Whether nothing can leave what is behind a place at the rear: a solid, or liquid.
static bool is_closed_at(const paper* s, shoal_d3 rear, shoal_d3 way) {
    shoal_d3 behind = shoal_d3_sub(rear, shoal_d3_scale(way, NEAR_BEHIND * 0.5 * s->step));
    return is_solid(s, behind) || shoal_band_distance(&shoal_tet_current(&s->liquid)->band, behind) < 0.0;
}

// How far before such a rear a place in the shape is, if no farther than `most`.
static bool is_before_closed(const paper* s, int emitter, shoal_d3 at, double most, double* ahead) {
    const paper_nozzle* n    = &s->nozzles[emitter];
    double              cell = 0.5 * s->step;
    for (double gone = 0.0; gone <= most;) {
        shoal_d3 back  = shoal_d3_sub(at, shoal_d3_scale(n->way, gone));
        double   solid = s->solids.distance(s->solids.ctx, back, NULL), off = off_swept(s, emitter, back);
        *ahead = fmax(0.0, gone + fmin(solid, -off));
        if (solid <= 0.0) return true;
        if (off >= 0.0) return is_closed_at(s, back, n->way);
        gone += fmax(fmin(solid, -off), BACK_LEAST * cell);
    }
    return false;
}

double paper_off_stream(const paper* s, int emitter, shoal_d3 at) {
    const paper_nozzle* n   = &s->nozzles[emitter];
    double              off = off_swept(s, emitter, at), cell = 0.5 * s->step;
    if (!(n->front > n->rear)) return 1e30;
    if (off > 2.0 * s->step) return off;
    if (n->source > 0.0 && off >= 0.0 && off < 2.0 * NEAR_BEHIND * cell) { // it goes on to the wall, and a cell into it
        shoal_d3 way   = shoal_d3_scale(n->way, NEAR_BEHIND * cell);
        double   ahead = off_swept(s, emitter, shoal_d3_add(at, way));
        if (ahead < 0.0 && is_solid(s, shoal_d3_sub(at, way))) off = ahead;
    }
    double ahead = shoal_d3_dot(shoal_d3_sub(at, n->at), n->way);
    off          = fmax(off, ahead - n->front);
    return n->rear > 0.0 ? fmax(off, n->rear - ahead) : off;
}

bool paper_is_in_stream_source(const paper* s, int emitter, shoal_d3 at) {
    const paper_nozzle* n = &s->nozzles[emitter];
    double              ahead;
    return n->source > 0.0 && shoal_box_holds(s->boxes[emitter], at) && paper_off_stream(s, emitter, at) < 0.0 &&
           is_before_closed(s, emitter, at, n->source, &ahead);
}

double paper_stream_rise(const paper* s, int emitter, shoal_d3 at) {
    const paper_nozzle* n = &s->nozzles[emitter];
    double              ahead;
    return n->source > 0.0 && is_before_closed(s, emitter, at, n->source, &ahead) ? fmin(1.0, ahead / n->source) : 1.0;
}

paper_rear paper_find_rear(const paper* s, int emitter) {
    const paper_opening* o    = &s->openings[emitter];
    double               cell = 0.5 * s->step, first = (double)INFINITY;
    paper_rear           found = {0};
    for (int k = 0; k < o->ray_count; k++) {
        const paper_ray* ray  = &o->rays[k];
        shoal_d3         at   = ray->rear;
        double           gone = 0.0, off = s->solids.distance(s->solids.ctx, at, NULL);
        while (off <= 0.0 && gone < ray->length) { // a ray may come out of a solid within the shape
            gone += fmax(-off, BACK_LEAST * cell);
            at  = shoal_d3_add(ray->rear, shoal_d3_scale(o->way, gone));
            off = s->solids.distance(s->solids.ctx, at, NULL);
        }
        if (off <= 0.0) continue;
        shoal_d3 end = shoal_d3_add(ray->rear, shoal_d3_scale(o->way, fmax(gone, ray->length - 0.5 * cell)));
        found.open += 1.0 / o->ray_count;
        if (gone > 0.0 || is_closed_at(s, at, o->way)) found.closed += 1.0 / o->ray_count;
        if (shoal_band_distance(&shoal_tet_current(&s->liquid)->band, end) < 0.0) found.wet += 1.0 / o->ray_count;
        if (shoal_d3_dot(at, o->way) < first) found.rear = at, first = shoal_d3_dot(at, o->way);
    }
    return found;
}
