// SPDX-License-Identifier: MIT
// Scenes of benches, a part of `shoal bench`.
#ifndef SHOAL_BENCH_SCENE_H
#define SHOAL_BENCH_SCENE_H

#include "cli.h"

// scenes/NAME.yaml here, or where it was installed with this program.
shoal_status cli_bench_scene(const char* name, shoal_scene** out);
// A scene as text, with numbers to be put in.
shoal_status cli_bench_text(shoal_scene** out, const char* format, ...) __attribute__((format(printf, 2, 3)));

#endif
