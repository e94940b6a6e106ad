// SPDX-License-Identifier: MIT
// The step of a liquid [Chentanez et al. 2007, 3]. There are two states, in turns; which is the current one changes at
// the end of a step, so that a step that fails leaves the one that it began with.
#include "tet/liquid_local.h"

#include "base/clock.h"
#include "exec/pass.h"

enum { BLOCK = 256, RIM = 5 };

void shoal_tet_liquid_free(shoal_tet_liquid* l) {
    for (int k = 0; k < 2; k++) {
        shoal_tet_state* s = &l->states[k];
        shoal_stuffing_free(&s->work);
        shoal_tetmesh_free(&s->mesh);
        shoal_arena_free(&s->arena);
        shoal_band_free(&s->band);
        shoal_contour_free(&s->surface);
        shoal_free(s->velocity);
        shoal_free(s->vertex_velocity);
        shoal_free(s->pressure);
        shoal_free(s->sides);
        shoal_free(s->at_air);
        shoal_free(s->wall);
    }
    shoal_arena_free(&l->arena);
    shoal_tet_faces_free(&l->faces);
    shoal_tet_thicken_free(&l->thicken);
    shoal_tet_thicken_free(&l->thin);
    shoal_morton_free(&l->wet_tiles);
    shoal_free(l->solid_octants);
    *l = (shoal_tet_liquid){0};
}

// Scenes have their floors, walls and levels at round numbers; the lattice does not, or a level surface would lie
// within a plane of its nodes, where rounding decides on which side each of them is.
static shoal_status lay_frame(shoal_octree* tree, shoal_box box, double step) {
    SHOAL_TRY(shoal_octree_frame(tree, box, step, RIM));
    tree->origin = shoal_d3_add(tree->origin, shoal_d3_scale(shoal_d3_make(0.155, 0.185, 0.215), step));
    return SHOAL_OK;
}

shoal_status shoal_tet_liquid_frame(shoal_tet_liquid* l, shoal_box box, double step) {
    for (int k = 0; k < 2; k++) {
        shoal_tet_state* s = &l->states[k];
        SHOAL_TRY(lay_frame(&s->work.tree, box, step));
        shoal_band_frame(&s->band, &s->work.tree);
        s->work.arena = s->band.arena = &l->arena;
        s->mesh.arena                 = &s->arena;
    }
    return SHOAL_OK;
}

shoal_status shoal_tet_liquid_remesh(shoal_tet_liquid* l, const shoal_tet_solids* solids, const shoal_exec* exec) {
    SHOAL_TRY(liquid_make_mesh(l, &l->states[l->current], solids, exec));
    return shoal_tet_liquid_surface(l, solids, exec);
}

void shoal_tet_liquid_settle(shoal_tet_liquid* l, const shoal_exec* exec) {
    shoal_tet_state* s = &l->states[l->current];
    shoal_tet_vertex_velocities(&s->mesh, s->velocity, s->wall, exec, s->vertex_velocity);
}

SHOAL_FN bool is_not_finite(const shoal_v3* velocity, int t) {
    return !isfinite(shoal_d3_dot(shoal_d3_from(velocity[t]), shoal_d3_from(velocity[t])));
}
SHOAL_FIRST_LOOP(first_not_finite, shoal_v3, is_not_finite)

// Takes the velocities over to the mesh of a state, pushes the liquid, and lets pressure act; it is the current one
// then. `flow`: NULL: nothing flows yet.
static shoal_status project(shoal_tet_liquid* l, shoal_tet_state* s, const shoal_tet_flow* flow, double dt,
                            const shoal_tet_drive* drive, double tolerance, const shoal_exec* exec) {
    SHOAL_TRY(shoal_tet_faces_assemble(&l->faces, &s->mesh, s->work.tree.step, s->at_air, exec));
    double began = shoal_seconds();
    shoal_tet_faces_advect(&l->faces, &s->mesh, flow, dt, drive->accelerate, drive->ctx, exec);
    l->seconds[SHOAL_TET_STAGE_ADVECT] = shoal_seconds() - began;
    SHOAL_TRY(
        shoal_tet_faces_project(&l->faces, &s->mesh, s->at_air, s->wall, tolerance, exec, s->velocity, s->pressure));
    int t = shoal_first(exec, s->mesh.tet_count, first_not_finite, s->velocity);
    if (t >= 0) {
        shoal_d3 at = shoal_tet_centroid(&s->mesh, t);
        return shoal_fail(SHOAL_ERR_DIVERGE, "the velocity of the liquid at (%.4g, %.4g, %.4g) m stopped being finite",
                          at.x, at.y, at.z);
    }
    l->current = s == &l->states[1];
    shoal_tet_liquid_settle(l, exec);
    return SHOAL_OK;
}

