// SPDX-License-Identifier: MIT
// A picture on a device: the passes of screen_view_pass.h in the order of screen.c. Splats, triangles and light lie
// there; bytes come back.
#include "screen/screen_local.h"

#include "exec/device.h"
#include "screen/screen_view_pass.h"

#include <limits.h>

enum { BLOCK = 1024 };

#define X(name) SHOAL_LOOP(run_##name, screen_view, screen_##name)
SCREEN_PASSES(X)
#undef X
#define X(name) run_##name,
static const shoal_loop loops[] = {SCREEN_PASSES(X)};
#undef X
#define X(name, how) SHOAL_MAX_LOOP(fold_##name, screen_view, screen_##name)
SCREEN_FOLDS(X)
#undef X
#define X(name, how) {.most = fold_##name},
static const shoal_fold folds[] = {SCREEN_FOLDS(X)};
#undef X
#define X(name) PASS_##name,
enum { SCREEN_PASSES(X) };
#undef X
enum { FOLD_list_length };

static const shoal_passes passes = {.block     = BLOCK,
                                    .loops     = {{[SHOAL_ISA_PLAIN] = loops}},
                                    .folds     = folds,
                                    .name      = "screen",
                                    .view_size = sizeof(screen_view)};

shoal_status screen_device_check(const shoal_device* device) {
    if (device->has(device, &passes)) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_PARAM, "device %s: its plugin does not have the passes 'screen' of this build",
                      device->name);
}

static void run(const screen* s, int pass, const screen_view* v, int count) {
    shoal_pass_run(s->exec, SHOAL_ISA_PLAIN, &passes, pass, v, count);
}

// As shoal_reserve, on the device.
static shoal_status reserve(const screen* s, void** far, int* has, int count, size_t size) {
    if (count <= *has) return SHOAL_OK;
    int slack = count / 4 + 64;
    *has      = 0;
    int all   = count > INT_MAX - slack ? INT_MAX : count + slack;
    SHOAL_TRY(shoal_far_realloc(s->exec->device, far, 0, (size_t)all, size));
    *has = all;
    return SHOAL_OK;
}
#define RESERVE(array, has, count) reserve(s, (void**)&(array), &(has), count, sizeof *(array))

static screen_view view_of(const screen* s, const screen_scene* scene, shoal_v3* light) {
    return (screen_view){.camera        = scene->camera,
                         .lights        = scene->lights,
                         .ground        = scene->ground,
                         .outlook       = screen_outlook_of(&scene->camera, &scene->lights, &scene->ground, s->width),
                         .over          = s->over,
                         .tops          = s->tops,
                         .width         = s->width,
                         .height        = s->height,
                         .spacing       = scene->spacing,
                         .ior           = scene->ior,
                         .level         = scene->level,
                         .has_occlusion = scene->has_occlusion,
                         .ball_count    = scene->ball_count,
                         .body_count    = scene->body_count,
                         .balls         = scene->balls,
                         .liquid        = scene->liquid,
                         .triangles     = scene->triangles,
                         .covers        = s->covers,
                         .facets        = s->facets,
                         .solid         = s->solid,
                         .seen          = s->liquid,
                         .solid_depth   = s->solid_depth,
                         .thickness     = s->thickness,
                         .depths        = screen_depths_of(s),
                         .behind        = scene->liquid_count > 0 ? s->behind : light,
                         .light         = light};
}

// --- metaballs

static int bits_of(int count) {
    int bits = 0;
    while (count >> bits) bits++;
    return bits;
}

