/* The section on what they do, and what ideal agents would do. */
#include "report/page/page.h"

#include "acting/ideals.h"
#include "base/error.h"
#include "base/memory.h"
#include "questions/outcomes/outcomes.h"
#include "questions/predict/predictive_checks_text.h"
#include "render/words/ideal_names.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

#define ALIKE 0.025 /* relative difference below which two amounts count as equal */
#define TELLING 0.05
#define DRAWS 20 /* draws, if the ideal agents depend on estimates such as utilities */

/* A fit, and the policies of ideal agents at its histories. */
typedef struct {
    asif_page *page;
    const asif_source_fit *fit;
    const asif_yaml *histories, *conduct;
    asif_agents agents;
    asif_outcomes *outcomes; /* NULL: there are no ideal agents */
    asif_outcomes_view view;
} part;

/* ---- ideal agents ---- */

/* Compute the policies of ideal agents. These need no simulation, so it is kept as short as possible. */
static asif_status find_ideals(part *p, asif_error *error) {
    asif_outcomes_options options = ASIF_OUTCOMES_OPTIONS_BRIEF;
    asif_error refused = ASIF_ERROR_INIT;
    bool fixed = asif_ideals_fixed(p->fit->view.fitted, ASIF_WITHOUT_BOUNDS) &&
                 asif_ideals_fixed(p->fit->view.fitted, ASIF_IDEAL_TRUE);
    options.draws = fixed ? 1 : DRAWS;
    options.episodes = options.ideal_episodes = options.runs = options.max_steps = 1;
    options.loss_draws = 0;
    options.histories = p->histories ? p->histories->count : 0;
    p->view.struct_size = sizeof p->view;
    if (options.histories == 0 || !p->fit->view.fitted->tree)
        return ASIF_OK;
    asif_status status = asif_outcomes_run(&p->outcomes, p->fit->view.fitted, &options, &refused);
    if (status == ASIF_OK)
        return asif_outcomes_get(p->outcomes, &p->view, error);
    if (status != ASIF_ENOMEM && status != ASIF_ECANCELLED)
        return ASIF_OK; /* an agent without utilities has no ideal */
    if (error)
        *error = refused;
    return status;
}

/* The action that the page calls so. */
static uint32_t find_action(const asif_study *study, const char *shown) {
    char label[ASIF_LABEL_SIZE];
    for (uint32_t u = 0; u < asif_setting_count(asif_study_setting(study), ASIF_LABEL_ACTION); u++)
        if (strcmp(asif_study_shown(study, ASIF_LABEL_ACTION, u, label), shown) == 0)
            return u;
    return ASIF_ANY;
}

/* The agent in a column of ideal agents; ASIF_ANY: this fit has none there. */
static uint32_t agent_at(const part *p, uint32_t a) {
    return p->outcomes && a < p->agents.count ? p->agents.agent[a] : ASIF_ANY;
}

/* The probability with which an agent takes an action at a history; NaN: not known. */
static double policy_of(const part *p, uint32_t agent, uint32_t history, const char *action) {
    const asif_setting *setting = p->fit->view.fitted->setting;
    const asif_yaml *events = asif_yaml_list(p->histories->item[history], "history");
    uint32_t u = find_action(p->fit->view.study, action), at = 0;
    while (at < p->view.histories && p->view.history[at].run)
        at++; /* skip the runs, which come before the most frequent histories */
    at += history;
    if (!p->outcomes || at >= p->view.histories || u == ASIF_ANY || agent == ASIF_ANY)
        return NAN;
    const asif_outcome_history *found = &p->view.history[at];
    if (events && events->count != found->events)
        return NAN;
    return found->policy[(uint64_t)agent * asif_setting_count(setting, ASIF_LABEL_ACTION) + u].mean;
}

/* ---- histories ---- */

/* The action that the fitted agent takes most often. The action that people took most often would reveal
 * small counts. */
static const asif_yaml *main_action(const asif_yaml *entry, uint32_t *place, const char **name) {
    return asif_summary_most(entry, "predicted", place, name);
}

