#!/usr/bin/env bash
# shoal run and what reads its folder: files, refusing, resuming, interrupting, exporting.
# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

run_writes_frames_stats_probes_and_checkpoints() { # fast
    expect 0 run small.yaml -o made
    for k in 0 1 5 10; do holds "made/frames/small_$(printf %06d $k).vtp"; done
    lacks made/frames/small_000011.vtp
    holds made/small.pvd
    holds made/run.json
    rows made/stats.csv 12
    rows made/probes.csv 12
    head -1 made/probes.csv | grep -qx 'time_s,front'
    head -1 made/stats.csv | grep -q '^frame,time_s,substeps,particles,emitted,removed,step_ms,compression_avg_pct,'
}

jitter_moves_bodies_off_the_lattice_by_the_seed() { # fast
    local solver
    for solver in pbf sph; do
        for seed in 3 4; do expect 0 run small.yaml -o "$solver$seed" --solver $solver --set jitter=0.02 --set seed=$seed --frames 2 --quiet; done
        is_silent stderr
        expect 0 run small.yaml -o again --force --solver $solver --set jitter=0.02 --set seed=3 --frames 2 --quiet --threads 3
        cmp again/frames/small_000002.vtp ${solver}3/frames/small_000002.vtp || fault 'the same seed gives the same run'
        ! cmp -s ${solver}4/frames/small_000000.vtp ${solver}3/frames/small_000000.vtp || fault 'another seed gives another run'
        expect 0 export ${solver}3 --to csv --frames 0
        # lattice sites are at 0.05, 0.15, ...: all within 0.02 spacings of one, some near that, in the mean on it
        awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
            { for (k = 0; k < 3; k++) { x = $(at["x"] + k) / 0.1 - 0.5; x -= int(x + 0.5); sum += x; if (x < 0) x = -x; if (x > most) most = x } n += 3 }
            END { sum /= n; exit !(n == 375 && most <= 0.02001 && most > 0.018 && sum < 0.003 && sum > -0.003) }' \
            ${solver}3/export/small_000000.csv || fault 'particles are moved by up to 0.02 spacings'
    done
}

words_of_chance_that_do_nothing_are_told() { # fast
    expect 0 check small.yaml --set seed=3
    warns 'seed.* has no effect: nothing is random in this scene; `jitter: 0.01` moves'
    expect 0 check small.yaml --set seed=3 --set jitter=0.01
    is_silent stderr
    expect 0 check small.yaml --set seed=3 --set jitter=0.01 --solver flip
    warns 'jitter.* has no effect: flip moves its particles off the lattice itself'
    printf 'solver: porous\nspacing: 0.1\nseed: 3\nmaterials: {sand: {preset: sand}}\nbodies: [{material: sand, box: {size: [1, 1, 1]}}]\n' >heap.yaml
    expect 0 check heap.yaml
    is_silent stderr
    expect 0 check small.yaml --set seed=3 --solver flip
    is_silent stderr
    expect 2 check small.yaml --set jitter=0.1
    warns 'jitter = 0.1 is outside \[0, 0.02\]'
}

solves_that_give_up_are_reported_at_the_end() { # fast
    printf 'solver: porous\nspacing: 0.02\nframes: 8\nfps: 25\ndomain: {max: [0.2, 0.2, 0.08]}\nmaterials: {sand: {preset: sand}}\nbodies: [{material: sand, box: {min: [0, 0, 0], max: [0.1, 0.12, 0.08]}}]\nporous: {tolerance: 0.001}\n' >heap.yaml
    expect 0 run heap.yaml -o strict
    warns 'the sweeps gave up above the tolerance in [4-9] of 9 frames .*compressed by up to 0[.][0-9]* % on average'
    expect 0 run heap.yaml -o usual --set porous.tolerance=0.04
    ! grep -q 'gave up' stderr || fault 'what is solved is not reported'
}

slips_of_sign_and_unit_are_told() { # fast
    expect 0 check small.yaml --set gravity=[0,9.81,0]
    warns 'gravity: points up, with 9.81 m/s\^2.*it is \[0, -9.81, 0\]'
    expect 0 check small.yaml --set gravity=[0,-9810,0]
    warns 'gravity: pulls with 9810 m/s\^2, 1e\+03 times the earth.s: lengths are in metres'
    expect 0 check small.yaml --set gravity=[0,-30,0]
    is_silent stderr
    expect 0 check small.yaml --set bodies.0.velocity=[300,400,0]
    warns 'bodies.0: begins with 500 m/s, 8.33 m within a frame'
    expect 0 check small.yaml --set bodies.0.velocity=[2,0,0]
    is_silent stderr
    cp small.yaml tap.yaml
    echo 'emitters: [{material: water, disc: {radius: 0.05}, at: [0.8, 0.8, 0.5], velocity: [0, -1, 0], flow: 5}]' >>tap.yaml
    expect 0 check tap.yaml
    warns 'emitters.0: sends its flow of 5 m\^3/s through its opening with 637 m/s.*a litre per second is 0.001'
    expect 0 check tap.yaml --set emitters.0.flow=0.005
    ! grep -q 'through its opening' stderr || fault 'a tap of 0.6 m/s is none'
    cp small.yaml drain.yaml
    echo 'sinks: [{box: {min: [-1, -1, -1], max: [2, 2, 2]}}]' >>drain.yaml
    expect 0 check drain.yaml
    warns 'sinks.0: holds all of bodies.0, which is gone after the first substep'
    expect 0 check drain.yaml --set sinks.0.box.max=[2,0.2,2]
    is_silent stderr
}

