// SPDX-License-Identifier: MIT
// Pictures of the variants side by side, at the middle and at the end: quick previews, drawn in
// memory, with the variant's name over each.
#include "compare/compare_local.h"

#include "picture/canvas.h"
#include "shoal/render.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// pixels
enum { PICTURE_WIDTH = 480, PICTURE_HEIGHT = 270, PER_ROW_MOST = 4, GAP = 10, CAPTION = 40, TIME_ROW = 34, HEAD = 14 };

static const shoal_ink paper = {255, 255, 255, 255}, ink = {34, 34, 34, 255}, pale = {105, 105, 105, 255},
                       blank = {240, 240, 240, 255};

typedef struct strip {
    const comparison*     comparison;
    shoal_canvas          canvas;
    int                   count; // of pictures per moment
    const compare_result* shown[SHOAL_VARIANTS_MOST];
    int                   across, down; // of one moment
} strip;

// The last frame on disk that is not after `wanted`; -1: none.
static int frame_before(const compare_result* r, int wanted) {
    char        path[SHOAL_PATH_SIZE];
    shoal_names names;
    int         best = -1;
    if (shoal_path_make(path, "%s/frames", r->folder) != SHOAL_OK || shoal_folder_names(path, &names) != SHOAL_OK)
        return -1;
    for (int i = 0; i < names.count; i++) {
        size_t stem;
        int    number;
        if (shoal_name_is_frame(names.names[i], &stem, &number, NULL) && number <= wanted && number > best)
            best = number;
    }
    shoal_names_free(&names);
    return best;
}

static double time_of(const compare_result* r, int frame) { return frame / post_data_number(&r->data, "frames.fps"); }

// A picture, or a grey field with the reason in place of it.
static void draw_picture(strip* s, const compare_result* r, int frame, double x, double y) {
    shoal_render_def    def   = shoal_render_def_default();
    shoal_render_image* image = NULL;
    def.is_preview            = true;
    def.width                 = PICTURE_WIDTH;
    def.height                = PICTURE_HEIGHT;
    def.threads               = s->comparison->def->threads;
    shoal_canvas_rect(&s->canvas, x, y, PICTURE_WIDTH, PICTURE_HEIGHT, blank);
    if (frame >= 0 && shoal_render_frame(&def, r->folder, frame, &image) == SHOAL_OK) {
        shoal_pixels pixels = {image->width, image->height, 3, image->pixels};
        shoal_canvas_picture(&s->canvas, x, y, PICTURE_WIDTH, PICTURE_HEIGHT, &pixels);
    } else {
        char text[96];
        snprintf(text, sizeof text, "%.90s", frame < 0 ? "no frame" : shoal_last_error());
        shoal_canvas_text(&s->canvas, x + 0.5 * PICTURE_WIDTH, y + 0.5 * PICTURE_HEIGHT,
                          (shoal_lettering){.size = 12, .ink = pale, .align = SHOAL_ALIGN_MIDDLE}, text);
    }
    shoal_render_image_destroy(image);
}

static void draw_cell(strip* s, const compare_result* r, int wanted, double x, double y) {
    int  frame = frame_before(r, wanted);
    char text[160];
    shoal_canvas_text(&s->canvas, x, y + 15.0, (shoal_lettering){.size = 14, .ink = ink, .is_bold = true},
                      r->variant->name);
    int used = 0;
    if (isfinite(r->row.compression_avg_pct)) // not every solver has a density
        used = snprintf(text, sizeof text, "density error %.3g %%, ", r->row.compression_avg_pct);
    used += snprintf(text + used, sizeof text - (size_t)used, "%.3g ms per frame", r->row.frame_ms);
    if (frame < wanted && frame >= 0)
        snprintf(text + used, sizeof text - (size_t)used, "; shown at %.3g s, where it ended", time_of(r, frame));
    shoal_canvas_text(&s->canvas, x, y + 33.0, (shoal_lettering){.size = 12, .ink = pale}, text);
    draw_picture(s, r, frame, x, y + CAPTION);
}

static void draw_moment(strip* s, int frame, double top) {
    char text[64];
    snprintf(text, sizeof text, "t = %.3g s", time_of(s->shown[0], frame));
    shoal_canvas_text(&s->canvas, GAP, top + 22.0, (shoal_lettering){.size = 16, .ink = ink, .is_bold = true}, text);
    for (int i = 0; i < s->count; i++)
        draw_cell(s, s->shown[i], frame, GAP + i % s->across * (PICTURE_WIDTH + GAP),
                  top + TIME_ROW + i / s->across * (CAPTION + PICTURE_HEIGHT + GAP));
}

shoal_status compare_strip(comparison* c) {
    strip* s      = shoal_alloc(1, sizeof *s);
    bool   wanted = c->def->pictures;
    int    last   = 0;
    if (!s) return SHOAL_ERR_MEMORY;
    s->comparison = c;
    for (int i = 0; i < c->count; i++) {
        const compare_result* r = &c->results[i];
        wanted |= r->has_camera;
        if (!r->has_data || frame_before(r, r->row.frames) < 0) continue;
        s->shown[s->count++] = r;
        if (r->row.frames > last) last = r->row.frames;
    }
    if (!wanted || s->count == 0) {
        shoal_free(s);
        return SHOAL_OK;
    }
    int moments         = last > 1 ? 2 : 1;
    s->across           = s->count < PER_ROW_MOST ? s->count : PER_ROW_MOST;
    s->down             = (s->count + s->across - 1) / s->across;
    int          height = TIME_ROW + s->down * (CAPTION + PICTURE_HEIGHT + GAP);
    char         path[SHOAL_PATH_SIZE];
    shoal_status status =
        shoal_canvas_create(GAP + s->across * (PICTURE_WIDTH + GAP), HEAD + moments * height, paper, &s->canvas);
    for (int m = 0; m < moments && status == SHOAL_OK; m++)
        draw_moment(s, moments == 1 || m == 1 ? last : last / 2, m * height);
    if (status == SHOAL_OK) status = shoal_path_make(path, "%s/strip.png", c->report);
    if (status == SHOAL_OK) status = shoal_png_write(path, s->canvas.width, s->canvas.height, 3, s->canvas.pixels);
    c->has_strip = status == SHOAL_OK;
    shoal_canvas_free(&s->canvas);
    shoal_free(s);
    return status;
}
