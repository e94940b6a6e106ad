// SPDX-License-Identifier: MIT
// Pictures in real time (shoal/screen.h): a simulation as it is, or a frame of a run on disk, goes the way of the
// pictures of a run up to its splats and triangles, which are drawn as often as the eye moves.
#include "shoal/screen.h"

#include "exec/device.h"
#include "picture/canvas.h"
#include "render/preview.h"
#include "post/part_mesh.h"
#include "post/render_run_job.h"
#include "run/run_parts.h"
#include "sim/shown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEF_MADE = 0x5c4ee41, FIELDS_MOST = 128 };

struct shoal_screen {
    shoal_render_def def; // of what goes the way of pictures
    render_run_job*  r;
    post_frame       now;                 // what is shown
    bool             is_live;             // of a simulation, else of a run on disk
    bool             has_taken, is_stale; // is_stale: taken, but not yet made into splats and triangles
    bool             has_made;            // there are some of an earlier time, at least
    bool             shows_meshes;        // of a run on disk, where it has some
    int              number, mesh_count;  // of the frame that was loaded; meshes that are shown of it
    shoal_device*    device;              // that draws; NULL: the CPU
    run_far_part     far_part;            // fields of `now` that lie on it
    render_sheet*    sheet;
    char             color[SHOAL_FRAME_NAME_SIZE + SHOAL_NAME_SIZE];
    const char*      fields[FIELDS_MOST + 1]; // names within `now`
};

shoal_screen_def shoal_screen_def_default(void) {
    return (shoal_screen_def){.color_low = (double)NAN, .color_high = (double)NAN, .made_by_default = DEF_MADE};
}

static shoal_status make(const shoal_screen_def* def, const char* folder, shoal_screen** out) {
    *out = NULL;
    if (def->made_by_default != DEF_MADE)
        return shoal_fail(SHOAL_ERR_PARAM, "shoal_screen_def was not made by shoal_screen_def_default");
    shoal_screen* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->def            = shoal_render_def_default();
    s->def.settings   = def->settings;
    s->def.camera     = def->camera;
    s->def.threads    = def->threads;
    s->def.color_low  = def->color_low;
    s->def.color_high = def->color_high;
    s->def.is_preview = true;
    if (def->color) {
        snprintf(s->color, sizeof s->color, "%s", def->color);
        s->def.color = s->color;
    }
    s->r                = render_run_create(&s->def, folder);
    shoal_status status = s->r ? shoal_device_open(def->device ? def->device : "cpu", &s->device) : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) status = render_sheet_create(&s->r->exec, s->device, &s->sheet);
    if (status == SHOAL_OK)
        *out = s;
    else
        shoal_screen_destroy(s);
    return status;
}

void shoal_screen_destroy(shoal_screen* s) {
    if (!s) return;
    render_sheet_destroy(s->sheet);
    run_far_part_free(&s->far_part);
    shoal_device_close(s->device);
    post_frame_free(&s->now);
    if (s->r) {
        render_run_close_frame(s->r);
        render_run_destroy(s->r);
    }
    shoal_free(s);
}

// The scene of a simulation: its obstacles, appearances and lights, and the parts that its frames have.
static shoal_status take_scene(shoal_screen* s, shoal_scene* scene) {
    render_run_job*    r = s->r;
    run_parts          parts;
    shoal_description* description;
    SHOAL_TRY(post_source_take(&r->source, scene));
    SHOAL_TRY(shoal_scene_describe(scene, &description));
    run_parts_name(description, &parts);
    r->source.part_count = parts.count;
    for (int k = 0; k < parts.count; k++)
        snprintf(r->source.endings[k], sizeof r->source.endings[k], "%s", parts.texts[k]);
    SHOAL_TRY(post_obstacles_open(&r->obstacles, &r->source, &r->exec));
    render_run_choose_settings(r);
    const shoal_domain* domain = &r->obstacles.description->domain;
    r->box    = domain->is_given ? (shoal_box){domain->min, domain->max} : shoal_box_grown(r->source.subject, 0.0);
    r->seen   = shoal_box_is_empty(r->source.subject) ? r->box : r->source.subject;
    r->lights = render_lights_make(&r->settings);
    return SHOAL_OK;
}

