// SPDX-License-Identifier: MIT
// Fields by list. See set.h for the rule of the two buffers.
#include "state/set.h"

#include <string.h>

#include "exec/pass.h"
#include "state/set_local.h"
#include "state/set_pass.h"
#include "state/field_words.h"

enum { PERMUTE_BLOCK = 4096, SMALLEST = 1024 };

static const shoal_field_def common_fields[] = {SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_ROW){0}};
enum { COMMON_COUNT = sizeof common_fields / sizeof *common_fields - 1 };

size_t shoal_type_size(shoal_type type) {
    switch (type) {
    case SHOAL_F1:
        return sizeof(float);
    case SHOAL_V3:
        return sizeof(shoal_v3);
    case SHOAL_V4:
        return sizeof(shoal_v4);
    case SHOAL_I1:
        return sizeof(int32_t);
    case SHOAL_U1:
        return sizeof(uint8_t);
    case SHOAL_D1:
        return sizeof(double);
    case SHOAL_D3:
        return sizeof(shoal_d3);
    case SHOAL_L1:
        return sizeof(int64_t);
    case SHOAL_I3:
    case SHOAL_R3:
        return 3 * sizeof(int32_t);
    case SHOAL_R4:
        return 4 * sizeof(int32_t);
    case SHOAL_R1:
        return sizeof(int32_t);
    case SHOAL_S6:
        return sizeof(shoal_s6);
    }
    return 0;
}

int shoal_type_places(shoal_type type) {
    return type == SHOAL_R1 ? 1 : type == SHOAL_R3 ? 3 : type == SHOAL_R4 ? 4 : 0;
}

static size_t item_size(const shoal_field_def* def) {
    return shoal_type_size(def->type) * (size_t)(def->width > 0 ? def->width : 1);
}

size_t shoal_set_bytes_per_item(const shoal_field_def* list) {
    size_t bytes = 0;
    for (; list->name; list++) bytes += item_size(list) * (list->role == SHOAL_SCRATCH ? 1 : 2);
    return bytes;
}

size_t shoal_set_bytes_per_particle(const shoal_field_def* own) {
    return shoal_set_bytes_per_item(common_fields) + shoal_set_bytes_per_item(own);
}

const shoal_field_def* shoal_set_field_at(const shoal_set_def* def, int k) {
    int common = def->life == SHOAL_SORTED ? COMMON_COUNT : 0;
    if (k < common) return &common_fields[k];
    const shoal_field_def* field = def->fields;
    for (; field->name && k > common; k--) field++;
    return field->name ? field : NULL;
}

// Whether a field with the name of a common field has its type and unit.
static bool keeps_word(const shoal_field_def* def) {
#define X(name, type, unit, meaning) {#name, unit, SHOAL_##type},
    static const struct {
        const char *name, *unit;
        shoal_type  type;
    } words[] = {SHOAL_FIELD_WORDS(X)};
#undef X
    for (size_t k = 0; k < sizeof words / sizeof *words && def->role != SHOAL_SCRATCH; k++)
        if (strcmp(words[k].name, def->name) == 0)
            return def->type == words[k].type && strcmp(def->unit, words[k].unit) == 0;
    return true;
}

static void add_fields(shoal_set* set, const shoal_field_def* list) {
    for (; list->name; list++) {
        SHOAL_ASSERT(keeps_word(list));
        SHOAL_ASSERT(set->field_count < SHOAL_FIELDS_MOST && !shoal_set_find(set, list->name));
        shoal_field* field = &set->fields[set->field_count++];
        field->def         = *list;
        field->size        = item_size(list);
    }
}

shoal_status shoal_set_create(const shoal_set_def* def, shoal_set** out) {
    shoal_set* set = shoal_alloc(1, sizeof *set);
    if (!set) return SHOAL_ERR_MEMORY;
    set->name  = def->name;
    set->life  = def->life;
    set->kinds = def->kinds;
    if (def->life == SHOAL_SORTED) add_fields(set, common_fields);
    add_fields(set, def->fields);
    *out                = set;
    shoal_status status = shoal_set_reserve(set, 0);
    if (status != SHOAL_OK) shoal_set_destroy(set), *out = NULL;
    return status;
}

void shoal_set_destroy(shoal_set* set) {
    if (!set) return;
    shoal_set_free_far(set);
    for (int f = 0; f < set->field_count; f++) {
        shoal_field* field = &set->fields[f];
        shoal_free(field->marked);
        shoal_free(field->data);
        shoal_free(field->before);
        shoal_free(field->swap);
    }
    shoal_free(set->moved);
    shoal_free(set);
}

