/* The environment: observations after the actions in the logs, against those that the stated environment
 * predicts after each history. No agent is needed.
 *
 * The state is filtered along the tree by the environment's own dynamics. Given the histories and the
 * actions, observations are independent of everything else, if the decision-maker saw no more than is logged.
 * So counts over many histories add up to their expectations, whoever made the decisions. Cells are by
 * action, observation, and predicted probability: without the last, a test that is too good or too bad by the
 * same amount both ways would look right on average. Further cells are by action and probability, for any
 * observation: if likely observations follow too rarely, they tell less than is stated.
 *
 * The observation after the last action of an episode is an end of the tree. After actions that end an
 * episode there is none, and they are left out. After others it exists unless it was not recorded, or the
 * tree is from a file of version 1. At the last level, all such observations are missing alike. At earlier
 * levels, whether one is missing may depend on the last observation; if more than a few are, nothing is
 * concluded. */
#include "checks/predictive_checks.h"

#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define BINS 20
#define EDGE 1e-9
#define SLACK 1
#define STREAMS ((uint64_t)1 << 40) /* first random stream of these replicates */
#define MOST_PAIRS 20
#define MOST_NEXT 64     /* most states, if they are observed */
#define MOST_CELLS 20000 /* with more, each has too few events */
#define LOST -1.0        /* first number of a belief after an impossible observation */

typedef struct {
    asif_checking *c;
    const asif_setting *setting;
    asif_check_made *family;
    asif_check_table table;
    uint32_t X, least;                 /* first observation that has cells: of two, one is enough */
    double *belief;                    /* [nodes][states] */
    double *next;                      /* [states]: distribution of the state after the action */
    double *predicted, *count;         /* [X] */
    uint32_t possible, *listed;        /* [X]: observations that are predicted or were seen */
    double *chance, *drawn;            /* [X]: of those that are listed: predicted; in a replicate */
    double any[BINS], any_count[BINS]; /* of the observations in a bin; 0: certain, or none */
    uint32_t *cell; /* [actions][X + 1][BINS]: number; ASIF_ANY: unused. The last X: any observation */
    uint64_t events;
    double impossible;
} follow;

/* ---- dynamics ---- */

/* to = from times the matrix. */
static void spread(const asif_matrix *m, const double *from, double *to) {
    memset(to, 0, m->columns * sizeof *to);
    for (uint32_t s = 0; s < m->rows; s++) {
        uint64_t begin, end;
        asif_matrix_row(m, s, &begin, &end);
        for (uint64_t k = begin; from[s] > 0 && k < end; k++)
            to[m->column[k]] += from[s] * m->value[k];
    }
}

static double entry(const asif_matrix *m, uint32_t row, uint32_t column) {
    uint64_t begin, end;
    asif_matrix_row(m, row, &begin, &end);
    for (uint64_t k = begin; k < end; k++)
        if (m->column[k] == column)
            return m->value[k];
    return 0;
}

/* ---- histories ---- */

/* Set the belief at a child. */
static void arrive(const follow *f, uint32_t child, const asif_matrix *emissions) {
    uint32_t S = f->c->spec->states, seen = f->c->tree->observation[child];
    double *to = f->belief + (uint64_t)child * S, sum = 0;
    for (uint32_t s = 0; s < S; s++)
        sum += to[s] = f->next[s] * (seen == ASIF_ANY ? 1 : entry(emissions, s, seen));
    for (uint32_t s = 0; s < S; s++)
        to[s] = sum > 0 ? to[s] / sum : LOST;
}

/* A position in the children and ends of a tree, in the order of nodes and actions. */
typedef struct {
    uint32_t node, action;
    uint32_t child; /* next child */
    uint64_t end;   /* next end */
} place;

/* Find the next node and action that have a child or an end; false: there are no more. */
static bool find_next(const asif_tree_view *t, place *at) {
    bool child = at->child < t->nodes, end = at->end < t->ends;
    if (!child && !end)
        return false;
    uint64_t by_child = child ? (uint64_t)t->parent[at->child] << 32 | t->action[at->child] : UINT64_MAX;
    uint64_t by_end = end ? (uint64_t)t->end_node[at->end] << 32 | t->end_action[at->end] : UINT64_MAX;
    uint64_t first = by_child < by_end ? by_child : by_end;
    at->node = (uint32_t)(first >> 32);
    at->action = (uint32_t)first;
    return true;
}

static double note_seen(follow *f, uint32_t x, double count, bool lost) {
    if (x == ASIF_ANY)
        return 0;
    if (!lost && !(f->predicted[x] > 0))
        f->impossible += count;
    f->count[x] += count;
    return count;
}

