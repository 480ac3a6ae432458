/* Shared by the files of the tree: its arrays, exact sums of weights, and the builder. */
#ifndef ASIF_SRC_LOGS_TREE_TREE_INSIDE_H
#define ASIF_SRC_LOGS_TREE_TREE_INSIDE_H

#include "base/memory.h"
#include "logs/tree/tree.h"

#include <math.h>

/* ---- sums of weights that do not depend on the order of summation ----
 *
 * An amount is a whole number in a double and a fractional part in units of 2^-64; both are added without
 * rounding. Users see it as one double. The whole number can be computed back from this double and the part,
 * as long as it is below 2^52. */

#define ASIF_AMOUNT_LIMIT 0x1p52

typedef struct {
    double whole;
    uint64_t part;
} asif_amount;

/* The amount of a weight in [0, ASIF_AMOUNT_LIMIT), rounded to a multiple of 2^-64. */
static inline asif_amount asif_amount_of(double weight) {
    asif_amount a = {(double)(int64_t)weight, 0};
    if (a.whole != weight) {
        double scaled = (weight - a.whole) * 0x1p64;
        a.part = (uint64_t)(scaled < 0x1p52 ? floor(scaled + .5) : scaled);
    }
    return a;
}

static inline void asif_amount_add(asif_amount *sum, asif_amount a) {
    sum->part += a.part;
    sum->whole += a.whole + (sum->part < a.part ? 1 : 0);
}

/* A multiple, as exact as the sum of that many. */
static inline asif_amount asif_amount_times(asif_amount a, uint64_t copies) {
    asif_amount sum = {0, 0};
    for (; copies > 1; copies >>= 1) {
        if (copies & 1)
            asif_amount_add(&sum, a);
        asif_amount_add(&a, a);
    }
    asif_amount_add(&sum, a);
    return sum;
}

static inline double asif_amount_value(asif_amount a) {
    return a.whole + (double)a.part * 0x1p-64;
}

/* The amount whose value and part these are. */
static inline asif_amount asif_amount_again(double value, uint64_t part) {
    return (asif_amount){part ? round(value - (double)part * 0x1p-64) : value, part};
}

/* ---- a finished tree ---- */

typedef struct {
    bool states_seen;
    bool fractional; /* some weight is not a whole number, so that parts are kept */
    bool ends_known; /* false: the tree is from a file of version 1, which has no ends */
    uint64_t actions, observations, starts, nodes, levels, transitions, units, entries, covariates;
    uint64_t text;              /* bytes of all names */
    uint64_t ends, endings;     /* observations after last decisions: of all units, and by unit */
    uint64_t lost, completions; /* episodes with lost results, and their completions */
} asif_tree_size;

/* The arrays in the order of the file, those of version 1 first: type, name, number of elements from the
 * sizes n. */
#define ASIF_TREE_ARRAYS(X)                                                                                  \
    ASIF_TREE_ARRAYS_1(X)                                                                                    \
    ASIF_TREE_ARRAYS_2(X)                                                                                    \
    ASIF_TREE_ARRAYS_3(X)
#define ASIF_TREE_ARRAYS_1(X)                                                                                \
    X(uint64_t, level, n->levels + 1)                                                                        \
    X(uint64_t, first_row, n->nodes)                                                                         \
    X(double, count, n->nodes * n->actions)                                                                  \
    X(uint64_t, count_part, n->fractional ? n->nodes * n->actions : 0)                                       \
    X(double, transition_count, n->transitions)                                                              \
    X(uint64_t, transition_part, n->fractional ? n->transitions : 0)                                         \
    X(uint64_t, unit, n->units + 1)                                                                          \
    X(double, entry_count, n->entries)                                                                       \
    X(uint64_t, entry_part, n->fractional ? n->entries : 0)                                                  \
    X(uint32_t, parent, n->nodes)                                                                            \
    X(uint32_t, action, n->nodes)                                                                            \
    X(uint32_t, observation, n->nodes)                                                                       \
    X(uint32_t, from, n->transitions)                                                                        \
    X(uint32_t, did, n->transitions)                                                                         \
    X(uint32_t, to, n->transitions)                                                                          \
    X(uint32_t, entry_node, n->entries)                                                                      \
    X(uint32_t, entry_action, n->entries)                                                                    \
    X(char, text, n->text)
