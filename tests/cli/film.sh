#!/usr/bin/env bash
# shoal film: from a scene to a film, and on again after an end too soon.
#   film.sh TEST      with SHOAL_BINARY and SHOAL_SOURCE set
source "$(dirname "$0")/cli.bash"

quick=(--size 64x36 --samples 1 --frames 4)
needs_ffmpeg() { command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null || exit 77; }
# stream FILE: codec, pixel format, size, number of pictures
stream() {
    ffprobe -v error -count_frames -show_entries stream=codec_name,pix_fmt,width,height,nb_read_frames -of csv=p=0 "$1"
}

film_simulates_draws_and_encodes() { # fast
    needs_ffmpeg
    expect 0 film small.yaml "${quick[@]}"
    says '^frame 4/4 '
    says '^picture 5/5  frame 4  film: 0:00 left$'
    says '^out/small/small-sheet\.png$'
    [ "$(od -An -tu1 -j16 -N4 out/small/small-sheet.png | awk '{ print $3 * 256 + $4 }')" = 224 ] || fault 'cells of the sheet are no wider than the pictures'
    says '^done in .*: out/small/small\.mp4$'
    [ "$(stream out/small/small.mp4)" = h264,64,36,yuv420p,5 ] || fault "a film of five pictures, not $(stream out/small/small.mp4)"
    holds out/small/pictures/small_000004.png
    lacks out/small/small.mp4.tmp
    # nothing is missing: nothing is made
    find out/small -name '*.png' -path '*pictures*' -o -name '*.mp4' | xargs stat -c '%n %y' | sort >before
    expect 0 film small.yaml "${quick[@]}"
    says 'the run is finished'
    says_not '^picture'
    find out/small -name '*.png' -path '*pictures*' -o -name '*.mp4' | xargs stat -c '%n %y' | sort | cmp - before || fault 'what is there is left alone'
    # more frames, and another look
    expect 0 film small.yaml --size 64x36 --samples 1 --frames 6
    [ "$(stream out/small/small.mp4)" = h264,64,36,yuv420p,7 ] || fault 'the film is longer now'
    expect 0 film small.yaml --size 33x21 --frames 6 --preview --to gif
    [ "$(stream out/small/small-preview.gif | cut -d, -f1-3)" = gif,33,21 ] || fault 'a preview as GIF'
}

film_takes_what_the_scene_says_now() { # fast
    needs_ffmpeg
    expect 0 film small.yaml "${quick[@]}"
    echo 'render: {size: [48, 32], samples: 1, exposure: 1}' >>small.yaml
    expect 0 film small.yaml --frames 4
    says 'the run is finished'
    [ "$(stream out/small/small.mp4)" = h264,48,32,yuv420p,5 ] || fault 'the film has the size of the scene'
    expect 2 film small.yaml --frames 4 --set spacing=0.05
    warns 'spacing'
    [ "$(stream out/small/small.mp4)" = h264,48,32,yuv420p,5 ] || fault 'the film is as it was'
    expect 0 film small.yaml --frames 4 --set spacing=0.125 --force
}

film_without_ffmpeg_keeps_the_pictures() { # fast
    PATH=$PWD/nowhere expect 4 film small.yaml "${quick[@]}"
    PATH=/usr/bin:/bin
    warns 'ffmpeg is not installed.*pictures are kept'
    holds out/small/pictures/small_000004.png
    holds out/small/small-sheet.png
    lacks out/small/small.mp4
    mkdir bin
    printf '#!/bin/sh\necho "no such encoder" >&2\nexit 1\n' >bin/ffmpeg
    chmod +x bin/ffmpeg
    PATH=$PWD/bin:$PATH expect 4 film small.yaml "${quick[@]}"
    warns 'ffmpeg failed: no such encoder'
    lacks out/small/small.mp4
    lacks out/small/small.mp4.tmp
}

film_killed_at_any_moment_goes_on() { # fast
    needs_ffmpeg
    ends=0
    for wait in 0.05 0.1 0.15 0.2 0.3 0.3 0.4 0.5 1 2 20; do
        timeout -s KILL $wait "$SHOAL_BINARY" film small.yaml --size 64x36 --samples 4 >stdout 2>stderr </dev/null && { ends=1; break; }
    done
    said='shoal film, killed again and again'
    [ $ends = 1 ] || fault 'it comes to an end'
    [ "$(stream out/small/small.mp4)" = h264,64,36,yuv420p,11 ] || fault 'the film is whole'
    expect 0 film small.yaml --size 64x36 --samples 4 -o once --quiet
    is_silent stdout
    for picture in once/pictures/*.png; do
        cmp "$picture" "out/small/pictures/$(basename "$picture")" || fault 'the pictures are the same'
    done
}

film_ends_at_ctrl_c_and_tells_how_to_go_on() { # fast
    "$SHOAL_BINARY" film small.yaml --size 320x180 --samples 64 >stdout 2>stderr &
    pid=$!
    for _ in $(seq 400); do grep -q '^picture 1/' stdout && break; sleep 0.05; done
    kill -INT $pid
    code=0
    wait $pid || code=$?
    said='shoal film and Ctrl-C'
    [ $code = 130 ] || fault "exits with 130 (was $code)"
    warns '^interrupted; to go on: .*shoal film small.yaml --size 320x180 --samples 64$'
    [ -z "$(ls out/small/*.tmp out/small/*/*.tmp 2>/dev/null)" ] || fault 'nothing is left half written'
}

film_speaks_json() { # fast
    needs_ffmpeg
    expect 0 film small.yaml "${quick[@]}" --json
    is_json_lines stdout
    says '"event":"picture","frame":4,.*"kept":false'
    says '"event":"film","file":"out/small/small.mp4"'
    says '"event":"end","exit":0'
}

film_tells_what_is_wrong_with_its_words() { # fast
    expect 2 film
    warns 'SCENE is missing'
    expect 2 film small.yaml --to mp5
    warns 'did you mean mp4'
    expect 2 film small.yaml --size 0x10
    expect 2 film small.yaml --samples 0
    expect 2 film small.yaml --frames 3..2
    expect 2 film nowhere.yaml
    lacks out
    # a frame that is damaged is made again
    needs_ffmpeg
    expect 0 film small.yaml "${quick[@]}"
    sleep 0.02
    cp out/small/frames/small_000002.vtp whole
    truncate -s 1000 out/small/frames/small_000002.vtp
    expect 0 film small.yaml "${quick[@]}"
    says 'missing or damaged: frames 2 '
    cmp -s whole out/small/frames/small_000002.vtp || fault 'the frame is whole again'
}

film_draws_the_frames_that_are_chosen() { # fast
    expect 0 film small.yaml -o made --size 64x36 --preview --frames 0..6:3 --quiet
    [ "$(ls made/pictures/*.png | wc -l)" = 3 ] || fault 'every third'
    holds made/frames/small_000005.vtp
    grep -q '"fps": 20,' made/pictures/*.film || fault 'it runs at its own pace'
}

"$1"
