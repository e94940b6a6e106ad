// SPDX-License-Identifier: MIT
// Pressure in tetrahedra: what has air around it falls freely, and in a closed vessel nothing moves.
#include "tet/faces.h"
#include "stuffed.h"

static const shoal_exec one = {.threads = 1}, three = {.threads = 3};

typedef struct held {
    stuffed         m;
    shoal_tet_faces faces;
    uint8_t*        at_air;
    shoal_tet_wall* wall;
    shoal_v3*       velocity;
    double*         pressure;
} held;

static shoal_d3 fall(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    (void)ctx, (void)at;
    return shoal_d3_add(velocity, shoal_d3_make(0.0, -1.0, 0.0));
}

// Lets a ball of liquid fall, with air around it or a wall, for a step of g dt = 1.
static void let_fall(held* h, bool has_air, const shoal_exec* exec) {
    shape s = shape_of(BUMPS, 3);
    stuff(&h->m, &s, 0.15, exec);
    const shoal_tetmesh* mesh = &h->m.mesh;
    h->at_air                 = shoal_alloc((size_t)mesh->tet_count, 1);
    h->wall                   = shoal_alloc((size_t)mesh->vertex_count, sizeof *h->wall);
    h->velocity               = shoal_alloc((size_t)mesh->tet_count, sizeof *h->velocity);
    h->pressure               = shoal_alloc((size_t)mesh->vertex_count, sizeof *h->pressure);
    for (int t = 0; t < mesh->tet_count && has_air; t++)
        for (int k = 0; k < 4; k++) h->at_air[t] |= (uint8_t)((mesh->neighbours[t][k] < 0) << k);
    CHECK_OK(shoal_tet_faces_assemble(&h->faces, mesh, h->m.work.tree.step, h->at_air, exec));
    shoal_tet_faces_advect(&h->faces, mesh, NULL, 0.0, fall, NULL, exec);
    CHECK_OK(shoal_tet_faces_project(&h->faces, mesh, h->at_air, h->wall, 1e-8, exec, h->velocity, h->pressure));
    assert_true(h->faces.end.is_solved && h->faces.end.cycles < 60);
    CHECK_BELOW(shoal_tet_faces_divergence(&h->faces, mesh, exec), 1e-6);
}
static void let_go(held* h) {
    shoal_tet_faces_free(&h->faces);
    shoal_free(h->at_air);
    shoal_free(h->wall);
    shoal_free(h->velocity);
    shoal_free(h->pressure);
    done(&h->m);
    *h = (held){0};
}

static void free_liquid_falls_freely(void** state) {
    (void)state;
    held h = {0};
    let_fall(&h, true, &three);
    for (int t = 0; t < h.m.mesh.tet_count; t++) {
        shoal_d3 off = shoal_d3_sub(shoal_d3_from(h.velocity[t]), shoal_d3_make(0.0, -1.0, 0.0));
        CHECK_BELOW(shoal_d3_length(off), 1e-5);
    }
    let_go(&h);
}

// The slope of the pressure is by the middles on both sides of a face, and that is not its normal's: it stays at rest
// in the mean alone.
static void closed_liquid_moves_a_little(void** state) {
    (void)state;
    held   h   = {0};
    double sum = 0.0, most = 0.0;
    let_fall(&h, false, &three);
    for (int t = 0; t < h.m.mesh.tet_count; t++) {
        double square = (double)shoal_v3_dot(h.velocity[t], h.velocity[t]);
        sum += square;
        most = fmax(most, sqrt(square));
    }
    print_message("%d tets, closed: fastest %.2f, in the mean square %.2f of g dt, %d full cycles\n",
                  h.m.mesh.tet_count, most, sqrt(sum / h.m.mesh.tet_count), h.faces.end.cycles);
    assert_true(sqrt(sum / h.m.mesh.tet_count) < 0.3 && most > 0.01);
    let_go(&h);
}

// What a wall pushes in comes in, and where nothing gives way it is spread.
static void walls_push(void** state) {
    (void)state;
    held   h  = {0};
    double in = 0.0, all = 0.0, sum = 0.0;
    let_fall(&h, false, &three);
    const shoal_tetmesh* mesh = &h.m.mesh;
    for (int v = 0; v < mesh->vertex_count; v++) h.wall[v].velocity = shoal_v3_make(0.3f, 0.5f, -0.2f);
    CHECK_OK(shoal_tet_faces_project(&h.faces, mesh, h.at_air, h.wall, 1e-8, &three, h.velocity, h.pressure));
    for (int t = 0; t < mesh->tet_count; t++) {
        shoal_d3 area[4];
        double   volume = shoal_tet_areas(mesh, t, area);
        all += volume, in += volume * (double)h.velocity[t].x, sum += volume * (double)h.velocity[t].y;
    }
    CHECK_NEAR(in / all, 0.3, 0.01);
    CHECK_NEAR(sum / all, 0.5, 0.01);
    let_go(&h);
}

static void velocities_are_the_same_on_any_number_of_threads(void** state) {
    (void)state;
    held a = {0}, b = {0};
    let_fall(&a, false, &one);
    let_fall(&b, false, &three);
    assert_memory_equal(a.velocity, b.velocity, (size_t)a.m.mesh.tet_count * sizeof *a.velocity);
    let_go(&a);
    let_go(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_liquid_falls_freely),
        cmocka_unit_test(closed_liquid_moves_a_little),
        cmocka_unit_test(walls_push),
        cmocka_unit_test(velocities_are_the_same_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
