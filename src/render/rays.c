// SPDX-License-Identifier: MIT
// One straight ray. Ground and panes are so simple that they are met without Embree, and a ray that
// misses the box around everything else never gets there: most of a picture is sky and ground.
#include "render/rays.h"

#include "render/optics.h"

enum { CROSSINGS_MOST = 32 }; // of dielectrics by one straight ray; more are taken for nothing
// A pane seen edge-on mirrors no more than this, or it would hide the tank.
#define PANE_MOST 0.3f
#define EDGE_FRACTION 0.55f // of what an edge of glass hides

typedef struct crossing {
    float t, cosine;
    int   appearance;
    bool  is_exit;
} crossing;

// What the filters know about the ray at hand.
typedef struct ray_query {
    struct RTCIntersectContext base; // Embree hands back its address
    const render_tracer*       tracer;
    int                        count;
    crossing                   crossings[CROSSINGS_MOST];
} ray_query;

// --- what Embree asks

// Rays come one by one, and a packet of one is laid out like a single ray and a single hit.
static bool take_crossing(const struct RTCFilterFunctionNArguments* args, crossing* out) {
    const ray_query*     e   = (const ray_query*)args->context;
    const struct RTCRay* ray = (const struct RTCRay*)args->ray;
    const struct RTCHit* hit = (const struct RTCHit*)args->hit;
    out->appearance          = e->tracer->geometries[hit->geomID].appearance;
    if (e->tracer->appearances[out->appearance].kind != RENDER_DIELECTRIC) return false;
    shoal_v3 n   = render_unit_of(shoal_v3_make(hit->Ng_x, hit->Ng_y, hit->Ng_z));
    out->t       = ray->tfar;
    out->cosine  = n.x * ray->dir_x + n.y * ray->dir_y + n.z * ray->dir_z;
    out->is_exit = out->cosine > 0.0f;
    out->cosine  = fabsf(out->cosine);
    return true;
}

// Light passes dielectrics and keeps in mind where.
static void light_filter(const struct RTCFilterFunctionNArguments* args) {
    ray_query* e = (ray_query*)args->context;
    crossing   c;
    if (!args->valid[0] || !take_crossing(args, &c)) return;
    if (e->count < CROSSINGS_MOST) e->crossings[e->count++] = c;
    args->valid[0] = 0;
}

// A look into one direction through everything: the nearest crossing of each look is kept.
static void probe_filter(const struct RTCFilterFunctionNArguments* args) {
    ray_query* e = (ray_query*)args->context;
    crossing   c;
    if (args->valid[0] && take_crossing(args, &c)) {
        int k = 0;
        while (k < e->count && e->crossings[k].appearance != c.appearance) k++;
        if (k == e->count && k < CROSSINGS_MOST)
            e->crossings[e->count++] = c;
        else if (k < e->count && c.t < e->crossings[k].t)
            e->crossings[k] = c;
    }
    args->valid[0] = 0;
}

static void ray_query_begin(ray_query* e, const render_tracer* tracer, RTCFilterFunctionN filter) {
    rtcInitIntersectContext(&e->base);
    e->base.filter = filter;
    e->tracer      = tracer;
    e->count       = 0;
}

static struct RTCRay ray_make(const render_ray* r, float far) {
    return (struct RTCRay){.org_x = r->from.x,
                           .org_y = r->from.y,
                           .org_z = r->from.z,
                           .tnear = 0.0f,
                           .dir_x = r->way.x,
                           .dir_y = r->way.y,
                           .dir_z = r->way.z,
                           .time  = r->time,
                           .tfar  = far,
                           .mask  = 0xffffffffu};
}

// --- what needs no Embree

// Comparisons with what is not a number (0 * infinity at a face of the box) say nothing, so such a
// ray counts as one that may meet the box.
static void slab(float low, float high, float from, float way, float* near, float* far) {
    float to = 1.0f / way, a = (low - from) * to, b = (high - from) * to;
    float first = a < b ? a : b, last = a < b ? b : a;
    *near = first > *near ? first : *near;
    *far  = last < *far ? last : *far;
}

