// SPDX-License-Identifier: MIT
// The pressure solver against exact solutions, dense Cholesky and its own plain oracle, on shapes
// and weights that liquids really have, and worse ones.
#include "unit/check.h"

#include "liquids.h"

static shoal_poisson_report solve(liquid* l, shoal_poisson_def def, int threads, bool has_guess) {
    shoal_poisson*       poisson = NULL;
    shoal_exec           exec    = shoal_exec_make(threads);
    shoal_poisson_report report;
    shoal_poisson_system system = system_of(l);
    CHECK_OK(shoal_poisson_create(&poisson));
    CHECK_OK(shoal_poisson_set(poisson, &exec, &def, &system));
    CHECK_OK(shoal_poisson_solve(poisson, &exec, &def, l->rhs, l->pressure, has_guess, &report));
    shoal_poisson_destroy(poisson);
    return report;
}

static shoal_poisson_def def_with(shoal_poisson_method method, double tolerance) {
    shoal_poisson_def def = shoal_poisson_def_default();
    def.method            = method;
    def.tolerance         = tolerance;
    def.iterations        = 1000;
    return def;
}

static const shoal_poisson_method methods[] = {SHOAL_POISSON_MULTIGRID, SHOAL_POISSON_MIC};

// Dirichlet half a cell outside: products of sines are eigenvectors of the matrix itself.
static void a_mode_of_a_free_cube_is_divided_by_its_eigenvalue(void** unused) {
    (void)unused;
    enum { SIDE = 24 };
    const double pi = acos(-1.0);
    for (int m = 0; m < 2; m++) {
        liquid l = pour(FREE, SIDE, EVEN);
        for (int i = 0; i < l.count; i++) {
            l.anchor[i] *= 2; // theta 0.5
            l.rhs[i] = sin(pi * (l.cell[i][0] + SIDE / 3 + 0.5) / SIDE) * sin(2 * pi * (l.cell[i][1] + 5.5) / SIDE) *
                       sin(pi * (l.cell[i][2] - 2.5) / SIDE);
        }
        double eigenvalue = 2 * (2 - 2 * cos(pi / SIDE)) + 2 - 2 * cos(2 * pi / SIDE);
        solve(&l, def_with(methods[m], 1e-10), 2, false);
        for (int i = 0; i < l.count; i++) CHECK_NEAR(l.pressure[i], l.rhs[i] / eigenvalue, 1e-8 / eigenvalue);
        liquid_free(&l);
    }
}

static void still_water_has_the_pressure_of_its_depth_at_any_height(void** unused) {
    (void)unused;
    enum { SIDE = 20 };
    static const double thetas[] = {1e-3, 0.2, 0.5, 0.77, 1};
    for (int t = 0; t < 5; t++) {
        liquid l = pour(BLOCK, SIDE, EVEN);
        for (int i = 0; i < l.count; i++) {
            if (l.cell[i][1] == SIDE - 6) l.anchor[i] = (float)(1 / thetas[t]);
            l.rhs[i] = l.cell[i][1] == -5; // gravity through the face above the floor
        }
        double theta = 1 / (double)(float)(1 / thetas[t]);
        solve(&l, def_with(SHOAL_POISSON_MULTIGRID, 1e-9), 2, false);
        for (int i = 0; i < l.count; i++) CHECK_NEAR(l.pressure[i], SIDE - 6 - l.cell[i][1] + theta, 1e-7 * SIDE);
        liquid_free(&l);
    }
}

enum { DENSE_MOST = 80 };

static int wrapped(const liquid* l, int axis, int at) { return l->period[axis] > 0 && at == l->period[axis] ? 0 : at; }

static int neighbour(const liquid* l, int i, int axis) {
    for (int j = 0; j < l->count; j++) {
        bool is_it = true;
        for (int a = 0; a < 3; a++) is_it = is_it && l->cell[j][a] == wrapped(l, a, l->cell[i][a] + (a == axis));
        if (is_it) return j;
    }
    return -1;
}

