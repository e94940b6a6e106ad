// SPDX-License-Identifier: MIT
// A shape is a tree: primitives and meshes at the leaves, placements and combinations above.
#include "geom/shape_local.h"

#include "base/memory.h"

static const double size_most = 1e9; // m

static shoal_status leaf(shoal_shape_kind kind, shoal_box bounds, double volume, shoal_shape** out) {
    shoal_shape* shape = shoal_alloc(1, sizeof *shape);
    if (!shape) return SHOAL_ERR_MEMORY;
    shape->kind   = kind;
    shape->depth  = 1;
    shape->bounds = bounds;
    shape->volume = volume;
    *out          = shape;
    return SHOAL_OK;
}

static shoal_status check_size(const char* shape, const char* name, double size) {
    if (size > 0.0 && size <= size_most) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_INPUT, "%s: %s = %g must be above 0 and at most %g m", shape, name, size, size_most);
}

static shoal_box symmetric(double x, double y, double z) {
    return (shoal_box){shoal_d3_make(-x, -y, -z), shoal_d3_make(x, y, z)};
}

static double box_volume(shoal_box b) {
    if (shoal_box_is_empty(b)) return 0.0;
    return (b.max.x - b.min.x) * (b.max.y - b.min.y) * (b.max.z - b.min.z);
}

shoal_status shoal_shape_box(shoal_d3 min, shoal_d3 max, shoal_shape** out) {
    for (int a = 0; a < 3; a++) {
        double low = shoal_d3_axis(min, a), high = shoal_d3_axis(max, a);
        if (!(low < high) || !(fabs(low) <= size_most) || !(fabs(high) <= size_most))
            return shoal_fail(SHOAL_ERR_INPUT, "box: min.%c = %g must be below max.%c = %g, both within %g m", "xyz"[a],
                              low, "xyz"[a], high, size_most);
    }
    shoal_box box = {min, max};
    SHOAL_TRY(leaf(SHOAL_SHAPE_BOX, box, box_volume(box), out));
    (*out)->primitive.box = box;
    return SHOAL_OK;
}

static shoal_status round_leaf(shoal_shape_kind kind, shoal_box bounds, double volume, double radius, double height,
                               shoal_shape** out) {
    SHOAL_TRY(leaf(kind, bounds, volume, out));
    (*out)->primitive.round.radius = radius;
    (*out)->primitive.round.height = height;
    return SHOAL_OK;
}

shoal_status shoal_shape_sphere(double radius, shoal_shape** out) {
    SHOAL_TRY(check_size("sphere", "radius", radius));
    double volume = 4.0 / 3.0 * SHOAL_PI * radius * radius * radius;
    return round_leaf(SHOAL_SHAPE_SPHERE, symmetric(radius, radius, radius), volume, radius, 0.0, out);
}

shoal_status shoal_shape_cylinder(double radius, double height, shoal_shape** out) {
    SHOAL_TRY(check_size("cylinder", "radius", radius));
    SHOAL_TRY(check_size("cylinder", "height", height));
    double volume = SHOAL_PI * radius * radius * height;
    return round_leaf(SHOAL_SHAPE_CYLINDER, symmetric(radius, 0.5 * height, radius), volume, radius, height, out);
}

shoal_status shoal_shape_cone(double radius, double height, shoal_shape** out) {
    SHOAL_TRY(check_size("cone", "radius", radius));
    SHOAL_TRY(check_size("cone", "height", height));
    shoal_box bounds = {shoal_d3_make(-radius, 0.0, -radius), shoal_d3_make(radius, height, radius)};
    return round_leaf(SHOAL_SHAPE_CONE, bounds, SHOAL_PI * radius * radius * height / 3.0, radius, height, out);
}

shoal_status shoal_shape_capsule(double radius, double height, shoal_shape** out) {
    SHOAL_TRY(check_size("capsule", "radius", radius));
    SHOAL_TRY(check_size("capsule", "height", height));
    double volume = SHOAL_PI * radius * radius * (height + 4.0 / 3.0 * radius);
    return round_leaf(SHOAL_SHAPE_CAPSULE, symmetric(radius, 0.5 * height + radius, radius), volume, radius, height,
                      out);
}

