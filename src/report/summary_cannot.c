/* What the logs cannot tell, and whether the computation can be trusted. */
#include "report/checks.h"
#include "report/sensitivity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TRADE_OFF 0.8
#define TRADE_OFFS 6 /* that are listed */
#define DEPENDENCES 6
#define LITTLE 0.5 /* standard deviations that a number may move without a word */
#define GOOD_RHAT 1.01
#define GOOD_ESS 100 /* a chain */
#define GOOD_EBFMI 0.3

/* One more sentence; the words are freed. */
static void say(asif_text *points, asif_text *words) {
    asif_clean(words->data);
    if (words->data)
        asif_text_add_n(points, words->data, words->length + 1);
    points->failed |= words->failed;
    asif_text_free(words);
}

/* Sentences on lines of their own; they are freed. */
static void list(asif_text *text, const asif_summary *summary, asif_text *points) {
    for (const char *point = points->data; point && point < points->data + points->length;
         point += strlen(point) + 1)
        asif_add_wrapped(text, "  - ", 4, point, summary->width);
    text->failed |= points->failed;
    asif_text_free(points);
}

static bool is(const char *text, const char *word) {
    return text && strcmp(text, word) == 0;
}

static void add_trade_offs(asif_text *points, const asif_summary *summary) {
    const asif_yaml *list = asif_summary_part(summary->root, "correlations");
    uint32_t said = 0;
    for (uint32_t i = 0; list && list->kind == ASIF_YAML_LIST && i < list->count && said < TRADE_OFFS; i++) {
        const asif_yaml *pair = list->item[i];
        const asif_summary_number *a = asif_summary_find(summary, asif_summary_text(pair, "a"));
        const asif_summary_number *b = asif_summary_find(summary, asif_summary_text(pair, "b"));
        double r = asif_summary_value(pair, "r");
        asif_text words = {.context = summary->context};
        if (!a || !b || !(fabs(r) > TRADE_OFF))
            continue;
        asif_summary_phrase(&words, a);
        asif_text_add(&words, " and ");
        asif_summary_phrase(&words, b);
        asif_text_addf(&words, " trade off (r = %.2f)%s", r,
                       said ? ""
                            : ": much of one with the right amount of the other explains the same actions");
        say(points, &words);
        said++;
    }
}

/* "these data give an upper limit for consistency (alpha at most 0.4) but no lower limit: ..." */
static void add_limit(asif_text *words, const asif_summary *summary, const asif_summary_number *n) {
    bool below = asif_summary_below(n);
    char end[ASIF_CELL_SIZE];
    asif_text_addf(words, "these data give %s limit for ", below ? "an upper" : "a lower");
    asif_summary_phrase(words, n);
    asif_text_addf(words, " (%s at %s %s) but no %s limit: %s values fit as well", asif_summary_symbol(n),
                   below ? "most" : "least",
                   asif_summary_digits(end, below ? n->q95 : n->q05, fabs(n->q95 - n->q05)),
                   below ? "lower" : "upper", below ? "smaller" : "larger");
    if (!is(summary->method, "ml"))
        asif_text_addf(words, ", so the %s end of its interval is the prior's", below ? "lower" : "upper");
}

/* Numbers about which the logs say nothing, or to one side nothing, or no sign. */
static void add_unknowns(asif_text *points, const asif_summary *summary) {
    for (uint32_t i = 0; i < summary->numbers; i++) {
        const asif_summary_number *n = &summary->number[i];
        asif_text words = {.context = summary->context};
        bool any = n->flat_below && n->flat_above;
        if (is(n->doubt, "tops")) {
            asif_text_add(&words, "these data do not determine ");
            asif_summary_phrase(&words, n);
            asif_text_add(&words, ": the rival explanations disagree about it");
        } else if (any || (is(n->identified, "no") && !asif_summary_limit(n))) {
            asif_text_add(&words, "these data say next to nothing about ");
            asif_summary_phrase(&words, n);
            asif_text_add(&words, any ? ": no value is ruled out, however small or large"
                                      : ": its interval is about as wide as that of its prior");
        } else if (n->bound && !summary->rivals) {
            add_limit(&words, summary, n);
        } else if (n->near_zero) {
            asif_summary_phrase(&words, n);
            asif_text_add(
                &words,
                " is near zero, compared with what its prior allows; these data cannot determine its sign");
        }
        if (words.data)
            say(points, &words);
    }
}

