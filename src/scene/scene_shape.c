// SPDX-License-Identifier: MIT
// Shapes of a scene: one word for the kind, then scale, rotate and at; meshes found, read and
// examined.
#include "scene/scene_read.h"

#include "exec/exec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// What is above the shape being read.
typedef struct surroundings {
    scene_use use;
    shoal_d3  scale;   // product of all scales from the top down to here
    shoal_d3  axes[3]; // where x, y and z of the shape point in the scene, with their lengths
    shoal_d3  origin;  // where its origin is
    bool      moves;   // the scene is that of its own frame then
} surroundings;

static shoal_d3 turned(const surroundings* around, shoal_d3 p) {
    return shoal_d3_add(shoal_d3_scale(around->axes[0], p.x),
                        shoal_d3_add(shoal_d3_scale(around->axes[1], p.y), shoal_d3_scale(around->axes[2], p.z)));
}

static surroundings placed(surroundings around, shoal_d3 scale, shoal_quat rotation, shoal_d3 at) {
    const shoal_d3 units[] = {{scale.x, 0.0, 0.0}, {0.0, scale.y, 0.0}, {0.0, 0.0, scale.z}};
    surroundings   inner   = around;
    for (int k = 0; k < 3; k++) inner.axes[k] = turned(&around, shoal_quat_rotate(rotation, units[k]));
    inner.origin = shoal_d3_add(turned(&around, at), around.origin);
    inner.scale  = shoal_d3_make(around.scale.x * scale.x, around.scale.y * scale.y, around.scale.z * scale.z);
    return inner;
}

static shoal_shape* read_placed(scene_reader* r, const shoal_node* map, surroundings around, bool moves);

static shoal_shape* made(scene_reader* r, const shoal_node* node, shoal_status status, shoal_shape* shape) {
    if (status == SHOAL_OK) return shape;
    if (status == SHOAL_ERR_MEMORY)
        r->is_out_of_memory = true;
    else
        scene_error(r, node, "%s", shoal_last_error());
    return NULL;
}

static double least3(shoal_d3 a) { return fmin(a.x, fmin(a.y, a.z)); }
static double most3(shoal_d3 a) { return fmax(a.x, fmax(a.y, a.z)); }

static shoal_shape* read_box(scene_reader* r, const shoal_node* node, surroundings around) {
    scene_box_params p;
    (void)around;
    if (!scene_read_map(r, node, (scene_table[]){{scene_box_params_table, &p}, {0}})) return NULL;
    bool has_size = isfinite(p.size.x), has_min = isfinite(p.min.x), has_max = isfinite(p.max.x);
    if (has_size ? has_min || has_max : !has_min || !has_max) {
        scene_error(r, node, "takes either min and max or size");
        return NULL;
    }
    if (has_size) {
        p.max = shoal_d3_scale(p.size, 0.5);
        p.min = shoal_d3_scale(p.size, -0.5);
    }
    shoal_d3 size = shoal_d3_sub(p.max, p.min);
    for (int axis = 0; axis < 3; axis++)
        if (!(shoal_d3_axis(size, axis) >= SIZE_MIN)) {
            scene_error(r, shoal_node_child(node, "max"), "min = %g is not below max = %g along %c",
                        shoal_d3_axis(p.min, axis), shoal_d3_axis(p.max, axis), 'x' + axis);
            return NULL;
        }
    shoal_shape* shape  = NULL;
    shoal_status status = shoal_shape_box(p.min, p.max, &shape);
    return made(r, node, status, shape);
}

static shoal_shape* read_sphere(scene_reader* r, const shoal_node* node, surroundings around) {
    scene_sphere_params p;
    (void)around;
    if (!scene_read_map(r, node, (scene_table[]){{scene_sphere_params_table, &p}, {0}})) return NULL;
    shoal_shape* shape  = NULL;
    shoal_status status = shoal_shape_sphere(p.radius, &shape);
    return made(r, node, status, shape);
}