#define ASIF_TREE_ARRAYS_2(X)                                                                                \
    X(double, end_count, n->ends)                                                                            \
    X(uint64_t, end_part, n->fractional ? n->ends : 0)                                                       \
    X(uint64_t, unit_end, n->units + 1)                                                                      \
    X(double, ending_count, n->endings)                                                                      \
    X(uint64_t, ending_part, n->fractional ? n->endings : 0)                                                 \
    X(uint32_t, end_node, n->ends)                                                                           \
    X(uint32_t, end_action, n->ends)                                                                         \
    X(uint32_t, end_observation, n->ends)                                                                    \
    X(uint32_t, ending, n->endings)
#define ASIF_TREE_ARRAYS_3(X)                                                                                \
    X(double, lost_weight, n->lost)                                                                          \
    X(double, completion_log, n->completions)                                                                \
    X(uint64_t, completion, n->lost + 1)                                                                     \
    X(uint64_t, unit_lost, n->units + 1)                                                                     \
    X(uint32_t, lost_length, n->lost)                                                                        \
    X(uint32_t, lost_action, n->lost)                                                                        \
    X(uint32_t, completion_node, n->completions)

struct asif_tree {
    const asif_context *context;
    asif_kept kept;
    asif_tree_size size;
    asif_logs_info info;
    asif_tree_view view;
#define X(type, name, elements) type *name;
    ASIF_TREE_ARRAYS(X)
#undef X
    /* Pointers into `text`, in which each name is terminated by 0: actions, observations, covariates, units,
     * and the covariates of units. */
    uint64_t names;
    const char **name;
    double *node_label, *end_label; /* not in the file; NULL: none */
};

/* Allocate a tree whose arrays are all 0; the caller fills them and then calls asif_tree_seal(). `*out` is
 * freed by asif_tree_free(). ASIF_ENOMEM. */
asif_status asif_tree_alloc(asif_tree **out, const asif_context *context, const asif_tree_size *size,
                            asif_error *error);
/* Complete a tree whose arrays are filled: finds the names in the text, and fills the view and the info.
 * ASIF_EPARSE if texts and names differ in number; ASIF_ETOOBIG if the weights are too large. */
asif_status asif_tree_seal(asif_tree *tree, asif_error *error);
/* Compare unit names; numbers in them compare by value, so that 9 comes before 10. */
int asif_tree_name_order(const char *a, const char *b);

/* Exact amounts of a finished tree, by their indices in its arrays. */
static inline asif_amount asif_tree_count_at(const asif_tree *tree, uint64_t i) {
    return asif_amount_again(tree->count[i], tree->size.fractional ? tree->count_part[i] : 0);
}
static inline asif_amount asif_tree_transition_at(const asif_tree *tree, uint64_t i) {
    return asif_amount_again(tree->transition_count[i], tree->size.fractional ? tree->transition_part[i] : 0);
}
static inline asif_amount asif_tree_entry_at(const asif_tree *tree, uint64_t i) {
    return asif_amount_again(tree->entry_count[i], tree->size.fractional ? tree->entry_part[i] : 0);
}
static inline asif_amount asif_tree_end_at(const asif_tree *tree, uint64_t i) {
    return asif_amount_again(tree->end_count[i], tree->size.fractional ? tree->end_part[i] : 0);
}
static inline asif_amount asif_tree_ending_at(const asif_tree *tree, uint64_t i) {
    return asif_amount_again(tree->ending_count[i], tree->size.fractional ? tree->ending_part[i] : 0);
}

/* ---- the builder ---- */

/* A slot of a hash table: key and number of a node, a transition (state, action, next) or an end (node,
 * action, observation). */
typedef struct {
    uint32_t parent, action, observation;
    uint32_t number; /* ASIF_ANY: a free slot */
} asif_tree_slot;

typedef struct {
    asif_tree_slot *slot; /* NULL: the table is empty */
    uint32_t bits;        /* 2^bits slots */
    uint64_t used;
} asif_tree_table;

typedef struct {
    uint32_t parent, action, observation;
} asif_tree_node;

/* A word of what is kept of a node: its first row; `stride` whole counts; as many fractional parts, once a
 * weight is no whole number; `width` children, two in a word. */
typedef union {
    uint64_t row, part;
    double count;
    uint32_t child[2]; /* 0: none */
} asif_tree_word;

/* The weight of one observation after an action: of a transition, or of an end. */
typedef struct {
    uint32_t from, did, to;
    uint32_t number; /* number in order of arrival */
    asif_amount amount;
} asif_tree_sum;

