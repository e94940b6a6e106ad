#!/usr/bin/env bash
# shoal view: pictures without a window, the page for a browser, the window without a display.
#   view.sh TEST      with SHOAL_BINARY and SHOAL_SOURCE set
source "$(dirname "$0")/cli.bash"

view_draws_the_same_bytes_on_a_device() { # fast
    for draw in surface metaballs ellipsoids spheres; do
        expect 0 view small.yaml --grab 3 -o "$draw-here" --size 65x37 --set render.draw=$draw --quiet
        expect 0 view small.yaml --grab 3 -o "$draw-there" --size 65x37 --set render.draw=$draw --device mirror --quiet
        for k in 0 1 2; do
            cmp "$draw-here/pictures/small_00000$k.png" "$draw-there/pictures/small_00000$k.png" || fault "$draw on a device"
        done
    done
    expect 0 run small.yaml -o made --frames 1 --quiet
    expect 0 view made --grab 2 -o there --size 65x37 --set render.draw=spheres --device mirror --quiet
    cmp there/pictures/made_000001.png spheres-here/pictures/small_000001.png || fault 'a run on a device'
    # it fails at some call, and says so
    expect 1 view made --grab 2 -o x --size 65x37 --device mirror:30
    warns 'device mirror: call 30 failed'
    expect 2 view made --grab 1 -o x --device nothing
}

view_grabs_pictures_of_a_scene_and_of_its_run_and_changes_no_state() { # fast
    expect 0 view small.yaml --grab 4 -o live --size 64x36
    says '^4 pictures in live/pictures, drawn in [0-9.]+ ms each \(median\)$'
    local state
    state=$(sed -n 's/^state //p' stdout)
    expect 0 run small.yaml -o made --frames 3 --quiet
    grep -q "\"state\": \"$state\"" made/run.json || fault 'a viewed run has the state of one that is not'
    expect 0 view made --grab 99 -o disk --size 64x36 --set render.draw=spheres
    says '^4 pictures in disk/pictures'
    expect 0 view small.yaml --grab 4 -o balls --size 64x36 --set render.draw=spheres --threads 1 --quiet
    is_silent stdout
    for k in 0 1 2 3; do
        cmp "balls/pictures/small_00000$k.png" "disk/pictures/made_00000$k.png" || fault 'run and simulation look alike'
    done
    ! cmp -s balls/pictures/small_000003.png live/pictures/small_000003.png || fault 'draw changes the picture'
    for how in smoothing=none smoothing=curvature; do
        expect 0 view small.yaml --grab 4 -o "$how" --size 64x36 --set "render.$how" --quiet
        ! cmp -s "$how/pictures/small_000003.png" live/pictures/small_000003.png || fault "$how changes the picture"
    done
    ! cmp -s smoothing=none/pictures/small_000003.png smoothing=curvature/pictures/small_000003.png || fault 'smoothings differ'
    expect 0 view small.yaml --grab 4 -o flat --size 64x36 --set render.draw=spheres --set render.occlusion=false --quiet
    ! cmp -s flat/pictures/small_000003.png balls/pictures/small_000003.png || fault 'occlusion darkens corners'
    expect 0 view made --grab 1 -o paint --size 64x36 --color velocity --quiet
    expect 2 view made --grab 1 -o paint --size 64x36 --color velocty
    warns 'did you mean velocity'
    expect 2 view made --grab 0 -o x
    expect 2 view made --grab 3
    warns 'needs -o DIR'
    expect 2 view made --serve 70000
    expect 2 view made --host 127.0.0.1
    expect 2 view nowhere.yaml --grab 1 -o x
    # every fault of a scene, as `check` tells it; how liquids are drawn is the scene's to say
    sed 's/^frames:/framse:/; s/^pbf: {substeps/pbf: {substep/' small.yaml >wrong.yaml
    expect 2 view wrong.yaml --grab 1 -o x
    warns 'framse'
    warns 'substep'
    { cat small.yaml && echo 'render: {draw: spheres}'; } >balls.yaml
    expect 0 view balls.yaml --grab 1 -o said --size 64x36 --quiet
    cmp said/pictures/balls_000000.png balls/pictures/small_000000.png || fault 'the scene says how it is drawn'
    # a damaged frame is told, and the others are drawn
    head -c 300 made/frames/small_000001.vtp >cut && mv cut made/frames/small_000001.vtp
    expect 2 view made --grab 4 -o most --size 64x36
    says '^3 pictures in most/pictures'
    warns '^frame 1: .*small_000001.vtp'
    holds most/pictures/made_000003.png
    # pictures have the numbers of their frames, a frame that is gone is told, and earlier pictures are not mixed in
    expect 0 run small.yaml -o even --frames 8 --set output.every=2 --quiet
    expect 0 view even --grab 99 -o own --size 64x36 --quiet
    [ "$(cd own/pictures && echo *)" = 'even_000000.png even_000002.png even_000004.png even_000006.png even_000008.png' ] || fault 'by the numbers of frames'
    rm even/frames/small_000004.vtp
    expect 2 view even --grab 2 -o own --size 64x36
    warns '^own/pictures: holds even_NNNNNN.png of an earlier call; add --force'
    expect 2 view even --grab 3 -o own --size 64x36 --force
    warns '^frame 4: the frame is missing$'
    [ "$(cd own/pictures && echo *)" = 'even_000000.png even_000002.png even_000006.png' ] || fault 'earlier pictures are gone'
    # one that is the only one has no gap before it
    expect 0 run small.yaml -o only --frames 5..5 --quiet
    expect 0 view only --grab 1 -o last --size 64x36 --quiet
    is_silent stderr
    holds last/pictures/only_000005.png
    # what went wrong in a step is told
    parting_scene
    expect 3 view parting.yaml --grab 3 -o x --size 64x36
    warns 'too far'
}

