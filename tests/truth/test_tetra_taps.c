// SPDX-License-Identifier: MIT
// Liquids on tetrahedral meshes: taps, sinks, rain and open walls, and the balances of the volume.
#include "lab.h"
#include "math/vec.h"
#include "truth/figure.h"

// A disc of a radius in spacings in free air. The volume that arrived over the volume due: in all steps after a way of
// six spacings, in the balance and as it is seen; before that it is never far ahead. (In the first step it was nine
// times the volume due where a nozzle began full.)
typedef struct jet {
    const char *name, *tap;
    double      spacing, radius, speed, balance, volume;
} jet;
static void let_run(const jet* j) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "solver: tetra\nfps: 60\nspacing: %.9g\ndomain: {min: [-1, -1.5, -1], max: [1, 0.6, 1], walls: {left: open, "
        "right: open, bottom: open, top: open, back: open, front: open}}\n"
        "emitters: [{material: water, disc: {radius: %.9g}, %s}]\n",
        j->spacing, j->radius * j->spacing, j->tap);
    shoal_sim* sim     = lab_sim(text, (lab_setup){0});
    double     section = SHOAL_PI * j->radius * j->radius * j->spacing * j->spacing;
    double     balance = 0.0, volume = 0.0, ahead = 0.0;
    for (int f = 1; f <= 18; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        double way = j->speed * shoal_sim_time(sim), due = section * way;
        ahead = fmax(ahead, (lab_stat(sim, "emitted_m3") - due) / (section * j->spacing));
        if (way < 6.0 * j->spacing) continue;
        balance = fmax(balance, fabs(lab_stat(sim, "emitted_m3") / due - 1.0));
        volume  = fmax(volume, fabs(lab_stat(sim, "volume_m3") / due - 1.0));
    }
    truth_below(truth_case("%s: what is in the books off what is due by, at most", j->name), "tetra", balance, "",
                j->balance);
    truth_below(truth_case("%s: volume off what is due by, at most", j->name), "tetra", volume, "", j->volume);
    truth_below(truth_case("%s: ahead of what is due by, at most", j->name), "tetra", ahead, "spacings", 0.6);
    shoal_sim_destroy(sim);
}

static void taps_bring_what_is_due(void** state) {
    (void)state;
    static const jet jets[] = {
        {"jet down, 3.5 spacings", "at: [0.0131, 0.0171, 0.0117], velocity: [0, -1, 0]", 0.02, 3.5, 1.0, 0.05, 0.06},
        {"jet along, 8 spacings", "at: [0.0131, 0.0171, 0.0117], velocity: [1, 0, 0]", 0.02, 8.0, 1.0, 0.05, 0.06},
        {"jet at a slant, 2 spacings", "at: [0.01, 0.017, 0.012], velocity: [0.5, -0.7, 0.51]", 0.02, 2.0, 1.0, 0.06,
         0.1},
        {"finer jet at a slant, 8 spacings", "at: [0.01, 0.017, 0.012], velocity: [0.5, -0.7, 0.51]", 0.0125, 8.0, 1.0,
         0.05, 0.06},
        {"jet up, 5 spacings", "at: [0.01, 0.017, 0.012], velocity: [0.3, 2, 0.1]", 0.02, 5.0, 2.0248457, 0.05, 0.06},
        {"jet that moves and turns, 3.5 spacings",
         "velocity: [0.5, -0.9, 0], motion: [{t: 0, at: [-0.3, 0.2, 0]}, {t: 0.4, at: [0.3, 0.2, 0.05], rotate: "
         "{axis: [0, 1, 0], degrees: 70}}]",
         0.02, 3.5, 1.0295630, 0.06, 0.07},
    };
    for (size_t k = 0; k < sizeof jets / sizeof *jets; k++) let_run(&jets[k]);
}

// A stream that falls is drawn out, and brings no more than what has come of its tap, wherever it lies on the lattice.
// (It had 1.11 of it after 0.35 s.)
static void a_stream_that_falls_keeps_its_volume(void** state) {
    (void)state;
    static const struct {
        const char* how;
        double      spacing;
        const char* rest;
    } streams[] = {
        {"", 0.01, "gravity: [0, -9.81, 0]\nemitters: [{material: water, disc: {radius: 0.04}, velocity: [0, -1, 0]"},
        {", turned", 0.008,
         "gravity: [2.943, -8.829, 2.943]\nemitters: [{material: water, disc: {radius: 0.04}, at: [0.0037, 0.0021, 0], "
         "velocity: [0.3, -0.9, 0.3]"},
    };
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
        char text[512];
        snprintf(text, sizeof text, "solver: tetra\nspacing: %.9g\ntetra: {keep_volume: false}\n%s}]\n",
                 streams[k].spacing, streams[k].rest);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 0.35, 1.0 / 60.0);
        truth_near(truth_case("stream that falls for 0.35 s%s: volume over what has come", streams[k].how), "tetra",
                   lab_stat(sim, "volume_m3") / lab_stat(sim, "emitted_m3"), "", 1.0, 0.05);
        shoal_sim_destroy(sim);
    }
}

