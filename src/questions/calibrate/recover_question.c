/* The question `recover`: truth and estimate. */
#include "asif/report.h"

#include "base/error.h"
#include "questions/calibrate/design.h"

static const asif_option flags[] = {
    ASIF_REPLICATES_OPTIONS("20", "1000", "; also recover.json"),
    {"method", 0, ASIF_OPTION_TEXT, "METHOD",
     "auto (default), ridge, nuts, metropolis, map or ml, as in asif fit", 0, 0,
     offsetof(asif_design_asked, method)},
    {"chains", 0, ASIF_OPTION_COUNT, "N", "chains of each fit (default 2)", 1, 1000,
     offsetof(asif_design_asked, chains)},
    {"warmup", 0, ASIF_OPTION_COUNT, "N", "steps of a chain before its draws (default 1000)", 0, 1e9,
     offsetof(asif_design_asked, warmup)},
    {"draws", 0, ASIF_OPTION_COUNT, "N", "draws kept of a chain (default 1000)", 1, 1e9,
     offsetof(asif_design_asked, draws)},
    {"starts", 0, ASIF_OPTION_COUNT, "N", "points from which a maximum is sought (default 3)", 1, 100000,
     offsetof(asif_design_asked, starts)},
    ASIF_SOLVE_OPTIONS(asif_design_asked),
    ASIF_END_OF_OPTIONS,
};

static asif_status json(char **out, const void *result, asif_error *error) {
    return asif_recover_json(out, result, error);
}

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    static const asif_calibrate_options defaults = ASIF_RECOVER_OPTIONS_INIT;
    asif_design design;
    asif_recover *made = NULL;
    ASIF_TRY(asif_design_open(&design, asking, "recover", &defaults, error));
    asif_status status = asif_recover_run(&made, design.fitted, &design.options, error);
    *result = made;
    return asif_design_end(&design, asking, made, json, status, error);
}

static void discard(void *result) {
    asif_recover_free(result);
}

const asif_question_kind asif_question_recover = {
    .info =
        {
            .name = "recover",
            .operands = "STUDY [flags]",
            .summary = "does a design recover known agents?",
            .about =
                "Simulates the logs of known agents, fits everything that the study marks `learn`, and "
                "compares estimates with truth. -p states true values of what is estimated (it is "
                "estimated all the same), and sets everything else. Truths that are not stated are drawn "
                "from the priors. Prints for every number the mean error (bias), the root mean square "
                "error, and the mean standard deviation that the fits report. It also prints how many 90 % "
                "intervals contained the truth, and the correlation of truth and estimate. --json also has "
                "every truth and estimate, for a scatter plot. With --threads, fits run in parallel. "
                "--people draws populations from the priors of `asif people`, and people from each of "
                "them; what is compared are the numbers of the population.",
            .examples = "  asif recover study.yaml --replicates 50 --threads 4 -o recover\n"
                        "  asif recover study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0 -n 500\n"
                        "  asif recover study.yaml --people 60 -n 20 --threads 4\n",
            .least_operands = 1,
            .most_operands = 1,
            .option = flags,
        },
    .options_size = sizeof(asif_design_asked),
    .run = run,
    .json = json,
    .text = asif_report_recover,
    .free = discard,
};
