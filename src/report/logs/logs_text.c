#include "base/memory.h"
#include "base/text.h"
#include "logs/lost.h"
#include "render/table.h"
#include "report/logs/logs.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define HEADING 14 /* columns of the headings on the left */
#define REPEATED 3 /* equal events in a row, from this number on, are written once with their number */
#define PARTS 12   /* most parts of a history that are written; of a longer history, the last ones */
#define LABEL_WIDTH 40

static char *amount(char *buffer, double count) {
    return count == floor(count) && count < 1e15 ? asif_count_text(buffer, (uint64_t)count)
                                                 : asif_short_number(buffer, count);
}

static void add_fact(asif_text *text, const asif_logs_report *report, const char *heading,
                     const char *words) {
    asif_add_wrapped(text, heading, HEADING, words, report->width);
}

static bool holds_counts(const asif_logs_report *report) {
    return report->info->states_seen && report->weighted;
}

static void add_lengths(asif_text *text, const asif_logs_report *report) {
    char words[3 * ASIF_CELL_SIZE], a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE], c[ASIF_CELL_SIZE];
    uint64_t longest = report->info->longest;
    asif_count_text(c, longest);
    if (holds_counts(report))
        asif_format(words, sizeof words, "not known, because rows are counts of decisions");
    else if (isnan(report->shortest))
        asif_format(words, sizeof words, "at most %s decision%s per episode", c, longest == 1 ? "" : "s");
    else if (report->shortest == (double)longest)
        asif_format(words, sizeof words, "%s decision%s in every episode", c, longest == 1 ? "" : "s");
    else
        asif_format(words, sizeof words, "%s to %s decisions per episode, median %s",
                    amount(a, report->shortest), c, amount(b, report->median));
    add_fact(text, report, "  lengths", words);
}

/* Add what each rule left out, in the order of the rules. */
static void add_left_out(asif_text *text, const asif_logs_report *report) {
    for (uint32_t i = 0; i < report->info->rules; i++) {
        const asif_left_out *out = &report->info->left_out[i];
        char words[4 * ASIF_CELL_SIZE], rows[ASIF_CELL_SIZE], episodes[ASIF_CELL_SIZE];
        size_t used = (size_t)asif_format(words, sizeof words, "%s by `%s%s%s`",
                                          asif_count_text(rows, out->rows), asif_rule_text(out->rule),
                                          out->column[0] ? " " : "", asif_show(out->column).text);
        if (out->episodes)
            asif_format(words + used, sizeof words - used, ", with %s whole episode%s",
                        asif_count_text(episodes, out->episodes), out->episodes == 1 ? "" : "s");
        add_fact(text, report, "", words);
    }
}

static void add_facts(asif_text *text, const asif_logs_report *report) {
    const asif_logs_info *info = report->info;
    char words[4 * ASIF_CELL_SIZE], a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    add_fact(text, report, "  subjects", asif_count_text(a, info->subjects));
    if (!holds_counts(report))
        add_fact(text, report, "  episodes", asif_count_text(a, info->episodes));
    asif_count_text(a, info->decisions);
    asif_format(words, sizeof words, report->weighted ? "%s, of weight %s" : "%s", a,
                amount(b, info->weight));
    add_fact(text, report, "  decisions", words);
    if (report->tree.lost) {
        asif_format(words, sizeof words, "of which %s after results that are lost",
                    amount(a, asif_lost_decisions(&report->tree)));
        add_fact(text, report, "", words);
    }
    asif_format(words, sizeof words, info->excluded ? "%s, of which %s left out" : "%s, none left out",
                asif_count_text(a, info->rows), asif_count_text(b, info->excluded));
    add_fact(text, report, "  rows", words);
    add_left_out(text, report);
    if (!info->sorted)
        add_fact(text, report, "  order", "rows had to be sorted");
    add_lengths(text, report);
    if (info->states_seen)
        asif_format(words, sizeof words, "%s in which somebody decided", asif_count_text(a, info->nodes));
    else
        asif_format(words, sizeof words, "%s different ones at which somebody decided",
                    asif_count_text(a, info->nodes));
    add_fact(text, report, info->states_seen ? "  states" : "  histories", words);
}

static void add_share(asif_table *table, double count, double total) {
    char cell[ASIF_CELL_SIZE];
    asif_table_cell(table, amount(cell, count));
    asif_table_cell(table, asif_percent_text(cell, total > 0 ? count / total : 0));
}

static void add_actions(asif_text *text, const asif_logs_report *report) {
    asif_table table;
    char label[ASIF_CELL_SIZE];
    asif_text_add(text, "\nWHAT WAS DONE\n");
    asif_table_init(&table, report->context, 3);
    for (uint32_t u = 0; u < report->tree.actions; u++) {
        asif_label_cut(label, asif_logs_label(report, ASIF_LABEL_ACTION, u), LABEL_WIDTH, report->unicode);
        asif_clean(label);
        asif_table_cell(&table, label);
        add_share(&table, report->action[u], report->info->weight);
    }
    asif_table_end(&table, text);
}

