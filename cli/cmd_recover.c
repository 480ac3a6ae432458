#include "calibrate.h"
#include "cli.h"
#include "say.h"

static const cli_option options[] = {
    CLI_REPLICATES_OPTIONS("20", "1000", "; also recover.json"),
    {"method", 0, CLI_TEXT, "METHOD", "metropolis (default), nuts, map or ml, as in asif fit",
     offsetof(cli_args, method), 0, 0},
    {"chains", 0, CLI_COUNT, "N", "chains of each fit (default 2)", offsetof(cli_args, chains), 1, 1000},
    {"warmup", 0, CLI_COUNT, "N", "steps of a chain before its draws (default 1000)",
     offsetof(cli_args, warmup), 0, 1e9},
    {"draws", 0, CLI_COUNT, "N", "draws kept of a chain (default 1000)", offsetof(cli_args, draws), 1, 1e9},
    {"starts", 0, CLI_COUNT, "N", "points from which a maximum is sought (default 3)",
     offsetof(cli_args, starts), 1, 100000},
    CLI_SOLVE_OPTIONS,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

static int recover(cli_calibrate *c) {
    asif_recover *recover = NULL;
    char *json = NULL;
    cli_progress_catch();
    asif_status status = asif_recover_run(&recover, &c->fitted, &c->options, &c->job.error);
    if (status == ASIF_OK)
        status = asif_recover_json(&json, recover, &c->job.error);
    asif_recover_free(recover);
    if (status != ASIF_OK)
        return cli_calibrate_failed(c, status);
    return cli_calibrate_print(c, json, "recover.json", asif_report_recover);
}

static int run(const cli_args *args) {
    static const asif_calibrate_options defaults = ASIF_RECOVER_OPTIONS_INIT;
    cli_calibrate c;
    int code = cli_calibrate_open(&c, args, "recover", &defaults);
    if (code == CLI_OK)
        code = recover(&c);
    cli_calibrate_close(&c);
    if (code == CLI_SYSTEM)
        cli_progress_give_way();
    return code;
}

const cli_command cli_recover = {
    .name = "recover",
    .operands = "STUDY [flags]",
    .summary = "does a design recover known agents? truth against estimate",
    .about = "Simulates the logs of known agents, fits everything that the study marks `learn`, and "
             "compares. -p states the "
             "truth of what is estimated (which stays to be estimated), and gives a value to all else; "
             "truths that are not "
             "stated are drawn from the priors. Prints for every number the mean error (bias), its root mean "
             "square, the "
             "mean standard deviation that the fits claim, how many 90 % intervals held the truth, and how "
             "truth and "
             "estimate correlate. With --json also every truth and estimate, for a scatter plot. Fits run "
             "side by side with "
             "--threads.",
    .examples = "  asif recover study.yaml --replicates 50 --threads 4 -o recover\n"
                "  asif recover study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0 -n 500\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