what_goes_far_away_is_taken_out_and_told() { # fast
    cat >fall.yaml <<'YAML'
name: fall
spacing: 0.05
fps: 30
frames: 45
bodies: [{material: water, box: {min: [0, 0.5, 0], max: [0.2, 0.7, 0.2]}}]
obstacles: [{box: {min: [0.1, 0, 0], max: [0.5, 0.1, 0.5]}}]
output: {checkpoint: 10}
YAML
    expect 0 run fall.yaml -o whole
    says '[0-9]+ particles went far away and were taken out, [0-9]+ are there; `far` in the scene'
    awk -F, 'NR == 22 && $4 < 64 { exit 1 } NR == 47 { exit !($6 > 10 && $4 + $6 == 64) }' whole/stats.csv || fault 'those below the plate leave'
    expect 0 run fall.yaml -o parts --frames 33 --quiet
    expect 0 run fall.yaml -o parts --resume --quiet --threads 3
    cmp whole/frames/fall_000045.vtp parts/frames/fall_000045.vtp || fault 'resumed alike'
    expect 0 run fall.yaml -o near --set far=0.5 --quiet
    awk -F, 'NR == 22 { exit !($6 > 10) }' near/stats.csv || fault 'far is heeded'
    expect 0 run fall.yaml -o kept --set far=1000
    says_not 'far away'
    expect 0 run fall.yaml -o free --set obstacles=[] # nothing to miss: all of it may be meant to fall
    says_not 'far away'
    expect 0 check small.yaml --set far=3
    warns 'far: has no effect: particles are kept one length of the domain'
}

the_default_folder_is_named_by_the_scene_file() { # fast
    mkdir scenes && cp small.yaml scenes/dam.yaml
    expect 0 run scenes/dam.yaml --frames 1
    holds out/dam/frames/dam_000001.vtp
    says '^done in .*: out/dam$'
}

progress_is_one_plain_line_per_frame_when_not_a_terminal() { # fast
    expect 0 run small.yaml -o made
    [ "$(grep -c '^frame [0-9]*/10 ' stdout)" -ge 10 ] || fault "a line per frame"
    says '^frame 10/10  t 0\.167 s  2 substeps  125 particles  [0-9.]+ ms/step  0:00 left$'
    says '^done in .*: made$'
    ! grep -q "$(printf '\033')" stdout || fault "no control codes"
}

progress_is_one_line_rewritten_on_a_terminal() { # fast
    command -v script >/dev/null || exit 77
    script -qec "$SHOAL_BINARY run small.yaml -o made" typescript </dev/null >stdout 2>stderr
    said='shoal run on a terminal'
    [ "$(tr '\r' '\n' <stdout | grep -c 'frame [0-9]*/10 ')" -ge 10 ] || fault "each frame is told"
    [ "$(wc -l <stdout)" -le 3 ] || fault "the line is rewritten"
}

quiet_says_nothing() { # fast
    expect 0 run small.yaml -o made --quiet
    is_silent stdout
    is_silent stderr
    expect 2 run small.yaml -o made --quiet
    is_silent stdout
    warns 'made'
}

json_gives_one_object_per_line_to_the_end() { # fast
    expect 0 run --json small.yaml -o made
    is_json_lines stdout
    [ "$(grep -c '"event":"frame"' stdout)" -ge 10 ] || fault "an object per frame"
    tail -1 stdout | grep -q '"event":"end","exit":0,"status":"ok","folder":"made"' || fault "the last is the end"
    is_silent stderr
    # errors are objects too
    expect 2 run --json small.yaml -o made
    is_json_lines stdout
    says '"event":"error"'
    tail -1 stdout | grep -q '"event":"end","exit":2' || fault "the last is the end"
    expect 2 run --json small.yaml -o other --set pbf.iterations=0 --set 'name="a\"b"'
    is_json_lines stdout
    says '"path":"pbf.iterations"'
}

a_folder_that_holds_a_run_is_refused_without_resume_or_force() { # fast
    expect 0 run small.yaml -o made --quiet
    cp made/stats.csv before
    expect 2 run small.yaml -o made
    warns 'made.*--resume.*--force|made.*--force.*--resume'
    cmp made/stats.csv before
    expect 0 run small.yaml -o made --force --frames 3
    rows made/stats.csv 5
    lacks made/frames/small_000010.vtp
}

resume_on_a_finished_run_says_so() { # fast
    expect 0 run small.yaml -o made --quiet
    cp made/stats.csv before
    expect 0 run small.yaml -o made --resume
    cmp made/stats.csv before
    [ "$(grep -c '^frame' stdout)" = 0 ] || fault "nothing is simulated"
}

resume_without_a_folder_starts_at_frame_0() { # fast
    expect 0 run small.yaml -o made --resume
    holds made/frames/small_000010.vtp
    rows made/stats.csv 12
}

resume_goes_on_to_more_frames_bit_for_bit() { # fast
    expect 0 run small.yaml -o straight --quiet
    expect 0 run small.yaml -o made --frames 4 --quiet
    rows made/stats.csv 6
    expect 0 run small.yaml -o made --resume --quiet
    rows made/stats.csv 12
    for k in 04 05 10; do cmp "straight/frames/small_0000$k.vtp" "made/frames/small_0000$k.vtp"; done
    cmp straight/probes.csv made/probes.csv
}

