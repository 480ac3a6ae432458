/* The answer of `outcomes` as text. */
#include "asif/report.h"
#include "questions/outcomes/outcomes.h"
#include "questions/outcomes/outcomes_brief.h"
#include "render/telling.h"
#include "render/words/fit_numbers.h"
#include "render/words/ideal_names.h"
#include "render/words/sentences.h"
#include "render/words/shown_names.h"

#include <math.h>
#include <string.h>

#define LABEL 18   /* columns of a measure's name */
#define DIGITS 0.2 /* width of an interval, as a share of the number, that justifies about three digits */

/* ---- cells ---- */

static double mean_of(const asif_yaml *outcome) {
    return asif_yaml_value(outcome, "mean");
}

/* Write a number with as many digits as its interval justifies; a share in percent. */
static char *number_cell(char *cell, const asif_yaml *outcome, double width, bool share) {
    double mean = mean_of(outcome);
    cell[0] = 0;
    if (isnan(mean))
        return cell;
    return share ? asif_percent_text(cell, mean) : asif_summary_digits(cell, mean, width);
}

static double width_of(const asif_yaml *outcome) {
    return asif_yaml_value(outcome, "q95") - asif_yaml_value(outcome, "q05");
}

static char *range_cell(char *cell, const asif_yaml *outcome, bool share) {
    double low = asif_yaml_value(outcome, "q05"), high = asif_yaml_value(outcome, "q95");
    if (!share)
        return asif_summary_range(cell, low, high);
    cell[0] = 0;
    if (isnan(low) || isnan(high))
        return cell;
    if (high < 0.0005 || low > 0.9995)
        asif_format(cell, ASIF_CELL_SIZE, low > 0.9995 ? ">99.9" : "<0.1");
    else
        asif_format(cell, ASIF_CELL_SIZE, "%.1f to %.1f", 100 * low, 100 * high);
    return cell;
}

/* Write an interval; if it is narrow, with the digits of the mean. */
static char *spread_cell(char *cell, const asif_yaml *outcome) {
    char low[ASIF_CELL_SIZE], high[ASIF_CELL_SIZE];
    double width = fmax(width_of(outcome), DIGITS * fabs(mean_of(outcome)));
    cell[0] = 0;
    if (!isnan(width_of(outcome)))
        asif_format(cell, ASIF_CELL_SIZE, "%.28s to %.28s",
                    asif_summary_digits(low, asif_yaml_value(outcome, "q05"), width),
                    asif_summary_digits(high, asif_yaml_value(outcome, "q95"), width));
    return cell;
}

static void add_cell(asif_table *table, char *cell) {
    asif_clean(cell);
    asif_table_cell(table, cell);
}

static void add_heads(asif_table *table, const char *const *heads, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        asif_table_cell(table, heads[i]);
}

/* ---- what they do ---- */

static bool anything(const asif_yaml *conduct, const char *group, const char *key) {
    for (uint32_t a = 0; a < ASIF_AGENT_COUNT; a++) {
        const asif_yaml *agent = asif_agents_part(conduct, a);
        if (!isnan(mean_of(asif_yaml_part(group ? asif_yaml_part(agent, group) : agent, key))))
            return true;
    }
    return false;
}

/* Add one measure of all agents, with about three digits. */
static void add_measure(asif_table *table, const asif_agents *agents, const asif_yaml *conduct,
                        const char *group, const char *key, const char *name, bool share) {
    const asif_yaml *observed = asif_yaml_part(conduct, "observed"),
                    *fitted = asif_agents_part(conduct, ASIF_AGENT_FITTED);
    char cell[ASIF_CELL_SIZE];
    if (!anything(conduct, group, key))
        return;
    if (group) {
        observed = asif_yaml_part(observed, group);
        fitted = asif_yaml_part(fitted, group);
    }
    fitted = asif_yaml_part(fitted, key);
    double seen = asif_yaml_value(observed, key);
    asif_label_cut(cell, name, LABEL, false);
    add_cell(table, cell);
    cell[0] = 0;
    if (!isnan(seen))
        share ? asif_percent_text(cell, seen) : asif_summary_digits(cell, seen, DIGITS * fabs(seen));
    add_cell(table, cell);
    add_cell(table, number_cell(cell, fitted, DIGITS * fabs(mean_of(fitted)), share));
    add_cell(table, share ? range_cell(cell, fitted, true) : spread_cell(cell, fitted));
    for (uint32_t a = 1; a < agents->count; a++) {
        const asif_yaml *agent = asif_agents_part(conduct, agents->agent[a]),
                        *number = asif_yaml_part(group ? asif_yaml_part(agent, group) : agent, key);
        add_cell(table, number_cell(cell, number, DIGITS * fabs(mean_of(number)), share));
    }
}

