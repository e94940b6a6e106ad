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
        says 'closed, no warnings'
    done
    for method in zhu-bridson blobby color-field anisotropic; do
        expect 0 surface made --to ply --frames 4..4 --method $method --threads 1 --quiet
        is_silent stdout
        expect 0 info made/surface/water_000004.ply
        says 'closed, no warnings'
    done
    expect 0 surface made --to ply --frames 4..4 --set surface.cell=1
    coarse=$(sed -n 's/.*ply  \([0-9]*\) triangles.*/\1/p' stdout)
    expect 0 surface made --to ply --frames 4..4 --set surface.cell=0.3
    fine=$(sed -n 's/.*ply  \([0-9]*\) triangles.*/\1/p' stdout)
    [ "$fine" -gt $((4 * coarse)) ] || fault 'a smaller cell gives more triangles'
}

surface_settings_without_effect_are_reported() { # fast
    expect 0 run small.yaml --solver tetra-paper --set spacing=0.125 -o made --frames 2 --quiet
    expect 0 surface made --to ply --method blobby
    warns 'made: surface\.method has no effect: its frames have a surface of their own'
    [ "$(grep -c 'no effect' stderr)" = 1 ] || fault 'it is reported once'
    expect 0 surface made --to ply --set surface.cell=1
    warns 'surface\.cell has no effect'
    expect 0 surface made --to ply
    is_silent stderr
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
    same_for_threads surface surface vtp
}

