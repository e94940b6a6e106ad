// SPDX-License-Identifier: MIT
// same_runs OLD NEW: whether two run folders hold the same frames and the same tables.
//
// Frames are compared particle by particle, by id, whatever their order and whichever files of the frame they are in:
// material, position, velocity and density as raw floats; vertices of tetrahedra and their surface in their order.
// Tables are compared as printed, but for the column step_ms. Prints one line; ends with 0 if all is the same, 1 if
// something differs, 2 if the folders cannot be compared.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shoal/files.h"

typedef struct item {
    int32_t id, material;
    float   values[7]; // position, velocity, density
} item;

typedef struct items {
    item*  data;
    size_t count;
} items;

static _Noreturn void stop_here(const char* path, const char* why) {
    printf("%s: %s\n", path, why);
    exit(2);
}

static void* must_have(void* memory) {
    if (!memory) stop_here("same_runs", "out of memory");
    return memory;
}

// ---------------------------------------------------------------------------------- frames

static int by_id(const void* a, const void* b) {
    const item *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

// Floats of a field, or zeros where the frame has it not.
static void take(const shoal_frame* frame, const char* name, int width, int at, items* all, size_t first) {
    shoal_field_view view;
    if (shoal_frame_field(frame, name, &view) != SHOAL_OK) return;
    const float* data = view.data;
    for (int64_t i = 0; i < view.count; i++)
        memcpy(&all->data[first + (size_t)i].values[at], data + i * width, (size_t)width * sizeof(float));
}

static int32_t whole(const shoal_field_view* view, int64_t i) {
    return view->type == SHOAL_U1 ? ((const uint8_t*)view->data)[i] : ((const int32_t*)view->data)[i];
}

// What is counted in the place of ids, one kind of vertices below the other; 0: none of them.
static int32_t first_vertex(const char* path) {
    return strstr(path, ".tets.") ? -1000000000 : strstr(path, ".surface.") ? -2000000000 : 0;
}

static void read_part(const char* path, items* all) {
    shoal_frame* frame = NULL;
    if (shoal_frame_load(path, &frame) != SHOAL_OK) stop_here(path, shoal_last_error());
    shoal_field_view id, material;
    bool             has_ids  = shoal_frame_field(frame, "id", &id) == SHOAL_OK;
    bool             is_taken = has_ids || first_vertex(path) != 0;
    size_t           first = all->count, count = is_taken ? (size_t)shoal_frame_count(frame) : 0;
    if (is_taken && shoal_frame_field(frame, "material", &material) != SHOAL_OK)
        stop_here(path, "there is no field material");
    all->data  = must_have(realloc(all->data, (first + count + 1) * sizeof *all->data));
    all->count = first + count;
    memset(all->data + first, 0, count * sizeof *all->data);
    for (size_t i = 0; i < count; i++) {
        all->data[first + i].id       = has_ids ? whole(&id, (int64_t)i) : first_vertex(path) + (int32_t)i;
        all->data[first + i].material = whole(&material, (int64_t)i);
    }
    if (is_taken) {
        take(frame, "position", 3, 0, all, first);
        take(frame, "velocity", 3, 3, all, first);
        take(frame, "density", 1, 6, all, first);
    }
    shoal_frame_destroy(frame);
}

// Number of a frame by its file: the last digits behind an underscore; -1: none.
static int number_of(const char* name) {
    const char* mark = strrchr(name, '_');
    char*       end  = NULL;
    long        n    = mark ? strtol(mark + 1, &end, 10) : -1;
    return mark && end != mark + 1 && *end == '.' ? (int)n : -1;
}

static int last_frame(const char* folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/frames", folder);
    DIR* dir = opendir(path);
    if (!dir) stop_here(path, "cannot be opened");
    int last = -1;
    for (struct dirent* e; (e = readdir(dir));) {
        int n = number_of(e->d_name);
        if (n > last) last = n;
    }
    closedir(dir);
    return last;
}

// All particles of a frame, whichever of its files they are in.
static items read_frame(const char* folder, int number) {
    char path[4096], file[8192];
    snprintf(path, sizeof path, "%s/frames", folder);
    items all = {0};
    DIR*  dir = opendir(path);
    if (!dir) stop_here(path, "cannot be opened");
    for (struct dirent* e; (e = readdir(dir));) {
        if (number_of(e->d_name) != number) continue;
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        read_part(file, &all);
    }
    closedir(dir);
    if (all.count > 0) qsort(all.data, all.count, sizeof *all.data, by_id);
    return all;
}

typedef struct difference {
    int    frame; // the first that differs; -1: none
    char   what[160];
    double largest; // of positions, in metres, in all frames
} difference;

static void note(difference* d, int frame, const char* what, int32_t id) {
    if (d->frame >= 0) return;
    d->frame = frame;
    snprintf(d->what, sizeof d->what, "%s of particle %d", what, (int)id);
}

static void compare_frame(int frame, const items* old, const items* new, difference* d) {
    static const char* const names[] = {"position", "position", "position", "velocity",
                                        "velocity", "velocity", "density"};
    if (old->count != new->count) {
        if (d->frame < 0) {
            d->frame = frame;
            snprintf(d->what, sizeof d->what, "%zu particles where there were %zu", new->count, old->count);
        }
        d->largest = (double)INFINITY;
        return;
    }
    for (size_t i = 0; i < old->count; i++) {
        const item *a = &old->data[i], *b = &new->data[i];
        if (a->id != b->id) note(d, frame, "id", a->id);
        if (a->material != b->material) note(d, frame, "material", a->id);
        for (int k = 0; k < 7; k++)
            if (memcmp(&a->values[k], &b->values[k], sizeof(float)) != 0) note(d, frame, names[k], a->id);
        for (int k = 0; k < 3; k++) d->largest = fmax(d->largest, fabs((double)a->values[k] - (double)b->values[k]));
    }
}

// ---------------------------------------------------------------------------------- tables

static char* read_text(const char* folder, const char* name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "rb");
    if (!file) return NULL;
    size_t size = 0, capacity = 1 << 16;
    char*  text = must_have(malloc(capacity));
    for (size_t got; (got = fread(text + size, 1, capacity - size - 1, file)) > 0;) {
        size += got;
        if (capacity - size < 2) text = must_have(realloc(text, capacity *= 2));
    }
    text[size] = '\0';
    fclose(file);
    return text;
}

