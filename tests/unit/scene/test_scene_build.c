// SPDX-License-Identifier: MIT
// Every fault a scene can have, at its exact place.
#include "marked.h"

static void unknown_keys_are_reported_with_the_nearest_known_one(void** state) {
    (void)state;
    expect_error(GOOD "@spacng: 1\n", "unknown key \"spacng\" in scene; did you mean \"spacing\"?");
    expect_error(GOOD "pbf: {@iteratons: 3}\n", "unknown key \"iteratons\" in pbf; did you mean \"iterations\"?");
    expect_error(GOOD "grains: {@qqqqqq: 3}\n", "known: iterations, substeps");
    expect_error("spacing: 0.1\nbodies: [{sphere: {radius: 1}, @center: [0, 0, 0]}]\n",
                 "unknown key \"center\" in bodies.0");
    expect_error(GOOD BOX "obstacles:\n  - sphere:\n      @radus: 1\n      radius: 1\n",
                 "obstacles.0.sphere; did you mean \"radius\"?");
    expect_error(GOOD "materials: {water: {@denisty: 3}}\n", "did you mean \"density\"?");
    expect_error(GOOD "@force: []\n", "did you mean \"forces\"?");
    expect_error(GOOD "forces: [{acceleration: [1, 0, 0], @untl: 3}]\n", "did you mean \"until\"?");
    expect_error(GOOD "forces: [@{from: 1}]\n", "forces.0.acceleration is missing");
    expect_error(GOOD "forces: [{acceleration: [1, 0, 0], from: 2, until: @1}]\n", "until = 1 is not after from = 2");
    expect_error(GOOD "forces: [{acceleration: [1, 0, 0], @at: [1, 0, 0]}]\n", "`at` has no meaning without a shape");
    expect_error(GOOD "forces: [{acceleration: [1, 0, 0], material: @watr}]\n", "did you mean \"water\"?");
    expect_error(GOOD "domain: {max: [2, 2, 2], walls: {@tpo: open}}\n", "did you mean \"top\"?");
}

static void keys_of_the_level_above_or_below_are_reported_with_their_place(void** state) {
    (void)state;
    expect_error(GOOD
                 "emitters: [{rain: {min: [0, 1, 0], max: [1, 2, 1], rate: 3, @flow: 0.01}, velocity: [0, -1, 0]}]\n",
                 "unknown key \"flow\" in emitters.0.rain; it stands one level up, beside \"rain\"");
    expect_error(GOOD
                 "emitters: [{rain: {min: [0, 1, 0], max: [1, 2, 1], rainfall: 9}, @rate: 9, velocity: [0, -1, 0]}]\n",
                 "unknown key \"rate\" in emitters.0; it stands one level down, in \"rain\"");
    expect_error(GOOD "solver: pbf\n@iterations: 2\n", "\"iterations\" in scene; it stands one level down, in \"pbf\"");
    expect_error(GOOD "pbf: {@fps: 60}\n", "unknown key \"fps\" in pbf; it stands one level up, beside \"pbf\"");
}

static void a_key_of_earlier_versions_says_what_to_do(void** state) {
    (void)state;
    expect_warning(GOOD "@arithmetic: fast\n",
                   "arithmetic: has no effect any more: a scene has the same bits on every machine; leave it out");
    expect_error(GOOD "pbf: {@arithmetic: fast}\n", "unknown key \"arithmetic\" in pbf");
}

static void duplicate_keys_are_reported_with_both_places(void** state) {
    (void)state;
    expect_error(GOOD "frames: 3\n@frames: 4\n", "duplicate key \"frames\"; it was given before at line 3, column 1");
    expect_error("spacing: 0.1\nbodies:\n  - {sphere: {radius: 1}, velocity: [0, 0, 0], @sphere: "
                 "{radius: 1}}\n",
                 "given before at line 3, column 6");
}

static void values_of_a_wrong_type_are_reported(void** state) {
    (void)state;
    expect_error(GOOD "frames: @many\n", "frames takes a whole number, not \"many\"");
    expect_error(GOOD "frames: @1.5\n", "frames = 1.5 is not a whole number");
    expect_error(GOOD "frames: @[1]\n", "frames takes a whole number, not a list");
    expect_error(GOOD "frames: @'3'\n", "frames takes a whole number, not \"3\"");
    expect_error(GOOD "@fps:\n", "fps takes a number, not nothing");
    expect_error(GOOD "fps: @true\n", "fps takes a number, not true");
    expect_error(GOOD "gravity: @9.81\n", "gravity takes three numbers [x, y, z], not the number 9.81");
    expect_error(GOOD "gravity: @[1, 2]\n", "gravity takes three numbers [x, y, z], 2 are given");
    expect_error(GOOD "gravity: @[a, 2, 3]\n", "gravity takes three numbers [x, y, z]; one of them is the text \"a\"");
    expect_error(GOOD "pbf: @3\n", "pbf: takes a map");
    expect_error(GOOD "pbf: {clamp: @1}\n", "pbf.clamp takes true or false, not the number 1");
    expect_error(GOOD "pbf: {clamp: @yes}\n", "pbf.clamp takes true or false");
    expect_error(GOOD "obstacles: @{sphere: {radius: 1}}\n", "obstacles: takes a list, not a map");
    expect_error(GOOD "obstacles: [@3]\n", "obstacles.0: takes a map");
    expect_error("spacing: 0.1\nbodies: [{sphere: @2}]\n", "bodies.0.sphere: takes a map");
    expect_error("@[1, 2]\n", "takes a map {key: value, ...}, not a list");
    expect_error(GOOD "name: @[x]\n", "name: takes text, not a list");
}

static void values_that_are_not_finite_are_reported(void** state) {
    (void)state;
    expect_error(GOOD "fps: @.nan\n", "fps = nan is not a finite number");
    expect_error(GOOD "fps: @-.inf\n", "fps = -inf is not a finite number");
    expect_error(GOOD "fps: @1e999\n", "fps = inf is not a finite number");
    expect_error(GOOD "fps: @nan\n", "fps takes a number, not \"nan\"");
    expect_error("spacing: 0.1\nbodies: [{sphere: {radius: 1}, scale: @.inf}]\n", "bodies.0.scale: inf is outside");
    expect_error("spacing: 0.1\nbodies: [{sphere: {radius: 1}, at: [0, @.nan, 0]}]\n",
                 "bodies.0.at = nan is not a finite number");
}

