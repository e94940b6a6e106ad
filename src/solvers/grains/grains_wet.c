// SPDX-License-Identifier: MIT
// Wetness: what it does to a grain, and how it spreads from grain to grain (Rungjiratananon et al. 2008,
// sections 4.2, 4.4 and 4.5), with diffusion, drainage and drying on top. Water is counted in whole quanta and only
// ever handed on, so that not one of them is lost, whatever the number of threads.
#include "solvers/grains/grains_local.h"

#include <string.h>

#include "base/hash.h"

// ---------------------------------------------------------------------------------- what wetness does

float grains_wetness(int64_t quanta) { return (float)quanta * (1.0f / GRAINS_QUANTA); }

double grains_pore_volume(const shoal_description* description) {
    // pores of loose sand, 0.4 of the bulk where grains are 0.6 of it
    const double d = description->spacing, pores = 0.4 / 0.6;
    return pores * SHOAL_PI / 6.0 * d * d * d;
}

double grains_liquid_density(const shoal_description* description) {
    for (int m = 0; m < description->material_count; m++)
        if (description->materials[m].kind == SHOAL_LIQUID) return (double)description->materials[m].density;
    return 1000.0;
}

double grains_water_mass(const shoal_description* description) {
    return grains_liquid_density(description) * grains_pore_volume(description);
}

int32_t grains_threshold(const grains_params* p) { return (int32_t)((double)p->wet_threshold * GRAINS_QUANTA); }

// Equation 8.
float grains_wet_radius(const grains_params* p, float radius, float w) {
    return radius * (1.0f - p->wet_shrink * fminf(w, p->wet_max));
}

// 1 for sand, 0 for mud: beyond the threshold grains begin to float in their water.
static float firmness(const grains_params* p, float w) {
    if (p->wet_friction == GRAINS_PAPER || w <= p->wet_threshold) return 1.0f;
    return fmaxf(1.0f - (w - p->wet_threshold) / fmaxf(p->wet_fluid - p->wet_threshold, 1e-6f), 0.0f);
}

// Half of what a pair rubs with: equation 12, mu (1 + w_i + w_j); fluidised, it fades beyond the threshold to that of
// mud.
float grains_wet_friction(const grains_params* p, float mu, float w) {
    float firm = firmness(p, w), most = p->wet_friction == GRAINS_PAPER ? p->wet_max : p->wet_threshold;
    return firm * mu * (0.5f + fminf(w, most)) + (1.0f - firm) * 0.5f * p->mud_friction;
}

// A trace of water is no full bridge yet.
shoal_v4 grains_wet_lanes(const grains_params* p, float w) {
    const float trace = 0.05f;
    return (shoal_v4){fminf(w, p->wet_max), fminf(w / trace, 1.0f), firmness(p, w), 0.0f};
}

// ---------------------------------------------------------------------------------- spreading

static bool is_overwet(const grains* s, int32_t water) { return water > s->wet_threshold; }

// Whole quanta of x: chance decides on the rest, so that on average slow rates in short steps move what they should. A
// function of who and when: the same for both of a pair, on any number of threads and after a pause.
double grains_whole(const grains* s, double x, grains_flow flow, int32_t a, int32_t b) {
    uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    uint64_t stream = high << 32 | low, when = (uint64_t)*s->dem_steps << 2 | (uint64_t)flow;
    return floor(x + shoal_random((uint64_t)s->ctx->description->seed, stream, when));
}

// Whether a slot is near enough for water to pass. Both partners must say the same, so an image is measured from its
// source, in double.
bool grains_is_close(const grains* s, int i, size_t slot) {
    int      j      = s->lists.index[slot];
    shoal_d3 offset = {0.0, 0.0, 0.0};
    if (j >= s->view.count) {
        offset = shoal_d3_from(s->halo.images[j - s->view.count].offset);
        j      = s->halo.images[j - s->view.count].source;
    }
    shoal_v4 a = s->view.place[i], b = s->view.place[j];
    shoal_d3 d     = shoal_d3_sub(shoal_d3_sub(shoal_d3_from(grains_xyz(a)), shoal_d3_from(grains_xyz(b))), offset);
    double   reach = 1.05 * (double)(a.w + b.w);
    return shoal_d3_dot(d, d) < reach * reach;
}

