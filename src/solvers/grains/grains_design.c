// SPDX-License-Identifier: MIT
// Numbers of the contact law from physics: stiffness from the overlap that is allowed, damping from the restitution,
// the step from the time of a contact.
#include "solvers/grains/grains_local.h"

#include "base/hash.h"

double grains_solid_density(const shoal_material* material) {
    return material->kind == SHOAL_GRANULAR ? (double)material->density / (double)material->packing
                                            : (double)material->density;
}

double grains_mass(const shoal_material* material, double radius) {
    return grains_ball(grains_solid_density(material), radius);
}

double grains_wet_factor(const shoal_description* d, int material) {
    const shoal_material* m = &d->materials[material];
    if (m->kind != SHOAL_GRANULAR) return 1.0;
    return 1.0 + (double)m->wetness * grains_water_mass(d) / grains_mass(m, 0.5 * d->spacing);
}

float grains_rank(const shoal_description* description, int32_t id) {
    enum { STREAM = 0x67726169 };
    float u = (float)(2.0 * shoal_random(description->seed, STREAM, (uint64_t)id) - 1.0);
    return u != 0.0f ? u : 0x1p-24f;
}

// ---------------------------------------------------------------------------------- restitution

typedef struct part_job {
    double mean, most; // speed after over speed before
} part_job;

// Two grains meet head-on with m* = k = 1 and speed 1, in the substeps of the solver; the contact begins and ends
// somewhere within a substep, so `parts` places in it are tried, with as many lengths of the contact up to a substep
// more.
static part_job collide(double zeta, double steps, int parts) {
    part_job out = {0.0, 0.0};
    for (int trial = 0; trial < parts * parts; trial++) {
        double dt = SHOAL_PI / (steps + (double)(trial / parts) / parts), speed = 1.0,
               overlap = (trial % parts + 0.5) / parts * dt;
        for (int k = 0; k < (int)(100.0 * steps) && overlap > 0.0; k++) {
            double closing = overlap < speed * dt ? overlap / dt + 0.5 * speed : speed; // grains_closing
            speed -= dt * fmax(overlap + 2.0 * zeta * closing, 0.0);
            overlap += dt * speed;
        }
        out.mean += fmax(-speed, 0.0) / (parts * parts);
        out.most = fmax(out.most, -speed);
    }
    return out;
}

// The damping that gives a restitution when the contact never pulls, stepped `steps` times per contact time of mean
// grains; and with which no collision gains energy, not even that of the lightest ones, of `least` steps.
static double zeta_of(double restitution, double steps, double least) {
    double low = 0.0, high = 4.0;
    bool   is_high = restitution > 0.95; // below that none is near 1
    for (int k = 0; k < 50; k++) {
        double middle = 0.5 * (low + high);
        if (collide(middle, steps, 4).mean > restitution || (is_high && collide(middle, least, 12).most > 1.0))
            low = middle;
        else
            high = middle;
    }
    return high;
}

// ---------------------------------------------------------------------------------- the design

// Masses of the lightest and the heaviest dry grain over the granular materials.
static void masses_of(const shoal_description* d, const grains_params* p, double radius, double* lightest,
                      double* heaviest) {
    *lightest = (double)INFINITY, *heaviest = 0.0;
    for (int m = 0; m < d->material_count; m++) {
        const shoal_material* material = &d->materials[m];
        if (material->kind != SHOAL_GRANULAR || !material->is_used) continue;
        *lightest = fmin(*lightest, grains_mass(material, radius * (1.0 - (double)p->spread)));
        *heaviest = fmax(*heaviest, grains_mass(material, radius * (1.0 + (double)p->spread)));
    }
    if (*heaviest > 0.0) return;
    *lightest = *heaviest = 4.0 / 3.0 * SHOAL_PI * radius * radius * radius * 2650.0;
}

// A pack of twelve contacts each: its fastest mode has 8 k/m, and is damped twice as much as a pair of grains. A
// substep is stable where (w dt)^2 / 4 + zeta w dt < 1; a fifth less is taken. Grains that spin feel the tangential
// dampers, half as strong, 7/2 times as much.
static const double margin = 0.8, spinning = 1.75;

static double fastest_mode(const grains_design* d) { return sqrt(8.0 * d->stiffness / d->lightest); }