static void dense_solve(const liquid* l, double* x) {
    static double m[DENSE_MOST][DENSE_MOST];
    int           n = l->count;
    memset(m, 0, sizeof m);
    for (int i = 0; i < n; i++) {
        m[i][i] += (double)l->anchor[i];
        for (int a = 0; a < 3; a++) {
            double w = (double)l->plus[a][i];
            if (w == 0) continue;
            int j = neighbour(l, i, a);
            m[i][i] += w;
            m[j][j] += w;
            m[i][j] -= w;
            m[j][i] -= w;
        }
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) m[j][j] -= m[j][k] * m[j][k];
        m[j][j] = sqrt(m[j][j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) m[i][j] -= m[i][k] * m[j][k];
            m[i][j] /= m[j][j];
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] = l->rhs[i];
        for (int k = 0; k < i; k++) x[i] -= m[i][k] * x[k];
        x[i] /= m[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= m[k][i] * x[k];
        x[i] /= m[i][i];
    }
}

// Cells at random in a small box, weights and anchors over many powers of ten, in no order.
static liquid random_system(uint64_t seed) {
    state       = seed;
    int    side = 2 + (int)(4 * random_unit());
    liquid l    = liquid_make(side * side * side);
    double fill = 0.2 + 0.8 * random_unit();
    for (int a = 0; a < 3; a++) l.period[a] = seed % 2 == 0 && random_unit() < 0.6 ? side : 0;
    for (int c = 0; c < side * side * side && l.count < DENSE_MOST; c++)
        if (random_unit() < fill) {
            int at[3] = {c % side, c / side % side, c / side / side};
            for (int a = 0; a < 3; a++) at[a] -= l.period[a] > 0 ? 0 : 2;
            int k = (int)(random_unit() * (l.count + 1)); // insert at a random place
            memcpy(l.cell[l.count], l.cell[k], sizeof at);
            memcpy(l.cell[k], at, sizeof at);
            l.count++;
        }
    for (int i = 0; i < l.count; i++) {
        for (int a = 0; a < 3; a++)
            if (neighbour(&l, i, a) >= 0 && random_unit() < 0.9)
                l.plus[a][i] = (float)pow(10, -6 * random_unit() * random_unit());
        l.anchor[i] = (float)pow(10, 3 - 6 * random_unit());
        l.rhs[i]    = random_unit() - 0.5;
    }
    return l;
}

static void random_systems_periodic_or_not_are_solved_as_by_dense_cholesky(void** unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 120; seed++)
        for (int m = 0; m < 2; m++) {
            liquid l                     = random_system(seed);
            double exact[DENSE_MOST + 1] = {0}, most = 0;
            dense_solve(&l, exact);
            shoal_poisson_report report = solve(&l, def_with(methods[m], 1e-12), 2, false);
            assert_true(report.is_converged);
            for (int i = 0; i < l.count; i++) most = fmax(most, fabs(exact[i]));
            for (int i = 0; i < l.count; i++) CHECK_NEAR(l.pressure[i], exact[i], 1e-7 * most);
            liquid_free(&l);
        }
}

static void multigrid_and_its_oracle_agree_on_every_shape(void** unused) {
    (void)unused;
    for (int s = BLOCK; s <= DUST; s++)
        for (int w = EVEN; w <= ROUGH; w++) {
            liquid l = pour((shape)s, 20, (weights)w), oracle = pour((shape)s, 20, (weights)w);
            double most = 0;
            solve(&l, def_with(SHOAL_POISSON_MULTIGRID, 1e-10), 2, false);
            solve(&oracle, def_with(SHOAL_POISSON_MIC, 1e-10), 1, false);
            for (int i = 0; i < l.count; i++) most = fmax(most, fabs(oracle.pressure[i]));
            // a pond that is linked to the air by a millionth of a face is known only that well
            for (int i = 0; i < l.count; i++)
                CHECK_NEAR(l.pressure[i], oracle.pressure[i], (w == ROUGH ? 1e-4 : 1e-7) * most);
            liquid_free(&l);
            liquid_free(&oracle);
        }
}

