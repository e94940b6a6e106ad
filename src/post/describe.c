// SPDX-License-Identifier: MIT
// What a path is, in a few lines for people or as JSON: scene, mesh, frame, checkpoint or run folder.
#include "post/sheet.h"

#include "base/words.h"
#include "io/checkpoint.h"
#include "io/file.h"
#include "io/frame_vtk.h"
#include "io/mesh_file.h"
#include "param/param.h"
#include "run/lost.h"
#include "run/run_folder.h"
#include "scene/scene_access.h"
#include "solvers/registry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// --- scene

static shoal_status describe_scene(const char* path, post_sheet* s) {
    shoal_scene* scene  = NULL;
    shoal_status status = shoal_scene_load(path, &scene);
    if (status == SHOAL_OK) status = shoal_scene_check(scene);
    if (status == SHOAL_OK) {
        shoal_scene_facts f       = shoal_scene_get_facts(scene);
        double            seconds = f.fps > 0 ? f.frames / f.fps : 0;
        bool              is_mesh = f.is_mesh;
        char              most[64];
        *most = 0;
        if (f.particles_most > f.particles)
            snprintf(most, sizeof most, ", up to %lld with what is emitted", (long long)f.particles_most);
        sheet_begin(s, path, "scene", 19);
        sheet_text(s, "name", f.name);
        sheet_text(s, "solver", f.solver);
        sheet_number(s, "frames", f.frames, "0..%d at %g per second (%.6g s)", f.frames, f.fps, seconds);
        sheet_key(s, "fps");
        sheet_value(s, f.fps);
        sheet_number(s, is_mesh ? "cubes of a spacing" : "particles", (double)f.particles, "%lld%s",
                     (long long)f.particles, most);
        sheet_key(s, is_mesh ? "cubes_most" : "particles_most");
        sheet_value(s, (double)f.particles_most);
        sheet_number(s, "spacing", f.spacing, "%g m", f.spacing);
        if (!is_mesh) {
            sheet_number(s, "support", f.support, "%g m", f.support);
            sheet_number(s, "memory per particle", (double)f.bytes_per_particle, "%lld bytes",
                         (long long)f.bytes_per_particle);
        }
        sheet_bytes(s, "memory", (double)f.bytes);
        sheet_end(s);
    }
    shoal_scene_destroy(scene);
    return status;
}

// --- mesh

static void tell_quality(const shoal_mesh_quality* q, post_sheet* s) {
    bool is_good = q->open_edges + q->nonmanifold_edges + q->flipped_edges + q->degenerate_triangles == 0;
    if (is_good)
        sheet_words(s, "  quality            %s\n",
                    q->is_inside_out ? "closed, but inside out: its triangles turn the wrong way"
                                     : "closed, no warnings");
    sheet_place(s, "open edges", q->open_edges, q->open_at);
    sheet_place(s, "non-manifold edges", q->nonmanifold_edges, q->nonmanifold_at);
    sheet_place(s, "flipped edges", q->flipped_edges, q->flipped_at);
    sheet_place(s, "flat triangles", q->degenerate_triangles, q->degenerate_at);
    if (q->is_inside_out && !is_good) sheet_words(s, "  inside out: its triangles turn the wrong way\n");
    sheet_key(s, "is_inside_out");
    if (s->is_json) shoal_text_add(s->out, q->is_inside_out ? "true" : "false");
}

static shoal_status describe_mesh(const char* path, post_sheet* s) {
    shoal_mesh*        mesh = NULL;
    shoal_mesh_quality q;
    shoal_status       status = shoal_mesh_load(path, &mesh);
    if (status == SHOAL_ERR_INPUT && strstr(shoal_last_error(), SHOAL_MESH_EMPTY)) {
        // the surface of a frame without particles is one
        sheet_begin(s, path, "mesh", 18);
        sheet_number(s, "triangles", 0.0, "0, it is empty");
        sheet_end(s);
        return SHOAL_OK;
    }
    SHOAL_TRY(status);
    status = shoal_mesh_examine(mesh, &q);
    if (status == SHOAL_OK) {
        shoal_box box    = shoal_mesh_bounds(mesh);
        double    volume = shoal_mesh_volume(mesh);
        sheet_begin(s, path, "mesh", 18);
        sheet_number(s, "points", mesh->vertex_count, "%d", mesh->vertex_count);
        sheet_number(s, "triangles", mesh->triangle_count, "%d", mesh->triangle_count);
        sheet_box(s, "bounds", box.min, box.max);
        sheet_number(s, "volume", volume, "%.6g m^3", volume);
        if (isfinite(q.thinnest)) sheet_number(s, "thinnest wall", q.thinnest, "%.6g m", q.thinnest);
        tell_quality(&q, s);
        sheet_end(s);
    }
    shoal_mesh_destroy(mesh);
    return status;
}

