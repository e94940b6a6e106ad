// SPDX-License-Identifier: MIT
// Words people type: which known one did they mean?
#ifndef SHOAL_WORDS_H
#define SHOAL_WORDS_H

#include "shoal/base.h" // shoal_nearest_word

// Whether the first `length` letters of `text` are exactly `word`.
bool shoal_word_is(const char* text, size_t length, const char* word);

#endif
