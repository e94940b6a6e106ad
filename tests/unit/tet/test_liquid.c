// SPDX-License-Identifier: MIT
// Liquid as a tracked surface with a mesh in it, all parts of a step together: still water, falling water, solids.
#include "base/hash.h"
#include "tank.h"
#include "tet/liquid_local.h"

static void drop(void* ctx, const shoal_d3* at, int count, double* value) {
    (void)ctx;
    for (int i = 0; i < count; i++) value[i] = shoal_d3_length(at[i]) - 0.3;
}

// With a mesh made anew in every step. `level`: a round number, and none.
typedef struct filling {
    water w;
    tank* t;
} filling;
// A body that ends where the solids begin.
static void wet_within(void* ctx, const shoal_d3* at, int count, double* value) {
    filling* f = ctx;
    wet(&f->w, at, count, value);
    for (int i = 0; i < count; i++) value[i] = fmax(value[i], -off_tank(f->t, at[i], NULL));
}
static void keep_still(double level, shoal_field_fn field) {
    double           degree = SHOAL_PI / 180.0;
    tank             t      = {.turn = shoal_quat_mul(shoal_quat_turn(shoal_d3_make(0.0, 0.0, 1.0), 17.0 * degree),
                                                      shoal_quat_turn(shoal_d3_make(1.0, 0.0, 0.0), 11.0 * degree)),
                               .half = {0.7, 0.6, 0.5}};
    filling          w      = {{.height = level, .end = 9.0}, &t};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    fall             g      = {1.0 / 60.0};
    shoal_box        box    = {{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}};
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.12, field, &w, &solids, &two));
    double  before = shoal_tet_liquid_volume(&l, &two);
    int64_t calls  = 0;
    for (int k = 0; k < 8; k++) {
        if (k == 3) calls = shoal_memory_calls();
        step_on(&l, &solids, &g);
        CHECK_OK(shoal_tet_liquid_surface(&l, &solids, &two));
    }
    assert_int_equal(shoal_memory_calls(), calls); // all that was made is used again
    print_message("%d tets, fastest %.1e m/s, volume %+.1e\n", shoal_tet_current(&l)->mesh.tet_count,
                  shoal_tet_fastest(&l, &two), shoal_tet_liquid_volume(&l, &two) / before - 1.0);
    CHECK_BELOW(shoal_tet_fastest(&l, &two), 1e-8 * sqrt(9.81 * 0.5));
    CHECK_NEAR(shoal_tet_liquid_volume(&l, &two) / before, 1.0, 1e-9);
    shoal_tet_liquid_free(&l);
}

static void still_water_stays_still_and_keeps_its_volume(void** state) {
    (void)state;
    keep_still(0.05, wet);
    keep_still(0.0613, wet);
}
static void so_does_a_body_that_ends_at_the_walls(void** state) {
    (void)state;
    keep_still(0.0613, wet_within);
}

// A layer on the floor of a tank, of so many cells: it is there, and stays.
static void a_thin_layer_lies_on_the_floor(void** state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double  deep = 0.05 * (1.8 + 0.4 * k);
        tank    t    = {.turn = shoal_quat_turn(shoal_d3_make(0.0, 1.0, 0.0), 0.0), .half = {0.503, 0.311, 0.397}};
        filling w    = {{.height = deep - 0.311, .end = 9.0}, &t};
        shoal_tet_solids solids = {&t, off_tank, false};
        shoal_tet_liquid l      = {0};
        shoal_box        box    = {{-0.8, -0.8, -0.8}, {0.8, 0.8, 0.8}};
        double           exact  = 4.0 * 0.503 * 0.397 * deep;
        CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.1, wet_within, &w, &solids, &two));
        print_message("a layer of %.1f cells: %.3f of its volume\n", deep / 0.05,
                      shoal_tet_liquid_volume(&l, &two) / exact);
        CHECK_NEAR(shoal_tet_liquid_volume(&l, &two) / exact, 1.0, 0.15);
        shoal_tet_liquid_free(&l);
    }
}

// The surface for people to see: its vertices are on the water's level or on a wall, many of them on both, so that
// neither the edge between these is cut off, nor those between two walls.
static void the_surface_that_is_seen_ends_at_the_walls(void** state) {
    (void)state;
    double degree = SHOAL_PI / 180.0;
    for (int k = 0; k < 2; k++) {
        shoal_quat       turned = shoal_quat_turn(shoal_d3_make(0.0, 1.0, 0.0), 31.0 * degree * k);
        tank             t      = {.turn = turned, .half = {0.703, 0.611, 0.497}};
        water            w      = {.height = 0.0613, .end = 9.0};
        shoal_tet_solids solids = {&t, off_tank, false};
        shoal_tet_liquid l      = {0};
        shoal_box        box    = {{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}};
        double           exact = 4.0 * t.half.x * t.half.z * (t.half.y + w.height), off = 0.0, volume = 0.0;
        int              both = 0;
        CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.12, wet, &w, &solids, &two));
        CHECK_OK(shoal_tet_liquid_surface(&l, &solids, &two));
        for (int v = 0; v < l.surface.vertex_count; v++) {
            shoal_d3 at   = shoal_d3_from(l.surface.vertices[v]);
            double   wall = fabs(off_tank(&t, at, NULL)), level = fabs(at.y - w.height);
            off = fmax(off, fmin(wall, level) / 0.06);
            both += fmax(wall, level) < 0.01 * 0.06;
        }
        for (int i = 0; i < l.surface.triangle_count; i++) {
            const int* c = l.surface.triangles + 3 * (size_t)i;
            volume +=
                shoal_tet_volume(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_from(l.surface.vertices[c[0]]),
                                 shoal_d3_from(l.surface.vertices[c[1]]), shoal_d3_from(l.surface.vertices[c[2]]));
        }
        // the volume that is kept is that before corners between walls are filled
        CHECK_NEAR(shoal_tet_current(&l)->surface_volume / volume, 1.0, 0.009);
        CHECK_NEAR(shoal_tet_current(&l)->area / (4.0 * t.half.x * t.half.z), 1.0, 0.05);
        print_message("skin: off both surfaces by %.4f cells at most, %d vertices on both, volume %.5f\n", off, both,
                      volume / exact);
        CHECK_BELOW(off, 0.02);
        assert_true(both > 4.0 * (t.half.x + t.half.z) / 0.06);
        CHECK_NEAR(volume / exact, 1.0, 1e-4);
        shoal_tet_liquid_free(&l);
    }
}