static void values_out_of_range_are_reported_with_the_range(void** state) {
    (void)state;
    expect_error(GOOD "pbf: {iterations: @0}\n", "pbf.iterations = 0 is outside [1, 64]");
    expect_error(GOOD "pbf: {vorticity: @10.5}\n", "pbf.vorticity = 10.5 is outside [0, 10] m/s");
    expect_error(GOOD "grains: {iterations: @65}\n", "grains.iterations = 65 is outside [1, 64]");
    expect_error(GOOD "frames: @-1\n", "frames = -1 is outside [0, 999999]");
    expect_error(GOOD "gravity: [0, @-1e9, 0]\n", "gravity.y = -1e+09 is outside [-10000, 10000] m/s^2");
    expect_error(GOOD "domain: {max: [2, 2, 2], walls: {left: {friction: @-1}}}\n",
                 "domain.walls.left.friction = -1 is outside [0, 10]");
}

static void sizes_of_zero_or_less_are_reported(void** state) {
    (void)state;
    expect_error("spacing: @0\nbodies: [{sphere: {radius: 1}}]\n", "spacing = 0 is outside [1e-06, 1000] m");
    expect_error("spacing: @-1\nbodies: [{sphere: {radius: 1}}]\n", "spacing = -1 is outside");
    expect_error("spacing: 0.1\nbodies: [{sphere: {radius: @-1}}]\n", "bodies.0.sphere.radius = -1 is outside");
    expect_error("spacing: 0.1\nbodies: [{box: {size: [1, @0, 1]}}]\n", "bodies.0.box.size.y = 0 is outside");
    expect_error("spacing: 0.1\nbodies: [{torus: {ring: 1, tube: @0}}]\n", "bodies.0.torus.tube = 0");
    expect_error("spacing: 0.1\nbodies: [{sphere: {radius: 1}, scale: @-2}]\n",
                 "bodies.0.scale: -2 is outside [1e-06, 1e+06]");
    expect_error("spacing: 0.1\nbodies: [{box: {min: [0, 0, 0], max: @[1, -1, 1]}}]\n",
                 "bodies.0.box: min = 0 is not below max = -1 along y");
    expect_error(GOOD "domain: {min: [0, 3, 0], max: @[2, 2, 2]}\n", "domain: min = 3 is not below max = 2 along y");
}

static void words_that_are_not_known_are_reported(void** state) {
    (void)state;
    expect_error(GOOD "solver: @pfb\n", "there is no solver \"pfb\"; there is pbf, grains; did you mean \"pbf\"?");
    expect_error(GOOD "pbf: {relaxation: @cmf}\n",
                 "pbf.relaxation = \"cmf\" is not one of cfm, precomputed; did you mean \"cfm\"?");
    expect_error(GOOD "materials: {soup: {preset: @watr}}\n",
                 "materials.soup.preset = \"watr\" is not one of none, water, oil, honey, sand, soil, gravel; "
                 "did you mean \"water\"?");
    expect_error("spacing: 0.1\nbodies: [{material: @wine, sphere: {radius: 1}}]\n",
                 "bodies.0.material: there is no material \"wine\"");
    expect_error("spacing: 0.1\nbodies: [{material: @hony, sphere: {radius: 1}}]\n", "did you mean \"honey\"?");
    expect_error(GOOD "domain: {max: [2, 2, 2], walls: {top: @opn}}\n",
                 "domain.walls.top: takes open, slip, stick, periodic or {friction: f}, not "
                 "\"opn\"; did you mean \"open\"?");
    expect_error(GOOD "probes: [{name: a, kind: @fornt}]\n", "did you mean \"front\"?");
    expect_error(GOOD "output: {fields: [pressure, @presure]}\n",
                 "output.fields: pbf has no field \"presure\"; did you mean \"pressure\"?");
    expect_error(GOOD "output: {fields: [@lambda]}\n", "pbf has no field \"lambda\"");
    expect_error(GOOD "output: {fields: [@particles.presure]}\n",
                 "pbf has no field \"particles.presure\"; did you mean \"pressure\"?");
    expect_error(GOOD "output: {fields: [@partcles.pressure]}\n",
                 "pbf has no set \"partcles\"; did you mean \"particles\"?");
}

static void bodies_outside_the_domain_are_reported(void** state) {
    (void)state;
    expect_error("spacing: 0.1\n" BOX "bodies:\n  - @{sphere: {radius: 0.5}, at: [10, 1, 1]}\n",
                 "bodies.0: is outside the domain: it reaches x = 10.5, beyond the right wall at 2");
    expect_error("spacing: 0.1\n" BOX "bodies:\n  - @{sphere: {radius: 0.5}, at: [0.2, 1, 1]}\n",
                 "beyond the left wall at 0");
    expect_error("spacing: 0.1\ndomain: {max: [2, 2, 2], walls: {top: open}}\nbodies:\n  - @{box: "
                 "{min: [0, 5, 0], max: [1, 6, 1]}}\n",
                 "bodies.0: is outside the domain");
    expect_error("spacing: 0.1\ndomain: {max: [2, 2, 2], walls: {left: periodic, right: "
                 "periodic}}\nbodies:\n  - @{box: {min: [-1, 0, 0], max: [1, 1, 1]}}\n",
                 "beyond the left wall");
}

static void bodies_above_an_open_top_are_fine(void** state) {
    (void)state;
    shoal_scene* scene = checked("spacing: 0.1\ndomain: {max: [2, 2, 2], walls: {top: "
                                 "open}}\nbodies: [{box: {min: [0, 1.5, 0], max: [1, 3, 1]}}]\n");
    assert_int_equal(shoal_scene_get_facts(scene).particles, 10 * 15 * 10);
    shoal_scene_destroy(scene);
}

static void a_plane_fills_the_domain_up_to_it(void** state) {
    (void)state;
    shoal_scene* scene = checked("spacing: 0.1\n" BOX "bodies: [{plane: {offset: 0.5}}]\n");
    assert_int_equal(shoal_scene_get_facts(scene).particles, 20 * 5 * 20);
    shoal_scene_destroy(scene);
    expect_error("spacing: 0.1\nbodies: [@{plane: {}}]\n", "is too large to count: its box has no end");
}

static void bodies_that_overlap_are_reported_and_those_that_touch_are_not(void** state) {
    (void)state;
    expect_error("spacing: 0.1\nbodies:\n  - {box: {min: [0, 0, 0], max: [1, 1, 1]}}\n  - "
                 "@{sphere: {radius: 0.3}, at: [1, 0.5, 0.5]}\n",
                 "bodies.1: overlaps bodies.0: both fill the place (");
    shoal_scene* scene = checked("spacing: 0.1\nbodies:\n  - {box: {min: [0, 0, 0], max: [0.95, 1, "
                                 "1]}}\n  - {box: {min: [0.95, 0, 0], max: [2, 1, 1]}}\n");
    assert_int_equal(shoal_scene_get_facts(scene).particles, 2000);
    shoal_scene_destroy(scene);
}