// --- frame

// The range of a component of a field; `is_first` of a list for programs.
static void tell_range(post_sheet* s, int count, const shoal_frame_array* field, int c, bool is_first) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    int    odd = 0;
    for (int i = 0; i < count; i++) {
        double value = shoal_frame_value(field, i, c);
        least        = fmin(least, value);
        most         = fmax(most, value);
        odd += !isfinite(value);
    }
    char label[SHOAL_FRAME_NAME_SIZE + 12], letter[8];
    shoal_frame_component_name(field, c, letter);
    snprintf(label, sizeof label, "%s%s%s", field->name, *letter ? "." : "", letter);
    if (s->is_json) {
        shoal_text_add(s->out, is_first ? "{\"name\":" : ",{\"name\":");
        shoal_json_string(s->out, label);
        sheet_text(s, "unit", field->unit);
        sheet_key(s, "least");
        sheet_value(s, least);
        sheet_key(s, "most");
        sheet_value(s, most);
        sheet_key(s, "not_finite");
        sheet_value(s, odd);
        shoal_text_add(s->out, "}");
        return;
    }
    if (count == 0) {
        if (c == 0) sheet_words(s, "  %s\n", field->name);
        return;
    }
    sheet_words(s, "  %-16s %.9g to %.9g%s%s", label, sheet_plain(least), sheet_plain(most), *field->unit ? " " : "",
                field->unit);
    if (odd > 0) sheet_words(s, ", %d not finite", odd);
    sheet_words(s, "\n");
}

static void tell_fields(post_sheet* s, const char* label, const shoal_frame_table* table) {
    sheet_key(s, label);
    if (s->is_json) shoal_text_add(s->out, "[");
    for (int f = 0; f < table->field_count; f++)
        for (int c = 0; c < shoal_frame_components(&table->fields[f]); c++)
            tell_range(s, table->count, &table->fields[f], c, f == 0 && c == 0);
    if (s->is_json) shoal_text_add(s->out, "]");
}

static shoal_status describe_frame(const char* path, post_sheet* s) {
    shoal_frame* frame;
    SHOAL_TRY(shoal_frame_load(path, &frame));
    sheet_begin(s, path, "frame", 16);
    if (!isnan(frame->time)) sheet_number(s, "time", frame->time, "%.9g s", frame->time);
    static const char* const cells[] = {"", "", "", "triangles", "tetrahedra"};
    sheet_number(s, frame->corners ? "points" : "particles", frame->points.count, "%d", frame->points.count);
    if (frame->corners) sheet_number(s, cells[frame->corners], frame->cells.count, "%d", frame->cells.count);
    tell_fields(s, "fields", &frame->points);
    if (frame->corners || !s->is_json) tell_fields(s, "cell_fields", &frame->cells);
    sheet_end(s);
    shoal_status             status   = SHOAL_OK;
    const shoal_frame_array* position = shoal_frame_find(frame, "position");
    for (int i = 0; i < frame->points.count && position && status == SHOAL_OK; i++)
        for (int c = 0; c < 3 && status == SHOAL_OK; c++)
            if (!isfinite(shoal_frame_value(position, i, c)))
                status = shoal_fail(SHOAL_ERR_INPUT, "%s: particle %d has a position that is not a number", path, i);
    shoal_frame_destroy(frame);
    return status;
}

// --- checkpoint

// Whether the scene of a checkpoint is run on a mesh, of which it counts the cells.
static bool is_of_mesh(const shoal_checkpoint* c) {
    static const char key[]    = "solver = ";
    char              name[16] = "";
    const char*       at       = strstr(c->scene, key);
    if (at && (at == c->scene || at[-1] == '\n')) sscanf(at + strlen(key), "%15s", name);
    const shoal_solver_type* type = shoal_solver_find(name);
    return type && type->matter;
}

