/* The files in a folder of `asif people`, for commands that read them. */
#ifndef ASIF_CLI_FITS_PEOPLE_H
#define ASIF_CLI_FITS_PEOPLE_H

#include "job.h"

typedef struct {
    char *json, *units; /* population.json and units.csv, 0-terminated; `units` NULL: there is none */
    uint64_t json_length, units_length;
} cli_people_files;

/* Read the files. Returns CLI_OK, or an exit code after printing what is wrong. Call cli_people_files_free()
 * in either case. */
int cli_people_files_read(cli_people_files *out, cli_job *job, const char *folder);
void cli_people_files_free(cli_people_files *files, const cli_job *job);

#endif
