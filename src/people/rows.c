#include "people/rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"

#include <stdlib.h>

typedef struct {
    const asif_tree_view *tree;
    const double *z; /* [columns] */
    uint32_t columns;
    uint64_t unit;
} place;

/* Compare rows by their entries, then by covariates; 0: equal rows. */
static int by_entries(const place *a, const place *b) {
    const asif_tree_view *t = a->tree;
    uint64_t i = t->unit[a->unit], j = t->unit[b->unit], end_i = t->unit[a->unit + 1],
             end_j = t->unit[b->unit + 1];
    for (; i < end_i && j < end_j; i++, j++) {
        if (t->entry_node[i] != t->entry_node[j])
            return t->entry_node[i] < t->entry_node[j] ? -1 : 1;
        if (t->entry_action[i] != t->entry_action[j])
            return t->entry_action[i] < t->entry_action[j] ? -1 : 1;
        if (t->entry_count[i] != t->entry_count[j])
            return t->entry_count[i] < t->entry_count[j] ? -1 : 1;
    }
    if (i < end_i || j < end_j)
        return (i < end_i) - (j < end_j);
    for (uint32_t k = 0; k < a->columns; k++)
        if (a->z[k] != b->z[k])
            return a->z[k] < b->z[k] ? -1 : 1;
    return 0;
}

static int in_order(const void *a, const void *b) {
    const place *x = a, *y = b;
    int order = by_entries(x, y);
    return order ? order : (x->unit > y->unit) - (x->unit < y->unit);
}

static void fill(asif_unit_rows *r, const asif_tree_view *t, const double *z, uint32_t columns, bool apart,
                 place *list) {
    for (uint64_t u = 0; u < r->units; u++)
        list[u] = (place){t, columns ? z + u * columns : NULL, columns, u};
    qsort(list, (size_t)r->units, sizeof *list, in_order);
    for (uint64_t i = 0; i < r->units; i++) {
        uint64_t u = list[i].unit;
        if (i == 0 || apart || by_entries(&list[i - 1], &list[i]) != 0) {
            r->unit[r->rows++] = u;
            r->entries += t->unit[u + 1] - t->unit[u];
        }
        r->row[u] = r->rows - 1;
        r->same[r->rows - 1]++;
    }
}

asif_status asif_unit_rows_open(asif_unit_rows *r, const asif_tree *tree, const double *z, uint32_t columns,
                                bool apart, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    const asif_context *context = asif_tree_context(tree);
    *r = (asif_unit_rows){.tree = tree, .units = t->units};
    if (!t->units) {
        asif_fail(error, ASIF_EINVALID, "the logs do not tell who decided");
        asif_error_hint(error, "a column `subject` does, or `subject:` in the section `logs` of the study");
        return ASIF_EINVALID;
    }
    place *list = asif_realloc(context, NULL, t->units, sizeof *list);
    r->unit = ASIF_ARRAY(context, t->units, uint64_t);
    r->row = ASIF_ARRAY(context, t->units, uint64_t);
    r->same = ASIF_ARRAY(context, t->units, uint64_t);
    bool room = list && r->unit && r->row && r->same;
    if (room)
        fill(r, t, z, columns, apart, list);
    asif_free(context, list);
    return room ? ASIF_OK : asif_fail_memory(error);
}

void asif_unit_rows_close(asif_unit_rows *r) {
    void *const arrays[] = {r->unit, r->row, r->same};
    for (size_t i = 0; r->tree && i < sizeof arrays / sizeof *arrays; i++)
        asif_free(asif_tree_context(r->tree), arrays[i]);
    *r = (asif_unit_rows){0};
}