static void meshes_that_are_not_there_are_reported(void** state) {
    (void)state;
    expect_error(GOOD "obstacles: [{mesh: @no-such.obj}]\n",
                 "obstacles.0.mesh: there is no mesh file \"no-such.obj\"; looked for no-such.obj, "
                 "models/no-such.obj");
    expect_error(GOOD "obstacles: [{mesh: @/dev/zero}]\n", "there is no mesh file");
    expect_error(GOOD "obstacles: [{mesh: @''}]\n", "there is no mesh file");
}

static void more_than_the_machines_memory_is_reported(void** state) {
    (void)state;
    const char* const spacings[] = {"0.02", "0.002"}; // counted, and guessed
    for (int k = 0; k < 2; k++) {
        shoal_scene* scene = parsed(GOOD);
        scene->bytes_most  = 1e6;
        assert_int_equal(shoal_scene_set_value(scene, "spacing", spacings[k]), SHOAL_OK);
        assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
        assert_int_equal(shoal_scene_fault_count(scene), 1);
        assert_non_null(
            strstr(shoal_scene_fault(scene, 0)->message, "this machine has 0.0 GB; make the spacing larger"));
        shoal_scene_destroy(scene);
    }
    expect_error("spacing: 0.0001\nbodies: [@{box: {size: [1, 1, 1]}}]\n",
                 "is too large to count: its box has 1e+12 lattice sites (at most 2e+09)");
    expect_error("spacing: @0.1\nemitters: [{rain: {min: [0, 0, 0], max: [1, 1, 1]}, flow: "
                 "1e6}]\nframes: 999999\ndomain: {max: [1, 1, 1]}\n",
                 "the most there can be is");
}

static void a_spacing_finer_than_places_are_kept_is_reported(void** state) {
    (void)state;
    expect_error("spacing: @0.01\nbodies: [{box: {size: [1, 1, 1]}, at: [1e5, 0, 0]}]\n",
                 "0.01 m is too fine 100000 m from the origin, where places are kept in steps of "
                 "0.012 m; move the scene nearer to the origin");
    expect_error("spacing: @0.01\ndomain: {min: [-9e4, 0, 0], max: [-8e4, 1, 1]}\nemitters: [{rain: "
                 "{min: [-9e4, 0, 0], max: [-8e4, 1, 1], rainfall: 1}}]\n",
                 "is too fine 80000 m from the origin");
    shoal_scene_destroy(checked("spacing: 0.01\ndomain: {max: [1e6, 1, 1]}\nbodies: [{box: {min: [0, 0, "
                                "0], max: [1, 1, 1]}}]\n"));
}

static void periodic_walls_come_in_pairs_and_far_enough_apart(void** state) {
    (void)state;
    expect_error(GOOD "domain: {max: [2, 2, 2], walls: {front: @periodic}}\n",
                 "domain.walls.front: is periodic but back is not; periodic walls come in pairs");
    expect_error("spacing: 0.1\nbodies: [{box: {min: [0, 0, 0], max: [1, 1, 0.3]}}]\ndomain: {max: "
                 "[2, 2, 0.3], walls: {front: @periodic, back: periodic}}\n",
                 "the domain is 0.3 m along z; periodic, it must be at least 0.4 m, twice the "
                 "support of pbf");
    expect_warning(GOOD "domain: {max: [2, 2, 2.05], walls: {front: @periodic, back: periodic}}\n",
                   "not a whole number of spacings");
}

static void an_obstacle_at_a_periodic_seam_is_alike_on_both_sides_or_refused(void** state) {
    (void)state;
    const char* refusal = "obstacles.1: is not the same at both ends of the domain along z, which is periodic; move it "
                          "inside, or let it reach through both";
    expect_error(GOOD "domain: {max: [2, 2, 2], walls: {front: periodic, back: periodic}}\nobstacles:\n  - {box: {min: "
                      "[1.2, 0, 0.5], max: [1.6, 1, 1]}}\n"
                      "  - @{box: {min: [1.2, 0, 1.5], max: [1.6, 1, 2.5]}}\n",
                 refusal);
    shoal_scene_destroy(checked(GOOD "domain: {max: [2, 2, 2], walls: {front: periodic, back: periodic}}\n"
                                     "obstacles: [{box: {min: [1.2, 0, -1], max: [1.6, 1, 3]}}]\n"));
}

static void motion_must_go_forward_in_time(void** state) {
    (void)state;
    expect_error(GOOD "obstacles: [{sphere: {radius: 1}, motion: [{t: 0, at: [5, 5, 5]}, {t: @0, "
                      "at: [5, 6, 5]}]}]\n",
                 "obstacles.0.motion.1: t = 0 is not after the time before it, 0");
    expect_error(GOOD "obstacles: [{sphere: {radius: 1}, @at: [5, 5, 5], motion: [{t: 0, at: [5, 5, 5]}]}]\n",
                 "`at` is given together with motion");
    expect_error(GOOD "obstacles: [{sphere: {radius: 1}, motion: [@{t: 0}]}]\n", "obstacles.0.motion.0.at is missing");
    expect_error(GOOD "obstacles: [{sphere: {radius: 1}, motion: [{t: 0, at: [5, 5, 5], rotate: "
                      "@{axis: [0, 0, 0], degrees: 9}}]}]\n",
                 "axis has no direction");
    expect_error(GOOD "obstacles: [{sphere: {radius: 1}, motion: @[]}]\n", "takes at least one {t, at}");
}

static void what_must_be_there_is_missed(void** state) {
    (void)state;
    expect_error("@bodies: [{sphere: {radius: 1}}]\n", "spacing is missing");
    expect_error("@spacing: 0.1\n", "has no body and no emitter");
    expect_error("@spacing: 0.1\nbodies: []\n", "has no body and no emitter");
    expect_error("spacing: 0.1\nbodies: @5\n", "bodies: takes a list, not the number 5");
    expect_error("spacing: 0.1\nbodies: [@{material: water}]\n", "bodies.0: has no shape; give one of box, sphere");
    expect_error("spacing: 0.1\nbodies: [{box: @{min: [0, 0, 0]}}]\n", "takes either min and max or size");
    expect_error("spacing: 0.1\nbodies: [{sphere: @{}}]\n", "bodies.0.sphere.radius is missing");
    expect_error(GOOD "domain: @{min: [0, 0, 0]}\n", "domain.max is missing");
    expect_error(GOOD "probes: [@{name: a}]\n", "probes.0.kind is missing: one of front|height|pressure");
    expect_error(GOOD "probes: [@{kind: front}]\n", "probes.0.name: is missing");
    expect_error(GOOD "probes: [@{name: a, kind: height}]\n", "probes.0.at: is missing: [x, z] of the gauge");
    expect_error(GOOD "emitters: [@{velocity: [1, 0, 0]}]\n", "needs one of disc, rain or a shape");
}

