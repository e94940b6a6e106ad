// SPDX-License-Identifier: MIT
// What taps bring and sinks take in a step, as volumes. What taps bring is seen at the nodes of their boxes, by what of
// a cell is inside before and after; what sinks take by the liquid before the step that the flow carries into them, and
// then set to the outflow of the mesh there, which the pressure knows exactly. Each balance is charged what was its
// own.
#include "tet/liquid_field_local.h"

#include "exec/pass.h"

#define ON_SINK 0.5 // cells off it, vertices at the air are on a sink

// The fraction of a cell around a node that is inside.
static double filled(double distance, double cell) { return fmin(1.0, fmax(0.0, 0.5 - distance / cell)); }

typedef struct exchange_job {
    const liquid_field* surface;
    double (*volume_at)(const struct exchange_job* job, shoal_d3 at); // at a node, in cells
    int    first, box;                                                // of the drive's, of one kind from the first on
    int    balance; // of a sink: what is in this balance counts alone; -1: all does
    int    from[3]; // its lowest node, counted from the origin of the lattice
    int    size[3];
    double reach; // what is beside a box is with it, m
} exchange_job;

// A node of a box; false: it is in one before as well, and counts there.
static bool node_of(const exchange_job* job, int i, shoal_d3* at) {
    const liquid_field* s   = job->surface;
    int64_t             row = job->size[0], layer = row * job->size[1]; // may be more than 2^31
    int                 x = job->from[0] + (int)(i % row), y = job->from[1] + (int)(i % layer / row),
        z = job->from[2] + (int)(i / layer);
    *at   = shoal_d3_add(s->from->grid.origin, shoal_d3_scale(shoal_d3_make(x, y, z), s->cell));
    for (int b = job->first; b < job->box; b++)
        if (shoal_box_holds(shoal_box_grown(s->drive->boxes[b], job->reach), *at)) return false;
    return true;
}

static double exchange_block(void* ctx, int begin, int end) {
    const exchange_job* job = ctx;
    double              sum = 0.0;
    for (int i = begin; i < end; i++) {
        shoal_d3 at;
        if (node_of(job, i, &at)) sum += job->volume_at(job, at);
    }
    return sum;
}

// What of the cell of a node is open, off the solids.
static double open_at(const liquid_field* s, shoal_d3 at) {
    return filled(-s->solids->distance(s->solids->ctx, at, NULL), s->cell);
}

// The volume that `emit_and_drain` adds at a node: what of its cell was inside before and is after.
static double emitted_at(const exchange_job* job, shoal_d3 at) {
    const liquid_field*    s     = job->surface;
    const shoal_tet_drive* drive = s->drive;
    double                 here  = shoal_band_distance(s->from, at);
    if (fabs(here) >= s->from->far) { // nothing else changes it
        double there = drive->emit_and_drain(drive->ctx, at, here);
        if ((there < 0.0) == (here < 0.0) && fabs(there) >= 0.5 * s->cell) return 0.0;
    }
    double open = open_at(s, at);
    if (!(open > 0.0)) return 0.0;
    double before = liquid_flown_to(s, at), after = drive->emit_and_drain(drive->ctx, at, before);
    return open * fmax(0.0, filled(after, s->cell) - filled(before, s->cell));
}

// The balance of the liquid at a place.
static int balance_at(const liquid_field* s, shoal_d3 at) {
    int part = liquid_part_around(s->places, s->from, s->solids, at);
    return part < 0 ? -1 : s->liquid->part_before[part].balance;
}

