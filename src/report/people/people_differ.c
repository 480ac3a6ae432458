/* How people differ: the population's numbers, the kinds of people, how it was made, and the words. */
#include "report/people/people_page.h"

#include "base/text.h"
#include "render/figures/figure_numbers.h"

#include <math.h>
#include <string.h>

/* A table of the population's numbers whose names begin so. Returns whether some may not be shown. */
static bool add_numbers(asif_page *page, const char *prefix, const char *caption) {
    static const char *const heads[] = {"number", "estimate", "5 %", "95 %"};
    const asif_people_source *p = page->people;
    asif_html_table table;
    char cell[ASIF_CELL_SIZE];
    bool hidden = false, begun = false;
    for (uint32_t i = 0; i < p->population->count; i++) {
        const char *key = p->population->key[i]->text;
        asif_text name = {.context = page->context};
        if (strncmp(key, prefix, strlen(prefix)) != 0)
            continue;
        if (!asif_people_words(&name, p, key)) {
            hidden = true;
            asif_text_free(&name);
            continue;
        }
        if (!begun)
            asif_html_table_begin(&table, &page->html, caption, 4, heads, 0xe);
        begun = true;
        double low = asif_people_value(p, key, "q05"), high = asif_people_value(p, key, "q95");
        asif_html_cell_words(&table, &name);
        asif_html_cell(&table, asif_summary_digits(cell, asif_people_value(p, key, "mean"), high - low));
        asif_html_cell(&table, asif_summary_digits(cell, low, high - low));
        asif_html_cell(&table, asif_summary_digits(cell, high, high - low));
    }
    if (begun)
        asif_html_table_end(&table);
    return hidden;
}

static void add_covariates(asif_page *page) {
    const asif_people_source *p = page->people;
    const asif_yaml *list = asif_yaml_list(p->root, "covariates");
    const char *last = "";
    char cell[2][ASIF_CELL_SIZE];
    if (!list)
        return;
    asif_html_element(&page->html, "h3", "Covariates");
    if (add_numbers(page, "coef_", "How the mean changes with covariates"))
        asif_html_paragraph(
            &page->html,
            "Coefficients are not shown where they are about labels that fewer than %.0f people "
            "have.",
            (double)p->least);
    (void)add_numbers(page, "between_", "How much groups differ (standard deviations)");
    asif_html_paragraph(
        &page->html,
        "The means above are those of these people, or of groups. Standard deviations and correlations are "
        "those of people whose covariates are equal.");
    for (uint32_t i = 0; p->several && i < list->count; i++) {
        const char *column = asif_yaml_text(list->item[i], "column");
        double sd = asif_yaml_value(list->item[i], "sd");
        if (!column || isnan(sd) || strcmp(column, last) == 0 || !asif_people_shows_column(p, list->item[i]))
            continue;
        asif_html_paragraph(&page->html, "One standard deviation of %s is %s, and its mean is %s.", column,
                            asif_short_number(cell[0], sd),
                            asif_short_number(cell[1], asif_yaml_value(list->item[i], "mean")));
        last = column;
    }
}

static void add_compared(asif_page *page, const asif_yaml *compared) {
    static const char *const heads[] = {"kinds", "numbers", "log-likelihood", "BIC"};
    asif_html_table table;
    asif_html_table_begin(&table, &page->html, "How many kinds describe people best", 4, heads, 0xf);
    for (uint32_t i = 0; i < compared->count; i++) {
        const asif_yaml *one = compared->item[i];
        char cell[ASIF_CELL_SIZE];
        for (int c = 0; c < 2; c++) {
            asif_format(cell, sizeof cell, "%.0f", asif_yaml_value(one, heads[c]));
            asif_html_cell(&table, cell);
        }
        asif_format(cell, sizeof cell, "%.2f", asif_yaml_value(one, "log_likelihood"));
        asif_html_cell(&table, cell);
        asif_format(cell, sizeof cell, "%.2f", asif_yaml_value(one, "bic"));
        asif_html_cell(&table, cell);
    }
    asif_html_table_end(&table);
}

static void add_kinds(asif_page *page) {
    const asif_people_source *p = page->people;
    const asif_yaml *compared = asif_yaml_list(p->root, "kinds_compared");
    double kinds = asif_yaml_value(p->root, "kinds"), first = 1;
    char key[32], cell[ASIF_CELL_SIZE];
    if (!compared || !(kinds <= ASIF_PEOPLE_KINDS))
        return;
    asif_html_element(&page->html, "h3", "Kinds of people");
    asif_html_paragraph(&page->html, "%.0f %s these people best: this has the least BIC.", kinds,
                        kinds > 1 ? "kinds describe" : "kind describes");
    add_compared(page, compared);
    if (!(kinds > 1))
        return;
    if (!asif_people_shows_kinds(p)) {
        asif_html_paragraph(
            &page->html, "What these kinds are is not shown, since one of them has fewer than %.0f people.",
            (double)p->least);
        return;
    }
    add_numbers(page, "share_", "Shares of people");
    for (uint32_t k = 2; k <= kinds; k++) {
        asif_format(key, sizeof key, "share_kind_%u", k);
        first -= asif_people_value(p, key, "mean");
    }
    asif_html_paragraph(&page->html,
                        "Kind 1 has the rest, %s. Kinds have means of their own. Standard deviations and "
                        "correlations are those of people of one kind.",
                        asif_percent_text(cell, first));
}

