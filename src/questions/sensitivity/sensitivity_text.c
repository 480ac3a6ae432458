/* What happens to the answer when what was given is varied. */
#include "questions/sensitivity/sensitivity_text.h"

#include "base/error.h"
#include "render/report_options.h"

#include <math.h>
#include <string.h>

#define GOOD_RHAT 1.1 /* of short chains */
#define WIDEST 24     /* columns of a name */

typedef struct {
    const asif_context *context;
    const asif_yaml *root, *statements, *variations;
    bool unicode;
    uint32_t width;
} page;

static bool is(const char *text, const char *word) {
    return text && strcmp(text, word) == 0;
}

static asif_summary_number number_of(const page *p, uint32_t i) {
    const asif_yaml *s = p->statements->item[i];
    const char *name = p->statements->key[i]->text, *parameter = asif_yaml_text(s, "parameter");
    return (asif_summary_number){
        .name = name, .parameter = parameter ? parameter : name, .label = asif_yaml_text(s, "label")};
}

/* Above a column: the symbol, and of a logarithm that it is one. */
static void head(char *cell, const page *p, uint32_t i) {
    asif_summary_number number = number_of(p, i);
    char name[2 * ASIF_CELL_SIZE];
    asif_format(name, sizeof name, "%s%.80s", asif_parameter_in_logs(number.parameter) ? "log " : "",
                asif_summary_symbol(&number));
    asif_label_cut(cell, name, WIDEST, p->unicode);
    asif_clean(cell);
}

static char *value_text(char *cell, double value) {
    asif_format(cell, ASIF_CELL_SIZE, "%.4g", value);
    return cell;
}

static void add_words(asif_text *text, const page *p, const char *heading, uint32_t indent,
                      asif_text *words) {
    asif_clean(words->data);
    if (words->data)
        asif_add_wrapped(text, heading, indent, words->data, p->width);
    text->failed |= words->failed;
    asif_text_free(words);
}

/* ---- tables ---- */

static const asif_yaml *number_in(const asif_yaml *point, const char *name) {
    return asif_yaml_part(asif_yaml_part(point, "numbers"), name);
}

/* "0.44 (0.27)": the maximum and its standard deviation. */
static void maximum_cell(char *cell, const asif_yaml *number) {
    double maximum = asif_yaml_value(number, "maximum"), sd = asif_yaml_value(number, "sd");
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    if (isnan(maximum))
        asif_format(cell, ASIF_CELL_SIZE, "-");
    else if (isnan(sd))
        asif_short_number(cell, maximum);
    else
        asif_format(cell, ASIF_CELL_SIZE, "%.30s (%.28s)", asif_summary_digits(a, maximum, 3.3 * sd),
                    asif_summary_digits(b, sd, 3.3 * sd));
}

static void value_cell(char *cell, const asif_yaml *point) {
    char value[ASIF_CELL_SIZE];
    asif_format(cell, ASIF_CELL_SIZE, "%.40s%s", value_text(value, asif_yaml_value(point, "value")),
                asif_yaml_flag(point, "given") ? " *" : "  ");
}

/* Values from `from` to `to` of the numbers, as many as fit; returns the next. */
static uint32_t add_table(asif_text *text, const page *p, const asif_yaml *points, uint32_t from) {
    uint32_t to = p->statements->count;
    for (;; to--) {
        asif_table table;
        char cell[ASIF_CELL_SIZE];
        asif_table_init(&table, p->context, 3 + to - from);
        asif_table_cell(&table, "value  ");
        asif_table_cell(&table, "log-lik.");
        asif_table_cell(&table, "nats worse");
        for (uint32_t i = from; i < to; i++) {
            head(cell, p, i);
            asif_table_cell(&table, cell);
        }
        for (uint32_t k = 0; k < points->count; k++) {
            const asif_yaml *point = points->item[k];
            double log_likelihood = asif_yaml_value(point, "log_likelihood");
            value_cell(cell, point);
            asif_table_cell(&table, cell);
            asif_format(cell, sizeof cell, isnan(log_likelihood) ? "none" : "%.2f", log_likelihood);
            asif_table_cell(&table, cell);
            asif_format(cell, sizeof cell, isnan(log_likelihood) ? "-" : "%.2f",
                        asif_yaml_value(point, "nats"));
            asif_table_cell(&table, cell);
            for (uint32_t i = from; i < to; i++) {
                maximum_cell(cell, number_in(point, p->statements->key[i]->text));
                asif_table_cell(&table, cell);
            }
        }
        if (to == from + 1 || asif_table_width(&table) <= p->width) {
            asif_table_end(&table, text);
            return to;
        }
        asif_table_free(&table);
    }
}

