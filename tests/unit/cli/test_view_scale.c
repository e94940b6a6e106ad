// SPDX-License-Identifier: MIT
// Sliders of the viewer: they reach all of a range, with the part that is in use in the middle of the bar.
#include "unit/check.h"

#include "shoal/param.h"
#include "shoal/sim.h"
#include "view_scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static shoal_param_def floats(double value, double min, double max, bool may_be_auto) {
    return (shoal_param_def){.name  = "x",
                             .type  = may_be_auto ? SHOAL_PARAM_AUTO_FLOAT : SHOAL_PARAM_FLOAT,
                             .value = value,
                             .min   = min,
                             .max   = max,
                             .unit  = ""};
}

// What is between two values takes so much of the bar.
static double space(const shoal_param_def* p, double from, double to) {
    return view_scale_fraction(p, to) - view_scale_fraction(p, from);
}

static void the_part_in_use_has_room_on_the_bar(void** state) {
    (void)state;
    shoal_param_def friction = floats(0.0, 1e-6, 10.0, true), rolling = floats(0.22, 0.0, 10.0, false),
                    blend = floats(0.95, 0.0, 1.0, false), vorticity = floats(0.0, 0.0, 10.0, false),
                    force = floats(6.0, 0.0, 1e4, false), stiffness = floats(0.0, 1e-9, 1e12, true),
                    tolerance = floats(0.04, 0.001, 10.0, false);
    assert_true(space(&friction, 0.1, 1.0) > 0.24);
    assert_true(space(&vorticity, 0.5, 2.0) > 0.2);
    assert_true(space(&rolling, 0.1, 1.0) > 0.2);
    CHECK_NEAR(view_scale_fraction(&rolling, 0.22), 0.5, 1e-9);
    CHECK_NEAR(view_scale_fraction(&force, 6.0), 0.5, 1e-9);
    CHECK_NEAR(space(&blend, 0.2, 0.4), 0.2, 1e-9);
    CHECK_NEAR(space(&stiffness, 1e7, 1e8), 1.0 / 6.0, 1e-9);
    CHECK_NEAR(space(&tolerance, 0.1, 1.0), 0.25, 1e-9);
}

static bool has_three_digits(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.3g", value);
    return strtod(text, NULL) == value;
}

// Of all parameters of all solvers: both ends are reached, more is more, and what is set is what is shown.
static void every_bar_reaches_its_range(void** state) {
    (void)state;
    for (const shoal_param_block* block = shoal_param_blocks(); block->name; block++)
        for (const shoal_param_def* p = block->params; p->name; p++) {
            bool is_float = p->type == SHOAL_PARAM_FLOAT || p->type == SHOAL_PARAM_AUTO_FLOAT;
            if (!is_float || !view_scale_is_there(p)) continue;
            double before = -1.0;
            for (int k = 0; k <= 100; k++) {
                double fraction = k / 100.0, value = view_scale_value(p, fraction);
                bool   is_auto = view_scale_is_auto(p, value);
                assert_true(is_auto ? k == 0 : value >= p->min && value <= p->max);
                assert_true(value >= before || p->min < 0.0);
                assert_true(has_three_digits(value) || value == p->min || value == p->max);
                if (!is_auto) CHECK_NEAR(view_scale_value(p, view_scale_fraction(p, value)), value, 0.01 * fabs(value));
                before = value;
            }
            CHECK_NEAR(view_scale_value(p, 1.0), p->max, 0.0);
            if (p->type == SHOAL_PARAM_FLOAT) CHECK_NEAR(view_scale_value(p, 0.0), p->min, 0.0);
        }
}

static void keys_go_by_steps(void** state) {
    (void)state;
    shoal_param_def friction = floats(0.0, 1e-6, 10.0, true), blend = floats(0.95, 0.0, 1.0, false),
                    rate  = floats(0.0, 0.0, 1e4, false);
    shoal_param_def is_on = {.name = "x", .type = SHOAL_PARAM_BOOL, .max = 1.0, .unit = ""},
                    word  = {.name = "x", .type = SHOAL_PARAM_WORD, .unit = "a|b|c"};
    CHECK_NEAR(view_scale_step(&friction, 0.4, 1), 0.5, 1e-12);
    CHECK_NEAR(view_scale_step(&friction, 0.5, -1), 0.4, 1e-12);
    CHECK_NEAR(view_scale_step(&blend, 0.5, 2), 0.54, 1e-12);
    CHECK_NEAR(view_scale_step(&blend, 0.99, 2), 1.0, 1e-12);
    assert_true(view_scale_step(&rate, 0.0, 1) > 0.0);
    CHECK_NEAR(view_scale_step(&rate, 0.0, -1), 0.0, 0.0);
    CHECK_NEAR(view_scale_step(&is_on, 1.0, 1), 0.0, 0.0);
    CHECK_NEAR(view_scale_step(&word, 2.0, 1), 2.0, 0.0);
    CHECK_NEAR(view_scale_value(&word, 0.6), 1.0, 0.0);
    assert_true(view_scale_is_auto(&friction, view_scale_value(&friction, 0.0)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_part_in_use_has_room_on_the_bar),
        cmocka_unit_test(every_bar_reaches_its_range),
        cmocka_unit_test(keys_go_by_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
