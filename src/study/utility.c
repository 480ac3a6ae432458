/* The section `utility`: a sum of terms by action and state, by observation, by belief, or by the columns of
 * a table. */
#include "study/study_reader.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

#define RAMP "{ramp: certainty, from: 0.8, to: 1, add: 2.5}"

/* The amount of a term: a number, a parameter, or a number times a parameter. */
typedef struct {
    uint32_t parameter;
    double coefficient;
} reference;

static bool read_name(asif_reader *draft, const asif_yaml *node, const char *name, reference *out) {
    return asif_reader_utility_name(draft, node, name, &out->parameter);
}

/* Conditions that are numbers may be factors. */
static bool read_product(asif_reader *draft, const asif_yaml *node, reference *out) {
    asif_expression e;
    if (!asif_reader_expression(draft, node, &e))
        return false;
    if (e.count != 1 || e.product[0].parts) {
        asif_reader_parse_error(draft, node, "`%s` is not a single product here", asif_show(node->text).text);
        return asif_reader_hint(draft, "write a number, a parameter, or numbers times a parameter");
    }
    *out = (reference){e.product[0].parameter, e.product[0].coefficient};
    return true;
}

static bool read_reference(asif_reader *draft, const asif_yaml *node, reference *out) {
    *out = (reference){ASIF_ANY, 1};
    if (node->kind == ASIF_YAML_LIST) {
        asif_reader_parse_error(draft, node,
                                "a utility must be a number or the name of a parameter, not a list");
        return asif_reader_hint(draft, "give it by state: {STATE: NUMBER, ...}");
    }
    if (!asif_reader_kind(draft, node, ASIF_YAML_SCALAR, "a utility"))
        return false;
    if (draft->conditions)
        return read_product(draft, node, out);
    const char *text = node->text, *star = strchr(text, '*');
    double number = 0;
    if (!node->quoted && asif_number_read(text, strlen(text), &number)) {
        if (!isfinite(number)) {
            asif_reader_error(draft, node, "a utility must be finite, not %s", asif_show(text).text);
            return asif_reader_hint(draft, "give a large number instead");
        }
        out->coefficient = number;
        return true;
    }
    if (star) {
        size_t length = (size_t)(star - text);
        while (length > 0 && text[length - 1] == ' ')
            length--;
        if (!asif_number_read(text, length, &out->coefficient) || !isfinite(out->coefficient)) {
            asif_reader_parse_error(draft, node, "`%s` cannot be read", asif_show(text).text);
            return asif_reader_hint(
                draft, "a utility is a number, a parameter, or a number times a parameter: 2.5 * "
                       "cost");
        }
        text = star + 1 + strspn(star + 1, " ");
    } else if (text[0] == '-') {
        out->coefficient = -1;
        text += 1 + strspn(text + 1, " ");
    }
    if (text[0] >= '0' && text[0] <= '9')
        return asif_reader_number(draft, node, "a utility", &number);
    return read_name(draft, node, text, out);
}

static bool add(asif_reader *draft, asif_utility_term term, reference ref) {
    term.parameter = ref.parameter;
    term.coefficient = ref.coefficient;
    return asif_reader_add_term(draft, &term);
}

/* Add a term by label; what is shown beside a seen value stands for it whatever is seen. */
static bool add_by_label(asif_reader *draft, const asif_labels *labels, asif_utility_term term,
                         reference ref) {
    uint32_t index = term.index;
    if (!draft->parts || labels != &draft->shown || index == ASIF_ANY)
        return add(draft, term, ref);
    bool good = true;
    for (uint32_t y = 0; good && y < draft->seen_values; y++) {
        term.index = y * labels->count + index;
        good = add(draft, term, ref);
    }
    return good;
}

