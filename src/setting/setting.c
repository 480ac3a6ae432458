#include "setting/setting.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROW_TOLERANCE 1e-5 /* the same as in Cassandra's format */

/* A sum of n numbers that is 1 up to rounding needs no division, and the numbers stay those of the file. */
static bool sums_to_one(double sum, uint64_t n) {
    return fabs(sum - 1) <= DBL_EPSILON * ((double)n + 2);
}

/* Copies a matrix in compressed form whatever its own: columns ascend, zeros are left out, and rows are
 * divided by their sum. */
static asif_status copy_matrix(asif_matrix *to, const asif_context *context, const asif_matrix *from,
                               uint32_t which, asif_error *error) {
    uint64_t rows = from->same_rows ? 1 : from->rows;
    uint64_t most = from->offset ? from->offset[rows] : rows * from->columns;
    uint64_t *offset = ASIF_ARRAY(context, rows + 1, uint64_t);
    uint32_t *column = ASIF_ARRAY(context, most, uint32_t);
    double *value = ASIF_ARRAY(context, most, double);
    *to = (asif_matrix){from->rows, from->columns, from->same_rows, offset, column, value};
    if (!offset || !column || !value)
        return asif_fail_memory(error);
    uint64_t used = 0;
    for (uint64_t i = 0; i < rows; i++) {
        uint64_t begin = from->offset ? from->offset[i] : i * from->columns;
        uint64_t end = from->offset ? from->offset[i + 1] : begin + from->columns;
        uint64_t first = used;
        double sum = 0;
        for (uint64_t e = begin; e < end; e++) {
            uint32_t c = from->offset ? from->column[e] : (uint32_t)(e - begin);
            double p = from->value[e];
            if (!(p >= 0 && p <= 1 + ROW_TOLERANCE))
                return asif_fail(error, ASIF_EDOMAIN, "matrix %u, row %llu: %g is not a probability", which,
                                 (unsigned long long)i, p);
            if (c >= from->columns || (used > first && c <= column[used - 1]))
                return asif_fail(error, ASIF_EINVALID,
                                 "matrix %u, row %llu: columns must ascend and be below %u", which,
                                 (unsigned long long)i, from->columns);
            sum += p;
            if (p == 0)
                continue;
            column[used] = c;
            value[used++] = p;
        }
        if (fabs(sum - 1) > ROW_TOLERANCE)
            return asif_fail(error, ASIF_EINVALID, "matrix %u, row %llu sums to %.9g, not 1", which,
                             (unsigned long long)i, sum);
        if (!sums_to_one(sum, used - first))
            for (uint64_t e = first; e < used; e++)
                value[e] /= sum;
        offset[i + 1] = used;
    }
    return ASIF_OK;
}

static asif_status copy_names(const char *const **to, const asif_context *context, const char *const *from,
                              uint32_t count, asif_error *error) {
    *to = NULL;
    if (!from)
        return ASIF_OK;
    char **names = ASIF_ARRAY(context, (uint64_t)count + 1, char *);
    if (!names)
        return asif_fail_memory(error);
    *to = (const char *const *)names;
    for (uint32_t i = 0; i < count; i++) {
        names[i] = asif_strdup(context, from[i]);
        if (!names[i])
            return asif_fail_memory(error);
    }
    return ASIF_OK;
}

static asif_status copy_text(const char **to, const asif_context *context, const char *from,
                             asif_error *error) {
    *to = from ? asif_strdup(context, from) : NULL;
    return from && !*to ? asif_fail_memory(error) : ASIF_OK;
}

static asif_status copy_bytes(const void *to, const asif_context *context, const void *from, uint64_t count,
                              size_t size, asif_error *error) {
    void *copy = asif_alloc(context, count, size);
    if (!copy)
        return asif_fail_memory(error);
    if (from)
        memcpy(copy, from, (size_t)count * size);
    memcpy((void *)(uintptr_t)to, &copy, sizeof copy);
    return ASIF_OK;
}

