/* Whether the computation of a fit can be trusted, and what to do where it cannot. */
#include "asif/sample.h"
#include "render/words/fit_numbers.h"
#include "render/words/sentences.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const asif_yaml *asif_predictive_checks_subjects(const asif_yaml *checks) {
    const asif_yaml *list = asif_yaml_list(checks, "families");
    for (uint32_t f = 0; list && f < list->count; f++)
        if (asif_is(asif_yaml_text(list->item[f], "name"), "subjects"))
            return asif_yaml_flag(list->item[f], "missed") ? list->item[f] : NULL;
    return NULL;
}

static void add_of(asif_text *words, const asif_summary *summary, const asif_yaml *trust, const char *key) {
    const asif_summary_number *number = asif_summary_find(summary, asif_yaml_text(trust, key));
    if (number && !summary->sound) {
        asif_text_add(words, " (");
        asif_summary_phrase(words, number);
        asif_text_add(words, ")");
    }
}

double asif_summary_pooled(const asif_summary *summary) {
    return fmax(0, asif_yaml_value(asif_yaml_part(summary->root, "world"), "worlds"));
}

static void add_weights(asif_text *words, const asif_summary *summary, const asif_yaml *trust) {
    const char *dot = summary->unicode ? " \xc2\xb7 " : ", ";
    char kish[ASIF_CELL_SIZE], evaluations[ASIF_CELL_SIZE];
    asif_text_addf(words, "k-hat %.2f%seffective sample size (Kish) %s%s%s evaluations",
                   asif_yaml_value(trust, "khat"), dot,
                   asif_count_text(kish, (uint64_t)fmax(0, asif_yaml_value(trust, "kish"))), dot,
                   asif_count_text(evaluations, (uint64_t)fmax(0, asif_yaml_value(trust, "evaluations"))));
    if (asif_summary_pooled(summary) > 0)
        asif_text_addf(words, " (the worst of %.0f worlds)", asif_summary_pooled(summary));
}

static void add_figures(asif_text *words, const asif_summary *summary, const asif_yaml *trust) {
    const char *dot = summary->unicode ? " \xc2\xb7 " : ", ";
    double rhat = asif_yaml_value(trust, "rhat"), ess = asif_yaml_value(trust, "ess");
    double divergent = asif_yaml_value(trust, "divergent"), ebfmi = asif_yaml_value(trust, "ebfmi");
    char cell[ASIF_CELL_SIZE];
    if (isnan(rhat))
        asif_text_add(words, "R-hat unknown");
    else
        asif_text_addf(words, "R-hat %.*f", rhat < 1.1 ? 3 : 2, rhat);
    add_of(words, summary, trust, "rhat_of");
    asif_text_addf(words, "%seffective sample size (ESS) %s", dot,
                   isnan(ess) ? "unknown" : asif_count_text(cell, (uint64_t)fmax(0, ess)));
    add_of(words, summary, trust, "ess_of");
    if (!isnan(ebfmi))
        asif_text_addf(words, "%s%s divergent steps%sE-BFMI %.2f", dot,
                       asif_count_text(cell, (uint64_t)fmax(0, divergent)), dot, ebfmi);
    else
        asif_text_addf(words, "%s%.0f %% of steps accepted", dot, 100 * asif_yaml_value(trust, "accept"));
}

static const char diverged[] =
    "Some steps diverged: a narrow part of the posterior may not have been explored. Try --target-accept "
    "0.99, or priors that rule out impossible values.";

/* Advice on draws of several worlds, some of which cannot be trusted. */
static void add_worlds_advice(asif_text *points, const asif_summary *summary) {
    const asif_yaml *world = asif_yaml_part(summary->root, "world");
    double untrusted = asif_yaml_value(world, "untrusted"), rivals = asif_yaml_value(world, "rivals");
    asif_text words = {.context = summary->context};
    asif_text_addf(&words, "Of %.0f worlds, the draws of %.0f cannot be trusted",
                   asif_summary_pooled(summary), untrusted);
    if (rivals > 0)
        asif_text_addf(&words, ", and %.0f have rival explanations", rivals);
    asif_text_add(&words, ". They count all the same");
    asif_sentence_take(points, &words);
}

