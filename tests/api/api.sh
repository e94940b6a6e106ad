#!/usr/bin/env bash
# The public face of the libraries: what a user's compiler, linker, pkg-config and CMake see.
#   api.sh TEST      with SHOAL_SOURCE, SHOAL_BUILD and CC set
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
strict=(-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -I "$SHOAL_SOURCE/include")
skipped=77

each_header_alone() { # COMPILER...
    local header name
    for header in "$SHOAL_SOURCE"/include/shoal/*.h; do
        name=shoal/$(basename "$header")
        # twice, so that a missing guard shows
        printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$name" "$name" >"$scratch/alone.c"
        "$@" "${strict[@]}" "$scratch/alone.c" || { echo "$name does not stand alone"; return 1; }
    done
}

every_header_compiles_alone_as_c17() { # fast
    each_header_alone "$CC" -std=c17
}

every_header_compiles_alone_as_cpp() { # fast
    command -v g++ >/dev/null || exit $skipped
    each_header_alone g++ -std=c++11 -x c++
    each_header_alone g++ -std=c++20 -x c++
}

installed() { # into $scratch/prefix
    cmake --install "$SHOAL_BUILD" --prefix "$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; return 1; }
    PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name shoal.pc)")
    lib=$(dirname "$PKG_CONFIG_PATH")
    export PKG_CONFIG_PATH
}

a_program_builds_with_pkg_config_against_an_installed_copy() { # installed
    installed
    local core files
    read -ra core <<<"$(pkg-config --cflags --libs shoal)"
    read -ra files <<<"$(pkg-config --cflags --libs shoal_files)"
    "$CC" -std=c17 -Wall -Werror "$SHOAL_SOURCE/tests/api/uses_core.c" -o "$scratch/core" "${core[@]}"
    "$CC" -std=c17 -Wall -Werror "$SHOAL_SOURCE/tests/api/uses_files.c" -o "$scratch/files" "${files[@]}"
    LD_LIBRARY_PATH=$lib "$scratch/core"
    LD_LIBRARY_PATH=$lib "$scratch/files"
}

a_static_program_builds_with_pkg_config_against_an_installed_copy() { # installed
    installed
    rm "$lib"/*.so*
    local files
    read -ra files <<<"$(pkg-config --static --cflags --libs shoal_files)"
    "$CC" -std=c17 -Wall -Werror "$SHOAL_SOURCE/tests/api/uses_files.c" -o "$scratch/files" "${files[@]}"
    "$scratch/files"
}

# The indented lines of FILE from the line that begins with FROM to that which begins with TO, one command each.
lines_of() { # FILE FROM TO
    awk -v from="$2" -v to="$3" '
        sub(/^    /, "") { if (index($0, from) == 1) on = 1; if (on) print; if (on && index($0, to) == 1) exit }' \
        "$SHOAL_SOURCE/$1" | sed "s|build/release|$SHOAL_BUILD|"
}

the_lines_of_the_readme_end_in_a_program_that_runs() { # installed
    lines_of README.md 'cmake --install' ./game >"$scratch/lines"
    [ "$(wc -l <"$scratch/lines")" -ge 4 ]
    mkdir "$scratch/home" "$scratch/here"
    cp -r "$SHOAL_SOURCE/examples" "$scratch/here"
    cd "$scratch/here"
    env -u LD_LIBRARY_PATH -u PKG_CONFIG_PATH HOME="$scratch/home" bash -e "$scratch/lines"
    # the static way of docs/reference/embedding.md
    rm "$scratch/home/.local/lib/"*.so* game
    lines_of docs/reference/embedding.md 'export PKG_CONFIG_PATH' 'export PKG_CONFIG_PATH' >"$scratch/lines"
    lines_of docs/reference/embedding.md 'cc game.c $(pkg-config --cflags shoal)' cc >>"$scratch/lines"
    [ "$(wc -l <"$scratch/lines")" = 2 ]
    env -u LD_LIBRARY_PATH -u PKG_CONFIG_PATH HOME="$scratch/home" bash -e "$scratch/lines"
    ./game
}

a_program_builds_with_find_package_against_an_installed_copy() { # installed
    installed
    cmake -S "$SHOAL_SOURCE/tests/api/package" -B "$scratch/build" -G Ninja "-DCMAKE_C_COMPILER=$CC" \
        "-DCMAKE_PREFIX_PATH=$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; return 1; }
    cmake --build "$scratch/build" >"$scratch/log" || { cat "$scratch/log"; return 1; }
    for program in core core_static files files_static; do "$scratch/build/$program"; done
}

the_installed_command_line_runs_and_has_its_scenes_and_completion() { # installed
    installed
    "$scratch/prefix/bin/shoal" --version | grep -Eq '^shoal [0-9]+\.[0-9]+\.[0-9]+ \(.+\)$'
    test -f "$scratch/prefix/share/bash-completion/completions/shoal"
    for scene in "$SHOAL_SOURCE"/scenes/*.yaml; do
        cmp "$scene" "$scratch/prefix/share/shoal/scenes/$(basename "$scene")"
    done
}

the_core_library_needs_only_libc_and_libm() { # installed
    installed
    local needs
    needs=$(readelf -d "$lib/libshoal.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
    ! grep -Ev '^(libc|libm|libpthread|ld-linux.*)\.so' <<<"$needs"
}

the_shared_libraries_are_versioned_and_show_only_shoal_symbols() { # installed
    installed
    local library strange
    for library in libshoal libshoal_files; do
        readelf -d "$lib/$library.so" | grep -q "SONAME.*\[$library\.so\.[0-9]*\]"
        strange=$(nm -D --defined-only "$lib/$library.so" | awk '$3 !~ /^(shoal|SHOAL)_/ { print $3 }')
        [ -z "$strange" ] || { echo "$library.so shows: $strange"; return 1; }
    done
}

every_public_function_is_in_its_library_under_the_version_of_the_interface() { # installed
    installed
    local header library name version missing=''
    version=$(sed -n 's/^#define SHOAL_VERSION "\([0-9]*\.[0-9]*\)\..*/SHOAL_\1/p' "$SHOAL_SOURCE/include/shoal/base.h")
    for library in shoal shoal_files; do nm -D --defined-only --with-symbol-versions "$lib/lib$library.so" | awk '{ print $3 }' >"$scratch/$library"; done
    for header in "$SHOAL_SOURCE"/include/shoal/*.h; do
        library=shoal
        ! grep -q '^// libshoal_files: ' "$header" || library=shoal_files
        # declarations may be cut into lines
        for name in $(grep -v '^#' "$header" | tr '\n' ' ' | grep -oE 'SHOAL_API [^(;]*\(' | sed 's/.*[ *]\(shoal_[a-z0-9_]*\)($/\1/'); do
            grep -qx "$name@@$version" "$scratch/$library" || missing+=" $name"
            echo "$name"
        done
    done >"$scratch/names"
    [ "$(wc -l <"$scratch/names")" -gt 100 ] && [ -z "$missing" ] || { echo "not there as $version:$missing"; return 1; }
}

core_cross_compiles_for_arm64() { # slow
    command -v aarch64-linux-gnu-gcc >/dev/null || exit $skipped
    cmake -S "$SHOAL_SOURCE" -B "$scratch/arm64" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O0 -DSHOAL_FILES=OFF \
        "-DCMAKE_TOOLCHAIN_FILE=$SHOAL_SOURCE/cmake/arm64.cmake" >"$scratch/log" 2>&1 || { cat "$scratch/log"; return 1; }
    cmake --build "$scratch/arm64" >"$scratch/log" 2>&1 || { tail -60 "$scratch/log"; return 1; }
    readelf -h "$scratch/arm64/libshoal.so" | grep -q AArch64
}

"$1"
