// SPDX-License-Identifier: MIT
// One path of light, backwards from the eye. Until it meets something matte it is bent and
// reflected by water and glass; there it asks sun and lamps, and goes on straight through water and
// glass (see tracer.h).
#include "render/optics.h"
#include "render/tracer_local.h"

#include <string.h>

enum {
    MEDIA_MOST     = 4,  // glass in water in glass ...
    CROSSINGS_MOST = 32, // of dielectrics by one straight ray; more are taken for nothing
    GLINTS_MOST    = 8,  // panes on the way of one ray
    BOUNCES_SURE   = 6,  // from here on paths between mirrors end by chance
};
// Light after a bounce is held below this, or single samples of the sun stay as dots.
#define LIGHT_MOST 12.0f
// The disc of the sun is seen over this many mirrors; over more it is but dots.
#define SUN_BOUNCES 2
#define WET_ALBEDO 0.45f  // of wet sand to dry [Lekner & Dorf, Applied Optics 27, 1988]
#define WET_SPREAD 0.985f // cosine of the cone in which wet grains mirror
#define WATER_IOR 1.333f
// A pane seen edge-on mirrors no more than this, or it would hide the tank.
#define PANE_MOST 0.3f
#define FAR 1e30f

typedef struct crossing {
    float t;
    int   look;
    bool  is_exit;
} crossing;

// A pane on the way of a camera ray.
typedef struct glint {
    float    t, share;
    shoal_v3 way; // mirrored
} glint;

// What the filters know about the ray at hand.
typedef struct errand {
    struct RTCIntersectContext base; // Embree hands back its address
    const render_tracer*       tracer;
    bool                       is_light;  // dielectrics are passed straight
    bool                       is_asking; // sun and lamps: crossings dim by Fresnel
    shoal_v3                   dimmed;    // by panes and Fresnel
    int                        crossing_count;
    crossing                   crossings[CROSSINGS_MOST];
    int                        glint_count;
    glint                      glints[GLINTS_MOST];
} errand;

typedef struct walk {
    const render_tracer* tracer;
    const render_job*    job;
    render_sampler*      sampler;
    render_pixel*        met;
    shoal_v3             from, way;
    float                time;
    shoal_v3             through, light; // what is left of light on the way here; gathered
    bool                 is_light;       // it has met something matte
    bool                 has_albedo;
    int                  bounce, matte_count;
    int                  media[MEDIA_MOST], depth; // looks it is inside of, the innermost last
} walk;

typedef struct contact {
    float              t;
    const render_look* look;
    int                look_index;
    shoal_v3           at, flat, normal; // flat: of the triangle, outwards; normal: as shaded
    shoal_v3           color;
    float              wetness;
} contact;

// --- what Embree asks

// Rays come one by one, and a packet of one is laid out like a single ray and a single hit.
static const struct RTCRay* ray_of(const struct RTCFilterFunctionNArguments* args) {
    return (const struct RTCRay*)args->ray;
}
static const struct RTCHit* hit_of(const struct RTCFilterFunctionNArguments* args) {
    return (const struct RTCHit*)args->hit;
}

static float hit_cosine(const struct RTCFilterFunctionNArguments* args, bool* is_exit) {
    const struct RTCRay* ray    = ray_of(args);
    const struct RTCHit* hit    = hit_of(args);
    shoal_v3             n      = render_unit_of(shoal_v3_make(hit->Ng_x, hit->Ng_y, hit->Ng_z));
    float                cosine = n.x * ray->dir_x + n.y * ray->dir_y + n.z * ray->dir_z;
    *is_exit                    = cosine > 0.0f;
    return fabsf(cosine);
}

// Panes are never hit: they mirror the sky alone, which takes no ray and makes no noise.
void render_pane_filter(const struct RTCFilterFunctionNArguments* args) {
    errand* e      = (errand*)args->context;
    args->valid[0] = 0;
    if (e->is_light || e->glint_count == GLINTS_MOST) return;
    bool                 is_exit;
    const struct RTCRay* ray = ray_of(args);
    const struct RTCHit* hit = hit_of(args);
    const float          ior = e->tracer->looks[e->tracer->things[hit->geomID].look].ior;
    shoal_v3             n   = render_unit_of(shoal_v3_make(hit->Ng_x, hit->Ng_y, hit->Ng_z));
    shoal_v3             way = shoal_v3_make(ray->dir_x, ray->dir_y, ray->dir_z);
    float share = fminf(PANE_MOST, render_pane_fresnel(hit_cosine(args, &is_exit), ior));
    e->glints[e->glint_count++] = (glint){ray->tfar, share, render_mirror(way, n)};
}

