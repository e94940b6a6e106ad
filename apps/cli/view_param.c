// SPDX-License-Identifier: MIT
// Parameters of the solver while it runs: by keys, one at a time, and by sliders on the right of the picture, a row for
// each that is a number, a word or a switch. They are read and changed between frames.
#include "view_local.h"
#include "view_scale.h"

#include <math.h>
#include <string.h>

void view_read_params(view* v) {
    for (int k = 0; k < v->param_count; k++)
        v->sliders[k].is_there = shoal_sim_get_param(v->step.sim, v->params[k].name, &v->sliders[k].value) == SHOAL_OK;
}

static void set_param(view* v, int which, double value) {
    if (shoal_sim_set_param(v->step.sim, v->params[which].name, value) != SHOAL_OK)
        view_say(v, "%.300s", shoal_last_error());
}

void view_slide(view* v) {
    const shoal_param_def* p     = &v->params[v->param];
    const view_slider*     own   = &v->sliders[v->param];
    int                    steps = v->param_change;
    v->param_change              = 0;
    view_read_params(v);
    if (v->pulled >= 0) {
        set_param(v, v->pulled, v->pulled_to);
        v->pulled = -1;
    }
    if (steps == 0)
        ;
    else if (!own->is_there)
        view_say(v, "%s is no number to be changed while it runs", p->name);
    else if (view_scale_is_auto(
                 p, own->value)) // what it came to be is not known here, and any other start would be a jump
        view_say(v, "%s is auto: pull its slider (s), or begin with a value of your own, --set %s.%s=VALUE", p->name,
                 shoal_sim_solver(v->step.sim), p->name);
    else
        set_param(v, v->param, view_scale_step(p, own->value, steps));
    view_read_params(v);
    v->has_changed = true;
}

static void value_text(const view* v, int which, char* text, size_t capacity) {
    const shoal_param_def* p     = &v->params[which];
    double                 value = v->sliders[which].value;
    const char*            word  = p->unit;
    if (p->type == SHOAL_PARAM_WORD) {
        for (int k = 0; k < (int)value && strchr(word, '|'); k++) word = strchr(word, '|') + 1;
        snprintf(text, capacity, "%.*s", (int)strcspn(word, "|"), word);
    } else if (p->type == SHOAL_PARAM_BOOL) {
        snprintf(text, capacity, "%s", value != 0.0 ? "true" : "false");
    } else if (view_scale_is_auto(p, value)) {
        snprintf(text, capacity, "auto");
    } else {
        snprintf(text, capacity, "%.4g %s", value, p->unit);
    }
}

void view_param_text(const view* v, char* text, size_t capacity) {
    char value[128];
    text[0] = 0;
    if (!v->sliders[v->param].is_there) return;
    value_text(v, v->param, value, sizeof value);
    snprintf(text, capacity, "\n[ ] %s   - + %s", v->params[v->param].name, value);
}

// --- sliders

static bool has_slider(const view* v, int which) {
    return v->sliders[which].is_there && view_scale_is_there(&v->params[which]);
}

typedef struct panel { // pixels
    int size;          // of a line of text
    int left, width, row, rows;
} panel;

static panel panel_of(int width, int height) {
    panel p = {.size = view_text_size(height)};
    p.width = 18 * p.size < width / 2 ? 18 * p.size : width / 2;
    p.left  = width - p.width - p.size / 2;
    p.row   = 2 * p.size;
    p.rows  = (height - p.size) / p.row;
    return p;
}

// The parameter of a row of the panel; -1: none.
static int param_at(const view* v, int row) {
    for (int k = 0, seen = -v->slider_first; k < v->param_count; k++)
        if (has_slider(v, k) && seen++ == row) return k;
    return -1;
}

int view_slider_left(const view* v, int width, int height) {
    return v->has_sliders ? panel_of(width, height).left : width;
}

static bool is_on_panel(const view* v, const view_mouse* m) {
    panel p = panel_of(m->width, m->height);
    return v->is_live && v->has_sliders && m->x >= p.left - p.size / 2;
}

void view_slider_drag(view* v, const view_mouse* m) {
    panel p      = panel_of(m->width, m->height);
    v->pulled    = v->held_param;
    v->pulled_to = view_scale_value(&v->params[v->held_param], (m->x - p.left) / p.width);
}

bool view_slider_grab(view* v, const view_mouse* m) {
    if (!is_on_panel(v, m)) return false;
    panel p   = panel_of(m->width, m->height);
    int   row = (int)floor((m->y - p.size / 2) / p.row), which = row >= 0 && row < p.rows ? param_at(v, row) : -1;
    if (which < 0) return false;
    v->held_param = v->param = which;
    view_slider_drag(v, m);
    return true;
}

bool view_slider_wheel(view* v, const view_mouse* m) {
    if (!is_on_panel(v, m)) return false;
    int most = -panel_of(m->width, m->height).rows;
    for (int k = 0; k < v->param_count; k++) most += has_slider(v, k);
    v->slider_first -= m->button;
    v->slider_first = v->slider_first > most ? most : v->slider_first;
    v->slider_first = v->slider_first < 0 ? 0 : v->slider_first;
    return true;
}

static void fill(uint8_t* pixels, int width, int height, int x, int y, int across, int along, int light) {
    for (int j = y < 0 ? 0 : y; j < y + along && j < height; j++)
        for (int i = x < 0 ? 0 : x; i < x + across && i < width; i++)
            memset(pixels + 3 * ((size_t)j * (size_t)width + (size_t)i), light, 3);
}

// A dark ground, so that what is below, the legend too, does not mix with the sliders.
static void darken(uint8_t* pixels, int width, int height, int x, int rows) {
    for (int j = 0; j < rows && j < height; j++)
        for (int i = 3 * x; i < 3 * width; i++) {
            uint8_t* at = pixels + 3 * (size_t)j * (size_t)width + i;
            *at         = (uint8_t)(*at / 6);
        }
}

shoal_status view_draw_sliders(const view* v, int width, int height, uint8_t* pixels) {
    panel        p      = panel_of(width, height);
    int          shown  = 0;
    shoal_status status = SHOAL_OK;
    while (shown < p.rows && param_at(v, shown) >= 0) shown++;
    darken(pixels, width, height, p.left - p.size / 2 > 0 ? p.left - p.size / 2 : 0, shown * p.row + p.size);
    for (int row = 0; row < shown && status == SHOAL_OK; row++) {
        int    which = param_at(v, row), y = p.size / 2 + row * p.row;
        char   text[256], value[128];
        bool   is_pulled = v->pulled == which;
        double fraction  = view_scale_fraction(&v->params[which], is_pulled ? v->pulled_to : v->sliders[which].value);
        value_text(v, which, value, sizeof value);
        snprintf(text, sizeof text, "%.60s  %.60s", v->params[which].name, value);
        status = shoal_screen_write(pixels, width, height, p.left, y, p.size, text);
        fill(pixels, width, height, p.left, y + p.size + p.size / 4, p.width, p.size / 3, 60);
        fill(pixels, width, height, p.left, y + p.size + p.size / 4, (int)(fraction * p.width + 0.5), p.size / 3,
             which == v->param ? 250 : 180);
    }
    return status;
}
