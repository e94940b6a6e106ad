// SPDX-License-Identifier: MIT
// Boundary samples: where they are, what they weigh, how they move.
#include "fluid/samples.h"

#include "unit/check.h"
#include "unit/geom/meshes.h"

#include "fluid/lattice.h"

static shoal_d3 d3(double x, double y, double z) { return shoal_d3_make(x, y, z); }

// A domain with these walls, six letters: c closed, o open, p periodic; none without letters.
static shoal_description domain(const char* walls, double spacing, double x, double y, double z) {
    shoal_description d = {0};
    d.spacing           = spacing;
    d.domain.is_given   = walls[0] != 0;
    d.domain.max        = d3(x, y, z);
    for (int w = 0; w < SHOAL_WALL_COUNT && walls[0]; w++)
        d.domain.walls[w].kind = walls[w] == 'c'   ? SHOAL_WALL_SLIP
                                 : walls[w] == 'p' ? SHOAL_WALL_PERIODIC
                                                   : SHOAL_WALL_OPEN;
    return d;
}

typedef struct tank {
    shoal_world*  world;
    shoal_samples samples;
    double        spacing, h;
} tank;

static tank sampled_by(const shoal_description* d, int threads, shoal_kernel_fn kernel) {
    tank       r    = {.spacing = d->spacing, .h = 2.0 * d->spacing};
    shoal_exec exec = shoal_exec_make(threads);
    CHECK_OK(shoal_world_create(d, &r.world));
    CHECK_OK(shoal_samples_make(&r.samples, &exec, &(shoal_solids){.world = r.world}, r.spacing, r.h, kernel));
    return r;
}

static tank sampled(const shoal_description* d) { return sampled_by(d, 2, shoal_spiky); }

static void tank_free(tank* r) {
    shoal_samples_free(&r->samples);
    shoal_world_destroy(r->world);
}

static tank sampled_shape(shoal_obstacle* obstacle, shoal_shape* shape, double spacing) {
    *obstacle           = (shoal_obstacle){.name = "it", .shape = shape};
    shoal_description d = domain("", spacing, 0, 0, 0);
    d.obstacle_count    = 1;
    d.obstacles         = obstacle;
    return sampled(&d);
}

static double distance_of(shoal_v4 a, shoal_d3 b) {
    return shoal_d3_length(d3((double)a.x - b.x, (double)a.y - b.y, (double)a.z - b.z));
}

static double nearest(const shoal_samples* s, shoal_d3 p) {
    double best = 1e30;
    for (int k = 0; k < s->count; k++) best = fmin(best, distance_of(s->place[k], p));
    return best;
}

// --- walls

static void a_closed_box_has_one_shell_of_its_lattice_around_it(void** state) {
    (void)state;
    shoal_description d = domain("cccccc", 0.1, 1.0, 0.7, 0.5);
    tank              r = sampled(&d);
    assert_int_equal(r.samples.count, 12 * 9 * 7 - 10 * 7 * 5);
    for (int k = 0; k < r.samples.count; k++) {
        shoal_v4 p = r.samples.place[k];
        for (int a = 0; a < 3; a++) {
            double site = (double)(&p.x)[a] / 0.1 - 0.5;
            CHECK_NEAR(site, rint(site), 1e-4);
        }
        for (int j = 0; j < k; j++)
            assert_true(distance_of(r.samples.place[j], d3((double)p.x, (double)p.y, (double)p.z)) > 0.099);
    }
    tank_free(&r);
}

static void samples_of_a_flat_wall_have_the_volume_of_their_plane(void** state) {
    (void)state;
    // periodic all around: no rim
    shoal_description d     = domain("ppcopp", 0.1, 1.2, 1.0, 0.8);
    tank              r     = sampled(&d);
    double            plane = 0.0, sum = 0.0;
    for (int z = -2; z <= 2; z++)
        for (int x = -2; x <= 2; x++) plane += shoal_spiky(0.1 * sqrt((double)(x * x + z * z)), 0.2);
    int inside = 0;
    for (int k = 0; k < r.samples.count; k++) {
        shoal_v4 p = r.samples.place[k];
        CHECK_NEAR((double)p.y, -0.05, 1e-6);
        assert_true(p.w == r.samples.volume[k]);
        assert_int_equal(r.samples.body[k], -1 - SHOAL_BOTTOM);
        if (p.x < 0.0f || p.x >= 1.2f || p.z < 0.0f || p.z >= 0.8f) continue;
        CHECK_NEAR((double)r.samples.volume[k] * plane, 1.0, 1e-5);
        sum += (double)r.samples.volume[k];
        inside++;
    }
    assert_int_equal(inside, 12 * 8);
    CHECK_NEAR(sum, 12 * 8 / plane, 1e-5 * sum);
    assert_int_equal(r.samples.count, 16 * 12); // with two rows of images on each side
    tank_free(&r);
}