static void what_does_not_go_together_is_reported(void** state) {
    (void)state;
    expect_error(GOOD "obstacles: [{name: a, sphere: {radius: 1}}, {name: @a, sphere: {radius: 1}}]\n",
                 "obstacles.1.name: another obstacle has the name \"a\"");
    expect_error(GOOD "obstacles: [{name: @obstacle, sphere: {radius: 1}}]\n",
                 "obstacles.0.name: \"obstacle\" stands for all of them together");
    expect_error("spacing: 0.1\nbodies: [{sphere: {radius: 1}, @box: {size: [1, 1, 1]}}]\n",
                 "both sphere and box are given");
    expect_error(GOOD "emitters: [@{disc: {radius: 1}, rain: {min: [0, 0, 0], max: [1, 1, 1], "
                      "rate: 1}, velocity: [1, 0, 0]}]\n",
                 "takes one of disc, rain and a shape");
    expect_error(GOOD "emitters: [@{disc: {radius: 0.2}}]\n", "a disc needs a velocity");
    expect_error("spacing: 1e-5\nframes: 1\nfps: 1e5\nemitters: [@{disc: {radius: 1e-5}, velocity: "
                 "[0, 1e4, 0]}]\n",
                 "emitters.0: the speed 10000 m/s of the disc is above 10 m/s");
    expect_error(GOOD "emitters: [{disc: {radius: 0.2}, velocity: [1, 0, 0], from: 2, until: @1}]\n",
                 "until = 1 is not after from = 2");
    expect_error(GOOD "emitters: [{@at: [1, 1, 1], rain: {min: [0, 0, 0], max: [1, 1, 1], rainfall: 1}}]\n",
                 "`at` has no meaning for rain");
    expect_error(GOOD "emitters: [@{box: {size: [1, 1, 1]}, flow: 0.1}]\n", "needs a velocity for its direction");
    expect_error(GOOD "emitters: [{disc: {radius: 0.2}, velocity: [1, 0, 0], flow: @0}]\n", "flow = 0 is outside");
    expect_error(GOOD "domain: {min: [0, 0, 0], max: [2, 2, 2]}\nemitters: [@{plane: {normal: [0, 1, 0]}, velocity: "
                      "[0, 1, 0], flow: 1}]\n",
                 "has no section");
    expect_error(GOOD "emitters: [{rain: @{min: [0, 0, 0], max: [1, 1, 1]}}]\n", "needs one of rainfall (mm/h), rate");
    expect_error(GOOD "emitters: [@{rain: {min: [0, 0, 0], max: [1, 1, 1], rainfall: 10}, flow: 1}]\n",
                 "takes one of rainfall, rate and flow");
    expect_error("solver: pbf\nspacing: 0.1\nbodies: [{sphere: {radius: 1}, material: @sand}]\n",
                 "the solver pbf does not simulate granular materials like sand");
    expect_error(GOOD "probes: [{name: a, kind: front}, {name: @a, kind: front}]\n",
                 "\"a\" is also the name of probes.0");
    expect_error(GOOD "probes: [{name: @'a,b', kind: front}]\n", "takes no comma");
    expect_error(GOOD "probes: [{name: @time_s, kind: front}]\n", "take another name");
    expect_error(GOOD "probes: [{name: a, kind: height, at: @[1, 2, 3]}]\n",
                 "probes.0.at: takes 2 numbers, 3 are given");
}

static void what_is_doubtful_is_a_warning(void** state) {
    (void)state;
    expect_warning("spacing: 0.1\nbodies:\n  - {sphere: {radius: 1}}\n  - @{box: {size: [0.01, "
                   "0.01, 0.01]}, at: [5, 5, 5]}\n",
                   "bodies.1: has no particle: it is smaller than the spacing 0.1 m");
    expect_warning(GOOD "obstacles: [@{box: {size: [2, 0.05, 2]}, at: [0, 5, 0]}]\n",
                   "obstacles.0: is 0.05 m thin, less than the spacing 0.1 m, at (");
    expect_warning(GOOD "obstacles: [@{scale: [1, 0.1, 1], box: {size: [2, 0.5, 2]}, at: [0, 5, 0]}]\n",
                   "is 0.05 m thin");
    expect_warning(GOOD "obstacles: [@{subtract: [{sphere: {radius: 1}}, {sphere: {radius: "
                        "0.93}}], motion: [{t: 0, at: [0, 5, 0]}, {t: 1, at: [0, 6, 0]}]}]\n",
                   "is 0.07 m thin, less than the spacing 0.1 m, at (");
    expect_warning(GOOD "pbf: @{substeps: 1}\n", "pbf: one substep of 0.0167 s is long");
    expect_warning("spacing: @0.1\ndomain: {max: [40, 40, 40], walls: {top: open}}\nemitters: [{rain: "
                   "{min: [0, 0, 0], max: [40, 40, 40]}, flow: 1e3}]\nframes: 100000\n",
                   "GB of memory");
    expect_warning(GOOD "grains: @{iterations: 7}\n",
                   "grains: has no effect: the scene names no solver, and pbf is chosen by its materials");
    expect_warning("solver: pbf\n" GOOD "grains: @{iterations: 7}\n", "grains: has no effect: the solver is pbf");
    expect_warning(GOOD "obstacles: [{sphere: {radius: 0.1}, at: [1, 1, 1], stick: true, friction: @0.3}]\n",
                   "has no effect: stick holds whatever touches the obstacle");
    expect_warning(GOOD "materials: {water: {packing: @0.5}}\n",
                   "materials.water.packing: has no effect: it is not for liquids");
}

static void bodies_that_obstacles_swallow_are_warned_of(void** state) {
    (void)state;
    const char body[] = "spacing: 0.1\nbodies: [@{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n";
    char       text[512];
    snprintf(text, sizeof text, "%sobstacles: [{plane: {offset: 0.75}}]\n", body);
    expect_warning(text, "bodies.0: obstacles take 751 of its 1,000 places (75 %)");
    snprintf(text, sizeof text, "%sobstacles: [{plane: {offset: 2}}]\n", body);
    expect_warning(text, "bodies.0: has no particle: obstacles take all of its 1,000 places");
    // a cup four spacings wide: of sand on the lattice the layer at its wall is lost, though no obstacle is in the
    // body's way; water has its volume
    const char cup[] = "cylinder: {radius: 0.38, height: 1}, at: [0, 0.52, 0]}]\nobstacles: "
                       "[{subtract: [{cylinder: {radius: 0.6, height: 1.4}, at: [0, 0.5, 0]}, "
                       "{cylinder: {radius: 0.38, height: 1.2}, at: [0, 0.62, 0]}]}]\n";
    snprintf(text, sizeof text, "solver: grains\nspacing: 0.1\nbodies: [@{material: sand, %s", cup);
    expect_warning(text, "bodies.0: has 0.");
    snprintf(text, sizeof text, "spacing: 0.1\nbodies: [{material: water, %s", cup);
    shoal_scene_destroy(checked(text));
    shoal_scene_destroy(checked(GOOD "obstacles: [{plane: {offset: 0.3}}]\n"));
}

