// SPDX-License-Identifier: MIT
// The block `render` of a scene, as part of the whole or for a run that lies on disk.
#include "scene/scene_read.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 1280, HEIGHT = 720 };

static bool read_block(scene_reader* r, const shoal_node* node, const shoal_param_def* table, void* out) {
    static const shoal_node empty = {.kind = SHOAL_NODE_MAP};
    return scene_read_map(r, node ? node : &empty, (scene_table[]){{table, out}, {0}});
}

static void read_child(scene_reader* r, const shoal_node* map, const char* key, const shoal_param_def* table,
                       void* out) {
    size_t mark = scene_enter(r, key);
    read_block(r, shoal_node_child(map, key), table, out);
    scene_leave(r, mark);
}

static void read_size(scene_reader* r, const shoal_node* node, shoal_render_settings* out) {
    double size[2] = {WIDTH, HEIGHT};
    size_t mark    = scene_enter(r, "size");
    if (node && scene_read_numbers(r, node, size, 2))
        for (int k = 0; k < 2; k++)
            if (!(size[k] >= 1 && size[k] <= SHOAL_PICTURE_EDGE_MOST) || size[k] != floor(size[k])) {
                scene_error(r, node, "[%g, %g]: each side is a whole number from 1 to %d", size[0], size[1],
                            SHOAL_PICTURE_EDGE_MOST);
                size[0] = WIDTH, size[1] = HEIGHT;
                break;
            }
    out->width  = (int)size[0];
    out->height = (int)size[1];
    scene_leave(r, mark);
}

static bool is_a_way(shoal_d3 v) { return shoal_d3_length(v) > 0.0; }

static void read_lamps(scene_reader* r, const shoal_node* list, shoal_render_settings* out) {
    int    place = 0;
    size_t mark  = scene_enter(r, "lamps");
    if (list && shoal_node_count(list) > SHOAL_LAMPS_MOST)
        scene_error(r, list, "takes at most %d lamps", SHOAL_LAMPS_MOST);
    else if (list && scene_is_list(r, list))
        for (const shoal_node* child = list->first; child; child = child->next, place++) {
            shoal_lamp_params* lamp  = &out->lamps[place];
            size_t             inner = scene_enter_place(r, place);
            if (read_block(r, child, shoal_lamp_params_table, lamp) && !is_a_way(shoal_d3_sub(lamp->toward, lamp->at)))
                scene_error(r, child, "toward is where the lamp is; it must shine somewhere else");
            out->lamp_count = place + 1;
            scene_leave(r, inner);
        }
    scene_leave(r, mark);
}

static void read_lights(scene_reader* r, const shoal_node* map, shoal_render_settings* out) {
    const shoal_node* node = shoal_node_child(map, "lights");
    size_t            mark = scene_enter(r, "lights");
    if (read_block(r, node, shoal_lights_params_table, &out->lights) && !is_a_way(out->lights.sun))
        scene_error(r, shoal_node_child(node, "sun"), "sun = [0, 0, 0] is no direction");
    read_lamps(r, shoal_node_child(node, "lamps"), out);
    scene_leave(r, mark);
}

// An appearance is for a material, a preset, an obstacle, all obstacles or the ground; one for none of these is a slip
// of the pen.
static void check_appearance_name(scene_reader* r, const shoal_node* node) {
    const shoal_description* d     = r->d;
    size_t                   count = 0, presets = 0;
    while (scene_preset_names[presets]) presets++;
    const shoal_node* obstacles = shoal_node_child(r->scene->root, "obstacles"); // also those with a fault
    const char**      words     = shoal_alloc((size_t)d->material_count + (size_t)d->obstacle_count +
                                                  (size_t)shoal_node_count(obstacles) + presets + 3,
                                              sizeof *words);
    char              meant[96];
    if (!words) {
        r->is_out_of_memory = true;
        return;
    }
    words[count++] = "ground";
    words[count++] = "obstacles";
    for (int k = 0; k < d->material_count; k++) words[count++] = d->materials[k].name;
    for (int k = 0; k < d->obstacle_count; k++) words[count++] = d->obstacles[k].name;
    for (const shoal_node* o = obstacles ? obstacles->first : NULL; o; o = o->next) {
        const shoal_node* name = shoal_node_child(o, "name");
        if (name && name->text) words[count++] = name->text;
    }
    for (size_t k = 0; k < presets; k++) words[count++] = scene_preset_names[k];
    bool is_known = false;
    for (size_t k = 0; k < count; k++) is_known |= strcmp(words[k], node->key) == 0;
    scene_meant(node->key, words, meant, sizeof meant);
    if (!is_known)
        scene_error(r, node, "there is no material or obstacle of this name%s%s", meant,
                    meant[0] ? "" : "; there are also ground and obstacles");
    shoal_free(words);
}