typedef shoal_status (*rod_fn)(double radius, double height, shoal_shape** out);
static shoal_shape* read_rod(scene_reader* r, const shoal_node* node, rod_fn make) {
    scene_rod_params p;
    if (!scene_read_map(r, node, (scene_table[]){{scene_rod_params_table, &p}, {0}})) return NULL;
    shoal_shape* shape  = NULL;
    shoal_status status = make(p.radius, p.height, &shape);
    return made(r, node, status, shape);
}

static shoal_shape* read_cylinder(scene_reader* r, const shoal_node* node, surroundings around) {
    (void)around;
    return read_rod(r, node, shoal_shape_cylinder);
}
static shoal_shape* read_cone(scene_reader* r, const shoal_node* node, surroundings around) {
    (void)around;
    return read_rod(r, node, shoal_shape_cone);
}
static shoal_shape* read_capsule(scene_reader* r, const shoal_node* node, surroundings around) {
    (void)around;
    return read_rod(r, node, shoal_shape_capsule);
}

static shoal_shape* read_torus(scene_reader* r, const shoal_node* node, surroundings around) {
    scene_torus_params p;
    (void)around;
    if (!scene_read_map(r, node, (scene_table[]){{scene_torus_params_table, &p}, {0}})) return NULL;
    shoal_shape* shape  = NULL;
    shoal_status status = shoal_shape_torus(p.ring, p.tube, &shape);
    return made(r, node, status, shape);
}

static shoal_shape* read_plane(scene_reader* r, const shoal_node* node, surroundings around) {
    scene_plane_params p;
    (void)around;
    if (!scene_read_map(r, node, (scene_table[]){{scene_plane_params_table, &p}, {0}})) return NULL;
    double length = shoal_d3_length(p.normal);
    if (!(length > 1e-9)) {
        scene_error(r, node, "normal has no direction; give one, like [0, 1, 0]");
        return NULL;
    }
    shoal_shape* shape  = NULL;
    shoal_status status = shoal_shape_plane(shoal_d3_scale(p.normal, 1.0 / length), p.offset, &shape);
    return made(r, node, status, shape);
}

