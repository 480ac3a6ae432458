/**
 * @file
 * Logs: from a table of what was seen and done to the history tree, and the likelihood of behaviour on it.
 *
 * An agent state is a function of what was seen and done, so all episodes that share a prefix of (action,
 * observation) pairs share a *node*, at which the actions that were taken are counted. The cost of a
 * likelihood is that of the nodes, not of the rows.
 */
#ifndef ASIF_LOGS_H
#define ASIF_LOGS_H

#include "asif/behavior.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- which column is what ---- */

/** Parts that columns of a table play. */
typedef enum {
    ASIF_ROLE_SUBJECT, /**< left out: a column `subject` if there is one, else each episode is its own subject
                        */
    ASIF_ROLE_EPISODE, /**< left out: one a subject */
    ASIF_ROLE_TIME,    /**< left out: the order of the rows */
    ASIF_ROLE_ACTION,
    ASIF_ROLE_OBSERVATION, /**< several columns are crossed into one */
    ASIF_ROLE_STATE,       /**< where states are seen: the state before the action */
    ASIF_ROLE_WEIGHT,      /**< left out: 1 */
    ASIF_ROLE_START,       /**< start class; set by the setting */
    ASIF_ROLE_COUNT
} asif_role;

/** A mapping from columns to roles, with labels, cuts and rules for what is missing; changed by one thread at
 * a time. */
typedef struct asif_log_map asif_log_map;

/** A mapping with defaults: columns `subject`, `episode`, `t` (or `time`), `action`, `observation`, `state`
 * are taken where they are there. @return ASIF_OK or ASIF_ENOMEM. */
