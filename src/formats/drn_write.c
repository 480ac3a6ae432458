/* Writes the environment of a fully observable setting as DRN. */
#include "asif/formats.h"

#include "base/error.h"
#include "base/text.h"
#include "formats/pomdp.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

/* Whether this can be an action's label: a word that readers do not take for rewards or for a
 * missing label. */
static bool label_legal(const char *label) {
    if (*label == 0 || *label == '[' || strcmp(label, "__NOLABEL__") == 0)
        return false;
    for (; *label; label++)
        if ((unsigned char)*label <= ' ')
            return false;
    return true;
}

static void add_comment(asif_text *text, const char *label) {
    asif_text_add(text, "//");
    for (; *label; label++) {
        char c = (unsigned char)*label < ' ' ? ' ' : *label;
        asif_text_add_n(text, &c, 1);
    }
    asif_text_add(text, "\n");
}

/* Checks that the start is uniform over some states: the format labels initial states and has no weights
 * for them. */
static asif_status check_start(const asif_setting_spec *s, asif_error *error) {
    double share = 0;
    for (uint32_t i = 0; i < s->states; i++) {
        double p = s->environment_start[i];
        share = share > 0 ? share : p;
        if (p > 0 && fabs(p - share) > 1e-12 * share) {
            asif_fail(error, ASIF_EUNSUPPORTED,
                      "DRN files have a set of initial states, all alike, and here state %u starts "
                      "with probability %g, another with %g",
                      i, p, share);
            asif_error_hint(error, ".pomdp files hold any start");
            return ASIF_EUNSUPPORTED;
        }
    }
    return ASIF_OK;
}

/* Writes a whole number; faster than printf, as large models have many millions of them. */
static char *put_whole(char *at, uint32_t number) {
    char digits[10];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        *at++ = digits[--count];
    return at;
}

static void add_choice(asif_text *text, const asif_matrix *m, uint32_t state) {
    uint64_t begin, end;
    asif_matrix_row(m, state, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        char line[ASIF_NUMBER_SIZE + 32] = "\t\t", *at = put_whole(line + 2, m->column[i]);
        memcpy(at, " : ", 3);
        at += 3 + strlen(asif_number_text(at + 3, m->value[i]));
        *at++ = '\n';
        asif_text_add_n(text, line, (uint64_t)(at - line));
    }
}

static void add_model(asif_text *text, const asif_setting *setting, const double *utility, bool labels) {
    const asif_setting_spec *s = asif_setting_get(setting);
    for (uint32_t i = 0; i < s->states && !text->failed; i++) {
        asif_text_addf(text, "state %u [0]%s\n", i, s->environment_start[i] > 0 ? " init" : "");
        if (s->state_names)
            add_comment(text, s->state_names[i]);
        for (uint32_t a = 0; a < s->actions; a++) {
            asif_text_add(text, "\taction ");
            if (labels)
                asif_text_add(text, s->action_names[a]);
            else
                asif_text_addf(text, "%u", a);
            asif_text_add(text, " [");
            asif_text_add_number(text, utility[(uint64_t)a * s->states + i]);
            asif_text_add(text, "]\n");
            add_choice(text, asif_transitions(setting, s->worlds, a), i);
        }
    }
}

asif_status asif_drn_write(char **out, const asif_setting *setting, const double *parameters,
                           asif_error *error) {
    const asif_setting_spec *s = asif_setting_get(setting);
    const asif_context *context = setting->context;
    asif_text text = {.context = context};
    asif_given given;
    *out = NULL;
    if (s->observations) {
        asif_fail(error, ASIF_EUNSUPPORTED, "DRN files are written for problems whose states are seen");
        asif_error_hint(error, "write a .pomdp file for problems with observations");
        return ASIF_EUNSUPPORTED;
    }
    asif_status status = asif_given_check(setting, parameters, "DRN files", error);
    if (status == ASIF_OK)
        status = check_start(s, error);
    if (status == ASIF_OK)
        status = asif_given_utility(&given, context, setting, parameters, error);
    if (status != ASIF_OK)
        return status;
    bool labels = s->action_names != NULL;
    for (uint32_t a = 0; labels && a < s->actions; a++)
        labels = label_legal(s->action_names[a]);
    asif_text_add(&text, "// Written by asif\n");
    asif_text_add(&text, "// Its discount, for which the format has no place, was ");
    asif_text_add_number(&text, s->discount);
    asif_text_add(&text, "\n");
    if (s->title)
        add_comment(&text, s->title);
    for (uint32_t a = 0; s->action_names && !labels && a < s->actions; a++) {
        asif_text_addf(&text, "// action %u:\n", a);
        add_comment(&text, s->action_names[a]);
    }
    asif_text_addf(
        &text,
        "@type: MDP\n@parameters\n\n@reward_models\nutility\n@nr_states\n%u\n@nr_choices\n%llu\n@model\n",
        s->states, (unsigned long long)s->states * s->actions);
    add_model(&text, setting, given.by_state, labels);
    asif_given_free(&given, context);
    if (text.failed) {
        asif_text_free(&text);
        return asif_fail_memory(error);
    }
    *out = text.data;
    return ASIF_OK;
}
