// SPDX-License-Identifier: MIT
// The scene of a run that lies on disk, and the list of its frames.
#include "post/post_source.h"

#include "run/subject.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { REPORTED_EACH = 20 }; // missing frames that are reported one by one

static bool may_be_set(const post_source* s, const char* setting) {
    for (const char* const* block = s->blocks; *block; block++) {
        size_t length = strlen(*block);
        if (strncmp(setting, *block, length) == 0 && (setting[length] == '.' || setting[length] == '=')) return true;
    }
    return false;
}

static shoal_status set_one(const post_source* s, const char* setting) {
    char        path[128], known[64] = "";
    const char* equals = strchr(setting, '=');
    if (!equals || (size_t)(equals - setting) >= sizeof path)
        return shoal_fail(SHOAL_ERR_PARAM, "--set %.80s: it must be KEY=VALUE", setting);
    if (!may_be_set(s, setting)) {
        for (const char* const* block = s->blocks; *block; block++) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s.*", used ? " and " : "", *block);
        }
        return shoal_fail(SHOAL_ERR_PARAM,
                          "--set %.80s: the frames are made; only %s can be set, as "
                          "surface.cell=0.4",
                          setting, known);
    }
    snprintf(path, sizeof path, "%.*s", (int)(equals - setting), setting);
    return shoal_scene_set_value(s->scene, path, equals + 1);
}

// "subject": [min x, y, z, max x, y, z]
static void take_subject(post_source* s) {
    const shoal_node* list = shoal_node_child(shoal_scene_root(s->scene), "subject");
    double            value[6];
    int               count = 0;
    s->subject              = shoal_box_empty();
    for (const shoal_node* at = list && list->kind == SHOAL_NODE_LIST ? list->first : NULL; at && count < 6;
         at                   = at->next) {
        if (at->kind != SHOAL_NODE_NUMBER || !isfinite(at->number)) return;
        value[count++] = at->number;
    }
    if (count == 6) s->subject = (shoal_box){{value[0], value[1], value[2]}, {value[3], value[4], value[5]}};
}

// run.json holds the scene with all defaults; its root becomes that part. Mesh files are looked for
// where they were then.
static shoal_status take_scene(post_source* s, const char* path) {
    const shoal_node* part   = shoal_node_child(shoal_scene_root(s->scene), "scene");
    const shoal_node* folder = shoal_node_child(shoal_scene_root(s->scene), "scene_folder");
    take_subject(s);
    if (!part || part->kind != SHOAL_NODE_MAP)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: has no scene; is it of a run?", path);
    if (folder && folder->kind == SHOAL_NODE_TEXT) SHOAL_TRY(shoal_scene_set_folder(s->scene, folder->text));
    return shoal_scene_narrow(s->scene, part);
}

// What the caller changes of it.
static shoal_status change_scene(post_source* s) {
    if (s->camera) SHOAL_TRY(shoal_scene_set_camera(s->scene, s->camera));
    for (int i = 0; s->settings && s->settings[i]; i++) SHOAL_TRY(set_one(s, s->settings[i]));
    return shoal_scene_read_surface(s->scene, &s->surface);
}

static shoal_status open_scene(post_source* s) {
    char   path[SHOAL_PATH_SIZE];
    char*  bytes;
    size_t size;
    if (!shoal_path_is_folder(s->folder)) return shoal_fail(SHOAL_ERR_FILE, "%s: no such folder", s->folder);
    SHOAL_TRY(shoal_path_make(path, "%s/run.json", s->folder));
    if (!shoal_path_exists(path))
        return shoal_fail(SHOAL_ERR_INPUT, "%s: holds no run (there is no run.json)", s->folder);
    SHOAL_TRY(shoal_file_read(path, &bytes, &size));
    shoal_status status = shoal_scene_parse(bytes, size, path, &s->scene);
    shoal_free(bytes);
    SHOAL_TRY(status);
    SHOAL_TRY(take_scene(s, path));
    return change_scene(s);
}

shoal_status shoal_run_scene(const char* folder, shoal_scene** out) {
    post_source  s      = {.folder = folder};
    shoal_status status = open_scene(&s);
    *out                = status == SHOAL_OK ? s.scene : NULL;
    if (status != SHOAL_OK) shoal_scene_destroy(s.scene);
    return status;
}

void post_name_for_files(char* name) {
    if (!name[0]) strcpy(name, "_");
    for (char* c = name; *c; c++)
        if (strchr("/\\:*?\"<>|,", *c) || (unsigned char)*c <= ' ' || (*c == '.' && c == name)) *c = '_';
}

