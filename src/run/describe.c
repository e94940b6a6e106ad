// SPDX-License-Identifier: MIT
// What a path is, in a few lines for people: scene, mesh, frame, checkpoint or run folder.
#include "base/words.h"
#include "run/run_local.h"

#include "io/mesh_file.h"
#include "scene/scene_local.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void add_bytes(shoal_text* out, const char* label, double bytes) {
    const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int         unit    = 0;
    for (; bytes >= 1000 && unit < 4; unit++) bytes /= 1000;
    shoal_text_add(out, "%s%.4g %s\n", label, bytes, units[unit]);
}

// Without the sign of a negative zero, which says nothing to people.
static double plain(double value) { return value == 0.0 ? 0.0 : value; }

// --- scene

static shoal_status describe_scene(const char* path, shoal_text* out) {
    shoal_scene* scene  = NULL;
    shoal_status status = shoal_scene_load(path, &scene);
    if (status == SHOAL_OK) status = shoal_scene_check(scene);
    if (status == SHOAL_OK) {
        shoal_scene_facts f = shoal_scene_get_facts(scene);
        shoal_text_add(out, "%s: scene\n", path);
        shoal_text_add(out, "  name                %s\n", f.name);
        shoal_text_add(out, "  solver              %s\n", f.solver);
        shoal_text_add(out, "  frames              0..%d at %g per second (%.6g s)\n", f.frames, f.fps,
                       f.fps > 0 ? f.frames / f.fps : 0);
        shoal_text_add(out, "  particles           %lld", (long long)f.particles);
        if (f.particles_most > f.particles)
            shoal_text_add(out, ", up to %lld with what is emitted", (long long)f.particles_most);
        shoal_text_add(out, "\n  spacing             %g m\n  support             %g m\n", f.spacing, f.support);
        shoal_text_add(out, "  memory per particle %lld bytes\n", (long long)f.bytes_per_particle);
        add_bytes(out, "  memory              ", (double)f.bytes);
    }
    shoal_scene_destroy(scene);
    return status;
}

// --- mesh

static void add_doubt(shoal_text* out, int count, const char* what, shoal_d3 at) {
    if (count > 0)
        shoal_text_add(out, "  %s %d, one at (%.6g, %.6g, %.6g)\n", what, count, plain(at.x), plain(at.y), plain(at.z));
}

static shoal_status describe_mesh(const char* path, shoal_text* out) {
    shoal_mesh*        mesh = NULL;
    shoal_mesh_quality q;
    shoal_status       status = shoal_mesh_load(path, &mesh);
    if (status == SHOAL_ERR_INPUT && strstr(shoal_last_error(), SHOAL_MESH_EMPTY)) {
        // the surface of a frame without particles is one
        shoal_text_add(out, "%s: mesh\n  triangles          0, it is empty\n", path);
        return SHOAL_OK;
    }
    SHOAL_TRY(status);
    status = shoal_mesh_examine(mesh, &q);
    if (status == SHOAL_OK) {
        shoal_box box = shoal_mesh_bounds(mesh);
        shoal_text_add(out, "%s: mesh\n  vertices           %d\n  triangles          %d\n", path, mesh->vertex_count,
                       mesh->triangle_count);
        shoal_text_add(out, "  bounds             (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) m\n", plain(box.min.x),
                       plain(box.min.y), plain(box.min.z), plain(box.max.x), plain(box.max.y), plain(box.max.z));
        shoal_text_add(out, "  volume             %.6g m^3\n", shoal_mesh_volume(mesh));
        if (isfinite(q.thinnest)) shoal_text_add(out, "  thinnest wall      %.6g m\n", q.thinnest);
        bool is_good = q.open_edges + q.nonmanifold_edges + q.flipped_edges + q.degenerate_triangles == 0;
        if (is_good)
            shoal_text_add(out, "  quality            %s\n",
                           q.is_inside_out ? "closed, but inside out: its triangles turn the wrong way"
                                           : "closed, no doubts");
        add_doubt(out, q.open_edges, "open edges        ", q.open_at);
        add_doubt(out, q.nonmanifold_edges, "non-manifold edges", q.nonmanifold_at);
        add_doubt(out, q.flipped_edges, "flipped edges     ", q.flipped_at);
        add_doubt(out, q.degenerate_triangles, "flat triangles    ", q.degenerate_at);
        if (q.is_inside_out && !is_good) shoal_text_add(out, "  inside out: its triangles turn the wrong way\n");
    }
    shoal_mesh_destroy(mesh);
    return status;
}

// --- frame

