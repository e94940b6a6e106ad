// SPDX-License-Identifier: MIT
// What of a scene tetra takes, and what it says of the rest.
#include <math.h>

#include "solvers/tetra/tetra_local.h"
#include "state/reach.h"

static const shoal_material* used_material(const shoal_description* d, int k) {
    bool is_body = k < d->body_count;
    return &d->materials[is_body ? d->bodies[k].material : d->emitters[k - d->body_count].material];
}

const shoal_material* tetra_liquid(const shoal_description* d) {
    return d->body_count + d->emitter_count > 0 ? used_material(d, 0) : d->materials;
}

bool tetra_holds(const shoal_description* d, const char* phrase) {
    const tetra_params* params = d->solver_params;
    (void)phrase; // "a thick liquid", the only one: one that is so at rest
    return tetra_is_thick(d, params, 0.0);
}

static const char* viscosity_is_idle(const shoal_description* d, int material) {
    const tetra_params* params = d->solver_params;
    (void)material;
    return params->viscosity || params->boundary_layer ? NULL : "tetra.viscosity and tetra.boundary_layer are off";
}

bool tetra_refuses(const shoal_description* d, char* buffer, size_t size) {
    const shoal_material* first = tetra_liquid(d);
    for (int axis = 0; axis < 3; axis++)
        if (d->domain.walls[2 * axis].kind == SHOAL_WALL_PERIODIC)
            shoal_add_line(
                buffer, size,
                "the walls along %c are periodic; tetra meshes end at walls: close or open them, or take flip",
                "xyz"[axis]);
    for (int k = 0; k < d->body_count + d->emitter_count; k++) {
        const shoal_material* other = used_material(d, k);
        if (other->density == first->density && other->viscosity == first->viscosity) continue;
        shoal_add_line(buffer, size,
                       "%s beside %s: tetra takes liquids of one density and one viscosity; pbf and sph take several",
                       other->name, first->name);
        break;
    }
    return buffer[0] != '\0';
}

// Solids thinner than an edge may lie between the vertices of the lattice, unseen.
bool tetra_warns(const shoal_description* d, char* buffer, size_t size) {
    const tetra_params* params = d->solver_params;
    double              edge   = (double)params->cell * d->spacing;
    for (int b = 0; b < d->body_count; b++) {
        if (!d->bodies[b].shape) continue;
        shoal_box box    = shoal_box_common(shoal_shape_bounds(d->bodies[b].shape), shoal_domain_extent(&d->domain));
        shoal_d3  extent = shoal_d3_sub(box.max, box.min);
        double    least  = fmin(extent.x, fmin(extent.y, extent.z));
        if (!(least > 0.0) || least >= edge) continue;
        shoal_add_line(
            buffer, size,
            "bodies.%d is %.3g m thin, less than an edge of the tetrahedra, %.3g m: its pressure is that of a "
            "film; make the spacing smaller",
            b, least, edge);
    }
    return buffer[0] != '\0';
}

// Sorting and the particles' share of meshes, lattices and matrices; measured on pools of 1e5 and 1e6 particles.
double tetra_extra_bytes(const shoal_description* d, double particles) {
    (void)d;
    return 1100.0 * particles;
}

const shoal_material_use tetra_material_uses[] = {
    {"density", SHOAL_LIQUID, NULL}, {"viscosity", SHOAL_LIQUID, viscosity_is_idle}, {0}};