/* Copies rows of weights, each divided by its sum; uniform weights if there are none. */
static asif_status copy_weights(const double **to, const asif_context *context, const double *from,
                                uint32_t rows, uint32_t columns, bool probabilities, const char *what,
                                asif_error *error) {
    double *w = ASIF_ARRAY(context, (uint64_t)rows * columns, double);
    *to = w;
    if (!w)
        return asif_fail_memory(error);
    for (uint32_t r = 0; r < rows; r++) {
        double sum = 0, largest = 0, *row = w + (uint64_t)r * columns;
        for (uint32_t i = 0; i < columns; i++) {
            row[i] = from ? from[(uint64_t)r * columns + i] : 1.0 / columns;
            if (!(row[i] >= 0 && isfinite(row[i])))
                return asif_fail(error, ASIF_EDOMAIN, "%s: %g is not a weight", what, row[i]);
            sum += row[i];
            largest = fmax(largest, row[i]);
        }
        if (!probabilities && isinf(sum)) { /* the sum overflows, but shares of the largest do not */
            sum = 0;
            for (uint32_t i = 0; i < columns; i++)
                sum += row[i] /= largest;
        }
        if (!(sum > 0) || (probabilities && fabs(sum - 1) > ROW_TOLERANCE))
            return asif_fail(error, ASIF_EINVALID, "%s sums to %.9g, not 1", what, sum);
        if (!sums_to_one(sum, columns))
            for (uint32_t i = 0; i < columns; i++)
                row[i] /= sum;
    }
    return ASIF_OK;
}

