// SPDX-License-Identifier: MIT
// The liquid as sets, which are saved, shown and restored, and back. The state is the band of the tracked surface, and
// the velocities of the tetrahedra; the mesh is made anew of it, the same, when a state is loaded.
#include "solvers/tetra_paper/paper_local.h"

#include <string.h>

enum { NODES = SHOAL_SPARSE_SAMPLES, WORDS = SHOAL_SPARSE_SAMPLES / 64 };

static const shoal_field_def vertex_fields[] = {PAPER_VERTEX_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def tet_fields[]    = {PAPER_TET_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def point_fields[]  = {PAPER_POINT_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def face_fields[]   = {PAPER_FACE_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def once_fields[]   = {PAPER_ONCE_FIELDS(SHOAL_FIELD_ROW){0}};
// Blocks of the lattice of the tracked surface, as of shoal_band.
static const shoal_field_def band_fields[] = {
    SHOAL_FIELD("key", L1, 1, STATE, "", "place of a block of 8 x 8 x 8 nodes"),
    SHOAL_FIELD("values", F1, NODES, STATE, "m", "distance to the surface, negative inside"),
    SHOAL_FIELD("known", L1, WORDS, STATE, "", "bits of nodes that are near enough to have one"),
    SHOAL_FIELD("inside", L1, WORDS, STATE, "", "bits of nodes that are inside"),
    {0}};

// The solids where the mesh has met them, which callers may have moved on since.
static const shoal_field_def solid_fields[] = {
    SHOAL_FIELD("pose", D1, SHOAL_COLLIDER_NUMBERS, STATE, "", "place, turn and motion, as of shoal_collider_write"),
    {0}};

const shoal_set_def paper_sets[] = {
    [PAPER_VERTICES] = {.name = "vertices", .life = SHOAL_REBUILT, .fields = vertex_fields},
    [PAPER_TETS]     = {.name = "tets", .life = SHOAL_REBUILT, .fields = tet_fields, .kinds = 1u << SHOAL_LIQUID},
    [PAPER_POINTS]   = {.name = "surface_vertices", .life = SHOAL_REBUILT, .fields = point_fields},
    [PAPER_SURFACE]  = {.name = "surface", .life = SHOAL_REBUILT, .fields = face_fields},
    [PAPER_BAND]     = {.name = "band", .life = SHOAL_REBUILT, .fields = band_fields},
    [PAPER_ONCE]     = {.name = "once", .life = SHOAL_FIXED, .fields = once_fields},
    [PAPER_SOLIDS]   = {.name = "solids", .life = SHOAL_FIXED, .fields = solid_fields},
    [PAPER_SETS]     = {0},
};

paper_once paper_once_of(const paper* s) {
    const shoal_set* set = s->ctx->sets[PAPER_ONCE];
    paper_once       once, *v = &once;
    PAPER_ONCE_FIELDS(SHOAL_FIELD_BIND)
    return once;
}

void paper_recall(paper* s) { s->liquid.current = *paper_once_of(s).state; }

// --- to the sets

typedef struct vertex_view {
    PAPER_VERTEX_FIELDS(SHOAL_FIELD_MEMBER)
} vertex_view;
static void bind_vertices(const shoal_set* set, vertex_view* v) { PAPER_VERTEX_FIELDS(SHOAL_FIELD_BIND) }

typedef struct tet_view {
    PAPER_TET_FIELDS(SHOAL_FIELD_MEMBER)
} tet_view;
static void bind_tets(const shoal_set* set, tet_view* v) { PAPER_TET_FIELDS(SHOAL_FIELD_BIND) }

// Copies what an array holds into a field.
static void put(const shoal_set* set, const char* name, const void* from, size_t size) {
    if (set->count > 0) memcpy(shoal_set_data(set, name), from, (size_t)set->count * size);
}

static shoal_status show_surface(paper* s) {
    shoal_set *          set = s->ctx->sets[PAPER_POINTS], *faces = s->ctx->sets[PAPER_SURFACE];
    const shoal_contour* surface = &shoal_tet_current(&s->liquid)->surface;
    shoal_tet_flow       flow    = shoal_tet_liquid_flow(&s->liquid);
    SHOAL_TRY(shoal_tet_liquid_surface(&s->liquid, &s->solids, &s->ctx->exec));
    SHOAL_TRY(shoal_set_rebuild(set, surface->vertex_count));
    SHOAL_TRY(shoal_set_rebuild(faces, surface->triangle_count));
    shoal_v3* velocity = shoal_set_data(set, "velocity");
    uint8_t*  material = shoal_set_data(set, "material");
    put(set, "position", surface->vertices, sizeof *surface->vertices);
    put(faces, "corners", surface->triangles, 3 * sizeof *surface->triangles);
    for (int i = 0; i < set->count; i++) {
        velocity[i] = shoal_v3_from(shoal_tet_mean_velocity(&flow, shoal_d3_from(surface->vertices[i])));
        material[i] = (uint8_t)s->material;
    }
    return SHOAL_OK;
}

static shoal_status show_band(const paper* s) {
    const shoal_band* band = &shoal_tet_current(&s->liquid)->band;
    shoal_set*        set  = s->ctx->sets[PAPER_BAND];
    SHOAL_TRY(shoal_set_rebuild(set, band->grid.block_count));
    put(set, "key", band->grid.keys, sizeof *band->grid.keys);
    put(set, "values", band->grid.values, NODES * sizeof *band->grid.values);
    put(set, "known", band->known, WORDS * sizeof *band->known);
    put(set, "inside", band->inside, WORDS * sizeof *band->inside);
    return SHOAL_OK;
}

shoal_status paper_show(paper* s, double dt, bool is_seen) {
    const shoal_tet_state* now      = shoal_tet_current(&s->liquid);
    const shoal_tetmesh*   mesh     = &now->mesh;
    shoal_set *            vertices = s->ctx->sets[PAPER_VERTICES], *tets = s->ctx->sets[PAPER_TETS];
    double                 density   = (double)s->ctx->description->materials[s->material].density;
    double                 to_pascal = dt > 0.0 ? density / dt : 0.0;
    vertex_view            v;
    tet_view               t;
    if (is_seen) {
        SHOAL_TRY(show_surface(s));
        *paper_once_of(s).divergence = shoal_tet_faces_divergence(&s->liquid.faces, mesh, &s->ctx->exec);
    } else {
        SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[PAPER_POINTS], 0));
        SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[PAPER_SURFACE], 0));
    }
    SHOAL_TRY(shoal_set_rebuild(vertices, mesh->vertex_count));
    SHOAL_TRY(shoal_set_rebuild(tets, mesh->tet_count));
    bind_vertices(vertices, &v);
    bind_tets(tets, &t);
    put(vertices, "velocity", now->vertex_velocity, sizeof *now->vertex_velocity);
    put(tets, "corners", mesh->tets, sizeof *mesh->tets);
    put(tets, "velocity", now->velocity, sizeof *now->velocity);
    for (int i = 0; i < mesh->vertex_count; i++) {
        v.position[i] = shoal_v3_from(mesh->position[i]);
        v.pressure[i] = (float)(to_pascal * now->pressure[i]);
        v.material[i] = (uint8_t)s->material;
    }
    for (int i = 0; i < mesh->tet_count; i++) {
        shoal_d3 area[4];
        t.position[i] = shoal_v3_from(shoal_tet_centroid(mesh, i));
        t.volume[i]   = (float)shoal_tet_areas(mesh, i, area);
        t.material[i] = (uint8_t)s->material;
    }
    return show_band(s);
}