resume_of_another_scene_is_refused() { # fast
    expect 0 run small.yaml -o made --frames 4 --quiet
    expect 2 run small.yaml -o made --resume --set 'gravity=[0,-1,0]'
    is_silent stdout
    expect 2 run small.yaml -o made --resume --set 'probes=[]'
    warns 'probes.*is not as it was'
    expect 0 run small.yaml -o made --resume --threads 2 --set output.checkpoint=2
}

frames_a_to_b_writes_only_those() { # fast
    expect 0 run small.yaml -o straight --quiet
    expect 0 run small.yaml -o made --frames 3..5
    for k in 3 4 5; do cmp straight/frames/small_00000$k.vtp made/frames/small_00000$k.vtp; done
    for k in 0 2 6; do lacks made/frames/small_00000$k.vtp; done
    expect 0 run small.yaml -o one --frames 2..2
    [ "$(find one/frames -name '*.vtp' | wc -l)" = 1 ] || fault "one frame is written"
}

threads_do_not_change_the_frames() { # fast
    expect 0 run small.yaml -o one --threads 1 --quiet
    expect 0 run small.yaml -o two --threads 2 --quiet
    cmp one/frames/small_000010.vtp two/frames/small_000010.vtp
}

a_scene_with_warnings_runs() { # fast
    # one long step per frame at a fast jet: a step longer than the solver likes
    expect 0 run small.yaml -o made --frames 1 --set pbf.substeps=1 --set 'bodies.0.velocity=[30,0,0]' --set fps=10
    warns 'warning: '
    holds made/frames/small_000001.vtp
    expect 0 run small.yaml -o calm --quiet --frames 1 --set pbf.substeps=1 --set 'bodies.0.velocity=[30,0,0]' --set fps=10
    is_silent stderr
}

info_describes_scenes_runs_and_frames() { # fast
    expect 0 run small.yaml -o made --quiet
    expect 0 info small.yaml
    says '125'
    expect 0 info made
    says '125'
    expect 0 info made/frames/small_000010.vtp
    says '125'
    says 'velocity'
    expect 2 info stderr
    expect 2 info /no/such/path
}

export_writes_ply_obj_and_csv() { # fast
    expect 0 run small.yaml -o made --quiet --frames 2
    for format in ply obj csv; do
        expect 0 export made --to $format
        [ "$(find made/export -name "*.$format" | wc -l)" = 3 ] || fault "3 files"
        says '^3 files$'
    done
    rows "$(find made/export -name '*_000002.csv')" 126
    [ "$(grep -c '^v ' "$(find made/export -name '*_000002.obj')")" = 125 ] || fault "125 vertices"
    expect 2 export /no/such/folder --to ply
    warns '/no/such/folder'
}

a_folder_that_cannot_be_written_exits_with_4() { # fast
    : >file
    expect 4 run small.yaml -o file/made
    warns '^file(/made)?: '
}

a_folder_or_scene_name_that_cannot_be_used_exits_with_2() { # fast
    expect 2 run small.yaml -o ''
    warns 'no name; give one with -o'
    local long
    long=$(printf 'n%.0s' $(seq 230)).yaml
    cp small.yaml "$long"
    expect 2 run "$long" -o made
    warns 'longer than 200 bytes'
    lacks made
}

streams_that_are_closed_do_not_reach_the_files() { # fast
    said='shoal run, all streams closed'
    local got=0
    "$SHOAL_BINARY" run small.yaml -o made <&- >&- 2>&- || got=$?
    : >stdout && : >stderr
    [ $got = 4 ] || fault "exits with 4 (was $got)"
    rows made/stats.csv 12
    rows made/probes.csv 12
}

a_reader_that_leaves_does_not_stop_the_run() { # fast
    said='shoal run | (nobody)'
    local got=0
    : >stdout
    # the pipe's end that reads is closed before anything is written
    { sleep 0.3; "$SHOAL_BINARY" run small.yaml -o made 2>stderr || echo $? >code; } | :
    got=$(cat code)
    [ "$got" = 4 ] || fault "exits with 4 (was $got)"
    warns 'standard output could not be written'
    holds made/frames/small_000010.vtp
}

# A run that would take minutes, started in the background; waits until it has written frame 2.
long_run() { # WORD...
    "$SHOAL_BINARY" run small.yaml -o made --frames 100000 "$@" >stdout 2>stderr </dev/null &
    pid=$!
    for _ in $(seq 600); do
        [ -e made/frames/small_000002.vtp ] && return
        sleep 0.05
    done
    kill -9 $pid
    fault 'frame 2 comes within 30 s'
}

ctrl_c_saves_a_checkpoint_and_tells_how_to_go_on() { # fast
    said='shoal run, interrupted'
    local got=0
    long_run --set 'name="so far"'
    kill -INT $pid
    wait $pid || got=$?
    [ $got = 130 ] || fault "exits with 130 (was $got)"
    warns "to go on: .* run small.yaml -o made --frames 100000 --set 'name=\"so far\"' --resume$"
    # what it says works, and gives what an unbroken run gives
    local last
    last=$(find made/frames -name '*.vtp' | wc -l)
    expect 0 run small.yaml -o made --set 'name="so far"' --resume --quiet --frames $((last + 3))
    expect 0 run small.yaml -o straight --set 'name="so far"' --quiet --frames $((last + 3))
    cmp "straight/frames/small_$(printf %06d $((last + 3))).vtp" "made/frames/small_$(printf %06d $((last + 3))).vtp"
    cmp straight/probes.csv made/probes.csv
}

