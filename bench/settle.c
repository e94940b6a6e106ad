// SPDX-License-Identifier: MIT
// Settles the random packing that src/state/packing_table.h stores, and writes that file: spheres
// in a periodic box, let fall apart at random, pressed together slowly from all sides until they
// bear a small pressure, and let come to rest. Contacts are springs with damping and Coulomb
// friction (Cundall & Strack 1979), and the friction decides how dense a packing jams (Silbert
// 2010, Soft Matter 6: 0.64 without, 0.55 with very much). Units: mean diameter, mass of the mean
// sphere, stiffness.
//
//   settle [FRICTION [SEED]] > src/state/packing_table.h
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { COUNT = 1000, PAIRS_MOST = 40 * COUNT };

static const double spread         = 0.1; // of the radii, as grains have by default
static const double damping        = 0.6,
                    drag           = 0.002; // of contacts; of everything, so that rattlers come to rest
static const double dt             = 0.1;   // a contact takes pi / sqrt(2)
static const double margin         = 0.1;   // of the list of pairs
static const double fast           = 2e-4,
                    slow           = 1e-5; // strain per time, before and after the first contacts bear
static const double final_pressure = 1e-4; // pressure of the packing, stiffness over diameter

typedef struct vec {
    double x, y, z;
} vec;

