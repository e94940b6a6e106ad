// SPDX-License-Identifier: MIT
// The opening of a stream as others meet it: it keeps out what is no part of its stream, as the end of a pipe would.
#include "sim/stream_local.h"

// How far the pressure of all that falls and moves in the scene pushes what is in an opening, two
// spacings long, in a substep: that is borne as by a pump, and does not block the way. No pressure
// over density is more than the energy per kilogram that anything can have got (Bernoulli), which
// the watch knows.
double sim_borne_by(const sim_hold_job* h, double spacing) {
    return h->sim->watch.given * h->dt * h->dt / (2.0 * spacing);
}

// An opening that keeps out what is no part of its stream: which way is out of it, how deep something is in its margin,
// and how far the hold of a substep puts that out at most.
typedef struct barrier {
    shoal_d3 normal, against; // and the velocity against the tap's own
    double   depth, most;     // m
} barrier;

static bool is_on(const sim_hold_job* h, int e) {
    const shoal_emitter* emitter = &h->sim->description->emitters[e];
    return h->sim->emission->outlets[e].count > 0 && h->now > emitter->from && h->now < emitter->until;
}

// What is within as a stream begins, of its own material, is a part of it.
static bool takes_over(const sim_hold_job* h, int e, int i) {
    const shoal_emitter* emitter = &h->sim->description->emitters[e];
    const shoal_outlet*  outlet  = &h->sim->emission->outlets[e];
    shoal_d3             at      = sim_own_place(emitter, &h->sim->emission->end[e], h->position[i]), normal;
    double               depth;
    if (h->material[i] != emitter->material || h->now - h->dt > emitter->from || !shoal_box_holds(outlet->box, at))
        return false;
    return shoal_outlet_way_out(emitter, outlet->along, h->sim->emission->held, 0.0, at, &normal, &depth);
}

// Whether the stream pushes one ahead of it, out of its opening: what is of another material than its own, unless the
// shortest way out is to one side, and that does not lead into a solid, nor by a periodic wall into the opening again.
static bool is_pushed_ahead(const sim_hold_job* h, int e, int i, const barrier* b) {
    const shoal_emitter*     emitter = &h->sim->description->emitters[e];
    const shoal_outlet*      outlet  = &h->sim->emission->outlets[e];
    const shoal_motion_pose* pose    = &h->sim->emission->end[e];
    if (h->material[i] == emitter->material) return false;
    if (shoal_d3_dot(b->normal, sim_turned(emitter, pose, outlet->along)) > 1e-6) return true;
    shoal_v3 out = shoal_v3_add_scaled(h->position[i], shoal_v3_from(b->normal), (float)b->depth);
    shoal_d3 normal;
    double   depth, spacing = shoal_spacing_of(h->sim->description, emitter->material);
    return !shoal_place_exists(h->sim->world, SIM_BESIDE * spacing, false, &out) ||
           shoal_outlet_way_out(emitter, outlet->along, h->sim->emission->held, 0.0, sim_own_place(emitter, pose, out),
                                &normal, &depth);
}

// Whether one is put out: it is in an opening, or within `margin` of it, and does not go along with its stream.
// `at_end`: as the substep ends. What the stream pushes ahead of it is asked for the speed of that before, too, or what
// lies above presses it back as soon as it goes along.
static bool is_barred(const sim_hold_job* h, int e, int i, double margin, bool at_end, barrier* b) {
    const shoal_emitter*     emitter = &h->sim->description->emitters[e];
    const shoal_outlet*      outlet  = &h->sim->emission->outlets[e];
    const shoal_motion_pose* pose    = &h->sim->emission->end[e];
    double   held = h->sim->emission->held, spacing = shoal_spacing_of(h->sim->description, emitter->material);
    shoal_v3 place = h->position[i];
    shoal_d3 at    = sim_own_place(emitter, pose, place), normal;
    if (!shoal_box_holds(shoal_box_grown(outlet->box, margin), at)) return false;
    bool is_within = shoal_outlet_way_out(emitter, outlet->along, held, 0.0, at, &normal, &b->depth);
    if (!shoal_outlet_way_out(emitter, outlet->along, held, margin, at, &normal, &b->depth)) return false;
    shoal_d3 tap = shoal_d3_make(0.0, 0.0, 0.0); // its own velocity here
    if (emitter->key_count > 0) tap = shoal_motion_velocity(pose, shoal_d3_from(place));
    b->against     = shoal_d3_sub(shoal_d3_from(h->velocity[i]), tap);
    shoal_d3 ahead = sim_turned(emitter, pose, outlet->along);
    double   speed = (double)shoal_v3_length(emitter->velocity), way = (speed + shoal_d3_length(tap)) * h->dt;
    bool     is_ahead = shoal_d3_dot(normal, outlet->along) > 1e-6; // where the stream comes out
    double   along    = shoal_d3_dot(b->against, ahead);
    b->most           = way + sim_borne_by(h, spacing);
    b->normal         = sim_turned(emitter, pose, normal);
    bool is_pushed    = is_within && is_pushed_ahead(h, e, i, b);
    if ((is_within || is_ahead) && along > 0.5 * speed && (at_end || !is_pushed)) return false; // it goes along
    if (is_pushed) {
        b->most   = way + fmax(-along, 0.0) * h->dt;
        b->normal = ahead;
        b->depth  = shoal_outlet_way_left(emitter, outlet->along, held, at, b->most);
    }
    return true;
}