// No two are the same.
static void name_materials(post_source* s) {
    const shoal_node* map = s->surface.materials;
    for (const shoal_node* m = map ? map->first : NULL; m && s->material_count < POST_MATERIALS_MOST; m = m->next) {
        char* name = s->materials[s->material_count];
        snprintf(name, SHOAL_NAME_SIZE, "%s", m->key && m->key[0] ? m->key : "material");
        post_name_for_files(name);
        for (int k = 0; k < s->material_count; k++)
            if (strcmp(s->materials[k], name) == 0) {
                size_t used = strlen(name);
                snprintf(name + used, POST_MATERIAL_SIZE - used, "_%d", s->material_count);
            }
        s->material_count++;
    }
    if (s->material_count == 0) snprintf(s->materials[s->material_count++], POST_MATERIAL_SIZE, "particles");
}

// Parts in the order of their names.
static shoal_status note_ending(post_source* s, const char* ending) {
    int at = 0;
    while (at < s->part_count && strcmp(s->endings[at], ending) < 0) at++;
    if (at < s->part_count && strcmp(s->endings[at], ending) == 0) return SHOAL_OK;
    if (s->part_count == SHOAL_SETS_MOST || strlen(ending) >= SHOAL_FRAME_NAME_SIZE)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: frames have more than %d parts (%s)", s->folder, SHOAL_SETS_MOST,
                          ending);
    memmove(s->endings[at + 1], s->endings[at], (size_t)(s->part_count - at) * sizeof s->endings[0]);
    snprintf(s->endings[at], sizeof s->endings[at], "%s", ending);
    s->part_count++;
    return SHOAL_OK;
}

static shoal_status note_frame(post_source* s, const char* name) {
    size_t      stem;
    int         number;
    const char* ending;
    if (!shoal_name_is_frame(name, &stem, &number, &ending)) return SHOAL_OK;
    if (s->count == 0) SHOAL_TRY(shoal_path_make(s->stem, "%.*s", (int)stem, name));
    if (strlen(s->stem) != stem || memcmp(s->stem, name, stem) != 0)
        return shoal_fail(SHOAL_ERR_INPUT, "%s/frames: holds the frames of more than one run (%s)", s->folder, name);
    SHOAL_TRY(note_ending(s, ending));
    if (s->count == 0 || number != s->numbers[s->count - 1])
        s->numbers[s->count++] = number; // sorted: parts follow each other
    return SHOAL_OK;
}

static shoal_status list_frames(post_source* s) {
    char        path[SHOAL_PATH_SIZE];
    shoal_names names;
    SHOAL_TRY(shoal_path_make(path, "%s/frames", s->folder));
    SHOAL_TRY(shoal_folder_names(path, &names));
    s->numbers          = shoal_alloc((size_t)names.count + 1, sizeof *s->numbers);
    shoal_status status = s->numbers ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (int i = 0; i < names.count && status == SHOAL_OK; i++) status = note_frame(s, names.names[i]);
    shoal_names_free(&names);
    if (status == SHOAL_OK && s->count == 0)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: holds no frames (frames/NAME_000000.vtp)", s->folder);
    return status;
}

shoal_status post_source_file(const post_source* s, int index, int part, char out[SHOAL_PATH_SIZE]) {
    return shoal_path_make(out, "%s/frames/%s_%06d%s", s->folder, s->stem, s->numbers[index], s->endings[part]);
}

bool post_source_is_older(const post_source* s, int index, const char* file) {
    char path[SHOAL_PATH_SIZE];
    for (int k = 0; k < s->part_count; k++)
        if (post_source_file(s, index, k, path) != SHOAL_OK || !post_is_newer(file, path)) return false;
    return true;
}

void post_source_fault(post_source* s, shoal_status status, const char* message) {
    if (s->first_fault == SHOAL_OK) s->first_fault = status;
    if (s->fault) s->fault(message, s->user);
}

// Frames are evenly numbered; a wider gap than the smallest is one that is missing.
static int usual_step(const post_source* s) {
    int step = s->count > 1 ? INT_MAX : 1;
    for (int i = 1; i < s->count; i++)
        if (s->numbers[i] - s->numbers[i - 1] < step) step = s->numbers[i] - s->numbers[i - 1];
    return step;
}

bool post_source_wants(const post_source* s, int number) {
    return number >= s->first && (s->last < 0 || number <= s->last) && run_frames_hold(&s->asked, number);
}

