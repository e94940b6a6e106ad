// SPDX-License-Identifier: MIT
// The eye that goes round what it looks at, and the hand of the user: on obstacles and taps. What acts on the
// simulation does so between its frames.
#include "view_local.h"

#include <math.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180.0)
#define STEEPEST (87.0 * DEGREE)     // below VIEW_UPRIGHT, where another way is up
enum { POUR_MOST = 128, ABOVE = 4 }; // ABOVE: spacings

// --- the eye

// Above the floor by a fiftieth of the way to what is looked at, and no farther from that than twenty times as at
// first.
static void place_eye(view* v) {
    v->distance    = fmax(1e-3 * v->first_distance, fmin(20.0 * v->first_distance, v->distance));
    double lowest  = (v->floor - v->eye.at[1]) / v->distance + 0.02;
    v->pitch       = fmax(v->pitch, lowest > -1.0 ? asin(fmin(lowest, sin(STEEPEST))) : -STEEPEST);
    v->moves_until = cli_seconds() + VIEW_PAUSE;
    v->eye.from[0] = v->eye.at[0] + v->distance * sin(v->yaw) * cos(v->pitch);
    v->eye.from[1] = v->eye.at[1] + v->distance * sin(v->pitch);
    v->eye.from[2] = v->eye.at[2] + v->distance * cos(v->yaw) * cos(v->pitch);
}

void view_take_eye(view* v, double aspect) {
    v->eye = shoal_screen_eye(v->screen, aspect);
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = v->eye.from[k] - v->eye.at[k];
    v->distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    v->yaw      = atan2(d[0], d[2]);
    v->pitch    = asin(d[1] / v->distance);
    v->has_eye  = true;

    v->first_distance = v->distance;
    if (!shoal_screen_floor(v->screen, &v->floor) || v->eye.from[1] < v->floor) v->floor = -(double)INFINITY;
}

