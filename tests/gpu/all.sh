#!/usr/bin/env bash
# All that a card is asked, in one go, from the root of the tree: bits of the CPU, pictures, speed, the viewer, and a memory and a
# race checker where compute-sanitizer is there. Ends with the number of parts that failed. How long: docs/reference/device.md.
#   all.sh GPU [--largest]     GPU: the program of tests/gpu; --largest: and a hundred million particles, two minutes more
set -uo pipefail
gpu=$1
largest=()
[ "${2-}" = --largest ] && largest=(464)
failed=0
began=$SECONDS
part() {
    local name=$1 from=$SECONDS code=0
    shift
    "$@" || code=$?
    echo "--- $name: $([ $code = 0 ] && echo well || echo "FAILED ($code)"), $((SECONDS - from)) s"
    [ $code = 0 ] || failed=$((failed + 1))
}
checker=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
part "the same bits" "$gpu" same tests/gpu/scenes.txt scenes
part "the same pictures" "$gpu" pictures tests/gpu/pictures.txt scenes
part "speed" "$gpu" bench 22 50 100 215 "${largest[@]}" wcsph:50 pcisph:50 dfsph:50 wcsph:100 dfsph:100 dfsph:160 wcsph:215 grains:22 grains:50 grains:100 damp:100
part "the viewer" "$gpu" watch scenes
for tool in memcheck racecheck; do
    if [ -z "$checker" ]; then
        echo "--- $tool: there is no compute-sanitizer, so it is not run"
        continue
    fi
    part "$tool" "$checker" --tool $tool --error-exitcode 9 "$gpu" same tests/gpu/checked.txt scenes 1
    part "$tool of pictures" "$checker" --tool $tool --error-exitcode 9 "$gpu" pictures tests/gpu/checked-pictures.txt scenes
done
echo "$failed parts failed, $((SECONDS - began)) s in all"
exit $failed
