/* _XOPEN_SOURCE declares realpath(), which glibc does not declare for plain POSIX. */
#define _XOPEN_SOURCE 700

#include "cli.h"
#include "job.h"
#include "memory.h"
#include "output.h"
#include "say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    CLI_SET_OPTION,
    {"discount", 0, CLI_NUMBER, "X", "discount of a DRN file, which has none: at least 0, below 1",
     offsetof(cli_args, discount), 0, 0},
    {"reward-model", 0, CLI_TEXT, "NAME",
     "reward model of a DRN file that gives the utility (default: the first)",
     offsetof(cli_args, reward_model), 0, 0},
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

typedef enum { YAML, POMDP, DRN, UNKNOWN } format;

static const struct {
    const char *ending;
    format format;
} endings[] = {{".yaml", YAML},   {".yml", YAML},  {".pomdp", POMDP},
               {".POMDP", POMDP}, {".mdp", POMDP}, {".drn", DRN}};

/* A decision problem that was read, with everything that the writers need. */
typedef struct {
    cli_job job;
    const char *in, *out;
    format from, to;
    asif_pomdp *pomdp;           /* the problem, where a .pomdp file was read */
    asif_setting *made;          /* the setting made from a .pomdp or .drn file */
    const asif_setting *setting; /* `made`, or the study's */
    const double *utilities;     /* utilities of a study; NULL for other files */
} conversion;

static format format_of(const char *path) {
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i].ending);
        if (length > tail && strcmp(path + length - tail, endings[i].ending) == 0)
            return endings[i].format;
    }
    cli_say("%s: the ending does not tell what kind of file it is", path);
    cli_hint("endings are .yaml (a study), .pomdp and .drn");
    return UNKNOWN;
}

static int library_error(conversion *work) {
    return cli_say_error(&work->job.error);
}

static int read_study(conversion *work) {
    cli_job *job = &work->job;
    int code = cli_job_load(job, work->in);
    if (code == CLI_OK)
        code = cli_job_values(job);
    if (code != CLI_OK)
        return code;
    work->setting = asif_study_setting(job->study);
    work->utilities = asif_theta_utilities(job->theta);
    uint32_t missing = 0, count = asif_setting_count(work->setting, ASIF_LABEL_PARAMETER);
    char buffer[ASIF_LABEL_SIZE];
    for (uint32_t i = 0; i < count; i++) {
        if (!isnan(work->utilities[i]))
            continue;
        cli_say("the utility '%s' has no value",
                asif_setting_label(work->setting, ASIF_LABEL_PARAMETER, i, buffer));
        missing++;
    }
    if (missing)
        cli_hint("a %s file holds numbers only: give each one with -p NAME=VALUE",
                 work->to == DRN ? "DRN" : ".pomdp");
    return missing ? CLI_USAGE : CLI_OK;
}

static int read_pomdp(conversion *work, const char *text, size_t length) {
    cli_job *job = &work->job;
    bool averaged = false;
    if (asif_pomdp_read(&work->pomdp, job->context, text, length, work->in, &job->error) != ASIF_OK)
        return library_error(work);
    if (work->to != DRN)
        return CLI_OK;
    if (asif_pomdp_setting(&work->made, &averaged, work->pomdp, &job->error) != ASIF_OK)
        return library_error(work);
    work->setting = work->made;
    if (averaged && !job->args->quiet)
        cli_say("%s: note: rewards that depend on what follows were averaged over it", work->in);
    return CLI_OK;
}

static int read_drn(conversion *work, const char *text, size_t length) {
    cli_job *job = &work->job;
    const cli_args *args = job->args;
    if (!args->discount.given && work->to != DRN) {
        cli_say("%s: DRN files have no discount, and a %s needs one", work->in,
                work->to == YAML ? "study" : ".pomdp file");
        cli_hint("give it with --discount, for example --discount 0.95");
        return CLI_USAGE;
    }
    double discount = args->discount.given ? args->discount.value : 0;
    if (asif_drn_read(&work->made, job->context, text, length, work->in, args->reward_model, discount,
                      &job->error) != ASIF_OK)
        return library_error(work);
    work->setting = work->made;
    return CLI_OK;
}

static int read_problem(conversion *work) {
    if (work->from == YAML)
        return read_study(work);
    char *text = NULL;
    size_t length = 0;
    int code = cli_read_file(&text, &length, &work->job, work->in);
    if (code == CLI_OK)
        code = work->from == POMDP ? read_pomdp(work, text, length) : read_drn(work, text, length);
    asif_memory_free(work->job.context, text);
    return code;
}

