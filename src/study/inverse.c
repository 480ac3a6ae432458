/* The section `inverse`: a name, or a name with what that inverse planner is told. */
#include "study/draft.h"

#include "asif/inverse.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

static void read_name(asif_draft *draft, const asif_yaml *node) {
    if (!asif_draft_kind(draft, node, ASIF_YAML_SCALAR, "`inverse`"))
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
    asif_draft_error(draft, node, "there is no inverse planner `%s`", asif_show(node->text).text);
    if (near)
        asif_draft_hint(draft, "did you mean `%s`?", near);
    else
        asif_draft_hint(draft, "`asif list inverses` names them; the default is soft-policy-matching");
}

static void read_divergence(asif_draft *draft, const asif_yaml *node) {
    const char *names[16];
    uint32_t n = 0, i = 0;
    while (n < COUNT(names) && (names[n] = asif_divergence_text((asif_divergence)n)))
        n++;
    if (asif_draft_choice(draft, node, "`divergence`", names, n, &i))
        draft->asked.divergence = (asif_divergence)i;
}

static void read_positive(asif_draft *draft, const asif_yaml *node, const char *what, bool zero,
                          double *out) {
    double x = 0;
    if (!asif_draft_number(draft, node, what, &x))
        return;
    if (isfinite(x) && (zero ? x >= 0 : x > 0))
        *out = x;
    else
        asif_draft_error(draft, node, "%s must be a number %s 0, not %s", what, zero ? "not below" : "above",
                         asif_show(node->text).text);
}

static void read_entropy(asif_draft *draft, const asif_yaml *node) {
    read_positive(draft, node, "`entropy`", true, &draft->asked.entropy);
}

static void read_weight(asif_draft *draft, const asif_yaml *node) {
    read_positive(draft, node, "`weight`", false, &draft->asked.weight);
}

static void read_margin(asif_draft *draft, const asif_yaml *node) {
    read_positive(draft, node, "`margin`", true, &draft->asked.margin);
}

static void read_horizon(asif_draft *draft, const asif_yaml *node) {
    double x = 0;
    read_positive(draft, node, "`horizon`", false, &x);
    if (x == floor(x) && x <= 1e6)
        draft->asked.horizon = (uint32_t)x;
    else
        asif_draft_error(draft, node, "`horizon` must be a whole number of decisions");
}

static void read_p(asif_draft *draft, const asif_yaml *node) {
    static const char *const norms[] = {"1", "2", "inf"};
    uint32_t i = 0;
    if (asif_draft_choice(draft, node, "`p`", norms, COUNT(norms), &i))
        draft->asked.p = i == 2 ? (double)INFINITY : (double)i + 1;
}

static void read_variant(asif_draft *draft, const asif_yaml *node) {
    static const char *const variants[] = {"occupancy", "ng-russell"};
    uint32_t i = 0;
    if (asif_draft_choice(draft, node, "`variant`", variants, COUNT(variants), &i))
        draft->asked.ng_russell = i == 1;
}

static void read_column(asif_draft *draft, const asif_yaml *node) {
    if (asif_draft_kind(draft, node, ASIF_YAML_SCALAR, "the name of a column"))
        draft->asked.column = node->text;
}

static void read_pairs(asif_draft *draft, const asif_yaml *node) {
    if (asif_draft_kind(draft, node, ASIF_YAML_SCALAR, "`pairs`"))
        draft->asked.pairs = node->text;
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
    {"environments", asif_draft_read_environments, "environments, by their name in that column"},
};

void asif_draft_read_inverse(asif_draft *draft, const asif_yaml *node) {
    if (node->kind != ASIF_YAML_MAP) {
        read_name(draft, node);
        asif_draft_check_environments(draft, node);
        return;
    }
    if (asif_draft_section(draft, node, "inverse", keys, COUNT(keys)) && !asif_yaml_get(node, "name")) {
        asif_draft_parse_error(draft, node, "`inverse` has no `name`");
        asif_draft_hint(draft, "write `inverse: {name: distribution-matching, ...}`");
    }
    asif_draft_check_environments(draft, node);
}
