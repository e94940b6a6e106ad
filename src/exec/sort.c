// SPDX-License-Identifier: MIT
// Stable radix sort, least digit first. The items are cut into a fixed number of chunks; each chunk counts its
// digits, a scan over (digit, chunk) gives every chunk its own places, so threads never meet.
#include "exec/exec.h"

#include <string.h>

enum { CHUNKS = 16, DIGIT_MOST = 11 };

typedef struct sorter {
    int             count, chunk, shift, digit_count;
    const uint64_t* from_key;
    const int*      from_item;
    uint64_t*       to_key;
    int*            to_item;
    uint32_t (*places)[1 << DIGIT_MOST]; // [CHUNKS]
} sorter;

size_t shoal_sort_scratch(int count) {
    size_t n = (size_t)count;
    return n * (sizeof(uint64_t) + sizeof(int)) + 128 + sizeof(uint32_t[CHUNKS][1 << DIGIT_MOST]);
}

static int chunk_end(const sorter* s, int begin) { return s->count - begin < s->chunk ? s->count : begin + s->chunk; }

static void count_digits(void* ctx, int begin, int end, int worker) {
    (void)worker;
    sorter*  s    = ctx;
    unsigned mask = (unsigned)s->digit_count - 1;
    for (int c = begin; c < end; c++) {
        uint32_t* places = s->places[c];
        memset(places, 0, (size_t)s->digit_count * sizeof *places);
        for (int i = c * s->chunk, last = chunk_end(s, i); i < last; i++) places[(s->from_key[i] >> s->shift) & mask]++;
    }
}

static void move_items(void* ctx, int begin, int end, int worker) {
    (void)worker;
    sorter*  s    = ctx;
    unsigned mask = (unsigned)s->digit_count - 1;
    for (int c = begin; c < end; c++) {
        uint32_t* places = s->places[c];
        for (int i = c * s->chunk, last = chunk_end(s, i); i < last; i++) {
            uint32_t place    = places[(s->from_key[i] >> s->shift) & mask]++;
            s->to_key[place]  = s->from_key[i];
            s->to_item[place] = s->from_item ? s->from_item[i] : i;
        }
    }
}

void shoal_sort_keys(const shoal_exec* exec, const uint64_t* keys, int count, int bits, int* order,
                     uint64_t* keys_sorted, void* scratch) {
    uint64_t* other_key  = scratch;
    int*      other_item = (int*)(other_key + count);
    char*     after      = (char*)(other_item + count);
    after += (64 - (uintptr_t)after % 64) % 64;

    if (bits < 1) bits = 1;
    int    passes = (bits + DIGIT_MOST - 1) / DIGIT_MOST, digit = (bits + passes - 1) / passes;
    sorter s = {.count = count, .digit_count = 1 << digit, .from_key = keys, .places = (void*)after};
    s.chunk  = count / CHUNKS + 1;
    int used = (count + s.chunk - 1) / s.chunk;

    // the last pass must land in the caller's arrays
    bool to_caller = passes % 2 == 1;
    for (int pass = 0; pass < passes; pass++, to_caller = !to_caller) {
        s.shift   = pass * digit;
        s.to_key  = to_caller ? keys_sorted : other_key;
        s.to_item = to_caller ? order : other_item;
        shoal_blocks(exec, used, 1, count_digits, &s);
        uint32_t total = 0;
        for (int d = 0; d < s.digit_count; d++)
            for (int c = 0; c < used; c++) {
                uint32_t here  = s.places[c][d];
                s.places[c][d] = total;
                total += here;
            }
        shoal_blocks(exec, used, 1, move_items, &s);
        s.from_key  = s.to_key;
        s.from_item = s.to_item;
    }
}
