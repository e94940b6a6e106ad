// SPDX-License-Identifier: MIT
// shoal check: all faults of a scene in one go, then what it would need.
#include "cli.h"

#include <math.h>

// Two digits, which is more than a guess has.
static void seconds_text(double seconds, char* buffer, size_t size) {
    static const struct {
        double      length; // s
        const char* name;
    } units[] = {{86400.0, "days"}, {3600.0, "hours"}, {60.0, "minutes"}, {1.0, "s"}, {0.0, "ms"}};
    size_t k  = 0;
    while (seconds < 2.0 * units[k].length) k++;
    double shown = units[k].length > 0.0 ? seconds / units[k].length : 1e3 * seconds;
    double step  = shown > 10.0 ? pow(10.0, floor(log10(shown)) - 1.0) : 0.1;
    snprintf(buffer, size, "%g %s", step * round(shown / step), units[k].name);
}

// What a scene would need, as far as it is known.
typedef struct needs {
    shoal_scene_facts facts;
    shoal_forecast    forecast;
    bool              is_foretold;
    char              why_not[512];
} needs;

// Time and disk, tried out on this machine; on the requested device, which may not be available.
static shoal_status find_needs(shoal_scene* scene, const char* device, needs* out) {
    shoal_run_def def   = shoal_run_def_default();
    def.sim.device      = device;
    out->facts          = shoal_scene_get_facts(scene);
    shoal_status status = shoal_run_forecast(&def, scene, &out->forecast);
    out->is_foretold    = status == SHOAL_OK;
    if (status == SHOAL_ERR_PARAM && device) return status;
    if (status != SHOAL_OK) snprintf(out->why_not, sizeof out->why_not, "%s", shoal_last_error());
    return SHOAL_OK;
}

static void forecast_print(const shoal_forecast* f) {
    char frame[32], all[32];
    seconds_text(f->seconds_per_frame, frame, sizeof frame);
    seconds_text(f->seconds, all, sizeof all);
    printf("time       %s per frame, %s in all (estimated: %.3g substeps per frame, ", frame, all, f->substeps);
    if (*f->device)
        printf("on %s)\n", f->device);
    else
        printf("%d thread%s of this machine)\n", f->threads, f->threads == 1 ? "" : "s");
    if (*f->device) {
        cli_bytes_text(f->device_bytes, frame, sizeof frame);
        cli_bytes_text(f->device_free, all, sizeof all);
        printf("device     %s: %s wanted (estimated), %s free\n", f->device, frame, all);
    }
    cli_bytes_text(f->bytes_per_frame, frame, sizeof frame);
    cli_bytes_text(f->bytes, all, sizeof all);
    printf("disk       %s per frame, %s in all (estimated)\n", frame, all);
}

static void needs_print(const needs* n) {
    const shoal_scene_facts* facts = &n->facts;
    char                     bytes[32];
    cli_bytes_text((double)facts->bytes, bytes, sizeof bytes);
    printf("name       %s\n", facts->name);
    printf("solver     %s%s\n", facts->solver,
           facts->solver_is_chosen ? ", chosen by the materials; name another with `solver:` or --solver" : "");
    bool is_mesh = facts->is_mesh;
    printf(is_mesh ? "cubes      %lld of one spacing at the start" : "particles  %lld at the start",
           (long long)facts->particles);
    if (facts->particles_most > facts->particles)
        printf(", up to %lld with emitters", (long long)facts->particles_most);
    printf("\nspacing    %g m\n", facts->spacing);
    if (!is_mesh) printf("support    %g m\n", facts->support);
    printf("frames     %d at %g fps, %g s\n", facts->frames, facts->fps, facts->frames / facts->fps);
    if (is_mesh || facts->particles_most == 0)
        printf("memory     %s in all (estimated)\n", bytes);
    else
        printf("memory     %lld bytes per particle, %s in all (estimated)\n", (long long)facts->bytes_per_particle,
               bytes);
    if (n->is_foretold)
        forecast_print(&n->forecast);
    else
        printf("time       cannot be estimated: %s\n", n->why_not);
    if (facts->remarks && facts->remarks[0]) printf("%-10s %s\n", facts->solver, facts->remarks);
}

static void text_json(const char* key, const char* text) {
    printf(",\"%s\":", key);
    cli_json_text(stdout, text);
}

static void number_json(const char* key, double value) {
    printf(",\"%s\":", key);
    cli_json_number(stdout, value);
}

static void needs_json(const needs* n) {
    const shoal_scene_facts* facts = &n->facts;
    const shoal_forecast*    f     = &n->forecast;
    printf("{\"event\":\"check\"");
    text_json("name", facts->name);
    text_json("solver", facts->solver);
    printf(",\"solver_is_chosen\":%s,\"particles\":%lld,\"particles_most\":%lld",
           facts->solver_is_chosen ? "true" : "false", (long long)facts->particles, (long long)facts->particles_most);
    number_json("spacing", facts->spacing);
    number_json("support", facts->support);
    number_json("frames", facts->frames);
    number_json("fps", facts->fps);
    printf(",\"bytes_per_particle\":%lld,\"bytes\":%lld", (long long)facts->bytes_per_particle,
           (long long)facts->bytes);
    if (n->is_foretold) {
        number_json("seconds_per_frame", f->seconds_per_frame);
        number_json("seconds", f->seconds);
        number_json("substeps", f->substeps);
        number_json("threads", f->threads);
        number_json("disk_bytes_per_frame", f->bytes_per_frame);
        number_json("disk_bytes", f->bytes);
        if (*f->device) {
            text_json("device", f->device);
            number_json("device_bytes", f->device_bytes);
            number_json("device_free", f->device_free);
        }
    } else {
        text_json("why_no_time", n->why_not);
    }
    if (facts->remarks && facts->remarks[0]) text_json("remarks", facts->remarks);
    printf("}\n");
}

static void count_print(int count, const char* what) { fprintf(stderr, "%d %s%s", count, what, count == 1 ? "" : "s"); }

static void counts_print(const char* scene, int errors, int warnings) {
    if (errors + warnings == 0) return;
    fprintf(stderr, "%s: ", scene);
    count_print(errors, "error");
    fputs(", ", stderr);
    count_print(warnings, "warning");
    fputc('\n', stderr);
}

int cli_check(const cli_args* args) {
    shoal_scene* scene   = NULL;
    needs        n       = {0};
    bool         is_json = args->options[CLI_OPTION_JSON] != NULL;
    shoal_status status  = cli_scene_open(args, &scene);
    if (status == SHOAL_OK) status = shoal_scene_check(scene);

    int errors = 0, warnings = 0;
    for (int i = 0; scene && i < shoal_scene_fault_count(scene); i++) {
        const shoal_fault* fault = shoal_scene_fault(scene, i);
        if (is_json)
            cli_fault_json(stdout, fault);
        else
            cli_fault_print(stderr, fault);
        errors += fault->is_error;
        warnings += !fault->is_error;
    }
    if (status == SHOAL_OK) {
        status = find_needs(scene, args->options[CLI_OPTION_DEVICE], &n);
        if (status == SHOAL_OK && is_json) needs_json(&n);
        if (status == SHOAL_OK && !is_json) needs_print(&n);
    }
    int code = cli_exit_code(status);
    if (is_json && errors > 0) cli_json_last(status, NULL, 0, NULL); // its faults are reported
    if (is_json && errors == 0) cli_json_end(status, NULL, 0, NULL);
    if (!is_json && status != SHOAL_OK && errors == 0) cli_fail(status);
    if (!is_json) counts_print(args->words[0], errors, warnings);
    shoal_scene_destroy(scene);
    return code;
}