// A surface, where no setting says how liquids are drawn; as the scene, where one says it.
static void choose_draw(shoal_screen* s, const shoal_screen_def* def) {
    for (int k = 0; def->settings && def->settings[k]; k++)
        if (strncmp(def->settings[k], "render.draw=", strlen("render.draw=")) == 0) return;
    s->r->settings.params.draw = SHOAL_DRAW_SURFACE;
}

shoal_status shoal_screen_create(const shoal_screen_def* def, shoal_scene* scene, shoal_screen** out) {
    SHOAL_TRY(make(def, "", out));
    (*out)->is_live     = true;
    shoal_status status = take_scene(*out, scene);
    if (status == SHOAL_OK && !shoal_node_find(shoal_scene_root(scene), "render.draw", strlen("render.draw")))
        choose_draw(*out, def);
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_screen_destroy(*out);
    *out = NULL;
    return status;
}

shoal_status shoal_screen_open(const shoal_screen_def* def, const char* folder, shoal_screen** out) {
    SHOAL_TRY(make(def, folder, out));
    shoal_status status = render_run_open_all((*out)->r);
    if (status == SHOAL_OK && (*out)->r->settings.params.draw == SHOAL_DRAW_SPHERES) choose_draw(*out, def);
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_screen_destroy(*out);
    *out = NULL;
    return status;
}

// --- what is shown

static void list_fields(shoal_screen* s) {
    int count = 0;
    for (int p = 0; p < s->now.count; p++) {
        const shoal_frame_table* table = &s->now.parts[p]->points;
        for (int f = 0; f < table->field_count && count < FIELDS_MOST; f++) {
            const char* name     = table->fields[f].name;
            bool        is_known = strcmp(name, "position") == 0 || strcmp(name, "id") == 0;
            for (int k = 0; k < count; k++) is_known |= strcmp(s->fields[k], name) == 0;
            if (!is_known) s->fields[count++] = name;
        }
    }
    while (count <= FIELDS_MOST) s->fields[count++] = NULL; // none of the frame before
}

// Whether places on the device are all that a picture asks of particles: one liquid, drawn as it looks, each particle
// as large as the others.
static bool is_plain(const shoal_screen* s) {
    const shoal_description* d = s->r->obstacles.description;
    if (s->def.color || s->r->source.material_count != 1 || d->materials[0].kind != SHOAL_LIQUID) return false;
    return run_far_part_find(&s->far_part, "position") && !shoal_frame_find(s->now.parts[0], "radius") &&
           !shoal_frame_find(s->now.parts[0], "volume");
}

// Its places stay where they are.
static shoal_status open_far(shoal_screen* s) {
    post_frame empty = {.time = s->now.time};
    SHOAL_TRY(render_run_open_parts(s->r, &empty));
    s->r->parts[0].particles.count = s->now.parts[0]->points.count;
    s->r->parts[0].far             = run_far_part_find(&s->far_part, "position");
    return SHOAL_OK;
}

// The mesh that `shoal surface` has made of a material, in place of its particles.
static shoal_status open_mesh(shoal_screen* s, int material) {
    render_run_job*     r = s->r;
    char                path[SHOAL_PATH_SIZE];
    post_frame          file = {0};
    shoal_surface_mesh* mesh = NULL;
    SHOAL_TRY(
        shoal_path_make(path, "%s/surface/%s_%06d.vtp", r->source.folder, r->source.materials[material], s->number));
    if (!shoal_path_exists(path)) return SHOAL_OK;
    SHOAL_TRY(shoal_frame_load(path, &file.parts[0]));
    file.count          = 1;
    shoal_status status = post_part_meshes(&file, 0, &mesh);
    post_frame_free(&file);
    if (status != SHOAL_OK || !mesh) return status;
    shoal_surface_mesh_destroy(r->taken[material].mesh);
    r->taken[material].mesh            = mesh;
    r->parts[material].mesh            = mesh;
    r->parts[material].particles.count = 0;
    s->mesh_count++;
    return SHOAL_OK;
}

