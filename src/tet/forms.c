// SPDX-License-Identifier: MIT
#include "tet/forms.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

enum { TABLE = 1 << SHOAL_TET_FORMS_BITS, MOST = TABLE / 2 };

void shoal_tet_forms_free(shoal_tet_forms* f) {
    shoal_free(f->of);
    shoal_free(f->form);
    *f = (shoal_tet_forms){0};
}

// The three edges from the first vertex, which are whole numbers of half a step, without the power of two that they
// have in common: in all nine numbers of four bits, and that power.
static uint64_t key_of(const shoal_tetmesh* mesh, int t, double half) {
    const int* v   = mesh->tets[t];
    uint64_t   key = 0;
    int        number[9], all = 0, power = 0;
    for (int k = 0; k < 9; k++) {
        shoal_d3 edge = shoal_d3_sub(mesh->position[v[1 + k / 3]], mesh->position[v[0]]);
        number[k]     = (int)floor(shoal_d3_axis(edge, k % 3) / half + 0.5);
        all |= number[k];
    }
    while (!(all & 1)) all >>= 1, power++;
    for (int k = 0; k < 9; k++) key = key << 4 | (uint64_t)(number[k] / (1 << power) & 15);
    return (key << 6 | (uint64_t)power) + 1; // 0: none
}

static void measure(const shoal_tetmesh* mesh, int t, shoal_tet_form* form) {
    form->volume = shoal_tet_areas(mesh, t, form->area);
    for (int k = 0; k < 4; k++) form->size[k] = shoal_d3_length(form->area[k]);
}

shoal_status shoal_tet_forms_make(shoal_tet_forms* f, const shoal_tetmesh* mesh, double step) {
    int cut = 0;
    for (int t = 0; t < mesh->tet_count; t++) cut += mesh->shape[t] == SHOAL_TET_CUT;
    SHOAL_TRY(shoal_reserve((void**)&f->of, &f->of_capacity, mesh->tet_count, sizeof *f->of));
    SHOAL_TRY(shoal_reserve((void**)&f->form, &f->form_capacity, cut + MOST, sizeof *f->form));
    memset(f->key, 0, sizeof f->key);
    f->count = f->shared = 0;
    for (int t = 0; t < mesh->tet_count; t++) {
        if (mesh->shape[t] != SHOAL_TET_CUT) {
            uint64_t key = key_of(mesh, t, 0.5 * step), place = shoal_mix64(key) % TABLE;
            while (f->key[place] && f->key[place] != key) place = (place + 1) % TABLE;
            f->of[t] = f->at[place];
            if (f->key[place]) continue;
            SHOAL_ASSERT(f->shared < MOST);
            f->key[place] = key;
            f->at[place]  = f->count;
            f->shared++;
        }
        f->of[t] = f->count;
        measure(mesh, t, &f->form[f->count++]);
    }
    return SHOAL_OK;
}
