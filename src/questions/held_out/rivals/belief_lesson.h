/* The dynamics that a rival with beliefs learns from a lesson, and the beliefs after all histories. */
#ifndef ASIF_SRC_QUESTIONS_HELD_OUT_RIVALS_BELIEF_LESSON_H
#define ASIF_SRC_QUESTIONS_HELD_OUT_RIVALS_BELIEF_LESSON_H

#include "dynamics/dynamics.h"
#include "questions/held_out/rivals/rival.h"

#define ASIF_LESSON_PRIOR 1.0 /* every row that is learnt has the prior Dirichlet(2) */

typedef struct {
    const asif_lesson *lesson;
    asif_dynamics *part, *whole; /* of the training part, and of all logs; their cells are the same */
    asif_dynamics_work learning, following; /* passes over both */
    double *point;                          /* [cells]: most probable dynamics of the training part */
} asif_belief_lesson;

/* Learn the dynamics, if they are not known, and filter the beliefs at them. Fails with what
 * asif_dynamics_create() and asif_dynamics_learn() return; free also then. */
asif_status asif_belief_lesson_create(asif_belief_lesson *out, const asif_lesson *lesson, asif_error *error);
void asif_belief_lesson_free(asif_belief_lesson *lesson);

/* The belief [states] after the history of a node of the lesson's tree, at the point of the last pass of
 * `following`. */
static inline double *asif_belief_at(const asif_belief_lesson *l, uint64_t node) {
    return l->following.belief + (uint64_t)l->whole->data.of_node[node] * l->whole->spec.states;
}

#endif
