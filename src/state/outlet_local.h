// SPDX-License-Identifier: MIT
// What the files of the outlet share.
#ifndef SHOAL_OUTLET_LOCAL_H
#define SHOAL_OUTLET_LOCAL_H

#include "state/outlet.h"
#include "state/settled.h"

typedef struct outlet_lines outlet_lines;

// Axes across and along the flow, and what the opening spans on them, about `origin`.
typedef struct outlet_frame {
    shoal_d3            u, w, along, origin;
    double              min[3], max[3]; // along u, w, along
    const outlet_lines* lines;          // of a mesh; NULL: the opening is something else
} outlet_frame;

shoal_d3 outlet_point(const outlet_frame* frame, double u, double w, double s);

bool outlet_disc_holds(const shoal_emitter* emitter, double u, double w);

enum { OUTLET_SPANS = 16 };
typedef struct outlet_span {
    double begin, end;
} outlet_span;

// Where a line along the flow is within the opening; their number. Steps are as long as the
// distance to the surface, but no shorter than `fine`.
int outlet_spans(const shoal_emitter* emitter, const outlet_frame* frame, double u, double w, double fine,
                 outlet_span spans[OUTLET_SPANS]);

// outlet_lines.c: the same by the triangles of a mesh, exactly; -1 where it is not closed. *out is NULL for other
// shapes.
shoal_status outlet_lines_make(const shoal_shape* shape, const outlet_frame* frame, outlet_lines** out);
void         outlet_lines_free(outlet_lines* lines); // may be NULL
int          outlet_lines_spans(const outlet_lines* lines, const outlet_frame* frame, double u, double w,
                                outlet_span spans[OUTLET_SPANS]);

typedef struct outlet_mouth {
    const shoal_world*   world;
    const shoal_emitter* emitter;
    outlet_frame         frame;
    double               d;    // distance of particles, m
    double               unit; // edge of the cube that has one of them, m
} outlet_mouth;

// outlet_walls.c: points that were cut out of a sample for the opening, in units of one, come to
// rest again where walls or still obstacles bound it, or where it goes all across a periodic
// domain.
shoal_status outlet_rest_at_walls(const outlet_mouth* mouth, double touch, shoal_settled* cut);

// The period of the domain along an axis of the opening that goes all across it, m; 0: none.
double outlet_period(const outlet_mouth* mouth, int axis);

// outlet_taper.c
shoal_status outlet_taper_make(const outlet_mouth* mouth, shoal_taper* out);

#endif