static double margin_of(const sim_hold_job* h, int e) {
    return SHOAL_FREE_FRACTION * shoal_spacing_of(h->sim->description, h->sim->description->emitters[e].material);
}

void sim_meet_stranger(const sim_hold_job* h, int i) {
    const shoal_description* d = h->sim->description;
    for (int e = 0; e < d->emitter_count && h->holder[i] == 0; e++) {
        const shoal_emitter* emitter = &d->emitters[e];
        barrier              b;
        if (!is_on(h, e)) continue;
        if (takes_over(h, e, i)) {
            h->holder[i] = (uint8_t)(e + 1);
            continue;
        }
        if (!is_barred(h, e, i, margin_of(h, e), true, &b)) continue;
        shoal_v3 n    = shoal_v3_from(b.normal),
                 home = shoal_v3_from(
                     shoal_d3_add(shoal_d3_from(h->position[i]), shoal_d3_scale(b.normal, fmin(b.depth, b.most))));
        float in = shoal_v3_dot(shoal_v3_from(b.against), n);
        if (!shoal_place_exists(h->sim->world, SIM_BESIDE * shoal_spacing_of(d, emitter->material), false, &home))
            continue;
        h->position[i] = home;
        if (in < 0.0f) h->velocity[i] = shoal_v3_add_scaled(h->velocity[i], n, -in);
    }
}

// Whether one is before the mouth of an opening: nothing goes back into it, nor nearer to it than half a spacing, as
// particles lie at a wall. `hold` puts back on the mouth what has got in, so what moves as if there were room would be
// put on the same place in each substep, together with those that are there.
static bool is_before_mouth(const sim_hold_job* h, int e, shoal_v3 place, double beyond, barrier* b) {
    const shoal_emitter*     emitter = &h->sim->description->emitters[e];
    const shoal_outlet*      outlet  = &h->sim->emission->outlets[e];
    const shoal_motion_pose* pose    = &h->sim->emission->end[e];
    shoal_d3                 at      = sim_own_place(emitter, pose, place);
    double                   way;
    if (!shoal_box_holds(shoal_box_grown(outlet->box, beyond), at) ||
        !shoal_outlet_way_back(emitter, outlet->along, h->sim->emission->held, at, beyond, &way))
        return false;
    b->normal = sim_turned(emitter, pose, outlet->along);
    // what has just been let go is nearer, and stays
    b->depth = b->most = -fmax(way - SHOAL_CLEARANCE * h->sim->description->spacing, 0.0);
    return true;
}

// An opening that keeps item i out, or would within `beyond`; of that the depth is below 0.
static bool is_near_barrier(const sim_hold_job* h, int e, int i, double beyond, barrier* b) {
    const double margin = margin_of(h, e);
    if (is_barred(h, e, i, margin, false, b)) return true;
    if (is_before_mouth(h, e, h->position[i], beyond, b)) return true;
    if (!is_barred(h, e, i, margin + beyond, false, b)) return false;
    b->depth -= beyond;
    return true;
}

shoal_v4 sim_bar_of(const sim_hold_job* h, int i, double beyond) {
    shoal_v4 bar   = {0.0f, 0.0f, 0.0f, 0.0f};
    double   least = beyond;
    for (int e = 0; e < h->sim->description->emitter_count && h->holder[i] == 0; e++) {
        barrier b;
        if (!is_on(h, e) || takes_over(h, e, i) || !is_near_barrier(h, e, i, beyond, &b)) continue;
        double off = -fmin(b.depth, b.most);
        if (off >= least) continue;
        least = off;
        shoal_v4_set(&bar, shoal_v3_from(b.normal));
        bar.w = (float)off;
    }
    return bar;
}
