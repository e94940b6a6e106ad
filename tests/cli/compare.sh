#!/usr/bin/env bash
# shoal compare: variants of a scene, their report, and what goes wrong in one of them.
#   compare.sh TEST      with SHOAL_BINARY and SHOAL_SOURCE set
source "$(dirname "$0")/cli.bash"

# cell VARIANT COLUMN: of table.csv in ./made
cell() {
    awk -F, -v name="\"$1\"" -v column="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) k = i }
        $1 == name { print $k }' made/table.csv
}
is() { [ "$(cell "$1" "$2")" = "$3" ] || fault "$2 of $1 is $3 (was $(cell "$1" "$2"))"; }

compare_reports_solvers_side_by_side() { # fast
    expect 0 compare small.yaml --solvers pbf,sph --frames 3 -o made
    says '^\[1/2\] pbf  done: 3 frames, 6 steps'
    says '^variant  solver  status +lost +steps  density error'
    says '^report: made/index\.html$'
    rows made/table.csv 3
    is pbf status done
    is sph solver sph
    is pbf steps 6
    is pbf lost 0
    local name
    for name in energy density-error step-time probe-front; do
        holds made/plots/$name.png
        grep -q '>pbf<' made/plots/$name.svg || fault "$name.svg has a line of pbf"
        grep -q '>sph<' made/plots/$name.svg || fault "$name.svg has a line of sph"
        grep -q "src=\"plots/$name.svg\"" made/index.html || fault "index.html shows $name"
        grep -q "(plots/$name.png)" made/report.md || fault "report.md shows $name"
    done
    holds made/runs/pbf/run.json
    holds made/runs/sph/frames/small_000003.vtp
    lacks made/strip.png
    tail -1 made/index.html | grep -qx '</html>' || fault 'index.html is whole'
}

compare_shows_a_mesh_of_tetrahedra_beside_particles() { # fast
    expect 0 compare small.yaml --solvers pbf,flip,tetra-paper --set spacing=0.125 --frames 2 --pictures -o made
    says '^\[3/3\] tetra-paper  done: 2 frames, [0-9]+ steps in [0-9.e-]+ s$' # it has no density
    says '^tetra-paper +tetra-paper +done +0 +[0-9]+ +- +- '
    is tetra-paper status done
    is tetra-paper lost 0
    ! grep -qi nan stdout made/index.html made/report.md || fault 'what there is no number for is left out'
    local name
    for name in energy step-time probe-front; do
        grep -q '>tetra-paper<' made/plots/$name.svg || fault "$name.svg has a line of tetra"
    done
    holds made/runs/tetra-paper/frames/small_000002.tets.vtu
    # it has a column of the strip
    cp made/strip.png three.png
    expect 0 compare small.yaml --solvers pbf,flip --set spacing=0.125 --frames 2 --pictures -o made
    [ "$(od -An -tu1 -j18 -N2 three.png)" != "$(od -An -tu1 -j18 -N2 made/strip.png)" ] || fault 'three are wider than two'
}

compare_takes_variants_and_keys_of_one_solver() { # fast
    expect 0 compare small.yaml --frames 1 -o made --solvers pbf,sph --set pbf.iterations=7 \
        --variant 'slow: gravity=[0, -1, 0]' --variant 'own way: solver=pbf pbf.iterations=9' --variant spacing=0.125
    [ "$(cut -d, -f1 made/table.csv | tr '\n' ' ')" = \
        'variant "pbf slow" "sph slow" "own way" "pbf spacing=0.125" "sph spacing=0.125" ' ] || fault 'variants are as told'
    grep -q '"gravity": \[0, -1, 0\]' made/runs/sph_slow/run.json || fault 'a setting may hold blanks in brackets'
    grep -q '"iterations": 7' made/runs/pbf_slow/run.json || fault '--set reaches the variants'
    grep -q '"iterations": 9' made/runs/own_way/run.json || fault "a variant's own setting comes last"
    is "pbf spacing=0.125" particles 64
}

compare_keeps_what_is_finished_and_runs_what_is_new() { # fast
    expect 0 compare small.yaml --frames 2 -o made --variant 'a: pbf.iterations=2' --quiet
    is_silent stdout
    local before
    before=$(stat -c %y made/runs/a/stats.csv)
    expect 0 compare small.yaml --frames 2 -o made --variant 'a: pbf.iterations=2' --variant 'b: pbf.iterations=3'
    says 'made/runs/a: the run is finished \(frame 2\)'
    [ "$(stat -c %y made/runs/a/stats.csv)" = "$before" ] || fault 'a is not run again'
    rows made/table.csv 3
    expect 2 compare small.yaml --frames 2 -o made --variant 'a: pbf.iterations=4'
    warns 'a: made/runs/a: pbf\.iterations was 2 when the run began and is 4 now.*--force'
    warns 'the report in made/failed tells which, that of before is kept'
    is a status done
    rows made/table.csv 3
    rows made/failed/table.csv 2
    grep -q '"a",,failed,0,nan\|"a",pbf,failed,0,nan' made/failed/table.csv || fault 'the report of the refused one is apart'
    grep -q 'href="../runs/a/"' made/failed/index.html || fault 'it links to the runs'
    expect 2 compare small.yaml --frames 2 -o made --variant 'a: pbf.iterations=999' --force
    is a status done
    rows made/table.csv 3
    expect 0 compare small.yaml --frames 2 -o made --variant 'a: pbf.iterations=4' --force --quiet
    is a status done
}

