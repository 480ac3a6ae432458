/* The least there is to do with libasif: read a study, solve it, and ask what the agent does at a belief.
 *
 *     cc plan.c $(pkg-config --cflags --libs asif) -o plan && ./plan ../diag/study.yaml
 */
#include <asif.h>

#include <stdio.h>

int main(int argc, char **argv) {
    asif_error error = ASIF_ERROR_INIT;
    asif_context *context = NULL;
    asif_study *study = NULL;
    asif_theta *theta = NULL;
    asif_work *work = NULL;
    asif_plan_info info;
    double policy[3], belief[] = {0.16, 0.84};
    asif_view view = ASIF_VIEW_INIT;
    view.policy = policy;

    if (argc != 2) {
        fprintf(stderr, "usage: plan STUDY\n");
        return 2;
    }
    asif_status status = asif_context_create(&context, NULL, &error);
    if (status == ASIF_OK)
        status = asif_study_load(&study, context, argv[1], NULL, &error);
    if (status == ASIF_OK)
        status = asif_theta_copy(&theta, asif_study_theta(study), &error);
    if (status == ASIF_OK)
        status = asif_theta_set(theta, "alpha", 0.5, &error);
    if (status == ASIF_OK)
        status = asif_theta_set(theta, "optimism", 0.8, &error);
    if (status == ASIF_OK)
        status = asif_theta_set(theta, "eta", 0, &error);
    if (status == ASIF_OK)
        status = asif_work_create(&work, context, asif_study_planner(study), asif_study_setting(study),
                                  asif_study_solver(study), &error);
    if (status == ASIF_OK)
        status = asif_solve(work, theta, &info, &error);
    if (status == ASIF_OK)
        status = asif_look(asif_work_behavior(work), 1, belief, &view, &error);
    if (status == ASIF_OK)
        printf("%s, residual below 1e-9: %s. At P(diseased) = 0.84 it declares with probability %.3f.\n",
               asif_stop_text(info.stop), info.residual < 1e-9 ? "yes" : "no", policy[1]);
    else
        fprintf(stderr, "%s:%u:%u: %s (%s)\n", error.file, error.line, error.column, error.message,
                error.hint);

    asif_work_free(work);
    asif_theta_free(theta);
    asif_study_free(study);
    asif_context_free(context);
    return status == ASIF_OK ? 0 : 1;
}
