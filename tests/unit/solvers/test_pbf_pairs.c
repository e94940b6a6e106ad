// SPDX-License-Identifier: MIT
// What a pair of particles of pbf does, against the formulas written once more, in double and by brute force: the plain
// passes, and those of all instruction sets.
#include "cloud.h"

// What a pass adds up over the neighbours of one particle.
typedef struct sums {
    double weights, slopes2, slope[3], smooth[3], drag[3], curl[3], tensor[6], level[3];
} sums;

static void add(double* sum, double f, const double* d) {
    for (int c = 0; c < 3; c++) sum[c] += f * d[c];
}

// A traceless tensor times a vector.
static void turn(shoal_v4 q, float q_yz, const double* d, double* out) {
    double xx = (double)q.x, yy = (double)q.y, xy = (double)q.z, xz = (double)q.w, yz = (double)q_yz;
    out[0] = xx * d[0] + xy * d[1] + xz * d[2];
    out[1] = xy * d[0] + yy * d[1] + yz * d[2];
    out[2] = xz * d[0] + yz * d[1] - (xx + yy) * d[2];
}

// Eq. 13, or the repulsion of short range.
static double repulsion(const pbf_view* v, double r2) {
    double k = (double)v->clump_k;
    if (v->params.anti_clumping == PBF_ANTI_CLUMPING_SHORT_RANGE) {
        double s = fmax(1.0 - r2 * (double)v->clump_r2, 0.0);
        return -k * s * s;
    }
    return -k * pow((double)v->clump_w * pow((double)v->h2 - r2, 3.0), v->params.clump_power);
}

