#include "fits/people.h"

#include "say.h"

int cli_people_files_read(cli_people_files *out, cli_job *job, const char *folder) {
    *out = (cli_people_files){0};
    asif_status status =
        asif_fit_read(&out->json, &out->json_length, job->context, folder, ASIF_PEOPLE_JSON, &job->error);
    if (status == ASIF_OK) /* without a population there is no table of people */
        status = asif_fit_read(&out->units, &out->units_length, job->context, folder, ASIF_PEOPLE_CSV,
                               &job->error);
    return status == ASIF_OK || (status == ASIF_ENOFILE && out->json) ? CLI_OK : cli_say_error(&job->error);
}

void cli_people_files_free(cli_people_files *files, const cli_job *job) {
    asif_memory_free(job->context, files->json);
    asif_memory_free(job->context, files->units);
}
