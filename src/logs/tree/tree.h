/* Making a history tree, and its inside. */
#ifndef ASIF_SRC_LOGS_TREE_TREE_H
#define ASIF_SRC_LOGS_TREE_TREE_H

#include "asif/logs.h"

/* A tree while episodes are added to it: nodes in order of arrival, found by hashing (parent, action,
 * observation). */
typedef struct asif_tree_builder asif_tree_builder;

/* Labels in the order of the numbers that will be added. */
typedef struct {
    uint32_t actions, observations; /* observations: states where states are seen */
    const char *const *action_name, *const *observation_name;
} asif_tree_labels;

/* Decisions of units: names and covariates, [units] and [units][covariates]; NULL without units. */
typedef struct {
    uint64_t units;
    const char *const *name;
    uint32_t covariates;
    const char *const *covariate_name, *const *covariate;
} asif_tree_units;

asif_status asif_tree_begin(asif_tree_builder **out, const asif_context *context, uint32_t starts,
                            bool states_seen, asif_error *error);
void asif_tree_abandon(asif_tree_builder *builder);
/* The next decisions are those of an episode of this start class and unit (ASIF_NO_UNIT: of none). */
#define ASIF_NO_UNIT UINT64_MAX
asif_status asif_tree_episode(asif_tree_builder *builder, uint32_t start, uint64_t unit, asif_error *error);
/* Count an action at the node where the episode is. */
asif_status asif_tree_act(asif_tree_builder *builder, uint32_t action, double weight, uint64_t row,
                          asif_error *error);
/* Move on: the action was followed by the observation (ASIF_ANY: nothing was seen). An observation before the
 * first action moves without an act. */
asif_status asif_tree_move(asif_tree_builder *builder, uint32_t action, uint32_t observation, uint64_t row,
                           asif_error *error);
/* Where states are seen, instead of the two above: an action in a state, and the state that followed
 * (ASIF_ANY: none). */
asif_status asif_tree_state(asif_tree_builder *builder, uint32_t state, uint32_t action, uint32_t next,
                            double weight, uint64_t row, asif_error *error);
/* Finish the tree, with nodes and all arrays in their final order. `action_order` and `observation_order`
 * give the final number of each number that was added (NULL: unchanged). Ends the builder, also on failure.
 */
asif_status asif_tree_finish(asif_tree **out, asif_tree_builder *builder, const asif_tree_labels *labels,
                             const uint32_t *action_order, const uint32_t *observation_order,
                             const asif_tree_units *units, const asif_logs_info *info, asif_error *error);

/* Whether the labels of a kind are those of a setting. */
bool asif_tree_has_labels(const asif_tree *tree, const asif_setting *setting, asif_label_kind kind);
/* The view of a tree, without a copy. */
const asif_tree_view *asif_tree_inside(const asif_tree *tree);
const asif_context *asif_tree_context(const asif_tree *tree);

/* Where the ends of a tree are not known, add a note that says so to the problems. @param file Its name. */
void asif_tree_note(const asif_tree *tree, const char *file, asif_problems *problems);

#endif
