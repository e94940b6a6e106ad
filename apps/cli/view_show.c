// SPDX-License-Identifier: MIT
// What is shown: a simulation that steps on a thread of its own while its last frame is drawn, or the frames of a run;
// time, keys and the overlay.
#include "view_local.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// --- the thread

static void* step_life(void* user) {
    view_stepper* s = user;
    pthread_mutex_lock(&s->mutex);
    while (!s->is_ending) {
        if (!s->is_asked) {
            pthread_cond_wait(&s->changed, &s->mutex);
            continue;
        }
        pthread_mutex_unlock(&s->mutex);
        double       began  = cli_seconds();
        shoal_status status = shoal_sim_advance(s->sim, s->seconds);
        double       took   = cli_seconds() - began;
        pthread_mutex_lock(&s->mutex);
        s->took   = took;
        s->status = status;
        if (status != SHOAL_OK) snprintf(s->error, sizeof s->error, "%s", shoal_last_error());
        s->is_asked = false;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

static bool must_end(void* user) {
    view_stepper* s = user;
    pthread_mutex_lock(&s->mutex);
    bool is_ending = s->is_ending;
    pthread_mutex_unlock(&s->mutex);
    return is_ending || cli_should_stop(NULL);
}

static bool is_busy(view_stepper* s) {
    pthread_mutex_lock(&s->mutex);
    bool busy = s->is_asked;
    pthread_mutex_unlock(&s->mutex);
    return busy;
}

static void ask(view* v) {
    pthread_mutex_lock(&v->step.mutex);
    v->step.is_asked = true;
    pthread_cond_broadcast(&v->step.changed);
    pthread_mutex_unlock(&v->step.mutex);
    v->is_under_way = true;
}

static void wait_idle(view_stepper* s) {
    pthread_mutex_lock(&s->mutex);
    while (s->is_asked) pthread_cond_wait(&s->changed, &s->mutex);
    pthread_mutex_unlock(&s->mutex);
}

static void stop_thread(view_stepper* s) {
    if (!s->is_started) return;
    pthread_mutex_lock(&s->mutex);
    s->is_ending = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    pthread_join(s->thread, NULL);
    s->is_started = false;
}

// --- opening and closing

void view_say(view* v, const char* format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(v->said, sizeof v->said, format, list);
    va_end(list);
    v->has_changed = true;
}

static shoal_status open_live(view* v, const view_def* def) {
    shoal_status status = shoal_screen_create(&def->screen, def->scene, &v->screen);
    if (status == SHOAL_OK) status = shoal_sim_create(&def->sim, def->scene, &v->step.sim);
    if (status == SHOAL_OK && def->checkpoint) status = shoal_run_checkpoint(def->checkpoint, v->step.sim);
    if (status != SHOAL_OK) return status;
    v->is_live      = true;
    v->fps          = shoal_screen_fps(v->screen);
    v->step.seconds = 1.0 / v->fps;
    v->first_frame  = (int)lround(shoal_sim_time(v->step.sim) * v->fps);
    shoal_sim_material(v->step.sim, 0, &v->spacing);
    for (const shoal_param_block* b = shoal_param_blocks(); b->name; b++)
        if (strcmp(b->name, shoal_sim_solver(v->step.sim)) == 0) v->params = b->params;
    while (v->params && v->params[v->param_count].name) v->param_count++;
    v->sliders    = calloc((size_t)v->param_count + 1, sizeof *v->sliders);
    v->stat_count = shoal_sim_stat_count(v->step.sim);
    v->stats      = calloc((size_t)v->stat_count + 1, sizeof *v->stats);
    if (!v->sliders || !v->stats) return SHOAL_ERR_MEMORY;
    shoal_sim_set_stop(v->step.sim, must_end, &v->step);
    view_read_params(v);
    int error = pthread_create(&v->step.thread, NULL, step_life, &v->step);
    if (error != 0) {
        fprintf(stderr, "shoal view: no thread for the simulation: %s\n", strerror(error));
        return SHOAL_ERR_INTERNAL;
    }
    v->step.is_started = true;
    return shoal_screen_take(v->screen, v->step.sim);
}

static shoal_status open_run(view* v, const view_def* def) {
    shoal_status status = shoal_screen_open(&def->screen, def->folder, &v->screen);
    if (status != SHOAL_OK) return status;
    v->fps         = shoal_screen_fps(v->screen);
    v->frame_count = shoal_screen_frame_count(v->screen);
    return shoal_screen_load(v->screen, 0);
}

static const char* const draws[] = {"surface", "metaballs", "ellipsoids", "spheres", NULL};

shoal_status view_open(const view_def* def, view** out) {
    view* v = calloc(1, sizeof *v);
    *out    = v;
    if (!v) return SHOAL_ERR_MEMORY;
    snprintf(v->name, sizeof v->name, "%s", def->name);
    snprintf(v->folder, sizeof v->folder, "%s", def->output ? def->output : "."); // cli_view has looked at its length
    pthread_mutex_init(&v->step.mutex, NULL);
    pthread_cond_init(&v->step.changed, NULL);
    v->speed            = 1.0;
    v->is_playing       = true;
    v->has_overlay      = true;
    v->loops            = true;
    v->is_frame_new     = true;
    v->pulled           = -1;
    shoal_status status = def->scene ? open_live(v, def) : open_run(v, def);
    const char*  as     = status == SHOAL_OK ? shoal_screen_drawn_as(v->screen) : draws[0];
    while (draws[v->draw + 1] && strcmp(draws[v->draw], as) != 0) v->draw++;
    v->color = -1;
    return status;
}

// What a hand has done to the simulation: its states are others than those of `shoal run`.
static void tell_touches(const view* v) {
    enum { KINDS_MOST = 16 };
    const char* names[KINDS_MOST];
    int64_t     counts[KINDS_MOST];
    int         kinds      = v->step.sim ? shoal_sim_touches(v->step.sim, names, counts, KINDS_MOST) : 0;
    bool        is_touched = false;
    for (int k = 0; k < kinds && k < KINDS_MOST; k++) {
        if (counts[k] == 0) continue;
        fprintf(stderr, "%s%s %lld", is_touched ? ", " : "touched by hand: ", names[k], (long long)counts[k]);
        is_touched = true;
    }
    if (is_touched) fputc('\n', stderr);
}

void view_close(view* v) {
    if (!v) return;
    if (v->is_recording) {
        view_record(v); // ends it, with its film
        fprintf(stderr, "%s\n", v->said);
    }
    stop_thread(&v->step);
    tell_touches(v);
    shoal_sim_destroy(v->step.sim);
    shoal_screen_destroy(v->screen);
    pthread_cond_destroy(&v->step.changed);
    pthread_mutex_destroy(&v->step.mutex);
    free(v->stats);
    free(v->sliders);
    free(v);
}

bool view_is_over(const view* v) { return v->is_over; }

bool view_is_still(const view* v) {
    return !v->is_playing && !v->is_under_way && v->grip == GRIP_NONE && v->param_change == 0 && v->pulled < 0;
}

bool view_has_news(const view* v) { return v->is_frame_new || v->has_changed; }

bool view_is_recording(const view* v) { return v->is_recording; }
bool view_wants_picture(const view* v) { return v->wants_picture; }

const char* view_error(const view* v) { return v->error; }

uint64_t view_hash(const view* v) { return v->is_live ? shoal_sim_hash(v->step.sim) : 0; }

// --- time

static shoal_status take_frame(view* v) {
    v->is_under_way = false;
    v->took         = v->step.took;
    v->has_changed  = true;
    if (v->step.status == SHOAL_ERR_INTERRUPTED) return SHOAL_OK; // who asked for it ends, too
    if (v->step.status != SHOAL_OK) {
        v->is_playing = false;
        snprintf(v->error, sizeof v->error, "%s", v->step.error);
        view_say(v, "%.300s", v->step.error);
        return SHOAL_OK; // the last good state stays in view
    }
    v->frame++;
    v->is_frame_new = true;
    v->error[0]     = 0;
    view_read_params(v);
    v->stage_count = shoal_sim_stages(v->step.sim, v->stages, VIEW_STAGES_MOST);
    v->stage_count = v->stage_count < VIEW_STAGES_MOST ? v->stage_count : VIEW_STAGES_MOST;
    shoal_sim_stages_reset(v->step.sim);
    if (v->has_stats) shoal_sim_stats(v->step.sim, v->stats);
    return shoal_screen_take(v->screen, v->step.sim);
}

static shoal_status tick_live(view* v, double seconds) {
    double frame = v->step.seconds;
    v->due       = fmin(v->due + (v->is_playing ? seconds * v->speed : 0.0), 2.0 * frame); // slower, never behind
    if (is_busy(&v->step)) return SHOAL_OK;
    shoal_status status = v->is_under_way ? take_frame(v) : SHOAL_OK;
    if (v->grip == GRIP_REACH) view_grip_reached(v);
    if ((v->param_change != 0 || v->pulled >= 0) && v->params) view_slide(v);
    if (!v->is_playing || v->due < frame) return status;
    v->due -= frame;
    view_touch(v);
    ask(v);
    return status;
}

// A frame of a run on disk; a damaged one is told, and the one before stays.
static shoal_status show_frame(view* v) {
    v->has_changed      = true;
    v->error[0]         = 0;
    shoal_status status = shoal_screen_load(v->screen, v->frame);
    if (status == SHOAL_ERR_MEMORY) return status;
    v->is_frame_new = status == SHOAL_OK;
    if (status != SHOAL_OK) {
        snprintf(v->error, sizeof v->error, "%s", shoal_last_error());
        view_say(v, "%.300s", v->error);
    }
    return SHOAL_OK;
}

static shoal_status tick_run(view* v, double seconds) {
    int frame = v->frame;
    v->due += v->is_playing ? seconds * v->speed : 0.0;
    while (v->due >= 1.0 / v->fps) {
        v->due -= 1.0 / v->fps;
        frame++;
        if (v->is_recording) { // every frame, however slowly
            v->due = 0.0;
            break;
        }
    }
    if (frame >= v->frame_count) {
        frame         = v->loops ? frame % v->frame_count : v->frame_count - 1;
        v->is_playing = v->loops;
    }
    if (frame == v->frame) return SHOAL_OK;
    v->frame = frame;
    return show_frame(v);
}

shoal_status view_tick(view* v, double seconds) { return v->is_live ? tick_live(v, seconds) : tick_run(v, seconds); }

shoal_status view_seek(view* v, int index, bool* is_there) {
    *is_there     = true;
    v->is_playing = false;
    if (!v->is_live) {
        *is_there = index >= 0 && index < v->frame_count;
        v->frame  = *is_there ? index : v->frame;
        return *is_there ? show_frame(v) : SHOAL_OK;
    }
    while (v->frame < index) {
        ask(v);
        wait_idle(&v->step);
        shoal_status status = take_frame(v);
        if (v->step.status != SHOAL_OK) return v->step.status;
        if (status != SHOAL_OK) return status;
    }
    return SHOAL_OK;
}

// --- keys

static void scrub(view* v, int by) {
    bool is_there;
    int  to       = v->frame + by;
    v->is_playing = false;
    if (v->is_live && by == 1 && !v->is_under_way) {
        view_touch(v);
        ask(v);
    }
    if (v->is_live) return;
    if (view_seek(v, to < 0 ? 0 : to >= v->frame_count ? v->frame_count - 1 : to, &is_there) != SHOAL_OK)
        view_say(v, "%.300s", shoal_last_error());
}

static void next_color(view* v) {
    const char* const* fields = shoal_screen_fields(v->screen);
    const char*        name   = v->color < 0 ? fields[0] : fields[v->color] ? fields[v->color + 1] : NULL;
    v->color                  = name ? v->color + 1 : -1;
    char own[64];
    snprintf(own, sizeof own, "%s", name ? name : "");
    if (shoal_screen_set_color(v->screen, name ? own : NULL) != SHOAL_OK) view_say(v, "%.300s", shoal_last_error());
}

static void next_draw(view* v) {
    int next = draws[v->draw + 1] ? v->draw + 1 : 0;
    if (shoal_screen_set_draw(v->screen, draws[next]) != SHOAL_OK) {
        view_say(v, "%.300s", shoal_last_error());
        return;
    }
    v->draw = next;
    view_say(v, "drawn as %s", draws[next]);
}

static void choose_param(view* v, int by) {
    v->param        = (v->param + by) % v->param_count;
    v->param_change = 0;
}

// Those of the frame that is shown; while a step is under way they come with the next.
static void toggle_stats(view* v) {
    v->has_stats = v->is_live && !v->has_stats;
    for (int k = 0; v->has_stats && k < v->stat_count; k++) v->stats[k] = (double)NAN;
    if (v->has_stats && !v->is_under_way) shoal_sim_stats(v->step.sim, v->stats);
}

static void set_speed(view* v, double speed) {
    v->speed = fmax(1.0 / 64.0, fmin(8.0, speed));
    view_say(v, "speed %g", v->speed);
}

static void toggle_loop(view* v) {
    v->loops = !v->loops;
    view_say(v, v->loops ? "begins anew at its end" : "stops at its end");
}

bool view_key(view* v, const char* key) {
    v->said[0]     = 0;
    v->has_changed = true;
    if (strcmp(key, "space") == 0)
        v->is_playing = !v->is_playing;
    else if (strcmp(key, "right") == 0 || strcmp(key, ".") == 0)
        scrub(v, 1);
    else if (strcmp(key, "left") == 0 || strcmp(key, ",") == 0)
        scrub(v, -1);
    else if (strcmp(key, "home") == 0)
        scrub(v, -v->frame);
    else if (strcmp(key, "end") == 0)
        scrub(v, v->frame_count - 1 - v->frame);
    else if (strcmp(key, "up") == 0)
        set_speed(v, 2.0 * v->speed);
    else if (strcmp(key, "down") == 0)
        set_speed(v, 0.5 * v->speed);
    else if (strcmp(key, "l") == 0)
        toggle_loop(v);
    else if (strcmp(key, "c") == 0)
        next_color(v);
    else if (strcmp(key, "d") == 0)
        next_draw(v);
    else if (strcmp(key, "o") == 0)
        v->has_overlay = !v->has_overlay;
    else if (strcmp(key, "h") == 0)
        v->has_help = !v->has_help;
    else if (strcmp(key, "s") == 0)
        v->has_sliders = v->is_live && !v->has_sliders;
    else if (strcmp(key, "t") == 0)
        toggle_stats(v);
    else if (strcmp(key, "k") == 0)
        view_write_camera(v);
    else if (strcmp(key, "0") == 0)
        v->has_eye = false; // back to the scene's
    else if (strcmp(key, "p") == 0)
        v->wants_picture = true; // the next one
    else if (strcmp(key, "r") == 0)
        view_record(v);
    else if (strcmp(key, "[") == 0 && v->param_count > 0)
        choose_param(v, v->param_count - 1);
    else if (strcmp(key, "]") == 0 && v->param_count > 0)
        choose_param(v, 1);
    else if (strcmp(key, "-") == 0 && v->param_count > 0)
        v->param_change--;
    else if ((strcmp(key, "=") == 0 || strcmp(key, "+") == 0) && v->param_count > 0)
        v->param_change++;
    else if (strcmp(key, "q") == 0 || strcmp(key, "escape") == 0)
        v->is_over = true;
    else
        return false;
    return true;
}

// --- the picture

int view_text_size(int height) { return height / 36 > 12 ? height / 36 : 12; }

// The last frame of the simulation by stages, those that took a hundredth of it or more.
static size_t stage_text(const view* v, char* text, size_t room) {
    size_t used = 0;
    for (int k = 0; k < v->stage_count; k++)
        if (v->stages[k].seconds > 0.01 * v->took)
            used += (size_t)snprintf(text + used, room - used, "%s%s %.0f", used ? "   " : "\n", v->stages[k].name,
                                     1e3 * v->stages[k].seconds);
    return used;
}

// Columns of stats.csv, three in a line.
static size_t stats_text(const view* v, char* text, size_t room) {
    size_t used = 0;
    for (int k = 0; v->has_stats && k < v->stat_count && used < room; k++)
        used += (size_t)snprintf(text + used, room - used, "%s%s %.4g", k % 3 ? "   " : "\n",
                                 shoal_sim_stat_name(v->step.sim, k), v->stats[k]);
    return used < room ? used : room - 1;
}

static void overlay_text(const view* v, char* text, size_t room) {
    double share = v->took > 0.0 ? v->step.seconds / v->took : 0.0; // of real time
    size_t used  = (size_t)snprintf(text, room, "%s   t = %.3f s   frame %d", v->name, shoal_screen_time(v->screen),
                                    v->first_frame + v->frame);
    if (!v->is_live) used += (size_t)snprintf(text + used, room - used, " of %d", v->first_frame + v->frame_count - 1);
    used += (size_t)snprintf(text + used, room - used, "\n%lld particles   drawn in %.0f ms",
                             (long long)shoal_screen_count(v->screen), v->drawn_ms);
    if (v->rate > 0.0) used += (size_t)snprintf(text + used, room - used, ", %.3g a second", v->rate);
    if (v->took > 0.0) used += (size_t)snprintf(text + used, room - used, "   simulated in %.0f ms", 1e3 * v->took);
    used += stage_text(v, text + used, room - used);
    used += stats_text(v, text + used, room - used);
    if (v->is_live && v->is_playing && share > 0.0 && share < v->speed)
        used += (size_t)snprintf(text + used, room - used, "\ntime runs at %.2f of real time, %g is asked for", share,
                                 v->speed);
    if (!v->is_playing) used += (size_t)snprintf(text + used, room - used, "\npaused");
    if (v->is_recording) snprintf(text + used, room - used, "\nrecording: %d", v->recorded);
    used = strlen(text);
    if (v->is_live && v->param_count > 0) view_param_text(v, text + used, room - used);
    used = strlen(text);
    if (v->said[0]) used += (size_t)snprintf(text + used, room - used, "\n%s", v->said);
    if (v->picked[0]) used += (size_t)snprintf(text + used, room - used, "\n\n%s", v->picked);
    if (v->has_help)
        snprintf(text + used, room - used,
                 "\n\nspace pause   left right step   up down speed   l loop\n"
                 "drag turn   right drag shift   wheel near   0 first view   k camera file\n"
                 "c colour by field   d how liquids are drawn   p picture   r record\n"
                 "shift drag: obstacles   ctrl: pour, with alt the second material\n"
                 "s sliders   t stats   [ ] - + parameters   o overlay   h keys   q end");
    else
        snprintf(text + used, room - used, "%sh: keys", v->picked[0] ? "\n" : "   ");
}

// Lines of more letters than that are broken at a space.
static void break_lines(char* text, int most) {
    char *begin = text, *space = NULL;
    for (char* at = text; *at; at++) {
        if (*at == '\n') begin = at + 1, space = NULL;
        if (*at == ' ') space = at;
        if (at - begin < most || !space) continue;
        *space = '\n';
        begin  = space + 1;
        space  = NULL;
    }
}

shoal_status view_draw(view* v, int width, int height, uint8_t* pixels) {
    char   text[VIEW_TEXT_ROOM];
    double began = cli_seconds();
    // pictures a second, as a mean that forgets within some ten of them
    if (v->drawn_at > 0.0 && began > v->drawn_at)
        v->rate = v->rate > 0.0 ? 0.9 * v->rate + 0.1 / (began - v->drawn_at) : 1.0 / (began - v->drawn_at);
    v->drawn_at = began;
    if (!v->has_eye) view_take_eye(v, (double)width / height);
    shoal_status status = shoal_screen_draw(v->screen, &v->eye, width, height, pixels);
    v->drawn_ms         = 1e3 * (cli_seconds() - began);
    if (status == SHOAL_ERR_INPUT && !v->is_live) { // a frame that cannot be drawn is told; the others can
        snprintf(v->error, sizeof v->error, "%s", shoal_last_error());
        view_say(v, "frame %d: %.280s", v->frame, v->error);
        memset(pixels, 24, (size_t)width * (size_t)height * 3);
    } else if (status != SHOAL_OK) {
        return status;
    } else {
        view_keep_picture(v, width, height, pixels);
    }
    v->is_frame_new = v->has_changed = false;
    if (!v->has_overlay) return SHOAL_OK;
    overlay_text(v, text, sizeof text);
    int          size   = view_text_size(height);
    const double letter = 0.45; // mean width of one, of a line's height
    break_lines(text, (int)((view_slider_left(v, width, height) - 2 * size) / (letter * size)));
    status = shoal_screen_write(pixels, width, height, size / 2, size / 2, size, text);
    return status == SHOAL_OK && v->has_sliders ? view_draw_sliders(v, width, height, pixels) : status;
}