static void the_factor_is_the_one_of_the_published_table(void** state) {
    (void)state;
    CHECK_NEAR(shoal_samples_factor(0.1, 0.20, shoal_poly6), 0.62, 0.005);
    CHECK_NEAR(shoal_samples_factor(0.1, 0.25, shoal_poly6), 0.51, 0.005);
    CHECK_NEAR(shoal_samples_factor(0.1, 0.20, shoal_spiky), 0.773, 0.001);
}

// Density of lattice water at a place, relative to rest: fluid sites of a box of nx x ny x nz, and
// samples.
static double density_at(const tank* r, shoal_kernel_fn kernel, shoal_d3 p, int nx, int ny, int nz) {
    double d = r->spacing, sum = 0.0, wall = 0.0, factor = shoal_samples_factor(d, r->h, kernel);
    for (int k = 0; k < r->samples.count; k++)
        wall += (double)r->samples.volume[k] * kernel(distance_of(r->samples.place[k], p), r->h);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++)
                sum += kernel(shoal_d3_length(shoal_d3_sub(d3((x + 0.5) * d, (y + 0.5) * d, (z + 0.5) * d), p)), r->h);
    return sum * shoal_lattice_make(d, r->h, kernel == shoal_poly6).volume + factor * wall;
}

static void water_on_its_lattice_in_a_box_has_rest_density_at_the_walls(void** state) {
    (void)state;
    const shoal_kernel_fn kernels[] = {shoal_spiky, shoal_poly6};
    for (int k = 0; k < 2; k++) {
        shoal_description d = domain("cccccc", 0.1, 0.8, 0.8, 0.8);
        tank              r = sampled_by(&d, 2, kernels[k]);
        CHECK_NEAR(density_at(&r, kernels[k], d3(0.35, 0.35, 0.35), 8, 8, 8), 1.0, 1e-6); // middle
        CHECK_NEAR(density_at(&r, kernels[k], d3(0.35, 0.05, 0.45), 8, 8, 8), 1.0,
                   1e-5); // on a wall
        CHECK_NEAR(density_at(&r, kernels[k], d3(0.35, 0.15, 0.45), 8, 8, 8), 1.0,
                   1e-5); // one above
        CHECK_NEAR(density_at(&r, kernels[k], d3(0.05, 0.05, 0.45), 8, 8, 8), 1.0,
                   0.013); // in an edge
        CHECK_NEAR(density_at(&r, kernels[k], d3(0.05, 0.05, 0.05), 8, 8, 8), 1.0,
                   0.035); // in a corner
        tank_free(&r);
    }
}

static void walls_go_on_beyond_open_sides(void** state) {
    (void)state;
    shoal_description d = domain("cccocc", 0.1, 0.8, 0.5, 0.8);
    tank              r = sampled(&d);
    CHECK_BELOW(nearest(&r.samples, d3(0.0, 0.6, 0.4)), 0.09);
    CHECK_NEAR(density_at(&r, shoal_spiky, d3(0.05, 0.45, 0.35), 8, 8, 8), 1.0,
               1e-5); // water above the rim, too
    tank_free(&r);
}

// --- shapes

static shoal_shape* turned_box(void) {
    shoal_shape *box = NULL, *turned = NULL;
    CHECK_OK(shoal_shape_box(d3(0, 0, 0), d3(1.0, 0.8, 0.6), &box));
    CHECK_OK(shoal_shape_place(box, d3(1, 1, 1), shoal_quat_turn(d3(0.6, 0.0, 0.8), 0.7), d3(0, 0, 0), &turned));
    return turned;
}

