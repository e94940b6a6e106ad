// SPDX-License-Identifier: MIT
// Linear light to bytes, to EXR and back, and out of noise.
#include "unit/check.h"
#include "unit/io/scratch.h"

#include "base/hash.h"
#include "picture/denoise.h"
#include "picture/exr.h"

enum { WIDTH = 64, HEIGHT = 48, COUNT = WIDTH * HEIGHT };

static void bytes_rise_with_light_and_end_at_white(void** state) {
    (void)state;
    shoal_v3 light[] = {
        {-1.0f,      0.0f,   0.01f          },
        {0.1f,       0.5f,   1.0f           },
        {3.0f,       100.0f, (float)INFINITY},
        {(float)NAN, 0.2f,   0.2f           }
    };
    shoal_image image = {4, 1, light};
    shoal_exec  exec  = shoal_exec_make(1);
    for (int is_filmic = 0; is_filmic < 2; is_filmic++) {
        uint8_t rgb[12];
        shoal_image_develop(&image, 0.0, is_filmic, &exec, rgb);
        assert_int_equal(rgb[0], 0);
        assert_int_equal(rgb[1], 0);
        for (int k = 2; k < 8; k++)
            assert_true(rgb[k] >= rgb[k - 1]);
        assert_true(rgb[2] > 0 && rgb[7] >= 254 && rgb[8] >= 254);
        assert_int_equal(rgb[9], 0);
    }
    // one stop less is half the light
    uint8_t bright[12], dark[12];
    shoal_image_develop(&image, 0.0, false, &exec, bright);
    for (int k = 0; k < 2; k++)
        light[k] = shoal_v3_scale(light[k], 2.0f);
    shoal_image_develop(&image, -1.0, false, &exec, dark);
    assert_memory_equal(bright, dark, 6);
}

static void exr_files_keep_every_bit(void** state) {
    (void)state;
    const char* path = scratch_path("picture.exr");
    shoal_v3    light[COUNT];
    shoal_image image = {WIDTH, HEIGHT, light}, back;
    for (int i = 0; i < COUNT; i++)
        light[i] = shoal_v3_make((float)i * 0.37f, (float)shoal_random(1, 2, (uint64_t)i),
                                 1e6f / (float)(i + 1));
    CHECK_OK(shoal_exr_write(path, &image));
    CHECK_OK(shoal_exr_read(path, &back));
    assert_int_equal(back.width, WIDTH);
    assert_int_equal(back.height, HEIGHT);
    assert_memory_equal(back.light, light, sizeof light);
    shoal_free(back.light);
    image.height = 0;
    assert_int_equal(shoal_exr_write(path, &image), SHOAL_ERR_INPUT);
}

// A step between two greys with noise on both sides.
static void denoising_takes_noise_and_leaves_edges(void** state) {
    (void)state;
    static shoal_v3 light[2][COUNT], albedo[COUNT], normal[COUNT];
    static float    depth[COUNT], variance[COUNT];
    double          before = 0.0, after = 0.0;
    for (int i = 0; i < COUNT; i++) {
        bool  is_left = i % WIDTH < WIDTH / 2;
        float noise   = 0.4f * (float)(shoal_random(5, 6, (uint64_t)i) - 0.5),
              grey    = (is_left ? 0.3f : 0.6f) + noise;
        albedo[i]     = shoal_v3_make(0.5f, 0.5f, 0.5f);
        normal[i]     = is_left ? shoal_v3_make(0.0f, 1.0f, 0.0f) : shoal_v3_make(1.0f, 0.0f, 0.0f);
        depth[i]      = 1.0f;
        variance[i]   = 0.16f / 12.0f;
        light[0][i] = light[1][i] = shoal_v3_make(grey, grey, grey);
        before += (double)(noise * noise);
    }
    for (int k = 0; k < 2; k++) {
        shoal_exec  exec  = shoal_exec_make(1 + k);
        shoal_image image = {WIDTH, HEIGHT, light[k]};
        CHECK_OK(shoal_denoise(&image, &(shoal_hints){albedo, normal, depth, variance}, &exec));
    }
    for (int i = 0; i < COUNT; i++) {
        double off = (double)light[0][i].x - (i % WIDTH < WIDTH / 2 ? 0.3 : 0.6);
        after += off * off;
    }
    assert_true(after < 0.04 * before);
    assert_memory_equal(light[0], light[1], sizeof light[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_rise_with_light_and_end_at_white),
        cmocka_unit_test(exr_files_keep_every_bit),
        cmocka_unit_test(denoising_takes_noise_and_leaves_edges),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
