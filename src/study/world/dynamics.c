/* The section `environment`: the true dynamics. */
#include "study/study_reader.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

/* Read the start of one class: a distribution, or `learn`. */
static bool read_class(asif_reader *draft, const asif_yaml *node, const char *text, const char *what,
                       bool may_learn, uint32_t i, asif_starts *out) {
    if (asif_reader_is_by_part(draft, node))
        return asif_reader_part_start(draft, node, what, out->p + (uint64_t)i * draft->states.count);
    if (!asif_reader_learns(node, &draft->states))
        return asif_reader_distribution(draft, node, &draft->states, what,
                                        out->p + (uint64_t)i * draft->states.count);
    if (!may_learn) {
        asif_reader_error(draft, node, "%s cannot be estimated: it is the world as it is", what);
        return asif_reader_hint(draft, "what the agent believes can be: `start: learn` under `agent`");
    }
    if (draft->parts) {
        asif_reader_error(draft, node, "%s cannot be estimated yet where a part of the state is seen", what);
        return asif_reader_hint(draft, "give the probabilities: {PART: uniform, ...}");
    }
    if (draft->sees_states) {
        asif_reader_error(draft, node, "%s cannot be estimated: the agent sees the state", what);
        return asif_reader_hint(draft, "what it believes before it looks does not change what it does");
    }
    if (!out->learn) {
        out->learn = asif_reader_alloc(draft, out->classes, sizeof *out->learn);
        out->prior = asif_reader_alloc(draft, out->classes, sizeof *out->prior);
    }
    if (!out->learn || !out->prior)
        return false;
    out->learn[i] = node;
    return asif_reader_learn(draft, node, text, ASIF_START, draft->states.count, &out->prior[i]);
}

static bool read_classes(asif_reader *draft, const asif_yaml *node, const char *what, bool may_learn,
                         asif_starts *out) {
    const asif_yaml *by = asif_yaml_get(node, "by");
    if (draft->parts) {
        asif_reader_error(draft, node, "%s cannot be by a column where a part of the state is seen", what);
        return asif_reader_hint(draft, "make the column a seen part of the state");
    }
    if (!asif_reader_kind(draft, by, ASIF_YAML_SCALAR, "`by`"))
        return false;
    if (node->count < 2) {
        asif_reader_parse_error(draft, node, "%s by `%s` names no class", what, asif_show(by->text).text);
        return asif_reader_hint(draft, "write {by: COLUMN, CLASS: [...], CLASS: [...]}");
    }
    const char **names = asif_reader_alloc(draft, node->count, sizeof *names);
    asif_starts starts = {.at = node, .classes = node->count, .column = by->text, .name = names};
    starts.p = asif_reader_alloc(draft, (uint64_t)node->count * draft->states.count, sizeof *starts.p);
    if (!names || !starts.p)
        return false;
    bool good = true;
    uint32_t classes = 0;
    for (uint32_t i = 0, next = 0; i < node->count; i = next) {
        const char *text = asif_reader_joined(draft, node, i, &next);
        if (strcmp(node->key[i]->text, "by") == 0)
            continue;
        char of[128];
        asif_format(of, sizeof of, "%s of `%s`", what, asif_show(node->key[i]->text).text);
        names[classes] = node->key[i]->text;
        good = read_class(draft, node->item[i], text, of, may_learn, classes++, &starts) && good;
    }
    starts.classes = classes;
    if (good)
        *out = starts;
    return good;
}

bool asif_reader_starts(asif_reader *draft, const asif_yaml *node, const char *what, bool may_learn,
                        asif_starts *out) {
    if (!draft->states.count)
        return false;
    if (node->kind == ASIF_YAML_MAP && asif_yaml_get(node, "by"))
        return read_classes(draft, node, what, may_learn, out);
    asif_starts one = {.at = node, .classes = 1};
    one.p = asif_reader_alloc(draft, draft->states.count, sizeof *one.p);
    if (!one.p || !read_class(draft, node, node->text, what, may_learn, 0, &one))
        return false;
    *out = one;
    return true;
}

static void read_start(asif_reader *draft, const asif_yaml *node) {
    if (asif_reader_starts(draft, node, "start", !draft->sees_states, &draft->start))
        asif_reader_hidden_starts(draft, &draft->start);
}

