#include "ask.h"
#include "cli.h"

#include <string.h>

static const cli_command *const commands[] = {
    &cli_new,     &cli_check,        &cli_plan,      &cli_simulate, &cli_count_command,
    &cli_fit,     &cli_people,       &cli_summary,   &cli_report,   &cli_learn_world,
    &cli_convert, &cli_list_command, &cli_completion};
enum { COMMANDS = sizeof commands / sizeof *commands };

bool cli_command_at(uint32_t i, cli_command *out, cli_option room[CLI_OPTIONS]) {
    if (i < COMMANDS) {
        *out = *commands[i];
        return true;
    }
    const asif_question_info *question = asif_question(i - COMMANDS);
    if (question)
        *out = cli_question_command(question, room);
    return question;
}

bool cli_command_named(const char *name, cli_command *out, cli_option room[CLI_OPTIONS]) {
    for (uint32_t i = 0; cli_command_at(i, out, room); i++)
        if (strcmp(out->name, name) == 0)
            return true;
    return false;
}
