/* The headline: in three sentences what they do that matters most and what it costs, as if why, and whether
 * to believe it; and one figure. */
#include "report/page/page.h"

#include "questions/sensitivity/sensitivity_text.h"
#include "render/words/ideal_names.h"
#include "render/words/sentences.h"

#include <math.h>
#include <string.h>

#define ALIKE 0.025 /* relative difference below which two amounts count as equal */
#define GIVEN 4     /* most assumptions that the sentence lists */
#define NAMED 3     /* most numbers that a sentence names */
#define WIDEST 45   /* percent of its cell that the longest bar takes; its number needs the rest */
#define GROUPS 4    /* most groups that have sentences of their own */

/* ---- measures ---- */

static const struct {
    const char *key, *head, *of;
    bool share;
} measures[] = {
    {"before_end", "decisions before the end", "", false},
    {"wrong", "wrong final decisions", " %", true},
    {"utility", "utility per episode", "", false},
};
enum { BEFORE, WRONG, UTILITY, MEASURES };

static const asif_yaml *conduct_of(const asif_source_fit *fit) {
    const asif_yaml *conduct = asif_yaml_part(asif_yaml_part(fit->fit.root, "outcomes"), "conduct");
    return conduct && conduct->kind == ASIF_YAML_MAP ? conduct : NULL;
}

static double mean(const asif_source_fit *fit, uint32_t agent, uint32_t measure) {
    return asif_yaml_value(asif_yaml_part(asif_agents_part(conduct_of(fit), agent), measures[measure].key),
                           "mean");
}

/* The best agent that a fit is compared with: the last one that was computed before the one that knows the
 * true world; without it, that one, or the ideal agent. */
static uint32_t best_agent(const asif_agents *agents) {
    for (uint32_t n = 0; n < agents->count; n++)
        if (agents->agent[n] == ASIF_AGENT_BAYES)
            return ASIF_AGENT_BAYES;
    return agents->agent[agents->count - 1];
}

static const char *best_word(uint32_t agent) {
    return agent == ASIF_AGENT_BAYES  ? "the Bayes-optimal agent"
           : agent == ASIF_AGENT_TRUE ? "an agent that knows the true world"
                                      : "the ideal agent";
}

static char *amount(char *cell, double number, bool share) {
    asif_format(cell, ASIF_CELL_SIZE, share || fabs(number) >= 1 ? "%.1f" : "%.2f",
                share ? 100 * number : number);
    return cell;
}

static bool alike(double a, double b) {
    return fabs(a - b) <= ALIKE * fmax(fabs(a), fabs(b));
}

/* ---- what they do ---- */

/* Add what an agent does: "take 3.5 decisions and are wrong in 15.6 % of episodes"; false: nothing is
 * known. */
static bool add_conduct(asif_text *words, const asif_source_fit *fit, uint32_t agent, bool they) {
    double before = mean(fit, agent, BEFORE), wrong = mean(fit, agent, WRONG);
    char cell[ASIF_CELL_SIZE];
    if (!isnan(before))
        asif_text_addf(words, they ? "take %s steps before they decide" : "takes %s",
                       amount(cell, before, false));
    if (!isnan(wrong))
        asif_text_addf(words, "%s%s wrong in %s %%%s",
                       isnan(before) ? ""
                       : they        ? " and "
                                     : ", ",
                       they ? "are" : "is", amount(cell, wrong, true), they ? " of cases" : "");
    return !isnan(before) || !isnan(wrong);
}

static void say_did(asif_page *page, const asif_source_fit *fit) {
    const asif_agents agents = asif_agents_told(asif_yaml_part(fit->fit.root, "outcomes"));
    uint32_t best = best_agent(&agents);
    double own = mean(fit, ASIF_AGENT_FITTED, UTILITY), ideal = mean(fit, best, UTILITY);
    asif_text words = {.context = page->context};
    char cell[2][ASIF_CELL_SIZE];
    if (!conduct_of(fit) || isnan(own) || isnan(ideal))
        return;
    /* The costs are those of the fitted agent: the logs do not tell what was true. */
    asif_text_add(&words, "judged by the fitted agent, they ");
    if (add_conduct(&words, fit, ASIF_AGENT_FITTED, true)) {
        const char *word = best_word(best);
        asif_text_addf(&words, ". %s%s ", word[0] == 't' ? "T" : "A", word + 1);
        add_conduct(&words, fit, best, false);
        if (alike(own, ideal))
            asif_text_add(&words, ", and gains about the same utility");
        else
            asif_text_addf(&words, ", and gains %s %s utility per case",
                           amount(cell[0], fabs(ideal - own), false), ideal > own ? "more" : "less");
    } else if (alike(own, ideal)) {
        asif_text_addf(&words, "gain %s of utility per episode, about as much as %s",
                       amount(cell[0], own, false), best_word(best));
    } else {
        asif_text_addf(&words, "gain %s of utility per episode, and %s gains %s", amount(cell[0], own, false),
                       best_word(best), amount(cell[1], ideal, false));
    }
    asif_page_point(page, fit, &words);
}

