// SPDX-License-Identifier: MIT
// What a pair of particles of SPH water does, and a particle with a sample of a solid, against the formulas written
// once more, in double and by brute force: the plain passes, and those of all instruction sets.
#include "unit/fluid/tub.h"

static const shoal_water_pass passes[] = {SHOAL_WATER_solids,   SHOAL_WATER_density,       SHOAL_WATER_weigh,
                                          SHOAL_WATER_forces,   SHOAL_WATER_act,           SHOAL_WATER_lean,
                                          SHOAL_WATER_level,    SHOAL_WATER_predict,       SHOAL_WATER_diverge,
                                          SHOAL_WATER_compress, SHOAL_WATER_apply_pressure};
#define X(name) #name,
static const char* const pass_names[] = {SHOAL_WATER_PASSES(X)};
#undef X
enum { PASSES = sizeof passes / sizeof *passes };

typedef struct setting {
    bool is_mixed, is_viscous, is_artificial, is_sized, is_begun, keeps;
} setting;

// All move apart, so that lists made of places have all that are near at the guesses.
static shoal_v4 ahead(shoal_v4 x) { return shoal_v4_make(1.03f * x.x, 1.03f * x.y, 1.03f * x.z, x.w); }

// Everything that passes read differs from particle to particle.
static tub* drawn(setting s, bool twins) {
    tub*              t = tub_make_of(s.is_mixed, twins);
    shoal_water_view* v = &t->view;
    v->is_viscous = s.is_viscous, v->is_sized = s.is_sized, v->is_begun = s.is_begun;
    v->is_split = s.is_mixed || s.is_begun; // else `weigh` need not know the rate
    v->lean = t->lean, v->lean_yz = t->lean_yz, v->level = t->level, v->total = t->total;
    v->melt = 0.5f, v->correction = 0.7f, v->epsilon = 2.0f;
    shoal_lattice lattice = shoal_lattice_make((double)v->d, (double)v->h, SHOAL_KERNEL_CUBIC);
    t->layers = lattice.layers, v->layers = &t->layers, v->surface_slant = (float)lattice.surface_slant;
    if (!s.is_artificial) v->artificial = 0.0f;
    if (!s.is_viscous) t->liquids[0].viscous = t->liquids[1].viscous = 0.0f;
    for (int i = 0; i < COUNT; i++) {
        float r[12];
        for (int k = 0; k < 12; k++) r[k] = (float)shuffled(20 + (uint64_t)k, i);
        t->place[i].w = 0.5f + r[0], t->kappa[i] = r[1] * 1e-3f, t->total[i] = r[2] * 1e-3f,
        t->pressure[i] = 1e3f * r[3];
        t->guess[i]    = ahead(t->place[i]);
        t->wall[i]     = shoal_v4_make(r[6] - 0.5f, r[7] - 0.5f, r[8] - 0.5f, 0.1f * r[9]);
        t->lean[i]     = shoal_v4_make(r[9] - 0.5f, r[10] - 0.5f, r[11] - 0.5f, r[0] - 0.5f);
        t->lean_yz[i] = r[4] - 0.5f, t->ratio[i] = 0.85f + 0.3f * r[6], t->factor[i] = 1e-3f * r[7];
        t->stream[i] = shoal_v4_make(r[8], r[3], r[2], r[5] - 0.5f);
    }
    t->guess[COUNT] = t->place[COUNT];
    for (int b = 0; b < BOUNDARY; b++) {
        t->sample_place[b].w = 0.3f + (float)shuffled(40, b);
        t->sample_guess[b]   = ahead(t->sample_place[b]);
        if (b % 4 == 0) t->sample_motion[b].w = -1.0f;
    }
    t->sample_guess[BOUNDARY] = t->sample_place[BOUNDARY];
    return t;
}

static double kernel(double h, double r) { return pow(fmax(h - r, 0.0), 3.0) - 4.0 * pow(fmax(0.5 * h - r, 0.0), 3.0); }
static double steepness(double h, double r) {
    return pow(fmax(h - r, 0.0), 2.0) - 4.0 * pow(fmax(0.5 * h - r, 0.0), 2.0);
}

