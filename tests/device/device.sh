#!/usr/bin/env bash
# The passes as other compilers see them: C++17, and device code of CUDA by clang alone, without CUDA's headers and libraries. The
# shim has what a pass may call of the library; there is no other function for a device.
#   device.sh TEST      with SHOAL_SOURCE set
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
here=$SHOAL_SOURCE/tests/device
skipped=77
folders=(-I "$SHOAL_SOURCE/include" -I "$SHOAL_SOURCE/src" -I "$SHOAL_SOURCE/tests")

for_a_device() { # FILE: writes $scratch/out
    command -v clang++ >/dev/null || exit $skipped
    clang++ -x cuda -std=c++17 --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 -Wno-unknown-cuda-version -ffp-contract=off \
        -D__CUDACC__ -D__host__='__attribute__((host))' -D__device__='__attribute__((device))' \
        -D__forceinline__=inline "-D__noinline__=__attribute__((noinline))" -I "$here/shim" "${folders[@]}" -S -o "$scratch/out" "$1"
}

every_pass_compiles_as_cpp17() { # fast
    command -v g++ >/dev/null || exit $skipped
    g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -Wno-unused-function -fsyntax-only "${folders[@]}" "$here/passes.cpp"
}

every_pass_compiles_for_a_device() { # fast
    for_a_device "$here/passes.cu"
    # as many kernels as passes, of each solver some, and none that calls what is not there
    for solver in minimal grid halo thick set pbf water boundary load porous pool pore grains among drag screen surface; do
        grep -q "entry.*${solver}_does_" "$scratch/out" || { echo "no pass of $solver"; exit 1; }
    done
    ! grep '^\.extern .func' "$scratch/out"
}

a_pass_that_calls_the_library_does_not_compile() { # fast
    local call
    pass() { # EXPRESSION
        printf '#include <stdio.h>\n#include <stdlib.h>\n#include "base/memory.h"\n#include "math/power.h"\n#include "device/kernel.h"\n'
        printf 'SHOAL_FN void one(const float* v, int i) { float x = v[i]; (void)x; (void)(%s); }\nPASS(some, float, one)\n' "$1"
    }
    for call in 'expf(x)' 'pow(x, 2.5)' 'printf("x")' 'malloc(8)' 'shoal_alloc(1, 1)'; do
        pass "$call" >"$scratch/wrong.cu"
        if for_a_device "$scratch/wrong.cu" 2>/dev/null; then
            echo "$call was taken"
            exit 1
        fi
    done
    pass 'sqrtf(x) + shoal_power(x, 2.5)' >"$scratch/right.cu"
    for_a_device "$scratch/right.cu"
}

# What wide passes and passes by blocks call besides: no function of the library whose bits differ from machine to machine.
no_pass_calls_more_of_the_library_than_roots_and_floors() { # fast
    cd "$SHOAL_SOURCE/src"
    local names='(a?(sin|cos|tan)h?|atan2|exp[2m]?1?|log(2|10|1p|b)?|pow|cbrt|hypot|fma|fmod|remainder|[lt]?gamma|erfc?|round|rint|nearbyint|trunc|ceil)[fl]?'
    local found
    found=$(find base exec math geom grid state fluid mac granular screen solvers surface/surface_far_pass.h surface/surface_shape_pass.h -name '*_pass.h' -o -name '*_wide.c' -o -name drag.h -o -name '*_pairs.h' -o -name num_pair.h -o -name walk.h -o -name power.h -o -name num.h -o -name wide.h -o -name tape.h -o -name solids.h -o -name boundary.h -o -name world.h |
        xargs grep -nE "(^|[^a-zA-Z0-9_.>])$names\(" | grep -vE '^[^:]*:[0-9]*: *//' | grep -v SHOAL_HOST_FN || true)
    [ -z "$found" ] || { echo "$found"; exit 1; }
}

