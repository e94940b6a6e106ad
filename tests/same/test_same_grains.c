// SPDX-License-Identifier: MIT
// Grains with their contacts: the same bits for any number of threads and every instruction set, plain and wide alike,
// and from a saved state as without one.
#include "lab.h"

// Falls, hits a post and a moving paddle, rains, leaves through a sink; periodic along z.
static const char busy[] = "solver: grains\nspacing: 0.01\nfps: 50\n"
                           "domain: {max: [0.3, 0.3, 0.08], walls: {back: periodic, front: periodic}}\n"
                           "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.1, 0.15, 0.08]}}]\n"
                           "obstacles:\n"
                           "  - {sphere: {radius: 0.03}, at: [0.17, 0.02, 0.04], friction: 0.4}\n"
                           "  - {box: {size: [0.01, 0.08, 0.06]}, friction: 0.4, motion: [{t: 0, at: [0.25, 0.05, "
                           "0.04]}, {t: 1, at: [0.1, 0.05, 0.04], "
                           "rotate: {axis: [0, 1, 0], degrees: 40}}]}\n"
                           "emitters: [{material: sand, rain: {min: [0.05, 0.28, 0], max: [0.25, 0.29, 0.08], rate: "
                           "400}, velocity: [0, -1, 0]}]\n"
                           "sinks: [{box: {min: [0.28, 0, 0], max: [0.3, 0.02, 0.08]}}]\n";

static uint64_t after(int threads, const char* isa, double seconds) {
    shoal_sim* sim = lab_sim(busy, (lab_setup){.threads = threads, .isa = isa});
    lab_run(sim, seconds, 0.02);
    uint64_t hash = shoal_sim_hash(sim);
    assert_true(lab_stat(sim, "contacts") > 0.1);
    shoal_sim_destroy(sim);
    return hash;
}

static void any_number_of_threads_and_every_set_give_the_same_bits(void** state) {
    (void)state;
    uint64_t one = after(1, NULL, 0.06);
    assert_true(after(2, NULL, 0.06) == one);
    assert_true(after(5, NULL, 0.06) == one);
    static const char* const sets[] = {"generic", "sse2", "avx2", "avx512"};
    for (int k = 0; k < 4; k++)
        if (lab_has_isa(sets[k])) assert_true(after(2, sets[k], 0.06) == one);
}

static void a_saved_state_goes_on_as_if_nothing_had_been(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(busy, (lab_setup){0});
    lab_run(sim, 0.06, 0.02);
    void*  bytes;
    size_t size;
    CHECK_OK(shoal_sim_save(sim, &bytes, &size));
    lab_run(sim, 0.06, 0.02);
    uint64_t   straight = shoal_sim_hash(sim);
    shoal_sim* again    = lab_sim(busy, (lab_setup){.threads = 1});
    CHECK_OK(shoal_sim_load(again, bytes, size));
    lab_run(again, 0.06, 0.02);
    assert_true(shoal_sim_hash(again) == straight);
    // and a damaged one is refused
    ((unsigned char*)bytes)[size - 1] = 0x7f, ((unsigned char*)bytes)[size - 2] = 0xff;
    assert_int_equal(shoal_sim_load(again, bytes, size), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_sim_load(again, bytes, size - 5), SHOAL_ERR_INPUT);
    shoal_bytes_free(bytes, size);
    shoal_sim_destroy(again);
    shoal_sim_destroy(sim);
}

// From one busy state. What tells a few grains apart is no rounding that grows but switches, which the last bit throws:
// a contact that begins a substep earlier, and more often the bridge of eq. 13, which drags sideways too as soon as
// grains part.
static void compare_plain_and_wide(const char* setting, const char* bridge, double seconds, double fraction) {
    enum { MOST = 4000 };
    static float v[2][MOST][3], w[2][MOST][3];
    void*        bytes;
    size_t       size;
    shoal_sim*   sim = lab_sim(busy, (lab_setup){.set = {setting, bridge}});
    lab_run(sim, 0.06, 0.02);
    int count = (int)shoal_sim_count(sim);
    assert_true(count < MOST);
    CHECK_OK(shoal_sim_save(sim, &bytes, &size));
    shoal_sim_destroy(sim);
    for (int k = 0; k < 2; k++) {
        sim = lab_sim(busy, (lab_setup){.isa = k == 0 ? "plain" : NULL, .set = {setting, bridge}});
        CHECK_OK(shoal_sim_load(sim, bytes, size));
        CHECK_OK(shoal_sim_advance(sim, seconds));
        lab_by_id(sim, "velocity", v[k]);
        lab_by_id(sim, "spin", w[k]);
        shoal_sim_destroy(sim);
    }
    int apart = 0;
    for (int i = 0; i < count; i++) {
        double dv = 0.0, dw = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            dv = fmax(dv, fabs((double)v[0][i][axis] - (double)v[1][i][axis]));
            dw = fmax(dw, fabs((double)w[0][i][axis] - (double)w[1][i][axis]));
        }
        apart += dv > 2e-5 || dw > 2e-2;
        CHECK_BELOW(dv, 2e-3); // m/s, of about 1
    }
    CHECK_BELOW(apart, fraction * count);
    shoal_bytes_free(bytes, size);
}

static void plain_and_wide_agree(void** state) {
    (void)state;
    static const char wet[] = "materials.sand={preset: sand, wetness: 0.6}";
    compare_plain_and_wide("grains.friction=0.65", NULL, 1e-3, 0.01); // some 40 substeps
    compare_plain_and_wide(wet, "grains.bridge=0", 5e-4,
                           0.01);                  // none apart; after twice as many substeps, of chance, 6 to 30
    compare_plain_and_wide(wet, NULL, 1e-4, 0.02); // a few; 2 are apart, 12 after twice and 20 after four times as many
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_and_every_set_give_the_same_bits),
        cmocka_unit_test(a_saved_state_goes_on_as_if_nothing_had_been),
        cmocka_unit_test(plain_and_wide_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
