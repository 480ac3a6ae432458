/* Writes .pomdp text: statements that read back to the same numbers, few where the problem is simple. */
#include "formats/pomdp.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

static void add_index(asif_text *text, const asif_pomdp_space *space, uint32_t i) {
    if (i == ASIF_ANY)
        asif_text_add(text, "*");
    else if (space->name)
        asif_text_add(text, space->name[i]);
    else
        asif_text_addf(text, "%u", i);
}

static void add_space(asif_text *text, const char *what, const asif_pomdp_space *space) {
    asif_text_add(text, what);
    if (!space->name)
        asif_text_addf(text, " %u", space->count);
    for (uint32_t i = 0; space->name && i < space->count; i++) {
        asif_text_add(text, i && i % 12 == 0 ? "\n   " : " ");
        asif_text_add(text, space->name[i]);
    }
    asif_text_add(text, "\n");
}

static void add_dense(asif_text *text, const asif_pomdp_row *row, uint32_t columns) {
    for (uint32_t c = 0, e = 0; c < columns; c++) {
        bool here = e < row->count && row->entry[e].column == c;
        asif_text_add(text, c && c % 12 == 0 ? "\n   " : " ");
        asif_text_add_number(text, here ? row->entry[e++].value : 0);
    }
    asif_text_add(text, "\n");
}

static void add_start(asif_text *text, const asif_pomdp *p) {
    const asif_pomdp_row *row = asif_pomdp_get_row(&p->start, 0, 0);
    uint32_t states = p->state.count;
    bool mdp = p->observation.count == 0, same = row->count > 0;
    for (uint32_t i = 0; i < row->count; i++)
        same = same && row->entry[i].value == row->entry[0].value;
    bool include = same && row->fill == 0 && row->entry[0].value == 1.0 / row->count;
    bool exclude = same && row->fill != 0;
    if (row->count == 0) {
        /* Without `start` the start is uniform for both kinds; pomdp-solve accepts `uniform` for
         * POMDPs only. */
        if (p->has_start && !mdp)
            asif_text_add(text, "start: uniform\n");
        return;
    }
    if (include && row->count == 1 && states > 1 && (p->state.name || mdp)) {
        asif_text_add(text, "start: ");
        add_index(text, &p->state, row->entry[0].column);
        asif_text_add(text, "\n");
    } else if ((include && states > 1) || exclude) {
        asif_text_add(text, exclude ? "start exclude:" : "start include:");
        for (uint32_t i = 0; i < row->count; i++) {
            asif_text_add(text, i && i % 12 == 0 ? "\n   " : " ");
            add_index(text, &p->state, row->entry[i].column);
        }
        asif_text_add(text, "\n");
    } else {
        asif_text_add(text, "start:");
        add_dense(text, row, states);
    }
}

static void add_head(asif_text *text, const asif_pomdp *p, const char *table, uint32_t action,
                     uint32_t state) {
    asif_text_add(text, table);
    add_index(text, &p->action, action);
    asif_text_add(text, " : ");
    add_index(text, &p->state, state);
}

static void add_cell(asif_text *text, const asif_pomdp *p, const char *table, const asif_pomdp_space *columns,
                     uint32_t action, uint32_t state, uint32_t column, double value) {
    add_head(text, p, table, action, state);
    asif_text_add(text, " : ");
    add_index(text, columns, column);
    asif_text_add(text, " ");
    asif_text_add_number(text, value);
    asif_text_add(text, "\n");
}