/* Add an event: "monitor->positive". */
static void add_event(asif_text *words, const asif_logs_report *report, uint32_t node) {
    uint32_t seen = report->tree.observation[node];
    asif_text_addf(words, "%s%s%s", asif_logs_label(report, ASIF_LABEL_ACTION, report->tree.action[node]),
                   report->unicode ? "\xe2\x86\x92" : "->",
                   seen == ASIF_ANY ? "(nothing)" : asif_logs_label(report, ASIF_LABEL_OBSERVATION, seen));
}

static bool same_event(const asif_tree_view *tree, uint32_t a, uint32_t b) {
    return tree->action[a] == tree->action[b] && tree->observation[a] == tree->observation[b];
}

/* Add a path: "monitor->positive, 3 x monitor->negative". */
static void add_path(asif_text *words, const asif_logs_report *report, const uint32_t *path, uint32_t depth) {
    uint32_t parts = 0, first = depth;
    /* Go back over the last parts: a run of equal events is one part, or several if it is short. */
    while (first > 0 && parts < PARTS) {
        uint32_t end = first;
        while (first > 0 && same_event(&report->tree, path[first - 1], path[end - 1]))
            first--;
        parts += end - first < REPEATED ? end - first : 1;
    }
    if (first > 0)
        asif_text_addf(words, "%" PRIu32 " steps, ", first);
    for (uint32_t i = first; i < depth;) {
        uint32_t run = 1;
        while (i + run < depth && same_event(&report->tree, path[i], path[i + run]))
            run++;
        if (run < REPEATED)
            run = 1;
        if (i > first)
            asif_text_add(words, ", ");
        if (run > 1)
            asif_text_addf(words, "%" PRIu32 " %s ", run, report->unicode ? "\xc3\x97" : "x");
        add_event(words, report, path[i]);
        i += run;
    }
}

static void add_entry(asif_text *text, const asif_logs_report *report, double count, double total,
                      uint32_t widest, asif_text *words) {
    char number[ASIF_CELL_SIZE], share[ASIF_CELL_SIZE], heading[3 * ASIF_CELL_SIZE];
    asif_clean(words->data);
    amount(number, count);
    asif_percent_text(share, total > 0 ? count / total : 0);
    asif_format(heading, sizeof heading, "  %*s  %7s  ", (int)widest, number, share);
    asif_add_wrapped(text, heading, (uint32_t)strlen(heading), words->data ? words->data : "", report->width);
    text->failed |= words->failed;
}