static void add_warnings(asif_text *points, const asif_summary *summary) {
    const asif_yaml *list = asif_summary_part(summary->root, "warnings");
    for (uint32_t i = 0; list && list->kind == ASIF_YAML_LIST && i < list->count; i++) {
        const char *message = asif_summary_text(list->item[i], "message");
        const char *hint = asif_summary_text(list->item[i], "hint");
        asif_text words = {.context = summary->context};
        if (!message)
            continue;
        asif_text_add(&words, message);
        if (hint && *hint)
            asif_text_addf(&words, "; %s", hint);
        say(points, &words);
    }
}

static void add_sentence(asif_text *points, const char *sentence) {
    asif_text words = {.context = points->context};
    asif_text_add(&words, sentence);
    say(points, &words);
}

/* Of an inverse planner that is no likelihood. */
static void add_answer(asif_text *points, const asif_summary *summary) {
    asif_text words = {.context = summary->context};
    asif_text_addf(&words,
                   "%s gives an answer and no uncertainty: nothing here says how far off the numbers may be",
                   summary->answered);
    say(points, &words);
}

static void add_method(asif_text *points, const asif_summary *summary) {
    const asif_yaml *maximum = asif_summary_part(summary->root, "maximum");
    if (summary->answered) {
        add_answer(points, summary);
        return;
    }
    if (!summary->draws)
        add_sentence(
            points,
            is(summary->method, "ml")
                ? "intervals are from standard errors at the maximum of the likelihood; what is identified "
                  "is told only from draws (--method nuts)"
                : "intervals are from the curvature at the maximum of the posterior; what is identified is "
                  "told only from draws (--method nuts)");
    if (!summary->draws && maximum && !asif_summary_flag(maximum, "curved"))
        add_sentence(
            points,
            "at the maximum there is a direction without curvature: intervals along it are not to be read");
    if (is(summary->method, "published"))
        add_sentence(
            points,
            "the published method has a flat prior on logarithms, under which there is no posterior: its "
            "numbers depend on how long the chain is");
}

/* What other values of what was assumed make of one number; false: nothing to speak of. */
static bool add_dependence(asif_text *points, const asif_summary *summary, const asif_yaml *root,
                           const asif_summary_number *n) {
    const asif_yaml *statement = asif_summary_part(asif_summary_part(root, "statements"), n->name);
    asif_text words = {.context = summary->context}, more = words, bound = words;
    bool flips = is(asif_summary_text(statement, "statement"), "flips"),
         moves = asif_sensitivity_depends(&bound, root, n->name);
    if (flips) {
        asif_text_add(&words, "the sign of ");
        asif_summary_phrase(&words, n);
        asif_text_add(&words, " depends on the assumptions. ");
        asif_sensitivity_steps(&words, root, n->name);
        if (asif_sensitivity_others(&more, root, n->name))
            asif_text_addf(&words, ". Other values of %s reverse it, too", more.data ? more.data : "");
    } else if (moves) {
        asif_text_add(&words, "the value of ");
        asif_summary_phrase(&words, n);
    }
    if (moves)
        asif_text_addf(&words, "%s depends on the assumed %s", flips ? ". It also" : "",
                       bound.data ? bound.data : "");
    words.failed |= more.failed || bound.failed;
    asif_text_free(&more);
    asif_text_free(&bound);
    if (flips || moves)
        say(points, &words);
    return flips || moves;
}

static void add_sensitivity(asif_text *points, const asif_summary *summary) {
    const asif_yaml *root = asif_summary_part(summary->root, "sensitivity");
    uint32_t said = 0;
    for (uint32_t i = 0; root && i < summary->numbers && said < DEPENDENCES; i++)
        said += add_dependence(points, summary, root, &summary->number[i]);
    if (said || !(asif_sensitivity_moved(root) >= LITTLE))
        return;
    asif_text words = {.context = summary->context};
    asif_text_add(
        &words,
        "no sign reverses with other plausible values of what was assumed; the largest change is with ");
    asif_sensitivity_largest(&words, root);
    say(points, &words);
}

void asif_summary_open(asif_text *points, const asif_summary *summary, bool warnings) {
    add_trade_offs(points, summary);
    add_unknowns(points, summary);
    add_sensitivity(points, summary);
    if (warnings)
        add_warnings(points, summary);
    add_method(points, summary);
    add_sentence(
        points,
        "whether what was given is right: other utilities or worlds may explain the same actions otherwise");
}

