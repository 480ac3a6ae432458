/* The section of the summary on what the logs cannot tell. */
#include "questions/predict/predictive_checks_text.h"
#include "questions/sensitivity/sensitivity_text.h"
#include "render/words/sentences.h"
#include "report/summary/summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TRADE_OFF 0.8
#define TRADE_OFFS 6 /* most trade-offs that are listed */
#define DEPENDENCES 6
#define LITTLE 0.5 /* change of a number, in standard deviations, that is not mentioned */
static void add_trade_offs(asif_text *points, const asif_summary *summary) {
    const asif_yaml *list = asif_yaml_part(summary->root, "correlations");
    uint32_t said = 0;
    for (uint32_t i = 0; list && list->kind == ASIF_YAML_LIST && i < list->count && said < TRADE_OFFS; i++) {
        const asif_yaml *pair = list->item[i];
        const asif_summary_number *a = asif_summary_find(summary, asif_yaml_text(pair, "a"));
        const asif_summary_number *b = asif_summary_find(summary, asif_yaml_text(pair, "b"));
        double r = asif_yaml_value(pair, "r");
        asif_text words = {.context = summary->context};
        if (!a || !b || !(fabs(r) > TRADE_OFF))
            continue;
        asif_text_add(&words, said ? "Nor can they separate " : "These data cannot separate ");
        asif_summary_phrase(&words, a);
        asif_text_add(&words, " from ");
        asif_summary_phrase(&words, b);
        asif_text_addf(&words, " (r = %.2f)%s", r,
                       said ? ""
                            : ": more of one with the right amount of the other explains the same actions");
        asif_sentence_take(points, &words);
        said++;
    }
}

/* Add what actions are worth all in: "All in, draw is worth -0.05 (-0.06 to -0.05): its utility, less what it
 * costs a random agent to take it for sure." */
static void add_all_ins(asif_text *points, const asif_summary *summary) {
    const asif_yaml *list = asif_yaml_list(summary->root, "all_in");
    for (uint32_t i = 0; list && i < list->count; i++) {
        const asif_yaml *one = list->item[i];
        const asif_summary_number *n = asif_summary_find(summary, asif_yaml_text(one, "parameter"));
        const char *action = asif_yaml_text(one, "action");
        double low = asif_yaml_value(one, "q05"), high = asif_yaml_value(one, "q95");
        char cell[ASIF_CELL_SIZE];
        asif_text words = {.context = summary->context};
        if (!n || !action)
            continue;
        asif_text_addf(&words, "All in, %s is worth %s", action,
                       asif_summary_digits(cell, asif_yaml_value(one, "q50"), high - low));
        asif_text_addf(&words, " (%s): its utility, less what it costs a random agent to take it for sure",
                       asif_summary_range(cell, low, high));
        asif_text_addf(&words, ", %.2f times alpha. These data tell that better than the utility alone",
                       asif_yaml_value(one, "cost"));
        asif_sentence_take(points, &words);
    }
}

/* Add a sentence on a limit: "These data give an upper limit for choice randomness (alpha at most 0.4) but no
 * lower limit: ..." */
static void add_limit(asif_text *words, const asif_summary *summary, const asif_summary_number *n) {
    bool below = asif_summary_below(n);
    char end[ASIF_CELL_SIZE];
    asif_text_addf(words, "These data give %s limit for ", below ? "an upper" : "a lower");
    asif_summary_phrase(words, n);
    asif_text_addf(words, " (%s at %s %s) but no %s limit: %s values fit as well", asif_summary_symbol(n),
                   below ? "most" : "least",
                   asif_summary_digits(end, below ? n->q95 : n->q05, fabs(n->q95 - n->q05)),
                   below ? "lower" : "upper", below ? "smaller" : "larger");
    if (!asif_is(summary->method, "ml"))
        asif_text_addf(words, ". The %s end of its interval comes from the prior", below ? "lower" : "upper");
}

/* Add sentences on numbers that the data do not determine, limit on one side only, or whose sign they leave
 * open. */