// From the frame in memory to splats and triangles.
static shoal_status gather(shoal_screen* s) {
    render_run_job* r = s->r;
    s->is_stale       = true; // until all of it is there
    s->has_made       = false;
    render_run_close_frame(r);
    if (!is_plain(s)) SHOAL_TRY(run_far_part_fetch(&s->far_part));
    r->time      = s->now.time;
    r->has_blank = false;
    // a run on disk has one range for all of its frames
    if (s->def.color && (s->is_live || r->title[0] == 0)) {
        SHOAL_TRY(s->is_live ? render_run_range_of(r, &s->now) : render_run_find_range(r));
        render_run_choose_title(r);
    }
    SHOAL_TRY(is_plain(s) ? open_far(s) : render_run_open_parts(r, &s->now));
    s->mesh_count = 0;
    for (int m = 0; m < r->part_count && s->shows_meshes && !s->def.color; m++) SHOAL_TRY(open_mesh(s, m));
    SHOAL_TRY(render_run_open_solids(r));
    SHOAL_TRY(render_sheet_take(s->sheet, &r->contents));
    s->is_stale = false;
    s->has_made = true;
    return SHOAL_OK;
}

// What is to be drawn from now on; it is made into splats when a picture asks for it, beside a simulation that goes on.
static void show(shoal_screen* s, const post_frame* frame) {
    post_frame_free(&s->now);
    s->now       = *frame;
    s->has_taken = s->is_stale = true;
    list_fields(s);
}

// Whether the simulation lies on the card that draws, with one set of points to be shown.
static bool can_keep(const shoal_screen* s, const shoal_sim* sim, const shoal_part* parts, int count) {
    return s->device && count == 1 && parts[0].corners == 0 && strcmp(shoal_sim_device(sim), s->device->name) == 0;
}

static shoal_status copy_parts(shoal_screen* s, const shoal_sim* sim, run_far_part* far_part, post_frame* out) {
    shoal_part parts[SHOAL_SETS_MOST];
    int        count = shoal_sim_parts(sim, parts);
    out->time        = shoal_sim_time(sim);
    for (int k = 0; k < count; k++) {
        out->count++; // also where the copy fails half way: the part that was made is freed
        SHOAL_TRY(can_keep(s, sim, parts, count)
                      ? run_far_part_make(sim, &parts[k], out->time, far_part, &out->parts[k])
                      : run_copy_part(sim, &parts[k], out->time, NULL, &out->parts[k]));
        const shoal_frame_array* kind = shoal_frame_find(out->parts[k], "material");
        out->materials[k]             = kind ? kind->data : NULL;
    }
    return SHOAL_OK;
}

// Obstacles are where the simulation has them, which callers may have moved.
static shoal_status copy_poses(render_run_job* r, const shoal_sim* sim) {
    const shoal_world* from = shoal_sim_world(sim);
    if (from->collider_count != r->obstacles.count)
        return shoal_fail(SHOAL_ERR_PARAM, "the screen was made for another scene than the simulation's");
    for (int c = 0; c < r->obstacles.count; c++) {
        shoal_collider*   to   = &r->obstacles.world->colliders[c];
        const shoal_tape* tape = to->tape;
        *to                    = from->colliders[c];
        to->tape               = tape;
    }
    return SHOAL_OK;
}

shoal_status shoal_screen_take(shoal_screen* s, const shoal_sim* sim) {
    if (!s->is_live) return shoal_fail(SHOAL_ERR_PARAM, "the screen is that of a run on disk");
    post_frame   frame    = {0};
    run_far_part far_part = {.device = s->device};
    shoal_status status   = copy_parts(s, sim, &far_part, &frame);
    if (status == SHOAL_OK) status = copy_poses(s->r, sim);
    if (status != SHOAL_OK) {
        run_far_part_free(&far_part);
        post_frame_free(&frame);
        return status;
    }
    run_far_part_free(&s->far_part);
    s->far_part = far_part;
    show(s, &frame);
    return SHOAL_OK;
}

int shoal_screen_frame_count(const shoal_screen* s) { return s->is_live ? 0 : s->r->source.count; }

int shoal_screen_frame_number(const shoal_screen* s, int index) {
    return index >= 0 && index < shoal_screen_frame_count(s) ? s->r->source.numbers[index] : -1;
}

shoal_status shoal_screen_refresh(shoal_screen* s) {
    return s->is_live ? shoal_fail(SHOAL_ERR_PARAM, "the screen is that of a simulation")
                      : post_source_renew(&s->r->source);
}

