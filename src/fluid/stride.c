// SPDX-License-Identifier: MIT
#include "fluid/stride.h"

#include <stdio.h>

#include "state/reach.h"

double shoal_obstacles_speed(const shoal_description* description) {
    double speed = 0.0;
    for (int k = 0; k < description->obstacle_count; k++)
        speed = fmax(speed, shoal_obstacle_speed(&description->obstacles[k]));
    return speed;
}

double shoal_liquid_speed(const shoal_description* description, bool has_tension) {
    double g = shoal_d3_length(description->gravity), top = -1e300, low = 1e300,
           speed = shoal_obstacles_speed(description);
    shoal_d3 up  = g > 0.0 ? shoal_d3_scale(description->gravity, -1.0 / g) : shoal_d3_make(0.0, 1.0, 0.0);
    for (int k = 0; k < description->body_count + description->emitter_count; k++) {
        const shoal_body*    body    = k < description->body_count ? &description->bodies[k] : NULL;
        const shoal_emitter* emitter = body ? NULL : &description->emitters[k - description->body_count];
        shoal_box            box     = shoal_box_empty();
        if (body)
            box = shoal_shape_bounds(body->shape);
        else
            box = shoal_emitter_box(emitter);
        if (shoal_box_is_empty(box)) continue;
        for (int corner = 0; corner < 8; corner++) {
            shoal_d3 p = shoal_d3_make(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                                       corner & 4 ? box.max.z : box.min.z);
            top = fmax(top, shoal_d3_dot(p, up));
            low = fmin(low, shoal_d3_dot(p, up));
        }
        double spun =
            body ? (double)shoal_v3_length(body->spin) * 0.5 * shoal_d3_length(shoal_d3_sub(box.max, box.min)) : 0.0;
        speed = fmax(speed, body ? (double)shoal_v3_length(body->velocity) + spun : shoal_emitter_speed(emitter));
    }
    // the floor, where there is one
    for (int corner = 0; corner < 8 && description->domain.is_given && top > low; corner++) {
        shoal_d3 a = description->domain.min, b = description->domain.max;
        shoal_d3 p = shoal_d3_make(corner & 1 ? b.x : a.x, corner & 2 ? b.y : a.y, corner & 4 ? b.z : a.z);
        low        = fmin(low, shoal_d3_dot(p, up));
    }
    double fall = top > low ? 2.0 * g * (top - low) : 0.0, drop = 0.0;
    for (int m = 0; m < description->material_count && has_tension; m++) {
        const shoal_material* material = &description->materials[m];
        if (!material->is_used) continue;
        drop = fmax(drop, 5.0 * (double)material->surface_tension /
                              ((double)material->density * shoal_spacing_of(description, m)));
    }
    return fmax(sqrt(speed * speed + fall + shoal_forces_speed2(description) + drop), 0.01);
}

// Of the heaviest over the lightest liquid that comes into the scene.
static double density_ratio(const shoal_description* description) {
    double heavy = 0.0, light = (double)INFINITY;
    for (int k = 0; k < description->body_count + description->emitter_count; k++) {
        int    m   = k < description->body_count ? description->bodies[k].material
                                                 : description->emitters[k - description->body_count].material;
        double rho = (double)description->materials[m].density;
        heavy = fmax(heavy, rho), light = fmin(light, rho);
    }
    return heavy > 0.0 ? heavy / light : 1.0;
}

bool shoal_density_refuses(const shoal_description* description, char* buffer, size_t size) {
    const double most = 1e5, ratio = density_ratio(description); // floats have seven digits
    if (!(ratio > (1.0 + 1e-6) * most)) return false;            // densities are floats
    shoal_add_line(
        buffer, size,
        "densities differ by %.6g times: what the light liquid weighs is lost in the rounding of the heavy one; "
        "bring them within %g times",
        ratio, most);
    return true;
}

void shoal_density_warning(const shoal_description* description, char* buffer, size_t size) {
    // water on light liquid in a full box: with 10 spacings of each, sph holds 20 times and loses 22, pbf holds 30;
    // with 15 spacings sph loses 10 and pbf 30
    const double most = 5.0, ratio = density_ratio(description);
    if (!(ratio > (1.0 + 1e-6) * most)) return;
    shoal_add_line(buffer, size,
                   "densities differ by %.3g times: where heavy liquid lies on light, sweeps may not get "
                   "there and energy come from nothing, which stops the run; within %g times they do",
                   ratio, most);
}

void shoal_viscosity_warning(const shoal_description* description, double smoothing, char* buffer, size_t size) {
    // the viscosity of water itself is never asked for, at these sizes
    const double said = 1e-5, factor = 4.0;
    for (int m = 0; m < description->material_count; m++) {
        const shoal_material* material = &description->materials[m];
        double                rho = (double)material->density, nu = (double)material->viscosity / rho;
        if (material->kind != SHOAL_LIQUID || !material->is_used || !(nu > said) || smoothing <= factor * nu) continue;
        shoal_add_line(buffer, size,
                       "materials.%s.viscosity: %g Pa s is too little to be seen at this spacing: xsph alone "
                       "acts as one of about %.2g Pa s; take a smaller spacing, or less xsph",
                       material->name, (double)material->viscosity, smoothing * rho);
    }
}
