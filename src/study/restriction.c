/* Values that the planner and the preset of a study fix. The study may repeat them, but not contradict them.
 */
#include "study/study_reader.h"

#include <math.h>
#include <string.h>

asif_restriction asif_reader_restriction(const asif_reader *draft) {
    const asif_planner_ops *planner = asif_planner_find(draft->planner, NULL);
    asif_restriction both = {.acts = true};
    if (planner)
        both = asif_planner_restriction(planner);
    const asif_restriction *more = asif_preset_restriction(draft->preset);
    if (!more)
        return both;
    if (more->alpha.how == ASIF_FIXED)
        both.alpha = more->alpha;
    if (more->beta.how == ASIF_FIXED)
        both.beta = more->beta;
    if (more->eta.how == ASIF_FIXED)
        both.eta = more->eta;
    both.acts &= more->acts;
    both.uniform |= more->uniform;
    both.one_world |= more->one_world;
    if (more->sees)
        both.sees = both.sees ? both.sees & more->sees : more->sees;
    return both;
}

/* Report a contradiction to the planner or the preset, with what to remove. */
static void contradicts(asif_reader *draft, const asif_yaml *at, const char *says, const char *remove) {
    const asif_preset_info *preset = asif_preset_of(draft->preset);
    asif_reader_error(draft, at, "the %s `%s` %s", preset ? "preset" : "planner",
                      preset ? preset->name : draft->planner, says);
    if (remove && preset)
        asif_reader_hint(draft, "remove `%s` here, or the preset", remove);
    else if (remove)
        asif_reader_hint(draft, "remove `%s` here, or take another planner such as bounded-rational", remove);
}

static void fix(asif_reader *draft, const char *name, double value) {
    const asif_reader_parameter *p = asif_reader_find_parameter(draft, name);
    char says[100];
    if (!p || p->bad || (!p->learn && asif_restriction_same(p->value, value)))
        return;
    asif_format(says, sizeof says, "has %s %s", name, asif_show_number(value).text);
    contradicts(draft, p->at, says, name);
}

static bool file_has(const asif_reader *draft, int by) {
    const asif_setting_spec *file = draft->from_file ? asif_setting_get(draft->from_file) : NULL;
    for (uint64_t i = 0; file && !draft->utility_given && i < file->terms; i++)
        if ((int)file->term[i].by == by)
            return true;
    return false;
}

static void check_pieces(asif_reader *draft, const asif_restriction *narrow) {
    const asif_yaml *who = draft->preset ? draft->preset_at : draft->planner_at;
    const asif_learnt *learnt = asif_reader_find_learnt(draft, ASIF_ACTION_PRIOR);
    const double unknown[] = {NAN};
    asif_restriction_facts facts = {!draft->sees_states,
                                    draft->by_observation_at || file_has(draft, ASIF_BY_OBSERVATION),
                                    draft->by_belief_at || file_has(draft, ASIF_BY_BELIEF),
                                    (uint32_t)draft->worlds,
                                    learnt ? 1 : draft->actions.count,
                                    learnt ? unknown : draft->action_prior};
    const asif_yaml *at[ASIF_PIECES] = {
        [ASIF_PIECE_SEES] = who,
        [ASIF_PIECE_WORLDS] = draft->worlds_at,
        [ASIF_PIECE_OBSERVATION] = draft->by_observation_at,
        [ASIF_PIECE_BELIEF] = draft->by_belief_at,
        [ASIF_PIECE_NO_BELIEF] = who,
        [ASIF_PIECE_ACTION_PRIOR] = learnt ? learnt->at : draft->action_prior_at,
    };
    for (uint32_t i = 0; i < ASIF_PIECES; i++) {
        const char *hint, *says = asif_restriction_broken(narrow, (asif_piece)i, &facts, &hint);
        if (!says)
            continue;
        contradicts(draft, at[i] ? at[i] : who, says, NULL);
        asif_reader_hint(draft, "%s", hint);
    }
}

void asif_reader_apply_restriction(asif_reader *draft) {
    asif_restriction narrow = asif_reader_restriction(draft);
    const char *name;
    asif_restriction_number number;
    for (uint32_t i = 0; asif_restriction_number_get(&narrow, i, &name, &number); i++) {
        if (number.how != ASIF_FIXED)
            continue;
        fix(draft, name, number.value);
        if (strcmp(name, "beta") == 0)
            fix(draft, "optimism", 1 / number.value);
    }
    const asif_reader_parameter *act = asif_reader_find_parameter(draft, "act_alpha");
    if (!narrow.acts && act && !act->bad)
        contradicts(draft, act->at, "has no acting temperature of its own", "act_alpha");
    check_pieces(draft, &narrow);
}

asif_status asif_reader_restrict_theta(const asif_reader *draft, asif_theta *theta, asif_error *error) {
    asif_restriction narrow = asif_reader_restriction(draft);
    const char *name;
    asif_restriction_number number;
    asif_status status = ASIF_OK;
    for (uint32_t i = 0; status == ASIF_OK && asif_restriction_number_get(&narrow, i, &name, &number); i++)
        if (number.how != ASIF_FREE)
            status = asif_theta_set(theta, name, number.value, error);
    return status;
}