surface_tells_bad_frames_and_makes_the_others() { # fast
    a_run
    rm made/frames/small_000001.vtp
    truncate -s 2000 made/frames/small_000002.vtp
    # the last array before the list of points is that of the places: a NaN for the first of them
    without_checksums made/frames/small_000003.vtp
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
    expect 0 surface made --to ply --frames 0..0
    expect 0 info made/surface/water_000000.ply
    says '^  triangles +0, it is empty$'
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

surface_exports_obstacles_where_they_are() { # fast
    cat >>small.yaml <<'YAML'
obstacles:
  - {box: {min: [-0.1, -0.1, -0.1], max: [0.1, 0.1, 0.1]}, motion: [{t: 0, at: [0.8, 0.5, 0.5]}, {t: 1, at: [0.8, 1.1, 0.5]}]}
  - {name: ball, sphere: {radius: 0.1}, at: [0.8, 0.2, 0.2]}
YAML
    a_run
    for format in vtp ply obj stl; do
        expect 0 surface made --obstacles --to $format --frames 0..4
        says '^15 files$'
        holds made/surface/ball_000004.$format
        [ $format = vtp ] && continue
        expect 0 info made/surface/obstacle_0_000003.$format
        # 3/60 s at 0.6 m/s
        says 'bounds +\(0\.7, 0\.43, 0\.4\) to \(0\.9, 0\.63, 0\.6\) m'
        says 'closed, no warnings'
    done
    grep -q 'file="./ball_000004.vtp"' made/surface/ball.pvd || fault 'ball.pvd names the files'
    ! grep -q ball made/surface.csv || fault 'the table is that of the particles'
}

surface_finds_meshes_of_obstacles_where_the_scene_was() { # fast
    mkdir -p scenes
    cat >scenes/tetra.obj <<'OBJ'
v 0 0 0
v 0.2 0 0
v 0 0.2 0
v 0 0 0.2
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
OBJ
    { cat small.yaml; echo 'obstacles: [{name: tetra, mesh: tetra.obj, at: [0.7, 0.1, 0.1]}]'; } >scenes/small.yaml
    expect 0 run scenes/small.yaml -o made --frames 1 --quiet
    expect 0 surface made --obstacles --to stl
    expect 0 info made/surface/tetra_000001.stl
    says 'triangles +4$'
    rm scenes/tetra.obj
    expect 0 surface made --to stl
    expect 2 surface made --obstacles --to stl
    warns 'there is no mesh file "tetra.obj"'
}

surface_keeps_what_is_done_and_goes_on() { # fast
    a_run
    expect 0 surface made --frames 0..2
    cp -p made/surface/water_000001.vtp kept
    expect 0 surface made --resume
    says '^2 files$'
    rows made/surface.csv 6
    [ "$(grep -c DataSet.timestep made/surface/water.pvd)" = 5 ] || fault 'the list has all that is there'
    [ kept -nt made/surface/water_000001.vtp ] || [ kept -ot made/surface/water_000001.vtp ] && fault 'what is done is not made again'
    # a frame that is newer, a mesh that is gone, other settings
    touch made/frames/small_000003.vtp
    rm made/surface/water_000000.vtp
    expect 0 surface made --resume
    says 'water_000000.*triangles'
    says 'water_000003.*triangles'
    says '^2 files$'
    expect 0 surface made --resume --set surface.cell=0.7
    says '^5 files$'
    expect 0 surface made --frames 2..2 --set surface.cell=0.8
    rows made/surface.csv 2
}

surface_ends_at_ctrl_c_with_whole_files() { # fast
    expect 0 run small.yaml -o made --frames 30 --quiet
    "$SHOAL_BINARY" surface made --set surface.cell=0.1 >stdout 2>stderr &
    pid=$!
    for _ in $(seq 200); do grep -q water_000001 stdout && break; sleep 0.05; done
    kill -INT $pid
    code=0
    wait $pid || code=$?
    said='shoal surface and Ctrl-C'
    [ $code = 130 ] || fault "exits with 130 (was $code)"
    warns 'interrupted before frame [0-9]+; to go on: .*surface made --set surface.cell=0.1 --resume$'
    done=$(($(wc -l <made/surface.csv) - 1))
    [ $done -ge 1 ] && [ $done -lt 31 ] || fault 'it stopped on the way'
    [ "$(ls made/surface/*.vtp | wc -l)" = $done ] || fault 'the table has all meshes'
    [ "$(grep -c DataSet.timestep made/surface/water.pvd)" = $done ] || fault 'the list has all meshes'
    [ -z "$(ls made/surface/*.tmp 2>/dev/null)" ] || fault 'nothing is left half written'
    expect 0 surface made --set surface.cell=0.1 --resume --frames 0..$((done + 1))
    says '^2 files$'
    rows made/surface.csv $((done + 3))
}

export_makes_level_sets_that_openvdb_reads() { # fast
    a_run
    expect 0 export made --to vdb
    says '^5 files$'
    [ "$(head -c 4 made/export/small_000003.vdb | od -An -tx1 | tr -d ' ')" = 20424456 ] || fault 'it begins like a .vdb'
    cp made/export/small_000003.vdb first
    expect 0 export made --to vdb
    cmp first made/export/small_000003.vdb || fault 'the same frame gives the same bytes'
    /usr/bin/python3 -c 'import pyopenvdb' 2>/dev/null || exit 77
    /usr/bin/python3 - made/export/small_000003.vdb >stdout 2>stderr <<'PYTHON' || fault 'OpenVDB reads it'
import sys, pyopenvdb as vdb
grids = {g.name: g for g in vdb.readAllGridMetadata(sys.argv[1])}
assert sorted(grids) == ['surface', 'velocity'], grids
level = vdb.read(sys.argv[1], 'surface')
assert level.gridClass == 'level set' and abs(level.background - 0.15) < 1e-6, level.info()
at = level.getConstAccessor()          # a cell is 0.05 m, the water a cube of 0.5 m
assert at.getValue((5, 5, 5)) < -0.1 and not at.isValueOn((5, 5, 5)), at.getValue((5, 5, 5))
assert at.getValue((5, 20, 5)) > 0.1 and at.isValueOn((10, 5, 5))
points, triangles, quads = level.convertToPolygons(isovalue=0.0)
assert len(points) > 300 and len(quads) > 300 and 0.4 < points.max() < 0.6, (len(points), points.max())
speed = vdb.read(sys.argv[1], 'velocity').getConstAccessor().getValue((5, 8, 5))
assert -2 < speed[1] < 0, speed
PYTHON
}

export_makes_layers_of_usd() { # fast
    echo 'obstacles: [{name: the ball, sphere: {radius: 0.1}, at: [0.8, 0.2, 0.2]}]' >>small.yaml
    a_run
    expect 0 export made --to usda
    says '^made/export/small\.usda$'
    layer=made/export/small_000003.usda
    for words in '^#usda 1\.0$' 'upAxis = "Y"' 'timeCodesPerSecond = 60$' 'def Mesh "water"' 'def Points "water_particles"' \
        'def Mesh "the_ball"' 'vector3f\[\] velocities\.timeSamples = \{3: \[' 'float\[\] widths\.timeSamples = \{3: \[0'; do
        grep -Eq "$words" $layer || fault "a layer has $words"
    done
    # of the first mesh: three corners for each face, none beyond the points, as many velocities as points
    awk '
        function items(text) { return gsub(/\(/, "(", text) }
        /faceVertexCounts/ && !faces { faces = gsub(/3[],]/, "&") }
        /faceVertexIndices/ && !corners {
            sub(/.*\[/, ""); sub(/\].*/, ""); corners = split($0, index_of, ", ")
            for (i = 1; i <= corners; i++) if (index_of[i] > most) most = index_of[i]
        }
        /point3f\[\] points/ && !points { points = items($0) }
        /vector3f\[\] velocities/ && !speeds { speeds = items($0) }
        { open += gsub(/\{/, "{") - gsub(/\}/, "}") + gsub(/\(/, "(") - gsub(/\)/, ")") + gsub(/\[/, "[") - gsub(/\]/, "]") }
        END { exit !(faces > 500 && corners == 3 * faces && points == most + 1 && speeds == points && open == 0) }' \
        $layer || fault 'a layer holds together'
    stage=made/export/small.usda
    grep -q 'assetPaths = \[@./small_000000.usda@, .*, @./small_000004.usda@\]' $stage || fault 'the stage names the layers'
    grep -q 'active = \[(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)\]' $stage || fault 'the stage says when'
    grep -q 'float\[\] widths' $stage || fault 'the stage declares what its layers hold'
    holds made/export/small.manifest.usda
    expect 2 export made/frames/small_000003.vtp --to usda
    warns 'needs the run folder'
}

force_takes_surfaces_away() { # fast
    a_run
    expect 0 surface made
    expect 0 run small.yaml -o made --frames 1 --force --quiet
    lacks made/surface.csv
    lacks made/surface/water.pvd
    lacks made/surface/water_000000.vtp
}

frames_are_chosen_by_number_range_step_and_list() { # fast
    a_run
    expect 0 surface made --to ply --frames 3
    [ "$(ls made/surface/*.ply)" = made/surface/water_000003.ply ] || fault 'one number is one frame'
    rm -r made/surface
    expect 0 surface made --to ply --frames 0..4:2 --quiet
    [ "$(cd made/surface && echo *.ply)" = 'water_000000.ply water_000002.ply water_000004.ply' ] || fault 'a step'
    expect 0 export made --to csv --frames 1,3-4
    [ "$(cd made/export && echo *.csv)" = 'small_000001.csv small_000003.csv small_000004.csv' ] || fault 'a list'
    expect 0 render made --preview --size 32x18 --frames 0,4 --quiet
    [ "$(ls made/pictures/*.png | wc -l)" = 2 ] || fault 'of pictures, too'
    expect 0 surface made --to ply --frames 2,9
    warns 'its last frame is 4; those up to 9 are not there'
    local frames
    for frames in '' , 1, 3..1 1..x 1..4:0 1:2 -1 1000000 '1 2'; do
        expect 2 surface made --frames "$frames"
        warns '^shoal surface: --frames .*give N, A\.\.B or A\.\.B:STEP'
    done
}

a_stray_number_among_the_frames_is_told_in_one_line() { # fast
    a_run
    cp made/frames/small_000004.vtp made/frames/small_9999999.vtp # none of a run
    expect 0 surface made --to ply
    mv made/frames/small_9999999.vtp made/frames/small_999999.vtp
    expect 2 surface made --to ply
    [ "$(wc -l <stderr)" = 2 ] || fault 'two lines'
    warns 'small_000005.vtp to 999998.vtp: 999994 frames are missing'
}

json_tells_meshes_pictures_files_and_variants() { # fast
    a_run
    expect 0 surface made --to ply --frames 2..3 --json
    is_json_lines stdout
    says '^\{"event":"mesh","frame":2,.*"material":"water","triangles":[0-9]+,.*"file":"made/surface/water_000002.ply"\}$'
    says '^\{"event":"end","exit":0,"status":"ok","folder":"made","files":2\}$'
    expect 0 render made --preview --size 32x18 --frames 2 --json
    is_json_lines stdout
    says '^\{"event":"picture","frame":2,.*"kept":false'
    expect 0 export made --to csv --frames 1 --json
    is_json_lines stdout
    says '^\{"event":"file","file":"made/export/small_000001.csv"\}$'
    expect 0 plot made --json
    is_json_lines stdout
    says '^\{"event":"file","file":"made/plots/energy.svg"\}$'
    says '^\{"event":"end","exit":0,"status":"ok","folder":"made","files":16\}$'
    expect 2 plot none made --json
    is_json_lines stdout
    says '^\{"event":"error","message":"none'
    says '^\{"event":"end","exit":2,.*"files":16\}$'
    is_silent stderr
    expect 0 compare small.yaml --solvers pbf --frames 1 -o both --json
    is_json_lines stdout
    says '^\{"event":"variant","variant":"pbf","solver":"pbf","status":"ok"'
    rm made/frames/small_000002.vtp
    expect 2 surface made --to ply --json
    is_json_lines stdout
    says '^\{"event":"error","message":".*000002.vtp: the frame is missing"\}$'
    says '"event":"end","exit":2'
    is_silent stderr
}

export_is_quiet_and_takes_threads() { # fast
    a_run
    expect 0 export made --to vdb --frames 2 --threads 1 --quiet
    is_silent stdout
    mv made/export one
    expect 0 export made --to vdb --frames 2 --threads 2 --quiet
    cmp one/small_000002.vdb made/export/small_000002.vdb || fault 'the same on more threads'
    expect 2 export made --to vdb --threads 0
}

particles_of_a_material_that_the_scene_lacks_are_told() { # fast
    sed 's/^bodies:/materials: {water: {}, oil: {}}\nbodies:/; s/^probes:/  - {material: oil, box: {min: [0.6, 0, 0], max: [1, 0.4, 0.4]}}\nprobes:/' small.yaml >two.yaml
    expect 0 run two.yaml -o made --quiet --frames 2
    expect 0 run small.yaml -o plain --quiet --frames 2
    cp made/frames/two_000001.vtp plain/frames/small_000001.vtp
    local command
    for command in 'surface plain --to ply' 'render plain --preview --size 32x18' 'export plain --to vdb'; do
        # shellcheck disable=SC2086
        expect 2 $command
        warns 'small_000001.vtp: [0-9]+ particles are of a material that the scene does not have'
    done
}

"$1"
