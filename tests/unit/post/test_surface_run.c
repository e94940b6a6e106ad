// SPDX-License-Identifier: MIT
// Meshes of a run, and what is left of them by a kill.
#include "../check.h"
#include "small_run.h"

#include "shoal/surface.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const shoal_surface_row* row, void* user) {
    (void)row, (void)user;
    kill(getpid(), SIGKILL);
}

static shoal_surface_def with(const char* const* settings) {
    shoal_surface_def def = shoal_surface_def_default();
    def.settings          = settings;
    def.format            = "ply";
    def.threads           = 1;
    return def;
}

static size_t mesh_bytes(const char* folder, int frame) {
    char   path[SHOAL_PATH_SIZE];
    char*  bytes = NULL;
    size_t size  = 0;
    CHECK_OK(shoal_path_make(path, "%s/surface/water_%06d.ply", folder, frame));
    if (!shoal_path_exists(path)) return 0;
    CHECK_OK(shoal_file_read(path, &bytes, &size));
    shoal_free(bytes);
    return size;
}

static void a_kill_amid_other_settings_leaves_no_mesh_of_the_earlier_ones(void** state) {
    (void)state;
    const char* const fine[]   = {"surface.cell=0.5", NULL};
    const char* const coarse[] = {"surface.cell=1", NULL};
    const char*       folder   = scratch_path("killed");
    shoal_run_def     run      = small_def(folder);
    CHECK_OK(small_run(&run, "frames", "2"));
    shoal_surface_def def = with(coarse);
    CHECK_OK(shoal_surface_run(&def, folder));
    size_t other = mesh_bytes(folder, 2);
    assert_true(other > 0);

    pid_t child = fork(); // killed after its first mesh
    assert_true(child >= 0);
    if (child == 0) {
        def      = with(fine);
        def.done = die;
        shoal_surface_run(&def, folder);
        _exit(0);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
    assert_int_equal(mesh_bytes(folder, 2), 0);

    def        = with(fine);
    def.resume = true;
    CHECK_OK(shoal_surface_run(&def, folder));
    assert_true(mesh_bytes(folder, 2) > 2 * other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kill_amid_other_settings_leaves_no_mesh_of_the_earlier_ones),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