// Who has handed on all but a hundredth takes again: an excess that goes as exp(-k_p t) is never gone, and would shut
// off all that lies behind it.
bool grains_takes(const grains* s, int32_t water) { return (double)water <= 1.01 * (double)s->wet_threshold; }

// How strongly receiver j draws on donor i: all alike, or, with drainage, more the lower they lie. Then overwet ones
// below draw as well, as far as there is room up to wet_max: so a heap that is overwet all through drains.
static double draw(const grains* s, int i, int j) {
    shoal_v3 g      = s->view.gravity;
    float    length = shoal_v3_length(g);
    bool     takes  = grains_takes(s, s->work.water[j]);
    if (s->params.drainage == 0.0f || length == 0.0f) return takes ? 1.0 : 0.0;
    shoal_v3 down = shoal_v3_sub(grains_xyz(s->view.place[j]), grains_xyz(s->view.place[i]));
    double low = (double)s->params.drainage * (double)shoal_v3_dot(down, g) / ((double)length * 2.0 * s->design.radius);
    if (takes) return fmax(0.0, 1.0 + low);
    double most = (double)s->params.wet_max * GRAINS_QUANTA, room = most - (double)s->work.water[j];
    return fmax(low, 0.0) * fmax(room, 0.0) / fmax(most - (double)s->wet_threshold, 1.0);
}

// The excess goes as exp(-k_p t), equation 14 solved; nothing where nobody can take it, and less where they hardly
// draw.
static void offer_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains* s = ctx;
    for (int i = begin; i < end; i++) {
        double sum       = 0.0;
        s->work.offer[i] = 0;
        if (!is_overwet(s, s->work.water[i])) continue;
        GRAINS_EACH_SLOT(s->lists, i, slot) {
            int j = s->lists.index[slot];
            if (grains_is_close(s, i, slot)) sum += draw(s, i, j);
        }
        if (!(sum > 0.0)) continue;
        double excess = (double)(s->work.water[i] - s->wet_threshold), out = excess * s->wet_share * fmin(sum, 1.0);
        s->work.offer[i] = (int32_t)fmin(grains_whole(s, out, GRAINS_SPREADS, s->work.id[i], s->work.id[i]), excess);
    }
}

// What donor i gives to the grain with this id: the rounding is that of running sums, so the parts add up to the offer.
static int32_t part_of(const grains* s, int i, int32_t id) {
    double sum = 0.0, so_far = 0.0;
    for (int round = 0; round < 2; round++) GRAINS_EACH_SLOT(s->lists, i, slot) {
            int j = s->lists.index[slot];
            if (!grains_is_close(s, i, slot)) continue;
            double pull = draw(s, i, j);
            if (round == 0) {
                sum += pull;
                continue;
            }
            double before = so_far;
            so_far += pull;
            if (s->work.id[j] != id) continue;
            double offer = (double)s->work.offer[i];
            return (int32_t)(floor(offer * (so_far / sum)) - floor(offer * (before / sum)));
        }
    return 0;
}

// More neighbours than this no grain has, be it three times as large as they are: to none goes more than such a share.
static const double neighbours_most = 64.0;
// The flow between two neighbours, in shares of their difference, over the rate that the scene gives.
static const double seep_share = 1.0 / 16.0;

double grains_wet_dt(const grains* s) {
    return s->design.is_wet && s->params.diffusion > 0.0f
               ? 1.0 / (neighbours_most * seep_share * (double)s->params.diffusion)
               : (double)INFINITY;
}

// Equal and opposite between two: a share of what the wetter one has more.
static int32_t seep(const grains* s, int i, int j) {
    double more = (double)s->work.water[j] - (double)s->work.water[i], all = fabs(more);
    double flow = fmin(grains_whole(s, all * s->wet_seep, GRAINS_SEEPS, s->work.id[i], s->work.id[j]),
                       floor(all / neighbours_most));
    return (int32_t)(more > 0.0 ? flow : -flow);
}

// Spin times the square of the radius: of each kg, in the same units for all.
static shoal_d3 turning(const grains* s, int i) {
    double r = (double)s->work.place[0][i].w;
    return shoal_d3_scale(shoal_d3_from(grains_xyz(s->work.spin[0][i])), r * r);
}

