// SPDX-License-Identifier: MIT
#include "state/outlet_local.h"

#include <stdlib.h>

#include "state/motion.h"
#include "state/reach.h"

// A tube of its own for a disc up to this radius, since it is round; wider ones are cut out of a
// block, whose rough rim is then small against them. In spacings.
static const double widest_tube = 8.0;
enum { AREA_LINES = 128 * 128 };
static const double most_entries = 2e7;

bool shoal_place_exists(const shoal_world* world, double spacing, bool is_still, shoal_v3* p) {
    const float clearance = (float)(SHOAL_CLEARANCE * spacing);
    *p                    = shoal_world_wrap(world, *p);
    for (int axis = 0; axis < 3; axis++) {
        float x = shoal_v3_axis(*p, axis), min = shoal_v3_axis(world->min, axis), max = shoal_v3_axis(world->max, axis);
        if (world->is_closed[2 * axis] && x < min + clearance) return false;
        if (world->is_closed[2 * axis + 1] && x > max - clearance) return false;
    }
    shoal_d3 at = shoal_d3_from(*p);
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_collider* collider = &world->colliders[c];
        if (is_still && collider->moves) continue;
        if (shoal_box_holds(shoal_box_grown(collider->bounds, (double)clearance), at) &&
            shoal_collider_distance(collider, at, NULL) < (double)clearance)
            return false;
    }
    return true;
}

bool shoal_is_stream(const shoal_emitter* emitter) {
    return emitter->kind == SHOAL_EMIT_DISC ||
           (emitter->kind == SHOAL_EMIT_SHAPE && shoal_v3_length(emitter->velocity) > 0.0f);
}

// ---------------------------------------------------------------------------------- lines along
// the flow

shoal_d3 outlet_point(const outlet_frame* f, double u, double w, double s) {
    shoal_d3 across = shoal_d3_add(shoal_d3_scale(f->u, u), shoal_d3_scale(f->w, w));
    return shoal_d3_add(f->origin, shoal_d3_add(across, shoal_d3_scale(f->along, s)));
}

void shoal_across(shoal_d3 along, shoal_d3* u, shoal_d3* w) {
    double   x = fabs(along.x), y = fabs(along.y), z = fabs(along.z);
    shoal_d3 least = x <= y && x <= z ? shoal_d3_make(1.0, 0.0, 0.0)
                     : y <= z         ? shoal_d3_make(0.0, 1.0, 0.0)
                                      : shoal_d3_make(0.0, 0.0, 1.0);
    *u             = shoal_d3_sub(least, shoal_d3_scale(along, shoal_d3_dot(least, along)));
    *u             = shoal_d3_scale(*u, 1.0 / shoal_d3_length(*u));
    *w             = shoal_d3_cross(along, *u);
}

static outlet_frame frame_of(const shoal_emitter* e, shoal_box best_shift, double held) {
    shoal_d3     velocity = shoal_d3_from(e->velocity);
    outlet_frame f        = {.along = shoal_d3_scale(velocity, 1.0 / shoal_d3_length(velocity)), .origin = e->at};
    shoal_across(f.along, &f.u, &f.w);
    if (e->kind == SHOAL_EMIT_DISC) {
        f.min[0] = f.min[1] = -e->radius;
        f.max[0] = f.max[1] = e->radius;
        f.max[2]            = held;
        return f;
    }
    shoal_box box = shoal_box_common(shoal_shape_bounds(e->shape), best_shift);
    if (shoal_box_is_empty(box)) return f;
    f.origin = shoal_d3_scale(shoal_d3_add(box.min, box.max), 0.5);
    for (int axis = 0; axis < 3; axis++) f.min[axis] = (double)INFINITY, f.max[axis] = (double)-INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        shoal_d3 p = shoal_d3_sub(shoal_d3_make(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                                                corner & 4 ? box.max.z : box.min.z),
                                  f.origin);
        double   on[3] = {shoal_d3_dot(p, f.u), shoal_d3_dot(p, f.w), shoal_d3_dot(p, f.along)};
        for (int axis = 0; axis < 3; axis++)
            f.min[axis] = fmin(f.min[axis], on[axis]), f.max[axis] = fmax(f.max[axis], on[axis]);
    }
    return f;
}

