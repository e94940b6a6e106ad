// SPDX-License-Identifier: MIT
// What a run tells about itself: stats.csv and probes.csv row by row, run.json as a whole.
#include "run/run_local.h"
#include "state/column.h"

#include "base/clock.h"
#include "param/param.h"
#include "scene/scene_access.h"
#include "sim/shown.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- tables

static void add_number(shoal_text* text, double value) {
    if (isnan(value))
        shoal_text_add(text, "nan"); // printf may write -nan
    else                             // whole numbers to the last digit: totals are to be added up
        shoal_text_add(text, fabs(value) >= 1e9 && value == trunc(value) ? "%.17g" : "%.9g", value);
}

// A name that would break the table is quoted, as RFC 4180 has it.
static void add_column(shoal_text* out, const char* name) {
    shoal_text_add(out, ",");
    if (!strpbrk(name, ",\"\n\r")) {
        shoal_text_add(out, "%s", name);
        return;
    }
    shoal_text_add(out, "\"");
    for (; *name; name++) shoal_text_add(out, *name == '"' ? "\"\"" : "%c", *name);
    shoal_text_add(out, "\"");
}

static void stats_header(const run* r, shoal_text* out) {
    for (const shoal_column_def* c = shoal_frame_columns; c->name; c++)
        shoal_text_add(out, c == shoal_frame_columns ? "%s" : ",%s", c->name);
    for (int i = 0; i < shoal_sim_stat_count(r->sim); i++) add_column(out, shoal_sim_stat_name(r->sim, i));
    shoal_text_add(out, "\n");
}

static void probes_header(const run* r, shoal_text* out) {
    shoal_text_add(out, "time_s");
    for (int i = 0; i < shoal_sim_probe_count(r->sim); i++) add_column(out, shoal_sim_probe_name(r->sim, i));
    shoal_text_add(out, "\n");
}

// Adds the rows whose first number is at most `limit`; stops at the first other or unfinished one.
static shoal_status keep_rows(const char* path, double limit, shoal_text* out) {
    char*  bytes;
    size_t size;
    SHOAL_TRY(shoal_file_read(path, &bytes, &size));
    size_t at = out->length;
    if (size < at || memcmp(bytes, out->bytes, at) != 0) {
        shoal_free(bytes);
        return shoal_fail(SHOAL_ERR_INPUT,
                          "%s: its columns are not those of this run; move it away, or start "
                          "anew with --force",
                          path);
    }
    while (at < size) {
        const char* end = memchr(bytes + at, '\n', size - at);
        char*       number_end;
        double      first = strtod(bytes + at, &number_end);
        if (!end || number_end == bytes + at || number_end > end || !(first <= limit)) break;
        size_t length = (size_t)(end + 1 - (bytes + at));
        shoal_text_add_bytes(out, bytes + at, length);
        at += length;
    }
    shoal_free(bytes);
    return SHOAL_OK;
}