static bool may_meet(const render_tracer* t, const render_ray* r, float far) {
    float near = 0.0f;
    slab(t->low.x, t->high.x, r->from.x, r->way.x, &near, &far);
    slab(t->low.y, t->high.y, r->from.y, r->way.y, &near, &far);
    slab(t->low.z, t->high.z, r->from.z, r->way.z, &near, &far);
    return near <= far;
}

// How far it is to the ground; RENDER_FAR: it is not on the way.
static float ground_distance(const render_tracer* t, const render_ray* r) {
    if (t->ground < 0) return RENDER_FAR;
    shoal_v3 middle = t->appearances[t->ground].middle;
    float    far    = (t->ground_y - r->from.y) / r->way.y;
    if (!(far > 0.0f && far < RENDER_FAR)) return RENDER_FAR;
    bool is_there = fabsf(r->from.x + far * r->way.x - middle.x) <= t->ground_half &&
                    fabsf(r->from.z + far * r->way.z - middle.z) <= t->ground_half;
    return is_there ? far : RENDER_FAR;
}

int render_ray_panes(const render_tracer* t, const render_ray* r, float far, render_glint out[RENDER_PANES_MOST]) {
    int count = 0;
    for (int k = 0; k < t->pane_count; k++) {
        const render_pane* p      = &t->panes[k];
        float              cosine = shoal_v3_dot(p->normal, r->way);
        shoal_v3           off    = shoal_v3_sub(p->corner, r->from);
        float              at     = shoal_v3_dot(p->normal, off) / cosine;
        if (!(at > 0.0f && at < far)) continue;
        shoal_v3 on = shoal_v3_sub(shoal_v3_scale(r->way, at), off);
        float    x = shoal_v3_dot(on, p->along), y = shoal_v3_dot(on, p->up);
        if (!(x >= 0.0f && x <= p->length && y >= 0.0f && y <= p->height)) continue;
        const render_appearance* appearance = &t->appearances[p->appearance];
        // of panes in front of the contents only the foot: their other edges would cross it
        bool is_front = cosine < 0.0f;
        bool is_edge  = y < appearance->tile ||
                       (!is_front &&
                        (x < appearance->tile || p->length - x < appearance->tile || p->height - y < appearance->tile));
        float fraction =
            is_edge ? EDGE_FRACTION : render_min(PANE_MOST, render_pane_fresnel(fabsf(cosine), appearance->ior));
        int j = count++;
        for (; j > 0 && out[j - 1].t > at; j--) out[j] = out[j - 1];
        out[j] = (render_glint){at, fraction, render_mirror(r->way, p->normal), is_edge};
    }
    return count;
}

// --- media

render_media render_media_at(const render_tracer* t, const render_ray* r) {
    render_media m = {0};
    if (!shoal_box_holds(t->clear, shoal_d3_from(r->from))) return m;
    ray_query e;
    ray_query_begin(&e, t, probe_filter);
    render_ray       up  = {r->from, {0.0131f, 0.99988f, 0.0079f}, r->time}; // not along edges
    struct RTCRayHit hit = {.ray = ray_make(&up, RENDER_FAR), .hit.geomID = RTC_INVALID_GEOMETRY_ID};
    rtcIntersect1(t->scene, &e.base, &hit);
    for (int k = 0; k < e.count; k++)
        if (e.crossings[k].is_exit) render_media_enter(&m, e.crossings[k].appearance);
    return m;
}

// Crossings nearer than t, by distance.
static void sort_crossings(ray_query* e, float t) {
    int count = 0;
    for (int k = 0; k < e->count; k++) {
        crossing c = e->crossings[k];
        int      j = count;
        if (c.t >= t) continue;
        for (; j > 0 && e->crossings[j - 1].t > c.t; j--) e->crossings[j] = e->crossings[j - 1];
        e->crossings[j] = c;
        count++;
    }
    e->count = count;
}

// The surfaces of a straight ray say what it began in: what is left first was around it, what is
// entered first was not, and a ray that is never stopped ends in air.
static void correct_start(const ray_query* e, bool is_open, render_media* m) {
    if (is_open) m->count = 0;
    for (int k = e->count - 1; k >= 0; k--) { // the first one of a look has the last word
        if (e->crossings[k].is_exit)
            render_media_enter(m, e->crossings[k].appearance);
        else
            render_media_leave(m, e->crossings[k].appearance);
    }
}

