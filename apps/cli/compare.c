// SPDX-License-Identifier: MIT
// shoal compare: one scene under several solvers and settings.
//
//     --solvers pbf,sph                         one variant per solver
//     --variant "name: key=value key=value"     one with these settings; under each of --solvers
//                                               unless it says solver=NAME itself
#include "shoal/compare.h"
#include "cli.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOLVERS_MOST = 16 };

// All variants of a call; the strings and lists in them are ours.
typedef struct plan {
    int           count;
    shoal_variant variants[SHOAL_VARIANTS_MOST];
    int           solver_count;
    bool          solvers_are_taken; // by a variant
    char*         solvers[SOLVERS_MOST];
} plan;

static void plan_free(plan* p) {
    for (int i = 0; i < p->count; i++) {
        const char* const* settings = p->variants[i].settings;
        for (int k = 0; settings && settings[k]; k++) free((char*)(uintptr_t)settings[k]);
        free((void*)(uintptr_t)settings);
        free((char*)(uintptr_t)p->variants[i].name);
    }
    for (int i = 0; i < p->solver_count; i++) free(p->solvers[i]);
}

static int no_memory(void) {
    fprintf(stderr, "shoal: out of memory\n");
    return CLI_INTERNAL;
}

// --- solvers

static int solver_check(const char* name) {
    const char* known[SOLVERS_MOST + 1];
    char        list[256] = "";
    int         count     = 0;
    for (const shoal_solver_info* s = shoal_solvers(); s->name && count < SOLVERS_MOST; s++) {
        if (strcmp(s->name, name) == 0) return CLI_DONE;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "", s->name);
        known[count++] = s->name;
    }
    known[count]     = NULL;
    const char* near = shoal_nearest_word(name, known);
    return cli_usage("compare", "--solvers %.40s: there is no such solver; there is %s%s%s%s", name, list,
                     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int read_solvers(plan* p, const char* text) {
    while (*text) {
        size_t length = strcspn(text, ",");
        if (length == 0 || p->solver_count == SOLVERS_MOST)
            return cli_usage("compare", "--solvers: give names with commas between, as pbf,sph");
        char* name = strndup(text, length);
        if (!name) return no_memory();
        p->solvers[p->solver_count++] = name;
        int code                      = solver_check(name);
        if (code != CLI_DONE) return code;
        text += length + (text[length] == ',');
    }
    return CLI_DONE;
}

// --- variants

// Where a setting ends: at a blank that is in no bracket and no quotes.
static size_t setting_length(const char* text) {
    int    depth = 0;
    char   quote = 0;
    size_t i     = 0;
    for (; text[i]; i++) {
        char c = text[i];
        if (quote) {
            if (c == quote) quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (strchr("[{(", c)) {
            depth++;
        } else if (strchr("]})", c)) {
            depth--;
        } else if (depth <= 0 && isspace((unsigned char)c)) {
            break;
        }
    }
    return i;
}

static const char* skip_space(const char* text) {
    while (isspace((unsigned char)*text)) text++;
    return text;
}

// "a=1 b=[1, 2]" as a list ended by NULL; NULL when one has no '=' (*wrong is set) or no memory.
static const char** settings_read(const char* text, const char** wrong) {
    size_t       capacity = strlen(text) / 2 + 2, count = 0;
    const char** list = calloc(capacity, sizeof *list);
    *wrong            = NULL;
    for (text = skip_space(text); list && *text; text = skip_space(text)) {
        size_t length = setting_length(text);
        char*  one    = strndup(text, length);
        if (!one || !strchr(one, '=') || *one == '=') {
            *wrong = one ? text : NULL;
            free(one);
            while (count > 0) free((char*)(uintptr_t)list[--count]);
            free(list);
            return NULL;
        }
        list[count++] = one;
        text += length;
    }
    return list;
}

static bool names_solver(const char* const* settings) {
    for (; *settings; settings++)
        if (strncmp(*settings, "solver=", 7) == 0) return true;
    return false;
}

static int add_variant(plan* p, const char* solver, const char* name, const char* settings) {
    if (p->count == SHOAL_VARIANTS_MOST) return cli_usage("compare", "more than %d variants", SHOAL_VARIANTS_MOST);
    const char*    wrong;
    shoal_variant* v    = &p->variants[p->count];
    const char**   list = settings_read(settings, &wrong);
    if (!list && wrong)
        return cli_usage("compare", "--variant: %.40s: give it as \"name: key=value key=value\"", wrong);
    char full[256];
    snprintf(full, sizeof full, "%s%s%s", solver ? solver : "", solver && *name ? " " : "", name);
    *v = (shoal_variant){strdup(full), solver, list};
    p->count++;
    return v->name && list ? CLI_DONE : no_memory();
}

// One --variant, under each solver unless it names its own. Without "name:" the settings are the
// name.
static int read_variant(plan* p, const char* text) {
    const char *colon = strchr(text, ':'), *equals = strchr(text, '=');
    char        name[128];
    bool        has_name = colon && (!equals || colon < equals);
    const char* begin    = skip_space(text);
    int         length   = (int)(has_name ? (size_t)(colon - begin) : strlen(begin));
    while (length > 0 && isspace((unsigned char)begin[length - 1])) length--;
    if (length < 1 || length > 80)
        return cli_usage("compare", "--variant %.60s: its name must have 1 to 80 letters", text);
    snprintf(name, sizeof name, "%.*s", length, begin);

    const char*  settings = has_name ? colon + 1 : text;
    const char*  wrong;
    const char** list = settings_read(settings, &wrong);
    bool         own  = list && names_solver(list);
    for (int i = 0; list && list[i]; i++) free((char*)(uintptr_t)list[i]);
    free(list);
    int code = CLI_DONE;
    for (int s = 0; s < p->solver_count && !own && code == CLI_DONE; s++)
        code = add_variant(p, p->solvers[s], name, settings);
    p->solvers_are_taken |= !own;
    if (own || p->solver_count == 0) code = add_variant(p, NULL, name, settings);
    return code;
}

static int plan_make(const cli_args* args, plan* p) {
    const char* solvers = args->options[CLI_OPTION_SOLVERS];
    int         code    = solvers ? read_solvers(p, solvers) : CLI_DONE;
    for (int i = 0; i < args->variant_count && code == CLI_DONE; i++) code = read_variant(p, args->variants[i]);
    // where all variants name their own, the solvers run as they are, beside them
    for (int s = 0; s < p->solver_count && !p->solvers_are_taken && code == CLI_DONE; s++)
        code = add_variant(p, p->solvers[s], "", "");
    if (code == CLI_DONE && p->count == 0)
        code = cli_usage("compare", "nothing to compare: give --solvers, --variant, or both");
    return code;
}

// --- telling

typedef struct progress_job {
    const plan* plan;
    bool        is_quiet, is_json, is_terminal, has_line;
    int         done;   // variants
    int         widest; // of the names
} progress_job;

static void line_end(progress_job* t) {
    if (t->has_line) fputs("\r\033[K", stdout);
    t->has_line = false;
    fflush(stdout);
}

static void line_begin(const progress_job* t, int index) {
    printf("[%d/%d] %-*s  ", index + 1, t->plan->count, t->widest, t->plan->variants[index].name);
}

static void on_progress(int index, const shoal_progress* p, void* user) {
    progress_job* t = user;
    if (t->is_quiet || t->is_json || !t->is_terminal) return;
    char left[32];
    line_end(t);
    line_begin(t, index);
    cli_clock_text(p->seconds_left, left, sizeof left);
    printf("frame %d/%d  t %.3f s  %d substeps  %.1f ms/step  %s left", p->frame, p->frame_last, p->time_s, p->substeps,
           p->step_ms, left);
    t->has_line = true;
    fflush(stdout);
}

static void message_json(const char* event, const char* variant, const char* text) {
    printf("{\"event\":\"%s\"", event);
    if (variant) {
        printf(",\"variant\":");
        cli_json_text(stdout, variant);
    }
    printf(",\"message\":");
    cli_json_text(stdout, text);
    printf("}\n");
    fflush(stdout);
}

static void on_note(const char* text, void* user) {
    progress_job* t = user;
    if (t->is_quiet) return;
    if (t->is_json) {
        message_json("note", NULL, text);
        return;
    }
    line_end(t);
    printf("%s\n", text);
}

static void on_log(shoal_log_level level, const char* text, void* user) {
    progress_job* t = user;
    if (t->is_quiet) return;
    if (t->is_json) {
        message_json(level == SHOAL_LOG_WARNING ? "warning" : "note", NULL, text);
        return;
    }
    line_end(t);
    fprintf(level == SHOAL_LOG_WARNING ? stderr : stdout, "%s%s\n", level == SHOAL_LOG_WARNING ? "warning: " : "",
            text);
}

static void on_fault(const char* variant, const char* message, void* user) {
    progress_job* t = user;
    if (t->is_json) {
        message_json("error", variant, message);
        return;
    }
    line_end(t);
    fprintf(stderr, "%s: %s\n", variant, message);
}

static void row_json(const shoal_compare_row* row) {
    const struct {
        const char* name;
        double      value;
    } numbers[] = {
        {"particles", row->particles},
        {"lost", row->lost},
        {"steps", row->steps},
        {"compression_avg_pct", row->compression_avg_pct},
        {"compression_peak_pct", row->compression_peak_pct},
        {"compression_max_pct", row->compression_max_pct},
        {"energy_start_j", row->energy_start_j},
        {"energy_end_j", row->energy_end_j},
        {"energy_change_pct", row->energy_change_pct},
        {"frame_ms", row->frame_ms},
        {"step_ms", row->step_ms},
        {"total_s", row->total_s},
    };
    const char* const texts[][2] = {{"variant", row->variant},
                                    {"solver", row->solver},
                                    {"status", shoal_status_text(row->status)},
                                    {"folder", row->folder}};
    printf("{\"event\":\"variant\"");
    for (int k = 0; k < 4; k++) {
        printf(",\"%s\":", texts[k][0]);
        cli_json_text(stdout, texts[k][1]);
    }
    printf(",\"frames\":%d", row->frames);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        printf(",\"%s\":", numbers[k].name);
        cli_json_number(stdout, numbers[k].value);
    }
    printf("}\n");
    fflush(stdout);
}

static void on_done(int index, const shoal_compare_row* row, void* user) {
    progress_job* t = user;
    t->done += row->status == SHOAL_OK;
    if (t->is_json) {
        row_json(row);
        return;
    }
    if (t->is_quiet || row->status != SHOAL_OK) return;
    line_end(t);
    line_begin(t, index);
    printf("done: %d frames, %.0f steps in %.3g s", row->frames, row->steps, row->total_s);
    if (isfinite(row->compression_avg_pct)) printf(", density error %.3g %%", row->compression_avg_pct);
    printf("\n");
    fflush(stdout);
}

static void on_table(const char* text, void* user) {
    progress_job* t = user;
    if (t->is_quiet || t->is_json) return;
    line_end(t);
    printf("\n%s\n", text);
}

// --- the command

static int compare(const cli_args* args, shoal_compare_def* def, const plan* p) {
    progress_job t = {.plan        = p,
                      .is_quiet    = args->options[CLI_OPTION_QUIET] != NULL,
                      .is_json     = args->options[CLI_OPTION_JSON] != NULL,
                      .is_terminal = isatty(STDOUT_FILENO)};
    for (int i = 0; i < p->count; i++)
        if ((int)strlen(p->variants[i].name) > t.widest) t.widest = (int)strlen(p->variants[i].name);
    char* command      = cli_way_on(args, "");
    def->command       = command;
    def->variants      = p->variants;
    def->variant_count = p->count;
    def->settings      = args->sets;
    def->points        = args->points;
    def->force         = args->options[CLI_OPTION_FORCE] != NULL;
    def->pictures      = args->options[CLI_OPTION_PICTURES] != NULL;
    def->progress      = on_progress;
    def->note          = on_note;
    def->fault         = on_fault;
    def->done          = on_done;
    def->table         = on_table;
    def->stop          = cli_should_stop;
    def->user          = &t;
    cli_catch_signals();
    shoal_set_log(on_log, &t);
    shoal_status status = shoal_compare(def, args->words[0]);
    shoal_set_log(NULL, NULL);
    line_end(&t);
    char folder[4096];
    shoal_compare_folder(def, args->words[0], folder, sizeof folder);
    if (t.is_json)
        cli_json_end(status, folder, t.done, status == SHOAL_ERR_INTERRUPTED ? command : NULL);
    else if (status != SHOAL_OK)
        cli_fail(status);
    else if (!t.is_quiet)
        printf("report: %s/index.html\n", folder);
    free(command);
    return cli_exit_code(status);
}

int cli_compare(const cli_args* args) {
    shoal_compare_def def     = shoal_compare_def_default();
    const char*       frames  = args->options[CLI_OPTION_FRAMES];
    const char*       threads = args->options[CLI_OPTION_THREADS];
    int               first   = -1;
    plan              p       = {0};
    def.folder                = args->options[CLI_OPTION_OUTPUT];
    def.device                = args->options[CLI_OPTION_DEVICE];
    if (frames && (!cli_frames(frames, false, &first, &def.last) || first > 0))
        return cli_usage("compare", "--frames %.40s: give N, for frames 0 to N, at most %d", frames, CLI_FRAME_MOST);
    if (threads && !cli_whole(threads, 1, CLI_THREADS_MOST, &def.threads)) return cli_threads_wrong("compare", threads);
    int code = plan_make(args, &p);
    if (code == CLI_DONE) code = compare(args, &def, &p);
    plan_free(&p);
    return code;
}