static double off_bowl(void* ctx, shoal_d3 at, shoal_tet_wall* wall) {
    (void)ctx;
    double length = shoal_d3_length(at);
    if (wall) *wall = (shoal_tet_wall){.normal = shoal_v3_from(shoal_d3_scale(at, -1.0 / fmax(length, 1e-9)))};
    return 0.7 - length;
}
// In a bowl no two solids meet, and nothing is filled: the volume that is kept is that within the surface.
static void the_volume_that_is_kept_is_that_within_the_surface(void** state) {
    (void)state;
    water            w      = {.height = 0.0613, .end = 9.0};
    shoal_tet_solids solids = {NULL, off_bowl, false};
    shoal_tet_liquid l      = {0};
    double           volume = 0.0;
    CHECK_OK(
        shoal_tet_liquid_begin(&l, (shoal_box){{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}}, 0.12, wet, &w, &solids, &two));
    CHECK_OK(shoal_tet_liquid_surface(&l, &solids, &two));
    for (int i = 0; i < l.surface.triangle_count; i++) {
        const int* c = l.surface.triangles + 3 * (size_t)i;
        volume += shoal_tet_volume(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_from(l.surface.vertices[c[0]]),
                                   shoal_d3_from(l.surface.vertices[c[1]]), shoal_d3_from(l.surface.vertices[c[2]]));
    }
    print_message("a bowl: kept %.8f of the volume within the surface\n",
                  shoal_tet_current(&l)->surface_volume / volume);
    CHECK_NEAR(shoal_tet_current(&l)->surface_volume / volume, 1.0, 1e-6);
    shoal_tet_liquid_free(&l);
}

// Vertices at the air just beside a wall lie on the contact line: not above the level, since pressure is zero there,
// and no tetrahedron is spoiled by it. Tanks turned at random; some stay where that would spoil one.
static void vertices_beside_a_wall_are_snapped_to_it(void** state) {
    (void)state;
    int    beside = 0, on = 0;
    double worst = 0.0, least = 180.0, largest = 0.0;
    for (int k = 0; k < 24; k++) {
        shoal_d3 axis = shoal_d3_make(shoal_random(1, 0, (uint64_t)k), 1.0, shoal_random(1, 1, (uint64_t)k));
        axis          = shoal_d3_scale(axis, 1.0 / shoal_d3_length(axis));
        tank  t = {.turn = shoal_quat_turn(axis, 3.0 * shoal_random(1, 2, (uint64_t)k)), .half = {0.703, 0.611, 0.497}};
        water w = {.height = 0.2 * shoal_random(1, 3, (uint64_t)k), .end = 9.0};
        shoal_tet_solids   solids = {&t, off_tank, false};
        shoal_tet_liquid   l      = {0};
        shoal_box          box    = {{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}};
        shoal_tet_boundary boundary;
        CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.1, wet, &w, &solids, &two));
        CHECK_OK(shoal_tet_liquid_boundary(&l, &two, &boundary)); // joined
        const shoal_tet_state* s = shoal_tet_current(&l);
        for (int v = 0; v < s->mesh.vertex_count; v++) {
            shoal_tet_wall wall;
            double         off = off_tank(&t, s->mesh.position[v], &wall), up = (double)wall.normal.y;
            if (!s->is_air[v]) continue;
            if (s->walls.of[v] >= 0) on++, worst = fmax(worst, fmax(fabs(off), fabs(s->mesh.position[v].y - w.height)));
            beside += s->walls.of[v] < 0 && off < 0.0124 * sqrt(1.0 - up * up); // along the level
        }
        shoal_tet_quality q = shoal_tetmesh_quality(&s->mesh, &two);
        least = fmin(least, q.least_angle), largest = fmax(largest, q.largest_angle);
        shoal_tet_liquid_free(&l);
    }
    print_message("contact line: %d vertices on it, off by %.1e steps, %d beside it; angles %.1f to %.1f\n", on,
                  worst / 0.1, beside, least, largest);
    assert_true(beside < on / 20);
    CHECK_BELOW(worst, 1e-3 * 0.1);
    assert_true(least >= 10.7 && largest <= 164.8);
}

