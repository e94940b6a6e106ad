// SPDX-License-Identifier: MIT
#include "run/frames.h"

#include <string.h>

// A whole number at *at, which moves behind it.
static bool take_number(const char** at, int most, int* out) {
    int value = 0, digits = 0;
    for (; **at >= '0' && **at <= '9' && digits < 7; ++*at, digits++) value = 10 * value + (**at - '0');
    *out = value;
    return digits > 0 && value <= most;
}

static bool take_word(const char** at, const char* word) {
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return false;
    *at += length;
    return true;
}

static bool take_range(const char** at, run_frame_range* out) {
    out->step = 1;
    if (!take_number(at, RUN_FRAME_MOST, &out->first)) return false;
    out->last = out->first;
    if (!take_word(at, "..") && !take_word(at, "-")) return true;
    if (!take_number(at, RUN_FRAME_MOST, &out->last) || out->last < out->first) return false;
    return !take_word(at, ":") || (take_number(at, RUN_FRAME_MOST, &out->step) && out->step > 0);
}

bool run_frames_parse(const char* text, run_frames* out) {
    *out = (run_frames){0};
    do {
        if (out->count == RUN_RANGES_MOST || !take_range(&text, &out->ranges[out->count])) return false;
        out->count++;
    } while (take_word(&text, ","));
    return *text == 0;
}

bool run_frames_hold(const run_frames* frames, int number) {
    for (int k = 0; k < frames->count; k++) {
        const run_frame_range* r = &frames->ranges[k];
        if (number >= r->first && number <= r->last && (number - r->first) % r->step == 0) return true;
    }
    return frames->count == 0;
}

bool shoal_frames_read(const char* text, int* first, int* last) {
    run_frames frames;
    if (!run_frames_parse(text, &frames)) return false;
    int least = RUN_FRAME_MOST, most = 0;
    for (int k = 0; k < frames.count; k++) {
        const run_frame_range* r   = &frames.ranges[k];
        int                    end = r->last - (r->last - r->first) % r->step;
        least                      = r->first < least ? r->first : least;
        most                       = end > most ? end : most;
    }
    if (first) *first = least;
    if (last) *last = most;
    return true;
}