static shoal_status csv_open(run* r, run_csv* csv, const char* name, double limit, shoal_text* text) {
    SHOAL_TRY(shoal_path_make(csv->path, "%s/%s", r->folder, name));
    // of one that run.json knows to be damaged nothing is kept, not even the names of its columns
    bool is_kept = r->resumed_at >= 0 && !(r->lost.row == 0 && r->lost.table[0]);
    if (is_kept && shoal_path_exists(csv->path)) SHOAL_TRY(keep_rows(csv->path, limit, text));
    if (text->failed) return SHOAL_ERR_MEMORY;
    SHOAL_TRY(shoal_file_write(csv->path, text->bytes, text->length));
    csv->length            = (int64_t)text->length;
    r->told[csv - r->csvs] = (run_told){0};
    run_told_add(&r->told[csv - r->csvs], text->bytes, text->length);
    csv->file = open(csv->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (csv->file < 0) return shoal_fail(SHOAL_ERR_OUTPUT, "%s: cannot be written: %s", csv->path, strerror(errno));
    return SHOAL_OK;
}

shoal_status run_report_open(run* r) {
    shoal_text stats = {0}, probes = {0};
    double     limit = (r->lost.row < 0 ? r->frame + 1 : r->lost.row) - 0.5; // later rows are made again
    stats_header(r, &stats);
    probes_header(r, &probes);
    shoal_status status = csv_open(r, &r->csvs[RUN_STATS], "stats.csv", limit, &stats);
    if (status == SHOAL_OK) status = csv_open(r, &r->csvs[RUN_PROBES], "probes.csv", limit / r->fps, &probes);
    shoal_text_free(&probes);
    shoal_text_free(&stats);
    return status;
}

void run_report_close(run* r) {
    for (int i = 0; i < RUN_CSV_COUNT; i++) {
        if (r->csvs[i].file >= 0) close(r->csvs[i].file);
        r->csvs[i].file = -1;
    }
}

static shoal_status push_row(run* r, int which, shoal_text* text) {
    run_job* job = run_job_create(RUN_JOB_ROW);
    if (!job || text->failed) {
        run_job_destroy(job);
        shoal_text_free(text);
        return SHOAL_ERR_MEMORY;
    }
    job->csv  = &r->csvs[which];
    job->text = *text;
    run_told_add(&r->told[which], text->bytes, text->length);
    return run_writer_push(r->writer, job);
}

static double stat_by_name(const run* r, const char* name, const double* values) {
    for (int i = 0; i < shoal_sim_stat_count(r->sim); i++)
        if (strcmp(shoal_sim_stat_name(r->sim, i), name) == 0) return values[i];
    return (double)NAN;
}

shoal_status run_report_rows(run* r, int substeps, bool are_wanted) {
    int     stat_count = shoal_sim_stat_count(r->sim), probe_count = shoal_sim_probe_count(r->sim);
    double  time   = r->frame / r->fps;
    double* values = shoal_alloc((size_t)(stat_count + probe_count) + 1, sizeof *values);
    if (!values) return SHOAL_ERR_MEMORY;

    shoal_text stats = {0}, probes = {0};
    shoal_sim_stats(r->sim, values);
    r->step_ms = stat_by_name(r, "step_ms", values);
    r->row_count++;
    if (stat_by_name(r, "unsolved", values) > 0.0) {
        r->unsolved_rows++;
        r->compression_most = fmax(r->compression_most, stat_by_name(r, "compression_avg_pct", values));
    }
    if (!are_wanted) {
        shoal_free(values);
        return shoal_sim_fetched(r->sim);
    }
    shoal_text_add(&stats, "%d,", r->frame);
    add_number(&stats, time);
    shoal_text_add(&stats, ",%d,%lld", substeps, (long long)shoal_sim_count(r->sim));
    for (int i = 0; i < stat_count; i++) {
        shoal_text_add(&stats, ",");
        add_number(&stats, values[i]);
    }
    shoal_text_add(&stats, "\n");

    shoal_sim_probes(r->sim, values);
    add_number(&probes, time);
    for (int i = 0; i < probe_count; i++) {
        shoal_text_add(&probes, ",");
        add_number(&probes, values[i]);
    }
    shoal_text_add(&probes, "\n");
    shoal_free(values);

    // what a device could not tell is not written
    shoal_status status = shoal_sim_fetched(r->sim);
    if (status != SHOAL_OK) shoal_text_free(&stats);
    if (status == SHOAL_OK) status = push_row(r, RUN_STATS, &stats);
    if (status != SHOAL_OK) {
        shoal_text_free(&probes);
        return status;
    }
    return push_row(r, RUN_PROBES, &probes);
}

// --- run.json

// The name of the processor as the system tells it.
static void cpu_name(char* out, size_t capacity) {
    char line[256];
    snprintf(out, capacity, "unknown");
    FILE* file = fopen("/proc/cpuinfo", "re");
    if (!file) return;
    while (fgets(line, sizeof line, file)) {
        char* value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value) continue;
        value += strspn(value, ": \t");
        value[strcspn(value, "\n")] = 0;
        snprintf(out, capacity, "%s", value);
        break;
    }
    fclose(file);
}

