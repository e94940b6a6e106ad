// SPDX-License-Identifier: MIT
// shoal check: all faults of a scene in one go, then what it would need.
#include "cli.h"

static void summary(const shoal_scene* scene) {
    shoal_scene_facts facts = shoal_scene_get_facts(scene);
    char              bytes[32];
    cli_bytes_text((double)facts.bytes, bytes, sizeof bytes);
    printf("name       %s\n", facts.name);
    printf("solver     %s%s\n", facts.solver, facts.solver_is_chosen ? ", chosen by the materials; name another with `solver:` or --solver" : "");
    printf("particles  %lld at the start", (long long)facts.particles);
    if (facts.particles_most > facts.particles)
        printf(", up to %lld with emitters", (long long)facts.particles_most);
    printf("\nspacing    %g m\n", facts.spacing);
    printf("support    %g m\n", facts.support);
    printf("frames     %d at %g fps, %g s\n", facts.frames, facts.fps, facts.frames / facts.fps);
    printf("memory     %lld bytes per particle, %s in all (estimated)\n",
           (long long)facts.bytes_per_particle, bytes);
    if (facts.notes && facts.notes[0]) printf("%-10s %s\n", facts.solver, facts.notes);
}

static void count_print(int count, const char* what) {
    fprintf(stderr, "%d %s%s", count, what, count == 1 ? "" : "s");
}

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
    int code = cli_exit_code(status);
    if (status != SHOAL_OK && errors == 0) cli_fail(status);
    if (status == SHOAL_OK) summary(scene);
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
