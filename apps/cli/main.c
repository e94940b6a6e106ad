// SPDX-License-Identifier: MIT
// shoal: words -> one command.
#include "benches.h"
#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>

#define BIT(key) CLI_BIT(CLI_OPTION_##key)
#define BENCH_NAME(name, ...) " " name

// clang-format off
static const cli_command commands[] = {
    {"run", "SCENE", "simulate a scene into a folder",
     BIT(OUTPUT) | BIT(SOLVER) | BIT(FRAMES) | BIT(THREADS) | BIT(DEVICE) | BIT(SET) | BIT(RESUME) | BIT(FORCE) |
         BIT(QUIET) | BIT(JSON) | BIT(HELP), 1, 1,
     "Writes frames (ParaView opens DIR/NAME.pvd), stats.csv, probes.csv, run.json and checkpoints.\n"
     "Frame k is the state at k/fps seconds; frame 0 is the start. Ctrl-C ends after the current step\n"
     "with a checkpoint; press it twice to end at once.\n",
     "  shoal run scenes/small/drop.yaml\n"
     "  shoal run scenes/dam-break.yaml -o out/short --frames 48 --threads 2\n"
     "  shoal run scenes/dam-break.yaml -o out/short --resume\n"
     "  shoal run scenes/dam-break.yaml -o out/push --set spacing=0.04 --set 'bodies.0.velocity=[1,0,0]'\n",
     cli_run},
    {"check", "SCENE", "look for every fault in a scene without running it",
     BIT(SOLVER) | BIT(DEVICE) | BIT(SET) | BIT(JSON) | BIT(HELP), 1, 1,
     "Prints all faults in the order of the file, then what the scene would need.\n",
     "  shoal check scenes/dam-break.yaml\n"
     "  shoal check scenes/dam-break.yaml --set spacing=0.005\n"
     "  shoal check scenes/dam-break.yaml --json\n",
     cli_check},
    {"info", "PATH", "describe a scene, mesh, frame, checkpoint or run folder",
     BIT(JSON) | BIT(HELP), 1, 1,
     "Of a run folder it reads every frame, and tells those that are missing or damaged.\n",
     "  shoal info scenes/dam-break.yaml\n"
     "  shoal info out/dam-break\n"
     "  shoal info out/dam-break --json\n",
     cli_info},
    {"solvers", "", "list the solvers",
     BIT(LISTS) | BIT(COLUMNS) | BIT(HELP), 0, 0, "",
     "  shoal solvers\n"
     "  shoal solvers --json\n"
     "  shoal solvers --columns\n",
     cli_solvers},
    {"params", "[NAME]", "list the parameters of a solver, or of everything",
     BIT(MARKDOWN) | BIT(SCHEMA) | BIT(HELP), 0, 1, "",
     "  shoal params pbf\n"
     "  shoal params --markdown > scene-reference.md\n"
     "  shoal params --json-schema > scene.schema.json\n",
     cli_params},
    {"bench", "[NAME]...", "measure the speed of named cases (all when none is named)",
     BIT(DEVICE) | BIT(SET) | BIT(JSON) | BIT(HELP), 0, 64,
     "One row per thread count; step_ms is the median wall time of one substep, without file output; of\n"
     "surfaces and pictures that of one frame, read to written.\n"
     "Cases:" SHOAL_COLUMN_BENCHES(BENCH_NAME) SHOAL_SCENE_BENCHES(BENCH_NAME) SHOAL_SURFACE_BENCHES(BENCH_NAME)
     SHOAL_RENDER_BENCHES(BENCH_NAME) SHOAL_VIEW_BENCHES(BENCH_NAME) SHOAL_FLIP_BENCHES(BENCH_NAME) SHOAL_GRAINS_BENCHES(BENCH_NAME)
     SHOAL_SOAKING_BENCHES(BENCH_NAME) SHOAL_POROUS_BENCHES(BENCH_NAME) SHOAL_TETRA_BENCHES(BENCH_NAME)
     SHOAL_LIVE_BENCHES(BENCH_NAME) ".\n"
     "sand-jet, moist-column, rain and sand-on-bunny run a whole scene, for minutes, and only where they are named.\n",
     "  shoal bench pbf-100k\n"
     "  shoal bench dam-break splash --json\n"
     "  shoal bench pbf-100k --set pbf.iterations=10\n",
     cli_bench},
    {"surface", "DIR", "lay closed meshes around the particles of a run",
     BIT(TO) | BIT(METHOD) | BIT(OBSTACLES) | BIT(SET) | BIT(CHOICE) | BIT(THREADS) | BIT(RESUME) | BIT(QUIET) |
         BIT(JSON) | BIT(HELP), 1, 1,
     "Writes DIR/surface/MATERIAL_000123.vtp (or ply, obj, stl: --to), one mesh per material and frame, and\n"
     "DIR/surface.csv. Settings are those of the scene's block `surface` (shoal params surface). A frame\n"
     "that is damaged or missing is reported, the others are made. Ctrl-C ends after the current frame.\n",
     "  shoal surface out/dam-break\n"
     "  shoal surface out/dam-break --to ply --method anisotropic --frames 10..20\n"
     "  shoal surface out/dam-break --set surface.cell=0.35 --set surface.filling=2\n",
     cli_surface},
    {"plot", "DIR...", "draw charts of what runs measured",
     BIT(POINTS) | BIT(QUIET) | BIT(JSON) | BIT(HELP), 1, 256,
     "Writes DIR/plots/*.svg and *.png from DIR/stats.csv and DIR/probes.csv: energy, density-error, volume,\n"
     "step-time, motion, momentum, water (of grains), solver, and one chart per probe. A file of points is a CSV\n"
     "with the column time_s and columns named as probes (or as columns of stats.csv); empty cells are left out.\n",
     "  shoal plot out/dam-break\n"
     "  shoal plot out/dam-break --points experiment.csv\n"
     "  shoal plot out/*\n",
     cli_plot},
    {"film", "SCENE", "simulate a scene and make a film of it",
     BIT(OUTPUT) | BIT(SOLVER) | BIT(FRAMES) | BIT(THREADS) | BIT(DEVICE) | BIT(SET) | BIT(CAMERA) | BIT(SIZE) | BIT(SAMPLES) | BIT(PREVIEW) |
         BIT(COLOR) | BIT(TO) | BIT(FORCE) | BIT(QUIET) | BIT(JSON) | BIT(HELP), 1, 1,
     "Makes whatever is missing of it: frames, pictures (DIR/pictures), DIR/NAME-sheet.png with six of them and\n"
     "DIR/NAME.mp4 (or webm, gif: --to). The same call goes on where an earlier one stopped. Films are made by\n"
     "the program ffmpeg; without it the pictures are kept. --frames also takes A..B:STEP and lists, as render\n"
     "does: all up to the greatest are simulated, and these are drawn.\n",
     "  shoal film scenes/dam-break.yaml\n"
     "  shoal film scenes/small/drop.yaml --size 640x360 --samples 16 --set render.denoise=true\n"
     "  shoal film scenes/dam-break.yaml -o out/fast --preview --to gif\n",
     cli_film},
    {"render", "DIR", "make pictures of the frames of a run",
     BIT(PREVIEW) | BIT(COLOR) | BIT(CAMERA) | BIT(SIZE) | BIT(SAMPLES) | BIT(TO) | BIT(SET) | BIT(CHOICE) | BIT(THREADS) |
         BIT(FORCE) | BIT(QUIET) | BIT(JSON) | BIT(HELP), 1, 1,
     "Writes DIR/pictures/NAME_000123.png (or linear light: --to exr). Surfaces are made on the way. Camera,\n"
     "lights and looks are those of the scene's block `render` (shoal params render). Pictures that are there\n"
     "are kept, so a call that was ended goes on where it stopped; --force makes them anew. A frame that is\n"
     "damaged or missing is reported, the others are made.\n",
     "  shoal render out/dam-break --preview\n"
     "  shoal render out/dam-break --frames 30..40 --size 640x360 --samples 16 --set render.denoise=true\n"
     "  shoal render out/dam-break --frames 0..240:20,250 --preview\n"
     "  shoal render out/dam-break --color velocity --preview\n"
     "  shoal render out/dam-break --set 'render.camera={from: [4, 1.5, 4], at: [1.5, 0.5, 0.4]}'\n",
     cli_render},
    {"view", "SCENE|DIR|CHECKPOINT", "watch a scene as it runs, or the frames of a run, and interact with it",
     BIT(PLACE) | BIT(SOLVER) | BIT(THREADS) | BIT(DEVICE) | BIT(SET) | BIT(CAMERA) | BIT(SIZE) | BIT(COLOR) | BIT(GRAB) | BIT(SERVE) | BIT(HOST) |
         BIT(KEEP) | BIT(RESUME) | BIT(FORCE) | BIT(QUIET) | BIT(HELP), 1, 1,
     "Opens a window (SDL2, loaded when it is needed), or with --serve a page for a browser, or with --grab writes\n"
     "pictures alone. Drag turns, the wheel goes nearer, space pauses, h lists the keys. A scene is simulated while it\n"
     "is shown: shift and drag moves obstacles that are `movable`, ctrl pours at the cursor. Nothing is written but what\n"
     "keys ask for, into DIR of -o or here (not out/NAME): a camera (NAME.camera.yaml), pictures, a film. With --keep\n"
     "all that is played is a run in DIR as `shoal run` writes it, for shoal render, surface, film, and --resume. How liquids\n"
     "are drawn: --set render.draw=surface, metaballs, ellipsoids or spheres. A run goes on from one of its checkpoints\n"
     "(DIR/checkpoints/NAME_000120.shoal); nothing is written into DIR.\n",
     "  shoal view scenes/sandbox-live.yaml\n"
     "  shoal view out/dam-break --color velocity\n"
     "  shoal view scenes/dam-break.yaml --serve 8080 --device auto\n"
     "  shoal view scenes/sandbox-live.yaml --keep -o out/played\n"
     "  shoal view scenes/small/drop.yaml --grab 10 -o out/drop-view --size 640x360\n",
     cli_view},
    {"compare", "SCENE", "run a scene under several solvers and settings, and report what differs",
     BIT(SOLVERS) | BIT(VARIANT) | BIT(SET) | BIT(OUTPUT) | BIT(FRAMES) | BIT(THREADS) | BIT(DEVICE) | BIT(POINTS) |
         BIT(PICTURES) | BIT(FORCE) | BIT(QUIET) | BIT(JSON) | BIT(HELP), 1, 1,
     "Writes DIR/index.html (also report.md, table.csv) with a table, overlaid plots and a strip of pictures;\n"
     "each variant is a run in DIR/runs. A variant runs under each of --solvers unless it says solver=NAME;\n"
     "where all of them do, the solvers run as they are, beside them;\n"
     "--set is for all of them, and a key such as pbf.iterations changes only what pbf does. Variants that are\n"
     "finished are kept, so the same command goes on after a stop. One that fails is reported; the others are run.\n"
     "DIR is out/NAME-compare of the scene file unless -o says so; --frames takes N alone.\n",
     "  shoal compare scenes/dam-break.yaml --solvers pbf,sph,flip --set spacing=0.04 --frames 60\n"
     "  shoal compare scenes/small/drop.yaml --variant 'soft: pbf.iterations=2' --variant 'hard: pbf.iterations=20'\n"
     "  shoal compare scenes/small/drop.yaml --solvers pbf,sph --set pbf.iterations=10 --pictures\n",
     cli_compare},
    {"export", "DIR", "convert the frames of a run folder, or one frame, into another format",
     BIT(TO) | BIT(CHOICE) | BIT(METHOD) | BIT(SET) | BIT(THREADS) | BIT(QUIET) | BIT(JSON) | BIT(HELP), 1, 1,
     "The formats are ply, obj and csv of the particles, vdb (level set and velocity) and usda (meshes, points,\n"
     "obstacles). Files go to DIR/export; a single .vtp that is no frame of a run is converted beside itself.\n"
     "--method and --set surface.KEY=VALUE are for vdb and usda. A frame that is damaged or missing is reported, the\n"
     "others are made.\n",
     "  shoal export out/dam-break --to ply\n"
     "  shoal export out/dam-break --to vdb --frames 10..20 --set surface.cell=0.35\n"
     "  shoal export out/dam-break/frames/dam-break_000010.vtp --to csv\n",
     cli_export},
};
// clang-format on
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void help_all(FILE* to) {
    fputs("shoal simulates water and sand for animation.\n\nusage: shoal COMMAND [OPTIONS]\n\n", to);
    for (int i = 0; i < COMMAND_COUNT; i++) fprintf(to, "  %-8s  %s\n", commands[i].name, commands[i].summary);
    fputs("  help      explain a command: shoal help run (the same as shoal run --help)\n\n"
          "  --version  version, and the instruction set in use here\n"
          "  --help     this text (also -h)\n\n"
          "examples:\n"
          "  shoal check scenes/small/drop.yaml\n"
          "  shoal run scenes/small/drop.yaml\n"
          "  shoal info out/drop\n\n"
          "exit codes: 0 done, 1 internal fault or out of memory, 2 something given is wrong,\n"
          "            3 the simulation diverged, 4 output cannot be written, 130 interrupted\n",
          to);
}