# Of the plugin, where nvcc has built it (SHOAL_CUDA_DIR): the bits of the CPU need products and sums apart.
no_kernel_contracts_products_and_sums() { # fast
    local ptx found=0
    [ -d "${SHOAL_CUDA_DIR-}" ] || { echo "no nvcc, no kernels"; exit $skipped; }
    for ptx in "$SHOAL_CUDA_DIR"/*/*.ptx; do
        [ -e "$ptx" ] || { echo "the kernels are not built"; exit $skipped; }
        ! grep -nE '\bfma\.|\.ftz|\bapprox' "$ptx" | head -3 | grep . || { echo "$ptx"; exit 1; }
        found=$((found + $(grep -c '\.entry' "$ptx" || true)))
    done
    [ $found -gt 40 ] || { echo "only $found kernels"; exit 1; }
}

# Registers and spilled bytes of the kernels that walk over neighbours, by tests/device/registers.txt: what costs speed is seen without
# a card.
no_kernel_takes_more_registers_than_it_may() { # fast
    local name most spilled taken spills log
    [ -d "${SHOAL_CUDA_DIR-}" ] || { echo "no nvcc, no kernels"; exit $skipped; }
    cat "$SHOAL_CUDA_DIR"/*.log >"$scratch/logs" 2>/dev/null || { echo "the kernels are not built"; exit $skipped; }
    grep -qs 'release 13\.0' "$SHOAL_CUDA_DIR"/*/*.ptx || { echo "the table is that of nvcc 13.0"; exit $skipped; }
    while read -r name most spilled; do
        case $name in '#'* | '') continue ;; esac
        log=$(grep -A3 "Compiling entry function '[^']*$name[^']*' for 'sm_90'" "$scratch/logs") || { echo "no kernel $name"; exit 1; }
        taken=$(sed -nE 's/.*Used ([0-9]+) registers.*/\1/p' <<<"$log" | sort -n | tail -1)
        spills=$(sed -nE 's/.* ([0-9]+) bytes spill stores.*/\1/p' <<<"$log" | sort -n | tail -1)
        echo "$name: $taken registers, $spills bytes spilled"
        [ "$taken" -le "$most" ] && [ "$spills" -le "$spilled" ] || { echo "$most and $spilled are allowed"; exit 1; }
    done <"$here/registers.txt"
}

# What is taken for stacks when a card is opened, and none has a larger one: else memory runs out in the middle of a run.
no_kernel_has_a_larger_stack_than_is_taken() { # fast
    local taken most
    cat "${SHOAL_CUDA_DIR-}"/*.log >"$scratch/logs" 2>/dev/null || { echo "no nvcc, no kernels"; exit $skipped; }
    taken=$(sed -nE 's/.*STACK_MOST = ([0-9]+).*/\1/p' "$SHOAL_SOURCE/src/exec/device_cuda.cu")
    most=$(sed -nE 's/.* ([0-9]+) bytes stack frame.*/\1/p' <(grep -v stretch "$scratch/logs") | sort -n | tail -1)
    echo "$most bytes at most, $taken are taken"
    [ "$most" -le "$taken" ] && [ $((most + 256)) -ge "$taken" ]
}

# A kernel that comes early and does not wait would read what the one before is still to write.
every_kernel_that_comes_early_waits() { # fast
    local name
    ls "${SHOAL_CUDA_DIR-}"/*/*compute_90.ptx >/dev/null 2>&1 || { echo "no nvcc, no kernels"; exit $skipped; }
    awk '/\.entry/ { name = $0; waits = 0 } /griddepcontrol\.wait/ { waits = 1 } /^}/ && name { print name, waits; name = "" }' \
        "$SHOAL_CUDA_DIR"/*/*compute_90.ptx >"$scratch/entries"
    for name in $(grep -ohE 'cuda_start\([a-z_]+[,<]' "$SHOAL_SOURCE"/src/*/*.cu "$SHOAL_SOURCE"/src/*/*/*.cu | sed -E 's/cuda_start\((.*)[,<]/\1/' | sort -u) predict_kernel; do # the last is one that CUDA_PASS makes
        grep -q "[0-9]$name" "$scratch/entries" || { echo "no kernel $name"; exit 1; }
        ! grep "[0-9]$name.* 0$" "$scratch/entries" || { echo "it does not wait"; exit 1; }
    done
}

# What SHOAL_CUDA does where there is no nvcc; told by CMake before anything is built.
without_nvcc_the_plugin_is_left_out_or_asked_for() { # fast
    local cuda
    command -v cmake >/dev/null || { echo "no cmake"; exit $skipped; }
    configure() {
        env -u CUDA_PATH PATH=/usr/bin:/bin cmake -DSHOAL_CUDA="$1" -DCMAKE_IGNORE_PATH=/usr/local/cuda/bin -P "$SHOAL_SOURCE/cmake/cuda.cmake" 2>&1 | tr -s ' \n' ' '
    }
    for cuda in AUTO OFF; do [ -z "$(configure $cuda)" ] || { configure $cuda; exit 1; }; done
    grep -q 'SHOAL_CUDA=ON, and nvcc was not found; -DSHOAL_NVCC=PATH says where it is, SHOAL_CUDA=OFF does without' <<<"$(configure ON)"
    grep -q 'SHOAL_CUDA=MAYBE; it may be AUTO, ON or OFF' <<<"$(configure MAYBE)"
}

"$1"
