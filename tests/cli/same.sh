#!/usr/bin/env bash
# What script/same rests on: same_runs tells runs apart that differ in one bit, and those that do not.
#   same.sh TEST      with SHOAL_BINARY and SHOAL_SAME set
source "$(dirname "$0")/cli.bash"

# same CODE OLD NEW
same() {
    local got=0
    said="same_runs $2 $3"
    "$SHOAL_SAME" "$2" "$3" >stdout 2>stderr || got=$?
    [ "$got" = "$1" ] || fault "$said exits with $1 (was $got)"
}

runs_are_told_apart_by_a_bit_of_a_frame_or_a_table() { # fast
    expect 0 run small.yaml -o one --frames 2 --threads 1 --quiet
    expect 0 run small.yaml -o two --frames 2 --threads 2 --quiet
    same 0 one two # but for step_ms
    says '^same, 125 particles in frame 2$'
    expect 0 run small.yaml -o heavier --frames 2 --quiet --set 'gravity=[0,-9.810001,0]'
    same 1 one heavier
    says '^frame 1: (velocity|position) of particle [0-9]+; positions by up to [0-9.e-]+ m$'
    expect 0 run small.yaml -o fewer --frames 2 --quiet --set 'bodies.0.box.max=[0.5,0.4,0.5]'
    same 1 one fewer
    says '^frame 0: 100 particles where there were 125'
    expect 0 run small.yaml -o longer --frames 3 --quiet
    same 1 one longer
    says '^4 frames where there were 3$'
    sed -i '3s/.$/x/' two/probes.csv
    same 1 one two
    says '^probes.csv: row 3, column 2: .*x where it was'
    same 2 one nowhere
}

"$1"
