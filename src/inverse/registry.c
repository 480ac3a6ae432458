#include "base/error.h"
#include "inverse/inverse.h"

#include <string.h>

static const asif_inverse_ops *const inverses[] = {
    &asif_inverse_soft_policy_matching,
};
enum { INVERSES = sizeof inverses / sizeof *inverses };

const asif_inverse_info *asif_inverse_get(uint32_t i) {
    return i < INVERSES ? &inverses[i]->info : NULL;
}

const asif_inverse_ops *asif_inverse_find(const char *name, asif_error *error) {
    const char *names[INVERSES];
    for (uint32_t i = 0; i < INVERSES; i++) {
        names[i] = inverses[i]->info.name;
        if (strcmp(names[i], name) == 0)
            return inverses[i];
    }
    asif_fail(error, ASIF_EUNKNOWN, "there is no inverse planner '%s'", name);
    const char *near = asif_nearest_word(name, names, INVERSES);
    asif_error_hint(error, "%s%s", near ? "did you mean " : "`asif list` names them", near ? near : "");
    return NULL;
}