void post_source_report_missing(post_source* s, int index) {
    char message[2 * SHOAL_PATH_SIZE + 256];
    int  step  = s->step;
    int  first = -1, last = -1, count = 0;
    for (int n = s->numbers[index - 1] + step; n < s->numbers[index]; n += step) {
        if (!post_source_wants(s, n)) continue;
        if (count++ == 0) first = n;
        last = n;
    }
    const char* ending = s->endings[0];
    if (count > REPORTED_EACH) { // a file with a stray number would tell thousands
        snprintf(message, sizeof message, "%s/frames/%s_%06d%s to %06d%s: %d frames are missing", s->folder, s->stem,
                 first, ending, last, ending, count);
        post_source_fault(s, SHOAL_ERR_INPUT, message);
    }
    for (int n = first; count > 0 && count <= REPORTED_EACH && n <= last; n += step) {
        if (!post_source_wants(s, n)) continue;
        snprintf(message, sizeof message, "%s/frames/%s_%06d%s: the frame is missing", s->folder, s->stem, n, ending);
        post_source_fault(s, SHOAL_ERR_INPUT, message);
    }
}

static shoal_status count_wanted(post_source* s) {
    int first = s->numbers[0], last = s->numbers[s->count - 1];
    for (int i = 0; i < s->count; i++) s->wanted += post_source_wants(s, s->numbers[i]);
    if (s->wanted == 0)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: none of its frames, %d to %d, is asked for", s->folder, first, last);
    int most = s->last;
    if (s->frames) shoal_frames_read(s->frames, NULL, &most);
    if (most - last >= s->step)
        shoal_log(SHOAL_LOG_WARNING, "%s: its last frame is %d; those up to %d are not there", s->folder, last, most);
    for (int k = 0; k < s->asked.count; k++) {
        int number = s->asked.ranges[k].first; // of those asked for one by one
        if (number != s->asked.ranges[k].last || number > last) continue;
        bool is_there = false;
        for (int i = 0; i < s->count; i++) is_there |= s->numbers[i] == number;
        if (!is_there) shoal_log(SHOAL_LOG_WARNING, "%s: there is no frame %d", s->folder, number);
    }
    return SHOAL_OK;
}

shoal_status post_source_end(const post_source* s) {
    return s->first_fault == SHOAL_OK
               ? SHOAL_OK
               : shoal_fail(s->first_fault, "%s: not all of its frames could be used", s->folder);
}

shoal_status post_source_list(post_source* s) {
    if (s->frames && !run_frames_parse(s->frames, &s->asked))
        return shoal_fail(SHOAL_ERR_PARAM, "frames %.40s: give N, A..B or A..B:STEP, or several with commas",
                          s->frames);
    SHOAL_TRY(list_frames(s));
    s->step = usual_step(s);
    return count_wanted(s);
}

shoal_status post_source_renew(post_source* s) {
    post_source before = *s;
    s->numbers         = NULL;
    s->count = s->part_count = s->wanted = 0;
    shoal_status status                  = post_source_list(s);
    shoal_free(status == SHOAL_OK ? before.numbers : s->numbers);
    if (status != SHOAL_OK) *s = before;
    return status;
}

shoal_status post_source_open(post_source* s) {
    SHOAL_TRY(open_scene(s));
    name_materials(s);
    return post_source_list(s);
}

shoal_status post_source_take(post_source* s, shoal_scene* scene) {
    char*              resolved = NULL;
    shoal_description* description;
    SHOAL_TRY(shoal_scene_describe(scene, &description));
    SHOAL_TRY(shoal_scene_resolved(scene, &resolved));
    s->subject          = shoal_subject_box(description);
    shoal_status status = shoal_scene_parse(resolved, strlen(resolved), "scene", &s->scene);
    shoal_bytes_free(resolved, strlen(resolved) + 1);
    SHOAL_TRY(status);
    SHOAL_TRY(shoal_scene_set_folder(s->scene, shoal_scene_folder(scene)));
    SHOAL_TRY(change_scene(s));
    name_materials(s);
    return SHOAL_OK;
}

void post_source_close(post_source* s) {
    shoal_free(s->numbers);
    shoal_scene_destroy(s->scene);
}

bool post_is_newer(const char* path, const char* than) {
    struct stat a, b;
    if (stat(path, &a) != 0 || stat(than, &b) != 0) return false;
    return a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec
                                                : a.st_mtim.tv_nsec >= b.st_mtim.tv_nsec;
}
