// SPDX-License-Identifier: MIT
// A window by SDL2, loaded when it is asked for: the program runs without it. What is declared here is of SDL's stable
// interface of version 2 (its numbers do not change before version 3); the picture is a streaming texture, no graphics
// library of ours. Without a display SDL would take its `offscreen` driver, which serves tests and does not show
// anything: it must be asked for.
#include "view.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SDL_VIDEO             = 0x20,
    SDL_RESIZABLE         = 0x20,
    SDL_CENTRED           = 0x2fff0000,
    SDL_RGB24             = 0x17101803,
    SDL_STREAMING         = 1,
    SDL_EVENT_QUIT        = 0x100,
    SDL_EVENT_WINDOW      = 0x200,
    SDL_EVENT_KEY         = 0x300,
    SDL_EVENT_MOTION      = 0x400,
    SDL_EVENT_BUTTON_DOWN = 0x401,
    SDL_EVENT_RELEASE     = 0x402,
    SDL_EVENT_WHEEL       = 0x403,
    SDL_WINDOW_RESIZED    = 6, // SIZE_CHANGED
    SDL_WINDOW_CLOSED     = 14,
    SDL_MOD_SHIFT         = 0x3,
    SDL_MOD_CTRL          = 0xc0,
    SDL_MOD_ALT           = 0x300,
    EDGE_MOST             = 16384
};

// The members that are read, at their places.
typedef union sdl_event {
    uint32_t type;
    struct {
        uint32_t type, time, window;
        uint8_t  event, padding[3];
        int32_t  width, height;
    } window;
    struct {
        uint32_t type, time, window;
        uint8_t  state, repeat, padding[2];
        int32_t  scancode, symbol;
        uint16_t mod;
    } key;
    struct {
        uint32_t type, time, window, which, state;
        int32_t  x, y;
    } motion;
    struct {
        uint32_t type, time, window, which;
        uint8_t  button, state, clicks, padding;
        int32_t  x, y;
    } button;
    struct {
        uint32_t type, time, window, which;
        int32_t  x, y;
    } wheel;
    uint8_t capacity[128];
} sdl_event;

// clang-format off
// return type, name, arguments
#define SDL_CALLS(X)                                                               \
    X(int,         Init,            (uint32_t))                                    \
    X(void,        Quit,            (void))                                        \
    X(const char*, GetError,        (void))                                        \
    X(void*,       CreateWindow,    (const char*, int, int, int, int, uint32_t))   \
    X(void,        DestroyWindow,   (void*))                                       \
    X(void*,       CreateRenderer,  (void*, int, uint32_t))                        \
    X(void,        DestroyRenderer, (void*))                                       \
    X(void*,       CreateTexture,   (void*, uint32_t, int, int, int))              \
    X(void,        DestroyTexture,  (void*))                                       \
    X(int,         UpdateTexture,   (void*, const void*, const void*, int))        \
    X(int,         RenderCopy,      (void*, void*, const void*, const void*))      \
    X(void,        RenderPresent,   (void*))                                       \
    X(int,         PollEvent,       (sdl_event*))                                  \
    X(uint32_t,    GetModState,     (void))                                        \
    X(const char*, GetCurrentVideoDriver, (void))
// clang-format on

typedef struct sdl {
    void* library;
#define X(type, name, arguments) type(*name) arguments;
    SDL_CALLS(X)
#undef X
} sdl;