shoal_status shoal_screen_load(shoal_screen* s, int index) {
    if (index < 0 || index >= shoal_screen_frame_count(s))
        return shoal_fail(SHOAL_ERR_PARAM, "there is no frame %d of %d", index, shoal_screen_frame_count(s));
    post_frame   frame;
    shoal_status status = post_frame_load(&s->r->source, index, &frame);
    if (status != SHOAL_OK) {
        post_frame_free(&frame);
        return status;
    }
    shoal_world_move(s->r->obstacles.world, frame.time, 0.0);
    s->number = s->r->source.numbers[index];
    show(s, &frame);
    return SHOAL_OK;
}

double shoal_screen_time(const shoal_screen* s) { return s->now.time; }
double shoal_screen_fps(const shoal_screen* s) { return s->r->source.surface.fps; }

int64_t shoal_screen_count(const shoal_screen* s) {
    int64_t sum = 0;
    for (int p = 0; p < s->now.count; p++) sum += s->now.parts[p]->points.count;
    return sum;
}

const char* const* shoal_screen_fields(const shoal_screen* s) { return s->fields; }

// --- how

const char* shoal_screen_drawn_as(const shoal_screen* s) {
    static const char* const words[] = {"spheres", "ellipsoids", "surface", "metaballs"}; // SHOAL_DRAW_...
    return words[s->r->settings.params.draw];
}

shoal_status shoal_screen_set_draw(shoal_screen* s, const char* draw) {
    if (!draw)
        return shoal_fail(SHOAL_ERR_PARAM, "shoal_screen_set_draw: give spheres, ellipsoids, surface or metaballs");
    const shoal_param_def* def = shoal_param_find(shoal_render_params_table, "draw");
    SHOAL_TRY(shoal_param_set_word(def, &s->r->settings.params, draw));
    return s->has_taken ? gather(s) : SHOAL_OK;
}

shoal_status shoal_screen_set_meshes(shoal_screen* s, bool are_shown) {
    bool before = s->shows_meshes;
    if (s->is_live || !s->has_taken)
        return shoal_fail(SHOAL_ERR_PARAM, "meshes are those of a frame of a run on disk that was loaded");
    s->shows_meshes     = are_shown;
    shoal_status status = gather(s);
    if (status == SHOAL_OK && (s->mesh_count > 0 || !are_shown || s->def.color)) return SHOAL_OK;
    char why[512];
    snprintf(why, sizeof why, "%s", shoal_last_error());
    s->shows_meshes = before;
    SHOAL_TRY(gather(s));
    if (status != SHOAL_OK) return shoal_fail(status, "%s", why);
    return shoal_fail(SHOAL_ERR_INPUT, "%s: frame %d has no mesh (surface/%s_%06d.vtp): shoal surface makes them",
                      s->r->source.folder, s->number, s->r->source.materials[0], s->number);
}

shoal_status shoal_screen_set_color(shoal_screen* s, const char* field) {
    char before[sizeof s->color], title[sizeof s->r->title];
    bool was_painted = s->def.color != NULL;
    snprintf(before, sizeof before, "%s", s->color);
    snprintf(title, sizeof title, "%s", s->r->title);
    snprintf(s->color, sizeof s->color, "%s", field ? field : "");
    s->def.color   = field ? s->color : NULL;
    s->r->title[0] = 0;
    s->r->settings.params.tone =
        field ? SHOAL_TONE_LINEAR : s->r->obstacles.render.params.tone; // colours are those of the bar
    shoal_status status = s->has_taken ? gather(s) : SHOAL_OK;
    if (status == SHOAL_OK) return SHOAL_OK;
    char why[512];
    snprintf(why, sizeof why, "%s", shoal_last_error());
    snprintf(s->color, sizeof s->color, "%s", before);
    snprintf(s->r->title, sizeof s->r->title, "%s", title);
    s->def.color = was_painted ? s->color : NULL;
    SHOAL_TRY(gather(s));
    return shoal_fail(status, "%s", why);
}

// --- drawing

static shoal_v3 eye_at(const render_run_job* r, const render_camera* camera) {
    shoal_d3 middle = shoal_d3_scale(shoal_d3_add(r->seen.min, r->seen.max), 0.5);
    if (isfinite(r->settings.camera.at.x)) middle = r->settings.camera.at;
    float far = shoal_v3_dot(shoal_v3_sub(shoal_v3_from(middle), camera->eye), camera->forward);
    return shoal_v3_add_scaled(camera->eye, camera->forward, fmaxf(far, 1e-3f));
}