a_termination_signal_ends_like_ctrl_c() { # fast
    said='shoal run --json, terminated'
    local got=0
    long_run --json
    kill -TERM $pid
    wait $pid || got=$?
    [ $got = 130 ] || fault "exits with 130 (was $got)"
    is_json_lines stdout
    tail -1 stdout | grep -q '"event":"end","exit":130.*"resume":".* --resume"' || fault 'the end tells how to go on'
}

a_run_that_cannot_go_on_exits_with_3_and_keeps_the_last_good_state() { # fast
    parting_scene
    expect 3 run parting.yaml -o made
    warns 'too far'
    holds made/frames/parting_000000.vtp
    lacks made/frames/parting_000002.vtp
    expect 3 run parting.yaml -o other --json
    is_json_lines stdout
    tail -1 stdout | grep -q '"event":"end","exit":3,' || fault 'the last is the end'
}

json_tells_wrong_usage_as_an_error_and_an_end() { # fast
    for words in '--threads x' '--frames 3..1' '--frobnicate' '--quiet' '--set spacing' 'two.yaml'; do
        # shellcheck disable=SC2086
        expect 2 run small.yaml --json $words
        is_json_lines stdout
        head -1 stdout | grep -q '"event":"error","message":"shoal run: ' || fault 'the first is the error'
        tail -1 stdout | grep -q '"event":"end","exit":2,' || fault 'the last is the end'
        is_silent stderr
    done
    # faults name the key they are about
    expect 2 run small.yaml --json --set gravty=1 --set pbf.iteratons=2
    says '"path":"gravty"'
    says '"path":"pbf.iteratons"'
    printf 'frames: 3\n' >>small.yaml
    expect 2 run small.yaml --json
    says '"path":"frames","message":"duplicate key'
}

a_tap_that_jams_is_told_at_the_end_of_fewer_frames() { # fast
    cat >jam.yaml <<'YAML'
spacing: 0.1
fps: 20
frames: 40
domain: {max: [1, 1, 1], walls: {top: slip}}
emitters: [{material: water, disc: {radius: 0.3}, at: [0.5, 0.95, 0.5], velocity: [0, 1, 0]}]
YAML
    expect 0 run jam.yaml --frames 10
    warns 'emitters.0 has given [0-9]+ % of what was due from t = [0-9.]+ s to 0.5 s'
}

frames_that_are_only_passed_are_told_as_simulated() { # fast
    expect 0 run small.yaml -o made --frames 3..4
    says '^simulated 0/4 '
    says '^simulated 2/4 '
    says '^frame 3/4 '
    says_not '^frame 2/4 '
    expect 0 run small.yaml -o other --frames 3..4 --json
    says '"frame":2,.*"written":false'
    says '"frame":3,.*"written":true'
}

step_ms_of_progress_is_that_of_the_stats() { # fast
    expect 0 run small.yaml -o made --json
    sed -n 's/.*"frame":\([0-9]*\),.*"step_ms":\([^,]*\),.*/\1,\2/p' stdout >told
    cut -d, -f1,7 made/stats.csv | tail -n +2 >rows
    cmp told rows || fault 'both tell the same'
}

run_json_holds_the_frames_and_times_that_ran() { # fast
    expect 0 run small.yaml -o made --quiet --frames 7 --set fps=30
    grep -q '"time_s": 0.233333333,' made/run.json || fault 'the time is that of the frame'
    # the part "scene" is a scene and gives the same run
    sed -n '/^  "scene": /,$p' made/run.json | sed '1s/.*: //; $d' >again.json
    grep -q '"frames": 7,' again.json || fault 'the scene has the frames of the run'
    expect 0 run again.json -o again --quiet
    cmp made/frames/small_000007.vtp again/frames/again_000007.vtp
    expect 0 info made/run.json
    says '^made: run$'
    says '^  time_s +0\.233333333$'
}

info_tells_the_command_that_goes_on() { # fast
    said='shoal run, interrupted'
    mkdir 'of me' && cp small.yaml 'of me/it.yaml'
    "$SHOAL_BINARY" run 'of me/it.yaml' -o 'my run' --frames 100000 --set 'name="so far"' >stdout 2>stderr </dev/null &
    pid=$!
    for _ in $(seq 600); do [ -e 'my run/frames/it_000002.vtp' ] && break; sleep 0.05; done
    kill -9 $pid
    wait $pid || true
    expect 0 info 'my run'
    says 'stopped before its end'
    says "go on with +.* run 'of me/it.yaml' -o 'my run' --frames 100000 --set 'name=\"so far\"' --resume$"
    local way_on
    way_on=$(sed -n 's/^  go on with *//p' stdout | sed 's/--frames 100000/--frames 3/')
    # of a copy the command would go on with the one that it was copied from
    cp -r 'my run' copied
    expect 0 info copied
    says '^  go on +run its scene into this folder with --resume$'
    bash -c "$way_on" >stdout 2>stderr || fault "$way_on works"
}

a_table_of_your_own_is_not_written_over() { # fast
    mkdir mine && echo 'mine' >mine/stats.csv
    for words in '' --force --resume; do
        # shellcheck disable=SC2086
        expect 2 run small.yaml -o mine $words
        warns '^mine/stats.csv: is not of a run'
        grep -qx mine mine/stats.csv || fault 'it is as it was'
    done
    lacks mine/frames
}