/* Advice on weighted points that cannot be trusted. */
static void add_weights_advice(asif_text *points, const asif_summary *summary) {
    const asif_yaml *trust = asif_yaml_part(summary->root, "trust");
    if (asif_summary_pooled(summary) > 0) {
        add_worlds_advice(points, summary);
        return;
    }
    if (!(asif_yaml_value(trust, "khat") < ASIF_GOOD_KHAT))
        asif_sentence_add(points,
                          "A few weighted points count for too much (k-hat is 0.7 or more): the posterior "
                          "is wider than the ridge that was followed. Use --method nuts.");
    if (!(asif_yaml_value(trust, "kish") >= ASIF_GOOD_KISH))
        asif_sentence_add(points,
                          "The effective sample size is below 1,000, which is too small. Use --method nuts.");
    if (!asif_yaml_flag(trust, "inside"))
        asif_sentence_add(points,
                          "A maximum, or the end of a ridge, lies outside the points that were weighed. Use "
                          "--method nuts.");
    if (asif_yaml_value(asif_yaml_part(summary->root, "draws"), "draws") < ASIF_GOOD_ESS)
        asif_sentence_add(points,
                          "There are too few draws for the ends of the intervals. Draw more (--draws).");
}

/* Advice on draws that cannot be trusted. */
static void add_advice(asif_text *points, const asif_summary *summary, const asif_yaml *trust) {
    const asif_yaml *draws = asif_yaml_part(summary->root, "draws");
    double rhat = asif_yaml_value(trust, "rhat"), ess = asif_yaml_value(trust, "ess");
    double chains = asif_yaml_value(draws, "chains"), ebfmi = asif_yaml_value(trust, "ebfmi");
    bool published = asif_is(summary->method, "published");
    if (asif_is(summary->method, "ridge")) {
        add_weights_advice(points, summary);
        return;
    }
    if (!(rhat < ASIF_GOOD_RHAT))
        asif_sentence_add(
            points,
            published
                ? "The chain has not converged: its parts disagree. A fit without --method has a "
                  "proper prior."
                : "The chains disagree: they have not converged, or there are two explanations and each "
                  "chain found one. Run longer chains (--warmup, --draws).");
    if (!(ess >= ASIF_GOOD_ESS * chains))
        asif_sentence_add(points,
                          "The effective sample size is too small for the ends of the intervals. Draw more "
                          "(--draws).");
    if (asif_yaml_value(trust, "divergent") > 0)
        asif_sentence_add(points, diverged);
    if (ebfmi < ASIF_GOOD_EBFMI)
        asif_sentence_add(points,
                          "The chains move too slowly between likely and unlikely values (E-BFMI). Use a "
                          "longer --warmup, or narrower priors.");
}

/* Advice on rival explanations: what could decide between them. */
static void add_rivals(asif_text *points, const asif_summary *summary) {
    double rhat = asif_yaml_value(asif_yaml_part(summary->root, "trust"), "rhat");
    asif_text words = {.context = summary->context};
    asif_summary_rivals(&words, summary);
    asif_sentence_take(points, &words);
    asif_sentence_add(points,
                      "Other data may decide between them. So may an assumption that rules one out: a known "
                      "sign, or a prior from another source.");
    if (asif_is(summary->method, "ridge"))
        add_weights_advice(points, summary);
    else if (summary->draws && !(rhat < ASIF_GOOD_RHAT))
        asif_sentence_add(points,
                          "The chains of one explanation have not converged. Run longer chains (--warmup, "
                          "--draws).");
}