compare_goes_on_when_a_variant_fails() { # fast
    expect 2 compare small.yaml --frames 1 -o made --variant 'bad: pbf.iterations=999' --variant 'good: pbf.iterations=2'
    warns 'bad: .*pbf\.iterations = 999 is outside'
    warns '1 of 2 variants failed; the report in made tells which'
    is bad status failed
    is good status done
    grep -q 'class="bad">failed<' made/index.html || fault 'index.html says so'
    grep -q 'pbf.iterations = 999 is outside' made/index.html || fault 'index.html says why'
}

compare_goes_on_after_an_interrupt() { # fast
    local code=0 pid
    "$SHOAL_BINARY" compare small.yaml --frames 20000 -o made --variant 'a: pbf.iterations=2' --variant 'b: pbf.iterations=3' \
        >stdout 2>stderr </dev/null &
    pid=$!
    said='shoal compare'
    for _ in $(seq 100); do [ -s made/runs/a/stats.csv ] && break; sleep 0.05; done
    kill -INT $pid
    wait $pid || code=$?
    [ $code = 130 ] || fault "an interrupt exits with 130 (was $code)"
    warns 'interrupted; the same command goes on'
    is a status interrupted
    is b status 'not run'
    local done_frames
    done_frames=$(cell a frames)
    expect 0 compare small.yaml --frames $((done_frames + 2)) -o made --variant 'a: pbf.iterations=2' --variant 'b: pbf.iterations=3'
    says 'resumed'
    is a status done
    is b frames $((done_frames + 2))
}

compare_lays_points_over_its_plots_and_pictures_side_by_side() { # fast
    printf 'time_s,front\n0.01,0.5\n' >tank.csv
    expect 0 compare small.yaml --frames 2 -o made --solvers pbf,flip --points tank.csv --pictures
    grep -q '>tank<' made/plots/probe-front.svg || fault 'the points are there'
    [ "$(head -c 8 made/strip.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fault 'strip.png is a PNG'
    grep -q 'src="strip.png"' made/index.html || fault 'index.html shows the strip'
}

compare_tells_what_is_wrong_with_its_words() { # fast
    expect 2 compare small.yaml
    warns 'nothing to compare: give --solvers, --variant, or both'
    expect 2 compare small.yaml --solvers pbf,spf
    warns 'there is no such solver; there is pbf.*did you mean'
    expect 2 compare small.yaml --solvers pbf,,sph
    warns 'give names with commas between'
    expect 2 compare small.yaml --solvers pbf,pbf
    warns 'there are two variants of the name "pbf"'
    expect 2 compare small.yaml --variant 'a: spacing'
    warns 'give it as "name: key=value key=value"'
    expect 2 compare small.yaml --variant ': spacing=1'
    warns 'its name must have 1 to 80 letters'
    expect 2 compare small.yaml --solvers pbf --frames 3..5
    warns '--frames 3\.\.5: give N'
    expect 2 compare none.yaml --solvers pbf
    warns 'none\.yaml'
    lacks out
}

compare_escapes_names_in_its_pages() { # fast
    expect 0 compare small.yaml --frames 1 -o made --variant '<b> & "c" | d/e: pbf.iterations=2' --quiet
    grep -q '&lt;b&gt; &amp; &quot;c&quot; | d/e' made/index.html || fault 'HTML is escaped'
    ! grep -q '<b>' made/index.html || fault 'no markup comes from a name'
    grep -q '\\<b\\> & "c" \\| d/e' made/report.md || fault 'Markdown is escaped'
    [ "$(ls made/runs)" = '_b__&__c____d_e' ] || fault "the folder's name has no signs that mislead ($(ls made/runs))"
}

compare_runs_the_solvers_beside_variants_that_name_their_own() { # fast
    expect 0 compare small.yaml --frames 1 -o made --solvers pbf,sph --variant 'mine: solver=flip' --quiet
    [ "$(cut -d, -f1 made/table.csv | tr '\n' ' ')" = 'variant "mine" "pbf" "sph" ' ] || fault "all three: $(cat made/table.csv)"
}

compare_refuses_a_table_that_is_not_of_its_run() { # fast
    expect 0 compare small.yaml --frames 2 -o made --solvers pbf,sph --quiet
    cp made/runs/pbf/stats.csv whole.csv
    { echo 'frame,time_s,nonsense' && cat whole.csv; } >made/runs/pbf/stats.csv
    expect 0 compare small.yaml --frames 2 -o made --solvers pbf,sph # run.json tells what the table was: it is made again
    says '^made/runs/pbf: stats.csv is not as it was written; it is made again$'
    cmp <(cut -d, -f1-6 whole.csv) <(cut -d, -f1-6 made/runs/pbf/stats.csv)
    echo 'frame,time_s,nonsense' >made/runs/pbf/stats.csv # too short for that
    expect 2 compare small.yaml --frames 2 -o made --solvers pbf,sph
    warns 'pbf: .*stats.csv: its columns are not those of this run'
}

"$1"