static void read_reset(asif_reader *draft, const asif_yaml *node) {
    if (draft->horizon) {
        asif_reader_error(draft, node,
                          "`reset` is not possible with a `horizon`: nothing follows an episode");
        asif_reader_hint(draft, "remove `reset`, or the `horizon`");
        return;
    }
    if (asif_reader_starts(draft, node, "reset", false, &draft->reset) && draft->reset.column) {
        asif_reader_error(draft, node, "`reset` cannot be by a column of the logs");
        asif_reader_hint(draft, "give one distribution, the mixture of the classes");
    }
}

static void read_transitions(asif_reader *draft, const asif_yaml *node) {
    if (asif_reader_given_by_file(draft, node, "transitions") || !asif_reader_spaces_known(draft))
        return;
    if (asif_reader_dynamics(draft, node, ASIF_READER_TRANSITIONS, draft->transitions))
        draft->transitions_known = true;
}

static void read_emissions(asif_reader *draft, const asif_yaml *node) {
    if (asif_reader_given_by_file(draft, node, "emissions") || !asif_reader_spaces_known(draft))
        return;
    if (draft->sees_states) {
        asif_reader_error(draft, node, "`emissions` without `observations`");
        asif_reader_hint(
            draft, "list the `observations` at the top, or remove the emissions if the agent sees the state");
        return;
    }
    if (!asif_reader_dynamics(draft, node, ASIF_READER_EMISSIONS, draft->emissions))
        return;
    for (uint32_t u = 0; u < draft->actions.count; u++) {
        if (draft->emissions[u] == ASIF_READER_UNSET) {
            asif_reader_error(draft, node, "the emissions of the action `%s` are missing",
                              asif_show_label(&draft->actions, u).text);
            asif_reader_hint(draft, "name every action, or give `any` for the others");
            return;
        }
    }
    draft->emissions_known = true;
}

static void read_ends(asif_reader *draft, const asif_yaml *node) {
    if (draft->actions.count && (draft->ends = asif_reader_alloc(draft, draft->actions.count, sizeof(bool))))
        asif_reader_marks(draft, node, &draft->actions, "`ends`", draft->ends);
}

/* Mark seen values after which nothing follows, named as parts of states. */
static void read_terminal_parts(asif_reader *draft, const asif_yaml *node) {
    uint32_t S = draft->states.count, H = draft->hidden_values, conditions = 0,
             count = node->kind == ASIF_YAML_LIST ? node->count : 1;
    bool *marked = asif_reader_alloc(draft, S, sizeof *marked);
    draft->terminal = asif_reader_alloc(draft, S, sizeof *draft->terminal);
    for (uint32_t i = 0; marked && draft->terminal && i < count; i++) {
        const asif_yaml *key = node->kind == ASIF_YAML_LIST ? node->item[i] : node;
        if (!asif_reader_kind(draft, key, ASIF_YAML_SCALAR, "`terminal`") ||
            !asif_reader_select(draft, key, marked, &conditions))
            return;
        for (uint32_t s = 0; s < S; s++) {
            if (marked[s] != marked[s / H * H]) {
                asif_reader_error(draft, key,
                                  "`terminal` must name seen parts only: the agent knows whether "
                                  "anything follows");
                asif_reader_hint(draft, "write PART=VALUE of a seen part");
                return;
            }
            draft->terminal[s] = draft->terminal[s] || marked[s];
        }
    }
}

static void read_terminal(asif_reader *draft, const asif_yaml *node) {
    if (draft->parts) {
        read_terminal_parts(draft, node);
        return;
    }
    if (!draft->sees_states) {
        asif_reader_error(draft, node, "`terminal` states are possible only where the agent sees the state");
        asif_reader_hint(draft, "name the actions that close an episode under `ends` instead");
        return;
    }
    if (draft->states.count &&
        (draft->terminal = asif_reader_alloc(draft, draft->states.count, sizeof(bool))))
        asif_reader_marks(draft, node, &draft->states, "`terminal`", draft->terminal);
}

