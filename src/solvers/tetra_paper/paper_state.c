// SPDX-License-Identifier: MIT
// The liquid as sets, which are saved, shown and restored, and back. The state is the band of the tracked surface, and
// the velocities of the tetrahedra; the mesh is made anew of it, the same, when a state is loaded.
#include "solvers/tetra_paper/paper_local.h"

#include <string.h>

enum { BLOCK = 1024, NODES = SHOAL_SPARSE_SAMPLES, WORDS = SHOAL_SPARSE_SAMPLES / 64 };

static const shoal_field_def vertex_fields[]  = {PAPER_VERTEX_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def tet_fields[]     = {PAPER_TET_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def point_fields[]   = {PAPER_POINT_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def face_fields[]    = {PAPER_FACE_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def once_fields[]    = {PAPER_ONCE_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def emitter_fields[] = {PAPER_EMITTER_FIELDS(SHOAL_FIELD_ROW){0}};
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

static const shoal_field_def part_fields[] = {
    SHOAL_FIELD("balance", I1, 1, STATE, "", "balance of volume that a part of the liquid is in"), {0}};
static const shoal_field_def balance_fields[] = {PAPER_BALANCE_FIELDS(SHOAL_FIELD_ROW){0}};

const shoal_set_def paper_sets[] = {
    [PAPER_VERTICES] = {.name = "vertices", .life = SHOAL_REBUILT, .fields = vertex_fields},
    [PAPER_TETS]     = {.name = "tets", .life = SHOAL_REBUILT, .fields = tet_fields, .kinds = 1u << SHOAL_LIQUID},
    [PAPER_POINTS]   = {.name = "surface_vertices", .life = SHOAL_REBUILT, .fields = point_fields},
    [PAPER_SURFACE]  = {.name = "surface", .life = SHOAL_REBUILT, .fields = face_fields},
    [PAPER_BAND]     = {.name = "band", .life = SHOAL_REBUILT, .fields = band_fields},
    [PAPER_ONCE]     = {.name = "once", .life = SHOAL_FIXED, .fields = once_fields},
    [PAPER_EMITTERS] = {.name = "emitters", .life = SHOAL_FIXED, .fields = emitter_fields},
    [PAPER_SOLIDS]   = {.name = "solids", .life = SHOAL_FIXED, .fields = solid_fields},
    [PAPER_PARTS]    = {.name = "parts", .life = SHOAL_REBUILT, .fields = part_fields},
    [PAPER_BALANCES] = {.name = "balances", .life = SHOAL_REBUILT, .fields = balance_fields},
    [PAPER_SETS]     = {0},
};

paper_once paper_once_of(const paper* s) {
    const shoal_set* set = s->ctx->sets[PAPER_ONCE];
    paper_once       once, *v = &once;
    PAPER_ONCE_FIELDS(SHOAL_FIELD_BIND)
    return once;
}

typedef struct balance_view {
    PAPER_BALANCE_FIELDS(SHOAL_FIELD_MEMBER)
} balance_view;
static void bind_balances(const shoal_set* set, balance_view* v) { PAPER_BALANCE_FIELDS(SHOAL_FIELD_BIND) }

// A step that has failed may have changed them, but has left no less memory for them.
static void recall_balances(paper* s) {
    shoal_tet_liquid* l     = &s->liquid;
    const shoal_set * parts = s->ctx->sets[PAPER_PARTS], *balances = s->ctx->sets[PAPER_BALANCES];
    const int32_t*    balance = shoal_set_data(parts, "balance");
    balance_view      v;
    bind_balances(balances, &v);
    SHOAL_ASSERT(balances->count <= l->balance_capacity);
    l->balance_count = balances->count;
    for (int b = 0; b < balances->count; b++)
        l->balances[b] = (shoal_tet_balance){v.due[b], v.drift[b], v.gain[b], v.correction[b], v.volume_change[b]};
    for (int k = 0; k < parts->count && l->parts.count == parts->count; k++) l->parts.part[k].balance = balance[k];
}

void paper_recall(paper* s) {
    s->liquid.current = *paper_once_of(s).state;
    recall_balances(s);
}

shoal_status paper_show_balances(const paper* s) {
    const shoal_tet_liquid* l     = &s->liquid;
    shoal_set *             parts = s->ctx->sets[PAPER_PARTS], *balances = s->ctx->sets[PAPER_BALANCES];
    balance_view            v;
    SHOAL_TRY(shoal_set_rebuild(parts, l->parts.count));
    SHOAL_TRY(shoal_set_rebuild(balances, l->balance_count));
    int32_t* balance = shoal_set_data(parts, "balance");
    bind_balances(balances, &v);
    for (int k = 0; k < parts->count; k++) balance[k] = l->parts.part[k].balance;
    for (int b = 0; b < balances->count; b++) {
        v.due[b]           = l->balances[b].due;
        v.drift[b]         = l->balances[b].drift;
        v.gain[b]          = l->balances[b].gain;
        v.correction[b]    = l->balances[b].correction;
        v.volume_change[b] = l->balances[b].change;
    }
    return SHOAL_OK;
}

// --- to the sets

typedef struct vertex_view {
    PAPER_VERTEX_FIELDS(SHOAL_FIELD_MEMBER)
} vertex_view;

typedef struct show_job {
    const shoal_tet_liquid* liquid;
    const paper_shown*      shown;
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

static void lend_material(const paper* s) {
    shoal_set_lend(s->ctx->sets[PAPER_TETS], "material", s->shown.material);
    shoal_set_lend(s->ctx->sets[PAPER_VERTICES], "material", s->shown.material);
    if (s->shown.point_velocity) shoal_set_lend(s->ctx->sets[PAPER_POINTS], "material", s->shown.material);
}
// Material for so many; all there are have the same.
static shoal_status make_material(paper* s, int count) {
    if (count <= s->shown.material_capacity) return SHOAL_OK;
    SHOAL_TRY(shoal_reserve_safely((void**)&s->shown.material, &s->shown.material_capacity, count,
                                   sizeof *s->shown.material));
    memset(s->shown.material, s->material, (size_t)s->shown.material_capacity);
    return SHOAL_OK;
}

static shoal_status show_surface(paper* s) {
    shoal_set *          set = s->ctx->sets[PAPER_POINTS], *faces = s->ctx->sets[PAPER_SURFACE];
    shoal_tet_solids     solids  = {.ctx = s->solids.ctx, .distance = s->solids.distance};
    const shoal_contour* surface = &s->liquid.surface;
    show_job             job     = {.liquid = &s->liquid, .shown = &s->shown};
    SHOAL_TRY(shoal_tet_liquid_surface(&s->liquid, &solids, &s->ctx->exec));
    SHOAL_TRY(shoal_reserve_safely((void**)&s->shown.point_velocity, &s->shown.point_capacity, surface->vertex_count,
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
static void lend_mesh(const paper* s) {
    const shoal_tet_state* now  = shoal_tet_current(&s->liquid);
    shoal_set *            tets = s->ctx->sets[PAPER_TETS], *vertices = s->ctx->sets[PAPER_VERTICES];
    shoal_set_lend(tets, "corners", now->mesh.tets);
    shoal_set_lend(tets, "velocity", now->velocity);
    shoal_set_lend(tets, "position", s->shown.middle);
    shoal_set_lend(tets, "volume", s->shown.volume);
    shoal_set_lend(vertices, "position", s->shown.position);
    shoal_set_lend(vertices, "velocity", s->liquid.flow.mean_velocity);
    shoal_set_lend(vertices, "loose", now->is_loose);
    shoal_set_lend(vertices, "flying", now->flying);
    lend_material(s);
}

// Shows the mesh of now, behind its neighbours. Showing it once more does not fail: the block has space for it.
static shoal_status show_mesh(paper* s) {
    const shoal_tetmesh* mesh  = &shoal_tet_current(&s->liquid)->mesh;
    paper_shown*         shown = &s->shown;
    shoal_arena*         arena = &s->liquid.arena;
    show_job             job   = {.liquid = &s->liquid, .shown = shown};
    size_t               tets = (size_t)mesh->tet_count, vertices = (size_t)mesh->vertex_count;
    int                  most = s->ctx->sets[PAPER_POINTS]->count;
    if (most < mesh->tet_count) most = mesh->tet_count;
    if (most < mesh->vertex_count) most = mesh->vertex_count;
    SHOAL_TRY(make_material(s, most));
    shoal_tet_liquid_rest(&s->liquid);
    SHOAL_TRY(shoal_arena_make(arena, (void**)&shown->middle, tets, sizeof *shown->middle));
    SHOAL_TRY(shoal_arena_make(arena, (void**)&shown->volume, tets, sizeof *shown->volume));
    SHOAL_TRY(shoal_arena_make(arena, (void**)&shown->position, vertices, sizeof *shown->position));
    shoal_blocks(&s->ctx->exec, mesh->tet_count, BLOCK, tet_block, &job);
    shoal_blocks(&s->ctx->exec, mesh->vertex_count, BLOCK, place_block, &job);
    lend_mesh(s);
    return SHOAL_OK;
}

// The solids to where the mesh of now has met them.
static void put_solids(paper* s) {
    paper_once    once = paper_once_of(s);
    const double* pose = shoal_set_data(s->ctx->sets[PAPER_SOLIDS], "pose");
    s->solids          = paper_solids(s, *once.placed, *once.span);
    for (int c = 0; c < s->world->collider_count; c++)
        shoal_collider_read(&s->world->colliders[c], pose + (size_t)SHOAL_COLLIDER_NUMBERS * (size_t)c);
}

static void hide_surface(const paper* s) {
    (void)shoal_set_rebuild(s->ctx->sets[PAPER_POINTS], 0);
    (void)shoal_set_rebuild(s->ctx->sets[PAPER_SURFACE], 0);
}
// Where there is no memory for the surface there is none.
static void show_surface_again(paper* s) {
    if (show_surface(s) != SHOAL_OK) hide_surface(s);
}

void paper_undone(void* self) {
    paper* s = self;
    paper_recall(s);
    put_solids(s);
    shoal_tet_liquid_rest(&s->liquid);
    shoal_status status = shoal_tet_liquid_flow(&s->liquid, (double)s->params.sharpness, &s->ctx->exec);
    if (status == SHOAL_OK && s->shown.is_surface_new) show_surface_again(s);
    if (status == SHOAL_OK) status = show_mesh(s);
    SHOAL_ASSERT(status == SHOAL_OK); // the arena has had room for all of it, and keeps that
    (void)status;
}

static void lend_band(const paper* s) {
    const shoal_band* band = &shoal_tet_current(&s->liquid)->band;
    shoal_set*        set  = s->ctx->sets[PAPER_BAND];
    shoal_set_lend(set, "key", band->grid.keys);
    shoal_set_lend(set, "values", band->grid.values);
    shoal_set_lend(set, "known", band->known);
    shoal_set_lend(set, "inside", band->inside);
}

static void bind_vertices(const shoal_set* set, vertex_view* v){PAPER_VERTEX_FIELDS(SHOAL_FIELD_BIND)}

shoal_status paper_show(paper* s, double dt, bool is_seen) {
    const shoal_tetmesh* mesh     = &shoal_tet_current(&s->liquid)->mesh;
    shoal_set *          vertices = s->ctx->sets[PAPER_VERTICES], *tets = s->ctx->sets[PAPER_TETS];
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
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[PAPER_BAND], shoal_tet_current(&s->liquid)->band.grid.block_count));
    lend_band(s);
    return SHOAL_OK;
}

void paper_show_solids(const paper* s) {
    double* pose = shoal_set_data(s->ctx->sets[PAPER_SOLIDS], "pose");
    for (int c = 0; c < s->world->collider_count; c++)
        shoal_collider_write(&s->world->colliders[c], pose + (size_t)SHOAL_COLLIDER_NUMBERS * (size_t)c);
}

// --- and back

// Makes room for them.
static shoal_status check_balances(paper* s) {
    shoal_tet_liquid* l     = &s->liquid;
    const shoal_set * parts = s->ctx->sets[PAPER_PARTS], *balances = s->ctx->sets[PAPER_BALANCES];
    const int32_t*    balance = shoal_set_data(parts, "balance");
    bool              is_one  = balances->count > 0;
    for (int k = 0; k < parts->count; k++) is_one &= balance[k] >= 0 && balance[k] < balances->count;
    if (!is_one) return shoal_fail(SHOAL_ERR_INPUT, "the saved state has volumes of no part of the liquid");
    return shoal_reserve((void**)&l->balances, &l->balance_capacity, balances->count, sizeof *l->balances);
}

shoal_status paper_check(void* self) {
    paper*           s    = self;
    paper_once       once = paper_once_of(s);
    const shoal_set *set = s->ctx->sets[PAPER_BAND], *tets = s->ctx->sets[PAPER_TETS];
    if (*once.state < 0 || *once.state > 1 || *once.span < 0.0)
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has a mesh of no time");
    SHOAL_TRY(check_balances(s));
    paper_recall(s);
    shoal_tet_state* now = &s->liquid.states[s->liquid.current];
    put_solids(s);
    SHOAL_TRY(shoal_band_restore(&now->band, set->count, shoal_set_data(set, "key"), shoal_set_data(set, "values"),
                                 shoal_set_data(set, "known"), shoal_set_data(set, "inside"), &s->ctx->exec));
    SHOAL_TRY(shoal_tet_liquid_remesh(&s->liquid, &s->solids, &s->ctx->exec));
    bool is_same = now->mesh.tet_count == tets->count && now->mesh.vertex_count == s->ctx->sets[PAPER_VERTICES]->count;
    if (!is_same || (tets->count > 0 && memcmp(shoal_set_data(tets, "corners"), now->mesh.tets,
                                               (size_t)tets->count * sizeof *now->mesh.tets) != 0))
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has tetrahedra that are not those of its surface");
    if (s->liquid.parts.count != s->ctx->sets[PAPER_PARTS]->count)
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has parts of liquid that are not those of its surface");
    recall_balances(s);
    if (tets->count > 0)
        memcpy(now->velocity, shoal_set_data(tets, "velocity"), (size_t)tets->count * sizeof *now->velocity);
    if (now->mesh.vertex_count > 0) {
        memcpy(now->is_loose, shoal_set_data(s->ctx->sets[PAPER_VERTICES], "loose"), (size_t)now->mesh.vertex_count);
        memcpy(now->flying, shoal_set_data(s->ctx->sets[PAPER_VERTICES], "flying"), (size_t)now->mesh.vertex_count);
    }
    shoal_tet_let_go(now);
    SHOAL_TRY(shoal_tet_liquid_flow(&s->liquid, (double)s->params.sharpness, &s->ctx->exec));
    SHOAL_TRY(show_mesh(s));
    lend_band(s);
    return SHOAL_OK;
}