// A ball that moves through the level of a tank: vertices at the air beside it lie on the contact line where it has
// come to, and go with it.
typedef struct buoy {
    tank     around;
    shoal_d3 middle;
    shoal_v3 velocity;
} buoy;
#define BUOY_RADIUS 0.3
static double off_buoy(void* ctx, shoal_d3 at, shoal_tet_wall* wall) {
    buoy*    b      = ctx;
    shoal_d3 to     = shoal_d3_sub(at, b->middle);
    double   length = shoal_d3_length(to), off = length - BUOY_RADIUS, tank_off = off_tank(&b->around, at, wall);
    if (tank_off < off) return tank_off;
    if (wall)
        *wall = (shoal_tet_wall){.normal   = shoal_v3_from(shoal_d3_scale(to, 1.0 / fmax(length, 1e-9))),
                                 .velocity = b->velocity};
    return off;
}
static void vertices_are_snapped_to_a_solid_that_moves(void** state) {
    (void)state;
    buoy  b = {{.turn = {1.0, 0.0, 0.0, 0.0}, .half = {0.703, 0.611, 0.697}}, {0.013, 0.02, 0.027}, {0.0f, 0.0f, 0.0f}};
    water w = {.height = 0.05, .end = 9.0};
    shoal_tet_solids solids = {&b, off_buoy, true};
    shoal_tet_liquid l      = {0};
    fall             g      = {1.0 / 60.0};
    int              on = 0, beside = 0, loose = 0;
    double           worst = 0.0;
    CHECK_OK(shoal_tet_liquid_begin(&l, (shoal_box){{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}}, 0.1, wet, &w, &solids, &two));
    b.velocity = shoal_v3_make(0.5f, -0.7f, 0.3f);
    for (int k = 0; k < 4; k++) {
        b.middle = shoal_d3_add(b.middle, shoal_d3_scale(shoal_d3_from(b.velocity), g.dt));
        step_on(&l, &solids, &g);
        const shoal_tet_state* s = shoal_tet_current(&l);
        for (int v = 0; v < s->mesh.vertex_count; v++) {
            shoal_tet_wall wall;
            double         off = off_buoy(&b, s->mesh.position[v], &wall);
            if (!s->is_air[v] || wall.velocity.x == 0.0f) continue;
            if (s->walls.of[v] < 0) {
                beside += off < 0.005 && !s->is_loose[v]; // behind the ball liquid is let go
                loose += off < 0.005 && s->is_loose[v];
                continue;
            }
            assert_true(s->walls.wall[s->walls.of[v]].velocity.y == b.velocity.y);
            worst = fmax(worst, fmax(fabs(off), fabs(shoal_band_distance(&s->band, s->mesh.position[v]))));
            on++;
        }
    }
    print_message("ball that moves: %d vertices on its contact line, off by %.1e steps, %d beside it, %d loose\n", on,
                  worst / 0.1, beside, loose);
    assert_true(on >= 12 && beside <= on / 4 && loose <= on / 2);
    CHECK_BELOW(worst, 1e-3 * 0.1);
    shoal_tet_liquid_free(&l);
}

// Of two that were moved, the one that lies across its tetrahedra goes back, the other stays.
static void what_spoils_a_tetrahedron_is_put_back(void** state) {
    (void)state;
    tank             t      = {.turn = shoal_quat_make(1.0, 0.0, 0.0, 0.0), .half = {0.703, 0.611, 0.497}};
    water            w      = {.height = 0.1, .end = 9.0};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    shoal_box        box    = {{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}};
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.1, wet, &w, &solids, &two));
    shoal_tetmesh* mesh       = &l.states[l.current].mesh;
    int            n          = mesh->vertex_count, moved[2];
    uint8_t*       is_snapped = calloc((size_t)n, 1);
    shoal_d3*      before     = malloc((size_t)n * sizeof *before);
    memcpy(before, mesh->position, (size_t)n * sizeof *before);
    for (int v = 0, k = 0; v < n && k < 2; v++)
        if (mesh->is_on_surface[v] && (k == 0 || shoal_d3_length(shoal_d3_sub(before[v], before[moved[0]])) > 0.5))
            moved[k++] = v;
    is_snapped[moved[0]] = is_snapped[moved[1]] = 1;
    mesh->position[moved[0]].x += 0.005;
    mesh->position[moved[1]].x += 0.1;
    CHECK_OK(liquid_unsnap(mesh, is_snapped, before, &l.arena));
    assert_true(is_snapped[moved[0]] && !is_snapped[moved[1]]);
    assert_true(mesh->position[moved[0]].x == before[moved[0]].x + 0.005);
    assert_memory_equal(&mesh->position[moved[1]], &before[moved[1]], sizeof *before);
    free(is_snapped);
    free(before);
    shoal_tet_liquid_free(&l);
}

