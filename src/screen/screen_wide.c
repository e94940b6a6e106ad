// SPDX-License-Identifier: MIT
// The hot loops over pixels, sixteen at a time, compiled once per instruction set: rows of fixed length, without
// branches, that the compiler lays into lanes. What happens to one pixel is that of the passes, in the same order and
// without fused operations, so all sets, and the passes by themselves, give the same bits.
#include "math/wide.h"
#include "screen/screen_local.h"

enum { LANES = SCREEN_LANES };

static bool nearest_block(const screen_cover* cover, const float* restrict across, const float* down, screen_range rows,
                          screen_range lanes, float* restrict depth, uint32_t* restrict number) {
    const screen_cover c     = *cover; // a copy: what is written below is none of it
    uint32_t           taken = 0;
    for (int y = rows.first; y <= rows.last; y++) {
        float* restrict row      = depth + y * SCREEN_TILE;
        uint32_t* restrict whose = number + y * SCREEN_TILE;
        float py                 = down[y];
        for (int i = 0; i < LANES; i++) {
            float    at, chord;
            uint32_t is_hit = (uint32_t)screen_splat_hit(&c, 1.0f, across[i], py, &at, &chord) &
                              (uint32_t)(i >= lanes.first) & (uint32_t)(i <= lanes.last);
            uint32_t is_nearest =
                is_hit & ((uint32_t)(at < row[i]) | ((uint32_t)(at == row[i]) & (uint32_t)(c.number < whose[i])));
            row[i]   = is_nearest ? at : row[i];
            whose[i] = is_nearest ? c.number : whose[i];
            taken |= is_nearest;
        }
    }
    return taken != 0;
}

static float farthest(const float* restrict depth) {
    float most[LANES], far = -1.0f;
    for (int i = 0; i < LANES; i++) most[i] = depth[i];
    for (int y = 1; y < SCREEN_BLOCK_ROWS; y++)
        for (int i = 0; i < LANES; i++)
            most[i] = depth[y * SCREEN_TILE + i] > most[i] ? depth[y * SCREEN_TILE + i] : most[i];
    for (int i = 0; i < LANES; i++) far = most[i] > far ? most[i] : far;
    return far;
}

static void thicken_row(const screen_cover* c, screen_range lanes, const float* restrict across, float py,
                        const float* restrict slant, const float* restrict solid, float unit,
                        int32_t* restrict thickness) {
    for (int i = 0; i < LANES; i++) {
        int is_in = (i >= lanes.first) & (i <= lanes.last);
        thickness[i] += -is_in & screen_chord(c, across[i], py, slant[i], solid[i], unit);
    }
}

// screen_narrow of LANES pixels; `side[s][k]` is where the first of them has its k-th neighbour to side s.
static void narrow_lanes(const screen_depths* v, float pixel, const float* restrict from,
                         const float* side[2][SCREEN_REACH_MOST], float* restrict to) {
    float last[2][LANES], end[2][LANES], reach[LANES], per2[LANES], low[LANES], high[LANES], sum[LANES], weights[LANES],
        most = 0.0f;
    for (int i = 0; i < LANES; i++) {
        float z = from[i], far = v->radius / (pixel * z);
        reach[i]   = far > (float)SCREEN_REACH_MOST ? (float)SCREEN_REACH_MOST : far;
        reach[i]   = z < SCREEN_EMPTY ? reach[i] : 0.0f;
        last[0][i] = last[1][i] = z;
        end[0][i] = end[1][i] = reach[i];
        low[i]                = z - v->narrow;
        high[i]               = z + v->narrow;
        sum[i]                = z;
        weights[i]            = 1.0f;
    }
    for (int i = 0; i < LANES; i++) most = reach[i] > most ? reach[i] : most;
    for (int k = 1; (float)k < most; k++)
        for (int s = 0; s < 2; s++) {
            const float* restrict next = side[s][k];
            for (int i = 0; i < LANES; i++) { // screen_end
                float step = next[i] - last[s][i];
                int   ends = (step > v->narrow) | (step < -v->narrow);
                end[s][i]  = (ends & ((float)k < end[s][i])) ? (float)k : end[s][i];
                last[s][i] = next[i];
            }
        }
    most = 0.0f;
    for (int i = 0; i < LANES; i++) {
        reach[i] = screen_narrow_reach(reach[i], end[0][i], end[1][i]);
        per2[i]  = 1.0f / (reach[i] * reach[i]);
        most     = reach[i] > most ? reach[i] : most;
    }
    for (int k = 1; (float)k < most; k++) {
        const float* restrict back = side[0][k], * restrict on = side[1][k];
        for (int i = 0; i < LANES; i++) {
            // a neighbour that is left out weighs nothing, which leaves the sums as they are
            float z = from[i], a = back[i], b = on[i], l = low[i], h = high[i], far = z + v->behind;
            float t = 1.0f - (float)(k * k) * per2[i], weight = t > 0.0f ? t * t * t : 0.0f;
            weight      = a < l ? 0.0f : weight;
            weight      = b < l ? 0.0f : weight;
            weight      = (float)k < reach[i] ? weight : 0.0f;
            float a_low = a > h ? l : a - v->narrow, a_high = a > h ? h : a + v->narrow;
            float b_low = b > h ? l : b - v->narrow, b_high = b > h ? h : b + v->narrow;
            float lower = a_low < l ? a_low : l, upper = a_high > h ? a_high : h;
            lower      = b_low < lower ? b_low : lower;
            upper      = b_high > upper ? b_high : upper;
            sum[i]     = sum[i] + weight * (a > h ? far : a);
            sum[i]     = sum[i] + weight * (b > h ? far : b);
            weights[i] = weights[i] + 2.0f * weight;
            low[i]     = weight > 0.0f ? lower : l;
            high[i]    = weight > 0.0f ? upper : h;
        }
    }
    for (int i = 0; i < LANES; i++) to[i] = sum[i] / weights[i];
}