/* Add each doubt once, however many numbers it is about. */
static void add_doubts(asif_text *points, const asif_summary *summary) {
    for (uint32_t i = 0; i < summary->numbers; i++) {
        const char *doubt = summary->number[i].doubt, *sentence = asif_summary_doubt(doubt, true);
        for (uint32_t k = 0; sentence && k < i; k++)
            if (asif_is(summary->number[k].doubt, doubt))
                sentence = NULL;
        if (sentence)
            asif_sentence_add(points, sentence);
    }
    bool told = summary->numbers == 0 || asif_is(summary->number[0].doubt, "subjects");
    if (!told && asif_predictive_checks_subjects(asif_yaml_part(summary->root, "checks")))
        asif_sentence_add(points, asif_summary_doubt("subjects", true));
}

void asif_summary_advice(asif_text *points, const asif_summary *summary) {
    const asif_yaml *trust = asif_yaml_part(summary->root, "trust");
    add_doubts(points, summary);
    if (summary->rivals)
        add_rivals(points, summary);
    else if (!summary->draws && !summary->sound)
        asif_sentence_add(points,
                          "There may be a higher maximum elsewhere. Search from more points (--starts).");
    else if (!summary->sound)
        add_advice(points, summary, trust);
    else if (summary->draws && asif_yaml_value(trust, "divergent") > 0)
        asif_sentence_add(
            points, "A few steps diverged, too few to discredit the rest. --target-accept 0.99 avoids them.");
}

void asif_summary_searched(asif_text *words, const asif_summary *summary) {
    const asif_yaml *maximum = asif_yaml_part(summary->root, "maximum");
    double starts = asif_yaml_value(maximum, "starts"), agree = asif_yaml_value(maximum, "agree");
    if (summary->answered && starts == 1)
        asif_text_addf(words, "the solver of %s found the answer", summary->answered);
    else
        asif_text_addf(words, "%.0f of %.0f starts reached the same maximum", agree, starts);
}

/* Add why the method `auto` chose this method. */
static void add_choice(asif_text *words, const asif_summary *summary) {
    const asif_yaml *tried = asif_yaml_part(summary->root, "tried");
    double khat = asif_yaml_value(tried, "khat");
    if (!asif_is(asif_yaml_text(summary->root, "requested"), "auto"))
        return;
    asif_text_add(words, ". It was chosen because ");
    if (asif_is(summary->method, "ridge"))
        asif_text_add(words, "its weights can be trusted");
    else if (asif_is(summary->method, "metropolis"))
        asif_text_add(words, "the planner has no gradients, which the other methods need");
    else if (!asif_yaml_text(tried, "method"))
        asif_text_add(words, "there are too many parameters for the method ridge");
    else if (!isfinite(khat))
        asif_text_add(words, "the method ridge found no ridge to follow");
    else if (!asif_yaml_flag(tried, "inside"))
        asif_text_add(words, "a maximum, or the end of a ridge, lies outside the points of the method ridge");
    else
        asif_text_addf(words,
                       "the weights of the method ridge cannot be trusted (k-hat %.2f, effective sample size "
                       "%.0f)",
                       khat, asif_yaml_value(tried, "kish"));
}

void asif_summary_method(asif_text *words, const asif_summary *summary) {
    const asif_yaml *draws = asif_yaml_part(summary->root, "draws");
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    if (summary->draws) {
        double chains = asif_yaml_value(draws, "chains"), thin = asif_yaml_value(draws, "thin");
        asif_text_addf(words, "Method %s: %.0f chain%s of %s draws", summary->method, chains,
                       chains == 1 ? "" : "s",
                       asif_count_text(a, (uint64_t)fmax(0, asif_yaml_value(draws, "draws"))));
        if (thin > 1)
            asif_text_addf(words, " (one in %.0f steps)", thin);
        if (asif_is(summary->method, "ridge"))
            asif_text_add(words, ", resampled from weighted points");
        else
            asif_text_addf(words, " after %s steps of warm-up",
                           asif_count_text(b, (uint64_t)fmax(0, asif_yaml_value(draws, "warmup"))));
        asif_text_addf(words, ", seed %.0f", asif_yaml_value(draws, "seed"));
        add_choice(words, summary);
    } else if (summary->answered) {
        asif_text_addf(words, "The answer of %s", summary->answered);
    } else {
        asif_text_addf(words, "%s",
                       asif_is(summary->method, "ml") ? "Method ml: maximum of the likelihood"
                                                      : "Method map: maximum of the posterior");
    }
}

