#!/usr/bin/env bash
# The house with solvers that it has never seen: the command line on a registry of its own (tests/toys).
. "$(dirname "$0")/cli.bash"
SHOAL_BINARY=$SHOAL_TOYS

cat >box.yaml <<'YAML'
name: box
solver: mesh
spacing: 0.1
frames: 6
fps: 30
domain: {min: [0, 0, 0], max: [1, 1, 1]}
bodies:
  - {material: water, box: {min: [0.3, 0.1, 0.3], max: [0.6, 0.3, 0.5]}, velocity: [0.5, 0, 0]}
output: {checkpoint: 2}
YAML

cat >pair.yaml <<'YAML'
name: pair
solver: pair
spacing: 0.1
frames: 6
fps: 30
domain: {min: [0, 0, 0], max: [1, 1, 1], walls: {top: open}}
materials: {stones: {preset: sand}, water: {preset: water}}
bodies:
  - {material: stones, box: {min: [0.3, 0.1, 0.3], max: [0.6, 0.3, 0.5]}, velocity: [0.5, 0, 0]}
  - {material: water, box: {min: [0.3, 0.3, 0.3], max: [0.6, 0.5, 0.5]}}
emitters: [{material: water, rain: {min: [0.3, 0.7, 0.3], max: [0.6, 0.8, 0.5], rainfall: 1.5e6}}]
sinks: [{box: {min: [0.62, 0, 0], max: [1, 1, 1]}}]
output: {checkpoint: 2, fields: [drops.pull]}
YAML

# number of the frames of a run, and of the cells of one of them
cells() { expect 0 info "$1"; sed -n 's/^  \(triangles\|tetrahedra\)  *//p' stdout; }

a_mesh_solver_goes_from_scene_to_frames_and_stats() { # fast
    expect 0 solvers
    says '^mesh +liquids +a box of tetrahedra'
    expect 0 solvers --json
    says '"name": "tets", "part": "tetrahedra"'
    says '"name": "vertices", "part": null'
    says '"name": "corners", "type": "place\[4\]", "width": 1, "role": "state", "in_frames": "as cells", "set": "vertices"'
    expect 0 check box.yaml
    expect 0 run box.yaml -o made
    for k in 0 6; do holds made/frames/box_00000$k.tets.vtu; holds made/frames/box_00000$k.boundary.vtp; done
    [ "$(find made/frames -type f | wc -l)" = 14 ] || fault 'seven frames have two parts each'
    [ "$(grep -c 'part="0" file="frames/box_00000[0-6].tets.vtu"' made/box.pvd)" = 7 ] || fault 'the .pvd lists part 0'
    [ "$(grep -c 'part="1" file="frames/box_00000[0-6].boundary.vtp"' made/box.pvd)" = 7 ] || fault 'the .pvd lists part 1'
    [ "$(cells made/frames/box_000006.tets.vtu)" = 72 ] || fault 'there are 12 cells of 6 tetrahedra'
    [ "$(cells made/frames/box_000006.boundary.vtp)" = 64 ] || fault 'there are 64 triangles around them'
    expect 0 info made/frames/box_000006.tets.vtu
    says '^  velocity.y +-?[0-9.]+ to -?[0-9.]+ m/s'
    says '^  volume +[0-9.e-]+ to [0-9.e-]+ m\^3'
    expect 0 info made
    says '^  parts +boundary, tets'
    says '^  frames on disk +7 \(0\.\.6\)'
    # 12 litres, the whole time
    awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k } NR > 1 && ($at["tets_m3"] - 0.012) ^ 2 > 1e-14 { bad = 1 } END { exit bad || NR != 8 }' \
        made/stats.csv || fault 'the volume stays'
    expect 0 plot made --quiet
    holds made/plots/solver.svg
}

a_mesh_solver_resumes_bit_for_bit() { # fast
    expect 0 run box.yaml -o straight --quiet
    expect 0 run box.yaml -o made --frames 3 --quiet
    expect 0 run box.yaml -o made --resume --quiet
    for k in 0 1 2 3 4 5 6; do
        for part in tets.vtu boundary.vtp; do cmp straight/frames/box_00000$k.$part made/frames/box_00000$k.$part; done
    done
    # a lost part is a lost frame
    rm made/frames/box_000005.boundary.vtp
    rm made/checkpoints/box_000006.shoal
    expect 0 run box.yaml -o made --resume
    cmp straight/frames/box_000005.boundary.vtp made/frames/box_000005.boundary.vtp
    expect 0 run box.yaml -o made --force --frames 1 --quiet
    [ "$(find made/frames -type f | wc -l)" = 4 ] || fault '--force removes all parts'
}

a_mesh_solver_is_drawn_and_exported() { # fast
    expect 0 run box.yaml -o made --frames 4 --quiet
    expect 0 surface made
    tail -1 made/surface.csv | awk -F, '{ exit ($5 - 0.012) ^ 2 > 1e-14 || $4 != 64 }' || fault 'the mesh is its own surface'
    expect 0 surface made --resume
    expect 0 render made --frames 4 --preview --size 96x54
    holds made/pictures/box-preview_000004.png
    expect 0 render made --frames 4 --preview --size 96x54 --color tets.volume
    expect 0 render made --frames 4 --size 64x36 --samples 2
    holds made/pictures/box_000004.png
    expect 2 render made --frames 4 --preview --color heat
    warns 'the frames have no field "heat"'
    for format in ply obj csv; do
        expect 0 export made --to $format --frames 4
        holds made/export/box_000004.tets.$format
        holds made/export/box_000004.boundary.$format
    done
    [ "$(grep -c '^f ' made/export/box_000004.tets.obj)" = 64 ] || fault 'tetrahedra are exported by their outer faces'
    expect 0 export made --to usda --frames 4
    expect 2 export made --to vdb --frames 4
    warns 'water is a mesh'
}