// With the paper's pressure it does not, and `core` acts on what is carried with it.
static void still_water_moves_as_the_paper_has_it(void** state) {
    (void)state;
    tank              t       = {.turn = {1.0, 0.0, 0.0, 0.0}, .half = {0.7, 0.6, 0.5}};
    water             w       = {.height = 0.0613, .end = 9.0};
    shoal_tet_solids  solids  = {&t, off_tank, false};
    shoal_tet_options options = usual;
    double            fastest[3];
    for (int k = 0; k < 3; k++) {
        shoal_tet_liquid l          = {0};
        fall             g          = {1.0 / 60.0};
        shoal_tet_drive  drive      = {.ctx = &g, .accelerate = accelerate};
        options.has_face_velocities = k >= 1;
        options.core                = k == 2 ? 1.6 : 1.0;
        CHECK_OK(
            shoal_tet_liquid_begin(&l, (shoal_box){{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}}, 0.15, wet, &w, &solids, &two));
        for (int i = 0; i < 10; i++) CHECK_OK(shoal_tet_liquid_step(&l, g.dt, &solids, &drive, &options, &two));
        fastest[k] = shoal_tet_fastest(&l, &two);
        assert_true(l.projection.end.is_solved);
        shoal_tet_liquid_free(&l);
    }
    print_message("still water after ten steps: %.1e m/s, as the paper has it %.2f, with a core of 1.6 %.2f\n",
                  fastest[0], fastest[1], fastest[2]);
    assert_true(fastest[0] < 1e-7 && fastest[1] > 0.02 && fastest[1] < 3.0);
    assert_true(fastest[2] != fastest[1] && fastest[2] > 0.02 && fastest[2] < 3.0);
}

static void a_drop_falls_freely(void** state) {
    (void)state;
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .is_not_finite = true};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    fall             g      = {0.01};
    shoal_box        box    = {{-0.5, -1.5, -0.5}, {0.5, 0.5, 0.5}};
    shoal_d3         centre;
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.1, drop, NULL, &solids, &two));
    double before = shoal_tet_liquid_volume(&l, &two);
    for (int k = 0; k < 15; k++) step_on(&l, &solids, &g);
    energy_of(&l, &centre);
    print_message("centre %.4f m, volume %+.1e\n", centre.y, shoal_tet_liquid_volume(&l, &two) / before - 1.0);
    CHECK_NEAR(centre.y, -0.5 * 9.81 * 0.15 * 0.14, 0.002); // velocities of the begin of each step
    CHECK_NEAR(shoal_tet_liquid_volume(&l, &two) / before, 1.0, 2e-3);
    shoal_tet_liquid_free(&l);
}

// Below a height what falls is taken: by a sink on one side of x, past the end of the lattice on the other.
static double take_below(void* ctx, shoal_d3 at, double distance) {
    (void)ctx;
    return fmax(distance, -0.45 - at.y);
}
static bool is_lost_there(void* ctx, shoal_d3 at) {
    (void)ctx;
    return at.x > 0.1;
}
// A ball of 0.3 m a quarter of which is on the far side of 0.1 m: what is lost is that, not what the sink has taken.
// One box follows the other, and in a step liquid goes farther than from one to the other.
static void what_is_lost_is_not_what_a_sink_takes(void** state) {
    (void)state;
    tank             t        = {.turn = {1.0, 0.0, 0.0, 0.0}, .is_not_finite = true};
    shoal_tet_solids solids   = {&t, off_tank, false};
    shoal_tet_liquid l        = {0};
    fall             g        = {0.04};
    shoal_box        boxes[2] = {{{-1.0, -2.0, -1.0}, {0.1, -0.45, 1.0}}, {{0.1, -2.0, -1.0}, {1.0, -0.45, 1.0}}};
    shoal_tet_drive  drive    = {.ctx            = &g,
                                 .accelerate     = accelerate,
                                 .emit_and_drain = take_below,
                                 .boxes          = boxes,
                                 .box_count      = 2,
                                 .is_lost        = is_lost_there};
    double           drained = 0.0, lost = 0.0, r = 0.3, cap = 0.2;
    CHECK_OK(
        shoal_tet_liquid_begin(&l, (shoal_box){{-0.5, -1.5, -0.5}, {0.5, 0.5, 0.5}}, 0.1, drop, NULL, &solids, &two));
    for (int k = 0; k < 12; k++) {
        CHECK_OK(shoal_tet_liquid_step(&l, g.dt, &solids, &drive, &usual, &two));
        drained += l.drained, lost += l.lost;
    }
    double ball = 4.0 / 3.0 * SHOAL_PI * r * r * r, beyond = SHOAL_PI * cap * cap * (r - cap / 3.0);
    print_message("a ball over a sink and the end: %.3f of it taken, %.3f of it lost, %.3f wanted\n", drained / ball,
                  lost / ball, beyond / ball);
    CHECK_NEAR(lost / ball, beyond / ball, 0.03);
    shoal_tet_liquid_free(&l);
}

static void* refuse_all(size_t bytes, void* user) {
    (void)bytes, (void)user;
    return NULL;
}
static void release(void* memory, size_t bytes, void* user) {
    (void)bytes, (void)user;
    free(memory);
}
// A flow that was there can be made again without memory, as when a step is undone for want of it: the arena keeps room
// for it, also where it never had any for the rest of a step.
static void a_flow_is_made_again_without_memory(void** state) {
    (void)state;
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .is_not_finite = true};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    shoal_allocator  none   = {refuse_all, release, NULL};
    CHECK_OK(
        shoal_tet_liquid_begin(&l, (shoal_box){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}}, 0.1, drop, NULL, &solids, &two));
    shoal_set_allocator(&none);
    liquid_drop_neighbours(&l);
    shoal_arena_free(&l.arena);
    shoal_set_allocator(NULL);
    CHECK_OK(shoal_tet_liquid_flow(&l, 0.5, &two));
    shoal_set_allocator(&none);
    liquid_drop_neighbours(&l);
    shoal_status status = shoal_tet_liquid_flow(&l, 0.5, &two);
    shoal_set_allocator(NULL);
    CHECK_OK(status);
    shoal_tet_liquid_free(&l);
}

