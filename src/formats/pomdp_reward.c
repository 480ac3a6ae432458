/* Finds the R statement that applies. For one action and state, statements are searched from the last to the
 * first; one that covers every next state and observation hides all before it. */
#include "formats/pomdp.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT64_MAX

typedef struct {
    uint32_t next, observation;
    uint64_t statement;
} cell;

/* One coordinate of the rewards (next state or observation): the last statement for each value, and the
 * values that have to be looked at. */
typedef struct {
    uint32_t count;      /* size of the space */
    uint64_t *statement; /* [count], valid where the stamp is the current one */
    uint32_t *stamp;
    uint32_t *met; /* values of this coordinate that have to be looked at */
    uint32_t met_count;
    uint32_t *met_stamp;
} axis;

struct asif_pomdp_rewards {
    const asif_pomdp *pomdp;
    const asif_context *context;
    bool mdp;
    /* Indices of statements in their order: those of each state (from state_offset), those of any state and
     * one action (from action_offset), and those of any state and action. */
    uint64_t *of_state, *state_offset, *of_action, *action_offset, *of_any, any_count;
    uint32_t action, state, stamp, met_stamp;
    bool shared;    /* the search holds for every state without statements of its own */
    uint64_t whole; /* the last statement that covers everything, or NONE */
    axis next, observation;
    cell *cell;
    uint64_t cells, cell_capacity;
    bool vectors;  /* some statement is a row of numbers over observations */
    bool by_name;  /* a statement names an observation */
    bool complete; /* meet_all() has been done */
};

static bool axis_init(axis *x, const asif_context *context, uint32_t count) {
    x->count = count;
    x->statement = ASIF_ARRAY(context, count, uint64_t);
    x->stamp = ASIF_ARRAY(context, count, uint32_t);
    x->met = ASIF_ARRAY(context, count, uint32_t);
    x->met_stamp = ASIF_ARRAY(context, count, uint32_t);
    return x->statement && x->stamp && x->met && x->met_stamp;
}

static void axis_free(axis *x, const asif_context *context) {
    asif_free(context, x->statement);
    asif_free(context, x->stamp);
    asif_free(context, x->met);
    asif_free(context, x->met_stamp);
}

static bool sort_statements(asif_pomdp_rewards *r) {
    const asif_pomdp *p = r->pomdp;
    uint32_t states = p->state.count, actions = p->action.count;
    r->state_offset = ASIF_ARRAY(r->context, (uint64_t)states + 2, uint64_t);
    r->action_offset = ASIF_ARRAY(r->context, (uint64_t)actions + 2, uint64_t);
    r->of_state = ASIF_ARRAY(r->context, p->rewards, uint64_t);
    r->of_action = ASIF_ARRAY(r->context, p->rewards, uint64_t);
    r->of_any = ASIF_ARRAY(r->context, p->rewards, uint64_t);
    if (!r->state_offset || !r->action_offset || !r->of_state || !r->of_action || !r->of_any)
        return false;
    /* Counting sort. Counts are stored one place further than usual, so that the offsets are right after
     * the filling. */
    for (uint64_t i = 0; i < p->rewards; i++) {
        if (p->reward[i].state != ASIF_ANY)
            r->state_offset[p->reward[i].state + 2]++;
        else if (p->reward[i].action != ASIF_ANY)
            r->action_offset[p->reward[i].action + 2]++;
    }
    for (uint64_t s = 2; s < (uint64_t)states + 2; s++)
        r->state_offset[s] += r->state_offset[s - 1];
    for (uint64_t a = 2; a < (uint64_t)actions + 2; a++)
        r->action_offset[a] += r->action_offset[a - 1];
    for (uint64_t i = 0; i < p->rewards; i++) {
        if (p->reward[i].state != ASIF_ANY)
            r->of_state[r->state_offset[p->reward[i].state + 1]++] = i;
        else if (p->reward[i].action != ASIF_ANY)
            r->of_action[r->action_offset[p->reward[i].action + 1]++] = i;
        else
            r->of_any[r->any_count++] = i;
    }
    return true;
}

