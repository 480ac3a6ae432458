/* Words to the user on standard error, and what every command does with its output. */
#ifndef ASIF_CLI_SAY_H
#define ASIF_CLI_SAY_H

#include "asif/report.h"

#include <stdio.h>

/* A line "asif: ...", and below it an indented hint. */
void cli_say(const char *format, ...) ASIF_PRINTF(1, 2);
void cli_hint(const char *format, ...) ASIF_PRINTF(1, 2);
/* The exit code that belongs to a failure. */
int cli_code(asif_status status);
/* "asif: file:line:column: message" and the hint; returns the exit code that belongs to the status. */
int cli_say_error(const asif_error *error);
/* Says that there is no memory; CLI_SYSTEM. */
int cli_no_memory(void);
/* All problems in this manner; CLI_OK unless that itself fails. */
int cli_say_problems(const asif_context *context, const asif_problems *problems, bool errors_only);

/* A string in the quotes of JSON and YAML; CLI_OK unless it fails. */
int cli_print_quoted(FILE *file, const asif_context *context, const char *string);
/* For the user's locale and terminal. */
asif_report_options cli_report_options(bool json);
/* Write out what standard output still holds: `code`, or CLI_SYSTEM after saying that it failed. */
int cli_finish(int code);

#endif