static vec    add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static vec    sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static vec    scale(vec a, double s) { return (vec){a.x * s, a.y * s, a.z * s}; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec    cross(vec a, vec b) { return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

typedef struct pair {
    int a, b;
    vec slide; // tangential spring
} pair;

typedef struct box {
    double edge, friction;
    vec    place[COUNT], speed[COUNT], spin[COUNT], force[COUNT], torque[COUNT], listed[COUNT];
    double radius[COUNT], mass[COUNT];
    int8_t rank[COUNT];
    pair   pairs[PAIRS_MOST], before[PAIRS_MOST];
    int    pair_count;
    double listed_edge;
    double pressure; // by the virial of the last step
    int    contacts;
} box;

static double nearest(double x, double edge) { return x - edge * floor(x / edge + 0.5); }

static vec between(const box* s, int a, int b) {
    vec d = sub(s->place[a], s->place[b]);
    return (vec){nearest(d.x, s->edge), nearest(d.y, s->edge), nearest(d.z, s->edge)};
}

static double fraction_of(const box* s) {
    double solid = 0.0;
    for (int i = 0; i < COUNT; i++) solid += 4.0 / 3.0 * M_PI * pow(s->radius[i], 3.0);
    return solid / pow(s->edge, 3.0);
}

// Ranks are spread evenly, in an order by chance, so that the sizes of any packing have the same
// mean.
static void scatter(box* s, uint64_t seed, double fraction) {
    for (int i = 0; i < COUNT; i++) s->rank[i] = (int8_t)(256 * i / COUNT - 128);
    for (int i = COUNT - 1; i > 0; i--) {
        int    k   = (int)(shoal_random(seed, 1, (uint64_t)i) * (i + 1));
        int8_t r   = s->rank[i];
        s->rank[i] = s->rank[k], s->rank[k] = r;
    }
    for (int i = 0; i < COUNT; i++) {
        s->radius[i] = 0.5 * (1.0 + spread * (2.0 * s->rank[i] + 1.0) / 256.0);
        s->mass[i]   = pow(2.0 * s->radius[i], 3.0);
    }
    s->edge = 1.0;
    s->edge = cbrt(fraction_of(s) / fraction);
    for (int i = 0; i < COUNT; i++)
        s->place[i] = (vec){s->edge * shoal_random(seed, 2, (uint64_t)i), s->edge * shoal_random(seed, 3, (uint64_t)i),
                            s->edge * shoal_random(seed, 4, (uint64_t)i)};
}

static int same_pair(const void* x, const void* y) {
    const pair *a = x, *b = y;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

static void list(box* s) {
    int count = s->pair_count;
    memcpy(s->before, s->pairs, (size_t)count * sizeof *s->pairs);
    s->pair_count = 0;
    for (int a = 0; a < COUNT; a++)
        for (int b = a + 1; b < COUNT; b++) {
            vec    d     = between(s, a, b);
            double reach = s->radius[a] + s->radius[b] + margin;
            if (dot(d, d) > reach * reach) continue;
            if (s->pair_count == PAIRS_MOST) exit(1);
            pair  key                 = {a, b, {0.0, 0.0, 0.0}};
            pair* old                 = bsearch(&key, s->before, (size_t)count, sizeof key, same_pair);
            s->pairs[s->pair_count++] = old ? *old : key;
        }
    memcpy(s->listed, s->place, sizeof s->listed);
    s->listed_edge = s->edge;
}

static int is_worn(const box* s) {
    double most = 0.0;
    for (int i = 0; i < COUNT; i++) {
        vec d = sub(s->place[i], scale(s->listed[i], s->edge / s->listed_edge));
        most  = fmax(most, dot(d, d));
    }
    return 2.0 * sqrt(most) + 3.0 * fabs(s->listed_edge / s->edge - 1.0) > margin;
}

// Adds the force of a contact; returns its overlap times force, for the virial.
static double touch(box* s, pair* p) {
    int    a = p->a, b = p->b;
    vec    d        = between(s, a, b);
    double distance = sqrt(dot(d, d)), overlap = s->radius[a] + s->radius[b] - distance;
    if (overlap <= 0.0 || distance == 0.0) {
        p->slide = (vec){0.0, 0.0, 0.0};
        return 0.0;
    }
    vec    n    = scale(d, 1.0 / distance);
    vec    turn = add(scale(s->spin[a], s->radius[a]), scale(s->spin[b], s->radius[b]));
    vec    u    = sub(sub(s->speed[a], s->speed[b]), cross(turn, n));
    double un = dot(u, n), pressure_now = fmax(overlap - damping * un, 0.0);
    p->slide      = add(p->slide, scale(sub(u, scale(n, un)), dt));
    p->slide      = sub(p->slide, scale(n, dot(p->slide, n)));
    vec    pull   = scale(p->slide, -2.0 / 7.0);
    double length = sqrt(dot(pull, pull));
    if (length > s->friction * pressure_now) {
        pull     = scale(pull, s->friction * pressure_now / length);
        p->slide = scale(pull, -3.5);
    }
    vec f        = add(scale(n, pressure_now), pull);
    s->force[a]  = add(s->force[a], f);
    s->force[b]  = sub(s->force[b], f);
    vec t        = cross(f, n);
    s->torque[a] = add(s->torque[a], scale(t, s->radius[a]));
    s->torque[b] = add(s->torque[b], scale(t, s->radius[b]));
    s->contacts++;
    return pressure_now * distance;
}

// One step, with the box and all in it strained by `rate`.
static void step(box* s, double rate) {
    if (is_worn(s)) list(s);
    memset(s->force, 0, sizeof s->force);
    memset(s->torque, 0, sizeof s->torque);
    double virial = 0.0, grow = 1.0 - rate * dt;
    s->contacts = 0;
    for (int k = 0; k < s->pair_count; k++) virial += touch(s, &s->pairs[k]);
    s->pressure = virial / (3.0 * s->edge * s->edge * s->edge);
    s->edge *= grow;
    for (int i = 0; i < COUNT; i++) {
        double inertia = 0.4 * s->mass[i] * s->radius[i] * s->radius[i];
        s->speed[i]    = scale(add(s->speed[i], scale(s->force[i], dt / s->mass[i])), 1.0 - drag * dt);
        s->spin[i]     = scale(add(s->spin[i], scale(s->torque[i], dt / inertia)), 1.0 - drag * dt);
        s->place[i]    = scale(add(s->place[i], scale(s->speed[i], dt)), grow);
    }
}

static double fastest(const box* s) {
    double most = 0.0;
    for (int i = 0; i < COUNT; i++) most = fmax(most, dot(s->speed[i], s->speed[i]));
    return sqrt(most);
}

// Pressed until it bears, then held at its pressure until nothing moves.
static void settle(box* s) {
    double friction = s->friction;
    s->friction     = 0.0;
    for (int k = 0; k < 20000; k++) step(s, 0.0); // those that began in one another part
    s->friction = friction;
    for (int k = 0; s->pressure < final_pressure || k < 1000; k++)
        step(s, s->pressure < 0.1 * final_pressure ? fast : slow);
    for (int k = 0; k < 200000; k++) {
        double lack = 1.0 - s->pressure / final_pressure;
        step(s, slow * fmax(-1.0, fmin(lack, 1.0)));
        if (k % 100 == 0 && fabs(lack) < 0.01 && fastest(s) < 1e-6) return;
    }
}

static void report(const box* s) {
    int near[COUNT] = {0}, loose = 0, close = 0;
    for (int k = 0; k < s->pair_count; k++) {
        vec    d   = between(s, s->pairs[k].a, s->pairs[k].b);
        double gap = sqrt(dot(d, d)) - s->radius[s->pairs[k].a] - s->radius[s->pairs[k].b];
        close += gap < 0.005;
        if (gap < 0.0) near[s->pairs[k].a]++, near[s->pairs[k].b]++;
    }
    for (int i = 0; i < COUNT; i++) loose += near[i] < 2;
    fprintf(stderr,
            "fraction %.4f, edge %.4f, pressure %.2e, %.2f contacts each, %.2f within 0.005, %d "
            "rattle, fastest %.1e\n",
            fraction_of(s), s->edge, s->pressure, 2.0 * s->contacts / COUNT, 2.0 * close / COUNT, loose, fastest(s));
}

static unsigned whole(double x, double edge) { return (unsigned)(65536.0 * (x / edge - floor(x / edge))) & 65535u; }

static void write_table(const box* s, double friction) {
    printf("// SPDX-License-Identifier: MIT\n"
           "// Made by bench/settle.c: a random packing of spheres in a periodic box, pressed "
           "together with friction %g. Places in\n"
           "// 65536ths of the box, and ranks k: the radius is that of the mean sphere times 1 + "
           "spread (2 k + 1) / 256.\n"
           "#ifndef SHOAL_PACKING_TABLE_H\n#define SHOAL_PACKING_TABLE_H\n\n#include <stdint.h>\n\n"
           "#define SHOAL_PACKING_COUNT %d\n"
           "#define SHOAL_PACKING_FRACTION %.5f // solid fraction, with the spread below\n"
           "#define SHOAL_PACKING_SPREAD %g  // of the radii\n\n"
           "// clang-format off\n"
           "static const struct { uint16_t at[3]; int8_t rank; } "
           "shoal_packing_table[SHOAL_PACKING_COUNT] = {\n",
           friction, COUNT, fraction_of(s), spread);
    for (int i = 0; i < COUNT; i++)
        printf("{{%u,%u,%u},%d},%s", whole(s->place[i].x, s->edge), whole(s->place[i].y, s->edge),
               whole(s->place[i].z, s->edge), s->rank[i], i % 5 == 4 ? "\n" : " ");
    printf("};\n// clang-format on\n\n#endif\n");
}

int main(int argc, char** argv) {
    static box s;
    s.friction = argc > 1 ? atof(argv[1]) : 0.1;
    scatter(&s, argc > 2 ? strtoull(argv[2], NULL, 10) : 1, 0.35);
    settle(&s);
    report(&s);
    write_table(&s, s.friction);
    return 0;
}
