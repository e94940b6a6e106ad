// SPDX-License-Identifier: MIT
// How fast the density error falls with the sweeps of one substep, at t = 1 s of the dam break: the paper's figure 6,
// and its wish of section 9 (Gauss-Seidel in colours, warm start, Chebyshev) beside it. Prints CSV; with a file name,
// draws an SVG.
//
//     convergence scenes/dam-break.yaml docs/pictures/convergence.svg
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shoal/files.h"
#include "shoal/shoal.h"

enum { SWEEPS = 20 };
static const double dt = 1.0 / 240.0;

// name, colour, parameters
typedef struct method {
    const char* name;
    const char* colour;
    double      gauss_seidel, warm_start, chebyshev;
} method;

static const method methods[] = {
    {"Jacobi (the paper)", "#1f6f8b", 0.0, 0.0, 0.0},
    {"Gauss-Seidel, 8 colours", "#c8553d", 1.0, 0.0, 0.0},
    {"Jacobi, warm start 0.5", "#6a994e", 0.0, 0.5, 0.0},
    {"Chebyshev, radius 0.9", "#8a5a9e", 0.0, 0.0, 0.9},
};
enum { METHODS = sizeof methods / sizeof *methods };

static int complain(void) {
    fprintf(stderr, "%s\n", shoal_last_error());
    return 1;
}

static shoal_status set_method(shoal_sim* sim, const method* m) {
    shoal_status status = shoal_sim_set_param(sim, "sweep", m->gauss_seidel);
    if (status == SHOAL_OK) status = shoal_sim_set_param(sim, "warm_start", m->warm_start);
    if (status == SHOAL_OK) status = shoal_sim_set_param(sim, "chebyshev", m->chebyshev);
    return status;
}

static double compression(shoal_sim* sim) {
    double values[64];
    shoal_sim_stats(sim, values);
    for (int k = 0; k < shoal_sim_stat_count(sim); k++)
        if (strcmp(shoal_sim_stat_name(sim, k), "compression_avg_pct") == 0) return values[k];
    return (double)NAN;
}

// Each method runs the last tenth of a second by itself, so that a warm start is warm; then one substep with
// 1, 2, ... sweeps from the same state.
static shoal_status measure(shoal_sim* sim, const void* bytes, size_t size, const method* m, double* error) {
    void*        own      = NULL;
    size_t       own_size = 0;
    shoal_status status   = shoal_sim_load(sim, bytes, size);
    if (status == SHOAL_OK) status = set_method(sim, m);
    if (status == SHOAL_OK) status = shoal_sim_set_param(sim, "iterations", 3.0);
    for (int step = 0; step < 24 && status == SHOAL_OK; step++) status = shoal_sim_advance(sim, dt);
    if (status == SHOAL_OK) status = shoal_sim_save(sim, &own, &own_size);
    for (int sweeps = 1; sweeps <= SWEEPS && status == SHOAL_OK; sweeps++) {
        status = shoal_sim_load(sim, own, own_size);
        if (status == SHOAL_OK) status = shoal_sim_set_param(sim, "iterations", sweeps);
        if (status == SHOAL_OK) status = shoal_sim_advance(sim, dt);
        if (status == SHOAL_OK) error[sweeps - 1] = compression(sim);
    }
    shoal_bytes_free(own, own_size);
    return status;
}

static shoal_status run(shoal_scene* scene, double error[METHODS][SWEEPS]) {
    shoal_sim*    sim    = NULL;
    shoal_sim_def def    = shoal_sim_def_default();
    void*         bytes  = NULL;
    size_t        size   = 0;
    shoal_status  status = shoal_sim_create(&def, scene, &sim);
    if (status == SHOAL_OK) status = shoal_sim_set_param(sim, "substeps", 1.0);
    for (int step = 0; step < 216 && status == SHOAL_OK; step++) status = shoal_sim_advance(sim, dt);
    if (status == SHOAL_OK) status = shoal_sim_save(sim, &bytes, &size);
    for (int m = 0; m < METHODS && status == SHOAL_OK; m++) status = measure(sim, bytes, size, &methods[m], error[m]);
    shoal_bytes_free(bytes, size);
    shoal_sim_destroy(sim);
    return status;
}

// x: sweeps, y: error in percent
static double at_x(int sweeps) { return 60.0 + 520.0 * (sweeps - 1) / (SWEEPS - 1); }
static double at_y(double error, double top) { return 330.0 - 295.0 * error / top; }

static int draw(const char* path, double error[METHODS][SWEEPS]) {
    double top = 0.0;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < SWEEPS; k++) top = fmax(top, error[m][k]);
    double step = pow(10.0, floor(log10(top))) / 2.0;
    top         = step * ceil(top / step);
    FILE* out   = fopen(path, "w");
    if (!out) {
        perror(path);
        return 1;
    }
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 400\" font-family=\"sans-serif\" "
                 "font-size=\"13\">\n"
                 "<rect width=\"640\" height=\"400\" fill=\"white\"/>\n");
    for (int k = 0; k * step <= top * 1.001; k++) {
        double y = at_y(k * step, top);
        fprintf(
            out,
            "<path d=\"M60 %.1fH580\" stroke=\"#ddd\"/><text x=\"52\" y=\"%.1f\" text-anchor=\"end\">%g %%</text>\n", y,
            y + 4.0, k * step);
    }
    for (int k = 1; k <= SWEEPS; k += k == 1 ? 4 : 5)
        fprintf(out, "<text x=\"%.1f\" y=\"350\" text-anchor=\"middle\">%d</text>\n", at_x(k), k);
    fprintf(out, "<text x=\"320\" y=\"372\" text-anchor=\"middle\">sweeps in one substep</text>\n"
                 "<text x=\"60\" y=\"20\">average compression, dam break at t = 1 s</text>\n");
    for (int m = 0; m < METHODS; m++) {
        fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", methods[m].colour);
        for (int k = 0; k < SWEEPS; k++)
            fprintf(out, "%c%.1f %.1f", k ? 'L' : 'M', at_x(k + 1), at_y(error[m][k], top));
        fprintf(out, "\"/>\n<text x=\"400\" y=\"%d\" fill=\"%s\">%s</text>\n", 55 + 18 * m, methods[m].colour,
                methods[m].name);
    }
    fprintf(out, "</svg>\n");
    return fclose(out) != 0;
}

int main(int argc, char** argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: convergence SCENE [PICTURE.svg]\n");
        return 2;
    }
    shoal_scene* scene = NULL;
    double       error[METHODS][SWEEPS];
    shoal_status status = shoal_scene_load(argv[1], &scene);
    if (status == SHOAL_OK) status = run(scene, error);
    shoal_scene_destroy(scene);
    if (status != SHOAL_OK) return complain();

    printf("sweeps");
    for (int m = 0; m < METHODS; m++) printf(",%s", methods[m].name);
    for (int k = 0; k < SWEEPS; k++) {
        printf("\n%d", k + 1);
        for (int m = 0; m < METHODS; m++) printf(",%.4f", error[m][k]);
    }
    printf("\n");
    return argc > 2 ? draw(argv[2], error) : 0;
}
