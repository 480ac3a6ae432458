/* The agents of Jarrett et al. (2021), Table 4, as rows of a table. */
#include "study/draft.h"

#include <math.h>
#include <string.h>

/* What a row fixes, in our coordinates: alpha^-1 -> 0 is alpha = inf, beta^-1 -> 0 is beta = inf, eta^-1 -> +-inf is
 * eta = 0. NaN: the study gives it. */
struct asif_preset {
    asif_preset_info info;
    double alpha, beta, eta;
    bool acts;        /* needs act_alpha */
    bool robust;      /* needs a negative, finite optimism */
    bool uniform;     /* action prior */
    bool many_worlds; /* else the model prior is a Dirac */
    bool sees_states; /* full observability */
};

static const asif_preset presets[] = {
    {{"uniformly-random", "takes every action equally often"},
     INFINITY,
     INFINITY,
     0,
     false,
     false,
     true,
     false,
     false},
    {{"deterministic-optimal", "always takes the best action"},
     0,
     INFINITY,
     0,
     false,
     false,
     false,
     false,
     false},
    {{"boltzmann-exploratory", "a softmax on top of optimal values"},
     0,
     INFINITY,
     0,
     true,
     false,
     false,
     false,
     false},
    {{"minimum-information", "weighs utility against the information in its actions and in what it sees"},
     1,
     INFINITY,
     1,
     false,
     false,
     false,
     false,
     true},
    {{"maximum-entropy", "soft-optimal with a uniform action prior"},
     NAN,
     INFINITY,
     0,
     false,
     false,
     true,
     false,
     true},
    {{"kl-regularized", "soft-optimal with any action prior"},
     NAN,
     INFINITY,
     0,
     false,
     false,
     false,
     false,
     true},
    {{"kl-penalized-robust", "takes the best action in the worlds that would be worst"},
     0,
     NAN,
     0,
     false,
     true,
     false,
     true,
     true},
};
enum { PRESETS = sizeof presets / sizeof *presets };

const asif_preset_info *asif_preset_get(uint32_t i) {
    return i < PRESETS ? &presets[i].info : NULL;
}

void asif_draft_read_preset(asif_draft *draft, const asif_yaml *node) {
    const char *names[PRESETS];
    uint32_t i = 0;
    for (uint32_t k = 0; k < PRESETS; k++)
        names[k] = presets[k].info.name;
    if (asif_draft_choice(draft, node, "`preset`", names, PRESETS, &i))
        draft->preset = &presets[i];
    draft->preset_at = node;
}

static void contradicts(asif_draft *draft, const asif_yaml *at, const char *what) {
    asif_draft_error(draft, at, "the preset `%s` %s", draft->preset->info.name, what);
}

/* Give a parameter the preset's value; the study may say the same but nothing else. */
static void fix(asif_draft *draft, const char *name, double value, const char *text) {
    asif_draft_parameter *p = asif_draft_find_parameter(draft, name);
    if (p && strcmp(name, "optimism") == 0)
        value = 1 / value;
    if (p && !p->bad && (p->learn || p->value != value)) {
        asif_draft_error(draft, p->at, "the preset `%s` has %s %s", draft->preset->info.name, name,
                         p->name[0] == 'o' ? "0" : text);
        asif_draft_hint(draft, "remove `%s` here, or the preset", name);
    }
}

static void need_alpha(asif_draft *draft, const char *name) {
    const asif_draft_parameter *p = asif_draft_find_parameter(draft, name);
    if (!p) {
        asif_draft_error(draft, draft->preset_at, "the preset `%s` needs `%s`", draft->preset->info.name,
                         name);
        asif_draft_hint(draft, "write `%s: learn` or a number above 0 under `parameters`", name);
    } else if (!p->bad && (p->learn ? p->negative : !(p->value > 0 && isfinite(p->value)))) {
        asif_draft_error(draft, p->at, "the preset `%s` needs `%s` above 0 and finite",
                         draft->preset->info.name, name);
        asif_draft_hint(draft, "give such a number, or remove the preset");
    }
}

static void need_pessimism(asif_draft *draft) {
    const asif_draft_parameter *beta = asif_draft_find_parameter(draft, "beta");
    const asif_draft_parameter *p = beta ? beta : asif_draft_find_parameter(draft, "optimism");
    if (!p) {
        asif_draft_error(draft, draft->preset_at, "the preset `%s` needs `beta` or `optimism`",
                         draft->preset->info.name);
        asif_draft_hint(draft, "write `beta: learn` or a number below 0 under `parameters`");
    } else if (!p->bad && !p->learn && !(p->value < 0 && isfinite(p->value))) {
        asif_draft_error(draft, p->at, "the preset `%s` needs `%s` below 0 and finite",
                         draft->preset->info.name, p->name);
        asif_draft_hint(draft, "give such a number, or remove the preset");
    }
}

static bool is_uniform(const double *p, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (fabs(p[i] * n - 1) > 1e-5)
            return false;
    return true;
}

void asif_draft_apply_preset(asif_draft *draft) {
    const asif_preset *preset = draft->preset;
    if (!preset)
        return;
    const asif_draft_parameter *act = asif_draft_find_parameter(draft, "act_alpha");
    if (preset->acts) {
        need_alpha(draft, "act_alpha");
    } else if (act && !act->bad) {
        contradicts(draft, act->at, "has no acting temperature of its own");
        asif_draft_hint(draft, "remove `act_alpha`, or take the preset `boltzmann-exploratory`");
    }
    if (isnan(preset->alpha))
        need_alpha(draft, "alpha");
    else
        fix(draft, "alpha", preset->alpha, preset->alpha == 0 ? "0" : preset->alpha == 1 ? "1" : "inf");
    if (preset->robust) {
        need_pessimism(draft);
    } else {
        fix(draft, "beta", preset->beta, "inf");
        fix(draft, "optimism", preset->beta, "0");
    }
    fix(draft, "eta", preset->eta, preset->eta == 0 ? "0" : "1");
    if (preset->uniform && draft->action_prior && !is_uniform(draft->action_prior, draft->actions.count)) {
        contradicts(draft, draft->action_prior_at, "has a uniform action prior");
        asif_draft_hint(draft, "remove `action_prior`, or take the preset `kl-regularized`");
    }
    const asif_learnt *learnt = asif_draft_find_learnt(draft, ASIF_ACTION_PRIOR);
    if (preset->uniform && learnt) {
        contradicts(draft, learnt->at, "has a uniform action prior");
        asif_draft_hint(draft, "remove `action_prior`, or take the preset `kl-regularized`");
    }
    if (!preset->many_worlds && draft->worlds > 1) {
        contradicts(draft, draft->worlds_at, "knows one world");
        asif_draft_hint(draft, "give one world, or leave `worlds` out for the environment");
    }
    if (preset->sees_states && !draft->sees_states) {
        contradicts(draft, draft->preset_at, "sees the state");
        asif_draft_hint(draft, "remove `observations` (and `emissions`), or the preset");
    }
}

const char *asif_preset_name(const asif_preset *preset) {
    return preset ? preset->info.name : NULL;
}

asif_status asif_preset_set(const asif_preset *preset, asif_theta *theta, asif_error *error) {
    const struct {
        const char *name;
        double value;
    } fixed[] = {{"alpha", preset->alpha}, {"beta", preset->beta}, {"eta", preset->eta}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        asif_status status =
            isnan(fixed[i].value) ? ASIF_OK : asif_theta_set(theta, fixed[i].name, fixed[i].value, error);
        if (status != ASIF_OK)
            return status;
    }
    return ASIF_OK;
}
