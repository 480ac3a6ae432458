/* Converts a .pomdp file to a setting. */
#include "formats/pomdp.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define MOST_ENTRIES (UINT64_C(1) << 28) /* entries of all matrices together */

typedef struct {
    uint32_t rows, columns;
    bool same_rows;
    uint64_t *offset;
    uint32_t *column;
    double *value;
    uint64_t entries;
} matrix;

typedef struct {
    const asif_pomdp *pomdp;
    const asif_context *context;
    asif_error *error;
    matrix *matrix;
    uint64_t matrices, matrix_capacity;
    uint64_t entries;
    uint32_t *transitions, *emissions; /* [2][actions]: of the only world, and of the environment */
    double *start, *utility;
    asif_utility_term *term;
    uint64_t terms, term_capacity;
    double *first, *other; /* [observations] */
} converter;

static void matrix_free(matrix *m, const asif_context *context) {
    asif_free(context, m->offset);
    asif_free(context, m->column);
    asif_free(context, m->value);
}

static void expand_row(matrix *m, const asif_pomdp_row *row, uint32_t state) {
    if (row->fill == 0 && !row->self) {
        for (uint32_t e = 0; e < row->count; e++) {
            m->column[m->entries] = row->entry[e].column;
            m->value[m->entries++] = row->entry[e].value;
        }
        return;
    }
    if (row->fill == 0 && row->count == 0) {
        m->column[m->entries] = state;
        m->value[m->entries++] = 1;
        return;
    }
    for (uint32_t c = 0, e = 0; c < m->columns; c++) {
        bool here = e < row->count && row->entry[e].column == c;
        double value = here ? row->entry[e++].value : row->self && c == state ? 1 : row->fill;
        if (value == 0)
            continue;
        m->column[m->entries] = c;
        m->value[m->entries++] = value;
    }
}

static asif_status expand(converter *v, matrix *m, const asif_pomdp_table *table, uint32_t action) {
    const asif_pomdp_holder *holder = &table->holder[action];
    uint64_t entries = 0;
    *m = (matrix){.rows = table->states, .columns = table->columns};
    m->same_rows = !holder->own && !table->row[holder->base].self;
    uint32_t rows = m->same_rows ? 1 : m->rows;
    for (uint32_t s = 0; s < rows; s++)
        entries += asif_pomdp_row_nonzero(asif_pomdp_get_row(table, action, s), m->columns);
    v->entries += entries;
    if (v->entries > MOST_ENTRIES)
        return asif_fail(v->error, ASIF_ETOOBIG, "the matrices of this problem have more than %llu numbers",
                         (unsigned long long)MOST_ENTRIES);
    m->offset = ASIF_ARRAY(v->context, (uint64_t)rows + 1, uint64_t);
    m->column = ASIF_ARRAY(v->context, entries, uint32_t);
    m->value = ASIF_ARRAY(v->context, entries, double);
    if (!m->offset || !m->column || !m->value)
        return asif_fail_memory(v->error);
    for (uint32_t s = 0; s < rows; s++) {
        expand_row(m, asif_pomdp_get_row(table, action, s), s);
        m->offset[s + 1] = m->entries;
    }
    return ASIF_OK;
}

static bool equal(const matrix *a, const matrix *b) {
    uint64_t rows = a->same_rows ? 1 : a->rows;
    return a->same_rows == b->same_rows && a->columns == b->columns && a->entries == b->entries &&
           memcmp(a->offset, b->offset, (size_t)(rows + 1) * sizeof *a->offset) == 0 &&
           memcmp(a->column, b->column, (size_t)a->entries * sizeof *a->column) == 0 &&
           memcmp(a->value, b->value, (size_t)a->entries * sizeof *a->value) == 0;
}