static shoal_status describe_checkpoint(const char* path, post_sheet* s) {
    shoal_checkpoint c;
    char             hash[32];
    SHOAL_TRY(shoal_checkpoint_load(path, &c));
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)c.scene_hash);
    sheet_begin(s, path, "checkpoint", 16);
    sheet_number(s, "frame", c.frame, "%d%s", c.frame, c.is_mid ? ", on the way to the next" : "");
    sheet_number(s, "time", c.time, "%.9g s", c.time);
    sheet_number(s, is_of_mesh(&c) ? "tetrahedra" : "particles", (double)c.particles, "%lld", (long long)c.particles);
    sheet_text(s, "scene hash", hash);
    sheet_bytes(s, "state", (double)c.state_size);
    sheet_end(s);
    shoal_checkpoint_free(&c);
    return SHOAL_OK;
}

// --- run folder

typedef struct folder_sum {
    int    frames, frame_first, frame_last, checkpoints, checkpoint_last;
    double bytes;
    char   parts[256]; // of frames that have several: "sand, water"
} folder_sum;

static void add_part(folder_sum* sum, const char* ending) {
    const char* end = strrchr(ending, '.');
    char        name[SHOAL_FRAME_NAME_SIZE];
    if (end == ending) return;
    snprintf(name, sizeof name, "%.*s", (int)(end - ending - 1), ending + 1);
    size_t used = strlen(sum->parts), length = strlen(name);
    for (const char* at = strstr(sum->parts, name); at; at = strstr(at + 1, name))
        if ((at == sum->parts || at[-1] == ' ') && (at[length] == 0 || at[length] == ',')) return;
    snprintf(sum->parts + used, sizeof sum->parts - used, "%s%s", used ? ", " : "", name);
}

static shoal_status sum_folder(const char* folder, const char* below, folder_sum* sum) {
    char        path[SHOAL_PATH_SIZE];
    shoal_names names;
    SHOAL_TRY(shoal_path_make(path, "%s/%s", folder, below));
    SHOAL_TRY(shoal_folder_names(path, &names));
    for (int i = 0; i < names.count; i++) {
        struct stat info;
        size_t      stem;
        int         number;
        if (shoal_path_make(path, "%s/%s/%s", folder, below, names.names[i]) != SHOAL_OK) continue;
        if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) sum->bytes += (double)info.st_size;
        const char* ending;
        if (strcmp(below, "frames") == 0 && shoal_name_is_frame(names.names[i], &stem, &number, &ending)) {
            add_part(sum, ending);
            if (sum->frames == 0) sum->frame_first = number;
            sum->frames += sum->frames == 0 || number != sum->frame_last; // names are sorted
            sum->frame_last = number;
        }
        if (strcmp(below, "checkpoints") == 0 && shoal_name_is_numbered(names.names[i], ".shoal", &stem, &number)) {
            sum->checkpoints++;
            sum->checkpoint_last = number;
        }
    }
    shoal_names_free(&names);
    return SHOAL_OK;
}

static const char* text_of(const shoal_node* map, const char* key) {
    const shoal_node* node = map && map->kind == SHOAL_NODE_MAP ? shoal_node_child(map, key) : NULL;
    return node && node->text ? node->text : NULL;
}

// Numbers are numbers for programs, too.
static void tell_child(post_sheet* s, const shoal_node* map, const char* key, const char* label) {
    const shoal_node* node = map && map->kind == SHOAL_NODE_MAP ? shoal_node_child(map, key) : NULL;
    if (!node || !node->text) return;
    if (node->kind == SHOAL_NODE_NUMBER)
        sheet_number(s, label, node->number, "%s", node->text);
    else
        sheet_text(s, label, node->text);
}

static void tell_run_json(const char* folder, const shoal_node* root, post_sheet* s) {
    static const char* const keys[] = {"name",   "solver",   "particles", "tetrahedra",
                                       "time_s", "substeps", "threads",   "version"};
    const char*              status = text_of(root, "status");
    bool                     is_cut = status && strcmp(status, "running") == 0 && !run_folder_is_busy(folder);
    sheet_text(s, "status", is_cut ? "stopped before its end" : status ? status : "unknown");
    bool has_mesh = shoal_node_child(root, "tetrahedra") != NULL;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (s->is_json || !has_mesh || strcmp(keys[k], "particles") != 0) tell_child(s, root, keys[k], keys[k]);
    tell_child(s, shoal_node_child(root, "machine"), "device", "device");
    const shoal_node *frames = shoal_node_child(root, "frames"), *hashes = shoal_node_child(root, "hashes");
    const char *      first = text_of(frames, "first"), *last = text_of(frames, "last");
    if (first && last) {
        char range[64];
        snprintf(range, sizeof range, "%.20s..%.20s", first, last);
        sheet_text(s, "frames wanted", range);
    }
    tell_child(s, hashes, "state", "state hash");
}

