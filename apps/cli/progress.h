// SPDX-License-Identifier: MIT
// What `run` and `film` say while they work: on a terminal, as lines, as JSON, or nothing.
#ifndef SHOAL_CLI_PROGRESS_H
#define SHOAL_CLI_PROGRESS_H

#include "cli.h"
#include "shoal/render.h"

typedef enum cli_voice { VOICE_TERMINAL, VOICE_LINES, VOICE_JSON, VOICE_QUIET } cli_voice;

enum { CLI_FOLDER_SIZE = 4096 };

typedef struct cli_progress {
    cli_voice      voice;
    const char*    way_on; // the option that goes on after an interruption; "": the same call does
    shoal_progress last;   // of the simulation
    // seconds of work after the simulation, as far as they are known; NULL: there is none
    double (*seconds_after)(const shoal_progress* p, struct cli_progress* progress);
    bool has_line; // a progress line stands unfinished on the terminal
    char folder[CLI_FOLDER_SIZE];
    char result[CLI_FOLDER_SIZE]; // what was made; "": the folder
} cli_progress;

// Sets the log to it; cli_progress_end sets it back.
void cli_progress_begin(cli_progress* progress, const cli_args* args, const char* way_on);
// Tells the end of all of it and returns the exit code.
int  cli_progress_end(cli_progress* progress, const cli_args* args, shoal_status status);
void cli_progress_end_line(cli_progress* progress);
void cli_progress_error(const cli_progress* progress, shoal_status status);

// -o, --frames and --threads; CLI_DONE, or CLI_WRONG after telling what is wrong.
int cli_run_options(const char* command, const cli_args* args, shoal_run_def* def);
// Reads the scene, tells its faults, runs it and tells how it goes. progress->folder is where.
shoal_status cli_run_scene(cli_progress* progress, const cli_args* args, shoal_run_def* def);

// render.c: --size, --samples, --threads, --preview and --color, in the same way.
int  cli_picture_options(const char* command, const cli_args* args, shoal_render_def* def);
void cli_picture_json(const shoal_render_row* row);

#endif