static void help_one(const cli_command* command) {
    printf("usage: shoal %s%s%s [OPTIONS]\n\n%s\n", command->name, *command->arguments ? " " : "", command->arguments,
           command->summary);
    if (*command->details) printf("\n%s", command->details);
    printf("\noptions:\n");
    cli_options_help(stdout, command->options);
    printf("\nexamples:\n%s", command->examples);
}

static const cli_command* command_find(const char* word) {
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, word) == 0) return &commands[i];
    return NULL;
}

static int unknown_command(const char* word) {
    const char* known[COMMAND_COUNT + 2];
    for (int i = 0; i < COMMAND_COUNT; i++) known[i] = commands[i].name;
    known[COMMAND_COUNT]     = "help";
    known[COMMAND_COUNT + 1] = NULL;
    const char* near         = shoal_nearest_word(word, known);
    if (near) return cli_usage("", "unknown command %.60s; did you mean %s?", word, near);
    return cli_usage("", "unknown command %.60s", word);
}

static int help(int argc, char** argv) {
    if (argc < 3 || argv[2][0] == '-' || strcmp(argv[2], "help") == 0) {
        help_all(stdout);
        return CLI_DONE;
    }
    const cli_command* command = command_find(argv[2]);
    if (!command) return unknown_command(argv[2]);
    help_one(command);
    return CLI_DONE;
}