static void add_unknowns(asif_text *points, const asif_summary *summary) {
    for (uint32_t i = 0; i < summary->numbers; i++) {
        const asif_summary_number *n = &summary->number[i];
        asif_text words = {.context = summary->context};
        bool any = n->flat_below && n->flat_above;
        if (asif_is(n->doubt, "tops")) {
            asif_text_add(&words, "These data do not determine ");
            asif_summary_phrase(&words, n);
            asif_text_add(&words, ": the rival explanations disagree about it");
        } else if (any || (asif_is(n->identified, "no") && !asif_summary_limit(n))) {
            asif_text_add(&words, "These data say next to nothing about ");
            asif_summary_phrase(&words, n);
            asif_text_add(&words, any ? ": no value is ruled out, however small or large"
                                      : ": its interval is about as wide as that of its prior");
        } else if (n->bound && !summary->rivals) {
            add_limit(&words, summary, n);
        } else if (n->near_zero) {
            asif_text_add(&words, "These data cannot determine the sign of ");
            asif_summary_phrase(&words, n);
            asif_text_add(&words, ", which is near zero compared with what its prior allows");
        }
        asif_sentence_take(points, &words);
    }
}

/* "eta and optimism": what power-scaling found the same of; false: nothing. */
static bool add_powers(asif_text *words, const asif_summary *summary, const char *found) {
    uint32_t last = ASIF_ANY, said = 0;
    for (uint32_t i = 0; i < summary->numbers; i++)
        last = asif_is(summary->number[i].power, found) ? i : last;
    for (uint32_t i = 0; last != ASIF_ANY && i <= last; i++) {
        if (!asif_is(summary->number[i].power, found))
            continue;
        if (said++)
            asif_text_add(words, i == last ? " and " : ", ");
        asif_summary_phrase(words, &summary->number[i]);
    }
    return said > 0;
}

/* What a little more or less of prior or likelihood would change. */
static void add_power(asif_text *points, const asif_summary *summary) {
    asif_text conflict = {.context = summary->context}, strong = conflict;
    asif_text_add(&strong, "The prior largely decides ");
    if (add_powers(&strong, summary, "strong_prior")) {
        asif_text_add(
            &strong,
            ": a little more weight on it changes the result, and more weight on the data hardly does");
        asif_sentence_take(points, &strong);
    }
    asif_text_add(&conflict, "Both the prior and the data determine ");
    if (add_powers(&conflict, summary, "conflict")) {
        asif_text_add(&conflict,
                      ", and they may disagree: a little more weight on either changes the result");
        asif_sentence_take(points, &conflict);
    }
    asif_text_free(&strong);
    asif_text_free(&conflict);
}

static void add_warnings(asif_text *points, const asif_summary *summary) {
    const asif_yaml *list = asif_yaml_part(summary->root, "warnings");
    for (uint32_t i = 0; list && list->kind == ASIF_YAML_LIST && i < list->count; i++) {
        const char *message = asif_yaml_text(list->item[i], "message");
        const char *hint = asif_yaml_text(list->item[i], "hint");
        asif_text words = {.context = summary->context};
        if (!message)
            continue;
        asif_text_add(&words, message);
        asif_sentence_finish(&words);
        if (hint && *hint) {
            asif_text more = {.context = summary->context};
            asif_text_add(&more, hint);
            asif_sentence_finish(&more);
            asif_text_addf(&words, " %s", more.data ? more.data : "");
            words.failed |= more.failed;
            asif_text_free(&more);
        }
        asif_sentence_take(points, &words);
    }
}

/* Add that an inverse planner without a likelihood gives an answer without uncertainty. */
static void add_answer(asif_text *points, const asif_summary *summary) {
    asif_text words = {.context = summary->context};
    asif_text_addf(&words,
                   "The inverse planner %s gives an answer without uncertainty: nothing here shows how far "
                   "off its numbers may be.",
                   summary->answered);
    asif_sentence_take(points, &words);
}

static void add_method(asif_text *points, const asif_summary *summary) {
    const asif_yaml *maximum = asif_yaml_part(summary->root, "maximum");
    if (summary->answered) {
        add_answer(points, summary);
        return;
    }
    if (!summary->draws)
        asif_sentence_add(
            points,
            asif_is(summary->method, "ml")
                ? "The intervals come from standard errors at the maximum of the likelihood. Only draws "
                  "(without --method) show which numbers are identified."
                : "The intervals come from the curvature at the maximum of the posterior. Only draws "
                  "(without --method) show which numbers are identified.");
    if (!summary->draws && maximum && !asif_yaml_flag(maximum, "curved"))
        asif_sentence_add(
            points,
            "At the maximum there is a direction without curvature. Intervals along it mean nothing.");
    if (asif_is(summary->method, "published"))
        asif_sentence_add(
            points,
            "The published method has a flat prior on logarithms, under which there is no posterior. Its "
            "numbers depend on the length of the chain.");
}