// The spin of a grain whose kg have this turning, once it has the radius that its water gives it.
void grains_turn(const grains* s, int i, int32_t water, shoal_v3 turning_now, shoal_v4* spin) {
    float size = grains_wet_radius(&s->params, 1.0f, grains_wetness(water)) /
                 grains_wet_radius(&s->params, 1.0f, grains_wetness(s->work.water[i]));
    float    r = s->work.place[0][i].w * size;
    shoal_v3 q = shoal_v3_scale(turning_now, 1.0f / (r * r));
    *spin      = (shoal_v4){q.x, q.y, q.z, spin->w};
}

// With the water goes its momentum and its spin, m r^2 w; velocities to come are in speed[1], spins in spin[1].
static void receive_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains* s    = ctx;
    double  each = grains_water_mass(s->ctx->description) / GRAINS_QUANTA;
    for (int i = begin; i < end; i++) {
        int32_t  water = s->work.water[i] - s->work.offer[i];
        bool     takes = grains_takes(s, s->work.water[i]) || s->params.drainage > 0.0f;
        shoal_v4 u     = s->work.speed[0][i];
        double   mass = (double)u.w * (double)u.w - s->work.offer[i] * each, more = 0.0;
        shoal_d3 sum = {0.0, 0.0, 0.0}, turn = sum;
        GRAINS_EACH_SLOT(s->lists, i, slot) {
            int j = s->lists.index[slot], donor = j < s->view.count ? j : s->halo.images[j - s->view.count].source;
            if (s->work.offer[donor] == 0 && s->work.water[donor] == s->work.water[i]) continue;
            if (!grains_is_close(s, i, slot)) continue;
            int32_t part = takes && s->work.offer[donor] > 0 ? part_of(s, donor, s->work.id[i]) : 0;
            int32_t flow = s->wet_seep > 0.0 ? seep(s, i, j) : 0;
            water += part + flow;
            if (flow < 0)
                mass += flow * each;
            else
                part += flow;
            more += part * each;
            sum  = shoal_d3_add(sum, shoal_d3_scale(shoal_d3_from(grains_xyz(s->work.speed[0][donor])), part * each));
            turn = shoal_d3_add(turn, shoal_d3_scale(turning(s, donor), part * each));
        }
        s->work.water_next[i] = water;
        s->work.spin[1][i]    = s->work.spin[0][i];
        if (water != s->work.water[i]) {
            turn = shoal_d3_add(turn, shoal_d3_scale(turning(s, i), mass));
            grains_turn(s, i, water, shoal_v3_from(shoal_d3_scale(turn, 1.0 / (mass + more))), &s->work.spin[1][i]);
        }
        if (more > 0.0) {
            shoal_d3 own = shoal_d3_scale(shoal_d3_from(grains_xyz(u)), mass);
            shoal_v3 now = shoal_v3_from(shoal_d3_scale(shoal_d3_add(own, sum), 1.0 / (mass + more)));
            u            = (shoal_v4){now.x, now.y, now.z, u.w};
        }
        s->work.speed[1][i] = u;
    }
}

// ---------------------------------------------------------------------------------- exposure

// What stands around a grain: the sum of the ways from all that is near, and how far it closes the side that they leave
// open.
typedef struct outlook {
    shoal_v3 sum, out; // out: of unit length, once it is known
    float    cover;    // cosine of the angle between out and the nearest to it
    bool     is_known;
} outlook;

static void sight(outlook* o, shoal_v3 way) { // from what is seen
    if (!o->is_known)
        o->sum = shoal_v3_add(o->sum, way);
    else
        o->cover = fmaxf(o->cover, -shoal_v3_dot(way, o->out));
}

// Grain i sees who is in the list of `of`, or of its image, which stands `shift` from it.
static void look_at(const grains* s, int i, int of, shoal_v3 shift, outlook* o) {
    const float far = 2.0f; // in mean diameters of the two: the next but one is seen as well
    shoal_v4    x   = s->view.place[i];
    GRAINS_EACH_SLOT(s->lists, of, slot) {
        shoal_v4 y   = s->view.place[s->lists.index[slot]];
        shoal_v3 way = shoal_v3_sub(shoal_v3_sub(grains_xyz(x), grains_xyz(y)), shift);
        float    r   = shoal_v3_length(way);
        if (r > 0.1f * x.w && r < far * (x.w + y.w)) sight(o, shoal_v3_scale(way, 1.0f / r)); // not itself
    }
}