void asif_summary_cannot(asif_text *text, const asif_summary *summary) {
    asif_text points = {.context = summary->context};
    asif_text_add(text, "\nWHAT THE LOGS CANNOT TELL\n");
    asif_summary_open(&points, summary, true);
    list(text, summary, &points);
}

/* ---- trust ---- */

static void add_of(asif_text *words, const asif_summary *summary, const asif_yaml *trust, const char *key) {
    const asif_summary_number *number = asif_summary_find(summary, asif_summary_text(trust, key));
    if (number && !summary->sound) {
        asif_text_add(words, " (");
        asif_summary_phrase(words, number);
        asif_text_add(words, ")");
    }
}

static void add_figures(asif_text *words, const asif_summary *summary, const asif_yaml *trust) {
    const char *dot = summary->unicode ? " \xc2\xb7 " : ", ";
    double rhat = asif_summary_value(trust, "rhat"), ess = asif_summary_value(trust, "ess");
    double divergent = asif_summary_value(trust, "divergent"), ebfmi = asif_summary_value(trust, "ebfmi");
    char cell[ASIF_CELL_SIZE];
    if (isnan(rhat))
        asif_text_add(words, "R-hat unknown");
    else
        asif_text_addf(words, "R-hat %.*f", rhat < 1.1 ? 3 : 2, rhat);
    add_of(words, summary, trust, "rhat_of");
    asif_text_addf(words, "%sESS %s", dot,
                   isnan(ess) ? "unknown" : asif_count_text(cell, (uint64_t)fmax(0, ess)));
    add_of(words, summary, trust, "ess_of");
    if (!isnan(ebfmi))
        asif_text_addf(words, "%s%s divergent%sE-BFMI %.2f", dot,
                       asif_count_text(cell, (uint64_t)fmax(0, divergent)), dot, ebfmi);
    else
        asif_text_addf(words, "%saccepted %.0f %%", dot, 100 * asif_summary_value(trust, "accept"));
}

static const char diverged[] =
    "some steps diverged: the posterior has a narrow part that may not have been explored. Try "
    "--target-accept 0.99, or priors that rule out what cannot be";

/* What to do about draws that cannot be trusted. */
static void add_advice(asif_text *points, const asif_summary *summary, const asif_yaml *trust) {
    const asif_yaml *draws = asif_summary_part(summary->root, "draws");
    double rhat = asif_summary_value(trust, "rhat"), ess = asif_summary_value(trust, "ess");
    double chains = asif_summary_value(draws, "chains"), ebfmi = asif_summary_value(trust, "ebfmi");
    bool published = is(summary->method, "published");
    if (!(rhat < GOOD_RHAT))
        add_sentence(
            points,
            published
                ? "the chain has not converged: parts of it disagree. --method nuts has a proper prior and "
                  "several chains"
                : "the chains do not agree: they have not converged, or there are two explanations and each "
                  "chain found one. Run longer: --warmup, --draws");
    if (!(ess >= GOOD_ESS * chains))
        add_sentence(points,
                     "there are too few independent draws for the ends of the intervals: more --draws");
    if (asif_summary_value(trust, "divergent") > 0)
        add_sentence(points, diverged);
    if (ebfmi < GOOD_EBFMI)
        add_sentence(points, "the chains move too slowly between likely and unlikely places (E-BFMI): longer "
                             "--warmup, or narrower priors");
}

/* What would decide between rival explanations. */
static void add_rivals(asif_text *points, const asif_summary *summary) {
    double rhat = asif_summary_value(asif_summary_part(summary->root, "trust"), "rhat");
    asif_text words = {.context = summary->context};
    asif_summary_rivals(&words, summary);
    say(points, &words);
    add_sentence(points, "other data may decide between them, and so may an assumption that rules one out: a "
                         "known sign, or a prior from elsewhere");
    if (summary->draws && !(rhat < GOOD_RHAT))
        add_sentence(points,
                     "the chains of one explanation have not converged. Run longer: --warmup, --draws");
}

