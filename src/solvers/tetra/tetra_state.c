// SPDX-License-Identifier: MIT
// The liquid as sets, which are saved, shown and restored, and back. The state is the band of the tracked surface, and
// the velocities of the tetrahedra; the mesh is made anew of it, the same, when a state is loaded.
#include "solvers/tetra/tetra_local.h"

#include <string.h>

enum { BLOCK = 1024, NODES = SHOAL_SPARSE_SAMPLES, WORDS = SHOAL_SPARSE_SAMPLES / 64 };

static const shoal_field_def vertex_fields[]  = {TETRA_VERTEX_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def tet_fields[]     = {TETRA_TET_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def point_fields[]   = {TETRA_POINT_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def face_fields[]    = {TETRA_FACE_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def once_fields[]    = {TETRA_ONCE_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def emitter_fields[] = {TETRA_EMITTER_FIELDS(SHOAL_FIELD_ROW){0}};
// Blocks of the lattice of the tracked surface, as of shoal_band.
static const shoal_field_def band_fields[] = {
    SHOAL_FIELD("key", L1, 1, LENT_STATE, "", "place of a block of 8 x 8 x 8 nodes"),
    SHOAL_FIELD("values", F1, NODES, LENT_STATE, "m", "distance to the surface, negative inside"),
    SHOAL_FIELD("known", L1, WORDS, LENT_STATE, "", "bits of nodes that are near enough to have one"),
    SHOAL_FIELD("inside", L1, WORDS, LENT_STATE, "", "bits of nodes that are inside"),
    {0}};

// The solids where the mesh has met them, which callers may have moved on since.
static const shoal_field_def solid_fields[] = {
    SHOAL_FIELD("pose", D1, SHOAL_COLLIDER_NUMBERS, STATE, "", "place, turn and motion, as of shoal_collider_write"),
    {0}};

const shoal_set_def tetra_sets[] = {
    [TETRA_VERTICES] = {.name = "vertices", .life = SHOAL_REBUILT, .fields = vertex_fields},
    [TETRA_TETS]     = {.name = "tets", .life = SHOAL_REBUILT, .fields = tet_fields, .kinds = 1u << SHOAL_LIQUID},
    [TETRA_POINTS]   = {.name = "surface_vertices", .life = SHOAL_REBUILT, .fields = point_fields},
    [TETRA_SURFACE]  = {.name = "surface", .life = SHOAL_REBUILT, .fields = face_fields},
    [TETRA_BAND]     = {.name = "band", .life = SHOAL_REBUILT, .fields = band_fields},
    [TETRA_ONCE]     = {.name = "once", .life = SHOAL_FIXED, .fields = once_fields},
    [TETRA_EMITTERS] = {.name = "emitters", .life = SHOAL_FIXED, .fields = emitter_fields},
    [TETRA_SOLIDS]   = {.name = "solids", .life = SHOAL_FIXED, .fields = solid_fields},
    [TETRA_SETS]     = {0},
};

tetra_once tetra_once_of(const tetra* s) {
    const shoal_set* set = s->ctx->sets[TETRA_ONCE];
    tetra_once       once, *v = &once;
    TETRA_ONCE_FIELDS(SHOAL_FIELD_BIND)
    return once;
}

void tetra_recall(tetra* s) {
    tetra_once once           = tetra_once_of(s);
    s->liquid.current         = *once.state;
    s->liquid.target_volume   = *once.target_volume;
    s->liquid.drift           = *once.drift;
    s->liquid.volume_gain     = *once.volume_gain;
    s->liquid.last_correction = *once.last_correction;
    s->liquid.last_change     = *once.last_change;
}

// --- to the sets

typedef struct vertex_view {
    TETRA_VERTEX_FIELDS(SHOAL_FIELD_MEMBER)
} vertex_view;

typedef struct show_job {
    const shoal_tet_liquid* liquid;
    const tetra_shown*      shown;
    vertex_view             vertices;
    double                  to_pascal; // of what the projection gives
} show_job;

static void tet_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    show_job*              job  = ctx;
    const shoal_tet_state* s    = shoal_tet_current(job->liquid);
    const shoal_tetmesh*   mesh = &s->mesh;
    for (int t = begin; t < end; t++) {
        job->shown->middle[t] = shoal_v3_from(shoal_tet_centroid(mesh, t));
        job->shown->volume[t] = (float)shoal_tet_held(s, t);
    }
}
static void place_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    show_job*            job  = ctx;
    const shoal_tetmesh* mesh = &shoal_tet_current(job->liquid)->mesh;
    for (int v = begin; v < end; v++) job->shown->position[v] = shoal_v3_from(mesh->position[v]);
}

static void vertex_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    show_job* job = ctx;
    for (int v = begin; v < end; v++) {
        job->vertices.velocity[v] = job->liquid->flow.mean_velocity[v];
        job->vertices.pressure[v] = (float)(job->to_pascal * job->liquid->pressure[v]);
    }
}

static void point_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    show_job* job = ctx;
    for (int i = begin; i < end; i++)
        job->shown->point_velocity[i] =
            shoal_v3_from(shoal_tet_mean_velocity(&job->liquid->flow, shoal_d3_from(job->liquid->surface.vertices[i])));
}

// As shoal_reserve, but without memory for it there is still what was there.
static shoal_status make_more(void** memory, int* capacity, int count, size_t size) {
    int all = count + count / 16 + 1;
    if (count <= *capacity) return SHOAL_OK;
    SHOAL_TRY(shoal_realloc(memory, 0, (size_t)all, size));
    *capacity = all;
    return SHOAL_OK;
}
static void lend_material(const tetra* s) {
    shoal_set_lend(s->ctx->sets[TETRA_TETS], "material", s->shown.material);
    shoal_set_lend(s->ctx->sets[TETRA_VERTICES], "material", s->shown.material);
    if (s->shown.point_velocity) shoal_set_lend(s->ctx->sets[TETRA_POINTS], "material", s->shown.material);
}
// Material for so many; all there are have the same.
static shoal_status make_material(tetra* s, int count) {
    if (count <= s->shown.material_capacity) return SHOAL_OK;
    SHOAL_TRY(make_more((void**)&s->shown.material, &s->shown.material_capacity, count, sizeof *s->shown.material));
    memset(s->shown.material, s->material, (size_t)s->shown.material_capacity);
    return SHOAL_OK;
}

static shoal_status show_surface(tetra* s) {
    shoal_set *          set = s->ctx->sets[TETRA_POINTS], *faces = s->ctx->sets[TETRA_SURFACE];
    shoal_tet_solids     solids  = {.ctx = s->solids.ctx, .distance = s->solids.distance};
    const shoal_contour* surface = &s->liquid.surface;
    show_job             job     = {.liquid = &s->liquid, .shown = &s->shown};
    SHOAL_TRY(shoal_tet_liquid_surface(&s->liquid, &solids, &s->ctx->exec));
    SHOAL_TRY(make_more((void**)&s->shown.point_velocity, &s->shown.point_capacity, surface->vertex_count,
                        sizeof *s->shown.point_velocity));
    SHOAL_TRY(make_material(s, surface->vertex_count));
    SHOAL_TRY(shoal_set_rebuild(set, surface->vertex_count));
    SHOAL_TRY(shoal_set_rebuild(faces, surface->triangle_count));
    shoal_blocks(&s->ctx->exec, surface->vertex_count, BLOCK, point_block, &job);
    shoal_set_lend(set, "position", surface->vertices);
    shoal_set_lend(set, "velocity", s->shown.point_velocity);
    shoal_set_lend(faces, "corners", surface->triangles);
    lend_material(s);
    return SHOAL_OK;
}

// Corners, velocities and the band lie in the states of the liquid, of which one is that of before.
static void lend_mesh(const tetra* s) {
    const shoal_tet_state* now  = shoal_tet_current(&s->liquid);
    shoal_set *            tets = s->ctx->sets[TETRA_TETS], *vertices = s->ctx->sets[TETRA_VERTICES];
    shoal_set_lend(tets, "corners", now->mesh.tets);
    shoal_set_lend(tets, "velocity", now->velocity);
    shoal_set_lend(tets, "position", s->shown.middle);
    shoal_set_lend(tets, "volume", s->shown.volume);
    shoal_set_lend(vertices, "position", s->shown.position);
    lend_material(s);
}

// Shows the mesh of now. Showing it once more does not fail: the block has space for it.
static shoal_status show_mesh(tetra* s) {
    const shoal_tetmesh* mesh  = &shoal_tet_current(&s->liquid)->mesh;
    tetra_shown*         shown = &s->shown;
    shoal_arena*         arena = &s->liquid.arena;
    show_job             job   = {.liquid = &s->liquid, .shown = shown};
    size_t               tets = (size_t)mesh->tet_count, vertices = (size_t)mesh->vertex_count;
    int                  most = s->ctx->sets[TETRA_POINTS]->count;
    if (most < mesh->tet_count) most = mesh->tet_count;
    if (most < mesh->vertex_count) most = mesh->vertex_count;
    SHOAL_TRY(make_material(s, most));
    shoal_arena_back(arena, 0);
    SHOAL_TRY(shoal_arena_hold(arena, tets * (sizeof *shown->middle + sizeof *shown->volume) +
                                          vertices * sizeof *shown->position + 3 * SHOAL_ARENA_ALIGN));
    shown->middle   = shoal_arena_take(arena, tets, sizeof *shown->middle);
    shown->volume   = shoal_arena_take(arena, tets, sizeof *shown->volume);
    shown->position = shoal_arena_take(arena, vertices, sizeof *shown->position);
    shoal_blocks(&s->ctx->exec, mesh->tet_count, BLOCK, tet_block, &job);
    shoal_blocks(&s->ctx->exec, mesh->vertex_count, BLOCK, place_block, &job);
    lend_mesh(s);
    return SHOAL_OK;
}

// The solids to where the mesh of now has met them.
static void put_solids(tetra* s) {
    tetra_once    once = tetra_once_of(s);
    const double* pose = shoal_set_data(s->ctx->sets[TETRA_SOLIDS], "pose");
    s->solids          = tetra_solids(s, *once.placed, *once.span);
    for (int c = 0; c < s->world->collider_count; c++)
        shoal_collider_read(&s->world->colliders[c], pose + (size_t)SHOAL_COLLIDER_NUMBERS * (size_t)c);
}

static void hide_surface(const tetra* s) {
    (void)shoal_set_rebuild(s->ctx->sets[TETRA_POINTS], 0);
    (void)shoal_set_rebuild(s->ctx->sets[TETRA_SURFACE], 0);
}
// Where there is no memory for the surface there is none.
static void show_surface_again(tetra* s) {
    put_solids(s);
    if (shoal_tet_liquid_flow(&s->liquid, (double)s->params.sharpness, &s->ctx->exec) == SHOAL_OK &&
        show_surface(s) == SHOAL_OK)
        return;
    hide_surface(s);
}

void tetra_undone(void* self) {
    tetra* s = self;
    tetra_recall(s);
    shoal_arena_back(&s->liquid.arena, 0);
    if (s->shown.is_surface_new) show_surface_again(s);
    shoal_status status = show_mesh(s);
    SHOAL_ASSERT(status == SHOAL_OK);
    (void)status;
}

static void lend_band(const tetra* s) {
    const shoal_band* band = &shoal_tet_current(&s->liquid)->band;
    shoal_set*        set  = s->ctx->sets[TETRA_BAND];
    shoal_set_lend(set, "key", band->grid.keys);
    shoal_set_lend(set, "values", band->grid.values);
    shoal_set_lend(set, "known", band->known);
    shoal_set_lend(set, "inside", band->inside);
}

static void bind_vertices(const shoal_set* set, vertex_view* v){TETRA_VERTEX_FIELDS(SHOAL_FIELD_BIND)}

shoal_status tetra_show(tetra* s, double dt, bool is_seen) {
    const shoal_tetmesh* mesh     = &shoal_tet_current(&s->liquid)->mesh;
    shoal_set *          vertices = s->ctx->sets[TETRA_VERTICES], *tets = s->ctx->sets[TETRA_TETS];
    double               density = (double)s->ctx->description->materials[s->material].density;
    show_job             job     = {.liquid = &s->liquid, .to_pascal = dt > 0.0 ? density / dt : 0.0};
    SHOAL_TRY(shoal_tet_liquid_flow(&s->liquid, (double)s->params.sharpness, &s->ctx->exec));
    if (is_seen)
        SHOAL_TRY(show_surface(s));
    else
        hide_surface(s);
    SHOAL_TRY(shoal_set_rebuild(vertices, mesh->vertex_count));
    SHOAL_TRY(shoal_set_rebuild(tets, mesh->tet_count));
    SHOAL_TRY(show_mesh(s));
    bind_vertices(vertices, &job.vertices);
    shoal_blocks(&s->ctx->exec, mesh->vertex_count, BLOCK, vertex_block, &job);
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[TETRA_BAND], shoal_tet_current(&s->liquid)->band.grid.block_count));
    lend_band(s);
    return SHOAL_OK;
}

