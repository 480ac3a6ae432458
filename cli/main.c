#include "asif.h"
#include "ask.h"
#include "cli.h"
#include "fits/unfinished.h"
#include "progress.h"
#include "say.h"

#include <string.h>

enum { NAMES = 128 };

static void print_overview(FILE *file) {
    cli_command command;
    cli_option room[CLI_OPTIONS];
    bool questions = false;
    fprintf(file, "asif: what would people have to want, know and believe to act as they did?\n\n"
                  "Usage: asif COMMAND ...\n\nCommands:\n");
    for (uint32_t i = 0; cli_command_at(i, &command, room); i++) {
        if (command.question && !questions)
            fprintf(file, "\nQuestions to a fit, a study or logs:\n");
        questions = command.question;
        fprintf(file, "  %-11s %s\n", command.name, command.summary);
    }
    fprintf(file, "\nTo start:\n"
                  "  asif new my-study\n"
                  "  asif check my-study.yaml\n"
                  "  asif plan my-study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0\n\n"
                  "'asif help COMMAND' describes a command and its flags.\n"
                  "'asif --version' prints the version.\n");
}

static int unknown_command(const char *name) {
    const char *names[NAMES];
    cli_command command;
    cli_option room[CLI_OPTIONS];
    uint32_t count = 0;
    for (; count < NAMES && cli_command_at(count, &command, room); count++)
        names[count] = command.name;
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
    if (name && !cli_command_named(name, &command, room))
        return unknown_command(name);
    if (name)
        cli_print_help(stdout, &command);
    else
        print_overview(stdout);
    return cli_finish(CLI_OK);
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name)
        return help(NULL);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("asif %s%s%s%s\n", asif_version(), *cli_commit ? " (commit " : "", cli_commit,
               *cli_commit ? ")" : "");
        return cli_finish(CLI_OK);
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc > 2 ? argv[2] : NULL);

    cli_command command;
    cli_option room[CLI_OPTIONS];
    if (!cli_command_named(name, &command, room))
        return unknown_command(name);
    cli_unfinished_guard();
    cli_args args;
    int code = cli_args_read(&args, &command, argc, argv);
    if (code == CLI_OK && args.help)
        cli_print_help(stdout, &command);
    else if (code == CLI_OK)
        code = command.question ? cli_ask(&args, command.question) : command.run(&args);
    cli_args_free(&args);
    if (code == CLI_SYSTEM)
        cli_progress_give_way();
    return cli_finish(code);
}