static void everywhere(void* ctx, const shoal_d3* at, int count, double* value) {
    (void)ctx, (void)at;
    for (int i = 0; i < count; i++) value[i] = -1.0;
}

// Outside of the liquid flows what does at the nearest point of its surface: a drop that is drawn out, asked up to two
// cells away from it.
static void what_is_outside_flows_as_the_surface_does(void** state) {
    (void)state;
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .is_not_finite = true};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    double           step = 0.08, worst = 0.0;
    CHECK_OK(
        shoal_tet_liquid_begin(&l, (shoal_box){{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}}, step, drop, NULL, &solids, &two));
    shoal_tet_state* s = &l.states[l.current];
    for (int k = 0; k < s->mesh.tet_count; k++) {
        shoal_d3 at    = shoal_tet_centroid(&s->mesh, k);
        s->velocity[k] = shoal_v3_from(shoal_d3_make(at.x + 2.0 * at.z, -2.0 * at.y, at.z));
    }
    CHECK_OK(shoal_tet_liquid_flow(&l, 0.5, &two));
    for (int k = 0; k < 2000; k++) {
        double   number = (double)k;
        shoal_d3 way    = {sin(1.7 * number), cos(2.3 * number), sin(3.1 * number + 1.0)};
        way             = shoal_d3_scale(way, 1.0 / shoal_d3_length(way));
        shoal_d3 out    = shoal_tet_mean_velocity(&l.flow, shoal_d3_scale(way, 0.3 + 0.5 * step * (k % 9 + 1) / 4.5)),
                 in     = shoal_tet_mean_velocity(&l.flow, shoal_d3_scale(way, 0.295));
        worst           = fmax(worst, shoal_d3_length(shoal_d3_sub(out, in)));
    }
    print_message("outside of a drop the flow is that of its surface but for %.3f of a step\n", worst / step);
    CHECK_BELOW(worst, 0.3 * step);
    shoal_tet_liquid_free(&l);
}

static void a_full_closed_box_stays_still(void** state) {
    (void)state;
    tank t = {
        .turn = shoal_quat_turn(shoal_d3_make(0.0, 0.0, 1.0), 0.3), .middle = {0.5, 0.5, 0.5}, .half = {0.3, 0.3, 0.3}};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    shoal_box        box    = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};
    fall             g      = {1.0 / 60.0};
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.1, everywhere, NULL, &solids, &two));
    double before = shoal_tet_liquid_volume(&l, &two);
    CHECK_NEAR(before, 0.216, 0.01); // edges are cut off
    for (int k = 0; k < 4; k++) step_on(&l, &solids, &g);
    CHECK_BELOW(shoal_tet_fastest(&l, &two), 1e-6);
    CHECK_NEAR(shoal_tet_liquid_volume(&l, &two) / before, 1.0, 1e-9);
    shoal_tet_liquid_free(&l);
}

// The left side of a tank, where it has come to.
typedef struct piston {
    tank   tank;
    double at, speed;
} piston;
static double off_piston(void* ctx, shoal_d3 at, shoal_tet_wall* wall) {
    piston* p   = ctx;
    double  off = off_tank(&p->tank, at, wall);
    if (at.x - p->at >= off) return off;
    if (wall) *wall = (shoal_tet_wall){.normal = {1.0f, 0.0f, 0.0f}, .velocity = {(float)p->speed, 0.0f, 0.0f}};
    return at.x - p->at;
}

// As much water as it has displaced is higher up.
static void a_piston_pushes_water_ahead(void** state) {
    (void)state;
    piston           p = {.tank  = {.turn = {1.0, 0.0, 0.0, 0.0}, .middle = {0.5, 0.5, 0.15}, .half = {0.5, 0.5, 0.15}},
                          .speed = 0.4};
    water            w = {.height = 0.3, .end = 9.0};
    shoal_tet_solids solids = {&p, off_piston, true};
    shoal_tet_liquid l      = {0};
    shoal_box        box    = {{0.0, 0.0, 0.0}, {1.0, 1.0, 0.3}};
    fall             g      = {1.0 / 60.0};
    shoal_d3         centre;
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 1.0 / 12.0, wet, &w, &solids, &two));
    double before = shoal_tet_liquid_volume(&l, &two);
    for (int k = 0; k < 20; k++) {
        p.at += p.speed * g.dt;
        step_on(&l, &solids, &g);
    }
    double moved = energy_of(&l, &centre);
    print_message("piston: volume %+.2f %%, motion %.4f, centre %.3f, %.3f m\n",
                  100.0 * (shoal_tet_liquid_volume(&l, &two) / before - 1.0), moved, centre.x, centre.y);
    CHECK_NEAR(shoal_tet_liquid_volume(&l, &two) / before, 1.0, 0.01);
    for (int v = 0; v < shoal_tet_current(&l)->mesh.vertex_count; v++)
        assert_true(shoal_tet_current(&l)->mesh.position[v].x > p.at - 1e-6);
    assert_true(centre.x > 0.535 && centre.x < 0.57 && centre.y > 0.165 && centre.y < 0.19);
    shoal_tet_liquid_free(&l);
}

