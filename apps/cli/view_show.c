// SPDX-License-Identifier: MIT
// What is shown: a simulation that steps on a thread of its own while its last frame is drawn, or the frames of a run;
// an eye that goes round what it looks at; keys, and the hand of the user on obstacles, taps and parameters.
#include "view.h"

#include "shoal/film.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEGREE (3.14159265358979323846 / 180.0)
enum { TEXT_ROOM = 2048, POUR_MOST = 128 };

// The simulation on its thread: it is asked for one frame at a time, and touched only between them.
typedef struct stepper {
    shoal_sim*      sim;
    pthread_t       thread;
    pthread_mutex_t mutex;
    pthread_cond_t  changed;
    bool            is_started, is_asked, is_ending;
    double          seconds; // of a frame
    double          took;    // wall clock of the last one, s
    shoal_status    status;
    char            error[512];
} stepper;

typedef enum grip { GRIP_NONE, GRIP_TURN, GRIP_SHIFT, GRIP_OBSTACLE, GRIP_POUR } grip;

struct view {
    char                   folder[1024], name[256]; // of what is written
    shoal_screen*          screen;
    stepper                step;
    bool                   is_live, is_playing, is_over, has_overlay, has_help, loops;
    bool                   is_under_way; // a frame was asked for and not yet taken
    int                    frame, frame_count;
    double                 fps, speed, due; // due: seconds of the scene that the clock is ahead
    shoal_eye              eye;
    bool                   has_eye;
    double                 yaw, pitch, distance; // of the eye about eye.at, radians and m
    grip                   grip;
    view_mouse             mouse;      // as it was last seen
    char                   held[64];   // obstacle
    double                 held_at[3]; // where it was gripped, m
    double                 target[3];  // where that is to be
    shoal_pose             held_pose;  // of the obstacle then
    double                 spacing;    // m
    const shoal_param_def* params;     // of the solver
    int                    param, param_count, param_change, draw, color;
    char                   picked[TEXT_ROOM / 2], said[320];
    bool                   is_recording, is_frame_new;
    int                    recorded, saved;
    double                 drawn_ms, took; // took: the last frame of the simulation, s
};

// --- the thread

static void* step_life(void* user) {
    stepper* s = user;
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
    stepper* s = user;
    pthread_mutex_lock(&s->mutex);
    bool is_ending = s->is_ending;
    pthread_mutex_unlock(&s->mutex);
    return is_ending;
}