// Links the two ends of an axis where both have liquid.
static void wrap(liquid* l, int side, int axis) {
    int* index = list_for(side * side * side, sizeof *index);
    for (int i = 0; i < l->count; i++) index[(l->cell[i][2] * side + l->cell[i][1]) * side + l->cell[i][0]] = i + 1;
    l->period[axis] = side;
    for (int i = 0; i < l->count; i++) {
        int at[3];
        memcpy(at, l->cell[i], sizeof at);
        if (at[axis] != side - 1) continue;
        at[axis] = 0;
        if (index[(at[2] * side + at[1]) * side + at[0]] > 0) l->plus[axis][i] = 0.5f;
    }
    free(index);
}

static void they_agree_around_periodic_axes(void** unused) {
    (void)unused;
    enum { SIDE = 20 }; // 5 aggregates of 4
    for (int s = BLOCK; s <= DUST; s++)
        for (int axes = 1; axes < 8; axes++) {
            liquid l    = pour((shape)s, SIDE, GHOST);
            double most = 0;
            for (int i = 0; i < l.count; i++) {
                l.cell[i][0] += SIDE / 3;
                l.cell[i][1] += 5;
                l.cell[i][2] -= 3;
            }
            for (int a = 0; a < 3; a++)
                if (axes >> a & 1) wrap(&l, SIDE, a);
            double* oracle = list_for(l.count, sizeof *oracle);
            solve(&l, def_with(SHOAL_POISSON_MIC, 1e-10), 1, false);
            memcpy(oracle, l.pressure, (size_t)l.count * sizeof *oracle);
            shoal_poisson_report report = solve(&l, def_with(SHOAL_POISSON_MULTIGRID, 1e-10), 2, false);
            assert_true(report.is_converged && report.iterations <= 25);
            for (int i = 0; i < l.count; i++) most = fmax(most, fabs(oracle[i]));
            for (int i = 0; i < l.count; i++) CHECK_NEAR(l.pressure[i], oracle[i], 1e-7 * most);
            free(oracle);
            liquid_free(&l);
        }
}

static void iterations_hardly_grow_with_size_shape_or_weights(void** unused) {
    (void)unused;
    static const int sides[] = {16, 32, 64};
    for (int s = BLOCK; s <= DUST; s++)
        for (int w = EVEN; w <= ROUGH; w++)
            for (int k = 0; k < 3; k++) {
                liquid               l      = pour((shape)s, sides[k], (weights)w);
                shoal_poisson_report report = solve(&l, def_with(SHOAL_POISSON_MULTIGRID, 1e-5), 2, false);
                assert_true(report.is_converged);
                CHECK_BELOW(report.residual, 1.0000001e-5);
                if (report.iterations > 12)
                    fail_msg("shape %d, weights %d, side %d: %d iterations", s, w, sides[k], report.iterations);
                liquid_free(&l);
            }
}

// Two boxes without air, one of them with a right-hand side that has no solution, beside water that
// is open.
static void closed_regions_are_found_made_compatible_and_reported(void** unused) {
    (void)unused;
    enum { SIDE = 12 };
    const double pi = acos(-1.0);
    for (int m = 0; m < 2; m++) {
        liquid l = pour(BLOCK, SIDE, EVEN);
        for (int i = 0; i < l.count; i++) {
            int x       = l.cell[i][0] + SIDE / 3;
            l.anchor[i] = x < 8 ? 0 : l.anchor[i];
            if (x == 3 || x == 7) l.plus[0][i] = 0; // walls
            l.rhs[i] = x < 4 ? 3 + cos(pi * (x + 0.5) / 4) : x < 8 ? cos(2 * pi * (x - 3.5) / 4) : 0.25;
        }
        shoal_poisson_report report = solve(&l, def_with(methods[m], 1e-10), 2, false);
        assert_true(report.is_converged);
        assert_int_equal(report.closed_count, 2);
        assert_int_equal(report.closed_cells, 8 * SIDE * SIDE);
        CHECK_NEAR(report.closed_excess, 3, 1e-12);
        for (int i = 0; i < l.count; i++) {
            int x = l.cell[i][0] + SIDE / 3;
            if (x < 4)
                CHECK_NEAR(l.pressure[i], cos(pi * (x + 0.5) / 4) / (2 - 2 * cos(pi / 4)), 1e-8);
            else if (x < 8)
                CHECK_NEAR(l.pressure[i], cos(2 * pi * (x - 3.5) / 4) / (2 - 2 * cos(pi / 2)), 1e-8);
        }
        liquid_free(&l);
    }
}

