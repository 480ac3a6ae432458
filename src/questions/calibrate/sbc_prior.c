/* Makes deliberately wrong priors, to see whether a test of calibration can fail. */
#include "questions/calibrate/sbc.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "theta/estimates.h"

#include <string.h>

/* Index of the number that is the spread of a family of priors; 0: it has none. */
static uint32_t spread_of(asif_prior_kind kind) {
    return kind == ASIF_PRIOR_NORMAL || kind == ASIF_PRIOR_LOGNORMAL ? 1
           : kind == ASIF_PRIOR_STUDENT_T                            ? 2
                                                                     : 0;
}

static asif_status cannot(const asif_estimate_spec *spec, asif_error *error) {
    asif_fail(error, ASIF_EUNSUPPORTED, "the prior of %s has no spread that could be multiplied",
              asif_show(spec->name).text);
    asif_error_hint(error, "only normal, lognormal and student_t priors can be made wrong");
    return ASIF_EUNSUPPORTED;
}

/* Write the prior of an estimate (default or stated) with its spread multiplied, as text with all digits. */
static asif_status write_prior(asif_text *text, const asif_estimates *estimates,
                               const asif_estimate_spec *spec, const asif_part *part, double factor,
                               asif_error *error) {
    asif_prior prior = estimates->coordinate[part->coordinate].prior;
    uint32_t spread = spread_of(prior.kind);
    if (!part->number || spread == 0)
        return cannot(spec, error);
    prior.number[spread] *= factor;
    asif_text name = {.context = text->context};
    asif_prior_words(&prior, &name);
    asif_text_add_n(text, name.data ? name.data : "", name.data ? strcspn(name.data, "(") : 0);
    text->failed |= name.failed;
    asif_text_free(&name);
    for (uint32_t i = 0; i < prior.count; i++) {
        asif_text_add(text, i ? ", " : "(");
        asif_text_add_number(text, prior.number[i]);
    }
    asif_text_add(text, ")");
    return text->failed ? asif_fail_memory(error) : ASIF_OK;
}

asif_status asif_prior_scaled(asif_estimates **out, const asif_fitted *fitted, double factor,
                              asif_error *error) {
    const asif_context *c = fitted->context;
    asif_estimate_spec *spec = ASIF_ARRAY(c, fitted->specs, asif_estimate_spec);
    asif_text *prior = ASIF_ARRAY(c, fitted->specs, asif_text);
    asif_status status = spec && prior ? ASIF_OK : asif_fail_memory(error);
    *out = NULL;
    for (uint32_t i = 0; status == ASIF_OK && i < fitted->specs; i++) {
        prior[i].context = c;
        spec[i] = fitted->spec[i];
        status =
            write_prior(&prior[i], fitted->estimates, &spec[i], &fitted->estimates->part[i], factor, error);
        spec[i].prior = prior[i].data;
        if (strcmp(spec[i].name, "beta") == 0) /* the prior is one of 1/beta */
            spec[i].name = "optimism";
    }
    if (status == ASIF_OK)
        status = asif_estimates_create(out, c, fitted->given, spec, fitted->specs, ASIF_PRIORS_STATED, NULL,
                                       error);
    for (uint32_t i = 0; prior && i < fitted->specs; i++)
        asif_text_free(&prior[i]);
    asif_free(c, prior);
    asif_free(c, spec);
    return status;
}
