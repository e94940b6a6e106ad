// SPDX-License-Identifier: MIT
// A user's program on the core library: every kind of call once, through the public headers only.
#include <shoal/shoal.h>

#include <stdio.h>
#include <string.h>

static int is_wrong(int truth, const char* what) {
    if (!truth) fprintf(stderr, "not so: %s (%s)\n", what, shoal_last_error());
    return !truth;
}
#define IS(truth) wrong |= is_wrong((truth), #truth)

int main(void) {
    int          wrong = 0;
    shoal_scene* scene = NULL;
    shoal_sim*   sim   = NULL;
    char         numbers[32];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", SHOAL_VERSION_MAJOR, SHOAL_VERSION_MINOR, SHOAL_VERSION_PATCH);
    IS(strcmp(shoal_version(), SHOAL_VERSION) == 0 && strcmp(numbers, SHOAL_VERSION) == 0);
    IS(shoal_solvers()->name != NULL);
    IS(shoal_param_blocks()->name != NULL);
    char* lists = NULL;
    IS(shoal_solvers_json(&lists) == SHOAL_OK && strstr(lists, "\"name\": \"pbf\"") != NULL);
    if (lists) shoal_bytes_free(lists, strlen(lists) + 1);

    IS(shoal_scene_create(&scene) == SHOAL_OK);
    IS(shoal_scene_set_number(scene, "spacing", 0.1) == SHOAL_OK);
    IS(shoal_scene_set_vec3(scene, "domain.max", 1, 1, 1) == SHOAL_OK);
    IS(shoal_scene_set_text(scene, "bodies.0.material", "water") == SHOAL_OK);
    IS(shoal_scene_set_vec3(scene, "bodies.0.box.min", 0, 0, 0) == SHOAL_OK);
    IS(shoal_scene_set_vec3(scene, "bodies.0.box.max", 0.5, 0.5, 0.5) == SHOAL_OK);
    IS(shoal_scene_check(scene) == SHOAL_OK);
    IS(shoal_scene_get_facts(scene).particles == 125);

    shoal_sim_def zeroed = {0};
    IS(shoal_sim_create(&zeroed, scene, &sim) != SHOAL_OK); // a def comes from its default function
    shoal_sim_def def = shoal_sim_def_default();
    def.threads       = 1;
    IS(shoal_sim_create(&def, scene, &sim) == SHOAL_OK);
    if (!wrong) {
        shoal_field_view position;
        IS(shoal_sim_advance(sim, 1.0 / 60) == SHOAL_OK);
        IS(shoal_sim_field(sim, "position", &position) == SHOAL_OK && position.count == 125);
        IS(shoal_sim_field(sim, "particles.position", &position) == SHOAL_OK && strcmp(position.set, "particles") == 0);
        shoal_set_view set;
        IS(shoal_sim_set_count(sim) > 0 && shoal_sim_set_at(sim, 0, &set) == SHOAL_OK && set.count == 125);
        for (int k = 0; k < set.field_count; k++)
            IS(shoal_sim_field_at(sim, 0, k, &position) == SHOAL_OK && position.count == 125 && position.width == 1);
        IS(shoal_sim_field(sim, "no such field", &position) != SHOAL_OK);
        IS(strlen(shoal_last_error()) > 0);
    }
    shoal_sim_destroy(sim);

    // several sets of flip have `values`
    shoal_field_view values;
    sim = NULL;
    IS(shoal_scene_set_text(scene, "solver", "flip") == SHOAL_OK);
    IS(shoal_sim_create(&def, scene, &sim) == SHOAL_OK);
    IS(sim && shoal_sim_field(sim, "values", &values) == SHOAL_ERR_PARAM);
    IS(strstr(shoal_last_error(), "stress.values, contact.values") != NULL);
    IS(sim && shoal_sim_field(sim, "contact.values", &values) == SHOAL_OK && values.width > 1);
    shoal_sim_destroy(sim);
    shoal_scene_destroy(scene);
    return wrong;
}
