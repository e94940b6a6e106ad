#!/usr/bin/env bash
# Names of fields and columns that one solver alone has stand in src/solvers and nowhere else: what the house asks of all
# solvers goes by the words that it gives them (state/field_words.h), by rows of columns, and by the lists of sets.
#   test_names.sh check ROOT PROGRAM     fails on such names, telling each
#   test_names.sh self ROOT PROGRAM      the check finds one in a made-up tree, and the words of the house are no such names
set -euo pipefail

# Words that mean something else where they stand: "word file", the file without src/ or apps/.
others='
fine scene/blocks.h
fixed scene/scene_lists.c
key param/param_print.c
key cli/view_serve.c
size scene/scene_render.c
spin scene/scene_lists.c
spin scene/scene_resolved.c
state sim/catalogue.c
state post/describe.c
steps compare/compare_table.c
steps cli/compare.c
triangles sim/catalogue.c
triangles post/describe.c
radius scene/scene_surface.c
radius geom/shape.c'

# names PROGRAM: those that one solver alone has
names() {
    "$1" solvers --json | awk '
        /^  \{"name": "/ { solver++ }
        /"role": "|"chart": "/ {
            match($0, /"name": "[^"]*"/)
            name = substr($0, RSTART + 9, RLENGTH - 10)
            if (seen[name, solver]++ == 0) count[name]++
        }
        END { for (name in count) if (count[name] == 1) print name }' | sort
}

check() {
    cd "$1"
    local words bad=0 name file line text
    words=" corners $(sed -n 's/^ *X(\([a-z_]*\),.*/\1/p' src/state/field_words.h | tr '\n' ' ')"
    while IFS=: read -r file line text; do
        name=${text//\"/}
        [[ $words != *" $name "* ]] || continue
        ! grep -qxF "$name ${file#*/}" <<<"$others" || continue
        echo "$file:$line: $text is of one solver"
        bad=1
    # rows of lists of fields may stand where several solvers could share them
    done < <(names "$2" | sed 's/.*/"&"/' | grep -rnoFf - --include='*.[ch]' src apps |
        grep -vE '^(src/solvers|apps/cli/bench_[a-z]+\.c)' |
        while IFS=: read -r file line text; do sed -n "${line}p" "$file" | grep -q 'SHOAL_FIELD(' || echo "$file:$line:$text"; done || true)
    return $bad
}

self() {
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    mkdir -p "$tree"/src/{state,sim,solvers/grains} "$tree"/apps
    cp "$1/src/state/field_words.h" "$tree/src/state"
    echo 'double* a = shoal_table_named(t, "elastic_j");' >"$tree/src/solvers/grains/own.c"
    check "$tree" "$2" || { echo 'a solver may say its own names'; exit 1; }
    echo 'float* a = shoal_set_read(set, "corners");' >"$tree/src/sim/house.c"
    check "$tree" "$2" || { echo 'the house may say its words'; exit 1; }
    for name in elastic_j pore_velocity; do
        echo "double* a = shoal_table_named(t, \"$name\");" >"$tree/src/sim/other.c"
        ! check "$tree" "$2" >/dev/null || { echo "\"$name\" outside of its solver is not found"; exit 1; }
    done
}

"$1" "$2" "$3"
