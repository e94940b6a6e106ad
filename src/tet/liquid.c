// SPDX-License-Identifier: MIT
// The step of a liquid [Chentanez et al. 2007, 3]: the flow carries the surface, a mesh is made within it, velocities
// come over, pressure acts. There are two states, in turns, and all between them lies in one arena; which is the
// current one changes once the mesh of the next is there, so that a step that fails is undone by naming the last one.
#include "tet/liquid_field_local.h"

#include "base/clock.h"
#include "exec/pass.h"

enum { BLOCK = 256, RIM = 5 };

void shoal_tet_liquid_free(shoal_tet_liquid* l) {
    for (int k = 0; k < 2; k++) {
        shoal_tet_state* s = &l->states[k];
        shoal_stuffing_free(&s->work);
        shoal_tetmesh_free(&s->mesh);
        shoal_band_free(&s->band);
        shoal_free(s->velocity);
        shoal_free(s->walls.of);
        shoal_free(s->walls.wall);
        shoal_free(s->is_air);
        shoal_free(s->beyond);
        shoal_free(s->is_loose);
        shoal_free(s->flying);
    }
    liquid_drop_neighbours(l);
    shoal_arena_free(&l->arena);
    shoal_contour_free(&l->surface);
    shoal_tet_flow_free(&l->flow);
    shoal_tet_projection_free(&l->projection);
    shoal_tet_faces_free(&l->faces);
    shoal_tet_thicken_free(&l->thicken);
    shoal_tet_medials_free(&l->thin);
    shoal_free(l->pressure);
    shoal_free(l->solid_octants.keys);
    shoal_morton_free(&l->wet_tiles);
    shoal_free(l->wall);
    shoal_free(l->struck);
    shoal_free(l->struck_wall);
    shoal_free(l->source);
    shoal_free(l->outflow);
    liquid_parts_free(&l->parts);
    shoal_free(l->balances);
    shoal_free(l->part_before);
    shoal_free(l->sums);
    shoal_free(l->next_balances);
    shoal_free(l->kin);
    *l = (shoal_tet_liquid){0};
}

// --- begin, and step

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
        s->work.arena = s->mesh.arena = s->band.arena = &l->arena;
    }
    l->projection.arena = l->thin.arena = &l->arena;
    return SHOAL_OK;
}

shoal_status shoal_tet_liquid_remesh(shoal_tet_liquid* l, const shoal_tet_solids* solids, const shoal_exec* exec) {
    l->solid_octants_state = NULL;
    liquid_drop_neighbours(l);
    SHOAL_TRY(liquid_make_mesh(l, &l->states[l->current], solids, exec));
    SHOAL_TRY(liquid_make_surface(l, &l->states[l->current], solids, exec));
    return liquid_find_neighbours(l, &l->states[l->current], false, exec);
}

shoal_status shoal_tet_liquid_begin(shoal_tet_liquid* l, shoal_box box, double step, shoal_field_fn field, void* ctx,
                                    const shoal_tet_solids* solids, const shoal_exec* exec) {
    shoal_tet_state* s    = &l->states[l->current];
    shoal_octree     near = {0};
    SHOAL_TRY(lay_frame(&near, box, step));
    SHOAL_TRY(shoal_tet_liquid_frame(l, box, step));
    liquid_field job   = {.solids = solids, .cell = 0.5 * step, .field = field, .ctx = ctx};
    int          count = 0, capacity = 0;
    uint64_t*    keys   = NULL;
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
    SHOAL_TRY(liquid_make_mesh(l, s, solids, exec));
    SHOAL_TRY(liquid_make_surface(l, s, solids, exec));
    SHOAL_TRY(liquid_find_neighbours(l, s, false, exec));
    for (int t = 0; t < s->mesh.tet_count; t++) s->velocity[t] = shoal_v3_make(0.0f, 0.0f, 0.0f);
    return liquid_begin_balances(l, s->band.grid.cell);
}

typedef struct accelerate_job {
    shoal_tet_state*       state;
    const shoal_tet_drive* drive;
} accelerate_job;

