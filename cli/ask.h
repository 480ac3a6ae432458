/* The driver of all questions: turns their options into flags, asks them, and prints their answers. */
#ifndef ASIF_CLI_ASK_H
#define ASIF_CLI_ASK_H

#include "args.h"

/* The command that asks a question. Its flags are written into `room`, which must outlive the command. */
cli_command cli_question_command(const asif_question_info *question, cli_option room[CLI_OPTIONS]);
/* Ask a question and print its answer. Returns the exit code; what is wrong has then been printed. */
int cli_ask(const cli_args *args, const asif_question_info *question);

#endif
