// SPDX-License-Identifier: MIT
// shoal run: a scene into a folder, with progress, and a way on after Ctrl-C.
#include "progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_progress_end_line(cli_progress* t) {
    if (t->has_line) fputc('\n', stdout);
    t->has_line = false;
    fflush(stdout);
}

static void progress_json(const shoal_progress* p) {
    printf("{\"event\":\"frame\",\"frame\":%d,\"frame_first\":%d,\"frame_last\":%d,\"time_s\":", p->frame,
           p->frame_first, p->frame_last);
    cli_json_number(stdout, p->time_s);
    printf(",\"written\":%s,\"substeps\":%d,\"particles\":%lld,", p->is_written ? "true" : "false", p->substeps,
           (long long)p->particles);
    if (p->has_mesh) printf("\"tetrahedra\":%lld,", (long long)p->tetrahedra);
    printf("\"step_ms\":");
    cli_json_number(stdout, p->step_ms);
    printf(",\"seconds_spent\":");
    cli_json_number(stdout, p->seconds_spent);
    printf(",\"seconds_left\":");
    cli_json_number(stdout, p->seconds_left);
    printf(",\"device\":");
    cli_json_text(stdout, p->device);
    printf("}\n");
}

static void on_progress(const shoal_progress* p, void* user) {
    cli_progress* t = user;
    t->last         = *p;
    if (t->voice == VOICE_QUIET) return;
    double after = t->seconds_after ? t->seconds_after(p, t) : 0.0;
    if (t->voice == VOICE_JSON) {
        progress_json(p);
    } else {
        char left[32], all[64] = "", on[136] = "";
        if (strcmp(p->device, "cpu") != 0) snprintf(on, sizeof on, "  %s", p->device);
        cli_clock_text(p->seconds_left, left, sizeof left);
        if (after > 0.0) {
            char film[32];
            cli_clock_text(p->seconds_left + after, film, sizeof film);
            snprintf(all, sizeof all, "  film: %s left", film);
        }
        bool is_terminal = t->voice == VOICE_TERMINAL;
        printf("%s%s %d/%d  t %.3f s  %d substeps  %lld %s  %.1f ms/step%s  %s left%s%s", is_terminal ? "\r\033[K" : "",
               p->is_written ? "frame" : "simulated", p->frame, p->frame_last, p->time_s, p->substeps,
               (long long)(p->has_mesh ? p->tetrahedra : p->particles), p->has_mesh ? "tetrahedra" : "particles",
               p->step_ms, on, left, all, is_terminal ? "" : "\n");
        t->has_line = is_terminal;
    }
    fflush(stdout);
}

static void message(cli_progress* t, const char* event, const char* text) {
    if (t->voice == VOICE_QUIET) return;
    cli_progress_end_line(t);
    if (t->voice == VOICE_JSON) {
        printf("{\"event\":\"%s\",\"message\":", event);
        cli_json_text(stdout, text);
        printf("}\n");
    } else if (strcmp(event, "warning") == 0) {
        fprintf(stderr, "warning: %s\n", text);
    } else {
        printf("%s\n", text);
    }
    fflush(stdout);
}

static void on_note(const char* text, void* user) { message(user, "note", text); }

static void on_log(shoal_log_level level, const char* text, void* user) {
    message(user, level == SHOAL_LOG_WARNING ? "warning" : "note", text);
}

bool cli_frames(const char* text, bool may_choose, int* first, int* last) {
    if ((!may_choose && strpbrk(text, ":,")) || !shoal_frames_read(text, first, last)) return false;
    if (!strpbrk(text, ".-,")) *first = -1; // N: all up to it
    return true;
}

static void faults_show(const cli_progress* t, const shoal_scene* scene) {
    if (t->voice != VOICE_JSON) {
        cli_faults_show(scene, t->voice == VOICE_QUIET);
        return;
    }
    for (int i = 0; i < shoal_scene_fault_count(scene); i++) cli_fault_json(stdout, shoal_scene_fault(scene, i));
}

void cli_progress_error(const cli_progress* t, shoal_status status) {
    if (t->voice != VOICE_JSON) {
        cli_fail(status);
        return;
    }
    const char* text = shoal_last_error();
    cli_json_error(*text ? text : shoal_status_text(status));
}

