// SPDX-License-Identifier: MIT
// Going on with a run: which checkpoint, whether it is of the same scene, and what must go because
// it lies after it.
#include "run/run_local.h"

#include "base/hash.h"
#include "scene/scene_access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- what may not change

// Mesh files count by what is in them: one may be changed under the same name.
static void add_mesh_file(const shoal_scene* scene, const char* path, const char* file, shoal_text* out) {
    char   full[SHOAL_PATH_SIZE];
    char*  bytes;
    size_t size;
    if (!shoal_scene_find_mesh(scene, file, full, sizeof full) || shoal_file_read(full, &bytes, &size) != SHOAL_OK)
        return; // the check of the scene has told it already
    shoal_text_add(out, "%s.content = %016llx\n", path, (unsigned long long)shoal_hash(bytes, size, 0));
    shoal_free(bytes);
}

static void add_lines(const shoal_scene* scene, const shoal_node* node, const char* path, shoal_text* out) {
    if (node->kind == SHOAL_NODE_MAP || node->kind == SHOAL_NODE_LIST) {
        int         index = 0;
        const char* dot   = path[0] ? "." : "";
        for (const shoal_node* child = node->first; child; child = child->next, index++) {
            shoal_text below = {0};
            if (child->key)
                shoal_text_add(&below, "%s%s%s", path, dot, child->key);
            else
                shoal_text_add(&below, "%s%s%d", path, dot, index);
            out->failed |= below.failed;
            static const char* const free_keys[] = {"frames", "output", "render", "surface", "threads"};
            bool                     is_free     = false;
            for (size_t i = 0; i < sizeof free_keys / sizeof free_keys[0]; i++)
                is_free |= !below.failed && strcmp(below.bytes, free_keys[i]) == 0;
            if (!is_free && !below.failed) add_lines(scene, child, below.bytes, out);
            shoal_text_free(&below);
        }
        return;
    }
    if (node->text)
        shoal_text_add(out, "%s = %s\n", path, node->text);
    else
        shoal_text_add(out, "%s = %.17g\n", path, node->number);
    if (node->kind == SHOAL_NODE_TEXT && node->key && strcmp(node->key, "mesh") == 0)
        add_mesh_file(scene, path, node->text, out);
}

shoal_status run_physics(shoal_scene* scene, const char* resolved, shoal_text* out) {
    shoal_scene* parsed = NULL;
    shoal_status status = shoal_scene_parse(resolved, strlen(resolved), "resolved scene", &parsed);
    if (status == SHOAL_OK) {
        add_lines(scene, shoal_scene_root(parsed), "", out);
        if (out->failed) status = SHOAL_ERR_MEMORY;
    }
    shoal_scene_destroy(parsed);
    return status;
}

// The length of a line, and of its key.
static size_t line_length(const char* line) { return strcspn(line, "\n"); }

static size_t key_length(const char* line) {
    const char* equals = strstr(line, " = ");
    size_t      length = line_length(line);
    return equals && (size_t)(equals - line) < length ? (size_t)(equals - line) : length;
}

static bool has_key(const char* lines, const char* key, size_t length) {
    while (*lines) {
        if (key_length(lines) == length && memcmp(lines, key, length) == 0) return true;
        lines += line_length(lines);
        lines += *lines == '\n';
    }
    return false;
}

static shoal_status refuse_other_scene(const run* r, const char* then) {
    const char* now = r->physics.bytes;
    for (;;) {
        size_t a = line_length(then), b = line_length(now);
        if (a == b && memcmp(then, now, a) == 0 && then[a] && now[b]) {
            then += a + 1;
            now += b + 1;
            continue;
        }
        size_t key = key_length(now), key_then = key_length(then);
        bool   same_key = key == key_then && memcmp(now, then, key) == 0;
        if (same_key && key > 0)
            return shoal_fail(SHOAL_ERR_INPUT,
                              "%s: %.*s was %.*s when the run began and is %.*s now; on resume only "
                              "frames, threads, output, surface and render may change (--force starts anew)",
                              r->folder, (int)key, now, (int)(a > key + 3 ? a - key - 3 : 0), then + key + 3,
                              (int)(b > key + 3 ? b - key - 3 : 0), now + key + 3);
        // one that was taken out, or one that was put in
        const char* odd = key > 0 && !has_key(then, now, key) ? now : then;
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s: %.*s is not as it was when the run began; on resume only frames, "
                          "threads, output, surface and render may change (--force starts anew)",
                          r->folder, (int)(odd == now ? key : key_then), odd);
    }
}

// --- which checkpoint

static bool frame_is_there(const run* r, int frame) {
    char path[SHOAL_PATH_SIZE];
    for (int k = 0; k < r->parts.count; k++)
        if (run_frame_path(r, frame, r->parts.endings[k], path) != SHOAL_OK || !shoal_path_exists(path)) return false;
    return true;
}