asif_status asif_people_differ(asif_page *page, asif_error *error) {
    (void)error;
    if (!page->people->usable) {
        asif_html_paragraph(
            &page->html, "The population could not be fitted, so nothing is said about how people differ.");
        return ASIF_OK;
    }
    asif_html_paragraph(&page->html,
                        "As-if parameters are normally distributed over people. These are the means and the "
                        "standard deviations of that distribution, with 90 %% intervals.");
    add_numbers(page, "mean_", "Means over people");
    add_numbers(page, "sd_", "Standard deviations over people");
    add_numbers(page, "cor_", "Correlations over people");
    add_covariates(page);
    add_kinds(page);
    return ASIF_OK;
}

/* ---- how it was made ---- */

static void add_fact(asif_html_table *table, const char *name, const char *value) {
    if (!value || !*value)
        return;
    asif_html_cell(table, name);
    asif_html_cell(table, value);
}

static void add_withheld(asif_page *page) {
    const asif_people_source *p = page->people;
    uint32_t limit = asif_disclosure_limit(p->cells);
    if (limit > 0)
        asif_html_paragraph(&page->html,
                            "Small counts could identify people. Counts of people and decisions below %u are "
                            "withheld, and other counts may be ranges, so that these cannot be computed.",
                            limit);
    else
        asif_html_paragraph(&page->html, "All counts are shown, however small.");
    if (p->identify)
        asif_html_paragraph(&page->html, "Single people may be shown and named on this page.");
    else
        asif_html_paragraph(
            &page->html,
            "Nobody is named, and nobody is shown alone. People are averages over groups of at "
            "least %.0f who are next to each other in the number that is shown.",
            (double)p->least);
}

asif_status asif_people_made(asif_page *page, asif_error *error) {
    static const char *const heads[] = {"what", "value"};
    const asif_yaml *root = page->people->root, *table = asif_yaml_part(root, "table");
    asif_html_table facts;
    char cell[ASIF_CELL_SIZE];
    (void)error;
    asif_html_paragraph(&page->html, "The command was asif people. Its folder has population.json, units.csv "
                                     "with everybody, and the draws of the population.");
    asif_html_table_begin(&facts, &page->html, "Versions and sizes", 2, heads, 0);
    add_fact(&facts, "version of asif", asif_yaml_text(root, "asif"));
    add_fact(&facts, "version of asif that made this page", asif_version());
    asif_format(cell, sizeof cell, "%.0f", asif_yaml_value(table, "points"));
    add_fact(&facts, "points of the table", cell);
    asif_format(cell, sizeof cell, "%.0f", asif_yaml_value(table, "rounds"));
    add_fact(&facts, "rounds in which points were added", cell);
    asif_html_table_end(&facts);
    add_withheld(page);
    asif_page_citation(page);
    return ASIF_OK;
}

/* ---- words ---- */

static void add_word(asif_page *page, const char *term, const char *meaning) {
    asif_html_element(&page->html, "dt", term);
    asif_html_element(&page->html, "dd", meaning);
}

asif_status asif_people_glossary(asif_page *page, asif_error *error) {
    const asif_people_source *p = page->people;
    (void)error;
    asif_text_add(&page->html, "<dl>\n");
    asif_page_glossary_numbers(page);
    add_word(
        page, "Population",
        "The distribution over people that each person's parameters are taken to come from. Other software "
        "calls its numbers group-level parameters or hyper-parameters.");
    add_word(page, "Posterior",
             "What is known about a number after the logs were seen, given model and prior.");
    add_word(page, "90 % interval",
             "It contains the number with a probability of 90 %, given the data, the model and the prior.");
    add_word(
        page, "Shrinkage",
        "How much of a person's estimate is the population's: people with few decisions are drawn towards "
        "the others.");
    if (asif_yaml_list(p->root, "covariates"))
        add_word(page, "Covariate", "A property of a person, such as age, on which the mean may depend.");
    if (asif_yaml_list(p->root, "kinds_compared"))
        add_word(
            page, "BIC",
            "It measures how badly a population describes people, with a penalty for each of its numbers. "
            "The least is best.");
    if (asif_disclosure_limit(p->cells) > 0)
        add_word(
            page, "Ranges of counts",
            "Small counts could identify people, so counts may be shown as ranges such as 484 to 494. These "
            "ranges are not intervals of uncertainty.");
    asif_text_add(&page->html, "</dl>\n");
    return ASIF_OK;
}
