/* Transitions by increments of an ordered state, and transitions that are to be learnt from logs. */
#include "study/study_reader.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))
#define MOST_STEPS 1000

/* ---- transitions to be learnt ---- */

/* Whether a node is `learn`, possibly followed by a range. */
static bool is_learn(const asif_yaml *node) {
    return node->kind == ASIF_YAML_SCALAR && !node->quoted && strncmp(node->text, "learn", 5) == 0 &&
           (node->text[5] == 0 || node->text[5] == ' ');
}

static bool refuse_learn(asif_reader *draft, const asif_yaml *node, bool environment) {
    if (!environment) {
        asif_reader_error(draft, node,
                          "the transitions of a world that the agent believes in cannot be learnt");
        return asif_reader_hint(draft,
                                "what logs tell is the environment: write it there, and leave this world's "
                                "transitions out");
    }
    if (!draft->sees_states) {
        asif_reader_error(draft, node, "transitions can be learnt only where the agent sees the state");
        return asif_reader_hint(draft, "give the probabilities, or leave `observations` out");
    }
    if (draft->may_be_unlearnt)
        return true;
    if (!draft->unlearnt_said) {
        draft->unlearnt_said = true;
        asif_reader_error(draft, node, "the transitions are still to be learnt from logs");
        asif_reader_hint(draft, "run `asif learn-world STUDY LOGS -o NEW` first, and use the study NEW");
    }
    return false;
}

/* Find or make the part that a node marks. If `single` is an action, the part is that of this action only,
 * because the node marks all actions separately. */
static asif_unlearnt *part_at(asif_reader *draft, const asif_yaml *node, uint32_t single) {
    for (uint64_t i = 0; i < draft->unlearnts; i++)
        if (draft->unlearnt[i].at == node && (single == ASIF_ANY || draft->unlearnt[i].action[single]))
            return &draft->unlearnt[i];
    uint32_t n = draft->actions.count;
    if (!asif_reader_grow(draft, &draft->unlearnt, draft->unlearnts, &draft->unlearnt_room,
                          sizeof *draft->unlearnt))
        return NULL;
    asif_unlearnt *part = &draft->unlearnt[draft->unlearnts];
    *part = (asif_unlearnt){.at = node,
                            .action = asif_reader_alloc(draft, n, sizeof *part->action),
                            .origin = asif_reader_alloc(draft, n, sizeof *part->origin)};
    if (!part->action || !part->origin)
        return NULL;
    draft->unlearnts++;
    return part;
}

/* A matrix with uniform rows, in place of transitions that are not learnt yet. */
static uint32_t anything(asif_reader *draft) {
    uint32_t n = draft->states.count;
    double *row = asif_reader_alloc(draft, n, sizeof *row);
    for (uint32_t i = 0; row && i < n; i++)
        row[i] = 1.0 / n;
    return row ? asif_reader_same_rows(draft, row, n) : ASIF_READER_UNSET;
}

bool asif_reader_is_unlearnt(const asif_yaml *node) {
    return asif_reader_is(node, "learn");
}

static void no_ending(asif_reader *draft, const asif_yaml *node, const bool *action) {
    for (uint32_t u = 0; draft->ends && u < draft->actions.count; u++)
        if (action[u] && draft->ends[u]) {
            asif_reader_error(draft, node, "`%s` ends an episode: the logs do not tell what follows it",
                              asif_show_label(&draft->actions, u).text);
            asif_reader_hint(draft, "give its transitions by name: `%s: reset`",
                             asif_show_label(&draft->actions, u).text);
            return;
        }
}

uint32_t asif_reader_unlearnt_rows(asif_reader *draft, const asif_yaml *node, const bool *action, bool whole,
                                   bool environment) {
    uint32_t named = 0;
    if (!refuse_learn(draft, node, environment))
        return ASIF_READER_UNSET;
    for (uint32_t u = 0; u < draft->actions.count; u++)
        named += action[u];
    if (!whole && named > 1) {
        asif_reader_error(draft, node,
                          "`any: learn` does not say whether the actions share their transitions");
        asif_reader_hint(draft, "name every action: `%s: learn`", asif_show_label(&draft->actions, 0).text);
        return ASIF_READER_UNSET;
    }
    no_ending(draft, node, action);
    for (uint32_t u = 0; u < draft->actions.count; u++) {
        asif_unlearnt *part = action[u] ? part_at(draft, node, whole ? u : ASIF_ANY) : NULL;
        if (action[u] && !part)
            return ASIF_READER_UNSET;
        if (part) {
            part->whole = whole;
            part->action[u] = true;
            part->origin[u] = ASIF_ANY;
        }
    }
    return anything(draft);
}

/* ---- increments ---- */