// A disc flush with a wall or the face of an obstacle, or behind it: what is due comes, along its way, at its velocity.
// (About half of it came, since the wall held it back.)
typedef struct wall_jet {
    const char *name, *scene;
    double      spacing;
    shoal_d3    way;
} wall_jet;
static const wall_jet wall_jets[] = {
    {"jet out of a wall", "emitters: [{material: water, disc: {radius: 0.07}, at: [0, 0.3, 0.3]", 0.02, {1, 0, 0}},
    {"finer jet out of the wall across",
     "emitters: [{material: water, disc: {radius: 0.07}, at: [0.6, 0.3, 0.3]",
     0.014,
     {-1, 0, 0}},
    {"jet from behind the floor, at a slant",
     "emitters: [{material: water, disc: {radius: 0.07}, at: [0.25, -0.02, 0.25]",
     0.02,
     {0.36, 0.8, 0.48}},
    {"jet out of an obstacle",
     "obstacles: [{box: {min: [-0.1, -0.2, -0.2], max: [0.1, 0.2, 0.2]}, at: [0.1, 0.2, 0.3], "
     "rotate: {axis: [0, 0, 1], degrees: 36.869898}}]\n"
     "emitters: [{material: water, disc: {radius: 0.07}, at: [0.18, 0.26, 0.3]",
     0.02,
     {0.8, 0.6, 0}},
};
static void taps_in_walls_bring_what_is_due(void** state) {
    (void)state;
    for (size_t k = 0; k < sizeof wall_jets / sizeof *wall_jets; k++) {
        const wall_jet* j = &wall_jets[k];
        char            text[1024];
        snprintf(text, sizeof text,
                 "solver: tetra\nspacing: %.9g\nfps: 60\nframes: 18\ngravity: [0, 0, 0]\n"
                 "domain: {min: [0, 0, 0], max: [0.6, 0.6, 0.6]}\n%s, velocity: [%.9g, %.9g, %.9g]}]\n",
                 j->spacing, j->scene, j->way.x, j->way.y, j->way.z);
        shoal_sim* sim  = lab_sim(text, (lab_setup){0});
        double     area = SHOAL_PI * 0.0049, balance = 0.0, fastest = 0.0, seen = 0.0;
        for (int f = 1; f <= 18; f++) {
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            if (f >= 4) seen = fmax(seen, fabs(lab_stat(sim, "volume_m3") / (area * f / 60.0) - 1.0));
            if (f < 7) continue; // a way of six spacings
            balance = fmax(balance, fabs(lab_stat(sim, "emitted_m3") / (area * f / 60.0) - 1.0));
            fastest = fmax(fastest, lab_stat(sim, "speed_max_mps"));
        }
        shoal_d3 momentum = {lab_stat(sim, "momentum_x_kgmps"), lab_stat(sim, "momentum_y_kgmps"),
                             lab_stat(sim, "momentum_z_kgmps")};
        truth_below(truth_case("%s: what is in the books off what is due by, at most", j->name), "tetra", balance, "",
                    0.025);
        truth_near(truth_case("%s: volume over what is due", j->name), "tetra",
                   lab_stat(sim, "volume_m3") / (0.3 * area), "", 1.0, 0.05);
        // (up to 0.17, where a source was due a step before it had moved the surface)
        truth_below(truth_case("%s: volume off what is due by, at most, from 0.067 s on", j->name), "tetra", seen, "",
                    0.06);
        truth_below(truth_case("%s: fastest over its velocity", j->name), "tetra", fastest, "", 1.1);
        // of the 0.3 m that it is long, 0.04 m come to its velocity
        truth_near(truth_case("%s: mean velocity along its way over its velocity", j->name), "tetra",
                   shoal_d3_dot(momentum, j->way) / (1000.0 * lab_stat(sim, "tets_m3")), "", 0.93, 0.07);
        shoal_sim_destroy(sim);
    }
}

