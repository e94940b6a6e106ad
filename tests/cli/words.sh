#!/usr/bin/env bash
# Commands that say something: help, version, check, info, solvers, params; and what is said to wrong words.
# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

version_tells_number_instruction_set_and_card() { # fast
    expect 0 --version
    says '^shoal [0-9]+\.[0-9]+\.[0-9]+ \((avx512|avx2|sse2|generic)\)$'
    says '^device cuda:0 (\(.*\), [0-9.]+ of [0-9.]+ GB free|is not available: .*; --device cpu does without)$'
    SHOAL_PLUGINS=/nowhere expect 0 --version
    says '^device cuda:0 is not available: there is no plugin libshoal_cuda.so in /nowhere; --device cpu does without$'
}

help_lists_every_command_with_examples() { # fast
    expect 0 --help
    for command in run check info solvers params bench export; do says "^  $command "; done
    says '^examples:'
    says '^exit codes:'
    cp stdout all
    expect 0 -h && cmp stdout all
    expect 0 help && cmp stdout all
}

every_command_explains_itself_with_examples() { # fast
    for command in run check info solvers params bench export; do
        expect 0 "$command" --help
        says "^usage: shoal $command"
        says '^examples:'
        says "^  shoal $command"
        cp stdout one
        expect 0 "$command" -h && cmp stdout one
        expect 0 help "$command" && cmp stdout one
    done
}

run_help_names_every_option() { # fast
    expect 0 run --help
    for option in -o --solver --frames --threads --set --resume --force --quiet --json; do says "^  $option "; done
}

no_command_is_a_wrong_use() { # fast
    expect 2
    warns '^usage: shoal COMMAND'
}

an_unknown_command_is_met_with_the_nearest() { # fast
    expect 2 rnu
    warns 'unknown command rnu; did you mean run\?'
    expect 2 exprot
    warns 'did you mean export\?'
    expect 2 help chekc
    warns 'did you mean check\?'
    expect 2 frobnicate
    warns 'unknown command frobnicate$'
    expect 0 help help
    says '^ +run '
    expect 2 check small.yaml --set rotation=30
    warns 'unknown key "rotation" in .*; did you mean "rotate", in a body or obstacle\?'
}

an_unknown_option_is_met_with_the_nearest() { # fast
    expect 2 run small.yaml --thread 2
    warns 'unknown option --thread; did you mean --threads\?'
    expect 2 run small.yaml --resmue
    warns 'did you mean --resume\?'
    expect 2 check --frobnicate small.yaml
    warns 'unknown option --frobnicate$'
    expect 2 --vresion
    warns 'did you mean --version\?'
    expect 2 check small.yaml --frames 3 # an option of another command
    warns 'unknown option --frames'
}

wrong_use_of_options_exits_with_2() { # fast
    expect 2 run
    warns 'SCENE is missing'
    expect 2 run small.yaml other.yaml
    warns 'other.yaml'
    for frames in x 5..3 -1 3.. ..3 1e3 3...5 99999999999; do
        expect 2 run small.yaml --frames "$frames"
        warns '--frames'
    done
    for threads in 0 -2 two 1.5 ''; do
        expect 2 run small.yaml --threads "$threads"
        warns '--threads.*whole number from 1 to 1024'
    done
    expect 2 run small.yaml --frames 1000000
    warns 'at most 999999'
    expect 2 run small.yaml --threads
    warns '--threads needs a value'
    expect 2 run small.yaml --set spacing
    warns '--set spacing'
    expect 2 run small.yaml --resume --force
    warns 'exclude each other'
    expect 2 run small.yaml --quiet --json
    says 'exclude each other'
    expect 2 run small.yaml --quiet=1
    warns 'takes no value'
    expect 2 params --markdown --json-schema
    expect 2 bench pbf-100
    warns 'did you mean pbf-10'
    expect 2 export .
    warns '--to'
    expect 2 export . --to plx
    warns 'did you mean ply\?'
    lacks out/small
}

check_tells_no_bytes_of_particles_that_are_not_there() { # fast
    sed 's/min: .0, 0, 0., max: .0.5, 0.5, 0.5./min: [0.1, 0.1, 0.1], max: [0.101, 0.101, 0.101]/' small.yaml >none.yaml
    expect 0 check none.yaml
    says '^particles +0 '
    says '^memory +[0-9.]+ [kM]?B in all \(estimated\)$'
}

