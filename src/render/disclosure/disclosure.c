/* Disclosure control of counts of people and decisions: which totals may be shown. disclosure_tree.c does the
 * same for the tree of histories. */
#include "render/disclosure/disclosure.h"

#include "base/error.h"
#include "base/memory.h"
#include "render/disclosure/disclosure_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct asif_disclosure {
    const asif_context *context;
    uint32_t limit;
    asif_cell total[ASIF_CELL_TOTALS];
    asif_disclosure_tree tree;
    asif_disclosure_table table;
    double *number;  /* [histories][2][actions]: taken and predicted */
    asif_cell *cell; /* [histories][actions] */
    uint32_t *order, shown;
};

/* ---- reading ---- */

typedef struct {
    asif_disclosure *cells;
    const asif_summary *fit;
    const asif_setting_spec *spec; /* NULL: the setting is not known */
    const asif_yaml *histories;
    asif_text *key; /* [histories]: start and events as one text */
    double count[ASIF_CELL_TOTALS];
    bool seen, plain; /* seen: states are seen; plain: each decision counts as one */
    bool failed;      /* memory ran out */
} reading;

static const asif_yaml *actions_of(const asif_yaml *node) {
    const asif_yaml *map = asif_yaml_part(node, "actions");
    return map && map->kind == ASIF_YAML_MAP && map->count ? map : NULL;
}

/* Add the key of a history: its start or state, then its first `events` events, separated by a character that
 * no label contains. */
static void add_key(asif_text *key, const asif_yaml *entry, uint32_t events) {
    const asif_yaml *list = asif_yaml_list(entry, "history");
    const char *state = asif_yaml_text(entry, "state"), *start = asif_yaml_text(entry, "start");
    asif_text_add(key, state ? state : start ? start : "");
    for (uint32_t i = 0; i < events && list; i++) {
        const char *action = asif_yaml_text(list->item[i], "action"),
                   *seen = asif_yaml_text(list->item[i], "observation");
        asif_text_addf(key, "\n%s\n%s", action ? action : "", seen ? seen : "");
    }
}

static uint32_t events_of(const asif_yaml *entry) {
    const asif_yaml *list = asif_yaml_list(entry, "history");
    return list ? list->count : 0;
}

static uint32_t place_of(const asif_yaml *map, const char *key) {
    for (uint32_t u = 0; key && u < map->count; u++)
        if (strcmp(map->key[u]->text, key) == 0)
            return u;
    return ASIF_ANY;
}

static bool is_whole(double count) {
    return fabs(count - rint(count)) < 1e-6;
}

/* Find the history that this one continues; if none is listed, this one counts as a first history. False: its
 * parent comes after it in the list, or its action is unknown, so that sums are not known. */
static bool find_parent(reading *r, uint32_t i, asif_text *room) {
    asif_disclosure_node *node = &r->cells->tree.node[i];
    const asif_yaml *entry = r->histories->item[i], *events = asif_yaml_list(entry, "history");
    uint32_t depth = events_of(entry);
    node->parent = node->by = ASIF_ANY;
    if (depth == 0)
        return true;
    room->length = 0;
    add_key(room, entry, depth - 1);
    for (uint32_t j = 0; j < r->histories->count && !room->failed; j++)
        if (events_of(r->histories->item[j]) == depth - 1 && strcmp(r->key[j].data, room->data) == 0)
            node->parent = j;
    node->by = place_of(actions_of(entry), asif_yaml_text(events->item[depth - 1], "action"));
    return node->parent == ASIF_ANY || (node->parent < i && node->by != ASIF_ANY);
}

