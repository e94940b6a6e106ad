// SPDX-License-Identifier: MIT
#include "base/words.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 48 }; // longer words are no typing slips of ours

static int least(int a, int b) { return a < b ? a : b; }

// Damerau-Levenshtein distance (optimal string alignment), letters compared without case.
static int distance(const char* a, const char* b) {
    int rows = (int)strlen(a), columns = (int)strlen(b);
    int d[3][LONGEST + 1];
    for (int j = 0; j <= columns; j++) d[0][j] = j;
    for (int i = 1; i <= rows; i++) {
        int *now = d[i % 3], *last = d[(i + 2) % 3], *before = d[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= columns; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            now[j] = least(least(last[j] + 1, now[j - 1] + 1), last[j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) && tolower((unsigned char)a[i - 2]) == cb)
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return d[rows % 3][columns];
}

// Words that differ in their endings are near: rotation, rotate.
static bool has_stem_of(const char* typed, const char* word) {
    size_t length = strlen(word), same = 0;
    while (typed[same] && word[same] && tolower((unsigned char)typed[same]) == tolower((unsigned char)word[same]))
        same++;
    return same >= 4 && 5 * same >= 4 * length;
}

// A word that breaks off: mud_visc, mud_viscosity.
static bool begins(const char* typed, const char* word) {
    size_t same = 0;
    while (typed[same] && tolower((unsigned char)typed[same]) == tolower((unsigned char)word[same])) same++;
    return same >= 4 && !typed[same];
}

const char* shoal_nearest_word(const char* typed, const char* const* words) {
    size_t length = strlen(typed);
    if (length == 0 || length > LONGEST) return NULL;
    const char* best = NULL;
    // a slip counts 2, so that it comes before an ending that is all but the same: cohesion_wett is cohesion_wet, not
    // cohesion
    enum { SLIP = 2, ENDING = 3 };
    int limit = SLIP * (length < 4 ? 1 : (int)(length + 2) / 3), nearest = limit + 1;
    for (; *words; words++) {
        if (strlen(*words) > LONGEST) continue;
        int d = SLIP * distance(typed, *words);
        if (has_stem_of(typed, *words) || begins(typed, *words)) d = least(d, ENDING);
        if (d < nearest) nearest = d, best = *words;
    }
    return best;
}

void shoal_make_plain(char* text, bool keeps_lines) {
    for (unsigned char* c = (unsigned char*)text; *c; c++) {
        bool is_second = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0; // U+0080 to U+009F in UTF-8
        if (is_second) c[1] = '?';
        if (is_second || c[0] == 0x7f || (c[0] < 0x20 && !(keeps_lines && c[0] == '\n'))) c[0] = '?';
    }
}

bool shoal_word_is(const char* text, size_t length, const char* word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}
