/* Compares models by cross-validation: each is fitted without a part of the logs and judged by its
 * predictions there. */
#include "questions/held_out/held_out.h"

#include "asif/fit.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "logs/likelihood.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define VALIDATION .2 /* share of the units by which the training of a rival is stopped */

/* A model or a rival while it is measured. */
typedef struct {
    const asif_held_out_model *model; /* NULL: a rival */
    asif_held_out_model relearnt;     /* `model` with the dynamics of the current part */
    const asif_rival *rival;
    asif_work *work;
    asif_theta *theta;
    asif_estimates *estimates; /* NULL: nothing is estimated */
    double *x;                 /* [dimension]: estimates of the last fit */
    double **policy;           /* [folds][nodes][actions]: predictions for the held-out parts */
    asif_held_out_sum sum;
    asif_held_out_people people;
    double *by_person; /* [units]: log-likelihoods under populations of others; NULL: not wanted */
} subject;

typedef struct {
    asif_held_out *faith;
    const asif_setting *setting;
    const asif_tree_view *tree;
    const char **covariate; /* values of the units for inverse planners (scores, pairs, batches) */
    uint32_t *fold;         /* [units]: part of each unit */
    bool *chosen;           /* [units] */
    bool *held_back;        /* [units]: those by which the training of a rival is stopped */
    double **count;         /* [folds][nodes][actions]: held-out decisions */
    double *by_state;       /* [states][actions]; NULL where states are not seen */
    double *train;          /* [nodes][actions], as the next two */
    double *fitting, *validation;
    uint32_t subjects;
    subject *subject;
} measuring;

static uint64_t cells(const measuring *m) {
    return (uint64_t)m->tree->nodes * m->tree->actions;
}

/* ---- parts of the logs ---- */

/* Assign the units to contiguous parts of a stated order, whose sizes differ by one at most. */
static void divide(measuring *m) {
    uint32_t folds = m->faith->options.folds;
    uint64_t n = m->tree->units;
    for (uint64_t i = 0; i < n; i++)
        m->fold[i] = (uint32_t)(m->faith->options.rank[i] * folds / n);
}

/* Assign the units to parts, in a random order that depends on the seed. */
static asif_status deal(measuring *m, asif_error *error) {
    const asif_held_out_options *o = &m->faith->options;
    uint64_t n = m->tree->units;
    if (o->rank) {
        divide(m);
        return ASIF_OK;
    }
    uint64_t *order = ASIF_ARRAY(m->faith->context, n, uint64_t);
    if (!order)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < n; i++)
        order[i] = i;
    for (uint64_t i = n - 1; i > 0; i--) {
        asif_stream stream = {o->seed, ASIF_FOR_FOLDS, i};
        uint64_t j = (uint64_t)(asif_uniform(&stream, 0) * (double)(i + 1)), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (uint64_t i = 0; i < n; i++)
        m->fold[order[i]] = (uint32_t)(i % o->folds);
    asif_free(m->faith->context, order);
    return ASIF_OK;
}

static void choose(measuring *m, uint32_t fold, bool held_out) {
    for (uint64_t i = 0; i < m->tree->units; i++)
        m->chosen[i] = (m->fold[i] == fold) == held_out;
}

/* ---- models ---- */

static void close_model(measuring *m, subject *s) {
    asif_free(m->faith->context, s->x);
    asif_work_free(s->work);
    asif_theta_free(s->theta);
    asif_estimates_free(s->estimates);
    s->x = NULL;
    s->work = NULL;
    s->theta = NULL;
    s->estimates = NULL;
}

static asif_status open_model(measuring *m, subject *s, const asif_held_out_model *model, asif_error *error) {
    const asif_context *context = m->faith->context;
    const char *planner = model->planner ? model->planner : "bounded-rational";
    ASIF_TRY(asif_theta_copy(&s->theta, model->given, error));
    ASIF_TRY(asif_planner_settle(planner, s->theta, error));
    ASIF_TRY(asif_work_create(&s->work, context, planner, model->given->setting, model->solver, error));
    if (model->specs == 0)
        return ASIF_OK;
    ASIF_TRY(asif_estimates_scaled(&s->estimates, context, s->work, s->theta, model->spec, model->specs,
                                   ASIF_PRIORS_STATED, NULL, error));
    s->x = ASIF_ARRAY(context, asif_estimates_dimension(s->estimates), double);
    return s->x ? ASIF_OK : asif_fail_memory(error);
}

