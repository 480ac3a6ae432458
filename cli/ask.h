/* One driver for all questions: their flags, their operands, their answers. */
#ifndef ASIF_CLI_ASK_H
#define ASIF_CLI_ASK_H

#include "args.h"

/* A question as a command, its flags in `room`. */
cli_command cli_question_command(const asif_question_info *question, cli_option room[CLI_OPTIONS]);
/* Ask, and print the answer: the exit code. */
int cli_ask(const cli_args *args, const asif_question_info *question);

#endif