static shoal_shape* bowl(void) {
    shoal_shape *parts[2], *out = NULL;
    CHECK_OK(shoal_shape_box(d3(0, 0, 0), d3(1, 0.5, 1), &parts[0]));
    CHECK_OK(shoal_shape_sphere(0.4, &parts[1]));
    CHECK_OK(shoal_shape_place(parts[1], d3(1, 1, 1), shoal_quat_identity(), d3(0.5, 0.5, 0.5), &parts[1]));
    CHECK_OK(shoal_shape_combined(SHOAL_SUBTRACT, parts, 2, &out));
    return out;
}

static shoal_shape* torus(void) {
    shoal_shape* out = NULL;
    CHECK_OK(shoal_shape_torus(0.4, 0.15, &out));
    return out;
}

static shoal_shape* cigar(void) {
    shoal_shape *ball = NULL, *out = NULL;
    CHECK_OK(shoal_shape_sphere(0.2, &ball));
    CHECK_OK(shoal_shape_place(ball, d3(3, 1, 1), shoal_quat_identity(), d3(0, 0, 0), &out));
    return out;
}

static shoal_shape* mesh_ball(void) {
    const double sizes[] = {0.5};
    shoal_mesh*  mesh    = mesh_sheet(sphere_place, sizes, 24, 48);
    shoal_shape* out     = NULL;
    CHECK_OK(shoal_shape_mesh(mesh, 0.05, 2, &out));
    shoal_mesh_destroy(mesh);
    return out;
}

// The farthest that a point of the surface is from a sample, in spacings. Points: where lines along
// z pass the surface.
static double widest_gap(const tank* r, const shoal_shape* shape) {
    shoal_box b    = shoal_shape_bounds(shape);
    double    most = 0.0, step = 0.31 * r->spacing;
    for (double x = b.min.x; x < b.max.x; x += step)
        for (double y = b.min.y; y < b.max.y; y += step)
            for (double z = b.min.z - step; z < b.max.z; z += step) {
                double low  = shoal_shape_distance(shape, d3(x, y, z)),
                       high = shoal_shape_distance(shape, d3(x, y, z + step));
                if ((low < 0.0) == (high < 0.0)) continue;
                most = fmax(most, nearest(&r->samples, d3(x, y, z + step * low / (low - high))));
            }
    return most / r->spacing;
}

static void a_sphere_is_covered_evenly_without_gaps(void** state) {
    (void)state;
    shoal_obstacle obstacle;
    shoal_shape*   sphere = NULL;
    CHECK_OK(shoal_shape_sphere(0.5, &sphere));
    tank   r    = sampled_shape(&obstacle, sphere, 0.05);
    double area = 4.0 * SHOAL_PI * 0.475 * 0.475;
    CHECK_NEAR(r.samples.count * 0.05 * 0.05 / area, 1.0, 0.05);
    double volume = 0.0, least = 1e30;
    for (int k = 0; k < r.samples.count; k++) {
        CHECK_NEAR(distance_of(r.samples.place[k], d3(0, 0, 0)), 0.475, 0.01 * 0.05);
        volume += (double)r.samples.volume[k];
        for (int j = 0; j < k; j++)
            least = fmin(least,
                         distance_of(r.samples.place[j], d3((double)r.samples.place[k].x, (double)r.samples.place[k].y,
                                                            (double)r.samples.place[k].z)));
    }
    CHECK_NEAR(least / 0.05, 0.93, 0.03);
    // as thick as the samples of a plane would be
    CHECK_NEAR(volume / (area * 0.05 * 1.05), 1.0, 0.05);
    CHECK_BELOW(widest_gap(&r, sphere), 1.12);
    tank_free(&r);
    shoal_shape_destroy(sphere);
}