static void add_machine(const run* r, shoal_text* out) {
    char cpu[256];
    cpu_name(cpu, sizeof cpu);
    shoal_text_add(out, "  \"machine\": {\"cpu\": ");
    shoal_json_string(out, cpu);
    shoal_text_add(out, ", \"cores\": %ld, \"isa\": ", sysconf(_SC_NPROCESSORS_ONLN));
    shoal_json_string(out, shoal_sim_isa(r->sim));
    shoal_text_add(out, ", \"device\": ");
    shoal_json_string(out, shoal_sim_device(r->sim));
    shoal_text_add(out, "},\n  \"threads\": %d,\n", shoal_sim_threads(r->sim));
}

// Wall-clock seconds since this process began or resumed the run.
static void add_timings(const run* r, shoal_text* out) {
    shoal_stage_time stages[32];
    double           waited, written = run_writer_seconds(r->writer, &waited);
    int              count = shoal_sim_stages(r->sim, stages, 32);
    shoal_text_add(out, "  \"timings\": {\"since_frame\": %d, \"total_s\": %.6g", r->resumed_at < 0 ? 0 : r->resumed_at,
                   shoal_seconds() - r->started);
    for (int i = 0; i < count && i < 32; i++)
        shoal_text_add(out, ", \"%s_s\": %.6g", stages[i].name, stages[i].seconds);
    shoal_text_add(out, ", \"write_s\": %.6g, \"wait_for_write_s\": %.6g},\n", written, waited);
}

static void add_removed(const run* r, shoal_text* out) {
    const char* reasons[16];
    int64_t     counts[16];
    int         count = shoal_sim_removed(r->sim, reasons, counts, 16);
    shoal_text_add(out, "  \"removed\": {");
    for (int i = 0; i < count && i < 16; i++)
        shoal_text_add(out, "%s\"%s\": %lld", i ? ", " : "", reasons[i], (long long)counts[i]);
    shoal_text_add(out, "},\n");
}

// What callers have done to the run in addition to its scene; nothing where they have not.
static void add_touches(const run* r, shoal_text* out) {
    const char* names[16];
    int64_t     counts[16];
    int         count = shoal_sim_touches(r->sim, names, counts, 16), count_written = 0;
    for (int i = 0; i < count && i < 16; i++)
        if (counts[i] > 0)
            shoal_text_add(out, "%s\"%s\": %lld", count_written++ ? ", " : "  \"touched\": {", names[i],
                           (long long)counts[i]);
    if (count_written > 0) shoal_text_add(out, "},\n");
}

// Where mesh files of the scene were looked for.
static void add_scene_folder(const run* r, shoal_text* out) {
    const char* folder = shoal_scene_folder(r->scene);
    char        full[PATH_MAX];
    if (!realpath(folder ? folder : ".", full)) return;
    shoal_text_add(out, ",\n  \"scene_folder\": ");
    shoal_json_string(out, full);
}

static const char scene_key[] = "  \"scene\": ";

shoal_status run_report_scene(const run* r) {
    char       path[SHOAL_PATH_SIZE], key[sizeof scene_key + 1];
    char*      bytes = NULL;
    size_t     size;
    shoal_text text = {0};
    SHOAL_TRY(shoal_path_make(path, "%s/run.json", r->folder));
    SHOAL_TRY(shoal_file_read(path, &bytes, &size));
    snprintf(key, sizeof key, "\n%s", scene_key); // the last one of the outermost object
    const char* at = strstr(bytes, key);
    if (at) {
        shoal_text_add_bytes(&text, bytes, (size_t)(at - bytes));
        shoal_text_add(&text, "%s%s\n}\n", key, r->resolved);
    }
    bool         is_new = at && (text.length != size || memcmp(text.bytes, bytes, size) != 0);
    shoal_status status = text.failed ? SHOAL_ERR_MEMORY : SHOAL_OK;
    if (status == SHOAL_OK && is_new) status = shoal_file_write(path, text.bytes, text.length);
    shoal_text_free(&text);
    shoal_free(bytes);
    return status;
}

