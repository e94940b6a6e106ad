# bash completion for shoal. Commands and options are asked of the program itself, so none can be forgotten.
_shoal() {
    local shoal=$1 word=$2 before=$3 command=
    COMPREPLY=()
    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}

    case $before in
    --points | --camera) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    -o) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    --solver | --solvers) mapfile -t COMPREPLY < <(compgen -W "$("$shoal" solvers 2>/dev/null | cut -d' ' -f1)" -- "$word"); return ;;
    --to)
        local formats='ply obj csv vdb usda'
        [[ $command == surface ]] && formats='vtp ply obj stl'
        [[ $command == render ]] && formats='png exr'
        [[ $command == film ]] && formats='mp4 webm gif'
        mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$word"); return ;;
    --method) mapfile -t COMPREPLY < <(compgen -W "zhu-bridson blobby color-field anisotropic" -- "$word"); return ;;
    --color) mapfile -t COMPREPLY < <(compgen -W "velocity density wetness" -- "$word"); return ;;
    --frames | --threads | --set | --variant | --size | --samples | --grab | --serve | --host) return ;;
    esac

    if [[ -z $command || $command == help ]]; then
        local commands
        commands=$("$shoal" --help 2>/dev/null | sed -n 's/^  \([a-z]\{3,\}\)  .*/\1/p')
        [[ -z $command ]] && commands+=' --help --version'
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
    elif [[ $word == -* ]]; then
        local options
        options=$("$shoal" "$command" --help 2>/dev/null | sed -n 's/^  \(-[a-z-]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    else
        case $command in
        run | film | check | compare | info | export | surface | render | plot | view) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        bench)
            local benches
            benches=$("$shoal" bench --help 2>/dev/null | sed -n 's/.*Cases: \(.*\)\./\1/p')
            mapfile -t COMPREPLY < <(compgen -W "$benches" -- "$word") ;;
        params) mapfile -t COMPREPLY < <(compgen -W "$("$shoal" params 2>/dev/null | sed -n 's/^\([a-z_]*\): .*/\1/p')" -- "$word") ;;
        esac
    fi
}
complete -o filenames -F _shoal shoal