// What moves leaves the walls behind that it began at: its opening is in free air.
static const shoal_world nothing_around = {0};

static shoal_box extent_of(const shoal_domain* domain, const shoal_emitter* e) {
    return shoal_domain_extent(e->key_count > 0 ? &nothing_around.domain : domain);
}

static shoal_box box_of(const outlet_frame* f) {
    shoal_box box = shoal_box_empty();
    for (int corner = 0; corner < 8; corner++)
        box = shoal_box_with(box, outlet_point(f, corner & 1 ? f->max[0] : f->min[0],
                                               corner & 2 ? f->max[1] : f->min[1], corner & 4 ? f->max[2] : f->min[2]));
    return box;
}

// Where between two points of a line, one inside and one outside, the surface is.
static double surface_between(const shoal_shape* shape, const outlet_frame* f, double u, double w, double a, double b,
                              bool a_is_in) {
    for (int k = 0; k < 30; k++) {
        double middle = 0.5 * (a + b);
        bool   is_in  = shoal_shape_distance(shape, outlet_point(f, u, w, middle)) < 0.0;
        if (is_in == a_is_in)
            a = middle;
        else
            b = middle;
    }
    return 0.5 * (a + b);
}

bool outlet_disc_holds(const shoal_emitter* e, double u, double w) {
    return u * u + w * w <= e->radius * e->radius * (1.0 + 1e-12); // those on the rim are in it
}

int outlet_spans(const shoal_emitter* e, const outlet_frame* f, double u, double w, double fine,
                 outlet_span spans[OUTLET_SPANS]) {
    if (e->kind == SHOAL_EMIT_DISC) {
        spans[0] = (outlet_span){f->min[2], f->max[2]};
        return outlet_disc_holds(e, u, w);
    }
    int count = f->lines ? outlet_lines_spans(f->lines, f, u, w, spans) : -1;
    if (count >= 0) return count;
    count    = 0;
    double s = f->min[2], before = s;
    bool   was_in = false;
    while (count < OUTLET_SPANS) {
        double distance = shoal_shape_distance(e->shape, outlet_point(f, u, w, s));
        bool   is_in    = distance < 0.0 && s < f->max[2];
        if (is_in && !was_in)
            spans[count].begin = s > before ? surface_between(e->shape, f, u, w, before, s, false) : s;
        if (!is_in && was_in)
            spans[count++].end = s < f->max[2] ? surface_between(e->shape, f, u, w, before, s, true) : s;
        if (s >= f->max[2]) break;
        was_in = is_in;
        before = s;
        s      = fmin(s + fmax(fabs(distance), fine), f->max[2]);
    }
    return count;
}

double shoal_opening_area(const shoal_domain* domain, const shoal_emitter* e) {
    if (e->kind == SHOAL_EMIT_DISC) return SHOAL_PI * e->radius * e->radius;
    if (e->kind != SHOAL_EMIT_SHAPE || !shoal_is_stream(e) || !e->shape) return 0.0;
    outlet_frame f    = frame_of(e, extent_of(domain, e), 0.0);
    double       wide = f.max[0] - f.min[0], high = f.max[1] - f.min[1], length = f.max[2] - f.min[2];
    if (!(length > 0.0)) return 0.0;
    if (fmax(fmax(wide, high), length) > 1e20) return (double)INFINITY;
    int           hit = 0;
    outlet_span   spans[OUTLET_SPANS];
    outlet_lines* lines = NULL;
    outlet_lines_make(e->shape, &f, &lines); // without memory for them distances serve
    f.lines = lines;
    for (int k = 0; k < AREA_LINES; k++) { // by the golden section: no edge goes along a row of them
        double turn = (k + 0.5) * 0.6180339887498949, u = f.min[0] + (turn - floor(turn)) * wide,
               w = f.min[1] + (k + 0.5) / AREA_LINES * high;
        hit += outlet_spans(e, &f, u, w, 0.002 * length, spans);
    }
    outlet_lines_free(lines);
    return (double)hit / AREA_LINES * wide * high;
}