static asif_status check_counts(const asif_setting_spec *s, asif_error *error) {
    const struct {
        uint32_t count;
        const char *what;
    } needed[] = {{s->states, "state"}, {s->actions, "action"}, {s->worlds, "world"}, {s->starts, "start"}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (needed[i].count == 0)
            return asif_fail(error, ASIF_EINVALID, "there must be at least one %s", needed[i].what);
    if (!(s->discount >= 0 && s->discount < 1) && !(s->discount == 1 && s->horizon))
        return asif_fail(error, ASIF_EDOMAIN, "the discount must be at least 0 and below 1, not %g",
                         s->discount);
    if (!s->transitions || (s->observations && !s->emissions) || !s->environment_start)
        return asif_fail(error, ASIF_EINVALID, "transitions, emissions and start must be given");
    return ASIF_OK;
}

/* Where states are hidden in part, the agent must know whether anything follows. */
static asif_status check_terminal(const asif_setting_spec *s, asif_error *error) {
    if (!s->terminal || !s->observations)
        return ASIF_OK;
    if (s->seen < 2)
        return asif_fail(error, ASIF_EUNSUPPORTED, "terminal states need states that are seen");
    uint32_t H = asif_hidden_values(s);
    for (uint32_t i = 0; i < s->states; i++)
        if (s->terminal[i] != s->terminal[i / H * H])
            return asif_fail(error, ASIF_EUNSUPPORTED,
                             "state %u is terminal for some hidden values and not for others", i);
    return ASIF_OK;
}

static asif_status check_seen(const asif_setting_spec *s, asif_error *error) {
    ASIF_TRY(check_terminal(s, error));
    bool stops = s->horizon > 0;
    for (uint32_t u = 0; s->stops && u < s->actions; u++)
        stops = stops || s->stops[u];
    if (stops && !s->observations)
        return asif_fail(error, ASIF_EUNSUPPORTED,
                         "a horizon and actions that stop need observations so far");
    if (s->horizon && (uint64_t)s->horizon * asif_seen_values(s) > INT32_MAX)
        return asif_fail(error, ASIF_ETOOBIG, "a horizon of %u decisions is too long", s->horizon);
    if (s->available && s->seen < 2)
        return asif_fail(error, ASIF_EUNSUPPORTED,
                         "actions that are available in some states only need a seen part of the state");
    if (s->leading > 1 && (s->observations || s->states % s->leading))
        return asif_fail(error, ASIF_EINVALID, "%u values of leading columns do not divide %u seen states",
                         s->leading, s->states);
    if (s->seen < 2)
        return ASIF_OK;
    if (!s->observations)
        return asif_fail(error, ASIF_EINVALID, "a state with a seen part needs observations");
    if (s->states % s->seen || s->observations % s->seen)
        return asif_fail(error, ASIF_EINVALID, "%u seen values do not divide %u states and %u observations",
                         s->seen, s->states, s->observations);
    if (s->world_shares)
        return asif_fail(error, ASIF_EUNSUPPORTED,
                         "worlds that are shares of a uniform world cannot have a seen part of the state");
    for (uint32_t i = 0; s->belief_prior && i < s->observations; i++)
        if (!(s->belief_prior[i] >= 0 && isfinite(s->belief_prior[i])))
            return asif_fail(error, ASIF_EDOMAIN, "belief_prior: %g is not a weight", s->belief_prior[i]);
    return ASIF_OK;
}

/* Emissions of a state must show the value of its seen part. */
static asif_status check_shown(const asif_setting_spec *s, asif_error *error) {
    uint64_t uses = ((uint64_t)s->worlds + 1) * s->actions;
    uint32_t H = asif_hidden_values(s), X = asif_shown_values(s);
    for (uint64_t i = 0; s->seen > 1 && i < uses; i++) {
        const asif_matrix *o = &s->matrix[s->emissions[i]];
        uint64_t e, end;
        for (uint32_t state = 0; state < s->states; state++)
            for (asif_matrix_row(o, state, &e, &end); e < end; e++)
                if (o->column[e] / X != state / H)
                    return asif_fail(error, ASIF_EINVALID,
                                     "emissions of state %u show a seen value that is not its own", state);
    }
    return ASIF_OK;
}

/* Every seen value needs an action that can be taken. */
static asif_status check_available(const asif_setting_spec *s, asif_error *error) {
    for (uint32_t y = 0; s->available && y < s->seen; y++)
        if (!(asif_prior_available(s, y, s->action_prior) > 0))
            return asif_fail(error, ASIF_EINVALID,
                             "no action can be taken with the seen value %u: those that are available have "
                             "no action prior",
                             y);
    return ASIF_OK;
}

static asif_status check_shares(const asif_setting_spec *s, asif_error *error) {
    for (uint32_t m = 0; s->world_shares && m < s->worlds; m++)
        if (!(s->world_shares[m] >= 0 && s->world_shares[m] <= 1))
            return asif_fail(error, ASIF_EDOMAIN, "the share of a uniform world must be from 0 to 1, not %g",
                             s->world_shares[m]);
    return ASIF_OK;
}

static asif_status check_matrices(const asif_setting_spec *s, const asif_setting_spec *from,
                                  asif_error *error) {
    uint64_t uses = ((uint64_t)s->worlds + 1) * s->actions;
    for (uint64_t i = 0; i < uses; i++) {
        if (asif_world_share(from, (uint32_t)(i / s->actions)) > 0)
            continue;
        if (from->transitions[i] >= s->matrices || (s->observations && from->emissions[i] >= s->matrices))
            return asif_fail(error, ASIF_EINVALID, "a world refers to a matrix that is not there");
        const asif_matrix *t = &from->matrix[from->transitions[i]];
        if (t->rows != s->states || t->columns != s->states)
            return asif_fail(error, ASIF_EINVALID, "a matrix of transitions is %u by %u, not %u by %u",
                             t->rows, t->columns, s->states, s->states);
        if (!s->observations)
            continue;
        const asif_matrix *o = &from->matrix[from->emissions[i]];
        if (o->rows != s->states || o->columns != s->observations)
            return asif_fail(error, ASIF_EINVALID, "a matrix of emissions is %u by %u, not %u by %u", o->rows,
                             o->columns, s->states, s->observations);
    }
    return ASIF_OK;
}

static asif_status check_terms(const asif_setting_spec *s, asif_error *error) {
    for (uint64_t i = 0; i < s->terms; i++) {
        const asif_utility_term *t = &s->term[i];
        uint32_t most = t->by == ASIF_BY_OBSERVATION ? s->observations : s->states;
        if ((t->parameter != ASIF_ANY && t->parameter >= s->parameters) ||
            (t->action != ASIF_ANY && t->action >= s->actions) || (t->index != ASIF_ANY && t->index >= most))
            return asif_fail(error, ASIF_EINVALID,
                             "term %llu of the utility refers to something that is not there",
                             (unsigned long long)i);
        bool ramp = t->by == ASIF_BY_BELIEF && t->test == ASIF_RAMP;
        if (!isfinite(t->coefficient) || (t->by == ASIF_BY_BELIEF && !isfinite(t->threshold)) ||
            (ramp && !isfinite(t->full)))
            return asif_fail(error, ASIF_EDOMAIN, "term %llu of the utility is not finite",
                             (unsigned long long)i);
        if (ramp && t->full == t->threshold)
            return asif_fail(error, ASIF_EINVALID, "term %llu of the utility is a ramp without a width",
                             (unsigned long long)i);
        if (t->by == ASIF_BY_OBSERVATION && !s->observations)
            return asif_fail(error, ASIF_EUNSUPPORTED, "utility by observation needs observations");
    }
    return ASIF_OK;
}

static asif_status copy_columns(const asif_observation_column **to, uint32_t *columns, const asif_context *c,
                                const asif_observation_column *from, uint32_t count, uint32_t of,
                                const char *what, asif_error *error) {
    uint64_t product = 1;
    for (uint32_t i = 0; i < count && product && product <= of; i++)
        product *= from[i].classes;
    if (count && product != of)
        return asif_fail(error, ASIF_EINVALID, "the classes of the columns do not multiply to %u %s", of,
                         what);
    asif_observation_column *column = ASIF_ARRAY(c, count, asif_observation_column);
    if (!column)
        return asif_fail_memory(error);
    *to = column;
    *columns = count;
    for (uint32_t i = 0; i < count; i++) {
        column[i].classes = from[i].classes;
        ASIF_TRY(copy_text(&column[i].name, c, from[i].name, error));
        ASIF_TRY(copy_names(&column[i].class_names, c, from[i].class_names, from[i].classes, error));
    }
    return ASIF_OK;
}

/* Copy what only a state with a seen part has. */
static asif_status copy_parts(asif_setting_spec *s, const asif_context *c, const asif_setting_spec *from,
                              asif_error *error) {
    if (from->start_weights)
        ASIF_TRY(copy_weights(&s->start_weights, c, from->start_weights, 1, s->starts, true,
                              "the weights of the start classes", error));
    uint32_t values = asif_column_values(s);
    if (values < 2)
        return ASIF_OK;
    ASIF_TRY(copy_names(&s->seen_names, c, from->seen_names, values, error));
    ASIF_TRY(copy_names(&s->hidden_names, c, from->hidden_names, s->states / values, error));
    if (s->seen > 1)
        ASIF_TRY(copy_names(&s->shown_names, c, from->shown_names, asif_shown_values(s), error));
    ASIF_TRY(copy_columns(&s->seen_column, &s->seen_columns, c, from->seen_column, from->seen_columns, values,
                          "seen values", error));
    s->condition_columns =
        from->condition_columns < s->seen_columns ? from->condition_columns : s->seen_columns;
    return ASIF_OK;
}

/* Copy the matrices that a world with its own matrices refers to, and those before them: what follows was
 * computed for worlds with a share. */
static asif_status copy_matrices(asif_setting_spec *s, const asif_context *c, const asif_setting_spec *from,
                                 asif_error *error) {
    uint64_t U = from->actions, uses = ((uint64_t)from->worlds + 1) * U,
             used = from->world_shares ? 0 : from->matrices;
    for (uint64_t i = 0; from->world_shares && i < uses; i++) {
        if (asif_world_share(from, (uint32_t)(i / U)) > 0)
            continue;
        used = from->transitions[i] >= used ? from->transitions[i] + 1 : used;
        used = from->observations && from->emissions[i] >= used ? from->emissions[i] + 1 : used;
    }
    asif_matrix *matrix = ASIF_ARRAY(c, used + (from->world_shares ? 2 * uses : 0), asif_matrix);
    s->matrix = matrix;
    s->matrices = (uint32_t)used;
    if (!matrix)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < s->matrices; i++)
        ASIF_TRY(copy_matrix(&matrix[i], c, &from->matrix[i], i, error));
    return ASIF_OK;
}

