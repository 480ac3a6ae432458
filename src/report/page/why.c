/* The section "as if why": a paragraph in plain words, the numbers with intervals and verdicts, and what the
 * bounds cost. */
#include "base/memory.h"
#include "questions/outcomes/outcomes_brief.h"
#include "questions/sensitivity/sensitivity_text.h"
#include "render/words/ideal_names.h"
#include "report/page/page.h"
#include "report/summary/summary.h"

#include <math.h>

#define SAID 12 /* most numbers in the paragraph; the table has all */

static uint32_t said_of(const asif_source_fit *fit) {
    return fit->fit.numbers < SAID ? fit->fit.numbers : SAID;
}

/* ---- the paragraph ---- */

static bool has_verdict(const asif_summary_number *n, const char *identified) {
    return asif_is(asif_summary_limit(n) ? "limit" : n->identified, identified);
}

/* Add the names of the numbers with a verdict: "choice randomness, optimism and taste for surprise"; returns
 * their number. */
static uint32_t add_names(asif_text *words, const asif_source_fit *fit, const char *identified) {
    uint32_t count = 0, said = 0;
    for (uint32_t i = 0; i < fit->fit.numbers; i++)
        count += has_verdict(&fit->fit.number[i], identified);
    for (uint32_t i = 0; i < fit->fit.numbers && said < SAID; i++) {
        if (!has_verdict(&fit->fit.number[i], identified))
            continue;
        asif_text_add(words, said == 0 ? "" : said + 1 == count ? " and " : ", ");
        asif_summary_phrase(words, &fit->fit.number[i]);
        said++;
    }
    if (said < count)
        asif_text_addf(words, " and %u more", count - said);
    return count;
}

/* Add "They act as if A. They also act as if B." */
static void add_known(asif_text *words, const asif_source_fit *fit) {
    bool any = false;
    for (uint32_t i = 0; i < said_of(fit); i++) {
        asif_text clause = {.context = words->context};
        if (asif_why_clause(&clause, fit, &fit->fit.number[i])) {
            asif_text_addf(words, "%s%s.", any ? " It is also as if " : " They act as if ",
                           clause.data ? clause.data : "");
            any = true;
        }
        words->failed |= clause.failed;
        asif_text_free(&clause);
    }
    asif_text_add(words, any ? "" : " The data do not determine why they act as they do.");
}

static void add_open(asif_text *words, const asif_source_fit *fit) {
    for (uint32_t i = 0; i < said_of(fit); i++) {
        asif_text clause = {.context = words->context};
        if (!asif_why_clause(&clause, fit, &fit->fit.number[i]))
            asif_text_addf(words, " The data leave open %s.", clause.data ? clause.data : "");
        words->failed |= clause.failed;
        asif_text_free(&clause);
    }
}

static const struct {
    const char *verdict, *before, *after;
} weak[] = {
    {"weakly", " The data identify ",
     " only weakly. Other values, in other combinations, explain the same actions nearly as well."},
    {"limit", " The data give a limit to one side only for ", ". On the other side, the prior decides."},
    {"no", " The data say next to nothing about ", ". The estimate is about what the prior says."},
};

static void add_weak(asif_text *words, const asif_source_fit *fit) {
    for (size_t k = 0; k < sizeof weak / sizeof *weak; k++) {
        asif_text names = {.context = words->context};
        if (add_names(&names, fit, weak[k].verdict))
            asif_text_addf(words, "%s%s%s", weak[k].before, names.data ? names.data : "", weak[k].after);
        words->failed |= names.failed;
        asif_text_free(&names);
    }
}

