// SPDX-License-Identifier: MIT
// Cells that a thin solid divides.
#include "mac/mac_thin.h"

#include <math.h>

#include "unit/check.h"

// Distances, in cells, to a plate of a given thickness across `normal`, its middle at `offset` from the corner of the cell.
static void plate(const double normal[3], double offset, double thick, float corner[8], float node[MAC_THIN_NODES]) {
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int k = 0; k < MAC_THIN_NODES; k++) {
        int    x = k % 3, y = k / 3 % 3, z = k / 9;
        double at = 0.5 * (x * normal[0] + y * normal[1] + z * normal[2]) / length;
        node[k]   = (float)(fabs(at - offset) - 0.5 * thick);
        if (x != 1 && y != 1 && z != 1) corner[2 * z + y + x / 2] = node[k];
    }
}

static void a_plate_of_half_a_cell_divides_every_cell_that_it_crosses(void** state) {
    (void)state;
    for (int k = 0; k < 500; k++) {
        double   normal[3] = {1.0 + 0.013 * k, 1.0 + sin(k), 0.7 + cos(3.0 * k)}, offset = 0.5 + 0.3 * sin(7.0 * k);
        double   length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        float    corner[8], node[MAC_THIN_NODES];
        mac_thin thin;
        bool     low = false, high = false; // nodes on both sides
        plate(normal, offset, 0.52, corner, node);
        for (int n = 0; n < MAC_THIN_NODES; n++) {
            double at = 0.5 * ((n % 3) * normal[0] + (n / 3 % 3) * normal[1] + (n / 9) * normal[2]) / length;
            if (node[n] >= 0.0f) *(at < offset ? &low : &high) = true;
        }
        bool is_across = low && high;
        if (is_across) assert_true(mac_is_bent(corner));
        assert_int_equal(mac_thin_of(node, &thin), is_across);
    }
}

// Its two faces across the plate are never open both: nothing runs through.
static void a_divided_cell_is_open_to_one_side_only(void** state) {
    (void)state;
    const double normal[3] = {1, 0, 0};
    for (int k = 0; k < 9; k++) {
        double   offset = 0.34 + 0.04 * k;
        float    corner[8], node[MAC_THIN_NODES];
        mac_thin thin;
        plate(normal, offset, 0.6, corner, node);
        assert_true(mac_is_bent(corner));
        assert_true(mac_thin_of(node, &thin));
        assert_true((thin.low[0] == 0.0f) != (thin.high[0] == 0.0f));
        CHECK_BELOW((double)thin.low[1], 0.5);
        assert_true((mac_thin_face(thin.open, 0, 0) == 0) != (mac_thin_face(thin.open, 0, 1) == 0));
    }
}

static void one_plane_is_not_bent(void** state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        double normal[3] = {sin(k), cos(2.0 * k), sin(5.0 * k) + 0.2};
        float  corner[8], node[MAC_THIN_NODES];
        plate(normal, -20.0 + 0.004 * k, 40.0, corner, node);
        assert_false(mac_is_bent(corner));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plate_of_half_a_cell_divides_every_cell_that_it_crosses),
        cmocka_unit_test(a_divided_cell_is_open_to_one_side_only),
        cmocka_unit_test(one_plane_is_not_bent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
