// SPDX-License-Identifier: MIT
// Six pictures of a film on one sheet, evenly spread, the first and the last among them.
#include "picture/canvas.h"
#include "post/film_run_job.h"

#include <math.h>
#include <stdio.h>

// A cell is as wide as its picture, but no wider than CELL, nor narrower than what is written
// below.
enum { COLUMNS = 3, ROWS = 2, CELL = 416, CELL_LEAST = 64, GAP = 8, TEXT = 20 };

static shoal_status put_picture(const film_run_job* f, shoal_canvas* sheet, int place, int width, int height) {
    char         path[SHOAL_PATH_SIZE], label[64];
    shoal_pixels p     = {0};
    int          index = (int)((double)place * (f->count - 1) / (COLUMNS * ROWS - 1) + 0.5); // evenly, to the last
    double       x     = GAP + (double)(place % COLUMNS) * (width + GAP),
           y           = GAP + (double)(place / COLUMNS) * (height + TEXT + GAP);
    SHOAL_TRY(film_run_picture(f, index, path));
    SHOAL_TRY(shoal_png_read(path, &p));
    shoal_canvas_picture(sheet, x, y, width, height, &p);
    snprintf(label, sizeof label, "%.2f s",
             f->numbers[index] / (f->source.surface.fps > 0.0 ? f->source.surface.fps : f->fps));
    shoal_lettering how = {.size = 14.0, .ink = {70, 70, 70, 255}, .align = SHOAL_ALIGN_MIDDLE};
    shoal_canvas_text(sheet, x + 0.5 * width, y + height + 15.0, how, label);
    shoal_pixels_free(&p);
    return SHOAL_OK;
}

static shoal_status make_sheet(const film_run_job* f, char out[SHOAL_FILM_PATH_SIZE]) {
    char         path[SHOAL_PATH_SIZE];
    shoal_pixels first = {0};
    shoal_canvas sheet = {0};
    SHOAL_TRY(film_run_picture(f, 0, path));
    SHOAL_TRY(shoal_png_read(path, &first));
    int width  = first.width > CELL ? CELL : first.width < CELL_LEAST ? CELL_LEAST : first.width;
    int height = (int)fmax(1.0, fmin(2048.0, (double)width * first.height / first.width));
    shoal_pixels_free(&first);
    SHOAL_TRY(shoal_path_make(out, "%s/%s-sheet.png", f->source.folder, f->name));
    SHOAL_TRY(shoal_canvas_create(GAP + COLUMNS * (width + GAP), GAP + ROWS * (height + TEXT + GAP),
                                  (shoal_ink){255, 255, 255, 255}, &sheet));
    shoal_status status = SHOAL_OK;
    for (int place = 0; place < COLUMNS * ROWS && status == SHOAL_OK; place++)
        status = put_picture(f, &sheet, place, width, height);
    if (status == SHOAL_OK) status = shoal_png_write(out, sheet.width, sheet.height, 3, sheet.pixels);
    shoal_canvas_free(&sheet);
    return status;
}

shoal_status shoal_film_sheet(const shoal_film_def* def, const char* folder, char path[SHOAL_FILM_PATH_SIZE]) {
    film_run_job f;
    shoal_status status = film_run_open(&f, def, folder);
    if (status == SHOAL_OK) status = make_sheet(&f, path);
    film_run_close(&f);
    return status;
}