static uint32_t widest_count(const asif_frequent *list, uint32_t count) {
    char number[ASIF_CELL_SIZE];
    uint32_t widest = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t width = (uint32_t)strlen(amount(number, list[i].count));
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void add_start(asif_text *words, const asif_logs_report *report, uint32_t node, const uint32_t *path,
                      uint32_t depth) {
    if (report->tree.starts > 1)
        asif_text_addf(words, "[start class %" PRIu32 "] ",
                       1 + (depth ? report->tree.parent[path[0]] : node));
}

static void add_episodes(asif_text *text, const asif_logs_report *report, uint32_t *path) {
    uint32_t widest = widest_count(report->episode, report->episodes);
    if (report->episodes)
        asif_text_add(text, "\nMOST FREQUENT EPISODES\n");
    for (uint32_t i = 0; i < report->episodes; i++) {
        asif_text words = {.context = report->context};
        uint64_t what = report->episode[i].what;
        uint32_t node = (uint32_t)(what / report->tree.actions), depth = asif_logs_path(report, node, path);
        add_start(&words, report, node, path, depth);
        add_path(&words, report, path, depth);
        asif_text_addf(&words, "%s%s", depth ? ", then " : "",
                       asif_logs_label(report, ASIF_LABEL_ACTION, (uint32_t)(what % report->tree.actions)));
        add_entry(text, report, report->episode[i].count, (double)report->info->episodes, widest, &words);
        asif_text_free(&words);
    }
}

/* Add the actions at a node: "monitor (99.0 %), declare_healthy (1.0 %)". */
static void add_choices(asif_text *words, const asif_logs_report *report, uint32_t node, double total) {
    const double *count = report->tree.count + (uint64_t)node * report->tree.actions;
    char share[ASIF_CELL_SIZE];
    bool any = false;
    for (uint32_t u = 0; u < report->tree.actions; u++) {
        if (!(count[u] > 0))
            continue;
        asif_text_addf(words, "%s%s (%s)", any ? ", " : "", asif_logs_label(report, ASIF_LABEL_ACTION, u),
                       asif_percent_text(share, count[u] / total));
        any = true;
    }
}

static void add_histories(asif_text *text, const asif_logs_report *report, uint32_t *path) {
    uint32_t widest = widest_count(report->history, report->histories);
    asif_text_add(text, report->histories ? "\nMOST FREQUENT HISTORIES, AND WHAT WAS DONE THEN\n" : "");
    for (uint32_t i = 0; i < report->histories; i++) {
        asif_text words = {.context = report->context};
        uint32_t node = (uint32_t)report->history[i].what, depth = asif_logs_path(report, node, path);
        add_start(&words, report, node, path, depth);
        if (depth)
            add_path(&words, report, path, depth);
        else
            asif_text_add(&words, "at the start");
        asif_text_add(&words, ": ");
        add_choices(&words, report, node, report->history[i].count);
        add_entry(text, report, report->history[i].count, report->info->weight, widest, &words);
        asif_text_free(&words);
    }
}

static void add_states(asif_text *text, const asif_logs_report *report) {
    const asif_tree_view *tree = &report->tree;
    uint32_t widest = widest_count(report->history, report->histories);
    asif_text_add(text, report->histories ? "\nMOST FREQUENT STATES, AND WHAT WAS DONE THERE\n" : "");
    for (uint32_t i = 0; i < report->histories; i++) {
        asif_text words = {.context = report->context};
        uint32_t node = (uint32_t)report->history[i].what;
        asif_text_addf(&words, "%s: ", asif_logs_label(report, ASIF_LABEL_STATE, tree->observation[node]));
        add_choices(&words, report, node, report->history[i].count);
        add_entry(text, report, report->history[i].count, report->info->weight, widest, &words);
        asif_text_free(&words);
    }
    asif_text_add(text, report->pairs ? "\nMOST FREQUENT STATES AND ACTIONS\n" : "");
    widest = widest_count(report->pair, report->pairs);
    for (uint32_t i = 0; i < report->pairs; i++) {
        asif_text words = {.context = report->context};
        uint64_t what = report->pair[i].what;
        asif_text_addf(&words, "%s, then %s",
                       asif_logs_label(report, ASIF_LABEL_STATE, tree->observation[what / tree->actions]),
                       asif_logs_label(report, ASIF_LABEL_ACTION, (uint32_t)(what % tree->actions)));
        add_entry(text, report, report->pair[i].count, report->info->weight, widest, &words);
        asif_text_free(&words);
    }
}

static void add_group(asif_text *text, const asif_logs_report *report, const asif_log_group *group) {
    asif_text words = {.context = report->context};
    char heading[2 * ASIF_CELL_SIZE], a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE], label[ASIF_CELL_SIZE];
    asif_label_cut(label, group->value[0] ? group->value : "(missing)", 16, report->unicode);
    asif_clean(label);
    asif_format(heading, sizeof heading, "  %s", label);
    asif_text_addf(&words, "%s episode%s, %s decisions: ", asif_count_text(a, group->episodes),
                   group->episodes == 1 ? "" : "s", amount(b, group->decisions));
    bool any = false;
    for (uint32_t u = 0; u < report->tree.actions; u++) {
        if (!(group->action[u] > 0))
            continue;
        asif_text_addf(&words, "%s%s (%s)", any ? ", " : "", asif_logs_label(report, ASIF_LABEL_ACTION, u),
                       asif_percent_text(a, group->action[u] / group->decisions));
        any = true;
    }
    asif_clean(words.data);
    asif_add_wrapped(text, heading, 20, words.data ? words.data : "", report->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

void asif_logs_text(asif_text *text, const asif_logs_report *report) {
    const asif_logs_request *request = report->request;
    uint32_t *path = ASIF_ARRAY(report->context, report->tree.levels, uint32_t);
    if (!path) {
        text->failed = true;
        return;
    }
    for (uint32_t i = 0; i < request->files; i++)
        asif_text_addf(text, "%s%s", i ? ", " : "",
                       strcmp(request->file[i], "-") == 0 ? "standard input" : request->file[i]);
    asif_text_add(text, request->files ? "\n\n" : "");
    add_facts(text, report);
    add_actions(text, report);
    if (request->by)
        asif_text_addf(text, "\nBY %s\n", request->by);
    for (uint32_t g = 0; g < report->groups; g++)
        add_group(text, report, &report->group[g]);
    if (report->tree.states_seen) {
        add_states(text, report);
    } else {
        add_episodes(text, report, path);
        add_histories(text, report, path);
    }
    asif_free(report->context, path);
    asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
    char *said = NULL;
    options.errors_only = report->errors_only;
    if (request->problems &&
        asif_report_problems(&said, report->context, request->problems, &options, NULL) != ASIF_OK)
        text->failed = true;
    if (said && *said)
        asif_text_addf(text, "\n%s", said);
    asif_free(report->context, said);
}