static void read_appearances(scene_reader* r, const shoal_node* map, shoal_render_settings* out) {
    size_t mark = scene_enter(r, "materials");
    if (map && map->kind != SHOAL_NODE_MAP)
        scene_error(r, map, "takes a map {name: {kind: glass}, ...}, not %s", shoal_node_kind_text(map->kind));
    else if (shoal_node_count(map) > SHOAL_APPEARANCES_MOST)
        scene_error(r, map, "takes at most %d appearances", SHOAL_APPEARANCES_MOST);
    else
        for (const shoal_node* child = map ? map->first : NULL; child; child = child->next) {
            struct shoal_named_appearance* appearance = &out->appearances[out->appearance_count];
            size_t                         inner      = scene_enter(r, child->key);
            if (strlen(child->key) >= sizeof appearance->name)
                scene_error(r, child, "a name has at most %d letters", SHOAL_APPEARANCE_NAME_SIZE - 1);
            else if (read_block(r, child, shoal_appearance_params_table, &appearance->appearance)) {
                check_appearance_name(r, child);
                memcpy(appearance->name, child->key, strlen(child->key) + 1);
                out->appearance_count++;
            }
            if (appearance->appearance.ior > 0.0f && appearance->appearance.ior < 1.0f)
                scene_error(r, shoal_node_child(child, "ior"), "ior = %g is below 1",
                            (double)appearance->appearance.ior);
            scene_leave(r, inner);
        }
    scene_leave(r, mark);
}

// What a view does not say is as in the one before it, and in the first as the camera has it.
static void read_views(scene_reader* r, const shoal_node* list, shoal_render_settings* out) {
    shoal_view_params last  = {.from = out->camera.from, .at = out->camera.at, .fov = out->camera.fov};
    int               place = 0;
    if (!list) return;
    size_t mark = scene_enter(r, "motion");
    if (shoal_node_count(list) > SHOAL_VIEWS_MOST)
        scene_error(r, list, "takes at most %d views", SHOAL_VIEWS_MOST);
    else if (scene_is_list(r, list))
        for (const shoal_node* child = list->first; child; child = child->next, place++) {
            shoal_view_params* view  = &out->views[place];
            size_t             inner = scene_enter_place(r, place);
            bool               ok    = read_block(r, child, shoal_view_params_table, view);
            if (!isfinite(view->from.x)) view->from = last.from;
            if (!isfinite(view->at.x)) view->at = last.at;
            if (!(view->fov > 0.0f)) view->fov = last.fov;
            if (ok && view->fov < 1.0f)
                scene_error(r, shoal_node_child(child, "fov"), "fov = %g is below 1 degree", (double)view->fov);
            if (ok && place > 0 && !(view->t > last.t))
                scene_error(r, shoal_node_child(child, "t"), "t = %g is not after the time before it, %g", view->t,
                            last.t);
            if (ok && !isfinite(view->from.x))
                scene_error(r, child, "from is given neither here nor in camera; a camera that moves starts somewhere");
            if (ok && isfinite(view->at.x) && !is_a_way(shoal_d3_sub(view->at, view->from)))
                scene_error(r, child, "from and at are the same");
            last            = *view;
            out->view_count = place + 1;
            scene_leave(r, inner);
        }
    if (list->kind == SHOAL_NODE_LIST && !list->first) scene_error(r, list, "takes at least one {t, from, at}");
    scene_leave(r, mark);
}

static void read_camera(scene_reader* r, const shoal_node* map, shoal_render_settings* out) {
    const shoal_node*          node = shoal_node_child(map, "camera");
    const shoal_camera_params* c    = &out->camera;
    size_t                     mark = scene_enter(r, "camera");
    bool                       ok   = read_block(r, node, shoal_camera_params_table, &out->camera);
    if (isfinite(c->from.x) && isfinite(c->at.x) && !is_a_way(shoal_d3_sub(c->at, c->from)))
        scene_error(r, node, "camera.from and camera.at are the same");
    if (ok) read_views(r, shoal_node_child(node, "motion"), out);
    scene_leave(r, mark);
}

void scene_read_render(scene_reader* r, shoal_render_settings* out) {
    const shoal_node* node = shoal_node_child(r->scene->root, "render");
    size_t            mark = scene_enter(r, "render");
    *out                   = (shoal_render_settings){0};
    read_block(r, node, shoal_render_params_table, &out->params);
    read_size(r, shoal_node_child(node, "size"), out);
    read_camera(r, node, out);
    read_lights(r, node, out);
    read_child(r, node, "background", shoal_background_params_table, &out->background);
    read_appearances(r, shoal_node_child(node, "materials"), out);
    scene_leave(r, mark);
}

shoal_status shoal_scene_read_view(shoal_scene* scene, shoal_description* out, shoal_render_settings* render) {
    scene_reader r = {.scene = scene, .d = out};
    shoal_scene_touch(scene);
    scene_read_domain(&r);
    scene_read_materials(&r);
    scene_read_obstacles(&r);
    scene_read_render(&r, render);
    if (r.is_out_of_memory) return shoal_fail(SHOAL_ERR_MEMORY, "out of memory while the scene was read");
    return scene_first_error(scene);
}