static void add_sensitive(asif_text *words, const asif_source_fit *fit) {
    const asif_yaml *root = asif_yaml_part(fit->fit.root, "sensitivity");
    const asif_summary_number *number = NULL;
    asif_arena arena = {.context = words->context};
    asif_sensitivity_view s;
    if (asif_fields_read(&s, &arena, &asif_sensitivity_fields, root, NULL) != ASIF_OK)
        words->failed = true;
    else if (s.worst && s.worst->flips && s.worst->number < s.numbers)
        number = asif_summary_find(&fit->fit, s.statement[s.worst->number].name);
    asif_arena_free(&arena);
    if (!number)
        return;
    asif_text_add(
        words,
        " Other plausible assumptions, under which the model fits about as well, reverse the sign of ");
    asif_summary_phrase(words, number);
    asif_text_add(words, ".");
}

static void add_paragraph(asif_page *page, const asif_source_fit *fit) {
    asif_text words = {.context = page->context};
    asif_why_given(&words, fit);
    asif_html_sentence(&page->html, "p", &words);
    if (!fit->fit.trusted)
        asif_html_paragraph(&page->html, "%s",
                            "Do not rely on the numbers that follow: see \"Whether to believe it\".");
    words = (asif_text){.context = page->context};
    add_known(&words, fit);
    add_open(&words, fit);
    asif_html_sentence(&page->html, "p", &words);
    words = (asif_text){.context = page->context};
    add_weak(&words, fit);
    add_sensitive(&words, fit);
    if (fit->fit.draws)
        asif_text_add(&words, " Intervals in brackets hold 90 % of the posterior.");
    else if (!fit->fit.answered)
        asif_text_add(&words, " Intervals in brackets are of 90 %, from the curvature at the maximum.");
    else
        asif_text_add(&words, " The method gives an answer without its uncertainty.");
    asif_html_sentence(&page->html, "p", &words);
}

/* Add a paragraph on rival explanations, in place of the one on the numbers, since none of them is
 * established. */
static void add_rivals(asif_page *page, const asif_source_fit *fit) {
    asif_text words = {.context = page->context};
    asif_summary_rivals(&words, &fit->fit);
    asif_html_sentence(&page->html, "p", &words);
}

/* ---- numbers ---- */

static const char *middle_head(const asif_source_fit *fit) {
    return fit->fit.draws ? "median" : fit->fit.answered ? "answer" : "maximum";
}

static void add_cells(asif_html_table *table, const asif_source_fit *fit, const asif_summary_number *n) {
    char cell[ASIF_CELL_SIZE];
    asif_text verdict = {.context = fit->fit.context};
    asif_html_cell(table, isnan(n->q50) ? "" : asif_summary_digits(cell, n->q50, fabs(n->q95 - n->q05)));
    asif_html_cell(table, asif_summary_range(cell, n->q05, n->q95));
    asif_summary_verdict(&verdict, &fit->fit, n);
    asif_html_cell_words(table, &verdict);
}

static void add_numbers(asif_page *page, const asif_source_fit *fit) {
    const char *heads[] = {"number",        "symbol",      middle_head(fit),
                           "90 % interval", "identified?", "what it means"};
    asif_html_table table;
    asif_html_table_begin(&table, &page->html, "As if: the numbers", 6, heads, 4 | 8);
    for (uint32_t i = 0; i < fit->fit.numbers; i++) {
        const asif_summary_number *n = &fit->fit.number[i];
        char cell[ASIF_CELL_SIZE];
        asif_text meaning = {.context = page->context};
        asif_html_cell(&table, asif_summary_word(n));
        asif_html_cell(&table, asif_summary_key(cell, n, true));
        add_cells(&table, fit, n);
        asif_why_meaning(&meaning, fit, n);
        asif_html_cell_words(&table, &meaning);
    }
    asif_html_table_end(&table);
}

/* Add a table for each rival explanation (a "top": a maximum of the posterior), then whether the data
 * identify each number, whichever explanation is right. */
