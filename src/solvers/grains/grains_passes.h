// SPDX-License-Identifier: MIT
// All passes of the grains, by their names.
#ifndef SHOAL_GRAINS_PASSES_H
#define SHOAL_GRAINS_PASSES_H

#include "solvers/grains/grains_among_pass.h"
#include "solvers/grains/grains_lists_pass.h"

// clang-format off
#define GRAINS_PASSES(X) X(advance) X(feel) X(gauge) // of the contacts
// Of all else: one item each, be it a grain, an image, a team or a block; and those that go by blocks of grains.
#define GRAINS_ITEM_PASSES(X) X(wrap) X(take) X(put) X(come_back) X(resort) X(bring) X(deepen) X(lay) X(lay_solids) \
    X(tally) X(keep) X(wetted) X(dampen) X(go) X(offer) X(receive) X(dry) X(release)
#define GRAINS_STATE_PASSES(X) GRAINS_ITEM_PASSES(X) X(thin) X(fill)
// What all give together: the first of which something holds, the most, or the sum of whole numbers.
#define GRAINS_FOLDS(X) X(is_crushed, FIRST) X(moved_of, MOST) X(speed2_of, MOST) X(partners_of, SUM) X(present_of, SUM) X(pending_of, SUM) X(water_of, SUM) X(water_next_of, SUM)
// Of free water and the grains in it.
#define GRAINS_AMONG_PASSES(X) X(show_drop) X(grow_old) X(swell) X(see) X(expect) X(meet_at) X(find_pairs) X(slopes) X(yield_to) X(recoil) X(flow_in) \
    X(guess) X(drag) X(slow) X(print) X(force) X(settle) X(lean_on) X(choose) X(split) X(drink)
#define GRAINS_AMONG_FOLDS(X) X(low_x, MOST) X(low_y, MOST) X(low_z, MOST) X(high_x, MOST) X(high_y, MOST) X(high_z, MOST) \
    X(quanta_of, SUM) X(taken_of, SUM) X(given_of, SUM) X(leans_of, MOST)
// clang-format on
#define X(name) GRAINS_##name,
typedef enum grains_pass { GRAINS_PASSES(X) GRAINS_PASS_COUNT } grains_pass;
enum { GRAINS_STATE_PASSES(X) GRAINS_STATE_PASS_COUNT };
enum { GRAINS_AMONG_PASSES(X) GRAINS_AMONG_PASS_COUNT };
#undef X
#define X(name, how) GRAINS_##name,
enum { GRAINS_FOLDS(X) GRAINS_FOLD_COUNT };
enum { GRAINS_AMONG_FOLDS(X) GRAINS_AMONG_FOLD_COUNT };
#undef X

#endif
