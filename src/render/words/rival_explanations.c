/* Rival explanations of the same logs, each with its own numbers. */
#include "render/words/fit_numbers.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const asif_yaml *top_at(const asif_summary *summary, uint32_t top) {
    const asif_yaml *tops = asif_yaml_list(summary->root, "tops");
    return tops && top < tops->count ? tops->item[top] : NULL;
}

bool asif_summary_top(const asif_summary *summary, uint32_t top, asif_summary_number *number) {
    const asif_yaml *node = top_at(summary, top), *parameters = asif_yaml_part(node, "parameters");
    for (uint32_t i = 0; node && i < summary->numbers; i++) {
        asif_summary_number_read(&number[i], summary->number[i].name,
                                 asif_yaml_part(parameters, summary->number[i].name));
        number[i].unit = summary->number[i].unit;
        number[i].sentence = summary->number[i].sentence;
    }
    return node != NULL;
}

/* Log mass of an explanation: height plus log volume of the posterior; for a likelihood, only the height. */
static double mass(const asif_yaml *top) {
    double posterior = asif_yaml_value(top, "log_posterior");
    return isnan(posterior) ? asif_yaml_value(top, "log_likelihood")
                            : posterior + asif_yaml_value(top, "log_volume");
}

void asif_summary_top_words(asif_text *words, const asif_summary *summary, uint32_t top) {
    const asif_yaml *node = top_at(summary, top), *chains = asif_yaml_list(node, "chains");
    double weight = asif_yaml_value(node, "weight"), below = mass(top_at(summary, 0)) - mass(node);
    asif_text_addf(words, "Explanation %u", top + 1);
    if (!isnan(weight))
        asif_text_addf(words, ": about %.0f %% of the posterior", 100 * weight);
    if (top > 0)
        asif_text_addf(words, "%s %.1f nats %s the first", isnan(weight) ? ":" : ",", fabs(below),
                       below < 0 ? "above" : "below");
    if (summary->draws && chains && chains->count > 0) {
        asif_text_addf(words, "; chain%s", chains->count == 1 ? "" : "s");
        for (uint32_t c = 0; c < chains->count; c++)
            asif_text_addf(words, "%s %s", c ? "," : "", chains->item[c]->text ? chains->item[c]->text : "");
    } else if (!asif_is(asif_yaml_text(node, "from"), "draws")) {
        asif_text_addf(words, "; from the curvature at its maximum%s",
                       summary->draws ? ", as no chain stayed there" : "");
    }
}

void asif_summary_rivals(asif_text *words, const asif_summary *summary) {
    const asif_yaml *tops = asif_yaml_list(summary->root, "tops");
    bool weighed = asif_is(summary->method, "ridge");
    asif_text_addf(
        words,
        "These data have %s%u rival explanations: maxima of the %s with less likely values between them. %s",
        asif_yaml_flag(summary->root, "more_tops") ? "at least " : "", tops ? tops->count : 0,
        asif_is(summary->method, "ml") ? "likelihood" : "posterior",
        summary->draws && !weighed ? "The chains cross between them too rarely to weigh them. " : "");
    asif_text_add(
        words, asif_is(summary->method, "ml") ? "Each has its own numbers; no interval covers them all."
               : weighed
                   ? "Each has its own numbers, and its share of the draws; no interval covers them all."
                   : "Each has its own numbers; no interval covers them all. Their shares are approximate.");
}

static void add_indented(asif_text *text, const char *rows) {
    while (*rows) {
        size_t length = strcspn(rows, "\n");
        asif_text_add(text, "  ");
        asif_text_add_n(text, rows, length);
        asif_text_add(text, "\n");
        rows += length + (rows[length] != 0);
    }
}

/* Add whether the data identify each number, whichever explanation is right. */
static void add_verdicts(asif_text *text, const asif_summary *summary) {
    for (uint32_t i = 0; i < summary->numbers; i++) {
        asif_text verdict = {.context = summary->context};
        asif_summary_phrase(&verdict, &summary->number[i]);
        asif_text_add(&verdict, " identified? ");
        uint64_t before = verdict.length;
        asif_summary_verdict(&verdict, summary, &summary->number[i]);
        asif_clean(verdict.data);
        if (verdict.length > before)
            asif_add_wrapped(text, "  ", 2, verdict.data, summary->width);
        text->failed |= verdict.failed;
        asif_text_free(&verdict);
    }
}

void asif_summary_tops(asif_text *text, const asif_summary *summary) {
    asif_summary_number *number = ASIF_ARRAY(summary->context, summary->numbers, asif_summary_number);
    text->failed |= !number;
    for (uint32_t k = 0; number && asif_summary_top(summary, k, number); k++) {
        asif_text head = {.context = summary->context}, rows = {.context = summary->context};
        asif_summary_top_words(&head, summary, k);
        asif_clean(head.data);
        asif_add_wrapped(text, "  ", 2, head.data ? head.data : "", summary->width);
        asif_summary_rows(&rows, summary, number);
        add_indented(text, rows.data ? rows.data : "");
        text->failed |= head.failed || rows.failed;
        asif_text_free(&head);
        asif_text_free(&rows);
    }
    add_verdicts(text, summary);
    asif_free(summary->context, number);
}
