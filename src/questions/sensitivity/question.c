/* The question `sensitivity`. */
#include "questions/sensitivity/sensitivity.h"

#include "base/error.h"
#include "base/text.h"
#include "questions/question.h"

#include <math.h>
#include <string.h>

typedef struct {
    asif_list_option vary;
    asif_count_option points, draws, starts, seed;
} sensitivity_asked;

static const asif_option flags[] = {
    {"vary", 0, ASIF_OPTION_LIST, "NAME=A:B",
     "assumption to vary from A to B (repeatable: one at a time): a parameter with a fixed value, discount, "
     "or worlds, a factor on the spread of the candidate worlds. NAME alone: from half to one and a half "
     "times its value (discount: 1 - discount from twice to half). Default: every named utility with a fixed "
     "value, discount, and worlds",
     0, 0, offsetof(sensitivity_asked, vary)},
    {"points", 0, ASIF_OPTION_COUNT, "N",
     "evenly spaced values of each range, with its ends; the assumed value is added (default 9)", 2, 1000,
     offsetof(sensitivity_asked, points)},
    {"draws", 0, ASIF_OPTION_COUNT, "N",
     "draws of each of two chains at the ends of each range, from weighted points along the ridge, or by "
     "random walks after as many warm-up steps where those fail (default 500); 0: none",
     0, 1e9, offsetof(sensitivity_asked, draws)},
    {"starts", 0, ASIF_OPTION_COUNT, "N",
     "how widely each maximum is sought besides its neighbours: 16 N points from the priors (default 4)", 0,
     100000, offsetof(sensitivity_asked, starts)},
    {"output", 'o', ASIF_OPTION_OUTPUT, "FILE",
     "also write a table (CSV) with one row for every number at every value", 0, 0, 0},
    {"seed", 0, ASIF_OPTION_COUNT, "N", "seed of the random numbers (default: the fit's)", 0, 0,
     offsetof(sensitivity_asked, seed)},
    ASIF_END_OF_OPTIONS,
};

static bool read_ends(asif_sensitivity_range *range, const char *from) {
    const char *colon = strchr(from, ':');
    return colon && asif_number_read(from, (uint64_t)(colon - from), &range->from) &&
           asif_number_read(colon + 1, strlen(colon + 1), &range->to);
}

/* Read NAME or NAME=A:B. */
static asif_status read_range(asif_sensitivity_range *out, asif_arena *arena, const char *vary,
                              asif_error *error) {
    size_t length = strcspn(vary, "=");
    *out = (asif_sensitivity_range){.from = NAN, .to = NAN};
    if (length == 0 || (vary[length] && !read_ends(out, vary + length + 1))) {
        asif_fail(error, ASIF_EPARSE, "--vary takes NAME or NAME=A:B with two numbers, not '%s'",
                  asif_show(vary).text);
        asif_error_hint(error, "for example --vary wrong=-20:-60, or --vary worlds");
        return ASIF_EPARSE;
    }
    out->name = asif_arena_text(arena, vary, length);
    return out->name ? ASIF_OK : asif_fail_memory(error);
}

static asif_status choose(asif_sensitivity_options *out, asif_asking *asking, const asif_result_view *fit,
                          asif_error *error) {
    const sensitivity_asked *asked = asking->options;
    asif_sensitivity_range *range =
        ASIF_ARENA_ARRAY(&asking->arena, (uint64_t)asked->vary.count + 1, asif_sensitivity_range);
    if (!range)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < asked->vary.count; i++)
        ASIF_TRY(read_range(&range[i], &asking->arena, asked->vary.item[i], error));
    *out = (asif_sensitivity_options)ASIF_SENSITIVITY_OPTIONS_INIT;
    out->range = range;
    out->ranges = asked->vary.count;
    out->seed = fit->fitted->seed;
    out->by = fit->group_column;
    out->value = fit->group_value;
    asif_option_count(&out->points, &asked->points);
    asif_option_count(&out->starts, &asked->starts);
    asif_option_count64(&out->draws, &asked->draws);
    asif_option_count64(&out->warmup, &asked->draws);
    asif_option_count64(&out->seed, &asked->seed);
    return ASIF_OK;
}

static asif_status refuse_rivals(const asif_result_view *fit, asif_error *error) {
    asif_fail(
        error, ASIF_EINVALID,
        "the fit in %s has rival explanations, and there is no one answer whose changes could be followed",
        fit->folder);
    asif_error_hint(error,
                    "an assumption that rules the others out leaves one: for example a prior for their sign");
    return ASIF_EINVALID;
}

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    asif_result_view fit;
    asif_sensitivity_options options;
    asif_sensitivity *made = NULL;
    ASIF_TRY(asif_asking_fit(asking, asking->operand[0], &fit, error));
    if (fit.rivals)
        return refuse_rivals(&fit, error);
    ASIF_TRY(choose(&options, asking, &fit, error));
    asif_status status = asif_sensitivity_run(&made, fit.fitted, &options, error);
    *result = made;
    return status;
}

static asif_status json(char **out, const void *result, asif_error *error) {
    return asif_sensitivity_json(out, result, error);
}

static void discard(void *result) {
    asif_sensitivity_free(result);
}

static asif_status table(char **out, const void *result, asif_error *error) {
    return asif_sensitivity_csv(out, result, error);
}

const asif_question_kind asif_question_sensitivity = {
    .info =
        {
            .name = "sensitivity",
            .operands = "DIR [flags]",
            .summary = "does the answer change under other assumptions?",
            .about = "Refits with other values of the assumptions of a fit, one at a time. At each value it "
                     "finds the maximum of the posterior (with the priors of that value), its "
                     "log-likelihood, and standard deviations; at the ends of the range it draws from the "
                     "posterior. Shows how far each number moves, where a sign reverses and what that costs "
                     "in nats of log-likelihood, and which statements about the agent survive: those whose "
                     "sign stays the same wherever the value costs at most 3 nats. DIR is the folder of a "
                     "finished fit, or of fits by groups (fit --by): then each group has its own answer.",
            .examples = "  asif sensitivity fit\n"
                        "  asif sensitivity fit --vary wrong=-20:-60 --points 11 --threads 4\n"
                        "  asif sensitivity fit --vary discount=0.9:0.99 --vary worlds -o table.csv\n",
            .least_operands = 1,
            .most_operands = 1,
            .option = flags,
        },
    .options_size = sizeof(sensitivity_asked),
    .of_fit = true,
    .run = run,
    .json = json,
    .text = asif_report_sensitivity,
    .table = table,
    .free = discard,
};