// A floor that rises between walls that stand still, with water on it that rises as fast: nothing holds it.
static double off_lift(void* ctx, shoal_d3 at, shoal_tet_wall* wall) {
    double off = off_tank(ctx, at, wall);
    if (wall && wall->normal.y > 0.5f) wall->velocity = shoal_v3_make(0.0f, 0.3f, 0.0f);
    return off;
}
static shoal_d3 lift(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    (void)ctx, (void)at, (void)velocity;
    return shoal_d3_make(0.0, 0.3, 0.0);
}
static void a_load_is_lifted_by_its_floor(void** state) {
    (void)state;
    tank             t      = {.turn = shoal_quat_turn(shoal_d3_make(0.0, 1.0, 0.0), 0.0), .half = {0.203, 0.5, 0.197}};
    filling          w      = {{.height = -0.2, .end = 9.0}, &t};
    shoal_tet_solids solids = {&t, off_lift, false};
    shoal_tet_liquid l      = {0};
    shoal_tet_drive  drive  = {.accelerate = lift};
    shoal_box        box    = {{-0.7, -0.7, -0.7}, {0.7, 0.7, 0.7}};
    double           sum    = 0.0;
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.06, wet_within, &w, &solids, &two));
    CHECK_OK(shoal_tet_liquid_start(&l, &drive, 1e-8, &two));
    const shoal_tet_state* s      = shoal_tet_current(&l);
    double                 volume = shoal_tet_liquid_volume(&l, &two);
    for (int i = 0; i < s->mesh.tet_count; i++) {
        shoal_d3 area[4];
        sum += shoal_tet_areas(&s->mesh, i, area) * (double)s->velocity[i].y / volume;
    }
    print_message("lifted at 0.3 m/s: %.4f in the mean\n", sum);
    CHECK_NEAR(sum, 0.3, 0.006);
    shoal_tet_liquid_free(&l);
}

static shoal_d3 push_to_nowhere(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    (void)ctx;
    return at.x > 0.0 && at.y > 0.2 ? shoal_d3_make((double)NAN, 0.0, 0.0) : velocity;
}

static void a_velocity_that_is_none_fails_the_step(void** state) {
    (void)state;
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .is_not_finite = true};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    shoal_tet_drive  drive  = {.accelerate = push_to_nowhere};
    shoal_box        box    = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.1, drop, NULL, &solids, &two));
    assert_int_equal(shoal_tet_liquid_step(&l, 0.01, &solids, &drive, &usual, &two), SHOAL_ERR_DIVERGE);
    assert_non_null(strstr(shoal_last_error(), "stopped being finite"));
    shoal_tet_liquid_free(&l);
}

static bool  is_refusing;
static void* allocate(size_t bytes, void* user) {
    (void)user;
    return is_refusing ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void take_back(void* memory, size_t bytes, void* user) {
    (void)bytes, (void)user;
    free(memory);
}

static void a_flow_without_memory_is_none(void** state) {
    (void)state;
    static const shoal_allocator allocator = {allocate, take_back, NULL};
    shoal_set_allocator(&allocator);
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .is_not_finite = true};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    shoal_box        box    = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.1, drop, NULL, &solids, &two));
    for (int k = 0; k < 2; k++) {
        is_refusing = true;
        assert_int_equal(shoal_tet_liquid_flow(&l, 0.5, &two), SHOAL_ERR_MEMORY);
        is_refusing = false;
    }
    CHECK_OK(shoal_tet_liquid_flow(&l, 0.5, &two));
    assert_true(shoal_d3_length(shoal_tet_mean_velocity(&l.flow, shoal_d3_make(0.0, 0.0, 0.0))) == 0.0);
    shoal_tet_liquid_free(&l);
    shoal_set_allocator(NULL);
}

// A sink has taken all but a drop of it, and films have vanished before it could.
static void a_drop_does_not_pay_for_a_lake(void** state) {
    (void)state;
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .is_not_finite = true};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    fall             g      = {0.01};
    shoal_box        box    = {{-0.8, -0.8, -0.8}, {0.8, 0.8, 0.8}};
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.1, drop, NULL, &solids, &two));
    double before = shoal_tet_liquid_volume(&l, &two);
    for (int b = 0; b < l.balance_count; b++) l.balances[b].due *= 20.0;
    for (int k = 0; k < 20; k++) step_on(&l, &solids, &g);
    print_message("a drop with the debt of a lake: volume %.2f times\n", shoal_tet_liquid_volume(&l, &two) / before);
    CHECK_BELOW(shoal_tet_liquid_volume(&l, &two) / before, 1.35);
    shoal_tet_liquid_free(&l);
}