/* Add a head for each agent after those of the first columns; names take two lines. */
static void add_agent_heads(asif_table *table, const asif_agents *agents, const char *const *first,
                            uint32_t n, uint32_t line) {
    static const char *const heads[ASIF_AGENT_COUNT][2] = {
        {"", ""}, {"no", "bounds"}, {"Bayes-", "optimal"}, {"true", "world"}};
    add_heads(table, first, n);
    for (uint32_t a = 1; a < agents->count; a++)
        asif_table_cell(table, agents->count == 2 ? (line ? "ideal" : "") : heads[agents->agent[a]][line]);
}

static void add_conduct(asif_text *text, const asif_summary *summary, const asif_yaml *conduct) {
    static const struct {
        const char *key, *name;
        bool share;
    } rows[] = {
        {"decisions", "decisions", false}, {"before_end", "tests", false},   {"wrong", "wrong", true},
        {"utility", "utility", false},     {"not_ended", "not ended", true},
    };
    static const char *const first[] = {"", "", "", ""};
    static const char *const second[] = {"an episode", "observed", "fitted", "90 %"};
    asif_agents agents = asif_agents_told(summary->root);
    asif_table table;
    asif_table_init(&table, summary->context, 3 + agents.count);
    table.left = 1 | 8;
    table.indent = 1;
    add_agent_heads(&table, &agents, first, 4, 0);
    add_agent_heads(&table, &agents, second, 4, 1);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        bool cut = strcmp(rows[k].key, "not_ended") == 0;
        bool some = !cut || asif_yaml_value(asif_yaml_part(conduct, "observed"), "not_ended") > 0;
        for (uint32_t a = 0; a < agents.count; a++)
            some |= mean_of(asif_yaml_part(asif_agents_part(conduct, agents.agent[a]), rows[k].key)) > 0;
        if (some)
            add_measure(&table, &agents, conduct, NULL, rows[k].key, rows[k].name, rows[k].share);
    }
    const asif_yaml *actions = asif_yaml_part(asif_agents_part(conduct, ASIF_AGENT_FITTED), "actions");
    for (uint32_t u = 0; actions && actions->kind == ASIF_YAML_MAP && u < actions->count; u++)
        add_measure(&table, &agents, conduct, "actions", actions->key[u]->text, actions->key[u]->text, false);
    asif_table_end(&table, text);
}

static void add_classes(asif_text *text, const asif_summary *summary) {
    const asif_yaml *list = asif_yaml_part(summary->root, "by_start");
    for (uint32_t i = 0; list && list->kind == ASIF_YAML_LIST && i < list->count; i++) {
        const char *start = asif_yaml_text(list->item[i], "start");
        char title[2 * ASIF_CELL_SIZE], cell[ASIF_CELL_SIZE];
        asif_format(title, sizeof title, "\nSTART %.60s, %s of the episodes\n", start ? start : "?",
                    asif_percent_text(cell, asif_yaml_value(list->item[i], "weight")));
        asif_clean(title + 1);
        title[strlen(title) - 1] = '\n';
        asif_text_add(text, title);
        add_conduct(text, summary, list->item[i]);
    }
}

/* ---- after histories ---- */