static void no_shape_has_gaps(void** state) {
    (void)state;
    // at the corner of a box the surface is 0.87 spacings from the inner corner
    const struct {
        shoal_shape* (*make)(void);
        double most;
    } cases[] = {
        {turned_box, 1.65}, {bowl, 1.65}, {torus, 1.15}, {cigar, 1.30}, {mesh_ball, 1.15},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        shoal_obstacle obstacle;
        shoal_shape*   shape = cases[k].make();
        tank           r     = sampled_shape(&obstacle, shape, 0.06);
        CHECK_BELOW(widest_gap(&r, shape), cases[k].most);
        for (int s = 0; s < r.samples.count; s++) {
            shoal_v4 p = r.samples.place[s];
            CHECK_BELOW(shoal_shape_distance(shape, d3((double)p.x, (double)p.y, (double)p.z)),
                        -0.15 * 0.06); // a third of the depth at the ends of the cigar, whose
                                       // distance is only a bound
        }
        tank_free(&r);
        shoal_shape_destroy(shape);
    }
}

static void thin_plates_have_one_layer_in_the_middle(void** state) {
    (void)state;
    shoal_obstacle obstacle;
    shoal_shape*   plate = NULL;
    CHECK_OK(shoal_shape_box(d3(0, 0, 0), d3(1, 0.02, 1), &plate));
    tank r = sampled_shape(&obstacle, plate, 0.05);
    assert_true(r.samples.count > 380 && r.samples.count < 460);
    for (int k = 0; k < r.samples.count; k++) CHECK_NEAR((double)r.samples.place[k].y, 0.01, 1e-4);
    CHECK_BELOW(widest_gap(&r, plate), 1.0);
    tank_free(&r);
    shoal_shape_destroy(plate);
}

// Distances of a mesh are sampled, and cut off where both sides of a wall are equally far: there they say that it is
// less deep than it is.
static void walls_of_meshes_have_no_gaps_however_thin(void** state) {
    (void)state;
    const double spacing = 0.06;
    for (int k = 0; k < 12; k++) {
        double       thick = (0.7 + 0.1 * (k % 6 + 1)) * spacing, angle = k < 6 ? 0.1 : 0.6;
        float        v[24];
        shoal_mesh*  mesh  = NULL;
        shoal_shape* shape = NULL;
        box_vertices(d3(-0.5, 0.0, -0.4), d3(0.5, thick, 0.4), v);
        for (int i = 0; i < 8; i++) {
            shoal_d3 p = shoal_quat_rotate(shoal_quat_turn(d3(0.6, 0.0, 0.8), angle),
                                           d3((double)v[3 * i], (double)v[3 * i + 1], (double)v[3 * i + 2]));
            v[3 * i] = (float)p.x, v[3 * i + 1] = (float)p.y, v[3 * i + 2] = (float)p.z;
        }
        shoal_obstacle obstacle;
        CHECK_OK(shoal_mesh_create(v, 8, box_triangles, 12, &mesh));
        CHECK_OK(shoal_shape_mesh(mesh, 0.5 * spacing, 2, &shape));
        tank r = sampled_shape(&obstacle, shape, spacing);
        CHECK_BELOW(widest_gap(&r, shape), 1.45);
        tank_free(&r);
        shoal_shape_destroy(shape);
        shoal_mesh_destroy(mesh);
    }
}

static void touching_boxes_have_no_samples_between_them(void** state) {
    (void)state;
    shoal_shape *parts[2], *both = NULL;
    CHECK_OK(shoal_shape_box(d3(0, 0, 0), d3(0.5, 1, 1), &parts[0]));
    CHECK_OK(shoal_shape_box(d3(0.5, 0, 0), d3(1, 1, 1), &parts[1]));
    CHECK_OK(shoal_shape_combined(SHOAL_UNION, parts, 2, &both));
    shoal_obstacle obstacle;
    tank           r = sampled_shape(&obstacle, both, 0.1);
    for (int k = 0; k < r.samples.count; k++) {
        shoal_v4 p = r.samples.place[k];
        double   depth =
            fmin(fmin((double)fminf(p.x, 1 - p.x), (double)fminf(p.y, 1 - p.y)), (double)fminf(p.z, 1 - p.z));
        CHECK_NEAR(depth, 0.05, 0.002);
    }
    CHECK_BELOW(widest_gap(&r, both), 1.65);
    tank_free(&r);
    shoal_shape_destroy(both);
}