static void end_show(const cli_progress* t, const cli_args* args, shoal_status status) {
    char* again = status == SHOAL_ERR_INTERRUPTED ? cli_way_on(args, t->way_on) : NULL;
    if (t->voice == VOICE_JSON) {
        printf("{\"event\":\"end\",\"exit\":%d,\"status\":", cli_exit_code(status));
        cli_json_text(stdout, shoal_status_text(status));
        printf(",\"folder\":");
        cli_json_text(stdout, t->folder);
        printf(",\"frame\":%d,\"time_s\":", t->last.frame);
        cli_json_number(stdout, t->last.time_s);
        printf(",\"seconds\":");
        cli_json_number(stdout, t->last.seconds_spent);
        if (again) {
            printf(",\"resume\":");
            cli_json_text(stdout, again);
        }
        printf("}\n");
    } else if (again && *t->way_on) {
        fprintf(stderr, "interrupted after frame %d; to go on: %s\n", t->last.frame, again);
    } else if (again) {
        fprintf(stderr, "interrupted; to go on: %s\n", again);
    } else if (status == SHOAL_OK && t->voice != VOICE_QUIET) {
        char spent[32];
        cli_clock_text(t->last.seconds_spent, spent, sizeof spent);
        printf("done in %s: %s\n", spent, t->result[0] ? t->result : t->folder);
    }
    free(again);
}

void cli_progress_begin(cli_progress* t, const cli_args* args, const char* way_on) {
    *t = (cli_progress){.way_on = way_on,
                        .voice  = args->options[CLI_OPTION_JSON]    ? VOICE_JSON
                                  : args->options[CLI_OPTION_QUIET] ? VOICE_QUIET
                                  : isatty(STDOUT_FILENO)           ? VOICE_TERMINAL
                                                                    : VOICE_LINES};
    shoal_set_log(on_log, t);
}

int cli_progress_end(cli_progress* t, const cli_args* args, shoal_status status) {
    end_show(t, args, status);
    shoal_set_log(NULL, NULL);
    return cli_exit_code(status);
}

static shoal_status simulate(cli_progress* t, const cli_args* args, shoal_run_def* def, shoal_scene* scene) {
    cli_catch_signals();
    char* again         = cli_way_on(args, t->way_on);
    def->way_on         = again;
    def->progress       = on_progress;
    def->note           = on_note;
    def->stop           = cli_should_stop;
    def->user           = t;
    shoal_status status = shoal_run(def, scene, args->words[0]);
    def->way_on         = NULL;
    free(again);
    cli_progress_end_line(t);
    if (status != SHOAL_OK && status != SHOAL_ERR_INTERRUPTED) cli_progress_error(t, status);
    return status;
}

int cli_run_options(const char* command, const cli_args* args, shoal_run_def* def) {
    const char* frames  = args->options[CLI_OPTION_FRAMES];
    const char* threads = args->options[CLI_OPTION_THREADS];
    def->folder         = args->options[CLI_OPTION_OUTPUT];
    def->sim.device     = args->options[CLI_OPTION_DEVICE];
    if (frames && !cli_frames(frames, strcmp(command, "film") == 0, &def->first, &def->last))
        return cli_frames_wrong(command, frames);
    if (threads && !cli_whole(threads, 1, CLI_THREADS_MOST, &def->sim.threads))
        return cli_threads_wrong(command, threads);
    return CLI_DONE;
}

shoal_status cli_run_scene(cli_progress* t, const cli_args* args, shoal_run_def* def) {
    shoal_scene* scene  = NULL;
    shoal_status status = cli_scene_open(args, &scene);
    if (status == SHOAL_OK) status = shoal_scene_check(scene);
    shoal_run_folder(def, args->words[0], t->folder, sizeof t->folder);
    if (scene) faults_show(t, scene);
    bool is_shown = scene && shoal_scene_fault_count(scene) > 0 && status == SHOAL_ERR_INPUT;
    if (status != SHOAL_OK && !is_shown) cli_progress_error(t, status);
    if (status == SHOAL_OK) status = simulate(t, args, def, scene);
    shoal_scene_destroy(scene);
    return status;
}

int cli_run(const cli_args* args) {
    shoal_run_def def = shoal_run_def_default();
    cli_progress  t;
    int           code = cli_run_options("run", args, &def);
    if (code != CLI_DONE) return code;
    def.resume = args->options[CLI_OPTION_RESUME] != NULL;
    def.force  = args->options[CLI_OPTION_FORCE] != NULL;
    cli_progress_begin(&t, args, "--resume");
    return cli_progress_end(&t, args, cli_run_scene(&t, args, &def));
}
