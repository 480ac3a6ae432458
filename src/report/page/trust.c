/* The section on trust: the computation, the predictive checks, and what kind of claim this is. */
#include "report/page/page.h"

#include "asif/sample.h"
#include "checks/predictive_checks.h"
#include "questions/held_out/held_out_figures.h"
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

static void add_row(asif_page_rows *rows, const asif_source_fit *fit, const char *name, const char *value,
                    const char *good, const char *means) {
    const char *const cells[] = {name, value, good, means};
    asif_page_row(rows, fit, cells);
}

/* Add the diagnostics of importance weights, for points along a ridge. */
static void add_weights(asif_page_rows *rows, const asif_source_fit *fit) {
    const asif_yaml *trust = asif_yaml_part(fit->fit.root, "trust");
    /* Where draws of several worlds are pooled, each world has limits of its own, and is judged by them. */
    const asif_yaml *world = asif_yaml_part(fit->fit.root, "world");
    double worlds = asif_summary_pooled(&fit->fit);
    const char *in_each = "judged in each world";
    char cell[ASIF_CELL_SIZE];
    if (worlds > 0) {
        asif_format(cell, sizeof cell, "%.0f of %.0f", worlds - asif_yaml_value(world, "untrusted"), worlds);
        add_row(rows, fit, "worlds to be trusted", cell, "all",
                "in how many of the drawn worlds the draws can be trusted; below is the worst world");
    }
    asif_format(cell, sizeof cell, "%.2f", asif_yaml_value(trust, "khat"));
    add_row(rows, fit, "k-hat", cell, worlds > 0 ? in_each : "below 0.7",
            "how heavy the tail of the importance weights is: whether a few points count for too much");
    add_row(rows, fit, "effective sample size (Kish)",
            asif_count_text(cell, (uint64_t)fmax(0, asif_yaml_value(trust, "kish"))),
            worlds > 0 ? in_each : "1,000 or more",
            "how many draws of equal weight would be as good as the weighted points");
    add_row(rows, fit, "maxima inside", asif_yaml_flag(trust, "inside") ? "all" : "not all", "all",
            "whether points were weighed around every maximum that the search found");
}

/* Add the diagnostics of chains. */
static void add_chains(asif_page_rows *rows, const asif_source_fit *fit) {
    asif_page *page = rows->page;
    const asif_yaml *trust = asif_yaml_part(fit->fit.root, "trust");
    double rhat = asif_yaml_value(trust, "rhat"), ess = asif_yaml_value(trust, "ess"),
           ebfmi = asif_yaml_value(trust, "ebfmi");
    double chains = asif_yaml_value(asif_yaml_part(fit->fit.root, "draws"), "chains");
    char cell[ASIF_CELL_SIZE], good[ASIF_CELL_SIZE];
    asif_text of[2] = {{.context = page->context}, {.context = page->context}},
              words = {.context = page->context};
    asif_format(cell, sizeof cell, "%.*f", rhat < 1.1 ? 3 : 2, rhat);
    asif_text_addf(&words, "whether the chains agree; the worst is that of %s",
                   column_phrase(&of[0], fit, "rhat_of"));
    asif_format(good, sizeof good, "below %.2f", ASIF_GOOD_RHAT);
    add_row(rows, fit, "R-hat", isnan(rhat) ? "unknown" : cell, good, words.data ? words.data : "");
    page->html.failed |= words.failed;
    asif_text_free(&words);
    words = (asif_text){.context = page->context};
    asif_text_addf(&words, "how many independent draws would be as good; the smallest is that of %s",
                   column_phrase(&of[1], fit, "ess_of"));
    asif_format(good, sizeof good, "%.0f or more", ASIF_GOOD_ESS * chains);
    add_row(rows, fit, "effective sample size (ESS)",
            isnan(ess) ? "unknown" : asif_count_text(cell, (uint64_t)fmax(0, ess)), good,
            words.data ? words.data : "");
    if (!isnan(ebfmi)) {
        add_row(rows, fit, "divergent steps",
                asif_count_text(cell, (uint64_t)fmax(0, asif_yaml_value(trust, "divergent"))), "0",
                "steps at which the sampler lost its way");
        asif_format(cell, sizeof cell, "%.2f", ebfmi);
        asif_format(good, sizeof good, "%.1f or more", ASIF_GOOD_EBFMI);
        add_row(rows, fit, "E-BFMI", cell, good,
                "how freely the chains move between likely and unlikely values");
    } else {
        asif_format(cell, sizeof cell, "%.0f %%", 100 * asif_yaml_value(trust, "accept"));
        add_row(rows, fit, "accepted", cell, "20 to 60 %", "proposals of the sampler that were taken");
    }
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
    asif_page_point(page, fit, &words);
    asif_summary_advice(&points, &fit->fit);
    asif_html_points(&page->html, &points);
}

