/* Messages to the user on standard error, and what all commands share in printing their results. */
#ifndef ASIF_CLI_SAY_H
#define ASIF_CLI_SAY_H

#include "asif/report.h"

#include <stdio.h>

/* Print a line "asif: ...", or an indented hint below one. */
void cli_say(const char *format, ...) ASIF_PRINTF(1, 2);
void cli_hint(const char *format, ...) ASIF_PRINTF(1, 2);
/* Print the lines of a message. On a terminal they are broken between words; elsewhere each stays one line,
 * which editors and scripts read. */
void cli_print_message(FILE *file, const char *text);
/* The exit code for a status. */
int cli_code(asif_status status);
/* Print "asif: file:line:column: message" and the hint. Returns the exit code for the status. */
int cli_say_error(const asif_error *error);
/* Print that there is no memory. Returns CLI_SYSTEM. */
int cli_no_memory(void);
/* Print all problems in the form of cli_say_error(). Returns CLI_OK, or an exit code if that fails. */
int cli_say_problems(const asif_context *context, const asif_problems *problems, bool errors_only);

/* Print a string in quotes that are valid in JSON and YAML. Returns CLI_OK, or an exit code if that fails. */
int cli_print_quoted(FILE *file, const asif_context *context, const char *string);
/* The options of a report for the user's locale and the width of the terminal. */
asif_report_options cli_report_options(bool json);
/* Flush standard output. Returns `code`, or CLI_SYSTEM after printing that it failed. */
int cli_finish(int code);

#endif