static sums sums_of(const cloud* c, int i, pbf_pass pass) {
    const pbf_view* v   = &c->view;
    const double    h   = (double)v->h;
    sums            sum = {0};
    for (int j = 0; j < v->count; j++) {
        shoal_v4 p = c->guess[i], q = c->guess[j], a = c->drift[i], b = c->drift[j];
        double   d[3] = {(double)p.x - (double)q.x, (double)p.y - (double)q.y, (double)p.z - (double)q.z};
        double   u[3] = {(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
        double   r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(r2);
        if (j == i || r >= h) continue;
        pbf_liquid mine = c->liquids[c->material[i]], other = c->liquids[c->material[j]];
        double     light_i = (double)mine.lightness, light_j = (double)other.lightness;
        double     w = v->params.density_kernel == PBF_DENSITY_KERNEL_POLY6 ? pow(h * h - r2, 3.0) : pow(h - r, 3.0);
        double     f = (h - r) * (h - r) / r; // slope of the spiky kernel over r
        double     drag_i = (double)mine.viscous / light_i, drag_j = (double)other.viscous / light_j;
        double     ours[3], theirs[3];
        sum.weights += w;
        sum.slopes2 += pow(h - r, 4.0) * light_j;
        switch (pass) {
        case PBF_correct:
            f *= (double)p.w + (double)q.w + repulsion(v, r2) * 2.0 / (light_i + light_j);
            break;
        case PBF_confine:
            f *= (double)q.w - (double)p.w;
            break;
        case PBF_level:
            turn(c->lean[i], c->lean_yz[i], d, ours), turn(c->lean[j], c->lean_yz[j], d, theirs);
            add(sum.level, f, ours), add(sum.level, f, theirs);
            break;
        default:
            break;
        }
        add(sum.slope, f, d);
        add(sum.smooth, w * 2.0 * light_i / (light_i + light_j), u);
        add(sum.drag, drag_i > 0.0 ? (h - r) * 2.0 * drag_j / (drag_i + drag_j) : 0.0, u);
        add(sum.curl, f, (double[]){d[1] * u[2] - d[2] * u[1], d[2] * u[0] - d[0] * u[2], d[0] * u[1] - d[1] * u[0]});
        for (int k = 0; k < 3; k++) sum.tensor[k] += f * d[k] * d[k];
        sum.tensor[3] += f * d[0] * d[1], sum.tensor[4] += f * d[0] * d[2], sum.tensor[5] += f * d[1] * d[2];
    }
    return sum;
}

static shoal_v3 v3_of(const double* s) { return shoal_v3_make((float)s[0], (float)s[1], (float)s[2]); }

static void run_by_brute_force(cloud* c, pbf_pass pass) {
    static cloud    before;
    const pbf_view* v = &c->view;
    memcpy(&before, c, sizeof before); // passes write over what others still read
    for (int i = 0; i < v->count; i++) {
        sums s = sums_of(&before, i, pass);
        if (pass == PBF_lambda) pbf_lambda_from(v, i, (float)s.weights, v3_of(s.slope), (float)s.slopes2);
        if (pass == PBF_correct) pbf_correct_from(v, i, v3_of(s.slope));
        if (pass == PBF_curl) pbf_curl_from(v, i, (float)s.weights, v3_of(s.smooth), v3_of(s.drag), v3_of(s.curl));
        if (pass == PBF_confine) pbf_confine_from(v, i, v3_of(s.slope));
        if (pass == PBF_lean)
            pbf_lean_from(v, i, v3_of(s.slope),
                          (shoal_lean){(float)s.tensor[0], (float)s.tensor[1], (float)s.tensor[2], (float)s.tensor[3],
                                       (float)s.tensor[4], (float)s.tensor[5]});
        if (pass == PBF_level) pbf_level_from(v, i, v3_of(s.level));
    }
}

typedef struct setting {
    bool is_poly6, is_mixed, is_viscous, is_paper;
} setting;

// Everything that passes read differs from particle to particle; `twins`: two are in one spot.
static cloud* drawn(setting s, bool twins) {
    cloud*    c             = cloud_make(2.1, s.is_poly6);
    pbf_view* v             = &c->view;
    v->params.vorticity     = 0.5f;
    v->params.anti_clumping = s.is_paper ? PBF_ANTI_CLUMPING_PAPER : PBF_ANTI_CLUMPING_SHORT_RANGE;
    v->params.clump_power   = 4;
    v->smooth = 0.05f * v->weight, v->clump_k = 3.0f / v->gradient_sum, v->clump_w = 1.0f / powf(0.9f * v->h2, 3.0f);
    v->is_mixed = s.is_mixed, v->is_viscous = s.is_viscous;
    c->liquids[0].viscous = s.is_viscous ? 1e-3f / (float)c->d : 0.0f;
    c->liquids[1]         = c->liquids[0];
    if (s.is_mixed) c->liquids[1] = (pbf_liquid){700.0f, 1000.0f / 700.0f, 2.0f * c->liquids[0].viscous};
    c->world.is_closed[SHOAL_BOTTOM] = true;
    for (int i = 0; i < CLOUD_MOST; i++) c->material[i] = (uint8_t)(i % 3 == 0);
    cloud_random(c, 500, 5);
    if (twins) cloud_add(c, (double)c->guess[7].x, (double)c->guess[7].y, (double)c->guess[7].z);
    cloud_ready(c);
    for (int i = 0; i < v->count; i++) {
        float r[10];
        for (int k = 0; k < 10; k++) r[k] = (float)shoal_random(6, (uint64_t)k, (uint64_t)i) - 0.5f;
        cloud_move(c, i, shoal_v3_make(r[0], r[1], r[2]));
        c->guess[i].w = r[3] / v->gradient_sum, c->lean_yz[i] = r[4];
        c->lean[i]   = shoal_v4_make(r[5], r[6], r[7], r[8]);
        c->vector[i] = shoal_v3_make(r[9], r[0], r[1]);
        c->omega[i]  = shoal_v3_make(r[1], r[2], r[3]);
    }
    return c;
}

static void is_near(const char* what, const float* found, const float* wanted, int count) {
    double scale = 0.0;
    for (int i = 0; i < count; i++) scale = fmax(scale, fabs((double)wanted[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs((double)found[i] - (double)wanted[i]) <= 2e-5 * scale))
            fail_msg("%s: number %d is %g, wanted %g", what, i, (double)found[i], (double)wanted[i]);
}

// All that the passes write.
#define OUTPUTS(X) X(scalar) X(vector) X(density) X(velocity) X(omega) X(lean) X(lean_yz)

static const struct {
    pbf_pass    pass;
    const char* name;
} passes[] = {{PBF_lambda, "lambda"},   {PBF_correct, "correct"}, {PBF_curl, "curl"},
              {PBF_confine, "confine"}, {PBF_lean, "lean"},       {PBF_level, "level"}};
enum { PASSES = sizeof passes / sizeof *passes };

static void every_set_adds_up_what_the_formulas_say(void** state) {
    (void)state;
    int seen = 0;
    for (int s = 0; s < 16; s++) {
        setting how = {s & 1, s & 2, s & 4, s & 8};
        for (int p = 0; p < PASSES; p++) {
            cloud* wanted = drawn(how, false);
            run_by_brute_force(wanted, passes[p].pass);
            for (int kind = 0; kind < SHOAL_ISA_COUNT; kind++) {
                shoal_isa_kind found;
                if (shoal_isa_by_name(shoal_isa_name((shoal_isa_kind)kind), &found) != SHOAL_OK) continue;
                cloud* c = drawn(how, false);
                shoal_pass_loop(&pbf_passes, found, (int)passes[p].pass)(&c->view, 0, c->view.count);
                char what[128];
#define X(output)                                                                                                      \
    snprintf(what, sizeof what, "%s, %s, setting %d, " #output, passes[p].name, shoal_isa_name(found), s);             \
    is_near(what, (const float*)c->output, (const float*)wanted->output,                                               \
            wanted->view.count*(int)(sizeof *c->output / sizeof(float)));
                OUTPUTS(X)
#undef X
                cloud_free(c), seen++;
            }
            cloud_free(wanted);
        }
    }
    printf("passes compared: %d\n", seen);
    assert_true(seen >= 16 * PASSES * 2);
}

static void two_in_one_spot_are_left_to_the_plain_pass(void** state) {
    (void)state;
    for (int p = 0; p < PASSES; p++) {
        cloud* plain = drawn((setting){0}, true);
        shoal_pass_loop(&pbf_passes, SHOAL_ISA_PLAIN, (int)passes[p].pass)(&plain->view, 0, plain->view.count);
        for (int kind = 1; kind < SHOAL_ISA_COUNT; kind++) {
            shoal_isa_kind found;
            if (shoal_isa_by_name(shoal_isa_name((shoal_isa_kind)kind), &found) != SHOAL_OK) continue;
            cloud* c = drawn((setting){0}, true);
            shoal_pass_loop(&pbf_passes, found, (int)passes[p].pass)(&c->view, 0, c->view.count);
            int twins = 0;
            for (int i = 0; i < c->view.count; i++)
                for (int j = 0; j < c->view.count; j++) {
                    if (j == i || memcmp(&c->guess[i], &c->guess[j], 3 * sizeof(float)) != 0) continue;
                    twins++;
#define X(output) assert_memory_equal(&c->output[i], &plain->output[i], sizeof *c->output);
                    OUTPUTS(X)
#undef X
                }
            assert_int_equal(twins, 2);
            cloud_free(c);
        }
        cloud_free(plain);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_adds_up_what_the_formulas_say),
        cmocka_unit_test(two_in_one_spot_are_left_to_the_plain_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