static void accelerate_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    accelerate_job* job = ctx;
    for (int t = begin; t < end; t++) {
        const shoal_tetmesh* mesh = &job->state->mesh;
        shoal_v3*            u    = &job->state->velocity[t];
        *u = shoal_v3_from(job->drive->accelerate(job->drive->ctx, shoal_tet_centroid(mesh, t), shoal_d3_from(*u)));
    }
}

SHOAL_FN bool is_not_finite(const shoal_v3* velocity, int t) {
    return !isfinite(shoal_d3_dot(shoal_d3_from(velocity[t]), shoal_d3_from(velocity[t])));
}
SHOAL_FIRST_LOOP(first_not_finite, shoal_v3, is_not_finite)

static shoal_status check_velocities(const shoal_tet_state* s, const shoal_exec* exec) {
    int t = shoal_first(exec, s->mesh.tet_count, first_not_finite, s->velocity);
    if (t < 0) return SHOAL_OK;
    shoal_d3 at = shoal_tet_centroid(&s->mesh, t);
    return shoal_fail(SHOAL_ERR_DIVERGE, "the velocity of the liquid at (%.4g, %.4g, %.4g) m stopped being finite",
                      at.x, at.y, at.z);
}

// Pushes the liquid of the state that is now, and lets pressure act. `solids`: NULL: nothing flows yet.
static shoal_status accelerate_and_project(shoal_tet_liquid* l, const shoal_tet_solids* solids,
                                           const shoal_tet_drive* drive, double tolerance, const shoal_exec* exec) {
    shoal_tet_state*   s   = &l->states[l->current];
    accelerate_job     job = {s, drive};
    shoal_tet_boundary boundary;
    if (l->flow.mesh == &s->mesh) l->flow.mesh = NULL;
    shoal_blocks(exec, s->mesh.tet_count, BLOCK, accelerate_block, &job);
    SHOAL_TRY(shoal_reserve((void**)&l->pressure, &l->pressure_capacity, s->mesh.vertex_count, sizeof *l->pressure));
    for (int v = 0; v < s->mesh.vertex_count; v++) l->pressure[v] = 0.0;
    for (bool is_again = false;; is_again = true) {
        SHOAL_TRY(shoal_tet_liquid_boundary(l, exec, &boundary));
        SHOAL_TRY(liquid_hold_films(l, drive, exec, &boundary.air));
        SHOAL_TRY(shoal_tet_project(&l->projection, &s->mesh, &boundary, tolerance, exec, s->velocity, l->pressure));
        if (is_again || !liquid_correct_loose(l, s, solids, drive, exec)) break;
        shoal_tet_unproject(&s->mesh, exec, s->velocity, l->pressure);
        SHOAL_TRY(shoal_tet_projection_assemble(&l->projection, &s->mesh, s->is_air, exec));
    }
    if (solids) liquid_find_flying(l, s, drive, exec);
    return check_velocities(s, exec);
}

// The same with velocities through faces, which `flow` of the mesh before brings.
static shoal_status advect_faces_and_project(shoal_tet_liquid* l, double dt, const shoal_tet_drive* drive,
                                             const shoal_tet_options* options, const shoal_exec* exec) {
    shoal_tet_state*   s = &l->states[l->current];
    shoal_tet_boundary boundary;
    SHOAL_TRY(shoal_tet_faces_assemble(&l->faces, &s->mesh, s->is_air, exec));
    shoal_tet_faces_advect(&l->faces, &s->mesh, &l->flow, dt, options->is_sharp, drive->accelerate, drive->ctx, exec);
    SHOAL_TRY(shoal_reserve((void**)&l->pressure, &l->pressure_capacity, s->mesh.vertex_count, sizeof *l->pressure));
    SHOAL_TRY(shoal_tet_liquid_boundary(l, exec, &boundary));
    SHOAL_TRY(
        shoal_tet_faces_project(&l->faces, &s->mesh, &boundary, options->tolerance, exec, s->velocity, l->pressure));
    l->projection.end = (shoal_cg_end){l->faces.end.cycles, l->faces.end.residual, l->faces.end.is_solved};
    return check_velocities(s, exec);
}