// Waves around are eigenvectors. Odd numbers of aggregates, 3 of 24 and 5 of 40, come on coarser
// levels.
static void waves_around_a_periodic_box_are_divided_by_their_eigenvalue(void** unused) {
    (void)unused;
    static const int sides[] = {8, 24, 40};
    const double     pi      = acos(-1.0);
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 2; m++) {
            int    side = sides[k];
            liquid l    = pour(CLOSED, side, EVEN);
            for (int i = 0; i < l.count; i++) {
                int* at = l.cell[i];
                at[0] += side / 3;
                at[1] += 5;
                at[2] -= 3;
                for (int a = 0; a < 3; a++) l.plus[a][i] = 1;
                l.rhs[i] = sin(2 * pi * (at[0] + at[1] + at[2]) / side);
            }
            for (int a = 0; a < 3; a++) l.period[a] = side;
            shoal_poisson_report report = solve(&l, def_with(methods[m], 1e-9), 2, false);
            assert_true(report.is_converged);
            assert_int_equal(report.closed_count, 1);
            if (m == 0) CHECK_BELOW(report.iterations, 16);
            double eigenvalue = 3 * (2 - 2 * cos(2 * pi / side));
            for (int i = 0; i < l.count; i++) CHECK_NEAR(l.pressure[i], l.rhs[i] / eigenvalue, 1e-7 / eigenvalue);
            liquid_free(&l);
        }
}

static void cells_without_neighbours_are_divided_by_their_anchor(void** unused) {
    (void)unused;
    liquid l = liquid_make(1000);
    for (l.count = 0; l.count < 1000; l.count++) {
        int i = l.count;
        for (int a = 0; a < 3; a++) l.cell[i][a] = (i / (a == 0 ? 1 : a == 1 ? 10 : 100) % 10) * 100000 - 500000;
        l.anchor[i] = i % 7 == 0 ? 0 : (float)(1 + i % 5);
        l.rhs[i]    = i - 500;
    }
    shoal_poisson_report report = solve(&l, def_with(SHOAL_POISSON_MULTIGRID, 1e-12), 2, false);
    assert_int_equal(report.closed_cells, 143);
    for (int i = 0; i < 1000; i++) CHECK_NEAR(l.pressure[i], i % 7 == 0 ? 0 : (i - 500.0) / (1 + i % 5), 1e-8);
    liquid_free(&l);
}

static void threads_instruction_sets_and_the_order_of_cells_change_no_bit(void** unused) {
    (void)unused;
    liquid first = pour(SPRAY, 32, ROUGH);
    solve(&first, def_with(SHOAL_POISSON_MULTIGRID, 1e-6), 1, false);
    for (int threads = 1; threads <= 3; threads++)
        for (int isa = SHOAL_ISA_PLAIN; isa <= (int)shoal_isa_best(); isa++) {
            liquid            l   = pour(SPRAY, 32, ROUGH);
            shoal_poisson_def def = def_with(SHOAL_POISSON_MULTIGRID, 1e-6);
            def.isa               = (shoal_isa_kind)isa;
            solve(&l, def, threads, false);
            assert_memory_equal(l.pressure, first.pressure, (size_t)l.count * sizeof(double));
            liquid_free(&l);
        }
    // backwards
    liquid l = pour(SPRAY, 32, ROUGH), back = liquid_make(l.count);
    back.count = l.count;
    for (int i = 0; i < l.count; i++) {
        int j = l.count - 1 - i;
        memcpy(back.cell[j], l.cell[i], sizeof *l.cell);
        for (int a = 0; a < 3; a++) back.plus[a][j] = l.plus[a][i];
        back.anchor[j] = l.anchor[i];
        back.rhs[j]    = l.rhs[i];
    }
    solve(&back, def_with(SHOAL_POISSON_MULTIGRID, 1e-6), 2, false);
    for (int i = 0; i < l.count; i++) assert_true(back.pressure[l.count - 1 - i] == first.pressure[i]);
    liquid_free(&back);
    liquid_free(&l);
    liquid_free(&first);
}