ASIF_API asif_status asif_log_map_create(asif_log_map **out, const asif_context *context, asif_error *error);
/** A copy with a life of its own. */
ASIF_API asif_status asif_log_map_copy(asif_log_map **out, const asif_log_map *map, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_log_map_free(asif_log_map *map);
/** Name the column of a role, as `--map action=mri` does; a comma separates several columns of the
 * observation.
 * @return ASIF_OK, ASIF_EUNKNOWN (no such role, with the nearest) or ASIF_ENOMEM. */
ASIF_API asif_status asif_log_map_set(asif_log_map *map, const char *role, const char *columns,
                                      asif_error *error);

/* ---- what a table holds ---- */

/** A column of a table. */
typedef struct {
    const char *name;
    uint64_t missing;         /**< cells that are empty, `NA` and the like */
    uint64_t numbers;         /**< cells that are numbers */
    bool whole;               /**< all of these are whole numbers */
    uint32_t values;          /**< different values; one more than the limit: more than that */
    const char *const *value; /**< [values] in their natural order; NULL beyond the limit */
    const uint64_t *count;    /**< [values]: cells with each */
    uint32_t samples;
    const double *sample; /**< numbers of the column, ascending: all, or every n-th where there are many */
} asif_table_column;

/** The columns of a table; immutable. */
typedef struct asif_columns asif_columns;

/**
 * Look at all columns of a table, before anything is known of them. Memory does not grow with the rows.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Borrowed for the life of the columns.
 * @param path       "-" is standard input.
 * @param limit      Different values of a column that are listed; 0 counts as 100.
 * @param separator  0: found out from the first line.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EPARSE, ASIF_EIO, ASIF_ETOOBIG or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_table_scan(asif_columns **out, const asif_context *context, const char *path,
                                     uint32_t limit, char separator, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_columns_free(asif_columns *columns);
/** Rows of the table, without its header. */
ASIF_API uint64_t asif_columns_rows(const asif_columns *columns);
/** The i-th column, borrowed; NULL past the last. */
ASIF_API const asif_table_column *asif_columns_get(const asif_columns *columns, uint32_t i);

/* ---- the tree ---- */

/** A history tree; immutable. Under full observability its nodes are the states. */
typedef struct asif_tree asif_tree;

/** Rows with one of some values of a column. */
typedef struct {
    const char *column;
    uint32_t values;
    const char *const *value;
} asif_logs_where;

/** How to read a table. */
typedef struct {
    size_t struct_size;
    const asif_log_map *map;     /**< NULL: the defaults */
    const asif_setting *setting; /**< NULL: labels as they come, in their natural order */
    /** What a unit is, whose counts are kept apart: groups, folds and pointwise likelihoods need them. */
    enum { ASIF_UNITS_NONE, ASIF_UNITS_SUBJECTS, ASIF_UNITS_EPISODES } units;
    const char *const *covariates; /**< columns kept for each unit, NULL-terminated; NULL: none */
    char separator;                /**< 0: found out from the first line (comma, tab or semicolon) */
    uint32_t wheres;               /**< all of them hold in a row that is read; others count as excluded */
    const asif_logs_where *where;  /**< [wheres]: columns that are the same in all rows of an episode */
    /** Keep what asif_tree_by_subject() needs, where the table has a column of subjects: with no units asked
     * for, subjects become the units; with episodes as units, each keeps its subject, as its last covariate
     * #ASIF_COVARIATE_SUBJECT. */
    bool subjects;
} asif_logs_options;
/** Name of the covariate that holds the subject of an episode. */
#define ASIF_COVARIATE_SUBJECT "(subject)"
#define ASIF_LOGS_OPTIONS_INIT                                                                               \
    { .struct_size = sizeof(asif_logs_options) }

/** What was read, in numbers. */
typedef struct {
    uint64_t rows;     /**< of the table, without its header */
    uint64_t excluded; /**< rows that a stated rule left out */
    uint64_t subjects, episodes, decisions;
    double weight;    /**< of all decisions; their number without weights */
    uint64_t nodes;   /**< at which somebody acted */
    uint64_t longest; /**< decisions of the longest episode */
    bool sorted;      /**< rows came grouped and in order of time */
    bool states_seen;
} asif_logs_info;

/**
 * Read a table (CSV or TSV) into a tree. One pass lists the problems, each with file, row, column and hint;
 * nothing is recoded or dropped silently. Rows that come grouped by episode are streamed: memory is that of
 * the tree.
 *
 * @param[out] out      Owned by the caller; NULL on failure.
 * @param context       Borrowed for the life of the tree.
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
/** The same from text in memory. */
ASIF_API asif_status asif_logs_read_text(asif_tree **out, const asif_context *context, const char *text,
                                         uint64_t length, const char *name, const asif_logs_options *options,
                                         asif_logs_info *info, asif_problems *problems, asif_error *error);
/** Logs as asif_logs_read() has them, from a table or a saved tree, which must have been counted with the
 * labels of `options->setting` and kept `options->covariates`; everything else in `options`, which is not
 * NULL, is about tables. */
ASIF_API asif_status asif_logs_open(asif_tree **out, const asif_context *context, const char *path,
                                    const asif_logs_options *options, asif_problems *problems,
                                    asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_tree_free(asif_tree *tree);

/** Arrays of a tree, borrowed. Nodes are ordered by level, and within a level by parent, action and
 * observation in the order of the labels: the same logs give the same tree, in whatever order their rows
 * came. */
typedef struct {
    size_t struct_size;
    bool states_seen;
    uint32_t actions, observations; /**< labels; observations count states where states are seen */
    uint32_t starts;                /**< start classes */
    uint32_t nodes, levels; /**< the first `starts` nodes are the roots (or, where states are seen, states) */
    const uint64_t *level;  /**< [levels + 1]: first node of each level */
    const uint32_t *parent; /**< [nodes]; ASIF_ANY: a root */
    const uint32_t *action; /**< [nodes]: what led here from the parent */
    const uint32_t
        *observation;    /**< [nodes]; ASIF_ANY: nothing was seen; where states are seen: the state itself */
    const double *count; /**< [nodes][actions]: weight of each action taken there */
    const uint64_t *first_row; /**< [nodes]: row of the table that first came here; 0: not known */
    uint64_t transitions;      /**< where states are seen: (state, action, next) and their counts, sorted */
    const uint32_t *from, *did, *to;
    const double *transition_count;
    uint64_t units;       /**< 0: none were kept */
    const uint64_t *unit; /**< [units + 1]: entries of each unit in the next three arrays */
    const uint32_t *entry_node, *entry_action;
    const double *entry_count;
    uint32_t covariates;
    bool ends_known; /**< false: the tree is from a file of version 1, which did not keep ends */
    /** Ends: what was seen after the last decision of episodes, (node, action, observation) and counts,
     * sorted. There is none after an ending action of the setting that the logs were read with, none where
     * nothing was seen, and none where states are seen. */
    uint64_t ends;
    const uint32_t *end_node, *end_action, *end_observation;
    const double *end_count;
    const uint64_t *unit_end; /**< [units + 1]: ends of each unit in the next two arrays */
    const uint32_t *ending;   /**< number of an end */
    const double *ending_count;
} asif_tree_view;
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_tree_get(const asif_tree *tree, asif_tree_view *view, asif_error *error);
/** What is known of the reading of the tree. */
ASIF_API const asif_logs_info *asif_tree_info(const asif_tree *tree);
/** Label of an action or observation (state) of the tree; borrowed. */
ASIF_API const char *asif_tree_label(const asif_tree *tree, asif_label_kind kind, uint32_t i);
/** Name of a unit; borrowed. Units are in the order of their names, numbers in them by value. */
ASIF_API const char *asif_tree_unit_name(const asif_tree *tree, uint64_t unit);
/** A unit's value of a covariate; borrowed, empty where it is missing. */
ASIF_API const char *asif_tree_covariate(const asif_tree *tree, uint64_t unit, uint32_t covariate);
/** Name of a covariate; borrowed. */
ASIF_API const char *asif_tree_covariate_name(const asif_tree *tree, uint32_t covariate);

/**
 * Read parts of logs as `--where` of the command states them: "COLUMN=VALUE", or "COLUMN=A,B" for A or B (or
 * a value with that comma in it).
 *
 * @param[out] out   [count], in one piece with its texts; owned by the caller (asif_memory_free()).
 * @param context    For the memory.
 * @param text       [count]; copied.
 * @param count      May be 0.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EINVALID (not of this form) or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_wheres_read(asif_logs_where **out, const asif_context *context,
                                      const char *const *text, uint32_t count, asif_error *error);
/** The columns of these parts after two others, which may be NULL, each once: `covariates` of
 * ::asif_logs_options. @param[out] out NULL-terminated, owned by the caller (asif_memory_free()); the texts
 * are borrowed. */
ASIF_API asif_status asif_wheres_columns(const char ***out, const asif_context *context, const char *first,
                                         const char *second, const asif_logs_where *where, uint32_t wheres,
                                         asif_error *error);
/** Units of which all parts hold. @param[out] chosen [units]. @return ASIF_OK, ASIF_EUNKNOWN (the tree was
 * read without such a column), ASIF_EINVALID (none is left; the hint names values that there are) or
 * ASIF_ENOMEM. */
ASIF_API asif_status asif_tree_choose(bool *chosen, const asif_tree *tree, const asif_logs_where *where,
                                      uint32_t wheres, asif_error *error);
/** A value of a covariate, and how many units have it. */
typedef struct {
    const char *value; /**< "": it is missing */
    uint64_t units;
} asif_covariate_value;
/** The values of a covariate among some units, in their natural order. @param[out] out [*count], owned by the
 * caller (asif_memory_free()); the texts are borrowed. @param chosen [units]; NULL: all. @return ASIF_OK,
 * ASIF_EUNKNOWN or ASIF_ENOMEM. */
ASIF_API asif_status asif_tree_values(asif_covariate_value **out, uint64_t *count, const asif_tree *tree,
                                      const char *column, const bool *chosen, asif_error *error);

/** Counts of some of the units on the same nodes, [nodes][actions] of the caller's: groups and folds without
 * another pass.
 * @param chosen [units]. @return ASIF_OK, ASIF_EINVALID if the tree has no units, or ASIF_ENOMEM. */
ASIF_API asif_status asif_tree_counts(const asif_tree *tree, const bool *chosen, double *count,
                                      asif_error *error);
/** The tree of some of the units, without their names and covariates: only nodes that they reached, and only
 * their counts. Of its info, `rows` and `excluded` are 0; `subjects` and `episodes` are 0 where the units do
 * not tell. Where states are seen it has no transitions. @param chosen [units]; NULL: everything, and then
 * the info stays as it is. @return ASIF_OK, ASIF_EINVALID if there is something to choose and the tree has no
 * units, or ASIF_ENOMEM. */
ASIF_API asif_status asif_tree_select(asif_tree **out, const asif_tree *tree, const bool *chosen,
                                      asif_error *error);
/** The same with these units, and some of their covariates (NULL-terminated; NULL: none).
 * @param names With the names of the units; else they are numbered from 1. @return As asif_tree_select(),
 * also without a choice; ASIF_EUNKNOWN: there is no such covariate. */
ASIF_API asif_status asif_tree_select_units(asif_tree **out, const asif_tree *tree, const bool *chosen,
                                            const char *const *covariates, bool names, asif_error *error);
/**
 * The tree of some of the units with subjects as its units, for what has to respect that the episodes of one
 * person are alike. Subjects have no names: each goes by its number among all subjects of `tree`, so that it
 * has the same number in every part of the logs.
 *
 * Where it is not known whose the episodes are (see asif_logs_options), or each subject of `tree` has one
 * episode, this is asif_tree_select(): the tree has no units. Of its info, `subjects` is known also for a
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
/** The tree that the two tables read as one would have given. Labels, start classes and covariates must be
 * the same, and both trees keep units or neither does (ASIF_EINVALID otherwise). Units of the same name are
 * one; where their covariates differ, `a` counts. A node's row is that in the table of `a` if it is known,
 * else in that of `b`. Without units, a subject that is in both tables counts twice. Where the ends of one
 * are not known, those of neither are kept. */
ASIF_API asif_status asif_tree_merge(asif_tree **out, const asif_tree *a, const asif_tree *b,
                                     asif_error *error);
/** The bytes of the file of a tree; owned by the caller (asif_memory_free()). @return ASIF_OK or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_tree_bytes(char **out, uint64_t *length, const asif_tree *tree, asif_error *error);
/** Write a tree to a file, all or nothing, with a digest: version 2, or version 1 where its ends are not
 * known. */
ASIF_API asif_status asif_tree_save(const asif_tree *tree, const char *path, asif_error *error);
/** Read a saved tree, of version 1 or 2; a file that was cut or changed is ASIF_EPARSE. */
ASIF_API asif_status asif_tree_load(asif_tree **out, const asif_context *context, const char *path,
                                    asif_error *error);
/** The same from memory. */
ASIF_API asif_status asif_tree_load_bytes(asif_tree **out, const asif_context *context, const void *bytes,
                                          uint64_t length, asif_error *error);
/** Is this file a saved tree (by its first bytes)? No, too, where it cannot be read. */
ASIF_API bool asif_tree_recognise(const char *path);

/* ---- likelihood ---- */

/** What to compute; any pointer may be NULL. */
typedef struct {
    size_t struct_size;
    const double *count; /**< [nodes][actions] to use instead of the tree's (asif_tree_counts()) */
    double *by_node;     /**< [nodes] */
    double *by_unit;     /**< [units] */
} asif_loglik_options;
#define ASIF_LOGLIK_OPTIONS_INIT                                                                             \
    { .struct_size = sizeof(asif_loglik_options) }

/**
 * Log-likelihood of the actions in the tree under a behaviour, causally conditioned on what was seen
 * (Equation 24), summed over decisions by their weights. The same bits for any number of threads.
 *
 * @param[out] total   -inf if an action was taken that the behaviour never takes.
 * @param behavior     Of a setting with the tree's labels.
 * @param tree         See asif_logs_read().
 * @param options      NULL: the total only.
 * @param[out] error   On ASIF_EZEROPR, `row` is the row of the table that saw what no world of the agent
 * allows.
 * @return ASIF_OK, ASIF_EZEROPR, ASIF_EINVALID (other labels) or ASIF_ENOMEM.
 *
 * Cost: that of `step` and `log_policy` at every node.
 */
ASIF_API asif_status asif_loglik(double *total, const asif_behavior *behavior, const asif_tree *tree,
                                 const asif_loglik_options *options, asif_error *error);

/**
 * Logs against an agent: their log-likelihood, and what cannot be by this agent. An observation that none of
 * its worlds allows is added to the problems as an error, actions that it never takes as a warning, each with
 * its row.
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

#ifdef __cplusplus
}
#endif
#endif