static void add_tops(asif_page *page, const asif_source_fit *fit) {
    const char *heads[] = {"number", "symbol", middle_head(fit), "90 % interval"};
    const char *last[] = {"number", "symbol", "identified?"};
    asif_summary_number *number = ASIF_ARRAY(page->context, fit->fit.numbers, asif_summary_number);
    asif_html_table table;
    char cell[ASIF_CELL_SIZE];
    page->html.failed |= !number;
    for (uint32_t k = 0; number && asif_summary_top(&fit->fit, k, number); k++) {
        asif_text words = {.context = page->context};
        asif_summary_top_words(&words, &fit->fit, k);
        asif_html_table_begin(&table, &page->html, words.data ? words.data : "", 4, heads, 4 | 8);
        for (uint32_t i = 0; i < fit->fit.numbers; i++) {
            const asif_summary_number *n = &number[i];
            asif_html_cell(&table, asif_summary_word(n));
            asif_html_cell(&table, asif_summary_key(cell, n, true));
            asif_html_cell(&table, asif_summary_digits(cell, n->q50, fabs(n->q95 - n->q05)));
            asif_html_cell(&table, asif_summary_range(cell, n->q05, n->q95));
        }
        asif_html_table_end(&table);
        page->html.failed |= words.failed;
        asif_text_free(&words);
    }
    asif_html_table_begin(&table, &page->html, "As if: the numbers", 3, last, 0);
    for (uint32_t i = 0; i < fit->fit.numbers; i++) {
        asif_text verdict = {.context = page->context};
        asif_html_cell(&table, asif_summary_word(&fit->fit.number[i]));
        asif_html_cell(&table, asif_summary_key(cell, &fit->fit.number[i], true));
        asif_summary_verdict(&verdict, &fit->fit, &fit->fit.number[i]);
        asif_html_cell_words(&table, &verdict);
    }
    asif_html_table_end(&table);
    asif_free(page->context, number);
}

/* ---- groups ---- */

static void add_groups(asif_page *page) {
    const asif_source *source = page->source;
    const asif_source_fit *first = &source->fit[0];
    const char *heads[] = {"number", "group", middle_head(first), "90 % interval", "identified?"};
    asif_html_table table;
    asif_html_table_begin(&table, &page->html, "As if: the numbers of the groups", 5, heads, 4 | 8);
    for (uint32_t i = 0; i < first->fit.numbers; i++)
        for (uint32_t g = 0; g < source->fits; g++) {
            const asif_summary_number *n = asif_summary_find(&source->fit[g].fit, first->fit.number[i].name);
            asif_text name = {.context = page->context};
            if (!n)
                continue;
            asif_summary_phrase(&name, n);
            asif_html_cell_words(&table, &name);
            asif_html_cell(&table, source->fit[g].name);
            add_cells(&table, &source->fit[g], n);
        }
    asif_html_table_end(&table);
}

/* Add, for each number, the groups whose intervals do not overlap that of the first group. */
static void add_apart(asif_page *page) {
    const asif_source *source = page->source;
    const asif_source_fit *first = &source->fit[0];
    asif_text points = {.context = page->context};
    for (uint32_t i = 0; i < first->fit.numbers; i++) {
        const asif_summary_number *a = &first->fit.number[i];
        asif_text words = {.context = page->context}, apart = {.context = page->context};
        uint32_t known = 0, count = 0;
        const asif_source_fit *last = first;
        for (uint32_t g = 1; g < source->fits; g++) {
            const asif_summary_number *b = asif_summary_find(&source->fit[g].fit, a->name);
            if (!b || isnan(a->q05) || isnan(b->q05))
                continue;
            known++;
            last = &source->fit[g];
            if (b->q05 > a->q95 || b->q95 < a->q05)
                asif_text_addf(&apart, "%s%s", count++ ? ", " : "", source->fit[g].name);
        }
        if (known) {
            asif_summary_phrase(&words, a);
            if (count)
                asif_text_addf(&words, ": the 90 %% intervals of %s and of %s do not overlap", first->name,
                               apart.data ? apart.data : "");
            else
                asif_text_addf(&words, ": the 90 %% intervals of %s and of %s overlap", first->name,
                               known == 1 ? last->name : "all others");
            asif_text_add_n(&points, words.data ? words.data : "", words.length + 1);
        }
        points.failed |= words.failed || apart.failed;
        asif_text_free(&words);
        asif_text_free(&apart);
    }
    asif_html_points(&page->html, &points);
    asif_html_paragraph(
        &page->html, "%s",
        first->fit.answered
            ? "Each group was fitted separately: different numbers do not mean that groups differ."
            : "Each group was fitted separately. Intervals that overlap do not mean that groups are alike, "
              "and different medians do not mean that they differ. `asif compare` estimates how much they "
              "differ.");
}

