// SPDX-License-Identifier: MIT
#include "state/description.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"

static const double widest_disc = 1e4; // spacings
static const double most_layers = 1e6; // per second

bool shoal_obstacle_is_named(const shoal_obstacle* obstacle) { return strncmp(obstacle->name, "obstacles.", 10) != 0; }

double shoal_spacing_of(const shoal_description* description, int material) {
    float fraction = material >= 0 && material < description->material_count
                         ? description->materials[material].spacing_fraction
                         : 0.0f;
    return fraction > 0.0f ? (double)fraction * description->spacing : description->spacing;
}

bool shoal_material_comes(const shoal_description* d, int material) {
    for (int k = 0; k < d->body_count; k++)
        if (d->bodies[k].material == material) return true;
    for (int k = 0; k < d->emitter_count; k++)
        if (d->emitters[k].material == material) return true;
    return false;
}

int shoal_material_first(const shoal_description* d, shoal_material_kind kind) {
    int listed = 0;
    for (int m = d->material_count - 1; m >= 0; m--)
        if (d->materials[m].kind == kind) listed = m;
    for (int m = listed; m < d->material_count; m++)
        if (d->materials[m].kind == kind && d->materials[m].is_used) return m;
    return listed;
}

const shoal_material* shoal_material_of(const shoal_description* d, int m, shoal_material_kind kind) {
    bool is_own = d->materials[m].kind == kind && d->materials[m].is_used;
    return &d->materials[is_own ? m : shoal_material_first(d, kind)];
}

double shoal_volume_of(const shoal_description* description, int material) {
    double d = shoal_spacing_of(description, material);
    float  number =
        material >= 0 && material < description->material_count ? description->materials[material].number : 0.0f;
    return d * d * d / (number > 0.0f ? (double)number : 1.0);
}

shoal_status shoal_disc_check(const shoal_emitter* emitter, double spacing) {
    double speed = (double)shoal_v3_length(emitter->velocity);
    if (!(speed > 0.0)) return shoal_fail(SHOAL_ERR_INPUT, "a disc needs a velocity, which is also its axis");
    if (!(emitter->radius <= widest_disc * spacing))
        return shoal_fail(SHOAL_ERR_INPUT, "the radius %g m of the disc is above %g m (%g spacings)", emitter->radius,
                          widest_disc * spacing, widest_disc);
    if (!(speed <= most_layers * spacing))
        return shoal_fail(SHOAL_ERR_INPUT, "the speed %g m/s of the disc is above %g m/s (%g layers a second)", speed,
                          most_layers * spacing, most_layers);
    return SHOAL_OK;
}

// Whether a shape is solid at one end of an axis where it is hollow at the other, on a lattice of points of both ends.
// Less than half a spacing is no difference: particles keep that far from solids.
static bool ends_differ(const shoal_description* description, const shoal_shape* shape, int axis) {
    enum { POINTS = 16 };
    const shoal_domain* domain = &description->domain;
    const int           u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double        slack = 0.5 * description->spacing;
    for (int n = 0; n < POINTS * POINTS; n++) {
        double low[3]  = {domain->min.x, domain->min.y, domain->min.z},
               high[3] = {domain->max.x, domain->max.y, domain->max.z};
        double at[3];
        at[axis]    = low[axis];
        at[u]       = low[u] + (high[u] - low[u]) * (n % POINTS + 0.5) / POINTS;
        at[v]       = low[v] + (high[v] - low[v]) * (n / POINTS + 0.5) / POINTS;
        double near = shoal_shape_distance(shape, (shoal_d3){at[0], at[1], at[2]});
        at[axis]    = high[axis];
        double far  = shoal_shape_distance(shape, (shoal_d3){at[0], at[1], at[2]});
        if ((near < -slack && far > slack) || (near > slack && far < -slack)) return true;
    }
    return false;
}

bool shoal_obstacle_crosses(const shoal_description* description, const shoal_obstacle* obstacle, int axis) {
    if (description->domain.walls[2 * axis].kind != SHOAL_WALL_PERIODIC || obstacle->key_count > 0) return false;
    double    low = shoal_d3_axis(description->domain.min, axis), high = shoal_d3_axis(description->domain.max, axis);
    shoal_box box  = shoal_shape_bounds(obstacle->shape);
    double    from = shoal_d3_axis(box.min, axis), to = shoal_d3_axis(box.max, axis);
    if (to <= low || from >= high) return false;
    return (from < low) != (to > high) || (from < low && ends_differ(description, obstacle->shape, axis));
}

const char* shoal_walls_idle(const shoal_description* description, int material) {
    bool is_asked = false;
    for (int m = 0; m < material; m++)
        if (description->materials[m].kind == SHOAL_GRANULAR)
            return "walls take the boundary_friction of the first sand";
    for (int w = 0; w < SHOAL_WALL_COUNT && description->domain.is_given; w++)
        is_asked |= description->domain.walls[w].kind == SHOAL_WALL_DEFAULT;
    return is_asked ? NULL
                    : "no wall asks for it; obstacles, and walls that say what they are, have a friction of their own";
}

void shoal_description_free(shoal_description* description) {
    if (!description) return;
    for (int k = 0; k < description->body_count; k++) shoal_shape_destroy(description->bodies[k].shape);
    for (int k = 0; k < description->obstacle_count; k++) {
        shoal_shape_destroy(description->obstacles[k].shape);
        shoal_free(description->obstacles[k].keys);
    }
    for (int k = 0; k < description->emitter_count; k++) {
        shoal_shape_destroy(description->emitters[k].shape);
        shoal_free(description->emitters[k].keys);
    }
    for (int k = 0; k < description->sink_count; k++) shoal_shape_destroy(description->sinks[k].shape);
    for (int k = 0; k < description->force_count; k++) shoal_shape_destroy(description->forces[k].shape);
    shoal_free(description->materials);
    shoal_free(description->bodies);
    shoal_free(description->obstacles);
    shoal_free(description->emitters);
    shoal_free(description->sinks);
    shoal_free(description->forces);
    shoal_free(description->probes);
    shoal_free(description->solver_params);
    *description = (shoal_description){0};
}
