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

static uint32_t terminal_width(int file) {
    struct winsize size;
    if (!isatty(file) || ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col < 40 ? 40 : size.ws_col > 100 ? 100 : size.ws_col;
}

/* Print a line that begins at `column`, broken between words before `width`; what follows is indented. */
static void print_broken(FILE *file, const char *line, size_t length, uint32_t column, uint32_t indent,
                         uint32_t width) {
    const char *end = line + length;
    while (line < end) {
        const char *word = line + strspn(line, " ");
        word = word < end ? word : end;
        uint32_t blanks = (uint32_t)(word - line), columns = 0;
        const char *next = word;
        for (; next < end && *next != ' '; next++)
            columns += ((unsigned char)*next & 0xc0) != 0x80; /* a character, and not the rest of one */
        if (column > indent && column + blanks + columns > width) {
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
            blanks = 0;
        }
        fprintf(file, "%*s%.*s", (int)blanks, "", (int)(next - word), word);
        column += blanks + columns;
        line = next;
    }
}

/* Print the lines of a message, of which the first begins at `column`. */
static void print_message(FILE *file, const char *text, uint32_t column) {
    if (!isatty(fileno(file))) {
        fputs(text, file);
        return;
    }
    for (uint32_t width = terminal_width(fileno(file)); *text; column = 0) {
        size_t length = strcspn(text, "\n"), blanks = strspn(text, " ");
        print_broken(file, text, length, column, (uint32_t)(column > 6 ? 4 : 2 + (blanks < 20 ? blanks : 20)),
                     width);
        text += length;
        if (*text == '\n') {
            fputc('\n', file);
            text++;
        }
    }
}

void cli_print_message(FILE *file, const char *text) {
    print_message(file, text, 0);
}

/* Print a formatted message on standard error; what does not fit is printed as it is. */
static void print_words(uint32_t column, const char *format, va_list list) {
    char words[4096];
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(words, sizeof words, format, list);
    if (length >= 0 && (size_t)length < sizeof words)
        print_message(stderr, words, column);
    else
        vfprintf(stderr, format, again);
    va_end(again);
}

static void print_name(void) {
    fputs(is_coloured() ? "\033[1masif:\033[0m " : "asif: ", stderr);
}

void cli_say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    print_name();
    print_words(6, format, list);
    fputc('\n', stderr);
    va_end(list);
}

void cli_hint(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs(is_coloured() ? "  \033[36mhint:\033[0m " : "  hint: ", stderr);
    print_words(8, format, list);
    fputc('\n', stderr);
    va_end(list);
}

int cli_code(asif_status status) {
    bool system = status == ASIF_ENOMEM || status == ASIF_EIO || status == ASIF_ECANCELLED;
    return system ? CLI_SYSTEM : CLI_USAGE;
}

int cli_say_error(const asif_error *error) {
    char line[32] = "", row[32] = "";
    if (error->line)
        snprintf(line, sizeof line, "%" PRIu32 ":%" PRIu32 ":", error->line, error->column);
    if (error->row)
        snprintf(row, sizeof row, "row %" PRIu64 ": ", error->row);
    cli_say("%s%s%s%s%s%s", error->file, error->file[0] ? ":" : "", error->file[0] ? line : "",
            error->file[0] ? " " : "", row,
            error->message[0] ? error->message : asif_status_text(error->status));
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
    for (char *line = text; *line;) {
        char *end = line + strcspn(line, "\n");
        bool more = *end;
        *end = 0;
        if (*line != ' ')
            print_name();
        print_message(stderr, line, *line != ' ' ? 6 : 0);
        fputc('\n', stderr);
        line = end + more;
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

asif_report_options cli_report_options(bool json) {
    asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
    options.json = json;
    options.unicode = is_utf8();
    options.width = terminal_width(STDOUT_FILENO);
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