typedef struct sums {
    double kernel, slopes2, rate, slope[3], smooth[3], drag[3], brake[3], press[3], tensor[6], level[3], push[3];
    double samples, inflow, friction, hold, layer, wall[3], stream[3]; // of samples
} sums;

static void add(double* sum, double f, const double* d) {
    for (int c = 0; c < 3; c++) sum[c] += f * d[c];
}
static double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double apart(shoal_v4 a, shoal_v4 b, double* d) {
    d[0] = (double)a.x - (double)b.x, d[1] = (double)a.y - (double)b.y, d[2] = (double)a.z - (double)b.z;
    return sqrt(dot(d, d));
}

// A traceless tensor times a vector, added.
static void add_turned(double* sum, double f, shoal_v4 q, float q_yz, const double* d) {
    double xx = (double)q.x, yy = (double)q.y, xy = (double)q.z, xz = (double)q.w, yz = (double)q_yz;
    sum[0] += f * (xx * d[0] + xy * d[1] + xz * d[2]);
    sum[1] += f * (xy * d[0] + yy * d[1] + yz * d[2]);
    sum[2] += f * (xz * d[0] + yz * d[1] - (xx + yy) * d[2]);
}

static void add_particles(const tub* t, int i, const shoal_v4* place, sums* sum) {
    const shoal_water_view* v = &t->view;
    const double            h = (double)v->h;
    for (int j = 0; j < COUNT; j++) {
        double d[3], u[3], r = apart(place[i], place[j], d);
        if (j == i || r >= h) continue;
        shoal_water_liquid mine = t->liquids[t->material[i]], other = t->liquids[t->material[j]];
        double             light_i = (double)mine.light, light_j = (double)other.light;
        double             drag_i = (double)mine.viscous / light_i, drag_j = (double)other.viscous / light_j;
        double             f = steepness(h, r) / r, w = kernel(h, r), gap = fmax(r, 0.1 * h);
        double             volume   = v->is_sized ? (double)place[j].w : 1.0;
        double             fraction = volume * 2.0 * light_i / (light_i + light_j);
        apart(t->motion[j], t->motion[i], u);
        sum->kernel += w;
        sum->slopes2 += f * r * f * r * light_j;
        sum->rate -= f * dot(u, d);
        add(sum->slope, f, d);
        add(sum->smooth, w * fraction, u);
        if (drag_i > 0.0) add(sum->drag, volume * (h - r) * 2.0 * drag_j / (drag_i + drag_j), u);
        add(sum->brake, fmax(dot(u, d), 0.0) * f * fraction / (gap * gap), d);
        add(sum->press, ((double)place[i].w + (double)place[j].w) * f, d);
        add(sum->push, ((double)t->kappa[i] + (double)t->kappa[j]) * f, d);
        for (int k = 0; k < 3; k++) sum->tensor[k] += f * d[k] * d[k];
        sum->tensor[3] += f * d[0] * d[1], sum->tensor[4] += f * d[0] * d[2], sum->tensor[5] += f * d[1] * d[2];
        add_turned(sum->level, f, t->lean[i], t->lean_yz[i], d),
            add_turned(sum->level, f, t->lean[j], t->lean_yz[j], d);
    }
}

static void add_samples(const tub* t, shoal_v4 here, const shoal_v4* place, sums* sum) {
    const double h = (double)t->view.h;
    for (int b = 0; b < BOUNDARY; b++) {
        shoal_v4 motion = t->sample_motion[b];
        double   d[3], u[3] = {(double)motion.x, (double)motion.y, (double)motion.z}, r = apart(here, place[b], d);
        if (r >= h) continue;
        double volume = (double)place[b].w, w = volume * kernel(h, r), f = volume * steepness(h, r) / r;
        sum->samples += w;
        add(sum->wall, f, d);
        if (!t->view.has_wall_drag) continue;
        sum->inflow += f * dot(u, d);
        sum->friction += w * fmax((double)motion.w, 0.0);
        if (motion.w < 0.0f) sum->hold -= volume * (h - r) * (double)motion.w;
        sum->layer += w * (double)t->sample_layer[b];
        add(sum->stream, w, u);
    }
}