// Light passes dielectrics and keeps in mind where.
static void light_filter(const struct RTCFilterFunctionNArguments* args) {
    errand* e = (errand*)args->context;
    if (!args->valid[0]) return;
    int                look_index = e->tracer->things[hit_of(args)->geomID].look;
    const render_look* look       = &e->tracer->looks[look_index];
    if (look->kind != RENDER_DIELECTRIC) return;
    bool  is_exit;
    float cosine = hit_cosine(args, &is_exit), beyond;
    if (e->is_asking)
        e->dimmed =
            shoal_v3_scale(e->dimmed, 1.0f - render_fresnel(cosine, 1.0f / look->ior, &beyond));
    if (e->crossing_count < CROSSINGS_MOST)
        e->crossings[e->crossing_count++] = (crossing){ray_of(args)->tfar, look_index, is_exit};
    args->valid[0] = 0;
}

static void errand_begin(errand* e, const walk* w, bool is_light, bool is_asking) {
    rtcInitIntersectContext(&e->base);
    e->tracer         = w->tracer;
    e->is_light       = is_light;
    e->is_asking      = is_asking;
    e->dimmed         = shoal_v3_make(1.0f, 1.0f, 1.0f);
    e->crossing_count = 0;
    e->glint_count    = 0;
    if (is_light && w->tracer->has_clear) e->base.filter = light_filter;
}

static struct RTCRay ray_make(const walk* w, shoal_v3 from, shoal_v3 way, float far) {
    return (struct RTCRay){.org_x = from.x,
                           .org_y = from.y,
                           .org_z = from.z,
                           .tnear = 0.0f,
                           .dir_x = way.x,
                           .dir_y = way.y,
                           .dir_z = way.z,
                           .time  = w->time,
                           .tfar  = far,
                           .mask  = 0xffffffffu};
}

// What a straight ray of length t kept of its light; *inside: the look it ends in, -1: none.
static shoal_v3 passed(const errand* e, float t, int* inside) {
    shoal_v3 sum     = shoal_v3_make(0.0f, 0.0f, 0.0f);
    int      balance = *inside >= 0, last = *inside;
    if (e->crossing_count == 0 && last < 0) return e->dimmed;
    for (int k = 0; k < e->crossing_count; k++) {
        const crossing* c = &e->crossings[k];
        if (c->t >= t) continue;
        sum = shoal_v3_add_scaled(sum, e->tracer->looks[c->look].absorption,
                                  c->is_exit ? c->t : -c->t);
        balance += c->is_exit ? -1 : 1;
        last = c->look;
    }
    *inside = balance > 0 ? last : -1;
    if (*inside >= 0) sum = shoal_v3_add_scaled(sum, e->tracer->looks[last].absorption, t);
    return render_mul(e->dimmed, shoal_v3_make(expf(-fmaxf(0.0f, sum.x)), expf(-fmaxf(0.0f, sum.y)),
                                               expf(-fmaxf(0.0f, sum.z))));
}

// --- things

static shoal_v3 of_triangle(const shoal_v3* values, const int* corner, float u, float v) {
    shoal_v3 sum = shoal_v3_scale(values[corner[0]], 1.0f - u - v);
    return shoal_v3_add_scaled(shoal_v3_add_scaled(sum, values[corner[1]], u), values[corner[2]],
                               v);
}

static void contact_fill(const walk* w, const struct RTCRayHit* hit, contact* c) {
    const render_thing* thing = &w->tracer->things[hit->hit.geomID];
    size_t              prim  = hit->hit.primID;
    c->t                      = hit->ray.tfar;
    c->look_index             = thing->look;
    c->look                   = &w->tracer->looks[thing->look];
    c->at                     = shoal_v3_add_scaled(w->from, w->way, c->t);
    c->flat    = render_unit_of(shoal_v3_make(hit->hit.Ng_x, hit->hit.Ng_y, hit->hit.Ng_z));
    c->normal  = c->flat;
    c->color   = c->look->color;
    c->wetness = 0.0f;
    if (thing->is_balls) {
        if (thing->balls.colors) c->color = thing->balls.colors[prim];
        if (thing->balls.wetness) c->wetness = thing->balls.wetness[prim];
        return;
    }
    const render_mesh* m      = &thing->mesh;
    const int*         corner = m->triangles + 3 * prim;
    float              u = hit->hit.u, v = hit->hit.v;
    if (m->normals && !(m->is_flat && m->is_flat[prim]))
        c->normal = render_unit_of(of_triangle(m->normals, corner, u, v));
    if (m->colors) c->color = of_triangle(m->colors, corner, u, v);
    if (m->color_at) c->color = m->color_at(m->texture, c->at);
    if (m->wetness)
        c->wetness = (1.0f - u - v) * m->wetness[corner[0]] + u * m->wetness[corner[1]] +
                     v * m->wetness[corner[2]];
    // seen from both sides of the true surface or from none
    if (shoal_v3_dot(c->normal, w->way) * shoal_v3_dot(c->flat, w->way) <= 0.0f)
        c->normal = c->flat;
}

