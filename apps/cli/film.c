// SPDX-License-Identifier: MIT
// shoal film: a scene into a film. Whatever of it is missing is made: frames, pictures, the film.
#include "shoal/film.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct film_job {
    cli_progress progress;
    char         name[CLI_FOLDER_SIZE]; // of the pictures, as the first one tells it
    int          made, reused;
    // how long a picture takes, of one that is drawn while the run is young
    const shoal_render_def* pictures;
    double                  each; // s; 0: not known
    int                     tries;
} film_job;

// --- how long it takes

// A picture on trial is worth its time only before many others. Frames are written beside the
// simulation, so the one before the last is tried, and again when it is not there yet.
static double seconds_after(const shoal_progress* p, cli_progress* progress) {
    enum { MANY = 20, TRIES = 4 };
    film_job* f     = (film_job*)progress; // its first member
    int       count = p->frame_last - p->frame_first + 1;
    if (f->each == 0.0 && count >= MANY && f->tries < TRIES && p->frame > p->frame_first) {
        shoal_render_image* image = NULL;
        double              begun = cli_seconds();
        f->tries++;
        if (shoal_render_frame(f->pictures, progress->folder, p->frame - 1, &image) == SHOAL_OK)
            f->each = cli_seconds() - begun;
        shoal_render_image_destroy(image);
    }
    return f->each * count;
}

// --- pictures

// NAME of DIR/pictures/NAME_000123.png
static void take_name(film_job* f, const char* file) {
    const char* slash = strrchr(file, '/');
    const char* from  = slash ? slash + 1 : file;
    const char* end   = strrchr(from, '_');
    snprintf(f->name, sizeof f->name, "%.*s", (int)(end ? end - from : 0), from);
}

static void on_picture(const shoal_render_row* row, void* user) {
    film_job* f = user;
    f->made += !row->was_there;
    f->reused += row->was_there;
    take_name(f, row->file);
    if (f->progress.voice == VOICE_JSON) cli_picture_json(row);
}

static void on_render(const shoal_render_progress* p, void* user) {
    film_job* f = user;
    char      picture[32], all[32];
    if (f->progress.voice == VOICE_QUIET || f->progress.voice == VOICE_JSON) return;
    bool is_terminal = f->progress.voice == VOICE_TERMINAL;
    if (!is_terminal && p->part < 1.0) return; // a line for each picture is enough
    cli_clock_text(p->seconds_left_picture, picture, sizeof picture);
    cli_clock_text(p->seconds_left, all, sizeof all);
    if (is_terminal)
        printf("\r\033[Kpicture %d/%d  frame %d: %.0f %%, %s left  film: %s left", p->index + 1, p->count, p->frame,
               100.0 * p->part, picture, all);
    else
        printf("picture %d/%d  frame %d  film: %s left\n", p->index + 1, p->count, p->frame, all);
    f->progress.has_line = is_terminal;
    fflush(stdout);
}

static void on_fault(const char* message, void* user) {
    film_job* f = user;
    cli_progress_end_line(&f->progress);
    if (f->progress.voice == VOICE_JSON) {
        cli_json_error(message);
    } else {
        fprintf(stderr, "%s\n", message);
    }
}

// --- the film

static void on_encode(int done, int count, double seconds_left, void* user) {
    film_job* f = user;
    char      left[32];
    if (f->progress.voice != VOICE_TERMINAL) return;
    cli_clock_text(seconds_left, left, sizeof left);
    printf("\r\033[Kfilm: picture %d/%d, %s left", done, count, left);
    f->progress.has_line = true;
    fflush(stdout);
}

static void tell_file(film_job* f, const char* event, const char* path) {
    cli_progress_end_line(&f->progress);
    if (f->progress.voice == VOICE_JSON) {
        printf("{\"event\":\"%s\",\"file\":", event);
        cli_json_text(stdout, path);
        printf("}\n");
    } else if (f->progress.voice != VOICE_QUIET && strcmp(event, "film") != 0) { // that is reported at the end
        printf("%s\n", path);
    }
}

