// SPDX-License-Identifier: MIT
// What water and grains do to each other (Rungjiratananon et al. 2008, equations 9 and 10): drag and pressure, each
// opposite for the two of a pair.
#include "solvers/grains/grains_local.h"

#include <string.h>

#include "fluid/water_pass.h"
#include "math/drag.h"

enum { COUPLE_BLOCK = 256 };

// ---------------------------------------------------------------------------------- equation 10

// F = sum c (v_i - v_g), c = b (h - r) in the shape of the Laplacian that equation 10 has. As printed b is mu V_i V_g /
// 2 times its scale. Water is so thin that such grains would meet no resistance but that of the pressure, so by default
// b is what gives the sphere its drag among other grains (math/drag.h).
static float drag_of(const grains* s, int g, float weights, shoal_v3 stream, float voids) {
    const grains_water*     w        = s->water;
    const shoal_water_view* v        = &w->sph.view;
    const shoal_material*   liquid   = &s->ctx->description->materials[w->sph.first];
    float                   diameter = 2.0f * s->all.work.place[0][g].w;
    if (s->all.params.drag == GRAINS_DRAG_PAPER) {
        float h3 = v->h * v->h2, cube = v->d * v->d * v->d;
        return 0.5f * liquid->viscosity * cube * w->volume[g] * 45.0f / ((float)SHOAL_PI * h3 * h3);
    }
    shoal_drag_liquid of     = {liquid->density, liquid->viscosity, diameter};
    float             speed  = shoal_v3_length(shoal_v3_sub(stream, grains_xyz(s->all.work.speed[0][g])));
    float             sphere = shoal_drag_sphere(&of, voids, speed);
    return sphere / weights;
}

static void drag_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s = ctx;
    grains_water*           w = s->water;
    const shoal_water_view* v = &w->sph.view;
    for (int g = begin; g < end; g++) {
        shoal_v3 stream  = {0.0f, 0.0f, 0.0f};
        float    weights = 0.0f, others = 0.0f;
        for (int k = w->pair_first[g]; k < w->pair_first[g + 1]; k++) {
            const grains_meet* m = w->meet + w->pair_meet[k];
            float              t = fmaxf(v->h - m->r, 0.0f);
            weights += t;
            others +=
                t * fmaxf(w->crowd[m->water] - v->weight * v->sample.place[m->shore].w * shoal_water_bump(v->h, m->r),
                          0.0f);
            stream = shoal_v3_add_scaled(stream, shoal_v4_xyz(v->motion[m->water]), t);
        }
        w->drag[g] = w->slows[g] = 0.0f;
        if (!(weights > 1e-3f * v->h)) continue;
        float voids = fminf(fmaxf(1.0f - others / weights, 0.3f), 1.0f);
        w->drag[g]  = drag_of(s, g, weights, shoal_v3_scale(stream, 1.0f / weights), voids);
        w->slows[g] = w->drag[g] * weights * s->all.work.spin[0][g].w;
    }
}

static float water_mass(const grains_water* w) {
    const shoal_water_view* v = &w->sph.view;
    return v->liquids[w->sph.first].density * v->d * v->d * v->d;
}

// Of one pair, kg/s, for the whole step: c / (1 + dt (sum c / m_i + sum c / m_g)), the sums over all that either meets.
// So the rates of any two that meet add up to less than 2 / dt, which is the most that an exchange of all with all,
// each for itself, bears without gain of energy; and what one loses the other gets.
static float drag_between(const grains_water* w, const grains_meet* m) {
    const shoal_water_view* v = &w->sph.view;
    return w->drag[m->grain] * fmaxf(v->h - m->r, 0.0f) / (1.0f + v->dt * (w->slowed[m->water] + w->slows[m->grain]));
}