static void gather(walk* w, shoal_v3 light) {
    shoal_v3 sum  = render_mul(w->through, light);
    float    most = render_most(sum);
    if (w->bounce > 0 && most > LIGHT_MOST) sum = shoal_v3_scale(sum, LIGHT_MOST / most);
    w->light = shoal_v3_add(w->light, sum);
}

// Panes nearer than `t`, the nearest first.
static void pass_panes(walk* w, errand* e, float t) {
    for (;;) {
        glint* next = NULL;
        for (int k = 0; k < e->glint_count; k++)
            if (e->glints[k].t < t && (!next || e->glints[k].t < next->t)) next = &e->glints[k];
        if (!next) return;
        // what is below the horizon is ground, soon as dark as straight down
        shoal_v3 way = next->way;
        if (way.y < 0.0f) way.y = fmaxf(-1.0f, 6.0f * way.y);
        gather(w, shoal_v3_scale(render_sky(w->job->lights, way), next->share));
        w->through = shoal_v3_scale(w->through, 1.0f - next->share);
        next->t    = FAR;
    }
}

// The next thing on the way; false: none. Takes what the way there costs.
static bool meet(walk* w, contact* c) {
    errand e;
    errand_begin(&e, w, w->is_light, false);
    struct RTCRayHit hit = {.ray        = ray_make(w, w->from, w->way, FAR),
                            .hit.geomID = RTC_INVALID_GEOMETRY_ID};
    rtcIntersect1(w->tracer->scene, &e.base, &hit);
    bool is_met = hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    if (is_met) contact_fill(w, &hit, c);
    if (e.glint_count > 0) pass_panes(w, &e, hit.ray.tfar);
    if (w->is_light) {
        int inside  = w->depth > 0 ? w->media[w->depth - 1] : -1;
        w->through  = render_mul(w->through, passed(&e, is_met ? c->t : FAR, &inside));
        w->depth    = inside >= 0;
        w->media[0] = inside;
    } else if (is_met) {
        // a ray that leaves a dielectric was in it, whatever rounding made of its entry
        bool is_leaving =
            c->look->kind == RENDER_DIELECTRIC && shoal_v3_dot(c->flat, w->way) > 0.0f;
        int inside = is_leaving ? c->look_index : w->depth > 0 ? w->media[w->depth - 1] : -1;
        if (inside >= 0)
            w->through =
                render_mul(w->through, render_absorbed(w->tracer->looks[inside].absorption, c->t));
    }
    return is_met;
}

// --- light

static void meet_sky(walk* w) {
    const render_lights* l   = w->job->lights;
    shoal_v3             sky = render_sky(l, w->way);
    if (w->is_light) {
        sky = shoal_v3_scale(sky, l->sky_strength);
    } else if (w->bounce <= SUN_BOUNCES && shoal_v3_dot(w->way, l->sun) > l->sun_cosine) {
        float solid = 2.0f * (float)SHOAL_PI * (1.0f - l->sun_cosine);
        sky         = shoal_v3_add_scaled(sky, l->sun_light, 1.0f / solid);
    }
    gather(w, sky);
}

// What comes through from a light at `far` metres.
static shoal_v3 unshadowed(const walk* w, shoal_v3 from, shoal_v3 way, float far) {
    errand e;
    int    inside = -1;
    errand_begin(&e, w, true, true);
    struct RTCRay ray = ray_make(w, from, way, far);
    rtcOccluded1(w->tracer->scene, &e.base, &ray);
    if (ray.tfar < 0.0f) return shoal_v3_make(0.0f, 0.0f, 0.0f);
    return passed(&e, FAR, &inside);
}

static void ask_sun(walk* w, shoal_v3 from, shoal_v3 normal, shoal_v3 albedo) {
    const render_lights* l = w->job->lights;
    float                u, v;
    render_sample2(w->sampler, &u, &v);
    if (!(render_most(l->sun_light) > 0.0f)) return;
    shoal_v3 way    = render_cone_way(l->sun, l->sun_cosine, u, v);
    float    cosine = shoal_v3_dot(way, normal);
    if (cosine <= 0.0f) return;
    shoal_v3 light = render_mul(l->sun_light, unshadowed(w, from, way, FAR));
    gather(w, shoal_v3_scale(render_mul(albedo, light), cosine / (float)SHOAL_PI));
}

