/* `worlds`, the candidate worlds of the agent: a list, or a series of variants of the environment. */
#include "study/study_reader.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))
#define MOST_SHIFTS 1000

/* Add a world that equals the environment until it is changed. */
static asif_world *add_world(asif_reader *draft) {
    uint32_t actions = draft->actions.count;
    if (!asif_reader_grow(draft, &draft->world, draft->worlds, &draft->world_room, sizeof *draft->world))
        return NULL;
    asif_world *world = &draft->world[draft->worlds];
    world->weight = 1;
    world->transitions = asif_reader_alloc(draft, actions, sizeof *world->transitions);
    world->emissions = asif_reader_alloc(draft, actions, sizeof *world->emissions);
    if (!world->transitions || !world->emissions)
        return NULL;
    for (uint32_t u = 0; u < actions; u++) {
        world->transitions[u] = draft->transitions ? draft->transitions[u] : ASIF_READER_UNSET;
        world->emissions[u] = draft->emissions ? draft->emissions[u] : ASIF_READER_UNSET;
    }
    draft->worlds++;
    return world;
}

static bool no_emissions(asif_reader *draft, const asif_yaml *node) {
    if (!draft->sees_states)
        return false;
    asif_reader_error(draft, node, "worlds cannot differ in `emissions`: there are no `observations`");
    asif_reader_hint(draft, "list the `observations` at the top, or let the worlds differ in `transitions`");
    return true;
}

/* Read {mix: uniform, share: 0.5}: the environment mixed with a uniform world. */
static void read_mix(asif_reader *draft, const asif_yaml *node, const asif_yaml *mix, asif_world *world) {
    static const char *const with[] = {"uniform"};
    static const char how[] = "write {mix: uniform, share: 0.5}";
    const asif_yaml *share = asif_yaml_get(node, "share");
    uint32_t choice = 0;
    if (draft->parts) {
        asif_reader_error(
            draft, mix ? mix : share,
            "a mixture with a uniform world is not yet possible where a part of the state is seen");
        asif_reader_hint(draft, "give the `emissions` of the world, or a ladder: {around: environment, ...}");
        return;
    }
    if (asif_yaml_get(node, "transitions") || asif_yaml_get(node, "emissions")) {
        asif_reader_error(draft, mix ? mix : share,
                          "a world is a mixture of the environment, or has matrices of its own");
        asif_reader_hint(draft, "remove `mix`, or `transitions` and `emissions`");
    } else if (!mix) {
        asif_reader_parse_error(draft, share, "`share` without `mix`");
        asif_reader_hint(draft, how);
    } else if (asif_reader_choice(draft, mix, "`mix`", with, COUNT(with), &choice) && !share) {
        asif_reader_parse_error(draft, mix, "the share of the uniform world is missing");
        asif_reader_hint(draft, how);
    } else if (share && asif_reader_number(draft, share, "`share`", &world->share) &&
               !(world->share > 0 && world->share <= 1)) {
        asif_reader_error(draft, share,
                          "the share of the uniform world must be above 0 and at most 1, not %s",
                          asif_show(share->text).text);
        asif_reader_hint(draft,
                         "0.5 is halfway from the environment to a uniform world; {} is the environment");
    }
}

static void read_world(asif_reader *draft, const asif_yaml *node) {
    static const asif_study_key keys[] = {
        {"weight", NULL, "how likely the agent holds this world; 1 if left out"},
        {"transitions", NULL, "the environment's if left out"},
        {"emissions", NULL, "the environment's if left out"},
        {"mix", NULL, "`uniform`: the environment mixed with a uniform world"},
        {"share", NULL, "of the uniform world, above 0 and at most 1"},
    };
    asif_world *world = add_world(draft);
    if (!world)
        return;
    asif_reader_keys(draft, node, "worlds", keys, COUNT(keys));
    const asif_yaml *weight = world->weight_at = asif_yaml_get(node, "weight");
    if (weight && asif_reader_number(draft, weight, "`weight`", &world->weight) &&
        !(world->weight > 0 && isfinite(world->weight))) {
        asif_reader_error(draft, weight, "the weight of a world must be above 0, not %s",
                          asif_show(weight->text).text);
        asif_reader_hint(draft, "remove a world that the agent holds to be impossible");
    }
    const asif_yaml *transitions = asif_yaml_get(node, "transitions"),
                    *emissions = asif_yaml_get(node, "emissions"), *mix = asif_yaml_get(node, "mix");
    if (mix || asif_yaml_get(node, "share"))
        read_mix(draft, node, mix, world);
    if (transitions)
        if (asif_reader_dynamics(draft, transitions, ASIF_READER_TRANSITIONS, world->transitions))
            asif_reader_check_world_ends(draft, transitions, world->transitions);
    if (emissions && !no_emissions(draft, emissions))
        asif_reader_dynamics(draft, emissions, ASIF_READER_EMISSIONS, world->emissions);
}

