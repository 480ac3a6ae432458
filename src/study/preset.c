/* The agents of Jarrett et al. (2021), Table 4, and the classes of inverse decision models of its Table 1, as
 * rows of a table. */
#include "study/study_reader.h"

#include <math.h>
#include <string.h>

/* Requirements of a preset on the study, in addition to the values that it fixes. */
enum {
    NEEDS_ALPHA = 1, /* alpha is above 0 and finite */
    NEEDS_ACT = 2,   /* act_alpha is above 0 and finite */
    GIVEN = 4, /* alpha or act_alpha is assumed, not estimated: the agent is deterministic except for slips */
    NEEDS_BETA = 8,       /* the study has beta or optimism */
    NEEDS_PESSIMISM = 16, /* beta or optimism is below 0 and finite */
    NEEDS_WORLDS = 32,    /* the agent has worlds of its own (subjective dynamics) */
    KNOWS = 64            /* the agent plans in the true environment */
};

/* The paper's limits in the coordinates of this library: alpha^-1 -> 0 is alpha = inf, beta^-1 -> 0 is beta =
 * inf, and eta^-1 -> +-inf is eta = 0. */
struct asif_preset {
    asif_preset_info info;
    asif_restriction narrow; /* in addition to the planner's restriction */
    uint32_t needs;
};

#define SOFT "soft-policy-matching"
#define NEUTRAL .beta = {ASIF_FIXED, INFINITY}, .eta = {ASIF_FIXED, 0}
#define BEST .alpha = {ASIF_FIXED, 0}
static const asif_preset presets[] = {
    /* Table 4 */
    {{"uniformly-random", "takes every action equally often", "bounded-rational", NULL, NULL,
      "Uniformly Random Agent"},
     {.alpha = {ASIF_FIXED, INFINITY}, NEUTRAL, .uniform = true, .one_world = true},
     0},
    {{"deterministic-optimal", "always takes the best action", "bounded-rational", NULL, NULL,
      "Deterministic, Optimal Agent"},
     {BEST, NEUTRAL, .one_world = true},
     0},
    {{"boltzmann-exploratory", "a softmax on top of optimal values", "bounded-rational", NULL, NULL,
      "Boltzmann-Exploratory Agent"},
     {BEST, NEUTRAL, .acts = true, .one_world = true},
     NEEDS_ACT},
    {{"minimum-information", "weighs utility against the information in its actions and in what it sees",
      "bounded-rational", NULL, NULL, "Minimum-Information Agent"},
     {.alpha = {ASIF_FIXED, 1},
      .beta = {ASIF_FIXED, INFINITY},
      .eta = {ASIF_FIXED, 1},
      .one_world = true,
      .sees = ASIF_SEES_STATES},
     0},
    {{"maximum-entropy", "soft-optimal with a uniform action prior", "bounded-rational", NULL, NULL,
      "Maximum Entropy Agent"},
     {NEUTRAL, .uniform = true, .one_world = true, .sees = ASIF_SEES_STATES},
     NEEDS_ALPHA},
    {{"kl-regularized", "soft-optimal with any action prior", "bounded-rational", NULL, NULL,
      "(Action) KL-Regularized Agent"},
     {NEUTRAL, .one_world = true, .sees = ASIF_SEES_STATES},
     NEEDS_ALPHA},
    {{"kl-penalized-robust", "takes the best action in the worlds that would be worst", "bounded-rational",
      NULL, NULL, "KL-Penalized Robust Agent"},
     {BEST, .eta = {ASIF_FIXED, 0}, .sees = ASIF_SEES_STATES},
     NEEDS_PESSIMISM},
    /* Table 1 */
    {{"bc-il", "behavioural cloning: a rule from what is seen to actions", "decision-rule", SOFT, "utility",
      "BC-IL"},
     {.acts = true},
     KNOWS},
    {{"subjective-bc-il", "behavioural cloning of decision boundaries over beliefs in subjective dynamics",
      "decision-boundaries", SOFT, "means, world_weights", "Subj. BC-IL"},
     {.acts = true},
     NEEDS_WORLDS},
    {{"deterministic-dm-il", "a rule that hardly errs, whose occupancy is the demonstrator's",
      "decision-rule", "distribution-matching", "utility", "Det. DM-IL"},
     {.sees = ASIF_SEES_STATES},
     NEEDS_ALPHA | GIVEN | KNOWS},
    {{"stochastic-dm-il", "a rule whose occupancy is the demonstrator's", "decision-rule",
      "distribution-matching", "utility", "Stoc. DM-IL"},
     {.acts = true, .sees = ASIF_SEES_STATES},
     KNOWS},
    {{"deterministic-irl", "utilities under which what was done is best, in states that are seen",
      "model-based-mdp", "maximum-margin", "utility", "Det. IRL"},
     {.sees = ASIF_SEES_STATES},
     KNOWS},
    {{"stochastic-irl", "utilities of an agent that plans for the best and acts with errors",
      "model-based-mdp", SOFT, "utility, act_alpha", "Stoc. IRL"},
     {.acts = true},
     NEEDS_ACT | KNOWS},
    {{"subjective-irl", "utilities, and the world in which what was done makes sense", "model-based-mdp",
      SOFT, "utility, act_alpha, world_weights", "Subj. IRL"},
     {.acts = true},
     NEEDS_ACT | NEEDS_WORLDS},
    {{"risk-sensitive-irl", "utilities, and how the agent takes not knowing which of its worlds it is in",
      "bounded-rational", SOFT, "utility, optimism, world_weights", "RS-IRL"},
     {BEST, .eta = {ASIF_FIXED, 0}, .acts = true, .sees = ASIF_SEES_STATES},
     NEEDS_ACT | GIVEN | NEEDS_BETA | NEEDS_WORLDS},
    {{"deterministic-po-irl", "utilities of an agent that hardly errs, on beliefs", "model-based-pomdp", SOFT,
      "utility", "Det. PO-IRL"},
     {.acts = true},
     NEEDS_ACT | GIVEN | KNOWS},
    {{"stochastic-po-irl", "utilities of an agent that plans for the best and acts with errors, on beliefs",
      "model-based-pomdp", SOFT, "utility, act_alpha", "Stoc. PO-IRL"},
     {.acts = true},
     NEEDS_ACT | KNOWS},
    {{"subjective-po-irl", "utilities, and the world in which beliefs came about", "model-based-pomdp", SOFT,
      "utility, act_alpha, world_weights", "Subj. PO-IRL"},
     {.acts = true},
     NEEDS_ACT | NEEDS_WORLDS},
    {{"maximum-entropy-irl", "utilities of an agent that values the entropy of its actions",
      "maximum-entropy", SOFT, "utility, alpha", "ME-IRL"},
     {.sees = ASIF_SEES_STATES},
     NEEDS_ALPHA | KNOWS},
    {{"subjective-maximum-entropy-irl",
      "utilities of an agent that values the entropy of its actions, and its world", "maximum-entropy", SOFT,
      "utility, alpha, world_weights", "Subj. ME-IRL"},
     {.sees = ASIF_SEES_STATES},
     NEEDS_ALPHA | NEEDS_WORLDS},
    {{"inverse-bounded-rational-control",
      "how flexible, optimistic and averse to surprise an agent would have to be, and what it would want",
      "bounded-rational", SOFT, "utility, alpha, optimism, eta, world_weights",
      "Inverse Bounded Rational Control"},
     {.acts = true},
     0},
};
enum { PRESETS = sizeof presets / sizeof *presets };

