/* The text of `identify`: for each number and each rival, a row of a table and a sentence. */
#include "base/error.h"
#include "base/memory.h"
#include "questions/identify/identify.h"
#include "render/report_options.h"
#include "render/telling.h"
#include "render/words/fit_numbers.h"
#include "render/words/shown_names.h"

#include <math.h>
#include <string.h>

#define STRONG 0.9 /* correlation above which two numbers cannot be separated */
#define ZERO 1e-6  /* nats per 1,000 logs below which a difference is due to rounding */

typedef struct {
    const asif_context *context;
    asif_yaml_document *document;
    const asif_yaml *root;
    bool unicode;
    uint32_t width;
} page;

static const char *dot(const page *p) {
    return p->unicode ? " \xc2\xb7 " : ", ";
}

static void add_sentence(asif_text *text, const page *p, asif_text *words) {
    asif_add_words(text, "  -", 4, words, p->width);
}

/* ---- heading ---- */

/* Add values as "choice randomness 0.5, beta 1.25", after `before`: the assumed ones, or the others. */
static void add_values(asif_text *words, const char *before, const asif_yaml *values, const asif_yaml *given,
                       bool wanted_given) {
    for (uint32_t i = 0; values && values->kind == ASIF_YAML_MAP && i < values->count; i++) {
        const char *name = values->key[i]->text;
        double value = asif_yaml_value(values, name);
        bool usual = (strcmp(name, "beta") == 0 && isinf(value)) || (strcmp(name, "eta") == 0 && value == 0);
        bool again = strcmp(name, "act_alpha") == 0 && value == asif_yaml_value(values, "alpha");
        char cell[ASIF_CELL_SIZE];
        if ((asif_yaml_part(given, name) != NULL) != wanted_given || (wanted_given && usual) || again)
            continue;
        asif_text_addf(words, "%s%s %s", before, asif_parameter_word(name), asif_short_number(cell, value));
        before = ", ";
    }
}

