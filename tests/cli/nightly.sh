#!/usr/bin/env bash
# script/nightly on parts that are made up: what it runs, what it remembers, how it ends.
#   nightly.sh TEST      with SHOAL_BINARY and SHOAL_SOURCE set
source "$(dirname "$0")/cli.bash"
export SHOAL_NIGHTLY_PARTS=$PWD/parts SHOAL_NIGHTLY_TABLE=$PWD/nightly.tsv SHOAL_NIGHTLY_FOLDER=$PWD/night
table=nightly.tsv

nightly() { runs nightly "$@"; }
# part NAME SOURCES COMMAND
part() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>parts; }

what_has_passed_is_not_run_again() { # fast
    part 'truth sand' LICENSE "echo sand >>$PWD/ran"
    part 'truth water' LICENSE "echo water >>$PWD/ran"
    nightly 0
    says '^2 parts: 2 ok, 0 failed, 0 left$'
    rows "$table" 3
    nightly 0
    says '^2 parts, all ok$'
    rows ran 2
    nightly 0 --list
    says '^truth sand +ok$'
    # what was made of other sources is run again, and alone where it is asked for
    sed -i 's/^\(truth [a-z]*\t\)[0-9a-f]*/\10123456789ab/' "$table"
    nightly 0 truth sand
    says '^1 parts: 1 ok'
    rows ran 3
    nightly 0 --list
    says '^truth water +changed since ok$'
}

what_fails_is_told_and_run_again() { # fast
    part 'truth sand' LICENSE 'echo MISSED: a heap; false'
    part 'truth water' LICENSE true
    nightly 1
    says '^ +[|] MISSED: a heap$'
    says '^2 parts: 1 ok, 1 failed, 0 left$'
    grep -q "^truth sand.failed\|^truth sand.[0-9a-f]*.failed" "$table" || fault 'the table tells of the failure'
    nightly 1
    says '^truth sand \.\.\.$'
    says_not '^truth water \.\.\.$'
}

what_time_leaves_no_room_for_is_left() { # fast
    part 'truth sand' LICENSE true
    nightly 3 --minutes 0
    says '^1 parts: 0 ok, 0 failed, 1 left$'
    rows "$table" 1
}

a_call_for_nothing_is_refused() { # fast
    part 'truth sand' LICENSE true
    nightly 2 truth snad
    warns "there is no part 'truth snad'"
    nightly 2 --minutes soon
    nightly 0 --help
    says 'usage: script/nightly'
}

"$1"
