#include "questions/held_out/rivals/belief_lesson.h"

#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <string.h>

/* ---- dynamics that are known ---- */

/* Dense copies of the environment's tables, and what refers to them. */
typedef struct {
    asif_dynamics_spec spec;
    asif_dynamics_table *table; /* start, then transitions and emissions of each action */
    uint32_t *transitions, *emissions;
    double *numbers;
} known;

static double *copy_matrix(double *to, const asif_matrix *from) {
    for (uint32_t i = 0; i < from->rows; i++, to += from->columns) {
        uint64_t begin, end;
        asif_matrix_row(from, i, &begin, &end);
        for (uint64_t e = begin; e < end; e++)
            to[from->column[e]] = from->value[e];
    }
    return to;
}

static void copy_tables(known *k, const asif_setting *setting) {
    const asif_setting_spec *s = &setting->spec;
    double *to = k->numbers;
    memcpy(to, s->environment_start, (uint64_t)s->starts * s->states * sizeof *to);
    k->table[0] = (asif_dynamics_table){"start", s->starts, s->states, NULL, to};
    to += (uint64_t)s->starts * s->states;
    for (uint32_t u = 0; u < s->actions; u++) {
        k->transitions[u] = 1 + 2 * u;
        k->emissions[u] = 2 + 2 * u;
        k->table[1 + 2 * u] = (asif_dynamics_table){"transitions", s->states, s->states, NULL, to};
        to = copy_matrix(to, asif_transitions(setting, s->worlds, u));
        k->table[2 + 2 * u] = (asif_dynamics_table){"emissions", s->states, s->observations, NULL, to};
        to = copy_matrix(to, asif_emissions(setting, s->worlds, u));
    }
}

static void free_known(known *k, const asif_context *context) {
    void *const arrays[] = {k->table, k->transitions, k->emissions, k->numbers};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
}

static asif_status make_known(known *k, const asif_lesson *lesson, asif_error *error) {
    const asif_context *context = lesson->context;
    const asif_setting_spec *s = &lesson->setting->spec;
    uint64_t S = s->states, U = s->actions;
    k->table = ASIF_ARRAY(context, 2 * U + 1, asif_dynamics_table);
    k->transitions = ASIF_ARRAY(context, U, uint32_t);
    k->emissions = ASIF_ARRAY(context, U, uint32_t);
    k->numbers = ASIF_ARRAY(context, s->starts * S + U * S * (S + s->observations), double);
    if (!k->table || !k->transitions || !k->emissions || !k->numbers)
        return asif_fail_memory(error);
    copy_tables(k, lesson->setting);
    k->spec = (asif_dynamics_spec)ASIF_DYNAMICS_SPEC_INIT;
    k->spec.states = s->states;
    k->spec.actions = s->actions;
    k->spec.observations = s->observations;
    k->spec.starts = s->starts;
    k->spec.tables = 2 * s->actions + 1;
    k->spec.table = k->table;
    k->spec.transitions = k->transitions;
    k->spec.emissions = k->emissions;
    return ASIF_OK;
}

/* ---- the lesson ---- */

static asif_status make(asif_belief_lesson *l, const asif_dynamics_spec *spec, asif_error *error) {
    const asif_context *context = l->lesson->context;
    ASIF_TRY(asif_dynamics_create(&l->part, context, spec, l->lesson->part, error));
    ASIF_TRY(asif_dynamics_create(&l->whole, context, spec, l->lesson->tree, error));
    ASIF_TRY(asif_dynamics_work_create(&l->learning, l->part, error));
    ASIF_TRY(asif_dynamics_work_create(&l->following, l->whole, error));
    l->point = ASIF_ARRAY(context, l->part->cells, double);
    return l->point ? ASIF_OK : asif_fail_memory(error);
}

static asif_status learn(asif_belief_lesson *l, asif_error *error) {
    asif_dynamics_fit *fit = NULL;
    asif_dynamics_options options = ASIF_DYNAMICS_OPTIONS_INIT;
    asif_dynamics_estimate estimate = {.struct_size = sizeof estimate};
    options.seed = l->lesson->seed;
    options.prior = ASIF_LESSON_PRIOR;
    if (l->part->free == 0) {
        asif_dynamics_normalise(l->part, l->point);
        return ASIF_OK;
    }
    ASIF_TRY(asif_dynamics_learn(&fit, l->part, &options, error));
    asif_status status = asif_dynamics_fit_get(fit, &estimate, error);
    if (status == ASIF_OK)
        memcpy(l->point, estimate.point, l->part->cells * sizeof *l->point);
    asif_dynamics_fit_free(fit);
    return status;
}

asif_status asif_belief_lesson_create(asif_belief_lesson *out, const asif_lesson *lesson, asif_error *error) {
    known k = {0};
    *out = (asif_belief_lesson){.lesson = lesson};
    asif_status status = lesson->dynamics ? ASIF_OK : make_known(&k, lesson, error);
    if (status == ASIF_OK)
        status = make(out, lesson->dynamics ? lesson->dynamics : &k.spec, error);
    if (status == ASIF_OK)
        status = learn(out, error);
    if (status == ASIF_OK)
        asif_dynamics_down(&out->following, out->point);
    free_known(&k, lesson->context);
    return status;
}

void asif_belief_lesson_free(asif_belief_lesson *l) {
    asif_dynamics_work_free(&l->learning);
    asif_dynamics_work_free(&l->following);
    asif_dynamics_free(l->part);
    asif_dynamics_free(l->whole);
    asif_free(l->lesson->context, l->point);
}
