/* Converts a setting's environment to a .pomdp file. */
#include "formats/pomdp.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

typedef struct {
    asif_pomdp *pomdp;
    const asif_setting_spec *spec;
    const asif_context *context;
    asif_error *error;
    asif_text comment;
} maker;

/* Adds a label to a comment, on one line. */
static void add_label(asif_text *text, const char *label) {
    for (; *label; label++) {
        char c = (unsigned char)*label < ' ' ? ' ' : *label;
        asif_text_add_n(text, &c, 1);
    }
}

static asif_status make_space(maker *m, asif_pomdp_space *space, uint32_t count, const char *const *names,
                              const char *what, uint32_t most) {
    if (count > most)
        return asif_fail(m->error, ASIF_ETOOBIG, "%u %s are more than the %u that .pomdp files are read with",
                         count, what, most);
    bool legal = names != NULL;
    for (uint32_t i = 0; legal && i < count; i++)
        legal = asif_pomdp_name_legal(names[i]);
    for (uint32_t i = 0; legal && i < count; i++) {
        bool fresh;
        if (!asif_pomdp_name_add(space, m->context, names[i], strlen(names[i]), &fresh))
            return asif_fail_memory(m->error);
        legal = fresh;
    }
    if (!legal) {
        asif_pomdp_space_free(space, m->context);
        space->count = count;
    }
    if (legal || !names)
        return ASIF_OK;
    asif_text_addf(&m->comment, "# %s by number, as not all of their names can stand in this format:\n",
                   what);
    for (uint32_t i = 0; i < count; i++) {
        asif_text_addf(&m->comment, "#   %u: ", i);
        add_label(&m->comment, names[i]);
        asif_text_add(&m->comment, "\n");
    }
    return ASIF_OK;
}

static bool make_row(asif_pomdp_table *table, const asif_matrix *from, uint32_t i, uint32_t *row) {
    uint64_t begin = from->offset ? from->offset[i] : (uint64_t)i * from->columns;
    uint64_t end = from->offset ? from->offset[i + 1] : begin + from->columns;
    if (!asif_pomdp_row_new(table, row, 0, 0))
        return false;
    for (uint64_t e = begin; e < end; e++)
        if (!asif_pomdp_row_push(table, *row, from->offset ? from->column[e] : (uint32_t)(e - begin),
                                 from->value[e]))
            return false;
    return true;
}

static bool is_identity(const asif_matrix *m) {
    if (m->same_rows || m->rows != m->columns || !m->offset || m->rows < 2)
        return false;
    for (uint32_t i = 0; i < m->rows; i++)
        if (m->offset[i + 1] != m->offset[i] + 1 || m->column[m->offset[i]] != i ||
            m->value[m->offset[i]] != 1)
            return false;
    return true;
}

static bool make_action(asif_pomdp_table *table, const asif_matrix *from, bool identity, uint32_t action) {
    uint32_t row;
    if (identity) {
        if (!asif_pomdp_row_new(table, &row, 0, 0))
            return false;
        table->row[row].self = true;
        return asif_pomdp_set_row(table, action, ASIF_ANY, row);
    }
    uint32_t rows = from->same_rows ? 1 : from->rows;
    for (uint32_t i = 0; i < rows; i++)
        if (!make_row(table, from, i, &row) ||
            !asif_pomdp_set_row(table, action, from->same_rows ? ASIF_ANY : i, row))
            return false;
    return true;
}

/* Makes the table T or O; only T may be `identity`. */
static asif_status make_table(maker *m, asif_pomdp_table *table, uint32_t columns, const uint32_t *index,
                              bool transitions) {
    uint32_t actions = m->spec->actions;
    if (!asif_pomdp_table_init(table, m->context, actions, m->spec->states, columns))
        return asif_fail_memory(m->error);
    if (!columns)
        return ASIF_OK;
    bool same = true;
    for (uint32_t a = 1; a < actions; a++)
        same = same && index[a] == index[0];
    /* A single statement for all actions where they are alike and it can express them. */
    const asif_matrix *first = &m->spec->matrix[index[0]];
    bool identity = transitions && is_identity(first);
    if (same && (first->same_rows || identity))
        return make_action(table, first, identity, ASIF_ANY) ? ASIF_OK : asif_fail_memory(m->error);
    for (uint32_t a = 0; a < actions; a++) {
        const asif_matrix *from = &m->spec->matrix[index[a]];
        if (!make_action(table, from, transitions && is_identity(from), a))
            return asif_fail_memory(m->error);
    }
    return ASIF_OK;
}

static asif_status make_start(maker *m) {
    asif_pomdp *p = m->pomdp;
    uint32_t states = m->spec->states, row;
    const double *start = m->spec->environment_start;
    bool uniform = true;
    for (uint32_t s = 0; s < states; s++)
        uniform = uniform && start[s] == 1.0 / states;
    p->has_start = true;
    if (!asif_pomdp_table_init(&p->start, m->context, 1, 1, states) ||
        !asif_pomdp_row_new(&p->start, &row, 0, 0))
        return asif_fail_memory(m->error);
    if (uniform)
        p->start.row[row].fill = 1.0 / states;
    for (uint32_t s = 0; s < states; s++)
        if (!asif_pomdp_row_push(&p->start, row, s, start[s]))
            return asif_fail_memory(m->error);
    return asif_pomdp_set_row(&p->start, 0, 0, row) ? ASIF_OK : asif_fail_memory(m->error);
}

