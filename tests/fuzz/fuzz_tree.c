/* Any bytes as a saved tree. The digest is put right first, so that what lies behind it is reached. A tree
 * that loads is written as the same bytes, and can be looked at, merged with itself and split by units. */
#include "base/memory.h"
#include "base/sha256.h"
#include "logs/tree/tree_inside.h"
#include "scratch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const asif_context *context, const asif_tree *tree) {
    const asif_tree_view *v = asif_tree_inside(tree);
    asif_tree *twice;
    uint64_t cells = (uint64_t)v->nodes * v->actions;
    for (uint64_t i = 0; i < v->nodes; i++)
        must(v->parent[i] == ASIF_ANY || v->parent[i] < i);
    for (uint32_t i = 0; i < v->actions; i++)
        must(asif_tree_label(tree, ASIF_LABEL_ACTION, i) != NULL);
    for (uint64_t u = 0; u < v->units; u++) {
        must(asif_tree_unit_name(tree, u) != NULL);
        for (uint32_t k = 0; k < v->covariates; k++)
            must(asif_tree_covariate(tree, u, k) != NULL);
    }
    for (uint64_t i = 0; i < v->ends; i++)
        must(v->end_node[i] < v->nodes && v->end_action[i] < v->actions &&
             v->end_observation[i] < v->observations);
    for (uint64_t i = 0; i < v->unit_end[v->units]; i++)
        must(v->ending[i] < v->ends);
    if (v->units) {
        bool *chosen = asif_alloc(context, v->units, sizeof *chosen);
        double *count = asif_alloc(context, cells, sizeof *count);
        memset(chosen, 1, v->units);
        must(asif_tree_counts(tree, chosen, count, NULL) == ASIF_OK);
        asif_tree *part;
        chosen[0] = false;
        asif_status selected = asif_tree_select_units(&part, tree, chosen, NULL, true, NULL);
        must(selected == ASIF_OK || selected == ASIF_ETOOBIG);
        asif_tree_free(part);
        asif_free(context, chosen);
        asif_free(context, count);
    }
    asif_status status = asif_tree_merge(&twice, tree, tree, NULL);
    must(status == ASIF_OK || status == ASIF_ETOOBIG);
    if (status == ASIF_OK) {
        must(twice->size.nodes == tree->size.nodes && twice->size.entries == tree->size.entries);
        must(twice->size.ends == tree->size.ends && twice->size.endings == tree->size.endings);
        must(memcmp(twice->parent, tree->parent, tree->size.nodes * sizeof *tree->parent) == 0);
    }
    asif_tree_free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    asif_context *context;
    asif_tree *tree;
    asif_error error = ASIF_ERROR_INIT;
    must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
    uint8_t *bytes = asif_alloc(context, size, 1);
    if (size)
        memcpy(bytes, data, size);
    if (size >= ASIF_SHA256_SIZE)
        asif_sha256_of(bytes, size - ASIF_SHA256_SIZE, bytes + size - ASIF_SHA256_SIZE);
    if (asif_tree_load_bytes(&tree, context, bytes, size, &error) == ASIF_OK) {
        char *again;
        uint64_t length;
        must(asif_tree_bytes(&again, &length, tree, NULL) == ASIF_OK);
        must(length == size && memcmp(again, bytes, size) == 0);
        use(context, tree);
        asif_free(context, again);
        asif_tree_free(tree);
    } else {
        must(error.status != ASIF_OK && error.message[0]);
    }
    asif_free(context, bytes);
    asif_context_free(context);
    return 0;
}
