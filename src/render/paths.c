// SPDX-License-Identifier: MIT
// One path of light, backwards from the eye. Until it meets something matte it is bent and
// reflected by water and glass; there it asks sun and lamps, and goes on straight through water and
// glass (see tracer.h).
#include "render/optics.h"
#include "render/rays.h"

enum {
    BOUNCES_SURE = 6,       // from here on paths between mirrors end by chance
    PASSES_MOST  = 64,      // surfaces within another medium on the way of one path
    MIRROR_PAIRS = 1 << 10, // of random numbers from those of a bent path to those of its mirrored
};
#define MIRROR_SURE 0.1f // fraction of a mirror that is always followed
// The disc of the sun is seen over this many mirrors; over more it is but dots.
#define SUN_BOUNCES 2
// Over a mirror the sun is a soft spot of at least this half width: its true disc is met by one ray
// in thousands on ruffled water, and those are white dots [Kaplanyan & Dachsbacher, Path Space
// Regularization for Holistic and Robust Light Transport, CGF 2013]. It is held below this fraction of
// what other light by chance is, so that one sample of sixteen makes no dot and all of them a
// glint.
#define GLINT_COSINE 0.99863f // 3 degrees
#define GLINT_FRACTION 0.25f
#define WET_SPREAD 0.985f // cosine of the cone in which wet grains mirror
#define WATER_IOR 1.333f

typedef struct walk {
    const render_tracer* tracer;
    const render_job*    job;
    render_sampler*      sampler;
    render_sum*          met;
    render_ray           ray;
    shoal_v3             through, light; // what is left of light on the way here; gathered
    bool                 is_light;       // it has met something matte
    bool                 has_albedo;
    int                  bounce, matte_count;
    render_media         media;
} walk;

typedef struct contact {
    float                    t;
    const render_appearance* appearance;
    int                      appearance_index;
    shoal_v3                 at, flat, normal; // flat: of the triangle, outwards; normal: as shaded
    shoal_v3                 color;
    float                    wetness;
} contact;

// --- geometries

static shoal_v3 of_triangle(const shoal_v3* values, const int* corner, float u, float v) {
    shoal_v3 sum = shoal_v3_scale(values[corner[0]], 1.0f - u - v);
    return shoal_v3_add_scaled(shoal_v3_add_scaled(sum, values[corner[1]], u), values[corner[2]], v);
}

static void contact_fill(const walk* w, const render_strike* s, contact* c) {
    const render_geometry* geometry = s->geometry;
    c->t                            = s->t;
    c->appearance_index             = geometry ? geometry->appearance : w->tracer->ground;
    c->appearance                   = &w->tracer->appearances[c->appearance_index];
    c->at                           = shoal_v3_add_scaled(w->ray.from, w->ray.way, c->t);
    c->flat                         = render_unit_of(s->flat);
    c->normal                       = c->flat;
    c->color                        = c->appearance->color;
    c->wetness                      = 0.0f;
    if (!geometry) return;
    if (geometry->is_balls) {
        if (geometry->balls.colors) c->color = geometry->balls.colors[s->triangle];
        if (geometry->balls.wetness) c->wetness = geometry->balls.wetness[s->triangle];
        return;
    }
    const render_mesh* m      = &geometry->mesh;
    const int*         corner = m->triangles + 3 * (size_t)s->triangle;
    float              u = s->u, v = s->v;
    if (m->normals && !(m->is_flat && m->is_flat[s->triangle]))
        c->normal = render_unit_of(of_triangle(m->normals, corner, u, v));
    if (m->colors) c->color = of_triangle(m->colors, corner, u, v);
    if (m->texture_fn) m->texture_fn(m->texture, c->at, &c->color, &c->normal);
    if (m->wetness)
        c->wetness = (1.0f - u - v) * m->wetness[corner[0]] + u * m->wetness[corner[1]] + v * m->wetness[corner[2]];
    // seen from both sides of the true surface or from none
    if (shoal_v3_dot(c->normal, w->ray.way) * shoal_v3_dot(c->flat, w->ray.way) <= 0.0f) c->normal = c->flat;
}

static void gather(walk* w, shoal_v3 light) { w->light = shoal_v3_add(w->light, render_mul(w->through, light)); }