static void bodies_in_openings_of_other_streams_are_warned_of(void** state) {
    (void)state;
    const char* const scene = "solver: %s\nspacing: 0.1\nmaterials: {sand: {}, mud: {preset: sand}}\n"
                              "domain: {max: [1, 2, 1]}\n"
                              "bodies: [@{material: %s, box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n"
                              "emitters: [{material: mud, box: {min: [0, 0, 0], max: [1, %g, 1]}, velocity: [0, 1, "
                              "0]}]\n";
    char              text[512];
    snprintf(text, sizeof text, scene, "grains", "sand", 0.3);
    expect_warning(text, "bodies.0: 300 of its 1,000 places stay empty: they are in the opening of emitters.0");
    snprintf(text, sizeof text, scene, "grains", "sand", 1.0);
    expect_warning(text, "bodies.0: 1,000 of its 1,000 places stay empty");
    snprintf(text, sizeof text,
             "spacing: 0.1\ndomain: {max: [1, 2, 1]}\n"
             "bodies: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n"
             "emitters: [{box: {min: [0, 0, 0], max: [1, 0.3, 1]}, velocity: [0, 1, 0]}]\n");
    shoal_scene_destroy(checked(text));
}

static void things_outside_the_domain_are_warned_of(void** state) {
    (void)state;
    expect_warning(GOOD BOX "obstacles: [@{sphere: {radius: 0.5}, at: [5, 1, 1]}]\n",
                   "obstacles.0: is outside the domain: it begins at x = 4.5, and the domain ends "
                   "at 2; nothing will touch it");
    expect_warning(GOOD BOX "emitters: [@{disc: {radius: 0.2}, at: [1, -1, 1], velocity: [1, 0, "
                            "0]}]\n",
                   "emitters.0: is outside the domain: it ends at y = -0.8, and the domain begins "
                   "at 0; nothing will come in");
    expect_warning(GOOD BOX "emitters: [@{rain: {min: [0, 0, 3], max: [1, 1, 4], rainfall: 10}}]\n",
                   "it begins at z = 3");
    expect_warning(GOOD BOX "sinks: [@{box: {min: [3, 0, 0], max: [4, 1, 1]}}]\n", "sinks.0: is outside the domain");
    expect_warning(GOOD BOX "forces: [@{acceleration: [1, 0, 0], box: {min: [3, 0, 0], max: [4, 1, 1]}}]\n",
                   "forces.0: is outside the domain");
    expect_warning(GOOD BOX "forces: [@{acceleration: [1, 0, 0], material: oil}]\n",
                   "forces.0: acts on oil, of which there is no body and no emitter; nothing will feel it");
    expect_warning(GOOD BOX "forces: [@{acceleration: [1, 0, 0], from: 50}]\n",
                   "begins at 50 s, and the scene ends at 4 s");
    expect_warning(GOOD BOX "emitters: [@{disc: {radius: 0.2}, at: [1, 1, 1], velocity: [1, 0, 0], from: 50}]\n",
                   "begins at 50 s, and the scene ends at 4 s; nothing will come in");
    expect_warning(GOOD BOX "probes: [{name: a, kind: height, at: @[3, 1]}]\n", "probes.0: is outside the domain");
    expect_warning(GOOD BOX "probes: [{name: a, kind: pressure, at: @[1, 1, 1.5]}]\n",
                   "is 0.5 m from the nearest wall or obstacle, more than two spacings (0.2 m)");
    expect_warning(GOOD "probes: [{name: a, kind: pressure, at: @[1, 1, 1.5]}]\n", "there is no wall or obstacle");
}

static void obstacles_that_cross_the_domain_in_a_frame_are_warned_of(void** state) {
    (void)state;
    expect_warning(
        GOOD BOX "obstacles: [@{sphere: {radius: 0.1}, motion: [{t: 0, at: [0, 1, 1]}, {t: 0.001, at: [1, 1, 1]}]}]\n",
        "obstacles.0: moves with up to 1e+03 m/s");
    shoal_scene_destroy(checked(
        GOOD BOX "obstacles: [{sphere: {radius: 0.1}, motion: [{t: 0, at: [0, 1, 1]}, {t: 0.1, at: [1, 1, 1]}]}]\n"));
}

// Of a shape that stands on an obstacle, a layer of five is lost; of one that stands in it, four are.
static void places_that_solids_take_are_all_counted(void** state) {
    (void)state;
    const char step[] = GOOD BOX "obstacles: [{box: {min: [0, 0, 0], max: [1, 0.5, 2]}}]\nemitters: [%s{box: {min: "
                                 "[0.2, %g, 0.2], max: [0.9, %g, 0.9]}, velocity: [1, 0, 0]}]\n";
    char                     text[512];
    snprintf(text, sizeof text, step, "", 0.48, 0.98);
    shoal_scene_destroy(checked(text));
    snprintf(text, sizeof text, step, "@", 0.1, 0.6);
    expect_warning(text, "walls and obstacles take 80 % of its places");
}

static void emitters_in_obstacles_or_walls_are_warned_of(void** state) {
    (void)state;
    const char obstacle[] = "obstacles: [{box: {min: [0.5, 0.5, 0.5], max: [1.5, 1.5, 1.5]}}]\n";
    char       text[512];
    snprintf(text, sizeof text, GOOD BOX "%semitters: [@{disc: {radius: 0.2}, at: [1, 1, 1], velocity: [1, 0, 0]}]\n",
             obstacle);
    expect_warning(text, "emitters.0: nothing will come in: all its places are in obstacles");
    snprintf(text, sizeof text,
             GOOD BOX "%semitters: [@{rain: {min: [0.6, 0.6, 0.6], max: [1.4, 1, 1.4], rainfall: 9}}]\n", obstacle);
    expect_warning(text, "nothing will come in");
    snprintf(text, sizeof text, GOOD BOX "%semitters: [@{box: {min: [0.6, 0.6, 0.6], max: [1.4, 1, 1.4]}}]\n",
             obstacle);
    expect_warning(text, "nothing will come in");
    expect_warning(GOOD BOX "emitters: [@{disc: {radius: 0.2}, at: [1, 0.02, 1], velocity: [0, -1, 0]}]\n",
                   "nothing will come in");
    snprintf(text, sizeof text,
             GOOD BOX "%semitters: [@{disc: {radius: 0.5}, at: [0.45, 1, 1], velocity: [0, 1, 0]}]\n", obstacle);
    expect_warning(text, "walls and obstacles take");
    expect_warning(GOOD BOX "emitters: [@{disc: {radius: 0.3}, at: [1, 1.94, 1], velocity: [0, 1, 0]}]\n",
                   "its way is blocked within a radius");
    expect_warning(GOOD BOX "emitters: [{disc: {radius: 0.3}, at: [1, 1, 1], velocity: [0, 1, 0]}, "
                            "@{disc: {radius: 0.1}, at: [1, 1.4, 1], velocity: [0, -1, 0]}]\n",
                   "its way is blocked within a radius");
    shoal_scene_destroy(checked(GOOD BOX "emitters: [{disc: {radius: 0.3}, at: [0.05, 1, 1], velocity: [1, 0, 0]}, "
                                         "{disc: {radius: 0.3}, at: [1.9, 1, 1], velocity: [-1, 0, 0]}]\n"));
}