/* ---- as if why ---- */

static const char *bound_parameter(const char *bound) {
    return asif_is(bound, "consistency") ? "alpha" : asif_is(bound, "surprise") ? "eta" : bound;
}

/* Whether the data say enough about a number for a clause about it. */
static bool is_known(const asif_summary_number *n) {
    bool signs =
        asif_is(n->parameter, "optimism") || asif_is(n->parameter, "beta") || asif_is(n->parameter, "eta");
    return !isnan(n->q50) && !(signs && asif_is(n->sign, "unknown")) && !asif_is(n->identified, "no");
}

/* The number behind the most costly bound that the data say something about; else the first such number;
 * NULL: none. */
static const asif_summary_number *main_number(const asif_source_fit *fit) {
    const asif_yaml *bounds =
        asif_yaml_part(asif_yaml_part(asif_yaml_part(fit->fit.root, "outcomes"), "losses"), "bounds");
    const asif_summary_number *found = NULL;
    double most = -INFINITY;
    for (uint32_t i = 0; bounds && bounds->kind == ASIF_YAML_MAP && i < bounds->count; i++) {
        double loss = asif_yaml_value(asif_yaml_part(bounds->item[i], "per_decision"), "mean");
        for (uint32_t k = 0; k < fit->fit.numbers; k++)
            if (loss > most && is_known(&fit->fit.number[k]) &&
                asif_is(fit->fit.number[k].parameter, bound_parameter(bounds->key[i]->text))) {
                most = loss;
                found = &fit->fit.number[k];
            }
    }
    for (uint32_t k = 0; !found && k < fit->fit.numbers; k++)
        if (is_known(&fit->fit.number[k]))
            found = &fit->fit.number[k];
    return found;
}

/* Add the assumptions: "Assuming correct 10, wrong -36, cost -1 and 3 candidate worlds"; the paragraph below
 * has all. */
static void add_given(asif_text *words, const asif_source_fit *fit) {
    const asif_yaml *given = asif_yaml_part(fit->fit.root, "given");
    double worlds = asif_yaml_value(asif_yaml_part(fit->fit.root, "setting"), "worlds");
    uint32_t count = given && given->kind == ASIF_YAML_MAP ? given->count : 0, said = 0, left = 0;
    char cell[ASIF_CELL_SIZE];
    for (uint32_t i = 0; i < count; i++) {
        const char *name = given->key[i]->text;
        if (!asif_why_is_utility(name))
            continue;
        if (said == GIVEN - (worlds > 1)) {
            left++;
            continue;
        }
        asif_text_addf(words, "%s%s %s", said++ ? ", " : "assuming ", name,
                       asif_short_number(cell, asif_yaml_value(given, name)));
    }
    if (left)
        asif_text_addf(words, ", %u more utilities", left);
    if (worlds > 1)
        asif_text_addf(words, "%s%.0f worlds", said ? " and " : "assuming ", worlds);
    if (words->length == 0)
        asif_text_add(words, "with the problem as stated below");
}

static void say_why(asif_page *page, const asif_source_fit *fit) {
    asif_text words = {.context = page->context};
    const asif_summary_number *number = main_number(fit);
    add_given(&words, fit);
    if (fit->fit.rivals)
        asif_text_add(&words, ", the data have several explanations and cannot decide between them");
    else if (!number)
        asif_text_add(&words, ", the data do not determine why they act as they do");
    else {
        asif_text_add(&words, ", they act as if ");
        asif_why_main(&words, fit, number);
    }
    asif_page_point(page, fit, &words);
}

/* ---- whether to believe it ---- */

