/* The glossary at the end of the page: the words that a reader may not know, where the page uses them. */
#include "report/page/page.h"
#include "report/people/people_source.h"

#include "render/words/ideal_names.h"

typedef struct {
    const char *term, *meaning;
} entry;

static void add(asif_page *page, const char *term, const char *meaning) {
    asif_html_element(&page->html, "dt", term);
    asif_html_element(&page->html, "dd", meaning);
}

static bool estimates(const asif_page *page, const char *parameter) {
    for (uint32_t k = 0; page->people && k < page->people->numbers; k++)
        if (asif_is(page->people->number[k].parameter, parameter))
            return true;
    for (uint32_t g = 0; g < page->source->fits; g++)
        for (uint32_t i = 0; i < page->source->fit[g].fit.numbers; i++)
            if (asif_is(page->source->fit[g].fit.number[i].parameter, parameter))
                return true;
    return false;
}

static bool has_agent(const asif_page *page, uint32_t agent) {
    for (uint32_t g = 0; g < page->source->fits; g++) {
        const asif_yaml *outcomes = asif_yaml_part(page->source->fit[g].fit.root, "outcomes"),
                        *conduct = asif_yaml_part(outcomes, "conduct");
        const asif_agents agents = asif_agents_told(outcomes);
        for (uint32_t n = 0; conduct && conduct->kind == ASIF_YAML_MAP && n < agents.count; n++)
            if (agents.agent[n] == agent)
                return true;
    }
    return false;
}

static bool uses(const asif_page *page, const char *method) {
    for (uint32_t g = 0; g < page->source->fits; g++)
        if (asif_is(page->source->fit[g].fit.method, method))
            return true;
    return false;
}

static bool draws(const asif_page *page) {
    return page->source->fit[0].fit.draws;
}

void asif_page_glossary_numbers(asif_page *page) {
    static const entry numbers[] = {
        {"alpha", "Choice randomness (alpha) says how much better an action has to be before they choose it "
                  "reliably. At 0 they always take the best action."},
        {"optimism", "Optimism (1/beta) above 0 gives more weight to candidate worlds in which things turn "
                     "out well, below 0 to those in which they turn out badly. 0 is neutral."},
        {"eta", "A taste for surprise (eta) above 0 favours actions whose results are hard to predict, below "
                "0 those whose results are easy to predict."},
        {"discount", "The discount says how much a utility one step later counts, compared with now."},
        {"lapse", "A lapse is a decision that is made without looking, at the frequencies of the action "
                  "prior."},
    };
    static const char *const terms[] = {"Choice randomness", "Optimism", "Taste for surprise", "Discount",
                                        "Lapses"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (estimates(page, numbers[i].term))
            add(page, terms[i], numbers[i].meaning);
}

static void add_agents(asif_page *page) {
    static const entry agents[ASIF_AGENT_COUNT] = {
        [ASIF_AGENT_FITTED] = {"Fitted agent",
                               "The agent of the model whose actions are most like those in the data."},
        [ASIF_AGENT_WITHOUT_BOUNDS] = {"Same model, no bounds",
                                       "The fitted agent without its bounds. It always takes the best action "
                                       "by its own model, but does not learn which of its worlds holds."},
        [ASIF_AGENT_BAYES] = {"Bayes-optimal agent",
                              "The best agent that begins with the same beliefs. It learns within an episode "
                              "which world holds."},
        [ASIF_AGENT_TRUE] = {"Knows the true world",
                             "An agent without bounds that knows the environment, but not the state."},
    };
    for (uint32_t a = 0; a < ASIF_AGENT_COUNT; a++)
        if (has_agent(page, a))
            add(page, agents[a].term, agents[a].meaning);
}

asif_status asif_page_glossary(asif_page *page, asif_error *error) {
    (void)error;
    asif_text_add(&page->html, "<dl>\n");
    add(page, "Episode", "One case from its first decision to its last, such as one patient.");
    if (!page->source->fit[0].view.fitted->setting ||
        asif_setting_get(page->source->fit[0].view.fitted->setting)->observations)
        add(page, "History",
            "What was done and seen so far in an episode. \"a\xe2\x86\x92x\" means that x was seen after a.");
    add(page, "Bounds",
        "What keeps an agent from the best decisions: randomness, optimism, a taste for "
        "surprise, and uncertainty about worlds.");
    add(page, "Candidate worlds", "The models of the environment that the decision-maker may believe in.");
    add_agents(page);
    asif_page_glossary_numbers(page);
    add(page, "Utility", "What they want, as a number. Its unit is that of the utilities in the study.");
    add(page, "90 % interval",
        draws(page) ? "It contains the number with a probability of 90 %, given the data, the model and the "
                      "prior."
                    : "It is computed from the curvature at the maximum, and is only approximate.");
    if (draws(page))
        add(page, "Identified",
            "Yes: the data determine the number. Weakly: they determine it together with others. No: the "
            "estimate is about what the prior says.");
    add(page, "Predictive check",
        "A comparison of the data with decisions that the fitted agent would have made. The model fails "
        "a check if they differ by more than chance allows.");
    if (uses(page, "ridge"))
        add(page, "k-hat",
            "It measures whether a few draws have nearly all the weight. It is good below 0.7.");
    if (draws(page) && !uses(page, "ridge"))
        add(page, "R-hat", "It compares the chains with each other. It is good near 1.");
    if (draws(page))
        add(page, "Effective sample size",
            "How many independent draws would determine the numbers as well as these draws do.");
    add(page, "Nat",
        "The unit of log-likelihood. One nat is a factor of 2.7 in the likelihood, 3 nats are a "
        "factor of 20.");
    if (page->source->request->min_cell > 0)
        add(page, "Ranges of counts",
            "Small counts could identify people, so counts are shown as ranges such as 484 to 494. These "
            "ranges are not intervals of uncertainty.");
    asif_text_add(&page->html, "</dl>\n");
    return ASIF_OK;
}