/* Set predictions and counts of the observations at this position, and the beliefs of the children. False:
 * there is nothing to count. */
static bool meet(follow *f, place *at) {
    const asif_tree_view *t = f->c->tree;
    uint32_t S = f->c->spec->states, action = at->action;
    const asif_matrix *emissions = asif_emissions(f->setting, f->c->spec->worlds, action);
    const double *from = f->belief + (uint64_t)at->node * S;
    double seen = 0;
    bool lost = from[0] == LOST;
    memset(f->count, 0, f->X * sizeof *f->count);
    if (!lost) {
        spread(asif_transitions(f->setting, f->c->spec->worlds, action), from, f->next);
        spread(emissions, f->next, f->predicted);
    }
    for (uint32_t i = at->child; i < t->nodes && t->parent[i] == at->node && t->action[i] == action; i++) {
        if (lost)
            f->belief[(uint64_t)i * S] = LOST;
        else
            arrive(f, i, emissions);
        seen += note_seen(f, t->observation[i], f->c->decisions[i], lost);
        at->child = i + 1;
    }
    for (uint64_t i = at->end; i < t->ends && t->end_node[i] == at->node && t->end_action[i] == action; i++) {
        if (!f->c->spec->ends[action]) /* an observation after an ending action is not the episode's */
            seen += note_seen(f, t->end_observation[i], t->end_count[i], lost);
        at->end = i + 1;
    }
    f->possible = 0;
    for (uint32_t x = 0; !lost && x < f->X; x++)
        if (f->predicted[x] > 0 || f->count[x] > 0) {
            f->chance[f->possible] = f->predicted[x];
            f->listed[f->possible++] = x;
        }
    return !lost && seen > 0 && !f->c->spec->ends[action];
}

static uint32_t bin_of(double p) {
    double at = floor(p * BINS + EDGE);
    return at < BINS ? (uint32_t)at : BINS - 1;
}

static uint32_t *cell_at(const follow *f, uint32_t action, uint32_t x, uint32_t bin) {
    return &f->cell[((uint64_t)action * (f->X + 1) + x) * BINS + bin];
}

/* Whether an observation is among those that are summed by bin: of two, the likelier one is enough. */
static bool sums(const follow *f, uint32_t x) {
    return f->X > 2 || f->predicted[x] > .5;
}

/* Sum predictions and counts by bin, over all observations. A bin that contains all observations shows
 * nothing, and is left out. */
static void fold_event(follow *f) {
    memset(f->any, 0, sizeof f->any);
    memset(f->any_count, 0, sizeof f->any_count);
    for (uint32_t i = 0; i < f->possible; i++) {
        uint32_t x = f->listed[i], bin = bin_of(f->predicted[x]);
        f->any[bin] += sums(f, x) ? f->predicted[x] : 0;
        f->any_count[bin] += sums(f, x) ? f->count[x] : 0;
    }
    for (uint32_t b = 0; b < BINS; b++)
        if (f->any[b] > 1 - EDGE)
            f->any[b] = 0;
}

static void begin(follow *f) {
    const asif_setting_spec *spec = f->c->spec;
    f->impossible = 0;
    f->events = 0;
    memcpy(f->belief, spec->environment_start, (uint64_t)spec->starts * spec->states * sizeof *f->belief);
}

/* Whether observations have cells of their own: of two, one is enough. */
static bool counts(const follow *f, uint32_t x) {
    return x >= f->least;
}

/* Number the cells that are used; returns how many there are. */
static uint32_t number_cells(follow *f) {
    const asif_tree_view *t = f->c->tree;
    uint64_t all = (uint64_t)t->actions * (f->X + 1) * BINS;
    uint32_t cells = 0;
    place at = {.child = t->starts};
    for (uint64_t k = 0; k < all; k++)
        f->cell[k] = ASIF_ANY;
    begin(f);
    while (find_next(t, &at)) {
        if (!meet(f, &at))
            continue;
        fold_event(f);
        for (uint32_t i = 0; i < f->possible; i++)
            if (counts(f, f->listed[i]))
                *cell_at(f, at.action, f->listed[i], bin_of(f->chance[i])) = 0;
        for (uint32_t b = 0; b < BINS; b++)
            if (f->any[b] > 0)
                *cell_at(f, at.action, f->X, b) = 0;
    }
    for (uint64_t k = 0; k < all; k++)
        if (f->cell[k] != ASIF_ANY)
            f->cell[k] = cells++;
    return cells;
}