static shoal_status encode(film_job* f, shoal_film_def* def) {
    char path[SHOAL_FILM_PATH_SIZE];
    def->name           = f->name;
    def->progress       = on_encode;
    def->stop           = cli_should_stop;
    def->user           = f;
    shoal_status status = shoal_film_sheet(def, f->progress.folder, path);
    if (status != SHOAL_OK) return status;
    tell_file(f, "sheet", path);
    status = shoal_film_encode(def, f->progress.folder, path);
    if (status != SHOAL_OK) return status;
    tell_file(f, "film", path);
    snprintf(f->progress.result, sizeof f->progress.result, "%s", path);
    return SHOAL_OK;
}

// A frame that could not be drawn is missing in the film, and decides the exit code.
static shoal_status make_film(film_job* f, shoal_render_def* pictures, shoal_film_def* film) {
    pictures->done     = on_picture;
    pictures->progress = on_render;
    pictures->fault    = on_fault;
    pictures->stop     = cli_should_stop;
    pictures->user     = f;
    shoal_status drawn = shoal_render_run(pictures, f->progress.folder);
    cli_progress_end_line(&f->progress);
    if (drawn == SHOAL_ERR_INTERRUPTED) return drawn;
    if (drawn != SHOAL_OK) cli_progress_error(&f->progress, drawn);
    if (f->made + f->reused == 0) return drawn;
    shoal_status encoded = encode(f, film);
    cli_progress_end_line(&f->progress);
    if (encoded != SHOAL_OK && encoded != SHOAL_ERR_INTERRUPTED) cli_progress_error(&f->progress, encoded);
    return encoded != SHOAL_OK ? encoded : drawn;
}

static bool holds_run(const shoal_run_def* def, const char* scene_path) {
    char folder[CLI_FOLDER_SIZE], path[CLI_FOLDER_SIZE + 16];
    shoal_run_folder(def, scene_path, folder, sizeof folder);
    snprintf(path, sizeof path, "%s/run.json", folder);
    return access(path, F_OK) == 0;
}

static int format_wrong(const char* format) {
    const char* near = shoal_nearest_word(format, shoal_film_formats());
    return cli_usage("film", "unknown format %.40s (mp4, webm or gif)%s%s%s", format, near ? "; did you mean " : "",
                     near ? near : "", near ? "?" : "");
}

int cli_film(const cli_args* args) {
    shoal_run_def    run      = shoal_run_def_default();
    shoal_render_def pictures = shoal_render_def_default();
    shoal_film_def   film     = shoal_film_def_default();
    bool             is_known = false;
    int              code     = cli_run_options("film", args, &run);
    if (code == CLI_DONE) code = cli_picture_options("film", args, &pictures);
    if (code != CLI_DONE) return code;
    if (args->options[CLI_OPTION_TO]) film.format = args->options[CLI_OPTION_TO];
    for (const char* const* f = shoal_film_formats(); *f; f++) is_known |= strcmp(*f, film.format) == 0;
    if (!is_known) return format_wrong(film.format);

    film_job* f = calloc(1, sizeof *f);
    if (!f) return CLI_INTERNAL;
    double begun = cli_seconds();
    run.force    = args->options[CLI_OPTION_FORCE] != NULL;
    run.resume   = !run.force && holds_run(&run, args->words[0]);
    // some of the frames that are simulated; N alone is all up to it
    const char* frames = args->options[CLI_OPTION_FRAMES];
    pictures.frames = film.frames = frames && strpbrk(frames, ":,") ? frames : NULL;
    pictures.first = film.first = run.first;
    pictures.last = film.last = run.last;
    film.threads              = pictures.threads;
    cli_progress_begin(&f->progress, args, "");
    f->progress.seconds_after = seconds_after;
    f->pictures               = &pictures;
    pictures.stop             = cli_should_stop;
    shoal_status status       = cli_run_scene(&f->progress, args, &run);
    if (status == SHOAL_OK) status = make_film(f, &pictures, &film);
    f->progress.last.seconds_spent = cli_seconds() - begun;
    code                           = cli_progress_end(&f->progress, args, status);
    free(f);
    return code;
}
