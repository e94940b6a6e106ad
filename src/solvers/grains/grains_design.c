// SPDX-License-Identifier: MIT
// Numbers of the contact law from physics: stiffness from the overlap that is allowed, damping from the restitution, the
// step from the time of a contact.
#include "solvers/grains/grains_local.h"

#include "base/hash.h"

double grains_mass(const shoal_material* material, double radius) {
    double solid = material->kind == SHOAL_GRANULAR ? (double)material->density / (double)material->packing
                                                    : (double)material->density;
    return solid * 4.0 / 3.0 * SHOAL_PI * radius * radius * radius;
}

float grains_radius(const shoal_description* description, const grains_params* params, int32_t id) {
    enum { STREAM = 0x67726169 };
    double u = 2.0 * shoal_random(description->seed, STREAM, (uint64_t)id) - 1.0;
    return (float)(0.5 * description->spacing * (1.0 + (double)params->spread * u));
}

// ---------------------------------------------------------------------------------- restitution

// Two grains meet head-on with m* = k = 1 and speed 1, in the substeps of the solver; the contact begins somewhere within a
// substep, so four of its parts are averaged.
double grains_restitution(double zeta, double steps) {
    const int parts = 4;
    double    dt = SHOAL_PI / steps, sum = 0.0;
    for (int part = 0; part < parts; part++) {
        double speed = 1.0, overlap = (part + 0.5) / parts * dt;
        for (int k = 0; k < (int)(100.0 * steps) && overlap > 0.0; k++) {
            speed -= dt * fmax(overlap + 2.0 * zeta * speed, 0.0);
            overlap += dt * speed;
        }
        sum += fmax(-speed, 0.0);
    }
    return sum / parts;
}