// A ball with two bubbles in it, one behind the other, one of which holds a drop; and a ball beside it.
static void bubbles(void* ctx, const shoal_d3* at, int count, double* value) {
    (void)ctx;
    for (int i = 0; i < count; i++) {
        double ball   = shoal_d3_length(at[i]) - 0.4,
               other  = shoal_d3_length(shoal_d3_sub(at[i], (shoal_d3){0.6, 0.1, 0.0})) - 0.16,
               hole   = shoal_d3_length(shoal_d3_sub(at[i], (shoal_d3){-0.13, 0.02, 0.0})) - 0.2,
               second = shoal_d3_length(shoal_d3_sub(at[i], (shoal_d3){0.22, 0.03, 0.01})) - 0.09,
               within = shoal_d3_length(shoal_d3_sub(at[i], (shoal_d3){-0.13, 0.02, 0.0})) - 0.1;
        value[i]      = fmin(fmin(fmax(ball, -fmin(hole, second)), within), other);
    }
}
static void parts_are_found_with_their_bubbles(void** state) {
    (void)state;
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .is_not_finite = true};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    shoal_box        box    = {{-0.8, -0.8, -0.8}, {0.8, 0.8, 0.8}};
    double           ball = 0.064 - 0.008 - 0.000729, sum = 0.0, cubes[3] = {0.0, 0.0, 0.0};
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.05, bubbles, NULL, &solids, &two));
    assert_int_equal(l.parts.count, 3);
    for (int k = 0; k < 3; k++) {
        double cube                                   = l.parts.part[k].volume / (4.0 / 3.0 * SHOAL_PI);
        cubes[cube > 0.02 ? 0 : cube > 0.002 ? 1 : 2] = cube;
        sum += l.parts.part[k].volume;
    }
    CHECK_NEAR(cubes[0] / ball, 1.0, 0.03);
    CHECK_NEAR(cubes[1] / 0.004096, 1.0, 0.05);
    CHECK_NEAR(cubes[2] / 0.001, 1.0, 0.08);
    CHECK_NEAR(sum / shoal_tet_current(&l)->surface_volume, 1.0, 1e-12);
    shoal_tet_liquid_free(&l);
}

// A step in which the piston has moved fails, and is made again with the piston where it was.
static void a_failed_step_leaves_the_solids_where_they_were(void** state) {
    (void)state;
    piston           p = {.tank = {.turn = {1.0, 0.0, 0.0, 0.0}, .middle = {0.5, 0.5, 0.15}, .half = {0.5, 0.5, 0.15}}};
    water            w = {.height = 0.3, .end = 9.0};
    shoal_tet_solids still = {&p, off_piston, false}, moved = {&p, off_piston, true};
    shoal_box        box = {{0.0, 0.0, 0.0}, {1.0, 1.0, 0.3}};
    fall             g   = {1.0 / 60.0};
    int              tets[2];
    for (int fails = 0; fails < 2; fails++) {
        shoal_tet_liquid l     = {0};
        shoal_tet_drive  drive = {.accelerate = push_to_nowhere};
        CHECK_OK(shoal_tet_liquid_begin(&l, box, 1.0 / 12.0, wet, &w, &still, &two));
        if (fails) {
            p.at = 0.25;
            assert_int_equal(shoal_tet_liquid_step(&l, g.dt, &moved, &drive, &usual, &two), SHOAL_ERR_DIVERGE);
            p.at      = 0.0;
            l.current = 1 - l.current; // as the solver has it of its sets
        }
        step_on(&l, &still, &g);
        tets[fails] = shoal_tet_current(&l)->mesh.tet_count;
        shoal_tet_liquid_free(&l);
    }
    assert_int_equal(tets[0], tets[1]);
}

// A thread that is drawn out by a flow that stretches evenly gets thinner by as much, in free fall or without weight.
// (Its surface came inwards by the means of the tetrahedra within, and it grew by 8 %.)
typedef struct thread {
    shoal_d3 along, middle;
    double   radius, half, rate, speed; // rate: of stretching
    double   weight, dt;
} thread;
static void off_thread(void* ctx, const shoal_d3* at, int count, double* value) {
    const thread* t = ctx;
    for (int i = 0; i < count; i++) {
        double   y = shoal_d3_dot(at[i], t->along), end = fmax(0.0, fabs(y) - (t->half - t->radius));
        shoal_d3 r = shoal_d3_sub(at[i], shoal_d3_scale(t->along, y));
        value[i]   = sqrt(shoal_d3_dot(r, r) + end * end) - t->radius;
    }
}
static shoal_d3 drawn_out(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    const thread* t = ctx;
    (void)velocity;
    shoal_d3 p = shoal_d3_sub(at, t->middle);
    double   y = shoal_d3_dot(p, t->along);
    shoal_d3 r = shoal_d3_sub(p, shoal_d3_scale(t->along, y));
    return shoal_d3_add(shoal_d3_scale(t->along, t->speed + t->rate * y), shoal_d3_scale(r, -0.5 * t->rate));
}
static shoal_d3 pulled(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    const thread* t = ctx;
    (void)at;
    return shoal_d3_add(velocity, shoal_d3_scale(t->along, t->weight * t->dt));
}
static void a_thread_that_is_drawn_out_keeps_its_volume(void** state) {
    (void)state;
    static const struct {
        double   radius, weight;
        shoal_d3 along;
    } cases[] = {{4.0, 0.0, {0.0, -1.0, 0.0}}, {4.0, 9.81, {0.3, -0.9, 0.2}}, {5.5, 9.81, {0.0, -1.0, 0.0}}};
    shoal_tet_options options = usual;
    options.keeps_volume      = false;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tank             none   = {.is_not_finite = true};
        shoal_tet_solids solids = {&none, off_tank, false};
        shoal_tet_liquid l      = {.meshes_thin = true};
        shoal_box        box    = {{-1.5, -1.5, -1.5}, {1.5, 1.5, 1.5}};
        shoal_d3         along  = shoal_d3_scale(cases[k].along, 1.0 / shoal_d3_length(cases[k].along));
        double           radius = 0.02 * cases[k].radius;
        thread           t      = {along, {0.0, 0.0, 0.0}, radius, 2.5 * radius, 5.0, 2.0, cases[k].weight, 1.0 / 60.0};
        shoal_tet_drive  start = {.ctx = &t, .accelerate = drawn_out}, drive = {.ctx = &t, .accelerate = pulled};
        CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.04, off_thread, &t, &solids, &two));
        CHECK_OK(shoal_tet_liquid_start(&l, &start, 1e-8, &two));
        double before = shoal_tet_current(&l)->surface_volume;
        for (int n = 0; n < 9; n++) CHECK_OK(shoal_tet_liquid_step(&l, t.dt, &solids, &drive, &options, &two));
        double gained = shoal_tet_current(&l)->surface_volume / before - 1.0;
        print_message("thread of %.1f cells, drawn out to 1.75 of its length: volume %+.4f\n", cases[k].radius, gained);
        CHECK_NEAR(gained, 0.0, 0.02);
        shoal_tet_liquid_free(&l);
    }
}

