// SPDX-License-Identifier: MIT
// Any bytes as a scene: parsed, checked, faults printed, and what is right must resolve to itself.
// Costs are kept small by a small machine (bytes_most) and by refusing large lattices early
// (sites_most), and by no samples of cut shapes, whose skin alone takes seconds here (samples_most); mesh files are not
// opened.
#include "scene/scene_local.h"
#include "shoal/files.h"
#include "solvers/registry.h"

#include <stdlib.h>
#include <string.h>

int         LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
const char* __lsan_default_suppressions(void);

// libfyaml 0.7.12 loses a buffer for each quoted text with many escapes; our own memory is counted
// below.
const char* __lsan_default_suppressions(void) { return "leak:libfyaml"; }

static shoal_scene* parse(const char* text, size_t size, const char* name) {
    shoal_scene* scene = NULL;
    shoal_scene_parse(text, size, name, &scene);
    if (!scene) abort();
    scene->load_mesh    = NULL;
    scene->sites_most   = 2e4;
    scene->samples_most = 0.0;
    scene->bytes_most   = 4e6;
    return scene;
}

static void print_faults(const shoal_scene* scene) {
    char text[256];
    for (int k = 0; k < shoal_scene_fault_count(scene); k++)
        shoal_fault_print(shoal_scene_fault(scene, k), text, sizeof text);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    size_t       before  = shoal_memory_in_use();
    bool         is_json = size > 0 && data[0] == '{';
    shoal_scene* scene   = parse((const char*)data, size, is_json ? "fuzz.json" : "fuzz.yaml");
    char *       once = NULL, *twice = NULL;
    if (shoal_scene_check(scene) == SHOAL_OK && shoal_scene_resolved(scene, &once) == SHOAL_OK) {
        shoal_scene* again = parse(once, strlen(once), "fuzz.json");
        if (shoal_scene_resolved(again, &twice) != SHOAL_OK || strcmp(once, twice) != 0) abort();
        shoal_scene_destroy(again);
    }
    print_faults(scene);

    // the tail as a value of --set
    char value[64] = "";
    memcpy(value, data + (size > 63 ? size - 63 : 0), size > 63 ? 63 : size);
    shoal_scene_set_value(scene, "bodies.0.at", value);
    shoal_scene_check(scene);
    print_faults(scene);

    // and under each solver: what they are asked they must bear, whatever is wrong
    for (int k = 0; shoal_solver_types[k]; k++) {
        shoal_scene_set_text(scene, "solver", shoal_solver_types[k]->name);
        shoal_scene_check(scene);
    }
    shoal_scene_destroy(scene);
    shoal_bytes_free(once, 0);
    shoal_bytes_free(twice, 0);
    if (shoal_memory_in_use() != before) abort();
    return 0;
}
