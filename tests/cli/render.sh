#!/usr/bin/env bash
# shoal render: pictures of a run, and frames that are not what they should be.
#   render.sh TEST      with SHOAL_BINARY and SHOAL_SOURCE set
source "$(dirname "$0")/cli.bash"

quick=(--size 64x36 --samples 1)
a_run() { expect 0 run small.yaml -o made --frames 4 --quiet; }
# size FILE: width x height of a PNG
size() { od -An -tu1 -j16 -N8 "$1" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'; }

render_makes_a_picture_per_frame_and_keeps_those_that_are_there() { # fast
    a_run
    expect 0 render made "${quick[@]}"
    says '^made/pictures/small_000004\.png  [0-9.]+ s$'
    says '^5 pictures made$'
    [ "$(size made/pictures/small_000000.png)" = 64x36 ] || fault 'the size is as asked for'
    rm made/pictures/small_000002.png
    cp made/pictures/small_000003.png three.png
    expect 0 render made "${quick[@]}"
    says '^1 picture made, 4 were there'
    holds made/pictures/small_000002.png
    cmp three.png made/pictures/small_000003.png || fault 'what is there is left alone'
    # other settings, other pictures; those asked for only
    expect 0 render made "${quick[@]}" --set render.exposure=1 --frames 2..3
    says '^2 pictures made$'
    holds made/pictures/small_000004.png
    ! cmp -s three.png made/pictures/small_000003.png || fault 'exposure changes the picture'
    touch made/frames/small_000002.vtp
    expect 0 render made "${quick[@]}" --set render.exposure=1 --frames 2..3
    says '^1 picture made, 1 were there'
    expect 0 render made "${quick[@]}" --set render.exposure=1 --frames 2..3 --force --quiet
    is_silent stdout
    [ -z "$(find made -name '*.tmp')" ] || fault 'nothing half done is left'
    # back to the first settings: only the two that were tried are made again
    expect 0 render made "${quick[@]}"
    says '^2 pictures made, 3 were there'
    cmp three.png made/pictures/small_000003.png || fault 'the same settings, the same picture'
    # what the run does not have is told; nothing at all is an error
    expect 0 render made "${quick[@]}" --frames 4..9
    warns '^warning: made: its last frame is 4; those up to 9 are not there$'
    expect 2 render made "${quick[@]}" --frames 6..9
    warns '^made: none of its frames, 0 to 4, is asked for$'
    # what something else has spoilt is made anew
    truncate -s 300 made/pictures/small_000003.png
    : >made/pictures/small_000004.png
    expect 0 render made "${quick[@]}"
    says '^2 pictures made, 3 were there'
    cmp three.png made/pictures/small_000003.png || fault 'the picture is whole again'
}

render_takes_a_camera_that_moves_and_one_from_a_file() { # fast
    a_run
    still='render.camera={from: [2, 1, 3], at: [0.5, 0.3, 0.3]}'
    expect 0 render made "${quick[@]}" --set "$still"
    cp made/pictures/small_000000.png first.png
    cp made/pictures/small_000004.png last.png
    printf 'from: [2, 1, 3]\nat: [0.5, 0.3, 0.3]\n' >still.yaml
    expect 0 render made "${quick[@]}" --camera still.yaml
    says '^0 pictures made, 5 were there' # the same camera
    printf 'camera:\n  at: [0.5, 0.3, 0.3]\n  motion:\n    - {t: 0, from: [2, 1, 3]}\n    - {t: 10, from: [2, 1, 3]}\n' >rests.yaml
    expect 0 render made "${quick[@]}" --camera rests.yaml
    cmp first.png made/pictures/small_000000.png || fault 'a camera that goes nowhere sees the same'
    cmp last.png made/pictures/small_000004.png || fault 'a camera that goes nowhere sees the same'
    printf 'at: [0.5, 0.3, 0.3]\nmotion:\n  - {t: 0, from: [2, 1, 3]}\n  - {t: 0.05, from: [-2, 1, 3]}\n' >goes.yaml
    expect 0 render made "${quick[@]}" --camera goes.yaml
    says '^5 pictures made$'
    cmp first.png made/pictures/small_000000.png || fault 'it starts where the other one stands'
    ! cmp -s last.png made/pictures/small_000004.png || fault 'it moves'
    # what is wrong is told where it stands
    printf 'at: [0.5, 0.3, 0.3]\nmotion:\n  - {t: 1, from: [2, 1, 3]}\n  - {t: 1, from: [1, 1, 3]}\n' >wrong.yaml
    expect 2 render made "${quick[@]}" --camera wrong.yaml
    warns '^wrong\.yaml:4:9: render\.camera\.motion\.1: t = 1 is not after the time before it, 1'
    printf 'motion: [{t: 0}]\n' >nowhere.yaml
    expect 2 render made "${quick[@]}" --camera nowhere.yaml
    warns 'from is given neither here nor in camera'
    printf 'form: [1, 1, 1]\n' >slip.yaml
    expect 2 render made "${quick[@]}" --camera slip.yaml
    warns '^slip\.yaml:1:[0-9]+: .*from'
    expect 2 render made "${quick[@]}" --camera no-such.yaml
    warns 'no-such\.yaml'
    # film looks at the file before it simulates
    expect 2 film small.yaml -o filmed --camera slip.yaml
    [ ! -e filmed ] || fault 'nothing is simulated for a camera that is wrong'
}

render_with_blur_between_frames_follows_a_run_that_grows() { # fast
    # a camera of its own: the one that is the default moves with what there is to see
    blur=("${quick[@]}" --set render.blur=particles --set render.blur_steps=2
        --set "render.camera={from: [2, 1, 3], at: [0.5, 0.3, 0.3]}")
    a_run
    expect 0 render made "${blur[@]}"
    expect 0 run small.yaml -o made --frames 6 --resume --quiet
    expect 0 render made "${blur[@]}"
    says '^3 pictures made, 4 were there' # the last one had no next frame before
    # a next frame that cannot be used costs its own picture only
    truncate -s 2000 made/frames/small_000006.vtp
    expect 2 render made "${blur[@]}"
    warns '^made/frames/small_000006\.vtp: .*not wholly in the file'
    [ "$(grep -c . stderr)" = 2 ] || fault 'one message for the frame and one for the whole'
    says 'small_000005\.png'
}

render_has_the_same_bytes_for_any_number_of_threads() { # fast
    echo 'render: {size: [64, 36], samples: 2, blur: particles, blur_steps: 2, denoise: true}' >>small.yaml
    a_run
    same_for_threads render pictures png
}

render_previews_and_paints_by_fields() { # fast
    a_run
    expect 0 render made --preview --size 96x54 --frames 4..4
    says '^made/pictures/small-preview_000004\.png'
    expect 0 render made --preview --color velocity --size 160x90 --frames 4..4
    says '^made/pictures/small-velocity-preview_000004\.png'
    expect 0 render made --color density "${quick[@]}" --frames 4..4
    holds made/pictures/small-density_000004.png
    expect 2 render made --color velocit "${quick[@]}"
    warns 'no field "velocit"; they have .*did you mean velocity'
}

colours_of_wetness_begin_with_dry_sand() { # fast
    cat >damp.yaml <<'SCENE'
solver: grains
spacing: 0.02
materials: {damp: {preset: sand, wetness: 0.9}}
bodies: [{material: damp, box: {min: [0, 0, 0], max: [0.1, 0.1, 0.1]}}]
SCENE
    expect 0 run damp.yaml -o made --frames 1 --quiet
    expect 0 render made --preview --color wetness --size 64x36 --frames 1
    grep -rqE '"color": "wetness", "range": \[0, ' made/pictures || fault 'damp sand is not painted as dry'
}

render_writes_linear_light() { # fast
    a_run
    expect 0 render made --to exr "${quick[@]}" --frames 4..4
    holds made/pictures/small_000004.exr
    [ "$(od -An -tx1 -N4 made/pictures/small_000004.exr | tr -d ' ')" = 762f3101 ] || fault 'it begins as OpenEXR does'
    lacks made/pictures/small_000004.png
}

render_draws_sand_obstacles_lamps_and_blur() { # fast
    cat >>small.yaml <<'YAML'
obstacles:
  - {name: ball, sphere: {radius: 0.1}, motion: [{t: 0, at: [0.8, 0.5, 0.5]}, {t: 1, at: [0.8, 1.1, 0.5]}]}
YAML
    a_run
    for look in 'kind: sand' 'kind: matte, color: [1, 0, 0]' 'kind: glass, ior: 1.5, depth: 0.2'; do
        expect 0 render made "${quick[@]}" --frames 3..3 --set "render.materials={water: {$look}, ball: {kind: glass}}"
    done
    expect 0 render made "${quick[@]}" --frames 3..3 --set render.materials.water.kind=sand --set render.sand=mesh
    for blur in velocity particles; do
        expect 0 render made "${quick[@]}" --frames 3..4 --set render.blur=$blur --set render.blur_steps=2
        says '^2 pictures made'
    done
    expect 0 render made "${quick[@]}" --frames 3..3 --set render.camera.aperture=0.1 --set render.ground=none \
        --set render.container=none --set 'render.lights={sun_strength: 0, lamps: [{at: [0, 2, 0], toward: [0, 0, 0]}]}'
}

render_tells_bad_frames_and_makes_the_others() { # fast
    a_run
    rm made/frames/small_000001.vtp
    truncate -s 2000 made/frames/small_000002.vtp
    without_checksums made/frames/small_000003.vtp
    at=$(grep -abo '<AppendedData' made/frames/small_000003.vtp | cut -d: -f1)
    offset=$(sed -n 's/.*Name="Points".*offset="\([0-9]*\)".*/\1/p' made/frames/small_000003.vtp | head -1)
    start=$(tail -c +$((at + 1)) made/frames/small_000003.vtp | grep -abo '_' | head -1 | cut -d: -f1)
    printf '\377\377\377\377' | dd of=made/frames/small_000003.vtp bs=1 seek=$((at + start + 1 + offset + 8)) conv=notrunc 2>/dev/null
    for way in '' --preview; do
        expect 2 render made "${quick[@]}" $way
        warns 'small_000001\.vtp: the frame is missing$'
        warns 'small_000002\.vtp: .*not wholly in the file'
        warns 'small_000003\.vtp: particle 0 has a position that is not a number$'
        [ "$(grep -c . stderr)" = 4 ] || fault 'one message per frame and one for the whole'
        holds made/pictures/small${way:+-preview}_000000.png
        holds made/pictures/small${way:+-preview}_000004.png
        lacks made/pictures/small${way:+-preview}_000002.png
    done
    expect 2 render made "${quick[@]}" --preview --color velocity
    holds made/pictures/small-velocity-preview_000000.png
    holds made/pictures/small-velocity-preview_000004.png
}

render_of_an_empty_frame_is_a_picture_of_the_place() { # fast
    grep -v box small.yaml | sed 's/^bodies:/emitters:\n  - {material: water, disc: {radius: 0.2}, at: [0.5, 0.8, 0.5], velocity: [0, -1, 0], from: 0.5}/' >late.yaml
    mv late.yaml small.yaml
    a_run
    expect 0 render made "${quick[@]}" --frames 2..2
    expect 0 render made "${quick[@]}" --frames 2..2 --preview --color velocity
    expect 0 render made "${quick[@]}" --frames 2..2 --set render.materials.water.kind=sand --set render.sand=mesh
}

render_tells_what_is_wrong_with_its_words() { # fast
    expect 2 render
    expect 2 render nowhere
    warns 'no such folder'
    mkdir empty
    expect 2 render empty
    warns 'holds no run'
    a_run
    for size in 0x36 64x0 64 x 64x36x2 20000x10 -1x5; do
        expect 2 render made --size=$size
        warns 'WIDTHxHEIGHT, each from 1 to 16384'
    done
    expect 2 render made --samples 0
    expect 2 render made --to bmp
    warns 'png or exr'
    expect 2 render made --set render.sampels=3
    warns 'did you mean "samples"'
    expect 2 render made --set render.materials.watr.kind=glass
    warns 'there is no material or obstacle of this name; did you mean "water"'
    expect 2 render made --set render.size=[0,0]
    warns 'each side is a whole number from 1 to 16384'
    expect 2 render made --set spacing=1
    warns 'only render\.\* and surface\.\* can be set'
    expect 2 render made --set 'render.camera={from: [1, 1, 1], at: [1, 1, 1]}'
    expect 2 render made --frames 7..9
    lacks made/pictures
    : >made/pictures
    expect 4 render made "${quick[@]}"
}

render_ends_at_ctrl_c_and_goes_on() { # fast
    a_run
    "$SHOAL_BINARY" render made --size 200x120 --samples 2000 >stdout 2>stderr </dev/null &
    worker=$!
    sleep 1
    kill -INT $worker
    code=0
    wait $worker || code=$?
    [ $code = 130 ] || fault "Ctrl-C gives 130, not $code"
    warns 'to go on: .*render made'
    [ -z "$(find made -name '*.tmp')" ] || fault 'nothing half done is left'
    expect 0 render made "${quick[@]}"
    says '^5 pictures made'
}

force_takes_pictures_away() { # fast
    a_run
    expect 0 render made "${quick[@]}" --frames 0..1
    expect 0 run small.yaml -o made --frames 2 --quiet --force
    lacks made/pictures/small_000000.png
}

render_shows_tetrahedra_cut_open() { # fast
    local as wide
    shot() { # NAME SETTINGS...: a picture of the first frame
        as=$1
        expect 0 render made "${quick[@]}" --frames 0 --force --quiet "${@:2}"
        cp "made/pictures/${picture:-small}_000000.png" "$as.png"
    }
    wide='bodies.0.box={min: [0, 0, 0], max: [0.9, 0.4, 0.9]}'
    expect 0 run small.yaml --solver tetra-paper --set "$wide" -o made --frames 0 --quiet
    shot liquid
    shot half --set render.cut=x
    shot middle --set render.cut=x --set render.cut_at=0.5 # the domain is 1 m long
    shot other --set render.cut=z
    shot whole --set render.cut=x --set render.cut_at=9
    shot nothing --set render.cut=x --set render.cut_at=-9
    shot nobody --set render.cut=z --set render.cut_at=-9
    picture=small-volume shot painted --set render.cut=x --color volume
    cmp half.png middle.png || fault 'the plane is in the middle of the domain'
    cmp nothing.png nobody.png || fault 'beyond all there is none'
    local one two
    for one in liquid half other whole nothing painted; do
        for two in liquid half other whole nothing painted; do
            [ $one = $two ] || ! cmp -s $one.png $two.png || fault "$one is not $two"
        done
    done
    # particles cannot be cut
    expect 0 run small.yaml -o made --frames 0 --quiet --force
    shot balls
    shot same --set render.cut=x
    cmp balls.png same.png || fault 'particles are shown as they are'
}

variants_of_a_scene_are_seen_from_one_place() { # fast
    local with
    expect 0 run small.yaml -o first --quiet --frames 1
    for with in 'solver=flip' 'spacing=0.125' 'pbf.iterations=1' 'gravity=[0,-5,0]'; do
        expect 0 run small.yaml -o other --quiet --frames 2 --force --set "$with"
        [ "$(grep '"subject"' other/run.json)" = "$(grep '"subject": \[0, 0, 0, 1, 0.65, 1\]' first/run.json)" ] || fault "the same with $with"
    done
}

"$1"
