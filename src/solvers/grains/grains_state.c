// SPDX-License-Identifier: MIT
// State beyond the fields: forces on obstacles, springs of contacts and the books of water, for checkpoints. What is read is not trusted.
#include "solvers/grains/grains_local.h"

#include <string.h>

typedef struct kept_head {
    int64_t      dem_steps, contacts;
    grains_books books;
} kept_head;

// Forces of an interval that is not at its end.
static size_t felt_size(const grains* s) { return (size_t)s->ctx->world->collider_count * sizeof *s->felt; }

size_t grains_kept_size(const void* self) {
    const grains* s = self;
    return sizeof(kept_head) + felt_size(s) + s->kept_count * sizeof *s->kept;
}

void grains_keep(const void* self, void* to) {
    const grains* s    = self;
    kept_head     head = {s->dem_steps, (int64_t)s->kept_count, s->books};
    memcpy(to, &head, sizeof head);
    memcpy((char*)to + sizeof head, s->felt, felt_size(s));
    if (s->kept_count > 0) memcpy((char*)to + sizeof head + felt_size(s), s->kept, s->kept_count * sizeof *s->kept);
}

shoal_status grains_recall(void* self, const void* from, size_t size) {
    grains*   s = self;
    kept_head head;
    if (size < sizeof head + felt_size(s)) return shoal_fail(SHOAL_ERR_INPUT, "the saved contacts are cut short");
    memcpy(&head, from, sizeof head);
    size_t room = (size - sizeof head - felt_size(s)) / sizeof *s->kept;
    if (head.contacts < 0 || head.dem_steps < 0 || (size_t)head.contacts != room ||
        size != sizeof head + felt_size(s) + room * sizeof *s->kept)
        return shoal_fail(SHOAL_ERR_INPUT, "the saved contacts are cut short or too long");
    const int64_t books[] = {head.books.emitted, head.books.evaporated, head.books.removed, head.books.present};
    for (size_t k = 0; k < sizeof books / sizeof *books; k++)
        if (books[k] > INT64_MAX / 16 || books[k] < -INT64_MAX / 16)
            return shoal_fail(SHOAL_ERR_INPUT, "the saved books of the water are out of order");
    const char *felt = (const char*)from + sizeof head, *bytes = felt + felt_size(s);
    for (size_t k = 0; k < felt_size(s) / sizeof(double); k++) {
        double value;
        memcpy(&value, felt + k * sizeof value, sizeof value);
        if (!isfinite(value)) return shoal_fail(SHOAL_ERR_INPUT, "the saved state has a force on an obstacle that is not a number");
    }
    for (size_t k = 0; k < room; k++) {
        grains_kept kept;
        memcpy(&kept, bytes + k * sizeof kept, sizeof kept);
        if (!(kept.held >= 0.0f) || !isfinite(kept.held)) return shoal_fail(SHOAL_ERR_INPUT, "a saved contact has an overlap that is out of order");
        for (int axis = 0; axis < 3; axis++)
            if (!isfinite(kept.slide[axis]) || !isfinite(kept.roll[axis]))
                return shoal_fail(SHOAL_ERR_INPUT, "a saved contact has a spring that is not a number");
    }
    if (room > s->kept_room) {
        s->kept_room = 0;
        SHOAL_TRY(shoal_realloc((void**)&s->kept, 0, room, sizeof *s->kept));
        s->kept_room = room;
    }
    if (room > 0) memcpy(s->kept, bytes, room * sizeof *s->kept);
    memcpy(s->felt, felt, felt_size(s));
    s->kept_count = room;
    s->dem_steps  = head.dem_steps;
    s->books      = head.books;
    return SHOAL_OK;
}