static char *percent(char *cell, double share) {
    cell[0] = 0;
    return isnan(share) ? cell : asif_percent_text(cell, share);
}

/* A share within a sentence: "more than 99.9 %". */
static char *said_percent(char *cell, double share) {
    char number[ASIF_CELL_SIZE];
    percent(number, share);
    asif_format(cell, ASIF_CELL_SIZE, "%s%.40s",
                *number == '>'   ? "more than "
                : *number == '<' ? "less than "
                                 : "",
                number + strcspn(number, "0123456789"));
    return cell;
}

static char *percent_range(char *cell, double low, double high) {
    cell[0] = 0;
    if (isnan(low) || isnan(high))
        return cell;
    if (low > 0.9995 || high < 0.0005)
        asif_format(cell, ASIF_CELL_SIZE, low > 0.9995 ? "over 99.9 %%" : "under 0.1 %%");
    else
        asif_format(cell, ASIF_CELL_SIZE, "%.1f to %.1f %%", 100 * low, 100 * high);
    return cell;
}

/* The head of a column of ideal agents, of the first group that has it. */
static const char *agent_head(const part *parts, uint32_t count, uint32_t a) {
    for (uint32_t g = 0; g < count; g++)
        if (agent_at(&parts[g], a) != ASIF_ANY)
            return asif_agents_word(&parts[g].agents, parts[g].agents.agent[a]);
    return "";
}

static char *observed_text(char *cell, const part *p, uint32_t history, uint32_t place) {
    const asif_disclosure *cells = p->fit->cells;
    return asif_share_text(cell, asif_disclosure_action(cells, history, place),
                           asif_disclosure_history(cells, history));
}

/* Add the row of a history of one group. */
static void add_history(asif_html_table *table, const part *p, uint32_t h, bool groups, uint32_t agents) {
    const asif_yaml *entry = p->histories->item[h];
    asif_text words = {.context = p->page->context};
    const char *name = "?";
    uint32_t place = 0;
    char cell[ASIF_CELL_SIZE];
    const asif_yaml *action = main_action(entry, &place, &name);
    asif_summary_history(&words, &p->fit->fit, entry, action ? name : "");
    asif_html_cell_words(table, &words);
    if (groups)
        asif_html_cell(table, p->fit->name);
    asif_html_cell(table, asif_cell_text(cell, p->fit->cells, asif_disclosure_history(p->fit->cells, h)));
    asif_html_cell(table, action ? observed_text(cell, p, h, place) : "");
    asif_html_cell(table, percent(cell, asif_yaml_value(action, "predicted")));
    asif_html_cell(table,
                   percent_range(cell, asif_yaml_value(action, "q05"), asif_yaml_value(action, "q95")));
    for (uint32_t a = 1; a < agents; a++)
        asif_html_cell(table, percent(cell, action ? policy_of(p, agent_at(p, a), h, name) : NAN));
}

/* Whether two groups are at the same history. */
static bool same_history(const part *p, uint32_t h, const part *q, uint32_t k) {
    asif_text a = {.context = p->page->context}, b = a;
    asif_summary_history(&a, &p->fit->fit, p->histories->item[h], "");
    asif_summary_history(&b, &q->fit->fit, q->histories->item[k], "");
    bool same = a.data && b.data && strcmp(a.data, b.data) == 0;
    p->page->html.failed |= a.failed || b.failed;
    asif_text_free(&a);
    asif_text_free(&b);
    return same;
}

static bool shows_histories(const part *p) {
    return p->histories && asif_disclosure_shown(p->fit->cells) > 0;
}

/* The place of a history of one group among those shown of another; ASIF_ANY: it is not shown there. */
static uint32_t place_in(const part *q, const part *p, uint32_t h) {
    for (uint32_t k = 0; shows_histories(q) && k < asif_disclosure_shown(q->fit->cells); k++)
        if (same_history(p, h, q, asif_disclosure_place(q->fit->cells, k)))
            return asif_disclosure_place(q->fit->cells, k);
    return ASIF_ANY;
}

