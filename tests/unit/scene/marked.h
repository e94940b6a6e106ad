// SPDX-License-Identifier: MIT
// Scene texts with an @ where a fault must point.
#ifndef MARKED_H
#define MARKED_H

#include "toy_solver.h"

#include "scene/scene_local.h"
#include "shoal/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

// Takes the @ out of a text; *line and *column say where it was, 0 when there was none.
static inline char* unmarked(const char* text, int* line, int* column) {
    char*       plain = malloc(strlen(text) + 1);
    const char* mark  = strchr(text, '@');
    assert_non_null(plain);
    *line = *column = 0;
    strcpy(plain, text);
    if (!mark) return plain;
    size_t before = (size_t)(mark - text);
    strcpy(plain + before, mark + 1);
    *line = *column = 1;
    for (size_t k = 0; k < before; k++) {
        *column = text[k] == '\n' ? 1 : *column + 1;
        *line += text[k] == '\n';
    }
    return plain;
}

static inline void print_faults(const shoal_scene* scene) {
    for (int k = 0; k < shoal_scene_fault_count(scene); k++) {
        char text[2048];
        shoal_fault_print(shoal_scene_fault(scene, k), text, sizeof text);
        print_error("%s", text);
    }
}

// The text must give exactly one fault, at the mark, with this in its message.
static inline void expect_fault(const char* text, bool is_error, const char* part) {
    int          line, column;
    char*        plain = unmarked(text, &line, &column);
    shoal_scene* scene = NULL;
    shoal_scene_parse(plain, strlen(plain), "test.yaml", &scene);
    assert_non_null(scene);
    shoal_status       status = shoal_scene_check(scene);
    const shoal_fault* fault  = shoal_scene_fault(scene, 0);
    bool               ok = shoal_scene_fault_count(scene) == 1 && fault->is_error == is_error && fault->line == line &&
              fault->column == column && strstr(fault->message, part) && (status != SHOAL_OK) == is_error;
    if (!ok) {
        print_error("expected %d:%d \"%s\" of\n%s\ngot:\n", line, column, part, plain);
        print_faults(scene);
    }
    assert_true(ok);
    shoal_scene_destroy(scene);
    free(plain);
}

static inline void expect_error(const char* text, const char* part) { expect_fault(text, true, part); }
static inline void expect_warning(const char* text, const char* part) { expect_fault(text, false, part); }

static inline shoal_scene* parsed(const char* text) {
    shoal_scene* scene = NULL;
    if (shoal_scene_parse(text, strlen(text), "test.yaml", &scene) != SHOAL_OK) print_error("%s\n", shoal_last_error());
    assert_non_null(scene);
    return scene;
}

static inline shoal_scene* checked(const char* text) {
    shoal_scene* scene = parsed(text);
    if (shoal_scene_check(scene) != SHOAL_OK || shoal_scene_fault_count(scene) > 0) print_faults(scene);
    assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
    assert_int_equal(shoal_scene_fault_count(scene), 0);
    return scene;
}

// A scene that is right but for what is added.
#define GOOD "spacing: 0.1\nbodies: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n"
#define BOX "domain: {max: [2, 2, 2]}\n"

#endif
