/* Numbers of people and of the population, in words. */
#include "report/people/people_source.h"

#include "base/memory.h"
#include "base/text.h"
#include "render/figures/figure_numbers.h"

#include <math.h>
#include <string.h>

double asif_people_share(const asif_people_number *n, double sd) {
    return fmin(1, sd * sd / (n->between * n->between + n->within * n->within));
}

const char *asif_people_refused(const asif_people_source *s) {
    const char *why = asif_yaml_text(s->root, "refused");
    if (why && (s->identify || !strstr(why, "coef_"))) /* the name of a coefficient may have a rare label */
        return why;
    return "The population could not be fitted: the table of points is too coarse for it.";
}

double asif_people_value(const asif_people_source *s, const char *key, const char *name) {
    return asif_yaml_value(asif_yaml_part(s->population, key), name);
}

void asif_people_name(asif_text *text, const asif_people_number *n) {
    asif_summary_number number = {.name = n->name, .parameter = n->parameter ? n->parameter : n->name};
    bool logarithm =
        n->parameter && strncmp(n->name, "log_", 4) == 0 && strcmp(n->name + 4, n->parameter) == 0;
    if (n->parameter && strchr(n->name, '.')) /* an entry of a distribution */
        asif_text_add(text, n->name);
    else
        asif_figure_number_name(text, &number, logarithm);
}

/* The number whose coordinate a key begins with, the longest; `*rest` is what follows it. */
static const asif_people_number *find_coordinate(const asif_people_source *s, const char *key,
                                                 const char **rest) {
    const asif_people_number *found = NULL;
    uint64_t longest = 0;
    for (uint32_t k = 0; k < s->numbers; k++) {
        const asif_people_number *n = &s->number[k];
        uint64_t length = n->coordinate ? strlen(n->coordinate) : 0;
        bool fits = length > longest && strncmp(key, n->coordinate, length) == 0 &&
                    (key[length] == '_' || key[length] == 0);
        if (!fits)
            continue;
        found = n;
        longest = length;
        *rest = key + length + (key[length] == '_');
    }
    return found;
}

static void add_coordinate(asif_text *text, const asif_people_number *n) {
    if (n->line && strcmp(n->line, "logit") == 0)
        asif_text_add(text, "logit of ");
    else if (n->line && strcmp(n->line, "log") == 0)
        asif_text_add(text, "log of ");
    asif_people_name(text, n);
}

bool asif_people_shows_kinds(const asif_people_source *s) {
    double kinds = asif_yaml_value(s->root, "kinds"), units = asif_yaml_value(s->root, "units"), first = 1;
    bool enough = s->several && kinds <= ASIF_PEOPLE_KINDS;
    for (uint32_t k = 2; enough && k <= kinds; k++) {
        char key[32];
        asif_format(key, sizeof key, "share_kind_%u", k);
        double share = asif_people_value(s, key, "mean");
        first -= share;
        enough &= share * units >= (double)s->least;
    }
    return enough && first * units >= (double)s->least;
}

/* Whether a covariate with this mean and sd is 0 for some people and 1 for others (or 1 and 2, and so on),
 * and one of these is too few: it is a label in numbers, and its mean is how many have it. */
static bool is_rare(const asif_people_source *s, double mean, double sd) {
    double share = mean - floor(mean), units = asif_yaml_value(s->root, "units");
    bool two = fabs(share * (1 - share) - sd * sd) < 1e-6 * (1 + mean * mean);
    return two && fmin(share, 1 - share) * units < (double)s->least - 0.5;
}

bool asif_people_shows_column(const asif_people_source *s, const asif_yaml *covariate) {
    double mean = asif_yaml_value(covariate, "mean"), sd = asif_yaml_value(covariate, "sd");
    return s->several && !is_rare(s, mean, sd);
}

/* A coefficient compares two labels: both must have enough people. */
static bool add_effect(asif_text *text, const asif_people_source *s, const char *key) {
    const asif_yaml *list = asif_yaml_list(s->root, "covariates"), *own = NULL;
    const char *name, *column, *level, *other, *rest = "";
    double units = asif_yaml_value(s->root, "units"), reference = 1;
    for (uint32_t i = 0; i < asif_figure_count(list); i++)
        if ((name = asif_yaml_text(list->item[i], "coefficient")) && strcmp(name, key) == 0)
            own = list->item[i];
    column = own ? asif_yaml_text(own, "column") : NULL;
    level = own ? asif_yaml_text(own, "level") : NULL;
    const asif_people_number *n = find_coordinate(s, key + strlen("coef_"), &rest);
    if (!column || !n)
        return false;
    for (uint32_t i = 0; level && i < list->count; i++) {
        /* other labels of the same column, for the same parameter */
        const char *end = "";
        name = asif_yaml_text(list->item[i], "coefficient");
        other = asif_yaml_text(list->item[i], "column");
        if (name && other && strcmp(other, column) == 0 &&
            find_coordinate(s, name + strlen("coef_"), &end) == n)
            reference -= asif_yaml_value(list->item[i], "share");
    }
    bool group = asif_yaml_flag(own, "group");
    bool enough = !level || (asif_yaml_value(own, "share") * units >= (double)s->least - 0.5 &&
                             (group || reference * units >= (double)s->least - 0.5));
    if (!enough || !s->several || (!level && !asif_people_shows_column(s, own)))
        return false;
    add_coordinate(text, n);
    const char *than = level ? asif_yaml_text(own, "reference") : NULL;
    if (group)
        asif_text_addf(text, ": %s %s, compared with all", column, level);
    else if (level)
        asif_text_addf(text, ": %s %s, compared with %s", column, level, than ? than : "");
    else
        asif_text_addf(text, ": one standard deviation of %s", column);
    return true;
}

bool asif_people_words(asif_text *text, const asif_people_source *s, const char *key) {
    const char *rest = "", *end = "";
    const asif_people_number *one = NULL, *other = NULL;
    const char *kind = strstr(key, "_kind_");
    if (kind && asif_yaml_value(s->root, "kinds") > 1 && !asif_people_shows_kinds(s))
        return false;
    if (strncmp(key, "coef_", 5) == 0)
        return add_effect(text, s, key);
    if (strncmp(key, "between_", 8) == 0 && (one = find_coordinate(s, key + 8, &rest))) {
        add_coordinate(text, one);
        asif_text_addf(text, ": between means of %s", rest);
        return true;
    }
    if (strncmp(key, "share_kind_", 11) == 0) {
        asif_text_addf(text, "share of kind %s", key + 11);
        return true;
    }
    if (strncmp(key, "mean_", 5) == 0 || strncmp(key, "sd_", 3) == 0)
        one = find_coordinate(s, strchr(key, '_') + 1, &rest);
    if (strncmp(key, "cor_", 4) == 0 && (one = find_coordinate(s, key + 4, &rest)))
        other = find_coordinate(s, rest, &end);
    if (!one || (strncmp(key, "cor_", 4) == 0 && !other)) {
        asif_text_add(text, key); /* a coordinate without a number of its own */
        return true;
    }
    add_coordinate(text, one);
    if (other) {
        asif_text_add(text, " and ");
        add_coordinate(text, other);
    } else if (strncmp(rest, "kind_", 5) == 0) {
        asif_text_addf(text, ", kind %s", rest + 5);
    }
    return true;
}
