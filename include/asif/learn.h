/**
 * @file
 * Learning a world: transitions from logs in which the states are seen.
 */
#ifndef ASIF_LEARN_H
#define ASIF_LEARN_H

#include "asif/logs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A part of the transitions that is estimated by itself: that of one action, or one that several actions
 * share. */
typedef struct {
    const char *name; /**< what the study calls it; NULL: nothing */
    bool increments;  /**< of an ordered state, the same from every state; otherwise a row for every state */
    int32_t least, most; /**< increments that are possible */
    const bool *action;  /**< [actions]: whose transitions these are */
    const uint32_t
        *origin; /**< [actions]: the state that increments are added to; ASIF_ANY: the one that was left */
} asif_world_part;

/** What to do with a state that nobody left by an action. */
typedef enum {
    ASIF_UNSEEN_REFUSE,
    ASIF_UNSEEN_UNIFORM, /**< every state may follow */
    ASIF_UNSEEN_STAY     /**< the state stays */
} asif_unseen;

/** How to estimate. */
typedef struct {
    size_t struct_size;
    double prior; /**< added to the count of everything that may follow */
    asif_unseen unseen;
} asif_learn_options;
#define ASIF_LEARN_OPTIONS_INIT                                                                              \
    { .struct_size = sizeof(asif_learn_options) }

/** What may follow a state, or an increment, and how likely. */
typedef struct {
    uint32_t from; /**< state; of increments 0 */
    int32_t to;    /**< state, or increment */
    double count;  /**< weight of the transitions; without the prior */
    double probability;
    double error; /**< standard error: sqrt(p (1 - p) / n), n with the prior; NaN in a row that nobody saw */
} asif_world_cell;

/** The estimate of a part; borrowed. */
typedef struct {
    uint64_t cells;
    const asif_world_cell *cell; /**< by `from` and `to`; probabilities above 0, of increments all */
    double count;                /**< weight of the transitions that it was made of */
    double
        edge; /**< of increments: of those left out, so near the first or last state that they do not tell */
    uint32_t unseen;        /**< rows that nobody saw */
    const uint32_t *filled; /**< [unseen]: their states */
} asif_world_estimate;

/** Estimates of the parts of a world; immutable. */
typedef struct asif_learnt_world asif_learnt_world;

/**
 * Estimate parts of the transitions from the counts of a tree in which states are seen. The last decision of
 * an episode has no successor and does not count.
 *
 * Increments: the share of each among transitions from states so far from the first and last that all of them
 * can be told apart. Rows: the share of each next state among the transitions from a state.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Borrowed for the life of the world.
 * @param setting    For its labels, and its terminal states, which stay. Its transitions do not matter.
 * @param tree       With its transitions (asif_logs_read(); a tree of some units has none).
 * @param part       [parts]
 * @param parts      How many there are.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EINVALID (transitions that a part does not allow, or that nobody saw), ASIF_EDOMAIN,
 * ASIF_EUNSUPPORTED or ASIF_ENOMEM.
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
