#!/usr/bin/env bash
# script/truth on a toy program: its table, its exit code, what it does anew and what not.
#   truth.sh TEST      with SHOAL_BINARY, SHOAL_SOURCE and SHOAL_TOY set
source "$(dirname "$0")/cli.bash"
cp "$SHOAL_TOY" test_toy
export SHOAL_TRUTH_PROGRAMS=$PWD/test_toy SHOAL_TRUTH_FOLDER=$PWD/measured
table=measured/truth.md

truth() { runs truth "$@"; }
has() { tables "$@"; }

figures_of_truth_tests_become_a_table() { # fast
    truth 0
    says '^3 figures, 0 not met$'
    has '| test_toy | falling grain: way | grains | 4.905 m | 4.904 to 4.906 m | met |'
    has '| test_toy | falling grain: way over that of a feather | flip | 1.226 | < 2 | met |'
    grep -qE '^\| flip \| [0-9a-f+]* \| [0-9-]* \| 2 of 2 \| 2 \| 0 \|' "$table" || fault 'the table tells of flip'
    TOY_SECONDS=2 truth 0
    has '| 4.905 m |' # measured before, by this very program
    truth 2 fllip
    warns "there is no solver 'fllip'"
    truth 0 --help
    says 'usage: script/truth'
}

a_miss_is_in_the_table_and_in_the_exit_code() { # fast
    cp "$SHOAL_TOY" test_toy
    TOY_SECONDS=2 truth 1
    says 'MISSED: falling grain: way, 19.62 m'
    has '| falling grain: way | grains | 19.62 m | 4.904 to 4.906 m | MISSED |'
    cp "$table" old.md
    echo >>test_toy # another program: nothing of the old one is left
    truth 0 flip
    has '| falling grain: way over that of a feather | flip | 1.226 |'
    has '| falling grain: way | grains | 19.62 m |' # not asked for
    truth 0
    has '| falling grain: way | grains | 4.905 m |'
    truth 0 --compare old.md "$table"
    says '^\| test_toy \| falling grain: way \| grains \| 19.62 m \| 4.905 m \| 4.904 to 4.906 m \| missed, now met \|$'
}

a_broken_test_is_run_anew() { # fast
    TOY_BREAKS=yes truth 1
    says 'BROKEN: a test may break'
    has '| test_toy | a test may break | grains | nan | - | BROKEN |'
    has '| test_toy | breaking test: seconds | flip | 1 s | > 0 s | met |'
    truth 0
    says '^2 of 2.*: test_toy a_test_may_break$'
    says_not '^1 of 2'
}

"$1"
