#!/usr/bin/env bash
# shoal surface: meshes of a run, and frames that are not what they should be.
#   surface.sh TEST      with SHOAL_BINARY and SHOAL_SOURCE set
source "$(dirname "$0")/cli.bash"

a_run() { expect 0 run small.yaml -o made --frames 4 --quiet; }

surface_writes_a_mesh_per_frame_a_list_and_a_table() { # fast
    a_run
    expect 0 surface made
    says '^made/surface/water_000004\.vtp  [0-9]+ triangles'
    says '^5 files$'
    holds made/surface/water_000000.vtp
    grep -q 'file="./water_000004.vtp"' made/surface/water.pvd || fault 'water.pvd names the files'
    rows made/surface.csv 6
    head -1 made/surface.csv | grep -qx 'frame,time_s,material,triangles,mesh_m3,particles_m3,ms' || fault 'the columns of surface.csv'
    # 125 particles of a litre; a small cube has rounded edges
    awk -F, 'NR > 1 && !($3 == "water" && $4 > 500 && $5 > 0.09 && $5 < 0.14 && $6 > 0.1249 && $6 < 0.1251 && $7 > 0) { exit 1 }' \
        made/surface.csv || fault 'the rows of surface.csv are right'
}

surface_takes_formats_methods_settings_and_frames() { # fast
    a_run
    for format in ply obj stl; do
        expect 0 surface made --to $format --frames 2..3
        says '^2 files$'
        expect 0 info made/surface/water_000003.$format
        says 'closed, no doubts'
    done
    for method in zhu-bridson blobby color-field anisotropic; do
        expect 0 surface made --to ply --frames 4..4 --method $method --threads 1 --quiet
        is_silent stdout
        expect 0 info made/surface/water_000004.ply
        says 'closed, no doubts'
    done
    expect 0 surface made --to ply --frames 4..4 --set surface.cell=1
    coarse=$(sed -n 's/.*ply  \([0-9]*\) triangles.*/\1/p' stdout)
    expect 0 surface made --to ply --frames 4..4 --set surface.cell=0.3
    fine=$(sed -n 's/.*ply  \([0-9]*\) triangles.*/\1/p' stdout)
    [ "$fine" -gt $((4 * coarse)) ] || fault 'a smaller cell gives more triangles'
}

surface_settings_of_the_scene_are_used_and_do_not_hinder_resume() { # fast
    echo 'surface: {cell: 1}' >>small.yaml
    a_run
    expect 0 surface made --frames 4..4
    from_scene=$(tail -1 made/surface.csv | cut -d, -f4)
    expect 0 surface made --frames 4..4 --set surface.cell=1.0
    [ "$(tail -1 made/surface.csv | cut -d, -f4)" = "$from_scene" ] || fault 'the cell of the scene is used'
    sed -i 's/cell: 1/cell: 0.4/' small.yaml
    expect 0 run small.yaml -o made --frames 6 --resume --quiet
    echo 'surface: {cell: 0.001}' >wrong.yaml
    grep -v '^surface' small.yaml >>wrong.yaml
    expect 2 check wrong.yaml
    warns 'surface.cell = 0.001 is outside'
}

surface_has_the_same_bytes_for_any_number_of_threads() { # fast
    a_run
    expect 0 surface made --threads 1
    mv made/surface one
    expect 0 surface made --threads 2
    for file in one/*.vtp; do cmp "$file" "made/surface/$(basename "$file")" || fault 'threads change nothing'; done
}

surface_tells_bad_frames_and_makes_the_others() { # fast
    a_run
    rm made/frames/small_000001.vtp
    truncate -s 2000 made/frames/small_000002.vtp
    # the last array before the list of points is that of the places: a NaN for the first of them
    at=$(grep -abo '<AppendedData' made/frames/small_000003.vtp | cut -d: -f1)
    offset=$(sed -n 's/.*Name="Points".*offset="\([0-9]*\)".*/\1/p' made/frames/small_000003.vtp | head -1)
    start=$(tail -c +$((at + 1)) made/frames/small_000003.vtp | grep -abo '_' | head -1 | cut -d: -f1)
    printf '\377\377\377\377' | dd of=made/frames/small_000003.vtp bs=1 seek=$((at + start + 1 + offset + 8)) conv=notrunc 2>/dev/null
    expect 2 surface made
    warns 'small_000001\.vtp: the frame is missing$'
    warns 'small_000002\.vtp: .*not wholly in the file'
    warns 'small_000003\.vtp: particle 0 has a position that is not a number$'
    [ "$(grep -c . stderr)" = 4 ] || fault 'one message per frame and one for the whole'
    holds made/surface/water_000000.vtp
    holds made/surface/water_000004.vtp
    lacks made/surface/water_000002.vtp
    rows made/surface.csv 3
}

surface_of_an_empty_frame_is_an_empty_mesh() { # fast
    grep -v box small.yaml | sed 's/^bodies:/emitters:\n  - {material: water, disc: {radius: 0.2}, at: [0.5, 0.8, 0.5], velocity: [0, -1, 0], from: 0.5}/' >late.yaml
    mv late.yaml small.yaml
    a_run
    expect 0 surface made
    awk -F, 'NR > 1 && !($4 == 0 && $5 == 0 && $6 == 0) { exit 1 }' made/surface.csv || fault 'there is nothing to see'
    rows made/surface.csv 6
    holds made/surface/water_000000.vtp
}

surface_tells_what_is_wrong_with_its_words() { # fast
    expect 2 surface
    expect 2 surface nowhere
    warns 'no such folder'
    mkdir empty
    expect 2 surface empty
    warns 'holds no run'
    a_run
    expect 2 surface made --to plx
    warns 'did you mean ply'
    expect 2 surface made --method anisotopic
    warns 'zhu-bridson, blobby, color-field, anisotropic'
    expect 2 surface made --set surface.cel=1
    warns 'did you mean "cell"'
    expect 2 surface made --set spacing=1
    expect 2 surface made --set surface.cell=0
    expect 2 surface made --frames 7..9
    expect 2 surface made --frames 3..2
    rm -rf made/surface
    : >made/surface
    expect 4 surface made
}

force_takes_surfaces_away() { # fast
    a_run
    expect 0 surface made
    expect 0 run small.yaml -o made --frames 1 --force --quiet
    lacks made/surface.csv
    lacks made/surface/water.pvd
    lacks made/surface/water_000000.vtp
}

"$1"
