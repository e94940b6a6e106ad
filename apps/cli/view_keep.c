// SPDX-License-Identifier: MIT
// What the viewer leaves in files: its camera, pictures, recordings. Nothing of an earlier time is written over but the
// camera, which has one name.
#include "view_local.h"

#include "shoal/film.h"

#include <sys/stat.h>
#include <unistd.h>

void view_make_folder(const char* path) {
    char part[VIEW_PATH_SIZE];
    snprintf(part, sizeof part, "%s", path);
    for (char* at = part; *at; at++)
        if (*at == '/' && at != part) {
            *at = 0;
            (void)mkdir(part, 0777);
            *at = '/';
        }
    (void)mkdir(part, 0777);
}

void view_write_camera(view* v) {
    char path[VIEW_PATH_SIZE], text[512];
    view_make_folder(v->folder);
    snprintf(path, sizeof path, "%s/%s.camera.yaml", v->folder, v->name);
    int length =
        snprintf(text, sizeof text, "camera:\n  from: [%.6g, %.6g, %.6g]\n  at: [%.6g, %.6g, %.6g]\n  fov: %.6g\n",
                 v->eye.from[0], v->eye.from[1], v->eye.from[2], v->eye.at[0], v->eye.at[1], v->eye.at[2], v->eye.fov);
    fputs(text, stdout);
    fflush(stdout);
    if (shoal_file_write(path, text, (size_t)length) == SHOAL_OK)
        view_say(v, "camera written to %.250s", path);
    else
        view_say(v, "%.300s", shoal_last_error());
}

// FOLDER/pictures/STEM_000012.png
static void picture_path(const view* v, const char* stem, int number, char out[VIEW_PATH_SIZE]) {
    snprintf(out, VIEW_PATH_SIZE, "%s/pictures/%s_%06d.png", v->folder, stem, number);
}

static bool save_picture(view* v, int width, int height, const uint8_t* pixels, const char* path) {
    char   folder[VIEW_PATH_SIZE];
    void*  bytes = NULL;
    size_t size  = 0;
    snprintf(folder, sizeof folder, "%s/pictures", v->folder);
    view_make_folder(folder);
    shoal_status status = shoal_screen_png(pixels, width, height, &bytes, &size);
    if (status == SHOAL_OK) status = shoal_file_write(path, bytes, size);
    if (bytes) shoal_bytes_free(bytes, size);
    if (status != SHOAL_OK) view_say(v, "%.300s", shoal_last_error());
    return status == SHOAL_OK;
}

static void save_shot(view* v, int width, int height, const uint8_t* pixels) {
    char path[VIEW_PATH_SIZE], stem[VIEW_NAME_SIZE + 32];
    int  number = 0;
    snprintf(stem, sizeof stem, "%s-shot", v->name);
    do picture_path(v, stem, number++, path);
    while (access(path, F_OK) == 0 && number <= CLI_FRAME_MOST);
    if (save_picture(v, width, height, pixels, path)) view_say(v, "picture written to %.250s", path);
}

// The first of NAME-view, NAME-view-2, ... that has neither pictures nor a film.
static void name_film(view* v) {
    char picture[VIEW_PATH_SIZE], film[VIEW_PATH_SIZE];
    for (int k = 1; k <= CLI_FRAME_MOST; k++) {
        if (k == 1)
            snprintf(v->film, sizeof v->film, "%s-view", v->name);
        else
            snprintf(v->film, sizeof v->film, "%s-view-%d", v->name, k);
        picture_path(v, v->film, 0, picture);
        snprintf(film, sizeof film, "%s/%s.mp4", v->folder, v->film);
        if (access(picture, F_OK) != 0 && access(film, F_OK) != 0) return;
    }
}

void view_record(view* v) {
    v->is_recording = !v->is_recording;
    if (v->is_recording) {
        name_film(v);
        v->recorded = 0;
        view_say(v, "recording");
        return;
    }
    if (v->recorded == 0) {
        view_say(v, "nothing was recorded");
        return;
    }
    char           path[SHOAL_FILM_PATH_SIZE];
    shoal_film_def film = shoal_film_def_default();
    film.name           = v->film;
    film.fps            = v->fps;
    film.pictures       = v->recorded;
    // the Ctrl-C that ends the viewer is not meant for its film; another one ends all at once
    film.stop = cli_should_stop(NULL) ? NULL : cli_should_stop;
    if (shoal_film_encode(&film, v->folder, path) == SHOAL_OK) {
        view_say(v, "film of %d pictures: %.250s", v->recorded, path);
        return;
    }
    view_say(v, "%d pictures are in %.60s/pictures; %.200s", v->recorded, v->folder, shoal_last_error());
    fprintf(stderr, "%s\n  ffmpeg -framerate %g -i %s/pictures/%s_%%06d.png %s/%s.mp4\n", shoal_last_error(), v->fps,
            v->folder, v->film, v->folder, v->film);
}

void view_keep_picture(view* v, int width, int height, const uint8_t* pixels) {
    char path[VIEW_PATH_SIZE];
    if (v->wants_picture) {
        v->wants_picture = false;
        save_shot(v, width, height, pixels);
    }
    if (!v->is_recording || !v->is_frame_new) return;
    if (v->recorded > 0 && (width != v->recorded_width || height != v->recorded_height)) {
        char ended[sizeof v->said];
        view_record(v);
        snprintf(ended, sizeof ended, "%s", v->said);
        view_say(v, "a film has one size, and pictures have another now: the recording has ended; %.200s", ended);
        fprintf(stderr, "%s\n", v->said);
        return;
    }
    v->recorded_width  = width;
    v->recorded_height = height;
    picture_path(v, v->film, v->recorded, path);
    if (save_picture(v, width, height, pixels, path)) v->recorded++;
}
