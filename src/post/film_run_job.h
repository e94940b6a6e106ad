// SPDX-License-Identifier: MIT
// Inside of films: which pictures there are. For film_run.c, film_sheet.c and film_pipe.c only.
#ifndef SHOAL_FILM_RUN_JOB_H
#define SHOAL_FILM_RUN_JOB_H

#include "picture/png.h"
#include "post/post_source.h"
#include "shoal/film.h"

typedef struct film_run_job {
    const shoal_film_def* def;
    post_source           source;
    char                  name[SHOAL_PATH_SIZE];
    int                   count;
    int*                  numbers; // [count] frames that have a picture, rising
    double                fps;
} film_run_job;

// Close it also on failure.
shoal_status film_run_open(film_run_job* f, const shoal_film_def* def, const char* folder);
void         film_run_close(film_run_job* f);
shoal_status film_run_picture(const film_run_job* f, int index, char out[SHOAL_PATH_SIZE]);

// --- film_pipe.c: ffmpeg as a child that is fed through its standard input

typedef struct film_pipe film_pipe;
// `arguments` begin with the program's name and end with NULL.
shoal_status film_pipe_open(const char* const* arguments, film_pipe** out);
// Fails with what the program said when it no longer listens.
shoal_status film_pipe_put(film_pipe* pipe, const void* bytes, size_t size);
// Waits for its end; `is_whole` false: the film is not wanted any more. Frees the pipe.
shoal_status film_pipe_close(film_pipe* pipe, bool is_whole);

#endif