view_goes_on_from_a_checkpoint() { # fast
    expect 0 run small.yaml -o short --frames 2 --quiet
    expect 0 run small.yaml -o long --frames 4 --quiet
    local checkpoint=short/checkpoints/small_000002.shoal state before
    holds $checkpoint
    before=$(cd short && find . -type f -exec md5sum {} + | sort)
    expect 0 view $checkpoint --grab 3 -o on --size 64x36
    is_silent stderr
    says '^3 pictures in on/pictures'
    state=$(sed -n 's/^state //p' stdout)
    grep -q "\"state\": \"$state\"" long/run.json || fault 'a checkpoint goes on to the state of an unbroken run'
    expect 0 view long --grab 5 -o disk --size 64x36 --quiet
    cmp on/pictures/small_000004.png disk/pictures/long_000004.png || fault 'and to its picture'
    [ "$before" = "$(cd short && find . -type f -exec md5sum {} + | sort)" ] || fault 'nothing is written into the run'
    (cd short/checkpoints && "$SHOAL_BINARY" view small_000002.shoal --grab 1 -o ../../near --size 64x36 --quiet) || fault 'from within'
    # what cannot be gone on from is told
    head -c 400 $checkpoint >short/checkpoints/cut.shoal
    expect 2 view short/checkpoints/cut.shoal --grab 1 -o x
    warns 'cut.shoal'
    cp $checkpoint alone.shoal
    expect 2 view alone.shoal --grab 1 -o x
    warns '^alone.shoal: a checkpoint is viewed where it was written, RUN/checkpoints/alone.shoal'
    expect 2 view $checkpoint --grab 1 -o x --solver sph
    warns 'does not fit'
}

# asked CODE CURL-WORD...: the status of an answer
asked() {
    local wanted=$1 got
    shift
    got=$(curl -s --noproxy '*' -o answer -w '%{http_code}' --max-time 20 "$@") || true
    [ "$got" = "$wanted" ] || fault "$* is answered with $wanted (was $got)"
}

