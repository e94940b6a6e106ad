// SPDX-License-Identifier: MIT
// Fields by list. See set.h for the rule of the two buffers.
#include "state/set.h"

#include <math.h>
#include <string.h>

enum { PERMUTE_BLOCK = 4096, SMALLEST = 1024 };

static const shoal_field_def common_fields[] = {SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_ROW){0}};

size_t shoal_type_size(shoal_type type) {
    switch (type) {
    case SHOAL_F1: return sizeof(float);
    case SHOAL_V3: return sizeof(shoal_v3);
    case SHOAL_V4: return sizeof(shoal_v4);
    case SHOAL_I1: return sizeof(int32_t);
    case SHOAL_U1: return sizeof(uint8_t);
    }
    return 0;
}

static size_t bytes_of(const shoal_field_def* list) {
    size_t bytes = 0;
    for (; list->name; list++)
        bytes += shoal_type_size(list->type) * (list->role == SHOAL_STATE ? 2 : 1);
    return bytes;
}

size_t shoal_set_bytes_per_particle(const shoal_field_def* own) {
    return bytes_of(common_fields) + bytes_of(own);
}

static void add_fields(shoal_set* set, const shoal_field_def* list) {
    for (; list->name; list++) {
        SHOAL_ASSERT(set->field_count < SHOAL_FIELDS_MOST && !shoal_set_find(set, list->name));
        set->fields[set->field_count++].def = *list;
    }
}

shoal_status shoal_set_create(const shoal_field_def* own, shoal_set** out) {
    shoal_set* set = shoal_alloc(1, sizeof *set);
    if (!set) return SHOAL_ERR_MEMORY;
    add_fields(set, common_fields);
    add_fields(set, own);
    *out = set;
    shoal_status status = shoal_set_reserve(set, 0);
    if (status != SHOAL_OK) shoal_set_destroy(set), *out = NULL;
    return status;
}

void shoal_set_destroy(shoal_set* set) {
    if (!set) return;
    for (int f = 0; f < set->field_count; f++) {
        shoal_free(set->fields[f].data);
        shoal_free(set->fields[f].before);
    }
    shoal_free(set);
}

shoal_field* shoal_set_find(const shoal_set* set, const char* name) {
    for (int f = 0; f < set->field_count; f++)
        if (strcmp(set->fields[f].def.name, name) == 0) return (shoal_field*)&set->fields[f];
    return NULL;
}

void* shoal_set_data(const shoal_set* set, const char* name) {
    shoal_field* field = shoal_set_find(set, name);
    SHOAL_ASSERT(field);
    return field->data;
}

shoal_status shoal_set_reserve(shoal_set* set, int count) {
    if (count < set->capacity) return SHOAL_OK;
    if (count > INT32_MAX / 2)
        return shoal_fail(SHOAL_ERR_MEMORY, "more than %d particles cannot be numbered", INT32_MAX / 2);
    int capacity = count < SMALLEST ? SMALLEST : count + 1;
    if (set->capacity > 0 && capacity < set->capacity + set->capacity / 2)
        capacity = set->capacity + set->capacity / 2;

    size_t kept = (size_t)(set->count + set->ghosts);
    for (int f = 0; f < set->field_count; f++) {
        shoal_field* field = &set->fields[f];
        size_t       size  = shoal_type_size(field->def.type);
        SHOAL_TRY(shoal_realloc(&field->data, field->data ? kept : 0, (size_t)capacity, size));
        if (field->def.role == SHOAL_STATE)
            SHOAL_TRY(shoal_realloc(&field->before, field->before ? (size_t)set->before_count : 0,
                                    (size_t)capacity, size));
    }
    set->capacity = capacity;
    return SHOAL_OK;
}

typedef struct permutation {
    shoal_set* set;
    const int* order;
} permutation;

#define PERMUTE(type)                                                                              \
    do {                                                                                           \
        const type* from = field->data;                                                            \
        type*       to   = field->before;                                                          \
        for (int i = begin; i < end; i++) to[i] = from[p->order[i]];                               \
    } while (0)

static void permute_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    permutation* p = ctx;
    for (int f = 0; f < p->set->field_count; f++) {
        shoal_field* field = &p->set->fields[f];
        if (field->def.role != SHOAL_STATE) continue;
        switch (field->def.type) {
        case SHOAL_F1: PERMUTE(float); break;
        case SHOAL_V3: PERMUTE(shoal_v3); break;
        case SHOAL_V4: PERMUTE(shoal_v4); break;
        case SHOAL_I1: PERMUTE(int32_t); break;
        case SHOAL_U1: PERMUTE(uint8_t); break;
        }
    }
}

static void swap_buffers(shoal_set* set) {
    for (int f = 0; f < set->field_count; f++) {
        shoal_field* field = &set->fields[f];
        if (field->def.role != SHOAL_STATE) continue;
        void* data    = field->data;
        field->data   = field->before;
        field->before = data;
    }
}

void shoal_set_permute(shoal_set* set, const shoal_exec* exec, const int* order) {
    permutation p = {set, order};
    shoal_blocks(exec, set->count, PERMUTE_BLOCK, permute_block, &p);
    swap_buffers(set);
    set->before_count = set->count;
    set->has_before   = true;
}

void shoal_set_restore(shoal_set* set) {
    if (set->has_before) {
        swap_buffers(set);
        set->count = set->before_count;
    }
    set->has_before = false;
    set->ghosts     = 0;
}

shoal_status shoal_set_append(shoal_set* set, int32_t id, int material, shoal_v3 position, shoal_v3 velocity) {
    set->ghosts = 0; // they lie where the new one goes, and are made anew by the next step
    SHOAL_TRY(shoal_set_reserve(set, set->count + 1));
    int at = set->count++;
    for (int f = 0; f < set->field_count; f++) {
        size_t size = shoal_type_size(set->fields[f].def.type);
        memset((char*)set->fields[f].data + (size_t)at * size, 0, size);
    }
    struct {
        SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_MEMBER)
    } view, *v = &view;
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_BIND)
    v->id[at]       = id;
    v->material[at] = (uint8_t)material;
    v->position[at] = position;
    v->velocity[at] = velocity;
    return SHOAL_OK;
}

void shoal_set_remove(shoal_set* set, const uint8_t* marks) {
    int kept = 0;
    for (int i = 0; i < set->count; i++) {
        if (marks[i]) continue;
        if (kept != i)
            for (int f = 0; f < set->field_count; f++) {
                size_t size = shoal_type_size(set->fields[f].def.type);
                char*  data = set->fields[f].data;
                memcpy(data + size * (size_t)kept, data + size * (size_t)i, size);
            }
        kept++;
    }
    set->count  = kept;
    set->ghosts = 0;
}

static double speed2_of(void* ctx, int begin, int end) {
    const shoal_v3* velocity = ctx;
    float           most     = 0.0f;
    for (int i = begin; i < end; i++) most = fmaxf(most, shoal_v3_dot(velocity[i], velocity[i]));
    return (double)most;
}

double shoal_set_fastest(const shoal_set* set, const shoal_exec* exec) {
    return set->count > 0 ? sqrt(shoal_max(exec, set->count, speed2_of, shoal_set_data(set, "velocity"))) : 0.0;
}