static void ask_lamp(walk* w, shoal_v3 from, shoal_v3 normal, shoal_v3 albedo) {
    const render_lights* l = w->job->lights;
    float                u, v;
    if (l->lamp_count == 0) return;
    int which = (int)(render_sample1(w->sampler) * (float)l->lamp_count);
    render_sample2(w->sampler, &u, &v);
    const render_lamp* lamp = &l->lamps[which < l->lamp_count ? which : l->lamp_count - 1];
    shoal_v3 point = shoal_v3_add_scaled(lamp->at, lamp->right, (2.0f * u - 1.0f) * lamp->half);
    point          = shoal_v3_add_scaled(point, lamp->up, (2.0f * v - 1.0f) * lamp->half);
    shoal_v3 d     = shoal_v3_sub(point, from);
    float    far = shoal_v3_length(d), area = 4.0f * lamp->half * lamp->half;
    shoal_v3 way    = render_unit_of(d);
    float    cosine = shoal_v3_dot(way, normal), facing = -shoal_v3_dot(way, lamp->forward);
    if (cosine <= 0.0f || facing <= 0.0f) return;
    float    share = cosine * facing * area * (float)l->lamp_count / ((float)SHOAL_PI * far * far);
    shoal_v3 light = render_mul(lamp->light, unshadowed(w, from, way, 0.999f * far));
    gather(w, shoal_v3_scale(render_mul(albedo, light), share));
}

// --- what happens at a surface; false: the path ends

static void step_off(walk* w, const contact* c, shoal_v3 way) {
    float side = shoal_v3_dot(way, c->flat) > 0.0f ? 1.0f : -1.0f;
    float most = fmaxf(fabsf(c->at.x), fmaxf(fabsf(c->at.y), fabsf(c->at.z)));
    w->from    = shoal_v3_add_scaled(c->at, c->flat, side * (w->tracer->nudge + 1e-6f * most));
    w->way     = way;
}

static float ground_line(float x, float tile) {
    float f = x / tile - floorf(x / tile);
    return fminf(f, 1.0f - f) * tile;
}

// Tiles, and the horizon the further away the more; false where there is nothing else.
static bool ground_color(walk* w, contact* c) {
    const render_look* look = c->look;
    shoal_v3           d    = shoal_v3_sub(c->at, look->middle);
    float              far  = sqrtf(d.x * d.x + d.z * d.z);
    float              fade = (far - look->fade_from) / (look->fade_to - look->fade_from);
    fade                    = fminf(1.0f, fmaxf(0.0f, fade));
    fade                    = fade * fade * (3.0f - 2.0f * fade);
    if (fade > 0.0f) {
        shoal_v3 level = render_unit_of(shoal_v3_make(w->way.x, 0.0f, w->way.z));
        float    light = w->is_light ? w->job->lights->sky_strength : 1.0f;
        gather(w, shoal_v3_scale(render_sky(w->job->lights, level), fade * light));
        w->through = shoal_v3_scale(w->through, 1.0f - fade);
        if (fade > 0.99f) return false;
    }
    if (look->tile > 0.0f) {
        float near = fminf(ground_line(c->at.x, look->tile), ground_line(c->at.z, look->tile));
        if (near < 0.012f * look->tile) c->color = look->joint;
    }
    return true;
}

static bool bounce_matte(walk* w, contact* c) {
    float u, v, beyond;
    if (c->look->kind == RENDER_GROUND && !ground_color(w, c)) return false;
    if (shoal_v3_dot(c->normal, w->way) > 0.0f) c->normal = shoal_v3_scale(c->normal, -1.0f);
    float    wet    = fminf(1.0f, fmaxf(0.0f, c->wetness));
    shoal_v3 albedo = shoal_v3_scale(c->color, 1.0f - (1.0f - WET_ALBEDO) * wet);
    if (!w->has_albedo) w->met->albedo = shoal_v3_add(w->met->albedo, albedo);
    w->has_albedo = true;
    // a film of water on wet grains
    if (wet > 0.0f && !w->is_light) {
        float cosine = -shoal_v3_dot(c->normal, w->way);
        if (render_sample1(w->sampler) < wet * render_fresnel(cosine, 1.0f / WATER_IOR, &beyond)) {
            render_sample2(w->sampler, &u, &v);
            shoal_v3 way = render_cone_way(render_mirror(w->way, c->normal), WET_SPREAD, u, v);
            step_off(w, c, way);
            return shoal_v3_dot(way, c->normal) > 0.0f;
        }
    }
    step_off(w, c, c->normal);
    w->is_light = true;
    ask_sun(w, w->from, c->normal, albedo);
    ask_lamp(w, w->from, c->normal, albedo);
    if (++w->matte_count >= 2) {
        float stay = fminf(0.95f, fmaxf(0.05f, render_most(albedo)));
        if (render_sample1(w->sampler) >= stay) return false;
        w->through = shoal_v3_scale(w->through, 1.0f / stay);
    }
    w->through = render_mul(w->through, albedo);
    render_sample2(w->sampler, &u, &v);
    w->way = render_cosine_way(c->normal, u, v);
    return true;
}