shoal_status shoal_shape_torus(double ring, double tube, shoal_shape** out) {
    SHOAL_TRY(check_size("torus", "ring", ring));
    SHOAL_TRY(check_size("torus", "tube", tube));
    shoal_box bounds = symmetric(ring + tube, tube, ring + tube);
    double    volume = 2.0 * SHOAL_PI * SHOAL_PI * ring * tube * tube; // tube <= ring; a bound beyond
    return round_leaf(SHOAL_SHAPE_TORUS, bounds, fmin(volume, box_volume(bounds)), ring, tube, out);
}

// A half space is bounded on one side when it faces along an axis.
static shoal_box plane_bounds(shoal_d3 normal, double offset) {
    shoal_box b = symmetric(SHOAL_FAR_AWAY, SHOAL_FAR_AWAY, SHOAL_FAR_AWAY);
    if (normal.x == 1.0) b.max.x = offset;
    if (normal.x == -1.0) b.min.x = -offset;
    if (normal.y == 1.0) b.max.y = offset;
    if (normal.y == -1.0) b.min.y = -offset;
    if (normal.z == 1.0) b.max.z = offset;
    if (normal.z == -1.0) b.min.z = -offset;
    return b;
}

shoal_status shoal_shape_plane(shoal_d3 normal, double offset, shoal_shape** out) {
    double length = shoal_d3_length(normal);
    if (!(length > 0.0) || !(length < SHOAL_FAR_AWAY))
        return shoal_fail(SHOAL_ERR_INPUT, "plane: normal = [%g, %g, %g] has no direction", normal.x, normal.y,
                          normal.z);
    if (!(fabs(offset) <= size_most))
        return shoal_fail(SHOAL_ERR_INPUT, "plane: offset = %g must be within %g m", offset, size_most);
    normal           = shoal_d3_scale(normal, 1.0 / length);
    shoal_box bounds = plane_bounds(normal, offset);
    SHOAL_TRY(leaf(SHOAL_SHAPE_PLANE, bounds, box_volume(bounds), out));
    (*out)->primitive.plane.normal = normal;
    (*out)->primitive.plane.offset = offset;
    return SHOAL_OK;
}

shoal_status shoal_shape_mesh(const shoal_mesh* mesh, double cell, int threads, shoal_shape** out) {
    shoal_sdf*   sdf  = NULL;
    shoal_mesh*  copy = NULL;
    shoal_status status =
        shoal_mesh_create(&mesh->vertices->x, mesh->vertex_count, mesh->triangles, mesh->triangle_count, &copy);
    if (status == SHOAL_OK) status = shoal_sdf_create(mesh, cell, threads, &sdf);
    if (status == SHOAL_OK)
        status = leaf(SHOAL_SHAPE_MESH, shoal_mesh_bounds(mesh), fabs(shoal_mesh_volume(mesh)), out);
    if (status != SHOAL_OK) {
        shoal_sdf_destroy(sdf);
        shoal_mesh_destroy(copy);
        return status;
    }
    (*out)->sdf  = sdf;
    (*out)->mesh = copy;
    return SHOAL_OK;
}

static shoal_status check_placement(const shoal_shape* child, shoal_d3 scale, shoal_quat r, shoal_d3 at) {
    for (int a = 0; a < 3; a++) {
        double s = fabs(shoal_d3_axis(scale, a)), x = fabs(shoal_d3_axis(at, a));
        if (!(s >= 1e-9 && s <= 1e9))
            return shoal_fail(SHOAL_ERR_INPUT, "scale.%c = %g must not be 0, and its size within [1e-9, 1e9]", "xyz"[a],
                              shoal_d3_axis(scale, a));
        if (!(x <= size_most))
            return shoal_fail(SHOAL_ERR_INPUT, "at.%c = %g must be within %g m", "xyz"[a], shoal_d3_axis(at, a),
                              size_most);
    }
    double length2 = r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z;
    if (!(length2 > 1e-12 && length2 < 1e12)) return shoal_fail(SHOAL_ERR_INPUT, "the rotation has no axis");
    if (child->depth >= SHOAL_SHAPE_DEPTH)
        return shoal_fail(SHOAL_ERR_INPUT, "shapes are nested deeper than %d", SHOAL_SHAPE_DEPTH);
    return SHOAL_OK;
}

