#!/usr/bin/env bash
# shoal plot: charts of a run, and tables that are not what they should be.
#   plot.sh TEST      with SHOAL_BINARY and SHOAL_SOURCE set
source "$(dirname "$0")/cli.bash"

a_run() { expect 0 run small.yaml -o made --frames 6 --quiet; }

is_png() { [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fault "$1 is a PNG"; }

plot_draws_each_chart_as_svg_and_png_the_same_each_time() { # fast
    a_run
    expect 0 plot made
    says '^made/plots/energy\.svg$'
    says '^16 files$'
    local name
    for name in energy density-error volume step-time motion momentum solver probe-front; do
        is_png made/plots/$name.png
        head -1 made/plots/$name.svg | grep -q '^<svg ' || fault "$name.svg begins as SVG"
        tail -1 made/plots/$name.svg | grep -qx '</svg>' || fault "$name.svg ends as SVG"
        if command -v xmllint >/dev/null; then xmllint --noout made/plots/$name.svg || fault "$name.svg is XML"; fi
    done
    grep -q '>energy (kJ)<\|>energy (J)<' made/plots/energy.svg || fault 'the axis has its unit'
    grep -q '>front (m)<' made/plots/probe-front.svg || fault 'a probe has its kind and unit'
    grep -q '>small · pbf · 125 particles · spacing 0.1 m<' made/plots/energy.svg || fault 'the note says what ran'
    mv made/plots first
    expect 0 plot made --quiet
    is_silent stdout
    diff -r first made/plots >stdout || fault 'both plots are the same'
}

plot_lays_measured_points_over_the_curves() { # fast
    a_run
    printf '# by hand\ntime_s,front,kinetic_j\n0.02,0.5,\n0.05,0.52,3\n' >tank.csv
    expect 0 plot made --points tank.csv
    grep -q '>tank<' made/plots/probe-front.svg || fault 'the legend names the file'
    grep -q '>tank, kinetic<' made/plots/energy.svg || fault 'the legend names the file and the line'
    [ "$(grep -c '<polygon' made/plots/probe-front.svg)" = 6 ] || fault 'two points and one in the legend, rim and inside'
    [ "$(grep -c '<polygon' made/plots/energy.svg)" = 4 ] || fault 'an empty cell is no point'
}

plot_refuses_points_that_fit_nothing() { # fast
    a_run
    printf 'time_s,frnt\n0,1\n' >near.csv
    expect 2 plot made --points near.csv
    warns 'near\.csv: column frnt is neither a probe .*did you mean front\?'
    printf 'front\n1\n' >timeless.csv
    expect 2 plot made --points timeless.csv
    warns 'timeless\.csv: has no column time_s'
    printf 'time_s,front\n0,1\n0.1,far\n' >words.csv
    expect 2 plot made --points words.csv
    warns 'words\.csv:3: "far" in column front is not a number'
    expect 2 plot made --points none.csv
    warns 'none\.csv: No such file'
}

plot_tells_water_and_sand() { # fast
    printf '%s\n' 'solver: grains' 'spacing: 0.1' 'frames: 3' 'domain: {max: [0.4, 1, 0.4]}' \
        'bodies:' '  - {material: sand, box: {min: [0, 0, 0], max: [0.4, 0.4, 0.4]}}' \
        '  - {material: water, box: {min: [0.1, 0.4, 0.1], max: [0.3, 0.6, 0.3]}, velocity: [0, -2, 0]}' >sand.yaml
    expect 0 run sand.yaml -o wet --quiet
    expect 0 plot wet --quiet
    grep -q '>in grains<' wet/plots/water.svg || fault 'water has its lines'
    grep -q '>springs<' wet/plots/energy.svg || fault 'springs are among the energies'
    # 64 grains of 1 l, 64 water particles of an eighth: 72 l, not 128
    grep -q '>0.08<' wet/plots/volume.svg && ! grep -q '>0.1<' wet/plots/volume.svg || fault 'water is finer than grains'
    expect 0 run sand.yaml -o dry --quiet --set 'bodies=[{material: sand, box: {min: [0, 0, 0], max: [0.4, 0.4, 0.4]}}]'
    expect 0 plot dry --quiet
    lacks dry/plots/water.svg
}

plot_tells_what_is_wrong_with_a_table() { # fast
    a_run
    echo '7,0.1' >>made/stats.csv
    expect 2 plot made
    warns 'made/stats\.csv:9: 2 cells, the head has [0-9]+'
    expect 2 plot nowhere
    warns 'nowhere: no such folder'
    mkdir empty
    expect 2 plot empty
    warns 'empty: holds neither stats\.csv nor probes\.csv'
}

plot_needs_no_run_json() { # fast
    a_run
    rm made/run.json
    expect 0 plot made --quiet
    grep -q '>front<' made/plots/probe-front.svg || fault 'without run.json a probe has its name and no unit'
    lacks made/plots/volume.svg
}

plot_says_when_it_cannot_write() { # fast
    a_run
    : >made/plots
    expect 4 plot made
    warns 'made/plots: the folder cannot be made'
}

plot_takes_several_folders_and_tells_those_it_cannot_draw() { # fast
    a_run
    cp -r made other
    expect 0 plot made other --quiet
    holds made/plots/energy.svg
    holds other/plots/energy.svg
    rm -r made/plots
    expect 2 plot nowhere made --quiet
    warns 'nowhere'
    holds made/plots/energy.svg
}

"$1"
