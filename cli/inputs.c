#include "inputs.h"

#include "say.h"

#include <stdlib.h>
#include <string.h>

static void add(cli_inputs *in, const char *path, const char *output) {
    if (path && path != output)
        in->path[in->count++] = path;
}

static void add_list(cli_inputs *in, const cli_list *list) {
    for (uint32_t i = 0; i < list->count; i++)
        in->path[in->count++] = list->item[i];
}

/* A file that the study names is looked for in the folder of the study. */
static char *named_by(const char *study, const char *name) {
    const char *slash = name[0] == '/' ? NULL : strrchr(study, '/');
    size_t folder = slash ? (size_t)(slash - study) + 1 : 0, length = strlen(name);
    char *path = malloc(folder + length + 1);
    if (path) {
        memcpy(path, study, folder);
        memcpy(path + folder, name, length + 1);
    }
    return path;
}

static bool add_named(cli_inputs *in, const cli_job *job, const char *study, uint32_t files) {
    for (uint32_t i = 0; i < files; i++) {
        char *path = named_by(study, asif_study_files(job->study, i));
        if (!path)
            return false;
        in->made[in->makes++] = path;
        in->path[in->count++] = path;
    }
    return true;
}

int cli_inputs_find(cli_inputs *inputs, const cli_job *job, const char *output) {
    const cli_args *args = job->args;
    const char *study = args->study ? args->study : args->operands ? args->operand[0] : "";
    uint32_t files = 0;
    while (job->study && asif_study_files(job->study, files))
        files++;
    size_t most = (size_t)args->operands + args->with.count + args->givens + files + 4;
    *inputs =
        (cli_inputs){.path = calloc(most, sizeof *inputs->path), .made = calloc(most, sizeof *inputs->made)};
    bool good = inputs->path && inputs->made;
    for (uint32_t i = 0; good && i < args->operands; i++)
        add(inputs, args->operand[i], output);
    if (good) {
        add(inputs, args->study, output);
        add(inputs, args->from, output);
        add_list(inputs, &args->with);
        for (uint32_t i = 0; i < args->givens; i++) /* some are files; others do no harm */
            add(inputs, args->given[i].value, output);
        good = add_named(inputs, job, study, files);
    }
    if (good)
        return CLI_OK;
    cli_say("out of memory");
    return CLI_SYSTEM;
}

void cli_inputs_free(cli_inputs *inputs) {
    for (uint32_t i = 0; i < inputs->makes; i++)
        free(inputs->made[i]);
    free(inputs->made);
    free(inputs->path);
}