bool asif_reader_is_increments(const asif_reader *draft, const asif_yaml *node) {
    return node->kind == ASIF_YAML_MAP && asif_yaml_get(node, "increments") &&
           asif_labels_find(&draft->states, "increments") == ASIF_ANY &&
           asif_labels_find(&draft->actions, "increments") == ASIF_ANY;
}

void asif_reader_read_increments(asif_reader *draft, const asif_yaml *node) {
    if (!asif_reader_kind(draft, node, ASIF_YAML_MAP, "`increments`")) {
        asif_reader_hint(draft, "name them: {NAME: [0.4, 0.6]}");
        return;
    }
    draft->increments_at = node;
    draft->increments_used = asif_reader_alloc(draft, node->count, sizeof *draft->increments_used);
}

void asif_reader_check_increments(asif_reader *draft) {
    const asif_yaml *map = draft->increments_at;
    asif_reader_flush(draft);
    for (uint32_t i = 0; map && draft->increments_used && draft->first.status == ASIF_OK && i < map->count;
         i++)
        if (!draft->increments_used[i]) {
            asif_reader_problem(draft, ASIF_PROBLEM_WARNING, ASIF_OK, map->key[i],
                                "the increments `%s` are not used", asif_show(map->key[i]->text).text);
            asif_reader_hint(draft, "name them in the transitions, or remove them");
        }
}

typedef struct {
    const asif_yaml *at;
    const char *name; /* NULL: none */
    bool learn;
    uint32_t count;
    int32_t *step;
    double *p;
} increments;

/* Find the named increments that a node refers to. */
static bool find_named(asif_reader *draft, const asif_yaml *node, increments *out) {
    const asif_yaml *map = draft->increments_at;
    for (uint32_t i = 0; map && draft->increments_used && i < map->count; i++)
        if (strcmp(map->key[i]->text, node->text) == 0) {
            draft->increments_used[i] = true;
            out->name = map->key[i]->text;
            out->at = map->item[i];
            return true;
        }
    asif_reader_error(draft, node, "there are no increments `%s`", asif_show(node->text).text);
    for (uint32_t i = 0; map && i < map->count; i++) {
        const char *candidate = map->key[i]->text;
        if (asif_nearest_word(node->text, &candidate, 1))
            return asif_reader_hint(draft, "did you mean `%s`?", asif_show(candidate).text);
    }
    return asif_reader_hint(draft,
                            "give their probabilities, or name them under `environment`: `increments: {%s: "
                            "[0.4, 0.6]}`",
                            asif_show(node->text).text);
}

static bool read_step(const char *text, size_t length, uint32_t states, int32_t *out) {
    double number;
    if (!asif_number_read(text, length, &number) || number != floor(number) || fabs(number) >= states ||
        fabs(number) > INT32_MAX)
        return false;
    *out = (int32_t)number;
    return true;
}

/* Read a mark with a range, such as `learn 0 to 2`. */
static bool read_range(asif_reader *draft, increments *out) {
    const char *text = out->at->text + 5, *to = strstr(text, " to ");
    int32_t least = 0, most = 0;
    text += strspn(text, " ");
    if (to && to >= text && read_step(text, (size_t)(to - text), draft->states.count, &least) &&
        read_step(to + 4, strlen(to + 4), draft->states.count, &most) && least <= most &&
        most - least < MOST_STEPS) {
        out->learn = true;
        out->count = (uint32_t)(most - least) + 1;
        out->step = asif_reader_alloc(draft, out->count, sizeof *out->step);
        for (uint32_t i = 0; out->step && i < out->count; i++)
            out->step[i] = least + (int32_t)i;
        return out->step != NULL;
    }
    asif_reader_parse_error(draft, out->at, "`%s` does not say which increments are possible",
                            asif_show(out->at->text).text);
    return asif_reader_hint(draft, "write whole numbers of states: `learn 0 to 2`");
}

/* Read probabilities of increments: [p0, p1, ...] for 0, 1, ..., or {STEP: p, ...}. */
static bool read_given(asif_reader *draft, increments *out) {
    const asif_yaml *node = out->at;
    const char **names = NULL;
    out->count = node->count;
    if (node->kind == ASIF_YAML_SCALAR || node->count == 0 || node->count > MOST_STEPS) {
        asif_reader_parse_error(draft, node, "increments must be a list of probabilities, of 0, 1, 2, ...");
        return asif_reader_hint(draft, "write [0.35, 0.64, 0.01], {-1: 0.2, 0: 0.8}, or `learn 0 to 2`");
    }
    out->step = asif_reader_alloc(draft, node->count, sizeof *out->step);
    out->p = asif_reader_alloc(draft, node->count, sizeof *out->p);
    if (node->kind == ASIF_YAML_MAP)
        names = asif_reader_alloc(draft, node->count, sizeof *names);
    if (draft->stop)
        return false;
    for (uint32_t i = 0; i < node->count; i++) {
        out->step[i] = (int32_t)i;
        if (!names)
            continue;
        names[i] = node->key[i]->text;
        if (!read_step(names[i], strlen(names[i]), draft->states.count, &out->step[i])) {
            asif_reader_error(draft, node->key[i], "an increment must be a whole number of states, not `%s`",
                              asif_show(names[i]).text);
            return asif_reader_hint(draft, "there are %u states", draft->states.count);
        }
    }
    asif_labels labels = {"increment", node->count, names};
    return asif_reader_distribution(draft, node, &labels, "increments", out->p);
}