shoal_field* shoal_set_find(const shoal_set* set, const char* name) {
    for (int f = 0; f < set->field_count; f++)
        if (strcmp(set->fields[f].def.name, name) == 0) return (shoal_field*)&set->fields[f];
    return NULL;
}

static bool is_state(const shoal_field* field) { return field->def.role == SHOAL_STATE; }
static bool is_saved(const shoal_field* field) { return field->def.role != SHOAL_SCRATCH; }

// Room in the buffer of a field for `capacity` items, of which `used` stay.
static shoal_status grow(void** buffer, size_t used, int capacity, size_t size) {
    return shoal_realloc(buffer, *buffer ? used : 0, (size_t)capacity, size);
}

shoal_status shoal_set_reserve(shoal_set* set, int count) {
    if (count < set->capacity) return SHOAL_OK;
    if (count > INT32_MAX / 2)
        return shoal_fail(SHOAL_ERR_MEMORY, "more than %d items of %s cannot be numbered", INT32_MAX / 2, set->name);
    int least    = set->life == SHOAL_SORTED ? SMALLEST : 1;
    int capacity = count < least ? least : count + 1;
    // what is rebuilt is seldom much more than the last time; particles come one by one
    int more = set->capacity / (set->life == SHOAL_REBUILT ? 16 : 2);
    if (set->capacity > 0 && capacity < set->capacity + more) capacity = set->capacity + more;

    for (int f = 0; f < set->field_count; f++) {
        shoal_field* field = &set->fields[f];
        SHOAL_TRY(grow(&field->data, (size_t)(set->count + set->ghosts), capacity, field->size));
        if (!is_saved(field)) continue;
        SHOAL_TRY(grow(&field->before, (size_t)set->before_count, capacity, field->size));
        if (field->swap) SHOAL_TRY(grow(&field->swap, 0, capacity, field->size));
        if (field->marked) SHOAL_TRY(grow(&field->marked, (size_t)set->before_count, capacity, field->size));
    }
    if (set->moved) SHOAL_TRY(grow((void**)&set->moved, 0, capacity, sizeof *set->moved));
    set->capacity = capacity;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- a step, and back

static void swap(void** a, void** b) {
    void* used = *a;
    *a         = *b;
    *b         = used;
}

// What is now, and another buffer of a field, on both sides.
static void exchange(shoal_field* field, int other) {
    uint8_t fresh           = field->fresh[SHOAL_NOW];
    field->fresh[SHOAL_NOW] = field->fresh[other];
    field->fresh[other]     = fresh;
    swap(&field->far[SHOAL_NOW], &field->far[other]);
    swap(&field->data, other == SHOAL_BEFORE ? &field->before : &field->swap);
}

void shoal_set_exchange(shoal_set* set, const char* one, const char* other) {
    shoal_field *a = shoal_set_find(set, one), *b = shoal_set_find(set, other);
    SHOAL_ASSERT(a && b && a->size == b->size && !is_saved(a) && !is_saved(b));
    uint8_t fresh       = a->fresh[SHOAL_NOW];
    a->fresh[SHOAL_NOW] = b->fresh[SHOAL_NOW];
    b->fresh[SHOAL_NOW] = fresh;
    swap(&a->far[SHOAL_NOW], &b->far[SHOAL_NOW]);
    swap(&a->data, &b->data);
}

void shoal_set_mark(shoal_set* set) {
    bool is_fixed     = set->life == SHOAL_FIXED;
    set->has_before   = is_fixed;
    set->before_count = set->count;
    for (int f = 0; f < set->field_count; f++) {
        shoal_field* field = &set->fields[f];
        field->is_marked   = false;
        if (is_fixed && is_saved(field) && set->count > 0)
            memcpy(field->before, shoal_field_read(set, field), (size_t)set->count * field->size);
    }
}

static void keep(const shoal_set* set, shoal_field* field) {
    if (set->before_count > 0 && !field->is_marked)
        memcpy(field->marked, shoal_field_read(set, field), (size_t)set->before_count * field->size);
    field->is_marked = true;
}

shoal_status shoal_set_keep(shoal_set* set, const char* name) {
    shoal_field* field = shoal_set_find(set, name);
    SHOAL_ASSERT(field && is_saved(field) && set->life != SHOAL_FIXED && !set->has_before);
    if (!field->marked) SHOAL_TRY(grow(&field->marked, 0, set->capacity, field->size));
    keep(set, field);
    return SHOAL_OK;
}

void shoal_set_restore(shoal_set* set) {
    size_t count = (size_t)set->before_count;
    for (int f = 0; f < set->field_count; f++) {
        shoal_field* field = &set->fields[f];
        if (!is_saved(field)) continue;
        if (set->has_before && set->life != SHOAL_FIXED)
            exchange(field, SHOAL_BEFORE);
        else if (set->has_before && count > 0)
            memcpy(field->data, field->before, count * field->size);
        if (field->is_marked && count > 0) memcpy(field->data, field->marked, count * field->size);
        if (field->is_marked || (set->has_before && set->life == SHOAL_FIXED)) shoal_field_written(set, field);
        field->is_marked = false;
    }
    set->count      = set->before_count;
    set->has_before = false;
    set->ghosts     = 0;
    if (set->survey) set->survey->is_good = false; // it told of the step that is undone
}

// Where a field is written next: the first time in a step where that of before the last step was.
static void** other_of(const shoal_set* set, shoal_field* field) {
    return set->has_before ? &field->swap : &field->before;
}

static shoal_status make_swap_buffers(shoal_set* set) {
    for (int f = 0; f < set->field_count && set->has_before; f++)
        if (is_saved(&set->fields[f]) && !set->fields[f].swap)
            SHOAL_TRY(grow(&set->fields[f].swap, 0, set->capacity, set->fields[f].size));
    return SHOAL_OK;
}

static void turn_over(shoal_set* set) {
    for (int f = 0; f < set->field_count; f++)
        if (is_saved(&set->fields[f])) exchange(&set->fields[f], set->has_before ? SHOAL_SWAP : SHOAL_BEFORE);
    set->turned     = set->has_before ? SHOAL_SWAP : SHOAL_BEFORE;
    set->has_before = true;
}

// ---------------------------------------------------------------------------------- places in other sets

static bool points_into(const shoal_field* field, const shoal_set* set) {
    return is_saved(field) && shoal_type_places(field->def.type) > 0 && strcmp(field->def.unit, set->name) == 0;
}

// All memory that following takes is taken here and where sets grow, so that it cannot fail.
shoal_status shoal_sets_join(shoal_set* const* sets) {
    for (int k = 0; sets[k]; k++)
        for (int f = 0; f < sets[k]->field_count; f++) {
            shoal_field* field = &sets[k]->fields[f];
            for (int other = 0; sets[other]; other++) {
                shoal_set* set = sets[other];
                if (!points_into(field, set) || set->life == SHOAL_REBUILT)
                    continue; // which reports no moves of its items
                if (!set->moved) SHOAL_TRY(grow((void**)&set->moved, 0, set->capacity, sizeof *set->moved));
                if (!field->marked) SHOAL_TRY(grow(&field->marked, 0, sets[k]->capacity, field->size));
            }
        }
    for (int k = 0; sets[k]; k++) sets[k]->family = sets;
    return SHOAL_OK;
}

typedef struct follow_job {
    int32_t*       places;
    const int32_t* moved;
    int            count; // of items that have moved
} follow_job;

static void follow_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    follow_job* f = ctx;
    for (int i = begin; i < end; i++)
        if (f->places[i] >= 0 && f->places[i] < f->count) f->places[i] = f->moved[f->places[i]];
}

