#!/usr/bin/env bash
# Pictures of a card have the bytes of the CPU's: tests/gpu/pictures.txt, each row drawn on both.
#   pictures.sh SHOAL SCENES      ends with 77 where there is no card; SHOAL_DEVICE names another device than cuda
set -euo pipefail
shoal=$1 scenes=$2 device=${SHOAL_DEVICE-cuda}
list=$(cd "$(dirname "$0")" && pwd)/pictures.txt
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
all=0 same=0
"$shoal" check "$scenes/small/drop.yaml" --device "$device" >"$scratch/said" 2>&1 || { cat "$scratch/said"; exit 77; }
while read -r scene frames words; do
    case $scene in '#'* | '') continue ;; esac
    all=$((all + 1))
    name=$(basename "$scene" .yaml)
    for where in cpu "$device"; do
        # shellcheck disable=SC2086
        "$shoal" view "$scenes/$scene" --grab "$frames" -o "$scratch/$where" --size 961x543 --device "$where" $words 2>&1 |
            sed "s|^|$where: |" >"$scratch/$where.said"
    done
    cut=$((frames - 1))
    if cmp "$scratch/cpu/pictures/${name}_$(printf %06d $cut).png" "$scratch/$device/pictures/${name}_$(printf %06d $cut).png"; then
        same=$((same + 1))
        verdict=same
    else
        verdict=DIFFERS
    fi
    drawn() { sed -nE 's/.*drawn in ([0-9.]+) ms.*/\1/p' "$scratch/$1.said"; }
    echo "$scene $frames $words: $verdict, drawn in $(drawn cpu) and $(drawn "$device") ms"
done <"$list"
echo "$same of $all have the bytes of the CPU"
[ "$same" = "$all" ]