static void a_half_space_in_a_domain_is_a_wall(void** state) {
    (void)state;
    shoal_description d      = domain("ccoocc", 0.1, 0.8, 0.8, 0.8);
    shoal_obstacle    ground = {.name = "ground"};
    CHECK_OK(shoal_shape_plane(d3(0, 1, 0), 0.0, &ground.shape));
    d.obstacle_count = 1;
    d.obstacles      = &ground;
    tank r           = sampled(&d);
    CHECK_NEAR(density_at(&r, shoal_spiky, d3(0.35, 0.05, 0.45), 8, 8, 8), 1.0, 0.02);
    tank_free(&r);
    shoal_shape_destroy(ground.shape);
}

static void solids_that_stand_in_each_other_are_not_sampled_inside(void** state) {
    (void)state;
    shoal_description d     = domain("cccocc", 0.05, 2, 1, 2);
    shoal_obstacle    block = {.name = "block"};
    CHECK_OK(shoal_shape_box(d3(0.5, -0.5, 0.5), d3(1.5, 0.5, 1.5), &block.shape));
    d.obstacle_count = 1;
    d.obstacles      = &block;
    tank r           = sampled(&d);
    for (int k = 0; k < r.samples.count; k++) {
        shoal_v4 p = r.samples.place[k];
        if (r.samples.body[k] == 0) assert_true(p.y > -0.06f);
        if (r.samples.body[k] == -1 - SHOAL_BOTTOM)
            assert_true(p.x < 0.6f || p.x > 1.4f || p.z < 0.6f || p.z > 1.4f || p.y > 0.0f);
    }
    // in the edge between block and floor
    CHECK_BELOW(nearest(&r.samples, d3(0.5, 0.0, 1.0)), 0.05);
    tank_free(&r);
    shoal_shape_destroy(block.shape);
}

// --- periodic walls

static void a_beam_through_a_periodic_wall_has_neither_ends_nor_doubles(void** state) {
    (void)state;
    const double ends[][2] = {{0.0, 1.0}, {-0.3, 1.3}};
    for (int k = 0; k < 2; k++) {
        shoal_description d    = domain("ccccpp", 0.05, 1, 1, 1);
        shoal_obstacle    beam = {.name = "beam"};
        CHECK_OK(shoal_shape_box(d3(0.4, 0.4, ends[k][0]), d3(0.6, 0.6, ends[k][1]), &beam.shape));
        d.obstacle_count = 1;
        d.obstacles      = &beam;
        tank   r         = sampled(&d);
        int    own       = 0;
        double plane = 0.0, most = 0.0;
        for (int s = 0; s < r.samples.count; s++) {
            shoal_v4 p = r.samples.place[s];
            if (r.samples.body[s] != 0) continue;
            assert_true(p.z > -0.1001f && p.z < 1.1001f);
            assert_false(p.x > 0.45f && p.x < 0.55f && p.y > 0.45f && p.y < 0.55f);
            if (p.z < 0.0f || p.z >= 1.0f) continue;
            own++;
            plane = fmax(plane, (double)r.samples.volume[s]);
            for (int j = 0; j < s; j++)
                if (r.samples.body[j] == 0)
                    most =
                        fmax(most, 0.05 / distance_of(r.samples.place[j], d3((double)p.x, (double)p.y, (double)p.z)));
        }
        assert_true(own >= 12 * 18 && own <= 12 * 21); // 12 around, 20 along
        CHECK_BELOW(most, 1.12);
        CHECK_BELOW(plane, 1.40 * 0.05 * 0.05 * 0.05); // no rim with too few neighbours
        tank_free(&r);
        shoal_shape_destroy(beam.shape);
    }
}

// --- motion

static void turning_ball(shoal_obstacle* ball, shoal_motion_key* keys) {
    *ball   = (shoal_obstacle){.name = "ball", .key_count = 2, .keys = keys};
    keys[0] = (shoal_motion_key){0.0, d3(0.5, 0.5, 0.5), d3(0, 0, 1), 0.0};
    keys[1] = (shoal_motion_key){1.0, d3(1.5, 0.5, 0.5), d3(0, 0, 1), 180.0};
    CHECK_OK(shoal_shape_sphere(0.2, &ball->shape));
}

