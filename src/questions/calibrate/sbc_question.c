/* The question `sbc`: ranks of true values among draws. */
#include "asif/report.h"

#include "base/error.h"
#include "questions/calibrate/design.h"

static const asif_option flags[] = {
    ASIF_REPLICATES_OPTIONS("100", "200", "; also sbc.json"),
    {"bins", 0, ASIF_OPTION_COUNT, "N", "bins of the histograms of ranks (default 20)", 2, 1000,
     offsetof(asif_design_asked, bins)},
    {"draws", 0, ASIF_OPTION_COUNT, "N",
     "draws of each posterior among which the truth is ranked, one fewer than a multiple of --bins (default "
     "about 100)",
     1, 1e6, offsetof(asif_design_asked, draws)},
    {"method", 0, ASIF_OPTION_TEXT, "METHOD", "auto (default, as in asif fit), ridge, nuts or metropolis", 0,
     0, offsetof(asif_design_asked, method)},
    {"chains", 0, ASIF_OPTION_COUNT, "N", "chains of each fit (default 4)", 1, 1000,
     offsetof(asif_design_asked, chains)},
    {"warmup", 0, ASIF_OPTION_COUNT, "N", "steps of a chain before its draws (default 1000)", 0, 1e9,
     offsetof(asif_design_asked, warmup)},
    {"starts", 0, ASIF_OPTION_COUNT, "N", "points from which a maximum is sought (default 9)", 1, 100000,
     offsetof(asif_design_asked, starts)},
    {"wrong-prior", 0, ASIF_OPTION_NUMBER, "X",
     "fit with priors that are X times as wide as those of the truths, to see the test fail", 1e-6, 1e6,
     offsetof(asif_design_asked, scale)},
    ASIF_SOLVE_OPTIONS(asif_design_asked),
    ASIF_END_OF_OPTIONS,
};

static asif_status refuse_truth(const char *name, asif_error *error) {
    asif_fail(error, ASIF_EINVALID, "%s is estimated: its truth is drawn from its prior", name);
    asif_error_hint(error,
                    "give it a value in the study to leave it out, or use asif recover for stated truths");
    return ASIF_EINVALID;
}

static asif_status json(char **out, const void *result, asif_error *error) {
    return asif_sbc_json(out, result, error);
}

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    static const asif_calibrate_options defaults = ASIF_SBC_OPTIONS_INIT;
    asif_design design;
    asif_sbc *made = NULL;
    ASIF_TRY(asif_design_open(&design, asking, "sbc", &defaults, error));
    if (design.options.truths)
        return refuse_truth(design.options.truth[0].name, error);
    asif_status status = asif_sbc_run(&made, design.fitted, &design.options, error);
    *result = made;
    return asif_design_end(&design, asking, made, json, status, error);
}

static bool is_bad(const void *result) {
    return !asif_sbc_good(result);
}

static void discard(void *result) {
    asif_sbc_free(result);
}

const asif_question_kind asif_question_sbc = {
    .info =
        {
            .name = "sbc",
            .operands = "STUDY [flags]",
            .summary = "is the inference calibrated? (simulation-based calibration)",
            .about =
                "Simulation-based calibration: draws agents from the priors of everything that the study "
                "marks `learn`, simulates the logs of each, draws from its posterior with the sampler of "
                "`asif fit`, and ranks the truth among the draws. If priors, simulation and sampler are "
                "right, ranks are uniform. Prints a histogram of the ranks of every number, and of the "
                "log-likelihood, with a chi-square test. It also prints how many 90 % intervals contained "
                "the truth, and how many chains did not converge. With --threads, fits run in parallel. "
                "--people draws populations from the priors of `asif people`, and people from each of "
                "them; what is ranked are the numbers of the population. "
                "The exit code is 1 if a histogram fails the test at 1 %, divided by the number of tests.",
            .examples = "  asif sbc study.yaml -n 200 --max-steps 25 --replicates 400 --threads 4 -o sbc\n"
                        "  asif sbc study.yaml --replicates 100 --bins 10 --wrong-prior 0.5\n"
                        "  asif sbc study.yaml --people 100 -n 10 --replicates 100 --threads 4 -o sbc\n",
            .least_operands = 1,
            .most_operands = 1,
            .option = flags,
        },
    .options_size = sizeof(asif_design_asked),
    .run = run,
    .json = json,
    .text = asif_report_sbc,
    .no = is_bad,
    .free = discard,
};
