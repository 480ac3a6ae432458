/* The meaning of the numbers in words: by their effect, in units of utility where possible. */
#include "questions/outcomes/outcomes_brief.h"
#include "report/page/page.h"

#include <math.h>
#include <string.h>

static const asif_yaml *evidence_of(const asif_source_fit *fit) {
    const asif_yaml *list = asif_yaml_list(asif_yaml_part(fit->fit.root, "outcomes"), "evidence");
    return list && list->count > 0 ? list : NULL;
}

/* Add a multiple of a number with its interval: "1.3 (1.0 to 1.6)"; without the sign if `size`. */
static void add_scaled(asif_text *words, const asif_summary_number *n, double scale, bool size) {
    double low = scale * n->q05, middle = scale * n->q50, high = scale * n->q95;
    char cell[ASIF_CELL_SIZE], range[ASIF_CELL_SIZE];
    if (size) {
        double a = fabs(low), b = fabs(high);
        low = fmin(a, b);
        high = fmax(a, b);
        middle = fabs(middle);
    }
    asif_text_add(words, asif_summary_digits(cell, middle, fabs(high - low)));
    if (!isnan(low) && !isnan(high))
        asif_text_addf(words, " (%s)", asif_summary_range(range, low, high));
}

/* ---- assumptions ---- */

static const struct {
    const char *name, *before, *after;
} given_words[] = {
    {"discount", "utility a step later counts ", " times as much as now"},
    {"alpha", "their choice randomness alpha is ", ""},
    {"act_alpha", "their choice randomness in acting is ", ""},
    {"optimism", "their optimism 1/beta is ", ""},
    {"beta", "beta, the inverse of their optimism, is ", ""},
    {"eta", "their taste for surprise eta is ", ""},
    {"lapse", "a share of ", " of their decisions is made without looking"},
};

/* Add what is assumed of a parameter that is no utility: "that their choice randomness alpha is 0.5". */
static void add_given_value(asif_text *words, const char *name, double value) {
    char cell[ASIF_CELL_SIZE];
    if (value == 0 && strcmp(name, "alpha") == 0) {
        asif_text_add(words, "that they always take the best action");
        return;
    }
    for (size_t i = 0; i < sizeof given_words / sizeof *given_words; i++)
        if (strcmp(given_words[i].name, name) == 0)
            asif_text_addf(words, "that %s%s%s", given_words[i].before, asif_short_number(cell, value),
                           given_words[i].after);
}

static bool is_usual(const char *name, double value) {
    return (strcmp(name, "beta") == 0 && isinf(value)) || (strcmp(name, "eta") == 0 && value == 0);
}

/* Utilities are listed first, as in the summary. */
bool asif_why_is_utility(const char *name) {
    for (size_t i = 0; i < sizeof given_words / sizeof *given_words; i++)
        if (strcmp(given_words[i].name, name) == 0)
            return false;
    return true;
}

/* Add "The model assumes these utilities: correct 10, wrong -36 and cost -1."; returns their number. */
static uint32_t add_given_utilities(asif_text *words, const asif_yaml *given, uint32_t count) {
    uint32_t left = 0, said = 0;
    char cell[ASIF_CELL_SIZE];
    for (uint32_t i = 0; i < count; i++)
        left += asif_why_is_utility(given->key[i]->text);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = given->key[i]->text;
        if (!asif_why_is_utility(name))
            continue;
        asif_text_addf(words, "%s%s %s",
                       said == 0          ? left == 1 ? "The model assumes this utility: "
                                                      : "The model assumes these utilities: "
                       : left == said + 1 ? " and "
                                          : ", ",
                       name, asif_short_number(cell, asif_yaml_value(given, name)));
        said++;
    }
    asif_text_add(words, said ? "." : "");
    return said;
}

void asif_why_given(asif_text *words, const asif_source_fit *fit) {
    const asif_yaml *given = asif_yaml_part(fit->fit.root, "given");
    double worlds = asif_yaml_value(asif_yaml_part(fit->fit.root, "setting"), "worlds");
    uint32_t count = given && given->kind == ASIF_YAML_MAP ? given->count : 0, left = worlds > 1, said = 0;
    const char *begin = add_given_utilities(words, given, count) ? " It also assumes " : "The model assumes ";
    for (uint32_t i = 0; i < count; i++)
        left += !asif_why_is_utility(given->key[i]->text) &&
                !is_usual(given->key[i]->text, asif_yaml_value(given, given->key[i]->text));
    for (uint32_t i = 0; i < count; i++) {
        const char *name = given->key[i]->text;
        double value = asif_yaml_value(given, name);
        if (asif_why_is_utility(name) || is_usual(name, value))
            continue;
        asif_text_add(words, said == 0 ? begin : left == said + 1 ? " and " : ", ");
        add_given_value(words, name, value);
        said++;
    }
    if (worlds > 1)
        asif_text_addf(words, "%sthat they consider %.0f candidate worlds", said ? " and " : begin, worlds);
    asif_text_add(words, left ? "." : words->length ? "" : "The model assumes the problem as stated below.");
}

