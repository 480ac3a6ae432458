#include "rivals.h"

#include "job.h"

#include "say.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_SIZE 128
#define VALUE_SIZE 64

/* The next NAME=VALUE of a list, or NULL at its end. Empty texts where it is none. */
static const char *next_value(const char *list, char *name, char *value) {
    if (!*list)
        return NULL;
    size_t length = strcspn(list, ",");
    const char *equals = memchr(list, '=', length);
    name[0] = value[0] = 0;
    if (equals && (size_t)(equals - list) < NAME_SIZE && length - (size_t)(equals - list) <= VALUE_SIZE) {
        memcpy(name, list, (size_t)(equals - list));
        name[equals - list] = 0;
        memcpy(value, equals + 1, length - (size_t)(equals - list) - 1);
        value[length - (size_t)(equals - list) - 1] = 0;
    }
    return list + length + (list[length] == ',');
}

bool cli_gives(const char *list, const char *name) {
    char given[NAME_SIZE], value[VALUE_SIZE];
    while ((list = next_value(list, given, value)))
        if (strcmp(cli_estimated_name(given), cli_estimated_name(name)) == 0)
            return true;
    return false;
}

int cli_give(cli_job *job, asif_theta *theta, const char *list, const char *what) {
    char name[NAME_SIZE], value[VALUE_SIZE];
    const char *at = list;
    while ((at = next_value(at, name, value))) {
        if (!name[0] || !value[0]) {
            cli_say("%s wants NAME=VALUE, not '%s'", what, list);
            cli_hint("for example %s optimism=0", what);
            return CLI_USAGE;
        }
        if (asif_theta_set_text(theta, name, value, &job->error) != ASIF_OK)
            return cli_say_error(&job->error);
    }
    return CLI_OK;
}

static bool is_file(const char *path) {
    return access(path, R_OK) == 0;
}

/* The agent with some parameters held. */
static int hold(cli_rival *r, uint32_t *free_specs, cli_job *job, const char *against,
                const asif_theta *given, const asif_estimate_spec *spec, uint32_t specs) {
    if (asif_theta_copy(&r->theta, given, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    int code = cli_give(job, r->theta, against, "--against");
    for (uint32_t i = 0; i < specs; i++)
        if (!cli_gives(against, spec[i].name))
            r->spec[(*free_specs)++] = spec[i];
    return code;
}

/* Another study. */
static int load(cli_rival *r, uint32_t *free_specs, cli_job *job, const char *path) {
    asif_plan_options solver;
    int code = cli_job_renew_problems(job);
    if (code != CLI_OK)
        return code;
    code = cli_job_said(job, asif_study_load(&r->study, job->context, path, job->problems, &job->error));
    if (code != CLI_OK)
        return code;
    solver = *asif_study_solver(r->study);
    if (job->args->resolution.given)
        solver.resolution = (uint32_t)job->args->resolution.value;
    if (job->args->tol.given)
        solver.tol = job->args->tol.value;
    uint32_t count = asif_study_estimates(r->study, NULL, 0);
    free(r->spec);
    r->spec = calloc((size_t)count + 1, sizeof *r->spec);
    if (!r->spec) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    *free_specs = asif_study_estimates(r->study, r->spec, count);
    if (asif_theta_copy(&r->theta, asif_study_theta(r->study), &job->error) != ASIF_OK ||
        asif_work_create(&r->work, job->context, asif_study_planner(r->study), asif_study_setting(r->study),
                         &solver, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    return CLI_OK;
}

static int make(cli_rival *r, asif_rival *out, cli_job *job, const char *against, const asif_theta *given,
                const asif_estimate_spec *spec, uint32_t specs) {
    uint32_t free_specs = 0;
    int code;
    r->spec = calloc((size_t)specs + 1, sizeof *r->spec);
    if (!r->spec) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    if (is_file(against)) {
        code = load(r, &free_specs, job, against);
    } else if (!strchr(against, '=')) {
        cli_say("--against wants NAME=VALUE or the file of a study; '%s' is neither", against);
        cli_hint("for example --against optimism=0, or --against optimism=0,alpha=0.5");
        return CLI_USAGE;
    } else {
        code = hold(r, &free_specs, job, against, given, spec, specs);
    }
    if (code == CLI_OK && free_specs > 0 &&
        asif_estimates_scaled(&r->estimates, job->context, r->work ? r->work : job->work, r->theta, r->spec,
                              free_specs, ASIF_PRIORS_STATED, NULL, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    *out = (asif_rival)ASIF_RIVAL_INIT;
    out->name = against;
    out->work = r->work ? r->work : job->work;
    out->given = r->theta;
    out->estimates = r->estimates;
    out->inverse = asif_study_inverse(r->study ? r->study : job->study);
    return code;
}

int cli_rivals_make(cli_rivals *out, cli_job *job, const asif_theta *given, const asif_estimate_spec *spec,
                    uint32_t specs) {
    const cli_list *against = &job->args->against;
    *out = (cli_rivals){.rival = calloc((size_t)against->count + 1, sizeof *out->rival),
                        .inside = calloc((size_t)against->count + 1, sizeof *out->inside)};
    int code = CLI_OK;
    if (!out->rival || !out->inside) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    for (; out->count < against->count && code == CLI_OK; out->count++)
        code = make(&out->inside[out->count], &out->rival[out->count], job, against->item[out->count], given,
                    spec, specs);
    return code;
}

void cli_rivals_free(cli_rivals *rivals) {
    for (uint32_t i = 0; rivals->inside && i < rivals->count; i++) {
        cli_rival *r = &rivals->inside[i];
        asif_estimates_free(r->estimates);
        free(r->spec);
        asif_theta_free(r->theta);
        asif_work_free(r->work);
        asif_study_free(r->study);
    }
    free(rivals->rival);
    free(rivals->inside);
}
