/* The section `inverse`: the name of an inverse planner, or a mapping with its name and options. */
#include "study/study_reader.h"

#include "asif/inverse.h"
#include "inverse/solve/divergence.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

static void read_name(asif_reader *draft, const asif_yaml *node) {
    if (!asif_reader_kind(draft, node, ASIF_YAML_SCALAR, "`inverse`"))
        return;
    const asif_inverse_info *info = asif_inverse_named(node->text);
    if (info) {
        draft->inverse = info->name;
        draft->inverse_at = node;
        return;
    }
    const char *names[64];
    uint32_t n = 0;
    for (; n < COUNT(names) && (info = asif_inverse_get(n)); n++)
        names[n] = info->name;
    const char *near = asif_nearest_word(node->text, names, n);
    asif_reader_error(draft, node, "there is no inverse planner `%s`", asif_show(node->text).text);
    if (near)
        asif_reader_hint(draft, "did you mean `%s`?", near);
    else
        asif_reader_hint(draft, "`asif list inverses` names them; the default is soft-policy-matching");
}

static void read_divergence(asif_reader *draft, const asif_yaml *node) {
    const char *names[16];
    uint32_t n = 0, i = 0;
    while (n < COUNT(names) && (names[n] = asif_divergence_text((asif_divergence)n)))
        n++;
    if (asif_reader_choice(draft, node, "`divergence`", names, n, &i))
        draft->inverse_options.divergence = (asif_divergence)i;
}

static void read_positive(asif_reader *draft, const asif_yaml *node, const char *what, bool zero,
                          double *out) {
    double x = 0;
    if (!asif_reader_number(draft, node, what, &x))
        return;
    if (isfinite(x) && (zero ? x >= 0 : x > 0))
        *out = x;
    else
        asif_reader_error(draft, node, "%s must be a number %s 0, not %s", what, zero ? "not below" : "above",
                          asif_show(node->text).text);
}

static void read_entropy(asif_reader *draft, const asif_yaml *node) {
    read_positive(draft, node, "`entropy`", true, &draft->inverse_options.entropy);
}

static void read_weight(asif_reader *draft, const asif_yaml *node) {
    read_positive(draft, node, "`weight`", false, &draft->inverse_options.weight);
}

static void read_margin(asif_reader *draft, const asif_yaml *node) {
    read_positive(draft, node, "`margin`", true, &draft->inverse_options.margin);
}

static void read_horizon(asif_reader *draft, const asif_yaml *node) {
    double x = 0;
    read_positive(draft, node, "`horizon`", false, &x);
    if (x == floor(x) && x <= 1e6)
        draft->inverse_options.horizon = (uint32_t)x;
    else
        asif_reader_error(draft, node, "`horizon` must be a whole number of decisions");
}

static void read_p(asif_reader *draft, const asif_yaml *node) {
    static const char *const norms[] = {"1", "2", "inf"};
    uint32_t i = 0;
    if (asif_reader_choice(draft, node, "`p`", norms, COUNT(norms), &i))
        draft->inverse_options.p = i == 2 ? (double)INFINITY : (double)i + 1;
}

static void read_variant(asif_reader *draft, const asif_yaml *node) {
    static const char *const variants[] = {"occupancy", "ng-russell"};
    uint32_t i = 0;
    if (asif_reader_choice(draft, node, "`variant`", variants, COUNT(variants), &i))
        draft->inverse_options.ng_russell = i == 1;
}

static void read_column(asif_reader *draft, const asif_yaml *node) {
    if (asif_reader_kind(draft, node, ASIF_YAML_SCALAR, "the name of a column"))
        draft->inverse_options.column = node->text;
}

static void read_pairs(asif_reader *draft, const asif_yaml *node) {
    if (asif_reader_kind(draft, node, ASIF_YAML_SCALAR, "`pairs`"))
        draft->inverse_options.pairs = node->text;
}

static const asif_study_key keys[] = {
    {"name", read_name, "which one"},
    {"divergence", read_divergence, "what distribution matching measures"},
    {"entropy", read_entropy, "weight of the causal entropy, of distribution matching"},
    {"horizon", read_horizon, "decisions of a history, of distribution matching"},
    {"p", read_p, "norm: 1, 2 or inf"},
    {"margin", read_margin, "by how much what was done is better, of minimum perturbation"},
    {"weight", read_weight, "of the regulariser"},
    {"variant", read_variant, "of maximum margin"},
    {"score", read_column, "column with the score of each episode"},
    {"batch", read_column, "column with the batch of each episode"},
    {"environment", read_column, "column with the environment of each episode"},
    {"pairs", read_pairs, "table of pairs of episodes: worse, better"},
    {"environments", asif_reader_read_environments, "environments, by their name in that column"},
};

void asif_reader_read_inverse(asif_reader *draft, const asif_yaml *node) {
    if (node->kind != ASIF_YAML_MAP) {
        read_name(draft, node);
        asif_reader_check_environments(draft, node);
        return;
    }
    if (asif_reader_section(draft, node, "inverse", keys, COUNT(keys)) && !asif_yaml_get(node, "name")) {
        asif_reader_parse_error(draft, node, "`inverse` has no `name`");
        asif_reader_hint(draft, "write `inverse: {name: distribution-matching, ...}`");
    }
    asif_reader_check_environments(draft, node);
}
