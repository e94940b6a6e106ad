// SPDX-License-Identifier: MIT
// A chart: panels one above the other over a common x axis, each with its series. Drawn as SVG or
// PNG by the same code. Lack of memory is kept and told when the chart is written.
#ifndef SHOAL_CHART_H
#define SHOAL_CHART_H

#include "shoal/base.h"

typedef struct shoal_chart shoal_chart;

// NULL: out of memory. `note` is small print under the title.
shoal_chart* shoal_chart_create(const char* title, const char* note, const char* x_label, const char* x_unit);
void         shoal_chart_destroy(shoal_chart* chart); // may be NULL

// Adds a panel, to which the following series belong. `has_zero`: its axis begins at zero.
void shoal_chart_panel(shoal_chart* chart, const char* label, const char* unit, bool has_zero);

// Values are copied; those that are not finite are gaps. Equal styles look equal in every chart.
typedef enum shoal_series_kind { SHOAL_SERIES_LINE, SHOAL_SERIES_POINTS } shoal_series_kind;
void shoal_chart_series(shoal_chart* chart, const char* name, int style, shoal_series_kind kind, const double* x,
                        const double* y, int count);

// Appears whole or not at all; SHOAL_ERR_OUTPUT. `width` in pixels, at least 320.
shoal_status shoal_chart_write_svg(const shoal_chart* chart, int width, const char* path);
shoal_status shoal_chart_write_png(const shoal_chart* chart, int width, const char* path);

#endif