/* Add the numbers that the data do not identify: "choice randomness and optimism"; their number. */
static uint32_t add_weak(asif_text *words, const asif_source_fit *fit) {
    uint32_t count = 0, said = 0;
    for (uint32_t i = 0; i < fit->fit.numbers; i++)
        count += fit->fit.number[i].identified && !asif_is(fit->fit.number[i].identified, "yes");
    for (uint32_t i = 0; i < fit->fit.numbers && said < NAMED; i++) {
        const asif_summary_number *n = &fit->fit.number[i];
        if (!n->identified || asif_is(n->identified, "yes"))
            continue;
        asif_text_add(words, said == 0 ? "" : said + 1 == count ? " and " : ", ");
        asif_summary_phrase(words, n);
        said++;
    }
    if (said < count)
        asif_text_addf(words, " and %u more", count - said);
    return count;
}

/* Whether other assumptions that fit about as well reverse the sign of a number. */
static bool reverses(asif_text *words, const asif_source_fit *fit) {
    const asif_yaml *root = asif_yaml_part(fit->fit.root, "sensitivity");
    asif_arena arena = {.context = words->context};
    asif_sensitivity_view s;
    bool found = false;
    if (asif_fields_read(&s, &arena, &asif_sensitivity_fields, root, NULL) != ASIF_OK)
        words->failed = true;
    else
        found = s.worst && s.worst->flips;
    asif_arena_free(&arena);
    return found;
}

/* 1: every judged family of checks passed; 0: something is missed; -1: nothing was checked. */
static int passed(const asif_source_fit *fit) {
    const asif_yaml *checks = asif_yaml_part(fit->fit.root, "checks"),
                    *families = asif_yaml_list(checks, "families"),
                    *missed = asif_yaml_list(checks, "missed");
    if (missed && missed->count > 0)
        return 0;
    for (uint32_t f = 0; families && f < families->count; f++)
        if (asif_yaml_flag(families->item[f], "judged"))
            return 1;
    return -1;
}

static void say_trust(asif_page *page, const asif_source_fit *fit) {
    asif_text words = {.context = page->context}, weak = words;
    int checks = passed(fit);
    if (!fit->fit.sound) {
        asif_text_add(&words, "do not rely on these numbers: the computation cannot be trusted");
    } else {
        asif_text_add(&words, fit->fit.trusted ? "the computation can be trusted"
                                               : "do not rely on these numbers, for the reasons at the top "
                                                 "of this page. The computation itself went well");
        asif_text_add(&words, checks > 0    ? " and the fitted agent passed every predictive check"
                              : checks == 0 ? ", but the fitted agent misses something that they do"
                                            : "");
        if (add_weak(&weak, fit))
            asif_text_addf(&words, "%s the data identify %s only in part", checks == 0 ? ", and" : ", but",
                           weak.data ? weak.data : "");
        else if (!fit->fit.draws)
            asif_text_add(&words, ", but only draws show which numbers the data identify");
        if (reverses(&words, fit))
            asif_text_addf(&words, "%s",
                           weak.length ? ". Other plausible assumptions reverse a sign"
                                       : ", but other plausible assumptions reverse a sign");
    }
    words.failed |= weak.failed;
    asif_text_free(&weak);
    asif_page_point(page, fit, &words);
}

/* ---- figure ---- */

/* Add a row of bars: name, and for each measure a bar and its number. */
static void add_bars(asif_page *page, const asif_source_fit *fit, uint32_t agent, const char *name,
                     const double most[MEASURES]) {
    asif_text *html = &page->html;
    asif_text_add(html, "<tr><th scope=\"row\">");
    asif_html_label(html, name);
    asif_text_add(html, "</th>");
    for (uint32_t k = 0; k < MEASURES; k++) {
        double number = mean(fit, agent, k);
        char cell[ASIF_CELL_SIZE];
        if (!(most[k] > 0))
            continue;
        asif_text_add(html, "<td>");
        if (!isnan(number))
            asif_text_addf(html, "<span class=\"bar%s\" style=\"width: %.1f%%\"></span>%s%s",
                           agent == ASIF_AGENT_FITTED ? "" : " ideal", WIDEST * fmax(0, number) / most[k],
                           amount(cell, number, measures[k].share), measures[k].of);
        asif_text_add(html, "</td>");
    }
    asif_text_add(html, "</tr>\n");
}

/* Add the best agent of a group as a row of bars. */
static void add_best(asif_page *page, const asif_source_fit *fit, uint32_t agent,
                     const double most[MEASURES]) {
    asif_text name = {.context = page->context};
    asif_text_addf(&name, "%s: %s", fit->name, best_word(agent));
    if (conduct_of(fit) && name.data)
        add_bars(page, fit, agent, name.data, most);
    page->html.failed |= name.failed;
    asif_text_free(&name);
}

