#include "args.h"

#include "say.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 28
#define HELP_WIDTH 79

bool cli_read_number(const char *s, const char *end, double *out) {
    char text[64], *stop;
    size_t length = (size_t)(end - s);
    if (length == 0 || length >= sizeof text)
        return false;
    memcpy(text, s, length);
    text[length] = 0;
    if (text[strspn(text, "0123456789+-.eE")])
        return false;
    *out = strtod(text, &stop);
    return *stop == 0 && stop != text;
}

static const cli_option *find_long(const cli_command *command, const char *name, size_t length) {
    for (const cli_option *option = command->options; option->name; option++)
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
    return NULL;
}

static const cli_option *find_letter(const cli_command *command, char letter) {
    for (const cli_option *option = command->options; option->name; option++)
        if (option->letter == letter)
            return option;
    return NULL;
}

static int unknown_flag(const cli_command *command, const char *flag, size_t length) {
    const char *names[CLI_OPTIONS];
    uint32_t count = 0;
    char name[64];
    for (; count < CLI_OPTIONS && command->options[count].name; count++)
        names[count] = command->options[count].name;
    cli_say("asif %s has no flag %.*s", command->name, (int)length, flag);
    flag += strspn(flag, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(flag, "="), flag);
    const char *near = asif_nearest_word(name, names, count);
    if (near)
        cli_hint("did you mean --%s? 'asif %s --help' lists all flags", near, command->name);
    else
        cli_hint("'asif %s --help' lists its flags", command->name);
    return CLI_USAGE;
}

static bool read_count(const char *text, uint64_t *out) {
    char *end;
    if (text[0] == 0 || text[strspn(text, "0123456789")])
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *out = value;
    return errno == 0 && value <= UINT64_MAX;
}

static bool in_range(const cli_option *option, double value) {
    return (option->least == 0 && option->most == 0) || (value >= option->least && value <= option->most);
}

static int bad_value(const cli_option *option, const char *text) {
    const char *what = option->kind == CLI_COUNT ? "a whole number" : "a number";
    if (option->least != 0 || option->most != 0)
        cli_say("--%s must be %s from %.10g to %.10g, not '%s'", option->name, what, option->least,
                option->most, text);
    else
        cli_say("--%s must be %s, not '%s'", option->name, what, text);
    return CLI_USAGE;
}

static int take_value(cli_args *args, const cli_option *option, const char *text, uint64_t *seen,
                      uint32_t index) {
    union {
        bool flag;
        const char *text;
        cli_count count;
        cli_number number;
    } checked; /* room for the value of a question's option, which is only checked here */
    bool of_question = option->offset == CLI_OF_QUESTION;
    void *field = of_question ? (void *)&checked : (char *)args + option->offset;
    if (option->kind != CLI_LIST && option->kind != CLI_SWITCH && (*seen >> index & 1)) {
        cli_say("--%s is given twice", option->name);
        return CLI_USAGE;
    }
    *seen |= (uint64_t)1 << index;
    if (of_question && args->givens < (uint32_t)args->argc)
        args->given[args->givens++] = (asif_given){option->name, option->kind == CLI_SWITCH ? "true" : text};
    switch (option->kind) {
    case CLI_SWITCH:
        *(bool *)field = true;
        return CLI_OK;
    case CLI_TEXT:
        *(const char **)field = text;
        return CLI_OK;
    case CLI_LIST: {
        if (of_question)
            return CLI_OK;
        cli_list *list = field;
        list->item[list->count++] = text;
        return CLI_OK;
    }
    case CLI_COUNT: {
        cli_count *count = field;
        count->given = read_count(text, &count->value) && in_range(option, (double)count->value);
        return count->given ? CLI_OK : bad_value(option, text);
    }
    case CLI_NUMBER: {
        cli_number *number = field;
        number->given =
            cli_read_number(text, text + strlen(text), &number->value) && in_range(option, number->value);
        return number->given ? CLI_OK : bad_value(option, text);
    }
    }
    return CLI_USAGE;
}

static int missing_value(const cli_command *command, const cli_option *option) {
    cli_say("--%s needs a value: --%s %s", option->name, option->name, option->value);
    cli_hint("see 'asif %s --help'", command->name);
    return CLI_USAGE;
}