/* Add a history in a few words: "after 3 x monitor->positive". */
static void add_seen(asif_text *words, const asif_summary *summary, const asif_yaml *entry) {
    const asif_yaml *history = asif_yaml_part(entry, "history");
    const char *state = asif_yaml_text(entry, "state"), *start = asif_yaml_text(entry, "start_class");
    const char *arrow = summary->unicode ? "\xe2\x86\x92" : "->";
    uint32_t n = history && history->kind == ASIF_YAML_LIST ? history->count : 0;
    if (state)
        asif_text_addf(words, "in %s", state);
    else if (n == 0)
        asif_text_add(words, "at the start");
    for (uint32_t i = 0; i < n;) {
        const char *action = asif_yaml_text(history->item[i], "action"),
                   *seen = asif_yaml_text(history->item[i], "observation");
        uint32_t run = 1;
        for (; i + run < n; run++) {
            const char *next = asif_yaml_text(history->item[i + run], "action"),
                       *shown = asif_yaml_text(history->item[i + run], "observation");
            if (!next || !action || strcmp(next, action) != 0 || !shown != !seen ||
                (seen && strcmp(seen, shown) != 0))
                break;
        }
        asif_text_addf(words, "%s", i ? ", " : "after ");
        if (run > 1)
            asif_text_addf(words, "%u %s ", run, summary->unicode ? "\xc3\x97" : "x");
        asif_text_addf(words, "%s%s%s", action ? action : "?", arrow, seen ? seen : "(nothing)");
        i += run;
    }
    if (start)
        asif_text_addf(words, " (start %s)", start);
}

/* The action to show: the one that the fitted agent takes most often; for runs of the same evidence, after
 * the longest run. */
static const asif_yaml *telling(const asif_yaml *list, uint32_t i, const char **name) {
    const asif_yaml *entry = list->item[i];
    while (asif_yaml_flag(entry, "run") && i + 1 < list->count) {
        const asif_yaml *now = asif_yaml_part(list->item[i], "history"),
                        *next = asif_yaml_part(list->item[i + 1], "history");
        if (!asif_yaml_flag(list->item[i + 1], "run") || next->count != now->count + 1)
            break;
        i++;
    }
    const asif_yaml *actions = asif_yaml_part(list->item[i], "actions");
    double most = -1;
    *name = NULL;
    for (uint32_t u = 0; actions && actions->kind == ASIF_YAML_MAP && u < actions->count; u++) {
        double share = mean_of(asif_yaml_part(actions->item[u], "fitted"));
        if (share > most) {
            most = share;
            *name = actions->key[u]->text;
        }
    }
    return *name ? asif_yaml_part(asif_yaml_part(entry, "actions"), *name) : NULL;
}

static bool same_text(const asif_yaml *a, const asif_yaml *b, const char *key) {
    const char *x = asif_yaml_text(a, key), *y = asif_yaml_text(b, key);
    return !x == !y && (!x || strcmp(x, y) == 0);
}

/* Whether a row was shown before: a frequent history may also be a run. */
static bool told_before(const asif_yaml *list, uint32_t i) {
    const asif_yaml *here = asif_yaml_part(list->item[i], "history");
    const char *name, *other;
    telling(list, i, &name);
    for (uint32_t k = 0; k < i; k++) {
        const asif_yaml *there = asif_yaml_part(list->item[k], "history");
        telling(list, k, &other);
        bool same = here && there && here->count == there->count && name && other &&
                    strcmp(name, other) == 0 && same_text(list->item[i], list->item[k], "start_class") &&
                    same_text(list->item[i], list->item[k], "state");
        for (uint32_t e = 0; same && e < here->count; e++)
            same = same_text(here->item[e], there->item[e], "action") &&
                   same_text(here->item[e], there->item[e], "observation");
        if (same)
            return true;
    }
    return false;
}