// What the grains take from the water's velocity; from everyone's velocity before, which stays in `velocity`.
static void slow_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s    = ctx;
    grains_water*           w    = s->water;
    const shoal_water_view* v    = &w->sph.view;
    float                   mass = water_mass(w);
    for (int i = begin; i < end; i++) {
        const grains_meet *m = w->meet + w->meet_first[i], *last = m + w->meet_count[i];
        shoal_v3           sum = {0.0f, 0.0f, 0.0f};
        w->slowed[i]           = 0.0f;
        for (const grains_meet* k = m; k < last; k++)
            w->slowed[i] += w->drag[k->grain] * fmaxf(v->h - k->r, 0.0f) / mass;
        for (const grains_meet* k = m; k < last; k++)
            sum = shoal_v3_add_scaled(sum, shoal_v3_sub(grains_xyz(s->all.work.speed[0][k->grain]), v->velocity[i]),
                                      drag_between(w, k));
        shoal_v4_set(&v->motion[i], shoal_v3_add_scaled(v->velocity[i], sum, v->dt / mass));
    }
}

// ---------------------------------------------------------------------------------- equation 9

// As printed, a quarter of p_i + p_g: that of p_i is in the volume of the grains, and p_g pushes by itself.
static void print_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s    = ctx;
    grains_water*           w    = s->water;
    const shoal_water_view* v    = &w->sph.view;
    float                   push = s->all.params.grain_pressure * v->press;
    for (int i = begin; i < end; i++) {
        shoal_v3 slope = {0.0f, 0.0f, 0.0f};
        for (int k = w->meet_first[i]; k < w->meet_first[i] + w->meet_count[i]; k++)
            slope = shoal_v3_add(slope, w->meet[k].slope);
        shoal_v4_set(&v->motion[i],
                     shoal_v3_add_scaled(shoal_v4_xyz(v->motion[i]), slope, -push * v->liquids[v->material[i]].light));
    }
}

// Water between a grain and a solid, too narrow for particles, has the pressure of the water around: without it the
// grain would be pressed to the floor by all that is above. `push` is what a pressure of 1 all around does, m^2: taken
// back is its part towards the solid, as far as the solid is the cause.
static shoal_v3 cushion(const grains* s, int g, shoal_v3 push) {
    const shoal_water_view* v    = &s->water->sph.view;
    const shoal_v3          none = {0.0f, 0.0f, 0.0f};
    shoal_v3                x    = grains_xyz(s->all.work.place[0][g]);
    if (!shoal_solids_are_near(v->solids.world, x, v->h)) return none;
    shoal_v3 slope  = shoal_solid_share_at(&v->solids, x, v->h, SHOAL_KERNEL_CUBIC).gradient;
    float    length = shoal_v3_length(slope);
    if (!(length > 0.0f)) return none;
    float towards = shoal_v3_dot(push, slope) / length, most = s->water->volume[g] * length;
    return shoal_v3_scale(slope, -fminf(fmaxf(towards, 0.0f), most) / length);
}

// What the water around a grain does to it.
typedef struct shell {
    shoal_v3 press, drag;       // forces, N
    shoal_v3 push;              // of a pressure of 1 all around, m^2
    float    steep;             // and the sum of its parts' lengths, m^2
    float    weights, weights2; // of bump, and of its square
    float    pressure;          // mean, Pa
    shoal_v3 gain;              // mean acceleration, m/s^2
    float    mass;              // mean of a particle's, kg
    float    crowd;             // mean share of other grains and of solids where the water is
} shell;

