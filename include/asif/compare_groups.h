/**
 * @file
 * Contrasts: groups against each other, also as if they had met the same cases.
 */
#ifndef ASIF_COMPARE_GROUPS_H
#define ASIF_COMPARE_GROUPS_H

#include "asif/fit.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One of the fits to be compared; borrowed during asif_compare_groups_run(). */
typedef struct {
    size_t struct_size;
    const char *name;          /**< of the group */
    const asif_fitted *fitted; /**< with its tree */
    bool trusted;              /**< whether its computation can be trusted */
    bool missed;               /**< predictive checks found something that its model misses */
    bool likelihood;           /**< its maximum is that of the likelihood, without the prior */
    const char *people; /**< digest of asif_tree_by_subject(): groups with the same number their subjects
                           alike; NULL: not known */
} asif_compare_groups_group;

/** How to compare. */
typedef struct {
    size_t struct_size;
    uint32_t first;     /**< group that all others are compared with, default 0 */
    uint32_t draws;     /**< of each fit whose behaviour is simulated, default 500 */
    uint64_t episodes;  /**< simulated for a draw in each start class, default 1000; at least 2 */
    uint32_t max_steps; /**< of a simulated episode; 0: 1000 where an action ends episodes, else as long as
                           those of the logs are on average */
    uint64_t seed;
    const char *title;  /**< of the study; NULL: none */
    const char *column; /**< that tells the groups apart; NULL: none */
    bool numbers_only;  /**< leave out what they do: nothing is simulated */
} asif_compare_groups_options;
#define ASIF_COMPARE_GROUPS_OPTIONS_INIT                                                                     \
    { sizeof(asif_compare_groups_options), 0, 500, 1000, 0, 0, NULL, NULL, false }

/** Contrasts between groups; immutable. */
typedef struct asif_compare_groups asif_compare_groups;

/**
 * Compare every group with one of them: what they do, simulated in the environment, each with its own case
 * mix and all with the pooled one; the same by start class; and their parameters. Every draw of one fit meets
 * every draw of the other, so that each contrast has a median, a 90 % interval and a probability. Fits
 * without draws have only the difference. A contrast is called a difference where its probability is at least
 * .99 either way after Holm's adjustment over its table.
 *
 * Where subjects have several episodes (the tree is one of asif_tree_by_subject()), a contrast is judged
 * against the spread between subjects: its standard error is clustered by subject (a one-step jackknife over
 * subjects of the maximum, delta method), or that of independent episodes if this is larger, its distribution
 * a t with Welch's degrees of freedom. A subject who is in both groups counts as a pair where `people` tells.
 * Fits without draws then have intervals, too. A group of one subject stands for this person.
 *
 * Behaviour is left out, with the reason, where actions or start classes are not the same in all settings;
 * case mixes are where the tree does not keep start classes (states that are seen).
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param group      [groups].
 * @param groups     At least 2.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (options, fewer than two groups), ASIF_EUNSET (a fit with neither draws nor a
 * maximum), ASIF_EUNSUPPORTED (values that overflow), ASIF_EZEROPR, ASIF_ENOMEM or ASIF_ECANCELLED.
 *
 * Cost: groups * draws solves (and 2 * dimension more with ten times the episodes, where subjects are known)
 * and groups * start classes * draws * episodes simulated episodes, by the threads of the first group's
 * context; the result is the same for any number of them.
 *
 * Holm (1979), A simple sequentially rejective multiple test procedure. Bell and McCaffrey (2002), Bias
 * reduction in standard errors for linear regression with multi-stage samples.
 */
ASIF_API asif_status asif_compare_groups_run(asif_compare_groups **out,
                                             const asif_compare_groups_group *group, uint32_t groups,
                                             const asif_compare_groups_options *options, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_compare_groups_free(asif_compare_groups *contrast);
/** All of it as JSON. @param[out] out Text, owned by the caller (asif_memory_free()). @return ASIF_OK or
 * ASIF_ENOMEM. */
ASIF_API asif_status asif_compare_groups_json(char **out, const asif_compare_groups *contrast,
                                              asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
