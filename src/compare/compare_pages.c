// SPDX-License-Identifier: MIT
// The report as files: table.csv for programs, report.md for notes, index.html for a browser.
#include "compare/compare_local.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- table.csv

static void csv_number(shoal_text* out, double value) {
    if (isnan(value))
        shoal_text_add(out, ",nan"); // printf may write -nan
    else
        shoal_text_add(out, ",%.9g", value);
}

static void csv_text(shoal_text* out, const char* text) {
    shoal_text_add(out, "\"");
    for (; *text; text++) shoal_text_add(out, *text == '"' ? "\"\"" : "%c", *text);
    shoal_text_add(out, "\"");
}

static void csv_make(const comparison* c, shoal_text* out) {
    shoal_text_add(out, "variant,solver,status,frames,particles,lost,steps,compression_avg_pct,"
                        "compression_peak_pct,compression_max_pct,energy_start_j,energy_end_j,"
                        "energy_change_pct,frame_ms,step_ms,total_s,message\n");
    for (int i = 0; i < c->count; i++) {
        const compare_result*    r   = &c->results[i];
        const shoal_compare_row* row = &r->row;
        csv_text(out, row->variant);
        shoal_text_add(out, ",%s,%s,%d", row->solver, compare_status_word(r), row->frames);
        const double numbers[] = {row->particles,
                                  row->lost,
                                  row->steps,
                                  row->compression_avg_pct,
                                  row->compression_peak_pct,
                                  row->compression_max_pct,
                                  row->energy_start_j,
                                  row->energy_end_j,
                                  row->energy_change_pct,
                                  row->frame_ms,
                                  row->step_ms,
                                  row->total_s};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) csv_number(out, numbers[k]);
        shoal_text_add(out, ",");
        csv_text(out, row->message);
        shoal_text_add(out, "\n");
    }
}

// --- report.md

// What would begin markup or break the row of a table.
static void md_text(shoal_text* out, const char* text) {
    for (; *text; text++) shoal_text_add(out, strchr("|*_`<>[]\\", *text) ? "\\%c" : "%c", *text == '\n' ? ' ' : *text);
}

static void md_make(const comparison* c, const compare_cells* t, shoal_text* out) {
    shoal_text_add(out, "# Comparison: ");
    md_text(out, c->title);
    shoal_text_add(out, "\n\n");
    for (int i = -2; i < c->count; i++) {
        for (int k = 0; k < COMPARE_COLUMNS; k++) {
            shoal_text_add(out, "| ");
            if (i == -2) shoal_text_add(out, "%s ", t->heads[k]);
            if (i == -1) shoal_text_add(out, k < 3 ? "--- " : "---: ");
            if (i < 0) continue;
            bool is_best = t->best[k] == i;
            shoal_text_add(out, is_best ? "**" : "");
            md_text(out, t->cells[i][k]);
            shoal_text_add(out, is_best ? "** " : " ");
        }
        shoal_text_add(out, "|\n");
    }
    shoal_text_add(out, "\n## Variants\n\n");
    for (int i = 0; i < c->count; i++) {
        const compare_result* r        = &c->results[i];
        shoal_text            settings = {0};
        compare_settings_text(r->variant, &settings);
        shoal_text_add(out, "- **");
        md_text(out, r->variant->name);
        shoal_text_add(out, "**: ");
        md_text(out, settings.bytes ? settings.bytes : "");
        if (r->message[0]) {
            shoal_text_add(out, "; ");
            md_text(out, r->message);
        }
        shoal_text_add(out, "\n");
        shoal_text_free(&settings);
    }
    for (int i = 0; c->def->settings && c->def->settings[i]; i++)
        shoal_text_add(out, "%s`%s`\n", i ? "- " : "\nSet for all:\n\n- ", c->def->settings[i]);
    if (c->def->command) shoal_text_add(out, "\nMade by:\n\n    %s\n", c->def->command);
    if (c->has_strip) shoal_text_add(out, "\n## Pictures\n\n![pictures](strip.png)\n");
    if (c->plots.count > 0) shoal_text_add(out, "\n## Plots\n");
    for (int i = 0; i < c->plots.count; i++)
        shoal_text_add(out, "\n![%s](plots/%s.png)\n", c->plots.names[i], c->plots.names[i]);
}

// --- index.html

static const char style[] = "body{font:15px/1.5 system-ui,sans-serif;color:#222;background:#fff;margin:2rem auto;"
                            "max-width:72rem;padding:0 1rem}\n"
                            "h1{font-size:1.5rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin-top:2rem}\n"
                            ".small{color:#666;font-size:.9rem}code{background:#f3f3f3;padding:.1em .3em;"
                            "border-radius:3px;overflow-wrap:anywhere}\n"
                            ".wide{overflow-x:auto}table{border-collapse:collapse;white-space:nowrap}"
                            "th,td{padding:.35rem .8rem;text-align:right;border-bottom:1px solid #ddd}"
                            "th{font-weight:600;border-bottom:2px solid #999}\n"
                            "th:nth-child(-n+3),td:nth-child(-n+3){text-align:left}"
                            "td.best{font-weight:700;color:#00664b}td.bad{color:#b03a00;font-weight:600}\n"
                            "img{max-width:100%;height:auto;border:1px solid #eee}figure{margin:1rem 0}\n";

static void html_text(shoal_text* out, const char* text) {
    for (; *text; text++) {
        if (*text == '&')
            shoal_text_add(out, "&amp;");
        else if (*text == '<')
            shoal_text_add(out, "&lt;");
        else if (*text == '>')
            shoal_text_add(out, "&gt;");
        else if (*text == '"')
            shoal_text_add(out, "&quot;");
        else
            shoal_text_add(out, "%c", *text);
    }
}