/* The posterior where it was drawn: one line for an end. */
static void add_posterior(asif_text *text, const page *p, const asif_yaml *point) {
    asif_text words = {.context = p->context};
    char value[ASIF_CELL_SIZE], range[ASIF_CELL_SIZE], median[ASIF_CELL_SIZE], symbol[ASIF_CELL_SIZE];
    double rhat = asif_yaml_value(point, "rhat");
    asif_text_addf(&words, "posterior at %s: ", value_text(value, asif_yaml_value(point, "value")));
    for (uint32_t i = 0; i < p->statements->count; i++) {
        const asif_yaml *n = number_in(point, p->statements->key[i]->text);
        double low = asif_yaml_value(n, "q05"), high = asif_yaml_value(n, "q95");
        head(symbol, p, i);
        asif_text_addf(&words, "%s%s %s (%s)%s", i ? ", " : "", symbol,
                       asif_summary_digits(median, asif_yaml_value(n, "q50"), high - low),
                       asif_summary_range(range, low, high),
                       is(asif_yaml_text(n, "sign"), "unknown") ? ", sign unknown" : "");
    }
    if (!(rhat < GOOD_RHAT))
        asif_text_addf(&words, "; these chains are too short (R-hat %.2f): more --draws", rhat);
    add_words(text, p, "  ", 4, &words);
}

static void add_variation(asif_text *text, const page *p, const asif_yaml *variation) {
    const asif_yaml *points = asif_yaml_part(variation, "points");
    const char *name = asif_yaml_text(variation, "name");
    char value[ASIF_CELL_SIZE];
    asif_text words = {.context = p->context};
    if (!points || points->kind != ASIF_YAML_LIST || !name)
        return;
    asif_text_add(text, "\n");
    if (is(name, "worlds"))
        asif_text_add(&words, "worlds: the spread of the candidate worlds about the environment, as a factor "
                              "(given *)");
    else
        asif_text_addf(&words, "%s, given %s *", name,
                       value_text(value, asif_yaml_value(variation, "given")));
    add_words(text, p, "", 0, &words);
    for (uint32_t from = 0; from < p->statements->count;)
        from = add_table(text, p, points, from);
    for (uint32_t k = 0; k < points->count; k++) {
        const char *why = asif_yaml_text(points->item[k], "why");
        if (asif_yaml_flag(points->item[k], "drawn"))
            add_posterior(text, p, points->item[k]);
        if (why) {
            asif_text reason = {.context = p->context};
            asif_text_addf(&reason, "no agent fits at %s: %s",
                           value_text(value, asif_yaml_value(points->item[k], "value")), why);
            add_words(text, p, "  ", 4, &reason);
        }
    }
}

/* Rows: numbers; columns: what was varied. */
static void add_moves(asif_text *text, const page *p) {
    asif_table table;
    char cell[ASIF_CELL_SIZE];
    uint32_t columns = p->variations->count;
    asif_text_add(text, "\nHOW FAR THE NUMBERS MOVE, in standard deviations of the posterior\n");
    asif_table_init(&table, p->context, 1 + columns);
    table.left = 1;
    asif_table_cell(&table, "");
    for (uint32_t v = 0; v < columns; v++) {
        const char *name = asif_yaml_text(p->variations->item[v], "name");
        asif_label_cut(cell, name ? name : "", 12, p->unicode);
        asif_clean(cell);
        asif_table_cell(&table, cell);
    }
    for (uint32_t i = 0; i < p->statements->count; i++) {
        head(cell, p, i);
        asif_table_cell(&table, cell);
        for (uint32_t v = 0; v < columns; v++) {
            const asif_yaml *effects = asif_yaml_part(p->variations->item[v], "effects");
            double moved = asif_yaml_value(asif_yaml_part(effects, p->statements->key[i]->text), "moved");
            asif_format(cell, sizeof cell, "%.1f", moved);
            asif_table_cell(&table, cell);
        }
    }
    asif_table_end(&table, text);
}

/* ---- statements ---- */

static void add_flip(asif_text *words, const page *p, const char *name, const asif_yaml *flip) {
    char at[ASIF_CELL_SIZE];
    asif_text others = {.context = p->context};
    asif_sensitivity_steps(words, p->root, name);
    asif_text_addf(words, ". It passes 0 at about %s = %s (%.1f nats)", asif_yaml_text(flip, "variation"),
                   value_text(at, asif_yaml_value(flip, "at")), asif_yaml_value(flip, "nats"));
    if (asif_sensitivity_others(&others, p->root, name))
        asif_text_addf(words, ", and when %s is varied, too", others.data ? others.data : "");
    words->failed |= others.failed;
    asif_text_free(&others);
}

