// SPDX-License-Identifier: MIT
// What liquids do that are no water: thick ones, whose viscosity is solved for, and those of unlike
// weight that lie on each other as films.
#include "fluid/overturn.h"
#include "solvers/pbf/pbf_local.h"

// The scale that makes a layer at d/2 feel exactly what the lattice behind the wall would do: no
// force in a linear profile.
double pbf_hold_scale(double d, double h) {
    double behind = 0.0;
    int    reach  = (int)(h / d) + 1;
    for (int y = 1; y <= reach; y++)
        for (int z = -reach; z <= reach; z++)
            for (int x = -reach; x <= reach; x++)
                behind += y * d / (0.5 * d) * fmax(h - d * sqrt((double)(x * x + y * y + z * z)), 0.0);
    return behind / (double)pbf_held_at((float)(0.5 * d), (float)d, (float)h);
}

void pbf_thicken(const shoal_exec* exec, const pbf_view* v, shoal_thick* thick, const shoal_halo* halo,
                 const shoal_thickness* liquids, double laplacian) {
    shoal_thick_problem problem = {.count     = v->count,
                                   .near      = v->near,
                                   .halo      = halo,
                                   .place     = v->guess,
                                   .h         = v->h,
                                   .laplacian = (float)laplacian,
                                   .along     = (float)shoal_lattice_along((double)v->d, (double)v->h),
                                   .material  = v->material,
                                   .liquids   = liquids,
                                   .hold      = thick->hold,
                                   .stream    = thick->stream,
                                   .motion    = v->drift};
    shoal_thick_solve(thick, exec, &problem);
}

// ---------------------------------------------------------------------------------- unlike weights

static bool is_beside_solid(void* user, int i) {
    const pbf_view* v      = user;
    shoal_v3        x      = v->position[i];
    int             kernel = v->params.density_kernel;
    if (shoal_mirrors_are_near(&v->solids, x, v->d)) return true;
    if (!shoal_solids_are_near(v->solids.world, x, v->d)) return false;
    float first = shoal_kernel_behind(0.5f * v->d / v->h, kernel); // that of the first layer
    return shoal_solid_fraction_at(&v->solids, x, v->h, kernel).density > 0.5f * first;
}

static void change_places(void* user, int i, int j) {
    const pbf_view* v        = user;
    shoal_v3        x        = v->position[i];
    float           pressure = v->pressure[i], density = v->density[i],
          ratio    = v->liquids[v->material[i]].density / v->liquids[v->material[j]].density;
    v->position[i] = v->position[j], v->position[j] = x;
    v->pressure[i] = v->pressure[j], v->pressure[j] = pressure;
    v->density[i] = v->density[j] * ratio, v->density[j] = density / ratio;
}

shoal_status pbf_overturn(pbf_view* v, const shoal_description* description, const shoal_exec* exec,
                          shoal_overturn_scratch* scratch, double* pairs) {
    shoal_overturn films = {.count           = v->count,
                            .near            = v->near,
                            .d               = v->d,
                            .dt              = v->dt,
                            .gravity         = description->gravity,
                            .materials       = description->materials,
                            .id              = v->id,
                            .material        = v->material,
                            .position        = v->position,
                            .user            = v,
                            .is_beside_solid = is_beside_solid,
                            .change_places   = change_places};
    return shoal_overturn_films(&films, exec, scratch, pairs);
}