// A shape with a velocity brings its section times its speed, whatever is behind it, beside it and below: walls, a wall
// over half of it, a ceiling that its stream falls from, liquid, air. (0.45 of it at a wall, nothing in a pool, 1.3
// from a ceiling, and all of the shape at once in the first step.)
typedef struct shape_jet {
    const char *name, *scene;
    double      spacing, due; // m, m^3/s
} shape_jet;
static const shape_jet shape_jets[] = {
    {"box on a ledge between walls, a wall behind",
     "obstacles: [{box: {min: [-1, -1, -1], max: [0.5, 0.2, 1]}}]\n"
     "emitters: [{material: water, box: {min: [0, 0.2, 0], max: [0.1, 0.32, 0.24]}, velocity: [1.2, 0, 0]}]\n"
     "domain: {min: [0, -0.2, 0], max: [0.8, 0.5, 0.24], walls: {right: open, top: open}}\n",
     0.02, 0.03456},
    {"finer, turned",
     "obstacles: [{box: {min: [-1, -1, -1], max: [1, 0.2, 0.5]}}]\n"
     "emitters: [{material: water, box: {min: [0, 0.2, 0], max: [0.24, 0.32, 0.1]}, velocity: [0, 0, 1.2]}]\n"
     "domain: {min: [0, -0.2, 0], max: [0.24, 0.5, 0.8], walls: {front: open, top: open}}\n",
     0.0150, 0.03456},
    {"box at a ceiling, downwards",
     "emitters: [{material: water, box: {min: [0.2, 0.5, 0.2], max: [0.34, 0.6, 0.34]}, velocity: [0, -1, 0]}]\n"
     "domain: {min: [0, -0.6, 0], max: [0.6, 0.6, 0.5]}\n",
     0.02, 0.0196},
    {"disc at a ceiling, downwards",
     "emitters: [{material: water, disc: {radius: 0.079}, at: [0.27, 0.6, 0.27], velocity: [0, -1, 0]}]\n"
     "domain: {min: [0, -0.6, 0], max: [0.6, 0.6, 0.5]}\n",
     0.02, SHOAL_PI * 0.079 * 0.079},
    {"box with an obstacle behind half of it",
     "obstacles: [{box: {min: [-1, 0.1, -1], max: [0.2, 0.3, 1]}}]\n"
     "emitters: [{material: water, box: {min: [0.2, 0.2, 0.15], max: [0.3, 0.4, 0.33]}, velocity: [1, 0, 0]}]\n"
     "domain: {min: [0, -0.4, 0], max: [1, 0.6, 0.5], walls: {right: open}}\n",
     0.02, 0.036},
    {"thin plate at a wall",
     "emitters: [{material: water, box: {min: [0, 0.3, 0.1], max: [0.01, 0.45, 0.3]}, velocity: [1, 0, 0]}]\n"
     "domain: {min: [0, -0.4, 0], max: [1, 0.8, 0.5], walls: {right: open}}\n",
     0.02, 0.03},
    {"box in free air, slow",
     "emitters: [{material: water, box: {min: [0.31, 0.3, 0.3], max: [0.51, 0.4, 0.42]}, velocity: [0, -0.6, 0]}]\n"
     "domain: {min: [0, -0.6, 0], max: [0.8, 0.6, 0.8], walls: {bottom: open, top: open}}\n",
     0.02, 0.0144},
    {"box in a pool",
     "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.3, 0.4]}}]\n"
     "emitters: [{material: water, box: {min: [0.1, 0.08, 0.12], max: [0.22, 0.2, 0.3]}, velocity: [0.6, 0, 0]}]\n"
     "domain: {min: [0, 0, 0], max: [0.6, 0.6, 0.4]}\n",
     0.03, 0.01296},
};
static void shapes_bring_what_is_due(void** state) {
    (void)state;
    for (size_t k = 0; k < sizeof shape_jets / sizeof *shape_jets; k++) {
        const shape_jet* j = &shape_jets[k];
        char             text[1024];
        snprintf(text, sizeof text, "solver: tetra\nspacing: %.9g\nfps: 60\nframes: 18\n%s", j->spacing, j->scene);
        shoal_sim* sim   = lab_sim(text, (lab_setup){0});
        double     first = lab_stat(sim, "volume_m3"), balance = 0.0, seen = 0.0;
        for (int f = 1; f <= 18; f++) {
            double due = j->due * f / 60.0;
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            if (f < 12) continue;
            balance = fmax(balance, fabs(lab_stat(sim, "emitted_m3") / due - 1.0));
            seen    = fmax(seen, fabs((lab_stat(sim, "volume_m3") + lab_stat(sim, "removed_m3") - first) / due - 1.0));
        }
        truth_below(truth_case("%s: what is in the books off what is due by, at most, from 0.2 s on", j->name), "tetra",
                    balance, "", 0.05);
        truth_below(truth_case("%s: volume off what is due by, at most, from 0.2 s on", j->name), "tetra", seen, "",
                    0.06);
        shoal_sim_destroy(sim);
    }
}

// Its stream has the velocity of a tap that moves in addition to its own.
static void a_tap_that_moves_throws_its_stream(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: tetra\nspacing: 0.02\nfps: 60\ngravity: [0, 0, 0]\n"
                             "domain: {min: [-1, -1, -1], max: [1, 1, 1]}\n"
                             "emitters: [{material: water, disc: {radius: 0.07}, velocity: [0, -1, 0], motion: "
                             "[{t: 0, at: [-0.3, 0.2, 0]}, {t: 0.4, at: [0.3, 0.2, 0.1]}]}]\n",
                             (lab_setup){0});
    lab_run(sim, 0.2, 1.0 / 60.0);
    double mass = 1000.0 * lab_stat(sim, "tets_m3");
    truth_near("tap that moves at 1.5 m/s: mean velocity of its stream along that", "tetra",
               lab_stat(sim, "momentum_x_kgmps") / mass, "m/s", 1.5, 0.05);
    truth_near("tap that moves at 1.5 m/s: mean velocity of its stream out of it", "tetra",
               -lab_stat(sim, "momentum_y_kgmps") / mass, "m/s", 1.0, 0.1);
    shoal_sim_destroy(sim);
}

static char warned[512];
static void remember(shoal_log_level level, const char* text, void* user) {
    (void)user;
    size_t end = strlen(warned);
    if (level == SHOAL_LOG_WARNING) snprintf(warned + end, sizeof warned - end, "%s\n", text);
}