static void media_enter(walk* w, int look) {
    if (w->depth < MEDIA_MOST) w->media[w->depth++] = look;
}

static void media_leave(walk* w, int look) {
    for (int k = w->depth - 1; k >= 0; k--)
        if (w->media[k] == look) {
            memmove(w->media + k, w->media + k + 1, (size_t)(w->depth - k - 1) * sizeof *w->media);
            w->depth--;
            return;
        }
}

static float ior_of(const walk* w) {
    return w->depth > 0 ? w->tracer->looks[w->media[w->depth - 1]].ior : 1.0f;
}

static void walk_on(walk* w);

static bool bounce_dielectric(walk* w, const contact* c) {
    bool     is_leaving = shoal_v3_dot(c->flat, w->way) > 0.0f;
    shoal_v3 normal     = is_leaving ? shoal_v3_scale(c->normal, -1.0f) : c->normal;
    float    here       = is_leaving ? c->look->ior : ior_of(w), there, beyond;
    walk     past       = *w;
    if (is_leaving)
        media_leave(&past, c->look_index);
    else
        media_enter(&past, c->look_index);
    there     = ior_of(&past);
    float eta = here / there, cosine = fminf(1.0f, -shoal_v3_dot(normal, w->way));
    float mirror = render_fresnel(cosine, eta, &beyond);
    if (w->bounce == 0 && mirror < 1.0f) {
        // what is seen first is both mirrored and bent, or noise would be all over the water
        walk both    = *w;
        both.through = shoal_v3_scale(w->through, mirror);
        step_off(&both, c, render_mirror(w->way, normal));
        both.bounce     = 1;
        both.has_albedo = true; // of what is bent
        walk_on(&both);
        w->light   = both.light;
        w->through = shoal_v3_scale(w->through, 1.0f - mirror);
    } else if (render_sample1(w->sampler) < mirror) {
        step_off(w, c, render_mirror(w->way, normal));
        return true;
    }
    memcpy(w->media, past.media, sizeof w->media);
    w->depth     = past.depth;
    shoal_v3 way = shoal_v3_add_scaled(shoal_v3_scale(w->way, eta), normal, eta * cosine - beyond);
    step_off(w, c, render_unit_of(way));
    return true;
}

static bool bounce(walk* w, contact* c) {
    switch (c->look->kind) {
    case RENDER_MATTE:
    case RENDER_GROUND:
        return bounce_matte(w, c);
    case RENDER_DIELECTRIC:
        return bounce_dielectric(w, c);
    case RENDER_PANE: // its filter lets every ray through
        return false;
    case RENDER_LAMP:
        if (!w->is_light && shoal_v3_dot(c->flat, w->way) < 0.0f) gather(w, c->color);
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
    float stay = fminf(0.8f, fmaxf(0.1f, render_most(w->through)));
    if (render_sample1(w->sampler) >= stay) return false;
    w->through = shoal_v3_scale(w->through, 1.0f / stay);
    return true;
}

static void walk_on(walk* w) {
    for (;; w->bounce++) {
        contact c;
        bool    is_met = meet(w, &c);
        if (w->bounce == 0 && is_met) {
            w->met->normal = shoal_v3_add(w->met->normal, c.normal);
            w->met->depth += c.t;
        }
        if (!is_met) {
            meet_sky(w);
            return;
        }
        if (!bounce(w, &c) || !goes_on(w)) return;
    }
}

shoal_v3 render_path(const render_tracer* tracer, const render_job* job, shoal_v3 from,
                     shoal_v3 way, float time, render_sampler* sampler, render_pixel* met) {
    walk w = {
        .tracer  = tracer,
        .job     = job,
        .sampler = sampler,
        .met     = met,
        .from    = from,
        .way     = way,
        .time    = time,
        .through = {1.0f, 1.0f, 1.0f}
    };
    walk_on(&w);
    if (!w.has_albedo) met->albedo = shoal_v3_add(met->albedo, shoal_v3_make(1.0f, 1.0f, 1.0f));
    return w.light;
}