// Of a solver without particles; those of others are but its mesh.
int64_t run_tetrahedra(const shoal_sim* sim) {
    int64_t count         = -1;
    bool    has_particles = false;
    for (int set = 0; set < shoal_sim_set_count(sim); set++) {
        shoal_set_view   items;
        shoal_field_view field;
        if (shoal_sim_set_at(sim, set, &items) != SHOAL_OK) continue;
        for (int k = 0; k < items.field_count; k++) {
            if (shoal_sim_field_at(sim, set, k, &field) != SHOAL_OK) continue;
            has_particles = has_particles || strcmp(field.name, "holder") == 0;
            if (field.type == SHOAL_R4) count = (count < 0 ? 0 : count) + items.count;
        }
    }
    return has_particles ? -1 : count;
}

shoal_status run_report_json(run* r, const char* status) {
    run_job* job = run_job_create(RUN_JOB_FILE);
    if (!job) return SHOAL_ERR_MEMORY;
    shoal_text* out = &job->text;
    shoal_text_add(out, "{\n  \"version\": \"%s\",\n  \"status\": \"%s\",\n  \"name\": ", shoal_version(), status);
    shoal_json_string(out, r->stem);
    shoal_text_add(out, ",\n  \"solver\": ");
    shoal_json_string(out, shoal_sim_solver(r->sim));
    add_scene_folder(r, out);
    if (r->def->way_on) {
        shoal_text_add(out, ",\n  \"way_on\": ");
        shoal_json_string(out, r->def->way_on);
    }
    shoal_text_add(out, ",\n  \"frames\": {\"first\": %d, \"last\": %d, \"done\": %d, \"fps\": %.15g},\n", r->first,
                   r->last, r->frame, r->fps);
    const shoal_box* seen = &r->subject;
    if (!shoal_box_is_empty(*seen))
        shoal_text_add(out, "  \"subject\": [%.9g, %.9g, %.9g, %.9g, %.9g, %.9g],\n", seen->min.x, seen->min.y,
                       seen->min.z, seen->max.x, seen->max.y, seen->max.z);
    // the clock adds up substeps; at the end of a frame its time is known exactly
    bool   is_mid = shoal_sim_steps(r->sim) != r->frame_steps;
    double time   = is_mid ? shoal_sim_time(r->sim) : r->frame / r->fps;
    shoal_text_add(out, "  \"time_s\": %.9g,\n  \"substeps\": %lld,\n  \"particles\": %lld,\n", time,
                   (long long)shoal_sim_steps(r->sim), (long long)shoal_sim_count(r->sim));
    int64_t tetrahedra = run_tetrahedra(r->sim);
    if (tetrahedra >= 0) shoal_text_add(out, "  \"tetrahedra\": %lld,\n", (long long)tetrahedra);
    shoal_text_add(out, "  \"hashes\": {\"scene\": \"%016llx\", \"state\": \"%016llx\"},\n",
                   (unsigned long long)r->scene_hash, (unsigned long long)shoal_sim_hash(r->sim));
    add_machine(r, out);
    add_timings(r, out);
    add_removed(r, out);
    add_touches(r, out);
    run_told_write(r, out);
    shoal_text_add(out, "%s%s\n}\n", scene_key, r->resolved);

    shoal_status made = out->failed ? SHOAL_ERR_MEMORY : shoal_path_make(job->path, "%s/run.json", r->folder);
    if (made != SHOAL_OK) {
        run_job_destroy(job);
        return made;
    }
    return run_writer_push(r->writer, job);
}