// What the correction moves is told. A stream into a pool takes air with it, over which the surface closes: without
// keep_volume three quarters of what comes are lost.
static void what_keeps_the_volume_is_told(void** state) {
    (void)state;
    double without = 0.0;
    for (int keeps = 0; keeps < 2; keeps++) {
        char text[512];
        snprintf(text, sizeof text,
                 "solver: tetra\nspacing: 0.03\nfps: 30\nframes: 18\ndomain: {max: [0.36, 0.36, 0.36]}\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.36, 0.12, 0.36]}}]\n"
                 "emitters: [{material: water, disc: {radius: 0.08}, at: [0.18, 0.3, 0.18], velocity: [0, -1.5, 0]}]\n"
                 "tetra: {keep_volume: %s}\n",
                 keeps ? "true" : "false");
        shoal_sim *sim = lab_sim(text, (lab_setup){0}), *resumed = lab_sim(text, (lab_setup){0});
        void*      bytes;
        size_t     size;
        double     first = lab_stat(sim, "volume_m3"), corrected;
        lab_run(sim, 0.5, 1.0 / 30.0);
        assert_int_equal(shoal_sim_save(sim, &bytes, &size), SHOAL_OK);
        assert_int_equal(shoal_sim_load(resumed, bytes, size), SHOAL_OK);
        shoal_bytes_free(bytes, size);
        assert_true(lab_stat(resumed, "corrected_m3") == lab_stat(sim, "corrected_m3"));
        warned[0] = 0;
        shoal_set_log(remember, NULL);
        lab_run(resumed, 0.1, 1.0 / 30.0);
        shoal_set_log(NULL, NULL);
        lab_run(sim, 0.1, 1.0 / 30.0);
        corrected   = lab_stat(sim, "corrected_m3");
        double lost = first + lab_stat(sim, "emitted_m3") - lab_stat(sim, "volume_m3");
        assert_true(lab_stat(resumed, "corrected_m3") == corrected);
        if (keeps) {
            assert_non_null(strstr(warned, "keep_volume has given"));
            truth_near("stream into a pool: what keep_volume has given over what is lost without, at 0.6 s", "tetra",
                       corrected / without, "", 1.0, 0.3);
        } else {
            assert_non_null(strstr(warned, "have vanished"));
            assert_true(corrected == 0.0);
            without = lost;
        }
        shoal_sim_destroy(sim);
        shoal_sim_destroy(resumed);
    }
}

// A stream that falls into a small pool. What is lost where it plunges is given back to the pool, not to the stream,
// which is what it would be without: it had 1.11 of that. And less is lost, since the surface goes outwards where the
// two meet: without that 0.88 of what came.
static double volume_between(const shoal_sim* sim, double low, double high) {
    shoal_field_view at = lab_view(sim, "tets.position"), held = lab_view(sim, "tets.volume");
    double           sum = 0.0;
    for (int64_t t = 0; t < at.count; t++) {
        double y = (double)((const shoal_v3*)at.data)[t].y;
        if (y > low && y < high) sum += (double)((const float*)held.data)[t];
    }
    return sum;
}
static void a_stream_that_plunges_stays_as_it_is(void** state) {
    (void)state;
    double stream[2] = {0.0, 0.0}, level[2] = {0.0, 0.0}, lost = 0.0, came = 0.0;
    for (int keeps = 0; keeps < 2; keeps++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "solver: tetra\nspacing: 0.02\ndomain: {min: [-0.2, 0, -0.2], max: [0.2, 0.8, 0.2], walls: {top: open}}\n"
            "bodies: [{material: water, box: {min: [-0.2, 0, -0.2], max: [0.2, 0.16, 0.2]}}]\n"
            "emitters: [{material: water, disc: {radius: 0.06}, at: [0, 0.36, 0], velocity: [0, -1.5, 0]}]\n"
            "tetra: {keep_volume: %s}\n",
            keeps ? "true" : "false");
        shoal_sim* sim   = lab_sim(text, (lab_setup){0});
        double     first = lab_stat(sim, "volume_m3");
        lab_run(sim, 0.5, 1.0 / 30.0);
        stream[keeps] = volume_between(sim, 0.26, 0.33);
        level[keeps]  = lab_stat(sim, "volume_m3") - first - volume_between(sim, 0.26, 0.33);
        came          = lab_stat(sim, "emitted_m3");
        if (!keeps) lost = first + came - lab_stat(sim, "volume_m3");
        shoal_sim_destroy(sim);
    }
    truth_near("stream into a pool: its volume by keep_volume over that without", "tetra", stream[1] / stream[0], "",
               1.0, 0.03);
    truth_below("stream into a pool, 0.5 s: lost without keep_volume, over what has come", "tetra", lost / came, "",
                0.5);
    truth_near("stream into a pool, 0.5 s: rise of the rest over what has come", "tetra", level[1] / came, "", 0.9,
               0.1);
}

