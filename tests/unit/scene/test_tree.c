// SPDX-License-Identifier: MIT
#include "marked.h"

static shoal_node* number(double value) {
    shoal_node* node = shoal_node_create(SHOAL_NODE_NUMBER);
    node->number     = value;
    return node;
}

static void paths_make_maps_and_lists_on_the_way(void** state) {
    (void)state;
    shoal_node* root = shoal_node_create(SHOAL_NODE_MAP);
    assert_int_equal(shoal_node_put(root, "bodies.0.box.min", number(1)), SHOAL_OK);
    assert_int_equal(shoal_node_put(root, "bodies.1.box.min", number(2)), SHOAL_OK);
    shoal_node* list = shoal_node_child(root, "bodies");
    assert_int_equal(list->kind, SHOAL_NODE_LIST);
    assert_int_equal(shoal_node_count(list), 2);
    assert_true(shoal_node_child(shoal_node_child(shoal_node_at(list, 1), "box"), "min")->number == 2.0);
    assert_int_equal(shoal_node_put(root, "bodies.1", number(3)), SHOAL_OK);
    assert_true(shoal_node_at(list, 1)->number == 3.0);
    assert_null(shoal_node_at(list, 2));
    shoal_node_destroy(root);
}

static void wrong_paths_are_refused(void** state) {
    (void)state;
    shoal_node* root = shoal_node_create(SHOAL_NODE_MAP);
    assert_int_equal(shoal_node_put(root, "a.0", number(1)), SHOAL_OK);
    assert_int_equal(shoal_node_put(root, "a.2", number(1)), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "the next free one is 1"));
    assert_int_equal(shoal_node_put(root, "a.x", number(1)), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_node_put(root, "", number(1)), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_node_put(root, "a..b", number(1)), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_node_put(root, "a.", number(1)), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_node_put(root, "a.99999999999", number(1)), SHOAL_ERR_INPUT);
    char deep[1000] = "a";
    for (int k = 0; k < 200; k++) strcat(deep, ".b");
    assert_int_equal(shoal_node_put(root, deep + 2, number(1)), SHOAL_ERR_INPUT);
    shoal_node_destroy(root);
}

static void entries_can_be_removed(void** state) {
    (void)state;
    shoal_node* root = shoal_node_create(SHOAL_NODE_MAP);
    for (int k = 0; k < 3; k++) {
        char path[16];
        snprintf(path, sizeof path, "a.%d", k);
        assert_int_equal(shoal_node_put(root, path, number(k)), SHOAL_OK);
    }
    assert_int_equal(shoal_node_remove(root, "a.2"), SHOAL_OK);
    assert_int_equal(shoal_node_remove(root, "a.0"), SHOAL_OK);
    assert_int_equal(shoal_node_remove(root, "a.1"), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_node_remove(root, "b.c"), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_node_remove(root, "a.0.x"), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_node_put(root, "a.1", number(9)), SHOAL_OK);
    assert_true(shoal_node_at(shoal_node_child(root, "a"), 0)->number == 1.0);
    assert_true(shoal_node_at(shoal_node_child(root, "a"), 1)->number == 9.0);
    shoal_node_destroy(root);
}

static void copies_stay_within_their_budget(void** state) {
    (void)state;
    shoal_node* root = shoal_node_create(SHOAL_NODE_MAP);
    assert_int_equal(shoal_node_put(root, "a.0", number(1)), SHOAL_OK);
    int         left = 2;
    shoal_node* copy = shoal_node_copy(root, &left);
    assert_null(copy);
    left = 3;
    copy = shoal_node_copy(root, &left);
    assert_non_null(copy);
    assert_int_equal(left, 0);
    assert_true(shoal_node_at(shoal_node_child(copy, "a"), 0)->number == 1.0);
    shoal_node_destroy(copy);
    shoal_node_destroy(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_make_maps_and_lists_on_the_way),
        cmocka_unit_test(wrong_paths_are_refused),
        cmocka_unit_test(entries_can_be_removed),
        cmocka_unit_test(copies_stay_within_their_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
