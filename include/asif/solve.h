/**
 * @file
 * How to solve, how a solve went, and what can be seen of a solution: what solvers, planners and behaviours
 * have in common.
 */
#ifndef ASIF_SOLVE_H
#define ASIF_SOLVE_H

#include "asif/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How to solve. */
typedef struct {
    size_t struct_size;
    uint32_t resolution;   /**< lattice intervals on an edge of the belief simplex, default 100 */
    double tol;            /**< residual over max(1, max |V|), default 1e-12 */
    uint64_t max_backups;  /**< default 1,000,000 */
    double time_limit_sec; /**< 0: none */
    uint64_t memory_limit; /**< bytes the successor weights may take, default 8e9; more is ASIF_ETOOBIG */
    bool newton_only;      /**< Newton-GMRES from the start instead of as a fallback; for tests */
    bool sampled; /**< learn from samples of the environment, where a planner can do both (maximum-entropy) */
    uint64_t samples;  /**< of the environment that a learner takes; 0: the planner's default */
    uint64_t seed;     /**< of these samples */
    uint32_t unrolled; /**< backups of the differentiable planner, default 50 */
    uint32_t hidden;   /**< numbers in the hidden state of the recurrent learner, default 16 */
    double
        lattice_error; /**< above 0: a fit chooses the resolution so that the lattice changes log-likelihoods
                          by no more than so many nats; what else solves takes `resolution`. Default 0 */
} asif_plan_options;
#define ASIF_PLAN_OPTIONS_INIT                                                                               \
    { sizeof(asif_plan_options), 100, 1e-12, 1000000, 0.0, 8000000000, false, false, 0, 0, 50, 16, 0.0 }

/** Why a solver stopped; only the first means that the tolerance was met. */
typedef enum {
    ASIF_STOP_CONVERGED,
    ASIF_STOP_BACKUPS,
    ASIF_STOP_TIME,
    ASIF_STOP_STALLED, /**< rounding forbids a smaller residual */
    ASIF_STOP_CANCELLED,
    ASIF_STOP_NONFINITE /**< values overflowed */
} asif_stop;

/** How a solve went. */
typedef struct {
    asif_stop stop;
    double residual; /**< max |BV - V| at the last backup; the values kept are BV */
    double scale;    /**< max(1, max |V|): the tolerance is tol times it */
    double bound;    /**< on max |V - V*|: discount / (1 - discount) times the residual */
    double seconds;
    uint64_t backups;         /**< applications of the operator */
    uint64_t linear_products; /**< products with its Jacobian (Newton) */
    uint32_t nodes;
    uint64_t
        samples; /**< of the environment, by a learner; then `residual` is 0 (it is what it has learnt) and
                    `bound` tells how far that is from the fixed point, infinite where it is not known */
} asif_plan_info;

/** What asif_look() fills; any pointer may be NULL. Arrays are the caller's. */
typedef struct {
    size_t struct_size;
    double *value;      /**< [n] */
    double *q;          /**< [n][actions] */
    double *policy;     /**< [n][actions] */
    double *log_policy; /**< [n][actions] */
    double *k;          /**< [n][actions][worlds]: value of an action in a world */
    double *worlds;     /**< [n][actions][worlds]: sigma, the weights given to the worlds */
} asif_view;
#define ASIF_VIEW_INIT                                                                                       \
    { .struct_size = sizeof(asif_view) }

/** Discounted occupancy of the nodes under the agent's own worlds, and what its information costs (Lemma 1).
 */
typedef struct {
    double value;         /**< expected value at the start, V interpolated */
    double utility;       /**< mu-average of the utility */
    double decision;      /**< I[pi; pi0], nats a step */
    double specification; /**< I[sigma; sigma0] */
    double recognition;   /**< I[rho; rho0] */
} asif_costs;

#ifdef __cplusplus
}
#endif
#endif
