// SPDX-License-Identifier: MIT
// Sparse matrices and conjugate gradients: against exact solutions, with what is held, and the same
// bits on any number of threads.
#include "unit/check.h"

#include "base/hash.h"
#include "linalg/cg.h"
#include "math/power.h"

// Nodes of a cube joined to their six neighbours by conductances from 0.01 to 1, each with a little
// to the ground.
static shoal_csr cube_of(int n, double ground) {
    int       rows = n * n * n, *lengths = shoal_alloc((size_t)rows, sizeof *lengths);
    shoal_csr m       = {0};
    const int step[3] = {1, n, n * n};
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) CHECK_OK(shoal_csr_shape(&m, rows, lengths));
        for (int i = 0; i < rows; i++) {
            const int at[3] = {i % n, i / n % n, i / n / n};
            int64_t   k     = pass == 1 ? m.start[i] : 0;
            double    sum   = ground;
            int       count = 1;
            for (int side = 0; side < 6; side++) {
                int axis = side / 2, to = at[axis] + (side % 2 ? 1 : -1), j = i + (side % 2 ? step[axis] : -step[axis]);
                if (to < 0 || to >= n) continue;
                count++;
                if (pass == 0) continue;
                double joint = shoal_exp(-4.6 * shoal_random(3, (uint64_t)axis, (uint64_t)(i < j ? i : j)));
                m.column[k] = j, m.value[k++] = -joint;
                sum += joint;
            }
            if (pass == 1) m.column[k] = i, m.value[k] = sum;
            lengths[i] = count;
        }
    }
    shoal_free(lengths);
    return m;
}

static double* field_of(int rows, uint64_t stream) {
    double* x = shoal_alloc((size_t)rows, sizeof *x);
    for (int i = 0; i < rows; i++) x[i] = 2.0 * shoal_random(5, stream, (uint64_t)i) - 1.0;
    return x;
}

