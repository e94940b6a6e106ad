// SPDX-License-Identifier: MIT
// The sets that the state is made of, and what must hold of one that was loaded.
#include "solvers/grains/grains_local.h"

static const shoal_field_def grain_fields[]   = {GRAINS_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def among_fields[]   = {SHOAL_WATER_FIELDS(SHOAL_FIELD_ROW)
                                                     GRAINS_AMONG_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def contact_fields[] = {GRAINS_CONTACT_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def load_fields[]    = {
       SHOAL_FIELD("impulse", D3, 1, STATE, "kg m/s", "given to an obstacle in this interval"), {0}};
static const shoal_field_def once_fields[] = {
    SHOAL_FIELD("dem_steps", L1, 1, STATE, "", "substeps of the contacts since the start"),
    SHOAL_FIELD("balance", L1, sizeof(grains_balance) / sizeof(int64_t), STATE, "quanta",
                "water emitted, evaporated, removed, present"),
    {0}};

const shoal_set_def grains_sets[] = {
    [GRAINS_GRAINS]   = {"grains", SHOAL_SORTED, grain_fields, 1u << SHOAL_GRANULAR, NULL},
    [GRAINS_WATER]    = {"water", SHOAL_SORTED, among_fields, 1u << SHOAL_LIQUID, "water_spacing"},
    [GRAINS_CONTACTS] = {"contacts", SHOAL_REBUILT, contact_fields, 0, NULL},
    [GRAINS_LOADS]    = {"loads", SHOAL_FIXED, load_fields, 0, NULL},
    [GRAINS_ONCE]     = {"once", SHOAL_FIXED, once_fields, 0, NULL},
    [GRAINS_SETS]     = {0},
};

shoal_status grains_state_make(grains* s) {
    shoal_set *loads = s->ctx->sets[GRAINS_LOADS], *once = s->ctx->sets[GRAINS_ONCE];
    SHOAL_TRY(shoal_set_rebuild(loads, s->ctx->world->collider_count));
    SHOAL_TRY(shoal_set_rebuild(once, 1));
    s->impulses  = shoal_set_data(loads, "impulse");
    s->dem_steps = shoal_set_data(once, "dem_steps");
    s->balance   = shoal_set_data(once, "balance");
    return SHOAL_OK;
}

shoal_status grains_check(void* self) {
    grains*       s         = self;
    const int64_t balance[] = {s->balance->emitted, s->balance->evaporated, s->balance->removed, s->balance->present};
    if (*s->dem_steps < 0)
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has %lld substeps of contacts", (long long)*s->dem_steps);
    for (size_t k = 0; k < sizeof balance / sizeof *balance; k++)
        if (balance[k] > INT64_MAX / 16 || balance[k] < -INT64_MAX / 16)
            return shoal_fail(SHOAL_ERR_INPUT, "the saved balance of the water is out of order");
    const shoal_set* contacts = s->ctx->sets[GRAINS_CONTACTS];
    const float*     held     = shoal_set_read(contacts, "held");
    for (int k = 0; k < contacts->count; k++)
        if (!(held[k] >= 0.0f))
            return shoal_fail(SHOAL_ERR_INPUT, "a saved contact has an overlap that is out of order");
    return grains_check_water(s);
}
