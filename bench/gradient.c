/* The log-likelihood with its derivatives beside the log-likelihood alone, in one run: simulated DIAG logs of
 * three agents, theta moving a little from one evaluation to the next as in a chain, solve included, on one
 * thread.
 *
 * With --check it fails where the ratio is more than twice what it should be: machines that run tests are
 * noisy.
 *
 * Then the derivatives in the dynamics too, beside those of the agent alone, in processor time: a problem of
 * the shape of ADNI, whose dynamics move a little from one evaluation to the next, so that successors are
 * made again each time.
 *
 *     gradient [--quick] [--check]
 */
#include "asif.h"

#include "base/os.h"
#include "base/sort.h"
#include "logs/likelihood.h"
#include "planners/planner.h"
#include "problems.h"
#include "simulated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool failed;

static void die(const asif_error *error) {
    fprintf(stderr, "gradient: %s\n", error->message);
    exit(3);
}

/* The median of an evaluation, not the mean: one pause of the machine would be all that a mean of 300 shows.
 */
static double median(double *took, int rounds) {
    asif_sort(took, (uint64_t)rounds);
    return took[rounds / 2];
}

static void measure(const char *name, asif_context *context, const double *agent, uint64_t episodes,
                    int rounds) {
    asif_error error = ASIF_ERROR_INIT;
    asif_setting *setting = make_diag(context, &error);
    asif_theta *theta = NULL;
    asif_work *work = NULL;
    asif_tree *tree = NULL;
    asif_theta_gradient gradient;
    if (!setting || asif_theta_create(&theta, context, setting, &error) != ASIF_OK ||
        asif_theta_gradient_create(&gradient, context, setting, &error) != ASIF_OK)
        die(&error);
    asif_theta_set(theta, "alpha", agent[0], NULL);
    asif_theta_set(theta, "optimism", agent[1], NULL);
    asif_theta_set(theta, "eta", agent[2], NULL);
    if (asif_work_create(&work, context, NULL, setting, NULL, &error) != ASIF_OK ||
        asif_solve(work, theta, NULL, &error) != ASIF_OK ||
        simulated_tree(&tree, context, work, episodes, NULL, &error) != ASIF_OK)
        die(&error);
    asif_tree_view view = {.struct_size = sizeof view};
    asif_tree_get(tree, &view, NULL);
    double *took = malloc(3 * (size_t)rounds * sizeof *took), total = 0;
    if (!took)
        exit(3);
    double *planning = took + 2 * rounds;
    uint64_t seed = 3;
    for (int r = 0; r < rounds; r++) {
        for (int both = 0; both < 2; both++) {
            asif_theta_set(theta, "alpha", agent[0] * exp(.1 * (make_uniform(&seed) - .5)), NULL);
            asif_theta_set(theta, "optimism", agent[1] + .2 * (make_uniform(&seed) - .5), NULL);
            asif_theta_set(theta, "eta", agent[2] + make_uniform(&seed), NULL);
            double s = asif_os_seconds();
            if (asif_solve(work, theta, NULL, &error) != ASIF_OK)
                die(&error);
            planning[r] = asif_os_seconds() - s;
            if ((both ? asif_loglik_gradient(&total, &gradient, asif_work_behavior(work), tree, NULL, &error)
                      : asif_loglik(&total, asif_work_behavior(work), tree, NULL, &error)) != ASIF_OK)
                die(&error);
            took[both * rounds + r] = asif_os_seconds() - s;
        }
    }
    double alone = median(took, rounds), with = median(took + rounds, rounds);
    printf("%s: %u nodes: solve %.4g us, log-likelihood %.4g us, with derivatives %.4g us: %.3g times (at "
           "most 3)\n",
           name, view.nodes, 1e6 * median(planning, rounds), 1e6 * alone, 1e6 * with, with / alone);
    free(took);
    failed = failed || !(with / alone <= 6);
    asif_tree_free(tree);
    asif_work_free(work);
    asif_theta_gradient_free(context, &gradient);
    asif_theta_free(theta);
    asif_setting_free(setting);
}

/* One evaluation at dynamics that have moved a little: a setting and a workspace of their own, solved from
 * the values of the last. */