force_keeps_exports() { # fast
    expect 0 run small.yaml -o made --quiet --frames 1
    expect 0 export made/frames/small_000001.vtp --to obj
    says '^made/export/small_000001.obj$'
    expect 0 run small.yaml -o made --quiet --frames 0 --force
    holds made/export/small_000001.obj
    lacks made/frames/small_000001.vtp
}

a_full_disk_tells_how_to_go_on() { # fast
    said='shoal run, no room'
    local got=0
    # a limit on the size of files stands for the disk
    (ulimit -f 5; exec "$SHOAL_BINARY" run small.yaml -o made >stdout 2>stderr </dev/null) || got=$?
    [ $got = 4 ] || fault "exits with 4 (was $got)"
    warns '^made/.*: cannot be written: .*then go on with --resume$'
    expect 0 run small.yaml -o made --resume --quiet
    holds made/frames/small_000010.vtp
}

what_lies_behind_a_link_is_not_removed() { # fast
    expect 0 run small.yaml -o made --frames 2 --quiet
    mkdir elsewhere && mv made/frames/* elsewhere && rmdir made/frames && ln -s ../elsewhere made/frames
    expect 2 run small.yaml -o made --frames 2 --quiet --force
    warns '^made/frames: is a link, and nothing is removed behind it; remove the link first$'
    holds elsewhere/small_000002.vtp
    holds made/stats.csv
    expect 0 surface made --to ply --quiet
    mv made/surface away && ln -s ../away made/surface
    expect 2 surface made --to ply --quiet --set surface.cell=0.7
    warns '^made/surface: is a link'
    holds away/water_000002.ply
    rm made/frames made/surface
    expect 0 run small.yaml -o made --frames 2 --quiet --force
    holds elsewhere/small_000002.vtp
    expect 0 view small.yaml --grab 1 --size 32x18 -o drawn --quiet
    mv drawn/pictures gone && ln -s ../gone drawn/pictures
    expect 2 view small.yaml --grab 1 --size 32x18 -o drawn --quiet --force
    holds gone/small_000000.png
}

a_pipe_in_place_of_a_file_is_no_frame() { # fast
    expect 0 run small.yaml -o made --frames 2 --quiet
    sum=$(md5sum <made/frames/small_000001.vtp)
    rm made/frames/small_000001.vtp && mkfifo made/frames/small_000001.vtp
    timeout 20 "$SHOAL_BINARY" run small.yaml -o made --resume --frames 2 >stdout 2>stderr || fault 'it is made anew'
    [ -f made/frames/small_000001.vtp ] && [ "$(md5sum <made/frames/small_000001.vtp)" = "$sum" ] || fault 'with the same bytes'
}

a_limit_of_file_size_is_an_output_that_cannot_be_written() { # fast
    expect 0 run small.yaml -o made --frames 2 --quiet
    while read -r words; do
        said="shoal $words, 1 kB" got=0
        (ulimit -f 1; exec "$SHOAL_BINARY" $words >stdout 2>stderr </dev/null) || got=$?
        [ $got = 4 ] || fault "exits with 4 (was $got)"
        warns 'cannot be written'
        [ -z "$(find . -name '*.tmp')" ] || fault "leaves $(find . -name '*.tmp')"
    done <<'WORDS'
surface made --to ply
render made --frames 2..2 --size 320x240
render made --frames 2..2 --size 320x240 --preview
plot made
export made --to csv
export made --to vdb
view small.yaml --grab 1 --size 320x240 -o grabbed
WORDS
}

a_solver_that_is_not_named_is_chosen_by_the_materials_and_told() { # fast
    expect 0 check small.yaml
    says '^solver     pbf, chosen by the materials'
    expect 0 check small.yaml --solver sph
    says '^solver     sph$'
    sed 's/water/sand/' small.yaml >sand.yaml
    expect 0 run sand.yaml --frames 1 -o made
    says '^the scene names no solver; flip is chosen by its materials$'
    warns 'pbf: has no effect'
    grep -q '"solver": "flip"' made/run.json
}

a_wrong_solver_is_the_fault_of_the_call() { # fast
    expect 2 run small.yaml --solver flop
    warns '^shoal run: --solver flop: there is no such solver; there is pbf'
}

frames_and_rows_that_were_lost_are_made_again() { # fast
    expect 0 run small.yaml -o whole --quiet
    # after the older of the two checkpoints, at 8 and 10
    cp -r whole made
    rm made/frames/small_000009.vtp
    expect 0 run small.yaml -o made --resume
    says '^made: missing or damaged: frames 9 \(small_000009.vtp: it is missing\); an older checkpoint makes them again$'
    says '^resumed at frame 8 '
    diff -r whole/frames made/frames || fault 'the frames are the same'
    head -c 3000 whole/frames/small_000010.vtp >made/frames/small_000010.vtp
    sed -i '$d' made/stats.csv
    expect 0 run small.yaml -o made --resume
    says 'missing or damaged: (frames 10 .*; )?rows of stats.csv or probes.csv from frame 10 on'
    diff -r whole/frames made/frames || fault 'the frames are the same again'
    cmp whole/probes.csv made/probes.csv
    rows made/stats.csv 12
    # before both
    head -c $(($(stat -c %s whole/frames/small_000003.vtp) * 9 / 10)) whole/frames/small_000003.vtp >made/frames/small_000003.vtp
    rm made/frames/small_000000.vtp made/frames/small_000005.vtp made/frames/small_000006.vtp
    expect 2 info made/frames/small_000003.vtp
    warns 'cut short'
    cp made/stats.csv before.csv
    expect 0 run small.yaml -o made --resume
    says 'missing or damaged: frames 0, 3, 5\.\.6 \(small_000000.vtp: it is missing\); all its checkpoints are newer, so they are made again from the start$'
    says '^resumed at frame 10 '
    diff -r whole/frames made/frames || fault 'the frames are those that were lost'
    cmp whole/small.pvd made/small.pvd
    cmp before.csv made/stats.csv
    # a run that was cut off goes on behind its checkpoint, too; rows of either table come back
    rm made/frames/small_000009.vtp made/frames/small_000010.vtp made/checkpoints/small_000010.shoal made/frames/small_000002.vtp
    sed -i 3d made/stats.csv
    sed -i 5d made/probes.csv
    expect 0 run small.yaml -o made --resume
    says 'frames 2 .*; rows of stats.csv or probes.csv from frame 1 on; all its'
    diff -r whole/frames made/frames || fault 'all frames are there'
    cmp whole/probes.csv made/probes.csv
    cut -d, -f1-6 whole/stats.csv | cmp - <(cut -d, -f1-6 made/stats.csv)
    expect 0 run small.yaml -o made --resume
    says 'the run is finished'
    expect 0 run small.yaml -o whole --resume
    says 'the run is finished'
}

# A device that falls off the bus in the middle: the frames before are whole, and the CPU goes on from the last checkpoint.
a_device_that_fails_in_the_middle_is_gone_on_without() { # fast
    local solver last
    for solver in pbf sph; do
        expect 0 run small.yaml --solver $solver -o whole --quiet
        for call in 40 600 1000; do
            rm -rf made
            expect 1 run small.yaml --solver $solver -o made --quiet --device mirror:$call
            warns "device mirror: call $call failed"
            for frame in made/frames/*.vtp; do
                [ -e "$frame" ] || continue
                cmp "$frame" "whole/frames/${frame##*/}" || fault "$solver, call $call: $frame is whole"
            done
            expect 0 run small.yaml --solver $solver -o made --resume --quiet
            diff -r whole/frames made/frames || fault "$solver, call $call: the frames are those of the CPU"
        done
        # there were frames to be whole, and some to come
        rm -rf made
        expect 1 run small.yaml --solver $solver -o made --quiet --device mirror:1000
        last=$(ls made/frames/*.vtp | wc -l)
        [ "$last" -ge 2 ] && [ "$last" -le 10 ] || fault "$solver: $last frames before the fault"
        rm -rf whole
    done
}

# Where a run computes is told in its lines, by info and in run.json; --resume takes another device, and the frames are
# those of the CPU.
a_run_names_its_device_and_may_change_it() { # fast
    local solver
    for solver in pbf grains; do
        expect 0 run small.yaml --solver $solver -o whole --quiet --frames 4
        expect 0 run small.yaml --solver $solver -o made --frames 2 --device mirror
        says '^frame 1/2 .* ms/step  mirror  '
        grep -q '"device": "mirror"' made/run.json || fault 'run.json names the device'
        expect 0 info made
        says '^  device +mirror$'
        expect 0 run small.yaml --solver $solver -o made --frames 3 --resume --json
        says '"frame":3,.*"device":"cpu"}$'
        expect 0 run small.yaml --solver $solver -o made --frames 4 --resume --device mirror
        says '^frame 4/4 .*  mirror  '
        diff -r whole/frames made/frames || fault "$solver: the frames are those of the CPU"
        rm -rf whole made
    done
}

# Before anything is computed, and with a reason.
a_device_that_is_not_to_be_had_is_a_sentence() { # fast
    local command
    for command in 'run small.yaml -o made' 'check small.yaml' 'bench pbf-10k' 'film small.yaml -o made.mp4' 'compare small.yaml --solvers pbf -o made'; do
        SHOAL_PLUGINS=/nowhere expect 2 $command --device cuda
        warns 'device cuda:0 is not available: there is no plugin libshoal_cuda.so in /nowhere; --device cpu does without'
        expect 2 $command --device gpu
        warns "unknown device 'gpu'; there are cpu, cuda, cuda:N, mirror, auto"
    done
    [ ! -e made/frames ] || fault 'nothing is made'
    touch libshoal_cuda.so
    SHOAL_PLUGINS=$PWD expect 2 check small.yaml --device cuda
    warns 'libshoal_cuda.so: file too short'
    expect 2 run small.yaml -o made --solver flip --device mirror
    warns '^--device mirror: solver flip has no passes for a device; --device cpu does it$'
    SHOAL_PLUGINS=/nowhere expect 0 run small.yaml -o made --solver flip --device auto --frames 1 --json
    says '"device":"cpu"}$'
    says '"note".*device auto is the CPU here: solver flip has no passes for a device"'
    SHOAL_PLUGINS=/nowhere expect 0 run small.yaml -o other --device auto --frames 1 --json
    says '"device":"cpu"}$'
    says 'device auto is the CPU here: .*there is no plugin libshoal_cuda.so in /nowhere'
}

check_tells_the_bytes_of_a_device() { # fast
    expect 0 check small.yaml --device mirror
    says '^device +mirror: [0-9.]+ kB wanted \(estimated\), [0-9.]+ [GMT]B free$'
    says '^time .* substeps per frame, on mirror\)$'
    expect 0 check small.yaml
    says '^time .* threads? of this machine\)$'
    ! grep -q '^device' stdout || fault 'the CPU is not told of'
}

closing_the_terminal_ends_like_ctrl_c_but_not_under_nohup() { # fast
    said='shoal run, terminal closed'
    local got=0
    long_run
    kill -HUP $pid
    wait $pid || got=$?
    [ $got = 130 ] || fault "exits with 130 (was $got)"
    ls made/checkpoints/*.shoal >/dev/null || fault 'a checkpoint is saved'
    rm -r made
    got=0
    (trap '' HUP; exec "$SHOAL_BINARY" run small.yaml -o made --frames 200 >stdout 2>stderr </dev/null) &
    pid=$!
    sleep 0.1
    kill -HUP $pid
    wait $pid || got=$?
    [ $got = 0 ] || fault "goes on (was $got)"
}

# flip FILE ARRAY BYTES: over the beginning of an array of a frame; scribble: and nothing tells that it was changed
flip() {
    local at offset
    at=$(grep -abo 'encoding="raw">' "$1" | head -1 | cut -d: -f1)
    # it begins at the offset that the head tells, behind the underscore and 8 bytes of size
    offset=$(grep -a "Name=\"$2\"" "$1" | sed 's/.*offset="\([0-9]*\)".*/\1/')
    printf "$3" | dd of="$1" bs=1 seek=$((at + 15 + 4 + 1 + offset + 8)) conv=notrunc 2>/dev/null
}
scribble() { without_checksums "$1" && flip "$@"; }

