// SPDX-License-Identifier: MIT
// A user's program on both libraries: errors made in the files library are read through the core.
#include <shoal/files.h>
#include <shoal/shoal.h>

#include <stdio.h>
#include <string.h>

static int is_wrong(int truth, const char* what) {
    if (!truth) fprintf(stderr, "not so: %s (%s)\n", what, shoal_last_error());
    return !truth;
}
#define IS(truth) wrong |= is_wrong((truth), #truth)

int main(void) {
    static const char text[] = "spacing: 0.1\n"
                               "domain: {max: [1, 1, 1]}\n"
                               "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}}]\n";
    int               wrong  = 0;
    shoal_scene*      scene  = NULL;
    IS(shoal_scene_parse(text, sizeof text - 1, "text", &scene) == SHOAL_OK);
    IS(shoal_scene_set_value(scene, "bodies.0.velocity", "[1, 0, 0]") == SHOAL_OK);
    IS(shoal_scene_check(scene) == SHOAL_OK);
    IS(shoal_scene_get_facts(scene).particles == 125);
    shoal_scene_destroy(scene);

    shoal_scene* missing = NULL;
    IS(shoal_scene_load("/no/such/scene.yaml", &missing) != SHOAL_OK);
    IS(strstr(shoal_last_error(), "/no/such/scene.yaml") != NULL);
    shoal_scene_destroy(missing);
    return wrong;
}
