/* The head of a population's page, what people do, and what the logs cannot tell. */
#include "report/people/people_page.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "render/figures/figure_numbers.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define HEADLINES 4 /* most numbers at the top of the page */

/* Add a sentence to a list of them. */
static void add_point(asif_text *points, const char *format, ...) ASIF_PRINTF(2, 3);
static void add_point(asif_text *points, const char *format, ...) {
    va_list args;
    va_start(args, format);
    asif_text_addv(points, format, args);
    va_end(args);
    asif_text_add_n(points, "", 1);
}

/* ---- the head ---- */

static void add_count(asif_text *words, const asif_people_source *people, asif_cell_total which,
                      const char *what) {
    asif_cell cell = asif_disclosure_total(people->cells, which);
    char text[ASIF_CELL_SIZE];
    if (isnan(cell.low))
        asif_text_addf(words, "some %s", what);
    else
        asif_text_addf(words, "%s %s", asif_cell_text(text, people->cells, cell), what);
}

static void add_refusal(asif_page *page) {
    if (page->people->usable)
        return;
    asif_text_add(&page->html, "<div class=\"banner\" role=\"note\">\n<p><strong>No population.</strong> ");
    asif_html_text(&page->html, asif_people_refused(page->people));
    asif_text_add(&page->html, "</p>\n");
    asif_html_paragraph(&page->html,
                        "A larger table (--points of asif people) may help. Until then nothing is said about "
                        "how people differ.");
    asif_text_add(&page->html, "</div>\n");
}

/* A number of the population with its interval: "-0.82 (90 % interval -1.0 to -0.64)". */
static void add_estimate(asif_text *words, const asif_people_source *people, const char *key) {
    char cell[2][ASIF_CELL_SIZE];
    double low = asif_people_value(people, key, "q05"), high = asif_people_value(people, key, "q95");
    asif_text_addf(words, "%s (90 %% interval %s)",
                   asif_summary_digits(cell[0], asif_people_value(people, key, "mean"), high - low),
                   asif_summary_range(cell[1], low, high));
}

static void add_headline(asif_page *page) {
    const asif_people_source *people = page->people;
    double kinds = asif_yaml_value(people->root, "kinds");
    asif_text points = {.context = page->context};
    if (!people->usable)
        return;
    if (kinds > 1)
        add_point(&points, "%.0f kinds of people describe these decisions best.", kinds);
    for (uint32_t k = 0; k < people->numbers && k < HEADLINES; k++) {
        const asif_people_number *n = &people->number[k];
        char mean[80], sd[80];
        asif_format(mean, sizeof mean, "mean_%.60s", n->coordinate ? n->coordinate : "");
        asif_format(sd, sizeof sd, "sd_%.60s", n->coordinate ? n->coordinate : "");
        bool same = n->line && strcmp(n->line, "same") == 0;
        if (!same || kinds > 1 || isnan(asif_people_value(people, mean, "mean")))
            continue;
        asif_text_add(&points, "Over people, the mean of ");
        asif_people_name(&points, n);
        asif_text_add(&points, " is ");
        add_estimate(&points, people, mean);
        asif_text_add(&points, ". Its standard deviation is ");
        add_estimate(&points, people, sd);
        add_point(&points, ".");
    }
    asif_text_add(&page->html, "<section id=\"short\" aria-labelledby=\"short-title\">\n"
                               "<h2 id=\"short-title\">In short</h2>\n");
    asif_html_points(&page->html, &points);
    asif_text_add(&page->html, "</section>\n");
}

asif_status asif_people_header(asif_page *page, asif_error *error) {
    const char *version = asif_yaml_text(page->people->root, "asif");
    asif_text words = {.context = page->context};
    (void)error;
    add_refusal(page);
    asif_text_add(&page->html, "<h1>");
    asif_html_label(&page->html, asif_page_title(page));
    asif_text_add(&page->html, "</h1>\n");
    asif_text_add(&words, "What ");
    add_count(&words, page->people, ASIF_CELL_SUBJECTS, "decision-makers");
    asif_text_add(&words, " with ");
    add_count(&words, page->people, ASIF_CELL_DECISIONS, "decisions");
    asif_text_add(&words,
                  " say about people: what they do, and how they differ, as if why. As if, because it "
                  "describes how they act, not how they think");
    asif_html_sentence(&page->html, "p", &words);
    add_headline(page);
    asif_text_add(&page->html, "<p class=\"made\">asif ");
    asif_html_text(&page->html, version ? version : asif_version());
    asif_text_add(&page->html, "</p>\n");
    return ASIF_OK;
}

/* ---- what people do ---- */

/* How people differ in the share of an action. */
typedef struct {
    double sd;          /* of people's shares; NaN: not told */
    double least, most; /* averages over those who take it least and most often; NaN: not told */
} spread;