static void things_that_come_into_the_domain_are_fine(void** state) {
    (void)state;
    shoal_scene_destroy(checked(GOOD "domain: {max: [2, 2, 2], walls: {top: open}}\n"
                                     "obstacles:\n  - {sphere: {radius: 0.2}, motion: [{t: 0, at: [5, 1, 1]}, {t: "
                                     "1, at: [1.7, 1.7, 1.7]}]}\n"
                                     "emitters:\n  - {rain: {min: [0, 2.5, 0], max: [2, 3, 2], rainfall: 10000}}\n"
                                     "probes: [{name: a, kind: pressure, at: [2, 1, 1]}]\n"));
}

static void an_emitter_counts_only_what_the_walls_leave_of_it(void** state) {
    (void)state;
    shoal_scene* inside = checked(GOOD BOX "frames: 1\nemitters: [{box: {min: [1.5, 0, 0], max: [2, "
                                           "1, 1]}}]\n");
    shoal_scene* beyond = checked(GOOD BOX "frames: 1\nemitters: [{box: {min: [1.5, 0, 0], max: "
                                           "[50, 1, 1]}}]\n");
    int64_t few = shoal_scene_get_facts(inside).particles_most, many = shoal_scene_get_facts(beyond).particles_most;
    assert_true(few > 1500 && many < 2 * few);
    shoal_scene_destroy(inside);
    shoal_scene_destroy(beyond);
}

static void all_faults_come_in_one_go_in_the_order_of_the_file(void** state) {
    (void)state;
    shoal_scene* scene = parsed("frames: -1\nspacing: 0.1\npbf: {iterations: 0, foo: 1}\nsolver: "
                                "none\nbodies: [{sphere: {radius: -1}}, {box: {size: [1, 1]}}]\n");
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    assert_string_equal(shoal_last_error(), "test.yaml:1:9: frames = -1 is outside [0, 999999]");
    assert_int_equal(shoal_scene_fault_count(scene), 6);
    const int lines[] = {1, 3, 3, 4, 5, 5};
    for (int k = 0; k < 6; k++) assert_int_equal(shoal_scene_fault(scene, k)->line, lines[k]);
    assert_string_equal(shoal_scene_fault(scene, 1)->path, "pbf.iterations");
    shoal_scene_destroy(scene);
}

static void a_file_of_nothing_but_faults_is_cut_short(void** state) {
    (void)state;
    shoal_text text = {0};
    for (int k = 0; k < 5000; k++) shoal_text_add(&text, "key%d: 1\n", k);
    shoal_scene* scene = parsed(text.bytes);
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_scene_fault_count(scene), 201);
    shoal_scene_destroy(scene);
    shoal_text_free(&text);
}

