#include "questions/sensitivity/sensitivity_text.h"

#include <math.h>
#include <string.h>

static bool is(const char *text, const char *word) {
    return text && strcmp(text, word) == 0;
}

static char *short_value(char *cell, double value) {
    asif_format(cell, ASIF_CELL_SIZE, "%.4g", value);
    return cell;
}

/* Digits that the posterior's width in the fit deserves. */
static char *digits(char *cell, double number, const asif_yaml *statement) {
    return asif_summary_digits(cell, number, 3.3 * asif_yaml_value(statement, "sd"));
}

static const asif_yaml *statement_of(const asif_yaml *root, const char *number) {
    return number ? asif_yaml_part(asif_yaml_part(root, "statements"), number) : NULL;
}

static const asif_yaml *variation_named(const asif_yaml *root, const char *name) {
    const asif_yaml *list = asif_yaml_part(root, "variations");
    for (uint32_t i = 0; list && list->kind == ASIF_YAML_LIST && i < list->count; i++)
        if (name && is(asif_yaml_text(list->item[i], "name"), name))
            return list->item[i];
    return NULL;
}

static const asif_yaml *point_at(const asif_yaml *variation, double value) {
    const asif_yaml *points = asif_yaml_part(variation, "points");
    for (uint32_t i = 0; points && points->kind == ASIF_YAML_LIST && i < points->count; i++)
        if (asif_yaml_value(points->item[i], "value") == value)
            return points->item[i];
    return NULL;
}

static void add_cost(asif_text *text, double nats) {
    if (fabs(nats) < 0.05)
        asif_text_add(text, "at no cost");
    else
        asif_text_addf(text, "%.1f nats %s", fabs(nats), nats < 0 ? "better" : "worse");
}

static const char *sign_word(const char *number, double maximum, double sd) {
    static const char *const plain[] = {"below 0", "near 0", "above 0"};
    static const char *const optimism[] = {"pessimistic", "near neutral", "optimistic"};
    int side = maximum >= sd ? 2 : maximum <= -sd ? 0 : 1;
    return is(number, "optimism") ? optimism[side] : plain[side];
}

/* "near neutral (0.14), 0.5 nats worse" */
static void add_step(asif_text *text, const asif_yaml *point, const char *number,
                     const asif_yaml *statement) {
    double maximum = asif_yaml_value(asif_yaml_part(asif_yaml_part(point, "numbers"), number), "maximum");
    char cell[ASIF_CELL_SIZE];
    asif_text_addf(text, "%s (%s), ", sign_word(number, maximum, asif_yaml_value(statement, "sd")),
                   digits(cell, maximum, statement));
    add_cost(text, asif_yaml_value(point, "nats"));
}

void asif_sensitivity_steps(asif_text *text, const asif_yaml *root, const char *number) {
    const asif_yaml *statement = statement_of(root, number), *flip = asif_yaml_part(statement, "flip");
    const char *name = asif_yaml_text(flip, "variation");
    const asif_yaml *variation = variation_named(root, name);
    double given = asif_yaml_value(variation, "given"), clear = asif_yaml_value(flip, "clear_at");
    const double at[2] = {asif_yaml_value(flip, "before"),
                          isnan(clear) ? asif_yaml_value(flip, "beyond") : clear};
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        const asif_yaml *point = point_at(variation, at[i]);
        if (!point || at[i] == given)
            continue;
        if (any)
            asif_text_addf(text, "; %s: ", short_value(a, at[i]));
        else
            asif_text_addf(text, "%s = %s instead of %s: ", name, short_value(a, at[i]),
                           short_value(b, given));
        add_step(text, point, number, statement);
        any = true;
    }
}

uint32_t asif_sensitivity_others(asif_text *text, const asif_yaml *root, const char *number) {
    const asif_yaml *list = asif_yaml_part(root, "variations");
    const char *first = asif_yaml_text(asif_yaml_part(statement_of(root, number), "flip"), "variation");
    uint32_t said = 0;
    for (uint32_t i = 0; list && list->kind == ASIF_YAML_LIST && i < list->count; i++) {
        const char *name = asif_yaml_text(list->item[i], "name");
        const asif_yaml *flips =
            asif_yaml_part(asif_yaml_part(asif_yaml_part(list->item[i], "effects"), number), "flips");
        bool any = false;
        for (uint32_t f = 0; flips && flips->kind == ASIF_YAML_LIST && f < flips->count; f++)
            any |= asif_yaml_flag(flips->item[f], "within");
        if (any && name && !is(first, name))
            asif_text_addf(text, "%s%s", said++ ? ", " : "", name);
    }
    return said;
}

bool asif_sensitivity_depends(asif_text *text, const asif_yaml *root, const char *number) {
    const asif_yaml *statement = statement_of(root, number);
    const char *name = asif_yaml_text(statement, "depends_on");
    const asif_yaml *variation = variation_named(root, name);
    double at = asif_yaml_value(asif_yaml_part(asif_yaml_part(variation, "effects"), number), "moved_at");
    const asif_yaml *point = point_at(variation, at);
    bool logarithm = number && strncmp(number, "log_", 4) == 0;
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE], c[ASIF_CELL_SIZE];
    if (!point)
        return false;
    double moved = asif_yaml_value(asif_yaml_part(asif_yaml_part(point, "numbers"), number), "maximum");
    asif_text_addf(text, "%s: at %s %s is %s instead of %s, ", name, short_value(a, at),
                   logarithm ? "its logarithm" : "it", digits(b, moved, statement),
                   digits(c, asif_yaml_value(statement, "maximum"), statement));
    add_cost(text, asif_yaml_value(point, "nats"));
    return true;
}

double asif_sensitivity_moved(const asif_yaml *root) {
    const asif_yaml *worst = asif_yaml_part(root, "worst");
    const char *number = asif_yaml_text(worst, "number"), *name = asif_yaml_text(worst, "variation");
    const asif_yaml *effects = asif_yaml_part(variation_named(root, name), "effects");
    return asif_yaml_value(number ? asif_yaml_part(effects, number) : NULL, "moved");
}

void asif_sensitivity_largest(asif_text *text, const asif_yaml *root) {
    const asif_yaml *worst = asif_yaml_part(root, "worst");
    const char *number = asif_yaml_text(worst, "number"), *name = asif_yaml_text(worst, "variation");
    const asif_yaml *statement = statement_of(root, number), *variation = variation_named(root, name);
    const asif_yaml *effect = number ? asif_yaml_part(asif_yaml_part(variation, "effects"), number) : NULL;
    double at = asif_yaml_value(effect, "moved_at");
    const asif_yaml *point = point_at(variation, at);
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE], c[ASIF_CELL_SIZE], d[ASIF_CELL_SIZE];
    if (!point)
        return;
    double maximum = asif_yaml_value(asif_yaml_part(asif_yaml_part(point, "numbers"), number), "maximum");
    const char *parameter = asif_yaml_text(statement, "parameter");
    bool logarithm = parameter && asif_parameter_in_logs(parameter);
    asif_text_addf(text, "%s = %s instead of %s: %s%s %s instead of %s (%.1f standard deviations), ", name,
                   short_value(a, at), short_value(b, asif_yaml_value(variation, "given")),
                   logarithm ? "log " : "", logarithm ? parameter : number, digits(c, maximum, statement),
                   digits(d, asif_yaml_value(statement, "maximum"), statement),
                   asif_yaml_value(effect, "moved"));
    add_cost(text, asif_yaml_value(point, "nats"));
}