fields_go_by_set_where_several_have_one() { # fast
    expect 2 check box.yaml --set 'output.fields=[heat]'
    warns '"heat" is a field of several sets; say which: vertices\.heat, boundary_points\.heat'
    expect 2 check box.yaml --set 'output.fields=[vertices.heal]'
    warns 'mesh has no field "vertices\.heal"'
    expect 0 run box.yaml -o made --frames 1 --quiet --set 'output.fields=[vertices.heat]'
    expect 0 info made/frames/box_000001.tets.vtu
    says '^  heat +0\.1[0-9]* to 0\.3[0-9]* K'
    expect 0 info made/frames/box_000001.boundary.vtp
    says_not heat
    expect 0 render made --frames 1 --preview --size 96x54 --color tets.heat
}

# values of a column of stats.csv, one to a line
column() { awk -F, -v name="$2" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) at = k } NR > 1 { print $at }' "$1/stats.csv"; }

a_pair_of_sets_goes_from_scene_to_frames_and_stats() { # fast
    expect 0 solvers --json
    says '"name": "stones", "part": "points"'
    says '"name": "stone", "type": "place", "width": 1, "role": "state", "in_frames": "never", "set": "stones"'
    says '"name": "pull", "type": "float\[6\]"'
    expect 0 check pair.yaml
    says '^particles +108 at the start'
    expect 2 check pair.yaml --set 'output.fields=[drops.stone]'
    warns 'pair has no field "drops\.stone"'
    expect 0 run pair.yaml -o made
    for part in stones drops; do for k in 0 6; do holds made/frames/pair_00000$k.$part.vtp; done; done
    [ "$(find made/frames -type f | wc -l)" = 14 ] || fault 'seven frames have two parts each'
    [ "$(grep -c 'part="[01]" file="frames/pair_00000[0-6].\(stones\|drops\).vtp"' made/pair.pvd)" = 14 ] || fault 'the .pvd lists both parts'
    expect 0 info made/frames/pair_000000.stones.vtp
    says '^  particles +12$'
    says '^  drops +0 to 16'
    expect 0 info made/frames/pair_000006.drops.vtp
    says '^  volume +9\.375[0-9]*e-05 to 0\.00015625[0-9]* m\^3'
    says '^  pull\.yz +-?[0-9.e-]+ to -?[0-9.e-]+ N m'
    says_not 'stone'
    expect 0 info made
    says '^  parts +drops, stones'
    # momentum stays until a stone is taken out, and its drops hang on none any more
    column made momentum_x_kgmps | awk 'NR <= 5 && ($1 - 9.54) ^ 2 > 1e-10 { bad = 1 } END { exit bad }' || fault 'springs push both ends'
    column made hanging | paste -sd ' ' | grep -qx '96 96 96 96 96 64 64' || fault 'a stone that leaves lets go of its drops'
    expect 0 plot made --quiet
    holds made/plots/solver.svg
}

a_pair_of_sets_resumes_bit_for_bit() { # fast
    expect 0 run pair.yaml -o straight --quiet
    expect 0 run pair.yaml -o made --frames 3 --quiet
    expect 0 run pair.yaml -o made --resume --quiet
    for k in 0 1 2 3 4 5 6; do
        for part in stones drops; do cmp straight/frames/pair_00000$k.$part.vtp made/frames/pair_00000$k.$part.vtp; done
    done
    [ "$(column straight hanging)" = "$(column made hanging)" ] || fault 'the tables are the same'
    # a step that fails ends the run with what was there before it, and a resumed one comes to the same end
    expect 3 run pair.yaml -o failed --set pair.fails_at=0.11
    warns 't = 0\.116667 s: the pair fails, as it was told'
    expect 3 run pair.yaml -o failed --resume --set pair.fails_at=0.11
    [ "$(find failed/frames -type f | wc -l)" = 8 ] || fault 'four frames are there'
    for part in stones drops; do cmp straight/frames/pair_000003.$part.vtp failed/frames/pair_000003.$part.vtp; done
}

a_pair_of_sets_is_drawn_and_exported() { # fast
    expect 0 run pair.yaml -o made --frames 2 --quiet
    expect 0 surface made --frames 2
    awk -F, '$3 == "water" { exit ($6 - 0.0136) ^ 2 > 1e-7 }' made/surface.csv || fault 'drops count with their own volumes'
    expect 0 render made --frames 2 --preview --size 96x54
    holds made/pictures/pair-preview_000002.png
    expect 0 render made --frames 2 --preview --size 96x54 --color drops.volume
    expect 0 render made --frames 2 --size 64x36 --samples 2
    holds made/pictures/pair_000002.png
    expect 0 export made --to csv --frames 2
    head -1 made/export/pair_000002.drops.csv | grep -q 'volume,pull_xx,pull_yy,pull_zz,pull_xy,pull_yz,pull_xz' || fault 'tensors are exported'
    holds made/export/pair_000002.stones.csv
    for format in ply usda vdb; do expect 0 export made --to $format --frames 2; done
}

"$1"