// What a straight ray of length t kept of its light; the media are those of its end afterwards.
static shoal_v3 passed(ray_query* e, float t, bool is_asking, render_media* m) {
    const render_appearance* appearances = e->tracer->appearances;
    bool                     is_open     = t >= RENDER_FAR;
    shoal_v3                 sum         = {0.0f, 0.0f, 0.0f};
    float                    at = 0.0f, transmitted = 1.0f, beyond;
    if (e->count == 0 && (is_open || m->count == 0)) {
        m->count = 0;
        return shoal_v3_make(1.0f, 1.0f, 1.0f);
    }
    sort_crossings(e, t);
    correct_start(e, is_open, m);
    int inside = render_media_filling(m, appearances);
    for (int k = 0; k < e->count; k++) {
        const crossing* c = &e->crossings[k];
        if (inside >= 0) sum = shoal_v3_add_scaled(sum, appearances[inside].absorption, c->t - at);
        if (c->is_exit)
            render_media_leave(m, c->appearance);
        else
            render_media_enter(m, c->appearance);
        int   next = render_media_filling(m, appearances);
        float here = render_media_ior(inside, appearances), there = render_media_ior(next, appearances);
        if (is_asking && here != there)
            transmitted *= 1.0f - render_fresnel(c->cosine, render_min(here, there) / render_max(here, there), &beyond);
        inside = next;
        at     = c->t;
    }
    if (is_open)
        m->count = 0;
    else if (inside >= 0)
        sum = shoal_v3_add_scaled(sum, appearances[inside].absorption, t - at);
    return shoal_v3_scale(render_absorbed(sum, 1.0f), transmitted);
}

// --- rays

// The first thing that Embree or the ground has; the filter of `e` may let some pass.
static bool first_thing(const render_tracer* t, const render_ray* r, ray_query* e, render_strike* out) {
    float ground = ground_distance(t, r);
    if (may_meet(t, r, ground)) {
        struct RTCRayHit hit = {.ray = ray_make(r, ground), .hit.geomID = RTC_INVALID_GEOMETRY_ID};
        rtcIntersect1(t->scene, &e->base, &hit);
        if (hit.hit.geomID != RTC_INVALID_GEOMETRY_ID) {
            *out = (render_strike){hit.ray.tfar,   &t->geometries[hit.hit.geomID],
                                   hit.hit.primID, hit.hit.u,
                                   hit.hit.v,      {hit.hit.Ng_x, hit.hit.Ng_y, hit.hit.Ng_z}};
            return true;
        }
    }
    *out = (render_strike){.t = ground, .flat = {0.0f, 1.0f, 0.0f}};
    return ground < RENDER_FAR;
}

bool render_ray_meet(const render_tracer* t, const render_ray* r, render_strike* out) {
    ray_query e;
    ray_query_begin(&e, t, NULL);
    return first_thing(t, r, &e, out);
}

bool render_ray_fall(const render_tracer* t, const render_ray* r, render_media* media, render_strike* out,
                     shoal_v3* transmitted) {
    ray_query e;
    ray_query_begin(&e, t, shoal_box_is_empty(t->clear) ? NULL : light_filter);
    bool is_met  = first_thing(t, r, &e, out);
    *transmitted = passed(&e, is_met ? out->t : RENDER_FAR, false, media);
    return is_met;
}

shoal_v3 render_ray_ask(const render_tracer* t, const render_ray* r, float far, const render_media* media) {
    const shoal_v3 none  = {0.0f, 0.0f, 0.0f};
    render_media   along = *media;
    ray_query      e;
    ray_query_begin(&e, t, shoal_box_is_empty(t->clear) ? NULL : light_filter);
    if (ground_distance(t, r) < far) return none;
    if (may_meet(t, r, far)) {
        struct RTCRay ray = ray_make(r, far);
        rtcOccluded1(t->scene, &e.base, &ray);
        if (ray.tfar < 0.0f) return none;
    }
    return passed(&e, far, true, &along);
}