/* Expands the matrices of all actions into index[2][actions]; equal matrices are stored once. */
static asif_status expand_table(converter *v, const asif_pomdp_table *table, uint32_t *index) {
    uint32_t first = (uint32_t)v->matrices;
    for (uint32_t a = 0; a < table->actions; a++) {
        if (a && !table->holder[a].own && !table->holder[a - 1].own &&
            table->holder[a].base == table->holder[a - 1].base) {
            index[a] = index[a - 1];
            continue;
        }
        if (!asif_grow(v->context, &v->matrix, v->matrices, &v->matrix_capacity, sizeof *v->matrix))
            return asif_fail_memory(v->error);
        matrix *made = &v->matrix[v->matrices];
        asif_status status = expand(v, made, table, a);
        uint32_t same = first;
        while (status == ASIF_OK && same < v->matrices && !equal(made, &v->matrix[same]))
            same++;
        if (status != ASIF_OK || same < v->matrices) {
            v->entries -= made->entries;
            matrix_free(made, v->context);
            if (status != ASIF_OK)
                return status;
        } else {
            v->matrices++;
        }
        index[a] = same;
    }
    memcpy(index + table->actions, index, table->actions * sizeof *index);
    return ASIF_OK;
}

/* The expected reward sum_s' T sum_o O R of the current state of `rewards`. */
static double average(const converter *v, const asif_pomdp_rewards *rewards, uint32_t action,
                      uint32_t state) {
    const matrix *t = &v->matrix[v->transitions[action]];
    const matrix *o = v->pomdp->observation.count ? &v->matrix[v->emissions[action]] : NULL;
    uint32_t row = t->same_rows ? 0 : state;
    double sum = 0, weight = 0;
    for (uint64_t i = t->offset[row]; i < t->offset[row + 1]; i++) {
        uint32_t next = t->column[i];
        double inner = 0, inner_weight = 0;
        if (!o || asif_pomdp_rewards_constant_in(rewards, next)) {
            inner = asif_pomdp_rewards_value(rewards, next, 0);
        } else {
            uint32_t reached = o->same_rows ? 0 : next;
            for (uint64_t j = o->offset[reached]; j < o->offset[reached + 1]; j++) {
                inner += o->value[j] * asif_pomdp_rewards_value(rewards, next, o->column[j]);
                inner_weight += o->value[j];
            }
            inner /= inner_weight;
        }
        sum += t->value[i] * inner;
        weight += t->value[i];
    }
    return sum / weight;
}

static asif_status add_terms(converter *v, uint32_t action, const double *value) {
    for (uint32_t o = 0; o < v->pomdp->observation.count; o++) {
        if (value[o] == 0)
            continue;
        if (!asif_grow(v->context, &v->term, v->terms, &v->term_capacity, sizeof *v->term))
            return asif_fail_memory(v->error);
        v->term[v->terms++] = (asif_utility_term){.by = ASIF_BY_OBSERVATION,
                                                  .parameter = ASIF_ANY,
                                                  .action = action,
                                                  .index = o,
                                                  .coefficient = v->pomdp->cost ? -value[o] : value[o]};
    }
    return ASIF_OK;
}

/* Converts the rewards of an action: by state or by observation if they depend on one of these alone, else
 * averaged over what follows each state. */
static asif_status convert_action(converter *v, asif_pomdp_rewards *rewards, uint32_t action,
                                  bool *averaged) {
    uint32_t states = v->pomdp->state.count, observations = v->pomdp->observation.count;
    double *utility = v->utility + (uint64_t)action * states;
    bool by_state = true, by_observation = observations > 0;
    for (uint32_t s = 0; s < states && (by_state || by_observation); s++) {
        if (!asif_pomdp_rewards_at(rewards, action, s))
            return asif_fail_memory(v->error);
        by_state = by_state && asif_pomdp_rewards_constant(rewards, &utility[s]);
        by_observation =
            by_observation && asif_pomdp_rewards_by_observation(rewards, s ? v->other : v->first);
        for (uint32_t o = 0; by_observation && s && o < observations; o++)
            by_observation = v->first[o] == v->other[o];
    }
    if (!by_state && !by_observation)
        *averaged = true;
    for (uint32_t s = 0; s < states; s++) {
        if (!by_state) {
            utility[s] = 0;
            if (!by_observation) {
                if (!asif_pomdp_rewards_at(rewards, action, s))
                    return asif_fail_memory(v->error);
                utility[s] = average(v, rewards, action, s);
            }
        }
        utility[s] = v->pomdp->cost ? 0 - utility[s] : utility[s] + 0.0; /* avoids negative zeros */
        if (!isfinite(utility[s]))
            return asif_fail(v->error, ASIF_EDOMAIN, "the rewards are too large to be averaged");
    }
    return !by_state && by_observation ? add_terms(v, action, v->first) : ASIF_OK;
}