static bool read_counts(reading *r, uint32_t i) {
    asif_disclosure *c = r->cells;
    const asif_yaml *entry = r->histories->item[i], *actions = actions_of(entry);
    uint64_t width = c->tree.actions;
    double *taken = c->number + 2 * i * width, *predicted = taken + width;
    double decisions = asif_yaml_value(entry, "decisions");
    bool good = actions && actions->count == width && is_whole(decisions);
    for (uint32_t u = 0; good && u < width; u++) {
        double count = decisions * asif_yaml_value(actions->item[u], "observed");
        good = is_whole(count);
        taken[u] = rint(count);
        predicted[u] = asif_yaml_value(actions->item[u], "predicted");
    }
    c->tree.node[i] = (asif_disclosure_node){
        .taken = taken, .predicted = predicted, .action = c->cell + i * width, .decisions = ASIF_CELL_UNTOLD};
    for (uint32_t u = 0; u < width; u++)
        c->cell[i * width + u] = ASIF_CELL_UNTOLD;
    return good;
}

static void sort_places(reading *r) {
    uint32_t *order = r->cells->order, n = r->cells->tree.nodes;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i, depth = events_of(r->histories->item[i]);
        for (; at > 0; at--) {
            uint32_t before = events_of(r->histories->item[order[at - 1]]);
            if (before < depth ||
                (before == depth && strcmp(r->key[order[at - 1]].data, r->key[i].data) <= 0))
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

/* Read the list of histories as a tree. False: nothing of it may be shown. */
static bool read_tree(reading *r) {
    asif_disclosure_tree *tree = &r->cells->tree;
    asif_text room = {.context = r->cells->context};
    double first = 0, nodes = asif_yaml_value(asif_yaml_part(r->fit->root, "logs"), "nodes");
    uint32_t roots = 0;
    bool good = r->plain, starts = false;
    for (uint32_t i = 0; i < tree->nodes; i++)
        good &= read_counts(r, i);
    for (uint32_t i = 0; good && i < tree->nodes; i++) {
        good = find_parent(r, i, &room);
        if (tree->node[i].parent != ASIF_ANY)
            continue;
        starts |= asif_yaml_part(r->histories->item[i], "start") != NULL;
        first += asif_yaml_value(r->histories->item[i], "decisions");
        roots++;
    }
    r->failed = room.failed;
    asif_text_free(&room);
    tree->unlisted =
        nodes == tree->nodes ? 0 : asif_yaml_value(r->histories->item[tree->nodes - 1], "decisions");
    tree->total = r->count[r->seen ? ASIF_CELL_DECISIONS : ASIF_CELL_EPISODES];
    tree->firsts = r->seen ? (r->spec ? r->spec->states : 0) : starts || roots != 1 ? 0 : 1;
    tree->observations = r->spec ? r->spec->observations : 0;
    tree->ends = r->spec && r->spec->actions == tree->actions ? r->spec->ends : NULL;
    if (isnan(tree->total))
        tree->total = first;
    return good && first <= tree->total && (tree->firsts != roots || first == tree->total);
}

/* ---- totals ---- */

static asif_cell told(const asif_disclosure *cells, double count) {
    if (isnan(count))
        return ASIF_CELL_UNTOLD;
    if (count >= cells->limit)
        return ASIF_CELL(count, count, false);
    return ASIF_CELL(0, cells->limit - 1.0, true);
}

static bool is_exact(asif_cell cell) {
    return cell.low == cell.high;
}

/* A total that includes counts of the tree (between `low` and `high`) and other counts, which are not shown.
 * It is shown exactly if these others are not small, whatever the counts of the tree are; otherwise as the
 * range that follows from that. */
static asif_cell told_above(const asif_disclosure *cells, double count, double low, double high) {
    if (isnan(count))
        return ASIF_CELL_UNTOLD;
    if (count >= high + cells->limit)
        return ASIF_CELL(count, count, false);
    double most = high + cells->limit - 1.0;
    return ASIF_CELL(low, most, low == 0 && high == 0);
}

static asif_cell sum_shown(const asif_disclosure *cells) {
    asif_cell sum = ASIF_CELL(0, 0, false);
    for (uint32_t i = 0; i < cells->tree.nodes; i++) {
        const asif_disclosure_node *node = &cells->tree.node[i];
        if (!node->shown)
            continue;
        sum.low += node->decisions.low;
        sum.high += node->decisions.high;
    }
    return sum;
}

/* Upper bound on the decisions that must follow those that are shown, if no episode was cut: one for each
 * shown decision that does not end its episode and leads to no shown history. */
static double must_follow(const asif_disclosure *cells) {
    double sum = 0;
    for (uint32_t i = 0; cells->tree.ends && i < cells->tree.nodes; i++) {
        const asif_disclosure_node *node = &cells->tree.node[i];
        if (!node->shown)
            continue;
        for (uint32_t u = 0; u < cells->tree.actions; u++)
            sum += cells->tree.ends[u] ? 0 : node->action[u].high;
        sum -= node->parent == ASIF_ANY ? 0 : node->decisions.low;
    }
    return fmax(0, sum);
}

/* The number of subjects as it may be shown. Episodes minus subjects are repeated episodes of a person, which
 * may be few. */
static asif_cell told_subjects(const asif_disclosure *cells, double subjects, double episodes) {
    double most = cells->limit - 1.0;
    if (subjects < cells->limit || isnan(episodes) || episodes - subjects > most)
        return told(cells, subjects);
    return episodes - most > most ? ASIF_CELL(episodes - most, episodes, false) : ASIF_CELL_UNTOLD;
}

/* Decide which totals may be shown. Rows minus decisions are the rows left out, so `rows` is shown only if
 * both are exact. */
static void tell_totals(reading *r, bool small) {
    asif_disclosure *c = r->cells;
    asif_cell sum = sum_shown(c), *total = c->total;
    double episodes = r->count[ASIF_CELL_EPISODES];
    total[ASIF_CELL_SUBJECTS] = told_subjects(c, r->count[ASIF_CELL_SUBJECTS], episodes);
    total[ASIF_CELL_EPISODES] = told(c, episodes);
    if (!small && r->seen)
        total[ASIF_CELL_DECISIONS] = told(c, r->count[ASIF_CELL_DECISIONS]);
    else if (!small)
        total[ASIF_CELL_DECISIONS] = told_above(c, r->count[ASIF_CELL_DECISIONS], fmax(sum.low, episodes),
                                                fmax(sum.high, episodes) + must_follow(c));
    total[ASIF_CELL_EXCLUDED] = told(c, r->count[ASIF_CELL_EXCLUDED]);
    if (is_exact(total[ASIF_CELL_EXCLUDED]) && is_exact(total[ASIF_CELL_DECISIONS]))
        total[ASIF_CELL_ROWS] = told(c, r->count[ASIF_CELL_ROWS]);
}

/* ---- everything ---- */

/* Show everything, because there is no limit. */
static void tell_all(reading *r) {
    asif_disclosure *c = r->cells;
    for (uint32_t i = 0; i < c->tree.nodes; i++) {
        const asif_yaml *entry = r->histories->item[i], *actions = actions_of(entry);
        double decisions = asif_yaml_value(entry, "decisions");
        c->order[i] = i;
        c->tree.node[i].shown = true;
        c->tree.node[i].decisions = told(c, decisions);
        for (uint32_t u = 0; actions && u < actions->count && u < c->tree.actions; u++)
            c->tree.node[i].action[u] = told(c, decisions * asif_yaml_value(actions->item[u], "observed"));
    }
    for (int which = 0; which < ASIF_CELL_TOTALS; which++)
        c->total[which] = told(c, r->count[which]);
}

static asif_status tell_some(reading *r, bool tree, asif_error *error) {
    asif_disclosure *c = r->cells;
    bool small = r->count[ASIF_CELL_SUBJECTS] < c->limit || r->count[ASIF_CELL_EPISODES] < c->limit;
    if (tree && !small) {
        sort_places(r);
        ASIF_TRY(asif_disclosure_tell(&c->tree, c->context, error));
    }
    tell_totals(r, small);
    return ASIF_OK;
}

static void read_totals(reading *r) {
    static const char *const key[ASIF_CELL_TOTALS] = {"subjects", "episodes", "decisions", "rows",
                                                      "excluded"};
    const asif_yaml *logs = asif_yaml_part(r->fit->root, "logs");
    double weight = asif_yaml_value(logs, "weight");
    for (int which = 0; which < ASIF_CELL_TOTALS; which++) {
        r->count[which] = asif_yaml_value(logs, key[which]);
        r->cells->total[which] = ASIF_CELL_UNTOLD;
    }
    r->seen = asif_yaml_flag(logs, "states_seen");
    r->plain =
        isnan(weight) || isnan(r->count[ASIF_CELL_DECISIONS]) || weight == r->count[ASIF_CELL_DECISIONS];
}

static asif_status make(reading *r, asif_error *error) {
    asif_disclosure *c = r->cells;
    asif_status status = ASIF_OK;
    r->histories = asif_yaml_list(r->fit->root, "histories");
    c->tree.limit = c->limit;
    c->tree.nodes = r->histories ? r->histories->count : 0;
    for (uint32_t i = 0; i < c->tree.nodes; i++) {
        const asif_yaml *actions = actions_of(r->histories->item[i]);
        c->tree.actions = actions && actions->count > c->tree.actions ? actions->count : c->tree.actions;
    }
    uint64_t cells = (uint64_t)c->tree.nodes * c->tree.actions;
    c->tree.node = ASIF_ARRAY(c->context, c->tree.nodes, asif_disclosure_node);
    c->number = ASIF_ARRAY(c->context, 2 * cells, double);
    c->cell = ASIF_ARRAY(c->context, cells, asif_cell);
    c->tree.order = c->order = ASIF_ARRAY(c->context, c->tree.nodes, uint32_t);
    r->key = ASIF_ARRAY(c->context, c->tree.nodes, asif_text);
    if (!c->tree.node || !c->number || !c->cell || !c->order || !r->key)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < c->tree.nodes; i++) {
        r->key[i].context = c->context;
        add_key(&r->key[i], r->histories->item[i], events_of(r->histories->item[i]));
        if (r->key[i].failed || !r->key[i].data)
            return asif_fail_memory(error);
    }
    bool tree = c->tree.nodes > 0 && read_tree(r);
    if (r->failed)
        return asif_fail_memory(error);
    if (c->limit == 0)
        tell_all(r);
    else
        status = tell_some(r, tree, error);
    for (uint32_t k = 0; k < c->tree.nodes; k++)
        if (c->tree.node[c->order[k]].shown)
            c->order[c->shown++] = c->order[k];
    if (status == ASIF_OK)
        status = asif_disclosure_table_make(
            &c->table,
            &(asif_disclosure_known){c->context, asif_yaml_part(r->fit->root, "logs"), r->histories, &c->tree,
                                     c->total[ASIF_CELL_DECISIONS], c->total[ASIF_CELL_EPISODES], r->plain},
            error);
    return status;
}

asif_status asif_disclosure_make(asif_disclosure **out, const asif_context *context, const asif_summary *fit,
                                 const asif_setting *setting, uint32_t min_cell, asif_error *error) {
    *out = ASIF_NEW(context, asif_disclosure);
    if (!*out)
        return asif_fail_memory(error);
    (*out)->context = context;
    (*out)->limit = min_cell;
    reading r = {.cells = *out, .fit = fit, .spec = setting ? asif_setting_get(setting) : NULL};
    read_totals(&r);
    asif_status status = make(&r, error);
    for (uint32_t i = 0; r.key && i < (*out)->tree.nodes; i++)
        if (r.key[i].context)
            asif_text_free(&r.key[i]);
    asif_free(context, r.key);
    if (status != ASIF_OK) {
        asif_disclosure_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- a population ---- */

/* Each action is told by itself. What all of them together were is told by these alone: it is exact only
 * where every action is, so that no small count can be computed from it. */
static void tell_people(asif_disclosure *c, double people, const double *count) {
    asif_cell *action = c->tree.node->action, sum = ASIF_CELL(0, 0, false);
    for (uint32_t u = 0; u < c->tree.actions; u++) {
        action[u] = told(c, count[u]);
        sum.low += action[u].low;
        sum.high += action[u].high;
    }
    for (uint32_t u = 0; u < c->tree.actions; u++) {
        action[u].others_low = sum.low - action[u].low;
        action[u].others_high = sum.high - action[u].high;
    }
    c->tree.node->decisions = c->total[ASIF_CELL_DECISIONS] = sum;
    /* decisions minus people are repeated decisions of a person, which may be few */
    if (is_exact(sum))
        c->total[ASIF_CELL_SUBJECTS] = told_subjects(c, people, sum.low);
    else if (sum.low - people >= c->limit)
        c->total[ASIF_CELL_SUBJECTS] = told(c, people);
}

asif_status asif_disclosure_people(asif_disclosure **out, const asif_context *context, double people,
                                   const double *count, uint32_t actions, uint32_t min_cell,
                                   asif_error *error) {
    asif_disclosure *c = *out = ASIF_NEW(context, asif_disclosure);
    bool plain = true;
    if (!c)
        return asif_fail_memory(error);
    c->context = context;
    c->limit = min_cell;
    c->tree.node = ASIF_ARRAY(context, 1, asif_disclosure_node);
    c->cell = ASIF_ARRAY(context, actions, asif_cell);
    if (!c->tree.node || !c->cell) {
        asif_disclosure_free(c);
        *out = NULL;
        return asif_fail_memory(error);
    }
    c->tree.nodes = 1;
    c->tree.actions = actions;
    *c->tree.node = (asif_disclosure_node){.action = c->cell, .decisions = ASIF_CELL_UNTOLD};
    for (int which = 0; which < ASIF_CELL_TOTALS; which++)
        c->total[which] = ASIF_CELL_UNTOLD;
    for (uint32_t u = 0; u < actions; u++) {
        c->cell[u] = ASIF_CELL_UNTOLD;
        plain &= is_whole(count[u]);
    }
    if (min_cell == 0 || (plain && people >= min_cell))
        tell_people(c, people, count);
    else
        c->total[ASIF_CELL_SUBJECTS] = told(c, people);
    return ASIF_OK;
}

asif_cell asif_disclosure_count(const asif_disclosure *cells, double count) {
    return told(cells, count);
}

void asif_disclosure_free(asif_disclosure *cells) {
    if (!cells)
        return;
    asif_disclosure_table_free(&cells->table, cells->context);
    asif_free(cells->context, cells->tree.node);
    asif_free(cells->context, cells->number);
    asif_free(cells->context, cells->cell);
    asif_free(cells->context, cells->order);
    asif_free(cells->context, cells);
}

uint32_t asif_disclosure_limit(const asif_disclosure *cells) {
    return cells->limit;
}

asif_cell asif_disclosure_total(const asif_disclosure *cells, asif_cell_total which) {
    return cells->total[which];
}

const asif_disclosure_table *asif_disclosure_described(const asif_disclosure *cells) {
    return &cells->table;
}

uint32_t asif_disclosure_shown(const asif_disclosure *cells) {
    return cells->shown;
}

uint32_t asif_disclosure_place(const asif_disclosure *cells, uint32_t k) {
    return k < cells->shown ? cells->order[k] : ASIF_ANY;
}

asif_cell asif_disclosure_history(const asif_disclosure *cells, uint32_t history) {
    return history < cells->tree.nodes ? cells->tree.node[history].decisions : ASIF_CELL_UNTOLD;
}

asif_cell asif_disclosure_action(const asif_disclosure *cells, uint32_t history, uint32_t action) {
    bool there = history < cells->tree.nodes && action < cells->tree.actions;
    return there ? cells->tree.node[history].action[action] : ASIF_CELL_UNTOLD;
}