// The longest stable substep of dry grains.
static double stable_dt(const grains_design* d) {
    double packed = 2.0 * d->zeta * spinning;
    return margin * 2.0 / fastest_mode(d) / (sqrt(1.0 + packed * packed) + packed);
}

// How many times the damping of dry grains is stable in substeps of dt.
static double bearable(const grains_design* d) {
    double turn = fastest_mode(d) * d->dt / margin;
    return fmax(1.0 - 0.25 * d->hard * turn * turn, 0.0) / fmax(2.0 * d->zeta * turn, 1e-9);
}

// How contacts give way where a moving obstacle may press (grains_hold). Nothing bounds the load below a tool: a bed
// that it presses against a floor cannot flow away, and whatever the stiffness was, it bore what its missing room
// needed. So overlaps are bounded by springs that become `hard` beyond half of the allowed overlap: sixteen times, so
// that a collision with it still has some six substeps, or what the substep bears: (w dt)^2 / 4 + zeta w dt < 1 as
// above, and zeta w does not grow with the spring. What follows the overlap in twenty contact times has come to 0.032
// of a collision's when that is over: a twentieth leaves no dent.
static void design_dents(grains_design* d, double hit, double allowed) {
    const double hardest = 16.0, slow = 20.0, blow = 0.05;
    double       turn = fastest_mode(d) * d->dt / margin, damped = 2.0 * d->zeta * spinning * turn;
    d->hard  = fmin(fmax(4.0 * (1.0 - damped) / (turn * turn), 1.0), hardest);
    d->sinks = slow * d->contact_time;
    d->yield = blow * hit;
    d->full  = 0.5 * allowed;
}

grains_design grains_design_make(const shoal_description* d, const grains_params* p) {
    grains_design out      = {.radius = 0.5 * d->spacing};
    double        diameter = d->spacing;
    masses_of(d, p, out.radius, &out.lightest, &out.heaviest);
    double wet_factor = 1.0;
    for (int m = 0; m < d->material_count; m++) {
        // a liquid may come out of the pores though there is none at the start
        if (d->materials[m].kind == SHOAL_GRANULAR && !d->materials[m].is_used) continue;
        out.is_wet = out.is_wet || d->materials[m].wetness > 0.0f || d->materials[m].kind == SHOAL_LIQUID;
        wet_factor = fmax(wet_factor, grains_wet_factor(d, m));
    }
    double        mean = 0.5 * (out.lightest + out.heaviest);
    grains_extent e    = grains_extent_of(d);
    out.impact         = p->impact_speed > 0.0f ? (double)p->impact_speed : e.impact;
    out.pull           = out.is_wet ? (double)p->cohesion * mean * GRAINS_EARTH : 0.0;

    // what rests, what is pressed and what hits: springs for all three
    double rest = e.load * diameter * diameter + out.pull, normal_force = e.bearing * diameter * diameter;
    double allow = (double)p->max_overlap * diameter, hit = 0.5 * wet_factor * out.heaviest * out.impact * out.impact;
    double stiff = fmax(fmax(hit / (allow * allow), normal_force / allow), rest / (0.25 * allow)) / (double)p->softness;
    out.stiffness      = p->stiffness > 0.0f ? (double)p->stiffness / (double)p->softness : stiff;
    out.overlap_impact = fmax(sqrt(hit / out.stiffness), normal_force / out.stiffness) / diameter;
    out.overlap_rest   = rest / out.stiffness / diameter;

    // the step, and the damping that gives the restitution in such steps to two mean grains
    out.contact_time = SHOAL_PI * sqrt(0.5 * out.lightest / out.stiffness);
    out.dt           = out.contact_time / fmax((double)p->steps_per_contact, 100.0);
    double longer    = sqrt(mean / out.lightest);
    for (int k = 0; k < 5; k++) {
        double steps = out.contact_time / out.dt;
        out.zeta     = zeta_of((double)p->restitution, longer * steps, steps);
        if (k < 4) out.dt = fmin(out.contact_time / (double)p->steps_per_contact, stable_dt(&out));
    }
    out.dents = e.bearing > 0.0;
    out.hard  = 1.0;
    if (out.dents) design_dents(&out, sqrt(hit / out.stiffness) / diameter, (double)p->max_overlap);
    out.damping_most = bearable(&out);
    return out;
}
