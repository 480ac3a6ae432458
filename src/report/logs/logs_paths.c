/* Labels of a history tree, and the path to a node. */
#include "report/logs/logs.h"

const char *asif_logs_label(const asif_logs_report *report, asif_label_kind kind, uint32_t i) {
    const char *label = i == ASIF_ANY ? NULL : asif_tree_label(report->request->tree, kind, i);
    return label ? label : "";
}

uint32_t asif_logs_path(const asif_logs_report *report, uint32_t node, uint32_t *path) {
    uint32_t depth = 0;
    for (uint32_t i = node; report->tree.parent[i] != ASIF_ANY; i = report->tree.parent[i])
        depth++;
    for (uint32_t i = depth; i > 0; node = report->tree.parent[node])
        path[--i] = node;
    return depth;
}