static void units_of_weights_and_right_hand_sides_do_not_matter(void** unused) {
    (void)unused;
    static const double weight_units[] = {0x1p-120, 0x1p-30, 0x1p100}, rhs_units[] = {0x1p-500, 0x1p40, 0x1p400};
    liquid              first = pour(BLOBS, 16, GHOST);
    solve(&first, def_with(SHOAL_POISSON_MULTIGRID, 1e-6), 2, false);
    for (int k = 0; k < 3; k++) {
        liquid l = pour(BLOBS, 16, GHOST);
        for (int i = 0; i < l.count; i++) {
            for (int a = 0; a < 3; a++) l.plus[a][i] *= (float)weight_units[k];
            l.anchor[i] *= (float)weight_units[k];
            l.rhs[i] *= rhs_units[k];
        }
        solve(&l, def_with(SHOAL_POISSON_MULTIGRID, 1e-6), 2, false);
        for (int i = 0; i < l.count; i++)
            assert_true(l.pressure[i] * (weight_units[k] / rhs_units[k]) == first.pressure[i]);
        liquid_free(&l);
    }
    liquid_free(&first);
}

static void a_good_first_guess_saves_iterations(void** unused) {
    (void)unused;
    for (int s = BLOCK; s <= CLOSED; s++) {
        liquid               l    = pour((shape)s, 24, GHOST);
        shoal_poisson_report cold = solve(&l, def_with(SHOAL_POISSON_MULTIGRID, 1e-6), 2, false);
        shoal_poisson_report same = solve(&l, def_with(SHOAL_POISSON_MULTIGRID, 1e-6), 2, true);
        assert_int_equal(same.iterations, 0);
        assert_true(same.is_converged);
        for (int i = 0; i < l.count; i++) l.rhs[i] *= 1 + 1e-4 * random_unit();
        shoal_poisson_report warm = solve(&l, def_with(SHOAL_POISSON_MULTIGRID, 1e-6), 2, true);
        assert_true(warm.iterations > 0 && 2 * warm.iterations <= cold.iterations + 1);
        liquid_free(&l);
    }
}

static void the_end_is_reported_whichever_comes_first(void** unused) {
    (void)unused;
    liquid            l         = pour(BLOCK, 24, EVEN);
    shoal_poisson_def def       = def_with(SHOAL_POISSON_MULTIGRID, 1e-8);
    def.iterations              = 3;
    shoal_poisson_report report = solve(&l, def, 2, false);
    assert_false(report.is_converged);
    assert_int_equal(report.iterations, 3);
    CHECK_BELOW(report.residual, 0.1);
    def               = def_with(SHOAL_POISSON_MULTIGRID, 0);
    def.tolerance_max = 1e-3;
    report            = solve(&l, def, 2, false);
    assert_true(report.is_converged);
    CHECK_BELOW(report.residual_max, 1.0000001e-3);
    assert_true(report.residual_max > 1e-5);
    def.tolerance_max = 0; // cannot be reached: ends all the same
    def.iterations    = 60;
    report            = solve(&l, def, 2, false);
    assert_false(report.is_converged);
    CHECK_BELOW(report.residual, 1e-12);
    liquid_free(&l);
}

static char refusal[256];

