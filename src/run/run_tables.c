// SPDX-License-Identifier: MIT
// What grows line by line, the tables and the .pvd, has a checksum of all lines so far. run.json tells it with every
// checkpoint and at the end; what comes after is not told yet.
#include "base/hash.h"
#include "run/run_local.h"
#include "scene/scene_access.h"

#include <stdio.h>
#include <string.h>

void run_told_add(run_told* told, const char* text, size_t length) {
    for (const char *at = text, *end = text + length; at < end;) {
        const char* stop = memchr(at, '\n', (size_t)(end - at));
        size_t      line = (size_t)((stop ? stop + 1 : end) - at);
        told->checksum   = shoal_hash(at, line, told->checksum);
        told->bytes += (int64_t)line;
        at += line;
    }
}

void run_told_write(const run* r, shoal_text* out) {
    char        list[RUN_STEM_SIZE + 8];
    const char* names[RUN_TOLD_COUNT] = {[RUN_STATS] = "stats.csv", [RUN_PROBES] = "probes.csv", [RUN_LIST] = list};
    const char* before                = "  \"tables\": {";
    snprintf(list, sizeof list, "%s.pvd", r->stem);
    for (int k = 0; k < RUN_TOLD_COUNT; k++) {
        if (r->told[k].bytes == 0) continue;
        shoal_text_add(out, "%s", before);
        shoal_json_string(out, names[k]);
        shoal_text_add(out, ": {\"bytes\": %lld, \"checksum\": \"%016llx\"}", (long long)r->told[k].bytes,
                       (unsigned long long)r->told[k].checksum);
        before = ", ";
    }
    if (*before == ',') shoal_text_add(out, "},\n");
}

// Whether the file begins with the lines that were told; `if_short` where there are fewer.
static bool is_as_told(const char* path, double bytes, const char* checksum, bool if_short) {
    run_told told = {0};
    char     sum[17];
    char*    text;
    size_t   size;
    if (shoal_file_read(path, &text, &size) != SHOAL_OK) return if_short;
    bool is_long = bytes >= 0.0 && bytes <= (double)size;
    if (is_long) run_told_add(&told, text, (size_t)bytes);
    shoal_free(text);
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)told.checksum);
    return is_long ? strcmp(sum, checksum) == 0 : if_short;
}

// Names are of the run alone: those of files elsewhere are not looked at.
static shoal_status verify_table(const char* folder, const char* stem, const shoal_node* table, run_lost* out) {
    char              path[SHOAL_PATH_SIZE], list[RUN_STEM_SIZE + 8];
    const shoal_node *bytes = shoal_node_child(table, "bytes"), *checksum = shoal_node_child(table, "checksum");
    snprintf(list, sizeof list, "%s.pvd", stem);
    bool is_list = strcmp(table->key, list) == 0,
         is_ours = is_list || strcmp(table->key, "stats.csv") == 0 || strcmp(table->key, "probes.csv") == 0;
    if (!is_ours || !bytes || !checksum || !checksum->text) return SHOAL_OK;
    SHOAL_TRY(shoal_path_make(path, "%s/%s", folder, table->key));
    if (is_as_told(path, bytes->number, checksum->text, !is_list)) return SHOAL_OK; // lost.c misses rows by itself
    if (!out->table[0]) snprintf(out->table, sizeof out->table, "%s", table->key);
    out->is_list_damaged = out->is_list_damaged || is_list;
    if (!is_list) out->row = 0; // any row may be the one
    return SHOAL_OK;
}

shoal_status run_tables_verify(const char* folder, const char* stem, double* fps, run_lost* out) {
    char         path[SHOAL_PATH_SIZE];
    char*        text;
    size_t       size;
    shoal_scene* parsed = NULL;
    *fps                = 0.0;
    SHOAL_TRY(shoal_path_make(path, "%s/run.json", folder));
    if (shoal_file_read(path, &text, &size) != SHOAL_OK) return SHOAL_OK;
    shoal_status status = SHOAL_OK;
    if (shoal_scene_parse(text, size, path, &parsed) == SHOAL_OK && shoal_scene_root(parsed)) {
        const shoal_node *frames = shoal_node_child(shoal_scene_root(parsed), "frames"),
                         *tables = shoal_node_child(shoal_scene_root(parsed), "tables"),
                         *rate   = frames ? shoal_node_child(frames, "fps") : NULL;
        if (rate) *fps = rate->number;
        for (const shoal_node* t = tables ? tables->first : NULL; t && t->key && status == SHOAL_OK; t = t->next)
            status = verify_table(folder, stem, t, out);
    }
    shoal_scene_destroy(parsed);
    shoal_free(text);
    return status;
}
