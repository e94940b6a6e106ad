// SPDX-License-Identifier: MIT
// Water in a game: a scene built by calls, one tick per drawn frame, positions read without a copy.
// No file is touched; link with -lshoal alone.
#include <shoal/shoal.h>

#include <stdio.h>

// A block of water, 0.5 m wide, at the left of a tank.
static shoal_status build_scene(shoal_scene* scene) {
    shoal_status st = shoal_scene_set_number(scene, "spacing", 0.05);
    if (st == SHOAL_OK) st = shoal_scene_set_vec3(scene, "domain.min", 0, 0, 0);
    if (st == SHOAL_OK) st = shoal_scene_set_vec3(scene, "domain.max", 2, 1, 0.5);
    if (st == SHOAL_OK) st = shoal_scene_set_text(scene, "bodies.0.material", "water");
    if (st == SHOAL_OK) st = shoal_scene_set_vec3(scene, "bodies.0.box.min", 0, 0, 0);
    if (st == SHOAL_OK) st = shoal_scene_set_vec3(scene, "bodies.0.box.max", 0.5, 0.5, 0.5);
    if (st == SHOAL_OK) st = shoal_scene_set_number(scene, "pbf.substeps", 2);
    return st;
}

// What a game would draw: here only how far the water has come.
static shoal_status draw(const shoal_sim* sim, float* reach) {
    shoal_field_view position;
    shoal_status     st = shoal_sim_field(sim, "position", &position);
    if (st != SHOAL_OK) return st;
    const float(*x)[3] = position.data;
    *reach             = 0;
    for (int64_t i = 0; i < position.count; i++)
        if (x[i][0] > *reach) *reach = x[i][0];
    return SHOAL_OK;
}

static shoal_status play(shoal_sim* sim) {
    float reach = 0;
    for (int tick = 0; tick <= 60; tick++) {
        shoal_status st = draw(sim, &reach);
        if (st == SHOAL_OK) st = shoal_sim_advance(sim, 1.0 / 60.0);
        if (st != SHOAL_OK) return st;
        if (tick % 15 == 0) printf("t = %.2f s: the water reaches %.2f m\n", tick / 60.0, (double)reach);
    }
    return reach > 1.5f ? SHOAL_OK : SHOAL_ERR_INTERNAL; // after 1 s it has crossed the tank
}

int main(void) {
    shoal_scene*  scene = NULL;
    shoal_sim*    sim   = NULL;
    shoal_sim_def def   = shoal_sim_def_default();
    def.threads         = 1; // leave the other cores to the game

    shoal_status st = shoal_scene_create(&scene);
    if (st == SHOAL_OK) st = build_scene(scene);
    if (st == SHOAL_OK) st = shoal_sim_create(&def, scene, &sim);
    if (st == SHOAL_OK) st = play(sim);
    if (st != SHOAL_OK) fprintf(stderr, "%s: %s\n", shoal_status_text(st), shoal_last_error());

    shoal_sim_destroy(sim);
    shoal_scene_destroy(scene);
    return st != SHOAL_OK;
}