// The volume that it removes: of the liquid at a node before the step the part that the flow carries to where none is
// kept. Within a sink the same liquid fills less, since the flow is free of divergence outside of it alone. (Measured
// there, a ball of three cells took 0.6 of the volume that had left.)
static double drained_to(const exchange_job* job, shoal_d3 at, shoal_d3* to) {
    const liquid_field*    s     = job->surface;
    const shoal_tet_drive* drive = s->drive;
    double                 here  = filled(shoal_band_distance(s->from, at), s->cell);
    if (!(here > 0.0) || drive->emit_and_drain(drive->ctx, at, -1e30) < -job->reach) return 0.0;
    double open = open_at(s, at);
    if (!(open > 0.0) || (job->balance >= 0 && balance_at(s, at) != job->balance)) return 0.0;
    *to           = shoal_tet_trace_back(s->flow, at, -s->dt);
    double beyond = drive->emit_and_drain(drive->ctx, *to, -1e30);
    return open * fmax(0.0, here - filled(beyond, s->cell)); // along one surface both have the cell between them
}
static double drained_at(const exchange_job* job, shoal_d3 at) {
    shoal_d3 to;
    return drained_to(job, at, &to);
}
static double lost_at(const exchange_job* job, shoal_d3 at) {
    const shoal_tet_drive* drive = job->surface->drive;
    shoal_d3               to;
    double                 volume = drained_to(job, at, &to);
    return volume > 0.0 && drive->is_lost(drive->ctx, to) ? volume : 0.0;
}

// The outflow of the mesh at vertices on a sink or the end of the kept zone, m^3/s, less the one by the means of the
// velocities around them, which carry the surface and are smaller where the flow draws together. By the equations of
// the pressure nothing is lost: the gain at a vertex as of shoal_tet_project is its outflow.
static double outflow_block(void* ctx, int begin, int end) {
    const liquid_field*    s    = ctx;
    const shoal_tetmesh*   mesh = s->flow->mesh;
    const shoal_tet_state* from = s->state;
    double                 sum  = 0.0;
    for (int v = begin; v < end; v++) {
        if (!from->is_air[v] || s->drive->emit_and_drain(s->drive->ctx, mesh->position[v], -1e30) < -ON_SINK * s->cell)
            continue;
        shoal_d3 mean = shoal_d3_from(s->flow->mean_velocity[v]);
        for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
            int      t = mesh->incident[i] / 4, own = mesh->incident[i] % 4;
            shoal_d3 area[4];
            shoal_tet_areas(mesh, t, area);
            sum -= shoal_d3_dot(shoal_d3_from(from->velocity[t]), area[own]) / 3.0;
            for (int k = 0; k < 4; k++) {
                int airs = 0;
                for (int c = 0; c < 4; c++) airs += c != k && from->is_air[mesh->tets[t][c]];
                if (k != own && mesh->neighbours[t][k] < 0 && airs == 3) sum -= shoal_d3_dot(mean, area[k]) / 3.0;
            }
        }
    }
    return sum;
}

// How far the flow carries anything in the step, at most, m.
static double longest_way(const liquid_field* s) {
    float most = 0.0f;
    for (int v = 0; v < s->flow->mesh->vertex_count; v++)
        most = fmaxf(most, shoal_v3_dot(s->flow->mean_velocity[v], s->flow->mean_velocity[v]));
    return sqrt((double)most) * s->dt;
}

// The sum over the nodes of a box, within `bounds`, m^3.
static double exchange(exchange_job* job, shoal_box bounds, const shoal_exec* exec) {
    const liquid_field* s    = job->surface;
    const shoal_sparse* grid = &s->from->grid;
    shoal_box           own  = s->drive->boxes[job->box];
    if (shoal_box_is_empty(own) || shoal_box_is_empty(bounds)) return 0.0;
    own = shoal_box_grown(own, job->reach);
    for (int a = 0; a < 3; a++) {
        double least = fmax(shoal_d3_axis(own.min, a), shoal_d3_axis(bounds.min, a)),
               most  = fmin(shoal_d3_axis(own.max, a), shoal_d3_axis(bounds.max, a));
        double low   = (least - shoal_d3_axis(grid->origin, a)) / s->cell,
               high  = (most - shoal_d3_axis(grid->origin, a)) / s->cell;
        double end   = (double)(SHOAL_SPARSE_EDGE * grid->nx);
        job->from[a] = (int)fmax(0.0, fmin(end, ceil(low)));
        job->size[a] = (int)fmax(0.0, fmin(end, floor(high))) - job->from[a] + 1;
        if (job->size[a] < 0) job->size[a] = 0;
    }
    double nodes = (double)job->size[0] * job->size[1] * job->size[2];
    return nodes > 0.0 ? s->cell * s->cell * s->cell * shoal_sum(exec, (int)fmin(nodes, 2e9), exchange_block, job)
                       : 0.0;
}