/* Add which lattice of beliefs was chosen, and why. */
static void add_lattice(asif_text *words, const asif_summary *summary) {
    const asif_yaml *solver = asif_yaml_part(summary->root, "solver"),
                    *weights = asif_yaml_part(solver, "weights");
    double resolution = asif_yaml_value(solver, "resolution"),
           error = asif_yaml_value(solver, "lattice_error");
    char cell[ASIF_CELL_SIZE];
    if (isnan(error))
        return;
    if (weights)
        asif_text_addf(
            words,
            ". Draws were found on a lattice of beliefs with %.0f intervals on an edge, and weighted on one "
            "with %.0f, which moved means by at most %.2f standard deviations. All else is "
            "computed on the coarser lattice",
            resolution, asif_yaml_value(weights, "resolution"), asif_yaml_value(weights, "moved"));
    else
        asif_text_addf(words, ". The lattice of beliefs has %.0f intervals on an edge", resolution);
    asif_text_addf(words, ". The %slattice changes the log-likelihood by about %s nats",
                   weights ? "finer " : "", asif_short_number(cell, error));
}

/* Add the log-likelihoods of the fitted agent on other lattices than its own, which is the first. */
static void add_lattices(asif_text *words, const asif_summary *summary) {
    const asif_yaml *list = asif_yaml_part(asif_yaml_part(summary->root, "solver"), "lattices");
    for (uint32_t i = 1; list && list->kind == ASIF_YAML_LIST && i < list->count; i++) {
        asif_text_addf(words, "%s %.2f (%.0f intervals on an edge)",
                       i > 1 ? "," : ". On other lattices of beliefs it is",
                       asif_yaml_value(list->item[i], "log_likelihood"),
                       asif_yaml_value(list->item[i], "resolution"));
    }
}

static void add_maker(asif_text *text, const asif_summary *summary) {
    const asif_yaml *maximum = asif_yaml_part(summary->root, "maximum");
    const char *version = asif_yaml_text(summary->root, "asif");
    asif_text words = {.context = summary->context};
    char cell[ASIF_CELL_SIZE];
    asif_summary_method(&words, summary);
    if (!summary->draws && summary->answered)
        asif_text_addf(&words, ", where its objective is %s",
                       asif_short_number(cell, asif_yaml_value(maximum, "objective")));
    double likelihood = asif_yaml_value(maximum, "log_likelihood");
    if (!isnan(likelihood))
        asif_text_addf(&words, ". The log-likelihood at the maximum is %.2f", likelihood);
    if (!isnan(likelihood))
        add_lattices(&words, summary);
    add_lattice(&words, summary);
    asif_text_addf(&words, ". Made by asif %s", version ? version : "?");
    asif_sentence_finish(&words);
    asif_add_wrapped(text, "  ", 2, words.data ? words.data : "", summary->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

void asif_summary_trust(asif_text *text, const asif_summary *summary) {
    asif_text words = {.context = summary->context}, points = {.context = summary->context};
    if (asif_is(summary->method, "ridge"))
        add_weights(&words, summary, asif_yaml_part(summary->root, "trust"));
    else if (summary->draws)
        add_figures(&words, summary, asif_yaml_part(summary->root, "trust"));
    else
        asif_summary_searched(&words, summary);
    asif_text_add(text, "\n");
    asif_add_wrapped(text, summary->trusted ? "TRUST" : "NOT TO BE TRUSTED", summary->trusted ? 8 : 20,
                     words.data ? words.data : "", summary->width);
    text->failed |= words.failed;
    asif_text_free(&words);
    asif_summary_advice(&points, summary);
    asif_sentence_list(text, &points, summary->width);
    add_maker(text, summary);
}
