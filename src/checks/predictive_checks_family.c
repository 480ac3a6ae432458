/* A family of predictive checks: its groups and their cells. */
#include "checks/predictive_checks.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

asif_check_made *asif_check_add(asif_predictive_checks *checks, asif_check_kind kind) {
    asif_check_made *made = &checks->made[checks->view.families++];
    made->view = (asif_check_family){.kind = kind, .p = NAN, .unseen = NAN, .impossible = NAN};
    return made;
}

asif_status asif_check_groups(asif_predictive_checks *checks, asif_check_made *family, uint32_t groups,
                              uint32_t cells, asif_error *error) {
    family->group = ASIF_ARRAY(checks->context, groups, asif_check_group);
    family->cell = ASIF_ARRAY(checks->context, (uint64_t)groups * cells, asif_check_cell);
    if (!family->group || !family->cell)
        return asif_fail_memory(error);
    for (uint32_t g = 0; g < groups; g++)
        family->group[g] = (asif_check_group){.step = ASIF_ANY,
                                              .node = ASIF_ANY,
                                              .action = ASIF_ANY,
                                              .observation = ASIF_ANY,
                                              .state = ASIF_ANY,
                                              .low = NAN,
                                              .high = NAN,
                                              .cells = cells};
    family->view.groups = groups;
    return ASIF_OK;
}