// A shape without a velocity is kept full of liquid that comes in at rest, high in free air: what falls out of it has
// the momentum that its weight has given it, no more, and the inflow is steady. Once all that falls through a box of
// height h is mixed, that is its section times sqrt(g h). (All of it fell as one body, ever faster, with 2.6 times the
// momentum after half a second.)
typedef struct spring {
    const char *name, *shape;
    double      spacing, inflow; // m, m^3/s
} spring;
static void what_keeps_a_shape_full_comes_in_at_rest(void** state) {
    (void)state;
    static const spring springs[] = {
        {"spring, a box", "box: {min: [-0.1, -0.05, -0.1], max: [0.1, 0.05, 0.1]}", 0.025, 0.0396},
        {"spring, a finer box, turned and moved",
         "box: {min: [-0.1, -0.05, -0.1], max: [0.1, 0.05, 0.1]}, at: [0.031, 0.1, -0.07], rotate: {axis: [0, 1, 0], "
         "degrees: 33}",
         0.0190, 0.0396},
        {"spring, a box that leans",
         "box: {min: [-0.1, -0.05, -0.1], max: [0.1, 0.05, 0.1]}, rotate: {axis: [0.3, 1, 0.4], degrees: 37}", 0.02,
         0.0},
        {"spring, a ball", "sphere: {radius: 0.09}, at: [0.013, 0.1, 0.03]", 0.02, 0.0},
    };
    for (size_t k = 0; k < sizeof springs / sizeof *springs; k++) {
        const spring* s = &springs[k];
        char          text[1024];
        snprintf(text, sizeof text,
                 "solver: tetra\nspacing: %.9g\nfps: 60\nframes: 36\n"
                 "domain: {min: [-0.6, -2, -0.6], max: [0.6, 0.6, 0.6], walls: {top: open, bottom: open}}\n"
                 "emitters: [{material: water, %s}]\n",
                 s->spacing, s->shape);
        shoal_sim* sim     = lab_sim(text, (lab_setup){0});
        double     impulse = 0.0, had = 0.0, emitted[3] = {0.0};
        for (int f = 1; f <= 36; f++) {
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            double has = 9810.0 / 60.0 * lab_stat(sim, "tets_m3");
            impulse += 0.5 * (had + has), had = has;
            if (f % 12 == 0) emitted[f / 12 - 1] = lab_stat(sim, "emitted_m3");
        }
        truth_near(truth_case("%s: momentum over the impulse of its weight", s->name), "tetra",
                   -lab_stat(sim, "momentum_y_kgmps") / impulse, "", 1.0, 0.1);
        truth_near(truth_case("%s: inflow from 0.4 to 0.6 s over that from 0.2 to 0.4 s", s->name), "tetra",
                   (emitted[2] - emitted[1]) / (emitted[1] - emitted[0]), "", 1.0, 0.1);
        if (s->inflow > 0.0)
            truth_near(truth_case("%s: inflow over its section times sqrt(g h)", s->name), "tetra",
                       (emitted[2] - emitted[0]) / 0.4 / s->inflow, "", 1.0, 0.15);
        truth_near(truth_case("%s: volume over what has come", s->name), "tetra",
                   lab_stat(sim, "volume_m3") / emitted[2], "", 1.0, 0.04);
        shoal_sim_destroy(sim);
    }
}

// A disc or a shape within an obstacle gives nothing, and the run says so at its end.
static void a_tap_within_an_obstacle_is_reported(void** state) {
    (void)state;
    static const char* const taps[] = {"disc: {radius: 0.07}, at: [0.3, 0.3, 0.3]",
                                       "box: {min: [0.2, 0.2, 0.2], max: [0.3, 0.3, 0.3]}"};
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "solver: tetra\nspacing: 0.02\nfps: 60\nframes: 6\ndomain: {max: [0.8, 0.6, 0.6]}\n"
                 "obstacles: [{box: {min: [0.1, 0.1, 0.1], max: [0.5, 0.5, 0.5]}}]\n"
                 "emitters: [{material: water, %s, velocity: [1, 0, 0]}]\n",
                 taps[k]);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        warned[0]      = 0;
        shoal_set_log(remember, NULL);
        lab_run(sim, 5.0 / 60.0, 1.0 / 60.0);
        assert_true(warned[0] == 0);
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        shoal_set_log(NULL, NULL);
        assert_non_null(strstr(warned, "emitters.0 has given 0 % of what was due"));
        shoal_sim_destroy(sim);
    }
}