static void name_cells(const follow *f) {
    for (uint64_t k = 0; k < (uint64_t)f->c->tree->actions * (f->X + 1) * BINS; k++) {
        if (f->cell[k] == ASIF_ANY)
            continue;
        asif_check_group *g = &f->family->group[f->cell[k]];
        uint32_t x = (uint32_t)(k / BINS % (f->X + 1));
        g->action = (uint32_t)(k / BINS / (f->X + 1));
        g->observation = x < f->X ? x : ASIF_ANY;
        g->low = (double)(k % BINS) / BINS;
        g->high = (double)(k % BINS + 1) / BINS;
    }
}

static void add_to(asif_check_table *t, uint32_t cell, double n, double p, double count) {
    t->size[cell] += n;
    t->observed[cell] += count;
    t->expected[cell] += n * p;
    t->variance[cell] += n * p * (1 - p);
}

/* Add a replicate of the observations to the cells. */
static void add_replicate(const follow *f, uint32_t action, double *cells) {
    double any[BINS] = {0};
    for (uint32_t i = 0; i < f->possible; i++) {
        uint32_t x = f->listed[i], bin = bin_of(f->chance[i]);
        any[bin] += sums(f, x) ? f->drawn[i] : 0;
        if (counts(f, x))
            cells[*cell_at(f, action, x, bin)] += f->drawn[i];
    }
    for (uint32_t b = 0; b < BINS; b++)
        if (f->any[b] > 0)
            cells[*cell_at(f, action, f->X, b)] += any[b];
}

/* Add the observations at one node and action, and replicates of them. */
static void add_event(follow *f, uint32_t action) {
    asif_check_table *t = &f->table;
    asif_stream stream = {f->c->options.seed, ASIF_FOR_CHECKS, STREAMS + f->events++};
    uint32_t counter = 0;
    double n = 0;
    for (uint32_t i = 0; i < f->possible; i++)
        n += f->count[f->listed[i]];
    fold_event(f);
    for (uint32_t i = 0; i < f->possible; i++) {
        uint32_t x = f->listed[i];
        if (counts(f, x))
            add_to(t, *cell_at(f, action, x, bin_of(f->chance[i])), n, f->chance[i], f->count[x]);
    }
    for (uint32_t b = 0; b < BINS; b++)
        if (f->any[b] > 0)
            add_to(t, *cell_at(f, action, f->X, b), n, f->any[b], f->any_count[b]);
    for (uint64_t r = 0; r < t->times; r++) {
        asif_check_multinomial(&stream, &counter, n, f->chance, f->possible, f->drawn);
        add_replicate(f, action, t->replicate + r * t->cells);
    }
}

static asif_status follow_histories(follow *f, asif_error *error) {
    const asif_tree_view *t = f->c->tree;
    const asif_context *context = f->c->checks->context;
    f->belief = ASIF_ARRAY(context, (uint64_t)t->nodes * f->c->spec->states, double);
    f->next = ASIF_ARRAY(context, f->c->spec->states, double);
    f->cell = ASIF_ARRAY(context, (uint64_t)t->actions * (f->X + 1) * BINS, uint32_t);
    if (!f->belief || !f->next || !f->cell)
        return asif_fail_memory(error);
    uint32_t cells = number_cells(f);
    place at = {.child = t->starts};
    if (cells == 0 || cells > MOST_CELLS) {
        f->family->view.why = cells ? "there are too many kinds of events" : "nothing that was seen is kept";
        return ASIF_OK;
    }
    ASIF_TRY(asif_check_groups(f->c->checks, f->family, cells, 1, error));
    ASIF_TRY(asif_check_table_create(&f->table, context, 1, f->c->options.replicates, cells, cells, error));
    name_cells(f);
    begin(f);
    while (find_next(t, &at))
        if (meet(f, &at))
            add_event(f, at.action);
    return ASIF_OK;
}

/* The share of unknown successors, among actions that do not end an episode, without those at the last
 * level. */
static double unseen_share(const asif_checking *c) {
    const asif_tree_view *t = c->tree;
    double unseen = 0, all = 0;
    for (uint64_t i = 0; i < (t->states_seen ? t->nodes : t->level[t->levels - 1]); i++)
        for (uint32_t u = 0; u < t->actions; u++) {
            uint64_t at = i * t->actions + u;
            if (c->spec->ends[u] || c->unseen[u] == 1) /* after these actions, nothing is ever observed */
                continue;
            all += fmax(t->count[at], c->followed_seen[at]);
            unseen += fmax(0, t->count[at] - c->followed_seen[at]);
        }
    return all > 0 ? unseen / all : 0;
}

/* ---- observed states ---- */

typedef struct {
    uint64_t first, end; /* range of transitions */
    double count;
} pair;