check_tells_what_a_good_scene_needs() { # fast
    expect 0 check small.yaml
    says '^particles +125 '
    says '^support +0\.[0-9]+ m'
    says '^frames +10 at 60 fps'
    says '^memory +[0-9]+ bytes per particle, [0-9.]+ [kMG]?B in all'
    says '^time +[0-9.]+ (ms|s) per frame, [0-9.]+ (ms|s) in all \(estimated: [0-9.]+ substeps per frame, [0-9]+ threads? of this machine'
    says '^disk +[0-9.]+ [kM]B per frame, [0-9.]+ [kM]B in all \(estimated\)'
    is_silent stderr
    lacks out/small
}

check_shows_all_faults_in_order_with_source_and_caret() { # fast
    cat >bad.yaml <<'YAML'
spacing: 0.1
frames: -3
gravty: [0, -9.81, 0]
domain: {max: [1, 1, 1]}
bodies:
  - {material: water, box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}}
pbf: {iterations: 0}
YAML
    expect 2 check bad.yaml
    warns '^bad\.yaml:2:[0-9]+: .*frames'
    warns '^bad\.yaml:3:[0-9]+: .*gravty.*gravity'
    warns '^bad\.yaml:7:19: .*pbf\.iterations = 0 is outside \[1, '
    warns 'pbf: \{iterations: 0\}'
    warns '\^'
    warns '3 errors, 0 warnings'
    grep -Eo '^bad\.yaml:[0-9]+' stderr | cut -d: -f2 >lines
    sort -n lines | cmp - lines
    # run says the same and makes nothing
    expect 2 run bad.yaml
    warns '^bad\.yaml:7:19: '
    lacks out/bad
}

check_takes_set_and_solver() { # fast
    expect 0 check --set spacing=0.05 small.yaml
    says '^particles +1000 '
    expect 0 check small.yaml --set=spacing=0.25 --set 'bodies.0.velocity=[1,0,0]'
    says '^particles +8 '
    expect 0 check small.yaml --solver pbf
    expect 2 check small.yaml --solver pfb
    warns 'pbf'
    expect 2 check small.yaml --set pbf.iteratons=4
    warns 'iterations'
    expect 2 check small.yaml --set 'spacing=['
    expect 2 check small.yaml --set bodies.7.velocity=3
}

a_missing_or_broken_scene_exits_with_2() { # fast
    for command in run check info; do
        expect 2 $command nowhere.yaml
        warns 'nowhere\.yaml'
        mkdir -p folder.yaml
        [ $command = info ] || expect 2 $command folder.yaml
    done
    printf 'spacing: [0.1\nbodies' >torn.yaml
    expect 2 check torn.yaml
    warns '^torn\.yaml:[0-9]+:[0-9]+: '
    : >empty.yaml
    expect 2 check empty.yaml
    warns 'empty\.yaml'
}

solvers_lists_pbf_with_what_it_simulates() { # fast
    expect 0 solvers
    says '^pbf +liquids +Position Based Fluids'
}

solvers_tell_their_sets_fields_columns_and_parameters_as_json() { # fast
    expect 0 solvers --json
    says '"name": "flip", "summary"'
    says '"name": "particles", "part": "points", "fields"'
    says '"name": "contacts", "part": null, "fields"'
    says '"name": "held", "type": "float", "width": 1, "role": "state", "in_frames": "never"'
    says '"name": "density", "type": "float", "width": 1, "role": "state", "in_frames": "always", "unit": "kg/m\^3"'
    says '"name": "clamped", "unit": "", "help": "fraction of particles .*", "chart": "solver"'
    says '"name": "momentum_x_kgmps", "unit": "kg m/s"'
    says '"name": "force_x_n", "unit": "N", "help": "force of the liquid on the obstacle NAME'
    says '"name": "iterations", "type": "int or auto", "default": 3, "min": 1'
    tr -d '\n' <stdout >lists && echo >>lists
    is_json_lines lists
    expect 0 solvers --columns
    says '^\| `NAME_friction_x_n` \| N \|'
    says '^\| `kinetic_j` \| J \| sum of m v\^2/2 \|'
    expect 2 solvers --columns --json
}

