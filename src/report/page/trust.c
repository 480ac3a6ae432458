/* The section on trust: the computation, the predictive checks, and what kind of claim this is. */
#include "report/page/page.h"

#include "asif/sample.h"
#include "checks/predictive_checks.h"
#include "questions/predict/predictive_checks_text.h"

#include <math.h>
#include <string.h>

static const char *column_phrase(asif_text *words, const asif_source_fit *fit, const char *key) {
    const asif_yaml *trust = asif_yaml_part(fit->fit.root, "trust");
    const asif_summary_number *number = asif_summary_find(&fit->fit, asif_yaml_text(trust, key));
    if (number)
        asif_summary_phrase(words, number);
    return words->data ? words->data : "";
}

static void add_row(asif_html_table *table, const char *name, const char *value, const char *good,
                    const char *means) {
    asif_html_cell(table, name);
    asif_html_cell(table, value);
    asif_html_cell(table, good);
    asif_html_cell(table, means);
}

/* Add the diagnostics of importance weights, for points along a ridge. */
static void add_weights(asif_page *page, const asif_source_fit *fit) {
    static const char *const heads[] = {"measure", "here", "good", "what it says"};
    const asif_yaml *trust = asif_yaml_part(fit->fit.root, "trust");
    /* Where draws of several worlds are pooled, each world has limits of its own, and is judged by them. */
    const asif_yaml *world = asif_yaml_part(fit->fit.root, "world");
    double worlds = asif_summary_pooled(&fit->fit);
    const char *in_each = "judged in each world";
    char cell[ASIF_CELL_SIZE];
    asif_html_table table;
    asif_html_table_begin(&table, &page->html, "How the computation went", 4, heads, 2);
    if (worlds > 0) {
        asif_format(cell, sizeof cell, "%.0f of %.0f", worlds - asif_yaml_value(world, "untrusted"), worlds);
        add_row(&table, "worlds to be trusted", cell, "all",
                "in how many of the drawn worlds the draws can be trusted; below is the worst world");
    }
    asif_format(cell, sizeof cell, "%.2f", asif_yaml_value(trust, "khat"));
    add_row(&table, "k-hat", cell, worlds > 0 ? in_each : "below 0.7",
            "how heavy the tail of the importance weights is: whether a few points count for too much");
    add_row(&table, "Kish's number", asif_count_text(cell, (uint64_t)fmax(0, asif_yaml_value(trust, "kish"))),
            worlds > 0 ? in_each : "1,000 or more",
            "how many draws of equal weight the weighted points equal");
    add_row(&table, "maxima inside", asif_yaml_flag(trust, "inside") ? "all" : "not all", "all",
            "whether points were weighed around every maximum that the search found");
    asif_html_table_end(&table);
}

/* Add the diagnostics of chains. */
static void add_chains(asif_page *page, const asif_source_fit *fit) {
    static const char *const heads[] = {"measure", "here", "good", "what it says"};
    const asif_yaml *trust = asif_yaml_part(fit->fit.root, "trust");
    double rhat = asif_yaml_value(trust, "rhat"), ess = asif_yaml_value(trust, "ess"),
           ebfmi = asif_yaml_value(trust, "ebfmi");
    double chains = asif_yaml_value(asif_yaml_part(fit->fit.root, "draws"), "chains");
    char cell[ASIF_CELL_SIZE], good[ASIF_CELL_SIZE];
    asif_text of[2] = {{.context = page->context}, {.context = page->context}},
              words = {.context = page->context};
    asif_html_table table;
    asif_html_table_begin(&table, &page->html, "How the computation went", 4, heads, 2);
    asif_format(cell, sizeof cell, "%.*f", rhat < 1.1 ? 3 : 2, rhat);
    asif_text_addf(&words, "whether the chains agree; the worst is that of %s",
                   column_phrase(&of[0], fit, "rhat_of"));
    asif_format(good, sizeof good, "below %.2f", ASIF_GOOD_RHAT);
    add_row(&table, "R-hat", isnan(rhat) ? "unknown" : cell, good, words.data ? words.data : "");
    page->html.failed |= words.failed;
    asif_text_free(&words);
    words = (asif_text){.context = page->context};
    asif_text_addf(&words, "how many independent draws would be as good; the smallest is that of %s",
                   column_phrase(&of[1], fit, "ess_of"));
    asif_format(good, sizeof good, "%.0f or more", ASIF_GOOD_ESS * chains);
    add_row(&table, "ESS", isnan(ess) ? "unknown" : asif_count_text(cell, (uint64_t)fmax(0, ess)), good,
            words.data ? words.data : "");
    if (!isnan(ebfmi)) {
        add_row(&table, "divergent steps",
                asif_count_text(cell, (uint64_t)fmax(0, asif_yaml_value(trust, "divergent"))), "0",
                "steps at which the sampler lost its way");
        asif_format(cell, sizeof cell, "%.2f", ebfmi);
        asif_format(good, sizeof good, "%.1f or more", ASIF_GOOD_EBFMI);
        add_row(&table, "E-BFMI", cell, good,
                "how freely the chains move between likely and unlikely values");
    } else {
        asif_format(cell, sizeof cell, "%.0f %%", 100 * asif_yaml_value(trust, "accept"));
        add_row(&table, "accepted", cell, "20 to 60 %", "proposals of the sampler that were taken");
    }
    asif_html_table_end(&table);
    page->html.failed |= words.failed || of[0].failed || of[1].failed;
    asif_text_free(&words);
    asif_text_free(&of[0]);
    asif_text_free(&of[1]);
}