// Light met by chance after a bounce is held, or single samples of the sun stay as dots.
static void gather_below(walk* w, shoal_v3 light, float limit) {
    float most    = render_most(render_mul(w->through, light));
    bool  is_held = w->bounce > 0 && limit > 0.0f && most > limit;
    gather(w, is_held ? shoal_v3_scale(light, limit / most) : light);
}

static void gather_held(walk* w, shoal_v3 light) { gather_below(w, light, w->job->lights->most); }

// Panes mirror the sky alone, which takes no ray and makes no noise.
static void pass_panes(walk* w, float far) {
    static const shoal_v3 green = {0.62f, 0.80f, 0.76f}, aside = {1.0f, 0.0f, 0.0f};
    render_glint          glints[RENDER_PANES_MOST];
    int                   count = render_ray_panes(w->tracer, &w->ray, far, glints);
    for (int k = 0; k < count; k++) {
        // what is below the horizon is ground, soon as dark as straight down
        shoal_v3 way = glints[k].way, sky;
        if (way.y < 0.0f) way.y = render_max(-1.0f, 6.0f * way.y);
        // an edge gathers the light of the whole sky, a little green
        sky =
            glints[k].is_edge ? render_mul(green, render_sky(w->job->lights, aside)) : render_sky(w->job->lights, way);
        gather(w, shoal_v3_scale(sky, glints[k].fraction));
        w->through = shoal_v3_scale(w->through, 1.0f - glints[k].fraction);
    }
}

// The next thing on the way; false: none. Takes what the way there costs.
static bool meet(walk* w, contact* c) {
    render_strike strike;
    if (w->is_light) {
        shoal_v3 transmitted;
        bool     is_met = render_ray_fall(w->tracer, &w->ray, &w->media, &strike, &transmitted);
        w->through      = render_mul(w->through, transmitted);
        if (is_met) contact_fill(w, &strike, c);
        return is_met;
    }
    bool is_met = render_ray_meet(w->tracer, &w->ray, &strike);
    if (w->tracer->pane_count > 0) pass_panes(w, is_met ? strike.t : RENDER_FAR);
    if (!is_met) return false;
    contact_fill(w, &strike, c);
    // A dielectric is left from within and entered from without. Where the path knew otherwise, by
    // rounding at an edge or a mesh that folds over itself, the way was not in it, or a drop would
    // be as dark as metres of it.
    bool is_clear = c->appearance->kind == RENDER_DIELECTRIC;
    bool is_exit  = is_clear && shoal_v3_dot(c->flat, w->ray.way) > 0.0f;
    if (is_clear && render_media_holds(&w->media, c->appearance_index) != is_exit)
        render_media_leave(&w->media, c->appearance_index);
    int inside = render_media_filling(&w->media, w->tracer->appearances);
    if (inside >= 0)
        w->through = render_mul(w->through, render_absorbed(w->tracer->appearances[inside].absorption, c->t));
    if (is_exit) render_media_enter(&w->media, c->appearance_index);
    return true;
}

// --- light

// The sun itself, in the direction of a ray that has been mirrored or bent so many times.
static shoal_v3 sun_seen(const render_lights* l, shoal_v3 way, int bounce) {
    float rim = l->sun_cosine, cosine = shoal_v3_dot(way, l->sun), fraction = 1.0f;
    if (bounce > 0 && rim > GLINT_COSINE) {
        rim      = GLINT_COSINE;
        fraction = 2.0f * (cosine - rim) / (1.0f - rim); // 1 in the mean
    }
    float solid = 2.0f * (float)SHOAL_PI * (1.0f - rim);
    return shoal_v3_scale(l->sun_light, cosine > rim ? fraction / solid : 0.0f);
}

static void meet_sky(walk* w) {
    const render_lights* l   = w->job->lights;
    shoal_v3             sky = render_sky(l, w->ray.way);
    gather_held(w, shoal_v3_scale(sky, w->is_light ? l->sky_strength : 1.0f));
    if (!w->is_light && w->bounce <= SUN_BOUNCES)
        gather_below(w, sun_seen(l, w->ray.way, w->bounce), GLINT_FRACTION * l->most);
}