info_tells_positions_that_are_no_numbers() { # fast
    expect 0 run small.yaml -o made --quiet --frames 1
    scribble made/frames/small_000001.vtp Points '\000\000\300\177'
    expect 2 info made/frames/small_000001.vtp
    says 'position.x .*1 not finite'
    warns 'particle 0 has a position that is not a number'
}

# Each of a size that is right: only who reads them sees it.
frames_that_were_changed_are_told_and_made_again() { # fast
    expect 0 run small.yaml -o whole --quiet
    expect 0 run small.yaml -o other --quiet --set 'bodies.0.box.max=[0.5,0.5,0.4]'
    expect 0 info whole
    says_not damaged
    local case
    for case in bit corner nan field id time other row gone; do
        rm -rf made && cp -r whole made
        case $case in
        bit) flip made/frames/small_000009.vtp velocity '\001'; why='.*array "velocity" is not as it was written: its checksum differs.*' ;;
        corner) flip made/frames/small_000009.vtp connectivity '\001'; why='.*array "connectivity" is not as it was written.*' ;;
        nan) scribble made/frames/small_000009.vtp Points '\000\000\300\177'; why='it holds what is not a number' ;;
        field) scribble made/frames/small_000009.vtp velocity '\000\000\200\177'; why='it holds what is not a number' ;;
        id) scribble made/frames/small_000009.vtp id '\007\000\000\000'; why='its ids are not those of its particles' ;;
        time) cp whole/frames/small_000003.vtp made/frames/small_000009.vtp; why='it is of 0.05 s, not of 0.15 s' ;;
        other) cp other/frames/small_000009.vtp made/frames/; why='it has 100 particles, and stats.csv tells of 125' ;;
        row) sed -i '11s/,125,/,124,/' made/stats.csv; why='it has 125 particles, and stats.csv tells of 124' ;;
        gone) rm made/frames/small_000009.vtp; why='it is missing' ;;
        esac
        expect 2 info made
        says "^  damaged +frames 9 \(small_000009.vtp: $why\)"
        says '^  go on'
        warns "^made: 1 of its frames is missing or damaged \(small_000009.vtp: $why\); --resume makes it again$"
        expect 2 info made --json
        says '"damaged":\[9\]'
        expect 0 run small.yaml -o made --resume
        then='an older checkpoint makes them again'
        [ $case = row ] && then='all its checkpoints are newer, so they are made again from the start' # any row may be wrong
        says "^made: missing or damaged: frames 9 \(small_000009.vtp: $why\).*; $then$"
        diff -r whole/frames made/frames || fault "the frames are the same ($case)"
        cut -d, -f1-6 whole/stats.csv | cmp - <(cut -d, -f1-6 made/stats.csv)
        expect 0 info made
    done
}

