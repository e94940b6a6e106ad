// SPDX-License-Identifier: MIT
// Frames of a run into the formats of other programs.
#include "base/words.h"
#include "io/file.h"
#include "io/frame_vtk.h"
#include "io/points_out.h"
#include "post/export_surface.h"
#include "post/post_source.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORMATS_MOST = 15, DEF_MADE = 0x45585031 };

const char* const* shoal_export_formats(void) {
    static _Thread_local const char* names[FORMATS_MOST + 1];
    int                              count = 0;
    for (const shoal_points_format* f = shoal_points_formats(); f->name && count < FORMATS_MOST; f++)
        names[count++] = f->name;
    for (const char* const* f = post_surface_exports(); *f && count < FORMATS_MOST; f++) names[count++] = *f;
    names[count] = NULL;
    return names;
}

// *out is NULL for a format that holds surfaces.
static shoal_status find_format(const char* name, const shoal_points_format** out) {
    shoal_text known = {0};
    *out             = NULL;
    for (const shoal_points_format* f = shoal_points_formats(); f->name; f++)
        if (strcmp(f->name, name) == 0) *out = f;
    for (const char* const* f = shoal_export_formats(); *f; f++) {
        if (strcmp(*f, name) == 0) {
            shoal_text_free(&known);
            return SHOAL_OK;
        }
        shoal_text_add(&known, "%s%s", known.length ? ", " : "", *f);
    }
    const char*  near   = shoal_nearest_word(name, shoal_export_formats());
    shoal_status status = shoal_fail(SHOAL_ERR_INPUT, "format \"%s\" is not known, there are %s%s%s%s", name,
                                     known.failed ? "others" : known.bytes, near ? "; did you mean " : "",
                                     near ? near : "", near ? "?" : "");
    shoal_text_free(&known);
    return status;
}

static shoal_status export_one(const char* from, const char* to, const shoal_points_format* format) {
    shoal_frame* frame;
    SHOAL_TRY(shoal_frame_load(from, &frame));
    const shoal_frame_array* place  = shoal_frame_find(frame, "position");
    shoal_status             status = SHOAL_OK;
    for (int64_t i = 0; place && i < 3 * (int64_t)frame->points.count && status == SHOAL_OK; i++)
        if (!isfinite(shoal_frame_value(place, (int)(i / 3), (int)(i % 3))))
            status =
                shoal_fail(SHOAL_ERR_INPUT, "%s: particle %d has a position that is not a number", from, (int)(i / 3));
    if (status == SHOAL_OK) status = format->save(frame, to);
    shoal_frame_destroy(frame);
    return status;
}

// FOLDER/NAME.ply of a frame NAME.vtp, FOLDER/NAME.PART.ply of a part.
static shoal_status export_frame(const shoal_export_def* def, const char* folder, const char* from,
                                 const shoal_points_format* format) {
    char        to[SHOAL_PATH_SIZE];
    const char* name = shoal_path_name(from);
    SHOAL_TRY(shoal_folder_make(folder));
    SHOAL_TRY(shoal_path_make(to, "%s/%.*s%s", folder, (int)strlen(name) - 4, name, format->suffix));
    SHOAL_TRY(export_one(from, to, format));
    if (def->done) def->done(to, def->user);
    return SHOAL_OK;
}

// Where a single frame goes: to the others when it is one of a run, else beside itself.
static shoal_status folder_of_single(const char* frame, char out[SHOAL_PATH_SIZE]) {
    char        mark[SHOAL_PATH_SIZE], here[PATH_MAX];
    int         length = (int)(shoal_path_name(frame) - frame); // with the slash; 0: in this folder
    int         tail   = (int)strlen("frames/");
    const char* folder = length > 0 ? frame : ".";
    SHOAL_TRY(shoal_path_make(mark, "%.*s../run.json", length, frame));
    bool is_in_run = shoal_path_exists(mark);
    if (is_in_run && length >= tail && memcmp(frame + length - tail, "frames/", (size_t)tail) == 0 &&
        (length == tail || frame[length - tail - 1] == '/'))
        return shoal_path_make(out, "%.*sexport", length - tail, frame);
    if (is_in_run && length == 0 && realpath(".", here) && strcmp(shoal_path_name(here), "frames") == 0)
        return shoal_path_make(out, "../export");
    return shoal_path_make(out, "%.*s", length > 1 ? length - 1 : 1, folder);
}

static shoal_status export_single(const shoal_export_def* def, const char* file, const shoal_points_format* format) {
    char folder[SHOAL_PATH_SIZE];
    if (!shoal_path_exists(file)) return shoal_fail(SHOAL_ERR_FILE, "%s: no such file or folder", file);
    if (!shoal_path_has_suffix(file, ".vtp") && !shoal_path_has_suffix(file, ".vtu"))
        return shoal_fail(SHOAL_ERR_INPUT, "%s: not a run folder or a frame (.vtp, .vtu)", file);
    if (!format)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: %s needs the run folder, where the spacing of the particles stands",
                          file, def->format);
    SHOAL_TRY(folder_of_single(file, folder));
    return export_frame(def, folder, file, format);
}

// A file for each part.
static shoal_status export_parts(const shoal_export_def* def, const post_source* s, int index, const char* to,
                                 const shoal_points_format* format) {
    char from[SHOAL_PATH_SIZE];
    for (int k = 0; k < s->part_count; k++) {
        SHOAL_TRY(post_source_file(s, index, k, from));
        SHOAL_TRY(export_frame(def, to, from, format));
    }
    return SHOAL_OK;
}

// Frames that cannot be used are reported, the others are made.
static shoal_status export_named(const shoal_export_def* def, post_source* s, const shoal_points_format* format) {
    char to[SHOAL_PATH_SIZE];
    SHOAL_TRY(post_source_list(s));
    SHOAL_TRY(shoal_path_make(to, "%s/export", s->folder));
    for (int i = 0; i < s->count; i++) {
        if (i > 0) post_source_report_missing(s, i);
        if (!post_source_wants(s, s->numbers[i])) continue;
        if (def->stop && def->stop(def->user))
            return shoal_fail(SHOAL_ERR_INTERRUPTED, "interrupted before frame %d", s->numbers[i]);
        shoal_status status = export_parts(def, s, i, to, format);
        if (status != SHOAL_OK && status != SHOAL_ERR_INPUT && status != SHOAL_ERR_FILE) return status;
        if (status != SHOAL_OK) post_source_fault(s, status, shoal_last_error());
    }
    return post_source_end(s);
}

shoal_export_def shoal_export_def_default(void) {
    return (shoal_export_def){.format = "ply", .first = -1, .last = -1, .made_by_default = DEF_MADE};
}

shoal_status shoal_export(const shoal_export_def* def, const char* folder) {
    const shoal_points_format* format = NULL;
    if (def->made_by_default != DEF_MADE)
        return shoal_fail(SHOAL_ERR_PARAM, "the settings of the export were not made by shoal_export_def_default");
    SHOAL_TRY(find_format(def->format, &format));
    if (!shoal_path_is_folder(folder)) return export_single(def, folder, format);
    if (!format) return post_export_surfaces(def, folder);
    if (def->settings && def->settings[0])
        return shoal_fail(SHOAL_ERR_INPUT, "%s holds particles as they are; there is nothing to set", def->format);
    post_source* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    *s                  = POST_SOURCE_OF(def, folder, NULL); // without settings, no block is asked for
    shoal_status status = export_named(def, s, format);
    post_source_close(s);
    shoal_free(s);
    return status;
}