/* Whether every group has enough decisions with the action, and enough without. */
static bool is_enough(const asif_people_source *p, uint32_t action, const uint64_t *order, uint64_t groups,
                      uint64_t known) {
    uint32_t actions = p->actions->count, limit = asif_disclosure_limit(p->cells);
    for (uint64_t g = 0; g < groups; g++) {
        asif_people_group group = asif_people_group_of(groups, known, g);
        double with = 0, all = 0;
        for (uint64_t i = group.from; i < group.to; i++) {
            with += p->taken[order[i] * actions + action];
            all += p->decisions[order[i]];
        }
        if (with < limit || all - with < limit)
            return false;
    }
    return true;
}

static void measure(spread *out, const asif_people_source *p, uint32_t action, const uint64_t *order,
                    uint64_t groups, uint64_t known, const double *share) {
    double mean = asif_people_average(share, order, (asif_people_group){0, known}), square = 0;
    for (uint64_t i = 0; i < known; i++)
        square += (share[order[i]] - mean) * (share[order[i]] - mean);
    while (groups > 1 && !is_enough(p, action, order, groups, known))
        groups--;
    out->sd = sqrt(square / (double)known);
    if (groups < 2)
        return;
    out->least = asif_people_average(share, order, asif_people_group_of(groups, known, 0));
    out->most = asif_people_average(share, order, asif_people_group_of(groups, known, groups - 1));
}

/* Shares of people are told only where the counts of all actions are: otherwise they would tell those. */
static asif_status find_spread(spread *out, const asif_people_source *p, uint32_t action, asif_error *error) {
    asif_cell all = asif_disclosure_total(p->cells, ASIF_CELL_DECISIONS);
    uint64_t *order = NULL, groups = 0, known = 0;
    *out = (spread){NAN, NAN, NAN};
    if (!p->several || p->people == 0 || isnan(all.low) || all.low != all.high)
        return ASIF_OK;
    double *share = ASIF_ARRAY(p->context, p->people, double);
    if (!share)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < p->people; i++)
        share[i] = p->taken[i * p->actions->count + action] / p->decisions[i];
    asif_status status = asif_people_divide(&order, &groups, &known, p, share, error);
    if (status == ASIF_OK && known >= p->least)
        measure(out, p, action, order, groups, known, share);
    asif_free(p->context, order);
    asif_free(p->context, share);
    return status;
}

static void add_percent(asif_html_table *table, double share) {
    char cell[ASIF_CELL_SIZE];
    asif_html_cell(table, isnan(share) ? "" : asif_percent_text(cell, share));
}

static asif_status add_actions(asif_page *page, bool *differ, asif_error *error) {
    static const char *const heads[] = {"action", "share", "differs by", "least", "most"};
    const asif_people_source *p = page->people;
    asif_html_table table;
    asif_status status = ASIF_OK;
    char cell[ASIF_CELL_SIZE];
    asif_html_table_begin(&table, &page->html, "How often each action is taken", 5, heads, 0x1e);
    for (uint32_t u = 0; u < p->actions->count; u++) {
        spread own = {NAN, NAN, NAN};
        if (status == ASIF_OK)
            status = find_spread(&own, p, u, error);
        asif_html_cell(&table, p->actions->key[u]->text);
        asif_html_cell(&table, asif_share_text(cell, asif_disclosure_action(p->cells, 0, u),
                                               asif_disclosure_history(p->cells, 0)));
        add_percent(&table, own.sd);
        add_percent(&table, own.least);
        add_percent(&table, own.most);
        *differ |= !isnan(own.sd);
    }
    asif_html_table_end(&table);
    return status;
}

/* What the columns of the table of actions are. */
static void add_columns(asif_page *page) {
    const asif_people_source *p = page->people;
    asif_html_paragraph(&page->html, "The share is that of all decisions. What it differs by is the standard "
                                     "deviation of people's own shares.");
    if (p->identify)
        asif_html_paragraph(&page->html,
                            "Least and most are the shares of those who take the action least and "
                            "most often, a person or a group of people.");
    else
        asif_html_paragraph(
            &page->html,
            "Least and most are averages over at least %.0f people: those who take the action "
            "least and most often.",
            (double)p->least);
}

asif_status asif_people_did(asif_page *page, asif_error *error) {
    const asif_people_source *p = page->people;
    asif_text words = {.context = page->context};
    bool differ = false;
    add_count(&words, p, ASIF_CELL_SUBJECTS, "decision-makers");
    asif_text_add(&words, " made ");
    add_count(&words, p, ASIF_CELL_DECISIONS, "decisions");
    asif_html_sentence(&page->html, "p", &words);
    if (asif_figure_pairs(p->actions) == 0) {
        asif_html_paragraph(&page->html, "The folder does not say which actions were taken.");
        return ASIF_OK;
    }
    ASIF_TRY(add_actions(page, &differ, error));
    if (!differ)
        asif_html_paragraph(&page->html, "How much people differ in this is not shown: %s.",
                            p->usable ? "people or decisions are too few"
                                      : "that is known only where the population could be fitted");
    else
        add_columns(page);
    return ASIF_OK;
}