/* Fill the entries [actions] of a world with mixtures of the environment's matrices, which precede them by
 * world. */
static asif_status mix_matrices(asif_setting_spec *s, const asif_context *c, const uint32_t *uses,
                                uint32_t world, asif_error *error) {
    const uint32_t *from = uses + (uint64_t)s->worlds * s->actions;
    uint32_t *to = (uint32_t *)(uintptr_t)uses + (uint64_t)world * s->actions;
    for (uint32_t u = 0; u < s->actions; u++) {
        uint32_t same = 0;
        while (same < u && from[same] != from[u])
            same++;
        to[u] = same < u ? to[same] : s->matrices++;
        if (same == u)
            ASIF_TRY(asif_matrix_mix((asif_matrix *)(uintptr_t)&s->matrix[to[u]], c, &s->matrix[from[u]],
                                     s->world_shares[world], error));
    }
    return ASIF_OK;
}

static asif_status mix_worlds(asif_setting_spec *s, const asif_context *c, asif_error *error) {
    for (uint32_t m = 0; m < s->worlds; m++) {
        if (asif_world_share(s, m) == 0)
            continue;
        ASIF_TRY(mix_matrices(s, c, s->transitions, m, error));
        if (s->observations)
            ASIF_TRY(mix_matrices(s, c, s->emissions, m, error));
    }
    return ASIF_OK;
}