// Of a path below the report: names may hold blanks, and signs that mean something in a link.
static void html_link(shoal_text* out, const char* path) {
    for (; *path; path++) {
        bool is_plain = (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') ||
                        (*path >= '0' && *path <= '9') || strchr("-_./", *path);
        shoal_text_add(out, is_plain ? "%c" : "%%%02X", is_plain ? *path : (int)(unsigned char)*path);
    }
}

static void html_table(const comparison* c, const compare_cells* t, shoal_text* out) {
    shoal_text_add(out, "<div class=\"wide\"><table>\n<tr>");
    for (int k = 0; k < COMPARE_COLUMNS; k++) shoal_text_add(out, "<th>%s</th>", t->heads[k]);
    shoal_text_add(out, "</tr>\n");
    for (int i = 0; i < c->count; i++) {
        bool is_bad = c->results[i].row.status != SHOAL_OK;
        shoal_text_add(out, "<tr>");
        for (int k = 0; k < COMPARE_COLUMNS; k++) {
            shoal_text_add(out, "<td%s>",
                           t->best[k] == i    ? " class=\"best\""
                           : k == 2 && is_bad ? " class=\"bad\""
                                              : "");
            html_text(out, t->cells[i][k]);
            shoal_text_add(out, "</td>");
        }
        shoal_text_add(out, "</tr>\n");
    }
    shoal_text_add(out, "</table></div>\n<p class=\"small\">Lost: particles that left the domain. Density error: "
                        "compression, mean over particles and "
                        "time; largest: of any particle at any time. Energy: kinetic and potential at the end, and "
                        "its change since the start. Times: wall clock of the steps, without output. "
                        "Best of those that are done in green.</p>\n");
}

static void html_variants(const comparison* c, shoal_text* out) {
    shoal_text_add(out, "<h2>Variants</h2>\n<ul>\n");
    for (int i = 0; i < c->count; i++) {
        const compare_result* r        = &c->results[i];
        shoal_text            settings = {0};
        compare_settings_text(r->variant, &settings);
        shoal_text_add(out, "<li><a href=\"%sruns/", c->is_aside ? "../" : "");
        html_link(out, r->stem);
        shoal_text_add(out, "/\">");
        html_text(out, r->variant->name);
        shoal_text_add(out, "</a>: <code>");
        html_text(out, settings.bytes ? settings.bytes : "");
        shoal_text_add(out, "</code>");
        if (r->message[0]) {
            shoal_text_add(out, "<br>");
            html_text(out, r->message);
        }
        shoal_text_add(out, "</li>\n");
        shoal_text_free(&settings);
    }
    shoal_text_add(out, "</ul>\n");
    for (int i = 0; c->def->settings && c->def->settings[i]; i++) {
        shoal_text_add(out, "%s<code>", i ? " " : "<p>Set for all: ");
        html_text(out, c->def->settings[i]);
        shoal_text_add(out, "</code>%s", c->def->settings[i + 1] ? "" : "</p>\n");
    }
    if (!c->def->command) return;
    shoal_text_add(out, "<p>Made by <code>");
    html_text(out, c->def->command);
    shoal_text_add(out, "</code>; the same command goes on with what is not finished. "
                        "Numbers: <a href=\"table.csv\">table.csv</a>.</p>\n");
}

static void html_make(const comparison* c, const compare_cells* t, shoal_text* out) {
    shoal_text_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    html_text(out, c->title);
    shoal_text_add(out, ", compared</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    html_text(out, c->title);
    shoal_text_add(out, ", compared</h1>\n<p class=\"small\">%d variant%s of <code>", c->count,
                   c->count == 1 ? "" : "s");
    html_text(out, c->scene_path);
    shoal_text_add(out, "</code></p>\n");
    html_table(c, t, out);
    if (c->has_strip)
        shoal_text_add(out, "<h2>Pictures</h2>\n<figure><a href=\"strip.png\"><img "
                            "src=\"strip.png\" alt=\"pictures side by side\"></a></figure>\n");
    html_variants(c, out);
    if (c->plots.count > 0) shoal_text_add(out, "<h2>Plots</h2>\n");
    for (int i = 0; i < c->plots.count; i++) {
        shoal_text_add(out, "<figure><a href=\"plots/");
        html_link(out, c->plots.names[i]);
        shoal_text_add(out, ".png\"><img src=\"plots/");
        html_link(out, c->plots.names[i]);
        shoal_text_add(out, ".svg\" alt=\"");
        html_text(out, c->plots.names[i]);
        shoal_text_add(out, "\"></a></figure>\n");
    }
    shoal_text_add(out, "</body>\n</html>\n");
}

// ---

static shoal_status write_page(const comparison* c, const char* name, shoal_text* text) {
    char         path[SHOAL_PATH_SIZE];
    shoal_status status = text->failed ? SHOAL_ERR_MEMORY : shoal_path_make(path, "%s/%s", c->report, name);
    if (status == SHOAL_OK) status = shoal_file_write(path, text->bytes, text->length);
    shoal_text_free(text);
    return status;
}

shoal_status compare_write_pages(const comparison* c) {
    compare_cells* t;
    shoal_text     csv = {0}, md = {0}, html = {0};
    SHOAL_TRY(compare_cells_make(c, &t));
    csv_make(c, &csv);
    md_make(c, t, &md);
    html_make(c, t, &html);
    shoal_free(t);
    shoal_status status = write_page(c, "table.csv", &csv);
    if (status == SHOAL_OK) status = write_page(c, "report.md", &md);
    if (status == SHOAL_OK) status = write_page(c, "index.html", &html);
    shoal_text_free(&csv);
    shoal_text_free(&md);
    shoal_text_free(&html);
    return status;
}
