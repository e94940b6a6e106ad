// SPDX-License-Identifier: MIT
// Requests of HTTP/1: what the viewer's page needs of them, and nothing else.
#include "view_request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// The value of a line of the head, to its end; NULL: there is none.
static const char* header(const char* head, const char* name) {
    size_t length = strlen(name);
    for (const char* at = strstr(head, "\r\n"); at && at[2] != '\r'; at = strstr(at + 2, "\r\n"))
        if (strncasecmp(at + 2, name, length) == 0 && at[2 + length] == ':') {
            at += 3 + length;
            return at + strspn(at, " \t");
        }
    return NULL;
}

// No line of the head says the same as another of its name could deny.
static bool is_said_twice(const char* head, const char* name) {
    const char* first = header(head, name);
    const char* rest  = first ? strstr(first, "\r\n") : NULL;
    return rest && header(rest, name) != NULL;
}

// What no request has, however much of it is there: it begins with a method in capital letters, its lines end as they
// do in HTTP, and bytes below a space are tabs alone.
static bool is_garbage(const char* in, size_t count) {
    size_t method = strspn(in, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (method > 7 || (method < count && (method == 0 || in[method] != ' '))) return true;
    const char* end = strstr(in, "\r\n\r\n");
    size_t      all = end ? (size_t)(end - in) : count;
    for (size_t i = 0; i < all; i++) {
        bool ends_line =
            in[i] == '\r' ? i + 1 == count || in[i + 1] == '\n' : in[i] == '\n' && i > 0 && in[i - 1] == '\r';
        if ((unsigned char)in[i] < ' ' && in[i] != '\t' && !ends_line) return true;
    }
    return false;
}

// A name or an address, and perhaps a port; a longer one is not ours.
static void read_host(const char* head, char* out, size_t capacity) {
    const char* host   = header(head, "Host");
    size_t      length = host ? strcspn(host, ":\r\n") : 0, port = 0;
    if (host && host[length] == ':') port = 1 + strspn(host + length + 1, "0123456789");
    if (length == 0 || length >= capacity || host[length + port] != '\r') return;
    memcpy(out, host, length);
    out[length] = 0;
}

view_request view_request_read(const char* in, size_t count) {
    view_request r   = {.is_whole = false};
    const char*  end = strstr(in, "\r\n\r\n");
    if (is_garbage(in, count)) {
        r.refusal = "400 Bad Request";
        return r;
    }
    if (!end) {
        if (count >= VIEW_HEAD_MOST) r.refusal = "431 Request Header Fields Too Large";
        return r;
    }
    if (is_said_twice(in, "Host") || is_said_twice(in, "Content-Length")) {
        r.refusal = "400 Bad Request";
        return r;
    }
    const char* length = header(in, "Content-Length");
    long        wanted = length ? strtol(length, NULL, 10) : 0;
    if (wanted < 0 || wanted > VIEW_BODY_MOST) {
        r.refusal = "413 Content Too Large";
        return r;
    }
    if (count - (size_t)(end + 4 - in) < (size_t)wanted) return r;
    memcpy(r.body, end + 4, (size_t)wanted);
    r.is_whole = true;
    read_host(in, r.host, sizeof r.host);
    if (sscanf(in, "%7s %127s HTTP/1.", r.method, r.path) != 2) r.refusal = "400 Bad Request";
    return r;
}

bool view_mouse_read(const char* text, view_mouse* out) {
    static const char* const kinds[] = {"press", "move", "release", "wheel", NULL};
    char                     kind[16];
    int                      shift, ctrl, alt, which = 0;
    view_mouse               m = *out;
    if (sscanf(text, "%15s %4d %4d %4d %4d %lf %lf", kind, &m.button, &shift, &ctrl, &alt, &m.x, &m.y) != 7)
        return false;
    while (kinds[which] && strcmp(kinds[which], kind) != 0) which++;
    if (!kinds[which] || m.button < -20 || m.button > 20 || !(m.x >= -1e5 && m.x <= 1e5 && m.y >= -1e5 && m.y <= 1e5))
        return false;
    m.kind       = (view_mouse_kind)which;
    m.with_shift = shift, m.with_ctrl = ctrl, m.with_alt = alt;
    *out = m;
    return true;
}