static shell shell_of(const grains* s, int g) {
    const grains_water*     w    = s->water;
    const shoal_water_view* v    = &w->sph.view;
    shell                   sum  = {.weights = 0.0f};
    shoal_v3                own  = grains_xyz(s->all.work.speed[0][g]);
    float                   mass = water_mass(w), scale = mass / v->dt * v->press;
    float                   fixed = s->all.params.coupling == GRAINS_PRINTED ? s->all.params.grain_pressure : 0.0f;
    for (int k = w->pair_first[g]; k < w->pair_first[g + 1]; k++) {
        const grains_meet* m    = w->meet + w->pair_meet[k];
        int                i    = m->water;
        float              part = v->motion[i].w * v->motion[i].w, bump = shoal_water_bump(v->h, m->r);
        sum.press = shoal_v3_add_scaled(sum.press, m->slope, scale * (part * v->pressure[i] + fixed));
        sum.push  = shoal_v3_add_scaled(sum.push, m->slope, scale * part);
        sum.steep += scale * part * shoal_v3_length(m->slope);
        sum.drag = shoal_v3_add_scaled(sum.drag, shoal_v3_sub(v->velocity[i], own), drag_between(w, m));
        sum.gain = shoal_v3_add_scaled(sum.gain, shoal_v3_sub(shoal_v4_xyz(v->motion[i]), v->velocity[i]), bump);
        sum.weights += bump;
        sum.weights2 += bump * bump;
        sum.pressure += bump * v->pressure[i];
        sum.mass += bump * mass;
        sum.crowd += bump * fmaxf(w->crowd[i] - v->weight * v->sample.place[m->shore].w * bump, 0.0f);
    }
    if (!(sum.weights > 0.0f)) return sum;
    sum.gain = shoal_v3_scale(sum.gain, 1.0f / (sum.weights * v->dt));
    sum.pressure /= sum.weights;
    sum.mass /= sum.weights;
    sum.crowd /= sum.weights;
    return sum;
}

// 1 up to `from`, 0 beyond `to`.
static float fade(float x, float from, float to) { return fminf(fmaxf((to - x) / (to - from), 0.0f), 1.0f); }

static bool is_alone(const grains* s, int g) {
    GRAINS_EACH_SLOT(s->all.view.lists, g, slot)
    if (grains_is_close(&s->all, g, slot)) return false;
    return true;
}

// The pressure that all water around a grain has in common does nothing to it, but the sum over a few particles makes
// of it a force that grows with depth and holds every grain in its place. So what counts for a grain within the water
// is the gradient of pressure that the water as a whole answers to, rho (Du/Dt - g), on its volume. Du/Dt is that of
// the particles around at the end of the step, with what they get back of the sum by `settle_block`: F (1 + rho V / M)
// = rho V (Du/Dt - g + P / M) for the sum P. Where a side is without water, because of air, solids or other grains, or
// there is little of it, the sum is no error and stays. `lean` is 1/2 for a half space, and up to 0.3 by chance, of the
// few particles around a grain that moves through them; but on a bed, where grains lean on others, a lean of 0.3 is a
// side without water.
static shoal_v3 pressure_on(grains* s, int g, const shell* a) {
    const shoal_water_view* v      = &s->water->sph.view;
    float                   lean   = shoal_v3_length(a->push) / a->steep;
    float                   within = s->ctx->description->materials[s->water->sph.first].density * s->water->volume[g];
    float                   around = a->mass * a->weights * a->weights / a->weights2;
    float                   share  = fade(a->crowd, 0.05f, 0.2f) * fade(within / around, 0.6f, 1.0f);
    if (share > 0.0f) share *= is_alone(s, g) ? fade(lean, 0.35f, 0.5f) : fade(lean, 0.15f, 0.35f);
    if (s->all.params.coupling == GRAINS_PRINTED) return a->press;
    shoal_v3 behind      = shoal_v3_scale(cushion(s, g, a->push), a->pressure * (1.0f - share));
    s->water->cushion[g] = (shoal_v4){behind.x, behind.y, behind.z, 0.0f};
    if (!(share > 0.0f)) return shoal_v3_add(a->press, behind);
    shoal_v3 fall = shoal_v3_add_scaled(shoal_v3_sub(a->gain, v->gravity), a->press, 1.0f / around);
    shoal_v3 free = shoal_v3_scale(fall, within / (1.0f + within / around));
    return shoal_v3_add_scaled(shoal_v3_add_scaled(behind, a->press, 1.0f - share), free, share);
}