shoal_status shoal_tet_liquid_start(shoal_tet_liquid* l, const shoal_tet_drive* drive, double tolerance,
                                    const shoal_exec* exec) {
    shoal_tet_state* s = &l->states[l->current];
    SHOAL_TRY(liquid_ready_for_pressure(l, s, drive, exec));
    SHOAL_TRY(shoal_tet_projection_assemble(&l->projection, &s->mesh, s->is_air, exec));
    SHOAL_TRY(accelerate_and_project(l, NULL, drive, tolerance, exec));
    shoal_tet_liquid_rest(l);
    return SHOAL_OK;
}

// The time since the last stage of a step has ended.
static void end_stage(shoal_tet_liquid* l, int which, double* began) {
    double now = shoal_seconds();
    l->seconds[which] += now - *began;
    *began = now;
}

shoal_status shoal_tet_liquid_flow(shoal_tet_liquid* l, double sharpness, const shoal_exec* exec) {
    const shoal_tet_state* s        = shoal_tet_current(l);
    const shoal_v3*        velocity = l->is_struck ? l->struck : s->velocity;
    shoal_tet_walls        walls    = {s->walls.of, l->is_struck ? l->struck_wall : s->walls.wall};
    bool                   is_now   = l->flow.mesh == &s->mesh && l->flow.velocity == velocity;
    if (is_now && l->sharpness == sharpness) return SHOAL_OK;
    double began = shoal_seconds();
    l->flow.mesh = NULL;
    SHOAL_TRY(liquid_find_neighbours(l, &l->states[l->current], false, exec));
    end_stage(l, SHOAL_TET_STAGE_MESH, &began); // after a step it is counted with that
    l->sharpness   = sharpness;
    l->flow.band   = &s->band;
    l->flow.flying = s->flying;
    return shoal_tet_flow_make(&l->flow, &s->work, &s->mesh, velocity, &walls, s->is_air, sharpness, exec);
}

static int only_balance(const shoal_tet_liquid* l) {
    int balance = -1;
    for (int b = 0; b < l->balance_count; b++)
        if (l->sums[b].parts > 0) balance = b;
    return balance;
}

// The balances after a step.
static shoal_status balance_parts(shoal_tet_liquid* l, const shoal_tet_solids* solids, const shoal_tet_drive* drive,
                                  bool is_thick) {
    double*      credit;
    size_t       mark   = l->arena.used;
    shoal_status status = liquid_credit(l, drive, solids, &credit);
    if (status == SHOAL_OK) status = liquid_close_balances(l, credit, is_thick);
    shoal_arena_back(&l->arena, mark);
    return status;
}

