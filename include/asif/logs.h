/**
 * @file
 * Logs: reading a table of observations and actions into a history tree, and the likelihood of a behaviour on
 * that tree.
 *
 * An agent state is a function of past actions and observations, so all episodes that share a prefix of
 * (action, observation) pairs share a *node*, at which the actions taken there are counted. The cost of a
 * likelihood is therefore proportional to the number of nodes, not of rows.
 */
#ifndef ASIF_LOGS_H
#define ASIF_LOGS_H

#include "asif/behavior.h"
#include "asif/planner.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the roles of columns ---- */

/** Roles that columns of a table can have. "Default": what is assumed if no column has the role. */
typedef enum {
    /** Default: a column `subject` if there is one, else each episode is its own subject. */
    ASIF_ROLE_SUBJECT,
    ASIF_ROLE_EPISODE, /**< default: each subject has one episode */
    ASIF_ROLE_TIME,    /**< default: the order of the rows */
    ASIF_ROLE_ACTION,
    ASIF_ROLE_OBSERVATION, /**< several columns are combined into one observation */
    ASIF_ROLE_STATE,       /**< state before the action, in settings where states are seen */
    ASIF_ROLE_WEIGHT,      /**< default: 1 */
    ASIF_ROLE_START,       /**< start class; default: the column that the setting names */
    /** A label of the hidden state after the row's action, such as a diagnosis: it is counted at the nodes,
     * for comparison, and never used in an estimate. Default: none. */
    ASIF_ROLE_LABEL,
    ASIF_ROLE_COUNT
} asif_role;

/** A mapping from columns to roles, with labels, cut points and rules for missing values; to be changed by
 * one thread at a time. */
typedef struct asif_log_map asif_log_map;

/** Make the default mapping: the columns `subject`, `episode`, `t` (or `time`), `action`, `observation` and
 * `state` are used if they exist. @param[out] out Owned by the caller. @return ASIF_OK or ASIF_ENOMEM. */
