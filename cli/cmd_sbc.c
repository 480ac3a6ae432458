#include "calibrate.h"
#include "cli.h"
#include "say.h"

static const cli_option options[] = {
    CLI_REPLICATES_OPTIONS("100", "200", "; also sbc.json"),
    {"bins", 0, CLI_COUNT, "N", "bins of the histograms of ranks (default 20)", offsetof(cli_args, bins), 2,
     1000},
    {"draws", 0, CLI_COUNT, "N",
     "draws of each posterior among which its truth is ranked, one fewer than a multiple of --bins (default "
     "about 100)",
     offsetof(cli_args, draws), 1, 1e6},
    {"method", 0, CLI_TEXT, "METHOD", "nuts (default, as a fit) or metropolis", offsetof(cli_args, method), 0,
     0},
    {"chains", 0, CLI_COUNT, "N", "chains of each fit (default 4)", offsetof(cli_args, chains), 1, 1000},
    {"warmup", 0, CLI_COUNT, "N", "steps of a chain before its draws (default 1000)",
     offsetof(cli_args, warmup), 0, 1e9},
    {"starts", 0, CLI_COUNT, "N", "points from which a maximum is sought (default 9)",
     offsetof(cli_args, starts), 1, 100000},
    {"wrong-prior", 0, CLI_NUMBER, "X",
     "fit with priors whose standard deviation is X times that of those that truths are drawn from: to see "
     "the test fail",
     offsetof(cli_args, scale), 1e-6, 1e6},
    CLI_SOLVE_OPTIONS,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

static int calibrate(cli_calibrate *c) {
    asif_sbc *sbc = NULL;
    char *json = NULL;
    if (c->options.truths) {
        cli_say("%s is estimated: its truth is drawn from its prior", c->options.truth[0].name);
        cli_hint("give it a value in the study to leave it out, or use asif recover for stated truths");
        return CLI_USAGE;
    }
    cli_progress_catch();
    asif_status status = asif_sbc_run(&sbc, &c->fitted, &c->options, &c->job.error);
    if (status == ASIF_OK)
        status = asif_sbc_json(&json, sbc, &c->job.error);
    bool good = status == ASIF_OK && asif_sbc_good(sbc);
    asif_sbc_free(sbc);
    if (status != ASIF_OK)
        return cli_calibrate_failed(c, status);
    int code = cli_calibrate_print(c, json, "sbc.json", asif_report_sbc);
    return code == CLI_OK && !good ? CLI_NO : code;
}

static int run(const cli_args *args) {
    static const asif_calibrate_options defaults = ASIF_SBC_OPTIONS_INIT;
    cli_calibrate c;
    int code = cli_calibrate_open(&c, args, "sbc", &defaults);
    if (code == CLI_OK)
        code = calibrate(&c);
    cli_calibrate_close(&c);
    if (code == CLI_SYSTEM)
        cli_progress_give_way();
    return code;
}

const cli_command cli_sbc = {
    .name = "sbc",
    .operands = "STUDY [flags]",
    .summary = "is the inference calibrated? ranks of known truths among draws",
    .about = "Simulation-based calibration: draws agents from the priors of everything that the study marks "
             "`learn`, "
             "simulates the logs of each, draws from its posterior, and ranks the truth among the draws. "
             "Where priors, "
             "simulation and sampler are right, ranks are uniform. Prints a histogram of the ranks of every "
             "number, and of "
             "the log-likelihood, with a chi-square test; how many 90 % intervals held their truth; and how "
             "many chains did "
             "not settle. The sampler is that of `asif fit`. Fits run side by side with --threads. The exit "
             "code is 1 if "
             "a histogram fails the test at 1 %, divided by the number of tests.",
    .examples = "  asif sbc study.yaml -n 200 --max-steps 25 --replicates 400 --threads 4 -o sbc\n"
                "  asif sbc study.yaml --replicates 100 --bins 10 --wrong-prior 0.5\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