static bool load(sdl* s) {
    static const char* const names[] = {"libSDL2-2.0.so.0", "libSDL2.so", "libSDL2-2.0.0.dylib", NULL};
    for (int k = 0; names[k] && !s->library; k++) s->library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    if (!s->library) {
        fprintf(stderr, "shoal view: there is no SDL2 here for a window (Debian: apt install libsdl2-2.0-0); "
                        "--serve PORT shows it in a browser, --grab N -o DIR writes pictures\n");
        return false;
    }
#define X(type, name, arguments)                                                                                       \
    *(void**)(void*)&s->name = dlsym(s->library, "SDL_" #name);                                                        \
    if (!s->name) {                                                                                                    \
        fprintf(stderr, "shoal view: this SDL2 has no SDL_" #name "\n");                                               \
        return false;                                                                                                  \
    }
    SDL_CALLS(X)
#undef X
    return true;
}

typedef struct window {
    sdl      sdl;
    void *   window, *renderer, *texture;
    int      width, height;
    uint8_t* pixels;
    bool     is_open, is_stale, has_failed;
} window;

static bool fit(window* w, int width, int height) {
    width  = width < 1           ? 1
             : width > EDGE_MOST ? EDGE_MOST
                                 : width,
    height = height < 1           ? 1
             : height > EDGE_MOST ? EDGE_MOST
                                  : height;
    if (w->texture) w->sdl.DestroyTexture(w->texture);
    free(w->pixels);
    w->width    = width;
    w->height   = height;
    w->is_stale = true;
    w->pixels   = malloc((size_t)width * (size_t)height * 3);
    w->texture  = w->sdl.CreateTexture(w->renderer, SDL_RGB24, SDL_STREAMING, width, height);
    return w->pixels && w->texture;
}

static bool open_window(window* w, int width, int height, const char* title) {
    char name[300];
    snprintf(name, sizeof name, "%s - shoal", title);
    if (!load(&w->sdl)) return false;
    if (w->sdl.Init(SDL_VIDEO) == 0) {
        const char* driver = w->sdl.GetCurrentVideoDriver();
        if (driver && (strcmp(driver, "offscreen") == 0 || strcmp(driver, "dummy") == 0) &&
            !getenv("SDL_VIDEODRIVER")) {
            fprintf(stderr, "shoal view: there is no display here; --serve PORT shows it in a browser, "
                            "--grab N -o DIR writes pictures\n");
            return false;
        }
        w->window = w->sdl.CreateWindow(name, SDL_CENTRED, SDL_CENTRED, width, height, SDL_RESIZABLE);
        if (w->window) w->renderer = w->sdl.CreateRenderer(w->window, -1, 0);
        if (w->renderer && fit(w, width, height)) return w->is_open = true;
    }
    fprintf(stderr, "shoal view: no window: %s; --serve PORT shows it in a browser\n", w->sdl.GetError());
    return false;
}

static void close_window(window* w) {
    free(w->pixels);
    if (!w->sdl.library) return;
    if (w->texture) w->sdl.DestroyTexture(w->texture);
    if (w->renderer) w->sdl.DestroyRenderer(w->renderer);
    if (w->window) w->sdl.DestroyWindow(w->window);
    if (w->sdl.Quit) w->sdl.Quit();
}

static void on_key(view* v, int32_t symbol) {
    static const struct {
        int32_t     symbol;
        const char* name;
    } names[]   = {{' ', "space"},       {27, "escape"},     {0x4000004f, "right"}, {0x40000050, "left"},
                   {0x40000051, "down"}, {0x40000052, "up"}, {0x4000004a, "home"},  {0x4000004d, "end"}};
    char own[2] = {(char)symbol, 0};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (names[k].symbol == symbol) {
            view_key(v, names[k].name);
            return;
        }
    if (symbol > ' ' && symbol < 127) view_key(v, own);
}

// Keys that act again while they are held: arrows, and the parameter.
static bool repeats(int32_t symbol) {
    return (symbol >= 0x4000004f && symbol <= 0x40000052) || symbol == ',' || symbol == '.' || symbol == '-' ||
           symbol == '=' || symbol == '+';
}

static void on_event(window* w, view* v, const sdl_event* e) {
    uint32_t   mod = w->sdl.GetModState();
    view_mouse m   = {.with_shift = mod & SDL_MOD_SHIFT,
                      .with_ctrl  = mod & SDL_MOD_CTRL,
                      .with_alt   = mod & SDL_MOD_ALT,
                      .width      = w->width,
                      .height     = w->height};
    if (e->type == SDL_EVENT_WINDOW) w->is_stale = true; // uncovered, perhaps
    if (e->type == SDL_EVENT_QUIT || (e->type == SDL_EVENT_WINDOW && e->window.event == SDL_WINDOW_CLOSED)) {
        w->is_open = false;
    } else if (e->type == SDL_EVENT_WINDOW && e->window.event == SDL_WINDOW_RESIZED) {
        w->is_open = fit(w, e->window.width, e->window.height);
        if (!w->is_open) fprintf(stderr, "shoal view: no picture of this size: %s\n", w->sdl.GetError());
        w->has_failed = !w->is_open;
    } else if (e->type == SDL_EVENT_KEY && (!e->key.repeat || repeats(e->key.symbol))) {
        on_key(v, e->key.symbol);
    } else if (e->type == SDL_EVENT_BUTTON_DOWN || e->type == SDL_EVENT_RELEASE) {
        m.kind   = e->type == SDL_EVENT_BUTTON_DOWN ? VIEW_BUTTON_DOWN : VIEW_RELEASE;
        m.button = e->button.button;
        m.x = e->button.x, m.y = e->button.y;
        view_point(v, &m);
    } else if (e->type == SDL_EVENT_MOTION) {
        m.kind = VIEW_MOVE;
        m.x = e->motion.x, m.y = e->motion.y;
        view_point(v, &m);
    } else if (e->type == SDL_EVENT_WHEEL) {
        m.kind   = VIEW_WHEEL;
        m.button = e->wheel.y;
        view_point(v, &m);
    }
}

int view_window(view* v, int width, int height, const char* title) {
    window w    = {0};
    int    code = open_window(&w, width, height, title) ? CLI_DONE : CLI_WRONG;
    double last = cli_seconds();
    while (code == CLI_DONE && w.is_open && !view_is_over(v) && !cli_should_stop(NULL)) {
        sdl_event e;
        while (w.is_open && w.sdl.PollEvent(&e)) on_event(&w, v, &e);
        double       now    = cli_seconds();
        shoal_status status = view_tick(v, now - last);
        bool         draws  = w.is_open && status == SHOAL_OK && (w.is_stale || view_has_news(v));
        last                = now;
        if (draws) status = view_draw(v, w.width, w.height, w.pixels);
        if (draws && status == SHOAL_OK) {
            w.sdl.UpdateTexture(w.texture, NULL, w.pixels, 3 * w.width);
            w.sdl.RenderCopy(w.renderer, w.texture, NULL, NULL);
            w.sdl.RenderPresent(w.renderer);
            w.is_stale = false;
        } else {
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        }
        if (status != SHOAL_OK) code = cli_fail(status);
    }
    if (w.has_failed) code = CLI_INTERNAL;
    close_window(&w);
    return code;
}