static void add_histories(asif_text *text, const asif_summary *summary) {
    static const char *const heads[] = {"observed", "fitted", "90 %"};
    static const char *const whose[ASIF_AGENT_COUNT] = {"", "no bounds", "Bayes", "true"};
    const asif_yaml *list = asif_yaml_part(summary->root, "histories");
    asif_text rows = {.context = summary->context};
    asif_table table;
    const char *name;
    if (!list || list->kind != ASIF_YAML_LIST || list->count == 0)
        return;
    asif_agents agents = asif_agents_told(summary->root);
    asif_table_init(&table, summary->context, 2 + agents.count);
    table.left = 4;
    table.indent = 1;
    add_heads(&table, heads, 3);
    for (uint32_t a = 1; a < agents.count; a++)
        asif_table_cell(&table, agents.count == 2 ? "ideal" : whose[agents.agent[a]]);
    for (uint32_t i = 0; i < list->count; i++) {
        if (told_before(list, i))
            continue;
        const asif_yaml *action = telling(list, i, &name), *fitted = asif_yaml_part(action, "fitted");
        char cell[ASIF_CELL_SIZE] = "";
        double seen = asif_yaml_value(action, "observed");
        add_cell(&table, isnan(seen) ? cell : asif_percent_text(cell, seen));
        add_cell(&table, number_cell(cell, fitted, 1, true));
        add_cell(&table, range_cell(cell, fitted, true));
        for (uint32_t a = 1; a < agents.count; a++)
            add_cell(&table, number_cell(cell, asif_agents_part(action, agents.agent[a]), 1, true));
    }
    asif_table_end(&table, &rows);
    asif_text_add(text, agents.count == 2
                            ? "\nAFTER FREQUENT HISTORIES\n"
                            : "\nAFTER FREQUENT HISTORIES (no bounds: the same model; Bayes, true: ideal "
                              "agents)\n");
    const char *row = rows.data ? rows.data : "";
    uint32_t widest = 0;
    for (const char *line = row; *line; line += strcspn(line, "\n") + 1)
        widest = strcspn(line, "\n") > widest ? (uint32_t)strcspn(line, "\n") : widest;
    for (uint32_t i = 0; *row && i <= list->count; i++) {
        if (i > 0 && told_before(list, i - 1))
            continue;
        char cells[4 * ASIF_CELL_SIZE];
        size_t length = strcspn(row, "\n");
        asif_text words = {.context = summary->context};
        asif_format(cells, sizeof cells, "%-*.*s  ", (int)widest, (int)length, row);
        if (i > 0) {
            telling(list, i - 1, &name);
            asif_text_addf(&words, "%s ", name ? name : "?");
            add_seen(&words, summary, list->item[i - 1]);
            asif_clean(words.data);
        }
        if (words.data)
            asif_add_wrapped(text, cells, widest + 2, words.data, summary->width);
        else
            asif_text_addf(text, "%.*s\n", (int)length, row);
        text->failed |= words.failed;
        asif_text_free(&words);
        row += length + (row[length] != 0);
    }
    text->failed |= rows.failed;
    asif_text_free(&rows);
}

/* ---- cost of the bounds ---- */

static void add_loss_row(asif_table *table, const char *name, const asif_yaml *loss,
                         const asif_yaml *per_decision, const asif_yaml *last, const asif_yaml *alone) {
    char cell[ASIF_CELL_SIZE];
    double width = fmax(width_of(loss), 0.02 * fabs(mean_of(loss)));
    asif_table_cell(table, name);
    add_cell(table, number_cell(cell, loss, width, false));
    add_cell(table, range_cell(cell, loss, false));
    add_cell(table, number_cell(cell, per_decision, width_of(per_decision), false));
    add_cell(table, number_cell(cell, last, width, false));
    add_cell(table, number_cell(cell, alone, width, false));
}

static void add_losses(asif_text *text, const asif_summary *summary) {
    const asif_yaml *losses = asif_yaml_part(summary->root, "losses"),
                    *bounds = asif_yaml_part(losses, "bounds"), *whole = asif_yaml_part(losses, "whole");
    static const char *const first[] = {"utility", "", "", "per", "gained", "lost"};
    static const char *const second[] = {"lost by", "loss", "90 %", "decision", "without", "by it alone"};
    char cell[3][ASIF_CELL_SIZE];
    asif_table table;
    if (!bounds || bounds->kind != ASIF_YAML_MAP)
        return;
    bool endless = !isnan(mean_of(asif_yaml_part(losses, "whole_per_decision")));
    asif_text_addf(text, "\nWHAT IT COSTS, in discounted utility %s\n",
                   endless ? "over an endless run" : "until nothing follows");
    asif_table_init(&table, summary->context, 6);
    table.left = 1 | 4;
    table.indent = 1;
    add_heads(&table, first, 6);
    add_heads(&table, second, 6);
    for (uint32_t i = 0; i < bounds->count; i++)
        add_loss_row(&table, asif_bound_word(bounds->key[i]->text), asif_yaml_part(bounds->item[i], "loss"),
                     asif_yaml_part(bounds->item[i], "per_decision"), asif_yaml_part(bounds->item[i], "last"),
                     asif_yaml_part(bounds->item[i], "alone"));
    add_loss_row(&table, "all of them", whole, asif_yaml_part(losses, "whole_per_decision"), NULL, NULL);
    asif_table_end(&table, text);
    double width = fmax(width_of(whole), 0.02 * fabs(mean_of(whole)));
    asif_text words = {.context = summary->context};
    asif_text_addf(&words,
                   "The agent's expected utility is %s; that of an agent without bounds who knows the true "
                   "world is %s. Simulation adds an error of %s to the whole loss. Losses are means over all "
                   "orders of removing the bounds.",
                   number_cell(cell[0], asif_yaml_part(losses, "value"), width, false),
                   number_cell(cell[1], asif_yaml_part(losses, "value_ideal_true"), width, false),
                   asif_short_number(cell[2], asif_yaml_value(whole, "error")));
    asif_add_words(text, " ", 1, &words, summary->width);
    for (uint32_t i = 0; i < bounds->count; i++) {
        double helps = asif_yaml_value(bounds->item[i], "helps");
        if (!(helps >= 0.05))
            continue;
        words = (asif_text){.context = summary->context};
        bool sure = isnan(width_of(asif_yaml_part(bounds->item[i], "loss")));
        if (helps > 0.95 || sure)
            asif_text_addf(&words, "%s helps: without it, this agent with its other bounds would do worse.",
                           asif_bound_word(bounds->key[i]->text));
        else
            asif_text_addf(&words, "%s may help: its loss is below 0 in %s of the draws.",
                           asif_bound_word(bounds->key[i]->text), asif_percent_text(cell[0], helps));
        asif_sentence_finish(&words);
        asif_add_words(text, " ", 1, &words, summary->width);
    }
}

