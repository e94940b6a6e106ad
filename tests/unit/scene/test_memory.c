// SPDX-License-Identifier: MIT
// The memory that a check foretells against the most that a run takes.
#include "shoal/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static atomic_size_t held, peak;

static void* counted_alloc(size_t bytes, void* user) {
    (void)user;
    void*  memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    size_t now = atomic_fetch_add(&held, bytes) + bytes, most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {
    }
    return memory;
}

static void counted_free(void* memory, size_t bytes, void* user) {
    (void)user;
    atomic_fetch_sub(&held, bytes);
    free(memory);
}

// Foretold over measured, for the first frames of a scene of the tree.
static double fraction(const char* name, const char* spacing) {
    char path[512], folder[] = "/tmp/shoal-memory-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", getenv("SHOAL_SOURCE"), name);
    shoal_scene* scene = NULL;
    assert_int_equal(shoal_scene_load(path, &scene), SHOAL_OK);
    assert_int_equal(shoal_scene_set_value(scene, "spacing", spacing), SHOAL_OK);
    assert_int_equal(shoal_scene_set_value(scene, "frames", "2"), SHOAL_OK);
    assert_int_equal(shoal_scene_set_value(scene, "output.checkpoint", "1"), SHOAL_OK);
    assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
    shoal_scene_facts facts = shoal_scene_get_facts(scene);

    atomic_store(&peak, atomic_load(&held));
    shoal_run_def def = shoal_run_def_default();
    def.folder        = folder;
    def.force         = true;
    assert_int_equal(shoal_run(&def, scene, path), SHOAL_OK);
    shoal_scene_destroy(scene);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    const double program = 7e6; // foretold too, but not allocated
    return ((double)facts.bytes - program) / (double)atomic_load(&peak);
}

static void a_check_foretells_the_memory_of_a_run(void** state) {
    (void)state;
    double dam = fraction("dam-break", "0.03");
    assert_true(dam > 0.75 && dam < 1.6);
    double bunny = fraction("bunny-drop", "0.08");
    assert_true(bunny > 0.75 && bunny < 1.6);
    // two sets of particles, of different fields and spacing
    double castle = fraction("sandcastle-waves", "0.024");
    printf("sandcastle-waves: %.2f\n", castle);
    assert_true(castle > 0.75 && castle < 1.6);
}

// A list has an index of 4 bytes for each neighbour: 4/3 pi (3.5^3 - 2^3), 146 more of them.
static void lists_of_more_neighbours_are_foretold_to_take_more(void** state) {
    (void)state;
    static const char* const supports[] = {"2", "3.5"};
    double                   bytes[2], particles = 0.0;
    for (int k = 0; k < 2; k++) {
        static const char text[] = "spacing: 0.02\nbodies: [{box: {size: [0.4, 0.4, 0.4]}}]\n";
        shoal_scene*      scene  = NULL;
        assert_int_equal(shoal_scene_parse(text, sizeof text - 1, "memory", &scene), SHOAL_OK);
        assert_int_equal(shoal_scene_set_value(scene, "pbf.support", supports[k]), SHOAL_OK);
        assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
        bytes[k]  = (double)shoal_scene_get_facts(scene).bytes;
        particles = (double)shoal_scene_get_facts(scene).particles;
        shoal_scene_destroy(scene);
    }
    assert_true(particles == 8000.0);
    assert_true(bytes[1] - bytes[0] > 4.0 * 140.0 * particles && bytes[1] - bytes[0] < 4.0 * 250.0 * particles);
}

int main(void) {
    const shoal_allocator counted = {counted_alloc, counted_free, NULL};
    shoal_set_allocator(&counted);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_foretells_the_memory_of_a_run),
        cmocka_unit_test(lists_of_more_neighbours_are_foretold_to_take_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