static void add_range(shoal_text* out, int count, const shoal_frame_array* field) {
    for (int c = 0; c < shoal_frame_components(field); c++) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        int    odd = 0;
        for (int i = 0; i < count; i++) {
            double value = shoal_frame_value(field, i, c);
            least        = fmin(least, value);
            most         = fmax(most, value);
            odd += !isfinite(value);
        }
        char label[SHOAL_FRAME_NAME_ROOM + 12], letter[8];
        shoal_frame_component_name(field, c, letter);
        snprintf(label, sizeof label, "%s%s%s", field->name, *letter ? "." : "", letter);
        shoal_text_add(out, "  %-16s %.9g to %.9g%s%s", label, plain(least), plain(most), *field->unit ? " " : "",
                       field->unit);
        if (odd > 0) shoal_text_add(out, ", %d not finite", odd);
        shoal_text_add(out, "\n");
    }
}

static void add_table(shoal_text* out, const shoal_frame_table* table) {
    for (int f = 0; f < table->field_count; f++)
        if (table->count > 0)
            add_range(out, table->count, &table->fields[f]);
        else
            shoal_text_add(out, "  %s\n", table->fields[f].name);
}

static shoal_status describe_frame(const char* path, shoal_text* out) {
    shoal_frame* frame;
    SHOAL_TRY(shoal_frame_load(path, &frame));
    shoal_text_add(out, "%s: frame\n", path);
    if (!isnan(frame->time)) shoal_text_add(out, "  time             %.9g s\n", frame->time);
    static const char* const cells[] = {"", "", "", "triangles", "tetrahedra"};
    shoal_text_add(out, "  %-16s %d\n", frame->corners ? "points" : "particles", frame->points.count);
    if (frame->corners) shoal_text_add(out, "  %-16s %d\n", cells[frame->corners], frame->cells.count);
    add_table(out, &frame->points);
    add_table(out, &frame->cells);
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

static shoal_status describe_checkpoint(const char* path, shoal_text* out) {
    shoal_checkpoint c;
    SHOAL_TRY(shoal_checkpoint_load(path, &c));
    shoal_text_add(out, "%s: checkpoint\n", path);
    shoal_text_add(out, "  frame            %d%s\n", c.frame, c.is_mid ? ", on the way to the next" : "");
    shoal_text_add(out, "  time             %.9g s\n", c.time);
    shoal_text_add(out, "  particles        %lld\n", (long long)c.particles);
    shoal_text_add(out, "  scene hash       %016llx\n", (unsigned long long)c.scene_hash);
    add_bytes(out, "  state            ", (double)c.state_size);
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
    char        name[SHOAL_FRAME_NAME_ROOM];
    if (end == ending) return;
    snprintf(name, sizeof name, "%.*s", (int)(end - ending - 1), ending + 1);
    size_t used = strlen(sum->parts), length = strlen(name);
    for (const char* at = strstr(sum->parts, name); at; at = strstr(at + 1, name))
        if ((at == sum->parts || at[-1] == ' ') && (at[length] == 0 || at[length] == ',')) return;
    snprintf(sum->parts + used, sizeof sum->parts - used, "%s%s", used ? ", " : "", name);
}

static shoal_status sum_folder(const char* folder, const char* below, folder_sum* sum) {
    char        path[SHOAL_PATH_ROOM];
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

static void add_run_json(const char* folder, const shoal_node* root, shoal_text* out) {
    static const char* const keys[] = {"name", "solver", "particles", "time_s", "substeps", "threads", "version"};
    const char*              status = text_of(root, "status");
    bool                     is_cut = status && strcmp(status, "running") == 0 && !run_folder_is_busy(folder);
    shoal_text_add(out, "  %-16s %s\n", "status", is_cut ? "stopped before its end" : status ? status : "unknown");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (text_of(root, keys[k])) shoal_text_add(out, "  %-16s %s\n", keys[k], text_of(root, keys[k]));
    const char* device = text_of(shoal_node_child(root, "machine"), "device");
    if (device) shoal_text_add(out, "  %-16s %s\n", "device", device);
    const shoal_node* frames = shoal_node_child(root, "frames");
    if (text_of(frames, "first") && text_of(frames, "last"))
        shoal_text_add(out, "  %-16s %s..%s\n", "frames wanted", text_of(frames, "first"), text_of(frames, "last"));
    const char* state = text_of(shoal_node_child(root, "hashes"), "state");
    if (state) shoal_text_add(out, "  %-16s %s\n", "state hash", state);
}

// run.json as a tree; NULL when it cannot be read. *parsed is to be destroyed.
static const shoal_node* read_run_json(const char* folder, shoal_scene** parsed) {
    char   path[SHOAL_PATH_ROOM];
    char*  bytes = NULL;
    size_t size  = 0;
    *parsed      = NULL;
    bool is_read = shoal_path_make(path, "%s/run.json", folder) == SHOAL_OK &&
                   shoal_file_read(path, &bytes, &size) == SHOAL_OK &&
                   shoal_scene_parse(bytes, size, path, parsed) == SHOAL_OK;
    shoal_free(bytes);
    const shoal_node* root = is_read ? (*parsed)->root : NULL;
    return root && root->kind == SHOAL_NODE_MAP ? root : NULL;
}

static void add_way_on(const char* folder, const shoal_node* root, shoal_text* out) {
    const char* status = root ? text_of(root, "status") : NULL;
    const char* way_on = root ? text_of(root, "way_on") : NULL;
    if ((status && strcmp(status, "done") == 0) || run_folder_is_busy(folder)) return;
    if (way_on)
        shoal_text_add(out, "  %-16s %s\n", "go on with", way_on);
    else
        shoal_text_add(out, "  %-16s run its scene into this folder with --resume\n", "go on");
}

static shoal_status describe_folder(const char* path, shoal_text* out) {
    run_look   look;
    folder_sum sum = {0};
    SHOAL_TRY(run_folder_look(path, "", &look));
    if (!look.holds_run) return shoal_fail(SHOAL_ERR_INPUT, "%s: the folder holds no run", path);
    SHOAL_TRY(sum_folder(path, ".", &sum));
    SHOAL_TRY(sum_folder(path, "frames", &sum));
    SHOAL_TRY(sum_folder(path, "checkpoints", &sum));

    shoal_text_add(out, "%s: run\n", path);
    shoal_scene*      parsed;
    const shoal_node* root = read_run_json(path, &parsed);
    if (root)
        add_run_json(path, root, out);
    else
        shoal_text_add(out, "  %-16s unknown, run.json cannot be read\n", "status");

    shoal_text_add(out, "  %-16s %d", "frames on disk", sum.frames);
    if (sum.frames > 0) shoal_text_add(out, " (%d..%d)", sum.frame_first, sum.frame_last);
    if (*sum.parts) shoal_text_add(out, "\n  %-16s %s", "parts", sum.parts);
    shoal_text_add(out, "\n  %-16s %d", "checkpoints", sum.checkpoints);
    if (sum.checkpoints > 0) shoal_text_add(out, ", the last at frame %d", sum.checkpoint_last);
    shoal_text_add(out, "\n");
    add_bytes(out, "  size on disk     ", sum.bytes);
    add_way_on(path, root, out);
    shoal_scene_destroy(parsed);
    return SHOAL_OK;
}

// run.json tells of the folder it lies in; a scene may have that name too.
static bool is_of_run(const char* path, char folder[SHOAL_PATH_ROOM]) {
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

static shoal_status describe_any(const char* path, shoal_text* out) {
    char folder[SHOAL_PATH_ROOM];
    if (is_of_run(path, folder)) return describe_folder(folder, out);
    if (shoal_path_is_folder(path)) return describe_folder(path, out);
    if (!shoal_path_exists(path)) return shoal_fail(SHOAL_ERR_FILE, "%s: no such file or folder", path);
    if (shoal_path_has_suffix(path, ".vtp") || shoal_path_has_suffix(path, ".vtu")) return describe_frame(path, out);
    if (shoal_path_has_suffix(path, ".shoal")) return describe_checkpoint(path, out);
    static const char* const meshes[] = {".obj", ".ply", ".stl"};
    for (int i = 0; i < 3; i++)
        if (shoal_path_has_suffix(path, meshes[i])) return describe_mesh(path, out);
    static const char* const scenes[] = {".yaml", ".yml", ".json"};
    for (int i = 0; i < 3; i++)
        if (shoal_path_has_suffix(path, scenes[i])) return describe_scene(path, out);
    return shoal_fail(SHOAL_ERR_INPUT,
                      "%s: not a scene (.yaml, .yml, .json), mesh (.obj, .ply, .stl), frame (.vtp, .vtu), "
                      "checkpoint (.shoal) or run folder",
                      path);
}

shoal_status shoal_describe(const char* path, char** text) {
    shoal_text   out    = {0};
    shoal_status status = describe_any(path, &out);
    *text               = NULL;
    if (status == SHOAL_OK && out.failed) status = SHOAL_ERR_MEMORY;
    // what is there of something damaged is told as well
    if (out.bytes && !out.failed) {
        shoal_make_plain(out.bytes, true);
        *text = out.bytes;
    } else {
        shoal_text_free(&out);
    }
    return status;
}
