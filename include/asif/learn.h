/**
 * @file
 * Learning a world: estimates of transition probabilities from logs in which the states are seen.
 */
#ifndef ASIF_LEARN_H
#define ASIF_LEARN_H

#include "asif/logs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A part of the transitions that is estimated separately: those of one action, or those that several actions
 * share. */
typedef struct {
    const char *name; /**< its name in the study; NULL: it has none */
    /** Increments of an ordered state, with one distribution for all states; else each state has its own row.
     */
    bool increments;
    int32_t least, most; /**< increments that are possible */
    const bool *action;  /**< [actions]: whose transitions these are */
    const uint32_t
        *origin; /**< [actions]: the state that increments are added to; ASIF_ANY: the current state */
} asif_world_part;

/** What to do with a state in which an action was never taken. */
typedef enum {
    ASIF_UNSEEN_REFUSE,
    ASIF_UNSEEN_UNIFORM, /**< every state may follow */
    ASIF_UNSEEN_STAY     /**< the state stays */
} asif_unseen;

/** How to estimate the transitions. */
typedef struct {
    size_t struct_size;
    double prior; /**< pseudo-count, added to the count of every possible outcome */
    asif_unseen unseen;
} asif_learn_options;
#define ASIF_LEARN_OPTIONS_INIT                                                                              \
    { .struct_size = sizeof(asif_learn_options) }

/** One estimated probability: of a next state, or of an increment. */
typedef struct {
    uint32_t from; /**< current state; 0 for increments */
    int32_t to;    /**< next state, or increment */
    double count;  /**< weight of the transitions in the logs, without the prior */
    double probability;
    /** Standard error sqrt(p (1 - p) / n), where n includes the prior; NaN in a row without data. */
    double error;
} asif_world_cell;

/** The estimate of a part; borrowed. */
typedef struct {
    uint64_t cells;
    /** [cells], sorted by `from` and `to`; of rows, only those with a probability above 0. */
    const asif_world_cell *cell;
    double count; /**< weight of the transitions that the estimate uses */
    /** Weight of the transitions left out: so near the first or last state that increments cannot be
     * distinguished. */
    double edge;
    uint32_t unseen;        /**< rows without data */
    const uint32_t *filled; /**< [unseen]: their states */
} asif_world_estimate;

/** Estimates of the parts of a world; immutable. */
typedef struct asif_learnt_world asif_learnt_world;

/**
 * Estimate parts of the transitions from the counts of a tree in which states are seen. The last decision of
 * an episode has no successor and does not count.
 *
 * An increment's probability is its share of the transitions from states so far from the first and the last
 * that all increments can be distinguished. In a row, a next state's probability is its share of the
 * transitions from the row's state.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Kept for the life of the world.
 * @param setting    Its labels and terminal states are used (a terminal state never changes); its transitions
 * are not.
 * @param tree       Must have transitions: one from asif_logs_read() has, one of selected units has not.
 * @param part       [parts]: what to estimate.
 * @param parts      Number of parts.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EINVALID (transitions that a part does not allow, or a row without data),
 * ASIF_EDOMAIN, ASIF_EUNSUPPORTED or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_learn_world(asif_learnt_world **out, const asif_context *context,
                                      const asif_setting *setting, const asif_tree *tree,
                                      const asif_world_part *part, uint32_t parts,
                                      const asif_learn_options *options, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_learnt_world_free(asif_learnt_world *world);
/** The i-th estimate, in the order of the parts; NULL past the last. */
ASIF_API const asif_world_estimate *asif_learnt_world_get(const asif_learnt_world *world, uint32_t i);

#ifdef __cplusplus
}
#endif
#endif