static asif_status add_reward(maker *m, asif_pomdp_reward reward) {
    asif_pomdp *p = m->pomdp;
    if (!asif_grow(m->context, &p->reward, p->rewards, &p->reward_capacity, sizeof *p->reward)) {
        asif_free(m->context, reward.data);
        return asif_fail_memory(m->error);
    }
    p->reward[p->rewards++] = reward;
    return ASIF_OK;
}

/* Makes the rewards of each action: by state if no observation matters, by observation if no state matters,
 * else a row of observations for each state. */
static asif_status make_rewards(maker *m, const double *by_state, const double *by_observation) {
    uint32_t states = m->spec->states, observations = m->spec->observations;
    for (uint32_t a = 0; a < m->spec->actions; a++) {
        const double *v = by_state + (uint64_t)a * states, *r = by_observation + (uint64_t)a * observations;
        bool seen = false, all = true, none = true;
        for (uint32_t o = 0; o < observations; o++)
            seen = seen || r[o] != 0;
        for (uint32_t s = 0; s < states; s++) {
            all = all && v[s] == v[0];
            none = none && v[s] == 0;
        }
        for (uint32_t o = 0; seen && none && o < observations; o++)
            if (r[o] != 0)
                ASIF_TRY(add_reward(m, (asif_pomdp_reward){a, ASIF_ANY, ASIF_ANY, o, 0, r[o], NULL}));
        for (uint32_t s = 0; !none && s < states; s++) {
            uint32_t state = all ? ASIF_ANY : s;
            if (!seen && v[s] != 0)
                ASIF_TRY(add_reward(m, (asif_pomdp_reward){a, state, ASIF_ANY, ASIF_ANY, 0, v[s], NULL}));
            if (seen) {
                double *row = ASIF_ARRAY(m->context, observations, double);
                if (!row)
                    return asif_fail_memory(m->error);
                bool finite = true;
                for (uint32_t o = 0; o < observations; o++) {
                    row[o] = v[s] + r[o];
                    finite = finite && isfinite(row[o]);
                }
                if (!finite) {
                    asif_free(m->context, row);
                    return asif_fail(m->error, ASIF_EDOMAIN, "the utility is too large to be written");
                }
                ASIF_TRY(add_reward(m, (asif_pomdp_reward){a, state, ASIF_ANY, ASIF_ANY, 1, 0, row}));
            }
            if (all)
                break;
        }
    }
    return ASIF_OK;
}

static asif_status make(maker *m, const asif_setting *setting, const double *parameters) {
    asif_pomdp *p = m->pomdp;
    const asif_setting_spec *s = m->spec;
    asif_given given;
    ASIF_TRY(asif_given_check(setting, parameters, ".pomdp files", m->error));
    if ((uint64_t)s->states * s->actions > ASIF_POMDP_MOST_ROWS)
        return asif_fail(m->error, ASIF_ETOOBIG,
                         "%u states times %u actions are more than .pomdp files are read with", s->states,
                         s->actions);
    if (s->title) {
        asif_text_add(&m->comment, "# ");
        add_label(&m->comment, s->title);
        asif_text_add(&m->comment, "\n");
    }
    p->discount = s->discount;
    ASIF_TRY(make_space(m, &p->state, s->states, s->state_names, "states", ASIF_POMDP_MOST_STATES));
    ASIF_TRY(make_space(m, &p->action, s->actions, s->action_names, "actions", ASIF_POMDP_MOST_ACTIONS));
    ASIF_TRY(make_space(m, &p->observation, s->observations, s->observation_names, "observations",
                        ASIF_POMDP_MOST_OBSERVATIONS));
    ASIF_TRY(make_start(m));
    uint64_t environment = (uint64_t)s->worlds * s->actions;
    ASIF_TRY(make_table(m, &p->transitions, s->states, s->transitions + environment, true));
    ASIF_TRY(make_table(m, &p->emissions, s->observations,
                        s->observations ? s->emissions + environment : NULL, false));
    ASIF_TRY(asif_given_utility(&given, m->context, setting, parameters, m->error));
    asif_status status = make_rewards(m, given.by_state, given.by_observation);
    asif_given_free(&given, m->context);
    return status;
}

asif_status asif_pomdp_from_setting(asif_pomdp **out, const asif_setting *setting, const double *parameters,
                                    asif_error *error) {
    const asif_context *context = setting->context;
    *out = NULL;
    ASIF_TRY(asif_setting_endless(asif_setting_get(setting), "a .pomdp file", error));
    maker m = {.spec = asif_setting_get(setting),
               .context = context,
               .error = error,
               .comment = {.context = context}};
    m.pomdp = ASIF_NEW(context, asif_pomdp);
    if (!m.pomdp)
        return asif_fail_memory(error);
    m.pomdp->context = context;
    asif_status status = make(&m, setting, parameters);
    if (status == ASIF_OK && m.comment.failed)
        status = asif_fail_memory(error);
    if (status != ASIF_OK) {
        asif_text_free(&m.comment);
        asif_pomdp_free(m.pomdp);
        return status;
    }
    m.pomdp->comment = m.comment.data;
    *out = m.pomdp;
    return ASIF_OK;
}
