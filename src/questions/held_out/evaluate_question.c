/* The question `evaluate`: which of several models predicts best. */
#include "asif/report.h"
#include "base/error.h"
#include "base/text.h"
#include "logs/map/log_map.h"
#include "logs/tree/tree.h"
#include "questions/held_out/models.h"

#include <string.h>

static const asif_option flags[] = {
    {"positive", 0, ASIF_OPTION_TEXT, "ACTION",
     "action whose predictions are scored (default: the last of two actions; none if there are more)", 0, 0,
     offsetof(asif_models_asked, positive)},
    {"rival", 0, ASIF_OPTION_LIST, "NAME",
     "also predictions that are learnt from the logs alone (repeatable): base-rate, last-visit, "
     "recurrent-cloning, recurrent-cloning-published, and, with beliefs, belief-cloning, "
     "joint-belief-cloning, po-irl, po-irl-published and joint-po-irl",
     0, 0, offsetof(asif_models_asked, rival)},
    {"from-step", 0, ASIF_OPTION_COUNT, "N",
     "score also without the decisions of each episode before the N-th", 1, 1e9,
     offsetof(asif_models_asked, from_step)},
    {"relearn", 0, ASIF_OPTION_SWITCH, NULL,
     "learn dynamics that a study marks `learn` in the training part of every fold", 0, 0,
     offsetof(asif_models_asked, relearn)},
    {"people", 0, ASIF_OPTION_SWITCH, NULL,
     "predict also by a population of people who differ, fitted to those of the other folds", 0, 0,
     offsetof(asif_models_asked, people)},
    {"fold-order", 0, ASIF_OPTION_TEXT, "ORDER",
     "`random` (default): subjects in random order; `file`: contiguous folds, in the order of the table", 0,
     0, offsetof(asif_models_asked, fold_order)},
    ASIF_MODELS_OPTIONS,
    ASIF_END_OF_OPTIONS,
};

/* Find the action that is scored; ASIF_ANY: none. */
static asif_status find_positive(uint32_t *out, const asif_asking *asking, asif_error *error) {
    const asif_models_asked *asked = asking->options;
    uint32_t actions = asif_tree_inside(asking->tree)->actions;
    *out = actions == 2 ? 1 : ASIF_ANY;
    if (!asked->positive) {
        if (actions == 2 || !asked->from_step.given)
            return ASIF_OK;
        return asif_fail(error, ASIF_EINVALID,
                         "`from-step` is for scores of one action: name it with `positive`");
    }
    for (uint32_t u = 0; u < actions; u++)
        if (strcmp(asif_tree_label(asking->tree, ASIF_LABEL_ACTION, u), asked->positive) == 0) {
            *out = u;
            return ASIF_OK;
        }
    asif_fail(error, ASIF_EUNKNOWN, "`positive`: there is no action `%s`", asif_show(asked->positive).text);
    asif_error_hint(error, "the last action is `%s`",
                    asif_tree_label(asking->tree, ASIF_LABEL_ACTION, actions - 1));
    return ASIF_EUNKNOWN;
}

static asif_status find_rivals(asif_held_out_options *out, asif_asking *asking, asif_error *error) {
    const asif_models_asked *asked = asking->options;
    const asif_rival **rival = ASIF_ARENA_ARRAY(&asking->arena, asked->rival.count, const asif_rival *);
    if (!rival && asked->rival.count)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < asked->rival.count; i++)
        if (!(rival[i] = asif_rival_find(asked->rival.item[i], error)))
            return ASIF_EUNKNOWN;
    out->rivals = asked->rival.count;
    out->rival = rival;
    return ASIF_OK;
}

/* Whether a column is cut at its mean and standard deviation, which come from all rows. */
static bool cut_by_spread(const asif_log_map *map) {
    for (int role = 0; map && role < ASIF_ROLE_COUNT; role++)
        for (uint32_t c = 0; c < map->role[role].columns; c++)
            if (map->role[role].column[c].spread > 0)
                return true;
    return false;
}

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    const asif_models_asked *asked = asking->options;
    asif_models models;
    asif_held_out_options options;
    asif_held_out *made = NULL;
    ASIF_TRY(asif_models_open(&models, asking, error));
    asif_models_options(&options, asked);
    ASIF_TRY(find_positive(&options.positive, asking, error));
    asif_option_count(&options.from_step, &asked->from_step);
    ASIF_TRY(asif_models_rank(&options.rank, asking, error));
    ASIF_TRY(find_rivals(&options, asking, error));
    options.dynamics = asif_models_dynamics(&models);
    options.people = asked->people;
    if (asked->relearn && !asif_models_relearn(&models))
        asif_asking_note(asking, "no study marks dynamics as `learn`: --relearn changes nothing");
    if (cut_by_spread(asking->map))
        asif_asking_note(asking,
                         "cuts at the mean and standard deviation of a column come from all rows, also from "
                         "those that are held out");
    asif_status status = asif_models_run(&made, asking, &models, &options, error);
    *result = made;
    return status;
}

const asif_question_kind asif_question_evaluate = {
    .info =
        {
            .name = "evaluate",
            .operands = "STUDY... LOGS [flags]",
            .summary = "which model best predicts decisions that it has not seen?",
            .about = "Divides the subjects of LOGS into folds. Each study is fitted without one fold (the "
                     "maximum of its posterior, or the answer of its inverse planner) and predicts the "
                     "decisions in it. One table shows the log-likelihood of the held-out decisions, how "
                     "often the most probable action was taken, calibration (Brier score), average "
                     "precision, and how far the agent's occupancy is from the demonstrator's. Two "
                     "references bound the models: acting at random, and behavioural cloning, which only "
                     "counts. --rival adds predictions that are learnt from the logs without a model. "
                     "With two actions, or with --positive, further tables show scores of one "
                     "action (Brier score, log loss, AUROC, average precision), and differences between "
                     "models, paired over subjects. With --people, each study is fitted a second time as "
                     "`asif people` does, with numbers of their own for everybody. The population of the "
                     "other folds predicts people whom it has not seen. If it does so better than one "
                     "agent for all, people differ.",
            .examples = "  asif evaluate study.yaml other.yaml logs.csv\n"
                        "  asif evaluate study.yaml logs.csv --folds 10 --json\n"
                        "  asif evaluate study.yaml logs.csv --positive treat --from-step 2\n"
                        "  asif evaluate study.yaml logs.csv --people\n",
            .least_operands = 2,
            .most_operands = UINT32_MAX,
            .option = flags,
            .reads_logs = true,
        },
    .options_size = sizeof(asif_models_asked),
    .run = run,
    .json = asif_models_json,
    .text = asif_report_held_out,
    .free = asif_models_discard,
};