// run.json as a tree; NULL when it cannot be read. *parsed is to be destroyed.
static const shoal_node* read_run_json(const char* folder, shoal_scene** parsed) {
    char   path[SHOAL_PATH_SIZE];
    char*  bytes = NULL;
    size_t size  = 0;
    *parsed      = NULL;
    bool is_read = shoal_path_make(path, "%s/run.json", folder) == SHOAL_OK &&
                   shoal_file_read(path, &bytes, &size) == SHOAL_OK &&
                   shoal_scene_parse(bytes, size, path, parsed) == SHOAL_OK;
    shoal_free(bytes);
    const shoal_node* root = is_read ? shoal_scene_root(*parsed) : NULL;
    return root && root->kind == SHOAL_NODE_MAP ? root : NULL;
}

// Whether the folder that a command names by -o is another one: a run was copied or moved, or the command was given
// elsewhere. A word in quotes ends with them.
static bool leads_elsewhere(const char* command, const char* folder) {
    static const char option[] = " -o ";
    const char*       at       = strstr(command, option);
    char              named[SHOAL_PATH_SIZE];
    size_t            count = 0;
    bool              is_in = false;
    struct stat       there, here;
    if (!at) return false;
    for (at += strlen(option); *at && (is_in || *at != ' ') && count + 1 < sizeof named; at++) {
        if (*at == '\'')
            is_in = !is_in;
        else if (is_in || *at != '\\')
            named[count++] = *at;
        else if (at[1])
            named[count++] = *++at;
    }
    named[count] = 0;
    return stat(named, &there) != 0 || stat(folder, &here) != 0 || there.st_dev != here.st_dev ||
           there.st_ino != here.st_ino;
}

static void tell_way_on(const char* folder, const shoal_node* root, bool is_whole, post_sheet* s) {
    const char* status = root ? text_of(root, "status") : NULL;
    const char* way_on = root ? text_of(root, "way_on") : NULL;
    if ((status && strcmp(status, "done") == 0 && is_whole) || run_folder_is_busy(folder)) return;
    if (way_on && !leads_elsewhere(way_on, folder))
        sheet_text(s, "go on with", way_on);
    else
        sheet_words(s, "  %-16s run its scene into this folder with --resume\n", "go on");
}

// Frames that are not as they were written.
static void tell_damage(const run_lost* lost, post_sheet* s) {
    if (s->is_json) {
        sheet_key(s, "damaged");
        shoal_text_add(s->out, "[");
        for (int i = 0; i < lost->count; i++) shoal_text_add(s->out, i ? ",%d" : "%d", lost->frames[i]);
        shoal_text_add(s->out, "]");
        if (lost->table[0]) sheet_text(s, "damaged table", lost->table);
    } else if (lost->count > 0 || lost->table[0]) {
        shoal_text lost_text = {0};
        run_lost_tell(lost, &lost_text);
        if (!lost_text.failed) shoal_text_add(s->out, "  %-16s %s\n", "damaged", lost_text.bytes);
        shoal_text_free(&lost_text);
    }
}

static void tell_files(const folder_sum* sum, const run_lost* lost, post_sheet* s) {
    char first[64] = "", last[64] = "";
    if (sum->frames > 0) snprintf(first, sizeof first, " (%d..%d)", sum->frame_first, sum->frame_last);
    if (sum->checkpoints > 0) snprintf(last, sizeof last, ", the last at frame %d", sum->checkpoint_last);
    sheet_number(s, "frames on disk", sum->frames, "%d%s", sum->frames, first);
    tell_damage(lost, s);
    if (*sum->parts) sheet_text(s, "parts", sum->parts);
    sheet_number(s, "checkpoints", sum->checkpoints, "%d%s", sum->checkpoints, last);
    sheet_bytes(s, "size on disk", sum->bytes);
}