static const float tetrahedron[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

static shoal_scene* with_mesh(const int* triangles, int count) {
    shoal_scene* scene = parsed(GOOD);
    shoal_scene_set_vec3(scene, "obstacles.0.at", 3.0, 0.0, 0.0);
    assert_int_equal(shoal_scene_set_mesh(scene, "obstacles.0.mesh", tetrahedron, 4, triangles, count), SHOAL_OK);
    assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
    return scene;
}

static bool warns_of(const shoal_scene* scene, const char* part) {
    for (int k = 0; k < shoal_scene_fault_count(scene); k++)
        if (!shoal_scene_fault(scene, k)->is_error && strstr(shoal_scene_fault(scene, k)->message, part)) return true;
    return false;
}

static void doubtful_meshes_are_warned_of(void** state) {
    (void)state;
    const int    closed[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, inverted[] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    shoal_scene* scene = with_mesh(closed, 4);
    assert_false(warns_of(scene, "is open"));
    assert_false(warns_of(scene, "inside out"));
    shoal_scene_destroy(scene);
    scene = with_mesh(closed, 3);
    assert_true(warns_of(scene, "obstacles.0.mesh: the mesh is open: 3 edges belong to one triangle only, one at ("));
    shoal_scene_destroy(scene);
    scene = with_mesh(inverted, 4);
    assert_true(warns_of(scene, "is inside out"));
    shoal_scene_destroy(scene);
    const int tripled[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 0, 2, 3};
    scene               = with_mesh(tripled, 5);
    assert_true(warns_of(scene, "not manifold"));
    shoal_scene_destroy(scene);
    // a plate of 1 x 0.05 x 1 m, its faces in pairs
    const float plate[] = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0.05f, 0, 1, 0.05f, 0, 1, 0.05f, 1, 0, 0.05f, 1};
    const int   faces[] = {0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6, 0, 4, 5, 0, 5, 1,
                           1, 5, 6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4, 0};
    scene               = with_mesh(closed, 4);
    assert_int_equal(shoal_scene_set_mesh(scene, "obstacles.0.mesh", plate, 8, faces, 12), SHOAL_OK);
    assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
    if (!warns_of(scene, "thinner than")) print_faults(scene);
    assert_true(warns_of(scene, "has walls of 0.05 m, thinner than the spacing 0.1 m"));
    shoal_scene_destroy(scene);
}

static void doubts_about_meshes_are_reported_in_places_of_the_scene(void** state) {
    (void)state;
    // open at its base, so the edge is at one of (0, 0, 0) to (1, 1, 0)
    const int    open[] = {0, 1, 3, 0, 3, 2, 1, 2, 3};
    shoal_scene* scene  = with_mesh(open, 3);
    shoal_scene_set_number(scene, "obstacles.0.scale", 2.0);
    shoal_scene_set_value(scene, "obstacles.0.rotate", "{axis: [0, 1, 0], degrees: 90}");
    shoal_scene_set_vec3(scene, "obstacles.0.at", 10.0, 20.0, 30.0);
    assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
    // the middles of the edges: (0.5, 0, 0), (0.5, 0.5, 0), (0, 0.5, 0); x goes to -z
    bool is_placed = warns_of(scene, "one at (10, 20, 29)") || warns_of(scene, "one at (10, 21, 29)") ||
                     warns_of(scene, "one at (10, 21, 30)");
    if (!is_placed) print_faults(scene);
    assert_true(is_placed);
    shoal_scene_destroy(scene);
}

static void the_example_of_the_contract_is_right(void** state) {
    (void)state;
    shoal_scene* scene = checked("name: dam break\nsolver: pbf\nframes: 240\nfps: 60\nspacing: 0.02   # d\ngravity: "
                                 "[0, -9.81, 0]\n"
                                 "domain: {min: [0, 0, 0], max: [3, 2, 0.8], walls: {top: open}}\n"
                                 "materials:\n  water: {preset: water, viscosity: 0.001}\n"
                                 "bodies:\n  - {material: water, box: {min: [0, 0, 0], max: [1, 1, 0.8]}, velocity: "
                                 "[0, 0, 0]}\n"
                                 "obstacles:\n  - {sphere: {radius: 0.2}, motion: [{t: 0, at: [2, 1, 0.4]}, {t: 1, "
                                 "at: [2, 0.3, 0.4], rotate: {axis: [0,1,0], degrees: 90}}]}\n"
                                 "emitters:\n  - {material: water, disc: {radius: 0.1}, at: [0.2, 1.5, 0.4], "
                                 "velocity: [1, 0, 0], from: 0, until: 2}\n"
                                 "  - {material: water, rain: {min: [0,1.9,0], max: [3,2,0.8], rainfall: 6000}}\n"
                                 "sinks:\n  - {box: {min: [2.8, 0, 0], max: [3, 0.1, 0.8]}}\n"
                                 "probes:\n  - {name: front, kind: front, axis: x}\n  - {name: gauge, kind: height, "
                                 "at: [2.5, 0.4]}\n  - {name: p1, kind: pressure, at: [3, 0.1, 0.4]}\n"
                                 "pbf: {iterations: 3, substeps: 4, vorticity: 0.5}\noutput: {every: 1, checkpoint: "
                                 "5, fields: [pressure]}\n");
    shoal_scene_facts facts = shoal_scene_get_facts(scene);
    assert_string_equal(facts.name, "dam break");
    assert_int_equal(facts.particles, 100000);
    assert_true(facts.particles_most > 100000 + 2000 + 500);
    assert_true(facts.bytes > facts.particles_most * facts.bytes_per_particle);
    shoal_description* d = NULL;
    assert_int_equal(shoal_scene_take_description(scene, &d), SHOAL_OK);
    assert_int_equal(d->emitter_count, 2);
    assert_int_equal(d->obstacles[0].key_count, 2);
    assert_true(d->obstacles[0].keys[1].degrees == 90.0);
    assert_int_equal(d->domain.walls[SHOAL_TOP].kind, SHOAL_WALL_OPEN);
    assert_int_equal(d->domain.walls[SHOAL_LEFT].kind, SHOAL_WALL_DEFAULT);
    assert_true(d->materials[0].viscosity == 0.001f && d->materials[0].density == 998.2f);
    assert_true(isinf(d->emitters[1].until));
    assert_true(d->probes[1].at.x == 2.5 && d->probes[1].at.z == 0.4);
    assert_string_equal(d->output.fields[0], "pressure");
    shoal_description_free(d);
    shoal_free(d);
    assert_string_equal(shoal_scene_get_facts(scene).name, "dam break"); // still there
    shoal_scene_destroy(scene);
}

// A flow is a volume: through a disc of 0.1 m, a box of 0.2 x 0.4 m across its velocity, and as rain of so many drops
// of 8e-6 m^3.
static void flows_become_speeds_and_drops(void** state) {
    (void)state;
    shoal_scene*       scene = checked("spacing: 0.02\ndomain: {max: [2, 2, 2], walls: {top: open}}\nemitters:\n"
                                             "  - {disc: {radius: 0.1}, at: [1, 1, 1], velocity: [0, -7, 0], flow: 0.05}\n"
                                             "  - {box: {min: [0, 1, 1], max: [0.1, 1.2, 1.4]}, velocity: [2, 0, 0], flow: 0.05}\n"
                                             "  - {rain: {min: [0, 1.8, 0], max: [2, 1.9, 5]}, flow: 0.05}\n"
                                             "  - {rain: {min: [0, 1.8, 0], max: [2, 1.9, 5], rainfall: 3600}}\n");
    shoal_description* d     = NULL;
    assert_int_equal(shoal_scene_take_description(scene, &d), SHOAL_OK);
    assert_true(fabs((double)d->emitters[0].velocity.y + 0.05 / (3.14159265358979 * 0.01)) < 1e-5);
    assert_true(fabs((double)d->emitters[1].velocity.x - 0.05 / 0.08) < 1e-5);
    assert_true(fabs(d->emitters[2].rate - 0.05 / 8e-6) < 1e-6);
    assert_true(fabs(d->emitters[3].rate - 4.0 * 1e-3 / 8e-6) < 1e-6); // on the 2 x 2 m within the walls
    shoal_description_free(d);
    shoal_free(d);
    shoal_scene_destroy(scene);
    expect_warning(
        GOOD BOX "emitters: [{rain: {min: [0, 1, 0], max: [2, 2, 2], rate: @10}}]\n",
        "counts particles, whose volume depends on spacing and solver: here it is 0.01 m^3/s; `rainfall: 9000`");
    expect_warning(GOOD BOX "emitters: [@{rain: {min: [0, 1, 0], max: [2, 2, 2], rainfall: 0.01}}]\n",
                   "nothing will come in: a drop of this spacing falls every ");
    expect_warning(GOOD BOX "emitters: [@{rain: {min: [0, 1, 0], max: [2, 2, 2], rainfall: 1e9}}]\n",
                   "is more than can fall out of its box: at most about ");
    expect_warning(GOOD BOX "emitters: [@{disc: {radius: 0.04}, at: [1, 1.5, 1], velocity: [1, 0, 0]}]\n",
                   "is narrower than the spacing of 0.1 m: single particles will come, one every 0.199 m");
}

static void the_shipped_dam_break_has_100000_particles(void** state) {
    (void)state;
    char path[1024];
    snprintf(path, sizeof path, "%s/scenes/dam-break.yaml", getenv("SHOAL_SOURCE") ? getenv("SHOAL_SOURCE") : ".");
    shoal_scene* scene = NULL;
    assert_int_equal(shoal_scene_load(path, &scene), SHOAL_OK);
    assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
    assert_int_equal(shoal_scene_fault_count(scene), 0);
    assert_int_equal(shoal_scene_get_facts(scene).particles, 100000);
    shoal_scene_destroy(scene);
}

static void shapes_can_be_placed_and_combined(void** state) {
    (void)state;
    shoal_scene* scene = checked("spacing: 0.1\nbodies:\n"
                                 "  - subtract:\n      - {box: {size: [2, 2, 2]}}\n      - {union: [{box: {size: "
                                 "[1, 1, 1]}}, {sphere: {radius: 0.1}}]}\n    at: [1, 1, 1]\n"
                                 "  - {intersect: [{box: {size: [1, 1, 1]}}, {plane: {}}], at: [5, 5, 5]}\n"
                                 "  - {box: {size: [1, 1, 2]}, rotate: [{axis: [0, 2, 0], degrees: 90}, {axis: [1, "
                                 "0, 0], degrees: 180}], at: [9, 0.5, 0.5]}\n"
                                 "  - {box: {size: [1, 1, 1]}, scale: [2, 1, 1], at: [20, 0.5, 0.5]}\n");
    assert_int_equal(shoal_scene_get_facts(scene).particles, 8000 - 1000 + 500 + 2000 + 2000);
    shoal_description* d = NULL;
    assert_int_equal(shoal_scene_take_description(scene, &d), SHOAL_OK);
    shoal_box box = shoal_shape_bounds(d->bodies[2].shape);
    assert_true(fabs(box.min.x - 8.0) < 1e-9 && fabs(box.max.x - 10.0) < 1e-9);
    shoal_description_free(d);
    shoal_free(d);
    shoal_scene_destroy(scene);
}

static void materials_have_presets_and_defaults(void** state) {
    (void)state;
    shoal_scene*       scene = checked("spacing: 0.1\nmaterials: {syrup: {preset: honey, density: 1300}, "
                                             "water: {viscosity: 0.5}, plain: {}}\n"
                                             "bodies: [{sphere: {radius: 0.5}}, {sphere: {radius: 0.5}, at: "
                                             "[5, 0, 0], material: oil}]\n");
    shoal_description* d     = NULL;
    assert_int_equal(shoal_scene_take_description(scene, &d), SHOAL_OK);
    assert_int_equal(d->material_count, 4);
    assert_true(d->materials[0].density == 1300.0f && d->materials[0].viscosity == 10.0f);
    assert_true(d->materials[1].density == 998.2f && d->materials[1].viscosity == 0.5f);
    assert_true(d->materials[2].density == 1000.0f);
    assert_string_equal(d->materials[3].name, "oil");
    assert_int_equal(d->bodies[0].material, 0);
    assert_int_equal(d->bodies[1].material, 3);
    shoal_description_free(d);
    shoal_free(d);
    shoal_scene_destroy(scene);
}

static void blocks_of_other_solvers_are_checked_and_otherwise_ignored(void** state) {
    (void)state;
    shoal_scene*       scene = checked(GOOD "grains: {iterations: 7}\npbf: {iterations: 5, substeps: "
                                                  "auto, relaxation: precomputed, clamp: false}\n");
    shoal_description* d     = NULL;
    assert_int_equal(shoal_scene_take_description(scene, &d), SHOAL_OK);
    const toy_params* p = d->solver_params;
    assert_int_equal(p->iterations, 5);
    assert_int_equal(p->substeps, 0);
    assert_int_equal(p->relaxation, 1);
    assert_false(p->clamp);
    shoal_description_free(d);
    shoal_free(d);
    shoal_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_keys_are_reported_with_the_nearest_known_one),
        cmocka_unit_test(keys_of_the_level_above_or_below_are_reported_with_their_place),
        cmocka_unit_test(a_key_of_earlier_versions_says_what_to_do),
        cmocka_unit_test(duplicate_keys_are_reported_with_both_places),
        cmocka_unit_test(values_of_a_wrong_type_are_reported),
        cmocka_unit_test(values_that_are_not_finite_are_reported),
        cmocka_unit_test(values_out_of_range_are_reported_with_the_range),
        cmocka_unit_test(sizes_of_zero_or_less_are_reported),
        cmocka_unit_test(words_that_are_not_known_are_reported),
        cmocka_unit_test(bodies_outside_the_domain_are_reported),
        cmocka_unit_test(bodies_above_an_open_top_are_fine),
        cmocka_unit_test(a_plane_fills_the_domain_up_to_it),
        cmocka_unit_test(bodies_that_overlap_are_reported_and_those_that_touch_are_not),
        cmocka_unit_test(meshes_that_are_not_there_are_reported),
        cmocka_unit_test(more_than_the_machines_memory_is_reported),
        cmocka_unit_test(a_spacing_finer_than_places_are_kept_is_reported),
        cmocka_unit_test(periodic_walls_come_in_pairs_and_far_enough_apart),
        cmocka_unit_test(an_obstacle_at_a_periodic_seam_is_alike_on_both_sides_or_refused),
        cmocka_unit_test(motion_must_go_forward_in_time),
        cmocka_unit_test(what_must_be_there_is_missed),
        cmocka_unit_test(what_does_not_go_together_is_reported),
        cmocka_unit_test(what_is_doubtful_is_a_warning),
        cmocka_unit_test(bodies_that_obstacles_swallow_are_warned_of),
        cmocka_unit_test(bodies_in_openings_of_other_streams_are_warned_of),
        cmocka_unit_test(things_outside_the_domain_are_warned_of),
        cmocka_unit_test(obstacles_that_cross_the_domain_in_a_frame_are_warned_of),
        cmocka_unit_test(emitters_in_obstacles_or_walls_are_warned_of),
        cmocka_unit_test(places_that_solids_take_are_all_counted),
        cmocka_unit_test(things_that_come_into_the_domain_are_fine),
        cmocka_unit_test(an_emitter_counts_only_what_the_walls_leave_of_it),
        cmocka_unit_test(all_faults_come_in_one_go_in_the_order_of_the_file),
        cmocka_unit_test(a_file_of_nothing_but_faults_is_cut_short),
        cmocka_unit_test(doubtful_meshes_are_warned_of),
        cmocka_unit_test(doubts_about_meshes_are_reported_in_places_of_the_scene),
        cmocka_unit_test(the_example_of_the_contract_is_right),
        cmocka_unit_test(flows_become_speeds_and_drops),
        cmocka_unit_test(the_shipped_dam_break_has_100000_particles),
        cmocka_unit_test(shapes_can_be_placed_and_combined),
        cmocka_unit_test(materials_have_presets_and_defaults),
        cmocka_unit_test(blocks_of_other_solvers_are_checked_and_otherwise_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