double grains_zeta(double restitution, double steps) {
    double low = 0.0, high = 4.0;
    for (int k = 0; k < 50; k++) {
        double middle = 0.5 * (low + high);
        if (grains_restitution(middle, steps) > restitution) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

// ---------------------------------------------------------------------------------- heights and speeds

typedef struct extent {
    double low, high;   // of everything along gravity, m
    double deepest;     // highest body of sand, m
    double under;       // and of water, m
    double fastest;     // m/s
} extent;

static void extend(extent* e, const shoal_description* description, shoal_d3 p) {
    double g = shoal_d3_length(description->gravity);
    double y = g > 0.0 ? -shoal_d3_dot(description->gravity, p) / g : 0.0;
    e->low   = fmin(e->low, y);
    e->high  = fmax(e->high, y);
}

static void extend_box(extent* e, const shoal_description* description, shoal_box box) {
    extent own = {(double)INFINITY, (double)-INFINITY, 0.0, 0.0, 0.0};
    for (int corner = 0; corner < 8; corner++)
        extend(&own, description,
               shoal_d3_make(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                             corner & 4 ? box.max.z : box.min.z));
    if (!(own.high - own.low < 1e20)) return;
    e->low     = fmin(e->low, own.low);
    e->high    = fmax(e->high, own.high);
    e->deepest = fmax(e->deepest, own.high - own.low);
}

static double obstacle_speed(const shoal_obstacle* obstacle) {
    double fastest = 0.0;
    shoal_box box  = shoal_shape_bounds(obstacle->shape);
    double    size = fmax(shoal_d3_length(box.min), shoal_d3_length(box.max));
    for (int k = 0; k + 1 < obstacle->key_count; k++) {
        const shoal_motion_key *a = &obstacle->keys[k], *b = a + 1;
        double rate  = 1.0 / (b->t - a->t);
        double turn  = fabs(b->degrees - a->degrees) * (SHOAL_PI / 180.0) * (size < 1e6 ? size : 0.0);
        fastest      = fmax(fastest, (shoal_d3_length(shoal_d3_sub(b->at, a->at)) + turn) * rate);
    }
    return fastest;
}

static extent extent_of(const shoal_description* d) {
    extent e = {(double)INFINITY, (double)-INFINITY, 0.0, 0.0, 0.0}, water = e;
    for (int b = 0; b < d->body_count; b++) {
        const shoal_body* body = &d->bodies[b];
        if (d->materials[body->material].kind == SHOAL_LIQUID) { // lies on grains, but does not fall on them as one does
            extend_box(&water, d, shoal_shape_bounds(body->shape));
            e.under = water.deepest;
            continue;
        }
        shoal_box         box  = shoal_shape_bounds(body->shape);
        double half = 0.5 * shoal_d3_length(shoal_d3_sub(box.max, box.min));
        extend_box(&e, d, box);
        e.fastest = fmax(e.fastest, (double)shoal_v3_length(body->velocity) + half * (double)shoal_v3_length(body->spin));
    }
    for (int k = 0; k < d->emitter_count; k++) {
        const shoal_emitter* emitter = &d->emitters[k];
        if (d->materials[emitter->material].kind == SHOAL_LIQUID) continue;
        e.fastest = fmax(e.fastest, (double)shoal_v3_length(emitter->velocity));
        double deepest = e.deepest; // what comes in is not as deep as where it comes from
        if (emitter->kind == SHOAL_EMIT_DISC) extend(&e, d, emitter->at);
        else if (emitter->kind == SHOAL_EMIT_SHAPE) extend_box(&e, d, shoal_shape_bounds(emitter->shape));
        else extend(&e, d, emitter->min), extend(&e, d, emitter->max);
        e.deepest = deepest;
    }
    for (int k = 0; k < d->obstacle_count; k++) e.fastest = fmax(e.fastest, obstacle_speed(&d->obstacles[k]));
    if (!(e.high > e.low)) e.low = e.high = 0.0;
    if (d->domain.is_given && d->domain.walls[SHOAL_BOTTOM].kind != SHOAL_WALL_OPEN &&
        d->domain.walls[SHOAL_BOTTOM].kind != SHOAL_WALL_PERIODIC)
        extend(&e, d, d->domain.min);
    return e;
}

// ---------------------------------------------------------------------------------- the design

// Masses of the lightest and the heaviest grain, and the greatest bulk density, over the granular materials.
static void masses_of(const shoal_description* d, const grains_params* p, double radius, double* lightest, double* heaviest,
                      double* bulk) {
    *lightest = (double)INFINITY, *heaviest = 0.0, *bulk = 0.0;
    for (int m = 0; m < d->material_count; m++) {
        const shoal_material* material = &d->materials[m];
        if (material->kind != SHOAL_GRANULAR) continue;
        *lightest = fmin(*lightest, grains_mass(material, radius * (1.0 - (double)p->spread)));
        *heaviest = fmax(*heaviest, grains_mass(material, radius * (1.0 + (double)p->spread)));
        *bulk     = fmax(*bulk, (double)material->density);
    }
    if (*heaviest > 0.0) return;
    *lightest = *heaviest = 4.0 / 3.0 * SHOAL_PI * radius * radius * radius * 2650.0;
    *bulk                 = 1590.0;
}

grains_design grains_design_make(const shoal_description* d, const grains_params* p) {
    grains_design out = {.radius = 0.5 * d->spacing};
    double        bulk, diameter = d->spacing, g = shoal_d3_length(d->gravity);
    masses_of(d, p, out.radius, &out.lightest, &out.heaviest, &bulk);
    for (int m = 0; m < d->material_count; m++)
        out.is_wet = out.is_wet || d->materials[m].wetness > 0.0f || d->materials[m].kind == SHOAL_LIQUID;
    extent e   = extent_of(d);
    out.impact = p->impact_speed > 0.0f ? (double)p->impact_speed
                                        : sqrt(e.fastest * e.fastest + 2.0 * g * fmax(e.high - e.low, diameter));
    // a grain dropped from its own height must be stopped too
    out.impact   = fmax(out.impact, 1e-3 * sqrt(fmax(g, 1e-6) * diameter));
    // of one column of grains, with the water on it, N
    double load  = (bulk * fmax(e.deepest, diameter) + grains_liquid_density(d) * e.under) * g * diameter * diameter;
    double allow = (double)p->max_overlap * diameter;
    double stiff = fmax(0.5 * out.heaviest * pow(out.impact / allow, 2.0), load / (0.25 * allow)) / (double)p->softness;
    out.stiffness      = p->stiffness > 0.0f ? (double)p->stiffness / (double)p->softness : stiff;
    out.overlap_impact = out.impact * sqrt(0.5 * out.heaviest / out.stiffness) / diameter;
    out.overlap_rest   = load / out.stiffness / diameter;

    // the step, and the damping that gives the restitution in such steps to two mean grains
    double mean      = 0.5 * (out.lightest + out.heaviest), fastest = sqrt(8.0 * out.stiffness / out.lightest);
    out.contact_time = SHOAL_PI * sqrt(0.5 * out.lightest / out.stiffness);
    out.dt           = out.contact_time / (double)p->steps_per_contact;
    for (int k = 0; k < 4; k++) {
        out.zeta = grains_zeta((double)p->restitution, SHOAL_PI * sqrt(0.5 * mean / out.stiffness) / out.dt);
        // stability of a dense pack: the fastest mode of twelve contacts each, damped twice as much as a pair
        // and as much more as wetness thickens it
        double packed = 2.0 * out.zeta * (out.is_wet ? 1.0 + 2.0 * (double)p->wet_max : 1.0), stable = 2.0 / fastest * (sqrt(1.0 + packed * packed) - packed);
        out.dt        = fmin(out.dt, 0.8 * stable);
    }
    return out;
}