static shoal_d3 times(shoal_d3 a, shoal_d3 b) { return shoal_d3_make(a.x * b.x, a.y * b.y, a.z * b.z); }

// A scaled box is a box and a scaled half space a half space, so these stay exact: the scale moves
// into the leaf.
static void scale_leaf(shoal_shape* s, shoal_d3* scale) {
    if (s->kind == SHOAL_SHAPE_BOX) {
        s->primitive.box = shoal_box_with(shoal_box_with(shoal_box_empty(), times(s->primitive.box.min, *scale)),
                                          times(s->primitive.box.max, *scale));
        s->bounds        = s->primitive.box;
        s->volume        = box_volume(s->primitive.box);
    } else if (s->kind == SHOAL_SHAPE_PLANE) {
        shoal_d3 normal           = shoal_divided(s->primitive.plane.normal, *scale);
        double   length           = shoal_d3_length(normal);
        s->primitive.plane.normal = shoal_d3_scale(normal, 1.0 / length);
        s->primitive.plane.offset /= length;
        s->bounds = plane_bounds(s->primitive.plane.normal, s->primitive.plane.offset);
        s->volume = box_volume(s->bounds);
    } else {
        return;
    }
    *scale = shoal_d3_make(1.0, 1.0, 1.0);
}

static shoal_box placed_bounds(const placement* p) {
    shoal_box  b = p->child->bounds, out = shoal_box_empty();
    shoal_quat r = p->rotation;
    if (shoal_box_is_empty(b)) return b;
    bool turns = r.x != 0.0 || r.y != 0.0 || r.z != 0.0;
    bool unbounded =
        !shoal_box_holds(symmetric(0.1 * SHOAL_FAR_AWAY, 0.1 * SHOAL_FAR_AWAY, 0.1 * SHOAL_FAR_AWAY), b.min) ||
        !shoal_box_holds(symmetric(0.1 * SHOAL_FAR_AWAY, 0.1 * SHOAL_FAR_AWAY, 0.1 * SHOAL_FAR_AWAY), b.max);
    if (turns && unbounded) return symmetric(SHOAL_FAR_AWAY, SHOAL_FAR_AWAY, SHOAL_FAR_AWAY);
    for (int corner = 0; corner < 8; corner++) {
        shoal_d3 c = shoal_d3_make(corner & 1 ? b.max.x : b.min.x, corner & 2 ? b.max.y : b.min.y,
                                   corner & 4 ? b.max.z : b.min.z);
        c   = shoal_d3_add(shoal_quat_rotate(r, times(c, p->scale)), p->at);
        out = shoal_box_with(out, shoal_held3(c));
    }
    // a far side stays far, whatever the scale made of it
    for (int a = 0; unbounded && a < 3; a++) {
        bool low         = shoal_d3_axis(b.min, a) <= -0.1 * SHOAL_FAR_AWAY,
             high        = shoal_d3_axis(b.max, a) >= 0.1 * SHOAL_FAR_AWAY;
        bool    mirrored = shoal_d3_axis(p->scale, a) < 0.0;
        double* min      = a == 0 ? &out.min.x : a == 1 ? &out.min.y : &out.min.z;
        double* max      = a == 0 ? &out.max.x : a == 1 ? &out.max.y : &out.max.z;
        if (mirrored ? high : low) *min = -SHOAL_FAR_AWAY;
        if (mirrored ? low : high) *max = SHOAL_FAR_AWAY;
    }
    return out;
}