// ---------------------------------------------------------------------------------- entries

typedef struct make_job {
    outlet_mouth  mouth;
    double        shift[2]; // of the blocks, m
    shoal_settled cut;      // what the opening takes of the sample, in units
    int           cut_capacity, capacity;
    shoal_outlet  outlet;
} make_job;

// The first place of a span where a particle can be, for openings in walls and pipes; its begin
// where there is none.
static double begin_in_the_clear(const outlet_mouth* m, double u, double w, outlet_span way) {
    double fine = 0.05 * m->d;
    for (double s = way.begin; s < way.end; s += fine) {
        shoal_v3 p = shoal_v3_from(outlet_point(&m->frame, u, w, s));
        if (shoal_place_exists(m->world, m->d, true, &p)) return s;
    }
    return way.begin;
}

static shoal_status add_entry(make_job* m, double u, double w, double behind, outlet_span way) {
    shoal_outlet* o = &m->outlet;
    if (o->count == m->capacity) {
        int   capacity = m->capacity + m->capacity / 2 + 256;
        void* entries  = o->entries;
        SHOAL_TRY(shoal_realloc(&entries, (size_t)o->count, (size_t)capacity, sizeof *o->entries));
        o->entries  = entries;
        m->capacity = capacity;
    }
    const outlet_frame* f     = &m->mouth.frame;
    double              begin = begin_in_the_clear(&m->mouth, u, w, way);
    o->entries[o->count++] = (shoal_entry){behind + begin - f->min[2], outlet_point(f, u, w, begin), way.end - begin};
    return SHOAL_OK;
}

static shoal_status add_entries(make_job* m) {
    const outlet_frame* f    = &m->mouth.frame;
    double              unit = m->mouth.unit;
    outlet_span         spans[OUTLET_SPANS];
    for (int i = 0; i < m->cut.count; i++) {
        double u = m->cut.points[i].x * unit, w = m->cut.points[i].y * unit;
        int    count = outlet_spans(m->mouth.emitter, f, u, w, 0.1 * m->mouth.d, spans);
        for (int k = 0; k < count; k++) SHOAL_TRY(add_entry(m, u, w, m->cut.points[i].z * unit, spans[k]));
    }
    return SHOAL_OK;
}

static shoal_status add_to_cut(make_job* m, shoal_d3 p) {
    if (m->cut.count == m->cut_capacity) {
        int   capacity = m->cut_capacity + m->cut_capacity / 2 + 256;
        void* points   = m->cut.points;
        SHOAL_TRY(shoal_realloc(&points, (size_t)m->cut.count, (size_t)capacity, sizeof *m->cut.points));
        m->cut.points   = points;
        m->cut_capacity = capacity;
    }
    m->cut.points[m->cut.count++] = p;
    return SHOAL_OK;
}

// Cuts the opening out of blocks that lie side by side; the number of entries that gives. Only
// counted without `keeps`.
static shoal_status cut_blocks(make_job* m, const shoal_settled* sample, bool keeps, int* entries) {
    const outlet_frame* f    = &m->mouth.frame;
    double              unit = m->mouth.unit, size = sample->wide[0] * unit;
    outlet_span         spans[OUTLET_SPANS];
    int                 low[2], high[2];
    *entries = 0;
    for (int axis = 0; axis < 2; axis++) {
        low[axis]  = (int)floor((f->min[axis] - m->shift[axis]) / size);
        high[axis] = (int)floor((f->max[axis] - m->shift[axis]) / size);
    }
    for (int j = low[1]; j <= high[1]; j++)
        for (int i = low[0]; i <= high[0]; i++)
            for (int k = 0; k < sample->count; k++) {
                shoal_d3 p = sample->points[k];
                double   u = i * size + p.x * unit + m->shift[0], w = j * size + p.y * unit + m->shift[1];
                if (!(u >= f->min[0] && u <= f->max[0] && w >= f->min[1] && w <= f->max[1])) continue;
                int count = outlet_spans(m->mouth.emitter, f, u, w, 0.1 * m->mouth.d, spans);
                *entries += count;
                if (keeps && count > 0) SHOAL_TRY(add_to_cut(m, shoal_d3_make(u / unit, w / unit, p.z)));
            }
    return SHOAL_OK;
}