static int run_command(const cli_command* command, int argc, char** argv) {
    cli_args args;
    int      code = CLI_WRONG;
    if (cli_args_parse(command, argc, argv, 2, &args)) {
        if (args.options[CLI_OPTION_HELP]) {
            help_one(command);
            code = CLI_DONE;
        } else {
            code = command->run(&args);
        }
    }
    cli_args_free(&args);
    return code;
}

static int dispatch(int argc, char** argv) {
    if (argc < 2) {
        help_all(stderr);
        return CLI_WRONG;
    }
    const char* word = argv[1];
    if (strcmp(word, "--version") == 0) {
        char card[512];
        shoal_device_tell("cuda", card, sizeof card);
        printf("shoal %s (%s)\n%s\n", shoal_version(), shoal_isa(), card);
        return CLI_DONE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) return help(argc, argv);
    const cli_command* command = command_find(word);
    if (command) return run_command(command, argc, argv);
    if (word[0] != '-') return unknown_command(word);
    const char* near = shoal_nearest_word(word, (const char* const[]){"--version", "--help", NULL});
    if (near) return cli_usage("", "unknown option %.60s; did you mean %s?", word, near);
    return cli_usage("", "%.60s: the command comes first: shoal COMMAND [OPTIONS]", word);
}

// A stream that the caller closed would leave its number to the next file opened, and progress
// would end up in stats.csv. Held the wrong way round it cannot be used, as before.
static void hold_streams(void) {
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
}

int main(int argc, char** argv) {
    hold_streams();
    signal(SIGPIPE, SIG_IGN); // the reader of the progress may leave; the run goes on
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an output that cannot be written, as on a full disk
    int code = dispatch(argc, argv);
    // a full disk behind `shoal params > file` shows only now
    bool is_written = fflush(stdout) == 0 && !ferror(stdout);
    if (!is_written && code == CLI_DONE) {
        fprintf(stderr, "shoal: standard output could not be written\n");
        code = CLI_NO_OUTPUT;
    }
    return code;
}
