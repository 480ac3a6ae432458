#include "say.h"

#include "args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Whether messages are coloured: on a terminal, unless the user wants none (https://no-color.org). */
static bool is_coloured(void) {
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !(no && *no) && terminal && strcmp(terminal, "dumb") != 0 && isatty(STDERR_FILENO);
}

static void print_name(void) {
    fputs(is_coloured() ? "\033[1masif:\033[0m " : "asif: ", stderr);
}

void cli_say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    print_name();
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

void cli_hint(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs(is_coloured() ? "  \033[36mhint:\033[0m " : "  hint: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

int cli_code(asif_status status) {
    bool system = status == ASIF_ENOMEM || status == ASIF_EIO || status == ASIF_ECANCELLED;
    return system ? CLI_SYSTEM : CLI_USAGE;
}

int cli_say_error(const asif_error *error) {
    print_name();
    if (error->file[0]) {
        fprintf(stderr, "%s:", error->file);
        if (error->line)
            fprintf(stderr, "%" PRIu32 ":%" PRIu32 ":", error->line, error->column);
        fputc(' ', stderr);
    }
    if (error->row)
        fprintf(stderr, "row %" PRIu64 ": ", error->row);
    fprintf(stderr, "%s\n", error->message[0] ? error->message : asif_status_text(error->status));
    if (error->hint[0])
        cli_hint("%s", error->hint);
    return cli_code(error->status);
}

int cli_no_memory(void) {
    cli_say("out of memory");
    return CLI_SYSTEM;
}

int cli_say_problems(const asif_context *context, const asif_problems *problems, bool errors_only) {
    asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    char *text = NULL;
    options.errors_only = errors_only;
    if (asif_report_problems(&text, context, problems, &options, &error) != ASIF_OK)
        return cli_say_error(&error);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n") + 1;
        if (*line != ' ')
            print_name();
        fprintf(stderr, "%.*s", (int)length, line);
        line += length;
    }
    asif_memory_free(context, text);
    return CLI_OK;
}

int cli_print_quoted(FILE *file, const asif_context *context, const char *string) {
    asif_error error = ASIF_ERROR_INIT;
    char *text = NULL;
    if (asif_report_quoted(&text, context, string, &error) != ASIF_OK)
        return cli_say_error(&error);
    fputs(text, file);
    asif_memory_free(context, text);
    return CLI_OK;
}

/* Whether the user's locale writes UTF-8. */
static bool is_utf8(void) {
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3; i++) {
        const char *value = getenv(variables[i]);
        if (!value || !*value)
            continue;
        return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "utf-8") ||
               strstr(value, "UTF8");
    }
    return false;
}

static uint32_t terminal_width(void) {
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col < 40 ? 40 : size.ws_col > 100 ? 100 : size.ws_col;
}

asif_report_options cli_report_options(bool json) {
    asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
    options.json = json;
    options.unicode = is_utf8();
    options.width = terminal_width();
    return options;
}

int cli_finish(int code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    if (code != CLI_SYSTEM)
        cli_say("writing to standard output failed%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return CLI_SYSTEM;
}