// Small openings cut more or less than their volume out of a block: the best of some places to cut.
static shoal_status shift_blocks(make_job* m, const shoal_settled* sample, double area) {
    enum { TRIES = 64 };
    double unit = m->mouth.unit, wanted = area * sample->length / (unit * unit), best = (double)INFINITY,
           best_shift[2] = {0.0, 0.0};
    if (wanted > sample->count) return SHOAL_OK;
    for (int k = 0; k < TRIES; k++) {
        int entries;
        m->shift[0] = k % 8 / 8.0 * sample->wide[0] * unit, m->shift[1] = k / 8 / 8.0 * sample->wide[1] * unit;
        SHOAL_TRY(cut_blocks(m, sample, false, &entries));
        double miss = fabs(entries - wanted);
        if (miss < best) best = miss, best_shift[0] = m->shift[0], best_shift[1] = m->shift[1];
    }
    m->shift[0] = best_shift[0], m->shift[1] = best_shift[1];
    return SHOAL_OK;
}

static int by_time(const void* a, const void* b) {
    const shoal_entry *p = a, *q = b;
    if (p->when != q->when) return p->when < q->when ? -1 : 1;
    double x = p->at.x + 2.0 * p->at.y + 4.0 * p->at.z,
           y = q->at.x + 2.0 * q->at.y + 4.0 * q->at.z; // none is there twice
    return x < y ? -1 : x > y;
}

// The sample is stretched along the flow, by less than a hundredth, so that its volume is that of
// the opening to the last bit; an entry deeper in the opening is that of a point of an earlier
// period.
static void arrange(make_job* m, double area) {
    shoal_outlet* o    = &m->outlet;
    double        unit = m->mouth.unit, own = m->cut.length * unit; // of the sample as it is
    o->period = o->count * unit * unit * unit / area;
    for (int k = 0; k < o->count; k++) {
        double when        = o->entries[k].when / own;
        o->entries[k].when = (when - floor(when)) * o->period;
    }
    if (o->count > 0) qsort(o->entries, (size_t)o->count, sizeof *o->entries, by_time);
}

// A tube is its own cut.
static shoal_status cut_opening(make_job* m, double area, double touch, uint64_t seed) {
    const shoal_emitter* e = m->mouth.emitter;
    if (e->kind == SHOAL_EMIT_DISC && e->radius <= widest_tube * m->mouth.d)
        return shoal_settled_tube(e->radius / m->mouth.unit, touch, seed, &m->cut);
    shoal_settled sample;
    int           entries;
    SHOAL_TRY(shoal_settled_block(touch, seed, &sample));
    m->cut.length       = sample.length;
    shoal_status status = shift_blocks(m, &sample, area);
    if (status == SHOAL_OK) status = cut_blocks(m, &sample, true, &entries);
    shoal_settled_free(&sample);
    return status;
}

