/**
 * @file
 * Options of a solve, its diagnostics, and views of a solution: types that solvers, planners and behaviours
 * share.
 */
#ifndef ASIF_SOLVE_H
#define ASIF_SOLVE_H

#include "asif/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The beliefs at which values are computed, if the agent does not see the state. */
typedef enum {
    ASIF_BELIEFS_LATTICE, /**< a lattice of beliefs, between which values are interpolated */
    /** Those that can be reached from the start, if all worlds have the same dynamics and there are at most
     * 200,000; else the lattice. Agents at other beliefs are viewed on the lattice. */
    ASIF_BELIEFS_REACHABLE,
    /** A lattice of beliefs over two hidden states that is finer near certainty. */
    ASIF_BELIEFS_GRADED
} asif_beliefs;

/** Options of a solve. */
typedef struct {
    size_t struct_size;
    uint32_t resolution;   /**< lattice intervals along an edge of the belief simplex, default 100 */
    double tol;            /**< tolerance on residual / max(1, max |V|), default 1e-12 */
    uint64_t max_backups;  /**< default 1,000,000 */
    double time_limit_sec; /**< 0: none */
    /** Limit in bytes for the successor weights, default 8e9; beyond it: ASIF_ETOOBIG. */
    uint64_t memory_limit;
    bool newton_only; /**< Newton-GMRES from the start instead of as a fallback; for tests */
    bool sampled; /**< learn from samples instead of solving, if the planner can do both (maximum-entropy) */
    uint64_t samples;  /**< samples of the environment for a learner; 0: the planner's default */
    uint64_t seed;     /**< seed of these samples */
    uint32_t unrolled; /**< backups of the differentiable planner, default 50 */
    uint32_t hidden;   /**< numbers in the hidden state of the recurrent learner, default 16 */
    /** Above 0: a fit chooses the resolution so that the error of the lattice in log-likelihoods is at
     * most this, in nats; everything else uses `resolution`. Default 0. */
    double lattice_error;
    asif_beliefs beliefs; /**< default ASIF_BELIEFS_LATTICE */
} asif_plan_options;
#define ASIF_PLAN_OPTIONS_INIT                                                                               \
    {                                                                                                        \
        sizeof(asif_plan_options), 100, 1e-12, 1000000, 0.0, 8000000000, false, false, 0, 0, 50, 16, 0.0,    \
            ASIF_BELIEFS_LATTICE                                                                             \
    }

/** Why a solver stopped; only ASIF_STOP_CONVERGED means that the tolerance was met. */
typedef enum {
    ASIF_STOP_CONVERGED,
    ASIF_STOP_BACKUPS,
    ASIF_STOP_TIME,
    ASIF_STOP_STALLED, /**< rounding errors prevent a smaller residual */
    ASIF_STOP_CANCELLED,
    ASIF_STOP_NONFINITE /**< values overflowed */
} asif_stop;

/** Diagnostics of a solve. */
typedef struct {
    asif_stop stop;
    double residual; /**< max |BV - V| at the last backup; the values kept are BV */
    double scale;    /**< max(1, max |V|): the residual is compared with tol times this */
    double bound;    /**< on max |V - V*|: discount / (1 - discount) times the residual */
    double seconds;
    uint64_t backups;         /**< applications of the operator */
    uint64_t linear_products; /**< products with its Jacobian (Newton) */
    uint32_t nodes;
    /** Samples that a learner took. Its `residual` is 0, because its solution is by definition what it
     * learnt; `bound` is the distance of that from the fixed point, infinite if not known. */
    uint64_t samples;
} asif_plan_info;

/** Outputs of asif_look(); any pointer may be NULL. The arrays belong to the caller. Policies have the
 * agent's lapses in them; values are those that it planned with, which foresee none. */
typedef struct {
    size_t struct_size;
    double *value;      /**< [n] */
    double *q;          /**< [n][actions] */
    double *policy;     /**< [n][actions] */
    double *log_policy; /**< [n][actions] */
    double *k;          /**< [n][actions][worlds]: value of an action in a world */
    double *worlds;     /**< [n][actions][worlds]: sigma, the agent's weights of the worlds */
} asif_view;
#define ASIF_VIEW_INIT                                                                                       \
    { .struct_size = sizeof(asif_view) }

/** Averages over the discounted occupancy of the nodes under the agent's own worlds: utility and information
 * costs (Lemma 1). */
typedef struct {
    double value;         /**< expected value at the start, interpolated from V */
    double utility;       /**< mu-average of the utility */
    double decision;      /**< I[pi; pi0], nats per step */
    double specification; /**< I[sigma; sigma0] */
    double recognition;   /**< I[rho; rho0] */
} asif_costs;

#ifdef __cplusplus
}
#endif
#endif