# Any bit of what grows line by line; what is told with a checkpoint holds for runs that were cut off, too.
tables_that_were_changed_are_told_and_made_again() { # fast
    expect 0 run small.yaml -o whole --quiet
    local table at size k
    for table in small.pvd stats.csv probes.csv; do
        size=$(wc -c <whole/$table)
        [ $table = small.pvd ] && size=$((size - 27)) # its end is looked at when it grows
        for k in 0 1 2 3 4 5 6 7 8 9; do
            rm -rf made && cp -r whole made
            at=$((size * (2 * k + 1) / 20))
            printf "\\x$(printf %x $((0x$(dd if=whole/$table bs=1 skip=$at count=1 2>/dev/null | od -An -tx1 | tr -d ' ') ^ 4)))" |
                dd of=made/$table bs=1 seek=$at conv=notrunc 2>/dev/null
            expect 2 info made
            says "^  damaged .*$table is not as it was written"
            expect 0 run small.yaml -o made --resume
            expect 0 info made
            says_not damaged
            cut -d, -f1-6 whole/$table | cmp - <(cut -d, -f1-6 made/$table) || fault "$table has its bytes again ($at)"
            diff -r whole/frames made/frames || fault "the frames are the same ($table, $at)"
        done
    done
    rm made/small.pvd
    expect 2 info made --json
    says '"damaged_table":"small.pvd"'
    expect 0 run small.yaml -o made --resume --quiet
    cmp whole/small.pvd made/small.pvd || fault 'a list that is gone is made again'
}

