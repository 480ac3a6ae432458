/* The text of `sensitivity`. */
#include "questions/sensitivity/sensitivity_text.h"
#include "questions/sensitivity/sensitivity.h"

#include "render/telling.h"
#include "render/words/sentences.h"

#include <math.h>

#define GOOD_RHAT 1.1 /* limit for short chains */
#define WIDEST 24     /* most columns of a name */

typedef struct {
    const asif_sensitivity_view *s;
    bool unicode;
    uint32_t width;
} page;

/* The head of a column: the symbol, with "log" for a logarithm. */
static const char *head(char *cell, const page *p, uint32_t i) {
    asif_summary_number number = asif_sensitivity_called(&p->s->statement[i]);
    char name[2 * ASIF_CELL_SIZE];
    asif_format(name, sizeof name, "%s%.80s", asif_parameter_in_logs(number.parameter) ? "log " : "",
                asif_summary_symbol(&number));
    asif_label_cut(cell, name, WIDEST, p->unicode);
    asif_clean(cell);
    return cell;
}

/* ---- tables ---- */

/* Write the maximum and its standard deviation: "0.44 (0.27)". */
static const char *maximum_cell(char *cell, const asif_sensitivity_number *n) {
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    if (isnan(n->maximum))
        return "-";
    if (isnan(n->sd))
        return asif_short_number(cell, n->maximum);
    asif_format(cell, ASIF_CELL_SIZE, "%.30s (%.28s)", asif_summary_digits(a, n->maximum, 3.3 * n->sd),
                asif_summary_digits(b, n->sd, 3.3 * n->sd));
    return cell;
}

/* Add a table of the numbers from `from` on, as many as fit; returns the first that does not. */
static uint32_t add_table(asif_text *text, const page *p, const asif_sensitivity_variation *v,
                          uint32_t from) {
    for (uint32_t to = p->s->numbers;; to--) {
        asif_table table;
        char cell[ASIF_CELL_SIZE];
        asif_table_init(&table, text->context, 3 + to - from);
        asif_table_cell(&table, "value  ");
        asif_table_cell(&table, "log-lik.");
        asif_table_cell(&table, "nats worse");
        for (uint32_t i = from; i < to; i++)
            asif_table_cell(&table, head(cell, p, i));
        for (const asif_sensitivity_point *point = v->point; point < v->point + v->points; point++) {
            bool none = isnan(point->log_likelihood);
            asif_table_cellf(&table, "%.4g%s", point->value, point->given ? " *" : "  ");
            asif_table_cellf(&table, none ? "none" : "%.2f", point->log_likelihood);
            asif_table_cellf(&table, none ? "-" : "%.2f", point->nats);
            for (uint32_t i = from; i < to; i++)
                asif_table_cell(&table, maximum_cell(cell, &point->number[i]));
        }
        if (to == from + 1 || asif_table_width(&table) <= p->width) {
            asif_table_end(&table, text);
            return to;
        }
        asif_table_free(&table);
    }
}

/* Add the posterior of an end, if it was drawn, in one line. */
static void add_posterior(asif_text *text, const page *p, const asif_sensitivity_point *point) {
    asif_text words = {.context = text->context};
    char range[ASIF_CELL_SIZE], median[ASIF_CELL_SIZE], symbol[ASIF_CELL_SIZE];
    asif_text_addf(&words, "posterior at %.4g: ", point->value);
    for (uint32_t i = 0; i < p->s->numbers; i++) {
        const asif_sensitivity_number *n = &point->number[i];
        asif_text_addf(&words, "%s%s %s (%s)%s", i ? ", " : "", head(symbol, p, i),
                       asif_summary_digits(median, n->q50, n->q95 - n->q05),
                       asif_summary_range(range, n->q05, n->q95),
                       n->sign == ASIF_SIGN_UNKNOWN ? ", sign unknown" : "");
    }
    /* Weights can be trusted, or there would be chains. */
    bool weighted = isnan(point->rhat) && isfinite(point->ess);
    if (!weighted && !(point->rhat < GOOD_RHAT))
        asif_text_addf(&words, "; these chains are too short (R-hat %.2f): more --draws", point->rhat);
    asif_add_words(text, "  ", 4, &words, p->width);
}

static void add_variation(asif_text *text, const page *p, const asif_sensitivity_variation *v) {
    if (!v->name)
        return;
    asif_text_add(text, "\n");
    if (asif_is(v->name, "worlds"))
        asif_add_wordsf(
            text, "", 0, p->width,
            "worlds: the spread of the candidate worlds about the environment, as a factor (* is assumed)");
    else
        asif_add_wordsf(text, "", 0, p->width, "%s, assumed to be %.4g *", asif_parameter_word(v->name),
                        v->given);
    for (uint32_t from = 0; from < p->s->numbers;)
        from = add_table(text, p, v, from);
    for (const asif_sensitivity_point *point = v->point; point < v->point + v->points; point++) {
        if (point->drawn)
            add_posterior(text, p, point);
        if (point->why)
            asif_add_wordsf(text, "  ", 4, p->width, "No agent fits at %.4g: %s.", point->value, point->why);
    }
}

