#!/usr/bin/env bash
# Who may include whom: src/layers.txt against every #include of src, a _local header only in its own folder, and public
# headers only in apps and examples.
#   test_layers.sh check ROOT     fails on wrong includes, naming each
#   test_layers.sh self ROOT      the check finds each kind of wrong include in a made-up tree
set -euo pipefail

check() {
    cd "$1"
    local files
    mapfile -t files < <(find src apps examples -name '*.[ch]' 2>/dev/null | sort)
    awk '
        function folder(path,    name, best) {
            best = ""
            for (name in floor)
                if (index(path, name "/") == 1 && length(name) > length(best)) best = name
            return best
        }
        function wrong(why) { printf "%s:%d: %s\n", FILENAME, FNR, why; bad = 1 }
        FILENAME == "src/layers.txt" { if ($0 !~ /^#/ && NF == 2) floor[$1] = $2; next }
        FNR == 1 && FILENAME ~ /^src\// {
            here = folder(substr(FILENAME, 5))
            if (here == "") wrong("its folder has no line in src/layers.txt")
        }
        /^[ \t]*#[ \t]*(include[ \t]*<omp\.h>|pragma[ \t]+omp)/ && FILENAME !~ /^src\/exec\// {
            wrong("only src/exec says omp")
        }
        match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]+"/) {
            split($0, part, "\"")
            name = part[2]
            if (name ~ /^shoal\// || name !~ /\//) next
            if (FILENAME !~ /^src\//) { wrong("includes " name ", which is no public header"); next }
            there = folder(name)
            if (name ~ /_local\.h$/ && there != here) wrong("includes " name ", which is for " there " alone")
            if (there == "") wrong("includes " name ", which is in no folder of src/layers.txt")
            else if (there != here && floor[there] >= floor[here])
                wrong("includes " name ": " there " (" floor[there] ") is not below " here " (" floor[here] ")")
        }
        END { exit bad }
    ' src/layers.txt "${files[@]}"
}

self() {
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    mkdir -p "$tree"/src/{base,grid,solvers/pbf,solvers,lost} "$tree/apps/cli"
    printf 'base 0\ngrid 3\nsolvers/pbf 7\nsolvers 8\n' >"$tree/src/layers.txt"
    echo '#include "base/status.h"' >"$tree/src/grid/good.c"
    echo '#include "solvers/pbf/pbf.h"' >"$tree/src/solvers/good.c"
    echo '#include "shoal/sim.h"' >"$tree/apps/cli/good.c"
    (check "$tree")

    fails_for() { # FILE LINE
        echo "$2" >"$tree/$1"
        if (check "$tree") >"$tree/said"; then
            echo "not found: $1: $2"
            exit 1
        fi
        grep -q "^$1:1:" "$tree/said"
        rm "$tree/$1"
    }
    fails_for src/base/up.c '#include "grid/cells.h"'
    fails_for src/solvers/pbf/up.c '  #  include "solvers/registry.h"'
    fails_for src/solvers/local.c '#include "grid/near_local.h"'
    fails_for src/lost/file.c 'int x;'
    fails_for src/grid/strange.c '#include "nowhere/x.h"'
    fails_for src/grid/omp.c '#include <omp.h>'
    fails_for src/grid/pragma.c '#pragma omp parallel for'
    fails_for apps/cli/deep.c '#include "base/status.h"'
    (check "$tree")
}

"$1" "$2"
