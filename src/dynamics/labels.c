/* Labels of the hidden state, and the states that the histories make probable. */
#include "base/error.h"
#include "base/memory.h"
#include "dynamics/dynamics.h"

#include <string.h>

bool asif_dynamics_labelled(const asif_dynamics *d) {
    return d->data.label != NULL;
}

static void compare(double *likeliest, double *expected, const asif_dynamics_work *work) {
    const asif_histories *h = &work->dynamics->data;
    uint64_t S = work->dynamics->spec.states;
    memset(likeliest, 0, S * S * sizeof *likeliest);
    memset(expected, 0, S * S * sizeof *expected);
    for (uint64_t k = 0; k < h->nodes; k++) {
        const double *belief = work->belief + k * S, *label = h->label + k * S;
        uint64_t most = 0;
        for (uint64_t s = 1; s < S; s++)
            most = belief[s] > belief[most] ? s : most;
        for (uint64_t l = 0; l < S; l++) {
            likeliest[l * S + most] += label[l];
            for (uint64_t s = 0; s < S; s++)
                expected[l * S + s] += label[l] * belief[s];
        }
    }
}

asif_status asif_dynamics_agreement(double *likeliest, double *expected, const asif_dynamics *d,
                                    const double *point, asif_error *error) {
    if (!d->data.label) {
        asif_fail(error, ASIF_EINVALID, "the logs have no labels of the hidden state");
        asif_error_hint(error, "name their column in the study, as `label` of `logs`, and read the table");
        return ASIF_EINVALID;
    }
    asif_dynamics_work work;
    double *filled = ASIF_ARRAY(d->context, d->cells, double);
    asif_status status = asif_dynamics_work_create(&work, d, error);
    if (status == ASIF_OK && !filled)
        status = asif_fail_memory(error);
    if (status == ASIF_OK) {
        for (uint64_t i = 0; i < d->cells; i++)
            filled[i] = d->learnt[i] ? point[i] : d->fixed[i];
        asif_dynamics_down(&work, filled);
        compare(likeliest, expected, &work);
    }
    asif_dynamics_work_free(&work);
    asif_free(d->context, filled);
    return status;
}

/* ---- as JSON ---- */

double asif_dynamics_agreeing(const double *table, uint32_t states) {
    uint64_t S = states;
    double same = 0, all = 0;
    for (uint64_t i = 0; i < S * S; i++) {
        all += table[i];
        same += i % (S + 1) == 0 ? table[i] : 0;
    }
    return same / all;
}

static void add_table(asif_json *json, const char *key, const double *table, uint64_t S) {
    asif_json_array(json, key);
    for (uint64_t l = 0; l < S; l++) {
        asif_json_array(json, NULL);
        for (uint64_t s = 0; s < S; s++)
            asif_json_number(json, NULL, table[l * S + s]);
        asif_json_end(json);
    }
    asif_json_end(json);
}

void asif_dynamics_agreement_json(asif_json *json, const char *key, const asif_setting *setting,
                                  const double *likeliest, const double *expected) {
    uint32_t S = asif_setting_get(setting)->states;
    char buffer[ASIF_LABEL_SIZE];
    asif_json_object(json, key);
    asif_json_array(json, "states");
    for (uint32_t s = 0; s < S; s++)
        asif_json_string(json, NULL, asif_setting_label(setting, ASIF_LABEL_STATE, s, buffer));
    asif_json_end(json);
    add_table(json, "most_probable", likeliest, S);
    add_table(json, "expected", expected, S);
    asif_json_known(json, "agreement", asif_dynamics_agreeing(likeliest, S));
    asif_json_known(json, "expected_agreement", asif_dynamics_agreeing(expected, S));
    asif_json_end(json);
}