bool asif_pomdp_rewards_create(asif_pomdp_rewards **out, const asif_pomdp *pomdp) {
    const asif_context *context = pomdp->context;
    asif_pomdp_rewards *r = *out = ASIF_NEW(context, asif_pomdp_rewards);
    if (!r)
        return false;
    r->pomdp = pomdp;
    r->context = context;
    r->mdp = pomdp->observation.count == 0;
    r->action = r->state = ASIF_ANY;
    if (axis_init(&r->next, context, pomdp->state.count) &&
        axis_init(&r->observation, context, r->mdp ? 1 : pomdp->observation.count) && sort_statements(r))
        return true;
    asif_pomdp_rewards_free(r);
    *out = NULL;
    return false;
}

void asif_pomdp_rewards_free(asif_pomdp_rewards *r) {
    if (!r)
        return;
    axis_free(&r->next, r->context);
    axis_free(&r->observation, r->context);
    asif_free(r->context, r->of_state);
    asif_free(r->context, r->state_offset);
    asif_free(r->context, r->of_action);
    asif_free(r->context, r->action_offset);
    asif_free(r->context, r->of_any);
    asif_free(r->context, r->cell);
    asif_free(r->context, r);
}

static void note(axis *x, uint32_t value, uint64_t statement, uint32_t stamp) {
    if (x->stamp[value] == stamp)
        return;
    x->stamp[value] = stamp;
    x->statement[value] = statement;
}

static void meet(axis *x, uint32_t value, uint32_t stamp) {
    if (x->met_stamp[value] == stamp)
        return;
    x->met_stamp[value] = stamp;
    x->met[x->met_count++] = value;
}

/* Adds a statement to the search; *whole is true if it hides all earlier ones. */
static bool take(asif_pomdp_rewards *r, uint64_t statement, bool *whole) {
    const asif_pomdp_reward *w = &r->pomdp->reward[statement];
    /* An index over which the data of a statement run is ASIF_ANY, too. */
    bool any_next = w->next == ASIF_ANY, any_observation = r->mdp || w->observation == ASIF_ANY;
    *whole = any_next && any_observation;
    if (*whole) {
        r->whole = statement;
    } else if (any_observation) {
        note(&r->next, w->next, statement, r->stamp);
        meet(&r->next, w->next, r->met_stamp);
        if (w->data_rank == 1)
            r->vectors = true;
    } else if (any_next) {
        r->by_name = true;
        note(&r->observation, w->observation, statement, r->stamp);
        meet(&r->observation, w->observation, r->met_stamp);
    } else {
        if (!asif_grow(r->context, &r->cell, r->cells, &r->cell_capacity, sizeof *r->cell))
            return false;
        r->by_name = true;
        r->cell[r->cells++] = (cell){w->next, w->observation, statement};
        meet(&r->next, w->next, r->met_stamp);
        meet(&r->observation, w->observation, r->met_stamp);
    }
    return true;
}

static int compare_cells(const void *left, const void *right) {
    const cell *a = left, *b = right;
    if (a->next != b->next)
        return a->next < b->next ? -1 : 1;
    if (a->observation != b->observation)
        return a->observation < b->observation ? -1 : 1;
    return a->statement > b->statement ? -1 : a->statement < b->statement;
}

bool asif_pomdp_rewards_at(asif_pomdp_rewards *r, uint32_t action, uint32_t state) {
    const asif_pomdp *p = r->pomdp;
    const uint64_t *list[] = {r->of_state, r->of_action, r->of_any};
    uint64_t begin[] = {r->state_offset[state], r->action_offset[action], 0};
    uint64_t at[] = {r->state_offset[state + 1], r->action_offset[action + 1], r->any_count};
    bool own = false;
    for (uint64_t i = begin[0]; i < at[0] && !own; i++) {
        uint32_t a = p->reward[r->of_state[i]].action;
        own = a == ASIF_ANY || a == action;
    }
    bool same = r->action == action && r->shared && !own;
    r->action = action;
    r->state = state;
    if (same)
        return true;
    r->shared = !own;
    r->stamp++;
    r->met_stamp++;
    r->whole = NONE;
    r->cells = 0;
    r->next.met_count = r->observation.met_count = 0;
    r->vectors = r->by_name = r->complete = false;
    bool whole = false;
    while (!whole) {
        int latest = -1;
        for (int i = 0; i < 3; i++)
            if (at[i] > begin[i] && (latest < 0 || list[i][at[i] - 1] > list[latest][at[latest] - 1]))
                latest = i;
        if (latest < 0)
            break;
        uint64_t statement = list[latest][--at[latest]];
        uint32_t a = p->reward[statement].action;
        if ((a == ASIF_ANY || a == action) && !take(r, statement, &whole))
            return false;
    }
    if (r->cells)
        qsort(r->cell, (size_t)r->cells, sizeof *r->cell, compare_cells);
    return true;
}