/* Add the largest changes: a row for each number, a column for each assumption. */
static void add_moves(asif_text *text, const page *p) {
    asif_table table;
    char cell[ASIF_CELL_SIZE];
    asif_text_add(text, "\nHOW FAR THE NUMBERS MOVE, in standard deviations of the posterior\n");
    asif_table_init(&table, text->context, 1 + p->s->variations);
    table.left = 1;
    asif_table_cell(&table, "");
    for (uint32_t v = 0; v < p->s->variations; v++) {
        const char *name = p->s->variation[v].name;
        asif_label_cut(cell, name ? name : "", 12, p->unicode);
        asif_clean(cell);
        asif_table_cell(&table, cell);
    }
    for (uint32_t i = 0; i < p->s->numbers; i++) {
        asif_table_cell(&table, head(cell, p, i));
        for (uint32_t v = 0; v < p->s->variations; v++)
            asif_table_cellf(&table, "%.1f", p->s->variation[v].effect[i].moved);
    }
    asif_table_end(&table, text);
}

/* ---- statements ---- */

static void add_flip(asif_text *words, const page *p, uint32_t i) {
    const asif_sensitivity_flip *flip = p->s->statement[i].flip;
    asif_text others = {.context = words->context};
    asif_sensitivity_steps(words, p->s, i);
    if (flip && flip->variation < p->s->variations)
        asif_text_addf(words, ". It passes 0 at about %s = %.4g (%.1f nats)",
                       asif_parameter_word(p->s->variation[flip->variation].name), flip->at, flip->nats);
    if (asif_sensitivity_others(&others, p->s, i))
        asif_text_addf(words, ". Other values of %s also reverse it", others.data ? others.data : "");
    words->failed |= others.failed;
    asif_text_free(&others);
}

static void add_statement(asif_text *text, const page *p, uint32_t i) {
    const asif_sensitivity_statement *k = &p->s->statement[i];
    asif_summary_number number = asif_sensitivity_called(k);
    asif_text words = {.context = text->context};
    if (k->statement == ASIF_STATEMENT_NONE)
        return;
    bool open = k->statement == ASIF_STATEMENT_OPEN;
    asif_text_add(&words, open ? "The fit leaves the sign of " : "That ");
    asif_summary_phrase(&words, &number);
    if (open)
        asif_text_add(&words, " open");
    else
        asif_text_addf(&words, " is %s 0 ", k->sign == ASIF_SIGN_POSITIVE ? "above" : "below");
    if (open && k->flip) {
        asif_text_add(&words, ", and so do other assumptions. ");
        add_flip(&words, p, i);
    } else if (k->statement == ASIF_STATEMENT_FLIPS) {
        asif_text_add(&words, "does not survive. ");
        add_flip(&words, p, i);
        asif_text_add(&words, ". These logs cannot determine the sign of ");
        asif_summary_phrase(&words, &number);
    } else if (k->statement == ASIF_STATEMENT_WEAKENS) {
        asif_text_add(&words, "survives at the maximum, but the posterior at an end leaves its sign open");
    } else if (k->statement == ASIF_STATEMENT_SURVIVES) {
        asif_text_addf(&words, "survives at every value that costs no more than %.3g nats", p->s->limit);
    }
    asif_sentence_finish(&words);
    asif_add_words(text, "  - ", 4, &words, p->width);
}

static void add_statements(asif_text *text, const page *p) {
    asif_text_add(text, "\nWHICH STATEMENTS SURVIVE\n");
    uint64_t before = text->length;
    for (uint32_t i = 0; i < p->s->numbers; i++)
        add_statement(text, p, i);
    if (text->length == before)
        asif_text_add(text, "  No estimated number can have either sign.\n");
    asif_add_wordsf(
        text, "  ", 2, p->width,
        "A sign survives if the maximum of the posterior keeps it wherever the log-likelihood is at most "
        "%.3g nats below that of the assumed value. Further away, the logs contradict the value itself.",
        p->s->limit);
}

static void tell(asif_text *text, const void *value, const asif_report_options *options) {
    page p = {.s = value, .unicode = options->unicode, .width = options->width};
    asif_add_wordsf(
        text, "", 0, p.width,
        "ASSUMPTIONS, VARIED one at a time: maximum of the posterior (and standard deviation). The "
        "log-likelihood is %.2f at the assumed values.",
        p.s->log_likelihood);
    for (uint32_t v = 0; v < p.s->variations; v++)
        add_variation(text, &p, &p.s->variation[v]);
    add_moves(text, &p);
    add_statements(text, &p);
}

asif_status asif_report_sensitivity(char **out, const asif_context *context, const char *json,
                                    uint64_t length, const char *name, const asif_report_options *options,
                                    asif_error *error) {
    static const asif_telling telling = {"the text of a sensitivity", "asif sensitivity DIR --json",
                                         &asif_sensitivity_fields, NULL, tell};
    return asif_tell(out, context, json, length, name, options, &telling, error);
}
