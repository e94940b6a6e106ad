// SPDX-License-Identifier: MIT
// Linear light to bytes, to EXR and back, and out of noise.
#include "unit/check.h"
#include "unit/io/scratch.h"

#include "base/hash.h"
#include "picture/denoise.h"
#include "picture/exr.h"

#include <openexr.h>

enum { WIDTH = 64, HEIGHT = 48, COUNT = WIDTH * HEIGHT };

static void bytes_rise_with_light_and_end_at_white(void** state) {
    (void)state;
    shoal_v3 light[] = {
        {-1.0f, 0.0f, 0.01f}, {0.1f, 0.5f, 1.0f}, {3.0f, 100.0f, (float)INFINITY}, {(float)NAN, 0.2f, 0.2f}};
    shoal_image image = {4, 1, light};
    shoal_exec  exec  = shoal_exec_make(1);
    for (int is_filmic = 0; is_filmic < 2; is_filmic++) {
        uint8_t rgb[12];
        shoal_image_develop(&image, 0.0, is_filmic, &exec, rgb);
        assert_int_equal(rgb[0], 0);
        assert_int_equal(rgb[1], 0);
        for (int k = 2; k < 8; k++) assert_true(rgb[k] >= rgb[k - 1]);
        assert_true(rgb[2] > 0 && rgb[7] >= 254 && rgb[8] >= 254);
        assert_int_equal(rgb[9], 0);
    }
    // one stop less is half the light
    uint8_t bright[12], dark[12];
    shoal_image_develop(&image, 0.0, false, &exec, bright);
    for (int k = 0; k < 2; k++) light[k] = shoal_v3_scale(light[k], 2.0f);
    shoal_image_develop(&image, -1.0, false, &exec, dark);
    assert_memory_equal(bright, dark, 6);
}

// The file back by OpenEXRCore itself.
static void exr_read(const char* path, shoal_v3* to) {
    exr_context_initializer_t init = EXR_DEFAULT_CONTEXT_INITIALIZER;
    exr_decode_pipeline_t     pipe = EXR_DECODE_PIPELINE_INITIALIZER;
    exr_context_t             file;
    exr_attr_box2i_t          window;
    exr_chunk_info_t          chunk;
    int32_t                   rows;
    assert_int_equal(exr_start_read(&file, path, &init), EXR_ERR_SUCCESS);
    assert_int_equal(exr_get_data_window(file, 0, &window), EXR_ERR_SUCCESS);
    assert_int_equal(window.max.x - window.min.x + 1, WIDTH);
    assert_int_equal(window.max.y - window.min.y + 1, HEIGHT);
    assert_int_equal(exr_get_scanlines_per_chunk(file, 0, &rows), EXR_ERR_SUCCESS);
    for (int y = 0; y < HEIGHT; y += rows) {
        assert_int_equal(exr_read_scanline_chunk_info(file, 0, y, &chunk), EXR_ERR_SUCCESS);
        assert_int_equal(y == 0 ? exr_decoding_initialize(file, 0, &chunk, &pipe)
                                : exr_decoding_update(file, 0, &chunk, &pipe),
                         EXR_ERR_SUCCESS);
        for (int c = 0; c < pipe.channel_count; c++) {
            exr_coding_channel_info_t* channel = &pipe.channels[c];
            int member                 = channel->channel_name[0] == 'R' ? 0 : channel->channel_name[0] == 'G' ? 1 : 2;
            channel->user_pixel_stride = sizeof(shoal_v3);
            channel->user_line_stride  = WIDTH * (int)sizeof(shoal_v3);
            channel->user_bytes_per_element = sizeof(float);
            channel->user_data_type         = EXR_PIXEL_FLOAT;
            channel->decode_to_ptr          = (uint8_t*)(&to[y * WIDTH].x + member);
        }
        if (y == 0) assert_int_equal(exr_decoding_choose_default_routines(file, 0, &pipe), EXR_ERR_SUCCESS);
        assert_int_equal(exr_decoding_run(file, 0, &pipe), EXR_ERR_SUCCESS);
    }
    exr_decoding_destroy(file, &pipe);
    exr_finish(&file);
}

static void exr_files_keep_every_bit(void** state) {
    (void)state;
    const char*     path = scratch_path("picture.exr");
    static shoal_v3 light[COUNT], back[COUNT];
    shoal_image     image = {WIDTH, HEIGHT, light};
    for (int i = 0; i < COUNT; i++)
        light[i] = shoal_v3_make((float)i * 0.37f, (float)shoal_random(1, 2, (uint64_t)i), 1e6f / (float)(i + 1));
    CHECK_OK(shoal_exr_write(path, &image));
    exr_read(path, back);
    assert_memory_equal(back, light, sizeof light);
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
        float noise = 0.4f * (float)(shoal_random(5, 6, (uint64_t)i) - 0.5), grey = (is_left ? 0.3f : 0.6f) + noise;
        albedo[i]   = shoal_v3_make(0.5f, 0.5f, 0.5f);
        normal[i]   = is_left ? shoal_v3_make(0.0f, 1.0f, 0.0f) : shoal_v3_make(1.0f, 0.0f, 0.0f);
        depth[i]    = 1.0f;
        variance[i] = 0.16f / 12.0f;
        light[0][i] = light[1][i] = shoal_v3_make(grey, grey, grey);
        before += (double)(noise * noise);
    }
    for (int k = 0; k < 2; k++) {
        shoal_exec  exec  = shoal_exec_make(1 + k);
        shoal_image image = {WIDTH, HEIGHT, light[k]};
        CHECK_OK(shoal_denoise(
            &image, &(shoal_hints){.albedo = albedo, .normal = normal, .depth = depth, .variance = variance}, &exec));
    }
    for (int i = 0; i < COUNT; i++) {
        double off = (double)light[0][i].x - (i % WIDTH < WIDTH / 2 ? 0.3 : 0.6);
        after += off * off;
    }
    CHECK_BELOW(after / before, 0.04);
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