// Where the liquid of each balance is, where there are several.
static void find_wet(shoal_tet_liquid* l, const liquid_field* s) {
    for (int b = 0; b < l->balance_count; b++) l->sums[b].wet = shoal_box_empty();
    for (int v = 0; v < l->surface.vertex_count && s->places; v++) {
        shoal_box* wet = &l->sums[l->part_before[l->parts.of[v]].balance].wet;
        *wet           = shoal_box_with(*wet, shoal_d3_from(l->surface.vertices[v]));
    }
}

// Charges what a sink has taken to the balances of the parts at it.
static void charge(shoal_tet_liquid* l, exchange_job* job, double taken, const shoal_exec* exec) {
    double sum  = 0.0;
    int    last = 0;
    for (int b = 0; b < l->balance_count; b++) l->sums[b].left = 0.0;
    for (int b = 0; b < l->balance_count; b++) {
        if (l->sums[b].parts == 0) continue;
        last = b;
        if (shoal_box_is_empty(l->sums[b].wet)) continue;
        job->balance    = b;
        l->sums[b].left = exchange(job, shoal_box_grown(l->sums[b].wet, job->surface->cell), exec);
        sum += l->sums[b].left;
    }
    job->balance = -1;
    if (!(sum > 0.0)) l->sums[last].left = sum = 1.0;
    for (int b = 0; b < l->balance_count; b++) l->sums[b].drained += taken * l->sums[b].left / sum;
}

void liquid_measure_exchange(shoal_tet_liquid* l, const liquid_field* s, const shoal_exec* exec) {
    const shoal_tet_drive* drive   = s->drive;
    const shoal_contour*   surface = &s->from->surface;
    shoal_box              wet     = shoal_box_empty();
    double                 reach   = drive->box_count > drive->tap_count ? longest_way(s) + s->cell : 0.0;
    l->emitted = l->drained = l->lost = 0.0;
    if (!drive->emit_and_drain) return;
    for (int v = 0; v < surface->vertex_count; v++) wet = shoal_box_with(wet, shoal_d3_from(surface->vertices[v]));
    if (!shoal_box_is_empty(wet)) wet = shoal_box_grown(wet, s->cell);
    if (drive->box_count > drive->tap_count) find_wet(l, s);
    for (int b = 0; b < drive->box_count; b++) {
        bool         is_tap = b < drive->tap_count;
        exchange_job job    = {.surface = s, .first = is_tap ? 0 : drive->tap_count, .box = b, .balance = -1};
        if (is_tap) {
            shoal_tet_tap* tap = &drive->taps[b];
            job.volume_at      = emitted_at;
            tap->came          = tap->scale * exchange(&job, drive->boxes[b], exec);
            tap->brought       = tap->came + tap->flowing * s->dt;
            l->emitted += tap->brought;
        } else {
            job.volume_at = drained_at;
            job.reach     = reach;
            double taken  = exchange(&job, wet, exec);
            l->drained += taken;
            if (taken > 0.0) charge(l, &job, taken, exec);
            job.volume_at = lost_at;
            if (taken > 0.0 && drive->is_lost) l->lost += exchange(&job, wet, exec);
        }
    }
    if (l->drained > 0.0) {
        double more  = s->dt * shoal_sum(exec, s->flow->mesh->vertex_count, outflow_block, (void*)(uintptr_t)s);
        double taken = fmax(0.0, l->drained + more);
        for (int b = 0; b < l->balance_count; b++) l->sums[b].drained *= taken / l->drained;
        l->lost *= taken / l->drained;
        l->drained = taken;
    }
}