shoal_eye shoal_screen_eye(const shoal_screen* s, double aspect) {
    const render_run_job* r       = s->r;
    bool                  is_open = !r->obstacles.description->domain.is_given;
    render_camera         camera  = render_camera_make(&r->settings, s->now.time, r->seen, aspect, is_open);
    shoal_v3              at      = eye_at(r, &camera);
    return (shoal_eye){{(double)camera.eye.x, (double)camera.eye.y, (double)camera.eye.z},
                       {(double)at.x, (double)at.y, (double)at.z},
                       2.0 * atan((double)camera.along) * (180.0 / SHOAL_PI)};
}

bool shoal_screen_floor(const shoal_screen* s, double* height) {
    const shoal_world* world = s->r->obstacles.world;
    *height                  = world->domain.min.y;
    return world->is_closed[SHOAL_BOTTOM] && s->r->settings.params.ground != SHOAL_GROUND_NONE;
}

static shoal_status check_eye(const shoal_eye* eye) {
    double apart = 0.0;
    for (int k = 0; k < 3; k++) {
        if (!(fabs(eye->from[k]) <= 1e6) || !(fabs(eye->at[k]) <= 1e6))
            return shoal_fail(SHOAL_ERR_PARAM, "the eye is nowhere");
        apart += (eye->from[k] - eye->at[k]) * (eye->from[k] - eye->at[k]);
    }
    if (!(apart > 0.0) || !(eye->fov >= 1.0 && eye->fov <= 150.0))
        return shoal_fail(SHOAL_ERR_PARAM, "the eye looks nowhere, or fov = %g is outside [1, 150]", eye->fov);
    return SHOAL_OK;
}

static shoal_status draw(shoal_screen* s, const shoal_eye* eye, int width, int height, uint8_t* pixels) {
    render_run_job* r = s->r;
    if (!s->has_taken) return shoal_fail(SHOAL_ERR_PARAM, "nothing was taken or loaded to be drawn");
    if (width < 1 || height < 1 || width > SHOAL_PICTURE_EDGE_MOST || height > SHOAL_PICTURE_EDGE_MOST)
        return shoal_fail(SHOAL_ERR_PARAM, "a picture of %d x %d pixels; each side is 1 to %d", width, height,
                          SHOAL_PICTURE_EDGE_MOST);
    if (!pixels) return shoal_fail(SHOAL_ERR_PARAM, "a picture of %d x %d pixels without memory for it", width, height);
    SHOAL_TRY(check_eye(eye));
    if (!s->has_made) SHOAL_TRY(gather(s));
    shoal_render_settings seen = r->settings;
    seen.view_count            = 0;
    seen.camera.from           = shoal_d3_make(eye->from[0], eye->from[1], eye->from[2]);
    seen.camera.at             = shoal_d3_make(eye->at[0], eye->at[1], eye->at[2]);
    seen.camera.fov            = (float)eye->fov;
    render_camera camera       = render_camera_make(&seen, 0.0, r->seen, (double)width / height, false);
    render_film   film         = {(double)r->settings.params.exposure, r->settings.params.tone == SHOAL_TONE_FILMIC};
    SHOAL_TRY(render_sheet_draw(s->sheet, width, height, &camera, &r->lights, film, pixels));
    return s->def.color ? render_run_draw_bar(r, pixels, width, height) : SHOAL_OK;
}

shoal_status shoal_screen_redraw(shoal_screen* s, const shoal_eye* eye, int width, int height, uint8_t* pixels) {
    return draw(s, eye, width, height, pixels);
}

shoal_status shoal_screen_draw(shoal_screen* s, const shoal_eye* eye, int width, int height, uint8_t* pixels) {
    s->has_made &= !s->is_stale;
    return draw(s, eye, width, height, pixels);
}

// --- picking

static void add_field(const shoal_frame_array* field, int i, char* text, size_t capacity) {
    int    count = shoal_frame_components(field);
    size_t used  = strlen(text);
    used += (size_t)snprintf(text + used, capacity - used, "\n%s", field->name);
    for (int c = 0; c < count && used < capacity; c++)
        used += (size_t)snprintf(text + used, capacity - used, " %.4g", shoal_frame_value(field, i, c));
    if (used < capacity && *field->unit) snprintf(text + used, capacity - used, " %s", field->unit);
}

