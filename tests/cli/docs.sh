#!/usr/bin/env bash
# What the documents say is so: generated parts, scenes, particle counts, links.
#   docs.sh TEST      with SHOAL_BINARY and SHOAL_SOURCE set
source "$(dirname "$0")/cli.bash"
: >stdout
: >stderr
documents=("$SHOAL_SOURCE"/*.md "$SHOAL_SOURCE"/docs/*/*.md "$SHOAL_SOURCE"/src/solvers/*/*.md)

generated_parts_of_the_docs_are_up_to_date() { # fast
    SHOAL_BINARY=$SHOAL_BINARY "$SHOAL_SOURCE/script/docs" --check
}

a_generated_part_that_is_out_of_date_is_found() { # fast
    mkdir -p tree/script tree/docs/reference
    cp "$SHOAL_SOURCE/script/docs" tree/script
    printf '<!-- shoal params wall --markdown -->\nold\n<!-- end -->\n' >tree/docs/reference/one.md
    ! tree/script/docs --check >stdout 2>stderr || fault 'script/docs --check finds old text'
    tree/script/docs >stdout 2>stderr || fault 'script/docs writes it anew'
    grep -q friction tree/docs/reference/one.md || fault 'the new text is that of the command'
    tree/script/docs --check >stdout 2>stderr || fault 'script/docs --check is content then'
}

figures_of_the_docs_are_measured_with_date_and_commit() { # fast
    mkdir -p tree/script tree/docs/reference tree/docs/measured
    cp "$SHOAL_SOURCE/script/figures" tree/script
    cat >tree/toy <<'TOY'
#!/bin/sh
echo asked >>"$(dirname "$0")/asked"
run=$(grep -c . "$(dirname "$0")/asked")
for n in 1 2; do echo "{\"name\":\"$2\",\"particles\":1234567,\"threads\":$n,\"step_ms\":$((run % 3)).54,\"particle_steps_per_s\":1500000.0,\"bytes_per_particle\":77}"; done
TOY
    chmod +x tree/toy
    printf 'before\n<!-- figures benches one two -->\nold\n<!-- end figures -->\nafter\n' >tree/README.md
    printf '<!-- figures sweeps 1 -->\nkept\n<!-- end figures -->\n' >tree/docs/reference/x.md
    printf '<!-- figures benches three -->\nold\n<!-- end figures -->\n' >tree/docs/measured/y.md
    (cd tree && git init -q && git add README.md && git -c user.name=n -c user.email=e commit -qm one)
    SHOAL_BINARY=./toy tree/script/figures benches >stdout 2>stderr || fault 'script/figures runs'
    grep -qF '| `two` | 1,234,567 | 2 | 1.5 | 1.50 | 77 |' tree/README.md || fault 'the middle one of three rows of a bench is there'
    grep -q "commit $(cd tree && git rev-parse --short HEAD)" tree/README.md || fault 'the commit is told'
    ! grep -q old tree/README.md || fault 'the old table is gone'
    grep -q after tree/README.md || fault 'the rest stays'
    grep -q three tree/docs/measured/y.md && ! grep -q old tree/docs/measured/y.md || fault 'pages of docs/measured have theirs'
    grep -q kept tree/docs/reference/x.md || fault 'tables that were not asked for stay'
    SHOAL_BINARY=./toy tree/script/figures benches >stdout 2>stderr || fault 'script/figures runs again'
    [ "$(wc -l <tree/asked)" = 9 ] || fault 'what was measured of a commit is not measured again'
    ! tree/script/figures nonsense >stdout 2>stderr || fault 'a word that is no table is refused'
}

# Each block of yaml in the documents becomes yaml/NAME-LINE.yaml.
extract_yaml() {
    mkdir -p yaml
    local file
    for file in "${documents[@]}"; do
        awk -v name="yaml/$(basename "$file" .md)" '
            /^```yaml$/ { out = name "-" NR ".yaml"; printf "" > out; next }
            /^```$/ { out = ""; next }
            out { print > out }' "$file"
    done
}

# A block without `spacing` is a part of a scene: it gets what it lacks.
complete() {
    grep -q '^spacing:' "$1" && return
    echo 'spacing: 0.05' >>"$1"
    grep -q '^domain:' "$1" || echo 'domain: {min: [0, 0, 0], max: [4, 4, 4], walls: {top: open}}' >>"$1"
    grep -q '^bodies:' "$1" || echo 'bodies: [{material: water, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}}]' >>"$1"
}

every_scene_in_the_docs_passes_check() { # fast
    extract_yaml
    # what the documents call a scan is here a tetrahedron
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >yaml/bunny.obj
    local scene whole=0
    for scene in yaml/*.yaml; do
        if grep -q '^spacing:' "$scene"; then whole=$((whole + 1)); fi
        complete "$scene"
        expect 0 check "$scene"
    done
    [ "$whole" -ge 3 ] || fault 'the documents hold three whole scenes or more'
}

the_docs_tell_the_particles_of_every_scene() { # fast
    local scene name count page
    for scene in "$SHOAL_SOURCE"/scenes/*.yaml "$SHOAL_SOURCE"/scenes/small/*.yaml; do
        name=${scene#"$SHOAL_SOURCE"/}
        expect 0 check "$scene"
        count=$(sed -n 's/^\(particles\|cubes\) *\([0-9]*\) .*/\2/p' stdout | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/; ta')
        for page in scenes gallery; do
            grep -F "../../$name)" "$SHOAL_SOURCE/docs/reference/$page.md" | grep -qE "\| $count( |\$)" ||
                fault "docs/reference/$page.md has a row for $name with $count particles"
        done
    done
}

