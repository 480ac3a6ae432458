/* The commands; each is defined in a file of its own in commands/. */
#ifndef ASIF_CLI_CLI_H
#define ASIF_CLI_CLI_H

#include "args.h"

extern const cli_command cli_new, cli_check, cli_plan, cli_simulate, cli_count_command, cli_fit, cli_summary,
    cli_convert, cli_list_command, cli_report, cli_learn_world;

#endif