/* ---- meaning of a number ---- */

static void mean_randomness(asif_text *words, const asif_source_fit *fit, const asif_summary_number *n) {
    (void)fit;
    asif_text_addf(words, "takes the %s of two actions 9 times in 10 where it is %s by ",
                   n->q50 < 0 ? "worse" : "better", n->q50 < 0 ? "worse" : "better");
    add_scaled(words, n, log(9), true);
    asif_text_add(words, " in utility. At 0 the best action is always taken");
}

static void mean_optimism(asif_text *words, const asif_source_fit *fit, const asif_summary_number *n) {
    const asif_yaml *list = evidence_of(fit);
    (void)n;
    for (uint32_t i = 0; list && i < list->count; i++) {
        asif_summary_reads(words, list->item[i]);
        if (list->count > 1)
            asif_text_addf(words, " (%s)", asif_yaml_text(list->item[i], "action"));
        asif_text_add(words, ". ");
    }
    asif_text_add(words,
                  "0 is neutral. Above 0, worlds in which things turn out well have more weight; below 0, "
                  "worlds in which they turn out badly");
}

static void mean_surprise(asif_text *words, const asif_source_fit *fit, const asif_summary_number *n) {
    const asif_setting_spec *spec = asif_setting_get(fit->view.fitted->setting);
    const char *seen = spec->observations ? "an observation" : "a next state";
    bool less = n->q50 < 0 && !(n->q95 > 0);
    asif_text_addf(words,
                   spec->belief_prior ? "%s half as likely as the belief prior says counts "
                                      : "%s that was a coin toss counts ",
                   seen);
    add_scaled(words, n, log(2), less);
    asif_text_addf(words, " %s in utility than one %s", less ? "less" : "more",
                   spec->belief_prior ? "as likely as it says" : "that was certain");
}

static void mean_discount(asif_text *words, const asif_source_fit *fit, const asif_summary_number *n) {
    (void)fit;
    asif_text_add(words, "utility a step later counts ");
    add_scaled(words, n, 1, false);
    asif_text_add(words, " times as much as now");
}

static void mean_lapse(asif_text *words, const asif_source_fit *fit, const asif_summary_number *n) {
    (void)fit;
    asif_text_add(words, "of 100 decisions, ");
    add_scaled(words, n, 100, false);
    asif_text_add(words, " are made as if without looking");
}

static const struct {
    const char *parameter;
    void (*mean)(asif_text *words, const asif_source_fit *fit, const asif_summary_number *n);
    const char *words;
} meanings[] = {
    {"alpha", mean_randomness, NULL},
    {"act_alpha", mean_randomness, NULL},
    {"optimism", mean_optimism, NULL},
    {"beta", mean_optimism, NULL},
    {"eta", mean_surprise, NULL},
    {"discount", mean_discount, NULL},
    {"lapse", mean_lapse, NULL},
    {"action_prior", NULL, "how often it would be taken if all actions had the same utility"},
    {"world_weights", NULL, "the weight of the candidate world before utilities are considered"},
    {"start", NULL, "how likely they think it is at the start"},
    {"means", NULL, "the belief at which the action is most typical"},
};

void asif_why_meaning(asif_text *words, const asif_source_fit *fit, const asif_summary_number *number) {
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strcmp(meanings[i].parameter, number->parameter) == 0) {
            if (meanings[i].mean)
                meanings[i].mean(words, fit, number);
            else
                asif_text_add(words, meanings[i].words);
            return;
        }
    if (number->sentence) {
        asif_text_add(words, number->sentence);
        return;
    }
    asif_text_add(words, number->label ? "a parameter of this planner" : "a utility (see the problem)");
}

/* ---- as if ---- */