the_hint_of_bootstrap_models_works_as_typed() { # fast
    [ -e "$SHOAL_SOURCE/models/bunny.obj" ] || exit 77
    local hint
    hint=$(sed -n 's|^ *build/release/shoal \(check .*\)|\1|p' "$SHOAL_SOURCE/script/bootstrap")
    [ -n "$hint" ] || fault 'script/bootstrap holds a hint'
    (cd "$SHOAL_SOURCE" && eval "\"$SHOAL_BINARY\" $hint") >stdout 2>stderr || fault "shoal $hint works"
}

every_scene_is_in_the_gallery() { # fast
    local scene name
    for scene in "$SHOAL_SOURCE"/scenes/*.yaml "$SHOAL_SOURCE"/scenes/small/*.yaml; do
        name=${scene#"$SHOAL_SOURCE"/}
        grep -qE "\]\(\.\./\.\./$name\) \|.*\| \`shoal (run|view) $name\` \|" "$SHOAL_SOURCE/docs/reference/gallery.md" ||
            fault "docs/reference/gallery.md has a row for $name with its command"
    done
    for name in "$SHOAL_SOURCE"/docs/pictures/*.png "$SHOAL_SOURCE"/docs/pictures/gallery/*.png; do
        name=${name#"$SHOAL_SOURCE"/docs/}
        grep -qF "(../$name)" "${documents[@]}" || grep -qF "docs/$name" "${documents[@]}" || fault "docs/$name is shown on a page"
    done
}

every_link_in_the_docs_leads_somewhere() { # fast
    local file link
    for file in "${documents[@]}"; do
        while read -r link; do
            [ -e "$(dirname "$file")/${link%%#*}" ] || fault "${file#"$SHOAL_SOURCE"/} links to $link, which is there"
        done < <(grep -oE '\]\([^)#:]+[^):]*\)' "$file" | sed 's/^](//; s/)$//')
    done
}

# Words that a page may have, by wc -w: as many as somebody reads. Of the changelog, those of the newest version.
budgets='
CHANGELOG.md 3000
CONTRIBUTING.md 3000
README.md 1200
docs/reference/choose.md 1000
docs/reference/compare.md 1000
docs/reference/determinism.md 700
docs/reference/device.md 1200
docs/reference/embedding.md 1300
docs/reference/errors.md 1300
docs/reference/film.md 500
docs/reference/flip.md 2500
docs/reference/formats.md 3000
docs/reference/gallery.md 1900
docs/reference/grains.md 2500
docs/reference/pbf.md 2500
docs/reference/pictures.md 2300
docs/reference/plots.md 500
docs/reference/porous.md 2500
docs/reference/pressure.md 600
docs/reference/scene-reference.md 13000
docs/reference/scenes.md 3000
docs/reference/speed.md 2000
docs/reference/sph.md 2500
docs/reference/surfaces.md 2000
docs/reference/tetra-paper.md 2500
docs/reference/tetra.md 2500
docs/reference/view.md 2000'

every_page_keeps_its_budget_of_words() { # fast
    local page most words
    while read -r page most; do
        [ -n "$page" ] || continue
        words=$(awk '/^## / && FILENAME ~ /CHANGELOG/ && ++version > 1 { exit } { n += NF } END { print n + 0 }' "$SHOAL_SOURCE/$page")
        [ "$words" -le "$most" ] || fault "$page has $words words, and $most at most"
    done <<<"$budgets"
    for page in "$SHOAL_SOURCE"/*.md "$SHOAL_SOURCE"/docs/reference/*.md; do
        grep -q "^${page#"$SHOAL_SOURCE"/} " <<<"$budgets" || fault "${page#"$SHOAL_SOURCE"/} has a budget of words"
    done
}

# headings FILE: the anchors of its headings, as a browser of the repository makes them
headings() {
    awk '/^```/ { code = !code } /^#+ / && !code { sub(/^#+ /, ""); print tolower($0) }' "$1" |
        sed 's/[^[:alnum:]_ -]//g; s/ /-/g'
}

every_anchor_in_the_docs_is_a_heading() { # fast
    local file link target
    for file in "${documents[@]}"; do
        while read -r link; do
            target=$(dirname "$file")/${link%%#*}
            [ -n "${link%%#*}" ] || target=$file
            headings "$target" | grep -qxF -e "${link#*#}" || fault "${file#"$SHOAL_SOURCE"/} links to $link, which is a heading"
        done < <(grep -oE '\]\(([^)#:]*\.md)?#[^):]+\)' "$file" | sed 's/^](//; s/)$//')
    done
}

every_solver_has_a_page_of_one_shape() { # fast
    local name part last line
    for name in pbf sph flip grains porous tetra tetra-paper; do
        last=0
        for part in 'What it is' Equations 'Parameters that matter' 'What it cannot do' Figures; do
            line=$(grep -nxF "## $part" "$SHOAL_SOURCE/docs/reference/$name.md" | cut -d : -f 1) || true
            [ "${line:-0}" -gt "$last" ] || fault "docs/reference/$name.md has the part '$part' in its place"
            last=$line
        done
        [ "$(grep -c '^## ' "$SHOAL_SOURCE/docs/reference/$name.md")" = 5 ] || fault "docs/reference/$name.md has five parts"
        grep -qE '[|;(] ?20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9a-f]{7}' "$SHOAL_SOURCE/docs/measured/$name.md" ||
            fault "docs/measured/$name.md has rows with day and commit"
    done
}

# folders TREE: what its map must list
folders() { (cd "$1" && ls -d include/shoal src/*/ src/solvers/*/ apps/*/ tests/ bench/ cmake/ docs/ examples/ scenes/ script/) | sed 's,/$,,'; }