void tetra_show_solids(const tetra* s) {
    double* pose = shoal_set_data(s->ctx->sets[TETRA_SOLIDS], "pose");
    for (int c = 0; c < s->world->collider_count; c++)
        shoal_collider_write(&s->world->colliders[c], pose + (size_t)SHOAL_COLLIDER_NUMBERS * (size_t)c);
}

// --- and back

shoal_status tetra_check(void* self) {
    tetra*           s    = self;
    tetra_once       once = tetra_once_of(s);
    const shoal_set *set = s->ctx->sets[TETRA_BAND], *tets = s->ctx->sets[TETRA_TETS];
    if (*once.state < 0 || *once.state > 1 || *once.span < 0.0)
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has a mesh of no time");
    tetra_recall(s);
    shoal_tet_state* now = &s->liquid.states[s->liquid.current];
    put_solids(s);
    SHOAL_TRY(shoal_band_restore(&now->band, set->count, shoal_set_data(set, "key"), shoal_set_data(set, "values"),
                                 shoal_set_data(set, "known"), shoal_set_data(set, "inside"), &s->ctx->exec));
    SHOAL_TRY(shoal_tet_liquid_remesh(&s->liquid, &s->solids, &s->ctx->exec));
    bool is_same = now->mesh.tet_count == tets->count && now->mesh.vertex_count == s->ctx->sets[TETRA_VERTICES]->count;
    if (!is_same || (tets->count > 0 && memcmp(shoal_set_data(tets, "corners"), now->mesh.tets,
                                               (size_t)tets->count * sizeof *now->mesh.tets) != 0))
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has tetrahedra that are not those of its surface");
    if (tets->count > 0)
        memcpy(now->velocity, shoal_set_data(tets, "velocity"), (size_t)tets->count * sizeof *now->velocity);
    SHOAL_TRY(show_mesh(s));
    lend_band(s);
    return SHOAL_OK;
}