/* Explain the unit where words have it, and it is not explained yet. */
static void add_nats(asif_text *words, const char **nats) {
    if (!words->data || !strstr(words->data, " nats "))
        return;
    asif_text_add(words, *nats);
    *nats = "";
}

/* Add how one number depends on the assumptions; false: hardly at all. */
static bool add_dependence(asif_text *points, const asif_summary *summary, const asif_sensitivity_view *s,
                           const asif_summary_number *n, const char **nats) {
    uint32_t number = asif_sensitivity_place(s, n->name);
    if (number == ASIF_ANY)
        return false;
    asif_text words = {.context = summary->context}, more = words, bound = words;
    bool flips = s->statement[number].statement == ASIF_STATEMENT_FLIPS,
         moves = asif_sensitivity_depends(&bound, s, number);
    if (flips) {
        asif_text_add(&words, "The sign of ");
        asif_summary_phrase(&words, n);
        asif_text_add(&words, " depends on the assumptions. ");
        asif_sensitivity_steps(&words, s, number);
        if (asif_sensitivity_others(&more, s, number))
            asif_text_addf(&words, ". Other values of %s also reverse it", more.data ? more.data : "");
    } else if (moves) {
        asif_text_add(&words, "The value of ");
        asif_summary_phrase(&words, n);
    }
    if (moves)
        asif_text_addf(&words, "%s depends on the assumed %s", flips ? ". It also" : "",
                       bound.data ? bound.data : "");
    if (flips || moves)
        add_nats(&words, nats);
    words.failed |= more.failed || bound.failed;
    asif_text_free(&more);
    asif_text_free(&bound);
    if (flips || moves)
        asif_sentence_take(points, &words);
    return flips || moves;
}

static void add_dependences(asif_text *points, const asif_summary *summary, const asif_sensitivity_view *s,
                            const char *nats) {
    uint32_t said = 0;
    for (uint32_t i = 0; i < summary->numbers && said < DEPENDENCES; i++)
        said += add_dependence(points, summary, s, &summary->number[i], &nats);
    if (!said && asif_sensitivity_moved(s) >= LITTLE) {
        asif_text words = {.context = summary->context};
        asif_text_add(&words,
                      "No sign reverses under other plausible assumptions. The largest change is with ");
        asif_sensitivity_largest(&words, s);
        add_nats(&words, &nats);
        asif_sentence_take(points, &words);
    }
}

/* Add how the numbers depend on the assumptions. `nats` explains the unit, where it is first mentioned; or
 * "". */
static void add_sensitivity(asif_text *points, const asif_summary *summary, const char *nats) {
    const asif_yaml *root = asif_yaml_part(summary->root, "sensitivity");
    asif_arena arena = {.context = summary->context};
    asif_sensitivity_view s;
    if (asif_fields_read(&s, &arena, &asif_sensitivity_fields, root, NULL) == ASIF_OK)
        add_dependences(points, summary, &s, nats);
    else
        points->failed = true;
    asif_arena_free(&arena);
}

void asif_summary_open(asif_text *points, const asif_summary *summary, bool warnings) {
    add_trade_offs(points, summary);
    add_all_ins(points, summary);
    add_unknowns(points, summary);
    add_power(points, summary);
    asif_summary_world(points, summary);
    add_sensitivity(points, summary, warnings ? ". One nat is a factor of 2.7 in the likelihood" : "");
    if (warnings)
        add_warnings(points, summary);
    add_method(points, summary);
    asif_sentence_add(
        points,
        "These data cannot show whether the assumptions are right: other utilities or worlds may explain the "
        "same actions.");
}

void asif_summary_cannot(asif_text *text, const asif_summary *summary) {
    asif_text points = {.context = summary->context};
    asif_text_add(text, "\nWHAT THE LOGS CANNOT TELL\n");
    asif_summary_open(&points, summary, true);
    asif_sentence_list(text, &points, summary->width);
}
