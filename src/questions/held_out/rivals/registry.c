#include "base/error.h"
#include "base/text.h"
#include "questions/held_out/rivals/rival.h"

#include <string.h>

/* clang-format off */
static const asif_rival *const rivals[] = {
    &asif_rival_base_rate,
    &asif_rival_last_visit,
    &asif_rival_recurrent_cloning,
    &asif_rival_recurrent_cloning_published,
    &asif_rival_belief_cloning,
    &asif_rival_joint_belief_cloning,
    &asif_rival_po_irl,
    &asif_rival_po_irl_published,
    &asif_rival_joint_po_irl,
};
/* clang-format on */
enum { RIVALS = sizeof rivals / sizeof *rivals };

const asif_rival *asif_rival_find(const char *name, asif_error *error) {
    const char *names[RIVALS];
    for (uint32_t i = 0; i < RIVALS; i++) {
        names[i] = rivals[i]->name;
        if (strcmp(names[i], name) == 0)
            return rivals[i];
    }
    const char *near = asif_nearest_word(name, names, RIVALS);
    asif_fail(error, ASIF_EUNKNOWN, "there is no rival `%s`", asif_show(name).text);
    if (near)
        asif_error_hint(error, "did you mean `%s`?", near);
    else
        asif_error_hint(error, "rivals are, among others, %s, %s and %s; `asif evaluate --help` lists them",
                        names[0], names[1], names[2]);
    return NULL;
}