/* Learn the dynamics of models that do not know them from a tree. The occupancies of all rows are compared in
 * the dynamics of the first model. */
static asif_status relearn(measuring *m, const asif_tree *tree, asif_error *error) {
    for (uint32_t i = 0; i < m->subjects; i++) {
        subject *s = &m->subject[i];
        if (!s->model || !s->model->relearn)
            continue;
        close_model(m, s);
        s->relearnt = *s->model;
        ASIF_TRY(s->model->relearn(&s->relearnt, s->model->user, tree, error));
        ASIF_TRY(open_model(m, s, &s->relearnt, error));
        if (i == 1)
            m->setting = s->relearnt.given->setting;
    }
    return ASIF_OK;
}

/* Estimate theta of a model from a tree: the answer of its inverse planner, or the maximum of the
 * posterior. */
static asif_status invert(measuring *m, subject *s, const asif_tree *tree, asif_error *error) {
    if (!s->estimates)
        return ASIF_OK;
    const asif_held_out_model *model = s->model->relearn ? &s->relearnt : s->model;
    const asif_inverse_info *inverse = model->inverse ? asif_inverse_named(model->inverse) : NULL;
    bool likelihood = !inverse || inverse->likelihood;
    asif_fit_options options;
    asif_fit *fit = NULL;
    asif_fit_view view = {.struct_size = sizeof view};
    asif_fit_defaults(&options, likelihood ? ASIF_FIT_MAP : ASIF_FIT_ML);
    options.inverse = model->inverse;
    asif_inverse_options inverse_options = ASIF_INVERSE_OPTIONS_INIT;
    if (model->inverse_options)
        memcpy(&inverse_options, model->inverse_options, model->inverse_options->struct_size);
    inverse_options.partial = tree != m->faith->tree;
    options.inverse_options = &inverse_options;
    options.draws_only = true;
    options.sample.seed = m->faith->options.seed;
    if (m->faith->options.starts)
        options.starts = m->faith->options.starts;
    ASIF_TRY(asif_fit_estimate(&fit, m->faith->context, s->work, s->estimates, tree, &options, NULL, error));
    asif_status status = asif_fit_get(fit, &view, error);
    double *number = ASIF_ARRAY(m->faith->context, view.parameters, double);
    if (status == ASIF_OK && !number)
        status = asif_fail_memory(error);
    if (status == ASIF_OK) {
        for (uint32_t i = 0; i < view.parameters; i++)
            number[i] = view.parameter[i].maximum;
        asif_estimates_locate(s->estimates, number, s->x);
        status = asif_estimates_theta(s->estimates, s->x, s->theta, error);
    }
    asif_free(m->faith->context, number);
    asif_fit_free(fit);
    return status;
}

