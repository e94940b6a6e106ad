// SPDX-License-Identifier: MIT
// Pictures of small runs: what is painted, and from where it is looked at.
#include "small_run.h"

#include "shoal/render.h"

#include "unit/check.h"

static void run_of(const char* text, const char* folder) {
    shoal_scene*  scene = NULL;
    shoal_run_def def   = small_def(folder);
    CHECK_OK(shoal_scene_parse(text, strlen(text), "small.yaml", &scene));
    CHECK_OK(shoal_run(&def, scene, "small.yaml"));
    shoal_scene_destroy(scene);
}

// Pixels near a colour, sRGB, by what it has most of.
static int yellow_in(const shoal_render_image* image) {
    int count = 0;
    for (int i = 0; i < image->width * image->height; i++) {
        const uint8_t* p = image->pixels + 3 * i;
        count += p[0] > 90 && p[1] > 90 && p[2] < p[0] / 2;
    }
    return count;
}

// Dry sand beside water: 1 is yellow, and only water has it.
static void water_is_painted_as_wet(void** state) {
    (void)state;
    const char*         folder = scratch_path("wet");
    shoal_render_def    def    = shoal_render_def_default();
    shoal_render_image* image  = NULL;
    run_of("solver: grains\nspacing: 0.05\nframes: 0\ndomain: {max: [1, 0.6, 0.2]}\nmaterials: "
           "{sand: {preset: sand}, water: {preset: water}}\n"
           "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.2]}}, {material: "
           "water, box: {min: [0.6, 0, 0], max: [1, 0.3, 0.2]}}]\n",
           folder);
    def.is_preview = true;
    def.color      = "wetness";
    def.color_low  = 0.0;
    def.color_high = 1.0;
    def.width      = 160;
    def.height     = 90;
    CHECK_OK(shoal_render_frame(&def, folder, 0, &image));
    printf("%d pixels of wet\n", yellow_in(image));
    assert_true(yellow_in(image) > 300); // the bar has some
    shoal_render_image_destroy(image);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(water_is_painted_as_wet, scratch_make, scratch_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
