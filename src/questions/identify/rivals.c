#include "questions/identify/rivals.h"

#include "base/error.h"
#include "base/os.h"
#include "base/text.h"

#include <string.h>

#define NAME_SIZE 128
#define VALUE_SIZE 64

/* ---- lists of values ---- */

/* Split off the next NAME=VALUE of a list; returns the rest, NULL at the end. Both texts are empty if it has
 * another form. */
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

bool asif_list_gives(const char *list, const char *name) {
    char given[NAME_SIZE], value[VALUE_SIZE];
    while ((list = next_value(list, given, value)))
        if (strcmp(asif_estimated_name(given), asif_estimated_name(name)) == 0)
            return true;
    return false;
}

asif_status asif_list_give(asif_theta *theta, const char *list, const char *what, asif_error *error) {
    char name[NAME_SIZE], value[VALUE_SIZE];
    const char *at = list;
    while ((at = next_value(at, name, value))) {
        if (!name[0] || !value[0]) {
            asif_fail(error, ASIF_EINVALID, "%s wants NAME=VALUE, not '%s'", what, asif_show(list).text);
            asif_error_hint(error, "for example %s optimism=0", what);
            return ASIF_EINVALID;
        }
        ASIF_TRY(asif_theta_set_text(theta, name, value, error));
    }
    return ASIF_OK;
}

/* ---- rivals ---- */

typedef struct {
    const asif_study *study;
    const asif_work *work;
    asif_theta *theta;
    asif_estimate_spec *spec; /* free parameters */
    uint32_t specs;
} rival;

/* Make a rival that is the agent with some parameters fixed. */
static asif_status hold(rival *r, asif_asking *asking, const asif_rivals_of *agent, const char *against,
                        asif_error *error) {
    r->spec = ASIF_ARENA_ARRAY(&asking->arena, (uint64_t)agent->specs + 1, asif_estimate_spec);
    if (!r->spec)
        return asif_fail_memory(error);
    ASIF_TRY(asif_asking_copy(asking, &r->theta, agent->given, error));
    for (uint32_t i = 0; i < agent->specs; i++)
        if (!asif_list_gives(against, agent->spec[i].name))
            r->spec[r->specs++] = agent->spec[i];
    return asif_list_give(r->theta, against, "--against", error);
}

/* Make a rival from another study. */
static asif_status load(rival *r, asif_asking *asking, const asif_solve_asked *solve, const char *path,
                        asif_error *error) {
    asif_study *study = NULL;
    asif_work *work = NULL;
    ASIF_TRY(asif_asking_study(asking, &study, path, error));
    ASIF_TRY(asif_asking_specs(asking, &r->spec, &r->specs, study, error));
    ASIF_TRY(asif_asking_copy(asking, &r->theta, asif_study_theta(study), error));
    ASIF_TRY(asif_asking_work(asking, &work, study, solve, error));
    r->study = study;
    r->work = work;
    return ASIF_OK;
}

static asif_status neither(const char *against, asif_error *error) {
    asif_fail(error, ASIF_EINVALID, "--against wants NAME=VALUE or the file of a study; '%s' is neither",
              asif_show(against).text);
    asif_error_hint(error, "for example --against optimism=0, or --against optimism=0,alpha=0.5");
    return ASIF_EINVALID;
}

static asif_status make(asif_rival *out, asif_asking *asking, const asif_rivals_of *agent,
                        const char *against, asif_error *error) {
    rival r = {.study = agent->study, .work = agent->work};
    asif_estimates *estimates = NULL;
    if (asif_os_exists(against))
        ASIF_TRY(load(&r, asking, agent->solve, against, error));
    else
        ASIF_TRY(strchr(against, '=') ? hold(&r, asking, agent, against, error) : neither(against, error));
    if (r.specs > 0)
        ASIF_TRY(asif_asking_estimates(asking, &estimates, r.work, r.theta, r.spec, r.specs, NULL, error));
    *out = (asif_rival)ASIF_RIVAL_INIT;
    out->name = against;
    out->work = r.work;
    out->given = r.theta;
    out->estimates = estimates;
    out->inverse = asif_study_inverse(r.study);
    return ASIF_OK;
}

asif_status asif_rivals_make(asif_rival **out, asif_asking *asking, const asif_rivals_of *agent,
                             const asif_list_option *against, asif_error *error) {
    *out = ASIF_ARENA_ARRAY(&asking->arena, (uint64_t)against->count + 1, asif_rival);
    if (!*out)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < against->count; i++)
        ASIF_TRY(make(&(*out)[i], asking, agent, against->item[i], error));
    return ASIF_OK;
}
