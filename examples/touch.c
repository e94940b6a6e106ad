// SPDX-License-Identifier: MIT
// A game that plays with water: a paddle is dragged through a tank, a jug is poured at the cursor, a fan blows, and at
// last the tank is tilted. No file is touched; link with -lshoal alone.
#include <shoal/shoal.h>

#include <math.h>
#include <stdio.h>

static shoal_status build_scene(shoal_scene* scene) {
    shoal_status st = shoal_scene_set_number(scene, "spacing", 0.04);
    if (st == SHOAL_OK) st = shoal_scene_set_vec3(scene, "domain.min", 0, 0, 0);
    if (st == SHOAL_OK) st = shoal_scene_set_vec3(scene, "domain.max", 1.2, 0.8, 0.4);
    if (st == SHOAL_OK) st = shoal_scene_set_text(scene, "bodies.0.material", "water");
    if (st == SHOAL_OK) st = shoal_scene_set_vec3(scene, "bodies.0.box.min", 0, 0, 0);
    if (st == SHOAL_OK) st = shoal_scene_set_vec3(scene, "bodies.0.box.max", 1.2, 0.2, 0.4);
    if (st == SHOAL_OK) st = shoal_scene_set_text(scene, "obstacles.0.name", "paddle");
    if (st == SHOAL_OK) st = shoal_scene_set_vec3(scene, "obstacles.0.box.min", -0.04, 0, -0.12);
    if (st == SHOAL_OK) st = shoal_scene_set_vec3(scene, "obstacles.0.box.max", 0.04, 0.3, 0.12);
    if (st == SHOAL_OK) st = shoal_scene_set_vec3(scene, "obstacles.0.at", 0.9, 0.1, 0.2);
    if (st == SHOAL_OK) st = shoal_scene_set_flag(scene, "obstacles.0.movable", true);
    return st;
}

// A breeze over the surface, stronger to the right.
static void fan(const shoal_push* push, void* user) {
    const float strength = *(const float*)user;
    for (int64_t i = 0; i < push->count; i++)
        if (push->position[3 * i + 1] > 0.15f) push->acceleration[3 * i] -= strength * push->position[3 * i];
}

// A layer of water in a ring at the cursor, falling.
static shoal_status pour(shoal_sim* sim, float x, float y, float z, int64_t* poured) {
    float   at[64][3], down[64][3];
    int     count = 0;
    int64_t placed;
    for (int i = -3; i <= 3; i++)
        for (int k = -3; k <= 3; k++) {
            if (i * i + k * k > 9) continue;
            at[count][0] = x + 0.04f * (float)i, at[count][1] = y, at[count][2] = z + 0.04f * (float)k;
            down[count][0] = down[count][2] = 0.0f, down[count][1] = -2.0f;
            count++;
        }
    shoal_status st = shoal_sim_emit(sim, "water", count, at[0], down[0], &placed);
    *poured += placed;
    return st;
}

static shoal_status play(shoal_sim* sim) {
    const double tick     = 1.0 / 60.0;
    int64_t      poured   = 0;
    float        strength = 4.0f;
    shoal_status st       = shoal_sim_set_force(sim, fan, &strength);
    for (int k = 0; k < 60 && st == SHOAL_OK; k++) {
        // where the mouse would be: there and back, turned a little
        double     s      = sin(0.1 * k);
        shoal_pose paddle = {.at = {0.7 + 0.25 * cos(0.1 * k), 0.1, 0.2}, .axis = {0, 1, 0}, .degrees = 30.0 * s};
        st                = shoal_sim_move_obstacle(sim, "paddle", &paddle, tick);
        if (st == SHOAL_OK && k >= 20 && k < 30) st = pour(sim, 0.25f, 0.6f, 0.2f, &poured);
        if (st == SHOAL_OK && k == 45) st = shoal_sim_set_gravity(sim, (double[]){-4.0, -9.0, 0.0});
        if (st == SHOAL_OK) st = shoal_sim_advance(sim, tick);
    }
    const char* names[8];
    int64_t     counts[8];
    int         count = shoal_sim_touches(sim, names, counts, 8);
    printf("%lld particles after %.2f s, %lld of them poured\n", (long long)shoal_sim_count(sim), shoal_sim_time(sim),
           (long long)poured);
    for (int t = 0; t < count && t < 8; t++)
        if (counts[t] > 0) printf("%s: %lld\n", names[t], (long long)counts[t]);
    return st != SHOAL_OK || poured > 0 ? st : SHOAL_ERR_INTERNAL;
}

int main(void) {
    shoal_scene*  scene = NULL;
    shoal_sim*    sim   = NULL;
    shoal_sim_def def   = shoal_sim_def_default();
    def.threads         = 1;

    shoal_status st = shoal_scene_create(&scene);
    if (st == SHOAL_OK) st = build_scene(scene);
    if (st == SHOAL_OK) st = shoal_sim_create(&def, scene, &sim);
    if (st == SHOAL_OK) st = play(sim);
    if (st != SHOAL_OK) fprintf(stderr, "%s: %s\n", shoal_status_text(st), shoal_last_error());

    shoal_sim_destroy(sim);
    shoal_scene_destroy(scene);
    return st != SHOAL_OK;
}
