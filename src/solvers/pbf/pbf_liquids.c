// SPDX-License-Identifier: MIT
// What liquids do that are no water: thick ones, whose viscosity is solved for, and those of unlike
// weight that lie on each other as films.
#include "fluid/overturn.h"
#include "solvers/pbf/pbf_local.h"

enum { HOLD_BLOCK = 512 };

// What solids that stick have of the sum of (h - r) over neighbours, as if the flow behind them
// were the mirrored one [Morris 1997]: over layers behind a flat wall at a distance y, the first
// d/2 behind it, each (1 + depth/y) times the integral of h - r over its plane. Without its scale.
static float held_at(float y, float d, float h) {
    float sum = 0.0f;
    for (float z = y + 0.5f * d; z < h; z += d) sum += z * (h * h * h / 6.0f - h * z * z / 2.0f + z * z * z / 3.0f);
    return sum / y;
}

// The scale that makes a layer at d/2 feel exactly what the lattice behind the wall would do: no
// force in a linear profile.
double pbf_hold_scale(double d, double h) {
    double behind = 0.0;
    int    reach  = (int)(h / d) + 1;
    for (int y = 1; y <= reach; y++)
        for (int z = -reach; z <= reach; z++)
            for (int x = -reach; x <= reach; x++)
                behind += y * d / (0.5 * d) * fmax(h - d * sqrt((double)(x * x + y * y + z * z)), 0.0);
    return behind / (double)held_at((float)(0.5 * d), (float)d, (float)h);
}

typedef struct holding {
    const pbf_view* view;
    shoal_thick*    thick;
    float           scale;
} holding;

static void find_hold(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const holding*  s = ctx;
    const pbf_view* v = s->view;
    for (int i = begin; i < end; i++) {
        shoal_v3 x = pbf_place(v, i), u = {0.0f, 0.0f, 0.0f};
        float    y = shoal_solids_are_near(v->world, x, v->h) ? shoal_sticky_distance(v->world, x, v->h, &u) : v->h;
        s->thick->hold[i]   = y < v->h ? s->scale * held_at(fmaxf(y, 0.25f * v->d), v->d, v->h) : 0.0f;
        s->thick->stream[i] = (shoal_v4){u.x, u.y, u.z, 0.0f};
        // who is squeezed between solids is put from one to the other, which is no motion that
        // others are drawn along with: ever faster, since substeps get shorter by it
        float tight = 0.4f * v->d;
        if (shoal_solids_are_near(v->world, x, tight) && shoal_solid_is_tight(v->world, x, tight)) {
            shoal_v3 before = v->velocity[i];
            v->drift[i]     = (shoal_v4){before.x, before.y, before.z, v->drift[i].w};
        }
    }
}

void pbf_thicken(const shoal_exec* exec, const pbf_view* v, shoal_thick* thick, const shoal_halo* halo,
                 const shoal_thickness* liquids, float hold) {
    holding             held    = {v, thick, hold};
    shoal_thick_problem problem = {.count    = v->count,
                                   .near     = v->near,
                                   .halo     = halo,
                                   .place    = v->guess,
                                   .h        = v->h,
                                   .material = v->material,
                                   .liquids  = liquids,
                                   .hold     = thick->hold,
                                   .stream   = thick->stream,
                                   .motion   = v->drift};
    shoal_blocks(exec, v->count, HOLD_BLOCK, find_hold, &held);
    shoal_thick_solve(thick, exec, &problem);
}

// ---------------------------------------------------------------------------------- unlike weights

static bool is_beside_solid(void* user, int i) {
    const pbf_view* v      = user;
    shoal_v3        x      = v->position[i];
    int             kernel = v->params.density_kernel;
    if (shoal_mirrors_are_near(v->world, x, v->d)) return true;
    if (!shoal_solids_are_near(v->world, x, v->d)) return false;
    float first = shoal_kernel_behind(0.5f * v->d / v->h, kernel); // that of the first layer
    return shoal_solid_share_at(v->world, x, v->h, kernel).density > 0.5f * first;
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

int pbf_overturn(pbf_view* v, const shoal_description* description) {
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
    return shoal_overturn_films(&films);
}