static void samples_follow_a_collider_and_have_its_velocity(void** state) {
    (void)state;
    shoal_obstacle    ball;
    shoal_motion_key  keys[2];
    shoal_description d = domain("cccccc", 0.05, 2, 1, 1);
    turning_ball(&ball, keys);
    d.obstacle_count = 1;
    d.obstacles      = &ball;
    tank      r      = sampled(&d);
    int       count = r.samples.count, first = r.samples.still_count;
    shoal_v4* before = malloc((size_t)count * sizeof *before);
    assert_non_null(before);
    memcpy(before, r.samples.place, (size_t)count * sizeof *before);
    assert_int_equal(count - first, r.samples.moving_count);

    shoal_exec exec = shoal_exec_make(2);
    shoal_world_move(r.world, 0.5, 0.0);
    int64_t calls = shoal_memory_calls();
    shoal_samples_move(&r.samples, &exec, r.world, 0.0);
    assert_int_equal(shoal_memory_calls(), calls);
    assert_int_equal(r.samples.count, count);
    assert_memory_equal(before, r.samples.place, (size_t)first * sizeof *before);
    for (int k = first; k < count; k++) {
        // half a way to the right and a quarter turn about z: (x, y) -> (-y, x)
        shoal_v4 p = r.samples.place[k], v = r.samples.velocity[k], b = before[k];
        CHECK_NEAR((double)p.x, 1.0 - ((double)b.y - 0.5), 1e-6);
        CHECK_NEAR((double)p.y, 0.5 + ((double)b.x - 0.5), 1e-6);
        CHECK_NEAR((double)p.z, (double)b.z, 1e-6);
        CHECK_NEAR((double)v.x, 1.0 - SHOAL_PI * ((double)p.y - 0.5), 1e-5);
        CHECK_NEAR((double)v.y, SHOAL_PI * ((double)p.x - 1.0), 1e-5);
        CHECK_NEAR((double)v.z, 0.0, 1e-6);
        assert_true(p.w == b.w && p.w == r.samples.volume[k]);
        assert_int_equal(r.samples.body[k], 0);
    }
    // half a second ago it was where it began, and comes here by its velocity
    shoal_world_move(r.world, 0.5, 0.5);
    shoal_samples_move(&r.samples, &exec, r.world, 0.5);
    for (int k = first; k < count; k++) {
        shoal_v4 p = r.samples.place[k], v = r.samples.velocity[k], b = before[k];
        CHECK_NEAR((double)p.x, (double)b.x, 1e-6);
        CHECK_NEAR((double)p.y, (double)b.y, 1e-6);
        CHECK_NEAR((double)p.x + 0.5 * (double)v.x, 1.0 - ((double)b.y - 0.5), 1e-6);
    }
    free(before);
    tank_free(&r);
    shoal_shape_destroy(ball.shape);
}

static void a_collider_that_leaves_through_a_periodic_wall_is_seen_from_the_other_side(void** state) {
    (void)state;
    shoal_obstacle    ball;
    shoal_motion_key  keys[2];
    shoal_description d = domain("ppcccc", 0.05, 1, 1, 1);
    turning_ball(&ball, keys);
    d.obstacle_count = 1;
    d.obstacles      = &ball;
    tank       r     = sampled(&d);
    shoal_exec exec  = shoal_exec_make(2);
    int        whole = r.samples.count - r.samples.still_count;
    shoal_world_move(r.world, 0.5, 0.0); // its middle is on the wall
    shoal_samples_move(&r.samples, &exec, r.world, 0.0);
    int inside = 0, images = 0;
    for (int k = r.samples.still_count; k < r.samples.count; k++) {
        shoal_v4 p = r.samples.place[k];
        if (p.x >= 0.0f && p.x < 1.0f) {
            inside++;
            assert_true(p.x > 0.79f);
        } else {
            images++;
            assert_true(p.x > -0.1001f && p.x < 0.0f);
        }
    }
    CHECK_NEAR(inside, 0.5 * whole, 0.1 * whole);
    assert_true(images > 0 && images < inside);
    shoal_world_move(r.world, 1.0, 0.0);
    shoal_samples_move(&r.samples, &exec, r.world, 0.0);
    assert_int_equal(r.samples.count, r.samples.still_count); // all gone
    tank_free(&r);
    shoal_shape_destroy(ball.shape);
}