static asif_status fill(asif_setting_spec *s, const asif_context *c, const asif_setting_spec *from,
                        asif_error *error) {
    uint64_t uses = ((uint64_t)from->worlds + 1) * from->actions;
    ASIF_TRY(check_counts(from, error));
    ASIF_TRY(check_seen(from, error));
    ASIF_TRY(check_shares(from, error));
    ASIF_TRY(check_matrices(s, from, error));
    ASIF_TRY(copy_text(&s->title, c, from->title, error));
    ASIF_TRY(copy_text(&s->start_column, c, from->start_column, error));
    ASIF_TRY(copy_names(&s->state_names, c, from->state_names, s->states, error));
    ASIF_TRY(copy_names(&s->action_names, c, from->action_names, s->actions, error));
    ASIF_TRY(copy_names(&s->observation_names, c, from->observation_names, s->observations, error));
    ASIF_TRY(copy_columns(&s->observation_column, &s->observation_columns, c, from->observation_column,
                          from->observation_columns, s->observations, "observations", error));
    ASIF_TRY(copy_names(&s->start_names, c, from->start_names, s->starts, error));
    ASIF_TRY(copy_names(&s->parameter_names, c, from->parameter_names, s->parameters, error));
    ASIF_TRY(copy_matrices(s, c, from, error));
    ASIF_TRY(copy_bytes(&s->transitions, c, from->transitions, uses, sizeof(uint32_t), error));
    ASIF_TRY(copy_bytes(&s->emissions, c, s->observations ? from->emissions : NULL, uses, sizeof(uint32_t),
                        error));
    if (from->world_shares)
        ASIF_TRY(copy_bytes(&s->world_shares, c, from->world_shares, s->worlds, sizeof(double), error));
    ASIF_TRY(mix_worlds(s, c, error));
    ASIF_TRY(copy_weights(&s->environment_start, c, from->environment_start, s->starts, s->states, true,
                          "start", error));
    ASIF_TRY(copy_weights(&s->agent_start, c, from->agent_start ? from->agent_start : from->environment_start,
                          s->starts, s->states, true, "the agent's start", error));
    ASIF_TRY(copy_weights(&s->world_weights, c, from->world_weights, 1, s->worlds, false,
                          "the weights of the worlds", error));
    ASIF_TRY(
        copy_weights(&s->action_prior, c, from->action_prior, 1, s->actions, true, "action_prior", error));
    if (from->belief_prior && asif_column_values(s) > 1)
        ASIF_TRY(copy_bytes(&s->belief_prior, c, from->belief_prior,
                            s->observations ? s->observations : s->states, sizeof(double), error));
    else if (from->belief_prior)
        ASIF_TRY(copy_weights(&s->belief_prior, c, from->belief_prior, 1,
                              s->observations ? s->observations : s->states, true, "belief_prior", error));
    ASIF_TRY(copy_bytes(&s->ends, c, from->ends, s->actions, sizeof(bool), error));
    ASIF_TRY(copy_bytes(&s->stops, c, from->stops, s->actions, sizeof(bool), error));
    ASIF_TRY(copy_bytes(&s->terminal, c, from->terminal, s->states, sizeof(bool), error));
    ASIF_TRY(copy_bytes(&s->term, c, from->term, s->terms, sizeof(asif_utility_term), error));
    if (from->utility)
        ASIF_TRY(copy_bytes(&s->utility, c, from->utility, (uint64_t)s->actions * s->states, sizeof(double),
                            error));
    if (from->available)
        ASIF_TRY(copy_bytes(&s->available, c, from->available, (uint64_t)s->seen * s->actions, sizeof(bool),
                            error));
    ASIF_TRY(copy_parts(s, c, from, error));
    ASIF_TRY(check_available(s, error));
    ASIF_TRY(check_shown(s, error));
    return check_terms(s, error);
}

