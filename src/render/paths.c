// SPDX-License-Identifier: MIT
// One path of light, backwards from the eye. Until it meets something matte it is bent and
// reflected by water and glass; there it asks sun and lamps, and goes on straight through water and
// glass (see tracer.h).
#include "render/optics.h"
#include "render/tracer_local.h"

enum {
    CROSSINGS_MOST = 32, // of dielectrics by one straight ray; more are taken for nothing
    GLINTS_MOST    = 8,  // panes on the way of one ray
    BOUNCES_SURE   = 6,  // from here on paths between mirrors end by chance
    PASSES_MOST    = 64, // surfaces within another medium on the way of one path
};
// The disc of the sun is seen over this many mirrors; over more it is but dots.
#define SUN_BOUNCES 2
#define WET_ALBEDO 0.45f  // of wet sand to dry [Lekner & Dorf, Applied Optics 27, 1988]
#define WET_SPREAD 0.985f // cosine of the cone in which wet grains mirror
#define WATER_IOR 1.333f
// A pane seen edge-on mirrors no more than this, or it would hide the tank.
#define PANE_MOST 0.3f
#define EDGE_SHARE 0.55f // of what an edge of glass hides
#define FAR 1e30f

typedef struct crossing {
    float t, cosine;
    int   look;
    bool  is_exit;
} crossing;

// A pane on the way of a camera ray.
typedef struct glint {
    float    t, share;
    shoal_v3 way; // mirrored
    bool     is_edge;
} glint;