/* Add the histories of all groups to one table: each history once, its groups one below the other. */
static void add_histories(const part *parts, uint32_t count) {
    const char *heads[6 + ASIF_AGENT_COUNT] = {"what they do"};
    const part *first = NULL;
    asif_html_table table;
    bool groups = parts->page->source->fits > 1;
    uint32_t columns = 1, agents = 0;
    for (uint32_t g = 0; g < count; g++) {
        first = first ? first : shows_histories(&parts[g]) ? &parts[g] : NULL;
        if (parts[g].outcomes && parts[g].agents.count > agents)
            agents = parts[g].agents.count;
    }
    if (!first)
        return;
    if (groups)
        heads[columns++] = "group";
    heads[columns++] = "decisions";
    heads[columns++] = "observed";
    heads[columns++] = "fitted";
    heads[columns++] = "90 % interval";
    for (uint32_t a = 1; a < agents; a++)
        heads[columns++] = agent_head(parts, count, a);
    asif_html_table_begin(&table, &parts->page->html,
                          asif_yaml_text(first->histories->item[0], "state")
                              ? "What they do in the most frequent states"
                              : "What they do after the most frequent histories",
                          columns, heads, groups ? 0x1fc : 0xfe);
    for (uint32_t g = 0; g < count; g++)
        for (uint32_t k = 0; shows_histories(&parts[g]) && k < asif_disclosure_shown(parts[g].fit->cells);
             k++) {
            uint32_t h = asif_disclosure_place(parts[g].fit->cells, k);
            bool before = false;
            for (uint32_t o = 0; o < g; o++)
                before |= place_in(&parts[o], &parts[g], h) != ASIF_ANY;
            for (uint32_t o = g; !before && o < count; o++) {
                uint32_t there = o == g ? h : place_in(&parts[o], &parts[g], h);
                if (there != ASIF_ANY)
                    add_history(&table, &parts[o], there, groups, agents);
            }
        }
    asif_html_table_end(&table);
}

/* The history at which the fitted agent differs most from the Bayes-optimal agent or the one that knows the
 * true world; without these, the second history that may be shown. */
static uint32_t telling_history(const part *p) {
    uint32_t shown = asif_disclosure_shown(p->fit->cells),
             best = asif_disclosure_place(p->fit->cells, shown > 1);
    double most = 0;
    for (uint32_t k = 0; p->outcomes && k < shown; k++) {
        uint32_t place, h = asif_disclosure_place(p->fit->cells, k);
        const char *name = NULL;
        const asif_yaml *action = main_action(p->histories->item[h], &place, &name);
        double fitted = asif_yaml_value(action, "predicted");
        for (uint32_t a = ASIF_AGENT_BAYES; action && a < ASIF_AGENT_COUNT; a++) {
            double away = fabs(fitted - policy_of(p, a, h, name));
            if (away > most + TELLING) {
                most = away;
                best = h;
            }
        }
    }
    return best;
}

static void say_history(part *p) {
    asif_text words = {.context = p->page->context};
    char cell[4][ASIF_CELL_SIZE];
    const char *name = "?";
    uint32_t place = 0;
    if (!p->histories || asif_disclosure_shown(p->fit->cells) == 0)
        return;
    uint32_t h = telling_history(p);
    const asif_yaml *entry = p->histories->item[h], *action = main_action(entry, &place, &name);
    if (!action)
        return;
    double fitted = asif_yaml_value(action, "predicted"), bayes = policy_of(p, ASIF_AGENT_BAYES, h, name),
           knows = policy_of(p, ASIF_AGENT_TRUE, h, name);
    const char *share = observed_text(cell[0], p, h, place);
    asif_summary_history_said(&words, entry);
    if (strcmp(share, "withheld") == 0)
        asif_text_addf(&words, ", the fitted agent chooses %s in %s of the cases", name,
                       said_percent(cell[1], fitted));
    else
        asif_text_addf(&words, ", they choose %s in %s of the cases (the fitted agent in %s)", name, share,
                       said_percent(cell[1], fitted));
    if (p->agents.count == 2 && !isnan(knows))
        asif_text_addf(&words, ". An ideal agent does so in %s", said_percent(cell[2], knows));
    else if (fabs(bayes - knows) < ALIKE / 10)
        asif_text_addf(&words, ". Either ideal agent does so in %s", said_percent(cell[2], knows));
    else if (!isnan(knows)) {
        asif_text_addf(&words, ". An agent that knows the true world does so in %s",
                       said_percent(cell[2], knows));
        if (!isnan(bayes))
            asif_text_addf(&words, ", a Bayes-optimal agent in %s", said_percent(cell[3], bayes));
    }
    asif_html_sentence(&p->page->html, "p", &words);
}