shoal_status shoal_shape_place(shoal_shape* child, shoal_d3 scale, shoal_quat rotation, shoal_d3 at,
                               shoal_shape** out) {
    shoal_shape* shape  = NULL;
    shoal_status status = check_placement(child, scale, rotation, at);
    if (status == SHOAL_OK) status = leaf(SHOAL_SHAPE_PLACED, child->bounds, child->volume, &shape);
    if (status != SHOAL_OK) {
        shoal_shape_destroy(child);
        return status;
    }
    scale_leaf(child, &scale);
    double length =
        sqrt(rotation.w * rotation.w + rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z);
    rotation      = shoal_quat_make(rotation.w / length, rotation.x / length, rotation.y / length, rotation.z / length);
    double least  = fmin(fabs(scale.x), fmin(fabs(scale.y), fabs(scale.z)));
    shape->placed = (placement){scale, least, rotation, at, child};
    shape->depth  = child->depth + 1;
    shape->bounds = placed_bounds(&shape->placed);
    shape->volume = child->volume * fabs(scale.x * scale.y * scale.z);
    *out          = shape;
    return SHOAL_OK;
}

static shoal_box both(shoal_box a, shoal_box b) {
    if (shoal_box_is_empty(a)) return b;
    if (shoal_box_is_empty(b)) return a;
    return shoal_box_with(shoal_box_with(a, b.min), b.max);
}

static shoal_box common(shoal_box a, shoal_box b) {
    return (shoal_box){shoal_d3_make(fmax(a.min.x, b.min.x), fmax(a.min.y, b.min.y), fmax(a.min.z, b.min.z)),
                       shoal_d3_make(fmin(a.max.x, b.max.x), fmin(a.max.y, b.max.y), fmin(a.max.z, b.max.z))};
}

static void combine_sizes(shoal_shape* s, shoal_combine how, shoal_shape** children, int count) {
    s->bounds = children[0]->bounds;
    s->volume = children[0]->volume;
    for (int i = 0; i < count; i++) {
        if (children[i]->depth >= s->depth) s->depth = children[i]->depth + 1;
        if (i == 0 || how == SHOAL_SUBTRACT || how == SHOAL_CLEARED) continue;
        s->bounds = how == SHOAL_UNION ? both(s->bounds, children[i]->bounds) : common(s->bounds, children[i]->bounds);
        s->volume = how == SHOAL_UNION ? s->volume + children[i]->volume : fmin(s->volume, children[i]->volume);
    }
    s->volume = fmin(s->volume, box_volume(s->bounds));
}

shoal_status shoal_shape_combined(shoal_combine how, shoal_shape** children, int count, shoal_shape** out) {
    shoal_shape*  shape  = NULL;
    shoal_shape** own    = NULL;
    shoal_status  status = SHOAL_OK;
    if (count < 1) return shoal_fail(SHOAL_ERR_INPUT, "a combination needs at least one shape");
    status = leaf(SHOAL_SHAPE_COMBINED, shoal_box_empty(), 0.0, &shape);
    if (status != SHOAL_OK) goto fail;
    own = shoal_alloc((size_t)count, sizeof(shoal_shape*));
    if (!own) {
        status = SHOAL_ERR_MEMORY;
        goto fail;
    }
    combine_sizes(shape, how, children, count);
    if (shape->depth > SHOAL_SHAPE_DEPTH) {
        status = shoal_fail(SHOAL_ERR_INPUT, "shapes are nested deeper than %d", SHOAL_SHAPE_DEPTH);
        goto fail;
    }
    for (int i = 0; i < count; i++) own[i] = children[i];
    shape->combined = (combination){.how = how, .count = count, .children = own};
    if (how == SHOAL_UNION) status = shape_join(&shape->combined, shape->bounds);
    if (status != SHOAL_OK) goto fail;
    *out = shape;
    return SHOAL_OK;
fail:
    shoal_free(own);
    shoal_free(shape);
    for (int i = 0; i < count; i++) shoal_shape_destroy(children[i]);
    return status;
}

void shoal_shape_destroy(shoal_shape* shape) {
    if (!shape) return;
    if (shape->kind == SHOAL_SHAPE_MESH) {
        shoal_sdf_destroy(shape->sdf);
        shoal_mesh_destroy(shape->mesh);
    }
    if (shape->kind == SHOAL_SHAPE_PLACED) shoal_shape_destroy(shape->placed.child);
    if (shape->kind == SHOAL_SHAPE_COMBINED) {
        for (int i = 0; i < shape->combined.count; i++) shoal_shape_destroy(shape->combined.children[i]);
        shoal_free(shape->combined.children);
        shoal_free(shape->combined.joins);
    }
    shoal_free(shape);
}