/* Compute the policy of the model at all nodes, and at all states where they are seen. */
static asif_status behave(measuring *m, subject *s, double *policy, asif_error *error) {
    const asif_tree *tree = m->faith->tree;
    const asif_context *context = m->faith->context;
    ASIF_TRY(asif_solve(s->work, s->theta, NULL, error));
    const asif_behavior *b = asif_work_behavior(s->work);
    ASIF_TRY(asif_loglik_check(b, tree, error));
    uint32_t nodes = m->tree->nodes, U = m->tree->actions;
    asif_loglik_walk walk = {ASIF_ARRAY(context, (uint64_t)nodes * b->width, double),
                             ASIF_ARRAY(context, (uint64_t)nodes * b->memo_width + 1, double), policy};
    double ignored;
    asif_status status = walk.state && walk.memo ? asif_loglik_keep(&ignored, b, tree, NULL, &walk, error)
                                                 : asif_fail_memory(error);
    for (uint64_t i = 0; status == ASIF_OK && i < cells(m); i++)
        policy[i] = exp(policy[i]);
    asif_free(context, walk.state);
    asif_free(context, walk.memo);
    uint32_t states = asif_setting_get(m->setting)->states;
    double *state = m->by_state && status == ASIF_OK ? ASIF_ARRAY(context, b->width, double) : NULL;
    if (m->by_state && status == ASIF_OK && !state)
        status = asif_fail_memory(error);
    for (uint32_t i = 0; m->by_state && status == ASIF_OK && i < states; i++) {
        asif_behavior_init(b, 0, i, state);
        status = asif_behavior_log_policy(b, 1, state, m->by_state + (uint64_t)i * U, error);
    }
    for (uint64_t i = 0; m->by_state && status == ASIF_OK && i < (uint64_t)states * U; i++)
        m->by_state[i] = exp(m->by_state[i]);
    asif_free(context, state);
    return status;
}

static asif_status predict(measuring *m, subject *s, const asif_tree *tree, double *policy,
                           asif_error *error) {
    const asif_lesson lesson = {.context = m->faith->context,
                                .tree = m->faith->tree,
                                .setting = m->setting,
                                .count = m->train,
                                .fitting = m->fitting,
                                .validation = m->validation,
                                .seed = m->faith->options.seed,
                                .part = tree,
                                .dynamics = m->faith->options.dynamics,
                                .solver = m->subject[1].model->solver};
    if (!s->model)
        return s->rival->predict(policy, m->by_state, &lesson, error);
    ASIF_TRY(invert(m, s, tree, error));
    return behave(m, s, policy, error);
}

/* ---- measuring ---- */

/* Count the decisions of the chosen units, and a random fifth of these units apart from the others. */
static asif_status count_training(measuring *m, asif_error *error) {
    uint64_t units = m->tree->units;
    ASIF_TRY(asif_tree_counts(m->faith->tree, m->chosen, m->train, error));
    for (uint64_t i = 0; i < units; i++) {
        asif_stream stream = {m->faith->options.seed, ASIF_FOR_FOLDS, units + i};
        m->held_back[i] = m->chosen[i] && asif_uniform(&stream, 0) < VALIDATION;
    }
    ASIF_TRY(asif_tree_counts(m->faith->tree, m->held_back, m->validation, error));
    for (uint64_t i = 0; i < cells(m); i++)
        m->fitting[i] = m->train[i] - m->validation[i];
    return ASIF_OK;
}

/* Predict the held-out units, which are chosen, by populations that are fitted to the rest. */
static asif_status predict_people(measuring *m, const asif_tree *rest, asif_error *error) {
    asif_tree *held_out = NULL;
    uint64_t units = m->tree->units;
    double *value = ASIF_ARRAY(m->faith->context, units, double);
    asif_status status =
        value ? asif_tree_select_units(&held_out, m->faith->tree, m->chosen, m->covariate, true, error)
              : asif_fail_memory(error);
    for (uint32_t i = 0; status == ASIF_OK && i < m->subjects; i++) {
        subject *s = &m->subject[i];
        uint64_t at = 0;
        if (!s->by_person)
            continue;
        const asif_held_out_fold one = {.context = m->faith->context,
                                        .work = s->work,
                                        .estimates = s->estimates,
                                        .model = s->model->relearn ? &s->relearnt : s->model,
                                        .rest = rest,
                                        .held_out = held_out,
                                        .seed = m->faith->options.seed};
        status = asif_held_out_predict_people(&s->people, value, &one, error);
        for (uint64_t u = 0; u < units; u++)
            if (m->chosen[u])
                s->by_person[u] = value[at++];
    }
    asif_tree_free(held_out);
    asif_free(m->faith->context, value);
    return status;
}