/* Each doubt once, whatever the number of numbers that it is about. */
static void add_doubts(asif_text *points, const asif_summary *summary) {
    for (uint32_t i = 0; i < summary->numbers; i++) {
        const char *doubt = summary->number[i].doubt, *sentence = asif_summary_doubt(doubt, true);
        for (uint32_t k = 0; sentence && k < i; k++)
            if (is(summary->number[k].doubt, doubt))
                sentence = NULL;
        if (sentence)
            add_sentence(points, sentence);
    }
    bool told = summary->numbers == 0 || is(summary->number[0].doubt, "subjects");
    if (!told && asif_checks_subjects(asif_summary_part(summary->root, "checks")))
        add_sentence(points, asif_summary_doubt("subjects", true));
}

void asif_summary_advice(asif_text *points, const asif_summary *summary) {
    const asif_yaml *trust = asif_summary_part(summary->root, "trust");
    add_doubts(points, summary);
    if (summary->rivals)
        add_rivals(points, summary);
    else if (!summary->draws && !summary->sound)
        add_sentence(points, "there may be a higher maximum elsewhere: more --starts");
    else if (!summary->sound)
        add_advice(points, summary, trust);
    else if (summary->draws && asif_summary_value(trust, "divergent") > 0)
        add_sentence(points,
                     "a few steps diverged, too few to condemn the rest; --target-accept 0.99 avoids them");
}

void asif_summary_searched(asif_text *words, const asif_summary *summary) {
    const asif_yaml *maximum = asif_summary_part(summary->root, "maximum");
    double starts = asif_summary_value(maximum, "starts"), agree = asif_summary_value(maximum, "agree");
    if (summary->answered && starts == 1)
        asif_text_addf(words, "the answer is that of the solver of %s", summary->answered);
    else
        asif_text_addf(words, "%.0f of %.0f starts came to the same maximum", agree, starts);
}

void asif_summary_method(asif_text *words, const asif_summary *summary) {
    const asif_yaml *draws = asif_summary_part(summary->root, "draws");
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    if (summary->draws) {
        double chains = asif_summary_value(draws, "chains"), thin = asif_summary_value(draws, "thin");
        asif_text_addf(words, "%s: %.0f chain%s of %s draws", summary->method, chains, chains == 1 ? "" : "s",
                       asif_count_text(a, (uint64_t)fmax(0, asif_summary_value(draws, "draws"))));
        if (thin > 1)
            asif_text_addf(words, " (one in %.0f steps)", thin);
        asif_text_addf(words, " after %s of warm-up, seed %.0f",
                       asif_count_text(b, (uint64_t)fmax(0, asif_summary_value(draws, "warmup"))),
                       asif_summary_value(draws, "seed"));
    } else if (summary->answered) {
        asif_text_addf(words, "the answer of %s", summary->answered);
    } else {
        asif_text_addf(words, "%s",
                       is(summary->method, "ml") ? "ml: maximum of the likelihood"
                                                 : "map: maximum of the posterior");
    }
}

static void add_maker(asif_text *text, const asif_summary *summary) {
    const asif_yaml *maximum = asif_summary_part(summary->root, "maximum");
    const char *version = asif_summary_text(summary->root, "asif");
    asif_text words = {.context = summary->context};
    char cell[ASIF_CELL_SIZE];
    asif_summary_method(&words, summary);
    if (!summary->draws && summary->answered)
        asif_text_addf(&words, ", where its objective is %s",
                       asif_short_number(cell, asif_summary_value(maximum, "objective")));
    double likelihood = asif_summary_value(maximum, "log_likelihood");
    if (!isnan(likelihood))
        asif_text_addf(&words, "; log-likelihood at the maximum %.2f", likelihood);
    asif_text_addf(&words, "; asif %s", version ? version : "?");
    asif_add_wrapped(text, "  ", 2, words.data ? words.data : "", summary->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

void asif_summary_trust(asif_text *text, const asif_summary *summary) {
    asif_text words = {.context = summary->context}, points = {.context = summary->context};
    if (summary->draws)
        add_figures(&words, summary, asif_summary_part(summary->root, "trust"));
    else
        asif_summary_searched(&words, summary);
    asif_text_add(text, "\n");
    asif_add_wrapped(text, summary->trusted ? "TRUST" : "NOT TO BE TRUSTED", summary->trusted ? 8 : 20,
                     words.data ? words.data : "", summary->width);
    text->failed |= words.failed;
    asif_text_free(&words);
    asif_summary_advice(&points, summary);
    list(text, summary, &points);
    add_maker(text, summary);
}