static int write_pomdp(conversion *work) {
    cli_job *job = &work->job;
    char *text = NULL;
    if (!work->pomdp &&
        asif_pomdp_from_setting(&work->pomdp, work->setting, work->utilities, &job->error) != ASIF_OK)
        return library_error(work);
    if (asif_pomdp_write(&text, work->pomdp, &job->error) != ASIF_OK)
        return library_error(work);
    int code = cli_write(job, work->out, text, strlen(text));
    asif_memory_free(job->context, text);
    return code;
}

static int write_drn(conversion *work) {
    cli_job *job = &work->job;
    char *text = NULL;
    if (asif_drn_write(&text, work->setting, work->utilities, &job->error) != ASIF_OK)
        return library_error(work);
    int code = cli_write(job, work->out, text, strlen(text));
    asif_memory_free(job->context, text);
    return code;
}

/* The path by which the new study names the problem's file: the bare name if both are in the same folder,
 * else the absolute path. NULL if there is none or no memory; free() it. */
static char *reference(const conversion *work) {
    const char *in = strrchr(work->in, '/'), *out = strrchr(work->out, '/');
    size_t in_folder = in ? (size_t)(in - work->in) + 1 : 0,
           out_folder = out ? (size_t)(out - work->out) + 1 : 0;
    if (in_folder == out_folder && strncmp(work->in, work->out, in_folder) == 0)
        return strdup(work->in + in_folder);
    return realpath(work->in, NULL);
}

static int print_study(FILE *file, const conversion *work, const char *name) {
    const char *slash = strrchr(name, '/');
    fputs("# A study of the decision problem in another file.\nasif: 1\ntitle: ", file);
    int code = cli_print_quoted(file, work->job.context, slash ? slash + 1 : name);
    fprintf(file, "\n\nenvironment:\n  %s: ", work->from == POMDP ? "pomdp" : "mdp");
    if (code == CLI_OK)
        code = cli_print_quoted(file, work->job.context, name);
    fputs("\n\nagent:\n  planner: bounded-rational\n", file);
    if (work->from == DRN)
        fprintf(file, "  discount: %.15g\n", work->job.args->discount.value);
    fputs("  parameters:            # numbers are given; `learn` is estimated, or set with -p\n"
          "    alpha: learn         # how erratic its choices are: 0 takes the best\n"
          "    beta: inf            # neutral: there is one world to believe in\n"
          "    eta: 0               # no weight on surprise\n",
          file);
    return code;
}

static int write_study(conversion *work) {
    if (work->from == YAML) {
        cli_say("a study is not converted into a study");
        cli_hint("copy %s instead, or write a .pomdp or .drn file", work->in);
        return CLI_USAGE;
    }
    char *name = reference(work);
    if (!name) {
        cli_say("cannot find %s", work->in);
        return CLI_SYSTEM;
    }
    cli_memory memory;
    int code = cli_memory_open(&memory);
    if (code == CLI_OK)
        code = cli_memory_close(&memory, print_study(memory.file, work, name));
    if (code == CLI_OK)
        code = cli_write(&work->job, work->out, memory.text, memory.length);
    cli_memory_free(&memory);
    free(name);
    return code;
}

static int convert(conversion *work) {
    int code = read_problem(work);
    if (code != CLI_OK)
        return code;
    switch (work->to) {
    case POMDP:
        return write_pomdp(work);
    case DRN:
        return write_drn(work);
    default:
        return write_study(work);
    }
}

static int run(const cli_args *args) {
    conversion work = {.in = args->operand[0], .out = args->operand[1]};
    work.from = format_of(work.in);
    work.to = work.from == UNKNOWN ? UNKNOWN : format_of(work.out);
    if (work.to == UNKNOWN)
        return CLI_USAGE;
    if (args->discount.given && !(args->discount.value >= 0 && args->discount.value < 1)) {
        cli_say("--discount must be at least 0 and below 1");
        return CLI_USAGE;
    }
    int code = cli_job_open(&work.job, args);
    if (code == CLI_OK)
        code = convert(&work);
    asif_pomdp_free(work.pomdp);
    asif_setting_free(work.made);
    cli_job_close(&work.job);
    return code;
}

const cli_command cli_convert = {
    .name = "convert",
    .operands = "IN OUT [flags]",
    .summary = "convert a decision problem to another file format",
    .about =
        "Reads a decision problem and writes it in another format. The endings of the two names decide: "
        ".yaml is a study, .pomdp Cassandra's format, .drn Storm's explicit format for MDPs. A .pomdp file "
        "that is written again is normalised: every probability and reward is spelled out. A study made from "
        "a .pomdp or .drn file refers to that file. The file is written as a whole or not at all.",
    .examples = "  asif convert study.yaml problem.pomdp\n"
                "  asif convert tiger.pomdp tiger.yaml\n"
                "  asif convert grid.drn grid.pomdp --discount 0.99\n",
    .least_operands = 2,
    .most_operands = 2,
    .options = options,
    .run = run,
};