static double farthest(const double* a, const double* b, int rows) {
    double most = 0.0;
    for (int i = 0; i < rows; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static const shoal_exec one = {.threads = 1}, three = {.threads = 3};

static void a_product_is_the_sum_over_rows(void** state) {
    (void)state;
    shoal_csr m = cube_of(5, 0.1);
    double *  x = field_of(m.rows, 1), *y = field_of(m.rows, 2);
    assert_true(shoal_csr_skew(&m) == 0.0);
    shoal_csr_times(&m, &three, x, y);
    for (int i = 0; i < m.rows; i++) {
        double sum = 0.0;
        for (int j = 0; j < m.rows; j++) sum += shoal_csr_at(&m, i, j) * x[j];
        CHECK_NEAR(y[i], sum, 1e-14);
    }
    shoal_free(x);
    shoal_free(y);
    shoal_csr_free(&m);
}

static void a_known_solution_is_found(void** state) {
    (void)state;
    shoal_csr    m     = cube_of(12, 1e-3);
    double *     exact = field_of(m.rows, 1), *b = field_of(m.rows, 2), *x = shoal_alloc((size_t)m.rows, sizeof *x);
    shoal_cg     cg = {0};
    shoal_cg_end end;
    shoal_csr_times(&m, &one, exact, b);
    CHECK_OK(shoal_cg_solve(&cg, &three, &m, b, x, &(shoal_cg_def){1e-12, 1000, NULL, NULL, NULL}, &end));
    printf("%d unknowns: %d iterations to %.1e\n", m.rows, end.iterations, end.residual);
    int tight = end.iterations;
    assert_true(end.is_solved && tight > 10 && tight < 200);
    CHECK_BELOW(farthest(x, exact, m.rows), 1e-8);

    // with the solution to begin with there is nothing to do; a loose tolerance takes less
    CHECK_OK(shoal_cg_solve(&cg, &three, &m, b, exact, &(shoal_cg_def){1e-12, 1000, NULL, NULL, NULL}, &end));
    assert_true(end.is_solved && end.iterations == 0);
    memset(x, 0, (size_t)m.rows * sizeof *x);
    CHECK_OK(shoal_cg_solve(&cg, &three, &m, b, x, &(shoal_cg_def){1e-3, 1000, NULL, NULL, NULL}, &end));
    assert_true(end.is_solved && end.iterations < tight && end.residual <= 1e-3);
    CHECK_OK(shoal_cg_solve(&cg, &three, &m, b, x, &(shoal_cg_def){1e-14, 2, NULL, NULL, NULL}, &end));
    assert_true(!end.is_solved && end.iterations == 2);
    shoal_cg_free(&cg);
    shoal_free(exact);
    shoal_free(b);
    shoal_free(x);
    shoal_csr_free(&m);
}

// A wire whose ends are held at 0 and 1: what flows is the same everywhere, and the potential is
// linear.
static void held_values_are_known_to_the_others(void** state) {
    (void)state;
    enum { NODES = 101 };
    int       lengths[NODES];
    shoal_csr m = {0};
    for (int i = 0; i < NODES; i++) lengths[i] = i == 0 || i == NODES - 1 ? 2 : 3;
    CHECK_OK(shoal_csr_shape(&m, NODES, lengths));
    for (int i = 0; i < NODES; i++) {
        int64_t k = m.start[i];
        if (i > 0) m.column[k] = i - 1, m.value[k++] = -1.0;
        if (i < NODES - 1) m.column[k] = i + 1, m.value[k++] = -1.0;
        m.column[k] = i, m.value[k] = lengths[i] - 1;
    }
    double       b[NODES] = {0}, x[NODES] = {0};
    uint8_t      held[NODES] = {0};
    shoal_cg     cg          = {0};
    shoal_cg_end end;
    held[0] = held[NODES - 1] = 1, x[NODES - 1] = 1.0;
    CHECK_OK(shoal_cg_solve(&cg, &three, &m, b, x, &(shoal_cg_def){1e-10, 1000, held, NULL, NULL}, &end));
    assert_true(end.is_solved && x[0] == 0.0 && x[NODES - 1] == 1.0);
    for (int i = 0; i < NODES; i++) CHECK_NEAR(x[i], i / (NODES - 1.0), 1e-8);

    // nothing pulls: all are zero, whatever was there before
    x[NODES - 1] = 0.0;
    CHECK_OK(shoal_cg_solve(&cg, &three, &m, b, x, &(shoal_cg_def){1e-10, 1000, held, NULL, NULL}, &end));
    assert_true(end.is_solved && end.iterations == 0 && x[50] == 0.0);
    shoal_cg_free(&cg);
    shoal_csr_free(&m);
}

static void a_matrix_with_a_negative_eigenvalue_is_not_solved(void** state) {
    (void)state;
    const int    lengths[] = {2, 2, 0};
    double       b[] = {1.0, -1.0, 3.0}, x[] = {0.0, 0.0, 7.0};
    shoal_csr    m  = {0};
    shoal_cg     cg = {0};
    shoal_cg_end end;
    CHECK_OK(shoal_csr_shape(&m, 3, lengths));
    const int    columns[] = {0, 1, 0, 1};
    const double values[]  = {1.0, 2.0, 2.0, 1.0};
    memcpy(m.column, columns, sizeof columns);
    memcpy(m.value, values, sizeof values);
    CHECK_OK(shoal_cg_solve(&cg, &one, &m, b, x, &(shoal_cg_def){1e-10, 100, NULL, NULL, NULL}, &end));
    assert_false(end.is_solved);
    assert_true(x[2] == 7.0); // has no row
    b[0] = (double)NAN;
    CHECK_OK(shoal_cg_solve(&cg, &one, &m, b, x, &(shoal_cg_def){1e-10, 100, NULL, NULL, NULL}, &end));
    assert_false(end.is_solved);
    CHECK_OK(shoal_csr_shape(&m, 0, NULL));
    CHECK_OK(shoal_cg_solve(&cg, &one, &m, b, x, &(shoal_cg_def){1e-10, 100, NULL, NULL, NULL}, &end));
    assert_true(end.is_solved);
    shoal_cg_free(&cg);
    shoal_csr_free(&m);
}

static void any_number_of_threads_finds_the_same_bits(void** state) {
    (void)state;
    shoal_csr m = cube_of(20, 1e-4);
    double*   b = field_of(m.rows, 2);
    uint64_t  hash[4];
    for (int k = 0; k < 4; k++) {
        shoal_exec   exec = {.threads = k + 1};
        shoal_cg     cg   = {0};
        double*      x    = shoal_alloc((size_t)m.rows, sizeof *x);
        shoal_cg_end end;
        CHECK_OK(shoal_cg_solve(&cg, &exec, &m, b, x, &(shoal_cg_def){1e-6, 1000, NULL, NULL, NULL}, &end));
        assert_true(end.is_solved);
        hash[k] = shoal_hash(x, (size_t)m.rows * sizeof *x, (uint64_t)end.iterations);
        assert_true(hash[k] == hash[0]);
        shoal_cg_free(&cg);
        shoal_free(x);
    }
    shoal_free(b);
    shoal_csr_free(&m);
}

static void aggregation_hardly_needs_more_iterations_for_more_unknowns(void** state) {
    (void)state;
    int jacobi[2], preconditioned[2];
    for (int k = 0; k < 2; k++) {
        shoal_csr    m = cube_of(k == 0 ? 12 : 36, 0.0); // without a ground: the mean is free
        double *     b = field_of(m.rows, 1), *x = field_of(m.rows, 2), *y = field_of(m.rows, 2), mean = 0.0;
        shoal_cg     cg  = {0};
        shoal_amg*   amg = NULL;
        shoal_cg_end end;
        for (int i = 0; i < m.rows; i++) mean += b[i] / m.rows;
        for (int i = 0; i < m.rows; i++) b[i] -= mean;
        CHECK_OK(shoal_cg_solve(&cg, &three, &m, b, x, &(shoal_cg_def){1e-8, 1000, NULL, NULL, NULL}, &end));
        jacobi[k] = end.iterations;
        CHECK_OK(shoal_amg_setup(&amg, &three, &m, NULL));
        CHECK_OK(shoal_cg_solve(&cg, &three, &m, b, y, &(shoal_cg_def){1e-8, 1000, NULL, shoal_amg_apply, amg}, &end));
        preconditioned[k] = end.iterations;
        assert_true(end.is_solved);
        print_message("%d unknowns: %d iterations by Jacobi, %d by aggregation of %d levels, complexity %.2f\n", m.rows,
                      jacobi[k], preconditioned[k], shoal_amg_levels(amg), shoal_amg_complexity(amg));
        assert_true(shoal_amg_complexity(amg) < 2.5);
        double off = x[0] - y[0], most = 0.0; // but for the mean
        for (int i = 0; i < m.rows; i++) most = fmax(most, fabs(x[i] - y[i] - off));
        assert_true(most < 1e-4);
        shoal_amg_free(amg);
        shoal_cg_free(&cg);
        shoal_csr_free(&m);
        shoal_free(b);
        shoal_free(x);
        shoal_free(y);
    }
    assert_true(preconditioned[1] <= preconditioned[0] + 6 && 4 * preconditioned[1] < jacobi[1]);
}

// Of a cube of 12 and 30 unknowns along its edge, some of them held: full cycles of greedy multigrid come to the same
// as plain conjugate gradients.
static void greedy_multigrid_solves(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        shoal_csr m = cube_of(k == 0 ? 12 : 30, 0.0);
        double *  b = field_of(m.rows, 1), *x = field_of(m.rows, 2), *z = field_of(m.rows, 4);
        uint8_t*  held = shoal_alloc((size_t)m.rows, 1);
        for (int i = 0; i < m.rows; i++) {
            held[i] = i % 37 == 0;
            if (held[i]) x[i] = z[i] = 0.0;
        }
        shoal_cg      cg  = {0};
        shoal_amg*    amg = NULL;
        shoal_cg_end  plain;
        shoal_amg_end end;
        CHECK_OK(shoal_cg_solve(&cg, &three, &m, b, x, &(shoal_cg_def){1e-9, 1000, held, NULL, NULL}, &plain));
        CHECK_OK(shoal_amg_setup_greedy(&amg, &three, &m, held));
        CHECK_OK(shoal_amg_full_cycles(amg, &three, &m, b, z, 1e-9, 100, &end));
        print_message("%d unknowns: %d iterations by Jacobi, %d full cycles on %d levels, complexity %.2f\n", m.rows,
                      plain.iterations, end.cycles, shoal_amg_levels(amg), shoal_amg_complexity(amg));
        assert_true(plain.is_solved && end.is_solved && end.cycles < 40);
        for (int i = 0; i < m.rows; i++) {
            assert_true(fabs(x[i] - z[i]) < 1e-6);
            if (held[i]) assert_true(z[i] == 0.0);
        }
        shoal_amg_free(amg);
        shoal_cg_free(&cg);
        shoal_csr_free(&m);
        shoal_free(held);
        shoal_free(b);
        shoal_free(x);
        shoal_free(z);
    }
}

static void aggregation_leaves_held_ones_alone_and_is_symmetric(void** state) {
    (void)state;
    shoal_csr m = cube_of(14, 0.0);
    double *  a = field_of(m.rows, 1), *b = field_of(m.rows, 2), *ma = field_of(m.rows, 3), *mb = field_of(m.rows, 4);
    uint8_t*  held = shoal_alloc((size_t)m.rows, 1);
    for (int i = 0; i < m.rows; i += 5) held[i] = 1;
    double first[3] = {0.0, 0.0, 0.0};
    for (int threads = 1; threads <= 3; threads++) { // the same bits
        shoal_amg* amg  = NULL;
        shoal_exec exec = {.threads = threads};
        CHECK_OK(shoal_amg_setup(&amg, &exec, &m, held));
        shoal_amg_apply(amg, &exec, a, ma);
        shoal_amg_apply(amg, &exec, b, mb);
        double across = 0.0, back = 0.0, own = 0.0;
        for (int i = 0; i < m.rows; i++) {
            if (held[i]) assert_true(ma[i] == 0.0);
            across += a[i] * mb[i], back += b[i] * ma[i], own += a[i] * ma[i];
        }
        assert_true(own > 0.0);
        assert_true(fabs(across - back) < 1e-5 * own);
        if (threads == 1) first[0] = across, first[1] = back, first[2] = own;
        assert_true(first[0] == across && first[1] == back && first[2] == own);
        shoal_amg_free(amg);
    }
    shoal_csr_free(&m);
    shoal_free(a);
    shoal_free(b);
    shoal_free(ma);
    shoal_free(mb);
    shoal_free(held);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_is_the_sum_over_rows),
        cmocka_unit_test(a_known_solution_is_found),
        cmocka_unit_test(held_values_are_known_to_the_others),
        cmocka_unit_test(a_matrix_with_a_negative_eigenvalue_is_not_solved),
        cmocka_unit_test(any_number_of_threads_finds_the_same_bits),
        cmocka_unit_test(aggregation_hardly_needs_more_iterations_for_more_unknowns),
        cmocka_unit_test(greedy_multigrid_solves),
        cmocka_unit_test(aggregation_leaves_held_ones_alone_and_is_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