static shoal_v3 v3_of(const double* s) { return shoal_v3_make((float)s[0], (float)s[1], (float)s[2]); }

static void act(const shoal_water_view* v, int i, const sums* s) {
    double along[3] = {0.0};
    add(along, (double)v->artificial, s->brake), add(along, (double)v->slope, s->press);
    shoal_water_act_from(v, i, v3_of(s->smooth), v3_of(s->drag), v3_of(along));
}

static void run_by_brute_force(tub* t, shoal_water_pass pass) {
    static tub              before;
    const shoal_water_view* v = &t->view;
    memcpy(&before, t, sizeof before); // passes write over what others still read
    for (int i = 0; i < COUNT; i++) {
        sums s      = {0};
        bool is_far = pass == SHOAL_WATER_predict;
        add_particles(&before, i, is_far ? before.guess : before.place, &s);
        add_samples(&before, is_far ? before.guess[i] : before.place[i],
                    is_far ? before.sample_guess : before.sample_place, &s);
        switch ((int)pass) {
        case SHOAL_WATER_solids:
            shoal_water_solids_from(v, i,
                                    (shoal_water_boundary){(float)s.samples, v3_of(s.wall), (float)s.inflow,
                                                           v3_of(s.stream), (float)s.friction, (float)s.hold,
                                                           (float)s.layer});
            break;
        case SHOAL_WATER_density:
            shoal_water_density_from(v, i, (float)s.kernel);
            break;
        case SHOAL_WATER_weigh:
            shoal_water_weigh_from(v, i, (float)s.kernel, v3_of(s.slope), (float)s.slopes2, (float)s.rate);
            if (v->is_begun) act(v, i, &s);
            break;
        case SHOAL_WATER_forces:
            shoal_water_forces_from(v, i, v3_of(s.smooth), v3_of(s.drag), v3_of(s.brake));
            break;
        case SHOAL_WATER_act:
            act(v, i, &s);
            break;
        case SHOAL_WATER_lean:
            shoal_water_lean_from(v, i, v3_of(s.slope),
                                  (shoal_lean){(float)s.tensor[0], (float)s.tensor[1], (float)s.tensor[2],
                                               (float)s.tensor[3], (float)s.tensor[4], (float)s.tensor[5]});
            break;
        case SHOAL_WATER_level:
            shoal_water_level_from(v, i, v3_of(s.level));
            break;
        case SHOAL_WATER_predict:
            shoal_water_predict_from(v, i, (float)(s.kernel + s.samples));
            break;
        case SHOAL_WATER_diverge:
            shoal_water_diverge_from(v, i, shoal_water_rate_from(v, i, (float)s.rate));
            break;
        case SHOAL_WATER_compress:
            shoal_water_compress_from(v, i, shoal_water_rate_from(v, i, (float)s.rate));
            break;
        case SHOAL_WATER_apply_pressure:
            shoal_water_apply_pressure_from(v, i, v3_of(s.push));
            break;
        default:
            fail();
        }
    }
}

// Runs a pass as solvers do: where slopes are kept, `weigh` comes first, and what else it writes is as it was.
static void run_pass(tub* t, shoal_isa_kind isa, shoal_water_pass pass, bool keeps) {
    int16_t* pairs = t->view.pairs;
    if (!keeps && pass != SHOAL_WATER_weigh) t->view.pairs = NULL;
    if (keeps && pass != SHOAL_WATER_weigh) {
        static tub before;
        memcpy(&before, t, sizeof before);
        run(t, isa, SHOAL_WATER_weigh);
        if (isa == SHOAL_ISA_PLAIN)
            for (int i = 0; i < COUNT; i++) shoal_water_keep_slopes(&t->view, i);
        memcpy(t, &before, sizeof before);
    }
    run(t, isa, pass);
    t->view.pairs = pairs;
}

