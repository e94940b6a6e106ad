// SPDX-License-Identifier: MIT
// OpenEXRCore, with the file in our memory: it is written to disk by shoal_file_write when
// complete.
#include "picture/exr.h"

#include "io/file.h"

#include <openexr.h>
#include <string.h>

enum { CHANNELS = 3 };

typedef struct bytes {
    char*  data;
    size_t size, capacity;
} bytes;

static void on_error(exr_const_context_t context, exr_result_t code, const char* text) {
    (void)context;
    (void)code;
    (void)text; // the result says all that matters
}

static int64_t on_write(exr_const_context_t context, void* user, const void* from, uint64_t size, uint64_t offset,
                        exr_stream_error_func_ptr_t fail) {
    (void)context;
    (void)fail;
    bytes* b   = user;
    size_t end = (size_t)offset + (size_t)size;
    if (end > b->capacity) {
        size_t capacity = 2 * b->capacity > end ? 2 * b->capacity : end;
        if (shoal_realloc((void**)&b->data, b->size, capacity, 1) != SHOAL_OK) return -1;
        b->capacity = capacity;
    }
    memcpy(b->data + offset, from, (size_t)size);
    if (end > b->size) b->size = end;
    return (int64_t)size;
}

static void* on_alloc(size_t size) { return shoal_alloc(1, size); }
static void  on_free(void* memory) { shoal_free(memory); }

static exr_context_initializer_t initializer(bytes* b) {
    exr_context_initializer_t init = EXR_DEFAULT_CONTEXT_INITIALIZER;
    init.error_handler_fn          = on_error;
    init.alloc_fn                  = on_alloc;
    init.free_fn                   = on_free;
    init.user_data                 = b;
    init.write_fn                  = on_write;
    return init;
}

// Member of a pixel for a channel by its letter; -1: none of ours.
static int channel_of(const char* name) {
    static const char letters[] = "RGB";
    const char*       found     = name[0] && !name[1] ? strchr(letters, name[0]) : NULL;
    return found ? (int)(found - letters) : -1;
}

static exr_result_t write_chunks(exr_context_t file, const shoal_image* image) {
    exr_encode_pipeline_t pipe     = EXR_ENCODE_PIPELINE_INITIALIZER;
    int32_t               rows     = 1;
    bool                  is_begun = false;
    exr_result_t          result   = exr_get_scanlines_per_chunk(file, 0, &rows);
    for (int y = 0; y < image->height && result == EXR_ERR_SUCCESS; y += rows) {
        exr_chunk_info_t chunk;
        result = exr_write_scanline_chunk_info(file, 0, y, &chunk);
        if (result == EXR_ERR_SUCCESS)
            result = is_begun ? exr_encoding_update(file, 0, &chunk, &pipe)
                              : exr_encoding_initialize(file, 0, &chunk, &pipe);
        if (result != EXR_ERR_SUCCESS) break;
        const float* row = &image->light[(size_t)y * (size_t)image->width].x;
        for (int c = 0; c < pipe.channel_count; c++) {
            exr_coding_channel_info_t* channel = &pipe.channels[c];
            channel->user_bytes_per_element    = sizeof(float);
            channel->user_data_type            = EXR_PIXEL_FLOAT;
            channel->user_pixel_stride         = sizeof(shoal_v3);
            channel->user_line_stride          = (int32_t)sizeof(shoal_v3) * image->width;
            channel->encode_from_ptr           = (const uint8_t*)(row + channel_of(channel->channel_name));
        }
        if (!is_begun) result = exr_encoding_choose_default_routines(file, 0, &pipe);
        is_begun = true;
        if (result == EXR_ERR_SUCCESS) result = exr_encoding_run(file, 0, &pipe);
    }
    if (is_begun) exr_encoding_destroy(file, &pipe);
    return result;
}

static exr_result_t write_all(exr_context_t file, const shoal_image* image) {
    static const char* const names[CHANNELS] = {"B", "G", "R"};
    int                      part;
    exr_result_t             result = exr_add_part(file, "picture", EXR_STORAGE_SCANLINE, &part);
    if (result == EXR_ERR_SUCCESS)
        result = exr_initialize_required_attr_simple(file, part, image->width, image->height, EXR_COMPRESSION_ZIP);
    for (int c = 0; c < CHANNELS && result == EXR_ERR_SUCCESS; c++)
        result = exr_add_channel(file, part, names[c], EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LINEAR, 1, 1);
    if (result == EXR_ERR_SUCCESS) result = exr_write_header(file);
    return result == EXR_ERR_SUCCESS ? write_chunks(file, image) : result;
}

shoal_status shoal_exr_write(const char* path, const shoal_image* image) {
    if (image->width < 1 || image->height < 1)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: a picture of %d x %d pixels", path, image->width, image->height);
    bytes                     b      = {0};
    exr_context_initializer_t init   = initializer(&b);
    exr_context_t             file   = NULL;
    exr_result_t              result = exr_start_write(&file, path, EXR_WRITE_FILE_DIRECTLY, &init);
    if (result == EXR_ERR_SUCCESS) {
        result              = write_all(file, image);
        exr_result_t closed = exr_finish(&file);
        if (result == EXR_ERR_SUCCESS) result = closed;
    }
    shoal_status status = result == EXR_ERR_SUCCESS
                              ? shoal_file_write(path, b.data, b.size)
                              : shoal_fail(result == EXR_ERR_OUT_OF_MEMORY ? SHOAL_ERR_MEMORY : SHOAL_ERR_OUTPUT,
                                           "%s: %s", path, exr_get_default_error_message(result));
    shoal_free(b.data);
    return status;
}