static shoal_status step(shoal_tet_liquid* l, double dt, const shoal_tet_solids* solids, const shoal_tet_drive* drive,
                         const shoal_tet_options* options, const shoal_exec* exec) {
    shoal_tet_state *from = &l->states[l->current], *to = &l->states[1 - l->current];
    double           began;
    bool             is_thick = options->thicken.thin > 0.0;
    liquid_places    before, after;
    shoal_tet_liquid_rest(l); // what a step that failed has left
    for (int k = 0; k < SHOAL_TET_STAGES; k++) l->seconds[k] = 0.0;
    began = shoal_seconds();
    if (drive->before) SHOAL_TRY(liquid_strike(l, drive->before, dt, options->tolerance, exec));
    end_stage(l, SHOAL_TET_STAGE_PRESSURE, &began);
    SHOAL_TRY(shoal_tet_liquid_flow(l, options->sharpness, exec));
    began = shoal_seconds();
    if (!from->band.has_surface) SHOAL_TRY(shoal_band_contour(&from->band, exec)); // a step that failed has taken it
    l->flow.core = options->core;
    SHOAL_TRY(liquid_open_balances(l, from, options->keeps_volume));
    bool has_balances = liquid_balances_in_use(l) > 1, has_kin = has_balances;
    if (has_kin) SHOAL_TRY(liquid_keep_places(l, &from->band, true, &before));
    liquid_field job = {.solids  = solids,
                        .cell    = from->band.grid.cell,
                        .state   = from,
                        .from    = &from->band,
                        .flow    = &l->flow,
                        .drive   = drive,
                        .dt      = dt,
                        .liquid  = l,
                        .places  = has_balances ? &before : NULL,
                        .balance = only_balance(l),
                        .down    = l->down};
    liquid_measure_exchange(l, &job, exec);
    if (!has_kin && l->emitted > 0.0 && l->surface_state == from) { // where one balance is, a tap may begin another
        has_kin = true;
        SHOAL_TRY(liquid_keep_places(l, &from->band, true, &before));
    }
    if (is_thick) {
        SHOAL_TRY(shoal_tet_thicken_make(&l->thicken, &from->band, l->flow.tree, &options->thicken,
                                         liquid_is_off_solids, liquid_carry, &job, exec));
        job.thicken = &l->thicken;
    }
    to->band.is_redistanced = options->is_redistanced;
    l->surface_state        = NULL; // the two surfaces have triangles in turns
    liquid_move_triangles(&l->surface, &from->band.surface);
    SHOAL_TRY(shoal_band_follow(&from->band, liquid_carried, liquid_go, &job, drive->seeds, drive->seed_count, exec,
                                &to->band));
    end_stage(l, SHOAL_TET_STAGE_TRACK, &began);
    SHOAL_TRY(liquid_make_mesh(l, to, solids, exec));
    end_stage(l, SHOAL_TET_STAGE_MESH, &began);
    SHOAL_TRY(liquid_make_surface(l, to, solids, exec));
    SHOAL_TRY(liquid_keep_places(l, &to->band, false, &after));
    SHOAL_TRY(liquid_find_kin(l, has_kin ? &before : NULL, &after, &l->flow, dt));
    shoal_tet_liquid_rest(l);
    end_stage(l, SHOAL_TET_STAGE_TRACK, &began);
    if (!options->has_face_velocities) shoal_tet_advect(&l->flow, &to->mesh, dt, options->is_sharp, exec, to->velocity);
    end_stage(l, SHOAL_TET_STAGE_ADVECT, &began);
    SHOAL_TRY(options->has_face_velocities ? liquid_find_neighbours(l, to, true, exec)
                                           : liquid_ready_for_pressure(l, to, drive, exec));
    end_stage(l, SHOAL_TET_STAGE_MESH, &began);
    l->current = 1 - l->current;
    if (!options->has_face_velocities) liquid_let_go(l, to, solids, drive, exec);
    SHOAL_TRY(shoal_tet_projection_assemble(&l->projection, &to->mesh, to->is_air, exec));
    SHOAL_TRY(liquid_open_taps(l, drive, dt, exec));
    SHOAL_TRY(balance_parts(l, solids, drive, is_thick));
    SHOAL_TRY(options->has_face_velocities ? advect_faces_and_project(l, dt, drive, options, exec)
                                           : accelerate_and_project(l, solids, drive, options->tolerance, exec));
    if (options->has_face_velocities) liquid_drop_neighbours(l);
    shoal_tet_liquid_rest(l);
    end_stage(l, SHOAL_TET_STAGE_PRESSURE, &began);
    return SHOAL_OK;
}

