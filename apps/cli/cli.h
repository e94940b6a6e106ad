// SPDX-License-Identifier: MIT
// The command line: a client of include/shoal and of nothing else. Options and commands are tables,
// and parsing, help and suggestions are made from them.
#ifndef SHOAL_CLI_H
#define SHOAL_CLI_H

#include "shoal/files.h"
#include "shoal/shoal.h"

#include <stdio.h>

// Exit codes are a contract with scripts and farms.
enum {
    CLI_DONE        = 0,
    CLI_INTERNAL    = 1, // fault of ours, or out of memory
    CLI_WRONG       = 2, // anything wrong in what the user gave
    CLI_DIVERGED    = 3,
    CLI_NO_OUTPUT   = 4,  // output cannot be written
    CLI_INTERRUPTED = 130 // as shells say it: 128 + SIGINT
};

// clang-format off
// key, word, value (NULL: a switch), help
#define CLI_OPTIONS(X)                                                                                \
    X(OUTPUT,   "-o",            "DIR",      "folder of the run (default: out/NAME of the scene file)") \
    X(PLACE,    "-o",            "DIR",      "folder of what is written (default: here)")             \
    X(SOLVER,   "--solver",      "NAME",     "solver to use in place of the scene's")                 \
    X(FRAMES,   "--frames",      "N | A..B", "frames 0..N, or only A..B (default: all)") \
    X(CHOICE,   "--frames",      "LIST",     "which frames: 7, 3..9, 0..100:10, or several with commas (default: all)") \
    X(THREADS,  "--threads",     "N",        "threads (default: all cores); results do not depend on it") \
    X(DEVICE,   "--device",      "NAME",     "where to compute: cpu (default), cuda, cuda:N, auto, or mirror, for tests; results do not depend on it") \
    X(SET,      "--set",         "KEY=VALUE", "change one value of the scene; may be given many times") \
    X(RESUME,   "--resume",      NULL,       "go on where an earlier call stopped")                   \
    X(FORCE,    "--force",       NULL,       "start anew: what an earlier call made there is replaced")  \
    X(QUIET,    "--quiet",       NULL,       "say nothing but errors")                                \
    X(JSON,     "--json",        NULL,       "one JSON object per line")                              \
    X(LISTS,    "--json",        NULL,       "their sets, fields, columns and parameters, as one JSON text") \
    X(COLUMNS,  "--columns",     NULL,       "the columns of stats.csv, as Markdown tables")          \
    X(MARKDOWN, "--markdown",    NULL,       "as Markdown tables")                                    \
    X(SCHEMA,   "--json-schema", NULL,       "as a JSON schema, for editors that check scenes")       \
    X(TO,       "--to",          "FORMAT",   "format of the files")                                   \
    X(METHOD,   "--method",      "NAME",     "zhu-bridson, blobby, color-field or anisotropic")       \
    X(OBSTACLES, "--obstacles",  NULL,       "the obstacles of the scene too, where they are in each frame")  \
    X(POINTS,   "--points",      "FILE",     "measured points to lay over the curves; may be given many times")  \
    X(SIZE,     "--size",        "WxH",      "width and height of the pictures in pixels")            \
    X(SAMPLES,  "--samples",     "N",        "rays through each pixel; more is smoother and slower")  \
    X(PREVIEW,  "--preview",     NULL,       "particles as shaded balls, in a fraction of a second")  \
    X(COLOR,    "--color",       "FIELD",    "paint particles by velocity, density, wetness or another field") \
    X(CAMERA,   "--camera",      "FILE",     "a file with a block `camera`, in place of the scene's")  \
    X(SOLVERS,  "--solvers",     "NAME,NAME", "solvers to compare")                                    \
    X(VARIANT,  "--variant",     "TEXT",     "\"name: key=value ...\", settings to compare; may be given many times") \
    X(PICTURES, "--pictures",    NULL,       "pictures side by side, also when the scene has no camera") \
    X(GRAB,     "--grab",        "N",        "draw N frames into DIR/pictures without a window")       \
    X(SERVE,    "--serve",       "PORT",     "show it in a browser: http on this machine alone; 0: any free port") \
    X(HOST,     "--host",        "ADDRESS",  "with --serve: listen there in place of 127.0.0.1")       \
    X(KEEP,     "--keep",        NULL,       "what is played is a run in the folder of -o: frames, stats, checkpoints") \
    X(HELP,     "--help",        NULL,       "this text (also -h)")
// clang-format on

#define X(key, word, value, help) CLI_OPTION_##key,
typedef enum cli_option { CLI_OPTIONS(X) CLI_OPTION_COUNT } cli_option;
#undef X
#define CLI_BIT(option) (UINT64_C(1) << (option))

