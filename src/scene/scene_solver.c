// SPDX-License-Identifier: MIT
// The solver of a scene: the one it names, or the first of the list that takes all its
// materials; the parameters of all solvers, and what the chosen one has to say.
#include "scene/scene_read.h"

#include "base/words.h"

#include <stdio.h>
#include <string.h>

enum { SOLVERS_MOST = 16 };

// Bits of the kinds of materials in a list of bodies or emitters, as far as their names are known.
static unsigned kinds_in(const shoal_node* root, const char* list) {
    const shoal_node* maps  = shoal_node_child(root, list);
    unsigned          kinds = 0;
    if (!maps || maps->kind != SHOAL_NODE_LIST) return 0;
    for (const shoal_node* map = maps->first; map; map = map->next)
        if (map->kind == SHOAL_NODE_MAP) kinds |= scene_kind_bits(root, shoal_node_child(map, "material"));
    return kinds;
}

// Read before materials are, whose spacing follows from the solver.
static const shoal_solver_type* chosen(const scene_reader* r) {
    unsigned kinds = kinds_in(r->scene->root, "bodies") | kinds_in(r->scene->root, "emitters");
    for (int k = 0; shoal_solver_types[k]; k++)
        if ((shoal_solver_types[k]->material_kinds & kinds) == kinds) return shoal_solver_types[k];
    return shoal_solver_types[0];
}

// The solver that the scene names, or seems to mean: the rest is looked at with it; NULL: there is none of such a name.
static const shoal_solver_type* named(scene_reader* r, const shoal_node* node) {
    size_t                   mark = scene_enter(r, "solver");
    const char*              name = scene_read_text(r, node);
    const shoal_solver_type* type = name ? shoal_solver_find(name) : NULL;
    if (name && !type) {
        const char* words[SOLVERS_MOST + 1] = {NULL};
        char        meant[96], known[256] = "";
        for (int k = 0; k < SOLVERS_MOST && shoal_solver_types[k]; k++) {
            words[k]    = shoal_solver_types[k]->name;
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", words[k]);
        }
        scene_meant(name, words, meant, sizeof meant);
        scene_error(r, node, "there is no solver \"%.60s\"; there is %s%s", name, known, meant);
        const char* near = shoal_nearest_word(name, words);
        type             = near ? shoal_solver_find(near) : NULL;
    }
    scene_leave(r, mark);
    return type;
}

void scene_read_solver(scene_reader* r) {
    const shoal_node* node           = shoal_node_child(r->scene->root, "solver");
    r->type                          = node ? named(r, node) : NULL;
    r->scene->facts.solver_is_chosen = !node;
    if (!r->type) r->type = chosen(r); // also for one that does not exist: the rest is looked at all the same
}

// The blocks of all solvers are checked; the chosen one's is kept.
void scene_read_solver_blocks(scene_reader* r) {
    static const shoal_node empty = {.kind = SHOAL_NODE_MAP};
    for (int k = 0; shoal_solver_types[k] && !r->is_out_of_memory; k++) {
        const shoal_solver_type* type   = shoal_solver_types[k];
        const shoal_node*        node   = shoal_node_child(r->scene->root, type->name);
        void*                    params = shoal_alloc(1, type->params_size);
        if (!params) {
            r->is_out_of_memory = true;
            return;
        }
        size_t mark = scene_enter(r, type->name);
        r->preset   = r->d->is_fine ? type->fine : NULL;
        scene_read_map(r, node ? node : &empty, (scene_table[]){{type->params, params}, {0}});
        r->preset = NULL;
        scene_leave(r, mark);
        if (type == r->type)
            r->d->solver_params = params;
        else
            shoal_free(params);
    }
}

// The value that a line is about, if it begins with its path, as "materials.sand.wetness: ..."; names may have blanks
// and dots. Places in lists have neither: "emitters.0: ...". `length`: of the path.
static const shoal_node* value_in_lists(const shoal_node* root, const char* line, size_t* length) {
    *length = strcspn(line, ":");
    return line[*length] == ':' ? shoal_node_find(root, line, *length) : NULL;
}
static const shoal_node* value_of_line(const shoal_node* root, const char* line, size_t* length) {
    const shoal_node* at   = root;
    const char*       rest = line;
    while (at && at->kind == SHOAL_NODE_MAP) {
        const shoal_node* next = at->first;
        size_t            size = 0;
        for (; next; next = next->next) {
            size = strlen(next->key);
            if (strncmp(rest, next->key, size) == 0 && (rest[size] == '.' || rest[size] == ':')) break;
        }
        if (!next) return value_in_lists(root, line, length);
        rest += size;
        at = next;
        if (*rest == ':') break;
        rest++;
    }
    *length = (size_t)(rest - line);
    return *rest == ':' ? at : value_in_lists(root, line, length);
}

// Each of them a fault, of the solver's block or of the value that it names.
static void tell_lines(scene_reader* r, const shoal_node* place, char* lines,
                       void (*tell)(scene_reader*, const shoal_node*, const char*, ...)) {
    for (char *line = lines, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = '\0';
        size_t            length, mark = 0;
        const shoal_node* value = value_of_line(r->scene->root, line, &length);
        if (value) {
            line[length] = '\0';
            mark         = scene_enter(r, line);
            tell(r, value, "%s", line + length + 1 + strspn(line + length + 1, " "));
        } else {
            mark = scene_enter(r, r->type->name);
            tell(r, place, "%s", line);
        }
        scene_leave(r, mark);
    }
}

// What the solver itself has to say about the scene.
void scene_ask_solver(scene_reader* r) {
    char              text[4096];
    const shoal_node* block = shoal_node_child(r->scene->root, r->type->name);
    const shoal_node* place = block ? block : shoal_node_child(r->scene->root, "solver");
    if (shoal_solver_says(r->type, SHOAL_REFUSAL, r->d, text, sizeof text)) tell_lines(r, place, text, scene_error);
    if (shoal_solver_says(r->type, SHOAL_WARNING, r->d, text, sizeof text)) tell_lines(r, place, text, scene_warning);
    r->scene->remarks[0] = '\0';
    shoal_solver_says(r->type, SHOAL_REMARK, r->d, r->scene->remarks, sizeof r->scene->remarks);
    r->scene->facts.remarks = r->scene->remarks;
}
