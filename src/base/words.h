// SPDX-License-Identifier: MIT
// Words people type: which known one did they mean?
#ifndef SHOAL_WORDS_H
#define SHOAL_WORDS_H

#include "shoal/base.h" // shoal_nearest_word

// Control characters, which could move the cursor of a terminal, become question marks; line ends stay where they are
// wanted.
void shoal_make_plain(char* text, bool keeps_lines);
// Whether the first `length` letters of `text` are exactly `word`.
bool shoal_word_is(const char* text, size_t length, const char* word);

#endif