/* ---- measures of episodes ---- */

static const asif_yaml *measure(const part *p, uint32_t agent, const char *key) {
    return asif_yaml_part(asif_agents_part(p->conduct, agent), key);
}

static double mean(const part *p, uint32_t agent, const char *key) {
    return asif_yaml_value(measure(p, agent, key), "mean");
}

/* The measures of an episode that are shown. */
static const struct {
    const char *key, *head;
    bool share;
} measures[] = {
    {"before_end", "decisions before the end", false},
    {"wrong", "wrong final decisions", true},
    {"utility", "utility", false},
};
enum { MEASURES = 3 };

static char *amount(char *cell, double number, bool share) {
    cell[0] = 0;
    if (!isnan(number))
        asif_format(cell, ASIF_CELL_SIZE,
                    share              ? "%.1f %%"
                    : fabs(number) < 1 ? "%.2f"
                                       : "%.1f",
                    share ? 100 * number : number);
    return cell;
}

static char *amount_range(char *cell, const asif_yaml *outcome, bool share) {
    double low = asif_yaml_value(outcome, "q05"), high = asif_yaml_value(outcome, "q95");
    cell[0] = 0;
    if (isnan(low) || isnan(high))
        return cell;
    int decimals = !share && fmax(fabs(low), fabs(high)) < 1 ? 2 : 1;
    asif_format(cell, ASIF_CELL_SIZE, share ? "%.*f to %.*f %%" : "%.*f to %.*f", decimals,
                share ? 100 * low : low, decimals, share ? 100 * high : high);
    return cell;
}

static bool told(const part *p, uint32_t agent) {
    for (uint32_t n = 0; n < p->agents.count; n++)
        if (p->agents.agent[n] == agent)
            return true;
    return false;
}

