// SPDX-License-Identifier: MIT
// Each variant is a run of its own; what they measured is brought together in one folder.
#include "compare/compare_local.h"
#include "post/post_source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEF_MADE = 0x434d5031 };

shoal_compare_def shoal_compare_def_default(void) {
    return (shoal_compare_def){.last = -1, .made_by_default = DEF_MADE};
}

void shoal_compare_folder(const shoal_compare_def* def, const char* scene_path, char* out, size_t capacity) {
    const char* name = shoal_path_name(scene_path);
    const char* dot  = strrchr(name, '.');
    int         stem = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
    if (def->folder)
        snprintf(out, capacity, "%s", def->folder);
    else
        snprintf(out, capacity, "out/%.*s-compare", stem, name);
}

// --- the plan

static shoal_status check_variants(const shoal_compare_def* def) {
    if (def->variant_count < 1 || def->variant_count > SHOAL_VARIANTS_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "%d variants; give 1 to %d", def->variant_count, SHOAL_VARIANTS_MOST);
    for (int i = 0; i < def->variant_count; i++) {
        const char* name = def->variants[i].name;
        if (!name[0] || strlen(name) > COMPARE_NAME_MOST)
            return shoal_fail(SHOAL_ERR_INPUT, "variant \"%.*s\": its name must have 1 to %d bytes", COMPARE_NAME_MOST,
                              name, COMPARE_NAME_MOST);
        for (int k = 0; k < i; k++)
            if (strcmp(def->variants[k].name, name) == 0)
                return shoal_fail(SHOAL_ERR_INPUT, "there are two variants of the name \"%s\"; give each its own",
                                  name);
    }
    return SHOAL_OK;
}

// A folder of its own for each variant, also where names differ only by what files cannot hold.
static shoal_status name_folder(comparison* c, int index) {
    compare_result* r = &c->results[index];
    snprintf(r->stem, sizeof r->stem, "%s", r->variant->name);
    post_name_for_files(r->stem);
    for (int k = 0; k < index; k++)
        if (strcmp(c->results[k].stem, r->stem) == 0) {
            size_t used = strlen(r->stem);
            snprintf(r->stem + used, sizeof r->stem - used, "_%d", index + 1);
            k = -1;
        }
    return shoal_path_make(r->folder, "%s/runs/%s", c->folder, r->stem);
}

static void prepare(comparison* c, int index) {
    compare_result* r       = &c->results[index];
    double          unknown = (double)NAN;
    r->row                  = (shoal_compare_row){.variant              = r->variant->name,
                                                  .solver               = r->solver,
                                                  .status               = SHOAL_ERR_INTERRUPTED,
                                                  .message              = r->message,
                                                  .folder               = r->folder,
                                                  .particles            = unknown,
                                                  .lost                 = unknown,
                                                  .steps                = unknown,
                                                  .compression_avg_pct  = unknown,
                                                  .compression_peak_pct = unknown,
                                                  .compression_max_pct  = unknown,
                                                  .energy_start_j       = unknown,
                                                  .energy_end_j         = unknown,
                                                  .energy_change_pct    = unknown,
                                                  .frame_ms             = unknown,
                                                  .step_ms              = unknown,
                                                  .total_s              = unknown};
    snprintf(r->message, sizeof r->message, "not run");
}

// --- one variant

static shoal_status apply(shoal_scene* scene, const char* const* settings) {
    for (int i = 0; settings && settings[i]; i++) {
        char        path[256];
        const char* equals = strchr(settings[i], '=');
        if (!equals || equals == settings[i] || (size_t)(equals - settings[i]) >= sizeof path)
            return shoal_fail(SHOAL_ERR_PARAM, "%.80s: give it as path.to.key=value", settings[i]);
        snprintf(path, sizeof path, "%.*s", (int)(equals - settings[i]), settings[i]);
        SHOAL_TRY(shoal_scene_set_value(scene, path, equals + 1));
    }
    return SHOAL_OK;
}