/* Find the most frequent pairs of a state and an action that does not end an episode. */
static uint32_t frequent_pairs(const asif_checking *c, pair *list) {
    const asif_tree_view *t = c->tree;
    uint32_t length = 0;
    for (uint64_t i = 0, end; i < t->transitions; i = end) {
        pair here = {.first = i};
        for (end = i; end < t->transitions && t->from[end] == t->from[i] && t->did[end] == t->did[i]; end++)
            here.count += t->transition_count[end];
        here.end = end;
        uint32_t at = length;
        while (at > 0 && list[at - 1].count < here.count)
            at--;
        if (at == MOST_PAIRS || c->spec->ends[t->did[i]])
            continue;
        length += length < MOST_PAIRS;
        memmove(list + at + 1, list + at, (length - at - 1) * sizeof *list);
        list[at] = here;
    }
    return length;
}

static void add_pair(follow *f, uint32_t g, const pair *p) {
    const asif_tree_view *t = f->c->tree;
    asif_check_table *table = &f->table;
    uint64_t at = (uint64_t)g * f->X;
    asif_check_group *group = &f->family->group[g];
    const asif_matrix *m = asif_transitions(f->setting, f->c->spec->worlds, t->did[p->first]);
    asif_stream stream = {f->c->options.seed, ASIF_FOR_CHECKS, STREAMS + g};
    uint32_t counter = 0;
    group->state = t->from[p->first];
    group->action = t->did[p->first];
    table->size[g] = p->count;
    for (uint64_t k = p->first; k < p->end; k++)
        table->observed[at + t->to[k]] += t->transition_count[k];
    for (uint32_t s = 0; s < f->X; s++) {
        double probability = f->predicted[s] = entry(m, group->state, s);
        table->expected[at + s] = p->count * probability;
        table->variance[at + s] = p->count * probability * (1 - probability);
        f->impossible += probability > 0 ? 0 : table->observed[at + s];
    }
    for (uint64_t r = 0; r < table->times; r++)
        asif_check_multinomial(&stream, &counter, p->count, f->predicted, f->X,
                               table->replicate + r * table->cells + at);
}

static asif_status follow_states(follow *f, asif_error *error) {
    pair list[MOST_PAIRS + 1];
    uint32_t pairs = frequent_pairs(f->c, list);
    if (pairs == 0 || f->X > MOST_NEXT) {
        f->family->view.why =
            pairs ? "there are too many states" : "what followed is not kept with these logs";
        return ASIF_OK;
    }
    ASIF_TRY(asif_check_groups(f->c->checks, f->family, pairs, f->X, error));
    ASIF_TRY(asif_check_table_create(&f->table, f->c->checks->context, 1, f->c->options.replicates,
                                     (uint64_t)pairs * f->X, pairs, error));
    for (uint32_t g = 0; g < pairs; g++)
        add_pair(f, g, &list[g]);
    return ASIF_OK;
}

/* ---- both cases ---- */

static asif_status run(follow *f, asif_error *error) {
    asif_checking *c = f->c;
    asif_check_family *view = &f->family->view;
    f->predicted = ASIF_ARRAY(c->checks->context, 4 * (uint64_t)f->X, double);
    f->listed = ASIF_ARRAY(c->checks->context, f->X, uint32_t);
    if (!f->predicted || !f->listed)
        return asif_fail_memory(error);
    f->count = f->predicted + f->X;
    f->chance = f->count + f->X;
    f->drawn = f->chance + f->X;
    ASIF_TRY(c->tree->states_seen ? follow_states(f, error) : follow_histories(f, error));
    if (view->groups == 0)
        return ASIF_OK;
    view->unseen = unseen_share(c);
    view->impossible = f->impossible;
    if (view->unseen > ASIF_CHECK_CUT)
        view->why = "what followed is often not known: it holds only if logs are cut whatever was seen last";
    view->missed = f->impossible > 0;
    return asif_check_judge(f->family, &f->table, 0, 0, SLACK, error);
}

asif_status asif_check_environment(asif_checking *c, asif_error *error) {
    const asif_context *context = c->checks->context;
    follow f = {.c = c,
                .setting = c->fitted->setting,
                .family = asif_check_add(c->checks, ASIF_CHECK_ENVIRONMENT),
                .table = {.context = context},
                .X = c->tree->observations,
                .least = c->tree->observations == 2};
    asif_status status = ASIF_OK;
    if (c->whole)
        status = run(&f, error);
    else
        f.family->view.why = "the weights are not whole numbers";
    void *const arrays[] = {f.belief, f.next, f.predicted, f.listed, f.cell};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    asif_check_table_free(&f.table);
    return status;
}