/* Add what the agents of all groups come to, in one table. */
static void add_conduct(const part *parts, uint32_t count) {
    const char *heads[2 + 2 * MEASURES] = {"per episode, simulated"};
    asif_page *page = parts->page;
    bool shown[MEASURES] = {false}, ranges = false, groups = page->source->fits > 1, bayes = false,
         knows = false, ideal = false;
    uint32_t columns = 1;
    asif_html_table table;
    char cell[ASIF_CELL_SIZE];
    for (uint32_t g = 0; g < count; g++) {
        const part *p = &parts[g];
        for (uint32_t k = 0; p->conduct && k < MEASURES; k++)
            shown[k] |= !isnan(mean(p, ASIF_AGENT_FITTED, measures[k].key));
        ranges |= p->conduct && p->fit->fit.draws;
        bayes |= p->conduct && told(p, ASIF_AGENT_BAYES);
        knows |= p->conduct && told(p, ASIF_AGENT_TRUE);
        ideal |= p->conduct && p->agents.count == 2;
    }
    if (!shown[0] && !shown[1] && !shown[2])
        return;
    if (groups)
        heads[columns++] = "group";
    for (uint32_t k = 0; k < MEASURES; k++) {
        if (shown[k])
            heads[columns++] = measures[k].head;
        if (shown[k] && ranges)
            heads[columns++] = "90 % interval";
    }
    asif_html_table_begin(&table, &page->html, "Outcomes", columns, heads, groups ? 0xfc : 0x7e);
    for (uint32_t a = 0; a < ASIF_AGENT_COUNT; a++)
        for (uint32_t g = 0; g < count; g++) {
            const part *p = &parts[g];
            if (!p->conduct || !told(p, a))
                continue;
            asif_html_cell(&table, asif_agents_word(&p->agents, a));
            if (groups)
                asif_html_cell(&table, p->fit->name);
            for (uint32_t k = 0; k < MEASURES; k++) {
                if (shown[k])
                    asif_html_cell(&table, amount(cell, mean(p, a, measures[k].key), measures[k].share));
                if (shown[k] && ranges)
                    asif_html_cell(&table,
                                   amount_range(cell, measure(p, a, measures[k].key), measures[k].share));
            }
        }
    asif_html_table_end(&table);
    asif_html_paragraph(
        &page->html,
        "All agents act in the environment that the study states; intervals are those of the fit. %s%s%s%s",
        ideal ? "The ideal agent always takes the best action."
              : "The same model without bounds always takes the best action, but it does not learn which of "
                "its worlds holds.",
        bayes ? " The Bayes-optimal agent learns that within an episode. No agent with the same beliefs at "
                "the start does better, on average over the worlds."
              : "",
        knows ? " The last agent knows the true world." : "",
        shown[1]
            ? " A final decision is wrong if another one would have scored much higher, given the true state."
            : "");
    for (uint32_t g = 0; g < count; g++) {
        asif_text words = {.context = page->context};
        asif_agents_missing(&words, asif_yaml_part(parts[g].fit->fit.root, "outcomes"));
        if (words.data)
            asif_page_point(page, parts[g].fit, &words);
        else
            asif_text_free(&words);
    }
}

static int compare(double a, double b) {
    double room = ALIKE * fmax(fabs(a), fabs(b));
    return a > b + room ? 1 : a < b - room ? -1 : 0;
}

/* Comparisons with an ideal agent in words: below it, about equal, above it. */
static const char *const compared[MEASURES][3] = {
    {"decide earlier", "decide about as early", "decide later"},
    {"are wrong less often", "are wrong about as often", "are wrong more often"},
    {"gain less utility", "gain about as much utility", "gain more utility"},
};

/* Add a comparison: "decide earlier and err more often"; utility only if there is nothing else to compare. */
static void add_compared(asif_text *words, const part *p, uint32_t ideal) {
    bool any = false;
    for (uint32_t k = 0; k < MEASURES; k++) {
        double fitted = mean(p, ASIF_AGENT_FITTED, measures[k].key), other = mean(p, ideal, measures[k].key);
        if (isnan(fitted) || isnan(other) || (k == MEASURES - 1 && any))
            continue;
        asif_text_addf(words, "%s%s", any ? " and " : "", compared[k][compare(fitted, other) + 1]);
        any = true;
    }
}