/* ---- cost of the bounds ---- */

static const asif_yaml *losses_of(const asif_source_fit *fit) {
    const asif_yaml *losses = asif_yaml_part(asif_yaml_part(fit->fit.root, "outcomes"), "losses");
    const asif_yaml *bounds = asif_yaml_part(losses, "bounds");
    return bounds && bounds->kind == ASIF_YAML_MAP && bounds->count > 0 ? losses : NULL;
}

static void add_loss(asif_page_rows *rows, const asif_source_fit *fit, const char *name,
                     const asif_yaml *loss) {
    double mean = asif_yaml_value(loss, "mean"), low = asif_yaml_value(loss, "q05"),
           high = asif_yaml_value(loss, "q95");
    char cell[2][ASIF_CELL_SIZE];
    asif_page_row(rows, fit,
                  (const char *[]){name, asif_summary_digits(cell[0], mean, high - low),
                                   asif_summary_range(cell[1], low, high)});
}

static void add_costs(asif_page *page) {
    const asif_source *source = page->source;
    bool groups = source->fits > 1, any = false;
    static const char *const heads[] = {"bound", "group", "utility lost per decision", "90 % interval"};
    asif_page_rows rows;
    for (uint32_t g = 0; g < source->fits; g++)
        any |= losses_of(&source->fit[g]) != NULL;
    if (!any)
        return;
    asif_html_element(&page->html, "h3", "What it costs");
    for (uint32_t g = 0; g < source->fits; g++) {
        asif_text words = {.context = page->context};
        if (groups)
            asif_text_addf(&words, "%s: ", source->fit[g].name);
        asif_summary_cost_words(&words, &source->fit[g].fit);
        asif_html_sentence(&page->html, "p", &words);
    }
    asif_page_rows_begin(&rows, page, 4);
    for (uint32_t g = 0; g < source->fits; g++) {
        const asif_source_fit *fit = &source->fit[g];
        const asif_yaml *losses = losses_of(fit), *bounds = asif_yaml_part(losses, "bounds");
        for (uint32_t i = 0; bounds && i < bounds->count; i++)
            add_loss(&rows, fit, asif_bound_word(bounds->key[i]->text),
                     asif_yaml_part(bounds->item[i], "per_decision"));
        if (losses)
            add_loss(&rows, fit, "all of them", asif_yaml_part(losses, "whole_per_decision"));
    }
    asif_page_rows_end(&rows, "Utility that the bounds cost", heads, 12);
    asif_html_paragraph(
        &page->html,
        "A loss is what they would gain if a bound were removed. It is a mean over all orders of "
        "removing bounds, down to an agent without bounds that knows the true world. Where it is "
        "below 0, the bound helps.");
}

asif_status asif_page_why(asif_page *page, asif_error *error) {
    const asif_source *source = page->source;
    (void)error;
    for (uint32_t g = 0; g < source->fits; g++) {
        asif_page_group(page, &source->fit[g]);
        bool rivals = source->fit[g].fit.rivals;
        (rivals ? add_rivals : add_paragraph)(page, &source->fit[g]);
        if (rivals)
            add_tops(page, &source->fit[g]);
        else if (source->fits == 1)
            add_numbers(page, &source->fit[g]);
    }
    if (source->fits > 1) {
        asif_html_element(&page->html, "h3", "Side by side");
        add_groups(page);
        add_apart(page);
        asif_page_compare_groups(page);
    }
    add_costs(page);
    return ASIF_OK;
}