// A stream fills a closed box: it comes as it should until the box is full, then no more, and what is in it calms down.
// (It was counted twice once its mouth was under water, and drove what air was left at 11 m/s.) A tap half under water
// in it brings what it should as well. (0.07 of it, where all of its rim had to be wet.)
static void a_closed_box_is_filled_and_no_more(void** state) {
    (void)state;
    shoal_sim* sim   = lab_sim("solver: tetra\nspacing: 0.04\ndomain: {max: [0.48, 0.48, 0.48]}\n"
                                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.48, 0.3, 0.48]}}]\n"
                                 "emitters: [{material: water, disc: {radius: 0.09}, at: [0.2, 0.45, 0.24], "
                                 "velocity: [0, -1, 0]}]\n",
                               (lab_setup){0});
    double     first = lab_stat(sim, "volume_m3"), due = SHOAL_PI * 0.0081, worst = 0.0, fastest = 0.0;
    warned[0] = 0;
    shoal_set_log(remember, NULL);
    for (int f = 1; f <= 54; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        if (f >= 20) worst = fmax(worst, fabs(lab_stat(sim, "emitted_m3") / (due * f / 60.0) - 1.0));
    }
    assert_true(warned[0] == 0);
    lab_run(sim, 1.1, 1.0 / 60.0);
    fastest = lab_stat(sim, "speed_max_mps");
    shoal_set_log(NULL, NULL);
    truth_below("closed box that a tap fills: off what is due by, at most, until it is nearly full", "tetra", worst, "",
                0.03);
    truth_near("closed box that a tap fills: volume over its room", "tetra",
               lab_stat(sim, "volume_m3") / (0.48 * 0.48 * 0.48), "", 1.0, 0.02);
    truth_near("closed box that a tap fills: what is in the books over the room there was", "tetra",
               lab_stat(sim, "emitted_m3") / (lab_stat(sim, "volume_m3") - first), "", 1.0, 0.03);
    truth_below("closed box that a tap fills: fastest in the end", "tetra", fastest, "m/s", 1.0);
    assert_non_null(strstr(warned, "emitters.0 sends nothing"));
    shoal_sim_destroy(sim);

    sim   = lab_sim("solver: tetra\nspacing: 0.03\ndomain: {max: [0.5, 0.48, 0.48]}\n"
                      "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.3, 0.48]}}]\n"
                      "emitters: [{material: water, disc: {radius: 0.07}, at: [0.18, 0.24, 0.24], "
                      "velocity: [0.5, 0.1, 0]}]\n",
                    (lab_setup){0});
    first = lab_stat(sim, "volume_m3");
    lab_run(sim, 0.5, 1.0 / 60.0);
    due = 0.5 * SHOAL_PI * 0.0049 * sqrt(0.26);
    truth_near("tap half under water: volume over what it should send", "tetra",
               (lab_stat(sim, "volume_m3") - first) / due, "", 1.0, 0.08);
    shoal_sim_destroy(sim);
}

// A piston takes 4 % of a closed box, which is full, or has air in it.
static void a_piston_in_a_full_box_is_reported(void** state) {
    (void)state;
    for (int is_full = 0; is_full < 2; is_full++) {
        char text[512];
        snprintf(text, sizeof text,
                 "solver: tetra\nspacing: 0.05\nfps: 60\ndomain: {max: [0.8, 0.4, 0.4]}\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.8, %.9g, 0.4]}}]\n"
                 "obstacles: [{box: {min: [-0.3, -0.3, -0.3], max: [0, 0.3, 0.3]}, "
                 "motion: [{t: 0, at: [0, 0.2, 0.2]}, {t: 0.1, at: [0.032, 0.2, 0.2]}]}]\n",
                 is_full ? 0.4 : 0.3);
        shoal_sim* sim   = lab_sim(text, (lab_setup){0});
        double     first = lab_stat(sim, "volume_m3");
        warned[0]        = 0;
        shoal_set_log(remember, NULL);
        lab_run(sim, 0.1, 1.0 / 60.0);
        shoal_set_log(NULL, NULL);
        assert_true((strstr(warned, "closed in and full") != NULL) == is_full);
        truth_near(is_full ? "piston in a full box: volume over the first" : "piston in a box with air: the same",
                   "tetra", lab_stat(sim, "volume_m3") / first, "", is_full ? 0.96 : 1.0, 0.012);
        shoal_sim_destroy(sim);
    }
}

// Two basins with a wall between them. A ball is thrown onto the floor of one and loses volume for a while; the other
// is still. Then a stream fills one of three, a sink drains another, and the one between them is still.
static void raise_nothing(const char* name, double spacing, double still, double splashing) {
    char text[768];
    snprintf(text, sizeof text,
             "solver: tetra\nspacing: %.9g\nfps: 60\ndomain: {max: [1.32, 0.9, 0.6]}\n"
             "obstacles: [{box: {min: [0.6, -0.1, -0.1], max: [0.72, 0.7, 0.7]}}]\n"
             "bodies: [{material: water, box: {min: [%.9g, 0, 0], max: [%.9g, 0.2, 0.6]}},\n"
             "  {material: water, sphere: {radius: 0.2}, at: [%.9g, 0.25, 0.3], velocity: [0, -1.5, 0]}]\n"
             "probes: [{name: level, kind: height, at: [%.9g, 0.3]}]\n",
             spacing, still - 0.3, still + 0.3, splashing, still);
    shoal_sim* sim   = lab_sim(text, (lab_setup){0});
    double     first = lab_probe(sim, "level"), worst = 0.0;
    for (int f = 0; f < 30; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        worst = fmax(worst, fabs(lab_probe(sim, "level") - first));
    }
    truth_below(truth_case("splash behind a wall, %s: level of a still pool off by, at most", name), "tetra",
                worst / spacing, "spacings", 0.01);
    shoal_sim_destroy(sim);
}

static void a_splash_raises_no_pool_behind_a_wall(void** state) {
    (void)state;
    raise_nothing("40 mm", 0.04, 0.3, 1.02);
    raise_nothing("mirrored, 33 mm", 0.033, 1.02, 0.3);
}

