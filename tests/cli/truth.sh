#!/usr/bin/env bash
# script/truth on a toy program: its table, its exit code, what it does anew and what not.
#   truth.sh TEST      with SHOAL_BINARY, SHOAL_SOURCE and SHOAL_TOY set
source "$(dirname "$0")/cli.bash"
cp "$SHOAL_TOY" test_toy
export SHOAL_TRUTH_PROGRAMS=$PWD/test_toy SHOAL_TRUTH_FOLDER=$PWD/measured
table=measured/truth.tsv

truth() { runs truth "$@"; }
has() { tables "$(printf '%b' "$1")"; } # with \t between columns

figures_of_truth_tests_become_a_table() { # fast
    truth 0
    says '^3 figures, 0 not met$'
    has 'test_toy\tfalling grain: way\tgrains\t4.905\tm\t4.904\t4.906\tmet'
    has 'test_toy\tfalling grain: way over that of a feather\tflip\t1.226\t\t-inf\t2\tmet'
    grep -qE '^\| flip \| [0-9a-f+]* \| [0-9-]* \| 2 of 2 \| 2 \| 0 \|' measured/truth.md || fault 'the summary has a row for flip'
    grep -qx 'Every figure lies in its band.' measured/truth.md || fault 'the summary says that all figures are met'
    TOY_SECONDS=2 truth 0
    has '\t4.905\tm' # measured before, by this very program
    truth 2 fllip
    warns "there is no solver 'fllip'"
    truth 0 --help
    says 'usage: script/truth'
}

a_miss_is_in_the_table_and_in_the_exit_code() { # fast
    cp "$SHOAL_TOY" test_toy
    TOY_SECONDS=2 truth 1
    says 'MISSED: falling grain: way, 19.62 m'
    has 'falling grain: way\tgrains\t19.62\tm\t4.904\t4.906\tMISSED'
    grep -qF '| test_toy | falling grain: way | grains | 19.62 m | 4.904 to 4.906 m | MISSED |' measured/truth.md ||
        fault 'the summary lists what is not met'
    cp "$table" old.tsv
    echo >>test_toy # another program: nothing of the old one is left
    truth 0 flip
    has 'falling grain: way over that of a feather\tflip\t1.226'
    has 'falling grain: way\tgrains\t19.62\tm' # not asked for
    truth 0
    has 'falling grain: way\tgrains\t4.905\tm'
    truth 0 --compare old.tsv "$table"
    says '^\| test_toy \| falling grain: way \| grains \| 19.62 m \| 4.905 m \| 4.904 to 4.906 m \| missed, now met \|$'
}

a_broken_test_is_run_anew() { # fast
    TOY_BREAKS=yes truth 1
    says 'BROKEN: a test may break'
    has 'test_toy\ta test may break\tgrains\tnan\t\t-inf\tinf\tBROKEN'
    has 'test_toy\tbreaking test: seconds\tflip\t1\ts\t0\tinf\tmet'
    truth 0
    says '^2 of 2.*: test_toy a_test_may_break$'
    says_not '^1 of 2'
}

tables_in_markdown_of_old_commits_are_read() { # fast
    cat >old.md <<'TABLE'
| solver | commit |
| test_toy | falling grain: way | grains | 19.62 m | 4.904 to 4.906 m | MISSED |
| test_toy | speed | flip | 0.5 sqrt(g d) | < 0.6 sqrt(g d) | met |
| test_toy | count | flip | 7 | 7 | met |
| test_toy | depth | flip | 3 % | > -5 % | met |
| test_toy | gone | flip | nan | - | BROKEN |
TABLE
    truth 0
    truth 0 --compare old.md "$table"
    says '^\| test_toy \| falling grain: way \| grains \| 19.62 m \| 4.905 m \| 4.904 to 4.906 m \| missed, now met \|$'
    says '^\| test_toy \| speed \| flip \| 0.5 sqrt\(g d\) \| - \| - \| gone \|$'
    truth 0 --compare "$table" old.md
    says '^\| test_toy \| speed \| flip \| - \| 0.5 sqrt\(g d\) \| < 0.6 sqrt\(g d\) \| met \|$'
    says '^\| test_toy \| count \| flip \| - \| 7 \| 7 \| met \|$'
    says '^\| test_toy \| depth \| flip \| - \| 3 % \| > -5 % \| met \|$'
    says '^\| test_toy \| gone \| flip \| - \| nan \| - \| BROKEN \|$'
}

"$1"