static void ask_sun(walk* w, shoal_v3 normal, shoal_v3 albedo) {
    const render_lights* l = w->job->lights;
    float                u, v;
    render_sample2(w->sampler, &u, &v);
    if (!(render_most(l->sun_light) > 0.0f)) return;
    shoal_v3 way    = render_cone_way(l->sun, l->sun_cosine, u, v);
    float    cosine = shoal_v3_dot(way, normal);
    if (cosine <= 0.0f) return;
    render_ray ray   = {w->ray.from, way, w->ray.time};
    shoal_v3   light = render_mul(l->sun_light, render_ray_ask(w->tracer, &ray, RENDER_FAR, &w->media));
    gather(w, shoal_v3_scale(render_mul(albedo, light), cosine / (float)SHOAL_PI));
}

static void ask_lamp(walk* w, shoal_v3 normal, shoal_v3 albedo) {
    const render_lights* l = w->job->lights;
    float                u, v;
    if (l->lamp_count == 0) return;
    int which = (int)(render_sample1(w->sampler) * (float)l->lamp_count);
    render_sample2(w->sampler, &u, &v);
    const render_lamp* lamp  = &l->lamps[which < l->lamp_count ? which : l->lamp_count - 1];
    shoal_v3           point = shoal_v3_add_scaled(lamp->at, lamp->right, (2.0f * u - 1.0f) * lamp->half);
    point                    = shoal_v3_add_scaled(point, lamp->up, (2.0f * v - 1.0f) * lamp->half);
    shoal_v3 d               = shoal_v3_sub(point, w->ray.from);
    float    far = shoal_v3_length(d), area = 4.0f * lamp->half * lamp->half;
    shoal_v3 way    = render_unit_of(d);
    float    cosine = shoal_v3_dot(way, normal), facing = -shoal_v3_dot(way, lamp->forward);
    if (cosine <= 0.0f || facing <= 0.0f) return;
    float      fraction = cosine * facing * area * (float)l->lamp_count / ((float)SHOAL_PI * far * far);
    render_ray ray      = {w->ray.from, way, w->ray.time};
    shoal_v3   light    = render_mul(lamp->light, render_ray_ask(w->tracer, &ray, 0.999f * far, &w->media));
    light               = shoal_v3_scale(render_mul(albedo, light), fraction);
    if (w->matte_count > 0)
        gather_held(w, light); // a lamp next to what is but lit by chance
    else
        gather(w, light);
}

// --- what happens at a surface; false: the path ends

static void step_off(walk* w, const contact* c, shoal_v3 way) {
    float side  = shoal_v3_dot(way, c->flat) > 0.0f ? 1.0f : -1.0f;
    float most  = render_max(fabsf(c->at.x), render_max(fabsf(c->at.y), fabsf(c->at.z)));
    w->ray.from = shoal_v3_add_scaled(c->at, c->flat, side * (w->tracer->nudge + 1e-6f * most));
    w->ray.way  = way;
}

static float ground_line(float x, float tile) {
    float f = x / tile - floorf(x / tile);
    return render_min(f, 1.0f - f) * tile;
}

// Tiles, and the horizon the further away the more; false where there is nothing else.
static bool ground_color(walk* w, contact* c) {
    const render_appearance* appearance = c->appearance;
    shoal_v3                 d          = shoal_v3_sub(c->at, appearance->middle);
    float                    far        = sqrtf(d.x * d.x + d.z * d.z);
    float                    fade       = (far - appearance->fade_from) / (appearance->fade_to - appearance->fade_from);
    fade                                = render_min(1.0f, render_max(0.0f, fade));
    fade                                = fade * fade * (3.0f - 2.0f * fade);
    if (fade > 0.0f) {
        shoal_v3 level = render_unit_of(shoal_v3_make(w->ray.way.x, 0.0f, w->ray.way.z));
        float    light = w->is_light ? w->job->lights->sky_strength : 1.0f;
        gather(w, shoal_v3_scale(render_sky(w->job->lights, level), fade * light));
        w->through = shoal_v3_scale(w->through, 1.0f - fade);
        if (fade > 0.99f) return false;
    }
    if (appearance->tile > 0.0f) {
        float near = render_min(ground_line(c->at.x, appearance->tile), ground_line(c->at.z, appearance->tile));
        if (near < 0.012f * appearance->tile) c->color = appearance->joint;
    }
    return true;
}