static void find_most(const asif_page *page, double most[MEASURES]) {
    for (uint32_t g = 0; g < page->source->fits; g++) {
        const asif_source_fit *fit = &page->source->fit[g];
        const asif_agents agents = asif_agents_told(asif_yaml_part(fit->fit.root, "outcomes"));
        for (uint32_t k = 0; k < UTILITY; k++)
            for (uint32_t n = 0; conduct_of(fit) && n < agents.count; n++)
                most[k] = fmax(most[k], mean(fit, agents.agent[n], k));
    }
}

static void add_figure(asif_page *page) {
    const asif_source *source = page->source;
    asif_text *html = &page->html;
    double most[MEASURES] = {0};
    find_most(page, most);
    if (!(most[BEFORE] > 0) && !(most[WRONG] > 0))
        return;
    asif_text_add(html, "<figure class=\"short\">\n<table>\n<thead><tr><td></td>");
    for (uint32_t k = 0; k < MEASURES; k++)
        if (most[k] > 0)
            asif_text_addf(html, "<th scope=\"col\">%s</th>", measures[k].head);
    asif_text_add(html, "</tr></thead>\n<tbody>\n");
    for (uint32_t g = 0; g < source->fits; g++)
        if (conduct_of(&source->fit[g]))
            add_bars(page, &source->fit[g], ASIF_AGENT_FITTED,
                     source->fits > 1 ? source->fit[g].name : "fitted agent", most);
    for (uint32_t g = 0; g < source->fits; g++) {
        const asif_agents agents = asif_agents_told(asif_yaml_part(source->fit[g].fit.root, "outcomes"));
        if (source->fits > 1)
            add_best(page, &source->fit[g], best_agent(&agents), most);
        for (uint32_t n = 1; source->fits == 1 && conduct_of(&source->fit[g]) && n < agents.count; n++)
            add_bars(page, &source->fit[g], agents.agent[n], asif_agents_word(&agents, agents.agent[n]),
                     most);
    }
    asif_text_add(html, "</tbody>\n</table>\n<figcaption>");
    asif_html_text(html, "Means per episode, simulated in the environment that the study states. The fitted "
                         "agent is the one that acts most like them.");
    asif_text_add(html, "</figcaption>\n</figure>\n");
}

/* ---- the headline ---- */

void asif_page_point(asif_page *page, const asif_source_fit *fit, asif_text *words) {
    if (page->source->fits < 2) {
        asif_html_sentence(&page->html, "p", words);
        return;
    }
    asif_sentence_finish(words);
    if (words->data) {
        asif_text_add(&page->html, "<p>");
        asif_html_label(&page->html, fit->name);
        asif_text_add(&page->html, ": ");
        asif_html_words(&page->html, words->data);
        asif_text_add(&page->html, "</p>\n");
    }
    page->html.failed |= words->failed;
    asif_text_free(words);
}

asif_status asif_page_headline(asif_page *page, asif_error *error) {
    static void (*const say[])(asif_page *, const asif_source_fit *) = {say_did, say_why, say_trust};
    static const char *const heads[] = {"What they do, and what it costs", "As if why",
                                        "Whether to believe it"};
    (void)error;
    asif_text_add(&page->html, "<section id=\"short\" aria-labelledby=\"short-title\">\n"
                               "<h2 id=\"short-title\">In short</h2>\n<dl>\n");
    for (size_t k = 0; k < sizeof say / sizeof *say; k++) {
        uint64_t before = page->html.length;
        asif_text_addf(&page->html, "<dt>%s</dt>\n<dd>", heads[k]);
        uint64_t empty = page->html.length;
        for (uint32_t g = 0; g < page->source->fits && g < GROUPS; g++)
            say[k](page, &page->source->fit[g]);
        if (page->html.length == empty && page->html.data) {
            page->html.length = before; /* there is nothing to say */
            page->html.data[before] = 0;
        } else {
            asif_text_add(&page->html, "</dd>\n");
        }
    }
    asif_text_add(&page->html, "</dl>\n");
    if (page->source->fits > GROUPS)
        asif_html_paragraph(&page->html, "The first %d of %u groups. All of them are compared below.", GROUPS,
                            page->source->fits);
    add_figure(page);
    asif_text_add(&page->html, "</section>\n");
    return ASIF_OK;
}
