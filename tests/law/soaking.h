// SPDX-License-Identifier: MIT
// Everything that moves water at once: sand and water rain in, a stream falls on dry sand, grains drink, spread, give
// back and dry, both kinds leave through a sink; periodic along z.
#ifndef SHOAL_LAW_SOAKING_H
#define SHOAL_LAW_SOAKING_H

#include "lab.h"

static const char soaking[] =
    "name: soaking\nsolver: grains\nspacing: 0.02\nfps: 50\nframes: 8\n"
    "domain: {max: [0.16, 0.24, 0.08], walls: {back: periodic, front: periodic}}\n"
    "materials: {dry: {preset: sand}, soaked: {preset: sand, wetness: 1.9}, water: {preset: water}}\n"
    "bodies:\n"
    "  - {material: dry, box: {min: [0, 0, 0], max: [0.16, 0.04, 0.08]}}\n"
    "  - {material: soaked, box: {min: [0.02, 0.06, 0], max: [0.06, 0.1, 0.08]}}\n"
    "  - {material: water, box: {min: [0.08, 0.06, 0], max: [0.12, 0.1, 0.08]}}\n"
    "emitters:\n"
    "  - {material: water, disc: {radius: 0.015}, at: [0.1, 0.2, 0.04], velocity: [0, -1, 0]}\n"
    "  - {material: soaked, rain: {min: [0, 0.18, 0], max: [0.06, 0.22, 0.08], rate: 100}}\n"
    "sinks: [{box: {min: [0.13, 0.03, 0], max: [0.16, 0.1, 0.08]}}]\n"
    "grains: {softness: 20, spread_rate: 20, diffusion: 5, drainage: 0.5, drying: 0.3, regeneration: 50, wet_release: "
    "1.2, "
    "fresh_time: 0.02}\n"
    "output: {fields: [water, pending, quanta]}\n";

// A tap high above a bed of sand: what it holds is carried in each step of the water, many of which are a step.
static const char tap[] = "name: tap\nsolver: grains\nspacing: 0.02\nfps: 50\nframes: 20\n"
                          "domain: {max: [0.2, 0.6, 0.2]}\n"
                          "materials: {sand: {preset: sand}, water: {preset: water}}\n"
                          "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [0.2, 0.06, 0.2]}}\n"
                          "  - {material: sand, box: {min: [0, 0.06, 0], max: [0.04, 0.1, 0.2]}}\n"
                          "obstacles: [{box: {min: [0, 0.44, 0], max: [0.04, 0.46, 0.2]}}]\n"
                          "emitters: [{material: water, disc: {radius: 0.03}, at: [0.1, 0.5, 0.1], velocity: [0, -1, "
                          "0]}]\ngrains: {softness: 20}\n";

#endif
