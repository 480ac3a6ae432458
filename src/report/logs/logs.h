/* The contents of a report on logs, which is then written as text or JSON. */
#ifndef ASIF_SRC_REPORT_LOGS_LOGS_H
#define ASIF_SRC_REPORT_LOGS_LOGS_H

#include "asif/report.h"
#include "base/text.h"

/* An item of a list of the most frequent, in descending order of counts; equal counts keep their order. */
typedef struct {
    uint64_t what; /* a node, or node * actions + action */
    double count;
} asif_frequent;

/* Episodes with the same value of a column. */
typedef struct {
    const char *value; /* "": the value is missing */
    uint64_t episodes;
    double decisions, *action; /* action [actions]: how often each was taken */
} asif_log_group;

typedef struct {
    const asif_context *context;
    const asif_logs_request *request;
    const asif_logs_info *info;
    asif_tree_view tree;
    bool weighted;
    bool unicode, errors_only;
    uint32_t width;
    double *action; /* [actions]: how often each was taken */
    /* Lengths of episodes in decisions; NaN: the tree does not contain them. */
    double shortest, median;
    uint32_t episodes, histories, pairs;
    asif_frequent *episode; /* whole episodes: a node and the last action */
    asif_frequent *history; /* nodes */
    asif_frequent *pair;    /* states and actions, where states are seen */
    uint32_t groups;
    asif_log_group *group;
    double *group_action;
} asif_logs_report;

const char *asif_logs_label(const asif_logs_report *report, asif_label_kind kind, uint32_t i);
/* List the nodes from the root's child to `node`; returns their number. `path` has room for all levels. */
uint32_t asif_logs_path(const asif_logs_report *report, uint32_t node, uint32_t *path);

void asif_logs_text(asif_text *text, const asif_logs_report *report);
void asif_logs_json(asif_text *text, const asif_logs_report *report);

#endif