const asif_preset_info *asif_preset_get(uint32_t i) {
    return i < PRESETS ? &presets[i].info : NULL;
}

const asif_preset_info *asif_preset_named(const char *name) {
    for (uint32_t i = 0; name && i < PRESETS; i++)
        if (strcmp(presets[i].info.name, name) == 0)
            return &presets[i].info;
    return NULL;
}

const asif_preset_info *asif_preset_of(const asif_preset *preset) {
    return preset ? &preset->info : NULL;
}

const asif_restriction *asif_preset_restriction(const asif_preset *preset) {
    return preset ? &preset->narrow : NULL;
}

bool asif_preset_needs_alpha(const asif_preset *preset) {
    return preset && (preset->needs & NEEDS_ALPHA);
}

/* Read the name of the preset; the planner has been read before. */
void asif_reader_read_preset(asif_reader *draft, const asif_yaml *node) {
    const char *names[PRESETS];
    uint32_t i = 0;
    for (uint32_t k = 0; k < PRESETS; k++)
        names[k] = presets[k].info.name;
    draft->preset_at = node;
    if (!asif_reader_choice(draft, node, "`preset`", names, PRESETS, &i))
        return;
    const asif_preset_info *info = &presets[i].info;
    if (draft->planner_at && strcmp(draft->planner, info->planner) != 0) {
        asif_reader_error(draft, draft->planner_at, "the preset `%s` has the planner `%s`", info->name,
                          info->planner);
        asif_reader_hint(draft, "remove `planner`, or the preset");
        return;
    }
    if (!asif_planner_find(info->planner, NULL)) {
        asif_reader_error(draft, node,
                          "the preset `%s` needs the planner `%s`, which this build does not have",
                          info->name, info->planner);
        asif_reader_hint(draft, "`asif list planners` names those that there are");
        return;
    }
    draft->planner = info->planner;
    draft->preset = &presets[i];
}

/* ---- what a preset needs ---- */

