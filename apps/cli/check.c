// SPDX-License-Identifier: MIT
// shoal check: all faults of a scene in one go, then what it would need.
#include "cli.h"

#include <math.h>

// Two digits, which is more than a guess has.
static void seconds_text(double seconds, char* room, size_t size) {
    static const struct {
        double      length; // s
        const char* name;
    } units[] = {{86400.0, "days"}, {3600.0, "hours"}, {60.0, "minutes"}, {1.0, "s"}, {0.0, "ms"}};
    size_t k  = 0;
    while (seconds < 2.0 * units[k].length) k++;
    double shown = units[k].length > 0.0 ? seconds / units[k].length : 1e3 * seconds;
    double step  = shown > 10.0 ? pow(10.0, floor(log10(shown)) - 1.0) : 0.1;
    snprintf(room, size, "%g %s", step * round(shown / step), units[k].name);
}

// Time and disk, tried out on this machine; on a device that is asked for, which may not be to be had.
static shoal_status forecast_print(shoal_scene* scene, const char* device) {
    shoal_run_def  def = shoal_run_def_default();
    shoal_forecast f;
    char           frame[32], all[32];
    def.sim.device      = device;
    shoal_status status = shoal_run_forecast(&def, scene, &f);
    if (status == SHOAL_ERR_PARAM && device) return status;
    if (status != SHOAL_OK) {
        printf("time       cannot be estimated: %s\n", shoal_last_error());
        return SHOAL_OK;
    }
    seconds_text(f.seconds_per_frame, frame, sizeof frame);
    seconds_text(f.seconds, all, sizeof all);
    printf("time       %s per frame, %s in all (estimated: %.3g substeps per frame, %d thread%s of this machine)\n",
           frame, all, f.substeps, f.threads, f.threads == 1 ? "" : "s");
    if (*f.device) {
        cli_bytes_text(f.device_bytes, frame, sizeof frame);
        cli_bytes_text(f.device_free, all, sizeof all);
        printf("device     %s: %s wanted (estimated), %s free\n", f.device, frame, all);
    }
    cli_bytes_text(f.bytes_per_frame, frame, sizeof frame);
    cli_bytes_text(f.bytes, all, sizeof all);
    printf("disk       %s per frame, %s in all (estimated)\n", frame, all);
    return SHOAL_OK;
}

static shoal_status summary(shoal_scene* scene, const char* device) {
    shoal_scene_facts facts = shoal_scene_get_facts(scene);
    char              bytes[32];
    cli_bytes_text((double)facts.bytes, bytes, sizeof bytes);
    printf("name       %s\n", facts.name);
    printf("solver     %s%s\n", facts.solver,
           facts.solver_is_chosen ? ", chosen by the materials; name another with `solver:` or --solver" : "");
    printf("particles  %lld at the start", (long long)facts.particles);
    if (facts.particles_most > facts.particles) printf(", up to %lld with emitters", (long long)facts.particles_most);
    printf("\nspacing    %g m\n", facts.spacing);
    printf("support    %g m\n", facts.support);
    printf("frames     %d at %g fps, %g s\n", facts.frames, facts.fps, facts.frames / facts.fps);
    printf("memory     %lld bytes per particle, %s in all (estimated)\n", (long long)facts.bytes_per_particle, bytes);
    shoal_status status = forecast_print(scene, device);
    if (status == SHOAL_OK && facts.notes && facts.notes[0]) printf("%-10s %s\n", facts.solver, facts.notes);
    return status;
}

static void count_print(int count, const char* what) { fprintf(stderr, "%d %s%s", count, what, count == 1 ? "" : "s"); }

int cli_check(const cli_args* args) {
    shoal_scene* scene  = NULL;
    shoal_status status = cli_scene_open(args, &scene);
    if (status == SHOAL_OK) status = shoal_scene_check(scene);

    int errors = 0, warnings = 0;
    for (int i = 0; scene && i < shoal_scene_fault_count(scene); i++) {
        const shoal_fault* fault = shoal_scene_fault(scene, i);
        cli_fault_print(stderr, fault);
        errors += fault->is_error;
        warnings += !fault->is_error;
    }
    if (status == SHOAL_OK) status = summary(scene, args->options[CLI_OPTION_DEVICE]);
    int code = cli_exit_code(status);
    if (status != SHOAL_OK && errors == 0) cli_fail(status);
    if (errors + warnings > 0) {
        fprintf(stderr, "%s: ", args->words[0]);
        count_print(errors, "error");
        fputs(", ", stderr);
        count_print(warnings, "warning");
        fputc('\n', stderr);
    }
    shoal_scene_destroy(scene);
    return code;
}