// Length of the cell at `at`; cells end at a comma or at the end of the line.
static size_t cell(const char* at) { return strcspn(at, ",\n"); }

static bool tables_agree(const char* old, const char* new, char* what, size_t capacity) {
    int timed = -1, row = 0, column = 0;
    while (*old && *new) {
        size_t m = cell(old), n = cell(new);
        if (row == 0 && m == 7 && strncmp(old, "step_ms", 7) == 0) timed = column;
        if (column != timed && (m != n || strncmp(old, new, m) != 0)) {
            snprintf(what, capacity, "row %d, column %d: %.*s where it was %.*s", row + 1, column + 1, (int)n, new,
                     (int)m, old);
            return false;
        }
        old += m, new += n;
        if (*old != *new) break;
        if (*old == '\n')
            row++, column = 0;
        else
            column++;
        if (*old) old++, new ++;
    }
    if (*old == *new) return true;
    snprintf(what, capacity, "row %d is longer or shorter", row + 1);
    return false;
}

static bool compare_table(const char* old, const char* new, const char* name, char* what, size_t capacity) {
    char *a = read_text(old, name), *b = read_text(new, name), cause[256] = "only one of them has it";
    bool  agree = (!a && !b) || (a && b && tables_agree(a, b, cause, sizeof cause));
    if (!agree) snprintf(what, capacity, "%s: %s", name, cause);
    free(a), free(b);
    return agree;
}

int main(int argc, char** argv) {
    if (argc != 3) stop_here("usage", "same_runs OLD NEW");
    int        last = last_frame(argv[1]), last_new = last_frame(argv[2]);
    difference d = {.frame = -1};
    if (last < 0) stop_here(argv[1], "there are no frames");
    if (last != last_new) {
        printf("%d frames where there were %d\n", last_new + 1, last + 1);
        return 1;
    }
    size_t count = 0;
    for (int f = 0; f <= last; f++) {
        items old = read_frame(argv[1], f), new = read_frame(argv[2], f);
        compare_frame(f, &old, &new, &d);
        count = old.count;
        free(old.data), free(new.data);
    }
    char table[512];
    bool tables = compare_table(argv[1], argv[2], "stats.csv", table, sizeof table) &&
                  compare_table(argv[1], argv[2], "probes.csv", table, sizeof table);
    if (d.frame >= 0)
        printf("frame %d: %s; positions by up to %.3g m\n", d.frame, d.what, d.largest);
    else if (!tables)
        printf("%s\n", table);
    else
        printf("same, %zu particles in frame %d\n", count, last);
    return d.frame >= 0 || !tables;
}
