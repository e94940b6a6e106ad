// SPDX-License-Identifier: MIT
// A disc of particles and the surface each method lays around it, as figure 4 of Zhu & Bridson 2005
// has it: an SVG picture on standard output (docs/pictures/circle.svg).
#include "shoal/surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RINGS = 6, LAYERS = 17, PANEL = 240, PARTICLES_MOST = 128 };
static const double spacing = 0.1, scale = 160.0; // m; pixels per metre

// A number in [-0.5, 0.5).
static double shaken(unsigned number) {
    number = (number ^ 61u ^ number >> 16) * 9u; // [Wang 2007]
    number = (number ^ number >> 4) * 0x27d4eb2du;
    return (number ^ number >> 15) / 4294967296.0 - 0.5;
}

// Rings of particles, the outermost half a spacing inside the circle, shaken, in layers along z.
// Returns how many there are in a layer.
static int fill(float* positions) {
    const double turn  = 6.283185307179586;
    int          count = 0;
    for (int ring = 0; ring < RINGS; ring++) {
        double radius = (ring + 0.5) * spacing;
        int    on     = (int)(turn * radius / spacing + 0.5);
        for (int i = 0; i < on; i++, count++) {
            double r                 = radius + 0.4 * spacing * shaken(2u * (unsigned)count);
            double angle             = turn * (i + 0.5 * shaken(2u * (unsigned)count + 1u)) / on + ring;
            positions[3 * count]     = (float)(r * cos(angle));
            positions[3 * count + 1] = (float)(r * sin(angle));
        }
    }
    for (int layer = 1; layer < LAYERS; layer++)
        for (int i = 0; i < count; i++) {
            float* p = positions + 3 * (layer * count + i);
            p[0]     = positions[3 * i];
            p[1]     = positions[3 * i + 1];
            p[2]     = (float)((layer + 1) / 2 * (layer % 2 ? spacing : -spacing));
        }
    return count;
}

// The line in which the mesh meets the plane z = height.
static void slice(const shoal_surface_mesh* mesh, double height) {
    printf("<path d=\"");
    for (int t = 0; t < mesh->triangle_count; t++) {
        int ends = 0;
        for (int k = 0; k < 3; k++) {
            const float* a  = mesh->positions + 3 * mesh->triangles[3 * t + k];
            const float* b  = mesh->positions + 3 * mesh->triangles[3 * t + (k + 1) % 3];
            double       za = (double)a[2] - height, zb = (double)b[2] - height;
            if ((za < 0.0) == (zb < 0.0)) continue;
            double fraction = za / (za - zb);
            double x        = (double)a[0] + fraction * (double)(b[0] - a[0]),
                   y        = (double)a[1] + fraction * (double)(b[1] - a[1]);
            printf("%c%.1f %.1f", ends++ ? 'L' : 'M', scale * x, -scale * y);
        }
    }
    printf("\"/>\n");
}

int main(void) {
    static const char* const methods[] = {"blobby", "color-field", "zhu-bridson", "anisotropic"};
    static float             positions[3 * PARTICLES_MOST * LAYERS];
    int                      count = fill(positions);

    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
           "font-family=\"sans-serif\" font-size=\"15\">\n"
           "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
           4 * PANEL, PANEL + 20);
    for (int m = 0; m < 4; m++) {
        char method[32];
        snprintf(method, sizeof method, "method=%s", methods[m]);
        const char*             settings[] = {method, "cell=0.2", NULL};
        shoal_surface_particles particles  = {
             .count = (int64_t)count * LAYERS, .positions = positions, .spacing = spacing};
        shoal_surface_mesh* mesh = NULL;
        if (shoal_surface_make(&particles, settings, 0, &mesh) != SHOAL_OK) {
            fprintf(stderr, "%s\n", shoal_last_error());
            return 1;
        }
        printf("<g transform=\"translate(%d %d)\">\n<g fill=\"#b8c4cf\">\n", m * PANEL + PANEL / 2, PANEL / 2);
        for (int i = 0; i < count; i++)
            printf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", scale * (double)positions[3 * i],
                   -scale * (double)positions[3 * i + 1]);
        printf("</g>\n<circle r=\"%.1f\" fill=\"none\" stroke=\"#d65f2e\" stroke-dasharray=\"5 4\"/>\n"
               "<g fill=\"none\" stroke=\"#1f6fb2\" stroke-width=\"2\" stroke-linecap=\"round\">\n",
               scale * RINGS * spacing);
        slice(mesh, 0.013 * spacing); // not through a row of samples
        printf("</g>\n<text y=\"%d\" text-anchor=\"middle\">%s</text>\n</g>\n", PANEL / 2 + 5, methods[m]);
        shoal_surface_mesh_destroy(mesh);
    }
    printf("</svg>\n");
    return 0;
}
