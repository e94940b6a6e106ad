// SPDX-License-Identifier: MIT
// What is shown: a simulation that steps on a thread of its own (view_step.c) while its last frame is drawn, or the
// frames of a run; time, keys and the overlay.
#include "view_local.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// --- opening and closing

void view_say(view* v, const char* format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(v->said, sizeof v->said, format, list);
    va_end(list);
    v->has_changed = true;
}

// What hands have done to the simulation: its states are others than those of an untouched run.
static void read_touches(view* v) {
    enum { KINDS_MOST = 16 };
    const char* names[KINDS_MOST];
    int64_t     counts[KINDS_MOST];
    int         kinds = shoal_sim_touches(v->step.sim, names, counts, KINDS_MOST);
    size_t      used  = 0;
    v->touched[0]     = 0;
    for (int k = 0; k < kinds && k < KINDS_MOST && used < sizeof v->touched; k++)
        if (counts[k] > 0)
            used += (size_t)snprintf(v->touched + used, sizeof v->touched - used, "%s%s %lld", used ? ", " : "",
                                     names[k], (long long)counts[k]);
}

static shoal_status open_live(view* v, const view_def* def) {
    shoal_status status = shoal_screen_create(&def->screen, def->scene, &v->screen);
    if (status == SHOAL_OK) status = view_step_begin(&v->step, def);
    if (status != SHOAL_OK) return status;
    v->is_live      = true;
    v->fps          = shoal_screen_fps(v->screen);
    v->step.seconds = 1.0 / v->fps;
    v->first_frame  = (int)floor(shoal_sim_time(v->step.sim) * v->fps + 1e-6); // the last whole one
    shoal_sim_material(v->step.sim, 0, &v->spacing);
    for (const shoal_param_block* b = shoal_param_blocks(); b->name; b++)
        if (strcmp(b->name, shoal_sim_solver(v->step.sim)) == 0) v->params = b->params;
    while (v->params && v->params[v->param_count].name) v->param_count++;
    v->sliders = calloc((size_t)v->param_count + 1, sizeof *v->sliders);
    if (!v->sliders) return SHOAL_ERR_MEMORY;
    view_read_params(v);
    read_touches(v);
    return shoal_screen_take(v->screen, v->step.sim);
}