static void any_number_of_threads_gives_the_same_bits(void** state) {
    (void)state;
    shoal_description d            = domain("ccpoco", 0.06, 2, 1, 1);
    d.domain.walls[SHOAL_TOP].kind = SHOAL_WALL_PERIODIC;
    shoal_obstacle   obstacles[2];
    shoal_motion_key keys[2];
    turning_ball(&obstacles[0], keys);
    obstacles[1]     = (shoal_obstacle){.name = "bowl", .shape = bowl()};
    d.obstacle_count = 2;
    d.obstacles      = obstacles;
    tank a = sampled_by(&d, 1, shoal_poly6), b = sampled_by(&d, 2, shoal_poly6);
    assert_int_equal(a.samples.count, b.samples.count);
    size_t count = (size_t)a.samples.count;
    assert_memory_equal(a.samples.place, b.samples.place, count * sizeof *a.samples.place);
    assert_memory_equal(a.samples.velocity, b.samples.velocity, count * sizeof *a.samples.velocity);
    assert_memory_equal(a.samples.volume, b.samples.volume, count * sizeof *a.samples.volume);
    assert_memory_equal(a.samples.body, b.samples.body, count * sizeof *a.samples.body);
    tank_free(&a);
    tank_free(&b);
    shoal_shape_destroy(obstacles[0].shape);
    shoal_shape_destroy(obstacles[1].shape);
}

// --- what cannot be

static void refused(const shoal_description* d, const char* word) {
    shoal_world*  world   = NULL;
    shoal_samples samples = {0};
    shoal_exec    exec    = shoal_exec_make(2);
    CHECK_OK(shoal_world_create(d, &world));
    assert_int_equal(
        shoal_samples_make(&samples, &exec, &(shoal_solids){.world = world}, d->spacing, 2.0 * d->spacing, shoal_spiky),
        SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), word));
    assert_null(samples.place);
    shoal_world_destroy(world);
}

static void absurd_sizes_are_refused_with_the_name_of_the_solid(void** state) {
    (void)state;
    shoal_description d = domain("oocooo", 0.001, 1000, 1, 1000);
    refused(&d, "bottom");
    d = domain("cccccc", 1e-9, 1e9, 1e9, 1e9);
    refused(&d, "left");

    shoal_obstacle it = {.name = "moon"};
    CHECK_OK(shoal_shape_sphere(1.7e6, &it.shape));
    d                = domain("", 0.01, 0, 0, 0);
    d.obstacle_count = 1;
    d.obstacles      = &it;
    refused(&d, "moon");
    shoal_shape_destroy(it.shape);
    CHECK_OK(shoal_shape_plane(d3(0, 1, 0), 0.0, &it.shape));
    refused(&d, "endless");
    shoal_shape_destroy(it.shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_box_has_one_shell_of_its_lattice_around_it),
        cmocka_unit_test(samples_of_a_flat_wall_have_the_volume_of_their_plane),
        cmocka_unit_test(the_factor_is_the_one_of_the_published_table),
        cmocka_unit_test(water_on_its_lattice_in_a_box_has_rest_density_at_the_walls),
        cmocka_unit_test(walls_go_on_beyond_open_sides),
        cmocka_unit_test(a_sphere_is_covered_evenly_without_gaps),
        cmocka_unit_test(no_shape_has_gaps),
        cmocka_unit_test(thin_plates_have_one_layer_in_the_middle),
        cmocka_unit_test(walls_of_meshes_have_no_gaps_however_thin),
        cmocka_unit_test(touching_boxes_have_no_samples_between_them),
        cmocka_unit_test(a_half_space_in_a_domain_is_a_wall),
        cmocka_unit_test(solids_that_stand_in_each_other_are_not_sampled_inside),
        cmocka_unit_test(a_beam_through_a_periodic_wall_has_neither_ends_nor_doubles),
        cmocka_unit_test(samples_follow_a_collider_and_have_its_velocity),
        cmocka_unit_test(a_collider_that_leaves_through_a_periodic_wall_is_seen_from_the_other_side),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(absurd_sizes_are_refused_with_the_name_of_the_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