static uint32_t hold(int64_t state, uint32_t states) {
    return state < 0 ? 0 : state >= states ? states - 1 : (uint32_t)state;
}

/* Fill a row of the matrix. Increments beyond the first or the last state end in that state. */
static void fill_row(const increments *k, uint32_t from, uint32_t states, double *row) {
    memset(row, 0, states * sizeof *row);
    for (uint32_t i = 0; k->step && i < k->count; i++)
        row[hold((int64_t)from + k->step[i], states)] += k->p[i];
}

static uint32_t make_sparse(asif_reader *draft, const increments *k) {
    uint32_t n = draft->states.count, most = k->count < n ? k->count : n;
    uint64_t *offset = asif_reader_alloc(draft, (uint64_t)n + 1, sizeof *offset), used = 0;
    uint32_t *column = asif_reader_alloc(draft, (uint64_t)n * most, sizeof *column);
    double *value = asif_reader_alloc(draft, (uint64_t)n * most, sizeof *value);
    double *row = asif_reader_alloc(draft, n, sizeof *row);
    if (draft->stop || !k->step)
        return ASIF_READER_UNSET;
    int32_t low = 0, high = 0;
    for (uint32_t i = 0; i < k->count; i++) {
        low = k->step[i] < low ? k->step[i] : low;
        high = k->step[i] > high ? k->step[i] : high;
    }
    for (uint32_t s = 0; s < n; s++) {
        fill_row(k, s, n, row);
        for (uint32_t to = hold((int64_t)s + low, n); to <= hold((int64_t)s + high, n); to++)
            if (row[to] > 0) {
                column[used] = to;
                value[used++] = row[to];
            }
        offset[s + 1] = used;
    }
    return asif_reader_sparse(draft, offset, column, value);
}

uint32_t asif_reader_increments(asif_reader *draft, const asif_yaml *node, const char *what,
                                const bool *action, bool environment) {
    if (draft->parts) {
        asif_reader_error(draft, node,
                          "increments are for states in order; with parts, say how a part moves");
        asif_reader_hint(draft, "write {PART: +1}, or a row for each of its values");
        return ASIF_READER_UNSET;
    }
    static const asif_study_key keys[] = {
        {"increments", NULL, "how far the state moves: probabilities, or a name"},
        {"from", NULL, "the state it moves from, whatever it was; left out: the state itself"}};
    increments k = {.at = asif_yaml_get(node, "increments")};
    const asif_yaml *from = asif_yaml_get(node, "from");
    uint32_t origin = ASIF_ANY;
    if (!asif_reader_keys(draft, node, what, keys, COUNT(keys)) ||
        (from && !asif_reader_label(draft, from, &draft->states, &origin)))
        return ASIF_READER_UNSET;
    if (k.at->kind == ASIF_YAML_SCALAR && !is_learn(k.at) && !find_named(draft, k.at, &k))
        return ASIF_READER_UNSET;
    if (!is_learn(k.at)) {
        if (!read_given(draft, &k))
            return ASIF_READER_UNSET;
        if (origin == ASIF_ANY)
            return make_sparse(draft, &k);
        double *row = asif_reader_alloc(draft, draft->states.count, sizeof *row);
        if (!row)
            return ASIF_READER_UNSET;
        fill_row(&k, origin, draft->states.count, row);
        return asif_reader_same_rows(draft, row, draft->states.count);
    }
    if (!refuse_learn(draft, k.at, environment) || !read_range(draft, &k) || !k.step)
        return ASIF_READER_UNSET;
    no_ending(draft, k.at, action);
    asif_unlearnt *part = part_at(draft, k.at, ASIF_ANY);
    if (!part)
        return ASIF_READER_UNSET;
    part->name = k.name;
    part->increments = true;
    part->least = k.step[0];
    part->most = k.step[k.count - 1];
    for (uint32_t u = 0; u < draft->actions.count; u++)
        if (action[u]) {
            part->action[u] = true;
            part->origin[u] = origin;
        }
    return anything(draft);
}