/* Read one argument that begins with a dash, and the next argument if that is its value. */
static int read_flag(cli_args *args, const cli_command *command, int argc, char **argv, int *at,
                     uint64_t *seen) {
    const char *flag = argv[*at];
    if (flag[1] == '-') {
        size_t length = strcspn(flag + 2, "=");
        const cli_option *option = find_long(command, flag + 2, length);
        const char *value = flag[2 + length] == '=' ? flag + 3 + length : NULL;
        if (!option)
            return unknown_flag(command, flag, length + 2);
        if (option->kind == CLI_SWITCH && value) {
            cli_say("--%s takes no value", option->name);
            return CLI_USAGE;
        }
        if (option->kind != CLI_SWITCH && !value) {
            if (*at + 1 >= argc)
                return missing_value(command, option);
            value = argv[++*at];
        }
        return take_value(args, option, value, seen, (uint32_t)(option - command->options));
    }
    for (const char *letter = flag + 1; *letter; letter++) {
        const cli_option *option = find_letter(command, *letter);
        if (!option)
            return unknown_flag(command, flag, strlen(flag));
        const char *value = NULL;
        if (option->kind != CLI_SWITCH) {
            value = letter[1] ? letter + 1 : NULL;
            if (!value && *at + 1 >= argc)
                return missing_value(command, option);
            if (!value)
                value = argv[++*at];
        }
        int code = take_value(args, option, value, seen, (uint32_t)(option - command->options));
        if (code != CLI_OK || value)
            return code;
    }
    return CLI_OK;
}

int cli_args_read(cli_args *args, const cli_command *command, int argc, char **argv) {
    *args = (cli_args){.argc = argc, .argv = argv};
    uint64_t seen = 0;
    bool only_operands = false;
    const char ***arrays[] = {&args->operand,    &args->set.item,  &args->belief.item, &args->map.item,
                              &args->where.item, &args->with.item, &args->truth.item};
    bool room = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = calloc((size_t)argc + 1, sizeof **arrays[i]);
        room = room && *arrays[i];
    }
    args->given = calloc((size_t)argc + 1, sizeof *args->given);
    if (!room || !args->given)
        return cli_no_memory();
    for (int i = 2; i < argc; i++) {
        if (!only_operands && strcmp(argv[i], "--") == 0) {
            only_operands = true;
        } else if (!only_operands && argv[i][0] == '-' && argv[i][1]) {
            int code = read_flag(args, command, argc, argv, &i, &seen);
            if (code != CLI_OK)
                return code;
            if (args->help)
                return CLI_OK;
        } else if (args->operands == command->most_operands) {
            cli_say("asif %s has no use for '%s'", command->name, argv[i]);
            cli_hint("usage: asif %s %s", command->name, command->operands);
            return CLI_USAGE;
        } else {
            args->operand[args->operands++] = argv[i];
        }
    }
    bool in_database = args->engine && command->question && command->question->reads_logs;
    if (args->operands + in_database < command->least_operands) {
        cli_say("asif %s needs more arguments: asif %s %s", command->name, command->name, command->operands);
        cli_hint("see 'asif %s --help'", command->name);
        return CLI_USAGE;
    }
    return CLI_OK;
}

void cli_args_free(cli_args *args) {
    free(args->operand);
    free(args->set.item);
    free(args->belief.item);
    free(args->map.item);
    free(args->where.item);
    free(args->with.item);
    free(args->truth.item);
    free(args->given);
}

void cli_print_wrapped(FILE *file, const char *text, size_t column) {
    size_t used = column;
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (used > column && used + 1 + length > HELP_WIDTH) {
            fprintf(file, "\n%*s", (int)column, "");
            used = column;
        }
        used += (size_t)fprintf(file, "%s%.*s", used > column ? " " : "", (int)length, text);
        text += length;
        for (; *text == '\n'; text++, used = column)
            fprintf(file, "\n%*s", text[1] == '\n' ? 0 : (int)column, "");
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

static void print_option(FILE *file, const cli_option *option) {
    char flag[64], letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    int used = snprintf(flag, sizeof flag, "  %s--%s%s%s", letter, option->name, option->value ? " " : "",
                        option->value ? option->value : "");
    if (used + 2 > HELP_COLUMN)
        fprintf(file, "%s\n%*s", flag, HELP_COLUMN, "");
    else
        fprintf(file, "%-*s", HELP_COLUMN, flag);
    cli_print_wrapped(file, option->help, HELP_COLUMN);
}

void cli_print_help(FILE *file, const cli_command *command) {
    fprintf(file, "asif %s: %s\n\nUsage: asif %s %s\n\n", command->name, command->summary, command->name,
            command->operands);
    cli_print_wrapped(file, command->about, 0);
    fprintf(file, "\nFlags:\n");
    for (const cli_option *option = command->options; option->name; option++)
        print_option(file, option);
    fprintf(file, "\nExamples:\n%s", command->examples);
}
