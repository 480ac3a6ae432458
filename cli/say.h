/* Words to the user on standard error, and small writers of JSON and CSV. */
#ifndef ASIF_CLI_SAY_H
#define ASIF_CLI_SAY_H

#include "asif/base.h"

#include <stdio.h>

/* A line "asif: ...", and below it an indented hint. */
void cli_say(const char *format, ...) ASIF_PRINTF(1, 2);
void cli_hint(const char *format, ...) ASIF_PRINTF(1, 2);
/* "asif: file:line:column: message" and the hint; returns the exit code that belongs to the status. */
int cli_say_error(const asif_error *error);
/* Problems of the severities asked for, each with its hint; `prefix` begins the lines. */
void cli_print_problems(FILE *file, const asif_problems *problems, const char *prefix, bool all);

void cli_json_string(FILE *file, const char *string);
void cli_csv_field(FILE *file, const char *field);

/* Whether the user's locale writes UTF-8, and how many columns the terminal has. */
bool cli_is_utf8(void);
uint32_t cli_width(void);
/* Write out what standard output still holds: `code`, or CLI_SYSTEM after saying that it failed. */
int cli_finish(int code);

#endif