// The scene of a variant, checked. The solver is set before the settings, which may say another.
static shoal_status open_scene(comparison* c, compare_result* r, shoal_scene** out) {
    SHOAL_TRY(shoal_scene_load(c->scene_path, out));
    if (r->variant->solver) SHOAL_TRY(shoal_scene_set_text(*out, "solver", r->variant->solver));
    SHOAL_TRY(apply(*out, c->def->settings));
    SHOAL_TRY(apply(*out, r->variant->settings));
    SHOAL_TRY(shoal_scene_check(*out));
    shoal_scene_facts facts = shoal_scene_get_facts(*out);
    snprintf(r->solver, sizeof r->solver, "%s", facts.solver);
    snprintf(c->title, sizeof c->title, "%s", facts.name);
    const char* camera = "render.camera";
    r->has_camera      = shoal_node_find(shoal_scene_root(*out), camera, strlen(camera)) != NULL;
    return SHOAL_OK;
}

typedef struct call {
    const shoal_compare_def* def;
    int                      index;
} call;

static void on_progress(const shoal_progress* now, void* user) {
    const call* at = user;
    if (at->def->progress) at->def->progress(at->index, now, at->def->user);
}

static void on_note(const char* text, void* user) {
    const call* at = user;
    if (at->def->note) at->def->note(text, at->def->user);
}

static bool on_stop(void* user) {
    const call* at = user;
    return at->def->stop && at->def->stop(at->def->user);
}

static shoal_status run_variant(comparison* c, compare_result* r, shoal_scene* scene) {
    char          mark[SHOAL_PATH_SIZE];
    call          at  = {c->def, (int)(r - c->results)};
    shoal_run_def def = shoal_run_def_default();
    SHOAL_TRY(shoal_path_make(mark, "%s/run.json", r->folder));
    def.folder      = r->folder;
    def.last        = c->def->last;
    def.force       = c->def->force;
    def.resume      = !c->def->force && shoal_path_exists(mark);
    def.way_on      = c->def->command;
    def.sim.threads = c->def->threads;
    def.sim.device  = c->def->device;
    def.progress    = on_progress;
    def.note        = on_note;
    def.stop        = on_stop;
    def.user        = &at;
    return shoal_run(&def, scene, c->scene_path);
}

static void keep_message(compare_result* r, shoal_status status) {
    const char* text = shoal_last_error();
    r->row.status    = status;
    snprintf(r->message, sizeof r->message, "%s", status == SHOAL_OK ? "" : *text ? text : shoal_status_text(status));
}

// Also of a run that came to a bad end: what it wrote before is worth a line in the plots. One that
// was refused wrote nothing, and what lies in its folder was made with other settings.
static void take_data(compare_result* r) {
    bool is_own = r->row.status == SHOAL_OK || r->row.status == SHOAL_ERR_DIVERGE ||
                  r->row.status == SHOAL_ERR_INTERRUPTED || r->row.status == SHOAL_ERR_OUTPUT;
    if (!is_own) return;
    r->has_data = post_data_read(r->folder, &r->data) == SHOAL_OK && r->data.stats.row_count > 0;
    if (r->has_data) compare_measure(r);
}

// SHOAL_ERR_INTERRUPTED, SHOAL_ERR_MEMORY and SHOAL_ERR_OUTPUT end the comparison.
static bool is_end(shoal_status status) {
    return status == SHOAL_ERR_INTERRUPTED || status == SHOAL_ERR_MEMORY || status == SHOAL_ERR_OUTPUT;
}

static shoal_status do_variant(comparison* c, int index) {
    compare_result* r     = &c->results[index];
    shoal_scene*    scene = NULL;
    if (c->def->stop && c->def->stop(c->def->user)) return SHOAL_ERR_INTERRUPTED;
    if (c->def->begin) c->def->begin(index, r->variant, c->def->user);
    shoal_status status = open_scene(c, r, &scene);
    if (status == SHOAL_OK) status = run_variant(c, r, scene);
    keep_message(r, status);
    r->was_run = true;
    shoal_scene_destroy(scene);
    if (status != SHOAL_OK && status != SHOAL_ERR_INTERRUPTED && c->def->fault)
        c->def->fault(r->variant->name, r->message, c->def->user);
    take_data(r);
    if (c->def->done) c->def->done(index, &r->row, c->def->user);
    return status;
}

