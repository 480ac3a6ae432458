/* Any bytes as the table of a population, by which further people are weighed. What is read is written as a
 * text that reads back to the same, which is then written as the same bytes. */
#include "asif.h"

#include "base/error.h"
#include "base/memory.h"
#include "people/people.h"
#include "scratch.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char study_text[] = "asif: 1\nstates: [s]\nactions: [a, b]\n"
                                 "environment: {start: [1]}\n"
                                 "agent:\n  planner: maximum-entropy\n  discount: 0\n"
                                 "  utility: {a: gain, b: more}\n"
                                 "  parameters:\n    gain: {learn: \"normal(0, 2)\", standard: 1}\n"
                                 "    more: {learn: \"normal(0, 2)\", standard: 1}\n    alpha: 1\n";

static asif_context *context;
static asif_study *study;
static asif_estimates *estimates;

static void open_study(void) {
    asif_estimate_spec spec[2];
    must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
    must(asif_study_read(&study, context, study_text, strlen(study_text), "study", NULL, NULL) == ASIF_OK);
    must(asif_study_estimates(study, spec, 2) == 2);
    must(asif_estimates_create(&estimates, context, asif_study_theta(study), spec, 2, ASIF_PRIORS_STATED,
                               NULL, NULL) == ASIF_OK);
}

static asif_status take(asif_people *p, const char *text, uint64_t length, asif_error *error) {
    *p = (asif_people){.context = context, .estimates = estimates, .given = true};
    p->options.most_points = 512;
    p->base = asif_people_base(estimates);
    p->view.usable = true;
    ASIF_TRY(asif_people_read_table(p, text, length, error));
    p->design.columns = p->design.effects = p->columns.columns;
    for (uint32_t k = 0; k < p->columns.columns; k++) {
        p->design.column[k] = p->columns.column[k];
        p->design.effect[k] =
            (asif_effect){0, k, p->columns.column[k].reference || !p->columns.column[k].level ? 0 : 1};
        p->design.pools |= p->design.effect[k].pool;
    }
    return asif_people_take_table(p, error);
}

static void discard(asif_people *p) {
    asif_population_fit_close(&p->fit);
    asif_yaml_free(p->document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static asif_people first, second; /* large */
    asif_error error = ASIF_ERROR_INIT;
    if (!context)
        open_study();
    asif_status status = take(&first, (const char *)data, size, &error);
    must(status == error.status && (status == ASIF_OK || error.message[0]));
    if (status == ASIF_OK) {
        char *text = NULL, *again = NULL;
        must(first.fit.atoms.count > 0 && first.fit.atoms.count <= 512 + 8 * first.fit.atoms.proposals);
        must(asif_people_table(&text, &first, NULL) == ASIF_OK);
        must(take(&second, text, strlen(text), &error) == ASIF_OK);
        must(asif_people_table(&again, &second, NULL) == ASIF_OK);
        must(strcmp(text, again) == 0);
        asif_free(context, text);
        asif_free(context, again);
        discard(&second);
    }
    discard(&first);
    return 0;
}