static void add_header(asif_text *text, const page *p) {
    const asif_yaml *logs = asif_yaml_part(p->root, "logs"), *agent = asif_yaml_part(p->root, "agent");
    const asif_yaml *given = asif_yaml_part(p->root, "given");
    const char *title = asif_yaml_text(p->root, "title");
    double episodes = asif_yaml_value(logs, "episodes"), decisions = asif_yaml_value(logs, "decisions");
    asif_text words = {.context = p->context};
    char cell[ASIF_CELL_SIZE];
    asif_text_add(&words, asif_shown_title(title));
    if (!isnan(episodes))
        asif_text_addf(&words, "%s%s %slogs", dot(p), asif_count_text(cell, (uint64_t)fmax(0, episodes)),
                       asif_yaml_flag(logs, "simulated") ? "simulated " : "");
    if (!isnan(decisions))
        asif_text_addf(&words, "%s%s decisions", dot(p), asif_count_text(cell, (uint64_t)fmax(0, decisions)));
    asif_clean(words.data);
    asif_add_wrapped(text, "", 0, words.data ? words.data : "", p->width);
    text->failed |= words.failed;
    asif_text_free(&words);
    words = (asif_text){.context = p->context};
    if (agent && agent->kind == ASIF_YAML_MAP) {
        const asif_yaml *values = asif_yaml_part(agent, "values");
        const char *from = asif_yaml_text(agent, "from");
        asif_text_add(&words,
                      from && strcmp(from, "stated") == 0 ? "agent as stated: " : "agent as fitted: ");
        add_values(&words, "", values, given, false);
        add_values(&words, "; assuming ", values, given, true);
    } else {
        add_values(&words, "assuming ", given, given, true);
    }
    asif_clean(words.data);
    asif_add_wrapped(text, "", 2, words.data ? words.data : "", p->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

/* ---- numbers ---- */

/* On which sides of a number, as shown, the likelihood stays nearly as high without limit. */
static const char *flat_text(const asif_summary_number *n) {
    bool turned = asif_parameter_in_logs(n->parameter) && n->q50 < 0;
    bool below = turned ? n->flat_above : n->flat_below, above = turned ? n->flat_below : n->flat_above;
    return below && above ? "both" : below ? "below" : above ? "above" : "-";
}

enum { SYMBOL, TRUTH, MEDIAN, INTERVAL, CONTRACTION, CORRELATION, FLAT, VERDICT, COLUMNS };

static char *cell_text(char *cell, const page *p, const asif_summary *summary, const asif_summary_number *n,
                       int column) {
    const asif_yaml *node = asif_yaml_part(asif_yaml_part(p->root, "parameters"), n->name);
    double contraction = asif_yaml_value(node, "contraction");
    double truth = asif_yaml_value(asif_yaml_part(node, "shown"), "truth");
    const asif_summary_number *with = asif_summary_find(summary, n->with);
    char other[ASIF_CELL_SIZE];
    asif_format(cell, ASIF_CELL_SIZE, "-");
    switch (column) {
    case SYMBOL:
        return asif_label_cut(cell, asif_summary_symbol(n), 20, p->unicode);
    case TRUTH:
        return isnan(truth) ? cell : asif_short_number(cell, truth);
    case MEDIAN:
        if (isnan(n->q50)) /* each rival explanation has a median of its own */
            return cell;
        return asif_summary_digits(cell, n->q50, fabs(n->q95 - n->q05));
    case INTERVAL:
        return asif_summary_range(cell, n->q05, n->q95);
    case CONTRACTION:
        if (!isnan(contraction))
            asif_format(cell, ASIF_CELL_SIZE, "%.2f", contraction);
        return cell;
    case CORRELATION:
        if (with)
            asif_format(cell, ASIF_CELL_SIZE, "%.2f %.40s", n->correlation,
                        asif_label_cut(other, asif_summary_symbol(with), 12, p->unicode));
        return cell;
    case FLAT:
        asif_format(cell, ASIF_CELL_SIZE, "%s", flat_text(n));
        return cell;
    default:
        if (n->doubt)
            asif_format(cell, ASIF_CELL_SIZE, "%s", asif_is(n->identified, "no") ? "no" : "not established");
        else if (asif_summary_limit(n))
            asif_format(cell, ASIF_CELL_SIZE, "one side");
        else
            asif_format(cell, ASIF_CELL_SIZE, "%s", n->identified ? n->identified : "unknown");
        return cell;
    }
}

/* Fill the table with the columns whose bits are set in `wanted`. */
static void fill_table(asif_table *table, const page *p, const asif_summary *summary, uint32_t wanted) {
    static const char *const heads[COLUMNS] = {
        "", "truth", "median", "90 % interval", "contraction", "correlation", "flat", "verdict"};
    const uint32_t left = 1 << SYMBOL | 1 << INTERVAL | 1 << CORRELATION | 1 << FLAT | 1 << VERDICT;
    uint32_t columns = 0;
    uint64_t to_left = 0;
    for (int k = 0; k < COLUMNS; k++)
        if (wanted >> k & 1)
            to_left |= (uint64_t)(left >> k & 1) << columns++;
    asif_table_init(table, p->context, columns);
    table->left = to_left;
    for (uint32_t i = 0; i <= summary->numbers; i++)
        for (int k = 0; k < COLUMNS; k++) {
            char cell[ASIF_CELL_SIZE];
            if (!(wanted >> k & 1))
                continue;
            if (i > 0)
                asif_clean(cell_text(cell, p, summary, &summary->number[i - 1], k));
            asif_table_cell(table, i > 0 ? cell : heads[k]);
        }
}

/* Add the table; if it is too wide, without the interval. */
static void add_table(asif_text *text, const page *p, const asif_summary *summary, bool truths) {
    uint32_t wanted = (1U << COLUMNS) - 1U - (truths ? 0 : 1U << TRUTH);
    asif_table table;
    fill_table(&table, p, summary, wanted);
    if (asif_table_width(&table) > p->width) {
        asif_table_free(&table);
        fill_table(&table, p, summary, wanted & ~(1U << INTERVAL));
    }
    asif_table_end(&table, text);
}

/* Add the rival explanations (maxima of the posterior, "tops"): "1.53 (1.30 to 1.84) or -1.54 (-1.85 to
 * -1.30)". */
static void add_tops(asif_text *words, const asif_summary *summary, const asif_summary_number *n) {
    const asif_yaml *tops = asif_yaml_list(summary->root, "tops");
    for (uint32_t k = 0; tops && k < tops->count; k++) {
        asif_summary_number own;
        char middle[ASIF_CELL_SIZE], range[ASIF_CELL_SIZE];
        asif_summary_number_read(&own, n->name,
                                 asif_yaml_part(asif_yaml_part(tops->item[k], "parameters"), n->name));
        asif_text_addf(words, "%s%s (%s)",
                       k == 0                 ? ""
                       : k + 1 == tops->count ? " or "
                                              : ", ",
                       asif_summary_digits(middle, own.q50, fabs(own.q95 - own.q05)),
                       asif_summary_range(range, own.q05, own.q95));
    }
}

/* Add `before`, the name of a number, and `after`. */
static void add_about(asif_text *words, const char *before, const asif_summary_number *n, const char *after) {
    asif_text_add(words, before);
    asif_summary_phrase(words, n);
    asif_text_add(words, after);
}

static void add_verdict(asif_text *words, const asif_summary *summary, const asif_summary_number *n,
                        double contraction) {
    const asif_summary_number *with = asif_summary_find(summary, n->with);
    if (asif_is(n->doubt, "tops")) {
        add_about(words, "Such logs allow several explanations, with ", n, " at ");
        add_tops(words, summary, n);
    } else if (!n->identified) {
        add_about(words, "The prior of ", n, " is improper, so that nothing can be said about it");
    } else if (n->doubt && !asif_is(n->identified, "no")) {
        add_about(words, "These logs do not establish ", n, ": ");
        asif_text_add(words, asif_summary_doubt(n->doubt, false));
    } else if (asif_summary_limit(n)) {
        bool below = asif_is(asif_summary_side(n, false), "no");
        add_about(words, "Such logs give ", n,
                  below ? " an upper limit, but no lower one" : " a lower limit, but no upper one");
    } else if (strcmp(n->identified, "yes") == 0) {
        add_about(words, n->near_zero ? "Such logs show that " : "Such logs determine ", n,
                  n->near_zero ? " is near zero" : "");
    } else if (strcmp(n->identified, "no") == 0) {
        add_about(words, "Such logs say next to nothing about ", n, ": its posterior is the prior");
    } else if (with && fabs(n->correlation) > STRONG) {
        add_about(words, "Such logs determine ", n,
                  contraction < 0.9 ? " roughly, and only together with " : " only together with ");
        asif_summary_phrase(words, with);
        asif_text_addf(words, " (correlation %.2f)", n->correlation);
    } else {
        add_about(words, "Such logs determine ", n, " roughly: ");
        asif_text_addf(words, "the posterior is %.0f %% as wide as the prior",
                       100 * sqrt(fmax(0, 1 - contraction)));
    }
    asif_text_add(words, ".");
}

/* Add sentences on a number: "Such logs determine optimism only together with taste for surprise (correlation
 * -0.98). Its sign remains open." */
static void add_words(asif_text *text, const page *p, const asif_summary *summary,
                      const asif_summary_number *n) {
    const asif_yaml *node = asif_yaml_part(asif_yaml_part(p->root, "parameters"), n->name);
    const char *flat = flat_text(n);
    asif_text words = {.context = p->context};
    add_verdict(&words, summary, n, asif_yaml_value(node, "contraction"));
    if (n->sign && strcmp(n->sign, "unknown") == 0)
        asif_text_add(&words, " Its sign remains open.");
    if (flat[0] == 'b' && flat[1] == 'o')
        asif_text_add(&words, " However far below or above it is, the likelihood stays as high.");
    else if (flat[0] != '-')
        asif_text_addf(&words, " However far %s it is, the likelihood stays near its maximum.", flat);
    add_sentence(text, p, &words);
}

static void add_numbers(asif_text *text, const page *p, const asif_summary *summary) {
    const char *from = asif_yaml_text(asif_yaml_part(p->root, "agent"), "from");
    asif_text_add(text, "\nWHAT SUCH LOGS SAY ABOUT EACH PARAMETER\n");
    add_table(text, p, summary, from && strcmp(from, "stated") == 0);
    for (uint32_t i = 0; i < summary->numbers; i++)
        add_words(text, p, summary, &summary->number[i]);
    if (!summary->sound) {
        asif_text words = {.context = p->context};
        asif_text_add(&words,
                      "But the draws cannot be trusted (see below), and so the verdicts cannot be either.");
        add_sentence(text, p, &words);
    }
}

/* ---- rivals ---- */

/* Write a number of logs, rounded up to three digits. */
static char *logs_text(char *buffer, double logs) {
    if (!(logs < 1e15))
        return asif_short_number(buffer, logs);
    double digits = logs >= 1 ? pow(10, floor(log10(logs)) - 2) : 1;
    return asif_count_text(buffer, (uint64_t)(digits > 1 ? ceil(logs / digits) * digits : ceil(logs)));
}

static void add_rival_row(asif_table *table, const page *p, const asif_yaml *rival) {
    double nats = asif_yaml_value(rival, "nats_per_1000"), error = asif_yaml_value(rival, "se");
    double least = asif_yaml_value(rival, "logs_needed_least"),
           most = asif_yaml_value(rival, "logs_needed_most");
    const char *name = asif_yaml_text(rival, "name");
    char cell[ASIF_CELL_SIZE], a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    bool told = asif_yaml_flag(rival, "told");
    asif_label_cut(cell, name ? name : "", 30, p->unicode);
    asif_clean(cell);
    asif_table_cell(table, cell);
    if (fabs(nats) < ZERO && error < ZERO)
        nats = error = 0;
    asif_format(cell, sizeof cell, "%.20s %s %.20s", asif_summary_digits(a, nats, 20 * error),
                p->unicode ? "\xc2\xb1" : "+-", asif_summary_digits(b, error, 20 * error));
    asif_table_cell(table, isinf(nats) ? "no end" : cell);
    if (told && most > least)
        asif_format(cell, sizeof cell, "%.20s (%.20s)", logs_text(a, asif_yaml_value(rival, "logs_needed")),
                    logs_text(b, most));
    else if (told)
        logs_text(cell, asif_yaml_value(rival, "logs_needed"));
    else if (isinf(least))
        asif_format(cell, sizeof cell, "no number");
    else
        asif_format(cell, sizeof cell, "over %.20s", logs_text(a, least));
    asif_table_cell(table, cell);
}

/* Add the values of a rival at its maximum: "choice randomness 0.76, taste for surprise 62". */
static void add_best(asif_text *words, const asif_yaml *best) {
    for (uint32_t i = 0; best && best->kind == ASIF_YAML_MAP && i < best->count; i++) {
        const asif_yaml *node = best->item[i];
        const char *parameter = asif_yaml_text(node, "parameter"), *label = asif_yaml_text(node, "label");
        char cell[ASIF_CELL_SIZE];
        asif_text_addf(words, "%s%s%s%s %s", i ? ", " : "",
                       asif_parameter_word(parameter ? parameter : best->key[i]->text), label ? " " : "",
                       label ? label : "", asif_short_number(cell, asif_yaml_value(node, "shown")));
    }
}

static void add_rival_words(asif_text *text, const page *p, const asif_yaml *rival) {
    const asif_yaml *best = asif_yaml_part(rival, "best");
    const char *name = asif_yaml_text(rival, "name");
    double impossible = asif_yaml_value(rival, "impossible");
    double least = asif_yaml_value(rival, "logs_needed_least"),
           here = asif_yaml_value(rival, "nats_expected_here");
    char cell[ASIF_CELL_SIZE];
    asif_text words = {.context = p->context};
    asif_text_add(&words, name ? name : "");
    if (best && best->kind == ASIF_YAML_MAP && best->count > 0) {
        asif_text_add(&words, " comes closest with ");
        add_best(&words, best);
        if (asif_yaml_value(rival, "starts") > 1 && asif_yaml_value(rival, "agree") < 2)
            asif_text_add(&words, " (only one search ended there: use more --starts)");
    } else {
        asif_text_add(&words, " has nothing to estimate");
    }
    if (impossible > 0)
        asif_text_addf(&words, ". In %.3g %% of the logs something is done that it never does",
                       100 * impossible);
    else if (asif_yaml_flag(rival, "told"))
        asif_text_addf(&words, ". About %s logs tell it from the agent",
                       logs_text(cell, asif_yaml_value(rival, "logs_needed")));
    else if (isinf(least))
        asif_text_add(&words, ". No number of logs would tell it from the agent");
    else
        asif_text_addf(&words, ". They may not differ at all: telling them apart takes more than %s logs",
                       logs_text(cell, least));
    if (isfinite(here) && impossible == 0)
        asif_text_addf(&words, ". The logs above speak against it by %.2g nats", fmax(0, here));
    asif_text_add(&words, ".");
    add_sentence(text, p, &words);
}

static void add_rivals(asif_text *text, const page *p, const asif_yaml *rivals) {
    const asif_yaml *logs = asif_yaml_part(p->root, "rival_logs");
    asif_table table;
    asif_text words = {.context = p->context};
    char cell[ASIF_CELL_SIZE];
    asif_text_addf(
        &words,
        "Each is fitted to %s logs that were simulated from the agent. %s is one standard error, and the "
        "number in brackets allows for two.",
        asif_count_text(cell, (uint64_t)fmax(0, asif_yaml_value(logs, "episodes"))),
        p->unicode ? "\xc2\xb1" : "+-");
    asif_text_add(text, "\n");
    asif_add_wrapped(text, "AGAINST", 9, words.data ? words.data : "", p->width);
    text->failed |= words.failed;
    asif_text_free(&words);
    asif_table_init(&table, p->context, 3);
    table.left = 1;
    asif_table_cell(&table, "");
    asif_table_cell(&table, "nats per 1,000 logs");
    asif_format(cell, sizeof cell, "logs to be sure (%.0f nats)", asif_yaml_value(p->root, "sure_nats"));
    asif_table_cell(&table, cell);
    for (uint32_t i = 0; i < rivals->count; i++)
        add_rival_row(&table, p, rivals->item[i]);
    asif_table_end(&table, text);
    for (uint32_t i = 0; i < rivals->count; i++)
        add_rival_words(text, p, rivals->item[i]);
}

/* ---- the whole text ---- */

static asif_status write_page(char **out, const page *p, const char *json, uint64_t length, const char *name,
                              asif_error *error) {
    const asif_yaml *rivals = asif_yaml_part(p->root, "rivals");
    asif_text text = {.context = p->context};
    if (!rivals || rivals->kind != ASIF_YAML_LIST || !asif_yaml_part(p->root, "rival_logs")) {
        return asif_report_refuse(p->root, name, "the text of an identification", "asif identify --json",
                                  error);
    }
    asif_summary summary = {.context = p->context};
    bool drawn = asif_yaml_text(p->root, "method") != NULL;
    asif_status status = drawn ? asif_summary_read(&summary, p->context, json, length, name, error) : ASIF_OK;
    summary.unicode = p->unicode;
    summary.width = p->width;
    if (status == ASIF_OK) {
        add_header(&text, p);
        if (drawn)
            add_numbers(&text, p, &summary);
        if (rivals->count > 0)
            add_rivals(&text, p, rivals);
        if (drawn)
            asif_summary_trust(&text, &summary);
        status = asif_text_finish(out, &text, error);
    }
    asif_summary_free(&summary);
    return status;
}

asif_status asif_report_identify(char **out, const asif_context *context, const char *json, uint64_t length,
                                 const char *name, const asif_report_options *options, asif_error *error) {
    asif_report_options filled;
    page p = {.context = context};
    *out = NULL;
    ASIF_TRY(asif_report_fill(&filled, options, error));
    ASIF_TRY(asif_shown_read(&p.document, context, json, length, name, error));
    p.root = asif_yaml_root(p.document);
    p.unicode = filled.unicode;
    p.width = filled.width;
    asif_status status;
    if (filled.json) {
        status = asif_report_echo(out, context, json, length, error);
    } else {
        status = write_page(out, &p, json, length, name, error);
    }
    asif_yaml_free(p.document);
    return status;
}