typedef struct {
    asif_tree_table table;
    uint64_t count, capacity;
    asif_tree_sum *sum;
} asif_tree_sums;

/* An entry of a unit: the weight of an action at a node; or of an end, whose number is in `node`, and its
 * action. */
typedef struct {
    uint64_t unit;
    uint32_t node, action;
    asif_amount amount;
} asif_tree_entry;

typedef struct {
    uint64_t count, capacity, packed; /* the first `packed` entries have distinct keys */
    asif_tree_entry *entry;
} asif_tree_list;

typedef struct {
    uint32_t action, observation;
    uint64_t row;
    uint32_t label; /* of the state that was reached; ASIF_ANY: none */
} asif_tree_step;

/* An episode with lost results: the decisions after the first of them, and where its completions begin. */
typedef struct {
    uint64_t unit, first, count;
    uint32_t action, length;
    double weight;
    const uint32_t *node; /* [count], once the tree is finished */
    const double *log;
} asif_tree_loss;

/* Most pairs of action and observation that have a place at every node. */
#define ASIF_TREE_PLACES 8

struct asif_tree_builder {
    const asif_context *context;
    uint32_t starts;
    bool states_seen, fractional;
    uint32_t most;                  /* most nodes that can be made */
    uint64_t actions, observations; /* all numbers used so far are below these */

    uint64_t nodes, node_capacity, words, stride, width;
    asif_tree_node *node;
    asif_tree_word *word; /* [nodes][words] */
    /* Pairs that lead to children, each with a place at every node; once there are too many, `tabled`: the
     * children are in the table. */
    struct {
        uint32_t action, observation;
    } place[ASIF_TREE_PLACES];
    uint32_t places;
    bool tabled;
    asif_tree_table table;
    asif_tree_sums transition, end;
    bool ends_known;
    /* Labels of states: (node or end, 0 or 1, label) and their weight. */
    asif_tree_sums label;
    uint32_t labelled; /* number of labels; 0: none are kept */

    /* The open episode: its node `at`, and steps that wait because they count only if a decision follows. */
    uint32_t at;
    bool arrived;        /* the episode has a decision */
    asif_amount counted; /* weight of the last decision that counts */
    uint64_t copies;     /* as many episodes as this */
    uint64_t unit, length, waiting, waiting_capacity;
    asif_tree_step *step;

    asif_tree_list entry, ending;
    uint64_t losses, loss_capacity;
    asif_tree_loss *loss;
    uint64_t completions, node_room, log_room;
    uint32_t *completion_node;
    double *completion_log;
    uint64_t episodes, decisions, longest;
};

/* tree_table.c: the slot of a key, whose number is ASIF_ANY if the key is new; then asif_tree_use() gives it
 * one, before the table is asked for another key. */
asif_status asif_tree_find(asif_tree_slot **out, asif_tree_table *table, const asif_context *context,
                           uint32_t parent, uint32_t action, uint32_t observation, asif_error *error);
static inline void asif_tree_use(asif_tree_table *table, asif_tree_slot *slot, uint32_t number) {
    slot->number = number;
    table->used++;
}

/* tree_nodes.c: add a node. */
asif_status asif_tree_add_node(asif_tree_builder *builder, uint32_t parent, uint32_t action,
                               uint32_t observation, asif_error *error);
asif_status asif_tree_fail_nodes(const asif_tree_builder *builder, asif_error *error);
/* Where the children of a node begin among its words, after its row, its counts and their parts. */
static inline uint64_t asif_tree_children_at(uint64_t stride, bool fractional) {
    return 1 + stride + (fractional ? stride : 0);
}
/* The place of a pair among those that have a place at every node; `places`: it is new. */
static inline uint32_t asif_tree_place(const asif_tree_builder *b, uint32_t action, uint32_t observation) {
    uint32_t k = 0;
    while (k < b->places && (b->place[k].action != action || b->place[k].observation != observation))
        k++;
    return k;
}
static inline uint32_t *asif_tree_child_at(asif_tree_builder *b, uint32_t parent, uint32_t place) {
    asif_tree_word *children = b->word + parent * b->words + asif_tree_children_at(b->stride, b->fractional);
    return &children[place / 2].child[place % 2];
}
/* Note that a row is at a node; 0: none. */
static inline void asif_tree_lower_row(asif_tree_builder *b, uint32_t node, uint64_t row) {
    uint64_t *first_row = &b->word[node * b->words].row;
    if (row && (!*first_row || row < *first_row))
        *first_row = row;
}
/* The count of an action at a node. */
asif_amount asif_tree_amount(const asif_tree_builder *builder, uint64_t node, uint32_t action);
/* Find the node below `parent`, or make it. */
asif_status asif_tree_child(uint32_t *out, asif_tree_builder *builder, uint32_t parent, uint32_t action,
                            uint32_t observation, uint64_t row, asif_error *error);
