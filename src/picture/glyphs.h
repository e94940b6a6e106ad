// SPDX-License-Identifier: MIT
// Shoal's own letters, drawn as strokes: ASCII and the signs that units need.
#ifndef SHOAL_GLYPHS_H
#define SHOAL_GLYPHS_H

#include <stdint.h>

// Heights in font units. Below the baseline is negative.
enum { SHOAL_GLYPH_CAPITAL = 14, SHOAL_GLYPH_SMALL = 10, SHOAL_GLYPH_GAP = 4 };

typedef struct shoal_glyph {
    uint32_t    code;  // Unicode
    double      width; // font units, without SHOAL_GLYPH_GAP between letters
    const char* path;  // "M x y" move, "L x y" line, "Q cx cy x y" curve; y up from the baseline
} shoal_glyph;

// A frame stands for characters without a letter.
const shoal_glyph* shoal_glyph_find(uint32_t code);

// Decodes one UTF-8 character and steps over it; a wrong byte counts as U+FFFD.
uint32_t shoal_utf8_next(const char** text);

#endif