shoal_status shoal_tet_liquid_step(shoal_tet_liquid* l, double dt, const shoal_tet_solids* solids,
                                   const shoal_tet_drive* drive, const shoal_tet_options* options,
                                   const shoal_exec* exec) {
    shoal_status status = step(l, dt, solids, drive, options, exec);
    l->is_struck        = false;
    return status;
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

typedef struct fast_job {
    const shoal_tet_state* state;
    double                 speed2;
} fast_job;
static double faster_block(void* ctx, int begin, int end) {
    const fast_job* job   = ctx;
    int             count = 0;
    for (int t = begin; t < end; t++)
        count += (double)shoal_v3_dot(job->state->velocity[t], job->state->velocity[t]) > job->speed2;
    return count;
}
int shoal_tet_faster(const shoal_tet_liquid* l, double speed, const shoal_exec* exec) {
    fast_job job = {shoal_tet_current(l), speed * speed};
    return (int)shoal_sum(exec, job.state->mesh.tet_count, faster_block, &job);
}

typedef struct impact_job {
    const shoal_tet_liquid* liquid;
    const shoal_tet_solids* solids;
    double                  dt;
    double*                 into; // [vertices] m^3
} impact_job;

#define PART_REACH 2.5 // cells; points of the surface so near tell the part that a vertex at the air is of

static double into_solids(const impact_job* job, int v, shoal_clear* last) {
    const shoal_tet_state* s    = shoal_tet_current(job->liquid);
    const shoal_tetmesh*   mesh = &s->mesh;
    shoal_d3               u = shoal_d3_from(job->liquid->flow.mean_velocity[v]), out = {0.0, 0.0, 0.0}, area[4];
    if (!s->is_air[v] || s->walls.of[v] >= 0) return 0.0;
    bool is_off = shoal_clear_off(last, mesh->position[v]) >= shoal_d3_length(u) * job->dt;
    if (is_off && !job->solids->have_moved) return 0.0;
    shoal_tet_wall wall;
    double         off    = liquid_off(job->solids, mesh->position[v], &wall, last);
    shoal_d3       normal = shoal_d3_from(wall.normal);
    double         in     = -shoal_d3_dot(shoal_d3_sub(u, shoal_d3_from(wall.velocity)), normal) * job->dt - off;
    if (!(in > 0.0)) return 0.0;
    // its part of the surface: what closes the faces of its tetrahedra that are across from it
    for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
        shoal_tet_areas(mesh, mesh->incident[i] / 4, area);
        out = shoal_d3_sub(out, area[mesh->incident[i] % 4]);
    }
    return in * fmax(0.0, -shoal_d3_dot(out, normal)) / 3.0;
}
static void impact_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    impact_job* job  = ctx;
    shoal_clear last = {.off = (double)-INFINITY};
    for (int v = begin; v < end; v++) job->into[v] = into_solids(job, v, &last);
}

// The largest fraction of a balance, of the volumes that go in at the vertices.
static shoal_status largest_fraction(shoal_tet_liquid* l, const double* into, double* most) {
    const shoal_tet_state* s = shoal_tet_current(l);
    double *               volume, *sum;
    liquid_places          places;
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&volume, (size_t)l->balance_count, sizeof *volume));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&sum, (size_t)l->balance_count, sizeof *sum));
    SHOAL_TRY(liquid_keep_places(l, &s->band, false, &places));
    for (int b = 0; b < l->balance_count; b++) volume[b] = sum[b] = 0.0;
    for (int k = 0; k < l->parts.count; k++) volume[l->parts.part[k].balance] += l->parts.part[k].volume;
    volume[0] = s->surface_volume;
    for (int v = 0; v < s->mesh.vertex_count; v++) {
        if (!(into[v] > 0.0)) continue;
        int part = liquid_part_near(&places, s->mesh.position[v], PART_REACH);
        sum[part < 0 ? 0 : l->parts.part[part].balance] += into[v];
    }
    *most = 0.0;
    for (int b = 0; b < l->balance_count; b++)
        if (sum[b] > 0.0) *most = fmax(*most, sum[b] / fmax(volume[b], 1e-30));
    return SHOAL_OK;
}

shoal_status shoal_tet_into_solids(shoal_tet_liquid* l, const shoal_tet_solids* solids, double dt,
                                   const shoal_exec* exec, double* most) {
    impact_job job  = {l, solids, dt, NULL};
    size_t     mark = l->arena.used;
    int        n    = shoal_tet_current(l)->mesh.vertex_count;
    SHOAL_ASSERT(l->surface_state == shoal_tet_current(l) && l->balance_count > 0);
    shoal_status status = shoal_arena_make(&l->arena, (void**)&job.into, (size_t)n, sizeof *job.into);
    if (status == SHOAL_OK) {
        shoal_blocks(exec, n, BLOCK, impact_block, &job);
        status = largest_fraction(l, job.into, most);
    }
    shoal_arena_back(&l->arena, mark);
    return status;
}
