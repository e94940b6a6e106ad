// SPDX-License-Identifier: MIT
// What is meant by an error of the YAML parser: tabs that indent, and brackets that are not closed.
// The parser tells where it gave up, which may be many lines below.
#include "scene/scene_local.h"

#include <stdio.h>
#include <string.h>

enum { OPEN_MOST = 64 };

typedef struct spot {
    const char* at;
    int         line, column; // from 1, in characters
} spot;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Goes one byte on.
static void step_on(spot* s) {
    if (*s->at == '\n') {
        s->line++;
        s->column = 0;
    }
    s->at++;
    if (((unsigned char)*s->at & 0xc0) != 0x80) s->column++;
}

static bool is_before(const spot* s, int line, int column) {
    return *s->at && (s->line < line || (s->line == line && s->column < column));
}

// A tab among the blanks that line `line` begins with, before something.
static bool find_tab(const char* text, int line, spot* out) {
    spot s = {text, 1, 1};
    while (*s.at && s.line < line) step_on(&s);
    bool is_found = false;
    for (; *s.at == ' ' || *s.at == '\t'; step_on(&s)) {
        if (*s.at != '\t' || is_found) continue;
        *out     = s;
        is_found = true;
    }
    return is_found && *s.at && *s.at != '\n' && *s.at != '\r' && *s.at != '#';
}

static void skip_quoted(spot* s) {
    char quote = *s->at;
    for (step_on(s); *s->at && *s->at != quote; step_on(s))
        if (quote == '"' && *s->at == '\\' && s->at[1]) step_on(s);
}

// The innermost bracket that is open at a place. Brackets within words, quotes and comments are
// none.
static bool find_open(const char* text, int line, int column, spot* out) {
    spot open[OPEN_MOST], s = {text, 1, 1};
    int  depth = 0;
    char last  = '\n'; // the last byte that is no blank, a line end where the line began
    for (; is_before(&s, line, column); step_on(&s)) {
        char c         = *s.at;
        bool is_begin  = strchr("\n:-,[{?", last) != NULL;
        bool is_spaced = s.at == text || is_blank(s.at[-1]);
        if (c == '#' && is_spaced) {
            while (*s.at && *s.at != '\n' && s.at[1] != '\n') step_on(&s);
            if (!*s.at) break;
            continue;
        }
        if ((c == '"' || c == '\'') && is_begin) {
            skip_quoted(&s);
            if (!*s.at) break;
        } else if ((c == '{' || c == '[') && is_begin) {
            if (depth == OPEN_MOST) return false;
            open[depth++] = s;
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
        if (c == '\n' ? depth == 0 : !is_blank(c)) last = c;
    }
    if (depth > 0) *out = open[depth - 1];
    return depth > 0;
}

static void tell(shoal_place* at, const spot* s, char* message, size_t capacity, const char* text) {
    at->line   = s->line;
    at->column = s->column;
    snprintf(message, capacity, "%s", text);
}

void shoal_syntax_explain(const char* text, shoal_place* at, char* message, size_t capacity) {
    spot s;
    char message_built[256];
    bool is_key = strstr(message, "plain key") != NULL; // the key may stand on the line below
    for (int line = at->line; line <= at->line + is_key; line++)
        if ((is_key || strstr(message, "tab")) && find_tab(text, line, &s)) {
            tell(at, &s, message, capacity, "tabs cannot indent; use spaces");
            return;
        }
    bool is_flow = strstr(message, "flow") != NULL && strstr(message, "extra") == NULL;
    if (!is_flow || !find_open(text, at->line, at->column, &s)) return;
    if (!strstr(message, "comma")) {
        snprintf(message_built, sizeof message_built, "%c opened here is not closed before line %d, column %d", *s.at,
                 at->line, at->column);
    } else if (s.line < at->line) {
        snprintf(message_built, sizeof message_built,
                 "%c opened here is not closed, or a comma is missing, before line %d, column %d", *s.at, at->line,
                 at->column);
    } else {
        return;
    }
    tell(at, &s, message, capacity, message_built);
}