shoal_status shoal_outlet_make(const shoal_description* description, const shoal_world* world,
                               const shoal_emitter* emitter, double held, uint64_t seed, shoal_outlet* out) {
    double d            = shoal_spacing_of(description, emitter->material),
           area         = shoal_opening_area(&description->domain, emitter);
    outlet_frame  f     = frame_of(emitter, extent_of(&description->domain, emitter), held);
    outlet_lines* lines = NULL;
    make_job      m     = {.mouth  = {.world   = emitter->key_count > 0 ? &nothing_around : world,
                                      .emitter = emitter,
                                      .frame   = f,
                                      .d       = d,
                                      .unit    = cbrt(shoal_volume_of(description, emitter->material))},
                           .outlet = {.along = f.along, .box = box_of(&f), .period = 1.0}};
    *out                = (shoal_outlet){.along = f.along, .period = 1.0};
    double wide = f.max[0] - f.min[0], high = f.max[1] - f.min[1];
    if (!(area > 0.0)) return SHOAL_OK;
    if (!(wide * high / (d * d) * 12.0 < most_entries))
        return shoal_fail(SHOAL_ERR_INPUT,
                          "an emitter of %.3g x %.3g m is too wide for a spacing of %g m: a layer "
                          "of it would have %.3g particles",
                          wide, high, d, wide * high / (d * d));
    // of a liquid 1 to the last bit: above it the sample is packed as spheres are
    double       touch  = fmin(cbrt(d * d * d / shoal_volume_of(description, emitter->material)), 1.06);
    shoal_status status = SHOAL_OK;
    if (emitter->kind == SHOAL_EMIT_SHAPE) status = outlet_lines_make(emitter->shape, &f, &lines);
    m.mouth.frame.lines = lines;
    if (status == SHOAL_OK) status = cut_opening(&m, area, touch, seed);
    if (status == SHOAL_OK) status = outlet_rest_at_walls(&m.mouth, touch, &m.cut);
    if (status == SHOAL_OK) status = add_entries(&m);
    bool is_liquid = emitter->material < description->material_count &&
                     description->materials[emitter->material].kind == SHOAL_LIQUID;
    if (status == SHOAL_OK && is_liquid) status = outlet_taper_make(&m.mouth, &m.outlet.taper);
    if (status == SHOAL_OK)
        arrange(&m, area);
    else
        shoal_outlet_free(&m.outlet);
    shoal_settled_free(&m.cut);
    outlet_lines_free(lines);
    if (m.outlet.count == 0) m.outlet.period = 1.0;
    *out = m.outlet;
    return status;
}

void shoal_outlet_free(shoal_outlet* outlet) {
    shoal_free(outlet->taper.cells);
    shoal_free(outlet->entries);
    *outlet = (shoal_outlet){0};
}

bool shoal_outlet_holds(const shoal_emitter* emitter, shoal_d3 along, double held, double spacing, shoal_d3 place) {
    if (emitter->kind == SHOAL_EMIT_SHAPE) return shoal_shape_distance(emitter->shape, place) < 0.0;
    shoal_d3 way    = shoal_d3_sub(place, emitter->at);
    double   ahead  = shoal_d3_dot(way, along);
    shoal_d3 across = shoal_d3_sub(way, shoal_d3_scale(along, ahead));
    return ahead < held && ahead > -held && shoal_d3_length(across) < emitter->radius + spacing;
}

double shoal_outlet_way_left(const shoal_emitter* emitter, shoal_d3 along, double held, shoal_d3 place, double most) {
    if (emitter->kind == SHOAL_EMIT_DISC)
        return fmax(0.0, fmin(most, held - shoal_d3_dot(shoal_d3_sub(place, emitter->at), along)));
    double left = 0.0, right = most;
    if (shoal_shape_distance(emitter->shape, shoal_d3_add(place, shoal_d3_scale(along, most))) < 0.0) return most;
    for (int k = 0; k < 8; k++) {
        double middle = 0.5 * (left + right);
        bool   is_in  = shoal_shape_distance(emitter->shape, shoal_d3_add(place, shoal_d3_scale(along, middle))) < 0.0;
        if (is_in)
            left = middle;
        else
            right = middle;
    }
    return left;
}

