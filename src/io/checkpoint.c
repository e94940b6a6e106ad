// SPDX-License-Identifier: MIT
// The checkpoint format of checkpoint.h, written atomically and read without trust.
#include "io/checkpoint.h"

#include "base/hash.h"
#include "io/file.h"

#include <string.h>

static const char magic[8] = {'S', 'H', 'O', 'A', 'L', 'C', 'K', 'P'};

typedef struct checkpoint_head {
    char     magic[8];
    uint32_t version, flags;
    uint64_t scene_hash;
    int64_t  frame, frame_steps;
    double   time;
    int64_t  particles;
    uint64_t scene_size, state_size;
} checkpoint_head;
_Static_assert(sizeof(checkpoint_head) == 72, "the head lies in files as it lies in memory");

shoal_status shoal_checkpoint_save(const shoal_checkpoint* c, const char* path) {
    checkpoint_head head = {.version     = SHOAL_CHECKPOINT_VERSION,
                            .flags       = c->is_mid,
                            .scene_hash  = c->scene_hash,
                            .frame       = c->frame,
                            .frame_steps = c->frame_steps,
                            .time        = c->time,
                            .particles   = c->particles,
                            .scene_size  = strlen(c->scene),
                            .state_size  = c->state_size};
    memcpy(head.magic, magic, sizeof magic);
    uint64_t sum = shoal_hash(&head, sizeof head, 0);
    sum          = shoal_hash(c->scene, head.scene_size, sum);
    sum          = shoal_hash(c->state, c->state_size, sum);

    shoal_out* out = shoal_alloc(1, sizeof *out);
    if (!out) return SHOAL_ERR_MEMORY;
    shoal_out_begin(out, path);
    shoal_out_add(out, &head, sizeof head);
    shoal_out_add(out, c->scene, head.scene_size);
    shoal_out_add(out, c->state, c->state_size);
    shoal_out_add(out, &sum, sizeof sum);
    shoal_status status = shoal_out_end(out);
    shoal_free(out);
    return status;
}

static shoal_status check_head(const checkpoint_head* head, size_t size, const char* name) {
    if (memcmp(head->magic, magic, sizeof magic) != 0)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: not a checkpoint of Shoal", name);
    if (head->version != SHOAL_CHECKPOINT_VERSION)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: checkpoint of version %u, this program reads version %d", name,
                          head->version, SHOAL_CHECKPOINT_VERSION);
    size_t rest = size - sizeof *head - sizeof(uint64_t);
    if (head->scene_size > rest || head->state_size != rest - head->scene_size)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s: the checkpoint is cut short or too long (%zu bytes, its head says %llu)", name, size,
                          (unsigned long long)(head->scene_size + head->state_size + size - rest));
    return SHOAL_OK;
}

shoal_status shoal_checkpoint_parse(const char* bytes, size_t size, const char* name, shoal_checkpoint* out) {
    *out = (shoal_checkpoint){0};
    checkpoint_head head;
    if (size < sizeof head + sizeof(uint64_t))
        return shoal_fail(SHOAL_ERR_INPUT, "%s: too short for a checkpoint (%zu bytes)", name, size);
    memcpy(&head, bytes, sizeof head);
    SHOAL_TRY(check_head(&head, size, name));

    const char* scene = bytes + sizeof head;
    const char* state = scene + head.scene_size;
    uint64_t    sum   = shoal_hash(&head, sizeof head, 0), stored_sum;
    sum               = shoal_hash(scene, head.scene_size, sum);
    sum               = shoal_hash(state, head.state_size, sum);
    memcpy(&stored_sum, state + head.state_size, sizeof stored_sum);
    if (sum != stored_sum) return shoal_fail(SHOAL_ERR_INPUT, "%s: the checkpoint is damaged (wrong checksum)", name);
    if (head.frame < 0 || head.frame > INT32_MAX || head.flags > 1 || memchr(scene, 0, head.scene_size))
        return shoal_fail(SHOAL_ERR_INPUT, "%s: the checkpoint holds values that cannot be", name);

    out->scene_hash  = head.scene_hash;
    out->frame       = (int)head.frame;
    out->is_mid      = head.flags == 1;
    out->frame_steps = head.frame_steps;
    out->time        = head.time;
    out->particles   = head.particles;
    out->state_size  = head.state_size;
    out->scene       = shoal_strndup(scene, head.scene_size);
    out->state       = shoal_alloc(head.state_size, 1);
    if (!out->scene || !out->state) {
        shoal_checkpoint_free(out);
        return SHOAL_ERR_MEMORY;
    }
    if (head.state_size > 0) memcpy(out->state, state, head.state_size);
    return SHOAL_OK;
}

shoal_status shoal_checkpoint_load(const char* path, shoal_checkpoint* out) {
    char*  bytes;
    size_t size;
    *out = (shoal_checkpoint){0};
    SHOAL_TRY(shoal_file_read(path, &bytes, &size));
    shoal_status status = shoal_checkpoint_parse(bytes, size, path, out);
    shoal_free(bytes);
    return status;
}

void shoal_checkpoint_free(shoal_checkpoint* c) {
    shoal_free(c->state);
    shoal_free(c->scene);
    *c = (shoal_checkpoint){0};
}