// Whether the wanted frames before `end` have been written, though they may be lost. Of a run from the start only the
// first is asked for: output.every may have been another then, and what it left out is not made up for.
static bool frames_were_written(const run* r, int end, const run_lost* lost) {
    if (r->first == 0 && end > 1) end = 1;
    for (int f = r->first; f < end && f <= r->last; f++)
        if (f % r->output.every == 0 && !frame_is_there(r, f) && !run_lost_has_frame(lost, f)) return false;
    return true;
}

// The frames up to a checkpoint that can no longer be written from it end here.
static int end_of(const shoal_checkpoint* c) { return c->is_mid ? c->frame + 1 : c->frame; }

static void tell_lost(const run* r, const run_lost* lost, const char* then) {
    shoal_text lost_text = {0};
    run_lost_tell(lost, &lost_text);
    if (lost_text.bytes) run_note(r, "%s: missing or damaged: %s; %s", r->folder, lost_text.bytes, then);
    shoal_text_free(&lost_text);
}

static shoal_status checkpoint_names(const run* r, shoal_names* out) {
    char path[SHOAL_PATH_SIZE];
    SHOAL_TRY(shoal_path_make(path, "%s/checkpoints", r->folder));
    SHOAL_TRY(shoal_folder_names(path, out));
    int left = 0;
    for (int i = 0; i < out->count; i++) {
        size_t length;
        int    number;
        bool is_ours = shoal_name_is_numbered(out->names[i], ".shoal", &length, &number) && length == strlen(r->stem) &&
                       memcmp(out->names[i], r->stem, length) == 0;
        if (is_ours)
            out->names[left++] = out->names[i];
        else
            shoal_free(out->names[i]);
    }
    out->count = left;
    return SHOAL_OK;
}

// Loads the checkpoint of a name; it is in the way of a run of another scene. *is_good: it can be read.
static shoal_status read_checkpoint(const run* r, const char* name, shoal_checkpoint* c, bool* is_good) {
    char path[SHOAL_PATH_SIZE];
    *is_good = false;
    SHOAL_TRY(shoal_path_make(path, "%s/checkpoints/%s", r->folder, name));
    shoal_status status = shoal_checkpoint_load(path, c);
    if (status == SHOAL_ERR_MEMORY) return status;
    *is_good = status == SHOAL_OK;
    if (!*is_good) run_note(r, "%s; trying an older checkpoint", shoal_last_error());
    if (!*is_good || strcmp(c->scene, r->physics.bytes) == 0) return SHOAL_OK;
    status = refuse_other_scene(r, c->scene);
    shoal_checkpoint_free(c);
    return status;
}

static shoal_status load(run* r, const shoal_checkpoint* c) {
    if (shoal_sim_load(r->sim, c->state, c->state_size) != SHOAL_OK) {
        char why[512];
        snprintf(why, sizeof why, "%s", shoal_last_error());
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s: the checkpoint of frame %d does not fit this program: %s; start anew "
                          "with --force",
                          r->folder, c->frame, why);
    }
    r->frame       = c->frame;
    r->frame_steps = c->frame_steps;
    r->resumed_at  = c->frame;
    return SHOAL_OK;
}

// What hands have done to a run is in its states, and cannot be done again. How often they did, in the state that the
// simulation has now; 0 where the caller does it anew.
static int64_t touches_by_hand(const run* r) {
    const char* names[16];
    int64_t     counts[16], sum = 0;
    int         count = shoal_sim_touches(r->sim, names, counts, 16);
    for (int i = 0; i < count && i < 16; i++) sum += counts[i];
    return !r->def->touch || r->def->touch_is_a_hand ? sum : 0;
}

// Whether hands did something between two checkpoints, the newer of which has it.
static shoal_status is_touched_between(run* r, const shoal_checkpoint* older, const shoal_checkpoint* newer,
                                       bool* out) {
    if (!r->start) SHOAL_TRY(shoal_sim_save(r->sim, &r->start, &r->start_size));
    SHOAL_TRY(load(r, older));
    int64_t before = touches_by_hand(r);
    SHOAL_TRY(load(r, newer));
    *out = touches_by_hand(r) != before;
    return SHOAL_OK;
}

