// SPDX-License-Identifier: MIT
// Words people type: which known one did they mean?
#ifndef SHOAL_WORDS_H
#define SHOAL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

// The word of the list (ended by NULL) nearest to `typed`, or NULL when none is near enough to be
// meant (edit distance with transpositions at most a third of its length, at least 1).
const char* shoal_nearest_word(const char* typed, const char* const* words);

// Whether the first `length` letters of `text` are exactly `word`.
bool shoal_word_is(const char* text, size_t length, const char* word);

#endif