static void add_statement(asif_text *text, const page *p, uint32_t i) {
    const asif_yaml *s = p->statements->item[i], *flip = asif_yaml_part(s, "flip");
    const char *statement = asif_yaml_text(s, "statement"), *sign = asif_yaml_text(s, "sign");
    asif_summary_number number = number_of(p, i);
    asif_text words = {.context = p->context};
    double limit = asif_yaml_value(p->root, "limit");
    bool flips = flip && flip->kind == ASIF_YAML_MAP;
    if (!statement)
        return;
    asif_summary_phrase(&words, &number);
    if (is(statement, "open")) {
        asif_text_add(&words, ": the fit leaves its sign open");
        if (flips) {
            asif_text_add(&words, ", and so do other values of what was given. ");
            add_flip(&words, p, number.name, flip);
        }
        add_words(text, p, "  - ", 4, &words);
        return;
    }
    asif_text_addf(&words, " is %s 0: ", is(sign, "positive") ? "above" : "below");
    if (is(statement, "flips")) {
        asif_text_add(&words, "does not survive. ");
        add_flip(&words, p, number.name, flip);
        asif_text_add(&words, ". The sign of ");
        asif_summary_phrase(&words, &number);
        asif_text_add(&words, " is not to be had from these logs");
    } else if (is(statement, "weakens")) {
        asif_text_add(&words, "survives at the maximum, but the posterior at an end leaves its sign open");
    } else {
        asif_text_addf(&words, "survives at every value that costs no more than %.3g nats", limit);
    }
    add_words(text, p, "  - ", 4, &words);
}

static void add_statements(asif_text *text, const page *p) {
    asif_text words = {.context = p->context};
    uint64_t before;
    asif_text_add(text, "\nWHICH STATEMENTS SURVIVE\n");
    before = text->length;
    for (uint32_t i = 0; i < p->statements->count; i++)
        add_statement(text, p, i);
    if (text->length == before)
        asif_text_add(text, "  no number that is estimated can have either sign\n");
    asif_text_addf(
        &words,
        "A sign survives if it stays at the maximum of the posterior wherever the log-likelihood is no more "
        "than %.3g nats below that of the given value: beyond, the logs speak against the value itself",
        asif_yaml_value(p->root, "limit"));
    add_words(text, p, "  ", 2, &words);
}

static asif_status finish_text(char **out, const page *p, asif_error *error) {
    asif_text text = {.context = p->context}, words = {.context = p->context};
    asif_text_addf(&words,
                   "WHAT WAS GIVEN, VARIED one at a time: maximum of the posterior (and standard deviation); "
                   "log-likelihood %.2f at the given values",
                   asif_yaml_value(p->root, "log_likelihood"));
    add_words(&text, p, "", 0, &words);
    for (uint32_t v = 0; v < p->variations->count; v++)
        add_variation(&text, p, p->variations->item[v]);
    add_moves(&text, p);
    add_statements(&text, p);
    return asif_text_finish(out, &text, error);
}

asif_status asif_report_sensitivity(char **out, const asif_context *context, const char *json,
                                    uint64_t length, const char *name, const asif_report_options *options,
                                    asif_error *error) {
    asif_report_options filled;
    asif_yaml_document *document = NULL;
    *out = NULL;
    ASIF_TRY(asif_report_fill(&filled, options, error));
    ASIF_TRY(asif_yaml_read(&document, context, json, length, name, error));
    page p = {.context = context,
              .root = asif_yaml_root(document),
              .unicode = filled.unicode,
              .width = filled.width};
    p.statements = asif_yaml_part(p.root, "statements");
    p.variations = asif_yaml_part(p.root, "variations");
    asif_status status = ASIF_OK;
    if (!p.statements || p.statements->kind != ASIF_YAML_MAP || !p.variations ||
        p.variations->kind != ASIF_YAML_LIST) {
        status = asif_report_refuse(p.root, name, "the text of a sensitivity", "asif sensitivity DIR --json",
                                    error);
    } else if (filled.json) {
        status = asif_report_echo(out, context, json, length, error);
    } else {
        status = finish_text(out, &p, error);
    }
    asif_yaml_free(document);
    return status;
}