static asif_status fold(measuring *m, uint32_t k, asif_error *error) {
    const asif_tree *tree = m->faith->tree;
    asif_tree *rest = NULL;
    choose(m, k, false);
    ASIF_TRY(count_training(m, error));
    ASIF_TRY(asif_tree_select_units(&rest, tree, m->chosen, m->covariate, true, error));
    choose(m, k, true);
    asif_status status = asif_tree_counts(tree, m->chosen, m->count[k], error);
    if (status == ASIF_OK)
        status = relearn(m, rest, error);
    asif_held_out_view view = {m->faith->context, tree, m->setting, m->count[k], m->chosen};
    for (uint32_t i = 0; status == ASIF_OK && i < m->subjects; i++) {
        subject *s = &m->subject[i];
        double distance = NAN;
        status = predict(m, s, rest, s->policy[k], error);
        if (status == ASIF_OK)
            status = asif_held_out_distance(&distance, &view, s->policy[k], m->by_state, error);
        if (status == ASIF_OK)
            asif_held_out_add(&s->sum, &view, s->policy[k], distance);
    }
    if (status == ASIF_OK && m->faith->options.people)
        status = predict_people(m, rest, error);
    asif_tree_free(rest);
    return status;
}

static asif_status condense(measuring *m, const subject *s, uint32_t parts, double *const *policy,
                            double *const *count, asif_held_out_measures *out, asif_error *error) {
    const asif_held_out_sum *sum = &s->sum;
    double error_over_units;
    (void)asif_held_out_total(&error_over_units, m->tree, sum->by_unit, NULL);
    *out = (asif_held_out_measures){.decisions = sum->decisions,
                                    .log_likelihood = sum->log_likelihood,
                                    .error = error_over_units,
                                    .accuracy = sum->right / sum->decisions,
                                    .brier = sum->brier / sum->decisions,
                                    .occupancy = sum->distance / sum->decisions};
    const asif_held_out_parts all = {parts, m->tree->nodes, m->tree->actions, policy, count};
    return asif_held_out_precision(&out->precision, m->faith->context, &all, error);
}

static asif_status draw_curves(const measuring *m, const subject *s, asif_held_out_row *row,
                               asif_error *error) {
    const asif_held_out_parts all = {m->faith->options.folds, m->tree->nodes, m->tree->actions, s->policy,
                                     m->count};
    asif_held_out_curve *curve = NULL;
    ASIF_TRY(asif_held_out_curves(&curve, m->faith->context, m->faith->tree, &all, error));
    row->curve = curve;
    row->curves = m->tree->actions;
    return ASIF_OK;
}

/* Copy the estimates from all of the logs to the row. */
static asif_status tell(measuring *m, subject *s, asif_held_out_row *row, asif_error *error) {
    const asif_context *context = m->faith->context;
    uint32_t n = 0;
    while (asif_estimates_get(s->estimates, n))
        n++;
    char **name = asif_alloc(context, n, sizeof *name);
    double *value = ASIF_ARRAY(context, n, double);
    row->parameter = (const char *const *)name;
    row->value = value;
    if (!name || !value)
        return asif_fail_memory(error);
    row->parameters = n;
    asif_estimates_report(s->estimates, s->x, value);
    for (uint32_t i = 0; i < n; i++)
        if (!(name[i] = asif_strdup(context, asif_estimates_get(s->estimates, i)->name)))
            return asif_fail_memory(error);
    return ASIF_OK;
}

/* Fit a model to all of the logs and judge it by them; this is the projection. */
static asif_status whole(measuring *m, subject *s, asif_held_out_row *row, asif_error *error) {
    const asif_context *context = m->faith->context;
    double *policy = ASIF_ARRAY(context, cells(m), double), distance = NAN;
    double *count = m->train;
    if (!policy)
        return asif_fail_memory(error);
    row->policy = policy;
    for (uint64_t i = 0; i < m->tree->units; i++)
        m->chosen[i] = true;
    ASIF_TRY(count_training(m, error));
    ASIF_TRY(predict(m, s, m->faith->tree, policy, error));
    asif_held_out_view view = {context, m->faith->tree, m->setting, count, NULL};
    ASIF_TRY(asif_held_out_distance(&distance, &view, policy, m->by_state, error));
    s->sum = (asif_held_out_sum){.by_unit = s->sum.by_unit};
    asif_held_out_add(&s->sum, &view, policy, distance);
    ASIF_TRY(condense(m, s, 1, &policy, &count, &row->whole, error));
    row->has_whole = true;
    return s->estimates ? tell(m, s, row, error) : ASIF_OK;
}