bool shoal_outlet_way_out(const shoal_emitter* emitter, shoal_d3 along, double held, double clearance, shoal_d3 place,
                          shoal_d3* normal, double* depth) {
    if (emitter->kind == SHOAL_EMIT_SHAPE) {
        double away = shoal_shape_distance_normal(emitter->shape, place, normal);
        *depth      = clearance - away;
        bool is_out = away >= 0.0 &&
                      shoal_shape_distance(emitter->shape, shoal_d3_sub(place, shoal_d3_scale(along, clearance))) < 0.0;
        return *depth > 0.0 && !is_out;
    }
    shoal_d3 way    = shoal_d3_sub(place, emitter->at);
    double   ahead  = shoal_d3_dot(way, along);
    shoal_d3 across = shoal_d3_sub(way, shoal_d3_scale(along, ahead));
    double   off = shoal_d3_length(across), side = emitter->radius + clearance - off, back = ahead + clearance,
           front = held - ahead;
    if (!(back > 0.0 && front > 0.0 && side > 0.0)) return false;
    *depth = fmin(fmin(side, back), front);
    if (*depth == front)
        *normal = along;
    else
        *normal = *depth == back || !(off > 0.0) ? shoal_d3_scale(along, -1.0) : shoal_d3_scale(across, 1.0 / off);
    return true;
}

bool shoal_outlet_way_back(const shoal_emitter* emitter, shoal_d3 along, double held, shoal_d3 place, double most,
                           double* way) {
    if (emitter->kind == SHOAL_EMIT_DISC) {
        shoal_d3 off   = shoal_d3_sub(place, emitter->at);
        double   ahead = shoal_d3_dot(off, along);
        *way           = ahead - held;
        return *way >= 0.0 && *way < most &&
               shoal_d3_length(shoal_d3_sub(off, shoal_d3_scale(along, ahead))) < emitter->radius;
    }
    const double fine = 0.05 * most; // on a line that grazes the shape
    double       near = 0.0, far = 0.0, distance = shoal_shape_distance(emitter->shape, place);
    if (distance < 0.0) return false;
    while (distance >= 0.0) {
        if (far >= most) return false;
        near     = far;
        far      = fmin(far + fmax(distance, fine), most);
        distance = shoal_shape_distance(emitter->shape, shoal_d3_sub(place, shoal_d3_scale(along, far)));
    }
    for (int k = 0; k < 12; k++) {
        double middle = 0.5 * (near + far);
        if (shoal_shape_distance(emitter->shape, shoal_d3_sub(place, shoal_d3_scale(along, middle))) < 0.0)
            far = middle;
        else
            near = middle;
    }
    *way = near;
    return true;
}

double shoal_outlet_held(const shoal_description* description, double support) {
    return fmax(2.0 * description->spacing, support);
}

static bool is_open_at_start(const shoal_emitter* e) {
    return shoal_is_stream(e) && shoal_v3_length(e->velocity) > 0.0f && (e->kind == SHOAL_EMIT_DISC || e->shape) &&
           !(e->from > 0.0) && e->until > 0.0;
}

int shoal_opening_at(const shoal_description* description, int material, double held, shoal_d3 place) {
    for (int k = 0; k < description->emitter_count; k++) {
        const shoal_emitter* e = &description->emitters[k];
        if (e->material == material || !is_open_at_start(e)) continue;
        shoal_d3 at = place, normal, along = shoal_d3_from(e->velocity);
        double   depth, free = SHOAL_FREE_FRACTION * shoal_spacing_of(description, e->material);
        if (e->key_count > 0) {
            shoal_motion_pose pose = shoal_motion_at(e->keys, e->key_count, 0.0);
            at                     = shoal_motion_own(&pose, place);
        }
        if (e->kind == SHOAL_EMIT_SHAPE && !shoal_box_holds(shoal_box_grown(shoal_shape_bounds(e->shape), free), at))
            continue;
        along = shoal_d3_scale(along, 1.0 / shoal_d3_length(along));
        if (shoal_outlet_way_out(e, along, held, free, at, &normal, &depth)) return k;
    }
    return -1;
}