asif_status asif_setting_create(asif_setting **out, const asif_context *context,
                                const asif_setting_spec *spec, asif_error *error) {
    *out = NULL;
    asif_setting_spec from = ASIF_SETTING_SPEC_INIT;
    if (spec->struct_size == 0 || spec->struct_size > sizeof from)
        return asif_fail(error, ASIF_EDOMAIN, "the specification has an unknown size");
    memcpy(&from, spec, spec->struct_size);
    asif_setting *setting = ASIF_NEW(context, asif_setting);
    if (!setting)
        return asif_fail_memory(error);
    setting->context = context;
    asif_setting_spec *s = &setting->spec;
    s->struct_size = sizeof *s;
    s->states = from.states;
    s->actions = from.actions;
    s->observations = from.observations;
    s->worlds = from.worlds;
    s->starts = from.starts;
    s->parameters = from.parameters;
    s->matrices = from.matrices;
    s->discount = from.discount;
    s->terms = from.terms;
    s->seen = from.seen;
    s->leading = from.leading;
    s->horizon = from.horizon;
    asif_status status = fill(s, context, &from, error);
    if (status != ASIF_OK) {
        asif_setting_free(setting);
        return status;
    }
    *out = setting;
    return ASIF_OK;
}

static void free_names(const asif_context *context, const char *const *names, uint32_t count) {
    for (uint32_t i = 0; names && i < count; i++)
        asif_free(context, (void *)(uintptr_t)names[i]);
    asif_free(context, (void *)(uintptr_t)names);
}

static void free_columns(const asif_context *c, const asif_observation_column *column, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        asif_free(c, (void *)(uintptr_t)column[i].name);
        free_names(c, column[i].class_names, column[i].classes);
    }
    asif_free(c, (void *)(uintptr_t)column);
}

void asif_setting_free(asif_setting *setting) {
    if (!setting || !asif_leave(&setting->kept))
        return;
    const asif_context *c = setting->context;
    asif_setting_spec *s = &setting->spec;
    free_names(c, s->state_names, s->states);
    free_names(c, s->action_names, s->actions);
    free_names(c, s->observation_names, s->observations);
    free_names(c, s->start_names, s->starts);
    free_names(c, s->parameter_names, s->parameters);
    free_names(c, s->seen_names, asif_column_values(s));
    free_names(c, s->hidden_names, s->states / asif_column_values(s));
    free_names(c, s->shown_names, asif_shown_values(s));
    free_columns(c, s->observation_column, s->observation_columns);
    free_columns(c, s->seen_column, s->seen_columns);
    for (uint32_t i = 0; s->matrix && i < s->matrices; i++) {
        asif_free(c, (void *)(uintptr_t)s->matrix[i].offset);
        asif_free(c, (void *)(uintptr_t)s->matrix[i].column);
        asif_free(c, (void *)(uintptr_t)s->matrix[i].value);
    }
    const void *const arrays[] = {s->title,        s->start_column,      s->matrix,        s->transitions,
                                  s->emissions,    s->environment_start, s->agent_start,   s->world_weights,
                                  s->action_prior, s->belief_prior,      s->ends,          s->terminal,
                                  s->term,         s->utility,           s->start_weights, s->world_shares,
                                  s->stops,        s->available};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, (void *)(uintptr_t)arrays[i]);
    asif_free(c, setting);
}

const asif_setting_spec *asif_setting_get(const asif_setting *setting) {
    return &setting->spec;
}

