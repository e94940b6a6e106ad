// SPDX-License-Identifier: MIT
// Areas and volumes of the tetrahedra of a stuffed mesh. Where nothing is cut they are of four shapes, and equal ones
// share theirs [Chentanez et al. 2007, 3.3.2].
#ifndef SHOAL_TET_FORMS_H
#define SHOAL_TET_FORMS_H

#include "tet/tetmesh.h"

typedef struct shoal_tet_form {
    shoal_d3 area[4]; // as of shoal_tet_areas
    double   size[4]; // of these, m^2
    double   volume;  // m^3
} shoal_tet_form;

enum { SHOAL_TET_FORMS_BITS = 12 };

typedef struct shoal_tet_forms {
    int*            of; // [tets] which of
    shoal_tet_form* form;
    int             count, shared; // of them; those that tetrahedra share
    int             of_capacity, form_capacity;
    // a table of those that are shared, by the edges of a tetrahedron
    uint64_t key[1 << SHOAL_TET_FORMS_BITS];
    int      at[1 << SHOAL_TET_FORMS_BITS];
} shoal_tet_forms;

void shoal_tet_forms_free(shoal_tet_forms* forms); // what it points to; zero-initialise before the first use
// `step`: edge of the finest octants of the mesh.
shoal_status shoal_tet_forms_make(shoal_tet_forms* forms, const shoal_tetmesh* mesh, double step);

#endif