/* ---- what the logs cannot tell ---- */

static void add_table_error(asif_text *points, const asif_people_source *p) {
    const asif_yaml *table = asif_yaml_part(p->root, "table");
    const char *worst = asif_yaml_text(table, "worst");
    asif_text name = {.context = p->context};
    char cell[2][ASIF_CELL_SIZE];
    double left_out = asif_people_count(table, "left_out"), error = asif_yaml_value(table, "worst_error");
    double all = asif_people_count(table, "points"), effective = asif_people_count(table, "effective");
    if (all >= 0 && effective >= 0)
        add_point(points, "Agents were solved at %s points, of which %s are effective for the population.",
                  asif_count_text(cell[0], (uint64_t)all),
                  asif_count_text(cell[1], (uint64_t)rint(effective)));
    if (!isnan(error)) {
        bool named = worst && strncmp(worst, "coef_", 5) != 0 && asif_people_words(&name, p, worst);
        add_point(points,
                  "The error of this table of points is at most %.2g posterior standard deviations%s%s. It "
                  "does not become smaller with more people%s.",
                  error, named && name.data ? ", in " : "", named && name.data ? name.data : "",
                  p->usable ? ", and is part of every interval" : "");
    }
    if (left_out > 0)
        add_point(points,
                  "%.0f draws of the population are left out, since too few points are effective for "
                  "them.",
                  left_out);
    points->failed |= name.failed;
    asif_text_free(&name);
}

static void add_served(asif_text *points, const asif_people_source *p) {
    double units = asif_people_count(p->root, "units"), sampled = asif_people_count(p->root, "units_sampled"),
           bad = units - asif_people_count(p->root, "units_served");
    asif_cell cell = asif_disclosure_count(p->cells, bad);
    char text[ASIF_CELL_SIZE];
    if (cell.low == 0 && cell.high == 0)
        add_point(points, "The posteriors of all people are accurate.");
    else
        add_point(
            points,
            "Posteriors of people that are not accurate, since too few points of the table are effective "
            "for them: %s%s.",
            asif_cell_text(text, p->cells, cell), cell.few ? ", perhaps none" : "");
    if (sampled < units)
        add_point(points, "The population was fitted to a random sample of %s people.",
                  asif_cell_text(text, p->cells, asif_disclosure_count(p->cells, sampled)));
}

static void add_shrinkage(asif_page *page) {
    static const char *const heads[] = {"number", "differs by", "uncertain by", "shrinkage"};
    const asif_people_source *p = page->people;
    asif_html_table table;
    char cell[ASIF_CELL_SIZE];
    asif_html_table_begin(&table, &page->html, "How much of each person's estimate is the population's", 4,
                          heads, 0xe);
    for (uint32_t k = 0; k < p->numbers; k++) {
        const asif_people_number *n = &p->number[k];
        asif_text name = {.context = page->context};
        asif_people_name(&name, n);
        asif_html_cell_words(&table, &name);
        asif_html_cell(&table, asif_short_number(cell, n->between));
        asif_html_cell(&table, asif_short_number(cell, n->within));
        asif_html_cell(&table, asif_percent_text(cell, asif_people_share(n, n->within)));
    }
    asif_html_table_end(&table);
    asif_html_paragraph(
        &page->html,
        "People's estimates differ by a standard deviation, and each is uncertain by another. Shrinkage "
        "is the posterior variance of a person, divided by the variance of people. "
        "Near zero the logs say nearly everything about a person. Near 100 %% they say nearly "
        "nothing, and the estimate is the population's.");
    for (uint32_t k = 0; k < p->numbers; k++)
        if (p->number[k].within > p->number[k].between) {
            asif_text words = {.context = page->context};
            asif_text_add(&words, "The logs say little about single people's ");
            asif_people_name(&words, &p->number[k]);
            asif_text_add(&words, ": it is more uncertain than it differs");
            asif_html_sentence(&page->html, "p", &words);
        }
}

asif_status asif_people_cannot(asif_page *page, asif_error *error) {
    const asif_people_source *p = page->people;
    asif_text points = {.context = page->context};
    (void)error;
    if (!p->usable)
        asif_html_paragraph(&page->html, "%s", asif_people_refused(p));
    add_table_error(&points, p);
    if (p->usable) {
        add_served(&points, p);
        add_point(&points,
                  "No population is narrower than a twentieth of the prior: where people hardly differ, "
                  "read its standard deviation as \"they differ by at most\".");
    }
    if (p->usable && asif_yaml_list(p->root, "covariates"))
        add_point(&points,
                  "A coefficient of a covariate describes these people. It does not say what would happen "
                  "if somebody's covariate changed.");
    asif_html_points(&page->html, &points);
    if (p->usable && p->several)
        add_shrinkage(page);
    else if (p->usable)
        asif_html_paragraph(&page->html, "People are too few for anything about their single estimates.");
    return ASIF_OK;
}