// The words of one call, sorted. Strings belong to argv.
typedef struct cli_args {
    const char*  options[CLI_OPTION_COUNT]; // NULL: not given; a switch that is given holds ""
    const char** sets;                      // each --set, in order
    int          set_count;
    const char** points; // each --points, in order, ended by NULL
    int          point_count;
    const char** variants; // each --variant, in order
    int          variant_count;
    const char** words; // what is no option: SCENE, PATH, NAME ...
    int          word_count;
    char**       argv; // all of it, from the program's name
    int          argc;
} cli_args;

typedef struct cli_command {
    const char* name;
    const char* arguments; // for the usage line
    const char* summary;
    uint64_t    options; // bits, CLI_BIT of each
    int         words_min, words_max;
    const char* details;  // more for its help, or ""
    const char* examples; // lines
    int (*run)(const cli_args* args);
} cli_command;

// options.c
// Sorts argv[first..) by the options of the command; false after telling the user what is wrong.
bool cli_args_parse(const cli_command* command, int argc, char** argv, int first, cli_args* out);
void cli_args_free(cli_args* args);
void cli_options_help(FILE* to, uint64_t options);
// A wrong use: prints "shoal COMMAND: ..." and how to get help; returns CLI_WRONG. When the call
// asked for --json, the same as an error and an end on standard output.
int cli_usage(const char* command, const char* format, ...) __attribute__((format(printf, 2, 3)));
// A whole number in [min, max], the entire text.
bool cli_whole(const char* text, long min, long max, int* out);
enum { CLI_THREADS_MOST = 1024, CLI_FRAME_MOST = 999999 }; // names of frames have six digits
// The usage faults of options that several commands take; return CLI_WRONG.
int  cli_threads_wrong(const char* command, const char* given);
int  cli_frames_wrong(const char* command, const char* given);
bool cli_size(const char* text, int* width, int* height); // "1280x720"

// report.c
int  cli_exit_code(shoal_status status); // the one place that maps one to the other
void cli_json_text(FILE* to, const char* text);
void cli_json_number(FILE* to, double value);    // null when not finite
void cli_utf8_print(FILE* to, const char* text); // what is no UTF-8 as question marks
void cli_fault_print(FILE* to, const shoal_fault* fault);
void cli_fault_json(FILE* to, const shoal_fault* fault);
void cli_faults_show(const shoal_scene* scene, bool is_quiet); // on standard error; quiet: no warnings
// {"event":"error","message":...} on standard output.
void cli_json_error(const char* message);
// The last object of a command: its exit code; where it makes files from those of a run, the folder (NULL: it makes
// none) and how many there are now; and `again`, the call that goes on (NULL: none).
void cli_json_end(shoal_status status, const char* folder, int files, const char* again);
void cli_json_last(shoal_status status, const char* folder, int files, const char* again); // the end alone
// "1:02:03", "2:05"
void cli_clock_text(double seconds, char* buffer, size_t size);
// "41.2 MB"
void cli_bytes_text(double bytes, char* buffer, size_t size);
// Prints the last error, and returns the exit code of the status.
int    cli_fail(shoal_status status);
double cli_seconds(void);                          // of a clock that is never set back
double cli_median(double* values, int count);      // sorts them
double cli_stat(shoal_sim* sim, const char* name); // one column of stats.csv, now; 0: there is none

// stop.c
void cli_catch_signals(void);
bool cli_should_stop(void* user); // Ctrl-C was pressed since cli_catch_signals
// The same call without --resume and --force, and with `option` ("": none); free it. NULL: no memory.
char* cli_way_on(const cli_args* args, const char* option);

// scene_args.c
// Loads the scene named on the command line and applies --solver and --set. *out may be made even
// on failure, when the scene holds faults worth showing; else the last error tells.
shoal_status cli_scene_open(const cli_args* args, shoal_scene** out);
shoal_status cli_scene_change(const cli_args* args, shoal_scene* scene); // --camera, --set and --solver alone
shoal_status cli_scene_set(const cli_args* args, shoal_scene* scene);    // each --set
// The settings of --set, and --method as one of them, written into `method`; ended by NULL. Free it. NULL: no memory.
enum { CLI_METHOD_SIZE = 96 };
const char** cli_surface_settings(const cli_args* args, char method[CLI_METHOD_SIZE]);

// run.c
// "N" as 0 to N, or "A..B"; false when it is neither.
// `may_choose`: also A..B:STEP and lists, of which first and last are given.
bool cli_frames(const char* text, bool may_choose, int* first, int* last);
// --frames where frames are chosen: its text in *out, NULL when it is not given; CLI_WRONG after telling what is wrong.
int cli_choice(const char* command, const cli_args* args, const char** out);

// one file per command
int cli_run(const cli_args* args);
int cli_check(const cli_args* args);
int cli_info(const cli_args* args);
int cli_solvers(const cli_args* args);
int cli_params(const cli_args* args);
int cli_bench(const cli_args* args);
int cli_export(const cli_args* args);
int cli_surface(const cli_args* args);
int cli_render(const cli_args* args);
int cli_film(const cli_args* args);
int cli_plot(const cli_args* args);
int cli_compare(const cli_args* args);
int cli_view(const cli_args* args);

#endif
