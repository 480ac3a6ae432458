/* Scripts with which shells complete the names of commands and flags, made from the tables of flags. */
#include "cli.h"
#include "say.h"

#include <string.h>

/* What a shell's script consists of. A command's flags are written between `open` and `close`. */
typedef struct {
    const char *name;
    void (*begin)(void);
    void (*open)(const cli_command *command);
    void (*flag)(const cli_command *command, const cli_option *option);
    void (*close)(void);
    void (*end)(void);
} shell;

/* Print a text for use between single quotes, with the letters in `also` behind a backslash. */
static void print_quoted(const char *text, const char *also) {
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            printf(strchr(also, *text) ? "\\%c" : "%c", *text);
}

/* The first clause of a description: a list of completions has a line for each. */
static void print_brief(const char *text, const char *also) {
    char brief[64];
    size_t length = strcspn(text, ":;(");
    if (length >= sizeof brief)
        for (length = sizeof brief - 1; length > 0 && text[length] != ' '; length--)
            ;
    for (; length > 0 && text[length - 1] == ' '; length--)
        ;
    snprintf(brief, sizeof brief, "%.*s", (int)length, text);
    print_quoted(brief, also);
}

/* Whether the value of a flag is a file or a folder. */
static bool takes_file(const cli_option *option) {
    static const char *const files[] = {"FILE", "DIR", "STUDY", "LOGS", "FIT", "PATH", "TABLE"};
    for (size_t i = 0; option->value && i < sizeof files / sizeof *files; i++)
        if (strstr(option->value, files[i]))
            return true;
    return false;
}

/* ---- bash ---- */

static void print_names(void) {
    cli_command command;
    cli_option room[CLI_OPTIONS];
    for (uint32_t i = 0; cli_command_at(i, &command, room); i++)
        printf("%s%s", i ? " " : "", command.name);
}

static void begin_bash(void) {
    fputs("_asif() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} flags=\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W '",
          stdout);
    print_names();
    fputs(" help' -- \"$word\"))\n"
          "        return\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          stdout);
}

static void open_bash(const cli_command *command) {
    printf("    %s) flags='", command->name);
}

static void flag_bash(const cli_command *command, const cli_option *option) {
    (void)command;
    printf("--%s ", option->name);
}

static void close_bash(void) {
    fputs("' ;;\n", stdout);
}

static void end_bash(void) {
    fputs("    help) COMPREPLY=($(compgen -W '", stdout);
    print_names();
    fputs("' -- \"$word\")); return ;;\n"
          "    esac\n"
          "    if [[ $word == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
          "    else\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "    fi\n"
          "}\n"
          "complete -F _asif asif\n",
          stdout);
}

/* ---- zsh ---- */

static void begin_zsh(void) {
    cli_command command;
    cli_option room[CLI_OPTIONS];
    fputs("#compdef asif\n"
          "_asif() {\n"
          "    local -a commands\n"
          "    commands=(\n",
          stdout);
    for (uint32_t i = 0; cli_command_at(i, &command, room); i++) {
        printf("        '%s:", command.name);
        print_quoted(command.summary, "");
        fputs("'\n", stdout);
    }
    fputs("        'help:describe a command and its flags'\n"
          "    )\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $command in\n"
          "    help) _describe command commands ;;\n",
          stdout);
}

static void open_zsh(const cli_command *command) {
    printf("    %s)\n        _arguments", command->name);
}

static void flag_zsh(const cli_command *command, const cli_option *option) {
    (void)command;
    printf(" \\\n            '%s--%s%s[", option->kind == CLI_LIST ? "*" : "", option->name,
           option->kind == CLI_SWITCH ? "" : "=");
    print_brief(option->help, "[]:");
    fputs("]", stdout);
    if (option->kind != CLI_SWITCH) {
        fputs(":", stdout);
        print_quoted(option->value, ":[]");
        fputs(takes_file(option) ? ":_files" : ": ", stdout);
    }
    fputs("'", stdout);
}

static void close_zsh(void) {
    fputs(" \\\n            '*:file:_files' ;;\n", stdout);
}

static void end_zsh(void) {
    fputs("    esac\n"
          "}\n"
          "if [ \"$funcstack[1]\" = _asif ]; then\n"
          "    _asif \"$@\"\n"
          "else\n"
          "    compdef _asif asif\n"
          "fi\n",
          stdout);
}

/* ---- fish ---- */

static void begin_fish(void) {
    cli_command command;
    cli_option room[CLI_OPTIONS];
    for (uint32_t i = 0; cli_command_at(i, &command, room); i++) {
        printf("complete -c asif -f -n __fish_use_subcommand -a %s -d '", command.name);
        print_quoted(command.summary, "");
        fputs("'\n", stdout);
    }
    fputs("complete -c asif -f -n __fish_use_subcommand -a help -d 'describe a command and its flags'\n"
          "complete -c asif -f -n '__fish_seen_subcommand_from help' -a '",
          stdout);
    print_names();
    fputs("'\n", stdout);
}

static void open_fish(const cli_command *command) {
    (void)command;
}

static void flag_fish(const cli_command *command, const cli_option *option) {
    printf("complete -c asif -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    if (option->kind != CLI_SWITCH)
        fputs(takes_file(option) ? " -r" : " -x", stdout);
    fputs(" -d '", stdout);
    print_brief(option->help, "");
    fputs("'\n", stdout);
}

static void nothing(void) {}

static const shell shells[] = {
    {"bash", begin_bash, open_bash, flag_bash, close_bash, end_bash},
    {"zsh", begin_zsh, open_zsh, flag_zsh, close_zsh, end_zsh},
    {"fish", begin_fish, open_fish, flag_fish, nothing, nothing},
};
enum { SHELLS = sizeof shells / sizeof *shells };

/* ---- the command ---- */

static const cli_option options[] = {
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

static void print_script(const shell *s) {
    cli_command command;
    cli_option room[CLI_OPTIONS];
    s->begin();
    for (uint32_t i = 0; cli_command_at(i, &command, room); i++) {
        s->open(&command);
        for (const cli_option *option = command.options; option->name; option++)
            s->flag(&command, option);
        s->close();
    }
    s->end();
}

static int run(const cli_args *args) {
    for (size_t i = 0; i < SHELLS; i++)
        if (strcmp(shells[i].name, args->operand[0]) == 0) {
            print_script(&shells[i]);
            return CLI_OK;
        }
    cli_say("there is no completion for '%s'", args->operand[0]);
    cli_hint("the shells are bash, zsh and fish");
    return CLI_USAGE;
}

const cli_command cli_completion = {
    .name = "completion",
    .operands = "bash | zsh | fish",
    .summary = "print a script with which a shell completes commands and flags",
    .about = "Prints a script for a shell. After the shell has read it, the Tab key completes the names of "
             "commands, flags and files.",
    .examples = "  asif completion fish > ~/.config/fish/completions/asif.fish\n"
                "  source <(asif completion bash)    # in ~/.bashrc\n"
                "  source <(asif completion zsh)     # in ~/.zshrc, after compinit\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