/* Add an expression at a state, or at all of them if `state` is ASIF_ANY. */
static bool add_expression(asif_reader *draft, const asif_expression *e, asif_utility_term term,
                           uint32_t state) {
    bool good = true;
    for (uint32_t i = 0; i < e->count; i++) {
        const struct asif_product *p = &e->product[i];
        bool varies = p->parts > 0 && state == ASIF_ANY;
        for (uint32_t s = varies ? 0 : state; good; s++) {
            double factor = s == ASIF_ANY ? p->coefficient : asif_reader_factor(draft, p, s);
            term.index = s;
            good = factor == 0 || add(draft, term, (reference){p->parameter, factor});
            if (!varies || s + 1 == draft->states.count)
                break;
        }
    }
    return good;
}

/* Read {PARTS: expression, ..., any: expression} where a part of the state is seen. */
static bool read_by_parts(asif_reader *draft, const asif_yaml *node, asif_utility_term term) {
    uint32_t n = draft->states.count, *of = asif_reader_alloc(draft, n, sizeof *of);
    asif_expression *e = asif_reader_alloc(draft, (uint64_t)node->count + 1, sizeof *e);
    const asif_yaml *any = asif_yaml_get(node, "any");
    if (!of || !e || !asif_reader_assign(draft, node, of))
        return false;
    bool good = true;
    for (uint32_t i = 0; i < node->count; i++)
        good = asif_reader_expression(draft, node->item[i], &e[i]) && good;
    if (any)
        good = asif_reader_expression(draft, any, &e[node->count]) && good;
    for (uint32_t s = 0; good && s < n; s++) {
        if (of[s] == ASIF_ANY && !any) {
            asif_reader_error(draft, node, "the utility of the state `%s` is missing",
                              asif_show_label(&draft->states, s).text);
            return asif_reader_hint(draft, "name every state, or give `any` for the others");
        }
        good = add_expression(draft, &e[of[s] == ASIF_ANY ? node->count : of[s]], term, s);
    }
    return good;
}

/* Read {LABEL: amount, ..., any: amount}. If `all`, every label must be covered. Keys in `skip` are not
 * labels. */
static bool read_by_label(asif_reader *draft, const asif_yaml *node, const asif_labels *labels, bool all,
                          const char *const *skip, asif_utility_term term) {
    bool *named = asif_reader_alloc(draft, labels->count, sizeof *named), good = named != NULL;
    const asif_yaml *any = asif_yaml_get(node, "any");
    reference ref = {ASIF_ANY, 1};
    uint32_t names = 0;
    for (uint32_t i = 0; named && i < node->count; i++) {
        bool skipped = strcmp(node->key[i]->text, "any") == 0;
        for (uint32_t k = 0; skip && skip[k]; k++)
            skipped = skipped || strcmp(node->key[i]->text, skip[k]) == 0;
        if (skipped)
            continue;
        if (!asif_reader_label(draft, node->key[i], labels, &term.index)) {
            good = false;
            continue;
        }
        named[term.index] = true;
        names++;
        good = read_reference(draft, node->item[i], &ref) && add_by_label(draft, labels, term, ref) && good;
    }
    if (any && !read_reference(draft, any, &ref))
        return false;
    if (any && names == 0) {
        term.index = ASIF_ANY;
        return add(draft, term, ref);
    }
    for (uint32_t i = 0; good && i < labels->count; i++) {
        if (named[i])
            continue;
        term.index = i;
        if (any) {
            good = add_by_label(draft, labels, term, ref);
        } else if (all) {
            asif_reader_error(draft, node, "the utility of the %s `%s` is missing", labels->what,
                              asif_show_label(labels, i).text);
            return asif_reader_hint(draft, "name every %s, or give `any` for the others", labels->what);
        }
    }
    return good;
}

static const struct {
    const char *sign;
    int test;
} tests[] = {{">=", ASIF_AT_LEAST}, {"<=", ASIF_AT_MOST}, {">", ASIF_ABOVE}, {"<", ASIF_BELOW}};