/* Score the positive class of all rows, from one decision of the episodes on, and compare the rows. `by_unit`
 * is [rows][units]. */
static asif_status score_from(measuring *m, uint32_t which, uint32_t from_step, const uint32_t *step,
                              asif_held_out_unit_sum *by_unit, asif_error *error) {
    asif_held_out *faith = m->faith;
    uint64_t units = m->tree->units;
    asif_held_out_difference *difference = faith->difference[which];
    for (uint32_t i = 0; i < m->subjects; i++) {
        const asif_held_out_scoring scoring = {
            .context = faith->context,
            .tree = faith->tree,
            .parts = {faith->options.folds, m->tree->nodes, m->tree->actions, m->subject[i].policy, m->count},
            .fold = m->fold,
            .step = step,
            .positive = faith->options.positive,
            .from_step = from_step};
        ASIF_TRY(asif_held_out_score(&faith->row[i].scores[which], by_unit + i * units, &scoring, error));
    }
    for (uint32_t i = 1; i < m->subjects; i++)
        for (uint32_t k = 0; k < i; k++, difference++) {
            asif_held_out_compare(difference, by_unit + i * units, by_unit + k * units, units);
            difference->row = i;
            difference->reference = k;
        }
    if (faith->row[0].scores[which].decisions > 0)
        return ASIF_OK;
    return asif_fail(error, ASIF_EINVALID, "no episode has a decision %u", from_step);
}

static asif_status score(measuring *m, asif_error *error) {
    asif_held_out *faith = m->faith;
    const asif_context *context = faith->context;
    uint32_t from = faith->options.from_step;
    if (faith->options.positive == ASIF_ANY)
        return ASIF_OK;
    faith->scored = from > 1 ? ASIF_HELD_OUT_SCORED : 1;
    faith->differences = m->subjects * (m->subjects - 1) / 2;
    for (uint32_t i = 0; i < faith->scored; i++)
        if (!(faith->difference[i] = ASIF_ARRAY(context, faith->differences, asif_held_out_difference)))
            return asif_fail_memory(error);
    asif_held_out_unit_sum *by_unit =
        ASIF_ARRAY(context, m->subjects * m->tree->units, asif_held_out_unit_sum);
    uint32_t *step = ASIF_ARRAY(context, m->tree->nodes, uint32_t);
    asif_status status = by_unit && step ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = score_from(m, 0, 1, NULL, by_unit, error);
    if (status == ASIF_OK && from > 1) {
        asif_tree_steps(step, faith->tree);
        status = score_from(m, 1, from, step, by_unit, error);
    }
    asif_free(context, by_unit);
    asif_free(context, step);
    return status;
}

static asif_status measure(measuring *m, asif_error *error) {
    asif_held_out *faith = m->faith;
    uint32_t folds = faith->options.folds;
    const subject *first = NULL; /* study with a population */
    ASIF_TRY(deal(m, error));
    for (uint32_t k = 0; k < folds; k++)
        ASIF_TRY(fold(m, k, error));
    for (uint32_t i = 0; i < m->subjects; i++) {
        subject *s = &m->subject[i];
        asif_held_out_row *row = &faith->row[i];
        row->name = s->model ? s->model->name : s->rival->name;
        row->planner = s->model ? (s->model->planner ? s->model->planner : "bounded-rational") : NULL;
        row->inverse = s->model ? (s->model->inverse ? s->model->inverse : "soft-policy-matching") : NULL;
        row->relearnt = s->model && s->model->relearn;
        ASIF_TRY(condense(m, s, folds, s->policy, m->count, &row->held_out, error));
        ASIF_TRY(draw_curves(m, s, row, error));
        if (s->by_person) {
            row->has_people = true;
            row->people = s->people;
            asif_held_out_sum_people(&row->people, m->tree, s->by_person, s->sum.by_unit,
                                     first ? &first->people : NULL, first ? first->by_person : NULL);
            first = first ? first : s;
        }
        if (faith->options.whole)
            ASIF_TRY(whole(m, s, row, error));
    }
    return score(m, error);
}

