# For the scripts beside it: a scratch folder to stand in, a small scene, and expectations.
# SHOAL_BINARY is the program, SHOAL_SOURCE the tree.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# 125 particles, 10 frames
cat >small.yaml <<'YAML'
name: small
spacing: 0.1
frames: 10
fps: 60
domain: {min: [0, 0, 0], max: [1, 1, 1]}
bodies:
  - {material: water, box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}}
probes:
  - {name: front, kind: front, axis: x}
pbf: {substeps: 2, iterations: 3}
output: {checkpoint: 4}
YAML

fault() {
    echo "not so: $*"
    echo "--- stdout"; cat stdout
    echo "--- stderr"; cat stderr
    exit 1
}

# expect CODE WORD...: runs shoal WORD..., keeping what it says in ./stdout and ./stderr
expect() {
    local code=$1 got=0
    shift
    said="shoal $*"
    "$SHOAL_BINARY" "$@" >stdout 2>stderr </dev/null || got=$?
    [ "$got" = "$code" ] || fault "$said exits with $code (was $got)"
}

# runs NAME CODE WORD...: script/NAME WORD... in the same way
runs() {
    local name=$1 code=$2 got=0
    shift 2
    said="script/$name $*"
    "$SHOAL_SOURCE/script/$name" "$@" >stdout 2>stderr </dev/null || got=$?
    [ "$got" = "$code" ] || fault "$said exits with $code (was $got)"
}

# tables TEXT: it is in the file $table
tables() { grep -qF -- "$1" "$table" || fault "the table has $1"; }

# without_checksums FILE: a frame as other programs write it
without_checksums() { LC_ALL=C sed -i 's/ checksum="[0-9a-f]*"//' "$1"; }

says() { grep -Eq -- "$1" stdout || fault "$said says $1"; }
says_not() { ! grep -Eq -- "$1" stdout || fault "$said says nothing like $1"; }
warns() { grep -Eq -- "$1" stderr || fault "$said says $1 on stderr"; }
is_silent() { [ ! -s "$1" ] || fault "$said leaves $1 empty"; }
holds() { [ -e "$1" ] || fault "$said makes $1"; }
lacks() { [ ! -e "$1" ] || fault "$said does not make $1"; }
rows() { [ "$(wc -l <"$1")" = "$2" ] || fault "$1 has $2 lines"; }

# Every line is one JSON object: braces and quotes outside strings balance, nothing follows.
is_json_lines() {
    awk '
        {
            text = $0
            gsub(/\\\\/, "", text); gsub(/\\"/, "", text); gsub(/"[^"]*"/, "0", text)
            gsub(/(true|false|null)/, "0", text); gsub(/-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/, "0", text)
            gsub(/[ \t]/, "", text)
            while (gsub(/\{(0:0(,0:0)*)?\}/, "0", text) || gsub(/\[(0(,0)*)?\]/, "0", text)) {}
            if ($0 !~ /^\{.*\}$/ || text != "0") { print "line " NR ": " $0; bad = 1 }
        }
        END { exit bad || NR == 0 }' "$1" || fault "$1 is one JSON object per line"
}

# parting.yaml: two lumps of water part at 100 km/s through an open wall; no grid of cells spans them
parting_scene() {
    cat >parting.yaml <<'YAML'
spacing: 0.1
frames: 10
fps: 0.1
gravity: [0, 0, 0]
domain: {min: [0, 0, 0], max: [1000000, 1, 1], walls: {right: open}}
bodies:
  - {material: water, box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}}
  - {material: water, box: {min: [1, 0, 0], max: [1.5, 0.5, 0.5]}, velocity: [100000, 0, 0]}
pbf: {substeps: 1}
YAML
}

# same_for_threads COMMAND FOLDER ENDING: the files that it makes of a run have the same bytes on one and two threads
same_for_threads() {
    local file
    expect 0 "$1" made --threads 1
    mv "made/$2" one
    expect 0 "$1" made --threads 2
    for file in one/*."$3"; do cmp "$file" "made/$2/$(basename "$file")" || fault 'threads change nothing'; done
}
