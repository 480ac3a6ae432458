#include "cli.h"
#include "job.h"
#include "logs/database.h"
#include "output.h"
#include "say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE", "file for the completed study (default: standard output)",
     offsetof(cli_args, output), 0, 0},
    CLI_WHERE_OPTION,
    {"prior", 0, CLI_NUMBER, "X",
     "number added to the count of every possible successor (default 0); where states are hidden, every row "
     "has the prior Dirichlet(1 + X), and the default is 1",
     offsetof(cli_args, prior), 0, 1e9},
    {"starts", 0, CLI_COUNT, "N", "hidden states: random points from which the search begins (default 20)",
     offsetof(cli_args, starts), 1, 100000},
    {"seed", 0, CLI_COUNT, "N", "hidden states: seed of these points (default 1)", offsetof(cli_args, seed),
     0, 0},
    {"order", 0, CLI_TEXT, "RULE",
     "hidden states: how they get their names: mean-class (default: by the mean class of the first column of "
     "observations), or labels (so that they agree with as many labels of the study's `label` column as "
     "possible)",
     offsetof(cli_args, order), 0, 0},
    CLI_THREADS_OPTION,
    CLI_PROGRESS_OPTION,
    {"unseen", 0, CLI_TEXT, "WHAT",
     "what to do with states that nobody left by an action: refuse (default), stay, or uniform (every state "
     "is equally likely to follow)",
     offsetof(cli_args, unseen), 0, 0},
    CLI_MAP_OPTION,
    CLI_DATABASE_OPTIONS,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

static int check_usage(const cli_args *args, asif_learn_options *learn) {
    static const char *const rules[] = {"refuse", "uniform", "stay"};
    int code = cli_logs_require(args, "learn-world");
    if (code != CLI_OK)
        return code;
    bool from_input = !args->engine && strcmp(args->operand[1], "-") == 0;
    if (args->prior.given)
        learn->prior = args->prior.value;
    if (args->unseen) {
        size_t k = 0;
        while (k < 3 && strcmp(args->unseen, rules[k]) != 0)
            k++;
        if (k == 3) {
            cli_say("--unseen is refuse, stay or uniform, not '%s'", args->unseen);
            return CLI_USAGE;
        }
        learn->unseen = (asif_unseen)k;
    }
    if (from_input && strcmp(args->operand[0], "-") == 0) {
        cli_say("the study and the logs cannot both come from standard input");
        return CLI_USAGE;
    }
    if (args->output && strcmp(args->output, "-") != 0 && strcmp(args->output, args->operand[0]) == 0) {
        cli_say("-o %s would replace the study that says what is to be learnt", args->output);
        cli_hint("give the study with its world another name");
        return CLI_USAGE;
    }
    if (args->json && (!args->output || strcmp(args->output, "-") == 0)) {
        cli_say("--json and the study cannot both go to standard output");
        cli_hint("give -o a file");
        return CLI_USAGE;
    }
    return CLI_OK;
}

/* ---- inputs ---- */

static int say_problems(cli_job *job, asif_status status) {
    int code = cli_job_said(job, status);
    int renewed = cli_job_renew_problems(job);
    return code == CLI_OK ? renewed : code;
}

static int load_study(cli_job *job, char **text, size_t *length) {
    const char *path = job->args->operand[0];
    int code = cli_read_file(text, length, job, path);
    if (code != CLI_OK)
        return code;
    asif_status status = asif_study_read_unlearnt(&job->study, job->context, *text, *length,
                                                  strcmp(path, "-") == 0 ? "standard input" : path,
                                                  job->problems, &job->error);
    code = say_problems(job, status);
    if (code == CLI_OK && !asif_study_part(job->study, 0) && !asif_study_hidden_dynamics(job->study)) {
        cli_say("%s: there is nothing to learn: the study states all transitions", path);
        cli_hint("write `learn` in their place: transitions: {ACTION: learn}, or {ACTION: {increments: learn "
                 "0 to 2}}; where states are hidden, transitions: learn shared");
        code = CLI_USAGE;
    }
    return code;
}