static void add_evidence(asif_text *text, const asif_summary *summary) {
    const asif_yaml *list = asif_yaml_part(summary->root, "evidence");
    if (!list || list->kind != ASIF_YAML_LIST || list->count == 0)
        return;
    asif_text_add(text, "\nHOW GOOD THE EVIDENCE SEEMS (chance to tell the state from one observation)\n");
    for (uint32_t i = 0; i < list->count; i++) {
        asif_text words = {.context = summary->context};
        const char *action = asif_yaml_text(list->item[i], "action");
        asif_text_addf(&words, "%s: ", action ? action : "?");
        asif_summary_reads(&words, list->item[i]);
        double neutral = asif_yaml_value(list->item[i], "neutral");
        if (!isnan(neutral))
            asif_text_addf(&words, "; without optimism, as one of %.2f", neutral);
        asif_add_words(text, " ", 1, &words, summary->width);
    }
}

/* ---- the whole text ---- */

static bool is_one(const asif_yaml *root) {
    return asif_yaml_part(asif_yaml_part(root, "conduct"), "fitted") != NULL;
}

static void tell(asif_text *text, const void *value, const asif_report_options *options) {
    asif_summary summary = {
        .context = text->context, .root = value, .unicode = options->unicode, .width = options->width};
    const char *title = asif_yaml_text(value, "title"), *note = asif_yaml_text(value, "note");
    const asif_yaml *conduct = asif_yaml_part(value, "conduct");
    double draws = asif_yaml_value(value, "draws");
    asif_text missing = {.context = text->context};
    asif_add_wordsf(text, "", 0, summary.width, "%s%s%.0f %s of the fit, acting in the environment",
                    asif_shown_title(title), summary.unicode ? " \xc2\xb7 " : ", ", draws,
                    draws == 1 ? "point" : "draws");
    asif_text_add(text, "\nWHAT THEY DO\n");
    add_conduct(text, &summary, conduct);
    if (anything(conduct, NULL, "before_end"))
        asif_add_wordsf(
            text, " ", 1, summary.width,
            "Tests are decisions that end nothing. A final action is wrong where another one would have "
            "scored much higher, given the true state.");
    asif_agents_missing(&missing, value);
    asif_add_words(text, " ", 1, &missing, summary.width);
    add_classes(text, &summary);
    add_histories(text, &summary);
    add_losses(text, &summary);
    add_evidence(text, &summary);
    if (note)
        asif_text_add(text, "\n");
    if (note)
        asif_add_wordsf(text, " ", 1, summary.width, "note: %s", note);
}

asif_status asif_report_outcomes(char **out, const asif_context *context, const char *json, uint64_t length,
                                 const char *name, const asif_report_options *options, asif_error *error) {
    static const asif_telling telling = {"the text of outcomes", "asif outcomes DIR --json", NULL, is_one,
                                         tell};
    return asif_tell(out, context, json, length, name, options, &telling, error);
}