the_map_lists_every_folder_with_its_floor() { # fast
    local map folder floor name
    map=$(sed -n '/^## Map$/,/^## From/p' "$SHOAL_SOURCE/CONTRIBUTING.md")
    while read -r folder; do
        floor=$(sed -n "s,^${folder#src/} *\\([0-9]*\\)$,\\1,p" "$SHOAL_SOURCE/src/layers.txt")
        grep -qF "| \`$folder\` | $floor${floor:+ }|" <<<"$map" || fault "the map lists $folder with the floor '$floor'"
    done < <(folders "$SHOAL_SOURCE")
    while read -r folder; do
        [ -d "$SHOAL_SOURCE/$folder" ] || fault "$folder of the map is a folder"
    done < <(sed -n 's/^| `\([a-z/_]*\)` |.*/\1/p' <<<"$map")
    for name in "$SHOAL_SOURCE"/script/*; do
        grep -F '| `script` |' <<<"$map" | grep -qF "\`$(basename "$name")\`" || fault "the map names script/$(basename "$name")"
    done
    for name in "$SHOAL_SOURCE"/tests/*/; do
        name=tests/$(basename "$name")
        grep -qF "\`$name\`" "$SHOAL_SOURCE/CONTRIBUTING.md" || grep -qF "\`$name/" "$SHOAL_SOURCE/CONTRIBUTING.md" ||
            fault "CONTRIBUTING.md says what $name holds"
    done
}