static void is_near(const char* what, const float* found, const float* wanted, int count, double tolerance) {
    double scale = 0.0;
    for (int i = 0; i < count; i++) scale = fmax(scale, fabs((double)wanted[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs((double)found[i] - (double)wanted[i]) <= tolerance * scale))
            fail_msg("%s: number %d is %g, wanted %g", what, i, (double)found[i], (double)wanted[i]);
}

// All that the passes write.
#define OUTPUTS(X)                                                                                                     \
    X(ratio)                                                                                                           \
    X(density)                                                                                                         \
    X(factor)                                                                                                          \
    X(error)                                                                                                           \
    X(slant)                                                                                                           \
    X(push)                                                                                                            \
    X(acceleration)                                                                                                    \
    X(wall) X(stream) X(friction) X(layer) X(hold) X(lean) X(lean_yz) X(level) X(motion) X(kappa) X(total)

static void every_set_adds_up_what_the_formulas_say(void** state) {
    (void)state;
    int seen = 0;
    for (int s = 0; s < 64; s++) {
        setting how = {s & 1, s & 2, s & 4, s & 8, s & 16, s & 32};
        if (how.is_begun && (how.is_mixed || how.is_artificial)) continue; // no solver does that
        for (int p = 0; p < PASSES; p++) {
            bool is_sweep = passes[p] == SHOAL_WATER_diverge || passes[p] == SHOAL_WATER_compress ||
                            passes[p] == SHOAL_WATER_apply_pressure;
            if ((how.is_sized && passes[p] != SHOAL_WATER_forces) || (how.keeps && !is_sweep) ||
                (how.is_mixed && passes[p] == SHOAL_WATER_act))
                continue;
            tub* wanted = drawn(how, false);
            run_by_brute_force(wanted, passes[p]);
            for (int kind = 0; kind < SHOAL_ISA_COUNT; kind++) {
                shoal_isa_kind isa;
                if (shoal_isa_by_name(shoal_isa_name((shoal_isa_kind)kind), &isa) != SHOAL_OK) continue;
                tub* t = drawn(how, false);
                run_pass(t, isa, passes[p], how.keeps);
                // whose acceleration the plain pass counts with the artificial viscosity; `advance` finds it anew
                if (passes[p] == SHOAL_WATER_act && how.is_artificial)
                    memcpy(t->acceleration, wanted->acceleration, sizeof t->acceleration);
                // slopes are kept in 16 bits
                double tolerance = how.keeps ? 1e-3 : 2e-5;
                char   what[128];
#define X(output)                                                                                                      \
    snprintf(what, sizeof what, "%s, %s, setting %d, " #output, pass_names[passes[p]], shoal_isa_name(isa), s);        \
    is_near(what, (const float*)t->output, (const float*)wanted->output,                                               \
            COUNT*(int)(sizeof *t->output / sizeof(float)), tolerance);
                OUTPUTS(X)
#undef X
                tub_free(t), seen++;
            }
            tub_free(wanted);
        }
    }
    printf("passes compared: %d\n", seen);
    assert_true(seen > 200);
}

static void two_in_one_spot_are_left_to_the_plain_pass(void** state) {
    (void)state;
    static const shoal_water_pass asking[] = {SHOAL_WATER_weigh, SHOAL_WATER_forces, SHOAL_WATER_act, SHOAL_WATER_lean,
                                              SHOAL_WATER_level};
    for (size_t p = 0; p < sizeof asking / sizeof *asking; p++) {
        tub* plain = drawn((setting){.is_viscous = true}, true);
        run(plain, SHOAL_ISA_PLAIN, asking[p]);
        for (int kind = 1; kind < SHOAL_ISA_COUNT; kind++) {
            shoal_isa_kind isa;
            if (shoal_isa_by_name(shoal_isa_name((shoal_isa_kind)kind), &isa) != SHOAL_OK) continue;
            tub* t = drawn((setting){.is_viscous = true}, true);
            run(t, isa, asking[p]);
            int twins = 0;
            for (int i = 0; i < COUNT; i++)
                for (int j = 0; j < COUNT; j++) {
                    if (j == i || memcmp(&t->place[i], &t->place[j], 3 * sizeof(float)) != 0) continue;
                    twins++;
#define X(output) assert_memory_equal(&t->output[i], &plain->output[i], sizeof *t->output);
                    OUTPUTS(X)
#undef X
                }
            assert_int_equal(twins, 2);
            tub_free(t);
        }
        tub_free(plain);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_adds_up_what_the_formulas_say),
        cmocka_unit_test(two_in_one_spot_are_left_to_the_plain_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
