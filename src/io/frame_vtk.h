// SPDX-License-Identifier: MIT
// Parts of frames as VTK XML with appended raw binary: PolyData (.vtp) of points or triangles,
// UnstructuredGrid (.vtu) of tetrahedra; and the list of a run's frames (.pvd), so that ParaView
// opens a run as it is.
#ifndef SHOAL_FRAME_VTK_H
#define SHOAL_FRAME_VTK_H

#include "io/frame.h"

enum { SHOAL_VTK_TETRA = 10 }; // VTK's number of that cell

// The checksum of an appended array, which its head has as 16 hexadecimal digits: shoal_hash over pieces of so many
// bytes, each of which begins with that of the one before.
enum { SHOAL_VTK_PIECE = 4096 };
uint64_t shoal_vtk_checksum(const void* bytes, size_t size);

const char* shoal_vtk_type(shoal_type type); // of its numbers: "Float32", ...
const char* shoal_frame_suffix(int corners); // of the file of a part: ".vtp", of tetrahedra ".vtu"

// Field "position" becomes Points, all others arrays in the order they were added, with their units
// as UNITS_LABEL. Nothing but the frame decides the bytes.
shoal_status shoal_frame_save(const shoal_frame* frame, const char* path);

// frame_parse.c: reads what shoal_frame_save writes; "position" comes first. `name` stands for the
// file in messages. SHOAL_ERR_INPUT: damaged, or not of this kind.
shoal_status shoal_frame_parse(const char* bytes, size_t size, const char* name, shoal_frame** out);

// The .pvd: frame numbers and their files, FOLDER/STEM_000123 and the ending of each part (".vtp",
// ".water.vtp"), ended by NULL, as seen from it ("." beside it); time = number / fps.
shoal_status shoal_pvd_text(const char* folder, const char* stem, const char* const* endings, const int* frames,
                            int count, double fps, shoal_text* out);
enum { SHOAL_PVD_END = 27 }; // bytes that close it
// What one frame has there; and that put at the end of a list, in its place: its last page is written, not all of
// it. The list is whole at all times: where the new end would lie in two pages, which a kill may part, it is written
// anew: once or twice in some thirty frames. It is not forced to disk (shoal_file_sync).
// SHOAL_ERR_OUTPUT.
shoal_status shoal_pvd_entry(const char* folder, const char* stem, const char* const* endings, int frame, double fps,
                             shoal_text* out);
shoal_status shoal_pvd_append(const char* path, const char* entry, size_t length);

#endif
