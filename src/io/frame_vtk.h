// SPDX-License-Identifier: MIT
// Frames as VTK XML PolyData (.vtp) with appended raw binary, and the list of a run's frames
// (.pvd), so that ParaView opens a run as it is.
#ifndef SHOAL_FRAME_VTK_H
#define SHOAL_FRAME_VTK_H

#include "io/frame.h"

// Field "position" becomes Points, all others point arrays in the order they were added. Nothing
// but the frame decides the bytes.
shoal_status shoal_frame_save(const shoal_frame* frame, const char* path);

// Reads what shoal_frame_save writes; "position" comes first. `name` stands for the file in
// messages. SHOAL_ERR_INPUT: damaged, or not of this kind.
shoal_status shoal_frame_parse(const char* bytes, size_t size, const char* name, shoal_frame** out);

// The .pvd: frame numbers and their files, FOLDER/STEM_000123.vtp as seen from it ("." beside it), time = number / fps.
shoal_status shoal_pvd_text(const char* folder, const char* stem, const int* frames, int count, double fps,
                            shoal_text* out);

#endif