/* Add a weight to a count, a transition or an end (whose number is returned), or to those of a unit. */
asif_status asif_tree_add_count(asif_tree_builder *builder, uint32_t node, uint32_t action,
                                asif_amount amount, asif_error *error);
asif_status asif_tree_add_transition(asif_tree_builder *builder, uint32_t from, uint32_t did, uint32_t to,
                                     asif_amount amount, asif_error *error);
asif_status asif_tree_add_end(uint32_t *number, asif_tree_builder *builder, uint32_t node, uint32_t action,
                              uint32_t observation, asif_amount amount, asif_error *error);
asif_status asif_tree_add_entry(asif_tree_builder *builder, uint64_t unit, uint32_t node, uint32_t action,
                                asif_amount amount, asif_error *error);
asif_status asif_tree_add_ending(asif_tree_builder *builder, uint64_t unit, uint32_t number, uint32_t action,
                                 asif_amount amount, asif_error *error);
/* Copy the ends of a tree, or of its units with chosen[unit] (NULL: all), to a builder; `map` are the
 * builder's numbers of the nodes. Chosen units are numbered from `unit`; ASIF_NO_UNIT: ends are not kept by
 * unit. */
asif_status asif_tree_copy_ends(asif_tree_builder *builder, const asif_tree *tree, const bool *chosen,
                                const uint32_t *map, uint64_t unit, asif_error *error);
/* End the open episode; the observation after its last decision becomes an end. */
asif_status asif_tree_close_episode(asif_tree_builder *builder, asif_error *error);
/* Count a decision of the open episode. */
void asif_tree_note_decision(asif_tree_builder *builder, uint32_t action);
/* The amount of a weight; ASIF_EDOMAIN if it is not one. */
asif_status asif_tree_check_weight(double weight, asif_amount *amount, asif_error *error);
/* Move to where the next decision is made, along the steps that were waiting. */
asif_status asif_tree_arrive(asif_tree_builder *builder, uint64_t row, asif_error *error);
/* Add a lost episode: completions [count] are nodes of the builder and log-probabilities. */
asif_status asif_tree_add_loss(asif_tree_builder *builder, const asif_tree_loss *loss, const uint32_t *node,
                               const double *log, asif_error *error);
/* Copy the lost episodes of a tree as asif_tree_copy_ends() copies ends. */
asif_status asif_tree_copy_lost(asif_tree_builder *builder, const asif_tree *tree, const bool *chosen,
                                const uint32_t *map, uint64_t unit, asif_error *error);
/* Renumber nodes, actions and units (NULL: not kept apart) of the builder's lost episodes, sort them, and
 * make equal ones one. */
asif_status asif_tree_order_lost(asif_tree_builder *builder, const uint32_t *node, const uint32_t *action,
                                 const uint64_t *unit, asif_error *error);
/* Fill the arrays of a tree from a builder whose lost episodes are in order. */
void asif_tree_fill_lost(asif_tree *tree, const asif_tree_builder *builder);
/* Whether the lost episodes of a tree from a file are what users of a tree rely on. */
bool asif_tree_good_lost(const asif_tree *tree);
/* Where states are seen: make room for the counts of all states up to this one. */
asif_status asif_tree_reach_state(asif_tree_builder *builder, uint32_t state, uint64_t row,
                                  asif_error *error);
/* Sort entries and add up those with the same key; returns how many remain. */
uint64_t asif_tree_pack(asif_tree_entry *entry, uint64_t entries);

/* Order the units by name, those of the same name as one; *out becomes the number of distinct units.
 * number[unit] is the new number of each unit, first[new] the old number of the first unit of that name; both
 * have room for all units. */
asif_status asif_tree_order_units(uint64_t *out, const asif_context *context, const asif_tree_units *units,
                                  uint64_t *number, uint64_t *first, asif_error *error);

#endif