// Neighbours alone would not do: within sand many a grain is touched from one side only, and is behind others all the
// same.
static void look_around(const grains* s, int i, outlook* o) {
    const shoal_v3 none = {0.0f, 0.0f, 0.0f};
    look_at(s, i, i, none, o);
    GRAINS_EACH_SLOT(s->lists, i, slot) {
        int j = s->lists.index[slot];
        if (j < s->view.count)
            look_at(s, i, j, none, o);
        else if (j < s->view.nobody)
            look_at(s, i, s->halo.images[j - s->view.count].source, s->halo.images[j - s->view.count].offset, o);
    }
    for (int k = 0; k < s->lists.solids[i]; k++) {
        shoal_v3 normal;
        grains_solid_distance(&s->view, i, grains_solid_of(&s->view, i, k), &normal);
        sight(o, normal);
    }
}

// Away from all that is near a grain is open as far as nothing stands there: nobody in a cone of 66 degrees about it is
// open sky, somebody at 53 none.
double grains_exposure(const grains* s, int i, shoal_v3* out) {
    outlook o = {.cover = -1.0f};
    look_around(s, i, &o);
    float length = shoal_v3_length(o.sum);
    o.out        = length > 0.0f ? shoal_v3_scale(o.sum, 1.0f / length) : shoal_v3_make(0.0f, 1.0f, 0.0f);
    o.is_known   = true;
    look_around(s, i, &o);
    if (out) *out = o.out;
    return fmin(fmax((0.6 - (double)o.cover) / 0.2, 0.0), 1.0);
}

// ---------------------------------------------------------------------------------- the step

// Open grains dry, but not under water.
static void dry_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*             s = ctx;
    const grains_water* w = s->water;
    for (int i = begin; i < end; i++) {
        int g = w && w->set->count > 0 ? w->seen[s->work.own[i]] : -1;
        if (g >= 0 && w->pair_first[g] < w->pair_first[g + 1]) continue;
        if (s->work.water_next[i] == 0) continue;
        double dried =
            grains_whole(s, s->wet_loss * grains_exposure(s, i, NULL), GRAINS_DRIES, s->work.id[i], s->work.id[i]);
        int32_t loss = (int32_t)fmin(dried, (double)s->work.water_next[i]);
        s->work.water_next[i] -= loss;
    }
}

static double water_sum(void* ctx, int begin, int end) {
    const int32_t* water = ctx;
    int64_t        sum   = 0;
    for (int i = begin; i < end; i++) sum += water[i];
    return (double)sum; // whole numbers below 2^53 are exact
}

int64_t grains_water_total(const grains* s, const int32_t* water, int count) {
    return (int64_t)shoal_sum(&s->ctx->exec, count, water_sum, (void*)water);
}

shoal_status grains_wet_step(grains* s, double dt) {
    const shoal_exec* exec  = &s->ctx->exec;
    int               count = s->view.count;
    SHOAL_SHARE(&s->halo, count, SHOAL_SHOW(s->work.water, SAME));
    s->wet_threshold = grains_threshold(&s->params);
    s->wet_dt        = dt;
    s->wet_share     = 1.0 - exp(-(double)s->params.spread_rate * dt);
    s->wet_seep      = seep_share * (double)s->params.diffusion * dt;
    s->wet_loss      = (double)s->params.drying * dt * GRAINS_QUANTA;
    int64_t before   = grains_water_total(s, s->work.water, count);
    shoal_blocks(exec, count, GRAINS_BLOCK, offer_block, s);
    shoal_blocks(exec, count, GRAINS_BLOCK, receive_block, s);
    int64_t after = grains_water_total(s, s->work.water_next, count);
    if (after != before)
        return shoal_fail(SHOAL_ERR_INTERNAL, "wetness: %lld quanta of water went astray", (long long)(after - before));
    if (s->wet_loss > 0.0) shoal_blocks(exec, count, GRAINS_BLOCK, dry_block, s);
    s->books->evaporated += after - grains_water_total(s, s->work.water_next, count);
    int32_t*  swap     = s->work.water;
    shoal_v4* speed    = s->work.speed[0];
    s->work.water      = s->work.water_next;
    s->work.water_next = swap;
    s->work.speed[0]   = s->work.speed[1];
    s->work.speed[1]   = speed;
    shoal_v4* spin     = s->work.spin[0];
    s->work.spin[0]    = s->work.spin[1];
    s->work.spin[1]    = spin;
    return SHOAL_OK;
}