static bool bounce_matte(walk* w, contact* c) {
    float u, v, beyond;
    if (c->appearance->kind == RENDER_GROUND && !ground_color(w, c)) return false;
    if (shoal_v3_dot(c->normal, w->ray.way) > 0.0f) c->normal = shoal_v3_scale(c->normal, -1.0f);
    float    wet    = render_min(render_max(c->wetness, 0.0f), 1.0f);
    shoal_v3 albedo = render_wetted(c->color, wet);
    if (!w->has_albedo) w->met->albedo = shoal_v3_add(w->met->albedo, albedo);
    w->has_albedo = true;
    // a film of water on wet grains: moist ones have it in their pores still
    if (wet > 0.0f && !w->is_light) {
        float cosine = -shoal_v3_dot(c->normal, w->ray.way);
        if (render_sample1(w->sampler) < wet * wet * render_fresnel(cosine, 1.0f / WATER_IOR, &beyond)) {
            render_sample2(w->sampler, &u, &v);
            shoal_v3 way = render_cone_way(render_mirror(w->ray.way, c->normal), WET_SPREAD, u, v);
            step_off(w, c, way);
            return shoal_v3_dot(way, c->normal) > 0.0f;
        }
    }
    step_off(w, c, c->normal);
    w->is_light = true;
    ask_sun(w, c->normal, albedo);
    ask_lamp(w, c->normal, albedo);
    if (++w->matte_count >= 2) {
        float stay = render_min(0.95f, render_max(0.05f, render_most(albedo)));
        if (render_sample1(w->sampler) >= stay) return false;
        w->through = shoal_v3_scale(w->through, 1.0f / stay);
    }
    w->through = render_mul(w->through, albedo);
    render_sample2(w->sampler, &u, &v);
    w->ray.way = render_cosine_way(c->normal, u, v);
    return true;
}

static void walk_on(walk* w);

// A way off a surface must leave it on the side it is meant to; if the shaded normal leads astray,
// the true one serves.
static shoal_v3 mirrored(const walk* w, const contact* c, shoal_v3 normal) {
    shoal_v3 way = render_mirror(w->ray.way, normal);
    return shoal_v3_dot(way, c->flat) * shoal_v3_dot(w->ray.way, c->flat) < 0.0f ? way
                                                                                 : render_mirror(w->ray.way, c->flat);
}

static shoal_v3 bent(const walk* w, const contact* c, shoal_v3 normal, float eta) {
    float beyond, cosine = render_min(1.0f, -shoal_v3_dot(normal, w->ray.way));
    render_fresnel(cosine, eta, &beyond);
    shoal_v3 way = render_unit_of(shoal_v3_add_scaled(shoal_v3_scale(w->ray.way, eta), normal, eta * cosine - beyond));
    return shoal_v3_dot(way, c->flat) * shoal_v3_dot(w->ray.way, c->flat) > 0.0f ? way : w->ray.way;
}

// The media beyond a surface.
static render_media media_past(const walk* w, const contact* c) {
    render_media past = w->media;
    if (shoal_v3_dot(c->flat, w->ray.way) > 0.0f)
        render_media_leave(&past, c->appearance_index);
    else
        render_media_enter(&past, c->appearance_index);
    return past;
}

// A dielectric that ends or begins within one of higher rank is no surface at all.
static bool pass_within(walk* w, const contact* c) {
    if (c->appearance->kind != RENDER_DIELECTRIC || w->is_light) return false;
    const render_appearance* appearances = w->tracer->appearances;
    render_media             past        = media_past(w, c);
    if (render_media_filling(&w->media, appearances) != render_media_filling(&past, appearances)) return false;
    w->media = past;
    step_off(w, c, w->ray.way);
    return true;
}