ASIF_API asif_status asif_log_map_create(asif_log_map **out, const asif_context *context, asif_error *error);
/** Copy a mapping. @param[out] out Owned by the caller, independent of `map`. */
ASIF_API asif_status asif_log_map_copy(asif_log_map **out, const asif_log_map *map, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_log_map_free(asif_log_map *map);
/** Set the column of a role, as `--map action=mri` does; commas separate several columns of the observation.
 * @return ASIF_OK, ASIF_EUNKNOWN (no such role; the hint names the nearest) or ASIF_ENOMEM. */
ASIF_API asif_status asif_log_map_set(asif_log_map *map, const char *role, const char *columns,
                                      asif_error *error);

/* ---- the columns of a table ---- */

/** Summary of one column of a table. */
typedef struct {
    const char *name;
    uint64_t missing;         /**< number of missing cells: empty, `NA` and the like */
    uint64_t numbers;         /**< number of cells that are numbers */
    bool whole;               /**< all these numbers are whole */
    uint32_t values;          /**< number of different values; limit + 1 means more than the limit */
    const char *const *value; /**< [values] in natural order; NULL if there are more than the limit */
    const uint64_t *count;    /**< [values]: number of cells with each value */
    uint32_t samples;
    /** [samples]: numbers of the column, ascending: all, or every n-th if there are many. */
    const double *sample;
    double least, most;      /**< smallest and largest number; NaN: there is none */
    uint32_t texts;          /**< the first different cells that are no numbers: at most 4 */
    const char *const *text; /**< [texts] */
    const uint64_t *of_text; /**< [texts]: number of cells with each of them */
} asif_table_column;

/** The columns of a table; immutable. */
typedef struct asif_columns asif_columns;

/**
 * Summarise all columns of a table whose columns have no roles yet. Memory does not grow with the number of
 * rows.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Kept for the life of the columns.
 * @param path       "-" is standard input.
 * @param limit      How many different values of a column are listed at most; 0 means 100.
 * @param separator  0: detected in the first line.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EPARSE, ASIF_EIO, ASIF_ETOOBIG or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_table_scan(asif_columns **out, const asif_context *context, const char *path,
                                     uint32_t limit, char separator, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_columns_free(asif_columns *columns);
/** Number of rows of the table, without its header. */
ASIF_API uint64_t asif_columns_rows(const asif_columns *columns);
/** The i-th column, borrowed; NULL past the last. */
ASIF_API const asif_table_column *asif_columns_get(const asif_columns *columns, uint32_t i);

/* ---- the tree ---- */

/** A history tree; immutable. Under full observability its nodes are the states. */
typedef struct asif_tree asif_tree;

/** A condition on rows: the column has one of these values. */
typedef struct {
    const char *column;
    uint32_t values;
    const char *const *value;
} asif_logs_where;

/** How to read a table of logs. */
typedef struct {
    size_t struct_size;
    const asif_log_map *map;     /**< NULL: the defaults */
    const asif_setting *setting; /**< labels; NULL: the labels in the table, in natural order */
    /** Units, for which counts are also kept separately: groups, folds and pointwise likelihoods need them.
     */
    enum { ASIF_UNITS_NONE, ASIF_UNITS_SUBJECTS, ASIF_UNITS_EPISODES } units;
    const char *const *covariates; /**< columns kept for each unit, NULL-terminated; NULL: none */
    char separator;                /**< 0: detected in the first line (comma, tab or semicolon) */
    uint32_t wheres;               /**< number of conditions; rows of episodes that fail one are excluded */
    const asif_logs_where *where;  /**< [wheres]; each column must be constant within an episode */
    /** Keep what asif_tree_by_subject() needs, if the table has a column of subjects. With ASIF_UNITS_NONE,
     * subjects become the units; with ASIF_UNITS_EPISODES, the subject of each episode is kept as the last
     * covariate, #ASIF_COVARIATE_SUBJECT. */
    bool subjects;
    /** Keep the order in which the units first appear in the table, as the first covariate,
     * #ASIF_COVARIATE_ORDER: numbers from 0. */
    bool order;
    /** Receives the rows that were kept, as asif understood them, as a CSV table; owned by the caller
     * (asif_memory_free()). NULL: it is not made. Its columns are `subject` and `episode` where the table has
     * them, `t` (in steps, where the mapping has a step), `action`, `observation` (or `state`), `weight` and
     * `label` where the table has them, and the groups of the mapping (`yes` or `no`). */
    char **rows;
} asif_logs_options;
/** Name of the covariate that holds the subject of an episode. */
#define ASIF_COVARIATE_SUBJECT "(subject)"
/** Name of the covariate that holds the order of the units in the table. */
#define ASIF_COVARIATE_ORDER "(order)"
#define ASIF_LOGS_OPTIONS_INIT                                                                               \
    { .struct_size = sizeof(asif_logs_options) }

/** Rules that leave out rows, in the order in which they are applied. */
typedef enum {
    ASIF_RULE_WHERE,        /**< a condition of `where` of ::asif_logs_options */
    ASIF_RULE_OFF_GRID,     /**< `off_grid: leave_out` */
    ASIF_RULE_REQUIRE,      /**< `require`, by column */
    ASIF_RULE_BEGIN,        /**< `begin` */
    ASIF_RULE_GAPS,         /**< `gaps: cut` */
    ASIF_RULE_DROP_EPISODE, /**< `missing: drop_episode` */
    ASIF_RULE_DROP_ROW      /**< `missing: drop_row` */
} asif_rule;
/** What one rule left out. */
typedef struct {
    asif_rule rule;
    char column[64];   /**< ASIF_RULE_REQUIRE: the column, shortened if necessary; else empty */
    uint64_t rows;     /**< above 0 */
    uint64_t episodes; /**< episodes that the rule left out as a whole */
} asif_left_out;
/** Most entries of `left_out`, and most columns of `require`. */
#define ASIF_MOST_LEFT_OUT 16
#define ASIF_MOST_REQUIRED 10
/** The words for a rule in a study, such as `gaps: cut`; static. */
ASIF_API const char *asif_rule_text(asif_rule rule);

/** Size of the logs that were read. */
typedef struct {
    uint64_t rows;     /**< rows of the table, without its header */
    uint64_t excluded; /**< rows that a stated rule left out */
    uint64_t subjects, episodes, decisions;
    double weight;    /**< sum of the weights of all decisions; without weights, their number */
    uint64_t nodes;   /**< nodes at which an action was taken */
    uint64_t longest; /**< decisions of the longest episode */
    bool sorted;      /**< rows came grouped and in order of time */
    bool states_seen;
    /** What each rule left out, in the order of the rules; 0 for saved trees, which do not keep it. */
    uint32_t rules;
    asif_left_out left_out[ASIF_MOST_LEFT_OUT]; /**< [rules] */
} asif_logs_info;

/**
 * Read a table (CSV or TSV) into a tree. One pass lists all problems, each with file, row, column and hint;
 * nothing is recoded or dropped silently. Rows that are grouped by episode are streamed: then only the tree
 * takes memory.
 *
 * @param[out] out      Owned by the caller; NULL on failure.
 * @param context       Kept for the life of the tree.
 * @param path          "-" is standard input.
 * @param options       NULL: the defaults.
 * @param[out] info     May be NULL.
 * @param problems      Errors, warnings and notes are added; may be NULL.
 * @param[out] error    The first error; may be NULL.
 * @return ASIF_OK, ASIF_EPARSE, ASIF_EINVALID, ASIF_EUNKNOWN, ASIF_EIO, ASIF_ENOMEM or ASIF_ETOOBIG.
 */
ASIF_API asif_status asif_logs_read(asif_tree **out, const asif_context *context, const char *path,
                                    const asif_logs_options *options, asif_logs_info *info,
                                    asif_problems *problems, asif_error *error);
/** Read logs from text in memory; otherwise as asif_logs_read(). @param name For messages. */
ASIF_API asif_status asif_logs_read_text(asif_tree **out, const asif_context *context, const char *text,
                                         uint64_t length, const char *name, const asif_logs_options *options,
                                         asif_logs_info *info, asif_problems *problems, asif_error *error);
/** Read logs from a table, as asif_logs_read() does, or from a saved tree. A saved tree must have the labels
 * of `options->setting` and the covariates `options->covariates`; all other options apply to tables only.
 * @param options Must not be NULL. */
ASIF_API asif_status asif_logs_open(asif_tree **out, const asif_context *context, const char *path,
                                    const asif_logs_options *options, asif_problems *problems,
                                    asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_tree_free(asif_tree *tree);

/** Arrays of a tree, borrowed. Nodes are ordered by level, and within a level by parent, action and
 * observation in the order of the labels: the tree does not depend on the order of the rows. */
typedef struct {
    size_t struct_size;
    bool states_seen;
    /** Numbers of labels; where states are seen, `observations` is the number of states. */
    uint32_t actions, observations;
    uint32_t starts; /**< start classes */
    /** The first `starts` nodes are the roots; where states are seen, nodes are states. */
    uint32_t nodes, levels;
    const uint64_t *level;  /**< [levels + 1]: first node of each level */
    const uint32_t *parent; /**< [nodes]; ASIF_ANY: a root */
    const uint32_t *action; /**< [nodes]: action that leads here from the parent */
    /** [nodes]: observation that leads here, ASIF_ANY if nothing was seen; where states are seen, the
     * state itself. */
    const uint32_t *observation;
    const double *count;       /**< [nodes][actions]: weight of each action taken there */
    const uint64_t *first_row; /**< [nodes]: first row of the table at this node; 0: not known */
    /** Where states are seen: number of different (state, action, next state) in the next arrays,
     * sorted. */
    uint64_t transitions;
    const uint32_t *from, *did, *to;
    const double *transition_count;
    uint64_t units;       /**< 0: none were kept */
    const uint64_t *unit; /**< [units + 1]: entries of each unit in the next three arrays */
    const uint32_t *entry_node, *entry_action;
    const double *entry_count;
    uint32_t covariates;
    bool ends_known; /**< false: the tree is from a file of version 1, which did not keep ends */
    /** Ends: the observations after the last decisions of episodes, as sorted (node, action, observation) and
     * their counts. An episode has no end if its last action is an ending action of the setting, if nothing
     * was seen after it, or if states are seen. */
    uint64_t ends;
    const uint32_t *end_node, *end_action, *end_observation;
    const double *end_count;
    const uint64_t *unit_end; /**< [units + 1]: ends of each unit in the next two arrays */
    const uint32_t *ending;   /**< index of an end */
    const double *ending_count;
    /** Labels of the hidden state (#ASIF_ROLE_LABEL): their number, which is that of the states, or 0 if none
     * were read. Trees that were saved, selected or merged have none, but that of asif_tree_by_subject() with
     * all units keeps them. */
    uint32_t states_labelled;
    /** [nodes][states_labelled]: how often the state was labelled so after the action and observation that
     * lead to the node. */
    const double *node_label;
    const double *end_label; /**< [ends][states_labelled]: likewise, for ends */
    /** Episodes with a result that was seen and not recorded (`missing: unrecorded`), by unit where there are
     * units; equal ones are one. Their decisions after the first lost result are in no count and no entry:
     * they belong to one of several completed histories, whose nodes are in the tree. */
    uint64_t lost;
    const double *lost_weight;       /**< [lost]: weight of the decisions */
    const uint32_t *lost_length;     /**< [lost]: number of decisions after the first lost result */
    const uint32_t *lost_action;     /**< [lost]: the last of them */
    const uint64_t *completion;      /**< [lost + 1]: completions of each in the next two arrays */
    const uint32_t *completion_node; /**< node of the last decision; those before it are at the nodes above */
    /** Log-probability of the completion in the environment, given everything that was recorded. */
    const double *completion_log;
    const uint64_t *unit_lost; /**< [units + 1]: lost episodes of each unit */
} asif_tree_view;
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_tree_get(const asif_tree *tree, asif_tree_view *view, asif_error *error);
/** Size of the logs that the tree was read from; borrowed. */
ASIF_API const asif_logs_info *asif_tree_info(const asif_tree *tree);
/** Label of an action or observation (state) of the tree; borrowed. */
ASIF_API const char *asif_tree_label(const asif_tree *tree, asif_label_kind kind, uint32_t i);
/** Name of a unit; borrowed. Units are sorted by name, with numbers inside names compared by value. */
ASIF_API const char *asif_tree_unit_name(const asif_tree *tree, uint64_t unit);
/** A unit's value of a covariate; borrowed, empty where it is missing. */
ASIF_API const char *asif_tree_covariate(const asif_tree *tree, uint64_t unit, uint32_t covariate);
/** Name of a covariate; borrowed. */
ASIF_API const char *asif_tree_covariate_name(const asif_tree *tree, uint32_t covariate);

/**
 * Read conditions in the form of the command's `--where`: "COLUMN=VALUE", or "COLUMN=A,B" for A or B (or for
 * a value that contains the comma).
 *
 * @param[out] out   [count], one block with its texts; owned by the caller (asif_memory_free()).
 * @param context    For the memory.
 * @param text       [count]; copied.
 * @param count      May be 0.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EINVALID (not of this form) or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_wheres_read(asif_logs_where **out, const asif_context *context,
                                      const char *const *text, uint32_t count, asif_error *error);
/** List `first`, `second` (which may be NULL) and the columns of these conditions, each once, for
 * `covariates` of ::asif_logs_options. @param[out] out NULL-terminated, owned by the caller
 * (asif_memory_free()); the texts are borrowed. */
ASIF_API asif_status asif_wheres_columns(const char ***out, const asif_context *context, const char *first,
                                         const char *second, const asif_logs_where *where, uint32_t wheres,
                                         asif_error *error);
/** Choose the units that meet all conditions. @param[out] chosen [units]. @return ASIF_OK, ASIF_EUNKNOWN (the
 * tree has no such covariate), ASIF_EINVALID (no unit is left; the hint names existing values) or
 * ASIF_ENOMEM. */
ASIF_API asif_status asif_tree_choose(bool *chosen, const asif_tree *tree, const asif_logs_where *where,
                                      uint32_t wheres, asif_error *error);
/** A value of a covariate, and how many units have it. */
typedef struct {
    const char *value; /**< "": the value is missing */
    uint64_t units;
} asif_covariate_value;
/** List the values of a covariate among the chosen units, in natural order. @param[out] out [*count], owned
 * by the caller (asif_memory_free()); the texts are borrowed. @param chosen [units]; NULL: all. @return
 * ASIF_OK, ASIF_EUNKNOWN or ASIF_ENOMEM. */
ASIF_API asif_status asif_tree_values(asif_covariate_value **out, uint64_t *count, const asif_tree *tree,
                                      const char *column, const bool *chosen, asif_error *error);

/** Count the actions of the chosen units on the nodes of the tree, for groups and folds without reading the
 * logs again. @param chosen [units]. @param[out] count [nodes][actions] of the caller. @return ASIF_OK,
 * ASIF_EINVALID if the tree has no units, or ASIF_ENOMEM. */
ASIF_API asif_status asif_tree_counts(const asif_tree *tree, const bool *chosen, double *count,
                                      asif_error *error);
/** Make the tree of the chosen units, without units of its own: only nodes that they reached, with only their
 * counts and lost episodes. In its info, `rows` and `excluded` are 0, and `subjects` and `episodes` are 0 if
 * the units do not determine them. Where states are seen it has no transitions. @param[out] out Owned by the
 * caller. @param chosen [units]; NULL: all, and then the info is that of `tree`. @return ASIF_OK,
 * ASIF_EINVALID (`chosen` is not NULL and the tree has no units) or ASIF_ENOMEM. */
ASIF_API asif_status asif_tree_select(asif_tree **out, const asif_tree *tree, const bool *chosen,
                                      asif_error *error);
/** Make the tree of the chosen units as asif_tree_select() does, but keep the units. @param covariates
 * Covariates to keep, NULL-terminated; NULL: none. @param names Keep the names of the units; else they are
 * numbered from 1. @return As asif_tree_select(), but ASIF_EINVALID also if `chosen` is NULL and the tree has
 * no units; ASIF_EUNKNOWN: there is no such covariate. */
ASIF_API asif_status asif_tree_select_units(asif_tree **out, const asif_tree *tree, const bool *chosen,
                                            const char *const *covariates, bool names, asif_error *error);
/**
 * Make the tree of the chosen units with subjects as its units, for methods that must respect the dependence
 * between episodes of one person. Subjects have no names: each has its number among all subjects of `tree`,
 * so that it has the same number in every part of the logs.
 *
 * If the subjects of episodes are not known (see asif_logs_options), or each subject of `tree` has one
 * episode, this is asif_tree_select(): the tree has no units. In its info, `subjects` is also known for a
 * part of the logs.
 *
 * @param[out] out    Owned by the caller; NULL on failure.
 * @param tree        Borrowed for the call.
 * @param chosen      [units]; NULL: all.
 * @param[out] digest [65], or NULL: SHA-256 of the names of all subjects in `tree`, in hexadecimal digits;
 * empty where the tree has no units. Parts of logs with the same digest number their subjects in the same
 * way.
 * @param[out] error  May be NULL.
 * @return As asif_tree_select().
 */
ASIF_API asif_status asif_tree_by_subject(asif_tree **out, const asif_tree *tree, const bool *chosen,
                                          char *digest, asif_error *error);
/** Merge two trees into the tree of both tables together. Labels, start classes and covariates must be
 * the same, and both trees must have units or neither (else ASIF_EINVALID). Units of the same name become
 * one, and where their covariates differ, those of `a` are kept. The first row of a node is that in the table
 * of `a` if it is known, else in that of `b`. Without units, a subject that is in both tables counts twice.
 * If the ends of one tree are not known, the ends of neither are kept. @param[out] out Owned by the caller.
 */
ASIF_API asif_status asif_tree_merge(asif_tree **out, const asif_tree *a, const asif_tree *b,
                                     asif_error *error);
/** Serialise a tree, in the format of asif_tree_save(). @param[out] out Owned by the caller
 * (asif_memory_free()). @return ASIF_OK or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_tree_bytes(char **out, uint64_t *length, const asif_tree *tree, asif_error *error);
/** Write a tree to a file, all or nothing, with a digest. The format is version 2, version 1 if the ends of
 * the tree are not known, or version 3 if results of some episodes are lost. */
ASIF_API asif_status asif_tree_save(const asif_tree *tree, const char *path, asif_error *error);
/** Read a saved tree, of version 1, 2 or 3; a file that was cut or changed is ASIF_EPARSE. */
ASIF_API asif_status asif_tree_load(asif_tree **out, const asif_context *context, const char *path,
                                    asif_error *error);
/** Read a saved tree from memory; otherwise as asif_tree_load(). */
ASIF_API asif_status asif_tree_load_bytes(asif_tree **out, const asif_context *context, const void *bytes,
                                          uint64_t length, asif_error *error);
/** Whether a file is a saved tree, by its first bytes; false if it cannot be read. */
ASIF_API bool asif_tree_recognise(const char *path);

/* ---- likelihood ---- */

/** Additional inputs and outputs of a log-likelihood; any pointer may be NULL. */
typedef struct {
    size_t struct_size;
    const double *count; /**< [nodes][actions]: counts that replace the tree's (asif_tree_counts()) */
    double *by_node;     /**< [nodes]: log-likelihood by node, of the decisions that are counted there */
    double *by_unit;     /**< [units]: log-likelihood by unit */
} asif_loglik_options;
#define ASIF_LOGLIK_OPTIONS_INIT                                                                             \
    { .struct_size = sizeof(asif_loglik_options) }

/**
 * Log-likelihood of the actions in the tree under a behaviour, causally conditioned on the observations
 * (Equation 24), summed over decisions with their weights. For an episode with lost results it is the
 * logarithm of the mean probability of its decisions over the completions, weighed by their probability in
 * the environment. The result is bit for bit the same for any number of threads.
 *
 * @param[out] total   -inf if an action was taken that the behaviour never takes.
 * @param behavior     Of a setting with the tree's labels.
 * @param tree         See asif_logs_read().
 * @param options      NULL: the total only.
 * @param[out] error   On ASIF_EZEROPR, `row` is the row of the table with an observation that no world of the
 * agent allows.
 * @return ASIF_OK, ASIF_EZEROPR, ASIF_EINVALID (other labels), ASIF_EUNSUPPORTED (other counts, where the
 * tree has lost results) or ASIF_ENOMEM.
 *
 * Cost: that of `step` and `log_policy` at every node.
 */
ASIF_API asif_status asif_loglik(double *total, const asif_behavior *behavior, const asif_tree *tree,
                                 const asif_loglik_options *options, asif_error *error);

/**
 * Check logs against an agent: compute their log-likelihood, and list what is impossible for this agent. An
 * observation that none of its worlds allows is added to the problems as an error, an action that it never
 * takes as a warning, each with its row.
 *
 * @param[out] total   -inf if an action was taken that the behaviour never takes; NaN after an error in the
 * problems.
 * @param behavior     Of a setting with the tree's labels.
 * @param tree         See asif_logs_read().
 * @param file         Name of the table, for the problems.
 * @param problems     May be NULL.
 * @param[out] error   May be NULL.
 * @return ASIF_OK, also where problems were found; ASIF_EINVALID (other labels) or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_logs_judge(double *total, const asif_behavior *behavior, const asif_tree *tree,
                                     const char *file, asif_problems *problems, asif_error *error);

/** The most lattices that asif_lattices_compare() compares. */
#define ASIF_LATTICES 3
/** Log-likelihoods of one agent on several lattices of beliefs. */
typedef struct {
    size_t struct_size;
    bool jumps;     /**< a term of the utility jumps at some belief; see ::asif_utility_term */
    uint32_t count; /**< lattices; 0: the utility does not depend on the belief, or no lattice is used */
    uint32_t resolution[ASIF_LATTICES]; /**< [count]: first the one that was asked for */
    double log_likelihood[ASIF_LATTICES];
    double difference; /**< largest difference from the first, nats */
} asif_lattices;

/**
 * Compute the log-likelihood of an agent on the lattice of the options, on one with another interval, and on
 * one twice as fine, where its utility depends on the belief. Lattices that are too large are left out. If
 * the utility jumps and the numbers differ by more than 1 nat, the lattice is a part of the model, and a
 * warning says so.
 *
 * @param[out] out   Its struct_size is set.
 * @param context    For memory.
 * @param planner    Name in the registry.
 * @param setting    See asif_setting_create().
 * @param theta      With all values set.
 * @param tree       Of a setting with the same labels.
 * @param solver     NULL: the defaults.
 * @param problems   May be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK; else as asif_work_create(), asif_solve() and asif_loglik().
 *
 * Cost: three solves and likelihoods, the last with twice the resolution; none where `count` is 0.
 */
ASIF_API asif_status asif_lattices_compare(asif_lattices *out, const asif_context *context,
                                           const char *planner, const asif_setting *setting,
                                           const asif_theta *theta, const asif_tree *tree,
                                           const asif_plan_options *solver, asif_problems *problems,
                                           asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