// Its ways as pictures have them: right, up and forward, unit. One that looks straight down has -z for up
// (render_camera_make).
static void eye_axes(const view* v, double right[3], double up[3], double forward[3]) {
    double length = 0.0, flat = 0.0;
    for (int k = 0; k < 3; k++) {
        forward[k] = v->eye.at[k] - v->eye.from[k];
        length += forward[k] * forward[k];
    }
    length          = sqrt(length);
    bool is_upright = fabs(forward[1]) > VIEW_UPRIGHT * length;
    for (int k = 0; k < 3; k++) forward[k] /= length;
    right[0] = is_upright ? -forward[1] : -forward[2];
    right[1] = is_upright ? forward[0] : 0.0;
    right[2] = is_upright ? 0.0 : forward[0];
    for (int k = 0; k < 3; k++) flat += right[k] * right[k];
    for (int k = 0; k < 3; k++) right[k] /= sqrt(flat);
    up[0] = right[1] * forward[2] - right[2] * forward[1];
    up[1] = right[2] * forward[0] - right[0] * forward[2];
    up[2] = right[0] * forward[1] - right[1] * forward[0];
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

// --- the hand

void view_drag_reached(view* v) {
    shoal_obstacle_view o;
    v->drag_kind = DRAG_NONE;
    for (int k = 0; k < shoal_sim_obstacle_count(v->step.sim); k++) {
        if (shoal_sim_obstacle_at(v->step.sim, k, &o) != SHOAL_OK || strcmp(o.name, v->held) != 0) continue;
        if (!o.can_move) {
            view_say(v, "%s stands still: give it `movable: true` in the scene", o.name);
            return;
        }
        v->held_pose = o.pose;
        v->drag_kind = DRAG_OBSTACLE;
    }
}

static double way_to(const view* v, const double at[3]) {
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = at[k] - v->eye.from[k];
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

// What is poured comes from above what is seen under the mouse, or, where that is farther away, in the plane through
// what the eye looks at; from there on it follows the mouse in the plane that faces the eye.
static void begin_pouring(view* v, const view_mouse* m) {
    shoal_pick pick;
    on_plane(v, m, v->eye.at, v->held_at);
    bool is_there =
        shoal_screen_pick(v->screen, (int)m->x, (int)m->y, &pick, v->picked, sizeof v->picked) == SHOAL_OK &&
        pick.is_there && way_to(v, pick.at) < way_to(v, v->held_at);
    for (int k = 0; k < 3 && is_there; k++) v->held_at[k] = pick.at[k];
    v->pour_above = is_there ? ABOVE * v->spacing : 0.0;
    v->must_rise  = is_there;
    v->picked[0] = v->said[0] = 0;
    v->drag_kind              = DRAG_POUR;
}

// What is under the mouse in the last picture, which may have another size than the mouse's.
static void button_down(view* v, const view_mouse* m) {
    shoal_pick pick;
    if (m->button == 1 && (m->with_shift || m->with_ctrl) && !v->is_live) {
        view_say(v, "a run on disk cannot be touched; view its scene");
        return;
    }
    v->picked[0] = 0;
    if (m->button == 1 && view_slider_grab(v, m)) {
        v->drag_kind = DRAG_SLIDER;
        return;
    }
    if (m->button == 1 && !m->with_ctrl &&
        shoal_screen_pick(v->screen, (int)m->x, (int)m->y, &pick, v->picked, sizeof v->picked) == SHOAL_OK &&
        pick.obstacle && m->with_shift) {
        snprintf(v->held, sizeof v->held, "%s", pick.obstacle);
        for (int k = 0; k < 3; k++) v->held_at[k] = v->target[k] = pick.at[k];
        v->drag_kind = DRAG_REACH;
        return;
    }
    if (m->button == 1 && m->with_ctrl)
        begin_pouring(v, m);
    else
        v->drag_kind = m->button != 1 ? DRAG_SHIFT : m->with_shift ? DRAG_NONE : DRAG_TURN;
}

static void drag(view* v, const view_mouse* m) {
    double dx = m->x - v->mouse.x, dy = m->y - v->mouse.y, right[3], up[3], forward[3];
    double size = 2.0 * tan(0.5 * v->eye.fov * DEGREE) * v->distance / m->height; // m a pixel at eye.at
    eye_axes(v, right, up, forward);
    if (v->drag_kind == DRAG_TURN) {
        v->yaw -= dx * 0.4 * DEGREE;
        v->pitch = fmax(-STEEPEST, fmin(STEEPEST, v->pitch + dy * 0.4 * DEGREE));
    } else if (v->drag_kind == DRAG_SHIFT) {
        const double far = 5e5; // m
        for (int k = 0; k < 3; k++)
            v->eye.at[k] = fmax(-far, fmin(far, v->eye.at[k] + size * (dy * up[k] - dx * right[k])));
    } else if (v->drag_kind == DRAG_OBSTACLE || v->drag_kind == DRAG_REACH) {
        on_plane(v, m, v->held_at, v->target);
    } else if (v->drag_kind == DRAG_SLIDER) {
        view_slider_drag(v, m);
    }
    place_eye(v);
}

void view_point(view* v, const view_mouse* m) {
    if (!v->has_eye || m->width < 1 || m->height < 1) return;
    if (m->kind != VIEW_MOVE || v->drag_kind != DRAG_NONE) v->has_changed = true;
    if (m->kind == VIEW_WHEEL && view_slider_wheel(v, m)) return;
    if (m->kind == VIEW_WHEEL) {
        v->distance *= pow(0.9, m->button);
        place_eye(v);
        return;
    }
    if (m->kind == VIEW_BUTTON_DOWN) button_down(v, m);
    if (m->kind == VIEW_MOVE && v->drag_kind != DRAG_NONE) drag(v, m);
    if (m->kind == VIEW_RELEASE) v->drag_kind = DRAG_NONE;
    int button = v->mouse.button;
    v->mouse   = *m;
    if (m->kind == VIEW_MOVE) v->mouse.button = button;
}

// One frame's fraction of the way to where the mouse is; a hand that is quicker is followed later.
static shoal_status pull(view* v) {
    double way[3], far = 0.0, most = 10.0 * v->spacing;
    for (int k = 0; k < 3; k++) {
        way[k] = v->target[k] - v->held_at[k];
        far += way[k] * way[k];
    }
    far = sqrt(far);
    if (!(far > 0.0)) return SHOAL_OK;
    double     fraction = far > most ? most / far : 1.0;
    shoal_pose pose     = v->held_pose;
    for (int k = 0; k < 3; k++) pose.at[k] += fraction * way[k];
    shoal_status status = shoal_sim_move_obstacle(v->step.sim, v->held, &pose, v->step.seconds);
    if (status != SHOAL_OK) return status; // it stays where it was
    v->held_pose = pose;
    for (int k = 0; k < 3; k++) v->held_at[k] += fraction * way[k];
    return SHOAL_OK;
}

// A press on the side of a pool means its top: so far above what is under the mouse that ABOVE spacings are free
// below, and above the matter behind it.
static void rise(view* v) {
    enum { MOST = 256 };
    double places[MOST][3], phi[MOST], right[3], up[3], forward[3];
    int    top = 0, k = 0;
    eye_axes(v, right, up, forward);
    double flat = sqrt(forward[0] * forward[0] + forward[2] * forward[2]);
    for (int i = 0; i < MOST; i++) {
        places[i][0] = v->held_at[0] + 1.5 * v->spacing * forward[0] / fmax(flat, 0.1);
        places[i][1] = v->held_at[1] + i * v->spacing;
        places[i][2] = v->held_at[2] + 1.5 * v->spacing * forward[2] / fmax(flat, 0.1);
    }
    shoal_sim_sample(v->step.sim, places[0], MOST, phi, NULL, NULL);
    for (; k < MOST && k < top + ABOVE; k++)
        if (phi[k] < 0.0) top = k + 1;
    v->pour_above = (top + ABOVE) * v->spacing;
    v->must_rise  = false;
}

// A round layer of particles at the cursor, falling; places that are not free stay as they are.
static shoal_status pour(view* v) {
    enum { REACH = 3 };
    float       at[POUR_MOST][3], velocity[POUR_MOST][3];
    double      centre[3], d = v->spacing;
    int         count  = 0;
    int64_t     placed = 0;
    const char* name   = shoal_sim_material(v->step.sim, v->mouse.with_alt ? 1 : 0, &d);
    if (!name) {
        view_say(v, "the scene has one material only");
        return SHOAL_OK;
    }
    if (v->must_rise) rise(v);
    on_plane(v, &v->mouse, v->held_at, centre);
    centre[1] += v->pour_above;
    for (int i = -REACH; i <= REACH; i++)
        for (int k = -REACH; k <= REACH && count < POUR_MOST; k++) {
            if (i * i + k * k > REACH * REACH) continue;
            at[count][0]       = (float)(centre[0] + i * d);
            at[count][1]       = (float)centre[1];
            at[count][2]       = (float)(centre[2] + k * d);
            velocity[count][0] = velocity[count][2] = 0.0f;
            velocity[count++][1]                    = (float)(-d * v->fps); // a spacing a frame: the next layer is free
        }
    shoal_status status = shoal_sim_emit(v->step.sim, name, count, at[0], velocity[0], &placed);
    if (status == SHOAL_OK && placed == 0) view_say(v, "there is no room for %s here", name);
    return status;
}

// Ahead of a frame of the simulation, once: what a hand does goes by frames, not by pictures.
void view_touch(view* v) {
    shoal_status status = SHOAL_OK;
    if (v->drag_kind == DRAG_OBSTACLE) status = pull(v);
    if (v->drag_kind == DRAG_POUR) status = pour(v);
    if (status != SHOAL_OK) view_say(v, "%.300s", shoal_last_error());
}