params_come_as_text_markdown_and_schema() { # fast
    expect 0 params pbf
    says '^ *iterations'
    expect 0 params pbf --markdown
    says '^\|.*iterations'
    expect 0 params pbf --json-schema
    says '"iterations"'
    tr -d '\n' <stdout >schema && echo >>schema
    is_json_lines schema
    expect 0 params
    says 'iterations'
    says 'spacing'
    expect 0 params --json-schema
    says '"bodies"'
    tr -d '\n' <stdout >schema && echo >>schema
    is_json_lines schema
    expect 2 params pfb
    warns 'pbf'
}

output_that_cannot_be_written_exits_with_4() { # fast
    [ -w /dev/full ] || exit 77
    local got=0
    "$SHOAL_BINARY" params >/dev/full 2>stderr || got=$?
    said='shoal params > /dev/full'
    : >stdout
    [ $got = 4 ] || fault "exits with 4 (was $got)"
    warns 'could not be written'
}

every_kind_of_bench_takes_set() { # fast
    local name
    for name in pbf-10k dam-break wcsph-100k dem-100k grains-faucet surface-270k render-720p view-100k flip-box porous-45k tetra-100k live-faucet; do
        expect 2 bench "$name" --set nothing=1
        warns 'unknown key "nothing"'
    done
}

a_bench_of_a_scene_tells_of_the_whole_run() { # slow
    expect 0 bench rain --json --set spacing=0.015 --set frames=80
    [ "$(grep -c '"run_frames"' stdout)" = 1 ] && grep -q '"threads":2.*"run_frames":80,"run_frame_ms":[0-9.]*[1-9]' stdout ||
        fault 'the row of two threads has the mean over 80 frames'
}

completion_offers_commands_options_and_benches() { # fast
    # shellcheck disable=SC1091
    . "$SHOAL_SOURCE/apps/cli/completion.bash"
    offers() { # WANTED WORD... (the last one is under the cursor)
        local wanted=$1
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _shoal "$SHOAL_BINARY" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        said="completion of $*" && : >stdout && : >stderr
        [ "$(printf '%s\n' "${COMPREPLY[@]}" | sort | xargs)" = "$wanted" ] || fault "$said offers $wanted: ${COMPREPLY[*]}"
    }
    offers 'check' shoal ch
    offers 'run' shoal help ru
    offers '--set --solver' shoal run --s
    offers '--force --frames' shoal run --f
    offers 'pbf-100k pbf-100k-10' shoal bench pbf-100
    offers 'pbf porous' shoal run --solver p
    offers 'ply' shoal export --to p
    offers 'domain' shoal params dom
    offers 'pbf' shoal params pb
    offers 'small.yaml' shoal run sm
}

mesh_paths_of_the_command_line_begin_where_one_stands() { # fast
    mkdir -p deep/models models
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' >models/here.obj
    sed 's/^bodies:/obstacles: [{mesh: here.obj, at: [0.8, 0.8, 0.8], scale: 0.1}]\n&/' small.yaml >deep/small.yaml
    expect 0 check deep/small.yaml
    expect 0 check deep/small.yaml --set obstacles.0.mesh=models/here.obj
    expect 2 check deep/small.yaml --set obstacles.0.mesh=models/there.obj
    warns 'no mesh file "models/there.obj"; looked for models/there.obj, deep/models/there.obj, deep/models/models/there.obj, models/models/there.obj'
    # a file of the same name beside the scene comes second
    echo broken >deep/here.obj
    cp models/here.obj .
    expect 2 check deep/small.yaml
    expect 0 check deep/small.yaml --set obstacles.0.mesh=here.obj
}

the_values_of_presets_can_be_seen() { # fast
    expect 0 params presets
    says '^  honey +liquid +1420 +10 '
    expect 2 params honey
    warns 'shoal params presets'
}

help_of_the_demo_makes_nothing() { # fast
    said='script/demo --help'
    (cd "$SHOAL_SOURCE" && script/demo --help) >stdout 2>stderr </dev/null || fault 'exits with 0'
    says 'script/demo \[OPTIONS\]'
    says_not 'lies in out'
}

"$1"