// A ball of liquid of 40 steps around a small solid, through which a floor goes.
static void far_ball(void* ctx, const shoal_d3* at, int count, double* value) {
    (void)ctx;
    for (int i = 0; i < count; i++) value[i] = shoal_d3_length(at[i]) - 40.0;
}
static double off_floor_and_ball(void* ctx, shoal_d3 at) {
    (void)ctx;
    return fmin(at.y + 25.3, shoal_d3_length(shoal_d3_sub(at, shoal_d3_make(1.0, 2.0, 3.0))) - 4.2);
}

static void octants_at_solids_are_those_that_brute_force_finds(void** state) {
    (void)state;
    shoal_exec        exec = shoal_exec_make(2);
    shoal_tet_liquid  l    = {0};
    shoal_tet_octants out  = {0};
    shoal_tet_near    near = {NULL, off_floor_and_ball, 1.0, 1.0};
    shoal_tet_state*  s    = &l.states[0];
    shoal_d3          seed = {0.0, 40.0, 0.0};
    int               n    = 0, at[3];
    CHECK_OK(shoal_tet_liquid_frame(&l, (shoal_box){{-45.0, -45.0, -45.0}, {45.0, 45.0, 45.0}}, 1.0));
    CHECK_OK(shoal_band_make(&s->band, far_ball, NULL, &seed, 1, &exec));
    CHECK_OK(shoal_tet_wet_octants(&l, s, &near, &exec, &out));
    uint64_t all = (uint64_t)1 << 3 * s->work.tree.levels;
    for (uint64_t key = 0; key < all; key++) {
        shoal_morton_split(key, at);
        shoal_d3 middle = shoal_octree_middle(&s->work.tree, 0, at);
        if (fabs(off_floor_and_ball(NULL, middle)) > 0.5 * sqrt(3.0) || shoal_band_distance(&s->band, middle) >= 1.0)
            continue;
        assert_true(n < out.count && out.keys[n] == key);
        n++;
    }
    assert_true(n == out.count && n > 3000);
    shoal_free(out.keys);
    shoal_tet_liquid_free(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_water_stays_still_and_keeps_its_volume),
        cmocka_unit_test(so_does_a_body_that_ends_at_the_walls),
        cmocka_unit_test(a_thin_layer_lies_on_the_floor),
        cmocka_unit_test(the_surface_that_is_seen_ends_at_the_walls),
        cmocka_unit_test(the_volume_that_is_kept_is_that_within_the_surface),
        cmocka_unit_test(vertices_beside_a_wall_are_snapped_to_it),
        cmocka_unit_test(vertices_are_snapped_to_a_solid_that_moves),
        cmocka_unit_test(what_spoils_a_tetrahedron_is_put_back),
        cmocka_unit_test(still_water_moves_as_the_paper_has_it),
        cmocka_unit_test(a_drop_falls_freely),
        cmocka_unit_test(what_is_lost_is_not_what_a_sink_takes),
        cmocka_unit_test(a_flow_is_made_again_without_memory),
        cmocka_unit_test(a_thread_that_is_drawn_out_keeps_its_volume),
        cmocka_unit_test(what_is_outside_flows_as_the_surface_does),
        cmocka_unit_test(a_full_closed_box_stays_still),
        cmocka_unit_test(a_piston_pushes_water_ahead),
        cmocka_unit_test(a_load_is_lifted_by_its_floor),
        cmocka_unit_test(a_velocity_that_is_none_fails_the_step),
        cmocka_unit_test(a_flow_without_memory_is_none),
        cmocka_unit_test(a_drop_does_not_pay_for_a_lake),
        cmocka_unit_test(parts_are_found_with_their_bubbles),
        cmocka_unit_test(a_failed_step_leaves_the_solids_where_they_were),
        cmocka_unit_test(octants_at_solids_are_those_that_brute_force_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