static void what_comes_and_goes_is_in_the_balance_of_its_basin(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: tetra\nspacing: 0.04\nfps: 60\ndomain: {max: [1.9, 0.9, 0.4]}\n"
                "obstacles: [{box: {min: [0.5, -0.1, -0.1], max: [0.64, 0.6, 0.7]}},\n"
                "  {box: {min: [1.26, -0.1, -0.1], max: [1.4, 0.6, 0.7]}}]\n"
                "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.2, 0.4]}},\n"
                "  {material: water, box: {min: [0.64, 0, 0], max: [1.26, 0.3, 0.4]}},\n"
                "  {material: water, box: {min: [1.4, 0, 0], max: [1.9, 0.2, 0.4]}}]\n"
                "emitters: [{material: water, disc: {radius: 0.08}, at: [0.25, 0.5, 0.2], velocity: [0, -1.5, 0]}]\n"
                "sinks: [{sphere: {radius: 0.1}, at: [1.65, 0, 0.2]}]\n"
                "probes: [{name: level, kind: height, at: [0.95, 0.2]}]\n",
                (lab_setup){0});
    double first = lab_probe(sim, "level"), all = lab_stat(sim, "volume_m3"), worst = 0.0, off = 0.0;
    for (int f = 0; f < 30; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        worst = fmax(worst, fabs(lab_probe(sim, "level") - first));
        off   = fmax(off,
                     fabs(lab_stat(sim, "volume_m3") + lab_stat(sim, "removed_m3") - lab_stat(sim, "emitted_m3") - all));
    }
    truth_below("basin between a fed and a drained one: level off by, at most", "tetra", worst / 0.04, "spacings",
                0.01);
    truth_below("basins that are fed and drained: volume off the books by, at most", "tetra", off / all, "", 0.02);
    shoal_sim_destroy(sim);
}

// A ball in a pool drains it: what is there and what was taken is what there was.
static void a_sink_keeps_its_balance(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: tetra\nspacing: 0.03\nfps: 60\ndomain: {max: [0.9, 0.6, 0.6], walls: {top: open}}\n"
                "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.9, 0.3, 0.6]}}]\n"
                "sinks: [{sphere: {radius: 0.1}, at: [0.431, 0.13, 0.31]}]\n",
                (lab_setup){0});
    double first = lab_stat(sim, "volume_m3"), worst = 0.0;
    for (int f = 0; f < 30; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        worst = fmax(worst, fabs(lab_stat(sim, "volume_m3") + lab_stat(sim, "removed_m3") - first) / first);
    }
    truth_below("sink in a pool: volume and what it took off the first by, at most", "tetra", worst, "", 0.012);
    shoal_sim_destroy(sim);
}

// A disc of radius 8 cm in a pool, at a slant: the pool rises by what it should send.
static void a_tap_under_water_delivers(void** state) {
    (void)state;
    shoal_sim* sim   = lab_sim("solver: tetra\nspacing: 0.03\ndomain: {max: [0.72, 0.6, 0.48], walls: {top: open}}\n"
                                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.72, 0.4, 0.48]}}]\n"
                                 "emitters: [{material: water, disc: {radius: 0.08}, at: [0.2, 0.2, 0.24], "
                                 "velocity: [0.8, 0.2, 0]}]\ntetra: {substeps: 1}\n",
                               (lab_setup){0});
    double     first = lab_stat(sim, "volume_m3"), sent = 0.25 * SHOAL_PI * 0.0064 * sqrt(0.68);
    lab_run(sim, 0.25, 1.0 / 60.0);
    truth_near("tap under water: volume over what it should send", "tetra", (lab_stat(sim, "volume_m3") - first) / sent,
               "", 1.0, 0.03);
    truth_near("tap under water: what is in the books over it", "tetra", lab_stat(sim, "emitted_m3") / sent, "", 1.0,
               1e-6);
    shoal_sim_destroy(sim);
}

// A nozzle that stands in a pool with its mouth above the water brings water of its own, and pumps none of the pool's.
static void a_fountain_brings_its_own_water(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: tetra\nspacing: 0.03\ndomain: {max: [0.6, 0.9, 0.6], walls: {top: open}}\n"
                             "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.45, 0.6]}}]\n"
                             "emitters: [{material: water, disc: {radius: 0.08}, at: [0.3, 0.48, 0.3], "
                             "velocity: [0, 1.5, 0]}]\ntetra: {substeps: 1}\n",
                             (lab_setup){0});
    lab_run(sim, 0.05, 1.0 / 60.0); // the nozzle is full
    double first = lab_stat(sim, "volume_m3"), balance = lab_stat(sim, "emitted_m3");
    double sent = 0.2 * SHOAL_PI * 0.0064 * 1.5;
    lab_run(sim, 0.2, 1.0 / 60.0);
    truth_near("fountain in a pool: volume over what it should send", "tetra",
               (lab_stat(sim, "volume_m3") - first) / sent, "", 1.0, 0.15);
    truth_near("fountain in a pool: what is in the books over it", "tetra",
               (lab_stat(sim, "emitted_m3") - balance) / sent, "", 1.0, 0.15);
    shoal_sim_destroy(sim);
}