/* Writes the row of an action and a state; ASIF_ANY stands for all of them. */
static void add_row(asif_text *text, const asif_pomdp *p, const asif_pomdp_table *t, const char *table,
                    const asif_pomdp_space *columns, uint32_t action, uint32_t state,
                    const asif_pomdp_row *row) {
    if (row->fill != 0 && row->count == 0 && row->fill == 1.0 / t->columns) {
        add_head(text, p, table, action, state);
        asif_text_add(text, " uniform\n");
        return;
    }
    if (!row->self && row->fill == 0 && 2 * (uint64_t)row->count >= t->columns) {
        add_head(text, p, table, action, state);
        add_dense(text, row, t->columns);
        return;
    }
    if (row->self) {
        asif_text_add(text, table);
        add_index(text, &p->action, action);
        asif_text_add(text, " identity\n");
    } else if (row->fill != 0 || state != ASIF_ANY) {
        add_cell(text, p, table, columns, action, state, ASIF_ANY, row->fill);
    }
    for (uint32_t e = 0; e < row->count; e++)
        add_cell(text, p, table, columns, action, state, row->entry[e].column, row->entry[e].value);
}

static void add_table(asif_text *text, const asif_pomdp *p, const asif_pomdp_table *t, const char *table,
                      const asif_pomdp_space *columns) {
    bool same = t->actions > 1;
    for (uint32_t a = 0; a < t->actions; a++)
        same = same && !t->holder[a].own && t->holder[a].base == t->holder[0].base;
    if (same) {
        add_row(text, p, t, table, columns, ASIF_ANY, ASIF_ANY, &t->row[t->holder[0].base]);
        return;
    }
    for (uint32_t a = 0; a < t->actions; a++) {
        const asif_pomdp_holder *holder = &t->holder[a];
        if (holder->base)
            add_row(text, p, t, table, columns, a, ASIF_ANY, &t->row[holder->base]);
        for (uint32_t s = 0; holder->own && s < t->states; s++)
            if (holder->own[s])
                add_row(text, p, t, table, columns, a, s, &t->row[holder->own[s]]);
    }
}

static void add_reward(asif_text *text, const asif_pomdp *p, const asif_pomdp_reward *w) {
    bool mdp = p->observation.count == 0;
    uint32_t parts = (mdp ? 3 : 4) - w->data_rank;
    const uint32_t index[] = {w->action, w->state, w->next, w->observation};
    const asif_pomdp_space *space[] = {&p->action, &p->state, &p->state, &p->observation};
    asif_text_add(text, "R: ");
    for (uint32_t i = 0; i < parts; i++) {
        asif_text_add(text, i ? " : " : "");
        add_index(text, space[i], index[i]);
    }
    if (w->data_rank == 0) {
        asif_text_add(text, " ");
        asif_text_add_number(text, w->value);
    }
    uint32_t columns = mdp ? p->state.count : p->observation.count;
    uint32_t rows = w->data_rank == 0 ? 0 : w->data_rank == 1 ? 1 : p->state.count;
    for (uint32_t i = 0; i < rows; i++) {
        asif_text_add(text, rows > 1 ? "\n   " : "");
        for (uint32_t j = 0; j < columns; j++) {
            asif_text_add(text, " ");
            asif_text_add_number(text, w->data[(uint64_t)i * columns + j]);
        }
    }
    asif_text_add(text, "\n");
}

asif_status asif_pomdp_write(char **out, const asif_pomdp *p, asif_error *error) {
    asif_text text = {.context = p->context};
    *out = NULL;
    if (p->comment)
        asif_text_add(&text, p->comment);
    asif_text_add(&text, "discount: ");
    asif_text_add_number(&text, p->discount);
    asif_text_add(&text, p->cost ? "\nvalues: cost\n" : "\nvalues: reward\n");
    add_space(&text, "states:", &p->state);
    add_space(&text, "actions:", &p->action);
    if (p->observation.count)
        add_space(&text, "observations:", &p->observation);
    add_start(&text, p);
    asif_text_add(&text, "\n");
    add_table(&text, p, &p->transitions, "T: ", &p->state);
    if (p->observation.count) {
        asif_text_add(&text, "\n");
        add_table(&text, p, &p->emissions, "O: ", &p->observation);
    }
    asif_text_add(&text, p->rewards ? "\n" : "");
    for (uint64_t i = 0; i < p->rewards && !text.failed; i++)
        add_reward(&text, p, &p->reward[i]);
    if (text.failed) {
        asif_text_free(&text);
        return asif_fail_memory(error);
    }
    *out = text.data;
    return ASIF_OK;
}