static shoal_status describe_folder(const char* path, post_sheet* s) {
    run_survey survey;
    run_lost   lost;
    folder_sum sum = {0};
    SHOAL_TRY(run_folder_survey(path, "", &survey));
    if (!survey.holds_run) return shoal_fail(SHOAL_ERR_INPUT, "%s: the folder holds no run", path);
    SHOAL_TRY(sum_folder(path, ".", &sum));
    SHOAL_TRY(sum_folder(path, "frames", &sum));
    SHOAL_TRY(sum_folder(path, "checkpoints", &sum));
    SHOAL_TRY(run_frames_verify(path, survey.other_stem, &lost));

    sheet_begin(s, path, "run", 16);
    shoal_scene*      parsed;
    const shoal_node* root = read_run_json(path, &parsed);
    if (root)
        tell_run_json(path, root, s);
    else
        sheet_text(s, "status", "unknown, run.json cannot be read");
    tell_files(&sum, &lost, s);
    tell_way_on(path, root, lost.count == 0 && !lost.table[0], s);
    sheet_end(s);
    shoal_scene_destroy(parsed);
    shoal_status status = SHOAL_OK;
    if (lost.count > 0)
        status =
            shoal_fail(SHOAL_ERR_INPUT, "%s: %d of its frames %s missing or damaged (%s); --resume makes %s again",
                       path, lost.count, lost.count == 1 ? "is" : "are", lost.why, lost.count == 1 ? "it" : "them");
    else if (lost.table[0])
        status =
            shoal_fail(SHOAL_ERR_INPUT, "%s: %s is not as it was written; --resume makes it again", path, lost.table);
    run_lost_free(&lost);
    return status;
}

// run.json tells of the folder it lies in; a scene may have that name too.
static bool is_of_run(const char* path, char folder[SHOAL_PATH_SIZE]) {
    const char* name   = shoal_path_name(path);
    int         length = (int)(name - path);
    if (strcmp(name, "run.json") != 0) return false;
    if (shoal_path_make(folder, "%.*s", length > 1 ? length - 1 : 1, length ? path : ".") != SHOAL_OK) return false;
    shoal_scene*      parsed;
    const shoal_node* root = read_run_json(folder, &parsed);
    bool              is   = root && text_of(root, "status") && shoal_node_child(root, "scene");
    shoal_scene_destroy(parsed);
    return is;
}

// --- all of them

static shoal_status describe_any(const char* path, post_sheet* s) {
    char folder[SHOAL_PATH_SIZE];
    if (is_of_run(path, folder)) return describe_folder(folder, s);
    if (shoal_path_is_folder(path)) return describe_folder(path, s);
    if (!shoal_path_exists(path)) return shoal_fail(SHOAL_ERR_FILE, "%s: no such file or folder", path);
    if (shoal_path_has_suffix(path, ".vtp") || shoal_path_has_suffix(path, ".vtu")) return describe_frame(path, s);
    if (shoal_path_has_suffix(path, ".shoal")) return describe_checkpoint(path, s);
    static const char* const meshes[] = {".obj", ".ply", ".stl"};
    for (int i = 0; i < 3; i++)
        if (shoal_path_has_suffix(path, meshes[i])) return describe_mesh(path, s);
    static const char* const scenes[] = {".yaml", ".yml", ".json"};
    for (int i = 0; i < 3; i++)
        if (shoal_path_has_suffix(path, scenes[i])) return describe_scene(path, s);
    return shoal_fail(SHOAL_ERR_INPUT,
                      "%s: not a scene (.yaml, .yml, .json), mesh (.obj, .ply, .stl), frame (.vtp, .vtu), "
                      "checkpoint (.shoal) or run folder",
                      path);
}

static shoal_status describe(const char* path, bool is_json, char** text) {
    shoal_text   out    = {0};
    post_sheet   sheet  = {.out = &out, .is_json = is_json};
    shoal_status status = describe_any(path, &sheet);
    *text               = NULL;
    if (status == SHOAL_OK && out.failed) status = SHOAL_ERR_MEMORY;
    // the good part of something damaged is reported as well
    if (out.bytes && !out.failed) {
        shoal_make_plain(out.bytes, true);
        *text = out.bytes;
    } else {
        shoal_text_free(&out);
    }
    return status;
}

shoal_status shoal_describe(const char* path, char** text) { return describe(path, false, text); }
shoal_status shoal_describe_json(const char* path, char** text) { return describe(path, true, text); }
