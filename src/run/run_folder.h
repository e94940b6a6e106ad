// SPDX-License-Identifier: MIT
// Names in the folder of a run, and the state that it was left in.
#ifndef SHOAL_RUN_FOLDER_H
#define SHOAL_RUN_FOLDER_H

#include "shoal/files.h"

enum { RUN_STEM_SIZE = 256 };

typedef struct run_survey {
    bool        holds_run;
    const char* stranger;                  // a table there by a name of ours though no run is; NULL: none
    char        other_stem[RUN_STEM_SIZE]; // of files there that belong to another scene; "" none
} run_survey;
void         run_stem(const char* scene_path, char out[RUN_STEM_SIZE]);
shoal_status run_folder_survey(const char* folder, const char* stem, run_survey* out);
bool         run_folder_is_busy(const char* folder);  // a run writes there now
bool         run_folder_was_left(const char* folder); // by a run that could not close it, or it is busy

#endif