// --- all of them

static shoal_status first_failure(const comparison* c, int* failed) {
    shoal_status first = SHOAL_OK;
    *failed            = 0;
    for (int i = 0; i < c->count; i++) {
        if (c->results[i].row.status == SHOAL_OK) continue;
        if (first == SHOAL_OK) first = c->results[i].row.status;
        ++*failed;
    }
    return first;
}

static bool was_refused(const compare_result* r) {
    return r->row.status != SHOAL_OK && r->row.status != SHOAL_ERR_DIVERGE && !is_end(r->row.status);
}

// A report of before is not written over by one of a comparison that was refused or went wrong.
static shoal_status choose_report(comparison* c) {
    char earlier[SHOAL_PATH_SIZE];
    bool is_bad = false;
    for (int i = 0; i < c->count; i++)
        is_bad |= c->def->force ? was_refused(&c->results[i]) : c->results[i].row.status != SHOAL_OK;
    SHOAL_TRY(shoal_path_make(earlier, "%s/index.html", c->folder));
    c->is_aside = is_bad && shoal_path_exists(earlier);
    SHOAL_TRY(shoal_path_make(c->report, c->is_aside ? "%s/failed" : "%s", c->folder));
    return shoal_folder_make(c->report);
}

static shoal_status write_report(comparison* c, bool is_whole) {
    shoal_text text = {0};
    SHOAL_TRY(choose_report(c));
    SHOAL_TRY(compare_plot(c));
    if (is_whole) SHOAL_TRY(compare_strip(c));
    SHOAL_TRY(compare_write_pages(c));
    shoal_status status = compare_table_text(c, &text);
    if (status == SHOAL_OK && c->def->table) c->def->table(text.bytes, c->def->user);
    shoal_text_free(&text);
    return status;
}

static shoal_status run_all(comparison* c) {
    SHOAL_TRY(shoal_folder_make(c->folder));
    shoal_status status = SHOAL_OK;
    for (int i = 0; i < c->count; i++) {
        SHOAL_TRY(name_folder(c, i));
        prepare(c, i);
    }
    for (int i = 0; i < c->count && !is_end(status); i++) status = do_variant(c, i);
    bool is_ended = is_end(status);
    SHOAL_TRY(write_report(c, !is_ended));
    if (status == SHOAL_ERR_INTERRUPTED)
        return shoal_fail(status, "interrupted; the same command goes on where it stopped");
    int          failed;
    shoal_status first = first_failure(c, &failed);
    if (first == SHOAL_OK) return SHOAL_OK;
    return shoal_fail(is_ended ? status : first, "%d of %d variants failed; the report in %s tells which%s", failed,
                      c->count, c->report, c->is_aside ? ", that of before is kept" : "");
}

shoal_status shoal_compare(const shoal_compare_def* def, const char* scene_path) {
    if (def->made_by_default != DEF_MADE)
        return shoal_fail(SHOAL_ERR_PARAM, "the settings of the comparison were not made by shoal_compare_def_default");
    SHOAL_TRY(check_variants(def));
    // a scene that cannot be read at all is reported once, not once per variant
    shoal_scene* scene  = NULL;
    shoal_status status = shoal_scene_load(scene_path, &scene);
    shoal_scene_destroy(scene);
    SHOAL_TRY(status);

    comparison* c = shoal_alloc(1, sizeof *c);
    if (!c) return SHOAL_ERR_MEMORY;
    c->def        = def;
    c->scene_path = scene_path;
    c->count      = def->variant_count;
    shoal_compare_folder(def, scene_path, c->folder, sizeof c->folder);
    for (int i = 0; i < c->count; i++) c->results[i].variant = &def->variants[i];
    status = run_all(c);
    for (int i = 0; i < c->count; i++) post_data_free(&c->results[i].data);
    post_points_free(&c->points);
    shoal_names_free(&c->plots);
    shoal_free(c);
    return status;
}