static void say_conduct(part *p) {
    static const char *const verb[] = {"makes", "is wrong in", "gains"},
                             *const object[] = {"decisions before it ends an episode",
                                                "of its final decisions", "of utility per episode"};
    asif_text words = {.context = p->page->context}, bayes = {.context = p->page->context},
              knows = {.context = p->page->context};
    char cell[ASIF_AGENT_COUNT][ASIF_CELL_SIZE];
    bool both = told(p, ASIF_AGENT_BAYES);
    if (both)
        add_compared(&bayes, p, ASIF_AGENT_BAYES);
    add_compared(&knows, p, ASIF_AGENT_TRUE);
    both &= bayes.length > 0;
    if (knows.data) {
        uint32_t k = !isnan(mean(p, ASIF_AGENT_FITTED, "wrong"))        ? 1
                     : !isnan(mean(p, ASIF_AGENT_FITTED, "before_end")) ? 0
                                                                        : 2;
        const char *ideal = p->agents.count == 2 ? "the ideal agent" : "an agent that knows the true world";
        for (uint32_t a = 0; a < ASIF_AGENT_COUNT; a++)
            amount(cell[a], mean(p, a, measures[k].key), measures[k].share);
        if (both && strcmp(bayes.data, knows.data) == 0)
            asif_text_addf(&words, "compared with either ideal agent, they %s", knows.data);
        else
            asif_text_addf(&words, "compared with %s, they %s", ideal, knows.data);
        if (both && strcmp(bayes.data, knows.data) != 0)
            asif_text_addf(&words, ". Compared with the Bayes-optimal agent, they %s", bayes.data);
        asif_text_addf(&words, ". The fitted agent %s %s %s, ", verb[k], cell[ASIF_AGENT_FITTED], object[k]);
        if (both)
            asif_text_addf(&words, "the Bayes-optimal agent %s, ", cell[ASIF_AGENT_BAYES]);
        asif_text_addf(&words, "%s %s", ideal, cell[ASIF_AGENT_TRUE]);
    }
    words.failed |= bayes.failed || knows.failed;
    asif_html_sentence(&p->page->html, "p", &words);
    asif_text_free(&bayes);
    asif_text_free(&knows);
}

/* ---- what the model misses ---- */

static void say_checks(part *p) {
    const asif_yaml *checks = asif_yaml_part(p->fit->fit.root, "checks"),
                    *missed = asif_yaml_list(checks, "missed"),
                    *families = asif_yaml_list(checks, "families");
    asif_text words = {.context = p->page->context};
    double misses = asif_yaml_value(checks, "misses");
    uint32_t judged = 0;
    for (uint32_t f = 0; families && f < families->count; f++)
        judged += asif_yaml_flag(families->item[f], "judged");
    if (judged == 0)
        return;
    if (missed && missed->count > 0) {
        asif_text_add(&words, "The fitted agent misses something that they do");
        if (asif_page_tells(p->fit, asif_predictive_checks_worst(missed))) {
            asif_text_add(&words, ": ");
            asif_predictive_checks_told(&words, &p->fit->fit, asif_predictive_checks_worst(missed));
            asif_text_add(&words, misses > 1 ? ", and more" : "");
        }
        asif_text_add(&words, " (see \"Whether to believe it\")");
    } else {
        asif_text_add(&words,
                      "The fitted agent passed every predictive check (see \"Whether to believe it\")");
    }
    asif_html_sentence(&p->page->html, "p", &words);
}

static asif_status write_parts(part *parts, uint32_t count, asif_error *error) {
    for (uint32_t g = 0; g < count; g++) {
        ASIF_TRY(find_ideals(&parts[g], error));
        asif_page_group(parts[g].page, parts[g].fit);
        say_history(&parts[g]);
        say_conduct(&parts[g]);
        say_checks(&parts[g]);
    }
    if (count > 1)
        asif_html_element(&parts->page->html, "h3", "Side by side");
    add_histories(parts, count);
    add_conduct(parts, count);
    return ASIF_OK;
}

asif_status asif_page_did(asif_page *page, asif_error *error) {
    uint32_t count = page->source->fits;
    part *parts = ASIF_ARRAY(page->context, count, part);
    if (!parts)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        const asif_source_fit *fit = &page->source->fit[i];
        const asif_yaml *conduct = asif_yaml_part(asif_yaml_part(fit->fit.root, "outcomes"), "conduct");
        parts[i] = (part){.page = page,
                          .fit = fit,
                          .histories = asif_yaml_list(fit->fit.root, "histories"),
                          .conduct = conduct && conduct->kind == ASIF_YAML_MAP ? conduct : NULL,
                          .agents = asif_agents_told(asif_yaml_part(fit->fit.root, "outcomes"))};
    }
    asif_status status = write_parts(parts, count, error);
    for (uint32_t i = 0; i < count; i++)
        asif_outcomes_free(parts[i].outcomes);
    asif_free(page->context, parts);
    return status;
}