shoal_status shoal_tet_liquid_begin(shoal_tet_liquid* l, shoal_box box, double step, shoal_field_fn field, void* ctx,
                                    const shoal_tet_solids* solids, const shoal_tet_drive* drive, double tolerance,
                                    const shoal_exec* exec) {
    shoal_tet_state* s     = &l->states[l->current];
    shoal_octree     near  = {0};
    liquid_field     job   = {.solids = solids, .cell = 0.5 * step, .field = field, .ctx = ctx};
    int              count = 0, capacity = 0;
    uint64_t*        keys = NULL;
    SHOAL_TRY(lay_frame(&near, box, step));
    SHOAL_TRY(shoal_tet_liquid_frame(l, box, step));
    shoal_status status = shoal_octree_near(&near, liquid_of_bodies, &job, 2.0, exec, &keys, &capacity, &count);
    shoal_d3*    seeds  = status == SHOAL_OK ? shoal_alloc((size_t)count + 1, sizeof *seeds) : NULL;
    for (int i = 0; i < count && seeds; i++) {
        int at[3];
        shoal_morton_split(keys[i], at);
        seeds[i] = shoal_octree_middle(&near, 0, at);
    }
    if (status == SHOAL_OK)
        status = seeds ? shoal_band_make(&s->band, liquid_of_bodies, &job, seeds, count, exec) : SHOAL_ERR_MEMORY;
    shoal_free(seeds);
    shoal_free(keys);
    shoal_octree_free(&near);
    SHOAL_TRY(status);
    SHOAL_TRY(shoal_tet_liquid_remesh(l, solids, exec));
    return project(l, s, NULL, 0.0, drive, tolerance, exec);
}

shoal_tet_flow shoal_tet_liquid_flow(const shoal_tet_liquid* l) {
    const shoal_tet_state* s = shoal_tet_current(l);
    return (shoal_tet_flow){.mesh            = &s->mesh,
                            .tree            = &s->work.tree,
                            .band            = &s->band,
                            .first_tet       = s->work.first_tet,
                            .velocity        = s->velocity,
                            .vertex_velocity = s->vertex_velocity};
}

shoal_status shoal_tet_liquid_step(shoal_tet_liquid* l, double dt, const shoal_tet_solids* solids,
                                   const shoal_tet_drive* drive, const shoal_tet_options* options,
                                   const shoal_exec* exec) {
    shoal_tet_state *from = &l->states[l->current], *to = &l->states[1 - l->current];
    double           began = shoal_seconds();
    liquid_field     job   = {.solids = solids,
                              .cell   = from->band.grid.cell,
                              .from   = &from->band,
                              .flow   = shoal_tet_liquid_flow(l),
                              .drive  = drive,
                              .dt     = dt};
    shoal_arena_back(&l->arena, 0);                                                // what a step that failed has left
    if (!from->band.has_surface) SHOAL_TRY(shoal_band_contour(&from->band, exec)); // such a step has taken it
    if (options->thicken.thin > 0.0) {
        SHOAL_TRY(shoal_tet_thicken_make(&l->thicken, &from->band, &from->work.tree, &options->thicken,
                                         liquid_is_off_solids, liquid_carry, &job, exec));
        job.thicken = &l->thicken;
    }
    SHOAL_TRY(shoal_band_follow(&from->band, liquid_carried, liquid_go, &job, drive->seeds, drive->seed_count, exec,
                                &to->band));
    l->seconds[SHOAL_TET_STAGE_TRACK] = shoal_seconds() - began;
    began                             = shoal_seconds();
    SHOAL_TRY(liquid_make_mesh(l, to, solids, exec));
    l->seconds[SHOAL_TET_STAGE_MESH] = shoal_seconds() - began;
    began                            = shoal_seconds();
    SHOAL_TRY(project(l, to, &job.flow, dt, drive, options->tolerance, exec));
    l->seconds[SHOAL_TET_STAGE_PRESSURE] = shoal_seconds() - began - l->seconds[SHOAL_TET_STAGE_ADVECT];
    return SHOAL_OK;
}

static double fastest_block(void* ctx, int begin, int end) {
    const shoal_tet_state* s    = ctx;
    double                 most = 0.0;
    for (int t = begin; t < end; t++) most = fmax(most, (double)shoal_v3_dot(s->velocity[t], s->velocity[t]));
    return most;
}
double shoal_tet_fastest(const shoal_tet_liquid* l, const shoal_exec* exec) {
    const shoal_tet_state* s = shoal_tet_current(l);
    return s->mesh.tet_count == 0 ? 0.0 : sqrt(shoal_max(exec, s->mesh.tet_count, fastest_block, (void*)(uintptr_t)s));
}