static void move(asif_context *context, const asif_setting *setting, asif_theta *theta,
                 const asif_plan_options *options, const asif_tree *tree, double *values, uint64_t *seed) {
    asif_error error = ASIF_ERROR_INIT;
    asif_setting_spec spec = *asif_setting_get(setting);
    asif_matrix matrix[8];
    double room[8][64], total;
    for (uint32_t i = 0; i < spec.matrices; i++) {
        matrix[i] = spec.matrix[i];
        for (uint32_t r = 0; r < matrix[i].rows; r++) {
            double sum = 0;
            for (uint64_t e = matrix[i].offset[r]; e < matrix[i].offset[r + 1]; e++)
                sum += room[i][e] = matrix[i].value[e] * exp(.02 * (make_uniform(seed) - .5));
            for (uint64_t e = matrix[i].offset[r]; e < matrix[i].offset[r + 1]; e++)
                room[i][e] /= sum;
        }
        matrix[i].value = room[i];
    }
    spec.matrix = matrix;
    spec.terminal = NULL;
    asif_setting *moved = NULL;
    asif_work *work = NULL;
    asif_theta *there = NULL;
    asif_theta_gradient gradient;
    if (asif_setting_create(&moved, context, &spec, &error) != ASIF_OK ||
        asif_theta_copy(&there, theta, &error) != ASIF_OK ||
        asif_theta_gradient_create(&gradient, context, moved, &error) != ASIF_OK ||
        asif_theta_gradient_add_matrices(&gradient, context, moved, &error) != ASIF_OK ||
        asif_work_create(&work, context, NULL, moved, options, &error) != ASIF_OK)
        die(&error);
    there->setting = moved;
    asif_work_set_values(work, values);
    if (asif_solve(work, there, NULL, &error) != ASIF_OK ||
        asif_loglik_gradient(&total, &gradient, asif_work_behavior(work), tree, NULL, &error) != ASIF_OK)
        die(&error);
    memcpy(values, asif_work_values(work), asif_work_nodes(work) * sizeof *values);
    asif_work_free(work);
    asif_theta_gradient_free(context, &gradient);
    asif_theta_free(there);
    asif_setting_free(moved);
}

static void measure_dynamics(asif_context *context, int rounds) {
    asif_error error = ASIF_ERROR_INIT;
    asif_setting *setting = make_adni_shape(context, &error);
    asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
    asif_theta *theta = NULL;
    asif_work *work = NULL;
    asif_tree *tree = NULL;
    asif_theta_gradient gradient;
    options.resolution = 40;
    if (!setting || asif_theta_create(&theta, context, setting, &error) != ASIF_OK ||
        asif_theta_gradient_create(&gradient, context, setting, &error) != ASIF_OK)
        die(&error);
    asif_theta_set(theta, "alpha", .12, NULL);
    asif_theta_set(theta, "optimism", 1, NULL);
    asif_theta_set(theta, "eta", 1.1, NULL);
    if (asif_work_create(&work, context, NULL, setting, &options, &error) != ASIF_OK ||
        asif_solve(work, theta, NULL, &error) != ASIF_OK ||
        simulated_tree_of(&tree, context, work, 1700, 4, NULL, &error) != ASIF_OK)
        die(&error);
    asif_tree_view view = {.struct_size = sizeof view};
    asif_tree_get(tree, &view, NULL);
    uint32_t nodes = asif_work_nodes(work);
    double *took = malloc(2 * (size_t)rounds * sizeof *took), *values = malloc(nodes * sizeof *values), total;
    if (!took || !values)
        exit(3);
    memcpy(values, asif_work_values(work), nodes * sizeof *values);
    uint64_t seed = 3;
    for (int r = 0; r < rounds; r++)
        for (int dynamics = 0; dynamics < 2; dynamics++) {
            asif_theta_set(theta, "alpha", .12 * exp(.1 * (make_uniform(&seed) - .5)), NULL);
            asif_theta_set(theta, "optimism", 1 + .2 * (make_uniform(&seed) - .5), NULL);
            asif_theta_set(theta, "eta", 1.1 + .03 * (make_uniform(&seed) - .5), NULL);
            clock_t begun = clock();
            if (dynamics)
                move(context, setting, theta, &options, tree, values, &seed);
            else if (asif_solve(work, theta, NULL, &error) != ASIF_OK ||
                     asif_loglik_gradient(&total, &gradient, asif_work_behavior(work), tree, NULL, &error) !=
                         ASIF_OK)
                die(&error);
            took[dynamics * rounds + r] = (double)(clock() - begun) / CLOCKS_PER_SEC;
        }
    double alone = median(took, rounds), with = median(took + rounds, rounds);
    printf("dynamics: %u nodes of %u beliefs: derivatives of the agent %.4g us, of the dynamics too %.4g us: "
           "%.3g times (at most 4)\n",
           view.nodes, nodes, 1e6 * alone, 1e6 * with, with / alone);
    failed = failed || !(with / alone <= 8);
    free(took);
    free(values);
    asif_tree_free(tree);
    asif_work_free(work);
    asif_theta_gradient_free(context, &gradient);
    asif_theta_free(theta);
    asif_setting_free(setting);
}

int main(int argc, char **argv) {
    bool check = false, quick = false;
    for (int i = 1; i < argc; i++) {
        check = check || strcmp(argv[i], "--check") == 0;
        quick = quick || strcmp(argv[i], "--quick") == 0;
    }
    asif_error error = ASIF_ERROR_INIT;
    asif_context *context;
    if (asif_context_create(&context, NULL, &error) != ASIF_OK)
        die(&error);
    static const double agents[][3] = {{.5, .8, .001}, {.5, .001, .001}, {.5, .001, 75}};
    static const char *const names[] = {"optimistic", "neutral", "non-adaptive"};
    for (int k = 0; k < 3; k++)
        measure(names[k], context, agents[k], 1000, quick ? 300 : 3000);
    for (int k = 0; k < 3 && !quick; k++)
        measure(names[k], context, agents[k], 1000000, 100);
    measure_dynamics(context, quick ? 30 : 300);
    asif_context_free(context);
    return check && failed ? 1 : 0;
}