static bool is_busy(stepper* s) {
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

static void wait_idle(stepper* s) {
    pthread_mutex_lock(&s->mutex);
    while (s->is_asked) pthread_cond_wait(&s->changed, &s->mutex);
    pthread_mutex_unlock(&s->mutex);
}

static void stop_thread(stepper* s) {
    if (!s->is_started) return;
    pthread_mutex_lock(&s->mutex);
    s->is_ending = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    pthread_join(s->thread, NULL);
    s->is_started = false;
}

// --- opening and closing

static void say(view* v, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void say(view* v, const char* format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(v->said, sizeof v->said, format, list);
    va_end(list);
}

static shoal_status open_live(view* v, const view_def* def) {
    shoal_status status = shoal_screen_create(&def->screen, def->scene, &v->screen);
    if (status == SHOAL_OK) status = shoal_sim_create(&def->sim, def->scene, &v->step.sim);
    if (status != SHOAL_OK) return status;
    v->is_live      = true;
    v->fps          = shoal_screen_fps(v->screen);
    v->step.seconds = 1.0 / v->fps;
    shoal_sim_material(v->step.sim, 0, &v->spacing);
    for (const shoal_param_block* b = shoal_param_blocks(); b->name; b++)
        if (strcmp(b->name, shoal_sim_solver(v->step.sim)) == 0) v->params = b->params;
    while (v->params && v->params[v->param_count].name) v->param_count++;
    shoal_sim_set_stop(v->step.sim, must_end, &v->step);
    if (pthread_create(&v->step.thread, NULL, step_life, &v->step) != 0) return SHOAL_ERR_INTERNAL;
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

static const char* const draws[] = {"surface", "ellipsoids", "spheres", NULL};

shoal_status view_open(const view_def* def, view** out) {
    view* v = calloc(1, sizeof *v);
    *out    = v;
    if (!v) return SHOAL_ERR_MEMORY;
    snprintf(v->name, sizeof v->name, "%s", def->name);
    snprintf(v->folder, sizeof v->folder, "%s", def->output ? def->output : ".");
    pthread_mutex_init(&v->step.mutex, NULL);
    pthread_cond_init(&v->step.changed, NULL);
    v->speed            = 1.0;
    v->is_playing       = true;
    v->has_overlay      = true;
    v->loops            = true;
    v->is_frame_new     = true;
    shoal_status status = def->scene ? open_live(v, def) : open_run(v, def);
    for (v->draw = 0; draws[v->draw] && def->draw && strcmp(draws[v->draw], def->draw) != 0;) v->draw++;
    if (!draws[v->draw]) v->draw = 0;
    if (status == SHOAL_OK) status = shoal_screen_set_draw(v->screen, def->draw ? def->draw : draws[0]);
    v->color = -1;
    return status;
}

void view_close(view* v) {
    if (!v) return;
    stop_thread(&v->step);
    shoal_sim_destroy(v->step.sim);
    shoal_screen_destroy(v->screen);
    pthread_cond_destroy(&v->step.changed);
    pthread_mutex_destroy(&v->step.mutex);
    free(v);
}

bool view_is_over(const view* v) { return v->is_over; }

bool view_is_still(const view* v) {
    return !v->is_playing && !v->is_under_way && v->grip == GRIP_NONE && v->param_change == 0;
}

uint64_t view_hash(const view* v) { return v->is_live ? shoal_sim_hash(v->step.sim) : 0; }

// --- the eye

static void place_eye(view* v) {
    v->eye.from[0] = v->eye.at[0] + v->distance * sin(v->yaw) * cos(v->pitch);
    v->eye.from[1] = v->eye.at[1] + v->distance * sin(v->pitch);
    v->eye.from[2] = v->eye.at[2] + v->distance * cos(v->yaw) * cos(v->pitch);
}

static void take_eye(view* v, double aspect) {
    v->eye = shoal_screen_eye(v->screen, aspect);
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = v->eye.from[k] - v->eye.at[k];
    v->distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    v->yaw      = atan2(d[0], d[2]);
    v->pitch    = asin(d[1] / v->distance);
    v->has_eye  = true;
}

// Its ways: right, up and forward, unit.
static void eye_axes(const view* v, double right[3], double up[3], double forward[3]) {
    double c = cos(v->pitch), s = sin(v->pitch);
    forward[0] = -sin(v->yaw) * c, forward[1] = -s, forward[2] = -cos(v->yaw) * c;
    right[0] = cos(v->yaw), right[1] = 0.0, right[2] = -sin(v->yaw);
    up[0] = -sin(v->yaw) * s, up[1] = c, up[2] = -cos(v->yaw) * s;
}

// Where the way through a pixel meets the plane through a point that faces the eye.
static void on_plane(const view* v, const view_mouse* m, const double through[3], double out[3]) {
    double right[3], up[3], forward[3], far = 0.0, along = tan(0.5 * v->eye.fov * DEGREE);
    eye_axes(v, right, up, forward);
    for (int k = 0; k < 3; k++) far += (through[k] - v->eye.from[k]) * forward[k];
    double px = (2.0 * (m->x + 0.5) / m->width - 1.0) * along * m->width / m->height,
           py = (1.0 - 2.0 * (m->y + 0.5) / m->height) * along;
    for (int k = 0; k < 3; k++) out[k] = v->eye.from[k] + far * (forward[k] + px * right[k] + py * up[k]);
}

void view_make_folder(const char* path) {
    char part[2048];
    snprintf(part, sizeof part, "%s", path);
    for (char* at = part; *at; at++)
        if (*at == '/' && at != part) {
            *at = 0;
            (void)mkdir(part, 0777);
            *at = '/';
        }
    (void)mkdir(part, 0777);
}

static void write_camera(view* v) {
    char path[1400];
    view_make_folder(v->folder);
    snprintf(path, sizeof path, "%s/%s.camera.yaml", v->folder, v->name);
    FILE* file = fopen(path, "w");
    bool  good = file && fprintf(file, "camera:\n  from: [%.6g, %.6g, %.6g]\n  at: [%.6g, %.6g, %.6g]\n  fov: %.6g\n",
                                 v->eye.from[0], v->eye.from[1], v->eye.from[2], v->eye.at[0], v->eye.at[1],
                                 v->eye.at[2], v->eye.fov) > 0;
    if (file && fclose(file) != 0) good = false;
    say(v, good ? "camera written to %.250s" : "%.250s cannot be written", path);
}

// --- the hand

static void grip_obstacle(view* v, const shoal_pick* pick) {
    shoal_obstacle_view o;
    for (int k = 0; k < shoal_sim_obstacle_count(v->step.sim); k++) {
        if (shoal_sim_obstacle_at(v->step.sim, k, &o) != SHOAL_OK || strcmp(o.name, pick->obstacle) != 0) continue;
        if (!o.can_move) {
            say(v, "%s stands still: give it `movable: true` in the scene", o.name);
            return;
        }
        snprintf(v->held, sizeof v->held, "%s", o.name);
        v->held_pose = o.pose;
        for (int i = 0; i < 3; i++) v->held_at[i] = v->target[i] = pick->at[i];
        v->grip = GRIP_OBSTACLE;
    }
}

// What is under the mouse in the last picture, which may have another size than the mouse's.
static void press(view* v, const view_mouse* m) {
    shoal_pick pick;
    if (m->button == 1 && (m->with_shift || m->with_ctrl) && !v->is_live) {
        say(v, "a run on disk cannot be touched; view its scene");
        return;
    }
    v->picked[0] = 0;
    if (m->button == 1 && !m->with_ctrl &&
        shoal_screen_pick(v->screen, (int)m->x, (int)m->y, &pick, v->picked, sizeof v->picked) == SHOAL_OK &&
        pick.obstacle && m->with_shift) {
        wait_idle(&v->step); // poses are those of the last frame
        grip_obstacle(v, &pick);
        return;
    }
    v->grip = m->button != 1 ? GRIP_SHIFT : m->with_ctrl ? GRIP_POUR : m->with_shift ? GRIP_NONE : GRIP_TURN;
}

static void drag(view* v, const view_mouse* m) {
    double dx = m->x - v->mouse.x, dy = m->y - v->mouse.y, right[3], up[3], forward[3];
    double size = 2.0 * tan(0.5 * v->eye.fov * DEGREE) * v->distance / m->height; // m a pixel at eye.at
    eye_axes(v, right, up, forward);
    if (v->grip == GRIP_TURN) {
        v->yaw -= dx * 0.4 * DEGREE;
        v->pitch = fmax(-89.0 * DEGREE, fmin(89.0 * DEGREE, v->pitch + dy * 0.4 * DEGREE));
    } else if (v->grip == GRIP_SHIFT) {
        const double far = 5e5; // m
        for (int k = 0; k < 3; k++)
            v->eye.at[k] = fmax(-far, fmin(far, v->eye.at[k] + size * (dy * up[k] - dx * right[k])));
    } else if (v->grip == GRIP_OBSTACLE) {
        on_plane(v, m, v->held_at, v->target);
    }
    place_eye(v);
}

void view_point(view* v, const view_mouse* m) {
    if (!v->has_eye || m->width < 1 || m->height < 1) return;
    if (m->kind == VIEW_WHEEL) {
        v->distance = fmax(1e-4, fmin(1e5, v->distance * pow(0.9, m->button)));
        place_eye(v);
        return;
    }
    if (m->kind == VIEW_PRESS) press(v, m);
    if (m->kind == VIEW_MOVE && v->grip != GRIP_NONE) drag(v, m);
    if (m->kind == VIEW_RELEASE) v->grip = GRIP_NONE;
    int button = v->mouse.button;
    v->mouse   = *m;
    if (m->kind == VIEW_MOVE) v->mouse.button = button;
}

// One frame's share of the way to where the mouse is; a hand that is quicker is followed later.
static shoal_status pull(view* v) {
    double way[3], far = 0.0, most = 10.0 * v->spacing;
    for (int k = 0; k < 3; k++) {
        way[k] = v->target[k] - v->held_at[k];
        far += way[k] * way[k];
    }
    far          = sqrt(far);
    double share = far > most ? most / far : 1.0;
    for (int k = 0; k < 3; k++) {
        v->held_pose.at[k] += share * way[k];
        v->held_at[k] += share * way[k];
    }
    return far > 0.0 ? shoal_sim_move_obstacle(v->step.sim, v->held, &v->held_pose, v->step.seconds) : SHOAL_OK;
}

// A round layer of particles at the cursor, falling; places that are not free stay as they are.
static shoal_status pour(view* v) {
    enum { REACH = 3 };
    float       at[POUR_MOST][3], velocity[POUR_MOST][3];
    double      centre[3], d = v->spacing;
    int         count = 0;
    const char* name  = shoal_sim_material(v->step.sim, v->mouse.with_alt ? 1 : 0, &d);
    if (!name) {
        say(v, "the scene has one material only");
        return SHOAL_OK;
    }
    on_plane(v, &v->mouse, v->eye.at, centre);
    for (int i = -REACH; i <= REACH; i++)
        for (int k = -REACH; k <= REACH && count < POUR_MOST; k++) {
            if (i * i + k * k > REACH * REACH) continue;
            at[count][0]       = (float)(centre[0] + i * d);
            at[count][1]       = (float)centre[1];
            at[count][2]       = (float)(centre[2] + k * d);
            velocity[count][0] = velocity[count][2] = 0.0f;
            velocity[count++][1]                    = (float)(-d * v->fps); // a spacing a frame: the next layer is free
        }
    return shoal_sim_emit(v->step.sim, name, count, at[0], velocity[0], NULL);
}

// The next value along a slider.
static double slid(const shoal_param_def* p, double value, int steps) {
    switch (p->type) {
    case SHOAL_PARAM_INT:
    case SHOAL_PARAM_AUTO_INT:
        return fmax(p->min, fmin(p->max, value + steps));
    case SHOAL_PARAM_BOOL:
        return value != 0.0 ? 0.0 : 1.0;
    case SHOAL_PARAM_WORD:
        return fmax(0.0, value + steps);
    default:
        break;
    }
    if (value == 0.0 && steps > 0 && p->min > 0.0) return p->min; // auto
    double span = p->max - p->min;
    if (p->max > 1e3 * fmax(p->min, 1e-9) && value > 0.0) return fmax(p->min, fmin(p->max, value * pow(1.25, steps)));
    return fmax(p->min, fmin(p->max, value + 0.02 * span * steps));
}

static void slide(view* v) {
    const shoal_param_def* p = &v->params[v->param];
    double                 value;
    int                    steps = v->param_change;
    v->param_change              = 0;
    if (shoal_sim_get_param(v->step.sim, p->name, &value) != SHOAL_OK ||
        shoal_sim_set_param(v->step.sim, p->name, slid(p, value, steps)) != SHOAL_OK)
        say(v, "%.300s", shoal_last_error());
}

// Ahead of a frame of the simulation, once: what a hand does goes by frames, not by pictures.
static void touch(view* v) {
    shoal_status status = SHOAL_OK;
    if (v->grip == GRIP_OBSTACLE) status = pull(v);
    if (v->grip == GRIP_POUR) status = pour(v);
    if (status != SHOAL_OK) say(v, "%.300s", shoal_last_error());
}

// --- time

static shoal_status take_frame(view* v) {
    v->is_under_way = false;
    v->took         = v->step.took;
    if (v->step.status != SHOAL_OK) {
        v->is_playing = false;
        say(v, "%.300s", v->step.error);
        return SHOAL_OK; // the last good state stays in view
    }
    v->frame++;
    v->is_frame_new = true;
    return shoal_screen_take(v->screen, v->step.sim);
}

static shoal_status tick_live(view* v, double seconds) {
    double frame = v->step.seconds;
    v->due       = fmin(v->due + (v->is_playing ? seconds * v->speed : 0.0), 2.0 * frame); // slower, never behind
    if (is_busy(&v->step)) return SHOAL_OK;
    shoal_status status = v->is_under_way ? take_frame(v) : SHOAL_OK;
    if (v->param_change != 0 && v->params) slide(v);
    if (!v->is_playing || v->due < frame) return status;
    v->due -= frame;
    touch(v);
    ask(v);
    return status;
}

static shoal_status tick_run(view* v, double seconds) {
    int frame = v->frame;
    v->due += v->is_playing ? seconds * v->speed : 0.0;
    while (v->due >= 1.0 / v->fps) {
        v->due -= 1.0 / v->fps;
        frame++;
    }
    if (frame >= v->frame_count) {
        frame         = v->loops ? frame % v->frame_count : v->frame_count - 1;
        v->is_playing = v->loops;
    }
    if (frame == v->frame) return SHOAL_OK;
    v->frame            = frame;
    v->is_frame_new     = true;
    shoal_status status = shoal_screen_load(v->screen, frame);
    if (status == SHOAL_OK || status == SHOAL_ERR_MEMORY) return status;
    say(v, "%.300s", shoal_last_error()); // a damaged frame: the one before stays
    return SHOAL_OK;
}

shoal_status view_tick(view* v, double seconds) { return v->is_live ? tick_live(v, seconds) : tick_run(v, seconds); }

shoal_status view_seek(view* v, int index, bool* is_there) {
    *is_there     = true;
    v->is_playing = false;
    if (!v->is_live) {
        *is_there = index >= 0 && index < v->frame_count;
        v->frame  = *is_there ? index : v->frame;
        return *is_there ? shoal_screen_load(v->screen, index) : SHOAL_OK;
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
        touch(v);
        ask(v);
    }
    if (v->is_live) return;
    if (view_seek(v, to < 0 ? 0 : to >= v->frame_count ? v->frame_count - 1 : to, &is_there) != SHOAL_OK)
        say(v, "%.300s", shoal_last_error());
}

static void next_color(view* v) {
    const char* const* fields = shoal_screen_fields(v->screen);
    const char*        name   = v->color < 0 ? fields[0] : fields[v->color] ? fields[v->color + 1] : NULL;
    v->color                  = name ? v->color + 1 : -1;
    char own[64];
    snprintf(own, sizeof own, "%s", name ? name : "");
    if (shoal_screen_set_color(v->screen, name ? own : NULL) != SHOAL_OK) say(v, "%.300s", shoal_last_error());
}

static void next_draw(view* v) {
    v->draw = draws[v->draw + 1] ? v->draw + 1 : 0;
    if (shoal_screen_set_draw(v->screen, draws[v->draw]) != SHOAL_OK)
        say(v, "%.300s", shoal_last_error());
    else
        say(v, "drawn as %s", draws[v->draw]);
}

static void record(view* v) {
    v->is_recording = !v->is_recording;
    if (v->is_recording) {
        say(v, "recording");
        return;
    }
    if (v->recorded == 0) {
        say(v, "nothing was recorded");
        return;
    }
    char           path[SHOAL_FILM_PATH_ROOM], name[300];
    shoal_film_def film = shoal_film_def_default();
    snprintf(name, sizeof name, "%s-view", v->name);
    film.name     = name;
    film.fps      = v->fps;
    film.pictures = v->recorded;
    if (shoal_film_encode(&film, v->folder, path) == SHOAL_OK)
        say(v, "film of %d pictures: %.250s", v->recorded, path);
    else
        say(v, "%d pictures are in %.100s/pictures; %.150s", v->recorded, v->folder, shoal_last_error());
    v->recorded = 0;
}

bool view_key(view* v, const char* key) {
    v->said[0] = 0;
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
        v->speed = fmin(8.0, v->speed * 2.0);
    else if (strcmp(key, "down") == 0)
        v->speed = fmax(1.0 / 64.0, v->speed * 0.5);
    else if (strcmp(key, "l") == 0)
        v->loops = !v->loops;
    else if (strcmp(key, "c") == 0)
        next_color(v);
    else if (strcmp(key, "d") == 0)
        next_draw(v);
    else if (strcmp(key, "o") == 0)
        v->has_overlay = !v->has_overlay;
    else if (strcmp(key, "h") == 0)
        v->has_help = !v->has_help;
    else if (strcmp(key, "k") == 0)
        write_camera(v);
    else if (strcmp(key, "0") == 0)
        v->has_eye = false; // back to the scene's
    else if (strcmp(key, "p") == 0)
        v->saved = -1 - v->saved; // with the next picture
    else if (strcmp(key, "r") == 0)
        record(v);
    else if (strcmp(key, "[") == 0 && v->param_count > 0)
        v->param = (v->param + v->param_count - 1) % v->param_count;
    else if (strcmp(key, "]") == 0 && v->param_count > 0)
        v->param = (v->param + 1) % v->param_count;
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

static void add_slider(const view* v, char* text, size_t room) {
    const shoal_param_def* p = &v->params[v->param];
    double                 value;
    size_t                 used = strlen(text);
    if (shoal_sim_get_param(v->step.sim, p->name, &value) != SHOAL_OK) return;
    bool is_auto = (p->type == SHOAL_PARAM_AUTO_INT || p->type == SHOAL_PARAM_AUTO_FLOAT) && value == 0.0;
    char shown[32];
    snprintf(shown, sizeof shown, "%.4g", value);
    snprintf(text + used, room - used, "\n[ ] %s   - + %s%s%s", p->name, is_auto ? "auto" : shown,
             p->type == SHOAL_PARAM_WORD ? " of " : " ", p->unit);
}

static void overlay_text(const view* v, char* text, size_t room) {
    double share = v->took > 0.0 ? v->step.seconds / v->took : 0.0; // of real time
    size_t used =
        (size_t)snprintf(text, room, "%s   t = %.3f s   frame %d", v->name, shoal_screen_time(v->screen), v->frame);
    if (!v->is_live) used += (size_t)snprintf(text + used, room - used, " of %d", v->frame_count);
    used += (size_t)snprintf(text + used, room - used, "\n%lld particles   drawn in %.0f ms",
                             (long long)shoal_screen_count(v->screen), v->drawn_ms);
    if (v->took > 0.0) used += (size_t)snprintf(text + used, room - used, "   simulated in %.0f ms", 1e3 * v->took);
    if (v->is_live && v->is_playing && share > 0.0 && share < v->speed)
        used += (size_t)snprintf(text + used, room - used, "\ntime runs at %.2f of what was asked", share / v->speed);
    if (!v->is_playing) used += (size_t)snprintf(text + used, room - used, "\npaused");
    if (v->is_recording) snprintf(text + used, room - used, "\nrecording: %d", v->recorded);
    if (v->is_live && v->param_count > 0) add_slider(v, text, room);
    used = strlen(text);
    if (v->said[0]) used += (size_t)snprintf(text + used, room - used, "\n%s", v->said);
    if (v->picked[0]) used += (size_t)snprintf(text + used, room - used, "\n\n%s", v->picked);
    if (v->has_help)
        snprintf(text + used, room - used,
                 "\n\nspace pause   left right step   up down speed   l loop\n"
                 "drag turn   right drag shift   wheel near   0 first view   k camera file\n"
                 "c colour by field   d how liquids are drawn   p picture   r record\n"
                 "shift drag: obstacles   ctrl: pour, with alt the second material\n"
                 "[ ] - + parameters   o overlay   h keys   q end");
    else
        snprintf(text + used, room - used, "   h: keys");
}

static void save_picture(view* v, int width, int height, const uint8_t* pixels, const char* stem, int number) {
    char   path[1800];
    void*  bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/pictures", v->folder);
    view_make_folder(path);
    snprintf(path, sizeof path, "%s/pictures/%s_%06d.png", v->folder, stem, number);
    FILE* file = fopen(path, "wb");
    bool  good = file && shoal_screen_png(pixels, width, height, &bytes, &size) == SHOAL_OK;
    if (good) {
        good = fwrite(bytes, size, 1, file) == 1;
        shoal_bytes_free(bytes, size);
    }
    if (file && fclose(file) != 0) good = false;
    if (!good) say(v, "%.300s cannot be written", path);
}

shoal_status view_draw(view* v, int width, int height, uint8_t* pixels) {
    char   text[TEXT_ROOM], name[300];
    double began = cli_seconds();
    if (!v->has_eye) take_eye(v, (double)width / height);
    shoal_status status = shoal_screen_draw(v->screen, &v->eye, width, height, pixels);
    if (status != SHOAL_OK) return status;
    v->drawn_ms = 1e3 * (cli_seconds() - began);
    if (v->saved < 0) {
        snprintf(name, sizeof name, "%s-shot", v->name);
        v->saved = -1 - v->saved;
        say(v, "picture %d written to %.200s/pictures", v->saved, v->folder);
        save_picture(v, width, height, pixels, name, v->saved++);
    }
    if (v->is_recording && v->is_frame_new) {
        snprintf(name, sizeof name, "%s-view", v->name);
        save_picture(v, width, height, pixels, name, v->recorded++);
    }
    v->is_frame_new = false;
    if (!v->has_overlay) return SHOAL_OK;
    overlay_text(v, text, sizeof text);
    int size = height / 36 > 12 ? height / 36 : 12;
    return shoal_screen_write(pixels, width, height, size / 2, size / 2, size, text);
}