# One part of a frame is short: its particles are missed there, and the row of stats.csv is right.
a_damaged_part_leaves_the_tables_alone() { # fast
    cat >beds.yaml <<'END'
solver: porous
spacing: 0.02
frames: 2
domain: {max: [0.1, 0.2, 0.1]}
materials: {water: {preset: water}, sand: {preset: sand, wetness: 1}}
bodies:
  - {material: sand, box: {min: [0, 0, 0], max: [0.1, 0.06, 0.1]}}
  - {material: water, box: {min: [0, 0.06, 0], max: [0.1, 0.12, 0.1]}}
END
    expect 0 run beds.yaml -o made --quiet
    truncate -s 400 made/frames/beds_000001.sand.vtp
    expect 2 info made
    says '^  damaged +frames 1 \(beds_000001.sand.vtp'
    says_not 'rows of stats.csv'
}

pbf_and_sph_tell_all_their_doubts_at_once() { # fast
    sed 's/material: water, box: {min: \[0, 0, 0\], max: \[0.5/material: light, box: {min: [0.5, 0, 0], max: [0.9/' small.yaml | grep '^  - {mat' >light
    sed -i '/^bodies/r light' small.yaml
    sed -i '1i materials: {water: {preset: water}, light: {density: 20, viscosity: 0.0005}}' small.yaml
    expect 0 check small.yaml --set pbf.anti_clumping=paper --set pbf.under_relaxation=1 --set pbf.substeps=1 --set fps=10 \
        --set 'bodies.0.velocity=[30,0,0]'
    warns 'anti_clumping: paper pushes without'
    warns 'under_relaxation: sweeps of jacobi may overshoot'
    warns 'densities differ by 49.9 times'
    warns 'with 1 substeps what moves goes 3 m in one'
    warns '1 substeps with 3 iterations will compress the liquid by about .* and it may never come to rest'
    warns 'materials.light.viscosity: 0.0005 Pa s is too little'
    warns ': 0 errors, 6 warnings$'
    expect 0 check small.yaml --solver sph
    warns 'densities differ by 49.9 times'
    warns 'materials.light.viscosity: 0.0005 Pa s is too little'
}

# One step a frame boils below 46 frames a second, which the watch stops, and quivers up to 60: 0.3 m/s.
a_tank_that_quivers_at_one_step_a_frame_is_warned_of() { # fast
    sed -i 's/pbf: .*/pbf: {substeps: 1, iterations: 3}/; s/^spacing.*/spacing: 0.05/' small.yaml
    local fps
    for fps in 46 50 54 60; do
        expect 0 check small.yaml --set fps=$fps
        warns 'and it may never come to rest'
    done
    expect 0 check small.yaml --set fps=70
    is_silent stderr
}

check_and_info_speak_json() { # fast
    expect 0 check small.yaml --json
    is_json_lines stdout
    is_silent stderr
    says '^\{"event":"check","name":"small","solver":"pbf","solver_is_chosen":true,"particles":125,'
    says '"frames":10,"fps":60,.*"seconds_per_frame":[0-9.e-]+,.*"disk_bytes":[0-9]'
    [ "$(tail -1 stdout)" = '{"event":"end","exit":0,"status":"ok"}' ] || fault 'the end comes last'
    expect 2 check small.yaml --json --set spacing=-1 --set fps=x
    is_json_lines stdout
    is_silent stderr
    [ "$(grep -c '"event":"error"' stdout)" = 2 ] || fault 'both faults'
    says '^\{"event":"end","exit":2,'
    expect 2 check nowhere.yaml --json
    says '"event":"error".*nowhere.yaml'
    expect 0 run small.yaml -o made --quiet --frames 2
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >open.obj
    for path in small.yaml made made/run.json made/frames/small_000002.vtp made/checkpoints/small_000002.shoal open.obj; do
        expect 0 info $path --json
        is_json_lines stdout
        rows stdout 2
    done
    says '"kind":"mesh","points":3,"triangles":1,"bounds":\[\[0,0,0\],\[1,1,0\]\],.*"open_edges":3,'
    expect 0 info made --json
    says '"kind":"run","status":"done",.*"particles":125,.*"frames_on_disk":3,"damaged":\[\]'
    expect 0 info made/frames/small_000002.vtp --json
    says '"particles":125,"fields":\[\{"name":"position.x","unit":"m","least":[0-9.e-]+,"most":[0-9.e-]+,"not_finite":0\}'
    scribble made/frames/small_000002.vtp Points '\000\000\300\177'
    expect 2 info made/frames/small_000002.vtp --json
    is_json_lines stdout
    says '"not_finite":1'
    says '"event":"error","message":".*not a number"'
    expect 2 info nowhere --json
    says '^\{"event":"error","message":"nowhere: no such file or folder"\}$'
    cp small.yaml $'odd\xff.yaml'
    expect 0 info $'odd\xff.yaml' --json
    says '"path":"odd\?.yaml"'
}

"$1"
