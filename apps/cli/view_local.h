// SPDX-License-Identifier: MIT
// Inside of the viewer: what is shown (view_show.c), the simulation (view_step.c), the eye and the hand of the user
// (view_hand.c), parameters of the solver (view_param.c), and what is kept of it in files (view_keep.c).
#ifndef SHOAL_CLI_VIEW_LOCAL_H
#define SHOAL_CLI_VIEW_LOCAL_H

#include "view.h"

#include <pthread.h>

// Sine of the pitch from which pictures of an eye have another way for up (render/view.c).
#define VIEW_UPRIGHT 0.999
enum {
    VIEW_TEXT_SIZE   = 4096,
    VIEW_PATH_SIZE   = 4096,
    VIEW_FOLDER_SIZE = VIEW_FOLDER_MOST + 1,
    VIEW_NAME_SIZE   = 256,
    VIEW_STAGES_MOST = 16
};
#define VIEW_PAUSE 0.3 // s; the eye rests when it was not moved for so long

// The simulation on its thread: it is asked for one frame at a time, and touched only between them.
typedef struct view_stepper {
    shoal_sim*           sim;
    const shoal_run_def* run; // that keeps it; NULL: none does
    shoal_scene*         scene;
    const char*          path; // of the scene
    pthread_t            thread;
    pthread_mutex_t      mutex;
    pthread_cond_t       changed;
    bool                 is_started, is_asked, is_ending;
    bool                 has_ended;   // the run that keeps it, and the simulation with it
    double               seconds;     // of a frame
    double               began, took; // the last one, and how long, s of the wall clock
    shoal_status         status;
    char                 error[512]; // words of a status that is none of the viewer's own thread; "": none
} view_stepper;

// DRAG_REACH: an obstacle was pressed on, and is gripped when the step that is under way has ended.
typedef enum view_drag {
    DRAG_NONE,
    DRAG_TURN,
    DRAG_SHIFT,
    DRAG_REACH,
    DRAG_OBSTACLE,
    DRAG_POUR,
    DRAG_SLIDER
} view_drag;

typedef struct view_slider { // of a parameter, as it was between the last frames
    double value;
    bool   is_there; // it has a value that can be shown
} view_slider;

struct view {
    char          folder[VIEW_FOLDER_SIZE], name[VIEW_NAME_SIZE]; // of the files that are written
    shoal_screen* screen;
    view_stepper  step;
    bool          is_live, is_playing, is_over, has_overlay, has_help, loops;
    bool          is_under_way;                    // a frame was asked for and not yet taken
    bool          is_frame_new;                    // since the last picture
    bool          has_changed;                     // anything else that a picture shows, since the last one
    int           frame, frame_count, first_frame; // first_frame: of a simulation that begins at a checkpoint
    double        looked_at;                       // when frames of a run on disk were looked for, s
    double        fps, speed, due;                 // due: seconds of the scene that the clock is ahead

    shoal_eye  eye;
    bool       has_eye;
    double     yaw, pitch, distance; // of the eye about eye.at, radians and m
    double     first_distance;       // that of the scene's, m
    double     floor;                // below which it does not go, m; -INFINITY: none
    view_drag  drag_kind;
    view_mouse mouse;      // as it was last seen
    char       held[64];   // obstacle
    double     held_at[3]; // where it was gripped, or what is poured on, m
    double     pour_above; // so far above it comes out, m
    bool       must_rise;  // that is above what is under the mouse, and is to be above all that stands there
    double     target[3];  // where that is to be
    shoal_pose held_pose;  // of the obstacle then
    double     spacing;    // m

    const shoal_param_def* params;                           // of the solver
    int                    param, param_count, param_change; // param: the one of the keys
    view_slider*           sliders;                          // [param_count]
    bool                   has_sliders;
    int                    slider_first; // of those that are shown
    int                    held_param;   // by the mouse, while DRAG_SLIDER
    int                    pulled;       // to be set between frames; -1: none
    double                 pulled_to;
    int                    draw, color;
    bool                   has_meshes; // of a run on disk
    bool                   has_stats;
    char                   stats[VIEW_TEXT_SIZE / 4]; // of the last frame, while has_stats
    char                   touched[VIEW_NAME_SIZE];   // what hands have done to the simulation; "": nothing

    char             picked[VIEW_TEXT_SIZE / 4], said[320];
    char             error[512]; // why the frame that is asked for cannot be shown; "": it can
    bool             is_recording, wants_picture;
    char             film[VIEW_NAME_SIZE + 32]; // name of the recording
    int              recorded, recorded_width, recorded_height;
    double           drawn_ms, took;                  // took: the last frame of the simulation, s
    double           made_at, made_took;              // when a picture was the first of its frame, and how long, s
    double           moves_until;                     // so long the eye counts as moving, s
    double           drawn_at, rate;                  // when the last picture began, s; pictures a second
    shoal_stage_time stages[VIEW_STAGES_MOST];        // of it
    double           stages_before[VIEW_STAGES_MOST]; // seconds of them up to its end
    int              stage_count;
};

// view_step.c
shoal_status view_step_begin(view_stepper* s, const view_def* def);
bool         view_step_is_busy(view_stepper* s); // a frame that was asked for is not there
void         view_step_ask(view_stepper* s);
void         view_step_wait(view_stepper* s); // until it is there
// Ends a step that is under way. What a run that is kept says of its end is printed; the status is why it has failed.
shoal_status view_step_end(view_stepper* s);

// view_show.c
void view_say(view* v, const char* format, ...) __attribute__((format(printf, 2, 3)));
int  view_text_size(int height); // pixels of a line in a picture of this height

// view_hand.c
void view_take_eye(view* v, double aspect); // that of the scene
void view_drag_reached(view* v);            // between frames: what a press reached for
void view_touch(view* v);                   // ahead of a frame: drags and pours

// view_param.c
void view_read_params(view* v); // between frames: their values
void view_slide(view* v);       // between frames: by the keys pressed and the slider pulled since
void view_param_text(const view* v, char* text, size_t capacity); // for the overlay; "": nothing to show
// Sliders take the mouse where they are shown: false where it is elsewhere.
bool         view_slider_grab(view* v, const view_mouse* m);
bool         view_slider_wheel(view* v, const view_mouse* m);
void         view_slider_drag(view* v, const view_mouse* m);
int          view_slider_left(const view* v, int width, int height); // where they begin, or the width without any
shoal_status view_draw_sliders(const view* v, int width, int height, uint8_t* pixels);

// view_keep.c
void view_write_camera(view* v);
void view_record(view* v); // begins or ends a recording, with its film
// The picture is kept where `p` was pressed or a recording runs.
void view_keep_picture(view* v, int width, int height, const uint8_t* pixels);

#endif