// What is seen first is both mirrored and bent, or noise would be all over the water. A faint
// mirror image is followed by chance, unless it is the sun's.
static void follow_mirrored(walk* w, const contact* c, shoal_v3 way, float fraction) {
    const render_lights* l       = w->job->lights;
    bool                 is_sun  = shoal_v3_dot(way, l->sun) > render_min(l->sun_cosine, GLINT_COSINE);
    float                stay    = is_sun ? 1.0f : render_min(1.0f, fraction / MIRROR_SURE);
    render_sampler       sampler = *w->sampler;
    sampler.dimension += MIRROR_PAIRS;
    if (stay < 1.0f && render_sample1(&sampler) >= stay) return;
    walk both       = *w;
    both.sampler    = &sampler;
    both.through    = shoal_v3_scale(w->through, fraction / stay);
    both.bounce     = 1;
    both.has_albedo = true; // of the bent ray
    step_off(&both, c, way);
    walk_on(&both);
    w->light = both.light;
}

static bool bounce_dielectric(walk* w, const contact* c) {
    const render_appearance* appearances = w->tracer->appearances;
    shoal_v3     normal = shoal_v3_dot(c->flat, w->ray.way) > 0.0f ? shoal_v3_scale(c->normal, -1.0f) : c->normal;
    render_media past   = media_past(w, c);
    float        eta    = render_media_ior(render_media_filling(&w->media, appearances), appearances) /
                render_media_ior(render_media_filling(&past, appearances), appearances);
    float beyond, mirror = render_fresnel(render_min(1.0f, -shoal_v3_dot(normal, w->ray.way)), eta, &beyond);
    if (w->bounce == 0 && mirror < 1.0f) {
        follow_mirrored(w, c, mirrored(w, c, normal), mirror);
        w->through = shoal_v3_scale(w->through, 1.0f - mirror);
    } else if (render_sample1(w->sampler) < mirror) {
        step_off(w, c, mirrored(w, c, normal));
        return true;
    }
    w->media = past;
    step_off(w, c, bent(w, c, normal, eta));
    return true;
}

static bool bounce(walk* w, contact* c) {
    switch (c->appearance->kind) {
    case RENDER_MATTE:
    case RENDER_GROUND:
        return bounce_matte(w, c);
    case RENDER_DIELECTRIC:
        return bounce_dielectric(w, c);
    case RENDER_PANE: // is passed on the way
        return false;
    case RENDER_LAMP:
        if (!w->is_light && shoal_v3_dot(c->flat, w->ray.way) < 0.0f) gather_held(w, c->color);
        return false;
    }
    return false;
}

// Paths between mirrors end by chance, and the last by the sky, so that deep water is not black.
static bool goes_on(walk* w) {
    if (w->bounce >= w->job->bounces) {
        if (!w->is_light) meet_sky(w);
        return false;
    }
    if (w->bounce < BOUNCES_SURE || w->is_light) return true;
    float stay = render_min(0.95f, render_max(0.1f, render_most(w->through)));
    if (render_sample1(w->sampler) >= stay) return false;
    w->through = shoal_v3_scale(w->through, 1.0f / stay);
    return true;
}

static void walk_on(walk* w) {
    float far    = 0.0f; // before the first surface, through those that are none
    int   passes = 0;
    for (;; w->bounce++) {
        contact c;
        bool    is_met = meet(w, &c);
        while (is_met && passes < PASSES_MOST && pass_within(w, &c)) {
            far += c.t;
            passes++;
            is_met = meet(w, &c);
        }
        if (w->bounce == 0 && is_met) {
            w->met->normal = shoal_v3_add(w->met->normal, c.normal);
            w->met->depth += far + c.t;
        }
        if (!is_met) {
            meet_sky(w);
            return;
        }
        if (!bounce(w, &c) || !goes_on(w)) return;
    }
}

shoal_v3 render_path(const render_tracer* tracer, const render_job* job, shoal_v3 from, shoal_v3 way, float time,
                     render_sampler* sampler, render_sum* met) {
    walk w  = {.tracer  = tracer,
               .job     = job,
               .sampler = sampler,
               .met     = met,
               .ray     = {from, way, time},
               .through = {1.0f, 1.0f, 1.0f}};
    w.media = render_media_at(tracer, &w.ray);
    walk_on(&w);
    if (!w.has_albedo) met->albedo = shoal_v3_add(met->albedo, shoal_v3_make(1.0f, 1.0f, 1.0f));
    return w.light;
}