// Rain in free air: drops fall as bodies do, and as much of them as should.
static void rain_falls_as_it_should(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: tetra\nspacing: 0.02\ndomain: {max: [0.5, 1.5, 0.5], walls: {top: open}}\n"
                             "emitters: [{material: water, rain: {min: [0.1, 1.3, 0.1], max: [0.4, 1.4, 0.4], "
                             "rate: 3000}, velocity: [0, -1, 0], until: 0.1}]\n",
                             (lab_setup){0});
    lab_run(sim, 0.05, 1.0 / 60.0);
    truth_near("rain: volume over what is in the books, of drops that have just begun", "tetra",
               lab_stat(sim, "volume_m3") / lab_stat(sim, "emitted_m3"), "", 1.0, 0.03);
    lab_run(sim, 0.15, 1.0 / 60.0);
    double sent = 300.0 * 8e-6, age = 0.15 - 0.5 / 60.0; // of the mean drop, which comes in half a step late
    truth_near("rain: what is in the books over what should fall", "tetra", lab_stat(sim, "emitted_m3") / sent, "", 1.0,
               0.03);
    truth_near("rain: volume over what is in the books", "tetra",
               lab_stat(sim, "volume_m3") / lab_stat(sim, "emitted_m3"), "", 1.0, 0.03);
    truth_near("rain: fallen by, over v t + g t^2 / 2", "tetra",
               (1.35 - lab_stat(sim, "com_y_m")) / (age + 0.5 * 9.81 * (age * age + 0.01 / 12.0)), "", 1.0, 0.1);
    shoal_sim_destroy(sim);
}

// A body that goes on far past an open wall is taken as far as liquid is kept there, on either side.
static void a_body_past_an_open_wall_is_cut_off(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: tetra\nspacing: 0.05\ndomain: {max: [0.6, 0.6, 0.4], walls: {left: open, right: "
                             "open}}\nbodies: [{material: water, box: {min: [-20, 0, 0], max: [20, 0.3, 0.4]}}]\n",
                             (lab_setup){0});
    truth_near("body past open walls: volume over three domains of it", "tetra",
               lab_stat(sim, "volume_m3") / (1.8 * 0.3 * 0.4), "", 1.0, 0.05);
    lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
    shoal_sim_destroy(sim);
}

// Two tanks beside each other, one open, one full to its lid with a tap in it, which has no room for more.
static void a_tap_in_a_full_tank_sends_nothing(void** state) {
    (void)state;
    shoal_sim* sim   = lab_sim("solver: tetra\nspacing: 0.03\ndomain: {max: [1.0, 0.48, 0.48]}\n"
                                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.48, 0.48]}}, "
                                 "{material: water, box: {min: [0.5, 0, 0], max: [1, 0.2, 0.48]}}]\n"
                                 "obstacles: [{box: {min: [0.42, -0.1, -0.1], max: [0.58, 0.6, 0.6]}}]\n"
                                 "emitters: [{material: water, disc: {radius: 0.07}, at: [0.18, 0.24, 0.24], "
                                 "velocity: [0.5, 0, 0]}]\ntetra: {substeps: 1}\n",
                               (lab_setup){0});
    double     first = lab_stat(sim, "volume_m3");
    lab_run(sim, 0.1, 1.0 / 60.0);
    truth_near("tap in a full tank: volume over the first", "tetra", lab_stat(sim, "volume_m3") / first, "", 1.0, 1e-3);
    truth_below("tap in a full tank: what is in the books", "tetra", lab_stat(sim, "emitted_m3"), "m^3", 1e-12);
    truth_below("tap in a full tank: fastest", "tetra", lab_stat(sim, "speed_max_mps"), "m/s", 1e-3);
    truth_below("tap in a full tank: iterations", "tetra", lab_stat(sim, "iterations"), "", 40.0);
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taps_bring_what_is_due),
        cmocka_unit_test(a_stream_that_falls_keeps_its_volume),
        cmocka_unit_test(taps_in_walls_bring_what_is_due),
        cmocka_unit_test(shapes_bring_what_is_due),
        cmocka_unit_test(what_keeps_a_shape_full_comes_in_at_rest),
        cmocka_unit_test(a_tap_within_an_obstacle_is_reported),
        cmocka_unit_test(what_keeps_the_volume_is_told),
        cmocka_unit_test(a_stream_that_plunges_stays_as_it_is),
        cmocka_unit_test(a_tap_that_moves_throws_its_stream),
        cmocka_unit_test(a_closed_box_is_filled_and_no_more),
        cmocka_unit_test(a_sink_keeps_its_balance),
        cmocka_unit_test(a_piston_in_a_full_box_is_reported),
        cmocka_unit_test(a_splash_raises_no_pool_behind_a_wall),
        cmocka_unit_test(what_comes_and_goes_is_in_the_balance_of_its_basin),
        cmocka_unit_test(a_tap_under_water_delivers),
        cmocka_unit_test(a_fountain_brings_its_own_water),
        cmocka_unit_test(a_tap_in_a_full_tank_sends_nothing),
        cmocka_unit_test(rain_falls_as_it_should),
        cmocka_unit_test(a_body_past_an_open_wall_is_cut_off),
    };
    return TRUTH_RUN("tetra", tests, argc, argv);
}
