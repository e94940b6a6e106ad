// SPDX-License-Identifier: MIT
// What people and programs read: exit codes, faults, JSON values, short
// numbers.
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int cli_exit_code(shoal_status status) {
    switch (status) {
    case SHOAL_OK:
        return CLI_DONE;
    case SHOAL_ERR_FILE:
    case SHOAL_ERR_INPUT:
    case SHOAL_ERR_PARAM:
        return CLI_WRONG;
    case SHOAL_ERR_OUTPUT:
        return CLI_NO_OUTPUT;
    case SHOAL_ERR_DIVERGE:
        return CLI_DIVERGED;
    case SHOAL_ERR_INTERRUPTED:
        return CLI_INTERRUPTED;
    case SHOAL_ERR_MEMORY:
    case SHOAL_ERR_INTERNAL:
    case SHOAL_STATUS_COUNT:
        break;
    }
    return CLI_INTERNAL;
}

int cli_fail(shoal_status status) {
    const char* text = shoal_last_error();
    fprintf(stderr, "%s\n", *text ? text : shoal_status_text(status));
    return cli_exit_code(status);
}

// Bytes of the UTF-8 sequence at `text`, or 0 when it is none: file names may hold anything.
static int utf8_length(const unsigned char* text) {
    int length = *text < 0x80                    ? 1
                 : *text >= 0xc2 && *text < 0xe0 ? 2
                 : *text >= 0xe0 && *text < 0xf0 ? 3
                 : *text >= 0xf0 && *text < 0xf5 ? 4
                                                 : 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    return length;
}

void cli_json_text(FILE* to, const char* text) {
    fputc('"', to);
    for (const unsigned char* c = (const unsigned char*)(text ? text : ""); *c;) {
        int length = utf8_length(c);
        if (length == 0) {
            fputs("\\ufffd", to);
            length = 1;
        } else if (*c == '"' || *c == '\\') {
            fprintf(to, "\\%c", *c);
        } else if (*c < 0x20) {
            fprintf(to, "\\u%04x", *c);
        } else {
            fwrite(c, 1, (size_t)length, to);
        }
        c += length;
    }
    fputc('"', to);
}

void cli_utf8_print(FILE* to, const char* text) {
    for (const unsigned char* c = (const unsigned char*)text; *c;) {
        int length = utf8_length(c);
        if (length > 0)
            fwrite(c, 1, (size_t)length, to);
        else
            fputc('?', to);
        c += length > 0 ? length : 1;
    }
}

void cli_json_number(FILE* to, double value) {
    if (isfinite(value)) {
        fprintf(to, "%.9g", value);
    } else {
        fputs("null", to);
    }
}

void cli_fault_print(FILE* to, const shoal_fault* fault) {
    size_t size = shoal_fault_print(fault, NULL, 0) + 1;
    char*  text = malloc(size);
    if (text) {
        shoal_fault_print(fault, text, size);
        fputs(text, to);
    } else {
        fprintf(to, "%s\n", fault->message);
    }
    free(text);
}

void cli_fault_json(FILE* to, const shoal_fault* fault) {
    fprintf(to, "{\"event\":\"%s\",\"file\":", fault->is_error ? "error" : "warning");
    cli_json_text(to, fault->file);
    fprintf(to, ",\"line\":%d,\"column\":%d,\"path\":", fault->line, fault->column);
    cli_json_text(to, fault->path);
    fputs(",\"message\":", to);
    cli_json_text(to, fault->message);
    fputs("}\n", to);
}

void cli_faults_show(const shoal_scene* scene, bool is_quiet) {
    for (int i = 0; i < shoal_scene_fault_count(scene); i++) {
        const shoal_fault* fault = shoal_scene_fault(scene, i);
        if (fault->is_error || !is_quiet) cli_fault_print(stderr, fault);
    }
}

void cli_json_error(const char* message) {
    printf("{\"event\":\"error\",\"message\":");
    cli_json_text(stdout, message);
    printf("}\n");
    fflush(stdout);
}

void cli_json_end(shoal_status status, const char* folder, int files, const char* again) {
    if (status != SHOAL_OK && status != SHOAL_ERR_INTERRUPTED) {
        const char* text = shoal_last_error();
        cli_json_error(*text ? text : shoal_status_text(status));
    }
    cli_json_last(status, folder, files, again);
}

void cli_json_last(shoal_status status, const char* folder, int files, const char* again) {
    printf("{\"event\":\"end\",\"exit\":%d,\"status\":", cli_exit_code(status));
    cli_json_text(stdout, shoal_status_text(status));
    if (folder) {
        printf(",\"folder\":");
        cli_json_text(stdout, folder);
        printf(",\"files\":%d", files);
    }
    if (again) {
        printf(",\"resume\":");
        cli_json_text(stdout, again);
    }
    printf("}\n");
}

void cli_clock_text(double seconds, char* buffer, size_t size) {
    if (!(seconds >= 0 && seconds < 1e7)) {
        snprintf(buffer, size, "?");
        return;
    }
    int whole = (int)(seconds + 0.5);
    if (whole >= 3600) {
        snprintf(buffer, size, "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        snprintf(buffer, size, "%d:%02d", whole / 60, whole % 60);
    }
}

void cli_bytes_text(double bytes, char* buffer, size_t size) {
    static const char* const units[] = {"B", "kB", "MB", "GB", "TB"};
    int                      unit    = 0;
    while (bytes >= 1000 && unit < 4) {
        bytes /= 1000;
        unit++;
    }
    snprintf(buffer, size, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

double cli_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double cli_median(double* values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

double cli_stat(shoal_sim* sim, const char* name) {
    double values[128];
    int    count = shoal_sim_stat_count(sim), k = 0;
    if (count > (int)(sizeof values / sizeof values[0])) return 0.0;
    shoal_sim_stats(sim, values);
    while (k < count && strcmp(shoal_sim_stat_name(sim, k), name) != 0) k++;
    return k < count ? values[k] : 0.0;
}