/* Read a symmetric set of shifts: `±0.1` stands for -0.1, 0, 0.1. */
static bool read_plus_minus(asif_reader *draft, const asif_yaml *node, const char *what, double *shift) {
    static const char *const signs[] = {"\xC2\xB1", "+-", "+/-"};
    double d = 0;
    for (uint32_t i = 0; i < COUNT(signs); i++) {
        size_t skip = strlen(signs[i]);
        if (strncmp(node->text, signs[i], skip) != 0)
            continue;
        const char *rest = node->text + skip;
        rest += strspn(rest, " ");
        if (asif_number_read(rest, strlen(rest), &d) && d > 0 && d < 1) {
            shift[0] = -d;
            shift[1] = 0;
            shift[2] = d;
            return true;
        }
    }
    asif_reader_parse_error(draft, node, "the steps of a ladder of %s cannot be `%s`", what,
                            asif_show(node->text).text);
    return asif_reader_hint(draft, "write \xC2\xB1"
                                   "0.1 (or +-0.1), or a list of shifts such as [-0.1, 0, 0.1]");
}

static bool read_shifts(asif_reader *draft, const asif_yaml *node, const char *what, double **shift,
                        uint32_t *count) {
    *count = node->kind == ASIF_YAML_LIST ? node->count : 3;
    if (node->kind == ASIF_YAML_MAP || *count == 0 || *count > MOST_SHIFTS) {
        asif_reader_parse_error(draft, node, "the steps of a ladder of %s must be a list of shifts", what);
        return asif_reader_hint(draft, "write \xC2\xB1"
                                       "0.1 (or +-0.1), or a list of shifts such as [-0.1, 0, 0.1]");
    }
    *shift = asif_reader_alloc(draft, *count, sizeof **shift);
    if (!*shift)
        return false;
    if (node->kind == ASIF_YAML_SCALAR)
        return read_plus_minus(draft, node, what, *shift);
    for (uint32_t i = 0; i < *count; i++) {
        if (!asif_reader_number(draft, node->item[i], "a shift", &(*shift)[i]))
            return false;
        if (!(fabs((*shift)[i]) < 1))
            return asif_reader_error(draft, node->item[i], "a shift must be between -1 and 1, not %s",
                                     asif_show(node->item[i]->text).text);
    }
    return true;
}

static void expand(const asif_matrix *m, double *out) {
    memset(out, 0, (size_t)m->rows * m->columns * sizeof *out);
    for (uint32_t i = 0; i < m->rows; i++) {
        double *row = out + (uint64_t)i * m->columns;
        uint32_t from = m->same_rows ? 0 : i;
        if (!m->offset)
            memcpy(row, m->value + (uint64_t)from * m->columns, m->columns * sizeof *row);
        for (uint64_t e = m->offset ? m->offset[from] : 0; m->offset && e < m->offset[from + 1]; e++)
            row[m->column[e]] = m->value[e];
    }
}

/* Change the largest entry of a row by d and scale the others so that the sum stays 1. A row with equal
 * entries carries no information and is left unchanged. */
static bool shift_row(double *row, uint32_t columns, double d) {
    uint32_t top = 0;
    bool alike = true;
    for (uint32_t j = 1; j < columns; j++) {
        alike = alike && row[j] == row[0];
        top = row[j] > row[top] ? j : top;
    }
    if (alike || d == 0)
        return true;
    double rest = 0, moved = row[top] + d;
    for (uint32_t j = 0; j < columns; j++)
        rest += j == top ? 0 : row[j];
    if (moved < 0 || moved > 1 + 1e-12 || rest == 0)
        return false;
    double scale = (rest - d) / rest;
    for (uint32_t j = 0; j < columns; j++)
        row[j] = j == top ? fmin(moved, 1) : fmax(row[j] * scale, 0);
    return true;
}