/* Finds the first cell not before (next, observation); among equal cells the last statement comes first. */
static uint64_t find_cell(const asif_pomdp_rewards *r, uint32_t next, uint32_t observation) {
    uint64_t low = 0, high = r->cells;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        const cell *c = &r->cell[middle];
        if (c->next < next || (c->next == next && c->observation < observation))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool later(uint64_t statement, uint64_t than) {
    return than == NONE || statement > than;
}

/* The statement that applies among those that do not name an observation. */
static uint64_t row_statement(const asif_pomdp_rewards *r, uint32_t next) {
    uint64_t best = r->whole;
    if (r->next.stamp[next] == r->stamp && later(r->next.statement[next], best))
        best = r->next.statement[next];
    return best;
}

double asif_pomdp_rewards_value(const asif_pomdp_rewards *r, uint32_t next, uint32_t observation) {
    uint64_t best = row_statement(r, next);
    if (r->observation.stamp[observation] == r->stamp && later(r->observation.statement[observation], best))
        best = r->observation.statement[observation];
    if (r->cells) {
        uint64_t at = find_cell(r, next, observation);
        if (at < r->cells && r->cell[at].next == next && r->cell[at].observation == observation &&
            later(r->cell[at].statement, best))
            best = r->cell[at].statement;
    }
    if (best == NONE)
        return 0;
    const asif_pomdp_reward *w = &r->pomdp->reward[best];
    uint64_t columns = r->mdp ? r->pomdp->state.count : r->pomdp->observation.count;
    uint64_t row = r->mdp ? r->state : next, column = r->mdp ? next : observation;
    return w->data_rank == 0 ? w->value : w->data[(w->data_rank == 2 ? row * columns : 0) + column];
}

/* Completes the values to look at, so that they represent all: those named, all values if there are data, and
 * one that is not named. */
static void meet_all(asif_pomdp_rewards *r) {
    if (r->complete)
        return;
    r->complete = true;
    uint32_t rank = r->whole == NONE ? 0 : r->pomdp->reward[r->whole].data_rank;
    bool all_next = r->mdp ? rank > 0 : rank == 2, all_observations = !r->mdp && (rank > 0 || r->vectors);
    axis *axes[] = {&r->next, &r->observation};
    bool all[] = {all_next, all_observations};
    for (int i = 0; i < 2; i++) {
        uint32_t before = axes[i]->met_count;
        for (uint32_t value = 0; value < axes[i]->count && (all[i] || axes[i]->met_count == before); value++)
            meet(axes[i], value, r->met_stamp);
    }
}

bool asif_pomdp_rewards_constant(asif_pomdp_rewards *r, double *value) {
    meet_all(r);
    *value = asif_pomdp_rewards_value(r, r->next.met[0], r->observation.met[0]);
    for (uint32_t i = 0; i < r->next.met_count; i++)
        for (uint32_t j = 0; j < r->observation.met_count; j++)
            if (asif_pomdp_rewards_value(r, r->next.met[i], r->observation.met[j]) != *value)
                return false;
    return true;
}

bool asif_pomdp_rewards_by_observation(asif_pomdp_rewards *r, double *value) {
    if (r->mdp)
        return false;
    meet_all(r);
    uint32_t first = r->next.met[0];
    for (uint32_t j = 0; j < r->observation.met_count; j++) {
        uint32_t o = r->observation.met[j];
        double here = asif_pomdp_rewards_value(r, first, o);
        for (uint32_t i = 1; i < r->next.met_count; i++)
            if (asif_pomdp_rewards_value(r, r->next.met[i], o) != here)
                return false;
    }
    for (uint32_t o = 0; o < r->observation.count; o++)
        value[o] = asif_pomdp_rewards_value(r, first, o);
    return true;
}

bool asif_pomdp_rewards_constant_in(const asif_pomdp_rewards *r, uint32_t next) {
    uint64_t statement = row_statement(r, next);
    return r->mdp || (!r->by_name && (statement == NONE || r->pomdp->reward[statement].data_rank == 0));
}