// What was at k of `count` items of the set is at moved[k] now, or nowhere: -1.
static void follow(const shoal_set* set, const shoal_exec* exec, int count) {
    for (int k = 0; set->moved && set->family[k]; k++) {
        shoal_set* owner = set->family[k];
        for (int f = 0; f < owner->field_count; f++) {
            shoal_field* field = &owner->fields[f];
            follow_job   job   = {field->data, set->moved, count};
            if (!points_into(field, set)) continue;
            if (!owner->has_before) keep(owner, field);
            shoal_blocks(exec, owner->count * (int)(field->size / sizeof(int32_t)), PERMUTE_BLOCK, follow_block, &job);
        }
    }
}

typedef struct permutation {
    shoal_set* set;
    const int* order;
} permutation;

#define PERMUTE(type)                                                                                                  \
    do {                                                                                                               \
        const type* from = field->data;                                                                                \
        type*       to   = *other_of(p->set, field);                                                                   \
        for (int i = begin; i < end; i++) to[i] = from[p->order[i]];                                                   \
    } while (0)

static void permute_bytes(const permutation* p, shoal_field* field, int begin, int end) {
    const char* from = field->data;
    char*       to   = *other_of(p->set, field);
    for (int i = begin; i < end; i++)
        memcpy(to + (size_t)i * field->size, from + (size_t)p->order[i] * field->size, field->size);
}