static bool is_file(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

// Whether the name of a mesh was set from outside, where people mean the folder they are in.
static bool was_set(const shoal_node* node, const char* name) {
    if (node->origin && node->kind == SHOAL_NODE_TEXT && node->key && strcmp(node->key, "mesh") == 0 &&
        strcmp(node->text, name) == 0)
        return true;
    for (const shoal_node* child = node->first; child; child = child->next)
        if (was_set(child, name)) return true;
    return false;
}

// The place-th of the paths a mesh file is looked for at; false: no more, or it is too long.
static bool mesh_place(const shoal_scene* scene, const char* name, int place, char* path, size_t capacity) {
    const char* folder          = scene->folder ? scene->folder : ".";
    bool        is_one          = name[0] == '/' || strcmp(folder, ".") == 0; // one folder, not two
    const char* orders[2][4][2] = {{{folder, "/"}, {folder, "/models/"}, {"models/", ""}, {"", ""}},
                                   {{"", ""}, {folder, "/"}, {folder, "/models/"}, {"models/", ""}}};
    const char* own[2][2]       = {{"", ""}, {"models/", ""}};
    if (place >= (name[0] == '/' ? 1 : is_one ? 2 : 4)) return false;
    const char** parts = is_one ? own[place] : orders[was_set(scene->root, name)][place];
    return snprintf(path, capacity, "%s%s%s", parts[0], parts[1], name) < (int)capacity;
}

bool shoal_scene_find_mesh(const shoal_scene* scene, const char* name, char* path, size_t capacity) {
    for (int place = 0; mesh_place(scene, name, place, path, capacity); place++)
        if (is_file(path)) return true;
    return false;
}

static void miss_mesh(scene_reader* r, const shoal_node* node, const char* name) {
    char   path[512], places[640] = "";
    size_t used = 0;
    for (int k = 0; mesh_place(r->scene, name, k, path, sizeof path); k++)
        if (used + strlen(path) + 16 < sizeof places)
            used += (size_t)snprintf(places + used, sizeof places - used, "%s%s", k ? ", " : "; looked for ", path);
    scene_error(r, node, "there is no mesh file \"%.200s\"%s", name, name[0] ? places : "");
}

// A point of a mesh where it is in the scene.
static const char* place_text(const surroundings* around, shoal_d3 p, char* buffer, size_t size) {
    p = shoal_d3_add(turned(around, p), around->origin);
    snprintf(buffer, size, "(%.4g, %.4g, %.4g)%s", p.x, p.y, p.z, around->moves ? " before its motion" : "");
    return buffer;
}

static void warn_mesh(scene_reader* r, const shoal_node* node, surroundings around, const shoal_mesh* mesh,
                      const char* name) {
    shoal_mesh_quality q;
    shoal_status       status = shoal_mesh_examine(mesh, &q);
    if (status != SHOAL_OK) {
        if (status == SHOAL_ERR_MEMORY)
            r->is_out_of_memory = true;
        else
            scene_error(r, node, "%s: %s", name, shoal_last_error());
        return;
    }
    char at[128];
    if (q.open_edges > 0)
        scene_warning(r, node,
                      "%s is open: %d edges belong to one triangle only, one at %s; its inside is "
                      "guessed",
                      name, q.open_edges, place_text(&around, q.open_at, at, sizeof at));
    if (q.nonmanifold_edges > 0)
        scene_warning(r, node, "%s is not manifold: %d edges belong to more than two triangles, one at %s", name,
                      q.nonmanifold_edges, place_text(&around, q.nonmanifold_at, at, sizeof at));
    if (q.is_inside_out)
        scene_warning(r, node, "%s is inside out: its triangles face inwards", name);
    else if (q.flipped_edges > 0)
        scene_warning(r, node,
                      "%s has triangles that face the other way than their neighbours: %d edges, "
                      "one at %s",
                      name, q.flipped_edges, place_text(&around, q.flipped_at, at, sizeof at));
    if (q.degenerate_triangles > 0)
        scene_warning(r, node, "%s has %d triangles without area, one at %s", name, q.degenerate_triangles,
                      place_text(&around, q.degenerate_at, at, sizeof at));
    double thin = q.thinnest * least3(around.scale);
    if (thin < r->d->spacing)
        scene_warning(r, node, "%s has walls of %.3g m, thinner than the spacing %.3g m, one at %s", name, thin,
                      r->d->spacing, place_text(&around, q.thin_at, at, sizeof at));
}

// Of samples of distances: half the spacing shows what particles can feel.
static double sdf_cell(const scene_reader* r, surroundings around) {
    return fmin(fmax(0.5 * r->d->spacing / most3(around.scale), 1e-8), 1e8);
}

static shoal_shape* read_mesh(scene_reader* r, const shoal_node* node, surroundings around) {
    shoal_mesh*  loaded = NULL;
    shoal_shape* shape  = NULL;
    char         path[4096];
    const char*  name = "the mesh";
    if (node->kind != SHOAL_NODE_MESH) {
        name = scene_read_text(r, node);
        if (!name) return NULL;
        if (!r->scene->load_mesh) {
            scene_error(r, node,
                        "mesh files are read by libshoal_files only; give the triangles with "
                        "shoal_scene_set_mesh");
            return NULL;
        }
        if (name[0] == 0 || !shoal_scene_find_mesh(r->scene, name, path, sizeof path)) {
            miss_mesh(r, node, name);
            return NULL;
        }
        shoal_status status = r->scene->load_mesh(path, &loaded);
        if (status != SHOAL_OK) return made(r, node, status, NULL);
    }
    const shoal_mesh* mesh = loaded ? loaded : node->mesh;
    warn_mesh(r, node, around, mesh, name);
    if (!(r->d->spacing > 0.0)) { // that fault is known; without it nothing can be sampled
        shoal_mesh_destroy(loaded);
        return NULL;
    }
    size_t       before = shoal_memory_in_use();
    shoal_status status = shoal_shape_mesh(mesh, sdf_cell(r, around), shoal_exec_cores(), &shape);
    size_t       after  = shoal_memory_in_use();
    if (status == SHOAL_OK && after > before) r->mesh_bytes += (double)(after - before);
    shoal_mesh_destroy(loaded);
    return made(r, node, status, shape);
}

static shoal_status clear_seams(scene_reader* r, surroundings around, shoal_shape** shape) {
    size_t       before = shoal_memory_in_use();
    shoal_status status =
        shoal_shape_cleared(*shape, sdf_cell(r, around), r->scene->samples_most, shoal_exec_cores(), shape);
    size_t after = shoal_memory_in_use();
    if (status == SHOAL_OK && after > before) r->mesh_bytes += (double)(after - before);
    return status;
}

static shoal_shape* read_combined(scene_reader* r, const shoal_node* list, surroundings around, shoal_combine how) {
    if (!scene_is_list(r, list)) return NULL;
    int count = shoal_node_count(list), got = 0, place = 0;
    if (count == 0) {
        scene_error(r, list, "takes at least one shape");
        return NULL;
    }
    shoal_shape** children = shoal_alloc((size_t)count, sizeof *children);
    if (!children) {
        r->is_out_of_memory = true;
        return NULL;
    }
    for (const shoal_node* child = list->first; child; child = child->next, place++) {
        size_t             mark = scene_enter_place(r, place);
        scene_shape_params placing;
        bool               ok = scene_read_map(r, child, (scene_table[]){{scene_shape_params_table, &placing}, {0}});
        if (child->kind == SHOAL_NODE_MAP) children[got] = read_placed(r, child, around, false);
        if (children[got] && !ok) {
            shoal_shape_destroy(children[got]);
            children[got] = NULL;
        }
        if (children[got]) got++;
        scene_leave(r, mark);
    }
    shoal_shape* shape = NULL;
    if (got == count) {
        shoal_status status = shoal_shape_combined(how, children, count, &shape);
        if (status == SHOAL_OK && r->d->spacing > 0.0) status = clear_seams(r, around, &shape);
        shape = made(r, list, status, shape);
    } else {
        for (int k = 0; k < got; k++) shoal_shape_destroy(children[k]);
    }
    shoal_free(children);
    return shape;
}

static shoal_shape* read_union(scene_reader* r, const shoal_node* node, surroundings around) {
    return read_combined(r, node, around, SHOAL_UNION);
}
static shoal_shape* read_intersect(scene_reader* r, const shoal_node* node, surroundings around) {
    return read_combined(r, node, around, SHOAL_INTERSECT);
}
static shoal_shape* read_subtract(scene_reader* r, const shoal_node* node, surroundings around) {
    return read_combined(r, node, around, SHOAL_SUBTRACT);
}

// In the order of scene_shape_params_table.
static const struct {
    const char* word;
    shoal_shape* (*read)(scene_reader* r, const shoal_node* node, surroundings around);
} kinds[] = {
    {"box", read_box},         {"sphere", read_sphere},       {"cylinder", read_cylinder}, {"cone", read_cone},
    {"capsule", read_capsule}, {"torus", read_torus},         {"plane", read_plane},       {"mesh", read_mesh},
    {"union", read_union},     {"intersect", read_intersect}, {"subtract", read_subtract},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

bool scene_read_rotate(scene_reader* r, const shoal_node* node, scene_rotate_params* out) {
    if (!scene_read_map(r, node, (scene_table[]){{scene_rotate_params_table, out}, {0}})) return false;
    double length = shoal_d3_length(out->axis);
    if (fabs(length - 1.0) < 1e-12) return true; // dividing once more would only move the last bit
    if (length > 1e-9) {
        out->axis = shoal_d3_scale(out->axis, 1.0 / length);
        return true;
    }
    scene_error(r, node, "axis has no direction; give one, like [0, 1, 0]");
    return false;
}

static shoal_quat read_rotation(scene_reader* r, const shoal_node* node) {
    shoal_quat          all = shoal_quat_identity();
    scene_rotate_params p;
    size_t              mark = scene_enter(r, "rotate");
    if (node->kind == SHOAL_NODE_LIST) {
        int place = 0;
        for (const shoal_node* child = node->first; child; child = child->next, place++) {
            size_t inner = scene_enter_place(r, place);
            if (scene_read_rotate(r, child, &p))
                all = shoal_quat_mul(shoal_quat_turn(p.axis, p.degrees * (SHOAL_PI / 180.0)), all);
            scene_leave(r, inner);
        }
    } else if (scene_read_rotate(r, node, &p)) {
        all = shoal_quat_turn(p.axis, p.degrees * (SHOAL_PI / 180.0));
    }
    scene_leave(r, mark);
    return all;
}

static shoal_d3 read_scale(scene_reader* r, const shoal_node* node) {
    double s[3] = {1.0, 1.0, 1.0};
    size_t mark = scene_enter(r, "scale");
    bool   ok   = true;
    if (node->kind == SHOAL_NODE_NUMBER)
        s[0] = s[1] = s[2] = node->number;
    else
        ok = scene_read_numbers(r, node, s, 3);
    for (int k = 0; ok && k < 3; k++)
        if (!(s[k] >= SIZE_MIN && s[k] <= SIZE_MAX_M)) {
            scene_error(r, node, "%g is outside [%g, %g]", s[k], SIZE_MIN, SIZE_MAX_M);
            ok = false;
        }
    scene_leave(r, mark);
    return ok ? shoal_d3_make(s[0], s[1], s[2]) : shoal_d3_make(1.0, 1.0, 1.0);
}

bool scene_has_shape(const shoal_node* map) {
    for (int k = 0; k < KIND_COUNT; k++)
        if (shoal_node_child(map, kinds[k].word)) return true;
    return false;
}

// The key that says what kind of shape it is; -1 with a fault where there is none or more than one.
static int find_kind(scene_reader* r, const shoal_node* map, const shoal_node** value) {
    int found = -1;
    for (const shoal_node* child = map->first; child; child = child->next)
        for (int k = 0; k < KIND_COUNT; k++) {
            if (strcmp(child->key, kinds[k].word) != 0) continue;
            if (found >= 0 && found != k) {
                r->errors++;
                shoal_scene_add_key_fault(r->scene, true, child, r->path,
                                          "%s: both %s and %s are given; join shapes with union, intersect or subtract",
                                          r->path, kinds[found].word, kinds[k].word);
                return -1;
            }
            if (found < 0) *value = child;
            found = k;
        }
    if (found < 0)
        scene_error(r, map,
                    "has no shape; give one of box, sphere, cylinder, cone, capsule, torus, plane, "
                    "mesh, union, intersect, subtract");
    return found;
}

static shoal_shape* read_placed(scene_reader* r, const shoal_node* map, surroundings around, bool moves) {
    int               before = r->errors;
    const shoal_node *value  = NULL, *node;
    shoal_d3          scale = shoal_d3_make(1.0, 1.0, 1.0), at = shoal_d3_make(0.0, 0.0, 0.0);
    shoal_quat        rotation = shoal_quat_identity();
    if ((node = shoal_node_child(map, "scale")) != NULL) scale = read_scale(r, node);
    if ((node = shoal_node_child(map, "rotate")) != NULL) rotation = read_rotation(r, node);
    // its type and range were checked with the map, so what is wrong there is known
    if ((node = shoal_node_child(map, "at")) != NULL && !moves && node->kind == SHOAL_NODE_LIST &&
        shoal_node_count(node) == 3) {
        at = shoal_d3_make(shoal_node_at(node, 0)->number, shoal_node_at(node, 1)->number,
                           shoal_node_at(node, 2)->number);
        if (!(fabs(at.x) <= FAR && fabs(at.y) <= FAR && fabs(at.z) <= FAR)) at = shoal_d3_make(0.0, 0.0, 0.0);
    }
    int kind = find_kind(r, map, &value);
    if (kind < 0) return NULL;

    size_t       mark  = scene_enter(r, kinds[kind].word);
    shoal_shape* shape = kinds[kind].read(r, value, placed(around, scale, rotation, at));
    scene_leave(r, mark);
    if (!shape || r->errors != before || r->is_out_of_memory) {
        shoal_shape_destroy(shape);
        return NULL;
    }
    shoal_shape* whole  = NULL;
    shoal_status status = shoal_shape_place(shape, scale, rotation, at, &whole);
    return made(r, map, status, whole);
}

shoal_shape* scene_read_shape(scene_reader* r, const shoal_node* map, scene_use use, bool moves) {
    surroundings world = {.use   = use,
                          .scale = {1.0, 1.0, 1.0},
                          .axes  = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                          .moves = moves};
    return read_placed(r, map, world, moves);
}