static bool has_any(const float* from) {
    int any = 0;
    for (int i = 0; i < LANES; i++) any |= from[i] < SCREEN_EMPTY;
    return any;
}

// A row; beyond the edges of the picture there is nothing.
static void narrow_row(const screen_depths* v, int y, int way, float* row, float* to) {
    static const float nothing[LANES] = {
        SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY,
        SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY};
    const float* from = v->from + (size_t)y * (size_t)v->width;
    const float* side[2][SCREEN_REACH_MOST];
    int          x = 0;
    if (way == 0) {
        for (int k = 0; k < SCREEN_REACH_MOST; k++) row[k] = row[SCREEN_REACH_MOST + v->width + k] = SCREEN_EMPTY;
        memcpy(row + SCREEN_REACH_MOST, from, (size_t)v->width * sizeof *row);
    }
    for (; x + LANES <= v->width; x += LANES) {
        if (!has_any(from + x)) {
            memcpy(to + x, from + x, LANES * sizeof *to);
            continue;
        }
        for (int k = 1; k < SCREEN_REACH_MOST; k++) {
            size_t step = (size_t)k * (size_t)v->width;
            side[0][k]  = way == 0 ? row + SCREEN_REACH_MOST + x - k : y - k >= 0 ? from + x - step : nothing;
            side[1][k]  = way == 0 ? row + SCREEN_REACH_MOST + x + k : y + k < v->height ? from + x + step : nothing;
        }
        narrow_lanes(v, way == 0 ? v->pixel_x : v->pixel_y, from + x, side, to + x);
    }
    for (; x < v->width; x++) to[x] = screen_narrow(v, x, y, way == 0, way == 1);
}

// screen_open_above of LANES places, of which most have nothing above: tops one by one, the rest in lanes.
static void open_above(const screen_overhead* of, const screen_lanes* places, float* restrict open) {
    const screen_overhead over = *of;
    const screen_lanes    at   = *places;
    int                   is_in[LANES], cell[LANES], any = 0;
    float                 x[LANES], y[LANES], height[LANES];
    int32_t               top[4][LANES], highest = 0;
    for (int i = 0; i < LANES; i++) open[i] = 1.0f;
    if (!over.is_there) return;
    for (int i = 0; i < LANES; i++) {
        screen_spot p = screen_spot_of(&over, shoal_v3_make(at.x[i], at.y[i], at.z[i]));
        is_in[i]      = p.is_in;
        cell[i]       = p.cell;
        x[i]          = p.x;
        y[i]          = p.y;
        height[i]     = p.height;
    }
    for (int i = 0; i < LANES; i++) any |= is_in[i];
    if (!any) return;
    for (int i = 0; i < LANES; i++) {
        const int32_t* t = over.tops + cell[i];
        top[0][i] = t[0], top[1][i] = t[1], top[2][i] = t[SCREEN_MAP_CELLS], top[3][i] = t[SCREEN_MAP_CELLS + 1];
    }
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < LANES; i++) highest = top[k][i] > highest ? top[k][i] : highest;
    if (highest == 0) return; // nothing stands anywhere here
    for (int i = 0; i < LANES; i++) {
        screen_spot p = {is_in[i], cell[i], x[i], y[i], height[i]};
        open[i]       = screen_spot_open(p, top[0][i], top[1][i], top[2][i], top[3][i]);
    }
}