static void permute_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    permutation* p = ctx;
    for (int i = begin; i < end && p->set->moved; i++) p->set->moved[p->order[i]] = i;
    for (int f = 0; f < p->set->field_count; f++) {
        shoal_field* field = &p->set->fields[f];
        if (!is_state(field)) continue;
        switch (field->size) {
        case sizeof(uint8_t):
            PERMUTE(uint8_t);
            break;
        case sizeof(int32_t):
            PERMUTE(int32_t);
            break;
        case sizeof(shoal_v3):
            PERMUTE(shoal_v3);
            break;
        case sizeof(shoal_v4):
            PERMUTE(shoal_v4);
            break;
        default:
            permute_bytes(p, field, begin, end);
        }
    }
}

shoal_status shoal_set_permute(shoal_set* set, const shoal_exec* exec, const int* order) {
    permutation p = {set, order};
    SHOAL_TRY(make_swap_buffers(set));
    if (exec->device) {
        SHOAL_TRY(shoal_set_permute_far(set, exec, order));
        turn_over(set);
        return SHOAL_OK;
    }
    shoal_blocks(exec, set->count, PERMUTE_BLOCK, permute_block, &p);
    turn_over(set);
    follow(set, exec, set->count);
    return SHOAL_OK;
}

shoal_status shoal_set_rebuild(shoal_set* set, int count) {
    SHOAL_TRY(shoal_set_reserve(set, count));
    if (set->life == SHOAL_REBUILT) {
        SHOAL_TRY(make_swap_buffers(set));
        turn_over(set);
    }
    set->count = count;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- coming and going

shoal_status shoal_set_append(shoal_set* set, int32_t id, int material, shoal_v3 position, shoal_v3 velocity) {
    set->ghosts = 0; // they lie where the new one goes, and are made anew by the next step
    SHOAL_TRY(shoal_set_reserve(set, set->count + 1));
    int at = set->count++;
    for (int f = 0; f < set->field_count; f++) {
        shoal_field* field = &set->fields[f];
        if (is_saved(field)) shoal_field_write(set, field);
        memset((char*)field->data + (size_t)at * field->size, shoal_type_places(field->def.type) ? 0xff : 0,
               field->size);
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

typedef struct removal {
    shoal_set*     set;
    const uint8_t* marks;
    int            first, count; // of the items that go; all
} removal;

static int first_marked(void* ctx, int begin, int end) {
    const uint8_t* marks = ctx;
    for (int i = begin; i < end; i++)
        if (marks[i]) return i;
    return -1;
}

static size_t stay_total(void* ctx, int begin, int end) {
    const removal* r     = ctx;
    size_t         count = 0;
    for (int i = begin; i < end; i++) count += r->marks[i] == 0;
    return count;
}

static void stay_put(void* ctx, int begin, int end, size_t at) {
    const removal* r  = ctx;
    int32_t        to = (int32_t)at;
    for (int i = begin; i < end && r->set->moved; i++) r->set->moved[i] = r->marks[i] ? -1 : to++;
}

// A field by itself: items that stay move up where they lie, one after the other.
static void move_up(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const removal* r = ctx;
    for (int f = begin; f < end; f++) {
        size_t size = r->set->fields[f].size;
        char*  to   = (char*)r->set->fields[f].data + size * (size_t)r->first;
        for (int i = r->first, next; i < r->count; i = next) {
            for (next = i; next < r->count && r->marks[next];) next++;
            int from = next;
            while (next < r->count && !r->marks[next]) next++;
            size_t bytes = size * (size_t)(next - from);
            memmove(to, (const char*)r->set->fields[f].data + size * (size_t)from, bytes);
            to += bytes;
        }
    }
}

void shoal_set_remove(shoal_set* set, const shoal_exec* exec, const uint8_t* marks) {
    removal r = {set, marks, shoal_first(exec, set->count, first_marked, (void*)marks), set->count};
    for (int f = 0; f < set->field_count; f++)
        if (is_saved(&set->fields[f])) shoal_field_write(set, &set->fields[f]);
    int used = (int)shoal_lay_out(exec, set->count, (shoal_layout){stay_total, stay_put, NULL}, &r, 0);
    if (r.first >= 0) shoal_blocks(exec, set->field_count, 1, move_up, &r);
    set->count  = used;
    set->ghosts = 0;
    follow(set, exec, r.count);
}