static void add_computation(asif_page *page, const asif_source_fit *fit) {
    asif_text points = {.context = page->context}, words = {.context = page->context};
    if (fit->fit.draws) {
        asif_text_add(
            &words,
            fit->fit.sound && asif_is(fit->fit.method, "ridge")
                ? "The computation can be trusted: the importance weights are even, and there are enough "
                  "draws "
                  "for the intervals"
            : fit->fit.sound
                ? "The computation can be trusted: the chains agree, and there are enough draws for the "
                  "intervals"
                : "The computation cannot be trusted, and so neither can the numbers on this page");
    } else {
        asif_text_add(&words, fit->fit.sound ? "The search for the answer can be trusted: "
                                             : "The search for the answer cannot be trusted: ");
        asif_summary_searched(&words, &fit->fit);
    }
    asif_html_sentence(&page->html, "p", &words);
    asif_summary_advice(&points, &fit->fit);
    asif_html_points(&page->html, &points);
    if (asif_is(fit->fit.method, "ridge"))
        add_weights(page, fit);
    else if (fit->fit.draws)
        add_chains(page, fit);
}

/* ---- checks ---- */

/* Add the families of checks. That something never happened is a small count; `why` is then left out. */
static void add_families(asif_page *page, const asif_yaml *families) {
    static const char *const heads[] = {"looked at", "p", "verdict"};
    asif_html_table table;
    asif_html_table_begin(&table, &page->html, "Predictive checks: does the fitted agent act as they did?", 3,
                          heads, 2);
    for (uint32_t f = 0; f < families->count; f++) {
        const asif_yaml *family = families->item[f];
        const char *name = asif_predictive_checks_family(asif_yaml_text(family, "name"));
        const char *why = asif_yaml_text(family, "why");
        bool coded = family->kind == ASIF_YAML_MAP &&
                     asif_yaml_get(family, "why_code"); /* fits without codes may reveal anything */
        if (page->source->request->min_cell > 0 &&
            (!coded || asif_is(asif_yaml_text(family, "why_code"), ASIF_CHECK_ONE_FOLLOWED)))
            why = NULL;
        double p = asif_yaml_value(family, "p");
        char cell[ASIF_CELL_SIZE] = "";
        asif_text words = {.context = page->context};
        if (!isnan(p))
            asif_format(cell, sizeof cell, p < 0.01 ? "%.3f" : "%.2f", p);
        asif_html_cell(&table, name ? name : "?");
        asif_html_cell(&table, cell);
        if (asif_yaml_flag(family, "missed"))
            asif_text_add(&words, "missed");
        else if (asif_yaml_flag(family, "judged"))
            asif_text_add(&words, "passed");
        else
            asif_text_addf(&words, "not judged%s%s", why ? ": " : "", why ? why : "");
        asif_html_cell_words(&table, &words);
    }
    asif_html_table_end(&table);
}

bool asif_page_tells(const asif_source_fit *fit, const asif_yaml *miss) {
    double count = asif_yaml_value(miss, "count");
    return isnan(count) || count >= asif_disclosure_limit(fit->cells);
}

/* Add the failed checks, of each family only the worst: the others mostly show the same failure. */
static void add_misses(asif_page *page, const asif_source_fit *fit, const asif_yaml *missed) {
    asif_text points = {.context = page->context};
    for (uint32_t i = 0; i < missed->count; i++) {
        const char *family = asif_yaml_text(missed->item[i], "family");
        bool told = !asif_page_tells(fit, missed->item[i]);
        for (uint32_t k = 0; k < i; k++)
            told |= family && asif_page_tells(fit, missed->item[k]) &&
                    asif_is(asif_yaml_text(missed->item[k], "family"), family);
        if (told)
            continue;
        asif_text words = {.context = page->context};
        asif_predictive_checks_told(&words, &fit->fit, missed->item[i]);
        asif_text_add_n(&points, words.data ? words.data : "", words.length + 1);
        points.failed |= words.failed;
        asif_text_free(&words);
    }
    asif_html_points(&page->html, &points);
}

static void add_checks(asif_page *page, const asif_source_fit *fit) {
    const asif_yaml *checks = asif_yaml_part(fit->fit.root, "checks"),
                    *families = asif_yaml_list(checks, "families"),
                    *missed = asif_yaml_list(checks, "missed"), *rule = asif_yaml_part(checks, "rule");
    if (!families || families->count == 0) {
        asif_html_paragraph(&page->html, "There are no predictive checks of this fit.");
        return;
    }
    add_families(page, families);
    if (missed && missed->count > 0)
        add_misses(page, fit, missed);
    const char *fault = asif_predictive_checks_fault(checks);
    asif_text words = {.context = page->context};
    asif_text_add(&words, fault ? fault : "");
    if (fault)
        asif_html_sentence(&page->html, "p", &words);
    asif_text_free(&words);
    double p = asif_yaml_value(rule, "p"), points = asif_yaml_value(rule, "points");
    if (!isnan(p) && !isnan(points))
        asif_html_paragraph(
            &page->html,
            "p is the chance of a difference as large as the largest one if the fitted agent had made these "
            "decisions. Missed is what has p below %.2g and differs by %.0f percentage points or more.",
            p, 100 * points);
}

asif_status asif_page_trust(asif_page *page, asif_error *error) {
    (void)error;
    for (uint32_t g = 0; g < page->source->fits; g++) {
        const asif_source_fit *fit = &page->source->fit[g];
        asif_page_group(page, fit);
        add_computation(page, fit);
        add_checks(page, fit);
    }
    asif_html_paragraph(
        &page->html,
        "Even where all of this is good, the answer is \"as if\": a model that acts as they do, not a "
        "description of how they think. It is only as right as the problem that it assumes. Another problem "
        "may explain the same actions in another way.");
    return ASIF_OK;
}
