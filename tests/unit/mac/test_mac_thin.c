// SPDX-License-Identifier: MIT
// Cells that a thin solid divides.
#include "mac/mac_thin.h"

#include <math.h>

#include "unit/check.h"

// Distances, in cells, to a plate of a given thickness across `normal`, its middle at `offset` from the corner of the
// cell.
static void plate(const double normal[3], double offset, double thick, float corner[8], mac_thin_nodes* nodes) {
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int k = 0; k < MAC_THIN_NODES; k++) {
        int    x = k % 3, y = k / 3 % 3, z = k / 9;
        double at          = 0.5 * (x * normal[0] + y * normal[1] + z * normal[2]) / length;
        nodes->distance[k] = (float)(fabs(at - offset) - 0.5 * thick);
        for (int axis = 0; axis < 3; axis++)
            nodes->normal[k][axis] = (float)((at < offset ? -1.0 : 1.0) * normal[axis] / length);
        if (x != 1 && y != 1 && z != 1) corner[2 * z + y + x / 2] = nodes->distance[k];
    }
}

static void a_plate_of_half_a_cell_divides_every_cell_that_it_crosses(void** state) {
    (void)state;
    for (int k = 0; k < 500; k++) {
        double normal[3] = {1.0 + 0.013 * k, 1.0 + sin(k), 0.7 + cos(3.0 * k)}, offset = 0.5 + 0.3 * sin(7.0 * k);
        double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        float  corner[8];
        mac_thin_nodes nodes;
        uint32_t       part[MAC_THIN_PARTS], low = 0, high = 0; // nodes on both sides
        plate(normal, offset, 0.52, corner, &nodes);
        for (int n = 0; n < MAC_THIN_NODES; n++) {
            double at = 0.5 * ((n % 3) * normal[0] + (n / 3 % 3) * normal[1] + (n / 9) * normal[2]) / length;
            if (nodes.distance[n] >= 0.0f) *(at < offset ? &low : &high) |= 1u << n;
        }
        if (low && high) assert_true(mac_is_bent(corner));
        int count = mac_thin_parts(mac_thin_open_nodes(nodes.distance), part);
        assert_int_equal(count > 1, low && high);
        for (int n = 0; n < count; n++) assert_true((part[n] & low) == 0 || (part[n] & high) == 0);
        for (int n = 1; n < count; n++) assert_true(__builtin_popcount(part[n]) <= __builtin_popcount(part[n - 1]));
    }
}

// Its two faces across the plate are never open both: nothing runs through.
static void a_divided_cell_is_open_to_one_side_only(void** state) {
    (void)state;
    const double normal[3] = {1, 0, 0};
    for (int k = 0; k < 9; k++)
        for (int which = 0; which < 2; which++) {
            double         offset = 0.34 + 0.04 * k;
            float          corner[8];
            mac_thin_nodes nodes;
            mac_thin       thin;
            uint32_t       part[MAC_THIN_PARTS];
            plate(normal, offset, 0.6, corner, &nodes);
            assert_true(mac_is_bent(corner));
            assert_int_equal(mac_thin_parts(mac_thin_open_nodes(nodes.distance), part), 2);
            mac_thin_of(&nodes, part[which], &thin);
            assert_true((thin.low[0] == 0.0f) != (thin.high[0] == 0.0f));
            assert_true((mac_thin_face(thin.open, 0, 0) == 0) != (mac_thin_face(thin.open, 0, 1) == 0));
            double own = thin.low[0] > 0.0f ? offset - 0.3 : 0.7 - offset;
            CHECK_NEAR((double)thin.low[1], own, 1e-5);
            CHECK_NEAR((double)thin.fraction, own, 1e-5);
        }
}

// The distance at the low face is that to the other side of the plate; what is open is told by its upper side alone.
static void a_plate_that_sticks_out_of_a_cell_leaves_what_is_above_it(void** state) {
    (void)state;
    for (int k = 0; k < 20; k++) {
        double tilt = 0.03 * k, normal[3] = {sin(tilt), cos(tilt), 0.0}, top = 0.7 * cos(tilt) + 0.5 * sin(tilt);
        float  corner[8];
        mac_thin_nodes nodes;
        mac_thin       thin;
        uint32_t       part[MAC_THIN_PARTS];
        plate(normal, top - 0.375, 0.75, corner, &nodes);
        assert_true(mac_is_bent(corner));
        mac_thin_parts(mac_thin_open_nodes(nodes.distance), part);
        uint32_t above = part[0] & 1u << 16 ? part[0] : part[1]; // the middle of the upper face
        mac_thin_of(&nodes, above, &thin);
        CHECK_NEAR((double)thin.fraction, 0.3, 0.03);
        CHECK_NEAR((double)thin.low[2], 0.3, 0.03);
        assert_true(thin.high[1] > 0.9f && thin.low[1] == 0.0f);
    }
}

static void parts_are_joined_where_they_share_a_node(void** state) {
    (void)state;
    const int up[3] = {0, 1, 0}, corner[3] = {1, 1, -1};
    uint32_t  floor = 0x1C0E07u & 7u, ceiling = 0x70381C0u; // three nodes of the lowest row; the upper face
    assert_false(mac_thin_joined(floor, MAC_THIN_ALL, up));
    assert_true(mac_thin_joined(ceiling, MAC_THIN_ALL, up));
    assert_true(
        mac_thin_joined(MAC_THIN_ALL, 1u << 18, corner)); // of the other cell only its corner at low x, low y, high z
    assert_false(mac_thin_joined(MAC_THIN_ALL & ~(1u << 8), 1u << 18, corner));
}

static void one_plane_is_not_bent(void** state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        double         normal[3] = {sin(k), cos(2.0 * k), sin(5.0 * k) + 0.2};
        float          corner[8];
        mac_thin_nodes nodes;
        plate(normal, -20.0 + 0.004 * k, 40.0, corner, &nodes);
        assert_false(mac_is_bent(corner));
        assert_int_equal(mac_thin_open_nodes_of_corners(corner), mac_thin_open_nodes(nodes.distance));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plate_of_half_a_cell_divides_every_cell_that_it_crosses),
        cmocka_unit_test(a_divided_cell_is_open_to_one_side_only),
        cmocka_unit_test(a_plate_that_sticks_out_of_a_cell_leaves_what_is_above_it),
        cmocka_unit_test(parts_are_joined_where_they_share_a_node),
        cmocka_unit_test(one_plane_is_not_bent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