static const asif_study_key keys[] = {
    {"pomdp", NULL, "a problem in Cassandra's format: spaces, dynamics, rewards, discount, start"},
    {"mdp", NULL, "a large sparse problem in Storm's explicit format"},
    {"reward_model", NULL, "name of the reward model of an `mdp` file"},
    {"start", read_start, "probabilities of the states at the beginning of an episode"},
    {"ends", read_ends, "actions that close an episode of the logs"},
    {"terminal", read_terminal, "states after which nothing follows"},
    {"available", asif_reader_read_available, "when an action can be taken, by the seen part of the state"},
    {"horizon", asif_reader_read_horizon, "decisions that an episode has at most"},
    {"reset", read_reset, "what `reset` draws the next state from"},
    {"increments", asif_reader_read_increments, "increments that transitions name"},
    {"transitions", read_transitions, "probabilities of the next state"},
    {"emissions", read_emissions, "probabilities of the observations"},
};

/* Set the transitions of actions that the study does not mention: `reset` for those that end an episode
 * (`terminal` with a horizon), else `identity`. */
static void default_transitions(asif_reader *draft) {
    bool said = false;
    for (uint32_t u = 0; u < draft->actions.count; u++)
        said = said || draft->transitions[u] != ASIF_READER_UNSET;
    for (uint32_t u = 0; u < draft->actions.count; u++)
        if (draft->transitions[u] == ASIF_READER_UNSET)
            draft->transitions[u] = !(draft->ends && draft->ends[u]) ? asif_reader_identity(draft)
                                    : draft->horizon                 ? ASIF_READER_TERMINAL
                                                                     : ASIF_READER_RESET;
    if (!said)
        draft->transitions_known = true;
}

/* Note an ending action that has the transitions of all other actions, which is probably a mistake. */
static void check_ends(asif_reader *draft, const asif_yaml *transitions) {
    if (!draft->ends || !transitions || transitions->kind == ASIF_YAML_MAP || draft->horizon ||
        asif_reader_is(transitions, "reset") || asif_reader_is(transitions, "terminal"))
        return;
    for (uint32_t u = 0; u < draft->actions.count; u++) {
        if (draft->ends[u]) {
            asif_reader_problem(draft, ASIF_PROBLEM_NOTE, ASIF_OK, transitions,
                                "these transitions are also those of `%s`, which ends an episode",
                                asif_show_label(&draft->actions, u).text);
            asif_reader_hint(draft, "give them by action, with `reset` for what ends an episode");
            return;
        }
    }
}

void asif_reader_read_environment(asif_reader *draft, const asif_yaml *node) {
    uint32_t actions = draft->actions.count;
    bool known = asif_reader_spaces_known(draft);
    if (known && !draft->file_at) {
        draft->transitions = asif_reader_alloc(draft, actions, sizeof *draft->transitions);
        draft->emissions = asif_reader_alloc(draft, actions, sizeof *draft->emissions);
        for (uint32_t u = 0; draft->transitions && draft->emissions && u < actions; u++)
            draft->transitions[u] = draft->emissions[u] = ASIF_READER_UNSET;
    }
    if (known)
        draft->stops = asif_reader_alloc(draft, actions, sizeof *draft->stops);
    if (draft->stop)
        return;
    bool good = asif_reader_section(draft, node, "environment", keys, COUNT(keys));
    if (node->kind != ASIF_YAML_MAP || !known || draft->stop)
        return;
    const asif_yaml *reward_model = asif_yaml_get(node, "reward_model");
    if (reward_model && !asif_yaml_get(node, "mdp"))
        asif_reader_error(draft, reward_model, "`reward_model` is for an `mdp` file");
    if (good && !asif_yaml_get(node, "start") && !draft->file_at) {
        asif_reader_problem(draft, ASIF_PROBLEM_NOTE, ASIF_OK, node,
                            "no `start` is given: all states are as likely");
        asif_reader_hint(draft, "write `start: uniform` to say so, or give the probabilities");
        double *p = asif_reader_alloc(draft, draft->states.count, sizeof *p);
        for (uint32_t s = 0; p && s < draft->states.count; s++)
            p[s] = 1.0 / draft->states.count;
        if (p)
            draft->start = (asif_starts){.at = node, .classes = 1, .p = p};
    }
    asif_reader_mark_stops(draft);
    if (draft->file_at)
        return;
    const asif_yaml *transitions = asif_yaml_get(node, "transitions");
    if (!transitions || draft->transitions_known)
        default_transitions(draft);
    check_ends(draft, transitions);
    if (good && !draft->sees_states && !asif_yaml_get(node, "emissions")) {
        asif_reader_error(draft, node, "the environment has no `emissions`");
        asif_reader_hint(draft, "give the probabilities of the observations in each state");
    }
}