static asif_status convert_rewards(converter *v, bool *averaged) {
    asif_pomdp_rewards *rewards;
    if (!asif_pomdp_rewards_create(&rewards, v->pomdp))
        return asif_fail_memory(v->error);
    asif_status status = ASIF_OK;
    for (uint32_t a = 0; a < v->pomdp->action.count && status == ASIF_OK; a++)
        status = convert_action(v, rewards, a, averaged);
    asif_pomdp_rewards_free(rewards);
    return status;
}

static asif_status create(converter *v, asif_setting **out) {
    const asif_pomdp *p = v->pomdp;
    asif_matrix *view = ASIF_ARRAY(v->context, v->matrices, asif_matrix);
    if (!view)
        return asif_fail_memory(v->error);
    for (uint64_t i = 0; i < v->matrices; i++) {
        const matrix *m = &v->matrix[i];
        view[i] = (asif_matrix){m->rows, m->columns, m->same_rows, m->offset, m->column, m->value};
    }
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = p->state.count;
    spec.actions = p->action.count;
    spec.observations = p->observation.count;
    spec.state_names = (const char *const *)p->state.name;
    spec.action_names = (const char *const *)p->action.name;
    spec.observation_names = (const char *const *)p->observation.name;
    spec.matrices = (uint32_t)v->matrices;
    spec.matrix = view;
    spec.transitions = v->transitions;
    spec.emissions = spec.observations ? v->emissions : NULL;
    spec.environment_start = v->start;
    spec.discount = p->discount;
    spec.terms = v->terms;
    spec.term = v->term;
    spec.utility = v->utility;
    asif_status status = asif_setting_create(out, v->context, &spec, v->error);
    asif_free(v->context, view);
    return status;
}

static asif_status convert(converter *v, asif_setting **out, bool *averaged) {
    const asif_pomdp *p = v->pomdp;
    uint64_t states = p->state.count, actions = p->action.count;
    v->transitions = ASIF_ARRAY(v->context, 2 * actions, uint32_t);
    v->emissions = ASIF_ARRAY(v->context, 2 * actions, uint32_t);
    v->start = ASIF_ARRAY(v->context, states, double);
    v->utility = ASIF_ARRAY(v->context, actions * states, double);
    v->first = ASIF_ARRAY(v->context, p->observation.count, double);
    v->other = ASIF_ARRAY(v->context, p->observation.count, double);
    if (!v->transitions || !v->emissions || !v->start || !v->utility || !v->first || !v->other)
        return asif_fail_memory(v->error);
    for (uint32_t s = 0; s < states; s++)
        v->start[s] = asif_pomdp_row_value(asif_pomdp_get_row(&p->start, 0, 0), 0, s);
    asif_status status = expand_table(v, &p->transitions, v->transitions);
    if (status == ASIF_OK && p->observation.count)
        status = expand_table(v, &p->emissions, v->emissions);
    if (status == ASIF_OK)
        status = convert_rewards(v, averaged);
    return status == ASIF_OK ? create(v, out) : status;
}

asif_status asif_pomdp_setting(asif_setting **out, bool *averaged, const asif_pomdp *pomdp,
                               asif_error *error) {
    bool ignored;
    averaged = averaged ? averaged : &ignored;
    *out = NULL;
    *averaged = false;
    if (pomdp->discount >= 1) {
        asif_fail(error, ASIF_EUNSUPPORTED, "the file's discount is 1, and asif needs one below 1");
        asif_error_hint(error, "change `discount:` in the file, to 0.99 for instance");
        return ASIF_EUNSUPPORTED;
    }
    converter v = {.pomdp = pomdp, .context = pomdp->context, .error = error};
    asif_status status = convert(&v, out, averaged);
    for (uint64_t i = 0; i < v.matrices; i++)
        matrix_free(&v.matrix[i], v.context);
    void *const arrays[] = {v.matrix,  v.transitions, v.emissions, v.start,
                            v.utility, v.term,        v.first,     v.other};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(v.context, arrays[i]);
    return status;
}