// Lists of blocks: pairs of splats and blocks, sorted by list and from the front to the back.
static shoal_status list_blobs(screen* s, screen_view* v) {
    screen_far_blobs* b     = &s->blobs;
    int               count = s->scene->liquid_count, pixels = s->width * s->height;
    int64_t           lists = (int64_t)screen_blob_blocks(s->width) * screen_blob_blocks(s->height) * v->body_count;
    if (lists > INT_MAX) return shoal_fail(SHOAL_ERR_MEMORY, "%d kinds of metaballs are too many", v->body_count);
    SHOAL_TRY(RESERVE(b->pair_end, b->splat_capacity, count));
    v->pair_end = b->pair_end;
    run(s, PASS_count_pairs, v, count);
    size_t pairs = shoal_pass_scan(s->exec, b->pair_end, count);
    if (pairs > INT_MAX / 2) return shoal_fail(SHOAL_ERR_MEMORY, "%d metaballs cover too many blocks", count);
    v->pair_count = (int)pairs;
    SHOAL_TRY(RESERVE(b->pair_key, b->key_capacity, v->pair_count));
    SHOAL_TRY(RESERVE(b->pair_sorted, b->sorted_capacity, v->pair_count));
    SHOAL_TRY(RESERVE(b->pair_splat, b->pair_capacity, v->pair_count));
    SHOAL_TRY(RESERVE(b->pair_order, b->order_capacity, v->pair_count));
    SHOAL_TRY(RESERVE(b->listed, b->listed_capacity, v->pair_count));
    SHOAL_TRY(RESERVE(b->list_end, b->list_capacity, (int)lists));
    SHOAL_TRY(RESERVE(b->is_full, b->full_capacity, pixels));
    v->pair_key    = b->pair_key;
    v->pair_sorted = b->pair_sorted;
    v->pair_splat  = b->pair_splat;
    v->pair_order  = b->pair_order;
    v->listed      = b->listed;
    v->list_end    = b->list_end;
    v->is_full     = b->is_full;
    run(s, PASS_make_pairs, v, count);
    if (v->pair_count > 0)
        s->exec->device->sort(s->exec->device, b->pair_key, v->pair_count, 32 + bits_of((int)lists), b->pair_order,
                              b->pair_sorted);
    run(s, PASS_list_pairs, v, v->pair_count);
    run(s, PASS_end_list, v, (int)lists);
    v->span_capacity = (int)shoal_pass_fold(s->exec, &passes, FOLD_list_length, v, (int)lists);
    SHOAL_TRY(shoal_device_check(s->exec->device)); // before memory is taken by an answer that is none
    if ((int64_t)v->span_capacity * SCREEN_OVERFULL_MOST > INT_MAX)
        return shoal_fail(SHOAL_ERR_MEMORY, "%d metaballs in one place are too many", v->span_capacity);
    SHOAL_TRY(RESERVE(b->spans, b->span_capacity, v->span_capacity * SCREEN_OVERFULL_MOST));
    v->spans = b->spans;
    return SHOAL_OK;
}

static shoal_status draw_blobs(screen* s, screen_view* v) {
    SHOAL_TRY(list_blobs(s, v));
    for (v->body = 0; v->body < v->body_count; v->body++) {
        run(s, PASS_meet_blobs, v, s->width * s->height);
        run(s, PASS_meet_overfull, v, SCREEN_OVERFULL_MOST);
    }
    return SHOAL_OK;
}

// --- the picture

static void smooth(screen* s, screen_view* v, int pass) {
    v->depths.from = s->depth[0];
    v->smoothed    = s->depth[1];
    run(s, pass, v, s->width * s->height);
    s->depth[1]    = s->depth[0];
    s->depth[0]    = v->smoothed;
    v->depths.from = s->depth[0];
}

static void smooth_depths(screen* s, screen_view* v) {
    v->smoothed    = s->depth[0];
    v->depths.from = s->depth[0];
    run(s, PASS_take_depth, v, s->width * s->height);
    if (s->scene->smoothing == SCREEN_SMOOTH_NARROW) {
        for (int round = 0; round < SCREEN_NARROW_ROUNDS; round++) {
            smooth(s, v, PASS_narrow_across);
            smooth(s, v, PASS_narrow_down);
            v->depths.radius *= 0.5f;
        }
    } else if (s->scene->smoothing == SCREEN_SMOOTH_CURVATURE) {
        for (int k = 0; k < s->scene->smooth_steps; k++) smooth(s, v, PASS_flow);
    }
}