static int load_logs(cli_job *job) {
    const char *path = cli_logs_path(job->args);
    int code = cli_job_map(job);
    if (code == CLI_OK)
        code = cli_job_where_rows(job, path);
    return code == CLI_OK ? say_problems(job, cli_job_read(job, &job->tree, path, CLI_UNITS_NONE, NULL))
                          : code;
}

/* ---- answers ---- */

/* Check that the text with the learnt world in it is a valid study. */
static int check_filled(cli_job *job, const char *text) {
    asif_study *study = NULL;
    if (!text)
        return CLI_SYSTEM;
    const char *path = job->args->output ? job->args->output : "the study with its world";
    asif_status status = asif_study_read(&study, job->context, text, strlen(text), path, NULL, &job->error);
    asif_study_free(study);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

static void print_list(const char *name, const cli_list *list, const asif_context *context) {
    printf(",\n  \"%s\": [", name);
    for (uint32_t i = 0; i < list->count; i++) {
        fputs(i ? ", " : "", stdout);
        cli_print_quoted(stdout, context, list->item[i]);
    }
    printf("]");
}

/* What was learnt: the parts of a world whose states are seen, or hidden dynamics. */
typedef struct {
    asif_learn_options how;
    asif_dynamics_options search;
    asif_learnt_world *world;
    asif_dynamics *dynamics;
    asif_dynamics_fit *fit;
} learning;

static asif_status report(char **text, cli_job *job, const learning *l, const asif_report_options *how) {
    return l->fit ? asif_report_dynamics(text, job->context, job->study, l->dynamics, l->fit, l->search.prior,
                                         how, &job->error)
                  : asif_report_world(text, job->context, job->study, l->world, how, &job->error);
}

static int print(cli_job *job, const learning *l) {
    const cli_args *args = job->args;
    const asif_logs_info *info = asif_tree_info(job->tree);
    asif_report_options how = cli_report_options(args->json);
    bool to_file = args->output && strcmp(args->output, "-") != 0;
    FILE *file = to_file ? stdout : stderr;
    char *text = NULL;
    if (!args->json && !to_file && args->quiet)
        return CLI_OK;
    if (report(&text, job, l, &how) != ASIF_OK)
        return cli_say_error(&job->error);
    if (args->json) {
        printf("{\n  \"output\": ");
        cli_print_quoted(stdout, job->context, args->output);
        print_list("where", &args->where, job->context);
        printf(",\n  \"episodes\": %" PRIu64 ",\n  \"decisions\": %" PRIu64 ",\n  \"%s\": ", info->episodes,
               info->decisions, l->fit ? "dynamics" : "parts");
        for (const char *c = text; *c; c++) {
            if (*c != '\n')
                putchar(*c);
            else if (c[1])
                fputs("\n  ", stdout);
        }
        printf("\n}\n");
    } else {
        fprintf(file, "Learnt from %" PRIu64 " episodes, %" PRIu64 " decisions%s", info->episodes,
                info->decisions, args->where.count ? " with" : "");
        for (uint32_t i = 0; i < args->where.count; i++)
            fprintf(file, "%s %s", i ? " and" : "", args->where.item[i]);
        fprintf(file, "\n%s", text);
        if (to_file)
            fprintf(file, "\nThe study with its world is in %s\n", args->output);
    }
    asif_memory_free(job->context, text);
    return CLI_OK;
}

/* Refuse flags that are for studies of the other kind. */
static int check_flags(const cli_job *job) {
    const cli_args *args = job->args;
    bool hidden = asif_study_hidden_dynamics(job->study) != NULL;
    const char *wrong = hidden               ? (args->unseen ? "--unseen" : NULL)
                        : args->starts.given ? "--starts"
                        : args->seed.given   ? "--seed"
                        : args->order        ? "--order"
                                             : NULL;
    if (!wrong)
        return CLI_OK;
    cli_say("%s is for studies in which states are %s", wrong, hidden ? "seen" : "hidden");
    return CLI_USAGE;
}

static int learn_hidden(learning *l, cli_job *job) {
    asif_status status = asif_dynamics_create(&l->dynamics, job->context,
                                              asif_study_hidden_dynamics(job->study), job->tree, &job->error);
    if (status == ASIF_OK)
        status = asif_dynamics_learn(&l->fit, l->dynamics, &l->search, &job->error);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

static int estimate(learning *l, cli_job *job) {
    uint32_t parts = 0;
    if (asif_study_hidden_dynamics(job->study))
        return learn_hidden(l, job);
    while (asif_study_part(job->study, parts))
        parts++;
    asif_world_part *part = calloc((size_t)parts + 1, sizeof *part);
    if (!part)
        return cli_no_memory();
    for (uint32_t i = 0; i < parts; i++)
        part[i] = *asif_study_part(job->study, i);
    asif_status status = asif_learn_world(&l->world, job->context, asif_study_setting(job->study), job->tree,
                                          part, parts, &l->how, &job->error);
    free(part);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

static asif_status fill(char **out, cli_job *job, const learning *l, const char *text, size_t length) {
    asif_dynamics_estimate e = {.struct_size = sizeof e};
    if (!l->fit)
        return asif_study_fill(out, job->study, text, length, l->world, &job->error);
    asif_status status = asif_dynamics_fit_get(l->fit, &e, &job->error);
    return status == ASIF_OK ? asif_study_fill_dynamics(out, job->study, text, length, e.point, &job->error)
                             : status;
}

static int learn(cli_job *job, learning *l) {
    char *text = NULL, *filled = NULL;
    size_t length = 0;
    int code = load_study(job, &text, &length);
    if (code == CLI_OK)
        code = check_flags(job);
    if (code == CLI_OK)
        code = load_logs(job);
    if (code == CLI_OK)
        code = estimate(l, job);
    if (code == CLI_OK && fill(&filled, job, l, text, length) != ASIF_OK)
        code = cli_say_error(&job->error);
    if (code == CLI_OK)
        code = check_filled(job, filled);
    if (code == CLI_OK)
        code = cli_write(job, job->args->output ? job->args->output : "-", filled, strlen(filled));
    if (code == CLI_OK)
        code = print(job, l);
    asif_dynamics_fit_free(l->fit);
    asif_dynamics_free(l->dynamics);
    asif_learnt_world_free(l->world);
    asif_memory_free(job->context, filled);
    asif_memory_free(job->context, text);
    return code;
}

static int run(const cli_args *args) {
    learning l = {.how = ASIF_LEARN_OPTIONS_INIT, .search = ASIF_DYNAMICS_OPTIONS_INIT};
    cli_job job;
    int code = check_usage(args, &l.how);
    if (args->prior.given)
        l.search.prior = args->prior.value;
    if (args->starts.given)
        l.search.starts = (uint32_t)args->starts.value;
    if (args->seed.given)
        l.search.seed = args->seed.value;
    if (code == CLI_OK && args->order && strcmp(args->order, "labels") == 0) {
        l.search.order = ASIF_ORDER_LABELS;
    } else if (code == CLI_OK && args->order && strcmp(args->order, "mean-class") != 0) {
        cli_say("--order is mean-class or labels, not '%s'", args->order);
        code = CLI_USAGE;
    }
    if (code != CLI_OK)
        return code;
    code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = learn(&job, &l);
    cli_job_close(&job);
    return code;
}

const cli_command cli_learn_world = {
    .name = "learn-world",
    .operands = "STUDY [LOGS] [-o FILE] [flags]",
    .summary = "estimate how the world moves and what it shows, from logs",
    .about =
        "Estimates the transitions that the study marks `learn`: a probability of each next state for every "
        "state (`ACTION: learn`), or of each increment of an ordered state (`{increments: learn 0 to 2}`), "
        "which actions may share. The successor of a row is the next row of its episode; the last row has "
        "none. Where states are hidden, `start`, `transitions` and `emissions` may be marked `learn` (also "
        "`learn shared`, `learn except LABEL`, and by column): they are those under which the observations "
        "are most probable, found from many starts. Writes the study with the estimates in place of `learn`, "
        "and everything else unchanged. "
        "Prints the estimates with standard errors and counts: on standard output with -o FILE, otherwise on "
        "standard error.",
    .examples = "  asif learn-world study.yaml logs.csv -o study-with-world.yaml\n"
                "  asif learn-world study.yaml logs.csv -o a.yaml --where site=A,B\n"
                "  asif learn-world study.yaml logs.csv --unseen stay > study-with-world.yaml\n",
    .least_operands = 1,
    .most_operands = 2,
    .options = options,
    .run = run,
};
