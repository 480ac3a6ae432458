#include "questions/sensitivity/sensitivity_text.h"

#include <math.h>
#include <string.h>

typedef asif_sensitivity_view view;
typedef asif_sensitivity_statement statement;
typedef asif_sensitivity_variation variation;
typedef asif_sensitivity_point point;

const variation *asif_sensitivity_along(const view *s, const char *name) {
    for (uint32_t i = 0; name && i < s->variations; i++)
        if (asif_is(s->variation[i].name, name))
            return &s->variation[i];
    return NULL;
}

uint32_t asif_sensitivity_place(const view *s, const char *number) {
    for (uint32_t i = 0; number && i < s->numbers; i++)
        if (strcmp(s->statement[i].name, number) == 0)
            return i;
    return ASIF_ANY;
}

asif_summary_number asif_sensitivity_called(const statement *k) {
    return (asif_summary_number){
        .name = k->name, .parameter = k->parameter ? k->parameter : k->name, .label = k->label};
}

static const variation *variation_at(const view *s, uint32_t i) {
    return i < s->variations ? &s->variation[i] : NULL;
}

static const point *point_at(const variation *v, double value) {
    for (uint32_t i = 0; v && i < v->points; i++)
        if (v->point[i].value == value)
            return &v->point[i];
    return NULL;
}

/* Write a number with as many digits as the width of the fit's posterior justifies. */
static char *digits(char *cell, double number, const statement *k) {
    return asif_summary_digits(cell, number, 3.3 * k->sd);
}

/* Add a cost: ", and the fit is 0.3 nats better". */
static void add_cost(asif_text *text, double nats) {
    if (fabs(nats) < 0.05)
        asif_text_add(text, ", and the fit is as good");
    else
        asif_text_addf(text, ", and the fit is %.1f nats %s", fabs(nats), nats < 0 ? "better" : "worse");
}

static const char *sign_word(const statement *k, double maximum) {
    static const char *const plain[] = {"it is below 0", "it is near 0", "it is above 0"};
    static const char *const optimism[] = {"the agent is pessimistic", "the agent is near neutral",
                                           "the agent is optimistic"};
    int side = maximum >= k->sd ? 2 : maximum <= -k->sd ? 0 : 1;
    return (asif_is(k->name, "optimism") ? optimism : plain)[side];
}

void asif_sensitivity_steps(asif_text *text, const view *s, uint32_t number) {
    const statement *k = &s->statement[number];
    const asif_sensitivity_flip *flip = k->flip;
    const variation *v = flip ? variation_at(s, flip->variation) : NULL;
    char cell[ASIF_CELL_SIZE];
    bool any = false;
    for (size_t i = 0; v && i < 2; i++) {
        double at = i == 0 ? flip->before : isnan(flip->clear_at) ? flip->beyond : flip->clear_at;
        const point *p = point_at(v, at);
        if (!p || at == v->given)
            continue;
        if (any)
            asif_text_addf(text, ". With %.4g ", at);
        else
            asif_text_addf(text, "With %s = %.4g instead of %.4g ", asif_parameter_word(v->name), at,
                           v->given);
        double maximum = p->number[number].maximum;
        asif_text_addf(text, "%s (%s)", sign_word(k, maximum), digits(cell, maximum, k));
        add_cost(text, p->nats);
        any = true;
    }
}

/* Whether an assumption other than the one that a statement names reverses the sign of a number. */
static bool reverses_too(const view *s, uint32_t number, uint32_t which) {
    const statement *k = &s->statement[number];
    const asif_sensitivity_effect *e = &s->variation[which].effect[number];
    bool any = false;
    for (uint32_t f = 0; f < e->flips; f++)
        any |= e->flip[f].within;
    return any && s->variation[which].name && !(k->flip && k->flip->variation == which);
}

uint32_t asif_sensitivity_others(asif_text *text, const view *s, uint32_t number) {
    uint32_t count = 0, said = 0;
    for (uint32_t i = 0; i < s->variations; i++)
        count += reverses_too(s, number, i);
    for (uint32_t i = 0; i < s->variations; i++)
        if (reverses_too(s, number, i)) {
            asif_text_addf(text, "%s%s",
                           said == 0           ? ""
                           : said + 1 == count ? " and "
                                               : ", ",
                           asif_parameter_word(s->variation[i].name));
            said++;
        }
    return said;
}

bool asif_sensitivity_depends(asif_text *text, const view *s, uint32_t number) {
    const statement *k = &s->statement[number];
    const variation *v = variation_at(s, k->depends_on);
    const point *p = v ? point_at(v, v->effect[number].moved_at) : NULL;
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    if (!p)
        return false;
    asif_text_addf(text, "%s: at %.4g %s is %s instead of %s", asif_parameter_word(v->name), p->value,
                   strncmp(k->name, "log_", 4) == 0 ? "its logarithm" : "it",
                   digits(a, p->number[number].maximum, k), digits(b, k->maximum, k));
    add_cost(text, p->nats);
    return true;
}

static const asif_sensitivity_effect *worst_effect(const view *s) {
    const variation *v = s->worst ? variation_at(s, s->worst->variation) : NULL;
    return v && s->worst->number < s->numbers ? &v->effect[s->worst->number] : NULL;
}

double asif_sensitivity_moved(const view *s) {
    const asif_sensitivity_effect *effect = worst_effect(s);
    return effect ? effect->moved : NAN;
}

void asif_sensitivity_largest(asif_text *text, const view *s) {
    const asif_sensitivity_effect *effect = worst_effect(s);
    const variation *v = effect ? &s->variation[s->worst->variation] : NULL;
    const point *p = effect ? point_at(v, effect->moved_at) : NULL;
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    if (!p)
        return;
    const statement *k = &s->statement[s->worst->number];
    bool logarithm = k->parameter && asif_parameter_in_logs(k->parameter);
    asif_text number = {.context = text->context};
    const asif_summary_number called = asif_sensitivity_called(k);
    asif_summary_phrase(&number, &called);
    asif_text_addf(text, "%s = %.4g instead of %.4g: %s%s is %s instead of %s (%.1f standard deviations)",
                   asif_parameter_word(v->name), p->value, v->given, logarithm ? "the logarithm of " : "",
                   number.data ? number.data : "", digits(a, p->number[s->worst->number].maximum, k),
                   digits(b, k->maximum, k), effect->moved);
    text->failed |= number.failed;
    asif_text_free(&number);
    add_cost(text, p->nats);
}