static void far_row(const screen_scene* scene, const screen_overhead* over, int width, int height, int x, int y,
                    screen_lanes* restrict light) {
    const screen_camera camera  = scene->camera; // copies: what is written below is none of them
    const screen_lights lights  = scene->lights;
    const screen_ground ground  = scene->ground;
    screen_outlook      outlook = screen_outlook_of(&camera, &lights, &ground, width);
    screen_lanes        far, ways, at; // copies, as the arguments: the compiler sees that none of them is another
    float               open[LANES];
    for (int i = 0; i < LANES; i++) {
        shoal_v3 way = screen_unit(screen_to_world(&camera, screen_ray(&camera, width, height, x + i, y)));
        shoal_v3 on  = screen_ground_at(&camera, &ground, outlook, way);
        ways.x[i] = way.x, ways.y[i] = way.y, ways.z[i] = way.z;
        at.x[i] = on.x, at.y[i] = on.y, at.z[i] = on.z;
    }
    open_above(over, &at, open);
    for (int i = 0; i < LANES; i++) {
        shoal_v3 way  = shoal_v3_make(ways.x[i], ways.y[i], ways.z[i]);
        shoal_v3 seen = screen_far(&camera, &lights, &ground, outlook, way, open[i]);
        far.x[i]      = seen.x;
        far.y[i]      = seen.y;
        far.z[i]      = seen.z;
    }
    *light = far;
}

// screen_solid_light of LANES pixels: normals and colours one by one, from wherever they lie, the rest in lanes.
static void solid_row(const screen_matter* m, const screen_scene* scene, const screen_overhead* over, int width,
                      int height, int x, int y, const uint64_t* keys, const float* restrict open,
                      screen_lanes* restrict light) {
    const screen_camera camera = scene->camera;
    const screen_lights lights = scene->lights;
    screen_lanes        at;
    float               above[LANES];
    screen_lanes        normal = {{0}, {0}, {0}}, color = {{0}, {0}, {0}}, flat = {{0}, {0}, {0}}, out;
    int                 is_flat[LANES] = {0};
    for (int i = 0; i < LANES; i++) {
        if (keys[i] == SCREEN_NOBODY) continue;
        int      number = (int)screen_key_number(keys[i]);
        shoal_v3 w      = screen_ray(&camera, width, height, x + i, y), n, c;
        is_flat[i]      = number >= m->ball_count;
        if (is_flat[i]) {
            n         = screen_triangle_normal(m, &camera, keys[i], w);
            c         = m->triangles[number - m->ball_count].color;
            flat.x[i] = n.x, flat.y[i] = n.y, flat.z[i] = n.z;
        } else {
            n           = screen_ball_normal(m, keys[i], w);
            c           = m->balls[number].color;
            normal.x[i] = n.x, normal.y[i] = n.y, normal.z[i] = n.z;
        }
        color.x[i] = c.x, color.y[i] = c.y, color.z[i] = c.z;
    }
    for (int i = 0; i < LANES; i++) {
        shoal_v3 w     = screen_ray(&camera, width, height, x + i, y);
        shoal_v3 place = shoal_v3_add_scaled(camera.eye, screen_to_world(&camera, w), screen_key_depth(keys[i]));
        at.x[i] = place.x, at.y[i] = place.y, at.z[i] = place.z;
    }
    open_above(over, &at, above);
    for (int i = 0; i < LANES; i++) {
        shoal_v3 n = screen_unit(screen_to_world(&camera, shoal_v3_make(normal.x[i], normal.y[i], normal.z[i])));
        n = shoal_v3_make(is_flat[i] ? flat.x[i] : n.x, is_flat[i] ? flat.y[i] : n.y, is_flat[i] ? flat.z[i] : n.z);
        shoal_v3 on = screen_light_on(&lights, n, above[i]);
        out.x[i]    = color.x[i] * on.x * open[i];
        out.y[i]    = color.y[i] * on.y * open[i];
        out.z[i]    = color.z[i] * on.z * open[i];
    }
    *light = out;
}