static shoal_status set_status(const liquid* l) {
    shoal_poisson*       poisson = NULL;
    shoal_exec           exec    = shoal_exec_make(2);
    shoal_poisson_def    def     = shoal_poisson_def_default();
    shoal_poisson_system system  = system_of(l);
    CHECK_OK(shoal_poisson_create(&poisson));
    shoal_status status = shoal_poisson_set(poisson, &exec, &def, &system);
    snprintf(refusal, sizeof refusal, "%s", shoal_last_error());
    // what was not set cannot be solved
    if (status != SHOAL_OK)
        assert_int_equal(shoal_poisson_solve(poisson, &exec, &def, l->rhs, l->pressure, false, NULL),
                         SHOAL_ERR_INTERNAL);
    shoal_poisson_destroy(poisson);
    return status;
}

static void bad_systems_are_refused_with_a_sentence(void** unused) {
    (void)unused;
    liquid l = pour(BLOCK, 8, EVEN);
    assert_int_equal(set_status(&l), SHOAL_OK);
    l.plus[1][5] = NAN;
    assert_int_equal(set_status(&l), SHOAL_ERR_DIVERGE);
    l.plus[1][5] = (float)INFINITY;
    assert_int_equal(set_status(&l), SHOAL_ERR_DIVERGE);
    l.plus[1][5] = -1;
    assert_int_equal(set_status(&l), SHOAL_ERR_INPUT);
    l.plus[1][5] = 1;
    for (int a = 0; a < 3; a++) { // towards the wall
        l.plus[a][511] = 1;
        assert_int_equal(set_status(&l), SHOAL_ERR_INPUT);
        assert_non_null(strstr(refusal, "not there"));
        l.plus[a][511] = 0;
    }
    memcpy(l.cell[7], l.cell[6], sizeof *l.cell);
    assert_int_equal(set_status(&l), SHOAL_ERR_INPUT);
    assert_non_null(strstr(refusal, "twice"));
    l.cell[7][0] = 1 << 30;
    assert_int_equal(set_status(&l), SHOAL_ERR_DIVERGE);
    l.cell[7][0] = (1 << 30) - 1;
    l.cell[6][1] = INT32_MIN;
    assert_int_equal(set_status(&l), SHOAL_ERR_DIVERGE);
    l.cell[6][1] = 0;
    l.cell[5][1] = 1 - (1 << 30);
    l.cell[4][2] = (1 << 30) - 1;
    assert_int_equal(set_status(&l), SHOAL_ERR_DIVERGE);
    assert_non_null(strstr(refusal, "far apart"));
    l.period[1] = 8;
    assert_int_equal(set_status(&l), SHOAL_ERR_INPUT);
    assert_non_null(strstr(refusal, "periodic axis y"));
    liquid_free(&l);
}

static void bad_right_hand_sides_and_guesses_are_refused(void** unused) {
    (void)unused;
    liquid               l       = pour(BLOCK, 8, EVEN);
    shoal_poisson*       poisson = NULL;
    shoal_exec           exec    = shoal_exec_make(2);
    shoal_poisson_def    def     = shoal_poisson_def_default();
    shoal_poisson_system system  = system_of(&l);
    CHECK_OK(shoal_poisson_create(&poisson));
    CHECK_OK(shoal_poisson_set(poisson, &exec, &def, &system));
    l.rhs[100] = (double)NAN;
    assert_int_equal(shoal_poisson_solve(poisson, &exec, &def, l.rhs, l.pressure, false, NULL), SHOAL_ERR_DIVERGE);
    l.rhs[100]      = 0;
    l.pressure[100] = (double)INFINITY;
    assert_int_equal(shoal_poisson_solve(poisson, &exec, &def, l.rhs, l.pressure, true, NULL), SHOAL_ERR_DIVERGE);
    CHECK_OK(shoal_poisson_solve(poisson, &exec, &def, l.rhs, l.pressure, false, NULL));
    for (int i = 0; i < l.count; i++) assert_true(isfinite(l.pressure[i]));
    shoal_poisson_destroy(poisson);
    liquid_free(&l);
}