static bool say_optimism(asif_text *words, const asif_source_fit *fit, const asif_summary_number *n) {
    const asif_yaml *list = evidence_of(fit);
    bool known = !asif_is(n->sign, "unknown"), low = n->q50 < 0;
    if (known)
        asif_text_addf(words, "they were %s about which of their candidate worlds holds",
                       low ? "pessimistic" : "optimistic");
    else
        asif_text_add(
            words, "whether they are optimistic or pessimistic about which of their candidate worlds holds");
    for (uint32_t i = 0; list && i < list->count; i++) {
        const asif_yaml *perceived = asif_yaml_part(list->item[i], "perceived");
        const char *action = asif_yaml_text(list->item[i], "action");
        double mean = asif_yaml_value(perceived, "mean"), from = asif_yaml_value(perceived, "q05"),
               to = asif_yaml_value(perceived, "q95");
        if (isnan(mean))
            continue;
        asif_text_addf(words, "%s a test of accuracy %.2f",
                       known    ? ", and treated"
                       : i == 0 ? ". They act as if they treated"
                                : ", and",
                       asif_yaml_value(list->item[i], "environment"));
        if (list->count > 1)
            asif_text_addf(words, " (%s)", action ? action : "?");
        asif_text_addf(words, " as one of %.2f", mean);
        if (!isnan(from) && !isnan(to))
            asif_text_addf(words, " (%.2f to %.2f)", from, to);
    }
    return known;
}

static bool say_surprise(asif_text *words, const asif_source_fit *fit, const asif_summary_number *n) {
    bool known = !asif_is(n->sign, "unknown");
    if (known)
        asif_text_addf(words, "what they could not foresee %s them: ", n->q50 < 0 ? "deterred" : "attracted");
    else
        asif_text_add(words, "whether what they cannot foresee attracts or deters them: ");
    mean_surprise(words, fit, n);
    return known;
}

/* Add the name of a number as the subject of a sentence. */
static void add_subject(asif_text *words, const asif_summary_number *n) {
    if (asif_is(asif_summary_word(n), "utility"))
        asif_text_addf(words, "the utility `%s`", n->parameter);
    else
        asif_summary_phrase(words, n);
}

bool asif_why_clause(asif_text *words, const asif_source_fit *fit, const asif_summary_number *n) {
    const char *parameter = n->parameter;
    if (asif_is(parameter, "optimism") || asif_is(parameter, "beta"))
        return say_optimism(words, fit, n);
    if (asif_is(parameter, "eta"))
        return say_surprise(words, fit, n);
    if (asif_is(parameter, "alpha") || asif_is(parameter, "act_alpha")) {
        asif_text_addf(words, "they took the %s of two actions 9 times in 10 where it is %s by ",
                       n->q50 < 0 ? "worse" : "better", n->q50 < 0 ? "worse" : "better");
        add_scaled(words, n, log(9), true);
        asif_text_add(words, " in utility");
        return true;
    }
    add_subject(words, n);
    asif_text_add(words, " were ");
    add_scaled(words, n, 1, false);
    return true;
}

void asif_why_main(asif_text *words, const asif_source_fit *fit, const asif_summary_number *n) {
    const asif_yaml *list = evidence_of(fit);
    char cell[ASIF_CELL_SIZE];
    double width = fabs(n->q95 - n->q05);
    if (asif_is(n->parameter, "alpha") || asif_is(n->parameter, "act_alpha")) {
        double lead = log(9) * n->q50; /* the better of two actions is then taken 9 times in 10 */
        asif_text_addf(words, "they chose the %s action 9 times in 10 when it led by %s in utility",
                       lead < 0 ? "worse" : "better", asif_summary_digits(cell, fabs(lead), log(9) * width));
    } else if (asif_is(n->parameter, "optimism") || asif_is(n->parameter, "beta")) {
        double mean = list ? asif_yaml_value(asif_yaml_part(list->item[0], "perceived"), "mean") : NAN;
        if (list && list->count == 1 && !isnan(mean))
            asif_text_addf(words, "a test of accuracy %.2f had an accuracy of %.2f",
                           asif_yaml_value(list->item[0], "environment"), mean);
        else
            asif_text_addf(words, "the %s of their candidate worlds were more likely",
                           n->q50 < 0 ? "worse" : "better");
    } else if (asif_is(n->parameter, "eta")) {
        asif_text_addf(words, "what they could not foresee %s them", n->q50 < 0 ? "deterred" : "attracted");
    } else {
        add_subject(words, n);
        asif_text_addf(words, " were %s", asif_summary_digits(cell, n->q50, width));
        if (n->unit)
            asif_text_addf(words, " %s", n->unit);
    }
}