void paper_show_solids(const paper* s) {
    double* pose = shoal_set_data(s->ctx->sets[PAPER_SOLIDS], "pose");
    for (int c = 0; c < s->world->collider_count; c++)
        shoal_collider_write(&s->world->colliders[c], pose + (size_t)SHOAL_COLLIDER_NUMBERS * (size_t)c);
}

// --- and back

// The solids to where the mesh of now has met them.
static void put_solids(paper* s) {
    paper_once    once = paper_once_of(s);
    const double* pose = shoal_set_data(s->ctx->sets[PAPER_SOLIDS], "pose");
    s->solids          = paper_solids(s, *once.placed, *once.span);
    for (int c = 0; c < s->world->collider_count; c++)
        shoal_collider_read(&s->world->colliders[c], pose + (size_t)SHOAL_COLLIDER_NUMBERS * (size_t)c);
}

shoal_status paper_check(void* self) {
    paper*           s    = self;
    paper_once       once = paper_once_of(s);
    const shoal_set *set = s->ctx->sets[PAPER_BAND], *tets = s->ctx->sets[PAPER_TETS];
    if (*once.state < 0 || *once.state > 1 || *once.span < 0.0)
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has a mesh of no time");
    paper_recall(s);
    shoal_tet_state* now = &s->liquid.states[s->liquid.current];
    put_solids(s);
    s->liquid.meshes_thin = *once.is_thick != 0;
    SHOAL_TRY(shoal_band_restore(&now->band, set->count, shoal_set_data(set, "key"), shoal_set_data(set, "values"),
                                 shoal_set_data(set, "known"), shoal_set_data(set, "inside"), &s->ctx->exec));
    SHOAL_TRY(shoal_tet_liquid_remesh(&s->liquid, &s->solids, &s->ctx->exec));
    bool is_same = now->mesh.tet_count == tets->count && now->mesh.vertex_count == s->ctx->sets[PAPER_VERTICES]->count;
    if (!is_same || (tets->count > 0 && memcmp(shoal_set_data(tets, "corners"), now->mesh.tets,
                                               (size_t)tets->count * sizeof *now->mesh.tets) != 0))
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has tetrahedra that are not those of its surface");
    if (tets->count > 0)
        memcpy(now->velocity, shoal_set_data(tets, "velocity"), (size_t)tets->count * sizeof *now->velocity);
    shoal_tet_liquid_settle(&s->liquid, &s->ctx->exec);
    return SHOAL_OK;
}
