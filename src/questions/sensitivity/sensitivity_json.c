/* The sensitivity as JSON, written and read, and as CSV. */
#include "base/data/csv.h"
#include "questions/sensitivity/sensitivity.h"

static const char *const signs[] = {NULL, "negative", "unknown", "positive"};
static const char *const statements[] = {NULL, "open", "flips", "weakens", "survives"};

typedef asif_sensitivity_view view;
typedef asif_sensitivity_variation variation;
typedef asif_sensitivity_statement statement;
typedef asif_sensitivity_effect effect;
typedef asif_sensitivity_flip flip;
typedef asif_sensitivity_point point;
typedef asif_sensitivity_number number;
typedef asif_sensitivity_worst worst;

static const asif_names in_statements = ASIF_NAMES("statements", view, statement, numbers, statement);
static const asif_names in_variations = ASIF_NAMES("variations", view, variation, variations, variation);

#define IF_FOUND ASIF_UNLESS(point, why, 0)

static const asif_fields number_fields =
    ASIF_FIELDS(number, {ASIF_FIELD(number, maximum)}, {ASIF_FIELD(number, sd), ASIF_UNLESS(view, brief, 3)},
                {ASIF_FIELD(number, moved)}, {ASIF_FIELD(number, q05), ASIF_IF(point, drawn, 1)},
                {ASIF_FIELD(number, q50), ASIF_IF(point, drawn, 1)},
                {ASIF_FIELD(number, q95), ASIF_IF(point, drawn, 1)}, {ASIF_WORD(number, sign, signs)});

static const asif_fields point_fields = ASIF_FIELDS(
    point, {ASIF_FIELD(point, value)}, {ASIF_FIELD(point, given)},
    {ASIF_FIELD(point, why), ASIF_IF(point, why, 0)}, {ASIF_FIELD(point, log_likelihood), IF_FOUND},
    {ASIF_FIELD(point, log_posterior), IF_FOUND}, {ASIF_FIELD(point, nats), IF_FOUND},
    {ASIF_FIELD(point, within), IF_FOUND}, {ASIF_FIELD(point, span), IF_FOUND},
    {ASIF_FIELD(point, starts), IF_FOUND}, {ASIF_FIELD(point, agree), IF_FOUND},
    {ASIF_FIELD(point, drawn), IF_FOUND}, {ASIF_FIELD(point, rhat), ASIF_IF(point, drawn, 0)},
    {ASIF_FIELD(point, ess), ASIF_IF(point, drawn, 0)},
    {ASIF_ALONG("numbers", point, number, in_statements, number_fields), IF_FOUND});

static const asif_fields flip_fields =
    ASIF_FIELDS(flip, {ASIF_FIELD(flip, before)}, {ASIF_FIELD(flip, beyond)}, {ASIF_FIELD(flip, at)},
                {ASIF_FIELD(flip, nats)}, {ASIF_FIELD(flip, within)}, {ASIF_WORD(flip, to, signs)},
                {ASIF_FIELD(flip, clear_at)}, {ASIF_FIELD(flip, clear_nats)});
static const asif_fields named_flip_fields =
    ASIF_FIELDS(flip, {ASIF_INDEX("variation", flip, variation, in_variations)}, {ASIF_ALSO(flip_fields)});

static const asif_fields effect_fields = ASIF_FIELDS(
    effect, {ASIF_FIELD(effect, moved)}, {ASIF_FIELD(effect, moved_at)}, {ASIF_FIELD(effect, low)},
    {ASIF_FIELD(effect, high)}, {ASIF_LIST_INSIDE("flips", effect, flip, flips, flip_fields)});

static const asif_fields statement_fields = ASIF_FIELDS(
    statement, {ASIF_FIELD(statement, parameter)}, {ASIF_FIELD(statement, label)},
    {ASIF_FIELD(statement, maximum)}, {ASIF_FIELD(statement, sd)}, {ASIF_WORD(statement, sign, signs)},
    {ASIF_WORD(statement, leans, signs)}, {ASIF_WORD(statement, statement, statements)},
    {ASIF_FIELD(statement, depends)}, {ASIF_INDEX("depends_on", statement, depends_on, in_variations)},
    {ASIF_OBJECT("flip", statement, flip, named_flip_fields)});

static const asif_fields worst_fields =
    ASIF_FIELDS(worst, {ASIF_INDEX("variation", worst, variation, in_variations)},
                {ASIF_INDEX("number", worst, number, in_statements)}, {ASIF_FIELD(worst, flips)});

static const asif_fields variation_fields =
    ASIF_FIELDS(variation, {ASIF_FIELD(variation, name)}, {ASIF_FIELD(variation, given)},
                {ASIF_ALONG("effects", variation, effect, in_statements, effect_fields)},
                {ASIF_LIST("points", variation, point, points, point_fields)});

static const asif_fields group_fields =
    ASIF_FIELDS(view, {ASIF_FIELD_AS("column", view, by)}, {ASIF_FIELD(view, value)});

const asif_fields asif_sensitivity_fields = ASIF_FIELDS(
    view, {ASIF_PART("group", group_fields), ASIF_IF(view, by, 0)}, {ASIF_FIELD(view, brief)},
    {ASIF_FIELD(view, limit)}, {ASIF_FIELD(view, log_likelihood)}, {ASIF_FIELD(view, log_posterior)},
    {ASIF_MAP(in_statements, "statements", statement_fields), .required = true},
    {ASIF_OBJECT("worst", view, worst, worst_fields)},
    {ASIF_LIST("variations", view, variation, variations, variation_fields), .required = true});

asif_status asif_sensitivity_json(char **out, const asif_sensitivity *sensitivity, asif_error *error) {
    return asif_fields_json(out, sensitivity->context, &asif_sensitivity_fields, &sensitivity->view, error);
}

/* ---- CSV ---- */

static void put_row(asif_text *text, const asif_sensitivity *s, const asif_sensitivity_variation *v,
                    const asif_sensitivity_point *p, uint32_t i) {
    const asif_sensitivity_number *n = &p->number[i];
    asif_csv_field(text, v->name, false);
    asif_csv_known(text, p->value, false);
    asif_csv_count(text, p->given, false);
    const double of_point[] = {p->log_likelihood, p->log_posterior, p->nats, p->span};
    for (size_t k = 0; k < sizeof of_point / sizeof *of_point; k++)
        asif_csv_known(text, of_point[k], false);
    asif_csv_field(text, s->statement[i].name, false);
    const double of_number[] = {n->maximum, n->sd, n->moved, n->q05, n->q50};
    for (size_t k = 0; k < sizeof of_number / sizeof *of_number; k++)
        asif_csv_known(text, of_number[k], false);
    asif_csv_known(text, n->q95, true);
}

asif_status asif_sensitivity_csv(char **out, const asif_sensitivity *sensitivity, asif_error *error) {
    const asif_sensitivity *s = sensitivity;
    asif_text text = {.context = s->context};
    asif_text_add(&text, "varied,value,given,log_likelihood,log_posterior,nats,span,number,maximum,sd,moved,"
                         "q05,q50,q95\n");
    for (uint32_t v = 0; v < s->view.variations; v++)
        for (uint32_t p = 0; p < s->variation[v].points; p++)
            for (uint32_t i = 0; i < s->view.numbers; i++)
                put_row(&text, s, &s->variation[v], &s->variation[v].point[p], i);
    return asif_text_finish(out, &text, error);
}