// The force of the water on each grain, opposite to what each pair has given the water: pressure, mirrored in the
// grain, and drag.
static void force_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*       s = ctx;
    grains_water* w = s->water;
    for (int g = begin; g < end; g++) {
        shell a    = shell_of(s, g);
        w->even[g] = w->cushion[g] = s->all.work.outer[g] = (shoal_v4){0.0f, 0.0f, 0.0f, 0.0f};
        if (!(a.steep > 0.0f)) continue;
        shoal_v3 press = pressure_on(s, g, &a), force = shoal_v3_add(press, a.drag);
        shoal_v3 even        = shoal_v3_sub(shoal_v3_add(a.press, grains_xyz(w->cushion[g])), press);
        even                 = shoal_v3_scale(even, 1.0f / a.weights);
        s->all.work.outer[g] = (shoal_v4){force.x, force.y, force.z, 0.0f};
        w->even[g]           = (shoal_v4){even.x, even.y, even.z, 0.0f};
    }
}

// What the sums over pairs have in excess goes to the water around each grain, by bump.
static void settle_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s = ctx;
    grains_water*           w = s->water;
    const shoal_water_view* v = &w->sph.view;
    for (int i = begin; i < end; i++) {
        shoal_v3 sum = {0.0f, 0.0f, 0.0f};
        for (int k = w->meet_first[i]; k < w->meet_first[i] + w->meet_count[i]; k++)
            sum = shoal_v3_add_scaled(sum, grains_xyz(w->even[w->meet[k].grain]), shoal_water_bump(v->h, w->meet[k].r));
        shoal_v4_set(&v->motion[i], shoal_v3_add_scaled(shoal_v4_xyz(v->motion[i]), sum, v->dt / water_mass(w)));
    }
}

// ---------------------------------------------------------------------------------- in the order of a step

void grains_couple_water(grains* s) {
    grains_water*     w    = s->water;
    const shoal_exec* exec = &s->ctx->exec;
    if (s->all.params.drag != GRAINS_DRAG_NONE) {
        shoal_blocks(exec, s->all.view.count, COUPLE_BLOCK, drag_block, s);
        shoal_blocks(exec, w->set->count, COUPLE_BLOCK, slow_block, s);
    } else {
        memset(w->drag, 0, (size_t)s->all.view.count * sizeof *w->drag);
        memset(w->slows, 0, (size_t)s->all.view.count * sizeof *w->slows);
        memset(w->slowed, 0, (size_t)w->set->count * sizeof *w->slowed);
    }
    if (s->all.params.coupling == GRAINS_PRINTED) shoal_blocks(exec, w->set->count, COUPLE_BLOCK, print_block, s);
}

// The cushion of a grain at an obstacle presses on that as well: the one that it leans on most.
static void book_cushion(grains* s, int g, shoal_v3 push) {
    shoal_v3 normal;
    int      best = -1;
    float    most = 0.0f;
    for (int k = 0; k < s->all.view.lists.solids[g]; k++) {
        int   solid = grains_solid_of(&s->all.view, g, k);
        float along = grains_solid_distance(&s->all.view, g, solid, &normal) < s->water->sph.view.h
                          ? shoal_v3_dot(normal, push)
                          : 0.0f;
        if (along <= most) continue;
        most = along;
        best = solid - GRAINS_WALLS;
    }
    if (best >= 0) grains_felt(s, best, shoal_d3_scale(shoal_d3_from(push), -(double)s->water->sph.view.dt));
}

void grains_couple_grains(grains* s) {
    grains_water* w = s->water;
    shoal_blocks(&s->ctx->exec, s->all.view.count, COUPLE_BLOCK, force_block, s);
    shoal_blocks(&s->ctx->exec, w->set->count, COUPLE_BLOCK, settle_block, s);
    for (int g = 0; g < s->all.view.count && s->ctx->world->collider_count > 0; g++) {
        shoal_v3 push = grains_xyz(w->cushion[g]);
        if (push.x != 0.0f || push.y != 0.0f || push.z != 0.0f) book_cushion(s, g, push);
    }
}