every_file_that_contributing_names_is_there() { # fast
    local file
    while read -r file; do
        [ -n "$(compgen -G "$SHOAL_SOURCE/$file" || compgen -G "$SHOAL_SOURCE/src/$file" || compgen -G "$SHOAL_SOURCE/tests/$file" ||
            compgen -G "$SHOAL_SOURCE/src/solvers/*/$file" || compgen -G "$SHOAL_SOURCE/*/*/$file" || compgen -G "$SHOAL_SOURCE/*/$file")" ] ||
            fault "$file, named by CONTRIBUTING.md, is there"
    done < <(grep -oE '`[a-z_0-9/-]+\.(c|h|cu|txt|sh|bash|yaml|cmake)`' "$SHOAL_SOURCE/CONTRIBUTING.md" | tr -d '`' | sort -u)
}

the_page_of_a_solver_names_its_files() { # fast
    local page file
    for page in "$SHOAL_SOURCE"/src/solvers/{flip,grains,minimal,pbf,porous,sph,tetra,tetra_paper}/*.md; do
        for file in "$(dirname "$page")"/*.[ch] "$(dirname "$page")"/*.cu; do
            [ ! -e "$file" ] || grep -qF "\`$(basename "$file")\`" "$page" || fault "$(basename "$page") says what $(basename "$file") holds"
        done
        while read -r file; do
            [ -e "$(dirname "$page")/$file" ] || [ -e "$SHOAL_SOURCE/src/$file" ] || [ -e "$SHOAL_SOURCE/src/mac/$file" ] || [ -e "$SHOAL_SOURCE/src/granular/$file" ] ||
                fault "$file of $(basename "$page") is there"
        done < <(grep -oE '`[a-z_0-9/]+\.(c|h|cu)`' "$page" | tr -d '`')
    done
}

every_bench_is_in_the_docs() { # fast
    local name
    expect 0 bench --help
    for name in $(sed -n 's/^Cases: \(.*\)\.$/\1/p' stdout); do
        grep -qF "\`$name\`" "$SHOAL_SOURCE/docs/reference/speed.md" || fault "docs/reference/speed.md says what the bench $name is"
    done
}

# quoted_in FOLDER KNOWN: the names in back quotes in comments of its files that neither their code nor the file KNOWN has
quoted_in() {
    local files=() file
    for file in "$1"/*.[ch] "$1"/*.cu; do [ ! -e "$file" ] || files+=("$file"); done
    [ ${#files[@]} -gt 0 ] || return 0
    code_words "${files[@]}" | sort -u - "$2" >here
    for file in "${files[@]}"; do
        { grep -oE '//.*' "$file" || true; } | { grep -oE '`[A-Za-z_][^` ]*`' || true; } | tr -d '`' | sed "s,^,$file ,"
    done | awk 'NR == FNR { known[$1]; next }
        { n = split($2, w, /[^A-Za-z0-9_]+/); for (i = 1; i <= n; i++) if (w[i] ~ /^[A-Za-z_]/ && !(w[i] in known)) { print; break } }' here -
}
# code_words FILE...: the words of code, and of strings that are one word, but not of comments
code_words() { sed -E 's,//.*,,; s,"[^" ]* [^"]*",,g' "$@" | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u; }

every_name_in_back_quotes_of_a_comment_is_in_the_code_of_its_folder() { # fast
    local folder
    { code_words "$SHOAL_SOURCE"/include/shoal/*.h; grep -ohE '`[^`]+`' "$SHOAL_SOURCE"/docs/reference/*.md | grep -oE '[A-Za-z_][A-Za-z0-9_]*'; } | sort -u >public
    while read -r folder; do quoted_in "$folder" public; done < <(find "$SHOAL_SOURCE/src" -type d) >stdout
    [ ! -s stdout ] || fault 'comments name what is there'
    mkdir some
    printf '// of `count` and `room`, as `melt: 1`; not of shoal check\nint count; // `gone_by`\n' >some/some.c
    echo melt >public
    quoted_in some public >found
    [ "$(paste -sd ' ' found)" = 'some/some.c room some/some.c gone_by' ] || fault 'names that are gone are found, words of scenes are not'
}

"$1"