static void add_measures(asif_page *page) {
    static const char *const heads[] = {"measure", "group", "here", "good", "what it says"};
    asif_page_rows rows;
    asif_page_rows_begin(&rows, page, sizeof heads / sizeof *heads);
    for (uint32_t g = 0; g < page->source->fits; g++) {
        const asif_source_fit *fit = &page->source->fit[g];
        if (asif_is(fit->fit.method, "ridge"))
            add_weights(&rows, fit);
        else if (fit->fit.draws)
            add_chains(&rows, fit);
    }
    asif_page_rows_end(&rows, "How the computation went", heads, 4);
}

/* ---- checks ---- */

/* Add the families of checks. That something never happened is a small count; `why` is then left out. */
static void add_families(asif_page_rows *rows, const asif_source_fit *fit, const asif_yaml *families) {
    asif_page *page = rows->page;
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
        if (asif_yaml_flag(family, "missed"))
            asif_text_add(&words, "failed");
        else if (asif_yaml_flag(family, "judged"))
            asif_text_add(&words, "passed");
        else
            asif_text_addf(&words, "not judged%s%s", why ? ": " : "", why ? why : "");
        const char *const cells[] = {name ? name : "?", cell, words.data ? words.data : ""};
        asif_page_row(rows, fit, cells);
        page->html.failed |= words.failed;
        asif_text_free(&words);
    }
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

static const asif_yaml *families_of(const asif_source_fit *fit) {
    const asif_yaml *families = asif_yaml_list(asif_yaml_part(fit->fit.root, "checks"), "families");
    return families && families->count > 0 ? families : NULL;
}

/* Add what the checks of a fit found. */
static void add_found(asif_page *page, const asif_source_fit *fit) {
    const asif_yaml *checks = asif_yaml_part(fit->fit.root, "checks"),
                    *missed = asif_yaml_list(checks, "missed");
    asif_text words = {.context = page->context};
    const char *fault = asif_predictive_checks_fault(checks);
    if (!families_of(fit)) {
        asif_text_add(&words, "there are no predictive checks of this fit");
        asif_page_point(page, fit, &words);
        return;
    }
    bool found = missed && missed->count > 0;
    if (found && page->source->fits > 1) {
        asif_text name = {.context = page->context};
        asif_text_addf(&name, "the fitted agent differs from %s in this", fit->name);
        asif_html_sentence(&page->html, "p", &name);
    }
    if (found)
        add_misses(page, fit, missed);
    asif_text_add(&words, fault ? fault : "");
    if (fault)
        asif_page_point(page, fit, &words);
    asif_text_free(&words);
}

static void add_checks(asif_page *page) {
    static const char *const heads[] = {"check", "group", "p", "verdict"};
    asif_page_rows rows;
    double least = INFINITY, most = -INFINITY, points = NAN;
    asif_page_rows_begin(&rows, page, sizeof heads / sizeof *heads);
    for (uint32_t g = 0; g < page->source->fits; g++) {
        const asif_source_fit *fit = &page->source->fit[g];
        if (!families_of(fit))
            continue;
        add_families(&rows, fit, families_of(fit));
        const asif_yaml *rule = asif_yaml_part(asif_yaml_part(fit->fit.root, "checks"), "rule");
        least = fmin(least, asif_yaml_value(rule, "p"));
        most = fmax(most, asif_yaml_value(rule, "p"));
        points = asif_yaml_value(rule, "points");
    }
    asif_page_rows_end(&rows, "Predictive checks: does the fitted agent act as they did?", heads, 4);
    for (uint32_t g = 0; g < page->source->fits; g++)
        add_found(page, &page->source->fit[g]);
    if (!(least <= most) || isnan(points))
        return;
    char limit[ASIF_CELL_SIZE];
    if (least < most)
        asif_format(limit, sizeof limit, "%.2g to %.2g, which depends on the number of checks", least, most);
    else
        asif_format(limit, sizeof limit, "%.2g", least);
    asif_html_paragraph(
        &page->html,
        "p is the probability of a difference as large as the largest one if the fitted agent had made these "
        "decisions. The model fails a check if the difference is %.0f percentage points or more, and p is "
        "below %s.",
        100 * points, limit);
}

asif_status asif_page_trust(asif_page *page, asif_error *error) {
    (void)error;
    for (uint32_t g = 0; g < page->source->fits; g++)
        add_computation(page, &page->source->fit[g]);
    add_measures(page);
    add_checks(page);
    asif_html_paragraph(
        &page->html,
        "Even where all of this is good, the answer is \"as if\": a model that acts as they do, not a "
        "description of how they think. It is only as right as the problem that it assumes. Another problem "
        "may explain the same actions in another way.");
    if (asif_held_withheld(page->source))
        asif_html_paragraph(&page->html,
                            "Calibration, precision and recall of held-out decisions are not drawn. Together "
                            "with the counts on this page, such shares can reveal counts below %u. With "
                            "--min-cell 0, all counts are shown, and these figures are drawn.",
                            page->source->request->min_cell);
    return ASIF_OK;
}