static const char *const *names_of(const asif_setting_spec *s, asif_label_kind kind, uint32_t *count) {
    switch (kind) {
    case ASIF_LABEL_ACTION:
        *count = s->actions;
        return s->action_names;
    case ASIF_LABEL_PARAMETER:
        *count = s->parameters;
        return s->parameter_names;
    case ASIF_LABEL_START:
        *count = s->starts;
        return s->start_names;
    case ASIF_LABEL_OBSERVATION:
        if (s->observations) {
            *count = s->observations;
            return s->observation_names;
        }
        break;
    case ASIF_LABEL_SEEN:
        *count = asif_column_values(s);
        return s->seen_names;
    case ASIF_LABEL_HIDDEN:
        *count = s->states / asif_column_values(s);
        return asif_column_values(s) > 1 ? s->hidden_names : s->state_names;
    case ASIF_LABEL_SHOWN:
        *count = asif_shown_values(s);
        return s->seen > 1 ? s->shown_names : s->observation_names;
    case ASIF_LABEL_STATE:
        break;
    }
    *count = s->states;
    return s->state_names;
}

uint32_t asif_setting_count(const asif_setting *setting, asif_label_kind kind) {
    uint32_t count;
    names_of(&setting->spec, kind, &count);
    return count;
}

const char *asif_setting_label(const asif_setting *setting, asif_label_kind kind, uint32_t i, char *buffer) {
    uint32_t count;
    const char *const *names = names_of(&setting->spec, kind, &count);
    if (names && i < count)
        return names[i];
    asif_format(buffer, ASIF_LABEL_SIZE, "%u", i);
    return buffer;
}

uint32_t asif_setting_find(const asif_setting *setting, asif_label_kind kind, const char *label) {
    uint32_t count;
    if (!label)
        return ASIF_ANY;
    const char *const *names = names_of(&setting->spec, kind, &count);
    for (uint32_t i = 0; names && i < count; i++)
        if (strcmp(names[i], label) == 0)
            return i;
    if (names || !*label)
        return ASIF_ANY;
    uint64_t number = 0;
    for (const char *c = label; *c; c++) {
        if (*c < '0' || *c > '9' || number >= count)
            return ASIF_ANY;
        number = number * 10 + (uint64_t)(*c - '0');
    }
    return number < count ? (uint32_t)number : ASIF_ANY;
}

bool asif_setting_stops(const asif_setting_spec *s) {
    bool any = s->horizon > 0;
    for (uint32_t u = 0; u < s->actions; u++)
        any = any || s->stops[u];
    for (uint32_t i = 0; s->observations && i < s->states; i++)
        any = any || s->terminal[i];
    return any;
}

asif_status asif_setting_endless(const asif_setting_spec *s, const char *what, asif_error *error) {
    if (s->seen > 1)
        return asif_fail(error, ASIF_EUNSUPPORTED,
                         s->seen_columns == s->condition_columns
                             ? "%s is not yet possible with conditions (`by: COLUMN` in the study)"
                             : "%s is not yet possible where a part of the state is seen",
                         what);
    return asif_setting_stops(s)
               ? asif_fail(error, ASIF_EUNSUPPORTED,
                           "%s is not yet possible with a horizon, nor with actions after which nothing "
                           "follows",
                           what)
               : ASIF_OK;
}

double asif_term_measure(const asif_utility_term *term, const double *belief, uint32_t states) {
    if (term->index != ASIF_ANY)
        return belief[term->index];
    double largest = belief[0];
    for (uint32_t s = 1; s < states; s++)
        largest = belief[s] > largest ? belief[s] : largest;
    return largest;
}

double asif_term_measure_at(const asif_utility_term *term, uint32_t seen, const double *belief,
                            uint32_t hidden) {
    asif_utility_term within = *term;
    if (term->index != ASIF_ANY && term->index / hidden != seen)
        return 0;
    within.index = term->index == ASIF_ANY ? ASIF_ANY : term->index % hidden;
    return asif_term_measure(&within, belief, hidden);
}

double asif_term_share(const asif_utility_term *term, double measure) {
    switch (term->test) {
    case ASIF_ABOVE:
        return measure > term->threshold;
    case ASIF_AT_LEAST:
        return measure >= term->threshold;
    case ASIF_BELOW:
        return measure < term->threshold;
    case ASIF_AT_MOST:
        return measure <= term->threshold;
    case ASIF_RAMP:
        return fmin(fmax((measure - term->threshold) / (term->full - term->threshold), 0), 1);
    }
    return 0;
}

double asif_term_slope(const asif_utility_term *term, double measure) {
    bool inside =
        measure >= fmin(term->threshold, term->full) && measure <= fmax(term->threshold, term->full);
    return term->test == ASIF_RAMP && inside ? 1 / (term->full - term->threshold) : 0;
}