// What the filters know about the ray at hand.
typedef struct errand {
    struct RTCIntersectContext base; // Embree hands back its address
    const render_tracer*       tracer;
    bool                       is_light; // dielectrics are passed straight
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
    render_media         media;
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

// Within `width` of the rim of a square of two triangles.
static bool is_at_rim(const render_mesh* m, const struct RTCHit* hit, float width) {
    float along  = hit->primID == 0 ? hit->u + hit->v : hit->u,
          up     = hit->primID == 0 ? hit->v : hit->u + hit->v;
    float length = shoal_v3_length(shoal_v3_sub(m->vertices[1], m->vertices[0])),
          height = shoal_v3_length(shoal_v3_sub(m->vertices[3], m->vertices[0]));
    return fminf(along, 1.0f - along) * length < width || fminf(up, 1.0f - up) * height < width;
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
    const render_thing* thing   = &e->tracer->things[hit->geomID];
    bool                is_edge = is_at_rim(&thing->mesh, hit, e->tracer->looks[thing->look].tile);
    e->glints[e->glint_count++] =
        (glint){ray->tfar, is_edge ? EDGE_SHARE : share, render_mirror(way, n), is_edge};
}

static bool take_crossing(const struct RTCFilterFunctionNArguments* args, crossing* out) {
    const errand* e = (const errand*)args->context;
    out->look       = e->tracer->things[hit_of(args)->geomID].look;
    if (e->tracer->looks[out->look].kind != RENDER_DIELECTRIC) return false;
    out->t      = ray_of(args)->tfar;
    out->cosine = hit_cosine(args, &out->is_exit);
    return true;
}

// Light passes dielectrics and keeps in mind where.
static void light_filter(const struct RTCFilterFunctionNArguments* args) {
    errand*  e = (errand*)args->context;
    crossing c;
    if (!args->valid[0] || !take_crossing(args, &c)) return;
    if (e->crossing_count < CROSSINGS_MOST) e->crossings[e->crossing_count++] = c;
    args->valid[0] = 0;
}

// A look into one direction through everything: the nearest crossing of each look is kept.
static void probe_filter(const struct RTCFilterFunctionNArguments* args) {
    errand*  e = (errand*)args->context;
    crossing c;
    if (args->valid[0] && take_crossing(args, &c)) {
        int k = 0;
        while (k < e->crossing_count && e->crossings[k].look != c.look)
            k++;
        if (k == e->crossing_count && k < CROSSINGS_MOST)
            e->crossings[e->crossing_count++] = c;
        else if (k < e->crossing_count && c.t < e->crossings[k].t)
            e->crossings[k] = c;
    }
    args->valid[0] = 0;
}

static void errand_begin(errand* e, const walk* w, bool is_light) {
    rtcInitIntersectContext(&e->base);
    e->tracer         = w->tracer;
    e->is_light       = is_light;
    e->crossing_count = 0;
    e->glint_count    = 0;
    if (is_light && !shoal_box_is_empty(w->tracer->clear)) e->base.filter = light_filter;
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

// --- media

// What the eye, or anything else whose past is not known, is inside of.
static render_media media_at(const walk* w) {
    render_media m = {0};
    if (!shoal_box_holds(w->tracer->clear, shoal_d3_from(w->from))) return m;
    errand e;
    errand_begin(&e, w, true);
    e.base.filter        = probe_filter;
    const shoal_v3   up  = {0.0131f, 0.99988f, 0.0079f}; // not along the edges of boxes
    struct RTCRayHit hit = {.ray        = ray_make(w, w->from, up, FAR),
                            .hit.geomID = RTC_INVALID_GEOMETRY_ID};
    rtcIntersect1(w->tracer->scene, &e.base, &hit);
    for (int k = 0; k < e.crossing_count; k++)
        if (e.crossings[k].is_exit) render_media_enter(&m, e.crossings[k].look);
    return m;
}

// Crossings nearer than t, by distance.
static void sort_crossings(errand* e, float t) {
    int count = 0;
    for (int k = 0; k < e->crossing_count; k++) {
        crossing c = e->crossings[k];
        int      j = count;
        if (c.t >= t) continue;
        for (; j > 0 && e->crossings[j - 1].t > c.t; j--)
            e->crossings[j] = e->crossings[j - 1];
        e->crossings[j] = c;
        count++;
    }
    e->crossing_count = count;
}

// The surfaces of a straight ray say what it began in: what is left first was around it, what is
// entered first was not, and a ray that is never stopped ends in air.
static void correct_start(const errand* e, bool is_open, render_media* m) {
    render_media start = {0};
    for (int k = 0; k < m->count && !is_open; k++)
        render_media_enter(&start, m->looks[k]);
    for (int k = e->crossing_count - 1; k >= 0; k--) { // the first one of a look has the last word
        if (e->crossings[k].is_exit)
            render_media_enter(&start, e->crossings[k].look);
        else
            render_media_leave(&start, e->crossings[k].look);
    }
    *m = start;
}

// What a straight ray of length t kept of its light; the media are those of its end afterwards.
// Asking: of sun and lamps, which surfaces dim by Fresnel, seen from the thinner side, for the ray
// is not bent.
static shoal_v3 passed(errand* e, float t, bool is_asking, render_media* m) {
    const render_look* looks   = e->tracer->looks;
    bool               is_open = t >= FAR;
    shoal_v3           sum     = {0.0f, 0.0f, 0.0f};
    float              at = 0.0f, kept = 1.0f, beyond;
    sort_crossings(e, t);
    correct_start(e, is_open, m);
    int inside = render_media_filling(m, looks);
    for (int k = 0; k < e->crossing_count; k++) {
        const crossing* c = &e->crossings[k];
        if (inside >= 0) sum = shoal_v3_add_scaled(sum, looks[inside].absorption, c->t - at);
        if (c->is_exit)
            render_media_leave(m, c->look);
        else
            render_media_enter(m, c->look);
        int   next = render_media_filling(m, looks);
        float here = render_media_ior(inside, looks), there = render_media_ior(next, looks);
        if (is_asking && here != there)
            kept *=
                1.0f - render_fresnel(c->cosine, fminf(here, there) / fmaxf(here, there), &beyond);
        inside = next;
        at     = c->t;
    }
    if (is_open)
        m->count = 0;
    else if (inside >= 0)
        sum = shoal_v3_add_scaled(sum, looks[inside].absorption, t - at);
    return shoal_v3_scale(render_absorbed(sum, 1.0f), kept);
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
    w->light = shoal_v3_add(w->light, render_mul(w->through, light));
}

// Light met by chance after a bounce is held, or single samples of the sun stay as dots.
static void gather_held(walk* w, shoal_v3 light) {
    float limit = w->job->lights->most, most = render_most(render_mul(w->through, light));
    bool  is_held = w->bounce > 0 && limit > 0.0f && most > limit;
    gather(w, is_held ? shoal_v3_scale(light, limit / most) : light);
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
        // an edge gathers the light of the whole sky, a little green
        static const shoal_v3 green = {0.62f, 0.80f, 0.76f};
        shoal_v3              sky =
            next->is_edge
                             ? render_mul(green, render_sky(w->job->lights, (shoal_v3){1.0f, 0.0f, 0.0f}))
                             : render_sky(w->job->lights, way);
        gather(w, shoal_v3_scale(sky, next->share));
        w->through = shoal_v3_scale(w->through, 1.0f - next->share);
        next->t    = FAR;
    }
}

// The next thing on the way; false: none. Takes what the way there costs.
static bool meet(walk* w, contact* c) {
    errand e;
    errand_begin(&e, w, w->is_light);
    struct RTCRayHit hit = {.ray        = ray_make(w, w->from, w->way, FAR),
                            .hit.geomID = RTC_INVALID_GEOMETRY_ID};
    rtcIntersect1(w->tracer->scene, &e.base, &hit);
    bool is_met = hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    if (is_met) contact_fill(w, &hit, c);
    if (e.glint_count > 0) pass_panes(w, &e, hit.ray.tfar);
    if (w->is_light) {
        w->through = render_mul(w->through, passed(&e, is_met ? c->t : FAR, false, &w->media));
    } else if (is_met) {
        // a ray that leaves a dielectric was in it, whatever rounding made of its entry
        if (c->look->kind == RENDER_DIELECTRIC && shoal_v3_dot(c->flat, w->way) > 0.0f)
            render_media_enter(&w->media, c->look_index);
        int inside = render_media_filling(&w->media, w->tracer->looks);
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
    gather_held(w, sky);
}

// What comes through from a light at `far` metres.
static shoal_v3 unshadowed(const walk* w, shoal_v3 from, shoal_v3 way, float far) {
    errand       e;
    render_media media = w->media;
    errand_begin(&e, w, true);
    struct RTCRay ray = ray_make(w, from, way, far);
    rtcOccluded1(w->tracer->scene, &e.base, &ray);
    if (ray.tfar < 0.0f) return shoal_v3_make(0.0f, 0.0f, 0.0f);
    return passed(&e, far, true, &media);
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
    light          = shoal_v3_scale(render_mul(albedo, light), share);
    if (w->matte_count > 0)
        gather_held(w, light); // a lamp next to what is but lit by chance
    else
        gather(w, light);
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

static void walk_on(walk* w);

// A way off a surface must leave it on the side it is meant to; if the shaded normal leads astray,
// the true one serves.
static shoal_v3 mirrored(const walk* w, const contact* c, shoal_v3 normal) {
    shoal_v3 way = render_mirror(w->way, normal);
    return shoal_v3_dot(way, c->flat) * shoal_v3_dot(w->way, c->flat) < 0.0f
               ? way
               : render_mirror(w->way, c->flat);
}

static shoal_v3 bent(const walk* w, const contact* c, shoal_v3 normal, float eta) {
    float beyond, cosine = fminf(1.0f, -shoal_v3_dot(normal, w->way));
    render_fresnel(cosine, eta, &beyond);
    shoal_v3 way = render_unit_of(
        shoal_v3_add_scaled(shoal_v3_scale(w->way, eta), normal, eta * cosine - beyond));
    return shoal_v3_dot(way, c->flat) * shoal_v3_dot(w->way, c->flat) > 0.0f ? way : w->way;
}

// The media beyond a surface.
static render_media media_past(const walk* w, const contact* c) {
    render_media past = w->media;
    if (shoal_v3_dot(c->flat, w->way) > 0.0f)
        render_media_leave(&past, c->look_index);
    else
        render_media_enter(&past, c->look_index);
    return past;
}

// A dielectric that ends or begins within one of higher rank is no surface at all.
static bool pass_within(walk* w, const contact* c) {
    if (c->look->kind != RENDER_DIELECTRIC || w->is_light) return false;
    const render_look* looks = w->tracer->looks;
    render_media       past  = media_past(w, c);
    if (render_media_filling(&w->media, looks) != render_media_filling(&past, looks)) return false;
    w->media = past;
    step_off(w, c, w->way);
    return true;
}

static bool bounce_dielectric(walk* w, const contact* c) {
    const render_look* looks = w->tracer->looks;
    shoal_v3           normal =
        shoal_v3_dot(c->flat, w->way) > 0.0f ? shoal_v3_scale(c->normal, -1.0f) : c->normal;
    render_media past = media_past(w, c);
    float        eta  = render_media_ior(render_media_filling(&w->media, looks), looks) /
                render_media_ior(render_media_filling(&past, looks), looks);
    float beyond, mirror = render_fresnel(fminf(1.0f, -shoal_v3_dot(normal, w->way)), eta, &beyond);
    if (w->bounce == 0 && mirror < 1.0f) {
        // what is seen first is both mirrored and bent, or noise would be all over the water
        walk both    = *w;
        both.through = shoal_v3_scale(w->through, mirror);
        step_off(&both, c, mirrored(w, c, normal));
        both.bounce     = 1;
        both.has_albedo = true; // of what is bent
        walk_on(&both);
        w->light   = both.light;
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
    switch (c->look->kind) {
    case RENDER_MATTE:
    case RENDER_GROUND:
        return bounce_matte(w, c);
    case RENDER_DIELECTRIC:
        return bounce_dielectric(w, c);
    case RENDER_PANE: // its filter lets every ray through
        return false;
    case RENDER_LAMP:
        if (!w->is_light && shoal_v3_dot(c->flat, w->way) < 0.0f) gather_held(w, c->color);
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
    float stay = fminf(0.95f, fmaxf(0.1f, render_most(w->through)));
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
    w.media = media_at(&w);
    walk_on(&w);
    if (!w.has_albedo) met->albedo = shoal_v3_add(met->albedo, shoal_v3_make(1.0f, 1.0f, 1.0f));
    return w.light;
}
