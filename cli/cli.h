/* The commands; each is defined in a file of its own in commands/, and every question is one too. */
#ifndef ASIF_CLI_CLI_H
#define ASIF_CLI_CLI_H

#include "args.h"

/* Of the sources, or "". The build makes it. */
extern const char cli_commit[];

extern const cli_command cli_new, cli_check, cli_plan, cli_simulate, cli_count_command, cli_fit, cli_summary,
    cli_convert, cli_list_command, cli_report, cli_learn_world, cli_completion, cli_people;

/* Command i: those of commands/ first, then the questions. False past the last. The flags of a question are
 * written into `room`, which `out` borrows. */
bool cli_command_at(uint32_t i, cli_command *out, cli_option room[CLI_OPTIONS]);
/* Find a command by its name. */
bool cli_command_named(const char *name, cli_command *out, cli_option room[CLI_OPTIONS]);

#endif
