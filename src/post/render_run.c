// SPDX-License-Identifier: MIT
// The frames of a run into pictures:
//
//     DIR/pictures/NAME_000123.png  DIR/pictures/NAME.json (what they were made with)
//
// A picture that is newer than its frame and was made with the same settings is kept, and one that
// is not asked for is left alone. A frame that cannot be used is reported, the others are made.
#include "base/clock.h"
#include "base/words.h"
#include "picture/exr.h"
#include "picture/png.h"
#include "render/bar.h"
#include "render/paint.h"
#include "render/preview.h"
#include "post/render_run_job.h"
#include "solvers/registry.h"
#include "state/part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEF_MADE = 0x52454e31, FORMAT_PNG = 0, FORMAT_EXR = 1 };

static const char* const formats[] = {"png", "exr", NULL};

const char* const* shoal_render_formats(void) { return formats; }

shoal_render_def shoal_render_def_default(void) {
    return (shoal_render_def){.first           = -1,
                              .last            = -1,
                              .format          = "png",
                              .color_low       = (double)NAN,
                              .color_high      = (double)NAN,
                              .made_by_default = DEF_MADE};
}

// --- what is asked for

static shoal_status check_def(const shoal_render_def* def, int* format) {
    if (def->made_by_default != DEF_MADE)
        return shoal_fail(SHOAL_ERR_PARAM, "the settings of the pictures were not made by shoal_render_def_default");
    if (def->width < 0 || def->height < 0 || def->width > SHOAL_PICTURE_EDGE_MOST ||
        def->height > SHOAL_PICTURE_EDGE_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "a picture of %d x %d pixels; each side is 1 to %d", def->width, def->height,
                          SHOAL_PICTURE_EDGE_MOST);
    if (def->samples < 0) return shoal_fail(SHOAL_ERR_INPUT, "%d samples per pixel; take at least 1", def->samples);
    for (*format = 0; formats[*format]; ++*format)
        if (strcmp(formats[*format], def->format) == 0) return SHOAL_OK;
    const char* near = shoal_nearest_word(def->format, formats);
    return shoal_fail(SHOAL_ERR_INPUT, "format \"%.40s\" is not known, there are png and exr%s%s%s", def->format,
                      near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

void render_run_choose_settings(render_run_job* r) {
    const shoal_render_def* def = r->def;
    r->settings                 = r->obstacles.render;
    if (def->width > 0) r->settings.width = def->width;
    if (def->height > 0) r->settings.height = def->height;
    if (def->samples > 0) r->settings.params.samples = def->samples;
    // a colour must be the one of its bar
    if (def->color) r->settings.params.tone = SHOAL_TONE_LINEAR;
}

// The name of the frames, and what makes these pictures others.
static void choose_name(render_run_job* r) {
    const char* color = r->def->color;
    if (r->def->name)
        snprintf(r->name, sizeof r->name, "%.200s", r->def->name);
    else
        snprintf(r->name, sizeof r->name, "%.200s%s%.60s%s", r->source.stem, color ? "-" : "", color ? color : "",
                 r->def->is_preview ? "-preview" : "");
    post_name_for_files(r->name);
}

// The name of the field and its unit, as the frames have it; frames of earlier builds have none, but their solver's
// list knows.
void render_run_choose_title(render_run_job* r) {
    const shoal_solver_type* type = shoal_solver_find(r->obstacles.description->solver);
    const char*              unit = r->field_unit;
    const shoal_field_def*   field;
    for (int s = 0; type && type->sets[s].name && !*unit; s++)
        for (int k = 0; (field = shoal_set_field_at(&type->sets[s], k)) && !*unit; k++)
            if (shoal_word_names(r->def->color, type->sets[s].name, field->name)) unit = field->unit;
    snprintf(r->title, sizeof r->title, "%.60s%s", r->def->color, *unit ? ", " : "");
    for (; *unit; unit++) { // powers as people write them
        size_t used    = strlen(r->title);
        bool   is_high = *unit == '^' && (unit[1] == '2' || unit[1] == '3');
        snprintf(r->title + used, sizeof r->title - used, is_high ? "%s" : "%.1s",
                 !is_high         ? unit
                 : unit[1] == '2' ? "²"
                                  : "³");
        unit += is_high;
    }
}

// Everything that a picture depends on but its frame, as text.
static void add_block(shoal_text* text, const char* name, const shoal_param_def* table, const void* params) {
    shoal_text_add(text, ",\n  \"%s\": {", name);
    shoal_param_json(text, table, params, true);
    shoal_text_add(text, "}");
}

static void describe(const render_run_job* r, int format, shoal_text* text) {
    const shoal_render_settings* s = &r->settings;
    shoal_text_add(text, "{\n  \"shoal\": \"%s\", \"format\": \"%s\", \"preview\": %s,\n  \"size\": [%d, %d], ",
                   shoal_version(), formats[format], r->def->is_preview ? "true" : "false", s->width, s->height);
    shoal_text_add(text, "\"spacing\": %.9g", r->source.surface.spacing);
    if (!isfinite(s->camera.from.x))
        shoal_text_add(text, ", \"seen\": [%.6g, %.6g, %.6g, %.6g, %.6g, %.6g]", r->seen.min.x, r->seen.min.y,
                       r->seen.min.z, r->seen.max.x, r->seen.max.y, r->seen.max.z);
    if (r->def->color) {
        shoal_text_add(text, ", \"color\": ");
        shoal_json_string(text, r->def->color);
        shoal_text_add(text, ", \"range\": [%.9g, %.9g]", r->low, r->high);
    }
    add_block(text, "surface", shoal_surface_params_table, &r->source.surface.surface);
    add_block(text, "render", shoal_render_params_table, &s->params);
    add_block(text, "camera", shoal_camera_params_table, &s->camera);
    for (int k = 0; k < s->view_count; k++) add_block(text, "view", shoal_view_params_table, &s->views[k]);
    add_block(text, "lights", shoal_lights_params_table, &s->lights);
    for (int k = 0; k < s->lamp_count; k++) add_block(text, "lamp", shoal_lamp_params_table, &s->lamps[k]);
    add_block(text, "background", shoal_background_params_table, &s->background);
    for (int k = 0; k < s->appearance_count; k++)
        add_block(text, s->appearances[k].name, shoal_appearance_params_table, &s->appearances[k].appearance);
}

shoal_status render_run_open_all(render_run_job* r) {
    SHOAL_TRY(post_source_open(&r->source));
    SHOAL_TRY(post_obstacles_open(&r->obstacles, &r->source, &r->exec));
    render_run_choose_settings(r);
    choose_name(r);
    SHOAL_TRY(render_run_find_box(r));
    if (r->def->color) {
        SHOAL_TRY(render_run_find_range(r));
        render_run_choose_title(r);
    }
    r->lights = render_lights_make(&r->settings);
    return SHOAL_OK;
}

render_run_job* render_run_create(const shoal_render_def* def, const char* folder) {
    static const char* const blocks[] = {"render", "surface", NULL};
    render_run_job*          r        = shoal_alloc(1, sizeof *r);
    if (!r) return NULL;
    r->def           = def;
    r->exec          = shoal_exec_make(def->threads);
    r->begun         = shoal_seconds();
    r->source        = POST_SOURCE_OF(def, folder, blocks);
    r->source.camera = def->camera;
    return r;
}

void render_run_destroy(render_run_job* r) {
    picture_list_close(&r->pictures);
    render_run_places_free(&r->rest);
    post_obstacles_close(&r->obstacles);
    post_source_close(&r->source);
    shoal_free(r);
}

// --- one picture

static bool go_on(double part, void* user) {
    render_run_job* r = user;
    if (r->def->stop && r->def->stop(r->def->user)) return false;
    if (!r->def->progress) return true;
    double now = shoal_seconds(), own = now - r->picture_begun;
    double left  = own / fmax(part, 1e-3) * (1.0 - part);
    double usual = r->made > 0 ? r->picture_seconds / r->made : own + left;
    r->def->progress(&(shoal_render_progress){.frame                = r->number,
                                              .index                = r->index,
                                              .count                = r->count,
                                              .part                 = part,
                                              .seconds_spent        = now - r->begun,
                                              .seconds_left_picture = left,
                                              .seconds_left         = left + usual * (r->count - 1 - r->index)},
                     r->def->user);
    return true;
}

static void place_camera(render_run_job* r) {
    // a colour bar needs room beside what is seen
    double aspect    = (double)r->settings.width / (double)r->settings.height;
    double width     = r->def->color ? 0.7 * aspect : aspect;
    bool   is_open   = !r->obstacles.description->domain.is_given;
    r->camera        = render_camera_make(&r->settings, r->time, r->seen, width, is_open);
    r->camera.across = r->camera.along * (float)aspect;
}

static shoal_status take_light(render_run_job* r, int number, shoal_image* out) {
    place_camera(r);
    if (r->def->is_preview) return render_preview_take(&r->contents, &r->camera, &r->lights, &r->exec, out);
    render_shot shot = {.settings    = &r->settings,
                        .camera      = r->camera,
                        .lights      = r->lights,
                        .shutter     = (double)r->settings.params.shutter / r->source.surface.fps,
                        .seed        = (uint64_t)number,
                        .exec        = &r->exec,
                        .contents_at = render_run_contents_at,
                        .go_on       = go_on,
                        .user        = r};
    return render_shot_take(&shot, out);
}

shoal_status render_run_draw_bar(const render_run_job* r, uint8_t* pixels, int width, int height) {
    enum { BLANK = RENDER_BAR_COLORS, ALL };
    bool        is_name = strcmp(r->def->color, "material") == 0;
    uint8_t     colors[ALL][3];
    shoal_v3    light[ALL];
    const char* names[RENDER_BAR_COLORS];
    shoal_image strip = {ALL, 1, light};
    render_bar  bar   = {.title = r->title, .low = r->low, .high = r->high, .has_blank = r->has_blank};
    for (int k = 0; k < RENDER_BAR_COLORS; k++)
        light[k] = is_name ? render_paint_name(k) : render_paint((k + 0.5) / RENDER_BAR_COLORS);
    light[BLANK] = render_paint((double)NAN);
    for (int k = 0; is_name && k < r->source.material_count && k < RENDER_BAR_COLORS; k++)
        names[bar.name_count++] = r->source.materials[k];
    shoal_image_develop(&strip, 0.0, false, &r->exec, &colors[0][0]);
    memcpy(bar.blank, colors[BLANK], sizeof bar.blank);
    bar.colors = (const uint8_t(*)[3])colors;
    bar.names  = names;
    return render_bar_draw(pixels, width, height, &bar);
}

static shoal_status develop(const render_run_job* r, const shoal_image* image, uint8_t** out) {
    const shoal_render_params* p = &r->settings.params;
    *out                         = shoal_alloc((size_t)image->width * (size_t)image->height, 3);
    if (!*out) return SHOAL_ERR_MEMORY;
    shoal_image_develop(image, (double)p->exposure, p->tone == SHOAL_TONE_FILMIC, &r->exec, *out);
    return r->def->color ? render_run_draw_bar(r, *out, r->settings.width, r->settings.height) : SHOAL_OK;
}

static shoal_status save(const render_run_job* r, const shoal_image* image, int format, const char* path) {
    uint8_t* pixels = NULL;
    if (format == FORMAT_EXR) return shoal_exr_write(path, image);
    shoal_status status = develop(r, image, &pixels);
    if (status == SHOAL_OK) status = shoal_png_write(path, image->width, image->height, 3, pixels);
    shoal_free(pixels);
    return status;
}

static void tell(const render_run_job* r, int number, double time, const char* path, bool was_there) {
    if (!r->def->done) return;
    double seconds = was_there ? 0.0 : shoal_seconds() - r->picture_begun;
    r->def->done(&(shoal_render_row){number, time, path, was_there, seconds}, r->def->user);
}

static shoal_status make_picture(render_run_job* r, int index, int format, const char* path) {
    shoal_image  image  = {0};
    int          number = r->source.numbers[index];
    shoal_status status = render_run_open_frame(r, index);
    if (status == SHOAL_OK) status = take_light(r, number, &image);
    if (status == SHOAL_OK) status = save(r, &image, format, path);
    if (status == SHOAL_OK) tell(r, number, r->time, path, false);
    shoal_free(image.light);
    render_run_close_frame(r);
    return status;
}

// --- all of them

static shoal_status open_list(render_run_job* r, int format) {
    shoal_text text = {0};
    describe(r, format, &text);
    shoal_status status =
        text.failed ? SHOAL_ERR_MEMORY : picture_list_open(&r->pictures, r->source.folder, r->name, &text);
    shoal_text_free(&text);
    return status;
}

// Pictures appear whole; one that something else has cut short must not stay for ever.
static bool ends_whole(const char* path, int format) {
    static const unsigned char png_end[12] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    return shoal_file_ends_with(path, png_end, format == FORMAT_PNG ? sizeof png_end : 0);
}

// Made with these settings, after its frame; blur between particles looks at the next one, too.
static bool is_current(const render_run_job* r, int index, int format, const char* path, const char* file) {
    int needed = render_run_wants_next(r) && index + 1 < r->source.count ? 2 : 1;
    for (int k = 0; k < needed; k++)
        if (!post_source_is_older(&r->source, index + k, path)) return false;
    return picture_list_has(&r->pictures, file) && ends_whole(path, format);
}

// SHOAL_OK also when the frame could not be used: that is reported. Other states end the sequence.
static shoal_status make_frame(render_run_job* r, int index, int format) {
    char frame[SHOAL_PATH_SIZE], path[SHOAL_PATH_SIZE], message[SHOAL_PATH_SIZE + 2048], file[24];
    SHOAL_TRY(post_source_file(&r->source, index, 0, frame));
    snprintf(file, sizeof file, "%06d.%s", r->source.numbers[index], formats[format]);
    SHOAL_TRY(shoal_path_make(path, "%s/pictures/%s_%s", r->source.folder, r->name, file));
    r->number        = r->source.numbers[index];
    r->picture_begun = shoal_seconds();
    if (!r->def->is_forced && is_current(r, index, format, path, file)) {
        tell(r, r->source.numbers[index], r->source.numbers[index] / r->source.surface.fps, path, true);
        return SHOAL_OK;
    }
    SHOAL_TRY(picture_list_forget(&r->pictures, file));
    shoal_status status = make_picture(r, index, format, path);
    if (status == SHOAL_OK) {
        SHOAL_TRY(picture_list_note(&r->pictures, file));
        r->made++;
        r->picture_seconds += shoal_seconds() - r->picture_begun;
        return SHOAL_OK;
    }
    if (status != SHOAL_ERR_INPUT && status != SHOAL_ERR_FILE) return status;
    SHOAL_TRY(shoal_file_remove(path)); // of an older frame or other settings
    // readers name the file themselves
    bool is_named = strncmp(shoal_last_error(), frame, strlen(frame) - strlen(r->source.endings[0])) == 0;
    snprintf(message, sizeof message, "%s%s%s", is_named ? "" : frame, is_named ? "" : ": ", shoal_last_error());
    post_source_fault(&r->source, status, message);
    return SHOAL_OK;
}

static shoal_status make_all(render_run_job* r, int format) {
    char path[SHOAL_PATH_SIZE];
    SHOAL_TRY(render_run_open_all(r));
    r->count = r->source.wanted;
    SHOAL_TRY(shoal_path_make(path, "%s/pictures", r->source.folder));
    SHOAL_TRY(shoal_folder_make(path));
    SHOAL_TRY(open_list(r, format));
    for (int i = 0; i < r->source.count; i++) {
        if (i > 0) post_source_report_missing(&r->source, i);
        if (!post_source_wants(&r->source, r->source.numbers[i])) continue;
        if (r->def->stop && r->def->stop(r->def->user))
            return shoal_fail(SHOAL_ERR_INTERRUPTED, "interrupted before frame %d", r->source.numbers[i]);
        SHOAL_TRY(make_frame(r, i, format));
        r->index++;
    }
    return SHOAL_OK;
}

shoal_status shoal_render_run(const shoal_render_def* def, const char* folder) {
    int format = 0;
    SHOAL_TRY(check_def(def, &format));
    render_run_job* r = render_run_create(def, folder);
    if (!r) return SHOAL_ERR_MEMORY;
    shoal_status status = make_all(r, format);
    if (status == SHOAL_OK) status = post_source_end(&r->source);
    render_run_destroy(r);
    return status;
}

// --- one frame into memory

static shoal_status make_image(render_run_job* r, int frame, shoal_render_image* out) {
    shoal_image image = {0};
    SHOAL_TRY(render_run_open_all(r));
    int index = 0;
    while (index < r->source.count && r->source.numbers[index] != frame) index++;
    if (index == r->source.count)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: there is no frame %d", r->source.folder, frame);
    r->count            = 1;
    r->number           = frame;
    r->picture_begun    = shoal_seconds();
    shoal_status status = render_run_open_frame(r, index);
    if (status == SHOAL_OK) status = take_light(r, frame, &image);
    if (status == SHOAL_OK) status = develop(r, &image, &out->pixels);
    render_run_close_frame(r);
    out->width  = image.width;
    out->height = image.height;
    out->linear = (float*)image.light;
    return status;
}

shoal_status shoal_render_frame(const shoal_render_def* def, const char* folder, int frame, shoal_render_image** out) {
    int format;
    *out = NULL;
    SHOAL_TRY(check_def(def, &format));
    render_run_job*     r      = render_run_create(def, folder);
    shoal_render_image* image  = shoal_alloc(1, sizeof *image);
    shoal_status        status = r && image ? make_image(r, frame, image) : SHOAL_ERR_MEMORY;
    if (r) render_run_destroy(r);
    if (status == SHOAL_OK) {
        *out = image;
        return SHOAL_OK;
    }
    shoal_render_image_destroy(image);
    return status;
}

void shoal_render_image_destroy(shoal_render_image* image) {
    if (!image) return;
    shoal_free(image->pixels);
    shoal_free(image->linear);
    shoal_free(image);
}