static void nothing_and_zero_are_solved_too(void** unused) {
    (void)unused;
    liquid l = pour(BLOCK, 6, EVEN);
    l.count  = 0;
    assert_true(solve(&l, def_with(SHOAL_POISSON_MULTIGRID, 1e-5), 2, false).is_converged);
    l.count = 216;
    for (int i = 0; i < l.count; i++) {
        l.rhs[i]      = 0;
        l.pressure[i] = 5;
    }
    shoal_poisson_report report = solve(&l, def_with(SHOAL_POISSON_MULTIGRID, 1e-5), 2, true);
    assert_true(report.is_converged);
    for (int i = 0; i < l.count; i++) assert_true(l.pressure[i] == 0);
    for (int i = 0; i < l.count; i++) {
        for (int a = 0; a < 3; a++) l.plus[a][i] = 0;
        l.anchor[i] = 0;
        l.rhs[i]    = i;
    }
    report = solve(&l, def_with(SHOAL_POISSON_MULTIGRID, 1e-5), 2, false);
    assert_int_equal(report.closed_count, 216);
    CHECK_NEAR(report.closed_excess, 215, 1e-12);
    for (int i = 0; i < l.count; i++) assert_true(l.pressure[i] == 0);
    liquid_free(&l);
}

static void a_warm_solver_allocates_nothing(void** unused) {
    (void)unused;
    liquid               l = pour(SPRAY, 24, ROUGH), less = pour(SPRAY, 16, ROUGH);
    shoal_poisson*       poisson = NULL;
    shoal_exec           exec    = shoal_exec_make(2);
    shoal_poisson_def    def     = shoal_poisson_def_default();
    shoal_poisson_system system = system_of(&l), smaller = system_of(&less);
    CHECK_OK(shoal_poisson_create(&poisson));
    CHECK_OK(shoal_poisson_set(poisson, &exec, &def, &system));
    int64_t calls = shoal_memory_calls();
    CHECK_OK(shoal_poisson_solve(poisson, &exec, &def, l.rhs, l.pressure, false, NULL));
    CHECK_OK(shoal_poisson_set(poisson, &exec, &def, &smaller));
    CHECK_OK(shoal_poisson_solve(poisson, &exec, &def, less.rhs, less.pressure, false, NULL));
    CHECK_OK(shoal_poisson_set(poisson, &exec, &def, &system));
    assert_int_equal(shoal_memory_calls(), calls);
    // and what was there before leaves no trace
    double* fresh = list_for(less.count, sizeof *fresh);
    memcpy(fresh, less.pressure, (size_t)less.count * sizeof *fresh);
    solve(&less, def, 1, false);
    assert_memory_equal(fresh, less.pressure, (size_t)less.count * sizeof *fresh);
    free(fresh);
    shoal_poisson_destroy(poisson);
    liquid_free(&less);
    liquid_free(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mode_of_a_free_cube_is_divided_by_its_eigenvalue),
        cmocka_unit_test(still_water_has_the_pressure_of_its_depth_at_any_height),
        cmocka_unit_test(random_systems_periodic_or_not_are_solved_as_by_dense_cholesky),
        cmocka_unit_test(multigrid_and_its_oracle_agree_on_every_shape),
        cmocka_unit_test(they_agree_around_periodic_axes),
        cmocka_unit_test(iterations_hardly_grow_with_size_shape_or_weights),
        cmocka_unit_test(closed_regions_are_found_made_compatible_and_reported),
        cmocka_unit_test(waves_around_a_periodic_box_are_divided_by_their_eigenvalue),
        cmocka_unit_test(cells_without_neighbours_are_divided_by_their_anchor),
        cmocka_unit_test(threads_instruction_sets_and_the_order_of_cells_change_no_bit),
        cmocka_unit_test(units_of_weights_and_right_hand_sides_do_not_matter),
        cmocka_unit_test(a_good_first_guess_saves_iterations),
        cmocka_unit_test(the_end_is_reported_whichever_comes_first),
        cmocka_unit_test(bad_systems_are_refused_with_a_sentence),
        cmocka_unit_test(bad_right_hand_sides_and_guesses_are_refused),
        cmocka_unit_test(nothing_and_zero_are_solved_too),
        cmocka_unit_test(a_warm_solver_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