/* ---- creation ---- */

/* Rows are: uniform, the models, the rivals, behavioural cloning. */
static void choose_subject(const measuring *m, subject *s, uint32_t i, const asif_held_out_model *model) {
    uint32_t rivals = m->faith->options.rivals, models = m->subjects - 2 - rivals;
    if (i == 0)
        s->rival = &asif_rival_uniform;
    else if (i <= models)
        s->model = &model[i - 1];
    else
        s->rival = i + 1 == m->subjects ? &asif_rival_cloning : m->faith->options.rival[i - 1 - models];
}

static asif_status prepare(measuring *m, const asif_held_out_model *model, asif_error *error) {
    const asif_context *c = m->faith->context;
    uint32_t folds = m->faith->options.folds;
    uint64_t states = asif_setting_get(m->setting)->states;
    m->covariate = asif_alloc(c, (uint64_t)m->tree->covariates + 1, sizeof *m->covariate);
    if (!m->covariate)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < m->tree->covariates; i++)
        m->covariate[i] = asif_tree_covariate_name(m->faith->tree, i);
    m->fold = ASIF_ARRAY(c, m->tree->units, uint32_t);
    m->chosen = ASIF_ARRAY(c, m->tree->units, bool);
    m->count = asif_alloc(c, folds, sizeof *m->count);
    m->held_back = ASIF_ARRAY(c, m->tree->units, bool);
    m->train = ASIF_ARRAY(c, cells(m), double);
    m->fitting = ASIF_ARRAY(c, cells(m), double);
    m->validation = ASIF_ARRAY(c, cells(m), double);
    m->subject = ASIF_ARRAY(c, m->subjects, subject);
    m->faith->row = ASIF_ARRAY(c, m->subjects, asif_held_out_row);
    if (m->tree->states_seen && !(m->by_state = ASIF_ARRAY(c, states * m->tree->actions, double)))
        return asif_fail_memory(error);
    if (!m->held_back || !m->fitting || !m->validation)
        return asif_fail_memory(error);
    if (!m->fold || !m->chosen || !m->count || !m->train || !m->subject || !m->faith->row)
        return asif_fail_memory(error);
    m->faith->rows = m->subjects;
    for (uint32_t k = 0; k < folds; k++)
        if (!(m->count[k] = ASIF_ARRAY(c, cells(m), double)))
            return asif_fail_memory(error);
    for (uint32_t i = 0; i < m->subjects; i++) {
        subject *s = &m->subject[i];
        choose_subject(m, s, i, model);
        s->sum.by_unit = ASIF_ARRAY(c, m->tree->units, double);
        s->policy = asif_alloc(c, folds, sizeof *s->policy);
        if (!s->sum.by_unit || !s->policy)
            return asif_fail_memory(error);
        if (m->faith->options.people && s->model && s->model->specs &&
            !(s->by_person = ASIF_ARRAY(c, m->tree->units, double)))
            return asif_fail_memory(error);
        for (uint32_t k = 0; k < folds; k++)
            if (!(s->policy[k] = ASIF_ARRAY(c, cells(m), double)))
                return asif_fail_memory(error);
        if (s->model && !s->model->relearn)
            ASIF_TRY(open_model(m, s, s->model, error));
    }
    return ASIF_OK;
}

