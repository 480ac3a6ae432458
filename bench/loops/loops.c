/* The loops of bench/loops.py in C, over the library that the Python package has; public headers only.
 *
 *     loops STUDY LOGS POINTS LOOKS THREADS
 *
 * POINTS is a file of little-endian doubles: their number n, the number k of parameters, the parameters
 * [n][k] and their coordinates [n][k]. Prints microseconds of processor time for a look, for a solve with a
 * log-likelihood, one by one, and for a log-likelihood of many at once, and the sums of what was computed. */
#include <asif.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static asif_error error = ASIF_ERROR_INIT;

static void must(asif_status status) {
    if (status == ASIF_OK)
        return;
    fprintf(stderr, "loops: %s\n", error.message);
    exit(3);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double *doubles(const char *path, size_t *n, size_t *k) {
    double head[2], *all;
    FILE *file = fopen(path, "rb");
    if (!file || fread(head, sizeof *head, 2, file) != 2)
        exit(3);
    *n = (size_t)head[0];
    *k = (size_t)head[1];
    all = malloc(2 * *n * *k * sizeof *all);
    if (!all || fread(all, sizeof *all, 2 * *n * *k, file) != 2 * *n * *k)
        exit(3);
    fclose(file);
    return all;
}

int main(int argc, char **argv) {
    static const char *const name[] = {"alpha", "optimism", "eta"};
    asif_context_options how = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *context;
    asif_study *study;
    asif_theta *theta;
    asif_work *work;
    asif_log_map *map;
    asif_tree *tree;
    asif_estimates *estimates;
    asif_target *target;
    asif_estimate_spec spec[8];
    size_t n, k;
    if (argc != 6)
        return 2;
    double *point = doubles(argv[3], &n, &k), *x = point + n * k;
    long looks = atol(argv[4]);
    how.threads = (uint32_t)atoi(argv[5]);
    must(asif_context_create(&context, &how, &error));
    must(asif_study_load(&study, context, argv[1], NULL, &error));
    must(asif_study_map(&map, context, study, NULL, 0, &error));
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    options.map = map;
    options.setting = asif_study_setting(study);
    must(asif_logs_open(&tree, context, argv[2], &options, NULL, &error));
    must(asif_theta_copy(&theta, asif_study_theta(study), &error));
    must(asif_work_create(&work, context, asif_study_planner(study), asif_study_setting(study),
                          asif_study_solver(study), &error));
    for (size_t j = 0; j < k; j++)
        must(asif_theta_set(theta, name[j], point[j], &error));
    must(asif_solve(work, theta, NULL, &error));

    double policy[64], look = 0, one = 0, many = 0, *value = malloc(n * sizeof *value);
    asif_view view = {.struct_size = sizeof view, .policy = policy};
    const asif_behavior *behavior = asif_work_behavior(work);
    if (!value)
        return 3;
    double begun = seconds();
    for (long i = 0; i < looks; i++) {
        double p = (double)i / (double)looks, belief[] = {p, 1 - p};
        must(asif_look(behavior, 1, belief, &view, &error));
        look += policy[0];
    }
    double look_sec = seconds() - begun;

    begun = seconds();
    for (size_t i = 0; i < n; i++) {
        double total;
        for (size_t j = 0; j < k; j++)
            must(asif_theta_set(theta, name[j], point[i * k + j], &error));
        must(asif_solve(work, theta, NULL, &error));
        must(asif_loglik(&total, asif_work_behavior(work), tree, NULL, &error));
        one += total;
    }
    double one_sec = seconds() - begun;

    uint32_t specs = asif_study_left(spec, asif_study_estimates(study, spec, 8), NULL, 0);
    must(asif_estimates_create(&estimates, context, asif_study_theta(study), spec, specs, ASIF_PRIORS_STATED,
                               NULL, &error));
    asif_target_options objective = ASIF_TARGET_OPTIONS_INIT;
    objective.objective_only = true;
    must(asif_target_create(&target, work, estimates, tree, &objective, &error));
    const asif_density *density = asif_target_density(target);
    begun = seconds();
    must(density->evaluate_many(density->user, x, n, value, &error));
    double many_sec = seconds() - begun;
    for (size_t i = 0; i < n; i++)
        many += value[i];
    printf("%.17g %.17g %.17g %.17g %.17g %.17g\n", 1e6 * look_sec / (double)looks, 1e6 * one_sec / (double)n,
           1e6 * many_sec / (double)n, look, one, many);
    asif_target_free(target);
    asif_estimates_free(estimates);
    asif_work_free(work);
    asif_theta_free(theta);
    asif_tree_free(tree);
    asif_log_map_free(map);
    asif_study_free(study);
    asif_context_free(context);
    free(point);
    free(value);
    return 0;
}
