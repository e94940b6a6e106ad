// SPDX-License-Identifier: MIT
// A small scene with everything that a checkpoint must hold (emitter, rain, a moving obstacle,
// probes), and ways to run it and to compare what two runs left on disk.
#ifndef SMALL_RUN_H
#define SMALL_RUN_H

#include "io/file.h"
#include "scratch.h"
#include "shoal/files.h"

#include <string.h>

static const char small_scene[] =
    "name: small\n"
    "frames: 10\n"
    "fps: 30\n"
    "spacing: 0.05\n"
    "domain: {min: [0, 0, 0], max: [1, 1, 0.4], walls: {top: open}}\n"
    "bodies:\n"
    "  - {material: water, box: {min: [0, 0, 0], max: [0.4, 0.4, 0.4]}}\n"
    "obstacles:\n"
    "  - {sphere: {radius: 0.1}, motion: [{t: 0, at: [0.8, 0.2, 0.2]}, {t: 1, at: [0.6, 0.2, "
    "0.2]}]}\n"
    "emitters:\n"
    "  - {material: water, disc: {radius: 0.08}, at: [0.2, 0.8, 0.2], velocity: [1, 0, 0]}\n"
    "  - {material: water, rain: {min: [0, 0.8, 0], max: [1, 0.9, 0.4], rate: 200}}\n"
    "probes:\n"
    "  - {name: front, kind: front, axis: x}\n"
    "  - {name: gauge, kind: height, at: [0.2, 0.2]}\n"
    "pbf: {iterations: 2, substeps: 3}\n"
    "output: {checkpoint: 3}\n";

// Notes of the last run, one per line.
static char small_notes[4096];

static inline void small_note(const char* text, void* user) {
    (void)user;
    size_t used = strlen(small_notes);
    snprintf(small_notes + used, sizeof small_notes - used, "%s\n", text);
}

static inline shoal_run_def small_def(const char* folder) {
    shoal_run_def def = shoal_run_def_default();
    def.folder        = folder;
    def.note          = small_note;
    def.sim.threads   = 1;
    return def;
}

// Runs the scene with up to one value changed (NULL: none).
static inline shoal_status small_run(const shoal_run_def* def, const char* key, const char* value) {
    shoal_scene* scene;
    small_notes[0]      = 0;
    shoal_status status = shoal_scene_parse(small_scene, sizeof small_scene - 1, "small.yaml", &scene);
    if (status == SHOAL_OK && key) status = shoal_scene_set_value(scene, key, value);
    if (status == SHOAL_OK) status = shoal_run(def, scene, "small.yaml");
    shoal_scene_destroy(scene);
    return status;
}

// A column of a table dropped in place: wall-clock times differ from run to run.
static inline void small_drop_column(char* text, int column) {
    char* to = text;
    int   at = 0;
    for (char* from = text; *from; from++) {
        if (*from == '\n') at = -1;
        if (*from == ',') at++;
        if (at != column || *from == '\n') *to++ = *from;
        if (at == -1) at = 0;
    }
    *to = 0;
}

// "" when both folders hold the same files with the same bytes, else the first difference. run.json
// (timings) is left out, and step_ms in stats.csv.
static inline const char* small_difference(const char* a, const char* b) {
    static char              text[SHOAL_PATH_SIZE + 64];
    static const char* const folders[] = {".", "frames", "checkpoints"};
    for (int f = 0; f < 3; f++) {
        char        path[2][SHOAL_PATH_SIZE];
        shoal_names names[2];
        snprintf(path[0], sizeof path[0], "%s/%s", a, folders[f]);
        snprintf(path[1], sizeof path[1], "%s/%s", b, folders[f]);
        shoal_folder_names(path[0], &names[0]);
        shoal_folder_names(path[1], &names[1]);
        snprintf(text, sizeof text, "%s", names[0].count == names[1].count ? "" : "number of files");
        for (int i = 0; i < names[0].count && text[0] == 0; i++) {
            char*  bytes[2] = {NULL, NULL};
            size_t size[2];
            if (strcmp(names[0].names[i], names[1].names[i]) != 0) {
                snprintf(text, sizeof text, "names: %s, %s", names[0].names[i], names[1].names[i]);
                break;
            }
            if (strcmp(names[0].names[i], "run.json") == 0) continue;
            for (int k = 0; k < 2; k++) {
                snprintf(path[k], sizeof path[k], "%s/%s/%s", k ? b : a, folders[f], names[0].names[i]);
                if (shoal_path_is_folder(path[k])) continue;
                if (shoal_file_read(path[k], &bytes[k], &size[k]) != SHOAL_OK)
                    snprintf(text, sizeof text, "%s", path[k]);
                if (bytes[k] && strcmp(names[0].names[i], "stats.csv") == 0) {
                    small_drop_column(bytes[k], 6);
                    size[k] = strlen(bytes[k]);
                }
            }
            if (bytes[0] && bytes[1] && (size[0] != size[1] || memcmp(bytes[0], bytes[1], size[0]) != 0))
                snprintf(text, sizeof text, "%s", path[1]);
            shoal_free(bytes[0]);
            shoal_free(bytes[1]);
        }
        shoal_names_free(&names[0]);
        shoal_names_free(&names[1]);
        if (text[0]) break;
    }
    return text;
}

#endif