static shoal_status open_run(view* v, const view_def* def) {
    shoal_status status = shoal_screen_open(&def->screen, def->folder, &v->screen);
    if (status != SHOAL_OK) return status;
    v->fps         = shoal_screen_fps(v->screen);
    v->frame_count = shoal_screen_frame_count(v->screen);
    v->looked_at   = cli_seconds();
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

int view_fail(view* v, shoal_status status) {
    if (!v || !v->step.error[0]) return cli_fail(status);
    fprintf(stderr, "%s\n", v->step.error);
    v->step.error[0] = 0; // it is said
    return cli_exit_code(status);
}

shoal_status view_close(view* v) {
    if (!v) return SHOAL_OK;
    if (v->is_recording) {
        view_record(v); // ends it, with its film
        fprintf(stderr, "%s\n", v->said);
    }
    if (v->touched[0]) fprintf(stderr, "touched by hand: %s\n", v->touched);
    shoal_status status = view_step_end(&v->step);
    shoal_sim_destroy(v->step.sim);
    shoal_screen_destroy(v->screen);
    pthread_cond_destroy(&v->step.changed);
    pthread_mutex_destroy(&v->step.mutex);
    free(v->sliders);
    free(v);
    return status;
}

bool view_is_over(const view* v) { return v->is_over; }

bool view_is_still(const view* v) {
    return !v->is_playing && !v->is_under_way && v->drag_kind == DRAG_NONE && v->param_change == 0 && v->pulled < 0;
}

// A frame that takes long to be made into splats waits for twice as long while the eye moves, which sees the one before
// meanwhile. A film and a picture that is asked for have the last frame.
static bool frame_waits(const view* v) {
    double now = cli_seconds();
    return v->is_frame_new && !v->is_recording && !v->wants_picture && now < v->moves_until &&
           now < v->made_at + 2.0 * v->made_took;
}

bool view_has_news(const view* v) { return v->has_changed || (v->is_frame_new && !frame_waits(v)); }

bool view_is_recording(const view* v) { return v->is_recording; }
bool view_wants_picture(const view* v) { return v->wants_picture; }

const char* view_error(const view* v) { return v->error; }

int view_number(const view* v, int index) {
    return v->is_live ? v->first_frame + index : shoal_screen_frame_number(v->screen, index);
}

uint64_t view_hash(const view* v) { return v->step.sim ? shoal_sim_hash(v->step.sim) : 0; }

// --- time

// Columns of stats.csv, three in a line.
static void read_stats(view* v) {
    int     count  = shoal_sim_stat_count(v->step.sim);
    double* values = calloc((size_t)count + 1, sizeof *values);
    size_t  used   = 0;
    v->stats[0]    = 0;
    if (values) shoal_sim_stats(v->step.sim, values);
    for (int k = 0; values && k < count && used < sizeof v->stats; k++)
        used += (size_t)snprintf(v->stats + used, sizeof v->stats - used, "%s%s %.4g", k % 3 ? "   " : "\n",
                                 shoal_sim_stat_name(v->step.sim, k), values[k]);
    free(values);
}

// Those of the last frame: the simulation, and run.json of one that is kept, count them from its start.
static void read_stages(view* v) {
    shoal_stage_time all[VIEW_STAGES_MOST];
    int              count = shoal_sim_stages(v->step.sim, all, VIEW_STAGES_MOST);
    v->stage_count         = count < VIEW_STAGES_MOST ? count : VIEW_STAGES_MOST;
    for (int k = 0; k < v->stage_count; k++) {
        v->stages[k]        = (shoal_stage_time){all[k].name, all[k].seconds - v->stages_before[k]};
        v->stages_before[k] = all[k].seconds;
    }
}

static shoal_status take_frame(view* v) {
    v->is_under_way = false;
    v->took         = v->step.took;
    if (v->step.status == SHOAL_ERR_INTERRUPTED) return SHOAL_OK; // the caller that asked for it ends, too
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
    read_stages(v);
    if (v->has_stats) read_stats(v);
    return shoal_screen_take(v->screen, v->step.sim);
}

// Asks for the next frame, with what a hand does ahead of it.
static void ask(view* v) {
    view_touch(v);
    read_touches(v);
    view_step_ask(&v->step);
    v->is_under_way = true;
}

static shoal_status tick_live(view* v, double seconds) {
    double frame = v->step.seconds;
    v->due       = fmin(v->due + (v->is_playing ? seconds * v->speed : 0.0), 2.0 * frame); // slower, never behind
    if (view_step_is_busy(&v->step)) return SHOAL_OK;
    v->is_over |= v->step.has_ended; // the run that keeps it went wrong: reported when it is closed
    if (v->step.has_ended) return SHOAL_OK;
    shoal_status status = v->is_under_way ? take_frame(v) : SHOAL_OK;
    if (v->drag_kind == DRAG_REACH) view_drag_reached(v);
    if ((v->param_change != 0 || v->pulled >= 0) && v->params) view_slide(v);
    read_touches(v);
    if (!v->is_playing || v->due < frame) return status;
    v->due -= frame;
    ask(v);
    return status;
}

// A frame of a run on disk; a damaged one is reported, and the one before stays.
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

// A run that is still being written has more of them than it had.
static void check_for_frames(view* v) {
    v->looked_at = cli_seconds();
    if (shoal_screen_refresh(v->screen) != SHOAL_OK) return; // those there were
    int count = shoal_screen_frame_count(v->screen);
    v->has_changed |= count != v->frame_count;
    v->frame_count = count;
    if (v->frame >= count) v->frame = count - 1;
}

static shoal_status tick_run(view* v, double seconds) {
    const double while_watched = 1.0; // s
    if (cli_seconds() - v->looked_at > while_watched) check_for_frames(v);
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
        view_step_wait(&v->step);
        if (v->step.status != SHOAL_OK && v->step.has_ended) return v->step.status;
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
    if (v->is_live && by == 1 && !v->is_under_way) ask(v);
    if (v->is_live) return;
    if (view_seek(v, to < 0 ? 0 : to >= v->frame_count ? v->frame_count - 1 : to, &is_there) != SHOAL_OK)
        view_say(v, "%.300s", shoal_last_error());
}

static void scrub_to_end(view* v) {
    if (!v->is_live) check_for_frames(v);
    scrub(v, v->frame_count - 1 - v->frame);
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

static void toggle_meshes(view* v) {
    if (v->is_live)
        view_say(v, "meshes are those of a run on disk");
    else if (shoal_screen_set_meshes(v->screen, !v->has_meshes) != SHOAL_OK)
        view_say(v, "%.300s", shoal_last_error());
    else
        view_say(v, (v->has_meshes = !v->has_meshes) ? "meshes of shoal surface" : "particles");
}

static void choose_param(view* v, int by) {
    v->param        = (v->param + by) % v->param_count;
    v->param_change = 0;
}

// Those of the frame that is shown; while a step is under way they come with the next.
static void toggle_stats(view* v) {
    v->has_stats = v->is_live && !v->has_stats;
    v->stats[0]  = 0;
    if (v->has_stats && !v->is_under_way) read_stats(v);
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
        scrub_to_end(v);
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
    else if (strcmp(key, "m") == 0)
        toggle_meshes(v);
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

// More text at the end, as far as it fits.
__attribute__((format(printf, 3, 4))) static void add(char* text, size_t capacity, const char* format, ...) {
    size_t  used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, capacity - used, format, list);
    va_end(list);
}

// The last frame of the simulation by stages, those that took a hundredth of it or more.
static void add_stages(const view* v, char* text, size_t capacity) {
    const char* before = "\n";
    for (int k = 0; k < v->stage_count; k++) {
        if (!(v->stages[k].seconds > 0.01 * v->took)) continue;
        add(text, capacity, "%s%s %.0f", before, v->stages[k].name, 1e3 * v->stages[k].seconds);
        before = "   ";
    }
}

static void overlay_text(const view* v, char* text, size_t capacity) {
    double fraction = v->took > 0.0 ? v->step.seconds / v->took : 0.0; // of real time
    snprintf(text, capacity, "%s   t = %.3f s   frame %d", v->name, shoal_screen_time(v->screen),
             view_number(v, v->frame));
    if (!v->is_live) add(text, capacity, " of %d", view_number(v, v->frame_count - 1));
    add(text, capacity, "\n%lld particles   drawn in %.0f ms", (long long)shoal_screen_count(v->screen), v->drawn_ms);
    if (v->rate > 0.0) add(text, capacity, ", %.3g a second", v->rate);
    if (v->took > 0.0) add(text, capacity, "   simulated in %.0f ms", 1e3 * v->took);
    add_stages(v, text, capacity);
    add(text, capacity, "%s", v->stats);
    if (v->is_live && v->is_playing && fraction > 0.0 && fraction < v->speed)
        add(text, capacity, "\ntime runs at %.2f of real time, %g is asked for", fraction, v->speed);
    if (!v->is_playing) add(text, capacity, "\npaused");
    if (v->is_recording) add(text, capacity, "\nrecording: %d", v->recorded);
    size_t used = strlen(text);
    if (v->is_live && v->param_count > 0) view_param_text(v, text + used, capacity - used);
    if (v->said[0]) add(text, capacity, "\n%s", v->said);
    if (v->picked[0]) add(text, capacity, "\n\n%s", v->picked);
    add(text, capacity, "%s",
        !v->has_help ? v->picked[0] ? "\nh: keys" : "   h: keys"
                     : "\n\nspace pause   left right step   up down speed   l loop\n"
                       "drag turn   right drag shift   wheel near   0 first view   k camera file\n"
                       "c colour by field   d how liquids are drawn   m meshes   p picture   r record\n"
                       "shift drag: obstacles   ctrl: pour, with alt the second material\n"
                       "s sliders   t stats   [ ] - + parameters   o overlay   h keys   q end");
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
    char   text[VIEW_TEXT_SIZE];
    double began = cli_seconds();
    // pictures a second, as a mean that forgets within some ten of them
    if (v->drawn_at > 0.0 && began > v->drawn_at)
        v->rate = v->rate > 0.0 ? 0.9 * v->rate + 0.1 / (began - v->drawn_at) : 1.0 / (began - v->drawn_at);
    v->drawn_at = began;
    if (!v->has_eye) view_take_eye(v, (double)width / height);
    bool         is_before = frame_waits(v);
    shoal_status status    = is_before ? shoal_screen_redraw(v->screen, &v->eye, width, height, pixels)
                                       : shoal_screen_draw(v->screen, &v->eye, width, height, pixels);
    double       ended     = cli_seconds();
    v->drawn_ms            = 1e3 * (ended - began);
    if (is_before) v->moves_until = ended + VIEW_PAUSE; // a hand that moves it waits for the picture
    if (v->is_frame_new && !is_before) v->made_at = ended, v->made_took = ended - began;
    // a frame that cannot be drawn, or whose mesh cannot be opened, is reported; the others can
    if ((status == SHOAL_ERR_INPUT || status == SHOAL_ERR_FILE) && !v->is_live) {
        snprintf(v->error, sizeof v->error, "%s", shoal_last_error());
        view_say(v, "frame %d: %.280s", view_number(v, v->frame), v->error);
        memset(pixels, 24, (size_t)width * (size_t)height * 3);
    } else if (status != SHOAL_OK) {
        return status;
    } else {
        view_keep_picture(v, width, height, pixels);
    }
    v->is_frame_new &= is_before;
    v->has_changed = false;
    if (!v->has_overlay) return SHOAL_OK;
    overlay_text(v, text, sizeof text);
    int          size   = view_text_size(height);
    const double letter = 0.45; // mean width of one, of a line's height
    break_lines(text, (int)((view_slider_left(v, width, height) - 2 * size) / (letter * size)));
    status = shoal_screen_write(pixels, width, height, size / 2, size / 2, size, text);
    return status == SHOAL_OK && v->has_sliders ? view_draw_sliders(v, width, height, pixels) : status;
}