// All that the frame tells of a particle by its id.
static void tell_particle(const shoal_screen* s, int32_t id, char* text, size_t capacity) {
    for (int p = 0; p < s->now.count; p++) {
        const shoal_frame*       part = s->now.parts[p];
        const shoal_frame_array* ids  = part->corners == 0 ? shoal_frame_find(part, "id") : NULL;
        if (ids && (ids->type != SHOAL_I1 || ids->width != 1)) continue; // a foreign frame
        for (int i = 0; ids && i < part->points.count; i++) {
            if (((const int32_t*)ids->data)[i] != id) continue;
            for (int f = 0; f < part->points.field_count; f++)
                if (strcmp(part->points.fields[f].name, "id") != 0)
                    add_field(&part->points.fields[f], i, text, capacity);
            return;
        }
    }
}

shoal_status shoal_screen_pick(shoal_screen* s, int x, int y, shoal_pick* out, char* text, size_t capacity) {
    const render_run_job* r    = s->r;
    render_seen           seen = render_sheet_pick(s->sheet, x, y);
    *out                       = (shoal_pick){.is_there = seen.depth < SCREEN_EMPTY, .particle = -1};
    if (capacity > 0) text[0] = 0;
    if (!out->is_there) return SHOAL_OK;
    out->at[0] = (double)seen.at.x, out->at[1] = (double)seen.at.y, out->at[2] = (double)seen.at.z;
    if (seen.particle >= 0 && seen.part < r->part_count) {
        const render_part* part = &r->parts[seen.part];
        const int32_t*     ids  = part->ids;
        SHOAL_TRY(run_far_part_fetch(&s->far_part));
        const shoal_frame_array* own = part->far ? shoal_frame_find(s->now.parts[0], "id") : NULL;
        if (own) ids = seen.particle < s->now.parts[0]->points.count ? own->data : NULL; // the picture may be older
        if (ids) out->particle = ids[seen.particle];
        snprintf(text, capacity, "particle %lld of %s", (long long)out->particle, part->name);
        if (ids && capacity > 0) tell_particle(s, ids[seen.particle], text, capacity);
    } else if (seen.solid >= 0) {
        out->obstacle = r->obstacles.world->obstacles[seen.solid].name;
        snprintf(text, capacity, "obstacle %s", out->obstacle);
    }
    return SHOAL_OK;
}

// --- over a picture

shoal_status shoal_screen_write(uint8_t* pixels, int width, int height, int x, int y, int size, const char* text) {
    const shoal_ink paper = {20, 24, 30, 150}, ink = {255, 255, 255, 255};
    shoal_canvas    canvas;
    char            line[256];
    int             lines = 1;
    double          wide  = 0.0;
    SHOAL_TRY(shoal_canvas_over(pixels, width, height, &canvas));
    for (const char* at = text; *at; at++) lines += *at == '\n';
    for (const char* at = text; *at;) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        wide = fmax(wide, shoal_text_width(0.8 * size, line));
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    shoal_canvas_rect(&canvas, x, y, wide + 0.8 * size, (lines + 0.4) * size, paper);
    for (int k = 0; k < lines; k++) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        shoal_canvas_text(&canvas, x + 0.4 * size, y + (k + 0.95) * size,
                          (shoal_lettering){.size = 0.8 * size, .ink = ink}, line);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    shoal_canvas_free(&canvas);
    return SHOAL_OK;
}

shoal_status shoal_screen_png(const uint8_t* pixels, int width, int height, void** bytes, size_t* size) {
    shoal_text text = {0};
    *bytes          = NULL;
    if (width < 1 || height < 1 || width > SHOAL_PICTURE_EDGE_MOST || height > SHOAL_PICTURE_EDGE_MOST)
        return shoal_fail(SHOAL_ERR_PARAM, "a picture of %d x %d pixels", width, height);
    shoal_status status = shoal_png_bytes(width, height, 3, pixels, &text);
    if (status != SHOAL_OK) {
        shoal_text_free(&text);
        return status;
    }
    *bytes = text.bytes;
    *size  = text.length;
    return SHOAL_OK;
}
