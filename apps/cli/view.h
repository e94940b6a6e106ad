// SPDX-License-Identifier: MIT
// shoal view: what is shown and how it answers keys and the mouse (view_local.h), apart from where the picture goes:
// files (--grab), a window (view_window.c) or a browser (view_serve.c).
#ifndef SHOAL_CLI_VIEW_H
#define SHOAL_CLI_VIEW_H

#include "cli.h"
#include "shoal/screen.h"

typedef struct view view;

enum { VIEW_FOLDER_MOST = 2000 }; // bytes of the path of `output`

typedef struct view_def {
    shoal_scene*     scene;      // of a simulation that is to run; NULL: a run on disk
    const char*      checkpoint; // where it begins; NULL: at its start
    const char*      folder;     // of that run
    const char*      path;       // of the scene
    const char*      name;       // of files that are written
    const char*      output;     // folder of pictures and recordings; NULL: here
    shoal_screen_def screen;
    shoal_sim_def    sim;

    const shoal_run_def* run; // of a simulation that is kept in a folder, in place of `sim`; NULL: it is not
} view_def;
shoal_status view_open(const view_def* def, view** out);
int          view_fail(view* v, shoal_status status); // tells why, as cli_fail; once
// Ends a step that is under way; may be NULL. An error: what is kept of it is not whole.
shoal_status view_close(view* v);

// Keys by their names: a letter or sign as it is written, "space", "left", "right", "up", "down", "home", "end",
// "escape". False where there is nothing behind a key.
bool view_key(view* v, const char* key);
// What the mouse does, in pixels of a picture of width x height.
typedef enum view_mouse_kind { VIEW_BUTTON_DOWN, VIEW_MOVE, VIEW_RELEASE, VIEW_WHEEL } view_mouse_kind;
typedef struct view_mouse {
    view_mouse_kind kind;
    int             button;     // 1 left, 2 middle, 3 right; of a wheel: steps, up is more
    bool            with_shift; // obstacles are dragged
    bool            with_ctrl;  // the first material is poured, with alt the second
    bool            with_alt;
    double          x, y;
    int             width, height;
} view_mouse;
void view_point(view* v, const view_mouse* mouse);

// Time goes on by `seconds` of the wall clock: the simulation or the run, and what is dragged and poured.
shoal_status view_tick(view* v, double seconds);
// The picture, with its overlay unless that is switched off. A frame of a run that cannot be drawn gives a dark one,
// and an error.
shoal_status view_draw(view* v, int width, int height, uint8_t* pixels);
bool         view_has_news(const view* v); // the next picture would be another than the last
const char*  view_error(const view* v);    // why the frame that was asked for is not there; "": it is
bool         view_is_recording(const view* v);
bool         view_wants_picture(const view* v); // key p: the next one drawn is written
bool         view_is_over(const view* v);       // asked to end
bool         view_is_still(const view* v);      // nothing moves: no tick has news before a request or an event
// Frame `index` exactly, simulated or loaded; false in *is_there behind the last.
shoal_status view_seek(view* v, int index, bool* is_there);
int          view_number(const view* v, int index); // of a frame in its scene or run; -1: a run has no such
uint64_t     view_hash(const view* v);              // of the state of a simulation; 0: there is none (any more)

void view_make_folder(const char* path); // with the folders above it; writing there reports what fails
// Where pictures go; each returns an exit code.
int view_grab(view* v, int count, int width, int height, const char* folder, const char* name, bool is_quiet);
int view_window(view* v, int width, int height, const char* title);
typedef struct view_serve_job {
    int         port; // 0: any that is free
    const char* host; // NULL: 127.0.0.1
    int         width, height;
} view_serve_job;
int view_serve(view* v, const view_serve_job* serving);

#endif