static bool read_when(asif_reader *draft, const asif_yaml *node, asif_utility_term *term) {
    const char *text = node->text, *sign = text + strcspn(text, "<>");
    size_t length = (size_t)(sign - text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    char *name = asif_reader_alloc(draft, (uint64_t)length + 1, 1);
    if (!name)
        return false;
    memcpy(name, text, length);
    for (uint32_t i = 0; i < COUNT(tests); i++) {
        size_t skip = strlen(tests[i].sign);
        if (strncmp(sign, tests[i].sign, skip) != 0)
            continue;
        const char *number = sign + skip + strspn(sign + skip, " ");
        memcpy(&term->test, &tests[i].test, sizeof term->test);
        if (!asif_number_read(number, strlen(number), &term->threshold) || !(term->threshold >= 0) ||
            term->threshold > 1)
            break;
        term->index = asif_labels_find(&draft->states, name);
        if (term->index != ASIF_ANY || strcmp(name, "certainty") == 0)
            return true;
        asif_reader_error(draft, node, "`%s` is neither `certainty` nor a state", asif_show(name).text);
        return asif_reader_hint(draft, "the states are %s", asif_list_labels(&draft->states).text);
    }
    asif_reader_parse_error(draft, node, "`when: %s` cannot be read", asif_show(text).text);
    return asif_reader_hint(
        draft, "write `certainty` or a state, one of > >= < <=, and a probability: certainty > 0.9");
}

static bool read_ramp_end(asif_reader *draft, const asif_yaml *node, const char *key, double *out) {
    const asif_yaml *end = asif_yaml_get(node, key);
    if (end)
        return asif_reader_probability(draft, end, key, out);
    asif_reader_parse_error(draft, node, "the ramp has no `%s`", key);
    return asif_reader_hint(draft, RAMP);
}

/* Read {ramp: certainty, from: 0.8, to: 1}. */
static bool read_ramp(asif_reader *draft, const asif_yaml *node, const asif_yaml *ramp,
                      asif_utility_term *term) {
    term->test = ASIF_RAMP;
    term->index = asif_labels_find(&draft->states, ramp->text);
    if (term->index == ASIF_ANY && !asif_reader_is(ramp, "certainty")) {
        asif_reader_error(draft, ramp, "`%s` is neither `certainty` nor a state", asif_show(ramp->text).text);
        return asif_reader_hint(draft, "the states are %s", asif_list_labels(&draft->states).text);
    }
    bool good = read_ramp_end(draft, node, "from", &term->threshold);
    if (!read_ramp_end(draft, node, "to", &term->full) || !good)
        return false;
    if (term->full != term->threshold)
        return true;
    asif_reader_error(draft, asif_yaml_get(node, "to"), "a ramp from %s to the same is a jump",
                      asif_show_number(term->full).text);
    return asif_reader_hint(draft, RAMP);
}

/* The node that says by which belief: `when` or `ramp`; NULL if the node is not a term by belief, as where
 * these words are labels. */
static const asif_yaml *find_belief(const asif_yaml *node, const asif_labels *labels, bool *ramp) {
    static const char *const words[] = {"when", "ramp"};
    for (uint32_t i = 0; i < COUNT(words); i++) {
        const asif_yaml *by = asif_yaml_get(node, words[i]);
        *ramp = i == 1;
        if (by && asif_labels_find(labels, words[i]) == ASIF_ANY)
            return by;
    }
    return NULL;
}

/* Read {when: ..., add: ...} or {ramp: ..., from: ..., to: ..., add: ...}. If `free`, the term is outside the
 * entries of actions and may name its actions. */
static bool read_belief_term(asif_reader *draft, const asif_yaml *node, bool free, asif_utility_term *term,
                             reference *ref) {
    static const asif_study_key when_keys[] = {
        {"when", NULL, "a test of the belief"},
        {"add", NULL, "what is added where the belief passes it"},
        {"action", NULL, "the actions it is added for; all if left out"},
    };
    static const asif_study_key ramp_keys[] = {
        {"ramp", NULL, "`certainty`, or a state"},
        {"from", NULL, "the probability at which nothing is added"},
        {"to", NULL, "the probability at which all is added"},
        {"add", NULL, "what is added at `to`"},
        {"action", NULL, "the actions it is added for; all if left out"},
    };
    bool ramp = false;
    const asif_yaml *by = find_belief(node, free ? &draft->actions : &draft->states, &ramp),
                    *amount = asif_yaml_get(node, "add");
    draft->by_belief_at = node;
    if (draft->sees_states) {
        asif_reader_error(draft, node, "a utility by belief, but the agent sees the state");
        return asif_reader_hint(
            draft, "without `observations` there is nothing to be uncertain of: give the utility by state");
    }
    if (!asif_reader_kind(draft, by, ASIF_YAML_SCALAR, ramp ? "`ramp`" : "`when`"))
        return false;
    bool good = asif_reader_keys(draft, node, "utility", ramp ? ramp_keys : when_keys,
                                 (ramp ? COUNT(ramp_keys) : COUNT(when_keys)) - !free);
    if (!amount && good) {
        asif_reader_parse_error(draft, node, "the utility `%s: %s` adds nothing", ramp ? "ramp" : "when",
                                asif_show(by->text).text);
        asif_reader_hint(draft, "say how much: %s", ramp ? RAMP : "{when: certainty > 0.9, add: 2.5}");
        good = false;
    }
    good = (ramp ? read_ramp(draft, node, by, term) : read_when(draft, by, term)) && good;
    return amount && read_reference(draft, amount, ref) && good;
}

static bool is_belief_term(const asif_reader *draft, const asif_yaml *node) {
    bool ramp = false;
    return node->kind == ASIF_YAML_MAP && find_belief(node, &draft->states, &ramp);
}

/* The `* state` in the text of a utility that is proportional to the number of the state; NULL if there is
 * none. */
static const char *find_times_state(asif_reader *draft, const char *text) {
    const char *star = strrchr(text, '*');
    if (!star || strcmp(star + 1 + strspn(star + 1, " "), "state") != 0 ||
        asif_reader_find_parameter(draft, "state"))
        return NULL;
    return star;
}

/* Read a utility such as -0.001 * cost * state, where the states are numbers. */
static bool read_times_state(asif_reader *draft, const asif_yaml *node, const char *star,
                             asif_utility_term term) {
    size_t length = (size_t)(star - node->text);
    while (length > 0 && node->text[length - 1] == ' ')
        length--;
    char *before = asif_reader_alloc(draft, length + 1, 1);
    if (!before)
        return false;
    memcpy(before, node->text, length);
    asif_yaml factor = *node;
    factor.text = before;
    reference ref = {ASIF_ANY, 1};
    if (!read_reference(draft, &factor, &ref))
        return false;
    for (uint32_t s = 0; s < draft->states.count; s++) {
        double number = s;
        const char *name = draft->states.name ? draft->states.name[s] : NULL;
        if (name && (!asif_number_read(name, strlen(name), &number) || !isfinite(number))) {
            asif_reader_error(draft, node, "`* state` needs states that are numbers, not `%s`",
                              asif_show(name).text);
            return asif_reader_hint(draft, "give the utility by state: {%s: ..., ...}", asif_show(name).text);
        }
        term.index = s;
        reference here = {ref.parameter, ref.coefficient * number};
        if (here.coefficient != 0 && !add(draft, term, here))
            return false;
    }
    return true;
}

/* Read the utility of an action: for all states, by state, by belief, or a list of these, which is summed. */
static bool read_action(asif_reader *draft, const asif_yaml *node, uint32_t action) {
    asif_utility_term term = {.by = ASIF_BY_STATE, .action = action, .index = ASIF_ANY};
    reference ref = {ASIF_ANY, 1};
    if (node->kind == ASIF_YAML_LIST) {
        /* A list of several plain numbers is probably meant as a row by state, not as a sum. */
        uint32_t plain = 0;
        for (uint32_t i = 0; i < node->count; i++)
            plain += !is_belief_term(draft, node->item[i]);
        bool good = plain <= 1 && node->count > plain;
        if (!good)
            return read_reference(draft, node, &ref);
        for (uint32_t i = 0; i < node->count; i++)
            good = read_action(draft, node->item[i], action) && good;
        return good;
    }
    const char *star = node->kind == ASIF_YAML_SCALAR ? find_times_state(draft, node->text) : NULL;
    if (star)
        return read_times_state(draft, node, star, term);
    if (node->kind == ASIF_YAML_SCALAR && (draft->parts || draft->conditions)) {
        asif_expression e;
        return asif_reader_expression(draft, node, &e) && add_expression(draft, &e, term, ASIF_ANY);
    }
    if (node->kind != ASIF_YAML_MAP)
        return read_reference(draft, node, &ref) && add(draft, term, ref);
    if (!is_belief_term(draft, node) && draft->parts)
        return read_by_parts(draft, node, term);
    if (!is_belief_term(draft, node))
        return read_by_label(draft, node, &draft->states, true, NULL, term);
    term.by = ASIF_BY_BELIEF;
    return read_belief_term(draft, node, false, &term, &ref) && add(draft, term, ref);
}

static void read_by_action(asif_reader *draft, const asif_yaml *node, bool *covered) {
    bool *named = asif_reader_alloc(draft, draft->actions.count, sizeof *named);
    const asif_yaml *any = asif_yaml_get(node, "any");
    uint32_t names = 0;
    for (uint32_t i = 0; named && i < node->count; i++) {
        uint32_t action = 0;
        const char *key = node->key[i]->text;
        if (strcmp(key, "any") == 0)
            continue;
        names++;
        if (asif_labels_find(&draft->actions, key) == ASIF_ANY &&
            asif_labels_find(&draft->states, key) != ASIF_ANY) {
            asif_reader_error(draft, node->key[i], "there is no action `%s`; it is a state",
                              asif_show(key).text);
            asif_reader_hint(draft, "utility is by action first: {any: {%s: ...}}", asif_show(key).text);
            continue;
        }
        if (!asif_reader_label(draft, node->key[i], &draft->actions, &action))
            continue;
        named[action] = covered[action] = true;
        read_action(draft, node->item[i], action);
    }
    for (uint32_t u = 0; named && any && u < draft->actions.count; u++) {
        covered[u] = true;
        /* An error in `any` is reported once, not for every action. */
        if (!named[u] && !read_action(draft, any, names ? u : ASIF_ANY))
            return;
        if (names == 0)
            memset(named, 1, draft->actions.count);
    }
}

/* Read the actions that `action` names; NULL if it is left out or `any`. */
static bool read_actions(asif_reader *draft, const asif_yaml *node, bool **out) {
    const asif_yaml *action = asif_yaml_get(node, "action");
    *out = NULL;
    if (!action || asif_reader_is(action, "any"))
        return true;
    *out = asif_reader_alloc(draft, draft->actions.count, sizeof **out);
    return *out && asif_reader_marks(draft, action, &draft->actions, "`action`", *out);
}

static void cover(const asif_reader *draft, const bool *actions, bool *covered) {
    for (uint32_t u = 0; u < draft->actions.count; u++)
        covered[u] = covered[u] || !actions || actions[u];
}

static void read_by_observation(asif_reader *draft, const asif_yaml *node, bool *covered) {
    static const char *const skip[] = {"on", "action", NULL};
    bool *actions = NULL;
    draft->by_observation_at = node;
    if (draft->sees_states) {
        asif_reader_error(draft, node, "a utility by observation, but there are no `observations`");
        asif_reader_hint(draft, "where the agent sees the state, give the utility by action and state");
        return;
    }
    if (!read_actions(draft, node, &actions))
        return;
    cover(draft, actions, covered);
    for (uint32_t u = 0; u < draft->actions.count && !draft->stop; u++) {
        asif_utility_term term = {
            .by = ASIF_BY_OBSERVATION, .action = actions ? u : ASIF_ANY, .index = ASIF_ANY};
        if ((!actions || actions[u]) &&
            !read_by_label(draft, node, draft->parts ? &draft->shown : &draft->observations, false, skip,
                           term))
            return;
        if (!actions)
            return;
    }
}

static void read_by_belief(asif_reader *draft, const asif_yaml *node, bool *covered) {
    asif_utility_term term = {.by = ASIF_BY_BELIEF, .action = ASIF_ANY, .index = ASIF_ANY};
    reference ref = {ASIF_ANY, 1};
    bool *actions = NULL;
    bool good = read_belief_term(draft, node, true, &term, &ref);
    good = read_actions(draft, node, &actions) && good;
    cover(draft, actions, covered);
    for (uint32_t u = 0; good && u < draft->actions.count; u++) {
        term.action = actions ? u : ASIF_ANY;
        if (!actions || actions[u])
            good = add(draft, term, ref);
        if (!actions)
            return;
    }
}

static bool names_table(const asif_reader *draft, const asif_yaml *node, const char *key) {
    return asif_yaml_get(node, key) && asif_labels_find(&draft->actions, key) == ASIF_ANY;
}

static void read_part(asif_reader *draft, const asif_yaml *node, bool *covered) {
    if (!asif_reader_kind(draft, node, ASIF_YAML_MAP, "`utility`")) {
        asif_reader_hint(draft, "say what each action is worth: {ACTION: NUMBER, ...}");
        return;
    }
    const asif_yaml *on = asif_yaml_get(node, "on");
    bool on_action = asif_labels_find(&draft->actions, "on") != ASIF_ANY, ramp = false;
    if (on && (asif_reader_is(on, "observation") || !on_action)) {
        static const char *const what[] = {"observation"};
        uint32_t choice = 0;
        if (asif_reader_choice(draft, on, "`on`", what, 1, &choice))
            read_by_observation(draft, node, covered);
    } else if (find_belief(node, &draft->actions, &ramp)) {
        read_by_belief(draft, node, covered);
    } else if (names_table(draft, node, "features")) {
        asif_reader_read_features(draft, node, covered);
    } else if (names_table(draft, node, "table")) {
        asif_reader_read_table(draft, node, covered);
    } else {
        read_by_action(draft, node, covered);
    }
}

void asif_reader_read_utility(asif_reader *draft, const asif_yaml *node) {
    draft->utility_given = true;
    if (!asif_reader_spaces_known(draft))
        return;
    bool *covered = asif_reader_alloc(draft, draft->actions.count, sizeof *covered);
    if (!covered)
        return;
    if (node->kind != ASIF_YAML_LIST)
        read_part(draft, node, covered);
    for (uint32_t i = 0; node->kind == ASIF_YAML_LIST && i < node->count && !draft->stop; i++)
        read_part(draft, node->item[i], covered);
    asif_reader_flush(draft);
    for (uint32_t u = 0; draft->first.status == ASIF_OK && u < draft->actions.count; u++) {
        if (!covered[u]) {
            asif_reader_problem(draft, ASIF_PROBLEM_WARNING, ASIF_OK, node,
                                "the action `%s` has no utility: 0 is taken",
                                asif_show_label(&draft->actions, u).text);
            asif_reader_hint(draft, "say so with `%s: 0`", asif_show_label(&draft->actions, u).text);
        }
    }
}

static void check_used(asif_reader *draft, const asif_reader_parameter *p) {
    if (!p->utility || p->used)
        return;
    asif_reader_problem(draft, ASIF_PROBLEM_WARNING, ASIF_OK, p->at,
                        p->many ? "no parameter of the utility begins with `%s`"
                                : "the parameter `%s` is not used",
                        asif_show(p->name).text);
    asif_reader_hint(draft, "name it in the utility, or remove it");
}

void asif_reader_check_utility(asif_reader *draft) {
    asif_reader_flush(draft);
    if (draft->condition + 1 < draft->conditions) /* another condition may use it */
        return;
    for (const asif_reader *other = draft->before; other; other = other->before)
        for (uint64_t i = 0; i < other->parameters; i++)
            if (other->parameter[i].used && !other->parameter[i].undeclared)
                asif_reader_used_parameter(draft, other->parameter[i].name);
    for (uint64_t i = 0; i < draft->patterns && draft->first.status == ASIF_OK; i++)
        check_used(draft, &draft->pattern[i]);
    for (uint64_t i = 0; i < draft->parameters && draft->first.status == ASIF_OK; i++)
        check_used(draft, &draft->parameter[i]);
}