static void clear(measuring *m) {
    const asif_context *c = m->faith->context;
    uint32_t folds = m->faith->options.folds;
    for (uint32_t i = 0; m->subject && i < m->subjects; i++) {
        subject *s = &m->subject[i];
        for (uint32_t k = 0; s->policy && k < folds; k++)
            asif_free(c, s->policy[k]);
        asif_free(c, s->policy);
        asif_free(c, s->sum.by_unit);
        asif_free(c, s->by_person);
        close_model(m, s);
    }
    for (uint32_t k = 0; m->count && k < folds; k++)
        asif_free(c, m->count[k]);
    void *const arrays[] = {m->subject, m->count,     m->fold,    m->chosen,     m->held_back,
                            m->train,   m->covariate, m->fitting, m->validation, m->by_state};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
}

static asif_status check(const asif_held_out_options *o, uint32_t models, const asif_tree_view *tree,
                         asif_error *error) {
    if (models == 0 || o->folds < 2)
        return asif_fail(error, ASIF_EINVALID, "there must be a model, and at least two folds");
    if (tree->units == 0)
        return asif_fail(error, ASIF_EINVALID, "the counts are not kept apart by subject");
    if (o->positive != ASIF_ANY && o->positive >= tree->actions)
        return asif_fail(error, ASIF_EDOMAIN, "there is no action with this number");
    for (uint32_t i = 0; i < o->rivals; i++)
        if (o->rival[i]->histories && tree->states_seen)
            return asif_fail(error, ASIF_EUNSUPPORTED, "%s needs histories, but here states are seen",
                             o->rival[i]->name);
    if (o->from_step > 1 && tree->states_seen)
        return asif_fail(error, ASIF_EUNSUPPORTED,
                         "where states are seen, the logs do not keep the order of decisions");
    if (tree->units >= o->folds)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "there are %llu subjects, too few for %u folds",
              (unsigned long long)tree->units, o->folds);
    asif_error_hint(error, "ask for fewer folds");
    return ASIF_EINVALID;
}

asif_status asif_held_out_run(asif_held_out **out, const asif_context *context,
                              const asif_held_out_model *model, uint32_t models, const asif_tree *tree,
                              const asif_held_out_options *options, asif_error *error) {
    asif_held_out_options o = ASIF_HELD_OUT_OPTIONS_INIT;
    *out = NULL;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof o)
            return asif_fail(error, ASIF_EDOMAIN, "options have an unknown size");
        memcpy(&o, options, options->struct_size);
    }
    const asif_tree_view *view = asif_tree_inside(tree);
    ASIF_TRY(check(&o, models, view, error));
    asif_held_out *faith = ASIF_NEW(context, asif_held_out);
    if (!faith)
        return asif_fail_memory(error);
    *faith = (asif_held_out){.context = context, .tree = tree, .options = o, .units = view->units};
    measuring m = {
        .faith = faith, .setting = model[0].given->setting, .tree = view, .subjects = models + o.rivals + 2};
    asif_status status = prepare(&m, model, error);
    if (status == ASIF_OK)
        status = measure(&m, error);
    clear(&m);
    if (status != ASIF_OK) {
        asif_held_out_free(faith);
        return status;
    }
    *out = faith;
    return ASIF_OK;
}

void asif_held_out_free(asif_held_out *faith) {
    if (!faith)
        return;
    for (uint32_t i = 0; faith->row && i < faith->rows; i++) {
        for (uint32_t k = 0; k < faith->row[i].parameters; k++)
            asif_free(faith->context, (void *)(uintptr_t)faith->row[i].parameter[k]);
        asif_free(faith->context, (void *)(uintptr_t)faith->row[i].parameter);
        asif_free(faith->context, (void *)(uintptr_t)faith->row[i].value);
        asif_free(faith->context, (void *)(uintptr_t)faith->row[i].policy);
        asif_held_out_curves_free(faith->context, faith->row[i].curve, faith->row[i].curves);
    }
    for (uint32_t i = 0; i < faith->scored; i++)
        asif_free(faith->context, faith->difference[i]);
    asif_free(faith->context, faith->row);
    asif_free(faith->context, faith);
}

const asif_held_out_row *asif_held_out_get(const asif_held_out *faith, uint32_t i) {
    return i < faith->rows ? &faith->row[i] : NULL;
}
