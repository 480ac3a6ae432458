/* Builds history trees, and gives other files of the library access to them. */
#ifndef ASIF_SRC_LOGS_TREE_TREE_H
#define ASIF_SRC_LOGS_TREE_TREE_H

#include "asif/logs.h"

/* A tree while episodes are added to it: nodes in order of arrival, found by hashing (parent, action,
 * observation). */
typedef struct asif_tree_builder asif_tree_builder;

/* Labels of a tree, in the order of the numbers that are added. */
typedef struct {
    uint32_t actions, observations; /* `observations` are the states where states are seen */
    const char *const *action_name, *const *observation_name;
} asif_tree_labels;

/* The units of a tree: name [units], covariate_name [covariates], covariate [units][covariates]. */
typedef struct {
    uint64_t units;
    const char *const *name;
    uint32_t covariates;
    const char *const *covariate_name, *const *covariate;
} asif_tree_units;

/* Begin a tree; it has a root for each of the `starts` start classes, unless states are seen. End the builder
 * with asif_tree_finish(), or discard it with asif_tree_abandon(). ASIF_EDOMAIN (no start class),
 * ASIF_ENOMEM. */
asif_status asif_tree_begin(asif_tree_builder **out, const asif_context *context, uint32_t starts,
                            bool states_seen, asif_error *error);
void asif_tree_abandon(asif_tree_builder *builder);
/* Begin an episode with this start class and unit (ASIF_NO_UNIT: none), to which the decisions that follow
 * belong. This function and those that follow can fail with ASIF_EDOMAIN (a number out of range, or calls in
 * a wrong order), ASIF_ETOOBIG (too many nodes) and ASIF_ENOMEM. */
#define ASIF_NO_UNIT UINT64_MAX
asif_status asif_tree_episode(asif_tree_builder *builder, uint32_t start, uint64_t unit, asif_error *error);
/* Begin `copies` equal episodes at once. */
asif_status asif_tree_episodes(asif_tree_builder *builder, uint32_t start, uint64_t unit, uint64_t copies,
                               asif_error *error);
/* Count an action at the node that the episode has reached. */
asif_status asif_tree_act(asif_tree_builder *builder, uint32_t action, double weight, uint64_t row,
                          asif_error *error);
/* Move on after an action was followed by an observation (ASIF_ANY: nothing was seen). An observation before
 * the first action is added without asif_tree_act(). */
asif_status asif_tree_move(asif_tree_builder *builder, uint32_t action, uint32_t observation, uint64_t row,
                           asif_error *error);
/* Label the state after the last asif_tree_move(), with a number below that of the labels; ASIF_ANY: none.
 * The labels of a builder are kept if asif_tree_labelled() is called before it is finished. */
void asif_tree_label_state(asif_tree_builder *builder, uint32_t label);
void asif_tree_labelled(asif_tree_builder *builder, uint32_t states);
/* A completion of an episode: what was seen at each step, [decisions], and its log-probability. */
typedef struct {
    uint64_t count;
    const uint32_t *observation; /* [count][decisions] */
    const double *log;           /* [count] */
} asif_tree_completions;
/* Go on with an episode whose next observation is lost, and end it: [decisions] further decisions, each after
 * the observation that followed `before` of it. */
asif_status asif_tree_lose(asif_tree_builder *builder, uint64_t decisions, const uint32_t *before,
                           const uint32_t *action, const uint64_t *row, double weight,
                           const asif_tree_completions *completions, asif_error *error);
/* Where states are seen, instead of the two functions above: count an action in a state, and the state that
 * followed (ASIF_ANY: none). */
asif_status asif_tree_state(asif_tree_builder *builder, uint32_t state, uint32_t action, uint32_t next,
                            double weight, uint64_t row, asif_error *error);
/* Make the tree, with nodes and all arrays in their final order. `action_order` and `observation_order`
 * contain the final number of each number that was added (NULL: unchanged). `*out` is freed by
 * asif_tree_free(). Frees the builder, also on failure. */
asif_status asif_tree_finish(asif_tree **out, asif_tree_builder *builder, const asif_tree_labels *labels,
                             const uint32_t *action_order, const uint32_t *observation_order,
                             const asif_tree_units *units, const asif_logs_info *info, asif_error *error);

/* Whether the labels of a kind are those of the setting. */
bool asif_tree_has_labels(const asif_tree *tree, const asif_setting *setting, asif_label_kind kind);
/* Keep a tree until asif_tree_free() is called once more. */
void asif_tree_keep(const asif_tree *tree);
/* The view of a tree, borrowed. */
const asif_tree_view *asif_tree_inside(const asif_tree *tree);
const asif_context *asif_tree_context(const asif_tree *tree);

/* Fail with ASIF_EUNSUPPORTED if results of the logs are lost. @param what Says what cannot be done with
 * these logs, as a beginning of a sentence. */
asif_status asif_tree_need_recorded(const asif_tree *tree, const char *what, asif_error *error);

/* Count the decisions before each node, `step` [nodes]: 0 where episodes make their first decision. This is
 * the level of the node, or less if observations come before first actions. If only some episodes begin with
 * an observation, its node can be the same as after a first decision, and then the decisions there count as
 * second. Not where states are seen. */
void asif_tree_steps(uint32_t *step, const asif_tree *tree);
/* Find the number of decisions of the longest episode. Not where states are seen. ASIF_ENOMEM. */
asif_status asif_tree_longest(uint64_t *longest, const asif_tree *tree, asif_error *error);
/* Whether rows stand for several decisions, so that the number of episodes and their lengths are not known:
 * where states are seen, a table may hold counts. */
bool asif_tree_holds_counts(const asif_tree *tree);
/* Sum up the weights of first decisions by start class, `began` [starts]. Not where states are seen.
 * ASIF_ENOMEM. */
asif_status asif_tree_began(double *began, const asif_tree *tree, asif_error *error);

/* Add a note to the problems if the ends of a tree are not known. @param file The name of its file. */
void asif_tree_note(const asif_tree *tree, const char *file, asif_problems *problems);

#endif