shoal_box shoal_shape_bounds(const shoal_shape* shape) { return shape->bounds; }

int shoal_shape_triangle_count(const shoal_shape* shape) {
    if (shape->kind == SHOAL_SHAPE_PLACED) return shoal_shape_triangle_count(shape->placed.child);
    return shape->kind == SHOAL_SHAPE_MESH ? shape->mesh->triangle_count : 0;
}

void shoal_shape_triangle(const shoal_shape* shape, int triangle, shoal_d3 at[3]) {
    if (shape->kind == SHOAL_SHAPE_MESH) {
        for (int k = 0; k < 3; k++)
            at[k] = shoal_d3_from(shape->mesh->vertices[shape->mesh->triangles[3 * (size_t)triangle + (size_t)k]]);
        return;
    }
    const placement* p = &shape->placed;
    shoal_shape_triangle(p->child, triangle, at);
    for (int k = 0; k < 3; k++) {
        shoal_d3 scaled = shoal_d3_make(at[k].x * p->scale.x, at[k].y * p->scale.y, at[k].z * p->scale.z);
        at[k]           = shoal_d3_add(shoal_quat_rotate(p->rotation, scaled), p->at);
    }
}

double shoal_shape_volume_estimate(const shoal_shape* shape) { return shape->volume; }

static double distance(const shoal_shape* s, shoal_d3 p, shoal_d3* normal);

// Distances shrink at most by the least scale: exact when all are alike, else a bound from below.
static double placed_distance(const placement* placed, shoal_d3 p, shoal_d3* normal) {
    shoal_d3 local = shoal_quat_rotate(shoal_quat_conjugate(placed->rotation), shoal_d3_sub(p, placed->at));
    double   d     = distance(placed->child, shoal_held3(shoal_divided(local, placed->scale)), normal);
    if (normal) *normal = shoal_unit_or_up(shoal_quat_rotate(placed->rotation, shoal_divided(*normal, placed->scale)));
    return d * placed->least;
}

static double combined_distance(const combination* c, shoal_d3 p, shoal_d3* normal) {
    double   best = distance(c->children[0], p, normal);
    shoal_d3 other;
    for (int i = 1; i < c->count; i++) {
        double d = distance(c->children[i], p, normal ? &other : NULL);
        if (!shoal_combine_wins(c->how, d, best)) continue;
        best = c->how == SHOAL_SUBTRACT ? -d : d;
        if (normal) *normal = c->how == SHOAL_SUBTRACT ? shoal_d3_scale(other, -1.0) : other;
    }
    // they lie inside, so outside they are never nearer
    for (int k = 0; k < c->join_count && best < c->near; k++) {
        double d = shoal_box_distance(c->joins[k], p, normal ? &other : NULL);
        if (d >= best) continue;
        best = d;
        if (normal) *normal = other;
    }
    return best;
}

static double distance(const shoal_shape* s, shoal_d3 p, shoal_d3* normal) {
    switch (s->kind) {
    case SHOAL_SHAPE_MESH: {
        double d = shoal_sdf_sample(s->sdf, p, normal);
        if (normal) *normal = shoal_unit_or_up(*normal);
        return d;
    }
    case SHOAL_SHAPE_PLACED:
        return placed_distance(&s->placed, p, normal);
    case SHOAL_SHAPE_COMBINED:
        return combined_distance(&s->combined, p, normal);
    default:
        return shoal_primitive_distance(s->kind, &s->primitive, p, normal);
    }
}

double shoal_shape_distance(const shoal_shape* shape, shoal_d3 p) { return distance(shape, shoal_held3(p), NULL); }

double shoal_shape_distance_normal(const shoal_shape* shape, shoal_d3 p, shoal_d3* normal) {
    return distance(shape, shoal_held3(p), normal);
}