// The newest good checkpoint before which nothing is lost and from which all frames that are asked for can be written.
// Where something is lost before all of them, or hands have touched the run since that one, the newest, with what is
// lost. c->state stays NULL when there is no checkpoint at all.
static shoal_status find_checkpoint(run* r, const shoal_names* names, shoal_checkpoint* c, run_lost* lost) {
    bool is_any_good = false;
    for (int i = names->count - 1; i >= 0; i--) {
        bool             is_good;
        shoal_checkpoint next = {0};
        run_lost         before;
        SHOAL_TRY(read_checkpoint(r, names->names[i], &next, &is_good));
        if (!is_good) continue;
        is_any_good           = true;
        shoal_status status   = run_lost_find(r, end_of(&next), next.frame + 1, &before);
        bool         is_fit   = status == SHOAL_OK && frames_were_written(r, end_of(&next), &before);
        bool         is_whole = is_fit && !run_lost_is_any(&before), is_touched = false;
        if (is_whole && c->state) status = is_touched_between(r, &next, c, &is_touched);
        if (status != SHOAL_OK || is_touched) {
            shoal_checkpoint_free(&next);
            run_lost_free(&before);
            return status;
        }
        if (is_whole && c->state) tell_lost(r, lost, "an older checkpoint makes them again");
        if (is_whole || (is_fit && !c->state)) {
            shoal_checkpoint_free(c);
            run_lost_free(lost);
            *c    = next;
            *lost = before;
        } else {
            shoal_checkpoint_free(&next);
            run_lost_free(&before);
        }
        if (is_whole) return SHOAL_OK;
    }
    if (c->state) return SHOAL_OK;
    if (is_any_good)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s: frames %d..%d are not all there and begin before its checkpoints; write "
                          "them to another folder with -o, or start anew with --force",
                          r->folder, r->first, r->last);
    if (names->count > 0)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: none of its %d checkpoints can be read; start anew with --force",
                          r->folder, names->count);
    return SHOAL_OK;
}

shoal_status shoal_run_checkpoint(const char* path, shoal_sim* sim) {
    shoal_checkpoint c = {0};
    SHOAL_TRY(shoal_checkpoint_load(path, &c));
    shoal_status status = shoal_sim_load(sim, c.state, c.state_size);
    shoal_checkpoint_free(&c);
    if (status == SHOAL_OK || status == SHOAL_ERR_MEMORY) return status;
    char why[512];
    snprintf(why, sizeof why, "%s", shoal_last_error());
    return shoal_fail(SHOAL_ERR_INPUT, "%s: does not fit this program or this scene: %s", path, why);
}

// What is lost ahead of all checkpoints will be made again from the state at the start, before the run goes on.
static shoal_status load_with_losses(run* r, const shoal_checkpoint* c) {
    if (!r->start) SHOAL_TRY(shoal_sim_save(r->sim, &r->start, &r->start_size));
    SHOAL_TRY(load(r, c));
    if (touches_by_hand(r) == 0) {
        tell_lost(r, &r->lost, "all its checkpoints are newer, so they are made again from the start");
        return SHOAL_OK;
    }
    tell_lost(r, &r->lost, "older states are without what hands have done since");
    shoal_log(SHOAL_LOG_WARNING,
              "%s: what is missing cannot be made again, since the run was touched by hand; it goes on without it",
              r->folder);
    run_lost_free(&r->lost);
    return SHOAL_OK;
}

shoal_status run_resume(run* r) {
    shoal_names      names  = {0};
    shoal_checkpoint c      = {0};
    shoal_status     status = checkpoint_names(r, &names);
    if (status == SHOAL_OK) status = find_checkpoint(r, &names, &c, &r->lost);
    if (status == SHOAL_OK && c.state) {
        status = run_lost_is_any(&r->lost) ? load_with_losses(r, &c) : load(r, &c);
        if (status == SHOAL_OK)
            run_note(r, "resumed %s frame %d (t = %.6g s)", c.is_mid ? "after" : "at", c.frame, c.time);
    } else if (status == SHOAL_OK) {
        run_note(r, "%s: no checkpoint yet, starting at frame 0", r->folder);
    }
    shoal_checkpoint_free(&c);
    shoal_names_free(&names);
    return status;
}

bool run_is_finished(const run* r) {
    char   path[SHOAL_PATH_SIZE];
    char*  bytes;
    size_t size;
    if (shoal_path_make(path, "%s/run.json", r->folder) != SHOAL_OK || shoal_file_read(path, &bytes, &size) != SHOAL_OK)
        return false;
    shoal_scene* parsed  = NULL;
    bool         is_done = false;
    if (shoal_scene_parse(bytes, size, path, &parsed) == SHOAL_OK && shoal_scene_root(parsed)) {
        const shoal_node* status = shoal_node_child(shoal_scene_root(parsed), "status");
        const shoal_node* frames = shoal_node_child(shoal_scene_root(parsed), "frames");
        const shoal_node* done   = frames ? shoal_node_child(frames, "done") : NULL;
        const shoal_node* hashes = shoal_node_child(shoal_scene_root(parsed), "hashes");
        const shoal_node* hash   = hashes ? shoal_node_child(hashes, "scene") : NULL;
        char              ours[32];
        snprintf(ours, sizeof ours, "%016llx", (unsigned long long)r->scene_hash);
        is_done = status && status->text && strcmp(status->text, "done") == 0 && done && done->number >= r->last &&
                  hash && hash->text && strcmp(hash->text, ours) == 0;
    }
    shoal_scene_destroy(parsed);
    shoal_free(bytes);
    run_lost lost = {.row = -1};
    bool is_whole = is_done && !r->broken.table[0] && run_lost_find(r, r->last + 1, r->last + 1, &lost) == SHOAL_OK &&
                    frames_were_written(r, r->last + 1, &lost) && !run_lost_is_any(&lost);
    run_lost_free(&lost);
    return is_whole;
}
