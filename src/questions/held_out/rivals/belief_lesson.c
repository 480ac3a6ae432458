#include "questions/held_out/rivals/belief_lesson.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static asif_status make_dynamics(asif_dynamics **out, const asif_lesson *lesson, const asif_tree *tree,
                                 asif_error *error) {
    return lesson->dynamics ? asif_dynamics_create(out, lesson->context, lesson->dynamics, tree, error)
                            : asif_dynamics_known(out, lesson->context, lesson->setting, tree, error);
}

static asif_status make(asif_belief_lesson *l, asif_error *error) {
    ASIF_TRY(make_dynamics(&l->part, l->lesson, l->lesson->part, error));
    ASIF_TRY(make_dynamics(&l->whole, l->lesson, l->lesson->tree, error));
    ASIF_TRY(asif_dynamics_work_create(&l->learning, l->part, error));
    ASIF_TRY(asif_dynamics_work_create(&l->following, l->whole, error));
    l->point = ASIF_ARRAY(l->lesson->context, l->part->cells, double);
    return l->point ? ASIF_OK : asif_fail_memory(error);
}

static asif_status learn(asif_belief_lesson *l, asif_error *error) {
    asif_dynamics_fit *fit = NULL;
    asif_dynamics_options options = ASIF_DYNAMICS_OPTIONS_INIT;
    asif_dynamics_estimate estimate = {.struct_size = sizeof estimate};
    options.seed = l->lesson->seed;
    options.prior = ASIF_LESSON_PRIOR;
    if (l->part->free == 0) {
        asif_dynamics_normalise(l->part, l->point);
        return ASIF_OK;
    }
    ASIF_TRY(asif_dynamics_learn(&fit, l->part, &options, error));
    asif_status status = asif_dynamics_fit_get(fit, &estimate, error);
    if (status == ASIF_OK)
        memcpy(l->point, estimate.point, l->part->cells * sizeof *l->point);
    asif_dynamics_fit_free(fit);
    return status;
}

asif_status asif_belief_lesson_create(asif_belief_lesson *out, const asif_lesson *lesson, asif_error *error) {
    *out = (asif_belief_lesson){.lesson = lesson};
    ASIF_TRY(make(out, error));
    ASIF_TRY(learn(out, error));
    asif_dynamics_down(&out->following, out->point);
    return ASIF_OK;
}

void asif_belief_lesson_free(asif_belief_lesson *l) {
    asif_dynamics_work_free(&l->learning);
    asif_dynamics_work_free(&l->following);
    asif_dynamics_free(l->part);
    asif_dynamics_free(l->whole);
    asif_free(l->lesson->context, l->point);
}
