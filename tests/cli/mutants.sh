#!/usr/bin/env bash
# script/mutants on a toy project of one function and one test; and its lists against the code.
#   mutants.sh TEST      with SHOAL_BINARY and SHOAL_SOURCE set
source "$(dirname "$0")/cli.bash"
export SHOAL_MUTANTS_SOURCE=$PWD/toy SHOAL_MUTANTS_FOLDER=$PWD/found
table=found/mutants.md

mutants() { runs mutants "$@"; }
has() { tables "$@"; }

# A project that adds, and a program of two tests, of which one looks at 2 + 2 only; a parameter that the other reads, and
# one that none does. It does without cmocka, but a line names its tests as cmocka's would.
toy() {
    mkdir -p toy/src/solvers/pbf toy/src/param toy/include toy/tests/mutants toy/scenes toy/cmake
    cat >toy/CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES C)
enable_testing()
add_library(toy src/param/param.c src/add.c)
add_subdirectory(tests)
TEXT
    cat >toy/tests/CMakeLists.txt <<'TEXT'
function(toy_test name)
    add_executable(${name} ${name}.c)
    target_link_libraries(${name} PRIVATE toy)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS fast)
endfunction()
toy_test(test_toy)
TEXT
    cat >toy/src/solvers/pbf/pbf_params.h <<'TEXT'
#define PBF_PARAMS(X, S) \
    X(S, first,  INT,  2, 0, 9, "", "is looked at") \
    X(S, second, INT,  2, 0, 9, "", "is not")
TEXT
    cat >toy/src/param/param.c <<'TEXT'
#include <string.h>
typedef struct shoal_param_def { const char* name; int offset; double value; } shoal_param_def;
const shoal_param_def pbf_params_table[] = {{"first", 0, 2}, {"second", 1, 2}, {0, 0, 0}};
static void store(const shoal_param_def* def, void* params, int component, double value) {
    ((double*)params)[def->offset + component] = value;
}
void set(double* params, int k, double value) { store(&pbf_params_table[k], params, 0, value); }
TEXT
    echo 'int add(int a, int b) { return a + b; }' >toy/src/add.c
    cat >toy/tests/test_toy.c <<'TEXT'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int  add(int, int);
void set(double*, int, double);
// cmocka_unit_test(sums_are_right), cmocka_unit_test(parameters_are_kept)
static int check(const char* name, int is_right) {
    const char* asked = getenv("SHOAL_TEST");
    if (is_right || (asked && strcmp(asked, name))) return 0;
    printf("[  FAILED  ] %s\n", name);
    return 1;
}
int main(void) {
    double params[2];
    set(params, 0, 5);
    set(params, 1, 5);
    return check("parameters_are_kept", params[0] == 5) + check("sums_are_right", add(2, 2) == 4);
}
TEXT
    cat >toy/tests/mutants/pbf.txt <<'TEXT'
tests: ^test_toy$

sums are differences
src/add.c
- return a + b;
+ return a - b;

sums are products
src/add.c
- return a + b;
+ return a * b;
TEXT
}

what_no_test_sees_survives() { # fast
    toy
    mutants 1 pbf
    says '^4 mutants, 2 not seen$'
    has '| pbf | the parameter first does nothing | test_toy: parameters_are_kept |'
    has '| pbf | the parameter second does nothing | **survived** |'
    has '| pbf | sums are differences | test_toy: sums_are_right |'
    has '| pbf | sums are products | **survived** |'
    grep -qE '^\| pbf \| 4 \| 2 \| 50 % \|' "$table" || fault 'the table tells how many'
    mutants 1 pbf
    says_not '1 of 4' # done before, of this very code
    sed -i 's/add(2, 2) == 4/add(2, 3) == 5/; s/params\[0\] == 5/params[0] == 5 \&\& params[1] == 5/' toy/tests/test_toy.c
    mutants 0 --survivors pbf
    says '^2 mutants, 0 not seen$'
    has '| pbf | sums are products | test_toy: sums_are_right |'
    has '| pbf | sums are differences | test_toy: sums_are_right |'
    sed -i '/sums are products/d' "$table"
    mutants 0 --missing pbf
    says '^1 mutants, 0 not seen$'
    has '| pbf | sums are products | test_toy: sums_are_right |'
}

a_new_test_is_shown_only_to_what_survived() { # fast
    toy
    mutants 1 pbf
    echo 'toy_test(test_more)' >>toy/tests/CMakeLists.txt
    sed -i 's/^tests: .*/tests: ^test_.*$/' toy/tests/mutants/pbf.txt
    echo 'int add(int, int); int main(void) { return add(2, 3) != 5; }' >toy/tests/test_more.c
    mutants 1 pbf
    says '^4 of 4: pbf, sums are products: seen by test_more: \*$'
    says_not '^3 of 4'
}

what_does_not_end_is_not_seen() { # fast
    toy
    cat >>toy/tests/mutants/pbf.txt <<'TEXT'

sums do not end
src/add.c
- { return a + b; }
+ { for (volatile int k = 0; k < 1; k += 0) a += b; return a; }
TEXT
    SHOAL_MUTANTS_PATIENCE=1 mutants 1 pbf
    says '^5 mutants, 3 not seen$'
    has '| pbf | sums do not end | **out of time in test_toy: *** |'
}

a_mutant_that_does_not_fit_is_named() { # fast
    toy
    sed -i 's/return a + b;$/return b + a;/' toy/tests/mutants/pbf.txt
    mutants 1 --check pbf
    says "sums are products: 'return b \+ a;' is 0 times in src/add.c"
    mutants 2 pfb
    warns "there is no solver 'pfb'"
    mutants 0 --help
    says 'usage: script/mutants'
}

mutants_fit_the_code() { # fast
    unset SHOAL_MUTANTS_SOURCE SHOAL_MUTANTS_FOLDER
    mutants 0 --check
}

"$1"