static void need_alpha(asif_reader *draft, const char *name) {
    const asif_reader_parameter *p = asif_reader_find_parameter(draft, name);
    const char *preset = draft->preset->info.name;
    bool given = draft->preset->needs & GIVEN;
    if (!p) {
        asif_reader_error(draft, draft->preset_at, "the preset `%s` needs `%s`", preset, name);
        if (given)
            asif_reader_hint(draft, "give a small number under `parameters`: `%s: 0.1`", name);
        else
            asif_reader_hint(draft, "write `%s: learn` or a number above 0 under `parameters`", name);
    } else if (!p->bad && given && p->learn) {
        asif_reader_error(draft, p->at, "the preset `%s` does not estimate `%s`", preset, name);
        asif_reader_hint(draft, "give a small number: the agent is deterministic but for slips");
    } else if (!p->bad && (p->learn ? p->negative : !(p->value > 0 && isfinite(p->value)))) {
        asif_reader_error(draft, p->at, "the preset `%s` needs `%s` above 0 and finite", preset, name);
        asif_reader_hint(draft, "give such a number, or remove the preset");
    }
}

static void need_beta(asif_reader *draft, bool negative) {
    const asif_reader_parameter *beta = asif_reader_find_parameter(draft, "beta");
    const asif_reader_parameter *p = beta ? beta : asif_reader_find_parameter(draft, "optimism");
    if (!p) {
        asif_reader_error(draft, draft->preset_at, "the preset `%s` needs `beta` or `optimism`",
                          draft->preset->info.name);
        asif_reader_hint(draft, "write `beta: learn` or a number%s under `parameters`",
                         negative ? " below 0" : "");
    } else if (negative && !p->bad && !p->learn && !(p->value < 0 && isfinite(p->value))) {
        asif_reader_error(draft, p->at, "the preset `%s` needs `%s` below 0 and finite",
                          draft->preset->info.name, p->name);
        asif_reader_hint(draft, "give such a number, or remove the preset");
    }
}

void asif_reader_apply_preset(asif_reader *draft) {
    const asif_preset *preset = draft->preset;
    if (!preset)
        return;
    if (preset->needs & NEEDS_ALPHA)
        need_alpha(draft, "alpha");
    if (preset->needs & NEEDS_ACT)
        need_alpha(draft, "act_alpha");
    if (preset->needs & (NEEDS_BETA | NEEDS_PESSIMISM))
        need_beta(draft, preset->needs & NEEDS_PESSIMISM);
    if ((preset->needs & NEEDS_WORLDS) && !draft->worlds_at) {
        asif_reader_error(draft, draft->preset_at, "the preset `%s` needs `worlds`", preset->info.name);
        asif_reader_hint(draft, "list the worlds that the agent may hold to be true, with `world_weights: "
                                "learn` to find out");
    }
    if ((preset->needs & KNOWS) && draft->worlds_at) {
        asif_reader_error(draft, draft->worlds_at, "the preset `%s` knows the environment as it is",
                          preset->info.name);
        asif_reader_hint(draft, "remove `worlds`, or take a preset of subjective dynamics");
    }
}

/* ---- combinations of planner, inverse planner and preset ---- */

void asif_reader_check_pair(asif_reader *draft) {
    const asif_preset_info *preset = asif_preset_of(draft->preset);
    const asif_yaml *at = draft->inverse_at;
    if (preset && preset->inverse && !at) {
        const asif_inverse_info *info = asif_inverse_named(preset->inverse);
        at = draft->preset_at;
        if (!info) {
            asif_reader_error(
                draft, at, "the preset `%s` needs the inverse planner `%s`, which this build does not have",
                preset->name, preset->inverse);
            asif_reader_hint(draft, "`asif list inverses` names those that there are");
            return;
        }
        draft->inverse = info->name;
    } else if (preset && preset->inverse && strcmp(draft->inverse, preset->inverse) != 0) {
        asif_reader_error(draft, at, "the preset `%s` has the inverse planner `%s`", preset->name,
                          preset->inverse);
        asif_reader_hint(draft, "remove `inverse`, or the preset");
        return;
    }
    const asif_planner_ops *planner = asif_planner_find(draft->planner, NULL);
    const asif_inverse_info *inverse = asif_inverse_named(draft->inverse);
    if (!at || !planner || !inverse)
        return;
    const char *why = asif_pair_refused(&planner->info, inverse);
    if (!why && !(inverse->sees & (draft->sees_states ? ASIF_SEES_STATES : ASIF_SEES_BELIEFS)))
        why = draft->sees_states ? "needs observations" : "needs states that are seen";
    if (!why && asif_reader_stops(draft) && !inverse->likelihood)
        why = "knows neither horizons nor actions after which nothing follows";
    if (!why && draft->parts && !inverse->likelihood)
        why = "does not know states of which a part is seen";
    if (why) {
        asif_reader_error(draft, at, "the inverse planner `%s` does not go with `%s` here: it %s",
                          inverse->name, draft->planner, why);
        asif_reader_hint(draft, "`asif list pairs` shows what goes together");
    }
}
