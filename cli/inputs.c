#include "inputs.h"

#include "fits/folder.h"
#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_OF_PEOPLE = 1006 }; /* files in the folder of a population: six, and its chains */

static int no_memory(void) {
    cli_say("out of memory");
    return CLI_SYSTEM;
}

static void add(cli_inputs *in, const char *path, const char *output) {
    if (path && path != output)
        in->path[in->count++] = path;
}

static void add_list(cli_inputs *in, const cli_list *list) {
    for (uint32_t i = 0; i < list->count; i++)
        in->path[in->count++] = list->item[i];
}

/* The path of a file that the study names: relative to the folder of the study. NULL if there is no
 * memory. */
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

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Find the fits in those operands that are folders, and count the files of these fits. */
static int find_fits(cli_inputs *in, const cli_job *job, size_t *files) {
    const cli_args *args = job->args;
    asif_error error = ASIF_ERROR_INIT;
    *files = 0;
    in->fits = calloc((size_t)args->operands + 1, sizeof *in->fits);
    if (!in->fits)
        return no_memory();
    for (uint32_t i = 0; i < args->operands; i++) {
        asif_fits_view view = {.struct_size = sizeof view};
        if (!is_folder(args->operand[i]))
            continue;
        if (asif_folder_has_people(job->context, args->operand[i])) {
            *files += MOST_OF_PEOPLE;
            continue;
        }
        if (asif_fits_find(&in->fits[in->folders], job->context, args->operand[i], &error) != ASIF_OK)
            return cli_say_error(&error);
        asif_fits_get(in->fits[in->folders++], &view, NULL);
        *files += view.files;
    }
    return CLI_OK;
}

/* The files of a population, where an operand is its folder. */
static bool add_people(cli_inputs *in, const cli_job *job, const char *folder) {
    static const char *const names[] = {"manifest.json",  "study.yaml",    "run.json",
                                        ASIF_PEOPLE_JSON, ASIF_PEOPLE_CSV, ASIF_PEOPLE_TABLE};
    enum { NAMES = sizeof names / sizeof *names };
    if (!is_folder(folder) || !asif_folder_has_people(job->context, folder))
        return true;
    for (uint32_t i = 0; i < MOST_OF_PEOPLE; i++) {
        char chain[32];
        struct stat info;
        snprintf(chain, sizeof chain, "chain-%u.csv", (unsigned)(i - NAMES + 1));
        char *path = cli_join(folder, i < NAMES ? names[i] : chain);
        if (!path)
            return false;
        in->made[in->makes++] = path;
        in->path[in->count++] = path;
        if (i >= NAMES && stat(path, &info) != 0)
            break;
    }
    return true;
}

static void add_fits(cli_inputs *in) {
    for (uint32_t i = 0; i < in->folders; i++) {
        asif_fits_view view = {.struct_size = sizeof view};
        asif_fits_get(in->fits[i], &view, NULL);
        for (uint32_t k = 0; k < view.files; k++)
            in->path[in->count++] = view.file[k];
    }
}

int cli_inputs_find(cli_inputs *inputs, const cli_job *job, const char *output) {
    const cli_args *args = job->args;
    const char *study = args->study ? args->study : args->operands ? args->operand[0] : "";
    uint32_t named = 0;
    size_t fitted;
    *inputs = (cli_inputs){0};
    int code = find_fits(inputs, job, &fitted);
    if (code != CLI_OK)
        return code;
    while (job->study && asif_study_files(job->study, named))
        named++;
    size_t most = (size_t)args->operands + args->with.count + args->givens + named + fitted + 4;
    inputs->path = calloc(most, sizeof *inputs->path);
    inputs->made = calloc((size_t)named + fitted + 1, sizeof *inputs->made);
    if (!inputs->path || !inputs->made)
        return no_memory();
    for (uint32_t i = 0; i < args->operands; i++)
        add(inputs, args->operand[i], output);
    for (uint32_t i = 0; i < args->operands; i++)
        if (!add_people(inputs, job, args->operand[i]))
            return no_memory();
    add_fits(inputs);
    add(inputs, args->study, output);
    add(inputs, args->from, output);
    add_list(inputs, &args->with);
    for (uint32_t i = 0; i < args->givens; i++) /* values that are no files do no harm */
        add(inputs, args->given[i].value, output);
    return add_named(inputs, job, study, named) ? CLI_OK : no_memory();
}

void cli_inputs_free(cli_inputs *inputs) {
    for (uint32_t i = 0; i < inputs->folders; i++)
        asif_fits_free(inputs->fits[i]);
    free(inputs->fits);
    for (uint32_t i = 0; i < inputs->makes; i++)
        free(inputs->made[i]);
    free(inputs->made);
    free(inputs->path);
}