view_is_served_to_who_has_its_address_and_answers_keys_and_mouse() { # fast
    command -v curl >/dev/null || exit 77
    touch stdout stderr
    "$SHOAL_BINARY" view small.yaml --serve 0 --size 64x36 >address 2>stderr &
    viewer=$!
    local address='' root
    trap 'kill $viewer 2>/dev/null || true; rm -rf "$scratch"' EXIT
    for _ in $(seq 100); do
        [ -s address ] && break
        sleep 0.1
    done
    address=$(cat address)
    root=${address%/*/}
    asked 200 "$address"
    grep -q '<img' answer || fault 'the page shows the picture'
    asked 200 "${address}picture"
    [ "$(head -c 4 answer | od -An -c | tr -d ' ')" = '211PNG' ] || fault 'the picture is a PNG'
    asked 204 -d 'space' "${address}key" # pauses
    asked 200 "${address}picture" && cp answer before
    asked 204 -d 'press 1 0 0 0 10 10' "${address}mouse"
    asked 204 -d 'move 0 0 0 0 40 15' "${address}mouse"
    asked 204 -d 'release 1 0 0 0 40 15' "${address}mouse"
    asked 204 -d 'wheel 2 0 0 0 40 15' "${address}mouse"
    asked 200 "${address}picture"
    ! cmp -s before answer || fault 'dragging turns the picture'
    # sliders take the mouse on the right of the picture: the first one, pulled to its end, changes its parameter
    asked 204 -d 's' "${address}key"
    asked 200 "${address}picture" && cp answer before
    asked 204 -d 'press 1 0 0 0 57 8' "${address}mouse"
    asked 204 -d 'release 1 0 0 0 57 8' "${address}mouse"
    asked 200 "${address}picture"
    ! cmp -s before answer || fault 'a slider that is pulled shows it'
    asked 204 -d 's' "${address}key"
    asked 204 -d 'press 1 0 0 0 57 8' "${address}mouse" # without sliders there is nothing to pull
    asked 204 -d 'release 1 0 0 0 57 8' "${address}mouse"
    asked 204 -d 'k' "${address}key"
    holds small.camera.yaml
    expect 0 check small.yaml
    "$SHOAL_BINARY" view small.yaml --grab 1 -o framed --size 64x36 --camera small.camera.yaml --quiet || fault 'the camera is read back'
    # a stream gives whole pictures, one after the other
    asked 204 -d 'space' "${address}key"
    asked 204 -d 'r' "${address}key"
    curl -s --noproxy '*' --max-time 2 "${address}stream" >stream || true
    [ "$(grep -ac 'Content-Type: image/png' stream)" -ge 2 ] || fault 'the stream goes on'
    asked 204 -d 'r' "${address}key"
    ! command -v ffmpeg >/dev/null || holds small-view.mp4
    # a second recording and a second picture have names of their own
    for k in r p; do asked 204 -d $k "${address}key"; done
    for _ in $(seq 20); do # a busy machine takes its time for a frame
        curl -s --noproxy '*' --max-time 1 "${address}stream" >stream || true
        [ ! -e pictures/small-view-2_000000.png ] || break
    done
    for k in r p; do asked 204 -d $k "${address}key"; done
    # pictures come with frames: a 64th of 60 a second is about one, not one each few ms
    for _ in 1 2 3 4 5 6; do asked 204 -d 'down' "${address}key"; done
    curl -s --noproxy '*' --max-time 2 "${address}stream" >stream || true
    [ "$(grep -ac 'Content-Type: image/png' stream)" -le 6 ] || fault 'the same picture is not sent again and again'
    holds pictures/small-view-2_000000.png
    holds pictures/small-shot_000000.png
    holds pictures/small-shot_000001.png
    # what is not for us, or too much
    asked 403 -H 'Host: elsewhere.example' "$address"
    asked 403 -H 'Host: 127.0.0.1.elsewhere.example' "$address"
    asked 200 -H 'Host: localhost:9000' "$address" # a tunnel has a port of its own
    asked 404 "$root/"
    asked 404 "$root/00000000000000000000000000000000/"
    asked 404 "${address}../../etc/passwd" --path-as-is
    asked 405 -X DELETE "$address"
    asked 400 -d 'rubbish' "${address}mouse"
    asked 400 -d 'press 1 0 0 0 nan nan' "${address}mouse"
    asked 400 -d 'zzz' "${address}key"
    asked 413 -d "$(head -c 300 /dev/zero | tr '\0' a)" "${address}key"
    asked 431 -H "X: $(head -c 9000 /dev/zero | tr '\0' a)" "$address"
    asked 204 -d 'q' "${address}key"
    local code=0
    wait "$viewer" || code=$?
    [ "$code" = 0 ] || fault 'it ends when asked to'
    grep -qx 'touched by hand: set_param 1' stderr || fault 'it says what a hand has done'
}

# serve WORD...: a viewer of these words, at $address once it answers; nobody leaves it behind
serve() {
    rm -f address # the one of a viewer before
    touch stdout stderr
    said="shoal view $*"
    env PATH="${viewer_path-$PATH}" "$SHOAL_BINARY" view "$@" --serve 0 >address 2>stderr &
    viewer=$!
    trap 'kill $viewer 2>/dev/null || true; rm -rf "$scratch"' EXIT
    until_true test -s address
    address=$(head -1 address)
}

# What is no request is refused at once, not held until its time is over; who asks for nothing gives way to others.
view_keeps_its_places_for_who_asks() { # fast
    command -v curl >/dev/null || exit 77
    serve small.yaml --size 64x36
    local port token k
    port=$(sed 's|http://[^:]*:||; s|/.*||' <<<"$address")
    token=$(sed 's|.*/\(.*\)/$|\1|' <<<"$address")
    call() { # DESCRIPTOR BYTES
        eval "exec $1<>/dev/tcp/127.0.0.1/$port"
        printf "$2" >&"$1"
    }
    # silent ones, a hundred a second, do not keep out who has the token
    (for k in $(seq 150); do eval "exec $((100 + k))<>/dev/tcp/127.0.0.1/$port"; sleep 0.01; done; sleep 2) &
    for k in $(seq 12); do
        asked 200 --max-time 1 "${address}picture"
        sleep 0.1
    done
    wait $!
    refused() { # BYTES
        call 8 "$1"
        [ "$(timeout 3 head -1 <&8 | tr -d '\r')" = 'HTTP/1.1 400 Bad Request' ] || fault "$1 is refused at once"
        exec 8>&-
    }
    refused '\x16\x03\x01\x02\x00\x01'
    refused 'GET / HTTP/1.1\nHost: 127.0.0.1\n\n'
    refused 'hello there'
    refused 'GET /\001'
    refused 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: elsewhere.example\r\n\r\n'
    refused 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'
    for k in $(seq 20 35); do call $k 'GET /'; done
    asked 200 "${address}picture"
    asked 204 -d o "${address}key"
    # where all places are in use it is said
    for k in $(seq 20 35); do call $k "GET /$token/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" && timeout 5 head -1 <&$k >/dev/null; done
    asked 503 "$address"
    exec 20>&-
    sleep 0.5
    asked 204 -d q "${address}key"
    wait "$viewer" || fault 'it ends when asked to'
}

view_writes_what_it_was_asked_for_without_a_page_and_before_it_ends() { # fast
    command -v curl >/dev/null || exit 77
    serve small.yaml --size 64x36 -o kept
    asked 204 -d p "${address}key"
    until_true test -e kept/pictures/small-shot_000000.png
    asked 204 -d r "${address}key"
    until_true test -e kept/pictures/small-view_000001.png
    kill -INT $viewer
    local code=0
    wait "$viewer" || code=$?
    [ "$code" = 130 ] || fault 'Ctrl-C ends with 130'
    ! command -v ffmpeg >/dev/null || holds kept/small-view.mp4
    # without ffmpeg it says what makes a film of the pictures
    viewer_path=/nowhere serve small.yaml --size 64x36 -o bare
    asked 204 -d r "${address}key"
    until_true test -e bare/pictures/small-view_000001.png
    asked 204 -d q "${address}key"
    wait "$viewer" || fault 'it ends when asked to'
    warns 'ffmpeg is not installed'
    warns '^  ffmpeg -framerate 60 -i bare/pictures/small-view_%06d.png bare/small-view.mp4$'
}

# The eye stays above the floor and within reach of what it looks at; pouring on the side of a pool is pouring on it.
view_keeps_the_eye_above_the_floor_and_pours_from_above() { # fast
    command -v curl >/dev/null || exit 77
    serve small.yaml --size 64x36 --set 'render.camera={from: [0.25, 0.1, 3], at: [0.25, 0.1, 0.5], fov: 20}'
    asked 204 -d space "${address}key"
    asked 200 "${address}picture"
    asked 204 -d 'press 1 0 1 0 32 18' "${address}mouse" # low on its front
    asked 204 -d space "${address}key"
    curl -s --noproxy '*' --max-time 1 "${address}stream" >stream || true
    asked 204 -d 'release 1 0 1 0 32 18' "${address}mouse"
    eye() { # AXIS: where it is
        asked 204 -d k "${address}key"
        sed -n 's/.*from: \[\(.*\)\]/\1/p' small.camera.yaml | cut -d, -f"$1"
    }
    asked 204 -d 'press 1 0 0 0 32 35' "${address}mouse"
    asked 204 -d 'move 0 0 0 0 32 -2000' "${address}mouse"
    asked 204 -d 'release 1 0 0 0 32 -2000' "${address}mouse"
    awk -v y="$(eye 2)" 'BEGIN { exit !(y > 0 && y < 0.1) }' || fault "the floor is below the eye ($(eye 2))"
    for _ in 1 2 3 4 5; do asked 204 -d 'wheel -20 0 0 0 32 18' "${address}mouse"; done
    awk -v z="$(eye 3)" 'BEGIN { exit !(z > 40 && z < 51) }' || fault "no farther than twenty times ($(eye 3))"
    asked 204 -d q "${address}key"
    wait "$viewer" || fault 'it ends when asked to'
    warns '^touched by hand: emit [1-9][0-9]'
}

# A sandbox with a ball to drag and a post that stands; sand and water to pour.
play_scene() {
    cat >play.yaml <<'YAML'
solver: grains
spacing: 0.05
fps: 60
domain: {min: [-0.5, 0, -0.5], max: [0.5, 1, 0.5]}
materials: {sand: {preset: sand}, water: {preset: water}}
bodies: [{material: sand, box: {min: [-0.5, 0, -0.5], max: [0.5, 0.15, 0.5]}}]
obstacles:
  - {name: ball, sphere: {radius: 0.1}, at: [0, 0.5, 0], movable: true}
  - {name: post, box: {min: [0.3, 0, -0.1], max: [0.5, 0.9, 0.1]}}
render: {camera: {from: [0, 0.9, 3], at: [0, 0.5, 0], fov: 25}}
YAML
}

hand() { asked 204 -d "$1" "${address}mouse"; } # kind, button, shift, ctrl, alt, x, y
# three frames pass: while it plays pictures are streamed with them
passed() {
    local seen=0
    for _ in $(seq 30); do
        curl -s --noproxy '*' --max-time 1 "${address}stream" >stream || true
        seen=$((seen + $(grep -ac 'Content-Type: image/png' stream) - 1)) # the first may be an old one
        [ $seen -lt 3 ] || return 0
    done
    fault 'frames pass'
}

view_pours_drags_and_tells_of_it() { # fast
    command -v curl >/dev/null || exit 77
    play_scene
    serve play.yaml --size 160x90
    asked 200 "${address}picture"
    # first, before anything poured hides them: the ball goes along, the post does not
    hand 'press 1 1 0 0 80 45' && passed && hand 'move 0 1 0 0 60 40' && passed && hand 'release 1 1 0 0 60 40'
    hand 'press 1 1 0 0 116 40' && passed && hand 'move 0 1 0 0 90 40' && passed && hand 'release 1 1 0 0 90 40'
    # sand on the sand in front of the ball, nearer than what is looked at; then water
    hand 'press 1 0 1 0 80 84' && passed && hand 'release 1 0 1 0 80 84'
    hand 'press 1 0 1 1 50 84' && passed && hand 'release 1 0 1 1 50 84'
    asked 204 -d k "${address}key"
    asked 204 -d q "${address}key"
    wait "$viewer" || fault 'it ends when asked to'
    grep -Eqx 'touched by hand: move_obstacle [1-9][0-9]*, emit [1-9][0-9]+' stderr || fault 'ball, sand and water'
    cmp play.camera.yaml <(tail -n +2 address) || fault 'the camera is printed as it is written'
}

# The frame of a mesh that cannot be opened is reported, and the others are shown.
view_goes_on_where_a_mesh_cannot_be_opened() { # fast
    command -v curl >/dev/null || exit 77
    expect 0 run small.yaml -o made --frames 2 --quiet
    expect 0 surface made --quiet
    rm made/surface/water_000001.vtp && mkdir made/surface/water_000001.vtp
    serve made --size 64x36
    local k
    for k in space home o m; do asked 204 -d $k "${address}key"; done
    asked 200 "${address}picture"
    cp answer mesh.png
    for k in 1 2 3; do
        asked 204 -d right "${address}key"
        asked 200 "${address}picture"
        ! cmp -s answer mesh.png || fault 'other frames are other pictures'
    done
    asked 204 -d home "${address}key"
    asked 200 "${address}picture"
    cmp answer mesh.png || fault 'the first frame is shown again'
    asked 204 -d q "${address}key"
    wait "$viewer" || fault 'it ends when asked to'
}

# A session that was played is a run: it says so, and goes on bit for bit from what was done, as a run or in a viewer.
view_keeps_what_was_played_as_a_run() { # fast
    command -v curl >/dev/null || exit 77
    play_scene
    serve play.yaml --size 160x90 --keep -o played
    asked 200 "${address}picture"
    hand 'press 1 0 1 1 50 84' && passed && hand 'release 1 0 1 1 50 84'
    hand 'press 1 1 0 0 80 45' && passed && hand 'move 0 1 0 0 60 40' && passed && hand 'release 1 1 0 0 60 40'
    asked 204 -d s "${address}key"
    hand 'press 1 0 0 0 140 11' && hand 'release 1 0 0 0 140 11' && passed
    asked 204 -d q "${address}key"
    wait "$viewer" || fault 'it ends when asked to'
    warns 'a checkpoint is saved in played'
    grep -Eq '"touched": \{"set_param": [1-9][0-9]*, "move_obstacle": [1-9][0-9]*, "emit": [1-9][0-9]*\}' played/run.json || fault 'run.json says what was done'
    local checkpoint state last
    last=$(sed -n 's/.*"done": \([0-9]*\).*/\1/p' played/run.json)
    state=$(sed -n 's/.*"state": "\([0-9a-f]*\)".*/\1/p' played/run.json)
    checkpoint=$(ls played/checkpoints/*.shoal | tail -1)
    holds "played/frames/play_$(printf %06d "$last").grains.vtp"
    expect 0 view "$checkpoint" --grab 1 -o x --size 64x36
    says "^state $state\$"
    expect 0 view "$checkpoint" --grab 4 -o y --size 64x36
    state=$(sed -n 's/^state //p' stdout)
    expect 0 run play.yaml -o played --resume --frames $((last + 3)) --quiet
    is_silent stderr # nothing is missing of it
    grep -q "\"state\": \"$state\"" played/run.json || fault 'a run goes on from what was done'
    expect 0 run play.yaml -o alone --frames $((last + 3)) --quiet
    ! grep -q "\"state\": \"$state\"" alone/run.json || fault 'and is another than one that nobody touched'
    # its folder is safe, and played on when that is asked for
    expect 2 view play.yaml --grab 1 --keep -o played --size 64x36
    warns 'holds a run'
    rows stderr 1
    expect 0 view play.yaml --grab 3 --keep --resume -o played --size 64x36
    warns "resumed at frame $((last + 3))"
    holds "played/frames/play_$(printf %06d $((last + 5))).grains.vtp"
    # a run that nobody touched is one
    expect 0 view small.yaml --grab 4 --keep -o watched --size 64x36
    state=$(sed -n 's/^state //p' stdout)
    grep -q "\"state\": \"$state\"" watched/run.json || fault 'the state that was shown is the one that is kept'
    warns 'interrupted after frame 3 \(t = 0.05 s\)' # what was shown, and no step more
    ! grep -q touched watched/run.json || fault 'nobody touched it'
    ! grep -q '"solve_s": 0,' watched/run.json || fault 'its timings are those of all its frames'
    expect 0 run small.yaml -o made --frames 3 --quiet
    cmp watched/frames/small_000003.vtp made/frames/small_000003.vtp || fault 'frames are those of a run'
    expect 2 view made --grab 1 --keep -o x
    warns 'is for scenes'
    expect 2 view small.yaml --grab 1 --resume -o x
    expect 2 view small.yaml --keep
    warns 'needs -o DIR'
    # pictures of an earlier call are in the way before anything is written
    mkdir -p older/pictures && : >older/pictures/small_000007.png
    expect 2 view small.yaml --grab 2 --keep -o older --size 64x36
    warns 'older/pictures: holds small_NNNNNN.png of an earlier call'
    lacks older/run.json
    lacks older/frames
    # what went wrong in a step ends it, as it ends a run
    parting_scene
    expect 3 view parting.yaml --grab 3 --keep -o gone --size 64x36 --quiet
    warns 'too far'
    [ "$(grep -vc 'names no solver' stderr)" = 1 ] || fault 'it is said once, and in its own words'
    holds gone/checkpoints/parting_diverged.shoal
    # Ctrl-C in the middle of a step
    local code=0
    "$SHOAL_BINARY" view small.yaml --grab 99 --keep -o ended --size 64x36 --set spacing=0.03 --set pbf.substeps=300 >stdout 2>stderr &
    viewer=$!
    until_true test -e ended/pictures/small_000000.png
    kill -INT "$viewer"
    wait "$viewer" || code=$?
    [ "$code" = 130 ] || fault "Ctrl-C ends with 130 (was $code)"
    warns 'a checkpoint is saved in ended'
}

view_finds_the_frames_of_a_run_that_is_still_written() { # fast
    command -v curl >/dev/null || exit 77
    expect 0 run small.yaml -o grows --frames 2 --quiet
    serve grows --size 64x36
    asked 204 -d space "${address}key"
    asked 204 -d o "${address}key"
    expect 0 run small.yaml -o grows --frames 5 --resume --quiet
    asked 204 -d end "${address}key"
    asked 200 "${address}picture"
    expect 0 view grows --grab 6 -o all --size 64x36 --quiet
    cp answer end.png
    asked 204 -d q "${address}key"
    cmp end.png all/pictures/grows_000005.png || fault 'end is the last frame there is now'
}

view_shows_a_thousand_frames_in_the_same_memory() { # slow
    touch stdout stderr
    "$SHOAL_BINARY" view small.yaml --grab 2000 -o many --size 64x36 --quiet 2>stderr &
    viewer=$!
    trap 'kill $viewer 2>/dev/null || true; rm -rf "$scratch"' EXIT
    memory() { # kB, once a picture is there
        for _ in $(seq 1200); do
            [ ! -e "many/pictures/small_00$1.png" ] || break
            sleep 0.1
        done
        sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$viewer/status"
    }
    local early late
    early=$(memory 0100)
    late=$(memory 1100)
    kill -INT "$viewer"
    wait "$viewer" || true
    [ "$early" -gt 1000 ] && [ "$late" -le $((early + 256)) ] || fault "a thousand frames take no memory ($early, $late kB)"
}

view_opens_a_window_without_a_display_and_ends_in_the_middle_of_a_step() { # fast
    touch stdout stderr
    # what SDL and its libraries keep is not ours: leaks are looked for in the tests of pictures and of the server
    ASAN_OPTIONS=detect_leaks=0 SDL_VIDEODRIVER=offscreen "$SHOAL_BINARY" view small.yaml --size 64x36 --set spacing=0.04 >stdout 2>stderr &
    local viewer=$! code=0
    sleep 1.5
    kill -INT "$viewer"
    wait "$viewer" || code=$?
    grep -q 'there is no SDL2' stderr && exit 77
    [ "$code" = 130 ] || fault "the window closes (exit $code)"
    # nobody would see a window without a display
    env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER ASAN_OPTIONS=detect_leaks=0 XDG_RUNTIME_DIR=/nowhere \
        timeout 20 "$SHOAL_BINARY" view small.yaml --size 64x36 2>stderr && fault 'there is no display'
    grep -Eq 'there is no display here|no window' stderr || fault 'it says so'
}

# until COMMAND: waits for it, 10 s at most
until_true() {
    for _ in $(seq 100); do
        "$@" && return
        sleep 0.1
    done
    fault "$* within 10 s"
}

# A real window on a virtual display: keys and mouse as X11 has them, another size, closed in the middle of a step.
view_answers_a_person_at_a_display() { # fast
    command -v Xvfb >/dev/null && command -v xdotool >/dev/null || exit 77
    touch stdout stderr
    # without -noreset it starts anew when its last client is gone, as the probe of SDL is, and refuses the next for a moment
    Xvfb -displayfd 3 -screen 0 320x240x24 -nolisten tcp -noreset 3>display 2>xvfb &
    server=$! viewer=$!
    local window='' code=0
    trap 'kill $viewer $server 2>/dev/null || true; rm -rf "$scratch"' EXIT
    until_true test -s display
    export DISPLAY=:$(cat display)
    ASAN_OPTIONS=detect_leaks=0 SDL_VIDEODRIVER=x11 "$SHOAL_BINARY" view small.yaml --size 160x90 -o kept >stdout 2>stderr &
    viewer=$!
    # without its library there is no window; one that is found may be of its making, not shown yet, and gone when it is asked
    for _ in $(seq 100); do
        window=$(xdotool search --onlyvisible --pid $viewer 2>/dev/null | tail -1) || true
        [ -n "$window" ] && timeout 5 xdotool windowfocus --sync "$window" 2>/dev/null && break
        window=
        kill -0 $viewer 2>/dev/null || { grep -q 'there is no SDL2' stderr && exit 77; break; }
        sleep 0.1
    done
    [ -n "$window" ] || fault 'a window opens'
    xdotool mousemove --window "$window" 80 45 key space key p
    until_true test -s kept/pictures/small-shot_000000.png
    xdotool mousemove --window "$window" 80 45 mousedown 1 mousemove_relative -- 40 10 mouseup 1 key p
    until_true test -s kept/pictures/small-shot_000001.png
    ! cmp -s kept/pictures/small-shot_000000.png kept/pictures/small-shot_000001.png || fault 'dragging turns the picture'
    xdotool key k
    until_true test -s kept/small.camera.yaml
    xdotool key r key space
    until_true test -s kept/pictures/small-view_000001.png
    xdotool windowsize --sync "$window" 240 120
    xdotool key p
    until_true test -s kept/pictures/small-shot_000002.png
    [ "$(od -An -tu1 -j16 -N8 kept/pictures/small-shot_000002.png | tr -s ' ')" = ' 0 0 0 240 0 0 0 120' ] || fault 'pictures have the size of the window'
    until_true grep -q 'a film has one size' stderr
    ! command -v ffmpeg >/dev/null || [ -s kept/small-view.mp4 ] || fault 'with its film'
    sleep 0.3
    xdotool key q # while it simulates
    wait $viewer || code=$?
    [ "$code" = 0 ] || fault "the window closes (exit $code)"
}

# A browser shows the stream, and turns the camera by dragging; by WebDriver: ctest -L browser.
view_is_turned_in_a_browser() { # browser
    command -v chromedriver >/dev/null && command -v curl >/dev/null || exit 77
    touch stdout stderr
    local root session page="curl -s --noproxy * --max-time 30"
    "$SHOAL_BINARY" view small.yaml --serve 0 --size 320x180 >address 2>stderr &
    viewer=$!
    chromedriver --port=0 >driver 2>&1 &
    driver=$!
    trap 'kill $viewer $driver 2>/dev/null || true; rm -rf "$scratch"' EXIT
    until_true test -s address
    until_true grep -q 'success.* on port [1-9]' driver # it names the port that it was asked for, 0, before
    root=http://127.0.0.1:$(sed -n 's/.*success.* on port \([0-9]*\).*/\1/p' driver)/session
    session=$($page "$root" -d '{"capabilities":{"alwaysMatch":{"goog:chromeOptions":{"args":["--headless=new","--no-sandbox","--disable-gpu","--disable-quic","--no-first-run","--disable-background-networking","--disable-component-update","--disable-sync","--window-size=400,300"]}}}}' |
        sed -n 's/.*"sessionId":"\([0-9a-f]*\)".*/\1/p')
    [ -n "$session" ] || fault 'a browser opens'
    $page "$root/$session/url" -d "{\"url\":\"$(cat address)\"}" >answer
    script() { $page "$root/$session/execute/sync" -d "{\"script\":\"$1\",\"args\":[]}"; }
    shown() { script 'return document.images[0].naturalWidth' | grep -q '"value":320'; }
    until_true shown
    $page "$(cat address)key" -d space
    sleep 0.5
    $page "$(cat address)picture" >before
    $page "$root/$session/actions" -d '{"actions":[{"type":"pointer","id":"m","parameters":{"pointerType":"mouse"},"actions":[{"type":"pointerMove","x":150,"y":90},{"type":"pointerDown","button":0},{"type":"pointerMove","x":220,"y":110,"duration":200},{"type":"pointerUp","button":0}]}]}' >answer
    grep -q '"value":null' answer || fault "the mouse is moved ($(cat answer))"
    turned() { $page "$(cat address)picture" >after && ! cmp -s before after; }
    until_true turned
    $page "$root/$session/actions" -d '{"actions":[{"type":"key","id":"k","actions":[{"type":"keyDown","value":"k"},{"type":"keyUp","value":"k"}]}]}' >answer
    until_true test -s small.camera.yaml
    $page "$root/$session/screenshot" | sed 's/.*"value":"//; s/".*//' | base64 -d >screen.png
    [ "$(head -c 4 screen.png | od -An -c | tr -d ' ')" = '211PNG' ] || fault 'the page can be looked at'
    [ -z "${SHOAL_SCREENSHOT-}" ] || cp screen.png "$SHOAL_SCREENSHOT"
    kill "$viewer"
    wait "$viewer" || true
    ended() {
        $page "$root/$session/actions" -d '{"actions":[{"type":"key","id":"k","actions":[{"type":"keyDown","value":"c"},{"type":"keyUp","value":"c"}]}]}' >answer
        script 'return document.title' | grep -q 'no answer'
    }
    until_true ended
    $page -X DELETE "$root/$session" >answer
}

"$1"
