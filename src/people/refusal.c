/* Why a population was refused, in words. */
#include "people/people.h"

#include "base/text.h"

void asif_people_refusal(asif_text *t, const asif_people *people) {
    const asif_people_view *v = &people->view;
    asif_text_add(t, "The population could not be fitted: ");
    if (!(v->effective >= ASIF_POPULATION_EFFECTIVE))
        asif_text_addf(t, "only %.0f points of the table are effective for it, and %d are needed.",
                       v->effective, ASIF_POPULATION_EFFECTIVE);
    else if (v->least_effective < ASIF_POPULATION_EFFECTIVE)
        asif_text_addf(
            t, "for some of its draws only %.0f points of the table are effective, and %d are needed.",
            v->least_effective, ASIF_POPULATION_EFFECTIVE);
    else if (v->worst_error <= ASIF_POPULATION_ERROR)
        asif_text_add(t, "draws from its posterior are not reliable.");
    else
        asif_text_addf(
            t,
            "the table of points makes an error of %.2f standard deviations in %s, and at most %.1f is "
            "accepted.",
            v->worst_error, v->population[v->worst].name, ASIF_POPULATION_ERROR);
}
