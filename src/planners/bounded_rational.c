/* The planner bounded-rational: Theorems 4-5 of the paper, which cover every agent of its Table 4. */
#include "planners/engine_planner.h"

const asif_planner_ops asif_planner_bounded_rational = {
    .info = {"bounded-rational",
             "acts on subjective beliefs with limited flexibility, optimism and tolerance of surprise",
             ASIF_PLAN_GIVES, ASIF_SEES_STATES | ASIF_SEES_BELIEFS, true, "Bounded Rational Control"},
    .narrow = {.acts = true},
    ASIF_PLAN_OPS,
};