shoal_status screen_draw_far(screen* s, const screen_scene* scene, shoal_v3* light) {
    shoal_device* device = s->exec->device;
    int           pixels = s->width * s->height, cells = screen_cells(s->width) * screen_cells(s->height);
    s->ball_count  = scene->ball_count;
    s->cover_count = scene->ball_count + scene->liquid_count;
    s->facet_count = scene->triangle_count;
    SHOAL_TRY(RESERVE(s->covers, s->cover_capacity, s->cover_count));
    SHOAL_TRY(RESERVE(s->facets, s->facet_capacity, s->facet_count));
    screen_view v = view_of(s, scene, light);

    // what is solid
    run(s, PASS_cover_ball, &v, scene->ball_count);
    run(s, PASS_cover_liquid, &v, scene->liquid_count);
    run(s, PASS_cover_triangle, &v, scene->triangle_count);
    device->fill(device, s->solid, 0xff, (size_t)pixels * sizeof *s->solid);
    device->fill(device, s->liquid, 0xff, (size_t)pixels * sizeof *s->liquid);
    run(s, PASS_draw_ball, &v, scene->ball_count);
    run(s, PASS_draw_facet, &v, s->facet_count);
    run(s, PASS_know_depth, &v, pixels);
    if (s->over.is_there) {
        device->fill(device, s->tops, 0, (size_t)SCREEN_MAP_CELLS * SCREEN_MAP_CELLS * sizeof *s->tops);
        run(s, PASS_cast_ball, &v, scene->ball_count);
        run(s, PASS_cast_pane, &v, scene->triangle_count);
    }
    run(s, PASS_light_solid, &v, pixels);
    if (scene->liquid_count == 0) return shoal_device_check(device);

    // the liquid before it
    device->fill(device, s->thickness, 0, (size_t)cells * sizeof *s->thickness);
    run(s, PASS_thicken, &v, scene->liquid_count);
    if (scene->level > 0.0f)
        SHOAL_TRY(draw_blobs(s, &v));
    else
        run(s, PASS_draw_liquid, &v, scene->liquid_count);
    smooth_depths(s, &v);
    run(s, PASS_light_liquid, &v, pixels);
    return shoal_device_check(device);
}

shoal_status screen_develop(screen* s, shoal_v3* light, float gain, bool is_filmic, uint8_t* rgb) {
    shoal_device* device = s->exec->device;
    int           pixels = s->width * s->height;
    if (!s->film.sent) {
        screen_film film = screen_film_make();
        shoal_far_copy(&s->film, device, &film, sizeof film);
    }
    SHOAL_TRY(RESERVE(s->rgb, s->rgb_capacity, 3 * pixels));
    screen_view v = {.width     = s->width,
                     .height    = s->height,
                     .light     = light,
                     .film      = s->film.far,
                     .gain      = gain,
                     .is_filmic = is_filmic,
                     .rgb       = s->rgb};
    run(s, PASS_to_bytes, &v, pixels);
    shoal_parcel* parcel = device->post(device, s->rgb, (size_t)pixels * 3);
    if (!parcel)
        device->fetch(device, rgb, s->rgb, (size_t)pixels * 3);
    else if (!device->receive(device, parcel, rgb))
        shoal_device_fail(device, SHOAL_ERR_INTERNAL, "a picture was lost on its way here");
    return shoal_device_check(device);
}

void screen_far_free(screen* s) {
    shoal_device*     device = s->exec->device;
    screen_far_blobs* b      = &s->blobs;
    void*             all[]  = {b->pair_end, b->pair_key, b->pair_sorted, b->pair_splat, b->pair_order,
                                b->listed,   b->list_end, b->is_full,     b->spans,      s->rgb};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) shoal_far_free(device, all[k]);
    shoal_far_release(&s->film);
}