static bool shift_matrices(asif_reader *draft, const asif_yaml *node, const char *what, const uint32_t *from,
                           uint32_t columns, double d, uint32_t *to) {
    double *value = NULL;
    for (uint32_t u = 0; u < draft->actions.count; u++) {
        to[u] = from[u];
        if (d == 0 || from[u] >= draft->matrices)
            continue;
        if (u > 0 && from[u] == from[u - 1]) {
            to[u] = to[u - 1];
            continue;
        }
        if (!value &&
            !(value = asif_reader_alloc(draft, (uint64_t)draft->states.count * columns, sizeof *value)))
            return false;
        expand(&draft->matrix[from[u]], value);
        for (uint32_t s = 0; s < draft->states.count; s++) {
            /* with a seen part, only what is shown beside the seen value of the state can move */
            bool shown = draft->parts && strcmp(what, "emissions") == 0;
            uint64_t lead = shown ? (uint64_t)(s / draft->hidden_values) * draft->shown.count : 0;
            if (shift_row(value + (uint64_t)s * columns + lead, shown ? draft->shown.count : columns, d))
                continue;
            asif_reader_error(draft, node,
                              "a shift of %s takes the row of `%s` in %s of `%s` out of what is possible",
                              asif_show_number(d).text, asif_show_label(&draft->states, s).text, what,
                              asif_show_label(&draft->actions, u).text);
            return asif_reader_hint(draft, "take a smaller step, or list the worlds one by one");
        }
        to[u] = asif_reader_dense(draft, value, columns);
    }
    return true;
}

static void read_ladder(asif_reader *draft, const asif_yaml *node) {
    static const asif_study_key keys[] = {
        {"around", NULL, "`environment`"},
        {"emissions", NULL, "steps of the largest entry of each row"},
        {"transitions", NULL, "steps of the largest entry of each row"},
    };
    static const char *const around_what[] = {"environment"};
    double none[1] = {0};
    const asif_yaml *around = asif_yaml_get(node, "around");
    const asif_yaml *transitions = asif_yaml_get(node, "transitions"),
                    *emissions = asif_yaml_get(node, "emissions");
    double *step[2] = {none, none};
    uint32_t steps[2] = {1, 1}, choice = 0;
    bool good = asif_reader_keys(draft, node, "worlds", keys, COUNT(keys));
    if (!around) {
        asif_reader_parse_error(draft, node, "`worlds` must be a list of worlds or a ladder");
        asif_reader_hint(draft,
                         "begin every world with `- `, or write {around: environment, emissions: \xC2\xB1"
                         "0.1}");
        return;
    }
    good = asif_reader_choice(draft, around, "`around`", around_what, 1, &choice) && good;
    if (!transitions && !emissions) {
        asif_reader_parse_error(draft, node, "the ladder has no steps");
        asif_reader_hint(draft, "write {around: environment, emissions: \xC2\xB1"
                                "0.1}");
        return;
    }
    if (emissions && no_emissions(draft, emissions))
        return;
    good = (!transitions || read_shifts(draft, transitions, "transitions", &step[0], &steps[0])) && good;
    good = (!emissions || read_shifts(draft, emissions, "emissions", &step[1], &steps[1])) && good;
    if (!good || !draft->transitions_known || (emissions && !draft->emissions_known))
        return;
    for (uint32_t i = 0; i < steps[0]; i++) {
        for (uint32_t j = 0; j < steps[1]; j++) {
            asif_world *world = add_world(draft);
            if (!world ||
                !shift_matrices(draft, transitions, "transitions", draft->transitions, draft->states.count,
                                step[0][i], world->transitions) ||
                !shift_matrices(draft, emissions, "emissions", draft->emissions, draft->observations.count,
                                step[1][j], world->emissions))
                return;
        }
    }
}

void asif_reader_read_worlds(asif_reader *draft, const asif_yaml *node) {
    draft->worlds_at = node;
    if (!asif_reader_spaces_known(draft))
        return;
    if (node->kind == ASIF_YAML_MAP) {
        read_ladder(draft, node);
        return;
    }
    if (!asif_reader_kind(draft, node, ASIF_YAML_LIST, "`worlds`"))
        return;
    if (node->count == 0) {
        asif_reader_error(draft, node, "`worlds` is an empty list");
        asif_reader_hint(draft, "leave `worlds` out if the agent knows the environment");
    }
    for (uint32_t i = 0; i < node->count && !draft->stop; i++)
        read_world(draft, node->item[i]);
}
