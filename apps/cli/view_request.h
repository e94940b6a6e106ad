// SPDX-License-Identifier: MIT
// What a client of the viewer's page has sent, read from its bytes alone: no socket, no view, so that it can be fuzzed.
#ifndef SHOAL_CLI_VIEW_REQUEST_H
#define SHOAL_CLI_VIEW_REQUEST_H

#include "view.h"

enum { VIEW_HEAD_MOST = 8192, VIEW_BODY_MOST = 256, VIEW_REQUEST_SIZE = VIEW_HEAD_MOST + VIEW_BODY_MOST + 1 };

typedef struct view_request {
    bool        is_whole;
    const char* refusal; // status line where it cannot be taken; NULL: it can, or is not yet whole
    char        method[8], path[128];
    char        host[64]; // without its port; "": none, or one that is none
    char        body[VIEW_BODY_MOST + 1];
} view_request;

// `in` has `count` bytes and a zero behind them, count < VIEW_REQUEST_SIZE.
view_request view_request_read(const char* in, size_t count);
// "press 1 0 0 0 320 180": kind, button or steps of the wheel, shift, ctrl, alt, x, y. Width and height are left alone.
bool view_mouse_read(const char* text, view_mouse* out);

#endif