// screen_openness of LANES pixels.
static void open_row(const screen_solids* s, int x, int y, const float* restrict depth, float* restrict open) {
    const screen_spiral spiral = screen_spiral_make();
    screen_solids       own    = *s;
    float               reach = screen_occlusion_reach(s), across[LANES], down[LANES], hidden[LANES] = {0};
    for (int i = 0; i < LANES; i++) {
        across[i] = screen_reach_x(s, reach, depth[i]);
        down[i]   = screen_reach_y(s, reach, depth[i]);
    }
    for (int k = 0; k < SCREEN_OCCLUSION_SAMPLES; k++)
        for (int i = 0; i < LANES; i++)
            hidden[i] += screen_hidden(&own, reach, x + i, y, depth[i], spiral.x[k] * across[i], spiral.y[k] * down[i]);
    for (int i = 0; i < LANES; i++) open[i] = screen_open(hidden[i]);
}

// Depths of a row from the pixel before x on; beyond the edges of the picture there is nothing.
static void row_from(const screen_liquid* s, int x, int y, float row[LANES + 2]) {
    for (int k = 0; k < LANES + 2; k++) {
        int  at    = x - 1 + k;
        bool is_in = at >= 0 && at < s->width && y >= 0 && y < s->height;
        row[k]     = is_in ? s->depth[(size_t)y * (size_t)s->width + (size_t)at] : SCREEN_EMPTY;
    }
}

// screen_liquid_light of LANES pixels.
static void liquid_row(const screen_liquid* s, int x, int y, const screen_lanes* restrict absorption,
                       screen_lanes* restrict light) {
    const screen_camera camera = *s->camera;
    const screen_lights lights = *s->lights;
    screen_liquid       own    = *s;
    float               here[LANES + 2], above[LANES + 2], below[LANES + 2], thick[LANES], fraction[LANES], run[LANES];
    screen_lanes        mirror, rest;
    int                 bent_x[LANES], bent_y[LANES];
    own.camera = &camera;
    own.lights = &lights;
    row_from(s, x, y, here);
    row_from(s, x, y - 1, above);
    row_from(s, x, y + 1, below);
    screen_cell_rows cells  = screen_cells_about(s, y);
    int              across = screen_cells(s->width);
    for (int i = 0; i < LANES; i++) thick[i] = screen_thickness(own.thickness, across, cells, x + i) * own.spacing;
    for (int i = 0; i < LANES; i++) {
        screen_beside b    = {here[i + 1], here[i], here[i + 2], above[i + 1], below[i + 1]};
        screen_bend   bend = screen_bend_of(&own, x + i, y, b, thick[i]);
        fraction[i]        = bend.fraction;
        run[i]             = bend.run;
        mirror.x[i]        = bend.mirror.x;
        mirror.y[i]        = bend.mirror.y;
        mirror.z[i]        = bend.mirror.z;
        bent_x[i]          = bend.x;
        bent_y[i]          = bend.y;
    }
    for (int i = 0; i < LANES; i++) {
        shoal_v3 behind = here[i + 1] < SCREEN_EMPTY
                              ? screen_light_behind(s, x + i, y, here[i + 1], bent_x[i], bent_y[i])
                              : shoal_v3_make(0.0f, 0.0f, 0.0f);
        rest.x[i]       = behind.x;
        rest.y[i]       = behind.y;
        rest.z[i]       = behind.z;
    }
    for (int i = 0; i < LANES; i++) {
        light->x[i] = screen_through(rest.x[i], absorption->x[i], run[i], mirror.x[i], fraction[i]);
        light->y[i] = screen_through(rest.y[i], absorption->y[i], run[i], mirror.y[i], fraction[i]);
        light->z[i] = screen_through(rest.z[i], absorption->z[i], run[i], mirror.z[i], fraction[i]);
    }
}

extern const screen_loops SHOAL_WIDE_NAME(screen_loops);
const screen_loops        SHOAL_WIDE_NAME(screen_loops) = {.nearest_block = nearest_block,
                                                           .farthest      = farthest,
                                                           .thicken_row   = thicken_row,
                                                           .narrow_row    = narrow_row,
                                                           .far_row       = far_row,
                                                           .solid_row     = solid_row,
                                                           .open_row      = open_row,
                                                           .liquid_row    = liquid_row};
