// SPDX-License-Identifier: MIT
// Pictures into a film: read back one by one and handed to ffmpeg as they are seen, so that numbers
// may be missing and names may be any.
//
//     DIR/NAME.mp4  DIR/pictures/NAME.film (what it was made of)
#include "base/clock.h"
#include "base/words.h"
#include "post/film_run_job.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEF_MADE = 0x46494c31, ARGUMENTS_MOST = 40 };

// Words for ffmpeg between its input and the name of the file. H.264 takes even sizes only; a
// GIF counts time in hundredths of a second and has a palette.
#define EVEN "pad=ceil(iw/2)*2:ceil(ih/2)*2"
static const struct {
    const char* name;
    const char* arguments[20];
} formats[] = {
    {"mp4",
     {"-vf", EVEN, "-c:v", "libx264", "-preset", "medium", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags",
      "+faststart", "-f", "mp4", NULL}},
    {"webm",
     {"-vf", EVEN, "-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-row-mt", "1", "-pix_fmt", "yuv420p", "-f", "webm",
      NULL}},
    {"gif",
     {"-vf",
      "fps=25,split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_"
      "scale=4",
      "-loop", "0", "-f", "gif", NULL}},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const char* const* shoal_film_formats(void) {
    static const char* const names[] = {"mp4", "webm", "gif", NULL};
    _Static_assert(sizeof names / sizeof *names == FORMAT_COUNT + 1, "one name for each");
    return names;
}

shoal_film_def shoal_film_def_default(void) {
    return (shoal_film_def){.format = "mp4", .first = -1, .last = -1, .made_by_default = DEF_MADE};
}

static shoal_status find_format(const char* name, int* out) {
    for (*out = 0; *out < FORMAT_COUNT; ++*out)
        if (strcmp(formats[*out].name, name) == 0) return SHOAL_OK;
    const char* near = shoal_nearest_word(name, shoal_film_formats());
    return shoal_fail(SHOAL_ERR_INPUT, "format \"%.40s\" is not known, there are mp4, webm, gif%s%s%s", name,
                      near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

// --- which pictures

shoal_status film_run_picture(const film_run_job* f, int index, char out[SHOAL_PATH_SIZE]) {
    return shoal_path_make(out, "%s/pictures/%s_%06d.png", f->source.folder, f->name, f->numbers[index]);
}

shoal_status film_run_open(film_run_job* f, const shoal_film_def* def, const char* folder) {
    static const char* const none[] = {NULL};
    char                     path[SHOAL_PATH_SIZE];
    *f = (film_run_job){
        .def    = def,
        .source = {.folder = folder, .blocks = none, .first = def->first, .last = def->last, .frames = def->frames}};
    if (def->made_by_default != DEF_MADE)
        return shoal_fail(SHOAL_ERR_PARAM, "the settings of the film were not made by shoal_film_def_default");
    if (def->pictures > 0) {
        if (!def->name || !(def->fps > 0.0))
            return shoal_fail(SHOAL_ERR_PARAM, "a film of pictures that are of no run needs a name and frames/s");
        f->numbers = shoal_alloc((size_t)def->pictures, sizeof *f->numbers);
        if (!f->numbers) return SHOAL_ERR_MEMORY;
        for (int k = 0; k < def->pictures; k++) f->numbers[f->count++] = k;
        f->fps = def->fps;
        return shoal_path_make(f->name, "%s", def->name);
    }
    SHOAL_TRY(post_source_open(&f->source));
    SHOAL_TRY(shoal_path_make(f->name, "%s", def->name ? def->name : f->source.stem));
    f->numbers = shoal_alloc((size_t)f->source.count, sizeof *f->numbers);
    if (!f->numbers) return SHOAL_ERR_MEMORY;
    int step = INT_MAX, before = -1; // of the frames asked for, whether their pictures are there or not
    for (int i = 0; i < f->source.count; i++) {
        int number = f->source.numbers[i];
        if (!post_source_wants(&f->source, number)) continue;
        if (before >= 0 && number - before < step) step = number - before;
        before               = number;
        f->numbers[f->count] = number;
        SHOAL_TRY(film_run_picture(f, f->count, path));
        f->count += shoal_path_exists(path);
    }
    if (f->count == 0)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s/pictures: holds no pictures %s_000000.png to make a "
                          "film of; shoal render makes them",
                          folder, f->name);
    if (step == INT_MAX) step = f->source.step;
    f->fps = def->fps > 0.0 ? def->fps : f->source.surface.fps / step;
    return SHOAL_OK;
}

void film_run_close(film_run_job* f) {
    shoal_free(f->numbers);
    post_source_close(&f->source);
}

// --- the film

static void describe(const film_run_job* f, int format, shoal_text* out) {
    shoal_text_add(out, "{\"format\": \"%s\", \"fps\": %.9g, \"frames\": [", formats[format].name, f->fps);
    for (int i = 0; i < f->count; i++) shoal_text_add(out, "%s%d", i ? ", " : "", f->numbers[i]);
    shoal_text_add(out, "]}\n");
}

// Whether the film is there, made of the same pictures, and newer than each of them.
static bool is_current(const film_run_job* f, const char* film, const char* mark, const shoal_text* now) {
    char   path[SHOAL_PATH_SIZE];
    char*  old  = NULL;
    size_t size = 0;
    if (!shoal_path_exists(film) || !shoal_path_exists(mark) || shoal_file_read(mark, &old, &size) != SHOAL_OK)
        return false;
    bool is_same = size == now->length && memcmp(old, now->bytes, size) == 0;
    shoal_free(old);
    for (int i = 0; i < f->count && is_same; i++)
        is_same = film_run_picture(f, i, path) == SHOAL_OK && post_is_newer(film, path);
    return is_same;
}

static shoal_status put_pictures(const film_run_job* f, const shoal_pixels* first, film_pipe* pipe) {
    char   path[SHOAL_PATH_SIZE];
    double begun = shoal_seconds();
    for (int i = 0; i < f->count; i++) {
        shoal_pixels p = {0};
        if (f->def->stop && f->def->stop(f->def->user))
            return shoal_fail(SHOAL_ERR_INTERRUPTED, "interrupted before picture %d", f->numbers[i]);
        SHOAL_TRY(film_run_picture(f, i, path));
        SHOAL_TRY(shoal_png_read(path, &p));
        bool         is_alike = p.width == first->width && p.height == first->height && p.channels == first->channels;
        shoal_status status =
            is_alike ? film_pipe_put(pipe, p.bytes, (size_t)p.width * (size_t)p.height * (size_t)p.channels)
                     : shoal_fail(SHOAL_ERR_INPUT, "%s: is %d x %d pixels, the first picture is %d x %d", path, p.width,
                                  p.height, first->width, first->height);
        shoal_pixels_free(&p);
        SHOAL_TRY(status);
        double left = (shoal_seconds() - begun) / (i + 1) * (f->count - i - 1);
        if (f->def->progress) f->def->progress(i + 1, f->count, left, f->def->user);
    }
    return SHOAL_OK;
}

static shoal_status encode(const film_run_job* f, int format, const char* aside) {
    char         path[SHOAL_PATH_SIZE], to[SHOAL_PATH_SIZE], size[32], rate[32], threads[16];
    const char*  arguments[ARGUMENTS_MOST];
    int          count = 0;
    shoal_pixels first = {0};
    SHOAL_TRY(film_run_picture(f, 0, path));
    SHOAL_TRY(shoal_path_make(to, "file:%s", aside)); // else a:b were a protocol, and -x an option
    SHOAL_TRY(shoal_png_read(path, &first));
    snprintf(size, sizeof size, "%dx%d", first.width, first.height);
    snprintf(rate, sizeof rate, "%.9g", f->fps);
    snprintf(threads, sizeof threads, "%d", f->def->threads);
    const char* const input[] = {"ffmpeg",   "-y",       "-loglevel",  "error",
                                 "-f",       "rawvideo", "-pix_fmt",   first.channels == 4 ? "rgba" : "rgb24",
                                 "-s",       size,       "-framerate", rate,
                                 "-threads", threads,    "-i",         "-",
                                 "-an",      NULL};
    for (int i = 0; input[i]; i++) arguments[count++] = input[i];
    for (int i = 0; formats[format].arguments[i]; i++) arguments[count++] = formats[format].arguments[i];
    arguments[count++]  = "-threads";
    arguments[count++]  = threads;
    arguments[count++]  = to;
    arguments[count]    = NULL;
    film_pipe*   pipe   = NULL;
    shoal_status status = film_pipe_open(arguments, &pipe);
    if (status == SHOAL_OK) {
        status = put_pictures(f, &first, pipe);
        // what ffmpeg says about its end is worth more than that it no longer listens
        shoal_status ended = film_pipe_close(pipe, status == SHOAL_OK || status == SHOAL_ERR_OUTPUT);
        if (status == SHOAL_OK || ended != SHOAL_OK) status = ended;
    }
    shoal_pixels_free(&first);
    return status;
}

// What a call that was killed has left: ffmpeg may still write to it, so each call has a file of its own.
static void remove_leftovers(const char* folder, const char* stem) {
    DIR* all = opendir(folder);
    for (struct dirent* entry; all && (entry = readdir(all)) != NULL;) {
        char   path[SHOAL_PATH_SIZE];
        size_t length = strlen(stem);
        if (strncmp(entry->d_name, stem, length) != 0 || entry->d_name[length] != '.') continue;
        char* end = NULL;
        long  of  = strtol(entry->d_name + length + 1, &end, 10);
        if (of <= 0 || strcmp(end, ".tmp") != 0 || kill((pid_t)of, 0) == 0 || errno != ESRCH) continue;
        if (shoal_path_make(path, "%s/%s", folder, entry->d_name) == SHOAL_OK) remove(path);
    }
    if (all) closedir(all);
}

static shoal_status make_film(film_run_job* f, char path[SHOAL_FILM_PATH_SIZE]) {
    char       stem[SHOAL_PATH_SIZE], aside[SHOAL_PATH_SIZE], mark[SHOAL_PATH_SIZE];
    int        format;
    shoal_text now = {0};
    SHOAL_TRY(find_format(f->def->format, &format));
    SHOAL_TRY(shoal_path_make(stem, "%s.%s", f->name, formats[format].name));
    SHOAL_TRY(shoal_path_make(path, "%s/%s", f->source.folder, stem));
    SHOAL_TRY(shoal_path_make(aside, "%s.%ld.tmp", path, (long)getpid()));
    remove_leftovers(f->source.folder, stem);
    SHOAL_TRY(shoal_path_make(mark, "%s/pictures/%s.%s.film", f->source.folder, f->name, formats[format].name));
    describe(f, format, &now);
    shoal_status status = now.failed ? SHOAL_ERR_MEMORY : SHOAL_OK;
    if (status == SHOAL_OK && !is_current(f, path, mark, &now)) {
        status = encode(f, format, aside);
        if (status == SHOAL_OK && rename(aside, path) != 0)
            status = shoal_fail(SHOAL_ERR_OUTPUT, "%s: %s", path, strerror(errno));
        if (status == SHOAL_OK) status = shoal_file_write(mark, now.bytes, now.length);
        if (status != SHOAL_OK) remove(aside);
    }
    shoal_text_free(&now);
    return status;
}

shoal_status shoal_film_encode(const shoal_film_def* def, const char* folder, char path[SHOAL_FILM_PATH_SIZE]) {
    film_run_job f;
    shoal_status status = film_run_open(&f, def, folder);
    if (status == SHOAL_OK) status = make_film(&f, path);
    film_run_close(&f);
    return status;
}
