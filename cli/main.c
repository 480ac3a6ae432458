#include "asif.h"
#include "ask.h"
#include "cli.h"
#include "fits/unfinished.h"
#include "say.h"

#include <string.h>

static const cli_command *const commands[] = {
    &cli_new,     &cli_check,  &cli_plan,        &cli_simulate, &cli_count_command, &cli_fit,
    &cli_summary, &cli_report, &cli_learn_world, &cli_convert,  &cli_list_command};
enum { COMMANDS = sizeof commands / sizeof *commands, NAMES = COMMANDS + 64 };

static void print_overview(FILE *file) {
    const asif_question_info *question;
    fprintf(file, "asif: what would people have to want, know and believe to act as they did?\n\n"
                  "Usage: asif COMMAND ...\n\nCommands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(file, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(file, "\nQuestions to a fit, a study or logs:\n");
    for (uint32_t i = 0; (question = asif_question(i)); i++)
        fprintf(file, "  %-11s %s\n", question->name, question->summary);
    fprintf(file, "\nTo start:\n"
                  "  asif new my-study\n"
                  "  asif check my-study.yaml\n"
                  "  asif plan my-study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0\n\n"
                  "'asif help COMMAND' describes a command and its flags.\n"
                  "'asif --version' prints the version.\n");
}

/* Find a command by its name; the flags of a question are written into `room`. */
static bool find_command(const char *name, cli_command *out, cli_option room[CLI_OPTIONS]) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0) {
            *out = *commands[i];
            return true;
        }
    const asif_question_info *question = asif_question_named(name);
    if (question)
        *out = cli_question_command(question, room);
    return question;
}

static int unknown_command(const char *name) {
    const char *names[NAMES];
    const asif_question_info *question;
    uint32_t count = 0;
    for (; count < COMMANDS; count++)
        names[count] = commands[count]->name;
    for (uint32_t i = 0; count < NAMES && (question = asif_question(i)); i++)
        names[count++] = question->name;
    const char *near = asif_nearest_word(name, names, count);
    cli_say("there is no command '%s'", name);
    if (near)
        cli_hint("did you mean 'asif %s'? 'asif help' lists all commands", near);
    else
        cli_hint("'asif help' lists the commands");
    return CLI_USAGE;
}

static int help(const char *name) {
    cli_command command;
    cli_option room[CLI_OPTIONS];
    if (name && !find_command(name, &command, room))
        return unknown_command(name);
    if (name)
        cli_print_help(stdout, &command);
    else
        print_overview(stdout);
    return cli_finish(CLI_OK);
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("asif %s\n", asif_version());
        return cli_finish(CLI_OK);
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc > 2 ? argv[2] : NULL);

    cli_command command;
    cli_option room[CLI_OPTIONS];
    if (!find_command(name, &command, room))
        return unknown_command(name);
    cli_unfinished_guard();
    cli_args args;
    int code = cli_args_read(&args, &command, argc, argv);
    if (code == CLI_OK && args.help)
        cli_print_help(stdout, &command);
    else if (code == CLI_OK)
        code = command.question ? cli_ask(&args, command.question) : command.run(&args);
    cli_args_free(&args);
    return cli_finish(code);
}
