/* A model whose dynamics are known: those of a setting's environment. */
#include "base/error.h"
#include "base/memory.h"
#include "dynamics/dynamics.h"
#include "setting/setting.h"

#include <string.h>

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

static asif_status make_known(known *k, const asif_context *context, const asif_setting *setting,
                              asif_error *error) {
    const asif_setting_spec *s = &setting->spec;
    uint64_t S = s->states, U = s->actions;
    k->table = ASIF_ARRAY(context, 2 * U + 1, asif_dynamics_table);
    k->transitions = ASIF_ARRAY(context, U, uint32_t);
    k->emissions = ASIF_ARRAY(context, U, uint32_t);
    k->numbers = ASIF_ARRAY(context, s->starts * S + U * S * (S + s->observations), double);
    if (!k->table || !k->transitions || !k->emissions || !k->numbers)
        return asif_fail_memory(error);
    copy_tables(k, setting);
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

asif_status asif_dynamics_known(asif_dynamics **out, const asif_context *context, const asif_setting *setting,
                                const asif_tree *tree, asif_error *error) {
    known k = {0};
    *out = NULL;
    asif_status status = make_known(&k, context, setting, error);
    if (status == ASIF_OK)
        status = asif_dynamics_create(out, context, &k.spec, tree, error);
    free_known(&k, context);
    return status;
}
